"""Seeded random texts: lines, corpora, and short ones in which a tokenizer's characters meet."""

import functools
import importlib.util
from pathlib import Path

from generators import seeded

# Words that are cut, glued, rewritten or wide, so that every line mixes storage units.
WORDS = (
    *("a", "the", "cat,", "3.5%", "x-y", "5-6", "...", "a..5", "&amp;lt;", "<skipped>", "(b)", "é"),
    *("“q”", "я", "длинноеслово", "你好。", "\ud800", "😀", "longer-than-fifteen-characters", "\n"),
)
SPACES = (" ", " ", " ", "  ", "\u3000", "\x1c", "\t")


def random_line(rng, most=40):
    """A line in which every tokenizer finds something to do."""
    words = rng.sample(WORDS, rng.randint(1, len(WORDS)))
    size = rng.randint(0, rng.choice((3, most, most, 4 * most)))
    return "".join(rng.choice(words) + rng.choice(SPACES) for _ in range(size))


def random_corpus(rng, segments):
    """Hypotheses, and references of which some are lists and some a single text."""
    hypotheses, references = [], []
    for _ in range(segments):
        hypothesis = random_line(rng)
        cut = rng.randint(0, len(hypothesis))
        its = [hypothesis[cut:] + random_line(rng, 9) for _ in range(rng.randint(1, 3))]
        hypotheses.append(hypothesis)
        references.append(its[0] if len(its) == 1 and rng.random() < 0.5 else its)
    return hypotheses, references


# What str.split() splits at, on the running Python.
WHITE_SPACE = [chr(code) for code in range(0x110000) if chr(code).isspace()]
ENTITIES = ["&quot;", "&amp;", "&lt;", "&gt;"]
# What zh splits, ends included. The first two ranges were meant as U+20000 to U+2A6D6 and U+2F800
# to U+2FA1D, but are written with four digits, so that the fifth is a character of its own;
# comparing strings, this is what remains of them.
CHINESE = (
    (0x2001, 0x2A6D), (0x2F81, 0x2FA1), (0x2E80, 0x2EFF), (0x2F00, 0x2FDF), (0x2FF0, 0x303F),
    (0x3100, 0x312F), (0x31A0, 0x31BF), (0x31C0, 0x31EF), (0x3200, 0x33FF), (0x3400, 0x4DB5),
    (0x4E00, 0x9FBB), (0xF900, 0xFA2D), (0xFA30, 0xFA6A), (0xFA70, 0xFAD9), (0xFE10, 0xFE1F),
    (0xFE30, 0xFE4F), (0xFF00, 0xFFEF), (0x2600, 0x26FF), (0x2700, 0x27BF),
)  # fmt: skip
CHINESE_EDGES = sorted(
    {chr(edge + offset) for ends in CHINESE for edge in ends for offset in (-1, 0, 1)}
)


def script(name):
    """A script of tools/ as a module."""
    path = Path(__file__).resolve().parents[2] / "tools" / name
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


generator = script("generate_unicode_classes.py")
UNICODE_RANGES = generator.read_header()[0]  # of the generated header
UNICODE_EDGES = [
    chr(code)
    for first, last, _ in UNICODE_RANGES
    for code in (first - 1, first, last, last + 1)
    if code < 0x110000
]
# Characters whose lower case has another length, another width, or depends on its neighbors.
CASED = [*"İIıiΣσςßẞŉǅKſﬀÅÅåÀÉЖжԱ", "\U0001041c", "\U00010444", "AΣ", "Σa", "ὈΔΥΣΣ", "A.Σ"]
LETTERS = "abcdefghijklmnopqrstuvwxyz"
CYRILLIC = "абвгдежзийклмнопрстуфхцчшщъыьэюя"

# Pieces that a text is put together from. A piece that is repeated comes more often.
KINDS = {
    "marks and digits": [*"aa55..,,--", " ", "!", "'"],
    "marks": [*"a5.,"],
    "dashes": [*"a5--.", " ", "\n", "-\n"],
    "ascii punctuation": [*"ab059 .,-&;<>!\"'()[]{}/\\|~`^_@#$%*+=:?"],
    "entities": [*ENTITIES, "&AMP;", "&amp", "&amp;lt;", "amp;", "lt;", "quot;", *"&&;a5. <>"],
    "skipped": ["<skipped>", "<skipped>", "<skip", "ped>", "<SKIPPED>", "\n", "-\n", *"<>as. -&"],
    "rewrites": ["<skipped>", "skipped>", *ENTITIES, "amp;", *"&<-\n5.a "],
    "white space": [*WHITE_SPACE, "\u200b", "\u180e", "\ufeff", "\u2060", *"aa55..,-"],
    "line ends": [*"\n\r\v\f\x85\u2028\t", "\r\n", "-\n", "- \n", *"a5.- "],
    "ascii": [chr(code) for code in range(128)],
    "controls": ["\0", "\0", *map(chr, range(1, 32)), "\x7f", *"ab5.-,"],
    "latin-1": [*map(chr, range(0x80, 0x100)), *"aaa555...,,--  "],
    "latin-1 words": [*"aéèüñçeestn  .,«»¡½²\xa0\xad5"],
    "two bytes": [*"яжΩ世界中”“–—…\u2000\u2001\u2a6d\u2a6e\u3000aa55..,,- "],
    "surrogates": ["\ud800", "\udbff", "\udc00", "\udfff", "\ud83d\ude00", *"a5., -я"],
    "four bytes": [*"😀😁𝟘𝟡𐄀𐄁𝔸\U0010ffff\U00020000\U0002a6d6aa55..,,-  я世é"],
    "chinese": [*"中文世界，。、！「」（）\u3000aa55..,- “”Ａ５"],
    "chinese edges": [*CHINESE_EDGES, *"\u2000\u2001" * 4, *"aa55..,- " * 2],
    "unicode edges": [*UNICODE_EDGES, *"aa55..,,$  " * (len(UNICODE_EDGES) // 20)],
    "punctuation and numbers": [*"aa5..$$٣²½Ⅷ。“”𝟘𐄀€ ¿"],
    "letters": [*LETTERS, *"     .,5-&<é“"],
    "long words": [*LETTERS * 4, *" .,5-'&"],
    "long wide words": [*CYRILLIC * 2, *" .,5-!a\n😀"],
    "cased": [*CASED, *"AbCdEÉЯ .,5-", "&AMP;", "&Lt;", "<Skipped>"],
}
KINDS["everything"] = [piece for name in sorted(KINDS) for piece in KINDS[name][:12]]

EDGES = (15, 16, 17, 31, 32, 33, 47, 48, 49, 63, 64, 65, 66, 127, 128, 129)


def random_length(rng):
    """0 to 500 characters, mostly short or around the sizes of a processor's registers."""
    choice = rng.random()
    if choice < 0.5:
        return rng.randint(0, 12)
    if choice < 0.9:
        return rng.choice(EDGES)
    if choice < 0.985:
        return rng.randint(13, 140)
    return rng.randint(141, 500)


def edited(rng, text, alphabet):
    """A text that shares words with `text`, often of another width in memory."""
    at = rng.randint(0, len(text))
    removed = rng.randint(0, 3)
    wider = rng.choice(("", "", " é", " “", " \U0001f600"))
    return text[:at] + rng.choice(alphabet) + text[at + removed :] + wider


def random_texts(rng, count):
    """`count` texts over pieces of one kind; each second one is an edit of that before it."""
    alphabet = KINDS[rng.choice(sorted(KINDS))]
    if rng.random() < 0.6:
        alphabet = rng.choices(alphabet, k=rng.randint(2, 8))
    texts = []
    for _ in range((count + 1) // 2):
        length = random_length(rng)
        text = "".join(rng.choices(alphabet, k=length))[:length]
        texts += [text, edited(rng, text, alphabet)]
    return texts[:count]


def batch(name, count):
    """The batch of random texts that belongs to `name` and the seed of the run."""
    return random_texts(seeded("texts", name), count)


@functools.cache
def other_unicode():
    """Code points of which the installed `regex`, of another version of Unicode, says otherwise.

    test_unicode_ranges.py says whether that may be.
    """
    return dict.fromkeys(generator.differing(), "a")


def comparable(texts, tokenizer):
    """The texts without what versions of Unicode disagree about, for the tokenizer that asks."""
    if tokenizer != "intl" or not other_unicode():
        return texts
    return [text.translate(other_unicode()) for text in texts]
