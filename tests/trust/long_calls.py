"""Calls so long that somebody presses Ctrl-C, and the process in which interrupts.py does so.

A call is code as in interruptible_calls.py, whose calls are all here too. `after` is what is true
before it and must still be true when it was interrupted: the state of what it works on, and what
the same entry point says of small input.
"""

from __future__ import annotations

import signal
import sys
import time
from contextlib import suppress
from dataclasses import dataclass
from types import CodeType

import interruptible_calls
from trust.entry import plain

PREPARATIONS = """
import os, tempfile
import numpy
import fastbleu
from fastbleu import BLEU, Stats, matrix, significance
from fastbleu import sacrebleu as sb
# What first calls would load: extension modules lose a Ctrl-C that comes while they are loaded.
from fastbleu import *
from fastbleu.matrix import *
words = [f"word{n}" for n in range(700)]
text, other_text = " ".join(words[:60]), " ".join(words[9:80])
directory = tempfile.mkdtemp(prefix="fastbleu-trust-")
path = os.path.join(directory, "file")
"""
IDS = """
generator = numpy.random.default_rng(7)
ids = generator.integers(0, {largest}, {shape}, "{kind}")
"""
POOL = """
pool = [" ".join((words * 2)[n % 311 : n % 311 + 60]) + f" {n}" for n in range(20_000)]
"""
STATS = "stats = Stats._own(Stats(numpy.full((300_000, 10), 30))._rows * 10, 4)"
INDEX = POOL + "index = matrix.ReferenceIndex(pool)"

ONE_METRIC = """
def metric_says():
    small = BLEU(tokenize=None).score([words[:40]], [[words[:30]]])
    return small, BLEU().sentence_scores([text], [other_text]), fastbleu.tokenize(text)[:7]
"""
SMALL_IDS = "BLEU(tokenize=None).score(ids.reshape(-1)[None, :40], ids.reshape(-1)[None, 2:42])"
SMALL_POOL = "matrix.{}(pool[:20], pool[:9])"
# The file is a whole one, the old or the new, and nothing stands beside it.
SAVED = """(
    os.listdir(directory),
    matrix.ReferenceIndex.load(path).ngrams in (smaller.ngrams, index.ngrams),
    index.sentence_scores(pool[:3]),
)"""


@dataclass(frozen=True)
class LongCall:
    """`span`: within so many seconds from its start a call is interrupted."""

    setup: str
    call: str
    after: str = "metric_says()"
    span: float = 1.0


def with_ids(
    shape: object, call: str, largest: object = 32_000, kind: str = "int32", **more: str
) -> LongCall:
    setup = IDS.format(shape=shape, largest=largest, kind=kind)
    return LongCall(setup, call, **{"after": SMALL_IDS, **more})


def update(
    parameters: str = "", setup: str = interruptible_calls.SEGMENTS, **more: str
) -> LongCall:
    """An update of a metric that has counted something before."""
    made = f"metric = BLEU(tokenize=None{parameters})\nmetric.update([words], [[words[:40]]])"
    call = more.get("call", "metric.update(hypotheses, references)")
    return LongCall(f"{setup}\n{made}", call, "metric, metric.state, metric.compute()")


def pooled(function: str, arguments: str, small: str = "(pool[:20], pool[:9])") -> LongCall:
    call = f"matrix.{function}({arguments})"
    if function == "iter_blocks":
        return LongCall(POOL, f"for _ in {call}: pass", f"list(matrix.{function}{small})")
    return LongCall(POOL, call, f"matrix.{function}{small}")


ROW = "BLEU(tokenize=None).score(ids[None], ids[None, ::-1])"
LONG_TEXT = 'line = (" ".join(words) + " {}") * 8_000'
SCORES = "bootstrap(stats, samples=2)"

CALLS = {
    **{name: LongCall(*strings) for name, strings in interruptible_calls.CALLS.items()},
    # ---- streams
    "BLEU.update": update(),
    "BLEU.update that keeps segments": update(", keep_segments=True"),
    "BLEU.update in two threads": update(", threads=2"),
    "BLEU.update of ids": update(
        setup=IDS.format(shape=(1_000_000, 64), largest=32_000, kind="int32"),
        call="metric.update(ids, ids[::-1])",
    ),
    # ---- ids
    "sentence_scores of ids": with_ids(
        (1_000_000, 64), "BLEU(tokenize=None).sentence_scores(ids, ids[::-1])"
    ),
    "ids in two threads": with_ids(
        (1_000_000, 64), "BLEU(tokenize=None, threads=2).sentence_scores(ids, ids[::-1])"
    ),
    "one row of small ids": with_ids(20_000_000, ROW),
    "one row of large ids": with_ids(10_000_000, ROW, 2**40, "int64"),
    "one row of unsigned ids": with_ids(20_000_000, ROW, 2**40, "uint64"),
    "one row of ids with a stop and a mask": with_ids(
        20_000_000,
        "BLEU(tokenize=None, stop_id=-1, ignore_ids=(5, 9), skip_ids=(7,)).score(ids[None], "
        "ids[None, ::-1], hypothesis_mask=ids[None] > 9, reference_mask=ids[None] > 9)",
    ),
    "one list of ids": LongCall(
        "listed = list(range(5_000_000))",
        "BLEU(tokenize=None, skip_ids=(7,)).score([listed], [[listed]])",
    ),
    "arrays of ids one by one": with_ids(
        (500_000, 20),
        "BLEU(tokenize=None).score(list(ids), [[row] for row in ids])",
        span=0.5,
    ),
    # ---- long segments
    "3 million different tokens": LongCall(
        'tokens = [f"w{n}" for n in range(3_000_000)]\nother = [tokens[::-1]]',
        "fastbleu.count([tokens], [other])",
    ),
    "5 million whole numbers": LongCall(
        "tokens = list(range(5_000_000))\nother = [tokens[::-1]]",
        "fastbleu.count([tokens], [other])",
    ),
    "sentence_bleu of 10 million tokens": LongCall(
        "long = words * 15_000\nother = [words[::-1] * 15_000]",
        "fastbleu.nltk.sentence_bleu(other, long)",
        "fastbleu.nltk.sentence_bleu([words[:50]], words[4:44]), metric_says()",
    ),
    "nltk's corpus_bleu": LongCall(
        interruptible_calls.SEGMENTS,
        "fastbleu.nltk.corpus_bleu(references, hypotheses, [(0.5, 0.5), (0.2,) * 5])",
        "fastbleu.nltk.corpus_bleu([[words[:50]]], [words[4:44]])",
    ),
    # ---- long texts
    # Of as many tokens as interruptible_calls.py has the list alone takes longer to give back.
    "tokens of a long line": LongCall(
        'line = " ".join(words * 15_000)', "fastbleu.tokenize(line)", span=0.5
    ),
    "a line with entities": LongCall(LONG_TEXT.format("&amp;"), "fastbleu.tokenize(line)"),
    "a line of wide characters": LongCall(
        LONG_TEXT.format("слово 字"), "BLEU().score([line], [line])"
    ),
    "a line of wide characters with entities": LongCall(
        LONG_TEXT.format("слово 字 &amp;"), "BLEU().score([line], [line])"
    ),
    "a line of emoji for zh": LongCall(
        LONG_TEXT.format("слово 字 \U0001f600"), 'BLEU(tokenize="zh").score([line], [line])'
    ),
    "a line of different words": LongCall(
        'line = " ".join([f"w{n}" for n in range(5_000_000)])', "BLEU().score([line], [line])"
    ),
    "a line of characters": LongCall(
        LONG_TEXT.format("x"), 'BLEU(tokenize="char").score([line], [line])'
    ),
    "a lowercased line": LongCall(
        LONG_TEXT.format("Ж"), 'BLEU(tokenize="intl", lowercase=True).score([line], [line])'
    ),
    "sacreBLEU's streams": LongCall(
        interruptible_calls.LINES,
        "sb.corpus_bleu(lines, [lines] * 4)",
        "sb.corpus_bleu([text], [[other_text]])",
    ),
    "a tokenizer of the user's": LongCall(
        interruptible_calls.LINES, "BLEU(tokenize=str.split).score(lines, lines)"
    ),
    # ---- rows
    "sentence_scores of many rows": LongCall(
        STATS, "fastbleu.dialects.SACREBLEU.sentence_scores(stats)", "stats[:3], len(stats)"
    ),
    "nltk's scores of many rows": LongCall(
        STATS, "fastbleu.dialects.NLTK.sentence_scores(stats)", "stats[:3], len(stats)"
    ),
    "intervals of many rows": LongCall(
        STATS, "significance.bootstrap(stats, samples=9)", "stats[:3], len(stats)"
    ),
    "a paired bootstrap": LongCall(
        interruptible_calls.MANY_ROWS, "fastbleu.significance.paired_bootstrap(stats, [stats] * 3)"
    ),
    "a paired bootstrap as sacreBLEU does it": LongCall(
        interruptible_calls.MANY_ROWS,
        'fastbleu.significance.paired_bootstrap(stats, [stats] * 3, compatible="sacrebleu")',
    ),
    # ---- many against many
    "matrix.pairwise": pooled("pairwise", "pool, pool"),
    "matrix.pairwise into out=": LongCall(
        POOL + "out = numpy.empty((len(pool),) * 2)",
        "matrix.pairwise(pool, pool, out=out)",
        SMALL_POOL.format("pairwise"),
    ),
    "matrix.iter_blocks": pooled("iter_blocks", "pool, pool, rows=500"),
    "matrix.mbr": pooled("mbr", "pool", "(pool[:20])"),
    "matrix.mbr with expected counts": pooled("mbr", "pool * 9, aggregate=True", "(pool[:20])"),
    "matrix.mbr of long sentences": LongCall(
        interruptible_calls.LONG, "matrix.mbr([long, *other], tokenize=None, aggregate=True)"
    ),
    "matrix.self_bleu": pooled(
        "self_bleu", 'pool * 9, tokenize="13a"', '(pool[:20], tokenize="13a").values'
    ),
    "self-BLEU of short sentences": LongCall(
        "short = [words[n % 690 : n % 690 + 3] for n in range(1_000_000)]",
        "matrix.self_bleu(short, range(1, 9), tokenize=None)",
        span=3.0,
    ),
    "matrix.ReferenceIndex": pooled(
        "ReferenceIndex", "pool * 9", "(pool[:20]).sentence_scores(pool[:3])"
    ),
    "a ReferenceIndex of ids": with_ids(
        (1_000_000, 30), "matrix.ReferenceIndex(ids, tokenize=None)", span=2.0
    ),
    "a ReferenceIndex of different tokens": LongCall(
        "parts = [[f'w{n + k}' for k in range(5)] for n in range(0, 5_000_000, 5)]",
        "matrix.ReferenceIndex(parts, tokenize=None)",
        span=2.5,
    ),
    "a ReferenceIndex of long sentences": LongCall(
        interruptible_calls.LONG, "matrix.ReferenceIndex([long, *other], tokenize=None)"
    ),
    "a ReferenceIndex with a late token of another kind": LongCall(
        'tokens = [f"token {n}" for n in range(1_000_000)]\n'
        "parts = [*(tokens[n : n + 25] for n in range(0, 1_000_000, 25)), [1.5]]",
        "index = matrix.ReferenceIndex(parts, tokenize=None)\n"
        "try: index.save(path)\n"
        "except ValueError: pass",
        "os.listdir(directory), metric_says()",
        span=3.0,
    ),
    "ReferenceIndex.save": LongCall(
        IDS.format(shape=(1_000_000, 12), largest=32_000, kind="int32")
        + "pool = ids[:20]\nindex = matrix.ReferenceIndex(ids, tokenize=None)\n"
        "smaller = matrix.ReferenceIndex(pool, tokenize=None)\nsmaller.save(path)",
        "for _ in range(9): index.save(path)",
        SAVED,
        span=0.5,
    ),
    "ReferenceIndex.load with many tokens": LongCall(
        'index = matrix.ReferenceIndex([f"w{n} token{n}" for n in range(1_000_000)])\n'
        "pool = ['w1 token1', 'w5 token6', 'w9 w8']\nsmaller = index\nindex.save(path)",
        "for _ in range(9): matrix.ReferenceIndex.load(path)",
        SAVED,
        span=0.5,
    ),
    "ReferenceIndex.sentence_scores": LongCall(
        INDEX, "index.sentence_scores(pool * 50)", "index.sentence_scores(pool[:3])"
    ),
    "ReferenceIndex.score in two threads": LongCall(
        INDEX.replace("(pool)", "(pool, threads=2)"),
        "index.score(pool * 50)",
        "index.sentence_scores(pool[:3])",
    ),
}


def longest_gap(call: CodeType, space: dict[str, object], seconds: float) -> float:
    """The longest time, in seconds of the main thread, for which a call did not hear signals.

    What is left of it after so many seconds is not looked at.
    """
    start = time.monotonic()
    last, longest, stopped = time.thread_time(), 0.0, False

    def tick(number: int, frame: object) -> None:
        nonlocal last, longest, stopped
        now = time.thread_time()
        last, longest = now, max(longest, now - last)
        if not stopped and time.monotonic() - start > seconds:
            stopped = True
            raise KeyboardInterrupt

    # As SIGINT it goes to the main thread; signals of the other timers go to the one that computes.
    signal.signal(signal.SIGALRM, tick)
    with suppress(KeyboardInterrupt):
        signal.setitimer(signal.ITIMER_REAL, 0.005, 0.005)
        exec(call, space)
    stopped = True
    signal.setitimer(signal.ITIMER_REAL, 0)
    return max(longest, time.thread_time() - last)


def serve(name: str) -> None:
    """Call for each line that is read, and say how it ended, when, and whether all is right."""
    it = CALLS[name]
    space: dict[str, object] = {}
    armed = False

    def interrupt(number: int, frame: object) -> None:
        if armed:
            raise KeyboardInterrupt

    signal.signal(signal.SIGINT, interrupt)
    exec(PREPARATIONS + ONE_METRIC + it.setup, space)
    call, after = compile(it.call, name, "exec"), compile(it.after, f"after {name}", "eval")
    before = plain(eval(after, space))
    print("ready", flush=True)
    for line in sys.stdin:  # "go", or "gap SECONDS"
        if line.startswith("gap "):
            print(longest_gap(call, space, float(line[4:])), flush=True)
            continue
        ended = "finished"
        try:
            print("started", flush=True)
            try:
                armed = True
                exec(call, space)
            finally:
                armed = False
        except KeyboardInterrupt:
            ended = "interrupted"
        except BaseException as error:
            ended = f"raised {error!r}"
        # What the call had in memory is free by now, which is a part of being stopped.
        at = time.monotonic()
        state = plain(eval(after, space))
        right = state == before or ended == "finished"
        verdict = "right" if right else f"wrong: {state} in place of {before}"
        print(f"{ended}\t{at}\t{verdict!r}", flush=True)
        if ended == "finished":  # it has changed what it is there to change
            exec(it.setup, space)
    __import__("shutil").rmtree(space["directory"], ignore_errors=True)


if __name__ == "__main__":
    serve(sys.argv[1])
