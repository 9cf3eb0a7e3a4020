"""--html and --md: the systems as a page, and as Markdown."""

from __future__ import annotations

import os
import sys
import warnings

from ..inputs.warnings import InputWarning
from .diagnosis import joined
from .dialect_text import metric_of
from .files import InputError
from .imports import import_undisturbed
from .options import Options
from .readers import Chunks, present


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
