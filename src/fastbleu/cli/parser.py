"""argparse as the command needs it: lenient spelling, help for any width, types of options.

`Options` holds the options that were given, and the settings derived from them.
"""

from __future__ import annotations

import argparse
import codecs
import os
import re
import sys
from contextlib import suppress
from itertools import chain

from ..core.inputs.arguments import closest, known_name, shown, unknown_name
from ..core.scoring.names import get, names
from ..core.tokenizers.tokenizer import BY_LANGUAGE
from ..files.formats import DELIMITERS
from ..sacrebleu.base import read_seed, seed_of_environment
from .readers import InputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, NoReturn

# Options of sacreBLEU whose abbreviations would be ambiguous here.
_SHORTENED = ("--tokenize", "--language-pair", "--sentence-level")

FORMATS = ("json", "text", "latex")
_REPORT_LABELS = ("sources", "documents", "groups", "ids")  # files of a report only


class Help(argparse.HelpFormatter):
    """Wraps each line of a text separately, between words only: names contain hyphens."""

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
    def spelled(self, word: str) -> str:
        """Return a word of the command line, with a long option in this parser's spelling."""
        if not word.startswith("--"):
            return word
        known = [option for option in self._option_string_actions if option.startswith("--")]
        name, equals, value = word.partition("=")
        own = known_name(name, known)
        if own is None and len(name) > 3:
            own = next((option for option in _SHORTENED if option.startswith(name)), None)
        return (own or name) + equals + value

    def closest(self, word: str) -> str | None:
        """Return the option closest to an unknown one."""
        return closest(word, _SHORTENED) or closest(word, self._option_string_actions)

    def _get_value(self, action: argparse.Action, arg_string: str) -> Any:
        """Return the value, or the choice that differs from it only in case and hyphens."""
        value, choices = super()._get_value(action, arg_string), [*(action.choices or ())]
        if choices and known_name(value, choices) is None:
            raise argparse.ArgumentError(action, unknown_name("value", value, choices))
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


class Options(argparse.Namespace):
    """The options, as `make_parser` declares them, and the settings derived from them."""

    def complete(self) -> None:
        """Set the settings that follow from the options."""
        # The names after -i, each once.
        self.systems: list[str] = [*dict.fromkeys(self.input or [])]
        self.target_language = self.langpair.split("-")[1] if self.langpair is not None else ""
        # For sacreBLEU; other dialects have their own default, and print as their originals.
        self.tokenizer = self.tokenize or BY_LANGUAGE.get(self.target_language, "13a")
        self.prints_as_sacrebleu = self.dialect == "sacrebleu"
        # The prefix of messages about the options of another dialect.
        self.where = "" if self.prints_as_sacrebleu else f"--dialect {self.dialect}: "
        # Samples or trials of the paired test.
        is_bootstrap = self.test == "bs"
        requested = self.paired_bs_n if is_bootstrap else self.paired_ar_n
        self.samples = requested if requested > 0 else 1000 if is_bootstrap else 10_000
        # The files of a report's labels, by name; --by has its keys here.
        given = {name: getattr(self, name) for name in _REPORT_LABELS}
        self.labels = {name: file for name, file in given.items() if file is not None}
        # The files of the reports, by the options that request them.
        reports = {"--html": self.html, "--md": self.md}
        self.reports = {option: path for option, path in reports.items() if path is not None}
        self.diagnosed = self.explain is not None or self.identify is not None
        # The format of the result, "table" for people; see `table` for single segments.
        self.output_format = self.format or ("text" if self.diagnosed else "json")
        on_terminal = sys.stdout is not None and sys.stdout.isatty()
        of_sacrebleu = self.test and "ter" in self.metrics
        in_lines = self.sentence_level or self.score_only or self.by is not None
        if on_terminal and not (self.format or self.diagnosed or in_lines or of_sacrebleu):
            self.output_format = "table"
        of_environment = os.environ.get("SACREBLEU_FORMAT", "").lower()
        if of_environment in FORMATS and self.by is None:
            self.output_format = of_environment
        # How single segments are listed, "tsv", "json" or "".
        listed = self.format or ("tsv" if self.sort or self.worst else "")
        is_table = self.sentence_level and not self.diagnosed and listed not in ("text", "latex")
        self.table = listed if is_table else ""
        # Whether whitespace at the end of a segment is dropped before it is counted.
        self.strips = self.prints_as_sacrebleu and not (self.reports or self.diagnosed)
        # Whether only some segments of a test set are scored, or none.
        self.filtered = self.origlang is not None or self.subset is not None
        self.delegated = bool(self.list or self.echo or self.citation or self.download)
        self.progress = not self.quiet and sys.stderr is not None and sys.stderr.isatty()
        self.uses_colors = not (self.no_color or os.environ.get("NO_COLOR"))

    @property
    def random_seed(self) -> int | None:
        """The seed of random draws; None for a different one each time."""
        try:
            return read_seed(self.seed, "--seed") if self.seed else seed_of_environment()
        except ValueError as error:
            raise InputError(str(error)) from error

    def check_systems(self, systems: int) -> None:
        """Refuse options that do not fit the number of systems."""
        if self.sentence_level:
            if systems > 1 and not self.table:
                problem = f"-sl prints the scores of one system, but there are {systems}"
                raise InputError(f"{problem}: add -f tsv or -f json to list them side by side")
            if self.confidence or self.test:
                problem = "-sl scores single segments, for which there are no statistical tests"
                raise InputError(problem)
        if self.test and systems == 1:
            problem = f"--paired-{self.test} compares different systems, but there is only one"
            raise InputError(f"{problem}: name all of them after -i")
        if self.diagnosed and systems > 1:
            option = "--explain" if self.identify is None else "--identify"
            raise InputError(f"{option} is for one system, but there are {systems}")


# Types of options.


def integer(text: str, low: int | None = None, high: int = sys.maxsize) -> int:
    with suppress(ValueError):
        if (-high if low is None else low) <= (number := int(text)) <= high:
            return number
    limits = f" from {low} to {high}" if high < sys.maxsize else f" of at least {low}"
    wanted = "an integer" + limits * (low is not None)
    raise argparse.ArgumentTypeError(f"expected {wanted}, not {shown(text)}")


def dialect(text: str) -> str:
    try:
        return known_name(text, names()) or str(get(text) and text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from error


def pair(text: str) -> str:
    if "-" in text:
        return text
    raise argparse.ArgumentTypeError(f"{shown(text)} is not a language pair, such as en-de")


def delimiter(text: str) -> str:
    if (text := text.replace(r"\t", "\t")) in DELIMITERS:
        return text
    raise argparse.ArgumentTypeError(f"{shown(text)} is not one of {' '.join(DELIMITERS)!r}")


def encoding(text: str) -> str:
    with suppress(LookupError, ValueError):  # ValueError: a NUL in the name
        "".encode(text)  # fails for codecs that do not encode text
        return codecs.lookup(text).name
    raise argparse.ArgumentTypeError(f"{shown(text)} is not an encoding that Python knows")


def seed(text: str) -> str:
    try:
        read_seed(text, "it")
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from error
    return text
