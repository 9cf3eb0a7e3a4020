"""What is wrong with a file of captions is said."""

import pytest

from fastbleu.inputs.coco_captions import parse_captions


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (b"", "this is not JSON: Expecting value: line 1 column 1"),
        (b"\xff", "this is not JSON: 'utf-8' codec can't decode byte 0xff"),
        (b"[] x", "this is not JSON: Extra data: line 1 column 4"),
        (b'{"annotations": []', "this is not JSON: Expecting ',' delimiter: line 1 column 19"),
        (b'{"a": ' + b"[" * 200_000, "this is not JSON: maximum recursion depth"),
        (b"7", "expected a list of captions, found an int"),
        (b'{"a": 1}', 'the object has no key "annotations"'),
        (b'{"image_id": 7, "caption": "a"}', 'the object has no key "annotations"'),
        (b"[[]]", 'entry 0 has no "image_id"'),
        (b'[{"image_id": 7, "caption": "a"}, {}]', 'entry 1 has no "image_id"'),
        (b'[{"image_id": true, "caption": "a"}]', 'entry 0 has no "image_id"'),
    ],
)
def test_errors_say_what_is_wrong(data, problem):
    with pytest.raises(ValueError) as raised:
        parse_captions(data, "name")
    assert str(raised.value).startswith(f"name: {problem}")


def test_captions_elsewhere_in_the_file_do_not_count():
    one, other = '{"image_id": 7, "caption": "a"}', '{"image_id": 9, "caption": "b"}'
    nested = f'{{"image_id": 7, "caption": "c", "inner": {other}}}'
    its = f'"before": {other}, "annotations": [{one}, {nested}], "after": [{other}]'
    data = f'{{"image_id": 8, "caption": "d", {its}}}'
    assert parse_captions(data, "name") == {7: ["a", "c"]}
