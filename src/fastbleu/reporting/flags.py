"""Flags of suspicious hypotheses: empty, copied, far too long or short, repetitive."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy

from ..matrix.reader import SentenceReader
from ..metric.bleu import BLEU

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .report_input import Segments

# In the order of their bits.
FLAGS = ("empty", "copy of the source", "far too long", "far too short", "repeated n-grams")
# A hypothesis is far too long or short by at least this factor and this number of tokens.
_FACTOR, _TOKENS = 2, 5
# An n-gram that occurs this often is repeated.
_ORDER, _TIMES = 4, 3


def flags_of(segments: Segments, system: int) -> NDArray[numpy.uint8]:
    """The flags of each hypothesis of a system, shape (S,); bit n is that of FLAGS[n]."""
    stats, hypotheses = segments.counted[system].stats, segments.hypotheses[system]
    hyp_lens, ref_lens = stats.hyp_lens, stats.ref_lens
    sources = segments.labels.sources
    copied = numpy.zeros(len(segments), bool)
    if sources is not None:
        texts = segments.texts(hypotheses)
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
    read = SentenceReader(metric).read(segments.hypotheses[system], "hypotheses")
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
