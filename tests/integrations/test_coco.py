"""pycocoevalcap's tokenizer, BLEU and files, by recorded numbers and, if installed, by itself."""

import importlib.util
import json
import lzma
import random
import shutil

import pytest
from generators import raises
from ptb_texts import caption
from recordings import recorded_tools

import fastbleu
from fastbleu.cli import main
from fastbleu.files.formats import parse_captions
from fastbleu.integrations.coco import Bleu, PTBTokenizer, read
from fastbleu.originals import _ptb

# Corpora with "\r", "\v", "\f", U+2028 or U+2029, which end a line in Java.
BROKEN = {"edge:e62", "edge:e63", "edge:e66"}


def scored(hypotheses, references, compatible):
    tokenizer = PTBTokenizer(compatible)
    sides = [[[text] for text in hypotheses], references]
    res, gts = (
        tokenizer.tokenize({i: [{"caption": c} for c in side[i]] for i in range(len(side))})
        for side in sides
    )
    return Bleu(4).compute_score(gts, res, verbose=0)


@pytest.mark.parametrize("compatible", [False, True])
def test_recorded_corpora(compatible):
    for hypotheses, references, case in recorded_tools():
        if case["id"] in BROKEN:
            if compatible:
                with pytest.raises(ValueError, match="gives captions the tokens of others"):
                    scored(hypotheses, references, compatible)
            continue
        expected = case["corpus"]["coco ptb"], case["sentences"]["coco ptb"]
        assert scored(hypotheses, references, compatible) == expected, case["id"]
        metric = fastbleu.BLEU("coco", tokenize="ptb")
        assert list(metric.score(hypotheses, references).cumulative) == expected[0]


@pytest.fixture
def original():
    if importlib.util.find_spec("pycocoevalcap") is None or shutil.which("java") is None:
        pytest.skip("needs Java and pycocoevalcap")
    from pycocoevalcap.bleu import bleu
    from pycocoevalcap.tokenizer import ptbtokenizer

    return ptbtokenizer.PTBTokenizer, bleu.Bleu


@pytest.mark.filterwarnings("ignore::ResourceWarning")
def test_the_same_as_pycocoevalcap(original, capsys):
    """Shapes, numbers and printed text, with and without the patch."""
    their_tokenizer, their_bleu = original
    rng = random.Random(7)
    sides = [
        {image: [{"caption": caption(rng)} for _ in range(most)] for image in range(300)}
        for most in (3, 1)
    ]
    gts, res = (their_tokenizer().tokenize(side) for side in sides)
    expected = their_bleu(4).compute_score(gts, res, verbose=2)
    printed = capsys.readouterr().out
    assert [PTBTokenizer(compatible=True).tokenize(side) for side in sides] == [gts, res]
    assert Bleu(4).compute_score(gts, res, verbose=2) == expected
    assert capsys.readouterr().out == printed
    assert Bleu(2).compute_score(gts, res, 0) == their_bleu(2).compute_score(gts, res, 0)
    broken = {1: [{"caption": "a cat\rsat"}], 2: [{"caption": "a dog"}]}
    shifted = their_tokenizer().tokenize(broken)
    with fastbleu.patch("coco") as patched:
        assert "PTBTokenizer.tokenize" in repr(patched)
        assert [their_tokenizer().tokenize(side) for side in sides] == [gts, res]
        assert their_tokenizer().tokenize(broken) == shifted == {1: ["a cat"], 2: ["sat"]}
        for wrong in ([{"caption": None}], [{"caption": "a"}, {"caption": "\udc00"}]):
            with pytest.raises((AttributeError, UnicodeEncodeError)):
                their_tokenizer().tokenize({1: wrong})


def tokenized(captions):
    """The tokens of captions as lines of one file."""
    entries = [{"caption": text} for text in captions]
    return PTBTokenizer(compatible=True).tokenize({1: entries})[1]


def test_captions_are_read_as_the_lines_of_one_file():
    """The next one that is not blank can change the end; many blank ones cost no time."""
    rng = random.Random(9)
    pieces = ["etc.", "U.S.", "they've", ":D", "'90", "Inc.", "cat", "5", "A", "it&apos;s"]
    pieces += ["No.", "&apos;s", "<b>", "\u00e9", "\U0001f600"]
    blanks = ["", " ", "\t", "\xa0 ", "\u2003", "\x85", "\x1c"]
    for _ in range(1000):
        captions = []
        for _ in range(3):
            captions += rng.choices(blanks, k=rng.choice([0, 1, 2, 40]))
            captions.append(" ".join(rng.choices(pieces, k=3)))
        file = "\n".join(captions)
        assert tokenized(captions) == _ptb.write(file, False, len(file)).split("\n")
    assert tokenized([""] * 500_000) == [""] * 500_000  # or it would take hours


def test_errors():
    for broken in ({1: [{"text": "a"}]}, {1: [{"caption": None}]}):
        with pytest.raises((KeyError, AttributeError)):
            PTBTokenizer().tokenize(broken)
    for gts, res, problem in (
        ({1: ["a"]}, {2: ["a"]}, "different images"),
        ({1: ["a"]}, {1: ["a", "b"]}, "list of one hypothesis"),
        ({1: ["a"]}, {1: "a"}, "list of one hypothesis"),
        ({1: []}, {1: ["a"]}, "at least one reference"),
    ):
        raises(AssertionError, problem, Bleu().compute_score, gts, res)


def test_files_of_captions(tmp_path, capsys):
    """The command and tables score what pycocoevalcap would."""

    def write(name, pairs):
        path = tmp_path / name
        entries = [{"image_id": image, "caption": text} for image, text in pairs]
        path.write_text(json.dumps({"annotations": entries}), encoding="utf-8")
        return str(path)

    texts = [(1, "A man's riding."), (2, "A cat!"), (2, "the cat sat"), (3, "no result")]
    annotations = write("annotations.json", texts)
    results = write("results.json", [(2, "the cat sat down"), (1, "a man rides a bike")])
    table = read(annotations, results)
    assert table == {
        "image_id": [1, 2],
        "hypothesis": ["a man rides a bike", "the cat sat down"],
        "references": [["A man's riding."], ["A cat!", "the cat sat"]],
    }
    assert main([annotations, "-i", results, "--dialect", "coco"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["cumulative"] == scored(table["hypothesis"], table["references"], False)[0]
    assert main([annotations, "-i", results, "-sl", "-f", "tsv"]) == 0
    lines = capsys.readouterr().out.splitlines()[1:]
    references = [["A man's riding.", ""], ["A cat!", "the cat sat"]]
    assert [line.split("\t")[3:] for line in lines] == references
    assert main([f"{annotations}::caption", "-i", results]) == 1
    assert "for other JSON choose a text with ::KEY" in capsys.readouterr().err
    packed = tmp_path / "results.json.xz"
    packed.write_bytes(lzma.compress(b"{}")[:-9])
    message = r"json\.xz: the compressed data ends too early"
    raises(ValueError, message, read, annotations, packed)
    for pairs, problem in (
        ([(1, "a"), (1, "b")], "image 1 has 2 captions, expected one"),
        ([], "there are no captions"),
    ):
        wrong = write("wrong.json", pairs)
        raises(ValueError, problem, read, annotations, wrong)
        assert main([annotations, "-i", wrong, "--dialect", "coco"]) == 1
        assert problem in capsys.readouterr().err


DAMAGED = [
    (b"", "this is not JSON: Expecting value: line 1 column 1"),
    (b"\xff", "this is not JSON: 'utf-8' codec can't decode byte 0xff"),
    (b"[] x", "this is not JSON: Extra data: line 1 column 4"),
    (b'{"annotations": []', "this is not JSON: Expecting ',' delimiter: line 1 column 19"),
    (b'{"a": ' + b"[" * 200_000, "this is not JSON: maximum recursion depth"),
    (b"7", "expected a list of captions, found an int"),
    (b'{"images": [{"id": 7}]}', 'entry 0 has no "image_id" with a "caption"'),
    (b'[{"image_id": 7, "caption": 7}]', 'entry 0 has no "image_id" with a "caption"'),
    (b'{"image_id": 7, "caption": "a"}', 'entry 0 has no "image_id"'),
    (b'[{"image_id": 7, "caption": "a"}, {}]', 'entry 1 has no "image_id"'),
    (b'[{"image_id": true, "caption": "a"}]', 'entry 0 has no "image_id"'),
]


@pytest.mark.parametrize(("data", "problem"), DAMAGED)
def test_damaged_files_of_captions(data, problem):
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
    pair = tmp_path / "a.json", tmp_path / "b.json"
    table = read(*pair)
    assert table["image_id"] == [7, 8]
    assert table["hypothesis"] == ["the cat sat up", "it ran"]
    mixed = {"annotations": [*captions, {"image_id": "7", "caption": "another"}]}
    (tmp_path / "a.json").write_text(json.dumps(mixed))  # 7 is not "7"
    raises(ValueError, "image '8' has no annotation", read, *pair)
