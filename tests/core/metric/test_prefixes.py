"""`BLEU.prefix_scores`: exactly the sentence scores of all prefixes, which are counted once."""

import numpy as np
import pytest
from generators import IGNORED_OF_RANDOM, raises, rounds, seeded
from id_batches import DTYPES, as_arrays, random_batch

from fastbleu import BLEU, dialects

pytestmark = [
    pytest.mark.filterwarnings(ignored) for ignored in (*IGNORED_OF_RANDOM, "ignore:the id -100")
]


def by_definition(metric, hypotheses, references, hypothesis_mask=None, **mask):
    """The sentence scores of the prefixes of an array, one column after the other."""
    columns = []
    for end in range(1, hypotheses.shape[-1] + 1):
        cut = {} if hypothesis_mask is None else {"hypothesis_mask": hypothesis_mask[..., :end]}
        columns.append(metric.sentence_scores(hypotheses[..., :end], references, **cut, **mask))
    return np.array(columns).T.reshape(np.atleast_2d(hypotheses).shape)


def noisy(rng, references, ids, share=0.3):
    """Rows of the same length as the references, with some ids replaced."""
    return np.array(
        [[rng.choice(ids) if rng.random() < share else one for one in row] for row in references]
    )


def test_random_batches(simd):
    for number in range(rounds(10_000, 50)):
        rng = seeded("prefixes", number)
        dtypes = rng.choice(DTYPES), rng.choice(DTYPES)
        batch = random_batch(rng, dtypes)
        if not batch.hypotheses:
            continue
        (hypotheses, references), masks = as_arrays(rng, batch, dtypes)
        options = {**batch.options, "effective_order": rng.random() < 0.7}
        if rng.random() < 0.3:
            options["reference_length"] = rng.choice(["first", "shortest"])
        metric = BLEU(tokenize=False, max_ngram_order=rng.choice((1, 2, 4, 8)), **options)
        found = metric.prefix_scores(hypotheses, references, **masks)
        assert found.dtype == np.float64
        assert (found == by_definition(metric, hypotheses, references, **masks)).all()
        deltas = metric.prefix_scores(hypotheses, references, delta=True, **masks)
        assert (deltas == np.diff(found, prepend=0.0)).all()


def test_rows_of_any_length_that_end_anywhere(simd):
    ids = range(3, 30)
    for length in (5, 63, 64, 65, 130, 520, 1030):
        rng, number = seeded("prefixes", length), 12 if length < 500 else 3
        references = np.array([[rng.choice(ids) for _ in range(length)] for _ in range(number)])
        hypotheses = noisy(rng, references, ids)
        for row in hypotheses[1:]:
            end = rng.randrange(length)
            row[end] = 2
            row[end + 1 :] = 0
            row[: rng.randrange(3)] = 1
        several = np.stack([references, noisy(rng, references, ids)], axis=1)
        metric = BLEU(
            tokenize=False, stop_ids=2, ignore_ids=(0,), skip_ids=(1,), effective_order=True
        )
        found = metric.prefix_scores(hypotheses, several)
        assert (found == by_definition(metric, hypotheses, several)).all(), length


@pytest.mark.parametrize("name", dialects.names())
def test_every_dialect(name):
    """Of more prefixes than are counted at a time."""
    if name.startswith("torch"):
        pytest.importorskip("torch")
    rng = seeded("prefixes", name)
    # torcheval refuses hypotheses of fewer tokens than the longest n-grams have.
    metric = BLEU(tokenize=False, dialect=name, max_ngram_order=1 if name == "torcheval" else None)
    references = np.array([rng.choices(range(9), k=12) for _ in range(300)])
    hypotheses = noisy(rng, references, range(9))
    if name in ("codebleu-weighted", "fairseq"):
        with pytest.raises(ValueError, match=f"dialect '{name}' does not support prefix_scores: "):
            metric.prefix_scores(hypotheses, references)
        return
    found = metric.prefix_scores(hypotheses, references)
    assert (found == by_definition(metric, hypotheses, references)).all()


def test_lists_of_tokens_are_filled_up_to_the_longest():
    metric = BLEU(tokenize=False, effective_order=True)
    hypotheses = [["a", "b", "x", "c"], [], ["a", "c"]]
    references = [[["a", "b", "c"]], [["a"]], [["b"], ["a", "b", "c"]]]
    expected = [
        metric.sentence_scores([tokens[:end] for tokens in hypotheses], references)
        for end in range(1, 5)
    ]
    assert (metric.prefix_scores(hypotheses, references) == np.array(expected).T).all()
    assert metric.prefix_scores(np.array([5, 6, 7]), np.array([5, 6, 7])).shape == (1, 3)
    assert metric.prefix_scores([], []).shape == (0, 0)
    assert metric.prefix_scores(np.zeros((2, 0), int), np.ones((2, 3), int)).shape == (2, 0)


@pytest.mark.parametrize("options", [{}, {"smooth_method": "add-k"}, {"weights": [0.5, 0.5]}])
def test_positions_that_do_not_count_change_nothing(options):
    """In every dialect and recipe, wherever they are; the rest adds up to the score."""
    pytest.importorskip("fastbleu.originals")
    rng, scored = seeded("deltas", options), 0
    ids = {"ignore_ids": 0, "skip_ids": 1, "stop_ids": 2}
    if "weights" in options:
        options = {**options, "max_ngram_order": 2}
    for name in dialects.names(recipes=True):
        try:
            metric = BLEU(name, tokenize=False, **ids, **options)
            metric.prefix_scores(*[[[3, 4, 5, 6, 7]]] * 2)
        except (ValueError, ImportError):  # each says why
            continue
        for _ in range(30):
            tokens = [rng.randint(3, 9) for _ in range(rng.randint(0, 8))]
            reference = [[rng.choice([token, 3, 11]) for token in tokens] or [0]]
            padded, places = [], []
            for token in [*tokens, 2]:
                padded += rng.choices((0, 1), k=rng.choice((0, 0, 1, 3)))
                places.append(len(padded))
                padded.append(token)
            padded += [3, 4]  # after the stop id
            if name == "torcheval" and tokens:
                continue  # refuses prefixes of fewer than 4 tokens
            [deltas] = metric.prefix_scores([padded], reference, delta=True)
            expected = np.zeros(len(padded))
            if tokens:
                expected[places[:-1]] = metric.prefix_scores([tokens], reference, delta=True)
                [score] = metric.sentence_scores([padded], reference)
                assert deltas.sum() == pytest.approx(score, abs=1e-12), (name, padded)
            assert deltas.tolist() == expected.tolist(), (name, padded, reference)
            scored += 1
    assert scored >= 100


def test_what_has_no_prefix_scores_is_refused():
    ids, tokens = np.array([[5, 6, 7]]), BLEU(tokenize=False)
    raises(ValueError, "pass tokenize=False", BLEU().prefix_scores, ["a"], ["a"])
    raises(ValueError, "up to 8", BLEU(tokenize=False, max_ngram_order=9).prefix_scores, ids, ids)
    raises(TypeError, "delta", lambda: tokens.prefix_scores(ids, ids, delta="no"))
    raises(TypeError, "split it into tokens", tokens.prefix_scores, ["a b"], [["a b"]])
    words, several = "references has 2 segments", np.ones((2, 3, 4), int)
    raises(ValueError, words, tokens.prefix_scores, np.ones((3, 4), int), several)
    metric = BLEU("evaluate", tokenize=False, skip_ids=(1,))
    sides = np.array([[5, 6], [1, 5]]), np.array([[5, 6], [5, 6]])
    raises(ValueError, "segment 1, position 0: ", metric.prefix_scores, *sides)
