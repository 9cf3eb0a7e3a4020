"""`Options`: what a dialect is asked for."""

from __future__ import annotations


class Options:
    """What a dialect is asked for, checked; `weights` is None where all are 1 / max_order."""

    __slots__ = ("effective_order", "smoothing", "smoothing_value", "weights")

    def __init__(
        self,
        weights: tuple[float, ...] | None,
        smoothing: str,
        smoothing_value: float | None,
        effective_order: bool,
    ) -> None:
        self.weights = weights
        self.smoothing = smoothing
        self.smoothing_value = smoothing_value
        self.effective_order = effective_order
