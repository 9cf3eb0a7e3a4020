"""sacreBLEU's chrF and chrF++: `CHRF`, `corpus_chrf`, `sentence_chrf`."""

from __future__ import annotations

from array import array
from collections.abc import Sequence

from ...chrf._chrf import score_rows, score_segment
from ...chrf.counter import ChrfCounter
from ...core.inputs.arguments import check_integer
from ...core.runtime.import_lock import lazy
from ..base import Metric, Score, Signature
from ..streams import check_corpus, check_option

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ...chrf import samples
else:
    samples = lazy("fastbleu.chrf.samples")

__all__ = ["CHRF", "CHRFScore", "CHRFSignature"]  # the names that sacreBLEU's module has


class CHRFScore(Score):
    """A chrF score.

    Parameters
    ----------
    score : float
        In 0-100.
    char_order, word_order : int
        The longest n-grams of characters and of words.
    beta : int or float

    Attributes
    ----------
    name : str
        "chrF", beta, and a plus for each word order: "chrF2", "chrF2++".
    """

    def __init__(self, score: float, char_order: int, word_order: int, beta: float) -> None:
        self.beta = beta
        self.char_order = char_order
        self.word_order = word_order
        self.name = f"chrF{beta}" + "+" * word_order
        self.score = score
        self._mean = -1.0
        self._ci = -1.0


class CHRFSignature(Signature):
    """The signature of a chrF score."""

    def __init__(self, args: dict[str, Any]) -> None:
        super().__init__(args)
        self.info |= {
            "eff": "no" if args["eps_smoothing"] else "yes",
            "nc": args["char_order"],
            "nw": args["word_order"],
            "space": "yes" if args["whitespace"] else "no",
        }


class CHRF(Metric):
    """chrF of text, with the parameters of sacreBLEU's class of the same name.

    Parameters
    ----------
    char_order : int, default 6
        The longest n-grams of characters; 0: none.
    word_order : int, default 0
        The longest n-grams of words; 2 is chrF++.
    beta : int or float, default 2
        How much more recall counts than precision.
    lowercase : bool, default False
        Lowercase the text first.
    whitespace : bool, default False
        Whether white space is among the characters.
    eps_smoothing : bool, default False
        Average the F scores of all orders, as chrF++.py does. By default precision and recall are
        averaged, over orders for which hypothesis and reference have n-grams.
    references : sequence of K sequences of S str, optional
        Kept, as text, for all calls that pass ``references=None``.

    Attributes
    ----------
    num_refs, n_bootstrap, seed
        As for `BLEU`.

    Raises
    ------
    TypeError, ValueError
        An order is not an integer of at least 0, or a subclass overrides a method of sacreBLEU's
        that is not called here.

    References
    ----------
    sacreBLEU 2.6.0, `sacrebleu.metrics.CHRF`.

    Examples
    --------
    >>> metric = CHRF(word_order=2)
    >>> metric.corpus_score(["The cat sat."], [["The cat sat."], ["A cat sat down."]])
    chrF2++ = 100.00
    >>> metric.get_signature().format(short=True).rpartition("|")[0]
    '#:2|c:mixed|e:yes|nc:6|nw:2|s:no'
    """

    CHAR_ORDER = 6
    WORD_ORDER = 0
    BETA = 2

    _SIGNATURE_TYPE = CHRFSignature
    _NOT_CALLED = Metric._NOT_CALLED | {"_compute_f_score", "_get_match_statistics"} | {"_PUNCTS"}

    def __init__(
        self,
        char_order: int = CHAR_ORDER,
        word_order: int = WORD_ORDER,
        beta: float = BETA,
        lowercase: bool = False,
        whitespace: bool = False,
        eps_smoothing: bool = False,
        references: Sequence[Sequence[str | None]] | None = None,
    ) -> None:
        check_option("char_order", char_order, "CHRF")
        self.beta = beta
        self.char_order = check_integer("char_order", char_order, 0)
        self.word_order = check_integer("word_order", word_order, 0)
        self.order = self.char_order + self.word_order
        self.lowercase = lowercase
        self.whitespace = whitespace
        self.eps_smoothing = eps_smoothing
        super().__init__(references)

    def corpus_score(
        self,
        hypotheses: Sequence[str],
        references: Sequence[Sequence[str | None]] | None,
        n_bootstrap: int = 1,
    ) -> CHRFScore:
        """chrF of a corpus; parameters, errors and warnings as for `BLEU.corpus_score`.

        Of several references for a segment the one with the highest score counts.
        """
        check_corpus(hypotheses, references)
        counter = counter_of(self)
        counted = self._count_streams(hypotheses, references, counter)
        score = self._score(counter.score(counted.sums().row))
        if n_bootstrap > 1:
            [table] = samples.tables([counted.rows], counter.order)
            scoring = samples.ChrfScoring(counter.order, counter.rule)
            self._estimate(score, table, scoring, n_bootstrap)
        return score

    def sentence_score(self, hypothesis: str, references: Sequence[str | None]) -> CHRFScore:
        """chrF of one segment; parameters and errors as for `BLEU.sentence_score`."""
        order, word_order, rule = self.char_order, self.word_order, (self.beta, self.eps_smoothing)
        value = score_segment(
            hypothesis, references, order, word_order, self.lowercase, self.whitespace, rule
        )
        if value is None:
            counter = counter_of(self)
            value = counter.score(self._count_sentence(hypothesis, references, counter).rows)
        else:
            self.num_refs = len(references) - references.count(None)
        return CHRFScore(value, order, word_order, self.beta)

    def _score(self, value: float) -> CHRFScore:
        return CHRFScore(value, self.char_order, self.word_order, self.beta)

    # The methods that sacreBLEU's PairedTest calls.

    def _extract_corpus_statistics(self, hypotheses: Any, references: Any) -> memoryview:
        counted = self._count_streams(hypotheses, references, counter_of(self))
        rows = memoryview(counted.rows).cast("B")
        return rows.cast("q", [counted.segments, 3 * self.order])

    def _aggregate_and_compute(self, stats: Any) -> CHRFScore:
        """The score of all rows together."""
        rows = stats.tolist() if isinstance(stats, memoryview) else stats
        score: CHRFScore = super()._aggregate_and_compute(rows)
        return score

    def _compute_score_from_stats(self, stats: Any) -> CHRFScore:
        """The score of one row, a list of int, or an array of int64 or float32."""
        rows = array("q", stats) if isinstance(stats, (list, tuple)) else stats
        [value], is_plain = score_rows(rows, self.order, (self.beta, self.eps_smoothing))
        return self._score(value if is_plain else stats.dtype.type(value))


def counter_of(metric: CHRF) -> ChrfCounter:
    """What counts and scores with the options of a metric."""
    orders = metric.char_order, metric.word_order
    options = bool(metric.lowercase), bool(metric.whitespace)
    return ChrfCounter(*orders, (metric.beta, metric.eps_smoothing), *options)


def corpus_chrf(
    hypotheses: Sequence[str],
    references: Sequence[Sequence[str | None]],
    char_order: int = CHRF.CHAR_ORDER,
    word_order: int = CHRF.WORD_ORDER,
    beta: float = CHRF.BETA,
    remove_whitespace: bool = True,
    eps_smoothing: bool = False,
) -> CHRFScore:
    """chrF of a corpus; parameters as for `CHRF` and `CHRF.corpus_score`.

    References
    ----------
    sacreBLEU 2.6.0, `sacrebleu.corpus_chrf`.

    Examples
    --------
    >>> corpus_chrf(["The dog bit the man.", "No."], [["The dog bit the man.", "No!"]])
    chrF2 = 97.03
    """
    metric = CHRF(char_order, word_order, beta, False, not remove_whitespace, eps_smoothing)
    return metric.corpus_score(hypotheses, references)


def sentence_chrf(
    hypothesis: str,
    references: Sequence[str | None],
    char_order: int = CHRF.CHAR_ORDER,
    word_order: int = CHRF.WORD_ORDER,
    beta: float = CHRF.BETA,
    remove_whitespace: bool = True,
    eps_smoothing: bool = False,
) -> CHRFScore:
    """chrF of one segment; parameters as for `CHRF` and `CHRF.sentence_score`.

    References
    ----------
    sacreBLEU 2.6.0, `sacrebleu.sentence_chrf`.

    Examples
    --------
    >>> sentence_chrf("The dog bit a man.", ["The dog bit the man."]).format(score_only=True)
    '60.21'
    """
    metric = CHRF(char_order, word_order, beta, False, not remove_whitespace, eps_smoothing)
    return metric.sentence_score(hypothesis, references)
