"""The implementations under test, and the seed on every failure."""

import importlib

import nltk.translate.bleu_score
import pytest
from generators import SEED


@pytest.fixture(params=["fastbleu", "nltk", "patched"])
def bleu(request):
    """nltk's API: fastbleu's, nltk's own, and nltk after fastbleu.nltk.patch()."""
    if request.param == "nltk":
        yield nltk.translate.bleu_score
        return
    drop_in = importlib.import_module("fastbleu.nltk")
    if request.param == "fastbleu":
        yield drop_in
        return
    with drop_in.patch():
        yield nltk.translate.bleu_score


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    report = yield
    if report.failed:
        report.sections.append(("random seed", f"FASTBLEU_TEST_SEED={SEED}"))
    return report
