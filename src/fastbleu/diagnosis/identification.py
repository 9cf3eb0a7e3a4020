"""The settings of BLEU that give a published number."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from itertools import product
from math import fsum, isfinite
from typing import NamedTuple

from ..dialects import get, names
from ..dialects.base import Dialect
from ..dialects.parameters import Parameters
from ..inputs.warnings import InputWarning
from ..metric.bleu import BLEU
from ..rendering.tables import Table, Tables
from ..tokenizers.table import get_tokenizer, tokenize
from .corpus import Corpus, is_text

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
# Settings with the same score that a table shows.
_SHOWN = 5
# Possible earlier changes of the text.
_REWRITINGS: dict[str, Callable[[str], str]] = {
    "stripped text": str.strip,
    "text already tokenized by 13a": lambda text: " ".join(tokenize(text)),
}


class _Setting(NamedTuple):
    """One way to score a corpus, and by how many choices it differs from its dialect's defaults."""

    parameters: Parameters
    corpus: Corpus
    is_mean: bool
    changes: int
    description: str


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

    __slots__ = ("distance", "setting", "signature", "value")

    def __init__(self, setting: str, signature: str, value: float, distance: float) -> None:
        self.setting = setting
        self.signature = signature
        self.value = value
        self.distance = distance

    def to_dict(self) -> dict[str, Any]:
        """The attributes by their names."""
        return {name: getattr(self, name) for name in self.__slots__}

    def __repr__(self) -> str:
        return f"<Match {self.setting}: {self.value}>"


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

    def __init__(
        self,
        number: str,
        matches: list[Match],
        nearest: list[Match],
        tried: int,
        by_chance: float,
    ) -> None:
        self.number = number
        self.matches = matches
        self.nearest = nearest
        self.tried = tried
        self.by_chance = by_chance

    def to_dict(self) -> dict[str, Any]:
        """All attributes as plain values, for JSON."""
        return {
            "number": self.number,
            "matches": [match.to_dict() for match in self.matches],
            "nearest": [match.to_dict() for match in self.nearest],
            "tried": self.tried,
            "by_chance": self.by_chance,
        }

    def _tables(self) -> list[Table]:
        by_value: dict[str, list[Match]] = {}
        for match in self.matches:
            by_value.setdefault(f"{match.value:.10g}", []).append(match)
        rows = []
        for equal in by_value.values():
            rows += [("yes", *_cells(match)) for match in equal[:_SHOWN]]
            if len(equal) > _SHOWN:
                rows.append(("", "", "", f"... and {len(equal) - _SHOWN} more with this score"))
        rows += [("", *_cells(match)) for match in self.nearest]
        notes = [
            f"{self.tried} settings were tried, of which {self.by_chance:.2g} would match a number "
            "by chance."
        ]
        columns = "matches", "score", "off by", "setting"
        return [Table(f"Which BLEU is {self.number}?", columns, rows, notes)]

    def __repr__(self) -> str:
        return f"<Identification of {self.number}: {len(self.matches)} of {self.tried} settings>"


def _cells(match: Match) -> tuple[str, str, str]:
    return f"{match.value:.6g}", f"{match.distance:+.4g}", match.setting


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
    The settings are all dialects with their tokenizers, cases, smoothing methods, reference lengths
    and longest n-grams, of which at most two differ from the dialect's defaults; all references,
    and each alone; means of sentence scores instead of the corpus score; text that is stripped, or
    already tokenized. Dialects that take any tokens are tried with all installed tokenizers, those
    of libraries with no other change.

    Examples
    --------
    >>> hypotheses, references = ["The cat sat on a mat ."], ["The cat sat on the mat ."]
    >>> identify(48.89, hypotheses, references).matches[0].setting
    "dialect='sacrebleu'"
    """
    printed, digits = _read_number(number)
    metric = BLEU() if is_text(hypotheses) else BLEU(None)
    scores = _scores(Corpus.read(hypotheses, references, metric))
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
        value = float(printed)
    except ValueError:
        raise ValueError(f"{number!r} is not a number; pass a score as 31.2 or '31.20'") from None
    if not (value >= 0 and isfinite(value)):
        raise ValueError(f"{number!r} is not a BLEU score: it is not in 0-100")
    if "e" in printed.lower():
        printed = f"{value:.20f}".rstrip("0")
    return printed, len(printed.partition(".")[2])


def _scores(corpus: Corpus) -> list[tuple[_Setting, float]]:
    """All settings that give the corpus a score, and the score, on the scale of its dialect."""
    scores = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", InputWarning)
        for setting in _settings(corpus):
            try:
                value = _value(setting)
            except (ValueError, ZeroDivisionError, ImportError):
                continue
            if isfinite(value):
                scores.append((setting, value))
    return scores


def _settings(corpus: Corpus) -> Iterator[_Setting]:
    """All settings, dialect by dialect."""
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
        yield from _settings_of(name, corpora, tokenizers)


def _settings_of(
    name: str, corpora: list[tuple[str, Corpus]], tokenizers: tuple[str, ...]
) -> Iterator[_Setting]:
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
        own = {its: alias for alias, its in (dialect.tokenizers or {}).items()}
        usual = own.get(dialect.tokenizer, dialect.tokenizer)
        options["tokenize"] = _first(usual, dialect.tokenizers or tokenizers)
        options["lowercase"] = _first(dialect.lowercase, dialect.cases)
    means = [False, *[True] * (not dialect.mean_of_sentences)]
    most = 0 if _counts_itself(dialect) else _MOST_CHANGES
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
            parameters = Parameters(**given)
        except (ValueError, TypeError, ImportError):
            continue
        if is_mean and _counts_itself(parameters.rules):
            continue
        words = [", ".join(f"{option}={value!r}" for option, value in given.items())]
        words += ["mean of sentences"] * is_mean + [text] * bool(text)
        yield _Setting(parameters, corpus, is_mean, changes, "; ".join(words))


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


def _counts_itself(dialect: Dialect) -> bool:
    """Whether a dialect does its own, slow counting instead of sharing rows."""
    return type(dialect)._count is not Dialect._count


def _value(setting: _Setting) -> float:
    """The score, on the scale of its dialect."""
    parameters, corpus = setting.parameters, setting.corpus
    dialect = parameters.rules
    if _counts_itself(dialect):
        return corpus.scored_by(BLEU(**parameters.as_arguments())).score().value
    rows = corpus.rows(
        parameters.tokenizer,
        parameters.lowercase,
        dialect.single_reference,
        dialect._counted_length(parameters.reference_length),
        parameters.max_order,
    )
    adapted = dialect.adapt(rows)
    if setting.is_mean:
        return fsum(dialect._scores(adapted, parameters.options)) / len(adapted)
    if dialect.mean_of_sentences:
        return dialect._mean(adapted, parameters.options)
    return dialect._corpus_score(adapted.sum(), parameters.options)


def _identification(
    printed: str, digits: int, scores: list[tuple[_Setting, float]]
) -> Identification:
    number = float(printed)
    found, near, values = [], [], []
    for position, (setting, value) in enumerate(scores):
        dialect = setting.parameters.rules
        own_scale = value / dialect.scale
        # On 0-1 or 0-100, whichever is closer.
        shown = min(own_scale, 100 * own_scale, key=lambda its: abs(its - number))
        values.append(shown)
        match = Match(setting.description, setting.parameters.signature, shown, shown - number)
        is_its_own = dialect.printed(value) == printed
        if is_its_own or f"{shown:.{digits}f}" == f"{number:.{digits}f}":
            # Among equally common ones, those whose original prints in this form come first.
            rounds, on_its_scale = dialect.printed(value) is not None, shown == value
            form = 0 if is_its_own else 1 if on_its_scale and not rounds else 2
            found.append(((setting.changes, form, position), match))
        else:
            near.append((abs(match.distance), position, match))
    found.sort(key=lambda item: item[0])
    near.sort(key=lambda item: item[:2])
    spread = max(values, default=0.0) - min(values, default=0.0)
    by_chance = min(len(scores), len(scores) * 10**-digits / spread) if spread else 0.0
    matches, nearest = [match for _, match in found], [match for *_, match in near[:_NEAREST]]
    return Identification(printed, matches, nearest, len(scores), by_chance)
