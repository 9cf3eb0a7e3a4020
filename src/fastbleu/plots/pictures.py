"""The plots; matplotlib is imported when the first one is drawn.

They fit into a column of a paper. Systems are rows below their names, so that any number of them
can be told apart without colors.
"""

from __future__ import annotations

from itertools import accumulate, zip_longest
from math import exp, inf, isnan, nan, sqrt
from textwrap import fill

from ..core.metric.argument import as_metric
from ..core.runtime.extras import install_command
from ..core.scoring.score import decimals

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from typing import Any, SupportsFloat, TypeAlias

    from matplotlib.axes import Axes

    from ..core.counting.stats import Stats
    from ..core.metric.argument import Metric
    from ..core.scoring.score import Score

    Scores: TypeAlias = Score | Stats | Mapping[str, Score | Stats]

_BLUE = "#0072b2"  # darker than the grey of shaded rows, also in print
_SHADE = "0.85"
_COLUMN = 3.3  # inches: a column of a paper
_LINE = 0.15  # inches: a line of text
_CHARACTERS = 16  # in a line of a name beside or below a matrix
_SMALLEST = 4.0  # points: the smallest values in a matrix


def plot_precisions(
    scores: Scores, *, metric: Metric | None = None, ax: Axes | None = None
) -> Axes:
    """Draw the n-gram precisions and the brevity penalty of a score, or of several by name.

    Each column has its own scale, from its lowest to its highest value; for one system, from 0 to
    100 %. Counts of segments have 95 % intervals.

    Parameters
    ----------
    scores : Score, Stats, or mapping of these
        Scores, or counts of segments from `fastbleu.BLEU.count`. Each is a row, in this order.
    metric : BLEU or str, optional
        What scores the counts; by default sacreBLEU's BLEU.
    ax : matplotlib.axes.Axes, optional

    Raises
    ------
    ImportError
        matplotlib is not installed.
    TypeError
        `scores` is neither a Score, a Stats nor a mapping of them.
    """
    given: Any = scores
    named: dict[Any, Any] = dict(given) if hasattr(given, "items") else {None: given}
    for score in named.values():
        if not hasattr(score, "matches"):
            raise TypeError(f"scores has a {type(score).__name__}, expected a Score or a Stats")
    if not named:
        raise ValueError("scores is empty: there is nothing to draw")
    scored = [s if hasattr(s, "value") else as_metric(metric).score(s) for s in named.values()]
    digits = decimals(*[score.value for score in scored])
    labels = [
        f"{'BLEU' if name is None else f'{name}:'} {score.value:.{digits}f}"
        for name, score in zip(named, scored, strict=True)
    ]
    title = "Precisions of n-grams and brevity penalty, in percent"
    ax, bottoms, size = _rows(ax, labels, 2, title, "")
    shares = map(_shares, named.values())
    penalties, *precisions = zip_longest(*shares, fillvalue=(nan, nan, nan))
    for column, triples in enumerate([*precisions, penalties]):
        known = [share for triple in triples for share in triple if not isnan(share)]
        low, high = min(known, default=0.0), max(known, default=0.0)
        if len(named) == 1 or low == high:
            low, high = 0.0, 1.0
        for bottom, triple in zip(bottoms, triples, strict=True):
            left, at, right = [column + 0.1 + 0.8 * (s - low) / (high - low) for s in triple]
            ax.plot([column, column], [bottom - 2, bottom], color=_SHADE, linewidth=0.8)
            ax.plot([left, right], [bottom - 0.5] * 2, color=_BLUE, linewidth=1)
            ax.plot([at], [bottom - 0.5], "o", color=_BLUE, markersize=4)
            text = "" if isnan(triple[1]) else f"{100 * triple[1]:.1f}"
            ax.text(column + 0.5, bottom - 1.5, text, ha="center", va="center", size=size)
    heads = [*map(str, range(1, len(precisions) + 1)), "BP"]
    ax.set_xlim(0, len(heads))
    ax.set_xticks([column + 0.5 for column in range(len(heads))], heads)
    ax.tick_params(length=0, labeltop=True, labelbottom=False)
    ax.spines[:].set_visible(False)
    return ax


def plot_differences(
    scores: Collection[SupportsFloat],
    baseline: Collection[SupportsFloat],
    *,
    names: tuple[str, str] = ("system", "baseline"),
    ax: Axes | None = None,
) -> Axes:
    """Draw the differences between two systems' segment scores, sorted.

    Parameters
    ----------
    scores, baseline : sequence of S float
        The scores of the same segments.
    names : tuple of two str
        The names of the two systems.
    ax : matplotlib.axes.Axes, optional

    Raises
    ------
    ValueError
        `scores` and `baseline` differ in length.
    """
    if len(scores) != len(baseline):
        raise ValueError(
            f"the lengths differ: scores has {len(scores)}, baseline has {len(baseline)}; compare "
            "the scores of the same segments"
        )
    ax = _axes(ax, (0, 2.2))
    pairs = zip(scores, baseline, strict=True)
    differences = [float(score) - float(before) for score, before in pairs]
    heights = sorted([height for height in differences if not isnan(height)], reverse=True)
    ax.axhline(0, color="0.5", linewidth=1)
    ax.plot(range(len(heights)), heights, color=_BLUE)
    better, worse = sum(height > 0 for height in heights), sum(height < 0 for height in heights)
    equal = len(heights) - better - worse
    ax.set_xlabel("segments, sorted")
    ax.set_ylabel("difference of scores")
    parts = f"better than {names[1]} in {better}, worse in {worse}, equal in {equal}"
    ax.title.set_text(_filled(ax, f"{names[0]}: {parts} segment{'s' * (equal != 1)}"))
    return ax


def plot_comparisons(comparisons: Mapping[Any, Any], *, ax: Axes | None = None) -> Axes:
    """Rank systems by score, with the intervals of their differences from the baseline.

    A filled marker and a star mark a significant difference. The other rows are shaded, including
    the baseline's: these systems are tied with it.

    Parameters
    ----------
    comparisons : fastbleu.significance.Comparisons
        As returned by `fastbleu.significance.compare`.
    ax : matplotlib.axes.Axes, optional

    Raises
    ------
    ValueError
        There are no systems, or no intervals.
    """
    if not comparisons or any(c.difference_interval is None for c in comparisons.values()):
        raise ValueError("comparisons has no systems or no intervals: compare with samples=1000")
    baseline = getattr(comparisons, "baseline", "baseline")
    scores = {name: comparison.score for name, comparison in comparisons.items()}
    scores[baseline] = next(iter(comparisons.values())).baseline_score
    ranked = sorted(scores, key=lambda name: -scores[name])
    digits = decimals(*scores.values())
    labels = []
    for name in ranked:
        label = f"{name}: {scores[name]:.{digits}f}"
        if comparison := comparisons.get(name):
            p_value = f"p = {comparison._printed_p_values[-1]}".replace("= <", "<")
            p_value = p_value.replace(" ", "\N{NO-BREAK SPACE}")
            label += f" ({comparison.difference:+.{digits}f}, {p_value})"
            label += "*" * comparison.is_significant
        labels.append(label)
    interval = next(iter(comparisons.values())).difference_interval
    meaning = (
        f"difference, with {100 * interval.confidence:g} % intervals"
        + f", not adjusted; p adjusted for {len(comparisons)} comparisons" * (len(comparisons) > 1)
        + "; filled, *: significant; shaded: tied with the baseline"
    )
    title = f"Systems compared with {baseline}"
    ax, bottoms, _ = _rows(ax, labels, 1, title, meaning)
    ax.axvline(0, color="0.5", linewidth=1)
    for name, top, bottom in zip(ranked, [0, *bottoms], bottoms, strict=False):
        comparison = comparisons.get(name)
        if comparison is None or not comparison.is_significant:
            ax.axhspan(top, bottom, color=_SHADE, linewidth=0)
        if comparison is None:
            ax.plot([0], [bottom - 0.5], "D", color=_BLUE)
            continue
        interval = comparison.difference_interval
        ax.plot([interval.low, interval.high], [bottom - 0.5] * 2, "|-", color=_BLUE)
        fillstyle = "full" if comparison.is_significant else "none"
        ax.plot([comparison.difference], [bottom - 0.5], "o", color=_BLUE, fillstyle=fillstyle)
    return ax


def plot_matrix(
    scores: Any,
    *,
    rows: Sequence[str] | None = None,
    columns: Sequence[str] | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw a matrix of scores as a heat map, with values where they fit into the cells.

    Parameters
    ----------
    scores : array of float, shape (hypotheses, references)
        As returned by `fastbleu.matrix.pairwise`.
    rows, columns : sequence of str, optional
        Names of the rows and columns; by default numbers from 0.
    ax : matplotlib.axes.Axes, optional
    """
    values = [[float(score) for score in row] for row in scores]
    if not values or not values[0]:
        raise ValueError("scores is empty: there is nothing to draw")
    names, name_lines = _in_lines(rows or [])
    heads, head_lines = _in_lines(columns or [])
    lines = head_lines * len(heads) + 12, max(name_lines * len(names) + 10, 15)
    ax = _axes(ax, (_LINE * lines[0], _LINE * lines[1]))
    picture = ax.imshow(values, cmap="cividis", aspect="auto")
    ax.locator_params(integer=True)
    if rows is not None:
        ax.set_yticks(range(len(names)), names, parse_math=False)
    if columns is not None:
        ax.set_xticks(range(len(heads)), heads, parse_math=False, rotation=90)
    ax.set_ylabel("hypotheses")
    ax.set_xlabel("references")
    ax.title.set_text("Scores of pairs")
    ax.figure.figure.draw_without_rendering()  # the layout of cells
    height, width = _inches(ax)
    height, width = height / len(values), width / len(values[0])
    if names:
        ax.tick_params("y", labelsize=_font_size(height / name_lines))
    if heads:
        ax.tick_params("x", labelsize=_font_size(width / head_lines))
    size = _font_size(min(height, width / 2.5))
    if size < _SMALLEST:
        ax.figure.colorbar(picture, ax=ax).ax.tick_params(labelsize=_font_size())
        return ax
    for at, row in enumerate(values):
        for column, value in enumerate(row):
            color = "black" if picture.norm(value) > 0.5 else "white"
            place = {"ha": "center", "va": "center", "size": size}
            ax.text(column, at, f"{value:.3g}", color=color, **place)
    return ax


def _axes(ax: Axes | None, inches: tuple[float, float]) -> Axes:
    """The axes, with small letters and a layout that cuts nothing.

    New ones are as wide as a column, or have the size `figure.figsize` if it was set; `inches` are
    the least width and height.
    """
    if ax is None:
        try:
            from matplotlib import pyplot
        except ImportError as error:
            raise ImportError(
                f"plots need matplotlib; install the extra: {install_command('plots')}"
            ) from error
        size = pyplot.rcParams["figure.figsize"]
        if size == pyplot.rcParamsDefault["figure.figsize"]:
            size = _COLUMN, 0.0
        _, ax = pyplot.subplots(figsize=[*map(max, size, inches)])
    if ax.figure.get_layout_engine() is None:
        ax.figure.figure.set_layout_engine("constrained")
    for text in (ax.title, ax.xaxis.label, ax.yaxis.label):
        text.set(size=_font_size(), parse_math=False)
    ax.tick_params(labelsize=_font_size())
    return ax


def _rows(
    ax: Axes | None, labels: Sequence[str], below: int, title: str, xlabel: str
) -> tuple[Axes, list[float], float]:
    """Axes of rows, with room of `below` lines under each label; the rows' ends, and a font size.

    The letters get smaller on axes that were passed in; a new figure is as high as it has to be.
    """
    is_new, ax = ax is None, _axes(ax, (0.0, 1.8))
    figure = ax.figure.figure  # of subfigures, too
    texts = [_filled(ax, label) for label in labels]
    ax.set_xlabel(_filled(ax, xlabel))
    ax.title.set_text(_filled(ax, title))
    *starts, lines = accumulate([text.count("\n") + 1 + below for text in texts], initial=0)
    figure.draw_without_rendering()  # the layout
    if is_new:
        beside = figure.get_figheight() - _inches(ax)[0]
        figure.set_figheight(max(figure.get_figheight(), _LINE * lines + beside + 0.1))
        figure.draw_without_rendering()
    size = _font_size(_inches(ax)[0] / lines)
    for start, text in zip(starts, texts, strict=True):
        place = {"transform": ax.get_yaxis_transform(), "va": "top", "size": size}
        ax.text(0.01, start + 0.1, text, parse_math=False, **place)
    ax.set_ylim(lines, 0)
    ax.set_yticks([])
    return ax, [*starts[1:], lines], size


def _shares(score: Any) -> list[Sequence[float]]:
    """The brevity penalty and the precisions, between the ends of their intervals."""
    if hasattr(score, "value"):
        return [(nan if share is None else share,) * 3 for share in (score.bp, *score.precisions)]
    low, ratio, high = _ratio(score.ref_lens, score.hyp_lens)
    penalty = [min(1.0, exp(1 - at)) for at in (high, ratio, low)]
    return [penalty, *map(_ratio, score.matches.T, score.totals.T)]


def _ratio(counts: Any, totals: Any) -> tuple[float, float, float]:
    """The ratio of two sums over segments, between the ends of its interval, by linearization."""
    total = max(1, totals.sum())
    ratio = counts.sum() / total
    errors = counts - ratio * totals
    half = 1.96 * sqrt(errors @ errors * len(errors) / max(1, len(errors) - 1)) / total
    return ratio - half, ratio, ratio + half


def _font_size(inches: float = inf) -> float:
    """The size of small letters in points, or what fits into lines of a height."""
    from matplotlib.font_manager import FontProperties

    small: float = FontProperties(size="small").get_size_in_points()
    return min(small, 72 * inches / 1.3)


def _inches(ax: Axes) -> tuple[float, float]:
    """The height and the width of the axes."""
    extent, dpi = ax.get_window_extent(), ax.figure.dpi
    return extent.height / dpi, extent.width / dpi


def _filled(ax: Axes, text: str) -> str:
    """The text in lines that are not longer than the axes are wide."""
    return fill(text, max(10, int(_inches(ax)[1] * 72 / (0.62 * _font_size()))))


def _in_lines(names: Sequence[object]) -> tuple[list[str], int]:
    """Names wrapped into short lines, and the most lines of a name."""
    labels = [fill(str(name), _CHARACTERS) for name in names]
    return labels, 1 + max([label.count("\n") for label in labels], default=0)
