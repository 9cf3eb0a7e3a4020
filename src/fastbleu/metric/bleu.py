"""The native metric: one class for every BLEU of this package, of a corpus or of a stream."""

from __future__ import annotations

from ..counting._batch import RunningTotals, Totals
from ..counting.stats import Stats, row_of_state
from ..dialects.parameters import Parameters, taking
from ..dialects.score import Score
from .present import count_present, with_gaps
from .ranks import gather

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

    import numpy
    from numpy.typing import NDArray

    from ..counting._batch import Counted
    from ..counting.batch import CountOptions
    from ..inputs.types import Hypotheses, Mask, MissingChoice, References
    from ..matrix.all_pairs import Scores
    from ..matrix.decoding import MBRResult
    from ..matrix.diversity import SelfBLEU
    from ..matrix.index import ReferenceIndex


class BLEU:
    """BLEU of text, tokens or token ids. Its parameters cannot be changed; threads may share it.

    By default the scores are sacreBLEU's, on 0-100; another `dialect` gives the scores of its
    original, with the original's defaults. References are segment-major:
    ``references[segment][k]``, or one str per segment.

    `score` takes a whole corpus. `update` takes it batch by batch, and `compute` gives the same
    score, however the corpus was split: the metric keeps the sum of the counts, as exact integers.

    Parameters
    ----------
    tokenize : str, callable (str -> list of str) or None, default "13a"
        A name of `fastbleu.tokenizers.TOKENIZERS` or a function that splits a text; a dialect with
        its own tokenizer accepts only that. None: the input is lists of tokens, which may be
        any hashable objects, or token ids. For your own sentencepiece model pass
        ``fastbleu.tokenizers.get_tokenizer("spm", model=path)``.
    lowercase : bool, default False
        Ignore case; in sacreBLEU's dialect by lowercasing the text first.
    max_order : int, default 4
        The longest n-grams.
    weights : sequence of float, shape (max_order,), optional
        Weight of each order; equal weights by default.
    smoothing : str, default "exp"
        Smoothing of orders without matches: "exp", "floor", "add-k" or "none"; some dialects have
        others, such as nltk's "method4" or tf-nmt's "add-1".
    smoothing_value : float, optional
        For "floor" (default 0.1), "add-k" (sacreBLEU's and e2e's, default 1) and "method4"
        (default 5).
    effective_order : bool, default False
        Average only over orders for which the hypotheses have n-grams: for single sentences. Only
        for sacreBLEU's dialect.
    threads : int, default 1
        Threads that tokenize and count; they do not change the result.
    dialect : str, default "sacrebleu"
        A name of `fastbleu.dialects.names()`: the implementation whose rules are followed. The
        class of each dialect documents them: ``help(fastbleu.dialects.get("nltk"))``.
    reference_length : {"closest", "first", "shortest", "average"}, default "closest"
        The reference length that counts: the closest to the hypothesis' length, and of two equally
        close the shorter or, for "first", that of the first reference; or the shortest; or, for the
        dialect "coco", their mean.
    ignore_ids : iterable of int, default ()
        Ids that are not tokens: padding. A reference with only such ids, or masked completely, is
        ignored unless the segment has no other; an empty reference has the length 0.
    stop_id : int or iterable of int, optional
        Ends a sequence of ids, unless it is masked; this id and all following ids do not count.
    skip_ids : iterable of int, default ()
        Ids of tokens to leave out, such as the beginning-of-sentence id.
    keep_segments : bool, default False
        Keep the rows of all segments passed to `update`, for `segments` and `segment_scores`.
    hashed : bool, default True
        For the dialect "fairseq" only: compare n-grams by libbleu's hash, which collides.
    keywords : str or set of str, default "java"
        For the dialect "codebleu-weighted" only: "java", "python", "python-0.7.0", or the words.

    Raises
    ------
    TypeError, ValueError, ImportError, FileNotFoundError
        An argument has the wrong type, is out of range or unknown, or is not supported by the
        dialect; or a library or model that the tokenizer needs is missing.

    Examples
    --------
    >>> metric = BLEU()
    >>> score = metric.score(["The cat sat on the mat."], ["The cat sat on a mat."])
    >>> round(score.value, 2), score.signature.rpartition("|")[0]
    (48.89, 'nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp')
    >>> metric.update(["The cat sat on the mat."], ["The cat sat on a mat."])
    >>> metric.compute() == score
    True
    >>> ids = [[5, 6, 7, 8, 2, 0]]
    >>> round(BLEU(tokenize=None, ignore_ids=(0,), stop_id=2).score(ids, ids).value, 2)
    100.0
    """

    __module__ = "fastbleu"
    __slots__ = ("_options", "_parameters", "_totals")

    _options: CountOptions
    _parameters: Parameters
    _totals: RunningTotals

    @taking(Parameters)
    def __init__(self, parameters: Parameters) -> None:
        object.__setattr__(self, "_parameters", parameters)
        object.__setattr__(self, "_options", parameters.count_options())
        object.__setattr__(self, "_totals", RunningTotals(Totals.zero(parameters.max_order)))

    def __getattr__(self, name: str) -> Any:
        if name in (*Parameters.NAMES, "hashed", "keywords"):
            return getattr(self._parameters, name)
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    @property
    def signature(self) -> str:
        """Everything that a score depends on besides the text; a Score's signature adds `nrefs`."""
        return self._parameters.signature

    def score(
        self,
        hypotheses: Hypotheses,
        references: References,
        *,
        hypothesis_mask: Mask | None = None,
        reference_mask: Mask | None = None,
        missing: MissingChoice = "error",
        progress: bool = False,
    ) -> Score:
        """BLEU of a corpus.

        Parameters
        ----------
        hypotheses : sequence of S str
            Or a column of texts with the Arrow interface, from pyarrow, polars, pandas, DuckDB or
            datasets, which may be a stream.
            If `tokenize` is None lists of tokens, or token ids: an array or tensor of integers
            of shape (S, length), or (length,) for one segment, or a list of S arrays of shape
            (length,). For a single hypothesis an array (k, length) is its k references.
        references : sequence of S str or of S sequences of str
            ``references[i]`` is the reference, or the list of references, of ``hypotheses[i]``;
            their number may vary. Or a column of texts or of lists of texts, or, with
            a column of hypotheses, a list of columns: one for each reference.
            If `tokenize` is None always lists of references, each a list of tokens. For token ids
            an array of shape (S, length) or (S, references, length), or a list with an array, or a
            list of arrays, for each segment.
        hypothesis_mask, reference_mask : array of bool or integers, optional
            For token ids, of the same shapes: an id counts if its mask is not 0.
        missing : {"error", "empty", "skip"}, default "error"
            What to do with a segment whose hypothesis or reference is missing: None, NaN,
            pandas.NA. "empty" replaces the value by an empty text or list, "skip" leaves the
            segment out and warns how many there are. Not for ids with masks.
        progress : bool, default False
            Show a progress bar on standard error.

        Returns
        -------
        Score
            `value` on the dialect's scale: 0-100 for sacreBLEU's, 0-1 for nltk's.

        Raises
        ------
        ValueError
            There are no segments, `references` and `hypotheses` differ in length, the layout is
            ``references[k][segment]``, a segment has no reference, arrays have the wrong shape, or
            an id does not fit into int64.
        TypeError
            A str is where a list of tokens is expected or the reverse, a token is not hashable,
            an array does not have integers, a column has the wrong type, or a value is missing; the
            message names the segment and the position.

        Warns
        -----
        InputWarning
            100 hypotheses look tokenized already, or the references look transposed although the
            lengths agree, or no hypothesis is long enough for a score above 0, or the id -100,
            which pads labels, was counted, or segments were left out by ``missing="skip"``.
        """
        masks, keep = (hypothesis_mask, reference_mask), self._parameters.rules.mean_of_sentences
        counted, _ = self._count(hypotheses, references, masks, missing, progress, keep)
        return self._parameters.score_counted(counted)

    def sentence_scores(
        self,
        hypotheses: Hypotheses,
        references: References,
        *,
        hypothesis_mask: Mask | None = None,
        reference_mask: Mask | None = None,
        missing: MissingChoice = "error",
        progress: bool = False,
    ) -> NDArray[numpy.float64]:
        """BLEU of each segment.

        Parameters and errors as for `score`; without segments there are no scores. With sacreBLEU's
        dialect, segments of fewer than `max_order` tokens need ``effective_order=True``.

        Returns
        -------
        ndarray of float64, shape (segments,)
            On the dialect's scale; NaN where ``missing="skip"`` left the segment out.

        Warns
        -----
        InputWarning
            As for `score`; or segments score 0 because they are short.
        """
        masks = hypothesis_mask, reference_mask
        counted, present = self._count(hypotheses, references, masks, missing, progress)
        return with_gaps(self._parameters.sentence_scores_counted(counted), present)

    def statistics(
        self,
        hypotheses: Hypotheses,
        references: References,
        *,
        hypothesis_mask: Mask | None = None,
        reference_mask: Mask | None = None,
        missing: MissingChoice = "error",
        progress: bool = False,
    ) -> Stats:
        """Rows of counts, one per segment, from which every score can be computed.

        Parameters and errors as for `score`.

        Returns
        -------
        Stats
            Shape (segments, 2 + 2 * max_order), the same for every dialect, without segments
            that ``missing="skip"`` leaves out.
        """
        masks, operation = (hypothesis_mask, reference_mask), "statistics"
        counted, _ = self._count(hypotheses, references, masks, missing, progress, True, operation)
        self._parameters.warn_of_tokenized(counted.tokenized_periods)
        return counted.stats

    def sums(
        self,
        hypotheses: Hypotheses,
        references: References,
        *,
        hypothesis_mask: Mask | None = None,
        reference_mask: Mask | None = None,
    ) -> Stats:
        """The sum of all rows as the dialect counts them; memory does not grow with the corpus.

        Parameters and errors as for `score`; without segments the row is all zeros.

        Returns
        -------
        Stats
            One row: the `state` of a new metric after one `update` with the same arguments.
        """
        masks = hypothesis_mask, reference_mask
        counted, _ = self._count(hypotheses, references, masks, "error", False, False, "sums")
        return counted.stats

    def update(
        self,
        hypotheses: Hypotheses,
        references: References,
        *,
        hypothesis_mask: Mask | None = None,
        reference_mask: Mask | None = None,
        missing: MissingChoice = "error",
        progress: bool = False,
    ) -> None:
        """Add a batch to the segments that `compute` scores.

        Parameters, errors and warnings as for `score`, but a batch may be empty. If there
        is an error, nothing of the batch is added.

        Raises
        ------
        OverflowError
            A count leaves int64.
        """
        masks, keep = (hypothesis_mask, reference_mask), self._parameters.keeps_rows
        counted, _ = self._count(hypotheses, references, masks, missing, progress, keep, "update")
        row = self._parameters.rules.adapt(counted.stats).sum()._rows if keep else counted.rows
        self._totals.add(Totals.of(counted, row, keep))

    def compute(self) -> Score:
        """BLEU of all segments since the start, or since `reset`; does not change the state.

        Returns
        -------
        Score
            Equal to what `score` gives for them all at once.

        Raises
        ------
        ValueError
            There are no segments.
        """
        totals = self._totals.value
        if totals.segments == 0:
            raise ValueError(
                "there are no segments to score: nothing was added since the start or reset()"
            )
        counts = totals.rows() if self._parameters.rules.mean_of_sentences else totals.sum()
        return self._parameters.score(counts, totals.nrefs, totals.tokenized_periods)

    def reset(self) -> None:
        """Forget all segments."""
        zero = Totals.zero(self._parameters.max_order)
        while not self._totals.replace(self._totals.value, zero):
            pass

    def merge(self, other: BLEU) -> None:
        """Add the counts of another metric, which does not change.

        Raises
        ------
        TypeError
            `other` is not a BLEU.
        ValueError
            It counts or scores differently.
        OverflowError
            A count leaves int64.
        """
        if not isinstance(other, BLEU):
            kind = f"{type(other).__module__}.{type(other).__qualname__}"
            raise TypeError(f"cannot merge a {kind.removeprefix('builtins.')} into a fastbleu.BLEU")
        mine, its = self._compared(), other._compared()
        for name in mine:
            if mine[name] != its[name]:
                raise ValueError(
                    f"cannot merge metrics that differ: {name} is {mine[name]!r} here and "
                    f"{its[name]!r} there"
                )
        self._totals.add(other._totals.value)

    def all_reduce(self, group: Any = None) -> BLEU:
        """A metric with the counts of all ranks of a `torch.distributed` process group.

        Every rank of the group must call it, even without data, and every rank gets the same
        result. The local metric does not change and can be used further; do not reduce the result
        again. Before `init_process_group` the result is a copy of the local metric. Kept segments
        are in the order of the ranks.

        Parameters
        ----------
        group : torch.distributed.ProcessGroup, optional
            By default all ranks.

        Raises
        ------
        ValueError
            The ranks' parameters are not the same, or this process is not in the group.
        OverflowError
            A count leaves int64.
        RuntimeError
            Another rank is no longer running.
        """
        total = type(self)(**self._parameters.as_arguments())
        mine = self.signature, self._parameters.keep_segments
        for rank, (its, totals) in enumerate(gather((mine, self._totals.value), group)):
            if its != mine:
                raise ValueError(
                    f"rank {rank} has a metric with other parameters: {its[0]}, here {mine[0]}; "
                    f"keep_segments={its[1]}, here {mine[1]}"
                )
            total._totals.add(totals)
        return total

    @property
    def state(self) -> NDArray[numpy.int64]:
        """The sums of all counts: [hyp_len, ref_len, matches..., totals...]; a copy.

        int64, shape (2 + 2 * max_order,), in tokens and n-grams as the dialect counts them. The sum
        of several states is the state for all their segments: see `from_state`.
        """
        self._parameters.rules.require("state")
        row: NDArray[numpy.int64] = self._totals.value.sum().__array__()[0]
        return row

    @classmethod
    def from_state(cls, state: Any, **parameters: Any) -> BLEU:
        """Create a metric from a state.

        Parameters
        ----------
        state : array_like of int, shape (2 + 2 * max_order,)
            A metric's `state`, or a sum of states.
        **parameters
            Those of the metric that had the state, except for `keep_segments`; only
            `max_order` can be checked. The number of references is unknown afterwards.

        Raises
        ------
        TypeError, ValueError, OverflowError
            The state does not hold integers for these parameters that some text can have.
        """
        if isinstance(state, BLEU):
            raise TypeError("the state is a BLEU; pass its .state")
        if parameters.get("keep_segments"):
            raise ValueError("a state has no segments to keep: leave keep_segments=True out")
        metric = cls(**parameters)
        metric._parameters.rules.require("state")
        row = row_of_state(state, metric._parameters.max_order)
        metric._totals.add(Totals(row, None, None))
        return metric

    @property
    def segments(self) -> Stats:
        """The rows of all segments since the start, or since `reset`, in the order of `update`.

        Raises
        ------
        ValueError
            The metric was not made with ``keep_segments=True``.
        """
        if not self._parameters.keep_segments:
            raise ValueError("segments are not kept; make the metric with keep_segments=True")
        return self._totals.value.rows()

    def segment_scores(self) -> NDArray[numpy.float64]:
        """BLEU of each segment, as in `sentence_scores`; errors as for `segments`."""
        return self._parameters.sentence_scores(self.segments)

    # The functions of these names in fastbleu.matrix, with this metric.

    def pairwise(self, hypotheses: Any, references: Any, **options: Any) -> Scores:
        """Sentence BLEU of each hypothesis with each reference: see `fastbleu.matrix.pairwise`."""
        from ..matrix.all_pairs import pairwise

        return pairwise(hypotheses, references, metric=self, **options)

    def iter_blocks(
        self, hypotheses: Any, references: Any, **options: Any
    ) -> Iterator[tuple[slice, Scores]]:
        """The matrix of `pairwise` block by block: see `fastbleu.matrix.iter_blocks`."""
        from ..matrix.all_pairs import iter_blocks

        return iter_blocks(hypotheses, references, metric=self, **options)

    def mbr(
        self, candidates: Any, references: Any = None, weights: Any = None, **options: Any
    ) -> MBRResult:
        """Minimum Bayes risk decoding: see `fastbleu.matrix.mbr`."""
        from ..matrix.decoding import mbr

        return mbr(candidates, references, weights, metric=self, **options)

    def self_bleu(
        self,
        sentences: Any,
        orders: Iterable[int] = (2, 3, 4, 5),
        sample: int | None = None,
        **options: Any,
    ) -> SelfBLEU:
        """How much a set of sentences repeats itself: see `fastbleu.matrix.self_bleu`."""
        from ..matrix.diversity import self_bleu

        return self_bleu(sentences, orders, sample, metric=self, **options)

    def reference_index(self, references: Any, **options: Any) -> ReferenceIndex:
        """A `fastbleu.matrix.ReferenceIndex` with the parameters of this metric."""
        from ..matrix.index import ReferenceIndex

        return ReferenceIndex(references, metric=self, **options)

    def _count(
        self,
        hypotheses: Any,
        references: Any,
        masks: tuple[Any, Any],
        missing: str,
        progress: bool,
        keep_rows: bool = True,
        operation: str = "",
    ) -> tuple[Counted, list[bool] | None]:
        """Count a batch, and tell which segments were counted; None if no value is missing."""
        how = masks, self._options, operation, keep_rows, progress
        if missing != "error":
            return count_present(hypotheses, references, missing, self._parameters, *how)
        return self._parameters.count(hypotheses, references, *how), None

    def _compared(self) -> dict[str, Any]:
        """The parameters that are compared: all except `threads`."""
        arguments = self._parameters.as_arguments()
        del arguments["threads"]
        # First, because other parameters follow from it.
        return {"dialect": arguments["dialect"]} | arguments

    def __eq__(self, other: object) -> bool:
        """Whether all parameters except `threads`, and all counts, are the same."""
        if not isinstance(other, BLEU):
            return NotImplemented
        mine, its = (self._compared(), self._totals.value), (other._compared(), other._totals.value)
        return mine == its

    def __hash__(self) -> int:
        return hash(self.signature)

    def __reduce__(self) -> tuple[Any, ...]:
        return _restore, (type(self), self._parameters.as_arguments(), self._totals.value)

    def __repr__(self) -> str:
        segments = self._totals.value.segments
        counted = "from a state" if segments is None else f"{segments} segments"
        return f"<BLEU {self.signature}, {counted}>"

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a BLEU's parameters cannot be changed: make a new one for {name}")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"a BLEU's parameters cannot be changed, so {name} stays")


def _restore(kind: type[BLEU], parameters: dict[str, Any], totals: Totals) -> BLEU:
    metric = kind(**parameters)
    metric._totals.add(totals)
    return metric
