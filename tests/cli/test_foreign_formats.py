"""Files of other programs are named for what they are, or read."""

import json
import zipfile

import pytest
from commands import error, output
from read_files import write

from fastbleu import BLEU, tables

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
