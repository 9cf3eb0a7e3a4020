"""Settings of BLEU, and their scores of a corpus."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import product
from math import fsum, inf, isfinite
from statistics import fmean, stdev
from typing import NamedTuple

from ..counting.token_lists import TokenListCounter
from ..dialects.names import get, names
from ..dialects.recipes import LINES
from ..inputs.warnings import without_input_warnings
from ..metric.bleu import BLEU
from ..tokenizers.loaded import get_tokenizer, tokenize
from ..tokenizers.table import TABLE
from .corpus import Corpus
from .path import RuleSet

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# Tokenizers for dialects without their own, and the slow ones of libraries: each of the latter
# counts as two changes.
_COMPILED = ("13a", "none", "intl", "char", "zh")
_OF_LIBRARIES = ("ja-mecab", "ko-mecab", "flores101", "flores200", "spBLEU-1K")
# Common values of max_order besides 4.
_SHORTER = (1, 2, 3)
# How many options of a setting may differ from the defaults of its dialect.
_MOST_CHANGES = 2
# How many of the closest other settings are told.
NEAREST = 5
# Recipes whose time grows with the square of the segments are tried for at most so many.
_MOST_SQUARED = 500
# Of what is slow, so many parts of so many segments tell whether it can be near the
# number: their mean is off by less than so many standard errors.
_PARTS, _SEGMENTS, _ERRORS = 16, 12, 6
# Possible earlier changes of the text.
_REWRITINGS: dict[str, Callable[[str], str]] = {
    "stripped text": str.strip,
    "text already tokenized by 13a": lambda text: " ".join(tokenize(text)),
}


# What scripts score that split a file at its newlines; sums of counts do not change with it.
_EMPTY_PAIR = "one more empty pair at the end"


class Setting(NamedTuple):
    """One way to score a corpus, and by how many choices it differs from its dialect's defaults."""

    corpus: Corpus  # with its metric
    is_mean: bool
    changes: int
    description: str

    @property
    def is_slow(self) -> bool:
        """Whether a library splits the text, or sentences are scored by their tokens."""
        metric = self.corpus.metric
        by_tokens = isinstance(metric.counter, TokenListCounter)
        by_library = metric.tokenizer is not None and bool(TABLE[metric.tokenizer.name].packages)
        return by_library or (by_tokens and metric.scorer.dialect.mean_of_sentences)


class Scored(NamedTuple):
    """A setting, its score on its dialect's scale, and the number of tokens of the hypotheses."""

    setting: Setting
    value: float
    tokens: int
    is_estimate: bool = False  # of a score that is far from the number


@without_input_warnings
def score_settings(corpus: Corpus, number: float | None = None) -> list[Scored]:
    """All settings that give the corpus a score; estimates where it is far from the number."""
    scores: list[Scored] = []
    slow = []
    for setting in _settings(corpus):
        if number is not None and setting.is_slow and len(corpus) > 2 * _PARTS * _SEGMENTS:
            slow.append(setting)
        else:
            scores += _scored(setting)
    nearest = sorted(_distance(one, number or 0.0) for one in scores)[:NEAREST]
    for setting in slow:
        estimate, error = _estimate(setting)
        far = _distance(estimate, number or 0.0, error) > nearest[-1]
        scores += [estimate] if far else _scored(setting)
    return scores


def _scored(setting: Setting) -> list[Scored]:
    """The setting and its score; nothing if it has none."""
    try:
        value, tokens = _value(setting)
    except (ValueError, TypeError, ImportError):  # TypeError: of token ids
        return []
    return [Scored(setting, value, tokens)] if isfinite(value) else []


def _estimate(setting: Setting) -> tuple[Scored, float]:
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
        return Scored(setting, 0.0, 0, True), inf
    error = _ERRORS * stdev(scores) / _PARTS**0.5
    return Scored(setting, fmean(scores), 0, True), error


def shown_score(scored: Scored, number: float) -> float:
    """The score on 0-1 or 0-100, whichever is closer to the number."""
    own_scale = scored.value / scored.setting.corpus.metric.scorer.dialect.scale
    return min(own_scale, 100 * own_scale, key=lambda one: abs(one - number))


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
    tokenizers = *_COMPILED, *_installed()
    for name in names():
        yield from _settings_of(name, corpora, tokenizers, _MOST_CHANGES)
    for name, line in LINES.items() if corpus.is_text else ():
        if not line.is_quadratic or len(corpus) <= _MOST_SQUARED:
            yield from _settings_of(name, corpora[:1], (), 0)


def _settings_of(
    name: str, corpora: list[tuple[str, Corpus]], tokenizers: tuple[str, ...], most: int
) -> Iterator[Setting]:
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
    if name not in LINES and issubclass(dialect.counter, TokenListCounter):
        most = 0
    for is_mean, (text, corpus), *values in product(means, corpora, *options.values()):
        changed = {
            option: value
            for (option, choices), value in zip(options.items(), values, strict=True)
            if value != choices[0]
        }
        changes = is_mean + bool(text) + len(changed) + (changed.get("tokenize") in _OF_LIBRARIES)
        counts_empty = is_mean or dialect.mean_of_sentences or dialect.minimum_total
        if changes > most or (text == _EMPTY_PAIR and not counts_empty):
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
        yield Setting(corpus.scored_by(metric), is_mean, changes, "; ".join(words))


def _installed() -> list[str]:
    """The tokenizers of libraries that can be used here."""
    found = []
    for name in _OF_LIBRARIES:
        with suppress(ImportError, OSError, RuntimeError):
            get_tokenizer(name)
            found.append(name)
    return found


def _first(usual: Any, others: Any) -> list[Any]:
    return [usual, *[other for other in others if other != usual]]


def _value(setting: Setting) -> tuple[float, int]:
    """The score, and the number of tokens of the hypotheses."""
    metric, scorer = setting.corpus.metric, setting.corpus.metric.scorer
    if isinstance(metric.counter, TokenListCounter):  # a slow one, which shares no rows
        score = setting.corpus.score_of_tokens()
        return score.value, score.hyp_len
    rules = RuleSet.of(setting.corpus)
    if rules.references == "all":
        scorer.dialect._check_references(max(map(len, setting.corpus.references)))
    rows = rules.rows()
    sums = scorer.sums_of(rows)
    if setting.is_mean:
        return fsum(scorer.row_scores(rows)) / len(rows), sums.row[0]
    return scorer.value(sums), sums.row[0]
