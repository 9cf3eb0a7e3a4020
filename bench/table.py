"""Write the README's benchmark table from results.json, between two marker comments.

python bench/table.py            prints the table and puts it into README.md
python bench/table.py --print    only prints it
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

BEGIN = "<!-- bench:begin -->"
END = "<!-- bench:end -->"
HEADER = (
    "| case | peer | peer's time | fastbleu | ratio | bar / aim | correct |",
    "|---|---|--:|--:|--:|---|---|",
)
UNITS = {"ratio": "x", "slowdown": "x", "microseconds": " us", "milliseconds": " ms"}
UNITS["megabytes"] = " MB"


def table_of(results: dict) -> str:
    """Return the Markdown table of all results, and below it the machine they were made on."""
    rows = [row for result in results["cases"] for row in _rows(result)]
    return "\n".join([*HEADER, *rows, "", _footer(results)])


def write_table(readme: Path, table: str) -> None:
    """Replace what stands between the markers of `readme`.

    Raises
    ------
    ValueError
        If `readme` does not hold both markers, in order.
    """
    text = readme.read_text(encoding="utf-8")
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise ValueError(f"README.md needs the lines {BEGIN} and {END}, in this order")
    readme.write_text(f"{before}{BEGIN}\n{table}\n{END}{after}", encoding="utf-8")


def _rows(result: dict) -> list[str]:
    """Return a row per peer: the one that the goals are about first."""
    if "not_run" in result:
        return [_row(result["title"], "", "", "", "", "not run", "")]
    libraries = result["libraries"]
    subject = libraries.get("fastbleu")
    peers = [name for name in libraries if name != "fastbleu"]
    peers.sort(key=lambda name: name != result["peer"])
    rows = []
    for name in peers:
        peer = libraries[name]
        is_wrong = peer["correct"].startswith("no:")
        ratio = correct = ""
        if subject:
            correct = subject["correct"]
            if not is_wrong and not correct.startswith("no:"):
                ratio = _ratio(result, name, peer["time"], subject["time"])
        if peer["correct"].startswith(("no:", "yes, but", "other")):
            correct += f"; {name} {peer['correct']}"
        is_main = name == result["peer"]
        rows.append(
            _row(
                f"{result['title']}{_size(result)}" if is_main else "same",
                name,
                _time(peer, result["unit"]),
                _time(subject, result["unit"]),
                ratio,
                "<br>".join(_goal(goal) for goal in result["goals"]) if is_main else "",
                correct.lstrip("; "),
            )
        )
    return rows


def _row(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"


def _size(result: dict) -> str:
    if "segments" not in result:
        return ""
    segments = result["segments"]
    if "tokens" not in result:
        return f" ({segments:,} segments)"
    return f" ({segments:,} segments of {result['tokens'] / segments:,.0f} tokens)"


def _time(library: dict | None, unit: str) -> str:
    """Format a time; that of a wrong result is left blank."""
    if not library or library["correct"].startswith("no:"):
        return ""
    return f"{_digits(library['time'])} {unit}"


def _ratio(result: dict, peer: str, peer_time: float, time: float) -> str:
    """Format what was gained over a peer, or paid where the goal is about a slowdown or a cost."""
    reached = result["reached"]
    if peer == result["peer"]:
        if "milliseconds" in reached:
            return f"+{_digits(reached['milliseconds'])} ms"
        if any(goal["quantity"] == "slowdown" for goal in result["goals"]):
            memory = f", +{_digits(reached['megabytes'])} MB" if "megabytes" in reached else ""
            return f"{_digits(reached['slowdown'])}x the time{memory}"
    return f"{_digits(peer_time / time)}x" if time else ""


def _goal(goal: dict) -> str:
    unit = UNITS[goal["quantity"]]
    sign = "at most " if goal["at_most"] else ""
    aim = "" if goal["aim"] is None else f" / {goal['aim']:g}{unit}"
    return f"{sign}{goal['bar']:g}{unit}{aim}: {goal['verdict']}"


def _digits(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def _footer(results: dict) -> str:
    machine = results["machine"]
    versions = ", ".join(f"{name} {version}" for name, version in results["versions"].items())
    lines = [
        f"{results['date']}, {machine['processor']} ({machine['architecture']},"
        f" {machine['cores']} cores, shared with other work: read the ratios), {machine['system']},"
        f" {machine['python']}, {versions}. Data: {results['data']}.",
        "Medians of interleaved runs in one process. The time of a wrong result is left blank.",
    ]
    if results["quick"]:
        lines.insert(0, "A quick run: these numbers prove nothing but that the benchmarks run.")
    return "\n".join(lines)


def main(arguments: list[str]) -> int:
    """Print the table of results.json; put it into README.md unless told only to print."""
    folder = Path(__file__).resolve().parent
    results = json.loads((folder / "results.json").read_text(encoding="utf-8"))
    table = table_of(results)
    print(table)
    if "--print" not in arguments:
        write_table(folder.parent / "README.md", table)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
