"""The metric for TorchEval against TorchEval's own and against fastbleu.BLEU, with `==`."""

import copy
import inspect
import math
import pickle
import warnings

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
    WRONG_TEXTS,
    batches,
    check_import,
    random_texts,
)
from texts import corpus as random_corpus

torch = host("torch")
with warnings.catch_warnings():
    # TorchEval compiles functions with torch.jit.script when it is imported, which is deprecated.
    warnings.filterwarnings("ignore", ".*torch.jit.script. is deprecated", DeprecationWarning)
    torcheval = host("torcheval.metrics")
    toolkit = host("torcheval.metrics.toolkit")

from ranks import join  # noqa: E402

import fastbleu  # noqa: E402
from fastbleu.integrations.torcheval import BLEUScore  # noqa: E402

STATES = ("input_len", "target_len", "matches_by_order", "possible_matches_by_order")


def corpus(rng):
    """Random texts; one reference stands without its list."""
    texts, target = random_corpus(rng)
    return texts, [its[0] if len(its) == 1 else its for its in target]


def random_weights(rng, n_gram):
    if rng.random() < 0.5:
        return None
    dtype = rng.choice((torch.float32, torch.float64))
    return torch.tensor([rng.choice((0, 1, rng.random())) for _ in range(n_gram)], dtype=dtype)


def same(score, expected):
    """Whether two tensors are one and the same, nan included."""
    equal = torch.equal(score, expected) or bool(score.isnan() and expected.isnan())
    return equal and (score.dtype, score.shape) == (expected.dtype, expected.shape)


def states(metric):
    return [getattr(metric, name).tolist() for name in STATES]


def filled(n_gram=4, **options):
    return BLEUScore(n_gram=n_gram, **options).update(PREDS, TARGET)


@random_texts
@pytest.mark.parametrize("n_gram", [1, 2, 3, 4])
def test_torchevals_own_score(n_gram):
    rng = seeded("torcheval", n_gram)
    refused = 0
    for _ in range(800):
        weights = random_weights(rng, n_gram)
        own = torcheval.BLEUScore(n_gram=n_gram, weights=weights)
        ours = BLEUScore(n_gram=n_gram, weights=weights, dialect="torcheval")
        for part in batches(rng, *corpus(rng)):
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
    assert n_gram == 1 or refused > 100


@random_texts
def test_the_default_is_the_score_of_bleu():
    rng = seeded("the default")
    for _ in range(300):
        n_gram, (texts, target) = rng.randint(1, 6), corpus(rng)
        weights = rng.choice((None, [rng.random() for _ in range(n_gram)]))
        ours = BLEUScore(n_gram=n_gram, weights=rng.choice((weights, double(weights))))
        for part in batches(rng, texts, target):
            ours.update(*part)
        own = fastbleu.BLEU("none", max_order=n_gram, weights=weights, smoothing="none")
        score = ours.compute()
        assert (score.dtype, score.shape) == (torch.float64, ())
        assert score.item() == own.score(texts, target).value / 100


def double(weights):
    return weights and torch.tensor(weights, dtype=torch.float64)


def test_length_of_the_closest_reference():
    batch = ["a b c d"], [["a", "a b c", "a b c d e"]]
    assert BLEUScore(n_gram=1).update(*batch).target_len == 3
    assert BLEUScore(n_gram=1, dialect="torcheval").update(*batch).target_len == 1


def test_single_texts():
    for dialect in ("sacrebleu", "torcheval"):
        whole = BLEUScore(n_gram=2, dialect=dialect).update(["a b c"], [["a b d"]])
        for batch in (("a b c", ["a b d"]), ("a b c", [["a b d"]]), (["a b c"], ["a b d"])):
            metric = BLEUScore(n_gram=2, dialect=dialect).update(*batch)
            assert states(metric) == states(whole)
    metric = BLEUScore(n_gram=2).update(input="a b c", target=["a b d"])
    assert states(metric) == states(whole)


def test_token_ids():
    for dialect in ("sacrebleu", "torcheval"):
        metric = BLEUScore(n_gram=2, dialect=dialect, **ID_RULES)
        metric.update(*map(torch.tensor, IDS))
        as_text = BLEUScore(n_gram=2, dialect=dialect).update(*TEXT_OF_IDS)
        assert states(metric) == states(as_text)
        assert same(metric.compute(), as_text.compute())


def test_arguments_are_torchevals_own_and_some():
    for name in ("__init__", "update", "merge_state", "compute"):
        own = inspect.signature(getattr(torcheval.BLEUScore, name)).parameters.values()
        ours = inspect.signature(getattr(BLEUScore, name)).parameters.values()
        found = [(p.name, p.kind, p.default) for p in ours]
        assert found[: len(own)] == [(p.name, p.kind, p.default) for p in own]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"dialect": "nltk"}, "expected 'sacrebleu' or 'torcheval'"),
        ({"dialect": "torcheval", "smoothing": "exp"}, "has none"),
        ({"dialect": "torcheval", "n_gram": 5}, "default dialect takes any"),
        ({"smoothing": "linear"}, "choose one of"),
        ({"tokenize": "14a"}, "choose one of"),
        ({"weights": torch.ones(3)}, "=3, n_gram=4"),
        ({"weights": [1, 1, 1, -1]}, "at least 0"),
        ({"n_gram": 0}, "1.."),
        ({"ignore_ids": [0]}, "tokenize=None"),
    ],
)
def test_wrong_arguments(arguments, message):
    raises(ValueError, f"(?i){message}", BLEUScore, **{"n_gram": 4, **arguments})
    with pytest.raises(TypeError):
        BLEUScore(4)


@pytest.mark.parametrize(
    ("options", "batch"),
    [
        ({"n_gram": 5}, (["a"], ["a"])),
        ({"n_gram": 0}, (["a"], ["a"])),
        ({"n_gram": 2, "weights": torch.ones(3)}, (["a"], ["a"])),
        ({"n_gram": 2}, (["a b", "c"], ["a b"])),
        ({"n_gram": 2}, ("a b", [["a"], ["b"]])),
        ({"n_gram": 2}, (["a", "", "b"], ["a", "a", "b b"])),
        ({"n_gram": 3}, ([], [])),
    ],
    ids=range(7),
)
def test_messages_begin_with_torchevals(options, batch):
    messages = []
    for kind, dialect in ((torcheval.BLEUScore, {}), (BLEUScore, {"dialect": "torcheval"})):
        with pytest.raises(ValueError) as caught:
            kind(**options, **dialect).update(*batch)
        messages.append(str(caught.value))
    assert messages[1].startswith(messages[0])


WRONG_BATCHES = [*WRONG_TEXTS, (torch.tensor([[1]]), torch.tensor([[1]]))]


@pytest.mark.parametrize("dialect", ["sacrebleu", "torcheval"])
@pytest.mark.parametrize("batch", WRONG_BATCHES, ids=range(len(WRONG_BATCHES)))
def test_a_batch_that_is_refused_adds_nothing(batch, dialect):
    metric = filled(dialect=dialect)
    with pytest.raises((TypeError, ValueError)):
        metric.update(*batch)
    assert states(metric) == states(filled(dialect=dialect))


def test_nothing_yet_and_reset():
    for dialect in ("sacrebleu", "torcheval"):
        metric = BLEUScore(n_gram=3, dialect=dialect)
        nothing = torch.tensor(0.0, dtype=torch.float64)
        assert same(metric.compute(), nothing)
        metric.update(PREDS, TARGET)
        assert metric.reset() is metric
        assert states(metric) == states(BLEUScore(n_gram=3))
        assert same(metric.compute(), nothing)
    metric.reset()
    assert BLEUScore(n_gram=3).update([], []).compute() == 0
    for own in (torcheval.BLEUScore(n_gram=3), metric):
        raises(ValueError, "n_gram", own.update, [], [])


def test_copies_and_state_dict():
    metric = filled()
    expected = states(metric)
    loaded = BLEUScore(n_gram=4)
    loaded.load_state_dict(metric.state_dict())
    with torch.inference_mode():
        inference = filled()
    for other in (
        pickle.loads(pickle.dumps(metric)),
        copy.deepcopy(metric),
        toolkit.clone_metric(metric),
        loaded,
        inference.to("cpu"),
    ):
        assert states(other) == expected
        assert all(getattr(other, name).dtype == torch.int64 for name in STATES)
        assert same(other.compute(), metric.compute())
        other.update(["a"], ["a"])
        assert other.input_len == metric.input_len + 1
        other.reset()
        assert same(other.update(PREDS, TARGET).compute(), metric.compute())
    assert states(metric) == expected
    raises(RuntimeError, "missing keys", metric.load_state_dict, {})


def test_merge_state():
    parts = [
        BLEUScore(n_gram=4).update([text], [its]) for text, its in zip(PREDS, TARGET, strict=True)
    ]
    before = [states(part) for part in parts]
    metric = BLEUScore(n_gram=4)
    assert metric.merge_state(part for part in parts) is metric
    assert same(metric.compute(), filled().compute())
    assert [states(part) for part in parts] == before
    metric.merge_state([metric])
    assert states(metric)[0] == 2 * states(filled())[0]
    expected = states(metric)
    for wrong in (
        filled(n_gram=2),
        filled(n_gram=1),
        filled(dialect="torcheval"),
        filled(tokenize="13a"),
        filled(lowercase=True),
        BLEUScore(n_gram=4, tokenize=None),
    ):
        raises(ValueError, "cannot be added", metric.merge_state, [filled(), wrong])
        assert states(metric) == expected


def test_exact_above_2_to_the_53():
    metric = BLEUScore(n_gram=1).update(["a b"], ["a"])
    for _ in range(60):
        metric.merge_state([metric])
    metric.update(["a"], ["a"])
    assert metric.input_len == 2**61 + 1
    assert math.isclose(metric.compute(), 0.5, rel_tol=1e-15)
    raises(OverflowError, "int64", metric.merge_state([copy.deepcopy(metric)] * 3).compute)


def scores_of_a_rank(rank, directory):
    """What one of two processes sees."""
    join(rank, 2, directory)
    found = {}
    for dialect in ("sacrebleu", "torcheval"):
        for name, shares in SHARES.items():
            metric = BLEUScore(n_gram=4, dialect=dialect)
            if PREDS[shares[rank]]:
                metric.update(PREDS[shares[rank]], TARGET[shares[rank]])
            own_counts = states(metric)
            found[dialect, name] = toolkit.sync_and_compute(metric)
            assert states(metric) == own_counts
    share = SHARES["unequal"][rank]
    two = {"a": BLEUScore(n_gram=1), "b": BLEUScore(n_gram=4)}
    for metric in two.values():
        metric.update(PREDS[share], TARGET[share])
    found["collection"] = toolkit.sync_and_compute_collection(two)
    found["state_dict"] = toolkit.get_synced_state_dict(two["b"])
    raises(ValueError, "cannot be added", toolkit.sync_and_compute, filled(n_gram=1 + rank))
    torch.save(found, f"{directory}/rank{rank}")
    torch.distributed.destroy_process_group()


def test_two_processes(tmp_path):
    torch.multiprocessing.spawn(scores_of_a_rank, (str(tmp_path),), nprocs=2)
    for rank in range(2):
        found = torch.load(tmp_path / f"rank{rank}")
        for dialect in ("sacrebleu", "torcheval"):
            whole = filled(dialect=dialect).compute()
            for name in SHARES:
                nothing = torch.zeros_like(whole)
                assert same(found[dialect, name], nothing if "all" in name else whole)
        assert same(found["collection"]["a"], filled(n_gram=1).compute())
        assert same(found["collection"]["b"], filled().compute())
        loaded = BLEUScore(n_gram=4)
        loaded.load_state_dict(found["state_dict"])
        assert states(loaded) == states(filled())


def test_the_import_loads_nothing_but_the_host_and_warns_of_nothing():
    score = 'BLEUScore(n_gram=4).update(["a b c d"], [["a b c d", "e"]]).compute()'
    check_import("torcheval.metrics", "torcheval", score)
