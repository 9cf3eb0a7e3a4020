"""What adaptors share: the import of a host, and the metric that counts for it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from ..core.inputs.arguments import check_flag
from ..core.metric.argument import as_metric, scorer_of
from ..core.metric.bleu import BLEU
from ..core.runtime.extras import install_command
from ..core.runtime.import_lock import lazy
from ..core.scoring.base import STATE

if TYPE_CHECKING:
    import torch

    from ..core.metric.argument import Metric
else:
    torch = lazy("torch")

# The hosts' names for options of BLEU; other options have the same names.
_NAMES = {"n_gram": "max_ngram_order", "smooth": "smooth_method"}
_NO_OPTIONS: Mapping[str, Any] = {}


@contextmanager
def host_imports(adaptor: str, *hosts: str, extra: str = "") -> Iterator[None]:
    """A context for an adaptor's imports: the error for a missing host says how to install it."""
    try:
        yield
    except ModuleNotFoundError as error:
        if error.name not in hosts:
            raise
        raise ModuleNotFoundError(
            f"fastbleu.integrations.{adaptor} needs {error.name}, which is not installed; "
            f"install the extra: {install_command(extra or adaptor)}",
            name=error.name,
        ) from None


def host_metric(
    metric: Metric | None,
    defaults: Mapping[str, Any] = _NO_OPTIONS,
    given: Mapping[str, Any] = _NO_OPTIONS,
) -> BLEU:
    """Return a new BLEU with a metric's arguments or a host's options; the host keeps its counts.

    `defaults` and `given` are options under the host's own names: its defaults, and what the user
    passes. Besides the errors of `as_metric` and `BLEU`, raises ValueError if there are both a
    metric and options, or the metric keeps segments, or its dialect does not score sums.
    """
    for name, value in given.items():
        if isinstance(value, BLEU):
            raise TypeError(f"{name} is a BLEU; pass it as metric=")
    if metric is None:
        options = {**defaults, **given}
        weights, order = options.get("weights"), options.get("n_gram")
        if weights is not None and len(weights) != order:
            lengths = f"len(weights)={len(weights)}, n_gram={order}"
            raise ValueError(f"the length of weights should equal n_gram, got {lengths}")
        if "smooth" in options:
            options["smooth"] = "add-k" if check_flag("smooth", options["smooth"]) else "none"
        metric = BLEU(**{_NAMES.get(name, name): value for name, value in options.items()})
    elif names := [name for name in given if not _is_default(given[name], defaults[name])]:
        raise ValueError(
            f"metric is given, and {', '.join(names)} too: a metric has all options, so pass these "
            "to fastbleu.BLEU, under its names"
        )
    bleu = as_metric(metric)
    if bleu.keep_stats:
        raise ValueError(
            "keep_stats=True is not supported here, where a metric keeps sums, not rows; use "
            "fastbleu.BLEU(keep_stats=True) with its own update and all_reduce"
        )
    scorer_of(bleu).require(STATE)
    return BLEU(**bleu.get_params())


def _is_default(value: Any, default: Any) -> bool:
    # Weights may be a tensor, which has no single truth value.
    return value is default or (default is not None and bool(value == default))


# For hosts that keep their counts in tensors.


def joined(
    hyp_len: torch.Tensor, ref_len: torch.Tensor, matches: torch.Tensor, totals: torch.Tensor
) -> list[int]:
    """Rejoin a row that `tensors` in originals/float32.py split; OverflowError if negative."""
    row: list[int] = torch.cat((torch.stack((hyp_len, ref_len)), matches, totals)).tolist()
    if min(row) < 0:
        raise OverflowError(f"a count exceeds int64: {row}")
    return row


def score(bleu: BLEU, row: Sequence[int], device: torch.device) -> torch.Tensor:
    """The score of a row, 0-1, as float64 (on Apple's GPUs float32)."""
    scorer = scorer_of(bleu)
    value = scorer.value(scorer.restore(row))
    dtype = torch.float32 if device.type == "mps" else torch.float64
    return torch.tensor(value / scorer.scale, dtype=dtype, device=device)
