from array import array

from ..counting._ids import IdPacker
from ..counting._text import TextPacker
from ..inputs._ids import IdRows
from ..inputs.segments import TextChecks, TokenChecks
from ..inputs.types import Listed
from ._vocabulary import Vocabulary

class Sentences:
    def __new__(cls) -> Sentences: ...
    def __len__(self) -> int: ...
    @property
    def longest(self) -> int: ...
    @property
    def padding(self) -> list[int]: ...
    def shorter_than(self, length: int) -> int: ...
    @property
    def lengths(self) -> array[int]: ...
    def flat(self) -> array[int]: ...
    def unique(self) -> tuple[Sentences, array[int]]: ...

def read_lists(
    vocabulary: Vocabulary, checks: TokenChecks, sentences: Listed, known_only: bool = False
) -> Sentences: ...

class TextReader(TextPacker):
    def __new__(
        cls,
        checks: TextChecks | None,
        tokenizer: str,
        lowercase: bool = False,
        missing: bool = False,
    ) -> TextReader: ...
    def read_texts(
        self, vocabulary: Vocabulary, checks: TextChecks, texts: Listed, known_only: bool = False
    ) -> Sentences: ...

class IdReader(IdPacker):
    def read_rows(
        self, vocabulary: Vocabulary, rows: IdRows, known_only: bool = False
    ) -> Sentences: ...
