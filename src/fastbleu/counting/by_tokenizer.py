"""Counting of segments that need different tokenizers."""

from __future__ import annotations

import re

from ..inputs.arrays import list_or_tuple
from ..inputs.batch import Batch
from ..runtime.import_lock import import_lock
from ._counted import Counted
from .stats import Stats

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from ..tokenizers.loaded import Tokenizer
    from .counter import Counter


def count_by_tokenizer(
    counter: Counter,
    hypotheses: Any,
    references: Any,
    tokenizers: Sequence[Tokenizer],
    keep_rows: bool = True,
) -> Counted:
    """Count text, each segment by a tokenizer of its own, and those with the same one together.

    Parameters
    ----------
    counter : Counter
        Says all but the tokenizer.
    hypotheses, references
        Lists, tuples or arrays of S segments, of a checked layout.
    tokenizers : sequence of S Tokenizer
    keep_rows : bool, default True
        As for `Counter.count`.

    Returns
    -------
    Counted
        Rows are in the order of segments.
    """
    sides = list_or_tuple(hypotheses), list_or_tuple(references)
    groups: dict[Tokenizer, list[int]] = {}
    for number, tokenizer in enumerate(tokenizers):
        groups.setdefault(tokenizer, []).append(number)
    total = Counted(0, counter.max_order, keep_rows)
    for tokenizer, numbers in groups.items():
        own = counter.with_tokenizer(tokenizer)
        some, their = ([side[number] for number in numbers] for side in sides)
        batch = Batch(some, their, warns=True)
        try:
            part = own.count(batch, keep_rows=keep_rows)
        except (TypeError, ValueError) as error:
            found = re.search(r"\bsegment (\d+)", message := str(error))
            if not found or int(found[1]) >= len(numbers):
                raise
            kind = TypeError if isinstance(error, TypeError) else ValueError
            segment = f"segment {numbers[int(found[1])]}"
            raise kind(message.replace(found[0], segment, 1)) from error
        if tokenizer.name == "none":
            part.tokenized_periods = 0  # as they should be
        total.add(part)
    if keep_rows and len(groups) > 1:
        with import_lock:
            import numpy

        order = [number for numbers in groups.values() for number in numbers]
        total.stats = Stats(numpy.asarray(total.stats)[numpy.argsort(order)], counter.max_order)
    if groups.keys() - {counter.tokenizer}:
        total.tokenizers = frozenset(
            None if one == counter.tokenizer else one.signature for one in groups
        )
    return total
