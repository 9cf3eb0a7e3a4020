"""Every number on the page is the library's."""

import json
import math
import re
from collections import Counter

import numpy as np
import oracle
import pytest
from report_samples import CASES, case

import fastbleu
from fastbleu import significance
from fastbleu.significance.results import adjusted

pytestmark = pytest.mark.filterwarnings("ignore::fastbleu.InputWarning")


def cells(page, table):
    """The texts of a table's body."""
    rows = page.eval_on_selector_all(
        f"{table} tbody tr", "rows => rows.map(r => [...r.cells].map(c => c.innerText.trim()))"
    )
    return [[cell.replace("\u2212", "-") for cell in row] for row in rows]


def shown_pair(page, given):
    """The names of A and B."""
    names = list(given["systems"])
    return [names[int(page.input_value(f"#system-{name}"))] for name in "ab"]


def metrics(given):
    metric = given.get("metric") or fastbleu.BLEU()
    return metric, fastbleu.BLEU(tokenize=metric.tokenize, effective_order=True)


@pytest.mark.parametrize("name", CASES)
def test_all_numbers(show, name):
    given, page = case(name), show(name)
    metric, of_sentences = metrics(given)
    check_systems(page, given, metric)
    check_pairs(page, given, metric)
    check_segments(page, given, metric, of_sentences)
    check_tokens(page, given, metric, is_hostile=name == "hostile")


def check_systems(page, given, metric):
    found = {row[0].split("\n")[0].removesuffix(" AB"): row[1:] for row in cells(page, "#systems")}
    shown = [float(score) for score, *_ in found.values()]
    assert shown == sorted(shown, reverse=True)
    for system, hypotheses in given["systems"].items():
        row = found[system]
        score = metric.score(hypotheses, given["references"])
        interval = significance.bootstrap(hypotheses, given["references"], metric=metric)
        assert row[0] == f"{score.value:.2f}"
        assert row[1] == f"{interval.low:.2f} to {interval.high:.2f}"
        assert row[-8:-4] == [f"{100 * its:.1f} %" for its in score.precisions]
        lengths = f"{score.bp:.3f}", f"{score.hyp_len:,}", f"{score.ref_len:,}"
        assert row[-4:] == [*lengths, f"{score.hyp_len / score.ref_len:.3f}"]
    assert score.signature in page.inner_text("#systems caption")


def check_pairs(page, given, metric):
    if page.locator("#all-pairs").count():
        page.eval_on_selector("#all-pairs", "details => { details.open = true; }")
    rows = iter(cells(page, "#pairs"))
    names, printed, comparisons = list(given["systems"]), [], []
    for i, one in enumerate(names[:-1]):
        systems = {name: given["systems"][name] for name in names[i:]}
        found = significance.compare(systems, given["references"], metric=metric)
        for other in names[i + 1 :]:
            its, row = found[other], next(rows)
            low, high = its.difference_interval.low, its.difference_interval.high
            assert row[0] == f"{other} - {one}"
            assert row[1:3] == [f"{its.difference:+.2f}", f"{low:+.2f} to {high:+.2f}"]
            assert row[-1] == f"{100 * its.wins:.1f} %"
            printed.append(row[3:-1])
            comparisons.append(its)
    assert printed == [its._printed_p_values for its in adjusted(comparisons)]


def check_segments(page, given, metric, of_sentences):
    with page.expect_download() as download:
        page.click("#export-json")
    segments = json.loads(download.value.path().read_text(encoding="utf-8"))
    segments.sort(key=lambda its: its["segment"])
    assert [its["segment"] for its in segments] == list(range(len(given["references"])))
    for k, (system, hypotheses) in enumerate(given["systems"].items()):
        scores = of_sentences.sentence_scores(hypotheses, given["references"]).tolist()
        rows = np.asarray(metric.count(hypotheses, given["references"])).tolist()
        for s, its in enumerate(segments):
            mine = its["systems"][k]
            assert (mine["name"], mine["score"]) == (system, scores[s])
            lengths = [mine["hyp_len"], mine["ref_len"]]
            assert lengths + mine["matches"] + mine["totals"] == rows[s]
            readable = hypotheses[s].encode("utf-16", "surrogatepass").decode("utf-16", "replace")
            if "\ufffd" not in readable and "\ud800" not in hypotheses[s]:
                assert mine["hypothesis"] == hypotheses[s]
                assert its["references"] == list(given["references"][s])


def check_tokens(page, given, metric, is_hostile):
    """The tokens are those that are counted, colored by the longest n-gram that matches."""
    count, shown = len(given["references"]), shown_pair(page, given)
    systems = [given["systems"][name] for name in dict.fromkeys([*shown, *given["systems"]])]
    for s in sorted({*range(0, count, max(1, count // 12)), count - 2, count - 3}):
        page.evaluate(f"location.hash = 'segment={s}'")
        page.wait_for_function(
            f"document.querySelector('#segment-heading')?.innerText.startsWith('Segment {s}')"
        )
        lines = page.eval_on_selector_all(
            "#segment dd > .text:has(.tok[data-order]), #segment dd > .text:has(em)",
            """all => all.map(p => [...p.querySelectorAll('.tok')].map(
                t => [t.textContent, +t.dataset.order]))""",
        )
        references = [
            fastbleu.tokenizers.tokenize(text, metric.tokenize) for text in given["references"][s]
        ]
        for hypotheses, line in zip(systems, lines, strict=True):
            tokens = fastbleu.tokenizers.tokenize(hypotheses[s], metric.tokenize)
            longest = [0] * len(tokens)
            for start, orders in enumerate(oracle.match_positions(tokens, references)):
                for order in orders:
                    for at in range(start, start + order):
                        longest[at] = max(longest[at], order)
            if not is_hostile:
                assert [text for text, _ in line] == tokens
            assert [order for _, order in line] == longest


def test_segment_view(show):
    given, page = case("en-zh"), show("en-zh", "#segment=7")
    metric, of_sentences = metrics(given)
    found = cells(page, "#segment-numbers")
    references = given["references"]
    for (name, hypotheses), row in zip(given["systems"].items(), found, strict=True):
        score = of_sentences.sentence_scores(hypotheses, references)[7]
        stats = metric.count(hypotheses, references)[7]
        pairs = zip(stats.matches[0], stats.totals[0], strict=True)
        assert row[:2] == [name, f"{score:.2f}"]
        assert row[2:6] == [f"{matches} / {total}" for matches, total in pairs]


def test_missing_words_and_the_closest_reference(show):
    report = fastbleu.report(
        {"a": ["the cat sat on the mat today"]},
        [["yesterday a dog slept", "the cat sat upon the the mat"]],
        samples=0,
    )
    page = show(report, "#segment=0")
    missing = page.eval_on_selector_all("#segment .missing", "all => all.map(t => t.textContent)")
    assert missing == ["upon", "the"]
    page.select_option("#against", "0")
    orders = page.eval_on_selector_all(
        "#segment .tok[data-order]", "all => all.map(t => +t.dataset.order)"
    )
    assert orders[5:] == [0] * (len(orders) - 5)


def test_ngrams(show):
    given, page = case("en-zh"), show("en-zh")
    references = [
        [fastbleu.tokenizers.tokenize(t, "zh") for t in its] for its in given["references"]
    ]
    one, other = (
        [fastbleu.tokenizers.tokenize(t, "zh") for t in given["systems"][name]]
        for name in shown_pair(page, given)
    )

    for order in (1, 3):
        sums = Counter(), Counter()  # n-grams that one and that the other has more often
        for s, its in enumerate(references):
            matched = [
                Counter(
                    " ".join(tokens[s][start : start + order])
                    for start, orders in enumerate(oracle.match_positions(tokens[s], its))
                    if order in orders
                )
                for tokens in (one, other)
            ]
            sums[0].update(matched[0] - matched[1])
            sums[1].update(matched[1] - matched[0])
        open_phrases(page, order)
        tables = phrases(page)
        assert len(tables) == 5
        for rows, more, less in ((tables[0], *sums), (tables[1], *reversed(sums))):
            found = [(ngram, int(own), int(its)) for ngram, own, its in rows]
            assert found == [(ngram, more[ngram], less[ngram]) for ngram, *_ in rows]
            keys = [keyness(own, its) for _, own, its in found]
            every = sorted((keyness(more[ngram], less[ngram]) for ngram in more), reverse=True)
            assert keys == pytest.approx(every[: len(keys)])


def keyness(count, other):
    """Dunning's log-likelihood of two counts, with a sign."""
    mean = (count + other) / 2
    parts = [n * math.log(n / mean) for n in (count, other) if n]
    return math.copysign(2 * sum(parts), count - other)


def open_phrases(page, order):
    """Count the n-grams of an order, in the part of the page that is closed at first."""
    page.eval_on_selector("#phrases", "details => { details.open = true; }")
    page.select_option("#words", str(order))
    page.wait_for_selector("#phrase-status:empty", state="attached")
    page.wait_for_selector("#phrase-tables table")


def phrases(page):
    """The rows of the tables of n-grams."""
    return page.eval_on_selector_all(
        "#phrase-tables table",
        """all => all.map(t => [...t.tBodies[0].rows].map(
            r => [...r.cells].map(c => c.textContent)))""",
    )


def test_phrases_missed_by_all_and_made_up(show):
    given, page = case("right-to-left"), show("right-to-left")
    systems = list(given["systems"].values())

    def ngrams(text):
        tokens = fastbleu.tokenizers.tokenize(text, "13a")
        return {" ".join(tokens[i : i + order]) for i in range(len(tokens) - order + 1)}

    for order in (1, 2):
        open_phrases(page, order)
        missed, made_up = Counter(), [Counter(), Counter()]
        for s, texts in enumerate(given["references"]):
            references, said = [ngrams(its) for its in texts], [ngrams(its[s]) for its in systems]
            missed.update(set.intersection(*references) - said[0] - said[1])
            for found, own in zip(made_up, said, strict=True):
                found.update(own - set.union(*references))
        for rows, expected in zip(phrases(page)[2:], (missed, *made_up), strict=True):
            assert len(rows) == min(25, len(expected)) > 2
            assert {ngram: int(count) for ngram, count, _ in rows}.items() <= expected.items()
    first = page.locator("#phrase-tables figure:nth-child(5) tbody button").first
    label = first.inner_text()
    first.click()
    shown = page.eval_on_selector_all("#grid-body .row", "all => all.map(r => +r.dataset.segment)")
    assert all(label in ngrams(systems[1][s]) for s in shown)
    assert len(shown) == made_up[1][label] > 0


def test_buckets(show):
    given, page = case("en-de"), show("en-de")
    metric, _ = metrics(given)
    page.click("#buckets button:has-text('Show all')")
    rows = cells(page, "#by-document")
    assert len(rows) == len(set(given["documents"]))
    names = shown_pair(page, given)
    for label, size, *shown in rows[:10]:
        chosen = [s for s, its in enumerate(given["documents"]) if its == label]
        references = [given["references"][s] for s in chosen]
        of_bucket = {name: [given["systems"][name][s] for s in chosen] for name in names}
        [found] = significance.compare(of_bucket, references, metric=metric, trials=1).values()
        interval = found.difference_interval
        assert size == str(len(chosen))
        scores = [f"{found.baseline_score:.2f}", f"{found.score:.2f}"]
        assert shown[:4] == [*scores, "", f"{found.difference:+.2f}"]
        ends = [float(end) for end in shown[4].split(" to ")]
        assert ends == pytest.approx([interval.low, interval.high], abs=0.0101)
    weights = [abs(float(row[5])) * int(row[1]) for row in rows]
    assert weights == pytest.approx(sorted(weights, reverse=True), abs=0.3)
    lines = "#by-document tbody tr:first-child line"
    first, second = (float(page.get_attribute(lines, its)) for its in ("x1", "x2"))
    assert 0 <= first < second <= 100
    page.click("#by-document thead button:has-text('B − A')")
    differences = [float(row[-2]) for row in cells(page, "#by-document")]
    assert differences == sorted(differences, reverse=True)


def test_length_differences(show):
    given, page = case("en-de"), show("en-de")
    first, _ = shown_pair(page, given)
    stats = fastbleu.BLEU().count(given["systems"][first], given["references"])
    longer = (stats.hyp_lens - stats.ref_lens).clip(-10, 10).tolist()
    marks = page.locator("#charts svg[aria-label*=Length]").locator("rect.a")
    labels = [mark.get_attribute("aria-label") for mark in marks.all()]
    found = {int(re.search(r" ([+-]?\d+)( or more)? tokens: ", its)[1]): its for its in labels}
    assert sorted(found) == sorted(set(longer))
    for tokens, label in found.items():
        assert f": {longer.count(tokens)} segment" in label
