"""Invalid batches of token ids are refused with the shape, the type and the fix.

Every mistake is made with every method, and leaves the arrays and the metric as they were.
"""

import re
import sys

import numpy as np
import pytest
from generators import raises

import fastbleu
from fastbleu import BLEU

H = np.array([[1, 2, 3, 4], [5, 6, 7, 8], [1, 1, 1, 1]])
R = np.stack([H, H[:, ::-1]], axis=1)
# A side as a whole is named, or the first segment of it.
SIDES = {"hypotheses": "hypothes[ei]s", "references": "references"}
FLOATS = [np.float16, np.float32, np.float64, np.longdouble]
OPTIONS = {"ignore_ids": (-100,), "stop_id": 9}
METRICS = {"no options": {}, "options": OPTIONS}
every_metric = pytest.mark.parametrize("parameters", METRICS.values(), ids=METRICS)


def refused(error, words, hypotheses, references, parameters=OPTIONS, **masks):
    """Every method refuses the batch; the metric and its sums stay as they were."""
    metric = BLEU(None, keep_segments=True, **parameters)
    metric.update(H, R)
    before = metric.state.tolist()
    messages = set()
    for method in (metric.statistics, metric.score, metric.sentence_scores, metric.update):
        with pytest.raises(error, match=words) as caught:
            method(hypotheses, references, **masks)
        messages.add(str(caught.value))
    assert len(messages) == 1, "every method says the same"
    assert metric.state.tolist() == before
    assert len(metric.segments) == 3


def with_side(side, wrong):
    return (wrong, R) if side == "hypotheses" else (H, wrong)


# --- types


@every_metric
@pytest.mark.parametrize("side", ["hypotheses", "references"])
@pytest.mark.parametrize("dtype", [*FLOATS, complex, bool, object, "U3", "S3", "M8[s]", "m8[s]"])
def test_arrays_of_other_types(parameters, side, dtype):
    array = (H if side == "hypotheses" else R).astype("i8").astype(dtype)
    named = array if array.dtype.kind in "bfc" else array[0]
    words = f"{named.dtype} (shape {named.shape}), expected integer"
    refused(TypeError, SIDES[side] + ".*" + re.escape(words), *with_side(side, array), parameters)


def test_records_are_no_ids():
    records = np.zeros(H.shape, [("id", "i4"), ("score", "f4")])
    refused(TypeError, "hypothes[ei]s.*score", records, R)


@pytest.mark.parametrize("wrong", [1.0, None, "7", b"7", 1j, [1], (1,), np.float32(1)])
def test_lists_with_something_else_than_ints(wrong):
    refused(TypeError, r"segment 1: the hypothesis", [[1, 2], [1, wrong], [3]], R)
    refused(TypeError, r"segment 2: references\[1\]", H, [[[1]], [[1]], [[1, 2], [wrong, 1]]])


@pytest.mark.parametrize("dtype", [*FLOATS, bool, object, "U3"])
def test_ragged_arrays_of_other_types(dtype):
    wrong = np.array([1, 0]).astype(dtype)
    refused(TypeError, rf"segment 1: the hypothesis.*{wrong.dtype}", [H[0], wrong, H[2]], R)
    ragged = [H[0], [H[1]], [H[2], wrong]]
    refused(TypeError, rf"segment 2: references\[1\].*{wrong.dtype}", H, ragged)
    refused(TypeError, rf"segment 2.*{wrong.dtype}", H, [H[0], [H[1]], wrong[None]])


# --- ids outside int64


@every_metric
@pytest.mark.parametrize("side", ["hypotheses", "references"])
def test_ids_beyond_int64_in_arrays(parameters, side):
    array = (H if side == "hypotheses" else R).astype(np.uint64)
    array[-1, ..., -1] = 2**63
    refused(ValueError, rf"{SIDES[side]}.*{2**63}.*int64", *with_side(side, array), parameters)
    array[-1, ..., -1] = 2**63 - 1
    BLEU(None, **parameters).statistics(*with_side(side, array))


@pytest.mark.parametrize("wrong", [2**63, -(2**63) - 1, 2**64, 10**30, np.uint64(2**63)])
def test_ids_beyond_int64_in_lists(wrong):
    refused(ValueError, "segment 1: the hypothesis.*int64", [[1], [1, wrong], [2]], R)
    refused(ValueError, r"segment 0: references\[1\].*int64", H, [[[1], [wrong]], [[1]], [[1]]])


@pytest.mark.parametrize("name", ["ignore_ids", "stop_id", "skip_ids"])
@pytest.mark.parametrize(
    ("wrong", "error"),
    [(2**63, ValueError), (-(2**63) - 1, ValueError), (1.0, TypeError), ("</s>", TypeError)],
)
def test_options_that_are_no_ids(name, wrong, error):
    raises(error, name, BLEU, None, **{name: wrong if name == "stop_id" else (1, wrong)})


# --- shapes


@every_metric
@pytest.mark.parametrize(
    ("hypotheses", "references", "words"),
    [
        (np.int64(3), R, r"hypotheses has the shape \(\)"),
        (np.array(3), R, r"hypotheses has the shape \(\)"),
        (R, R, r"hypotheses.*\(3, 2, 4\).*\(batch, length\)"),
        (R[None], R, r"hypotheses.*\(1, 3, 2, 4\)"),
        (H, np.array(3), r"references.*\(\)"),
        (H, H[0], r"references.*\(4,\)"),
        (H, R[None], r"references.*\(1, 3, 2, 4\).*\(batch, references, length\)"),
        (H[0], R, r"references.*\(3, 2, 4\), but hypotheses is one sequence"),
        (H, R[:2], r"references has 2 .*\(2, 2, 4\).*hypotheses has 3 .*\(3, 4\)"),
        (H[:2], R, r"references has 3 .*\(3, 2, 4\).*hypotheses has 2 .*\(2, 4\)"),
        (H, H[:2], r"references has 2 .*\(2, 4\).*hypotheses has 3 .*\(3, 4\)"),
        (H, R[:, :0], "segment 0: no references"),
        (H, R.transpose(1, 0, 2), r"references has 2 .*\(2, 3, 4\).*hypotheses has 3 .*\(3, 4\)"),
        (H[:0], R, r"references has 3 .*\(3, 2, 4\).*hypotheses has 0 .*\(0, 4\)"),
    ],
)  # fmt: skip
def test_wrong_shapes(parameters, hypotheses, references, words):
    refused(ValueError, words, hypotheses, references, parameters)


def test_lists_of_another_length():
    refused(ValueError, "references has 2 segments, hypotheses has 3", list(H), list(R[:2]))
    refused(ValueError, "references has 2 segments.*hypotheses has 3", H, list(R[:2]))
    refused(ValueError, "references has 3 segments.*hypotheses has 2", list(H[:2]), R)
    refused(ValueError, "segment 1: no references", H, [[H[0]], [], [H[2]]])
    refused(ValueError, "segment 1: no references", list(H), [H[0], np.zeros((0, 4), int), H[2]])


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        *(({1: 2}, "a dict"), ({1, 2, 3}, "a set"), (5, "an int"), (None, "a NoneType")),
        *((iter([[1]]), "a list_iterator"), ("one", "a str")),
    ],
)
def test_what_is_no_list_of_segments_is_named(wrong, words):
    refused(TypeError, f"references is {words}", H, wrong)
    refused(TypeError, f"hypotheses is {words}", wrong, R)


def test_ragged_arrays_of_another_rank():
    for wrong, shape in ((H[:1], r"\(1, 4\)"), (H[0, 0], r"\(\)")):
        words = f"segment 1: the hypothesis has the shape {shape}"
        refused(ValueError, words, [H[0], wrong, H[2]], R)
    words = r"segment 2: references\[0\] has the shape \(1, 4\)"
    refused(ValueError, words, H, [H[0], H[1], [H[:1]]])
    words = r"segment 1: references has the shape \(1, 3, 4\)"
    refused(ValueError, words, H, [H[0], H[None], H[2]])


def test_flat_references_are_no_batch():
    refused(TypeError, r"segment 0: references\[0\] is an int", H, [1, 2, 3])


# --- text


@pytest.mark.parametrize("wrong", ["one two three", b"one"])
def test_text_in_the_place_of_ids(wrong):
    refused(TypeError, f"{type(wrong).__name__}", H, [wrong] * 3)
    refused(TypeError, f"{type(wrong).__name__}", [wrong] * 3, R)
    refused(TypeError, f"{type(wrong).__name__}", H, [[wrong]] * 3)
    refused(TypeError, f"{type(wrong).__name__}", [[wrong]] * 3, [[[wrong]]] * 3)
    refused(TypeError, f"{type(wrong).__name__}", wrong, R)
    refused(TypeError, f"{type(wrong).__name__}", H, [[[wrong]]] * 3)


def test_strings_beside_an_array_of_ids():
    refused(TypeError, "str", H, ["one", "two", "three"], {})
    refused(TypeError, "str", H, [[["one"]], [["two"]], [["three"]]], {})
    refused(TypeError, "str", [["one"], ["two"], ["three"]], R, {})


def test_ids_where_text_is_meant():
    metric = BLEU()
    for method in (metric.score, metric.statistics, metric.sentence_scores, metric.update):
        for pair in ((H, R), (H, H), (list(H), list(R)), (["a"] * 3, R), (H, ["a"] * 3)):
            raises(TypeError, "tokenize=None", method, *pair)
    assert not metric.state.any()


# --- masks


@pytest.mark.parametrize("name", ["hypothesis_mask", "reference_mask"])
@pytest.mark.parametrize(
    ("change", "error", "words"),
    [
        (lambda mask: mask[:2], ValueError, r"\(2, "),
        (lambda mask: mask[..., :3], ValueError, r", 3\)"),
        (lambda mask: mask[0], ValueError, r"shape \((2, )?4,?\)"),
        (lambda mask: mask[None], ValueError, r"\(1, 3, "),
        (lambda mask: mask.T, ValueError, r"\(4, "),
        (lambda mask: mask.astype(float), TypeError, "float64"),
        (lambda mask: mask.astype(object), TypeError, "object"),
        (lambda mask: mask.astype(str), TypeError, "[<>]U"),
        (lambda mask: np.array(1), ValueError, r"\(\)"),
        (lambda mask: "1111", TypeError, "[<>]U4"),
    ],
)
def test_wrong_masks(name, change, error, words):
    mask = np.ones((H if name == "hypothesis_mask" else R).shape, int)
    side = "hypotheses" if name == "hypothesis_mask" else "references"
    refused(error, f"the mask of {side} has the .*{words}", H, R, **{name: change(mask)})


@pytest.mark.parametrize("name", ["hypothesis_mask", "reference_mask"])
def test_masks_of_lists_are_lists(name):
    mask = list(np.ones((H if name == "hypothesis_mask" else R).shape, int))
    refused(ValueError, r"mask.*\b3\b", list(H), list(R), **{name: mask[:2]})
    refused(ValueError, r"mask.*\b3\b", H.tolist(), R.tolist(), **{name: mask[:2]})
    wrong = [*mask[:2], mask[2][..., :2]]
    refused(ValueError, r"(?=.*segment 2)(?=.*mask)", list(H), list(R), **{name: wrong})
    wrong = [*mask[:2], mask[2].astype(float)]
    refused(TypeError, r"(?=.*segment 2)(?=.*mask)(?=.*float64)", list(H), list(R), **{name: wrong})
    side = "hypotheses" if name == "hypothesis_mask" else "references"
    for wrong, kind in ((1, "an int"), (True, "a bool"), ({1, 2, 3}, "a set")):
        words = f"the mask of {side} is {kind}, expected a list of 3 masks"
        refused(TypeError, words, list(H), list(R), **{name: wrong})


def test_a_str_is_no_list_of_masks():
    words = "the mask of segment 0: the hypothesis has the dtype [<>]U1"
    refused(TypeError, words, list(H), list(R), hypothesis_mask="111")
    words = "segment 0: the mask of references has 1 entries"
    refused(ValueError, words, list(H), list(R), reference_mask="111")


@pytest.mark.parametrize("name", ["hypothesis_mask", "reference_mask"])
def test_masks_belong_to_ids(name):
    for metric in (BLEU(), BLEU("none", dialect="nltk")):
        for method in (metric.score, metric.statistics, metric.sentence_scores, metric.update):
            words = "a mask needs token ids; for these pass tokenize=None"
            raises(TypeError, words, method, ["a"] * 3, ["a"] * 3, **{name: np.ones(3, int)})


# --- things that only look like arrays


class OnCuda:
    """What says by the protocol that its numbers lie in the memory of a graphics card."""

    def __init__(self, array):
        self.shape, self.dtype, self.ndim = array.shape, array.dtype, array.ndim

    def __len__(self):
        return self.shape[0]

    @property
    def __cuda_array_interface__(self):
        return {"shape": self.shape, "typestr": "<i8", "data": (64, False), "version": 3}


@every_metric
@pytest.mark.parametrize("side", ["hypotheses", "references"])
def test_arrays_on_a_graphics_card_without_torch(parameters, side):
    wrong = OnCuda(H if side == "hypotheses" else R)
    loaded = "torch" in sys.modules
    words = "is an OnCuda on a GPU; pass a numpy array"
    refused(TypeError, f"{side} {words}", *with_side(side, wrong), parameters)
    segment = "the hypothesis" if side == "hypotheses" else r"references\[0\]"
    several = with_side(side, [OnCuda(H[0])] * 3)
    refused(TypeError, f"segment 0: {segment} {words}", *several, parameters)
    assert ("torch" in sys.modules) == loaded


class Lying:
    """An array interface that says what cannot be."""

    shape = (3, 4)

    def __init__(self, **changes):
        array = np.arange(12).reshape(3, 4)
        self.__array_interface__ = {**array.__array_interface__, **changes}
        self.kept = array

    def __len__(self):
        return 3


def test_arrays_whose_interface_lies_are_refused():
    for changes in ({"typestr": "<i3"}, {"shape": (-3, 4)}, {"typestr": 5}, {"shape": "ab"}):
        refused(TypeError, "hypotheses is a Lying that cannot be read", Lying(**changes), R)
    assert BLEU(None).statistics(Lying(), R) == BLEU(None).statistics(Lying().kept, R)


def test_arrays_of_other_libraries_that_are_arrays_by_protocol():
    class Holder:
        def __init__(self, array):
            self.array, self.shape, self.dtype, self.ndim = (
                array, array.shape, array.dtype, array.ndim)  # fmt: skip

        def __array__(self, dtype=None, copy=None):
            return self.array if dtype is None else self.array.astype(dtype)

        def __len__(self):
            return len(self.array)

    expected = BLEU(None).statistics(H, R)
    assert BLEU(None).statistics(Holder(H), Holder(R)) == expected
    assert BLEU(None).statistics(memoryview(H), R) == expected


@every_metric
def test_masked_arrays(parameters):
    masked = np.ma.masked_array(H, H == 1)
    refused(TypeError, "hypotheses is a .*pass its data, and ~mask", masked, R, parameters)
    masked = np.ma.masked_array(R, R == 1)
    refused(TypeError, "references is a .*pass its data, and ~mask", H, masked, parameters)


def test_after_an_error_the_arrays_are_free():
    ids, references = H.copy(), R.copy()
    before = sys.getrefcount(ids)  # since CPython 3.14 the argument itself is not counted
    for pair in ((ids, references[:2]), (ids, references.astype(float)), (ids, list("abc"))):
        with pytest.raises((TypeError, ValueError)):
            BLEU(None).statistics(*pair)
    del pair
    BLEU(None).statistics(ids, references)
    assert sys.getrefcount(ids) == before
    buffer = bytearray(H.tobytes())
    BLEU(None, stop_id=1).statistics(memoryview(buffer).cast("q", H.shape), R)
    buffer.append(0)  # which is refused while somebody holds the memory


def test_nltks_functions_refuse_tokens_without_a_value():
    with pytest.raises(TypeError):
        fastbleu.sentence_bleu([[np.ones(2)]], [np.ones(2)])


def test_references_in_a_view_of_two_dimensions():
    ids = np.arange(12).reshape(3, 4)
    expected = BLEU(None).statistics([ids[0]], [list(ids)])
    assert BLEU(None).statistics([memoryview(ids[0])], [memoryview(ids)]) == expected
