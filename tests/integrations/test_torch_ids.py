"""Tensors of token ids: every integer type, every view; equal values are equal tokens."""

import sys

import numpy as np
import pytest
from generators import PRISTINE, raises
from hosts import host

import fastbleu
from fastbleu import BLEU

torch = host("torch")

DTYPES = [torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64, torch.uint16,
    torch.uint32, torch.uint64]  # fmt: skip
DEVICES = [
    "cpu",
    pytest.param("cuda", marks=pytest.mark.skipif(not torch.cuda.is_available(), reason="no CUDA")),
]
pytestmark = [
    pytest.mark.filterwarnings("ignore:there are as many references as segments"),
    pytest.mark.filterwarnings("ignore:most rows of .* end in a run"),
    pytest.mark.filterwarnings("ignore:Sparse CSR tensor support"),
    pytest.mark.filterwarnings("ignore:The PyTorch API of nested tensors"),
]
OPTIONS = {"ignore_ids": (0,), "stop_id": 1, "skip_ids": (2,)}
HYPOTHESES = [[3, 4, 5, 6, 1, 7], [2, 3, 0, 4, 4, 4], [1, 5, 5, 5, 5, 5], [0, 0, 0, 0, 0, 0]]
REFERENCES = [
    [[3, 4, 5, 1, 0, 0], [0] * 6],
    [[3, 4, 4, 9, 1, 0], [3, 4, 2, 1, 1, 1]],
    [[5, 5, 5, 1, 0, 0], [1, 5, 5, 5, 5, 5]],
    [[0] * 6, [0] * 6],
]


def tensors(dtype=torch.int64, device="cpu"):
    return torch.tensor(HYPOTHESES, dtype=dtype, device=device), torch.tensor(
        REFERENCES, dtype=dtype, device=device
    )


def expected(**parameters):
    """The rows of the same ids as numpy's arrays, which other tests compare with the oracle."""
    return BLEU(None, **parameters).statistics(np.array(HYPOTHESES), np.array(REFERENCES))


def transposed(tensor):
    return tensor.transpose(0, -1).contiguous().transpose(0, -1)


def strided(tensor):
    """Every second element of a larger tensor, at an offset into its storage."""
    room = torch.ones([2 * size + 3 for size in tensor.shape], dtype=tensor.dtype)
    view = room[tuple(slice(3, None, 2) for _ in tensor.shape)]
    view.copy_(tensor)
    return view


def wider(tensor):
    return torch.nn.functional.pad(tensor.long(), (2, 3), value=9).to(tensor.dtype)[..., 2:-3]


def generated(tensor):
    """As a model's `generate` makes it, in inference mode."""
    with torch.inference_mode():
        return tensor.clone()


VIEWS = [lambda tensor: tensor, transposed, strided, wider, generated, torch.nn.Buffer]


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("parameters", [{}, OPTIONS], ids=["no options", "options"])
@pytest.mark.parametrize("view", VIEWS, ids=["plain", "transposed", "strided", "wider",
    "generated", "buffer"])  # fmt: skip
def test_tensors_are_what_arrays_are(dtype, view, parameters):
    metric = BLEU(None, **parameters)
    hypotheses, references = map(view, tensors(dtype))
    assert metric.statistics(hypotheses, references) == expected(**parameters)
    one = metric.statistics(hypotheses[1], references[1])
    assert one == expected(**parameters)[1]
    assert metric.statistics(hypotheses, references[:, 0]) == metric.statistics(
        np.array(HYPOTHESES), np.array(REFERENCES)[:, 0]
    )


@pytest.mark.parametrize("device", DEVICES)
def test_scores_and_updates(device):
    metric = BLEU(None, max_order=2, effective_order=True, **OPTIONS)
    hypotheses, references = tensors(device=device)
    arrays = np.array(HYPOTHESES), np.array(REFERENCES)
    assert metric.score(hypotheses, references) == metric.score(*arrays)
    assert (metric.sentence_scores(hypotheses, references) == metric.sentence_scores(*arrays)).all()
    for part in (slice(0, 1), slice(1, 4)):
        metric.update(hypotheses[part], references[part])
    assert metric.compute() == metric.score(*arrays)
    state = torch.tensor(metric.state, device=device)
    again = BLEU.from_state(state, tokenize=None, max_order=2, effective_order=True, **OPTIONS)
    assert (again.state == metric.state).all()
    assert again.compute().value == metric.compute().value


@pytest.mark.parametrize("device", DEVICES)
def test_lists_of_tensors(device):
    metric = BLEU(None, **OPTIONS)
    hypotheses, references = tensors(torch.int32, device)
    for theirs in (
        list(references),
        [list(its) for its in references.long()],
        [its.tolist() for its in references],
        tuple(references),
    ):
        assert metric.statistics(list(hypotheses), theirs) == expected(**OPTIONS)
        assert metric.statistics(hypotheses, theirs) == expected(**OPTIONS)
    mixed = [hypotheses[0], hypotheses[1].short(), np.array(HYPOTHESES[2]), HYPOTHESES[3]]
    assert metric.statistics(mixed, references) == expected(**OPTIONS)
    ragged = [hypotheses[0, :3], hypotheses[1, :0], hypotheses[2], hypotheses[3, :2]]
    assert metric.statistics(ragged, references).hyp_lens.tolist() == [3, 0, 0, 0]


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("dtype", [torch.bool, torch.uint8, torch.int64], ids=str)
def test_masks(dtype, device):
    hypotheses, references = tensors(device=device)
    masks = {
        "hypothesis_mask": (hypotheses != 4).to(dtype),
        "reference_mask": (references != 4).to(dtype),
    }
    counted = BLEU(None, **OPTIONS).statistics(hypotheses, references, **masks)
    ignoring = {**OPTIONS, "ignore_ids": (0, 4)}
    assert counted == expected(**ignoring)
    arrays = {name: mask.cpu().numpy() for name, mask in masks.items()}
    assert BLEU(None, **OPTIONS).statistics(hypotheses, references, **arrays) == counted


def test_views_that_repeat_one_row():
    row = torch.tensor([3, 4, 5, 6])
    seen = BLEU(None).statistics(row.expand(3, 4), row.expand(3, 2, 4))
    assert seen == BLEU(None).statistics([[3, 4, 5, 6]] * 3, [[[3, 4, 5, 6]] * 2] * 3)


# --- tokens that are tensors


def scalars(values, dtype=torch.int64):
    """What iterating over a tensor gives: tensors of no dimension."""
    return list(torch.tensor(values, dtype=dtype))


FIRST, SECOND = [1, 2, 3, 4, 5, 6], [1, 2, 3, 4, 9, 6]


def test_nltk_itself_scores_identical_tensors_0():
    assert PRISTINE.sentence_bleu([scalars(FIRST)], scalars(FIRST)) == 0


def pairs(dtype):
    """FIRST and SECOND as lists, tuples and tensors, of tensors, numpy's scalars and integers."""
    first, second = torch.tensor(FIRST, dtype=dtype), torch.tensor(SECOND, dtype=dtype)
    return (
        (list(first), list(second)), (FIRST, list(second)), (tuple(first), second),
        (first, SECOND), (first, list(np.array(SECOND))), (FIRST, [*SECOND[:5], second[5]]),
        ([*FIRST[:5], first[5]], [*SECOND[:5], second[5]]),
    )  # fmt: skip


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_tokens_of_no_dimension_are_their_values_to_nltks_functions(dtype):
    value = PRISTINE.sentence_bleu([FIRST], SECOND)
    precision = PRISTINE.modified_precision([FIRST], SECOND, 2)
    assert 0 < value < 1
    for one, two in pairs(dtype):
        assert fastbleu.sentence_bleu([one], two) == value
        assert fastbleu.corpus_bleu([[one]], [two]) == value
        assert fastbleu.modified_precision([one], two, 2) == precision
    first, second = torch.tensor(FIRST, dtype=dtype), torch.tensor(SECOND, dtype=dtype)
    assert fastbleu.sentence_bleu([first], first) == 1
    assert fastbleu.sentence_bleu(torch.stack([first, second]), second) == 1
    assert fastbleu.corpus_bleu(torch.stack([first, second])[:, None], [first, second]) == 1


@pytest.mark.filterwarnings("ignore:every .* is empty after:fastbleu.InputWarning")
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_tokens_of_no_dimension_are_their_values(dtype):
    rows, score = fastbleu.count([SECOND], [[FIRST]]), BLEU(None).score([SECOND], [[FIRST]])
    for one, two in pairs(dtype):
        assert fastbleu.count([two], [[one]]) == rows
        assert BLEU(None).score([two], [[one]]).value == score.value
        assert BLEU(None, **OPTIONS).score([two], [[one]]).value == (
            BLEU(None, **OPTIONS).score([SECOND], [[FIRST]]).value
        )
    assert fastbleu.count([["a", torch.tensor(4, dtype=dtype)]], [[["a", 4]]], 2) == fastbleu.count(
        [["a", 4]], [[["a", 4]]], 2
    )


def test_floats_as_tokens_of_nltk_are_compared_by_value():
    tokens = list(torch.tensor([0.5, 1.5, 2.5, 3.5]))
    again = list(torch.tensor([0.5, 1.5, 2.5, 3.5]))
    assert fastbleu.sentence_bleu([tokens], again) == 1


# --- what is refused


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16, torch.float64,
    torch.complex64, torch.bool], ids=str)  # fmt: skip
@pytest.mark.parametrize("parameters", [{}, OPTIONS], ids=["no options", "options"])
def test_tensors_that_are_no_ids(dtype, parameters):
    hypotheses, references = tensors()
    metric = BLEU(None, **parameters)
    name = str(dtype).rpartition(".")[2]
    for method in (metric.score, metric.statistics, metric.sentence_scores, metric.update):
        raises(TypeError, rf"(?i)hypotheses.*{name}", method, hypotheses.to(dtype), references)
        raises(TypeError, rf"(?i)references.*{name}", method, hypotheses, references.to(dtype))
        with pytest.raises(TypeError, match=rf"(?i)segment 1.*{name}"):
            method([hypotheses[0], hypotheses[1].to(dtype)], references[:2])
    with pytest.raises(ValueError):
        metric.compute()


def test_logits_that_need_a_gradient():
    logits = torch.rand(4, 6, 10, requires_grad=True)
    with pytest.raises(TypeError, match=r"float32 \(shape \(4, 6, 10\)\).*argmax"):
        BLEU(None).score(logits, tensors()[1])
    raises(TypeError, "argmax", BLEU(None).score, logits[0], tensors()[1])
    BLEU(None).score(logits.argmax(-1), tensors()[1])


def test_tensors_without_numbers():
    for wrong in (torch.empty((4, 6), dtype=torch.int64, device="meta"), tensors()[0].to_sparse()):
        raises(TypeError, r"hypotheses.*Tensor", BLEU(None).score, wrong, tensors()[1])
        with pytest.raises(TypeError, match=r"hypothesis.*Tensor"):
            BLEU(None).score(list(wrong) if wrong.is_meta else [wrong] * 4, tensors()[1])
    with pytest.raises(TypeError, match="mask"):
        BLEU(None).score(*tensors(), hypothesis_mask=torch.ones((4, 6), device="meta"))


def test_wrong_shapes_are_told_as_those_of_arrays():
    hypotheses, references = tensors()
    for pair, words in (
        ((hypotheses, references[:3]), r"\(3, 2, 6\)"),
        ((references, references), r"\(4, 2, 6\)"),
        ((hypotheses[0, 0], references), r"\(\)"),
        ((hypotheses, references[None]), r"\(1, 4, 2, 6\)"),
    ):
        raises(ValueError, words, BLEU(None).score, *pair)


def test_tensors_of_no_dimension_and_of_other_layouts_are_refused():
    scalar, rows = torch.tensor(5), torch.tensor([[1, 2, 3, 4]])
    for pair, words in (
        (([scalar], [scalar]), "segment 0: references has no dimension, expected a list with one"),
        (([[scalar]], [scalar]), "segment 0: references has no dimension"),
        (([scalar], [[[1]]]), "segment 0: the hypothesis has no dimension"),
    ):
        raises(TypeError, words, BLEU(None).score, *pair)
    with pytest.raises(TypeError, match="hypotheses has no dimension, expected a list with one"):
        BLEU().score(scalar, rows)
    nested = torch.nested.nested_tensor([rows[0], rows[0, :3]])
    for tensor, words in (
        (rows.to_sparse_csr(), "hypotheses is a Tensor that cannot be read: .*SparseCsr"),
        (nested, r"a Tensor without a shape.*nested.*pass a list of tensors.*\.unbind\(\)"),
    ):
        for metric in (BLEU(None), BLEU(None, ignore_ids=(0,))):
            raises(TypeError, words, metric.score, tensor, rows)
        raises(TypeError, r"cannot be read|pass tokenize=None", BLEU().score, tensor, tensor)


def test_the_tensor_is_left_alone():
    hypotheses, references = tensors()
    before = hypotheses.clone()
    counts = sys.getrefcount(hypotheses)
    BLEU(None, **OPTIONS).score(hypotheses, references)
    assert torch.equal(before, hypotheses)
    assert sys.getrefcount(hypotheses) == counts
