"""The benchmark cases: workloads x libraries, as data.

A case is a workload, one adapter per library, the library whose result is the truth, the library
that the ratio is against, and its goals: the floor bar and the aim.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import adapters
import workloads
from adapters import Adapter
from checks import count_plainly, differing, rows_equal
from workloads import Corpus, Work

SUBJECT = "fastbleu"


@dataclass(frozen=True)
class Goal:
    """A bar and an aim for one quantity: at least, or (``at_most``) at most.

    ``quantity`` is a key of what a case reached: ``ratio`` (peer's time / fastbleu's),
    ``slowdown`` (fastbleu's / peer's), ``microseconds`` (fastbleu's, a call), ``milliseconds``,
    ``megabytes``.
    """

    quantity: str
    bar: float
    aim: float | None = None
    at_most: bool = False

    def verdict(self, value: float) -> str:
        """Say how `value` stands to the goal: ``aim reached``, ``bar met`` or ``missed``."""

        def reaches(limit: float) -> bool:
            return value <= limit if self.at_most else value >= limit

        if self.aim is not None and reaches(self.aim):
            return "aim reached"
        return "bar met" if reaches(self.bar) else "missed"


@dataclass(frozen=True)
class Case:
    """One workload and the libraries that run it.

    Parameters
    ----------
    select
        Corpus (all segments) and `segments` -> the corpus of this case, made once.
    fresh
        That corpus -> the hypotheses and references that every library runs on. Made anew for
        each timed run, and not timed.
    adapters
        Name of a library -> its adapter. The ratio is `peer` against ``fastbleu``.
    truth
        A library of `adapters`, or a function of the two arguments that computes the expected
        result slowly.
    equal
        ``equal(result, expected)`` -> empty text if they are the same, else what differs.
    unchecked
        Library -> why its result is not compared.
    per_call
        The result is a list with one score per call: report the time of one call.
    """

    name: str
    title: str
    segments: int
    fresh: Callable[[Corpus], Work]
    adapters: dict[str, Adapter]
    peer: str
    truth: str | Callable[[list, list], object]
    goals: tuple[Goal, ...] = ()
    select: Callable[[Corpus, int], Corpus] = Corpus.take
    equal: Callable[..., str] = differing
    unchecked: dict[str, str] = field(default_factory=dict)
    per_call: bool = False
    rounds: int = 7


def _both(adapter: Callable[..., Adapter], *arguments) -> dict[str, Adapter]:
    return {
        "nltk": adapter(adapters.nltk_module, *arguments),
        SUBJECT: adapter(adapters.fastbleu_module, *arguments),
    }


def _sentence_case(name: str, title: str, method: int | None, **options) -> Case:
    goals = (Goal("ratio", 100, 200), Goal("microseconds", 1, at_most=True))
    return Case(
        name=name,
        title=title,
        segments=400,
        adapters=_both(adapters.sentence_bleu, method),
        peer="nltk",
        truth="nltk",
        goals=goals if method is None or method <= 4 else (),
        per_call=True,
        rounds=11,
        **{"fresh": workloads.split_fresh, "select": _of_25_tokens, **options},
    )


def _of_25_tokens(corpus: Corpus, segments: int) -> Corpus:
    return workloads.segments_of_length(corpus, 25).take(segments)


def _of_25_tokens_matched(corpus: Corpus, segments: int) -> Corpus:
    return workloads.matched_segments(workloads.segments_of_length(corpus, 25)).take(segments)


def _of_1000_tokens(corpus: Corpus, segments: int) -> Corpus:
    return workloads.long_segments(corpus.take(segments), 1000)


def _scattered(corpus: Corpus, segments: int) -> Corpus:
    """Take segments from all over the corpus, so that they are unlike the first references."""
    return Corpus(
        corpus.hypotheses[:: max(1, len(corpus) // segments)][:segments],
        corpus.references,
        corpus.source,
    )


CASES: tuple[Case, ...] = (
    *(
        Case(
            name=f"corpus-{kind}",
            title=f"corpus_bleu, {tokens}",
            segments=20_000,
            fresh=fresh,
            adapters=_both(adapters.corpus_bleu),
            peer="nltk",
            truth="nltk",
            goals=(goal,),
        )
        for kind, tokens, fresh, goal in (
            ("fresh", "freshly split tokens", workloads.split_fresh, Goal("ratio", 70, 120)),
            ("hashed", "tokens already hashed", workloads.split_hashed, Goal("ratio", 90, 150)),
            ("interned", "interned tokens", workloads.split_interned, Goal("ratio", 90, 150)),
        )
    ),
    Case(
        name="corpus-long",
        title="corpus_bleu, segments of 1,000 tokens, freshly split",
        segments=20_000,
        select=_of_1000_tokens,
        fresh=workloads.split_fresh,
        adapters=_both(adapters.corpus_bleu),
        peer="nltk",
        truth="nltk",
        goals=(Goal("ratio", 35, 80),),
    ),
    _sentence_case(
        "sentence",
        "sentence_bleu, 25 tokens, no smoothing, all orders matched",
        None,
        select=_of_25_tokens_matched,
    ),
    _sentence_case(
        "sentence-interned",
        "same, interned tokens",
        None,
        select=_of_25_tokens_matched,
        fresh=workloads.split_interned,
    ),
    _sentence_case(
        "sentence-warning",
        "sentence_bleu, 25 tokens, no smoothing, as they come (some warn)",
        None,
    ),
    *(
        _sentence_case(
            f"sentence-method{method}", f"sentence_bleu, 25 tokens, method{method}", method
        )
        for method in (0, 1, 2, 3, 4, 5, 7)
    ),
    _sentence_case(
        "sentence-method6",
        "sentence_bleu, 25 tokens, method6, all orders matched",
        6,
        select=_of_25_tokens_matched,  # method6 asserts that there are bigrams
    ),
    Case(
        name="rows",
        title="tokens to rows (stats.count), against touching every token in C",
        segments=20_000,
        fresh=workloads.split_fresh,
        adapters={"touch": adapters.touch, SUBJECT: adapters.count()},
        peer="touch",
        truth=count_plainly,
        unchecked={"touch": "the floor"},
        goals=(Goal("slowdown", 4, 2.5, at_most=True),),
        equal=rows_equal,
        rounds=11,
    ),
    Case(
        name="threads",
        title="stats.count, 2 threads against 1",
        segments=20_000,
        fresh=workloads.split_fresh,
        adapters={"1 thread": adapters.count(1), SUBJECT: adapters.count(2)},
        peer="1 thread",
        truth=count_plainly,
        equal=rows_equal,
        rounds=11,
    ),
    Case(
        name="lines-to-counts",
        title='lines to corpus statistics, sacreBLEU with tokenize="none"',
        segments=20_000,
        fresh=workloads.lines_of_text,
        adapters={
            "sacreBLEU": adapters.sacrebleu_counts,
            "torchmetrics": adapters.torchmetrics_score,
            SUBJECT: adapters.fastbleu_counts_of_lines,
        },
        peer="sacreBLEU",
        truth="sacreBLEU",
        unchecked={"torchmetrics": "other dialect"},
        rounds=3,
    ),
    Case(
        name="one-reference-set",
        title="500 hypotheses, the same 100 references, method1 (fast-bleu: all cores)",
        segments=500,
        select=_scattered,
        fresh=workloads.one_reference_set,
        adapters={**_both(adapters.sentence_bleu_one_set), "fast-bleu": adapters.fast_bleu_one_set},
        peer="fast-bleu",
        truth="nltk",
        rounds=3,
    ),
)
