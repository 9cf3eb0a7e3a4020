"""--explain and --identify: why two BLEUs differ, and which settings gave a number."""

from __future__ import annotations

import json
from itertools import chain
from typing import Any

from .files import InputError, as_options
from .imports import import_undisturbed
from .options import Options
from .readers import Chunks, present
from .sacrebleu_text import RESET, terminal_width, uses_colors


def diagnose(options: Options, systems: int, references: int, chunks: Chunks) -> str:
    """The requested tables, or with ``-f json`` their contents."""
    option = "--explain" if options.identify is None else "--identify"
    if systems > 1:
        raise InputError(f"{option} is for one system, but there are {systems}")
    columns = list(zip(*map(list, joined(chunks)), strict=True))
    if not columns:
        raise InputError("no segment to score: the files have no lines")
    texts = [present(segment[:references]) for segment in columns]
    hypotheses = [segment[references] for segment in columns]
    try:
        if options.identify is not None:
            identification = import_undisturbed("fastbleu.diagnosis.identification")
            answer = identification.identify(hypotheses, texts, options.identify)
        elif options.explain:
            explanation = import_undisturbed("fastbleu.diagnosis.explanation")
            answer = explanation.explain(hypotheses, texts, *options.explain)
        else:
            dialect_overview = import_undisturbed("fastbleu.diagnosis.dialect_overview")
            answer = dialect_overview.overview(hypotheses, texts)
    except (ValueError, ImportError) as error:
        raise InputError(f"{option}: {error}") from error
    if options.output_format == "json":
        return as_options(f"{json.dumps(answer.to_dict(), indent=1)}\n")
    # Tables fit into the terminal; elsewhere a row is a line, for scripts.
    width = terminal_width()
    text = as_options(answer._text(width))
    return f"{_colored(text) if width is not None and uses_colors(options) else text}\n"


def _colored(text: str) -> str:
    """Tables with their titles, and the settings that give a number, in colors."""
    lines = text.split("\n")
    for number, line in enumerate(lines):
        is_title = number == 0 or lines[number - 1 : number + 2 : 2] == ["", ""]
        color = "36" if is_title else "32" if line.startswith("yes ") else None
        if color and line:
            lines[number] = f"\033[{color}m{line}{RESET}"
    return "\n".join(lines)


def joined(chunks: Chunks | list[list[list[str]]]) -> list[Any]:
    """The columns of all chunks, one after the other."""
    listed = list(chunks)
    return [chain.from_iterable(column) for column in zip(*listed, strict=True)]
