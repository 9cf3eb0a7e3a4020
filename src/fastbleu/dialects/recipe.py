"""`Recipe`: what an evaluation tool computes, as a dialect made from a line of the table.

A tool usually calls another BLEU on tokens of its own and averages what it returns. So a recipe is
the arithmetic of another dialect, or a function of a row, with a tokenizer, the references that
count, and what happens to the scores of sentences (recipe_rows.py).
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress

from ..counting._counted import Counted, Sums
from ..counting.counter import Counter
from ..counting.stats import AdaptedRows, Stats
from ..counting.token_lists import TokenListCounter, as_lists
from ..inputs.arrays import list_or_tuple
from ..inputs.batch import Batch
from ..inputs.checks import is_collection
from . import get
from .base import Dialect
from .plain import PlainDialect, Row, no_rows, plain_rows

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..counting.token_lists import Segment
    from .recipe_rows import Formula
    from .scorer import Scorer

_TOKENS = no_rows("it looks at tokens, which no row tells")
# Of what looks at all segments of a corpus to count one of them.
_CORPUS = no_rows(of_corpus := "how a segment counts depends on all segments of the corpus") | {
    "parts": of_corpus
}
# Tokenizers whose tokens are no words.
_OF_TEXTS = "lines", "sentences", "turn", "whole"
# Those of texts that were tokenized before, besides "none".
_TOKENIZED = "codesum", "joshua", "joshua-decoder", "moses", "multeval", "parlai", "phrasal", "turn"
_MEAN = dict.fromkeys(("sums", "state", "significance"), "its score is made of those of sentences")
# What a recipe has of its base.
_OF_BASE = (
    *("scale", "tokenizer", "lowercase", "reference_length", "max_order", "minimum_total"),
    *("smoothings", "brevity_penalty", "_further_fields"),
)


class OwnArithmetic(PlainDialect):
    """The arithmetic of a recipe that calls no other BLEU: a function of a row, 0-1."""

    smoothings = {"own": None}
    options = {"smoothing": "own"}

    def __init__(self, formula: Formula) -> None:
        self.formula = formula

    def _score(self, row: Row, scorer: Scorer) -> float:
        return self.formula(*row)


class RecipeCounter(Counter):
    """Counts the "first" of the references, or the "fewest": as many as all segments have."""

    reads_utf8 = False
    references: str

    def count(self, batch: Batch, **options: Any) -> Counted:
        batch = as_lists(self, batch)
        given = batch.references
        counts = [len(some) if is_collection(some) else 1 for some in given]
        most = 1 if self.references == "first" else min(counts, default=1)
        batch.references = [
            list_or_tuple(some)[:most] if is_collection(some) else some for some in given
        ]
        return super().count(batch, **options)


class Recipe(Dialect):
    """A line of the table: what differs from a `Dialect`, and the following."""

    source: str  # repository and commit, or package and version; then file or function
    base: Dialect  # whose arithmetic, options and brevity penalty this has
    changed: Mapping[str, object]  # options that are not the base's
    references = "all"  # or "first", or "fewest"
    # The scores without tokens in the "reference" or the "hypothesis"; None: an error.
    of_empty: Mapping[str, float | None] = {}
    # From segments of tokens to their rows, where these are not the usual ones.
    rows: Callable[[list[Segment]], Stats] | None = None
    # Changes the score of a sentence, and that of a corpus without a function of its own.
    finish: Callable[[float], float] | None = None
    # From the scores of sentences, or from their rows, to that of a corpus; else rows add up.
    mean: Callable[[Sequence[float]], float] | None = None
    corpus: Callable[[AdaptedRows], float] | None = None
    # From segments of tokens, and whether each is scored alone, to scores; there are no rows.
    tokens: Callable[[list[Segment], bool], Sequence[float]] | None = None
    quadratic = False  # whether its time grows with the square of the segments
    of_corpus = False  # whether how a segment counts depends on all segments

    def __init__(self, names: str, source: str, base: str | Formula, **fields: Any) -> None:
        self.base = rules = get(base) if isinstance(base, str) else OwnArithmetic(base)
        self.changed = {one: fields.pop(one) for one in rules.options if one in fields}
        vars(self).update({one: getattr(rules, one) for one in _OF_BASE}, **fields)
        name, *self.short = names.split()
        repository, *others = source.split()
        self.number = number = repository.partition("@")[2] or others[0]
        keeps_tokens = bool(self.rows or self.tokens)
        has_mean = bool(self.mean or self.corpus)
        reasons = _TOKENS if keeps_tokens else _MEAN if has_mean else {}
        counter: Any = TokenListCounter if keeps_tokens else Counter
        if self.references != "all":
            of_references = {"references": self.references}
            counter = type("RecipeCounter", (RecipeCounter, counter), of_references)
        made: dict[str, Any] = {
            "__doc__": f"{self.about}\n\n    References\n    ----------\n    {source}\n    ",
            "name": name,
            "version": f"{name.removesuffix(f'-{number}')}@{number}",
            "source": source,
            "tokenizers": {self.tokenizer: self.tokenizer},
            "cases": (self.lowercase,),
            "orders": (self.max_order,),
            "_usual_order": self.max_order,
            "options": {
                option: False if option == "effective_order" else self.changed.get(option, value)
                for option, value in rules.options.items()
                if not (self.tokens and option == "effective_order")  # which scores no rows
            },
            "of_tokenized_text": rules.of_tokenized_text or self.tokenizer in _TOKENIZED,
            "takes_tokens": self.tokenizer not in _OF_TEXTS,
            "reasons": _CORPUS if self.of_corpus else reasons,
            "single_reference": self.references == "first",
            "adds_up": not (has_mean or keeps_tokens or self.of_corpus),
            "mean_of_sentences": has_mean,
            "counter": counter,
        }
        vars(self).update(made)

    @property
    def _arithmetic(self) -> Dialect:
        return self if isinstance(self.base, OwnArithmetic) else self.base

    def _finished(self, score: float) -> float:
        """A score of the base on the recipe's scale, and rounded."""
        if self.scale != self.base.scale:
            score = score * self.scale / self.base.scale
        return self.finish(score) if self.finish else score

    def _score_of_empty(self, hyp_len: int, ref_len: int) -> float | None:
        """The stated score of a row without tokens; None if it is computed."""
        for side, length in (("reference", ref_len), ("hypothesis", hyp_len)):
            if not length and side in self.of_empty:
                if (score := self.of_empty[side]) is None:
                    raise ValueError(f"a {side} has no tokens, which the original refuses")
                return score
        return None

    def _scores(self, adapted: AdaptedRows, scorer: Scorer) -> array[float]:
        rows = plain_rows(adapted) if self.of_empty else ()
        known = [self._score_of_empty(*row[:2]) for row in rows]
        if known.count(None) == len(known):
            return array("d", map(self._finished, self.base._scores(adapted, scorer)))
        scores = array("d")
        for score, row in zip(known, adapted, strict=True):
            scores.extend(self._scores(row, scorer) if score is None else [score])
        return scores

    def _rows_alone(self, stats: Stats, segments: list[Segment] | None) -> Stats:
        if self.tokens:
            return Stats.zeros(0)
        return self.rows(segments) if self.rows and segments else stats

    def _segment_scores(self, counted: Counted, scorer: Scorer) -> Iterable[float]:
        if self.tokens:
            return self.tokens(counted.extra or [], True)
        return super()._segment_scores(counted, scorer)

    def _corpus_score(self, sums: Sums, scorer: Scorer) -> dict[str, Any]:
        segments = sums.extra or []
        if self.rows:
            sums = scorer.sums_of(self.rows(segments))
        attributes: dict[str, Any] = {"bp": 0.0, "row": sums.row}
        with suppress(ValueError, ZeroDivisionError):
            attributes["bp"] = self.brevity_penalty(*sums.row[:2])
        if self.tokens:
            scores = self.tokens(segments, self.mean is not None)
            attributes["value"] = self.mean(scores) if self.mean else scores[0]
        elif self.mean_of_sentences:
            rows = self.adapt(sums.rows())
            scores = self._scores(rows, scorer)  # which refuses segments
            of_corpus: Any = self.mean or self.corpus
            attributes["value"] = float(of_corpus(scores if self.mean else rows))
        elif self.of_empty:
            [attributes["value"]] = self._scores(sums.adapted(), scorer)
        else:
            attributes |= self.base._corpus_score(sums, scorer)
            attributes["value"] = self._finished(attributes["value"])
        return attributes
