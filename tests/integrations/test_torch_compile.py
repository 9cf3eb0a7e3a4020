"""Modules that hold a metric, compiled by torch.compile: the metric is called, not compiled."""

import logging

import pytest
from hosts import host
from processes import python

torch = host("torch")
host("torchmetrics")
host("torcheval.metrics")

from fastbleu import BLEU  # noqa: E402
from fastbleu.integrations import torcheval, torchmetrics  # noqa: E402

IDS, WORDS = BLEU(tokenize=False, ignore_ids=(0,)), BLEU(tokenize="none", smooth_method="none")
KINDS = {
    "torchmetrics": lambda metric=WORDS: torchmetrics.BLEUScore(metric=metric),
    "torcheval": lambda metric=WORDS: torcheval.BLEUScore(metric=metric),
}
CALLS = [("torchmetrics", "update"), ("torchmetrics", "__call__"), ("torcheval", "update")]
LINES = ["the cat sat on the mat", "a b c d e", "the dog", "", "on a mat sat the cat and a dog"]


class Model(torch.nn.Module):
    def __init__(self, metric, call):
        super().__init__()
        self.layer = torch.nn.Linear(4, 4)
        self.metric, self.call = metric, call

    def forward(self, x, hypotheses, references):
        y = self.layer(x)
        if self.call == "update":
            self.metric.update(hypotheses, references)
        else:
            self.metric(hypotheses, references)
        return y.relu()


def batches(kind):
    """Batches that all differ in size or in their texts."""
    for size in range(2, 22):
        if kind == "ids":
            ids = torch.arange(size * (4 + size % 9)).reshape(size, -1) % 6
            yield ids, ids.flip(0)
        else:
            yield [f"{line} {size}" for line in LINES], [[line] for line in LINES]


@pytest.fixture
def logged():
    """What Dynamo logs, such as that it has compiled a function too often."""
    torch._dynamo.reset()
    records, logger = [], logging.getLogger("torch._dynamo")
    handler = logging.Handler(logging.WARNING)
    handler.emit = lambda record: records.append(record.getMessage())
    logger.addHandler(handler)
    yield records
    logger.removeHandler(handler)
    torch._dynamo.reset()


@pytest.mark.parametrize("kind", ["ids", "texts"])
@pytest.mark.parametrize(("adaptor", "call"), CALLS)
def test_a_compiled_module_calls_its_metric(adaptor, call, kind, logged):
    from torch._dynamo.utils import counters

    metric = IDS if kind == "ids" else WORDS
    model, expected = Model(KINDS[adaptor](metric), call), KINDS[adaptor](metric)
    compiled = torch.compile(model, backend="eager")
    x, frames = torch.ones(2, 4), []
    for batch in batches(kind):
        with torch.no_grad():
            assert torch.equal(compiled(x, *batch), model.layer(x).relu())
        expected.update(*batch)
        frames.append(counters["frames"]["total"])
    assert torch.equal(model.metric.compute(), expected.compute())
    assert expected.compute() > 0
    assert frames[3:] == frames[3:4] * (len(frames) - 3), "every batch is compiled anew"
    assert not logged


@pytest.mark.parametrize(("adaptor", "call"), CALLS)
def test_a_whole_graph_is_refused_in_one_sentence(adaptor, call, logged):
    compiled = torch.compile(Model(KINDS[adaptor](), call), backend="eager", fullgraph=True)
    sentence = "n-grams are not counted by tensor operations; call the metric outside of code that "
    with pytest.raises(torch._dynamo.exc.Unsupported, match=sentence):
        compiled(torch.ones(2, 4), LINES, LINES)


def test_update_in_a_compiled_function(logged):
    """pytest turns Dynamo's warning that it cannot trace a builtin into an error."""
    metric, ids = BLEU(tokenize=False), torch.arange(40).reshape(4, 10)

    def step(x):
        y = x * 2
        metric.update(x, y)
        return y + 1

    compiled = torch.compile(step, backend="eager")
    assert torch.equal(compiled(ids), ids * 2 + 1)
    torch.compile(metric.update, backend="eager")(ids, ids * 2)
    assert metric.compute().hyp_len == 80
    assert not logged


UNCOMPILED = """
import sys, warnings
warnings.simplefilter("ignore")
from fastbleu import BLEU
from fastbleu.integrations import torcheval, torchmetrics
torchmetrics.BLEUScore()(["a b c d"], [["a b c d"]])
torcheval.BLEUScore(n_gram=4).update(["a b c d"], [["a b c d"]]).compute()
BLEU().update(["a b c d"], [["a b c d"]])
print("torch._dynamo" in sys.modules)
"""


def test_the_compiler_is_not_loaded_without_need():
    assert python("-c", UNCOMPILED) == "False\n"
