"""What only tests ask of the compiled kernels: an instruction set, a seed, tokenizers."""

from fastbleu.core.runtime._process import SIMD_LEVELS, active_simd, reseed, use_simd
from fastbleu.core.tokenizers._compiled import COMPILED

# The instruction sets that this processor has; the last one is what is used.
LEVELS = SIMD_LEVELS[: SIMD_LEVELS.index(active_simd()) + 1]

__all__ = ["COMPILED", "LEVELS", "reseed", "use_simd"]
