"""Captions are read from the same JSON as by Python's `json`, with the same result."""

import json
import random

import pytest
from generators import SEED

from fastbleu.inputs.coco_captions import parse_captions

_VALUES = """
"a" "\\u00e9\\n" "é€😀" "a\\"b" "\x01" "\\x" "\\ud800" "\ud800" "" 1 -3 0 01 123456789012345678
1234567890123456789012 1.5 1e3 2.0 null true NaN [] {} [1,{"a":2}] {"image_id":3}
"""
VALUES = _VALUES.split()
KEYS = ['"image_id"', '"caption"', '"id"', '"\\u0063aption"', "x"]
BROKEN = ["", ",", "}", "]", '"', " ", "\t", "\x00", "\x0b", "\\"]
CODES = ["utf-8"] * 8 + ["utf-8-sig", "utf-16", "utf-32"]


def entry(rng):
    members = [
        f'"image_id"{rng.choice([":", " : "])}{rng.choice(["1", "2", rng.choice(VALUES)])}',
        f'"caption": {rng.choice([chr(34) + "x y" + chr(34), rng.choice(VALUES)])}',
        *[f"{rng.choice(KEYS)}:{rng.choice(VALUES)}" for _ in range(rng.choice([0, 0, 1]))],
    ]
    rng.shuffle(members)
    return "{" + rng.choice(["", " ", "\r\n"]) + rng.choice([",", ", "]).join(members) + "}"


def document(rng):
    text = "[" + ", ".join([entry(rng) for _ in range(rng.randint(0, 3))]) + "]"
    if rng.random() < 0.5:
        before = rng.choice(["", '"info": {"a": [1, 2]},', '"images" :[{"id": 1}], '])
        text = "{" + before + '"annotations":' + text + rng.choice(["", ',"x": 1']) + "}"
    if rng.random() < 0.4:
        place = rng.randrange(len(text) + 1)
        text = text[:place] + rng.choice(BROKEN) + text[place + rng.randint(0, 1) :]
    return text.encode(rng.choice(CODES), "surrogatepass")


def expected(data):
    found = json.loads(data)
    captions = {}
    for one in found["annotations"] if type(found) is dict else found:
        image, caption = one["image_id"], one["caption"]
        if type(caption) is not str or type(image) not in (int, str):
            raise ValueError
        captions.setdefault(image, []).append(caption)
    return captions


def test_captions_are_read_as_by_json():
    rng = random.Random(SEED)
    read = 0
    for _ in range(20_000):
        data = document(rng)
        try:
            captions = expected(data)
        except (ValueError, KeyError, TypeError):
            with pytest.raises(ValueError, match="name: "):
                parse_captions(data, "name")
            continue
        found = parse_captions(data, "name")
        assert list(found.items()) == list(captions.items()), data
        read += 1
    assert read > 2000


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
        (b"[[]]", 'entry 0 has no "image_id"'),
    ],
)
def test_errors_say_what_is_wrong(data, problem):
    with pytest.raises(ValueError) as raised:
        parse_captions(data, "name")
    assert str(raised.value).startswith(f"name: {problem}")
