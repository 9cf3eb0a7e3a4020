"""The ``fastbleu`` command: texts in, BLEU out.

Nothing is printed before all input has been read, so that a damaged file leaves standard output
empty. A few integers per system are kept, for statistical tests one row per segment; the
lines of ``--sentence-level`` are kept in a spool that moves to a temporary file when it grows.
"""

from __future__ import annotations

import argparse
import itertools
import os
import sys
from collections.abc import Iterable, Sequence
from contextlib import ExitStack, suppress
from errno import EAGAIN
from io import RawIOBase
from tempfile import SpooledTemporaryFile
from typing import Any

from ..counting._batch import Totals
from ..counting.batch import CountOptions
from ..dialects.parameters import Parameters
from ..inputs.warnings import TOKENIZED_PERIODS
from ..runtime.progress import ProgressBar
from ..sacrebleu.score import estimate_from_rows
from ..tokenizers.table import Tokenizer, get_tokenizer
from . import arguments
from .chunks import count_chunks
from .dialects import metric_of, paired_test, parameters_of, score_systems
from .files import STDIN, InputError, printable
from .formats import REFERENCE, SYSTEM, open_input
from .imports import import_undisturbed
from .readers import CHUNK_LINES, ChainReader, Chunks, Reader, in_step, open_lines
from .report import RESET, Reporter, System, system_names, uses_colors
from .segments import SegmentList

_SPOOL_BYTES = 1 << 24  # scores kept in memory before they move to a temporary file
_PROGRESS_DELAY = 1.0  # seconds of work before the progress bar appears


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command on `argv` (default: ``sys.argv[1:]``) and return its exit status.

    0 scored and printed, 1 input that cannot be scored, 17 lines with different numbers of fields,
    130 Ctrl-C, 141 closed pipe; argparse exits after ``--help``, ``--version`` and wrong arguments.
    """
    try:
        options = arguments.parse(argv)
        if sys.stdout is None:
            raise InputError("standard output is closed: there is nowhere to print the result")
        if hasattr(sys.stdout, "reconfigure"):  # as in sacreBLEU; odd file names are escaped
            sys.stdout.reconfigure(encoding="utf-8", errors="backslashreplace")
        try:
            _run(options)
        finally:
            if sys.stdout.isatty() and uses_colors(options):
                _print(RESET)
        return 0
    except KeyboardInterrupt:
        return 130
    except InputError as error:
        status, message = error.status, str(error)
    except OSError as error:
        # What is still buffered is discarded, or the interpreter would fail again when it exits.
        with suppress(OSError, ValueError):  # standard output may not be a file
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if isinstance(error, BrokenPipeError):
            return 141
        status, message = 1, f"cannot write the result: {error.strerror or error}"
    _complain(f"error: {message}")
    return status


def _run(options: argparse.Namespace) -> None:
    """Do what the options ask for."""
    if options.delegated:
        from .testsets import print_about

        return print_about(options)
    tokenizer: Tokenizer | Parameters
    try:
        others = options.dialect != "sacrebleu"
        tokenizer = parameters_of(options) if others else get_tokenizer(options.tokenizer)
    except InputError:
        raise
    except (ImportError, OSError, RuntimeError, ValueError) as error:
        raise InputError(f"-tok {options.tokenizer}: {error}") from error
    if options.by is not None:
        from .table_files import score_groups

        groups, found = score_groups(options, metric_of(options))
        _warn(options, [], found)
        return _print(groups)
    with ExitStack() as opened:
        try:
            readers = _open(options, opened)
            report = _score(options, tokenizer, readers, opened)
        except InputError as error:
            message = str(error)
            if options.input is None and message.startswith("standard input"):
                message += " (without -i the hypotheses are read from standard input)"
            raise InputError(message, error.status) from error
        for text in report:
            _print(text)
    return None


def _open(options: argparse.Namespace, opened: ExitStack) -> list[Reader]:
    """Open the references and then the systems."""
    encoding = options.encoding
    readers: list[Reader] = []
    if options.test_set is not None:
        from .testsets import reference_files

        for files in reference_files(options):
            readers.append(ChainReader([open_lines(name, opened) for name in files]))
    for name in options.references:
        readers.append(open_input(name, opened, REFERENCE, encoding, options.num_refs))
    for name in options.systems:
        readers.append(open_input(name, opened, SYSTEM, encoding))
    if options.input is None:
        readers.append(open_lines(STDIN, opened, encoding, fields=None, universal_newlines=True))
    return readers


def _score(
    options: argparse.Namespace,
    tokenizer: Tokenizer | Parameters,
    readers: list[Reader],
    opened: ExitStack,
) -> Iterable[str]:
    """Read all input, score it, print warnings, and return the text of the result."""
    systems = readers[-1].width if options.input is None else len(options.systems)
    references = sum(reader.width for reader in readers) - systems
    if options.input is None:
        arguments.check_number(options, systems)
    names = system_names(options, systems)
    if options.source is not None:
        readers.append(open_input(options.source, opened, SYSTEM, options.encoding))
    # Threads share a chunk, so it must be larger than the part that each of them takes at a time.
    lines = CHUNK_LINES if options.threads == 1 else 16 * CHUNK_LINES * options.threads
    in_place = isinstance(tokenizer, Tokenizer) and tokenizer.function is None
    in_place = in_place and not options.lists_texts and all(reader.is_utf8 for reader in readers)
    chunks = in_step(readers, lines, in_place)
    numbers: Iterable[int] = itertools.count()
    if options.progress:
        chunks = _with_progress(chunks, readers)
    if options.filtered:
        from .testsets import kept_segments

        kept = kept_segments(options)
        chunks, numbers = _chosen(chunks, kept), sorted(kept)
    if options.reported:
        from .pages import write_reports

        titles = list(options.systems) or names
        chunks = write_reports(options, titles, references, list(chunks), bool(options.source))
    if options.diagnosed:
        from .diagnosis import diagnose

        text = diagnose(options, systems, references, chunks)
        _warn(options, readers)
        return [text]
    if isinstance(tokenizer, Parameters):
        text, found = score_systems(options, tokenizer, names, references, chunks)
        _warn(options, readers, found)
        return [text]
    reporter = Reporter(options, tokenizer, references)
    segments = None
    if options.sentence_level:
        spool = opened.enter_context(SpooledTemporaryFile(_SPOOL_BYTES))  # noqa: SIM115
        segments = SegmentList(options, reporter, names, references, numbers, spool)
    keep = bool(options.confidence or options.test)
    if keep:
        import_undisturbed("fastbleu.significance")
    each = keep or segments is not None
    rules = options.lowercase, options.max_ngram_order, options.threads
    counting = CountOptions(tokenizer, *rules)
    totals: list[Totals] = []
    for chunk, counted in count_chunks(readers, chunks, references, counting, each):
        rows = [its.rows for its in counted]
        sums = [its.stats.sum()._rows for its in counted] if each else rows
        added = [Totals.of(*its, keep) for its in zip(counted, sums, strict=True)]
        totals = list(map(Totals.plus, totals, added)) if totals else added
        if segments is not None:
            segments.add(chunk[:references], chunk[references:], rows)
    if not totals:
        raise InputError("no segment to score: the files have no lines")
    _warn(options, readers)
    if segments is not None:
        return segments.printed()
    for name, total in zip(names, totals, strict=True):
        if total.tokenized_periods >= TOKENIZED_PERIODS and not options.force:
            _complain(
                f"warning: {name}: {total.tokenized_periods} lines end in ' .', as tokenized text "
                "does; scores of such text are not comparable: detokenize it, or add --force"
            )
    try:
        if systems == 1:
            return [_one(options, reporter, totals[0])]
        return [reporter.several(_several(options, reporter, names, totals))]
    except InputError:
        raise
    except ValueError as error:  # a statistical test that cannot be done
        raise InputError(str(error)) from error


def _warn(options: argparse.Namespace, readers: list[Reader], found: Sequence[str] = ()) -> None:
    """Print warnings about the options, the files and what was `found` in them."""
    notes = [note for reader in readers for note in reader.notes()]
    for warning in [*arguments.warnings(options), *notes, *found]:
        _complain(f"warning: {warning}")


def _one(options: argparse.Namespace, reporter: Reporter, total: Totals) -> str:
    """Return the report on one system."""
    score = reporter.score(total.row)
    if options.confidence and options.confidence_n > 1:
        rules = options.smooth_method, options.smooth_value, options.sentence_level
        seed = estimate_from_rows(score, total.rows(), options.confidence_n, *rules)
        reporter.sampled(seed, options.confidence_n)
    return reporter.one(score)


def _several(
    options: argparse.Namespace, reporter: Reporter, names: list[str], totals: list[Totals]
) -> list[System]:
    """Return the systems' scores, after the paired test if there is one."""
    if not options.test:
        pairs = zip(names, totals, strict=True)
        return [System(name, reporter.score(total.row).score) for name, total in pairs]
    results = paired_test(
        options,
        totals,
        smoothing=options.smooth_method,
        smoothing_value=options.smooth_value,
        effective_order=options.sentence_level,
        compatible="sacrebleu",
    )
    first = results[0]
    reporter.sampled(str(first.seed).lower(), options.samples, options.test)
    systems = [_compared(names[0], first.baseline_score, None, first.baseline_interval)]
    for name, found in zip(names[1:], results, strict=True):
        systems.append(_compared(name, found.score, found.p_value, found.interval))
    return systems


def _compared(name: str, score: float, p_value: float | None, interval: Any) -> System:
    if interval is None:
        return System(name, score, p_value)
    return System(name, score, p_value, interval.mean, interval.half_width)


def _chosen(chunks: Chunks, kept: set[int]) -> Chunks:
    """Yield the chunks without the segments that --origlang and --subset leave out."""
    start = 0
    for chunk in chunks:
        end = start + len(chunk[0])
        mask = [number in kept for number in range(start, end)]
        start = end
        if any(mask):
            yield [list(itertools.compress(column, mask)) for column in chunk]


def _with_progress(chunks: Chunks, readers: list[Reader]) -> Chunks:
    """Yield the chunks, with a progress bar if they take long."""
    files = [reader for reader in readers if reader.size is not None]
    size = sum(reader.size or 0 for reader in files) if files else None
    unit = "B" if files else " segments"
    done = 0
    with ProgressBar(True, size, unit, delay=_PROGRESS_DELAY, leave=False) as bar:
        for chunk in chunks:
            yield chunk
            position = sum(reader.position for reader in files) if files else done + len(chunk[0])
            bar.update(position - done)
            done = position


def _complain(message: str) -> None:
    if sys.stderr is not None:
        print(f"fastbleu: {printable(message)}", file=sys.stderr)


def _print(text: str | bytes) -> None:
    if isinstance(text, bytes):
        sys.stdout.buffer.write(text)
        sys.stdout.flush()
        return
    raw = getattr(sys.stdout, "buffer", None)
    if not isinstance(raw, RawIOBase):
        sys.stdout.write(text)
        sys.stdout.flush()
        return
    # Unbuffered (python -u): the text stream would lose data that the raw stream does not accept at
    # once.
    text = text.replace("\n", os.linesep)
    left = memoryview(text.encode(sys.stdout.encoding, sys.stdout.errors or "strict"))
    while left:
        written = raw.write(left)
        if written is None:
            raise BlockingIOError(EAGAIN, os.strerror(EAGAIN))
        left = left[written:]
