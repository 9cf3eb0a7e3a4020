"""Confidence intervals of scores and tests of differences, by resampling segments.

    from fastbleu.significance import bootstrap, compare

`bootstrap` gives one system's score a confidence interval; `compare` tests any number of systems
against a baseline. Both take texts, or Stats counted from them.
"""

from .procedures import bootstrap, compare
from .results import Comparison, Comparisons, Interval

__all__ = ["Comparison", "Comparisons", "Interval", "bootstrap", "compare"]
