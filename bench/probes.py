"""Measurements that need a process of their own: start-up, memory, long inputs.

Each probe starts Python anew. Those that are `on_request` run only when ``--only`` names them.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import probe_long_file
import probe_memory
from cases import SUBJECT, Goal
from checks import differing, say_correct
from processes import time_python
from workloads import load_corpus

TELL_NUMPY = "; import sys; print('numpy' in sys.modules)"
# Four tokens that match: a warning would load Python's own modules for showing source lines.
ONE_SENTENCE = "import fastbleu; fastbleu.sentence_bleu([list('abcd')], list('abcd'))"
ONE_TEXT = "from fastbleu.sacrebleu import sentence_bleu; sentence_bleu('a, b c', ['a, b c'])"


@dataclass(frozen=True)
class Probe:
    """A measurement with its own way: ``measure(quick)`` returns the fields of a result.

    They are ``segments`` (where it has them), ``unit``, ``time`` and ``peer_time`` in it,
    ``reached`` (by quantity, for the goals), ``correct``, and ``note`` (what else to tell).
    """

    name: str
    title: str
    measure: Callable[[bool], dict]
    peer: str
    goals: tuple[Goal, ...] = ()
    section: str = "cost"
    on_request: bool = False


def measure_start(code: str, quick: bool) -> dict:
    """Compare an import and one call with a bare interpreter: medians of paired runs."""
    rounds = 5 if quick else 21
    time_python("-c", code)  # leaves the compiled .pyc files behind, as an installer does
    bare, used = [], []
    says = ""
    for _ in range(rounds):
        bare.append(time_python("-c", "pass")[0])
        seconds, says = time_python("-c", code + TELL_NUMPY)
        used.append(seconds)
    extra = (statistics.median(used) - statistics.median(bare)) * 1e3
    return {
        "unit": "ms",
        "peer_time": statistics.median(bare) * 1e3,
        "time": statistics.median(used) * 1e3,
        "reached": {"milliseconds": extra},
        "correct": say_correct("numpy was imported" if says != "False" else ""),
    }


def measure_command(quick: bool) -> dict:
    """Compare the two commands on one system's output: medians of paired runs."""
    segments = 2_000
    corpus = load_corpus().take(segments)
    seconds: dict[str, list[float]] = {"sacrebleu": [], SUBJECT: []}
    printed: dict[str, str] = {}
    with TemporaryDirectory() as folder:
        reference, hypothesis = Path(folder, "reference.txt"), Path(folder, "hypothesis.txt")
        reference.write_text("\n".join(corpus.references[0]) + "\n", encoding="utf-8")
        hypothesis.write_text("\n".join(corpus.hypotheses) + "\n", encoding="utf-8")
        arguments = [str(reference), "-i", str(hypothesis), "-b", "-w", "14"]
        for _ in range(2 if quick else 9):
            for module in seconds:
                taken, printed[module] = time_python("-m", module, *arguments)
                seconds[module].append(taken)
    return {
        "segments": segments,
        "unit": "ms",
        "peer_time": statistics.median(seconds["sacrebleu"]) * 1e3,
        "time": statistics.median(seconds[SUBJECT]) * 1e3,
        "reached": {},
        "correct": say_correct(differing(printed[SUBJECT], printed["sacrebleu"])),
    }


_OF_A_MILLION = (Goal("slowdown", 1.3, at_most=True), Goal("megabytes", 16, at_most=True))

PROBES: tuple[Probe, ...] = (
    Probe(
        "text-million",
        "sacrebleu.corpus_bleu on a long text, time of a segment",
        partial(probe_memory.measure_million, "text"),
        "20,000 segments",
        _OF_A_MILLION,
    ),
    Probe(
        "million",
        "nltk.corpus_bleu on a long corpus, time of a segment",
        partial(probe_memory.measure_million, "tokens"),
        "20,000 segments",
        _OF_A_MILLION,
    ),
    Probe(
        "peak",
        "nltk.corpus_bleu, extra memory at its peak",
        probe_memory.measure_peak,
        "nltk",
    ),
    Probe(
        "long-file",
        "the command, on two long files",
        probe_long_file.measure,
        "reading",
        (Goal("megabytes", 200, at_most=True),),
        on_request=True,
    ),
    Probe(
        "command",
        "the command, one system",
        measure_command,
        "sacrebleu",
    ),
    Probe(
        "text-import",
        "import fastbleu.sacrebleu and one sentence_bleu of text",
        partial(measure_start, ONE_TEXT),
        "bare interpreter",
        (Goal("milliseconds", 15, 5, at_most=True),),
    ),
    Probe(
        "import",
        "import fastbleu and one sentence_bleu of tokens",
        partial(measure_start, ONE_SENTENCE),
        "bare interpreter",
        (Goal("milliseconds", 15, 5, at_most=True),),
    ),
)
