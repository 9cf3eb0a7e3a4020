"""Errors say what is wrong with a file of captions."""

import json

import pytest

from fastbleu.files.formats import parse_captions
from fastbleu.integrations import coco


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


def test_ids_are_numbers_or_text(tmp_path):
    captions = [{"image_id": 7, "caption": "the cat sat on"}, {"image_id": 8, "caption": "it ran"}]
    files = {"a.json": {"annotations": captions}, "b.json": {"8": "it ran", "7": "the cat sat up"}}
    for name, its in files.items():
        (tmp_path / name).write_text(json.dumps(its))
    table = coco.read(tmp_path / "a.json", tmp_path / "b.json")
    assert table["image_id"] == [7, 8]
    assert table["hypothesis"] == ["the cat sat up", "it ran"]
    mixed = {"annotations": [*captions, {"image_id": "7", "caption": "another"}]}
    (tmp_path / "a.json").write_text(json.dumps(mixed))  # 7 is not "7"
    with pytest.raises(ValueError, match="image '8' has no annotation"):
        coco.read(tmp_path / "a.json", tmp_path / "b.json")
