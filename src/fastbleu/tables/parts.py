"""`TableParts`: a result that is made part by part, and can be written without being in memory."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import Any

from .data_files import import_pyarrow


class TableParts:
    """Tables that are made when they are asked for, once, one after the other.

    It is an iterator of tables of the library that was read, and a stream with the Arrow interface,
    for pyarrow's, polars' and DuckDB's writers.
    """

    def __init__(self, parts: Iterator[Any]) -> None:
        self._parts = parts

    def __iter__(self) -> Iterator[Any]:
        return self

    def __next__(self) -> Any:
        return next(self._parts)

    def to_reader(self) -> Any:
        """A `pyarrow.RecordBatchReader` of the parts, as for ``pyarrow.dataset.write_dataset``.

        Its schema is that of the first part, which is made at once.

        Raises
        ------
        ValueError
            There are no parts; or later, a part has other columns than the first.
        """
        pyarrow = import_pyarrow("parts of a table")
        first = next(self._parts, None)
        if first is None:
            raise ValueError("there are no rows, and so there is no schema: the table is empty")
        schema = _arrow_table(pyarrow, first).schema

        def batches() -> Iterator[Any]:
            for number, part in enumerate(chain([first], self._parts)):
                try:
                    table = _arrow_table(pyarrow, part).cast(schema)
                except (ValueError, pyarrow.ArrowException) as error:
                    raise ValueError(
                        f"part {number} of the table differs from part 0, whose schema counts: "
                        f"{error}; select or cast the columns before"
                    ) from error
                yield from table.to_batches()

        return pyarrow.RecordBatchReader.from_batches(schema, batches())

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        stream: object = self.to_reader().__arrow_c_stream__(requested_schema)
        return stream


def _arrow_table(pyarrow: Any, part: Any) -> Any:
    if isinstance(part, dict):
        return pyarrow.table(part)
    if hasattr(part, "iloc"):  # of pandas, whose index is not a column
        return pyarrow.Table.from_pandas(part, preserve_index=False)
    return part.to_arrow() if hasattr(part, "to_arrow") else part
