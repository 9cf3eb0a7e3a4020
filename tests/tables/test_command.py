"""The command on columns of Parquet, Arrow and CSV files, and its scores by group."""

import io
import json
import re
import sys
from csv import reader

import pytest
from commands import run_for_bytes
from table_families import write

from fastbleu import BLEU, tables
from fastbleu.cli import alignment, command

pyarrow = pytest.importorskip("pyarrow")
pytest.importorskip("narwhals")
from pyarrow import csv, parquet  # noqa: E402

ITS = {
    "mt": ["the cat sat on the mat", "it rained at night ", "nobody came back", "a dog barked"],
    "ref": ["the cat sat on a mat", "it rained all night", "nobody came back", "the dog barked"],
    "lang": ["de", "zh", "de", None],
}

pytestmark = pytest.mark.filterwarnings("ignore::fastbleu.InputWarning")
OFFSETS = pyarrow.array(["a", "b", "cd", "e"]).buffers()[:2]
DAMAGED = [*OFFSETS, pyarrow.py_buffer(b"abc\xffe")]
DAMAGED = pyarrow.Array.from_buffers(pyarrow.string(), 4, DAMAGED)


def run(*arguments, status=0):
    """What is printed, or the error."""
    found, out, err = run_for_bytes(*arguments)
    assert found == status, err
    return out if status == 0 else err


@pytest.fixture(params=["parquet", "arrow", "csv"])
def path(request, tmp_path):
    return write(ITS, tmp_path / f"outputs.{request.param}")


def test_the_bar_knows_its_total_from_the_footer(monkeypatch, capsys, path):
    monkeypatch.setattr(alignment, "_PROGRESS_DELAY", 0)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    assert command.main([f"{path}::ref", "-i", f"{path}::mt", "-b"]) == 0
    assert ("/4" in capsys.readouterr().err) == (path.suffix == ".parquet")


@pytest.mark.parametrize("form", ["json", "csv", "parquet"])
def test_groups_are_those_of_tables(path, form):
    found = run(f"{path}::ref", "-i", f"{path}::mt", "--by", "lang", "-f", form, "-lc")
    expected = tables.score(
        path, "mt", ["ref"], by=["lang"], metric=BLEU(lowercase=True)
    ).to_pylist()
    if form == "json":
        assert json.loads(found) == expected
    elif form == "parquet":
        assert parquet.read_table(io.BytesIO(found)).to_pylist() == expected
    else:
        read = csv.read_csv(io.BytesIO(found)).to_pylist()
        assert [row["bleu"] for row in read] == [row["bleu"] for row in expected]
        assert read[0]["precision_1"] == expected[0]["precision_1"]


@pytest.mark.parametrize(
    ("its", "message"),
    [
        (pyarrow.array([1, 2, 3, 4]), "row 0: column 'mt' is an int; choose a column of texts"),
        (DAMAGED, "row 2: column 'mt' is not valid UTF-8 (byte 2 is 0xff)"),
        (pyarrow.array(ITS["mt"] * 2), "rows"),
    ],
)
def test_columns_that_hold_no_texts(its, message, tmp_path):
    path, other = tmp_path / "outputs.parquet", tmp_path / "others.parquet"
    parquet.write_table(pyarrow.table({"ref": ITS["ref"]}), path)
    parquet.write_table(pyarrow.table({"mt": its}), other)
    error = run(f"{path}::ref", "-i", f"{other}::mt", status=1)
    assert message in error
    assert error.count("\n") == 1


@pytest.mark.parametrize(
    ("words", "status", "problem"),
    [
        ("{path}::reff -i {path}::mt", 1, "'reff'"),
        ("{path}::reff -i {path}::mt --by lang", 1, "has no column 'reff'; did you mean 'ref'?"),
        ("{path}::ref -i {path}::mt --by x", 1, "has no column 'x'"),
        ("examples -i {path}::mt --by lang", 1, "name its columns"),
        ("{path}::ref -i {path}::mt --by lang --html a.html", 2, "--by does not support --html"),
        ("{path}::ref -i {path}::mt --by lang -nr 2", 2, "--by does not support --num-refs"),
        ("{path}.parquet::ref -i {path}::mt", 1, "no such file"),
        ("{path}::ref -i {path}::mt --by lang --language lang", 2, "go together"),
        ("{path}::ref -i {path}::mt --by lang --tokenizers zh=zh", 2, "go together"),
    ],
)
def test_mistakes(path, words, status, problem):
    assert problem in run(*words.format(path=path).split(), status=status)


@pytest.fixture
def parts(tmp_path):
    """Two files, in a directory of their own."""
    folder = tmp_path / "outputs"
    folder.mkdir()
    table = pyarrow.table(ITS)
    parquet.write_table(table[:3], folder / "0.parquet")
    parquet.write_table(table[3:], folder / "1.parquet")
    return folder


@pytest.mark.parametrize("end", ["", "/*.parquet", "/[01].parquet"])
def test_several_files(parts, end, tmp_path):
    name = f"{parts}{end}"
    by = run(f"{name}::ref", "-i", f"{name}::mt", "--by", "lang")
    found = tables.score(pyarrow.table(ITS), "mt", ["ref"], by=["lang"])
    assert json.loads(by) == found.to_pylist()
    for column in ("mt", "ref"):
        lines = "".join(f"{line}\n" for line in ITS[column])
        (tmp_path / column).write_text(lines, encoding="utf-8")
    expected = run(tmp_path / "ref", "-i", tmp_path / "mt")
    assert run(f"{name}::ref", "-i", f"{name}::mt") == expected
    assert run(tmp_path / "ref", "-i", f"{name}::mt") == expected


def test_tokenizers_of_languages(tmp_path):
    path = tmp_path / "t.parquet"
    holes = pyarrow.table(ITS | {"mt": [None, *ITS["mt"][1:]]})
    parquet.write_table(holes, path)
    arguments = f"{path}::ref", "-i", f"{path}::mt", "--by", "lang", "--missing", "skip"
    how = {"language": "lang", "tokenizers": {"zh": "char", "de": "none", None: "13a"}}
    found = json.loads(run(*arguments, "--language", "lang", "--tokenizers", "zh=char,de=none"))
    assert found == tables.score(holes, "mt", ["ref"], by="lang", missing="skip", **how).to_pylist()


CAFE = "mt;ref;lang\na b café d;a b caffè d;=x\n"


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("t.csv", ()),
        ("t.txt", ("--read-as", "csv")),
        ("t", ("--read-as", "tsv", "--delimiter", ";", "--quoted")),
    ],
)
def test_csv_in_another_encoding_with_another_delimiter(name, options, tmp_path):
    path = tmp_path / name
    path.write_bytes(CAFE.encode("latin-1"))
    words = f"{path}::ref", "-i", f"{path}::mt", *options
    expected = BLEU().score(["a b café d"], ["a b caffè d"]).value
    assert json.loads(run(*words, "-e", "latin-1", "-w", "17"))["score"] == expected
    [group] = json.loads(run(*words, "-e", "latin-1", "--by", "lang"))
    assert (group["lang"], group["bleu"]) == ("=x", expected)
    assert "--encoding latin-1" in run(*words, "--by", "lang", status=1)
    assert "such as latin-1" in (error := run(*words, status=1)) or "encoding latin-1" in error


KEYS = ["a|b", "x\ny", "\x1b[31m", "=1+2", "-5", "+2.5e3", "@x", "-x", "007", "nan", "a_b%"]
KEYS.append("\u202e\x9b")
TEXT = ["a|b", r"x\ny", r"\x1b[31m", *KEYS[3:-1], r"\u202e\x9b"]


@pytest.fixture
def keyed(tmp_path):
    """The arguments of the command for a table with the keys."""
    texts = ["the cat sat on it"] * len(KEYS)
    table = pyarrow.table({"k|y": KEYS, "n": [-1] * len(KEYS), "mt": texts, "ref": texts})
    parquet.write_table(table, tmp_path / "t.parquet")
    return f"{tmp_path}/t.parquet::ref", "-i", f"{tmp_path}/t.parquet::mt", "--by", "k|y,n"


def test_keys_are_shown_as_they_are(keyed):
    """Nothing in a key acts on the terminal, the markup or a spreadsheet; numbers stay numbers."""
    lines = run(*keyed, "-f", "text").decode().splitlines()
    assert [line.split()[:2] for line in lines[2 : 2 + len(KEYS)]] == [[key, "-1"] for key in TEXT]
    assert "tok:13a" in lines[-1]
    lines = run(*keyed, "-f", "markdown").decode().splitlines()
    cells = [
        re.split(r" *(?<!\\)\| *", line)[1:3] for line in [lines[0], *lines[2 : 2 + len(KEYS)]]
    ]
    assert cells[0] == [r"k\|y", "n"]
    assert cells[1:5] == [[r"a\|b", "-1"], ["x y", "-1"], [r"\x1b\[31m", "-1"], ["=1+2", "-1"]]
    assert "`nrefs:1|" in lines[-1]
    assert [cell for cell, _ in cells[-4:]] == ["007", "nan", r"a\_b%", r"\u202e\x9b"]
    found = run(*keyed, "-f", "latex").decode()
    assert "% nrefs:1|" in found
    escaped = r"\textbackslash{}x1b[31m ", r" a\_b\% ", r"x\textbackslash{}ny ", " 007 "
    for cell in ("\\toprule", r"hyp\_len", *escaped):
        assert cell in found
    rows = list(reader(io.StringIO(run(*keyed, "-f", "csv").decode())))
    assert rows[0][:2] == ["k|y", "n"]
    guarded = {"=1+2", "@x", "-x"}
    expected = [["'" * (key in guarded) + key, "-1"] for key in TEXT]
    assert [row[:2] for row in rows[1:]] == expected
    found = run(*keyed, "-f", "json").decode()
    assert [row["k|y"] for row in json.loads(found)] == KEYS
    assert found.replace("\n", "").isprintable()
