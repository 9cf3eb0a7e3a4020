"""Checks of single arguments: each returns the checked value or raises an error that names it."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Mapping, Sequence

from .._core import MAX_ORDER
from ..runtime.import_lock import import_lock

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, NoReturn


class Default:
    """The default of a parameter for which None means something else."""

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


def a_type(value: object) -> str:
    """The name of a value's type with its article, for messages: "a str", "an int"."""
    name = type(value).__name__
    return f"{'an' if name.startswith(tuple('aeioAEIO')) else 'a'} {name}"


def check_integer(name: str, value: Any) -> int:
    """Return an argument as an integer."""
    try:
        return operator.index(value)
    except TypeError:
        raise TypeError(f"{name} is {value!r}, expected an integer") from None


def as_double(name: str, value: Any) -> float:
    """A number as a Python float, because numpy's float32 compares equal to different doubles."""
    try:
        return float(value)
    except (TypeError, ValueError):
        raise TypeError(f"{name} has {value!r}, expected a number") from None


def check_positive(name: str, value: object) -> int:
    """Return an argument as an integer from 1 to MAX_ORDER."""
    number = value if type(value) is int else check_integer(name, value)
    if not 1 <= number <= MAX_ORDER:
        raise ValueError(f"{name} is {number}, but must lie in 1..{MAX_ORDER}")
    return number


def check_flag(name: str, value: object) -> bool:
    """Return an argument as a bool; refuse strings such as "False", which would be true."""
    if isinstance(value, (str, bytes)):
        raise TypeError(f"{name} is {value!r}, {a_type(value)}; expected True or False")
    return bool(value)


def check_lowercase(value: object, is_text: bool) -> bool:
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
    with import_lock:
        from difflib import get_close_matches

    close = get_close_matches(name, list(known), 1)
    return close[0] if close else None


_PARAMETERS = (
    *("tokenize", "lowercase", "max_order", "weights", "smoothing", "smoothing_value"),
    *("effective_order", "threads", "dialect", "reference_length", "ignore_ids", "stop_id"),
    *("skip_ids", "keep_segments"),
)


def refuse_options(function: str, given: Mapping[str, object], known: Iterable[str] = ()) -> None:
    """Raise the error for arguments that a function does not have; its metric may have them."""
    for name, value in given.items():
        meant = closest(name, known)
        fix = f"; did you mean {meant!r}?" if meant else ""
        if name in _PARAMETERS:
            fix = f"; it belongs to the metric: pass metric=fastbleu.BLEU({name}={value!r})"
        raise TypeError(f"{function} has no parameter {name!r}{fix}")


def refuse_name(unknown: str, others: Iterable[str]) -> NoReturn:
    """Raise the error for an unknown parameter, and suggest a known one; `others` are rare."""
    meant = _NAMES_ELSEWHERE.get(unknown) or closest(unknown, [*_PARAMETERS, *others])
    hint = f"; did you mean {meant!r}?" if meant else ""
    raise TypeError(f"fastbleu.BLEU has no parameter {unknown!r}{hint}")
