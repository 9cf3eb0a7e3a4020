"""`tokenizers=` of a batch: each segment has the counts of its tokenizer."""

import gc
import importlib.util
import pickle
import weakref

import pytest
from generators import IGNORED_OF_RANDOM, raises, seeded

from fastbleu import BLEU, Stats

WORDS = ["The", "cat,", "it", "sat.", "a-b", "c/d", "1,5%", "Ｋuala", "熊", "猫坐在垫子上。"]
NAMES = ["13a", "zh", "char", "intl", "none"]
TEXTS = ["The cat sat on it.", "猫坐在垫子上。", "It rained all day."]
REFERENCES = [["The cat lay on it."], ["猫坐在椅子上。"], ["It rained all night."]]
CHOSEN = ["13a", "zh", "char"]


@pytest.mark.filterwarnings(*IGNORED_OF_RANDOM)
def test_each_segment_is_counted_as_by_a_metric_with_its_tokenizer():
    rng = seeded("segment tokenizers")
    for threads in [1, 3] * 15:
        size = rng.randint(1, 30)
        texts = [" ".join(rng.choices(WORDS, k=rng.randint(0, 9))) for _ in range(size)]
        references = [[rng.choice(texts), text[:-2]] for text in texts]
        names = [rng.choice(NAMES) for _ in texts]
        rows = [
            BLEU(tokenize=name).count([text], [several]).__array__().tolist()[0]
            for text, several, name in zip(texts, references, names, strict=True)
        ]
        metric = BLEU(threads=threads, keep_stats=True)
        for start in range(0, size, 7):
            part = slice(start, start + 7)
            metric.update(texts[part], references[part], tokenizers=names[part])
        assert metric.stats.__array__().tolist() == rows
        assert metric.compute().value == BLEU().score(Stats(rows)).value
        whole = BLEU(threads=threads).score(texts, references, tokenizers=names)
        assert whole == metric.compute()
        scores = metric.sentence_scores(texts, references, tokenizers=names)
        assert (scores == metric.sentence_scores(metric.stats)).all()


def field(score):
    return score.signature.split("|")[3]


def test_signature_names_what_was_used():
    metric, other = BLEU(), BLEU()
    metric.update(TEXTS[:1], REFERENCES[:1], tokenizers=["13a"])
    assert field(metric.compute()) == "tok:13a"
    metric.update(TEXTS[1:], REFERENCES[1:], tokenizers=["zh", None])
    assert field(metric.compute()) == "tok:13a+zh"
    other.update(TEXTS, REFERENCES, tokenizers="char")
    metric.merge(other)
    assert field(metric.compute()) == "tok:13a+char+zh"
    other.update(TEXTS, REFERENCES)
    assert field(other.compute()) == "tok:13a+char"
    rows = [BLEU().count(TEXTS, REFERENCES, tokenizers=name) for name in (None, "char")]
    for joined in (rows, rows[::-1]):
        assert field(BLEU().score(Stats.concatenate(joined))) == "tok:13a+char"
    for copied in (pickle.loads(pickle.dumps(metric)), metric.all_reduce()):
        assert copied == metric
        assert copied.compute() == metric.compute()
    metric.reset()
    metric.update(TEXTS, REFERENCES)
    assert metric.compute() == BLEU().score(TEXTS, REFERENCES)


def test_signature_names_what_scripts_chose():
    """Also where some segments have other tokenizers."""
    for default, names, expected in (
        ("auto", None, "tok:auto+13a+zh"),
        ("auto", [None, None, "char"], "tok:auto+13a+char+zh"),
        ("auto", "char", "tok:char"),
        ("13a", "auto", "tok:13a+auto+zh"),
        ("13a", ["zh", "auto", None], "tok:13a+auto+zh"),
    ):
        score = BLEU(tokenize=default).score(TEXTS, REFERENCES, tokenizers=names)
        assert field(score) == expected, names


def test_sequences_functions_and_progress(capsys):
    expected = BLEU().score(TEXTS, REFERENCES, tokenizers=CHOSEN, progress=True)
    assert "3.00/3.00" in capsys.readouterr().err
    assert BLEU().score(tuple(TEXTS), REFERENCES, tokenizers=tuple(CHOSEN)) == expected
    characters = BLEU().score(TEXTS, REFERENCES, tokenizers=[None, list, list])
    assert field(characters) == "tok:13a+list"
    words = BLEU().score(TEXTS[:1], REFERENCES[:1]).hyp_len
    assert characters.hyp_len == words + len(TEXTS[1] + TEXTS[2])


def test_functions_of_a_batch_are_not_kept():
    metric, function = BLEU(), lambda text: text.split()
    metric.update(TEXTS, REFERENCES, tokenizers=[function] * 3)
    gone = weakref.ref(function)
    del function
    gc.collect()
    assert gone() is None


def test_missing_segments_have_tokenizers_too():
    texts = [TEXTS[0], None, *TEXTS[1:]]
    references = [REFERENCES[0], ["x"], *REFERENCES[1:]]
    names = ["13a", "char", *CHOSEN[1:]]
    metric = BLEU(effective_order=True)
    expected = metric.sentence_scores(TEXTS, REFERENCES, tokenizers=CHOSEN)
    columns = [list]
    if importlib.util.find_spec("pyarrow"):
        columns.append(importlib.import_module("pyarrow").array)
    for column in columns:
        sides, chosen = (column(texts), column(references)), column(names)
        with pytest.warns(UserWarning, match="left out 1 of 4 segments"):
            scores = metric.sentence_scores(*sides, tokenizers=chosen, missing="skip")
        assert [*scores[:1], *scores[2:]] == expected.tolist()


def test_wrong_tokenizers_are_refused():
    two, three = ["a", "b"], ["a"] * 3
    names, metric = ["zh", "13a", "zh"], BLEU()
    for error, words, *sides, tokenizers in (
        (ValueError, "tokenizers has 1 entry, hypotheses has 2", two, two, ["zh"]),
        (ValueError, "segment 1: tokenizer 'zhh' is unknown", two, two, ["zh", "zhh"]),
        (ValueError, "^tokenizer 'zhh' is unknown", ["a"], ["a"], "zhh"),
        (TypeError, "segment 0: tokenize is an int", ["a"], ["a"], [3]),
        (TypeError, "tokenizers is an int", ["a"], ["a"], 3),
        (TypeError, "tokenizers is a bytes", three, three, b"13a"),
        (TypeError, r"a set, .*; pass a list in the order", ["a"], ["a"], {"zh"}),
        (TypeError, r"a dict, .*; pass a list in the order", ["a"], ["a"], {"a": "zh"}),
        (TypeError, "segment 0: tokenizers is a list", ["a"], ["a"], [["zh"]]),
        (TypeError, "segment 2: the hypothesis", [*two, 3], three, names),
        (ValueError, "segment 2: no references", three, [*two, []], names),
    ):
        raises(error, words, metric.update, *sides, tokenizers=tokenizers)
        assert metric == BLEU()
    for metric, words, sides, options in (
        (BLEU(tokenize=False), "tokenizers= is for", ([["a"]], [[["a"]]]), {"tokenizers": "13a"}),
        (BLEU("mteval-v13a"), "its tokenizers are", (["a"], ["a"]), {"tokenizers": "zh"}),
        (BLEU("fairseq"), "not support tokenizers", (["a"], ["a"]), {"tokenizers": "none"}),
        (BLEU(), "not go together", (["a"], ["a"]), {"join": ["x"], "tokenizers": "zh"}),
    ):
        raises(ValueError, words, metric.score, *sides, **options)
