"""`Recipe`: what an evaluation tool computes, as a dialect made from a line of the table.

A tool usually calls another BLEU on tokens of its own and averages what it returns. So a recipe is
the arithmetic of another dialect, or a function of a row (recipe_rows.py), with a tokenizer, the
references that count, and what happens to the scores of sentences. Few tools look at the tokens of
segments for more than counts (recipe_tokens.py).
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Mapping, Sequence
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
from .plain import Row, TokenDialect, no_rows, plain_rows

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, ClassVar

    from ..counting.token_lists import Segment
    from .recipe_rows import Formula
    from .scorer import Scorer


class Line(NamedTuple):
    """A line of the table of recipes.

    Attributes
    ----------
    source : str
        The original: repository and commit or package and version, and its file or function.
    base : str or callable
        The dialect that computes, or a function of a row.
    about : str
        What a reader of the tool's number should know.
    tokenizer, lowercase, reference_length, scale, max_order
        As in `Dialect`.
    options : mapping
        Defaults of options of the base that differ from its own.
    references : str
        "all", "first", or "fewest": of each segment as many as all segments have.
    finish : callable, optional
        Changes the score of a sentence, and of a corpus unless there is a `mean`.
    mean : callable, optional
        From the scores of sentences, and their rows unless there is `tokens`, to that of a corpus;
        without it this is the score of the summed rows.
    tokens : callable, optional
        From tokens to scores: segments, and whether to score each of them or their corpus.
    quadratic : bool
        Whether its time grows with the square of the number of segments.
    short : tuple of str
        Further names.
    """

    source: str
    base: str | Formula
    about: str = ""
    tokenizer: str = "none"
    lowercase: bool = False
    reference_length: str = "closest"
    scale: float = 1.0
    max_order: int = 4
    options: Mapping[str, object] = {}
    references: str = "all"
    finish: Callable[[float], float] | None = None
    mean: Callable[[Sequence[float], Sequence[Row]], float] | None = None
    tokens: Callable[[list[Segment], bool], Sequence[float]] | None = None
    quadratic: bool = False
    short: tuple[str, ...] = ()

    @property
    def version(self) -> str:
        """The commit or the number of the version of the original."""
        repository, *others = self.source.split()
        return repository.partition("@")[2] or others[0]

    def has_version(self, version: str) -> bool:
        """Whether this is the version, or one of its patches: "0.121" is of 0.121.14."""
        return f"{self.version}.".startswith(f"{version}.")


class FewestReferencesCounter(Counter):
    """Counts of each segment as many references as all segments have."""

    reads_utf8 = False
    most: ClassVar[int | None] = None

    def count(self, batch: Batch, **options: Any) -> Counted:
        hypotheses, references = lists_of_tokens(self, batch)
        counts = [len(some) if is_collection(some) else 1 for some in references]
        most = self.most or min(counts, default=1)
        references = [
            list_or_tuple(some)[:most] if is_collection(some) else some for some in references
        ]
        listed = Batch(hypotheses, references, batch.before, batch.present, batch.warns)
        return super().count(listed, **options)


class FirstReferenceCounter(FewestReferencesCounter):
    """Counts the first reference of each segment."""

    most = 1


class FirstReferenceTokenCounter(FirstReferenceCounter, TokenListCounter):
    """Counts the first reference, and keeps tokens."""


_COUNTERS = {
    ("all", False): Counter,
    ("all", True): TokenListCounter,
    ("first", False): FirstReferenceCounter,
    ("first", True): FirstReferenceTokenCounter,
    ("fewest", False): FewestReferencesCounter,
}
_TOKENS = "it looks at tokens, which no row tells"
_MEAN = dict.fromkeys(("sums", "state", "significance"), "its score is made of those of sentences")


class Recipe(Dialect):
    """A dialect made from a line of the table by `make_recipe`."""

    entry: ClassVar[Line]
    base: ClassVar[Dialect | None]

    @property
    def _arithmetic(self) -> Dialect:
        return self.base or self

    def brevity_penalty(self, hyp_len: int, ref_len: int) -> float:
        if self.base is None:
            return super().brevity_penalty(hyp_len, ref_len)
        return self.base.brevity_penalty(hyp_len, ref_len)

    def _further_fields(self) -> dict[str, str]:
        return self.base._further_fields() if self.base else {}

    def _scores(self, adapted: Stats, scorer: Scorer) -> array[float]:
        if self.base is not None:
            scores: Sequence[float] = self.base._scores(adapted, scorer)
            factor = self.base.scale
        else:
            formula: Any = self.entry.base
            scores, factor = [formula(*row) for row in plain_rows(adapted)], self.scale
        return array("d", [self._finished(score, factor) for score in scores])

    def _finished(self, score: float, scale: float) -> float:
        """A score on the recipe's scale, and rounded."""
        if scale != self.scale:
            score = score * self.scale / scale
        return self.entry.finish(score) if self.entry.finish else score

    def _corpus_score(self, totals: Totals, scorer: Scorer) -> dict[str, Any]:
        found = {"bp": self._shown_penalty(totals)}
        if self.entry.mean is not None:
            rows = self.adapt(totals.rows())
            found["value"] = self.entry.mean(self._scores(rows, scorer), list(plain_rows(rows)))
        elif self.base is not None:
            found |= self.base._corpus_score(totals, scorer)
            found["value"] = self._finished(found["value"], self.base.scale)
        else:
            found["value"] = self._scores(totals.sum(), scorer)[0]
        return found

    def _shown_penalty(self, totals: Totals) -> float:
        try:
            return self.brevity_penalty(*totals.row[:2])
        except ZeroDivisionError:
            return 0.0


class TokenRecipe(TokenDialect, Recipe):
    """A recipe that scores tokens."""

    def _token_score(self, segments: list[Segment], sums: Stats, scorer: Scorer) -> dict[str, Any]:
        entry = self.entry
        if entry.mean is not None:
            value = entry.mean(self._token_scores(segments, True), [])
        else:
            [value] = self._token_scores(segments, False)
        return {"value": value, "bp": Dialect.brevity_penalty(self, *sums._rows[:2])}

    def _segment_scores(self, counted: Counted, scorer: Scorer) -> list[float]:
        return self._token_scores(counted.extra or [], True)

    def _token_scores(self, segments: list[Segment], each: bool) -> list[float]:
        score: Any = self.entry.tokens
        return [self._finished(value, self.scale) for value in score(segments, each)]


def make_recipe(name: str, line: Line) -> Recipe:
    """The dialect of a line."""
    base = get(line.base) if isinstance(line.base, str) else None
    has_tokens = line.tokens is not None
    made: dict[str, Any] = {
        "__doc__": f"{line.about}\n\n    References\n    ----------\n    {line.source}\n    ",
        "__module__": __name__,
        "about": line.about,
        "entry": line,
        "base": base,
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
        "minimum_total": base.minimum_total if base else 0,
        "smoothings": base.smoothings if base else {"own": None},
        "options": {**(base.options if base else {"smoothing": "own"}), **line.options},
        "reasons": no_rows(_TOKENS) if has_tokens else _MEAN if line.mean else {},
        "single_reference": line.references == "first",
        "adds_up": line.mean is None and not has_tokens,
        "mean_of_sentences": line.mean is not None,
        "counter": _COUNTERS[line.references, has_tokens],
    }
    kind = TokenRecipe if has_tokens else Recipe
    recipe: Recipe = type(kind.__name__, (kind,), made)()
    return recipe
