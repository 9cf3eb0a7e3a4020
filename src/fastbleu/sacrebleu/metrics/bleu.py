"""sacreBLEU's BLEU with compiled counting: `BLEU`, `corpus_bleu`, `raw_corpus_bleu`."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

from ...core.counting.counter import Counter
from ...core.counting.stats import Stats
from ...core.inputs.arguments import a_type, check_positive, shown, unknown_name
from ...core.inputs.errors import warn_input
from ...core.inputs.mistakes import warn_tokenized
from ...core.runtime.caching import cached_property
from ...core.runtime.import_lock import lazy
from ...core.scoring._sacrebleu import LazyScore, score_of_row
from ...core.scoring.sacrebleu import SACREBLEU
from ...core.tokenizers.tokenizer import (
    BY_LANGUAGE,
    TOKENIZERS,
    WITHOUT_MODEL,
    Tokenizer,
    load_tokenizer,
)
from ...core.tokenizers.tokenizer import tokenize as split
from .._sentence_score import score_text, use
from ..base import Metric, Score, Signature
from ..streams import check_corpus, check_option, check_smoothing

TYPE_CHECKING = False
if TYPE_CHECKING:
    import copy
    from typing import Any, ClassVar

    from ...core.counting._counted import Counted
    from ...core.tokenizers.tokenizer import TokenFunction
    from ...significance import experiment
else:
    copy = lazy("copy")
    experiment = lazy("fastbleu.significance.experiment")

__all__ = ["BLEU", "BLEUScore", "BLEUSignature"]  # the names that sacreBLEU's module has


class BLEUScore(LazyScore, Score):
    """A BLEU score and what it was computed from.

    Parameters
    ----------
    score : float
        In 0-100.
    counts, totals : list of int (float where add-k has added one), length max_ngram_order
        Clipped n-gram matches and n-grams of the hypotheses.
    precisions : list of float, length max_ngram_order
        In 0-100, smoothed.
    bp : float
        The brevity penalty, 0-1.
    sys_len, ref_len : int
        Lengths of the hypotheses and of the closest references, in tokens.

    Attributes
    ----------
    name : str
        "BLEU".
    ratio : float
        sys_len / ref_len; the integer 0 if ref_len is 0.
    prec_str : str
        The precisions with one digit, separated by slashes.
    """

    counts: list[float]
    totals: list[float]
    precisions: list[float]
    bp: float
    sys_len: int
    ref_len: int

    def __init__(
        self,
        score: float,
        counts: list[float],
        totals: list[float],
        precisions: list[float],
        bp: float,
        sys_len: int,
        ref_len: int,
    ) -> None:
        self._assign(score, counts, totals, precisions, bp, sys_len, ref_len)

    # Formatting the texts takes longer than scoring, and most scores are never printed.
    @cached_property
    def prec_str(self) -> str:
        return "/".join([f"{p:.1f}" for p in self.precisions])

    @cached_property
    def ratio(self) -> float:
        return self.sys_len / self.ref_len if self.ref_len else 0

    @cached_property
    def _verbose(self) -> str:
        return (
            f"{self.prec_str} (BP = {self.bp:.3f} ratio = {self.ratio:.3f} "
            f"hyp_len = {self.sys_len:d} ref_len = {self.ref_len:d})"
        )


class BLEUSignature(Signature):
    """The signature of a BLEU score."""

    def __init__(self, args: dict[str, Any]) -> None:
        super().__init__(args)
        smoothing = args["smooth_method"]
        value = SACREBLEU.smoothings[smoothing]
        if value is not None:
            if args["smooth_value"] is not None:
                value = args["smooth_value"]
            smoothing += f"[{value:.2f}]"
        self.info |= {
            "eff": "yes" if args["effective_order"] else "no",
            "tok": args["tokenizer_signature"],
            "smooth": smoothing,
        }


class LineTokenizer:
    """A tokenizer in sacreBLEU's form: from a str to its tokens joined by spaces."""

    def __init__(self, tokenizer: Tokenizer) -> None:
        self.tokenizer = tokenizer

    def signature(self) -> str:
        """The value of the field `tok` of a signature."""
        return self.tokenizer.signature

    def __call__(self, line: str) -> str:
        # The compiled tokenizers strip trailing whitespace; in sacreBLEU the metric strips it, not
        # the tokenizer. An extra last word prevents it. Only these two tokenizers differ.
        if self.tokenizer.compiled in ("13a", "intl") and line[-1:].isspace():
            return " ".join(split(f"{line} x", self.tokenizer)[:-1])
        return " ".join(split(line, self.tokenizer))


def tokenizer_of_lines(function: Callable[[str], str]) -> Tokenizer:
    """Return a tokenizer for a function in sacreBLEU's form."""
    if isinstance(function, LineTokenizer):
        return function.tokenizer
    if not callable(function):
        raise TypeError(f"tokenizer is {a_type(function)}, expected a function of a line")

    def tokens(line: str) -> list[str]:
        joined = function(line.rstrip())
        if not isinstance(joined, str):
            raise TypeError(
                f"the tokenizer returned {a_type(joined)}, expected a str of tokens separated by "
                "spaces; pass a function that returns a list as BLEU(tokenize=function)"
            )
        return joined.split()

    return load_tokenizer(tokens)


class BLEU(Metric):
    """BLEU of text, with the parameters of sacreBLEU's class of the same name.

    Parameters
    ----------
    lowercase : bool, default False
        Lowercase the text first.
    force : bool, default False
        Do not warn about text that looks tokenized.
    tokenize : str or callable (str -> list of str), optional
        A name in `BLEU.TOKENIZERS`, or a function (an addition to sacreBLEU). The default depends
        on `trg_lang`, else "13a".
    smooth_method : {"exp", "floor", "add-k", "none"}, default "exp"
    smooth_value : float, optional
        For "floor" (default 0.1) and "add-k" (default 1).
    max_ngram_order : int, default 4
    effective_order : bool, default False
        Average only over orders for which the hypothesis has n-grams; use it for single sentences.
    trg_lang : str, default ""
        Target language: "zh", "ja" and "ko" have tokenizers of their own.
    references : sequence of K sequences of S str, optional
        Kept, as text, for all calls that pass ``references=None``.

    Attributes
    ----------
    num_refs : int
        References per segment, -1 if it varies; unknown before the first score, unless
        `references` are kept.
    n_bootstrap, seed : int, str
        The values for the last confidence interval.

    Raises
    ------
    AssertionError, KeyError
        The smoothing method, or the tokenizer, is unknown.
    TypeError
        A subclass overrides a method of sacreBLEU's that is not called here.

    References
    ----------
    sacreBLEU 2.6.0, `sacrebleu.metrics.BLEU`.

    Examples
    --------
    >>> metric = BLEU()
    >>> metric.corpus_score(["The cat sat."], [["The cat sat."], ["A cat sat down."]]).score
    100.00000000000004
    >>> metric.get_signature().format(short=True).rpartition("|")[0]
    '#:2|c:mixed|e:no|tok:13a|s:exp'
    """

    SMOOTH_DEFAULTS: ClassVar[Mapping[str, float | None]] = MappingProxyType(SACREBLEU.smoothings)
    TOKENIZERS = dict.fromkeys(TOKENIZERS).keys()
    TOKENIZER_DEFAULT = "13a"

    _SIGNATURE_TYPE = BLEUSignature
    # Methods that sacreBLEU's scores go through, and that published metrics override.
    _NOT_CALLED = Metric._NOT_CALLED | {"_TOKENIZER_MAP", "_get_closest_ref_len", "compute_bleu"}

    def __init__(
        self,
        lowercase: bool = False,
        force: bool = False,
        tokenize: str | TokenFunction | Tokenizer | None = None,
        smooth_method: str = "exp",
        smooth_value: float | None = None,
        max_ngram_order: int = 4,
        effective_order: bool = False,
        trg_lang: str = "",
        references: Sequence[Sequence[str | None]] | None = None,
    ) -> None:
        if type(lowercase) is not bool:
            check_option("lowercase", lowercase, "BLEU")
        check_smoothing(smooth_method)
        self._force = force
        self._advised = False
        self.trg_lang = trg_lang
        self.lowercase = lowercase
        self.smooth_value = smooth_value
        self.smooth_method = smooth_method
        if type(max_ngram_order) is not int or max_ngram_order < 1:
            max_ngram_order = check_positive("max_ngram_order", max_ngram_order)
        self.max_ngram_order = max_ngram_order
        self.effective_order = effective_order
        self._split = _choose_tokenizer(tokenize, trg_lang, self.TOKENIZER_DEFAULT)
        self._tokenizer: Any = LineTokenizer(self._split)
        self.tokenizer_signature = self._split.signature
        super().__init__(references)

    @property
    def tokenizer(self) -> Any:
        """The tokenizer: a function from a line to its tokens, separated by spaces.

        As in sacreBLEU, another such function may be assigned; the signature does not show it.
        """
        return self._tokenizer

    @tokenizer.setter
    def tokenizer(self, tokenizer: Callable[[str], str]) -> None:
        if self._ref_cache is not None:
            raise ValueError(
                "the references of BLEU(references=...) have been kept for another tokenizer; "
                "pass references to corpus_score, or tokenize=... to BLEU"
            )
        self._split = tokenizer_of_lines(tokenizer)
        self._tokenizer = tokenizer

    def corpus_score(
        self,
        hypotheses: Sequence[str],
        references: Sequence[Sequence[str | None]] | None,
        n_bootstrap: int = 1,
    ) -> BLEUScore:
        """BLEU of a corpus.

        Parameters
        ----------
        hypotheses : sequence of S str
        references : sequence of K sequences of S str, or None
            ``references[k][segment]``; entries that are None are ignored. None: those that `BLEU`
            was given.
        n_bootstrap : int, default 1
            Above 1: number of bootstrap samples for a 95 % confidence interval. The environment
            variable SACREBLEU_SEED seeds them.

        Raises
        ------
        TypeError
            `hypotheses` is not a sequence of str, or `references` not a sequence of such sequences.
        IndexError
            There are no segments.
        ValueError
            A segment has no reference; the message names it.
        RuntimeError
            There are no references at all.

        Warns
        -----
        InputWarning
            Numbers of segments differ (the smallest counts), a str is given instead of a list,
            or at least 100 hypotheses end in a period after a space.
        """
        check_corpus(hypotheses, references)
        if n_bootstrap <= 1:
            return self._score_row(self._count(hypotheses, references, keep_rows=False).rows)
        stats = self._count(hypotheses, references).stats
        score = self._score_row(stats.sum()._rows)
        options = self.smooth_method, self.smooth_value, self.effective_order
        scoring = experiment.SacrebleuScoring(stats.max_ngram_order, *options)
        self._estimate(score, SACREBLEU.adapt(stats), scoring, n_bootstrap)
        return score

    def sentence_score(self, hypothesis: str, references: Sequence[str | None]) -> BLEUScore:
        """BLEU of one segment, best with `effective_order=True`. Errors as for `corpus_score`.

        Parameters
        ----------
        hypothesis : str
        references : sequence of K str
            Entries that are None are ignored.

        Warns
        -----
        InputWarning
            Without `effective_order`, at the first call: hypotheses of fewer than max_ngram_order
            tokens score 0.
        """
        if not self.effective_order and not self._advised:
            self._advised = True
            few = f"fewer than {self.max_ngram_order} tokens"
            warn_input(f"without effective_order=True a sentence of {few} scores 0")
        tokenizer, lowercase, order = self._split, self.lowercase, self.max_ngram_order
        if (compiled := tokenizer.compiled) is not None:
            options = self.smooth_method, self.smooth_value, self.effective_order
            score = score_text(
                compiled, lowercase, order, options, hypothesis, references, BLEUScore
            )
            if score is not None:
                self.num_refs = len(references) - references.count(None)
                return score
        return self._score_row(self._count_sentence(hypothesis, references, self._counter()).rows)

    @staticmethod
    def compute_bleu(
        correct: list[float],
        total: list[float],
        sys_len: int,
        ref_len: int,
        smooth_method: str = "none",
        smooth_value: float | None = None,
        effective_order: bool = False,
        max_ngram_order: int = 4,
    ) -> BLEUScore:
        """BLEU from counts; parameters as for `BLEU` and `BLEUScore`.

        Parameters
        ----------
        correct, total : list of int, length max_ngram_order
            Clipped n-gram matches, and n-grams of the hypotheses. The lists are not changed.

        Raises
        ------
        AssertionError
            The smoothing method is unknown.
        """
        check_smoothing(smooth_method)
        if smooth_method == "add-k":
            correct, total = copy.copy(correct), copy.copy(total)
        options = smooth_method, smooth_value, effective_order, max_ngram_order
        counts = correct, total, sys_len, ref_len
        score, precisions, bp = SACREBLEU.score_in_python(*counts, *options)
        return BLEUScore(score, correct, total, precisions, bp, sys_len, ref_len)

    # The methods that sacreBLEU's PairedTest calls.

    def _extract_corpus_statistics(self, hypotheses: Any, references: Any) -> Stats:
        return self._count(hypotheses, references).stats

    def _counter(self) -> Counter:
        lowercase, order = bool(self.lowercase), self.max_ngram_order
        return Counter(self._split, lowercase, order, skip_none=True)

    def _count(self, hypotheses: Any, references: Any, keep_rows: bool = True) -> Counted:
        counted: Counted = self._count_streams(hypotheses, references, self._counter(), keep_rows)
        if counted.signs.tokenized_periods and not self._force:
            warn_tokenized(counted.signs.tokenized_periods, otherwise="force=True")
        return counted

    def _aggregate_and_compute(self, stats: Any) -> BLEUScore:
        """The score of all rows together: a Stats, or rows of numbers."""
        if isinstance(stats, Stats):
            return self._score_row(stats.sum()._rows)
        score: BLEUScore = super()._aggregate_and_compute(stats)
        return score

    def _compute_score_from_stats(self, stats: Any) -> BLEUScore:
        """The score of one row, a list or array of numbers."""
        order, sys_len, ref_len = self.max_ngram_order, int(stats[0]), int(stats[1])
        matches, totals = stats[2 : 2 + order], stats[2 + order :]
        options = self.smooth_method, self.smooth_value, self.effective_order, order
        return self.compute_bleu(matches, totals, sys_len, ref_len, *options)

    def _score_row(self, row: array[int]) -> BLEUScore:
        options = self.max_ngram_order, self.smooth_method, self.smooth_value, self.effective_order
        return score_of_row(BLEUScore, row, *options)


def _choose_tokenizer(
    tokenize: str | TokenFunction | Tokenizer | None, trg_lang: str, default: str
) -> Tokenizer:
    """The tokenizer for the arguments of `BLEU`; KeyError if the name is unknown."""
    advised = BY_LANGUAGE.get(trg_lang)
    if tokenize is None:
        tokenize = advised or default
    elif advised and tokenize != advised and tokenize in WITHOUT_MODEL:
        warn_input(
            f"tokenizer {shown(tokenize)} is not the one for the language {shown(trg_lang)}; "
            f"consider {advised!r} or 'spm'"
        )
    if isinstance(tokenize, str) and tokenize not in TOKENIZERS:
        raise KeyError(unknown_name("tokenizer", tokenize, TOKENIZERS))
    return load_tokenizer(tokenize)


use(BLEU, BLEUScore)


def corpus_bleu(
    hypotheses: Sequence[str],
    references: Sequence[Sequence[str | None]],
    smooth_method: str = "exp",
    smooth_value: float | None = None,
    force: bool = False,
    lowercase: bool = False,
    tokenize: str | TokenFunction | Tokenizer | None = "13a",
    use_effective_order: bool = False,
) -> BLEUScore:
    """BLEU of a corpus; parameters as for `BLEU` and `BLEU.corpus_score`.

    References
    ----------
    sacreBLEU 2.6.0, `sacrebleu.corpus_bleu`.

    Examples
    --------
    >>> corpus_bleu(["The dog bit the man.", "No."], [["The dog bit the man.", "No!"]])
    BLEU = 92.41 87.5/83.3/100.0/100.0 (BP = 1.000 ratio = 1.000 hyp_len = 8 ref_len = 8)
    """
    smoothing = smooth_method, smooth_value
    metric = BLEU(lowercase, force, tokenize, *smoothing, effective_order=use_effective_order)
    return metric.corpus_score(hypotheses, references)


def raw_corpus_bleu(
    hypotheses: Sequence[str],
    references: Sequence[Sequence[str | None]],
    smooth_value: float | None = 0.1,
) -> BLEUScore:
    """BLEU of text as it is: no tokenizer, "floor" smoothing, effective order.

    References
    ----------
    sacreBLEU 2.6.0, `sacrebleu.raw_corpus_bleu`.
    """
    return corpus_bleu(hypotheses, references, "floor", smooth_value, True, False, "none", True)
