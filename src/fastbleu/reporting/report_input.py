"""The input of a report: the checked hypotheses of all systems, side by side."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from ..counting._counted import Counted
from ..inputs.arguments import a_type, names_shown, shown
from ..inputs.batch import Batch
from ..inputs.read import read
from ..metric.bleu import BLEU

if TYPE_CHECKING:
    from ..inputs.types import Hypotheses, References

    Systems: TypeAlias = Mapping[Any, Hypotheses | str] | Sequence[str]


class Columns(Protocol):
    """A mapping of columns by name, or a data frame."""

    def __getitem__(self, name: Any, /) -> Any: ...
    def __iter__(self) -> Iterator[Any]: ...


@dataclass
class Labels:
    """Information about segments besides their texts: lists with one value per segment, or None."""

    sources: list[str] | None = None
    ids: list[str] | None = None
    documents: list[str] | None = None
    groups: list[str] | None = None


class Segments:
    """The segments of a report, checked and counted.

    Attributes
    ----------
    names : list of K str
        The systems.
    hypotheses : list of K lists of S str, or of S lists of tokens
    references : list of S lists of references
    labels : Labels
    metric : BLEU
        Scores the systems.
    counted : list of K Counted
        The rows of all segments.
    """

    def __init__(
        self, systems: Mapping[Any, Any], references: Any, labels: Labels, metric: BLEU
    ) -> None:
        self.metric = metric
        self.labels = labels
        self.names: list[str] = []
        self.hypotheses: list[list[Any]] = []
        self.counted: list[Counted] = []
        metric.scorer.dialect.require("count")
        for name, hypotheses in systems.items():
            try:
                batch = read(hypotheses, references, metric.counter)
                listed, listed_references = batch.lists()
                _refuse_arrays(listed)
                batch = Batch(listed, listed_references, warns=True)
                counted = metric.counter.count(batch)
                metric.scorer.dialect._check_references(counted.nrefs)
                if not counted.segments:
                    raise ValueError("hypotheses is empty: there are no segments to show")
            except (TypeError, ValueError) as error:
                kind = TypeError if isinstance(error, TypeError) else ValueError
                raise kind(f"systems[{shown(name)}]: {error}") from error
            self.names.append(str(name))
            self.hypotheses.append(list(listed))
            self.counted.append(counted)
        if len(set(self.names)) != len(self.names):
            raise ValueError(f"two systems have the same name: {', '.join(self.names)}")
        self.references = [
            [some] if isinstance(some, str) else list(some) for some in listed_references
        ]

    def __len__(self) -> int:
        return len(self.references)

    @property
    def is_text(self) -> bool:
        """Whether segments are str, and not lists of tokens."""
        return self.metric.counter.is_text

    def texts(self, segments: Sequence[Any]) -> list[str]:
        """Hypotheses or references as they are shown: tokens with spaces in between."""
        return (
            list(segments) if self.is_text else [" ".join(map(str, tokens)) for tokens in segments]
        )


def read_systems(systems: Systems, table: Columns | None) -> dict[Any, Any]:
    """The hypotheses by the names of the systems; with a table, its columns."""
    if table is not None and isinstance(systems, str):
        systems = [systems]
    if table is not None and not isinstance(systems, Mapping) and isinstance(systems, Sequence):
        systems = dict(zip(systems, systems, strict=True))
    if not isinstance(systems, Mapping):
        given = type(systems).__name__
        of_table = ", or with table= names of columns" if table is None else ""
        raise TypeError(
            f"systems is a {given}, expected hypotheses by name: {{'new': hypotheses}}{of_table}"
        )
    if not systems:
        raise ValueError("systems is empty: there is nothing to report on")
    if table is None:
        return dict(systems)
    return {name: column(table, value, "systems") for name, value in systems.items()}


def read_references(
    references: References | str | Sequence[str] | None, table: Columns | None
) -> Any:
    """The references by segment; with a table, one column or one for each reference."""
    if references is None:
        raise TypeError("references is missing: pass one str, or a list of str, per segment")
    if table is None or isinstance(references, str):
        return column(table, references, "references")
    names: Iterable[Any] = references  # type: ignore[assignment]
    columns = [column(table, name, "references") for name in names]
    return [list(segment) for segment in zip(*columns, strict=True)]


def read_labels(given: Mapping[str, Any], table: Columns | None, segments: int) -> Labels:
    """`sources`, `ids`, `documents` and `groups`: None, or a value for each segment."""
    made: dict[str, list[str] | None] = {}
    for name, values in given.items():
        if values is None:
            continue
        if isinstance(values, str) and table is None:
            raise TypeError(f"{name} is a str, expected one value per segment")
        listed = list(column(table, values, name))
        if len(listed) != segments:
            raise ValueError(f"{name} has {len(listed)} values, but there are {segments} segments")
        if name == "sources" and (wrong := [n for n, v in enumerate(listed) if type(v) is not str]):
            found = a_type(listed[wrong[0]])
            raise TypeError(f"sources[{wrong[0]}] is {found}, expected a str")
        made[name] = [str(value) for value in listed]
    return Labels(**made)


def column(table: Columns | None, name: object, argument: str) -> Any:
    """A column of a table (a mapping or data frame) as a list; without a table the value itself."""
    if table is None:
        return name
    try:
        values = table[name]
    except (KeyError, IndexError, TypeError, ValueError) as error:
        known = getattr(table, "columns", None)
        names = list(table) if known is None else list(known)
        raise ValueError(
            f"{argument} names a column {shown(name)}; table has {names_shown(map(repr, names))}"
        ) from error
    for method in ("to_pylist", "to_list", "tolist"):
        if hasattr(values, method):
            return getattr(values, method)()
    return list(values)


def _refuse_arrays(hypotheses: Sequence[Any]) -> None:
    first = next(iter(hypotheses), "")
    if not isinstance(first, (str, list, tuple)):
        raise TypeError(
            f"segment 0 is {a_type(first)}; a report shows text or lists of tokens: "
            "decode token ids first, or pass hypotheses.tolist()"
        )
