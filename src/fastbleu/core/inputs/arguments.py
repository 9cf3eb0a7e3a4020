"""Single arguments: tests of their kinds, checks, and how messages show them.

A check returns the checked value, or raises an error that names the argument.
"""

from __future__ import annotations

import operator
from collections.abc import Collection, Iterable, Sequence

from ..._core import MAX_ORDER
from ..runtime.import_lock import import_locked
from .errors import InputTypeError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, NoReturn


# What other libraries call parameters of ours.
_NAMES_ELSEWHERE = {
    **dict.fromkeys(("max_order", "n_gram", "ngram"), "max_ngram_order"),
    **dict.fromkeys(("n_jobs", "num_workers"), "threads"),
    **dict.fromkeys(("pad_id", "pad_token_id", "pad_ids"), "ignore_ids"),
    **dict.fromkeys(("smooth", "smoothing", "smoothing_function"), "smooth_method"),
    **dict.fromkeys(("tokenizer", "trg_lang"), "tokenize"),
    **dict.fromkeys(("eos_token_id", "stop_id"), "stop_ids"),
    "smoothing_value": "smooth_value",
    "keep_segments": "keep_stats",
}


def a_type(value: object) -> str:
    """The name of a value's type with its article, for messages: "a str", "an int"."""
    name = type(value).__name__
    return f"{'an' if name.startswith(tuple('aeioAEIO')) else 'a'} {name}"


def list_or_tuple(segments: Any) -> Any:
    """Return an exact list or tuple as it is, anything else as a list of its elements."""
    if type(segments) in (list, tuple):
        return segments
    # Arrays and Series convert themselves to lists several times faster than iteration does.
    kind = getattr(getattr(segments, "dtype", None), "kind", "")
    if kind in ("O", "T", "U") and getattr(segments, "ndim", 0) == 1:
        listed = segments.tolist() if hasattr(segments, "tolist") else None
        if type(listed) is list:
            return listed
    if type(segments) is memoryview:  # iteration needs one dimension
        return segments.tolist()
    return list(segments)


def is_array(value: object) -> bool:
    """Whether a value is an array or a tensor of numbers with at least one dimension."""
    if type(value) in (list, tuple, str) or not shape_of(value):
        return False
    dtype = getattr(value, "dtype", None)
    if dtype is None:
        return not hasattr(value, "columns")  # a data frame
    # The dtypes of tensors have no `kind`, and are always numbers.
    return getattr(dtype, "kind", "i") not in "OUSTVmM"


def shape_of(value: object) -> tuple[int, ...] | None:
    try:
        shape = getattr(value, "shape", None)
    except RuntimeError as error:  # from PyTorch's nested tensors
        raise InputTypeError(
            f"{a_type(value)} without a shape, such as a nested tensor, cannot be read; "
            "pass a list of tensors, such as .unbind() returns"
        ) from error
    return None if shape is None else tuple(shape)


def is_collection(value: object) -> bool:
    """Whether a value has a length and is not text."""
    return hasattr(value, "__len__") and not isinstance(value, (str, bytes))


def is_iterable(value: object) -> bool:
    """Whether iter(value) may work, without importing `collections.abc`, which is slow."""
    return hasattr(value, "__iter__") or hasattr(value, "__getitem__")


# The most characters of a value, and names of a list, that a message shows.
_SHOWN, _NAMES_SHOWN = 80, 12


def shown(value: object) -> str:
    """A value as all messages show it: `repr`, on one line, of at most 80 characters."""
    text = repr(value[:_SHOWN] if isinstance(value, (str, bytes)) else value).replace("\n", " ")
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 4]}...{text[-1]}"


def number_of(count: int, noun: str, plural: str = "") -> str:
    """A count with its noun: "1 segment", "2 segments"."""
    return f"{count} {noun if count == 1 else plural or f'{noun}s'}"


def names_shown(names: Iterable[object]) -> str:
    """Names as a message lists them: at most a dozen."""
    listed = [str(name) for name in names]
    more = len(listed) - _NAMES_SHOWN
    return ", ".join(listed[:_NAMES_SHOWN]) + f" and {more} more" * (more > 0)


def _plain(name: str) -> str:
    return name.lower().replace("-", "").replace("_", "")


def known_name(name: object, known: Collection[str]) -> str | None:
    """The known name that differs at most in case, hyphens and underscores, or None."""
    if not isinstance(name, str):
        return None
    return name if name in known else {_plain(word): word for word in known}.get(_plain(name))


# nltk's smoothing methods, and their names in dialects.
NLTK_METHODS = {"method1": "floor", "method2": "add-k", "method3": "exp", "method4": "method4"}
# What names of other programs, and parts of ours, mean.
_MEANT = {
    **dict.fromkeys(("hf", "huggingface"), "evaluate"),
    **dict.fromkeys(("moses", "moses-bleu", "multi_bleu.perl", "multi-bleu.perl"), "multi-bleu"),
    **dict.fromkeys(("mecab", "ja", "japanese"), "ja-mecab"),
    **dict.fromkeys(("ko", "korean"), "ko-mecab"),
    **dict.fromkeys(("chinese", "zh-CN"), "zh"),
    **dict.fromkeys(("torch", "pytorch"), "torchmetrics"),
    **dict.fromkeys(("add-one", "add1", "add-1", "laplace", "lin"), "add-k"),
    **NLTK_METHODS,
}


def unknown_name(
    what: str, name: object, known: Iterable[str], more: str = "", others: Iterable[str] = ()
) -> str:
    """The message for an unknown name: the closest of `known` and `others`, all known, `more`."""
    names = [*known]
    meant = None
    if isinstance(name, str):
        meant = _MEANT.get(name.lower())
        if meant not in names:
            meant = closest(name, names) or closest(name, others)
    hint = f"; did you mean {meant!r}? Choose" if meant else "; choose"
    return f"{what} {shown(name)} is unknown{hint} one of {names_shown(names)}{more}"


def check_integer(name: str, value: Any, least: int | None = None, others: str = "") -> int:
    """Return an argument as an integer, not less than `least`; messages also name `others`."""
    try:
        number = operator.index(value)
    except TypeError:
        number = None
    if number is None or isinstance(value, bool):
        expected = "an integer" if least is None else f"an integer from {least}"
        raise TypeError(f"{name} is {shown(value)}, expected {expected}{others}")
    if least is not None and number < least:
        raise ValueError(f"{name} is {number}, but must be at least {least}")
    return number


def as_double(name: str, value: Any) -> float:
    """A number as a Python float, because numpy's float32 compares equal to different doubles."""
    try:
        return float(value)
    except (TypeError, ValueError):
        raise TypeError(f"{name} has {shown(value)}, expected a number") from None


def check_positive(name: str, value: object) -> int:
    """Return an argument as an integer from 1 to MAX_ORDER."""
    number = value if type(value) is int else check_integer(name, value)
    if not 1 <= number <= MAX_ORDER:
        raise ValueError(f"{name} is {number}, but must lie in 1..{MAX_ORDER}")
    return number


def check_flag(name: str, value: object) -> bool:
    """Return an argument as a bool; refuse strings such as "False", which would be true."""
    if isinstance(value, (str, bytes)):
        raise TypeError(f"{name} is {shown(value)}, {a_type(value)}; expected True or False")
    return bool(value)


def check_lowercase(value: object, is_text: bool) -> bool:
    """Return `lowercase` as a bool; only text may be lowercased."""
    lowered = check_flag("lowercase", value)
    if lowered and not is_text:
        raise ValueError("lowercase=True needs text; lists of tokens are compared as they are")
    return lowered


def check_choice(name: str, value: object, choices: Sequence[str]) -> None:
    """Raise ValueError unless the value is one of the choices."""
    if not (isinstance(value, str) and value in choices):
        raise ValueError(unknown_name(name, value, choices))


def closest(name: str, known: Iterable[str]) -> str | None:
    """Return the known name that is closest to an unknown one, if any is close."""
    plain, by_plain = _plain(name[:_SHOWN]), {_plain(word): word for word in known}
    longer = [word for word in by_plain if len(plain) > 2 and word.startswith(plain)]
    close: list[str] = sorted(longer, key=len)
    close = close or import_locked("difflib").get_close_matches(plain, by_plain, 1)
    return by_plain[close[0]] if close else None


# The parameters that `fastbleu.BLEU` has with every dialect.
PARAMETERS = (
    *("dialect", "tokenize", "lowercase", "max_ngram_order", "weights", "smooth_method"),
    *("smooth_value", "effective_order", "reference_length", "ignore_ids", "stop_ids", "skip_ids"),
    *("threads", "keep_stats"),
)


def refuse_texts(problem: str = "") -> NoReturn:
    """Raise the error for positional arguments of `fastbleu.BLEU`."""
    raise TypeError(
        f"{problem}fastbleu.BLEU takes options by keyword, as in BLEU(tokenize=...), and scores by "
        "a method: call BLEU().score(hypotheses, references)"
    )


def refuse_name(unknown: str, others: Iterable[str]) -> NoReturn:
    """Raise the error for an unknown parameter, suggesting one of PARAMETERS or `others`."""
    if unknown in ("hypotheses", "references", "predictions"):
        refuse_texts()
    meant = _NAMES_ELSEWHERE.get(unknown) or closest(unknown, [*PARAMETERS, *others])
    hint = f"; did you mean {meant!r}?" if meant else ""
    raise TypeError(f"fastbleu.BLEU has no parameter {shown(unknown)}{hint}")
