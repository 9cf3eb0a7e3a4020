"""Words of scripts without spaces between them, and the tokenizer of a text's script."""

from __future__ import annotations

import re
from functools import partial

from ..runtime.import_lock import import_locked
from .loaded import get

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeAlias

    from .loaded import Tokenizer

    Words: TypeAlias = Callable[[str], list[str]]


_FUNCTIONS = {
    "pythainlp": ("pythainlp.tokenize", "word_tokenize"),
    "laonlp": ("laonlp.tokenize", "word_tokenize"),
    "khmercut": ("khmercut", "tokenize"),
    "burmesenlp": ("burmesenlp", "word_tokenize"),
}


def words_by(name: str) -> Words:
    """The function of a library from a text to its words."""
    module, function = _FUNCTIONS[name]
    library: Any = import_locked(module)
    # Else each call builds the lexicon anew, which takes half a second.
    options = {"lexicon": library.Lexicon.default()} if name == "burmesenlp" else {}
    return partial(getattr(library, function), **options)


# Scripts and the tokenizers of their languages; Han may be Chinese or Japanese.
_HAN, _KANA = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff", "\u3041-\u30ff"
_SCRIPTS = {
    "ja-mecab": f"{_HAN}{_KANA}\u31f0-\u31ff\uff66-\uff9d",
    "ko-mecab": "\u1100-\u11ff\u3130-\u318f\uac00-\ud7af",
    "pythainlp": "\u0e00-\u0e7f",
    "laonlp": "\u0e80-\u0eff",
    "burmesenlp": "\u1000-\u109f\ua9e0-\ua9ff\uaa60-\uaa7f",
    "khmercut": "\u1780-\u17ff",
}
_find = {name: re.compile(f"[{characters}]").findall for name, characters in _SCRIPTS.items()}
_find_han = re.compile(f"[{_HAN}]").findall


def tokenizer_by_script(others: str, chinese: str) -> Callable[[str], Tokenizer]:
    """The function from a text to the tokenizer of its script.

    A script decides where it has at least a third of the characters that are not white space, and
    more than the other scripts; else `others` does. Han is Japanese where at least a tenth of it
    and of kana is kana, else it is for the tokenizer `chinese`.
    """

    def choose(text: str) -> Tokenizer:
        name = others
        if max(text, default="") >= "\u0e00":
            counts = {script: len(find(text)) for script, find in _find.items()}
            script = max(counts, key=counts.__getitem__)
            if 3 * counts[script] >= len("".join(text.split())):
                name = script
            if name == "ja-mecab" and 10 * len(_find_han(text)) > 9 * counts[name]:
                name = chinese
        return get(name)

    return choose
