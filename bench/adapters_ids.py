"""Adapters for batches of token ids, every row of which is scored.

``run(hypotheses, references)`` on two arrays of shape (batch, length), padded with 0, returns a
list with one float per row.
"""

from __future__ import annotations

from adapters import Prepared


def nltk_rows() -> Prepared:
    """Score row by row; it needs lists without padding, which it gets ready-made."""
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
    """Score the batch by PyTorch's operations on tensors, on this processor."""
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
