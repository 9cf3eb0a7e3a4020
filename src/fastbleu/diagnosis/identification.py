"""The settings of BLEU that give a published number."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from math import isfinite
from typing import Any

from ..core.inputs.arguments import shown
from ..core.inputs.errors import InputError
from ..core.runtime.extras import install_command
from ..files.collection import collection_paused
from ..originals.recipes import LINES
from ..plots.text import Table, Tables
from .corpus import Corpus
from .settings import NEAREST, Scored, moses_tokenizer, score_settings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..core.inputs.types import Hypotheses, References

# If a dialect has more matches, tables list one and say in what the others differ.
_SHOWN = 5
_OR = " or "  # between the recipes of a match


class Match:
    """A setting and its score.

    Attributes
    ----------
    setting : str
        The arguments of `fastbleu.BLEU`, and other differences from its `score`. Recipes that
        give the number with equally many tokens are joined by "or".
    signature : str
        The metric's signature.
    value : float
        The score, on 0-1 or 0-100, whichever is closer to the number.
    distance : float
        The value minus the number, on that scale.
    """

    def __init__(self, scores: list[Scored], number: float) -> None:
        settings = [scored.setting for scored in scores]
        descriptions = [setting.description for setting in settings]
        self.setting = self._shortened = _OR.join(descriptions)
        if len(descriptions) > 2:
            self._shortened = f"{descriptions[0]}{_OR}{len(descriptions) - 1} more recipes"
        self.signature = settings[0].corpus.metric.signature
        self.value = scores[0].shown(number)
        self.distance = self.value - number
        self._dialect = _OR.join([f"dialect={s.arguments['dialect']!r}" for s in settings])
        self._differences = [*settings[0].arguments, *settings[0].beside_arguments][1:]

    def to_dict(self) -> dict[str, Any]:
        """The attributes by name."""
        return {name: value for name, value in vars(self).items() if not name.startswith("_")}

    def _cells(self) -> tuple[str, str, str]:
        return f"{self.value:.6g}", f"{self.distance:+.4g}", self._shortened

    def __repr__(self) -> str:
        return f"<Match {self.setting}: {self.value}>"


@dataclass(eq=False, repr=False)
class Identification(Tables):
    """The settings whose score prints as a number, and the closest others.

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
        How many of them would match, on average, a number drawn at random between their lowest
        and highest scores.
    untried : str
        What was not tried because a package is not installed; "" if nothing.
    """

    __module__ = "fastbleu"

    number: str
    matches: list[Match]
    nearest: list[Match]
    tried: int
    by_chance: float
    untried: str = ""

    def to_dict(self) -> dict[str, Any]:
        """All attributes as plain values, for JSON."""
        matches = [match.to_dict() for match in self.matches]
        nearest = [match.to_dict() for match in self.nearest]
        return {**vars(self), "matches": matches, "nearest": nearest}

    def _tables(self) -> list[Table]:
        by_dialect: dict[str, list[Match]] = {}
        for match in self.matches:
            by_dialect.setdefault(match._dialect, []).append(match)
        rows = []
        for dialect, matches in by_dialect.items():
            shown = matches if len(matches) <= _SHOWN else matches[:1]
            rows += [("yes", *match._cells()) for match in shown]
            if rest := matches[len(shown) :]:
                differences = dict.fromkeys(name for match in rest for name in match._differences)
                changes = ", ".join(differences)
                more = f"{dialect}: {len(rest)} more, which differ from it in {changes}"
                rows.append(("yes", "", "", more))
        rows += [("", *match._cells()) for match in self.nearest]
        notes = [
            f"{self.tried} settings were tried, of which {self.by_chance:.2g} would match a number "
            "by chance.",
            *([self.untried] if self.untried else []),
        ]
        columns = "matches", "score", "off by", "setting"
        return [Table(f"Which BLEU is {self.number}?", columns, rows, notes)]

    def __repr__(self) -> str:
        return f"<Identification of {self.number}: {len(self.matches)} of {self.tried} settings>"


@collection_paused()
def identify(
    hypotheses: Hypotheses, references: References, number: float | str, *, progress: bool = False
) -> Identification:
    """Find the settings whose score prints as a number: dialects, tokenizers, case, smoothing, ...

    Parameters
    ----------
    hypotheses, references
        A corpus, as for `fastbleu.BLEU.score`.
    number : float or str
        As published, on 0-1 or 0-100. The number of decimals matters; pass a str for trailing
        zeros: "31.20" has two.
    progress : bool, default False
        Show a progress bar on standard error.

    Returns
    -------
    Identification
        Prints as a table, in notebooks too, and has `to_dict()`.

    Raises
    ------
    ValueError, TypeError
        `number` is not a number, or is outside 0-100 and no setting has it; or as for
        `fastbleu.BLEU.score`.

    Notes
    -----
    For text, all recipes are tried as they are; those that give the number with equally many tokens
    are one match. All dialects are tried with at most two changes of their defaults: tokenizer,
    case, smoothing method, reference length, longest n-grams; each reference alone; the mean of
    sentence scores instead of the corpus score; text that is stripped, or that 13a or Moses'
    tokenizer (for English, by sacremoses, if installed) has already tokenized; one
    more empty pair, as in scripts that split files at newlines. Dialects that take any tokens are
    tried with all installed tokenizers, those of libraries with no other change. On large corpora,
    slow settings are scored only if a sample of the segments does not exclude them.

    Examples
    --------
    >>> hypotheses, references = ["The cat sat on a mat ."], ["The cat sat on the mat ."]
    >>> identify(hypotheses, references, 48.89).matches[0].setting
    "dialect='sacrebleu'"
    """
    printed, digits = _read_number(number)
    corpus = Corpus.read(hypotheses, references, "sacrebleu")
    if not len(corpus):
        raise InputError("there are no segments to score: hypotheses is empty")
    scores = score_settings(corpus, float(printed), digits, progress)
    identification = _identification(printed, digits, scores)
    if corpus.counter.is_text and moses_tokenizer() is None:
        missing = f"which is not installed: {install_command('recipes')}"
        identification.untried = f"Moses' tokenizer was not tried: it needs sacremoses, {missing}."
    # e2e's scores may be above 100 on text without spaces.
    if float(printed) > 100.0001 and not identification.matches:
        raise ValueError(
            f"{shown(number)} is not a BLEU score: it is not in 0-100, and no setting has it"
        )
    return identification


def _read_number(number: float | str) -> tuple[str, int]:
    """The number as printed, and how many decimals it has."""
    printed = str(number).strip()
    try:
        if "_" in printed or not printed.isascii():  # float() accepts 1_0 and digits of any script
            raise ValueError
        value = float(printed)
    except ValueError:
        last = "" if isinstance(number, str) else "last, "
        fix = f"pass it {last}as 31.2 or '31.20'"
        raise ValueError(f"{shown(number)} is not a number; {fix}") from None
    if not (value >= 0 and isfinite(value)):
        raise ValueError(f"{shown(number)} is not a BLEU score: it is not in 0-100")
    printed = _without_exponent(printed)
    return printed, len(printed.partition(".")[2])


def _without_exponent(printed: str) -> str:
    return f"{Decimal(printed):f}" if "e" in printed.lower() else printed


def _identification(printed: str, digits: int, scores: list[Scored]) -> Identification:
    number = float(printed)
    # The scores that print as the number, by the number of changes and by `_form`.
    equal: dict[tuple[int, int], list[Scored]] = {}
    others: list[Scored] = []
    values = [scored.shown(number) for scored in scores]
    for scored, value in zip(scores, values, strict=True):
        if not scored.is_estimate:
            form = _form(scored, value, printed)
            if form == 0 or f"{value:.{digits}f}" == f"{number:.{digits}f}":
                equal.setdefault((scored.setting.changes, form), []).append(scored)
            else:
                others.append(scored)
    matches = [match for rank in sorted(equal) for match in _matches(equal[rank], number)]
    others.sort(key=lambda scored: abs(scored.shown(number) - number))
    nearest = [Match([scored], number) for scored in others[:NEAREST]]
    spread = max(values, default=0.0) - min(values, default=0.0)
    by_chance = min(len(scores), len(scores) * 10**-digits / spread) if spread else 0.0
    return Identification(printed, matches, nearest, len(scores), by_chance)


def _form(scored: Scored, value: float, printed: str) -> int:
    """0 if the original prints the score as this number, 1 if it prints all digits, otherwise 2.

    `value` is the score on the number's scale.
    """
    rounded = scored.setting.corpus.scorer.printed(scored.value)
    if printed in (rounded, _without_exponent(repr(scored.value))):
        return 0
    return 1 if rounded is None and value == scored.value else 2


def _matches(scores: list[Scored], number: float) -> list[Match]:
    """Matches of equally common scores: first dialects, then recipes.

    Many recipes differ only in rare cases or in digits that are not shown, so those that give the
    number with equally many tokens are one match; matches of the most recipes come first.
    """
    dialects: list[list[Scored]] = []
    recipes: dict[int, list[Scored]] = {}
    for scored in scores:
        if scored.setting.arguments["dialect"] in LINES:
            recipes.setdefault(scored.tokens, []).append(scored)
        else:
            dialects.append([scored])
    joined = sorted(recipes.values(), key=len, reverse=True)
    return [Match(group, number) for group in [*dialects, *joined]]
