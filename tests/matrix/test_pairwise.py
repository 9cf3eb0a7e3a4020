"""The matrix of all pairs equals, entry by entry, the score of each pair alone."""

import warnings

import numpy as np
import pytest
import sacrebleu_cases as cases
from generators import KINDS, SEGMENTS, edge_length, raises, seeded, sentences

import fastbleu
import fastbleu.sacrebleu
from fastbleu.matrix import all_pairs, pairwise
from fastbleu.matrix.reader import SentenceReader

pytestmark = pytest.mark.pythons

PAIRS = min(100_000, SEGMENTS)
PARTS = 8
TOO_SHORT = "ignore:.*hypotheses have fewer than"


def texts(rng, count):
    """Lines, half of which are edits of another."""
    lines = [cases.line(rng) for _ in range(max(1, count // 2))]
    while len(lines) < count:
        lines.append(cases.edited(rng, rng.choice(lines)))
    rng.shuffle(lines)
    return lines[:count]


def token_lists(rng, count, length=edge_length):
    """Sentences of one alphabet, some of them edits of others."""
    kind = rng.choice(("two letters", "four letters", "words", "all widths"))
    return sentences(rng, KINDS[kind], count, length)


def by_pairs(metric, hypotheses, references):
    """The matrix as sentence_scores gives it, pair by pair."""
    pairs = [(h, [r]) for h in hypotheses for r in references]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        scores = metric.sentence_scores([h for h, _ in pairs], [r for _, r in pairs])
    return scores.reshape(len(hypotheses), len(references))


@pytest.mark.filterwarnings(TOO_SHORT)
@pytest.mark.parametrize("dialect", ["sacrebleu", "nltk"])
@pytest.mark.parametrize("part", range(PARTS))
def test_every_entry_is_the_score_of_its_pair(part, dialect):
    """Of texts and of tokens, by any parameters."""
    rng = seeded("pairwise", dialect, part)
    done = 0
    while done < PAIRS // PARTS:
        if dialect == "sacrebleu":
            named = cases.named_here(cases.options(rng))
            if named["smoothing"] in ("exp", "none"):
                named["smoothing_value"] = None
        else:
            smoothing = rng.choice(("none", "floor", "add-k", "exp", "method4"))
            named = {"dialect": "nltk", "smoothing": smoothing, "tokenize": None}
            named["max_order"] = rng.choice((1, 2, 3, 4, 5, 8, 9, 13))
            named["weights"] = rng.choice((None, [rng.random() for _ in range(named["max_order"])]))
        make = texts if dialect == "sacrebleu" else token_lists
        hypotheses, references = (
            make(rng, rng.randint(1, 20)),
            make(rng, rng.choice((1, 9, 63, 64, 65, 130))),
        )
        scores = pairwise(hypotheses, references, threads=rng.randint(1, 2), **named)
        expected = by_pairs(fastbleu.BLEU(**named), hypotheses, references)
        assert scores.tolist() == expected.tolist(), (named, hypotheses)
        done += scores.size


@pytest.mark.parametrize("length", [255, 256, 300, 70_000])
def test_long_sentences(length):
    """More matches than a byte holds, and than two."""
    rng = seeded("pairwise", "long", length)
    base = rng.choices([f"w{number}" for number in range(2000)], k=length)
    sentences = [base, base[: length // 2], base[::-1], ["w1"] * length, ["w1"] * (length // 3), []]
    metric = fastbleu.BLEU(tokenize=None, effective_order=True, max_order=5)
    assert (metric.pairwise(sentences, sentences) == by_pairs(metric, sentences, sentences)).all()


def test_long_after_short_and_many_orders(simd):
    """Sources of one call may differ: what is kept between them must hold for all."""
    rng = seeded("pairwise", "sources")
    metric = fastbleu.BLEU(tokenize=None, effective_order=True, max_order=6)
    sources = [token_lists(rng, 65, lambda rng, n=n: rng.randint(0, n)) for n in (2, 3, 9, 400, 5)]
    scores = metric.pairwise(sources, sources)
    for source, its in zip(sources, scores, strict=True):
        assert (its == by_pairs(metric, source, source)).all()


@pytest.fixture(scope="module")
def pools():
    rng = seeded("pairwise", "pools")
    return texts(rng, 90), texts(rng, 700)


@pytest.fixture(scope="module")
def scores(pools):
    return pairwise(*pools)


@pytest.mark.parametrize("threads", [1, 2, 3, 20])
def test_threads_and_types(pools, scores, threads):
    """Sources that a single thread would score alone, and large ones that all share."""
    hypotheses, references = pools
    small = [hypotheses[n : n + 5] for n in range(0, 90, 5)]
    for sides in (pools, (small, small), ([references] * 2, [references, references[::-1]])):
        expected = pairwise(*sides, tokenize="none")
        assert (pairwise(*sides, tokenize="none", threads=threads) == expected).all()
        single = pairwise(*sides, tokenize="none", threads=threads, dtype="float32")
        assert single.dtype == np.float32
        assert (single == expected.astype(np.float32)).all()


@pytest.mark.parametrize("kind", [np.float64, np.float32])
def test_out(pools, scores, kind):
    shape = scores.shape
    for out in (
        np.full(shape, np.nan, kind),
        np.full(shape, np.nan, kind, order="F"),
        np.full((2 * shape[0], 3 * shape[1]), np.nan, kind)[::-2, ::3],
    ):
        assert pairwise(*pools, out=out) is out
        assert (out == scores.astype(kind)).all()


def test_batches(pools):
    hypotheses, references = pools
    batched = [hypotheses[n : n + 9] for n in range(0, 90, 9)]
    opposite = [references[n : n + 70] for n in range(0, 700, 70)]
    scores = pairwise(batched, opposite)
    assert scores.shape == (10, 9, 70)
    out = np.empty((10, 9, 70), np.float32)
    assert pairwise(batched, opposite, out=out) is out
    for source in range(10):
        assert (scores[source] == pairwise(batched[source], opposite[source])).all()
    assert (out == scores.astype(np.float32)).all()


def test_a_failure_of_one_thread_ends_all(monkeypatch, pools):
    scorers = []

    class Failing(all_pairs.PairScorer):
        def prepare(self, *sides):
            scorers.append(self)
            if len(scorers) == 5:
                raise MemoryError("no more")
            super().prepare(*sides)

    monkeypatch.setattr("fastbleu.matrix.all_pairs.PairScorer", Failing)
    sources = [pools[0][:5]] * 10_000
    raises(MemoryError, "no more", pairwise, sources, sources, threads=2)
    assert all(scorer.cancelled for scorer in scorers)
    assert len(scorers) < 10_000


def test_what_is_on_both_sides_is_read_once(monkeypatch, pools):
    read = []
    unwatched = SentenceReader.read
    monkeypatch.setattr(
        SentenceReader, "read", lambda *args, **kw: read.append(args) or unwatched(*args, **kw)
    )
    same = pools[0]
    assert (pairwise(same, same) == pairwise(same, list(same))).all()
    assert len(read) == 3
    ids = np.arange(24).reshape(2, 3, 4)
    pairwise(ids, ids, tokenize=None)
    assert len(read) == 5
    pairwise(ids, ids, tokenize=None, reference_mask=ids > 3)
    assert len(read) == 9


def test_sources_that_change_while_they_are_read():
    sources = [["a", "b"], ["c", "d"]]

    def split(text):
        del sources[1][1:]
        return [text]

    with pytest.raises(ValueError, match="hypotheses or references changed while it was read"):
        pairwise(sources, sources, tokenize=split)


@pytest.mark.parametrize(
    ("hypotheses", "references", "shape"),
    [([], ["a"], (0, 1)), (["a"], [], (1, 0)), ([], [], (0, 0)), ([""], ["", "a"], (1, 2))],
)
def test_nothing(hypotheses, references, shape):
    scores = pairwise(hypotheses, references)
    assert scores.shape == shape
    assert not scores.any()


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        ((["a"], ["a"]), {"out": [[0.0]]}, "out is a list, expected an ndarray"),
        ((["a"], ["a"]), {"out": np.zeros((1, 2))}, r"out has the shape \(1, 2\), but .*\(1, 1\)"),
        ((["a"], ["a"]), {"out": np.zeros((1, 1), int)}, "dtype is int64, but must be float64"),
        ((["a"], ["a"]), {"dtype": "float16"}, "dtype is float16, but must be float64 or float32"),
        ((["a"], ["a"]), {"dtype": "f4", "out": np.zeros((1, 1))}, "out has the dtype float64"),
        ((["a"], ["a"]), {"out": np.broadcast_to(0.0, (1, 1))}, "out is read-only"),
        ((["a"], ["a"]), {"out": np.zeros(9, "u1")[1:].view("f8")[None]}, "out is not aligned"),
        ((["a"], None), {}, "references is a NoneType"),
        (([["a"], ["a", "b"]], [["a"], ["b"]]), {}, r"hypotheses\[1\] has 2 sentences"),
    ],
)
def test_what_is_refused(arguments, options, message):
    raises((TypeError, ValueError), message, pairwise, *arguments, **options)


def test_masks_of_batches():
    ids = np.ones((2, 3, 4), int)
    metric = fastbleu.BLEU(tokenize=None, effective_order=True)
    half = np.arange(4) < 2
    scores = metric.pairwise(ids, ids, hypothesis_mask=ids * half)
    assert scores.shape == (2, 3, 3)
    assert (scores == metric.pairwise(ids[..., :2], ids)).all()
    for mask in (ids[:1], np.ones((3, 3, 4), int), 1):
        with pytest.raises(ValueError, match=r"the mask of references has .* but references has 2"):
            metric.pairwise(ids, ids, reference_mask=mask)
    assert metric.pairwise(ids[:0], ids[:0]).shape == (0, 0, 0)


def test_progress(capsys):
    assert pairwise(["a b", "c"], ["a b", "d"], progress=True).shape == (2, 2)
    assert "4/4" in capsys.readouterr().err.replace("4.00", "4")
    pairwise(["a b", "c"], ["a b", "d"])
    assert not capsys.readouterr().err


def test_smoothing_that_has_no_matrix():
    words = {"tokenize": None, "dialect": "nltk"}
    with pytest.raises(ValueError, match=r"single pairs by sentence_bleu\("):
        pairwise([["a"]], [["a"]], smoothing="method5", **words)
    function = fastbleu.SmoothingFunction().method1
    with pytest.raises(ValueError, match="method1 goes by its name here; pass smoothing='floor'"):
        pairwise([["a"]], [["a"]], smoothing=function, **words)


def test_a_metric_in_place_of_parameters():
    metric = fastbleu.BLEU(max_order=2, smoothing="floor")
    assert pairwise(["a b"], ["a c"], metric=metric) == metric.score(["a b"], ["a c"]).value
    with pytest.warns(fastbleu.InputWarning, match="fewer than 4 tokens"):
        assert fastbleu.BLEU(effective_order=False).pairwise(["a b"], ["a b"]) == 0
    with pytest.raises(TypeError, match=r"metric is a str, expected a fastbleu\.BLEU"):
        pairwise(["a b"], ["a c"], metric="nltk")
