"""Types for annotations: names that options have, and what is scored.

The options themselves take any str, which may come from a file of settings. Annotate your variable
with one of these types, and a type checker finds a wrong name.
"""

from .core.inputs.types import Hypotheses, Mask, MissingChoice, ReferenceLength, References
from .originals.name_types import DialectName, RecipeName, SmoothingName, TokenizerName

__all__ = [
    "DialectName",
    "Hypotheses",
    "Mask",
    "MissingChoice",
    "RecipeName",
    "ReferenceLength",
    "References",
    "SmoothingName",
    "TokenizerName",
]
