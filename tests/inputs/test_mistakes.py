"""Common mistakes of new users: the message names the mistake and the fix."""

import re
import signal
import warnings
from functools import partial

import numpy as np
import pytest
from commands import python
from generators import raises
from nltk.translate import bleu_score as nltk

import fastbleu
from fastbleu import BLEU, InputWarning, Stats, count
from fastbleu.dialects import NLTK, SACREBLEU
from fastbleu.matrix import ReferenceIndex, iter_blocks, mbr, pairwise, self_bleu

TEXTS = ["The cat sat on the mat.", "It rained all night."]
REFERENCES = [["The cat sat on a mat."], ["It rained all night."]]


# ---- padding that is counted


def padded(padding, rows=8):
    return [[row, 2, 3, 4, padding, padding] for row in range(rows)]


def references_of(hypotheses):
    return [[hypothesis] for hypothesis in hypotheses]


@pytest.mark.parametrize("form", [list, tuple, np.array], ids=["list", "tuple", "array"])
def test_padding_in_lists_is_warned_of(form):
    hypotheses = [form(row) for row in padded(0)]
    with pytest.warns(InputWarning, match=r"end in a run of the id 0.*ignore_ids=\(0,\)"):
        BLEU(None).score(hypotheses, references_of(hypotheses))


@pytest.mark.parametrize("rows", [1, 3, 8])
def test_padding_of_labels_is_warned_of_once(rows):
    for form in (list, np.array):
        hypotheses = [form(row) for row in padded(-100, rows)]
        with pytest.warns(InputWarning, match="-100") as caught:
            BLEU(None).score(hypotheses, references_of(hypotheses))
        assert len(caught) == 1


def test_padding_in_sentences_of_a_matrix_is_warned_of():
    with pytest.warns(InputWarning, match="hypotheses end in a run of the id 7"):
        pairwise(padded(7), [[1, 2, 3, 4]], tokenize=None)


def test_what_is_no_padding_is_not_warned_of(recwarn):
    others = [
        padded(0, rows=3),
        [[*range(row + 2), 0, 0] for row in range(8)],  # of different lengths
        [[1, 2, 3, row] for row in range(8)],
        [[True, True] for _ in range(8)],
        [["a", "a"] for _ in range(8)],
        [["a", 0] for _ in range(8)],
        [[0] for _ in range(8)],
        [[] for _ in range(8)],
    ]
    for hypotheses in others:
        BLEU(None, max_order=1).score([*hypotheses, [1]], references_of([*hypotheses, [1]]))
    assert not recwarn.list


# ---- arguments


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("smooth", "smoothing"),
        ("smooth_method", "smoothing"),
        ("max_ngram_order", "max_order"),
        ("n_gram", "max_order"),
        ("trg_lang", "tokenize"),
        ("pad_id", "ignore_ids"),
        ("lower_case", "lowercase"),
        ("smooth_value", "smoothing_value"),
        ("tokenizer", "tokenize"),
        ("efective_order", "effective_order"),
        ("answer", None),
    ],
)
def test_unknown_parameters_are_named(name, meant):
    hint = f"; did you mean '{meant}'" if meant else "$"
    expected = rf"^fastbleu\.BLEU has no parameter '{name}'{hint}"
    state = np.zeros(10, int)
    for make in (
        lambda **wrong: BLEU(**wrong),
        lambda **wrong: BLEU.from_state(state, **wrong),
        lambda **wrong: ReferenceIndex(TEXTS, **wrong),
        *(partial(call, TEXTS, TEXTS) for call in (pairwise, iter_blocks, mbr, self_bleu)),
    ):
        raises(TypeError, expected, make, **{name: 4})


@pytest.mark.parametrize("function", [fastbleu.SmoothingFunction, nltk.SmoothingFunction])
def test_smoothing_functions_are_methods(function):
    tokens = ["the", "cat", "sat", "down"]
    for wrong in ("method1", function, function()):
        for call, arguments in (
            (fastbleu.sentence_bleu, ([tokens], tokens)),
            (fastbleu.corpus_bleu, ([[tokens]], [tokens])),
        ):
            with pytest.raises(TypeError, match=r"SmoothingFunction\(\)\.method1"):
                call(*arguments, smoothing_function=wrong)
    assert fastbleu.sentence_bleu([tokens], ["x"], smoothing_function="method1") == 0  # as nltk


@pytest.mark.parametrize("name", ["lowercase", "effective_order", "keep_segments"])
def test_words_are_neither_true_nor_false(name):
    raises(TypeError, f"{name} is 'False', a str; expected True or False", BLEU, **{name: "False"})


def test_words_are_neither_true_nor_false_in_count():
    for tokenize in (None, "13a"):
        with pytest.raises(TypeError, match="lowercase is 'no'"):
            count(["a"], ["a"], tokenize=tokenize, lowercase="no")


@pytest.mark.parametrize("weights", [0.25, "0.25,0.25,0.25,0.25"])
def test_weights_are_several_numbers(weights):
    raises(TypeError, "expected a number for each order", BLEU, weights=weights)


def test_ids_without_a_dimension_are_single_ids():
    for two in (2, np.int64(2), np.array(2)):
        assert BLEU(None, stop_id=two).stop_id == 2
        words = r"ignore_ids is .*2.*, expected several integers; pass"
        raises(TypeError, words, BLEU, None, ignore_ids=two)
        assert BLEU(None, ignore_ids=(two,)).ignore_ids == (2,)


def test_ids_that_are_none():
    raises(TypeError, r"ignore_ids is None.*leave it out", BLEU, None, ignore_ids=None)
    raises(TypeError, r"ignore_ids is '</s>'.*look up its id", BLEU, None, ignore_ids="</s>")
    raises(TypeError, "stop_id has '</s>', a str; expected integer ids", BLEU, None, stop_id="</s>")


def test_nltks_dialect_has_equal_weights_for_every_order():
    rows = count([["a", "b", "c"]], [[["a", "b", "d"]]], max_order=2)
    score = NLTK.score(NLTK.adapt(rows).sum())
    assert score == NLTK.score(NLTK.adapt(rows).sum(), weights=(0.5, 0.5))
    assert score.value == BLEU(None, max_order=2, smoothing="none", dialect="nltk").score(
        [["a", "b", "c"]], [[["a", "b", "d"]]]
    ).value  # fmt: skip


# ---- what is scored


def test_swapped_texts():
    raises(TypeError, "swapped\\? hypotheses come first", BLEU().score, REFERENCES, TEXTS)


def test_swapped_tokens():
    references, hypotheses = [[["a", "b"], ["c"]]], [["a", "b"]]
    with (
        pytest.warns(InputWarning, match="character by character"),
        pytest.raises(TypeError, match="are hypotheses and references swapped"),
    ):
        fastbleu.corpus_bleu(hypotheses, references)
    raises(TypeError, "hypotheses come before references", BLEU(None).score, references, hypotheses)


TOKENS = ["the", "cat", "sat"]
SENTENCES = ["the cat sat on a mat", "it rained"]


@pytest.mark.parametrize(
    ("function", "arguments", "fix"),
    [
        ("sentence_bleu", (TOKENS, TOKENS), r"one flat list of tokens.*pass \[reference\]"),
        ("sentence_bleu", (["cat"], ["cat"]), r"one flat list of tokens.*pass \[reference\]"),
        ("corpus_bleu", ([TOKENS] * 2, [TOKENS] * 2), r"flat list.*\[\[reference\], \.\.\.\]"),
        ("modified_precision", (TOKENS, TOKENS, 1), r"pass \[reference\]"),
        ("sentence_bleu", (SENTENCES, TOKENS), r"references\[0\] is a str.*pass a list of tokens"),
        ("sentence_bleu", (["我喜欢吃苹果"], list("我喜欢")), r"references\[0\] is a str"),
        ("corpus_bleu", (SENTENCES[:1], [SENTENCES[:1]]), r"fastbleu\.sacrebleu\.corpus_bleu"),
        ("corpus_bleu", (SENTENCES, [SENTENCES] * 2), r"fastbleu\.sacrebleu\.corpus_bleu"),
        ("sentence_bleu", (SENTENCES[0], SENTENCES), r"fastbleu\.sacrebleu\.corpus_bleu"),
    ],
)
def test_the_fix_of_arguments_of_nltk_and_the_score(function, arguments, fix):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        assert getattr(fastbleu, function)(*arguments) == getattr(nltk, function)(*arguments)
    (text,) = [str(warning.message) for warning in caught if warning.category is InputWarning]
    assert re.search(fix, text)


@pytest.mark.parametrize(
    ("arguments", "fix"),
    [
        ((SENTENCES, [SENTENCES]), r"fastbleu\.sacrebleu\.corpus_bleu\(hypotheses, references\)"),
        (([TOKENS] * 2, [[TOKENS] * 2]), r"corpus_bleu\(list\(zip\(\*references\)\), hypotheses"),
        (([[TOKENS]] * 2, [TOKENS]), "be the same $"),
        (([[TOKENS]], []), "be the same $"),
        ((iter([]), TOKENS), None),
    ],
)
def test_the_fix_of_sacrebleus_order(arguments, fix):
    raises(AssertionError if fix else TypeError, fix, fastbleu.corpus_bleu, *arguments)


def test_what_a_tokenizer_returns():
    with pytest.raises(TypeError, match=r'pass hypotheses\["input_ids"\]'):
        BLEU(None).score({"input_ids": [[1]], "attention_mask": [[1]]}, [[1]])


def test_text_without_spaces():
    chinese = ["我喜欢吃苹果", "今天天气很好"]
    with pytest.warns(InputWarning, match='of Chinese or Japanese pass tokenize="zh"'):
        assert BLEU().score(chinese, chinese).value == 0
    with pytest.warns(InputWarning, match='of Chinese or Japanese pass tokenize="zh"'):
        BLEU().sentence_scores(chinese, chinese)
    with pytest.warns(InputWarning) as caught:
        BLEU("zh").score(["苹果"], ["苹果"])
    assert "Chinese" not in str(caught[0].message)


def test_rows_that_are_none():
    raises(ValueError, r"rows has the shape \(1, 0\)", Stats, [[]])
    for dialect in (SACREBLEU, NLTK):
        raises(TypeError, r"expected Stats of one row.*not a list", dialect.score, [5])


def test_metrics_of_other_classes_are_not_merged():
    with pytest.raises(TypeError, match=r"a fastbleu\.sacrebleu.*BLEU into a fastbleu\.BLEU"):
        BLEU().merge(fastbleu.sacrebleu.BLEU())


# ---- Ctrl-C while numpy is imported

IMPORT = """
import os, signal, sys
from fastbleu.cli.imports import import_undisturbed

class Interrupting:
    def find_spec(self, name, path=None, target=None):
        if name == "numpy._core._multiarray_umath" and not seen:
            seen.append(name)
            os.kill(os.getpid(), signal.SIGINT)

seen = []
signal.signal(signal.SIGINT, signal.default_int_handler)
sys.meta_path.insert(0, Interrupting())
try:
    import_undisturbed("fastbleu.significance")
except KeyboardInterrupt:
    import numpy.random
    print("interrupted, and", "imported" if "fastbleu.significance" in sys.modules else "broken")
print(signal.getsignal(signal.SIGINT) is signal.default_int_handler, seen)
"""


@pytest.mark.skipif(not hasattr(signal, "pthread_kill"), reason="needs POSIX signals")
def test_an_import_is_finished_before_it_is_interrupted():
    assert python("-c", IMPORT).splitlines() == [
        "interrupted, and imported",
        "True ['numpy._core._multiarray_umath']",
    ]
