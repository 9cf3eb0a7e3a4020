"""The page's data of single segments: numbers first, then texts, tokens and their matches."""

from __future__ import annotations

from array import array
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy

from .buckets import digits_on
from .flags import FLAGS, flags_of
from .payload import Payload
from .token_bounds import Texts, cut_texts
from .verdict import Verdicts

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ..counting.stats import Stats
    from .overview import Overview
    from .report_input import Segments


def make_numbers(segments: Segments, overview: Overview) -> Payload:
    """All numbers of the segments, and the scores of buckets."""
    payload, scale = Payload(), segments.metric._scorer.dialect.scale
    labels = segments.labels
    buckets, systems = overview.buckets, range(len(segments.names))
    verdicts = Verdicts(segments, overview)
    payload.header |= {
        "names": segments.shown_names,
        "pair": overview.pair,
        "scale": scale,
        "digits": digits_on(scale),
        "segments": len(segments),
        "orders": segments.metric.max_ngram_order,
        "flags": FLAGS,
        "lowercase": segments.metric.lowercase,
        "ids": labels.ids,
        "steps": [system.steps for system in overview.systems],
        "scores": [system.score.value for system in overview.systems],
        "buckets": [
            {
                "name": sorting.name,
                "labels": sorting.labels,
                "sizes": sorting.sizes,
                "scores": sorting.scores,
                **_rounded(sorting.intervals),
            }
            for sorting in buckets
        ],
        "verdicts": [[verdicts.between(a, b) for a in systems] for b in systems],
    }
    payload.add_counts("references", [len(texts) for texts in segments.references])
    for number, sorting in enumerate(buckets):
        payload.add_counts(f"bucket.{number}", sorting.codes)
    for system, counted in enumerate(segments.counted):
        payload.add_floats(f"score.{system}", segments.scores[system])
        payload.add_floats(f"bp.{system}", _brevity_penalties(segments, counted.stats))
        payload.add(f"flags.{system}", flags_of(segments, system), "uint8")
        stats = counted.stats
        payload.add_counts(f"hyp_len.{system}", stats.hyp_lens)
        payload.add_counts(f"ref_len.{system}", stats.ref_lens)
        for order in range(stats.max_ngram_order):
            payload.add_counts(f"matches.{system}.{order}", stats.matches[:, order])
            payload.add_counts(f"totals.{system}.{order}", stats.totals[:, order])
    return payload


def _rounded(intervals: list[list[tuple[float, float] | None]]) -> dict[str, Any]:
    """Intervals for pictures; lists without any are left out."""
    shown = [
        [ends and (round(ends[0], 4), round(ends[1], 4)) for ends in of_system]
        for of_system in intervals
    ]
    return {"intervals": [of_system if any(of_system) else [] for of_system in shown]}


def _brevity_penalties(segments: Segments, stats: Stats) -> NDArray[numpy.float64]:
    pairs = numpy.stack([stats.hyp_lens, stats.ref_lens], axis=1)
    different, numbers = numpy.unique(pairs, axis=0, return_inverse=True)
    penalty = segments.metric._scorer.dialect.brevity_penalty
    penalties = numpy.array([float(penalty(*map(int, pair))) for pair in different])
    return penalties[numbers.reshape(-1)]


def make_texts(segments: Segments) -> Payload:
    """All texts, each once (sources, then references and hypotheses by segment), and tokens."""
    payload = Payload()
    sources = segments.labels.sources or []
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
    """Bounds and numbers of the tokens of all texts except the sources, which have no tokens."""
    tokenizer = segments.metric._counter.tokenizer
    if tokenizer is not None:
        rest = texts[sources:], is_reference[sources:]
        bounds, counts, others = cut_texts(*rest, tokenizer, segments.metric.lowercase)
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
    """Which n-grams match all references, and each single one; which words are missing."""
    match_positions = segments.metric._counter.match_positions
    references = segments.references
    each = [[reference] for reference in chain.from_iterable(references)]
    several = len(each) > len(references)
    for system, hypotheses in enumerate(segments.hypotheses):
        marks, _ = match_positions(hypotheses, references)
        payload.add(f"marks.{system}", numpy.frombuffer(marks, numpy.uint8), "uint8")
        pairs = zip(hypotheses, references, strict=True)
        repeated = [hypothesis for hypothesis, texts in pairs for _ in texts]
        if several:
            marks, _ = match_positions(repeated, each)
            payload.add(f"each.{system}", numpy.frombuffer(marks, numpy.uint8), "uint8")
        flat, swapped = [text for [text] in each], [[text] for text in repeated]
        marks, _ = match_positions(flat, swapped)
        bits = numpy.frombuffer(marks, numpy.uint8) & 1
        payload.add(f"found.{system}", numpy.packbits(bits, bitorder="little"), "uint8")
