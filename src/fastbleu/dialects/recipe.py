"""`Recipe`: what an evaluation tool computes, as a dialect made from a line of the table.

A tool usually calls another BLEU on tokens of its own and averages what it returns. So a recipe is
the arithmetic of another dialect, or a function of a row (recipe_rows.py), with a tokenizer, the
references that count, and what happens to the scores of sentences. Few tools look at the tokens of
segments for more than counts (recipe_tokens.py).
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import NamedTuple

from ..counting._counted import Counted, Totals
from ..counting.counter import Counter
from ..counting.stats import Stats
from ..counting.token_lists import TokenListCounter, lists_of_tokens
from ..inputs.arrays import list_or_tuple
from ..inputs.batch import Batch
from ..inputs.checks import is_collection
from . import get
from .base import Dialect
from .plain import Row, no_rows, plain_rows

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..counting.token_lists import Segment
    from .recipe_rows import Formula
    from .scorer import Scorer


class Line(NamedTuple):
    """A line of the table of recipes; fields without a comment are as in `Dialect`."""

    source: str  # repository and commit, or package and version; then file or function
    base: str | Formula  # the dialect that computes, or a function of a row, whose score is 0-1
    about: str = ""
    tokenizer: str = "none"
    lowercase: bool = False
    reference_length: str = "closest"
    scale: float = 1.0
    max_order: int = 4
    options: Mapping[str, object] = {}  # of the base, where they differ from its defaults
    references: str = "all"  # or "first", or "fewest": as many as all segments have
    # The scores without tokens in the "reference" or the "hypothesis"; None: an error.
    of_empty: Mapping[str, float | None] = {}
    # From segments of tokens to their rows, where these are not the usual ones.
    rows: Callable[[list[Segment]], Stats] | None = None
    # Changes the score of a sentence, and of a corpus unless there is a `mean`.
    finish: Callable[[float], float] | None = None
    # From the scores of sentences, and their rows, to that of a corpus; else the rows add up.
    mean: Callable[[Sequence[float], Sequence[Row]], float] | None = None
    # From segments of tokens, and whether each is scored alone, to scores; there are no rows.
    tokens: Callable[[list[Segment], bool], Sequence[float]] | None = None
    quadratic: bool = False  # whether its time grows with the square of the segments
    printed: str | None = None  # how the original shows its score: a format; None: all digits
    short: tuple[str, ...] = ()  # further names

    @property
    def keeps_tokens(self) -> bool:
        return self.rows is not None or self.tokens is not None

    @property
    def version(self) -> str:
        """The commit or the number of the version of the original."""
        repository, *others = self.source.split()
        return repository.partition("@")[2] or others[0]

    def has_version(self, version: str) -> bool:
        """Whether this is the version, or one of its patches: "0.121" is of 0.121.14."""
        return f"{self.version}.".startswith(f"{version}.")


class RecipeCounter(Counter):
    """Counts the references that a line takes."""

    reads_utf8 = False

    def __init__(self, line: Line, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.line = line

    def count(self, batch: Batch, **options: Any) -> Counted:
        hypotheses, references = lists_of_tokens(self, batch)
        if self.line.references != "all":
            counts = [len(some) if is_collection(some) else 1 for some in references]
            most = 1 if self.line.references == "first" else min(counts, default=1)
            references = [
                list_or_tuple(some)[:most] if is_collection(some) else some for some in references
            ]
        listed = Batch(hypotheses, references, batch.before, batch.present, batch.warns)
        return super().count(listed, **options)


class RecipeTokenCounter(RecipeCounter, TokenListCounter):
    """Counts the references that a line takes, and keeps their tokens."""


_TOKENS = no_rows("it looks at tokens, which no row tells")
_MEAN = dict.fromkeys(("sums", "state", "significance"), "its score is made of those of sentences")


class Recipe(Dialect):
    """The dialect of a line."""

    def __init__(self, name: str, line: Line) -> None:
        self.entry = line
        self.base = base = get(line.base) if isinstance(line.base, str) else None
        if line.references == "all":
            counter: Any = TokenListCounter if line.keeps_tokens else Counter
        else:
            counter = partial(RecipeTokenCounter if line.keeps_tokens else RecipeCounter, line)
        made: dict[str, Any] = {
            "__doc__": f"{line.about}\n\n    References\n    ----------\n    {line.source}\n    ",
            "about": line.about,
            "name": name,
            "version": f"{name.removesuffix(f'-{line.version}')}@{line.version}",
            "scale": line.scale,
            "tokenizer": line.tokenizer,
            "tokenizers": {line.tokenizer: line.tokenizer},
            "lowercase": line.lowercase,
            "cases": (line.lowercase,),
            "reference_length": line.reference_length,
            "max_order": line.max_order,
            "orders": (line.max_order,),
            "_usual_order": line.max_order,
            "_printed": line.printed,
            "minimum_total": base.minimum_total if base else 0,
            "smoothings": base.smoothings if base else {"own": None},
            "options": {**(base.options if base else {"smoothing": "own"}), **line.options},
            "reasons": _TOKENS if line.keeps_tokens else _MEAN if line.mean else {},
            "single_reference": line.references == "first",
            "adds_up": not (line.mean or line.keeps_tokens),
            "mean_of_sentences": line.mean is not None,
            "counter": counter,
        }
        vars(self).update(made)

    @property
    def _arithmetic(self) -> Dialect:
        return self.base or self

    def brevity_penalty(self, hyp_len: int, ref_len: int) -> float:
        if self.base is None:
            return super().brevity_penalty(hyp_len, ref_len)
        return self.base.brevity_penalty(hyp_len, ref_len)

    def _further_fields(self) -> dict[str, str]:
        return self.base._further_fields() if self.base else {}

    def _finished(self, score: float, scale: float) -> float:
        """A score on the recipe's scale, and rounded."""
        if scale != self.scale:
            score = score * self.scale / scale
        return self.entry.finish(score) if self.entry.finish else score

    def _score_of_empty(self, row: Row) -> float | None:
        """The stated score of a row without tokens; None if it is computed."""
        for side, length in (("reference", row[1]), ("hypothesis", row[0])):
            if not length and side in self.entry.of_empty:
                score = self.entry.of_empty[side]
                if score is None:
                    raise ValueError(f"a {side} has no tokens, which the original refuses")
                return score
        return None

    def _scores(self, adapted: Stats, scorer: Scorer) -> array[float]:
        rows = plain_rows(adapted) if self.entry.of_empty else ()
        known = [self._score_of_empty(row) for row in rows]
        if not any(score is not None for score in known):
            return self._computed_scores(adapted, scorer)
        pairs = zip(known, adapted, strict=True)
        return array(
            "d",
            [
                self._computed_scores(row, scorer)[0] if score is None else score
                for score, row in pairs
            ],
        )

    def _computed_scores(self, adapted: Stats, scorer: Scorer) -> array[float]:
        if self.base is not None:
            scores: Sequence[float] = self.base._scores(adapted, scorer)
        else:
            formula: Any = self.entry.base
            scores = [formula(*row) for row in plain_rows(adapted)]
        scale = self.base.scale if self.base else 1.0
        return array("d", [self._finished(score, scale) for score in scores])

    def _segment_scores(self, counted: Counted, scorer: Scorer) -> Sequence[float]:
        entry, segments = self.entry, counted.extra or []
        if entry.tokens:
            return entry.tokens(segments, True)
        stats = entry.rows(segments) if entry.rows else counted.stats
        return self._scores(self.adapt(stats), scorer)

    def _corpus_score(self, totals: Totals, scorer: Scorer) -> dict[str, Any]:
        entry, segments = self.entry, totals.extra or []
        if entry.rows:
            totals = scorer.totals_of_rows(entry.rows(segments))
        found: dict[str, Any] = {"bp": 0.0, "row": totals.row}
        with suppress(ZeroDivisionError):
            found["bp"] = self.brevity_penalty(*totals.row[:2])
        if entry.tokens:
            scores = entry.tokens(segments, entry.mean is not None)
            found["value"] = entry.mean(scores, []) if entry.mean else scores[0]
        elif entry.mean:
            rows = self.adapt(totals.rows())
            found["value"] = entry.mean(self._scores(rows, scorer), list(plain_rows(rows)))
        elif self.base is None or entry.of_empty:
            found["value"] = self._scores(totals.sum(), scorer)[0]
        else:
            found |= self.base._corpus_score(totals, scorer)
            found["value"] = self._finished(found["value"], self.base.scale)
        return found
