"""The functions of this package; a `fastbleu.BLEU` has methods of the same names."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ..dialects.parameters import Parameters
from . import all_pairs, decoding, diversity
from .decoding import MBRResult
from .diversity import SelfBLEU

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .all_pairs import Scores


def pairwise(
    hypotheses: Any,
    references: Any,
    *,
    out: Any = None,
    dtype: Any = None,
    progress: bool = False,
    hypothesis_mask: Any = None,
    reference_mask: Any = None,
    **parameters: Any,
) -> Scores:
    """Sentence BLEU of every hypothesis with every reference.

    Each entry equals what ``fastbleu.sacrebleu.BLEU(effective_order=True).sentence_score``, and so
    sacreBLEU, gives for that pair. `threads` share a large source; of many small ones each takes
    one after the other.

    Parameters
    ----------
    hypotheses : sequence of H sentences, or of B sequences of H sentences
        Sentences are str; where `tokenize` is None lists of tokens, or token ids in an array of
        shape (H, length) or (B, H, length) or in a list of arrays. Tokens may be tuples: nested
        tuples without lists are one source.
    references : sequence of R sentences, or of B sequences of R sentences
        Each is the one reference of a pair: they are not nested by segment here.
    out : ndarray of float64 or float32, shape (H, R) or (B, H, R), optional
        Where the scores are written; undefined after an error or Ctrl-C.
    dtype : float64 or float32, optional
        By default that of `out`, or float64; float32 rounds each score and halves the memory.
    progress : bool, default False
        Show a progress bar on standard error.
    hypothesis_mask, reference_mask : array of bool or integers, optional
        For token ids, of the same shapes: an id counts where they are not 0.
    **parameters
        Those of `fastbleu.BLEU`. With sacreBLEU's dialect `effective_order` is True by default.

    Returns
    -------
    ndarray, shape (H, R) or (B, H, R)
        On the dialect's scale. `out` if it was given.

    Raises
    ------
    ValueError
        One side is batched and the other is not, batches have different sizes, or `out` has another
        shape or type.
    TypeError
        Something is not a sentence; the message names its place.

    Warns
    -----
    InputWarning
        Lists of tokens look like sources of text; or as by `fastbleu.BLEU.sentence_scores`.

    Examples
    --------
    >>> pairwise(["a b c d", "a b"], ["a b c d", "b a c d", "x"]).round(1)
    array([[100. ,  38. ,   0. ],
           [ 36.8,  26. ,   0. ]])
    """
    masks = hypothesis_mask, reference_mask
    made = _sentence_parameters(parameters)
    return all_pairs.pairwise(made, hypotheses, references, masks, out, dtype, progress)


def iter_blocks(
    hypotheses: Any,
    references: Any,
    *,
    rows: int | None = None,
    dtype: Any = None,
    progress: bool = False,
    hypothesis_mask: Any = None,
    reference_mask: Any = None,
    **parameters: Any,
) -> Iterator[tuple[slice, Scores]]:
    """The matrix of `pairwise` block by block, so that it is never in memory as a whole.

    Parameters
    ----------
    hypotheses, references, dtype, progress, hypothesis_mask, reference_mask, **parameters
        As for `pairwise`, which also names the errors; but there are no batches.
    rows : int, optional
        Hypotheses in a block; by default as many as make 64 MB.

    Yields
    ------
    (slice, ndarray of shape (rows, R))
        The hypotheses of the block, and their scores with all references in a new array.

    Examples
    --------
    >>> for rows, scores in iter_blocks(["a b", "b", "a"], ["a", "b"], rows=2):
    ...     print(rows, scores.argmax(axis=1))
    slice(0, 2, None) [0 1]
    slice(2, 3, None) [0]
    """
    masks = hypothesis_mask, reference_mask
    made = _sentence_parameters(parameters)
    return all_pairs.iter_blocks(made, hypotheses, references, masks, rows, dtype, progress)


def mbr(
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
    **parameters: Any,
) -> MBRResult:
    """Minimum Bayes risk decoding: the candidate with the highest expected score.

    Parameters
    ----------
    candidates : sequence of C sentences, or of B sequences of C sentences
        Those of one source, or of B sources; sentences as in `pairwise`.
    references : sequence of R sentences, or of B sequences of R sentences, optional
        Samples to compare with. By default the candidates, each with itself, too.
    weights : array_like of float, shape (R,) or (B, R), optional
        Of the references: finite, at least 0, not all 0. By default all are equal, as is right for
        samples drawn from a model.
    log_probabilities : array_like of float, shape (R,) or (B, R), optional
        In place of weights: their logarithms, up to a constant.
    aggregate : bool, default False
        Score each candidate once, against the expected n-gram counts of all references, in linear
        time. An approximation: see Notes. For sacreBLEU's dialect.
    matrix : bool, default False
        Keep the score of each pair in the result.
    candidate_mask, reference_mask, progress
        As `hypothesis_mask`, `reference_mask` and `progress` of `pairwise`.
    **parameters
        As for `pairwise`. Weights of the orders need a metric:
        ``fastbleu.BLEU(weights=..., effective_order=True).mbr(...)``.

    Returns
    -------
    MBRResult
        `best` (of several equal candidates the first), `utilities`, `matrix`, `signature`.

    Raises
    ------
    ValueError
        There are no candidates or no references, weights have the wrong shape or value, or as by
        `pairwise`.
    TypeError
        As by `pairwise`.

    Warns
    -----
    InputWarning
        `log_probabilities` look like probabilities, or as by `pairwise`.

    Notes
    -----
    Equal candidates, and equal references, are scored once. Utilities are compared as floats, so
    that the last bits of sums may decide between candidates with the same scores in another order.

    ``aggregate=True`` on 64 candidates crossed from the outputs of three WMT22 systems chose the
    same candidate for 74 to 84 % of the sources and lost 0.2 to 0.5 points of expected score on
    average; for candidates of two unlike systems 51 to 70 % and 0.4 to 1.8 points
    (`tests/matrix/test_mbr.py` prints this).

    References
    ----------
    Kumar and Byrne (2004), Minimum Bayes-risk decoding for statistical machine translation. Eikema
    and Aziz (2020), Is MAP decoding all you need? DeNero, Chiang and Knight (2009), Fast consensus
    decoding over translation forests: ``aggregate=True``.

    Examples
    --------
    >>> samples = ["the cat sat", "the cat sat down", "a cat sat down", "the cat sat down"]
    >>> mbr(samples).best
    1
    """
    masks = candidate_mask, reference_mask
    how = aggregate, matrix, progress
    made = _sentence_parameters(parameters)
    return decoding.mbr(made, candidates, references, masks, weights, log_probabilities, *how)


def self_bleu(
    sentences: Any,
    orders: Iterable[int] = (2, 3, 4, 5),
    sample: int | None = None,
    *,
    seed: int = 0,
    progress: bool = False,
    mask: Any = None,
    **parameters: Any,
) -> SelfBLEU:
    """Self-BLEU: how much a set of sentences repeats itself.

    Each sentence is scored against all the others as its references, and scores are averaged, for
    each order n with equal weights for 1 to n. By default each score equals nltk's
    ``sentence_bleu`` with method 1. The time is linear in the number of sentences; `threads` do not
    shorten it.

    Parameters
    ----------
    sentences : iterable of S sentences
        As in `pairwise`. An iterator is read in parts, so that only token ids are in memory.
    orders : iterable of int, default (2, 3, 4, 5)
        In place of `max_order` and `weights`.
    sample : int, optional
        Score only as many sentences, drawn without replacement, each against all the others.
    seed : int, default 0
        Of the sample.
    mask, progress
        As `hypothesis_mask` and `progress` of `pairwise`.
    **parameters
        Those of `fastbleu.BLEU`; by default ``dialect="nltk", smoothing="floor", tokenize=None``:
        the sentences are lists of tokens. With ``dialect="sacrebleu"`` as for `pairwise`.

    Returns
    -------
    SelfBLEU
        Averages by order, and the score of each sentence; on the dialect's scale.

    Raises
    ------
    ValueError
        There are fewer than 2 sentences, an order is below 1, or as by `pairwise`.
    TypeError
        As by `pairwise`, as are the warnings.

    References
    ----------
    Zhu et al. (2018), Texygen: A Benchmarking Platform for Text Generation Models.

    Examples
    --------
    >>> found = self_bleu([["a", "b", "c"], ["a", "b", "d"], ["x", "y", "z"]], orders=(1, 2))
    >>> {order: round(value, 3) for order, value in found.values.items()}
    {1: 0.444, 2: 0.385}
    """
    parameters.setdefault("dialect", "nltk")
    if parameters["dialect"] == "nltk":
        parameters = {"smoothing": "floor", "tokenize": None} | parameters
    made = _sentence_parameters(parameters)
    return diversity.self_bleu(made, sentences, mask, orders, sample, seed, progress)


def _sentence_parameters(arguments: dict[str, Any]) -> Parameters:
    """Parameters by which single sentences do not score 0 for being short."""
    if arguments.get("dialect", "sacrebleu") == "sacrebleu":
        arguments = {"effective_order": True} | arguments
    return Parameters(**arguments)
