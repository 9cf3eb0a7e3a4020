"""Write bench/RESULTS.md, README.md's table and its chart from build/bench.json.

python bench/table.py [FILE] [--into FOLDER]     from other results, into copies of the documents
"""

import argparse
import json
import math
import re
from html import escape
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / "build" / "bench.json"
#: README.md's table, by its head.
README_TABLE = re.compile(r"\| work \|.*\n(\|.*\n)+")
KINDS = {
    "text": "Raw text, against sacreBLEU",
    "tokens": "Token lists, against nltk",
    "training": "Training loops",
    "matrix": "Many against many",
    "significance": "Comparing systems, against sacreBLEU's paired tests",
    "costs": "Long inputs, start-up",
}
#: The cases of README.md's table, and those of its chart by what a user would call them.
IN_README = {"text-13a", "text-sentence", "text-chrf", "tokens-corpus", "tokens-sentence-method1"}
CHART_ROWS = {
    "text-13a": "`corpus_bleu` on text, 13a",
    "text-chinese": "`corpus_bleu` on Chinese text, zh",
    "text-sentence": "`sentence_bleu` on text, one call",
    "text-chrf": "`corpus_chrf` on text",
    "tokens-corpus": "`corpus_bleu` on lists of tokens",
    "tokens-sentence-method1": "`sentence_bleu` on lists of tokens, one call",
    "training-ids": "sentence BLEU of each row of a batch of token ids",
    "training-sacrebleuscore": "an epoch of SacreBLEUScore, batches of 32",
    "significance-ar": "paired approximate randomization, 5 systems",
    "matrix-pairwise": "all pairs of 256 x 256 sentences",
}
#: Measured, but not in the tables, because they say the same as a case that is shown.
NOT_SHOWN = re.compile(
    "text-(none|lowercase|latin-two-references|chrf-lowercase|sentence-score)"
    "|tokens-sentence-(matched|warning|method[02-7])"
    "|training-(updates-tokens|bleuscore)|costs-(import-)?tokens"
)
ABOUT = """\
# All benchmarks

`make bench` writes this page and README.md's table and chart. Results must equal the original's bit
for bit; notes name other libraries whose results differ. The ratio is the other's time divided by
fastbleu's; below 1 it is a cost. Measured elsewhere: [patched
tools](../docs/guides/patching.md), [queries and clusters](../docs/guides/engines.md#speed).
"""


def tables_of(results: dict) -> str:
    """Return a Markdown table for each kind, then the machine and versions."""
    parts = []
    shown = [case for case in results["cases"] if not NOT_SHOWN.fullmatch(case["name"])]
    for kind, title in KINDS.items():
        if cases := [case for case in shown if case["name"].startswith(kind)]:
            header = ["| case | against | fastbleu | ratio |", "|---|---|--:|--:|"]
            parts.append("\n".join([f"**{title}**", "", *header, *rows_of(cases)]))
            notes = [f"- {note}." for case in cases for note in notes_of(case)]
            parts += ["\n".join(notes)] if notes else []
    data = dict.fromkeys(case["data"] for case in results["cases"] if "data" in case)
    return "\n\n".join([*parts, f"{conditions_of(results)}\nData: {'; '.join(data)}."])


def rows_of(cases: list[dict]) -> list[str]:
    """Return a row for each case and other library; a size only where it is a new one."""
    rows, size_above = [], ""
    for case in cases:
        if "not_run" in case:
            rows.append(row_of(case["title"], f"not run: {case['not_run']}", "", ""))
            continue
        title = case["title"] + (f"; {case['size']}" if case["size"] != size_above else "")
        size_above = case["size"]
        for name in case["others"]:
            ratio = case.get("gain") or f"{digits(ratio_of(case, name))}x"
            if case.get("memory") is not None:
                ratio += f", {digits(case['memory'])} MB"
            ours = f"{digits(case['ours']['time'])} {case['unit']}"
            rows.append(row_of(title, named(name, case), ours, ratio))
            title = "same"
    return rows


def notes_of(case: dict) -> list[str]:
    """Say of each result that is not the original's how it differs."""
    libraries = {"fastbleu": case.get("ours", {}), **case.get("others", {})}
    notes = {name: library.get("note") for name, library in libraries.items()}
    notes |= {name: f"not run: {why}" for name, why in case.get("missing", {}).items()}
    return [f"{case['title']}, {name}: {note}" for name, note in notes.items() if note]


def readme_table(results: dict) -> str:
    """Return one table of the cases in `IN_README`, against their originals."""
    rows = ["| work | compared with | its time | fastbleu | faster |", "|---|---|--:|--:|--:|"]
    for label, case, original in cases_of_chart(results):
        if case["name"] not in IN_README:
            continue
        other = case["others"][original]
        times = [f"{digits(side['time'])} {case['unit']}" for side in (other, case["ours"])]
        ratio = f"{digits(ratio_of(case, original))}x"
        rows.append(row_of(label, named(original, case), *times, ratio))
    return "\n".join(rows) + "\n"


def cases_of_chart(results: dict) -> list[tuple[str, dict, str]]:
    """Return label, case and original of each case of the chart that was measured."""
    by_name = {case["name"]: case for case in results["cases"] if "not_run" not in case}
    return [
        (label, by_name[name], next(iter(by_name[name]["others"])))
        for name, label in CHART_ROWS.items()
        if name in by_name
    ]


def ratio_of(case: dict, other: str) -> float:
    return case["others"][other]["time"] / case["ours"]["time"]


def named(name: str, case: dict) -> str:
    """Name a library, and tell if its time is extrapolated from some segments."""
    part = case["others"][name].get("part")
    if part is None or name.endswith("segments"):
        return name
    return f"{name} ({part:,} of {case['size'].partition(' ')[0]}, extrapolated)"


def row_of(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"


def digits(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def conditions_of(results: dict) -> str:
    return (
        f"{results['date']}, {results['machine']}, {results['versions']}.\n"
        f"Medians of interleaved runs, {results['clock']}; one process a case."
    )


# The chart: how many times faster than the original, on a logarithmic scale.

WIDTH, LEFT, RIGHT = 800, 370, 80  # in all; the labels' part; room for the last value
ROW, TOP = 26, 30
STYLE = """\
text { font: 13px system-ui, sans-serif; fill: #24292f }
.tick { fill: #57606a } .grid { stroke: #d0d7de } .bar { stroke: #0969da; stroke-width: 2 }
circle { fill: #0969da } .value { font-weight: 600 }
@media (prefers-color-scheme: dark) {
text { fill: #e6edf3 } .tick { fill: #9198a1 } .grid { stroke: #3d444d } .bar { stroke: #4493f8 }
circle { fill: #4493f8 } }"""


def chart_of(results: dict) -> str:
    """Return an SVG with a line for each case in `CHART_ROWS`."""
    ratios = [
        (label.replace("`", ""), original, ratio_of(case, original))
        for label, case, original in cases_of_chart(results)
    ]
    decades = math.log10(max(ratio for _, _, ratio in ratios))
    height = TOP + ROW * len(ratios) + 10

    def x(value: float) -> float:
        return round(LEFT + (WIDTH - LEFT - RIGHT) * math.log10(value) / decades, 1)

    told = "; ".join(f"{label}, {ratio:,.0f}x" for label, _, ratio in ratios)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}"'
        f' width="{WIDTH}" height="{height}" role="img" aria-labelledby="title">',
        f'<title id="title">How many times faster than the original: {escape(told)}</title>',
        f"<style>{STYLE}</style>",
        f'<text class="tick" x="{LEFT - 12}" y="{TOP - 14}" text-anchor="end">'
        "times faster, log scale</text>",
    ]
    for decade in range(math.floor(decades) + 1):
        at = x(10**decade)
        parts += [
            f'<line class="grid" x1="{at}" y1="{TOP - 8}" x2="{at}" y2="{height - 8}"/>',
            f'<text class="tick" x="{at}" y="{TOP - 14}" text-anchor="middle">'
            f"{10**decade:,}x</text>",
        ]
    for number, (label, original, ratio) in enumerate(ratios):
        y = TOP + ROW * number + ROW / 2
        parts += [
            f'<text x="{LEFT - 12}" y="{y + 4}" text-anchor="end">{escape(label)}</text>',
            f'<line class="bar" x1="{x(1)}" y1="{y}" x2="{x(ratio)}" y2="{y}"/>',
            f'<circle cx="{x(ratio)}" cy="{y}" r="4.5">'
            f"<title>against {escape(original)}</title></circle>",
            f'<text class="value" x="{x(ratio) + 9}" y="{y + 4}">{ratio:,.0f}x</text>',
        ]
    return "\n".join([*parts, "</svg>", ""])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("file", nargs="?", type=Path, default=RESULTS)
    parser.add_argument("--into", type=Path, default=ROOT, help="instead of the project's folder")
    options = parser.parse_args()
    results = json.loads(options.file.read_text(encoding="utf-8"))
    wrong = [case["title"] for case in results["cases"] if case.get("wrong")]
    if wrong:
        raise SystemExit(f"the results of these are wrong: {', '.join(wrong)}")
    readme, tables = README_TABLE.subn(
        lambda _: readme_table(results), (ROOT / "README.md").read_text(encoding="utf-8")
    )
    if tables != 1:
        raise SystemExit(f"README.md needs one table with the head | work |, it has {tables}")
    documents = {
        "README.md": readme,
        "bench/RESULTS.md": f"{ABOUT}\n{tables_of(results)}\n",
        "docs/images/speed.svg": chart_of(results),
    }
    for name, content in documents.items():
        path = options.into / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8")


if __name__ == "__main__":
    main()
