"""Pictures by matplotlib: what is drawn is what was passed."""

import itertools
import math

import numpy as np
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


def texts(ax):
    return [text.get_text().replace("\n", " ") for text in (ax.title, *ax.texts)]


def dots(ax):
    """Where the dots of each column are: 0.1 and 0.9 are the ends of its scale."""
    columns = {}
    for line in ax.lines:
        if line.get_marker() == "o":
            [at] = line.get_xdata()
            columns.setdefault(at // 1, []).append(round(at % 1, 3))
    return list(columns.values())


def percentages(score):
    return [f"{100 * share:.1f}" for share in (*score.precisions, score.bp)]


def test_precisions():
    own = pyplot.subplots()[1]
    ax = plots.plot_precisions(SCORE, ax=own)
    assert ax is own
    assert texts(ax) == [
        "Precisions of n-grams and brevity penalty, in percent",
        f"BLEU {SCORE.value:.2f}",
        *percentages(SCORE),
    ]
    # A single system is drawn on 0-100 %.
    shares = [*SCORE.precisions, SCORE.bp]
    assert dots(ax) == [[pytest.approx(0.1 + 0.8 * share, abs=1e-3)] for share in shares]
    ax = plots.plot_precisions({"one": SCORE, "other": SHORT})
    printed = zip(percentages(SCORE), percentages(SHORT), strict=True)
    names = [f"one: {SCORE.value:.2f}", f"other: {SHORT.value:.2f}"]
    assert texts(ax)[1:] == [*names, *itertools.chain(*printed)]
    low, high = ax.get_ylim()
    assert low > high  # the first row is at the top
    heads = [label.get_text() for label in ax.get_xticklabels()]
    assert heads == ["1", "2", "3", "4", "BP"]
    assert ax.get_xlim() == (0, len(heads))
    perfect = fastbleu.BLEU().count(["a b c d"], ["a b c d"])
    assert texts(plots.plot_precisions(perfect))[2:] == ["100.0"] * 5
    # Orders that a score does not have are left out.
    short = fastbleu.BLEU(max_ngram_order=2).score(HYPOTHESES, REFERENCES)
    ax = plots.plot_precisions({"one": short, "other": SCORE})
    assert texts(ax)[3:][::2] == [*percentages(short)[:2], "", "", "100.0"]
    assert texts(ax)[3:][1::2] == percentages(SCORE)


def test_near_precisions_are_told_apart():
    near = SCORE.__replace__(precisions=(0.66, 0.5, 0.4, 0.233))
    other = SCORE.__replace__(precisions=(0.66, 0.49, 0.4, 0.217))
    ax = plots.plot_precisions({"near": near, "other": other})
    assert dots(ax)[1::2] == [[0.9, 0.1], [0.9, 0.1]]
    assert {"23.3", "21.7"} <= set(texts(ax))


def test_intervals_of_precisions_are_those_of_a_bootstrap():
    rng = np.random.default_rng(1)
    words = ["the", "a", "cat", "dog", "sat", "ran", "on", "mat", "all", "night"]
    references = [" ".join(rng.choice(words, rng.integers(5, 30))) for _ in range(300)]
    hypotheses = [text.replace("cat", rng.choice(["cat", "dog", ""])) for text in references]
    metric = fastbleu.BLEU(dialect="nltk")
    counts = metric.count(hypotheses, references)
    ax = plots.plot_precisions(counts, metric=metric)
    assert texts(ax)[1] == f"BLEU {metric.score(counts).value:.4f}"
    intervals = [line.get_xdata() % 1 for line in ax.lines if line.get_color() == "#0072b2"][::2]
    weights = rng.multinomial(300, [1 / 300] * 300, size=4000)
    lengths = (weights @ counts.ref_lens) / (weights @ counts.hyp_lens)
    drawn = [*((weights @ counts.matches) / (weights @ counts.totals)).T]
    drawn.append(np.minimum(1, np.exp(1 - lengths)))
    for ends, samples in zip(intervals, drawn, strict=True):
        expected = 0.1 + 0.8 * np.quantile(samples, [0.025, 0.975])
        assert ends == pytest.approx(expected, abs=0.005)


def test_differences():
    ax = plots.plot_differences([1.0, 5.0, 3.0], [2.0, 1.0, 3.0])
    assert ax.lines[1].get_ydata().tolist() == [4.0, 0.0, -1.0]
    assert texts(ax) == ["system: better than baseline in 1, worse in 1, equal in 1 segment"]
    before, after = [2.0, 1.0, math.nan, 1.0], [1.0, math.nan, 5.0, 3.0]
    ax = plots.plot_differences(after, before, names=("B", "A"))
    assert ax.lines[1].get_ydata().tolist() == [2.0, -1.0]
    assert texts(ax) == ["B: better than A in 1, worse in 1, equal in 0 segments"]


TEXTS = [f"{REFERENCES[number % 2]} {number}" for number in range(60)]


def comparisons_of(names):
    """Of systems of which each has more of the references than the one before."""
    dogs, systems = [f"the dog {number}" for number in range(60)], {}
    for number, name in enumerate(names):
        better = [at % len(names) <= number for at in range(60)]
        systems[name] = np.where(better, TEXTS, dogs).tolist()
    return significance.compare(systems, TEXTS, samples=50, trials=100)


@pytest.mark.filterwarnings("ignore:in the first 60 segments, 60 hypotheses are identical")
def test_comparisons_are_a_ranking():
    near = [*TEXTS[:-1], TEXTS[0]]
    systems = {"old": TEXTS, "<new>": ["the dog ran"] * len(TEXTS), "near": near}
    found = significance.compare(systems, TEXTS, samples=100, trials=500)
    ax = plots.plot_comparisons(found)
    ranked = sorted(found.items(), key=lambda item: -item[1].score)
    _, best, *others = texts(ax)
    assert best == f"old: {ranked[0][1].baseline_score:.2f}"
    for text, (name, comparison) in zip(others, ranked, strict=True):
        assert text.startswith(f"{name}: {comparison.score:.2f} ({comparison.difference:+.2f}, p")
        assert text.endswith("*") == comparison.is_significant
    low, high = ax.get_ylim()
    assert low > high
    _, baseline, *drawn = ax.lines
    assert baseline.get_xdata().tolist() == [0]
    ends, points = drawn[::2], drawn[1::2]
    for line, point, (_, comparison) in zip(ends, points, ranked, strict=True):
        interval = comparison.difference_interval
        assert line.get_xdata().tolist() == [interval.low, interval.high]
        assert point.get_xdata().tolist() == [comparison.difference]
        assert point.get_fillstyle() == ("full" if comparison.is_significant else "none")
    # The rows of the baseline and of what does not differ from it are shaded.
    pairs = zip(points, ranked, strict=True)
    tied = [baseline, *(point for point, (_, c) in pairs if not c.is_significant)]
    for patch, point in zip(ax.patches, tied, strict=True):
        assert patch.get_y() < point.get_ydata()[0] < patch.get_y() + patch.get_height()
    assert texts(ax)[0] == "Systems compared with old"
    assert "95 % intervals, not adjusted" in ax.get_xlabel().replace("\n", " ")
    without = significance.compare(systems, TEXTS, samples=0, trials=5)
    raises(ValueError, "no intervals", plots.plot_comparisons, without)


def test_a_matrix():
    ax = plots.plot_matrix([[1.0, 2.0], [3.0, 4.5]], rows=["a", "b"], columns=["c", "d"])
    assert ax.images[0].get_array().tolist() == [[1, 2], [3, 4.5]]
    assert texts(ax)[1:] == ["1", "2", "3", "4.5"]
    assert texts(plots.plot_matrix([[1.0] * 30] * 30))[1:] == []


LONG = "outputs/wmt22/en-de/facebook-wmt21-dense-24-wide.second-submission.{}.txt"


def boxes(figure):
    """The boxes of all texts that are drawn."""
    figure.canvas.draw()
    hidden = set()
    for ax in figure.axes:
        for axis in (ax.xaxis, ax.yaxis):
            low, high = sorted(axis.get_view_interval())
            far = [tick for tick in axis.get_major_ticks() if not low <= tick.get_loc() <= high]
            hidden.update(label for tick in far for label in (tick.label1, tick.label2))
    drawn = [text for text in figure.findobj(matplotlib.text.Text) if text not in hidden]
    return {
        text.get_text(): text.get_window_extent().padded(-1)
        for text in drawn
        if text.get_visible() and text.get_text()
    }


def drawings(names, **place):
    """Each plot function with systems of these names."""
    counts = fastbleu.BLEU().count(HYPOTHESES, REFERENCES)
    count = len(names)
    scores = [[31.25] * count] * count
    return {
        "precisions": lambda: plots.plot_precisions(dict.fromkeys(names, counts), **place),
        "one": lambda: plots.plot_precisions(SCORE, **place),
        "differences": lambda: plots.plot_differences(
            [1.0, 5.5, 31.0], [2.0, 1.0, 3.0], names=(names * 2)[:2], **place
        ),
        "comparisons": lambda: plots.plot_comparisons(comparisons_of(names), **place),
        "matrix": lambda: plots.plot_matrix(scores, **place),
        "named matrix": lambda: plots.plot_matrix(scores, rows=names, columns=names, **place),
    }


PLOTS = [*drawings(["a"])]


def assert_nothing_overlaps(figure):
    drawn = boxes(figure)
    for text, box in drawn.items():
        assert box.x0 >= 0, text
        assert box.y0 >= 0, text
        assert box.x1 <= figure.bbox.width, text
        assert box.y1 <= figure.bbox.height, text
    for (text, box), (other, of_other) in itertools.combinations(drawn.items(), 2):
        assert not box.overlaps(of_other), (text, other)


@pytest.mark.parametrize("plot", PLOTS)
@pytest.mark.parametrize("name", ["system-{}", LONG])
def test_a_column_of_a_paper_has_room(plot, name):
    names = [name.format(number) for number in range(4)]
    figure = drawings(names)[plot]().figure
    if not (plot == "named matrix" and name == LONG):  # wider
        assert figure.get_size_inches()[0] == pytest.approx(3.3, abs=0.01)
    assert_nothing_overlaps(figure)
    ax = pyplot.subplots(figsize=(3.3, 2.5))[1]
    drawings(names, ax=ax)[plot]()
    assert_nothing_overlaps(ax.figure)
    assert ax.figure.get_size_inches().tolist() == [3.3, 2.5]
    part, _ = pyplot.figure(figsize=(3.3, 5)).subfigures(2)
    drawings(names, ax=part.subplots())[plot]()
    assert_nothing_overlaps(part.figure)
    with pyplot.rc_context({"figure.figsize": (5, 4)}):
        figure = drawings(names)[plot]().figure
    assert figure.get_size_inches()[0] == 5
    assert figure.get_size_inches()[1] >= 4
    assert_nothing_overlaps(figure)


@pytest.mark.parametrize("count", [1, 20])
@pytest.mark.parametrize("name", ["{}", LONG])
@pytest.mark.parametrize("plot", PLOTS)
@pytest.mark.filterwarnings("ignore:in the first 60 segments, the hypotheses are short")
def test_many_systems_have_room(plot, name, count):
    names = [name.format(number) for number in range(count + (plot == "comparisons"))]
    assert_nothing_overlaps(drawings(names)[plot]().figure)


def test_text_is_black_on_white_unless_a_style_says_otherwise():
    to_hex, drawn = matplotlib.colors.to_hex, drawings(["one", "other"])
    for name in ("precisions", "comparisons", "differences"):
        plot = drawn[name]
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
    words = "scores has a float, expected a Score or a Stats"
    raises(TypeError, words, plots.plot_precisions, 31.2)
    for plot, nothing in ((plots.plot_matrix, []), (plots.plot_precisions, {})):
        raises(ValueError, "scores is empty", plot, nothing)


def test_without_matplotlib():
    code = (
        "import sys; sys.modules['matplotlib'] = None\nimport fastbleu\n"
        "score = fastbleu.BLEU().score(['a b c d'], ['a b c d'])\n"
        "try: fastbleu.plots.plot_precisions(score)\nexcept ImportError as error: print(error)"
    )
    assert "plots need matplotlib; install the extra: pip install" in python("-c", code)
