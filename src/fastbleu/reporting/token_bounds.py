"""The positions of the tokens in texts, in a compact encoding.

Most tokens are exactly the text between two spaces. The encoding of a text is a sequence of
integers: the number of its tokens, then alternately the number of such tokens that follow, and for
the next other token its distance from the end of the previous token and its length, in UTF-16
units. Integers are in base 128, low digits first, each digit except the last with the top bit set.
"""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING, Any

import numpy

from ..tokenizers._compiled import token_bounds
from ..tokenizers.loaded import Tokenizer

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

_SPACE = ord(" ")


class Texts:
    """Concatenated texts, with the positions of their tokens.

    Attributes
    ----------
    joined : str
        Lone surrogates, which UTF-8 cannot hold, are replaced by U+FFFD.
    lengths : ndarray of int64, shape (texts,)
        In UTF-16 units.
    tokens : bytes
        The encoding described in the module's docstring.
    others : dict of int to list of str
        By index of the text, its tokens if these are not parts of the text.
    """

    def __init__(
        self,
        texts: Sequence[str],
        bounds: array[int] | list[int],
        counts: array[int] | list[int],
        others: dict[int, list[str]],
    ) -> None:
        joined = "".join(texts)
        points = numpy.frombuffer(joined.encode("utf-32-le", "surrogatepass"), numpy.uint32)
        lone = (points >= 0xD800) & (points < 0xE000)
        if lone.any():
            points = numpy.where(lone, numpy.uint32(0xFFFD), points)
            joined = points.astype("<u4").tobytes().decode("utf-32-le")
        self.joined = joined
        # The UTF-16 offset of each character, and of the end.
        units = numpy.zeros(len(points) + 1, numpy.int64)
        numpy.cumsum(1 + (points > 0xFFFF), out=units[1:])
        ends = numpy.cumsum([len(text) for text in texts], dtype=numpy.int64)
        starts = ends - numpy.array([len(text) for text in texts], numpy.int64)
        self.lengths = units[ends] - units[starts]
        self.others = others
        numbers = numpy.maximum(numpy.asarray(counts, numpy.int64), 0)
        self.tokens = _written(points, units, starts, ends, bounds, numbers)


def _written(
    points: NDArray[Any],
    units: NDArray[Any],
    starts: NDArray[Any],
    ends: NDArray[Any],
    bounds: Any,
    counts: NDArray[Any],
) -> bytes:
    """The integers of all texts; see the module."""
    texts = numpy.repeat(numpy.arange(len(counts)), counts)
    pairs = numpy.asarray(bounds, numpy.int64).reshape(-1, 2)
    begin, end = pairs[:, 0] + starts[texts], pairs[:, 1] + starts[texts]
    total = len(begin)
    first = numpy.ones(total, bool)
    first[1:] = texts[1:] != texts[:-1]
    before = numpy.where(first, starts[texts], numpy.concatenate([[0], end[:-1]])[:total])
    spaces = numpy.append(numpy.flatnonzero(points == _SPACE), len(points))
    padded = numpy.append(points, 0)
    expected = before + ((padded[before] == _SPACE) & (before < ends[texts]))
    stop = numpy.minimum(spaces[numpy.searchsorted(spaces, begin)], ends[texts])
    odd = numpy.flatnonzero((begin != expected) | (end != stop))
    # The number of usual tokens before each other token, and after the last one of a text.
    firsts = numpy.cumsum(counts) - counts
    of_text = texts[odd]
    opens = numpy.ones(len(odd), bool)
    opens[1:] = of_text[1:] != of_text[:-1]
    after = numpy.where(opens, firsts[of_text], numpy.concatenate([[0], odd[:-1] + 1])[: len(odd)])
    runs, gaps = odd - after, units[begin[odd]] - units[before[odd]]
    sizes = units[end[odd]] - units[begin[odd]]
    last = firsts.copy()
    last[of_text] = odd + 1  # of several the last one is kept
    rest = firsts + counts - last
    # In the order of the page: a text's number of tokens, its other tokens, the remaining usual
    # ones.
    of_odd = numpy.bincount(of_text, minlength=len(counts))
    width = 1 + 3 * of_odd + (rest > 0)
    place = numpy.cumsum(width) - width
    numbers = numpy.empty(int(width.sum()), numpy.int64)
    numbers[place] = counts
    within = numpy.arange(len(odd)) - (numpy.cumsum(of_odd) - of_odd)[of_text]
    at = place[of_text] + 1 + 3 * within
    numbers[at], numbers[at + 1], numbers[at + 2] = runs, gaps, sizes
    numbers[(place + width - 1)[rest > 0]] = rest[rest > 0]
    return _base_128(numbers)


def _base_128(numbers: NDArray[Any]) -> bytes:
    """Integers of at least 0, the low digits first."""
    digits = numpy.ones(len(numbers), numpy.int64)
    largest = int(numbers.max()) if len(numbers) else 0
    for bits in range(7, largest.bit_length() + 1, 7):
        digits += numbers >> bits > 0
    place = numpy.cumsum(digits) - digits
    made = numpy.zeros(int(digits.sum()), numpy.uint8)
    for digit in range(int(digits.max()) if len(digits) else 0):
        has = digits > digit
        more = (digits[has] > digit + 1).astype(numpy.int64) << 7
        made[place[has] + digit] = numbers[has] >> 7 * digit & 127 | more
    return made.tobytes()


def cut_texts(
    texts: Sequence[str], is_reference: Sequence[bool], tokenizer: Tokenizer, lowercase: bool
) -> tuple[array[int], array[int], dict[int, list[str]]]:
    """The bounds of the tokens of texts, their numbers, and tokens that are not parts of texts."""
    lowered = [text.lower() for text in texts] if lowercase else list(texts)
    others: dict[int, list[str]] = {}
    if tokenizer.compiled is not None:
        bounds, counts = token_bounds(lowered, tokenizer.compiled)
        if not lowercase and min(counts, default=0) >= 0:
            return bounds, counts, others
        return _checked(texts, lowered, tokenizer, bounds, counts)
    bounds, counts = array("q"), array("q")
    for number, text in enumerate(lowered):
        tokens = tokenizer.tokens(texts[number], lowercase, is_reference[number])
        _note(texts[number], text, tokens, number, bounds, counts, others)
    return bounds, counts, others


def _checked(
    texts: Sequence[str],
    lowered: Sequence[str],
    tokenizer: Tokenizer,
    bounds: array[int],
    counts: array[int],
) -> tuple[array[int], array[int], dict[int, list[str]]]:
    """The same without lines that were rewritten, or whose length changes in lower case."""
    from ..tokenizers._compiled import split

    kept, numbers, others, at = array("q"), array("q"), {}, 0
    for number, count in enumerate(counts):
        used = 2 * max(count, 0)
        if count < 0 or len(texts[number]) != len(lowered[number]):
            others[number] = split(lowered[number], str(tokenizer.compiled))
            numbers.append(-1)
        else:
            kept.extend(bounds[at : at + used])
            numbers.append(count)
        at += used
    return kept, numbers, others


def _note(
    text: str,
    lowered: str,
    tokens: list[str],
    number: int,
    bounds: array[int],
    counts: array[int],
    others: dict[int, list[str]],
) -> None:
    """Look for the tokens of one text in it, one after the other."""
    places, at = array("q"), 0
    for token in tokens if len(text) == len(lowered) else ():
        at = lowered.find(token, at)
        if at < 0 or not token:
            break
        places.extend((at, at + len(token)))
        at += len(token)
    if len(places) == 2 * len(tokens):
        bounds.extend(places)
        counts.append(len(tokens))
    else:
        others[number] = list(tokens)
        counts.append(-1)
