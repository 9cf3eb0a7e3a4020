"""The ``fastbleu`` command: texts in, BLEU out.

Nothing is printed before all input has been read, so that a damaged file leaves standard output
empty: what is kept are a few integers per system, with statistical tests a row of them for each
segment, and the lines of ``--sentence-level`` wait in a spool that moves to a temporary file when
it grows.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from errno import EAGAIN
from functools import partial
from io import RawIOBase
from itertools import compress
from tempfile import SpooledTemporaryFile
from typing import IO, Any

from ..counting.batch import CountOptions, count_batch
from ..counting.totals import Totals
from ..inputs.warnings import TOKENIZED_PERIODS
from ..sacrebleu.score import estimate_from_rows
from ..tokenizers.table import Tokenizer, get_tokenizer
from . import arguments
from .files import STDIN, InputError, label
from .formats import REFERENCE, SYSTEM, open_input
from .imports import import_undisturbed
from .readers import CHUNK_LINES, ChainReader, ParallelFiles, Reader, open_lines
from .report import Reporter, System, system_names

__all__ = ["main"]

Opener = Callable[[ExitStack], Reader]

_SPOOL_BYTES = 1 << 24  # scores kept in memory before they move to a temporary file
_PROGRESS_DELAY = 1.0  # seconds of work before the progress bar appears


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit status.

    Parameters
    ----------
    argv : sequence of str, optional
        The arguments without the program's name; ``sys.argv[1:]`` by default.

    Returns
    -------
    int
        0 scored and printed, 1 input that cannot be scored, 17 lines with different numbers of
        fields, 130 Ctrl-C, 141 closed pipe. Wrong arguments, ``--help`` and ``--version`` leave by
        argparse's SystemExit.
    """
    try:
        options = arguments.parse(argv)
        _prepare_output()
        if options.delegated:
            from .testsets import print_about

            print_about(options)
            return 0
        with SpooledTemporaryFile(_SPOOL_BYTES) as spool:
            _run(options, spool)
        return 0
    except KeyboardInterrupt:
        return 130
    except InputError as error:
        status, message = error.status, str(error)
    except OSError as error:
        # What is still buffered goes nowhere, or the interpreter fails once more when it exits.
        with suppress(OSError, ValueError):  # standard output may be no file
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if isinstance(error, BrokenPipeError):
            return 141
        status, message = 1, f"cannot write the result: {error.strerror or error}"
    _complain(f"error: {message}")
    return status


def _run(options: argparse.Namespace, spool: IO[bytes]) -> None:
    """Read and score all input, then print."""
    tokenizer = _tokenizer(options.tokenizer)
    with _hint(options), ParallelFiles(_openers(options)) as files:
        systems = files.widths[-1] if options.input is None else len(options.systems)
        references = sum(files.widths) - systems
        arguments.check_number(options, systems)
        reporter = Reporter(options, tokenizer, references)
        keep = bool(options.confidence or options.test)
        if keep:
            import_undisturbed("fastbleu.significance")
        totals = [Totals.zero(options.max_order) for _ in range(systems)]
        counting = CountOptions(tokenizer, options.lowercase, options.max_order, options.threads)
        segments = 0
        for chunk in _chosen(_watched(files, options), options):
            segments += len(chunk[0])
            columns = chunk[:references]
            texts = columns[0] if references == 1 else list(zip(*columns, strict=True))
            for system, hypotheses in enumerate(chunk[references:]):
                counted = count_batch(hypotheses, texts, counting)
                totals[system] = totals[system].plus(Totals.of(counted, counted.stats.sum(), keep))
                if options.sentence_level:
                    spool.write(reporter.sentences(counted.stats._rows).encode())
        notes = [*arguments.warnings(options), *files.notes()]
    if not segments:
        raise InputError("no segment to score: the files have no lines")
    names = system_names(options, systems)
    if not options.force and not options.sentence_level:
        for name, total in zip(names, totals, strict=True):
            notes += _notes(name, total)
    for note in notes:
        _complain(f"warning: {note}")
    if options.sentence_level:
        _print_spool(spool)
        return
    try:
        if systems == 1:
            report = _one(options, reporter, totals[0])
        else:
            report = reporter.several(_several(options, reporter, names, totals))
    except InputError:
        raise
    except ValueError as error:  # a statistical test that cannot be done
        raise InputError(str(error)) from error
    _print(report)


def _notes(name: str, totals: Totals) -> Iterator[str]:
    """What is remarkable about a system's text."""
    if totals.tokenized_periods >= TOKENIZED_PERIODS:
        yield (
            f"{name}: {totals.tokenized_periods} lines end in ' .', as tokenised text does; scores "
            "of such text are not comparable: detokenise it, or say --force"
        )


def _one(options: argparse.Namespace, reporter: Reporter, total: Totals) -> str:
    """Return the report on one system."""
    score = reporter.score(total.row)
    if options.confidence and options.confidence_n > 1:
        rules = options.smoothing, options.smoothing_value, options.effective_order
        rows = total.rows()
        seed = estimate_from_rows(score, rows, options.confidence_n, *rules)
        reporter.sampled(seed, options.confidence_n)
    return reporter.one(score)


def _several(
    options: argparse.Namespace, reporter: Reporter, names: list[str], totals: list[Totals]
) -> list[System]:
    """Return the systems' scores, after the paired test if there is one."""
    if not options.test:
        scores = [reporter.score(total.row).score for total in totals]
        return [System(name, score) for name, score in zip(names, scores, strict=True)]
    from ..significance import paired_approximate_randomization, paired_bootstrap

    baseline, *others = [total.rows() for total in totals]
    rules: dict[str, Any] = {
        "smoothing": options.smoothing,
        "smoothing_value": options.smoothing_value,
        "effective_order": options.effective_order,
        "compatible": "sacrebleu",
        "progress": _shows_progress(options),
    }
    if options.test == "bs":
        results = paired_bootstrap(baseline, others, samples=options.samples, **rules)
    else:
        results = paired_approximate_randomization(
            baseline, others, trials=options.samples, **rules
        )
    reporter.sampled(str(results[0].seed).lower(), options.samples, options.test)
    systems = [_compared(names[0], results[0].baseline_score, None, results[0].baseline_interval)]
    for name, found in zip(names[1:], results, strict=True):
        systems.append(_compared(name, found.score, found.p_value, found.interval))
    return systems


def _compared(name: str, score: float, p_value: float | None, interval: Any) -> System:
    if interval is None:
        return System(name, score, p_value)
    return System(name, score, p_value, interval.mean, interval.half_width)


def _tokenizer(name: str) -> Tokenizer:
    try:
        return get_tokenizer(name)
    except (ImportError, OSError, RuntimeError, ValueError) as error:
        raise InputError(f"-tok {name}: {error}") from error


def _openers(options: argparse.Namespace) -> list[Opener]:
    """Return what opens the references and then the systems."""
    openers: list[Opener] = []
    if options.test_set is not None:
        from .testsets import reference_files

        openers += [partial(_open_all, files) for files in reference_files(options)]
    encoding = options.encoding
    openers += [
        partial(open_input, name, role=REFERENCE, encoding=encoding, fields=options.num_refs)
        for name in options.references
    ]
    if options.input is None:
        systems = partial(open_lines, STDIN, encoding=encoding, fields=None)
        return [*openers, partial(systems, universal_newlines=True)]
    return openers + [
        partial(open_input, name, role=SYSTEM, encoding=encoding) for name in options.systems
    ]


def _open_all(files: Sequence[str], opened: ExitStack) -> Reader:
    return ChainReader([open_lines(name, opened) for name in files])


@contextmanager
def _hint(options: argparse.Namespace) -> Iterator[None]:
    """Tell in errors about standard input why it is read."""
    try:
        yield
    except InputError as error:
        message = str(error)
        if options.input is None and message.startswith(label(STDIN)):
            message += " (without -i the hypotheses come from standard input)"
        raise InputError(message, error.status) from error


def _chosen(
    chunks: Iterator[list[list[str]]], options: argparse.Namespace
) -> Iterator[list[list[str]]]:
    """Yield the chunks without the segments that --origlang and --subset leave out."""
    if not options.filtered:
        yield from chunks
        return
    from .testsets import kept_segments

    kept = kept_segments(options)
    start = 0
    for chunk in chunks:
        end = start + len(chunk[0])
        mask = [number in kept for number in range(start, end)]
        start = end
        if any(mask):
            yield [list(compress(column, mask)) for column in chunk]


def _watched(files: ParallelFiles, options: argparse.Namespace) -> Iterator[list[list[str]]]:
    """Yield the files' chunks, with a progress bar on a terminal when they take long."""
    # Threads take turns at reading a chunk, so that it must be larger than their share.
    lines = CHUNK_LINES if options.threads == 1 else 4 * CHUNK_LINES * options.threads
    if not _shows_progress(options):
        yield from files.chunks(lines)
        return
    from tqdm import tqdm  # type: ignore[import-untyped]

    unit = " segments" if files.size is None else "B"
    style = {"unit": unit, "unit_scale": True, "delay": _PROGRESS_DELAY, "leave": False}
    with tqdm(total=files.size, **style) as bar:
        for chunk in files.chunks(lines):
            yield chunk
            bar.update(len(chunk[0]) if files.size is None else files.position - bar.n)


def _shows_progress(options: argparse.Namespace) -> bool:
    return not options.quiet and sys.stderr is not None and sys.stderr.isatty()


def _prepare_output() -> None:
    """Make standard output UTF-8, as sacreBLEU does; a name that is no text is printed escaped."""
    if sys.stdout is None:
        raise InputError("standard output is closed: there is nowhere to print the result")
    reconfigure = getattr(sys.stdout, "reconfigure", None)
    if reconfigure is not None:
        reconfigure(encoding="utf-8", errors="backslashreplace")


def _complain(message: str) -> None:
    if sys.stderr is not None:
        print(f"fastbleu: {message}", file=sys.stderr)


def _print(text: str) -> None:
    raw = getattr(sys.stdout, "buffer", None)
    if not isinstance(raw, RawIOBase):
        sys.stdout.write(text)
        sys.stdout.flush()
        return
    # Unbuffered (python -u): there the text stream drops what the raw one did not take at once.
    text = text.replace("\n", os.linesep)
    left = memoryview(text.encode(sys.stdout.encoding, sys.stdout.errors or "strict"))
    while left:
        written = raw.write(left)
        if written is None:
            raise BlockingIOError(EAGAIN, os.strerror(EAGAIN))
        left = left[written:]


def _print_spool(spool: IO[bytes]) -> None:
    spool.seek(0)
    while data := spool.readlines(_SPOOL_BYTES >> 4):
        _print(b"".join(data).decode())
