"""The metrics for TorchMetrics against TorchMetrics' own and against fastbleu.BLEU, with `==`."""

import copy
import inspect
import io
import math
import pickle

import pytest
from generators import raises, seeded
from hosts import host
from texts import (
    ID_RULES,
    IDS,
    PREDS,
    SHARES,
    TARGET,
    TEXT_OF_IDS,
    WORDS,
    WRONG_TEXTS,
    batches,
    check_import,
    corpus,
    random_texts,
)

torch = host("torch")
torchmetrics = host("torchmetrics")
from ranks import join  # noqa: E402

import fastbleu  # noqa: E402
from fastbleu.integrations.torchmetrics import BLEUScore, SacreBLEUScore  # noqa: E402

# What tokenizers and lower-casing treat in ways of their own.
PIECES = [
    *("a", "B", "7", "19", ".", ",", "-", "-\n", "\n", "'", "/", "(", "%", "~", "$"),
    *("&quot;", "&QUOT;", "&amp;lt;", "<skipped>", "<SKIPPED>", "&", "<"),
    *("Σ", "ΑΣ", "ΑΣ.Α", "σ", "\u0130", "I", "\u212a", "\u2126", "\u212b", "ﬁ", "ẞ", "é", "É", "Я"),
    *("中", "文", "。", "Ａ", "\u2014", "€", "½", "Ⅳ", "٣", "\u3000", "\x85", "\U0001f600"),
]  # fmt: skip


def random_weights(rng, n_gram):
    kind = rng.randrange(3)
    if kind == 0:
        return None
    if kind == 1:
        return [rng.random() for _ in range(n_gram)]
    return [rng.choice((0.0, 0.5, 1.0)) for _ in range(n_gram - 1)] + [1.0]


def assert_equal(score, expected):
    assert score.dtype == expected.dtype
    assert score.shape == expected.shape
    assert torch.equal(score, expected), (score.item(), expected.item())


def assert_same_counts(ours, own):
    for name in ("preds_len", "target_len", "numerator", "denominator"):
        assert getattr(ours, name).tolist() == getattr(own, name).tolist()


def states(metric):
    return [getattr(metric, name).tolist() for name in metric._defaults]


def filled(metric=None, preds=PREDS, target=TARGET):
    metric = SacreBLEUScore() if metric is None else metric
    metric.update(preds, target)
    return metric


@random_texts
@pytest.mark.parametrize("smooth", [False, True])
def test_torchmetrics_own_bleu_score(smooth):
    rng = seeded("torchmetrics", smooth)
    for _ in range(1500):
        n_gram = rng.randint(1, 6)
        weights = random_weights(rng, n_gram)
        preds, target = corpus(rng)
        own = torchmetrics.text.BLEUScore(n_gram, smooth, weights)
        ours = BLEUScore(n_gram, smooth, weights, dialect="torchmetrics")
        for part in batches(rng, preds, target):
            own.update(*part)
            ours.update(*part)
        assert_equal(ours.compute(), own.compute())


@random_texts
@pytest.mark.parametrize("lowercase", [False, True])
@pytest.mark.parametrize("tokenize", ["none", "13a", "zh", "char", "intl"])
def test_torchmetrics_own_sacre_bleu_score(tokenize, lowercase):
    rng = seeded("torchmetrics", tokenize, lowercase)
    own = torchmetrics.text.SacreBLEUScore(2, False, tokenize, lowercase)
    ours = SacreBLEUScore(2, False, tokenize, lowercase, dialect="torchmetrics")
    for _ in range(400):
        own.reset()
        ours.reset()
        # Some corpora have what tokenizers see differently, others not: both ways must be right.
        alphabet = PIECES if rng.random() < 0.6 else [*WORDS, "x.", "5-6", "É", "Я", "中"]
        preds, target = corpus(rng, alphabet, ["", " ", " ", "\t"])
        for part in batches(rng, preds, target):
            own.update(*part)
            ours.update(*part)
        assert_equal(ours.compute(), own.compute())
        assert_same_counts(ours, own)


@random_texts
@pytest.mark.parametrize("tokenize", ["none", "13a", "zh", "char"])
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
    assert_same_counts(ours, own)


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32])
def test_torchmetrics_own_dtypes(dtype):
    own, ours = torchmetrics.text.BLEUScore(), BLEUScore(dialect="torchmetrics")
    for metric in (own, ours):
        metric.set_dtype(dtype)
        metric.update(PREDS, TARGET)
    assert_equal(ours.compute(), own.compute())
    torch.set_default_dtype(dtype)
    try:
        own = filled(torchmetrics.text.BLEUScore(smooth=True))
        ours = filled(BLEUScore(smooth=True, dialect="torchmetrics"))
        assert_equal(ours.compute(), own.compute())
    finally:
        torch.set_default_dtype(torch.float32)


@random_texts
@pytest.mark.parametrize("smoothing", ["none", "add-k", "exp", "floor"])
def test_the_default_is_the_score_of_bleu(smoothing):
    rng = seeded("the default", smoothing)
    options = {"smoothing": smoothing}
    if smoothing in ("none", "add-k"):
        options = {"smooth": smoothing == "add-k"}
    for _ in range(150):
        n_gram, (preds, target) = rng.randint(1, 6), corpus(rng, PIECES)
        options["weights"] = weights = random_weights(rng, n_gram)
        tokenize, lowercase = rng.choice((("13a", False), ("13a", True), ("intl", False)))
        for metric, rules in (
            (SacreBLEUScore(n_gram, tokenize=tokenize, lowercase=lowercase, **options), tokenize),
            (BLEUScore(n_gram, **options), str.split),
        ):
            for part in batches(rng, preds, target):
                metric.update(*part)
            lower = lowercase and rules is not str.split
            own = fastbleu.BLEU(rules, lower, n_gram, weights, smoothing)
            score = metric.compute()
            assert (score.dtype, score.shape) == (torch.float64, ())
            assert score.item() == own.score(preds, target).value / 100


def test_ties_between_reference_lengths():
    tie = ["a b c"], [["a b c d", "a b"]]
    assert filled(BLEUScore(1), *tie).target_len == 2
    assert filled(BLEUScore(1, dialect="torchmetrics"), *tie).target_len == 4
    assert filled(torchmetrics.text.BLEUScore(1), *tie).target_len == 4


def test_a_str_is_one_reference():
    several = filled(preds=["a b c d", "e f"], target=[["a b c d"], ["e f", "g"]])
    assert states(filled(preds=["a b c d", "e f"], target=["a b c d", ["e f", "g"]])) == states(
        several
    )


def test_token_ids():
    for dialect in ("sacrebleu", "torchmetrics"):
        metric = filled(SacreBLEUScore(2, dialect=dialect, **ID_RULES), *map(torch.tensor, IDS))
        as_text = filled(BLEUScore(2, dialect=dialect), *TEXT_OF_IDS)
        assert states(metric)[1:] == states(as_text)[1:]
        assert torch.equal(metric.compute(), as_text.compute())
        assert torch.equal(pickle.loads(pickle.dumps(metric)).compute(), as_text.compute())


def test_arguments_are_torchmetrics_own_and_some():
    for ours, own in (
        (BLEUScore, torchmetrics.text.BLEUScore),
        (SacreBLEUScore, torchmetrics.text.SacreBLEUScore),
    ):
        expected = list(inspect.signature(own).parameters.items())[:-1]
        found = list(inspect.signature(ours).parameters.items())[: len(expected)]
        assert [(name, p.default) for name, p in found] == [
            (name, p.default) for name, p in expected
        ]
        for name in (
            *("is_differentiable", "higher_is_better", "plot_lower_bound", "plot_upper_bound"),
        ):
            assert getattr(ours, name) == getattr(own, name)
        assert ours.full_state_update is False
        assert list(inspect.signature(ours().update).parameters) == ["preds", "target"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"dialect": "nltk"}, "expected 'sacrebleu' or 'torchmetrics'"),
        ({"dialect": "torchmetrics", "smoothing": "exp"}, "smooth only"),
        ({"dialect": "torchmetrics", "tokenize": "spm"}, "flores101"),
        ({"smoothing": "linear"}, "choose one of"),
        ({"tokenize": "14a"}, "choose one of"),
        ({"weights": [1, 2, 3]}, "=3, n_gram=4"),
        ({"weights": [1, 1, 1, -1]}, "at least 0"),
        ({"n_gram": 0}, "1.."),
        ({"ignore_ids": [0]}, "tokenize=None"),
        ({"gram": 4}, "gram"),
    ],
)
def test_wrong_arguments(arguments, message):
    raises(ValueError, f"(?i){message}", SacreBLEUScore, **arguments)


@pytest.mark.parametrize(
    ("preds", "target"),
    [
        ([[]], [[[]]]),
        ([[]], [["a b"]]),
        (["a b"], [[[], "a b"]]),
        (("a b", []), (["a b"], ([], "c"))),
    ],
    ids=range(4),
)
def test_an_empty_list_is_an_empty_text(preds, target):
    for own, kind in (
        (torchmetrics.text.BLEUScore(2), BLEUScore),
        (torchmetrics.text.SacreBLEUScore(2), SacreBLEUScore),
    ):
        for dialect in ("torchmetrics", "sacrebleu"):
            ours = kind(2, dialect=dialect)
            assert ours(preds, target) == pytest.approx(own(preds, target).item(), rel=1e-15)
            assert_same_counts(ours, own)
            own.reset()


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of torch and of torchmetrics
@pytest.mark.parametrize("kind", [BLEUScore, SacreBLEUScore])
@pytest.mark.parametrize("dialect", ["torchmetrics", "sacrebleu"])
def test_a_module_that_holds_a_metric_can_be_scripted(kind, dialect):
    torch.jit.script(kind(dialect=dialect, weights=(0.25,) * 4))
    scripted = torch.jit.script(Model(kind(dialect=dialect)))
    assert scripted(torch.ones(2)).tolist() == [2.0, 2.0]


class Model(torch.nn.Module):
    def __init__(self, metric):
        super().__init__()
        self.metric = metric

    def forward(self, x):
        return 2 * x


WRONG_BATCHES = [*WRONG_TEXTS, ("a", [["a"]]), (["a"], [None])]
WRONG_BATCHES += [(torch.tensor([[1]]), torch.tensor([[1]]))]


@pytest.mark.parametrize("dialect", ["sacrebleu", "torchmetrics"])
@pytest.mark.parametrize("batch", WRONG_BATCHES, ids=range(len(WRONG_BATCHES)))
def test_a_batch_that_is_refused_adds_nothing(batch, dialect):
    for metric in (
        BLEUScore(1, dialect=dialect),
        SacreBLEUScore(1, lowercase=True, dialect=dialect),
    ):
        filled(metric)
        counts, score = states(metric), metric.compute()
        for call in (metric.update, metric.forward, metric):
            with pytest.raises((TypeError, ValueError)):
                call(*batch)
            assert states(metric) == counts
            assert torch.equal(metric.compute(), score)
        metric(PREDS, TARGET)
        assert metric.preds_len == 2 * counts[1]


def test_forward_counts_a_batch_once():
    metric = SacreBLEUScore()
    first = metric(PREDS[:2], TARGET[:2])
    assert torch.equal(first, filled(preds=PREDS[:2], target=TARGET[:2]).compute())
    second = metric(preds=PREDS[2:], target=TARGET[2:])
    assert torch.equal(second, filled(preds=PREDS[2:], target=TARGET[2:]).compute())
    assert torch.equal(metric.compute(), filled().compute())
    assert states(metric) == states(filled())
    assert metric.update_count == 2


def test_reset_and_nothing_yet():
    metric = SacreBLEUScore()
    filled(metric)
    metric.reset()
    assert states(metric) == states(SacreBLEUScore())
    with pytest.warns(UserWarning, match="before the ``update``"):
        assert metric.compute() == 0
    metric.update([], [])
    assert metric.compute() == 0
    assert torch.equal(filled(metric).compute(), filled().compute())


@pytest.mark.parametrize("dialect", ["sacrebleu", "torchmetrics"])
def test_counts_stay_integers(dialect):
    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.bleu = filled(SacreBLEUScore(dialect=dialect))
            self.layer = torch.nn.Linear(1, 1)

    expected = states(Model().bleu)
    for change in (
        lambda module: module.double(),
        lambda module: module.half(),
        lambda module: module.type(torch.float16),
        lambda module: module.to(torch.float16),
        lambda module: module.to("cpu", torch.bfloat16),
        lambda module: module.apply(lambda m: getattr(m, "set_dtype", m.to)(torch.float16)),
    ):
        model = change(Model())
        metric = model.bleu
        assert model.layer.weight.dtype != torch.float32
        assert states(metric) == expected
        metric.compute()
        assert all(not getattr(metric, name).is_floating_point() for name in metric._defaults)
        metric.reset()
        filled(metric)
        assert states(metric) == expected
        assert all(not getattr(metric, name).is_floating_point() for name in metric._defaults)
        if dialect == "sacrebleu":
            assert torch.equal(metric.compute(), filled().compute())


def test_a_score_is_not_cast_by_moving_the_metric():
    metric = filled()
    score = metric.compute()
    assert torch.equal(metric.to(torch.float16).compute(), score)


@pytest.mark.parametrize("dialect", ["sacrebleu", "torchmetrics"])
def test_exact_above_2_to_the_24(dialect):
    metric = filled(BLEUScore(1, dialect=dialect), ["a b"], [["a"]])
    for _ in range(30):
        metric.merge_state(copy.deepcopy(metric))
    metric.update(["a"], [["a"]])
    assert metric.preds_len == 2**31 + 1
    assert metric.numerator[0] == 2**30 + 1
    if dialect == "sacrebleu":
        assert math.isclose(metric.compute(), (2**30 + 1) / (2**31 + 1), rel_tol=1e-15)
    for _ in range(32):
        metric.merge_state(copy.deepcopy(metric))
    raises(OverflowError, "int64", metric.compute)


def test_copies():
    metric = filled()
    metric.compute()
    buffer = io.BytesIO()
    torch.save(metric, buffer)
    buffer.seek(0)
    for other in (
        pickle.loads(pickle.dumps(metric)),
        copy.deepcopy(metric),
        copy.copy(metric),
        metric.clone(),
        torch.load(buffer, weights_only=False),
    ):
        assert states(other) == states(metric)
        other.update(["x y"], [["x y"]])
        assert other.preds_len == metric.preds_len + 2
        other(["x y"], [["x y"]])
        other.compute()
    assert states(metric) == states(filled())


def test_copies_of_other_dialects_and_tokenizers():
    for metric in (
        SacreBLEUScore(dialect="torchmetrics", tokenize="intl", lowercase=True),
        SacreBLEUScore(tokenize=str.split),
        BLEUScore(dialect="torchmetrics", tokenize=str.split),
    ):
        other = pickle.loads(pickle.dumps(metric))
        assert states(filled(other)) == states(filled(copy.deepcopy(metric)))
        other.merge_state(filled(metric))


def test_state_dict():
    metric = filled()
    assert metric.state_dict() == {}
    metric.persistent(True)
    saved = metric.state_dict()
    assert all(not value.is_floating_point() for value in saved.values())
    other = SacreBLEUScore()
    other.load_state_dict(saved)
    assert states(other) == states(metric)
    other.update(["x"], [["x"]])
    assert torch.equal(other.compute(), filled(metric, ["x"], [["x"]]).compute())
    for different in (
        BLEUScore(),
        SacreBLEUScore(lowercase=True),
        SacreBLEUScore(dialect="torchmetrics"),
        SacreBLEUScore(tokenize=str.split),
        SacreBLEUScore(tokenize=None),
        SacreBLEUScore(tokenize=None, ignore_ids=(0,)),
    ):
        different.load_state_dict(dict(saved))
        different.update([], [])
        raises(ValueError, "another way", different.compute)


def test_merge_state():
    metric, other = (
        filled(preds=PREDS[:1], target=TARGET[:1]),
        filled(preds=PREDS[1:], target=TARGET[1:]),
    )
    metric.compute()
    metric.merge_state(other)
    assert torch.equal(metric.compute(), filled().compute())
    metric.merge_state(other.metric_state)
    assert metric.preds_len == filled().preds_len + other.preds_len
    counts = states(metric)
    raises(ValueError, "different ways", metric.merge_state, filled(SacreBLEUScore(lowercase=True)))
    assert states(metric) == counts
    for rule, values in {
        "ignore_ids": ((0,), (1,)),
        "skip_ids": ((0,), ()),
        "stop_id": (0, 1),
    }.items():
        one, other = (SacreBLEUScore(tokenize=None, **{rule: value}) for value in values)
        raises(ValueError, "different ways", one.merge_state, other)


def test_inference_mode():
    metric = SacreBLEUScore()
    with torch.inference_mode():
        metric(PREDS[:2], TARGET[:2])
        metric.compute()
    metric.update(PREDS[2:], TARGET[2:])
    assert states(copy.deepcopy(metric)) == states(filled())
    metric.reset()
    assert states(metric) == states(SacreBLEUScore())


@pytest.mark.parametrize("compute_groups", [True, False])
def test_a_collection(compute_groups):
    """The first batch has the same tokens for all; the second one has not."""
    preds, target = ["a b c d e", "A b c d e."], [["a b c d e"], ["a b c d. e."]]

    def metrics():
        return {
            "words": BLEUScore(),
            "smooth words": BLEUScore(smooth=True, weights=[1, 1, 1, 1]),
            "own words": BLEUScore(dialect="torchmetrics"),
            "13a": SacreBLEUScore(),
            "13a exp": SacreBLEUScore(smoothing="exp"),
            "own 13a": SacreBLEUScore(dialect="torchmetrics"),
            "own 13a smooth": SacreBLEUScore(dialect="torchmetrics", smooth=True),
            "lower": SacreBLEUScore(lowercase=True),
            "short": SacreBLEUScore(2),
        }

    expected = metrics()
    collection = torchmetrics.MetricCollection(metrics(), compute_groups=compute_groups)
    for _ in range(2):
        for part in zip(preds, target, strict=True):
            collection.update(*([each] for each in part))
            for metric in expected.values():
                metric.update(*([each] for each in part))
        computed = collection.compute()
        assert set(computed) == set(expected)
        for name, metric in expected.items():
            assert torch.equal(computed[name], metric.compute()), name
        collection(preds, target)
        collection.reset()
        for metric in expected.values():
            metric.reset()
    if compute_groups:
        groups = sorted(map(sorted, collection.compute_groups.values()))
        together = [group for group in groups if len(group) > 1]
        assert together == [
            ["13a", "13a exp"],
            ["own 13a", "own 13a smooth"],
            ["smooth words", "words"],
        ]


def test_a_wrong_compute_group_is_refused():
    collection = torchmetrics.MetricCollection(
        {"a": BLEUScore(), "b": SacreBLEUScore()}, compute_groups=[["a", "b"]]
    )
    collection.update(PREDS, TARGET)
    raises(ValueError, "compute group", collection.compute)


def scores_of_a_rank(rank, directory):
    """What one of two processes sees."""
    join(rank, 2, directory)
    found = {}
    for dialect in ("sacrebleu", "torchmetrics"):
        for name, shares in SHARES.items():
            metric = SacreBLEUScore(dialect=dialect)
            share = shares[rank]
            for pred, its in zip(PREDS[share], TARGET[share], strict=True):
                metric.update([pred], [its])
            metric.update([], [])
            own_counts = states(metric)
            found[dialect, name] = metric.compute()
            assert states(metric) == own_counts
            metric.update(["a b c d e"], [["a b c d e"]])
            metric.sync()
            found[dialect, name, "counts"] = states(metric)
            metric.unsync()
    on_step = SacreBLEUScore(dist_sync_on_step=True)
    share = SHARES["unequal"][rank]
    found["step"] = on_step(PREDS[share], TARGET[share])
    found["after step"] = on_step.compute()
    collection = torchmetrics.MetricCollection([BLEUScore(), SacreBLEUScore()])
    collection.update(PREDS[share], TARGET[share])
    found["collection"] = collection.compute()["SacreBLEUScore"]
    raises(ValueError, "all ranks", filled(SacreBLEUScore(lowercase=rank == 0)).compute)
    torch.save(found, f"{directory}/rank{rank}")
    torch.distributed.destroy_process_group()


def test_two_processes(tmp_path):
    torch.multiprocessing.spawn(scores_of_a_rank, (str(tmp_path),), nprocs=2)
    found, other = (torch.load(tmp_path / f"rank{rank}") for rank in range(2))
    assert found == other
    whole = filled().compute()
    assert torch.equal(found["step"], whole)
    assert torch.equal(found["after step"], whole)
    assert torch.equal(found["collection"], whole)
    for dialect in ("sacrebleu", "torchmetrics"):
        for name in SHARES:
            metric = SacreBLEUScore(dialect=dialect)
            metric.update(*((PREDS, TARGET) if "all" not in name else ([], [])))
            assert_equal(found[dialect, name], metric.compute())
            metric.update(["a b c d e"] * 2, [["a b c d e"]] * 2)
            assert found[dialect, name, "counts"] == states(metric)


@pytest.mark.filterwarnings("ignore:.*does not have many workers")
@pytest.mark.filterwarnings("ignore:.*isinstance.treespec, LeafSpec.. is deprecated:FutureWarning")
def test_lightning(tmp_path, monkeypatch):
    lightning = host("lightning")
    monkeypatch.chdir(tmp_path)
    data = list(zip(PREDS, TARGET, strict=True))

    class Model(lightning.LightningModule):
        def __init__(self):
            super().__init__()
            self.layer = torch.nn.Linear(1, 1)
            self.bleu = SacreBLEUScore()
            self.own = BLEUScore(dialect="torchmetrics")
            self.all = torchmetrics.MetricCollection([BLEUScore(), SacreBLEUScore()], prefix="all_")

        def training_step(self, batch, number):
            return self.layer(torch.ones(1)).sum()

        def validation_step(self, batch, number):
            preds, target = ([pair[part] for pair in batch] for part in (0, 1))
            self.bleu(preds, target)
            self.log("bleu", self.bleu, on_step=True, on_epoch=True, batch_size=len(preds))
            self.own.update(preds, target)
            self.log("own", self.own, batch_size=len(preds))
            self.all.update(preds, target)
            self.log_dict(self.all, batch_size=len(preds))

        def configure_optimizers(self):
            return torch.optim.SGD(self.parameters(), 0.1)

    def loader(batch_size):
        return torch.utils.data.DataLoader(data, batch_size, collate_fn=list)

    trainer = lightning.Trainer(
        accelerator="cpu",
        devices=1,
        max_epochs=2,
        logger=False,
        enable_checkpointing=False,
        enable_progress_bar=False,
        enable_model_summary=False,
    )
    trainer.fit(Model(), loader(4), loader(3))
    logged = trainer.logged_metrics
    whole = filled().compute()
    assert torch.equal(logged["bleu_epoch"], whole)
    assert torch.equal(logged["all_SacreBLEUScore"], whole)
    assert torch.equal(logged["own"], filled(BLEUScore(dialect="torchmetrics")).compute())
    assert list(tmp_path.iterdir()) == []


def test_the_import_loads_nothing_but_the_host_and_warns_of_nothing():
    check_import(
        "torchmetrics", "torchmetrics", 'SacreBLEUScore()(["a b c d"], [["a b c d", "e"]])'
    )
