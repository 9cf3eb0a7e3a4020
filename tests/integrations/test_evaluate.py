"""`bleu` and `sacrebleu`, also patched, give the hub's results, to the last digit and by type.

evaluate makes modules from scripts. The hub is not available in tests. So `sacrebleu` is compared
with sacreBLEU itself and the hub's script as opencompass distributes it, and `bleu` with its
arithmetic, repeated in hub.py, in a script of the hub's layout.
"""

import contextlib
import inspect
import shutil
import sys
import warnings
from functools import partial
from importlib.util import find_spec
from pathlib import Path

import hub
import numpy as np
import pytest
import sacrebleu
import sacrebleu_cases
from generators import by_stream, outcome, raises, result, rounds, seeded, typed, words
from hosts import host
from processes import python
from texts import corpus, random_texts

import fastbleu
from fastbleu import InputWarning
from fastbleu.integrations.evaluate import Bleu, Sacrebleu, load
from fastbleu.patching import _evaluate_patches

evaluate = host("evaluate")
datasets = host("datasets")

HEAD = """
import datasets
import evaluate
import numpy

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


@pytest.fixture
def scripts(tmp_path, monkeypatch):
    """The paths of scripts by name."""
    monkeypatch.setattr(evaluate.config, "HF_MODULES_CACHE", str(tmp_path / "modules"))
    monkeypatch.setattr(evaluate.config, "HF_METRICS_CACHE", str(tmp_path / "cache"))
    monkeypatch.syspath_prepend(str(tmp_path / "modules"))
    paths = {name: tmp_path / name for name in ("bleu", "sacrebleu")}
    for path in paths.values():
        path.mkdir()
    (paths["bleu"] / "bleu.py").write_text(HEAD + BLEU)
    shutil.copy(hub.__file__, paths["bleu"] / "hub_bleu.py")
    [folder] = find_spec(host("opencompass").__name__).submodule_search_locations
    own = Path(folder, "openicl/icl_evaluator/hf_metrics/sacrebleu.py")
    shutil.copy(own, paths["sacrebleu"])
    yield {name: str(path) for name, path in paths.items()}
    fastbleu.unpatch()
    for name in [name for name in sys.modules if name.startswith("evaluate_modules")]:
        del sys.modules[name]


def hub_sacrebleu(predictions, references, tokenize=None, **options):
    """The hub's `sacrebleu`: sacreBLEU's function of streams; short ones are filled with None."""
    if tokenize:
        options["tokenize"] = tokenize
    score = sacrebleu.corpus_bleu(predictions, by_stream(references), **{"force": True, **options})
    names = ("score", "counts", "totals", "precisions", "bp", "sys_len", "ref_len")
    return {name: getattr(score, name) for name in names}


def same(found, expected):
    """Assert equality, including types and the order of keys."""
    assert list(found) == list(expected)
    assert typed(list(found.values())) == typed(list(expected.values()))


def segments(rng):
    """Predictions, and a str or a list of references for each."""
    predictions, references = corpus(rng)
    if rng.random() < 0.3:
        references = [its[0] for its in references]
    return predictions, references


def shifted(text):
    return [ord(character) % 7 for character in text]


TOKENIZERS = [None, None, None, words, list, shifted, lambda text: tuple(text.split())]


@random_texts
def test_bleu_equals_the_hubs_on_random_corpora():
    metric, rng, zeros = load("bleu"), seeded("hub bleu"), 0
    for _ in range(rounds(2000)):
        predictions, references = segments(rng)
        options = {"max_order": rng.choice((4, 4, 1, 2, 3, 6)), "smooth": rng.random() < 0.5}
        if tokenizer := rng.choice(TOKENIZERS):
            options["tokenizer"] = tokenizer
        expected = result(hub.bleu, predictions, references, **options)
        arguments = {"predictions": predictions, "references": references, **options}
        if expected is ZeroDivisionError:
            raises(expected, "have no tokens at all", metric.compute, **arguments)
            assert not len(metric)
            zeros += 1
        else:
            same(metric.compute(**arguments), expected)
    assert zeros > rounds(2000) // 200


def sacrebleu_options(rng):
    options = sacrebleu_cases.options(rng) | {"force": rng.random() < 0.5}
    del options["max_ngram_order"]
    options["use_effective_order"] = options.pop("effective_order")
    return options


@random_texts
def test_sacrebleu_equals_the_hubs_script(scripts):
    metric, rng = Sacrebleu(), seeded("script of the hub")
    theirs = evaluate.load(scripts["sacrebleu"], keep_in_memory=True)
    for _ in range(rounds(400)):
        predictions, streams = sacrebleu_cases.corpus(rng, missing=False)
        references = [list(its) for its in zip(*streams, strict=True)]
        if len(streams) == 1 and rng.random() < 0.5:
            references = streams[0]
        arguments = {"predictions": predictions, "references": references, **sacrebleu_options(rng)}
        same(metric.compute(**arguments), theirs.compute(**arguments))


@random_texts
def test_segments_are_added_as_in_evaluate(scripts):
    """In any sequence of calls segments are added up, and `compute` starts anew."""
    metric, rng = load("bleu"), seeded("adding")
    theirs = evaluate.load(scripts["bleu"], keep_in_memory=True)
    for _ in range(40):
        nested, options = rng.random() < 0.5, {"smooth": rng.random() < 0.5}
        for _ in range(rng.randint(1, 5)):
            predictions, streams = sacrebleu_cases.corpus(rng, missing=False)
            references = [list(its) for its in zip(*streams, strict=True)]
            references = references if nested else streams[0]
            # evaluate.combine uses the last names.
            names = rng.choice((None, ("prediction", "reference"), ("predictions", "references")))
            for each in (metric, theirs):
                if names is None:
                    each.add_batch(predictions=predictions, references=references)
                else:
                    for pair in zip(predictions, references, strict=True):
                        each.add(**dict(zip(names, pair, strict=True)))
        if rng.random() < 0.5:
            options |= {"predictions": predictions, "references": references}
        expected = result(theirs.compute, **options)
        found = result(metric.compute, **options)
        assert len(metric) == len(theirs) == 0
        if expected is not ZeroDivisionError:
            same(found, expected)


def test_signatures_are_those_of_evaluate():
    def named(function):
        """evaluate's named parameters, with their kinds and defaults."""
        parameters = inspect.signature(function).parameters.values()
        return {p.name: (p.kind, p.default) for p in parameters if p.kind != p.VAR_KEYWORD}

    for metric in (Bleu, Sacrebleu):
        for name in ("add", "add_batch", "compute"):
            theirs = named(getattr(evaluate.EvaluationModule, name))
            ours = named(getattr(metric, name))
            assert theirs.items() <= ours.items(), name
    assert named(load) == named(evaluate.load)
    raises(ValueError, "metric 'rouge' is unknown: there are bleu, sacrebleu, chrf", load, "rouge")
    raises(ValueError, "num_process is 2", load, "bleu", num_process=2)
    assert type(load("bleu", experiment_id="x", cache_dir="/nowhere", keep_in_memory=True)) is Bleu


def test_combine(scripts):
    theirs = evaluate.load(scripts["bleu"])
    together = evaluate.combine([load("sacrebleu"), load("bleu"), theirs])
    predictions = ["the cat sat down", "it sat on a mat", "no"]
    references = [["the cat sat down", "a cat"], ["it sat on the mat"], ["yes"]]
    together.add(prediction=predictions[0], reference=references[0])
    together.add_batch(predictions=predictions[1:2], references=references[1:2])
    found = together.compute(predictions=predictions[2:], references=references[2:])
    expected = hub.bleu(predictions, references)
    for prefix in ("bleu_0", "bleu_1"):
        assert {name: found.pop(f"{prefix}_{name}") for name in expected} == expected
    found["precisions"] = found.pop("sacrebleu_precisions")
    assert found == hub_sacrebleu(predictions, references)


@pytest.mark.parametrize("name", ["bleu", "sacrebleu"])
def test_segments_are_copied_when_they_are_added(name):
    metric, other = load(name), load(name)
    arguments = {"predictions": ["the cat sat on it"], "references": [["the cat sat on a mat"]]}
    expected = metric.compute(**arguments)
    metric.add_batch(**arguments)
    other.add(prediction="x", reference="y")
    arguments["predictions"][0] = arguments["references"][0][0] = "x"
    arguments["references"][0].append("y")
    assert (len(metric), len(other)) == (1, 1)
    assert metric.compute() == expected


def test_any_iterables_of_texts():
    texts = ["a b c d e", "f g h i"]
    for kind in (tuple, np.array, iter, lambda its: datasets.Dataset.from_dict({"t": its})["t"]):
        found = Bleu().compute(predictions=kind(texts), references=kind(texts))
        assert (found["bleu"], found["reference_length"]) == (1.0, 9)
        nested = [kind(["x", text]) for text in texts]
        assert Sacrebleu().compute(predictions=texts, references=nested)["ref_len"] == 9


def test_only_sacrebleu_warns_about_tokenized_predictions():
    arguments = {"predictions": ["a b c d ."] * 100, "references": ["a b c d ."] * 100}
    with pytest.warns(InputWarning, match="force=True"):
        Sacrebleu().compute(**arguments)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert Sacrebleu().compute(**arguments, force=True)["counts"] == [500, 400, 300, 200]
        assert Bleu().compute(**arguments)["bleu"] == 1.0
        Sacrebleu().compute(predictions=["a"], references=["b"])


@pytest.mark.parametrize("name", ["bleu", "sacrebleu"])
def test_bad_segments_and_options_leave_the_segments(name):
    metric = load(name)
    metric.add(prediction="a b c d", reference="a b c d")
    for error, message, predictions, references in (
        (ValueError, "predictions has 1 segment, references has 2", ["a"], ["a", "b"]),
        (TypeError, "predictions is a str, expected a list of segments", "abc", "abc"),
        (TypeError, "references is a NoneType, expected a list", ["a"], None),
        (TypeError, "predictions is an int", 1, ["a"]),
        (TypeError, "prediction 2 is a list, expected a str: join its", ["a", ["b"]], ["a"] * 2),
        (TypeError, "reference of prediction 2 is a NoneType", ["a", "b"], ["a", None]),
        (TypeError, "reference 1 of prediction 1 is a list, expected", ["a"], [["a", ["b"]]]),
        (ValueError, "prediction 2 has no reference", ["a", "b"], ["a", []]),
    ):
        for call in (metric.add_batch, metric.compute):
            raises(error, message, call, predictions=predictions, references=references)
    for error, message, options in {
        "bleu": (
            (TypeError, "tokenizer is a str, expected a function", {"tokenizer": "13a"}),
            (ValueError, "max_order is 0", {"max_order": 0}),
            (TypeError, "max_order is 2.5", {"max_order": 2.5}),
            (TypeError, "tokenize", {"tokenize": "13a"}),
            (TypeError, "smooth is 'none', a str; expected True", {"smooth": "none"}),
        ),
        "sacrebleu": (
            (ValueError, "smooth_method 'method1' is unknown", {"smooth_method": "method1"}),
            (TypeError, "tokenizer", {"tokenizer": words}),
        ),
    }[name]:
        raises(error, message, metric.compute, **options)
    assert len(metric) == 1
    assert metric.compute()[{"bleu": "bleu", "sacrebleu": "bp"}[name]] == 1.0


def test_tokenizers_that_do_not_split():
    texts = {"predictions": ["a"], "references": ["a"]}
    message = "tokenizer returned a str, expected a list of tokens"
    raises(TypeError, message, Bleu().compute, **texts, tokenizer=str.lower)
    raises(TypeError, "hash", Bleu().compute, **texts, tokenizer=lambda text: [[text]])


def test_no_evaluate_no_files_no_network(tmp_path):
    """In a new process nothing is written at home, no socket is made, no host is loaded."""
    program = """
import socket, sys
socket.socket = None
from fastbleu.integrations.evaluate import load
for name in ("bleu", "sacrebleu"):
    metric = load(name)
    metric.add(prediction="a b c d", reference="a b c d")
    metric.add_batch(predictions=["a"], references=[["a", "b"]])
    metric.compute()
print(sorted({"evaluate", "datasets", "torch", "pyarrow", "sacrebleu"} & set(sys.modules)))
"""
    program = f"import os; os.chdir({str(tmp_path)!r})\n{program}"
    home = {"HOME": str(tmp_path), "HF_HOME": str(tmp_path)}
    assert python("-B", "-W", "error", "-c", program, **home) == "[]\n"
    assert not list(tmp_path.iterdir())


# --- fastbleu.patch("evaluate")


@pytest.fixture
def known(monkeypatch):
    """Have the patch take the code of any script `bleu` for the hub's."""
    monkeypatch.setattr(_evaluate_patches, "check_known", lambda module: None)


def corpora(rng):
    """Predictions, references and options; some are odd."""
    for _ in range(2):
        predictions, streams = sacrebleu_cases.corpus(rng, missing=False)
        several = [list(its) for its in zip(*streams, strict=True)]
        yield predictions, rng.choice([several, streams[0]]), {}
        yield predictions, several, {"max_order": 2}
    plain = ["the cat sat down", "a b"], ["the cat sat", "a b c"]
    for options in (
        *({"smooth": True, "tokenizer": str.split}, {"max_order": 0}, {"unknown": 1}),
        *({"tokenizer": None}, {"smooth": 1}, {"max_order": True}),
    ):
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
@pytest.mark.parametrize("name", ["bleu", "sacrebleu"])
def test_patched_metrics_give_the_same_results(scripts, known, name):
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


def test_patched_metrics_do_not_count_themselves(scripts, known, monkeypatch):
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


def test_a_tokenizer_that_other_code_has_changed_is_called(scripts, known, monkeypatch):
    metric = evaluate.load(scripts["bleu"], keep_in_memory=True)
    arguments = {"predictions": ["the cat sat down"], "references": [["the cat sat on it"]]}
    default = inspect.signature(metric._compute).parameters["tokenizer"].default
    by_letter = {"__call__": lambda _, line: list(line)}
    subclass = type("ByLetter", (type(default),), by_letter)
    plain = metric.compute(**arguments)
    for change in (
        (type(default), "__call__", by_letter["__call__"]),
        (default, "__class__", subclass),
    ):
        found = []
        for patch in (contextlib.nullcontext, partial(fastbleu.patch, "evaluate")):
            with patch(), monkeypatch.context() as context:
                context.setattr(*change)
                found.append(metric.compute(**arguments))
        assert plain != found[0] == found[1]


def test_a_script_with_unknown_code_is_left_alone(scripts):
    kind = type(evaluate.load(scripts["bleu"]))
    before = dict(vars(kind))
    with pytest.warns(RuntimeWarning, match="leaves evaluate alone: the code of .* is not that"):
        patched = fastbleu.patch("evaluate")
    assert dict(vars(kind)) == before
    assert "the code of" in str(patched)


def test_chrf_is_sacrebleus():
    rng = seeded("evaluate's chrf")
    for given in ({}, {"word_order": 2, "beta": 3}, {"lowercase": True, "eps_smoothing": True}):
        hypotheses, streams = sacrebleu_cases.corpus(rng, 5, missing=False)
        metric = load("chrf")
        metric.add(prediction=hypotheses[0], reference=[stream[0] for stream in streams])
        others = [[*texts] for texts in zip(*streams, strict=True)][1:]
        made = metric.compute(predictions=hypotheses[1:], references=others, **given)
        score = sacrebleu.CHRF(**given).corpus_score(hypotheses, streams)
        orders = {"char_order": score.char_order, "word_order": score.word_order}
        assert typed(made) == typed({"score": score.score, **orders, "beta": score.beta})
