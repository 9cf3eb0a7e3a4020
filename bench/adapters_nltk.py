"""Adapters for token lists: ``run(hypotheses, references)`` with ``references[segment][k]``."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from adapters import Adapter, NotAvailable, Run


def nltk_module():
    """Import the original."""
    import nltk.translate.bleu_score

    return nltk.translate.bleu_score


def fastbleu_module():
    """Import the drop-in: it has the original's signatures, so the two share their adapters."""
    import fastbleu.nltk

    return fastbleu.nltk


def count(threads: int = 1) -> Adapter:
    """Call `fastbleu.count`."""

    def load() -> Run:
        from fastbleu import count

        return lambda hypotheses, references: count(hypotheses, references, threads=threads)

    return load


def corpus_bleu(module: Callable) -> Adapter:
    """Score the corpus in one call."""

    def load() -> Run:
        corpus_bleu = module().corpus_bleu
        return lambda hypotheses, references: corpus_bleu(references, hypotheses)

    return load


def sentence_bleu(module: Callable, method: int | None) -> Adapter:
    """Score each segment by itself: `method` None is the call without a smoothing function."""

    def load() -> Run:
        score = module().sentence_bleu
        if method is None:
            return lambda hypotheses, references: [
                score(of_segment, hypothesis)
                for of_segment, hypothesis in zip(references, hypotheses, strict=True)
            ]
        smoothing = getattr(module().SmoothingFunction(), f"method{method}")
        return lambda hypotheses, references: [
            score(of_segment, hypothesis, smoothing_function=smoothing)
            for of_segment, hypothesis in zip(references, hypotheses, strict=True)
        ]

    return load


def sentence_bleu_one_set(module: Callable) -> Adapter:
    """Score each hypothesis against all of the references."""

    def load() -> Run:
        score = module().sentence_bleu
        smoothing = module().SmoothingFunction().method1
        return lambda hypotheses, references: [
            score(references, hypothesis, smoothing_function=smoothing) for hypothesis in hypotheses
        ]

    return load


def fast_bleu_one_set() -> Run:
    """Score each hypothesis against all of the references, which is what fast-bleu is built for."""
    from fast_bleu import BLEU

    weights = {4: (0.25, 0.25, 0.25, 0.25)}
    return lambda hypotheses, references: BLEU(references, weights).get_score(hypotheses)[4]


def touch() -> Run:
    """Compile ``touch.c`` in a temporary folder and return its function."""
    source = Path(__file__).with_name("touch.c")
    with tempfile.TemporaryDirectory() as folder:
        setup = (
            "from setuptools import Extension, setup; setup(name='touch', version='0',"
            f" py_modules=[], ext_modules=[Extension('touch', [{str(source)!r}])])"
        )
        command = [sys.executable, "-c", setup, "-q", "build_ext"]
        command += ["--build-lib", folder, "--build-temp", folder]
        built = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
        libraries = [path for path in Path(folder).glob("touch*") if path.suffix in {".so", ".pyd"}]
        if not libraries:
            raise NotAvailable(f"touch.c was not built: {built.stderr.strip()[-300:]}")
        spec = importlib.util.spec_from_file_location("touch", libraries[0])
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    return module.touch
