from collections.abc import Sequence
from typing import Any, Final

from typing_extensions import TypeVar

from ..core.counting._text_packer import SegmentReader
from ..core.scoring._sacrebleu import LazyScore
from .bleu_score import BLEUScore

_Kind = TypeVar("_Kind", bound=LazyScore, default=BLEUScore)

MOST_READERS: Final[int]
_readers: dict[Any, SegmentReader]

def use(metric: type[Any]) -> None: ...
def score_text(
    tokenizer: str,
    lowercase: bool,
    max_order: int,
    options: tuple[str, float | None, bool],
    hypothesis: str,
    references: Sequence[str | None],
    kind: type[_Kind] = ...,
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
