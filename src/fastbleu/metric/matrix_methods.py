"""The methods of `fastbleu.BLEU` that pair sentences with many others; done in matrix/."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from .scorer import Scorer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    import numpy
    from numpy.typing import NDArray

    from ..matrix.decoding import MBRResult
    from ..matrix.diversity import SelfBLEU
    from ..matrix.index import ReferenceIndex

    Scores = NDArray[numpy.floating[Any]]


class MatrixMethods(Scorer):
    """Many against many. A sentence is a str, or where `tokenize` is None tokens or token ids.

    What is said of arguments here becomes a part of the docstrings of matrix/functions.py.
    """

    __slots__ = ()

    def pairwise(
        self,
        hypotheses: Any,
        references: Any,
        *,
        out: Any = None,
        dtype: Any = None,
        progress: bool = False,
        hypothesis_mask: Any = None,
        reference_mask: Any = None,
    ) -> Scores:
        """Sentence BLEU of every hypothesis with every reference.

        Each entry is what `sentence_scores` gives for that pair. With sacreBLEU's dialect
        ``effective_order=True`` is what sentences of fewer than `max_order` tokens need. `threads`
        share a large source, and take one after the other where there are many small ones.

        Parameters
        ----------
        hypotheses : sequence of H sentences, or of B sequences of H sentences
            Sentences are str; where `tokenize` is None lists of tokens, or token ids in an array of
            shape (H, length) or (B, H, length) or in a list of arrays. Tokens may be tuples: what
            is nested in tuples alone is one source, of sentences whose tokens are tuples.
        references : sequence of R sentences, or of B sequences of R sentences
            Each is the one reference of a pair: they are not nested by segment here.
        out : ndarray of float64 or float32, shape (H, R) or (B, H, R), optional
            Where the scores are written. What stands there after an error or Ctrl-C is not defined.
        dtype : float64 or float32, optional
            float32 halves the memory, and each score is rounded to it. By default that of `out`, or
            float64.
        progress : bool, default False
            Show a progress bar on standard error.
        hypothesis_mask, reference_mask : array of bool or integers, optional
            For token ids, of the same shapes: an id counts where they are not 0.

        Returns
        -------
        ndarray, shape (H, R) or (B, H, R)
            On the dialect's scale. `out` if it was given.

        Raises
        ------
        ValueError
            One side is batched and the other is not, batches have different sizes, or `out` has
            another shape or type.
        TypeError
            Something is no sentence; the message names its place.

        Warns
        -----
        InputWarning
            Sentences score 0 because they are short; lists of tokens seem to be taken for sources
            of text; or as by `sentence_scores`.

        Examples
        --------
        >>> from fastbleu import BLEU
        >>> metric = BLEU(effective_order=True)
        >>> metric.pairwise(["a b c d", "a b"], ["a b c d", "b a c d", "x"]).round(1)
        array([[100. ,  38. ,   0. ],
               [ 36.8,  26. ,   0. ]])
        """
        from ..matrix.all_pairs import pairwise

        masks = hypothesis_mask, reference_mask
        return pairwise(self, hypotheses, references, masks, out, dtype, progress)

    def iter_blocks(
        self,
        hypotheses: Any,
        references: Any,
        *,
        rows: int | None = None,
        dtype: Any = None,
        progress: bool = False,
        hypothesis_mask: Any = None,
        reference_mask: Any = None,
    ) -> Iterator[tuple[slice, Scores]]:
        """The matrix of `pairwise` block by block, so that it never lies in memory as a whole.

        Parameters
        ----------
        hypotheses, references, dtype, progress, hypothesis_mask, reference_mask
            As for `pairwise`, which also names the errors; but there are no batches.
        rows : int, optional
            Hypotheses in a block; by default as many as make 64 MB.

        Yields
        ------
        slice
            The hypotheses of the block.
        ndarray, shape (rows, R)
            Their scores with all references; a new array each time.

        Examples
        --------
        >>> from fastbleu import BLEU
        >>> metric = BLEU(effective_order=True)
        >>> for rows, scores in metric.iter_blocks(["a b", "b", "a"], ["a", "b"], rows=2):
        ...     print(rows, scores.shape)
        slice(0, 2, None) (2, 2)
        slice(2, 3, None) (1, 2)
        """
        from ..matrix.all_pairs import iter_blocks

        masks = hypothesis_mask, reference_mask
        return iter_blocks(self, hypotheses, references, masks, rows, dtype, progress)

    def mbr(
        self,
        candidates: Any,
        references: Any = None,
        weights: Any = None,
        *,
        log_probabilities: Any = None,
        aggregate: bool = False,
        matrix: bool = False,
        progress: bool = False,
        candidate_mask: Any = None,
        reference_mask: Any = None,
    ) -> MBRResult:
        """Minimum Bayes risk decoding: the candidate with the highest expected score.

        Parameters
        ----------
        candidates : sequence of C sentences, or of B sequences of C sentences
            Those of one source, or of B sources; sentences as in `pairwise`.
        references : sequence of R sentences, or of B sequences of R sentences, optional
            What stands for the truth: samples. By default the candidates, each with itself, too.
        weights : array_like of float, shape (R,) or (B, R), optional
            Of the references: finite, at least 0, not all 0. By default all are equal, which is
            right for samples drawn from a model: how often each is drawn is its weight.
        log_probabilities : array_like of float, shape (R,) or (B, R), optional
            In place of weights: their logarithms, up to a constant.
        aggregate : bool, default False
            Score each candidate once, against the expected n-gram counts of all references, in
            linear time. An approximation: see Notes. For sacreBLEU's dialect.
        matrix : bool, default False
            Keep the score of each pair in the result.
        progress : bool, default False
            Show a progress bar on standard error.
        candidate_mask, reference_mask : array of bool or integers, optional
            For token ids, of the same shapes: an id counts where they are not 0.

        Returns
        -------
        MBRResult
            `best` (of several equal candidates the first), `utilities`, `matrix`, `signature`.

        Raises
        ------
        ValueError
            There are no candidates or no references, weights have the wrong shape or value, or as
            by `pairwise`.
        TypeError
            As by `pairwise`.

        Warns
        -----
        InputWarning
            `log_probabilities` look like probabilities, or as by `pairwise`.

        Notes
        -----
        Candidates, and references, that are the same tokens are scored once. Which utility is the
        highest is decided by floats: of candidates whose scores are the same but stand with other
        references, the last bits of the sums decide.

        ``aggregate=True`` is what DeNero, Chiang and Knight (2009), Fast consensus decoding over
        translation forests, propose. On 64 candidates crossed from the outputs of three WMT22
        systems it chose the same candidate for 74 to 84 % of the sources and lost 0.2 to 0.5 points
        of expected score on average; for candidates of two unlike systems 51 to 70 % and 0.4 to
        1.8 points.

        Examples
        --------
        >>> from fastbleu import BLEU
        >>> samples = ["the cat sat", "the cat sat down", "a cat sat down", "the cat sat down"]
        >>> BLEU(effective_order=True).mbr(samples).best
        1
        """
        from ..matrix.decoding import mbr

        masks = candidate_mask, reference_mask
        how = aggregate, matrix, progress
        return mbr(self, candidates, references, masks, weights, log_probabilities, *how)

    def self_bleu(
        self,
        sentences: Any,
        orders: Iterable[int] = (2, 3, 4, 5),
        sample: int | None = None,
        *,
        seed: int = 0,
        progress: bool = False,
        mask: Any = None,
    ) -> SelfBLEU:
        """Self-BLEU: how much a set of sentences repeats itself.

        Each sentence is scored against all the others as its references, and scores are averaged,
        for each order n with equal weights for 1 to n. The time is linear in the number of
        sentences; `threads` do not shorten it.

        Parameters
        ----------
        sentences : iterable of S sentences
            As in `pairwise`. An iterator is read in parts, so that only token ids are in memory.
        orders : iterable of int, default (2, 3, 4, 5)
            Whatever the metric's own `max_order` and `weights`.
        sample : int, optional
            Score so many sentences only, drawn without replacement, each against all the others.
        seed : int, default 0
            Of the sample.
        progress : bool, default False
            Show a progress bar on standard error.
        mask : array of bool or integers, optional
            For token ids, of the same shape: an id counts where it is not 0.

        Returns
        -------
        SelfBLEU
            Averages by order, and the score of each sentence; on the dialect's scale.

        Raises
        ------
        ValueError
            There are fewer than 2 sentences, an order is below 1, or as by `pairwise`.
        TypeError
            As by `pairwise`.

        Warns
        -----
        InputWarning
            As by `pairwise`.

        References
        ----------
        Zhu et al. (2018), Texygen: A Benchmarking Platform for Text Generation Models.
        """
        from ..matrix.diversity import self_bleu

        return self_bleu(self, sentences, mask, orders, sample, seed, progress)

    def reference_index(
        self, references: Any, *, reference_mask: Any = None, progress: bool = False
    ) -> ReferenceIndex:
        """One set of references for any number of hypotheses; see `fastbleu.matrix.ReferenceIndex`.

        Parameters
        ----------
        references : sequence of R sentences
            Any hypothesis is going to have all of them as its references.
        reference_mask : array of bool or integers, optional
            For token ids, of the same shape: an id counts where it is not 0.
        progress : bool, default False
            Show a progress bar on standard error.
        """
        from ..matrix.index import ReferenceIndex

        return ReferenceIndex(
            references, metric=self, reference_mask=reference_mask, progress=progress
        )
