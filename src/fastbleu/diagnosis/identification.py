"""The settings of BLEU that give a published number."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, replace
from decimal import Decimal
from itertools import groupby, product
from statistics import fmean, stdev
from math import fsum, inf, isfinite
from typing import NamedTuple

from ..counting.token_lists import TokenListCounter
from ..dialects import get, names
from ..dialects.recipe_table import LINES
from ..inputs.warnings import InputWarning
from ..metric.bleu import BLEU
from ..plots.tables import Table, Tables
from ..tokenizers.loaded import get_tokenizer, tokenize
from ..tokenizers.table import TABLE
from .corpus import Corpus, is_text
from .path import RuleSet

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..inputs.types import Hypotheses, References

# Tokenizers for dialects without their own, and the slow ones of libraries: each of the latter
# counts as two changes.
_COMPILED = ("13a", "none", "intl", "char", "zh")
_OF_LIBRARIES = ("ja-mecab", "ko-mecab", "flores101", "flores200", "spBLEU-1K")
# Common values of max_order besides 4.
_SHORTER = (1, 2, 3)
# How many options of a setting may differ from the defaults of its dialect.
_MOST_CHANGES = 2
_NEAREST = 5
# Matches of one dialect that a table lists; of more it tells what they differ in.
_SHOWN = 5
# Recipes whose time grows with the square of the segments are tried for at most so many.
_MOST_SQUARED = 500
# Of what is slow, so many parts of so many segments tell whether it can be near the
# number: their mean is off by less than so many standard errors.
_PARTS, _SEGMENTS, _ERRORS = 16, 12, 6
# Between recipes that give the number with the same tokens, in a match.
_OR = " or "
# Possible earlier changes of the text.
_REWRITINGS: dict[str, Callable[[str], str]] = {
    "stripped text": str.strip,
    "text already tokenized by 13a": lambda text: " ".join(tokenize(text)),
}


class _Setting(NamedTuple):
    """One way to score a corpus, and by how many choices it differs from its dialect's defaults."""

    corpus: Corpus  # with its metric
    is_mean: bool
    changes: int
    description: str

    @property
    def is_slow(self) -> bool:
        """Whether a library splits the text, or sentences are scored by their tokens."""
        tokenizer, dialect = self.corpus.metric.tokenizer, self.corpus.metric.scorer.dialect
        by_tokens = dialect.mean_of_sentences and not dialect.supports("statistics")
        return by_tokens or (tokenizer is not None and bool(TABLE[tokenizer.name].packages))


class _Scored(NamedTuple):
    """A setting, its score on its dialect's scale, and the number of tokens of the hypotheses."""

    setting: _Setting
    value: float
    tokens: int
    is_estimate: bool = False  # of a score that is far from the number


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
    The settings are all recipes (`fastbleu.recipes`), as they are, for text; those that give the
    number with equally many tokens are one match. And all dialects with their tokenizers, cases, smoothing methods,
    reference lengths and longest n-grams, of which at most two differ from the dialect's defaults;
    all references, and each alone; means of sentence scores instead of the corpus score; text that
    is stripped, or already tokenized. Dialects that take any tokens are tried with all installed
    tokenizers, those of libraries with no other change; on large corpora only if their scores of
    some segments are near the number.

    Examples
    --------
    >>> hypotheses, references = ["The cat sat on a mat ."], ["The cat sat on the mat ."]
    >>> identify(48.89, hypotheses, references).matches[0].setting
    "dialect='sacrebleu'"
    """
    printed, digits = _read_number(number)
    metric = BLEU() if is_text(hypotheses) else BLEU(None)
    corpus = Corpus.read(hypotheses, references, metric)
    if not len(corpus):
        raise ValueError("there are no segments to score: hypotheses is empty")
    scores = _scores(corpus, float(printed))
    found = _identification(printed, digits, scores)
    if float(printed) > 100.0001 and not found.matches:  # e2e's may be, on text without spaces
        raise ValueError(
            f"{number!r} is not a BLEU score: it is not in 0-100, and no setting has it"
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
        raise ValueError(f"{number!r} is not a number; pass a score as 31.2 or '31.20'") from None
    if not (value >= 0 and isfinite(value)):
        raise ValueError(f"{number!r} is not a BLEU score: it is not in 0-100")
    printed = _without_exponent(printed)
    return printed, len(printed.partition(".")[2])


def _without_exponent(printed: str) -> str:
    return f"{Decimal(printed):f}" if "e" in printed.lower() else printed


def _scores(corpus: Corpus, number: float | None = None) -> list[_Scored]:
    """All settings that give the corpus a score; estimates where it is far from the number."""
    scores: list[_Scored] = []
    slow = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", InputWarning)
        for setting in _settings(corpus):
            if number is not None and setting.is_slow and len(corpus) > 2 * _PARTS * _SEGMENTS:
                slow.append(setting)
            else:
                scores += _scored(setting)
        nearest = sorted(_distance(one, number or 0.0) for one in scores)[:_NEAREST]
        for setting in slow:
            estimate, error = _estimate(setting)
            far = _distance(estimate, number or 0.0, error) > nearest[-1]
            scores += [estimate] if far else _scored(setting)
    return scores


def _scored(setting: _Setting) -> list[_Scored]:
    """The setting and its score; nothing if it has none."""
    try:
        value, tokens = _value(setting)
    except (ValueError, ZeroDivisionError, ImportError):
        return []
    return [_Scored(setting, value, tokens)] if isfinite(value) else []


def _estimate(setting: _Setting) -> tuple[_Scored, float]:
    """A setting with the mean of the scores of some parts of its corpus, and how far this is off.

    The error is infinite if a part has no score.
    """
    corpus, values = setting.corpus, []
    taken = [n * len(corpus) // (_PARTS * _SEGMENTS) for n in range(_PARTS * _SEGMENTS)]
    for part in range(_PARTS):
        segments = taken[part::_PARTS]
        values += _scored(setting._replace(corpus=corpus.part(segments, segments)))
    scores = [one.value for one in values]
    if len(scores) < _PARTS:
        return _Scored(setting, 0.0, 0, True), inf
    error = _ERRORS * stdev(scores) / _PARTS**0.5
    return _Scored(setting, fmean(scores), 0, True), error


def _shown(scored: _Scored, number: float) -> float:
    """The score on 0-1 or 0-100, whichever is closer to the number."""
    own_scale = scored.value / scored.setting.corpus.metric.scorer.dialect.scale
    return min(own_scale, 100 * own_scale, key=lambda one: abs(one - number))


def _distance(scored: _Scored, number: float, error: float = 0.0) -> float:
    """How far a score is from the number, at least; `error` is that of the score."""
    shown = _shown(scored, number)
    of_scale = shown / scored.value if scored.value else 1.0
    return abs(shown - number) - error * of_scale


def _settings(corpus: Corpus) -> Iterator[_Setting]:
    corpora = [("", corpus)]
    for name, rewrite in _REWRITINGS.items() if corpus.is_text else ():
        made = corpus.rewritten(rewrite)
        if (made.hypotheses, made.references) != (corpus.hypotheses, corpus.references):
            corpora.append((name, made))
    several = min(map(len, corpus.references))
    if several > 1:
        corpora += [(f"reference {k} alone", corpus.with_reference(k)) for k in range(several)]
    tokenizers = *_COMPILED, *_installed()
    for name in names():
        yield from _settings_of(name, corpora, tokenizers, _MOST_CHANGES)
    for name, line in LINES.items() if corpus.is_text else ():
        if not line.quadratic or len(corpus) <= _MOST_SQUARED:
            yield from _settings_of(name, corpora[:1], (), 0)


def _settings_of(
    name: str, corpora: list[tuple[str, Corpus]], tokenizers: tuple[str, ...], most: int
) -> Iterator[_Setting]:
    """The settings of a dialect or recipe with at most so many changes."""
    dialect, of_text = get(name), corpora[0][1].is_text
    options: dict[str, list[Any]] = {
        "smoothing": _first(dialect.options["smoothing"], dialect.smoothings),
        "reference_length": [dialect.reference_length],
        "tokenize": [None],
        "max_order": _first(dialect.max_order, [n for n in _SHORTER if n in dialect.orders]),
    }
    if max(map(len, corpora[0][1].references)) > 1:
        options["reference_length"] = _first(dialect.reference_length, dialect.reference_lengths)
    if of_text:
        own = {name: alias for alias, name in (dialect.tokenizers or {}).items()}
        usual = own.get(dialect.tokenizer, dialect.tokenizer)
        options["tokenize"] = _first(usual, dialect.tokenizers or tokenizers)
        options["lowercase"] = _first(dialect.lowercase, dialect.cases)
    means = [False, True] if dialect.supports("sums") else [False]
    if not dialect.supports("statistics"):
        most = 0
    for is_mean, (text, corpus), *values in product(means, corpora, *options.values()):
        changed = {
            option: value
            for (option, choices), value in zip(options.items(), values, strict=True)
            if value != choices[0]
        }
        changes = is_mean + bool(text) + len(changed) + (changed.get("tokenize") in _OF_LIBRARIES)
        if changes > most:
            continue
        if is_mean and "effective_order" in dialect.options:
            changed["effective_order"] = True
        given = {"dialect": name, **changed, **({} if of_text else {"tokenize": None})}
        try:
            metric = BLEU(**given)
        except (ValueError, TypeError, ImportError):
            continue
        if is_mean and isinstance(metric.counter, TokenListCounter):
            continue
        words = [", ".join(f"{option}={value!r}" for option, value in given.items())]
        words += ["mean of sentences"] * is_mean + [text] * bool(text)
        yield _Setting(corpus.scored_by(metric), is_mean, changes, "; ".join(words))


def _installed() -> list[str]:
    """The tokenizers of libraries that can be used here."""
    found = []
    for name in _OF_LIBRARIES:
        try:
            get_tokenizer(name)
        except (ImportError, OSError, RuntimeError):
            continue
        found.append(name)
    return found


def _first(usual: Any, others: Any) -> list[Any]:
    return [usual, *[other for other in others if other != usual]]


def _value(setting: _Setting) -> tuple[float, int]:
    """The score, and the number of tokens of the hypotheses."""
    metric, scorer = setting.corpus.metric, setting.corpus.metric.scorer
    if not scorer.dialect.supports("statistics"):  # a slow one, which shares no rows
        score = setting.corpus.score_of_tokens()
        return score.value, score.hyp_len
    rows = RuleSet.of(setting.corpus).rows()
    totals = scorer.totals_of_rows(rows)
    if setting.is_mean:
        return fsum(scorer.row_scores(rows)) / len(rows), totals.row[0]
    return scorer.value(totals), totals.row[0]


def _identification(printed: str, digits: int, scores: list[_Scored]) -> Identification:
    number = float(printed)
    found: list[tuple[tuple[int, int], int | None, Match]] = []
    near, values = [], []
    for position, scored in enumerate(scores):
        setting, value = scored[:2]
        dialect = setting.corpus.metric.scorer.dialect
        shown = _shown(scored, number)
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
    nearest = [match for *_, match in near[:_NEAREST]]
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
