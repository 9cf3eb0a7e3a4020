"""What is wrong with a file of captions is said."""

import json
import sys

import pytest

from fastbleu import BLEU
from fastbleu.cli.command import main
from fastbleu.inputs.coco_captions import parse_captions
from fastbleu.tables.coco import read_coco

# Values of JSON and what resembles them.
VALUES = [
    *("1", "1.0", "1e2", "-0", "1.", ".5", "+1", "-", "01", "1e999", "NaN", "Infinity", "[1]"),
    *("1" * 30, "18446744073709551615", "-9223372036854775809", "true", "null", '{"a": 2}'),
    *('""', '"a"', '"\xe9"', '"a\x01b"', '"a\tb"', r'"\ud800"', r'"\ud83d\ude00"', r'"\u0000"'),
    *(r'"\x"', r'"\/"'),
]
FILES = ["[{}]", '{{"info": 1, "annotations": [{}]}}', '{{"annotations": [{}], "x": [{{}}]}}']
BAD = [bytes([byte]) for byte in b'\0 ",[]{}\xff\xc3\xed']


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (b"", "this is not JSON: Expecting value: line 1 column 1"),
        (b"\xff", "this is not JSON: 'utf-8' codec can't decode byte 0xff"),
        (b"[] x", "this is not JSON: Extra data: line 1 column 4"),
        (b'{"annotations": []', "this is not JSON: Expecting ',' delimiter: line 1 column 19"),
        (b'{"a": ' + b"[" * 200_000, "this is not JSON: maximum recursion depth"),
        (b"7", "expected a list of captions, found an int"),
        (b'{"images": [{"id": 7}]}', 'entry 0 has no "image_id" with a "caption"'),
        (b'{"image_id": 7, "caption": "a"}', 'entry 0 has no "image_id"'),
        (b'[{"image_id": 7, "caption": "a"}, {}]', 'entry 1 has no "image_id"'),
        (b'[{"image_id": true, "caption": "a"}]', 'entry 0 has no "image_id"'),
    ],
)
def test_damaged_files(data, problem):
    with pytest.raises(ValueError) as raised:
        parse_captions(data, "name")
    assert str(raised.value).startswith(f"name: {problem}")


def test_captions_elsewhere_in_the_file_do_not_count():
    one, other = '{"image_id": 7, "caption": "a"}', '{"image_id": 9, "caption": "b"}'
    nested = f'{{"image_id": 7, "caption": "c", "inner": {other}}}'
    its = f'"before": {other}, "annotations": [{one}, {nested}], "after": [{other}]'
    data = f'{{"image_id": 8, "caption": "d", {its}}}'.encode()
    assert parse_captions(data, "name") == {7: ["a", "c"]}


@pytest.mark.parametrize("others", [[{"caption": "a"}, {"caption": "c"}], ["a", "c"]])
def test_captions_by_image(others):
    data = json.dumps({"7": others, "8": "b"}).encode()
    assert parse_captions(data, "name") == {"7": ["a", "c"], "8": ["b"]}


def test_ids_are_numbers_or_text(tmp_path, capsys):
    captions = [{"image_id": 7, "caption": "the cat sat on"}, {"image_id": 8, "caption": "it ran"}]
    files = {"a.json": {"annotations": captions}, "b.json": {"8": "it ran", "7": "the cat sat up"}}
    for name, its in files.items():
        (tmp_path / name).write_text(json.dumps(its))
    table = read_coco(tmp_path / "a.json", tmp_path / "b.json")
    assert table["image_id"] == [7, 8]
    assert table["hypothesis"] == ["the cat sat up", "it ran"]
    assert main([f"{tmp_path}/a.json", "-i", f"{tmp_path}/b.json", "-b", "-w", "17"]) == 0
    expected = BLEU().score(table["hypothesis"], table["references"]).value
    assert float(capsys.readouterr().out) == expected
    mixed = {"annotations": [*captions, {"image_id": "7", "caption": "another"}]}
    (tmp_path / "a.json").write_text(json.dumps(mixed))  # 7 is not "7"
    with pytest.raises(ValueError, match="image '8' has no annotation"):
        read_coco(tmp_path / "a.json", tmp_path / "b.json")


def test_captions_are_the_same_with_msgspec_and_without(monkeypatch):
    entry = '{{"image_id": {}, "caption": {}, "id": {}}}'
    entries = [entry.format(*["7", '"c"', "7"][:n], value, *["7", '"c"', "7"][n + 1 :])
               for value in VALUES for n in range(3)]  # fmt: skip
    entries += ['{"image_id": 7, "image_id": 8, "caption": "a", "caption": "b"}', "{}", "7"]
    files = [text.format(entry) for text in FILES for entry in [*entries, ", ".join(entries[:9])]]
    whole = files[-1].encode()
    damaged = [whole[:n] + bad + whole[n + 1 :] for n in range(len(whole)) for bad in BAD]

    def parsed(data):
        try:
            return [*parse_captions(data, "name").items()]
        except ValueError as error:
            return str(error)

    data = [*map(str.encode, files), *damaged]
    results = list(map(parsed, data))
    monkeypatch.setitem(sys.modules, "msgspec", None)
    for file, result in zip(data, results, strict=True):
        assert parsed(file) == result, file
    assert {type(result) for result in results} == {list, str}
