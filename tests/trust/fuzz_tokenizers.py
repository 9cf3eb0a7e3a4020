"""Any text: the compiled tokenizers give the tokens of sacreBLEU's, and their counts.

An input says which tokenizer, which instruction set, how its bytes become text, and how much is
asked; what follows is text.
"""

import functools

import numpy as np
import oracle
import sacrebleu_tokenizers
from levels import COMPILED, LEVELS, use_simd
from random_texts import other_unicode

from fastbleu import BLEU
from fastbleu.tokenizers import tokenize
from trust.fuzz_input import Input, equal

# What bytes from 128 on stand for where a byte is a piece of text: what a tokenizer looks at.
PIECES = [
    "&quot;", "&amp;", "&lt;", "&gt;", "&", "<skipped>", "<skip", "ped>", "-\n", "\n", "\r", "...",
    "\x1c", "\x1f", "\x85", "\xa0", "\u1680", "\u180e", "\u2000", "\u200b", "\u2028", "\u202f",
    "\u205f", "\u3000", "\ufeff", "\u2001", "\u2a6d", "\u2a6e", "\u2e80", "\u303f", "\u3040", "中",
    "世界", "、", "。", "！", "Ａ", "\u4db5", "\u4db6", "\u9fbb", "\u9fbc", "\uff00", "\uffef",
    "é", "ß", "İ", "ı", "Σ", "ς", "ŉ", "я", "Ж", "«", "»", "½", "²", "٣", "Ⅷ", "€", "¿", "“", "–",
    "\ud800", "\udfff", "\U0001f600", "\U0001d7d8", "\U00010100", "\U0001d538", "\U00020000",
    "\U0010ffff", "a" * 15, "a" * 16, "a" * 17, "5" * 31, "5," * 16, " " * 63, ".-" * 33, "é" * 64,
    "я" * 65, "word ", "Word ", "WORD. ", "1,000.5", "5-", "-5", "a-b", "'s", "\0", "x" * 130,
]  # fmt: skip
SEPARATOR = "\x1d"  # white space, so that every tokenizer ends a token there


@functools.cache
def metric(name: str, lowercase: bool, max_ngram_order: int) -> BLEU:
    return BLEU(tokenize=name, lowercase=lowercase, max_ngram_order=max_ngram_order)


def by_pieces(data: bytes) -> str:
    return "".join(chr(b) if b < 128 else PIECES[(b - 128) % len(PIECES)] for b in data)


TEXTS = (
    by_pieces,
    lambda data: data.decode("latin-1"),
    lambda data: data.decode("utf-8", "surrogateescape"),
    lambda data: data[: len(data) & ~1].decode("utf-16-le", "surrogatepass"),
)


def run(data: bytes) -> None:
    given = Input(data)
    name, level = given.choice(COMPILED), given.choice(LEVELS)
    text_of, asked = given.choice(TEXTS), given.byte()
    text = text_of(given.rest())
    if name == "intl":  # about these characters versions of Unicode disagree
        text = text.translate(other_unicode())
    use_simd(level)
    if not asked & 1:
        equal(tokenize(text, name), sacrebleu_tokenizers.tokens(text, name), name, level, text)
        return
    lowercase, max_ngram_order = bool(asked & 2), 1 + (asked >> 2) % 5
    hypothesis, *references = text.split(SEPARATOR)
    references = references or [text]
    found = metric(name, lowercase, max_ngram_order).count([hypothesis], [references])
    lowered = [t.lower() if lowercase else t for t in (hypothesis, *references)]
    tokens = [sacrebleu_tokenizers.tokens(t, name) for t in lowered]
    row = oracle.row(tokens[0], tokens[1:], max_ngram_order)
    equal(np.asarray(found).tolist()[0], row, name, level, lowercase, hypothesis, references)
