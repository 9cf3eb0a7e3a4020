"""The command line: its options, their checks, and what follows from them.

Spellings and defaults are those of the command `sacrebleu`, so that its users' scripts work.
"""

from __future__ import annotations

import argparse
import codecs
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import NoReturn

from .. import __version__
from ..dialects import names
from ..dialects._sacrebleu import SMOOTH_DEFAULTS
from ..tokenizers.table import BY_LANGUAGE, TOKENIZERS, WITHOUT_MODEL
from .files import STDIN, InputError

_FORMATS = ("json", "text", "latex")
_SHELLS = ("bash", "zsh", "fish", "tcsh")
_DEFAULT_SAMPLES = {"bs": 1000, "ar": 10_000}
_LIMITS = {
    "num_refs": (1, sys.maxsize),
    "max_ngram_order": (1, 100),
    "threads": (1, 256),
    "width": (0, 1000),
    "worst": (1, sys.maxsize),
    **dict.fromkeys(("confidence_n", "paired_bs_n", "paired_ar_n"), (-sys.maxsize, sys.maxsize)),
}
# What only some dialects have, which check it.
_ONLY_DIALECTS = ("international", "international-e", "add-1", "method4")
# Options of sacreBLEU that do not exist here, and their values by default.
_DEFAULTS = {"lowercase": False, "smooth_method": "exp", "max_ngram_order": 4, "width": 1}
_ELSEWHERE = ("-d", "--detail", "--chrf", "--ter", "-cc", "-cw")

_EXAMPLES = """\
  fastbleu reference.txt -i system.txt.gz -b
  fastbleu ref.1.txt ref.2.txt -i system-a.txt system-b.txt -f text --paired-bs
  fastbleu reference.txt -i system-a.txt system-b.txt -sl -f tsv --worst 20
  fastbleu news.xml::A -i news.xml::MySystem -tok intl -lc
  cat system.txt | fastbleu -t wmt22 -l en-de
"""
_EPILOG = f"""\
Files are plain text, one segment per line; line i of every file belongs to segment i. Files whose
names end in .gz are decompressed; - is standard input. Without -i, the hypotheses are read from
standard input, where tabs separate systems. Some files hold several texts; ::SELECTOR after the
name chooses one:
  FILE.tsv::3              column 3; FILE.tsv::mt is the column named mt in line 1
  FILE.jsonl::mt           the string under a key; ::output.mt follows nested keys
  FILE.xml::A              a translator or system in WMT's or NIST's XML or SGML (.sgm)

The score is sacreBLEU's, 0-100, to the last digit. For one system it is printed as a JSON object,
or as a line with -f text; for several systems as a list, or as a table. Exit status: 0 scored;
1 input that cannot be scored (no score is printed); 2 wrong arguments; 17 a line with more or
fewer fields than the others; 130 interrupted.

Shell completion needs the package shtab:
  eval "$(fastbleu --print-completion bash)"

Examples:
{_EXAMPLES}"""


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        """Exit with status 2; for an ambiguous option say what each candidate does."""
        start, found, names = message.partition(" could match ")
        if found:
            options = {name: self._option_string_actions[name] for name in names.split(", ")}
            meanings = [f"{name} ({action.help})" for name, action in options.items()]
            message = f"{start} could be {' or '.join(meanings)}".replace("%%", "%")
        super().error(message)


def parse(argv: Sequence[str] | None) -> argparse.Namespace:
    """Return the checked options; InputError where they contradict each other.

    They have also `systems` (the names after -i), `tokenizer` (the name to use), `language` (the
    target's), `test` ("bs", "ar" or None), `samples` of that test, `table` ("tsv", "json" or None:
    how single segments are listed), `progress`, `filtered` (only some segments count) and
    `delegated` (sacreBLEU prints about test sets).
    """
    parser = _parser()
    terminal = sys.stdin is None or sys.stdin.isatty()
    if terminal and not (sys.argv[1:] if argv is None else argv):
        text = f"{parser.format_usage()}\n{_EXAMPLES}\nfastbleu --help explains all options.\n"
        parser.exit(2, text)
    options, unknown = parser.parse_known_args(argv)
    if unknown:
        hint = ""
        if any(word.startswith(_ELSEWHERE) for word in unknown):
            hint = ": only the command sacrebleu has this"
        elif not unknown[0].startswith("-"):
            hint = ": all REF files come first, and all HYP files after -i"
        parser.error(f"unrecognized arguments: {' '.join(unknown)}{hint}")
    if options.print_completion:
        from .completion import print_completion

        print_completion(parser, options.print_completion)
    if options.dialect == "sacrebleu":
        _fill_in(options, parser)
    for name, (low, high) in _LIMITS.items():
        value = getattr(options, name)
        if value is not None and not low <= value <= high:
            unlimited = low == 1 and high == sys.maxsize
            limits = f"at least {low}" if unlimited else f"from {low} to {high}"
            parser.error(f"argument --{name.replace('_', '-')}: must be {limits}, not {value}")
    options.table = None
    ordered = options.sort or options.worst
    if options.sentence_level:
        options.table = options.format or ("tsv" if ordered else None)
        if options.table in ("text", "latex"):
            options.table = None
            if ordered:
                parser.error("--sort and --worst need -f tsv or -f json")
    elif options.format == "tsv" or ordered:
        parser.error("-f tsv, --sort and --worst list single segments: they need -sl")
    from_environment = os.environ.get("SACREBLEU_FORMAT", "").lower()
    options.format = from_environment if from_environment in _FORMATS else options.format or "json"
    options.language = options.langpair.split("-")[1] if options.langpair is not None else ""
    options.tokenizer = options.tokenize or BY_LANGUAGE.get(options.language, "13a")
    options.test = "bs" if options.paired_bs else "ar" if options.paired_ar else None
    if options.test:
        asked = options.paired_bs_n if options.paired_bs else options.paired_ar_n
        options.samples = asked if asked > 0 else _DEFAULT_SAMPLES[options.test]
    options.progress = not options.quiet and sys.stderr is not None and sys.stderr.isatty()
    options.filtered = options.origlang is not None or options.subset is not None
    options.delegated = bool(options.list or options.echo or options.citation or options.download)
    if not options.delegated:
        _check(options)
        if options.input is None and terminal:
            parser.error("no hypotheses: name their files after -i, or pipe them in")
    return options


def _fill_in(options: argparse.Namespace, parser: argparse.ArgumentParser) -> None:
    """Set sacreBLEU's defaults, and refuse what it does not have."""
    for value in {options.tokenize, options.smooth_method}.intersection(_ONLY_DIALECTS):
        parser.error(f"{value!r} is no choice of sacreBLEU's: name the --dialect that has it")
    if options.reference_length not in (None, "closest"):
        parser.error("--reference-length: sacreBLEU takes the closest; see --dialect")
    for name, value in _DEFAULTS.items():
        if getattr(options, name) is None:
            setattr(options, name, value)


def _check(options: argparse.Namespace) -> None:
    """Refuse what cannot be scored, before any file is opened."""
    if options.num_refs != 1 and (options.test_set is not None or len(options.references) > 1):
        raise InputError(
            "--num-refs splits the lines of one reference file; it cannot be used with several "
            "reference files or with a test set (-t)"
        )
    if options.test_set is None:
        if not options.references:
            message = "no references: give their files first, or choose a test set with -t and -l"
            if options.input and len(options.input) > 1:
                *systems, last = options.input
                message += f". Did you mean: fastbleu {last} -i {' '.join(systems)}"
            raise InputError(message)
        if options.filtered:
            raise InputError("--origlang and --subset select segments of a test set: -t names it")
    elif options.references:
        raise InputError("there are both reference files and a test set (-t): drop one of them")
    elif options.langpair is None:
        raise InputError(f"test set {options.test_set} needs a language pair, such as -l en-de")
    if [*options.references, *(options.input or [STDIN])].count(STDIN) > 1:
        hint = " (without -i the hypotheses are read from it)" if options.input is None else ""
        problem = f"standard input (-) is named more than once{hint}, but can be read only once"
        raise InputError(f"{problem}: save it to a file first")
    options.systems = names = list(dict.fromkeys(options.input or []))
    # The baseline of a test is often listed again among all systems.
    for name in names[1:] if options.test else names:
        if options.input.count(name) > 1:
            raise InputError(f"{name} is given twice after -i; every system needs its own name")
    if options.input is not None:
        check_number(options, len(names))


def check_number(options: argparse.Namespace, systems: int) -> None:
    """Refuse options that do not fit the number of systems, known late for standard input."""
    if options.sentence_level:
        if systems > 1 and not options.table:
            problem = f"-sl prints the scores of one system, but there are {systems}"
            raise InputError(f"{problem}: add -f tsv or -f json to list them side by side")
        if options.confidence or options.test:
            raise InputError("-sl scores single segments, for which there are no statistical tests")
    if options.test and systems == 1:
        problem = f"--paired-{options.test} compares different systems, but there is only one"
        raise InputError(f"{problem}: name all of them after -i")
    if options.confidence and systems > 1:
        problem = f"--confidence is for one system, but there are {systems}"
        raise InputError(f"{problem}: use --paired-bs")


def warnings(options: argparse.Namespace) -> Iterator[str]:
    """Yield what is doubtful about the options."""
    wanted = BY_LANGUAGE.get(options.language)
    if wanted and options.tokenize in WITHOUT_MODEL and options.tokenize != wanted:
        fix = f"use {wanted} or a SentencePiece tokenizer, such as flores200"
        yield f"-tok {options.tokenize} does not suit -l {options.langpair}: {fix}"
    method = options.smooth_method
    if options.smooth_value is not None and SMOOTH_DEFAULTS.get(method, 1) is None:
        yield f"--smooth-value has no effect with --smooth-method {options.smooth_method}"
    if options.test_set is not None and options.tokenize == "none":
        yield "with -tok none the score cannot be compared with published ones"


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="fastbleu",
        usage="fastbleu REF [REF ...] -i HYP [HYP ...] [options]",
        description="BLEU of one or more systems, as sacreBLEU computes it.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("references", nargs="*", metavar="REF", help="reference files; they come first")
    text = "files of hypotheses, one for each system (default: standard input)"
    add("-i", "--input", nargs="+", metavar="HYP", help=text)
    text = "each line of the REF file holds N references, separated by tabs"
    add("-nr", "--num-refs", type=int, metavar="N", default=1, help=text)
    text = "encoding of all text files (default: utf-8)"
    add("-e", "--encoding", type=_encoding, metavar="ENC", default="utf-8", help=text)
    add("-V", "--version", action="version", version=f"%(prog)s {__version__}")
    text = f"print a completion script for {', '.join(_SHELLS)} and exit"
    add("--print-completion", choices=_SHELLS, metavar="SHELL", help=text)

    add = parser.add_argument_group("test sets (from an installed sacreBLEU)").add_argument
    add("-t", "--test-set", metavar="SET", help="take the references from SET, or from SET,SET")
    text = "languages; without -tok, the targets zh, ja and ko choose their own tokenizer"
    add("-l", "--language-pair", dest="langpair", type=_pair, metavar="SRC-TRG", help=text)
    text = "only segments originally written in language L; non-L: in any other language"
    add("-ol", "--origlang", metavar="L", help=text)
    add("--subset", metavar="REGEX", help="only segments of documents whose annotation matches")
    text = "print fields of the test set (src, ref, ..., all) and exit"
    add("--echo", nargs="+", metavar="FIELD", help=text)
    add("--list", action="store_true", help="print all test sets, or the fields of -t, and exit")
    add("--citation", "--cite", action="store_true", help="print how to cite the test set and exit")
    add("--download", metavar="SET", help="download a test set and exit")

    add = parser.add_argument_group("scoring").add_argument
    text = f"whose rules: {', '.join(names())} (default: sacrebleu); their own defaults hold"
    add("--dialect", choices=names(), metavar="NAME", default="sacrebleu", help=text)
    text = f"one of {', '.join(TOKENIZERS)} (default: 13a; see -l); some dialects have others"
    add("-tok", "--tokenize", choices=(*TOKENIZERS, *_ONLY_DIALECTS[:2]), metavar="NAME", help=text)
    add("-lc", "--lowercase", action="store_true", default=None, help="ignore case")
    add("--cased", dest="lowercase", action="store_false", help="do not ignore case")
    text = f"smoothing of orders without a match: {', '.join(SMOOTH_DEFAULTS)} (default: exp)"
    known = *SMOOTH_DEFAULTS, *_ONLY_DIALECTS[2:]
    add("-s", "--smooth-method", choices=known, metavar="METHOD", help=text)
    add(
        "--reference-length", metavar="RULE", help="closest, shortest, ... if a dialect has several"
    )
    text = "value of floor (default: 0.1) or add-k (default: 1)"
    add("-sv", "--smooth-value", type=float, metavar="X", help=text)
    text = "length of the longest n-grams (default: 4)"
    add("--max-ngram-order", type=int, metavar="N", help=text)
    add("-sl", "--sentence-level", action="store_true", help="print a score for each segment")
    add("--force", action="store_true", help="no warning about text that looks tokenized")
    text = "number of threads (default: 1); it does not change the result"
    add("--threads", type=int, metavar="N", default=1, help=text)
    text = "bleu; for other metrics use the command sacrebleu"
    add("-m", "--metrics", nargs="+", type=str.lower, choices=["bleu"], default=["bleu"], help=text)

    group = parser.add_argument_group("statistics")
    add = group.add_argument
    text = "95%% confidence interval of one system's score, by bootstrap resampling"
    add("-ci", "--confidence", action="store_true", help=text)
    test = group.add_mutually_exclusive_group().add_argument
    text = "compare each system with the first one by paired bootstrap resampling"
    test("-pbs", "--paired-bs", action="store_true", help=text)
    test("-par", "--paired-ar", action="store_true", help="the same by approximate randomization")
    text = "samples of --confidence (default: 1000)"
    add("-cin", "--confidence-n", type=int, metavar="N", default=1000, help=text)
    text = "samples of --paired-bs (default: 1000)"
    add("-pbsn", "--paired-bs-n", type=int, metavar="N", default=0, help=text)
    text = "trials of --paired-ar (default: 10000)"
    add("-parn", "--paired-ar-n", type=int, metavar="N", default=0, help=text)
    text = "accepted for compatibility with sacreBLEU; no effect"
    add("-j", "--paired-jobs", type=int, metavar="N", help=text)

    add = parser.add_argument_group("output").add_argument
    text = (
        "json (default), text, or latex for a table of several systems ($SACREBLEU_FORMAT "
        "overrides these); with -sl, tsv or json: number, scores and texts of each segment"
    )
    add("-f", "--format", choices=(*_FORMATS, "tsv"), metavar="FORMAT", help=text)
    add("-b", "--score-only", action="store_true", help="print only scores")
    add("-w", "--width", type=int, metavar="N", help="decimals (default: 1)")
    add("-sh", "--short", action="store_true", help="print the short form of the signature")
    text = "with -sl: list the segments by number, or the lowest mean score of all systems first"
    add("--sort", choices=("segment", "score"), metavar="KEY", help=text)
    text = "with -sl: list only the N segments that have the lowest mean scores"
    add("--worst", type=int, metavar="N", help=text)
    text = "no colours, not even on a terminal; the same as setting $NO_COLOR"
    add("-nc", "--no-color", action="store_true", help=text)
    add("-q", "--quiet", action="store_true", help="no progress bar, not even on a terminal")
    return parser


def _pair(text: str) -> str:
    if "-" in text:
        return text
    raise argparse.ArgumentTypeError(f"{text!r} is not a language pair, such as en-de")


def _encoding(text: str) -> str:
    with suppress(LookupError, ValueError):  # ValueError: a NUL in the name
        "".encode(text)  # fails for codecs that do not encode text
        return codecs.lookup(text).name
    raise argparse.ArgumentTypeError(f"{text!r} is not an encoding that Python knows")
