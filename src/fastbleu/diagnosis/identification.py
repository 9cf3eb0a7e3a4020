"""The settings of BLEU that give a published number."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from decimal import Decimal
from itertools import groupby
from math import isfinite

from ..dialects.recipes import LINES
from ..inputs.arguments import shown
from ..metric.bleu import BLEU
from ..plots.tables import Table, Tables
from .corpus import Corpus, is_text, listed_stream
from .settings import NEAREST, Scored, score_settings, shown_score

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..inputs.types import Hypotheses, References

# Matches of one dialect that a table lists; of more it tells what they differ in.
_SHOWN = 5
# Between recipes that give the number with the same tokens, in a match.
_OR = " or "


@dataclass(eq=False)
class Match:
    """A setting and its score.

    Attributes
    ----------
    setting : str
        The arguments of `fastbleu.BLEU`, and other differences from its `score`.
    signature : str
        The metric's signature.
    value : float
        The score, on 0-1 or 0-100, whichever is closer to the number.
    distance : float
        Distance between the number and the value, on that scale.
    """

    setting: str
    signature: str
    value: float
    distance: float

    def to_dict(self) -> dict[str, Any]:
        """The attributes by their names."""
        return asdict(self)

    def __repr__(self) -> str:
        return f"<Match {self.setting}: {self.value}>"


@dataclass(eq=False, repr=False)
class Identification(Tables):
    """The settings that print as a number, and those that nearly do.

    Attributes
    ----------
    number : str
        The number as given.
    matches : list of Match
        The settings whose score has the number's digits, the most common first.
    nearest : list of Match
        The five closest other settings.
    tried : int
        The number of settings.
    by_chance : float
        How many of them would match an unrelated number, drawn at random between their lowest and
        highest scores.
    """

    number: str
    matches: list[Match]
    nearest: list[Match]
    tried: int
    by_chance: float

    def to_dict(self) -> dict[str, Any]:
        """All attributes as plain values, for JSON."""
        return asdict(self)

    def _tables(self) -> list[Table]:
        by_dialect: dict[str, list[Match]] = {}
        for match in self.matches:
            by_dialect.setdefault(_words(match)[0], []).append(match)
        rows = []
        for dialect, found in by_dialect.items():
            shown = found if len(found) <= _SHOWN else found[:1]
            rows += [("yes", *_cells(match)) for match in shown]
            if rest := found[len(shown) :]:
                words = [word for match in rest for word in _words(match)[1:]]
                changes = ", ".join(dict.fromkeys([word.partition("=")[0] for word in words]))
                more = f"{dialect}: {len(rest)} more, which differ from it in {changes}"
                rows.append(("yes", "", "", more))
        rows += [("", *_cells(match)) for match in self.nearest]
        notes = [
            f"{self.tried} settings were tried, of which {self.by_chance:.2g} would match a number "
            "by chance."
        ]
        columns = "matches", "score", "off by", "setting"
        return [Table(f"Which BLEU is {self.number}?", columns, rows, notes)]

    def __repr__(self) -> str:
        return f"<Identification of {self.number}: {len(self.matches)} of {self.tried} settings>"


def _words(match: Match) -> list[str]:
    """The dialect of a setting, and what differs from its defaults."""
    return match.setting.replace("; ", ", ").split(", ")


def _cells(match: Match) -> tuple[str, str, str]:
    setting, *others = match.setting.split(_OR)
    if others:
        setting += _OR + (others[0] if len(others) == 1 else f"{len(others)} more recipes")
    return f"{match.value:.6g}", f"{match.distance:+.4g}", setting


def identify(number: float | str, hypotheses: Hypotheses, references: References) -> Identification:
    """Find the settings whose score prints as a number: dialects, tokenizers, case, smoothing, ...

    Parameters
    ----------
    number : float or str
        As published, on 0-1 or 0-100. The number of decimals matters; pass a str for trailing
        zeros: "31.20" has two.
    hypotheses, references
        A corpus, as for `fastbleu.BLEU.score`.

    Returns
    -------
    Identification
        Prints as a table, in notebooks too, and has `to_dict()`.

    Raises
    ------
    ValueError, TypeError
        The number is not a number, or is outside 0-100 and no setting has it; or as for
        `fastbleu.BLEU.score`.

    Notes
    -----
    The settings are all recipes, as they are, for text; those that give the
    number with equally many tokens are one match. And all dialects with their tokenizers, cases,
    smoothing methods, reference lengths and longest n-grams, of which at most two differ from the
    dialect's defaults; all references, and each alone; means of sentence scores instead of the
    corpus score; text that is stripped, or already tokenized; an empty pair more, as scripts have
    that split files at newlines. Dialects that take any tokens are
    tried with all installed tokenizers, those of libraries with no other change. On large corpora
    slow settings are scored only if some segments' scores are near the number.

    Examples
    --------
    >>> hypotheses, references = ["The cat sat on a mat ."], ["The cat sat on the mat ."]
    >>> identify(48.89, hypotheses, references).matches[0].setting
    "dialect='sacrebleu'"
    """
    printed, digits = _read_number(number)
    hypotheses, references = listed_stream(hypotheses, references)
    metric = BLEU() if is_text(hypotheses) else BLEU(None)
    corpus = Corpus.read(hypotheses, references, metric)
    if not len(corpus):
        raise ValueError("there are no segments to score: hypotheses is empty")
    scores = score_settings(corpus, float(printed))
    found = _identification(printed, digits, scores)
    if float(printed) > 100.0001 and not found.matches:  # e2e's may be, on text without spaces
        raise ValueError(
            f"{shown(number)} is not a BLEU score: it is not in 0-100, and no setting has it"
        )
    return found


def _read_number(number: float | str) -> tuple[str, int]:
    """A number as it was printed, and its digits after the point."""
    printed = str(number).strip()
    try:
        if "_" in printed or not printed.isascii():  # float() accepts 1_0 and digits of any script
            raise ValueError
        value = float(printed)
    except ValueError:
        first = "" if isinstance(number, str) else "first, "
        fix = f"pass it {first}as 31.2 or '31.20'"
        raise ValueError(f"{shown(number)} is not a number; {fix}") from None
    if not (value >= 0 and isfinite(value)):
        raise ValueError(f"{shown(number)} is not a BLEU score: it is not in 0-100")
    printed = _without_exponent(printed)
    return printed, len(printed.partition(".")[2])


def _without_exponent(printed: str) -> str:
    return f"{Decimal(printed):f}" if "e" in printed.lower() else printed


def _identification(printed: str, digits: int, scores: list[Scored]) -> Identification:
    number = float(printed)
    found: list[tuple[tuple[int, int], int | None, Match]] = []
    near, values = [], []
    for position, scored in enumerate(scores):
        setting, value = scored[:2]
        dialect = setting.corpus.metric.scorer.dialect
        shown = shown_score(scored, number)
        values.append(shown)
        if scored.is_estimate:
            continue
        match = Match(setting.description, setting.corpus.metric.signature, shown, shown - number)
        is_its_own = printed in (dialect.printed(value), _without_exponent(repr(value)))
        if is_its_own or f"{shown:.{digits}f}" == f"{number:.{digits}f}":
            # Among equally common ones, those whose original prints in this form come first.
            rounds, on_its_scale = dialect.printed(value) is not None, shown == value
            form = 0 if is_its_own else 1 if on_its_scale and not rounds else 2
            tokens = scored.tokens if dialect.name in LINES else None
            found.append(((setting.changes, form), tokens, match))
        else:
            near.append((abs(match.distance), position, match))
    near.sort(key=lambda item: item[:2])
    spread = max(values, default=0.0) - min(values, default=0.0)
    by_chance = min(len(scores), len(scores) * 10**-digits / spread) if spread else 0.0
    nearest = [match for *_, match in near[:NEAREST]]
    return Identification(printed, _in_order(found), nearest, len(scores), by_chance)


def _in_order(found: list[tuple[tuple[int, int], int | None, Match]]) -> list[Match]:
    """Matches by their keys; of equal ones first a dialect, then recipes, then other dialects.

    Many recipes differ in what a corpus may not have, or in digits that are not shown, so those
    that give the number with equally many tokens are one match; the largest come first.
    """
    matches = []
    found.sort(key=lambda item: item[0])
    for _, group in groupby(found, key=lambda item: item[0]):
        dialects: list[Match] = []
        recipes: dict[int, list[Match]] = {}
        for _, tokens, match in group:
            (dialects if tokens is None else recipes.setdefault(tokens, [])).append(match)
        joined = [
            replace(same[0], setting=_OR.join([match.setting for match in same]))
            for same in sorted(recipes.values(), key=len, reverse=True)
        ]
        matches += [*dialects[:1], *joined, *dialects[1:]]
    return matches
