"""What `explain` would find in a sample of a batch, for warnings.

Texts are looked at here; the search, which loads numpy, is for those that look mistaken.
"""

from __future__ import annotations

from collections import Counter
from itertools import chain, islice

from ..core.inputs._batch import Batch
from ..core.inputs._utf8_rows import Utf8Rows
from ..core.inputs.errors import place
from ..core.inputs.mistakes import SHIFT_SAMPLE
from ..core.runtime.import_lock import lazy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from . import clear_findings
else:
    clear_findings = lazy("fastbleu.diagnosis.clear_findings")

# How many pairs are looked at quickly, and how many if these look mistaken; and how many are looked
# through for the right order.
_QUICK_PAIRS, _SAMPLED_PAIRS, _ORDERED_PAIRS = 3, 64, 4096
# What one side alone has if texts are mistaken, with a few exceptions.
_ASCII_SIGNS = (
    *("@@ ", " ##", "&#", "&amp;", "&quot;", "&lt;", "&gt;", "\\u", "\t", " |||", "['", '["', "</"),
    *("<s", "<unk", "<pad", "<|", "[CLS", "[INST", " .", " ,", "???", ">>", "__", "**"),
)
_OTHER_SIGNS = (
    *("\u2581", "\u0120", "\uffed", "\u200b", "\ufeff", "\xad", "\u0301", "\u0308", "\u030c"),
    *("\ufffd", "Ã", "Â", "Ð", "Ñ", "â\x80", "ã\x80", "Å\x99", "Рѕ", "।", "\uff45", "\uff0e", "。"),
)
_QUOTES = "\"“„«'"
# Most real texts are longer, relative to those of the other side.
_SHORT = 0.6
# So many hypotheses, and this share of them, are not equal by chance.
_FEWEST_EQUAL, _EQUAL_SHARE = 4, 0.08


def warn_of_sample(counter: Any, batch: Batch, is_unusual: bool) -> bool:
    """Warn about a mistake in the first texts of a batch; return whether there is one.

    Unless the batch `is_unusual`, only the first few are looked at, and whether many are equal,
    which takes some microseconds.
    """
    sides = [
        side[:_SAMPLED_PAIRS] if type(side) is list else list(islice(side, _SAMPLED_PAIRS))
        for side in map(_segments_of, (batch.hypotheses, batch.references))
    ]
    if not _can_be_read_again(*sides):
        return False
    hypotheses, references = sides[0], [*map(_references_of, sides[1])]
    if not all(isinstance(text, str) for text in chain(hypotheses, *references)):
        return False
    if not (is_unusual or _look_mistaken(hypotheses, [texts[0] for texts in references])):
        return False
    return clear_findings.warn_of_mistake(counter, hypotheses, references)


def warn_of_order(counter: Any, batch: Batch, is_unusual: bool) -> bool:
    """Warn if the last hypotheses fit the references of other segments; return whether they do.

    Unless the batch `is_unusual`, it is looked through only if its last segments match hardly at
    all, as after a missing line, which the sum of all rows does not show.
    """
    if not is_unusual:
        sides = _last(batch.hypotheses, SHIFT_SAMPLE), _last(batch.references, SHIFT_SAMPLE)
        if not _can_be_read_again(*sides):
            return False
        if not counter.count(Batch(*sides)).look_unrelated(SHIFT_SAMPLE):
            return False
    parts = [_last(_segments_of(it), _ORDERED_PAIRS) for it in (batch.hypotheses, batch.references)]
    if not _can_be_read_again(*parts):
        return False
    try:
        hypotheses = [*map(_text_of, parts[0])]
        references = [[*map(_text_of, _references_of(texts))] for texts in parts[1]]
    except TypeError:
        return False
    first = batch.before + len(batch.hypotheses) - len(hypotheses)
    return clear_findings.warn_of_order(counter, hypotheses, references, first)


def _last(side: Any, count: int) -> list[Any]:
    """The last items of a side; none of columns of lists, whose items are texts."""
    if type(side) in (list, tuple):
        return list(side[-count:])  # a slice, because another thread may change the list
    if type(side) is Utf8Rows and side.levels:
        return []
    return [side[number] for number in range(len(side))[-count:]]


def _segments_of(side: Any) -> Any:
    """A side whose items are segments; those of columns of lists are texts."""
    return side.as_lists(place) if type(side) is Utf8Rows and side.levels else side


def _can_be_read_again(hypotheses: Sequence[Any], references: Sequence[Any]) -> bool:
    """Whether references are texts or lists, and there are as many as hypotheses.

    Another thread may have changed a list.
    """
    are_lists = all(isinstance(it, str) or (type(it) in (list, tuple) and it) for it in references)
    return are_lists and len(hypotheses) == len(references)


def _references_of(segment: Any) -> list[Any]:
    return [segment] if isinstance(segment, str) else list(segment)


def _text_of(tokens: Any) -> str:
    if isinstance(tokens, str):
        return tokens
    if type(tokens) not in (list, tuple) or not {*map(type, tokens)} <= {str, int}:
        raise TypeError("tokens of other types may do anything when they are printed")
    return " ".join(map(str, tokens))


def _look_mistaken(hypotheses: Sequence[str], references: Sequence[str]) -> bool:
    """Whether a few pairs show one of the most frequent mistakes, found out in microseconds."""
    [(_, count)] = Counter(filter(str.strip, hypotheses)).most_common(1) or [("", 0)]
    if count >= max(_FEWEST_EQUAL, _EQUAL_SHARE * len(hypotheses)):
        return True
    hypotheses, references = hypotheses[:_QUICK_PAIRS], references[:_QUICK_PAIRS]
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
    starts, ends = {text[:2] for text in texts}, {text[-4:] for text in texts}
    if len(texts) > 1 and (len(starts) == 1 or len(ends) == 1):
        return True
    # Characters as tokens.
    return texts[0][1:2].isspace() and texts[0][3:4].isspace()
