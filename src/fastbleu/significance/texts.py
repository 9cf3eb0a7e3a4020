"""Comparing systems from their texts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Literal

from ..inputs.arguments import a_type, check_choice, refuse_options, shown
from ..metric.bleu import BLEU
from .procedures import ResamplingOptions, paired_approximate_randomization, paired_bootstrap
from .results import Comparisons, Name

if TYPE_CHECKING:
    from typing import Unpack

    from ..inputs.types import Hypotheses, References

_METHODS: dict[str, Callable[..., Any]] = {
    "approximate_randomization": paired_approximate_randomization,
    "bootstrap": paired_bootstrap,
}


class CompareOptions(ResamplingOptions, total=False):
    """Options of `compare` for its method; `trials` are those of approximate randomization."""

    trials: int


def compare(
    systems: Mapping[Name, Hypotheses],
    references: References,
    *,
    method: Literal["approximate_randomization", "bootstrap"] = "approximate_randomization",
    metric: BLEU | None = None,
    **options: Unpack[CompareOptions],
) -> Comparisons[Name]:
    """Compare the hypotheses of systems with those of the first one, the baseline.

    Parameters
    ----------
    systems : mapping of hypotheses by name, two or more
        Hypotheses of S segments each, as for `fastbleu.BLEU.score`.
    references : references of S segments
        As for `fastbleu.BLEU.score`.
    method : {"approximate_randomization", "bootstrap"}, default "approximate_randomization"
        How p-values are found: `paired_approximate_randomization` or `paired_bootstrap`, as by
        sacreBLEU's ``--paired-ar`` and ``--paired-bs``. Intervals are those of the bootstrap.
    metric : BLEU, optional
        The BLEU to compute; by default ``fastbleu.BLEU()``.
    **options
        Options of the method: `samples` (1000 by default), `trials`, `confidence`, `seed`,
        `progress`.

    Returns
    -------
    Comparisons
        Comparisons of all systems except the first, by name; `adjusted_p_value` is corrected for
        their number.

    Raises
    ------
    TypeError
        An argument is of the wrong type, or `options` has one that belongs to the metric.
    ValueError
        There are fewer than two systems, or the texts of one cannot be scored (the message names
        it); or as for `paired_bootstrap`.

    Examples
    --------
    >>> references = ["the cat sat on the mat", "it rained all night", "a dog barked at us"]
    >>> new = ["the cat sat on a mat", "it rained all night", "a dog barked at us"]
    >>> found = compare({"baseline": references, "new": new}, references, samples=100, seed=1)
    >>> round(found["new"].difference, 2)
    -20.31
    """
    metric = BLEU() if metric is None else metric
    if not isinstance(metric, BLEU):
        raise TypeError(f"metric is {a_type(metric)}, expected a fastbleu.BLEU")
    check_choice("method", method, tuple(_METHODS))
    if not isinstance(systems, Mapping):
        given = a_type(systems)
        raise TypeError(f"systems is {given}, expected hypotheses by name: {{'new': hypotheses}}")
    if len(systems) < 2:
        given = f"systems has {len(systems)} entries"
        raise ValueError(f"{given}, expected two or more: the first one is the baseline")
    refuse_options("compare", options, CompareOptions.__optional_keys__)
    chosen = scoring_options(metric)
    rows = {}
    for name, hypotheses in systems.items():
        try:
            rows[name] = metric.statistics(hypotheses, references)
        except (TypeError, ValueError) as error:
            kind = TypeError if isinstance(error, TypeError) else ValueError
            raise kind(f"systems[{shown(name)}]: {error}") from error
    options.setdefault("samples", 1000)
    baseline, *others = rows
    compared = {name: rows[name] for name in others}
    found: Comparisons[Name] = _METHODS[method](
        rows[baseline], compared, dialect=metric.scorer.dialect, **chosen, **options
    )
    found.baseline = baseline
    return found


def scoring_options(metric: BLEU) -> dict[str, Any]:
    """The options of the tests that give a metric's scores."""
    return {option: getattr(metric, option) for option in metric.scorer.dialect.options}
