"""The native metric: one class for every BLEU of this package, of a corpus or of a stream."""

from __future__ import annotations

import os
from _thread import RLock

from ..counting.stats import Stats
from ..counting.totals import Totals
from ..dialects.score import Score
from .matrix_methods import MatrixMethods
from .ranks import gather
from .scorer import NO_SEGMENTS

# Held for the moment in which totals are replaced; whoever reads them needs none.
_lock = RLock()


def _renew_lock() -> None:
    """In a process that was forked while another thread held the lock, nobody would release it."""
    global _lock
    _lock = RLock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renew_lock)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    import numpy
    from numpy.typing import NDArray

    from ..inputs.types import Hypotheses, Mask, References


class BLEU(MatrixMethods):
    """BLEU of text, tokens or token ids. Its parameters cannot be changed; threads may share it.

    With the defaults the scores are sacreBLEU's, on 0-100. References are segment-major here:
    ``references[segment][k]``, or one str per segment.

    `score` takes a whole corpus. `update` takes it batch by batch, and `compute` gives the same
    score, however the corpus was split: what is kept is the sum of the counts, as exact integers.

    Parameters
    ----------
    tokenize : str, callable (str -> list of str) or None, default "13a"
        A name of `fastbleu.tokenizers.TOKENIZERS` or a function that splits a text. None: the input
        is lists of tokens, which may be any hashable objects, or token ids. A sentencepiece model
        at a path of your own: ``fastbleu.tokenizers.get_tokenizer("spm", model=path)``.
    lowercase : bool, default False
        Lower the text first.
    max_order : int, default 4
        The longest n-grams.
    weights : sequence of float, shape (max_order,), optional
        Weight of each order; equal weights by default.
    smoothing : str, default "exp"
        What becomes of an order without matches: "exp", "floor", "add-k" or "none"; with
        ``dialect="nltk"`` also "method4".
    smoothing_value : float, optional
        For "floor" (default 0.1), "add-k" (sacreBLEU's only, default 1) and "method4" (default 5).
    effective_order : bool, default False
        Average over the orders that the hypotheses reach: for single sentences. sacreBLEU's only.
    threads : int, default 1
        Threads that tokenise and count; they change no result.
    dialect : {"sacrebleu", "nltk"}, default "sacrebleu"
        Whose rules turn counts into a score: sacreBLEU 2.6.0's, on 0-100, or nltk 3.10.4's, on 0-1.
        nltk's function without a SmoothingFunction is ``smoothing="none"``.
    reference_length : {"closest", "first", "shortest"}, default "closest"
        The reference length that counts: the closest to the hypothesis' length, and of two equally
        close the shorter or, for "first", that of the first reference; or the shortest.
    ignore_ids : iterable of int, default ()
        Ids that stand for no token: padding. A reference of nothing else, or masked as a whole, is
        no reference, unless the segment has no other; an empty one has the length 0.
    stop_id : int or iterable of int, optional
        Ends a sequence of ids, unless it is masked; neither it nor what follows counts.
    skip_ids : iterable of int, default ()
        Ids of tokens to leave out, as that of the beginning of a sentence.
    keep_segments : bool, default False
        Keep the rows of all segments that `update` has seen, for `segments` and `segment_scores`.

    Raises
    ------
    TypeError, ValueError, ImportError, FileNotFoundError
        An argument is of the wrong type, out of its range or unknown, or does not go with the
        dialect; or what the tokenizer needs is not installed.

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
    __slots__ = ("_totals",)

    _totals: Totals

    def _begin(self) -> None:
        super()._begin()
        self.reset()

    def update(
        self,
        hypotheses: Hypotheses,
        references: References,
        *,
        hypothesis_mask: Mask | None = None,
        reference_mask: Mask | None = None,
    ) -> None:
        """Add a batch to what `compute` scores.

        Parameters, errors and warnings as those of `score`, but that a batch may be empty. Where
        there is an error nothing of the batch is added.

        Raises
        ------
        OverflowError
            A count leaves int64.
        """
        counted = self._counted(
            hypotheses, references, hypothesis_mask, reference_mask, kept=self.keep_segments
        )
        sums = self._rules.adapt(counted.stats).sum() if self.keep_segments else counted.stats
        self._add(Totals.of(counted, sums, self.keep_segments))

    def compute(self) -> Score:
        """BLEU of all segments since the start, or since `reset`; they stay.

        Returns
        -------
        Score
            Equal to what `score` gives for them all at once.

        Raises
        ------
        ValueError
            There are none.
        """
        totals = self._totals
        if totals.segments == 0:
            raise ValueError(f"{NO_SEGMENTS}: nothing was added since the start or reset()")
        return self._score(totals.sum(), totals.nrefs, totals.tokenized_periods)

    def reset(self) -> None:
        """Forget all segments."""
        with _lock:
            object.__setattr__(self, "_totals", Totals.zero(self.max_order))

    def merge(self, other: BLEU) -> None:
        """Add what another metric has counted, which does not change.

        Raises
        ------
        TypeError
            The other is no BLEU.
        ValueError
            It does not count or score as this one does.
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
        self._add(other._totals)

    def all_reduce(self, group: Any = None) -> BLEU:
        """The metric of all ranks of a `torch.distributed` process group together.

        Every rank of the group must call it, those without data too, and every rank gets the same.
        The local metric does not change and goes on; what is returned holds everybody's counts
        and is not to be reduced again. Before `init_process_group` it is a copy of the local one.
        Kept segments come in the order of the ranks.

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
            Another rank has gone.
        """
        total = type(self)(**self._as_dict())
        mine = self.signature, self.keep_segments
        for rank, (its, totals) in enumerate(gather((mine, self._totals), group)):
            if its != mine:
                raise ValueError(
                    f"rank {rank} has a metric with other parameters: {its[0]}, here {mine[0]}; "
                    f"keep_segments={its[1]}, here {mine[1]}"
                )
            total._add(totals)
        return total

    @property
    def state(self) -> NDArray[numpy.int64]:
        """The sums of all counts: [hyp_len, ref_len, matches..., totals...]; a copy.

        int64, shape (2 + 2 * max_order,), in tokens and n-grams as the dialect counts them. Sums
        over states are the states of all their segments: see `from_state`.
        """
        state: NDArray[numpy.int64] = self._totals.sum().__array__()[0]
        return state

    @classmethod
    def from_state(cls, state: Any, **parameters: Any) -> BLEU:
        """A metric that has counted what a state holds.

        Parameters
        ----------
        state : array_like of int, shape (2 + 2 * max_order,)
            A metric's `state`, or a sum of them.
        **parameters
            Those of the metric that had the state, but for `keep_segments`; of these only
            `max_order` can be checked. The number of references is not known afterwards.

        Raises
        ------
        TypeError, ValueError, OverflowError
            The state is none of integers, of such parameters, or of any text.
        """
        if isinstance(state, BLEU):
            raise TypeError("the state is a BLEU; pass its .state")
        if parameters.get("keep_segments"):
            raise ValueError("a state has no segments to keep: leave keep_segments=True out")
        metric = cls(**parameters)
        metric._add(Totals.from_state(state, metric.max_order))
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
        return self._totals.rows()

    def segment_scores(self) -> NDArray[numpy.float64]:
        """BLEU of every segment by itself, as by `sentence_scores`; errors as of `segments`."""
        return self._scores(self.segments)

    def _add(self, totals: Totals) -> None:
        with _lock:
            before = None
            # A signal handler or a finalizer may add something in between, on this very thread.
            while before is not self._totals:
                before = self._totals
                after = before.plus(totals)
            object.__setattr__(self, "_totals", after)

    def _compared(self) -> dict[str, Any]:
        """The parameters that equal metrics share: `threads` changes nothing."""
        return {name: value for name, value in self._as_dict().items() if name != "threads"}

    def __eq__(self, other: object) -> bool:
        """Whether parameters, `threads` apart, and all that was counted are the same."""
        if not isinstance(other, BLEU):
            return NotImplemented
        if self._compared() != other._compared():
            return False
        return self._totals == other._totals

    def __hash__(self) -> int:
        return hash(self.signature)

    def __reduce__(self) -> tuple[Any, ...]:
        return _restore, (type(self), self._as_dict(), self._totals)

    def __repr__(self) -> str:
        segments = self._totals.segments
        counted = "from a state" if segments is None else f"{segments} segments"
        return f"<BLEU {self.signature}, {counted}>"


def _restore(kind: type[BLEU], parameters: dict[str, Any], totals: Totals) -> BLEU:
    metric = kind(**parameters)
    object.__setattr__(metric, "_totals", totals)
    return metric
