"""all_reduce over real processes with gloo: the score of one process, or an error, never a hang."""

import os
import sys
import time

import numpy as np
import pytest
from commands import TRAINS, python
from hosts import host

from fastbleu import BLEU

torch = host("torch")
if not torch.distributed.is_available():
    pytest.skip("this torch has no distributed", allow_module_level=True)

import ranks  # noqa: E402

SLOW_START = 60  # seconds to import torch everywhere, on a busy machine
pytestmark = pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")


@pytest.fixture(scope="module", params=[2, 3])
def world(request, tmp_path_factory):
    """What every scenario came to on every rank: world(name) is a list with an entry per rank."""
    directory = tmp_path_factory.mktemp("ranks")
    processes = ranks.start(ranks.run_scenarios, request.param, directory)
    codes = ranks.end(processes, SLOW_START + 3 * ranks.TIMEOUT)
    assert codes == [0] * request.param
    results = [ranks.results_of(directory, rank) for rank in range(request.param)]
    return lambda name: [result[name] for result in results]


def whole(**parameters):
    """The metric of one process that has all segments."""
    metric = BLEU(**parameters)
    metric.update(*ranks.corpus())
    return metric


@pytest.mark.parametrize(
    ("name", "parameters"),
    [
        ("equal shares", {}), ("unequal shares", {"dialect": "nltk", "smoothing": "exp"}),
        ("an empty rank", {}), ("an empty first rank", {}), ("in step at the end", {}),
    ],
)  # fmt: skip
def test_the_score_is_that_of_one_process(world, name, parameters):
    expected = whole(**parameters)
    for result in world(name):
        assert result["score"] == expected.compute()
        assert result["state"] == expected.state.tolist()
        assert result["dtype"] == "int64"
        assert result["untouched"]


def test_ids(world):
    ids = np.arange(60).reshape(6, 10) % 7
    expected = BLEU(**ranks.IDS).score(ids, ids[::-1])
    for result in world("ids"):
        assert result["score"] == expected
        assert result["untouched"]


def test_nothing_on_all_ranks_has_no_score(world):
    for kind, message in world("nothing anywhere"):
        assert kind == "ValueError"
        assert "nothing was added" in message


def test_a_group_has_the_sums_of_its_ranks(world):
    results = world("a group")
    size = len(results)
    metric = BLEU()
    for rank in {0, size - 1}:
        metric.update(*ranks.share(rank, size))
    for rank, (score, alone) in enumerate(results):
        assert score == (metric.compute() if rank in (0, size - 1) else None)
        assert alone


def test_a_rank_outside_the_group_is_told(world):
    first, *others = world("a group of others")
    assert first is True
    for kind, message in others:
        assert kind == "ValueError"
        assert "not in the group" in message


def test_kept_segments_come_in_the_order_of_ranks(world):
    expected = whole(keep_segments=True)
    for rows, scores, unchanged in world("kept segments"):
        assert rows == np.asarray(expected.segments).tolist()
        assert scores == expected.segment_scores().tolist()
        assert unchanged


def test_reducing_twice_counts_nothing_twice(world):
    for score, state, same in world("twice"):
        assert score == whole().compute()
        assert state[0] == whole().state[0] + 4
        assert not same


def test_a_tokenizer_that_cannot_be_pickled(world):
    expected = BLEU(str.split).score(*ranks.corpus()).value
    assert world("a lambda") == [expected] * len(world("a lambda"))


@pytest.mark.parametrize("name", ["beyond int64", "far beyond int64", "one rank beyond int64"])
def test_a_sum_beyond_int64_is_refused_on_every_rank(world, name):
    for kind, message in world(name):
        assert kind == "OverflowError"
        assert "int64" in message


def test_sums_are_exact_to_the_last_number(world):
    results = world("just within int64")
    assert results == [[2**63 - 1, *[0] * 9]] * len(results)
    results = world("big counts")
    size = len(results)
    state = [2**53 + 1, 2**54 + 1, 5, 4, 3, 2**53 + 1, 2**53 + 3, 5, 4, 2**53 + 1]
    expected = [size * count for count in state]
    expected[0] += sum(range(size))
    assert results == [expected] * size


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("another smoothing", "smooth"), ("another order", "order"), ("other ids", "ignore"),
        ("another tokenizer", "tok"), ("segments kept on one rank", "keep_segments"),
        ("another dialect", "dialect"), ("another reference", "ref"), ("other weights", "weights"),
    ],
)  # fmt: skip
def test_other_parameters_on_one_rank_are_refused_on_every_rank(world, name, words):
    for kind, message in world(name):
        assert kind == "ValueError"
        assert words in message


def test_the_number_of_references_is_that_of_all_ranks(world):
    size = len(world("one reference"))
    assert world("one reference") == ["nrefs:1"] * size
    assert world("numbers of references") == ["nrefs:var"] * size
    assert world("references on one rank") == ["nrefs:2"] * size


@pytest.mark.parametrize("size", [2, 3])
def test_when_a_rank_dies_the_others_are_told(tmp_path, size):
    processes = ranks.start(ranks.lose_a_rank, size, tmp_path)
    begun = time.monotonic()
    codes = ranks.end(processes, SLOW_START + ranks.TIMEOUT)
    assert codes == [0] * (size - 1) + [3], "exit codes; None is a rank that hung"
    for rank in range(size - 1):
        kind, message = ranks.results_of(tmp_path, rank)
        assert kind not in ("ValueError", "OverflowError", "TypeError"), message
    print(f"all ended after {time.monotonic() - begun:.1f} s")


SCRIPT = """
import torch.distributed as dist
import ranks
from fastbleu import BLEU

dist.init_process_group("gloo")
metric = BLEU()
metric.update(*ranks.share(dist.get_rank(), dist.get_world_size()))
score = metric.all_reduce().compute()
print(f"rank {dist.get_rank()}: {score.value!r} {score.signature}\\n", end="", flush=True)
dist.destroy_process_group()
"""


def test_torchrun(tmp_path):
    script = tmp_path / "score.py"
    script.write_text(SCRIPT)
    command = ["-m", "torch.distributed.run", "--nproc-per-node", "2",
        "--rdzv-backend", "c10d", "--rdzv-endpoint", "localhost:0", str(script)]  # fmt: skip
    environment = {"OMP_NUM_THREADS": "1"}
    if sys.platform == "linux":
        environment["GLOO_SOCKET_IFNAME"] = os.environ.get("GLOO_SOCKET_IFNAME", "lo")
    said = python(*command, noisy=True, seconds=TRAINS, **environment)
    score = whole().compute()
    lines = sorted(line for line in said.splitlines() if line.startswith("rank"))
    assert lines == [f"rank {rank}: {score.value!r} {score.signature}" for rank in range(2)]
