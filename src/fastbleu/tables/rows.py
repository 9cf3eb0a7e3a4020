"""Count the columns of a frame, by language and without rows that have missing values."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from ..core.counting._counted import Counted
from ..core.inputs._batch import Batch
from ..core.inputs.arguments import a_type, check_choice, closest, names_shown, number_of, shown
from ..core.inputs.columns import is_column
from ..core.inputs.errors import AmongGiven, InputError, restated, warn_input
from ..core.inputs.missing import CHOICES, is_missing
from ..core.metric.argument import as_metric, counter_of, scorer_of
from ..core.metric.bleu import BLEU
from ..core.scoring.base import UPDATE
from ..files.formats import no_value
from .frames import group_rows, has_no_type, load_narwhals, take

if TYPE_CHECKING:
    from narwhals import DataFrame as Frame
    from numpy.typing import NDArray

    from ..core.counting._counted import Sums
    from ..core.counting.stats import AdaptedRows
    from ..core.inputs.types import MissingChoice
    from ..core.metric.argument import Metric
    from ..core.scoring.scorer import Scorer
    from .frames import Indices

    Rows = slice | Indices

T = TypeVar("T")

# The column with a row's file, which engines add on request.
PATH = "path"


def check_languages(language: object, tokenizers: object) -> None:
    """Raise an error unless there are both a column of languages and a dict of their tokenizers."""
    if (tokenizers is None) != (language is None):
        raise ValueError(
            "tokenizers and language go together: the tokenizer for each value of a column, as "
            'in language="lang", tokenizers={"zh": "zh", None: "13a"}; for one tokenizer pass '
            "metric=fastbleu.BLEU(tokenize=...)"
        )
    if tokenizers is not None and not isinstance(tokenizers, Mapping):
        problem = f"tokenizers is {a_type(tokenizers)}, expected a dict"
        raise TypeError(f"{problem}; for one tokenizer pass metric=fastbleu.BLEU(tokenize=...)")


def entry_of(language: Hashable, entries: Mapping[Any, T], column: str) -> T:
    """The entry for a language, which is the value of a column, or that for all others."""
    for key in (None if is_missing(language) else language, None):
        if key in entries:
            return entries[key]
    known = ", ".join(map(repr, entries))
    raise InputError(
        f"column {shown(column)} has {shown(language)}, for which tokenizers has no "
        f"entry: it has {known}; add one for None, which stands for all others"
    )


class RowCounter:
    """Counts frames one by one with a metric's `Counter`, or with one for each language.

    `hypotheses` is the name of a column; `references` the names of several, or of one with
    a reference or a list of references per segment. `tokenizers` maps values of the column
    `language` to tokenizers; None stands for all others.
    """

    def __init__(
        self,
        hypotheses: str,
        references: str | Sequence[str],
        metric: Metric | None = None,
        language: str | None = None,
        tokenizers: Mapping[Any, Any] | None = None,
        missing: MissingChoice = "error",
    ) -> None:
        # A copy of the user's metric without its sums, because it is sent to workers.
        is_shared = isinstance(metric, BLEU)
        metric = as_metric(metric)
        self.metric = BLEU(**metric.get_params()) if is_shared else metric
        check_choice("missing", missing, CHOICES)
        check_languages(language, tokenizers)
        self.hypotheses = _name("hypotheses", hypotheses)
        self.several = not isinstance(references, str)
        names = references if self.several else [references]
        self.references = [_name("references", name) for name in names]
        if not self.references:
            raise ValueError("references is empty, expected the name of at least one column")
        self.language = language
        self.missing = missing
        # The columns of hypotheses and references, and all columns that are read.
        self.texts = [self.hypotheses, *self.references]
        self.columns = self.texts if language is None else [*self.texts, language]
        self._language_metrics: dict[Any, BLEU] = {}
        if tokenizers is not None:
            arguments = self.metric.get_params()
            for value, tokenizer in tokenizers.items():
                self._language_metrics[value] = BLEU(**arguments | {"tokenize": tokenizer})
        self._noted: dict[Scorer, Counted] = {}  # for warnings
        self._left_out, self._first_left_out = 0, 0
        # The name of a row of the table, from 0, in messages; and its file.
        self.at: Callable[[int], tuple[str, str | None]] = lambda row: (f"row {row}", None)

    def __reduce__(self) -> tuple[Any, ...]:
        tokenizers = {value: metric.tokenize for value, metric in self._language_metrics.items()}
        references = self.references if self.several else self.references[0]
        options = self.metric, self.language, tokenizers or None, self.missing
        return RowCounter, (self.hypotheses, references, *options)

    @property
    def in_place(self) -> Sequence[str]:
        """The columns that are read without their library, whose content is checked then."""
        is_text, scorer = counter_of(self.metric).is_text, scorer_of(self.metric)
        needs_library = self.language is not None or not scorer.supports(UPDATE)
        return () if needs_library or (self.several and not is_text) else self.texts

    def metric_of(self, language: Hashable) -> BLEU:
        """The metric for the segments of a language."""
        if self.language is None:
            return self.metric
        return entry_of(language, self._language_metrics, self.language)

    def texts_of(self, frame: Frame) -> tuple[Any, Any]:
        """Hypotheses and references as arguments for a metric.

        Columns with the Arrow interface are passed as they are, others as lists.
        """
        is_text = counter_of(self.metric).is_text
        columns = [frame[name].to_native() for name in self.texts]
        in_place = (is_text or not self.several) and all(map(is_column, columns))
        if in_place and not any(map(partial(has_no_type, frame), self.texts)):
            return columns[0], columns[1] if len(columns) == 2 else columns[1:]
        hypotheses, *references = [frame[name].to_list() for name in self.texts]
        if self.several and not (len(references) == 1 and is_text):
            return hypotheses, list(zip(*references, strict=True))
        # pandas may have the references of a segment as an array.
        if np.ndarray in set(map(type, references[0])):
            arrays = references[0]
            return hypotheses, [r.tolist() if isinstance(r, np.ndarray) else r for r in arrays]
        return hypotheses, references[0]

    def counts(
        self, frame: Frame, first: int, most: int = 0
    ) -> Iterator[tuple[Rows, int | Indices, Counted]]:
        """Count a frame, in parts of at most `most` rows if given.

        Yields the positions of counted rows in the frame, the number of references of all or each
        of them, and their counts. `first` is the number of the frame's first row in the table.
        """
        for metric, rows, part, numbers in self._languages(frame, first):
            with errors_naming_rows(self, numbers, part):
                batch = counter_of(metric).read(*self.texts_of(part), missing=self.missing)
                for kept, nrefs, counted in counted_parts(metric, batch, most):
                    self._note(metric, counted)
                    yield kept if rows is None else rows[kept], nrefs, counted
                self._note_missing(batch, numbers)

    def _note(self, metric: BLEU, counted: Counted) -> None:
        """Remember what `warn` must report."""
        noted = self._noted.setdefault(scorer_of(metric), Counted(0, metric.max_ngram_order))
        noted.segments += counted.segments
        noted.signs.add(counted.signs)

    def all_counts(self, frame: Frame, first: int) -> tuple[NDArray[Any], NDArray[Any]]:
        """Whether each row is complete, and the counts of complete rows by column."""
        counts = np.zeros((2 + 2 * self.metric.max_ngram_order, len(frame)), np.int64)
        present = np.zeros(len(frame), bool)
        for rows, _, counted in self.counts(frame, first):
            present[rows] = True
            counts[:, rows] = np.asarray(counted.stats).T
        return present, counts

    def sentence_scores(self, frame: Frame, first: int) -> tuple[NDArray[Any], NDArray[Any]]:
        """Whether each row is complete, and the scores of complete rows."""
        scores, present = np.zeros(len(frame)), np.zeros(len(frame), bool)
        for metric, rows, part, numbers in self._languages(frame, first):
            with errors_naming_rows(self, numbers, part):
                kept, counted = self._count(metric, part, numbers)
                kept = kept if rows is None else rows[kept]
                present[kept] = True
                with AmongGiven(counted.present):
                    scores[kept] = scorer_of(metric).sentence_scores(counted)
        return present, scores

    def sums(self, metric: BLEU, frame: Frame, rows: Indices) -> tuple[Indices, Sums, AdaptedRows]:
        """The complete rows of a frame, their sums, and the adapted rows."""
        part = take(frame, rows)
        with errors_naming_rows(self, rows, part):
            kept, counted = self._count(metric, part, rows)
            scorer = scorer_of(metric)
            return rows[kept], scorer.sums(counted), scorer.adapted(counted.stats)

    def _count(
        self, metric: BLEU, frame: Frame, numbers: Sequence[int] | Indices
    ) -> tuple[Rows, Counted]:
        """The positions of complete rows, and their counts."""
        batch = counter_of(metric).read(*self.texts_of(frame), missing=self.missing)
        counted = counter_of(metric).count(batch)
        counted.present = batch.present
        self._note_missing(batch, numbers)
        kept = slice(None) if batch.present is None else np.flatnonzero(batch.present)
        return kept, counted

    def _note_missing(self, batch: Batch, numbers: Sequence[int] | Indices) -> None:
        """Remember which rows of a counted batch were left out."""
        if batch.present is not None and not all(batch.present):
            first = int(numbers[batch.present.index(False)])
            self._first_left_out = min(first, self._first_left_out) if self._left_out else first
            self._left_out += batch.present.count(False)

    def _languages(
        self, frame: Frame, first: int
    ) -> Iterator[tuple[BLEU, Indices | None, Frame, Sequence[int] | Indices]]:
        """The metric of each language, its rows (None: all), their frame, and their numbers."""
        if self.language is None:
            yield self.metric, None, frame, range(first, first + len(frame))
            return
        rows, starts = group_rows(frame, [self.language])
        languages = take(frame.select(self.language), rows[starts])[self.language].to_list()
        for language, own in zip(languages, np.split(rows, starts)[1:], strict=True):
            yield self.metric_of(language), own, take(frame, own), first + own

    def no_rows(self) -> ValueError:
        """The error for a table without counted rows."""
        problem = self._note_of_missing() if self._left_out else "the table has no rows"
        return InputError(f"there are no segments to score: {problem}")

    def warn(self) -> None:
        """Issue the warnings about all frames together."""
        for scorer, noted in self._noted.items():
            if self.missing == "empty":  # blank references were requested
                noted.signs.blank_references = 0
            scorer.warn_of_texts(noted)
        if self._left_out:
            warn_input(self._note_of_missing())

    def _note_of_missing(self) -> str:
        (first, _), rows = self.at(self._first_left_out), number_of(self._left_out, "row")
        return f"left out {rows}, because a value is missing; the first is {first}"


def counted_parts(
    metric: BLEU, batch: Batch, most: int = 0
) -> Iterator[tuple[Rows, int | Indices, Counted]]:
    """Count a batch, in parts of at most `most` rows if given.

    Yields the complete rows of a part, as a slice if these are all, which is several times faster;
    the number of references of all or each of them; and their counts.
    """
    done = 0
    for block in batch.blocks(metric.threads, most):
        counted = counter_of(metric).count(block)
        scorer_of(metric).check_references(counted.nrefs)
        size = counted.segments if block.present is None else len(block.present)
        rows: Rows = slice(done, done + size)
        if block.present is not None:
            rows = done + np.flatnonzero(block.present)
        done += size
        nrefs: int | Indices = counted.nrefs
        if counted.nrefs < 0:  # the numbers differ
            nrefs = np.asarray(counted.reference_counts)
        yield rows, nrefs, counted


@contextmanager
def errors_naming_rows(
    row_counter: RowCounter, numbers: Sequence[int] | Indices, frame: Frame
) -> Iterator[None]:
    """Make errors about segments name the row in the table, its path if any, and the columns."""
    try:
        yield
    except (TypeError, ValueError) as error:
        message, place = str(error), dict[str, Any]()
        segment = error.segment if isinstance(error, InputError) else None
        # The error may be about another corpus, which a user's tokenizer has counted.
        if isinstance(error, InputError) and segment is not None and segment < len(numbers):
            number = int(numbers[segment])
            row, file = row_counter.at(number)
            if PATH in frame.columns:
                file = frame[PATH].to_list()[segment]
                row += f" ({PATH} {file!r})"  # whole: it names the file
            place = {"segment": number, "file": file}
            if error.is_missing:
                column = column_of(row_counter.texts, error.reference)
                raise restated(error, no_value(row, column, error.reference), **place) from error
            message = f"{row}: {error.problem}"
        names = ", ".join(map(repr, row_counter.references))
        columns = f"the hypotheses are column {row_counter.hypotheses!r}, the references {names}"
        raise restated(error, f"{message} ({columns})", **place) from error


def column_of(names: Sequence[str], reference: int | None) -> str:
    """The column of a reference, by its number, or of the hypotheses, which are the first one.

    A single column of references holds all of them.
    """
    return names[0 if reference is None else min(1 + reference, len(names) - 1)]


def check_columns(columns: Sequence[str], needed: Sequence[str]) -> None:
    """Raise a ValueError that lists the columns if a needed one is missing."""
    for name in needed:
        if name not in columns:
            meant = closest(name, columns)
            hint = f"; did you mean {meant!r}?" if meant else "."
            known = names_shown(map(shown, columns)) or "none"
            raise InputError(f"the table has no column {shown(name)}{hint} Its columns: {known}")


def roots_of(columns: Sequence[str], names: Sequence[str]) -> list[str]:
    """The columns to read for these names: the whole struct for a field, as in "translation.de".

    ValueError if there is none.
    """
    roots: dict[str, None] = {}
    for name in names:
        parts = name.split(".")
        starts = (".".join(parts[:count]) for count in range(len(parts), 0, -1))
        roots[next((start for start in starts if start in columns), name)] = None
    check_columns(columns, list(roots))
    return list(roots)


def with_fields(frame: Frame, names: Sequence[str]) -> Frame:
    """The frame with columns for these names that are fields of structs, as "translation.de"."""
    fields = [name for name in names if name not in frame.columns]
    if fields:
        narwhals, kinds = load_narwhals(), list(frame.schema.items())
        columns = {name: narwhals.col(name) for name in frame.columns}
        for name, kind in kinds:
            for field in getattr(kind, "fields", ()):
                kinds.append((f"{name}.{field.name}", field.dtype))
                column = columns[name].struct.field(field.name)
                columns.setdefault(f"{name}.{field.name}", column.alias(f"{name}.{field.name}"))
        check_columns(list(columns), fields)
        frame = frame.with_columns(*(columns[name] for name in fields))
    return frame


def check_new_columns(columns: Sequence[str], new: Sequence[str]) -> None:
    """Raise a ValueError if a new column of the result already exists."""
    if taken := [name for name in new if name in columns]:
        raise ValueError(
            f"the result has its own column {shown(taken[0])}, but the table has one already: "
            "rename the table's column"
        )


def _name(what: str, name: Any) -> str:
    if not isinstance(name, str):
        raise TypeError(f"{what} is {a_type(name)}, expected the name of a column of the table")
    return name
