"""The implementations under test, and the seed on every failure."""

import gc
import importlib
import os
import signal
import warnings
from collections import Counter

import nltk.translate.bleu_score
import oracle
import pytest
import wmt22
from generators import PRISTINE, SEED
from levels import LEVELS, use_simd
from metrics import count

# Of a shell's background processes, which ignore Ctrl-C, the children would ignore it, too.
signal.signal(signal.SIGINT, signal.default_int_handler)

# MKL, and so the last digit of torch's float32 logarithms, depends on the processor unless it is
# told not to; the recorded scores do not.
os.environ.setdefault("MKL_CBWR", "COMPATIBLE")

# Threads for linear algebra spin from the import on, in each child; tests use all processors.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("OMP_NUM_THREADS", "1")

# FASTBLEU_TEST_ONLY=fastbleu leaves out what would test nltk, where that has been done before.
IMPLEMENTATIONS = os.environ.get("FASTBLEU_TEST_ONLY", "fastbleu nltk patched").split()


def pytest_configure(config):
    # Random text is in any script.
    config.addinivalue_line("filterwarnings", "ignore:the text is in a script without spaces")


def pytest_runtest_setup(item):
    if item.get_closest_marker("wmt22") and not wmt22.ARE_THERE:
        wmt22.missing()


def pytest_terminal_summary(terminalreporter):
    """What was not run, and why."""
    reasons = Counter()
    for report in terminalreporter.stats.get("skipped", []):
        _, _, reason = report.longrepr
        reasons[reason.removeprefix("Skipped: ").splitlines()[0][:100]] += 1
    if reasons:
        terminalreporter.section("not run")
    for reason, number in reasons.most_common():
        terminalreporter.write_line(f"{number} {'test' if number == 1 else 'tests'}: {reason}")


def pytest_collection_finish():
    # The garbage collector need not go through thousands of tests again and again, nor through what
    # oracles make.
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000)


@pytest.fixture(params=IMPLEMENTATIONS)
def bleu(request):
    """nltk's API: fastbleu's, nltk's own, and nltk after fastbleu.patch()."""
    if request.param == "nltk":
        yield nltk.translate.bleu_score
        return
    if request.param == "fastbleu":
        yield importlib.import_module("fastbleu.nltk")
        return
    with importlib.import_module("fastbleu").patch("nltk"):
        yield nltk.translate.bleu_score


@pytest.fixture(params=LEVELS)
def simd(request):
    """Each instruction set that this processor has, in turn."""
    use_simd(request.param)
    return request.param


@pytest.fixture(autouse=True)
def the_best_instruction_set_afterwards():
    yield
    use_simd()


@pytest.fixture
def the_next_call_is_right():
    """Whatever happened in the test, an ordinary call afterwards gives the ordinary result."""
    fastbleu = importlib.import_module("fastbleu")
    references, hypothesis = [["a", "b", "c"], ["a", "c"]], ["a", "b", "d"]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        yield
        rows = count([hypothesis], [references]).__array__().tolist()
        assert rows == [oracle.row(hypothesis, references)]
        score = fastbleu.sentence_bleu(references, hypothesis, (0.5, 0.5))
        assert score == PRISTINE.sentence_bleu(references, hypothesis, (0.5, 0.5))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    report = yield
    if report.failed:
        report.sections.append(("random seed", f"FASTBLEU_TEST_SEED={SEED}"))
    return report


@pytest.fixture
def nothing_loaded(monkeypatch):
    """Tokenizers that are loaded in a test stay in it."""
    monkeypatch.setattr("fastbleu.core.tokenizers.tokenizer._LOADED", {})
