"""`Reading`: a metric's way from what a user passes in to counts."""

from __future__ import annotations

from collections.abc import Hashable
from itertools import compress

from ..counting.counter import count_runs
from ..inputs.arguments import a_type
from ..inputs.arrays import list_or_tuple
from ..inputs.batch import Batch
from ..inputs.checks import check_segments
from ..inputs.missing import is_missing
from ..inputs.read import read
from ..runtime.import_lock import lazy
from ..runtime.progress import ProgressBar
from ..tokenizers.loaded import Tokenizer, load_tokenizer
from .configured import Configured

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from ..counting._counted import Counted
    from ..counting.counter import Counter
    from ..inputs import documents as _documents
    from ..inputs.types import Mask
    from .keyword_types import SegmentTokenizers
else:
    _documents = lazy("fastbleu.inputs.documents")


class Reading(Configured):
    """Base of `fastbleu.BLEU`: reads and counts batches."""

    __slots__ = ()

    def _count(
        self,
        hypotheses: Any,
        references: Any,
        hypothesis_mask: Mask | None,
        reference_mask: Mask | None,
        missing: str = "error",
        progress: bool = False,
        keep_rows: bool = True,
        documents: Sequence[Hashable] | None = None,
        tokenize: SegmentTokenizers | None = None,
    ) -> tuple[Counted, list[bool] | None]:
        """Read and count a batch, and tell which segments are present; None if all are."""
        if documents is not None:
            if not (hypothesis_mask is None is reference_mask and missing == "error"):
                raise ValueError("documents is for texts and tokens without masks and missing=")
            if tokenize is not None:
                raise ValueError("documents and tokenize do not go together")
            hypotheses, references = _documents.by_document(hypotheses, references, documents)
        counter = self.counter
        batch = read(hypotheses, references, counter, hypothesis_mask, reference_mask, missing)
        if tokenize is None:
            counted = counter.count(batch, keep_rows=keep_rows, progress=progress)
        else:
            some, their = map(list_or_tuple, batch.lists())
            counters = self._counters_of(tokenize, batch.present or [True] * len(some))
            listed = Batch(some, their, batch.before, None, batch.warns)
            with ProgressBar(progress, listed.segments, " segments") as bar:
                counted = count_runs(counter, listed, counters, keep_rows, bar)
        if missing == "empty":  # blank references are asked for
            counted.blank_references = 0
        if batch.present is not None:
            batch.warn_of_missing()
        return counted, batch.present

    def _counters_of(self, tokenize: Any, present: list[bool]) -> list[Counter]:
        """What counts each segment that is present, by `tokenize` as in `fastbleu.BLEU.score`."""
        own, dialect = self.counter.tokenizer, self.scorer.dialect
        if own is None:
            raise ValueError("tokenize= is for text, but this metric takes tokens (tokenize=None)")
        dialect.require("tokenize")
        is_one = isinstance(tokenize, (str, Tokenizer)) or callable(tokenize)
        if is_one:
            tokenize = [tokenize] * len(present)
        check_segments("tokenize", tokenize)
        listed = tokenize.to_pylist() if hasattr(tokenize, "to_pylist") else list(tokenize)
        if len(listed) != len(present):
            raise ValueError(
                f"tokenize has {len(listed)} entries, hypotheses has {len(present)}; tokenize "
                "holds the tokenizer of each segment, or is one for all"
            )
        found: dict[Any, Counter] = {}
        for number, one in enumerate(listed):
            try:
                if one not in found:
                    chosen = own if is_missing(one) else dialect._own_tokenizer(one)
                    found[one] = self.counter.with_tokenizer(load_tokenizer(chosen))
            except (TypeError, ValueError) as error:
                if is_one:
                    raise
                message = error if isinstance(one, Hashable) else f"tokenize is {a_type(one)}"
                kind = TypeError if isinstance(error, TypeError) else ValueError
                raise kind(f"segment {number}: {message}") from error
        return [found[one] for one in compress(listed, present)]
