"""The matrix of all pairs equals, entry by entry, the score of each pair alone."""

import numpy as np
import pytest
import sacrebleu_cases as cases
from generators import (
    KINDS,
    SEGMENTS,
    edge_length,
    quietly,
    raises,
    seeded,
    sentences,
    token_options,
)

from fastbleu import BLEU
from fastbleu.matrix import pairwise, pairwise_chunked

pytestmark = pytest.mark.pythons

PAIRS = min(100_000, SEGMENTS)


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
    scores = quietly(metric.sentence_scores, [h for h, _ in pairs], [r for _, r in pairs])
    return scores.reshape(len(hypotheses), len(references))


def text_options(rng):
    options = {**cases.options(rng), "threads": rng.randint(1, 2)}
    if options["smooth_method"] in ("exp", "none"):
        options["smooth_value"] = None
    return options


@pytest.mark.filterwarnings("ignore:.*hypotheses have fewer than")
@pytest.mark.parametrize(("make", "options"), [(texts, text_options), (token_lists, token_options)])
def test_every_entry_is_the_score_of_its_pair(make, options):
    rng = seeded("pairwise", make.__name__)
    done = 0
    while done < PAIRS:
        named = options(rng)
        hypotheses = make(rng, rng.randint(1, 20))
        references = make(rng, rng.choice((1, 9, 63, 64, 65, 130)))
        scores = pairwise(hypotheses, references, metric=BLEU(**named))
        expected = by_pairs(BLEU(**named), hypotheses, references)
        assert scores.tolist() == expected.tolist(), (named, hypotheses)
        done += scores.size


@pytest.mark.parametrize("length", [255, 256, 70_000])
def test_long_sentences(length):
    """More matches than a byte holds, and than two."""
    rng = seeded("pairwise", "long", length)
    base = rng.choices([f"w{number}" for number in range(2000)], k=length)
    sentences = [base, base[: length // 2], base[::-1], ["w1"] * length, ["w1"] * (length // 3), []]
    metric = BLEU(tokenize=False, effective_order=True, max_ngram_order=5)
    scores = pairwise(sentences, sentences, metric=metric)
    assert (scores == by_pairs(metric, sentences, sentences)).all()


def test_long_after_short_and_many_orders(simd):
    """Sources of one call may differ: what is kept between them must hold for all."""
    rng = seeded("pairwise", "sources")
    metric = BLEU(tokenize=False, effective_order=True, max_ngram_order=6)
    sources = [token_lists(rng, 65, lambda rng, n=n: rng.randint(0, n)) for n in (2, 3, 9, 400, 5)]
    scores = pairwise(sources, sources, metric=metric)
    for source, its in zip(sources, scores, strict=True):
        assert (its == by_pairs(metric, source, source)).all()


@pytest.fixture(scope="module")
def pools():
    rng = seeded("pairwise", "pools")
    return texts(rng, 90), texts(rng, 700)


@pytest.fixture(scope="module")
def scores(pools):
    return pairwise(*pools)


@pytest.mark.parametrize("threads", [1, 3, 20])
def test_threads_types_and_batches_change_nothing(pools, threads):
    """Sources that a single thread would score alone, and large ones that all share."""
    hypotheses, references = pools
    small = [hypotheses[n : n + 5] for n in range(0, 90, 5)]
    plain, metric = BLEU(tokenize="none"), BLEU(tokenize="none", threads=threads)
    expected = pairwise(*pools, metric=plain)
    assert (pairwise(*pools, metric=metric) == expected).all()
    single = pairwise(*pools, dtype="float32", metric=metric)
    assert single.dtype == np.float32
    assert (single == expected.astype(np.float32)).all()
    for batch in ((small, small[::-1]), ([references] * 2, [references, references[::-1]])):
        expected = [pairwise(*source, metric=plain) for source in zip(*batch, strict=True)]
        assert (pairwise(*batch, metric=metric) == expected).all()
        out = np.empty(np.shape(expected), np.float32)
        assert pairwise(*batch, out=out, metric=metric) is out
        assert (out == np.float32(expected)).all()


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


def test_masks_of_batches():
    ids = np.ones((2, 3, 4), int)
    metric = BLEU(tokenize=False, effective_order=True)
    scores = pairwise(ids, ids, hypothesis_mask=ids * (np.arange(4) < 2), metric=metric)
    assert scores.shape == (2, 3, 3)
    assert (scores == pairwise(ids[..., :2], ids, metric=metric)).all()
    for mask in (ids[:1], np.ones((3, 3, 4), int), 1):
        with pytest.raises(ValueError, match=r"the mask of references has .* for 2 sources"):
            pairwise(ids, ids, reference_mask=mask, metric=metric)


def test_blocks_are_those_of_the_matrix(pools, scores):
    for rows in (None, 1, 7, 90, 1000):
        blocks = list(pairwise_chunked(*pools, rows=rows))
        assert [block.start for block, _ in blocks] == list(range(0, 90, min(rows or 90, 90)))
        assert (np.concatenate([part for _, part in blocks]) == scores).all()
        for block, part in blocks:
            assert len(part) == block.stop - block.start
    assert [part.dtype for _, part in pairwise_chunked(*pools, dtype=np.float32)] == [np.float32]
    _, block = next(pairwise_chunked(["a"] * 100, ["a"] * 100_000))
    assert 60e6 < block.nbytes < 2**26


def test_blocks_refuse_at_once():
    raises(ValueError, "takes one source", pairwise_chunked, [["a"]], [["a"]])
    raises(ValueError, "rows is 0", pairwise_chunked, ["a"], ["a"], rows=0)


def test_no_sentences():
    for hypotheses, references in (([], ["a"]), (["a"], []), ([], []), ([""], ["", "a"])):
        scores = pairwise(hypotheses, references)
        assert scores.shape == (len(hypotheses), len(references))
        assert not scores.any()
        blocks = [part for _, part in pairwise_chunked(hypotheses, references)]
        assert [part.shape for part in blocks] == [scores.shape] * len(hypotheses)
    no_sources = np.ones((0, 3, 4), int)
    assert pairwise(no_sources, no_sources, metric=BLEU(tokenize=False)).shape == (0, 0, 0)


def test_a_list_on_both_sides_is_read_once(pools):
    read = []

    def split(text):
        read.append(text)
        return text.split()

    pairwise(pools[0], pools[0], metric=BLEU(tokenize=split))
    assert read == pools[0]


def test_sources_that_change_while_they_are_read():
    sources = [["a", "b"], ["c", "d"]]

    def split(text):
        del sources[1][1:]
        return [text]

    message = "hypotheses or references changed while it was read"
    raises(ValueError, message, pairwise, sources, sources, metric=BLEU(tokenize=split))


@pytest.mark.parametrize(
    ("references", "options", "message"),
    [
        (["a"], {"out": [[0.0]]}, "out is a list, expected an ndarray"),
        (["a"], {"out": np.zeros((1, 2))}, r"out has the shape \(1, 2\), but .*\(1, 1\)"),
        (["a"], {"out": np.zeros((1, 1), int)}, "dtype is int64, but must be float64"),
        (["a"], {"dtype": "float16"}, "dtype is float16, but must be float64 or float32"),
        (["a"], {"dtype": "f4", "out": np.zeros((1, 1))}, "out has the dtype float64"),
        (["a"], {"out": np.broadcast_to(0.0, (1, 1))}, "out is read-only"),
        (["a"], {"out": np.zeros(9, "u1")[1:].view("f8")[None]}, "out is not aligned"),
        (None, {}, "references is a NoneType"),
    ],
)
def test_refused_arguments(references, options, message):
    raises((TypeError, ValueError), message, pairwise, ["a"], references, **options)
