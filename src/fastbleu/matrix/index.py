"""One fixed set of references for any number of hypotheses: `SentenceIndex`, `ReferenceIndex`."""

from __future__ import annotations

from ..core.counting._counted import Counted
from ..core.inputs.arguments import number_of
from ..core.inputs.errors import InputError
from ..core.inputs.mistakes import warn_of
from ..core.metric.argument import as_metric, scorer_of
from ..core.metric.bleu import BLEU
from ..core.runtime._process import Pool
from ..core.runtime.threads import share_out
from ..core.scoring.score import Score
from ._references import ReferenceSet, RowScratch
from .reader import SentenceReader

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Hashable
    from typing import Any, NoReturn

    import numpy
    from numpy.typing import NDArray

    from ..core.counting.stats import Stats
    from ..core.inputs.types import Hypotheses, Mask, SentenceStream
    from ..core.metric.argument import Metric
    from ..core.scoring.scorer import Scorer
    from ..core.tokenizers.tokenizer import Tokenizer
    from ._postings import Postings
    from ._sentences import Sentences

# How many hypotheses a thread takes at a time: enough to make the cost per block negligible, few
# enough to keep the data read from them in the cache.
_BLOCK = 1024


class SentenceIndex:
    """References that are read once. An index cannot be changed; threads may share it."""

    _reader: SentenceReader
    _references: ReferenceSet | Postings

    def __len__(self) -> int:
        """Number of references."""
        return len(self._references)

    @property
    def signature(self) -> str:
        """Everything that a score depends on besides the text and the number of references."""
        return self._reader.signature

    def __setattr__(self, name: str, *value: object) -> NoReturn:
        raise AttributeError(f"an index cannot be changed; {name} is fixed: make a new one")

    __delattr__ = __setattr__

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {number_of(len(self), 'reference')}, {self.signature}>"


class ReferenceIndex(SentenceIndex):
    """One set of references, counted once, for any number of hypotheses.

    Scores equal those of the metric with ``[references] * len(hypotheses)``, but the time does not
    depend on the number of references. An index cannot be changed, and threads may share it.

    Parameters
    ----------
    references : iterable of R sentences
        At least one. Sentences are str; for a metric with ``tokenize=False`` lists of tokens, or
        token ids: arrays of shape (length,), or one array of shape (R, length). An iterator is read
        in blocks, so that only the index is in memory.
    reference_mask : array of bool or integers, optional
        For token ids, of the same shape: an id counts if its mask is not 0.
    metric : fastbleu.BLEU or str, optional
        A BLEU, or the name of a dialect or recipe; by default ``BLEU()``, sacreBLEU's. Its threads
        are used for scoring only; a single thread builds the index.
    progress : bool, default False
        Show a progress bar on standard error.

    Raises
    ------
    ValueError
        There are no references, or no dialect has the name.
    TypeError
        A reference is not a sentence (the message says which), or `metric` is not a metric.
    OverflowError, MemoryError
        There are more than 2**31 - 1 different n-grams of one order, or more than fit into memory.

    Notes
    -----
    Each different n-gram, and each further occurrence of it in one reference, takes 14 to 20 bytes;
    each different token about 100 more. Building temporarily takes half as much again. Pickling
    stores the references' tokens, for which the index keeps 4 bytes each; unpickling builds the
    index again. A tokenizer function is called by one thread at a time.

    Examples
    --------
    >>> references = ["the cat sat on the mat", "a cat is on a mat"]
    >>> index = ReferenceIndex(references)
    >>> index.sentence_scores(["the cat is on the mat", "no"]).round(1).tolist()
    [53.7, 0.0]
    >>> len(index), index.ngrams
    (2, 31)
    """

    _metric: BLEU
    _pool: Pool
    _references: ReferenceSet
    _scorer: Scorer

    def __init__(
        self,
        references: SentenceStream,
        *,
        reference_mask: Mask | None = None,
        metric: Metric | None = None,
        progress: bool = False,
    ) -> None:
        bleu = as_metric(metric)
        reader = SentenceReader(bleu)
        reader.choosing = 1
        counted = ReferenceSet(bleu.max_ngram_order, bleu.reference_length)
        for block, bar in reader.read_blocks(references, "references", reference_mask, progress):
            counted.add(block)
            bar.update(len(block))
        if not len(counted):
            raise InputError("references is empty: an index needs at least one, which may be empty")
        reader.scorer.check_references(len(counted))
        reader.warn_of_input()
        self._finish(bleu, reader, counted)

    def _finish(self, metric: BLEU, reader: SentenceReader, references: ReferenceSet) -> None:
        references.finish()
        vars(self).update(_metric=metric, _scorer=scorer_of(metric), _pool=Pool(metric.threads))
        vars(self).update(_reader=reader, _references=references)

    def score(self, hypotheses: Hypotheses, *, hypothesis_mask: Mask | None = None) -> Score:
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
        counted = self._counted(hypotheses, hypothesis_mask)
        return self._scorer.score(self._scorer.sums(counted))

    def sentence_scores(
        self, hypotheses: Hypotheses, *, hypothesis_mask: Mask | None = None
    ) -> NDArray[numpy.float64]:
        """BLEU of each hypothesis; parameters, errors and warnings as for `score`.

        Returns
        -------
        ndarray of float64, shape (S,)
            On the dialect's scale.
        """
        counted = self._counted(hypotheses, hypothesis_mask)
        return self._scorer.sentence_scores(counted)

    def count(self, hypotheses: Hypotheses, *, hypothesis_mask: Mask | None = None) -> Stats:
        """Rows of counts, one per hypothesis; parameters and errors as for `score`.

        Returns
        -------
        Stats
            Shape (S, 2 + 2 * max_ngram_order).
        """
        return self._scorer.stats(self._counted(hypotheses, hypothesis_mask))

    def _counted(self, hypotheses: Hypotheses, mask: Mask | None) -> Counted:
        """Count hypotheses."""
        counter, references = self._reader.counter, self._references
        listed: Any = hypotheses
        readers: list[SentenceReader] = []
        whole: Sentences | None = None
        if type(listed) not in (list, tuple) or mask is not None:
            readers.append(self._reader.sharing())
            whole = readers[0].read(listed, "hypotheses", mask, True, counted=True)
        count = len(listed if whole is None else whole)
        blocks = range(0, count, _BLOCK)
        counted = Counted(count, counter.max_ngram_order)

        def count_block(scratch: RowScratch, first: int) -> None:
            end, start, sentences = min(first + _BLOCK, count), first, whole
            if sentences is None:
                block = listed[first:end]
                if len(block) != end - first:
                    raise InputError(
                        f"hypotheses had {number_of(count, 'sentence')} and has {len(listed)} now: "
                        "pass a list that nothing else changes"
                    )
                start, reader = 0, self._reader.sharing()
                readers.append(reader)
                sentences = reader.read(block, "hypotheses", None, True, first, counted=True)
            stop = start + end - first
            references.count(sentences, counted.rows, start, stop, first, scratch)

        threads = min(counter.threads, len(blocks))
        if counter.is_text and not counter.reads_utf8:
            threads = min(threads, 1)  # a user's function may not be thread-safe
        scratches = [self._pool.acquire(RowScratch) for _ in range(threads)]
        share_out(count_block, blocks, scratches)
        for scratch in scratches:
            self._pool.release(scratch)
        counted.segments = count
        counted.nrefs, counted.tokenizers = references.nrefs, self._reader.tokenizers
        for reader in readers:
            counted.signs.add(reader.signs)
        if counted.signs.label_padding:
            warn_of("label padding")
        return counted

    @property
    def ngrams(self) -> int:
        """Number of different n-grams of all orders."""
        return self._references.different_ngrams

    @property
    def nbytes(self) -> int:
        """Memory in bytes, without tokens that are Python objects."""
        return self._references.nbytes + self._reader.vocabulary.nbytes

    def __reduce__(self) -> tuple[Any, ...]:
        tokens, sentences = self._reader.vocabulary.all_tokens(), self._references.sentences
        chosen = self._reader.tokenizer if self._reader.tokenizers else None
        return _rebuilt, (type(self), self._metric.get_params(), tokens, sentences, chosen)

    def __repr__(self) -> str:
        sizes = f"{number_of(len(self), 'reference')}, {number_of(self.ngrams, 'n-gram')}"
        return f"<ReferenceIndex of {sizes}, {self.signature}>"


def _rebuilt(
    kind: type[ReferenceIndex],
    arguments: dict[str, Any],
    tokens: list[Hashable],
    references: list[Sentences],
    chosen: Tokenizer | None = None,
) -> ReferenceIndex:
    """An index of the same references; their ids are numbers of `tokens`; "auto" has `chosen`."""
    metric = BLEU(**arguments)
    counted = ReferenceSet(metric.max_ngram_order, metric.reference_length)
    for sentences in references:
        counted.add(sentences)
    index = kind.__new__(kind)
    index._finish(metric, SentenceReader(metric, tokens, chosen), counted)
    return index
