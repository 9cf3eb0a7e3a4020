"""A tokenizer by its name, or any callable as a tokenizer; `tokenize`.

A tokenizer gets the text after lowercasing. Those of the table first strip whitespace from the end,
as sacreBLEU does; a callable gets the whole text.
"""

from __future__ import annotations

import os

from ..inputs.arguments import a_type, known_name, shown, unknown_name
from . import _compiled
from .libraries import cached_model
from .table import OF_WORDS, SPLIT_AT_SPACES, TABLE, TOKENIZERS, WITH_MODEL

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, NoReturn, TypeAlias

    from .originals import Prepare
    from .table import TokenizerName

    TokenFunction: TypeAlias = Callable[[str], list[str] | tuple[str, ...]]
    ModelPath: TypeAlias = str | bytes | os.PathLike[Any]


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
        return load_tokenizer, (self._source, self._model)

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


# The names that users choose from; others are tokenizers of one dialect or recipe.
_NAMES = (*TOKENIZERS, *OF_WORDS, "ptb-all")
_COMPILED = {name: Tokenizer(name, compiled=name) for name in _compiled.COMPILED}
_LOADED: dict[str | tuple[str, str], Tokenizer] = {}


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
    if isinstance(tokenize, str) and tokenize not in _COMPILED:
        name = known_name(tokenize, _NAMES)
        if name is None:
            raise ValueError(unknown_name("tokenizer", tokenize, TOKENIZERS, " or auto", _NAMES))
        tokenize = name
    return load_tokenizer(tokenize, model)


def load_tokenizer(
    tokenize: str | TokenFunction | Tokenizer, model: ModelPath | None = None
) -> Tokenizer:
    """As `get_tokenizer`, also by the names of tokenizers that belong to a dialect or a recipe."""
    if model is None and isinstance(tokenize, str):
        # Those with a model file are not under this key, because the file may change.
        found = _COMPILED.get(tokenize) or _LOADED.get(tokenize)
        if found is not None:
            return found
    if model is not None and not (isinstance(tokenize, str) and tokenize in WITH_MODEL):
        takers = ", ".join(WITH_MODEL)
        raise ValueError(f"model is given, but tokenizer {shown(tokenize)} takes none; {takers} do")
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
    entry = TABLE[name]
    # $SACREBLEU may change while the program runs.
    place = cached_model(entry) if path is None and entry.takes_model else path
    key = name if place is None else (name, place)
    found = _LOADED.get(key)
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
        _LOADED[key] = found
    return found


def _checked(name: str, function: Callable[[str], Any]) -> Callable[[str], list[str]]:
    """The user's function with a check of what it returns."""

    def tokens(text: str) -> list[str]:
        found = function(text)
        if not isinstance(found, (list, tuple)):
            fix = "; split it: str.split() makes a list" if isinstance(found, str) else ""
            raise TypeError(
                f"tokenizer {name} returned {a_type(found)} for {shown(text)}, "
                f"expected a list of str{fix}"
            )
        for position, token in enumerate(found):
            if not isinstance(token, str):
                raise TypeError(
                    f"tokenizer {name} returned {a_type(token)} at position {position} "
                    f"for {shown(text)}, expected a list of str"
                )
        return list(found)

    return tokens
