"""Comparisons from texts, and results as tables."""

import json
import random
import re
from xml.etree import ElementTree

import pytest
from generators import raises

from fastbleu import BLEU, Stats
from fastbleu.significance import (
    Comparisons,
    bootstrap,
    compare,
    paired_approximate_randomization,
    paired_bootstrap,
)

REFERENCES = ["the cat sat on the mat", ["it rained", "it rained all night"], "A dog barked at us"]
NEW = ["the cat sat on a mat", "it rained all night", "a dog barked"]
SYSTEMS = {"old": [text[::-1] for text in NEW], "new": NEW, "<b>": ["the cat", "it", "A dog at us"]}
METRICS = [
    None,
    BLEU(lowercase=True, smoothing="add-k", smoothing_value=2, effective_order=True),
    BLEU(dialect="nltk", smoothing="floor", max_order=2, weights=(0.25, 0.75)),
    BLEU(list, reference_length="first"),
]
TESTS = {
    "bootstrap": (paired_bootstrap, {"samples": 50}),
    "approximate_randomization": (paired_approximate_randomization, {"trials": 50, "samples": 20}),
}


@pytest.mark.filterwarnings("ignore::fastbleu.InputWarning")
@pytest.mark.parametrize("method", TESTS)
@pytest.mark.parametrize("metric", METRICS, ids=str)
def test_from_texts_as_from_rows(metric, method):
    found = compare(SYSTEMS, REFERENCES, method=method, metric=metric, seed=7, **TESTS[method][1])
    counter = metric or BLEU()
    rows = {name: counter.statistics(texts, REFERENCES) for name, texts in SYSTEMS.items()}
    scoring = {"dialect": counter.dialect, "smoothing": counter.smoothing}
    scoring |= {"smoothing_value": counter.smoothing_value, "weights": counter.weights}
    if counter.effective_order:
        scoring["effective_order"] = True
    run, options = TESTS[method]
    assert found == run(rows.pop("old"), rows, seed=7, **scoring, **options)
    assert found["new"].score == counter.score(NEW, REFERENCES).value
    assert found["new"].baseline_score == counter.score(SYSTEMS["old"], REFERENCES).value


def test_sacrebleus_numbers():
    found = compare(SYSTEMS, REFERENCES, method="bootstrap", compatible="sacrebleu", samples=50)
    rows = [BLEU().statistics(texts, REFERENCES) for texts in SYSTEMS.values()]
    expected = paired_bootstrap(rows[0], rows[1:], compatible="sacrebleu", samples=50)
    assert list(found.values()) == expected


@pytest.mark.parametrize(
    ("systems", "options", "error", "message"),
    [
        ({**SYSTEMS, "short": NEW[1:]}, {}, ValueError, r"systems\['short'\]: references has 3"),
        ({**SYSTEMS, "ids": [1, 2, 3]}, {}, TypeError, r"systems\['ids'\]: .*segment 0"),
        ({"old": NEW}, {}, ValueError, "1 entries.* the baseline"),
        ([NEW, NEW], {}, TypeError, "systems is a list"),
        (
            SYSTEMS,
            {"method": "t"},
            ValueError,
            "method 't' is unknown; choose one of approximate_randomization, bootstrap",
        ),
        (SYSTEMS, {"metric": "nltk"}, TypeError, "metric is a str, expected a fastbleu.BLEU"),
        (SYSTEMS, {"smoothing": "exp"}, TypeError, r"pass metric=fastbleu.BLEU\(smoothing=...\)"),
        (SYSTEMS, {"dialect": "nltk"}, TypeError, r"pass metric=fastbleu.BLEU\(dialect=...\)"),
        (SYSTEMS, {"sample": 9}, TypeError, "did you mean 'samples'"),
    ],
)
def test_errors(systems, options, error, message):
    raises(error, message, compare, systems, REFERENCES, **options)


@pytest.mark.filterwarnings("ignore::fastbleu.InputWarning")
@pytest.mark.parametrize(
    ("method", "options", "columns"),
    [
        ("bootstrap", {"samples": 50}, 7),
        ("approximate_randomization", {"trials": 50, "samples": 0}, 4),
        ("approximate_randomization", {"trials": 50, "samples": 20}, 7),
    ],
)
def test_tables(method, options, columns):
    found = compare(SYSTEMS, REFERENCES, method=method, seed=7, **options)
    head, *rest = str(found).splitlines()
    rows, caption = rest[:3], " ".join(rest[3:])
    assert [row.split()[0] for row in rows] == list(SYSTEMS)
    assert caption.startswith(f"paired {method.replace('_', ' ')}, 50 {next(iter(options))}; ")
    assert "p-values corrected for 2 comparisons (Holm); seed 7. *: p < 0.05" in caption
    assert f"{found['new'].score:.2f}" in rows[1]
    assert found["new"]._printed_p_value in rows[1]
    decimals = {len(number) for number in re.findall(r"\.(\d+)\b(?! %)", "".join(rows))}
    assert {2} < decimals <= {2, 3, 4}  # of scores, of bounds and of p-values
    table = ElementTree.fromstring(found._repr_html_())
    cells = [["".join(cell.itertext()) for cell in row] for row in table.iter("tr")]
    assert {len(row) for row in cells} == {columns}
    for line, row in zip([head, *rows], cells, strict=True):
        assert line.split() == " ".join(row).split()
    assert str(found["new"]).splitlines()[2].split()[1:] == rows[1].split()[1:]


@pytest.mark.filterwarnings("ignore::fastbleu.InputWarning")
def test_intervals_and_dicts():
    interval = bootstrap(BLEU().statistics(NEW, REFERENCES), samples=20, confidence=0.9, seed=7)
    head, row, caption = str(interval).splitlines()
    assert head.endswith("90 % interval")
    assert row.split() == [
        *(f"{interval.score:.2f}", f"{interval.mean:.2f}"),
        *(f"{interval.low:.2f}", "to", f"{interval.high:.2f}"),
    ]
    assert caption == "bootstrap, 20 samples, seed 7"
    assert interval.to_dict()["half_width"] == interval.half_width
    found = compare(SYSTEMS, REFERENCES, samples=20)
    stored = json.loads(json.dumps(found.to_dict()))
    assert list(stored) == ["new", "<b>"]
    assert stored["new"]["difference"] == found["new"].difference
    assert stored["new"]["interval"]["low"] == found["new"].interval.low
    assert str(Comparisons()) == "no systems"


def noisy_systems(count, seed):
    """Rows of systems that differ a little, of 60 segments."""
    random.seed(seed)

    def row(quality):
        matches = [10]
        for total in (10, 9, 8, 7):
            matches.append(sum(random.random() < quality for _ in range(min(matches[-1], total))))
        return [10, 10, *matches[1:], 10, 9, 8, 7]

    return [Stats([row(0.8 + 0.01 * k) for _ in range(60)]) for k in range(count)]


@pytest.mark.parametrize("seed", range(5))
def test_significance_is_corrected_and_never_contradicts_the_interval(seed):
    baseline, *others = noisy_systems(9, seed)
    for test in (paired_bootstrap, paired_approximate_randomization):
        found = test(baseline, others, samples=200)
        # Holm's method in one line: the least p-value times the number of all, the next one times
        # one less; never less than an earlier one.
        order = sorted(found, key=lambda one: one.p_value)
        products = [(len(order) - rank) * one.p_value for rank, one in enumerate(order)]
        expected = [min(1, max(products[: rank + 1])) for rank in range(len(order))]
        assert [one.adjusted_p_value for one in order] == expected
        for one in found:
            interval = one.difference_interval
            agree = one.adjusted_p_value < 0.05 and not interval.low <= 0 <= interval.high
            assert one.is_significant == agree == one.to_dict()["is_significant"]


def test_the_least_p_value():
    one, other = Stats([[5, 5, 4, 4]] * 99), Stats([[5, 5, 3, 4]] * 99)
    found = compare({"a": ["a b c d e"] * 40, "b": ["a b"] * 40}, ["a b c d e"] * 40)
    assert "< 0.001*  " in str(found)
    assert found["b"].p_value == 1 / 10_001
    assert found["b"].test == "approximate randomization"
    assert found["b"].difference_interval.samples == 1000
    # Corrected for many comparisons it is a bound: no trial reached the difference.
    many = {f"b{number}": ["a b"] * 40 for number in range(12)}
    found = compare({"a": ["a b c d e"] * 40, **many}, ["a b c d e"] * 40)
    assert found["b3"].adjusted_p_value == 12 / 10_001
    assert str(found).count("< 0.002*  ") == 12
    # With few trials the least possible p-value says nothing, and is not marked.
    assert "-25.00  0.5000\n" in str(paired_approximate_randomization(one, other, trials=1))
