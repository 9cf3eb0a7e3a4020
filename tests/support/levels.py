"""What only tests ask of the compiled kernels: an instruction set, a seed, tokenizers."""

from metrics import kept_metric

from fastbleu.core.runtime import _process
from fastbleu.core.runtime._process import SIMD_LEVELS, active_simd, use_simd
from fastbleu.core.tokenizers._compiled import COMPILED

# The instruction sets that this processor has; the last one is what is used.
LEVELS = SIMD_LEVELS[: SIMD_LEVELS.index(active_simd()) + 1]

__all__ = ["COMPILED", "LEVELS", "reseed", "use_simd"]


def reseed(first: int, second: int) -> None:
    """Set the seed of hashes for what is made from now on."""
    _process.reseed(first, second)
    kept_metric.cache_clear()
