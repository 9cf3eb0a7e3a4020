"""fastbleu.patch() makes libraries fast in place, with equal results, whatever other code changes.

LIBRARIES has a way to score for each library, and some functions that its own code calls: each is
replaced, before the patch and after it, and overridden in a subclass. sacreBLEU's parity tests also
run with the patch.
"""

import contextlib
import copy
import importlib
import inspect
import io
import logging
import pickle
import sys
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from types import ModuleType

import nltk.translate.bleu_score as bleu_score
import pytest
import sacrebleu
import sacrebleu_cases as cases
from generators import outcome, raises, result, seeded, typed
from hosts import host
from sacrebleu.metrics import BLEU, BLEUScore
from sacrebleu.tokenizers.tokenizer_13a import Tokenizer13a

import fastbleu
from fastbleu.patching import _sacrebleu_patches, hosts

pytestmark = pytest.mark.pythons

TEXTS = ["The cat sat on the mat.", "Hello, world (3,000)!", "a b c d e"]
REFERENCES = [["The cat sat on a mat.", "A cat!"], ["Hello world (3000)!"] * 2, ["a b c d f", "a"]]
STREAMS = [list(stream) for stream in zip(*REFERENCES, strict=True)]
STREAMS[1][1] = None


@pytest.fixture(autouse=True)
def unpatched():
    finders = list(sys.meta_path)
    yield
    fastbleu.unpatch()
    assert sys.meta_path == finders


def read(state):
    return (str(state.dtype), state.tolist()) if hasattr(state, "tolist") else state


def whole(function, *arguments):
    """A score with all its attributes and their types, or what was raised."""
    score = result(function, *arguments)
    if isinstance(score, BLEUScore):
        score = {name: typed(value) for name, value in vars(score).items()}
    return str(score)


class ReplacedError(Exception):
    pass


def replaced(*_, **__):
    raise ReplacedError


def another(value):
    """What other code may put in the place of a helper, a class or a table."""
    if isinstance(value, type):
        return type(value.__name__, (value,), {"__init__": replaced, "__call__": replaced})
    return value[:1] * 2 if isinstance(value, tuple) else replaced


SMOOTHING = bleu_score.SmoothingFunction()


def nltk_scores(_, texts=TEXTS, references=REFERENCES):
    lists = [[r.split() for r in row] for row in references], [text.split() for text in texts]
    for name in (None, "method1", "method4", "method7"):
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
            yield getattr(metric, "num_refs", None)
            for pair in zip(texts, references, strict=False):
                yield whole(metric.sentence_score, *pair)
            yield whole(lambda metric: metric.get_signature().format(), metric)
    for pair in zip(texts, references, strict=False):
        yield whole(sacrebleu.sentence_bleu, *pair)
    yield whole(sacrebleu.corpus_bleu, texts, streams)


def torchmetrics_scores(kind, texts=TEXTS, references=REFERENCES):
    names = ("none", "zh", "intl", "char") if "Sacre" in kind.__name__ else ()
    options = [{"tokenize": name, "lowercase": True} for name in names]
    for metric in (kind(), kind(n_gram=2, smooth=True), *(kind(**each) for each in options)):
        for corpus in ((texts, references), (TEXTS, REFERENCES)):
            yield str(outcome(metric.update, *corpus))
        yield [read(getattr(metric, name)) for name in metric._defaults]
        yield str(outcome(lambda metric: read(metric.compute()), metric))
    functional = importlib.import_module("torchmetrics.functional.text")
    for function in (functional.bleu_score, functional.sacre_bleu_score):
        yield str(outcome(function, texts, references, smooth=True))


def torcheval_scores(kind, texts=TEXTS, references=REFERENCES):
    functional = importlib.import_module("torcheval.metrics.functional")
    for order in (1, 2, 4, 5):
        if order < 5:
            metric = kind(n_gram=order)
            yield outcome(lambda metric: metric.update(texts, references) is None, metric)
            yield [read(state) for state in metric.state_dict().values()]
        yield str(outcome(functional.bleu_score, texts, references, order))


def ignite_scores(kind, texts=TEXTS, references=REFERENCES):
    for split in (str.split, list, lambda text: list(map(ord, text)), str):
        try:
            lists = [split(t) for t in texts], [[split(r) for r in row] for row in references]
        except TypeError:
            lists = texts, references
        for smooth in ("no_smooth", "smooth1", "nltk_smooth2", "smooth2"):
            for average in ("macro", "micro"):
                metric = kind(3, smooth, average=average)
                yield str(outcome(metric.update, lists))
                yield [read(getattr(metric, name)) for name in metric._state_dict_all_req_keys]
                yield str(outcome(lambda metric: read(metric.compute()), metric))


def coco_scores(kind, texts=TEXTS, references=REFERENCES):
    sides = dict(enumerate(references)), {i: [text] for i, text in enumerate(texts)}
    for order, verbose in ((4, 0), (4, 1), (4, 2), (5, 0), (2, 3)):
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            yield str(outcome(kind(order).compute_score, *sides, verbose))
        yield printed.getvalue()


@dataclass(frozen=True)
class Library:
    """How a library scores, its class, methods of that class, and names that its code calls."""

    scores: Callable
    place: str
    methods: str
    helpers: dict[str, str]


NLTK, TORCHMETRICS = bleu_score.__name__, "torchmetrics.functional.text"
LIBRARIES = {
    "nltk": Library(
        *(nltk_scores, "", ""),
        {
            NLTK: "modified_precision closest_ref_length corpus_bleu Counter max Fraction.__new__ "
            "SmoothingFunction SmoothingFunction.__init__ SmoothingFunction.method4",
            "nltk.util": "pad_sequence",
        },
    ),
    "sacrebleu": Library(
        *(sacrebleu_scores, "sacrebleu.metrics.bleu:BLEU"),
        "_preprocess_segment _extract_reference_info _compute_score_from_stats compute_bleu "
        "_check_corpus_score_args _cache_references _get_closest_ref_len sentence_score",
        {
            "sacrebleu.metrics.bleu": "_get_tokenizer extract_all_word_ngrams sum "
            "BLEU.sentence_score",
            "sacrebleu.metrics.helpers": "Counter",
            "sacrebleu.metrics.base": "Score.__init__",
            "sacrebleu.compat": "BLEU",
            "sacrebleu.tokenizers.tokenizer_13a": "Tokenizer13a.__call__ Tokenizer13a",
            "sacrebleu.tokenizers.tokenizer_re": "TokenizerRegexp.__call__",
        },
    ),
    "torchmetrics": Library(
        *(torchmetrics_scores, "torchmetrics.text:BLEUScore", ""),
        {f"{TORCHMETRICS}.bleu": "_count_ngram Counter len"},
    ),
    "torchmetrics, sacreBLEU's": Library(
        *(torchmetrics_scores, "torchmetrics.text:SacreBLEUScore", ""),
        {
            f"{TORCHMETRICS}.bleu": "_count_ngram _tokenize_fn",
            f"{TORCHMETRICS}.sacre_bleu": "_SacreBLEUTokenizer._tokenize_13a "
            "_SacreBLEUTokenizer._lower _SacreBLEUTokenizer._REGEX _SacreBLEUTokenizer._INT_REGEX",
        },
    ),
    "torcheval": Library(
        *(torcheval_scores, "torcheval.metrics:BLEUScore", ""),
        {"torcheval.metrics.functional.text.bleu": "_get_ngrams counter min"},
    ),
    "ignite": Library(
        *(ignite_scores, "ignite.metrics.nlp.bleu:Bleu", "_sentence_bleu _n_gram_counter"),
        {
            "ignite.metrics.nlp.bleu": "modified_precision _Smoother.smooth1",
            "ignite.metrics.nlp.utils": "ngrams",
        },
    ),
    "coco": Library(
        *(coco_scores, "pycocoevalcap.bleu.bleu:Bleu", "compute_score"),
        {
            "pycocoevalcap.bleu.bleu": "BleuScorer",
            "pycocoevalcap.bleu.bleu_scorer": "precook BleuScorer.__iadd__",
        },
    ),
}


# Before the tests, because some hosts add import finders, or set a global with their first metric.
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    for module_name in {name for entry in LIBRARIES.values() for name in entry.helpers}:
        with contextlib.suppress(ImportError):
            importlib.import_module(module_name)
    with contextlib.suppress(ImportError):
        importlib.import_module("ignite.distributed").device()


@pytest.fixture(params=LIBRARIES)
def library(request):
    """The name of a library for the patch, its scores and their class, and its entry."""
    entry = LIBRARIES[request.param]
    module, _, name = entry.place.partition(":")
    kind = getattr(host(module), name) if name else None
    return request.param.partition(",")[0], entry.scores, kind, entry


@pytest.mark.filterwarnings("ignore")
def test_replaced_helpers_are_called(library, monkeypatch):
    name, scores, kind, entry = library
    plain = list(scores(kind))

    def with_replaced(owner, attribute, patched):
        with monkeypatch.context() as context, contextlib.ExitStack() as stack:
            if patched == "before":
                stack.enter_context(fastbleu.patch(name))
            value = another(inspect.getattr_static(owner, attribute, None))
            context.setattr(owner, attribute, value, raising=False)
            if patched == "after":
                stack.enter_context(fastbleu.patch(name))
            return list(scores(kind))

    for module, helpers in entry.helpers.items():
        for helper in helpers.split():
            outer, _, attribute = helper.rpartition(".")
            owner = getattr(host(module), outer) if outer else host(module)
            expected = with_replaced(owner, attribute, "")
            assert expected != plain, helper
            assert with_replaced(owner, attribute, "before") == expected, helper
            assert with_replaced(owner, attribute, "after") == expected, helper
    with fastbleu.patch(name):
        assert list(scores(kind)) == plain


@pytest.mark.filterwarnings("ignore")
def test_methods_overridden_by_a_subclass_or_an_object_are_called(library):
    name, scores, kind, entry = library
    plain = kind and type(kind.__name__, (kind,), {})
    expected = list(scores(kind))
    with fastbleu.patch(name):
        assert list(scores(plain)) == expected
    for method in entry.methods.split():

        def with_own_method(*arguments, method=method, **options):
            metric = kind(*arguments, **options)
            setattr(metric, method, replaced)
            return metric

        for own in (type("Own", (kind,), {method: replaced}), with_own_method):
            others = list(scores(own))
            assert others != expected, method
            with fastbleu.patch(name):
                assert list(scores(own)) == others, method


def corpora():
    """Texts with references: random ones, and unexpected types."""
    rng = seeded("patched libraries")
    for _ in range(4):
        texts, streams = cases.corpus(rng, 20, missing=False)
        yield texts, [list(row) for row in zip(*streams, strict=True)]
    yield ["a b c d", "e f"], ["a b c d", "e f"]  # flat: each character is a reference
    yield ["a", "a"], ["a b", ""]
    yield ["a", "b"], [["a"], []]
    yield ["a", "b"], [["a"]]
    yield ["a"], [["a", "b"], ["a", None]]  # only the segment not scored has 1
    yield ["", ""], [[""], ["a"]]
    yield ["a ."] * 101, [["a ."]] * 101
    yield [5, 6], [[5], [6]]
    yield ["a", None], [["a"], ["b"]]
    yield ["a"], None
    yield [], []


@pytest.mark.filterwarnings("ignore", "error::fastbleu.InputWarning")
def test_results_are_those_of_the_library(library):
    name, scores, kind, _ = library
    for texts, references in corpora():
        expected = str(result(lambda *corpus: list(scores(kind, *corpus)), texts, references))
        with fastbleu.patch(name):
            patched = str(result(lambda *corpus: list(scores(kind, *corpus)), texts, references))
        assert patched == expected, (texts, references)


@pytest.mark.filterwarnings("ignore")
def test_the_library_does_not_count(library):
    name, scores, kind, _ = library
    counting = {"_count_ngram", "_get_ngrams", "ngrams", "precook", "extract_all_word_ngrams"}
    counting |= {"_sentence_bleu", "modified_precision"}  # of ignite and nltk
    ran = set()

    def profile(frame, event, _):
        if event == "call":
            ran.add(frame.f_code.co_name)

    for patched in (False, True):
        ran.clear()
        with fastbleu.patch(name) if patched else contextlib.nullcontext():
            sys.setprofile(profile)
            try:
                scored = next(iter(scores(kind)))
            finally:
                sys.setprofile(None)
        assert bool(ran & counting) is not patched, scored


# --- what is special to a library


@pytest.mark.filterwarnings("ignore")
def test_what_only_torchmetrics_can_count_is_left_to_it():
    """Sums beyond the integers of a dtype, and a user's tokenizer."""
    torch, text = host("torch"), host("torchmetrics.text")

    def states(kind, tokenizer):
        metric = text.SacreBLEUScore().set_dtype(getattr(torch, kind))
        metric.tokenizer = tokenizer or metric.tokenizer
        largest = 2 / torch.finfo(metric.preds_len.dtype).eps
        for name in metric._defaults:
            setattr(metric, name, getattr(metric, name) + (0 if tokenizer else largest - 5))
        for _ in range(3):
            metric.update(TEXTS, REFERENCES)
        return [read(getattr(metric, name)) for name in metric._defaults]

    class Own:
        tokenizer = text.SacreBLEUScore().tokenizer

        def __init__(self):
            vars(self).update(vars(self.tokenizer))

        def __call__(self, line):
            return line.split("a")

    cases = ("float16", None), ("float64", None), ("float32", lambda line: line.split("a"))
    cases += (("float32", Own()),)
    expected = [states(*case) for case in cases]
    with fastbleu.patch("torchmetrics"):
        assert [states(*case) for case in cases] == expected


class Once:
    """A sized iterable that can be read only once, such as a progress bar over a generator."""

    def __init__(self, values):
        self.length, self.values = len(values), iter(values)

    def __len__(self):
        return self.length

    def __iter__(self):
        return self.values


class Shouted(str):
    """A str that splits and compares in its own way."""

    def split(self, *_):
        return [Shouted(word) for word in str(self).upper().split()]

    rstrip = replace = lower = lambda self, *_: self

    def __eq__(self, other):
        return str(self).lower() == str(other).lower()

    __hash__ = str.__len__


class Reversed(list):
    def __iter__(self):
        return iter([*reversed([self[i] for i in range(len(self))])])


def nested(value, depth, wrap):
    """A copy of nested lists, with a function applied `depth` levels down."""
    return wrap(value) if depth == 0 else [nested(item, depth - 1, wrap) for item in value]


TOKENS = [t.split() for t in TEXTS], [[r.split() for r in row] for row in REFERENCES]


def odd_inputs():
    """Functions from hypotheses and references, and these in containers that are not plain."""
    methods = [None, *(getattr(SMOOTHING, f"method{n}") for n in range(8))]
    calls = [(2, lambda h, r, m=m: bleu_score.corpus_bleu(r, h, (0.5, 0.5), m)) for m in methods]
    calls += [(2, lambda h, r: bleu_score.sentence_bleu(r[0], h[0], (0.5, 0.5), methods[7]))]
    calls += [(2, lambda h, r: bleu_score.modified_precision(r[0], h[0], 1))]
    calls += [(1, lambda h, r: sacrebleu.corpus_bleu(h, [*zip(*r, strict=True)]))]
    calls += [(1, lambda h, r: sacrebleu.BLEU(references=r).corpus_score(h, None))]
    calls += [(1, lambda h, r: sacrebleu.sentence_bleu(h[0], r[0]))]
    with contextlib.suppress(ImportError):
        text = importlib.import_module("torchmetrics.functional.text")
        calls += [(1, lambda h, r: float(text.bleu_score(h, r)))]
        calls += [(1, lambda h, r: float(text.sacre_bleu_score(h, r, tokenize="char")))]
    with contextlib.suppress(ImportError):
        text = importlib.import_module("torcheval.metrics.functional")
        calls += [(1, lambda h, r: float(text.bleu_score(h, r, 2)))]
    with contextlib.suppress(ImportError):
        kind = importlib.import_module("ignite.metrics.nlp.bleu").Bleu
        for average in ("macro", "micro"):
            metric = kind(2, "smooth1", average=average)
            calls += [(2, lambda h, r, m=metric: (m.reset(), m.update((h, r)), float(m.compute())))]
    for depth, call in calls:
        sides = TOKENS if depth == 2 else (TEXTS, REFERENCES)
        for side in range(2):
            for wrap, level in ((Once, None), (Reversed, None), (tuple, None), (Shouted, -1)):
                deepest = depth + side
                for at in range(deepest) if level is None else [deepest]:
                    made = list(copy.deepcopy(sides))
                    made[side] = nested(made[side], at, wrap)
                    yield call, made


def left_in(value):
    """What can still be read of nested containers."""
    if isinstance(value, str):
        return str(value)
    return [left_in(item) for item in value] if hasattr(value, "__iter__") else value


@pytest.mark.filterwarnings("ignore")
def test_odd_containers_and_texts_are_left_to_the_library():
    """With the same results and errors, and as much left in what can be read only once."""
    patched = contextlib.nullcontext, fastbleu.patch
    outcomes = []
    for patch in patched:
        with patch():
            rows = []
            for call, made in odd_inputs():
                found = str(outcome(lambda call, made: call(*made), call, made))
                rows.append((found, left_in(made)))
            outcomes.append(rows)
    assert len(outcomes[0]) > 50
    for plain, fast in zip(*outcomes, strict=True):
        assert fast == plain


def changed_objects():
    """Objects of sacreBLEU and TorchMetrics that other code has changed."""
    for tokenize in ("13a", "zh", "intl"):
        metric = BLEU(tokenize=tokenize, references=STREAMS)
        changed = BLEU(tokenize=tokenize, effective_order=True)
        for tokenizer in (metric.tokenizer, changed.tokenizer):
            if tokenize == "intl":
                tokenizer._re[0] = tokenizer._re[0][0], "x"
            else:
                tokenizer._post_tokenizer = str.upper
        yield whole(metric.corpus_score, TEXTS, None)
        yield whole(changed.corpus_score, TEXTS, STREAMS)
        yield whole(changed.sentence_score, TEXTS[0], REFERENCES[0])
    metric = BLEU()
    metric.tokenizer.__call__ = replaced  # which Python does not call
    yield whole(metric.corpus_score, TEXTS, STREAMS)
    with contextlib.suppress(ImportError):
        metric = importlib.import_module("torchmetrics.text").SacreBLEUScore()
        metric.tokenizer.tokenize_fn = str.upper
        yield float(metric(TEXTS, REFERENCES))


def test_objects_that_other_code_has_changed_are_left_to_the_library():
    expected = list(changed_objects())
    with fastbleu.patch("sacrebleu", "torchmetrics"):
        assert list(changed_objects()) == expected


def test_tables_that_other_code_changes_during_a_patch(monkeypatch):
    tables = sys.modules["sacrebleu.metrics.bleu"]._TOKENIZERS, BLEU.SMOOTH_DEFAULTS

    def scores():
        metric = BLEU(effective_order=True, smooth_method="floor")
        yield whole(metric.corpus_score, TEXTS, STREAMS)
        yield whole(metric.sentence_score, TEXTS[0], REFERENCES[0])
        yield whole(sacrebleu.sentence_bleu, TEXTS[1], REFERENCES[1], "floor")
        yield whole(sacrebleu.corpus_bleu, TEXTS, STREAMS, "floor")

    outcomes = []
    for patch in (contextlib.nullcontext, fastbleu.patch):
        with patch(), monkeypatch.context() as context:
            rows = list(scores())
            context.setitem(tables[0], "13a", "tokenizer_char.TokenizerChar")
            rows += scores()
            context.setitem(tables[1], "floor", 0.5)
            rows += scores()
        with patch():
            outcomes.append([*rows, *scores()])
    assert outcomes[0] == outcomes[1]
    assert len({*outcomes[0]}) > 5


class ByLetter(Tokenizer13a):
    def __call__(self, line):
        return " ".join(line)


def score(hypotheses, references, **options):
    return BLEU(**options).corpus_score(hypotheses, references)


def score_by_kept_references(hypotheses, references, tokenizer=None):
    metric = BLEU(references=references)
    metric.tokenizer = tokenizer or metric.tokenizer
    return metric.corpus_score(hypotheses, None)


def odd_calls():
    """Calls that sacreBLEU scores, refuses or logs in its own way."""
    for corpus in (
        *((["a"], []), (["a"], [[]]), (["a", 5], [["a", "b"]]), (["a", ""], [["a", None]])),
        *((["a b c d", "b"], [["a b c d"]]), (["ab", "cd"], ["ab", "cd"]), ("ab", ["ab"])),
        *((["a", "b"], [["a", lines]]) for lines in (("b", "c"), ["b", "c"])),
        *((["a"], [5]), (["a"], 5), (["a b"], [["a b"], iter(["a"])]), ([b"a"], [["a"]])),
    ):
        for call in (score, score_by_kept_references):
            yield partial(call, *copy.deepcopy(corpus))
    for order in (0, -1, 1.0, None):
        yield partial(result, score, TEXTS, STREAMS, max_ngram_order=order)
    for tokenizer in (ByLetter(), BLEU(tokenize="char").tokenizer):
        yield partial(score_by_kept_references, TEXTS, STREAMS, tokenizer)
    for lines in (["a ."] * 99, ["a ."] * 100):
        yield partial(sacrebleu.corpus_bleu, lines, [lines])
        yield partial(sacrebleu.corpus_bleu, lines, [lines], force=True)
    yield partial(BLEU().sentence_score, "a", ["a"])
    yield partial(BLEU()._aggregate_and_compute, [[1, 1, *[0] * 8], [1, 1, *[0] * 7]])


def test_scores_errors_and_logs_of_sacrebleu_are_its_own(caplog):
    def seen():
        for call in odd_calls():
            caplog.clear()
            with caplog.at_level(logging.DEBUG, "sacrebleu"):
                try:
                    found = call()
                    found = cases.seen(found) if isinstance(found, BLEUScore) else str(found)
                except Exception as error:
                    found = type(error), str(error)
            yield found, [(one.name, one.levelno, one.getMessage()) for one in caplog.records]

    expected = list(seen())
    assert {len(logs) for _, logs in expected} == {0, 1, 3}
    with fastbleu.patch("sacrebleu"):
        assert list(seen()) == expected


def test_references_may_be_kept_before_or_during_a_patch():
    expected = cases.seen(BLEU(references=STREAMS).corpus_score(TEXTS, None))
    theirs = BLEU(references=STREAMS)
    with fastbleu.patch("sacrebleu"):
        ours = BLEU(references=STREAMS)
        assert list(ours._ref_cache) == pickle.loads(pickle.dumps(ours._ref_cache))
        assert list(ours._ref_cache) == theirs._ref_cache
        stats = ours._extract_corpus_statistics(TEXTS, STREAMS)
        assert {type(number) for row in stats for number in row} == {int}
        assert cases.seen(theirs.corpus_score(TEXTS, None)) == expected
    assert cases.seen(ours.corpus_score(TEXTS, None)) == expected


def test_defaults_of_nltk_are_its_own(monkeypatch):
    monkeypatch.setattr(bleu_score.corpus_bleu, "__defaults__", ((1.0,), None, False))
    with fastbleu.patch():
        assert bleu_score.corpus_bleu([[["a", "b"]]], [["a", "c"]]) == 0.5


def filters():
    """Ways to set up warnings, as functions of a context of `monkeypatch`."""
    for action in ("default", "always", "once", "module", "ignore", "error"):
        yield lambda _, action=action: warnings.simplefilter(action)
    for order in (2, 3, 4):
        message = f"\nThe hypothesis contains 0 counts of {order}"
        yield lambda _, message=message: warnings.filterwarnings("error", message)
    yield lambda _: warnings.filterwarnings("error", category=DeprecationWarning)
    yield lambda context: context.setattr(bleu_score, "__warningregistry__", {}, raising=False)
    yield lambda context: context.setattr(warnings, "warn", lambda *_, **__: None)


def test_warnings_of_nltk_are_its_own(monkeypatch):
    """Their number, texts and lines, whichever are shown or made errors."""
    lists = [["a", "b", "c", "d"]], ["a", "c"]

    def warned(set_up):
        vars(bleu_score).pop("__warningregistry__", None)
        with monkeypatch.context() as context, warnings.catch_warnings():
            warnings.simplefilter("always")
            set_up(context)
            context.setattr(warnings, "showwarning", lambda *seen: shown.append(str(seen)))
            shown = []
            for _ in range(2):
                shown.append(str(result(bleu_score.sentence_bleu, *lists)))
                shown.append(str(result(bleu_score.corpus_bleu, *([side] * 2 for side in lists))))
        return shown

    expected = [warned(set_up) for set_up in filters()]
    assert len({*map(len, expected)}) > 3
    with fastbleu.patch():
        assert [warned(set_up) for set_up in filters()] == expected


# --- patching and undoing it


def test_functions_stay_the_same_objects():
    """So do their classes, also in pickles; names, defaults and signatures do not change."""
    functions = [bleu_score.sentence_bleu, bleu_score.corpus_bleu, bleu_score.modified_precision]
    functions += [sacrebleu.sentence_bleu, BLEU.sentence_score, BLEU._extract_corpus_statistics]

    def seen():
        for function in functions:
            yield function.__name__, function.__qualname__, function.__defaults__
            yield function.__code__.co_name, inspect.getfullargspec(function)
            yield inspect.getsource(function).splitlines()[0]
            yield pickle.loads(pickle.dumps(function)) is function

    before = list(seen())
    with fastbleu.patch():
        assert list(seen()) == before
        fraction = bleu_score.modified_precision([["a"]], ["a"], 1)
        metric = BLEU(references=[["a b c d"]])
        score = sacrebleu.sentence_bleu("a b c d", ["a b c d"])
        dumped = pickle.dumps([fraction, metric, score, bleu_score.SmoothingFunction().method1])
    assert b"fastbleu" not in dumped
    fraction, loaded, score, _ = pickle.loads(dumped)
    assert type(fraction) is bleu_score.Fraction
    assert loaded.corpus_score(["a b c d"], None).score == score.score
    assert type(score) is BLEUScore
    assert list(seen()) == before


def codes():
    """The code of all functions that a patch may change."""
    owners = bleu_score, bleu_score.SmoothingFunction, sys.modules["sacrebleu.metrics.bleu"], BLEU
    found = {(owner, name): getattr(owner, name) for owner in owners for name in vars(owner)}
    return {key: one.__code__ for key, one in found.items() if inspect.isfunction(one)}


def names():
    """What each module and each patched class holds, by owner and name."""
    owners = {name: module for name, module in sys.modules.items() if type(module) is ModuleType}
    owners |= {"BLEU": BLEU, "SmoothingFunction": bleu_score.SmoothingFunction}
    return {
        (owner, name): value
        for owner, holder in owners.items()
        if owner.partition(".")[0] not in ("fastbleu", "sys")
        for name, value in vars(holder).items()
        # Python and the module copy keep notes there.
        if name not in ("__warningregistry__", "__slotnames__")
    }


def test_unpatch_leaves_no_trace():
    user = sys.modules["fastbleu_patch_test"] = ModuleType("fastbleu_patch_test")
    exec("from nltk.translate.bleu_score import *\nfrom sacrebleu import *", vars(user))
    own = codes()
    for _ in range(2):
        before = names()
        with fastbleu.patch():
            assert codes() != own
            list(sacrebleu_scores(BLEU)), list(nltk_scores(None))
        after = names()
        assert [key for key, value in before.items() if after.get(key) is not value] == []
        assert codes() == own
    del sys.modules["fastbleu_patch_test"]


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
    patched = fastbleu.patch()
    fastbleu.patch()
    assert "sentence_bleu" in str(patched)
    fastbleu.unpatch()
    assert "sentence_bleu" not in str(patched)
    assert str(patched).count("the patch is undone") == len(hosts.HOSTS)
    fastbleu.unpatch()
    assert not is_patched()


def test_functions_replaced_by_other_code_are_left_alone_and_named(monkeypatch):
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


def test_code_set_by_other_code_after_a_patch_stays(monkeypatch):
    monkeypatch.setattr(bleu_score.sentence_bleu, "__code__", bleu_score.sentence_bleu.__code__)
    fastbleu.patch("nltk")
    bleu_score.sentence_bleu.__code__ = replaced.__code__
    fastbleu.unpatch()
    assert bleu_score.sentence_bleu.__code__ is replaced.__code__


def test_an_error_while_patching_undoes_everything(monkeypatch):
    targets = _sacrebleu_patches.targets(sys.modules["sacrebleu.compat"])
    targets.append(targets[0]._replace(others=5))
    with monkeypatch.context() as context:
        context.setattr(_sacrebleu_patches, "targets", lambda module: targets)
        with pytest.raises(TypeError):
            fastbleu.patch()
    assert not is_patched()
    assert not is_patched(BLEU.sentence_score)


def test_names_of_libraries():
    message = r"library 'nltkk' is unknown; did you mean 'nltk'\?"
    raises(ValueError, message, fastbleu.patch, "nltk", "nltkk")
    for library in (["nltk"], sys.modules["nltk"], None):
        message = r'names, as in patch\("nltk", "sacrebleu"\), not a'
        raises(TypeError, message, fastbleu.patch, library)
    assert repr(fastbleu.patch("Sacre-BLEU", "NLTK")).count("\n") == 2
    assert is_patched()
