"""`fastbleu.dialects.overview`: one output by every dialect."""

from __future__ import annotations

from ..dialects.names import get, names
from ..plots.tables import Table, Tables
from .corpus import Corpus, is_text, listed_stream
from .explanation import dialect_metric, findings_table
from .findings import find
from .path import walk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from ..dialects.score import Score
    from ..inputs.types import Hypotheses, References

# Errors for dialects that cannot be scored here, for example without PyTorch, or on token ids.
CANNOT_SCORE = (ValueError, TypeError, ImportError)


class Overview(Tables):
    """The scores of one output by every dialect that fits the input, the highest first.

    Attributes
    ----------
    scores : dict of str to Score
        By the name of the dialect.
    reasons : dict of str to str
        The rule with the largest effect between sacreBLEU's default and the dialect.
    failures : dict of str to str
        Why a dialect has no score.
    findings : list of Finding
        Likely mistakes in the input, with their effect on sacreBLEU's score.
    """

    __module__ = "fastbleu.dialects"

    def __init__(self, corpus: Corpus, sources: Sequence[str] | None) -> None:
        self.scores: dict[str, Score] = {}
        self.reasons: dict[str, str] = {}
        self.failures: dict[str, str] = {}
        points: dict[str, float] = {}
        for name in names():
            scored = corpus.scored_by(dialect_metric(name, corpus.is_text))
            try:
                score = scored.score()
                steps, _ = walk(corpus, scored, segments=False)
            except CANNOT_SCORE as error:
                self.failures[name] = str(error)
                continue
            self.scores[name] = score
            points[name] = scored.points()
            most = max(steps, key=lambda step: abs(step.points), default=None)
            if most is not None and most.points:
                self.reasons[name] = f"{most.rule} {most.b} ({most.points:+.2f})"
        self.scores = dict(sorted(self.scores.items(), key=lambda item: -points[item[0]]))
        self.findings = find(corpus, sources)

    def to_dict(self) -> dict[str, Any]:
        """All attributes as plain values, for JSON."""
        scores = [
            {
                "dialect": name,
                "value": score.value,
                "printed": score.printed,
                "signature": score.signature,
                "reason": self.reasons.get(name),
            }
            for name, score in self.scores.items()
        ]
        findings = [finding.to_dict() for finding in self.findings]
        return {"scores": scores, "failures": self.failures, "findings": findings}

    def _tables(self) -> list[Table]:
        table = Table(
            "One output by every BLEU",
            ("dialect", "score", "what sets it apart from sacrebleu", "signature"),
            [
                (name, shown_score(name, score), self.reasons.get(name, ""), score.signature)
                for name, score in self.scores.items()
            ],
            [f"{name} has no score: {why}" for name, why in self.failures.items()],
        )
        return [table, *findings_table(self.findings)]

    def __repr__(self) -> str:
        return f"<Overview of {len(self.scores)} dialects>"


def overview(
    hypotheses: Hypotheses, references: References, *, sources: Sequence[str] | None = None
) -> Overview:
    """The scores of one output by every dialect that fits the input, and likely mistakes in it.

    Parameters
    ----------
    hypotheses, references
        A corpus of S segments, as for `fastbleu.BLEU.score`.
    sources : sequence of S str, optional
        The source texts, to find references that are copies.

    Returns
    -------
    Overview
        Prints as a table, in notebooks too, and has `to_dict()`.

    Raises
    ------
    ValueError, TypeError
        As for `fastbleu.BLEU.score`; or sources differ in length.

    Examples
    --------
    >>> found = overview(["The cat sat on a mat."], ["The cat sat on the mat."])
    >>> round(found.scores["sacrebleu"].value, 2), round(found.scores["nltk"].value, 4)
    (48.89, 0.5373)
    >>> found.reasons["nltk"]
    'tokenizer none (+4.84)'
    """
    hypotheses, references = listed_stream(hypotheses, references)
    metric = dialect_metric("sacrebleu", is_text(hypotheses))
    return Overview(Corpus.read(hypotheses, references, metric), sources)


def shown_score(name: str, score: Score) -> str:
    """A score as its original prints it, or with the usual digits for its scale."""
    if score.printed is not None:
        return score.printed
    return f"{score.value:.2f}" if get(name).scale == 100 else f"{score.value:.4f}"
