"""Entry points of those integrations that need no host."""

from __future__ import annotations

from trust.entry import IDS, TEXT_REFERENCES, TEXTS, entry

from fastbleu import BLEU
from fastbleu.integrations import evaluate, transformers

NAMED = {"predictions": TEXTS, "references": TEXT_REFERENCES}
TRANSFORMERS = "fastbleu.integrations.transformers"


def measure():
    return transformers.compute_metrics(ignore_ids=(0,))


def emptied(metric):
    """A metric without the segments that a call has left which failed before it took them."""
    if len(metric):
        metric.compute()
    return metric


def added(metric, **texts):
    """How many segments wait after an addition; none is left."""
    emptied(metric).add_batch(**texts)
    waiting = len(metric)
    metric.compute()
    return waiting


def of_metric(kind):
    """The entries of `Bleu` and `Sacrebleu`, whose methods are the same."""
    name = f"fastbleu.integrations.evaluate.{kind.__name__}"
    return [
        entry(name, lambda _: kind().name),
        entry(
            f"{name}.add",
            lambda it: (emptied(it).add(prediction=TEXTS[0], reference=TEXTS[0]), it.compute()),
            lambda it: it.add(prediction=TEXTS[0]),
            lambda it: it.add(prediction=7, reference=TEXTS),
            setup=kind,
            threads=False,
        ),
        entry(
            f"{name}.add_batch",
            lambda it: added(it, **NAMED),
            lambda it: it.add_batch(predictions=TEXTS, references=TEXTS[:1]),
            lambda it: it.add_batch(predictions=TEXTS, references=[*TEXTS[:2], []]),
            setup=kind,
            threads=False,
        ),
        entry(
            f"{name}.compute",
            lambda it: it.compute(**NAMED),
            lambda it: it.compute(),
            lambda it: it.compute(predictions=TEXTS),
            setup=kind,
            threads=False,
        ),
        entry(f"{name}.__len__", len, setup=kind),
    ]


ENTRIES = [
    entry(
        "fastbleu.integrations.evaluate.load",
        lambda _: evaluate.load("bleu").compute(**NAMED, tokenizer=str.split, smooth=True),
        lambda _: evaluate.load("chrf"),
        lambda _: evaluate.load("bleu", num_process=2),
        lambda _: evaluate.load("bleu").compute(**NAMED, tokenizer=lambda text: 1 / 0),
    ),
    *of_metric(evaluate.Bleu),
    *of_metric(evaluate.Sacrebleu),
    entry(
        f"{TRANSFORMERS}.compute_metrics",
        lambda _: transformers.compute_metrics() is not None,
        lambda _: transformers.compute_metrics(tokenize="13a"),
        lambda _: transformers.compute_metrics(7),
    ),
    entry(
        f"{TRANSFORMERS}.ComputeMetrics",
        lambda _: transformers.ComputeMetrics(None, BLEU(tokenize=None), ()) is not None,
    ),
    entry(f"{TRANSFORMERS}.ComputeMetrics.reset", lambda it: it.reset(), setup=measure),
    entry(
        f"{TRANSFORMERS}.ComputeMetrics.__call__",
        lambda it: it((IDS, IDS)),
        lambda it: it((IDS / 2, IDS)),
        lambda it: it((IDS, IDS[:1])),
        lambda it: it((IDS, -IDS)),
        lambda it: it(7),
        setup=measure,
        threads=False,
    ),
]
