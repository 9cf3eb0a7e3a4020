"""The ``fastbleu`` command: text files in, BLEU out. All printing of the package happens here.

Nothing is printed before all input has been read, so that a damaged file leaves standard output
empty: sums are a few integers per system, and the scores of ``--sentence-level`` wait in a spool
that moves to a temporary file when it grows.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import chain
from tempfile import SpooledTemporaryFile
from typing import IO, Any, TypeVar

from . import __version__
from .counting import count
from .files import STDIN, InputError, ParallelFiles, label
from .score import NLTK, SMOOTHING_TAKES_VALUE
from .stats import Stats

__all__ = ["main"]

_LARGEST_ORDER = 100
_SPOOL_BYTES = 1 << 24  # scores kept in memory before they move to a temporary file
_PROGRESS_DELAY = 1.0  # seconds of work before the progress bar appears

_Number = TypeVar("_Number", int, float)

_EPILOG = """\
Files are UTF-8 text, a segment a line, tokens separated by white space; line i of every file
belongs to segment i. A name that ends in .gz is unpacked while it is read; - is standard input.

Scores, 0-100, are those of nltk.translate.bleu_score times 100. An order without any match:
  none     makes the score about 0, as in nltk without a SmoothingFunction
  floor    gets X (0.1) matches: nltk's method1
  exp      gets 1/2, 1/4, 1/8 ... of a match, one order after the other: method3
  method4  the same, times ln(length)/X (5)
  add-k    method2: every order from 2 on gets one more match and n-gram

One system: BLEU|signature = score precisions (BP, ratio, lengths); several: a table. With -sl a
score a line; several systems: columns with tabs under their names. With -f json an object;
several systems: a list; with -sl: an object a line with system, line and score.
Exit status: 0 scored; 2 wrong arguments or input, no score is printed then; 130 interrupted.

  fastbleu reference.1.txt reference.2.txt -i system-a.txt system-b.txt.gz
  zcat system.txt.gz | fastbleu reference.txt --lowercase --max-order 2
  fastbleu reference.txt -i system.txt -sl -s exp | paste - system.txt | sort -n | head
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit status.

    Parameters
    ----------
    argv : sequence of str, optional
        The arguments without the program's name; ``sys.argv[1:]`` by default.

    Returns
    -------
    int
        0 scored and printed, 2 input that cannot be scored, 130 Ctrl-C, 141 closed pipe. Wrong
        arguments, ``--help`` and ``--version`` leave by argparse's SystemExit.
    """
    hint = ""
    try:
        options = _parse(argv)
        if options.input is None:
            options.input = [STDIN]
            hint = " (no -i was given, so the hypotheses come from standard input)"
        with SpooledTemporaryFile(_SPOOL_BYTES) as spool:
            _print(_scored(options, spool))
        return 0
    except KeyboardInterrupt:
        return 130
    except InputError as error:
        message = f"{error}{hint}"
    except OSError as error:
        # What is still buffered goes nowhere, or the interpreter fails once more when it exits.
        with suppress(OSError, ValueError):  # standard output may be no file
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if isinstance(error, BrokenPipeError):
            return 141
        message = f"cannot write the result: {error.strerror or error}"
    print(f"fastbleu: error: {message}", file=sys.stderr)
    return 2


def _scored(options: argparse.Namespace, spool: IO[bytes]) -> Iterator[str]:
    """Read and score all input, and return the text to print."""
    names = [*options.references, *options.input]
    sums = [Stats.zeros(1, options.max_order) for _ in options.input]
    segments = 0
    with ParallelFiles(names) as files:
        for systems in _statistics(_watched(files, options.quiet), options):
            segments += len(systems[0])
            if options.sentence_level:
                columns = [NLTK.sentence_scores(rows, **options.rules) for rows in systems]
                spool.write(array("d", chain.from_iterable(zip(*columns, strict=True))))
            else:
                sums = [total + rows.sum() for total, rows in zip(sums, systems, strict=True)]
    if not segments:
        raise InputError(f"no segment to score: {' and '.join(map(label, names))} have no lines")
    if options.sentence_level:
        return _sentence_report(options, spool)
    return _corpus_report(options, [_record(options, i, s, segments) for i, s in enumerate(sums)])


def _statistics(
    chunks: Iterable[list[list[str]]], options: argparse.Namespace
) -> Iterator[list[Stats]]:
    """Yield the adapted rows of the next segments, one Stats per system."""
    cut = len(options.references)
    split = (lambda line: line.lower().split()) if options.lowercase else str.split
    for chunk in chunks:
        tokens = [[split(line) for line in lines] for lines in chunk]
        references = list(zip(*tokens[:cut], strict=True))
        yield [
            NLTK.adapt(count(hypotheses, references, options.max_order, options.threads))
            for hypotheses in tokens[cut:]
        ]


def _record(options: argparse.Namespace, system: int, total: Stats, lines: int) -> dict[str, Any]:
    """Return all that is known of one system's corpus score; the keys are those of the JSON."""
    score = NLTK.score(total, **options.rules)
    case = "lc" if options.lowercase else "mixed"
    return {
        "name": "BLEU",
        "system": options.input[system],
        "score": 100.0 * score.value,
        "signature": f"nrefs:{len(options.references)}|case:{case}|tok:none|{score.signature}",
        "precisions": [100.0 * precision for precision in score.precisions],
        "bp": float(score.bp),
        "ratio": score.hyp_len / score.ref_len if score.ref_len else 0.0,
        "hyp_len": score.hyp_len,
        "ref_len": score.ref_len,
        "matches": list(score.matches),
        "totals": list(score.totals),
        "segments": lines,
    }


def _corpus_report(options: argparse.Namespace, records: list[dict[str, Any]]) -> Iterator[str]:
    if options.format == "json":
        yield json.dumps(records if len(records) > 1 else records[0], indent=1) + "\n"
        return
    table = [("system", "BLEU", "precisions", "BP", "ratio", "hyp_len", "ref_len")]
    for record in records:
        score = f"{record['score']:.{options.width}f}"
        precisions = "/".join(f"{precision:.1f}" for precision in record["precisions"])
        bp, ratio = f"{record['bp']:.3f}", f"{record['ratio']:.3f}"
        lengths = str(record["hyp_len"]), str(record["ref_len"])
        table.append((_shown(record["system"]), score, precisions, bp, ratio, *lengths))
    signature = f"BLEU|{records[0]['signature']}"
    if len(records) == 1:
        _, score, precisions, bp, ratio, hyp_len, ref_len = table[1]
        details = f"BP = {bp} ratio = {ratio} hyp_len = {hyp_len} ref_len = {ref_len}"
        yield f"{signature} = {score} {precisions} ({details})\n"
        return
    first, *widths = (max(map(len, column)) for column in zip(*table, strict=True))
    for name, *numbers in table:
        aligned = (number.rjust(width) for number, width in zip(numbers, widths, strict=True))
        yield f"{name.ljust(first)}  {'  '.join(aligned)}\n"
    yield f"{signature}\n"


def _sentence_report(options: argparse.Namespace, spool: IO[bytes]) -> Iterator[str]:
    systems = options.input
    if options.format == "text" and len(systems) > 1:
        yield "\t".join(map(_shown, systems)) + "\n"
    line = 0
    spool.seek(0)
    while data := spool.read(8 * len(systems) * 4096):
        values = array("d", data)
        for row in zip(*(values[i :: len(systems)] for i in range(len(systems))), strict=True):
            line += 1
            if options.format == "text":
                yield "\t".join(f"{100.0 * value:.{options.width}f}" for value in row) + "\n"
                continue
            for system, value in zip(systems, row, strict=True):
                yield json.dumps({"system": system, "line": line, "score": 100.0 * value}) + "\n"


def _watched(files: ParallelFiles, quiet: bool) -> Iterator[list[list[str]]]:
    """Yield the files' chunks, with a progress bar on a terminal when they take long."""
    if quiet or sys.stderr is None or not sys.stderr.isatty():
        yield from files.chunks()
        return
    from tqdm import tqdm  # type: ignore[import-untyped]

    unit = " segments" if files.size is None else "B"
    style = {"unit": unit, "unit_scale": True, "delay": _PROGRESS_DELAY, "leave": False}
    with tqdm(total=files.size, **style) as bar:
        for chunk in files.chunks():
            yield chunk
            bar.update(len(chunk[0]) if files.size is None else files.position - bar.n)


def _print(pieces: Iterable[str]) -> None:
    if sys.stdout is None:
        raise InputError("standard output is closed: there is nowhere to print the result")
    sys.stdout.writelines(pieces)
    sys.stdout.flush()


def _shown(name: str) -> str:
    """Return a file's name as standard output can encode it."""
    encoding = sys.stdout.encoding or "utf-8"
    return label(name).encode(encoding, "backslashreplace").decode(encoding)


def _parse(argv: Sequence[str] | None) -> argparse.Namespace:
    """Return the checked options, and with them the `rules` of scoring as keywords."""
    parser = _parser()
    options = parser.parse_args(argv)
    if options.input is None and (sys.stdin is None or sys.stdin.isatty()):
        parser.error("no hypotheses: name their files after -i, or pipe them in")
    if options.smoothing_value is not None and not SMOOTHING_TAKES_VALUE[options.smoothing]:
        parser.error(f"--smoothing {options.smoothing} takes no --smoothing-value")
    weights = options.weights or (1 / options.max_order,) * options.max_order
    options.max_order = len(weights)
    options.rules = {"weights": weights, "smoothing": options.smoothing}
    if options.smoothing_value is not None:
        options.rules["smoothing_value"] = options.smoothing_value
    return options


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="fastbleu",
        usage="fastbleu REF [REF ...] -i HYP [HYP ...] [options]",
        description="BLEU of one or more systems' text files against their reference files.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,  # options to come would make today's short forms ambiguous
    )
    add = parser.add_argument
    add("references", nargs="+", metavar="REF", help="file of references; these come first")
    text = "file of a system's hypotheses (default: standard input, if that is no terminal)"
    add("-i", "--input", nargs="+", metavar="HYP", help=text)
    add("-V", "--version", action="version", version=f"%(prog)s {__version__}")

    scoring = parser.add_argument_group("scoring")
    add = scoring.add_argument
    text = "for orders without any match (default: none); see below"
    add("-s", "--smoothing", choices=SMOOTHING_TAKES_VALUE, default="none", help=text)
    text = "the X below: for floor (default: 0.1) or method4 (5)"
    value = _number(float, 1e-9, 1e9, "number")
    add("-sv", "--smoothing-value", type=value, metavar="X", help=text)
    add = scoring.add_mutually_exclusive_group().add_argument
    text = "longest n-grams, all orders weighing the same (default: 4)"
    add("--max-order", type=_number(int, 1, _LARGEST_ORDER), metavar="N", default=4, help=text)
    text = "one weight per order: 0.5,0.3,0.2 or 1/3,1/3,1/3"
    add("--weights", type=_weights, metavar="W,...", help=text)
    add = scoring.add_argument
    add("-lc", "--lowercase", action="store_true", help="compare without regard to case")
    text = "threads that count (default: 1); they change no result"
    add("--threads", type=_number(int, 1, 256), metavar="N", default=1, help=text)

    add = parser.add_argument_group("output").add_argument
    add("-sl", "--sentence-level", action="store_true", help="one score for each segment")
    text = "text (default) or json, which keeps all digits"
    add("-f", "--format", choices=("text", "json"), default="text", help=text)
    text = "decimals of the scores in text (default: 2)"
    add("-w", "--width", type=_number(int, 0, 20), metavar="N", default=2, help=text)
    add("-q", "--quiet", action="store_true", help="no progress bar, not even on a terminal")
    return parser


def _number(
    kind: type[_Number], low: _Number, high: _Number, noun: str = "whole number"
) -> Callable[[str], _Number]:
    def parse(text: str) -> _Number:
        with suppress(ValueError):
            number = kind(text)
            if low <= number <= high:  # a nan is in no range
                return number
        raise argparse.ArgumentTypeError(f"{text!r} is no {noun} from {low:g} to {high:g}")

    return parse


def _weights(text: str) -> tuple[float, ...]:
    with suppress(ValueError, ZeroDivisionError):
        parts = [part.partition("/") for part in text.split(",")]
        weights = tuple(float(above) / float(below or 1) for above, _, below in parts)
        # Inexact sums are common: 0.33,0.33,0.33.
        if len(weights) <= _LARGEST_ORDER and min(weights) >= 0 and 0.98 <= sum(weights) <= 1.02:
            return weights
    fix = f"1 to {_LARGEST_ORDER} numbers that add up to 1, as 0.5,0.3,0.2; or use --max-order"
    raise argparse.ArgumentTypeError(f"{text!r} is no list of weights: {fix}")
