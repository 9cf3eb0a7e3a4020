"""Counters for a dialect: what its original accepts as tokenizer, case, orders and references."""

from __future__ import annotations

from ..._core import REFERENCE_LENGTHS
from ..inputs.arguments import check_choice, check_lowercase
from ..tokenizers.tokenizer import load_tokenizer
from .base import TOKENS, any_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..counting.counter import Counter
    from ..inputs.ids import IdFilter
    from .base import Dialect


def make_counter(
    dialect: Dialect,
    tokenize: Any = None,
    lowercase: bool | None = None,
    max_ngram_order: int | None = None,
    reference_length: str | None = None,
    threads: int = 1,
    id_filter: IdFilter | None = None,
) -> Counter:
    """A counter for the dialect. Parameters as for `BLEU`; None is the original's default.

    Raises
    ------
    TypeError, ValueError
        A value is unknown or not supported by the original, or `lowercase` is not a bool or
        is given for tokens.
    """
    if max_ngram_order is None:
        max_ngram_order = dialect.max_ngram_order
    else:
        check_order(dialect, max_ngram_order)
    if reference_length is None:
        reference_length = dialect.reference_lengths[0]
    elif reference_length not in dialect.reference_lengths:
        check_choice("reference_length", reference_length, (*REFERENCE_LENGTHS, "average"))
        allowed = any_of(dialect.reference_lengths)
        raise dialect.refusal(f"reference_length={reference_length!r}", f"it takes the {allowed}")
    is_text, tokenizer = tokenize is not False, None
    if not is_text:
        dialect.require(TOKENS)
    elif tokenize is None:
        tokenizer = load_tokenizer(dialect.tokenizer)
    else:
        tokenizer = load_tokenizer(dialect.own_tokenizer(tokenize))
    if lowercase is None:
        lowercase = is_text and dialect.cases[0]
    else:
        lowercase = check_lowercase(lowercase, is_text)
        if is_text and lowercase not in dialect.cases:
            reason = f"it {'never' if lowercase else 'always'} ignores case"
            raise dialect.refusal(f"lowercase={lowercase}", reason)
    counter = dialect.counter(
        tokenizer,
        lowercase,
        max_ngram_order,
        threads,
        reference_length=reference_length,
        id_filter=id_filter,
        least_total=dialect.minimum_total,
    )
    counter.dialect = dialect
    return counter


def check_order(dialect: Dialect, max_ngram_order: int) -> None:
    """Refuse a `max_ngram_order` that the original does not have."""
    if max_ngram_order not in dialect.orders:
        orders = ", ".join(map(str, dialect.orders))
        raise dialect.refusal(
            f"max_ngram_order={max_ngram_order}", f"its longest n-grams are {orders}"
        )
