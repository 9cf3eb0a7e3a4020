"""Plots of scores with matplotlib: the extra `plots`.

Every function takes plain numbers or scores of this package, and ``ax=``, the matplotlib axes to
draw into (by default new ones), and returns the axes. Systems are rows with names, so that any
number of them can be told apart, also in print.
"""

from .pictures import plot_comparisons, plot_differences, plot_matrix, plot_precisions

__all__ = ["plot_comparisons", "plot_differences", "plot_matrix", "plot_precisions"]
