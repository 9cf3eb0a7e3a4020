"""Scoring a corpus that is given as a whole."""

from __future__ import annotations

from ..counting.batch import Counting
from ..counting.stats import Stats
from ..counting.workers import Counted
from ..dialects.score import Score
from ..inputs.warnings import warn_input, warn_tokenized
from ..tokenizers.table import SPLIT_AT_SPACES
from .parameters import Parameters

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    import numpy
    from numpy.typing import NDArray

NO_SEGMENTS = "there are no segments to score"


class Scorer(Parameters):
    """What `fastbleu.BLEU` makes of a corpus at once."""

    __slots__ = ("_counting",)

    _counting: Counting

    def _begin(self) -> None:
        how = self.lowercase, self.max_order, self.threads, self.reference_length, self._id_rules
        object.__setattr__(self, "_counting", Counting(self.tokenizer, *how))

    def score(
        self,
        hypotheses: Any,
        references: Any,
        *,
        hypothesis_mask: Any = None,
        reference_mask: Any = None,
    ) -> Score:
        """BLEU of a corpus.

        Parameters
        ----------
        hypotheses : sequence of S str
            Where `tokenize` is None lists of tokens, or token ids: an array or tensor of integers
            of shape (S, length), or (length,) for one segment, or a list of S arrays of shape
            (length,). With one of shape (length,) an array (k, length) is its k references.
        references : sequence of S str or of S sequences of str
            ``references[i]`` is the reference, or the list of references, of ``hypotheses[i]``;
            not necessarily as many for each. Where `tokenize` is None always lists of references,
            each a list of tokens. Of token ids an array of shape (S, length) or
            (S, references, length), or a list with an array, or a list of arrays, for each segment.
        hypothesis_mask, reference_mask : array of bool or integers, optional
            For token ids, of the same shapes: an id counts where they are not 0.

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
            A str stands where a list of tokens is expected or the reverse, a token is not hashable,
            or an array is none of integers; the message names the segment and the position.

        Warns
        -----
        InputWarning
            100 hypotheses look tokenised already, or the references look transposed although the
            lengths agree, or no hypothesis is long enough for a score above 0, or the id -100,
            which pads labels, was counted.
        """
        counted = self._counted(hypotheses, references, hypothesis_mask, reference_mask, kept=False)
        if not counted.segments:
            raise ValueError(f"{NO_SEGMENTS}: hypotheses is empty")
        return self._score(counted.stats, counted.nrefs, counted.tokenized_periods)

    def sentence_scores(
        self,
        hypotheses: Any,
        references: Any,
        *,
        hypothesis_mask: Any = None,
        reference_mask: Any = None,
    ) -> NDArray[numpy.float64]:
        """BLEU of every segment by itself.

        Parameters and errors as those of `score`; no segments give no scores. With sacreBLEU's
        dialect ``effective_order=True`` is what a segment of fewer than `max_order` tokens needs.

        Returns
        -------
        ndarray of float64, shape (segments,)
            On the dialect's scale.

        Warns
        -----
        InputWarning
            As by `score`; and where segments score 0 because they are short.
        """
        masks = {"hypothesis_mask": hypothesis_mask, "reference_mask": reference_mask}
        stats = self.statistics(hypotheses, references, **masks)
        width = 2 + 2 * self.max_order
        short = stats._rows[width - 1 :: width].count(0) - stats._rows[::width].count(0)
        self._warn_of_short(short, len(stats))
        return self._scores(stats)

    def statistics(
        self,
        hypotheses: Any,
        references: Any,
        *,
        hypothesis_mask: Any = None,
        reference_mask: Any = None,
    ) -> Stats:
        """Rows of counts, one per segment, from which every score follows.

        Parameters and errors as those of `score`.

        Returns
        -------
        Stats
            Shape (segments, 2 + 2 * max_order), the same for every dialect.
        """
        counted = self._counted(hypotheses, references, hypothesis_mask, reference_mask)
        self._warn_of_tokenized(counted.tokenized_periods)
        return counted.stats

    def _counted(self, hypotheses: Any, references: Any, *masks: Any, kept: bool = True) -> Counted:
        """Count a corpus: its rows, or if they are not kept their sum as the dialect adapts it."""
        floor = None if kept else bool(self._rules.minimum_total)
        return self._counting.count(hypotheses, references, floor, masks)

    def _score(self, sums: Stats, nrefs: int | None, tokenized_periods: int) -> Score:
        self._warn_of_tokenized(tokenized_periods)
        score: Score = self._rules.score(sums, **self._scoring, **self._how_counted, nrefs=nrefs)
        if score.value == 0 and score.hyp_len and not score.totals[-1]:
            warn_input(
                f"no hypothesis has {self.max_order} tokens, so that the score is 0: is each entry "
                "of hypotheses a whole segment, and no word? For short ones effective_order=True"
                f"{self._advice}"
            )
        return score

    def _warn_of_tokenized(self, periods: int) -> None:
        if self.tokenizer is not None and self.tokenizer.name != "none":
            warn_tokenized(periods, 'tokenize="none"')

    def _warn_of_short(self, short: int, hypotheses: int, max_order: int | None = None) -> None:
        """Warn where so many hypotheses, not empty, are too short for a score of their own."""
        if short and self.dialect == "sacrebleu" and not self.effective_order:
            warn_input(
                f"{short} of {hypotheses} hypotheses have fewer than "
                f"{self.max_order if max_order is None else max_order} tokens "
                "and score 0; with effective_order=True they are scored by the orders they have"
                f"{self._advice}"
            )

    @property
    def _advice(self) -> str:
        """What to do about short segments where words have no space in between."""
        if self.tokenizer is None or self.tokenizer.compiled not in SPLIT_AT_SPACES:
            return ""
        return '; of Chinese or Japanese pass tokenize="zh", "ja-mecab" or "char"'

    def _scores(self, stats: Stats) -> NDArray[numpy.float64]:
        import numpy

        adapted = self._rules.adapt(stats)
        return numpy.asarray(self._rules.sentence_scores(adapted, **self._scoring), numpy.float64)
