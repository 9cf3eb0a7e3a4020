"""The originals whose results are recorded, each as it is called: see tools/record.py.

A function returns, by variant, calls with hypotheses and references: `corpus` for their score,
`sentences` for a list with that of each segment. PyPI's packages are downloaded, and files of them
are loaded alone (tools/packages.py). All were run on Python 3.11.
"""

from __future__ import annotations

import asyncio
import ctypes
import functools
import operator
import os
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

from packages import Stub, load, nltk_data, unpacked

Call = Callable[[list[str], list[list[str]]], Any]
Variants = dict[str, dict[str, Call]]


class Original(NamedTuple):
    make: Callable[..., Variants]
    of_dialects: bool
    needs_source: bool


ORIGINALS: dict[str, Original] = {}


def original(name: str, dialect: bool = False, source: bool = False) -> Any:
    """Register a function: of a dialect, or of a recipe; with a checkout as its argument."""

    def add(make: Callable[..., Variants]) -> Callable[..., Variants]:
        ORIGINALS[name] = Original(make, dialect, source)
        return make

    return add


def one_file(name: str, requirement: str, *modules: str, **options: Any) -> Any:
    """The first of these modules of a package, the others beside it; all else is a stub."""
    return load(unpacked(requirement), *modules, **options)


def split(texts: list[str]) -> list[list[str]]:
    return [text.split() for text in texts]


def split_all(references: list[list[str]]) -> list[list[list[str]]]:
    return [split(golds) for golds in references]


def firsts(references: list[list[str]]) -> list[str]:
    return [golds[0] for golds in references]


def outcome(score: Callable[..., Any], *arguments: Any) -> Any:
    try:
        return score(*arguments)
    except Exception as error:
        return {"error": f"{type(error).__name__}: {error}"}


def each(score: Callable[[str, list[str]], Any]) -> Call:
    """A list with the score of each segment, or its error."""
    return lambda texts, golds: [outcome(score, *pair) for pair in zip(texts, golds, strict=True)]


def total(scores: list[float]) -> float:
    """The sum from left to right, which sum() is not from Python 3.12 on."""
    return functools.reduce(operator.add, scores, 0)


def mean(scores: list[float]) -> float:
    return total(scores) / len(scores)


def averaged(score: Callable[[str, list[str]], Any], average: Any = mean) -> dict[str, Call]:
    """The calls of an original that scores segments."""
    return {
        "sentences": each(score),
        "corpus": lambda texts, golds: average(list(map(score, texts, golds))),
    }


def both(score: Call) -> dict[str, Call]:
    """The calls of an original that scores a segment as a corpus of one."""
    return {"corpus": score, "sentences": each(lambda text, golds: score([text], [golds]))}


@original("nltk", dialect=True)
def nltk() -> Variants:
    from nltk.translate.bleu_score import corpus_bleu

    return {"nltk": {"corpus": lambda texts, golds: corpus_bleu(split_all(golds), split(texts))}}


@original("sacrebleu", dialect=True)
def sacrebleu() -> Variants:
    from sacrebleu import corpus_bleu

    def score(texts: list[str], golds: list[list[str]]) -> float:
        return corpus_bleu(texts, list(zip(*golds, strict=True))).score

    return {"sacrebleu": {"corpus": score}}


@original("torchmetrics", dialect=True)
def torchmetrics() -> Variants:
    from torchmetrics.functional.text import bleu_score

    return {
        "torchmetrics": {"corpus": bleu_score},
        "torchmetrics smooth": {"corpus": lambda *texts: bleu_score(*texts, smooth=True)},
    }


@original("torcheval", dialect=True)
def torcheval() -> Variants:
    from torcheval.metrics.functional import bleu_score

    return {"torcheval 0.0.7": {"corpus": bleu_score}}


@original("torchtext", dialect=True)
def torchtext() -> Variants:
    names = "torchtext.data.metrics", "torchtext.data.utils"
    bleu_score = load(unpacked("torchtext==0.18.0"), *names).bleu_score
    return {
        "torchtext": {"corpus": lambda texts, golds: bleu_score(split(texts), split_all(golds))}
    }


@original("bleuscore", dialect=True)
def bleuscore() -> Variants:
    sys.path.append(str(unpacked("bleuscore==0.2.0")))
    from bleuscore import compute

    def score(texts: list[str], golds: list[list[str]], smooth: bool = False) -> float:
        return compute(references=golds, predictions=texts, smooth=smooth)["bleu"]

    return {
        "bleuscore": {"corpus": score},
        "bleuscore smooth": {"corpus": functools.partial(score, smooth=True)},
    }


@original("pycocoevalcap", dialect=True)
def pycocoevalcap() -> Variants:
    sys.path.append(str(unpacked("pycocoevalcap==1.2")))
    from pycocoevalcap.bleu.bleu import Bleu
    from pycocoevalcap.bleu.bleu_scorer import BleuScorer

    def scores(texts: list[str], golds: list[list[str]], which: int) -> list[Any]:
        results = {number: [text] for number, text in enumerate(texts)}
        return Bleu(4).compute_score(dict(enumerate(golds)), results, verbose=0)[which]

    def by_length(option: str, which: int) -> Call:
        def score(texts: list[str], golds: list[list[str]]) -> list[Any]:
            scorer = BleuScorer(n=4)
            for pair in zip(texts, golds, strict=True):
                scorer += pair
            return scorer.compute_score(option=option)[which]

        return score

    corpus, sentences = (functools.partial(scores, which=which) for which in (0, 1))
    return {
        "coco": {"corpus": corpus, "sentences": sentences},
        "coco shortest": {
            "corpus": by_length("shortest", 0),
            "sentences": by_length("shortest", 1),
        },
        "coco average": {"corpus": by_length("average", 0)},
    }


@original("codebleu", dialect=True)
def codebleu() -> Variants:
    folder = unpacked("codebleu==0.7.0")
    names = "codebleu.weighted_ngram_match", "codebleu.utils", "codebleu.bleu"
    weighted, plain = load(folder, *names), load(folder, "codebleu.bleu")
    keywords = (folder / "codebleu" / "keywords" / "python.txt").read_text("utf-8").split()

    def weigh(tokens: list[str]) -> list[Any]:
        return [tokens, {token: 1 if token in keywords else 0.2 for token in tokens}]

    def of_keywords(texts: list[str], golds: list[list[str]]) -> float:
        weights = [[weigh(tokens) for tokens in several] for several in split_all(golds)]
        return weighted.corpus_bleu(weights, split(texts))

    def score(texts: list[str], golds: list[list[str]]) -> float:
        return plain.corpus_bleu(split_all(golds), split(texts))

    return {
        "codebleu-ngram": {"corpus": score},
        "codebleu-weighted python 0.7.0": {"corpus": of_keywords},
    }


@original("tensor2tensor", dialect=True)
def tensor2tensor() -> Variants:
    names = "tensor2tensor.utils.bleu_hook", "tensor2tensor.data_generators.text_encoder"
    hook = load(unpacked("tensor2tensor==1.15.7"), *names, stubs=("tensorflow",))
    # It opens files, whose names are their texts here.
    hook.tf = Stub(gfile=Stub(Open=lambda text, mode: Stub(read=lambda: text)))

    def of_files(texts: list[str], golds: list[list[str]], **options: bool) -> float:
        return hook.bleu_wrapper("\n".join(firsts(golds)), "\n".join(texts), **options)

    def of_tokens(texts: list[str], golds: list[list[str]], **options: bool) -> float:
        return hook.compute_bleu(split(firsts(golds)), split(texts), **options)

    return {
        "t2t": {"corpus": of_files},
        "t2t case_sensitive": {"corpus": functools.partial(of_files, case_sensitive=True)},
        "t2t compute_bleu": {"corpus": of_tokens},
        "t2t compute_bleu use_bp=False": {"corpus": functools.partial(of_tokens, use_bp=False)},
    }


@original("fairseq", dialect=True)
def fairseq() -> Variants:
    """Its C code is that of the wheel for Python 3.8: fairseq, too, loads it by ctypes."""
    options = "--python-version=3.8", "--only-binary=:all:", "--platform=manylinux1_x86_64"
    folder = unpacked("fairseq==0.12.2", *options)
    bleu = load(folder, "fairseq.scoring.bleu")
    dictionary = load(folder, "fairseq.data.dictionary", "fairseq.tokenizer")
    [library] = folder.glob("fairseq/libbleu*.so")
    sys.modules["fairseq"].libbleu = SimpleNamespace(__file__=str(library))

    def scored(texts: list[str], golds: list[list[str]], **options: bool) -> Any:
        words, scorer = dictionary.Dictionary(), bleu.Scorer(bleu.BleuConfig())
        scorer.reset(**options)
        for text, gold in zip(texts, firsts(golds), strict=True):
            ids = words.encode_line(text)
            scorer.add(words.encode_line(gold), ids)
        return scorer

    return {
        "fairseq": {
            "corpus": lambda *texts: scored(*texts).score(),
            "lines": lambda *texts: scored(*texts).result_string(),
        },
        "fairseq one_init": {
            "sentences": each(lambda text, golds: scored([text], [golds], one_init=True).score())
        },
    }


def as_ids(tokens: list[list[str]], ids: dict[str, int], least: int = 0) -> list[list[int]]:
    """Numbers of tokens from 1 on, padded with 0 to one width."""
    width = max([least, *map(len, tokens)])
    numbers = [[ids.setdefault(token, len(ids) + 1) for token in its] for its in tokens]
    return [its + [0] * (width - len(its)) for its in numbers]


@original("allennlp", dialect=True)
def allennlp() -> Variants:
    import torch

    names = "training.metrics.bleu", "training.metrics.metric", "training.util", "nn.util"
    modules = [f"allennlp.{name}" for name in names]
    module = load(unpacked("allennlp==2.10.1"), *modules, stubs=("spacy",))
    module.is_distributed = sys.modules["allennlp.nn.util"].is_distributed = lambda: False

    def score(texts: list[str], golds: list[list[str]]) -> float:
        ids: dict[str, int] = {}
        bleu = module.BLEU(exclude_indices={0})
        bleu(*(torch.tensor(as_ids(split(its), ids)) for its in (texts, firsts(golds))))
        return bleu.get_metric()["BLEU"]

    return {"allennlp": {"corpus": score}}


@original("compare-mt", dialect=True)
def compare_mt() -> Variants:
    names = "compare_mt.scorers", "compare_mt.ngram_utils"
    scorer = load(unpacked("compare-mt==0.2.10"), *names).BleuScorer()

    def score(texts: list[str], golds: list[list[str]]) -> float:
        return scorer.score_corpus(split(firsts(golds)), split(texts))[0]

    return {"compare-mt": {"corpus": score}}


@original("paddlenlp", dialect=True)
def paddlenlp() -> Variants:
    module = load(unpacked("paddlenlp==2.8.1"), "paddlenlp.metrics.bleu", stubs=("paddle",))

    def score(texts: list[str], golds: list[list[str]]) -> float:
        bleu = module.BLEU()
        for text, several in zip(split(texts), split_all(golds), strict=True):
            bleu.add_inst(text, several)
        return bleu.score()

    return {"paddlenlp": {"corpus": score}}
