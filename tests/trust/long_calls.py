"""Long calls to be interrupted by Ctrl-C, and the process in which tests do so.

Blocks as in entry_points.py, of which the first expression is the long call. The second expression
must have the same value before the call and after its interruption: the state of the objects, and
the result of the same entry point for small input; by default it is `metric_says()`. A call is
interrupted within as many seconds from its start as follow its name, or within one.
"""

from __future__ import annotations

import re
import signal
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from types import CodeType
from typing import Any

from trust.entry_points import blocks_of, plain

# All blocks see these names. The first calls load what extension modules load when they are first
# used, because these lose a Ctrl-C that comes while they are loaded.
PREPARATIONS = """
import copy, os, random, tempfile
import numpy
import fastbleu
from fastbleu import *
from fastbleu import sacrebleu as sb
from fastbleu.dialects import *
from fastbleu.matrix import *
from fastbleu.significance import *
words = [f"word{n}" for n in range(700)]
text, other_text = " ".join(words[:60]), " ".join(words[9:80])
directory = tempfile.mkdtemp(prefix="fastbleu-trust-")
path = os.path.join(directory, "file")
bootstrap(Stats(numpy.full((9, 10), 30)), samples=2)
paired_approximate_randomization(Stats.zeros(4), [Stats.zeros(4)] * 2, trials=2)

def metric_says():
    small = BLEU(tokenize=None).score([words[:40]], [[words[:30]]])
    return small, BLEU().sentence_scores([text], [other_text]), tokenize(text)[:7]

def segments():
    hypotheses = [(words * 3)[n:n + 300] for n in range(1000)] * 1000
    return hypotheses, [[words * 2] * 4] * 1_000_000

def long_segment():
    return words * 7_500, [words * 7_499 + words[::-1]] * 2

def rows(number):
    return Stats(numpy.full((number, 10), 30))

def lists():
    return [random.choices(words, k=60) for _ in range(3000)] * 300

def texts():
    return [" ".join((words * 2)[n % 311 : n % 311 + 60]) + f" {n}" for n in range(20_000)]

def ids_of(shape, largest=32_000, kind="int32"):
    return numpy.random.default_rng(7).integers(0, largest, shape, kind)

def of_small_ids(ids):
    flat = ids.reshape(-1)[None]
    return BLEU(tokenize=None).score(flat[:, :40], flat[:, 2:42])

def reversed_row(ids, **options):
    return BLEU(tokenize=None, **options).score(ids[None], ids[None, ::-1])

def with_rest(rest):
    return (" ".join(words) + " " + rest) * 8_000

def used(**options):
    # A metric that has counted something before.
    metric = BLEU(tokenize=None, **options)
    metric.update([words], [[words[:40]]])
    return metric

def exhaust(some):
    for _ in some: pass

"""
# Those that tests/runtime/test_signals.py interrupts in every run of the tests.
OF_EVERY_RUN = """
count | hypotheses, references = segments(); count(hypotheses, references)
count in two threads | hypotheses, references = segments(); count(hypotheses, references, threads=2)
corpus_bleu | hypotheses, references = segments(); corpus_bleu(references, hypotheses)
a long segment | long, other = long_segment(); count([long] * 4, [other] * 4, 8)
a long sentence_bleu | long, other = long_segment(); sentence_bleu(other * 4, long)
a long modified_precision | long, other = long_segment(); modified_precision(other * 4, long, 4)
a million references | many = [words[:60]] * 3_000_000; sentence_bleu(many, words[:60])
raw text | lines = [text] * 3_000_000; count(lines, lines, tokenize='13a')
raw text in two threads | lines = [text] * 9_000_000; BLEU(threads=2).score(lines, lines)
a long line | line = " ".join(words * 100_000); count([line] * 2, [line] * 2, tokenize='13a')
tokens of a long line | line = " ".join(words * 15_000); exhaust(tokenize(line) for _ in range(20))
tokens of other kinds | objects = [1.5] + words * 15_000; count([objects] * 2, [[objects]] * 2)
self-BLEU | some = lists(); self_bleu(some, range(1, 9))
self-BLEU of a long sentence | self_bleu([words * 5_000] * 3, range(1, 20))
an index | some = lists() * 3; ReferenceIndex(some, tokenize=None, max_order=8)
queries of an index | some = lists(); index = ReferenceIndex(some[:3000], tokenize=None, threads=2)
    index.score(some * 20)
bootstrap | stats = rows(1000); bootstrap(stats, samples=10**7)
bootstrap of many rows | stats = rows(1_000_000); bootstrap(stats, samples=10**7)
shuffling | stats = rows(1000); paired_approximate_randomization(stats, [stats] * 2, trials=10**7)
shuffling of many rows
    stats = rows(1_000_000); paired_approximate_randomization(stats, [stats] * 2, trials=10**7)
all pairs | pool = texts(); exhaust(iter_blocks(pool, pool))
all pairs in two threads | pool = texts(); exhaust(iter_blocks(pool, pool, threads=2))
MBR decoding | pool = texts(); mbr(pool)
pairs of long sentences
    long, other = long_segment(); pairwise([long] * 3, other, tokenize=None, max_order=8)
BLEU.update of ids | ids, metric = ids_of((2_000_000, 64)), used()
    metric.update(ids, ids[::-1]); metric, metric.state, metric.compute()
ids in two threads | ids = ids_of((2_000_000, 64))
    BLEU(tokenize=None, threads=2).sentence_scores(ids, ids[::-1]); of_small_ids(ids)
one row of small ids | ids = ids_of(20_000_000); reversed_row(ids); of_small_ids(ids)
a ReferenceIndex of ids (2.0 s)
    ids = ids_of((1_000_000, 30)); ReferenceIndex(ids, tokenize=None); of_small_ids(ids)
an index of texts | ReferenceIndex([text] * 3_000_000)
an index of texts that a function splits | ReferenceIndex([text] * 3_000_000, tokenize=str.split)
an index of one text | line = " ".join(words * 30_000); ReferenceIndex([line])
queries of an index by long lists
    index = ReferenceIndex([words], tokenize=None); index.score([[0.5, *words * 8_000]] * 60)
"""
OTHERS = """
BLEU.update | (hypotheses, references), metric = segments(), used()
    metric.update(hypotheses, references); metric, metric.state, metric.compute()
BLEU.update that keeps segments
    (hypotheses, references), metric = segments(), used(keep_segments=True)
    metric.update(hypotheses, references); metric, metric.state, metric.compute()
BLEU.update in two threads | (hypotheses, references), metric = segments(), used(threads=2)
    metric.update(hypotheses, references); metric, metric.state, metric.compute()
sentence_scores of ids | ids = ids_of((2_000_000, 64))
    BLEU(tokenize=None).sentence_scores(ids, ids[::-1]); of_small_ids(ids)
one row of large ids
    ids = ids_of(10_000_000, 2**40, "int64"); reversed_row(ids); of_small_ids(ids)
one row of unsigned ids
    ids = ids_of(20_000_000, 2**40, "uint64"); reversed_row(ids); of_small_ids(ids)
one row of ids with a stop and a mask | ids = ids_of(20_000_000)
    BLEU(tokenize=None, stop_id=-1, ignore_ids=(5, 9), skip_ids=(7,)).score(
        ids[None], ids[None, ::-1], hypothesis_mask=ids[None] > 9, reference_mask=ids[None] > 9)
    of_small_ids(ids)
one list of ids
    listed = list(range(5_000_000)); BLEU(tokenize=None, skip_ids=(7,)).score([listed], [[listed]])
arrays of ids one by one (0.5 s) | ids = ids_of((500_000, 20))
    BLEU(tokenize=None).score(list(ids), [[row] for row in ids]); of_small_ids(ids)
3 million different tokens
    tokens = [f"w{n}" for n in range(3_000_000)]; other = [tokens[::-1]]; count([tokens], [other])
5 million whole numbers
    tokens = list(range(5_000_000)); other = [tokens[::-1]]; count([tokens], [other])
sentence_bleu of 10 million tokens | long = words * 15_000; other = [words[::-1] * 15_000]
    sentence_bleu(other, long); sentence_bleu([words[:50]], words[4:44]), metric_says()
nltk's corpus_bleu | hypotheses, references = segments()
    corpus_bleu(references, hypotheses, [(0.5, 0.5), (0.2,) * 5])
    corpus_bleu([[words[:50]]], [words[4:44]])
tokens of a long line, once (0.5 s) | line = " ".join(words * 15_000); tokenize(line)
a line with entities | line = with_rest("&amp;"); tokenize(line)
a line of wide characters | line = with_rest("слово 字"); BLEU().score([line], [line])
a line of wide characters with entities
    line = with_rest("слово 字 &amp;"); BLEU().score([line], [line])
a line of emoji for zh
    line = with_rest("слово 字 \U0001f600"); BLEU(tokenize="zh").score([line], [line])
a line of different words
    line = " ".join([f"w{n}" for n in range(5_000_000)]); BLEU().score([line], [line])
a line of characters | line = with_rest("x"); BLEU(tokenize="char").score([line], [line])
a lowercased line
    line = with_rest("Ж"); BLEU(tokenize="intl", lowercase=True).score([line], [line])
sacreBLEU's streams | lines = [text] * 3_000_000
    sb.corpus_bleu(lines, [lines] * 4); sb.corpus_bleu([text], [[other_text]])
a tokenizer of the user's | lines = [text] * 3_000_000; BLEU(tokenize=str.split).score(lines, lines)
sentence_scores of many rows
    stats = rows(3_000_000); SACREBLEU.sentence_scores(stats); stats[:3], len(stats)
nltk's scores of many rows
    stats = rows(3_000_000); NLTK.sentence_scores(stats); stats[:3], len(stats)
intervals of many rows | stats = rows(3_000_000); bootstrap(stats, samples=9); stats[:3], len(stats)
a paired bootstrap | stats = rows(1_000_000); paired_bootstrap(stats, [stats] * 3)
matrix.pairwise | pool = texts(); pairwise(pool, pool); pairwise(pool[:20], pool[:9])
matrix.pairwise into out= | pool = texts(); out = numpy.empty((len(pool),) * 2)
    pairwise(pool, pool, out=out); pairwise(pool[:20], pool[:9])
matrix.iter_blocks | pool = texts()
    exhaust(iter_blocks(pool, pool, rows=500)); list(iter_blocks(pool[:20], pool[:9]))
matrix.mbr | pool = texts(); mbr(pool); mbr(pool[:20])
matrix.mbr with expected counts | pool = texts(); mbr(pool * 9, aggregate=True); mbr(pool[:20])
matrix.mbr of long sentences
    long, other = long_segment(); mbr([long, *other], tokenize=None, aggregate=True)
matrix.nearest
    pool = texts(); nearest(pool * 3, pool * 3); nearest(pool[:20], pool[:9], 2)
matrix.PairIndex of long sentences
    long, other = long_segment(); PairIndex([long, *other], tokenize=None, max_order=1)
matrix.duplicates | pool = texts(); duplicates(pool, 99); duplicates(pool[:20], 20)
matrix.self_bleu
    pool = texts(); self_bleu(pool * 9, tokenize="13a"); self_bleu(pool[:20], tokenize="13a").values
self-BLEU of short sentences (3.0 s)
    short = [words[n % 690 : n % 690 + 3] for n in range(1_000_000)]
    self_bleu(short, range(1, 9), tokenize=None)
matrix.ReferenceIndex
    pool = texts(); ReferenceIndex(pool * 9); ReferenceIndex(pool[:20]).sentence_scores(pool[:3])
a ReferenceIndex of different tokens (2.5 s)
    parts = [[f'w{n + k}' for k in range(5)] for n in range(0, 5_000_000, 5)]
    ReferenceIndex(parts, tokenize=None)
a ReferenceIndex of long sentences
    long, other = long_segment(); ReferenceIndex([long, *other], tokenize=None)
a ReferenceIndex with a late token of another kind (3.0 s)
    tokens = [f"token {n}" for n in range(1_000_000)]
    parts = [*(tokens[n : n + 25] for n in range(0, 1_000_000, 25)), [1.5]]
    ReferenceIndex(parts, tokenize=None); metric_says()
copies of a ReferenceIndex (0.5 s)
    index = ReferenceIndex([f"w{n} token{n}" for n in range(500_000)])
    [copy.copy(index) for _ in range(9)]; index.sentence_scores(['w1 token1', 'w5 token6', 'w9 w8'])
ReferenceIndex.sentence_scores | pool = texts(); index = ReferenceIndex(pool)
    index.sentence_scores(pool * 50); index.sentence_scores(pool[:3])
ReferenceIndex.score in two threads | pool = texts(); index = ReferenceIndex(pool, threads=2)
    index.score(pool * 50); index.sentence_scores(pool[:3])
"""


@dataclass(frozen=True)
class LongCall:
    """`span`: the seconds from its start within which a call is interrupted."""

    code: CodeType
    span: float

    def prepare(self, space: dict[str, Any]) -> tuple[Callable[[], object], Callable[[], object]]:
        """The call, and what must be the same after it."""
        if "words" not in space:
            exec(PREPARATIONS, space)
        exec(self.code, space)
        call, after = [*space["CALLS"], space["metric_says"]][:2]
        return call, after


def calls_of(source: str) -> dict[str, LongCall]:
    found = {}
    for header, code, _ in blocks_of(source):
        name, span = re.fullmatch(r"(.*?)(?: \((\S+) s\))?", header).groups()  # type: ignore[union-attr]
        found[name] = LongCall(code, float(span or 1))
    return found


CALLS_OF_EVERY_RUN = calls_of(OF_EVERY_RUN)
CALLS = CALLS_OF_EVERY_RUN | calls_of(OTHERS)


def longest_gap(call: Callable[[], object], seconds: float) -> float:
    """The longest time, in seconds of the main thread, for which a call did not hear signals.

    What is left of it after `seconds` is not looked at.
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
        call()
        stopped = True  # here, because a tick just after the call may still raise
    signal.setitimer(signal.ITIMER_REAL, 0)
    return max(longest, time.thread_time() - last)


def serve() -> None:
    """Do what each line says that is read: ``prepare NAME`` of a call, ``gap SECONDS``, or ``go``:
    call, and say how it ended, when, and whether all is right."""
    space: dict[str, Any] = {}
    armed = False
    name, call, after, before = "", list, list, ""

    def interrupt(number: int, frame: object) -> None:
        if armed:
            raise KeyboardInterrupt

    signal.signal(signal.SIGINT, interrupt)
    for line in sys.stdin:
        word, _, rest = line.strip().partition(" ")
        if word == "prepare":
            name = rest
            call, after = CALLS[name].prepare(space)
            before = plain(after())
            print("ready", flush=True)
            continue
        if word == "gap":
            print(longest_gap(call, float(rest)), flush=True)
            continue
        ended = "finished"
        try:
            print("started", flush=True)
            try:
                armed = True
                call()
            finally:
                armed = False
        except KeyboardInterrupt:
            ended = "interrupted"
        except BaseException as error:
            ended = f"raised {error!r}"
        # What the call had in memory is free by now, which is a part of being stopped.
        at = time.monotonic()
        state = plain(after())
        right = state == before or ended == "finished"
        verdict = "right" if right else f"wrong: {state} in place of {before}"
        print(f"{ended}\t{at}\t{verdict!r}", flush=True)
        if ended == "finished":  # it has changed what it is there to change
            call, after = CALLS[name].prepare(space)


if __name__ == "__main__":
    serve()
