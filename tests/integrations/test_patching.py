"""fastbleu.patch() makes installed libraries fast in place, unpatch() leaves no trace.

That nltk and sacreBLEU give their own results while patched is tested here on random data and on
WMT22; what replaces them has parity tests of its own.
"""

import copy
import inspect
import pickle
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import nltk.translate.bleu_score as bleu_score
import pytest
import sacrebleu
import sacrebleu_cases as cases
import wmt22
from generators import PRISTINE, outcome, result, seeded, segments, typed
from namespaces import changed, names
from sacrebleu.metrics import BLEU, BLEUScore

import fastbleu
import fastbleu.nltk
from fastbleu.integrations import patches, patching

LATE = "fastbleu_patch_test"


@pytest.fixture(autouse=True)
def leave_everything_as_it_was():
    modules, finders = dict(sys.modules), list(sys.meta_path)
    before = names(BLEU)
    yield
    fastbleu.unpatch()
    assert sys.meta_path == finders
    for name in [name for name in sys.modules if name.partition(".")[0] == LATE]:
        del sys.modules[name]
    assert all(sys.modules[name] is module for name, module in modules.items())
    after = {
        key: value
        for key, value in names(BLEU).items()
        # sacreBLEU imports its tokenizers when it needs them.
        if key in before or (key[0] in modules and type(value) is not ModuleType)
    }
    assert not changed(before, after)


def module_with(source, name=LATE):
    """A new module, which keeps what `source` imports."""
    module = sys.modules[name] = ModuleType(name)
    exec(source, vars(module))
    return module


def test_names_imported_before_are_bound_anew_and_given_back():
    user = module_with(
        "from nltk.translate.bleu_score import sentence_bleu as bleu, SmoothingFunction\n"
        "from sacrebleu import sentence_bleu, corpus_bleu"
    )
    before = dict(vars(user))
    with fastbleu.patch() as patched:
        assert user.bleu is bleu_score.sentence_bleu is not before["bleu"]
        assert user.SmoothingFunction is bleu_score.SmoothingFunction
        assert user.sentence_bleu is sacrebleu.sentence_bleu is not before["sentence_bleu"]
        table = str(patched)
        assert table.count(LATE) == 2
    assert not changed(before, vars(user))


def test_names_imported_during_a_patch_are_given_back():
    original = bleu_score.sentence_bleu
    with fastbleu.patch("nltk"):
        user = module_with(
            "from nltk.translate.bleu_score import sentence_bleu\n"
            "from fastbleu.nltk import sentence_bleu as ours"
        )
        assert user.sentence_bleu is not original
    assert user.sentence_bleu is original
    assert user.ours is fastbleu.nltk.sentence_bleu


def test_names_that_other_code_replaces_meanwhile_are_left_alone():
    def mine():
        pass

    fastbleu.patch("nltk")
    original = inspect.unwrap(bleu_score.sentence_bleu)
    bleu_score.sentence_bleu = mine
    fastbleu.unpatch()
    assert bleu_score.sentence_bleu is mine
    fastbleu.patch("nltk")
    assert bleu_score.sentence_bleu is mine
    assert bleu_score.corpus_bleu.__wrapped__
    fastbleu.unpatch()
    bleu_score.sentence_bleu = original


def test_blocks_end_only_their_own_patch():
    own_method = BLEU.sentence_score
    with fastbleu.patch("nltk"):
        with fastbleu.patch("sacrebleu", "nltk"), fastbleu.patch():
            assert BLEU.sentence_score is not own_method
            assert hasattr(bleu_score.sentence_bleu, "__wrapped__")
        assert BLEU.sentence_score is own_method
        assert hasattr(bleu_score.sentence_bleu, "__wrapped__")
    assert not hasattr(bleu_score.sentence_bleu, "__wrapped__")
    fastbleu.patch()
    fastbleu.patch()
    fastbleu.unpatch()
    fastbleu.unpatch()
    assert not hasattr(bleu_score.sentence_bleu, "__wrapped__")


@pytest.mark.parametrize("order", [(0, 0), (0, 1), (1, 0), (1, 1)])
def test_together_with_the_drop_ins_own_patch(order):
    calls = [fastbleu.patch, lambda: (fastbleu.nltk.patch(), fastbleu.sacrebleu.patch())]
    ends = [fastbleu.unpatch, lambda: (fastbleu.nltk.unpatch(), fastbleu.sacrebleu.unpatch())]
    calls[order[0]]()
    calls[1 - order[0]]()
    assert bleu_score.sentence_bleu([["a"]], ["a"], (1,)) == 1.0
    ends[order[1]]()
    ends[1 - order[1]]()


@pytest.mark.parametrize("when", ["places", "scan"])
def test_an_error_midway_leaves_everything_as_it_was(when, monkeypatch):
    calls = []
    holders = patching._holders

    def interrupted(*arguments):
        calls.append(arguments)
        if len(calls) == 1:
            raise KeyboardInterrupt
        return holders(*arguments)

    before = names(BLEU)
    with monkeypatch.context() as context:
        if when == "places":
            context.setattr(patches.HOSTS["sacrebleu"], "places", interrupted)
        else:
            context.setattr(patching, "_holders", interrupted)
        with pytest.raises(KeyboardInterrupt):
            fastbleu.patch()
    assert not changed(before, names(BLEU))
    fastbleu.patch("nltk")
    assert hasattr(bleu_score.sentence_bleu, "__wrapped__")


def test_an_error_in_a_namespace_undoes_the_names_before():
    class Refusing(ModuleType):
        def __setattr__(self, name, value):
            if name == "bleu":
                raise RuntimeError("read-only")
            super().__setattr__(name, value)

    module = sys.modules[LATE] = Refusing(LATE)
    vars(module)["bleu"] = bleu_score.sentence_bleu
    before = names(BLEU)
    with pytest.raises(RuntimeError, match="read-only"):
        fastbleu.patch()
    assert not changed(before, names(BLEU))


def test_unknown_library():
    with pytest.raises(ValueError, match=r"no library 'nltkk'; it knows nltk, sacrebleu, "):
        fastbleu.patch("nltkk")


def python(code, *, path=None, options=()):
    """The standard output of a new Python."""
    command = [sys.executable, *options, "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, cwd=path, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout + done.stderr


LATER = """
import sys
import fastbleu
patched = fastbleu.patch("nltk")
assert "when it is imported" in str(patched), patched
assert "nltk" not in sys.modules
import nltk
from nltk.translate.bleu_score import sentence_bleu
assert nltk.bleu is nltk.translate.bleu is sentence_bleu
module = sys.modules["nltk.translate.bleu_score"]
assert hasattr(sentence_bleu, "__wrapped__")
assert type(module.__spec__.loader) is type(nltk.__spec__.loader) is type(module.__loader__)
print(patched)
fastbleu.unpatch()
assert nltk.bleu is nltk.translate.bleu is sentence_bleu is module.sentence_bleu
assert not hasattr(sentence_bleu, "__wrapped__")
assert not any("fastbleu" in str(type(finder)) for finder in sys.meta_path)
for name, loaded in list(sys.modules.items()):
    if name.partition(".")[0] != "fastbleu":
        for value in vars(loaded).values():
            assert "stand_in" not in str(getattr(value, "__code__", ""))
"""


def test_libraries_imported_later():
    table = python(LATER, options=("-W", "error::RuntimeWarning")).splitlines()
    assert table[0].split() == ["library", "version", "replaced", "bound", "anew", "in"]
    assert table[1].startswith("nltk")
    assert "corpus_bleu, modified_precision, sentence_bleu" in table[1]


def test_a_version_whose_code_is_not_known_is_left_alone(tmp_path):
    shutil.copytree(
        Path(sacrebleu.__file__).parent,
        tmp_path / "sacrebleu",
        ignore=shutil.ignore_patterns("__pycache__"),
    )
    changed = tmp_path / "sacrebleu" / "metrics" / "bleu.py"
    changed.write_text(changed.read_text(encoding="utf-8") + "\nNEW = 1\n", encoding="utf-8")
    start = "import sys; sys.path.insert(0, ''); import fastbleu; "
    early = start + "import sacrebleu; p = fastbleu.patch(); "
    late = start + "p = fastbleu.patch(); import sacrebleu; "
    check = "assert sacrebleu.metrics.bleu.NEW; assert not hasattr(sacrebleu.sentence_bleu, "
    check += "'__wrapped__'); print(sacrebleu.sentence_bleu('a b', ['a b']).score > 0); print(p)"
    for code in (early, late):
        told = python(code + check, path=tmp_path)
        assert "RuntimeWarning: fastbleu.patch leaves sacrebleu alone: the code of " in told
        assert "(2.6.0, " in told
        assert told.startswith("True\n")
        assert "left alone: the code of sacrebleu.metrics.bleu" in told
    python(late + check, path=tmp_path, options=("-W", "error"))


def sentences(rng):
    """Random text and, if it is there, WMT22: hypotheses, and references by stream."""
    yield cases.corpus(rng, 60)
    if wmt22.SYSTEMS:
        systems = wmt22.lines_of_systems("en-de")
        streams = [list(lines)[:100] for lines in wmt22.lines_of_references("en-de")]
        yield list(next(iter(systems.values())))[:100], streams


def nltk_results(module, corpora):
    results = []
    smoothing = module.SmoothingFunction()
    for hypotheses, references in corpora:
        methods = [None, smoothing.method1, smoothing.method4, smoothing.method7]
        for method in methods:
            options = {"smoothing_function": method}
            for one, several in zip(hypotheses, references, strict=True):
                results.append(outcome(module.sentence_bleu, several, one, **options))
            results.append(outcome(module.corpus_bleu, references, hypotheses, **options))
    return results


@pytest.mark.filterwarnings("ignore")
def test_patched_nltk_gives_its_results():
    rng = seeded("patched nltk")
    corpora = [segments(rng, 60, "four letters")]
    for hypotheses, streams in sentences(rng):
        lines = [
            [line.split() for line in row if line is not None] for row in zip(*streams, strict=True)
        ]
        corpora.append(([line.split() for line in hypotheses], lines))
    expected = nltk_results(PRISTINE, corpora)
    assert len(expected) > 400
    with fastbleu.patch():
        assert nltk_results(bleu_score, corpora) == expected


def whole(function, *arguments, **options):
    """A score with all its attributes and their types, or what was raised."""
    score = result(function, *arguments, **options)
    if isinstance(score, BLEUScore):
        return {name: typed(value) for name, value in vars(score).items()}
    return str(score)


def sacrebleu_results(hypotheses, streams):
    results = []
    for options in (
        {},
        {"smooth_method": "add-k", "lowercase": True},
        {"smooth_method": "floor", "smooth_value": 0.3, "tokenize": "intl"},
        {"smooth_method": "none", "tokenize": "char"},
    ):
        for hypothesis, references in zip(hypotheses, zip(*streams, strict=True), strict=True):
            results.append(whole(sacrebleu.sentence_bleu, hypothesis, references, **options))
        results.append(whole(sacrebleu.corpus_bleu, hypotheses, streams, **options))
    metric = BLEU(effective_order=True, max_ngram_order=3)
    for hypothesis, references in zip(hypotheses, zip(*streams, strict=True), strict=True):
        results.append(whole(metric.sentence_score, hypothesis, list(references)))
    return results


def test_patched_sacrebleu_gives_its_results():
    for hypotheses, streams in sentences(seeded("patched sacrebleu")):
        expected = sacrebleu_results(hypotheses, streams)
        with fastbleu.patch():
            assert sacrebleu_results(hypotheses, streams) == expected


def odd_sentences():
    """Arguments of sentence_bleu; an iterator serves once."""
    yield from ((5, ["a"]), ("a", "a"), ("a", [5]), ("a", []), ("", [""]), ("a", ["a", 5]))
    yield from (("a", [None]), ("a", [None, "a"]), ("a b c d", iter(["a b c d"])))
    yield from ((b"a", [b"a"]), ("a\ud800", ["a"]))


def test_odd_sentences_stay_as_they_are():
    options = [
        *({}, {"tokenize": "no"}, {"smooth_method": "no"}, {"smooth_value": "x"}),
        {"use_effective_order": False},
    ]

    def seen():
        for some in options:
            for sentences in odd_sentences():
                try:
                    yield some, str(sacrebleu.sentence_bleu(*sentences, **some))
                except Exception as error:
                    yield some, type(error), str(error)

    expected = list(seen())
    with fastbleu.patch():
        assert list(seen()) == expected


def test_signatures_are_those_of_the_originals():
    for name in ("sentence_bleu", "SmoothingFunction"):
        signature = inspect.signature(getattr(bleu_score, name))
        with fastbleu.patch():
            patched = getattr(bleu_score, name)
            assert inspect.signature(patched) == signature
            assert pickle.loads(pickle.dumps(patched)) is patched


def test_scores_are_those_of_sacrebleu_in_all_they_do():
    arguments = "the cat sat down", ["the cat sat on it", None]
    expected = sacrebleu.sentence_bleu(*arguments)
    with fastbleu.patch("sacrebleu"):
        for read in (vars, str, repr, lambda s: s.format(width=3), lambda s: s._verbose):
            assert read(sacrebleu.sentence_bleu(*arguments)) == read(expected)
        score = sacrebleu.sentence_bleu(*arguments)
        score.prec_str = "mine"
        assert isinstance(score, BLEUScore)
        score = sacrebleu.sentence_bleu(*arguments)
        score._mean = 3.0
    for other in (pickle.loads(pickle.dumps(score)), copy.deepcopy(score), copy.copy(score)):
        assert type(other) is BLEUScore
        assert vars(other) == {**vars(expected), "_mean": 3.0}
