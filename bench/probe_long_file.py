"""Ten million segments through the command line: seconds, memory, and where the time goes.

``python bench/probe_long_file.py PART REFERENCE HYPOTHESIS`` are the child processes; they print
one line of JSON. Parts: ``lines`` (reading lines of bytes), ``whole`` (the command), ``stages``
(the command's own steps, each with its time).
"""

from __future__ import annotations

import contextlib
import io
import json
import shutil
import sys
import time
from itertools import cycle, islice
from pathlib import Path
from tempfile import TemporaryDirectory

from cases import NotAvailable
from checks import differing, sacrebleu_score_of_cycles, say_correct
from processes import PeakMemory, run_child
from workloads import load_corpus

SEGMENTS = 10_000_000


def measure(quick: bool) -> dict:
    """Score two files of 10,000,000 lines, which were written just before, with the command."""
    segments = SEGMENTS // 200 if quick else SEGMENTS
    corpus = load_corpus()
    with TemporaryDirectory() as folder:
        names = [str(Path(folder, name)) for name in ("reference.txt", "hypothesis.txt")]
        for name, lines in zip(names, (corpus.references[0], corpus.hypotheses), strict=True):
            _write(Path(name), lines, segments)
        size = sum(Path(name).stat().st_size for name in names)
        lines, whole, stages = (
            run_child(__file__, part, *names) for part in ("lines", "whole", "stages")
        )
    expected = f"{sacrebleu_score_of_cycles(corpus, segments):.14f}"
    staged = sum(stages.values())
    shares = ", ".join(f"{stage} {100 * taken / staged:.0f} %" for stage, taken in stages.items())
    return {
        "segments": segments,
        "unit": "s",
        "peer_time": stages["reading"],
        "time": whole["seconds"],
        "reached": {
            "slowdown": whole["seconds"] / stages["reading"],
            "megabytes": whole["megabytes"],
        },
        "correct": say_correct(differing(whole["printed"], expected)),
        "note": (
            f"{size / 1e6:,.0f} MB of text from the page cache; shares: {shares} "
            f"(together {staged:.3g} s); Python's own loop over the lines as bytes: "
            f"{lines['seconds']:.3g} s"
        ),
    }


def _write(path: Path, lines: list[str], count: int) -> None:
    cycle_bytes = sum(len(line.encode()) + 1 for line in lines)
    needed = 2.2 * cycle_bytes * count / len(lines)  # both files, and a little
    if shutil.disk_usage(path.parent).free < needed:
        raise NotAvailable(f"{path.parent} has no {needed / 1e9:.1f} GB left for the files")
    with path.open("wb") as file:
        file.writelines(islice(cycle([f"{line}\n".encode() for line in lines]), count))


# In the child process.


def read_lines(*names: str) -> dict:
    """Read all lines as bytes and do nothing with them."""
    start = time.perf_counter()
    for name in names:
        with open(name, "rb") as file:
            for _ in file:
                pass
    return {"seconds": time.perf_counter() - start}


def run_whole(reference: str, hypothesis: str) -> dict:
    """Run the command; the memory is that of the whole process."""
    start = time.perf_counter()
    from fastbleu.cli import main

    with contextlib.redirect_stdout(io.StringIO()) as printed:
        status = main([reference, "-i", hypothesis, "-b", "-w", "14"])
    if status:
        raise SystemExit(status)
    return {
        "seconds": time.perf_counter() - start,
        "megabytes": PeakMemory.of_process(),
        "printed": printed.getvalue().strip(),
    }


def run_stages(*names: str) -> dict[str, float]:
    """Do what the command does for one system, with a look at the clock between the steps."""
    from fastbleu._core import SegmentCounter, zero_rows
    from fastbleu.cli.readers import CHUNK_LINES, in_step, open_lines
    from fastbleu.counting._text_packer import TextPacker
    from fastbleu.counting.stats import Stats
    from fastbleu.inputs.checks import TextChecks

    packer = TextPacker(TextChecks(), "13a", utf8=True)
    counter, clock = SegmentCounter(4), time.perf_counter
    total = Stats.zeros(1, 4)
    reading = tokenizing = counting = adding = 0.0
    with contextlib.ExitStack() as opened:
        files = [open_lines(name, opened) for name in names]
        before = clock()
        for references, hypotheses in in_step(files, in_place=True):
            read = clock()
            rows = zero_rows(CHUNK_LINES, 4)
            packer.fill(hypotheses, references, 0)
            counter.count(packer, rows, 0)
            both = clock()
            counter.count(packer, rows, 0)  # again: what is tokenized stays so
            counted = clock()
            total += Stats._own(rows, 4).sum()
            added = clock()
            reading += read - before
            tokenizing += (both - read) - (counted - both)
            counting += counted - both
            adding += added - counted
            before = clock()
        reading += clock() - before
    return {
        "reading": reading,
        "decoding and tokenizing": tokenizing,
        "counting": counting,
        "adding up": adding,
    }


if __name__ == "__main__":
    _, part, *files = sys.argv
    print(json.dumps({"lines": read_lines, "whole": run_whole, "stages": run_stages}[part](*files)))
