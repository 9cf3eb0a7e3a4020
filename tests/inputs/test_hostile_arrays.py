"""Arrays and sequences of ids whose own code runs between the checks and the reading."""

import numpy as np
import pytest

from fastbleu import BLEU

pytestmark = pytest.mark.usefixtures("the_next_call_is_right")


class Reshaping:
    """A mask that gives the ids another shape while it is asked for its own."""

    def __init__(self, ids, shape, values):
        self.ids, self.new, self.values = ids, shape, values
        self.shape = ids.shape

    def __len__(self):
        return len(self.ids)

    def __array__(self, dtype=None, copy=None):
        self.ids.shape = self.new
        return self.values


@pytest.mark.parametrize("shape", [(20,), (2, 10), (4, 5, 1), (2, 1, 2, 5)])
def test_a_mask_that_reshapes_the_ids_does_not_make_them_be_read_beyond_their_end(shape):
    """Each of 20 rows was read 20 ids long, from a memory of 20."""
    metric = BLEU(None)
    ids = np.arange(20).reshape(4, 5)
    mask = Reshaping(ids, shape, np.ones(shape, bool))
    others = np.arange(20 * shape[0]).reshape(shape[0], 20)
    if len(shape) in (2, 3):
        assert len(metric.statistics(ids, others, hypothesis_mask=mask)) == shape[0]
    else:
        with pytest.raises(ValueError, match="dimensions, expected 2 or 3"):
            metric.statistics(ids, others, hypothesis_mask=mask)


def test_a_mask_that_reshapes_a_row():
    ids = np.arange(20)
    mask = Reshaping(ids, (4, 5), np.ones((4, 5), bool))
    with pytest.raises(ValueError, match="2 dimensions, expected 1"):
        BLEU(None).statistics([ids], [ids.copy()], hypothesis_mask=[mask])


class Pretending:
    """References with no elements, whatever their length says."""

    shape = (2, 3)

    def __len__(self):
        return 2

    def __iter__(self):
        return iter(())


def test_references_of_ids_that_yield_nothing_are_no_references():
    """The length of a reference that was not there was read from memory that nothing had set."""
    for hypothesis in ([1, 2, 3], np.arange(3)):
        with pytest.raises(ValueError, match="segment 0: no references"):
            BLEU(None).statistics([hypothesis], [Pretending()])
