"""On random corpora the dialects give what their originals give where these are installed.

FASTBLEU_TEST_SEGMENTS scales the number of corpora: one for a thousand of its segments.
"""

import sys
import warnings
from math import exp, log

import numpy
import pytest
from generators import SEGMENTS, seeded
from hosts import host

from fastbleu import BLEU, dialects

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


def nltk(hypotheses, references):
    tokens = split((hypotheses, references))
    return the("nltk.translate.bleu_score.corpus_bleu")(tokens[1], tokens[0])


def sacrebleu(hypotheses, references):
    longest = max(map(len, references))
    streams = [[its[k] if k < len(its) else None for its in references] for k in range(longest)]
    return the("sacrebleu.metrics.BLEU")().corpus_score(hypotheses, streams).score


def torchmetrics(**options):
    def score(hypotheses, references):
        bleu = the("torchmetrics.functional.text.bleu_score")
        return bleu(hypotheses, references, **options).item()

    return score


def torcheval(hypotheses, references):
    return the("torcheval.metrics.functional.bleu_score")(hypotheses, references).item()


def coco(rule):
    def score(hypotheses, references):
        scorer = the("pycocoevalcap.bleu.bleu_scorer.BleuScorer")(n=4)
        for hypothesis, its in zip(hypotheses, references, strict=True):
            scorer += hypothesis, its
        return scorer.compute_score(option=rule, verbose=0)[0]

    return score


def codebleu_ngram(hypotheses, references):
    tokens = split((hypotheses, references))
    return the("codebleu.bleu.corpus_bleu")(tokens[1], tokens[0])


def codebleu_weighted(language):
    def score(hypotheses, references):
        package = the("codebleu.codebleu.PACKAGE_DIR")
        keywords = (package / "keywords" / f"{language}.txt").read_text("utf-8").split()
        ours, its = split((hypotheses, references))
        weighted = [
            [[tokens, {t: 1 if t in keywords else 0.2 for t in tokens}] for tokens in listed]
            for listed in its
        ]
        return the("codebleu.weighted_ngram_match.corpus_bleu")(weighted, ours)

    return score


def first_references(original):
    """An original that takes one reference, on each segment's first."""
    return lambda hypotheses, references: original(hypotheses, [its[:1] for its in references])


def bleuscore(smooth):
    def score(hypotheses, references):
        compute = the("bleuscore.compute")
        found = compute(references=references, predictions=hypotheses, smooth=smooth)
        return refuse_no_tokens(
            found["bleu"], found["translation_length"], found["reference_length"]
        )

    return score


def keras_hub(smooth, dtype):
    def score(hypotheses, references):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            # With TensorFlow it is too large for the environment of the hosts.
            tf = pytest.importorskip("tensorflow", exc_type=ImportError)
            hub = pytest.importorskip("keras_hub", exc_type=ImportError)
            metric = hub.metrics.Bleu(tf.strings.split, smooth=smooth, dtype=dtype)
            metric.update_state(tf.ragged.constant(references), hypotheses)
        lengths = metric._translation_length.numpy(), metric._reference_length.numpy()
        return refuse_no_tokens(float(metric.result().numpy()), *lengths)

    return score


def refuse_no_tokens(value, hyp_len, ref_len):
    """The value; a ZeroDivisionError where these originals make one up."""
    if not hyp_len or not ref_len:
        raise ZeroDivisionError
    return value


def compare_mt(hypotheses, references):
    ours, its = split((hypotheses, references))
    score, _ = the("compare_mt.scorers.BleuScorer")().score_corpus([some[0] for some in its], ours)
    return score


def counted(formula, **parameters):
    """For an original without a dialect: its formula, of our counts."""
    metric = BLEU(**parameters)
    rules = dialects.get(metric.dialect)

    def score(hypotheses, references):
        sums = rules.adapt(metric.statistics(hypotheses, references)).sum()
        return formula(*sums._rows[:2], sums.matches[0], sums.totals[0])

    return score


def nmt_formula(smooth, number=float):
    """tf-nmt's with its sum in steps, or in numpy's numbers."""
    sum_up = plain_sum if number is float else sum

    def score(hyp_len, ref_len, matches, totals):
        refuse_no_tokens(None, hyp_len, ref_len)
        pairs = [(number(m), number(t)) for m, t in zip(matches, totals, strict=True)]
        if smooth:
            precisions = [(m + 1.0) / (t + 1.0) for m, t in pairs]
        else:
            precisions = [m / t if t else 0.0 for m, t in pairs]
        mean = exp(sum_up(0.25 * log(p) for p in precisions)) if min(precisions) > 0 else 0
        ratio = float(hyp_len) / number(ref_len)
        return float(number(mean * (1.0 if ratio > 1.0 else exp(1 - 1.0 / ratio))))

    return score


def plain_sum(values):
    """Without the compensation that Python's has from 3.12 on."""
    total = 0.0
    for value in values:
        total += value
    return total


def compare_mt_formula(hyp_len, ref_len, matches, totals):
    if not matches[0]:
        return 0
    pairs = zip(matches, totals, strict=True)
    total = plain_sum((log(m / t) if m else 0) * 0.25 for m, t in pairs)
    return 100.0 * (min(1, exp(1 - ref_len / hyp_len)) if hyp_len else 0) * exp(total)


ORIGINALS = {
    "nltk": (nltk, {"dialect": "nltk"}),
    "sacrebleu": (sacrebleu, {"dialect": "sacrebleu"}),
    "torchmetrics": (torchmetrics(), {"dialect": "torchmetrics"}),
    "torchmetrics smooth": (
        torchmetrics(smooth=True),
        {"dialect": "torchmetrics", "smoothing": "add-k"},
    ),
    "torchmetrics weights": (
        torchmetrics(n_gram=2, weights=[0.3, 0.7]),
        {"dialect": "torchmetrics", "max_order": 2, "weights": [0.3, 0.7]},
    ),
    "torcheval": (torcheval, {"dialect": "torcheval"}),
    **{
        f"coco {rule}": (coco(rule), {"dialect": "coco", "reference_length": rule})
        for rule in ("closest", "shortest", "average")
    },
    "codebleu-ngram": (codebleu_ngram, {"dialect": "codebleu-ngram"}),
    "codebleu-weighted java": (codebleu_weighted("java"), {"dialect": "codebleu-weighted"}),
    "codebleu-weighted python": (
        codebleu_weighted("python"),
        {"dialect": "codebleu-weighted", "keywords": "python-0.7.0"},
    ),
    **{
        f"keras-hub float64 {smoothing}": (
            keras_hub(smoothing != "none", "float64"),
            {"dialect": "tf-nmt", "smoothing": smoothing},
        )
        for smoothing in ("none", "add-1")
    },
}
# Of no dialect: what they are made of here.
WITHOUT_NAME = {
    "compare-mt": (
        compare_mt,
        first_references(counted(compare_mt_formula, dialect="nltk")),
    ),
    "bleuscore": (bleuscore(False), counted(nmt_formula(False), dialect="evaluate")),
    "bleuscore smooth": (bleuscore(True), counted(nmt_formula(True), dialect="evaluate")),
    "keras-hub": (
        keras_hub(False, "float32"),
        counted(nmt_formula(False, numpy.float32), dialect="tf-nmt"),
    ),
    "keras-hub smooth": (
        keras_hub(True, "float32"),
        counted(nmt_formula(True, numpy.float32), dialect="tf-nmt"),
    ),
}


@pytest.mark.parametrize("name", ORIGINALS)
def test_random_corpora(name):
    original, parameters = ORIGINALS[name]
    metric = BLEU(**parameters)
    for corpus in corpora(name):
        expected = outcome(lambda c=corpus: original(*c))
        score = outcome(lambda c=corpus: metric.score(*c))
        if isinstance(expected, list):
            assert list(score.cumulative) == expected, corpus
        else:
            assert (score if isinstance(score, str) else score.value) == expected, corpus


@pytest.mark.parametrize("name", WITHOUT_NAME)
def test_random_corpora_of_originals_without_a_dialect(name):
    original, ours = WITHOUT_NAME[name]
    for corpus in corpora(name):
        expected = outcome(lambda c=corpus: original(*c))
        assert outcome(lambda c=corpus: ours(*c)) == expected, corpus
