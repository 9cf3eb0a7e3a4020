"""Plots of scores with matplotlib: the extra `plots`.

Every function takes plain numbers, counts or scores of this package, and ``ax=``, the matplotlib
axes to draw into (by default new ones), and returns the axes. New figures fit into a column of a
paper, unless matplotlib's ``figure.figsize`` is set; all letters are small, and a figure without a
layout engine gets the constrained one, which cuts nothing.
"""

from .pictures import plot_comparisons, plot_differences, plot_matrix, plot_precisions

__all__ = ["plot_comparisons", "plot_differences", "plot_matrix", "plot_precisions"]
