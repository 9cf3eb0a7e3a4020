"""Entry points of `fastbleu.BLEU`, but for those of many against many."""

from __future__ import annotations

import pickle

from trust.entry import (
    HYPOTHESES,
    IDS,
    LIST_OF_REFERENCES,
    MASK,
    REFERENCE_IDS,
    REFERENCES,
    TEXT_REFERENCES,
    TEXTS,
    UNHASHABLE,
    entry,
)

import fastbleu
from fastbleu import BLEU

LARGEST = 2**63 - 1


def text_metric():
    metric = BLEU(keep_segments=True)
    metric.update(TEXTS, TEXT_REFERENCES)
    return metric


def token_metric():
    return BLEU(tokenize=None)


def id_metric():
    return BLEU(tokenize=None, ignore_ids=(0,), stop_id=2)


def streaming():
    """A metric, and one that is full."""
    full = BLEU(max_order=2)
    full._add(fastbleu.counting.totals.Totals.from_state([LARGEST] * 2 + [LARGEST // 2] * 4, 2))
    return BLEU(max_order=2), full


def update(metric, *batch, **masks):
    metric.update(*batch, **masks)
    return metric.state


ENTRIES = [
    entry(
        "fastbleu.BLEU",
        lambda _: BLEU(lowercase=True, max_order=3, weights=(0.5, 0.25, 0.25)),
        lambda _: BLEU(tokenize="14a"),
        lambda _: BLEU(max_order=0),
        lambda _: BLEU(weights=(1,)),
        lambda _: BLEU(smoothing="exp", smoothing_value=1),
        lambda _: BLEU(ignore_ids=(0,)),
        lambda _: BLEU(dialect="moses"),
    ),
    entry(
        "fastbleu.BLEU.score",
        lambda it: it.score(TEXTS, TEXT_REFERENCES),
        lambda it: it.score([], []),
        lambda it: it.score(TEXTS, TEXT_REFERENCES[:1]),
        lambda it: it.score([*TEXTS[:2], None], TEXT_REFERENCES),
        lambda it: it.score(TEXTS, [*TEXT_REFERENCES[:2], [None]]),
        lambda it: it.score(TEXTS[0], TEXT_REFERENCES[0]),
        setup=text_metric,
    ),
    entry(
        "fastbleu.BLEU.score: tokens",
        lambda it: it.score(HYPOTHESES, LIST_OF_REFERENCES),
        lambda it: it.score([UNHASHABLE], [REFERENCES]),
        lambda it: it.score(["text"], [["text"]]),
        setup=token_metric,
    ),
    entry(
        "fastbleu.BLEU.score: ids",
        lambda it: it.score(IDS, REFERENCE_IDS, hypothesis_mask=MASK),
        lambda it: it.score(IDS, REFERENCE_IDS, hypothesis_mask=MASK[:1]),
        lambda it: it.score(IDS.astype(float), REFERENCE_IDS),
        lambda it: it.score([[2**63]], [[[1]]]),
        setup=id_metric,
    ),
    entry(
        "fastbleu.BLEU.sentence_scores",
        lambda it: it.sentence_scores(TEXTS, TEXT_REFERENCES),
        lambda it: it.sentence_scores(TEXTS, TEXT_REFERENCES[:1]),
        setup=text_metric,
    ),
    entry(
        "fastbleu.BLEU.statistics",
        lambda it: it.statistics(TEXTS, TEXT_REFERENCES),
        lambda it: it.statistics(TEXTS, [*TEXT_REFERENCES[:2], []]),
        setup=text_metric,
    ),
    entry(
        "fastbleu.BLEU.update",
        lambda both: both[0].update(TEXTS, TEXT_REFERENCES),
        lambda both: both[0].update(TEXTS, TEXT_REFERENCES[:1]),
        lambda both: both[0].update([*TEXTS[:2], b"x"], TEXT_REFERENCES),
        lambda both: both[1].update(TEXTS, TEXT_REFERENCES),
        setup=streaming,
    ),
    entry(
        "fastbleu.BLEU.update: ids",
        lambda it: it.update(IDS, REFERENCE_IDS),
        lambda it: it.update(IDS, REFERENCE_IDS[0]),
        setup=id_metric,
    ),
    entry(
        "fastbleu.BLEU.compute",
        lambda it: it.compute(),
        lambda _: BLEU().compute(),
        setup=text_metric,
    ),
    entry("fastbleu.BLEU.reset", lambda it: it.reset(), setup=text_metric),
    entry(
        "fastbleu.BLEU.merge",
        lambda both: both[0].merge(both[0]) if both[0].state[0] < 2**61 else both[0].reset(),
        lambda both: both[0].merge(7),
        lambda both: both[0].merge(BLEU()),
        lambda both: both[1].merge(both[1]),
        setup=streaming,
    ),
    entry("fastbleu.BLEU.all_reduce", lambda it: it.all_reduce().state, setup=text_metric),
    entry("fastbleu.BLEU.state", lambda it: it.state, setup=text_metric),
    entry(
        "fastbleu.BLEU.from_state",
        lambda state: BLEU.from_state(state).compute(),
        lambda state: BLEU.from_state(state[:-1]),
        lambda state: BLEU.from_state(state - 2**40),
        lambda state: BLEU.from_state(state / 3),
        lambda state: BLEU.from_state(state, keep_segments=True),
        setup=lambda: text_metric().state,
    ),
    entry(
        "fastbleu.BLEU.segments",
        lambda it: it.segments,
        lambda _: BLEU().segments,
        setup=text_metric,
    ),
    entry(
        "fastbleu.BLEU.segment_scores",
        lambda it: it.segment_scores(),
        lambda _: BLEU().segment_scores(),
        setup=text_metric,
    ),
    entry("fastbleu.BLEU.signature", lambda it: it.signature, setup=text_metric),
    entry("fastbleu.BLEU.__eq__", lambda it: (it == it, it == BLEU(), it == 7), setup=text_metric),
    entry("fastbleu.BLEU.__hash__", lambda it: hash(it) == hash(it), setup=text_metric),
    entry("fastbleu.BLEU.__repr__", repr, setup=text_metric),
    entry(
        "fastbleu.BLEU.__reduce__",
        lambda it: pickle.loads(pickle.dumps(it)) == it,
        setup=text_metric,
    ),
    entry(
        "fastbleu.BLEU.__setattr__",
        lambda _: None,
        lambda it: setattr(it, "max_order", 3),
        setup=text_metric,
    ),
    entry(
        "fastbleu.BLEU.__delattr__",
        lambda _: None,
        lambda it: delattr(it, "max_order"),
        setup=text_metric,
    ),
]
