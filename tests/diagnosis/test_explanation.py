"""`fastbleu.explain`: the steps from one BLEU to another add up, and name the rule that matters."""

import itertools
import json
import math
import pickle
import re

import pytest
import wmt22
from generators import raises, seeded

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
    if metric.scorer.dialect.single_reference:
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
    assert max(map(len, str(found).splitlines())) <= 80
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
    with pytest.raises(TypeError, match=r"a dialect's name or a fastbleu\.BLEU, not an int"):
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


def random_metric(rng):
    """A BLEU of a random dialect, some of whose options are not the defaults."""
    name = rng.choice(NAMES)
    dialect = dialects.get(name)
    options = {"smoothing": rng.choice(list(dialect.smoothings))}
    takes_value = dialect.smoothings[options["smoothing"]] is not None
    if takes_value and "smoothing_value" in dialect.options and rng.random() < 0.5:
        options["smoothing_value"] = rng.choice((0.25, 0.5, 2))
    if rng.random() < 0.5:
        options["max_order"] = rng.choice([n for n in (1, 2, 3, 4, 5) if n in dialect.orders])
    if "weights" in dialect.options and rng.random() < 0.5:
        order = options.setdefault("max_order", 4)
        options["weights"] = [rng.randint(1, 4) / 8 for _ in range(order)]
    if dialect.supports("effective_order=True"):
        options["effective_order"] = rng.random() < 0.5
    if dialect.tokenizers is None and rng.random() < 0.5:
        options["tokenize"] = rng.choice(("13a", "none", "intl", "char"))
    options["lowercase"] = rng.choice(list(dialect.cases))
    lengths = [dialect.reference_length, *dialect.reference_lengths]
    options["reference_length"] = rng.choice(lengths)
    own = {"fairseq": {"hashed": rng.random() < 0.5}}
    own["codebleu-weighted"] = {"keywords": rng.choice(("java", "python"))}
    return BLEU(dialect=name, **options, **own.get(name, {}))


@pytest.mark.filterwarnings("ignore::fastbleu.InputWarning")
def test_steps_between_any_two_metrics_add_up():
    rng = seeded("explanations")
    words = ["The", "the", "cat", "Cat", "sat", "on", "return", "if", "mat.", "5.3", "a-b", "猫"]

    def text(fewest=0):
        return " ".join(rng.choices(words, k=rng.randint(fewest, 9)))

    compared = 0
    for _ in range(400):
        segments = rng.randint(1, 4)
        hypotheses = [text(rng.choice((0, 4))) for _ in range(segments)]
        references = [[text(1) for _ in range(rng.randint(1, 2))] for _ in range(segments)]
        a, b = random_metric(rng), random_metric(rng)
        if any(metric.scorer.dialect.single_reference for metric in (a, b)):
            references = [some[:1] for some in references]
        try:
            ends = [
                metric.score(hypotheses, references).value * 100 / metric.scorer.dialect.scale
                for metric in (a, b)
            ]
        except (ValueError, ZeroDivisionError):
            continue
        if not all(map(math.isfinite, ends)):
            continue
        found = explain(hypotheses, references, a, b)
        moved = sum(step.points for step in found.steps)
        rounding = 1e-9 * max(1, *map(abs, ends))  # of e2e, whose scores have no limit
        assert ends[0] + moved == pytest.approx(ends[1], abs=rounding), (a, b, hypotheses)
        shown = {step.rule for step in found.steps if step.points}
        assert shown or ends[0] == pytest.approx(ends[1], abs=rounding)
        compared += 1
    assert compared > 200


@pytest.mark.parametrize(
    ("hypothesis", "reference", "a", "b"),
    [("a b", "", "coco", "e2e"), ("", "a", "fairseq", "nltk")],
)
def test_where_rules_cannot_be_combined(hypothesis, reference, a, b):
    found = explain([hypothesis], [[reference]], a, b)
    assert [found.a.value, found.b.value] == [0, 0] or found.steps
    assert sum(step.points for step in found.steps) == pytest.approx(
        found.to_dict()["b"]["points"] - found.to_dict()["a"]["points"], abs=1e-9
    )


@pytest.mark.parametrize(
    ("a", "b", "rule"),
    [
        ({"weights": (0.1, 0.2, 0.3, 0.4)}, {}, "weights"),
        ({"smoothing": "floor"}, {"smoothing": "floor", "smoothing_value": 0.5}, "smoothing"),
        ({"dialect": "fairseq"}, {"dialect": "fairseq", "hashed": False}, None),
        (
            {"dialect": "codebleu-weighted"},
            {"dialect": "codebleu-weighted", "lowercase": True},
            "case",
        ),
    ],
)
def test_options_within_one_dialect(a, b, rule):
    references = [some[:1] for some in REFERENCES]
    found = explain(HYPOTHESES, references, BLEU(**a), BLEU(**b))
    moved = sum(step.points for step in found.steps)
    ends = found.to_dict()
    assert ends["a"]["points"] + moved == pytest.approx(ends["b"]["points"], abs=1e-9)
    if rule is not None:
        assert rule in {step.rule for step in found.steps}


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_an_explanation_with_findings_is_pickled(protocol):
    texts = ["The Cat SAT on the mat .", "A Dog RAN away now ."]
    found = explain([text.lower() for text in texts], texts, "nltk", "sacrebleu")
    assert found.findings
    assert str(pickle.loads(pickle.dumps(found, protocol))) == str(found)


def test_why_a_number_of_llamafactory_is_higher():
    found = explain(
        ["the cat sat on the mat"], ["the cat is on the mat"], "llamafactory", "sacrebleu"
    )
    assert [step.rule for step in found.steps if round(step.points, 3)] == ["tokenizer"]
    assert (found.steps[0].a, found.steps[0].b) == ("characters", "13a")
    assert round(found.a.value, 1), round(found.b.value, 1) == (78.4, 38.0)
    assert "llamafactory-metric: BLEU of CHARACTERS" in str(found)
    assert "smoothing of" not in str(found)


def test_a_recipe_shares_the_rules_of_the_dialect_that_computes():
    found = explain(["the cat sat on"], ["the cat sat in"], "parlai", "nltk")
    assert {"brevity penalty", "totals", "orders", "weights"} <= set(found.shared)
    weights = explain(["the cat sat on"], ["the cat sat in"], "codesum-nltk", "crystalbleu")
    assert "weights" in weights.shared
