"""The report as Markdown: the overview, the worst and the best segments."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy

from ..plots.tables import Table, literal
from ..significance.results import shown_bounds
from .buckets import digits_on
from .contents import segment_scores

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .overview import Overview
    from .report_input import Segments

# Longer texts are cut.
_CHARACTERS = 300


def overview_tables(segments: Segments, overview: Overview) -> list[Table]:
    """Systems, pairs of systems, and likely mistakes."""
    digits = digits_on(segments.metric._scorer.dialect.scale)
    orders = [f"{order}-grams" for order in range(1, segments.metric.max_ngram_order + 1)]
    rows = []
    for system in overview.systems:
        score = system.score
        precisions = [f"{100 * precision:.1f} %" for precision in score.precisions]
        value = score.printed or f"{score.value:.{digits}f}"
        lengths = f"{score.bp:.3f}", f"{system.length_ratio:.3f}"
        rows.append(
            [system.name, value, shown_bounds(system.interval, digits), *precisions, *lengths]
        )
    columns = ["system", "score", "95 % interval", *orders, "BP", "length ratio"]
    signature = overview.systems[0].score.signature
    tables = [Table("Systems", columns, rows, [signature, *overview.notes])]
    if overview.pairs:
        names = segments.names
        pairs = [
            [
                f"{names[pair.second]} - {names[pair.first]}",
                f"{pair.comparison.difference:+.{digits}f}",
                shown_bounds(pair.comparison.difference_interval, digits),
                *pair.comparison._printed_p_values,
            ]
            for pair in overview.pairs
        ]
        for row, pair in zip(pairs, overview.pairs, strict=True):
            row[-1] += "*" * pair.comparison.is_significant
        caption = f"{overview.pairs[0].comparison._caption()}."
        columns = ["pair", "difference", "95 % interval", "p-value"]
        columns += ["adjusted p"] * (len(overview.pairs) > 1)
        tables.append(Table("Differences", columns, pairs, [caption]))
    if overview.mistakes:
        columns = ["system", "likely mistake", "points without it", "what and where"]
        tables.append(Table("Likely mistakes", columns, [*map(list, overview.mistakes)]))
    return tables


def make_markdown(segments: Segments, overview: Overview, title: str, examples: int) -> str:
    """The overview, and `examples` segments at both ends."""
    parts = [f"# {literal(title)}"]
    parts += [literal(of_b[0]) for of_b in overview.verdicts[1:] or overview.verdicts]
    parts += [table.markdown() for table in overview_tables(segments, overview)]
    scores = [segment_scores(segments, number) for number in range(len(segments.names))]
    if len(scores) > 1:
        key = scores[1] - scores[0]
        of = f"{segments.names[1]} - {segments.names[0]}"
        ends = f"Largest losses, {of}", f"Largest gains, {of}"
    else:
        key = scores[0]
        ends = "Worst segments", "Best segments"
    order = numpy.argsort(key, kind="stable")
    for heading, chosen in zip(ends, (order[:examples], order[::-1][:examples]), strict=True):
        if examples:
            parts.append(f"## {literal(heading)}")
            parts += [_segment(segments, scores, int(number)) for number in chosen]
    return "\n\n".join(parts) + "\n"


def _segment(segments: Segments, scores: list[NDArray[numpy.float64]], number: int) -> str:
    """One segment as a list of its texts."""
    digits = digits_on(segments.metric._scorer.dialect.scale)
    labels = segments.labels
    name = f" ({literal(labels.ids[number])})" if labels.ids else ""
    lines = [f"Segment {number}{name}", ""]
    if labels.sources:
        lines.append(_item("source", labels.sources[number]))
    lines += [_item("reference", text) for text in segments.texts(segments.references[number])]
    for name, hypotheses, values in zip(segments.names, segments.hypotheses, scores, strict=True):
        [text] = segments.texts(hypotheses[number : number + 1])
        lines.append(_item(f"{name}, {values[number]:.{digits}f}", text))
    return "\n".join(lines)


def _item(name: str, text: str) -> str:
    shown = text if len(text) <= _CHARACTERS else f"{text[:_CHARACTERS]} ..."
    return f"- {literal(name)}: {literal(shown)}"
