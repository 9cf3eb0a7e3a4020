"""Processes that are made while threads count: a child of test_threads.py.

    python -m trust.forking FORKS SPAWNS

The new process must count as ever, and so must the threads of the old one. Prints what was wrong,
as JSON.
"""

from __future__ import annotations

import faulthandler
import json
import multiprocessing
import sys
import warnings

import numpy as np
from first_call_fork import WAIT, forked
from metrics import count
from threads import again_and_again

import fastbleu
import fastbleu.sacrebleu
from fastbleu import matrix

TOKENS = ["the", "cat", "sat", "on", "the", "mat", "a token of more than fifteen bytes"]
TEXTS = ["The cat sat on the mat.", "A dog, a cat & a mat!"] * 300
IDS = np.arange(6000).reshape(600, 10) % 97

METRIC = fastbleu.BLEU(effective_order=True, threads=2)
INDEX = matrix.ReferenceIndex(TEXTS[:2], metric=METRIC)
STREAM = fastbleu.BLEU(tokenize=False)


def counted() -> list[object]:
    """Some of everything, on kept memory and on threads."""
    return [
        fastbleu.sentence_bleu([TOKENS[1:]], TOKENS),
        np.asarray(count([TOKENS] * 600, [[TOKENS]] * 600, threads=2)).sum().item(),
        METRIC.score(TEXTS, TEXTS[::-1]).value,
        matrix.pairwise(TEXTS[:2], TEXTS[:2], metric=METRIC).tolist(),
        INDEX.sentence_scores(TEXTS[:3]).tolist(),
        fastbleu.BLEU(tokenize=False, threads=2).score(IDS, IDS[:, ::-1]).value,
        fastbleu.sacrebleu.sentence_bleu(TEXTS[0], TEXTS[:2]).score,
        fastbleu.tokenizers.tokenize(TEXTS[1], "intl"),
    ]


def same(expected: list[object]) -> bool:
    """Whether all is as ever, and the shared stream can be added to: its lock is not left held."""
    before = STREAM.state[0]
    STREAM.update([TOKENS], [[TOKENS]])
    return counted() == expected and bool(STREAM.state[0] > before)


def main(forks: int, spawns: int) -> None:
    faulthandler.dump_traceback_later(2 * WAIT + forks, exit=True)
    warnings.simplefilter("ignore")
    expected, rounds, failures = counted(), [], set()

    def work() -> None:
        rounds.append(same(expected))

    sys.setswitchinterval(1e-5)
    with again_and_again(work, 4):
        for number in range(forks):
            if status := forked(lambda: same(expected)):
                failures.add(f"fork {number} ended with status {status}")
        for method in ("spawn", "forkserver"):
            with multiprocessing.get_context(method).Pool(2) as pool:
                results = pool.map_async(same, [expected] * spawns).get(WAIT)
            if not all(results):
                failures.add(f"a process made by {method} counted something else")
    if not rounds or not all(rounds):
        failures.add("a thread of the parent counted something else")
    print(json.dumps(sorted(failures)))


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
