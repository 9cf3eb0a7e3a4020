"""Patched scripts of evaluate give their results by way of fastbleu.

evaluate makes modules of scripts. The hub is not there, so that its `bleu` is written here, in the
same layout, and made known to the patch; its `sacrebleu` is the one that opencompass distributes.
"""

import shutil
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
import sacrebleu_cases
from generators import outcome, result, seeded, typed
from hosts import host

evaluate = host("evaluate")
host("datasets")
host("opencompass")

import fastbleu  # noqa: E402
from fastbleu.integrations import _evaluate_patches as patches  # noqa: E402

COUNTING = '''
"""Counts n-grams one by one."""
import math
from collections import Counter

def count(tokens, order):
    return Counter(tuple(tokens[i : i + order]) for i in range(len(tokens) - order + 1))

def compute_bleu(reference_corpus, translation_corpus, max_order=4, smooth=False):
    calls.append(1)
    precisions = []
    for order in range(1, max_order + 1):
        hits = total = 0
        for references, translation in zip(reference_corpus, translation_corpus):
            most = Counter()
            for reference in references:
                most |= count(reference, order)
            own = count(translation, order)
            hits += sum((own & most).values())
            total += sum(own.values())
        if smooth:
            precisions.append((hits + 1.0) / (total + 1.0))
        else:
            precisions.append(hits / total if total else 0.0)
    score = 0.0
    if min(precisions) > 0:
        score = math.exp(sum((1.0 / max_order) * math.log(p) for p in precisions))
    length = sum(map(len, translation_corpus))
    closest = sum(min(map(len, references)) for references in reference_corpus)
    ratio = length / closest
    bp = 1.0 if ratio > 1.0 else math.exp(1 - 1.0 / ratio)
    return score * bp, precisions, bp, ratio, length, closest

calls = []
'''

TOKENIZER = """
import re

class Tokenizer13a:
    def __call__(self, line):
        for old, new in (("<skipped>", ""), ("-\\n", ""), ("\\n", " "), ("&quot;", '"'),
                         ("&amp;", "&"), ("&lt;", "<"), ("&gt;", ">")):
            line = line.replace(old, new)
        line = f" {line} "
        for pattern, new in (
            (r"([{-~[-` -&(-+:-@/])", r" \\1 "),
            (r"([^0-9])([.,])", r"\\1 \\2 "),
            (r"([.,])([^0-9])", r" \\1 \\2"),
            (r"([0-9])(-)", r"\\1 \\2 "),
        ):
            line = re.sub(pattern, new, line)
        return line.split()
"""

METRIC = """
import datasets
import evaluate
from .nmt_bleu import compute_bleu
from .tokenizer_13a import Tokenizer13a

TEXT = datasets.Value("string", id="sequence")

class Bleu(evaluate.Metric):
    def _info(self):
        several = {"predictions": TEXT, "references": datasets.Sequence(TEXT, id="references")}
        one = {"predictions": TEXT, "references": TEXT}
        features = [datasets.Features(several), datasets.Features(one)]
        return evaluate.MetricInfo(
            description="", citation="", inputs_description="", features=features
        )

    def _compute(
        self, predictions, references, tokenizer=Tokenizer13a(), max_order=4, smooth=False
    ):
        if isinstance(references[0], str):
            references = [[reference] for reference in references]
        references = [[tokenizer(text) for text in several] for several in references]
        predictions = [tokenizer(text) for text in predictions]
        names = ("bleu", "precisions", "brevity_penalty", "length_ratio", "translation_length")
        score = compute_bleu(references, predictions, max_order, smooth)
        return dict(zip((*names, "reference_length"), score))
"""

GLEU = """
import datasets
import evaluate
import numpy
from nltk.translate import gleu_score

TABLE = numpy.arange(3)  # compares with == to an array

class GoogleBleu(evaluate.Metric):
    def _info(self):
        text = datasets.Value("string")
        features = datasets.Features({"predictions": text, "references": text})
        return evaluate.MetricInfo(
            description="", citation="", inputs_description="", features=features
        )

    def _compute(self, predictions, references):
        pairs = ([[r.split()] for r in references], [p.split() for p in predictions])
        return {"google_bleu": gleu_score.corpus_gleu(*pairs)}
"""


def script(folder, **files):
    """A folder with the files of a script."""
    folder.mkdir()
    for name, code in files.items():
        (folder / f"{name}.py").write_text(code, encoding="utf-8")
    return str(folder)


@pytest.fixture
def scripts(tmp_path, monkeypatch):
    """The paths of scripts by name; that of `bleu` is known to the patch."""
    monkeypatch.setattr(evaluate.config, "HF_MODULES_CACHE", str(tmp_path / "modules"))
    monkeypatch.setattr(evaluate.config, "HF_METRICS_CACHE", str(tmp_path / "cache"))
    monkeypatch.syspath_prepend(str(tmp_path / "modules"))
    source = {"bleu": METRIC, "nmt_bleu": COUNTING, "tokenizer_13a": TOKENIZER}
    paths = {"bleu": script(tmp_path / "bleu", **source)}
    paths["google_bleu"] = script(tmp_path / "google_bleu", google_bleu=GLEU)
    host_folder = Path(find_spec("opencompass").submodule_search_locations[0])
    (tmp_path / "sacrebleu").mkdir()
    own = "openicl/icl_evaluator/hf_metrics/sacrebleu.py"
    shutil.copy(host_folder / own, tmp_path / "sacrebleu")
    paths["sacrebleu"] = str(tmp_path / "sacrebleu")
    method = METRIC[METRIC.index("    def _compute") :]
    for name, code in (("METHODS", method), ("COUNTING", COUNTING), ("TOKENIZERS", TOKENIZER)):
        monkeypatch.setattr(patches, name, {patches.digest(code)})
    yield paths
    fastbleu.unpatch()
    for name in [name for name in sys.modules if name.startswith("evaluate_modules")]:
        del sys.modules[name]


def counting_of(metric):
    """The module that counts for a metric of the script `bleu`."""
    return sys.modules[sys.modules[type(metric).__module__].compute_bleu.__module__]


def corpora(rng):
    """Predictions, references and options; some are odd."""
    for _ in range(2):
        predictions, streams = sacrebleu_cases.corpus(rng, missing=False)
        several = [list(its) for its in zip(*streams, strict=True)]
        yield predictions, rng.choice([several, streams[0]]), {}
        yield predictions, several, {"max_order": 2}
    plain = ["the cat sat down", "a b"], ["the cat sat", "a b c"]
    yield *plain, {"smooth": True, "tokenizer": str.split}
    yield *plain, {"max_order": 0}
    yield *plain, {"unknown": 1}
    yield tuple(plain[0]), plain[1], {}
    yield ["a", 5], ["a", "b"], {}
    yield ["a", "b"], ["a"], {}
    yield ["a", "b"], [["a"], []], {}
    yield ["a", "b"], [["a"], "b"], {}
    yield ["a\ud800"], ["a"], {}
    yield ["", ""], ["", "a"], {}
    yield [], [], {}
    yield None, None, {}


def results(metric, name):
    found = []
    for predictions, references, options in corpora(seeded("patched evaluate")):
        arguments = {"predictions": predictions, "references": references}
        if name == "sacrebleu" and "tokenizer" not in options:
            options = {"use_effective_order": True} if "max_order" in options else options
        found.append(outcome(metric.compute, **arguments, **options))
        if type(predictions) is list and len(predictions) > 1:
            result(metric.add_batch, **arguments)
            for one, its in zip(predictions[:2], references, strict=False):
                result(metric.add, prediction=one, reference=its)
            found.append(outcome(metric.compute, **options))
    return typed(found)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", ["bleu", "sacrebleu", "google_bleu"])
def test_patched_metrics_give_their_results(scripts, name):
    early = evaluate.load(scripts[name], keep_in_memory=True)
    expected = results(early, name)
    with fastbleu.patch("evaluate", "sacrebleu") as patched:
        table = str(patched)
        for metric in (early, evaluate.load(scripts[name], keep_in_memory=True)):
            assert results(metric, name) == expected
        assert evaluate.load(scripts[name]).compute.__kwdefaults__["predictions"] is None
    assert ("Bleu.compute, Bleu._compute" in table) == (name == "bleu")
    assert ("Sacrebleu.compute" in table) == (name == "sacrebleu")
    assert results(metric, name) == expected


def test_who_counts(scripts, monkeypatch):
    arguments = {"predictions": ["the cat sat down"], "references": [["the cat sat on it"]]}
    early = evaluate.load(scripts["bleu"])
    calls = counting_of(early).calls
    expected = early.compute(**arguments)
    fastbleu.patch("evaluate")
    late = evaluate.load(scripts["bleu"])
    for metric in (early, late):
        assert metric.compute(**arguments) == expected
    with monkeypatch.context() as context:
        context.setattr("datasets.arrow_writer.ArrowWriter.__init__", None)  # no file is made
        assert early.compute(**arguments) == late.compute(**arguments) == expected
    late.add_batch(**arguments)
    assert late.compute() == expected
    assert len(calls) == 1
    fastbleu.unpatch()
    for metric in (early, late):
        assert metric.compute(**arguments) == expected
    assert len(calls) == 3


@pytest.mark.parametrize("part", ["METHODS", "COUNTING", "TOKENIZERS"])
def test_a_script_whose_code_is_not_known_is_left_alone(scripts, part, monkeypatch):
    monkeypatch.setattr(patches, part, {"0"})
    metric = evaluate.load(scripts["bleu"])
    kind = type(metric)
    before = dict(vars(kind))
    with pytest.warns(RuntimeWarning, match="leaves evaluate alone: the code of .* is not that"):
        patched = fastbleu.patch("evaluate")
    assert dict(vars(kind)) == before
    assert "the code of" in str(patched)


def test_patch_and_unpatch_leave_the_classes_as_they_were(scripts):
    loaded = [evaluate.load(scripts[name]) for name in ("bleu", "sacrebleu")]
    kinds = [*map(type, loaded)]
    modules = [sys.modules[kind.__module__] for kind in kinds]
    owners = [*loaded, *kinds, *modules, evaluate.Metric, evaluate.EvaluationModule]
    before = [dict(vars(owner)) for owner in owners]
    codes = [one.compute.__func__.__code__ for one in loaded]
    for _ in range(2):
        fastbleu.patch("evaluate")
        assert [one.compute.__func__.__code__ for one in loaded] != codes
        loaded.append(evaluate.load(scripts["bleu"]))
        fastbleu.unpatch()
        assert {one.compute.__func__.__code__ for one in loaded} == set(codes)
        after = [dict(vars(owner)) for owner in owners]
        for old, new in zip(before, after, strict=True):
            assert old.keys() == new.keys()
            assert all(new[name] is value for name, value in old.items())


def test_a_digest_is_that_of_code_alone():
    assert patches.digest('def f(x):\n    """Doc."""\n    return x + 1  # one') == patches.digest(
        "    def f(x):\n        return (x + 1)\n"
    )
    assert patches.digest("def f(x): return x + 1") != patches.digest("def f(x): return x + 2")
    assert patches.digest("f(x)") != patches.digest("g(x)")
