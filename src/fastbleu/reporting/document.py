"""The report as an HTML file and as Markdown.

The HTML file is the template of page/, filled in, with its style and script inline.
"""

from __future__ import annotations

import base64
import hashlib
import re
from functools import cache
from graphlib import TopologicalSorter
from importlib.resources import files
from typing import TYPE_CHECKING, Any

import numpy

from ..core.runtime.extras import install_command
from ..core.scoring.score import shown_penalty
from ..plots.text import Table, literal
from ..significance.results import notes_of, shown_bounds
from .contents import make_numbers, make_texts
from .verdict import Verdicts

if TYPE_CHECKING:
    from collections.abc import Callable

    from .overview import Overview
    from .report_input import Segments

# Longer texts are truncated in Markdown.
_CHARACTERS = 300
_IMPORT = re.compile(r'^import .*? from "\./(\w+\.js)";\n', re.MULTILINE)


def make_document(overview: Overview, title: str) -> str:
    """The HTML file as text."""
    template, segments = _template(), overview.segments
    style, script, verdicts = read_style(), read_script(), Verdicts(overview)
    return str(
        template.render(
            title=title,
            style=style,
            script=script,
            style_hash=content_hash(style),
            script_hash=content_hash(script),
            segments=segments,
            overview=overview,
            place=_place_in(overview),
            shown_bounds=shown_bounds,
            shown_penalty=shown_penalty,
            notes_of=notes_of,
            headline=verdicts.headline(),
            verdict=verdicts.between(*overview.pair),
            references=_references(segments),
            digits=segments.digits,
            scale=segments.scorer.scale,
            numbers=make_numbers(overview).base64(),
            texts=make_texts(segments).base64(),
        )
    )


def _place_in(overview: Overview) -> Callable[[float], str]:
    """The position of a score, 3 to 97, in charts of all systems' intervals."""
    intervals = [system.interval for system in overview.systems if system.interval]
    low = min([interval.low for interval in intervals], default=0)
    width = max([interval.high for interval in intervals], default=0) - low
    return lambda score: f"{3 + 94 * (score - low) / (width or 1):.1f}"


def _references(segments: Segments) -> str:
    """How many references the segments have, as text."""
    counts = {len(texts) for texts in segments.references}
    if len(counts) > 1:
        return f"{min(counts)} to {max(counts)} references each"
    return "1 reference each" if counts == {1} else f"{counts.pop()} references each"


@cache
def _template() -> Any:
    try:
        from jinja2 import Environment, StrictUndefined
    except ImportError as error:
        raise ImportError(
            f"a report in HTML needs jinja2; install the extra: {install_command('report')}"
        ) from error
    environment = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    return environment.from_string(_read("page.html"))


@cache
def read_style() -> str:
    """The style sheet."""
    return _read("style.css")


@cache
def read_script() -> str:
    """The script: the modules of page/ in one function scope, each after those that it imports."""
    names = sorted(path.name for path in files(__package__).joinpath("page").iterdir())
    texts = {name: _read(name) for name in names if name.endswith(".js")}
    imports = {name: _IMPORT.findall(text) for name, text in texts.items()}
    ordered = [texts[name] for name in TopologicalSorter(imports).static_order()]
    parts = [_IMPORT.sub("", text).replace("\nexport ", "\n") for text in ordered]
    return '"use strict";\n(() => {\n' + "\n".join(parts) + "})();\n"


def content_hash(text: str) -> str:
    """The hash with which a Content-Security-Policy allows an inline text."""
    digest = hashlib.sha256(text.encode()).digest()
    return f"sha256-{base64.b64encode(digest).decode()}"


def _read(name: str) -> str:
    return files(__package__).joinpath("page", name).read_text(encoding="utf-8")


def overview_tables(overview: Overview) -> list[Table]:
    """Systems, pairs of systems, and likely mistakes."""
    digits, systems = overview.segments.digits, overview.systems
    orders = [f"{order}-grams" for order in range(1, len(systems[0].score.precisions) + 1)]
    rows = []
    for system in systems:
        score = system.score
        precisions = [f"{100 * precision:.1f} %" for precision in score.precisions]
        value = score.printed or f"{score.value:.{digits}f}"
        lengths = shown_penalty(score.bp), f"{system.length_ratio:.3f}"
        rows.append(
            [system.name, value, shown_bounds(system.interval, digits), *precisions, *lengths]
        )
    columns = ["system", "score", "95 % interval", *orders, "BP", "length ratio"]
    notes = [systems[0].score.signature, *overview.notes]
    tables = [Table("Systems", columns, rows, notes)]
    if overview.comparisons:
        named = overview.named_comparisons
        pairs = [[pair, *comparison._cells(digits)] for pair, comparison in named.items()]
        columns = ["pair", "difference", "95 % interval", "p-value"]
        columns += [*["adjusted p"] * (len(named) > 1), "wins"]
        notes = [f"{note}." for note in notes_of(named)]
        tables.append(Table("Differences", columns, pairs, notes))
    if overview.mistakes:
        columns = ["system", "likely mistake", "points gained without it", "what and where"]
        mistakes = [
            [overview.having(it), it.name, it.effect, it.message] for it in overview.mistakes
        ]
        tables.append(Table("Likely mistakes", columns, mistakes))
    return tables


def verdict_of(overview: Overview) -> list[str]:
    """Serious mistakes, the best of several systems, and the sentence on A and B."""
    serious = [f"{having}: {it.sentence} {effect}" for it, having, effect in overview.warnings]
    verdicts = Verdicts(overview)
    return [*serious, *filter(None, [verdicts.headline(), verdicts.text(*overview.pair)])]


def make_markdown(overview: Overview, title: str, examples: int) -> str:
    """The overview, and `examples` of the worst and of the best segments."""
    segments, (a, b) = overview.segments, overview.pair
    parts = [f"# {literal(title)}", *map(literal, verdict_of(overview))]
    parts += [table.markdown() for table in overview_tables(overview)]
    scores = segments.scores
    if len(scores) > 1:
        key = scores[b] - scores[a]
        lead = overview.systems[b].score.value - overview.systems[a].score.value
        of = f"{segments.shown_names[b]} - {segments.shown_names[a]}"
        ends = f"Largest losses, {of}", f"Largest gains, {of}"
    else:
        key, lead = scores[0], 1.0
        ends = "Worst segments", "Best segments"
    if examples and (explained := Verdicts(overview).explained(a, b)):
        parts.append(literal(explained))
    if (shares := overview.shares(a, b)) is not None:
        key = numpy.where(numpy.isnan(key), key, shares * lead)
    order = numpy.argsort(key, kind="stable")[: numpy.count_nonzero(~numpy.isnan(key))]
    for heading, chosen in zip(ends, (order[:examples], order[::-1][:examples]), strict=True):
        if examples:
            parts.append(f"## {literal(heading)}")
            parts += [_segment(segments, int(number)) for number in chosen]
    return "\n\n".join(parts) + "\n"


def _segment(segments: Segments, number: int) -> str:
    """One segment as a list of its texts."""
    digits = segments.digits
    name = f" ({literal(segments.ids[number])})" if segments.ids else ""
    lines = [f"Segment {number}{name}", ""]
    if segments.sources:
        lines.append(_item("source", segments.decoded(segments.sources[number])))
    lines += [_item("reference", text) for text in segments.texts(segments.references[number])]
    systems = segments.shown_names, segments.hypotheses, segments.scores
    for name, hypotheses, values in zip(*systems, strict=True):
        [text] = segments.texts(hypotheses[number : number + 1])
        lines.append(_item(f"{name}, {values[number]:.{digits}f}", text))
    return "\n".join(lines)


def _item(name: str, text: str) -> str:
    shown = text if len(text) <= _CHARACTERS else f"{text[:_CHARACTERS]} ..."
    return f"- {literal(name)}: {literal(shown)}"
