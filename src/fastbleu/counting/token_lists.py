"""`TokenListCounter`: for dialects that look at the tokens of segments, and not at rows alone."""

from __future__ import annotations

from functools import cache, partial

from ..inputs._id_rows import IdRows
from ..inputs.arrays import list_or_tuple
from ..inputs.batch import Batch
from ._counted import Counted
from .counter import Counter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from ..tokenizers.loaded import Tokenizer

    Segment = tuple[list[Any], list[list[Any]]]


def as_lists(counter: Counter, batch: Batch) -> Batch:
    """A batch of `Batch.lists`; TypeError if they are of token ids."""
    hypotheses, references = batch.lists()
    if IdRows in (type(hypotheses), type(references)) or counter.id_filter is not None:
        raise TypeError("this dialect takes text or lists of tokens, not arrays of token ids")
    return Batch(hypotheses, references, batch.before, batch.present, batch.warns)


class TokenListCounter(Counter):
    """A `Counter` that also looks at the tokens of all segments, which it keeps by default."""

    reads_utf8 = False

    def __init__(self, tokenizer: Tokenizer | None, *arguments: Any, **options: Any) -> None:
        super().__init__(tokenizer, *arguments, **options)
        self._forget: Callable[[], object] = bool
        if self.split is not None:  # of texts that are being counted, each once
            self.split = kept = cache(self.split)
            self._forget = kept.cache_clear

    def count(self, batch: Batch, **options: Any) -> Counted:
        """Count a batch of text or of lists of tokens; parameters as for `Counter.count`.

        Raises
        ------
        TypeError
            The batch holds token ids.
        """
        listed = as_lists(self, batch)
        try:
            counted = super().count(listed, **options)
            self.examine(counted, self._tokens(listed))
        finally:
            self._forget()
        return counted

    def examine(self, counted: Counted, segments: list[Segment]) -> None:
        """Add to the counts what depends on tokens; segments are (hypothesis, references)."""
        counted.extra = segments

    def _tokens(self, batch: Batch) -> list[Segment]:
        segments = []
        for counter, part in self.parts(batch):
            read_hypothesis, read_reference = _reader(counter, False), _reader(counter, True)
            for hypothesis, texts in zip(part.hypotheses, part.references, strict=True):
                listed = [texts] if isinstance(texts, str) else list_or_tuple(texts)
                references = [read_reference(text) for text in listed]
                segments.append((read_hypothesis(hypothesis), references))
        return segments


def _reader(counter: Counter, is_reference: bool) -> Callable[[Any], list[Any]]:
    """The function from a hypothesis or a reference to its tokens."""
    tokenizer, lowercase = counter.tokenizer, counter.lowercase
    if tokenizer is None:
        return list
    if (split := counter.split) is not None:  # which remembers texts
        return lambda text: split(text.lower() if lowercase else text)
    return partial(tokenizer.tokens, lowercase=lowercase, is_reference=is_reference)
