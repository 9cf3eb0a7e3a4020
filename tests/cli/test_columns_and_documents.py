"""Rows matched by a column, documents, groups of what ``::NAME`` reads, other programs' files."""

import csv
import io
import json
import sys
import zipfile

import pytest
from commands import R1, A, B, error, output, run_for_bytes, usage_error
from read_files import write

from fastbleu import BLEU, tables

REFERENCES = ["The cat sat.", "It rained all night.", "A dog barked.", "Nobody came back."]
HYPOTHESES = ["The cat sat.", "It rained at night.", "The dog barked.", "Nobody came."]
KEYS, LANGUAGES = ["7", "8", "9", "10"], ["de", "fr", "de", "fr"]
ORDER = [2, 0, 3, 1]


def value(*arguments):
    """The score, to all digits."""
    return json.loads(output(*arguments, "-w", "200"))["score"]


def rows(name, texts, order=range(4)):
    return [{"id": KEYS[n], "lang": LANGUAGES[n], name: texts[n]} for n in order]


def table(folder, name, given):
    """A file with these rows, of the kind that its name says."""
    path, file = folder / name, io.StringIO()
    if path.suffix == ".jsonl":
        file.writelines(json.dumps({**row, "id": int(row["id"])}) + "\n" for row in given)
    else:
        mark = "," if path.suffix == ".csv" else "\t"
        writer = csv.DictWriter(file, list(given[0]), delimiter=mark, lineterminator="\n")
        writer.writeheader()
        writer.writerows(given)
    return write(path, file.getvalue())


@pytest.mark.parametrize("end", ["csv", "tsv", "jsonl"])
@pytest.mark.parametrize("other", ["tsv", "jsonl"])
def test_rows_are_matched_by_a_column(tmp_path, end, other):
    references = table(tmp_path, f"ref.{end}", rows("ref", REFERENCES))
    hypotheses = table(tmp_path, f"mt.{other}", rows("mt", HYPOTHESES, ORDER))
    files = f"{references}::ref", "-i", f"{hypotheses}::mt"
    expected = BLEU().score(HYPOTHESES, REFERENCES).value
    assert value(*files, "--keyed-by", "id") == expected
    assert value(*files) != expected
    fewer = table(tmp_path, f"fewer.{other}", rows("mt", HYPOTHESES, [2, 0, 3]))
    message = error(files[0], "-i", f"{fewer}::mt", "--keyed-by", "id")
    assert f"{fewer} has no row with the key '8', which is row 2 of {references}" in message
    twice = table(tmp_path, f"twice.{other}", rows("mt", HYPOTHESES, [2, 0, 2]))
    message = error(files[0], "-i", f"{twice}::mt", "--keyed-by", "id")
    assert "rows 1 and 3 have the key '9': each needs its own" in message
    assert "--keyed-by id" in error(*files, "--keyed")


def test_lists_of_references_and_missing_texts_are_matched(tmp_path):
    lists = [[text, "It was."] for text in REFERENCES]
    references = table(tmp_path, "ref.jsonl", rows("refs", lists))
    given = rows("mt", HYPOTHESES, ORDER)
    hypotheses = table(tmp_path, "mt.jsonl", [*given[:3], {**given[3], "mt": None}])
    files = f"{references}::refs", "-i", f"{hypotheses}::mt", "--keyed-by", "id", "-b", "-w", "9"
    assert "no value" in error(*files)
    status, out, err = run_for_bytes(*files, "--missing", "skip")
    expected = BLEU().score(HYPOTHESES[:1] + HYPOTHESES[2:], lists[:1] + lists[2:]).value
    assert (status, out) == (0, f"{expected:.9f}\n".encode())
    assert "left out 1 segment" in err


def test_keys_are_of_tables(tmp_path):
    text = write(tmp_path / "a.txt", "a\n")
    assert "a column of files with ::SELECTOR" in error(text, "-i", text, "--keyed-by", "id")


def test_text_tables_need_no_pyarrow(tmp_path, monkeypatch):
    for name in [name for name in sys.modules if name.partition(".")[0] == "pyarrow"]:
        monkeypatch.setitem(sys.modules, name, None)
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    expected = BLEU().score(HYPOTHESES, REFERENCES).value
    for end in ("csv", "tsv"):
        references = table(tmp_path, f"ref.{end}", rows("ref", REFERENCES))
        hypotheses = table(tmp_path, f"mt.{end}", rows("mt", HYPOTHESES))
        assert value(f"{references}::ref", "-i", f"{hypotheses}::mt") == expected


def test_a_column_of_csv_is_named_or_numbered(tmp_path):
    path = write(tmp_path / "t.csv", '2,"a ""name"""\nthe cat sat down,"a cat sat down"\n\n')
    expected = BLEU().score(["a cat sat down"], ["the cat sat down"]).value
    assert value(f"{path}::2", "-i", f'{path}::a "name"') == expected
    path = write(tmp_path / "numbers.csv", 'the cat sat down,"a cat sat down"\n\nit,"it, too"\n')
    expected = BLEU().score(["a cat sat down", "it, too"], ["the cat sat down", "it"]).value
    assert value(f"{path}::1", "-i", f"{path}::2") == expected
    message = error(f"{table(tmp_path, 'n.csv', [{'name': 'x'}])}::nam", "-i", path)
    assert "choose name, or a number if" in message


DOCUMENTS = ["a", "b", "a", "b"]
SGM = (
    '<{set} setid="s" {name}>\n<doc docid="a">\n<seg id="1">{0}</seg>\n<seg id="2">{2}</seg>\n'
    '</doc>\n<doc docid="b">\n<seg id="1">{1}</seg>\n<seg id="2">{3}</seg>\n</doc>\n</{set}>\n'
)


def markup(folder):
    reference = SGM.format(*REFERENCES, set="refset", name='refid="A"')
    system = SGM.format(*HYPOTHESES, set="tstset", name='sysid="B"')
    return write(folder / "ref.sgm", reference), write(folder / "mt.sgm", system)


def test_segments_of_documents_are_joined(tmp_path):
    files = [tmp_path / name for name in ("ref.txt", "mt.txt", "documents.txt")]
    for path, lines in zip(files, (REFERENCES, HYPOTHESES, DOCUMENTS), strict=True):
        write(path, "".join(f"{line}\n" for line in lines))
    expected = BLEU().score(HYPOTHESES, REFERENCES, join=DOCUMENTS)
    assert value(files[0], "-i", files[1], "--documents", files[2]) == expected.value
    each = output(files[0], "-i", files[1], "--documents", files[2], "-sl", "-b", "-w", "9")
    scores = BLEU().sentence_scores(HYPOTHESES, REFERENCES, join=DOCUMENTS)
    assert each == "".join(f"{score:.9f}\n" for score in scores)
    reference, system = markup(tmp_path)
    of_markup = value(reference, "-i", system, "--documents", f"{reference}::docid")
    assert of_markup == expected.value
    assert "--ids is shown in a report" in usage_error(files[0], "-i", files[1], "--ids", files[2])


def test_groups_of_segments_that_tables_do_not_read(tmp_path):
    pytest.importorskip("narwhals")
    pytest.importorskip("pyarrow")

    def groups(*arguments):
        found = json.loads(output(*arguments))
        return {row[arguments[-1]]: row["bleu"] for row in found}

    def expected(groups):
        metric, pairs = BLEU(), list(zip(HYPOTHESES, REFERENCES, groups, strict=True))
        own = {group: [pair for pair in pairs if pair[2] == group] for group in groups}
        sides = {group: list(zip(*pairs, strict=True))[:2] for group, pairs in own.items()}
        return {group: metric.score(*map(list, both)).value for group, both in sides.items()}

    reference, system = markup(tmp_path)
    assert groups(reference, "-i", system, "--by", "docid") == expected(DOCUMENTS)
    message = error(reference, "-i", system, "--by", "docid", "--missing", "skip")
    assert "no file is read as one" in message
    records = [
        {"mt": {"out": [h]}, "ref": [r], "year": g}
        for h, r, g in zip(HYPOTHESES, REFERENCES, (1, 2, 1, 2), strict=True)
    ]
    path = write(tmp_path / "t.json", json.dumps(records))
    files = f"{path}::ref.0", "-i", f"{path}::mt.out.0", "--by"
    assert list(groups(*files, "year").values()) == list(expected(DOCUMENTS).values())
    path = write(tmp_path / "t.jsonl", "".join(json.dumps(record) + "\n" for record in records))
    files = f"{path}::ref", "-i", f"{path}::mt.out.0", "--by", "year"
    assert groups(*files) == groups(f"{path}::ref.0", *files[1:])
    for form, decimals in (("text", "12"), ("csv", "3")):
        found = run_for_bytes(*files, "-f", form, "-w", decimals)[1].decode()
        assert f"{round(expected(DOCUMENTS)['a'], int(decimals))}" in found


def test_intervals_of_several_systems_are_those_of_each():
    both = json.loads(output(R1, "-i", A, B, "--confidence", "-cin", "50", "-w", "6"))
    for system, record in zip((A, B), both, strict=True):
        alone = json.loads(output(R1, "-i", system, "--confidence", "-cin", "50", "-w", "6"))
        assert record["system"] == str(system)
        found = [round(record["BLEU"][name], 6) for name in ("score", "mean", "ci")]
        assert found == [alone[name] for name in ("score", "confidence_mean", "confidence_var")]
    table = output(R1, "-i", A, B, "--confidence", "-m", "bleu", "chrf", "-f", "text")
    assert table.count("±") == 2 + 4


# Files of other programs are named for what they are, or read.

XML = '<?xml version="1.0"?>\n'
TMX = f'{XML}<tmx version="1.4"><body><tu><tuv><seg>a</seg></tuv></tu></body></tmx>\n'
XLIFF = f'{XML}<!DOCTYPE xliff>\n<xliff version="1.2"><file><body/></file></xliff>\n'
SRT = "1\n00:00:01,000 --> 00:00:02,000\nHello there\n"
VTT = "WEBVTT\n\n00:01.000 --> 00:02.000\nHello there\n"


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        *((name, TMX, "TMX or XLIFF of a trans") for name in ("m.tmx", "m.txt", "m.xml")),
        *((name, XLIFF, "TMX or XLIFF of a trans") for name in ("m.xlf", "m.xliff", "m.xml")),
        ("m.srt", SRT, "subtitles (SRT): add --keyed to match their texts by number"),
        ("m.vtt", VTT, "subtitles (WebVTT): convert them to SRT"),
    ],
)
def test_files_of_translation_tools(tmp_path, name, text, words):
    pytest.importorskip("defusedxml")
    path = write(tmp_path / name, text)
    assert words in error(path, "-i", path)


@pytest.mark.parametrize("end", ["xlsx", "tmx", "srt"])
def test_suffixes_with_a_selector(tmp_path, end):
    path = tmp_path / f"m.{end}"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("[Content_Types].xml", "<a/>")
        archive.writestr("xl/workbook.xml", "<a/>")
    what = {"xlsx": "a spreadsheet: save", "tmx": "TMX or XLIFF", "srt": "subtitles"}[end]
    assert what in error(f"{path}::ref", "-i", f"{path}::mt")
    if end == "xlsx":
        assert "pandas.read_excel(" in error(path, "-i", path)
    pytest.importorskip("narwhals")
    pytest.importorskip("pyarrow")
    with pytest.raises(ValueError, match=what):
        tables.score(str(path), "mt", "ref")


@pytest.mark.parametrize("indent", [None, 4])
def test_objects_with_numbers_are_in_their_order(tmp_path, indent):
    sides = [f"a b c d {n}" for n in range(12)], [f"a b c d {n // 2}" for n in range(12)]
    pairs = {str(n): {"prediction": sides[0][n], "gold": sides[1][n]} for n in reversed(range(12))}
    path = write(tmp_path / "results.json", json.dumps(pairs, indent=indent))
    found = output(f"{path}::gold", "-i", f"{path}::prediction", "-w", "200")
    assert json.loads(found)["score"] == BLEU().score(*sides).value
    lines = "".join(json.dumps({"0": g, "1": h}) + "\n" for h, g in zip(*sides, strict=True))
    path = write(tmp_path / "lines.jsonl", lines)
    assert output(f"{path}::0", "-i", f"{path}::1", "-w", "200") == found
    path = write(tmp_path / "one.json", json.dumps({"a": {"gold": "x"}}, indent=indent))
    assert "no key 'gold' in an object with the keys 'a'" in error(
        f"{path}::gold", "-i", f"{path}::gold"
    )


def test_error_messages_instead_of_translations_are_noticed(tmp_path):
    references = [f"the cat sat on a mat {n}" for n in range(600)]
    wrong = [
        "HTTP 429: Too Many Requests" if n % 10 == 0 else text for n, text in enumerate(references)
    ]
    with pytest.warns(UserWarning, match=r"segments, 7 hypotheses are identical, 'HTTP 429"):
        BLEU().score(wrong, references)
    same = ["yes" if n % 10 == 0 else text for n, text in enumerate(references)]
    BLEU().score(same, [text.replace("a", "e") if text != "yes" else text for text in same])


def test_several_outputs_of_a_segment():
    with pytest.raises(TypeError, match=r"pass one of each, as \[texts\[0\] for"):
        BLEU().score([["a b c", "a b d"]], [["a b c"]])
