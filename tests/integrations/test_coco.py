"""pycocoevalcap's PTBTokenizer and Bleu: recorded numbers, and the package itself where it is."""

import gzip
import importlib.util
import json
import random
import shutil
import time

import pytest
from ptb_texts import DATA, caption, recorded

import fastbleu
from fastbleu.cli import main
from fastbleu.integrations.coco import Bleu, PTBTokenizer
from fastbleu.tables import read_coco
from fastbleu.tokenizers import _ptb

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


def test_parts_of_a_file():
    """Captions are tokenized in parts; what follows a part still counts."""
    rng = random.Random(8)
    ends = [
        "etc.",
        "U.S.",
        "No.",
        "they've",
        ":D",
        "'90",
        "a",
        "",
        " ",
        "it&apos;s \U0001f600 Inc.",
    ]
    starts = [
        "The cat",
        "&apos;s U.S.",
        "\U0001f600 etc.",
        "the cat",
        "5 cats",
        "<b> x",
        "",
        " ",
        "It",
        "\u00e9 cat",
    ]
    for _ in range(300):
        texts = [f"{rng.choice(starts)} {rng.choice(ends)}"[rng.randint(0, 1) :] for _ in range(70)]
        texts = ["" if rng.random() < 0.2 else text for text in texts]
        found = PTBTokenizer(compatible=True).tokenize({1: [{"caption": text} for text in texts]})
        file = "\n".join(texts)
        assert found[1] == _ptb.write(file, stop=len(file)).split("\n")


def test_blank_captions_between_parts():
    """Also many, of any white space; the time is linear."""
    rng = random.Random(9)
    blanks = ["", " ", "\t", "\xa0 ", "\u2003", "\x85", "\x1c"]
    for _ in range(400):
        texts = []
        while len(texts) < 100:
            texts.append(rng.choice(["etc.", "U.S.", "they've", "The cat", "cat", "A cat", "5 x"]))
            texts += [rng.choice(blanks) for _ in range(rng.choice([0, 1, 2, 40]))]
        texts = texts[: rng.randint(60, 100)]
        found = PTBTokenizer(compatible=True).tokenize({1: [{"caption": text} for text in texts]})
        file = "\n".join(texts)
        assert found[1] == _ptb.write(file, stop=len(file)).split("\n")
    times = []
    for size in (5_000, 80_000):
        begin = time.process_time()
        PTBTokenizer(compatible=True).tokenize({1: [{"caption": ""}] * size})
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
        with pytest.raises(AssertionError, match=problem):
            Bleu().compute_score(gts, res)


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


@pytest.mark.parametrize(
    ("pairs", "problem"),
    [
        ([(9, "a")], "image 9 has no annotation"),
        ([(1, "a"), (1, "b")], "image 1 has 2 captions, expected one"),
        ([], "there are no captions"),
        ([(True, "a")], 'entry 0 has no "image_id" with a "caption"'),
        ([(1, 7)], 'entry 0 has no "image_id" with a "caption"'),
    ],
)
def test_wrong_results(files, tmp_path, pairs, problem, capsys):
    results = write(tmp_path / "wrong.json", pairs, False)
    with pytest.raises(ValueError, match=problem):
        read_coco(files[0], results)
    assert main([files[0], "-i", results, "--dialect", "coco"]) == 1
    assert problem in capsys.readouterr().err
