"""`fastbleu.tables.report`: a report on the systems whose outputs are columns of a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..inputs.arguments import a_type
from ..runtime.import_lock import lazy
from .sources import open_table

if TYPE_CHECKING:
    from ..metric.argument import Metric
    from ..reporting import report as reporting
else:
    reporting = lazy("fastbleu.reporting.report")


def report(
    table: object,
    systems: str | Sequence[str] | Mapping[str, str],
    references: str | Sequence[str],
    *,
    sources: str | None = None,
    ids: str | None = None,
    documents: str | None = None,
    groups: str | None = None,
    metric: Metric | None = None,
    title: str | None = None,
    samples: int = 1000,
    seed: int | None = 12345,
    dialects: bool | None = None,
    progress: bool = False,
) -> reporting.Report:
    """A report on systems whose outputs are columns of a table; see `fastbleu.report`.

    Parameters
    ----------
    table : table, lazy table, path or iterable of tables
        As for `score`. All rows are in memory, because the report shows them.
    systems : str, list of str, or mapping of str
        The columns of the hypotheses; as a mapping by the names that the report shows.
    references : list of str, or str
        The columns of the references; or one column, with one reference or a list of references per
        segment.
    sources, ids, documents, groups : str, optional
        Columns with the source texts; the names of the segments; the document and the group, such
        as a domain, of each segment.
    metric, title, samples, seed, dialects, progress
        As for `fastbleu.report`.

    Returns
    -------
    fastbleu.Report

    Raises
    ------
    TypeError, ValueError, ImportError
        As for `score`, and as for `fastbleu.report`.

    Examples
    --------
    >>> table = {"mt": ["The cat sat on a mat."], "ref": ["The cat sat on the mat."]}
    >>> round(report(table, "mt", "ref", dialects=False).scores["mt"].value, 2)
    48.89
    """
    if not isinstance(systems, Mapping):
        listed = [systems] if isinstance(systems, str) else list(systems)
        systems = dict(zip(listed, listed, strict=True))
    labels = {"sources": sources, "ids": ids, "documents": documents, "groups": groups}
    shown = {name: column for name, column in labels.items() if column is not None}
    given = {f"systems[{name!r}]": column for name, column in systems.items()} | shown
    for name, column in given.items():
        if not isinstance(column, str):
            raise TypeError(f"{name} is {a_type(column)}, expected the name of a column")
    reference_columns = [references] if isinstance(references, str) else list(references)
    if not reference_columns:
        raise ValueError("references is empty: name the columns of the references")
    columns = _read_columns(table, [*systems.values(), *reference_columns], [*shown.values()])
    texts: Any = columns[reference_columns[0]]
    if not isinstance(references, str):
        segments = zip(*(columns[name] for name in reference_columns), strict=True)
        texts = [list(segment) for segment in segments]
    return reporting.report(
        {name: columns[column] for name, column in systems.items()},
        texts,
        **{name: columns[column] for name, column in shown.items()},
        metric=metric,
        title=title,
        samples=samples,
        seed=seed,
        dialects=dialects,
        progress=progress,
    )


def _read_columns(
    table: object, texts: Sequence[str], labels: Sequence[str]
) -> dict[str, list[Any]]:
    """The values of columns; those of `texts` are texts in a text file, too."""
    names = list(dict.fromkeys([*texts, *labels]))
    source = open_table(table, names, texts)
    columns: dict[str, list[Any]] = {name: [] for name in names}
    for frame in source.chunks():
        for name, values in columns.items():
            values += frame.values(name)
    return columns
