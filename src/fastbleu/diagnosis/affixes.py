"""What many texts of one or both sides begin or end with: a tag, a prompt, a number, a key."""

from __future__ import annotations

import re
from collections import Counter
from functools import partial

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

_DIGITS = re.compile(r"\d+")
# With fewer texts, all may have a word in common by chance.
_LEAST_CONSTANT = 20
# So many equal characters are no usual beginning; and what is no beginning or end by itself.
_LONG_AFFIX, _ENDS = 24, "? .!…,:;()[]\"'“”„«»‘’。！？，\ufffd"


def constant_text(texts: list[str], others: list[str]) -> tuple[str, Callable[[str], str]] | None:
    """What many texts begin or end with, and hardly any others: in words, and what removes it."""
    descriptions, patterns = [], []
    for what, step in (("begin with a prefix", 1), ("end with a suffix", -1)):
        side, other_side = ([_pattern(text, step) for text in lines] for lines in (texts, others))
        affix = _affix(side, other_side)
        if affix and "unk" not in affix[::step]:
            having = [
                text for text, made in zip(texts, side, strict=True) if made.startswith(affix)
            ]
            expression = re.escape(affix[::step]).replace("0", r"\d+")
            expression = f"^{expression}" if step == 1 else f"{expression}$"
            if match := re.search(expression, having[0]):
                descriptions.append(f"{len(having)} {what} such as {match[0]!r}")
                patterns.append(expression)
    if not descriptions:
        return None
    return " and ".join(descriptions), partial(re.compile("|".join(patterns)).sub, "")


def framed_by(*sides: list[str]) -> str:
    """What to do about words that frame all texts, like startseq and endseq; or ""."""
    words = [text.split() for side in sides for text in side]
    if min(map(len, words), default=0) < 4 or len(words) < _LEAST_CONSTANT:
        return ""
    ends = []
    for first, next_one in ((0, 1), (-1, -2)):
        [word, *others] = {text[first] for text in words}
        # If the next word is constant, too, texts are made from a template.
        if not others and len({text[next_one] for text in words}) > 1:
            ends.append(word.rstrip(".,!?;。"))
    are_marks = len(ends) == 2 or any(not word.isalpha() for word in ends)
    shown = [repr(word) for word in ends if re.search(r"\w", word)]
    if not are_marks or len(shown) < len(ends):
        return ""
    return (
        f"all hypotheses and references begin or end with {' and '.join(shown)}, which raises the "
        "score: remove what is no part of the text"
    )


def _pattern(text: str, step: int) -> str:
    """A text from its beginning or its end on, with 0 for numbers."""
    return _DIGITS.sub("0", text)[::step]


def _affix(texts: list[str], others: list[str]) -> str:
    """The longest beginning that many texts have, and hardly any of the others; or ""."""
    best, most = "", max(5, len(texts) // 25) - 1
    for length in (2, 4, 8, _LONG_AFFIX):
        counts, of_others = (Counter(text[:length] for text in side) for side in (texts, others))
        for start, count in counts.most_common(8):
            # A few words at the beginning of many lines may be natural.
            is_usual = start.replace(" ", "").isalpha() and count < len(texts) / 2
            is_usual &= len(start) < _LONG_AFFIX
            if (
                not is_usual
                and count > most
                and count >= 10 * of_others[start]
                and start.strip(_ENDS)
            ):
                best, most = start, count
        if best:
            break
    group = [text for text in texts if text.startswith(best)] if best else []
    while group:
        [(longer, count)] = Counter(text[: len(best) + 1] for text in group).most_common(1)
        if count < 0.95 * len(group) or len(longer) == len(best):
            break
        best = longer
    # So may be a last word with its full stop; and what is nearly all of a text is its content.
    is_usual = best.lstrip(".!?。！？").isalpha() and len(group) < len(texts) / 2
    is_content = 10 * len(best) * len(group) > 9 * sum(map(len, group))
    return "" if is_usual or is_content else best
