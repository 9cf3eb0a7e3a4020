"""`RowGroups`: sums of rows by keys, without any library of tables."""

from array import array

import numpy as np
import pytest
from generators import raises

from fastbleu.tables._row_groups import RowGroups


def test_groups_of_rows():
    groups = RowGroups(5, 4)
    groups.split(np.array([7, -7, 7, 8, 7]))
    groups.split(np.array([0, 0, 1, 0, 0]))
    counts = array("q", range(20))
    groups.add(np.arange(2), counts[:8], np.ones(2, np.int64))
    groups.add(np.array([2, 4]), counts[8:16], np.array([3, 2]))
    totals = np.asarray(groups.totals).reshape(4, 8)
    assert totals.tolist() == [
        [0, 2, 1, 2, *(12 + 2 * column for column in range(4))],
        [1, 1, 1, 1, 4, 5, 6, 7],
        [2, 1, 3, 3, 8, 9, 10, 11],
        [0] * 8,  # of row 3, which was not added
    ]
    for wrong in (np.arange(4), np.zeros(5), np.zeros((5, 1), np.int64)):
        raises(ValueError, r"there are 5 rows|expected (numbers|1 dim)", groups.split, wrong)
    with pytest.raises(IndexError, match="there are 5 rows"):
        groups.add(np.array([5]), counts[:4], np.ones(1, np.int64))
    with pytest.raises(ValueError, match="expected 2 rows of 4 counts"):
        groups.add(np.array([0, 1]), counts[:4], np.ones(2, np.int64))
