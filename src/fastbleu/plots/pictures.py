"""The plots; matplotlib is loaded when the first one is drawn."""

from __future__ import annotations

from ..runtime.extras import install_command

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from typing import Any, Protocol, SupportsFloat, TypeAlias

    from matplotlib.axes import Axes

    class PlottedScore(Protocol):
        """What is drawn of a `fastbleu.Score`."""

        @property
        def value(self) -> float: ...
        @property
        def precisions(self) -> Sequence[float]: ...
        @property
        def bp(self) -> float: ...
        @property
        def hyp_len(self) -> int: ...
        @property
        def ref_len(self) -> int: ...

    class PlottedComparison(Protocol):
        """What is drawn of a `fastbleu.significance.Comparison`."""

        @property
        def difference(self) -> float: ...
        @property
        def difference_interval(self) -> object: ...
        @property
        def is_significant(self) -> bool: ...

    Scores: TypeAlias = PlottedScore | Mapping[str, PlottedScore]

# Okabe and Ito's colors, which color-blind people can distinguish.
COLORS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00")
_GREY = "0.5"  # of texts and lines: legible on white and on black
_MOST_LABELLED = 2  # systems whose bars have their values
_MOST_CELLS_LABELLED = 12


def plot_precisions(scores: Scores, *, ax: Axes | None = None) -> Axes:
    """Draw the n-gram precisions and the brevity penalty of a score, or of several by name.

    Parameters
    ----------
    scores : Score, or mapping of Score
    ax : matplotlib.axes.Axes, optional

    Raises
    ------
    ImportError
        matplotlib is not installed.
    TypeError
        `scores` is neither a Score nor a mapping of them.
    """
    named = _named(scores, "precisions")
    ax = _axes(ax)
    width = 0.8 / len(named)
    for number, (name, score) in enumerate(named.items()):
        heights = [*(100 * precision for precision in score.precisions), 100 * score.bp]
        at = [place + (number - (len(named) - 1) / 2) * width for place in range(len(heights))]
        label = None if name is None else f"{name}: {score.value:.4g}"
        bars = ax.bar(at, heights, width, color=_color(number), label=label)
        if len(named) <= _MOST_LABELLED:
            ax.bar_label(bars, fmt="%.1f", fontsize="x-small")
        orders = [*(f"{n}-grams" for n in range(1, len(heights))), "BP"]
        ax.set_xticks(range(len(heights)), orders)
    ax.set_ylim(0, 107)
    ax.set_ylabel("%")
    score = named.get(None)
    title = "Precisions and brevity penalty"
    return _finish(ax, named, f"BLEU {score.value:.4g}" if score else title)


def plot_brevity_penalty(scores: Scores, *, ax: Axes | None = None) -> Axes:
    """Draw the brevity penalty against the length ratio, with a point for each score.

    Parameters and errors as for `plot_precisions`. The curve is the usual one,
    exp(1 - 1 / ratio) below 1.
    """
    from math import exp

    named = _named(scores, "bp")
    ax = _axes(ax)
    of_scores = [
        score.hyp_len / score.ref_len if score.ref_len else 0.0 for score in named.values()
    ]
    low, high = min(0.9, *of_scores) * 0.97, max(1.1, *of_scores) * 1.03
    steps = [low + (high - low) * step / 200 for step in range(201)]
    ratios = sorted({1.0, *[ratio for ratio in steps if ratio > 0]})
    ax.plot(ratios, [min(1.0, exp(1 - 1 / ratio)) for ratio in ratios], color=_GREY)
    for number, (score, ratio) in enumerate(zip(named.values(), of_scores, strict=True)):
        name = list(named)[number]
        text = f"BP {score.bp:.3f}" if name is None else f"{name}: BP {score.bp:.3f}"
        ax.plot([ratio], [score.bp], "o", color=_color(number), label=text)
    if None in named:
        ax.annotate(text, (ratio, score.bp), (6, -12), textcoords="offset points")
    ax.set_xlabel("hypothesis tokens / reference tokens")
    ax.set_ylabel("brevity penalty")
    return _finish(ax, named, "Length and brevity penalty")


def plot_differences(
    scores: Collection[SupportsFloat],
    baseline: Collection[SupportsFloat],
    *,
    ax: Axes | None = None,
) -> Axes:
    """Draw the sorted differences of the scores of segments of two systems.

    Parameters
    ----------
    scores, baseline : sequence of S float
        The scores of the same segments.
    ax : matplotlib.axes.Axes, optional

    Raises
    ------
    ValueError
        They differ in length.
    """
    if len(scores) != len(baseline):
        raise ValueError(
            f"scores has {len(scores)} segments, baseline has {len(baseline)}; compare the scores "
            "of the same segments"
        )
    ax = _axes(ax)
    pairs = zip(scores, baseline, strict=True)
    heights = sorted((float(score) - float(before) for score, before in pairs), reverse=True)
    ax.axhline(0, color=_GREY, linewidth=1)
    ax.plot(range(len(heights)), heights, color=COLORS[0])
    better, worse = sum(height > 0 for height in heights), sum(height < 0 for height in heights)
    ax.set_xlabel("segments")
    ax.set_ylabel("difference from the baseline")
    return _finish(ax, {None: None}, f"Better in {better}, worse in {worse} segments")


def plot_comparisons(
    comparisons: Mapping[Any, PlottedComparison], *, ax: Axes | None = None
) -> Axes:
    """Draw the differences from the baseline with their intervals; what is significant is filled.

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
    ax = _axes(ax)
    ax.axvline(0, color=_GREY, linewidth=1)
    for number, comparison in enumerate(comparisons.values()):
        interval: Any = comparison.difference_interval
        ends = [[comparison.difference - interval.low], [interval.high - comparison.difference]]
        ax.errorbar(
            [comparison.difference],
            [-number],
            xerr=ends,
            fmt="o",
            color=COLORS[0],
            capsize=3,
            fillstyle="full" if comparison.is_significant else "none",
        )
        place = (comparison.difference, -number)
        text = f"{comparison.difference:+.2f}"
        ax.annotate(text, place, (0, 6), textcoords="offset points", ha="center")
    ax.set_yticks([-number for number in range(len(comparisons))], list(map(str, comparisons)))
    ax.margins(y=0.2)
    ax.set_xlabel(f"difference from {getattr(comparisons, 'baseline', 'the baseline')}")
    percent = f"{100 * interval.confidence:g} % intervals"
    percent += ", not adjusted" * (len(comparisons) > 1)
    return _finish(ax, {None: None}, f"Differences with {percent}; filled: significant")


def plot_matrix(
    scores: Any,
    *,
    rows: Sequence[str] | None = None,
    columns: Sequence[str] | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw a matrix of scores as a heat map; up to 12 rows and columns have their values.

    Parameters
    ----------
    scores : array of float, shape (hypotheses, references)
        As returned by `fastbleu.matrix.pairwise`.
    rows, columns : sequence of str, optional
        Their names; by default numbers from 0.
    ax : matplotlib.axes.Axes, optional
    """
    values = [[float(score) for score in row] for row in scores]
    if not values or not values[0]:
        raise ValueError("scores is empty: there is nothing to draw")
    ax = _axes(ax)
    picture = ax.imshow(values, cmap="cividis", aspect="auto")
    ax.figure.colorbar(picture, ax=ax)
    if max(len(values), len(values[0])) <= _MOST_CELLS_LABELLED:
        for at, row in enumerate(values):
            for beside, value in enumerate(row):
                color = "black" if picture.norm(value) > 0.5 else "white"
                ax.text(beside, at, f"{value:.3g}", ha="center", va="center", color=color)
    if rows is not None:
        ax.set_yticks(range(len(rows)), rows)
    if columns is not None:
        ax.set_xticks(range(len(columns)), columns, rotation=30, ha="right")
    ax.set_ylabel("hypotheses")
    ax.set_xlabel("references")
    return _finish(ax, {None: None}, "Scores of pairs")


def _axes(ax: Axes | None) -> Axes:
    if ax is not None:
        return ax
    try:
        from matplotlib import pyplot
    except ImportError as error:
        raise ImportError(
            f"pictures need matplotlib; install the extra: {install_command('plots')}"
        ) from error
    figure, axes = pyplot.subplots(layout="constrained")
    # For notebooks in light and in dark: nothing is painted behind, and texts become grey.
    figure.patch.set_alpha(0)
    axes.patch.set_alpha(0)
    made: Axes = axes
    return made


def _named(scores: Any, attribute: str) -> dict[Any, Any]:
    """Scores by name, at least one; a single one has the name None."""
    named = dict(scores) if hasattr(scores, "items") else {None: scores}
    for score in named.values():
        if not hasattr(score, attribute):
            raise TypeError(f"scores has a {type(score).__name__}, expected a Score")
    if not named:
        raise ValueError("scores is empty: there is nothing to draw")
    return named


def _color(number: int) -> str:
    return COLORS[number % len(COLORS)]


def _finish(ax: Axes, named: dict[Any, Any], title: str) -> Axes:
    """Add the title, and the legend if there are names; own axes get grey texts and lines."""
    ax.set_title(title, fontsize="medium")
    if None not in named:
        ax.legend(frameon=False)
    if ax.patch.get_alpha() == 0:
        legend = ax.get_legend()
        on_cells = bool(ax.images)
        texts = [ax.title, ax.xaxis.label, ax.yaxis.label, *([] if on_cells else ax.texts)]
        for text in [*texts, *(legend.get_texts() if legend else [])]:
            text.set_color(_GREY)
        for each in getattr(ax.figure, "axes", [ax]):
            each.tick_params(colors=_GREY)
            for spine in each.spines.values():
                spine.set_color(_GREY)
    return ax
