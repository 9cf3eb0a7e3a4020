"""The native metric: one class for every BLEU of this package, for a corpus or a stream."""

from __future__ import annotations

import sys
from functools import partial
from operator import attrgetter

from ..counting._counted import Counted, RunningSums, Sums
from ..counting.stats import Stats, row_of_state
from ..inputs._batch import Batch
from ..inputs._id_rows import IdRows
from ..inputs.arguments import (
    PARAMETERS,
    a_type,
    check_flag,
    check_positive,
    number_of,
    refuse_texts,
    shown,
)
from ..inputs.errors import AmongGiven, InputError
from ..inputs.ids import NO_IDS, IdFilter
from ..runtime.extras import not_compiled
from ..runtime.import_lock import lazy
from ..scoring.base import COUNT, PREFIX_SCORES, STATE, UPDATE
from ..scoring.counters import make_counter
from ..scoring.names import get
from ..scoring.score import Score
from ..scoring.scorer import Scorer, checked_weights
from .segment_tokenizers import count_with_tokenizers

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Sequence
    from typing import Any, Literal, NoReturn, Unpack

    import numpy
    from numpy.typing import NDArray

    from ..counting.counter import Counter
    from ..inputs.types import Hypotheses, Mask, MissingChoice, References
    from ..scoring.names import OwnOptions
    from ..tokenizers.tokenizer import TokenFunction, Tokenizer
    from .segment_tokenizers import SegmentTokenizers
else:
    numpy = lazy("numpy")

_NOTHING: tuple[int, ...] = ()


def _argument(read: Callable[[BLEU], Any]) -> property:
    return property(read, doc="This argument, or the dialect's default.")


class BLEU:
    """BLEU of text, tokens or token ids; its parameters are fixed, and threads may share it.

    By default the scores are sacreBLEU's, 0-100; another `dialect` gives the scores of its
    original, with the original's defaults. References are segment-major:
    ``references[segment][k]``, or one str per segment.

    `score` takes a whole corpus. `update` takes it batch by batch, and `compute` returns the same
    score however the corpus was split: the metric keeps the sum of the counts, as exact integers.

    Parameters
    ----------
    dialect : str, default "sacrebleu"
        The implementation or evaluation tool whose score this is: a name of
        ``fastbleu.dialects.names(recipes=True)``. `fastbleu.dialects.describe` says what each does.
        All other parameters are passed by keyword, and texts to `score`; None means the dialect's
        default.
    tokenize : str, callable (str -> list of str) or False, optional
        The name of a tokenizer, by default "13a", or a function that splits a text; a dialect with
        its own tokenizer accepts only that. "auto": each segment has the tokenizer for the script
        of its first reference; the score's signature names them. False: the input is lists of
        tokens, which may be any hashable objects, or token ids. For your own sentencepiece model
        pass ``fastbleu.tokenizers.get("spm", model=path)``.
    lowercase : bool, optional
        Ignore case; in sacreBLEU's dialect by lowercasing the text first. By default False.
    max_ngram_order : int, optional
        The longest n-grams, by default 4.
    weights : sequence of float, shape (max_ngram_order,), optional
        Weight of each order; equal weights by default.
    smooth_method : str, optional
        Smoothing of orders without matches: "exp" (sacreBLEU's default), "floor", "add-k" or
        "none"; some dialects have others, such as nltk's "method4" or tf-nmt's "add-1".
    smooth_value : float, optional
        For "floor" (default 0.1), "add-k" (sacreBLEU's and e2e's, default 1) and "method4"
        (default 5).
    effective_order : bool, optional
        Average only over orders for which the hypotheses have n-grams. By default as in sacreBLEU:
        True where sentences are scored one by one, False for a corpus; False in recipes. Only for
        sacreBLEU's dialect and recipes based on it.
    reference_length : {"closest", "first", "shortest", "average"}, optional
        "closest" (the default): the reference length closest to that of the hypothesis, the shorter
        of two equally close; "first": the same, but the earlier of two equally close; "shortest";
        or, for the dialect "coco", "average".
    ignore_ids : int or iterable of int, default ()
        Ids that are not tokens, such as padding. A reference with only such ids, or masked
        completely, is ignored unless the segment has no other; an empty reference has length 0.
    stop_ids : int or iterable of int, default ()
        Ids that end a sequence, unless masked; such an id and all that follow do not count.
    skip_ids : int or iterable of int, default ()
        Ids of tokens to leave out, such as the beginning-of-sentence id.
    threads : int, default 1
        Threads that tokenize and count text, columns, files and ids; lists of tokens use one. The
        result does not depend on it.
    keep_stats : bool, default False
        Keep the rows of all segments passed to `update`, for `stats`.
    **own_options
        Options that only the chosen dialect has, such as ``hashed=False`` for "fairseq" and
        ``keywords="python"`` for "codebleu-weighted"; see `fastbleu.dialects.describe`.

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
    >>> round(BLEU(tokenize=False, ignore_ids=0, stop_ids=2).score(ids, ids).value, 2)
    100.0
    """

    __module__ = "fastbleu"
    __slots__ = ("_counter", "_is_reduced", "_scorer", "_sums", "keep_stats", "weights")

    _counter: Counter
    _is_reduced: bool  # whether it holds the counts of all ranks
    _scorer: Scorer
    keep_stats: bool
    weights: tuple[float, ...] | None
    _sums: RunningSums

    def __init__(
        self,
        dialect: str = "sacrebleu",
        *texts: NoReturn,
        tokenize: str | TokenFunction | Tokenizer | Literal[False] | None = None,
        lowercase: bool | None = None,
        max_ngram_order: int | None = None,
        weights: Sequence[float] | None = None,
        smooth_method: str | None = None,
        smooth_value: float | None = None,
        effective_order: bool | None = None,
        reference_length: str | None = None,
        ignore_ids: int | Iterable[int] = _NOTHING,
        stop_ids: int | Iterable[int] = _NOTHING,
        skip_ids: int | Iterable[int] = _NOTHING,
        threads: int = 1,
        keep_stats: bool = False,
        **own_options: Unpack[OwnOptions],
    ) -> None:
        if texts:
            refuse_texts()
        implementation = get(dialect, reference_length, **own_options)
        if weights is not None:
            weights = checked_weights(weights)
        if max_ngram_order is not None:
            max_ngram_order = check_positive("max_ngram_order", max_ngram_order)
        elif weights and implementation.weights_set_order:
            max_ngram_order = len(weights)
        id_filter = None
        if not (ignore_ids is _NOTHING and stop_ids is _NOTHING and skip_ids is _NOTHING):
            id_filter = IdFilter(ignore_ids, stop_ids, skip_ids)
        if type(threads) is not int or threads < 1:
            threads = check_positive("threads", threads)
        # fmt: off
        counter = make_counter(
            implementation, tokenize, lowercase, max_ngram_order, reference_length, threads,
            id_filter,
        )
        # fmt: on
        if id_filter and counter.is_text:
            raise ValueError(
                "ignore_ids, stop_ids and skip_ids are for token ids, which need tokenize=False"
            )
        scorer = Scorer(
            implementation,
            counter.max_ngram_order,
            weights,
            smooth_method,
            smooth_value,
            effective_order,
            lowercase=counter.lowercase,
            tokenizer=counter.tokenizer or id_filter or NO_IDS,
            reference_length=counter.reference_length,
        )
        if type(keep_stats) is not bool:
            keep_stats = check_flag("keep_stats", keep_stats)
        keep = object.__setattr__
        keep(self, "_counter", counter)
        keep(self, "_is_reduced", False)
        keep(self, "_scorer", scorer)
        keep(self, "weights", weights)
        keep(self, "keep_stats", keep_stats)
        keep(self, "_sums", RunningSums(Sums.zero(counter.max_ngram_order)))

    # Properties, because a `__getattr__` would slow down every attribute and method.
    tokenize = _argument(lambda self: self._counter.tokenizer or False)
    lowercase = _argument(attrgetter("_counter.lowercase"))
    max_ngram_order = _argument(attrgetter("_counter.max_ngram_order"))
    reference_length = _argument(attrgetter("_counter.reference_length"))
    threads = _argument(attrgetter("_counter.threads"))
    ignore_ids = _argument(lambda self: (self._counter.id_filter or NO_IDS).ignore_ids)
    stop_ids = _argument(lambda self: (self._counter.id_filter or NO_IDS).stop_ids)
    skip_ids = _argument(lambda self: (self._counter.id_filter or NO_IDS).skip_ids)
    smooth_method = _argument(attrgetter("_scorer.smooth_method"))
    smooth_value = _argument(attrgetter("_scorer.smooth_value"))
    effective_order = _argument(attrgetter("_scorer.given_effective_order"))
    dialect = _argument(attrgetter("_scorer.dialect.name"))

    def get_params(self) -> dict[str, Any]:
        """The arguments that create an equal metric, without its counts."""
        values = {name: getattr(self, name) for name in PARAMETERS}
        return values | dict(self._scorer.dialect.own_options)

    @property
    def signature(self) -> str:
        """Everything that a score depends on besides the text; a Score's signature adds `nrefs`."""
        return self._scorer.signature()

    def score(
        self,
        hypotheses: Hypotheses | Stats,
        references: References | None = None,
        *,
        hypothesis_mask: Mask | None = None,
        reference_mask: Mask | None = None,
        missing: MissingChoice = "error",
        progress: bool = False,
        join: Sequence[Hashable] | None = None,
        tokenizers: SegmentTokenizers | None = None,
    ) -> Score:
        """BLEU of a corpus.

        Parameters
        ----------
        hypotheses : sequence of S str, or Stats
            Or a column of texts with the Arrow interface, from pyarrow, polars, pandas, DuckDB or
            datasets, which may be a stream.
            With ``tokenize=False`` lists of tokens, or token ids: an array or tensor of integers
            of shape (S, length), or (length,) for one segment, or a list of S arrays of shape
            (length,). For a single hypothesis an array (k, length) is its k references.
            `Stats` from `count` replace both hypotheses and references, if they were counted as
            this metric counts; pass masks, `missing`, `join` and `tokenizers` to `count` then.
        references : sequence of S str or of S sequences of str
            ``references[i]`` is the reference, or the list of references, of ``hypotheses[i]``;
            their number may vary. Or a column of texts or of lists of texts; or, with a column of
            hypotheses, a list of columns, one for each reference.
            With ``tokenize=False`` always lists of references, each a list of tokens. For token ids
            an array of shape (S, length) or (S, references, length), or a list with an array, or a
            list of arrays, for each segment.
        hypothesis_mask, reference_mask : array of bool or integers, optional
            For token ids, of the same shapes: an id counts if its mask is not 0.
        missing : {"error", "empty", "skip", "ragged"}, default "error"
            What to do with a segment whose hypothesis or reference is missing: None, NaN,
            pandas.NA. "empty" replaces the value with an empty text or list; "skip" leaves the
            segment out and warns of the number; "ragged" leaves out missing and blank references of
            segments that have others. Not for ids with masks.
        progress : bool, default False
            Show a progress bar on standard error.
        join : sequence of S hashable, optional
            The document of each segment: the segments of a document are joined in order and scored
            as one, which is d-BLEU (Liu et al. 2020, Multilingual Denoising Pre-training).
            For lists of text or tokens, without masks and missing values.
        tokenizers : sequence of S str, callable or None, or one of these, optional
            The tokenizer of each segment, as a list or a column, or one for all, for batches of
            several languages. None is the metric's own. The signature names all that were used:
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
            There is a str instead of a list of tokens or the reverse, a token is not hashable, an
            array does not hold integers, a column has the wrong type, or a value is missing; the
            message names the segment and the position.

        Warns
        -----
        InputWarning
            100 hypotheses look tokenized already, the references look transposed although the
            lengths agree, no hypothesis is long enough for a score above 0, the id -100, which pads
            labels, was counted, ``missing="skip"`` left out segments, references are blank, or one
            side is shifted, in another script, or equal to the other.
        """
        if type(self) is not BLEU:
            _check_metric(self, "score")
        scorer = self._scorer
        # fmt: off
        counted = self._count(
            hypotheses, references, scorer.keep_rows, hypothesis_mask, reference_mask, missing,
            progress, join, tokenizers,
        )
        # fmt: on
        if (present := counted.present) is not None and not any(present):
            raise InputError(
                f"there are no segments to score: all {len(present)} were left out, because a "
                "value is missing"
            )
        if present is not None:
            with AmongGiven(present):
                return scorer.score(scorer.sums(counted))
        return scorer.score(scorer.sums(counted))

    def sentence_scores(
        self,
        hypotheses: Hypotheses | Stats,
        references: References | None = None,
        *,
        hypothesis_mask: Mask | None = None,
        reference_mask: Mask | None = None,
        missing: MissingChoice = "error",
        progress: bool = False,
        join: Sequence[Hashable] | None = None,
        tokenizers: SegmentTokenizers | None = None,
    ) -> NDArray[numpy.float64]:
        """BLEU of each segment, or of each document of `join` in the order of first appearance.

        Parameters and errors as for `score`, but there may be no segments. With sacreBLEU's
        dialect, segments of fewer than `max_ngram_order` tokens are scored by the orders that
        they have, unless ``effective_order=False``.

        Returns
        -------
        ndarray of float64, shape (segments,)
            On the dialect's scale; NaN where ``missing="skip"`` left the segment out.

        Warns
        -----
        InputWarning
            As for `score`; also if short segments score 0 because of ``effective_order=False``.
        """
        if type(self) is not BLEU:
            _check_metric(self, "sentence_scores")
        # fmt: off
        counted = self._count(
            hypotheses, references, True, hypothesis_mask, reference_mask, missing,
            progress, join, tokenizers,
        )
        # fmt: on
        if (present := counted.present) is None:
            return self._scorer.sentence_scores(counted)
        scores = numpy.full(len(present), numpy.nan)
        with AmongGiven(present):
            scores[present] = self._scorer.sentence_scores(counted)
        return scores

    def prefix_scores(
        self,
        hypotheses: Hypotheses,
        references: References,
        *,
        hypothesis_mask: Mask | None = None,
        reference_mask: Mask | None = None,
        delta: bool = False,
    ) -> NDArray[numpy.float64]:
        """BLEU of each prefix of each hypothesis, for per-token rewards.

        Counts each hypothesis once. Parameters and errors as for `score`, but only for tokens and
        token ids (``tokenize=False``), with `max_ngram_order` up to 8.

        Parameters
        ----------
        delta : bool, default False
            Return how much each token changes the score: the score of the prefix that ends with
            it, minus that of the prefix before, or 0 before the first token. A row adds up to the
            score of the hypothesis, and is 0 where no token counts.

        Returns
        -------
        ndarray of float64, shape (segments, length)
            Column i is exactly ``sentence_scores(hypotheses[:, :i + 1], references)``. Positions
            that do not count (padding, and what follows a stop id or the end of a shorter
            hypothesis in a list) repeat the score before.

        Examples
        --------
        >>> import numpy
        >>> metric = BLEU(tokenize=False, stop_ids=2)
        >>> sampled = numpy.array([[5, 6, 9, 7, 2, 0]])
        >>> reference = numpy.array([[5, 6, 7, 8, 2, 0]])
        >>> metric.prefix_scores(sampled, reference).round(1)
        array([[ 5. , 36.8, 39.4, 35.4, 35.4, 35.4]])
        >>> metric.prefix_scores(sampled, reference, delta=True).round(1)
        array([[ 5. , 31.8,  2.6, -4.1,  0. ,  0. ]])
        """
        counter = self._counter
        self._scorer.dialect.require(PREFIX_SCORES)
        check_flag("delta", delta)
        if counter.is_text:
            raise ValueError("prefix_scores is for tokens and token ids: pass tokenize=False")
        batch = counter.read(hypotheses, references, hypothesis_mask, reference_mask)
        if type(batch) is not Batch:  # columns
            batch = counter.read(*batch.lists())
        rows = batch.hypotheses
        length = rows.longest if type(rows) is IdRows else max(map(len, rows), default=0)
        scores = self._scorer.prefix_scores(counter, batch, length, delta)
        if delta:
            scores[:, 1:] -= scores[:, :-1]
        return scores

    def count(
        self,
        hypotheses: Hypotheses,
        references: References,
        *,
        hypothesis_mask: Mask | None = None,
        reference_mask: Mask | None = None,
        missing: MissingChoice = "error",
        progress: bool = False,
        join: Sequence[Hashable] | None = None,
        tokenizers: SegmentTokenizers | None = None,
    ) -> Stats:
        """Rows of counts, one per segment, from which every score can be computed.

        Parameters and errors as for `score`. The result can be passed instead of hypotheses and
        references: a corpus is counted once and scored often.

        Returns
        -------
        Stats
            Shape (segments, 2 + 2 * max_ngram_order), the same for every dialect, without segments
            that ``missing="skip"`` leaves out.

        Examples
        --------
        >>> stats = BLEU().count(["The cat sat on the mat."], ["The cat sat on a mat."])
        >>> [round(BLEU(smooth_method=name).score(stats).value, 1) for name in ("exp", "none")]
        [48.9, 48.9]
        """
        self._scorer.dialect.require(COUNT)
        # fmt: off
        counted = self._count(
            hypotheses, references, True, hypothesis_mask, reference_mask, missing,
            progress, join, tokenizers,
        )
        # fmt: on
        if isinstance(hypotheses, Stats):  # checked, and they keep how they were counted
            return hypotheses[:]
        return self._scorer.stats(counted)

    def _count(
        self,
        hypotheses: Any,
        references: Any,
        keep_rows: bool,
        hypothesis_mask: Mask | None = None,
        reference_mask: Mask | None = None,
        missing: str = "error",
        progress: bool = False,
        join: Sequence[Hashable] | None = None,
        tokenizers: SegmentTokenizers | None = None,
    ) -> Counted:
        """Count what a user passes in."""
        if isinstance(hypotheses, Stats):
            others = references, hypothesis_mask, reference_mask, join, tokenizers
            return self._counted_before(hypotheses, missing, others)
        counter = self._counter
        batch = counter.read(hypotheses, references, hypothesis_mask, reference_mask, missing, join)
        if tokenizers is None:
            counted = counter.count(batch, keep_rows, progress)
        elif join is not None:
            raise ValueError("join and tokenizers do not go together")
        else:
            dialect = self._scorer.dialect
            counted = count_with_tokenizers(
                counter, dialect, batch, tokenizers, keep_rows, progress
            )
        if missing == "empty":  # blank references were requested
            counted.signs.blank_references = 0
        if (present := batch.present) is not None:
            batch.warn_of_missing()
            counted.present = present
        return counted

    def _counted_before(self, stats: Stats, missing: str, others: tuple[object, ...]) -> Counted:
        """The counts in `Stats`; `others` are the arguments that must not be passed with them."""
        if missing != "error" or any(argument is not None for argument in others):
            raise TypeError(
                "hypotheses is Stats, which include the references: leave out references, "
                "masks, missing, join and tokenizers"
            )
        self._scorer.dialect.require(COUNT)
        return self._scorer.counted_before(stats)

    @not_compiled
    def update(
        self,
        hypotheses: Hypotheses | Stats,
        references: References | None = None,
        *,
        hypothesis_mask: Mask | None = None,
        reference_mask: Mask | None = None,
        missing: MissingChoice = "error",
        progress: bool = False,
        join: Sequence[Hashable] | None = None,
        tokenizers: SegmentTokenizers | None = None,
    ) -> None:
        """Add a batch to the segments that `compute` scores.

        Parameters, errors and warnings as for `score`, but a batch may be empty. After an error
        nothing of the batch has been added.

        Raises
        ------
        OverflowError
            A count leaves int64.
        """
        if type(self) is not BLEU:
            _check_metric(self, "update")
        scorer, keep = self._scorer, self.keep_stats
        scorer.dialect.require(UPDATE)
        if keep and isinstance(hypotheses, Stats) and hypotheses._is_sum:
            raise ValueError(
                "the Stats hold a sum of rows, but keep_stats=True keeps the row of each segment: "
                "pass Stats that were not added up"
            )
        # fmt: off
        counted = self._count(
            hypotheses, references, keep or scorer.keep_rows, hypothesis_mask, reference_mask,
            missing, progress, join, tokenizers,
        )
        # fmt: on
        self._sums.add(scorer.sums(counted, keep))

    def compute(self) -> Score:
        """BLEU of all segments since the start, or since `reset`; does not change the state.

        Returns
        -------
        Score
            Equal to the result of `score` for all of them at once.

        Raises
        ------
        ValueError
            There are no segments.
        """
        sums = self._sums.value
        if sums.segments == 0:
            raise InputError(
                "there are no segments to score: nothing was added since the start or reset()"
            )
        return self._scorer.score(sums)

    def reset(self) -> None:
        """Forget all segments."""
        zero = Sums.zero(self._counter.max_ngram_order)
        while not self._sums.compare_and_swap(self._sums.value, zero):
            pass
        object.__setattr__(self, "_is_reduced", False)

    def merge(self, other: BLEU | object) -> None:
        """Add the counts of another metric, which is not changed, or a metric's `state`.

        Parameters
        ----------
        other : BLEU, or array_like of int, shape (2 + 2 * max_ngram_order,)
            A metric with the same parameters, except for `threads`; or a `state`, or a sum of
            states, of such metrics, with only `max_ngram_order` checked. After merging a state,
            signatures lack the number of references and the tokenizers of single segments.

        Raises
        ------
        TypeError
            `other` is neither a BLEU nor numbers.
        ValueError
            The other metric counts or scores differently, or no text can have the state.
        OverflowError
            A count leaves int64.
        """
        if not isinstance(other, BLEU):
            self._sums.add(self._sums_of_state(other))
            return
        here, there = self._compared(), other._compared()
        for name in here:
            if here[name] != there[name]:
                raise ValueError(
                    f"cannot merge metrics that differ: {name} is {shown(here[name])} here and "
                    f"{shown(there[name])} there"
                )
        self._sums.add(other._sums.value)

    def _sums_of_state(self, state: Any) -> Sums:
        if isinstance(state, str) or not (hasattr(state, "__len__") or hasattr(state, "shape")):
            raise TypeError(f"cannot merge {a_type(state)}, expected a fastbleu.BLEU or its state")
        if self.keep_stats:
            raise ValueError("a state has no rows to keep: merge it into a BLEU without keep_stats")
        self._scorer.dialect.require(STATE)
        row = row_of_state(state, self._counter.max_ngram_order, self._counter.least_total)
        return self._scorer.restore(row)

    def all_reduce(self, group: object = None) -> BLEU:
        """A metric with the counts of all ranks of a `torch.distributed` process group.

        Every rank of the group must call it, even without data, and every rank gets the same
        result. The local metric is not changed and can still be used; the result cannot be reduced
        again. Before `init_process_group` the result is a copy of the local metric. Kept rows are
        in the order of the ranks.

        Parameters
        ----------
        group : torch.distributed.ProcessGroup, optional
            By default all ranks.

        Raises
        ------
        ValueError
            The ranks' parameters differ, this process is not in the group, or the metric is the
            result of `all_reduce`.
        OverflowError
            A count leaves int64.
        RuntimeError
            Another rank is no longer running.
        """
        if self._is_reduced:
            raise ValueError(
                "this metric holds the counts of all ranks, which would be counted again: call "
                "compute() on it, and all_reduce() on the metric of each rank"
            )
        total = type(self)(**self.get_params())
        object.__setattr__(total, "_is_reduced", True)
        local = self.signature, self.keep_stats
        for rank, (other, sums) in enumerate(_gather((local, self._sums.value), group)):
            if other != local:
                raise ValueError(
                    f"rank {rank} has a metric with other parameters: {other[0]}, here {local[0]}; "
                    f"keep_stats={other[1]}, here {local[1]}"
                )
            total._sums.add(sums)
        return total

    @property
    def state(self) -> NDArray[numpy.int64]:
        """The sums of all counts: [hyp_len, ref_len, matches..., totals...]; a copy.

        int64, shape (2 + 2 * max_ngram_order,), in tokens and n-grams as the dialect counts them.
        The sum of several states is the state of all their segments; pass it to `merge`.
        """
        self._scorer.dialect.require(STATE)
        row: NDArray[numpy.int64] = self._sums.value.adapted().__array__()[0]
        return row

    @property
    def stats(self) -> Stats:
        """The rows of all segments since the start, or since `reset`, in the order of `update`.

        ``sentence_scores(metric.stats)`` returns their scores.

        Raises
        ------
        ValueError
            The metric was not made with ``keep_stats=True``.
        """
        if not self.keep_stats:
            raise ValueError("rows are not kept; make the metric with keep_stats=True")
        return self._scorer.stats_of_sums(self._sums.value)

    def _compared(self) -> dict[str, Any]:
        """The parameters that are compared: all except `threads`."""
        arguments = self.get_params()
        del arguments["threads"]
        # The dialect is first, because it determines other parameters.
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
        """Pickles name `fastbleu.BLEU` and hold arguments and counts: later versions can read them.

        A tokenizer is pickled as a name, or as a function by its path.
        """
        arguments, sums = self.get_params(), self._sums.value
        if arguments["tokenize"]:
            arguments["tokenize"] = arguments["tokenize"].argument or arguments["tokenize"]
        noted = sums.segments, sums.nrefs, sums.signs.tokenized_periods
        rows = sums.rows()  # also kept for a dialect that averages sentences
        kept = rows._rows if len(rows) else None
        state = sums.row, *noted, kept, sums.tokenizers
        return partial(type(self), **arguments), (), state

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        row, segments, nrefs, periods, kept, *tokenizers = state
        if any(type(n) is not int or n < 0 for n in (segments, periods) if n is not None):
            raise ValueError(f"a state has {segments!r} segments, {periods!r} of them tokenized")
        rows = None if kept is None else Stats._own(kept, self.max_ngram_order)
        self._sums.add(Sums(row, segments, nrefs, periods, rows, *tokenizers))

    def __repr__(self) -> str:
        segments = self._sums.value.segments
        counted = "from a state" if segments is None else number_of(segments, "segment")
        return f"<BLEU {self.signature}, {counted}>"

    def __setattr__(self, name: str, *value: object) -> NoReturn:
        raise AttributeError(f"a BLEU's parameters cannot be changed: make a new one for {name}")

    __delattr__ = __setattr__


def _check_metric(metric: object, method: str) -> None:
    """Refuse hypotheses where a method is called on the class."""
    if not isinstance(metric, BLEU):
        raise TypeError(
            f"{method} is called on the class: call BLEU().{method}(hypotheses, references)"
        )


def _gather(value: object, group: object = None) -> list[Any]:
    """The values of all ranks in order; without a process group only that of this process.

    PyTorch is not imported here: if nothing has imported it, there is no process group.

    Raises
    ------
    ValueError
        This process is not in the group.
    """
    torch = sys.modules.get("torch")
    if torch is None or not torch.distributed.is_available():
        return [value]
    distributed = torch.distributed
    if not distributed.is_initialized():
        return [value]
    ranks = distributed.get_world_size(group)
    if ranks < 1:
        raise ValueError("this process is not in the group; call all_reduce on its members only")
    gathered = [None] * ranks
    distributed.all_gather_object(gathered, value, group=group)
    return gathered
