"""200,000 random batches of token ids: each row is the oracle's, each score nltk's or sacreBLEU's.

A batch goes in as arrays of random integer types and places in memory, or as ragged lists of them.
FASTBLEU_TEST_SEGMENTS scales the number of batches: one for five of its segments.
"""

import functools

import numpy as np
import oracle
import pytest
from generators import IGNORED_OF_RANDOM, PRISTINE, SEED, SEGMENTS, seeded
from id_batches import DTYPES, LAYOUTS, Batch, array_of, mask_of, random_batch
from sacrebleu.metrics import BLEU as PEER

from fastbleu import BLEU

BATCHES = SEGMENTS // 5
PARTS = 16
FORMS = ["array", "array", "array", "array", "ragged", "lists"]

pytestmark = [
    pytest.mark.filterwarnings(ignored) for ignored in (*IGNORED_OF_RANDOM, "ignore:the id -100")
]

metric_of = functools.lru_cache(2000)(lambda **parameters: BLEU(None, **parameters))
row_of = functools.lru_cache(100_000)(oracle.row)


def rows_of(hypotheses, references, max_order):
    """The oracle's rows of lists of tokens."""
    return [
        row_of(tuple(h), tuple(map(tuple, its)), max_order)
        for h, its in zip(hypotheses, references, strict=True)
    ]


def as_arrays(rng, batch, dtypes):
    """2-D and 3-D arrays; 2-D references and 1-D hypotheses where the batch allows it."""
    size, refs = len(batch.hypotheses), len(batch.references[0]) if batch.references else 1
    width = len(batch.hypotheses[0]) if size else 5
    other = len(batch.references[0][0]) if size else 3
    shapes = [(size, width), (size, refs, other)]
    if size == 1 and rng.random() < 0.5:
        shapes = [(width,), (refs, other)]
    if refs == 1 and rng.random() < 0.5:
        shapes[1] = (*shapes[1][:-2], other)
    arrays = [
        array_of(rng, rows, dtype, shape)
        for rows, dtype, shape in zip(
            (batch.hypotheses, batch.references), dtypes, shapes, strict=True
        )
    ]
    masks = {
        name: mask_of(rng, rows, shape)
        for name, rows, shape in zip(
            ("hypothesis_mask", "reference_mask"),
            (batch.hypothesis_mask, batch.reference_mask),
            shapes,
            strict=True,
        )
        if rows is not None
    }
    return arrays, masks


def cut_short(rng, rows, masks):
    """Rows of their own lengths, some empty; their masks are cut alike."""
    lengths = [rng.choice((len(row), len(row), len(row) - 1, 1, 0)) for row in rows]
    cut = [row[:length] for row, length in zip(rows, lengths, strict=True)]
    return cut, masks and [mask[:length] for mask, length in zip(masks, lengths, strict=True)]


def as_ragged(rng, batch, dtypes, form):
    """The batch with rows cut at random, as lists of arrays of several types or lists of ints."""
    batch.hypotheses, batch.hypothesis_mask = cut_short(
        rng, batch.hypotheses, batch.hypothesis_mask
    )
    cut = [
        cut_short(rng, its, batch.reference_mask and batch.reference_mask[i])
        for i, its in enumerate(batch.references)
    ]
    batch.references = [its for its, _ in cut]
    batch.reference_mask = batch.reference_mask and [its for _, its in cut]
    has_masks = batch.hypothesis_mask is not None or batch.reference_mask is not None

    def sequence(row, side):
        if form == "lists" and (batch.options or has_masks):
            return row
        dtype = dtypes[side] if rng.random() < 0.7 else "<i8"
        return array_of(rng, row, dtype, (len(row),))

    def mask(row):
        return row if form == "lists" and rng.random() < 0.5 else mask_of(rng, row, (len(row),))

    hypotheses = [sequence(row, 0) for row in batch.hypotheses]
    references, reference_mask = [], []
    for i, its in enumerate(batch.references):
        its_mask = batch.reference_mask and batch.reference_mask[i]
        if len(its) == 1 and its[0] and rng.random() < 0.3:
            references.append(sequence(its[0], 1))
            reference_mask.append(its_mask and mask(its_mask[0]))
        elif len(set(map(len, its))) == 1 and rng.random() < 0.3:
            shape = len(its), len(its[0])
            references.append(array_of(rng, its, dtypes[1], shape))
            reference_mask.append(its_mask and mask_of(rng, its_mask, shape))
        else:
            references.append([sequence(row, 1) for row in its])
            reference_mask.append(its_mask and list(map(mask, its_mask)))
    masks = {}
    if batch.hypothesis_mask is not None:
        masks["hypothesis_mask"] = list(map(mask, batch.hypothesis_mask))
    if batch.reference_mask is not None:
        masks["reference_mask"] = reference_mask
    return (hypotheses, references), masks


@pytest.mark.parametrize("part", range(PARTS))
def test_random_batches(part):
    for number in range(part, max(BATCHES, PARTS), PARTS):
        rng = seeded("ids", number)
        dtypes = rng.choice(DTYPES), rng.choice(DTYPES)
        form = rng.choice(FORMS)
        batch = random_batch(rng, dtypes)
        if form == "array":
            arguments, masks = as_arrays(rng, batch, dtypes)
        else:
            arguments, masks = as_ragged(rng, batch, dtypes, form)
        max_order = rng.choice((1, 2, 2, 3, 4, 5))
        segments = batch.segments()
        metric = metric_of(
            max_order=max_order, threads=rng.choice((1, 1, 1, 2, 3)), **batch.options
        )
        seen = np.asarray(metric.statistics(*arguments, **masks)).tolist()
        if seen != rows_of(*segments, max_order):
            where = f"FASTBLEU_TEST_SEED={SEED} batch={number} {batch.options} {arguments} {masks}"
            assert (seen, where) == (rows_of(*segments, max_order), "")
        if number % 16 == 0 and segments[0]:
            check_scores(number, batch.options, arguments, masks, segments)


def check_scores(number, options, arguments, masks, segments):
    """Sentence scores are nltk's; every other time sacreBLEU's of the ids written with spaces."""
    if number % 32:
        smoothing, method = (("exp", "method3"), ("add-k", "method2"))[number % 64 > 32]
        metric = metric_of(dialect="nltk", smoothing=smoothing, **options)
        function = getattr(PRISTINE.SmoothingFunction(), method)
        expected = [
            PRISTINE.sentence_bleu(its, hypothesis, smoothing_function=function)
            for hypothesis, its in zip(*segments, strict=True)
        ]
    else:
        metric = metric_of(effective_order=True, **options)
        peer = sacrebleu_of_words()
        expected = [
            peer.sentence_score(words(hypothesis), list(map(words, its))).score
            for hypothesis, its in zip(*segments, strict=True)
        ]
    scores = metric.sentence_scores(*arguments, **masks)
    assert (scores.dtype, scores.shape) == (np.float64, (len(expected),))
    assert scores.tolist() == expected, f"FASTBLEU_TEST_SEED={SEED} batch={number}"
    streamed = BLEU(None, **options)
    streamed.update(*arguments, **masks)
    assert streamed.compute() == streamed.score(*arguments, **masks)


@functools.cache
def sacrebleu_of_words():
    return PEER(tokenize="none", effective_order=True)


def words(ids):
    return " ".join(map(str, ids))


# --- what random batches are too small for


def long_batch(rng, rows, low, high, refs=2):
    alphabet = range(rng.choice((3, 30, 32_000)))
    hypotheses = [rng.choices(alphabet, k=high) for _ in range(rows)]
    references = []
    for hypothesis in hypotheses:
        cuts = [rng.randint(0, high) for _ in range(refs)]
        references.append([hypothesis[cut:] + hypothesis[:cut] for cut in cuts])
    for row in [*hypotheses, *(row for its in references for row in its)]:
        row[rng.randint(low, high) :] = []
        row += [-100] * (high - len(row))
    return Batch(hypotheses, references, None, None, {"ignore_ids": (-100,)})


@pytest.mark.parametrize("layout", [*{layout.__name__: layout for layout in LAYOUTS}.values()])
@pytest.mark.parametrize(("rows", "low", "high"), [(6, 60, 70), (6, 120, 200), (2, 900, 1100)])
def test_long_rows(layout, rows, low, high):
    rng = seeded("long ids", layout.__name__, low)
    batch = long_batch(rng, rows, low, high)
    expected = rows_of(*batch.segments(), 5)
    for dtype in ("<i8", "<i4", ">i4", "<i2"):
        arrays = [layout(np.array(side, dtype)) for side in (batch.hypotheses, batch.references)]
        seen = metric_of(max_order=5, **batch.options).statistics(*arrays)
        assert np.asarray(seen).tolist() == expected


def test_every_instruction_set_counts_the_same(simd):
    batch = long_batch(seeded("simd ids"), 5, 50, 140)
    seen = metric_of(max_order=6, **batch.options).statistics(
        np.array(batch.hypotheses), np.array(batch.references)
    )
    assert np.asarray(seen).tolist() == rows_of(*batch.segments(), 6)


@pytest.mark.parametrize("threads", [1, 2, 3])
@pytest.mark.parametrize("form", ["arrays", "ragged", "2-D hypotheses, ragged references"])
def test_threads_change_nothing(threads, form):
    rng = seeded("threads of ids")
    batch = long_batch(rng, 3000, 0, 12)
    expected = rows_of(*batch.segments(), 4)
    hypotheses, references = np.array(batch.hypotheses), np.array(batch.references, "i4")
    if form != "arrays":
        references = [list(its) for its in references]
    if form == "ragged":
        hypotheses = list(hypotheses)
    metric = metric_of(threads=threads, **batch.options)
    assert np.asarray(metric.statistics(hypotheses, references)).tolist() == expected
    once = metric_of(**batch.options).score(*batch.segments())
    assert metric.score(hypotheses, references).value == once.value


@pytest.mark.parametrize(
    ("chosen", "length"),
    [
        ("closest", oracle.closest_length),
        ("first", lambda size, lengths: min(lengths, key=lambda length: abs(length - size))),
        ("shortest", lambda size, lengths: min(lengths)),
    ],
)
def test_the_length_of_reference_that_is_asked_for(chosen, length):
    rng = seeded("reference length", chosen)
    for _ in range(300):
        batch = random_batch(rng, ("i2", "i4"))
        hypotheses, references = batch.segments()
        expected = [
            length(len(hypothesis), list(map(len, its)))
            for hypothesis, its in zip(hypotheses, references, strict=True)
        ]
        arrays, masks = as_arrays(rng, batch, ("i2", "i4"))
        metric = metric_of(reference_length=chosen, **batch.options)
        assert metric.statistics(*arrays, **masks).ref_lens.tolist() == expected
        plain = metric_of(reference_length=chosen)
        assert plain.statistics(hypotheses, references).ref_lens.tolist() == expected
        text = BLEU("none", reference_length=chosen)
        lines = list(map(words, hypotheses)), [list(map(words, its)) for its in references]
        assert text.statistics(*lines).ref_lens.tolist() == expected
    signatures = {
        BLEU(reference_length=name).signature for name in ("closest", "first", "shortest")
    }
    assert len(signatures) == 3
    assert BLEU().signature in signatures
