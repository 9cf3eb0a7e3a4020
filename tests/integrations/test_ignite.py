"""BLEU in PyTorch-Ignite: in engines, saved and restored, and summed over processes."""

import copy
import os
import pickle

import pytest
from batches import OF_IDS, check_parameters, id_batches, native
from generators import SEED, raises
from hosts import host

torch = host("torch")
ignite = host("ignite")

import torch.distributed as dist  # noqa: E402
from ignite.engine import Engine  # noqa: E402
from ignite.exceptions import NotComputableError  # noqa: E402
from ignite.metrics.metric import BatchWise  # noqa: E402
from ranks import attempt, join  # noqa: E402

import fastbleu  # noqa: E402
from fastbleu.integrations.ignite import BLEU  # noqa: E402


def tensor_batches(seed):
    """Batches of padded ids, (hypotheses, references), of different shapes."""
    return (tuple(map(torch.from_numpy, batch)) for batch in id_batches(seed))


def test_the_numbers_are_those_of_the_native_metric():
    batches = list(tensor_batches(SEED))
    metric = BLEU(**OF_IDS)
    for batch in batches:
        metric.update(batch)
    expected = native(batches, **OF_IDS)
    assert metric.compute() == expected.compute().value
    assert metric._counts.dtype == torch.int64
    assert metric._counts.tolist() == expected.state.tolist()
    score = metric.score()
    assert (score.matches, score.totals) == (expected.compute().matches, expected.compute().totals)
    assert "tok:ids" in score.signature


@pytest.mark.parametrize(
    ("output", "transform"),
    [
        (lambda pair: pair, None),
        (lambda pair: {"y_pred": pair[0], "y": pair[1]}, None),
        (lambda pair: {"loss": 0.5, "ids": pair[0], "gold": pair[1]}, ("ids", "gold")),
    ],
    ids=["tuple", "mapping", "output_transform"],
)
def test_in_an_engine(output, transform):
    batches = list(tensor_batches(SEED))
    options = {"output_transform": lambda out: tuple(out[key] for key in transform)}
    metric = BLEU(**OF_IDS, **(options if transform else {}))
    evaluator = Engine(lambda engine, pair: output(pair))
    metric.attach(evaluator, "bleu")
    assert metric.is_attached(evaluator)
    expected = native(batches, **OF_IDS).compute().value
    for _ in range(2):  # every run starts from nothing
        assert evaluator.run(batches).metrics["bleu"] == expected
    metric.detach(evaluator)
    evaluator.state.metrics.clear()
    assert "bleu" not in evaluator.run(batches).metrics


def test_in_an_engine_batch_by_batch():
    batches, seen = list(tensor_batches(SEED)), []
    evaluator = Engine(lambda engine, pair: pair)
    BLEU(**OF_IDS).attach(evaluator, "bleu", usage=BatchWise())
    evaluator.add_event_handler(
        ignite.engine.Events.ITERATION_COMPLETED,
        lambda engine: seen.append(engine.state.metrics["bleu"]),
    )
    evaluator.run(batches)
    assert seen == [native([batch], **OF_IDS).compute().value for batch in batches]


@pytest.mark.parametrize("nested", [False, True], ids=["one reference", "several"])
def test_a_ragged_list_in_an_engine_is_one_batch(nested):
    """ignite would unroll it into single tensors."""
    generator = torch.Generator().manual_seed(SEED)

    def sequences(lengths):
        return [torch.randint(0, 4, (length,), generator=generator) for length in lengths]

    hypotheses, references = sequences([5, 9, 7]), sequences([6, 8, 7])
    if nested:
        references = [[one, *sequences([5])] for one in references]
    evaluator = Engine(lambda engine, pair: pair)
    BLEU(tokenize=None).attach(evaluator, "bleu")
    metrics = evaluator.run([(hypotheses, references)]).metrics
    assert metrics["bleu"] == fastbleu.BLEU(tokenize=None).score(hypotheses, references).value


def test_arithmetic_of_metrics():
    batches = list(tensor_batches(SEED))
    evaluator = Engine(lambda engine, pair: pair)
    (BLEU(**OF_IDS) / 100).attach(evaluator, "share")
    expected = native(batches, **OF_IDS).compute().value / 100
    assert evaluator.run(batches).metrics["share"] == expected


def test_nothing_to_compute():
    metric = BLEU(**OF_IDS)
    raises(NotComputableError, "no process has been given", metric.compute)
    metric.update(next(tensor_batches(SEED)))
    metric.reset()
    with pytest.raises(NotComputableError):
        metric.compute()


def test_a_batch_that_fails_adds_nothing():
    metric = BLEU(**OF_IDS)
    hypotheses, references = next(tensor_batches(SEED))
    metric.update((hypotheses, references))
    before = metric.compute()
    with pytest.raises(TypeError):
        metric.update((hypotheses.float(), references))
    with pytest.raises(ValueError):
        metric.update((hypotheses, references[1:]))
    assert metric.compute() == before
    metric._counts += 2**63 - 1 - metric._counts.max()
    counts = metric._counts.tolist()
    raises(OverflowError, "int64", metric.update, (hypotheses, references))
    assert metric._counts.tolist() == counts


def test_saved_and_restored(tmp_path):
    first, *others = tensor_batches(SEED)
    metric = BLEU(**OF_IDS)
    metric.update(first)
    torch.save(metric.state_dict(), tmp_path / "metric.pt")
    restored = BLEU(**OF_IDS)
    restored.load_state_dict(torch.load(tmp_path / "metric.pt", weights_only=True))
    for each in (metric, restored):
        for batch in others:
            each.update(batch)
    assert restored.compute() == metric.compute()
    assert restored.compute() == native([first, *others], **OF_IDS).compute().value


def test_a_saved_state_of_another_shape():
    state = BLEU(**OF_IDS, max_order=2).state_dict()
    raises(ValueError, "another max_order", BLEU(**OF_IDS).load_state_dict, state)


@pytest.mark.parametrize("clone", [copy.deepcopy, lambda it: pickle.loads(pickle.dumps(it))])
def test_copies_are_independent(clone):
    batches = list(tensor_batches(SEED))
    parameters = {**OF_IDS, "weights": (0.4, 0.3, 0.2, 0.1)}
    once = {name: iter(value) for name, value in parameters.items() if isinstance(value, tuple)}
    metric = BLEU(**{**parameters, **once})
    metric.update(batches[0])
    copied = clone(metric)
    copied.update(batches[1])
    assert metric.compute() == native(batches[:1], **parameters).compute().value
    assert copied.compute() == native(batches[:2], **parameters).compute().value


def test_parameters_are_checked_at_once():
    check_parameters(BLEU)


def shares():
    """The batches of three processes: one, the others, none."""
    first, *others = tensor_batches(SEED)
    return [first], others, []


def work(rank):
    """What one of several processes finds out, as a dict."""
    share = shares()[rank]
    evaluator = Engine(lambda engine, pair: pair)
    metric = BLEU(**OF_IDS)
    metric.attach(evaluator, "bleu")
    evaluator.run(share, epoch_length=len(share)) if share else metric.completed(evaluator, "bleu")
    restored = BLEU(**OF_IDS)
    restored.load_state_dict(metric.state_dict())
    found = {
        "bleu": evaluator.state.metrics["bleu"],
        "own": metric._counts.tolist(),
        "restored": restored._counts.tolist(),
        "restored bleu": restored.compute(),
    }
    metric.reset()
    found["nothing"] = attempt(metric.compute)
    # Three times this is 2**64 + 2, which would wrap around to 2.
    metric._counts += 6148914691236517206
    found["overflow"] = attempt(metric.compute)
    found["own after overflow"] = metric._counts.tolist()
    return found


def process(rank, folder):
    os.environ["LOCAL_RANK"] = str(rank)
    join(rank, len(shares()), folder)
    torch.save(work(rank), f"{folder}/{rank}.pt")
    dist.destroy_process_group()


def test_across_processes(tmp_path):
    """One test, because starting processes takes seconds."""
    torch.multiprocessing.spawn(process, (str(tmp_path),), nprocs=len(shares()))
    expected = native([batch for share in shares() for batch in share], **OF_IDS).compute().value
    for rank, share in enumerate(shares()):
        found = torch.load(tmp_path / f"{rank}.pt")
        own = native(share, **OF_IDS).state.tolist()
        assert (found["bleu"], found["own"]) == (expected, own)
        assert (found["restored bleu"], found["restored"]) == (expected, own)
        assert found["nothing"][0] == "NotComputableError"
        assert found["overflow"][0] == "OverflowError"
        assert found["own after overflow"] == [6148914691236517206] * 10
