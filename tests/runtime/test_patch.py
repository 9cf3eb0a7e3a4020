"""fastbleu.nltk.patch() puts the fast functions into nltk, unpatch() takes them out again.

That of sacreBLEU is a context manager in the same way; tests/sacrebleu tests the rest of it.

That a patched nltk gives nltk's results is tested by the parity tests, which run
against "patched" too.
"""

import sys

import nltk.translate
import nltk.translate.bleu_score
import pytest
import sacrebleu
from generators import PRISTINE, outcome, seeded, segments, words

import fastbleu
import fastbleu.nltk
import fastbleu.sacrebleu

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


@pytest.mark.parametrize("drop_in", [fastbleu.nltk, fastbleu.sacrebleu])
def test_context_managers(drop_in):
    def applied():
        patched = {
            fastbleu.nltk: is_patched(),
            fastbleu.sacrebleu: "_extract_corpus_statistics" in vars(sacrebleu.BLEU),
        }
        assert sum(patched.values()) == patched[drop_in], "another library is patched, too"
        return patched[drop_in]

    drop_in.unpatch()  # without a patch it changes nothing
    assert not applied()
    with drop_in.patch():
        with drop_in.patch():
            assert applied()
        assert applied()
    assert not applied()
    with pytest.raises(LookupError, match="inside"), drop_in.patch():
        raise LookupError("inside")
    assert not applied()
    drop_in.patch()
    with drop_in.patch():
        pass
    assert applied(), "a block ends no patch that was there before"
    drop_in.unpatch()
    assert not applied()


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
