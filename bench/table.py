"""Write the benchmark tables from results.json: ten rows into README.md, all into RESULTS.md.

python bench/table.py            prints the README's table, writes both files and its chart
python bench/table.py --print    only prints it
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from cases import SECTIONS, SUBJECT
from chart import draw_chart

BEGIN = "<!-- bench:begin -->"
END = "<!-- bench:end -->"
#: The cases in the README, by what a user would call them.
README_ROWS = {
    "text-13a": "`corpus_bleu` on text, 13a",
    "text-chinese": "`corpus_bleu` on Chinese text, zh",
    "text-sentence": "`sentence_bleu` on text, one call",
    "corpus-fresh": "`corpus_bleu` on lists of tokens",
    "sentence-method1": "`sentence_bleu` on lists of tokens, one call",
    "training-ids": "sentence BLEU of each row of a batch of token ids",
    "training-torchmetrics-sacrebleuscore": "an epoch of SacreBLEUScore, batches of 32",
    "significance-ar": "paired approximate randomization, 5 systems",
    "matrix-pairwise": "all pairs of 256 x 256 sentences",
    "matrix-self-bleu": "self-BLEU of 2,000 sentences",
}
HEADER = (
    "| case | peer | peer's time | fastbleu | ratio | required / target | equal |",
    "|---|---|--:|--:|--:|---|---|",
)
UNITS = {
    "ratio": "x",
    "slowdown": "x",
    "nanoseconds": " ns",
    "microseconds": " us",
    "milliseconds": " ms",
    "megabytes": " MB",
}
ABOUT = """\
# All benchmarks

Written by `make bench` from [results.json](results.json). [run.py](run.py) explains how times are
measured, and imports the modules that define the cases. A time is the median of interleaved runs,
followed by the fastest and the slowest; if these are far apart, the machine was also busy with
something else. "required / target" are goals of this project: the value that a case must reach, and
the value that it should reach.
"""


def readme_table(results: dict) -> str:
    """Return one Markdown table of the cases in `README_ROWS`, against their originals."""
    by_name = {result["name"]: result for result in results["cases"]}
    rows = [
        "| work | compared with | its time | fastbleu | faster | equal |",
        "|---|---|--:|--:|--:|---|",
    ]
    for name, label in README_ROWS.items():
        result = by_name.get(name, {"not_run": "not measured"})
        if "not_run" in result:
            rows.append(_row(label, "", "", "", "", result["not_run"]))
            continue
        peer, subject = result["libraries"][result["peer"]], result["libraries"][SUBJECT]
        is_wrong = _is_wrong(peer) or _is_wrong(subject)
        rows.append(
            _row(
                label,
                _peer(result["peer"], peer, result),
                _time(peer, result["unit"], False),
                _time(subject, result["unit"], False),
                "" if is_wrong else f"{_digits(peer['time'] / subject['time'])}x",
                subject["correct"],
            )
        )
    return "\n".join(rows)


def ratios_of(results: dict) -> list[tuple[str, str, float]]:
    """Return label, peer and ratio of the README's cases whose results are right."""
    by_name = {result["name"]: result for result in results["cases"]}
    ratios = []
    for name, label in README_ROWS.items():
        libraries = by_name.get(name, {}).get("libraries")
        if libraries:
            peer, subject = libraries[by_name[name]["peer"]], libraries[SUBJECT]
            if not _is_wrong(peer) and not _is_wrong(subject):
                ratios.append((label, by_name[name]["peer"], peer["time"] / subject["time"]))
    return ratios


def tables_of(results: dict) -> str:
    """Return a Markdown table per section, followed by the machine and versions.

    Parameters
    ----------
    results
        The content of results.json.
    """
    parts = []
    for section, title in SECTIONS.items():
        chosen = [result for result in results["cases"] if result["section"] == section]
        if chosen:
            rows = [row for result in chosen for row in _rows(result)]
            parts.append("\n".join([f"**{title}**", "", *HEADER, *rows]))
            notes = [
                f"{result['title']}: {result['note']}." for result in chosen if "note" in result
            ]
            parts += [note[0].upper() + note[1:] for note in notes]
    return "\n\n".join([*parts, _footer(results)])


def write_tables(results: dict, readme: Path, whole: Path) -> None:
    """Replace the text between the markers of `readme`, and all of `whole`.

    Raises
    ------
    ValueError
        If `readme` does not contain both markers, in order.
    """
    text = readme.read_text(encoding="utf-8")
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise ValueError(f"README.md needs the lines {BEGIN} and {END}, in this order")
    table = f"{readme_table(results)}\n\n{_footer(results, is_whole=False)}"
    readme.write_text(f"{before}{BEGIN}\n{table}\n{END}{after}", encoding="utf-8")
    whole.write_text(f"{ABOUT}\n{tables_of(results)}\n", encoding="utf-8")


def _rows(result: dict) -> list[str]:
    """Return a row per peer, beginning with the case's own."""
    if "not_run" in result:
        return [_row(result["title"], "", "", "", "", f"not run: {result['not_run']}", "")]
    libraries = result["libraries"]
    subject = libraries.get(SUBJECT)
    peers = [name for name in libraries if name != SUBJECT]
    peers.sort(key=lambda name: name != result["peer"])
    rows = []
    for name in peers:
        peer = libraries[name]
        goals = [goal for goal in result["goals"] if goal["peer"] == name]
        gain = correct = ""
        if subject:
            correct = subject["correct"]
            if not _is_wrong(peer) and not _is_wrong(subject):
                gain = _gain(result["reached"][name], goals, peer["time"], subject["time"])
        if peer["correct"].startswith(("no:", "yes, but", "other", "errors")):
            correct += f"; {name} {peer['correct']}"
        rows.append(
            _row(
                f"{result['title']}{_size(result)}" if name == result["peer"] else "same",
                _peer(name, peer, result),
                _time(peer, result["unit"], True),
                _time(subject, result["unit"], True),
                gain,
                "<br>".join(_goal(goal) for goal in goals),
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
    for measure in ("tokens", "characters"):
        if measure in result:
            return f" ({segments:,} segments of {result[measure] / segments:,.0f} {measure})"
    return f" ({segments:,} segments)"


def _peer(name: str, peer: dict, result: dict) -> str:
    """Name a library, and tell if its time is extrapolated from a part of the segments."""
    if "part" not in peer:
        return name
    return f"{name} ({peer['part']:,} of {result['segments']:,}, extrapolated)"


def _is_wrong(library: dict) -> bool:
    return library["correct"].startswith("no:")


def _time(library: dict | None, unit: str, has_range: bool) -> str:
    """Format a time; the time of a wrong result is left blank."""
    if not library or _is_wrong(library):
        return ""
    text = f"{_digits(library['time'])} {unit}"
    if has_range and "fastest" in library:
        text += f" ({_digits(library['fastest'])}-{_digits(library['slowest'])})"
    return text


def _gain(reached: dict[str, float], goals: list[dict], peer_time: float, time: float) -> str:
    """Format the ratio to a peer, or the slowdown or cost if a goal is about that."""
    if "milliseconds" in reached:
        return f"+{_digits(reached['milliseconds'])} ms"
    is_slowdown = any(goal["quantity"] == "slowdown" for goal in goals)
    memory = f", {_digits(reached['megabytes'])} MB" if "megabytes" in reached else ""
    if "slowdown" in reached and (is_slowdown or "ratio" not in reached):
        return f"{_digits(reached['slowdown'])}x the time{memory}"
    if memory and "ratio" not in reached:
        return ""
    return f"{_digits(peer_time / time)}x{memory}"


def _goal(goal: dict) -> str:
    unit = UNITS[goal["quantity"]]
    sign = "at most " if goal["at_most"] else ""
    target = "" if goal["target"] is None else f" / {goal['target']:g}{unit}"
    return f"{sign}{goal['required']:g}{unit}{target}: {goal['verdict']}"


def _digits(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def _footer(results: dict, is_whole: bool = True) -> str:
    machine = results["machine"]
    versions = ", ".join(f"{name} {version}" for name, version in results["versions"].items())
    dates = sorted({case["date"] for case in results["cases"]})
    data = "; ".join(dict.fromkeys(case["data"] for case in results["cases"] if "data" in case))
    lines = [
        f"{' to '.join(dict.fromkeys([dates[0], dates[-1]]))}, {machine['processor']}"
        f" ({machine['architecture']}, {machine['cores']} cores, shared with other work: read the"
        f" ratios), {machine['system']}, {machine['python']}, {versions}.",
        f"Data: {data}." if data and is_whole else "",
        "Medians of interleaved runs, one process a row. Times of wrong results are left blank.",
    ]
    if results["quick"]:
        lines.insert(0, "A quick run: it shows only that the benchmarks work, and no valid times.")
    return "\n".join(line for line in lines if line)


def main(arguments: list[str]) -> int:
    """Print the main tables of results.json; write both files unless told only to print."""
    folder = Path(__file__).resolve().parent
    results = json.loads((folder / "results.json").read_text(encoding="utf-8"))
    print(readme_table(results))
    if "--print" not in arguments:
        write_tables(results, folder.parent / "README.md", folder / "RESULTS.md")
        chart = folder.parent / "docs" / "images" / "speed.svg"
        chart.parent.mkdir(exist_ok=True)
        chart.write_text(draw_chart(ratios_of(results)), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
