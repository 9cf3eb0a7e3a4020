"""The matrix of all pairs equals, entry by entry, the score of each pair alone."""

import inspect
import pkgutil
import warnings
from pathlib import Path

import numpy as np
import oracle
import pytest
import sacrebleu
import sacrebleu_cases as cases
import wmt22
from generators import KINDS, PRISTINE, SEGMENTS, edge_length, raises, seeded, sentences

import fastbleu
import fastbleu.sacrebleu
from fastbleu import matrix
from fastbleu.matrix import iter_blocks, pair_scorer, pairwise
from fastbleu.matrix.reader import SentenceReader

PAIRS = min(100_000, SEGMENTS)
PARTS = 8
TOO_SHORT = "ignore:.*hypotheses have fewer than"


def texts(rng, count):
    """Lines, half of which are edits of another."""
    lines = [cases.line(rng) for _ in range(max(1, count // 2))]
    while len(lines) < count:
        lines.append(cases.edited(rng, rng.choice(lines)))
    rng.shuffle(lines)
    return lines[:count]


def token_lists(rng, count, length=edge_length):
    """Sentences of one alphabet, some of them edits of others."""
    kind = rng.choice(("two letters", "four letters", "words", "all widths"))
    return sentences(rng, KINDS[kind], count, length)


def known_to_sacrebleu(options):
    """Whether fastbleu takes the options: it refuses a value where there is none to set."""
    return options["smooth_method"] in ("floor", "add-k") or options["smooth_value"] is None


def by_pairs(metric, hypotheses, references):
    """The matrix as sentence_scores gives it, pair by pair."""
    pairs = [(h, [r]) for h in hypotheses for r in references]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        scores = metric.sentence_scores([h for h, _ in pairs], [r for _, r in pairs])
    return scores.reshape(len(hypotheses), len(references))


@pytest.mark.filterwarnings(TOO_SHORT)
@pytest.mark.parametrize("part", range(PARTS))
def test_every_entry_is_sacrebleus(part):
    rng = seeded("pairwise", "sacrebleu", part)
    done = 0
    while done < PAIRS // PARTS:
        options = cases.options(rng)
        if not known_to_sacrebleu(options):
            continue
        hypotheses, references = texts(rng, rng.randint(1, 20)), texts(rng, rng.randint(1, 70))
        named = {"threads": rng.randint(1, 2), **cases.named_here(options)}
        scores = pairwise(hypotheses, references, **named)
        metric = sacrebleu.BLEU(**options)
        ours = fastbleu.sacrebleu.BLEU(**options)
        for i, hypothesis in enumerate(hypotheses):
            expected = [
                cases.quietly(metric.sentence_score, hypothesis, [reference]).score
                for reference in references
            ]
            assert scores[i].tolist() == expected, (options, hypothesis)
        score = cases.quietly(ours.sentence_score, hypotheses[0], [references[0]]).score
        assert scores[0, 0] == score
        done += scores.size


@pytest.mark.parametrize("part", range(2))
def test_every_entry_is_nltks(part):
    rng = seeded("pairwise", "nltk", part)
    for _ in range(max(3, 60 * SEGMENTS // 1_000_000)):
        order = rng.randint(1, 5)
        weights = rng.choice((None, [rng.random() for _ in range(order)]))
        smoothing, method = rng.choice(
            [("none", "method0"), ("floor", "method1"), ("add-k", "method2"), ("exp", "method3"),
             ("method4", "method4")]
        )  # fmt: skip
        hypotheses, references = token_lists(rng, 6), token_lists(rng, 12)
        scores = pairwise(
            hypotheses,
            references,
            tokenize=None,
            dialect="nltk",
            smoothing=smoothing,
            max_order=order,
            weights=weights,
        )
        function = getattr(PRISTINE.SmoothingFunction(), method)
        weights = tuple(weights or (1 / order,) * order)
        for i, hypothesis in enumerate(hypotheses):
            for j, reference in enumerate(references):
                score = cases.quietly(
                    PRISTINE.sentence_bleu, [reference], hypothesis, weights, function
                )
                assert scores[i, j] == score


@pytest.mark.long
@pytest.mark.filterwarnings(TOO_SHORT)
def test_counts_are_those_of_the_oracle(simd):
    """By a dialect that shows its counts: the rows behind each pair."""
    rng = seeded("pairwise", "oracle", simd)
    options = {"tokenize": None, "smoothing": "add-k", "effective_order": True}
    for _ in range(30):
        order = rng.choice((1, 2, 3, 4, 5, 8, 9, 13))
        metric = fastbleu.BLEU(max_order=order, **options)
        hypotheses = token_lists(rng, rng.randint(1, 4))
        references = token_lists(rng, rng.choice((1, 5, 63, 64, 65, 130, 200)))
        scores = metric.pairwise(hypotheses, references)
        rows = [oracle.row(h, [r], order) for h in hypotheses for r in references]
        expected = metric._parameters.sentence_scores(fastbleu.Stats(rows))
        assert scores.ravel().tolist() == expected.tolist()


@pytest.mark.parametrize("length", [255, 256, 300, 70_000])
def test_long_sentences(length):
    """More matches than a byte holds, and than two."""
    rng = seeded("pairwise", "long", length)
    base = rng.choices([f"w{number}" for number in range(2000)], k=length)
    sentences = [base, base[: length // 2], base[::-1], ["w1"] * length, ["w1"] * (length // 3), []]
    metric = fastbleu.BLEU(tokenize=None, effective_order=True, max_order=5)
    assert (metric.pairwise(sentences, sentences) == by_pairs(metric, sentences, sentences)).all()


def test_long_after_short_and_many_orders():
    """Sources of one call may differ: what is kept between them must hold for all."""
    rng = seeded("pairwise", "sources")
    metric = fastbleu.BLEU(tokenize=None, effective_order=True, max_order=6)
    sources = [token_lists(rng, 4, lambda rng, n=n: rng.randint(0, n)) for n in (2, 3, 9, 400, 5)]
    scores = metric.pairwise(sources, sources)
    for source, its in zip(sources, scores, strict=True):
        assert (its == by_pairs(metric, source, source)).all()


@pytest.mark.parametrize("weights", [None, (0.4, 0.3, 0.2, 0.1), (0, 0, 1, 0)])
@pytest.mark.parametrize("effective_order", [False, True])
@pytest.mark.filterwarnings(TOO_SHORT)
def test_weights(weights, effective_order):
    rng = seeded("pairwise", "weights", weights)
    metric = fastbleu.BLEU(weights=weights, effective_order=effective_order)
    hypotheses, references = texts(rng, 30), texts(rng, 40)
    scores = metric.pairwise(hypotheses, references)
    assert (scores == by_pairs(metric, hypotheses, references)).all()


@pytest.mark.parametrize("pair", sorted({system.split(".")[0] for system in wmt22.SYSTEMS}))
def test_wmt22_candidates(pair):
    """All systems' translations of a source are its candidates."""
    outputs = list(wmt22.lines_of_systems(pair).values())
    candidates = [list(lines) for lines in zip(*outputs, strict=True)]
    scores = pairwise(candidates, candidates)
    assert scores.shape == (len(candidates), len(outputs), len(outputs))
    metric = sacrebleu.BLEU(effective_order=True)
    rng = seeded("pairwise", pair)
    for source in rng.sample(range(len(candidates)), min(100, len(candidates))):
        lines = candidates[source]
        expected = [[metric.sentence_score(h, [r]).score for r in lines] for h in lines]
        assert scores[source].tolist() == expected
    whole = fastbleu.BLEU(effective_order=True)
    flat = by_pairs(whole, outputs[0][:300], outputs[1][:40])
    assert (whole.pairwise(outputs[0][:300], outputs[1][:40]) == flat).all()


@pytest.fixture(scope="module")
def pools():
    rng = seeded("pairwise", "pools")
    return texts(rng, 90), texts(rng, 700)


@pytest.fixture(scope="module")
def scores(pools):
    return pairwise(*pools)


@pytest.mark.parametrize("threads", [1, 2, 3, 8])
def test_threads_and_types(pools, scores, threads):
    assert (pairwise(*pools, threads=threads) == scores).all()
    single = pairwise(*pools, threads=threads, dtype="float32")
    assert single.dtype == np.float32
    assert (single == scores.astype(np.float32)).all()


@pytest.mark.parametrize("kind", [np.float64, np.float32])
def test_out(pools, scores, kind):
    shape = scores.shape
    for out in (
        np.full(shape, np.nan, kind),
        np.full(shape, np.nan, kind, order="F"),
        np.full((2 * shape[0], 3 * shape[1]), np.nan, kind)[::-2, ::3],
    ):
        assert pairwise(*pools, out=out) is out
        assert (out == scores.astype(kind)).all()


def test_blocks(pools, scores):
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


def test_batches(pools):
    hypotheses, references = pools
    batched = [hypotheses[n : n + 9] for n in range(0, 90, 9)]
    opposite = [references[n : n + 70] for n in range(0, 700, 70)]
    scores = pairwise(batched, opposite)
    assert scores.shape == (10, 9, 70)
    out = np.empty((10, 9, 70), np.float32)
    assert pairwise(batched, opposite, out=out) is out
    for source in range(10):
        assert (scores[source] == pairwise(batched[source], opposite[source])).all()
    assert (out == scores.astype(np.float32)).all()


@pytest.mark.parametrize("threads", [2, 3, 20])
def test_threads_take_sources_in_turns(pools, threads):
    """Of a size that a single thread would score alone; the matrix of a large one they share."""
    hypotheses, references = pools
    small = [hypotheses[n : n + 5] for n in range(0, 90, 5)]
    large = [references, references[::-1]]
    for sources in (small, small[:2], large):
        expected = pairwise(sources, sources, tokenize="none")
        assert (pairwise(sources, sources, tokenize="none", threads=threads) == expected).all()
        single = pairwise(sources, sources, tokenize="none", threads=threads, dtype="float32")
        assert (single == expected.astype(np.float32)).all()


def test_a_failure_of_one_thread_ends_all(monkeypatch, pools):
    scorers = []

    class Failing(pair_scorer.PairScorer):
        def prepare(self, *sides):
            scorers.append(self)
            if len(scorers) == 5:
                raise MemoryError("no more")
            super().prepare(*sides)

    monkeypatch.setattr("fastbleu.matrix.all_pairs.PairScorer", Failing)
    sources = [pools[0][:5]] * 10_000
    raises(MemoryError, "no more", pairwise, sources, sources, threads=2)
    assert all(scorer.cancelled for scorer in scorers)
    assert len(scorers) < 10_000


def test_what_is_on_both_sides_is_read_once(monkeypatch, pools):
    read = []
    unwatched = SentenceReader.read
    monkeypatch.setattr(
        SentenceReader, "read", lambda *args, **kw: read.append(args) or unwatched(*args, **kw)
    )
    same = pools[0]
    assert (pairwise(same, same) == pairwise(same, list(same))).all()
    assert len(read) == 3
    ids = np.arange(24).reshape(2, 3, 4)
    pairwise(ids, ids, tokenize=None)
    assert len(read) == 5
    pairwise(ids, ids, tokenize=None, reference_mask=ids > 3)
    assert len(read) == 9


def test_sources_that_change_while_they_are_read():
    sources = [["a", "b"], ["c", "d"]]

    def split(text):
        del sources[1][1:]
        return [text]

    with pytest.raises(ValueError, match="hypotheses or references changed while it was read"):
        pairwise(sources, sources, tokenize=split)


def test_token_ids():
    rng = np.random.default_rng(7)
    hypotheses, references = rng.integers(0, 9, (5, 12)), rng.integers(0, 9, (7, 10))
    rules = {"ignore_ids": (0,), "stop_id": 8, "skip_ids": (3,)}
    metric = fastbleu.BLEU(tokenize=None, effective_order=True, **rules)

    def kept(row):
        row = row.tolist()
        row = row[: row.index(8)] if 8 in row else row
        return [number for number in row if number not in (0, 3)]

    expected = pairwise([*map(kept, hypotheses)], [*map(kept, references)], tokenize=None)
    assert (metric.pairwise(hypotheses, references) == expected).all()
    assert (metric.pairwise(list(hypotheses), references.astype("u1")) == expected).all()
    both = metric.pairwise(hypotheses[None], references[None])
    assert both.shape == (1, 5, 7)
    assert (both[0] == expected).all()
    mask = rng.integers(0, 2, hypotheses.shape)
    masked = fastbleu.BLEU(tokenize=None, effective_order=True).pairwise(
        hypotheses, references, hypothesis_mask=mask, reference_mask=references != 4
    )
    lists = [row[its != 0].tolist() for row, its in zip(hypotheses, mask, strict=True)]
    others = [row[row != 4].tolist() for row in references]
    assert (masked == pairwise(lists, others, tokenize=None)).all()


def test_any_hashable_tokens():
    hypotheses = [[1, 2.0, (3,), None], [True, 2, (3.0,), "x"]]
    scores = pairwise(hypotheses, hypotheses, tokenize=None)
    metric = fastbleu.BLEU(tokenize=None, effective_order=True)
    assert (scores == by_pairs(metric, hypotheses, hypotheses)).all()
    assert scores[0, 1] > 0


@pytest.mark.parametrize(
    ("hypotheses", "references", "shape"),
    [
        ([], ["a"], (0, 1)),
        (["a"], [], (1, 0)),
        ([], [], (0, 0)),
        ([""], ["", "a"], (1, 2)),
        ([["a"], []], [["b", "c"], ["d", "e"]], None),
    ],
)
def test_nothing(hypotheses, references, shape):
    if shape is None:
        raises(ValueError, r"hypotheses\[1\]", pairwise, hypotheses, references)
        return
    scores = pairwise(hypotheses, references)
    assert scores.shape == shape
    assert not scores.any()
    shapes = [part.shape for _, part in iter_blocks(hypotheses, references)]
    assert shapes == [shape] * bool(shape[0])


def test_the_method_uses_the_metrics_own_parameters():
    with pytest.warns(fastbleu.InputWarning, match="fewer than 4 tokens"):
        assert fastbleu.BLEU().pairwise(["a b"], ["a b"]) == 0
    assert pairwise(["a b"], ["a b"])[0, 0] == pytest.approx(100)
    assert pairwise(["a b"], ["a b"], dialect="nltk", max_order=2)[0, 0] == 1


def test_what_is_noticed():
    with pytest.warns(fastbleu.InputWarning, match="look tokenized already"):
        pairwise(["It rains ."] * 100, ["It rains."])
    with pytest.warns(fastbleu.InputWarning, match="-100"):
        pairwise(np.array([[1, 2, -100]]), np.array([[1, 2, 3]]), tokenize=None)


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        ((["a"], ["a"]), {"out": [[0.0]]}, "out is a list, expected an ndarray"),
        ((["a"], ["a"]), {"out": np.zeros((1, 2))}, r"out has the shape \(1, 2\), but .*\(1, 1\)"),
        ((["a"], ["a"]), {"out": np.zeros((1, 1), int)}, "dtype is int64, but must be float64"),
        ((["a"], ["a"]), {"dtype": "float16"}, "dtype is float16, but must be float64 or float32"),
        ((["a"], ["a"]), {"dtype": "f4", "out": np.zeros((1, 1))}, "out has the dtype float64"),
        ((["a"], ["a"]), {"out": np.broadcast_to(0.0, (1, 1))}, "out is read-only"),
        ((["a"], ["a"]), {"out": np.zeros(9, "u1")[1:].view("f8")[None]}, "out is not aligned"),
        (("a", ["a"]), {}, "hypotheses is a str"),
        ((["a"], [["a"]]), {}, "references"),
        ((["a"], None), {}, "references is a NoneType"),
        (([["a"], ["a", "b"]], [["a"], ["b"]]), {}, r"hypotheses\[1\] has 2 sentences"),
        ((["a", 5], ["a"]), {}, r"hypotheses\[1\] is a int"),
    ],
)
def test_what_is_refused(arguments, options, message):
    raises((TypeError, ValueError), message, pairwise, *arguments, **options)


def test_masks_of_batches():
    ids = np.ones((2, 3, 4), int)
    metric = fastbleu.BLEU(tokenize=None, effective_order=True)
    half = np.arange(4) < 2
    scores = metric.pairwise(ids, ids, hypothesis_mask=ids * half)
    assert scores.shape == (2, 3, 3)
    assert (scores == metric.pairwise(ids[..., :2], ids)).all()
    for mask in (ids[:1], np.ones((3, 3, 4), int), 1):
        with pytest.raises(ValueError, match=r"the mask of references has .* but references has 2"):
            metric.pairwise(ids, ids, reference_mask=mask)
    assert metric.pairwise(ids[:0], ids[:0]).shape == (0, 0, 0)


def test_blocks_refuse_at_once():
    raises(ValueError, "takes one source", iter_blocks, [["a"]], [["a"]])
    raises(ValueError, "rows is 0", iter_blocks, ["a"], ["a"], rows=0)


def test_progress(capsys):
    assert pairwise(["a b", "c"], ["a b", "d"], progress=True).shape == (2, 2)
    assert "4/4" in capsys.readouterr().err.replace("4.00", "4")
    list(iter_blocks(["a b", "c"], ["a b", "d"], rows=1, progress=True))
    assert "100%" in capsys.readouterr().err
    pairwise(["a b", "c"], ["a b", "d"])
    assert not capsys.readouterr().err


TOKENS = [["the", "cat", "sat", "down"], ["a", "cat", "sat", "down"]]


def test_lists_of_tokens_in_the_place_of_sources_of_text():
    for call in (pairwise, matrix.mbr):
        with pytest.warns(fastbleu.InputWarning, match=r"lists of tokens.*tokenize=None"):
            call(TOKENS, TOKENS)
        with pytest.raises(ValueError, match=r"lists of tokens pass tokenize=None"):
            call([*TOKENS, ["x", "y", "z"]], [*TOKENS, ["x", "y", "z"]])


def test_every_parameter_can_be_named():
    parameters = inspect.signature(fastbleu.BLEU).parameters.values()
    names = {one.name for one in parameters if one.kind is not one.VAR_KEYWORD}
    defaults = {name: getattr(fastbleu.BLEU(), name) for name in names - {"tokenize"}}
    scores = pairwise(["a b c d"], ["x"], tokenize="13a", reference_mask=None, **defaults)
    assert scores == 0


def test_smoothing_that_has_no_matrix():
    words = {"tokenize": None, "dialect": "nltk"}
    with pytest.raises(ValueError, match=r"single pairs by sentence_bleu\("):
        pairwise([["a"]], [["a"]], smoothing="method5", **words)
    function = fastbleu.SmoothingFunction().method1
    with pytest.raises(ValueError, match="method1 goes by its name here; pass smoothing='floor'"):
        pairwise([["a"]], [["a"]], smoothing=function, **words)


@pytest.mark.parametrize("name", ["pairwise", "iter_blocks", "mbr", "self_bleu"])
def test_functions_are_the_methods(name):
    """The same positional parameters; help() tells what each parameter of the function is."""
    function, method = getattr(matrix, name), getattr(fastbleu.BLEU, name)
    *ours, last = inspect.signature(function).parameters.values()
    _, *its, options = inspect.signature(method).parameters.values()
    assert last.kind is options.kind is last.VAR_KEYWORD
    assert its == [parameter for parameter in ours if parameter.kind is not last.KEYWORD_ONLY]
    with pytest.raises(TypeError, match="metric is given, and max_order too; the metric has all"):
        getattr(fastbleu.BLEU(), name)(["a"], ["a"], max_order=2)
    lines = inspect.cleandoc(function.__doc__).splitlines()
    documented = ", ".join(line for line in lines if line and not line.startswith(" "))
    for parameter in (*ours, last):
        assert parameter.name in documented
    for title in ("Parameters", "Examples", "Yields" if name == "iter_blocks" else "Returns"):
        assert lines.count(title) == 1
        assert lines[lines.index(title) + 1] == "-" * len(title)


def test_a_metric_in_place_of_parameters():
    metric = fastbleu.BLEU(max_order=2, smoothing="floor")
    assert pairwise(["a b"], ["a c"], metric=metric) == metric.score(["a b"], ["a c"]).value
    with pytest.raises(TypeError, match=r"metric is a str, expected a fastbleu\.BLEU"):
        pairwise(["a b"], ["a c"], metric="nltk")


def test_names_stay_functions():
    """A module of a function's name would take its place in the package, once it is loaded."""
    for _ in range(2):
        assert matrix.pairwise(["a"], ["a"]).shape == (1, 1)
        assert matrix.mbr(["a", "b"]).best == 0
        assert matrix.self_bleu([["a"], ["a"]]).orders == (2, 3, 4, 5)
    modules = {module.name for module in pkgutil.iter_modules(matrix.__path__)}
    assert not modules & set(matrix.__all__)


def test_names():
    assert fastbleu.matrix is matrix
    assert "matrix" in dir(fastbleu)
    assert set(matrix.__all__) <= set(dir(matrix))
    for_type_checkers = set(Path(matrix.__file__).read_text(encoding="utf-8").split())
    assert set(matrix.__all__) <= for_type_checkers
    for name in matrix.__all__:
        assert getattr(matrix, name).__doc__
    with pytest.raises(AttributeError, match="nothing_of_the_kind"):
        matrix.nothing_of_the_kind  # noqa: B018
