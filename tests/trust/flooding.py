"""Tokens that were crafted to collide cost no more than random ones, through every path.

Crafted are: multiples of 2**61 - 1, which all have Python's hash 0; tokens and pairs of tokens
that collide under a seed that is known (crafting.py). Under that seed they do make the tables slow,
which shows that the crafting works; under any other they do not, and no seed changes a result.
Times are of the processor, for this thread, as ratios to that of random tokens measured in turns
with them.
"""

from __future__ import annotations

import os
import time
import warnings
from collections.abc import Callable, Iterator
from statistics import median
from typing import Any

import numpy as np
from trust import crafting
from trust.entry import plain
from trust.part import SEED, Outcome, Part, measured, say

import fastbleu
from fastbleu.runtime._process import reseed

TOKENS = 100_000
MOST = 3.0
REPETITIONS = 3
KNOWN = (0x0123456789ABCDEF, 0xFEDCBA9876543210)
OTHERS = [(0x1F83D9ABFB41BD6B, 0x5BE0CD19137E2179), (2**63 + 1, 3), (977, 2**64 - 59)]
# At which the known seed has to show: quadratic time is long enough with fewer tokens.
SHOWN_TOKENS = 10_000
LEAST_SHOWN = 5.0

Tokens = list[Any]
Path = Callable[[Tokens], object]


def short(tokens: Tokens, length: int = 50) -> list[Tokens]:
    """The tokens as many short segments."""
    return [tokens[at : at + length] for at in range(0, len(tokens), length)]


def metric() -> fastbleu.BLEU:
    return fastbleu.BLEU(None, effective_order=True)


def as_ids(tokens: Tokens) -> Any:
    return np.array(tokens)


def lines(tokens: Tokens) -> str:
    return " ".join(map(str, tokens))


LISTS: dict[str, Path] = {
    "count, one segment": lambda x: fastbleu.count([x], [[x[::-1]]]),
    "count, short segments": lambda x: fastbleu.count(short(x), [[s[::-1]] for s in short(x)]),
    "sentence_bleu": lambda x: fastbleu.sentence_bleu([x[::-1], x], x),
    "corpus_bleu": lambda x: fastbleu.corpus_bleu([[x[::-1]]], [x]),
    "modified_precision": lambda x: fastbleu.modified_precision([x[::-1]], x, 2),
    "pairwise, one with one": lambda x: metric().pairwise([x], [x[::-1]]),
    "pairwise, short segments": lambda x: metric().pairwise(short(x), short(x)[:3]),
    "mbr": lambda x: metric().mbr(short(x)[:3], short(x)).utilities,
    "ReferenceIndex": lambda x: metric().reference_index(short(x)).sentence_scores(short(x)),
    "ReferenceIndex, one segment": lambda x: metric().reference_index([x]).statistics([x]),
    "self_bleu": lambda x: metric().self_bleu(short(x), (2, 4)).values,
}
TEXT: dict[str, Path] = {
    "text, one segment": lambda x: fastbleu.BLEU().score([lines(x)], [lines(x[::-1])]),
    "text, short segments": lambda x: fastbleu.BLEU("none").pairwise(
        [lines(s) for s in short(x)], [lines(x[:99])]
    ),
}
IDS: dict[str, Path] = {
    "ids, one segment": lambda x: metric().score(as_ids([x]), as_ids([x[::-1]])),
    "ids, short segments": lambda x: metric().score(as_ids(short(x)), as_ids(short(x[::-1]))),
    "ids, ReferenceIndex": lambda x: metric().reference_index(as_ids(short(x))).score(as_ids([x])),
    "ids, self_bleu": lambda x: metric().self_bleu(as_ids(short(x)), (2,)).values,
}


def seconds(path: Path, tokens: Tokens) -> float:
    start = time.thread_time()
    path(tokens)
    return time.thread_time() - start


def ratio(path: Path, crafted: Tokens, usual: Tokens, repetitions: int) -> float:
    """The time of crafted tokens by that of usual ones."""
    times = [(seconds(path, crafted), seconds(path, usual)) for _ in range(repetitions)]
    return median(pair[0] for pair in times) / max(median(pair[1] for pair in times), 1e-4)


def crafted_tokens(count: int, seed: tuple[int, int]) -> dict[str, tuple[Tokens, Tokens, Any]]:
    """By what they are: crafted tokens, random ones, and the paths that they take."""
    rng = np.random.default_rng(int(os.environ.get(SEED, "20021")))
    numbers = rng.integers(0, 2**62, count).tolist()
    letters = rng.integers(97, 123, (count, 12)).astype(np.uint8)
    words = [row.tobytes().decode() for row in letters]
    walks = [crafting.pair_walk(count, 2000 if count > SHOWN_TOKENS else 700, of, "pairs")
             for of in (seed, None)]  # fmt: skip
    multiples = [(2**61 - 1) * k for k in range(10, 10 + count)]
    return {
        "multiples of 2**61 - 1": (multiples, numbers, LISTS),
        "int": (crafting.integers(count, seed, rng), numbers, LISTS | IDS),
        "str": (crafting.strings(count, seed, rng), words, LISTS | TEXT),
        "pairs of int": (*walks, LISTS | IDS),
        "pairs of str": (*[[f"{n:x}" for n in walk] for walk in walks], LISTS | TEXT),
    }


def run(long: bool) -> Iterator[Outcome]:
    warnings.simplefilter("ignore", UserWarning)  # of nltk's dialect, that a score is 0
    try:
        yield from tried(long)
    finally:
        reseed(*memoryview(os.urandom(16)).cast("Q"))


def tried(long: bool) -> Iterator[Outcome]:
    with measured(
        f"under the seed that they are crafted for: {LEAST_SHOWN:.0f} times as long"
    ) as it:
        shown = crafted_tokens(SHOWN_TOKENS, KNOWN)
        for what in ("int", "str", "pairs of int", "pairs of str"):
            crafted, usual, _ = shown[what]
            reseed(*KNOWN)
            found = ratio(LISTS["count, one segment"], crafted, usual, 3)
            say(f"flooding: {what}: {found:.1f} times as long as random ones, by a known seed")
            it.check(found >= LEAST_SHOWN, f"{what}: only {found:.2f} times, so nothing is shown")
    yield it
    found_of = crafted_tokens(TOKENS, KNOWN)
    repetitions = 15 if long else REPETITIONS
    for what, (crafted, usual, paths) in found_of.items():
        worst = 0.0
        with measured(f"{TOKENS:,} {what}") as it:
            for name, path in paths.items():
                reseed(*memoryview(os.urandom(16)).cast("Q"))
                found = ratio(path, crafted, usual, repetitions)
                if found > MOST:  # Once more, as this machine may have done something else.
                    found = ratio(path, crafted, usual, 15)
                worst = max(worst, found)
                it.check(found <= MOST, f"{name}: {found:.2f} times as long as random tokens")
        it.what += f", at most {worst:.2f} times as long as random ones"
        yield it
    with measured("results under several seeds") as it:
        for what, (crafted, _, paths) in found_of.items():
            for name, path in paths.items():
                results = []
                for seed in OTHERS if long else OTHERS[:2]:
                    reseed(*seed)
                    results.append(plain(path(crafted[:5000])))
                right = all(result == results[0] for result in results)
                it.check(right, f"{what}, {name}: the result depends on the seed")
    yield it


PART = Part("flooding", "tokens that were crafted to collide", run)
