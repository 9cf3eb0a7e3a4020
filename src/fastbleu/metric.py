"""The native metric: one class for every BLEU of this package."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from .corpus import check_positive
from .counting import Counted, CountOptions, count_checked
from .errors import warn_input, warn_tokenized
from .result import Score
from .score import NLTK, SACREBLEU
from .stats import Stats
from .tokenizers import Tokenizer, get_tokenizer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    import numpy
    from numpy.typing import NDArray

_DIALECTS = {"sacrebleu": SACREBLEU, "nltk": NLTK}


class BLEU:
    """BLEU of text or tokens. Its parameters cannot be changed; threads may share it.

    With the defaults the scores are sacreBLEU's, on 0-100. References are segment-major here:
    ``references[segment][k]``, or one str per segment.

    Parameters
    ----------
    tokenize : str, callable (str -> list of str) or None, default "13a"
        A name of `fastbleu.tokenizers.TOKENIZERS` or a function that splits a text. None: the input
        is lists of tokens, which may be any hashable objects. A sentencepiece model at a path of
        your own: ``fastbleu.tokenizers.get_tokenizer("spm", model=path)``.
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
    >>> BLEU(tokenize=None, max_order=2).score([["a", "b"]], [[["a", "b"], ["a", "c"]]]).value
    100.0
    """

    __slots__ = (
        "_options",
        "dialect",
        "effective_order",
        "lowercase",
        "max_order",
        "smoothing",
        "smoothing_value",
        "threads",
        "tokenizer",
        "weights",
    )

    tokenizer: Tokenizer | None
    lowercase: bool
    max_order: int
    weights: tuple[float, ...] | None
    smoothing: str
    smoothing_value: float | None
    effective_order: bool
    threads: int
    dialect: str
    _options: dict[str, Any]

    def __init__(
        self,
        tokenize: str | Callable[[str], list[str]] | Tokenizer | None = "13a",
        lowercase: bool = False,
        max_order: int = 4,
        weights: Sequence[float] | None = None,
        smoothing: str = "exp",
        smoothing_value: float | None = None,
        effective_order: bool = False,
        threads: int = 1,
        *,
        dialect: str = "sacrebleu",
    ) -> None:
        if dialect not in _DIALECTS:
            raise ValueError(
                f"dialect {dialect!r} is unknown; choose one of {', '.join(_DIALECTS)}"
            )
        if tokenize is None and lowercase:
            raise ValueError("lowercase=True needs text; lists of tokens are compared as they are")
        max_order = check_positive("max_order", max_order)
        # A copy: the caller's list may change, and a generator can be read only once.
        weights = None if weights is None else tuple(weights)
        options: dict[str, Any] = {"smoothing": smoothing, "smoothing_value": smoothing_value}
        if dialect == "sacrebleu":
            options |= {"weights": weights, "effective_order": bool(effective_order)}
        elif effective_order:
            raise ValueError("effective_order is sacreBLEU's; nltk's dialect has none")
        else:
            options["weights"] = (1 / max_order,) * max_order if weights is None else weights
        for name, value in (
            ("tokenizer", None if tokenize is None else get_tokenizer(tokenize)),
            ("lowercase", bool(lowercase)),
            ("max_order", max_order),
            ("weights", weights),
            ("smoothing", smoothing),
            ("smoothing_value", smoothing_value),
            ("effective_order", bool(effective_order)),
            ("threads", check_positive("threads", threads)),
            ("dialect", dialect),
            ("_options", options),
        ):
            object.__setattr__(self, name, value)
        # So that a wrong option is told here and not when everything has been counted.
        self._rules.sentence_scores(Stats.zeros(0, max_order), **options)

    def score(self, hypotheses: Sequence[Any], references: Sequence[Any]) -> Score:
        """BLEU of a corpus.

        Parameters
        ----------
        hypotheses : sequence of S str
            Lists of tokens where `tokenize` is None.
        references : sequence of S str or of S sequences of str
            ``references[i]`` is the reference, or the list of references, of ``hypotheses[i]``;
            not necessarily as many for each. Where `tokenize` is None always lists of references,
            each a list of tokens.

        Returns
        -------
        Score
            `value` on the dialect's scale: 0-100 for sacreBLEU's, 0-1 for nltk's.

        Raises
        ------
        ValueError
            There are no segments, `references` and `hypotheses` differ in length, the layout is
            ``references[k][segment]``, or a segment has no reference.
        TypeError
            A str stands where a list of tokens is expected or the reverse, or a token is not
            hashable; the message names the segment and the position.

        Warns
        -----
        InputWarning
            100 hypotheses look tokenised already, or the references look transposed although the
            lengths agree, or no hypothesis is long enough for a score above 0.
        """
        counted = self._count(hypotheses, references, self._rules.adapt)
        if not len(hypotheses):
            raise ValueError("there are no segments to score: hypotheses is empty")
        score: Score = self._rules.score(
            counted.stats, **self._options, **self._text, nrefs=counted.nrefs
        )
        if score.value == 0 and score.hyp_len and not score.totals[-1]:
            warn_input(
                f"no hypothesis has {self.max_order} tokens, so that the score is 0; each entry of "
                "hypotheses is a whole segment and no word; for short ones effective_order=True"
            )
        return score

    def sentence_scores(
        self, hypotheses: Sequence[Any], references: Sequence[Any]
    ) -> NDArray[numpy.float64]:
        """BLEU of every segment by itself.

        Parameters and errors as those of `score`; no segments give no scores. With sacreBLEU's
        dialect ``effective_order=True`` is what a segment of fewer than `max_order` tokens needs.

        Returns
        -------
        ndarray of float64, shape (segments,)
            On the dialect's scale.
        """
        import numpy

        stats = self._rules.adapt(self._count(hypotheses, references).stats)
        return numpy.asarray(self._rules.sentence_scores(stats, **self._options), numpy.float64)

    def statistics(self, hypotheses: Sequence[Any], references: Sequence[Any]) -> Stats:
        """Rows of counts, one per segment, from which every score follows.

        Parameters and errors as those of `score`.

        Returns
        -------
        Stats
            Shape (segments, 2 + 2 * max_order), the same for every dialect.
        """
        return self._count(hypotheses, references).stats

    @property
    def signature(self) -> str:
        """All that a score depends on besides the text; a Score's signature adds `nrefs`."""
        signature: str = self._rules.signature(self.max_order, **self._options, **self._text)
        return signature

    @property
    def _rules(self) -> Any:
        return _DIALECTS[self.dialect]

    @property
    def _text(self) -> dict[str, Any]:
        """What a signature says of the text, in a dialect's keywords."""
        tokenizer = "given" if self.tokenizer is None else self.tokenizer.signature
        return {"lowercase": self.lowercase, "tokenizer": tokenizer}

    def _count(
        self,
        hypotheses: Sequence[Any],
        references: Sequence[Any],
        adapt: Callable[[Stats], Stats] | None = None,
    ) -> Counted:
        options = CountOptions(
            self.tokenizer, self.lowercase, self.max_order, self.threads, adapt=adapt
        )
        counted = count_checked(hypotheses, references, options)
        if self.tokenizer is not None and self.tokenizer.name != "none":
            warn_tokenized(counted.tokenized_periods, 'tokenize="none"')
        return counted

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a BLEU's parameters cannot be changed: make a new one for {name}")

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, BLEU):
            return NotImplemented
        return self.__reduce__() == other.__reduce__()

    def __hash__(self) -> int:
        return hash(self.signature)

    def __reduce__(self) -> tuple[Any, ...]:
        parameters = {name: getattr(self, name) for name in self.__slots__ if name[0] != "_"}
        parameters["tokenize"] = parameters.pop("tokenizer")
        return _make, (parameters,)

    def __repr__(self) -> str:
        return f"<BLEU {self.signature}>"


def _make(parameters: dict[str, Any]) -> BLEU:
    return BLEU(**parameters)
