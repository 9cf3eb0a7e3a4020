"""The cases on token lists, most of them against nltk."""

from __future__ import annotations

from collections.abc import Callable

import adapters_nltk as adapters
import workloads
from adapters import Adapter
from cases import PER_CALL, SUBJECT, Case, Goal
from checks import count_plainly, rows_equal
from workloads import Corpus, load_corpus


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
        per=PER_CALL,
        rounds=11,
        **{"fresh": workloads.split_fresh, "select": _of_25_tokens, **options},
    )


def _latin(segments: int) -> Corpus:
    return load_corpus().take(segments)


def _of_25_tokens(segments: int) -> Corpus:
    return workloads.segments_of_length(load_corpus(), 25).take(segments)


def _of_25_tokens_matched(segments: int) -> Corpus:
    corpus = workloads.segments_of_length(load_corpus(), 25)
    return workloads.matched_segments(corpus).take(segments)


def _of_1000_tokens(segments: int) -> Corpus:
    return workloads.long_segments(_latin(segments), 1000)


def _scattered(segments: int) -> Corpus:
    return workloads.scattered(load_corpus(), segments)


CASES: tuple[Case, ...] = (
    *(
        Case(
            name=f"corpus-{kind}",
            title=f"corpus_bleu, {tokens}",
            segments=20_000,
            select=_latin,
            fresh=fresh,
            adapters=_both(adapters.corpus_bleu),
            peer="nltk",
            truth="nltk",
            goals=(goal,),
            rounds=5,
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
        rounds=5,
    ),
    _sentence_case(
        "sentence",
        "sentence_bleu, no smoothing, all orders matched",
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
        "sentence_bleu, no smoothing, as they come (some warn)",
        None,
    ),
    *(
        _sentence_case(
            f"sentence-method{method}",
            f"sentence_bleu, method{method}",
            method,
        )
        for method in (0, 1, 2, 3, 4, 5, 7)
    ),
    _sentence_case(
        "sentence-method6",
        "sentence_bleu, method6, all orders matched",
        6,
        select=_of_25_tokens_matched,  # method6 asserts that there are bigrams
    ),
    Case(
        name="rows",
        title="tokens to rows (count), against touching every token in C",
        segments=20_000,
        select=_latin,
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
        title="count, 2 threads against 1",
        segments=20_000,
        select=_latin,
        fresh=workloads.split_fresh,
        adapters={"1 thread": adapters.count(1), SUBJECT: adapters.count(2)},
        peer="1 thread",
        truth=count_plainly,
        equal=rows_equal,
        rounds=11,
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
