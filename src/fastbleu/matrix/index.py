"""`ReferenceIndex`: one fixed set of references, for any number of hypotheses."""

from __future__ import annotations

from _thread import allocate_lock as _Lock

from .._core import add_rows, zero_rows
from ..counting._batch import Counted
from ..counting.stats import Stats
from ..dialects.parameters import Parameters
from ..dialects.score import Score
from ..inputs.mistakes import warn_of_label_padding
from ..inputs.sentences import parts_of
from ..runtime._process import Pool
from ..runtime.progress import ProgressBar
from ..runtime.threads import drain, run_on_threads
from ._ngrams import Ngrams
from ._references import Lengths, ReferenceSet, RowScratch
from .index_contents import load_index, save_index
from .reader import SentenceReader, parameters_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, NoReturn

    import numpy
    from numpy.typing import NDArray

    from ..runtime.files import FilePath
    from ..tokenizers.table import Tokenizer
    from ._sentences import Sentences

# Hypotheses that a thread takes at a time: enough that the cost per turn is negligible, few enough
# that the data read from them is still in the cache.
_TURN = 1024


class ReferenceIndex:
    """One set of references, counted once, for any number of hypotheses.

    Scores equal those of `fastbleu.BLEU(**parameters)` with ``[references] * len(hypotheses)``, but
    the time does not depend on the number of references. An index cannot be changed, and threads
    may share it.

    Parameters
    ----------
    references : iterable of R sentences
        At least one. Sentences are str; if `tokenize` is None lists of tokens, or token ids:
        arrays of shape (length,), or one array of shape (R, length). An iterator is read in
        parts, so that only the index is in memory.
    metric : fastbleu.BLEU, optional
        Use its parameters instead of `parameters`.
    reference_mask : array of bool or integers, optional
        For token ids, of the same shape: an id counts if its mask is not 0.
    progress : bool, default False
        Show a progress bar on standard error.
    **parameters
        Those of `fastbleu.BLEU`, with its defaults: `effective_order` is False. `threads` are used
        for scoring; one thread builds the index.

    Raises
    ------
    ValueError
        There are no references, or a parameter is out of its range.
    TypeError
        A reference is not a sentence; the message says which.
    OverflowError, MemoryError
        There are more than 2**31 - 1 different n-grams of one order, or more than fit into memory.

    Notes
    -----
    Each different n-gram, and each further occurrence of it in one reference, takes 14 to 20 bytes;
    each different token about 100 more. Building temporarily takes another half of that. A
    tokenizer function is called by one thread at a time.

    Examples
    --------
    >>> references = ["the cat sat on the mat", "a cat is on a mat"]
    >>> index = ReferenceIndex(references, effective_order=True)
    >>> index.sentence_scores(["the cat is on the mat", "no"]).round(1).tolist()
    [53.7, 0.0]
    >>> len(index), index.ngrams
    (2, 31)
    """

    __slots__ = ("__weakref__", "_parameters", "_pool", "_reader", "_references", "_sizes")

    _parameters: Parameters
    _pool: Pool
    _reader: SentenceReader
    _references: ReferenceSet
    _sizes: tuple[int, int]  # numbers of references and of n-grams

    def __init__(
        self,
        references: Any,
        *,
        metric: Any = None,
        reference_mask: Any = None,
        progress: bool = False,
        **parameters: Any,
    ) -> None:
        made = parameters_of(metric, parameters, effective_order=False)
        reader = SentenceReader(made)
        found = ReferenceSet(Ngrams(made.max_order), Lengths(made.reference_length))
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
        made.rules._check_references(count)
        reader.warn_of_input()
        self._keep(made, reader, found, (count, found.finish()))

    def _keep(self, parameters: Parameters, reader: Any, references: Any, sizes: Any) -> None:
        keep = object.__setattr__
        keep(self, "_parameters", parameters)
        keep(self, "_pool", Pool(parameters.threads))
        keep(self, "_reader", reader)
        keep(self, "_references", references)
        keep(self, "_sizes", sizes)

    def score(self, hypotheses: Any, *, hypothesis_mask: Any = None) -> Score:
        """BLEU of a corpus of hypotheses, with the warnings of `fastbleu.BLEU.score`.

        Parameters
        ----------
        hypotheses : sequence of S sentences
            Of the same kind as the references.
        hypothesis_mask : array of bool or integers, optional
            For token ids, of the same shape: an id counts if its mask is not 0.

        Returns
        -------
        Score
            On the dialect's scale; `nrefs` in its signature is the number of references.

        Raises
        ------
        ValueError
            There are no hypotheses.
        TypeError
            A hypothesis is not a sentence; the message says which.
        """
        keep = self._parameters.rules.mean_of_sentences
        counted = self._counted(hypotheses, hypothesis_mask, keep_rows=keep)
        return self._parameters.score_counted(counted)

    def sentence_scores(
        self, hypotheses: Any, *, hypothesis_mask: Any = None
    ) -> NDArray[numpy.float64]:
        """BLEU of each hypothesis; parameters, errors and warnings as for `score`.

        Returns
        -------
        ndarray of float64, shape (S,)
            On the dialect's scale.
        """
        return self._parameters.sentence_scores_counted(self._counted(hypotheses, hypothesis_mask))

    def statistics(self, hypotheses: Any, *, hypothesis_mask: Any = None) -> Stats:
        """Rows of counts, one per hypothesis; parameters and errors as for `score`.

        Returns
        -------
        Stats
            Shape (S, 2 + 2 * max_order).
        """
        counted = self._counted(hypotheses, hypothesis_mask)
        self._parameters.warn_of_tokenized(counted.tokenized_periods)
        return counted.stats

    def _counted(self, hypotheses: Any, mask: Any, *, keep_rows: bool = True) -> Counted:
        """Count hypotheses; without `keep_rows` into one row, the sum as the dialect adapts it."""
        parameters, references = self._parameters, self._references
        readers: list[SentenceReader] = []
        whole: Sentences | None = None
        if type(hypotheses) not in (list, tuple) or mask is not None:
            readers.append(self._reader.sharing())
            whole = readers[0].read(hypotheses, "hypotheses", mask, True, counted=True)
        count, max_order = len(hypotheses if whole is None else whole), parameters.max_order
        untaken = [*range(0, count, _TURN)][::-1]
        counted = Counted(count if keep_rows else 1, max_order)
        total, adding = counted.rows, _Lock()

        def work(scratch: RowScratch) -> None:
            reader = self._reader.sharing()
            readers.append(reader)
            for first in drain(untaken):
                if scratch.cancelled:
                    break
                end, start, sentences = min(first + _TURN, count), first, whole
                if sentences is None:
                    start, sentences = 0, _read_turn(reader, hypotheses, first, end, count)
                stop = start + end - first
                if keep_rows:
                    references.count(sentences, total, start, stop, first, scratch)
                    continue
                rows = zero_rows(stop - start, max_order)
                references.count(sentences, rows, start, stop, 0, scratch)
                sums = parameters.rules.adapt(Stats._own(rows, max_order)).sum()
                with adding:
                    add_rows(total, sums._rows, total)

        threads = min(parameters.threads, len(untaken))
        if parameters.tokenizer is not None and parameters.tokenizer.function is not None:
            threads = min(threads, 1)  # a user's function may not be thread-safe
        scratches = [self._pool.acquire(RowScratch) for _ in range(threads)]
        run_on_threads(work, scratches)
        for scratch in scratches:
            self._pool.release(scratch)
        counted.segments = count
        counted.nrefs = references.lengths.references
        counted.tokenized_periods = sum(reader.tokenized_periods for reader in readers)
        counted.label_padding = any(reader.label_padding for reader in readers)
        if counted.label_padding:
            warn_of_label_padding()
        return counted

    def __len__(self) -> int:
        """Number of references."""
        return self._sizes[0]

    @property
    def ngrams(self) -> int:
        """Number of different n-grams of all orders."""
        return self._sizes[1]

    @property
    def nbytes(self) -> int:
        """Memory in bytes; for a loaded index most of it is the mapped file."""
        return self._references.nbytes + self._reader.nbytes

    @property
    def signature(self) -> str:
        """Everything that a score depends on besides the text and the number of references."""
        return self._parameters.signature

    def save(self, path: FilePath) -> None:
        """Write the index to a file, which `load` maps into memory.

        An existing file is replaced once everything is written; after an error it is unchanged.

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
        save_index(path, self._parameters, self._reader, self._references, self._sizes)

    @classmethod
    def load(
        cls,
        path: FilePath,
        tokenize: str | Callable[[str], list[str]] | Tokenizer | None = None,
        threads: int = 1,
    ) -> ReferenceIndex:
        """Load a saved index, with a new number of threads.

        Its n-grams stay in the file, which is mapped into memory and shared by all processes that
        load it. The file must not be changed meanwhile; it may be replaced or removed.

        Parameters
        ----------
        path : str, bytes or os.PathLike
        tokenize : str, callable or Tokenizer, optional
            The tokenizer of the index; required if it is a function or has a model, which are not
            saved.
        threads : int, default 1
            Threads that tokenize and count; they do not change the result.

        Raises
        ------
        ValueError
            The file is not an index, is truncated or damaged, has a different version or byte
            order, or was created with a different tokenizer; functions are compared by name only.
        OSError, ImportError
            The file cannot be read, or a library that the tokenizer needs is missing.

        Notes
        -----
        The header and all sizes are checked. The n-grams are not, because that would mean reading
        them all: if the disk has damaged these, scores may be wrong.
        """
        contents = load_index(path, tokenize, threads)
        self = cls.__new__(cls)
        self._keep(*contents)
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
        sizes = f"{len(self)} references, {self.ngrams} n-grams"
        return f"<ReferenceIndex of {sizes}, {self.signature}>"


def _read_turn(
    reader: SentenceReader, hypotheses: Any, first: int, end: int, count: int
) -> Sentences:
    """Read some of `count` hypotheses."""
    part = hypotheses[first:end]
    if len(part) != end - first:
        raise ValueError(
            f"hypotheses had {count} sentences and has {len(hypotheses)} now: pass a list that "
            "nothing else changes"
        )
    return reader.read(part, "hypotheses", None, True, first, counted=True)
