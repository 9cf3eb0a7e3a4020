"""The metrics for TorchMetrics have its own numbers, with `==`, and are used like its metrics."""

import copy
import inspect

import pytest
from adaptors import PREDS, TARGET
from generators import raises, rounds, seeded
from hosts import host
from texts import batches, corpus, random_texts

torch = host("torch")
torchmetrics = host("torchmetrics")

from fastbleu import BLEU  # noqa: E402
from fastbleu.integrations.torchmetrics import BLEUScore, SacreBLEUScore  # noqa: E402

COUNTS = "preds_len", "target_len", "numerator", "denominator"
KINDS = (
    (BLEUScore, torchmetrics.text.BLEUScore),
    (SacreBLEUScore, torchmetrics.text.SacreBLEUScore),
)


def random_weights(rng, n_gram):
    kind = rng.randrange(3)
    if kind == 0:
        return None
    if kind == 1:
        return [rng.random() for _ in range(n_gram)]
    return [rng.choice((0.0, 0.5, 1.0)) for _ in range(n_gram - 1)] + [1.0]


def assert_equal(score, expected):
    assert (score.dtype, score.shape) == (expected.dtype, expected.shape)
    assert torch.equal(score, expected), (score.item(), expected.item())


def counts(metric):
    return [getattr(metric, name).tolist() for name in COUNTS]


def filled(metric=None, preds=PREDS, target=TARGET):
    metric = SacreBLEUScore() if metric is None else metric
    metric.update(preds, target)
    return metric


def own_numbers(n_gram, smooth, *others):
    """The metric with TorchMetrics' own scores for these options of one of its classes."""
    tokenize, lowercase, weights = others if len(others) > 1 else ("none", False, *others)
    return BLEU(
        dialect="torchmetrics",
        tokenize=tokenize,
        lowercase=lowercase,
        max_ngram_order=n_gram,
        weights=weights,
        smooth_method="add-k" if smooth else "none",
    )


OWN_13A = own_numbers(4, False, "13a", False, None)


@random_texts
@pytest.mark.parametrize("tokenize", [None, "none", "13a", "zh", "char", "intl"])
def test_torchmetrics_own_scores(tokenize):
    """Those of SacreBLEUScore, and of BLEUScore, which has no tokenizer."""
    rng = seeded("torchmetrics", tokenize)
    for _ in range(rounds(400)):
        n_gram, smooth = rng.choice((1, 2, 2, 4, 6)), rng.random() < 0.5
        options = n_gram, smooth, tokenize, rng.random() < 0.5, random_weights(rng, n_gram)
        if tokenize is None:
            options = n_gram, smooth, random_weights(rng, n_gram)
        kind, own = KINDS[tokenize is not None]
        ours, own = kind(metric=own_numbers(*options)), own(*options)
        for part in batches(rng, *corpus(rng, tokenize)):
            own.update(*part)
            ours.update(*part)
        assert_equal(ours.compute(), own.compute())
        assert counts(ours) == counts(own)


@random_texts
@pytest.mark.parametrize("tokenize", ["13a", "char"])
def test_every_character_is_lowercased_as_in_torchmetrics(tokenize):
    own = torchmetrics.text.SacreBLEUScore(1, False, tokenize, True)
    ours = SacreBLEUScore(metric=own_numbers(1, False, tokenize, True, None))
    for character in map(chr, range(0x110000)):
        if character != character.lower():
            text = f"x{character}y.{character} {character}"
            # Each in its own batch: one that differs changes how the whole batch is read.
            batch = [text, text.lower()], [[text.lower()], [text]]
            own.update(*batch)
            ours.update(*batch)
    assert counts(ours) == counts(own)


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32])
def test_torchmetrics_own_dtypes(dtype):
    own, ours = torchmetrics.text.BLEUScore(), BLEUScore(metric="torchmetrics")
    for metric in (own, ours):
        metric.set_dtype(dtype)
    assert_equal(filled(ours).compute(), filled(own).compute())
    torch.set_default_dtype(dtype)
    try:
        own = filled(torchmetrics.text.BLEUScore(smooth=True))
        ours = filled(BLEUScore(metric=own_numbers(4, True, None)))
        assert_equal(ours.compute(), own.compute())
        assert filled(BLEUScore()).compute().dtype == torch.float64
    finally:
        torch.set_default_dtype(torch.float32)


def test_an_empty_list_is_an_empty_text():
    for preds, target in (
        *(([[]], [[[]]]), (["a b"], [[[], "a b"]])),
        (("a b", []), (["a b"], ([], "c"))),
    ):
        for kind, own in KINDS:
            expected = counts(filled(own(2), preds, target))
            tokenize = "13a" if kind is SacreBLEUScore else "none"
            own_metric = own_numbers(2, False, tokenize, False, None)
            for metric in (kind(2), kind(metric=own_metric)):
                assert counts(filled(metric, preds, target)) == expected


def test_arguments_are_torchmetrics_and_a_few_more():
    for ours, own in KINDS:
        own_parameters = inspect.signature(own).parameters.values()
        parameters = inspect.signature(ours).parameters.values()
        found, expected = (
            [(p.name, p.default) for p in side] for side in (parameters, own_parameters)
        )
        assert found == [*expected[:-1], ("metric", None), expected[-1]]
        names = "is_differentiable", "higher_is_better", "plot_lower_bound", "plot_upper_bound"
        assert [getattr(ours, name) for name in names] == [getattr(own, name) for name in names]
        assert list(inspect.signature(ours().update).parameters) == ["preds", "target"]
    for wrong, words in (
        ({"gram": 4}, "gram"),
        ({"weights": [1, 2]}, r"should equal n_gram, got len\(weights\)=2, n_gram=4"),
        ({"metric": BLEU(), "n_gram": 2}, "metric is given, and n_gram too: a metric has all"),
        ({"metric": "nltk", "tokenize": "zh", "smooth": True}, "and smooth, tokenize too: "),
        ({"metric": "nltk", "lowercase": True, "weights": [1] * 4}, "and lowercase, weights too"),
    ):
        raises(ValueError, words, SacreBLEUScore, **wrong)
    for wrong, words in (
        ({"metric": BLEU(), "n_gram": 2, "smooth": True}, "and n_gram, smooth too"),
        ({"metric": "nltk", "weights": [1] * 4}, "and weights too"),
    ):
        raises(ValueError, words, BLEUScore, **wrong)
    raises(TypeError, "n_gram is a BLEU; pass it as metric=", BLEUScore, BLEU())
    for method in ("none", "exp"):  # as strings, both would be true
        raises(TypeError, f"smooth is '{method}'.* True or False", BLEUScore, smooth=method)


def test_options_are_those_of_a_metric_under_other_names():
    weights = [0.5, 0.3, 0.2]
    in_bleus_words = {"max_ngram_order": 3, "weights": weights, "smooth_method": "add-k"}
    for ours, options in (
        (SacreBLEUScore(3, True, "intl", True, weights), {"tokenize": "intl", "lowercase": True}),
        (BLEUScore(3, True, weights), {"tokenize": "none"}),
    ):
        metric = BLEU(**in_bleus_words, **options)
        same = type(ours)(metric=metric)
        assert_equal(filled(ours).compute(), filled(same).compute())
        assert ours.compute() == metric.score(PREDS, TARGET).value / 100
        for score in (ours, same):
            assert (score.n_gram, score.smooth, score.weights) == (3, True, weights)


class Model(torch.nn.Module):
    def __init__(self, metric):
        super().__init__()
        self.metric = metric
        self.layer = torch.nn.Linear(1, 1)

    def forward(self, x):
        return 2 * x


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of torch and of torchmetrics
@pytest.mark.parametrize(("kind", "metric"), [(BLEUScore, "torchmetrics"), (SacreBLEUScore, None)])
def test_a_module_that_holds_a_metric_can_be_scripted(kind, metric):
    torch.jit.script(kind(weights=(0.25,) * 4))
    scripted = torch.jit.script(Model(kind(metric=metric)))
    assert scripted(torch.ones(2)).tolist() == [2.0, 2.0]


@pytest.mark.parametrize("options", [{}, {"dist_sync_on_step": True}], ids=str)
def test_forward_counts_a_batch_once_and_a_refused_one_not_at_all(options):
    metric = SacreBLEUScore(**options)
    first = metric(PREDS[:2], TARGET[:2])
    assert_equal(first, filled(preds=PREDS[:2], target=TARGET[:2]).compute())
    for wrong in (("a", [["a"]]), (["a"], [None]), (torch.tensor([[1]]), torch.tensor([[1]]))):
        with pytest.raises((TypeError, ValueError)):
            metric(*wrong)
    second = metric(preds=PREDS[2:], target=TARGET[2:])
    assert_equal(second, filled(preds=PREDS[2:], target=TARGET[2:]).compute())
    assert_equal(metric.compute(), filled().compute())
    assert counts(metric) == counts(filled())
    assert metric.update_count == 2


@pytest.mark.parametrize("own", [False, True])
def test_casting_a_module_does_not_cast_counts(own):
    for cast in (
        lambda module: module.double(),
        lambda module: module.half(),
        lambda module: module.to("cpu", torch.bfloat16),
        lambda module: module.apply(lambda m: getattr(m, "set_dtype", m.to)(torch.float16)),
    ):
        metric = filled(SacreBLEUScore(metric=OWN_13A if own else None))
        expected, score = counts(metric), metric.compute()
        assert cast(Model(metric)).layer.weight.dtype != torch.float32
        for _ in range(2):
            assert counts(metric) == expected
            assert not any(getattr(metric, name).is_floating_point() for name in COUNTS)
            if not own:
                assert_equal(metric.compute(), score)
            metric.compute()
            metric.reset()
            filled(metric)


def test_counts_made_in_another_way_are_refused():
    metric = filled()
    assert metric.state_dict() == {}
    metric.persistent(True)
    saved = metric.state_dict()
    loaded = SacreBLEUScore()
    loaded.load_state_dict(saved)
    assert_equal(
        filled(loaded, ["x"], [["x"]]).compute(), filled(filled(), ["x"], [["x"]]).compute()
    )
    others = [
        SacreBLEUScore(lowercase=True),
        SacreBLEUScore(metric=OWN_13A),
        SacreBLEUScore(n_gram=1),  # tensors of one number would be broadcast
        SacreBLEUScore(metric=BLEU(tokenize=str.split)),
    ]
    of_ids = [{}, {"ignore_ids": (0,)}, {"ignore_ids": (1,)}, {"skip_ids": (0,)}, {"stop_ids": 0}]
    others += [SacreBLEUScore(metric=BLEU(tokenize=False, **options)) for options in of_ids]
    for number, other in enumerate(others):
        raises(ValueError, "different ways", metric.merge_state, other)
        for another in others[number + 1 :]:
            raises(ValueError, "different ways", another.merge_state, copy.deepcopy(other))
    for other in (*others, BLEUScore()):
        other.load_state_dict(dict(saved))
        other.update([], [])
        raises(ValueError, "another way", other.compute)
    before = metric.preds_len
    metric.merge_state(filled().metric_state)
    assert metric.preds_len == 2 * before
    metrics = {"a": BLEUScore(), "b": SacreBLEUScore()}
    wrong = torchmetrics.MetricCollection(metrics, compute_groups=[["a", "b"]])
    wrong.update(PREDS, TARGET)
    raises(ValueError, "compute group", wrong.compute)


def test_inference_mode():
    metric = SacreBLEUScore()
    with torch.inference_mode():
        metric(PREDS[:2], TARGET[:2])
        metric.compute()
    metric.update(PREDS[2:], TARGET[2:])
    assert counts(copy.deepcopy(metric)) == counts(filled())
    metric.reset()
    assert counts(metric) == counts(SacreBLEUScore())


@pytest.mark.parametrize("compute_groups", [True, False])
def test_a_collection(compute_groups):
    """The first batch has the same tokens in all metrics; the second one does not."""

    def metrics():
        return {
            "words": BLEUScore(),
            "smooth words": BLEUScore(smooth=True, weights=[1, 1, 1, 1]),
            "own words": BLEUScore(metric="torchmetrics"),
            "13a": SacreBLEUScore(),
            "13a exp": SacreBLEUScore(metric=BLEU()),
            "own 13a": SacreBLEUScore(metric=OWN_13A),
            "own 13a smooth": SacreBLEUScore(metric=own_numbers(4, True, "13a", False, None)),
            "lower": SacreBLEUScore(lowercase=True),
            "short": SacreBLEUScore(2),
        }

    expected = metrics()
    collection = torchmetrics.MetricCollection(metrics(), compute_groups=compute_groups)
    for _ in range(2):
        for batch in ((["a b c d e"], [["a b c d e"]]), (["A b c d e."], [["a b c d. e."]])):
            for metric in (collection, *expected.values()):
                metric.update(*batch)
        assert collection.compute() == {name: each.compute() for name, each in expected.items()}
        collection(*batch)
        for metric in (collection, *expected.values()):
            metric.reset()
    groups = sorted(map(sorted, collection.compute_groups.values()))
    shared = [["13a", "13a exp"], ["own 13a", "own 13a smooth"], ["smooth words", "words"]]
    assert [group for group in groups if len(group) > 1] == (shared if compute_groups else [])
