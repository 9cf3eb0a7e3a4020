"""Tokenizers by name: sacreBLEU's eleven, and any callable of the user's.

Five are compiled (_compiled.pyx): "none", "13a", "zh", "intl" and "char". The others belong to
other libraries (libraries.py).

A tokenizer gets the text after lower-casing. Those that bear a name of sacreBLEU's drop white space
at the end first, as sacreBLEU does; a callable sees the text as it stands.
"""

from __future__ import annotations

import os

from ..inputs.arguments import closest
from . import _compiled
from .libraries import MODELS, beginning, cached_model, load_mecab, load_sentencepiece

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, NoReturn, TypeAlias

    TokenFunction: TypeAlias = Callable[[str], list[str]]
    ModelPath: TypeAlias = str | bytes | os.PathLike[Any]

TOKENIZERS = (
    "none",
    "zh",
    "13a",
    "intl",
    "char",
    "ja-mecab",
    "ko-mecab",
    "spm",
    "flores101",
    "flores200",
    "spBLEU-1K",
)
# The compiled ones that need white space between words, as Chinese and Japanese have none.
SPLIT_AT_SPACES = ("none", "13a", "intl")


class Tokenizer:
    """A tokenizer that was found and loaded; made by `get_tokenizer`, immutable.

    Attributes
    ----------
    name : str
        One of TOKENIZERS, or a callable's `__qualname__`.
    compiled : str or None
        The name under which the compiled code knows it, if it does.
    function : callable (str -> list of str) or None
        What splits a text, where `compiled` is None.
    signature : str
        What the field `tok:` of a signature says.
    """

    __slots__ = ("_model", "_source", "compiled", "function", "name", "signature")
    name: str
    compiled: str | None
    function: TokenFunction | None
    signature: str
    _source: str | TokenFunction
    _model: str | None

    def __init__(
        self,
        name: str,
        compiled: str | None = None,
        function: TokenFunction | None = None,
        signature: str | None = None,
        source: str | TokenFunction | None = None,
        model: str | None = None,
    ) -> None:
        for attribute, value in (
            ("name", name),
            ("compiled", compiled),
            ("function", function),
            ("signature", name if signature is None else signature),
            ("_source", name if source is None else source),
            ("_model", model),
        ):
            object.__setattr__(self, attribute, value)

    def __setattr__(self, attribute: str, value: object) -> NoReturn:
        raise AttributeError(f"a Tokenizer cannot be changed; {attribute} is fixed")

    def __delattr__(self, attribute: str) -> NoReturn:
        raise AttributeError(f"a Tokenizer cannot be changed; {attribute} is fixed")

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Tokenizer):
            return NotImplemented
        return (self._source, self._model) == (other._source, other._model)

    def __hash__(self) -> int:
        return hash((self._source, self._model))

    def __reduce__(self) -> tuple[Any, ...]:
        # Neither taggers nor models can be pickled, and the other process has its own files.
        return get_tokenizer, (self._source, self._model)

    def __repr__(self) -> str:
        return f"<Tokenizer {self.signature}>"


_COMPILED = {name: Tokenizer(name, compiled=name) for name in _compiled.COMPILED}
_LOADED: dict[tuple[str, str | None], Tokenizer] = {}


def get_tokenizer(
    tokenize: str | TokenFunction | Tokenizer, model: ModelPath | None = None
) -> Tokenizer:
    """Find a tokenizer and load what it needs.

    Parameters
    ----------
    tokenize : str, callable (str -> list of str) or Tokenizer
        One of TOKENIZERS, a function of the user's, or what this function has returned before.
    model : path, optional
        A sentencepiece model file, for "spm", "flores101", "flores200" and "spBLEU-1K" only.
        Default: the file in sacreBLEU's cache ($SACREBLEU, else ~/.sacrebleu).

    Returns
    -------
    Tokenizer

    Raises
    ------
    ValueError
        For an unknown name, a `model` where none is used, or a file that is no model.
    TypeError
        Where `tokenize` is neither a str nor callable.
    ImportError
        Where the library of the tokenizer is not installed; it names the extra to install.
    FileNotFoundError
        Where the model file is missing; it says where the file belongs and where to get it.
    RuntimeError
        Where MeCab runs with another dictionary than sacreBLEU demands.
    """
    if model is None and isinstance(tokenize, str) and tokenize in _COMPILED:
        return _COMPILED[tokenize]
    if isinstance(tokenize, str) and tokenize not in TOKENIZERS:
        raise ValueError(_unknown(tokenize))
    if model is not None and not (isinstance(tokenize, str) and tokenize in MODELS):
        takers = ", ".join(MODELS)
        raise ValueError(f"model is given, but tokenizer {tokenize!r} reads none; {takers} do")
    if isinstance(tokenize, Tokenizer):
        return tokenize
    if not isinstance(tokenize, str):
        if not callable(tokenize):
            kind = type(tokenize).__name__
            raise TypeError(
                f"tokenize is a {kind}, expected a name ({', '.join(TOKENIZERS)}) or a callable "
                "that takes a str and returns a list of str"
            )
        name = str(getattr(tokenize, "__qualname__", type(tokenize).__qualname__))
        return Tokenizer(name, function=_checked(name, tokenize), source=tokenize)
    path = None if model is None else os.path.abspath(os.fsdecode(model))
    # The place belongs to the key because $SACREBLEU may change while the program runs.
    place = cached_model(tokenize) if path is None and tokenize in MODELS else path
    found = _LOADED.get((tokenize, place))
    if found is None:
        loaded = load_mecab(tokenize) if place is None else load_sentencepiece(tokenize, place)
        found = Tokenizer(tokenize, function=loaded[0], signature=loaded[1], model=path)
        _LOADED[tokenize, place] = found
    return found


def tokenize(
    text: str, tokenizer: str | TokenFunction | Tokenizer = "13a", model: ModelPath | None = None
) -> list[str]:
    """Split a text into the tokens that are counted.

    Parameters
    ----------
    text : str
        One segment. Lower it first (`text.lower()`) for case-insensitive tokens.
    tokenizer : str, callable or Tokenizer, default "13a"
        As `get_tokenizer` takes it; the names are sacreBLEU's and give the tokens that sacreBLEU
        2.6.0 counts.
    model : path, optional
        A sentencepiece model file, as `get_tokenizer` takes it.

    Returns
    -------
    list of str

    Raises
    ------
    TypeError
        Where `text` is no str, or a callable returns something other than a list of str.
    ValueError, ImportError, FileNotFoundError, RuntimeError
        As `get_tokenizer`.

    Examples
    --------
    >>> from fastbleu import tokenize
    >>> tokenize("It's 5-10% (1,000.5).")
    ["It's", '5', '-', '10', '%', '(', '1,000.5', ')', '.']
    """
    if not isinstance(text, str):
        raise TypeError(f"text is a {type(text).__name__}, expected a str (one segment)")
    found = get_tokenizer(tokenizer, model)
    if found.function is not None:
        return found.function(text)
    return _compiled.split(text, found.name)


def _unknown(name: str) -> str:
    """The message about a name that no tokenizer bears."""
    by_lower = {known.lower(): known for known in TOKENIZERS}
    meant = closest(name.lower(), by_lower)
    hint = f"; did you mean {by_lower[meant]!r}?" if meant else "."
    return f"tokenizer {name!r} is unknown{hint} Choose one of {', '.join(TOKENIZERS)}"


def _checked(name: str, function: Callable[[str], Any]) -> TokenFunction:
    """The user's function with a check of what it returns."""

    def tokens(text: str) -> list[str]:
        found = function(text)
        if not isinstance(found, (list, tuple)):
            kind = type(found).__name__
            fix = "; split it: str.split() makes a list" if isinstance(found, str) else ""
            raise TypeError(
                f"tokenizer {name} returned a {kind} for {beginning(text)}, "
                f"expected a list of str{fix}"
            )
        for position, token in enumerate(found):
            if not isinstance(token, str):
                raise TypeError(
                    f"tokenizer {name} returned a {type(token).__name__} at position {position} "
                    f"for {beginning(text)}, expected a list of str"
                )
        return list(found)

    return tokens
