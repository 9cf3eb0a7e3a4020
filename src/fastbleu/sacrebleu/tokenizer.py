"""Choose a tokenizer by sacreBLEU's rules, and present it in sacreBLEU's form."""

from __future__ import annotations

from ..inputs.arguments import a_type, shown, unknown_name
from ..inputs.warnings import warn_input
from ..tokenizers.loaded import Tokenizer
from ..tokenizers.loaded import get as get_tokenizer
from ..tokenizers.loaded import tokenize as split
from ..tokenizers.table import BY_LANGUAGE, TOKENIZERS, WITHOUT_MODEL

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from ..tokenizers.loaded import TokenFunction


class LineTokenizer:
    """A tokenizer in sacreBLEU's form: from a str to its tokens joined by spaces."""

    def __init__(self, tokenizer: Tokenizer) -> None:
        self.tokenizer = tokenizer

    def signature(self) -> str:
        """The value of the field `tok` of a signature."""
        return self.tokenizer.signature

    def __call__(self, line: str) -> str:
        # The compiled tokenizers strip whitespace at the end, which sacreBLEU's metric does before
        # it calls its own; an extra word at the end prevents this. It matters for these two only.
        if self.tokenizer.compiled in ("13a", "intl") and line[-1:].isspace():
            return " ".join(split(f"{line} x", self.tokenizer)[:-1])
        return " ".join(split(line, self.tokenizer))


def tokenizer_of_lines(function: Callable[[str], str]) -> Tokenizer:
    """A tokenizer from a function in sacreBLEU's form."""
    if isinstance(function, LineTokenizer):
        return function.tokenizer
    if not callable(function):
        raise TypeError(f"tokenizer is {a_type(function)}, expected a function of a line")

    def tokens(line: str) -> list[str]:
        joined = function(line.rstrip())
        if not isinstance(joined, str):
            raise TypeError(
                f"the tokenizer returned {a_type(joined)}, expected a str of tokens with spaces "
                "between them; a function that returns a list goes into BLEU(tokenize=function)"
            )
        return joined.split()

    return get_tokenizer(tokens)


def choose_tokenizer(
    tokenize: str | TokenFunction | Tokenizer | None, trg_lang: str, default: str
) -> LineTokenizer:
    """The tokenizer for the arguments of `BLEU`; KeyError if the name is unknown."""
    advised = BY_LANGUAGE.get(trg_lang)
    if tokenize is None:
        tokenize = advised or default
    elif advised and tokenize != advised and tokenize in WITHOUT_MODEL:
        warn_input(
            f"tokenizer {shown(tokenize)} is not the one for the language {shown(trg_lang)}; "
            f"consider {advised!r} or 'spm'"
        )
    if isinstance(tokenize, str) and tokenize not in TOKENIZERS:
        raise KeyError(unknown_name("tokenizer", tokenize, TOKENIZERS))
    return LineTokenizer(get_tokenizer(tokenize))
