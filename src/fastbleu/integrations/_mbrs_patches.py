"""Replacements for methods of mbrs' `MetricBLEU`: those of `fastbleu.integrations.mbrs`."""

from __future__ import annotations

from dataclasses import astuple
from functools import lru_cache, wraps

from ..runtime.import_lock import import_lock

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType
    from typing import Any

REPLACED = "scores", "pairwise_scores", "expected_scores_reference_aggregation"
# Methods by which a metric scores, which a subclass may override.
RULES = "score", "_score_worker", "_initialize_bleu", "_compute_bleu", "_aggregate_references"


def places(module: ModuleType) -> list[tuple[Any, str, Any]]:
    """The class, the names of its methods and what replaces them."""
    metric = module.MetricBLEU
    return [(metric, name, _method(metric, name)) for name in REPLACED]


def _method(metric: Any, name: str) -> Callable[..., Any]:
    original = getattr(metric, name)
    rules = [getattr(metric, rule) for rule in RULES]

    @wraps(original)
    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        if [getattr(type(self), rule) for rule in RULES] == rules:
            try:
                kind: Any = type(self.cfg)
                fast = _fast_metric(kind, astuple(self.cfg))
                return getattr(fast, name)(*args, **kwargs)
            except (AttributeError, TypeError, ValueError, Warning):  # the original raises its own
                pass
        return original(self, *args, **kwargs)

    return method


@lru_cache(maxsize=64)
def _fast_metric(kind: Any, fields: tuple[Any, ...]) -> Any:
    with import_lock:
        from .mbrs import MetricBLEU
    return MetricBLEU(kind(*fields))
