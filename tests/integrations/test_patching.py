"""fastbleu.patch() makes libraries fast in place: with their results, whatever other code changes.

LIBRARIES has for each library a way to score, and the functions that its own code calls: each is
replaced, before the patch and after it, and overridden in a subclass.
"""

import contextlib
import copy
import importlib
import inspect
import io
import pickle
import shutil
import subprocess
import sys
import warnings
from functools import partial
from pathlib import Path
from types import ModuleType

import nltk.translate.bleu_score as bleu_score
import pytest
import sacrebleu
import sacrebleu_cases as cases
import wmt22
from generators import outcome, result, seeded, typed
from hosts import host
from namespaces import changed, names
from sacrebleu.metrics import BLEU, BLEUScore

import fastbleu
from fastbleu.integrations import patches

pytestmark = pytest.mark.pythons

LATE = "fastbleu_patch_test"
TEXTS = ["The cat sat on the mat.", "Hello, world (3,000)!", "a b c d e"]
REFERENCES = [["The cat sat on a mat.", "A cat!"], ["Hello world (3000)!"] * 2, ["a b c d f", "a"]]


@pytest.fixture(autouse=True)
def unpatched():
    finders = list(sys.meta_path)
    yield
    fastbleu.unpatch()
    assert sys.meta_path == finders
    sys.modules.pop(LATE, None)


def read(state):
    return state.tolist() if hasattr(state, "tolist") else state


def whole(function, *arguments):
    """A score with all its attributes and their types, or what was raised."""
    score = result(function, *arguments)
    if isinstance(score, BLEUScore):
        score = {name: typed(value) for name, value in vars(score).items()}
    return str(score)


class ReplacedError(Exception):
    pass


SMOOTHING = bleu_score.SmoothingFunction()


def nltk_scores(_, texts=TEXTS, references=REFERENCES):
    lists = [[r.split() for r in row] for row in references], [text.split() for text in texts]
    for name in (None, "method1", "method2", "method4", "method5", "method7"):
        how = {"smoothing_function": getattr(SMOOTHING, name) if name else None}
        yield outcome(bleu_score.corpus_bleu, *lists, **how)
        for row, hypothesis in zip(*lists, strict=False):
            yield outcome(bleu_score.sentence_bleu, row, hypothesis, **how)
            yield outcome(bleu_score.modified_precision, row, hypothesis, 2)


def sacrebleu_scores(kind, texts=TEXTS, references=REFERENCES):
    streams = [list(stream) for stream in zip(*references, strict=False)]
    for options in ({}, {"tokenize": "char"}, {"references": streams}):
        with contextlib.suppress(ReplacedError, TypeError):
            metric = kind(effective_order=True, **options)
            yield whole(metric.corpus_score, texts, None if "references" in options else streams)
            for pair in zip(texts, references, strict=False):
                yield whole(metric.sentence_score, *pair)
            yield whole(lambda metric: metric.get_signature().format(), metric)
    for pair in zip(texts, references, strict=False):
        yield whole(sacrebleu.sentence_bleu, *pair)
    yield whole(sacrebleu.corpus_bleu, texts, streams)


def torch_scores(kind, texts=TEXTS, references=REFERENCES, **options):
    metric = kind(**options)
    yield str(outcome(lambda: metric.update(texts, references) is None))
    yield [read(state) for state in metric.state_dict().values()]
    counts = "numerator", "denominator", "preds_len", "target_len"
    yield [read(getattr(metric, name, None)) for name in counts]
    yield str(outcome(lambda: read(metric.compute())))


def ignite_scores(kind, texts=TEXTS, references=REFERENCES):
    lists = [text.split() for text in texts], [[r.split() for r in row] for row in references]
    for average, smooth in (
        ("macro", "smooth1"),
        ("micro", "no_smooth"),
        ("macro", "nltk_smooth2"),
    ):
        metric = kind(average=average, smooth=smooth)
        yield str(outcome(metric.update, lists))
        yield str(outcome(lambda metric: read(metric.compute()), metric))


def coco_scores(kind, texts=TEXTS, references=REFERENCES):
    sides = dict(enumerate(references)), {i: [text] for i, text in enumerate(texts)}
    for order, verbose in ((4, 0), (4, 1), (4, 2), (5, 0), (2, 3)):
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            yield str(outcome(kind(order).compute_score, *sides, verbose))
        yield printed.getvalue()


RULES = [
    *("_preprocess_segment", "_extract_reference_info", "_compute_segment_statistics"),
    *("_compute_score_from_stats", "_aggregate_and_compute", "_get_closest_ref_len"),
    *("compute_bleu", "_extract_corpus_statistics", "_check_corpus_score_args"),
    *("_check_sentence_score_args", "_cache_references", "sentence_score"),
]
SACREBLEU, TORCHMETRICS = "sacrebleu.metrics.bleu", "torchmetrics.functional.text.bleu"
TORCHEVAL, IGNITE = "torcheval.metrics.functional.text.bleu", "ignite.metrics.nlp.bleu"
COCO = "pycocoevalcap.bleu.bleu_scorer"
# Scores, the class as module and name, its methods, and all else that its code calls.
LIBRARIES = {
    "nltk": (
        *(nltk_scores, None, []),
        {
            bleu_score.__name__: [
                *("brevity_penalty", "modified_precision", "closest_ref_length", "corpus_bleu"),
                *("sentence_bleu", "ngrams", "Counter", "Fraction", "SmoothingFunction"),
                *("SmoothingFunction.__init__", "SmoothingFunction.method0", "Fraction.__new__"),
                *("SmoothingFunction.method4", "SmoothingFunction.method7", "max", "len"),
            ],
            "nltk.util": ["pad_sequence", "islice"],
        },
    ),
    "sacrebleu": (
        *(sacrebleu_scores, (SACREBLEU, "BLEU"), RULES),
        {
            SACREBLEU: [
                "_get_tokenizer",
                "extract_all_word_ngrams",
                "my_log",
                "sum_of_lists",
                "sum",
            ],
            "sacrebleu.metrics.helpers": ["Counter"],
            "sacrebleu.metrics.base": ["Metric.sentence_score", "Score.__init__"],
            "sacrebleu.compat": ["BLEU"],
            "sacrebleu.tokenizers.tokenizer_13a": ["Tokenizer13a.__call__"],
            "sacrebleu.tokenizers.tokenizer_re": ["TokenizerRegexp.__call__"],
        },
    ),
    "torchmetrics": (
        *(torch_scores, ("torchmetrics.text", "BLEUScore"), []),
        {TORCHMETRICS: ["_count_ngram", "Counter", "len"]},
    ),
    "torchmetrics, sacreBLEU's": (
        *(torch_scores, ("torchmetrics.text", "SacreBLEUScore"), []),
        {
            TORCHMETRICS: ["_count_ngram"],
            "torchmetrics.functional.text.sacre_bleu": [
                *("_SacreBLEUTokenizer._tokenize_13a", "_SacreBLEUTokenizer.__call__"),
                *("_SacreBLEUTokenizer._lower", "_SacreBLEUTokenizer._tokenize_regex"),
            ],
        },
    ),
    "torcheval": (
        *(partial(torch_scores, n_gram=2), ("torcheval.metrics", "BLEUScore"), []),
        {TORCHEVAL: ["_get_ngrams", "counter", "min"]},
    ),
    "ignite": (
        *(ignite_scores, (IGNITE, "Bleu")),
        ["_sentence_bleu", "_corpus_bleu", "_n_gram_counter", "_brevity_penalty_smoothing"],
        {
            IGNITE: ["modified_precision", "_closest_ref_length", "_Smoother.smooth1"],
            "ignite.metrics.nlp.utils": ["ngrams"],
        },
    ),
    "coco": (
        *(coco_scores, ("pycocoevalcap.bleu.bleu", "Bleu"), ["compute_score"]),
        {
            "pycocoevalcap.bleu.bleu": ["BleuScorer"],
            COCO: ["precook", "cook_refs", "BleuScorer.__iadd__", "BleuScorer._single_reflen"],
        },
    ),
}
for module_name in {module for *_, helpers in LIBRARIES.values() for module in helpers}:
    with contextlib.suppress(ImportError), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        importlib.import_module(module_name)
with contextlib.suppress(ImportError):
    importlib.import_module("ignite.distributed").device()  # else the first metric sets a global


def scores_and_class(name):
    """What a library scores with, and its class."""
    scores, place, *_ = LIBRARIES[name]
    if place is None:
        return scores, None
    return scores, getattr(host(place[0]), place[1])


def replaced(*_, **__):
    raise ReplacedError


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    ("library", "module", "name"),
    [
        (library, module, name)
        for library, (*_, methods, helpers) in LIBRARIES.items()
        for module, own in helpers.items()
        for name in own
    ],
)
def test_helpers_that_are_replaced(library, module, name, monkeypatch):
    scores, kind = scores_and_class(library)
    owner = host(module)
    *outer, attribute = name.split(".")
    for part in outer:
        owner = getattr(owner, part)
    plain = list(scores(kind))

    def with_replaced(patch):
        with monkeypatch.context() as context, contextlib.ExitStack() as stack:
            if patch == "before":
                stack.enter_context(fastbleu.patch(library.partition(",")[0]))
            context.setattr(owner, attribute, replaced, raising=False)
            if patch == "after":
                stack.enter_context(fastbleu.patch(library.partition(",")[0]))
            return list(scores(kind))

    expected = with_replaced("")
    assert expected != plain
    assert with_replaced("before") == expected
    assert with_replaced("after") == expected
    with fastbleu.patch(library.partition(",")[0]):
        assert list(scores(kind)) == plain


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    ("library", "name"),
    [(library, name) for library, (_, _, own, _) in LIBRARIES.items() for name in own],
)
def test_methods_that_a_subclass_or_an_object_overrides(library, name):
    scores, kind = scores_and_class(library)
    subclass = type("Own", (kind,), {name: replaced})

    def with_own_method(*arguments, **options):
        metric = kind(*arguments, **options)
        setattr(metric, name, replaced)
        return metric

    for own in (subclass, with_own_method):
        expected = list(scores(own))
        assert expected != list(scores(kind))
        with fastbleu.patch(library.partition(",")[0]):
            assert list(scores(own)) == expected
    plain = type("Plain", (kind,), {})
    expected = list(scores(kind))
    with fastbleu.patch(library.partition(",")[0]):
        assert list(scores(plain)) == expected


def corpora():
    """Texts with references: random ones, those of a person, and types that are not expected."""
    rng = seeded("patched libraries")
    for _ in range(4):
        texts, streams = cases.corpus(rng, 20, missing=False)
        yield texts, [list(row) for row in zip(*streams, strict=True)]
    if wmt22.SYSTEMS:
        streams = [list(lines)[:60] for lines in wmt22.lines_of_references("en-de")]
        systems = wmt22.lines_of_systems("en-de")
        rows = [[line for line in row if line is not None] for row in zip(*streams, strict=True)]
        yield list(next(iter(systems.values())))[:60], rows
    yield ["a b c d", "e f"], ["a b c d", "e f"]  # flat: each character is a reference
    yield ["a", "a"], ["a b", ""]
    yield ["a", "b"], [["a"], []]
    yield ["a", "b"], [["a"]]
    yield ["", ""], [[""], ["a"]]
    yield ["a ."] * 101, [["a ."]] * 101
    yield [5, 6], [[5], [6]]
    yield ["a", None], [["a"], ["b"]]
    yield [], []


@pytest.mark.filterwarnings("ignore", "error::fastbleu.InputWarning")
@pytest.mark.parametrize("library", LIBRARIES)
def test_results_are_those_of_the_library(library):
    scores, kind = scores_and_class(library)
    for texts, references in corpora():
        expected = str(result(lambda *corpus: list(scores(kind, *corpus)), texts, references))
        with fastbleu.patch(library.partition(",")[0]):
            patched = str(result(lambda *corpus: list(scores(kind, *corpus)), texts, references))
        assert patched == expected, (texts, references)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("library", LIBRARIES)
def test_the_library_does_not_count(library):
    scores, kind = scores_and_class(library)
    counting = {"_count_ngram", "_get_ngrams", "ngrams", "precook", "extract_all_word_ngrams"}
    ran = set()

    def profile(frame, event, _):
        if event == "call":
            ran.add(frame.f_code.co_name)

    for patched in (False, True):
        ran.clear()
        with fastbleu.patch(library.partition(",")[0]) if patched else contextlib.nullcontext():
            sys.setprofile(profile)
            try:
                scored = next(iter(scores(kind)))
            finally:
                sys.setprofile(None)
        assert bool(ran & counting) is not patched, scored


@pytest.mark.parametrize("library", ["nltk", "sacrebleu"])
def test_functions_stay_the_objects_that_they_were(library):
    """Also in pickles, as their classes do; names, defaults and signatures are theirs."""
    functions = [bleu_score.sentence_bleu, bleu_score.corpus_bleu, bleu_score.modified_precision]
    if library == "sacrebleu":
        functions = [sacrebleu.sentence_bleu, BLEU.sentence_score, BLEU._extract_corpus_statistics]
    objects = [bleu_score.SmoothingFunction(), bleu_score.Fraction(2, 4), BLEU()]

    def seen():
        for function in functions:
            yield (
                function.__name__,
                function.__qualname__,
                function.__defaults__,
                function.__code__.co_name,
            )
            yield inspect.signature(function), inspect.getfullargspec(function)
            yield inspect.getsource(function).splitlines()[0]
            yield pickle.loads(pickle.dumps(function)) is function

    before = list(seen())
    pickles = [pickle.dumps(made) for made in objects]
    with fastbleu.patch():
        assert list(seen()) == before
        for made, dumped in zip(objects, pickles, strict=True):
            assert (
                type(pickle.loads(dumped)) is type(pickle.loads(pickle.dumps(made))) is type(made)
            )
        fraction = bleu_score.modified_precision([["a"]], ["a"], 1)
        metric = BLEU(references=[["a b c d"]])
        score = sacrebleu.sentence_bleu("a b c d", ["a b c d"])
        dumped = pickle.dumps([fraction, metric, score, bleu_score.SmoothingFunction().method1])
    assert isinstance(fraction, bleu_score.Fraction)
    assert b"fastbleu" not in dumped
    _, loaded, score, _ = pickle.loads(dumped)
    assert loaded.corpus_score(["a b c d"], None).score == score.score
    assert list(seen()) == before


def test_defaults_that_a_program_changes_count(monkeypatch):
    monkeypatch.setattr(bleu_score.corpus_bleu, "__defaults__", ((1.0,), None, False))
    expected = bleu_score.corpus_bleu([[["a", "b"]]], [["a", "c"]])
    with fastbleu.patch():
        assert bleu_score.corpus_bleu([[["a", "b"]]], [["a", "c"]]) == expected == 0.5


def test_warnings_are_those_of_nltks_own_line():
    def warned():
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            bleu_score.sentence_bleu([["a"]], ["a"])
            bleu_score.corpus_bleu([[["a"]]], [["a"]])
        return [(str(w.message), w.category, w.filename, w.lineno) for w in caught]

    expected = warned()
    assert len(expected) == 6
    with fastbleu.patch():
        assert warned() == expected


def test_what_a_patch_finds_replaced_is_left_alone_and_named(monkeypatch):
    monkeypatch.setattr(bleu_score, "closest_ref_length", replaced)
    monkeypatch.setitem(sacrebleu.BLEU.SMOOTH_DEFAULTS, "floor", 0.5)
    with pytest.warns(RuntimeWarning, match="leaves nltk alone: .*closest_ref_length has been rep"):
        fastbleu.patch("nltk")
    with pytest.warns(RuntimeWarning, match="leaves sacrebleu alone: .*SMOOTH_DEFAULTS has been r"):
        table = str(fastbleu.patch("nltk", "sacrebleu"))
    nltk_row, sacrebleu_row = table.splitlines()[1:]
    assert "bleu_score.modified_precision  " in nltk_row
    assert "sentence_bleu (nltk.translate.bleu_score.closest_ref_length has been " in nltk_row
    assert "BLEU.SMOOTH_DEFAULTS has been replaced" in sacrebleu_row


def is_patched(function=bleu_score.sentence_bleu):
    return any(name.startswith("_fastbleu") for name in function.__code__.co_names)


def test_blocks_end_only_their_own_patch():
    with fastbleu.patch("nltk"):
        with fastbleu.patch("sacrebleu", "nltk"), fastbleu.patch():
            assert is_patched(BLEU.sentence_score)
            assert is_patched()
        assert not is_patched(BLEU.sentence_score)
        assert is_patched()
    assert not is_patched()
    with pytest.raises(LookupError, match="inside"), fastbleu.patch("nltk"):
        raise LookupError("inside")
    assert not is_patched()
    fastbleu.patch()
    fastbleu.patch()
    fastbleu.unpatch()
    fastbleu.unpatch()
    assert not is_patched()


def test_code_that_other_code_gives_a_function_meanwhile_stays(monkeypatch):
    monkeypatch.setattr(bleu_score.sentence_bleu, "__code__", bleu_score.sentence_bleu.__code__)
    fastbleu.patch("nltk")
    bleu_score.sentence_bleu.__code__ = replaced.__code__
    fastbleu.unpatch()
    assert bleu_score.sentence_bleu.__code__ is replaced.__code__


@pytest.mark.parametrize("library", ["nltk", "sacrebleu"])
def test_an_error_midway_leaves_everything_as_it_was(library, monkeypatch):
    known = patches.HOSTS[library]
    places = known.places(sys.modules[known.module])
    broken = [*places, places[0]._replace(classes=[5])]
    with monkeypatch.context() as context:
        context.setattr(known, "places", lambda module: broken)
        with pytest.raises(AttributeError):
            fastbleu.patch()
    assert not is_patched()
    assert not is_patched(BLEU.sentence_score)
    fastbleu.patch("nltk")
    assert is_patched()


def test_names_of_libraries():
    with pytest.raises(ValueError, match=r"library 'nltkk' is unknown; did you mean 'nltk'\?"):
        fastbleu.patch("nltk", "nltkk")
    for library in (["nltk"], sys.modules["nltk"], None):
        with pytest.raises(TypeError, match=r'names, as in patch\("nltk", "sacrebleu"\), not a'):
            fastbleu.patch(library)
    assert repr(fastbleu.patch("Sacre-BLEU", "NLTK")).count("\n") == 2
    assert is_patched()


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
module = sys.modules["nltk.translate.bleu_score"]
assert module._fastbleu_0_fast
assert type(module.__spec__.loader) is type(nltk.__spec__.loader) is type(module.__loader__)
print(patched)
fastbleu.unpatch()
assert not any("fastbleu" in name for name in vars(module))
assert not any("fastbleu" in str(type(finder)) for finder in sys.meta_path)
"""


def test_libraries_imported_later():
    table = python(LATER, options=("-W", "error::RuntimeWarning")).splitlines()
    assert table[0].split() == ["library", "version", "replaced", "left", "alone"]
    assert table[1].startswith("nltk")
    assert "bleu_score.corpus_bleu, nltk.translate.bleu_score.modified_precision" in table[1]


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
    check = "assert sacrebleu.metrics.bleu.NEW; assert '_fastbleu' not in str(vars(sacrebleu.compat"
    check += ")); print(sacrebleu.sentence_bleu('a b', ['a b']).score > 0); print(p)"
    for code in (early, late):
        told = python(code + check, path=tmp_path)
        assert "RuntimeWarning: fastbleu.patch leaves sacrebleu alone: the code of " in told
        assert "(2.6.0, " in told
        assert told.startswith("True\n")
        assert "the code of sacrebleu.metrics.bleu is not" in told.splitlines()[3]
    python(late + check, path=tmp_path, options=("-W", "error"))


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


def test_unpatch_leaves_no_trace():
    user = sys.modules[LATE] = ModuleType(LATE)
    exec("from nltk.translate.bleu_score import *\nfrom sacrebleu import *", vars(user))
    for _ in range(2):
        before = names(BLEU, bleu_score.SmoothingFunction)
        with fastbleu.patch():
            list(sacrebleu_scores(BLEU)), list(nltk_scores(None))
        after = names(BLEU, bleu_score.SmoothingFunction)
        assert not {key for key in changed(before, after) if key in before}


def test_every_function_gets_its_own_code_back():
    owners = bleu_score, bleu_score.SmoothingFunction, sys.modules[SACREBLEU], BLEU

    def codes():
        members = [(owner, name) for owner in owners for name in vars(owner)]
        found = [(owner, name, getattr(owner, name)) for owner, name in members]
        return {one[:2]: one[2].__code__ for one in found if inspect.isfunction(one[2])}

    before = codes()
    with fastbleu.patch("nltk", "sacrebleu"):
        assert codes() != before
    assert codes() == before
