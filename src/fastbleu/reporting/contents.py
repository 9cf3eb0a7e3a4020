"""The page's data: first the segments' numbers, then texts, their tokens and which of them match.

The script reads a JSON header and arrays of numbers, compressed, in base64. Layout before
compression: the length of the header as uint32, the header, and the sections, each at a multiple of
8 bytes; numbers are little-endian. The header has for each section its type, its offset from the
end of the header, and its number of items.

Most texts are split into tokens at white space and at some cuts within words, such as before a full
stop. Cuts are bits, one for each UTF-16 unit of a text; the tokens of other texts are lists.
"""

from __future__ import annotations

import base64
import json
import zlib
from array import array
from itertools import chain
from math import isnan
from typing import TYPE_CHECKING, Any

import numpy

from ..core.counting.stats import Stats, stats_of
from ..core.inputs._batch import Batch
from ..core.metric.bleu import BLEU
from ..core.tokenizers._compiled import token_bounds
from ..core.tokenizers.tokenizer import Tokenizer
from ..matrix.reader import SentenceReader
from .verdict import Verdicts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

    from ..core.counting.counter import Counter
    from .overview import Overview
    from .report_input import Segments

_TYPES = {"uint8": "u1", "uint16": "<u2", "uint32": "<u4", "float64": "<f8"}
_LEVEL = 6
# Flags of hypotheses, in the order of their bits.
FLAGS = ("empty", "copy of the source", "far too long", "far too short", "repeated n-grams")
# A hypothesis is far too long or short by at least this factor and this number of tokens.
_FACTOR, _TOKENS = 2, 5
# An n-gram that occurs this often is repeated.
_ORDER, _TIMES = 4, 3
# White space at which the page splits texts; texts with other kinds have lists of tokens.
_SPACES = [ord(space) for space in "\t\n\r \u00a0\u3000"]


class Payload:
    """Named sections, in the order in which they are added."""

    def __init__(self) -> None:
        self.header: dict[str, Any] = {"sections": {}}
        self._parts: list[bytes] = []
        self._size = 0

    def add(self, name: str, values: ArrayLike, kind: str) -> None:
        """Add numbers of type `kind`, one of _TYPES."""
        made = numpy.asarray(values).astype(_TYPES[kind]).tobytes()
        self.header["sections"][name] = [kind, self._size, len(made) // int(_TYPES[kind][-1])]
        made += bytes(-len(made) % 8)
        self._parts.append(made)
        self._size += len(made)

    def add_counts(self, name: str, values: ArrayLike) -> None:
        """Add non-negative integers in as few bytes as they need."""
        array = numpy.asarray(values)
        largest = int(array.max()) if array.size else 0
        kind = "uint8" if largest < 1 << 8 else "uint16" if largest < 1 << 16 else "uint32"
        self.add(name, array, kind)

    def add_rounded(self, name: str, values: NDArray[numpy.float64]) -> None:
        """Add floats as uint16, in steps from the least to the largest one."""
        low, high = float(values.min()), float(values.max())
        step = (high - low) / 0xFFFF
        self.add(f"{name}.range", [low, step], "float64")
        self.add(name, numpy.rint((values - low) / (step or 1)), "uint16")

    def base64(self) -> str:
        """All sections, as text for the page."""
        header = json.dumps(self.header, ensure_ascii=False, allow_nan=False).encode(
            "utf-8", "replace"
        )
        header += b" " * (-(4 + len(header)) % 8)
        start = len(header).to_bytes(4, "little")
        packed = zlib.compressobj(_LEVEL)
        parts = [packed.compress(part) for part in (start, header, *self._parts)]
        return base64.b64encode(b"".join([*parts, packed.flush()])).decode("ascii")


def make_numbers(overview: Overview) -> Payload:
    """All numbers of the segments, and the scores of buckets."""
    payload, segments = Payload(), overview.segments
    buckets, systems = overview.buckets, range(len(segments.names))
    verdicts = Verdicts(overview)
    payload.header |= {
        "names": segments.shown_names,
        "pair": overview.pair,
        "scale": segments.scorer.scale,
        "digits": segments.digits,
        "segments": len(segments),
        "orders": segments.metric.max_ngram_order,
        "flags": FLAGS,
        "lowercase": segments.metric.lowercase,
        "ids": segments.ids,
        "scores": [
            None if isnan(system.points) else system.score.value for system in overview.systems
        ],
        "buckets": [
            {
                "name": sorting.name,
                "labels": sorting.labels,
                "sizes": sorting.sizes,
                "scores": sorting.scores,
                "intervals": {
                    f"{a}.{b}": [
                        ends and [round(end, segments.digits + 1) for end in ends] for ends in its
                    ]
                    for (a, b), its in sorting.intervals.items()
                },
            }
            for sorting in buckets
        ],
        "verdicts": [[verdicts.between(a, b) for a in systems] for b in systems],
        "explained": [[verdicts.explained(a, b) for a in systems] for b in systems],
    }
    payload.add_counts("references", [len(texts) for texts in segments.references])
    for number, sorting in enumerate(buckets):
        payload.add_counts(f"bucket.{number}", sorting.codes)
    for system, counted in enumerate(segments.counted):
        payload.add(f"score.{system}", segments.scores[system], "float64")
        if segments.parts:
            payload.add_rounded(f"part.{system}", segments.parts[system])
        payload.add(f"flags.{system}", flags_of(segments, system), "uint8")
        stats = counted.stats
        payload.add_counts(f"hyp_len.{system}", stats.hyp_lens)
        payload.add_counts(f"ref_len.{system}", stats.ref_lens)
        for order in range(stats.max_ngram_order):
            payload.add_counts(f"matches.{system}.{order}", stats.matches[:, order])
            if (stats.totals[:, order] != numpy.maximum(stats.hyp_lens - order, 0)).any():
                payload.add_counts(f"totals.{system}.{order}", stats.totals[:, order])
    return payload


def make_texts(segments: Segments) -> Payload:
    """All texts, each once (sources, then references and hypotheses by segment), and tokens."""
    payload = Payload()
    sources = list(map(segments.decoded, segments.sources or []))
    columns = [segments.texts(system) for system in segments.hypotheses]
    nested = [segments.texts(references) for references in segments.references]
    texts, is_reference = list(sources), [False] * len(sources)
    for references, *hypotheses in zip(nested, *columns, strict=True):
        texts += references
        texts += hypotheses
        is_reference += [True] * len(references) + [False] * len(hypotheses)
    cut = _cut(segments, texts, is_reference, len(sources))
    made = Texts(texts, *cut)
    payload.header |= {"others": {str(number): text for number, text in made.others.items()}}
    payload.header["sources"] = bool(sources)
    payload.add_counts("lengths", made.lengths)
    payload.add_counts("reference_tokens", made.counts[numpy.flatnonzero(is_reference)])
    payload.add("cuts", numpy.packbits(made.cuts, bitorder="little"), "uint8")
    _add_matches(payload, segments)
    joined = made.joined.encode("utf-8")
    payload.add("texts", numpy.frombuffer(joined, numpy.uint8), "uint8")
    return payload


def _cut(segments: Segments, texts: list[str], is_reference: list[bool], sources: int) -> Any:
    """The bounds and numbers of the tokens of all texts; sources are not split."""
    tokenizer = segments.counter.tokenizer
    if tokenizer is not None:
        rest = texts[sources:], is_reference[sources:]
        chosen = [tokenizer] * (len(texts) - sources)
        if tokenizer.choose is not None:
            systems, references = len(segments.hypotheses), segments.references
            chosen = [tokenizer.choose(t[0]) for t in references for _ in range(len(t) + systems)]
        bounds, counts, others = cut_texts(*rest, tokenizer, segments.metric.lowercase, chosen)
        others = {sources + number: tokens for number, tokens in others.items()}
        return bounds, array("q", [-1] * sources) + counts, others
    bounds, counts = array("q"), array("q", [-1] * sources)
    for references, *hypotheses in zip(segments.references, *segments.hypotheses, strict=True):
        for tokens in (*references, *hypotheses):
            at = 0
            for token in map(str, tokens):
                bounds.extend((at, at + len(token)))
                at += len(token) + 1
            counts.append(len(tokens))
    return bounds, counts, {}


def _add_matches(payload: Payload, segments: Segments) -> None:
    """Add which n-grams match the references together and singly, and which words are missing."""
    counter, references = segments.counter, segments.references
    each = [[reference] for reference in chain.from_iterable(references)]
    choosing = [texts for texts in references for _ in texts]
    several = len(each) > len(references)
    for system, hypotheses in enumerate(segments.hypotheses):
        marks, _ = match_positions(counter, hypotheses, references)
        payload.add(f"marks.{system}", numpy.frombuffer(marks, numpy.uint8), "uint8")
        pairs = zip(hypotheses, references, strict=True)
        repeated = [hypothesis for hypothesis, texts in pairs for _ in texts]
        if several:
            marks, _ = match_positions(counter, repeated, each, choosing)
            payload.add(f"each.{system}", numpy.frombuffer(marks, numpy.uint8), "uint8")
        flat, swapped = [text for [text] in each], [[text] for text in repeated]
        marks, _ = match_positions(counter, flat, swapped, choosing)
        bits = numpy.frombuffer(marks, numpy.uint8) & 1
        payload.add(f"found.{system}", numpy.packbits(bits, bitorder="little"), "uint8")


def match_positions(
    counter: Counter, hypotheses: Sequence[Any], references: Sequence[Any], choosing: Any = None
) -> tuple[bytes, Stats]:
    """The matches at each token of each hypothesis, and the rows, which are their sums.

    Both sides are checked lists. For "auto", `choosing` are the references of each segment that
    choose its tokenizer. Bit n - 1 of a token's byte is set if the n-gram of order n that starts at
    the token is a clipped match; orders above 8 are left out. There is one row per segment, as from
    `count`.
    """
    matched, parts, order = [], [], counter.max_ngram_order
    for of_part, part in counter.parts(Batch(hypotheses, references), choosing):
        worker, first = of_part.new_worker(list), 0
        while taken := worker.packer.fill(part.hypotheses, part.references, first, 0):
            positions, rows = worker.counter.match_positions(worker.packer)
            matched.append(positions)
            parts.append(stats_of(rows, order))
            first += taken
    stats = Stats.concatenate(parts) if parts else Stats.zeros(0, order)
    return b"".join(matched), stats


def flags_of(segments: Segments, system: int) -> NDArray[numpy.uint8]:
    """The flags of each hypothesis of a system, shape (S,); bit n stands for FLAGS[n]."""
    stats, hypotheses = segments.counted[system].stats, segments.hypotheses[system]
    hyp_lens, ref_lens = stats.hyp_lens, stats.ref_lens
    sources = segments.sources
    copied = numpy.zeros(len(segments), bool)
    if sources is not None:
        texts = hypotheses if segments.counter.is_text else segments.texts(hypotheses)
        copied = numpy.array(
            [bool(own) and own == source for own, source in zip(texts, sources, strict=True)]
        )
    kinds = (
        hyp_lens == 0,
        copied,
        (hyp_lens > _FACTOR * ref_lens) & (hyp_lens - ref_lens >= _TOKENS),
        (ref_lens > _FACTOR * hyp_lens) & (ref_lens - hyp_lens >= _TOKENS),
        _repeating(segments, system),
    )
    flags = numpy.zeros(len(segments), numpy.uint8)
    for bit, of_segments in enumerate(kinds):
        flags |= of_segments.astype(numpy.uint8) << bit
    return flags


def _repeating(segments: Segments, system: int) -> NDArray[numpy.bool_]:
    """Whether each hypothesis repeats an n-gram, shape (S,)."""
    metric = BLEU(tokenize=segments.metric.tokenize, lowercase=segments.metric.lowercase)
    read = SentenceReader(metric).read(segments.hypotheses[system], "hypotheses", chooses=False)
    lengths = numpy.frombuffer(read.lengths, numpy.int64)
    ids = numpy.frombuffer(read.flat(), numpy.int32).astype(numpy.int64)
    repeating = numpy.zeros(len(lengths), bool)
    if len(ids) < _ORDER:
        return repeating
    ngrams, words = ids, int(ids.max()) + 1
    for n in range(1, _ORDER):
        # An n-gram's number is assigned to the pair of its first n - 1 tokens and its last one.
        _, ngrams = numpy.unique(ngrams[:-1] * words + ids[n:], return_inverse=True)
    sentences = numpy.repeat(numpy.arange(len(lengths)), lengths)
    inside = sentences[: len(ngrams)] == sentences[_ORDER - 1 :]
    keys = sentences[: len(ngrams)] * len(ids) + ngrams
    repeated, times = numpy.unique(keys[inside], return_counts=True)
    repeating[repeated[times >= _TIMES] // len(ids)] = True
    return repeating


class Texts:
    """Concatenated texts, with the positions of their tokens."""

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
        if lone.any():  # lone surrogates, which UTF-8 cannot hold
            points = numpy.where(lone, numpy.uint32(0xFFFD), points)
            joined = points.astype("<u4").tobytes().decode("utf-32-le")
        self.joined = joined
        # The UTF-16 offset of each character, and of the end; the white space before it.
        units, spaces = numpy.zeros((2, len(points) + 1), numpy.int64)
        numpy.cumsum(1 + (points > 0xFFFF), out=units[1:])
        numpy.cumsum(numpy.isin(points, _SPACES), out=spaces[1:])
        ends = numpy.cumsum([len(text) for text in texts], dtype=numpy.int64)
        starts = ends - numpy.array([len(text) for text in texts], numpy.int64)
        self.lengths = units[ends] - units[starts]  # of each text, in UTF-16 units
        numbers = numpy.asarray(counts, numpy.int64)
        of_token = numpy.repeat(numpy.arange(len(numbers)), numpy.maximum(numbers, 0))
        pairs = numpy.asarray(bounds, numpy.int64).reshape(-1, 2)
        first, last = pairs[:, 0] + starts[of_token], pairs[:, 1] + starts[of_token]
        visible = ends - starts - (spaces[ends] - spaces[starts])
        is_whole = spaces[last] == spaces[first]
        covered = numpy.bincount(of_token, (last - first) * is_whole, len(numbers))
        # By the index of a text, its tokens if white space and cuts do not give them.
        self.others = dict(others)
        for number in numpy.flatnonzero((numbers >= 0) & (covered != visible)).tolist():
            mine = slice(*numpy.searchsorted(of_token, [number, number + 1]))
            ranges = zip(first[mine].tolist(), last[mine].tolist(), strict=True)
            self.others[number] = [joined[low:high] for low, high in ranges]
        self.counts = numpy.maximum(numbers, 0)  # of the tokens of each text; 0 for sources
        for number, tokens in self.others.items():
            self.counts[number] = len(tokens)
        is_cut = (first > starts[of_token]) & (spaces[first] == spaces[first - 1])
        # For each UTF-16 unit, whether a token starts there that does not follow white space.
        self.cuts = numpy.zeros(int(units[-1]), bool)
        self.cuts[units[first[is_cut]]] = True


def cut_texts(
    texts: Sequence[str],
    is_reference: Sequence[bool],
    tokenizer: Tokenizer,
    lowercase: bool,
    chosen: Sequence[Tokenizer],
) -> tuple[array[int], array[int], dict[int, list[str]]]:
    """The bounds of the tokens of texts, their numbers, and tokens that are not parts of texts.

    `chosen` are the tokenizers of the texts; they differ only if `tokenizer` is "auto".
    """
    lowered = [text.lower() for text in texts] if lowercase else list(texts)
    places, counts = array("q"), array("q", [-1] * len(texts))
    if tokenizer.compiled is not None:
        places, counts = token_bounds(lowered, tokenizer.compiled)
        if not lowercase and min(counts, default=0) >= 0:
            return places, counts, {}
    others: dict[int, list[str]] = {}
    bounds, numbers, at = array("q"), array("q"), 0
    for number, (text, count) in enumerate(zip(texts, counts, strict=True)):
        end = at + 2 * max(count, 0)
        of_text: array[int] | None = places[at:end]
        at, is_aligned = end, len(text) == len(lowered[number])
        if count < 0 or not is_aligned:  # rewritten, or of another length in lower case
            tokens = chosen[number].tokens(text, lowercase, is_reference[number])
            of_text = _places_of(tokens, lowered[number]) if is_aligned else None
            if of_text is None:
                others[number] = list(tokens)
        bounds.extend(of_text or ())
        numbers.append(-1 if of_text is None else len(of_text) // 2)
    return bounds, numbers, others


def _places_of(tokens: list[str], text: str) -> array[int] | None:
    """The bounds of tokens in a text, in order; None if they cannot all be found."""
    places, at = array("q"), 0
    for token in tokens:
        at = text.find(token, at)
        if at < 0 or not token:
            return None
        places.extend((at, at + len(token)))
        at += len(token)
    return places
