"""Adapters for batches of token ids whose rows are scored one by one.

``run(hypotheses, references)`` on two arrays of shape (batch, length), padded with 0, returns a
list with one float per row.
"""

from __future__ import annotations

from adapters import Prepared


def nltk_rows() -> Prepared:
    """Score row by row; the lists without padding that it needs are made beforehand."""
    from nltk.translate.bleu_score import SmoothingFunction, sentence_bleu

    smoothing = SmoothingFunction().method1

    def prepare(*sides):
        return tuple([row[row != 0].tolist() for row in side] for side in sides)

    def run(hypotheses, references):
        return [
            sentence_bleu([reference], hypothesis, smoothing_function=smoothing)
            for hypothesis, reference in zip(hypotheses, references, strict=True)
        ]

    return Prepared(prepare, run)


def tensorbleu_rows() -> Prepared:
    """Score the batch with PyTorch's tensor operations on the CPU."""
    import torch
    from rxlm.metrics.tensorbleu import tensor_sentence_bleu

    def prepare(hypotheses, references):
        return torch.from_numpy(hypotheses), torch.from_numpy(references)[:, None]

    def run(hypotheses, references):
        return tensor_sentence_bleu(hypotheses, references, smoothing_method="floor").tolist()

    return Prepared(prepare, run)


def fastbleu_rows() -> Prepared:
    """Score the batch."""
    import fastbleu

    metric = fastbleu.BLEU(tokenize=None, ignore_ids=(0,), dialect="nltk", smoothing="floor")
    return Prepared(
        lambda *arrays: arrays,
        lambda hypotheses, references: metric.sentence_scores(hypotheses, references).tolist(),
    )
