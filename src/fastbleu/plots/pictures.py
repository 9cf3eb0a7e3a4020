"""The plots; matplotlib is loaded when the first one is drawn."""

from __future__ import annotations

from ..runtime.extras import install_command

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence
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

    Scores: TypeAlias = PlottedScore | Mapping[str, PlottedScore]
    Floats: TypeAlias = Iterable[SupportsFloat]

# Okabe and Ito's colors, which color-blind people can distinguish; the first two as in the
# report.
COLORS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00")
_LARGEST_RATIO = 1.5


def plot_precisions(scores: Scores, ax: Axes | None = None) -> Axes:
    """Draw the n-gram precisions and the brevity penalty of a score, or of several by name.

    Parameters
    ----------
    scores : Score, or mapping of Score
    ax : matplotlib.axes.Axes, optional

    Returns
    -------
    matplotlib.axes.Axes

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
        ax.bar(at, heights, width, color=_color(number), label=label)
        orders = [*(f"{n}-grams" for n in range(1, len(heights))), "BP"]
        ax.set_xticks(range(len(heights)), orders)
    ax.set_ylim(0, 100)
    ax.set_ylabel("%")
    return _finish(ax, named)


def plot_brevity_penalty(scores: Scores, ax: Axes | None = None) -> Axes:
    """Draw the brevity penalty against the length ratio, with a point for each score.

    Parameters, returns and errors as for `plot_precisions`. The curve is the usual one,
    exp(1 - 1 / ratio) below 1.
    """
    from math import exp

    named = _named(scores, "bp")
    ax = _axes(ax)
    ratios = [step / 100 for step in range(1, int(100 * _LARGEST_RATIO) + 1)]
    ax.plot(ratios, [min(1.0, exp(1 - 1 / ratio)) for ratio in ratios], color="0.6")
    for number, (name, score) in enumerate(named.items()):
        ratio = score.hyp_len / score.ref_len if score.ref_len else 0.0
        ax.plot([ratio], [score.bp], "o", color=_color(number), label=name)
    ax.set_xlabel("hypothesis tokens / reference tokens")
    ax.set_ylabel("brevity penalty")
    return _finish(ax, named)


def plot_distribution(
    scores: Floats | Mapping[str, Floats], bins: int = 20, ax: Axes | None = None
) -> Axes:
    """Draw a histogram of the scores of segments, of one system or of several by name.

    Parameters
    ----------
    scores : sequence of float, or mapping of these
        As returned by `fastbleu.BLEU.sentence_scores`.
    bins : int, default 20
    ax : matplotlib.axes.Axes, optional

    Returns
    -------
    matplotlib.axes.Axes
    """
    named = _by_name(scores)
    ax = _axes(ax)
    colors = [_color(number) for number in range(len(named))]
    labels = None if None in named else list(named)
    ax.hist([list(values) for values in named.values()], bins, color=colors, label=labels)
    ax.set_xlabel("score")
    ax.set_ylabel("segments")
    return _finish(ax, named)


def plot_differences(
    scores: Collection[SupportsFloat], baseline: Collection[SupportsFloat], ax: Axes | None = None
) -> Axes:
    """Draw the sorted differences of the scores of segments of two systems.

    Parameters
    ----------
    scores, baseline : sequence of S float
        The scores of the same segments.
    ax : matplotlib.axes.Axes, optional

    Returns
    -------
    matplotlib.axes.Axes

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
    heights = sorted((float(one) - float(other) for one, other in pairs), reverse=True)
    ax.axhline(0, color="0.6", linewidth=1)
    ax.plot(range(len(heights)), heights, color=COLORS[0])
    ax.set_xlabel("segments")
    ax.set_ylabel("difference from the baseline")
    return ax


def plot_history(
    history: Floats | Mapping[str, Floats],
    steps: Sequence[float] | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw scores over epochs or steps, of one run or of several by name.

    Parameters
    ----------
    history : sequence of float or Score, or mapping of these
    steps : sequence of float, optional
        The positions of the scores; by default 1, 2, 3, ...
    ax : matplotlib.axes.Axes, optional

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    ValueError
        There are not as many steps as scores.
    """
    named = _by_name(history)
    ax = _axes(ax)
    for number, (name, run) in enumerate(named.items()):
        values = [float(score) for score in run]
        places = range(1, len(values) + 1) if steps is None else steps
        if len(places) != len(values):
            raise ValueError(f"steps has {len(places)} values, but there are {len(values)} scores")
        ax.plot(places, values, "o-", color=_color(number), markersize=3, label=name)
    ax.set_xlabel("epoch" if steps is None else "step")
    ax.set_ylabel("BLEU")
    return _finish(ax, named)


def _axes(ax: Axes | None) -> Axes:
    if ax is not None:
        return ax
    try:
        from matplotlib import pyplot
    except ImportError as error:
        raise ImportError(
            f"pictures need matplotlib; install the extra: {install_command('plots')}"
        ) from error
    axes: Axes = pyplot.subplots(layout="constrained")[1]
    return axes


def _by_name(scores: Any) -> dict[Any, Any]:
    """Scores by name; a single one has the name None."""
    return dict(scores) if hasattr(scores, "items") else {None: scores}


def _named(scores: Scores, attribute: str) -> dict[Any, Any]:
    """Scores by name, at least one."""
    named = _by_name(scores)
    for score in named.values():
        if not hasattr(score, attribute):
            raise TypeError(f"scores has a {type(score).__name__}, expected a Score")
    if not named:
        raise ValueError("scores is empty: there is nothing to draw")
    return named


def _color(number: int) -> str:
    return COLORS[number % len(COLORS)]


def _finish(ax: Axes, named: dict[Any, Any]) -> Axes:
    """Add the legend, if there are names."""
    if None not in named:
        ax.legend(frameon=False)
    return ax
