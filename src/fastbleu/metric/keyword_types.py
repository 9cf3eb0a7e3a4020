"""Types of the parameters of `fastbleu.BLEU`: to be imported under TYPE_CHECKING only."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Literal, TypeAlias, TypedDict

from ..inputs.types import ReferenceLength, SmoothingName

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

    tokenize: TokenizerName | TokenFunction | Tokenizer | Literal[False] | None
    lowercase: bool | None
    max_ngram_order: int | None
    smooth_method: SmoothingName | Literal["add-1", "tiny"] | None
    smooth_value: float | None
    effective_order: bool | None
    threads: int
    dialect: DialectName | RecipeName
    reference_length: ReferenceLength | Literal["average"] | None
    ignore_ids: int | Iterable[int]
    stop_ids: int | Iterable[int]
    skip_ids: int | Iterable[int]
    keep_stats: bool


class MetricOptions(OptionsWithoutWeights, total=False):
    """The arguments of `fastbleu.BLEU`, as other functions take them."""

    weights: Sequence[float] | None
