"""On random corpora the dialects give what their originals give where these are installed.

FASTBLEU_TEST_SEGMENTS scales the number of corpora: one for a thousand of its segments.
"""

import sys
import warnings

import pytest
from generators import SEGMENTS, seeded
from hosts import host

from fastbleu import BLEU

CORPORA = max(SEGMENTS // 1000, 50)
WORDS = ["the", "cat", "sat", "on", "mat.", "if", "int", "x-1", "5.", "R&amp;D", "é,", "A"]


def corpora(name):
    """Random corpora: (hypotheses, references)."""
    rng = seeded("originals", name)
    for _ in range(CORPORA):
        words = rng.sample(WORDS, rng.randint(2, len(WORDS)))

        def text(words=words):
            return " ".join(rng.choices(words, k=rng.choice((0, 1, 2, 3, 5, 8, 13, 30))))

        references = [[text() for _ in range(rng.randint(1, 4))] for _ in range(rng.randint(1, 5))]
        hypotheses = [
            text() if rng.random() < 0.5 else edited(rng, rng.choice(its), words)
            for its in references
        ]
        yield hypotheses, references


def edited(rng, text, words):
    return " ".join(rng.choice(words) if rng.random() < 0.2 else word for word in text.split())


def split(corpus):
    hypotheses, references = corpus
    return [h.split() for h in hypotheses], [[r.split() for r in its] for its in references]


def outcome(call):
    """What a call returns, or the error that its dialect raises, too."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return call()
    except ZeroDivisionError:
        return "ZeroDivisionError"
    except ValueError:
        return "ValueError"


def the(path):
    """An attribute of a module that may not be installed."""
    module, _, name = path.rpartition(".")
    return getattr(sys.modules.get(module) or host(module), name)


def torchmetrics(hypotheses, references, **options):
    bleu = the("torchmetrics.functional.text.bleu_score")
    return bleu(hypotheses, references, **options).item()


def torcheval(hypotheses, references):
    return the("torcheval.metrics.functional.bleu_score")(hypotheses, references).item()


def coco(hypotheses, references, rule):
    scorer = the("pycocoevalcap.bleu.bleu_scorer.BleuScorer")(n=4)
    for hypothesis, its in zip(hypotheses, references, strict=True):
        scorer += hypothesis, its
    return scorer.compute_score(option=rule, verbose=0)[0]


def codebleu_ngram(hypotheses, references):
    tokens = split((hypotheses, references))
    return the("codebleu.bleu.corpus_bleu")(tokens[1], tokens[0])


def codebleu_weighted(hypotheses, references, language):
    package = the("codebleu.codebleu.PACKAGE_DIR")
    keywords = (package / "keywords" / f"{language}.txt").read_text("utf-8").split()
    ours, its = split((hypotheses, references))
    weighted = [
        [[tokens, {t: 1 if t in keywords else 0.2 for t in tokens}] for tokens in listed]
        for listed in its
    ]
    return the("codebleu.weighted_ngram_match.corpus_bleu")(weighted, ours)


# The original, its options, and those of BLEU.
ORIGINALS = {
    "torchmetrics": (torchmetrics, {}, {}),
    "torchmetrics smooth": (torchmetrics, {"smooth": True}, {"smooth_method": "add-k"}),
    "torchmetrics weights": (
        torchmetrics,
        {"n_gram": 2, "weights": [0.3, 0.7]},
        {"max_ngram_order": 2, "weights": [0.3, 0.7]},
    ),
    "torcheval": (torcheval, {}, {}),
    "coco closest": (coco, {"rule": "closest"}, {}),
    "coco shortest": (coco, {"rule": "shortest"}, {"reference_length": "shortest"}),
    "coco average": (coco, {"rule": "average"}, {"reference_length": "average"}),
    "codebleu-ngram": (codebleu_ngram, {}, {}),
    "codebleu-weighted java": (codebleu_weighted, {"language": "java"}, {}),
    "codebleu-weighted rust": (codebleu_weighted, {"language": "rust"}, {"keywords": "rust"}),
}


@pytest.mark.parametrize("name", ORIGINALS)
def test_random_corpora(name):
    original, options, parameters = ORIGINALS[name]
    metric = BLEU(dialect=name.split()[0], **parameters)
    for corpus in corpora(name):
        expected = outcome(lambda c=corpus: original(*c, **options))
        score = outcome(lambda c=corpus: metric.score(*c))
        if isinstance(expected, list):
            assert list(score.cumulative) == expected, corpus
        else:
            assert (score if isinstance(score, str) else score.value) == expected, corpus
