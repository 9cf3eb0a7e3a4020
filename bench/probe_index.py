"""A `ReferenceIndex` of very many references, in a process of its own.

``python bench/probe_index.py REFERENCES`` is that process; it prints one line of JSON.
"""

from __future__ import annotations

import json
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from adapters import NotAvailable
from checks import differing_arrays, say_correct
from processes import PeakMemory, bytes_available, run_child
from workloads_matrix import edited_lines, many_lines

HYPOTHESES = 1_000
# They are scored by the plain path, too, which reads all references for each of them.
CHECKED = 3
BYTES_PER_REFERENCE = 3_000


def measure(references: int, quick: bool) -> dict:
    """Build, query, save and load an index; compare with the plain path: a list of all references.

    The time is that of a query, for one hypothesis.
    """
    references //= 20 if quick else 1
    if references * BYTES_PER_REFERENCE > 0.7 * bytes_available():
        raise NotAvailable(f"not enough memory for {references:,} references")
    child = run_child(__file__, str(references))
    return {
        "unit": "us per hypothesis",
        "peer_time": child["plain"] * 1e6,
        "time": child["query"] * 1e6,
        "reached": {"ratio": child["plain"] / child["query"], "megabytes": child["megabytes"]},
        "correct": child["correct"],
        "note": _tell(references, child),
    }


def _tell(references: int, child: dict) -> str:
    return (
        f"{child['ngrams']:,} different n-grams of {references:,} references,"
        f" {child['bytes_per_ngram']:.1f} bytes of memory each; built in {child['build']:.2g} s,"
        f" saved in {child['save'] * 1e3:.0f} ms ({child['file_megabytes']:.0f} MB), loaded in"
        f" {child['load'] * 1e3:.1f} ms; the process had {child['before']:.0f} MB before, text"
        f" included, and {child['megabytes']:.0f} MB at its peak"
    )


# In the child process.


def measure_in_child(references: int) -> dict:
    """Return seconds (queries: of one hypothesis), memory, and whether the scores are right."""
    from fastbleu import BLEU
    from fastbleu.matrix import ReferenceIndex

    lines = many_lines(references)
    hypotheses = edited_lines(HYPOTHESES, seed=1)
    before = PeakMemory.of_process()
    build, index = _timed(ReferenceIndex, lines, effective_order=True)
    queries = [_timed(index.sentence_scores, hypotheses) for _ in range(5)]
    megabytes = PeakMemory.of_process()
    with TemporaryDirectory() as folder:
        path = Path(folder, "index")
        save, _ = _timed(index.save, path)
        load, loaded = _timed(ReferenceIndex.load, path)
        file_megabytes = path.stat().st_size / 2**20
        scores = loaded.sentence_scores(hypotheses)
        del loaded
    plain, expected = _timed(
        BLEU(effective_order=True).sentence_scores, hypotheses[:CHECKED], [lines] * CHECKED
    )
    wrong = differing_arrays(scores[:CHECKED], expected) or differing_arrays(scores, queries[0][1])
    return {
        "build": build,
        "query": statistics.median(seconds for seconds, _ in queries) / HYPOTHESES,
        "save": save,
        "load": load,
        "plain": plain / CHECKED,
        "before": before,
        "megabytes": megabytes,
        "file_megabytes": file_megabytes,
        "ngrams": index.ngrams,
        "bytes_per_ngram": index.nbytes / index.ngrams,
        "correct": say_correct(wrong),
    }


def _timed(run: Callable, *arguments: Any, **options: Any) -> tuple[float, Any]:
    start = time.perf_counter()
    result = run(*arguments, **options)
    return time.perf_counter() - start, result


if __name__ == "__main__":
    print(json.dumps(measure_in_child(int(sys.argv[1]))))
