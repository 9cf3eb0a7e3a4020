"""What a type checker sees of the package; `make lint` checks this file as it does src."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import fastbleu
import fastbleu.matrix as many
from fastbleu import BLEU
from fastbleu.matrix import MBRResult, ReferenceIndex, SelfBLEU, iter_blocks, mbr, pairwise

TEXTS = ["a cat sat there", "the cat sat there", "a dog barks at it"]


def test_a_user_of_everything(tmp_path: Path) -> None:
    scores = pairwise(TEXTS, TEXTS, dtype="float32", threads=2)
    for rows, block in iter_blocks(TEXTS, TEXTS, rows=2):
        assert (block.argmax(axis=1) == scores[rows].argmax(axis=1)).all()
    result: MBRResult = mbr(TEXTS)
    chosen: str = TEXTS[result.best]
    assert chosen in TEXTS
    batch = BLEU(effective_order=True).mbr([TEXTS, TEXTS[::-1]], matrix=True)
    sources = zip([TEXTS, TEXTS[::-1]], batch.best, strict=True)
    assert [lines[best] for lines, best in sources] == [chosen, TEXTS[::-1][batch.best[1]]]
    assert batch.utilities.shape == (2, 3)
    diversity: SelfBLEU = many.self_bleu([text.split() for text in TEXTS], orders=(1, 2))
    mean: float = diversity.values[2]
    assert mean < diversity.values[1]
    index = ReferenceIndex(TEXTS, effective_order=True)
    index.save(tmp_path / "an.index")
    again = fastbleu.matrix.ReferenceIndex.load(tmp_path / "an.index")
    assert again.score(TEXTS).value == float(index.score(TEXTS))
    assert (again.sentence_scores(TEXTS) == index.sentence_scores(TEXTS)).all()


def test_what_is_refused() -> None:
    """An error that mypy no longer reports is one that it reports."""
    wrong: list[Callable[[], object]] = [
        lambda: many.no_such_name,  # type: ignore[attr-defined]
        lambda: pairwise(TEXTS),  # type: ignore[call-arg]
        lambda: mbr(TEXTS).no_such_field,  # type: ignore[attr-defined]
        lambda: iter_blocks(TEXTS, TEXTS, rows="2"),  # type: ignore[arg-type]
        lambda: BLEU().score("a", "b"),  # type: ignore[arg-type]
        lambda: BLEU(dialect="nltkk"),  # type: ignore[arg-type]
        lambda: BLEU(smoothing="expp"),  # type: ignore[arg-type]
        lambda: fastbleu.tokenize("a", "14a"),  # type: ignore[arg-type]
    ]
    for call in wrong:
        with pytest.raises((AttributeError, TypeError, ValueError)):
            call()
