"""Processes that are made while threads count: a child of test_threads.py.

    python -m trust.forking FORKS SPAWNS

The new process must count as ever, and so must the threads of the old one. Ends with a line of
JSON.
"""

from __future__ import annotations

import faulthandler
import json
import multiprocessing
import os
import signal
import sys
import threading
import warnings
from collections import Counter

import numpy as np
from threads import again_and_again

import fastbleu
import fastbleu.sacrebleu

WORKERS = 4
HANGS_AFTER = 600
# Seconds that a forked process may take before it is taken to stand still.
PATIENCE = 60
TOKENS = ["the", "cat", "sat", "on", "the", "mat", "a token of more than fifteen bytes"]
TEXTS = ["The cat sat on the mat.", "A dog, a cat & a mat!"] * 300
IDS = np.arange(6000).reshape(600, 10) % 97

METRIC = fastbleu.BLEU(effective_order=True, threads=2)
INDEX = METRIC.reference_index(TEXTS[:2])
STREAM = fastbleu.BLEU(None)


def counted() -> list[object]:
    """Some of everything, on kept memory and on threads."""
    return [
        fastbleu.sentence_bleu([TOKENS[1:]], TOKENS),
        np.asarray(fastbleu.count([TOKENS] * 600, [[TOKENS]] * 600, threads=2)).sum().item(),
        METRIC.score(TEXTS, TEXTS[::-1]).value,
        METRIC.pairwise(TEXTS[:2], TEXTS[:2]).tolist(),
        INDEX.sentence_scores(TEXTS[:3]).tolist(),
        fastbleu.BLEU(None, threads=2).score(IDS, IDS[:, ::-1]).value,
        fastbleu.sacrebleu.sentence_bleu(TEXTS[0], TEXTS[:2]).score,
        fastbleu.tokenize(TEXTS[1], "intl"),
    ]


def same(expected: list[object]) -> bool:
    """Whether all is as ever, and the shared stream can be added to: its lock is not left held."""
    before = STREAM.state[0]
    STREAM.update([TOKENS], [[TOKENS]])
    return counted() == expected and bool(STREAM.state[0] > before)


def fork(expected: list[object]) -> int:
    """The wait status of a forked process, which is 0 where it counts as ever."""
    child = os.fork()
    if not child:
        signal.alarm(PATIENCE)  # ends a process that stands still
        status = 2
        try:
            status = 0 if same(expected) else 1
        finally:
            os._exit(status)
    return os.waitpid(child, 0)[1]


def main(forks: int, spawns: int) -> None:
    faulthandler.dump_traceback_later(HANGS_AFTER + 3 * forks, exit=True)
    warnings.simplefilter("ignore")
    expected, failures = counted(), []
    rounds = Counter[int]()

    def work() -> None:
        try:
            if not same(expected):
                failures.append("a thread of the parent counted something else")
            rounds[threading.get_ident()] += 1
        except Exception as error:
            failures.append(f"a thread of the parent: {type(error).__name__}: {error}")

    sys.setswitchinterval(1e-5)
    with again_and_again(work, WORKERS):
        for number in range(forks):
            if status := fork(expected):
                failures.append(f"fork {number} ended with the wait status {status}")
        for method in ("spawn", "forkserver"):
            with multiprocessing.get_context(method).Pool(2) as pool:
                results = pool.map_async(same, [expected] * spawns).get(HANGS_AFTER // 4)
            if not all(results):
                failures.append(f"a process made by {method} counted something else")
    if len(rounds) < WORKERS:
        failures.append(f"only {len(rounds)} threads of the parent made rounds")
    print(json.dumps({"rounds": rounds.total(), "failures": sorted(set(failures))}))


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
