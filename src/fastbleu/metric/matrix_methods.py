"""`MatrixMethods`: the functions of `fastbleu.matrix` as methods of a metric."""

from __future__ import annotations

from ..runtime.import_lock import import_lock

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any, Unpack

    from ..inputs.types import Hypotheses, Numbers, SentenceStream, SequenceOf, Sources
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


class MatrixMethods:
    """The functions of the same names in `fastbleu.matrix`, with this metric.

    `matrix` needs metrics, so it is imported when it is used. Only `BLEU` has these methods.
    """

    __slots__ = ()

    def pairwise(
        self, hypotheses: Sources, references: Sources, **options: Unpack[PairOptions]
    ) -> Scores:
        """Sentence BLEU of each hypothesis with each reference: see `fastbleu.matrix.pairwise`."""
        with import_lock:
            from ..matrix.all_pairs import pairwise

        return pairwise(hypotheses, references, metric=self, **options)  # type: ignore[arg-type]

    def iter_blocks(
        self, hypotheses: Hypotheses, references: Hypotheses, **options: Unpack[BlockOptions]
    ) -> Iterator[tuple[slice, Scores]]:
        """The matrix of `pairwise` block by block: see `fastbleu.matrix.iter_blocks`."""
        with import_lock:
            from ..matrix.all_pairs import iter_blocks

        return iter_blocks(hypotheses, references, metric=self, **options)  # type: ignore[arg-type]

    def mbr(
        self,
        candidates: Sources,
        references: Sources | None = None,
        weights: Numbers | None = None,
        **options: Unpack[DecodingOptions],
    ) -> MBRResult:
        """Minimum Bayes risk decoding: see `fastbleu.matrix.mbr`."""
        with import_lock:
            from ..matrix.decoding import mbr

        return mbr(candidates, references, weights, metric=self, **options)  # type: ignore[arg-type]

    def self_bleu(
        self,
        sentences: SentenceStream | SequenceOf[SentenceStream],
        orders: Iterable[int] = (2, 3, 4, 5),
        sample: int | None = None,
        **options: Unpack[SelfBLEUOptions],
    ) -> Any:
        """How much a set of sentences repeats itself: see `fastbleu.matrix.self_bleu`."""
        with import_lock:
            from ..matrix.diversity import self_bleu

        return self_bleu(sentences, orders, sample, metric=self, **options)  # type: ignore[arg-type]

    def reference_index(
        self, references: SentenceStream, **options: Unpack[IndexOptions]
    ) -> ReferenceIndex:
        """A `fastbleu.matrix.ReferenceIndex` with the parameters of this metric."""
        with import_lock:
            from ..matrix.index import ReferenceIndex

        return ReferenceIndex(references, metric=self, **options)  # type: ignore[arg-type]
