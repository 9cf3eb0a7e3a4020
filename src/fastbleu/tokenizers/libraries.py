"""Tokenizers of other libraries: MeCab for Japanese and Korean, sentencepiece with a model.

A library is imported when its tokenizer is first requested, and is set up as in sacreBLEU 2.6.0.
Model files come from sacreBLEU's cache or from the user; nothing is ever downloaded.

Each `load_...` takes a tokenizer's name, its entry in the table and the path of its model, if it
has one. It returns the fields of the `Tokenizer` that are not its defaults.
"""

from __future__ import annotations

import os

from ..inputs.arguments import shown
from ..runtime.import_lock import import_locked, lazy

TYPE_CHECKING = False
if TYPE_CHECKING:
    import hashlib
    from collections.abc import Callable
    from typing import Any, TypeAlias, TypedDict

    from .loaded import Tokenizer
    from .table import Entry

    Split: TypeAlias = Callable[[str], list[str]]

    class Fields(TypedDict, total=False):
        """Fields of a `Tokenizer`."""

        signature: str
        split: Split
        rewrite: Rewrite
        choose: Callable[[str], Tokenizer]
else:
    hashlib = lazy("hashlib")


class Rewrite:
    """Rewrites texts for a compiled tokenizer.

    Attributes
    ----------
    function : callable (str, bool, bool -> str)
        Takes a text, whether to ignore case, and whether it is a reference.
    compiled : str
        The compiled tokenizer for the result.
    line_writer : capsule or None
        The same function for compiled code; it always ignores case.
    """

    __slots__ = ("compiled", "function", "line_writer")

    def __init__(
        self, function: Callable[[str, bool, bool], str], compiled: str, line_writer: object = None
    ) -> None:
        self.function, self.compiled, self.line_writer = function, compiled, line_writer


def load_mecab(name: str, entry: Entry, path: str | None) -> Fields:
    """MeCab, with the one dictionary that sacreBLEU accepts."""
    module, dictionary, words, suffix = entry.details
    mecab, arguments = import_locked(module), import_locked(dictionary).MECAB_ARGS
    tagger: Any = mecab.Tagger(f"{arguments} -Owakati")
    loaded = tagger.dictionary_info()
    if loaded.size != words:
        raise RuntimeError(
            f"tokenizer {name!r}: MeCab's dictionary {loaded.filename} has {loaded.size} words, "
            f"but sacreBLEU's has {words}; {entry.how_to_install}"
        )
    if loaded.next is not None:
        raise RuntimeError(
            f"tokenizer {name!r}: MeCab has also loaded the user dictionary "
            f"{loaded.next.filename}, which would make scores incomparable; remove it from the "
            "mecabrc file"
        )

    def parse(text: str) -> str:
        # MeCab reads up to the first NUL only, and so does sacreBLEU.
        parsed: str | None = tagger.parse(text.strip())
        if parsed is None:
            raise RuntimeError("MeCab gives no result")
        return parsed

    signature = f"{name}-{tagger.version()}-{suffix}"
    return {"split": splitter(name, parse), "signature": signature}


def load_sentencepiece(name: str, entry: Entry, path: str | None) -> Fields:
    """sentencepiece, with the model file at `path`."""
    signature, address, file_names = entry.details
    sentencepiece = import_locked("sentencepiece")
    if path is None or not os.path.isfile(path):
        raise FileNotFoundError(
            f"tokenizer {name!r}: there is no sentencepiece model at {path}; download it from "
            f"{address} (as sacreBLEU does) to {cached_model(entry)}, or pass the path of a copy: "
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
        # A different model gives different scores: the signature must not claim to be sacreBLEU's.
        with open(path, "rb") as file:
            signature = f"{name}-{hashlib.sha256(file.read()).hexdigest()[:8]}"

    def parse(text: str) -> str:
        return " ".join(processor.EncodeAsPieces(text.rstrip()))

    return {"split": splitter(name, parse), "signature": signature}


def load_original(name: str, entry: Entry, path: str | None) -> Fields:
    """The text rules of another BLEU."""
    function, compiled = entry.details
    # Imported late, because it needs `re`.
    originals = import_locked(f"{__package__}.originals")
    return {"rewrite": Rewrite(getattr(originals, function), compiled)}


def load_ptb(name: str, entry: Entry, path: str | None) -> Fields:
    """The tokens of pycocoevalcap's PTBTokenizer, which are always lowercased; see _ptb.pyx.

    "ptb-all" has them as they are, "ptb" as pycocoevalcap's BLEU counts them: without punctuation,
    and a token that contains a space as several.
    """
    ptb = import_locked(f"{__package__}._ptb")
    if name == "ptb-all":
        return {"split": lambda text: ptb.split(text, True)}
    return {"rewrite": Rewrite(lambda text, *_: str(ptb.write(text)), "none", ptb.line_writer)}


def load_words(name: str, entry: Entry, path: str | None) -> Fields:
    """The words of a language by the library of the tokenizer's name; see words.py."""
    words: Any = import_locked(f"{__package__}.words").words_by(name)
    version = import_locked("importlib.metadata").version(name)
    split = splitter(name, lambda text: " ".join(words(text)))
    return {"split": split, "signature": f"{name}-{version}"}


def load_by_script(name: str, entry: Entry, path: str | None) -> Fields:
    """The tokenizer of each text's script; the details are those of others and of Chinese."""
    choose = import_locked(f"{__package__}.words").tokenizer_by_script(*entry.details)
    return {"choose": choose, "split": lambda text: choose(text).tokens(text)}


def load_of_tool(name: str, entry: Entry, path: str | None) -> Fields:
    """The text rules of an evaluation tool."""
    originals: Any = import_locked(f"{__package__}.originals")
    return {"split": originals.SPLITS.get(name) or getattr(originals, name)()}


def cached_model(entry: Entry) -> str:
    """The path of a tokenizer's model file in sacreBLEU's cache."""
    home = os.path.join(os.path.expanduser("~"), ".sacrebleu")
    return os.path.join(os.environ.get("SACREBLEU", home), "models", entry.details[2][0])


def splitter(name: str, parse: Callable[[str], str]) -> Split:
    """A function that splits the string that a library returns; its errors show the text."""

    def tokens(text: str) -> list[str]:
        try:
            return parse(text).split()
        except (TypeError, RuntimeError) as error:
            # Usually a lone surrogate, which has no UTF-8 form.
            message = f"tokenizer {name!r} cannot read {shown(text)}: {error}"
            raise type(error)(message) from error

    return tokens
