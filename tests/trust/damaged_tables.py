"""Reads damaged files of tables: `python -m trust.damaged_tables FIRST COUNT DIRECTORY`.

A file is made, and some of its bits are changed, from its number and the seed alone. It is read or
refused: by an error of the package that names it. The number is printed first, so that the one that
kills the process is known.
"""

import io
import random
import re
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout, suppress
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet

from fastbleu import BLEU, tables
from fastbleu.cli import command
from trust.children import SEED

ROWS = 12
TEXTS = ["the cat sat on the mat", "a dog", "", "zwölf Katzen", None, "the cat sat on it"] * 2
LISTS = [[text, "a cat"] if text else [text] for text in TEXTS]
RECORDS = [[{"a": text, "b": row}] for row, text in enumerate(TEXTS)]


def encoded(values: list[Any], kind: pa.DataType) -> pa.Array:
    return pa.array(values, kind).dictionary_encode()


def run_ends(values: list[Any], kind: pa.DataType) -> pa.Array:
    ends = pa.array(range(1, len(values) + 1), pa.int32())
    return pa.RunEndEncodedArray.from_arrays(ends, pa.array(values, kind))


TEXT = pa.string()
# Columns of texts, of references, and of keys.
COLUMNS: dict[str, Callable[[], pa.Array]] = {
    "string": lambda: pa.array(TEXTS, TEXT),
    "large_string": lambda: pa.array(TEXTS, pa.large_string()),
    "string_view": lambda: pa.array(TEXTS, pa.string_view()),
    "dictionary": lambda: encoded(TEXTS, TEXT),
    "run-end encoded": lambda: run_ends(TEXTS, TEXT),
    "list": lambda: pa.array(LISTS, pa.list_(TEXT)),
    "large_list": lambda: pa.array(LISTS, pa.large_list(TEXT)),
    "list_view": lambda: pa.array(LISTS, pa.list_view(TEXT)),
    "large_list_view": lambda: pa.array(LISTS, pa.large_list_view(TEXT)),
    "list of dictionaries": lambda: pa.ListArray.from_arrays(
        pa.array(range(0, 2 * ROWS + 1, 2), pa.int32()), encoded(TEXTS * 2, TEXT)
    ),
    "dictionary of lists": lambda: pa.DictionaryArray.from_arrays(
        pa.array(range(ROWS), pa.int32()), pa.array(LISTS, pa.list_(TEXT))
    ),
    "list of structs": lambda: pa.array(RECORDS),
    "struct": lambda: pa.array([{"a": text, "b": text} for text in TEXTS]),
    "map": lambda: pa.array([[("a", text)] for text in TEXTS], pa.map_(TEXT, TEXT)),
    "fixed_list": lambda: pa.array([["a", "b"]] * ROWS, pa.list_(TEXT, 2)),
    "list of run-ends": lambda: pa.ListArray.from_arrays(
        pa.array(range(ROWS + 1), pa.int32()), run_ends(TEXTS, TEXT)
    ),
    "ids": lambda: pa.array([[1, 2, row] for row in range(ROWS)], pa.list_(pa.int32())),
    "int64": lambda: pa.array([1, 2, None] * 4, pa.int64()),
    "double": lambda: pa.array([0.0, -0.0, None] * 4),
    "bool": lambda: pa.array([True, False, None] * 4),
    "binary": lambda: pa.array([b"a", b"\xff", None] * 4),
    "null": lambda: pa.nulls(ROWS),
}
SUFFIXES = ("arrow", "arrow", "arrows", "parquet")


def write(table: pa.Table, path: Path) -> None:
    if path.suffix == ".parquet":
        pa.parquet.write_table(table, path, compression="none")
        return
    new = pa.ipc.new_stream if path.suffix == ".arrows" else pa.ipc.new_file
    with new(path, table.schema) as file:
        file.write_table(table, max_chunksize=7)


def damage(path: Path, rng: random.Random) -> None:
    """Change bits, and words to small or to large numbers, anywhere in a file."""
    content = bytearray(path.read_bytes())
    for _ in range(rng.choice((1, 2, 4, 8))):
        at = rng.randrange(len(content))
        if rng.random() < 0.5:
            content[at] ^= 1 << rng.randrange(8)
        else:
            at = at // 4 * 4
            word = rng.choice((rng.randrange(40), 2**31 - 1, 2**32 - 1, rng.randrange(2**32)))
            content[at : at + 4] = word.to_bytes(4, "little")
    path.write_bytes(content)


def table_of(rng: random.Random) -> pa.Table:
    """Columns of types that a file of the format can have."""
    names = list(COLUMNS)
    weights = [2 if "view" in name or "run-end" in name or "dict" in name else 1 for name in names]
    chosen = rng.choices(names, weights, k=3)
    return pa.table(
        {name: COLUMNS[kind]() for name, kind in zip(("mt", "ref", "key"), chosen, strict=True)}
    )


def ways(path: Path) -> Iterator[Callable[[], Any]]:
    """What may read the file."""
    tokens, texts = BLEU(tokenize=False), {"hypotheses": "mt", "references": "ref"}
    skip = texts | {"missing": "skip"}
    yield lambda: tables.score(path, **skip, by="key")
    yield lambda: tables.score(path, **skip)
    yield lambda: tables.score(path, **skip, metric=tokens, by="key")
    yield lambda: tables.score(path, "mt", ["ref", "ref"], metric=tokens, missing="skip")
    yield lambda: tables.score(path, "mt.a", "ref.a", missing="empty", by=["key"])
    languages = {"language": "key", "tokenizers": {"a dog": "char", None: "13a"}}
    yield lambda: tables.score(path, **skip, by=["key"], **languages)
    yield lambda: list(tables.sentence_scores(path, **skip))
    yield lambda: tables.sums(path, **skip, by="key")
    yield lambda: tables.report(path, "mt", ["ref"], ids="key", dialects=False, samples=2)
    yield lambda: list(tables.TableParts(tables.count(path, **skip)).to_reader())
    for argument in ("mt", "ref"):
        yield lambda argument=argument: in_command(path, argument)
    fairseq = BLEU("fairseq")
    yield lambda: in_memory(path, lambda its: tables.score(its, **skip, metric=fairseq, by="key"))
    yield lambda: in_memory(path, lambda its: tables.sentence_scores(as_dict(its), **skip))


def in_command(path: Path, column: str) -> None:
    with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
        command.main([f"{path}::{column}", "-i", f"{path}::mt"])


@contextmanager
def naming(path: Path) -> Iterator[None]:
    """Errors about a table in memory need not name the file."""
    try:
        yield
    except ValueError as error:
        raise ValueError(path.name) from error


def in_memory(path: Path, score: Callable[[pa.Table], Any]) -> None:
    """The table as pyarrow itself reads it, where it does."""
    try:
        if path.suffix == ".parquet":
            table = pa.parquet.read_table(path)
        else:
            opened = pa.ipc.open_stream if path.suffix == ".arrows" else pa.ipc.open_file
            table = opened(pa.memory_map(str(path))).read_all()
    except Exception as error:
        raise Unreadable from error
    with naming(path):
        score(table)


def as_dict(table: pa.Table) -> dict[str, Any]:
    return dict(zip(table.column_names, table.columns, strict=True))


class Unreadable(Exception):
    """pyarrow refuses the file."""


def check(path: Path, call: Callable[[], Any]) -> bool:
    """Whether a call reads the file; if not it has to say why, and which file it is."""
    try:
        call()
    # A TypeError is of a type that the call does not take, a MemoryError of a damaged length.
    except (Unreadable, SystemExit, TypeError, MemoryError):
        return False
    except ValueError as error:
        # Its number of rows may be damaged, too.
        if path.name in str(error) or re.search("there are no (segments|rows)", str(error)):
            return False
        raise
    return True


def main() -> None:
    first, count, directory = int(sys.argv[1]), int(sys.argv[2]), Path(sys.argv[3])
    warnings.simplefilter("ignore")
    read = 0
    for number in range(first, first + count):
        print(number, flush=True)
        rng = random.Random(f"{SEED} {number}")
        path = directory / f"damaged-{number}.{rng.choice(SUFFIXES)}"
        while True:
            with suppress(pa.ArrowException):  # Parquet has not all types
                write(table_of(rng), path)
                break
        damage(path, rng)
        read += sum(check(path, call) for call in ways(path))
        path.unlink()
    print(f"read: {read}")


if __name__ == "__main__":
    main()
