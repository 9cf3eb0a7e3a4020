from array import array
from typing import Final

COMPILED: Final[tuple[str, ...]]

def split(text: str, tokenizer: str) -> list[str]: ...
def token_bounds(texts: list[str], tokenizer: str) -> tuple[array[int], array[int]]: ...
