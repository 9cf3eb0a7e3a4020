"""The command line's options, their checks, and what follows from them.

Spellings and defaults are those of the command `sacrebleu`, so that its users' scripts work.
"""

from __future__ import annotations

import argparse
import codecs
import math
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress

from .. import __version__
from ..dialects._sacrebleu import SMOOTH_DEFAULTS
from ..tokenizers.table import BY_LANGUAGE, TOKENIZERS, WITHOUT_MODEL
from .files import STDIN, InputError

__all__ = ["parse", "warnings"]

_FORMATS = ("json", "text", "latex")
_LARGEST_ORDER = 100
_DEFAULT_SAMPLES = {"bs": 1000, "ar": 10_000}
# Options of sacreBLEU that have no counterpart here.
_ELSEWHERE = ("-d", "--detail", "--chrf", "--ter", "-cc", "-cw")

_EPILOG = """\
Files are text, a segment a line; line i of every file belongs to segment i. A name that ends in
.gz is unpacked while it is read; - is standard input. Without -i the systems come from standard
input, a system in each field if there are tabs. Other files hold several texts, and ::SELECTOR
after the name says which:
  FILE.tsv::3              column 3; FILE.tsv::mt the column that line 1 calls mt
  FILE.jsonl::mt           the string under a key; ::output.mt follows keys inside of objects
  FILE.xml::A              a translator or system in WMT's or NIST's XML and SGML (.sgm)

The score is sacreBLEU's, 0-100, to the last digit. One system: an object with the score, or a
line with -f text; several: a list, or a table. Exit status: 0 scored; 1 input that cannot be
scored, no score is printed then; 2 wrong arguments; 17 a line with more or fewer fields than
others; 130 interrupted.

  fastbleu reference.txt -i system.txt.gz -b
  fastbleu ref.1.txt ref.2.txt -i system-a.txt system-b.txt -f text --paired-bs
  fastbleu news.xml::A -i news.xml::MySystem -tok intl -lc
  cat system.txt | fastbleu -t wmt22 -l en-de
"""


def parse(argv: Sequence[str] | None) -> argparse.Namespace:
    """Return the checked options.

    Beyond what `_parser` names they have `tokenizer` (the name to use), `effective_order`,
    `test` ("bs", "ar" or None), `samples` of that test, and `filtered` (only some segments count).

    Raises
    ------
    InputError
        The options contradict each other.
    SystemExit
        For ``--help``, ``--version`` and what argparse refuses; status 2.
    """
    parser = _parser()
    options, unknown = parser.parse_known_args(argv)
    if unknown:
        foreign = any(word.startswith(_ELSEWHERE) for word in unknown)
        hint = ": the command sacrebleu has that" if foreign else ""
        if not unknown[0].startswith("-"):
            hint = ": all REF stand together, and all HYP after -i"
        parser.error(f"unrecognized arguments: {' '.join(unknown)}{hint}")
    from_environment = os.environ.get("SACREBLEU_FORMAT", "").lower()
    if from_environment in _FORMATS:
        options.format = from_environment
    language = ""
    if options.langpair is not None:
        language = options.langpair.split("-")[1]
    options.tokenizer = options.tokenize or BY_LANGUAGE.get(language, "13a")
    options.language = language
    options.effective_order = options.sentence_level
    options.test = "bs" if options.paired_bs else "ar" if options.paired_ar else None
    options.samples = 0
    if options.test:
        asked = options.paired_bs_n if options.paired_bs else options.paired_ar_n
        options.samples = asked if asked > 0 else _DEFAULT_SAMPLES[options.test]
    options.filtered = options.origlang is not None or options.subset is not None
    options.delegated = bool(options.list or options.echo or options.citation or options.download)
    if not options.delegated:
        _check(options)
        if options.input is None and (sys.stdin is None or sys.stdin.isatty()):
            parser.error("no hypotheses: name their files after -i, or pipe them in")
    return options


def _check(options: argparse.Namespace) -> None:
    """Refuse what cannot be scored, before any file is opened."""
    if options.num_refs != 1 and (options.test_set is not None or len(options.references) > 1):
        raise InputError(
            "--num-refs splits the lines of one reference file; it takes neither a second file "
            "nor a test set (-t)"
        )
    if options.test_set is None and not options.references:
        raise InputError(_no_references(options))
    if options.test_set is not None and options.references:
        raise InputError("there are both reference files and a test set (-t): drop one of them")
    if options.test_set is not None and options.langpair is None:
        raise InputError(f"test set {options.test_set} needs a language pair, as -l en-de")
    if options.test_set is None and options.filtered:
        raise InputError("--origlang and --subset choose segments of a test set: -t names it")
    names = [*options.references, *(options.input or [STDIN])]
    if names.count(STDIN) > 1:
        hint = " (without -i the hypotheses come from there)" if options.input is None else ""
        raise InputError(
            f"standard input (-) is asked for more than once{hint}, but can be read only once: "
            "put it into a file first"
        )
    options.systems = list(options.input or [])
    _check_systems(options)


def _no_references(options: argparse.Namespace) -> str:
    message = "no references: their files come first, or a test set is named by -t and -l"
    if options.input and len(options.input) > 1:
        *systems, last = options.input
        message += f". Did you mean: fastbleu {last} -i {' '.join(systems)}"
    return message


def _check_systems(options: argparse.Namespace) -> None:
    """Refuse names that stand twice, and tests that do not fit the number of systems."""
    names = options.systems
    for name in {name: None for name in names if names.count(name) > 1}:
        if not options.test or name != names[0]:
            raise InputError(
                f"{name} is given twice after -i; every system needs a name of its own"
            )
        # The baseline is often there once more among all systems.
        options.systems = names = [name, *(other for other in names if other != name)]
    if options.input is not None:
        check_number(options, len(names))


def check_number(options: argparse.Namespace, systems: int) -> None:
    """Refuse options that do not fit the number of systems, known late for standard input."""
    if options.sentence_level:
        if systems > 1:
            raise InputError(f"-sl scores one system, but there are {systems}")
        if options.confidence or options.test:
            raise InputError("-sl scores single segments, for which there are no statistical tests")
    if options.test and systems == 1:
        raise InputError(
            f"--paired-{options.test} compares different systems, but there is one: name all "
            "after -i"
        )
    if options.confidence and systems > 1:
        raise InputError(
            f"--confidence is for one system, but there are {systems}: use --paired-bs"
        )


def warnings(options: argparse.Namespace) -> Iterator[str]:
    """Yield what is doubtful about the options."""
    wanted = BY_LANGUAGE.get(options.language)
    if wanted and options.tokenize in WITHOUT_MODEL and options.tokenize != wanted:
        yield f"-tok {options.tokenize} hardly suits -l {options.langpair}: {wanted} or spm does"
    if options.smoothing_value is not None and SMOOTH_DEFAULTS[options.smoothing] is None:
        yield f"--smooth-value has no effect with --smooth-method {options.smoothing}"
    if options.test_set is not None and options.tokenize == "none":
        yield "-tok none scores tokens as they are; such a number compares with no published one"


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="fastbleu",
        usage="fastbleu REF [REF ...] -i HYP [HYP ...] [options]",
        description="BLEU of one or more systems against their references, as sacreBLEU has it.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("references", nargs="*", metavar="REF", help="file of references; these come first")
    text = "file of a system's hypotheses (default: standard input, if that is no terminal)"
    add("-i", "--input", nargs="+", metavar="HYP", help=text)
    text = "the REF file's lines hold N references with tabs between them"
    add("-nr", "--num-refs", type=_integer(1), metavar="N", default=1, help=text)
    text = "encoding of all text (default: utf-8)"
    add("-e", "--encoding", type=_encoding, metavar="ENC", default="utf-8", help=text)
    add("-V", "--version", action="version", version=f"%(prog)s {__version__}")
    _add_test_sets(parser)
    _add_scoring(parser)
    _add_statistics(parser)
    _add_output(parser)
    return parser


def _add_test_sets(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument_group("test sets, of an installed sacreBLEU").add_argument
    add("-t", "--test-set", metavar="SET", help="take the references from SET, or from SET,SET")
    text = "languages; without -tok, zh, ja and ko choose a tokenizer of their own"
    add("-l", "--language-pair", dest="langpair", type=_pair, metavar="SRC-TRG", help=text)
    text = "only segments first written in language L; non-L: in any other"
    add("-ol", "--origlang", metavar="L", help=text)
    add("--subset", metavar="REGEX", help="only segments of documents annotated like this")
    text = "print fields of the test set (src, ref, ..., all) and stop"
    add("--echo", nargs="+", metavar="FIELD", help=text)
    add("--list", action="store_true", help="print all test sets, or the fields of -t, and stop")
    text = "print how to cite the test set and stop"
    add("--citation", "--cite", action="store_true", help=text)
    add("--download", metavar="SET", help="download a test set and stop")


def _add_scoring(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument_group("scoring").add_argument
    text = f"one of {', '.join(TOKENIZERS)} (default: 13a; see -l)"
    add("-tok", "--tokenize", choices=TOKENIZERS, metavar="NAME", help=text)
    add("-lc", "--lowercase", action="store_true", help="compare without regard to case")
    methods = tuple(SMOOTH_DEFAULTS)
    text = f"for orders without any match: {', '.join(methods)} (default: exp)"
    option = "-s", "--smooth-method"
    add(*option, dest="smoothing", choices=methods, metavar="METHOD", default="exp", help=text)
    text = "value of floor (default: 0.1) or add-k (default: 1)"
    add("-sv", "--smooth-value", dest="smoothing_value", type=_finite, metavar="X", help=text)
    text = "longest n-grams (default: 4)"
    kind = _integer(1, _LARGEST_ORDER)
    add("--max-ngram-order", dest="max_order", type=kind, metavar="N", default=4, help=text)
    add("-sl", "--sentence-level", action="store_true", help="one score for each segment")
    add("--force", action="store_true", help="no warning about text that looks tokenised")
    text = "threads that count (default: 1); they change no result"
    add("--threads", type=_integer(1, 256), metavar="N", default=1, help=text)
    text = "bleu, the only metric here"
    add("-m", "--metrics", nargs="+", type=_metric, metavar="bleu", default=["bleu"], help=text)


def _add_statistics(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("statistics")
    text = "95%% confidence interval of a system's score, by bootstrap resampling"
    group.add_argument("-ci", "--confidence", action="store_true", help=text)
    add = group.add_mutually_exclusive_group().add_argument
    text = "compare each system with the first by paired bootstrap resampling"
    add("-pbs", "--paired-bs", action="store_true", help=text)
    text = "the same by approximate randomization"
    add("-par", "--paired-ar", action="store_true", help=text)
    add = group.add_argument
    count = _integer(-sys.maxsize)
    text = "samples of --confidence (default: 1000)"
    add("-cin", "--confidence-n", type=count, metavar="N", default=1000, help=text)
    text = "samples of --paired-bs (default: 1000)"
    add("-pbsn", "--paired-bs-n", type=count, metavar="N", default=0, help=text)
    text = "trials of --paired-ar (default: 10000)"
    add("-parn", "--paired-ar-n", type=count, metavar="N", default=0, help=text)
    add(
        "-j", "--paired-jobs", type=count, metavar="N", help="taken for sacreBLEU's sake, no effect"
    )


def _add_output(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument_group("output").add_argument
    text = "json (default), text, or latex for a table of several systems; $SACREBLEU_FORMAT wins"
    add("-f", "--format", choices=_FORMATS, default="json", help=text)
    add("-b", "--score-only", action="store_true", help="print only the score")
    text = "decimals of the scores (default: 1)"
    add("-w", "--width", type=_integer(0, 100), metavar="N", default=1, help=text)
    add("-sh", "--short", action="store_true", help="print the short form of the signature")
    text = "no colours, not even on a terminal; so does $NO_COLOR"
    add("-nc", "--no-color", action="store_true", help=text)
    add("-q", "--quiet", action="store_true", help="no progress bar, not even on a terminal")


def _integer(low: int, high: int = sys.maxsize) -> Callable[[str], int]:
    def parse(text: str) -> int:
        with suppress(ValueError):
            if low <= int(text) <= high:
                return int(text)
        limits = (
            ""
            if -low == high
            else f" from {low}"
            if high == sys.maxsize
            else f" from {low} to {high}"
        )
        raise argparse.ArgumentTypeError(f"{text!r} is no whole number{limits}")

    return parse


def _finite(text: str) -> float:
    with suppress(ValueError):
        if math.isfinite(number := float(text)):
            return number
    raise argparse.ArgumentTypeError(f"{text!r} is no number")


def _pair(text: str) -> str:
    if "-" in text:
        return text
    raise argparse.ArgumentTypeError(f"{text!r} is no language pair, as en-de")


def _encoding(text: str) -> str:
    with suppress(LookupError, ValueError):  # ValueError: a NUL in the name
        "".encode(text)  # fails for codecs that do not make bytes of text
        return codecs.lookup(text).name
    raise argparse.ArgumentTypeError(
        f"{text!r} is no encoding that Python knows, as utf-8, latin-1"
    )


def _metric(text: str) -> str:
    if text.lower() == "bleu":
        return text
    raise argparse.ArgumentTypeError(f"{text!r} is not computed here, only bleu: use sacrebleu")
