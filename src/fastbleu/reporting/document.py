"""The HTML file: the template of page/, filled in, with its style and script inline."""

from __future__ import annotations

import base64
import hashlib
import re
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from ..runtime.extras import install_command
from ..significance.results import shown_bounds
from .contents import make_numbers, make_texts
from .verdict import Verdicts

if TYPE_CHECKING:
    from collections.abc import Callable

    from .overview import Overview
    from .report_input import Segments

_IMPORT = re.compile(r'^import .*? from "\./(\w+)\.js";\n', re.MULTILINE)


def make_document(segments: Segments, overview: Overview, title: str) -> str:
    """The HTML file as text."""
    template = _template()
    style, script, verdicts = read_style(), read_script(), Verdicts(segments, overview)
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
            headline=verdicts.headline(),
            verdict=verdicts.between(*overview.pair),
            references=_references(segments),
            digits=segments.digits,
            scale=segments.metric._scorer.dialect.scale,
            numbers=make_numbers(segments, overview).base64(),
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
    parts: dict[str, str] = {}

    def add(name: str) -> None:
        text = _read(f"{name}.js")
        parts[name] = ""
        for imported in _IMPORT.findall(text):
            if imported not in parts:
                add(imported)
        del parts[name]  # to the end
        parts[name] = _IMPORT.sub("", text).replace("\nexport ", "\n")

    add("main")
    return '"use strict";\n(() => {\n' + "\n".join(parts.values()) + "})();\n"


def content_hash(text: str) -> str:
    """The hash with which a Content-Security-Policy allows an inline text."""
    digest = hashlib.sha256(text.encode()).digest()
    return f"sha256-{base64.b64encode(digest).decode()}"


def _read(name: str) -> str:
    return files(__package__).joinpath("page", name).read_text(encoding="utf-8")
