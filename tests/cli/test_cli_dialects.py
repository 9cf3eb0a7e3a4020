"""``--dialect`` prints what the original prints, ``--explain`` and ``--identify`` the library's."""

import json

import pytest
from commands import output, run
from read_files import write

import fastbleu
from fastbleu import BLEU, dialects
from fastbleu.cli.command import SPELLINGS
from fastbleu.core.inputs.errors import spellings
from fastbleu.core.metric.argument import scorer_of

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
    line = scorer_of(BLEU(name)).line(score) or str(score)
    arguments = reference, "-i", system, "--dialect", name
    assert output(*arguments, "-f", "text") == f"{line}\n"
    assert json.loads(output(*arguments))["signature"] == score.signature
    each = BLEU(dialect=name).sentence_scores(HYPOTHESES, REFERENCES)
    assert output(*arguments, "-sl", "-w", "9").split() == [f"{value:.9f}" for value in each]


@pytest.mark.parametrize("name", ["multeval", "llamafactory-metric"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("suffix", ["txt", "jsonl"])
def test_white_space_at_the_ends_of_segments_counts_where_the_dialect_counts_it(
    tmp_path, name, end, suffix
):
    hypotheses, references = [f"{HYPOTHESES[0]}  ", HYPOTHESES[1]], [REFERENCES[0], "it \t"]
    expected = BLEU(dialect=name).score(hypotheses, references).value
    assert expected != BLEU(dialect=name).score(HYPOTHESES, [REFERENCES[0], "it"]).value
    names = []
    for side, texts in (("ref", references), ("hyp", hypotheses)):
        lines = [json.dumps({"text": text}) if suffix == "jsonl" else text for text in texts]
        path = tmp_path / f"{side}.{suffix}"
        path.write_bytes("".join(f"{line}{end}" for line in lines).encode())
        names.append(f"{path}::text" if suffix == "jsonl" else str(path))
    out = output(names[0], "-i", names[1], "--dialect", name, "-w", "200")
    assert json.loads(out)["score"] == expected
    stripped = BLEU().score(hypotheses, references)
    assert output(names[0], "-i", names[1], "-b") == f"{stripped.value:.1f}\n"


def test_a_report_keeps_white_space_at_the_ends_of_segments_but_not_of_groups(tmp_path):
    texts = [["x ", "a b c d e   "], ["x", "a b c d e"]]
    hypotheses, references = [
        write(tmp_path / name, "".join(f"{line}\r\n" for line in lines))
        for name, lines in zip(("hyp", "ref"), texts, strict=True)
    ]
    page = tmp_path / "report.md"
    options = "--dialect", "llamafactory-metric", "--md", page, "--groups", hypotheses, "-q"
    output(references, "-i", hypotheses, *options)
    groups = [text.rstrip() for text in texts[0]]
    metric = "llamafactory-metric"
    expected = fastbleu.report({"hyp": texts[0]}, texts[1], groups=groups, metric=metric)
    assert page.read_text(encoding="utf-8") == expected.markdown()


def test_options_are_passed_to_the_dialect(files):
    reference, system, other = files
    arguments = reference, "-i", system, "-b", "--dialect", "mteval-v13a"
    how = "--cased", "-tok", "international", "-s", "none", "--reference-length", "shortest"
    metric = BLEU("mteval-v13a", tokenize="international", lowercase=False, smooth_method="none")
    assert output(*arguments, *how) == f"{metric.score(HYPOTHESES, REFERENCES).printed}\n"
    for name, method in ("nltk", "Method4"), ("coco", "tiny"):  # not sacreBLEU's
        metric = BLEU(name, smooth_method=method.lower())
        value = metric.score(HYPOTHESES, REFERENCES).value
        printed = output(*arguments[:4], "--dialect", name, "-s", method)
        assert float(printed) == pytest.approx(value, abs=5e-4)
    both = output(*arguments[:3], other, *arguments[3:], "--paired-bs", "-f", "text")
    assert len(both.split()) == 2


@pytest.mark.parametrize(
    ("arguments", "status", "words"),
    [
        ("--dialect mteval-v13a --max-ngram-order 5", 1, "does not support max_ngram_order"),
        ("-tok international", 2, "add --dialect mteval-v14"),
        ("-s add-1", 2, "name the --dialect"),
        ("--dialect fairseq", 1, "name the file of one to score with the first"),
        ("--dialect 13a", 2, "is a tokenizer, not a dialect: pass --dialect sacrebleu -tok 13a"),
        ("--explain nltk", 2, "--explain takes two dialects, or none"),
        ("--explain nltk bleu", 2, "dialect 'bleu' is unknown; did you mean 'sacrebleu'?"),
        ("--identify much", 1, "--identify: 'much' is not a number"),
        ("--identify nan", 1, "is not a BLEU score: it is not in 0-100"),
        ("--explain -i {other} {reference}", 1, "--explain is for one system, but there are 2"),
    ],
)
def test_mistakes(files, arguments, status, words):
    reference, system, other = files
    references = [reference] * (1 + ("fairseq" in arguments))
    arguments = arguments.format(other=other, reference=reference).split()
    found, out, err = run(*references, "-i", system, *arguments)
    assert (found, out) == (status, "")
    assert words in err


@pytest.mark.parametrize(
    "names",
    [pytest.param((), marks=pytest.mark.long), ("nltk", "sacrebleu"), ("mteval-v13a", "coco")],
)
def test_explanations(files, names):
    compute = fastbleu.explain if names else fastbleu.dialects.overview
    token = spellings.set(SPELLINGS)  # advice names the command's options
    expected = compute(HYPOTHESES, REFERENCES, *names)
    spellings.reset(token)
    # In a pipe each row is one line; `str(expected)` fits into 80 columns.
    arguments = files[0], "-i", files[1], "--explain", *names
    assert output(*arguments) == f"{expected._text(None)}\n"
    found = json.loads(output(*arguments, "-f", "json"))
    assert json.dumps(found, ensure_ascii=False) == json.dumps(expected.to_dict())


@pytest.mark.long
def test_identification(files):
    expected = fastbleu.identify(HYPOTHESES, REFERENCES, "31.20")
    printed = output(files[0], "-i", files[1], "--identify", "31.20")
    assert printed == f"{expected._text(None)}\n"
