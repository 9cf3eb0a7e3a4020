"""argparse as the command needs it: lenient spelling, types of options, help for any width."""

from __future__ import annotations

import argparse
import codecs
import re
import sys
from contextlib import suppress
from functools import partial
from itertools import chain

from ..core.inputs.arguments import closest, known_name, shown, unknown_name
from ..core.scoring.names import get, names
from ..files.formats import DELIMITERS
from ..sacrebleu.base import read_seed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, NoReturn

# Options of sacreBLEU whose abbreviations would be ambiguous here.
_SHORTENED = ("--tokenize", "--language-pair", "--sentence-level")


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


def add_options_of_metrics(add: Any) -> None:
    """Add the options of chrF and TER; `add` is the method of a group."""
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


def problem_of_metrics(options: Any) -> str | None:
    """Return what is wrong with the options for these metrics, if anything."""
    if [*options.metrics] != ["bleu"]:
        if not options.prints_as_sacrebleu or options.reported or options.diagnosed:
            return "--dialect, --explain, --identify and reports are for -m bleu"
        if options.sentence_level and len({*options.metrics}) > 1:
            return "-sl prints the scores of one metric: name one after -m"
    return None
