"""`bleu` and `sacrebleu` in memory give the hub's results, to the last digit and by type.

The hub is not available in tests, so results are compared with: for `sacrebleu` sacreBLEU
itself and the hub's script as opencompass distributes it; for `bleu` its arithmetic, repeated
in hub.py, inside evaluate's own classes.
"""

import importlib.util
import inspect
import pickle
import warnings

import hub
import numpy as np
import pytest
import sacrebleu
import sacrebleu_cases
from commands import python
from generators import by_stream, raises, result, seeded, typed, words
from hosts import host
from texts import corpus, random_texts

from fastbleu import InputWarning
from fastbleu.integrations.evaluate import Bleu, Sacrebleu, load

evaluate = host("evaluate")
datasets = host("datasets")


def hub_sacrebleu(predictions, references, tokenize=None, **options):
    """The hub's `sacrebleu`: sacreBLEU's function of streams; short ones are filled with None."""
    if tokenize:
        options["tokenize"] = tokenize
    score = sacrebleu.corpus_bleu(predictions, by_stream(references), **{"force": True, **options})
    names = ("score", "counts", "totals", "precisions", "bp", "sys_len", "ref_len")
    return {name: getattr(score, name) for name in names}


def same(found, expected):
    """Equal with keys in their order and with all types."""
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
    for _ in range(2000):
        predictions, references = segments(rng)
        options = {"max_order": rng.choice((4, 4, 1, 2, 3, 6)), "smooth": rng.random() < 0.5}
        if tokenizer := rng.choice(TOKENIZERS):
            options["tokenizer"] = tokenizer
        expected = result(hub.bleu, predictions, references, **options)
        found = result(metric.compute, predictions=predictions, references=references, **options)
        if expected is ZeroDivisionError:
            assert found is expected, (predictions, references)
            zeros += 1
            continue
        same(found, expected)
    assert zeros > 10


def test_no_tokens_are_no_division():
    metric = Bleu()
    for predictions, references in ((["", " "], ["a", "b"]), (["a"], [["", "b"]])):
        arguments = {"predictions": predictions, "references": references, "smooth": True}
        raises(ZeroDivisionError, "have no tokens at all", metric.compute, **arguments)
        assert not len(metric)


def sacrebleu_options(rng):
    method, value = rng.choice(sacrebleu_cases.SMOOTHINGS)
    return {
        "smooth_method": method,
        "smooth_value": value,
        "lowercase": rng.random() < 0.3,
        "tokenize": rng.choice((None, *sacrebleu_cases.TOKENIZERS)),
        "use_effective_order": rng.random() < 0.5,
        "force": rng.random() < 0.5,
    }


@random_texts
def test_sacrebleu_equals_sacrebleu():
    metric, rng = load("sacrebleu"), seeded("hub sacrebleu")
    for _ in range(1500):
        predictions, references = segments(rng)
        options = sacrebleu_options(rng)
        found = metric.compute(predictions=predictions, references=references, **options)
        same(found, hub_sacrebleu(predictions, references, **options))


@pytest.fixture
def the_hubs_sacrebleu(tmp_path):
    """The hub's own script, as opencompass has it, in evaluate's machinery."""
    folder = importlib.util.find_spec(host("opencompass").__name__).submodule_search_locations[0]
    script = f"{folder}/openicl/icl_evaluator/hf_metrics/sacrebleu.py"
    spec = importlib.util.spec_from_file_location("the_hubs_sacrebleu", script)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.Sacrebleu(keep_in_memory=True, cache_dir=str(tmp_path))


@random_texts
def test_sacrebleu_equals_the_hubs_script(the_hubs_sacrebleu):
    metric, rng = Sacrebleu(), seeded("script of the hub")
    for _ in range(100):
        predictions, streams = sacrebleu_cases.corpus(rng, missing=False)
        references = [list(its) for its in zip(*streams, strict=True)]
        if len(streams) == 1 and rng.random() < 0.5:
            references = streams[0]
        arguments = {"predictions": predictions, "references": references, **sacrebleu_options(rng)}
        same(metric.compute(**arguments), the_hubs_sacrebleu.compute(**arguments))


@pytest.fixture
def evaluates_bleu(tmp_path):
    """The hub's `bleu` as evaluate runs it, but with the arithmetic of hub.py."""
    text = datasets.Value("string")

    class Bleu(evaluate.Metric):
        def _info(self):
            features = [
                datasets.Features({"predictions": text, "references": datasets.Sequence(text)}),
                datasets.Features({"predictions": text, "references": text}),
            ]
            return evaluate.MetricInfo(description="", citation="", features=features)

        def _compute(self, predictions, references, **options):
            return hub.bleu(predictions, references, **options)

    return Bleu(keep_in_memory=True, cache_dir=str(tmp_path))


@random_texts
def test_adding_is_that_of_evaluate(evaluates_bleu):
    """Any sequence of calls: what is given is added up, and computing begins anew."""
    metric, rng = load("bleu"), seeded("adding")
    for _ in range(40):
        nested, options = rng.random() < 0.5, {"smooth": rng.random() < 0.5}
        for _ in range(rng.randint(1, 5)):
            predictions, streams = sacrebleu_cases.corpus(rng, missing=False)
            references = [list(its) for its in zip(*streams, strict=True)]
            references = references if nested else streams[0]
            # The last one is how evaluate.combine names them.
            names = rng.choice((None, ("prediction", "reference"), ("predictions", "references")))
            for each in (metric, evaluates_bleu):
                if names is None:
                    each.add_batch(predictions=predictions, references=references)
                else:
                    for pair in zip(predictions, references, strict=True):
                        each.add(**dict(zip(names, pair, strict=True)))
        if rng.random() < 0.5:
            options |= {"predictions": predictions, "references": references}
        expected = result(evaluates_bleu.compute, **options)
        found = result(metric.compute, **options)
        assert len(metric) == len(evaluates_bleu) == 0
        if expected is not ZeroDivisionError:
            same(found, expected)


def test_signatures_are_those_of_evaluate():
    def named(function):
        """Parameters that evaluate names, with the ways to give them and their defaults."""
        parameters = inspect.signature(function).parameters.values()
        return {p.name: (p.kind, p.default) for p in parameters if p.kind != p.VAR_KEYWORD}

    for metric in (Bleu, Sacrebleu):
        for name in ("add", "add_batch", "compute"):
            theirs = named(getattr(evaluate.EvaluationModule, name))
            ours = named(getattr(metric, name))
            assert theirs.items() <= ours.items(), name
    assert named(load) == named(evaluate.load)
    raises(ValueError, "metric 'rouge' is not here: there are bleu and sacrebleu", load, "rouge")
    raises(ValueError, "num_process is 2", load, "bleu", num_process=2)
    assert type(load("bleu", experiment_id="x", cache_dir="/nowhere", keep_in_memory=True)) is Bleu


def test_combine(evaluates_bleu):
    together = evaluate.combine([load("sacrebleu"), load("bleu"), evaluates_bleu])
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
def test_what_was_added_stays_until_it_is_computed(name):
    metric, other = load(name), load(name)
    arguments = {"predictions": ["the cat sat on it"], "references": [["the cat sat on a mat"]]}
    first = metric.compute(**arguments)
    other.add(prediction="x", reference="y")
    metric.add_batch(**arguments)
    arguments["predictions"][0] = arguments["references"][0][0] = "x"
    arguments["references"][0].append("y")
    assert (len(metric), len(other)) == (1, 1)
    assert pickle.loads(pickle.dumps(metric)).compute() == metric.compute() == first
    raises(ValueError, "nothing to score: call add or add_batch", metric.compute)


def test_whatever_yields_texts():
    texts = ["a b c d e", "f g h i"]
    for kind in (tuple, np.array, iter, lambda its: datasets.Dataset.from_dict({"t": its})["t"]):
        found = Bleu().compute(predictions=kind(texts), references=kind(texts))
        assert (found["bleu"], found["reference_length"]) == (1.0, 9)
        nested = [kind(["x", text]) for text in texts]
        assert Sacrebleu().compute(predictions=texts, references=nested)["ref_len"] == 9


def test_only_sacrebleu_warns_of_predictions_that_look_tokenized():
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
        (ValueError, "predictions has 1 segments, references has 2", ["a"], ["a", "b"]),
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
            (ValueError, "max_order", {"max_order": 0}),
            (TypeError, "max_order", {"max_order": 2.5}),
            (TypeError, "tokenize", {"tokenize": "13a"}),
        ),
        "sacrebleu": (
            (ValueError, "smoothing 'method1' is unknown", {"smooth_method": "method1"}),
            (ValueError, "tokenizer '13b' is unknown", {"tokenize": "13b"}),
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


def test_neither_evaluate_nor_files_nor_network(tmp_path):
    """A fresh process: nothing is written at home, no socket is made, no host is loaded."""
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
