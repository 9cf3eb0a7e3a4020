"""Checks of single arguments: each returns the checked value or raises an error that names it."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Sequence

from .._core import MAX_ORDER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, NoReturn


class Default:
    """The default of a parameter for which None has a meaning of its own."""

    def __repr__(self) -> str:
        return "<the dialect's>"

    def __reduce__(self) -> str:
        return "DEFAULT"


DEFAULT = Default()

# Names of parameters in other libraries.
_NAMES_ELSEWHERE = {
    **dict.fromkeys(("max_ngram_order", "n_gram", "ngram"), "max_order"),
    **dict.fromkeys(("n_jobs", "num_workers"), "threads"),
    **dict.fromkeys(("pad_id", "pad_token_id"), "ignore_ids"),
    **dict.fromkeys(("smooth", "smooth_method", "smoothing_function"), "smoothing"),
    **dict.fromkeys(("tokenizer", "trg_lang"), "tokenize"),
    "eos_token_id": "stop_id",
    "smooth_value": "smoothing_value",
}


def check_integer(name: str, value: Any) -> int:
    """Return an argument as an integer."""
    try:
        return operator.index(value)
    except TypeError:
        raise TypeError(f"{name} is {value!r}, expected an integer") from None


def check_positive(name: str, value: Any) -> int:
    """Return an argument as an integer from 1 to MAX_ORDER."""
    number = check_integer(name, value)
    if not 1 <= number <= MAX_ORDER:
        raise ValueError(f"{name} is {number}, but must lie in 1..{MAX_ORDER}")
    return number


def check_flag(name: str, value: Any) -> bool:
    """Return an argument as a bool; refuse strings such as "False", which would be true."""
    if isinstance(value, (str, bytes)):
        raise TypeError(f"{name} is {value!r}, a {type(value).__name__}; expected True or False")
    return bool(value)


def check_lowercase(value: Any, is_text: bool) -> bool:
    """Return `lowercase` as a bool; only text may be lowercased."""
    lowered = check_flag("lowercase", value)
    if lowered and not is_text:
        raise ValueError("lowercase=True needs text; lists of tokens are compared as they are")
    return lowered


def check_choice(name: str, value: object, choices: Sequence[str]) -> None:
    """Raise ValueError unless the value is one of the choices."""
    if value not in choices:
        raise ValueError(f"{name} {value!r} is unknown; choose one of {', '.join(choices)}")


def closest(name: str, known: Iterable[str]) -> str | None:
    """Return the known name that is closest to an unknown one, if any is close."""
    from difflib import get_close_matches

    close = get_close_matches(name, list(known), 1)
    return close[0] if close else None


def refuse_name(unknown: str, names: Iterable[str]) -> NoReturn:
    """Raise the error for an unknown name, and suggest one of the parameters' `names`."""
    known = ["tokenize", "hashed", "keywords", *(name for name in names if name != "tokenizer")]
    meant = _NAMES_ELSEWHERE.get(unknown) or closest(unknown, known)
    hint = f"; did you mean {meant!r}?" if meant else ""
    raise TypeError(f"fastbleu.BLEU has no parameter {unknown!r}{hint}")
