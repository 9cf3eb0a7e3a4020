"""sacreBLEU's compiled tokenizers written to be obviously right: one rule after the other.

`tokens(text, name)` is what sacreBLEU 2.6.0 counts for the text of a segment. Its rules rewrite
pairs of neighbours: `pairs` walks over the text from left to right, and two characters that have
been rewritten take no part in the next pair. Nothing here is fast.
"""

import itertools
import unicodedata

ASCII_DIGITS = frozenset("0123456789")
PERIOD_COMMA = frozenset(".,")
# Every ASCII punctuation mark but apostrophe, hyphen, period and comma.
ASCII_PUNCTUATION = frozenset('!"#$%&()*+/:;<=>?@[\\]^_`{|}~')
ENTITIES = (("&quot;", '"'), ("&amp;", "&"), ("&lt;", "<"), ("&gt;", ">"))
# Ends included. The first two ranges were meant as U+20000 to U+2A6D6 and U+2F800 to U+2FA1D, but
# are written with four digits, so that the fifth is a character of its own; comparing strings, this
# is what remains of them.
CHINESE = (
    (0x2001, 0x2A6D), (0x2F81, 0x2FA1), (0x2E80, 0x2EFF), (0x2F00, 0x2FDF), (0x2FF0, 0x303F),
    (0x3100, 0x312F), (0x31A0, 0x31BF), (0x31C0, 0x31EF), (0x3200, 0x33FF), (0x3400, 0x4DB5),
    (0x4E00, 0x9FBB), (0xF900, 0xFA2D), (0xFA30, 0xFA6A), (0xFA70, 0xFAD9), (0xFE10, 0xFE1F),
    (0xFE30, 0xFE4F), (0xFF00, 0xFFEF), (0x2600, 0x26FF), (0x2700, 0x27BF),
)  # fmt: skip


def pairs(text, first, second, replacement):
    """Rewrite each pair of neighbours (a, b) with first(a) and second(b) as replacement(a, b)."""
    firsts, seconds = set(filter(first, set(text))), set(filter(second, set(text)))
    written, end = [], 0
    for position, (a, b) in enumerate(itertools.pairwise(text)):
        if b in seconds and a in firsts and position >= end:
            written += [text[end:position], replacement(a, b)]
            end = position + 2
    return "".join(written) + text[end:]


def alone(text, chosen):
    """Put a space on both sides of every chosen character."""
    these = set(filter(chosen, set(text)))
    return "".join(f" {character} " if character in these else character for character in text)


def is_chinese(character):
    return any(first <= ord(character) <= last for first, last in CHINESE)


def western(text):
    """The rules that 13a and zh share."""
    text = alone(text, lambda character: character in ASCII_PUNCTUATION)
    text = pairs(
        text,
        lambda before: before not in ASCII_DIGITS,
        lambda mark: mark in PERIOD_COMMA,
        lambda before, mark: f"{before} {mark} ",
    )
    text = pairs(
        text,
        lambda mark: mark in PERIOD_COMMA,
        lambda after: after not in ASCII_DIGITS,
        lambda mark, after: f" {mark} {after}",
    )
    text = pairs(
        text,
        lambda digit: digit in ASCII_DIGITS,
        lambda dash: dash == "-",
        lambda digit, dash: f"{digit} {dash} ",
    )
    return text.split()


def tokens_none(text):
    return text.split()


def tokens_char(text):
    return [character for character in text if not character.isspace()]


def tokens_13a(text):
    text = text.rstrip().replace("<skipped>", "").replace("-\n", "").replace("\n", " ")
    for entity, character in ENTITIES:
        text = text.replace(entity, character)
    return western(f" {text} ")


def tokens_zh(text):
    return western(alone(text.strip(), is_chinese))


def tokens_intl(text, category=unicodedata.category):
    """`category` gives a code point's general category, by whatever version of Unicode."""
    kind = {character: category(character)[0] for character in set(text)}
    kind[" "] = "Z"
    text = pairs(
        text.rstrip(),
        lambda before: kind[before] != "N",
        lambda mark: kind[mark] == "P",
        lambda before, mark: f"{before} {mark} ",
    )
    text = pairs(
        text,
        lambda mark: kind[mark] == "P",
        lambda after: kind[after] != "N",
        lambda mark, after: f" {mark} {after}",
    )
    return alone(text, lambda character: kind[character] == "S").split()


TOKENIZERS = {
    "none": tokens_none,
    "13a": tokens_13a,
    "zh": tokens_zh,
    "intl": tokens_intl,
    "char": tokens_char,
}


def tokens(text, name):
    """The tokens of `text`, in order."""
    return TOKENIZERS[name](text)
