"""all_reduce over real processes with gloo: the score of one process, or an error, never a hang."""

import pytest
from hosts import host

torch = host("torch")
if not torch.distributed.is_available():
    pytest.skip("this torch has no distributed", allow_module_level=True)

import ranks  # noqa: E402

SLOW_START = 60  # seconds to import torch everywhere, on a busy machine
RANKS = 3
pytestmark = pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")


@pytest.fixture(scope="module")
def failures(tmp_path_factory):
    """For each rank how the scenarios failed there, by name."""
    directory = tmp_path_factory.mktemp("ranks")
    processes = ranks.start(ranks.run_scenarios, RANKS, directory)
    codes = ranks.end(processes, SLOW_START + 3 * ranks.TIMEOUT)
    assert codes == [0] * RANKS
    return [ranks.results_of(directory, rank) for rank in range(RANKS)]


@pytest.mark.parametrize("name", [scenario.__name__ for scenario in ranks.SCENARIOS])
def test_on_every_rank(failures, name):
    assert [failed[name] for failed in failures] == [""] * RANKS


def test_when_a_rank_dies_the_others_are_told(tmp_path):
    processes = ranks.start(ranks.lose_a_rank, RANKS, tmp_path)
    codes = ranks.end(processes, SLOW_START + ranks.TIMEOUT)
    assert codes == [0] * (RANKS - 1) + [3], "exit codes; None is a rank that hung"
    for rank in range(RANKS - 1):
        kind, message = ranks.results_of(tmp_path, rank)
        assert kind not in ("ValueError", "OverflowError", "TypeError"), message
