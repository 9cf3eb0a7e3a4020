"""Lines that carry keys: matched with ``--keyed``, named in a warning without it."""

import json
import re
from itertools import islice

import pytest
from commands import EXAMPLES, error, output, run, usage_error
from read_files import write
from wmt22 import WMT22

from fastbleu import BLEU
from fastbleu.files.formats import texts_by_key

REFERENCES = ["the cat sat on the mat .", "it rained all night long", "a dog ( a big one ) ran"]
HYPOTHESES = ["the cat sat on a mat .", "", "a dog ( a big one ) ran off"]
KEYS = ["spk-utt1", "spk-utt2", "adg04_sr009"]
SRT = "{key}\r\n00:00:0{key},500 --> 00:00:0{key},900\r\n{text}\r\n\r\n"
FORMS = {
    "trn": ("{text} ({key})\n", KEYS),
    "Kaldi": ("{key} {text}\n", KEYS),
    "tab": ("{key}\t{text}\n", ["0", "1", "2"]),
    "SRT": (SRT, ["1", "2", "3"]),
}


def keyed(form, texts, order=(0, 1, 2)):
    line, keys = FORMS[form]
    return "".join(line.format(key=keys[n], text=texts[n]) for n in order)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def files(folder, form, order=(0, 1, 2), other=None):
    reference = write(folder / "ref.txt", keyed(form, REFERENCES))
    return [reference, "-i", write(folder / "hyp.txt", keyed(other or form, HYPOTHESES, order))]


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 0, 1)])
@pytest.mark.parametrize("form", FORMS)
def test_keyed_lines_are_matched_by_key(folder, form, order):
    expected = BLEU().score(HYPOTHESES, REFERENCES).value
    reference, _, hypothesis = arguments = files(folder, form, order)
    assert json.loads(output(*arguments, "--keyed", "-w", "200"))["score"] == expected
    piped = output(reference, "--keyed", "-w", "200", stdin=hypothesis.read_bytes())
    assert json.loads(piped)["score"] == expected
    swapped = output(hypothesis, "-i", reference, "--keyed", "-w", "200")
    assert json.loads(swapped)["score"] == BLEU().score(REFERENCES, HYPOTHESES).value


def test_keys_of_different_forms_and_several_references(folder):
    arguments = files(folder, "trn", (1, 2, 0), other="Kaldi")
    second = write(folder / "ref2.txt", keyed("trn", HYPOTHESES, (2, 1, 0)))
    _, out, _ = run(second, *arguments, "--keyed", "-w", "200", "-tok", "none")
    expected = BLEU(tokenize="none").score(
        HYPOTHESES, list(zip(HYPOTHESES, REFERENCES, strict=True))
    )
    assert json.loads(out)["score"] == expected.value


def test_whitespace_at_the_ends_of_keyed_lines(folder):
    texts = ["a b c d  ", " a b", "e\t"]
    paths = [write(folder / name, keyed("tab", texts)) for name in ("ref", "hyp")]
    arguments = paths[0], "-i", paths[1], "--keyed", "--dialect", "llamafactory-metric", "-sl"
    expected = BLEU("llamafactory-metric").sentence_scores(texts, texts)
    assert output(*arguments, "-w", "4").split() == [f"{value:.4f}" for value in expected]


@pytest.mark.parametrize("form", ["trn", "Kaldi", "tab"])
def test_keys_that_are_scored_as_text_cause_a_warning(folder, form):
    reference, _, hypothesis = files(folder, form, (0, 2, 1))
    plain = write(folder / "plain.txt", "".join(f"{text}\n" for text in REFERENCES))
    for names in ([reference, "-i", hypothesis], [plain, "-i", hypothesis]):
        status, _, warnings = run(*names)
        assert status == 0
        key = FORMS[form][1][0]
        said = f"all lines have keys or ids, such as {key!r}, which are scored as text; --keyed "
        said += "matches"
        for name in (hypothesis, reference):
            assert (f"{name}: {said}" in warnings) == (name in names)
    assert "--keyed" not in run(plain, "-i", plain)[2]


def test_texts_have_no_keys(folder):
    for path in (*EXAMPLES.glob("*.txt"), *WMT22.glob("*/*.txt")):
        with path.open(encoding="utf-8") as lines:
            assert not texts_by_key(list(islice(lines, 16))), path
    for texts in (
        *(
            ["42", "17", "3"],
            ["1. one", "2. two", "3. three"],
            ["1 a", "2 b", "3 c"],
            ["a1 b", "c2 d"],
        ),
        *(["a1", "b2", "c3"], ["see (a)", "see (b)", "see (c)"], ["x1 = 2", "x1 = 3", "y2 = 4"]),
        *(["a\tb", "c\td", "e\tf"], ["2024年 一", "2025年 二", "2026年 三"], ["(1)", "(2)", "(3)"]),
    ):
        write(folder / "texts", "".join(f"{text}\n" for text in texts))
        assert "--keyed" not in run("texts", "-i", "texts")[2]


@pytest.mark.parametrize(
    ("reference", "hypothesis", "options", "problem"),
    [
        (
            "a1 x\nb2 y\n",
            "a1 x\nc3 y\n",
            "",
            "^hyp has no segment with the key 'b2', .*line 2 of ref",
        ),
        ("a1 x\n", "a1 x\nc3 y\n", "", "^ref has no segment with the key 'c3', .*line 2 of hyp"),
        ("a1 x\nb2 y\na1 z\n", "a1 x\nb2 y\n", "", "^ref: line 3 has the key 'a1' of line 1: each"),
        (
            "the x\na y\nthe z\n",
            "x (a1)\ny (a2)\n",
            "",
            "^ref: line 3 has the key 'the' of line 1: ",
        ),
        ("x\ny\n", "x (a1)\ny (a2)\n", "", "^hyp has no segment with the key 'x', .*line 1 of ref"),
        ("a1 x\ty\n", "a1 x\n", "-nr 2", "^--keyed is for files of lines, but ref"),
        ("", "", "", "no segment to score"),
    ],
)
def test_keys_that_do_not_match_are_refused(folder, reference, hypothesis, options, problem):
    write(folder / "ref", reference)
    write(folder / "hyp", hypothesis)
    message = error("ref", "-i", "hyp", "--keyed", *options.split())
    assert re.search(problem, message), message


def test_files_of_other_formats_have_no_keyed_lines(folder):
    reference, *_ = files(folder, "tab")
    table = write(folder / "a.tsv", "a b\tc\n")
    assert "but a.tsv is none" in error(reference, "-i", f"{table.name}::2", "--keyed")
    columns = f"{table}::1", "-i", f"{table}::2", "--by", "x"
    assert "--by does not support --keyed" in usage_error(*columns, "--keyed")
