"""The tokens of segments as lists, for dialects that count them themselves."""

from __future__ import annotations

from ..inputs.column_pairs import columns_of
from ..inputs.ids import are_ids
from ..inputs.segments import list_or_tuple, listed_segments
from ..tokenizers.libraries import splitting
from ..tokenizers.table import tokenize as split
from .batch import CountOptions

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from .batch import Segment


def listed_columns(hypotheses: Any, references: Any, options: CountOptions) -> tuple[Any, Any]:
    """Columns as lists, so that they can be read twice; anything else as it is."""
    is_text = options.tokenizer is not None
    columns = columns_of(hypotheses, references, is_text, options.reads_utf8)
    return (hypotheses, references) if columns is None else columns.lists()


def token_lists(hypotheses: Any, references: Any, options: CountOptions) -> list[Segment]:
    """(hypothesis, references) of each segment of input that counting has checked.

    Raises
    ------
    TypeError
        The input is token ids.
    """
    if options.tokenizer is None and (options.id_rules or are_ids(hypotheses, references)):
        raise TypeError("this dialect takes text or lists of tokens, not arrays of token ids")
    of_hypothesis, of_reference = _reader(options, False), _reader(options, True)
    segments = []
    for hypothesis, its in zip(*listed_segments(hypotheses, references), strict=True):
        listed = [its] if isinstance(its, str) else list_or_tuple(its)
        segments.append((of_hypothesis(hypothesis), [of_reference(one) for one in listed]))
    return segments


def _reader(options: CountOptions, is_reference: bool) -> Callable[[Any], list[Any]]:
    tokenizer, lowercase = options.tokenizer, options.lowercase
    if tokenizer is None:
        return list
    if tokenizer.prepared is not None:
        return splitting(tokenizer.prepared, lowercase, is_reference)
    return lambda text: split(text.lower() if lowercase else text, tokenizer)
