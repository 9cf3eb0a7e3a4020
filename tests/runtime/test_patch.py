"""fastbleu.nltk.patch() puts the fast functions into nltk, unpatch() takes them out again.

That a patched nltk gives nltk's results is tested by the parity tests, which run
against "patched" too.
"""

import sys

import nltk.translate
import nltk.translate.bleu_score
import pytest
from generators import PRISTINE, outcome, seeded, segments, words

import fastbleu
import fastbleu.nltk

NAMES = [
    *("sentence_bleu", "corpus_bleu", "modified_precision", "closest_ref_length"),
    *("brevity_penalty", "SmoothingFunction"),
]
MODULE = nltk.translate.bleu_score
ORIGINALS = {name: getattr(MODULE, name) for name in NAMES}
EVERYTHING = {name: value for name, value in vars(MODULE).items() if name != "__warningregistry__"}


def is_patched():
    """Whether nltk holds fastbleu's functions; all of them or none."""
    ours = [getattr(MODULE, name) is getattr(fastbleu.nltk, name) for name in NAMES]
    theirs = [getattr(MODULE, name) is ORIGINALS[name] for name in NAMES]
    assert all(ours) or all(theirs)
    # No module of nltk has both kinds, whatever name it exports them by.
    unwanted = ORIGINALS if all(ours) else {name: getattr(fastbleu.nltk, name) for name in NAMES}
    for name, module in list(sys.modules.items()):
        if name.split(".")[0] == "nltk":
            held = set(map(id, vars(module).values()))
            assert held.isdisjoint(map(id, unwanted.values())), name
    return all(ours)


@pytest.fixture(autouse=True)
def leave_nltk_as_it_was():
    assert not is_patched()
    yield
    for _ in range(5):
        if is_patched():
            fastbleu.nltk.unpatch()
    assert not is_patched()
    left = dict(vars(MODULE))
    left.pop("__warningregistry__", None)  # which Python keeps about warnings
    assert left == EVERYTHING


def test_patch_and_unpatch():
    fastbleu.nltk.patch()
    assert is_patched()
    assert MODULE.sentence_bleu([["a"]], ["a"], (1,)) == 1.0
    fastbleu.nltk.unpatch()


def test_context_manager():
    with fastbleu.nltk.patch():
        assert is_patched()
    assert not is_patched()


def test_the_patch_goes_when_the_block_raises():
    with pytest.raises(LookupError, match="inside"), fastbleu.nltk.patch():
        raise LookupError("inside")
    assert not is_patched()


def test_blocks_inside_each_other():
    with fastbleu.nltk.patch():
        with fastbleu.nltk.patch():
            assert is_patched()
        assert is_patched()
    assert not is_patched()


def test_a_block_inside_a_lasting_patch():
    fastbleu.nltk.patch()
    with fastbleu.nltk.patch():
        assert is_patched()
    assert is_patched()
    fastbleu.nltk.unpatch()
    assert not is_patched()


def test_unpatch_without_patch_changes_nothing():
    fastbleu.nltk.unpatch()
    assert not is_patched()


def test_code_that_imported_nltk_before_or_after():
    from nltk.translate import bleu as before

    with fastbleu.nltk.patch():
        from nltk.translate import bleu as after
        from nltk.translate.bleu_score import sentence_bleu
    assert before is ORIGINALS["sentence_bleu"]
    assert after is sentence_bleu is fastbleu.sentence_bleu


def test_functions_of_nltk_taken_before_the_patch_still_work():
    rng = seeded("taken before")
    for hypothesis, references in zip(*segments(rng, 50, "four letters"), strict=True):
        expected = outcome(PRISTINE.corpus_bleu, [references], [hypothesis])
        with fastbleu.nltk.patch():
            assert outcome(ORIGINALS["corpus_bleu"], [references], [hypothesis]) == expected
            smoothing = ORIGINALS["SmoothingFunction"]().method7
            seen = outcome(
                ORIGINALS["sentence_bleu"], references, hypothesis, (0.5, 0.5), smoothing
            )
        theirs = PRISTINE.SmoothingFunction().method7
        assert seen == outcome(PRISTINE.sentence_bleu, references, hypothesis, (0.5, 0.5), theirs)


def test_other_scores_of_nltk_that_use_bleu():
    corpus = [[words("a b c d e")], [words("a b c")]], [words("a b c e d"), words("a b d")]
    expected = outcome(nltk.translate.chrf_score.corpus_chrf, *corpus)
    with fastbleu.nltk.patch():
        assert outcome(nltk.translate.chrf_score.corpus_chrf, *corpus) == expected
