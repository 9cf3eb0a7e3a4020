"""Why two BLEUs of the same output differ, and the scores of one output by every dialect."""

from __future__ import annotations

from math import isnan

from ..core.inputs.arguments import a_type, number_of
from ..core.inputs.errors import InputError
from ..core.metric.bleu import BLEU
from ..core.scoring.names import names
from ..core.scoring.score import shown_score
from ..plots.text import Table, Tables
from .corpus import Corpus, dialect_metric
from .findings import find
from .path import walk
from .search import Finding

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from ..core.inputs.types import Hypotheses, References
    from ..core.metric.argument import Metric
    from ..core.scoring.score import Score


# Raised by dialects that cannot score, for example without PyTorch or on token ids.
CANNOT_SCORE = (ValueError, TypeError, ImportError)


class Explanation(Tables):
    """Why two scores differ, as a path on which one rule changes at a time.

    Attributes
    ----------
    a, b : Score
        The two scores, each on the scale of its dialect.
    steps : list of Step
        Rules in which the two differ, in the order in which they are changed: `rule`, `a` and `b`
        (before and after), `score` (afterwards, 0-100), `points` (its effect, 0-100), `sentence`,
        `segments` (up to three that change most). The points add up to the difference.
    shared : list of str
        The rules that are the same in both.
    findings : list of Finding
        Likely mistakes in the input, with their effect on the score of `b`.
    """

    __module__ = "fastbleu"

    def __init__(
        self, a: Corpus, b: Corpus, findings: list[Finding], labels: tuple[str, str]
    ) -> None:
        self.a = a.score()
        self.b = b.score()
        self.steps, self.shared = walk(a, b)
        self.findings = findings
        self._labels = labels
        self._points = a.points(), b.points()
        dialects = [corpus.scorer.dialect for corpus in (a, b)]
        abouts = {dialect.name: getattr(dialect, "about", "") for dialect in dialects}
        self._notes = [f"{name}: {about}." for name, about in abouts.items() if about]

    def to_dict(self) -> dict[str, Any]:
        """All attributes as plain values, for JSON."""
        sides = zip(self._labels, (self.a, self.b), self._points, strict=True)
        ends = [
            {"name": name, "value": score.value, "points": points, "signature": score.signature}
            for name, score, points in sides
        ]
        return {
            "a": ends[0],
            "b": ends[1],
            "steps": [step._asdict() for step in self.steps],
            "shared": self.shared,
            "findings": [finding.to_dict() for finding in self.findings],
        }

    def _tables(self) -> list[Table]:
        a, b = self._labels
        rows = [("", "", f"{self._points[0]:.4f}", "", "", "")]
        last = self._points[0]
        for step in self.steps:
            # Differences of printed scores, so that the printed numbers add up.
            known = not isnan(step.score)
            moved = round(step.score, 4) - round(last, 4) if known else 0.0
            unmoved = "no effect" if known else "with the next"
            shown = f"{moved:+.4f}" if round(moved, 4) else unmoved
            last = step.score if known else last
            segments = ", ".join(map(str, step.segments)) if step.points else ""
            rows.append((step.rule, shown, f"{last:.4f}", step.a, step.b, segments))
        notes = [f"{step.rule}: {step.sentence}" for step in self.steps if step.points]
        notes += self._notes
        if self.shared:
            notes.append(f"The same in both: {', '.join(self.shared)}.")
        columns = "rule", "points", "score", "a", "b", "most in segments"
        path = Table(f"From a, {a}, to b, {b}, in points of 0-100", columns, rows, notes)
        return [path, *findings_table(self.findings)]

    def __repr__(self) -> str:
        pairs = zip(self._labels, self._points, strict=True)
        ends = " -> ".join([f"{name} {points:.4f}" for name, points in pairs])
        return f"<Explanation {ends}, {number_of(len(self.steps), 'step')}>"


def explain(
    hypotheses: Hypotheses,
    references: References,
    a: Metric,
    b: Metric,
    *,
    b_input: tuple[Hypotheses, References] | None = None,
    sources: Sequence[str] | None = None,
) -> Explanation:
    """Why two BLEUs of the same output differ.

    Parameters
    ----------
    hypotheses, references
        A corpus of S segments, as for `fastbleu.BLEU.score`.
    a, b : BLEU or str
        The two BLEUs: metrics, or names of dialects or recipes.
    b_input : tuple of hypotheses and references, optional
        What `b` scores instead: the same S segments in another form, such as lists of tokens
        instead of text.
    sources : sequence of S str, optional
        The source texts, to find references that are copies.

    Returns
    -------
    Explanation
        Prints as tables, in notebooks too, and has `to_dict()`.

    Raises
    ------
    ValueError, TypeError
        As for `fastbleu.BLEU.score` with `a` or with `b`; `a` or `b` is neither a BLEU nor a name;
        or inputs differ in length.

    See Also
    --------
    fastbleu.dialects.overview : the score by every dialect.

    Notes
    -----
    Rules change in a fixed order: scale, input (text or tokens), tokenizer, case, references,
    reference length, totals (after smoothing if some of `b` are below 0), smoothing, orders,
    weights, brevity penalty, average, the rest. Another order would distribute the points
    differently.

    Examples
    --------
    >>> hypotheses, references = ["The cat sat on a mat."], ["The cat sat on the mat."]
    >>> steps = explain(hypotheses, references, "nltk", "sacrebleu").steps
    >>> [(step.rule, round(step.points, 2)) for step in steps if step.points]
    [('tokenizer', -4.84)]
    """
    corpus = Corpus.read(hypotheses, references, _checked("a", a))
    b = _checked("b", b)
    if b_input is None:
        # Read once, because a stream cannot be read again.
        metric = dialect_metric(b, corpus.counter.is_text) if isinstance(b, str) else b
        other = corpus.scored_by(metric)
    else:
        other = Corpus.read(*_checked_input(b_input), b)
        if len(corpus) != len(other):
            raise InputError(f"a has {number_of(len(corpus), 'segment')}, b_input has {len(other)}")
    return Explanation(corpus, other, find(other, sources), (_label(a), _label(b)))


def _checked_input(b_input: Any) -> tuple[Any, Any]:
    """Hypotheses and references of `b_input`."""
    if not isinstance(b_input, tuple) or len(b_input) != 2:
        expected = "expected (hypotheses, references), which b scores"
        what = f"is {a_type(b_input)}"
        if isinstance(b_input, tuple):
            what = f"has {number_of(len(b_input), 'item')}"
        raise TypeError(f"b_input {what}, {expected}")
    return b_input


def _checked(name: str, metric: Any) -> Any:
    """The argument `a` or `b`."""
    if not isinstance(metric, (str, BLEU)):
        fix = "; other input for b goes into b_input" if isinstance(metric, tuple) else ""
        fix = ": write BLEU()" if metric is BLEU else fix
        expected = "expected the name of a dialect or a fastbleu.BLEU"
        raise TypeError(f"{name} is {a_type(metric)}, {expected}{fix}")
    return metric


def _label(metric: Metric) -> str:
    return metric if isinstance(metric, str) else metric.signature


def findings_table(findings: list[Finding]) -> list[Table]:
    """The table of likely mistakes, if there are any."""
    if not findings:
        return []
    rows = [(finding.name, finding._effect, finding.message) for finding in findings]
    title = "Findings, with the points that fixing them would add"
    return [Table(title, ("finding", "points", ""), rows)]


class Overview(Tables):
    """The scores of one output by every dialect that fits the input, the highest first.

    Attributes
    ----------
    scores : dict of str to Score
        By the name of the dialect.
    reasons : dict of str to str
        The rule that contributes most to the difference from sacreBLEU's default.
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
            scored = corpus.scored_by(dialect_metric(name, corpus.counter.is_text))
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
                (name, shown_score(score), self.reasons.get(name, ""), score.signature)
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
        As for `fastbleu.BLEU.score`; or `sources` has another length.

    Examples
    --------
    >>> found = overview(["The cat sat on a mat."], ["The cat sat on the mat."])
    >>> round(found.scores["sacrebleu"].value, 2), round(found.scores["nltk"].value, 4)
    (48.89, 0.5373)
    >>> found.reasons["nltk"]
    'tokenizer none (+4.84)'
    """
    return Overview(Corpus.read(hypotheses, references, "sacrebleu"), sources)
