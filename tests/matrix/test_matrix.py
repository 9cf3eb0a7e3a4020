"""What all functions of fastbleu.matrix share: names, warnings, progress bars."""

import pkgutil

import pytest
from generators import raises

import fastbleu
from fastbleu import BLEU, matrix
from fastbleu.matrix import duplicates, mbr, nearest, pairwise, pairwise_chunked, self_bleu

TEXTS = ["a b c d", "a"]


def test_functions_are_not_replaced_by_modules():
    """A module of a function's name would take its place in the package, once it is loaded."""
    modules = {module.name for module in pkgutil.iter_modules(matrix.__path__)}
    assert not modules & set(matrix.__all__)
    assert set(matrix.__all__) <= set(dir(matrix))
    with pytest.raises(AttributeError, match="nothing_of_the_kind"):
        matrix.nothing_of_the_kind  # noqa: B018


@pytest.mark.parametrize(
    ("kind", "size"),
    [(matrix.NearestIndex, "2 references"), (matrix.ReferenceIndex, "2 references, 4 n-grams")],
)
def test_an_index_says_what_it_is_and_cannot_be_changed(kind, size):
    index = kind(["a b", "c"], metric=BLEU(lowercase=True))
    assert index.signature == BLEU(lowercase=True, effective_order=True).signature
    assert repr(index) == f"<{kind.__name__} of {size}, {index.signature}>"
    for name in ("signature", "anything"):
        raises(AttributeError, "an index cannot be changed", setattr, index, name, 1)
        raises(AttributeError, "an index cannot be changed", delattr, index, name)


SHORT = {
    "pairwise": lambda metric: matrix.pairwise(TEXTS, TEXTS, metric=metric)[1, 1],
    "nearest": lambda metric: nearest(TEXTS, TEXTS, k=1, metric=metric)[0][1, 0],
    "duplicates": lambda metric: duplicates([*TEXTS, "a"], min_score=0, metric=metric)[0][-1],
    "mbr": lambda metric: matrix.mbr(TEXTS[1:], metric=metric).utilities[0],
    "index": lambda metric: matrix.ReferenceIndex(TEXTS, metric=metric).sentence_scores(TEXTS)[1],
    "self_bleu": lambda metric: self_bleu([*TEXTS, "a"], orders=(4,), metric=metric).scores[1, 0],
}


@pytest.mark.parametrize("name", SHORT)
def test_orders_without_ngrams_are_left_out_unless_effective_order_is_false(name):
    assert SHORT[name](BLEU()) == SHORT[name](BLEU(effective_order=True)) == pytest.approx(100)
    metric = BLEU(effective_order=False)
    with pytest.warns(fastbleu.InputWarning, match="[12] of [123] hypotheses have fewer than 4 t"):
        assert SHORT[name](metric) == 0


@pytest.mark.parametrize("name", SHORT)
def test_what_is_no_metric_is_refused(name):
    for wrong, error, message in (
        ("13a", ValueError, "'13a' is a tokenizer, not a dialect"),
        ("nltk@1", ValueError, "nltk@1"),
        (BLEU, TypeError, r"the class BLEU, expected a BLEU: write BLEU\(\)"),
        (fastbleu.sacrebleu.BLEU(), TypeError, "expected a fastbleu.BLEU"),
    ):
        raises(error, message, SHORT[name], wrong)


PROGRESS = {
    "pairwise": (pairwise, (["a b", "c"], ["a b", "d"]), {}, "4.00/4.00"),
    "chunks": (pairwise_chunked, (["a b", "c"], ["a b", "d"]), {"rows": 1}, "4.00/4.00"),
    "mbr": (mbr, (["a", "b", "a"],), {}, "9.00/9.00"),  # pairs of equal sentences, too
    "mbr of sources": (mbr, ([["a", "b"]] * 3,), {"metric": BLEU(threads=2)}, "12.0/12.0"),
    "aggregated": (mbr, ([["a", "b"]] * 3,), {"aggregate": True}, "12.0/12.0"),
    "nearest": (nearest, (["a b", "c"], ["a b"]), {}, "2.00/2.00"),
    "duplicates": (duplicates, (["a b", "c"],), {"min_score": 1}, "2.00/2.00"),
    "self_bleu": (self_bleu, (["a"] * 30_000,), {}, "30.0k/30.0k"),
    "self_bleu of pairs": (self_bleu, (["a", "b"],), {"against": "each"}, "16.0/16.0"),
    "index": (matrix.ReferenceIndex, (["a"] * 30,), {}, "30.0/30.0"),
    "index of an iterator": (lambda **o: matrix.ReferenceIndex(iter("a" * 30), **o), (), {}, "30"),
}


@pytest.mark.parametrize("name", PROGRESS)
def test_progress_on_request(name, capfd):
    function, arguments, options, shown = PROGRESS[name]
    for wanted in (False, True):
        result = function(*arguments, progress=wanted, **options)
        if name == "chunks":
            list(result)
        assert (shown in capfd.readouterr().err) == wanted
