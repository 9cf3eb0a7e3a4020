from array import array
from collections.abc import Sequence
from typing import final

from ..core.counting._packed import PackedSegments
from ..core.inputs.checks import TextChecks

_Rule = tuple[float, bool]

@final
class PairPacker(PackedSegments):
    def __new__(
        cls, checks: TextChecks | None, lowercase: bool, of_words: bool, keeps_space: bool
    ) -> PairPacker: ...

class PairScorer:
    def __new__(
        cls, char_order: int, word_order: int, lowercase: bool, whitespace: bool
    ) -> PairScorer: ...
    def score(
        self, hypothesis: object, references: Sequence[object], rule: _Rule
    ) -> float | None: ...

def best_rows(
    of_characters: array[int],
    char_order: int,
    of_words: array[int],
    word_order: int,
    ends: array[int] | None,
    segments: int,
    rule: _Rule,
) -> array[int]: ...
def score_rows(rows: object, order: int, rule: _Rule) -> tuple[array[float], bool]: ...
def score_segment(
    hypothesis: object,
    references: Sequence[object],
    char_order: int,
    word_order: int,
    lowercase: bool,
    whitespace: bool,
    rule: _Rule,
) -> float | None: ...
