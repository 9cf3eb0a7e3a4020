"""Types for annotations: `Hypotheses`, `References`, `Mask`, and the names that options have.

Options take any str, which may come from a file of settings. Annotate a variable with
`DialectName`, `RecipeName`, `TokenizerName`, `SmoothingName`, `ReferenceLength` or `MissingChoice`,
and a type checker finds a wrong name.
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
