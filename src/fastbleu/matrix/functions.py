"""The functions of this package: the methods of a metric that is made for one call."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from inspect import cleandoc

from ..metric.bleu import BLEU
from .decoding import MBRResult
from .diversity import SelfBLEU

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    import numpy
    from numpy.typing import NDArray

    Scores = NDArray[numpy.floating[Any]]


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

    Each entry equals what ``fastbleu.sacrebleu.BLEU(effective_order=True).sentence_score`` gives
    for that pair, and so what sacreBLEU gives.

    Parameters
    ----------
    **parameters
        Those of `fastbleu.BLEU`. With sacreBLEU's dialect `effective_order` is True by default.

    Examples
    --------
    >>> pairwise(["a b c d", "a b"], ["a b c d", "b a c d", "x"]).round(1)
    array([[100. ,  38. ,   0. ],
           [ 36.8,  26. ,   0. ]])
    """
    return _sentence_metric(parameters).pairwise(
        hypotheses,
        references,
        out=out,
        dtype=dtype,
        progress=progress,
        hypothesis_mask=hypothesis_mask,
        reference_mask=reference_mask,
    )


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
    """The matrix of `pairwise` block by block, so that it never lies in memory as a whole.

    Parameters
    ----------
    **parameters
        As for `pairwise`.

    Examples
    --------
    >>> for rows, scores in iter_blocks(["a b", "b", "a"], ["a", "b"], rows=2):
    ...     print(rows, scores.argmax(axis=1))
    slice(0, 2, None) [0 1]
    slice(2, 3, None) [0]
    """
    return _sentence_metric(parameters).iter_blocks(
        hypotheses,
        references,
        rows=rows,
        dtype=dtype,
        progress=progress,
        hypothesis_mask=hypothesis_mask,
        reference_mask=reference_mask,
    )


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
    **parameters
        As for `pairwise`. As `weights` are those of the references here, weights of the orders need
        a metric: ``fastbleu.BLEU(weights=..., effective_order=True).mbr(...)``.

    Examples
    --------
    >>> samples = ["the cat sat", "the cat sat down", "a cat sat down", "the cat sat down"]
    >>> mbr(samples).best
    1
    """
    return _sentence_metric(parameters).mbr(
        candidates,
        references,
        weights,
        log_probabilities=log_probabilities,
        aggregate=aggregate,
        matrix=matrix,
        progress=progress,
        candidate_mask=candidate_mask,
        reference_mask=reference_mask,
    )


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

    Each sentence is scored against all the others as its references, and scores are averaged. By
    default each score equals nltk's ``sentence_bleu`` with method 1.

    Parameters
    ----------
    **parameters
        Those of `fastbleu.BLEU`; by default ``dialect="nltk", smoothing="floor", tokenize=None``:
        the sentences are lists of tokens. With ``dialect="sacrebleu"`` as for `pairwise`.

    Examples
    --------
    >>> found = self_bleu([["a", "b", "c"], ["a", "b", "d"], ["x", "y", "z"]], orders=(1, 2))
    >>> {order: round(value, 3) for order, value in found.values.items()}
    {1: 0.444, 2: 0.385}
    """
    parameters.setdefault("dialect", "nltk")
    if parameters["dialect"] == "nltk":
        parameters = {"smoothing": "floor", "tokenize": None} | parameters
    return _sentence_metric(parameters).self_bleu(
        sentences, orders, sample, seed=seed, progress=progress, mask=mask
    )


def _sentence_metric(parameters: dict[str, Any]) -> BLEU:
    """A metric whose scores of single sentences are not 0 for being short."""
    if parameters.get("dialect", "sacrebleu") == "sacrebleu":
        parameters = {"effective_order": True} | parameters
    return BLEU(**parameters)


def _document(function: Callable[..., Any]) -> None:
    """Put what the method of this name says of its arguments into a function's docstring."""
    of_method = getattr(BLEU, function.__name__).__doc__
    if not of_method:  # python -OO
        return
    title = "Parameters\n----------\n"
    head, own = cleandoc(str(function.__doc__)).split(title)
    sections = cleandoc(of_method).partition(title)[2].partition("\n\nExamples\n")[0]
    listed, _, others = sections.partition("\n\n")
    its, _, examples = own.partition("\n\n")
    function.__doc__ = f"{head}{title}{listed}\n{its}\n\n{others}\n\n{examples}\n"


for _function in (pairwise, iter_blocks, mbr, self_bleu):
    _document(_function)
