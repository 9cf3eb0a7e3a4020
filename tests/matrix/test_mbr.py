"""MBR decoding against the means of the scores of all pairs, with `==`."""

import json
import math
import re
from dataclasses import FrozenInstanceError

import numpy as np
import pytest
import sacrebleu
import wmt22
from generators import IGNORED_OF_RANDOM, raises, seeded
from processes import python_ends

import fastbleu
from fastbleu import BLEU, dialects
from fastbleu.core.scoring.score import NoScoreError
from fastbleu.matrix import MBRResult, mbr, nearest, pairwise

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
    rng, metric = seeded("mbr", options), BLEU(**options)
    for size in (1, 2, 3, 9, 40):
        candidates, references = texts(rng, size), texts(rng, rng.randint(1, 30))
        scores = pairwise(candidates, references, metric=metric)
        check(mbr(candidates, references, metric=metric), scores)
        weights = np.array([rng.random() for _ in references])
        result = mbr(candidates, references, reference_weights=weights, metric=metric)
        check(result, scores, weights)
        result = mbr(candidates, return_matrix=True, metric=metric)
        scores = pairwise(candidates, candidates, metric=metric)
        check(result, scores)
        assert (result.matrix == scores).all()
    assert mbr(candidates, metric=metric).matrix is None
    with pytest.raises(FrozenInstanceError):
        result.best = 0


@pytest.mark.parametrize("name", dialects.names())
def test_what_has_no_score_is_never_best(name):
    """NaN of some dialects for two empty sentences; by default a hypothesis meets itself."""
    rng = seeded("NaN", name)
    drawn = [[*texts(rng, rng.randint(1, 9), 5), "the cat sat on the mat"] for _ in range(40)]
    try:
        metric = BLEU(name)
        pairwise(["a b c d"], ["a b c d"], metric=metric)
    except (ValueError, ImportError) as error:
        pytest.skip(str(error))
    for candidates in drawn:
        try:
            result = mbr(candidates, metric=metric)
        except NoScoreError:  # of an empty sentence, or of short ones
            assert "" in candidates or name == "torcheval"
            continue
        utilities = result.utilities.tolist()
        assert utilities[result.best] == max(u for u in utilities if not math.isnan(u))
        places = nearest(candidates, candidates, k=99, metric=metric)[1]
        scores = pairwise(candidates, candidates, metric=metric)
        assert [set(row) - {-1} for row in places] == [
            {*np.flatnonzero(row == row)} for row in scores
        ]
    if name == "matlab":
        assert any("" in candidates for candidates in drawn)
        shown = mbr(["", "a b c d", "a b c"], metric=metric)._repr_html_()
        assert "nan" not in shown
        weighted = mbr(["", "a b c d"], ["", "a b c d"], reference_weights=[0, 1], metric=metric)
        assert weighted.utilities.tolist() == [0, 1]
        words = r"hypotheses\[1\] has a score: all are NaN"
        raises(ValueError, words, mbr, [["a"], [""]], metric=metric)


def test_weights_in_every_form():
    rng = seeded("mbr weights")
    candidates, references = texts(rng, 20), texts(rng, 8)
    weights = [rng.randint(0, 5) for _ in references]
    weights[3] = 2

    def utilities(given):
        return mbr(candidates, references, reference_weights=given).utilities.tolist()

    expected = utilities(np.array(weights, float))
    for same in (
        weights,
        tuple(weights),
        np.array(weights, np.int8),
        np.array(weights, ">f8"),
        np.repeat(weights, 2)[::2],
        [2.0**1020 * weight for weight in weights],
        [2.0**-1060 * weight for weight in weights],
    ):
        assert utilities(same) == expected
    half = [weight % 2 for weight in weights]
    assert utilities([bool(weight) for weight in half]) == utilities(half)


@pytest.mark.parametrize("aggregate", [False, True])
def test_reference_lprobs(aggregate):
    rng = seeded("mbr log-probabilities")
    candidates, references = texts(rng, 10), texts(rng, 7)
    logs = np.array([rng.uniform(-90, -30) for _ in references])
    logs[2] = -math.inf
    result = mbr(candidates, references, reference_lprobs=logs, aggregate=aggregate)
    weights = np.exp(logs - logs.max())
    expected = mbr(candidates, references, reference_weights=weights, aggregate=aggregate)
    assert np.allclose(result.utilities, expected.utilities, rtol=1e-13)
    shifted = mbr(candidates, references, reference_lprobs=logs - 5000, aggregate=aggregate)
    assert np.allclose(shifted.utilities, result.utilities, rtol=1e-9)
    far = mbr(candidates, references, reference_lprobs=[-1e308, 1e308] + [0] * 5)
    assert far.utilities.tolist() == pairwise(candidates, references)[:, 1].tolist()


def test_probabilities_in_place_of_logarithms_are_noticed():
    for given in ([0.1, 0.2, 0.3, 0.4], np.full((2, 4), 0.25, "f4")):
        candidates = SAMPLES if np.ndim(given) == 1 else [SAMPLES] * 2
        with pytest.warns(fastbleu.InputWarning, match="pass reference_weights="):
            mbr(candidates, reference_lprobs=given)
    for given in ([0.1, 0.2, 0.3, 0.5], [-0.5, 0.5, 0.5, 0.5], [0, 0, 0, 0], np.log([0.25] * 4)):
        mbr(SAMPLES, reference_lprobs=given)
    mbr(SAMPLES[:1], reference_lprobs=[1])


RAGGED = [["a b c", "a b", "a b c d"], ["x"], ["b c d", "b d"]]


@pytest.mark.parametrize("options", [{}, {"aggregate": True}, {"return_matrix": True}], ids=str)
@pytest.mark.parametrize("is_ragged", [False, True])
def test_each_source_of_a_batch_is_decided_as_alone(is_ragged, options):
    rng = seeded("mbr batches", is_ragged)
    sizes = [(rng.randint(1, 7), rng.randint(1, 9)) if is_ragged else (7, 9) for _ in range(40)]
    candidates, references = ([texts(rng, size[side]) for size in sizes] for side in (0, 1))
    weights = [[rng.random() for _ in source] for source in references]
    for further in (
        {},
        {"references": references, "reference_weights": weights},
        {"references": references, "reference_lprobs": [np.log(row) for row in weights]},
    ):
        alone = [
            mbr(source, **{name: values[number] for name, values in further.items()}, **options)
            for number, source in enumerate(candidates)
        ]
        for threads in (1, 3, 50):
            found = mbr(candidates, **further, **options, metric=BLEU(threads=threads))
            assert found.best.dtype == np.int64
            assert found.best.tolist() == [result.best for result in alone]
            assert found.signature == alone[0].signature
            for name in ("utilities", *["matrix"] * ("return_matrix" in options)):
                for values, result in zip(getattr(found, name), alone, strict=True):
                    assert values.tolist() == getattr(result, name).tolist()


def test_masks_of_a_batch():
    ids = [np.array([[1, 2, 3], [1, 2, 0]]), np.array([[4, 0, 0], [4, 4, 0], [5, 0, 0]])]
    masks, metric = [rows != 0 for rows in ids], BLEU(tokenize=False)
    found = mbr(ids, hypothesis_mask=masks, metric=metric)
    for utilities, rows, mask in zip(found.utilities, ids, masks, strict=True):
        alone = mbr(rows, hypothesis_mask=mask, metric=metric)
        assert utilities.tolist() == alone.utilities.tolist()


def test_signatures():
    signature = fastbleu.BLEU(effective_order=True).signature
    for options in ({}, {"metric": "sacrebleu"}, {"reference_weights": [1, 2, 3, 4]}):
        assert mbr(SAMPLES, **options).signature == signature
    assert "smooth:floor[0.10]" in mbr(SAMPLES, metric=BLEU(smooth_method="floor")).signature
    assert mbr(SAMPLES, aggregate=True).signature == signature + "|references:aggregated"


def test_many_candidates_are_scored_in_blocks():
    """More pairs than are kept at a time."""
    candidates = [f"a {number} b" for number in range(2200)]
    references = [f"a {number}" for number in range(0, 4000, 2)]
    weights = np.arange(2000) % 7 + 0.5
    scores = pairwise(candidates, references)
    assert scores.size > 1 << 22
    for threads in (1, 3):
        options = {"return_matrix": True, "metric": BLEU(threads=threads)}
        found = mbr(candidates, references, reference_weights=weights, **options)
        check(found, scores, weights)
        assert (found.matrix == scores).all()


BATCH = [["a b", "b c"], ["c", "d"]]


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"hypotheses": []}, ValueError, "hypotheses is empty"),
        ({"references": []}, ValueError, "references is empty"),
        ({"references": ["a", "b", None]}, TypeError, r"references\[2\]"),
        ({"reference_weights": [1, 2]}, ValueError, r"shape \(2,\).*3 references.*\(3,\)"),
        ({"reference_weights": (0.25,) * 4}, ValueError, "orders go to fastbleu.BLEU"),
        ({"reference_weights": [1, -0.5, 2]}, ValueError, r"weights\[1\] is -0.5.*at least 0"),
        ({"reference_weights": [1, 2, math.inf]}, ValueError, r"weights\[2\] is inf"),
        ({"reference_weights": [0, 0, 0]}, ValueError, "0 for all references"),
        ({"reference_weights": ["a", "b", "c"]}, TypeError, "expected numbers"),
        ({"reference_weights": [[1], [2, 3], 4]}, ValueError, "weights cannot be read"),
        ({"reference_lprobs": [0, math.nan, 0]}, ValueError, r"reference_lprobs\[1\] is nan"),
        ({"reference_lprobs": [-math.inf] * 3}, ValueError, "-inf for all references"),
        ({"aggregate": True, "return_matrix": True}, ValueError, "makes no matrix"),
        ({"aggregate": True, "metric": "nltk"}, ValueError, "dialect 'nltk'"),
    ],
)
def test_errors(arguments, error, message):
    arguments = {"hypotheses": ["a b", "b"], "references": ["a", "b", "c d"], **arguments}
    raises(error, message, mbr, **arguments)


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ((BATCH, None, [1, 1]), ValueError, r"shape \(2,\).*2 references for each of 2 sources"),
        ((BATCH, None, [[1, 1], [1, -1]]), ValueError, r"weights\[1, 1\] is -1"),
        ((BATCH, None, [[1, 1], [0, 0]]), ValueError, r"weights\[1\] is 0 for all references"),
        (([["a"], []],), ValueError, r"hypotheses\[1\] is empty.*choose by; leave this source out"),
        (([["a"], ["b"]], [["a", "b"], []]), ValueError, r"references\[1\] is empty"),
        (([["a", "b"], ["c", ["d"]]],), TypeError, r"hypotheses\[1\]\[1\] is a list, expected a"),
        (([["a"], "b"],), TypeError, r"hypotheses\[1\] is a str, expected the list of sentences"),
        ((RAGGED, RAGGED[:2]), ValueError, "hypotheses has 3 sources, references has 2"),
        ((RAGGED, None, [1, 2]), ValueError, "weights has 2 entries for 3 sources of"),
        ((RAGGED, None, 5), ValueError, "weights has no entries for 3 sources"),
        ((RAGGED, None, [[1] * 3, [1], [1] * 3]), ValueError, r"weights\[2\] has the shape \(3,\)"),
        ((RAGGED, None, [[1] * 3, [1], [1, -1]]), ValueError, r"weights\[2\]\[1\] is -1"),
    ],
)
def test_errors_of_batches_name_the_source(arguments, error, message):
    hypotheses, references, weights, *_ = *arguments, None, None
    raises(error, message, mbr, hypotheses, references, reference_weights=weights)


@pytest.mark.parametrize("hypotheses", [SAMPLES, [SAMPLES] * 2, RAGGED], ids=len)
def test_a_result_as_plain_values(hypotheses):
    result = mbr(hypotheses, return_matrix=True)
    plain = json.loads(json.dumps(result.to_dict()))
    assert plain == result.to_dict()
    assert list(plain) == ["best", "utilities", "matrix", "signature"]
    assert plain["best"] == np.asarray(result.best).tolist()
    assert plain["signature"] == result.signature
    for name in ("utilities", "matrix"):
        parts = zip(plain[name], getattr(result, name), strict=True)
        assert all(part == array.tolist() for part, array in parts)
    assert mbr(hypotheses).to_dict()["matrix"] is None
    assert ("1-3 hypotheses" in result._repr_html_()) == (hypotheses is RAGGED)


EXAMPLE = wmt22.PROJECT / "examples" / "mbr.py"


@pytest.mark.wmt22
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
