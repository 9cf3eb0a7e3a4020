"""Scores, signatures and their texts are sacreBLEU's, over all options.

Tests that use the fixture `bleu` run on fastbleu's API and on sacreBLEU after fastbleu.patch().
"""

import copy
import gc
import inspect
import itertools
import sys
from operator import attrgetter
from types import SimpleNamespace

import pytest
import sacrebleu
import sacrebleu_cases as cases
from generators import pickled, private_copy, quietly, rounds, seeded, typed
from sacrebleu.metrics.bleu import BLEUScore, BLEUSignature

import fastbleu.sacrebleu

pytestmark = pytest.mark.pythons

CASES = rounds(1_000, 80)


PRISTINE = private_copy(sacrebleu.metrics.bleu)
FUNCTIONS = private_copy(sacrebleu.compat)
BLEU = FUNCTIONS.BLEU = PRISTINE.BLEU


@pytest.fixture(params=["fastbleu", "patched"])
def bleu(request):
    """The modules with sacreBLEU's API."""
    if request.param == "fastbleu":
        yield fastbleu.sacrebleu
        return
    with fastbleu.patch("sacrebleu"):
        assert "_fastbleu" in str(sacrebleu.BLEU.sentence_score.__code__.co_names)
        yield sacrebleu


def options_of_functions(options):
    """The options as the functions name them; None if these do not have them."""
    named = {**options, "use_effective_order": options["effective_order"]}
    del named["effective_order"]
    return named if named.pop("max_ngram_order") == 4 else None


def test_corpora(bleu):
    rng = seeded("sacrebleu corpora")
    for _ in range(CASES):
        options, corpus = cases.options(rng), cases.corpus(rng)
        theirs, ours = BLEU(**options), bleu.BLEU(**options)
        score = quietly(theirs.corpus_score, *corpus)
        result = quietly(ours.corpus_score, *corpus)
        where = f"{options} {corpus}"
        assert cases.signatures(ours) == cases.signatures(theirs), where
        signature = cases.signatures(theirs)[0]
        assert cases.seen(result, signature) == cases.seen(score, signature), where
        assert ours.num_refs == theirs.num_refs, where
        if (named := options_of_functions(options)) is not None:
            result = quietly(bleu.corpus_bleu, *corpus, **named)
            assert cases.seen(result) == cases.seen(score), where
        hypotheses, streams = corpus
        lists = [[*stream] for stream in streams]
        kept = quietly(bleu.BLEU, references=lists, **options)
        lists[0].clear()  # what is kept does not change
        for _ in range(2):
            result = quietly(kept.corpus_score, hypotheses, None)
            score = quietly(theirs.corpus_score, hypotheses, streams)
            assert cases.seen(result) == cases.seen(score), where
            assert cases.signatures(kept) == cases.signatures(theirs), where
            hypotheses = [cases.edited(rng, text) for text in hypotheses]


def test_sentences(bleu):
    rng = seeded("sacrebleu sentences")
    for _ in range(CASES):
        options = cases.options(rng)
        theirs, ours = BLEU(**options), bleu.BLEU(**options)
        hypotheses, streams = cases.corpus(rng)
        for segment in zip(hypotheses, zip(*streams, strict=True), strict=True):
            score = quietly(theirs.sentence_score, *segment)
            result = quietly(ours.sentence_score, *segment)
            where = f"{options} {segment}"
            assert cases.seen(result) == cases.seen(score), where
            assert cases.signatures(ours) == cases.signatures(theirs), where
            if (named := options_of_functions(options)) is not None:
                for _ in range(2):  # the function keeps things after its first call
                    result = quietly(bleu.sentence_bleu, *segment, **named)
                    assert cases.seen(result) == cases.seen(score), where


def test_raw_corpus_bleu(bleu):
    rng = seeded("raw corpus bleu")
    for value in [None, 0.1, 2, 0] * 6:
        corpus = cases.corpus(rng)
        score = quietly(FUNCTIONS.raw_corpus_bleu, *corpus, smooth_value=value)
        result = bleu.raw_corpus_bleu(*corpus, smooth_value=value)
        assert cases.seen(result) == cases.seen(score), corpus
        default = quietly(FUNCTIONS.raw_corpus_bleu, *corpus).score
        assert bleu.raw_corpus_bleu(*corpus).score == default


def test_references_that_are_passed_go_before_kept_ones(bleu):
    metric = bleu.BLEU(references=[["a b c d e"], ["a b c d f"]])
    assert metric.corpus_score(["x y z v"], [["x y z v"]]).score == 100.00000000000004
    assert metric.corpus_score(["a b c d f"], None).score == 100.00000000000004


def test_other_sequences(bleu):
    class Lines(list):
        pass

    hypotheses, streams = ["a b c d e.", "b c d."], [["a b c d.", "b c d e"], ["a", None]]
    score = FUNCTIONS.corpus_bleu(hypotheses, streams).score
    for kind in (tuple, Lines):
        assert bleu.corpus_bleu(kind(hypotheses), kind(map(kind, streams))).score == score
    assert bleu.corpus_bleu(hypotheses, [streams[0], iter(streams[1])]).score == score


@pytest.mark.parametrize("seed", [None, "12345", "none"])
def test_confidence(bleu, monkeypatch, seed):
    if seed is None:
        monkeypatch.delenv("SACREBLEU_SEED", raising=False)
    else:
        monkeypatch.setenv("SACREBLEU_SEED", seed)
    rng = seeded("sacrebleu confidence", seed)
    for smoothing, segments in itertools.product(cases.SMOOTHINGS, (1, 2, 40)):
        options = cases.options(rng)
        options["smooth_method"], options["smooth_value"] = smoothing
        corpus, samples = cases.corpus(rng, segments), rng.choice((2, 39, 40, 81))
        theirs, ours = BLEU(**options), bleu.BLEU(**options)
        score = quietly(theirs.corpus_score, *corpus, n_bootstrap=samples)
        result = quietly(ours.corpus_score, *corpus, n_bootstrap=samples)
        assert cases.signatures(ours) == cases.signatures(theirs)
        if seed != "none":
            where = f"{options} {samples} {corpus}"
            assert cases.seen(result) == cases.seen(score), where


def test_estimate_ci():
    rng = seeded("estimate_ci")
    samples = [BLEUScore(rng.uniform(0, 100), [], [], [], 1.0, 1, 1) for _ in range(100)]
    scores = []
    for kind in (fastbleu.sacrebleu.BLEUScore, BLEUScore):
        scores.append(kind(1.0, [1], [1], [1.0], 1.0, 1, 1))
        scores[-1].estimate_ci(samples)
    assert cases.seen(scores[0]) == cases.seen(scores[1])


CALLABLES = [
    *("corpus_bleu", "sentence_bleu", "raw_corpus_bleu", "BLEU", "BLEUScore", "BLEUSignature"),
    *("BLEU.corpus_score", "BLEU.sentence_score", "BLEU.get_signature", "BLEU.compute_bleu"),
    *("BLEUScore.format", "BLEUScore.estimate_ci", "BLEUSignature.format", "BLEUSignature.update"),
    *("corpus_chrf", "sentence_chrf", "CHRF", "CHRFScore", "CHRFSignature"),
]


@pytest.mark.parametrize("name", CALLABLES)
def test_signatures_of_callables(name):
    metrics = sacrebleu.metrics
    originals = SimpleNamespace(**vars(sacrebleu) | vars(metrics.bleu) | vars(metrics.chrf))
    ours, theirs = (
        [(p.name, p.kind, p.default) for p in inspect.signature(function).parameters.values()]
        for function in map(attrgetter(name), (fastbleu.sacrebleu, originals))
    )
    assert ours == theirs


def test_attributes_of_the_metric(bleu):
    ours, theirs = (
        module.BLEU(True, True, "zh", "add-k", 2, 3, True, "zh") for module in (bleu, PRISTINE)
    )
    names = (*SETTINGS, "_force", "trg_lang", "tokenizer_signature", "n_bootstrap", "seed")
    for name in names:
        assert typed(getattr(ours, name)) == typed(getattr(theirs, name)), name
    assert not hasattr(ours, "num_refs")
    for name in ("SMOOTH_DEFAULTS", "TOKENIZER_DEFAULT"):
        assert getattr(type(ours), name) == getattr(BLEU, name)
    assert list(ours.TOKENIZERS) == list(BLEU.TOKENIZERS)
    assert ours.tokenizer("a,b 世界.").split() == theirs.tokenizer("a,b 世界.").split()
    assert ours.tokenizer.signature() == theirs.tokenizer.signature()


def test_tokens_of_a_line_with_white_space_at_its_end():
    for name in cases.TOKENIZERS:
        ours, theirs = fastbleu.sacrebleu.BLEU(tokenize=name), BLEU(tokenize=name)
        for line in (
            *("16, ", "a-\n", "a--\n \n", "a-<skipped>\n", "$\t", " ", "", "a -\n", "b,\t"),
            *("a5.\x1c", "a!\u3000", "a &lt; \n"),
        ):
            assert ours.tokenizer(line).split() == theirs.tokenizer(line).split(), (name, line)


def test_attributes_that_are_set_later_count(bleu):
    metric, theirs = bleu.BLEU(), BLEU()
    segment = "A b c.", ["a B c!"]
    corpus = [segment[0]], [segment[1]]
    values = True, "add-k", 3, 2, True
    for name, value in zip(SETTINGS, values, strict=True):
        setattr(metric, name, value)
        setattr(theirs, name, value)
        score = quietly(theirs.sentence_score, *segment)
        assert cases.seen(quietly(metric.sentence_score, *segment)) == cases.seen(score)
        score = quietly(theirs.corpus_score, *corpus)
        assert cases.seen(metric.corpus_score(*corpus)) == cases.seen(score)


SETTINGS = ("lowercase", "smooth_method", "smooth_value", "max_ngram_order", "effective_order")


def test_defaults_and_methods_of_objects_cannot_be_changed():
    metric = fastbleu.sacrebleu.BLEU()
    metric._preprocess_segment = str.upper
    assert metric.corpus_score(["a b c d"], [["A b c d"]]).counts == [3, 2, 1, 0]
    with pytest.raises(TypeError, match="does not support item assignment"):
        metric.SMOOTH_DEFAULTS["floor"] = 0.5


def test_copies(bleu):
    metric = bleu.BLEU(tokenize="char", references=[["a b c d", "b"], ["a b c", None]])
    score = metric.corpus_score(["a b c", "b b"], None)
    signature = metric.get_signature()
    for copied in (copy.copy, copy.deepcopy, pickled):
        assert cases.seen(copied(score)) == cases.seen(score)
        assert str(copied(signature)) == str(signature)
        again = copied(metric)
        assert cases.seen(again.corpus_score(["a b c", "b b"], None)) == cases.seen(score)
        assert str(again.get_signature()) == str(signature)


def test_the_version_names_both():
    signature = fastbleu.sacrebleu.BLEUSignature({**SIGNED, "num_refs": 1})
    version = f"2.6.0+fastbleu.{fastbleu.__version__}"
    assert signature.info["version"] == version == fastbleu.sacrebleu.VERSION
    assert str(signature).endswith(f"|version:{version}")
    assert signature.format(short=True).endswith(f"|v:{version}")


SIGNED = {
    "smooth_method": "floor",
    "smooth_value": 0.125,
    "lowercase": True,
    "effective_order": False,
    "tokenizer_signature": "x",
}


def test_signatures():
    for more in (
        *({}, {"num_refs": -1}, {"smooth_method": "exp"}, {"smooth_value": None}),
        {"n_bootstrap": 1000, "seed": "12345", "smooth_method": "add-k", "smooth_value": 2},
        {"test_set": "wmt22", "langpair": "en-de", "origlang": "en", "subset": "x"},
        {"effective_order": True, "lowercase": False},
    ):
        args = {**SIGNED, "num_refs": 2, **more}
        ours, theirs = fastbleu.sacrebleu.BLEUSignature(args), BLEUSignature(args)
        for signature in (ours, theirs):
            for name, value in {
                "version": "same",
                "test": True,
                "ar": 10000,
                "lang": False,
            }.items():
                signature.update(name, value)
        assert list(ours.info.items()) == list(theirs.info.items())
        assert (str(ours), repr(ours)) == (str(theirs), repr(theirs))
        assert ours.format(short=True) == theirs.format(short=True)
        for signature in (ours, theirs):
            signature.update("mine", 1)
            assert "|mine:1|" in signature.format()
            with pytest.raises(KeyError):
                signature.format(short=True)


def test_attributes_of_a_segment_are_there_however_it_is_first_used():
    expected = vars(fastbleu.sacrebleu.sentence_bleu("a b c", ["a b d"]))
    theirs = vars(sacrebleu.sentence_bleu("a b c", ["a b d"]))
    assert expected.items() <= theirs.items()
    for use in (pickled, copy.copy, copy.deepcopy):
        assert vars(use(fastbleu.sacrebleu.sentence_bleu("a b c", ["a b d"]))) == expected


def test_attributes_of_a_segment_can_be_deleted_before_they_are_read():
    score = fastbleu.sacrebleu.sentence_bleu("a b c", ["a b d"])
    del score.bp
    assert not hasattr(score, "bp")
    assert score.ref_len == 3
    with pytest.raises(AttributeError, match="'BLEUScore' object has no attribute 'nothing'"):
        _ = score.nothing


def test_what_is_kept_between_calls_is_bounded():
    """Neither texts nor all of many metrics."""
    hypothesis, reference = "a b c d" * 3, "a b d" * 3
    before = sys.getrefcount(hypothesis), sys.getrefcount(reference)

    def use_metrics(lowercase):
        for order, name in itertools.product(range(1, 60), cases.TOKENIZERS):
            metric = fastbleu.sacrebleu.BLEU(lowercase, False, name, "exp", None, order, True)
            metric.sentence_score(hypothesis, [reference])
            metric.corpus_score([hypothesis], [[reference]])
        gc.collect()
        return sys.getallocatedblocks()

    blocks = use_metrics(lowercase=False)
    # Each of the metrics would take several blocks.
    assert use_metrics(lowercase=True) < blocks + 59 * len(cases.TOKENIZERS)
    assert (sys.getrefcount(hypothesis), sys.getrefcount(reference)) == before
