"""``fastbleu --explain`` and ``--identify`` print the library's results, as tables or JSON."""

import json

import pytest
from commands import run

import fastbleu

HYPOTHESES = ["The cat sat on the mat.", "it rained all night long, again"]
REFERENCES = ["The cat sat on a mat.", "It rained all the night, again"]


@pytest.fixture
def files(tmp_path):
    paths = [tmp_path / "ref.txt", tmp_path / "hyp.txt"]
    for path, lines in zip(paths, (REFERENCES, HYPOTHESES), strict=True):
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    reference, system = map(str, paths)
    return reference, "-i", system


@pytest.mark.parametrize("names", [(), ("nltk", "sacrebleu"), ("mteval-v13a", "coco")])
def test_explanations(files, names):
    expected = fastbleu.explain(HYPOTHESES, REFERENCES, *names)
    assert run(*files, "--explain", *names) == (0, f"{expected}\n", "")
    status, out, _ = run(*files, "--explain", *names, "-f", "json")
    assert (status, json.loads(out)) == (0, json.loads(json.dumps(expected.to_dict())))


def test_identification(files):
    expected = fastbleu.identify("31.20", HYPOTHESES, REFERENCES)
    assert run(*files, "--identify", "31.20") == (0, f"{expected}\n", "")


@pytest.mark.parametrize(
    ("arguments", "status", "words"),
    [
        (("--explain", "nltk"), 2, "--explain takes two dialects, or none"),
        (("--explain", "nltk", "bleu"), 2, "invalid choice: 'bleu'"),
        (("--identify", "much"), 1, "--identify: 'much' is not a number"),
        (("--identify", "101"), 1, "is not a BLEU score: it is not in 0-100"),
    ],
)
def test_mistakes(files, arguments, status, words):
    found, out, err = run(*files, *arguments)
    assert (found, out) == (status, "")
    assert words in err


def test_one_system_only(files):
    status, _, err = run(*files, files[0], "--explain")
    assert (status, "--explain is for one system, but there are 2" in err) == (1, True)
