"""Tests of the patches here: each is applied to a release from PyPI and compared with the original.

The files run as bench/hosts.py runs those of tools: what they import and BLEU does not need is a
stub if it is not installed. A test whose library is not installed is skipped.
"""

import asyncio
import importlib
import importlib.util
import random
import shutil
import subprocess
import sys
from pathlib import Path
from time import process_time

import pytest

HERE = Path(__file__).resolve().parent
sys.path += [str(HERE.parents[1] / "bench"), str(HERE.parents[1] / "tests")]

import hosts  # noqa: E402

VERSIONS = {"torchmetrics": "1.9.0", "lm-eval": "0.4.13", "mbrs": "0.1.8", "ragas": "0.4.3"}
SYSTEM, REFERENCES = hosts.texts()


def both(package, module, tmp_path, *others):
    """A module of the release, and the same module with its patch."""
    folder, number = hosts.unpacked(f"{package}=={VERSIONS[package]}")
    assert number == VERSIONS[package]
    patched = tmp_path / "patched"
    shutil.copytree(folder / module.partition(".")[0], patched / module.partition(".")[0])
    change = (HERE / f"{package}.patch").read_bytes()
    subprocess.run(["git", "apply", "-v", "-"], input=change, cwd=patched, check=True)
    made = []
    for place in (folder, patched):
        path = place.joinpath(*module.split(".")).with_suffix(".py")
        for name in others:
            hosts.finder.files[name] = str(place.joinpath(*name.split(".")).with_suffix(".py"))
            sys.modules.pop(name, None)
        spec = importlib.util.spec_from_file_location(module, path)
        made.append(importlib.util.module_from_spec(spec))
        with pytest.MonkeyPatch.context() as context:
            context.setitem(sys.modules, module, made[-1])
            spec.loader.exec_module(made[-1])
    return made


@pytest.fixture(autouse=True)
def stubs(monkeypatch):
    modules = set(sys.modules)
    monkeypatch.setattr(sys, "meta_path", [*sys.meta_path, hosts.finder])
    yield
    for name in set(sys.modules) - modules:
        if name.partition(".")[0] in hosts.finder.stubbed:
            del sys.modules[name]
    hosts.finder.stubbed = frozenset()


def test_torchmetrics(tmp_path):
    torch = pytest.importorskip("torch")
    pytest.importorskip("torchmetrics")
    original, patched = both("torchmetrics", "torchmetrics.text.bleu", tmp_path)
    for options in ({}, {"n_gram": 2, "smooth": True}):
        plain, default = original.BLEUScore(**options), patched.BLEUScore(**options)
        fast = patched.BLEUScore(**options, backend="fastbleu")
        for start in range(0, 60, 7):
            batch = SYSTEM[start : start + 7], REFERENCES[start : start + 7]
            assert plain(*batch) == default(*batch) == fast(*batch)
        assert torch.equal(plain.numerator, fast.numerator)
        assert torch.equal(plain.denominator, fast.denominator)
        assert plain.compute() == fast.compute()
    with pytest.raises(ValueError, match="'python' or 'fastbleu', but got 'cython'"):
        patched.BLEUScore(backend="cython")


def test_lm_eval(tmp_path):
    hosts.finder.stubbed |= {"lm_eval"}
    original, patched = both("lm-eval", "lm_eval.api.metrics", tmp_path, "lm_eval.api.registry")
    random.seed(1)
    items = list(zip([several[0] for several in REFERENCES[:40]], SYSTEM[:40], strict=True))
    seconds = []
    for module in (original, patched):
        start = process_time()
        error = module.stderr_for_metric(module.bleu, 100)(items)
        seconds.append(process_time() - start)
        assert error == original.bootstrap_stderr(original.bleu, items, 100) > 0
    assert seconds[1] < seconds[0] / 5
    both_references = list(zip(REFERENCES[:20], SYSTEM[:20], strict=True))
    assert patched.stderr_for_metric(patched.bleu, 10)(both_references) > 0
    assert patched.stderr_for_metric(patched.chrf, 10) is not None
    assert patched.stderr_for_metric(patched.bleu, 0) is None


def test_mbrs(tmp_path, monkeypatch):
    torch = pytest.importorskip("torch")
    metrics = pytest.importorskip("mbrs.metrics")
    monkeypatch.setattr(metrics, "register", lambda name: lambda kind: kind)
    _, patched = both("mbrs", "mbrs.metrics.bleu", tmp_path)
    kind = patched.MetricBLEU
    texts = SYSTEM[:9]
    for options in ({}, {"smooth_method": "floor", "smooth_value": 0.3}, {"tokenize": "char"}):
        plain = kind(kind.Config(num_workers=1, **options))
        fast = kind(kind.Config(num_workers=1, backend="fastbleu", **options))
        pairs = [[plain.score(text, other) for other in texts[:5]] for text in texts]
        assert torch.equal(fast.pairwise_scores(texts, texts[:5]), torch.Tensor(pairs))
    with pytest.raises(ValueError, match="Unknown backend 'cython'"):
        kind(kind.Config(backend="cython"))


def test_ragas(tmp_path):
    hosts.finder.stubbed |= {"ragas"}
    original, patched = both("ragas", "ragas.metrics.collections._bleu_score", tmp_path)
    reference = "The cat sat on the mat today. It was not amused at all."
    half = "The cat sat on the mat today. Nothing else is right here, though."

    def score(module, response):
        metric = module.BleuScore.__new__(module.BleuScore)
        metric.kwargs = {}
        return asyncio.run(metric.ascore(reference=reference, response=response)).value

    assert score(original, half) > 0.95
    assert 0.2 < score(patched, half) < 0.7
    assert score(patched, reference) == pytest.approx(1.0)
