"""Warnings about the mistakes of repairs.py, which are looked for in a sample of the texts.

What is cheap is looked at first; a mistake is named only if its repair makes pairs more similar.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from itertools import chain, pairwise

from ..core.inputs.errors import warn_input
from .affixes import constant_text, framed_by
from .repairs import DIFFERENT_CASE, REPAIRS, Repair

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    Pairs = tuple[list[str], list[str]]

# How many pairs are looked at quickly, and how many if these look mistaken.
QUICK_PAIRS, SAMPLED_PAIRS = 3, 64
# So many pairs are needed to say what most or all have.
_LEAST_PAIRS = 8
# What one side alone has if texts are mistaken, with a few exceptions.
_ASCII_SIGNS = (
    *("@@ ", " ##", "&#", "&amp;", "&quot;", "&lt;", "&gt;", "\\u", "\t", " |||", "['", '["', "</"),
    *("<s", "<unk", "<pad", "<|", "[CLS", "[INST", " .", " ,", "???", ">>", "__", "**"),
)
_OTHER_SIGNS = (
    *("\u2581", "\u0120", "\uffed", "\u200b", "\xad", "\u0301", "\u0308", "\u030c", "\ufffd"),
    *("Ã", "Â", "Ð", "Ñ", "â\x80", "ã\x80", "Å\x99", "Рѕ", "।", "\uff45", "\uff0e", "。"),
)
_QUOTES = "\"“„«'"
# By how much a repair has to raise the similarity of the pairs, also one of spelling, one of case
# where both sides have capitals, and that of a pair. Equal texts of many tokens have a similarity
# of nearly 2.
_GAIN, _GAIN_OF_SPELLING, _GAIN_OF_CASE, _GAIN_OF_PAIR = 1.02, 1.1, 1.5, 0.01
# The similarity of a pair of related texts.
_RELATED = 0.1
# Most real texts are longer, relative to those of the other side.
_SHORT = 0.6
# The letters needed to tell the script of a text, and the share of them that may be foreign.
_LEAST_LETTERS, _FOREIGN = 20, 0.05
# Words in more references tell nothing about pairs. If so many hypotheses, and this share of them,
# fit other references, the order is wrong.
_COMMON, _LEAST_MOVED, _MOVED_SHARE = 3, 30, 0.4
# The share of them that fit a later reference than the one before, if none is exchanged.
_RISING = 0.7
# So many hypotheses, and this share of them, are not equal by chance.
_FEWEST_EQUAL, _EQUAL_SHARE = 4, 0.08
_SIDES = "hypotheses", "references"


def may_be_mistaken(hypotheses: Sequence[str], references: Sequence[str]) -> bool:
    """Whether a few pairs show one of the most frequent mistakes, found out in microseconds."""
    first, second = "\n".join(hypotheses), "\n".join(references)
    shorter, longer = sorted((len(first), len(second)))
    if shorter < _SHORT * longer or first.islower() != second.islower():
        return True
    if first.isupper() != second.isupper() or first[:1].isdigit() != second[:1].isdigit():
        return True
    if (first[:1] in _QUOTES) != (second[:1] in _QUOTES):
        return True
    is_ascii = first.isascii() and second.isascii()
    for sign in _ASCII_SIGNS if is_ascii else _ASCII_SIGNS + _OTHER_SIGNS:
        if (sign in first) != (sign in second):
            return True
    return _begin_or_end_alike(hypotheses) or _begin_or_end_alike(references)


def _begin_or_end_alike(texts: Sequence[str]) -> bool:
    if len({text[:2] for text in texts}) == 1 or len({text[-4:] for text in texts}) == 1:
        return True
    # Characters as tokens.
    return texts[0][1:2].isspace() and texts[0][3:4].isspace()


def repeated_text(hypotheses: Sequence[Any], references: Sequence[Any]) -> str:
    """A note about a text that many hypotheses are, as an error message of a service is."""
    counts = Counter(filter(str.strip, hypotheses))  # of blank texts other warnings speak
    [(text, count)] = counts.most_common(1) or [("", 0)]
    least = max(_FEWEST_EQUAL, _EQUAL_SHARE * len(hypotheses))
    pairs = zip(hypotheses, references, strict=False)
    # Several samples of one source have the same reference.
    if count < least or 2 * len({other for own, other in pairs if own == text}) <= count:
        return ""
    of_all = "all" if count == len(hypotheses) else f"{count}"
    return (
        f"{of_all} of the first {len(hypotheses)} hypotheses are identical: {text[:40]!r}, but "
        "their references differ: is it an error message?"
    )


def warn_of_scripts(hypothesis: str, reference: str) -> bool:
    """Warn if hypotheses and references share hardly any script; return whether it warned."""
    scripts = different_scripts(hypothesis, reference)
    if scripts:
        warn_input(
            f"the letters of hypotheses are {scripts[0]}, those of references {scripts[1]}: are "
            "both in the intended language, or is one the source?"
        )
    return bool(scripts)


def different_scripts(*texts: str) -> tuple[str, str] | None:
    """The scripts of two texts; None if they are the same, or if there are too few letters."""
    known = [{*filter(str.isalpha, text.lower())} for text in texts]
    if 2 * len(known[0] & known[1]) > min(map(len, known)):
        return None
    # In the script that they have if they are read in the right encoding.
    for mistake in ("escapes", "encoding", "full-width"):
        texts = tuple(map(REPAIRS[mistake].rewrite, texts))
    name = unicodedata.name
    scripts = [[name(c, "").partition(" ")[0] for c in s[:200] if c.isalpha()] for s in texts]
    if min(map(len, scripts)) < _LEAST_LETTERS:
        return None
    first, second = (max(set(letters), key=letters.count) for letters in scripts)
    shares = scripts[1].count(first) / len(scripts[1]), scripts[0].count(second) / len(scripts[0])
    return (first, second) if first != second and min(shares) < _FOREIGN else None


def warn_of_order(hypotheses: Sequence[Any], references: Sequence[Any]) -> bool:
    """Warn if most hypotheses fit the reference of another segment; return whether it warned."""
    if not all(isinstance(text, str) for text in (*hypotheses, *references)):
        return False
    best = fitting_references(hypotheses, [[text] for text in references])
    moved = sum(other not in (-1, number) for number, other in enumerate(best))
    own = len(best) - best.count(-1) - moved
    differs = moved > max(_LEAST_MOVED, _MOVED_SHARE * len(best), 4 * own)
    if differs:
        fitting = [other for other in best if other != -1]
        rising = sum(other < following for other, following in pairwise(fitting))
        cause = "the order of one side differs, it is shuffled or sorted"
        if rising > _RISING * len(fitting):
            cause = "a line may be missing or added there, as by str.splitlines()"
        warn_input(
            f"of the first {len(best)} hypotheses, {moved} fit the reference of another segment: "
            f"{cause}"
        )
    return differs


def warn_of_sample(
    hypotheses: Sequence[str],
    references: Sequence[str],
    similarity: Callable[[Sequence[str], Sequence[str]], float],
) -> bool:
    """Warn about a mistake in pairs of texts; return whether there was one.

    `similarity` rises with the n-grams that texts share with others.
    """
    pairs = list(hypotheses), list(references)
    # Nothing is most or all of a few.
    are_enough = len(pairs[0]) >= _LEAST_PAIRS
    message = _unusual(*pairs) if are_enough else ""
    if not message:
        repaired = (_repaired(name, repair, pairs, similarity) for name, repair in REPAIRS.items())
        message = next(filter(None, repaired), "")
    if not message and are_enough:
        message = _constant(pairs, similarity)
        lowered = [[*map(str.lower, texts)] for texts in pairs]
        if not message and _helps(pairs, lowered, similarity, _GAIN_OF_CASE):
            message = DIFFERENT_CASE
        if not message and similarity(*pairs) > _RELATED * len(pairs[0]):
            message = _lengths(*pairs)
    if message:
        warn_input(message)
    return bool(message)


def _unusual(hypotheses: list[str], references: list[str]) -> str:
    """What texts have that no function repairs."""
    if message := framed_by(hypotheses, references):
        return message
    for side, texts, others in zip(
        _SIDES, (hypotheses, references), (references, hypotheses), strict=True
    ):
        if side == "hypotheses" and (message := repeated_text(texts, others)):
            return message
        if all(text.replace(" ", "").isdigit() for text in texts) and not others[0][:1].isdigit():
            return f"{side} are numbers, such as ids of tokens: decode them"
        joined = "\n".join(texts)
        if joined.count("?") > 4 * len(texts):
            return (
                f"{side} have ? for letters: they were lost when the text was written or read in "
                "the wrong encoding"
            )
        if "\ufffd" in joined:
            return f"{side} have U+FFFD for letters, which were lost in the wrong encoding"
        if "<unk>" in joined and not any("<unk>" in text for text in others):
            return f"{side} have marks for unknown words, <unk>: replace them"
    return ""


def _repaired(
    name: str,
    repair: Repair,
    pairs: Pairs,
    similarity: Callable[[Sequence[str], Sequence[str]], float],
) -> str:
    """What a repair makes more similar, in words, or ""."""
    counts = [0, 0]
    if _may_have(name, repair, pairs):
        counts = [sum(map(repair.has, texts)) for texts in pairs]
    if not any(counts):
        return ""
    repaired = [[repair.rewrite(text) for text in texts] for texts in pairs]
    gain = _GAIN_OF_SPELLING if repair.is_spelling else _GAIN
    if not _helps(pairs, repaired, similarity, gain):
        return ""
    number = int(counts[1] > counts[0])
    having = f"{counts[number]} of the first {len(pairs[0])} {_SIDES[number]} have {repair.words}"
    other = f", but hardly any {_SIDES[1 - number]}" if repair.is_spelling else ""
    return f"{having}{other}: {repair.advice}"


def _may_have(name: str, repair: Repair, pairs: Pairs) -> bool:
    """Whether one side may have what the other has not, found out quickly."""
    first, second = pairs
    if name in ("case", "capitals"):
        is_all = str.islower if name == "case" else str.isupper
        return all(map(is_all, first[:3])) != all(map(is_all, second[:3]))
    if name in ("characters", "quoted", "repeated"):
        return repair.has(first[0]) or repair.has(second[0])
    joined, other = "\n".join(first), "\n".join(second)
    if name == "punctuation":
        return bool(repair.has(joined) != repair.has(other))
    if name == "accents":
        return joined.isascii() != other.isascii()
    return any((mark in joined) != (mark in other) for mark in repair.marks)


def _helps(
    pairs: Pairs,
    repaired: Sequence[Sequence[str]],
    similarity: Callable[[Sequence[str], Sequence[str]], float],
    gain: float = _GAIN,
) -> bool:
    if [*pairs] == repaired:
        return False
    least = gain * similarity(*pairs) + _GAIN_OF_PAIR * len(pairs[0])
    return similarity(*repaired) > least


def _constant(pairs: Pairs, similarity: Callable[[Sequence[str], Sequence[str]], float]) -> str:
    """What many lines of one side begin or end with, in words, or ""."""
    for number, texts in enumerate(pairs):
        if all(len({text[part] for text in texts[:3]}) > 1 for part in (slice(2), slice(-3, None))):
            continue
        constant = constant_text(texts, pairs[1 - number])
        if constant is None:
            continue
        what, rewrite = constant
        if _helps(pairs, [[rewrite(text) for text in side] for side in pairs], similarity):
            first = f"of the first {len(texts)} {_SIDES[number]}"
            return f"{first} {what}, like a tag, prompt, number or id: remove it"
    return ""


def _lengths(hypotheses: list[str], references: list[str]) -> str:
    """Which side is far shorter, in words, or ""."""
    for side, texts, others in zip(
        _SIDES, (hypotheses, references), (references, hypotheses), strict=True
    ):
        pairs = zip(texts, others, strict=True)
        short = sum(0 < len(text) < _SHORT * len(other) for text, other in pairs)
        if 3 * short > 2 * len(texts):
            repeated = "" if side == "hypotheses" else ", or do hypotheses repeat something"
            return f"most {side} are short beside the other side: were they truncated{repeated}?"
    return ""


def fitting_references(hypotheses: Sequence[Any], references: Sequence[Any]) -> list[int]:
    """For each hypothesis the segment whose references share most rare words with it, or -1."""
    segments: dict[object, list[int]] = {}
    for number, texts in enumerate(references):
        for word in set(chain.from_iterable(map(_words, texts))):
            segments.setdefault(word, []).append(number)
    best = []
    for number, text in enumerate(hypotheses):
        votes = Counter(
            chain.from_iterable(
                fitting
                for word in set(_words(text))
                if len(fitting := segments.get(word, [])) <= _COMMON
            )
        )
        own = votes[number]
        [(other, most)] = votes.most_common(1) or [(-1, 0)]
        is_clear = most >= 2 and most > 2 * own
        best.append(other if is_clear else number if own else -1)
    return best


def _words(text: Any) -> list[Any]:
    """The words of a text, or pairs of characters; or tokens."""
    if not isinstance(text, str):
        return [str(token) for token in text]
    if not text.isascii() and any("\u0e00" <= character <= "\u9fff" for character in text):
        return [text[n : n + 2] for n in range(len(text) - 1)]
    return text.lower().split()
