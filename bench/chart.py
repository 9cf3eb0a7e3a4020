"""Draw the README's chart: how many times faster than the original, on a logarithmic scale."""

from __future__ import annotations

import math
from html import escape

WIDTH = 800
LEFT, RIGHT = 370, 80  # the labels' part, and room for the last value
ROW = 26
TOP = 30
STYLE = """\
text { font: 13px system-ui, sans-serif; fill: #24292f }
.tick { fill: #57606a } .grid { stroke: #d0d7de } .bar { stroke: #0969da; stroke-width: 2 }
circle { fill: #0969da } .value { font-weight: 600 }
@media (prefers-color-scheme: dark) {
text { fill: #e6edf3 } .tick { fill: #9198a1 } .grid { stroke: #3d444d } .bar { stroke: #4493f8 }
circle { fill: #4493f8 } }"""


def draw_chart(ratios: list[tuple[str, str, float]]) -> str:
    """Return an SVG with a line for each case.

    Parameters
    ----------
    ratios
        Label, name of the peer, the peer's time divided by fastbleu's.
    """
    decades = math.log10(max(ratio for _, _, ratio in ratios))
    height = TOP + ROW * len(ratios) + 10

    def x(value: float) -> float:
        return round(LEFT + (WIDTH - LEFT - RIGHT) * math.log10(value) / decades, 1)

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}"'
        f' width="{WIDTH}" height="{height}" role="img" aria-labelledby="title">',
        '<title id="title">How many times faster than the original: '
        + escape("; ".join(f"{_plain(label)}, {ratio:,.0f}x" for label, _, ratio in ratios))
        + "</title>",
        f"<style>{STYLE}</style>",
    ]
    parts.append(
        f'<text class="tick" x="{LEFT - 12}" y="{TOP - 14}" text-anchor="end">'
        "times faster, log scale</text>"
    )
    for decade in range(math.floor(decades) + 1):
        at = x(10**decade)
        parts += [
            f'<line class="grid" x1="{at}" y1="{TOP - 8}" x2="{at}" y2="{height - 8}"/>',
            f'<text class="tick" x="{at}" y="{TOP - 14}" text-anchor="middle">'
            f"{10**decade:,}x</text>",
        ]
    for row, (label, peer, ratio) in enumerate(ratios):
        y = TOP + ROW * row + ROW / 2
        parts += [
            f'<text x="{LEFT - 12}" y="{y + 4}" text-anchor="end">{escape(_plain(label))}</text>',
            f'<line class="bar" x1="{x(1)}" y1="{y}" x2="{x(ratio)}" y2="{y}"/>',
            f'<circle cx="{x(ratio)}" cy="{y}" r="4.5">'
            f"<title>against {escape(peer)}</title></circle>",
            f'<text class="value" x="{x(ratio) + 9}" y="{y + 4}">{ratio:,.0f}x</text>',
        ]
    return "\n".join([*parts, "</svg>", ""])


def _plain(label: str) -> str:
    return label.replace("`", "")
