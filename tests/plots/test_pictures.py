"""Pictures by matplotlib: what is drawn is what was passed."""

import math

import pytest
from commands import python
from generators import raises

import fastbleu
from fastbleu import plots, significance

matplotlib = pytest.importorskip("matplotlib", reason="needs matplotlib: make test-report")
matplotlib.use("agg")
pyplot = pytest.importorskip("matplotlib.pyplot")

HYPOTHESES = ["The cat sat on the mat.", "It rained all night long, and more."]
REFERENCES = ["The cat sat on a mat.", "It rained all night."]
SCORE = fastbleu.BLEU().score(HYPOTHESES, REFERENCES)
SHORT = fastbleu.BLEU().score(["The cat sat on", "It rained all"], REFERENCES)


@pytest.fixture(autouse=True)
def close_pictures():
    yield
    pyplot.close("all")


def heights(ax):
    return [bar.get_height() for bar in ax.patches]


def texts(ax):
    return [ax.get_title(), *(text.get_text() for text in ax.texts)]


def test_precisions():
    expected = [*(100 * precision for precision in SCORE.precisions), 100 * SCORE.bp]
    own = pyplot.subplots()[1]
    ax = plots.plot_precisions(SCORE, ax=own)
    assert ax is own
    assert heights(ax) == heights(plots.plot_precisions(SCORE)) == expected
    assert (texts(ax)[0], texts(ax)[-1]) == (f"BLEU {SCORE.value:.4g}", f"{100 * SCORE.bp:.1f}")
    ax = plots.plot_precisions({"one": SCORE, "other": SHORT})
    assert heights(ax) == [*expected, *(100 * p for p in SHORT.precisions), 100 * SHORT.bp]
    assert [text.get_text() for text in ax.get_legend().get_texts()] == [
        f"one: {SCORE.value:.4g}",
        f"other: {SHORT.value:.4g}",
    ]


def test_brevity_penalty():
    ax = plots.plot_brevity_penalty(SHORT)
    curve, point = ax.lines
    assert point.get_xydata().tolist() == [[SHORT.hyp_len / SHORT.ref_len, SHORT.bp]]
    for ratio, penalty in curve.get_xydata().tolist():
        assert penalty == min(1.0, math.exp(1 - 1 / ratio))
    assert f"BP {SHORT.bp:.3f}" in texts(ax)
    low, high = plots.plot_brevity_penalty(SCORE).get_xlim()
    assert 0.8 < low < 1 < high < 1.4


def test_differences():
    ax = plots.plot_differences([1.0, 5.0, 3.0], [2.0, 1.0, 3.0])
    assert ax.lines[1].get_ydata().tolist() == [4.0, 0.0, -1.0]
    assert texts(ax) == ["Better in 1, worse in 1 segments"]


def test_comparisons():
    systems = {"old": ["the dog ran"] * 30, "<new>": REFERENCES * 15, "same": ["the dog ran"] * 30}
    found = significance.compare(systems, REFERENCES * 15, samples=100, trials=500)
    ax = plots.plot_comparisons(found)
    for line, its in zip(ax.lines[1::3], found.values(), strict=True):
        assert line.get_xdata().tolist() == [its.difference]
        assert line.get_fillstyle() == ("full" if its.is_significant else "none")
    ends = [sorted(x for x, _ in its.get_segments()[0].tolist()) for its in ax.collections]
    intervals = [its.difference_interval for its in found.values()]
    assert ends == [pytest.approx([interval.low, interval.high]) for interval in intervals]
    assert ax.get_xlabel() == "difference from old"
    without = significance.compare(systems, REFERENCES * 15, samples=0, trials=5)
    raises(ValueError, "no intervals", plots.plot_comparisons, without)


def test_a_matrix():
    ax = plots.plot_matrix([[1.0, 2.0], [3.0, 4.5]], rows=["a", "b"], columns=["c", "d"])
    assert ax.images[0].get_array().tolist() == [[1, 2], [3, 4.5]]
    assert texts(ax)[1:] == ["1", "2", "3", "4.5"]
    assert texts(plots.plot_matrix([[1.0] * 30] * 30))[1:] == []


@pytest.mark.parametrize("background", [0, 255])
def test_legible_on_white_and_on_black(background):
    def light(channel):
        channel /= 255
        return channel / 12.92 if channel <= 0.04045 else ((channel + 0.055) / 1.055) ** 2.4

    figure = plots.plot_precisions({"one": SCORE, "other": SHORT}).figure
    assert figure.patch.get_alpha() == 0
    grey = round(255 * float(figure.axes[0].title.get_color()))
    one, other = sorted((light(grey), light(background)))
    assert (other + 0.05) / (one + 0.05) > 3.5


def test_nothing_and_other_things_are_refused():
    words = "scores has 1 segments, baseline has 2"
    raises(ValueError, words, plots.plot_differences, [1.0], [1.0, 2.0])
    raises(ValueError, "no systems", plots.plot_comparisons, {})
    raises(ValueError, "scores is empty", plots.plot_matrix, [])
    raises(TypeError, "scores has a float, expected a Score", plots.plot_precisions, 31.2)
    raises(ValueError, "scores is empty", plots.plot_precisions, {})


def test_without_matplotlib():
    code = (
        "import sys; sys.modules['matplotlib'] = None\nimport fastbleu\n"
        "score = fastbleu.BLEU().score(['a b c d'], ['a b c d'])\n"
        "try: fastbleu.plots.plot_precisions(score)\nexcept ImportError as error: print(error)"
    )
    assert "pictures need matplotlib; install the extra: pip install" in python("-c", code)
