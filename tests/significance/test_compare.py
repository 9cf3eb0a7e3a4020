"""Comparisons from texts, and results as tables."""

import dataclasses
import html
import json
import math
import re
from xml.etree import ElementTree

import numpy as np
import pytest
import wmt22
from commands import EXAMPLES, R1, run
from generators import raises, seeded
from test_significance import random_systems

from fastbleu import BLEU, InputWarning, Stats, report, tables
from fastbleu.significance import Comparisons, bootstrap, compare
from fastbleu.significance.procedures import compare_pairs

REFERENCES = ["the cat sat on the mat", ["it rained", "it rained all night"], "A dog barked at us"]
NEW = ["the cat sat on a mat", "it rained all night", "a dog barked"]
SYSTEMS = {"old": [text[::-1] for text in NEW], "new": NEW, "<b>": ["the cat", "it", "A dog at us"]}
METRICS = [
    None,
    BLEU(lowercase=True, smooth_method="add-k", smooth_value=2, effective_order=True),
    BLEU("nltk", smooth_method="floor", max_ngram_order=2, weights=(0.25, 0.75)),
    BLEU(tokenize=list, reference_length="first"),
    "multi-bleu",
    "nltk",
]
TESTS = {"bootstrap": {"samples": 50}, "approximate_randomization": {"trials": 50, "samples": 20}}


@pytest.mark.filterwarnings("ignore::fastbleu.InputWarning")
@pytest.mark.parametrize("method", TESTS)
@pytest.mark.parametrize("metric", METRICS, ids=str)
def test_from_texts_as_from_rows(metric, method):
    options = {"method": method, "metric": metric, "seed": 7, **TESTS[method]}
    counter = metric if isinstance(metric, BLEU) else BLEU(dialect=metric or "sacrebleu")
    found = compare(SYSTEMS, REFERENCES, **options)
    rows = {name: counter.count(texts, REFERENCES) for name, texts in SYSTEMS.items()}
    assert compare(rows, **options) == found
    assert compare(rows | {"new": NEW}, REFERENCES, **options) == found
    assert found["new"].score == counter.score(NEW, REFERENCES).value
    assert found["new"].baseline_score == counter.score(SYSTEMS["old"], REFERENCES).value
    interval = bootstrap(NEW, REFERENCES, metric=metric, seed=7, samples=TESTS[method]["samples"])
    assert interval == found["new"].interval
    assert interval == bootstrap(rows["new"], metric=metric, seed=7, samples=interval.samples)


@pytest.mark.parametrize("metric", ["sacrebleu", "nltk"])
def test_all_pairs_as_each_baseline_with_the_systems_after_it(metric):
    metric = BLEU(metric)
    rows = [metric.count(texts, [*REFERENCES]) for texts in SYSTEMS.values()]
    pairs = compare_pairs(rows, metric, 20, 7, False)
    unadjusted = {"adjusted_p_value": 0.0, "compared": 0}
    for first in range(len(rows) - 1):
        after = dict(enumerate(rows[first:], first))
        for second, expected in compare(after, metric=metric, samples=20, seed=7).items():
            made = pairs.pop((first, second))
            assert dataclasses.replace(made, **unadjusted) == dataclasses.replace(
                expected, **unadjusted
            )
            assert made.compared == 3
            assert made.adjusted_p_value >= expected.adjusted_p_value
    assert not pairs


@pytest.mark.parametrize("dialect", ["sacrebleu", "nltk"])
def test_a_report_has_the_same_p_values(dialect):
    texts = {name: wmt22.read_lines(EXAMPLES / f"system-{name}.txt") for name in "cab"}
    corpus = texts, wmt22.read_lines(R1)
    found = compare(*corpus, metric=dialect)
    lines = html.unescape(report(*corpus, metric=dialect).markdown()).splitlines()
    for name, comparison in found.items():
        [row] = [line for line in lines if f"| {name} - c |" in line]
        p_value = re.split(r"  +", str(comparison).splitlines()[3])[4]
        assert row.split(" | ")[3].strip(r"\* |") == p_value.strip("*")


def test_a_score_stands_if_samples_have_none():
    """multi-bleu has no score for samples of empty hypotheses only."""
    hypotheses, references = ["a b c d e", "", ""], ["a b c d f", "x", "x"]
    metric = BLEU("multi-bleu")
    score = metric.score(hypotheses, references).value
    drawn = np.random.default_rng(12345).choice(3, (50, 3))
    message = f"{(drawn > 0).all(axis=1).sum()} of 50 samples have no score"
    with pytest.warns(InputWarning, match=message):
        interval = bootstrap(hypotheses, references, metric="multi-bleu", samples=50)
    assert interval.score == score
    assert all(map(math.isnan, (interval.mean, interval.low, interval.high)))
    options, systems = {"metric": metric, "samples": 50}, {"old": hypotheses, "new": references}
    with pytest.warns(InputWarning, match=message):
        new = compare(systems, references, trials=50, **options)["new"]
    assert (new.baseline_score, new.interval.samples) == (score, 50)
    assert (new.baseline_interval, new.difference_interval, new.wins) == (None, None, None)
    table = {"mt": hypotheses, "ref": references}
    with pytest.warns(InputWarning, match=message):
        scores = tables.score(table, "mt", "ref", confidence=0.95, **options)
    assert (scores["bleu"], scores["low"], scores["high"]) == ([score], [None], [None])
    page = report({"old": hypotheses}, references, dialects=False, **options)._repr_html_()
    assert message in page
    assert f"{score:.2f}" in page


def test_the_command_prints_a_score_if_samples_have_none(tmp_path):
    """Below 0, sacreBLEU's floor makes a precision negative, which has no logarithm."""
    for name, lines in (("r", ["a b c d e f"] * 2), ("h", ["a b c d e f", "a b x y z"])):
        (tmp_path / name).write_text("\n".join(lines), "utf-8")
    arguments = tmp_path / "r", "-i", tmp_path / "h", "-s", "floor", "-sv", "-0.5", "-f", "text"
    status, out, err = run(*arguments, "-ci", "-cin", "50")
    assert (status, "of 50 samples have no score" in err) == (0, True)
    assert out.partition(" = ")[2] == run(*arguments)[1].partition(" = ")[2]


@pytest.mark.parametrize(
    ("systems", "options", "error", "message"),
    [
        ({**SYSTEMS, "short": NEW[1:]}, {}, ValueError, r"systems\['short'\]: references has 3"),
        ({**SYSTEMS, "ids": [1, 2, 3]}, {}, TypeError, r"systems\['ids'\]: .*segment 0"),
        ({"old": NEW}, {}, ValueError, "1 entry.* the baseline"),
        (SYSTEMS, {"method": "t"}, ValueError, "choose one of approximate_randomization, boot"),
        (SYSTEMS, {"metric": "zh"}, ValueError, 'pass BLEU.tokenize="zh"'),
    ],
)
def test_errors(systems, options, error, message):
    raises(error, message, compare, systems, REFERENCES, **options)


@pytest.mark.filterwarnings("ignore::fastbleu.InputWarning")
@pytest.mark.parametrize(
    ("method", "options", "columns"),
    [
        ("bootstrap", {"samples": 50}, 7),
        ("approximate_randomization", {"trials": 50, "samples": 0}, 5),
        ("approximate_randomization", {"trials": 50, "samples": 20}, 7),
    ],
)
def test_tables(method, options, columns):
    systems = {name: texts * 9 for name, texts in SYSTEMS.items()}
    found = compare(systems, REFERENCES * 9, method=method, seed=7, **options)
    head, rule, *rest = str(found).splitlines()
    assert set(rule) == {"-", " "}
    rows, caption = rest[:3], " ".join(rest[3:])
    assert [row.split()[0] for row in rows] == list(SYSTEMS)
    assert caption.startswith(f"paired {method.replace('_', ' ')}, 50 {next(iter(options))}; ")
    assert "p adjusted for 2 comparisons (Holm), intervals not adjusted; seed 7." in caption
    assert "*: adjusted p < 0.05" in caption
    assert f"{found['new'].score:.2f}" in rows[1]
    assert ("p-value  adjusted p" in head) == (columns > 4)
    decimals = {len(number) for number in re.findall(r"\.(\d+)\b(?! %)", "".join(rows))}
    assert {2} < decimals <= {2, 3, 4}  # of scores, of bounds and of p-values
    table = ElementTree.fromstring(f"<div>{found._repr_html_()}</div>")
    assert table.find(".//caption") is None
    assert table.find("p").text == caption
    cells = [["".join(cell.itertext()) for cell in row] for row in table.iter("tr")]
    assert {len(row) for row in cells} == {columns}
    for line, row in zip([head, *rows], cells, strict=True):
        assert line.split() == " ".join(row).split()
    assert str(found["new"]).splitlines()[3].split()[1:] == rows[1].split()[1:]


@pytest.mark.filterwarnings("ignore::fastbleu.InputWarning")
def test_intervals_and_dicts():
    interval = bootstrap(NEW, REFERENCES, samples=20, confidence=0.9, seed=7)
    head, _, row, caption = str(interval).splitlines()
    assert head.endswith("90 % interval")
    numbers = interval.score, interval.mean, interval.low, interval.high
    assert row.replace("to", "").split() == [f"{number:.2f}" for number in numbers]
    assert caption == "bootstrap, 20 samples, seed 7"
    assert interval.to_dict()["half_width"] == interval.half_width
    found = compare(SYSTEMS, REFERENCES, samples=20)
    stored = json.loads(json.dumps(found.to_dict()))
    assert list(stored) == ["new", "<b>"]
    assert stored["new"]["difference"] == found["new"].difference
    assert stored["new"]["interval"]["low"] == found["new"].interval.low
    assert str(Comparisons()).startswith("no systems")


def similar_systems(rng, count):
    """Stats of systems of which each has more segments of another one than the system before."""
    pairs = list(zip(*random_systems(rng, 2, segments=60), strict=True))
    return [Stats([b if rng.random() < k / 30 else a for a, b in pairs]) for k in range(count)]


@pytest.mark.parametrize("method", TESTS)
def test_significance_is_corrected_and_no_row_contradicts_itself(method):
    """Both p-values as numbers, marks by the adjusted one; intervals are said not to be."""
    rng = seeded("similar")
    options = {"trials": 5000, "samples": 300} if "rand" in method else {"samples": 300}
    for _ in range(3):
        systems = similar_systems(rng, 9)
        options |= {"method": method, "metric": BLEU(max_ngram_order=systems[0].max_ngram_order)}
        compared = compare(dict(enumerate(systems)), **options)
        found = list(compared.values())
        # Holm's method in one line: the least p-value times the number of all, the next one times
        # one less; never less than an earlier one.
        order = sorted(found, key=lambda one: one.p_value)
        products = [(len(order) - rank) * one.p_value for rank, one in enumerate(order)]
        expected = [min(1, max(products[: rank + 1])) for rank in range(len(order))]
        assert [one.adjusted_p_value for one in order] == expected
        lines = str(compared).splitlines()
        assert re.split("  +", lines[0]) == [
            *("system", "score", "difference", "95 %, unadjusted", "p-value", "adjusted p", "wins")
        ]
        assert max(map(len, lines)) <= 80
        for line, one in zip(lines[3:], found, strict=False):
            interval = one.difference_interval
            agree = one.adjusted_p_value < 0.05 and not interval.low <= 0 <= interval.high
            assert one.is_significant == agree == one.to_dict()["is_significant"]
            *_, p_value, adjusted, _ = re.split("  +", line)
            assert adjusted.endswith("*") == agree
            exact_values = one.p_value, one.adjusted_p_value
            for shown, exact in zip((p_value, adjusted.strip("*")), exact_values, strict=True):
                if one.p_value > 1 / (one.trials + 1) or exact >= 0.05:
                    assert float(shown) == pytest.approx(exact, abs=5.1e-5)
                else:
                    assert shown.startswith("< ")
                    assert exact < float(shown[2:]) <= exact + 1e-4
    # Compared with one system only, there is one p-value, and no word about adjusting.
    alone = compare({0: systems[0], 1: systems[5]}, **options)
    assert "95 % interval" in str(alone)
    assert "adjusted" not in str(alone)


@pytest.mark.parametrize(
    ("p_value", "trials", "shown"),
    [
        (1 / 1001, 1000, "< 0.001"),
        (1 / 300, 299, "< 0.0034"),
        (0.00694, 10_000, "0.0069"),
        (2 / 100_001, 100_000, "0.00002"),
        (1.0, 10_000, "1.0000"),
    ],
)
def test_p_values_are_numbers_and_only_the_least_is_a_bound(p_value, trials, shown):
    [comparison] = compare({"old": NEW, "new": NEW}, REFERENCES, trials=5, samples=0).values()
    values = {"p_value": p_value, "adjusted_p_value": p_value, "trials": trials, "compared": 1}
    made = dataclasses.replace(comparison, **values)
    assert str(made).splitlines()[3].split("  ")[-1].strip(" *") == shown


@pytest.mark.filterwarnings("ignore::fastbleu.InputWarning")
def test_the_least_p_value():
    one, other = Stats([[5, 5, 4, 4]] * 99), Stats([[5, 5, 3, 4]] * 99)
    found = compare({"a": ["a b c d e"] * 40, "b": ["a b"] * 40}, ["a b c d e"] * 40)
    assert "< 0.0001*  " in str(found)
    assert found["b"].p_value == 1 / 10_001
    assert found["b"].test == "approximate randomization"
    assert found["b"].difference_interval.samples == 1000
    # With few trials the least possible p-value says nothing, and is not marked.
    few = compare({"a": one, "b": other}, metric=BLEU(max_ngram_order=1), trials=1, samples=0)
    assert "-25.00  0.5000\n" in str(few)


def test_latex():
    """With Holm's p-values, whole names, and nothing that LaTeX would read as markup."""
    long = r"a_{very} long & 100 % <name> of ~a \system^, #1, $\omega$, which no line has room for"
    systems = {"old": NEW * 9, "-new": [*NEW[:2], ""] * 9, long: [text[1:] for text in NEW] * 9}
    compared = compare(systems, REFERENCES * 9, samples=50)
    lines = compared.to_latex().splitlines()
    assert lines[0].startswith("% paired ")
    assert "p adjusted for 2 comparisons (Holm)" in lines[0]
    assert lines[1:3] == [r"\begin{tabular}{lrrrrrr}", r"\toprule"]
    assert lines[3] == (
        r"system & score & difference & 95 \%, unadjusted & p-value & adjusted p & wins \\"
    )
    assert [lines[4], *lines[-2:]] == [r"\midrule", r"\bottomrule", r"\end{tabular}"]
    rows = [line.removesuffix(r" \\").split(" & ") for line in lines[5:-2]]
    assert [len(row) for row in rows] == [7, 7, 7]
    in_latex = (
        r"a\_\{very\} long \& 100 \% $<$name$>$ of \textasciitilde{}a \textbackslash{}"
        r"system\textasciicircum{}, \#1, \$\textbackslash{}omega\$, which no line has room for"
    )
    assert [row[0] for row in rows] == ["old", "-new", in_latex]
    for row, found in zip(rows[1:], compared.values(), strict=True):
        assert row[2] == f"{found.difference:+.2f}".replace("-", "$-$")
        printed = [text.replace("<", "$<$") for text in found._printed_p_values]
        assert [row[4], row[5].removesuffix("*")] == printed
        assert row[5].endswith("*") == found.is_significant
