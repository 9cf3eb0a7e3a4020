from typing import Final

COMPILED: Final[tuple[str, ...]]

def split(text: str, tokenizer: str) -> list[str]: ...
