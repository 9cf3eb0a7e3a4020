"""`tokenize=` of a batch: each segment has the counts that sacreBLEU has with that tokenizer."""

import gc
import pickle
import weakref

import pytest
import sacrebleu
from generators import IGNORED_OF_RANDOM, raises, seeded

from fastbleu import BLEU

WORDS = [
    "The",
    "cat,",
    "it",
    "sat.",
    "猫坐在垫子上。",
    "a-b",
    "c/d",
    "1,5%",
    "Ｋuala",
    "熊",
    "eats.",
]
NAMES = ["13a", "zh", "char", "intl", "none"]
TEXTS = ["The cat sat on it.", "猫坐在垫子上。", "It rained all day."]
REFERENCES = [["The cat lay on it."], ["猫坐在椅子上。"], ["It rained all night."]]
CHOSEN = ["13a", "zh", "char"]


def rows_of_sacrebleu(hypotheses, references, names):
    rows = []
    for hypothesis, several, name in zip(hypotheses, references, names, strict=True):
        metric = sacrebleu.BLEU(tokenize=name)
        rows += metric._extract_corpus_statistics([hypothesis], [[one] for one in several])
    return rows


def score_of_sacrebleu(rows):
    hyp_len, ref_len, *counts = map(sum, zip(*rows, strict=True))
    return sacrebleu.BLEU.compute_bleu(counts[:4], counts[4:], hyp_len, ref_len).score


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.filterwarnings(*IGNORED_OF_RANDOM)
def test_random_batches_equal_sacrebleu(threads):
    rng = seeded("segment tokenizers", threads)
    for _ in range(30):
        size = rng.randint(1, 30)
        texts = [" ".join(rng.choices(WORDS, k=rng.randint(0, 9))) for _ in range(size)]
        references = [[rng.choice(texts), text[:-2]] for text in texts]
        names = [rng.choice(NAMES) for _ in texts]
        rows = rows_of_sacrebleu(texts, references, names)
        metric = BLEU(threads=threads, keep_segments=True)
        for start in range(0, size, 7):
            part = slice(start, start + 7)
            metric.update(texts[part], references[part], tokenize=names[part])
        assert metric.segments.__array__().tolist() == rows
        assert metric.compute().value == score_of_sacrebleu(rows)
        whole = BLEU(threads=threads).score(texts, references, tokenize=names)
        assert whole == metric.compute()
        scores = metric.sentence_scores(texts, references, tokenize=names)
        assert (scores == metric.segment_scores()).all()


def field(score):
    return score.signature.split("|")[3]


def test_signature_names_what_was_used():
    metric = BLEU()
    metric.update(TEXTS[:1], REFERENCES[:1], tokenize=["13a"])
    assert field(metric.compute()) == "tok:13a"
    metric.update(TEXTS[1:], REFERENCES[1:], tokenize=["zh", None])
    assert field(metric.compute()) == "tok:13a+zh"
    other = BLEU()
    other.update(TEXTS, REFERENCES, tokenize="char")
    assert field(other.compute()) == "tok:char"
    metric.merge(other)
    assert field(metric.compute()) == "tok:13a+char+zh"
    other.update(TEXTS, REFERENCES)
    assert field(other.compute()) == "tok:13a+char"
    copied = pickle.loads(pickle.dumps(metric))
    assert copied == metric
    assert copied.compute() == metric.compute()
    assert metric.all_reduce().compute() == metric.compute()
    metric.reset()
    metric.update(TEXTS, REFERENCES)
    assert metric.compute() == BLEU().score(TEXTS, REFERENCES)


def test_signature_names_what_scripts_chose():
    """Also where some segments have other tokenizers."""
    by_script = BLEU(tokenize="auto")
    assert field(by_script.score(TEXTS, REFERENCES)) == "tok:auto+13a+zh"
    for names, expected in (
        ([None, None, "char"], "tok:auto+13a+char+zh"),
        (["char", None, "char"], "tok:auto+char+zh"),
        ("char", "tok:char"),
    ):
        assert field(by_script.score(TEXTS, REFERENCES, tokenize=names)) == expected
    for names, expected in (
        ("auto", "tok:13a+auto+zh"),
        (["zh", "auto", None], "tok:13a+auto+zh"),
        (["auto", "zh", None], "tok:13a+auto+zh"),
    ):
        assert field(BLEU().score(TEXTS, REFERENCES, tokenize=names)) == expected


def test_progress(capsys):
    BLEU().score(TEXTS, REFERENCES, tokenize=CHOSEN, progress=True)
    assert "3.00/3.00" in capsys.readouterr().err


def test_columns_of_pyarrow():
    pyarrow = pytest.importorskip("pyarrow")
    expected = BLEU().score(TEXTS, REFERENCES, tokenize=CHOSEN)
    columns = pyarrow.array(TEXTS), pyarrow.array(REFERENCES)
    assert BLEU().score(*columns, tokenize=pyarrow.array(CHOSEN)) == expected


def test_sequences_and_functions():
    expected = BLEU().score(TEXTS, REFERENCES, tokenize=CHOSEN)
    assert BLEU().score(tuple(TEXTS), REFERENCES, tokenize=tuple(CHOSEN)) == expected
    characters = BLEU().score(TEXTS, REFERENCES, tokenize=[None, list, list])
    assert field(characters) == "tok:13a+list"
    words = BLEU().score(TEXTS[:1], REFERENCES[:1]).hyp_len
    assert characters.hyp_len == words + len(TEXTS[1] + TEXTS[2])


def test_functions_of_a_batch_are_not_kept():
    metric, function = BLEU(), lambda text: text.split()
    metric.update(TEXTS, REFERENCES, tokenize=[function] * 3)
    gone = weakref.ref(function)
    del function
    gc.collect()
    assert gone() is None


@pytest.mark.parametrize("kind", ["lists", "pyarrow"])
def test_missing_segments_have_tokenizers_too(kind):
    texts = [TEXTS[0], None, *TEXTS[1:]]
    references = [REFERENCES[0], ["x"], *REFERENCES[1:]]
    names = ["13a", "char", *CHOSEN[1:]]
    if kind == "pyarrow":
        pyarrow = pytest.importorskip("pyarrow")
        texts, references = pyarrow.array(texts), pyarrow.array(references)
    metric = BLEU(effective_order=True)
    with pytest.warns(UserWarning, match="left out 1 of 4 segments"):
        scores = metric.sentence_scores(texts, references, tokenize=names, missing="skip")
    expected = metric.sentence_scores(TEXTS, REFERENCES, tokenize=CHOSEN)
    assert [*scores[:1], *scores[2:]] == expected.tolist()


@pytest.mark.parametrize(
    ("error", "message", "arguments"),
    [
        (ValueError, "tokenize has 1 entries, hypotheses has 2", (["a", "b"], ["a", "b"], ["zh"])),
        (ValueError, "segment 1: tokenizer 'zhh' is unknown", (*[["a"] * 2] * 2, ["zh", "zhh"])),
        (ValueError, "^tokenizer 'zhh' is unknown", (["a"], ["a"], "zhh")),
        (TypeError, "segment 0: tokenize is an int", (["a"], ["a"], [3])),
        (TypeError, "tokenize is an int", (["a"], ["a"], 3)),
        (TypeError, "tokenize is a bytes", (["a"] * 3, ["a"] * 3, b"13a")),
        (TypeError, r"a set, .*; pass sorted\(tokenize\)", (["a"], ["a"], {"zh"})),
        (TypeError, r"a dict, .*; pass list\(tokenize.values", (["a"], ["a"], {"a": "zh"})),
        (TypeError, "segment 0: tokenize is a list", (["a"], ["a"], [["zh"]])),
        (TypeError, "segment 2: the hypothesis", (["a", "b", 3], ["a"] * 3, ["zh", "13a", "zh"])),
        (ValueError, "segment 2: no references", (["a"] * 3, ["a", "b", []], ["zh", "13a", "zh"])),
    ],
)
def test_wrong_tokenizers(error, message, arguments):
    *sides, tokenize = arguments
    metric = BLEU()
    raises(error, message, metric.update, *sides, tokenize=tokenize)
    assert metric == BLEU()


def test_where_it_is_refused():
    score = BLEU(tokenize=None).score
    raises(ValueError, "tokenize= is for text", score, [["a"]], [[["a"]]], tokenize="13a")
    score = BLEU(dialect="mteval-v13a").score
    raises(ValueError, "its tokenizers are", score, ["a"], ["a"], tokenize="zh")
    score = BLEU(dialect="fairseq").score
    raises(ValueError, "does not support tokenize", score, ["a"], ["a"], tokenize="none")
    score = BLEU().score
    raises(ValueError, "not go together", score, *[["a"]] * 2, documents=["x"], tokenize="zh")
