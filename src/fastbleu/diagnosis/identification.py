"""The settings of BLEU that give a published number."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from decimal import Decimal
from itertools import product
from math import fsum, inf, isfinite, sqrt
from statistics import fmean, stdev
from typing import Any, NamedTuple

from ..counting.counter import TokenListCounter
from ..dialects.base import SUMS
from ..dialects.names import get, names
from ..dialects.recipes import LINES
from ..inputs.arguments import shown
from ..inputs.errors import without_input_warnings
from ..metric.bleu import BLEU
from ..plots.tables import Table, Tables
from ..runtime.collection import collection_paused
from ..runtime.terminal import ProgressBar
from ..tokenizers.tokenizer import TABLE, tokenize
from ..tokenizers.tokenizer import get as get_tokenizer
from .corpus import Corpus, is_text, listed_stream
from .path import RuleSet

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..inputs.types import Hypotheses, References
    from ..tokenizers.tokenizer import Tokenizer

# Matches of one dialect that a table lists; of more it tells what they differ in.
_SHOWN = 5
_OR = " or "  # between recipes that give the number with the same tokens, in a match
# Tokenizers for dialects without their own, and the slow ones of libraries: each of the latter
# counts as two changes.
_COMPILED = ("13a", "none", "intl", "char", "zh")
_OF_LIBRARIES = ("ja-mecab", "ko-mecab", "flores101", "flores200", "spBLEU-1K")
# Common values of max_ngram_order besides 4.
_SHORTER = (1, 2, 3)
# How many options of a setting may differ from the defaults of its dialect.
_MOST_CHANGES = 2
# How many of the closest other settings are told.
NEAREST = 5
# Recipes whose time grows with the square of the segments are tried for at most so many.
_MOST_SQUARED = 500
# Of what is slow, so many parts of so many segments tell whether it can be near the number:
# their mean is off by less than so many standard errors.
_PARTS, _SEGMENTS, _ERRORS = 16, 12, 6
# Of slow tokenizers the parts tell how much a score differs from that with one of these, which
# varies less; what is rare and in none of the parts may add so much to it, on 0-1.
_FAST, _UNSEEN = ("13a", "zh"), 0.01
# Possible earlier changes of the text.
_REWRITINGS: dict[str, Callable[[str], str]] = {
    "stripped text": str.strip,
    "text already tokenized by 13a": lambda text: " ".join(tokenize(text)),
}
# What scripts score that split a file at its newlines; sums of counts do not change with it.
_EMPTY_PAIR = "one more empty pair at the end"


class Setting(NamedTuple):
    """One way to score a corpus."""

    corpus: Corpus  # with its metric
    arguments: dict[str, Any]  # the metric's: `dialect`, and those that are not its defaults
    is_mean: bool  # whether the score is the mean of those of sentences
    variant: str  # how the corpus differs from the one that was passed in; "" if it does not
    changes: int  # by how many choices the setting differs from the dialect's defaults

    @property
    def beside_arguments(self) -> list[str]:
        """What differs from `fastbleu.BLEU.score` of the corpus that was passed in."""
        return ["mean of sentences"] * self.is_mean + [self.variant] * bool(self.variant)

    @property
    def description(self) -> str:
        """The setting as text."""
        arguments = [f"{name}={value!r}" for name, value in self.arguments.items()]
        return "; ".join([", ".join(arguments), *self.beside_arguments])

    @property
    def is_slow(self) -> bool:
        """Whether a library splits the text, or sentences are scored by their tokens."""
        metric, dialect = self.corpus.metric, self.corpus.metric._scorer.dialect
        by_library = metric.tokenize and bool(TABLE[metric.tokenize.name].packages)
        return by_library or (dialect.mean_of_sentences and not self.corpus.shares_counts)


class Scored(NamedTuple):
    """A setting, its score on its dialect's scale, and the number of tokens of the hypotheses."""

    setting: Setting
    value: float
    tokens: int
    is_estimate: bool = False  # of a score that is far from the number


class Match:
    """A setting and its score.

    Attributes
    ----------
    setting : str
        The arguments of `fastbleu.BLEU`, and other differences from its `score`; of several
        recipes with the same tokens those of each.
    signature : str
        The metric's signature.
    value : float
        The score, on 0-1 or 0-100, whichever is closer to the number.
    distance : float
        Distance between the number and the value, on that scale.
    """

    def __init__(self, scores: list[Scored], number: float) -> None:
        settings = [scored.setting for scored in scores]
        descriptions = [setting.description for setting in settings]
        self.setting = self._shortened = _OR.join(descriptions)
        if len(descriptions) > 2:
            self._shortened = f"{descriptions[0]}{_OR}{len(descriptions) - 1} more recipes"
        self.signature = settings[0].corpus.metric.signature
        self.value = shown_score(scores[0], number)
        self.distance = self.value - number
        self._dialect = _OR.join([f"dialect={s.arguments['dialect']!r}" for s in settings])
        self._differences = [*settings[0].arguments, *settings[0].beside_arguments][1:]

    def to_dict(self) -> dict[str, Any]:
        """The attributes by their names."""
        return {name: value for name, value in vars(self).items() if not name.startswith("_")}

    def _cells(self) -> tuple[str, str, str]:
        return f"{self.value:.6g}", f"{self.distance:+.4g}", self._shortened

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

    __module__ = "fastbleu"

    number: str
    matches: list[Match]
    nearest: list[Match]
    tried: int
    by_chance: float

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
            "by chance."
        ]
        columns = "matches", "score", "off by", "setting"
        return [Table(f"Which BLEU is {self.number}?", columns, rows, notes)]

    def __repr__(self) -> str:
        return f"<Identification of {self.number}: {len(self.matches)} of {self.tried} settings>"


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
    >>> identify(hypotheses, references, 48.89).matches[0].setting
    "dialect='sacrebleu'"
    """
    printed, digits = _read_number(number)
    hypotheses, references = listed_stream(hypotheses, references)
    metric = BLEU() if is_text(hypotheses) else BLEU(tokenize=False)
    corpus = Corpus.read(hypotheses, references, metric)
    if not len(corpus):
        raise ValueError("there are no segments to score: hypotheses is empty")
    scores = score_settings(corpus, float(printed), digits, progress)
    identification = _identification(printed, digits, scores)
    # Those of e2e may be above 100, on text without spaces.
    if float(printed) > 100.0001 and not identification.matches:
        raise ValueError(
            f"{shown(number)} is not a BLEU score: it is not in 0-100, and no setting has it"
        )
    return identification


def _read_number(number: float | str) -> tuple[str, int]:
    """A number as it was printed, and its digits after the point."""
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
    # The scores that print as the number, by how many choices they take and by `_form`.
    equal: dict[tuple[int, int], list[Scored]] = {}
    others: list[Match] = []
    values = [shown_score(scored, number) for scored in scores]
    for scored, value in zip(scores, values, strict=True):
        if not scored.is_estimate:
            form = _form(scored, value, printed)
            if form == 0 or f"{value:.{digits}f}" == f"{number:.{digits}f}":
                equal.setdefault((scored.setting.changes, form), []).append(scored)
            else:
                others.append(Match([scored], number))
    matches = [match for rank in sorted(equal) for match in _matches(equal[rank], number)]
    others.sort(key=lambda match: abs(match.distance))
    spread = max(values, default=0.0) - min(values, default=0.0)
    by_chance = min(len(scores), len(scores) * 10**-digits / spread) if spread else 0.0
    return Identification(printed, matches, others[:NEAREST], len(scores), by_chance)


def _form(scored: Scored, value: float, printed: str) -> int:
    """0 if the original prints a score as this number, 1 if it prints all digits, otherwise 2.

    `value` is the score on the number's scale.
    """
    rounded = scored.setting.corpus.metric._scorer.dialect.printed(scored.value)
    if printed in (rounded, _without_exponent(repr(scored.value))):
        return 0
    return 1 if rounded is None and value == scored.value else 2


def _matches(scores: list[Scored], number: float) -> list[Match]:
    """Matches of equally common scores: first a dialect, then recipes, then other dialects.

    Many recipes differ in what a corpus may not have, or in digits that are not shown, so those
    that give the number with equally many tokens are one match; the largest come first.
    """
    dialects: list[list[Scored]] = []
    recipes: dict[int, list[Scored]] = {}
    for scored in scores:
        if scored.setting.arguments["dialect"] in LINES:
            recipes.setdefault(scored.tokens, []).append(scored)
        else:
            dialects.append([scored])
    joined = sorted(recipes.values(), key=len, reverse=True)
    groups = [*dialects[:1], *joined, *dialects[1:]]
    return [Match(group, number) for group in groups]


@without_input_warnings
def score_settings(
    corpus: Corpus, number: float | None = None, digits: int = 0, progress: bool = False
) -> list[Scored]:
    """All settings that give the corpus a score.

    Estimates where it neither prints as the number, with so many digits, nor is one of the nearest.
    """
    scores: list[Scored] = []
    slow = []
    samples = number is not None and len(corpus) > 2 * _PARTS * _SEGMENTS
    with collection_paused(), ProgressBar(progress, None, " settings") as bar:
        for setting in _settings(corpus):
            if samples and setting.is_slow and not setting.variant:
                slow.append(setting)
                continue
            scores += _scored(setting)
            bar.update(1)
        number = number or 0.0
        distances = [_distance(scored, number) for scored in scores]
        others = sorted(distance for distance in distances if distance > 0.5 * 10**-digits)
        nearest = others[NEAREST - 1] if len(others) >= NEAREST else inf
        parts = _parts(corpus) if slow else []
        for setting in slow:
            estimate, error = _estimate(setting, parts)
            far = _distance(estimate, number, error) > nearest
            scores += [estimate] if far else _scored(setting)
            bar.update(1)
    return scores


def _scored(setting: Setting) -> list[Scored]:
    """The setting and its score; nothing if it has none."""
    try:
        value, tokens = _value(setting)
    except (ValueError, TypeError, ImportError):  # TypeError: of token ids
        return []
    return [Scored(setting, value, tokens)] if isfinite(value) else []


def _parts(corpus: Corpus) -> list[Corpus]:
    """Some segments in parts of equally many."""
    taken = [n * len(corpus) // (_PARTS * _SEGMENTS) for n in range(_PARTS * _SEGMENTS)]
    return [corpus.part(taken[part::_PARTS], taken[part::_PARTS]) for part in range(_PARTS)]


def _estimate(setting: Setting, parts: list[Corpus]) -> tuple[Scored, float]:
    """A setting with an estimate of its score from parts of the corpus, and how far this is off.

    The error is infinite if a part has no score.
    """
    metric = setting.corpus.metric
    settings = [setting._replace(corpus=part.scored_by(metric)) for part in parts]
    values = [scored.value for of_part in settings for scored in _scored(of_part)]
    if len(values) < _PARTS:
        return Scored(setting, 0.0, 0, True), inf
    estimates = [(fmean(values), _error(values))]
    for name in _FAST if setting.corpus.shares_counts else ():
        tokenizer = get_tokenizer(name)
        with suppress(ValueError):
            differences = [
                value - _value(of_part, tokenizer)[0]
                for value, of_part in zip(values, settings, strict=True)
            ]
            value = _value(setting, tokenizer)[0] + fmean(differences)
            unseen = _UNSEEN * metric._scorer.dialect.scale
            estimates.append((value, _error(differences) + unseen))
    value, error = min(estimates, key=lambda estimate: estimate[1])
    return Scored(setting, value, 0, True), error


def _error(values: list[float]) -> float:
    """How far the mean of what parts have is off, at most."""
    return _ERRORS * stdev(values) / sqrt(_PARTS)


def shown_score(scored: Scored, number: float) -> float:
    """The score on 0-1 or 0-100, whichever is closer to the number."""
    own_scale = scored.value / scored.setting.corpus.metric._scorer.dialect.scale
    return min(own_scale, 100 * own_scale, key=lambda value: abs(value - number))


def _distance(scored: Scored, number: float, error: float = 0.0) -> float:
    """How far a score is from the number, at least; `error` is that of the score."""
    shown = shown_score(scored, number)
    of_scale = shown / scored.value if scored.value else 1.0
    return abs(shown - number) - error * of_scale


def _settings(corpus: Corpus) -> Iterator[Setting]:
    corpora = [("", corpus)]
    for name, rewrite in _REWRITINGS.items() if corpus.is_text else ():
        made = corpus.rewritten(rewrite)
        if (made.hypotheses, made.references) != (corpus.hypotheses, corpus.references):
            corpora.append((name, made))
    if corpus.is_text:
        empty = [""] * len(corpus.references[-1])
        corpora.append((_EMPTY_PAIR, corpus.with_segment("", empty)))
    several = min(map(len, corpus.references))
    if several > 1:
        corpora += [(f"reference {k} alone", corpus.with_reference(k)) for k in range(several)]
    for name in names():
        yield from _settings_of(name, corpora, _MOST_CHANGES)
    for name, line in LINES.items() if corpus.is_text else ():
        if not line.is_quadratic or len(corpus) <= _MOST_SQUARED:
            yield from _settings_of(name, corpora[:1], 0)


def _settings_of(name: str, corpora: list[tuple[str, Corpus]], most: int) -> Iterator[Setting]:
    """The settings of a dialect or recipe with at most so many changes."""
    dialect, of_text = get(name), corpora[0][1].is_text
    options: dict[str, list[Any]] = {
        "smooth_method": _first(dialect.options["smooth_method"], dialect.smoothings),
        "reference_length": [dialect.reference_length],
        "tokenize": [None],
        "max_ngram_order": _first(
            dialect.max_ngram_order, [n for n in _SHORTER if n in dialect.orders]
        ),
    }
    if max(map(len, corpora[0][1].references)) > 1:
        options["reference_length"] = _first(dialect.reference_length, dialect.reference_lengths)
    if of_text:
        own = {name: alias for alias, name in (dialect.tokenizers or {}).items()}
        usual = own.get(dialect.tokenizer, dialect.tokenizer)
        options["tokenize"] = _first(usual, dialect.tokenizers or (*_COMPILED, *_OF_LIBRARIES))
        options["lowercase"] = _first(dialect.lowercase, dialect.cases)
    means = [False, True] if dialect.supports(SUMS) else [False]
    if name not in LINES and issubclass(dialect.counter, TokenListCounter):
        most = 0
    for is_mean, (variant, corpus), *values in product(means, corpora, *options.values()):
        changed = {
            option: value
            for (option, choices), value in zip(options.items(), values, strict=True)
            if value != choices[0]
        }
        by_library = changed.get("tokenize") in _OF_LIBRARIES
        changes = is_mean + bool(variant) + len(changed) + by_library
        counts_empty = is_mean or dialect.mean_of_sentences or dialect.minimum_total
        if changes > most or (variant == _EMPTY_PAIR and not counts_empty):
            continue
        if is_mean and "effective_order" in dialect.options:
            changed["effective_order"] = True
        arguments: dict[str, Any] = {"dialect": name, **changed}
        if not of_text:
            arguments["tokenize"] = False
        try:
            metric = BLEU(**arguments)
        except (ValueError, TypeError, ImportError, OSError, RuntimeError):  # not installed
            continue
        setting = Setting(corpus.scored_by(metric), arguments, is_mean, variant, changes)
        if setting.corpus.shares_counts or not is_mean:
            yield setting


def _first(usual: Any, others: Any) -> list[Any]:
    return [usual, *[other for other in others if other != usual]]


def _value(setting: Setting, tokenizer: Tokenizer | None = None) -> tuple[float, int]:
    """The score, and the number of tokens of the hypotheses; with another tokenizer if given."""
    scorer = setting.corpus.metric._scorer
    if not setting.corpus.shares_counts:
        score = setting.corpus.score_of_tokens()
        return score.value, score.hyp_len
    rules = RuleSet.of(setting.corpus)
    if tokenizer is not None:
        rules = replace(rules, tokenizer=tokenizer)
    if rules.references == "all":
        scorer.dialect._check_references(max(map(len, setting.corpus.references)))
    rows = rules.rows()
    sums = scorer.sums_of(rows)
    if setting.is_mean:
        return fsum(scorer.row_scores(rows)) / len(rows), sums.row[0]
    return scorer.value(sums), sums.row[0]
