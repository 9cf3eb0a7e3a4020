"""The metric for TorchEval has TorchEval's own numbers, with `==`, and is used like TorchEval's."""

import inspect

import pytest
from adaptors import PREDS, TARGET
from generators import raises, rounds, seeded
from hosts import host
from texts import batches, corpus, one_or_several, random_texts

torch = host("torch")
torcheval = host("torcheval.metrics")
toolkit = host("torcheval.metrics.toolkit")

from fastbleu import BLEU  # noqa: E402
from fastbleu.integrations.torcheval import BLEUScore  # noqa: E402

STATES = ("input_len", "target_len", "matches_by_order", "possible_matches_by_order")


def random_weights(rng, n_gram):
    if rng.random() < 0.5:
        return None
    dtype = rng.choice((torch.float32, torch.float64))
    return torch.tensor([rng.choice((0, 1, rng.random())) for _ in range(n_gram)], dtype=dtype)


def same(score, expected):
    """Whether two tensors are identical, including nan."""
    equal = torch.equal(score, expected) or bool(score.isnan() and expected.isnan())
    return equal and (score.dtype, score.shape) == (expected.dtype, expected.shape)


def states(metric):
    return [getattr(metric, name).tolist() for name in STATES]


def own_numbers(n_gram, weights=None):
    """A metric with TorchEval's own scores."""
    metric = BLEU("torcheval", max_ngram_order=n_gram, weights=weights)
    return BLEUScore(metric=metric)


def filled(metric=None):
    return (metric or BLEUScore(n_gram=4)).update(PREDS, TARGET)


@random_texts
@pytest.mark.parametrize("n_gram", [1, 2, 3, 4])
def test_torchevals_own_score(n_gram):
    rng = seeded("torcheval", n_gram)
    refused = 0
    for _ in range(rounds(300)):
        weights = random_weights(rng, n_gram)
        own = torcheval.BLEUScore(n_gram=n_gram, weights=weights)
        ours = own_numbers(n_gram, weights)
        texts, target = corpus(rng)
        target = one_or_several(target)
        for part in batches(rng, texts, target):
            try:
                own.update(*part)
            except ValueError:
                refused += 1
                before = states(ours)
                raises(ValueError, "n_gram", ours.update, *part)
                assert states(ours) == before
            else:
                assert ours.update(*part) is ours
            assert states(ours) == states(own)
            assert same(ours.compute(), own.compute())
    assert n_gram == 1 or refused > rounds(300) // 10


def test_single_texts():
    for make in (lambda: BLEUScore(n_gram=2), lambda: own_numbers(2)):
        whole = make().update(["a b c"], [["a b d"]])
        for batch in (("a b c", ["a b d"]), ("a b c", [["a b d"]]), (["a b c"], ["a b d"])):
            metric = make().update(*batch)
            assert states(metric) == states(whole)


def test_arguments_are_torchevals_and_a_few_more():
    for name in ("__init__", "update", "merge_state", "compute"):
        own = inspect.signature(getattr(torcheval.BLEUScore, name)).parameters.values()
        ours = inspect.signature(getattr(BLEUScore, name)).parameters.values()
        found, expected = ([(p.name, p.kind, p.default) for p in side] for side in (ours, own))
        if name == "__init__":  # n_gram is required unless there is a metric
            assert expected[1] == (
                "n_gram",
                inspect.Parameter.KEYWORD_ONLY,
                inspect.Parameter.empty,
            )
            expected[1] = (*expected[1][:2], None)
            expected.append(("metric", inspect.Parameter.KEYWORD_ONLY, None))
        assert found == expected
    raises(TypeError, "BLEUScore needs n_gram=, or a metric=", BLEUScore)
    for wrong, words in (
        ({"metric": "torcheval", "n_gram": 4}, "metric is given, and n_gram too: a metric has all"),
        ({"metric": BLEU(), "weights": torch.ones(4)}, "and weights too"),
    ):
        raises(ValueError, words, BLEUScore, **wrong)
    weights = [0.1, 0.2, 0.3, 0.4]
    tensor = torch.tensor(weights, dtype=torch.float64)
    assert same(
        filled(BLEUScore(n_gram=4, weights=tensor)).compute(),
        filled(BLEUScore(n_gram=4, weights=weights)).compute(),
    )
    assert filled().compute().dtype == torch.float64


def test_messages_begin_with_torchevals():
    def message(call, *arguments, **options):
        with pytest.raises(ValueError) as caught:
            call(*arguments, **options)
        return str(caught.value)

    for n_gram, batch in (
        (2, (["a b", "c"], ["a b"])),
        (2, ("a b", [["a"], ["b"]])),
        (2, (["a", "", "b"], ["a", "a", "b b"])),
        (3, ([], [])),
    ):
        theirs = message(torcheval.BLEUScore(n_gram=n_gram).update, *batch)
        assert message(own_numbers(n_gram).update, *batch).startswith(theirs)
    wrong = {"n_gram": 2, "weights": torch.ones(3)}
    assert message(BLEUScore, **wrong).startswith(message(torcheval.BLEUScore, **wrong))
    raises(ValueError, "max_ngram_order=5: its longest n-grams are 1, 2, 3, 4", own_numbers, 5)


def test_states_can_be_saved_and_cloned():
    metric, loaded = filled(), BLEUScore(n_gram=4)
    loaded.load_state_dict(metric.state_dict())
    with torch.inference_mode():
        inference = filled()
    for other in (toolkit.clone_metric(metric), loaded, inference.to("cpu")):
        assert states(other) == states(metric)
        assert other.update(["a"], ["a"]).input_len == metric.input_len + 1
        assert same(other.reset().update(PREDS, TARGET).compute(), metric.compute())


def test_all_metrics_are_merged_or_none():
    parts = [
        BLEUScore(n_gram=4).update([text], [its]) for text, its in zip(PREDS, TARGET, strict=True)
    ]
    metric = BLEUScore(n_gram=4)
    assert metric.merge_state(part for part in parts) is metric
    assert states(metric) == states(filled())
    metric.merge_state([metric])
    expected = states(metric)
    assert expected[0] == 2 * states(filled())[0]
    words = {"smooth_method": "none", "tokenize": "none", "lowercase": True}
    for other in ({"dialect": "torcheval"}, {"smooth_method": "none"}, words):
        wrong = filled(BLEUScore(metric=BLEU(**other)))
        raises(ValueError, "cannot be added", metric.merge_state, [filled(), wrong])
        assert states(metric) == expected


def test_counts_of_torchevals_own_metric_are_refused():
    """It counts the length of the shortest reference."""
    theirs, metric = filled(torcheval.BLEUScore(n_gram=4)), filled()
    expected = states(metric)
    raises(ValueError, "cannot be added", metric.merge_state, [theirs])
    assert states(metric) == expected
    raises(ValueError, "TorchEval's own counts", metric.load_state_dict, theirs.state_dict())
    other = BLEUScore(n_gram=1).state_dict()  # tensors of one number would be broadcast
    raises(ValueError, "int64 of n_gram 1, this", metric.load_state_dict, other)
    assert states(metric) == expected
