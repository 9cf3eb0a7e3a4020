"""The report as Markdown: the overview, the worst and the best segments."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy

from ..plots.tables import Table, literal
from ..significance.results import shown_bounds
from .verdict import Verdicts

if TYPE_CHECKING:
    from .overview import Overview
    from .report_input import Segments

# Longer texts are truncated.
_CHARACTERS = 300


def overview_tables(segments: Segments, overview: Overview) -> list[Table]:
    """Systems, pairs of systems, and likely mistakes."""
    digits = segments.digits
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
    if overview.comparisons:
        names, several = segments.shown_names, len(overview.comparisons) > 1
        pairs = []
        for (first, second), comparison in overview.comparisons.items():
            p_values = comparison._printed_p_values
            p_values[-1] += "*" * comparison.is_significant
            bounds = shown_bounds(comparison.difference_interval, digits)
            difference = f"{comparison.difference:+.{digits}f}"
            wins = "" if comparison.wins is None else f"{100 * comparison.wins:.1f} %"
            pairs.append([f"{names[second]} - {names[first]}", difference, bounds, *p_values, wins])
        caption = f"{comparison._caption()}."
        columns = ["pair", "difference", "95 % interval", "p-value"]
        columns += [*["adjusted p"] * several, "wins"]
        tables.append(Table("Differences", columns, pairs, [caption]))
    if overview.mistakes:
        columns = ["system", "likely mistake", "points gained without it", "what and where"]
        mistakes = [
            [overview.having(it), it.name, it.effect, it.message] for it in overview.mistakes
        ]
        tables.append(Table("Likely mistakes", columns, mistakes))
    return tables


def make_markdown(segments: Segments, overview: Overview, title: str, examples: int) -> str:
    """The overview, and `examples` of the worst and of the best segments."""
    parts = [f"# {literal(title)}"]
    a, b = overview.pair
    parts += [
        literal(f"{having}: {it.message}. {effect}") for it, having, effect in overview.warnings
    ]
    verdicts = Verdicts(segments, overview)
    parts += [literal(text) for text in (verdicts.headline(), verdicts.text(a, b)) if text]
    parts += [table.markdown() for table in overview_tables(segments, overview)]
    scores = segments.scores
    if len(scores) > 1:
        key = scores[b] - scores[a]
        of = f"{segments.shown_names[b]} - {segments.shown_names[a]}"
        ends = f"Largest losses, {of}", f"Largest gains, {of}"
    else:
        key = scores[0]
        ends = "Worst segments", "Best segments"
    order = numpy.argsort(key, kind="stable")
    for heading, chosen in zip(ends, (order[:examples], order[::-1][:examples]), strict=True):
        if examples:
            parts.append(f"## {literal(heading)}")
            parts += [_segment(segments, int(number)) for number in chosen]
    return "\n\n".join(parts) + "\n"


def _segment(segments: Segments, number: int) -> str:
    """One segment as a list of its texts."""
    digits = segments.digits
    labels = segments.labels
    name = f" ({literal(labels.ids[number])})" if labels.ids else ""
    lines = [f"Segment {number}{name}", ""]
    if labels.sources:
        lines.append(_item("source", labels.sources[number]))
    lines += [_item("reference", text) for text in segments.texts(segments.references[number])]
    systems = segments.shown_names, segments.hypotheses, segments.scores
    for name, hypotheses, values in zip(*systems, strict=True):
        [text] = segments.texts(hypotheses[number : number + 1])
        lines.append(_item(f"{name}, {values[number]:.{digits}f}", text))
    return "\n".join(lines)


def _item(name: str, text: str) -> str:
    shown = text if len(text) <= _CHARACTERS else f"{text[:_CHARACTERS]} ..."
    return f"- {literal(name)}: {literal(shown)}"
