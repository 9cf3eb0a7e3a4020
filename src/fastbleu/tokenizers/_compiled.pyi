from typing import Final

COMPILED: Final = ("none", "13a", "zh", "intl", "char")

def split(text: str, tokenizer: str) -> list[str]: ...
