"""The ``fastbleu`` command: texts in, BLEU out.

Nothing is printed before all input has been read, so that a damaged file leaves standard output
empty. Memory holds a few integers per system, or one row per segment for statistical tests. The
lines of ``--sentence-level`` go to a spool that moves to a temporary file when it grows.
"""

from __future__ import annotations

import itertools
import os
import sys
from collections.abc import Container, Iterable, Sequence
from contextlib import ExitStack, suppress
from errno import EAGAIN
from io import RawIOBase
from operator import add
from warnings import catch_warnings, simplefilter

from ..core.inputs._batch import Batch
from ..core.inputs._utf8_rows import Utf8Rows
from ..core.inputs.errors import InputWarning, spellings
from ..core.inputs.missing import is_blank
from ..core.inputs.mistakes import warn_of_blank, warn_of_equal, warn_of_words
from ..core.runtime.import_lock import import_undisturbed, lazy
from ..core.runtime.terminal import ProgressBar
from .formats import align_images, open_input
from .matched import KeyedReader, align_segments
from .options import check_systems, option_warnings, parse_options
from .readers import (
    CHUNK_LINES,
    LABEL,
    REFERENCE,
    STDIN,
    SYSTEM,
    ByteSource,
    ChainReader,
    FieldsReader,
    InputError,
    LineReader,
    Reader,
    TextLines,
    in_step,
    joined,
    listed,
    no_segments,
    present,
    printable,
)
from .sacrebleu_text import RESET, SacrebleuText, system_names

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from . import groups, results, testsets
    from .readers import Chunks
    from .settings import Options
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
_PROGRESS_DELAY = 1.0  # seconds of work before the progress bar appears


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command on `argv` (default: ``sys.argv[1:]``) and return its exit status.

    0: scores were printed; 1: input cannot be scored; 17: lines have different numbers of fields;
    130: Ctrl-C; 141: closed pipe. argparse exits after ``--help``, ``--version``, wrong arguments.
    """
    token = spellings.set(SPELLINGS)
    try:
        options = parse_options(argv)
        if sys.stdout is None:
            raise InputError("standard output is closed: there is nowhere to print the result")
        if hasattr(sys.stdout, "reconfigure"):  # as in sacreBLEU; odd file names are escaped
            sys.stdout.reconfigure(encoding="utf-8", errors="backslashreplace")
        try:
            _run(options)
        finally:
            if sys.stdout.isatty() and options.uses_colors:
                _print(RESET)
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


def _run(options: Options) -> None:
    if options.delegated:
        return testsets.print_about(options)
    if options.by is not None:
        scores, warnings = groups.score_groups(options, results.metric_of(options))
        _warn(options, [], warnings)
        return _print(scores)
    if options.reported:
        results.check_reports(options)
    with ExitStack() as opened:
        for text in _score(options, opened):
            _print(text)
    return None


def _open(options: Options, opened: ExitStack) -> tuple[list[Reader], int, int]:
    """Open all files; return the readers, and the numbers of reference and system columns."""
    references: list[Reader] = []
    if options.test_set is not None:
        for names in testsets.reference_files(options):
            parts = [LineReader(TextLines(ByteSource(name, opened))) for name in names]
            references.append(ChainReader(parts) if parts[1:] else parts[0])
    references += [open_input(name, REFERENCE, options, opened) for name in options.references]
    systems = [open_input(name, SYSTEM, options, opened) for name in options.systems]
    if options.input is None:
        source = ByteSource(STDIN, opened)
        source.label += " (hypotheses, as there is no -i)"
        lines = TextLines(source, options.encoding, universal_newlines=True)
        systems.append(KeyedReader(lines) if options.keyed else FieldsReader(lines))
    readers = references + systems
    of_tables = {options.missing, options.quoted, options.delimiter} - {None, "ragged"}
    if of_tables and not any(reader.missing for reader in readers):
        problem = "--missing, --quoted and --delimiter are for tables, but no file is read as one"
        raise InputError(problem)
    if options.read_as and "::" not in "".join([*options.references, *options.systems]):
        raise InputError("--read-as is for files with ::SELECTOR after the name")
    if "image" in [reader.unit for reader in readers]:
        align_images(references, systems)
    columns_of_systems = sum([reader.width for reader in systems])
    try:
        check_systems(options, columns_of_systems)
    except InputError:
        for reader in readers:
            if isinstance(reader, FieldsReader):
                reader.check_fields()
        raise
    strips = options.prints_as_sacrebleu and not (options.reported or options.diagnosed)
    for reader in readers:
        reader.keeps_ends = not strips
    for label in options.labels:
        readers.append(open_input(getattr(options, label), LABEL, options, opened))
    if options.keyed and (others := [r for r in readers if not isinstance(r, KeyedReader)]):
        fix = "for tables name the column of keys, as in --keyed-by id"
        raise InputError(f"--keyed is for files of lines, but {others[0].label} is none: {fix}")
    if "segment" in [reader.unit for reader in readers]:
        align_segments(readers)
    return readers, sum([reader.width for reader in references]), columns_of_systems


def _score(options: Options, opened: ExitStack) -> Iterable[str]:
    """Read all input, score it, print warnings, and return the text of the result."""
    readers, references, systems = _open(options, opened)
    names = system_names(options, systems)
    printer: SacrebleuText | results.DialectText
    if options.prints_as_sacrebleu:
        printer = SacrebleuText(options, references)
    else:
        printer = results.DialectText(options)
    # Threads share a chunk, so it must be larger than the part that each of them takes at a time.
    lines = CHUNK_LINES if options.threads == 1 else 16 * CHUNK_LINES * options.threads
    is_ragged = options.missing == "ragged"
    is_chosen = options.filtered or options.missing == "skip"
    needs_text = options.lists_texts or is_ragged or is_chosen or not printer.adds_batches
    needs_text |= options.joined
    chunks = in_step(readers, lines, printer.counter.reads_utf8 and not needs_text)
    numbers: Iterable[int] = itertools.count()
    if options.progress:
        chunks = _with_progress(chunks, readers)
    if is_chosen:
        kept = testsets.kept_segments(options) if options.filtered else range(sys.maxsize)
        numbers = chosen = list[int]()
        chunks = _chosen(chunks, kept, readers, chosen)
    if is_ragged:
        chunks = _without_blank(chunks, references)
    if options.joined:
        chunks = _by_document(chunks)
    if options.reported:
        chunks = results.write_reports(options, names, references, list(chunks))
    segments = None
    if options.sentence_level:
        segments = results.SegmentList(options, printer, names, references, numbers, opened)
    with catch_warnings(record=True) as caught:
        simplefilter("always", InputWarning)
        try:
            if options.diagnosed:
                texts: Iterable[str] = [results.diagnose(options, systems, references, chunks)]
            else:
                totals = _count(options, printer, readers, chunks, references, segments)
                texts = segments.printed() if segments else [printer.result(names, totals)]
                for total in _parts_of_bleu(totals):
                    warn_of_blank(total.blank_references)
                    warn_of_equal(total.row, total.segments)
        except InputError:
            raise
        except (ValueError, ImportError) as error:
            raise InputError(f"{printer.place}{error}") from error
    _warn(options, readers, [] if options.force else [str(w.message) for w in caught])
    return texts


def _count(
    options: Options,
    printer: SacrebleuText | results.DialectText,
    readers: list[Reader],
    chunks: Chunks,
    references: int,
    segments: results.SegmentList | None,
) -> list[Any]:
    """Count all chunks and return the totals of each system."""
    keep = bool(options.confidence or options.test)
    if keep:
        import_undisturbed("fastbleu.significance")
    if not printer.adds_batches:  # one chunk
        chunks = iter([joined(chunks)])
    keep_rows = keep or printer.keep_rows or segments is not None
    before = 0
    totals: list[Any] = []
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
        columns, texts = chunk[references:], _side_by_side(chunk[:references], ragged)
        if not before:
            warn_of_words(columns[0], texts, True)
        try:
            counted: list[Any] = [
                printer.counter.count(
                    Batch(column, texts, before, warns=True),
                    keep_rows=keep_rows,
                    meanwhile=read_ahead,
                )
                for column in columns
            ]
        except ValueError:
            listed(readers, chunk)  # names the line that is not UTF-8
            raise
        before += len(chunk[0])
        if ragged and isinstance(printer, SacrebleuText):
            printer.name_references(-1)
        if options.missing == "empty":  # blank references were requested
            for of_system in _parts_of_bleu(counted):
                of_system.blank_references = 0
        if segments is not None:
            segments.add(chunk[:references], columns, counted)
        added = [printer.sums(of_system, keep) for of_system in counted]
        totals = list(map(add, totals, added)) if totals else added
    if not totals:
        raise no_segments()
    return totals


def _parts_of_bleu(systems: Iterable[Any]) -> list[Any]:
    """What was counted of each system for BLEU."""
    parts = [part for system in systems for part in getattr(system, "parts", [system])]
    return [part for part in parts if hasattr(part, "blank_references")]


def _side_by_side(columns: list[Any], ragged: bool) -> Any:
    """Return the references of each segment; with `ragged`, cells may be lists or None."""
    is_utf8 = type(columns[0]) is Utf8Rows
    if len(columns) == 1 and (is_utf8 or not ragged):
        return columns[0]
    if is_utf8:
        return Utf8Rows.side_by_side(columns)
    return list(map(present if ragged else tuple, zip(*columns, strict=True)))


def _warn(options: Options, readers: list[Reader], warnings: Sequence[str] = ()) -> None:
    """Print warnings about the options and the files, then `warnings` about their contents."""
    notes = [note for reader in readers for note in reader.notes()]
    for warning in dict.fromkeys([*option_warnings(options), *notes, *warnings]):
        _complain(f"warning: {warning}")


def _chosen(
    chunks: Chunks, kept: Container[int], readers: Sequence[Reader], numbers: list[int]
) -> Chunks:
    """Yield the segments kept by --origlang, --subset and --missing; append their `numbers`."""
    count = itertools.count()
    for chunk in chunks:
        rows = zip(*chunk, count, strict=False)
        if left := [row for row in rows if row[-1] in kept and None not in row]:
            *columns, added = map(list, zip(*left, strict=True))
            numbers += added
            yield columns
    if not numbers and (notes := [note for r in readers if r.left_out for note in r.notes()]):
        raise InputError(f"no segment to score: {'; '.join(notes)}")


def _without_blank(chunks: Chunks, references: int) -> Chunks:
    """Yield the chunks without blank references: cells become None, lists become shorter."""
    for chunk in chunks:
        for column in chunk[:references]:
            for number, cell in enumerate(column):
                if type(cell) is list:
                    column[number] = [text for text in cell if not is_blank(text)]
                elif is_blank(cell):
                    column[number] = None
        yield chunk


def _by_document(chunks: Chunks) -> Chunks:
    """Yield one chunk, with the texts of each document joined; the last column names documents."""
    *columns, names = joined(chunks)
    if not all(isinstance(text, str) for column in columns for text in column):
        raise InputError("--documents joins texts: all segments need the same number of references")
    documents: dict[str, list[int]] = {}
    for number, name in enumerate(names):
        documents.setdefault(name, []).append(number)
    yield [[" ".join([column[n] for n in own]) for own in documents.values()] for column in columns]


def _with_progress(chunks: Chunks, readers: list[Reader]) -> Chunks:
    """Yield the chunks, with a progress bar for one file if they take long; all advance alike."""
    sources = [reader.source for reader in readers if reader.source and reader.source.size]
    source = sources[0] if sources else None
    size, unit = (source.size, "B") if source else (readers[0].segments_in_all, " segments")
    done = 0
    with ProgressBar(True, size, unit, delay=_PROGRESS_DELAY, leave=False) as bar:
        for chunk in chunks:
            yield chunk
            position = source.position if source else done + len(chunk[0])
            bar.update(position - done)
            done = position


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
