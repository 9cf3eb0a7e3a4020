"""What must hold for the metrics of all hosts: scores, errors, copies, sums, processes, imports."""

import importlib
import math
import re
from contextlib import nullcontext

import numpy as np
import pytest
from adaptors import ADAPTORS, ID_RULES, IDS, PREDS, TARGET, TEXT_OF_IDS, WRONG_TEXTS, check_imports
from generators import raises
from hosts import host
from texts import random_texts, with_keras

from fastbleu import BLEU

pytestmark = with_keras


def those(condition):
    """Parametrize a test with the adaptors that meet a condition."""
    chosen = {name: each for name, each in ADAPTORS.items() if condition(each)}
    return pytest.mark.parametrize("adaptor", chosen.values(), ids=chosen)


every_adaptor = those(lambda adaptor: True)
with_counts = those(lambda adaptor: adaptor.counts)
of_hosts = those(lambda adaptor: adaptor.counts and adaptor.needs != "fastbleu")


@random_texts
@with_counts
def test_ids_are_scored_by_the_given_rules(adaptor):
    torch = host("torch") if "fastbleu:" not in adaptor.place else None
    for array in (np.array, torch.tensor) if torch else (np.array,):
        metric = adaptor.filled(*map(array, IDS), max_ngram_order=2, **ID_RULES)
        as_text = adaptor.filled(*TEXT_OF_IDS, max_ngram_order=2, tokenize="none")
        assert adaptor.counts(metric) == adaptor.counts(as_text)
        assert adaptor.compute(metric) == adaptor.compute(as_text)


@every_adaptor
def test_a_refused_batch_adds_nothing(adaptor):
    metric = adaptor.filled()
    score = adaptor.compute(metric)
    for batch in WRONG_TEXTS:
        with pytest.raises((TypeError, ValueError)):
            adaptor.update(metric, *batch)
        assert adaptor.compute(metric) == score
    adaptor.update(metric, PREDS, TARGET)
    assert adaptor.compute(metric) == adaptor.expected(PREDS * 2, TARGET * 2)


@of_hosts
def test_metrics_without_sums_are_refused(adaptor):
    kind = type(adaptor.new())
    for metric, error, words in (
        (4, TypeError, "an int, expected a fastbleu.BLEU"),
        (BLEU(keep_stats=True), ValueError, "keep_stats=True is not supported here"),
        ("lm-eval", ValueError, "'lm-eval.*does not support state"),
    ):
        raises(error, words, kind, metric=metric)


@of_hosts
def test_a_metric_is_not_changed_and_may_be_a_name(adaptor):
    kind = type(adaptor.new())
    used = BLEU()
    used.update(PREDS[:1], TARGET[:1])
    before = used.state.tolist()
    for metric in (used, "sacrebleu"):
        made = adaptor.with_metric(kind, metric)
        adaptor.update(made, PREDS, TARGET)
        assert adaptor.compute(made) == BLEU().score(PREDS, TARGET).value / adaptor.scale
    assert used.state.tolist() == before


@every_adaptor
def test_no_batches_have_no_score_and_reset_forgets_all(adaptor):
    metric = adaptor.new()
    for _ in range(2):
        if isinstance(adaptor.nothing, str):
            with pytest.raises(Exception) as caught:
                adaptor.compute(metric)
            assert adaptor.nothing in [kind.__name__ for kind in type(caught.value).__mro__]
        else:
            with pytest.warns() if "torchmetrics" in adaptor.needs else nullcontext():
                assert adaptor.compute(metric) == adaptor.nothing
        adaptor.update(metric, PREDS, TARGET)
        assert adaptor.compute(metric) == adaptor.expected(PREDS, TARGET) > 0
        adaptor.reset(metric)


@those(lambda adaptor: adaptor.copies)
def test_copies_are_independent(adaptor):
    metric = adaptor.filled()
    score = adaptor.compute(metric)
    for copied in adaptor.copies:
        other = copied(metric)
        assert adaptor.compute(other) == score
        adaptor.update(other, PREDS[:2], TARGET[:2])
        both = adaptor.expected(PREDS + PREDS[:2], TARGET + TARGET[:2])
        assert adaptor.compute(other) == both != score
    assert adaptor.compute(metric) == score


@those(lambda adaptor: adaptor.merge)
def test_merging_adds_the_sums_of_metrics_with_equal_options(adaptor):
    first, second = adaptor.filled(PREDS[:2], TARGET[:2]), adaptor.filled(PREDS[1:], TARGET[1:])
    before = adaptor.counts(second)
    adaptor.compute(first)  # a cached score must not be used again
    adaptor.merge(first, second)
    whole = PREDS[:2] + PREDS[1:], TARGET[:2] + TARGET[1:]
    assert adaptor.counts(first) == adaptor.counts(adaptor.filled(*whole))
    assert adaptor.compute(first) == adaptor.expected(*whole)
    assert adaptor.counts(second) == before
    raises(ValueError, adaptor.refused, adaptor.merge, first, adaptor.filled(**adaptor.other))
    assert adaptor.compute(first) == adaptor.expected(*whole)


def sums_of(tokens):
    """The sums of one segment that equals its reference."""
    totals = [tokens - order for order in range(4)]
    return [tokens, tokens, *totals, *totals]


@with_counts
def test_counts_are_exact_up_to_int64_and_refused_beyond(adaptor):
    metric = adaptor.filled()
    counts, held = adaptor.counts(metric), sums_of(2**53 + 7)
    adaptor.load(metric, held)
    adaptor.update(metric, PREDS, TARGET)
    assert adaptor.counts(metric) == [one + other for one, other in zip(held, counts, strict=True)]
    assert math.isclose(adaptor.compute(metric), 100 / adaptor.scale, rel_tol=1e-6)
    adaptor.load(metric, sums_of(2**63 - 1))

    def score():
        adaptor.update(metric, PREDS, TARGET)
        return adaptor.compute(metric)

    raises(OverflowError, "int64", score)


# The parts of a corpus that three processes have.
SHARES = {
    "unequal": [slice(0, 1), slice(1, 2), slice(2, 4)],
    "the first is empty": [slice(0, 0), slice(0, 4), slice(0, 0)],
    "the last is empty": [slice(0, 1), slice(1, 4), slice(0, 0)],
}


# Sums of each of them: of which a quarter matches; that would wrap around to 2.
LARGE = {
    "a quarter": [2**33] * 2 + [size - n for size in (2**31, 2**33) for n in range(4)],
    "2**64 + 2": [6148914691236517206] * 2 + [0] * 8,
}


def scores_of_a_rank(rank, directory, names):
    """What one of three processes computes."""
    ranks, torch = importlib.import_module("ranks"), importlib.import_module("torch")
    ranks.join(rank, 3, directory)
    found = {}
    for name in names:
        adaptor = ADAPTORS[name]
        for kind, shares in SHARES.items():
            share, metric = shares[rank], adaptor.new()
            if PREDS[share]:
                adaptor.update(metric, PREDS[share], TARGET[share])
            own = adaptor.counts(metric)
            found[name, kind] = ranks.attempt(adaptor.over_ranks, metric)
            assert adaptor.counts(metric) == own
        found[name, "nothing"] = ranks.attempt(adaptor.over_ranks, adaptor.new())
        if adaptor.other:
            different = adaptor.filled(**adaptor.other if rank == 2 else {})
            found[name, "different"] = ranks.attempt(adaptor.over_ranks, different)
        for kind, row in LARGE.items() if adaptor.refuses_overflow_over_ranks else ():
            metric = adaptor.new()
            adaptor.load(metric, row)
            found[name, kind] = ranks.attempt(adaptor.over_ranks, metric)
    torch.save(found, f"{directory}/rank{rank}")
    torch.distributed.destroy_process_group()


def test_several_processes_have_the_score_of_one(tmp_path):
    """One test for all hosts, because starting processes takes seconds."""
    torch = host("torch")
    several = [name for name, adaptor in ADAPTORS.items() if adaptor.over_ranks]
    for name in several:
        host(ADAPTORS[name].needs)
    torch.multiprocessing.spawn(scores_of_a_rank, (str(tmp_path), several), nprocs=3)
    for rank in range(3):
        found = torch.load(tmp_path / f"rank{rank}")
        for name in several:
            adaptor = ADAPTORS[name]
            for kind in SHARES:
                assert found[name, kind] == adaptor.expected(PREDS, TARGET), (name, kind)
            nothing = found[name, "nothing"]
            assert adaptor.nothing in (nothing, nothing[0] if nothing else None), name
            if adaptor.other:
                error, words = found[name, "different"]
                assert error == "ValueError"
                assert re.search(adaptor.refused, words)
            if adaptor.refuses_overflow_over_ranks:
                assert found[name, "a quarter"] == pytest.approx(25)
                assert found[name, "2**64 + 2"][0] == "OverflowError"


def test_imports_load_only_the_host_without_warnings():
    places = {adaptor.needs: adaptor.place for adaptor in ADAPTORS.values()}
    check_imports(places, [place.partition(":")[0] for place in places.values()])
