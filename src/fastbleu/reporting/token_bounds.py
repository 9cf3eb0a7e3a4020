"""The positions of the tokens in texts.

The tokens of most texts are what is between white space, with some cuts inside, such as before a
full stop. These cuts are bits, one for each UTF-16 unit of a text; the tokens of other texts are
lists.
"""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING

import numpy

from ..tokenizers._compiled import token_bounds
from ..tokenizers.tokenizer import Tokenizer

if TYPE_CHECKING:
    from collections.abc import Sequence

# White space that the page knows, too; texts with other kinds have lists of tokens.
_SPACES = [ord(space) for space in "\t\n\r \u00a0\u3000"]


class Texts:
    """Concatenated texts, with the positions of their tokens.

    Attributes
    ----------
    joined : str
        Lone surrogates, which UTF-8 cannot hold, are replaced by U+FFFD.
    lengths : ndarray of int64, shape (texts,)
        In UTF-16 units.
    cuts : ndarray of bool, shape (UTF-16 units,)
        Where tokens start that do not follow white space.
    others : dict of int to list of str
        By index of the text, its tokens if white space and cuts do not give them.
    counts : ndarray of int64, shape (texts,)
        The numbers of tokens; 0 where there are none to know, as of sources.
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
        # The UTF-16 offset of each character, and of the end; the white space before it.
        units, spaces = numpy.zeros((2, len(points) + 1), numpy.int64)
        numpy.cumsum(1 + (points > 0xFFFF), out=units[1:])
        numpy.cumsum(numpy.isin(points, _SPACES), out=spaces[1:])
        ends = numpy.cumsum([len(text) for text in texts], dtype=numpy.int64)
        starts = ends - numpy.array([len(text) for text in texts], numpy.int64)
        self.lengths = units[ends] - units[starts]
        numbers = numpy.asarray(counts, numpy.int64)
        of_token = numpy.repeat(numpy.arange(len(numbers)), numpy.maximum(numbers, 0))
        pairs = numpy.asarray(bounds, numpy.int64).reshape(-1, 2)
        first, last = pairs[:, 0] + starts[of_token], pairs[:, 1] + starts[of_token]
        visible = ends - starts - (spaces[ends] - spaces[starts])
        is_whole = spaces[last] == spaces[first]
        covered = numpy.bincount(of_token, (last - first) * is_whole, len(numbers))
        self.others = dict(others)
        for number in numpy.flatnonzero((numbers >= 0) & (covered != visible)).tolist():
            mine = slice(*numpy.searchsorted(of_token, [number, number + 1]))
            ranges = zip(first[mine].tolist(), last[mine].tolist(), strict=True)
            self.others[number] = [joined[low:high] for low, high in ranges]
        self.counts = numpy.maximum(numbers, 0)
        for number, tokens in self.others.items():
            self.counts[number] = len(tokens)
        is_cut = (first > starts[of_token]) & (spaces[first] == spaces[first - 1])
        self.cuts = numpy.zeros(int(units[-1]), bool)
        self.cuts[units[first[is_cut]]] = True


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
