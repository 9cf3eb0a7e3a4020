"""`MatrixMethods`: the functions of `fastbleu.matrix` as methods of a metric."""

from __future__ import annotations

from ..runtime.import_lock import lazy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any, Unpack

    from ..inputs.types import Hypotheses, Numbers, SentenceStream, SequenceOf, Sources
    from ..matrix import all_pairs as _all_pairs
    from ..matrix import decoding as _decoding
    from ..matrix import diversity as _diversity
    from ..matrix import index as _index
    from ..matrix.all_pairs import Scores
    from ..matrix.decoding import MBRResult
    from ..matrix.index import ReferenceIndex
    from .keyword_types import (
        BlockOptions,
        DecodingOptions,
        IndexOptions,
        PairOptions,
        SelfBLEUOptions,
    )
else:
    _all_pairs = lazy("fastbleu.matrix.all_pairs")
    _decoding = lazy("fastbleu.matrix.decoding")
    _diversity = lazy("fastbleu.matrix.diversity")
    _index = lazy("fastbleu.matrix.index")


class MatrixMethods:
    """The functions of the same names in `fastbleu.matrix`, with this metric.

    `matrix` needs metrics, so it is imported when it is used. Only `BLEU` has these methods.
    """

    __slots__ = ()

    def pairwise(
        self, hypotheses: Sources, references: Sources, **options: Unpack[PairOptions]
    ) -> Scores:
        """Sentence BLEU of each hypothesis with each reference: see `fastbleu.matrix.pairwise`."""
        return _all_pairs.pairwise(hypotheses, references, metric=self, **options)  # type: ignore[arg-type]

    def iter_blocks(
        self, hypotheses: Hypotheses, references: Hypotheses, **options: Unpack[BlockOptions]
    ) -> Iterator[tuple[slice, Scores]]:
        """The matrix of `pairwise` block by block: see `fastbleu.matrix.iter_blocks`."""
        return _all_pairs.iter_blocks(hypotheses, references, metric=self, **options)  # type: ignore[arg-type]

    def mbr(
        self,
        candidates: Sources,
        references: Sources | None = None,
        weights: Numbers | None = None,
        **options: Unpack[DecodingOptions],
    ) -> MBRResult:
        """Minimum Bayes risk decoding: see `fastbleu.matrix.mbr`."""
        return _decoding.mbr(candidates, references, weights, metric=self, **options)  # type: ignore[arg-type]

    def self_bleu(
        self,
        sentences: SentenceStream | SequenceOf[SentenceStream],
        orders: Iterable[int] = (2, 3, 4, 5),
        sample: int | None = None,
        **options: Unpack[SelfBLEUOptions],
    ) -> Any:
        """How much a set of sentences repeats itself: see `fastbleu.matrix.self_bleu`."""
        return _diversity.self_bleu(sentences, orders, sample, metric=self, **options)  # type: ignore[arg-type]

    def reference_index(
        self, references: SentenceStream, **options: Unpack[IndexOptions]
    ) -> ReferenceIndex:
        """A `fastbleu.matrix.ReferenceIndex` with the parameters of this metric."""
        return _index.ReferenceIndex(references, metric=self, **options)  # type: ignore[arg-type]
