from array import array

import numpy
from numpy.typing import NDArray

from ..core.runtime._process import Interruptible
from ._sentences import Sentences

class Ngrams:
    def __new__(cls, max_order: int) -> Ngrams: ...
    @property
    def max_order(self) -> int: ...
    def clear(self) -> None: ...

class Scratch(Interruptible):
    @property
    def capacity(self) -> int: ...
    def reset(self) -> None: ...

class Features:
    def __new__(
        cls, ngrams: Ngrams, sentences: Sentences, known_only: bool = False
    ) -> Features: ...
    def __len__(self) -> int: ...
    @property
    def orders(self) -> int: ...

def expected_rows(
    ngrams: Ngrams,
    candidates: Features,
    references: Features,
    weights: NDArray[numpy.float64],
    logarithms: bool = False,
) -> array[float]: ...
