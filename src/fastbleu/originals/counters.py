"""Counting as other programs do: fewer references, and rows that are made of the tokens."""

from __future__ import annotations

from functools import cache, partial

from .._core import raise_totals
from ..core.counting._counted import Counted
from ..core.counting.counter import Counter, rereadable
from ..core.inputs._batch import Batch
from ..core.inputs._id_rows import IdRows
from ..core.inputs.errors import InputTypeError
from ..core.scoring.base import Dialect

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from ..core.counting.stats import Stats
    from ..core.tokenizers.tokenizer import Tokenizer

    Segment = tuple[list[Any], list[list[Any]]]


class FewerReferences(Counter):
    """Counts only the "first" reference, or the "fewest": as many as every segment has."""

    takes_columns = False

    def count(self, batch: Batch, *arguments: Any, **options: Any) -> Counted:
        """Count a batch of text or of lists of tokens; parameters as for `Counter.count`.

        Raises
        ------
        TypeError
            The batch holds token ids.
        """
        return super().count(self._lists(batch), *arguments, **options)

    def _lists(self, batch: Batch) -> Batch:
        """The batch as lists, with the references that count."""
        hypotheses, references = batch.lists()
        if IdRows in (type(hypotheses), type(references)) or self.id_filter is not None:
            raise InputTypeError(
                "this dialect takes text or lists of tokens, not arrays of token ids"
            )
        listed = Batch(hypotheses, references, batch.before, batch.present, batch.warns)
        kinds = set(map(type, references))
        if self.dialect.references == "all" or kinds == {str}:  # all, or one each
            return listed
        if not kinds <= {list, tuple, str}:
            listed = rereadable(self, listed)
        lists = list, tuple
        most = 1
        if self.dialect.references == "fewest":
            lengths = [len(texts) if type(texts) in lists else 1 for texts in listed.references]
            most = min(lengths, default=1)
        listed.references = [
            texts[:most] if type(texts) in lists else texts for texts in listed.references
        ]
        return listed


class TokenListCounter(FewerReferences):
    """Reads the tokens of all segments; `Counted.extra` holds them if the dialect needs them."""

    def __init__(self, tokenizer: Tokenizer | None, *arguments: Any, **options: Any) -> None:
        super().__init__(tokenizer, *arguments, **options)
        self._forget: Callable[[], object] = bool
        if self.split is not None:  # splits each text once per count
            self.split = kept = cache(self.split)
            self._forget = kept.cache_clear

    def count(self, batch: Batch, *arguments: Any, **options: Any) -> Counted:
        listed = rereadable(self, self._lists(batch))
        try:
            counted = Counter.count(self, listed, *arguments, **options)
            segments = self._tokens(listed)
        finally:
            self._forget()
        if self.dialect.keeps_tokens:
            counted.extra = segments
        if self.dialect.count_tokens is not None and segments:
            rows = self.dialect.count_tokens(segments)
            if not counted.keep_rows:
                raise_totals(rows._rows, rows.max_ngram_order, self.least_total)
                rows = rows.sum()
            counted.stats = rows
        return counted

    def _tokens(self, batch: Batch) -> list[Segment]:
        segments = []
        for counter, part in self.parts(batch):
            read_hypothesis, read_reference = _reader(counter, False), _reader(counter, True)
            for hypothesis, texts in zip(part.hypotheses, part.references, strict=True):
                listed = [texts] if isinstance(texts, str) else texts
                references = [read_reference(text) for text in listed]
                segments.append((read_hypothesis(hypothesis), references))
        return segments


def _reader(counter: Counter, is_reference: bool) -> Callable[[Any], list[Any]]:
    """The function that splits a hypothesis or a reference into tokens."""
    tokenizer, lowercase = counter.tokenizer, counter.lowercase
    if tokenizer is None:
        return list
    if (split := counter.split) is not None:  # a cache
        return lambda text: split(text.lower() if lowercase else text)
    return partial(tokenizer.tokens, lowercase=lowercase, is_reference=is_reference)


class CountingDialect(Dialect):
    """A dialect that counts tokens itself.

    Attributes
    ----------
    count_tokens : callable (list of Segment -> Stats) or None
        The rows of segments, if they are not the usual ones.
    keeps_tokens : bool
        Whether a score needs the tokens themselves.
    """

    counter: type[Counter] = TokenListCounter
    count_tokens: Callable[[list[Segment]], Stats] | None = None
    keeps_tokens: bool = False
