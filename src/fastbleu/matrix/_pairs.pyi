from array import array
from typing import Any

import numpy
from numpy.typing import NDArray

from ..core.runtime._process import Interruptible
from ._ngrams import Features, Ngrams

class ReferenceBlock(Interruptible):
    def __new__(
        cls, ngrams: Ngrams, references: Features, hypotheses: Features
    ) -> ReferenceBlock: ...
    def __len__(self) -> int: ...
    def fill(self, first: int) -> int: ...

class PairCounter(Interruptible):
    def __new__(cls, max_order: int, orders: int, longest: int) -> PairCounter: ...
    @property
    def max_order(self) -> int: ...
    def count(
        self, block: ReferenceBlock, hypotheses: Features, first: int, last: int
    ) -> array[int]: ...
    def score(self, scores: NDArray[numpy.float64]) -> None: ...
    def write(
        self,
        block: ReferenceBlock,
        hypotheses: Features,
        first: int,
        last: int,
        out: NDArray[numpy.floating[Any]],
        penalize: bool = True,
    ) -> None: ...
