"""Long calls to be interrupted by Ctrl-C, and the process in which tests do so.

A call takes what its `setup` makes. `after` must give the same before the call and after its
interruption: the state of the objects, and the result of the same entry point for small input. A
call is interrupted within `span` seconds from its start.
"""

from __future__ import annotations

import copy
import random
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy
from metrics import count
from plain import plain
from processes import end

from fastbleu import BLEU, Stats, modified_precision, sacrebleu, sentence_bleu
from fastbleu.core.scoring.sacrebleu import SACREBLEU
from fastbleu.core.scoring.scorer import Scorer
from fastbleu.matrix import (
    ReferenceIndex,
    duplicates,
    mbr,
    nearest,
    pairwise,
    pairwise_chunked,
    self_bleu,
)
from fastbleu.significance import bootstrap, compare
from fastbleu.tokenizers import tokenize
from trust.children import environment
from trust.watch import POLL, Watch

WORDS = [f"word{n}" for n in range(700)]
TOKENS = BLEU("nltk", smooth_method="floor", tokenize=False)
TEXT, OTHER_TEXT = " ".join(WORDS[:60]), " ".join(WORDS[9:80])


def shuffled(stats: Stats, trials: int) -> object:
    """Three systems compared by approximate randomization."""
    return compare(dict.fromkeys("abc", stats), trials=trials, samples=0)


def metric_says(*_: object) -> object:
    small = BLEU(tokenize=False).score([WORDS[:40]], [[WORDS[:30]]])
    return small, BLEU().sentence_scores([TEXT], [OTHER_TEXT]), tokenize(TEXT)[:7]


def segments() -> tuple[Any, Any]:
    hypotheses = [(WORDS * 3)[n : n + 300] for n in range(1000)] * 1000
    return hypotheses, [[WORDS * 2] * 4] * 1_000_000


def long_segment() -> tuple[Any, Any]:
    return WORDS * 7_500, [WORDS * 7_499 + WORDS[::-1]] * 2


def lists() -> list[list[str]]:
    return [random.choices(WORDS, k=60) for _ in range(3000)] * 300


def texts() -> list[str]:
    return [" ".join((WORDS * 2)[n % 311 : n % 311 + 60]) + f" {n}" for n in range(20_000)]


def lines() -> list[str]:
    return [TEXT] * 3_000_000


def rows(number: int) -> Callable[[], Stats]:
    return lambda: Stats(numpy.full((number, 10), 30))


def ids(shape: Any, largest: int = 32_000, kind: str = "int32") -> Callable[[], Any]:
    return lambda: numpy.random.default_rng(7).integers(0, largest, shape, kind)


def of_small_ids(some: Any) -> object:
    flat = some.reshape(-1)[None]
    return BLEU(tokenize=False).score(flat[:, :40], flat[:, 2:42])


def reversed_row(row: Any) -> object:
    return BLEU(tokenize=False).score(row[None], row[None, ::-1])


def line(number: int, rest: str = "") -> Callable[[], str]:
    return lambda: f"{' '.join(WORDS)} {rest} " * number


def used(made: Callable[[], Any], **options: Any) -> Callable[[], tuple[BLEU, Any]]:
    """A metric that has counted something before, and an input."""

    def setup() -> tuple[BLEU, Any]:
        metric = BLEU(tokenize=False, **options)
        metric.update([WORDS], [[WORDS[:40]]])
        return metric, made()

    return setup


def exhaust(some: Any) -> None:
    for _ in some:
        pass


def state(it: tuple[BLEU, Any]) -> object:
    return it[0], it[0].state, it[0].compute()


@dataclass(frozen=True)
class LongCall:
    """A call of what `setup` makes; `after` gives what must be the same after it."""

    setup: Callable[[], Any]
    call: Callable[[Any], object]
    after: Callable[[Any], object] = metric_says
    span: float = 1.0

    def prepare(self) -> tuple[Callable[[], object], Callable[[], object]]:
        """The call, and `after`.

        The first calls load what extension modules load when they are first used, because these
        lose a Ctrl-C that comes while they are loaded.
        """
        bootstrap(Stats(numpy.full((9, 10), 30)), samples=2)
        shuffled(Stats.zeros(4), trials=2)
        it = self.setup()
        return lambda: self.call(it), lambda: self.after(it)


CALLS: dict[str, LongCall] = {}


def long(name: str, *setup_and_call: Callable[..., Any], **options: Any) -> None:
    CALLS[name] = LongCall(*setup_and_call, **options)


# fmt: off
long("count", segments, lambda it: count(*it))
long("a long segment", long_segment, lambda it: count([it[0]] * 4, [it[1]] * 4, 8))
long("a sentence_bleu of 10 million tokens", lambda: (WORDS * 15_000, [WORDS[::-1] * 15_000]),
     lambda it: sentence_bleu(*it[::-1]))
long("a long modified_precision", long_segment, lambda it: modified_precision(it[1] * 4, it[0], 4))
long("pairs of long sentences", long_segment,
     lambda it: pairwise([it[0]] * 3, it[1], metric=BLEU(tokenize=False, max_ngram_order=8)))
long("a million references", lambda: [WORDS[:60]] * 3_000_000,
     lambda many: sentence_bleu(many, WORDS[:60]))
long("raw text", lines, lambda it: count(it, it, tokenize="13a"))
long("raw text in two threads", lines, lambda it: BLEU(threads=2).score(it * 3, it * 3))
long("an index of texts", lines, ReferenceIndex)
long("a long line", line(100_000), lambda it: count([it] * 2, [it] * 2, tokenize="13a"))
long("tokens of a long line", line(15_000), lambda it: exhaust(tokenize(it) for _ in range(20)))
long("tokens of other kinds", lambda: [1.5, *WORDS * 15_000],
     lambda it: count([it] * 2, [[it]] * 2))
long("self-BLEU", lists, lambda it: self_bleu(it, orders=range(1, 9), metric=TOKENS))
long("an index", lists,
     lambda it: ReferenceIndex(it * 3, metric=BLEU(tokenize=False, max_ngram_order=8)))
long("self-BLEU of a long sentence", lambda: [WORDS * 5_000] * 3,
     lambda it: self_bleu(it, orders=range(1, 20), metric=TOKENS))
long("queries of an index",
     lambda: (lists() * 20,
              ReferenceIndex(lists()[:3_000], metric=BLEU(tokenize=False, threads=2))),
     lambda it: it[1].score(it[0]))
long("bootstrap", rows(1_000), lambda it: bootstrap(it, samples=10**7))
long("shuffling", rows(1_000),
     lambda it: shuffled(it, trials=10**7))
long("shuffling of many rows", rows(1_000_000),
     lambda it: shuffled(it, trials=10**7))
long("all pairs in two threads", texts,
     lambda it: exhaust(pairwise_chunked(it, it, metric=BLEU(threads=2))))
long("MBR decoding", texts, mbr)
long("BLEU.update of ids", used(ids((2_000_000, 64))),
     lambda it: it[0].update(it[1], it[1][::-1]), after=state)
long("ids in two threads", ids((2_000_000, 64)),
     lambda it: BLEU(tokenize=False, threads=2).sentence_scores(it, it[::-1]), after=of_small_ids)
long("one row of small ids", ids(20_000_000), reversed_row, after=of_small_ids)
long("a ReferenceIndex of ids", ids((1_000_000, 30)),
     lambda it: ReferenceIndex(it, metric=BLEU(tokenize=False)), after=of_small_ids, span=2.0)
long("queries of an index by long lists",
     lambda: ReferenceIndex([WORDS], metric=BLEU(tokenize=False)),
     lambda index: index.score([[0.5, *WORDS * 8_000]] * 60))
long("one row of large ids", ids(10_000_000, 2**40, "int64"), reversed_row, after=of_small_ids)
long("one row of ids with a stop and a mask", ids(20_000_000),
     lambda it: BLEU(tokenize=False, stop_ids=-1, ignore_ids=(5, 9), skip_ids=(7,)).score(
         it[None], it[None, ::-1], hypothesis_mask=it[None] > 9, reference_mask=it[None] > 9),
     after=of_small_ids)
long("one list of ids", lambda: list(range(5_000_000)),
     lambda it: BLEU(tokenize=False, skip_ids=(7,)).score([it], [[it]]))
long("5 million whole numbers", lambda: list(range(5_000_000)),
     lambda it: count([it], [[it[::-1]]]))
long("arrays of ids one by one", ids((500_000, 20)),
     lambda it: BLEU(tokenize=False).score(list(it), [[row] for row in it]), after=of_small_ids,
     span=0.5)
long("a line with entities", line(8_000, "&amp;"), tokenize)
long("a line of wide characters with entities", line(8_000, "слово 字 &amp;"),
     lambda it: BLEU().score([it], [it]))
long("a line of different words", lambda: " ".join([f"w{n}" for n in range(5_000_000)]),
     lambda it: BLEU().score([it], [it]))
long("words for PTB", lambda: "a " * 4_000_000, lambda it: count([it], [it], tokenize="ptb"))
long("line ends for PTB", lambda: "\n" * 20_000_000, lambda it: count([it], [it], tokenize="ptb"))
long("a lowercased line", line(8_000, "Ж"),
     lambda it: BLEU(tokenize="intl", lowercase=True).score([it], [it]))
long("sacreBLEU's streams", lines, lambda it: sacrebleu.corpus_bleu(it, [it] * 4))
long("chrF's streams", lines, lambda it: sacrebleu.corpus_chrf(it, [it] * 4, word_order=2))
long("a text for chrF", line(8_000, "Ж, "),
     lambda it: sacrebleu.corpus_chrf([it], [it], word_order=2))
long("scores of many rows", rows(3_000_000), Scorer(SACREBLEU, 4).row_scores,
     after=lambda it: it[:3])
long("a paired bootstrap", rows(1_000_000),
     lambda it: compare(dict.fromkeys("abcd", it), method="bootstrap"))
long("matrix.mbr with expected counts", texts, lambda it: mbr(it * 9, aggregate=True))
long("matrix.nearest", texts, lambda it: nearest(it * 3, it * 3),
     after=lambda it: nearest(it[:20], it[:9], k=2))
long("matrix.duplicates", texts, lambda it: duplicates(it, min_score=99),
     after=lambda it: duplicates(it[:20], min_score=20))
long("self-BLEU of short sentences",
     lambda: [WORDS[n % 690 : n % 690 + 3] for n in range(1_000_000)],
     lambda it: self_bleu(it, orders=range(1, 9), metric=TOKENS), span=3.0)
long("a ReferenceIndex of different tokens",
     lambda: [[f"w{n + k}" for k in range(5)] for n in range(0, 5_000_000, 5)],
     lambda it: ReferenceIndex(it, metric=BLEU(tokenize=False)), span=2.5)
long("a ReferenceIndex with a late token of another kind",
     lambda: [[f"token {n + k}" for k in range(25)] for n in range(0, 1_000_000, 25)],
     lambda it: ReferenceIndex([*it, [1.5]], metric=BLEU(tokenize=False)), span=3.0)
long("copies of a ReferenceIndex",
     lambda: ReferenceIndex([f"w{n} token{n}" for n in range(500_000)]),
     lambda index: [copy.copy(index) for _ in range(9)],
     after=lambda index: index.sentence_scores(["w1 token1", "w5 token6", "w9 w8"]), span=0.5)
# fmt: on


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


def main(name: str) -> None:
    """Do what each line says that is read: ``gap SECONDS``, or ``go``: call, and say when it ended,
    and how, and what is wrong."""
    armed = False

    def interrupt(number: int, frame: object) -> None:
        if armed:
            raise KeyboardInterrupt

    signal.signal(signal.SIGINT, interrupt)
    call, after = CALLS[name].prepare()
    before = plain(after())
    print("ready", flush=True)
    for line in sys.stdin:
        if line.startswith("gap"):
            print(longest_gap(call, float(line.split()[1])), flush=True)
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
        # What the call had in memory is free by now, which is a part of being stopped.
        at = time.monotonic()
        state = plain(after())
        if ended != "finished" and state != before:
            ended = f"wrong: {state!r} in place of {before!r}"
        print(f"{at}\t{ended}", flush=True)
        if ended == "finished":  # it has changed what it is there to change
            call, after = CALLS[name].prepare()


class Child:
    """A process that makes one of the calls each time that it is told to."""

    def __init__(self, name: str) -> None:
        self.process: Any = subprocess.Popen(
            [sys.executable, "-W", "ignore", "-m", "trust.long_calls", name],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            bufsize=0,
            env=environment(),
            start_new_session=True,
        )

    def __enter__(self) -> Child:
        assert (said := self.line()) == "ready", said
        return self

    def __exit__(self, *raised: object) -> None:
        end(self.process)
        self.process.communicate()

    def line(self, timeout: float = 60) -> str:
        """The next line that it prints; "" where there is none in time."""
        ready = select.select([self.process.stdout], [], [], timeout)[0]
        return self.process.stdout.readline().decode(errors="replace").strip() if ready else ""

    def tell(self, words: str) -> str:
        """Its answer."""
        self.process.stdin.write(f"{words}\n".encode())
        return self.line()

    def interrupted(self, delay: float) -> float:
        """How long a call went on that was interrupted `delay` after its start, or sooner if it is
        over by then; nothing else may have gone wrong."""
        while True:
            assert self.tell("go") == "started"
            early = self.line(delay)
            if not early:
                break
            assert early.endswith("\tfinished"), early
            delay *= 0.7
            assert delay > 0.001, "the call is too short to be interrupted"
        watch, answer = Watch(self.process.pid), ""
        while not answer and time.monotonic() < watch.sent + 60:
            watch.look()
            answer = self.line(POLL)
        at, _, ended = answer.partition("\t")
        # It may have finished in the same moment.
        assert ended in ("interrupted", "finished"), ended or "it did not end within 60 s"
        return watch.latency(float(at))


if __name__ == "__main__":
    main(sys.argv[1])
