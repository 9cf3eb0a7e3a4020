"""The blocks of `iter_blocks` are those of the matrix that `pairwise` makes."""

import numpy as np
import pytest
import sacrebleu_cases as cases
from generators import raises, seeded

from fastbleu.matrix import iter_blocks, pairwise


@pytest.fixture(scope="module")
def pools():
    rng = seeded("blocks")
    return [cases.line(rng) for _ in range(90)], [cases.line(rng) for _ in range(700)]


def test_blocks(pools):
    scores = pairwise(*pools)
    for rows in (None, 1, 7, 90, 1000):
        blocks = list(iter_blocks(*pools, rows=rows))
        assert [block.start for block, _ in blocks] == list(range(0, 90, min(rows or 90, 90)))
        assert (np.concatenate([part for _, part in blocks]) == scores).all()
        for block, part in blocks:
            assert len(part) == block.stop - block.start
    assert [part.dtype for _, part in iter_blocks(*pools, dtype=np.float32)] == [np.float32]


def test_blocks_are_those_of_the_default_size(monkeypatch):
    monkeypatch.setattr("fastbleu.matrix.all_pairs._BLOCK_BYTES", 80)
    blocks = list(iter_blocks(["a", "b", "c", "d", "e"], ["a", "b", "c"]))
    assert [part.shape for _, part in blocks] == [(3, 3), (2, 3)]


def test_blocks_refuse_at_once():
    raises(ValueError, "takes one source", iter_blocks, [["a"]], [["a"]])
    raises(ValueError, "rows is 0", iter_blocks, ["a"], ["a"], rows=0)


@pytest.mark.parametrize(("hypotheses", "references"), [([], ["a"]), (["a"], []), ([], [])])
def test_nothing(hypotheses, references):
    shapes = [block.shape for _, block in iter_blocks(hypotheses, references)]
    assert shapes == [(1, 0)] * bool(hypotheses)


def test_progress(capsys):
    list(iter_blocks(["a b", "c"], ["a b", "d"], rows=1, progress=True))
    assert "100%" in capsys.readouterr().err
    list(iter_blocks(["a b", "c"], ["a b", "d"], rows=1))
    assert not capsys.readouterr().err
