"""What a case is, how it is checked and how it is timed.

A *side* is one library's way to do the work of a case: called with fresh hypotheses and references
it prepares what is not timed and returns the call that is, or raises `ModuleNotFoundError`. Sides
import their libraries themselves, so that a case loads no others.

First each side runs once, untimed, and its result is checked. Then all run in turn (A B C, A B C,
...), each on arguments made anew, with the garbage collector as it is by default. A time is the
median of these rounds, a ratio is that of two medians of one run.
"""

import statistics
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from workloads import Corpus, Work

OURS = "fastbleu"
#: Seconds after which a library that ran three times skips the other rounds.
ENOUGH = 10
#: So many segments show whether a case runs and its results are equal; p-values of 12 or fewer are
#: not sampled.
FEW = 20
#: What a time is divided by, and its unit: the number of units in a run of so many segments.
UNITS = {
    "run": ("ms", 1e3, lambda segments: 1),
    "segment": ("us per segment", 1e6, lambda segments: segments),
    "call": ("us per call", 1e6, lambda segments: segments),
    "source": ("us per source", 1e6, lambda segments: segments),
    "pair": ("ns per pair", 1e9, lambda segments: segments * segments),
}

Side = Callable[[Any, Any], Callable[[], Any]]


class Part(NamedTuple):
    """What a slow library computed of the segments with these indices."""

    indices: range
    result: Any


def spread(segments: int, part: int) -> range:
    """Return the indices of `part` evenly spread segments, or of all if there are fewer."""
    return range(0, segments, max(1, segments // part))[:part]


def differing(result: Any, expected: Any, exact: bool = True) -> str:
    """Return how numbers differ, or "" if they are equal: bit for bit, or except for rounding."""
    import numpy as np

    found, wanted = (np.asarray(numbers, float) for numbers in (result, expected))
    if found.shape != wanted.shape:
        return f"{found.shape} numbers, not {wanted.shape}"
    wrong = ~((found == wanted) | (np.isnan(found) & np.isnan(wanted)))
    if not exact:
        wrong &= ~np.isclose(found, wanted, rtol=1e-14, atol=1e-15)
    if not wrong.any():
        return ""
    error = np.abs(found - wanted)[wrong].max()
    return f"{wrong.sum():,} of {wrong.size:,} scores differ by up to {error:.1e}"


@dataclass(frozen=True)
class Case:
    """One piece of work and the libraries that do it."""

    name: str  # begins with the kind: "text-13a"
    title: str
    segments: int
    corpus: Callable[[int], Corpus]  # so many segments
    fresh: Callable[[Corpus], Work]  # hypotheses and references made anew, as the sides take them
    ours: Side
    others: dict[str, Side]  # the first one is the original, whose result ours must be
    notes: dict[str, str] = field(default_factory=dict)  # library -> why it is not compared
    compare: Callable[[Any, Any], str] = differing  # ours with the original
    is_approximate: bool = False  # that ours differs is told and is no fault
    per: str = "run"  # a key of UNITS
    has_threads: bool = False  # time by the clock, and not by the process's CPU time
    length: str = "tokens"  # or "characters": how the length of a segment is told
    tells_memory: bool = False

    def check(self) -> str:
        """Run each side once on few segments; return how our results differ, or "".

        Raises `ModuleNotFoundError` if the original is not installed, as `measure`.
        """
        results, _, _ = self._run_once(self.corpus(min(FEW, self.segments)))
        notes = self._check(results)
        return "" if self.is_approximate else notes[OURS]

    def measure(self, repeat: int) -> dict:
        """Check and time all sides; return what `table` shows."""
        corpus = self.corpus(self.segments)
        results, missing, memory = self._run_once(corpus)
        notes = self._check(results)
        seconds: dict[str, list[float]] = {name: [] for name in results}
        for _ in range(repeat):
            for name, times in seconds.items():
                if len(times) < 3 or sum(times) < ENOUGH:
                    side = self.ours if name == OURS else self.others[name]
                    times.append(self.seconds(side, corpus)[0])
        unit, scale, count = UNITS[self.per]
        scale /= count(len(corpus))
        rows = {}
        for name, times in seconds.items():
            rows[name] = {"time": statistics.median(times) * scale}
            if isinstance(results[name], Part):
                part = len(results[name].indices)
                rows[name]["time"] *= len(corpus) / part
                rows[name]["part"] = part
            if notes.get(name):
                rows[name]["note"] = notes[name]
        in_characters = self.length == "characters"
        length = sum(len(line if in_characters else line.split()) for line in corpus.hypotheses)
        return {
            "size": f"{len(corpus):,} x {length / len(corpus):,.0f} {self.length}",
            "data": corpus.source,
            "unit": unit,
            "ours": rows.pop(OURS),
            "others": rows,
            "missing": missing,
            "wrong": "" if self.is_approximate else notes[OURS],
            "memory": memory if self.tells_memory else None,
        }

    def seconds(self, side: Side, corpus: Corpus) -> tuple[float, Any]:
        """Run a side once; return the time that it took, and its result."""
        call = side(*self.fresh(corpus))
        forget()
        clock = time.perf_counter if self.has_threads else time.process_time
        start = clock()
        result = call()
        return clock() - start, result

    def _run_once(self, corpus: Corpus) -> tuple[dict[str, Any], dict[str, str], float | None]:
        """Run each side; return results, why libraries are missing, and our memory in MB."""
        results, missing = {}, {}
        for name, side in {**self.others, OURS: self.ours}.items():
            try:
                call = side(*self.fresh(corpus))
            except ModuleNotFoundError as error:
                if name in (OURS, next(iter(self.others))):
                    raise
                missing[name] = str(error)
                continue
            grown = growth_of_memory()
            results[name] = call()
            memory = grown()
        return results, missing, memory

    def _check(self, results: dict[str, Any]) -> dict[str, str]:
        """Return how results differ: ours from the original's, the others' from ours."""
        original, *others = self.others
        ours = results[OURS]
        notes = {OURS: "", **self.notes}
        if original not in notes:
            notes[OURS] = self.compare(*_same_segments(ours, results[original]))
        for name in set(others) & set(results) - set(notes):
            notes[name] = differing(*_same_segments(ours, results[name]), exact=False)
        return notes


def _same_segments(ours: Any, others: Any) -> tuple[Any, Any]:
    """Return two results, of the segments that both have."""
    if not isinstance(others, Part):
        return ours, others
    if isinstance(ours, float):
        return ours, others.result
    return [ours[index] for index in others.indices], others.result


def forget() -> None:
    """Empty the caches of sacreBLEU's tokenizers: in practice a text is new to them."""
    base = sys.modules.get("sacrebleu.tokenizers.tokenizer_base")
    waiting = [base.BaseTokenizer] if base else []
    while waiting:
        tokenizer = waiting.pop()
        waiting += tokenizer.__subclasses__()
        if hasattr(tokenizer.__call__, "cache_clear"):
            tokenizer.__call__.cache_clear()


def growth_of_memory() -> Callable[[], float | None]:
    """Return a function: how many MB this process's memory has grown at its peak (Linux)."""

    def megabytes(what: str) -> float:
        lines = Path("/proc/self/status").read_text().splitlines()
        return next(int(line.split()[1]) for line in lines if line.startswith(what)) / 1024

    try:
        Path("/proc/self/clear_refs").write_text("5")  # the peak starts again from here
        before = megabytes("VmRSS")
    except OSError:
        return lambda: None
    return lambda: max(0, megabytes("VmHWM") - before)
