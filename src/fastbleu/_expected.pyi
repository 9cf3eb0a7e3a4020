from array import array
from typing import Any

from ._ngrams import Features, Ngrams

def expected_rows(
    ngrams: Ngrams,
    candidates: Features,
    references: Features,
    weights: Any,
    logarithms: bool = False,
) -> array[float]: ...
