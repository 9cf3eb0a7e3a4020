"""The parser of the command line, and what it prints about the options.

Spellings and defaults are those of the command `sacrebleu`, so that its users' scripts work. The
defaults are in `Options`.
"""

from __future__ import annotations

import argparse
import codecs
import re
from contextlib import suppress
from itertools import chain

from .. import __version__
from ..dialects._sacrebleu import SMOOTH_DEFAULTS
from ..dialects.names import get, names
from ..inputs.arguments import closest, known_name, shown, unknown_name
from ..inputs.file_formats import DELIMITERS
from ..inputs.missing import CHOICES
from ..sacrebleu.bleu_score import read_seed
from ..tokenizers.tokenizer import OF_WORDS, TOKENIZERS
from .formats import NAMED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, NoReturn

FORMATS = ("json", "text", "latex")
OF_GROUPS = ("csv", "markdown", "parquet")  # formats of --by only
_SHELLS = ("bash", "zsh", "fish", "tcsh")
# Values that only some dialects accept; the dialects check them.
ONLY_DIALECTS = {
    "tokenize": ("international", "international-e"),
    "smooth_method": ("add-1", "method4"),
}
# Options of sacreBLEU whose beginnings others would make ambiguous.
_SHORTENED = ("--tokenize", "--language-pair", "--sentence-level")


# What `fastbleu` alone and -h print: ten lines of 50 columns.
SUMMARY = """\
usage: fastbleu REF ... -i HYP ... [options]
BLEU of one or more systems, as sacreBLEU has it.

  fastbleu ref.txt -i system.txt -b
  fastbleu ref.txt -i a.txt b.txt --paired-bs
  fastbleu news.tsv::ref -i news.tsv::mt -f text

-b prints the score only, -tok names a tokenizer,
--dialect another BLEU, --html writes a report.
fastbleu --help explains all options.
"""
_EPILOG = """\
Files are plain text, one segment per line; line i of every file belongs to segment i. Files of \
.gz, .bz2, .xz, .zst or .zip are unpacked; - is standard input. Without -i, the hypotheses are \
read from standard input, where tabs separate systems. Some files hold several texts; ::SELECTOR \
after the name selects one:
  FILE.tsv::3              column 3; FILE.tsv::mt is the column named mt in line 1
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


class _Help(argparse.HelpFormatter):
    """Wraps each line of a text, between words, because names have hyphens."""

    def __init__(self, prog: str) -> None:
        from shutil import get_terminal_size

        super().__init__(prog, max_help_position=24 if get_terminal_size().columns >= 70 else 6)

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        return "\n".join(chain(*(self._split_lines(line, width) for line in text.splitlines())))

    def _split_lines(self, text: str, width: int) -> list[str]:
        from textwrap import wrap

        hanging = "    " * text.startswith(" ")
        return wrap(text, width, subsequent_indent=hanging, break_on_hyphens=False) or [""]


class Parser(argparse.ArgumentParser):
    def spelled(self, words: Sequence[str]) -> list[str]:
        """The words of the command line, long options as they are spelled here."""
        known = [option for option in self._option_string_actions if option.startswith("--")]
        spelled = []
        for word in words:
            name, equals, value = word.partition("=")
            own = known_name(name, known) if word.startswith("--") else None
            if own is None and len(name) > 3:
                own = next((option for option in _SHORTENED if option.startswith(name)), None)
            spelled.append((own or name) + equals + value)
        return spelled

    def closest(self, word: str) -> str | None:
        """The option that an unknown one may mean."""
        return closest(word, _SHORTENED) or closest(word, self._option_string_actions)

    def _get_value(self, action: argparse.Action, arg_string: str) -> Any:
        """A value; of several choices the one that differs at most in case and hyphens."""
        value, choices = super()._get_value(action, arg_string), [*(action.choices or ())]
        if choices and known_name(value, choices) is None:
            more = "; for others call the command sacrebleu" * (action.dest == "metrics")
            raise argparse.ArgumentError(action, unknown_name("value", value, choices, more))
        return known_name(value, choices) if choices else value

    def error(self, message: str) -> NoReturn:
        """Exit with status 2; for an ambiguous option say what each candidate does."""
        start, separator, names = message.partition(" could match ")
        if separator:
            options = {name: self._option_string_actions[name] for name in names.split(", ")}
            meanings = [f"{name} ({action.help})" for name, action in options.items()]
            message = f"{start} could be {' or '.join(meanings)}".replace("%%", "%")
        super().error(
            re.sub(r"'[^']{79,}'|[^\s:]{81,}", lambda long: long[0][:77] + "...", message)
        )


def make_parser() -> Parser:
    """The parser of the command line."""
    parser = Parser(
        prog="fastbleu",
        usage="fastbleu REF ... -i HYP ... [options]",
        description="BLEU of one or more systems, as sacreBLEU computes it.",
        epilog=_EPILOG,
        formatter_class=_Help,
        add_help=False,
    )
    # Groups, because for what is outside of one argparse makes a formatter each time.
    add = parser.add_argument_group("positional arguments").add_argument
    add("references", nargs="*", metavar="REF", help="reference files; they come first")
    add = parser.add_argument_group("options").add_argument
    add("-h", action="version", version=SUMMARY, help="print the most important in ten lines")
    add("--help", action="help", help="print this and exit")
    text = "files of hypotheses, one for each system (default: standard input)"
    add("-i", "--input", nargs="+", metavar="HYP", help=text)
    text = "each line of the REF file has N references, separated by tabs"
    add("-nr", "--num-refs", type=int, metavar="N", help=text)
    text = "encoding of all text files (default: utf-8)"
    add("-e", "--encoding", type=_encoding, metavar="ENC", help=text)
    add("-V", "--version", action="version", version=f"%(prog)s {__version__}")
    text = f"print a completion script for {', '.join(_SHELLS)} and exit"
    add("--print-completion", choices=_SHELLS, metavar="SHELL", help=text)

    add = parser.add_argument_group("test sets (from an installed sacreBLEU)").add_argument
    add("-t", "--test-set", metavar="SET", help="take the references from SET, or from SET,SET")
    text = "languages; without -tok, the targets zh, ja and ko select their own tokenizer"
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
    dialects = names()
    text = f"rules and defaults to use: {', '.join(dialects)} (default: sacrebleu); or a recipe"
    add("--dialect", type=_dialect, metavar="NAME", help=text)
    text = f"one of {', '.join(TOKENIZERS)} (default: 13a; see -l); some dialects have others"
    known = *TOKENIZERS, *OF_WORDS, *ONLY_DIALECTS["tokenize"]
    add("-tok", "--tokenize", choices=known, metavar="NAME", help=text)
    add("-lc", "--lowercase", action="store_true", help="ignore case")
    add("--cased", dest="lowercase", action="store_false", help="do not ignore case")
    text = f"smoothing of orders without a match: {', '.join(SMOOTH_DEFAULTS)} (default: exp)"
    known = *SMOOTH_DEFAULTS, *ONLY_DIALECTS["smooth_method"]
    add("-s", "--smooth-method", choices=known, metavar="METHOD", help=text)
    text = "closest, shortest, ... if a dialect has several"
    add("--reference-length", metavar="RULE", help=text)
    text = "value of floor (default: 0.1) or add-k (default: 1)"
    add("-sv", "--smooth-value", type=float, metavar="X", help=text)
    text = "print the score of every dialect, or why the scores of two dialects differ"
    add("--explain", nargs="*", type=_dialect, metavar="DIALECT", help=text)
    text = "find the settings whose score prints as NUMBER, such as 31.2"
    add("--identify", metavar="NUMBER", help=text)
    text = "length of the longest n-grams (default: 4)"
    add("--max-ngram-order", type=int, metavar="N", help=text)
    add("-sl", "--sentence-level", action="store_true", help="print a score for each segment")
    add("--force", action="store_true", help="do not warn about text that looks tokenized")
    text = "number of threads (default: 1); it does not change the result"
    add("--threads", type=int, metavar="N", help=text)
    text = "bleu; for other metrics use the command sacrebleu"
    add("-m", "--metrics", nargs="+", choices=["bleu"], metavar="M", default=["bleu"], help=text)

    group = parser.add_argument_group("statistics")
    add = group.add_argument
    text = "95%% confidence interval of one system's score, by bootstrap resampling"
    add("-ci", "--confidence", action="store_true", help=text)
    test = group.add_mutually_exclusive_group().add_argument
    text = "compare each system with the first one by paired bootstrap resampling"
    test("-pbs", "--paired-bs", action="store_true", help=text)
    text = "compare each system with the first one by paired approximate randomization"
    test("-par", "--paired-ar", action="store_true", help=text)
    text = "samples of --confidence (default: 1000)"
    add("-cin", "--confidence-n", type=int, metavar="N", help=text)
    text = "samples of --paired-bs (default: 1000)"
    add("-pbsn", "--paired-bs-n", type=int, metavar="N", help=text)
    text = "trials of --paired-ar (default: 10000)"
    add("-parn", "--paired-ar-n", type=int, metavar="N", help=text)
    text = "seed of random draws, or none for another each time (default: $SACREBLEU_SEED or 12345)"
    add("--seed", type=_seed, metavar="N", help=text)
    text = "accepted for compatibility with sacreBLEU; no effect"
    add("-j", "--paired-jobs", type=int, metavar="N", help=text)

    add = parser.add_argument_group("output").add_argument
    text = (
        "json (default), text, or latex for a table of several systems ($SACREBLEU_FORMAT "
        "overrides these); with -sl, tsv or json: number, scores and texts of each segment; "
        "with --by also csv, markdown or parquet"
    )
    add("-f", "--format", choices=(*FORMATS, "tsv", *OF_GROUPS), metavar="FORMAT", help=text)
    text = (
        "score each group of rows; REF, HYP and COLUMN are columns of the same file, or of the "
        "same files: a directory, or a pattern in quotation marks"
    )
    add("--by", metavar="COLUMN[,COLUMN]", help=text)
    text = (
        "error, empty or skip: of tables, segments without a text (an empty cell, null) are an "
        "error (default), have an empty one, or are skipped; ragged: of all files, references that "
        "are blank or missing are left out, unless a segment has no other"
    )
    add("--missing", choices=CHOICES, metavar="CHOICE", help=text)
    text = "whether quotation marks enclose cells of .tsv and .csv files (default: see the file)"
    add("--quoted", action=argparse.BooleanOptionalAction, help=text)
    text = "what separates cells of .tsv and .csv files (default: what line 1 has)"
    add("--delimiter", type=_delimiter, metavar="CHARACTER", help=text)
    text = f"format of files with ::SELECTOR, whatever their names end in: {', '.join(NAMED)}"
    add("--read-as", choices=NAMED, metavar="FORMAT", help=text)
    text = "with --by: the column of languages, for --tokenizers"
    add("--language", metavar="COLUMN", help=text)
    text = "with --language: the tokenizers of its values, as in zh=zh,ja=ja-mecab"
    add("--tokenizers", metavar="VALUE=NAME[,...]", help=text)
    add("-b", "--score-only", action="store_true", help="print only scores")
    add("-w", "--width", type=int, metavar="N", help="decimals (default: 1)")
    add("-sh", "--short", action="store_true", help="print the short form of the signature")
    text = "with -sl: sort by number, or by the mean score of all systems, the lowest first"
    add("--sort", choices=("segment", "score"), metavar="KEY", help=text)
    text = "with -sl: list only the N segments that have the lowest mean scores"
    add("--worst", type=int, metavar="N", help=text)
    text = "write a page that shows where the systems are good or bad; see also --sources"
    add("--html", metavar="FILE", help=text)
    add("--md", metavar="FILE", help="write the overview and some segments as Markdown")
    add("--sources", metavar="SRC", help="with --html or --md: the file of the source texts")
    for name, what in (("documents", "document"), ("groups", "group"), ("ids", "name")):
        text = f"with --html or --md: a file with the {what} of each segment, one per line"
        add(f"--{name}", metavar="FILE", help=text)
    add("--open", action="store_true", help="with --html: open the page in the browser")
    text = "never print colors; the same as setting $NO_COLOR"
    add("-nc", "--no-color", action="store_true", help=text)
    add("-q", "--quiet", action="store_true", help="never show a progress bar")
    return parser


def _dialect(text: str) -> str:
    try:
        return known_name(text, names()) or str(get(text) and text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from error


def _pair(text: str) -> str:
    if "-" in text:
        return text
    raise argparse.ArgumentTypeError(f"{shown(text)} is not a language pair, such as en-de")


def _delimiter(text: str) -> str:
    if (text := text.replace(r"\t", "\t")) in DELIMITERS:
        return text
    raise argparse.ArgumentTypeError(f"{shown(text)} is not one of {' '.join(DELIMITERS)!r}")


def _encoding(text: str) -> str:
    with suppress(LookupError, ValueError):  # ValueError: a NUL in the name
        "".encode(text)  # fails for codecs that do not encode text
        return codecs.lookup(text).name
    raise argparse.ArgumentTypeError(f"{shown(text)} is not an encoding that Python knows")


def _seed(text: str) -> str:
    try:
        read_seed(text, "it")
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from error
    return text
