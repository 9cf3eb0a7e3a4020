"""The ``fastbleu`` command: texts in, BLEU out.

Nothing is printed before all input has been read, so that a damaged file leaves standard output
empty. Memory holds a few integers per system, or one row per segment for statistical tests. The
lines of ``--sentence-level`` go to a spool that moves to a temporary file when it grows.
"""

from __future__ import annotations

import itertools
import os
import sys
from collections.abc import Iterable, Sequence
from contextlib import ExitStack, suppress
from errno import EAGAIN
from io import RawIOBase
from operator import add
from warnings import catch_warnings, simplefilter

from ..core.counting._counted import Sums
from ..core.inputs._batch import Batch
from ..core.inputs.errors import InputWarning, spellings
from ..core.inputs.mistakes import warn_of_blank, warn_of_equal, warn_of_words
from ..core.runtime.import_lock import lazy
from .alignment import (
    by_document,
    chosen,
    in_step,
    joined,
    listed,
    no_segments,
    side_by_side,
    with_progress,
    without_blank,
)
from .formats import open_inputs
from .imports import import_undisturbed
from .options import option_warnings, parse_options
from .readers import CHUNK_LINES, InputError, LineReader, Reader, printable
from .sacrebleu_text import RESET, SacrebleuText, system_names

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any
    from warnings import WarningMessage

    from . import groups, results, testsets
    from .alignment import Chunks
    from .parser import Options
else:
    results = lazy("fastbleu.cli.results")
    groups = lazy("fastbleu.cli.groups")
    testsets = lazy("fastbleu.cli.testsets")

# How messages spell the command's options; see `advised` in core/inputs/errors.py.
SPELLINGS = {
    "encoding": "--encoding {}",
    "format": "--read-as {}",
    "missing": "--missing {}",
    "ragged": " by --missing ragged",
    "quoted": "--no-quoted",
    "tokenize": "--dialect sacrebleu -tok {}",
    "effective_order": "",
    "first reference": "name the file of one",
}


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command on `argv` (default: ``sys.argv[1:]``) and return its exit status.

    0: scores were printed; 1: input cannot be scored; 17: lines have different numbers of fields;
    130: Ctrl-C; 141: closed pipe. argparse exits after ``--help``, ``--version``, wrong arguments.
    """
    token = spellings.set(SPELLINGS)
    try:
        _run(argv)
        return 0
    except KeyboardInterrupt:
        return 130
    except InputError as error:
        status, message = error.status, str(error)
    except MemoryError:
        fix = "score fewer segments or systems at once, or use fewer --threads"
        status, message = 1, f"there is not enough memory: {fix}"
    except OSError as error:
        # Discard buffered output, or the interpreter would fail again at exit.
        with suppress(OSError, ValueError):  # standard output may not be a file
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if isinstance(error, BrokenPipeError):
            return 141
        status, message = 1, f"cannot write the result: {error.strerror or error}"
    finally:
        spellings.reset(token)
    _complain(f"error: {message}")
    return status


def _run(argv: Sequence[str] | None) -> None:
    """Do what the options ask for, and print it."""
    options = parse_options(argv)
    if sys.stdout is None:
        raise InputError("standard output is closed: there is nowhere to print the result")
    if hasattr(sys.stdout, "reconfigure"):  # as in sacreBLEU; odd file names are escaped
        sys.stdout.reconfigure(encoding="utf-8", errors="backslashreplace")
    try:
        if options.delegated:
            testsets.print_about(options)
        elif options.by is not None:
            scores, caught = groups.score_groups(options, results.metric_of(options))
            _warn(options, [], caught)
            _print(scores)
        else:
            if options.reports:
                results.check_reports(options)
            with ExitStack() as opened:
                for text in _score(options, opened):
                    _print(text)
    finally:
        if sys.stdout.isatty() and options.uses_colors:
            _print(RESET)


def _score(options: Options, opened: ExitStack) -> Iterable[str]:
    """Read all input, score it, print warnings, and return the text of the result."""
    test_set = testsets.reference_files(options) if options.test_set is not None else ()
    kept = testsets.kept_segments(options) if options.filtered else range(sys.maxsize)
    readers, references, systems = open_inputs(options, opened, test_set)
    try:
        options.check_systems(systems)
    except InputError:
        for reader in readers:
            if isinstance(reader, LineReader):
                reader.check_fields()
        raise
    names = system_names(options, systems)
    printer: SacrebleuText | results.DialectText
    if options.prints_as_sacrebleu:
        printer = SacrebleuText(options, references)
    else:
        printer = results.DialectText(options)
    # Threads share a chunk, so it must be larger than the part that each of them takes at a time.
    lines = CHUNK_LINES if options.threads == 1 else 16 * CHUNK_LINES * options.threads
    # Whether all segments must be known before any is scored.
    at_once = options.reports or options.diagnosed or options.documents is not None
    at_once = at_once or not printer.adds_batches
    is_ragged = options.missing == "ragged"
    is_chosen = options.filtered or options.missing == "skip"
    needs_text = at_once or (options.table and not options.score_only) or is_ragged or is_chosen
    reads_utf8 = all(getattr(m.counter, "reads_utf8", False) for m in printer.metrics)
    chunks = in_step(readers, lines, reads_utf8 and not needs_text)
    numbers: Iterable[int] = itertools.count()
    if options.progress:
        chunks = with_progress(chunks, readers)
    if is_chosen:
        numbers = kept_numbers = list[int]()
        chunks = chosen(chunks, kept, readers, kept_numbers)
    if is_ragged:
        chunks = without_blank(chunks, references)
    if at_once:
        columns = joined(chunks)
        if options.documents is not None and not options.reports:
            columns = by_document(columns)
        if options.reports:
            columns = results.write_reports(options, names, references, columns)
        chunks = iter([columns])
    segments = None
    if options.sentence_level:
        segments = results.SegmentList(options, printer, names, references, numbers, opened)
    with catch_warnings(record=True) as caught:
        simplefilter("always", InputWarning)
        try:
            if options.diagnosed:
                texts: Iterable[str] = [results.diagnose(options, references, next(chunks))]
            else:
                totals = _count(options, printer, readers, chunks, references, segments)
                texts = segments.printed() if segments else [printer.result(names, totals)]
                for total in itertools.chain(*totals):
                    if isinstance(total, Sums):
                        warn_of_blank(total.signs.blank_references)
                        warn_of_equal(total.row, total.segments)
        except InputError:
            raise
        except (ValueError, ImportError) as error:
            raise InputError(f"{options.where}{error}") from error
    _warn(options, readers, caught)
    return texts


def _count(
    options: Options,
    printer: SacrebleuText | results.DialectText,
    readers: list[Reader],
    chunks: Chunks,
    references: int,
    segments: results.SegmentList | None,
) -> list[list[Any]]:
    """Count all chunks and return the totals of each metric, for each system."""
    keep = bool(options.confidence or options.test)
    if keep:
        import_undisturbed("fastbleu.significance")
    keep_rows = keep or printer.keep_rows or segments is not None
    metrics: Sequence[Any] = printer.metrics
    before = 0
    totals: list[list[Any]] = []
    # With several threads the next chunk is read while this one is counted. Its errors are raised
    # when its turn comes, so that messages do not depend on the number of threads.
    ahead: list[Any] = []  # the next chunk, None at the end, or the error in reading it

    def read_ahead() -> None:
        if not ahead:
            try:
                ahead.append(next(chunks, None))
            except InputError as error:
                ahead.append(error)

    while True:
        read_ahead()
        chunk = ahead.pop()
        if chunk is None:
            break
        if isinstance(chunk, InputError):
            raise chunk
        ragged = options.missing == "ragged" or any(reader.ragged for reader in readers)
        columns, texts = chunk[references:], side_by_side(chunk[:references], ragged)
        if not before:
            warn_of_words(columns[0], texts, True)
        batches = [Batch(column, texts, before, warns=True) for column in columns]
        try:
            counted: list[list[Any]] = [
                [m.counter.count(b, keep_rows=keep_rows, meanwhile=read_ahead) for b in batches]
                for m in metrics
            ]
        except ValueError:
            listed(readers, chunk)  # names the line that is not UTF-8
            raise
        before += len(chunk[0])
        if ragged and options.prints_as_sacrebleu:
            for metric in metrics:
                metric.info.update("nrefs", "var")
        if options.missing == "empty":  # blank references were requested
            for part in itertools.chain(*counted):
                part.signs.blank_references = 0
        if segments is not None:
            segments.add(chunk[:references], columns, counted[0])
        pairs = zip(metrics, counted, strict=True)
        added = [[metric.sums(part, keep) for part in parts] for metric, parts in pairs]
        both = zip(totals, added, strict=True)
        totals = [list(map(add, *of_metric)) for of_metric in both] if totals else added
    if not totals:
        raise no_segments()
    return totals


def _warn(options: Options, readers: list[Reader], caught: list[WarningMessage]) -> None:
    """Print warnings about the options and the files, then those `caught` about their contents."""
    notes = [note for reader in readers for note in reader.notes()]
    warnings = [] if options.force else [str(warning.message) for warning in caught]
    for warning in dict.fromkeys([*option_warnings(options), *notes, *warnings]):
        _complain(f"warning: {warning}")


def _complain(message: str) -> None:
    if sys.stderr is not None:
        print(f"fastbleu: {printable(message)}", file=sys.stderr)


def _print(text: str | bytes) -> None:
    if isinstance(text, str):
        if not isinstance(getattr(sys.stdout, "buffer", None), RawIOBase):
            sys.stdout.write(text)
            sys.stdout.flush()
            return
        text = text.replace("\n", os.linesep)
        text = text.encode(sys.stdout.encoding, sys.stdout.errors or "strict")
    # Unbuffered (python -u): a text stream would lose what the raw stream does not accept at once.
    left = memoryview(text)
    while left:
        written = sys.stdout.buffer.write(left)
        if written is None:
            raise BlockingIOError(EAGAIN, os.strerror(EAGAIN))
        left = left[written:]
    sys.stdout.flush()
