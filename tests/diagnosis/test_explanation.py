"""`fastbleu.explain`: the steps from one BLEU to another add up, and name the rule that matters."""

import functools
import itertools
import json
import math
import re

import pytest
import wmt22
from generators import pickled, raises, rounds, seeded

import fastbleu
from fastbleu import BLEU, dialects, explain
from fastbleu.core.scoring.base import EFFECTIVE_ORDER
from fastbleu.core.scoring.names import get
from fastbleu.core.scoring.score import NoScoreError

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
FIRST = [references[:1] for references in REFERENCES]
CORPORA = {
    "several": (HYPOTHESES, REFERENCES),
    "ragged": (HYPOTHESES, [*REFERENCES[:2], *FIRST[2:]]),
    "short": (["The cat", "a b", "No, no", "x"], [["A cat sat"], ["a b c"], ["no, no"], ["x"]]),
    "an empty side": ([*HYPOTHESES[:2], "", "Yes"], [*FIRST[:2], ["no"], [""]]),
    "only empty hypotheses": ([""] * 4, FIRST),
    "scripts": (
        ["他在2019年买了iPhone 11。", "今a", "今天天气很好。", "No, not so"],
        [
            ["他在2019年买了一部iPhone 11。"],
            ["a b c 今a", "今a"],
            ["It is fine."],
            ["天气很好", "No"],
        ],
    ),
}


def outcome(function, *arguments):
    """What a function returns, or the error that says why it returns nothing."""
    try:
        return function(*arguments)
    except (ValueError, ImportError) as error:
        return error


def random_metric(rng):
    """A BLEU of a random dialect, some of whose options are not the defaults."""
    name = rng.choice(dialects.names())
    dialect = get(name)
    options = {"smooth_method": rng.choice(list(dialect.smoothings))}
    takes_value = dialect.smoothings[options["smooth_method"]] is not None
    if takes_value and "smooth_value" in dialect.options and rng.random() < 0.5:
        options["smooth_value"] = rng.choice((0.25, 0.5, 2))
    if rng.random() < 0.5:
        options["max_ngram_order"] = rng.choice([n for n in (1, 2, 3, 4, 5) if n in dialect.orders])
    if "weights" in dialect.options and rng.random() < 0.5:
        order = options.setdefault("max_ngram_order", 4)
        options["weights"] = [rng.randint(1, 4) / 8 for _ in range(order)]
    if EFFECTIVE_ORDER in dialect.features:
        options["effective_order"] = rng.random() < 0.5
    if dialect.tokenizers is None and rng.random() < 0.5:
        options["tokenize"] = rng.choice(("13a", "none", "intl", "char", "auto"))
    options["lowercase"] = rng.choice(list(dialect.cases))
    options["reference_length"] = rng.choice(dialect.reference_lengths)
    own = {"fairseq": {"hashed": rng.random() < 0.5}}
    own["codebleu-weighted"] = {"keywords": rng.choice(("java", "python"))}
    return BLEU(dialect=name, **options, **own.get(name, {}))


@functools.cache
def all_metrics():
    """All dialects and recipes, and some with random options."""
    rng = seeded("metrics to explain")
    names = dict.fromkeys(get(name).name for name in dialects.names(recipes=True))
    made = [outcome(BLEU, name) for name in names]
    made += [random_metric(rng) for _ in range(80)]
    return [metric for metric in made if not isinstance(metric, ImportError)]


def score_of(metric, corpus):
    """A corpus's score; NaN is none."""
    score = metric.score(*corpus)
    if math.isnan(score.value):
        name = metric._scorer.dialect.name
        raise NoScoreError(f"dialect {name!r} has no score: its original gives NaN")
    return score


def check_explanation(explanation, ends):
    """The ends are the scores, the steps add up, none is taken back by the next one."""
    assert [repr(explanation.a), repr(explanation.b)] == list(map(repr, ends))
    steps, told = explanation.steps, explanation.to_dict()
    first, last = (told[side]["points"] for side in "ab")
    assert {step.rule for step in steps}.isdisjoint(explanation.shared)
    if not (math.isfinite(first) and math.isfinite(last)):
        return
    rounding = 1e-9 * max(1, abs(first), abs(last))  # of e2e, whose scores have no limit
    assert first + sum(step.points for step in steps) == pytest.approx(last, abs=rounding)
    moves = [step.points for step in steps if step.points]
    for before, after in itertools.pairwise(moves):
        assert abs(before + after) > 1e-3 * max(abs(before), abs(after))
    _, table, *_ = str(explanation).split("\n\n")
    assert max(map(len, table.splitlines())) <= 80
    shown = re.findall(r" ([+-]\d+\.\d{4}) ", table)
    assert round(round(first, 4) + sum(map(float, shown)), 4) == round(last, 4)


REAL_DATA = pytest.param("real data", marks=[pytest.mark.long, pytest.mark.wmt22])


@pytest.mark.filterwarnings("ignore::fastbleu.InputWarning")
@pytest.mark.parametrize("name", [*CORPORA, REAL_DATA])
def test_both_ends_are_scores_and_the_steps_between_them_add_up(name):
    corpus = CORPORA.get(name) or [part[:40] for part in wmt22.one_reference("en-de.Online-B")]
    metrics = all_metrics()
    scores = [outcome(score_of, metric, corpus) for metric in metrics]
    assert any(isinstance(score, fastbleu.Score) for score in scores)
    # Each distance in the list pairs every metric with another, on both sides.
    for distance in seeded("distances", name).sample(range(1, len(metrics)), rounds(9, 1)):
        for n, (metric, score) in enumerate(zip(metrics, scores, strict=True)):
            other = (n + distance) % len(metrics)
            explanation = outcome(explain, *corpus, metric, metrics[other])
            ends = score, scores[other]
            errors = [repr(end) for end in ends if isinstance(end, Exception)]
            if errors:
                assert repr(explanation) in errors
            else:
                check_explanation(explanation, ends)


def test_the_rule_that_differs_moves_the_score():
    for a, b, rule in (
        (BLEU(), BLEU(lowercase=True), "case"),
        (BLEU(), BLEU(tokenize="none"), "tokenizer"),
        (BLEU(), BLEU(reference_length="shortest"), "reference length"),
        (BLEU(smooth_method="none"), BLEU(smooth_method="add-k"), "smoothing"),
        (BLEU(), BLEU(max_ngram_order=2), "orders"),
        ("nltk", BLEU(tokenize="none", smooth_method="none"), "totals"),
        ("mteval-v13a", BLEU(lowercase=True), None),
        ("multi-bleu-detok", "sacrebleu", None),
    ):
        found = explain(HYPOTHESES, REFERENCES, a, b)
        assert [step.rule for step in found.steps if step.points] == ([rule] if rule else [])


def test_every_step_is_a_score_of_its_own():
    """nltk on 13a tokens is between nltk and sacreBLEU."""
    found = explain(HYPOTHESES, REFERENCES, "nltk", "sacrebleu")
    by_rule = {step.rule: step for step in found.steps}
    half = BLEU("nltk", tokenize="13a").score(HYPOTHESES, REFERENCES).value * 100
    assert by_rule["tokenizer"].score == pytest.approx(half, abs=1e-9)


def test_other_input_on_one_side():
    tokens = [text.split() for text in HYPOTHESES]
    its = [[text.split() for text in some] for some in REFERENCES]
    value = BLEU("nltk").score(HYPOTHESES, REFERENCES).value
    other = BLEU("nltk").score(HYPOTHESES, FIRST).value
    for b_input, expected in (((tokens, its), value), ((HYPOTHESES, FIRST), other)):
        found = explain(HYPOTHESES, REFERENCES, "nltk", "nltk", b_input=b_input)
        assert [step.rule for step in found.steps] == ["input"]
        assert (found.a.value, found.b.value) == (value, expected)
    assert explain(tokens, its, "nltk", BLEU(tokenize=False)).steps[-1].rule == "brevity penalty"


def test_rules_that_a_score_does_not_follow_are_in_the_rest():
    """These score sentences with smoothing and a corpus without."""
    for name in ("codesum-nltk-smooth4", "phrasal"):
        rules = [step.rule for step in explain(*CORPORA["short"], "sacrebleu", name).steps]
        assert {"smooth_method", "average"}.isdisjoint(rules)


def test_segments_that_move_most():
    found = explain(["a b c d", "A b c d"], ["a b c d"] * 2, BLEU(), BLEU(lowercase=True))
    assert [step.segments for step in found.steps] == [(1,)]
    found = explain(["a b c d e, f.", ""], ["a b c d e, g.", "z"], "evaluate", "nltk")
    assert found.steps[0].segments == (0,)  # the other has no score by itself


def test_an_overview_has_all_dialects():
    overview = dialects.overview(HYPOTHESES, REFERENCES)
    assert isinstance(overview, dialects.Overview)
    assert {*overview.scores} | {*overview.failures} == {*dialects.names()}
    error = outcome(lambda: BLEU("tensor2tensor").score(HYPOTHESES, REFERENCES))
    assert overview.failures["tensor2tensor"] == str(error)
    assert overview._repr_html_().startswith("<table>")
    json.dumps(overview.to_dict())


def test_nan_is_no_score_in_an_overview():
    overview = dialects.overview([""], [""])
    error = "dialect 'matlab' has no score: its original gives NaN"
    assert overview.failures["matlab"] == error
    raises(ValueError, error, explain, [""], [""], "matlab", "nltk")
    points = [score.value / get(name).scale for name, score in overview.scores.items()]
    assert points == sorted(points, reverse=True)


@pytest.mark.parametrize(
    ("a", "b_input", "error", "words"),
    [
        (1, None, TypeError, "a is an int, expected the name of a dialect"),
        (("nltk", ["a"]), None, TypeError, "a is a tuple, .*; other input for b goes into b_input"),
        ("13a", None, ValueError, "'13a' is a tokenizer, not a dialect: pass"),
        ("nltk", (["a", "b"], ["a", "b"]), ValueError, "a has 1 segment, b_input has 2"),
        ("nltk", ("nltk", ["a"], ["a"]), TypeError, "b_input has 3 items, expected .hypotheses, r"),
        ("nltk", [["a"], ["a"]], TypeError, r"b_input is a list, expected \(hypotheses, ref"),
    ],
)
def test_wrong_arguments(a, b_input, error, words):
    raises(error, words, explain, ["a"], ["a"], a, "nltk", b_input=b_input)


def test_sources_of_another_corpus():
    words = "sources has 2 entries, hypotheses has 1; pass the source of each"
    raises(ValueError, words, explain, ["a"], ["a"], "nltk", "sacrebleu", sources=["a", "b"])


@pytest.mark.wmt22
def test_the_table_of_the_guide():
    page = (wmt22.PROJECT / "docs" / "why-numbers-differ.md").read_text(encoding="utf-8")
    rows = re.findall(r"^([a-z][\w-]+) +(\d[\d.]+)(?:  |$)", page, re.MULTILINE)
    assert {name for name, _ in rows} == {*dialects.names()}
    hypotheses, references = wmt22.one_reference("en-de.Online-B")
    for name, shown in rows:
        score = outcome(BLEU(name).score, hypotheses, references)
        if not isinstance(score, ImportError):  # of PyTorch, whose arithmetic it has
            assert shown == (score.printed or f"{score.value:.4f}")


def test_an_explanation_with_findings_is_pickled():
    texts = ["The Cat SAT on the mat .", "A Dog RAN away now ."]
    found = explain([text.lower() for text in texts], texts, "nltk", "sacrebleu")
    assert found.findings
    assert str(pickled(found)) == str(found)


def test_why_a_number_of_llamafactory_is_higher():
    corpus = ["the cat sat on the mat"], ["the cat is on the mat"]
    found = explain(*corpus, "llamafactory", "sacrebleu")
    [step] = [step for step in found.steps if round(step.points, 3)]
    assert (step.rule, step.a, step.b) == ("tokenizer", "characters", "13a")
    assert (round(found.a.value, 1), round(found.b.value, 1)) == (78.4, 38.0)
    assert "llamafactory-metric: BLEU of CHARACTERS" in str(found)
    assert "smoothing of" not in str(found)


def test_a_recipe_shares_the_rules_of_the_dialect_that_computes():
    found = explain(["the cat sat on"], ["the cat sat in"], "parlai", "nltk")
    assert {"brevity penalty", "totals", "orders", "weights"} <= set(found.shared)
    found = explain(HYPOTHESES, REFERENCES, "sacrebleu", "lighteval-bleu")
    assert [(step.rule, step.a, step.b) for step in found.steps] == [
        ("references", "all", "the first")
    ]
    weights = explain(["the cat sat on"], ["the cat sat in"], "codesum-nltk", "crystalbleu")
    assert "weights" in weights.shared
