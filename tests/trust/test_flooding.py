"""Tokens that were crafted to collide cost no more than random ones, through every path.

Crafted are: multiples of 2**61 - 1, which all have Python's hash 0; tokens and pairs of tokens
that collide under a seed that is known (crafting.py). Under that seed they do make the tables slow,
which shows that the crafting works; under any other they do not.
Times are of the processor, for this thread, as ratios to that of random tokens measured in turns
with them.
"""

import os
import time
from functools import cache
from statistics import median

import numpy as np
import pytest
from levels import reseed
from metrics import count

import fastbleu
from fastbleu import matrix
from trust import crafting
from trust.children import SEED

TOKENS = 100_000
MOST = 3.0
KNOWN = (0x0123456789ABCDEF, 0xFEDCBA9876543210)
# At which the known seed has to show: quadratic time is long enough with fewer tokens.
SHOWN_TOKENS = 10_000
LEAST_SHOWN = 5.0
METRIC = fastbleu.BLEU(tokenize=False, effective_order=True)


def short(tokens, length=50):
    """The tokens as many short segments."""
    return [tokens[at : at + length] for at in range(0, len(tokens), length)]


def text(tokens):
    return " ".join(map(str, tokens))


LISTS = {
    "count, one segment": lambda x: count([x], [[x[::-1]]]),
    "count, short segments": lambda x: count(short(x), [[s[::-1]] for s in short(x)]),
    "sentence_bleu": lambda x: fastbleu.sentence_bleu([x[::-1], x], x),
    "modified_precision": lambda x: fastbleu.modified_precision([x[::-1]], x, 2),
    "pairwise, one with one": lambda x: matrix.pairwise([x], [x[::-1]], metric=METRIC),
    "pairwise, short segments": lambda x: matrix.pairwise(short(x), short(x)[:3], metric=METRIC),
    "mbr": lambda x: matrix.mbr(short(x)[:3], short(x), metric=METRIC).utilities,
    "ReferenceIndex": lambda x: matrix.ReferenceIndex(short(x), metric=METRIC).sentence_scores(
        short(x)
    ),
    "self_bleu": lambda x: matrix.self_bleu(short(x), orders=(2, 4), metric=METRIC).values,
}
TEXT = {
    "text, one segment": lambda x: fastbleu.BLEU().score([text(x)], [text(x[::-1])]),
    "text, short segments": lambda x: matrix.pairwise(
        [text(s) for s in short(x)], [text(x[:99])], metric=fastbleu.BLEU(tokenize="none")
    ),
}
IDS = {
    "ids, one segment": lambda x: METRIC.score(np.array([x]), np.array([x[::-1]])),
    "ids, short segments": lambda x: METRIC.score(np.array(short(x)), np.array(short(x[::-1]))),
    "ids, ReferenceIndex": lambda x: matrix.ReferenceIndex(np.array(short(x)), metric=METRIC).score(
        np.array([x])
    ),
    "ids, self_bleu": lambda x: (
        matrix.self_bleu(np.array(short(x)), orders=(2,), metric=METRIC).values
    ),
}
# What is crafted, and the paths that it takes.
PATHS = {
    "multiples of 2**61 - 1": LISTS,
    "int": LISTS | IDS,
    "pairs of int": LISTS | IDS,
    "pairs of str": LISTS | TEXT,
}


def any_seed():
    reseed(*memoryview(os.urandom(16)).cast("Q"))


@cache
def tokens_of(kind, count):
    """Crafted tokens, and random ones."""
    rng = np.random.default_rng(int(SEED))
    if kind.startswith("pairs"):
        vocabulary = 2000 if count > SHOWN_TOKENS else 700
        walks = [crafting.pair_walk(count, vocabulary, of, "pairs") for of in (KNOWN, None)]
        return walks if kind == "pairs of int" else [[f"{n:x}" for n in walk] for walk in walks]
    numbers = rng.integers(0, 2**62, count).tolist()
    if kind == "int":
        return crafting.integers(count, KNOWN, rng), numbers
    return [(2**61 - 1) * k for k in range(10, 10 + count)], numbers


def ratio(path, crafted, usual, repetitions):
    """The time of crafted tokens by that of usual ones."""
    times = []
    for _ in range(repetitions):
        for tokens in (crafted, usual):
            start = time.thread_time()
            path(tokens)
            times.append(time.thread_time() - start)
    return median(times[::2]) / max(median(times[1::2]), 1e-4)


@pytest.mark.parametrize("kind", list(PATHS)[1:])
def test_the_known_seed_makes_crafted_tokens_slow(kind):
    reseed(*KNOWN)
    found = ratio(LISTS["count, one segment"], *tokens_of(kind, SHOWN_TOKENS), 3)
    assert found >= LEAST_SHOWN, "nothing is shown by the other tests"


@pytest.mark.parametrize("kind", PATHS)
def test_crafted_tokens_take_no_longer(long, kind):
    for name, path in PATHS[kind].items():
        any_seed()
        found = ratio(path, *tokens_of(kind, TOKENS), 15 if long else 3)
        if found > MOST:  # Once more, as this machine may have done something else.
            found = ratio(path, *tokens_of(kind, TOKENS), 15)
        assert found <= MOST, f"{name}: {found:.2f} times as long as random tokens"
