"""Entry points with the API of nltk and of sacreBLEU, and of the significance tests."""

from __future__ import annotations

import pickle

from trust.entry import (
    HYPOTHESES,
    HYPOTHESIS,
    LIST_OF_REFERENCES,
    REFERENCES,
    TEXT_REFERENCES,
    TEXTS,
    UNHASHABLE,
    entry,
    stats,
)

import fastbleu.nltk
import fastbleu.sacrebleu
from fastbleu import Stats, significance
from fastbleu.nltk import Fraction, SmoothingFunction
from fastbleu.sacrebleu import BLEU, BLEUScore, BLEUSignature

NLTK = fastbleu.nltk
STREAMS = [[references[0] for references in TEXT_REFERENCES], [*TEXTS[:2], None]]
SMOOTHING = SmoothingFunction().method1


def raising(*arguments, **keywords):
    raise RuntimeError("of the user's")


def precisions():
    return [Fraction(1, 2), Fraction(0, 3), Fraction(2, 4), Fraction(0, 1)]


def smoothed(method):
    return getattr(SmoothingFunction(), method)(
        [Fraction(1, 2), Fraction(1, 3), Fraction(2, 4), Fraction(0, 1)],
        references=REFERENCES,
        hypothesis=HYPOTHESIS,
        hyp_len=8,
    )


OF_NLTK = [
    entry(
        "fastbleu.sentence_bleu",
        lambda _: NLTK.sentence_bleu(REFERENCES, HYPOTHESIS),
        lambda _: NLTK.sentence_bleu([], HYPOTHESIS),
        lambda _: NLTK.sentence_bleu(REFERENCES, UNHASHABLE),
        lambda _: NLTK.sentence_bleu([UNHASHABLE], HYPOTHESIS),
        lambda _: NLTK.sentence_bleu(REFERENCES, HYPOTHESIS, (None,)),
        lambda _: NLTK.sentence_bleu(REFERENCES, HYPOTHESIS, smoothing_function=raising),
        lambda _: NLTK.sentence_bleu(None, HYPOTHESIS),
    ),
    entry(
        "fastbleu.sentence_bleu: several weights, tokens of all kinds",
        lambda _: NLTK.sentence_bleu(
            [[1, 2.0, (3, "x"), b"y"]], [1.0, 2, (3, "x"), b"y", "z"], [(1,), (0.5, 0.5)], SMOOTHING
        ),
        lambda _: NLTK.sentence_bleu([[1, (2, [])]], [1, 2.0], [(1,), (0.5, 0.5)]),
    ),
    entry(
        "fastbleu.corpus_bleu",
        lambda _: NLTK.corpus_bleu(LIST_OF_REFERENCES, HYPOTHESES),
        lambda _: NLTK.corpus_bleu(LIST_OF_REFERENCES[:1], HYPOTHESES),
        lambda _: NLTK.corpus_bleu([REFERENCES, []], [HYPOTHESIS, HYPOTHESIS]),
        lambda _: NLTK.corpus_bleu([], []),
        lambda _: NLTK.corpus_bleu([[UNHASHABLE]], [HYPOTHESIS]),
    ),
    entry(
        "fastbleu.modified_precision",
        lambda _: NLTK.modified_precision(REFERENCES, HYPOTHESIS, 2),
        lambda _: NLTK.modified_precision(REFERENCES, UNHASHABLE, 1),
        lambda _: NLTK.modified_precision([], HYPOTHESIS, 1),
        lambda _: NLTK.modified_precision(REFERENCES, HYPOTHESIS, -1),
        lambda _: NLTK.modified_precision(REFERENCES, HYPOTHESIS, 1.5),
    ),
    entry(
        "fastbleu.closest_ref_length",
        lambda _: NLTK.closest_ref_length(REFERENCES, 7),
        lambda _: NLTK.closest_ref_length([], 7),
        lambda _: NLTK.closest_ref_length([1], 7),
    ),
    entry(
        "fastbleu.brevity_penalty",
        lambda _: NLTK.brevity_penalty(8, 7),
        lambda _: NLTK.brevity_penalty(8, None),
    ),
    entry(
        "fastbleu.SmoothingFunction", lambda _: SmoothingFunction(0.2, 4, 3).k,
        lambda _: SmoothingFunction(beta=1),
    ),
    entry(
        "fastbleu.SmoothingFunction.method0",
        lambda _: SmoothingFunction().method0([Fraction(1, 2)]),
        lambda _: SmoothingFunction().method0([1.5]),
    ),
    *[
        entry(
            f"fastbleu.SmoothingFunction.method{number}",
            lambda _, number=number: smoothed(f"method{number}"),
            lambda _, number=number: getattr(SmoothingFunction(), f"method{number}")(["x", "x"]),
        )
        for number in range(1, 8)
    ],
    entry("fastbleu.nltk.Fraction", lambda _: Fraction(2, 4), lambda _: Fraction(1, 0)),
    entry("fastbleu.nltk.Fraction.numerator", lambda it: it.numerator,
          setup=lambda: Fraction(2, 4)),
    entry("fastbleu.nltk.Fraction.denominator", lambda it: it.denominator,
          setup=lambda: Fraction(2, 4)),
    entry("fastbleu.nltk.Fraction.__reduce__", lambda it: pickle.loads(pickle.dumps(it)),
          setup=lambda: Fraction(2, 4)),
    entry("fastbleu.nltk.patch", lambda _: patched(NLTK), threads=False),
    entry("fastbleu.nltk.unpatch", lambda _: NLTK.unpatch(), threads=False),
]  # fmt: skip


def patched(module):
    with module.patch():
        pass


def scored():
    metric = BLEU()
    metric.corpus_score(TEXTS, STREAMS)
    return metric


def score():
    return fastbleu.sacrebleu.corpus_bleu(TEXTS, STREAMS)


OF_SACREBLEU = [
    entry(
        "fastbleu.sacrebleu.corpus_bleu",
        lambda _: fastbleu.sacrebleu.corpus_bleu(TEXTS, STREAMS),
        lambda _: fastbleu.sacrebleu.corpus_bleu([], []),
        lambda _: fastbleu.sacrebleu.corpus_bleu(TEXTS, []),
        lambda _: fastbleu.sacrebleu.corpus_bleu([7], [["a"]]),
        lambda _: fastbleu.sacrebleu.corpus_bleu(["a"], [[None]]),
        lambda _: fastbleu.sacrebleu.corpus_bleu(TEXTS, STREAMS, "method1"),
    ),
    entry(
        "fastbleu.sacrebleu.raw_corpus_bleu",
        lambda _: fastbleu.sacrebleu.raw_corpus_bleu(TEXTS, STREAMS),
        lambda _: fastbleu.sacrebleu.raw_corpus_bleu(TEXTS, [7]),
    ),
    entry(
        "fastbleu.sacrebleu.sentence_bleu",
        lambda _: fastbleu.sacrebleu.sentence_bleu(TEXTS[0], TEXT_REFERENCES[0]),
        lambda _: fastbleu.sacrebleu.sentence_bleu(7, TEXT_REFERENCES[0]),
        lambda _: fastbleu.sacrebleu.sentence_bleu(TEXTS[0], [None]),
        lambda _: fastbleu.sacrebleu.sentence_bleu("a b", ["a c"], "floor", "x"),
        lambda _: fastbleu.sacrebleu.sentence_bleu(TEXTS[0], TEXTS, tokenize="14a"),
    ),
    entry(
        "fastbleu.sacrebleu.BLEU",
        lambda _: BLEU(references=STREAMS),
        lambda _: BLEU(tokenize="14a"),
        lambda _: BLEU(smooth_method="x"),
        lambda _: BLEU(max_ngram_order=0),
        lambda _: BLEU(references=7),
    ),
    entry(
        "fastbleu.sacrebleu.BLEU.corpus_score",
        lambda it: it.corpus_score(TEXTS, None, n_bootstrap=5),
        lambda _: BLEU().corpus_score(TEXTS, None),
        lambda it: it.corpus_score([7], None),
        setup=lambda: BLEU(references=STREAMS),
    ),
    entry(
        "fastbleu.sacrebleu.BLEU.sentence_score",
        lambda it: it.sentence_score(TEXTS[0], TEXTS),
        lambda it: it.sentence_score(TEXTS[0], [7]),
        lambda it: it.sentence_score(TEXTS[0], []),
        setup=lambda: BLEU(effective_order=True),
    ),
    entry("fastbleu.sacrebleu.BLEU.get_signature", lambda it: it.get_signature(),
          lambda _: BLEU().get_signature(), setup=scored),
    entry(
        "fastbleu.sacrebleu.BLEU.compute_bleu",
        lambda _: BLEU.compute_bleu([5, 4], [6, 5], 6, 7, max_ngram_order=2),
        lambda _: BLEU.compute_bleu([5, 4], [6, 5], 6, 7),
        lambda _: BLEU.compute_bleu([5, 4], [6, 5], 6, 7, "x"),
        lambda _: BLEU.compute_bleu(["5", 4], [6, 5], 6, 7, max_ngram_order=2),
    ),
    entry(
        "fastbleu.sacrebleu.BLEUScore",
        lambda _: BLEUScore(50.0, [3, 1], [4, 3], [75.0, 33.3], 1.0, 4, 4),
        lambda _: BLEUScore(50.0),
    ),
    entry("fastbleu.sacrebleu.BLEUScore.prec_str", lambda _: score().prec_str),
    entry("fastbleu.sacrebleu.BLEUScore.ratio", lambda _: score().ratio),
    entry(
        "fastbleu.sacrebleu.BLEUScore.format",
        lambda it: it.format(signature="nrefs:1", is_json=True),
        lambda it: it.format(signature="nrefs", is_json=True),
        setup=score,
    ),
    entry("fastbleu.sacrebleu.BLEUScore.estimate_ci", lambda it: it.estimate_ci([it] * 50),
          lambda it: it.estimate_ci([]), setup=score),
    entry("fastbleu.sacrebleu.BLEUScore.__repr__", repr, setup=score),
    entry(
        "fastbleu.sacrebleu.BLEUSignature", lambda it: BLEUSignature(vars(it)),
        lambda _: BLEUSignature({}), setup=scored,
    ),
    entry("fastbleu.sacrebleu.BLEUSignature.format", lambda it: it.format(short=True),
          setup=lambda: scored().get_signature()),
    entry("fastbleu.sacrebleu.BLEUSignature.update", lambda it: it.update("test", "wmt22"),
          setup=lambda: scored().get_signature()),
    entry("fastbleu.sacrebleu.BLEUSignature.__repr__", repr,
          setup=lambda: scored().get_signature()),
    entry("fastbleu.sacrebleu.patch", lambda _: patched(fastbleu.sacrebleu), threads=False),
    entry("fastbleu.sacrebleu.unpatch", lambda _: fastbleu.sacrebleu.unpatch(), threads=False),
]  # fmt: skip


def comparison():
    return significance.paired_bootstrap(stats(), stats(), samples=9)


SIGNIFICANCE = [
    entry(
        "fastbleu.significance.bootstrap",
        lambda it: significance.bootstrap(it, samples=9),
        lambda it: significance.bootstrap(it[:1], samples=9),
        lambda it: significance.bootstrap(it, samples=0),
        lambda it: significance.bootstrap(it, samples=9, confidence=2),
        lambda _: significance.bootstrap(Stats([[2**62] * 4] * 3), samples=9),
        lambda it: significance.bootstrap(it, samples=9, smoothing="x"),
        setup=stats,
    ),
    entry(
        "fastbleu.significance.bootstrap: compatible",
        lambda it: significance.bootstrap(it, samples=9, compatible="sacrebleu"),
        lambda it: significance.bootstrap(it, samples=9, compatible="nltk"),
        setup=stats,
    ),
    entry(
        "fastbleu.significance.paired_bootstrap",
        lambda it: significance.paired_bootstrap(it, {"same": it}, samples=9),
        lambda it: significance.paired_bootstrap(it, it[:2], samples=9),
        lambda it: significance.paired_bootstrap(it, [7], samples=9),
        lambda it: significance.paired_bootstrap(it, Stats.zeros(3), samples=9),
        setup=stats,
    ),
    entry(
        "fastbleu.significance.paired_approximate_randomization",
        lambda it: significance.paired_approximate_randomization(it, [it], trials=9, samples=9),
        lambda it: significance.paired_approximate_randomization(it, [it[0]], trials=9),
        lambda it: significance.paired_approximate_randomization(it, [it], trials=0),
        setup=stats,
    ),
    entry("fastbleu.significance.Interval", lambda _: significance.Interval(*range(7))),
    entry("fastbleu.significance.Interval.half_width", lambda it: it.interval.half_width,
          setup=comparison),
    entry("fastbleu.significance.Comparison", lambda _: significance.Comparison(*range(10))),
    entry("fastbleu.significance.Comparison.difference", lambda it: it.difference,
          setup=comparison),
]  # fmt: skip


ENTRIES = OF_NLTK + OF_SACREBLEU + SIGNIFICANCE
