from collections.abc import Sequence
from typing import Any, Final, TypeVar

from ..core.counting._text_packer import SegmentReader
from ..core.scoring._sacrebleu import LazyScore
from .metrics.bleu import BLEUScore

_Kind = TypeVar("_Kind", bound=LazyScore)

MOST_READERS: Final[int]
_readers: dict[Any, SegmentReader]

def use(metric: type[Any], score: type[BLEUScore]) -> None: ...
def score_text(
    tokenizer: str,
    lowercase: bool,
    max_order: int,
    options: tuple[str, float | None, bool],
    hypothesis: str,
    references: Sequence[str | None],
    kind: type[_Kind],
) -> _Kind | None: ...
def score_known(
    compiled: dict[str, str],
    name: object,
    lowercase: object,
    order: object,
    options: tuple[Any, Any, Any],
    hypothesis: object,
    references: object,
    kind: type[_Kind],
) -> _Kind | None: ...
def sentence_bleu(
    hypothesis: str,
    references: Sequence[str | None],
    smooth_method: str = "exp",
    smooth_value: float | None = None,
    lowercase: bool = False,
    tokenize: object = "13a",
    use_effective_order: bool = True,
) -> BLEUScore: ...
