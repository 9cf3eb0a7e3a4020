"""Expected utility in linear time: candidates against the expected n-gram counts of all references.

References
----------
DeNero, Chiang and Knight (2009), Fast consensus decoding over translation forests: BLEU against
expected counts. Vamvas and Sennrich (2024), Linear-time minimum Bayes risk decoding with reference
aggregation: what it does to other utilities, and how to name it.
"""

from __future__ import annotations

from math import exp, log

import numpy

from ..dialects.parameters import Parameters
from ._ngrams import Features, Ngrams, expected_rows

TYPE_CHECKING = False
if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ._sentences import Sentences


class Aggregation:
    """Scores candidates against what their references hold on average.

    A reference of average length is scored against, which has each n-gram as often as the
    references have it on average: the matches of an n-gram are the smaller of its count in the
    candidate and its expected count. sacreBLEU's formula makes a score of these fractions.

    That is no mean of scores, but it mostly chooses the same candidate. On 64 candidates for each
    source, crossed from the outputs of three WMT22 systems, it did so for 74 to 84 % of the
    sources, and what it chose instead lost 0.2 to 0.5 of 100 points of expected score on average;
    for candidates from two systems that have little in common it was 51 to 70 %, and 0.4 to 1.8
    points (`tests/matrix/test_mbr.py` prints this).

    Parameters
    ----------
    parameters : Parameters
        Of sacreBLEU's dialect.

    Attributes
    ----------
    cancelled : bool
        Whether to stop after the present source: another thread sets it.
    """

    def __init__(self, parameters: Parameters) -> None:
        self.cancelled = False
        self._parameters = parameters
        self._ngrams = Ngrams(parameters.max_order)

    def scores(
        self,
        candidates: Sentences,
        references: Sentences,
        weights: NDArray[numpy.float64] | None = None,
        logarithms: bool = False,
    ) -> NDArray[numpy.float64]:
        """The score of each candidate against the expected counts.

        Parameters
        ----------
        candidates, references : Sentences
            Over one vocabulary; or one and the same object.
        weights : array of float64, shape (R,), optional
            Of the references; at least 0 and not all 0. By default all are equal.
        logarithms : bool, default False
            `weights` are logarithms of weights that add up to 1, and the sums are those of `mbrs`
            to the last bit.

        Returns
        -------
        ndarray of float64, shape (C,)
            0-100.
        """
        if weights is None:
            weights = numpy.ones(len(references))
        self._ngrams.clear()
        of_references = Features(self._ngrams, references)
        of_candidates = of_references
        if candidates is not references:
            of_candidates = Features(self._ngrams, candidates)
        flat = expected_rows(self._ngrams, of_candidates, of_references, weights, logarithms)
        max_order = self._parameters.max_order
        rows = numpy.frombuffer(flat).reshape(-1, 2 + 2 * max_order)
        if logarithms:
            # Python's own sum, which is compensated from 3.12 on.
            lengths = zip(references.lengths, weights.tolist(), strict=True)
            rows[:, 1] = sum([exp(log(n) + weight) if n else 0.0 for n, weight in lengths])
        return numpy.asarray(self._parameters.expected_scores(rows), numpy.float64)
