"""`fastbleu.explain`: the steps from one BLEU to another add up, and name the rule that matters."""

import itertools
import json
import re

import pytest
import wmt22
from generators import raises

import fastbleu
from fastbleu import BLEU, dialects, explain

HYPOTHESES = [
    "The cat sat on the mat.",
    'He said: "it\'s 5.3 m"',
    "No, not so",
    "A dog & a cat ran",
]
REFERENCES = [
    ["A cat sat on the mat.", "The cat was on a mat."],
    ['He said "it is 5.3 m" .', "he said 5.3 m"],
    ["no, not so", "Yes"],
    ["A dog and a cat ran away", "a dog ran"],
]


def scored(name, hypotheses, references):
    metric = BLEU(dialect=name)
    if metric._parameters.rules.single_reference:
        references = [some[:1] for some in references]
    return metric.score(hypotheses, references).value * 100 / dialects.get(name).scale


def available():
    for name in dialects.names():
        try:
            scored(name, HYPOTHESES, REFERENCES)
        except ImportError:  # its arithmetic is PyTorch's
            continue
        except (ValueError, ZeroDivisionError):
            pass
        yield name


NAMES = list(available())


@pytest.mark.parametrize(("a", "b"), [*itertools.permutations(NAMES, 2)])
def test_steps_add_up(a, b):
    try:
        ends = [scored(name, HYPOTHESES, REFERENCES) for name in (a, b)]
    except (ValueError, ZeroDivisionError) as error:
        with pytest.raises(type(error)):
            explain(HYPOTHESES, REFERENCES, a, b)
        return
    found = explain(HYPOTHESES, REFERENCES, a, b)
    assert [found.to_dict()[side]["points"] for side in "ab"] == ends
    assert ends[0] + sum(step.points for step in found.steps) == pytest.approx(ends[1], abs=1e-9)
    assert {step.rule for step in found.steps}.isdisjoint(found.shared)
    json.dumps(found.to_dict())
    shown = str(found).split("\n\n")[1].splitlines()[2:]
    words = [word for line in shown for word in line.split()]
    moves = [float(word) for word in words if word[:1] in "+-" and "." in word]
    first, last = (round(end, 4) for end in ends)
    assert round(first + sum(moves), 4) == last


@pytest.mark.parametrize(
    ("a", "b", "rule"),
    [
        (BLEU(), BLEU(lowercase=True), "case"),
        (BLEU(), BLEU("none"), "tokenizer"),
        (BLEU(), BLEU("intl"), "tokenizer"),
        (BLEU(), BLEU(reference_length="shortest"), "reference length"),
        (BLEU(smoothing="none"), BLEU(smoothing="add-k"), "smoothing"),
        (BLEU(), BLEU(max_order=2), "orders"),
        ("nltk", BLEU("none", smoothing="none"), "totals"),
        ("mteval-v13a", BLEU(lowercase=True), None),
        ("multi-bleu-detok", "sacrebleu", None),
    ],
)
def test_the_rule_that_differs_moves_the_score(a, b, rule):
    found = explain(HYPOTHESES, REFERENCES, a, b)
    assert [step.rule for step in found.steps if step.points] == ([rule] if rule else [])


def test_every_step_is_a_score_of_its_own():
    """nltk on 13a tokens is between nltk and sacreBLEU."""
    found = explain(HYPOTHESES, REFERENCES, "nltk", "sacrebleu")
    by_rule = {step.rule: step for step in found.steps}
    half = BLEU("13a", dialect="nltk").score(HYPOTHESES, REFERENCES).value * 100
    assert by_rule["tokenizer"].score == pytest.approx(half, abs=1e-9)


def test_other_input_on_one_side():
    tokens = [text.split() for text in HYPOTHESES]
    its = [[text.split() for text in some] for some in REFERENCES]
    found = explain(HYPOTHESES, REFERENCES, ("nltk", tokens, its), "nltk")
    assert [step.rule for step in found.steps] == ["input"]
    assert found.a.value == found.b.value
    assert explain(tokens, its, "nltk", BLEU(None)).steps[-1].rule == "brevity penalty"


def test_segments_that_move_most():
    found = explain(["a b c d", "A b c d"], ["a b c d"] * 2, BLEU(), BLEU(lowercase=True))
    assert [step.segments for step in found.steps] == [(1,)]


def test_all_dialects():
    found = explain(HYPOTHESES, REFERENCES)
    assert {*found.scores, *found.failures} == {*dialects.names()}
    for name, score in found.scores.items():
        assert score.value * 100 / dialects.get(name).scale == scored(name, HYPOTHESES, REFERENCES)
    assert "mteval-v13a" in str(found)
    assert found._repr_html_().startswith("<table>")
    json.dumps(found.to_dict())


def test_wrong_arguments():
    raises(ValueError, "pass both a and b, or neither", explain, ["a"], ["a"], "nltk")
    with pytest.raises(TypeError, match=r"a dialect's name or a fastbleu\.BLEU, not a int"):
        explain(["a"], ["a"], 1, "nltk")
    raises(ValueError, "dialect 'bleu' is unknown", explain, ["a"], ["a"], "bleu", "nltk")
    with pytest.raises(ValueError, match="a has 2 segments, b has 1"):
        explain(["a"], ["a"], ("nltk", ["a", "b"], ["a", "b"]), "nltk")
    with pytest.raises(ValueError, match="there are 2 sources, but 1 hypotheses"):
        explain(["a"], ["a"], "nltk", "sacrebleu", sources=["a", "b"])


def test_real_data():
    hypotheses, references = wmt22.one_reference("en-de.Online-B")
    found = explain(hypotheses, references, "nltk", "sacrebleu")
    moved = {step.rule for step in found.steps if abs(step.points) > 0.001}
    assert moved == {"tokenizer", "totals"}
    assert fastbleu.identify(found.b.printed, hypotheses, references).matches[0].setting == (
        "dialect='sacrebleu'"
    )


def test_the_table_of_the_guide():
    page = (wmt22.PROJECT / "docs" / "why-numbers-differ.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `([\w-]+)` \| ([\d.]+) \|", page, re.MULTILINE)
    assert {name for name, _ in rows} == {*dialects.names()}
    hypotheses, references = wmt22.one_reference("en-de.Online-B")
    for name, shown in rows:
        if name in NAMES:
            score = BLEU(dialect=name).score(hypotheses, references)
            assert shown == (score.printed or f"{score.value:.4f}")
