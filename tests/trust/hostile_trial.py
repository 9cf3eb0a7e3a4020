"""Trials with hostile objects, one after the other: a child of test_hostile_objects.py.

    python -m trust.hostile_trial FIRST COUNT

Trial n depends on FASTBLEU_TEST_SEED and n only, so that one can be made again by itself. Its
number is written before it begins; what went wrong as FAILED.
"""

from __future__ import annotations

import faulthandler
import json
import os
import random
import sys
import threading
import time
import traceback
import warnings
from collections import Counter
from pathlib import Path

import numpy as np

import fastbleu
from trust.children import SEED
from trust.hostile_calls import calls
from trust.hostility import Hostile, World

HANGS_AFTER = 120
# What the package raises of itself, or lets through of numpy's and Python's own refusals.
EXPECTED = (
    *(TypeError, ValueError, OverflowError, MemoryError, ZeroDivisionError, AssertionError),
    *(RuntimeError, UserWarning, BufferError, RecursionError),
)
TEXT = (["the cat sat on the mat"], [["the cat sat on a mat"]])
TOKENS = ([["a", "b", "d", 2**70]], [[["a", "b", "c", 2**70], ["a", "c"]]])
IDS = (np.arange(12).reshape(2, 6), np.arange(12).reshape(2, 6)[:, ::-1])


def usual() -> list[object]:
    """What ordinary calls give."""
    return [
        np.asarray(fastbleu.count(*TOKENS)).tolist(),
        fastbleu.sentence_bleu(TOKENS[1][0], TOKENS[0][0], (0.5, 0.5)),
        fastbleu.BLEU().score(*TEXT).value,
        np.asarray(fastbleu.BLEU(None).statistics(*IDS)).tolist(),
        fastbleu.BLEU(effective_order=True).pairwise(TEXT[0], TEXT[1][0]).tolist(),
    ]


class Changer(threading.Thread):
    """Changes the world's lists and arrays while a call reads them."""

    def __init__(self, world: World, seed: str) -> None:
        super().__init__(daemon=True)
        self.stop = threading.Event()
        self._world = World(random.Random(seed))
        self._world.lists, self._world.arrays = world.lists, world.arrays
        self._world.raised = world.raised

    def run(self) -> None:
        world = self._world
        while not self.stop.is_set():
            try:
                if world.arrays and world.rng.random() < 0.2:
                    world.change_array(world.rng.choice(world.arrays))
                elif world.lists:
                    world.change(world.rng.choice(world.lists))
            except BaseException:  # a hostile list's own
                continue
            time.sleep(0)


def is_theirs(error: BaseException, world: World) -> bool:
    """Whether hostile code has raised it, on purpose or because it has a fault by now."""
    if isinstance(error, SystemError):
        return False
    frames = traceback.extract_tb(error.__traceback__)
    where = Path(frames[-1].filename).name if frames else ""
    # Entry points of the tests slice and join what is hostile.
    return where in ("hostility.py", "entry_points.py") or any(
        error is planned for planned in world.raised
    )


def is_of_the_originals(error: BaseException) -> bool:
    """Whether nltk or sacreBLEU raises it too: of no segments, or of an order that is missing."""
    last = traceback.extract_tb(error.__traceback__)[-1].name
    return isinstance(error, IndexError) and ("is empty" in str(error) or last == "method6")


def attempt(number: int, notes: Counter[str]) -> str:
    """Make one trial; what went wrong, or ""."""
    seed = f"{SEED} hostile {number}"
    world = World(random.Random(seed))
    name, ignored = "making the calls", []
    strict = world.rng.random() < 0.1
    changer = Changer(world, seed) if world.rng.random() < 0.1 else None
    sys.unraisablehook = ignored.append
    with warnings.catch_warnings():
        warnings.simplefilter("error" if strict else "ignore")
        try:
            (name, call), *others = calls(world, 3)
            world.again += [other for _, other in others] + [call]
            if changer:
                changer.start()
            call()
            outcome = "results"
        except BaseException as error:
            outcome = "exceptions of the hostile objects'"
            if not is_theirs(error, world):
                outcome = type(error).__name__
                if not (isinstance(error, EXPECTED) or is_of_the_originals(error)):
                    return f"{name}: {traceback.format_exc()}"
        finally:
            if changer and changer.ident:
                changer.stop.set()
                changer.join()
    notes[outcome] += 1
    notes[f"of {name.partition(':')[0]}"] += 1
    world.left = 0
    # Their destructors' own: CPython 3.15 does not tell the object.
    of_del = Hostile.__del__.__code__
    strange = [
        one
        for one in ignored
        if not (one.exc_traceback and one.exc_traceback.tb_frame.f_code is of_del)
    ]
    if strange:
        return (
            f"{name}: an exception was ignored in {strange[0].object!r}: {strange[0].exc_value!r}"
        )
    return ""


def main() -> int:
    first, count = int(sys.argv[1]), int(sys.argv[2])
    faulthandler.enable()
    sys.setswitchinterval(1e-4)
    expected, notes = usual(), Counter[str]()
    failed = done = 0
    for number in range(first, first + count):
        os.write(1, f"{number}\n".encode())
        faulthandler.dump_traceback_later(HANGS_AFTER, exit=True)
        wrong = attempt(number, notes)
        if not wrong and usual() != expected:
            wrong = "ordinary calls give something else afterwards"
        if wrong:
            failed += 1
            print(f"FAILED trial {number}: {wrong}", flush=True)
        done += 1
    faulthandler.cancel_dump_traceback_later()
    print(json.dumps({"done": done, "notes": notes}), flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
