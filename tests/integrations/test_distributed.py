"""all_reduce over real processes with gloo: the score of one process, or an error, never a hang.

test_contract.py has the scores, and what is refused, for the metrics of all hosts.
"""

import os

import pytest
from generators import raises
from hosts import host
from metrics import metric_with

from fastbleu import BLEU

torch = host("torch")
if not torch.distributed.is_available():
    pytest.skip("this torch has no distributed", allow_module_level=True)

import ranks  # noqa: E402
from torch.utils.data import DataLoader, TensorDataset  # noqa: E402

accelerate = host("accelerate")

RANKS = 3
pytestmark = pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
HYPOTHESES = ["the cat sat", "a cat on a mat", "the dog"] * 4
REFERENCES = [["the cat sat on it", "a cat on the mat"]] * len(HYPOTHESES)


def share(first, last, **parameters):
    """A metric of these segments."""
    metric = BLEU(**parameters)
    metric.update(HYPOTHESES[first:last], REFERENCES[first:last])
    return metric


def a_group_has_the_sums_of_its_ranks(rank):
    """The first and the last rank are a group without the second one."""
    group, metric = torch.distributed.new_group([0, 2]), share(4 * rank, 4 * rank + 4)
    if rank == 1:
        raises(ValueError, "not in the group", metric.all_reduce, group)
    else:
        expected = share(0, 4)
        expected.merge(share(8, 12))
        assert metric.all_reduce(group) == expected
    own = torch.distributed.new_group([rank], use_local_synchronization=True)
    assert metric.all_reduce(own) == metric


def kept_segments_come_in_the_order_of_ranks(rank):
    first, last = ((0, 3), (3, 3), (3, 12))[rank]
    metric, expected = (share(*cut, keep_stats=True) for cut in ((first, last), (0, 12)))
    assert metric.all_reduce().stats == expected.stats
    assert len(metric.stats) == last - first


def reducing_twice_counts_nothing_twice(rank):
    metric, expected = share(4 * rank, 4 * rank + 4), share(0, 12)
    first, second = metric.all_reduce(), metric.all_reduce()
    first.update(["the cat sat down"], [["the cat sat down"]])
    assert second == expected
    assert first.state[0] == expected.state[0] + 4
    raises(ValueError, "the counts of all ranks.*each rank$", first.all_reduce)
    first.reset()
    assert first.all_reduce().state.tolist() == [0] * 10


def rows_that_a_sampler_repeats_are_left_out(rank):
    """As docs/guides/training.md says."""
    data = [*zip(HYPOTHESES, REFERENCES, strict=True)][:10]  # not for each rank as many
    batch = {"batch_size": 2, "collate_fn": lambda rows: [*zip(*rows, strict=True)]}
    expected, repeated, metric = share(0, 10), BLEU(), BLEU()
    sampler = torch.utils.data.DistributedSampler(data, shuffle=False)
    for hypotheses, references in DataLoader(data, sampler=sampler, **batch):
        repeated.update(hypotheses, references)
    assert repeated.all_reduce() != expected
    part = torch.utils.data.Subset(data, range(rank, len(data), RANKS))
    for hypotheses, references in DataLoader(part, **batch):
        metric.update(hypotheses, references)
    assert metric.all_reduce() == expected


def accelerate_leaves_repeated_rows_out(rank):
    """As docs/guides/training.md says."""
    accelerator = accelerate.Accelerator(cpu=True)
    assert accelerator.num_processes == RANKS
    ids = torch.arange(60).reshape(10, 6)
    metric, expected, repeated = (BLEU(tokenize=False) for _ in range(3))
    expected.update(ids, ids // 2)
    for (batch,) in accelerator.prepare(DataLoader(TensorDataset(ids), batch_size=2)):
        generated_ids, labels = accelerator.gather_for_metrics((batch, batch // 2))
        metric.update(generated_ids, labels)
        repeated.update(batch, batch // 2)
    assert metric == expected
    assert repeated.all_reduce() != expected


def a_tokenizer_need_not_be_picklable(rank):
    metric = share(0, 4, tokenize=lambda line: line.split())
    assert metric.all_reduce().state.tolist() == (3 * metric.state).tolist()


def sums_are_exact_to_the_last_number_of_int64(rank):
    metric = metric_with([2**63 - 3 if rank == 0 else 1, *[0] * 9])
    assert metric.all_reduce().state.tolist() == [2**63 - 1, *[0] * 9]


def other_parameters_on_one_rank_are_refused_on_every_rank(rank):
    other = 0 if rank == 2 else 2
    for told, parameters in (
        (["", "weights"], {"weights": (0.1, 0.2, 0.3, 0.4)}),
        (["tok:13a", "tok:char"], {"tokenize": "char"}),
        (["False", "True"], {"keep_stats": True}),
    ):
        metric = BLEU(**(parameters if rank == 2 else {}))
        theirs, own = told if rank == 2 else reversed(told)
        words = f"^rank {other} has a metric with other parameters: .*{theirs}.*, here .*{own}"
        raises(ValueError, words, metric.all_reduce)
    raises(ValueError, "ignore", BLEU(tokenize=False, ignore_ids=(0, rank + 1)).all_reduce)


def the_number_of_references_is_that_of_all_ranks(rank):
    for numbers, expected in (([1, 1, 1], "1"), ([1, 2, 1], "var"), ([0, 2, 0], "2")):
        metric = BLEU()
        if numbers[rank]:
            metric.update(["a b c d"], [["a b c d"] * numbers[rank]])
        signature = metric.all_reduce().compute().signature
        assert signature.startswith(f"nrefs:{expected}|")


def check_all(rank, directory):
    """Run all checks in the same processes, because starting torch takes seconds."""
    ranks.join(rank, RANKS, directory)
    for check in (
        a_group_has_the_sums_of_its_ranks,
        kept_segments_come_in_the_order_of_ranks,
        reducing_twice_counts_nothing_twice,
        rows_that_a_sampler_repeats_are_left_out,
        accelerate_leaves_repeated_rows_out,
        a_tokenizer_need_not_be_picklable,
        sums_are_exact_to_the_last_number_of_int64,
        other_parameters_on_one_rank_are_refused_on_every_rank,
        the_number_of_references_is_that_of_all_ranks,
    ):
        check(rank)
    if rank == RANKS - 1:
        os._exit(3)
    torch.save(ranks.attempt(share(0, 4).all_reduce), f"{directory}/rank{rank}")
    os._exit(0)  # destroying the group would wait for the dead rank


def test_all_ranks_score_and_learn_that_one_died(tmp_path):
    context = torch.multiprocessing.get_context("spawn")
    arguments = [(rank, str(tmp_path)) for rank in range(RANKS)]
    processes = [context.Process(target=check_all, args=each, daemon=True) for each in arguments]
    for process in processes:
        process.start()
    for process in processes:
        process.join(60 + ranks.TIMEOUT)  # importing torch takes long on a busy machine
    codes = [process.exitcode for process in processes]
    assert codes == [0] * (RANKS - 1) + [3], "exit codes; 1: see above; None is a rank that hung"
    for rank in range(RANKS - 1):
        kind, message = torch.load(tmp_path / f"rank{rank}")
        assert kind not in ("ValueError", "OverflowError", "TypeError"), message
