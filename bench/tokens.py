"""Lists of tokens, most of them against nltk.

``run(hypotheses, references)`` with ``references[segment][k]``.
"""

from __future__ import annotations

import importlib.util
import subprocess
import sys
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import workloads
from cases import PER_CALL, SUBJECT, Adapter, Case, Goal, NotAvailable, Prepared, imported
from checks import count_plainly, rows_equal
from workloads import Corpus, load_corpus


def count(threads: int = 1) -> Prepared:
    """Call `fastbleu.count`."""
    from fastbleu import count

    return Prepared(partial(count, threads=threads))


def corpus_bleu(module: Any) -> Prepared:
    """Score the corpus in one call."""
    score = module.corpus_bleu
    return Prepared(lambda hypotheses, references: score(references, hypotheses))


def sentence_bleu(module: Any, method: int | None) -> Prepared:
    """Score each segment by itself: `method` None is the call without a smoothing function."""
    score = module.sentence_bleu
    if method is None:
        return Prepared(
            lambda hypotheses, references: [
                score(of_segment, hypothesis)
                for of_segment, hypothesis in zip(references, hypotheses, strict=True)
            ]
        )
    smoothing = getattr(module.SmoothingFunction(), f"method{method}")
    return Prepared(
        lambda hypotheses, references: [
            score(of_segment, hypothesis, smoothing_function=smoothing)
            for of_segment, hypothesis in zip(references, hypotheses, strict=True)
        ]
    )


def sentence_bleu_one_set(module: Any) -> Prepared:
    """Score each hypothesis against all of the references."""
    score, smoothing = module.sentence_bleu, module.SmoothingFunction().method1
    return Prepared(
        lambda hypotheses, references: [
            score(references, hypothesis, smoothing_function=smoothing) for hypothesis in hypotheses
        ]
    )


def fast_bleu_one_set() -> Prepared:
    """Score each hypothesis against all of the references, which is what fast-bleu is built for."""
    from fast_bleu import BLEU

    weights = {4: (0.25, 0.25, 0.25, 0.25)}
    return Prepared(
        lambda hypotheses, references: BLEU(references, weights).get_score(hypotheses)[4]
    )


def touch() -> Prepared:
    """Compile ``touch.c`` in a temporary folder and run its function."""
    source = Path(__file__).with_name("touch.c")
    with tempfile.TemporaryDirectory() as folder:
        setup = (
            "from setuptools import Extension, setup; setup(name='touch', version='0',"
            f" py_modules=[], ext_modules=[Extension('touch', [{str(source)!r}])])"
        )
        command = [sys.executable, "-c", setup, "-q", "build_ext"]
        command += ["--build-lib", folder, "--build-temp", folder]
        built = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
        libraries = [path for path in Path(folder).glob("touch*") if path.suffix in {".so", ".pyd"}]
        if not libraries:
            raise NotAvailable(f"touch.c was not built: {built.stderr.strip()[-300:]}")
        spec = importlib.util.spec_from_file_location("touch", libraries[0])
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    return Prepared(module.touch)


def _both(adapter: Callable[..., Prepared], *arguments: Any) -> dict[str, Adapter]:
    return {
        "nltk": imported(adapter, "nltk.translate.bleu_score", *arguments),
        SUBJECT: imported(adapter, "fastbleu.nltk", *arguments),
    }


def _case(name: str, title: str, adapters: dict[str, Adapter], **options: Any) -> Case:
    defaults = {
        "segments": 20_000,
        "select": workloads.latin,
        "fresh": workloads.split_fresh,
        "peer": "nltk",
        "truth": "nltk",
    }
    return Case(name, title, adapters=adapters, **{**defaults, **options})


def _sentences(name: str, title: str, method: int | None, **options: Any) -> Case:
    goals = (Goal("ratio", 100, 200), Goal("microseconds", 1, at_most=True))
    return _case(
        name,
        title,
        _both(sentence_bleu, method),
        segments=400,
        goals=goals if method is None or method <= 4 else (),
        per=PER_CALL,
        rounds=11,
        **{"select": workloads.of_25_tokens, **options},
    )


def _of_25_tokens_matched(segments: int) -> Corpus:
    corpus = workloads.segments_of_length(load_corpus(), 25)
    return workloads.matched_segments(corpus).take(segments)


def _of_1000_tokens(segments: int) -> Corpus:
    return workloads.long_segments(workloads.latin(segments), 1000)


CASES: tuple[Case, ...] = (
    *(
        _case(
            f"corpus-{kind}",
            f"corpus_bleu, {tokens}",
            _both(corpus_bleu),
            fresh=fresh,
            goals=(goal,),
            rounds=5,
        )
        for kind, tokens, fresh, goal in (
            ("fresh", "freshly split tokens", workloads.split_fresh, Goal("ratio", 70, 120)),
            ("hashed", "tokens already hashed", workloads.split_hashed, Goal("ratio", 90, 150)),
            ("interned", "interned tokens", workloads.split_interned, Goal("ratio", 90, 150)),
        )
    ),
    _case(
        "corpus-long",
        "corpus_bleu, segments of 1,000 tokens, freshly split",
        _both(corpus_bleu),
        select=_of_1000_tokens,
        goals=(Goal("ratio", 35, 80),),
        rounds=5,
    ),
    _sentences(
        "sentence",
        "sentence_bleu, no smoothing, all orders matched",
        None,
        select=_of_25_tokens_matched,
    ),
    _sentences(
        "sentence-interned",
        "same, interned tokens",
        None,
        select=_of_25_tokens_matched,
        fresh=workloads.split_interned,
    ),
    _sentences("sentence-warning", "sentence_bleu, no smoothing, as they come (some warn)", None),
    *(
        _sentences(f"sentence-method{method}", f"sentence_bleu, method{method}", method)
        for method in (0, 1, 2, 3, 4, 5, 7)
    ),
    _sentences(
        "sentence-method6",
        "sentence_bleu, method6, all orders matched",
        6,
        select=_of_25_tokens_matched,  # method6 asserts that there are bigrams
    ),
    _case(
        "rows",
        "tokens to rows (count), against touching every token in C",
        {"touch": touch, SUBJECT: count},
        peer="touch",
        truth=count_plainly,
        unchecked={"touch": "the floor"},
        goals=(Goal("slowdown", 4, 2.5, at_most=True),),
        equal=rows_equal,
        rounds=11,
    ),
    _case(
        "threads",
        "count, 2 threads against 1",
        {"1 thread": count, SUBJECT: partial(count, 2)},
        peer="1 thread",
        truth=count_plainly,
        equal=rows_equal,
        rounds=11,
    ),
    _case(
        "one-reference-set",
        "500 hypotheses, the same 100 references, method1 (fast-bleu: all cores)",
        {**_both(sentence_bleu_one_set), "fast-bleu": fast_bleu_one_set},
        segments=500,
        select=workloads.scattered,
        fresh=workloads.one_reference_set,
        peer="fast-bleu",
        rounds=3,
    ),
)
