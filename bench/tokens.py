"""Lists of tokens, most of them against nltk: ``references[segment][k]``."""

from functools import partial
from importlib import import_module
from typing import Any

import workloads
from cases import Case, Side


def corpus_bleu(module: str) -> Side:
    def side(hypotheses, references):
        score = import_module(module).corpus_bleu
        return lambda: score(references, hypotheses)

    return side


def sentence_bleu(module: str, method: int | None = None) -> Side:
    def side(hypotheses, references):
        library = import_module(module)
        score, options = library.sentence_bleu, {}
        if method is not None:
            smoothing = getattr(library.SmoothingFunction(), f"method{method}")
            options = {"smoothing_function": smoothing}
        pairs = list(zip(references, hypotheses, strict=True))
        return lambda: [score(several, hypothesis, **options) for several, hypothesis in pairs]

    return side


def case(name: str, title: str, make: Any, **options: Any) -> Case:
    """Return a case of `make` with nltk's module and with ours."""
    defaults = {"segments": 20_000, "corpus": workloads.latin, "fresh": workloads.split_fresh}
    return Case(
        f"tokens-{name}",
        title,
        ours=make("fastbleu.nltk"),
        others={"nltk": make("nltk.translate.bleu_score")},
        **{**defaults, **options},
    )


def sentences(name: str, title: str, method: int | None = None, **options: Any) -> Case:
    defaults = {"segments": 400, "corpus": workloads.of_25_tokens, "per": "call"}
    make = partial(sentence_bleu, method=method)
    return case(f"sentence-{name}", f"`sentence_bleu`, {title}", make, **{**defaults, **options})


CASES = (
    case("corpus", "`corpus_bleu`", corpus_bleu),
    case(
        "long",
        "`corpus_bleu`, long segments",
        corpus_bleu,
        corpus=partial(workloads.long_segments, tokens=1000),
        segments=325,
    ),
    sentences("matched", "all orders matched", corpus=workloads.of_25_tokens_matched),
    sentences("warning", "some of them warn"),
    *(sentences(f"method{k}", f"method{k}", k) for k in (0, 1, 2, 3, 4, 5, 7)),
    # method6 asserts that there are bigrams
    sentences("method6", "method6", 6, corpus=workloads.of_25_tokens_matched),
)
