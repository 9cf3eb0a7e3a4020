"""What the command makes of all texts: reports, and why two BLEUs differ or which one it was."""

from __future__ import annotations

import json
import os
import sys
import warnings

from ..inputs.errors import InputWarning
from ..runtime.import_lock import import_undisturbed
from .dialect_text import metric_of
from .files import InputError, as_options
from .readers import joined, present
from .sacrebleu_text import RESET, terminal_width, uses_colors

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .options import Options
    from .readers import Chunks


def write_reports(
    options: Options,
    names: list[str],
    references: int,
    chunks: list[list[list[str]]],
) -> Chunks:
    """Write the requested files, and yield the chunks, without sources and labels, for scoring."""
    columns = [list(column) for column in joined(chunks)]
    if not columns or not columns[0]:
        raise InputError("no segment to score: the files have no lines")
    systems_end = references + len(names)
    labels = dict(zip(options.labels, columns[systems_end:], strict=True))
    texts = list(map(present, zip(*columns[:references], strict=True)))
    systems = dict(zip(_short(names), columns[references:systems_end], strict=True))
    report = import_undisturbed("fastbleu.reporting.report").report
    paths = [path for path in (options.html, options.md) if path is not None]
    path = paths[0]
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", InputWarning)
            metric, seed = metric_of(options), options.random_seed
            shows = {"metric": metric, "seed": seed, "progress": options.progress}
            made = report(systems, texts, **labels, **shows)
            for path in paths:
                made.save(path, "html" if path is options.html else "md")
    except OSError as error:
        reason = error.strerror or error
        raise InputError(f"{path}: the report cannot be written: {reason}") from error
    except (ValueError, ImportError) as error:
        option = "--html" if path is options.html else "--md"
        raise InputError(f"{option}: {error}") from error
    if not options.quiet:
        for path in paths:
            size = f"{len(systems)} system{'s' * (len(systems) > 1)}, {len(texts):,} segments"
            print(f"fastbleu: wrote {path} ({size})", file=sys.stderr)
    if options.open:
        import webbrowser

        webbrowser.open(f"file://{os.path.abspath(str(options.html))}")
    return iter([chunk[:systems_end] for chunk in chunks])


def _short(names: list[str]) -> list[str]:
    """The names of files without folders and suffixes, if these names differ."""
    short = [os.path.basename(name).partition(".txt")[0] for name in names]
    return short if len(set(short)) == len(names) and all(short) else names


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
        else:
            explanation = import_undisturbed("fastbleu.diagnosis.explanation")
            if options.explain:
                answer = explanation.explain(hypotheses, texts, *options.explain)
            else:
                answer = explanation.overview(hypotheses, texts)
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
