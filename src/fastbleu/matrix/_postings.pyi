from array import array
from collections.abc import Callable

from ..core.runtime._process import Interruptible
from ._ngrams import Features, Ngrams
from ._sentences import Sentences

class Postings(Interruptible):
    def __new__(cls, ngrams: Ngrams, sentences: Sentences) -> Postings: ...
    def __len__(self) -> int: ...
    @property
    def ngrams(self) -> Ngrams: ...

class NearestSearch(Interruptible):
    def __new__(
        cls,
        postings: Postings,
        score: Callable[[array[int]], bytes],
        max_order: int,
        separable: bool,
        most: int,
        min_score: float,
    ) -> NearestSearch: ...
    def best(self, hypotheses: Features, h: int, first: int) -> tuple[array[float], array[int]]: ...
