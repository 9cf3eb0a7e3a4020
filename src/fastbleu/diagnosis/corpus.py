"""`Corpus`: hypotheses and references with the metric that scores them, and variants of both."""

from __future__ import annotations

from functools import cache, partial
from itertools import chain
from math import isnan, nan

import numpy

from ..core.counting._counted import Counted
from ..core.counting.counter import Counter, rereadable
from ..core.counting.stats import truncated
from ..core.inputs._batch import Batch
from ..core.inputs._id_rows import IdRows
from ..core.inputs.arguments import is_iterable, list_or_tuple
from ..core.inputs.columns import is_column, listed_column, opened
from ..core.inputs.errors import without_input_warnings
from ..core.inputs.ids import IdFilter, are_ids, id_rows
from ..core.metric.argument import counter_of, scorer_of
from ..core.metric.bleu import BLEU
from ..core.runtime.caching import cached_property
from ..core.scoring.base import TOKENS
from ..core.scoring.counters import make_counter
from ..core.scoring.score import NoScoreError, Score
from ..core.tokenizers.tokenizer import get
from ..originals.counters import TokenListCounter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import Any

    from numpy.typing import NDArray

    from ..core.metric.argument import Metric
    from ..core.tokenizers.tokenizer import Rewrite, Tokenizer

_USUAL_ORDER = 4


class Corpus:
    """A corpus and its metric. A corpus is immutable: variants are new objects."""

    def __init__(self, hypotheses: list[Any], references: list[list[Any]], metric: BLEU) -> None:
        self.hypotheses = hypotheses  # S str, lists of tokens or arrays of ids
        self.references = references  # S lists of these
        self.metric = metric
        self.counter, self.scorer = counter_of(metric), scorer_of(metric)
        self._score: Score | None = None
        self._counts: dict[Any, Counted] = {}
        # By tokenizer, case and side: what the compiled code reads for each text.
        self._prepared_texts: dict[Any, dict[str, Any]] = {}

    @classmethod
    def read(cls, hypotheses: Any, references: Any, metric: Metric) -> Corpus:
        """Read the arguments of `fastbleu.BLEU.score`, with the same errors.

        A dialect that is named takes text, or lists of tokens as they are.
        """
        hypotheses, references = _listed_stream(hypotheses, references)
        if isinstance(metric, str):
            metric = dialect_metric(metric, _is_text(hypotheses))
        counter = counter_of(metric)
        batch = rereadable(counter, counter.read(hypotheses, references))
        scorer_of(metric).stats(counter.count(batch))  # for its checks and warnings
        rows: Any = batch.hypotheses
        reference_rows: Any = batch.references
        if type(rows) is IdRows:
            # Arrays stay arrays, because some dialects take only lists of tokens.
            kind: Any = numpy.array if are_ids(hypotheses, references) else list
            rows = map(kind, rows.as_lists())
            reference_rows = [list(map(kind, ids)) for ids in reference_rows.as_lists(True)]
        nested = [[texts] if isinstance(texts, str) else list(texts) for texts in reference_rows]
        return cls(list(list_or_tuple(rows)), nested, metric)

    def __len__(self) -> int:
        return len(self.hypotheses)

    @cached_property
    def all_text(self) -> str:
        """The texts of both sides, to find out what none of them has."""
        return "\n".join(chain(self.hypotheses, *self.references))

    @property
    def shares_counts(self) -> bool:
        """Whether `counts` returns the metric's own counts."""
        return not isinstance(self.counter, TokenListCounter)

    def score(self) -> Score:
        """The metric's own score; NoScoreError if it is NaN."""
        if self._score is None:
            self._score = self.scorer.score(self.scorer.sums(self.counted()), warns=False)
        if isnan(self._score.value):
            name = self.metric.dialect
            raise NoScoreError(f"dialect {name!r} has no score: its original gives NaN")
        return self._score

    def counted(self) -> Counted:
        """The metric's own counts, one row per segment."""
        counter, scorer = self.counter, self.scorer
        if self.shares_counts:
            tokenizer = counter.tokenizer or counter.id_filter
            length, which = counter.reference_length, scorer.dialect.references
            return self.counts(tokenizer, counter.lowercase, which, length, scorer.max_ngram_order)
        tokenizer, dialect = counter.tokenizer, scorer.dialect
        if tokenizer is None or tokenizer.choose or not scorer.supports(TOKENS):
            return self._counted(counter)
        # Texts are tokenized once for all metrics.
        sides = self._prepared(tokenizer, counter.lowercase, self.references, None)
        length = counter.reference_length
        of_tokens = make_counter(dialect, False, None, scorer.max_ngram_order, length)
        return of_tokens.count(Batch(*sides))

    @without_input_warnings  # `Corpus.read` has already warned
    def _counted(self, counter: Counter) -> Counted:
        """Count the corpus with a counter for the same kind of input."""
        batch = Batch(self.hypotheses, self.references)
        if not self.counter.is_text:
            batch = counter.read(self.hypotheses, self.references)
            batch.warns = False
        return counter.count(batch)

    def points(self) -> float:
        """The score on 0-100; NaN if the dialect has none."""
        try:
            return self.score().value * 100 / self.scorer.scale
        except ValueError:
            return nan

    def counts(
        self,
        tokenizer: Tokenizer | IdFilter | None,
        lowercase: bool,
        which_references: str,
        reference_length: str,
        max_ngram_order: int,
    ) -> Counted:
        """The counts of all segments, cached for each combination of arguments."""
        if max(map(len, self.references), default=0) == 1:
            which_references, reference_length = "all", "closest"  # no difference
        key = tokenizer, lowercase, which_references, reference_length, max_ngram_order
        if key in self._counts:
            return self._counts[key]
        if max_ngram_order < _USUAL_ORDER:
            usual = self.counts(*key[:4], _USUAL_ORDER)
            counted = Counted(0, max_ngram_order)
            counted.stats = truncated(usual.stats, max_ngram_order)
            counted.segments, counted.nrefs = usual.segments, usual.nrefs
            counted.tokenizers = usual.tokenizers
        else:
            references = self._references(which_references)
            hypotheses: Any = self.hypotheses
            how: Any = {"reference_length": reference_length}
            if isinstance(tokenizer, IdFilter):
                hypotheses, references = id_rows(hypotheses, references)
                tokenizer, how["id_filter"] = None, tokenizer
            elif tokenizer and not (tokenizer.compiled or tokenizer.choose):
                rewrite = tokenizer.rewrite
                hypotheses, references = self._prepared(tokenizer, lowercase, references, rewrite)
                compiled, lowercase = tokenizer.rewritten_for, False
                tokenizer = None if compiled is None else get(compiled)
            counter = Counter(tokenizer, lowercase, max_ngram_order, **how)
            counted = counter.count(Batch(hypotheses, references))
        self._counts[key] = counted
        return counted

    def _prepared(
        self,
        tokenizer: Tokenizer,
        lowercase: bool,
        references: list[list[str]],
        rewrite: Rewrite | None,
    ) -> tuple[list[Any], list[list[Any]]]:
        """Hypotheses and references, rewritten for a compiled tokenizer or as lists of tokens.

        Each text is prepared once for all variants, and many at once, which is faster.
        """
        sides = []
        for side, is_reference in (([self.hypotheses], False), (references, True)):
            key = tokenizer, lowercase, is_reference, rewrite
            prepared = self._prepared_texts.setdefault(key, {})
            texts = dict.fromkeys(chain.from_iterable(side))
            new = [text for text in texts if text not in prepared]
            if rewrite is not None:
                made: list[Any] = rewrite(new, lowercase, is_reference)
            else:
                tokens = partial(tokenizer.tokens, lowercase=lowercase, is_reference=is_reference)
                if tokenizer.by_word:  # most words are in several texts
                    tokens = partial(_tokens_of_words, cache(tokens))
                made = list(map(tokens, new))
            prepared.update(zip(new, made, strict=True))
            sides.append([[prepared[text] for text in texts] for texts in side])
        [hypotheses], prepared_references = sides
        return hypotheses, prepared_references

    def scored_by(self, metric: BLEU) -> Corpus:
        """The same segments with another metric."""
        made = Corpus(self.hypotheses, self.references, metric)
        made._counts, made._prepared_texts = self._counts, self._prepared_texts
        return made

    def _references(self, which: str) -> Any:
        """The references that `which` selects."""
        if which == "all":
            return self.references
        most = 1 if which == "first" else min(map(len, self.references), default=1)
        return [texts[:most] for texts in self.references]

    def with_segments(self, hypotheses: list[Any], references: list[list[Any]]) -> Corpus:
        """Other segments with the same metric."""
        made = Corpus(hypotheses, references, self.metric)
        made._prepared_texts = self._prepared_texts
        return made

    def rewritten(
        self, rewrite: Callable[[str], str], segments: Iterable[int] | None = None
    ) -> Corpus:
        """The corpus with `rewrite` applied to each text, or to those of some segments."""
        hypotheses, references = self.hypotheses[:], self.references[:]
        for number in range(len(self)) if segments is None else segments:
            hypotheses[number] = rewrite(hypotheses[number])
            references[number] = [rewrite(text) for text in references[number]]
        return self.with_segments(hypotheses, references)

    def part(self, hypotheses: Sequence[int], references: Sequence[int] | None = None) -> Corpus:
        """The given hypotheses, paired with their own references or those of other segments."""
        segments = hypotheses if references is None else references
        kept = [self.references[number] for number in segments]
        return self.with_segments([self.hypotheses[number] for number in hypotheses], kept)

    def lengths(self) -> NDArray[numpy.int64]:
        """[hyp_len, ref_len] of each segment, shape (segments, 2)."""
        return numpy.asarray(self._counted(self._plain().counter).stats)[:, :2]

    def similarities(self, offset: int) -> NDArray[numpy.float64]:
        """sacreBLEU's score, 0-100, of each hypothesis i with references i + offset, if both exist.

        Texts are tokenized as the metric tokenizes them.
        """
        first, end = max(0, -offset), min(len(self), len(self) - offset)
        part = self.part(range(first, end), range(first + offset, end + offset))._plain()
        return part.scorer.sentence_scores(part._counted(part.counter), warns=False)

    def _plain(self) -> Corpus:
        """The corpus with sacreBLEU's score, tokenized as the metric does."""
        names = "lowercase", "ignore_ids", "stop_ids", "skip_ids"
        options: Any = {name: getattr(self.metric, name) for name in names}
        plain = BLEU(tokenize=self.metric.tokenize, effective_order=True, **options)
        return self.scored_by(plain)


def _tokens_of_words(tokens: Callable[[str], list[str]], text: str) -> list[str]:
    return list(chain.from_iterable(map(tokens, text.split(" "))))


def _listed_stream(hypotheses: Any, references: Any) -> tuple[Any, Any]:
    """Read a stream of hypotheses into a list, because looking at its type consumes it."""
    if not is_column(hypotheses) or hasattr(type(hypotheses), "__len__"):
        return hypotheses, references
    if type(references) in (list, tuple) and all(map(is_column, references)):
        columns = [listed_column(column, f"references[{k}]") for k, column in enumerate(references)]
        references = list(zip(*columns, strict=True))
    return listed_column(hypotheses, "hypotheses"), references


def dialect_metric(name: Any, of_text: bool) -> BLEU:
    """A dialect's default BLEU for text or for lists of tokens."""
    return BLEU(name, tokenize=None if of_text else False)


def _is_text(hypotheses: Any) -> bool:
    """Whether hypotheses are str rather than lists of tokens; True if they are not iterable."""
    column = opened(hypotheses, "hypotheses")
    if column is not None:
        return column.is_text and not column.levels
    return not is_iterable(hypotheses) or isinstance(next(iter(hypotheses), ""), str)
