"""Real processes of torch.distributed, and what holds in each of them for test_distributed.py.

Every function of SCENARIOS is run by every rank, and asserts what holds there. They all run in the
same processes one after the other, because starting torch takes seconds; so a scenario that leaves
the ranks out of step breaks the next one, as it should.
"""

import datetime
import os
import pickle
import sys
import traceback

import numpy as np
import torch
import torch.distributed as dist
import torch.multiprocessing
from generators import raises
from states import metric_with

from fastbleu import BLEU

TIMEOUT = 10  # seconds that a collective waits for the other ranks


def corpus(size=20):
    """Lines of which every system gets some n-grams right."""
    words = ["the", "cat", "sat", "on", "a", "mat", "and", "saw", "the", "dog", "run", "by"]
    hypotheses = [" ".join(words[i % 5 : 5 + i % 7]) for i in range(size)]
    references = [
        [" ".join(words[i % 4 : 6 + i % 5]), " ".join(words[i % 3 :])] for i in range(size)
    ]
    return hypotheses, references


def share(rank, ranks, cuts=None, **parameters):
    """The metric of a rank's part of the corpus: equal parts, or cut where `cuts` says."""
    hypotheses, references = corpus()
    cuts = cuts or [len(hypotheses) * k // ranks for k in range(ranks + 1)]
    part = slice(cuts[rank], cuts[rank + 1])
    metric = BLEU(**parameters)
    metric.update(hypotheses[part], references[part])
    return metric


def whole(**parameters):
    """The metric of one process that has all segments."""
    return share(0, 1, **parameters)


def the_score_is_that_of_one_process(rank, ranks):
    for cuts, parameters in (
        (None, {}),
        ([0, 1, 4, 20], {"dialect": "nltk", "smoothing": "exp"}),
        ([0, 0, 20, 20], {}),
    ):
        metric = share(rank, ranks, cuts, **parameters)
        before = metric.state.tolist()
        reduced = metric.all_reduce()
        assert reduced == whole(**parameters)
        assert reduced.compute() == whole(**parameters).compute()
        assert reduced.state.dtype == np.int64
        assert metric.state.tolist() == before


def nothing_on_all_ranks_has_no_score(rank, ranks):
    raises(ValueError, "nothing was added", BLEU().all_reduce().compute)


def a_group_has_the_sums_of_its_ranks(rank, ranks):
    """The first and the last rank have a group of their own; the others are not in it."""
    group, metric = dist.new_group([0, ranks - 1]), share(rank, ranks)
    if rank in (0, ranks - 1):
        expected = share(0, ranks)
        expected.merge(share(ranks - 1, ranks))
        assert metric.all_reduce(group) == expected
    else:
        raises(ValueError, "not in the group", metric.all_reduce, group)
    assert metric.all_reduce(dist.new_group([rank], use_local_synchronization=True)) == metric


def kept_segments_come_in_the_order_of_ranks(rank, ranks):
    metric = share(rank, ranks, [0, 3, 3, 20], keep_segments=True)
    local = len(metric.segments)
    reduced, expected = metric.all_reduce(), whole(keep_segments=True)
    assert np.asarray(reduced.segments).tolist() == np.asarray(expected.segments).tolist()
    assert reduced.segment_scores().tolist() == expected.segment_scores().tolist()
    assert len(metric.segments) == local


def reducing_twice_counts_nothing_twice(rank, ranks):
    metric = share(rank, ranks)
    first, second = metric.all_reduce(), metric.all_reduce()
    first.update(["the cat sat down"], [["the cat sat down"]])
    assert second == whole()
    assert first.state[0] == whole().state[0] + 4


def a_tokenizer_need_not_be_picklable(rank, ranks):
    metric = share(rank, ranks, tokenize=lambda line: line.split())
    assert metric.all_reduce().compute().value == whole(tokenize=str.split).compute().value


def sums_are_exact_to_the_last_number_of_int64(rank, ranks):
    state = [2**53 + 1 + rank, 2**54 + 1, 5, 4, 3, 2**53 + 1, 2**53 + 3, 5, 4, 2**53 + 1]
    expected = [ranks * count for count in state]
    expected[0] = ranks * (2**53 + 1) + sum(range(ranks))
    assert metric_with(state).all_reduce().state.tolist() == expected
    metric = metric_with([2**63 - ranks if rank == 0 else 1, *[0] * 9])
    assert metric.all_reduce().state.tolist() == [2**63 - 1, *[0] * 9]
    for count in (2**62, 2**63 - 1 if rank else 1):
        metric = metric_with([count, *[0] * 9])
        raises(OverflowError, "int64", metric.all_reduce)
        assert metric.state.tolist() == [count, *[0] * 9]


def other_parameters_on_one_rank_are_refused_on_every_rank(rank, ranks):
    for parameters, words in (
        ({"weights": (0.1, 0.2, 0.3, 0.4)}, "weights"),
        ({"tokenize": "char"}, "tok"),
        ({"keep_segments": True}, "keep_segments"),
    ):
        metric = BLEU(**(parameters if rank == ranks - 1 else {}))
        raises(ValueError, words, metric.all_reduce)
    raises(ValueError, "ignore", BLEU(None, ignore_ids=(0, rank + 1)).all_reduce)


def the_number_of_references_is_that_of_all_ranks(rank, ranks):
    for numbers, expected in (([1, 1, 1], "1"), ([1, 2, 1], "var"), ([0, 2, 0], "2")):
        metric = BLEU()
        if numbers[rank]:
            metric.update(["a b c d"], [["a b c d"] * numbers[rank]])
        signature = metric.all_reduce().compute().signature
        assert signature.startswith(f"nrefs:{expected}|")


SCENARIOS = [
    the_score_is_that_of_one_process,
    nothing_on_all_ranks_has_no_score,
    a_group_has_the_sums_of_its_ranks,
    kept_segments_come_in_the_order_of_ranks,
    reducing_twice_counts_nothing_twice,
    a_tokenizer_need_not_be_picklable,
    sums_are_exact_to_the_last_number_of_int64,
    other_parameters_on_one_rank_are_refused_on_every_rank,
    the_number_of_references_is_that_of_all_ranks,
]


def attempt(function, *arguments):
    """What a function returns, or (type, message) of what it raises."""
    try:
        return function(*arguments)
    except Exception as error:
        return type(error).__name__, str(error)


def join(rank, ranks, directory):
    if sys.platform == "linux":
        os.environ.setdefault("GLOO_SOCKET_IFNAME", "lo")
    os.environ["LOCAL_RANK"] = str(rank)
    dist.init_process_group(
        "gloo",
        init_method=f"file://{directory}/rendezvous",
        rank=rank,
        world_size=ranks,
        timeout=datetime.timedelta(seconds=TIMEOUT),
    )


def failed(scenario, rank, ranks):
    """The traceback of a scenario, "" if all holds."""
    try:
        scenario(rank, ranks)
    except BaseException:
        return traceback.format_exc()
    return ""


def run_scenarios(rank, ranks, directory):
    """All scenarios, and how they failed in a file of this rank."""
    torch.set_num_threads(1)
    join(rank, ranks, directory)
    results = {scenario.__name__: failed(scenario, rank, ranks) for scenario in SCENARIOS}
    with open(f"{directory}/rank{rank}", "wb") as file:
        pickle.dump(results, file)
    dist.destroy_process_group()


def lose_a_rank(rank, ranks, directory):
    """The last rank dies after a first collective that all took part in."""
    join(rank, ranks, directory)
    metric = share(rank, ranks)
    metric.all_reduce()
    if rank == ranks - 1:
        os._exit(3)
    with open(f"{directory}/rank{rank}", "wb") as file:
        pickle.dump(attempt(metric.all_reduce), file)
    os._exit(0)  # destroying the group would wait for the dead


def start(target, ranks, directory):
    """Start a process for each rank."""
    context = torch.multiprocessing.get_context("spawn")
    processes = [
        context.Process(target=target, args=(rank, ranks, str(directory)), daemon=True)
        for rank in range(ranks)
    ]
    for process in processes:
        process.start()
    return processes


def end(processes, seconds):
    """Wait for all; exit codes, None for those that hung and had to be killed."""
    for process in processes:
        process.join(seconds)
    codes = [process.exitcode for process in processes]
    for process in processes:
        if process.is_alive():
            process.kill()
            process.join()
    return codes


def results_of(directory, rank):
    with open(f"{directory}/rank{rank}", "rb") as file:
        return pickle.load(file)
