"""MBR decoding against the means of sacreBLEU's and nltk's scores, pair by pair, with `==`."""

import difflib
import itertools
import math
import re
import sys
from collections import Counter
from dataclasses import FrozenInstanceError

import nltk.translate.bleu_score
import numpy as np
import pytest
import sacrebleu
import sacrebleu_cases as cases
import wmt22
from commands import python_ends
from generators import IGNORED_OF_RANDOM, raises, seeded

import fastbleu
import fastbleu.sacrebleu
from fastbleu.matrix import MBRResult, decoding, mbr, pairwise

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


def scores_of_pairs(candidates, references, **options):
    """sacreBLEU's score of every pair, by the class that equals it."""
    metric = fastbleu.sacrebleu.BLEU(**{"effective_order": True, **options})
    return np.array([[metric.sentence_score(c, [r]).score for r in references] for c in candidates])


def expectations(scores, weights=None):
    """The mean of each row."""
    if weights is None:
        return scores.sum(axis=1) / scores.shape[1]
    return (scores * weights).sum(axis=1) / weights.sum()


def check(result, scores, weights=None):
    """The result is that of these scores."""
    assert isinstance(result, MBRResult)
    expected = expectations(scores, weights)
    assert result.utilities.dtype == np.float64
    assert result.utilities.tolist() == expected.tolist()
    assert type(result.best) is int
    assert result.best == expected.tolist().index(expected.max())


OPTIONS = [
    {},
    {"max_ngram_order": 2},
    {"lowercase": True},
    {"tokenize": "intl"},
    {"tokenize": "char"},
    {"smooth_method": "floor", "smooth_value": 0.3},
    {"smooth_method": "add-k"},
    {"smooth_method": "none"},
    {"effective_order": False},
]


@pytest.mark.parametrize("theirs", OPTIONS, ids=str)
def test_means_of_sacrebleus_scores(theirs):
    ours = cases.named_here(theirs)
    rng = seeded("mbr", theirs)
    for size in (1, 2, 3, 9, 40):
        candidates, references = texts(rng, size), texts(rng, rng.randint(1, 30))
        scores = scores_of_pairs(candidates, references, **theirs)
        check(mbr(candidates, references, **ours), scores)
        check(mbr(candidates, **ours), scores_of_pairs(candidates, candidates, **theirs))
        weights = np.array([rng.random() for _ in references])
        check(mbr(candidates, references, weights, **ours), scores, weights)


def test_sacrebleu_itself():
    rng = seeded("mbr sacrebleu")
    candidates, references = texts(rng, 12), texts(rng, 10)
    metric = sacrebleu.metrics.BLEU(effective_order=True)
    scores = [[metric.sentence_score(c, [r]).score for r in references] for c in candidates]
    check(mbr(candidates, references), np.array(scores))


def test_nltks_dialect():
    rng = seeded("mbr nltk")
    smooth = nltk.translate.bleu_score.SmoothingFunction().method1
    candidates, references = ([text.split() for text in texts(rng, 15)] for _ in range(2))
    scores = [
        [
            float(nltk.translate.bleu_score.sentence_bleu([r], c, smoothing_function=smooth))
            for r in references
        ]
        for c in candidates
    ]
    options = {"dialect": "nltk", "smoothing": "floor", "tokenize": None}
    check(mbr(candidates, references, **options), np.array(scores))


def test_the_matrix():
    rng = seeded("mbr matrix")
    candidates, references = texts(rng, 30), texts(rng, 20)
    result = mbr(candidates, references, matrix=True)
    assert (result.matrix == pairwise(candidates, references)).all()
    assert result.matrix.shape == (30, 20)
    check(result, result.matrix)
    assert mbr(candidates, references).matrix is None
    assert (mbr(candidates, matrix=True).matrix == pairwise(candidates, candidates)).all()
    with pytest.raises(FrozenInstanceError):
        result.best = 0


def test_a_method_of_a_metric():
    metric = fastbleu.BLEU(effective_order=True)
    assert metric.mbr(SAMPLES).utilities.tolist() == mbr(SAMPLES).utilities.tolist()
    short = fastbleu.BLEU().mbr(SAMPLES)
    assert short.utilities[0] == 0  # of three tokens
    assert mbr(SAMPLES, effective_order=False).utilities.tolist() == short.utilities.tolist()


def test_duplicates_change_nothing():
    rng = seeded("mbr duplicates")
    different = sorted(set(texts(rng, 40)))
    for _ in range(20):
        candidates = rng.choices(different, k=rng.randint(1, 60))
        references = rng.choices(different, k=rng.randint(1, 60))
        weights = np.array([rng.random() for _ in references])
        scores = scores_of_pairs(candidates, references)
        check(mbr(candidates, references), scores)
        check(mbr(candidates, references, weights), scores, weights)
        result = mbr(candidates, matrix=True)
        check(result, scores_of_pairs(candidates, candidates))
        for one, other in itertools.combinations(range(len(candidates)), 2):
            if candidates[one] == candidates[other]:
                assert result.utilities[one] == result.utilities[other]
                assert (result.matrix[one] == result.matrix[other]).all()


def test_ties_go_to_the_lowest_index():
    assert mbr(["a b", "a b", "a b"]).best == 0
    assert mbr(["x", "a b", "c", "a b"]).best == 1
    assert mbr(["x", "y", "z"], ["a"]).best == 0
    assert mbr(SAMPLES).best == 1
    assert mbr([["x", "a b", "a b"], ["y", "z", "a b"]], [["a b"], ["a b"]]).best.tolist() == [1, 2]


def test_weights_however_they_are_given():
    rng = seeded("mbr weights")
    candidates, references = texts(rng, 20), texts(rng, 8)
    weights = [rng.randint(0, 5) for _ in references]
    weights[3] = 2
    expected = mbr(candidates, references, np.array(weights, float)).utilities.tolist()
    for same in (
        weights,
        tuple(weights),
        np.array(weights, np.int8),
        np.array(weights, np.float32),
        np.array(weights, ">f8"),
        np.repeat(weights, 2)[::2],
        [1e300 * weight for weight in weights] and [2.0**1020 * weight for weight in weights],
        [2.0**-1060 * weight for weight in weights],
    ):
        assert mbr(candidates, references, same).utilities.tolist() == expected
    half = [weight % 2 for weight in weights]
    as_bool = mbr(candidates, references, [bool(weight) for weight in half])
    assert as_bool.utilities.tolist() == mbr(candidates, references, half).utilities.tolist()


def test_a_weight_is_a_number_of_copies():
    rng = seeded("mbr copies")
    candidates, references = texts(rng, 10), texts(rng, 6)
    weights = [1, 2, 3, 4, 0, 1]
    copies = [r for r, weight in zip(references, weights, strict=True) for _ in range(weight)]
    for aggregate in (False, True):
        weighted = mbr(candidates, references, weights, aggregate=aggregate)
        repeated = mbr(candidates, copies, aggregate=aggregate)
        assert np.allclose(weighted.utilities, repeated.utilities, rtol=1e-13)


@pytest.mark.parametrize("aggregate", [False, True])
def test_log_probabilities(aggregate):
    rng = seeded("mbr log-probabilities")
    candidates, references = texts(rng, 10), texts(rng, 7)
    logs = np.array([rng.uniform(-90, -30) for _ in references])
    logs[2] = -math.inf
    result = mbr(candidates, references, log_probabilities=logs, aggregate=aggregate)
    weights = np.exp(logs - logs.max())
    assert weights[2] == 0
    expected = mbr(candidates, references, weights, aggregate=aggregate)
    assert np.allclose(result.utilities, expected.utilities, rtol=1e-13)
    without = [number for number in range(7) if number != 2]
    fewer = mbr(
        candidates,
        [references[number] for number in without],
        log_probabilities=logs[without].tolist(),
        aggregate=aggregate,
    )
    assert np.allclose(result.utilities, fewer.utilities, rtol=1e-13)
    shifted = mbr(candidates, references, log_probabilities=logs - 5000, aggregate=aggregate)
    assert np.allclose(result.utilities, shifted.utilities, rtol=1e-9)
    far = mbr(candidates, references, log_probabilities=[-1e308, 1e308] + [0] * 5)
    assert far.utilities.tolist() == scores_of_pairs(candidates, references)[:, 1].tolist()


@pytest.mark.parametrize("aggregate", [False, True])
def test_batches(aggregate):
    rng = seeded("mbr batches")
    candidates, references = ([texts(rng, size) for _ in range(40)] for size in (7, 9))
    weights = [[rng.random() for _ in range(9)] for _ in range(40)]
    options = {"aggregate": aggregate, "matrix": not aggregate}
    result = mbr(candidates, references, weights, **options)
    assert (result.best.dtype, result.best.shape) == (np.int64, (40,))
    assert result.utilities.shape == (40, 7)
    for threads in (2, 3, 50):  # which take sources in turns
        found = mbr(candidates, references, weights, threads=threads, **options)
        assert found.best.tolist() == result.best.tolist()
        assert found.utilities.tolist() == result.utilities.tolist()
        assert aggregate or (found.matrix == result.matrix).all()
    own = mbr(candidates, **options)
    for b in range(40):
        alone = mbr(candidates[b], references[b], weights[b], **options)
        assert result.best[b] == alone.best
        assert result.utilities[b].tolist() == alone.utilities.tolist()
        alone_own = mbr(candidates[b], **options)
        assert own.utilities[b].tolist() == alone_own.utilities.tolist()
        if not aggregate:
            assert (result.matrix[b] == alone.matrix).all()
            assert (own.matrix[b] == alone_own.matrix).all()
    logs = mbr(candidates, references, log_probabilities=np.log(weights), aggregate=aggregate)
    assert np.allclose(logs.utilities, result.utilities, rtol=1e-12)
    assert mbr(candidates, references, aggregate=aggregate).matrix is None


def test_signatures():
    signature = fastbleu.BLEU(effective_order=True).signature
    for result in (mbr(SAMPLES), mbr([SAMPLES], threads=2), mbr(SAMPLES, weights=[1, 2, 3, 4])):
        assert result.signature == signature
    assert "smooth:floor[0.10]" in mbr(SAMPLES, smoothing="floor").signature
    assert mbr(SAMPLES, aggregate=True).signature == signature + "|references:aggregated"


def test_probabilities_in_the_place_of_logarithms():
    for given in ([0.1, 0.2, 0.3, 0.4], np.full((2, 4), 0.25, "f4"), [1, 0, 0, 0]):
        candidates = SAMPLES if np.ndim(given) == 1 else [SAMPLES] * 2
        with pytest.warns(fastbleu.InputWarning, match="pass weights="):
            mbr(candidates, log_probabilities=given)
    for given in ([0.1, 0.2, 0.3, 0.5], [-0.5, 0.5, 0.5, 0.5], [0, 0, 0, 0], np.log([0.25] * 4)):
        mbr(SAMPLES, log_probabilities=given)
    mbr(SAMPLES[:1], log_probabilities=[1])


def test_tokens_and_ids():
    rng = seeded("mbr tokens")
    candidates, references = ([text.split() for text in texts(rng, 12)] for _ in range(2))
    as_text = [[" ".join(tokens) for tokens in side] for side in (candidates, references)]
    expected = mbr(*as_text, tokenize="none").utilities.tolist()
    assert mbr(candidates, references, tokenize=None).utilities.tolist() == expected
    numbers = {word: number for number, word in enumerate(WORDS, 1)}

    def padded(sentences):
        made = np.zeros((len(sentences), 14), np.int32)
        for row, tokens in zip(made, sentences, strict=True):
            row[: len(tokens)] = [numbers[token] for token in tokens]
        return made

    ids = padded(candidates), padded(references)
    found = mbr(*ids, tokenize=None, ignore_ids=(0,))
    assert found.utilities.tolist() == expected
    masks = {"candidate_mask": ids[0] != 0, "reference_mask": ids[1] != 0}
    assert mbr(*ids, tokenize=None, **masks).utilities.tolist() == expected
    ragged = [[row[row != 0] for row in side] for side in ids]
    assert mbr(*ragged, tokenize=None).utilities.tolist() == expected
    batched = [np.stack([side, side[::-1]]) for side in ids]
    masks = {"candidate_mask": batched[0] != 0, "reference_mask": batched[1] != 0}
    for found in (
        mbr(*batched, tokenize=None, ignore_ids=(0,)),
        mbr(*batched, tokenize=None, **masks),
    ):
        assert found.utilities[0].tolist() == expected
        assert np.allclose(found.utilities[1], expected[::-1], rtol=1e-13)
    own = mbr(ids[0], tokenize=None, candidate_mask=ids[0] != 0, matrix=True)
    assert (own.matrix == pairwise(as_text[0], as_text[0], tokenize="none")).all()


@pytest.mark.parametrize("threads", [1, 3])
def test_blocks(monkeypatch, threads):
    rng = seeded("mbr blocks")
    candidates, references = texts(rng, 70), texts(rng, 25)
    weights = [rng.random() for _ in references]
    expected = mbr(candidates, references, weights, matrix=True)
    for size in (1, 60, 26 * 25):
        monkeypatch.setattr(decoding, "_BLOCK_SCORES", size)
        found = mbr(candidates, references, weights, matrix=True, threads=threads)
        assert found.best == expected.best
        assert found.utilities.tolist() == expected.utilities.tolist()
        assert (found.matrix == expected.matrix).all()


def test_many_candidates_of_a_thousand_references():
    rng = seeded("mbr many")
    candidates, references = texts(rng, 300), texts(rng, 1100, 25)
    scores = pairwise(candidates, references)
    check(mbr(candidates, references), scores)
    weights = np.array([rng.random() for _ in references])
    check(mbr(candidates, references, weights, threads=2), scores, weights)


def test_a_progress_bar(capfd, monkeypatch):
    sources = [SAMPLES, SAMPLES[::-1]]
    for options in ({}, {"aggregate": True}):
        mbr(sources, **options)
        assert capfd.readouterr().err == ""
        mbr(sources, progress=True, threads=2, **options)
        assert "32.0/32.0" in capfd.readouterr().err
    mbr(SAMPLES, progress=True)
    assert "16.0/16.0" in capfd.readouterr().err  # pairs; those of equal sentences, too
    monkeypatch.setitem(sys.modules, "tqdm", None)
    mbr(sources)


WRONG = [
    ({"candidates": []}, ValueError, "candidates is empty"),
    ({"references": []}, ValueError, "references is empty"),
    ({"candidates": [[], []], "references": None}, ValueError, r"candidates\[0\] is empty"),
    ({"candidates": [["a"]], "references": [[]]}, ValueError, r"references\[0\] is empty"),
    (
        {"candidates": np.zeros((0, 2, 3), int), "references": None, "tokenize": None},
        ValueError,
        "candidates is empty",
    ),
    ({"candidates": "a cat"}, TypeError, "candidates"),
    ({"candidates": ["a", 7]}, TypeError, r"candidates\[1\]"),
    ({"references": ["a", "b", None]}, TypeError, r"references\[2\]"),
    ({"candidates": [["a"], ["b", "c"]], "references": None}, ValueError, "candidates"),
    ({"candidates": [["a"], [3]], "references": None}, TypeError, r"candidates\[1\]\[0\]"),
    ({"weights": [1, 2]}, ValueError, r"shape \(2,\).*3 references.*\(3,\)"),
    ({"weights": [[1, 2, 3]]}, ValueError, r"shape \(1, 3\)"),
    ({"weights": (0.25,) * 4}, ValueError, r"weights of n-gram orders go to fastbleu\.BLEU"),
    ({"references": [0.2, 0.3, 0.5]}, TypeError, "pass weights by their name"),
    ({"weights": 1.0}, ValueError, r"shape \(\)"),
    ({"weights": [1, -0.5, 2]}, ValueError, r"weights\[1\] is -0.5.*at least 0"),
    ({"weights": [1, math.nan, 2]}, ValueError, r"weights\[1\] is nan"),
    ({"weights": [1, 2, math.inf]}, ValueError, r"weights\[2\] is inf"),
    ({"weights": [0, 0, 0]}, ValueError, "0 for all references"),
    ({"weights": ["a", "b", "c"]}, TypeError, "expected numbers"),
    ({"weights": [1, 2j, 3]}, TypeError, "expected numbers"),
    ({"weights": [[1], [2, 3], 4]}, ValueError, "weights cannot be read"),
    ({"log_probabilities": [0, math.nan, 0]}, ValueError, r"log_probabilities\[1\] is nan"),
    ({"log_probabilities": [0, math.inf, 0]}, ValueError, r"log_probabilities\[1\] is inf"),
    ({"log_probabilities": [-math.inf] * 3}, ValueError, "-inf for all references"),
    ({"log_probabilities": [0.0]}, ValueError, "log_probabilities has the shape"),
    ({"weights": [1] * 3, "log_probabilities": [0] * 3}, ValueError, "pass only one"),
    ({"aggregate": True, "matrix": True}, ValueError, "makes no matrix"),
    ({"aggregate": True, "dialect": "nltk", "smoothing": "floor"}, ValueError, "dialect 'nltk'"),
    ({"references": None, "reference_mask": [[1]]}, ValueError, "candidate_mask="),
    ({"candidate_mask": [[1]]}, TypeError, "mask"),
    ({"smoothing": "linear"}, ValueError, "choose one of"),
    ({"color": "red"}, TypeError, "color"),
]


@pytest.mark.parametrize(("arguments", "error", "message"), WRONG, ids=range(len(WRONG)))
def test_errors(arguments, error, message):
    with pytest.raises(error, match=message):
        mbr(**{"candidates": ["a b", "b"], "references": ["a", "b", "c d"], **arguments})


def test_errors_of_batches_name_the_source():
    sources = [["a b", "b c"], ["c", "d"]]
    for weights, message in (
        ([1, 1], r"shape \(2,\).*2 references for each of 2 sources.*\(2, 2\)"),
        ([[1, 1], [1, -1]], r"weights\[1, 1\] is -1"),
        ([[1, 1], [0, 0]], r"weights\[1\] is 0 for all references"),
    ):
        raises(ValueError, message, mbr, sources, weights=weights)
    with pytest.raises(ValueError, match=r"log_probabilities\[0\] is -inf for all references"):
        mbr(sources, log_probabilities=[[-math.inf] * 2, [0, 0]])


def test_text_that_looks_tokenized_is_noticed_once():
    with pytest.warns(fastbleu.InputWarning, match="tokenize") as caught:
        mbr([f"It is {number} ." for number in range(200)])
    assert len(caught) == 1


def ngrams_of(tokens, n):
    return Counter(tuple(tokens[i : i + n]) for i in range(len(tokens) - n + 1))


class Length(float):
    """A fraction where sacreBLEU shows an integer."""

    def __format__(self, spec):
        return str(float(self))


def aggregated(candidates, references, weights=None, max_order=4, **smoothing):
    """DeNero's expected scores, in the plainest way."""
    weights = [1.0] * len(references) if weights is None else weights
    total = ref_len = 0.0
    expected = [Counter() for _ in range(max_order)]
    for reference, weight in zip(references, weights, strict=True):
        total += weight
        ref_len += weight * len(reference)
        for n, counts in enumerate(expected, 1):
            for ngram, count in ngrams_of(reference, n).items():
                counts[ngram] += weight * count
    scores = []
    for candidate in candidates:
        matches, totals = [], []
        for n, counts in enumerate(expected, 1):
            found = ngrams_of(candidate, n)
            clipped = [min(count, counts[ngram] / total) for ngram, count in found.items()]
            matches.append(sum(clipped) if clipped else 0)
            totals.append(found.total())
        score = sacrebleu.metrics.BLEU.compute_bleu(
            matches,
            totals,
            len(candidate),
            Length(ref_len / total),
            max_ngram_order=max_order,
            **{"smooth_method": "exp", "effective_order": True, **smoothing},
        )
        scores.append(score.score)
    return scores


SMOOTHING = [
    {},
    {"smooth_method": "none"},
    {"smooth_method": "floor", "smooth_value": 0.5},
    {"smooth_method": "add-k", "smooth_value": 2},
    {"effective_order": False},
    {"max_order": 2},
    {"max_order": 70},
]


@pytest.mark.parametrize("theirs", SMOOTHING, ids=range(len(SMOOTHING)))
def test_aggregated_references(theirs):
    ours = cases.named_here(theirs)
    rng = seeded("mbr aggregated", theirs)
    for _ in range(60):
        longest = rng.choice((3, 12, 90))
        candidates, references = (texts(rng, rng.randint(1, 20), longest) for _ in range(2))
        sides = [[text.split() for text in side] for side in (candidates, references)]
        found = mbr(*sides, aggregate=True, tokenize=None, **ours)
        expected = aggregated(*sides, **theirs)
        same = np.array(found.utilities)
        # Python's sum() is compensated from 3.12 on.
        assert np.allclose(same, expected, rtol=1e-13, atol=0)
        if sys.version_info < (3, 12):
            assert found.utilities.tolist() == expected
            assert found.best == expected.index(max(expected))
        weights = [rng.choice((0, 0.5, rng.random())) for _ in references]
        weights[0] += 1
        weighted = mbr(*sides, weights, aggregate=True, tokenize=None, **ours).utilities
        assert np.allclose(weighted, aggregated(*sides, weights, **theirs), rtol=1e-13, atol=0)
        own = mbr(sides[0], aggregate=True, tokenize=None, **ours).utilities
        assert np.allclose(own, aggregated(sides[0], sides[0], **theirs), rtol=1e-13, atol=0)
        as_text = mbr(candidates, references, aggregate=True, tokenize="none", **ours)
        assert as_text.utilities.tolist() == found.utilities.tolist()


def test_one_reference_is_its_own_expectation():
    rng = seeded("mbr one reference")
    candidates = texts(rng, 30)
    for reference in texts(rng, 10):
        scores = pairwise(candidates, [reference])[:, 0].tolist()
        assert mbr(candidates, [reference], aggregate=True).utilities.tolist() == scores
        copies = mbr(candidates, [reference] * 7, [0.1] * 7, aggregate=True)
        assert np.allclose(copies.utilities, scores, rtol=1e-14)


def test_aggregated_with_weights_of_orders():
    rng = seeded("mbr weights of orders")
    candidates, references = texts(rng, 20), texts(rng, 20)
    options = {"max_order": 2, "effective_order": True}
    expected = mbr(candidates, references, aggregate=True, max_order=2).utilities
    nearly_even = fastbleu.BLEU(weights=(0.5, 0.5 + 2**-50), **options)
    found = nearly_even.mbr(candidates, references, aggregate=True).utilities
    assert np.allclose(found, expected, rtol=1e-13)
    first_order = fastbleu.BLEU(weights=(1, 0), **options)
    found = first_order.mbr(candidates, references, aggregate=True, weights=[3.0] * 20).utilities
    expected = mbr(candidates, references, aggregate=True, max_order=1, smoothing="none").utilities
    assert np.allclose(found, expected, rtol=1e-13)


def lines_of_systems(pair):
    """The outputs of all systems for each source, by source."""
    lines = wmt22.lines_of_systems(pair)
    return list(lines), [list(candidates) for candidates in zip(*lines.values(), strict=True)]


PAIRS = sorted({system.partition(".")[0] for system in wmt22.SYSTEMS})


@pytest.mark.parametrize("pair", PAIRS)
def test_systems_of_wmt22(pair):
    sources = lines_of_systems(pair)[1][:150]
    tokenize = {"zh": "zh", "ja": "char"}.get(pair[-2:], "13a")
    result = mbr(sources, tokenize=tokenize)
    for b, candidates in enumerate(sources):
        expected = expectations(scores_of_pairs(candidates, candidates, tokenize=tokenize))
        assert result.utilities[b].tolist() == expected.tolist()
        assert result.best[b] == expected.tolist().index(expected.max())


def crossed(rng, one, other, lost):
    """A sentence of parts of two, less a share of its words."""
    one, other = one.split(), other.split()
    words = []
    for tag, *places in difflib.SequenceMatcher(None, one, other, autojunk=False).get_opcodes():
        i, j, k, m = places
        words += one[i:j] if tag == "equal" or rng.random() < 0.5 else other[k:m]
    return " ".join(word for word in words if rng.random() >= lost)


def ranks(numbers):
    """The mean rank of each of the numbers, equal ones included."""
    _, places, counts = np.unique(numbers, return_inverse=True, return_counts=True)
    return (np.cumsum(counts) - (counts + 1) / 2)[places]


@pytest.mark.parametrize("pair", [pair for pair in PAIRS if pair[-2:] not in ("ja", "zh")])
def test_agreement_of_aggregation_with_the_matrix(pair):
    """On 64 candidates a source, made by crossing the outputs of WMT22's systems."""
    rng = seeded("mbr agreement", pair)
    names, lines = lines_of_systems(pair)
    sources = [
        [crossed(rng, *rng.choices(outputs, k=2), 0.05) for _ in range(64)]
        for outputs in lines[:100]
    ]
    full, fast = mbr(sources), mbr(sources, aggregate=True)
    every = np.arange(len(sources))
    best, chosen = (full.utilities[every, result.best] for result in (full, fast))
    mean = full.utilities.mean(axis=1)
    correlations = [
        np.corrcoef(ranks(ours), ranks(theirs))[0, 1]
        for ours, theirs in zip(full.utilities, fast.utilities, strict=True)
    ]
    agreement = (best == chosen).mean()
    kept = (chosen - mean).sum() / (best - mean).sum()
    print(
        f"{pair}: the same choice for {agreement:.0%} of the sources, rank correlation "
        f"{np.mean(correlations):.3f}, {(best - chosen).mean():.2f} BLEU of expected score lost, "
        f"{kept:.1%} of the gain over the mean candidate kept"
    )
    # The candidates of two systems that say different things are two camps, and their mean is none.
    few = len(names) == 2
    assert agreement > (0.35 if few else 0.6)
    assert np.mean(correlations) > (0.7 if few else 0.9)
    assert kept > (0.65 if few else 0.9)


EXAMPLE = wmt22.PROJECT / "examples" / "mbr.py"


def run_example(*arguments):
    """Exit status, standard output and standard error."""
    return python_ends(EXAMPLE, *arguments, FASTBLEU_DATA=str(wmt22.WMT22.parent))


@pytest.mark.parametrize("options", [[], ["--aggregate"], ["--threads", "2", str(wmt22.WMT22)]])
def test_the_example(options):
    """What it prints follows from the choice and from sacreBLEU's scores."""
    names, sources = lines_of_systems("de-en")
    status, out, err = run_example("--pair", "de-en", *options)
    assert (status, err) == (0, "")
    head, choice, *rows, signature = out.splitlines()
    assert head == f"de-en: {len(sources)} sources, {len(names)} systems"
    assert "|tok:13a|" in signature
    best = mbr(sources, aggregate="--aggregate" in options).best
    metric = sacrebleu.metrics.BLEU(references=wmt22.lines_of_references("de-en"))
    chosen = [lines[number] for lines, number in zip(sources, best, strict=True)]
    expected = metric.corpus_score(chosen, None).score
    assert re.fullmatch(rf"MBR choice, made in \d+ ms: BLEU {expected:.2f}", choice)
    for number, (name, row) in enumerate(zip(names, rows, strict=True)):
        score = metric.corpus_score([lines[number] for lines in sources], None).score
        share = (best == number).mean()
        name = name.removeprefix("de-en.")
        assert row == (
            f"{name}: BLEU {score:.2f}, gain {expected - score:+.2f}, chosen {share:.1%}"
        )


def test_errors_of_the_example(tmp_path):
    for folder in ("systems", "references"):
        (tmp_path / folder).mkdir()
    status, out, err = run_example("--pair", "en-xx", tmp_path)
    assert (status, out) == (1, "")
    assert "no en-xx.*.txt" in err
    for path in ("systems/en-xx.a.txt", "references/en-xx.A.txt"):
        (tmp_path / path).write_text("a\nb\n")
    assert "only one system" in run_example("--pair", "en-xx", tmp_path)[2]
    (tmp_path / "systems" / "en-xx.b.txt").write_text("a\n")
    assert "different numbers of lines" in run_example("--pair", "en-xx", tmp_path)[2]
    (tmp_path / "systems" / "en-xx.b.txt").write_text("a\nb\n")
    assert run_example("--pair", "en-xx", tmp_path)[0] == 0
    for wrong in (["--threads", "0"], ["--tokenize", "14a"]):
        status, _, err = run_example("--pair", "en-xx", tmp_path, *wrong)
        assert (status, "Traceback" in err) == (2, False)
        assert err.count("error: ") == 1
