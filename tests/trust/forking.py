"""Processes that are made while threads count: a child of test_threads.py.

    python -m trust.forking FORKS SPAWNS

The new process must count as ever, and so must the threads of the old one. Prints what was wrong,
as JSON.
"""

import faulthandler
import json
import multiprocessing
import sys
import warnings

from first_call_fork import CALLS, TEXTS, WAIT, forked
from plain import plain
from threads import again_and_again

import fastbleu
from fastbleu import matrix

METRIC = fastbleu.BLEU(effective_order=True, threads=2)
INDEX = matrix.ReferenceIndex(TEXTS[:2], metric=METRIC)
STREAM = fastbleu.BLEU(tokenize=False)
SHARED = [
    lambda: METRIC.score(TEXTS, TEXTS[::-1]),
    lambda: matrix.pairwise(TEXTS[:2], TEXTS[:2], metric=METRIC),
    lambda: INDEX.sentence_scores(TEXTS[:3]),
]


SLOW = ("dialect", "explain", "identify")  # in whose time the others are called a hundred times


def counted() -> list[object]:
    """Some of everything, on kept memory and on threads."""
    calls = [call for name, call in CALLS.items() if name not in SLOW]
    return [plain(call()) for call in [*calls, *SHARED]]


def same(expected: list[object]) -> bool:
    """Whether all is as ever, and the shared stream can be added to: its lock is not left held."""
    before = STREAM.state[0]
    STREAM.update([["a", "b"]], [[["b", "a"]]])
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
