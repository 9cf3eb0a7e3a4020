"""Pictures by matplotlib: what is drawn is what was passed."""

import itertools
import math

import pytest
from generators import raises
from processes import python

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


def rows(ax):
    """The labels at the left, from the top."""
    return [label.get_text() for label in ax.get_yticklabels()]


def texts(ax):
    return [ax.get_title(), *(text.get_text() for text in ax.texts)]


def percentages(score):
    return [*(100 * precision for precision in score.precisions), 100 * score.bp]


def bars(ax):
    """The lengths of the bars of each row."""
    columns = [[bar.get_width() for bar in column] for column in ax.containers]
    return [pytest.approx(list(row), nan_ok=True) for row in zip(*columns, strict=True)]


def test_precisions():
    own = pyplot.subplots()[1]
    ax = plots.plot_precisions(SCORE, ax=own)
    assert ax is own
    assert bars(ax) == [percentages(SCORE)] == bars(plots.plot_precisions(SCORE))
    assert texts(ax)[0] == f"BLEU {SCORE.value:.2f}. Precisions and brevity penalty in percent"
    assert texts(ax)[1:] == [f"{percent:.1f}" for percent in percentages(SCORE)]
    ax = plots.plot_precisions({"one": SCORE, "other": SHORT})
    assert bars(ax) == [percentages(SCORE), percentages(SHORT)]
    assert rows(ax) == [f"one: {SCORE.value:.2f}", f"other: {SHORT.value:.2f}"]
    low, high = ax.get_ylim()
    assert low > high  # the first row is at the top
    heads = [label.get_text() for label in ax.get_xticklabels()]
    assert heads == ["1-grams", "2-grams", "3-grams", "4-grams", "BP"]
    # Orders that a score does not have are left out.
    short = fastbleu.BLEU(max_ngram_order=2).score(HYPOTHESES, REFERENCES)
    [first, second] = bars(plots.plot_precisions({"one": short, "other": SCORE}))
    assert first == [*percentages(short)[:2], math.nan, math.nan, 100]
    assert second == percentages(SCORE)


def test_differences():
    ax = plots.plot_differences([1.0, 5.0, 3.0], [2.0, 1.0, 3.0])
    assert ax.lines[1].get_ydata().tolist() == [4.0, 0.0, -1.0]
    assert texts(ax) == ["Better in 1, worse in 1, equal in 1 segment"]
    ax = plots.plot_differences([1.0, math.nan, 5.0, 3.0], [2.0, 1.0, math.nan, 1.0])
    assert ax.lines[1].get_ydata().tolist() == [2.0, -1.0]
    assert texts(ax) == ["Better in 1, worse in 1, equal in 0 segments"]


TEXTS = [f"{REFERENCES[number % 2]} {number}" for number in range(60)]


def comparisons_of(names):
    """Of systems of which each has more of the references than the one before."""
    systems = {
        name: [text if at % len(names) <= number else "the dog" for at, text in enumerate(TEXTS)]
        for number, name in enumerate(names)
    }
    return significance.compare(systems, TEXTS, samples=100, trials=500)


@pytest.mark.filterwarnings("ignore:all of the first 60 hypotheses are identical")
def test_comparisons_are_a_ranking():
    near = [*TEXTS[:-1], TEXTS[0]]
    systems = {"old": TEXTS, "<new>": ["the dog ran"] * len(TEXTS), "near": near}
    found = significance.compare(systems, TEXTS, samples=100, trials=500)
    ax = plots.plot_comparisons(found)
    ranked = sorted(found.items(), key=lambda item: -item[1].score)
    assert rows(ax) == [
        f"old: {ranked[0][1].baseline_score:.2f}",
        *(f"{name}: {comparison.score:.2f}" for name, comparison in ranked),
    ]
    low, high = ax.get_ylim()
    assert low > high
    _, baseline, *drawn = ax.lines
    assert baseline.get_xydata().tolist() == [[0, 0]]
    for row, (_, comparison) in enumerate(ranked, 1):
        ends, point, *drawn = drawn
        interval = comparison.difference_interval
        assert ends.get_xydata().tolist() == [[interval.low, row], [interval.high, row]]
        assert point.get_xydata().tolist() == [[comparison.difference, row]]
        assert point.get_fillstyle() == ("full" if comparison.is_significant else "none")
    assert not drawn
    assert [text.endswith("*") for text in texts(ax)[1:]] == [
        comparison.is_significant for _, comparison in ranked
    ]
    # The rows of the baseline and of what does not differ from it are shaded.
    assert [patch.get_y() + 0.5 for patch in ax.patches] == [
        0,
        *(row for row, (_, c) in enumerate(ranked, 1) if not c.is_significant),
    ]
    assert texts(ax)[0] == "Systems compared with old"
    assert "95 % intervals, not adjusted" in ax.get_xlabel()
    without = significance.compare(systems, TEXTS, samples=0, trials=5)
    raises(ValueError, "no intervals", plots.plot_comparisons, without)


def test_a_matrix():
    ax = plots.plot_matrix([[1.0, 2.0], [3.0, 4.5]], rows=["a", "b"], columns=["c", "d"])
    assert ax.images[0].get_array().tolist() == [[1, 2], [3, 4.5]]
    assert texts(ax)[1:] == ["1", "2", "3", "4.5"]
    assert texts(plots.plot_matrix([[1.0] * 30] * 30))[1:] == []


LONG = "outputs/wmt22/en-de/facebook-wmt21-dense-24-wide.second-submission.{}.txt"


@pytest.mark.parametrize("count", [1, 2, 9, 30])
@pytest.mark.parametrize("name", ["{}", LONG])
@pytest.mark.parametrize("plot", ["precisions", "comparisons", "matrix"])
def test_names_do_not_overlap(plot, name, count):
    names = [name.format(number) for number in range(count + (plot == "comparisons"))]
    if plot == "precisions":
        ax = plots.plot_precisions(dict.fromkeys(names, SCORE))
    elif plot == "comparisons":
        ax = plots.plot_comparisons(comparisons_of(names))
    else:
        ax = plots.plot_matrix([[1.25] * count] * count, rows=names, columns=names)
    figure = ax.figure
    figure.canvas.draw()
    boxes = [label.get_window_extent() for label in ax.get_yticklabels()]
    assert len(boxes) == len(names)
    for above, below in itertools.pairwise(sorted(boxes, key=lambda box: -box.y0)):
        assert above.y0 >= below.y1 - 1
    ticks = [] if plot == "comparisons" else ax.get_xticklabels()  # numbers
    heads = [label.get_window_extent() for label in ticks]
    for before, after in itertools.pairwise(heads):
        assert before.x1 <= after.x0 + 1
    written = [ax.title, ax.xaxis.label, *ax.texts]
    labels = [*boxes, *heads, *(text.get_window_extent() for text in written)]
    assert min(box.x0 for box in labels) >= 0
    assert max(box.x1 for box in labels) <= figure.bbox.width
    assert ax.get_window_extent().width > 0.35 * figure.bbox.width


def test_text_is_black_on_white_unless_a_style_says_otherwise():
    from matplotlib.colors import to_hex

    for plot in (
        lambda: plots.plot_precisions({"one": SCORE, "other": SHORT}),
        lambda: plots.plot_comparisons(comparisons_of(["one", "other"])),
        lambda: plots.plot_differences([1.0, 2.0], [2.0, 1.0]),
    ):
        ax = plot()
        written = [ax.title, ax.xaxis.label, *ax.texts, *ax.get_yticklabels()]
        assert {to_hex(text.get_color()) for text in written} == {"#000000"}
        assert to_hex(ax.figure.get_facecolor()) == to_hex(ax.get_facecolor()) == "#ffffff"
        with pyplot.style.context("dark_background"):
            assert {to_hex(text.get_color()) for text in plot().texts} <= {"#ffffff"}


def test_nothing_and_other_things_are_refused():
    words = "scores has 1, baseline has 2"
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
    assert "plots need matplotlib; install the extra: pip install" in python("-c", code)
