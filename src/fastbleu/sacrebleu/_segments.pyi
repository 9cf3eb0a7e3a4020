from collections.abc import Sequence
from typing import Any

from ..counting._text import SegmentReader
from .score import BLEUScore

def score_text(
    reader: SegmentReader,
    hypothesis: str,
    references: Sequence[str | None],
    smoothing: str,
    value: float | None,
    effective_order: bool,
) -> BLEUScore | None: ...
def sentence_bleu(
    hypothesis: str,
    references: Sequence[str | None],
    smooth_method: str = "exp",
    smooth_value: float | None = None,
    lowercase: bool = False,
    tokenize: Any = "13a",
    use_effective_order: bool = True,
) -> BLEUScore: ...
