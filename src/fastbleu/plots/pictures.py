"""The plots; matplotlib is imported when the first one is drawn.

Systems are rows with their names, so that any number can be told apart without colors.
"""

from __future__ import annotations

from itertools import zip_longest
from math import isnan, nan
from textwrap import fill

from ..core.runtime.extras import install_command

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from typing import Any, Protocol, SupportsFloat, TypeAlias

    from matplotlib.axes import Axes

    class PlottedScore(Protocol):
        """The attributes of a `fastbleu.Score` that are drawn."""

        @property
        def value(self) -> float: ...
        @property
        def precisions(self) -> Sequence[float]: ...
        @property
        def bp(self) -> float | None: ...

    Scores: TypeAlias = PlottedScore | Mapping[str, PlottedScore]

_BLUE = "#0072b2"  # darker than the grey of shaded rows, also in print
_SHADE = "0.85"
_LINE = 32  # characters in a line of a name
_COLUMN = 145  # from the start of one column of bars to the next; bars end at 100
_MOST_CELLS_LABELLED = 20


def plot_precisions(scores: Scores, *, ax: Axes | None = None) -> Axes:
    """Draw the n-gram precisions and the brevity penalty of a score, or of several by name.

    Parameters
    ----------
    scores : Score, or mapping of Score
        Each score is a row, in this order.
    ax : matplotlib.axes.Axes, optional

    Raises
    ------
    ImportError
        matplotlib is not installed.
    TypeError
        `scores` is neither a Score nor a mapping of them.
    """
    given: Any = scores
    named: dict[Any, PlottedScore] = dict(given) if hasattr(given, "items") else {None: given}
    for score in named.values():
        if not hasattr(score, "precisions"):
            raise TypeError(f"scores has a {type(score).__name__}, expected a Score")
    if not named:
        raise ValueError("scores is empty: there is nothing to draw")
    ax, digits = _rows(ax, {name: score.value for name, score in named.items()})
    precisions = zip_longest(*[score.precisions for score in named.values()], fillvalue=nan)
    columns = [*precisions, [nan if score.bp is None else score.bp for score in named.values()]]
    heads = [*(f"{order}-grams" for order in range(1, len(columns))), "BP"]
    for column, shares in enumerate(columns):
        lengths = [100 * share for share in shares]
        bars = ax.barh(range(len(shares)), lengths, 0.7, left=_COLUMN * column, color=_BLUE)
        labels = ["" if isnan(length) else f"{length:.1f}" for length in lengths]
        ax.bar_label(bars, labels, padding=2, fontsize="small")
        ax.axvline(_COLUMN * column, color="0.5", linewidth=0.8)
    ax.set_xlim(0, _COLUMN * len(columns))
    ax.set_xticks([_COLUMN * column for column in range(len(columns))], heads, ha="left")
    ax.tick_params(length=0, labeltop=True, labelbottom=False)
    ax.spines[:].set_visible(False)
    title = "Precisions and brevity penalty in percent"
    if None in named:
        title = f"BLEU {named[None].value:.{digits}f}. {title}"
    ax.set_title(title)
    return ax


def plot_differences(
    scores: Collection[SupportsFloat],
    baseline: Collection[SupportsFloat],
    *,
    ax: Axes | None = None,
) -> Axes:
    """Draw the differences between two systems' segment scores, sorted.

    Parameters
    ----------
    scores, baseline : sequence of S float
        The scores of the same segments.
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
    ax = _axes(ax)
    pairs = zip(scores, baseline, strict=True)
    differences = [float(score) - float(before) for score, before in pairs]
    heights = sorted([height for height in differences if not isnan(height)], reverse=True)
    ax.axhline(0, color="0.5", linewidth=1)
    ax.plot(range(len(heights)), heights, color=_BLUE)
    better, worse = sum(height > 0 for height in heights), sum(height < 0 for height in heights)
    equal = len(heights) - better - worse
    ax.set_xlabel("segments")
    ax.set_ylabel("difference from the baseline")
    ax.set_title(
        f"Better in {better}, worse in {worse}, equal in {equal} segment{'s' * (equal != 1)}"
    )
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
    ax, digits = _rows(ax, {name: scores[name] for name in ranked})
    ax.axvline(0, color="0.5", linewidth=1)
    for row, name in enumerate(ranked):
        comparison = comparisons.get(name)
        if comparison is None or not comparison.is_significant:
            ax.axhspan(row - 0.5, row + 0.5, color=_SHADE, linewidth=0)
        if comparison is None:
            ax.plot([0], [row], "D", color=_BLUE)
            continue
        interval = comparison.difference_interval
        ax.plot([interval.low, interval.high], [row, row], "|-", color=_BLUE, markersize=9)
        fillstyle = "full" if comparison.is_significant else "none"
        ax.plot([comparison.difference], [row], "o", color=_BLUE, fillstyle=fillstyle)
        p_value = comparison._printed_p_values[-1]
        text = f"{comparison.difference:+.{digits}f}, p {'' if '<' in p_value else '= '}{p_value}"
        text += "*" * comparison.is_significant
        ax.text(1.02, row, text, va="center", transform=ax.get_yaxis_transform())
    several = len(comparisons) > 1
    ax.set_xlabel(
        f"difference, with {100 * interval.confidence:g} % intervals"
        + f", not adjusted;\np adjusted for {len(comparisons)} comparisons" * several
        + "\nfilled, *: significant; shaded: tied with the baseline"
    )
    ax.set_title(fill(f"Systems compared with {baseline}", 60), parse_math=False)
    return ax


def plot_matrix(
    scores: Any,
    *,
    rows: Sequence[str] | None = None,
    columns: Sequence[str] | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw a matrix of scores as a heat map, with values for up to 20 rows and columns.

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
    names, cell_height, beside = _in_lines(rows or [])
    heads, cell_width, below = _in_lines(columns or [])
    is_labelled = max(len(values), len(values[0])) <= _MOST_CELLS_LABELLED
    height = max(4.8, 1.2 + below + cell_height * len(values) * (is_labelled or bool(names)))
    width = max(
        6.4, 2.2 + beside + max(0.45, cell_width) * len(values[0]) * (is_labelled or bool(heads))
    )
    ax = _axes(ax, (width, height))
    picture = ax.imshow(values, cmap="cividis", aspect="auto")
    ax.figure.colorbar(picture, ax=ax)
    if is_labelled:
        for at, row in enumerate(values):
            for beside, value in enumerate(row):
                color = "black" if picture.norm(value) > 0.5 else "white"
                ax.text(beside, at, f"{value:.3g}", ha="center", va="center", color=color)
    if rows is not None:
        ax.set_yticks(range(len(names)), names, parse_math=False)
    if columns is not None:
        ax.set_xticks(range(len(heads)), heads, parse_math=False, rotation=90)
    ax.set_ylabel("hypotheses")
    ax.set_xlabel("references")
    ax.set_title("Scores of pairs")
    return ax


def _axes(ax: Axes | None, size: tuple[float, float] | None = None) -> Axes:
    if ax is not None:
        return ax
    try:
        from matplotlib import pyplot
    except ImportError as error:
        raise ImportError(
            f"plots need matplotlib; install the extra: {install_command('plots')}"
        ) from error
    _, made = pyplot.subplots(figsize=size, layout="constrained")
    axes: Axes = made
    return axes


def _rows(ax: Axes | None, scores: Mapping[Any, float]) -> tuple[Axes, int]:
    """Axes with a row per system, its name and score at the left; and the scores' decimals.

    A new figure is made as high as the names need.
    """
    digits = 2 if any(score > 1 for score in scores.values()) else 4
    names = [
        "" if name is None else f"{name}: {score:.{digits}f}" for name, score in scores.items()
    ]
    labels, height, beside = _in_lines(names)
    ax = _axes(ax, (5.2 + beside, 1.2 + height * len(labels)))
    ax.set_yticks(range(len(labels)), labels, parse_math=False)
    ax.set_ylim(len(labels) - 0.5, -0.5)
    return ax, digits


def _in_lines(names: Sequence[str]) -> tuple[list[str], float, float]:
    """Names wrapped into short lines; the inches between names, and of the longest line."""
    labels = [fill(str(name), _LINE) for name in names]
    lines = [label.split("\n") for label in labels] or [[""]]
    longest = max(len(line) for parts in lines for line in parts)
    return labels, 0.15 + 0.17 * max(map(len, lines)), longest / 12
