"""Pictures by matplotlib: what is drawn is what was passed."""

import math

import pytest
from commands import python
from generators import raises

import fastbleu
from fastbleu import plots

matplotlib = pytest.importorskip("matplotlib", reason="needs matplotlib: make test-report")
matplotlib.use("agg")

HYPOTHESES = ["The cat sat on the mat.", "It rained all night long, and more."]
REFERENCES = ["The cat sat on a mat.", "It rained all night."]
SCORE = fastbleu.BLEU().score(HYPOTHESES, REFERENCES)
SHORT = fastbleu.BLEU().score(["The cat sat on", "It rained all"], REFERENCES)


@pytest.fixture(autouse=True)
def close_pictures():
    yield
    matplotlib.pyplot.close("all")


def heights(ax):
    return [bar.get_height() for bar in ax.patches]


def test_precisions():
    expected = [*(100 * precision for precision in SCORE.precisions), 100 * SCORE.bp]
    assert heights(SCORE.plot()) == expected
    ax = plots.plot_precisions({"one": SCORE, "other": SHORT})
    assert heights(ax) == [*expected, *(100 * p for p in SHORT.precisions), 100 * SHORT.bp]
    assert [text.get_text() for text in ax.get_legend().get_texts()] == [
        f"one: {SCORE.value:.4g}",
        f"other: {SHORT.value:.4g}",
    ]


def test_axes_of_the_users():
    ax = matplotlib.pyplot.subplots()[1]
    assert SCORE.plot(ax) is ax


def test_brevity_penalty():
    ax = plots.plot_brevity_penalty(SHORT)
    curve, point = ax.lines
    assert point.get_xydata().tolist() == [[SHORT.hyp_len / SHORT.ref_len, SHORT.bp]]
    for ratio, penalty in curve.get_xydata().tolist():
        assert penalty == min(1.0, math.exp(1 - 1 / ratio))


def test_distribution():
    ax = plots.plot_distribution({"a": [1, 2, 2, 9], "b": [9, 9, 9, 9]}, bins=2)
    assert heights(ax) == [3, 1, 0, 4]


def test_differences():
    ax = plots.plot_differences([1.0, 5.0, 3.0], [2.0, 1.0, 3.0])
    assert ax.lines[1].get_ydata().tolist() == [4.0, 0.0, -1.0]
    with pytest.raises(ValueError, match="scores has 1 segments, baseline has 2"):
        plots.plot_differences([1.0], [1.0, 2.0])


def test_history():
    ax = plots.plot_history({"run": [SCORE, SHORT], "other": [1.0, 2.0]}, steps=[100, 200])
    assert ax.lines[0].get_xydata().tolist() == [[100, SCORE.value], [200, SHORT.value]]
    assert plots.plot_history([3.0, 4.0]).lines[0].get_xdata().tolist() == [1, 2]
    with pytest.raises(ValueError, match="steps has 1 values, but there are 2 scores"):
        plots.plot_history([3.0, 4.0], [1])


def test_what_is_refused():
    raises(TypeError, "scores has a float, expected a Score", plots.plot_precisions, 31.2)
    raises(ValueError, "scores is empty", plots.plot_precisions, {})


def test_without_matplotlib():
    code = (
        "import sys; sys.modules['matplotlib'] = None\nimport fastbleu\n"
        "score = fastbleu.BLEU().score(['a b c d'], ['a b c d'])\n"
        "try: score.plot()\nexcept ImportError as error: print(error)"
    )
    assert "pictures need matplotlib; install the extra: pip install" in python("-c", code)
