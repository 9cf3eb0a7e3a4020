"""Every reader of a corpus gives the number of `BLEU.score`, of missing values and of quotes."""

import csv
import gzip
import json
import os
import threading
import warnings

import pytest
from commands import error, output, run
from generators import raises
from hosts import host
from table_families import FAMILIES, as_dict, table_of, write

from fastbleu import BLEU, InputWarning, tables
from fastbleu.cli.command import main
from fastbleu.files.formats import is_quoted

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
# Other suffixes are read by the same code: see test_files_of_tables.py.
FORMS = ["parquet", "arrow", "arrows", "csv", "tsv.gz", "jsonl", "jsonl.zst"]
GROUPED = "--by", "key", "-f", "json"
READERS |= {form: of_file(form) for form in FORMS}
READERS |= {f"command, {form}": by_command(form) for form in FORMS}
READERS |= {f"command --by, {form}": by_command(form, *GROUPED) for form in FORMS[::3]}
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


def test_lists_of_references(tmp_path, capsys):
    """As many references as each segment has, also beside other columns."""
    for form, references in (
        *((form, RAGGED) for form in ("jsonl.gz", "parquet", "arrow", "json")),
        *((form, [(texts * 2)[:2] for texts in RAGGED]) for form in ("jsonl", "parquet")),
    ):
        columns = LISTS | {"ref": references, "first": [texts[0] for texts in references]}
        path = tmp_path / f"t.{form}"
        if form == "json":
            rows = zip(*columns.values(), strict=True)
            path.write_text(json.dumps([dict(zip(columns, row, strict=True)) for row in rows]))
        else:
            write(columns, path)
        score = BLEU().score(columns["mt"], references)
        words = [f"{path}::ref", "-i", f"{path}::mt", "-w", "17"]
        found = json.loads(output(*words))
        assert (found["score"], found["signature"]) == (score.value, score.signature)
        twice = [[texts[0], *texts] for texts in references]
        expected = BLEU().score(columns["mt"], twice).value
        assert float(output(f"{path}::first", *words, "-b")) == expected
        listed = json.loads(output(*words, "-sl", "-f", "json"))
        assert [row["reference"] for row in listed] == references
        assert run(*words, "-sl", "-f", "tsv")[0] == 0
        if form != "json":
            assert command(capsys, path, *GROUPED) == score.value
        place = {"parquet": "row 0", "arrow": "row 0", "json": "object 1"}.get(form, "line 1")
        assert f"{path}: {place}: " in error(f"{path}::mt", "-i", f"{path}::ref")


@pytest.mark.parametrize(("form", "rows"), [("jsonl", 9_000), ("parquet", 70_000)])
def test_many_lists_of_references(form, rows, tmp_path, capsys):
    """More rows than are read at once, with missing references and an empty list."""
    columns = {"mt": (LISTS["mt"] * rows)[:rows], "ref": (RAGGED * rows)[:rows]}
    path, wrong = write(columns, tmp_path / f"t.{form}"), rows - 3_000
    assert command(capsys, path, "-w", "17") == BLEU().score(*columns.values()).value
    columns["ref"][wrong] = ["a text", None]
    write(columns, path)
    place = f"{path}: {f'row {wrong}' if form == 'parquet' else f'line {wrong + 1}'}"
    raises(CommandError, f"{place}: column 'ref' has no value", command, capsys, path)
    for missing in ("skip", "empty"):
        expected = BLEU().score(*columns.values(), missing=missing).value
        assert command(capsys, path, "-w", "17", "--missing", missing) == expected
    columns["ref"][wrong] = []
    write(columns, path)
    empty = {"parquet": f"segment {wrong}: no references", "jsonl": f"{place}: 'ref' is an empty"}
    raises(CommandError, empty[form], command, capsys, path)


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


def test_a_list_of_segments_keeps_the_numbers_of_those_that_are_left(tmp_path):
    path = write({"mt": [*"abc", None, "e"], "ref": [*"abcde"]}, tmp_path / "t.tsv")
    listed = "-sl", "-f", "json", "--missing", "skip"
    _, out, said = run(f"{path}::ref", "-i", f"{path}::mt", *listed)
    assert [row["segment"] for row in json.loads(out)] == [1, 2, 3, 5]
    assert f"left out 1 line, because a value is missing; the first is {path}: line 5" in said


def test_an_option_of_tables_without_a_table_is_refused(tmp_path):
    path = tmp_path / "t.txt"
    path.write_text("a\n\n")  # a blank line of plain text is a text
    assert run(path, "-i", path, "-b")[0] == 0
    for option in (["--missing", "skip"], ["--no-quoted"], ["--delimiter", ";"]):
        assert option[0].replace("no-", "") in error(path, "-i", path, *option)
    words = "--read-as is for files with ::SELECTOR"
    assert words in error(path, "-i", path, "--read-as", "tsv")
    for name in ("quoted", "delimiter", "encoding", "format"):
        words = f"{name} is for paths"
        raises(ValueError, words, tables.score, {"a": ["b"]}, "a", "a", **{name: "tsv"})


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
    packed = tmp_path / f"t.{form}.gz"
    packed.write_bytes(gzip.compress(path.read_bytes()))
    for name in (path, packed):
        assert tables.score(name, "mt", "ref")["bleu"][0].as_py() == expected
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


def test_marks_of_plain_tsv_are_text(tmp_path, capsys):
    path = tmp_path / "t.tsv"
    for text in PLAIN:
        mt, ref = [f"{text} the cat sat", text], [f"{text} the cat sits", "b"]
        rows = zip(["mt", *mt], ["ref", *ref], ["key", "a", "a"], strict=True)
        path.write_text("".join("\t".join(row) + "\n" for row in rows))
        expected = BLEU().score(mt, ref).value
        for options in ({}, {"quoted": False}):
            assert tables.score(path, "mt", "ref", **options)["bleu"][0].as_py() == expected
        for options in (["-w", "17"], ["-w", "17", "--no-quoted"], GROUPED):
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
def test_a_pipe_is_read_once(tmp_path):
    """So that it is not searched for quotation marks that enclose cells."""
    path, other = tmp_path / "t.tsv", tmp_path / "o.txt"
    other.write_text('a 5" pipe of it\n')
    os.mkfifo(path)
    arguments = other, "-i", f"{path}::mt", "-b"
    for cell, option in (('"a 5"" pipe of it"', "--quoted"), ('a 5" pipe of it', "--no-quoted")):
        writer = threading.Thread(target=path.write_text, args=(f"mt\n{cell}\n",))
        writer.start()
        assert output(*arguments, option) == "100.0\n"
        writer.join()
    descriptor = os.open(path, os.O_RDWR)  # or opening it would wait
    assert "a pipe can be read only once: add --quoted or --no-quoted" in error(*arguments)
    os.close(descriptor)


def test_rows_of_all_files_are_counted_from_0(tmp_path):
    good = {"csv": "a b,a b\n", "tsv": "a b\ta b\n", "jsonl": '{"mt": "a b", "ref": "a b"}\n'}
    cells = {"csv": ",a b\n", "tsv": "\ta b\n", "jsonl": '{"mt": null, "ref": "a b"}\n'}
    damaged = {"csv": "a,b,c\n", "tsv": "a\tb\tc\n", "jsonl": '{"mt": "a", "ref"\n'}
    for end, row in good.items():
        heading = {"csv": "mt,ref\n", "tsv": "mt\tref\n"}.get(end, "")
        for problem in (cells, damaged):
            path = tmp_path / f"t.{end}"
            path.write_text(heading + row * 2 + problem[end])
            with pytest.raises((TypeError, ValueError), match=r"\brow 2\b"):
                tables.score(str(path), "mt", "ref")
