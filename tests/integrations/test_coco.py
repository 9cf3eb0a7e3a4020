"""pycocoevalcap's PTBTokenizer and Bleu: recorded numbers, and the package itself where it is."""

import gzip
import importlib.util
import itertools
import json
import lzma
import random
import shutil
import time
from pathlib import Path

import pytest
from generators import raises
from ptb_texts import DATA, caption, recorded

import fastbleu
from fastbleu.cli import main
from fastbleu.integrations.coco import Bleu, PTBTokenizer
from fastbleu.tables import read_coco

PUNCTUATION = {"''", "'", "``", "`", ".", "?", "!", ",", ":", "-", "--", "...", ";"}
# Corpora with "\r", "\v", "\f", U+2028 or U+2029, which end a line in Java.
BROKEN = {"edge:e62", "edge:e63", "edge:e66"}


def corpora():
    texts = {}
    for name, opened in (("edge.jsonl", open), ("fuzz.jsonl.gz", gzip.open)):
        with opened(DATA.parent / "dialects" / name, "rt", encoding="utf-8") as lines:
            for case in map(json.loads, lines):
                texts[f"{name[:4]}:{case['id']}"] = case["hypotheses"], case["references"]
    return texts


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
    cases, texts = recorded("cases.jsonl.gz"), corpora()
    for case in cases:
        hypotheses, references = texts[case["id"]]
        if case["id"] in BROKEN:
            if compatible:
                with pytest.raises(ValueError, match="gives captions the tokens of others"):
                    scored(hypotheses, references, compatible)
            continue
        expected = case["corpus"]["coco ptb"], case["sentences"]["coco ptb"]
        assert scored(hypotheses, references, compatible) == expected, case["id"]
        metric = fastbleu.BLEU(dialect="coco", tokenize="ptb")
        assert list(metric.score(hypotheses, references).cumulative) == expected[0]


@pytest.fixture
def original():
    if importlib.util.find_spec("pycocoevalcap") is None or shutil.which("java") is None:
        pytest.skip("needs Java and pycocoevalcap")
    from pycocoevalcap.bleu import bleu
    from pycocoevalcap.tokenizer import ptbtokenizer

    return ptbtokenizer.PTBTokenizer, bleu.Bleu


def captions(rng, images, most):
    made = {}
    for image in range(images):
        made[image] = [{"caption": caption(rng)} for _ in range(rng.randint(1, most))]
    return made


@pytest.mark.filterwarnings("ignore::ResourceWarning")
def test_the_same_as_pycocoevalcap(original, capsys):
    """Shapes, numbers and what is printed; also by the patched package."""
    their_tokenizer, their_bleu = original
    rng = random.Random(7)
    sides = captions(rng, 300, 5), captions(rng, 300, 1)
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
        assert "Bleu.compute_score" in repr(patched)
        assert [their_tokenizer().tokenize(side) for side in sides] == [gts, res]
        assert their_bleu(4).compute_score(gts, res, 0) == expected
        assert their_tokenizer().tokenize(broken) == shifted == {1: ["a cat"], 2: ["sat"]}
        for wrong in ([{"caption": None}], [{"caption": "a"}, {"caption": "\udc00"}]):
            with pytest.raises((AttributeError, UnicodeEncodeError)):
                their_tokenizer().tokenize({1: wrong})


def tokenized(captions):
    """As lines of one file."""
    entries = [{"caption": text} for text in captions]
    return PTBTokenizer(compatible=True).tokenize({1: entries})[1]


def test_the_next_caption_changes_the_end_as_in_java():
    following = {"end": [], "next a": ["a cat"], "next A": ["A cat"], "next 1": ["1 cat"]}
    for case in recorded("ptb.jsonl.gz"):
        if "lines" not in case and "\r" not in case["text"]:
            for key, others in following.items():
                tokens = [t for t in case.get(key, case["tokens"]) if t not in PUNCTUATION]
                assert tokenized([case["text"], *others])[0] == " ".join(tokens), (key, case)


def test_a_caption_is_read_with_the_next_one_that_is_not_blank():
    """Blank captions between them count as one; with many the time is linear."""
    rng = random.Random(9)
    blanks = ["", " ", "\t", "\xa0 ", "\u2003", "\x85", "\x1c"]
    pieces = ["etc.", "U.S.", "they've", ":D", "'90", "Inc.", "cat", "5", "A", "it&apos;s"]
    pieces += ["&apos;s", "<b>", "\u00e9", "\U0001f600"]
    for _ in range(100):
        texts = []
        while len(texts) < 70:
            texts.append(" ".join(rng.choices(pieces, k=3)))
            texts += [rng.choice(blanks) for _ in range(rng.choice([0, 0, 1, 2, 40]))]
        found = tokenized(texts)
        numbers = [number for number, text in enumerate(texts) if text.strip(" \t\xa0\u2003\x85")]
        for number, after in itertools.pairwise(numbers):
            between = [""] if after > number + 1 else []
            assert found[number] == tokenized([texts[number], *between, texts[after]])[0], texts
    times = []
    for size in (5_000, 80_000):
        begin = time.process_time()
        tokenized([""] * size)
        times.append(time.process_time() - begin)
    assert times[1] < 50 * times[0] + 0.1, times


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


ANNOTATIONS = [(1, "A man's riding a bike."), (2, "A cat!"), (2, "the cat sat"), (3, "no result")]
RESULTS = [(2, "the cat sat down"), (1, "a man rides a bike")]


def write(path, pairs, wrap):
    entries = [{"image_id": image, "caption": text} for image, text in pairs]
    path.write_text(json.dumps({"annotations": entries} if wrap else entries), encoding="utf-8")
    return str(path)


@pytest.fixture
def files(tmp_path):
    annotations = write(tmp_path / "annotations.json", ANNOTATIONS, True)
    return annotations, write(tmp_path / "results.json", RESULTS, False)


def test_files_of_captions(files, tmp_path, capsys):
    """The command and tables score what pycocoevalcap would."""
    table = read_coco(*files)
    packed = [Path(f"{file}.xz") for file in files]
    for file, name in zip(files, packed, strict=True):
        name.write_bytes(lzma.compress(Path(file).read_bytes()))
    assert read_coco(*packed) == table
    packed[1].write_bytes(packed[1].read_bytes()[:-9])
    message = r"json\.xz: the compressed data ends too early"
    raises(ValueError, message, read_coco, *packed)
    assert table["image_id"] == [1, 2]
    assert table["hypothesis"] == ["a man rides a bike", "the cat sat down"]
    assert table["references"] == [["A man's riding a bike."], ["A cat!", "the cat sat"]]
    assert main([files[0], "-i", files[1], "--dialect", "coco"]) == 0
    found = json.loads(capsys.readouterr().out)
    metric = fastbleu.BLEU(dialect="coco", tokenize="ptb")
    expected = metric.score(table["hypothesis"], table["references"])
    assert (found["score"], found["signature"]) == (expected.value, expected.signature)
    assert main([files[0], "-i", files[1], "-sl", "-f", "tsv"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split("\t")[3:] for line in lines[1:]] == [
        ["A man's riding a bike.", ""],
        ["A cat!", "the cat sat"],
    ]
    page = str(tmp_path / "page.html")
    for further in (["-sl", "-f", "json"], ["--explain"], ["--html", page]):
        assert main([files[0], "-i", files[1], *further]) == 0
    capsys.readouterr()
    assert main([f"{files[0]}::caption", "-i", files[1]]) == 1
    assert "of other JSON choose a text by ::KEY" in capsys.readouterr().err
    assert found["cumulative"] == scored(table["hypothesis"], table["references"], False)[0]


def test_wrong_results(files, tmp_path, capsys):
    for pairs, problem in (
        ([(9, "a")], "image 9 has no annotation"),
        ([(1, "a"), (1, "b")], "image 1 has 2 captions, expected one"),
        ([], "there are no captions"),
        ([(True, "a")], 'entry 0 has no "image_id" with a "caption"'),
        ([(1, 7)], 'entry 0 has no "image_id" with a "caption"'),
    ):
        results = write(tmp_path / "wrong.json", pairs, False)
        raises(ValueError, problem, read_coco, files[0], results)
        assert main([files[0], "-i", results, "--dialect", "coco"]) == 1
        assert problem in capsys.readouterr().err
