"""The metrics for TorchMetrics: TorchMetrics' own numbers, with `==`, and its ways of use."""

import copy
import inspect

import pytest
from adaptors import PREDS, TARGET
from generators import raises, seeded
from hosts import host
from texts import batches, corpus, random_texts

torch = host("torch")
torchmetrics = host("torchmetrics")

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


@random_texts
@pytest.mark.parametrize("tokenize", [None, "none", "13a", "zh", "char", "intl"])
def test_torchmetrics_own_scores(tokenize):
    """Of SacreBLEUScore, and of BLEUScore, which has no tokenizer."""
    rng = seeded("torchmetrics", tokenize)
    for _ in range(400):
        n_gram, smooth = rng.choice((1, 2, 2, 4, 6)), rng.random() < 0.5
        options = n_gram, smooth, tokenize, rng.random() < 0.5, random_weights(rng, n_gram)
        if tokenize is None:
            options = n_gram, smooth, random_weights(rng, n_gram)
        ours, own = KINDS[tokenize is not None]
        ours, own = ours(*options, dialect="torchmetrics"), own(*options)
        for part in batches(rng, *corpus(rng, tokenize)):
            own.update(*part)
            ours.update(*part)
        assert_equal(ours.compute(), own.compute())
        assert counts(ours) == counts(own)


@random_texts
@pytest.mark.parametrize("tokenize", ["13a", "char"])
def test_every_character_is_lowered_when_torchmetrics_does(tokenize):
    own = torchmetrics.text.SacreBLEUScore(1, False, tokenize, True)
    ours = SacreBLEUScore(1, False, tokenize, True, dialect="torchmetrics")
    for character in map(chr, range(0x110000)):
        if character != character.lower():
            text = f"x{character}y.{character} {character}"
            # Each by itself: one that is different changes how the whole batch is read.
            batch = [text, text.lower()], [[text.lower()], [text]]
            own.update(*batch)
            ours.update(*batch)
    assert counts(ours) == counts(own)


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32])
def test_torchmetrics_own_dtypes(dtype):
    own, ours = torchmetrics.text.BLEUScore(), BLEUScore(dialect="torchmetrics")
    for metric in (own, ours):
        metric.set_dtype(dtype)
    assert_equal(filled(ours).compute(), filled(own).compute())
    torch.set_default_dtype(dtype)
    try:
        own = filled(torchmetrics.text.BLEUScore(smooth=True))
        ours = filled(BLEUScore(smooth=True, dialect="torchmetrics"))
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
            for dialect in ("torchmetrics", "sacrebleu"):
                assert counts(filled(kind(2, dialect=dialect), preds, target)) == expected


def test_arguments_are_torchmetrics_own_and_some():
    for ours, own in KINDS:
        expected = list(inspect.signature(own).parameters.items())[:-1]
        found = list(inspect.signature(ours).parameters.items())[: len(expected)]
        defaults = [[(name, p.default) for name, p in side] for side in (found, expected)]
        assert defaults[0] == defaults[1]
        names = "is_differentiable", "higher_is_better", "plot_lower_bound", "plot_upper_bound"
        assert [getattr(ours, name) for name in names] == [getattr(own, name) for name in names]
        assert list(inspect.signature(ours().update).parameters) == ["preds", "target"]
    for wrong, words in (
        ({"dialect": "nltk"}, "expected 'sacrebleu' or 'torchmetrics'"),
        ({"dialect": "torchmetrics", "smooth_method": "exp"}, "smooth only"),
        ({"dialect": "torchmetrics", "tokenize": "spm"}, "flores101"),
        ({"gram": 4}, "gram"),
    ):
        raises(ValueError, words, SacreBLEUScore, **wrong)
    smooth = filled(SacreBLEUScore(smooth=True)).compute()
    assert_equal(smooth, filled(SacreBLEUScore(smooth_method="add-k")).compute())


class Model(torch.nn.Module):
    def __init__(self, metric):
        super().__init__()
        self.metric = metric
        self.layer = torch.nn.Linear(1, 1)

    def forward(self, x):
        return 2 * x


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of torch and of torchmetrics
@pytest.mark.parametrize(
    ("kind", "dialect"), [(BLEUScore, "torchmetrics"), (SacreBLEUScore, "sacrebleu")]
)
def test_a_module_that_holds_a_metric_can_be_scripted(kind, dialect):
    torch.jit.script(kind(dialect=dialect, weights=(0.25,) * 4))
    scripted = torch.jit.script(Model(kind(dialect=dialect)))
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


@pytest.mark.parametrize("dialect", ["sacrebleu", "torchmetrics"])
def test_casting_a_module_casts_no_counts(dialect):
    for cast in (
        lambda module: module.double(),
        lambda module: module.half(),
        lambda module: module.to("cpu", torch.bfloat16),
        lambda module: module.apply(lambda m: getattr(m, "set_dtype", m.to)(torch.float16)),
    ):
        metric = filled(SacreBLEUScore(dialect=dialect))
        expected, score = counts(metric), metric.compute()
        assert cast(Model(metric)).layer.weight.dtype != torch.float32
        for _ in range(2):
            assert counts(metric) == expected
            assert not any(getattr(metric, name).is_floating_point() for name in COUNTS)
            if dialect == "sacrebleu":
                assert_equal(metric.compute(), score)
            metric.compute()
            metric.reset()
            filled(metric)


def test_counts_of_another_way_are_refused_wherever_they_come_from():
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
        *(SacreBLEUScore(lowercase=True), SacreBLEUScore(dialect="torchmetrics")),
        *(SacreBLEUScore(tokenize=str.split), SacreBLEUScore(tokenize=False)),
        *(SacreBLEUScore(tokenize=False, ignore_ids=ids) for ids in ((0,), (1,))),
        *(
            SacreBLEUScore(tokenize=False, skip_ids=(0,)),
            SacreBLEUScore(tokenize=False, stop_ids=0),
        ),
    ]
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
    """The first batch has the same tokens for all; the second one has not."""

    def metrics():
        return {
            "words": BLEUScore(),
            "smooth words": BLEUScore(smooth=True, weights=[1, 1, 1, 1]),
            "own words": BLEUScore(dialect="torchmetrics"),
            "13a": SacreBLEUScore(),
            "13a exp": SacreBLEUScore(smooth_method="exp"),
            "own 13a": SacreBLEUScore(dialect="torchmetrics"),
            "own 13a smooth": SacreBLEUScore(dialect="torchmetrics", smooth=True),
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
