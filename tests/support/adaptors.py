"""The metrics that keep counts, with a common interface, and batches for them.

Each test in test_contract.py must hold for all `ADAPTORS`.
"""

import copy
import importlib
import os
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from generators import pickled
from hosts import host
from metrics import from_state
from processes import python

from fastbleu import BLEU

PREDS = ["the cat is on the mat", "a b c d e f", "", "the the the the the"]
TARGET = [
    ["there is a cat on the mat", "a cat is on the mat"],
    ["a b c d e", "a b c d e f g"],
    ["something"],
    ["the cat", "the the the dog the", ""],
]
WRONG_TEXTS = [
    *((["a"], [["a"], ["b"]]), (["a", "b"], [["a"], []]), (["a", None], [["a"], ["b"]])),
    *((["a", "b"], [["a"], [7]]), (["a"], "a"), (["a"], None), (None, [["a"]])),
]
# Hypotheses and references of ids, and what they are as text.
IDS = (
    [[5, 6, 7, 8, 9, 2, 3, -100], [5, 7, 7, 1, 2, 0, 0, -100]],
    [[5, 6, 7, 8, 1, 2, -100, -100], [5, 7, 7, 3, 2, 0, 0, -100]],
)
ID_RULES = {"tokenize": False, "ignore_ids": (-100, 3), "stop_ids": 2, "skip_ids": (1,)}
TEXT_OF_IDS = ["5 6 7 8 9", "5 7 7"], [["5 6 7 8"], ["5 7 7"]]


@dataclass(frozen=True)
class Adaptor:
    """A metric of a host; the defaults are what most hosts have.

    `with_metric` makes it with options of BLEU, `make` without any. `options` are those of the BLEU
    whose scores, divided by `scale`, are the metric's; `own` says that the numbers are the host's
    own. `counts` and `load` read and set the row of sums. `nothing` is what `compute` returns or
    raises before the first segment. `over_ranks` computes over all processes. Metrics with `other`
    options are refused, with the words `refused`, when counts are added up.
    """

    needs: str
    place: str
    compute: Callable[[Any], float]
    options: dict[str, Any] = field(default_factory=dict)
    own: bool = False
    scale: int = 1
    make: Callable[[Any], Any] = lambda kind: kind()
    with_metric: Callable[[Any, BLEU], Any] = lambda kind, metric: kind(metric=metric)
    update: Callable[[Any, Any, Any], Any] = lambda metric, *batch: metric.update(*batch)
    reset: Callable[[Any], Any] = lambda metric: metric.reset()
    nothing: Any = 0.0
    counts: Callable[[Any], list[int]] | None = None
    load: Callable[[Any, list[int]], Any] | None = None
    merge: Callable[[Any, Any], Any] | None = None
    copies: tuple[Callable[[Any], Any], ...] = (pickled, copy.deepcopy)
    over_ranks: Callable[[Any], float] | None = None
    other: dict[str, Any] | None = None
    refused: str = ""
    refuses_overflow_over_ranks: bool = False

    def new(self, **options):
        """A metric of the host; the test is skipped if the host is not installed."""
        module, _, name = self.place.partition(":")
        host(self.needs)
        kind = getattr(importlib.import_module(module), name)
        if options or self.own:
            return self.with_metric(kind, BLEU(**self.options | options))
        return self.make(kind)

    def filled(self, hypotheses=PREDS, references=TARGET, **options):
        metric = self.new(**options)
        self.update(metric, hypotheses, references)
        return metric

    def expected(self, hypotheses, references, **options):
        """The score of a corpus: BLEU's, or that of one batch if numbers are the host's own."""
        if self.own:
            return self.compute(self.filled(hypotheses, references, **options))
        return BLEU(**self.options | options).score(hypotheses, references).value / self.scale


def states_of(*names):
    """How to read and to set the sums of a metric that keeps them in several tensors."""

    def counts(metric):
        parts = [getattr(metric, name).tolist() for name in names]
        return [*parts[:2], *parts[2], *parts[3]]

    def load(metric, row):
        torch, orders = importlib.import_module("torch"), (len(row) - 2) // 2
        for name, part in zip(
            names, (row[0], row[1], row[2:][:orders], row[-orders:]), strict=True
        ):
            setattr(metric, name, torch.tensor(part))

    return {"counts": counts, "load": load}


def torchmetrics(name, options, own=False):
    return Adaptor(
        needs="torchmetrics",
        place=f"fastbleu.integrations.torchmetrics:{name}",
        compute=lambda metric: metric.compute().item(),
        options=options,
        own=own,
        scale=100,
        merge=lambda metric, other: metric.merge_state(other),
        over_ranks=lambda metric: metric.compute().item(),
        other={"lowercase": True},
        refused="different ways",
        **states_of("preds_len", "target_len", "numerator", "denominator"),
    )


def torcheval(options, own=False):
    toolkit = "torcheval.metrics.toolkit"
    return Adaptor(
        needs="torcheval.metrics",
        place="fastbleu.integrations.torcheval:BLEUScore",
        make=lambda kind: kind(n_gram=4),
        compute=lambda metric: metric.compute().item(),
        options=options,
        own=own,
        scale=100,
        merge=lambda metric, other: metric.merge_state([other]),
        over_ranks=lambda m: importlib.import_module(toolkit).sync_and_compute(m).item(),
        other={"max_ngram_order": 2},
        refused="cannot be added",
        **states_of("input_len", "target_len", "matches_by_order", "possible_matches_by_order"),
    )


IGNITE = Adaptor(
    needs="ignite",
    place="fastbleu.integrations.ignite:BLEU",
    update=lambda metric, *batch: metric.update(batch),
    compute=lambda metric: metric.compute(),
    nothing="NotComputableError",
    counts=lambda metric: metric._counts.tolist(),
    load=lambda metric, row: setattr(metric, "_counts", metric._counts.new_tensor(row)),
    over_ranks=lambda metric: metric.compute(),
    refuses_overflow_over_ranks=True,
)
KERAS = Adaptor(
    needs="keras",
    place="fastbleu.integrations.keras:BLEU",
    update=lambda metric, hypotheses, references: metric.update_state(references, hypotheses),
    compute=lambda metric: float(metric.result()),
    reset=lambda metric: metric.reset_state(),
    counts=lambda metric: metric.variables[0].numpy().tolist(),
    load=lambda metric, row: metric.variables[0].assign(row),
    copies=(),  # Keras copies metrics without their state
)
EVALUATE = Adaptor(
    needs="fastbleu",
    place="fastbleu.integrations.evaluate:Sacrebleu",
    update=lambda metric, hypotheses, references: metric.add_batch(
        predictions=hypotheses, references=references
    ),
    compute=lambda metric: copy.deepcopy(metric).compute()["score"],
    reset=lambda metric: metric.compute(),
    nothing="ValueError",
)
NATIVE = Adaptor(
    needs="fastbleu",
    place="fastbleu:BLEU",
    with_metric=lambda kind, metric: metric,
    compute=lambda metric: metric.compute().value,
    nothing="ValueError",
    counts=lambda metric: metric.state.tolist(),
    load=lambda metric, row: metric.reset() or metric.merge(from_state(row)),
    merge=lambda metric, other: metric.merge(other),
    over_ranks=lambda metric: metric.all_reduce().compute().value,
    other={"lowercase": True},
    refused="lowercase|case:lc",
    refuses_overflow_over_ranks=True,
)
os.environ.setdefault("KERAS_BACKEND", "torch")
WORDS = {"tokenize": "none", "smooth_method": "none"}
TORCHMETRICS = {"dialect": "torchmetrics", "tokenize": "13a"}
ADAPTORS = {
    "BLEU": NATIVE,
    "evaluate": EVALUATE,
    "torchmetrics": torchmetrics("SacreBLEUScore", {"smooth_method": "none"}),
    "torchmetrics, of words": torchmetrics("BLEUScore", WORDS),
    "torchmetrics, own numbers": torchmetrics("SacreBLEUScore", TORCHMETRICS, own=True),
    "torcheval": torcheval(WORDS),
    "torcheval, own numbers": torcheval({"dialect": "torcheval"}, own=True),
    "ignite": IGNITE,
    "keras": KERAS,
}
IMPORTS = """
import os, sys, warnings
os.environ["KERAS_BACKEND"] = "torch"
import {hosts}
before = set(sys.modules)
warnings.simplefilter("error")
import {adaptors}
loaded = sorted(set(sys.modules) - before)
# The last one is built into CPython before 3.12, which has no other way to tell interpreters apart.
own = ("fastbleu", "_cython", "cython_", "_xxsubinterpreters")
print([name for name in loaded if not name.startswith(own)])
"""


def check_imports(hosts, adaptors):
    """In a new process, adaptors load only their hosts, without warnings."""
    for name in hosts:
        host(name)
    program = IMPORTS.format(hosts=", ".join(hosts), adaptors=", ".join(adaptors))
    assert python("-W", "ignore", "-c", program) == "[]\n"
