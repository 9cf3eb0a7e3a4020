"""What cannot be timed inside one process: memory, a million segments, import time.

Each probe starts Python anew. ``python bench/probes.py peak LIBRARY SEGMENTS`` and
``python bench/probes.py million SEGMENTS`` are what it starts; they print one line of JSON.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import adapters
import workloads
from adapters import NotAvailable
from cases import SUBJECT, Goal
from checks import differing, say_correct

MILLION = 1_000_000
TWENTY_THOUSAND = 20_000
BYTES_PER_SEGMENT = 4_000  # of split tokens, hypothesis and reference, rounded up
USE_AND_TELL = (
    # Four tokens that match: a warning would load Python's own modules for showing source lines.
    "import fastbleu, sys; fastbleu.sentence_bleu([list('abcd')], list('abcd'));"
    " print('numpy' in sys.modules)"
)


@dataclass(frozen=True)
class Probe:
    """A measurement with its own way: ``measure(quick)`` returns the fields of a result."""

    name: str
    title: str
    measure: Callable[[bool], dict]
    peer: str
    goals: tuple[Goal, ...] = ()


def measure_million(quick: bool) -> dict:
    """Compare the time of a segment in a corpus of 1,000,000 and of 20,000, and its memory."""
    segments = MILLION // 20 if quick else MILLION
    while segments * BYTES_PER_SEGMENT > 0.7 * _bytes_available() and segments > TWENTY_THOUSAND:
        segments //= 2
    child = _run_child("million", str(segments))
    return {
        "segments": segments,
        "unit": "us per segment",
        "peer_time": child["small"] / TWENTY_THOUSAND * 1e6,
        "time": child["large"] / segments * 1e6,
        "reached": {
            "slowdown": (child["large"] / segments) / (child["small"] / TWENTY_THOUSAND),
            "megabytes": child["megabytes"],
        },
        "correct": child["correct"],
    }


def measure_peak(quick: bool) -> dict:
    """Compare the extra memory at the peak of `corpus_bleu`, over the tokens themselves."""
    segments = TWENTY_THOUSAND // 10 if quick else TWENTY_THOUSAND
    peaks = {library: _run_child("peak", library, str(segments)) for library in ("nltk", SUBJECT)}
    return {
        "segments": segments,
        "unit": "MB",
        "peer_time": peaks["nltk"]["megabytes"],
        "time": peaks[SUBJECT]["megabytes"],
        "reached": {"megabytes": peaks[SUBJECT]["megabytes"]},
        "correct": say_correct(differing(peaks[SUBJECT]["score"], peaks["nltk"]["score"])),
    }


def measure_import(quick: bool) -> dict:
    """Compare `import fastbleu` and one call with a bare interpreter: medians of paired runs."""
    rounds = 5 if quick else 21
    _time_python(USE_AND_TELL)  # leaves the compiled .pyc files behind, as an installer does
    bare, used = [], []
    says = ""
    for _ in range(rounds):
        bare.append(_time_python("pass")[0])
        seconds, says = _time_python(USE_AND_TELL)
        used.append(seconds)
    extra = (statistics.median(used) - statistics.median(bare)) * 1e3
    return {
        "unit": "ms",
        "peer_time": statistics.median(bare) * 1e3,
        "time": statistics.median(used) * 1e3,
        "reached": {"milliseconds": extra},
        "correct": say_correct("numpy was imported" if says != "False" else ""),
    }


PROBES: tuple[Probe, ...] = (
    Probe(
        "million",
        "corpus_bleu on a long corpus, time of a segment",
        measure_million,
        "20,000 segments",
        (Goal("slowdown", 1.3, at_most=True), Goal("megabytes", 16, at_most=True)),
    ),
    Probe("peak", "corpus_bleu, extra memory at its peak", measure_peak, "nltk"),
    Probe(
        "import",
        "import fastbleu and one sentence_bleu, against a bare interpreter",
        measure_import,
        "bare interpreter",
        (Goal("milliseconds", 15, 5, at_most=True),),
    ),
)


def _bytes_available() -> float:
    try:
        lines = Path("/proc/meminfo").read_text().splitlines()
    except OSError:
        return float("inf")
    return next(float(line.split()[1]) * 1024 for line in lines if line.startswith("MemAvailable"))


def _time_python(code: str) -> tuple[float, str]:
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    command = [sys.executable, "-c", code]
    start = time.perf_counter()
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    seconds = time.perf_counter() - start
    if done.returncode:
        raise NotAvailable(done.stderr.strip().splitlines()[-1])
    return seconds, done.stdout.strip()


def _run_child(*arguments: str) -> dict:
    command = [sys.executable, str(Path(__file__).resolve()), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise NotAvailable(done.stderr.strip().splitlines()[-1])
    return json.loads(done.stdout)


# In the child process.


class PeakMemory:
    """The growth of this process's resident memory, at its highest, since this was made."""

    def __init__(self) -> None:
        try:
            Path("/proc/self/clear_refs").write_text("5")  # VmHWM starts again from here
        except OSError as error:
            raise NotAvailable("peak memory needs Linux's /proc/self/clear_refs") from error
        self._before = self._kilobytes("VmRSS")

    def megabytes(self) -> float:
        """Return the growth so far, in units of 2**20 bytes."""
        return max(0, self._kilobytes("VmHWM") - self._before) / 1024

    @staticmethod
    def _kilobytes(field: str) -> int:
        lines = Path("/proc/self/status").read_text().splitlines()
        return next(int(line.split()[1]) for line in lines if line.startswith(field))


def _load_run(library: str) -> adapters.Run:
    module = adapters.nltk_module if library == "nltk" else adapters.fastbleu_module
    run = adapters.corpus_bleu(module)()
    run([["a", "b"]] * 100, [[["a", "c"]]] * 100)  # what the first call loads is not counted
    return run


def peak_in_child(library: str, segments: int) -> dict:
    """Score freshly split tokens once; return the score and the extra memory at the peak."""
    work = workloads.split_fresh(workloads.load_corpus().take(segments))
    run = _load_run(library)
    peak = PeakMemory()
    score = run(*work)
    return {"score": score, "megabytes": peak.megabytes()}


def million_in_child(segments: int, rounds: int = 3) -> dict:
    """Score `segments` and 20,000 segments in turn; return median seconds and the extra memory.

    The memory is that of the first large call, when the process has no freed memory to reuse.
    """
    corpus = workloads.load_corpus()
    run = _load_run(SUBJECT)
    large: list[float] = []
    small: list[float] = []
    scores: set[object] = set()
    megabytes = 0.0
    for round_ in range(rounds):
        work = workloads.split_fresh(corpus.take(segments))
        peak = PeakMemory()
        start = time.perf_counter()
        score = run(*work)
        large.append(time.perf_counter() - start)
        if round_ == 0:
            megabytes = peak.megabytes()
        scores.add(score)
        for _ in range(5):
            few = workloads.split_fresh(corpus.take(TWENTY_THOUSAND))
            start = time.perf_counter()
            run(*few)
            small.append(time.perf_counter() - start)
            del few
        del work
    expected = _score_of_cycles(corpus, segments)
    wrong = "" if scores == {expected} else f"{scores} and not {expected}"
    return {
        "large": statistics.median(large),
        "small": statistics.median(small),
        "megabytes": megabytes,
        "correct": say_correct(wrong),
    }


def _score_of_cycles(corpus: workloads.Corpus, segments: int) -> float:
    """Return nltk's score of the cycled corpus without counting any segment twice.

    nltk adds up integers, one segment at a time, so that the sums of the whole corpus times the
    number of cycles and those of the part of the last cycle are the sums of all segments.
    """
    import nltk.translate.bleu_score as original

    cycles, left = divmod(segments, len(corpus))
    sums = [0] * 10  # hypothesis length, reference length, matches and totals of four orders
    hypotheses, references = workloads.split_fresh(corpus)
    for index, (hypothesis, of_segment) in enumerate(zip(hypotheses, references, strict=True)):
        times = cycles + (index < left)
        row = [len(hypothesis), original.closest_ref_length(of_segment, len(hypothesis))]
        for order in range(1, 5):
            precision = original.modified_precision(of_segment, hypothesis, order)
            row += [precision.numerator, precision.denominator]
        sums = [total + times * value for total, value in zip(sums, row, strict=True)]
    penalty = original.brevity_penalty(sums[1], sums[0])
    return penalty * _geometric_mean(sums[2::2], sums[3::2])


def _geometric_mean(matches: list[int], totals: list[int]) -> float:
    import math

    logs = (0.25 * math.log(match / total) for match, total in zip(matches, totals, strict=True))
    return math.exp(math.fsum(logs))


if __name__ == "__main__":
    _, kind, *rest = sys.argv
    if kind == "peak":
        print(json.dumps(peak_in_child(rest[0], int(rest[1]))))
    else:
        print(json.dumps(million_in_child(int(rest[0]))))
