"""Checked arguments for a dialect: how to read text and count, and the options of scores."""

from __future__ import annotations

from collections.abc import Sequence

from .._core import REFERENCE_LENGTHS
from ..inputs.arguments import DEFAULT, check_choice, check_lowercase

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .base import Dialect


class Options:
    """Checked options of a score; `weights` is None if all are 1 / max_order."""

    __slots__ = ("effective_order", "smoothing", "smoothing_value", "weights")

    def __init__(
        self,
        weights: tuple[float, ...] | None,
        smoothing: str,
        smoothing_value: float | None,
        effective_order: bool,
    ) -> None:
        self.weights = weights
        self.smoothing = smoothing
        self.smoothing_value = smoothing_value
        self.effective_order = effective_order


def read_text_rules(
    rules: Dialect,
    tokenize: Any,
    lowercase: Any,
    max_order: int | None,
    reference_length: str | None,
    weights: Sequence[float] | None,
) -> tuple[Any, bool, int, str]:
    """Check `tokenize`, `lowercase`, `max_order` and `reference_length` for a dialect.

    Arguments that are not given are the original's defaults.

    Raises
    ------
    TypeError, ValueError
        The original does not have the value, the reference length is unknown, or `lowercase` is not
        a bool or not for text.
    """
    if max_order is None:
        max_order = rules.max_order
        if rules.weights_set_order and weights:
            max_order = len(weights)
    else:
        rules._check_order(max_order)
    if reference_length is None:
        reference_length = rules.reference_length
    elif reference_length not in (rules.reference_length, *rules.reference_lengths):
        check_choice("reference_length", reference_length, (*REFERENCE_LENGTHS, "average"))
        known = _any(rules.reference_lengths or [rules.reference_length])
        raise rules._refusal(f"reference_length={reference_length!r}", f"it takes the {known}")
    if tokenize is DEFAULT:
        tokenize = rules.tokenizer
    elif tokenize is not None:
        tokenize = _own_tokenizer(rules, tokenize)
    if lowercase is None:
        lowercase = rules.lowercase and tokenize is not None
    else:
        lowercase = check_lowercase(lowercase, tokenize is not None)
        if tokenize is not None and lowercase not in rules.cases:
            reason = f"it {'always' if rules.lowercase else 'never'} ignores case"
            raise rules._refusal(f"lowercase={lowercase}", reason)
    return tokenize, lowercase, max_order, reference_length


def _own_tokenizer(rules: Dialect, tokenize: Any) -> Any:
    """The tokenizer that the original calls by this name; any name if it takes tokens."""
    if rules.tokenizers is None:
        return tokenize
    name = getattr(tokenize, "name", tokenize)
    if isinstance(name, str) and name in rules.tokenizers:
        return rules.tokenizers[name]
    if name in rules.tokenizers.values():
        return tokenize
    known = _any([*map(repr, rules.tokenizers), "None for lists of tokens"])
    raise rules._refusal(f"tokenize={name!r}", f"its tokenizers are {known}")


def _any(values: Any) -> str:
    *others, last = map(str, values)
    return f"{', '.join(others)} or {last}" if others else last
