"""Command-line options: parsing, checks and derived settings.

Spellings and defaults are those of the command `sacrebleu`, so that its users' scripts work.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from functools import partial

from .. import __version__
from ..core.inputs.arguments import known_name, shown, unknown_name
from ..core.inputs.missing import CHOICES
from ..core.runtime.extras import install_command
from ..core.scoring._sacrebleu import SMOOTH_DEFAULTS
from ..core.scoring.names import get, names
from ..core.tokenizers.tokenizer import BY_LANGUAGE, WITHOUT_MODEL
from ..core.tokenizers.tokenizer import names as tokenizer_names
from ..files.formats import without_suffix
from .formats import NAMED
from .parser import (
    FORMATS,
    Help,
    Options,
    Parser,
    delimiter,
    dialect,
    encoding,
    integer,
    pair,
    seed,
)
from .readers import STDIN, InputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn

_OF_GROUPS = ("csv", "markdown", "parquet")  # formats of --by only
_SHELLS = ("bash", "zsh", "fish", "tcsh")
# Tokenizers that only some dialects have; the dialects check them.
_OTHER_TOKENIZERS = "international", "international-e"
# sacreBLEU's defaults, and its options that do not exist here.
_DEFAULTS = {"lowercase": False, "smooth_method": "exp", "max_ngram_order": 4, "width": 1}
_ELSEWHERE = ("-d", "--detail")

# What `fastbleu` alone and -h print: ten lines of 50 columns.
_SUMMARY = """\
usage: fastbleu REF ... -i HYP ... [options]
BLEU of one or more systems, as in sacreBLEU.

  fastbleu ref.txt -i system.txt -b
  fastbleu ref.txt -i a.txt b.txt --paired-bs
  fastbleu news.tsv::ref -i news.tsv::mt -f text

-b prints the score only, -tok names a tokenizer,
--dialect another BLEU, --html writes a report.
fastbleu --help explains all options.
"""
_EPILOG = """\
Files are plain text, one segment per line; line i of every file belongs to segment i. Compressed \
files (.gz, .bz2, .xz, .zst, .zip) are unpacked; - is standard input. Without -i, hypotheses are \
read from standard input, where tabs separate systems. Some files hold several texts; ::SELECTOR \
after the name selects one:
  FILE.tsv::mt             the column named mt in line 1; ::3 is column 3 of a file without names
  FILE.jsonl::mt           the string under a key; ::output.mt follows nested keys
  FILE.xml::A              a translator or system in WMT's or NIST's XML or SGML (.sgm)
  FILE.parquet::mt         a column; the same for .feather, .arrow and .csv

The score is sacreBLEU's, 0-100, to the last digit. For one system it is printed as a JSON object, \
or as a line with -f text; for several systems as a list, or as a table. Exit status: 0 scored; \
1 input that cannot be scored (no score is printed); 2 wrong arguments; 17 a line with more or \
fewer fields than the others; 130 interrupted.

Shell completion needs the package shtab:
  eval "$(fastbleu --print-completion bash)"

Examples:
  fastbleu reference.txt -i system.txt.gz -b
  fastbleu ref.1.txt ref.2.txt -i system-a.txt system-b.txt -f text --paired-bs
  fastbleu reference.txt -i system-a.txt system-b.txt -sl -f tsv --worst 20
  fastbleu reference.txt -i system-a.txt system-b.txt --html report.html --sources source.txt
  fastbleu news.xml::A -i news.xml::MySystem -tok intl -lc
  cat system.txt | fastbleu -t wmt22 -l en-de
"""


# Not a dataclass, because importing `dataclasses` would take a tenth of the command's time.
def make_parser() -> Parser:
    parser = Parser(
        prog="fastbleu",
        usage="fastbleu REF ... -i HYP ... [options]",
        description="BLEU of one or more systems, as sacreBLEU computes it.",
        epilog=_EPILOG,
        formatter_class=Help,
        add_help=False,
    )
    # Groups, because argparse makes a formatter for each option outside of one.
    add = parser.add_argument_group("positional arguments").add_argument
    add("references", nargs="*", metavar="REF", help="reference files; they come first")
    add = parser.add_argument_group("options").add_argument
    add("-h", action="version", version=_SUMMARY, help="print the essentials in ten lines")
    add("--help", action="help", help="print this help and exit")
    text = "files of hypotheses, one for each system (default: standard input)"
    add("-i", "--input", nargs="+", metavar="HYP", help=text)
    text = "each line of the REF file has N references, separated by tabs"
    add("-nr", "--num-refs", type=partial(integer, low=1), default=1, metavar="N", help=text)
    text = "match lines, in any order, by a key: the first word, or the last one in parentheses"
    add("--keyed", action="store_true", help=text)
    text = "match rows, in any order, by a column or key of the files with ::SELECTOR"
    add("--keyed-by", metavar="COLUMN", help=text)
    text = "encoding of all text files (default: utf-8)"
    add("-e", "--encoding", type=encoding, default="utf-8", metavar="ENC", help=text)
    add("-V", "--version", action="version", version=f"%(prog)s {__version__}")
    text = f"print a completion script for {', '.join(_SHELLS)} and exit"
    add("--print-completion", choices=_SHELLS, metavar="SHELL", help=text)

    add = parser.add_argument_group("test sets (from an installed sacreBLEU)").add_argument
    add("-t", "--test-set", metavar="SET", help="take the references from SET, or from SET,SET")
    text = "languages; without -tok, the targets zh, ja and ko select their own tokenizer"
    add("-l", "--language-pair", dest="langpair", type=pair, metavar="SRC-TRG", help=text)
    text = "only segments originally written in language L; non-L: in any other language"
    add("-ol", "--origlang", metavar="L", help=text)
    add("--subset", metavar="REGEX", help="only segments of documents whose annotation matches")
    text = "print fields of the test set (src, ref, ..., all) and exit"
    add("--echo", nargs="+", metavar="FIELD", help=text)
    add("--list", action="store_true", help="print all test sets, or the fields of -t, and exit")
    add("--citation", "--cite", action="store_true", help="print how to cite the test set and exit")
    add("--download", metavar="SET", help="download a test set and exit")

    add = parser.add_argument_group("scoring").add_argument
    dialects = names()
    text = f"rules and defaults to use: {', '.join(dialects)} (default: sacrebleu); or a recipe"
    add("--dialect", type=dialect, default="sacrebleu", metavar="NAME", help=text)
    text = ", ".join(tokenizer_names())
    text = f"one of {text} (default: 13a; see -l); some dialects have others"
    known = *tokenizer_names(), *_OTHER_TOKENIZERS
    add("-tok", "--tokenize", choices=known, metavar="NAME", help=text)
    add("-lc", "--lowercase", action="store_true", default=None, help="ignore case")
    add("--cased", dest="lowercase", action="store_false", default=None, help="do not ignore case")
    text = f"smoothing of orders without a match: {', '.join(SMOOTH_DEFAULTS)} (default: exp)"
    add("-s", "--smooth-method", metavar="METHOD", help=text)  # the dialect has others
    text = "closest, shortest, ... if a dialect has several"
    add("--reference-length", metavar="RULE", help=text)
    values = [f"{method} (default: {n})" for method, n in SMOOTH_DEFAULTS.items() if n is not None]
    text = f"value for {' or '.join(values)}"
    add("-sv", "--smooth-value", type=float, metavar="X", help=text)
    text = "print the score of every dialect, or why the scores of two dialects differ"
    add("--explain", nargs="*", type=dialect, metavar="DIALECT", help=text)
    text = "find the settings whose score prints as NUMBER, such as 31.2"
    add("--identify", metavar="NUMBER", help=text)
    text = "length of the longest n-grams (default: 4)"
    add("--max-ngram-order", type=partial(integer, low=1, high=100), metavar="N", help=text)
    add("-sl", "--sentence-level", action="store_true", help="print a score for each segment")
    add("--force", action="store_true", help="do not warn about text that looks tokenized")
    text = "number of threads (default: 1); it does not change the result"
    add("--threads", type=partial(integer, low=1, high=256), default=1, metavar="N", help=text)
    text = "one or more of bleu (default), chrf and, with sacreBLEU installed, ter"
    known = "bleu", "chrf", "ter"
    add("-m", "--metrics", nargs="+", choices=known, metavar="M", default=["bleu"], help=text)

    add = parser.add_argument_group("chrF and TER (-m)").add_argument
    order = partial(integer, low=0, high=100)
    text = "longest n-grams of characters (default: 6)"
    add("-cc", "--chrf-char-order", type=order, default=6, metavar="N", help=text)
    text = "longest n-grams of words (default: 0); 2 is chrF++"
    add("-cw", "--chrf-word-order", type=order, default=0, metavar="N", help=text)
    text = "how much more recall counts than precision (default: 2)"
    add("--chrf-beta", type=integer, default=2, metavar="N", help=text)
    add("--chrf-whitespace", action="store_true", help="white space is among the characters")
    add("--chrf-lowercase", action="store_true", help="ignore case")
    text = "average the scores of all orders, as chrF++.py does"
    add("--chrf-eps-smoothing", action="store_true", help=text)
    add("--ter-case-sensitive", action="store_true", help="do not ignore case")
    add("--ter-asian-support", action="store_true", help="split Asian characters")
    add("--ter-no-punct", action="store_true", help="remove punctuation")
    add("--ter-normalized", action="store_true", help="normalize and tokenize")

    group = parser.add_argument_group("statistics")
    add = group.add_argument
    text = "95%% confidence interval of each system's score, by bootstrap resampling"
    add("-ci", "--confidence", action="store_true", help=text)
    test = group.add_mutually_exclusive_group().add_argument
    text = "compare each system with the first one by paired bootstrap resampling"
    test("-pbs", "--paired-bs", dest="test", action="store_const", const="bs", help=text)
    text = "compare each system with the first one by paired approximate randomization"
    test("-par", "--paired-ar", dest="test", action="store_const", const="ar", help=text)
    text = "samples of --confidence (default: 1000)"
    add("-cin", "--confidence-n", type=integer, default=1000, metavar="N", help=text)
    text = "samples of --paired-bs (default: 1000)"
    add("-pbsn", "--paired-bs-n", type=integer, default=0, metavar="N", help=text)
    text = "trials of --paired-ar (default: 10000)"
    add("-parn", "--paired-ar-n", type=integer, default=0, metavar="N", help=text)
    text = "seed of random draws; none: a new one each time (default: $SACREBLEU_SEED or 12345)"
    add("--seed", type=seed, metavar="N", help=text)
    text = "accepted for compatibility with sacreBLEU; no effect"
    add("-j", "--paired-jobs", type=integer, metavar="N", help=text)

    add = parser.add_argument_group("output").add_argument
    text = (
        "json (default), text, or latex for a table of several systems ($SACREBLEU_FORMAT "
        "overrides these); with -sl, tsv or json: number, scores and texts of each segment; "
        "with --by also csv, markdown or parquet"
    )
    add("-f", "--format", choices=(*FORMATS, "tsv", *_OF_GROUPS), metavar="FORMAT", help=text)
    text = (
        "score each group of rows; REF, HYP and COLUMN are columns of the same file, or of the "
        "same files: a directory, or a pattern in quotation marks"
    )
    add("--by", metavar="COLUMN[,COLUMN]", help=text)
    text = (
        "error, empty or skip: in tables, a segment without a text (an empty cell, null) is an "
        "error (default), gets an empty one, or is skipped; ragged: in all files, blank or missing "
        "references are left out, unless the segment has no other"
    )
    add("--missing", choices=CHOICES, metavar="CHOICE", help=text)
    text = "whether quotation marks enclose cells of .tsv and .csv files (default: detected)"
    add("--quoted", action=argparse.BooleanOptionalAction, help=text)
    text = "what separates cells of .tsv and .csv files (default: detected in line 1)"
    add("--delimiter", type=delimiter, metavar="CHARACTER", help=text)
    text = f"format of files with ::SELECTOR, whatever their names end in: {', '.join(NAMED)}"
    add("--read-as", choices=NAMED, metavar="FORMAT", help=text)
    text = "with --by: the column of languages, for --tokenizers"
    add("--language", metavar="COLUMN", help=text)
    text = "with --language: the tokenizer for each of its values, as in zh=zh,ja=ja-mecab"
    add("--tokenizers", metavar="VALUE=NAME[,...]", help=text)
    add("-b", "--score-only", action="store_true", help="print only scores")
    text = "decimals (default: 1)"
    add("-w", "--width", type=partial(integer, low=0, high=1000), metavar="N", help=text)
    add("-sh", "--short", action="store_true", help="print the short form of the signature")
    text = "with -sl: sort by number, or by the mean score of all systems, the lowest first"
    add("--sort", choices=("segment", "score"), metavar="KEY", help=text)
    text = "with -sl: list only the N segments that have the lowest mean scores"
    add("--worst", type=partial(integer, low=1), metavar="N", help=text)
    text = "write a page that shows where the systems are good or bad; see also --sources"
    add("--html", metavar="FILE", help=text)
    add("--md", metavar="FILE", help="write the overview and some segments as Markdown")
    add("--sources", metavar="SRC", help="with --html or --md: the file of the source texts")
    for name, what in (("documents", "document"), ("groups", "group"), ("ids", "name")):
        text = f"with --html or --md: a file with the {what} of each segment, one per line"
        if name == "documents":
            text += "; otherwise the segments of a document are scored as one (d-BLEU)"
        add(f"--{name}", metavar="FILE", help=text)
    add("--open", action="store_true", help="with --html: open the page in the browser")
    text = "never print colors; the same as setting $NO_COLOR"
    add("-nc", "--no-color", action="store_true", help=text)
    add("-q", "--quiet", action="store_true", help="never show a progress bar")
    return parser


def parse_options(argv: Sequence[str] | None) -> Options:
    """Return the checked options; raise InputError if they contradict each other."""
    parser = make_parser()
    terminal = sys.stdin is None or sys.stdin.isatty()
    words = [parser.spelled(word) for word in (sys.argv[1:] if argv is None else argv)]
    if not words:
        parser.exit(2, _SUMMARY)
    options, unknown = parser.parse_known_args(words, Options())
    if unknown:
        hint = ""
        if any(word.startswith(_ELSEWHERE) for word in unknown):
            hint = ": only the command sacrebleu has this"
        elif not unknown[0].startswith("-"):
            hint = ": all REF files come first, and all HYP files after -i"
        elif meant := parser.closest(unknown[0]):
            hint = f": did you mean {meant}?"
        parser.error(f"unrecognized arguments: {' '.join(unknown)}{hint}")
    if options.print_completion:
        _print_completion(parser, options.print_completion)
    if options.smooth_method is not None:
        known = get(options.dialect).smoothings
        options.smooth_method = known_name(options.smooth_method, known) or options.smooth_method
    options.complete()
    if problem := _problem(options, parser):
        parser.error(problem)
    if options.prints_as_sacrebleu and options.by is None:
        for name, value in _DEFAULTS.items():
            if getattr(options, name) is None:
                setattr(options, name, value)
    references = map(without_suffix, options.references)
    if options.dialect == "coco" and any(name.endswith(".json") for name in references):
        options.tokenize = options.tokenize or "ptb"  # COCO's captions are not tokenized yet
    if not options.delegated:
        _check_files(options)
        if options.input is None and terminal:
            parser.error("no hypotheses: name their files after -i, or pipe them in")
    return options


def _print_completion(parser: argparse.ArgumentParser, shell: str) -> NoReturn:
    """Print the script for a shell, and exit."""
    try:
        import shtab
    except ImportError as error:
        problem = f"shell completion needs shtab: {install_command('completion')}"
        raise InputError(problem) from error
    for action in parser._actions:
        if action.metavar in ("REF", "HYP"):
            action.complete = shtab.FILE  # type: ignore[attr-defined]
        elif action.dest in ("dialect", "explain"):
            action.choices = names()
        elif action.dest == "smooth_method":
            action.choices = SMOOTH_DEFAULTS
    print(shtab.complete(parser, shell))
    parser.exit()


def _problem(options: Options, parser: Parser) -> str | None:
    """Return what is wrong with the combination of options, if anything."""
    labels = [name for name in options.labels if name != "documents"]
    if labels and not options.reports:
        return f"--{labels[0]} is shown in a report: it needs --html or --md"
    if options.open and options.html is None:
        return "--open opens the page that --html writes"
    if options.explain is not None and len(options.explain) not in (0, 2):
        return "--explain takes two dialects, or none for a table of all"
    if options.prints_as_sacrebleu:
        if options.tokenize in _OTHER_TOKENIZERS:
            fix = "add --dialect mteval-v14"
            return f"sacreBLEU does not have {shown(options.tokenize)}: {fix}"
        if (method := options.smooth_method) not in (None, *SMOOTH_DEFAULTS):
            more = ", or name the --dialect that has it"
            return f"argument -s: {unknown_name('value', method, SMOOTH_DEFAULTS, more)}"
        if options.reference_length not in (None, "closest"):
            return "--reference-length: sacreBLEU takes the closest; see --dialect"
    if options.metrics != ["bleu"]:
        if not options.prints_as_sacrebleu or options.reports or options.diagnosed:
            return "--dialect, --explain, --identify and reports are for -m bleu"
        if options.sentence_level and len({*options.metrics}) > 1:
            return "-sl prints the scores of one metric: name one after -m"
    if options.by is not None:
        return _problem_of_groups(options, parser)
    if options.language is not None and options.tokenizers is None:
        return "--language is a column, for --tokenizers; a language pair is -l, as in -l en-de"
    if options.language is not None or options.tokenizers is not None:
        return "--language and --tokenizers are for groups of rows of tables: add --by"
    if options.format in _OF_GROUPS:
        return f"-f {options.format} is a table of groups: it needs --by"
    is_list = options.sort or options.worst
    if (is_list or options.format == "tsv") and not options.sentence_level:
        return "-f tsv, --sort and --worst list single segments: they need -sl"
    if is_list and not options.table:
        return "--sort and --worst need -f tsv or -f json"
    return None


def _problem_of_groups(options: Options, parser: Parser) -> str | None:
    """Return which option --by does not support, if any."""
    if (options.language is None) != (options.tokenizers is None):
        return "--language and --tokenizers go together: a column, and its tokenizers"
    if options.test:
        return f"--by does not support --paired-{options.test}"
    of_segments = "sentence_level", "score_only", "short", "sort", "worst", "keyed", "keyed_by"
    others = "documents", "identify", "explain", "html", "md", "test_set", "num_refs", "metrics"
    for name in (*of_segments, *others):
        if getattr(options, name) != parser.get_default(name):
            return f"--by does not support --{name.replace('_', '-')}"
    if options.format == "tsv":
        return "the formats of --by are json, text, csv, latex, markdown and parquet"
    return None


def _check_files(options: Options) -> None:
    """Refuse files that do not belong together, before any is opened."""
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
            raise InputError("--origlang and --subset select parts of a test set: name it with -t")
    elif options.references:
        raise InputError("there are both reference files and a test set (-t): drop one of them")
    elif options.langpair is None:
        raise InputError(f"test set {options.test_set} needs a language pair, such as -l en-de")
    if [*options.references, *(options.input or [STDIN])].count(STDIN) > 1:
        hint = " (without -i the hypotheses are read from it)" if options.input is None else ""
        problem = f"standard input (-) is named more than once{hint}, but can be read only once"
        raise InputError(f"{problem}: save it to a file first")
    # The baseline of a test is often listed again among all systems.
    for name in options.systems[1:] if options.test else options.systems:
        if (options.input or []).count(name) > 1:
            raise InputError(f"{name} is given twice after -i; every system needs its own name")


def option_warnings(options: Options) -> Iterator[str]:
    """Yield warnings about the options."""
    wanted = BY_LANGUAGE.get(options.target_language)
    if wanted and options.tokenize in WITHOUT_MODEL and options.tokenize != wanted:
        fix = f"use {wanted} or a SentencePiece tokenizer, such as flores200"
        yield f"-tok {options.tokenize} does not suit -l {options.langpair}: {fix}"
    method = options.smooth_method
    if options.smooth_value is not None and SMOOTH_DEFAULTS.get(method, 1) is None:
        yield f"--smooth-value has no effect with --smooth-method {method}"
    if options.test_set is not None and options.tokenize == "none":
        yield "with -tok none the score cannot be compared with published ones"
