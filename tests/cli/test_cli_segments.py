"""``-sl`` as a table: number, scores and texts of each segment, sorted, of several systems."""

import json

import pytest
from commands import R1, R2, A, B, error, output, same

LINES = {path: path.read_text(encoding="utf-8").splitlines() for path in (R1, R2, A, B)}


def scores(system):
    """As in sacreBLEU's lines."""
    status, text = same(R1, R2, "-i", system, "-sl", "-b", "-w", "3")
    assert status == 0
    return [float(line) for line in text.splitlines()]


def test_a_table_holds_the_scores_and_texts_of_the_lines():
    words = [R1, R2, "-i", B, "-sl", "-w", "3"]
    rows = output(*words, "-f", "tsv").splitlines()
    assert rows[0].split("\t") == ["segment", "score", "hypothesis", "reference 1", "reference 2"]
    table = [row.split("\t") for row in rows[1:]]
    numbers, values, hypotheses, *references = zip(*table, strict=True)
    assert list(map(int, numbers)) == list(range(1, 41))
    assert list(map(float, values)) == scores(B)
    assert [list(hypotheses), *map(list, references)] == [LINES[B], LINES[R1], LINES[R2]]
    records = json.loads(output(*words, "-f", "json"))
    assert list(records[0]) == rows[0].split("\t")
    assert [record["score"] for record in records] == scores(B)
    assert [list(record.values())[2:] for record in records] == [row[2:] for row in table]
    environment = {"SACREBLEU_FORMAT": "json"}  # does not choose a table
    assert same(R1, "-i", A, "-sl", env=environment)[0] == 0


def test_control_characters_are_shown_as_such(tmp_path):
    name, text = tmp_path / "a\x1b[31m\x9b", "a\x1b[2J b\x0bc\x7f \u202ed e"
    name.write_text(f"{text}\n", encoding="utf-8")
    (tmp_path / "b").write_text(f"{text}\n", encoding="utf-8")
    shown = r"a\x1b[2J b\x0bc\x7f \u202ed e"
    systems = "-i", name, tmp_path / "b"
    rows = output(name, *systems, "-sl", "-f", "tsv").splitlines()
    assert rows[0].split("\t")[1].endswith(r"a\x1b[31m\x9b")
    assert rows[1].split("\t")[3:] == [shown] * 3
    listed = output(name, *systems, "-sl", "-f", "json")
    assert listed.replace("\n", "").isprintable()
    assert json.loads(listed)[0]["reference"] == text
    for options in ("-f text", "-f text -par -parn 9", "--dialect nltk -f text"):
        printed = output(name, *systems, *options.split())
        assert printed.replace("\n", "").replace("\t", "").isprintable()
        assert r"a\x1b[31m\x9b" in printed
    assert output(name, "-i", name, "--explain").replace("\n", "").isprintable()


def test_systems_side_by_side():
    rows = output(R1, R2, "-i", A, B, "-sl", "-f", "tsv", "-b", "-w", "3").splitlines()
    assert rows[0].split("\t") == ["segment", f"score {A}", f"score {B}"]
    columns = zip(*[map(float, row.split("\t")) for row in rows[1:]], strict=True)
    assert list(map(list, columns)) == [list(range(1, 41)), scores(A), scores(B)]
    record = json.loads(output(R1, R2, "-i", A, B, "-sl", "-f", "json"))[0]
    assert record[f"hypothesis {B}"] == LINES[B][0]
    assert "-sl scores single segments" in error(R1, "-i", A, "-sl", "-f", "tsv", "-ci")


@pytest.mark.parametrize("systems", [(A,), (A, B)])
def test_the_worst_segments_come_first(systems):
    means = list(map(sum, zip(*map(scores, systems), strict=True)))
    ordered = sorted(range(40), key=lambda number: means[number])
    words = [R1, R2, "-i", *systems, "-sl", "-b"]

    def numbers(*options):
        return [int(row.split("\t")[0]) - 1 for row in output(*words, *options).splitlines()[1:]]

    assert numbers("--sort", "score") == ordered
    assert numbers("--worst", "7", "-f", "tsv") == ordered[:7]
    assert numbers("--worst", "7", "--sort", "segment") == sorted(ordered[:7])
    assert numbers("--worst", "99", "--sort", "segment") == list(range(40))
    records = json.loads(output(*words, "--worst", "1", "-f", "json"))
    assert [record["segment"] - 1 for record in records] == ordered[:1]


def test_texts_that_would_break_a_table(tmp_path):
    text = "a\tb\nc \ud800"
    (tmp_path / "h.jsonl").write_text(json.dumps({"mt": text}))
    (tmp_path / "r").write_text("a b c\n")
    words = [tmp_path / "r", "-i", f"{tmp_path}/h.jsonl::mt", "-sl"]
    assert output(*words, "-f", "tsv").split("\n")[1].split("\t")[2] == r"a b c \ud800"
    assert json.loads(output(*words, "-f", "json"))[0]["hypothesis"] == text
