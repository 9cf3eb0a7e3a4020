"""Every reader of a corpus gives the number of `BLEU.score`, of missing values and of quotes."""

import csv
import json
import os
import threading
import warnings

import pytest
from generators import raises
from hosts import host
from table_families import FAMILIES, SUFFIXES, as_dict, table_of, write

from fastbleu import BLEU, InputWarning, tables
from fastbleu.cli.command import main
from fastbleu.inputs.quoting import is_quoted

host("narwhals")
pa = host("pyarrow")

pytestmark = pytest.mark.filterwarnings("ignore::fastbleu.InputWarning")
TEXTS = ["the cat sat on the mat", "", "nobody came", "the dog barked at us"]
OTHERS = ["the cat sat on a mat", "it rained", "nobody came back here", "a dog barked at us"]


class CommandError(Exception):
    """What the command printed as an error."""


def command(capsys, path, *options):
    """The score that the command prints of a table's columns."""
    status = main([f"{path}::ref", "-i", f"{path}::mt", *options])
    out, error = capsys.readouterr()
    if "warning: " in error:
        warnings.warn(error, InputWarning, stacklevel=2)
    if status:
        raise CommandError(error)
    return json.loads(out)[0]["bleu"] if "--by" in options else json.loads(out)["score"]


def by_lists(columns, path, capsys, **options):
    return BLEU().score(columns["mt"], columns["ref"], **options).value


def by_tables(make):
    def read(columns, path, capsys, **options):
        return as_dict(tables.score(make(columns, path), "mt", "ref", **options))["bleu"][0]

    return read


def by_command(form, *more):
    def read(columns, path, capsys, **options):
        path = write(columns, path.with_suffix(f".{form}"))
        missing = [word for name, value in options.items() for word in (f"--{name}", value)]
        return command(capsys, path, *missing, *(more or ("-w", "17")))

    return read


def of_file(form):
    return by_tables(lambda columns, path: write(columns, path.with_suffix(f".{form}")))


READERS = {"lists": by_lists}
READERS |= {name: by_tables(lambda c, _, name=name: table_of(name, c)) for name in FAMILIES}
READERS["polars, lazy"] = by_tables(lambda columns, _: table_of("polars", columns).lazy())
READERS["DuckDB"] = by_tables(lambda c, _: host("duckdb").from_arrow(pa.table(c)))
READERS |= {form: of_file(form) for form in SUFFIXES}
READERS |= {f"command, {form}": by_command(form) for form in SUFFIXES if "bz2" not in form}
GROUPED = "--by", "key", "-f", "json"
READERS |= {f"command --by, {form}": by_command(form, *GROUPED) for form in SUFFIXES}
PLACE = r"(segment 2|row 2|line [34]):"
# Of what has NaN for a missing text; others have null.
OF_NAN = ["lists", "dict", "pandas"]
CASES = [(reader, side, None) for reader in READERS for side in ("mt", "ref")]
CASES += [(reader, side, float("nan")) for reader in OF_NAN for side in ("mt", "ref")]


@pytest.mark.parametrize(("reader", "side", "value"), CASES)
def test_a_missing_value_is_the_same_to_every_reader(reader, side, value, tmp_path, capsys):
    """An error that names the place and the ways out; or empty; or left out, with a warning."""
    other = "ref" if side == "mt" else "mt"
    columns = {side: [*TEXTS[:2], value, TEXTS[3]], other: OTHERS, "key": ["a"] * 4}
    read, path = READERS[reader], tmp_path / "t"
    error = CommandError if "command" in reader else TypeError
    column = "" if reader == "lists" else f"column '{side}' has no value.*"
    raises(error, f"{PLACE} .*{column}missing.*skip.*empty", read, columns, path, capsys)
    for missing, kept in (("empty", range(4)), ("skip", [0, 1, 3])):
        texts = ["" if row == 2 else columns[side][row] for row in kept]
        sides = {side: texts, other: [OTHERS[row] for row in kept]}
        expected = BLEU().score(sides["mt"], sides["ref"]).value
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            assert read(columns, path, capsys, missing=missing) == expected
        left_out = any("left out 1" in str(warning.message) for warning in caught)
        assert left_out == (missing == "skip")
    words = "no segments? to score: (all 4|left out 4).*because a value is missing"
    nothing = columns | {side: [value] * 4}
    raises((ValueError, CommandError), words, read, nothing, path, capsys, missing="skip")


RAGGED = [["the cat sat on a mat", "a cat sat on the mat"], ["it rained"], ["nobody came", "no"]]
LISTS = {"mt": [*TEXTS[:1], "it rained here", *TEXTS[2:3]], "key": ["a"] * 3}


@pytest.mark.parametrize("references", [RAGGED, [(texts * 2)[:2] for texts in RAGGED]])
@pytest.mark.parametrize("form", ["jsonl", "jsonl.gz", "parquet", "arrow", "json"])
def test_a_column_of_lists_of_references(form, references, tmp_path, capsys):
    """As many references as each segment has, also beside other columns."""
    columns = LISTS | {"ref": references, "first": [texts[0] for texts in references]}
    path = tmp_path / f"t.{form}"
    if form == "json":
        rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
        path.write_text(json.dumps(rows))
    else:
        write(columns, path)
    score = BLEU().score(columns["mt"], references)
    assert command(capsys, path, "-w", "17") == score.value
    assert main([f"{path}::ref", "-i", f"{path}::mt"]) == 0
    assert json.loads(capsys.readouterr().out)["signature"] == score.signature
    assert main([f"{path}::first", f"{path}::ref", "-i", f"{path}::mt", "-b", "-w", "17"]) == 0
    twice = [[texts[0], *texts] for texts in references]
    assert float(capsys.readouterr().out) == BLEU().score(columns["mt"], twice).value
    assert main([f"{path}::ref", "-i", f"{path}::mt", "-sl", "-f", "json"]) == 0
    assert [row["reference"] for row in json.loads(capsys.readouterr().out)] == references
    for more in (["-sl", "-f", "tsv"], ["--identify", f"{score.value}"], ["--dialect", "nltk"]):
        assert main([f"{path}::ref", "-i", f"{path}::mt", *more]) == 0
        capsys.readouterr()
    if form != "json":
        assert command(capsys, path, *GROUPED) == score.value
    assert main([f"{path}::mt", "-i", f"{path}::ref"]) == 1
    place = {"parquet": "row 0", "arrow": "row 0", "json": "object 1"}.get(form, "line 1")
    assert f"{path}: {place}: " in capsys.readouterr().err


@pytest.mark.parametrize("form", ["jsonl", "parquet"])
def test_many_lists_of_references(form, tmp_path, capsys):
    """More rows than are read at once, with missing references and an empty list."""
    rows = 70_000
    columns = {"mt": (LISTS["mt"] * rows)[:rows], "ref": (RAGGED * rows)[:rows]}
    path = write(columns, tmp_path / f"t.{form}")
    assert command(capsys, path, "-w", "17") == BLEU().score(*columns.values()).value
    columns["ref"][66_000] = ["a text", None]
    write(columns, path)
    place = f"{path}: {'row 66000' if form == 'parquet' else 'line 66001'}"
    raises(CommandError, f"{place}: column 'ref' has no value", command, capsys, path)
    for missing in ("skip", "empty"):
        expected = BLEU().score(*columns.values(), missing=missing).value
        assert command(capsys, path, "-w", "17", "--missing", missing) == expected
    columns["ref"][66_000] = []
    write(columns, path)
    words = "segment 66000: no references" if form == "parquet" else f"{place}: 'ref' is an empty"
    raises(CommandError, words, command, capsys, path)


def test_a_list_of_words_as_references(tmp_path, capsys):
    words = [text.split() for text in OTHERS if " on " in text or " at " in text]
    path = write({"mt": ["the cat sat", "a dog barked"], "ref": words}, tmp_path / "t.jsonl")
    with pytest.warns(InputWarning, match="references holds single words"):
        command(capsys, path)


PRINTERS = {
    "JSON": json.dumps,
    "Python": repr,
    "numpy": lambda texts: str(pa.array(texts).to_numpy(False)),
}


@pytest.mark.parametrize("printer", PRINTERS)
@pytest.mark.parametrize("reader", READERS)
def test_lists_that_were_printed_as_text(reader, printer, tmp_path, capsys):
    columns = LISTS | {"ref": list(map(PRINTERS[printer], RAGGED))}
    read, path = READERS[reader], tmp_path / "t"
    with pytest.warns(InputWarning, match="lists that were printed as text, such as .*the cat sat"):
        read(columns, path, capsys)
    with warnings.catch_warnings():  # programs of which both sides are lists
        warnings.simplefilter("error")
        read(columns | {"mt": columns["ref"]}, path, capsys)


def test_a_list_of_segments_keeps_the_numbers_of_those_that_are_left(tmp_path, capsys):
    path = write({"mt": [*"abc", None, "e"], "ref": [*"abcde"]}, tmp_path / "t.tsv")
    listed = "-sl", "-f", "json", "--missing", "skip"
    assert main([f"{path}::ref", "-i", f"{path}::mt", *listed]) == 0
    out, error = capsys.readouterr()
    assert [row["segment"] for row in json.loads(out)] == [1, 2, 3, 5]
    assert f"left out 1 line, because a value is missing; the first is {path}: line 5" in error


def test_an_option_of_tables_without_a_table_is_refused(tmp_path, capsys):
    path = tmp_path / "t.txt"
    path.write_text("a\n\n")  # a blank line of plain text is a text
    assert main([str(path), "-i", str(path), "-b"]) == 0
    for option in (["--missing", "skip"], ["--no-quoted"]):
        assert main([str(path), "-i", str(path), *option]) == 1
        assert "--missing and --quoted are for tables" in capsys.readouterr().err
    raises(ValueError, "quoted is for paths", tables.score, {"a": ["b"]}, "a", "a", quoted=True)


def by_csv(columns, file, **options):
    writer = csv.writer(file, **options)
    writer.writerow(columns)
    writer.writerows(zip(*columns.values(), strict=True))


def by_pyarrow(columns, file, delimiter):
    options = host("pyarrow.csv").WriteOptions(delimiter=delimiter)
    sink = pa.BufferOutputStream()
    host("pyarrow.csv").write_csv(pa.table(columns), sink, options)
    file.write(sink.getvalue().to_pybytes().decode())


WRITERS = {
    "csv": lambda columns, file, sep: by_csv(columns, file, delimiter=sep),
    "csv, all": lambda c, file, sep: by_csv(c, file, delimiter=sep, quoting=csv.QUOTE_ALL),
    "pandas": lambda c, file, sep: table_of("pandas", c).to_csv(file, sep=sep, index=False),
    "polars": lambda c, file, sep: file.write(table_of("polars", c).write_csv(separator=sep)),
    "pyarrow": by_pyarrow,
}
QUOTES = {
    "mt": ['He said "yes"', '"Stop"', "one\ttab, two", "two\nlines of text", "a 5\" pipe's end"],
    "ref": ['He said "no"', '"Stop" it', "one\ttab, too", "two\nlines of it", "a 5\" pipe's lid"],
    "key": ["a"] * 5,
}


@pytest.mark.parametrize("writer", WRITERS)
@pytest.mark.parametrize("form", ["csv", "tsv"])
def test_quotation_marks_that_writers_of_tables_add_are_no_text(writer, form, tmp_path, capsys):
    expected = BLEU().score(QUOTES["mt"], QUOTES["ref"]).value
    path = tmp_path / f"t.{form}"
    with open(path, "w", newline="") as file:
        WRITERS[writer](QUOTES, file, "," if form == "csv" else "\t")
    packed = pa.output_stream(f"{path}.gz")
    with packed:
        packed.write(path.read_bytes())
    for name in (path, f"{path}.gz"):
        assert tables.score(str(name), "mt", "ref")["bleu"][0].as_py() == expected
        for options in (["-w", "17"], GROUPED):
            assert command(capsys, name, *options) == expected


# Lines of two columns, of which the second is the text.
PLAIN = ['"a', 'b"', '"Stop" it', 'say "stop"', 'a 5" pipe', '"Stop"', "'", '"', '"x""']
KNOWN = [
    (["mt\tref", *(f"a\t{text}" for text in PLAIN)], False),
    (["mt\tref", 'a\t"Stop"'], False),
    (["mt\tref", 'a\t"begins here', 'b\tends here"'], False),
    (["mt\tref", 'a\t"begins here', 'ends here"'], True),
    (["mt\tref", 'a\t"one\ttab"'], True),
    (["mt\tref", 'a\t"He said ""yes"""'], True),
    (["mt\tref", 'a\t"He said ""yes"""', 'a\ta 5" pipe'], False),
    (["mt\tref", 'a\t"He said ""yes"""', 'a\t"b"\tc'], False),
    (["mt\tref", 'a\t""'], True),
    (['\ufeff"mt"\t"ref"\r', '"a"\t"b"\r'], True),
    (["mt\tref", 'a\t"open', *["b\tc"] * 400_000, 'd\t"""e"""'], False),
    ([], False),
]


@pytest.mark.parametrize(("lines", "expected"), KNOWN)
def test_whether_marks_enclose_cells_is_found_out(lines, expected):
    assert is_quoted(lines) is expected


@pytest.mark.parametrize("text", PLAIN)
def test_marks_of_plain_tsv_are_text(text, tmp_path, capsys):
    path = tmp_path / "t.tsv"
    mt, ref = [f"{text} the cat sat", text], [f"{text} the cat sits", "b"]
    rows = zip(["mt", *mt], ["ref", *ref], ["key", "a", "a"], strict=True)
    path.write_text("".join("\t".join(row) + "\n" for row in rows))
    expected = BLEU().score(mt, ref).value
    for options in ({}, {"quoted": False}):
        assert tables.score(path, "mt", "ref", **options)["bleu"][0].as_py() == expected
    for options in (["-w", "17"], ["-w", "17", "--no-quoted"], GROUPED, [*GROUPED, "--no-quoted"]):
        assert command(capsys, path, *options) == expected


def test_an_option_says_whether_marks_enclose_cells(tmp_path, capsys):
    path = tmp_path / "t.tsv"
    path.write_text('mt\tref\tkey\n"a b c d"\ta b c d\tx\n')
    for quoted, text in ((True, "a b c d"), (False, '"a b c d"')):
        expected = BLEU().score([text], ["a b c d"]).value
        assert tables.score(path, "mt", "ref", quoted=quoted)["bleu"][0].as_py() == expected
        option = "--quoted" if quoted else "--no-quoted"
        assert command(capsys, path, option, "-w", "17") == expected
        assert command(capsys, path, option, *GROUPED) == expected
    path.write_text('mt\tref\na b\ta "b\nc\td\n')
    message = "line 2: a quotation mark neither encloses a cell nor is doubled"
    raises(CommandError, message, command, capsys, path, "--quoted")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes")
def test_a_pipe_is_read_once(tmp_path, capsys):
    """So that it is not searched for quotation marks that enclose cells."""
    path, other = tmp_path / "t.tsv", tmp_path / "o.txt"
    other.write_text('a 5" pipe of it\n')
    os.mkfifo(path)
    arguments = str(other), "-i", f"{path}::mt", "-b"
    for cell, option in (('"a 5"" pipe of it"', "--quoted"), ('a 5" pipe of it', "--no-quoted")):
        writer = threading.Thread(target=path.write_text, args=(f"mt\n{cell}\n",))
        writer.start()
        assert main([*arguments, option]) == 0
        writer.join()
        assert capsys.readouterr().out == "100.0\n"
    descriptor = os.open(path, os.O_RDWR)  # or opening it would wait
    assert main([*arguments]) == 1
    os.close(descriptor)
    assert "a pipe is read once: add --quoted or --no-quoted" in capsys.readouterr().err
