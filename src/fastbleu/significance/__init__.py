"""Confidence intervals of scores and tests of differences, by resampling sufficient statistics.

    from fastbleu.significance import bootstrap, paired_bootstrap

`bootstrap` gives one system's score a confidence interval; `paired_bootstrap` and
`paired_approximate_randomization` test any number of systems against a baseline; `compare` does so
from texts.
"""

from .procedures import bootstrap, compare, paired_approximate_randomization, paired_bootstrap
from .results import Comparison, Comparisons, Interval

__all__ = [
    "Comparison",
    "Comparisons",
    "Interval",
    "bootstrap",
    "compare",
    "paired_approximate_randomization",
    "paired_bootstrap",
]
