"""From the columns of a frame to rows of counts, by language and without missing values."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np

from ..counting.stats import Stats
from ..inputs.arguments import check_choice, closest
from ..inputs.columns import is_column
from ..inputs.missing import CHOICES, is_missing
from ..inputs.warnings import warn_input
from ..metric.bleu import BLEU
from .frames import Frame

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ..counting._batch import Counted as Batch
    from ..dialects.parameters import Parameters
    from .frames import Indices

Found = TypeVar("Found")


class Counted(NamedTuple):
    """The counts of a frame's rows, and the other data that a score needs.

    `frame` has the rows that were counted, `numbers` are their positions in the whole table, and
    `nrefs` their numbers of references.
    """

    frame: Frame
    numbers: Indices
    stats: Stats
    nrefs: Indices


class RowCounter:
    """Counts one frame after the other with a metric, or with one for each language.

    `hypothesis` is the name of a column; `references` the names of several, or of one with
    a reference or a list of references per segment. `tokenize` maps values of the column `language`
    to tokenizers, None to that of all others.
    """

    def __init__(
        self,
        hypothesis: str,
        references: str | Sequence[str],
        *,
        metric: BLEU | None = None,
        tokenize: Mapping[Any, Any] | None = None,
        language: str | None = None,
        missing: str = "error",
        threads: int | None = None,
    ) -> None:
        metric = BLEU() if metric is None else metric
        if not isinstance(metric, BLEU):
            raise TypeError(f"metric is a {type(metric).__name__}, expected a fastbleu.BLEU")
        check_choice("missing", missing, CHOICES)
        if (tokenize is None) != (language is None):
            raise ValueError(
                "tokenize and language go together: the tokenizer of each value of a column, as in "
                'language="lang", tokenize={"zh": "zh", None: "13a"}; for one tokenizer pass '
                "metric=fastbleu.BLEU(tokenize=...)"
            )
        if tokenize is not None and not isinstance(tokenize, Mapping):
            given = f"tokenize is a {type(tokenize).__name__}, expected a dict of tokenizers"
            raise TypeError(f"{given}; for one tokenizer pass metric=fastbleu.BLEU(tokenize=...)")
        self.hypothesis = _name("hypothesis", hypothesis)
        self.several = not isinstance(references, str)
        self.references = [_name("references", name) for name in _listed(references)]
        if not self.references:
            raise ValueError("references is empty, expected the name of at least one column")
        self.language = language
        self.missing = missing
        arguments = metric._parameters.as_arguments()
        if threads is not None:
            arguments["threads"] = threads
        self.metric = BLEU(**arguments)
        self._of_languages = {
            value: BLEU(**arguments | {"tokenize": name})
            for value, name in (tokenize or {}).items()
        }
        self._periods: dict[Parameters, int] = {}
        self._left_out, self._first_left_out = 0, 0

    def __reduce__(self) -> tuple[Any, ...]:
        names = self.references if self.several else self.references[0]
        tokenize = {value: its.tokenizer for value, its in self._of_languages.items()} or None
        how = {"metric": self.metric, "tokenize": tokenize, "language": self.language}
        return _restored, (self.hypothesis, names, how | {"missing": self.missing})

    @property
    def columns(self) -> list[str]:
        """The names of the columns that are read."""
        language = [] if self.language is None else [self.language]
        return [self.hypothesis, *self.references, *language]

    def metric_of(self, language: Any) -> BLEU:
        """The metric for the segments of a language."""
        if self.language is None:
            return self.metric
        metrics = self._of_languages
        found = metrics.get(None if is_missing(language) else language, metrics.get(None))
        if found is None:
            known = ", ".join(map(repr, metrics))
            raise ValueError(
                f"column {self.language!r} has {language!r}, for which tokenize has no tokenizer: "
                f"it has those of {known}; add one for None, which is for all others"
            )
        return found

    def texts(self, frame: Frame) -> tuple[Any, Any]:
        """Hypotheses and references as arguments for a metric.

        Columns with the Arrow interface are passed as they are, others as lists.
        """
        columns = self.text_columns(frame)
        if columns is not None:
            return columns
        hypotheses, *references = map(frame.values, (self.hypothesis, *self.references))
        if self.several and not (len(references) == 1 and self._is_text):
            return hypotheses, list(zip(*references, strict=True))
        # pandas may have the references of a segment as an array.
        if np.ndarray in set(map(type, references[0])):
            return hypotheses, [_plain(its) for its in references[0]]
        return hypotheses, references[0]

    def text_columns(self, frame: Frame) -> tuple[Any, Any] | None:
        """Hypotheses and references, if they are columns of text with the Arrow interface."""
        columns = [frame.column(name) for name in (self.hypothesis, *self.references)]
        if not (self._is_text and all(map(is_column, columns))):
            return None
        return columns[0], columns[1] if len(columns) == 2 else columns[1:]

    @property
    def _is_text(self) -> bool:
        return self.metric._parameters.tokenizer is not None

    def present(self, frame: Frame, first: int) -> tuple[Frame, Indices]:
        """The rows in which nothing is missing, and their numbers in the table.

        `first` is the number of the first row. With "empty", missing values are replaced instead.
        """
        numbers = np.arange(first, first + len(frame))
        gaps = {name: self._gaps(frame, name) for name in (self.hypothesis, *self.references)}
        missing = np.any(list(gaps.values()), axis=0)
        if not missing.any():
            return frame, numbers
        row = int(missing.argmax())
        name = next(name for name, its in gaps.items() if its[row])
        if self.missing == "error":
            raise TypeError(
                f'row {first + row}: column {name!r} has no value (null); pass missing="skip" to '
                'leave such rows out or missing="empty" to take an empty text, or fill the column'
            )
        if self.missing == "empty":
            empty: Any = "" if self._is_text else []
            filled = {
                name: [_filled(value, empty) for value in frame.values(name)]
                for name, its in gaps.items()
                if its.any()
            }
            return frame.with_columns(filled), numbers
        if not self._left_out:
            self._first_left_out = first + row
        self._left_out += int(missing.sum())
        kept = np.flatnonzero(~missing)
        return frame[kept], numbers[kept]

    def count(self, frame: Frame, first: int, operation: str) -> Counted:
        """Count a frame whose first row is number `first`; operations are those of dialects."""
        return self._of_present(frame, first, partial(self._count, operation=operation))

    def sentence_scores(self, frame: Frame, first: int) -> tuple[Indices, NDArray[np.float64]]:
        """The numbers of the rows in which nothing is missing, and their scores."""
        return self._of_present(frame, first, self._sentence_scores)

    def _of_present(
        self, frame: Frame, first: int, read: Callable[[Frame, Indices], Found]
    ) -> Found:
        numbers = np.arange(first, first + len(frame))
        try:
            return read(frame, numbers)
        except (TypeError, ValueError):
            # The cause may be a missing value, which is checked only now.
            present, its_numbers = self.present(frame, first)
            if present is frame:
                raise
        return read(present, its_numbers)

    def _count(self, frame: Frame, numbers: Indices, operation: str) -> Counted:
        max_order = self.metric._parameters.max_order
        rows: Any = np.empty((len(frame), 2 + 2 * max_order), np.int64)
        nrefs = np.empty(len(frame), np.int64)
        for metric, its in self._languages(frame):
            if its is None:
                return Counted(frame, numbers, *self._count_all(metric, frame, numbers, operation))
            rows[its], nrefs[its] = self._count_all(metric, frame[its], numbers[its], operation)
        return Counted(frame, numbers, Stats(rows, max_order), nrefs)

    def _count_all(
        self, metric: BLEU, frame: Frame, numbers: Indices, operation: str
    ) -> tuple[Stats, Indices]:
        texts = self.texts(frame)
        with Located(self, numbers):
            counted = metric._parameters.count(*texts, (None, None), metric._options, operation)
        return self.noted(metric, counted, frame, slice(None))

    def noted(
        self, metric: BLEU, counted: Batch, frame: Frame, part: slice
    ) -> tuple[Stats, Indices]:
        """Counts, and numbers of references, of a part of a frame."""
        if counted.tokenized_periods:
            periods = self._periods.get(metric._parameters, 0)
            self._periods[metric._parameters] = periods + counted.tokenized_periods
        if counted.nrefs >= 0:
            return counted.stats, np.full(counted.segments, counted.nrefs, np.int64)
        return counted.stats, frame[part].lengths(self.references[0])

    def _sentence_scores(
        self, frame: Frame, numbers: Indices
    ) -> tuple[Indices, NDArray[np.float64]]:
        scores = np.zeros(len(frame))
        for metric, its in self._languages(frame):
            rows = slice(None) if its is None else its
            part = frame if its is None else frame[its]
            with Located(self, numbers[rows]):
                scores[rows] = metric.sentence_scores(*self.texts(part))
        return numbers, scores

    def _languages(self, frame: Frame) -> Iterator[tuple[BLEU, Indices | None]]:
        """The metric of each language, and its rows; None for all rows."""
        if self.language is None:
            yield self.metric, None
            return
        for (language,), rows in frame.groups([self.language]):
            yield self.metric_of(language), rows

    def warn(self) -> None:
        """Issue the warnings about all frames together."""
        for parameters, periods in self._periods.items():
            parameters.warn_of_tokenized(periods)
        if self._left_out:
            warn_input(
                f"left out {self._left_out} rows, because a value is missing; the first is row "
                f"{self._first_left_out}"
            )

    def _gaps(self, frame: Frame, name: str) -> NDArray[np.bool_]:
        """For each row, whether the column's value, or one in its list, is missing."""
        nulls = frame.nulls(name)
        among = (is_missing(value) or _lacks(value) for value in frame.values(name))
        gaps: NDArray[np.bool_] = nulls | np.fromiter(among, bool, len(frame))
        return gaps


class Located:
    """Makes errors about segments name the row of the table, and the columns."""

    def __init__(self, counter: RowCounter, numbers: Indices) -> None:
        self._counter, self._numbers = counter, numbers

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: Any, error: BaseException | None, trace: object) -> None:
        if not isinstance(error, (TypeError, ValueError)):
            return
        message = re.sub(r"\bsegment (\d+)", self._row, str(error), count=1)
        names = ", ".join(map(repr, self._counter.references))
        columns = f"the hypotheses are column {self._counter.hypothesis!r}, the references {names}"
        kind = TypeError if isinstance(error, TypeError) else ValueError
        raise kind(f"{message} ({columns})") from error

    def _row(self, found: re.Match[str]) -> str:
        number = int(found[1])
        return f"row {self._numbers[number]}" if number < len(self._numbers) else found[0]


def check_columns(columns: Sequence[str], needed: Sequence[str]) -> None:
    """Raise a ValueError that lists the columns if a required one is missing."""
    for name in needed:
        if name not in columns:
            meant = closest(name, columns)
            hint = f"; did you mean {meant!r}?" if meant else "."
            known = ", ".join(map(repr, columns)) or "none"
            raise ValueError(f"the table has no column {name!r}{hint} Its columns: {known}")


def check_new_columns(columns: Sequence[str], new: Sequence[str]) -> None:
    """Raise a ValueError if columns that a result adds exist already."""
    if taken := [name for name in new if name in columns]:
        raise ValueError(
            f"the result has a column {taken[0]!r} of its own, but the table has one, too: rename "
            "that of the table"
        )


def _restored(hypothesis: str, references: Any, how: dict[str, Any]) -> RowCounter:
    return RowCounter(hypothesis, references, **how)


def _name(what: str, name: Any) -> str:
    if not isinstance(name, str):
        given = f"{what} is a {type(name).__name__}"
        raise TypeError(f"{given}, expected the name of a column of the table")
    return name


def _listed(names: str | Sequence[str]) -> list[str]:
    return [names] if isinstance(names, str) else list(names)


def _plain(references: Any) -> Any:
    """The references of a segment, if they are an array, as a list."""
    return references.tolist() if isinstance(references, np.ndarray) else references


def _lacks(value: Any) -> bool:
    """Whether a list has a missing value."""
    return isinstance(value, (list, tuple, np.ndarray)) and any(map(is_missing, value))


def _filled(value: Any, empty: Any) -> Any:
    if isinstance(value, (list, tuple, np.ndarray)):
        return [empty if is_missing(part) else part for part in value]
    return empty if is_missing(value) else value
