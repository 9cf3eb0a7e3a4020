"""`Corpus`: hypotheses and references with the metric that scores them, and variants of both."""

from __future__ import annotations

import warnings
from functools import cache
from math import nan

import numpy

from ..counting.counter import Counter
from ..counting.stats import Stats
from ..dialects.score import Score
from ..inputs.batch import Batch
from ..inputs.checks import is_iterable
from ..inputs.warnings import InputWarning
from ..metric.bleu import BLEU
from ..tokenizers.loaded import get_tokenizer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from numpy.typing import NDArray

    from ..tokenizers.loaded import Tokenizer

_USUAL_ORDER = 4


class Corpus:
    """A corpus and its metric. A corpus is immutable: variants are new objects.

    Attributes
    ----------
    hypotheses : list of S str, or of S lists of tokens where the metric takes tokens
    references : list of S lists of references
    metric : BLEU
    """

    def __init__(self, hypotheses: list[Any], references: list[list[Any]], metric: BLEU) -> None:
        self.hypotheses = hypotheses
        self.references = references
        self.metric = metric
        self._points: float | None = None
        self._rows: dict[Any, Stats] = {}
        self._readers: dict[Any, Callable[[str], Any]] = {}

    @classmethod
    def read(cls, hypotheses: Any, references: Any, metric: BLEU) -> Corpus:
        """A corpus from the arguments of `fastbleu.BLEU.score`, with its errors."""
        # For the checks; some dialects keep no counts.
        BLEU(metric.tokenizer, metric.lowercase).statistics(hypotheses, references)
        nested = [[some] if isinstance(some, str) else list(some) for some in references]
        return cls(list(hypotheses), nested, metric)

    def __len__(self) -> int:
        return len(self.hypotheses)

    @property
    def is_text(self) -> bool:
        """Whether segments are str, and not lists of tokens."""
        return self.metric.tokenizer is not None

    def score(self) -> Score:
        """The score, without repeating the warnings of `read`."""
        references = self._references(self.metric.scorer.dialect.single_reference)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", InputWarning)
            return self.metric.score(self.hypotheses, references)

    def score_of_tokens(self) -> Score:
        """`score`; texts that a library splits are split once for all metrics."""
        tokenizer, dialect = self.metric.tokenizer, self.metric.dialect
        if tokenizer is None or tokenizer.function is None or tokenizer.prepared is not None:
            return self.score()
        read = self._reader(tokenizer, self.metric.lowercase, False)
        references = [[read(text) for text in some] for some in self.references]
        metric = BLEU(None, dialect=dialect)
        return Corpus([read(text) for text in self.hypotheses], references, metric).score()

    def points(self) -> float:
        """The score on 0-100; nan where the dialect has none."""
        if self._points is None:
            try:
                value = self.score().value
            except (ValueError, ZeroDivisionError):
                value = nan
            self._points = value * 100 / self.metric.scorer.dialect.scale
        return self._points

    def rows(
        self,
        tokenizer: Tokenizer | None,
        lowercase: bool,
        single_reference: bool,
        reference_length: str,
        max_order: int,
    ) -> Stats:
        """The counts of all segments; they are counted only once for the same rules."""
        if max(map(len, self.references), default=0) == 1:
            single_reference, reference_length = False, "closest"  # all the same
        key = tokenizer, lowercase, single_reference, reference_length, max_order
        if key in self._rows:
            return self._rows[key]
        if max_order < _USUAL_ORDER:
            totals = 2 + _USUAL_ORDER
            columns = [*range(2 + max_order), *range(totals, totals + max_order)]
            rows = Stats(numpy.asarray(self.rows(*key[:4], _USUAL_ORDER))[:, columns])
        else:
            hypotheses, references = self.hypotheses, self._references(single_reference)
            if tokenizer is not None and tokenizer.compiled is None:
                read = self._reader(tokenizer, lowercase, False)
                read_reference = self._reader(tokenizer, lowercase, True)
                hypotheses = [read(text) for text in hypotheses]
                references = [[read_reference(text) for text in some] for some in references]
                prepared, lowercase = tokenizer.prepared, False
                tokenizer = None if prepared is None else get_tokenizer(prepared[1])
            counter = Counter(tokenizer, lowercase, max_order, reference_length=reference_length)
            rows = counter.count(Batch(hypotheses, references)).stats
        self._rows[key] = rows
        return rows

    def _reader(
        self, tokenizer: Tokenizer, lowercase: bool, is_reference: bool
    ) -> Callable[[str], Any]:
        """A cached function that prepares a text for the compiled code; variants share the cache.

        Its result is a text for a compiled tokenizer, or a list of tokens.
        """
        key = tokenizer, lowercase, is_reference
        if key not in self._readers:
            prepared, function = tokenizer.prepared, tokenizer.function

            def read(text: str) -> Any:
                if prepared is not None:
                    return prepared[0](text, lowercase, is_reference)
                return function(text.lower() if lowercase else text)  # type: ignore[misc]

            self._readers[key] = cache(read)
        return self._readers[key]

    def scored_by(self, metric: BLEU) -> Corpus:
        """The same segments with another metric."""
        made = Corpus(self.hypotheses, self.references, metric)
        made._rows, made._readers = self._rows, self._readers
        return made

    def _references(self, single: bool) -> list[list[Any]]:
        return [some[:1] for some in self.references] if single else self.references

    def rewritten(self, rewrite: Callable[[str], str]) -> Corpus:
        """The corpus with `rewrite` of each text."""
        references = [[rewrite(text) for text in some] for some in self.references]
        return Corpus([rewrite(text) for text in self.hypotheses], references, self.metric)

    def part(self, hypotheses: Sequence[int], references: Sequence[int]) -> Corpus:
        """Some hypotheses, with the references of equally many segments."""
        some = [self.references[number] for number in references]
        made = Corpus([self.hypotheses[number] for number in hypotheses], some, self.metric)
        made._readers = self._readers
        return made

    def with_reference(self, k: int) -> Corpus:
        """The corpus with the k-th reference of each segment alone."""
        references = [some[k : k + 1] for some in self.references]
        made = Corpus(self.hypotheses, references, self.metric)
        made._readers = self._readers
        return made

    def swapped(self) -> Corpus:
        """The first references as hypotheses, and the hypotheses as references."""
        references = [[hypothesis] for hypothesis in self.hypotheses]
        return Corpus([some[0] for some in self.references], references, self.metric)

    def changed(self, rewrite: Callable[[str], str], side: str) -> list[int]:
        """The segments of which `rewrite` changes the "hypotheses", or a text of "references"."""
        if side == "hypotheses":
            return [n for n, text in enumerate(self.hypotheses) if rewrite(text) != text]
        sides = enumerate(self.references)
        return [n for n, some in sides if any(rewrite(text) != text for text in some)]

    def sentence_points(self) -> NDArray[numpy.float64]:
        """sacreBLEU's score of each segment by its tokens, 0-100, shape (segments,)."""
        return self._plain().sentence_scores(self.hypotheses, self.references)

    def lengths(self) -> NDArray[numpy.int64]:
        """[hyp_len, ref_len] of each segment, shape (segments, 2)."""
        rows = self._plain().statistics(self.hypotheses, self.references)
        return numpy.stack([rows.hyp_lens, rows.ref_lens], axis=1)

    def similarities(self, offset: int) -> NDArray[numpy.float64]:
        """`sentence_points` of hypothesis i with references i + offset, where both exist."""
        first = max(0, -offset)
        end = min(len(self), len(self) - offset)
        return self.part(range(first, end), range(first + offset, end + offset)).sentence_points()

    def _plain(self) -> BLEU:
        tokenizer, lowercase = self.metric.tokenizer, self.metric.lowercase
        return BLEU(tokenizer, lowercase, effective_order=True)


def is_text(hypotheses: Any) -> bool:
    """Whether hypotheses are str, and not lists of tokens; what are no sequences may be."""
    return not is_iterable(hypotheses) or isinstance(next(iter(hypotheses), ""), str)
