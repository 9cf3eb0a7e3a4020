"""Memory at the peak of a call, and a corpus of a million segments.

``python bench/probe_memory.py peak LIBRARY SEGMENTS`` and ``... million KIND SEGMENTS`` are the
child processes; they print one line of JSON.
"""

from __future__ import annotations

import json
import statistics
import sys
import time
from collections.abc import Callable

import text
import tokens
import workloads
from cases import SUBJECT, imported
from checks import (
    differing,
    nltk_score_of_cycles,
    sacrebleu_score_of_cycles,
    say_correct,
)
from processes import PeakMemory, bytes_available, run_child
from workloads import load_corpus

MILLION = 1_000_000
TWENTY_THOUSAND = 20_000
# Of one segment, hypothesis and reference, rounded up.
BYTES_PER_SEGMENT = {"tokens": 4_000, "text": 1_000}


def measure_million(kind: str, quick: bool) -> dict:
    """Compare the time of a segment in a corpus of 1,000,000 and of 20,000, and its memory."""
    segments = MILLION // 20 if quick else MILLION
    needed = BYTES_PER_SEGMENT[kind]
    while segments * needed > 0.7 * bytes_available() and segments > TWENTY_THOUSAND:
        segments //= 2
    child = run_child(__file__, "million", kind, str(segments))
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
    """Compare the extra memory at the peak of nltk's `corpus_bleu`, over the tokens themselves."""
    segments = TWENTY_THOUSAND // 10 if quick else TWENTY_THOUSAND
    peaks = {
        library: run_child(__file__, "peak", library, str(segments))
        for library in ("nltk", SUBJECT)
    }
    return {
        "segments": segments,
        "unit": "MB",
        "peer_time": peaks["nltk"]["megabytes"],
        "time": peaks[SUBJECT]["megabytes"],
        "reached": {"megabytes": peaks[SUBJECT]["megabytes"]},
        "correct": say_correct(differing(peaks[SUBJECT]["score"], peaks["nltk"]["score"])),
    }


# In the child process.


def _load_run(library: str) -> Callable:
    # What the first call loads is not counted.
    if library == "text":
        run = imported(text.corpus_bleu, "fastbleu.sacrebleu")().run
        run(["a b"] * 100, [["a c"] * 100])
        return run
    module = "nltk.translate.bleu_score" if library == "nltk" else "fastbleu.nltk"
    run = imported(tokens.corpus_bleu, module)().run
    run([["a", "b"]] * 100, [[["a", "c"]]] * 100)
    return run


def peak_in_child(library: str, segments: int) -> dict:
    """Score freshly split tokens once; return the score and the extra memory at the peak."""
    work = workloads.split_fresh(load_corpus().take(segments))
    run = _load_run(library)
    peak = PeakMemory()
    score = run(*work)
    return {"score": score, "megabytes": peak.megabytes()}


def million_in_child(kind: str, segments: int, rounds: int = 3) -> dict:
    """Score `segments` and 20,000 segments in turn; return median seconds and the extra memory.

    The memory is that of the first large call, when the process has no freed memory to reuse.
    """
    corpus = load_corpus()
    is_text = kind == "text"
    fresh = workloads.text if is_text else workloads.split_fresh
    run = _load_run(kind)
    large: list[float] = []
    small: list[float] = []
    scores: set[object] = set()
    megabytes = 0.0
    for round_ in range(rounds):
        work = fresh(corpus.take(segments))
        peak = PeakMemory()
        start = time.perf_counter()
        score = run(*work)
        large.append(time.perf_counter() - start)
        if round_ == 0:
            megabytes = peak.megabytes()
        scores.add(score)
        for _ in range(5):
            few = fresh(corpus.take(TWENTY_THOUSAND))
            start = time.perf_counter()
            run(*few)
            small.append(time.perf_counter() - start)
            del few
        del work
    expected = (sacrebleu_score_of_cycles if is_text else nltk_score_of_cycles)(corpus, segments)
    wrong = "" if scores == {expected} else f"{scores} and not {expected}"
    return {
        "large": statistics.median(large),
        "small": statistics.median(small),
        "megabytes": megabytes,
        "correct": say_correct(wrong),
    }


if __name__ == "__main__":
    _, task, kind, count = sys.argv
    in_child = {"peak": peak_in_child, "million": million_in_child}[task]
    print(json.dumps(in_child(kind, int(count))))
