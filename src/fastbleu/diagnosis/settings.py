"""The settings of BLEU with which a corpus can be scored, and their scores."""

from __future__ import annotations

from bisect import insort
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import product
from math import fsum, inf, isfinite, isnan, nan, sqrt
from operator import ne
from statistics import fmean
from typing import Any, NamedTuple

import numpy

from ..core.counting._counted import Counted
from ..core.inputs.errors import without_input_warnings
from ..core.metric.bleu import BLEU
from ..core.runtime.import_lock import import_locked
from ..core.runtime.terminal import ProgressBar
from ..core.scoring.base import SUMS
from ..core.scoring.names import get, names
from ..core.scoring.nltk import NLTK
from ..core.scoring.sacrebleu import SACREBLEU
from ..core.tokenizers.tokenizer import tokenize
from ..originals.counters import TokenListCounter
from ..originals.recipes import LINES
from .corpus import Corpus

TYPE_CHECKING = False
if TYPE_CHECKING:
    from numpy.typing import NDArray

# Tokenizers for dialects without their own: compiled ones, and slow ones of libraries, each of
# which counts as two changes.
_COMPILED = ("13a", "none", "intl", "char", "zh")
_OF_LIBRARIES = ("ja-mecab", "ko-mecab", "flores101", "flores200", "spBLEU-1K")
_COMPILED_ARITHMETIC = NLTK, SACREBLEU
# Common values of max_ngram_order besides 4.
_SHORTER = (1, 2, 3)
# How many options of a setting may differ from the defaults of its dialect.
_MOST_CHANGES = 2
# How many of the closest other settings are reported.
NEAREST = 5
# Recipes that take quadratic time are tried on at most this many segments.
_MOST_SQUARED = 500
# On a large corpus, slow settings are scored in full only if a sample (this many parts, this many
# segments each) does not exclude them. The sample shows how much a score differs from that of a
# similar fast setting: the mean difference of the parts is assumed to be off by less than this many
# standard errors, plus this amount (on 0-1) for rare cases that are in no part.
_PARTS, _SEGMENTS, _ERRORS, _UNSEEN = 16, 12, 6, 0.01
_PERFECT = 1.0001  # above any score on 0-1, even with rounding errors
_SAMPLED = 3 * _PARTS * _SEGMENTS  # with fewer segments, samples are not faster
# Raised by settings that cannot score a corpus; TypeError: by those that take no token ids.
_NO_SCORE = (ValueError, TypeError, ImportError)

# As in scripts that split files at newlines; it does not change sums of counts.
_EMPTY_PAIR = "one more empty pair at the end"


class Setting(NamedTuple):
    """One way to score a corpus."""

    corpus: Corpus  # with its metric
    arguments: dict[str, Any]  # of the metric: `dialect`, and those that are not its defaults
    is_mean: bool  # whether the score is the mean of the sentences' scores
    variant: str  # how the corpus differs from the one that was passed in; "" if it does not
    changes: int  # how many choices differ from the dialect's defaults

    @property
    def beside_arguments(self) -> list[str]:
        """Other differences from `fastbleu.BLEU.score` of the corpus that was passed in."""
        return ["mean of sentences"] * self.is_mean + [self.variant] * bool(self.variant)

    @property
    def description(self) -> str:
        """The setting as text."""
        arguments = [f"{name}={value!r}" for name, value in self.arguments.items()]
        return "; ".join([", ".join(arguments), *self.beside_arguments])

    @property
    def scale(self) -> float:
        """The score of a perfect corpus."""
        return self.corpus.scorer.scale

    @property
    def is_slow(self) -> bool:
        """Whether texts are split or rewritten, tokens read, or sentences scored in Python."""
        corpus, dialect = self.corpus, self.corpus.scorer.dialect
        tokenizer = corpus.counter.tokenizer
        if not corpus.shares_counts or (tokenizer is not None and tokenizer.compiled is None):
            return True
        of_sentences = self.is_mean or dialect.aggregation == "mean"
        return of_sentences and dialect.arithmetic not in _COMPILED_ARITHMETIC

    @property
    def is_control(self) -> bool:
        """Whether slow settings are compared with this one, if it is fast."""
        return not self.variant and self.corpus.scorer.dialect in _COMPILED_ARITHMETIC


class Scored(NamedTuple):
    """A setting, its score on its dialect's scale, and the number of tokens of the hypotheses."""

    setting: Setting
    value: float
    tokens: int
    is_estimate: bool = False  # only estimated, because it is far from the number

    def shown(self, number: float) -> float:
        """The score on 0-1 or 0-100, whichever is closer to the number."""
        own_scale = self.value / self.setting.scale
        return min(own_scale, 100 * own_scale, key=lambda value: abs(value - number))


@without_input_warnings
def score_settings(
    corpus: Corpus, number: float | None = None, digits: int = 0, progress: bool = False
) -> list[Scored]:
    """Score all settings that can score the corpus.

    With `number`, slow settings whose score neither prints as it, with `digits` decimals, nor is
    one of the nearest may have only an estimate.
    """
    slow: dict[int, Setting] = {}
    scores: dict[int, Scored | None] = {}
    with ProgressBar(progress, None, " settings", desc="trying", leave=False) as bar:
        variants = _variants(corpus)
        for place, setting in enumerate(_settings(variants)):
            if number is not None and len(corpus) >= _SAMPLED and setting.is_slow:
                slow[place] = setting
            else:
                scores[place] = _scored(setting)
                bar.update(1)
        if slow and number is not None:
            sample = _Sample(variants, scores.values())
            half_digit = 0.5 * 10**-digits
            # The distances of scores that do not print as the number.
            distances = [abs(scored.shown(number) - number) for scored in scores.values() if scored]
            others = sorted(distance for distance in distances if distance > half_digit)
            bounds = {place: sample.least_distance(slow[place], number) for place in slow}
            for place in sorted(slow, key=lambda place: bounds[place][0]):
                least, scores[place] = bounds[place]
                if least <= (others[NEAREST - 1] if len(others) >= NEAREST else inf):
                    scores[place] = scored = _scored(slow[place])
                    distance = abs(scored.shown(number) - number) if scored else 0.0
                    if distance > half_digit:
                        insort(others, distance)
                bar.update(1)
    return [scored for _, scored in sorted(scores.items()) if scored]


def _scored(setting: Setting) -> Scored | None:
    """The setting and its score; None if it has none."""
    try:
        value, tokens = _value(setting, setting.corpus.counted())
    except _NO_SCORE:
        return None
    return Scored(setting, value, tokens) if isfinite(value) else None


def _value(setting: Setting, counted: Counted) -> tuple[float, int]:
    """The score of counts, and the number of tokens of the hypotheses."""
    scorer = setting.corpus.scorer
    sums = scorer.sums(counted)
    if setting.is_mean:
        return fsum(scorer.row_scores(counted.stats)) / counted.segments, sums.row[0]
    return scorer.value(sums), sums.row[0]


class _Sample:
    """Parts of a corpus, whose scores bound a setting's distance from a number from below."""

    def __init__(self, variants: dict[str, Corpus], scores: Iterable[Scored | None]) -> None:
        corpus = variants[""]
        taken = [n * len(corpus) // (_PARTS * _SEGMENTS) for n in range(_PARTS * _SEGMENTS)]
        taken = [n for part in range(_PARTS) for n in taken[part::_PARTS]]
        # The shortest texts or the pair at the end may decide whether there is a score.
        hypothesis_lengths = [*map(_length, corpus.hypotheses)]
        reference_lengths = [min(map(_length, texts)) for texts in corpus.references]
        taken += [lens.index(min(lens)) for lens in (hypothesis_lengths, reference_lengths)]
        self._corpora = {}
        for name, variant in variants.items():
            self._corpora[name] = variant.part([*taken, len(variant) - 1])
        # Fast settings with which slow ones are compared: their scores, and those of the parts.
        alike = [scored for scored in scores if scored and scored.setting.is_control]
        self._controls = numpy.array([scored.value / scored.setting.scale for scored in alike])
        self._of_parts = numpy.array([self._scores(scored.setting) for scored in alike])

    def _scores(self, setting: Setting) -> NDArray[numpy.float64]:
        """The score of each part, then that of the sample, on 0-1; all NaN if one has none."""
        sample = self._corpora[setting.variant].scored_by(setting.corpus.metric)
        starts = range(0, _PARTS * _SEGMENTS, _SEGMENTS)
        slices = [*(slice(n, n + _SEGMENTS) for n in starts[:-1]), slice(starts[-1], None)]
        try:
            counted = sample.counted()
            if setting.is_mean:
                scorer = setting.corpus.scorer
                adapted = scorer.adapted(counted.stats, counted.nrefs)
                of_rows = scorer.of_sentences.scores_of_sums(adapted)
                scores = [fmean(of_rows[part]) for part in slices]
                scores.append(fmean(scores))
            else:
                scores = [_value(setting, _part(counted, part))[0] for part in slices]
                scores.append(_value(setting, counted)[0])
        except _NO_SCORE:
            scores = [nan] * (_PARTS + 1)
        return numpy.array(scores) / setting.scale

    def least_distance(self, setting: Setting, number: float) -> tuple[float, Scored | None]:
        """A lower bound of the score's distance from a number, and an estimate of the score.

        The estimate is None if there is no score, because a sentence has none.
        """
        scores = self._scores(setting)
        if setting.is_mean and isnan(scores[-1]):
            return inf, None
        if not scores.max() < _PERFECT:  # NaN, or not on 0-1
            return -inf, Scored(setting, 0.0, 0, True)
        differences = scores - self._of_parts
        parts, sample = differences[:, :-1], differences[:, -1]
        errors = _ERRORS * parts.std(1, ddof=1) / sqrt(_PARTS)
        # Scores of few segments may be systematically higher or lower than those of many.
        errors += abs(sample - parts.mean(1))
        control = numpy.nanargmin(errors)
        value, error = self._controls[control] + sample[control], errors[control] + _UNSEEN
        least = min(abs(scale * value - number) - scale * error for scale in (1, 100))
        return float(least), Scored(setting, float(value) * setting.scale, 0, True)


def _length(text: Any) -> tuple[int, int]:
    """Sort key: the number of tokens, then, of a text, of characters."""
    return len(text.split() if isinstance(text, str) else text), len(text)


def _part(counted: Counted, segments: slice) -> Counted:
    """The counts of some segments."""
    part = Counted(0, counted.max_order)
    part.stats, part.nrefs = counted.stats[segments], counted.nrefs
    part.segments = len(part.stats)
    part.extra = None if counted.extra is None else counted.extra[segments]
    return part


def moses_tokenizer() -> Callable[[str], str] | None:
    """Moses' tokenizer for English, of sacremoses; None if that is not installed."""
    try:
        moses = import_locked("sacremoses").MosesTokenizer("en")
    except ImportError:
        return None
    return partial(moses.tokenize, return_str=True, escape=False)


def _variants(corpus: Corpus) -> dict[str, Corpus]:
    """The corpus, and other forms in which it may have been scored."""
    variants = {"": corpus}
    if corpus.counter.is_text:
        rewritings: dict[str, Callable[[str], str] | None] = {
            "stripped text": str.strip,
            "text already tokenized by 13a": lambda text: " ".join(tokenize(text)),
            "text already tokenized by Moses' tokenizer": moses_tokenizer(),
        }
        for name, rewrite in rewritings.items():
            made = corpus.rewritten(rewrite) if rewrite else corpus
            if (made.hypotheses, made.references) != (corpus.hypotheses, corpus.references):
                variants[name] = made
        empty = [""] * len(corpus.references[-1])
        variants[_EMPTY_PAIR] = corpus.with_segments(
            [*corpus.hypotheses, ""], [*corpus.references, empty]
        )
    several = min(map(len, corpus.references))
    for k in range(several) if several > 1 else ():
        alone = [texts[k : k + 1] for texts in corpus.references]
        variants[f"reference {k} alone"] = corpus.with_segments(corpus.hypotheses, alone)
    return variants


def _settings(variants: dict[str, Corpus]) -> Iterator[Setting]:
    corpus = variants[""]
    for name in names():
        yield from _settings_of(name, variants, _MOST_CHANGES)
    for name, line in LINES.items() if corpus.counter.is_text else ():
        if not line.is_quadratic or len(corpus) <= _MOST_SQUARED:
            yield from _settings_of(name, {"": corpus}, 0)


def _settings_of(name: str, variants: dict[str, Corpus], most: int) -> Iterator[Setting]:
    """The settings of a dialect or recipe with at most `most` changes."""
    dialect, corpus = get(name), variants[""]
    options: dict[str, list[Any]] = {
        "smooth_method": _first(dialect.options["smooth_method"], dialect.smoothings),
        "reference_length": [dialect.reference_lengths[0]],
        "tokenize": [None],
        "max_ngram_order": _first(
            dialect.max_ngram_order, [n for n in _SHORTER if n in dialect.orders]
        ),
    }
    if max(map(len, corpus.references)) > 1:
        options["reference_length"] = [*dialect.reference_lengths]
    if corpus.counter.is_text:
        own = {name: alias for alias, name in (dialect.tokenizers or {}).items()}
        usual = own.get(dialect.tokenizer, dialect.tokenizer)
        options["tokenize"] = _first(usual, dialect.tokenizers or (*_COMPILED, *_OF_LIBRARIES))
        options["lowercase"] = [*dialect.cases]
    means = [False, True] if SUMS in dialect.features else [False]
    if name not in LINES and issubclass(dialect.counter, TokenListCounter):
        most = 0
    defaults = [choices[0] for choices in options.values()]
    for is_mean, variant, *values in product(means, variants, *options.values()):
        changes = is_mean + bool(variant) + sum(map(ne, values, defaults))
        changes += any(map(_OF_LIBRARIES.__contains__, values))
        counts_empty = is_mean or dialect.aggregation == "mean" or dialect.minimum_total
        if changes > most or (variant == _EMPTY_PAIR and not counts_empty):
            continue
        triples = zip(options, values, defaults, strict=True)
        changed = {option: value for option, value, default in triples if value != default}
        if is_mean and "effective_order" in dialect.options:
            changed["effective_order"] = True
        arguments: dict[str, Any] = {"dialect": name, **changed}
        if not corpus.counter.is_text:
            arguments["tokenize"] = False
        try:
            metric = BLEU(**arguments)
        except (ValueError, TypeError, ImportError, OSError, RuntimeError):  # not installed
            continue
        setting = Setting(variants[variant].scored_by(metric), arguments, is_mean, variant, changes)
        if setting.corpus.shares_counts or not is_mean:
            yield setting


def _first(usual: Any, others: Any) -> list[Any]:
    return [usual, *[other for other in others if other != usual]]
