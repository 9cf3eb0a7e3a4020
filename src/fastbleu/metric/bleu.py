"""The native metric: one class for every BLEU of this package, of a corpus or of a stream."""

from __future__ import annotations

from functools import partial
from operator import attrgetter

from ..counting._counted import RunningSums, Sums
from ..counting.stats import Stats, row_of_state
from ..dialects.names import get
from ..dialects.score import Score
from ..dialects.scorer import Scorer, checked_weights
from ..inputs._id_rows import IdRows
from ..inputs.arguments import DEFAULT, check_flag, check_positive, shown
from ..inputs.batch import Batch
from ..inputs.ids import NO_IDS, IdFilter
from ..inputs.read import read
from ..runtime.import_lock import lazy
from ..runtime.torch_compile import not_compiled
from ..tokenizers.loaded import load_tokenizer
from .ranks import gather
from .segment_tokenizers import count_with_tokenizers

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Sequence
    from typing import Any, Literal, NoReturn, TypeAlias, Unpack

    import numpy
    from numpy.typing import NDArray

    from ..counting._counted import Counted
    from ..counting.counter import Counter
    from ..dialects.names import DialectName, RecipeName
    from ..inputs.arguments import Default
    from ..inputs.types import (
        Hypotheses,
        Mask,
        MissingChoice,
        ReferenceLength,
        References,
        SmoothingName,
    )
    from ..tokenizers.loaded import TokenFunction, Tokenizer
    from ..tokenizers.table import TokenizerName
    from .keyword_types import MetricOptions, OwnOptions, SegmentTokenizers

    # Parameters of some dialects only.
    OtherSmoothing: TypeAlias = Literal["add-1", "tiny"]
else:
    numpy = lazy("numpy")

# The parameters that every BLEU has, besides `tokenize`.
_PARAMETERS = (
    *("lowercase", "max_order", "threads", "smoothing", "smoothing_value", "effective_order"),
    *("ignore_ids", "stop_id", "skip_ids", "dialect", "weights", "reference_length"),
    "keep_segments",
)
_NOTHING: tuple[int, ...] = ()


def _own_option(name: str) -> property:
    def value(self: BLEU) -> Any:
        options = self.scorer.dialect.own_options
        if name not in options:
            raise AttributeError(f"dialect {self.dialect!r} has no option {name!r}")
        return options[name]

    return property(value)


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
        A name of `fastbleu.tokenizers.names` or a function that splits a text; a dialect with
        its own tokenizer accepts only that. "auto": for each segment the tokenizer of the script of
        its first reference, which the score's signature names. None: the input is lists of tokens,
        which may be any hashable objects, or token ids. For your own sentencepiece model pass
        ``fastbleu.tokenizers.get("spm", model=path)``.
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
    effective_order : bool, optional
        Average only over orders for which the hypotheses have n-grams. By default as in sacreBLEU:
        True where sentences are scored one by one, False for a corpus; in recipes False. Only for
        sacreBLEU's dialect, and recipes that follow it.
    threads : int, default 1
        Threads that tokenize and count text, columns, files and ids; lists of tokens take one.
        They do not change the result.
    dialect : str, default "sacrebleu"
        The implementation whose rules are followed, or the evaluation tool whose number this is: a
        name of ``fastbleu.dialects.names(recipes=True)``. `fastbleu.dialects.describe` says what
        each does.
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
    **own_options
        Options that only the chosen dialect has, such as ``hashed=False`` for "fairseq" and
        ``keywords="python"`` for "codebleu-weighted": see its class.

    Attributes
    ----------
    counter : Counter
        Counts text or tokens as the parameters say.
    scorer : Scorer
        Turns counts into scores.

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
    __slots__ = ("_sums", "counter", "keep_segments", "reference_length", "scorer", "weights")

    counter: Counter
    scorer: Scorer
    keep_segments: bool
    weights: tuple[float, ...] | None
    _sums: RunningSums

    def __init__(
        self,
        tokenize: TokenizerName | TokenFunction | Tokenizer | Default | None = DEFAULT,
        lowercase: bool | None = None,
        max_order: int | None = None,
        weights: Sequence[float] | None = None,
        smoothing: SmoothingName | OtherSmoothing | None = None,
        smoothing_value: float | None = None,
        effective_order: bool | None = None,
        threads: int = 1,
        *,
        dialect: DialectName | RecipeName = "sacrebleu",
        reference_length: ReferenceLength | Literal["average"] | None = None,
        ignore_ids: Iterable[int] = _NOTHING,
        stop_id: int | Iterable[int] | None = None,
        skip_ids: Iterable[int] = _NOTHING,
        keep_segments: bool = False,
        **own_options: Unpack[OwnOptions],
    ) -> None:
        implementation = get(dialect, reference_length, **own_options)
        if weights is not None:
            weights = checked_weights(weights)
        if max_order is not None:
            max_order = check_positive("max_order", max_order)
        elif weights and implementation.weights_set_order:
            max_order = len(weights)
        chosen, lowercase, max_order, length = implementation._read_text_options(
            tokenize, lowercase, max_order, reference_length
        )
        id_filter = None
        if stop_id is not None or ignore_ids is not _NOTHING or skip_ids is not _NOTHING:
            id_filter = IdFilter(ignore_ids, stop_id, skip_ids)
            if id_filter and chosen is not None:
                raise ValueError(
                    "ignore_ids, stop_id and skip_ids are for token ids, which need tokenize=None"
                )
        tokenizer = None if chosen is None else load_tokenizer(chosen)
        if type(threads) is not int or threads < 1:
            threads = check_positive("threads", threads)
        counter = implementation._make_counter(
            tokenizer, lowercase, max_order, threads, length, id_filter
        )
        scorer = Scorer(
            implementation,
            max_order,
            weights,
            smoothing,
            smoothing_value,
            effective_order,
            lowercase=lowercase,
            tokenizer=tokenizer or id_filter or NO_IDS,
            reference_length=length,
        )
        if type(keep_segments) is not bool:
            keep_segments = check_flag("keep_segments", keep_segments)
        keep = object.__setattr__
        keep(self, "counter", counter)
        keep(self, "scorer", scorer)
        keep(self, "weights", weights)
        keep(self, "reference_length", length)
        keep(self, "keep_segments", keep_segments)
        keep(self, "_sums", RunningSums(Sums.zero(max_order)))

    # Properties, because a `__getattr__` would slow down every attribute and method.
    tokenizer = property(attrgetter("counter.tokenizer"))
    lowercase = property(attrgetter("counter.lowercase"))
    max_order = property(attrgetter("counter.max_order"))
    threads = property(attrgetter("counter.threads"))
    ignore_ids = property(lambda self: (self.counter.id_filter or NO_IDS).ignore_ids)
    stop_id = property(lambda self: (self.counter.id_filter or NO_IDS).stop_id)
    skip_ids = property(lambda self: (self.counter.id_filter or NO_IDS).skip_ids)
    smoothing = property(attrgetter("scorer.smoothing"))
    smoothing_value = property(attrgetter("scorer.smoothing_value"))
    effective_order = property(attrgetter("scorer.given_effective_order"))
    dialect = property(attrgetter("scorer.dialect.name"))
    hashed, keywords = _own_option("hashed"), _own_option("keywords")

    def as_arguments(self) -> dict[str, Any]:
        """The arguments that make an equal metric, without segments."""
        values = {name: getattr(self, name) for name in _PARAMETERS}
        values["tokenize"] = self.counter.tokenizer
        return values | dict(self.scorer.dialect.own_options)

    @property
    def signature(self) -> str:
        """Everything that a score depends on besides the text; a Score's signature adds `nrefs`."""
        return self.scorer.signature()

    def score(
        self,
        hypotheses: Hypotheses,
        references: References,
        *,
        hypothesis_mask: Mask | None = None,
        reference_mask: Mask | None = None,
        missing: MissingChoice = "error",
        progress: bool = False,
        documents: Sequence[Hashable] | None = None,
        tokenize: SegmentTokenizers | None = None,
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
        missing : {"error", "empty", "skip", "ragged"}, default "error"
            What to do with a segment whose hypothesis or reference is missing: None, NaN,
            pandas.NA. "empty" replaces the value by an empty text or list, "skip" leaves the
            segment out and warns how many there are. "ragged" leaves out references that are
            missing or blank, of segments that have others. Not for ids with masks.
        progress : bool, default False
            Show a progress bar on standard error.
        documents : sequence of S hashable, optional
            The document of each segment: the segments of a document are joined in their order and
            scored as one, which is d-BLEU (Liu et al. 2020, Multilingual Denoising Pre-training).
            For lists of text or tokens, without masks and missing values.
        tokenize : sequence of S str, callable or None, or one of these, optional
            The tokenizer of each segment, or of all, for batches of several languages; a list or a
            column. None is the metric's own. The signature names all that were used:
            ``tok:13a+zh``.

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
            which pads labels, was counted, or segments were left out by ``missing="skip"``, or
            references are blank; or one side is shifted, in another script, or equal to the other.
        """
        counter, scorer = self.counter, self.scorer
        batch = read(
            hypotheses, references, counter, hypothesis_mask, reference_mask, missing, documents
        )
        counted = self._count(batch, scorer.keep_rows, missing, progress, tokenize, documents)
        present = batch.present
        if present is not None and not any(present):
            raise ValueError(
                f"there are no segments to score: all {len(present)} were left out, because a "
                "value is missing"
            )
        return scorer.score(scorer.sums(counted))

    def sentence_scores(
        self,
        hypotheses: Hypotheses,
        references: References,
        *,
        hypothesis_mask: Mask | None = None,
        reference_mask: Mask | None = None,
        missing: MissingChoice = "error",
        progress: bool = False,
        documents: Sequence[Hashable] | None = None,
        tokenize: SegmentTokenizers | None = None,
    ) -> NDArray[numpy.float64]:
        """BLEU of each segment, or of each of the `documents` in the order of first appearance.

        Parameters and errors as for `score`; without segments there are no scores. With sacreBLEU's
        dialect, segments of fewer than `max_order` tokens are scored by the orders that they have,
        unless ``effective_order=False``.

        Returns
        -------
        ndarray of float64, shape (segments,)
            On the dialect's scale; NaN where ``missing="skip"`` left the segment out.

        Warns
        -----
        InputWarning
            As for `score`; or short segments score 0 with ``effective_order=False``.
        """
        counter = self.counter
        batch = read(
            hypotheses, references, counter, hypothesis_mask, reference_mask, missing, documents
        )
        counted = self._count(batch, True, missing, progress, tokenize, documents)
        return _with_gaps(self.scorer.sentence_scores(counted), batch.present)

    def prefix_scores(
        self,
        hypotheses: Hypotheses,
        references: References,
        *,
        hypothesis_mask: Mask | None = None,
        reference_mask: Mask | None = None,
        delta: bool = False,
    ) -> NDArray[numpy.float64]:
        """BLEU of each prefix of each hypothesis, for rewards of single tokens.

        Counts each hypothesis once. Parameters and errors as for `score`, but only for tokens and
        token ids: with ``tokenize=None``, and `max_order` up to 8.

        Parameters
        ----------
        delta : bool, default False
            Return how much each token changes the score: the score of the prefix that ends with
            it, minus that of the prefix before. A row adds up to the score of the hypothesis.

        Returns
        -------
        ndarray of float64, shape (segments, length)
            Exactly ``sentence_scores(hypotheses[:, :i + 1], references)`` in column i. Positions
            that do not count, such as padding and what follows a stop id, repeat the score before,
            and so do those after the end of shorter hypotheses in a list.

        Examples
        --------
        >>> import numpy
        >>> metric = BLEU(tokenize=None, stop_id=2)
        >>> sampled = numpy.array([[5, 6, 9, 7, 2, 0]])
        >>> reference = numpy.array([[5, 6, 7, 8, 2, 0]])
        >>> metric.prefix_scores(sampled, reference).round(1)
        array([[ 5. , 36.8, 39.4, 35.4, 35.4, 35.4]])
        >>> metric.prefix_scores(sampled, reference, delta=True).round(1)
        array([[ 5. , 31.8,  2.6, -4.1,  0. ,  0. ]])
        """
        counter = self.counter
        self.scorer.dialect.require("prefix_scores")
        check_flag("delta", delta)
        if counter.is_text:
            raise ValueError("prefix_scores is for tokens and token ids: pass tokenize=None")
        batch = read(hypotheses, references, counter, hypothesis_mask, reference_mask)
        if type(batch) is not Batch:  # columns
            batch = read(*batch.lists(), counter)
        rows = batch.hypotheses
        length = rows.longest if type(rows) is IdRows else max(map(len, rows), default=0)
        scores = self.scorer.prefix_scores(counter, batch, length)
        if delta:
            scores[:, 1:] -= scores[:, :-1]
        return scores

    def statistics(
        self,
        hypotheses: Hypotheses,
        references: References,
        *,
        hypothesis_mask: Mask | None = None,
        reference_mask: Mask | None = None,
        missing: MissingChoice = "error",
        progress: bool = False,
        documents: Sequence[Hashable] | None = None,
        tokenize: SegmentTokenizers | None = None,
    ) -> Stats:
        """Rows of counts, one per segment, from which every score can be computed.

        Parameters and errors as for `score`.

        Returns
        -------
        Stats
            Shape (segments, 2 + 2 * max_order), the same for every dialect, without segments
            that ``missing="skip"`` leaves out.
        """
        self.scorer.dialect.require("statistics")
        counter = self.counter
        batch = read(
            hypotheses, references, counter, hypothesis_mask, reference_mask, missing, documents
        )
        counted = self._count(batch, True, missing, progress, tokenize, documents)
        return self.scorer.statistics(counted)

    def sums(
        self,
        hypotheses: Hypotheses,
        references: References,
        *,
        hypothesis_mask: Mask | None = None,
        reference_mask: Mask | None = None,
    ) -> NDArray[numpy.int64]:
        """The sum of all rows as the dialect counts them; memory does not grow with the corpus.

        Parameters and errors as for `score`; without segments the sums are all zeros.

        Returns
        -------
        ndarray of int64, shape (2 + 2 * max_order,)
            The `state` of a new metric after one `update` with the same arguments.
        """
        return _state(self._sums_of_batch(hypotheses, references, hypothesis_mask, reference_mask))

    def _count(
        self,
        batch: Batch,
        keep_rows: bool,
        missing: str = "error",
        progress: bool = False,
        tokenize: SegmentTokenizers | None = None,
        documents: Sequence[Hashable] | None = None,
    ) -> Counted:
        """Count a batch that was read with the same `missing` and `documents`."""
        if tokenize is None:
            counted = self.counter.count(batch, keep_rows=keep_rows, progress=progress)
        elif documents is not None:
            raise ValueError("documents and tokenize do not go together")
        else:
            counter, dialect = self.counter, self.scorer.dialect
            counted = count_with_tokenizers(counter, dialect, batch, tokenize, keep_rows, progress)
        if missing == "empty":  # blank references are asked for
            counted.blank_references = 0
        if batch.present is not None:
            batch.warn_of_missing()
        return counted

    def _sums_of_batch(
        self,
        hypotheses: Any,
        references: Any,
        hypothesis_mask: Mask | None = None,
        reference_mask: Mask | None = None,
    ) -> Sums:
        """See `sums`."""
        scorer = self.scorer
        scorer.dialect.require("sums")
        batch = read(hypotheses, references, self.counter, hypothesis_mask, reference_mask)
        return scorer.sums(self._count(batch, scorer.keep_rows))

    @not_compiled
    def update(
        self,
        hypotheses: Hypotheses,
        references: References,
        *,
        hypothesis_mask: Mask | None = None,
        reference_mask: Mask | None = None,
        missing: MissingChoice = "error",
        progress: bool = False,
        tokenize: SegmentTokenizers | None = None,
    ) -> None:
        """Add a batch to the segments that `compute` scores.

        Parameters, errors and warnings as for `score`, but a batch may be empty. If there
        is an error, nothing of the batch is added.

        Raises
        ------
        OverflowError
            A count leaves int64.
        """
        scorer, keep = self.scorer, self.keep_segments
        if not scorer.adds_batches:
            scorer.dialect.require("update")
        batch = read(hypotheses, references, self.counter, hypothesis_mask, reference_mask, missing)
        counted = self._count(batch, keep or scorer.keep_rows, missing, progress, tokenize)
        self._sums.add(scorer.sums(counted, keep))

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
        sums = self._sums.value
        if sums.segments == 0:
            raise ValueError(
                "there are no segments to score: nothing was added since the start or reset()"
            )
        return self.scorer.score(sums)

    def reset(self) -> None:
        """Forget all segments."""
        zero = Sums.zero(self.counter.max_order)
        while not self._sums.compare_and_swap(self._sums.value, zero):
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
        here, there = self._compared(), other._compared()
        for name in here:
            if here[name] != there[name]:
                raise ValueError(
                    f"cannot merge metrics that differ: {name} is {shown(here[name])} here and "
                    f"{shown(there[name])} there"
                )
        self._sums.add(other._sums.value)

    def all_reduce(self, group: object = None) -> BLEU:
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
        total = type(self)(**self.as_arguments())
        local = self.signature, self.keep_segments
        for rank, (other, sums) in enumerate(gather((local, self._sums.value), group)):
            if other != local:
                raise ValueError(
                    f"rank {rank} has a metric with other parameters: {other[0]}, here {local[0]}; "
                    f"keep_segments={other[1]}, here {local[1]}"
                )
            total._sums.add(sums)
        return total

    @property
    def state(self) -> NDArray[numpy.int64]:
        """The sums of all counts: [hyp_len, ref_len, matches..., totals...]; a copy.

        int64, shape (2 + 2 * max_order,), in tokens and n-grams as the dialect counts them. The sum
        of several states is the state for all their segments: see `from_state`.
        """
        self.scorer.dialect.require("state")
        return _state(self._sums.value)

    @classmethod
    def from_state(cls, state: object, **parameters: Unpack[MetricOptions]) -> BLEU:
        """Create a metric from a state.

        Parameters
        ----------
        state : array_like of int, shape (2 + 2 * max_order,)
            A metric's `state`, or a sum of states.
        **parameters
            Those of the metric that had the state, except for `keep_segments`; only
            `max_order` can be checked. The signature lacks the number of references afterwards, and
            tokenizers that segments had of their own.

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
        metric.scorer.dialect.require("state")
        row = row_of_state(state, metric.counter.max_order, metric.counter.least_total)
        metric._sums.add(metric.scorer.restore(row))
        return metric

    @property
    def segments(self) -> Stats:
        """The rows of all segments since the start, or since `reset`, in the order of `update`.

        Raises
        ------
        ValueError
            The metric was not made with ``keep_segments=True``.
        """
        if not self.keep_segments:
            raise ValueError("segments are not kept; make the metric with keep_segments=True")
        return self._sums.value.rows()

    def segment_scores(self) -> NDArray[numpy.float64]:
        """BLEU of each segment, as in `sentence_scores`; errors as for `segments`."""
        return self.scorer.row_scores(self.segments)

    def _compared(self) -> dict[str, Any]:
        """The parameters that are compared: all except `threads`."""
        arguments = self.as_arguments()
        del arguments["threads"]
        # First, because other parameters follow from it.
        return {"dialect": arguments["dialect"]} | arguments

    def __eq__(self, other: object) -> bool:
        """Whether all parameters except `threads`, and all counts, are the same."""
        if not isinstance(other, BLEU):
            return NotImplemented
        if self._sums.value != other._sums.value:
            return False
        return self._compared() == other._compared()

    def __hash__(self) -> int:
        return hash(self.signature)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickles name `fastbleu.BLEU` and hold its arguments and counts: later versions read them.

        A tokenizer is a name, or a function of yours by its own path.
        """
        arguments, sums = self.as_arguments(), self._sums.value
        if arguments["tokenize"] is not None:
            arguments["tokenize"] = arguments["tokenize"].argument or arguments["tokenize"]
        noted = sums.segments, sums.nrefs, sums.tokenized_periods
        rows = sums.rows()  # kept also for a dialect that averages sentences
        kept = rows._rows if len(rows) else None
        state = sums.row, *noted, kept, sums.tokenizers
        return partial(type(self), **arguments), (), state

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        row, segments, nrefs, periods, kept, *tokenizers = state
        rows = None if kept is None else Stats._own(kept, self.max_order)
        self._sums.add(Sums(row, segments, nrefs, periods, rows, *tokenizers))

    def __repr__(self) -> str:
        segments = self._sums.value.segments
        counted = "from a state" if segments is None else f"{segments} segments"
        return f"<BLEU {self.signature}, {counted}>"

    def __setattr__(self, name: str, *value: object) -> NoReturn:
        raise AttributeError(f"a BLEU's parameters cannot be changed: make a new one for {name}")

    __delattr__ = __setattr__


def _state(sums: Sums) -> NDArray[numpy.int64]:
    row: NDArray[numpy.int64] = sums.adapted().__array__()[0]
    return row


def _with_gaps(
    scores: NDArray[numpy.float64], present: list[bool] | None
) -> NDArray[numpy.float64]:
    """The scores of all segments, from those of the present ones; NaN for the others."""
    if present is None:
        return scores
    of_all = numpy.full(len(present), numpy.nan)
    of_all[present] = scores
    return of_all
