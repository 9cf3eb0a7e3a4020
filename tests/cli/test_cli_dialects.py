"""``fastbleu --dialect`` prints the library's results as the original prints them."""

import json

import pytest
from commands import run

from fastbleu import BLEU, dialects

HYPOTHESES = ["The cat sat on the mat .", "it rained all night long , R&amp;D"]
REFERENCES = ["The cat sat on a mat .", "it rained all the night , R&amp;D"]
NAMES = [name for name in dialects.names() if not name.startswith(("torch", "sacrebleu"))]


@pytest.fixture
def files(tmp_path):
    paths = []
    for name, lines in (("ref", REFERENCES), ("hyp", HYPOTHESES), ("other", REFERENCES[::-1])):
        paths.append(tmp_path / f"{name}.txt")
        paths[-1].write_text("\n".join(lines) + "\n", encoding="utf-8")
    return list(map(str, paths))


@pytest.mark.parametrize("name", NAMES)
def test_scores(files, name):
    reference, system, _ = files
    score = BLEU(dialect=name).score(HYPOTHESES, REFERENCES)
    line = dialects.get(name).line(score) or str(score)
    assert run(reference, "-i", system, "--dialect", name, "-f", "text") == (0, f"{line}\n", "")
    status, out, _ = run(reference, "-i", system, "--dialect", name)
    assert status == 0
    found = json.loads(out)
    assert (found["score"], found["signature"]) == (score.value, score.signature)
    status, out, _ = run(reference, "-i", system, "--dialect", name, "-sl", "-w", "9")
    each = BLEU(dialect=name).sentence_scores(HYPOTHESES, REFERENCES)
    assert (status, out.split()) == (0, [f"{value:.9f}" for value in each])


def test_options_are_the_dialects(files):
    reference, system, other = files
    arguments = reference, "-i", system, "-b", "--dialect", "mteval-v13a"
    how = "--cased", "-tok", "international", "-s", "none", "--reference-length", "shortest"
    metric = BLEU("international", False, smoothing="none", dialect="mteval-v13a")
    score = metric.score(HYPOTHESES, REFERENCES)
    assert run(*arguments, *how) == (0, f"{score.printed}\n", "")
    status, _, err = run(*arguments, "--max-ngram-order", "5")
    assert (status, err) == (
        1,
        "fastbleu: error: --dialect mteval-v13a: dialect 'mteval-v13a' does not support "
        "max_order=5: its longest n-grams are 4\n",
    )
    status, out, _ = run(*arguments[:3], other, *arguments[3:], "--paired-bs", "-f", "text")
    assert status == 0
    assert len(out.split()) == 2
    status, _, err = run(reference, "-i", system, "-tok", "international")
    assert (status, "name the --dialect" in err) == (2, True)
    status, _, err = run(reference, reference, "-i", system, "--dialect", "fairseq")
    assert (status, "takes one reference" in err) == (1, True)
