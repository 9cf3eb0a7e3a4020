"""The HTML file: the template of page/, filled in, with its style and its script inline."""

from __future__ import annotations

import base64
import hashlib
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from ..runtime.extras import install_command
from ..significance.results import shown_bounds
from .buckets import digits_on
from .contents import make_numbers, make_texts

if TYPE_CHECKING:
    from collections.abc import Callable

    from .overview import Overview
    from .report_input import Segments

# Concatenated in this order they are one script.
_SCRIPTS = (
    *("data", "text", "charts", "waterfall", "where", "ngrams"),
    *("filters", "table", "diff", "segment", "state", "export", "main"),
)


def make_document(segments: Segments, overview: Overview, title: str, dialects: bool) -> str:
    """The HTML file as text."""
    template = _template()
    scale = segments.metric._scorer.dialect.scale
    style, script = read_style(), read_script()
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
            verdict=(overview.verdicts[1:] or overview.verdicts)[0][0],
            references=_references(segments),
            digits=digits_on(scale),
            scale=scale,
            numbers=make_numbers(segments, overview, dialects).base64(),
            texts=make_texts(segments).base64(),
        )
    )


def _place_in(overview: Overview) -> Callable[[float], str]:
    """Where a score is in pictures of all systems' intervals: 3 to 97."""
    intervals = [system.interval for system in overview.systems if system.interval]
    low = min([interval.low for interval in intervals], default=0)
    width = max([interval.high for interval in intervals], default=0) - low
    return lambda score: f"{3 + 94 * (score - low) / (width or 1):.1f}"


def _references(segments: Segments) -> str:
    """How many references a segment has."""
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
    """The script: the concatenated files of page/, in one function scope."""
    parts = [_read(f"{name}.js") for name in _SCRIPTS]
    return '"use strict";\n(() => {\n' + "\n".join(parts) + "})();\n"


def content_hash(text: str) -> str:
    """The hash by which a Content-Security-Policy allows an inline text."""
    digest = hashlib.sha256(text.encode()).digest()
    return f"sha256-{base64.b64encode(digest).decode()}"


def _read(name: str) -> str:
    return files(__package__).joinpath("page", name).read_text(encoding="utf-8")
