"""Real processes of torch.distributed, and what each of them does in test_distributed.py.

Every scenario is a function of (rank, ranks) that every rank runs; what it returns or raises is
sent back. They all run in the same processes one after the other, because starting torch takes
seconds; so a scenario that leaves the ranks out of step breaks the next one, as it should.
"""

import datetime
import functools
import os
import pickle
import sys

import numpy as np
import torch
import torch.distributed as dist
import torch.multiprocessing
from states import metric_with

from fastbleu import BLEU

TIMEOUT = 10  # seconds that a collective waits for the other ranks
IDS = {"tokenize": None, "stop_id": 1, "ignore_ids": (0,), "max_order": 2}


def corpus(size=20):
    """Lines of which every system gets some n-grams right."""
    words = ["the", "cat", "sat", "on", "a", "mat", "and", "saw", "the", "dog", "run", "by"]
    hypotheses = [" ".join(words[i % 5 : 5 + i % 7]) for i in range(size)]
    references = [
        [" ".join(words[i % 4 : 6 + i % 5]), " ".join(words[i % 3 :])] for i in range(size)
    ]
    return hypotheses, references


def share(rank, ranks, shares=None):
    """The part of the corpus that a rank has: equal ones, or cut where `shares` says."""
    hypotheses, references = corpus()
    cuts = shares or [len(hypotheses) * k // ranks for k in range(ranks + 1)]
    part = slice(cuts[rank], cuts[rank + 1])
    return hypotheses[part], references[part]


def report(local, reduced, before):
    """All that a test compares."""
    return {
        "state": reduced.state.tolist(),
        "score": reduced.compute(),
        "untouched": local.state.tolist() == before and reduced is not local,
        "dtype": str(reduced.state.dtype),
    }


def reduce_shares(rank, ranks, parameters, shares=None):
    metric = BLEU(**parameters)
    metric.update(*share(rank, ranks, shares))
    before = metric.state.tolist()
    return report(metric, metric.all_reduce(), before)


def reduce_ids(rank, ranks):
    ids = torch.arange(60).reshape(6, 10) % 7
    part = slice(6 * rank // ranks, 6 * (rank + 1) // ranks)
    metric = BLEU(**IDS)
    metric.update(ids[part], ids.flip(0)[part])
    before = metric.state.tolist()
    return report(metric, metric.all_reduce(), before)


def reduce_nothing(rank, ranks):
    return BLEU().all_reduce().compute()


def reduce_in_a_group(rank, ranks):
    """The first and the last rank have a group of their own."""
    group = dist.new_group([0, ranks - 1])
    metric = BLEU()
    metric.update(*share(rank, ranks))
    reduced = metric.all_reduce(group) if rank in (0, ranks - 1) else None
    alone = metric.all_reduce(dist.new_group([rank], use_local_synchronization=True))
    return reduced and reduced.compute(), alone == metric


def reduce_in_a_group_of_others(rank, ranks):
    metric = BLEU()
    return metric.all_reduce(dist.new_group([0])) == metric


def reduce_segments(rank, ranks):
    metric = BLEU(keep_segments=True)
    metric.update(*share(rank, ranks, [*[0, 3, 3][:ranks], 20]))
    local = len(metric.segments)
    reduced = metric.all_reduce()
    unchanged = len(metric.segments) == local
    return np.asarray(reduced.segments).tolist(), reduced.segment_scores().tolist(), unchanged


def reduce_twice(rank, ranks):
    """Reducing again counts nothing twice; a reduced metric can go on."""
    metric = BLEU()
    metric.update(*share(rank, ranks))
    first, second = metric.all_reduce(), metric.all_reduce()
    first.update(["the cat sat down"], [["the cat sat down"]])
    return second.compute(), first.state.tolist(), first == second


def overflow(rank, ranks, count):
    metric = metric_with([count, *[0] * 9])
    try:
        return metric.all_reduce().state.tolist()
    finally:
        assert metric.state.tolist() == [count, *[0] * 9]


def reduce_big_counts(rank, ranks):
    state = [2**53 + 1 + rank, 2**54 + 1, 5, 4, 3, 2**53 + 1, 2**53 + 3, 5, 4, 2**53 + 1]
    return metric_with(state).all_reduce().state.tolist()


def differ(rank, ranks, parameters):
    """Only the last rank has other parameters."""
    metric = BLEU(**(parameters if rank == ranks - 1 else {}))
    if metric.tokenizer:
        metric.update(["a b c d"], ["a b c d"])
    else:
        metric.update([["a"]], [[["a"]]])
    return metric.all_reduce()


def reduce_with_a_tokenizer_that_cannot_be_pickled(rank, ranks):
    metric = BLEU(lambda line: line.split())
    metric.update(*share(rank, ranks))
    return metric.all_reduce().compute().value


def differ_in_options(rank, ranks):
    metric = BLEU(None, ignore_ids=(0, rank + 1))
    metric.update([[1, 2]], [[[1, 2]]])
    return metric.all_reduce()


def count_references(rank, ranks, numbers):
    metric = BLEU()
    if numbers[rank]:
        metric.update(["a b c d"], [["a b c d"] * numbers[rank]])
    return metric.all_reduce().compute().signature.partition("|")[0]


SCENARIOS = {
    "equal shares": functools.partial(reduce_shares, parameters={}),
    "unequal shares": lambda rank, ranks: reduce_shares(
        rank, ranks, {"dialect": "nltk", "smoothing": "exp"}, [*[0, 1, 4][:ranks], 20]
    ),
    "an empty rank": lambda rank, ranks: reduce_shares(rank, ranks, {}, [0, 20, 20, 20]),
    "an empty first rank": lambda rank, ranks: reduce_shares(rank, ranks, {}, [0, 0, 20, 20]),
    "ids": reduce_ids,
    "nothing anywhere": reduce_nothing,
    "a group": reduce_in_a_group,
    "a group of others": reduce_in_a_group_of_others,
    "kept segments": reduce_segments,
    "twice": reduce_twice,
    "beyond int64": functools.partial(overflow, count=2**62),
    "far beyond int64": functools.partial(overflow, count=2**63 - 1),
    "one rank beyond int64": lambda rank, ranks: overflow(rank, ranks, 2**63 - 1 if rank else 1),
    "just within int64": lambda rank, ranks: overflow(
        rank, ranks, 2**63 - ranks if rank == 0 else 1
    ),
    "big counts": reduce_big_counts,
    "a lambda": reduce_with_a_tokenizer_that_cannot_be_pickled,
    "another dialect": functools.partial(differ, parameters={"dialect": "nltk"}),
    "another reference": functools.partial(differ, parameters={"reference_length": "first"}),
    "other weights": functools.partial(differ, parameters={"weights": (0.1, 0.2, 0.3, 0.4)}),
    "another smoothing": functools.partial(differ, parameters={"smoothing": "none"}),
    "another order": functools.partial(differ, parameters={"max_order": 6}),
    "another tokenizer": functools.partial(differ, parameters={"tokenize": None}),
    "segments kept on one rank": functools.partial(differ, parameters={"keep_segments": True}),
    "other ids": differ_in_options,
    "one reference": functools.partial(count_references, numbers=[1, 1, 1]),
    "numbers of references": functools.partial(count_references, numbers=[1, 2, 1]),
    "references on one rank": functools.partial(count_references, numbers=[0, 2, 0]),
    "in step at the end": functools.partial(reduce_shares, parameters={}),
}


def attempt(function, *arguments):
    """What a function returns, or (type, message) of what it raises."""
    try:
        return function(*arguments)
    except Exception as error:
        return type(error).__name__, str(error)


def join(rank, ranks, directory):
    if sys.platform == "linux":
        os.environ.setdefault("GLOO_SOCKET_IFNAME", "lo")
    dist.init_process_group(
        "gloo",
        init_method=f"file://{directory}/rendezvous",
        rank=rank,
        world_size=ranks,
        timeout=datetime.timedelta(seconds=TIMEOUT),
    )


def run_scenarios(rank, ranks, directory):
    """All scenarios, and what became of them in a file of this rank."""
    torch.set_num_threads(1)
    join(rank, ranks, directory)
    results = {name: attempt(scenario, rank, ranks) for name, scenario in SCENARIOS.items()}
    with open(f"{directory}/rank{rank}", "wb") as file:
        pickle.dump(results, file)
    dist.destroy_process_group()


def lose_a_rank(rank, ranks, directory):
    """The last rank dies after a first collective that all took part in."""
    join(rank, ranks, directory)
    metric = BLEU()
    metric.update(*share(rank, ranks))
    metric.all_reduce()
    if rank == ranks - 1:
        os._exit(3)
    result = attempt(metric.all_reduce)
    with open(f"{directory}/rank{rank}", "wb") as file:
        pickle.dump(result, file)
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
