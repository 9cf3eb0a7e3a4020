"""Types of the parameters of `fastbleu.BLEU`: to be imported under TYPE_CHECKING only."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypedDict

from numpy.typing import DTypeLike, NDArray

from ..inputs.arguments import Default
from ..inputs.types import Mask, Numbers, ReferenceLength, SmoothingName

if TYPE_CHECKING:
    from ..dialects.names import DialectName, RecipeName
    from ..tokenizers.loaded import TokenFunction, Tokenizer
    from ..tokenizers.table import TokenizerName

    # The tokenizer of each segment of a batch, or of all.
    OneTokenizer: TypeAlias = TokenizerName | TokenFunction | Tokenizer
    SegmentTokenizers: TypeAlias = OneTokenizer | Sequence[OneTokenizer | None]


class OwnOptions(TypedDict, total=False):
    """Options that one dialect has."""

    hashed: bool
    keywords: str | Iterable[str]


class OptionsWithoutWeights(OwnOptions, total=False):
    """Those of `MetricOptions` for functions whose own weights are those of references."""

    tokenize: TokenizerName | TokenFunction | Tokenizer | Default | None
    lowercase: bool | None
    max_order: int | None
    smoothing: SmoothingName | Literal["add-1", "tiny"] | None
    smoothing_value: float | None
    effective_order: bool | None
    threads: int
    dialect: DialectName | RecipeName
    reference_length: ReferenceLength | Literal["average"] | None
    ignore_ids: Iterable[int]
    stop_id: int | Iterable[int] | None
    skip_ids: Iterable[int]
    keep_segments: bool


class IndexOptions(TypedDict, total=False):
    """Further arguments of `BLEU.reference_index`."""

    progress: bool
    reference_mask: Mask | None


class BlockOptions(IndexOptions, total=False):
    """Those of `BLEU.iter_blocks`."""

    rows: int | None
    dtype: DTypeLike | None
    hypothesis_mask: Mask | None


class PairOptions(IndexOptions, total=False):
    """Those of `BLEU.pairwise`."""

    out: NDArray[Any] | None
    dtype: DTypeLike | None
    hypothesis_mask: Mask | None


class DecodingOptions(IndexOptions, total=False):
    """Those of `BLEU.mbr`."""

    log_probabilities: Numbers | None
    aggregate: bool
    matrix: bool
    candidate_mask: Mask | None


class SelfBLEUOptions(TypedDict, total=False):
    """Those of `BLEU.self_bleu`."""

    seed: int
    progress: bool
    mask: Mask | None
    against: Literal["others", "each", "earlier"]


class MetricOptions(OptionsWithoutWeights, total=False):
    """The arguments of `fastbleu.BLEU`, as other functions take them."""

    weights: Sequence[float] | None
