"""Types of the parameters of `fastbleu.BLEU`: to be imported under TYPE_CHECKING only."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, TypeAlias, TypedDict

if TYPE_CHECKING:
    from ..tokenizers.loaded import TokenFunction, Tokenizer
    from ..tokenizers.table import TokenizerName

    # The tokenizer of each segment of a batch, or of all.
    OneTokenizer: TypeAlias = TokenizerName | TokenFunction | Tokenizer
    SegmentTokenizers: TypeAlias = OneTokenizer | Sequence[OneTokenizer | None]


class OwnOptions(TypedDict, total=False):
    """Options that one dialect has."""

    hashed: bool
    keywords: str | Iterable[str]
