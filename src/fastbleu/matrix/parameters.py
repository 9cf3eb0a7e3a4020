"""The parameters of a matrix: those of a metric, or arguments of `fastbleu.BLEU`."""

from __future__ import annotations

from ..dialects.parameters import Parameters

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def parameters_of(metric: Any, arguments: dict[str, Any]) -> Parameters:
    """The metric's parameters, or without a metric those that the arguments make."""
    if metric is None:
        return Parameters(**arguments)
    parameters = getattr(metric, "_parameters", None)
    if not isinstance(parameters, Parameters):
        kind = type(metric)
        name = f"{kind.__module__}.{kind.__qualname__}".removeprefix("builtins.")
        raise TypeError(f"metric is a {name}, expected a fastbleu.BLEU")
    if arguments:
        raise TypeError(
            f"metric is given, and {', '.join(arguments)} too; the metric has all parameters"
        )
    return parameters


def sentence_parameters(metric: Any, arguments: dict[str, Any]) -> Parameters:
    """As `parameters_of`; without a metric, single sentences do not score 0 for being short."""
    if metric is None and arguments.get("dialect", "sacrebleu") == "sacrebleu":
        arguments = {"effective_order": True} | arguments
    return parameters_of(metric, arguments)
