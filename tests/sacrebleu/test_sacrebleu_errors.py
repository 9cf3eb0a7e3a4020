"""Errors of the type that sacreBLEU raises, with a message; warnings where it is silent or logs.

What differs on purpose (DIFFERENCES.md) is tested here, too.
"""

import re
import subprocess
import sys
import warnings
from collections import UserString

import numpy as np
import pytest
import sacrebleu
import sacrebleu_cases as cases
from generators import quietly, raises, typed
from processes import python_ends
from sacrebleu.metrics.bleu import BLEU

import fastbleu
from fastbleu import sacrebleu as ours

pytestmark = pytest.mark.pythons

LINE = "the cat sat on the mat"


def calling(name, *arguments, **options):
    """A call of a module's function, as a function of the module."""
    return lambda module: getattr(module, name)(*arguments, **options)


def json_with(signature):
    return lambda module: module.sentence_bleu(LINE, [LINE]).format(2, False, signature, True)


def raised(call, module):
    """The exception, silently."""
    try:
        return quietly(call, module)
    except Exception as error:
        return error


CORPORA = {
    "no hypotheses": ([], [[LINE]]),
    "no streams": ([LINE], []),
    "a second stream that is empty": ([LINE], [[LINE], []]),
    "hypotheses of another type": (5, [[LINE]]),
    "hypotheses as a generator": (iter([LINE]), [[LINE]]),
    "hypotheses as an array": (np.array([LINE]), [[LINE]]),
    "hypotheses as tokens": ([LINE.split()], [[LINE]]),
    "hypotheses as bytes": ([LINE.encode()], [[LINE]]),
    "a hypothesis that is None": ([LINE, None], [[LINE, LINE]]),
    "references of another type": ([LINE], 5),
    "references as a set": ([LINE], {LINE}),
    "a stream that is None": ([LINE], [None]),
    "a stream as a generator": ([LINE], [iter([LINE])]),
    "references as tokens": ([LINE], [[LINE.split()]]),
    "a number as reference": ([LINE], [[5]]),
    "a hypothesis beyond the references that is None": ([LINE, LINE, None], [[LINE]]),
    "None as references": ([LINE], None),
}


SEGMENTS = {
    "a list as hypothesis": ([LINE], [LINE]),
    "None as hypothesis": (None, [LINE]),
    "a str as references": (LINE, LINE),
    "no references of a segment": (LINE, []),
    "references of a segment as a set": (LINE, {LINE}),
    "tokens as reference": (LINE, [LINE.split()]),
    "a generator as references": (LINE, iter([LINE])),
}
REFUSED = {
    **{what: calling("corpus_bleu", *corpus) for what, corpus in CORPORA.items()},
    **{what: calling("sentence_bleu", *segment) for what, segment in SEGMENTS.items()},
    **{f"{what}, chrF": calling("corpus_chrf", *corpus) for what, corpus in CORPORA.items()},
    **{f"{what}, chrF": calling("sentence_chrf", *segment) for what, segment in SEGMENTS.items()},
    "another smoothing of a metric": calling("BLEU", smooth_method="method1"),
    "references of a metric": calling("BLEU", references=5),
    "a tokenizer in capitals": calling("BLEU", tokenize="13A"),
    "another smoothing": calling("corpus_bleu", [LINE], [[LINE]], smooth_method="x"),
    "another tokenizer": calling("sentence_bleu", LINE, [LINE], tokenize="x"),
    "a signature before a score": lambda module: module.BLEU().get_signature(),
    "a signature of nothing": lambda module: module.metrics.bleu.BLEUSignature({}),
    **{f"JSON with the signature {text!r}": json_with(text) for text in ("", "a:b:c", "a")},
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_sacrebleu_refuses_too(what):
    for _ in range(2):  # functions keep things after their first call
        theirs, mine = (raised(REFUSED[what], side) for side in (sacrebleu, ours))
        assert isinstance(theirs, Exception)
        assert isinstance(mine, type(theirs)), (mine, theirs)
        assert len(str(mine)) > 20
    assert ours.sentence_bleu(LINE, [LINE]).score == 100.00000000000004


# What differs on purpose


WITHOUT = [LINE] * 3, [[None, LINE, None], [LINE, LINE, None]]
TWO = [LINE, LINE]


@pytest.mark.parametrize(
    ("name", "arguments", "options", "error", "words"),
    [
        ("corpus_bleu", WITHOUT, {}, ValueError, "segment 2"),
        ("corpus_bleu", WITHOUT, {"tokenize": str.split}, ValueError, "segment 2"),
        ("sentence_bleu", (LINE, [None]), {}, ValueError, "segment 0"),
        ("corpus_bleu", (TWO, [[LINE, ("a", "b")]]), {}, TypeError, "segment 1: .* tuple, exp"),
        ("corpus_bleu", (TWO, [[LINE, ["a"]]]), {}, TypeError, "segment 1: .* list, exp"),
        ("corpus_bleu", ([LINE, 5], [TWO]), {}, TypeError, "segment 1"),
        ("corpus_bleu", (TWO, [[LINE, 5]]), {}, TypeError, "segment 1"),
        ("corpus_bleu", (TWO, [TWO, [LINE, b"bytes"]]), {}, TypeError, "segment 1"),
        ("BLEU", (), {"references": [TWO, [LINE, ["tokens"]]]}, TypeError, "segment 1"),
        ("sentence_bleu", (LINE, [LINE, b"bytes"]), {}, TypeError, "reference"),
        ("BLEU", (), {"max_ngram_order": 0}, ValueError, "max_ngram_order"),
        ("BLEU", (), {"max_ngram_order": 1.0}, TypeError, "max_ngram_order"),
        ("BLEU", (), {"tokenize": ["13a"]}, TypeError, "tokenize"),
    ],
)
def test_what_sacrebleu_does_not_refuse_or_name(name, arguments, options, error, words):
    raises(error, words, getattr(ours, name), *arguments, **options)


def test_a_segment_without_any_kept_reference():
    raises(ValueError, "segment 2", ours.BLEU(references=WITHOUT[1]).corpus_score, WITHOUT[0], None)


def test_the_only_reference_of_a_segment_is_named_if_it_is_none():
    error = raised(calling("corpus_bleu", TWO, [[LINE, None]]), ours)
    assert isinstance(error, ValueError)
    assert (error.segment, error.reference) == (1, 0)


def test_unknown_smoothing_is_refused_without_assertions_too():
    code = "from fastbleu.sacrebleu import BLEU; BLEU(smooth_method='x')"
    assert "AssertionError: smooth_method 'x' is unknown" in python_ends("-O", "-c", code)[2]


def test_compute_bleu_leaves_its_arguments_alone():
    correct, total = [3, 2, 1, 0], [4, 3, 2, 1]
    once = ours.BLEU.compute_bleu(correct, total, 4, 4, "add-k", 0.5)
    assert (correct, total) == ([3, 2, 1, 0], [4, 3, 2, 1])
    assert cases.seen(once) == cases.seen(BLEU.compute_bleu(correct, total, 4, 4, "add-k", 0.5))
    for dtype in ("int64", "float32"):
        row = np.array([4, 5, 3, 2, 4, 3], dtype)
        options = {"smooth_method": "add-k", "smooth_value": 1.75, "max_ngram_order": 2}
        for count in (2, 1):  # sacreBLEU changes a single row
            seen = ours.BLEU(**options)._aggregate_and_compute([row] * count).score
            assert row.tolist() == [4, 5, 3, 2, 4, 3]
            assert seen == BLEU(**options)._aggregate_and_compute([row] * count).score


UNLIKELY = {
    "more hypotheses": (
        [LINE, "a dog", "a b"],
        [[LINE, "a cat"]],
        "3 segments, references have 2;",
    ),
    "streams of different lengths": (
        [LINE, "a dog"],
        [[LINE, "a cat"], ["the cat"]],
        "the streams .* 2, 1;",
    ),
    "eight streams": ([LINE] * 2, [[LINE] * 2, [LINE]] * 4, "2, 1; scoring"),
    "more streams": ([LINE] * 2, [[LINE]] + [[LINE] * 2, [LINE]] * 4, r"2, 1, 2, \.\.\.; scoring"),
    "a missing one is left over": (["a b c"], [["a b c", "d"], ["a c", None]], "after 1 segment$"),
    "a str as hypotheses": (LINE, [[LINE] * len(LINE)], "characters"),
    "a flat list of references": ([LINE, "dog"], [LINE, "dog"], r"references\[0\] is a str"),
    "references by segment": ([LINE, "a", "b"], [[LINE, "b"], ["a", "c"], ["c", "b"]], "zip"),
    "two streams": ([LINE, "a", "b"], [[LINE, "b"], ["a", "c"]], "the 2 streams .* have 2 each"),
    "references of one segment": ([LINE], [[LINE, "a cat sat", "the cat"]], "several references"),
}


@pytest.mark.parametrize("corpus", UNLIKELY.values(), ids=UNLIKELY)
def test_corpora_that_sacrebleu_scores_in_silence(corpus):
    *corpus, message = corpus
    expected = sacrebleu.corpus_bleu(*corpus)
    with pytest.warns(fastbleu.InputWarning, match=message):
        assert cases.seen(ours.corpus_bleu(*corpus)) == cases.seen(expected)
    metrics = BLEU(), ours.BLEU()
    for metric in metrics:
        quietly(metric.corpus_score, *corpus)
    assert metrics[0].num_refs == metrics[1].num_refs


def test_kept_references_of_another_length():
    with pytest.warns(fastbleu.InputWarning, match="2, 1"):
        metric = ours.BLEU(references=[[LINE, LINE], [LINE]])
    with pytest.warns(fastbleu.InputWarning, match="3 segments"):
        metric.corpus_score([LINE] * 3, None)
    metric.corpus_score([LINE], None)


@pytest.mark.parametrize("tokenize", ["13a", "char", str.split])
def test_tokenized_periods(tokenize):
    for count, force, warned in ((99, False, 0), (100, False, 1), (100, True, 0)):
        hypotheses = [LINE + " ."] * count + [LINE] * 5
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            ours.corpus_bleu(hypotheses, [hypotheses], force=force, tokenize=tokenize)
        assert [w.category for w in caught] == [fastbleu.InputWarning] * warned
        if warned:
            assert "force=True" in str(caught[0].message)
            assert caught[0].filename == __file__


def test_advice_for_sentences_comes_once():
    metric = ours.BLEU()
    with pytest.warns(fastbleu.InputWarning, match="effective_order"):
        metric.sentence_score(LINE, [LINE])
    metric.sentence_score(LINE, [LINE])
    ours.sentence_bleu(LINE, [LINE])
    with pytest.warns(fastbleu.InputWarning, match="effective_order"):
        ours.sentence_bleu(LINE, [LINE], use_effective_order=False)


def test_tokenizers_by_language():
    for language, tokenize, expected in (
        ("zh", None, "zh"),
        ("zh", "zh", "zh"),
        ("de", None, "13a"),
        ("de", "intl", "intl"),
    ):
        metric = ours.BLEU(trg_lang=language, tokenize=tokenize)
        assert metric.tokenizer_signature == expected
    with pytest.warns(fastbleu.InputWarning, match="ja"):
        assert ours.BLEU(tokenize="intl", trg_lang="ja").tokenizer_signature == "intl"


def test_a_function_as_tokenizer():
    def by_letter(line):
        return list(line.strip())

    metric = ours.BLEU(tokenize=by_letter)
    score = metric.corpus_score(["abcd", "xy"], [["abcde", "xz"], ["abc", None]])
    expected = sacrebleu.corpus_bleu(
        ["a b c d", "x y"], [["a b c d e", "x z"], ["a b c", None]], tokenize="none"
    )
    assert cases.seen(score) == cases.seen(expected)
    sentence = quietly(metric.sentence_score, "abcd ef", ["abcdef", None])
    assert typed(sentence.counts) == typed([6, 4, 2, 1])
    assert "by_letter" in str(metric.get_signature())


IMPORTS = """
import fastbleu.sacrebleu as ours
from fastbleu.sacrebleu import BLEU, CHRF, TER, __version__, tokenizers, utils
from fastbleu.sacrebleu import DATASETS, get_source_file, smart_open
from fastbleu.sacrebleu.metrics import BLEU, CHRF, TER
from fastbleu.sacrebleu.metrics.bleu import BLEU, BLEUScore
from fastbleu.sacrebleu.tokenizers import BaseTokenizer
from fastbleu.sacrebleu.tokenizers.tokenizer_13a import Tokenizer13a
from fastbleu.sacrebleu.tokenizers.tokenizer_intl import TokenizerV14International
from fastbleu.sacrebleu.tokenizers.tokenizer_spm import Flores200Tokenizer, TokenizerSPM
from fastbleu.sacrebleu.tokenizers.tokenizer_ter import TercomTokenizer
from fastbleu.sacrebleu.tokenizers.tokenizer_zh import TokenizerZh
from fastbleu.sacrebleu.utils import get_reference_files, smart_open
"""


def test_what_people_import():
    """The tokenizers work, and sacreBLEU's own modules stay as they are."""
    code = f"""{IMPORTS}
import sacrebleu
import sacrebleu.tokenizers.tokenizer_zh
assert ours.metrics.BLEU is BLEU and ours.tokenizers is tokenizers
assert not [name for name in sacrebleu.__all__ if not hasattr(ours, name)]
assert __version__.startswith(sacrebleu.__version__)
assert isinstance(Tokenizer13a(), BaseTokenizer)
assert "fastbleu" not in sacrebleu.tokenizers.tokenizer_zh.TokenizerZh.__module__
print(Tokenizer13a()("It's, ok."))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("It's , ok .\n", "")
    code = "import sys; sys.modules['sacrebleu'] = None\nfrom fastbleu.sacrebleu import tokenizers"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert re.search("tokenizers is sacreBLEU's own, .* install the extra", done.stderr)


def test_names_that_are_elsewhere_say_where():
    where = "'significance': take the .* fastbleu.significance"
    with pytest.raises(AttributeError, match=where):
        getattr(fastbleu.sacrebleu, "significance")  # noqa: B009
    with pytest.raises(ImportError, match=where):
        exec("from fastbleu.sacrebleu import significance")
    assert not hasattr(fastbleu.sacrebleu, "significance")
    from fastbleu.sacrebleu import metrics
    from fastbleu.sacrebleu.metrics.bleu import BLEU

    assert BLEU is fastbleu.sacrebleu.BLEU is metrics.BLEU


@pytest.mark.parametrize(
    "name",
    [
        *("_preprocess_segment", "_extract_reference_info", "_get_closest_ref_len", "compute_bleu"),
        *("_TOKENIZER_MAP", "_check_corpus_score_args", "_cache_references"),
    ],
)
def test_subclasses_with_rules_of_their_own_are_refused(name):
    mixin = type("Mixin", (), {name: None})
    for bases, own in (((ours.BLEU,), {name: None}), ((mixin, ours.BLEU), {})):
        raises(TypeError, f"Own overrides {name},.*sacrebleu.BLEU.*patch", type, "Own", bases, own)
    plain = type("Own", (ours.BLEU,), {"corpus_score": None})  # is called by this name
    assert plain(effective_order=True).sentence_score(LINE, [LINE]).score > 99


def test_a_tokenizer_that_is_assigned_is_used():
    metrics = [module.BLEU(effective_order=True) for module in (sacrebleu, ours)]
    for metric in metrics:
        metric.tokenizer = lambda line: " ".join(line.replace(" ", ""))
    theirs, own = (metric.corpus_score([LINE, ""], [["The c ats", "a"]]) for metric in metrics)
    assert cases.seen(own) == cases.seen(theirs)
    theirs, own = (metric.sentence_score(LINE, ["The cats"]) for metric in metrics)
    assert cases.seen(own) == cases.seen(theirs)
    metrics[1].tokenizer = str.split
    with pytest.raises(TypeError, match=r"returned a list, expected a str .*tokenize=function"):
        metrics[1].corpus_score([LINE], [[LINE]])
    with pytest.raises(TypeError, match="tokenizer is an int, expected a function of a line"):
        metrics[1].tokenizer = 5
    with pytest.raises(ValueError, match="kept for another tokenizer"):
        ours.BLEU(references=[[LINE]]).tokenizer = str.lower


class Overriding(str):
    def lower(self):
        return "lowered text"

    def rstrip(self, *characters):
        return "stripped text"


@pytest.mark.parametrize("options", [{}, {"lowercase": True}, {"tokenize": "none"}], ids=str)
def test_methods_of_subclasses_of_str_are_not_called(options):
    text = "The cat sat on it."
    expected = sacrebleu.corpus_bleu([text], [[LINE]], **options)
    assert expected.counts != sacrebleu.corpus_bleu([Overriding(text)], [[LINE]], **options).counts
    found = ours.corpus_bleu([Overriding(text)], [[Overriding(LINE)]], **options)
    assert cases.seen(found) == cases.seen(expected)


def test_user_strings():
    lines = [LINE, UserString(LINE)]
    assert sacrebleu.corpus_bleu([LINE, LINE], [lines]).score > 99  # only the first is checked
    with pytest.raises(TypeError, match=r"segment 1: references\[0\] is a UserString"):
        ours.corpus_bleu([LINE, LINE], [lines])
    for module in (sacrebleu, ours):
        assert isinstance(raised(calling("corpus_bleu", [LINE], [lines[1:]]), module), TypeError)
