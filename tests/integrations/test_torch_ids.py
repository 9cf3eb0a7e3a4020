"""Tensors of token ids: every integer type, every view; equal values are equal tokens."""

from fractions import Fraction

import numpy as np
import pytest
from generators import PRISTINE, raises
from hosts import host
from metrics import count, from_state

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
    pytest.mark.filterwarnings("ignore:most rows of .* a run of the id"),
    pytest.mark.filterwarnings("ignore:Sparse CSR tensor support"),
    pytest.mark.filterwarnings("ignore:The PyTorch API of nested tensors"),
    pytest.mark.filterwarnings("ignore:every .* is empty after"),
]
OPTIONS = {"ignore_ids": (0,), "stop_ids": 1, "skip_ids": (2,)}
HYPOTHESES = [[3, 4, 5, 6, 1, 7], [2, 3, 0, 4, 4, 4], [1, 5, 5, 5, 5, 5], [0, 0, 0, 0, 0, 0]]
REFERENCES = [
    [[3, 4, 5, 1, 0, 0], [0] * 6],
    [[3, 4, 4, 9, 1, 0], [3, 4, 2, 1, 1, 1]],
    [[5, 5, 5, 1, 0, 0], [1, 5, 5, 5, 5, 5]],
    [[0] * 6, [0] * 6],
]


def tensors(dtype=torch.int64, device="cpu"):
    return [torch.tensor(ids, dtype=dtype, device=device) for ids in (HYPOTHESES, REFERENCES)]


def expected(**parameters):
    """The rows of the same ids in numpy arrays, which other tests compare with the oracle."""
    return BLEU(tokenize=False, **parameters).count(np.array(HYPOTHESES), np.array(REFERENCES))


def transposed(tensor):
    return tensor.transpose(0, -1).contiguous().transpose(0, -1)


def strided(tensor):
    """Every second element of a larger tensor, at an offset into its storage."""
    room = torch.ones([2 * size + 3 for size in tensor.shape], dtype=tensor.dtype)
    view = room[tuple(slice(3, None, 2) for _ in tensor.shape)]
    view.copy_(tensor)
    return view


def generated(tensor):
    """A tensor made in inference mode, like those of a model's `generate`."""
    with torch.inference_mode():
        return tensor.clone()


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_tensors_are_read_like_arrays(dtype):
    for view in (torch.clone, transposed, strided, generated, torch.nn.Buffer):
        hypotheses, references = map(view, tensors(dtype))
        for parameters in ({}, OPTIONS):
            metric, rows = BLEU(tokenize=False, **parameters), expected(**parameters)
            assert metric.count(hypotheses, references) == rows
            assert metric.count(hypotheses[1], references[1]) == rows[1]
            of_first = metric.count(np.array(HYPOTHESES), np.array(REFERENCES)[:, 0])
            assert metric.count(hypotheses, references[:, 0]) == of_first
    row = torch.tensor([3, 4, 5, 6], dtype=dtype)
    seen = BLEU(tokenize=False).count(row.expand(3, 4), row.expand(3, 2, 4))
    assert seen == BLEU(tokenize=False).count([[3, 4, 5, 6]] * 3, [[[3, 4, 5, 6]] * 2] * 3)


@pytest.mark.parametrize("device", DEVICES)
def test_on_each_device(device):
    metric = BLEU(tokenize=False, max_ngram_order=2, effective_order=True, **OPTIONS)
    hypotheses, references = tensors(device=device)
    arrays = np.array(HYPOTHESES), np.array(REFERENCES)
    assert metric.score(hypotheses, references) == metric.score(*arrays)
    assert (metric.sentence_scores(hypotheses, references) == metric.sentence_scores(*arrays)).all()
    metric.update(hypotheses, references)
    state = torch.tensor(metric.state, device=device)
    again = from_state(state, tokenize=False, max_ngram_order=2, effective_order=True, **OPTIONS)
    assert (again.state == metric.state).all()

    metric = BLEU(tokenize=False, **OPTIONS)
    for theirs in ([list(its) for its in references.long()], [its.tolist() for its in references]):
        assert metric.count(list(hypotheses), theirs) == expected(**OPTIONS)
        assert metric.count(hypotheses, tuple(theirs)) == expected(**OPTIONS)
    mixed = [hypotheses[0], hypotheses[1].short(), np.array(HYPOTHESES[2]), HYPOTHESES[3]]
    assert metric.count(mixed, references) == expected(**OPTIONS)
    ragged = [hypotheses[0, :3], hypotheses[1, :0], hypotheses[2], hypotheses[3, :2]]
    assert metric.count(ragged, references).hyp_lens.tolist() == [3, 0, 0, 0]

    for dtype in (torch.bool, torch.uint8, torch.int64):
        masks = [(ids != 4).to(dtype) for ids in (hypotheses, references)]
        for hyp_mask, ref_mask in (masks, [mask.cpu().numpy() for mask in masks]):
            given = {"hypothesis_mask": hyp_mask, "reference_mask": ref_mask}
            counted = metric.count(hypotheses, references, **given)
            assert counted == expected(**{**OPTIONS, "ignore_ids": (0, 4)})


# --- tokens that are tensors of no dimension, which nltk compares by identity


@pytest.mark.parametrize("dtype", [torch.uint8, torch.int64, torch.uint64], ids=str)
def test_tokens_of_no_dimension_are_compared_by_value(dtype):
    ids, other_ids = [1, 2, 3, 4, 5, 6], [1, 2, 3, 4, 9, 6]
    first, second = (torch.tensor(each, dtype=dtype) for each in (ids, other_ids))
    assert PRISTINE.sentence_bleu([list(first)], list(first)) == 0
    value = PRISTINE.sentence_bleu([ids], other_ids)
    score = BLEU(tokenize=False, **OPTIONS).score([other_ids], [[ids]]).value
    for one, two in (
        *((list(first), list(second)), (ids, list(second)), (tuple(first), second)),
        *((first, other_ids), (first, list(np.array(other_ids)))),
        ([*ids[:5], first[5]], [*other_ids[:5], second[5]]),
    ):
        assert fastbleu.sentence_bleu([one], two) == fastbleu.corpus_bleu([[one]], [two]) == value
        assert fastbleu.modified_precision([one], two, 2) == Fraction(3, 5)
        assert count([two], [[one]]) == count([other_ids], [[ids]])
        assert BLEU(tokenize=False, **OPTIONS).score([two], [[one]]).value == score
    assert fastbleu.sentence_bleu(torch.stack([first, second]), second) == 1
    assert fastbleu.corpus_bleu(torch.stack([first, second])[:, None], [first, second]) == 1
    mixed = [["a", torch.tensor(4, dtype=dtype)]], [[["a", 4]]]
    assert count(*mixed, 2) == count([["a", 4]], [[["a", 4]]], 2)
    floats = [list(torch.tensor([0.5, 1.5, 2.5, 3.5])) for _ in range(2)]
    assert fastbleu.sentence_bleu([floats[0]], floats[1]) == 1


# --- what is refused


def test_tensors_of_other_types_are_refused():
    hypotheses, references = tensors()
    for dtype in (torch.float32, torch.bfloat16, torch.complex64, torch.bool):
        name = str(dtype).rpartition(".")[2]
        for metric in (BLEU(tokenize=False), BLEU(tokenize=False, **OPTIONS)):
            for side, pair in (
                ("hypotheses", (hypotheses.to(dtype), references)),
                ("references", (hypotheses, references.to(dtype))),
                ("segment 1", ([hypotheses[0], hypotheses[1].to(dtype)], references[:2])),
            ):
                raises(TypeError, rf"(?i){side}.*{name}", metric.score, *pair)
    logits = torch.rand(4, 6, 10, requires_grad=True)
    shape = r"float32 \(shape \(4, 6, 10\)\).*argmax"
    raises(TypeError, shape, BLEU(tokenize=False).score, logits, references)
    raises(TypeError, "argmax", BLEU(tokenize=False).score, logits[0], references)


def test_tensors_of_other_shapes_and_layouts_are_refused():
    hypotheses, references = tensors()
    metric, scalar, rows = BLEU(tokenize=False), torch.tensor(5), torch.tensor([[1, 2, 3, 4]])
    for pair, error, words in (
        ((references, references), ValueError, r"\(4, 2, 6\)"),
        (([scalar], [scalar]), TypeError, "segment 0: references has no dimension, expected a"),
        (([scalar], [[[1]]]), TypeError, "segment 0: the hypothesis has no dimension"),
    ):
        raises(error, words, metric.score, *pair)
    message = "hypotheses has no dimension, expected a list with one"
    raises(TypeError, message, BLEU().score, scalar, rows)
    empty = torch.empty((4, 6), dtype=torch.int64, device="meta")
    for tensor, words in (
        (empty, r"hypotheses.*Tensor"),
        (rows.to_sparse_csr(), "hypotheses is a Tensor that cannot be read: .*SparseCsr"),
        (
            torch.nested.nested_tensor([rows[0], rows[0, :3]]),
            r"a Tensor without a shape.*nested.*pass a list of tensors.*\.unbind\(\)",
        ),
    ):
        for options in ({}, {"ignore_ids": (0,)}):
            raises(TypeError, words, BLEU(tokenize=False, **options).score, tensor, rows)
        raises(TypeError, "cannot be read|pass tokenize=False", BLEU().score, tensor, tensor)
    raises(TypeError, r"hypothesis.*Tensor", metric.score, list(empty), references)
    raises(TypeError, "mask", metric.score, hypotheses, references, hypothesis_mask=empty)


def test_the_fix_for_several_samples_of_each_reference():
    samples, references = torch.arange(40).reshape(8, 5), torch.arange(20).reshape(4, 5)
    with pytest.raises(ValueError, match=r"for 2 samples.*repeat_interleave\(2, 0\)$"):
        BLEU(tokenize=False).sentence_scores(samples, references)
    repeated = references.repeat_interleave(2, 0)
    assert len(BLEU(tokenize=False).sentence_scores(samples, repeated)) == 8
