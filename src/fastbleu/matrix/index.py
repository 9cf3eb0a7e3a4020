"""`ReferenceIndex`: one fixed set of references, for any number of hypotheses."""

from __future__ import annotations

from ..counting.stats import Stats
from ..dialects.score import Score
from ..inputs.sentences import parts_of
from ..metric.scorer import Scorer
from ..runtime.progress import ProgressBar
from ._ngrams import Ngrams
from ._references import Lengths, ReferenceSet
from .index_contents import load_index, save_index
from .index_queries import SetScorer
from .reader import SentenceReader

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, NoReturn

    import numpy
    from numpy.typing import NDArray

    from ..tokenizers.table import Tokenizer
    from .index_file import FilePath


class ReferenceIndex:
    """One set of references, counted once, for any number of hypotheses.

    Every hypothesis has all of them as its references. Scores equal those of
    `fastbleu.BLEU(**parameters)` with ``[references] * len(hypotheses)``, but the time does not
    depend on the number of references: there are a few look-ups for each token. An index cannot be
    changed, and threads may share it.

    Parameters
    ----------
    references : iterable of R sentences
        Sentences are str; where `tokenize` is None lists of tokens, or token ids: arrays of the
        shape (length,), or one of the shape (R, length). At least one. An iterator is read in
        parts, so that only the index is in memory.
    metric : fastbleu.BLEU, optional
        Whose parameters to take, in place of `parameters`.
    reference_mask : array of bool or integers, optional
        For token ids, of the same shape: an id counts where it is not 0.
    progress : bool, default False
        Show a progress bar on standard error.
    **parameters
        Those of `fastbleu.BLEU`; unlike in the functions of this package `effective_order` is False
        by default, because there is `score`, too. `threads` are for scoring: one builds the index.

    Raises
    ------
    ValueError
        There are no references, or a parameter is out of its range.
    TypeError
        A reference is no sentence; the message says which.
    OverflowError, MemoryError
        There are more than 2**31 - 1 different n-grams of one order, or more than fit into memory.

    Notes
    -----
    An n-gram takes 14 to 20 bytes of memory, whatever its length, and so does each further
    occurrence of it in one reference; a different token takes about 100 more. To build the index
    takes half as much more for a moment. See `nbytes`. A tokenizer that is a function is called by
    one thread at a time.

    Examples
    --------
    >>> references = ["the cat sat on the mat", "a cat is on a mat"]
    >>> index = ReferenceIndex(references, effective_order=True)
    >>> index.sentence_scores(["the cat is on the mat", "no"]).round(1).tolist()
    [53.7, 0.0]
    >>> len(index), index.ngrams
    (2, 31)
    """

    __slots__ = ("__weakref__", "_count", "_ngrams", "_reader", "_references", "_scorer")

    _count: int
    _ngrams: int
    _reader: SentenceReader
    _references: ReferenceSet
    _scorer: SetScorer

    def __init__(
        self,
        references: Any,
        *,
        metric: Scorer | None = None,
        reference_mask: Any = None,
        progress: bool = False,
        **parameters: Any,
    ) -> None:
        if metric is not None and not isinstance(metric, Scorer):
            kind = f"{type(metric).__module__}.{type(metric).__qualname__}"
            raise TypeError(
                f"metric is a {kind.removeprefix('builtins.')}, expected a fastbleu.BLEU"
            )
        if metric is not None and parameters:
            raise TypeError(
                f"metric is given, and {', '.join(parameters)} too; the metric has all parameters"
            )
        scorer = Scorer(**parameters) if metric is None else metric
        reader = SentenceReader(scorer)
        found = ReferenceSet(Ngrams(scorer.max_order), Lengths(scorer.reference_length))
        count = 0
        total = len(references) if type(references) in (list, tuple) else None
        with ProgressBar(progress, total, " references") as bar:
            for part in parts_of(references, reference_mask is not None):
                sentences = reader.read(part, "references", reference_mask, before=count)
                found.add(sentences)
                count += len(sentences)
                bar.update(len(sentences))
        if not count:
            raise ValueError("references is empty: an index needs at least one, which may be empty")
        reader.warn_of_input()
        ngrams = found.finish()
        self._keep(scorer._as_dict(), reader, found, count, ngrams)

    def _keep(
        self,
        parameters: dict[str, Any],
        reader: SentenceReader,
        references: ReferenceSet,
        count: int,
        ngrams: int,
    ) -> None:
        for name, value in (
            ("_scorer", SetScorer(references, reader, **parameters)),
            ("_reader", reader),
            ("_references", references),
            ("_count", count),
            ("_ngrams", ngrams),
        ):
            object.__setattr__(self, name, value)

    def score(self, hypotheses: Any, *, hypothesis_mask: Any = None) -> Score:
        """BLEU of a corpus of hypotheses, as by `fastbleu.BLEU.score`.

        Parameters
        ----------
        hypotheses : sequence of S sentences
            Of the same kind as the references.
        hypothesis_mask : array of bool or integers, optional
            For token ids, of the same shape: an id counts where it is not 0.

        Returns
        -------
        Score
            On the dialect's scale; `nrefs` in its signature is the number of references.

        Raises
        ------
        ValueError
            There are no hypotheses.
        TypeError
            A hypothesis is no sentence; the message says which.

        Warns
        -----
        InputWarning
            As by `fastbleu.BLEU.score`.
        """
        none: Any = None
        return self._scorer.score(hypotheses, none, hypothesis_mask=hypothesis_mask)

    def sentence_scores(
        self, hypotheses: Any, *, hypothesis_mask: Any = None
    ) -> NDArray[numpy.float64]:
        """BLEU of every hypothesis by itself; parameters, errors and warnings as those of `score`.

        Returns
        -------
        ndarray of float64, shape (S,)
            On the dialect's scale.
        """
        none: Any = None
        return self._scorer.sentence_scores(hypotheses, none, hypothesis_mask=hypothesis_mask)

    def statistics(self, hypotheses: Any, *, hypothesis_mask: Any = None) -> Stats:
        """Rows of counts, one per hypothesis; parameters and errors as those of `score`.

        Returns
        -------
        Stats
            Shape (S, 2 + 2 * max_order).
        """
        none: Any = None
        return self._scorer.statistics(hypotheses, none, hypothesis_mask=hypothesis_mask)

    def __len__(self) -> int:
        """Number of references."""
        return self._count

    @property
    def ngrams(self) -> int:
        """Number of different n-grams of all orders."""
        return self._ngrams

    @property
    def nbytes(self) -> int:
        """Memory in bytes; of an index that was loaded most of it is that of the mapped file."""
        return self._references.nbytes + self._reader.nbytes

    @property
    def signature(self) -> str:
        """All that a score depends on besides the text and the number of references."""
        return self._scorer.signature

    def save(self, path: FilePath) -> None:
        """Write the index to a file, which `load` maps into memory.

        A file that stood there is replaced once all is written; after an error it is as it was.

        Parameters
        ----------
        path : str, bytes or os.PathLike

        Raises
        ------
        ValueError
            A token is neither str nor bytes nor int.
        OSError
            The file cannot be written.
        """
        save_index(path, self._scorer, self._reader, self._references, (self._count, self._ngrams))

    @classmethod
    def load(
        cls,
        path: FilePath,
        tokenize: str | Callable[[str], list[str]] | Tokenizer | None = None,
        threads: int = 1,
    ) -> ReferenceIndex:
        """An index that was saved: as it was, but for the number of threads.

        Its n-grams stay in the file and are read where they are looked up, and processes that load
        the same file share the memory for it. The file must not be changed meanwhile; it may be
        replaced or removed.

        Parameters
        ----------
        path : str, bytes or os.PathLike
        tokenize : str, callable or Tokenizer, optional
            The tokenizer that the index was made with: needed where that is a function or has a
            model of its own, which no file holds.
        threads : int, default 1
            Threads that tokenise and count; they change no result.

        Raises
        ------
        ValueError
            The file holds no index, or it is truncated, damaged, of another version or of another
            byte order, or was made with another tokenizer; functions are told apart by their
            names only.
        OSError, ImportError
            The file cannot be read, or what the tokenizer needs is not installed.

        Notes
        -----
        The file's header is checked, and all sizes. Its n-grams are not, because that would take
        reading them all: where a disk has damaged these, scores may be wrong.
        """
        scorer, reader, references, counts = load_index(path, tokenize, threads)
        self = cls.__new__(cls)
        self._keep(scorer._as_dict(), reader, references, *counts)
        return self

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(
            f"an index cannot be changed, and has no {name} to set: make a new one"
        )

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"an index cannot be changed, so {name} stays")

    def __reduce__(self) -> NoReturn:
        raise TypeError(
            "a ReferenceIndex cannot be pickled: save(path) it, and load(path) it in the other "
            "process, which then shares its memory"
        )

    def __repr__(self) -> str:
        return (
            f"<ReferenceIndex of {len(self)} references, {self.ngrams} n-grams, {self.signature}>"
        )
