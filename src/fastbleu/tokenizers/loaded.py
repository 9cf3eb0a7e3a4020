"""A tokenizer by its name, or any callable as a tokenizer; `tokenize`.

A tokenizer gets the text after lowercasing. Those of the table first strip whitespace from the end,
as sacreBLEU does; a callable gets the whole text.
"""

from __future__ import annotations

import os

from ..inputs.arguments import a_type, known_name, shown, unknown_name
from . import _compiled
from .table import OF_WORDS, SPLIT_AT_SPACES, TABLE, TOKENIZERS, WITH_MODEL, cached_model

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, NoReturn, TypeAlias

    from .table import Rewrite, Split, TokenizerName

    TokenFunction: TypeAlias = Callable[[str], list[str] | tuple[str, ...]]
    ModelPath: TypeAlias = str | bytes | os.PathLike[Any]


class Tokenizer:
    """A loaded tokenizer, as `get` returns it; immutable.

    Of `compiled`, `rewrite` and `split` one is not None.

    Attributes
    ----------
    name : str
        One of `names`, or a callable's `__qualname__`.
    signature : str
        The field `tok:` of a score's signature.
    compiled : str or None
        Its name in the compiled code.
    rewrite : Rewrite or None
        Rewrites texts for a compiled tokenizer.
    split : callable (str -> list of str) or None
        Splits a text.
    choose : callable (str -> Tokenizer) or None
        The tokenizer of a text, of which there may be several in a corpus.
    """

    __slots__ = (
        *("_model", "_source", "choose", "compiled", "name", "rewrite", "signature", "split"),
    )
    name: str
    signature: str
    compiled: str | None
    rewrite: Rewrite | None
    split: Split | None
    choose: Callable[[str], Tokenizer] | None
    _source: str | TokenFunction
    _model: str | None

    def __init__(
        self,
        name: str,
        *,
        signature: str | None = None,
        compiled: str | None = None,
        rewrite: Rewrite | None = None,
        split: Split | None = None,
        choose: Callable[[str], Tokenizer] | None = None,
        source: str | TokenFunction | None = None,
        model: str | None = None,
    ) -> None:
        for attribute, value in (
            ("name", name),
            ("signature", name if signature is None else signature),
            ("compiled", compiled),
            ("rewrite", rewrite),
            ("split", split),
            ("choose", choose),
            ("_source", name if source is None else source),
            ("_model", model),
        ):
            object.__setattr__(self, attribute, value)

    def tokens(self, text: str, lowercase: bool = False, is_reference: bool = False) -> list[str]:
        """The tokens of a text, of which few tokenizers ask whether it is a reference."""
        if self.rewrite is not None:
            text = self.rewrite.function(text, lowercase, is_reference)
            return _compiled.split(text, self.rewrite.compiled)
        text = text.lower() if lowercase else text
        if self.split is not None:
            return self.split(text)
        return _compiled.split(text, str(self.compiled))

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
        compiled = self.compiled if self.rewrite is None else self.rewrite.compiled
        return compiled in SPLIT_AT_SPACES


# Others are tokenizers of one dialect or recipe; "ptb-all" is not for scores.
_NAMES = (*TOKENIZERS, *OF_WORDS)
_COMPILED = {name: Tokenizer(name, compiled=name) for name in _compiled.COMPILED}
_LOADED: dict[str | tuple[str, str], Tokenizer] = {}


def names() -> tuple[str, ...]:
    """The names of tokenizers: the values of ``tokenize``, wherever this package takes one.

    First sacreBLEU's, then those of other libraries. Some dialects have others, or no choice.

    Examples
    --------
    >>> names()[:5]
    ('none', 'zh', '13a', 'intl', 'char')
    """
    return _NAMES


def get(name: str | TokenFunction | Tokenizer, model: ModelPath | None = None) -> Tokenizer:
    """Find a tokenizer and load what it needs.

    Parameters
    ----------
    name : str, callable (str -> list of str) or Tokenizer
        One of `names`, your own function, or an earlier result of this function. Also "ptb-all",
        which has all of PTBTokenizer's tokens, as pycocoevalcap's BLEU does not count them.
    model : path, optional
        A sentencepiece model file, for "spm", "flores101", "flores200" and "spBLEU-1K" only.
        Default: the file in sacreBLEU's cache ($SACREBLEU, else ~/.sacrebleu).

    Raises
    ------
    ValueError
        The name is unknown, the tokenizer takes no `model`, or the file is not a model.
    TypeError
        `name` is neither a str nor callable.
    ImportError
        The library of the tokenizer is not installed; the message names the extra to install.
    FileNotFoundError
        The model file is missing; the message says where to get it and where to put it.
    RuntimeError
        MeCab has a different dictionary from the one that sacreBLEU requires.
    """
    if isinstance(name, str) and name not in _COMPILED:
        known = known_name(name, (*_NAMES, "ptb-all"))
        if known is None:
            raise ValueError(unknown_name("tokenizer", name, TOKENIZERS, " or auto", _NAMES))
        name = known
    return load_tokenizer(name, model)


def load_tokenizer(
    tokenize: str | TokenFunction | Tokenizer, model: ModelPath | None = None
) -> Tokenizer:
    """As `get`, also by the names of tokenizers that belong to a dialect or a recipe."""
    if model is None and isinstance(tokenize, str):
        # Those with a model file are not under this key, because the file may change.
        tokenizer = _COMPILED.get(tokenize) or _LOADED.get(tokenize)
        if tokenizer is not None:
            return tokenizer
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
    return Tokenizer(name, split=_checked(name, tokenize), source=tokenize)


def tokenize(text: str, tokenize: TokenizerName | TokenFunction | Tokenizer = "13a") -> list[str]:
    """Split a text into the tokens that are counted.

    Parameters
    ----------
    text : str
        One segment. Lowercase it first (`text.lower()`) for case-insensitive tokens.
    tokenize : str, callable or Tokenizer, default "13a"
        As for `get`, as are the errors; sacreBLEU's names give the tokens that sacreBLEU 2.6.0
        counts.

    Returns
    -------
    list of str

    Raises
    ------
    TypeError
        `text` is not a str, or a callable returns something other than a list of str.

    Examples
    --------
    >>> from fastbleu.tokenizers import tokenize
    >>> tokenize("It's 5-10% (1,000.5).")
    ["It's", '5', '-', '10', '%', '(', '1,000.5', ')', '.']
    """
    if not isinstance(text, str):
        raise TypeError(f"text is {a_type(text)}, expected a str (one segment)")
    return get(tokenize).tokens(text)


def _load(name: str, path: str | None) -> Tokenizer:
    """The tokenizer of a library, with the user's model if `path` is given; loaded once."""
    entry = TABLE[name]
    # $SACREBLEU may change while the program runs.
    place = cached_model(entry) if path is None and entry.takes_model else path
    key = name if place is None else (name, place)
    tokenizer = _LOADED.get(key)
    if tokenizer is None:
        assert entry.load is not None
        try:
            fields = entry.load(name, entry, place)
        except ImportError as error:
            raise ImportError(
                f"tokenizer {name!r} needs {entry.packages}, which cannot be imported ({error}); "
                f"{entry.how_to_install}",
                name=error.name,
            ) from error
        _LOADED[key] = tokenizer = Tokenizer(name, model=path, **fields)
    return tokenizer


def _checked(name: str, function: Callable[[str], Any]) -> Callable[[str], list[str]]:
    """The user's function with a check of what it returns."""

    def tokens(text: str) -> list[str]:
        returned = function(text)
        if not isinstance(returned, (list, tuple)):
            fix = "; split it: str.split() makes a list" if isinstance(returned, str) else ""
            raise TypeError(
                f"tokenizer {name} returned {a_type(returned)} for {shown(text)}, "
                f"expected a list of str{fix}"
            )
        for position, token in enumerate(returned):
            if not isinstance(token, str):
                raise TypeError(
                    f"tokenizer {name} returned {a_type(token)} at position {position} "
                    f"for {shown(text)}, expected a list of str"
                )
        return list(returned)

    return tokens
