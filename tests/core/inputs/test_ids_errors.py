"""Wrong batches of token ids and masks are refused with the shape, the type and the fix.

Every method refuses them alike, and leaves the arrays and the metric as they were.
"""

import re
import sys

import numpy as np
import pytest
from generators import refused

from fastbleu import BLEU

H = np.array([[1, 2, 3, 4], [5, 6, 7, 8], [1, 1, 1, 1]])
R = np.stack([H, H[:, ::-1]], axis=1)
# The messages name a whole side, or its first segment.
SIDES = {"hypotheses": "hypothes[ei]s", "references": "references"}
each_side = pytest.mark.parametrize("side", SIDES)


def batch_refused(error, words, hypotheses, references, **masks):
    """Check with a metric without options, and with one that looks at every id."""
    for options in ({}, {"ignore_ids": (-100,), "stop_ids": 9}):
        metric = BLEU(tokenize=False, keep_stats=True, **options)
        metric.update(H, R)
        refused(metric, error, words, hypotheses, references, **masks)
        assert len(metric.stats) == 3


def with_side(side, wrong):
    return (wrong, R) if side == "hypotheses" else (H, wrong)


@each_side
@pytest.mark.parametrize("dtype", ["f2", "f8", "?", "O", "U3", "M8[s]"])
def test_arrays_of_other_types(side, dtype):
    array = (H if side == "hypotheses" else R).astype("i8").astype(dtype)
    named = array if array.dtype.kind in "bfc" else array[0]
    words = f"{named.dtype} (shape {named.shape}), expected integer"
    batch_refused(TypeError, SIDES[side] + ".*" + re.escape(words), *with_side(side, array))


@each_side
def test_ids_beyond_int64_in_arrays(side):
    array = (H if side == "hypotheses" else R).astype(np.uint64)
    array[-1, ..., -1] = 2**63
    batch_refused(ValueError, rf"{SIDES[side]}.*{2**63}.*int64", *with_side(side, array))
    array[-1, ..., -1] = 2**63 - 1
    BLEU(tokenize=False, stop_ids=9).count(*with_side(side, array))


FLOATS = np.array([1.0, 0.0], "f4")
RECORDS = np.zeros(H.shape, [("id", "i4"), ("score", "f4")])
# By error: hypotheses, references, words.
WRONG_BATCHES = {
    ValueError: [
        # Arrays of another shape.
        (np.int64(3), R, r"hypotheses has the shape \(\)"),
        (R, R, r"hypotheses.*\(3, 2, 4\).*\(batch, length\)"),
        (H, H[0], r"references.*\(4,\)"),
        (H, R[None], r"references.*\(1, 3, 2, 4\).*\(batch, references, length\)"),
        (H[0], R, r"references.*\(3, 2, 4\), but hypotheses is one sequence"),
        (H, H[:2], r"references has 2 .*\(2, 4\).*hypotheses has 3 .*\(3, 4\)"),
        (H, R[:, :0], "segment 0: no references"),
        (H[:0], R, r"references has 3 .*\(3, 2, 4\).*hypotheses has 0 .*\(0, 4\)"),
        # Lists of another length, and of arrays of another rank.
        (list(H), list(R[:2]), "references has 2 segments, hypotheses has 3"),
        (list(H[:2]), R, "references has 3 segments.*hypotheses has 2"),
        (list(H), [H[0], np.zeros((0, 4), int), H[2]], "segment 1: no references"),
        ([H[0], H[:1], H[2]], R, r"segment 1: the hypothesis has the shape \(1, 4\)"),
        (H, [H[0], H[1], [H[:1]]], r"segment 2: references\[0\] has the shape \(1, 4\)"),
        (H, [H[0], H[None], H[2]], r"segment 1: references has the shape \(1, 3, 4\)"),
        # Ids beyond int64.
        ([[1, 2], [1, 2**63], [3]], R, "segment 1: the hypothesis.*int64"),
        (H, [[[1]], [[1]], [[1, 2], [np.uint64(2**63), 1]]], r"segment 2: references\[1\].*int64"),
    ],
    TypeError: [
        (RECORDS, R, "hypothes[ei]s.*score"),
        (H, {1: 2}, "references is a dict"),
        (H, 5, "references is an int"),
        (H, iter([[1]]), "references is a list_iterator"),
        (H, [1, 2, 3], r"segment 0: references\[0\] is an int"),
        # Text.
        ("one", R, "hypotheses is a str"),
        (H, ["one two"] * 3, "str"),
        ([b"one"] * 3, R, "bytes"),
        ([["one"]] * 3, R, "str"),
        (H, [[["one"]]] * 3, "str"),
        # Masked arrays.
        (np.ma.masked_array(H, H == 1), R, "hypotheses is a .*pass its data, and ~mask"),
        (H, np.ma.masked_array(R, R == 1), "references is a .*pass its data, and ~mask"),
        # Lists with items that are not ids.
        ([H[0], FLOATS, H[2]], R, "segment 1: the hypothesis.*float32"),
        (H, [H[0], [H[1]], [H[2], FLOATS]], r"segment 2: references\[1\].*float32"),
        (H, [H[0], [H[1]], FLOATS[None]], "segment 2.*float32"),
        *(
            ([[1, 2], [1, wrong], [3]], R, "segment 1: the hypothesis")
            for wrong in (1.0, None, "7", [1], np.float32(1))
        ),
        (H, [[[1]], [[1]], [[1, 2], [None, 1]]], r"segment 2: references\[1\]"),
    ],
}


@pytest.mark.parametrize(
    ("error", "hypotheses", "references", "words"),
    [(error, *row) for error, rows in WRONG_BATCHES.items() for row in rows],
)
def test_wrong_batches(error, hypotheses, references, words):
    batch_refused(error, words, hypotheses, references)


def test_ids_given_instead_of_text():
    for pair in ((H, R), (list(H), list(R)), (["a"] * 3, R), (H, ["a"] * 3)):
        refused(BLEU(), TypeError, "tokenize=False", *pair)


@pytest.mark.parametrize(
    ("name", "side", "array"),
    [("hypothesis_mask", "hypotheses", H), ("reference_mask", "references", R)],
)
def test_wrong_masks(name, side, array):
    mask = np.ones(array.shape, int)
    for wrong, error, words in (
        (mask[:2], ValueError, r"\(2, "),
        (mask[..., :3], ValueError, r", 3\)"),
        (mask[0], ValueError, r"shape \((2, )?4,?\)"),
        (mask.astype(float), TypeError, "float64"),
        (np.array(1), ValueError, r"\(\)"),
        ("1111", TypeError, "[<>]U4"),
    ):
        words = f"the mask of {side} has the .*{words}"
        batch_refused(error, words, H, R, **{name: wrong})
    rows = list(mask)
    for wrong, error, words in (
        (rows[:2], ValueError, r"mask.*\b3\b"),
        ([*rows[:2], rows[2][..., :2]], ValueError, "(?=.*segment 2)(?=.*mask)"),
        ([*rows[:2], rows[2] / 2], TypeError, "(?=.*segment 2)(?=.*mask)(?=.*float64)"),
        (1, TypeError, f"the mask of {side} is an int, expected a list of 3 masks"),
        ({1, 2, 3}, TypeError, f"the mask of {side} is a set, expected a list of 3 masks"),
    ):
        batch_refused(error, words, list(H), list(R), **{name: wrong})
    batch_refused(ValueError, r"mask.*\b3\b", H.tolist(), R.tolist(), **{name: rows[:2]})
    words = "a mask needs token ids; for ids pass tokenize=False"
    for metric in (BLEU(), BLEU("nltk", tokenize="none")):
        refused(metric, TypeError, words, ["a"] * 3, ["a"] * 3, **{name: np.ones(3, int)})


def test_values_that_are_not_masks():
    """Masks that are added to logits, and a str instead of a list."""
    words = "the mask of hypotheses holds -10000.*pass mask == 0"
    batch_refused(ValueError, words, H, R, hypothesis_mask=np.where(H > 1, 0, -10000))
    words = "segment 0: the mask of the hypothesis has the dtype [<>]U1"
    batch_refused(TypeError, words, list(H), list(R), hypothesis_mask="111")
    words = "segment 0: the mask of references has 1 entry"
    batch_refused(ValueError, words, list(H), list(R), reference_mask="111")


# ---- things that look like arrays


class OnCuda:
    """An object whose numbers are in GPU memory, according to the CUDA protocol."""

    def __init__(self, array):
        self.shape, self.dtype, self.ndim = array.shape, array.dtype, array.ndim

    def __len__(self):
        return self.shape[0]

    @property
    def __cuda_array_interface__(self):
        return {"shape": self.shape, "typestr": "<i8", "data": (64, False), "version": 3}


@each_side
def test_arrays_on_a_graphics_card_without_torch(side):
    wrong = OnCuda(H if side == "hypotheses" else R)
    loaded = "torch" in sys.modules
    words = "is an OnCuda on a GPU; pass a numpy array"
    batch_refused(TypeError, f"{side} {words}", *with_side(side, wrong))
    segment = "the hypothesis" if side == "hypotheses" else r"references\[0\]"
    several = with_side(side, [OnCuda(H[0])] * 3)
    batch_refused(TypeError, f"segment 0: {segment} {words}", *several)
    assert ("torch" in sys.modules) == loaded


class Number:
    """A tensor of no dimension, or one that only looks like it, by PyTorch's protocol."""

    __torch_function__ = None

    def __init__(self, value, size=1):
        self.item, self.numel, self.shape = lambda: value, lambda: size, (size,) * (size > 1)


def test_tokens_that_are_tensors_count_by_value_without_torch():
    hypothesis, metric = [*map(Number, [1, 2, 3, 4])], BLEU(tokenize=False)
    assert metric.score([hypothesis], [[[1, 2, 3, 4]]]).value == metric.score(H[:1], H[:1]).value
    words = r"\[1\] is a Number of the shape \(2,\); a token must be a single number"
    refused(metric, TypeError, words, [["a", Number(1, 2)]], [[["a"]]])


class Interface:
    """An array by its interface, which may make impossible claims."""

    shape = (3, 4)

    def __init__(self, **changes):
        self.kept = np.arange(12).reshape(3, 4)
        self.__array_interface__ = {**self.kept.__array_interface__, **changes}

    def __len__(self):
        return 3


class Holder:
    """An array by __array__."""

    def __init__(self, array):
        self.array, self.shape, self.dtype, self.ndim = array, array.shape, array.dtype, array.ndim

    def __array__(self, dtype=None, copy=None):
        return self.array if dtype is None else self.array.astype(dtype)

    def __len__(self):
        return len(self.array)


def test_arrays_by_protocol():
    expected = BLEU(tokenize=False).count(H, R)
    assert BLEU(tokenize=False).count(Holder(H), Holder(R)) == expected
    assert BLEU(tokenize=False).count(memoryview(H), R) == expected
    assert BLEU(tokenize=False).count(Interface(), R) == BLEU(tokenize=False).count(
        Interface().kept, R
    )
    rows = np.arange(12).reshape(3, 4)
    views = [memoryview(rows[0])], [memoryview(rows)]
    assert BLEU(tokenize=False).count(*views) == BLEU(tokenize=False).count([rows[0]], [list(rows)])


@pytest.mark.parametrize(
    "changes", [{"typestr": "<i3"}, {"shape": (-3, 4)}, {"typestr": 5}, {"shape": "ab"}], ids=str
)
def test_arrays_whose_interface_lies_are_refused(changes):
    words = "hypotheses is an Interface that cannot be read"
    batch_refused(TypeError, words, Interface(**changes), R)


def test_after_an_error_the_arrays_are_free():
    ids, references = H.copy(), R.copy()
    before = sys.getrefcount(ids)  # since CPython 3.14 the argument itself is not counted
    for pair in ((ids, references[:2]), (ids, references.astype(float)), (ids, list("abc"))):
        with pytest.raises((TypeError, ValueError)):
            BLEU(tokenize=False).count(*pair)
    del pair
    BLEU(tokenize=False).count(ids, references)
    assert sys.getrefcount(ids) == before
    buffer = bytearray(H.tobytes())
    BLEU(tokenize=False, stop_ids=1).count(memoryview(buffer).cast("q", H.shape), R)
    buffer.append(0)  # which is refused while somebody holds the memory
