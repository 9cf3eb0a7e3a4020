"""Patched scripts of evaluate give their results by way of fastbleu.

evaluate makes modules of scripts. The hub is not there, so that its `bleu` is written here, in the
same layout, and made known to the patch; its `sacrebleu` is the one that opencompass distributes.
"""

import shutil
import sys
from importlib.util import find_spec
from pathlib import Path

import hub
import pytest
import sacrebleu_cases
from generators import outcome, result, seeded, typed
from hosts import host

evaluate = host("evaluate")
host("datasets")
host("opencompass")

import fastbleu  # noqa: E402
from fastbleu.integrations import patches  # noqa: E402

HEAD = """
import datasets
import evaluate
import numpy
from nltk.translate import gleu_score

TEXT = datasets.Value("string", id="sequence")
REFERENCES = datasets.Sequence(TEXT, id="references"), TEXT
FEATURES = [datasets.Features({"predictions": TEXT, "references": each}) for each in REFERENCES]
INFO = {"description": "", "citation": "", "inputs_description": "", "features": FEATURES}
TABLE = numpy.arange(3)  # compares with == to an array
"""

BLEU = """
from .hub_bleu import NAMES, Tokenizer13a, compute_bleu

class Bleu(evaluate.Metric):
    def _info(self):
        return evaluate.MetricInfo(**INFO)

    def _compute(
        self, predictions, references, tokenizer=Tokenizer13a(), max_order=4, smooth=False
    ):
        if isinstance(references[0], str):
            references = [[reference] for reference in references]
        references = [[tokenizer(text) for text in several] for several in references]
        predictions = [tokenizer(text) for text in predictions]
        score = compute_bleu(references, predictions, max_order, smooth)
        return dict(zip((*NAMES, "reference_length"), score))
"""

GLEU = """
class GoogleBleu(evaluate.Metric):
    def _info(self):
        return evaluate.MetricInfo(**INFO)

    def _compute(self, predictions, references):
        pairs = ([[r.split()] for r in references], [p.split() for p in predictions])
        return {"google_bleu": gleu_score.corpus_gleu(*pairs)}
"""


@pytest.fixture
def scripts(tmp_path, monkeypatch):
    """The paths of scripts by name."""
    monkeypatch.setattr(evaluate.config, "HF_MODULES_CACHE", str(tmp_path / "modules"))
    monkeypatch.setattr(evaluate.config, "HF_METRICS_CACHE", str(tmp_path / "cache"))
    monkeypatch.syspath_prepend(str(tmp_path / "modules"))
    paths = {name: tmp_path / name for name in ("bleu", "google_bleu", "sacrebleu")}
    for path in paths.values():
        path.mkdir()
    (paths["bleu"] / "bleu.py").write_text(HEAD + BLEU)
    shutil.copy(hub.__file__, paths["bleu"] / "hub_bleu.py")
    (paths["google_bleu"] / "google_bleu.py").write_text(HEAD + GLEU)
    [folder] = find_spec("opencompass").submodule_search_locations
    own = Path(folder, "openicl/icl_evaluator/hf_metrics/sacrebleu.py")
    shutil.copy(own, paths["sacrebleu"])
    yield {name: str(path) for name, path in paths.items()}
    fastbleu.unpatch()
    for name in [name for name in sys.modules if name.startswith("evaluate_modules")]:
        del sys.modules[name]


@pytest.fixture
def known(monkeypatch):
    """Whatever the code of the script `bleu`, the patch takes it for the hub's."""
    problem = patches.HOSTS["evaluate"].problem

    def of_others(module):
        return "" if hasattr(module, "compute_bleu") else problem(module)

    monkeypatch.setattr(patches.HOSTS["evaluate"], "problem", of_others)


def corpora(rng):
    """Predictions, references and options; some are odd."""
    for _ in range(2):
        predictions, streams = sacrebleu_cases.corpus(rng, missing=False)
        several = [list(its) for its in zip(*streams, strict=True)]
        yield predictions, rng.choice([several, streams[0]]), {}
        yield predictions, several, {"max_order": 2}
    plain = ["the cat sat down", "a b"], ["the cat sat", "a b c"]
    for options in ({"smooth": True, "tokenizer": str.split}, {"max_order": 0}, {"unknown": 1}):
        yield *plain, options
    for texts, references in (
        *((tuple(plain[0]), plain[1]), (["a", 5], ["a", "b"]), (["a", "b"], ["a"])),
        *((["a", "b"], [["a"], []]), (["a", "b"], [["a"], "b"]), (["a\ud800"], ["a"])),
        *((["", ""], ["", "a"]), ([], []), (None, None)),
    ):
        yield texts, references, {}


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
            result(metric.add_batch, **arguments)
            found.append(outcome(metric.compute, **arguments, **options))
    return typed(found)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", ["bleu", "sacrebleu", "google_bleu"])
def test_patched_metrics_give_their_results(scripts, known, name):
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


def test_who_counts(scripts, known, monkeypatch):
    arguments = {"predictions": ["the cat sat down"], "references": [["the cat sat on it"]]}
    early = evaluate.load(scripts["bleu"])
    calls = sys.modules[sys.modules[type(early).__module__].compute_bleu.__module__].calls
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


def test_a_script_whose_code_is_not_known_is_left_alone(scripts):
    kind = type(evaluate.load(scripts["bleu"]))
    before = dict(vars(kind))
    with pytest.warns(RuntimeWarning, match="leaves evaluate alone: the code of .* is not that"):
        patched = fastbleu.patch("evaluate")
    assert dict(vars(kind)) == before
    assert "the code of" in str(patched)
