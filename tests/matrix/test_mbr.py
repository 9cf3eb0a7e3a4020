"""MBR decoding against the means of the scores of all pairs, with `==`."""

import math
import re
from dataclasses import FrozenInstanceError

import numpy as np
import pytest
import sacrebleu
import wmt22
from commands import python_ends
from generators import IGNORED_OF_RANDOM, raises, seeded

import fastbleu
from fastbleu.matrix import MBRResult, mbr, pairwise

pytestmark = [
    pytest.mark.filterwarnings(ignored)
    for ignored in (*IGNORED_OF_RANDOM, "ignore:without effective_order=True")
]

WORDS = ["the", "cat", "sat", "on", "a", "mat", ".", "and", "it's", "10-20", "dog"]

SAMPLES = ["the cat sat", "the cat sat down", "a cat sat down", "the cat sat down"]


def texts(rng, count, longest=12):
    """Texts of few words, so that many pairs match in part; some are equal, some empty."""
    made = [" ".join(rng.choices(WORDS, k=rng.randint(0, longest))) for _ in range(count)]
    for _ in range(count // 4):
        made[rng.randrange(count)] = made[rng.randrange(count)]
    return made


def check(result, scores, weights=None):
    """The result is the mean of each row of these scores; of equal ones the first is chosen."""
    assert isinstance(result, MBRResult)
    if weights is None:
        expected = scores.sum(axis=1) / scores.shape[1]
    else:
        expected = (scores * weights).sum(axis=1) / weights.sum()
    assert result.utilities.dtype == np.float64
    assert result.utilities.tolist() == expected.tolist()
    assert type(result.best) is int
    assert result.best == expected.tolist().index(expected.max())


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"smooth_method": "floor", "smooth_value": 0.3, "lowercase": True},
        {"effective_order": False, "max_ngram_order": 2, "tokenize": "char"},
        {"dialect": "nltk", "smooth_method": "floor"},
    ],
    ids=str,
)
def test_means_of_scores(options):
    rng = seeded("mbr", options)
    for size in (1, 2, 3, 9, 40):
        candidates, references = texts(rng, size), texts(rng, rng.randint(1, 30))
        scores = pairwise(candidates, references, **options)
        check(mbr(candidates, references, **options), scores)
        weights = np.array([rng.random() for _ in references])
        check(mbr(candidates, references, weights, **options), scores, weights)
        result = mbr(candidates, matrix=True, **options)
        scores = pairwise(candidates, candidates, **options)
        check(result, scores)
        assert (result.matrix == scores).all()
    assert mbr(candidates, **options).matrix is None
    with pytest.raises(FrozenInstanceError):
        result.best = 0


def test_ties_go_to_the_lowest_index():
    assert mbr(["a b", "a b", "a b"]).best == 0
    assert mbr(["x", "a b", "c", "a b"]).best == 1
    assert mbr(["x", "y", "z"], ["a"]).best == 0
    assert mbr([["x", "a b", "a b"], ["y", "z", "a b"]], [["a b"], ["a b"]]).best.tolist() == [1, 2]


def test_weights_in_every_form():
    rng = seeded("mbr weights")
    candidates, references = texts(rng, 20), texts(rng, 8)
    weights = [rng.randint(0, 5) for _ in references]
    weights[3] = 2
    expected = mbr(candidates, references, np.array(weights, float)).utilities.tolist()
    for same in (
        weights,
        tuple(weights),
        np.array(weights, np.int8),
        np.array(weights, ">f8"),
        np.repeat(weights, 2)[::2],
        [2.0**1020 * weight for weight in weights],
        [2.0**-1060 * weight for weight in weights],
    ):
        assert mbr(candidates, references, same).utilities.tolist() == expected
    half = [weight % 2 for weight in weights]
    as_bool = mbr(candidates, references, [bool(weight) for weight in half])
    assert as_bool.utilities.tolist() == mbr(candidates, references, half).utilities.tolist()


@pytest.mark.parametrize("aggregate", [False, True])
def test_log_probabilities(aggregate):
    rng = seeded("mbr log-probabilities")
    candidates, references = texts(rng, 10), texts(rng, 7)
    logs = np.array([rng.uniform(-90, -30) for _ in references])
    logs[2] = -math.inf
    result = mbr(candidates, references, log_probabilities=logs, aggregate=aggregate)
    expected = mbr(candidates, references, np.exp(logs - logs.max()), aggregate=aggregate)
    assert np.allclose(result.utilities, expected.utilities, rtol=1e-13)
    shifted = mbr(candidates, references, log_probabilities=logs - 5000, aggregate=aggregate)
    assert np.allclose(shifted.utilities, result.utilities, rtol=1e-9)
    far = mbr(candidates, references, log_probabilities=[-1e308, 1e308] + [0] * 5)
    assert far.utilities.tolist() == pairwise(candidates, references)[:, 1].tolist()


def test_probabilities_in_place_of_logarithms_are_noticed():
    for given in ([0.1, 0.2, 0.3, 0.4], np.full((2, 4), 0.25, "f4")):
        candidates = SAMPLES if np.ndim(given) == 1 else [SAMPLES] * 2
        with pytest.warns(fastbleu.InputWarning, match="pass weights="):
            mbr(candidates, log_probabilities=given)
    for given in ([0.1, 0.2, 0.3, 0.5], [-0.5, 0.5, 0.5, 0.5], [0, 0, 0, 0], np.log([0.25] * 4)):
        mbr(SAMPLES, log_probabilities=given)
    mbr(SAMPLES[:1], log_probabilities=[1])


@pytest.mark.parametrize("aggregate", [False, True])
def test_batches(aggregate):
    rng = seeded("mbr batches")
    candidates, references = ([texts(rng, size) for _ in range(40)] for size in (7, 9))
    weights = [[rng.random() for _ in range(9)] for _ in range(40)]
    options = {"aggregate": aggregate, "matrix": not aggregate}
    alone = [mbr(*sides, **options) for sides in zip(candidates, references, weights, strict=True)]
    for threads in (1, 3, 50):
        result = mbr(candidates, references, weights, threads=threads, **options)
        assert (result.best.dtype, result.best.tolist()) == (np.int64, [one.best for one in alone])
        assert result.utilities.tolist() == [one.utilities.tolist() for one in alone]
        if not aggregate:
            assert (result.matrix == [one.matrix for one in alone]).all()
    logs = mbr(candidates, references, log_probabilities=np.log(weights), aggregate=aggregate)
    assert np.allclose(logs.utilities, result.utilities, rtol=1e-12)


RAGGED = [["a b c", "a b", "a b c d"], ["x"], ["b c d", "b d"]]


@pytest.mark.parametrize(
    "options", [{}, {"threads": 2}, {"aggregate": True}, {"matrix": True}], ids=str
)
def test_sources_of_different_sizes(options):
    samples = [["a b c d", "a"], ["x y", "x", "z"], ["b c d"]]
    weights = [[1, 2], [3, 1, 1], [1]]
    for further in (
        {},
        {"references": samples, "weights": weights},
        {"references": samples, "log_probabilities": [np.log(row) for row in weights]},
    ):
        found = mbr(RAGGED, **further, **options)
        assert found.best.dtype == np.int64
        for source, candidates in enumerate(RAGGED):
            alone = mbr(candidates, **{name: it[source] for name, it in further.items()}, **options)
            assert found.best[source] == alone.best
            assert found.utilities[source].tolist() == alone.utilities.tolist()
            assert found.signature == alone.signature
            if "matrix" in options:
                assert found.matrix[source].tolist() == alone.matrix.tolist()
    assert "1-3 candidates" in mbr(RAGGED)._repr_html_()
    ids = [np.array([[1, 2, 3], [1, 2, 0]]), np.array([[4, 0, 0], [4, 4, 0], [5, 0, 0]])]
    masks = [rows != 0 for rows in ids]
    found = mbr(ids, tokenize=False, candidate_mask=masks)
    for utilities, rows, mask in zip(found.utilities, ids, masks, strict=True):
        alone = mbr(rows, tokenize=False, candidate_mask=mask)
        assert utilities.tolist() == alone.utilities.tolist()


def test_signatures():
    signature = fastbleu.BLEU(effective_order=True).signature
    for result in (mbr(SAMPLES), mbr([SAMPLES], threads=2), mbr(SAMPLES, weights=[1, 2, 3, 4])):
        assert result.signature == signature
    assert "smooth:floor[0.10]" in mbr(SAMPLES, smooth_method="floor").signature
    assert mbr(SAMPLES, aggregate=True).signature == signature + "|references:aggregated"


def test_tokens_and_ids():
    rng = seeded("mbr tokens")
    sides = [[text.split() for text in texts(rng, 12)] for _ in range(2)]
    as_text = [[" ".join(tokens) for tokens in side] for side in sides]
    expected = mbr(*as_text, tokenize="none").utilities.tolist()
    ids = [np.zeros((12, 14), np.int32) for _ in sides]
    for rows, side in zip(ids, sides, strict=True):
        for row, tokens in zip(rows, side, strict=True):
            row[: len(tokens)] = [WORDS.index(token) + 1 for token in tokens]
    masks = {"candidate_mask": ids[0] != 0, "reference_mask": ids[1] != 0}
    for given, options in ((sides, {}), (ids, {"ignore_ids": (0,)}), (ids, masks)):
        assert mbr(*given, tokenize=False, **options).utilities.tolist() == expected
    batched = [np.stack([rows, rows[::-1]]) for rows in ids]
    masks = {"candidate_mask": batched[0] != 0, "reference_mask": batched[1] != 0}
    for options in ({"ignore_ids": (0,)}, masks):
        found = mbr(*batched, tokenize=False, **options)
        assert found.utilities[0].tolist() == expected
        assert np.allclose(found.utilities[1], expected[::-1], rtol=1e-13)


def test_many_candidates_are_scored_in_blocks():
    """More pairs than are kept at a time."""
    candidates = [f"a {number} b" for number in range(2200)]
    references = [f"a {number}" for number in range(0, 4000, 2)]
    weights = np.arange(2000) % 7 + 0.5
    scores = pairwise(candidates, references)
    assert scores.size > 1 << 22
    for threads in (1, 3):
        found = mbr(candidates, references, weights, matrix=True, threads=threads)
        check(found, scores, weights)
        assert (found.matrix == scores).all()


BATCH = [["a b", "b c"], ["c", "d"]]


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"candidates": []}, ValueError, "candidates is empty"),
        ({"references": []}, ValueError, "references is empty"),
        ({"references": ["a", "b", None]}, TypeError, r"references\[2\]"),
        ({"references": [0.2, 0.3, 0.5]}, TypeError, "pass weights by their name"),
        ({"references": None, "reference_mask": [[1]]}, ValueError, "candidate_mask="),
        ({"weights": [1, 2]}, ValueError, r"shape \(2,\).*3 references.*\(3,\)"),
        ({"weights": (0.25,) * 4}, ValueError, r"weights of n-gram orders go to fastbleu\.BLEU"),
        ({"weights": [1, -0.5, 2]}, ValueError, r"weights\[1\] is -0.5.*at least 0"),
        ({"weights": [1, 2, math.inf]}, ValueError, r"weights\[2\] is inf"),
        ({"weights": [0, 0, 0]}, ValueError, "0 for all references"),
        ({"weights": ["a", "b", "c"]}, TypeError, "expected numbers"),
        ({"weights": [[1], [2, 3], 4]}, ValueError, "weights cannot be read"),
        ({"log_probabilities": [0, math.nan, 0]}, ValueError, r"log_probabilities\[1\] is nan"),
        ({"log_probabilities": [-math.inf] * 3}, ValueError, "-inf for all references"),
        ({"weights": [1] * 3, "log_probabilities": [0] * 3}, ValueError, "pass only one"),
        ({"aggregate": True, "matrix": True}, ValueError, "makes no matrix"),
        ({"aggregate": True, "dialect": "nltk"}, ValueError, "dialect 'nltk'"),
    ],
)
def test_errors(arguments, error, message):
    arguments = {"candidates": ["a b", "b"], "references": ["a", "b", "c d"], **arguments}
    raises(error, message, mbr, **arguments)


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ((BATCH, None, [1, 1]), ValueError, r"shape \(2,\).*2 references for each of 2 sources"),
        ((BATCH, None, [[1, 1], [1, -1]]), ValueError, r"weights\[1, 1\] is -1"),
        ((BATCH, None, [[1, 1], [0, 0]]), ValueError, r"weights\[1\] is 0 for all references"),
        (([["a"], []],), ValueError, r"candidates\[1\] is empty.*choose by; leave this source out"),
        (([["a"], ["b"]], [["a", "b"], []]), ValueError, r"references\[1\] is empty"),
        (([["a", "b"], ["c", ["d"]]],), TypeError, r"candidates\[1\]\[1\] is a list, expected a"),
        (([["a"], "b"],), TypeError, r"candidates\[1\] is a str, expected the list of sentences"),
        ((RAGGED, RAGGED[:2]), ValueError, "candidates has 3 sources, references has 2"),
        ((RAGGED, None, [1, 2]), ValueError, "weights has 2 entries, but there are 3 sources of"),
        ((RAGGED, None, 5), ValueError, "weights has no entries, but there are 3 sources"),
        ((RAGGED, None, [[1] * 3, [1], [1] * 3]), ValueError, r"weights\[2\] has the shape \(3,\)"),
        ((RAGGED, None, [[1] * 3, [1], [1, -1]]), ValueError, r"weights\[2\]\[1\] is -1"),
    ],
)
def test_errors_of_batches_name_the_source(arguments, error, message):
    raises(error, message, mbr, *arguments)


EXAMPLE = wmt22.PROJECT / "examples" / "mbr.py"


@pytest.mark.parametrize("options", [[], ["--aggregate", "--threads", "2", str(wmt22.WMT22)]])
def test_the_example(options):
    """What it prints follows from the choice and from sacreBLEU's scores."""
    systems = wmt22.lines_of_systems("de-en")
    sources = [list(candidates) for candidates in zip(*systems.values(), strict=True)]
    arguments = EXAMPLE, "--pair", "de-en", *options
    status, out, err = python_ends(*arguments, FASTBLEU_DATA=str(wmt22.WMT22.parent))
    assert (status, err) == (0, "")
    head, choice, *rows, signature = out.splitlines()
    assert head == f"de-en: {len(sources)} sources, {len(systems)} systems"
    assert "|tok:13a|" in signature
    best = mbr(sources, aggregate="--aggregate" in options).best
    metric = sacrebleu.metrics.BLEU(references=wmt22.lines_of_references("de-en"))
    chosen = [lines[number] for lines, number in zip(sources, best, strict=True)]
    expected = metric.corpus_score(chosen, None).score
    assert re.fullmatch(rf"MBR choice, made in \d+ ms: BLEU {expected:.2f}", choice)
    for number, (name, row) in enumerate(zip(systems, rows, strict=True)):
        score = metric.corpus_score(systems[name], None).score
        share = (best == number).mean()
        name = name.removeprefix("de-en.")
        assert row == (
            f"{name}: BLEU {score:.2f}, gain {expected - score:+.2f}, chosen {share:.1%}"
        )
