"""Significance from rows: sacreBLEU's own numbers, exact ones of other dialects, and their laws.

sacreBLEU's side gets the same rows: a metric whose statistics are what is passed as hypotheses.
"""

import math
import tracemalloc
import warnings
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from generators import raises, rounds, seeded
from metrics import score
from sacrebleu.metrics import BLEU
from sacrebleu.significance import PairedTest

import fastbleu
from fastbleu import InputWarning, Stats
from fastbleu.core.scoring.sacrebleu import SACREBLEU
from fastbleu.sacrebleu.base import seed_of_environment
from fastbleu.significance import bootstrap, compare, resampling
from fastbleu.significance.experiment import Experiment, SacrebleuScoring
from fastbleu.significance.results import adjusted

CASES = rounds(50, 8)
SMOOTHING = [
    {},
    {"smooth_method": "floor"},
    {"smooth_method": "floor", "smooth_value": 0.3},
    {"smooth_method": "add-k"},
    {"smooth_method": "add-k", "smooth_value": 0.7},
    {"smooth_method": "add-k", "smooth_value": 2.5},
    {"smooth_method": "none"},
    {"smooth_method": "none", "effective_order": True},
    {"effective_order": True},
]


class MetricOfRows(BLEU):
    """sacreBLEU's metric over rows instead of hypotheses."""

    def _extract_corpus_statistics(self, hypotheses, references):
        return [list(row) for row in hypotheses]


def metric_of_rows(max_ngram_order, **scoring):
    metric = MetricOfRows(max_ngram_order=max_ngram_order, **scoring)
    metric.num_refs = 1  # for the signature
    return metric


def random_rows(rng, segments, max_ngram_order, longest=60):
    """Rows as counting makes them; the quality differs from call to call."""
    quality = rng.uniform(0.3, 0.9)
    rows = []
    for _ in range(segments):
        length = rng.randint(0, longest)
        totals = [max(0, length - order) for order in range(max_ngram_order)]
        matches, most = [], length
        for total in totals:
            most = int(min(most, total) * min(1, rng.uniform(quality - 0.2, quality + 0.2)))
            matches.append(most)
        rows.append([length, max(0, length + rng.randint(-5, 5)), *matches, *totals])
    return rows


def random_systems(rng, number=3, longest=60, segments=None):
    """Rows of several systems for the same segments; max_ngram_order is at random."""
    segments = segments or rng.choice((2, 7, 33, 100, 257))
    max_ngram_order = rng.choice((1, 2, 4, 4, 4, 6))
    return [random_rows(rng, segments, max_ngram_order, longest) for _ in range(number)]


def theirs(test, systems, samples, **scoring):
    """What PairedTest says of each system: (score, p-value, mean, half the interval)."""
    metric = metric_of_rows(len(systems[0][0]) // 2 - 1, **scoring)
    named = [(f"system {number}", rows) for number, rows in enumerate(systems)]
    paired = PairedTest(named, {"BLEU": metric}, None, test, samples)
    baseline, *others = paired()[1]["BLEU"]
    results = [(baseline.score, None, baseline.mean, baseline.ci)]
    return results + [(found.score, found.p_value, found.mean, found.ci) for found in others]


def metric_for(rows, **scoring):
    """A metric of the rows' order."""
    return fastbleu.BLEU(max_ngram_order=len(rows[0]) // 2 - 1, **scoring)


def ours(test, systems, samples, **scoring):
    """The same of fastbleu, as the command prints it in a pipe; `compare` says the same."""
    stats, metric = list(map(Stats, systems)), metric_for(systems[0], **scoring)
    smoothing = metric.smooth_method, metric.smooth_value, metric.effective_order or False
    scorer = SacrebleuScoring(metric.max_ngram_order, *smoothing)
    rows, seed = [SACREBLEU.adapt(one) for one in stats], seed_of_environment()
    experiment = Experiment(rows, scorer, 0.95, seed)
    test_all = experiment.bootstrap if test == "bs" else experiment.randomize
    found = test_all(samples, *[0] * (test == "ar"))
    method = {"bs": "bootstrap", "ar": "approximate_randomization"}[test]
    options = {"metric": metric, "samples": samples if test == "bs" else 0, "trials": samples}
    compared = compare(dict(enumerate(stats)), method=method, seed=seed, **options)
    assert list(compared.values()) == found
    for one, p_value in zip(found, experiment.sacrebleu_p_values, strict=True):
        least = 2.0 ** (1 - one.differing)
        assert one.differing <= 12 or one.p_value in (max(p_value, least), 1.0)
    first = found[0].baseline_score, None, *mean_and_width(found[0].baseline_interval)
    others = zip(found, experiment.sacrebleu_p_values, strict=True)
    return [first] + [(one.score, p, *mean_and_width(one.interval)) for one, p in others]


def shuffle(baseline, system, trials=10_000, samples=0, **options):
    """A system against a baseline by approximate randomization, without intervals."""
    systems = {"a": baseline, "b": system}
    return compare(systems, trials=trials, samples=samples, **options)["b"]


def draw(baseline, system, **options):
    """A system against a baseline by the bootstrap."""
    return compare({"a": baseline, "b": system}, method="bootstrap", **options)["b"]


def mean_and_width(interval):
    return (None, None) if interval is None else (interval.mean, interval.half_width)


# The numbers of sacreBLEU


@pytest.mark.parametrize("test", ["bs", "ar"])
def test_paired_tests_equal_sacrebleus(monkeypatch, test):
    monkeypatch.delenv("SACREBLEU_SEED", raising=False)
    for case in range(3 * CASES):
        rng = seeded("paired", test, case)
        if case:
            monkeypatch.setenv("SACREBLEU_SEED", rng.choice(("1", "987654321987654321")))
        systems, scoring = random_systems(rng, rng.randint(2, 5)), rng.choice(SMOOTHING)
        samples = rng.choice((1, 2, 40, 133, 600))
        assert ours(test, systems, samples, **scoring) == theirs(test, systems, samples, **scoring)


@pytest.mark.parametrize("test", ["bs", "ar"])
def test_long_segments_are_rounded_as_sacrebleu_rounds(test):
    rng = seeded("long", test)
    for longest in (2047, 2048, 3000, 10**6, 3 * 10**7):
        for scoring in ({}, *rng.sample(SMOOTHING, 2)):
            systems = random_systems(rng, longest=longest)
            assert ours(test, systems, 100, **scoring) == theirs(test, systems, 100, **scoring)


def test_sums_at_the_end_of_what_float32_holds():
    for around in (-3, -1, 0, 1, 3):
        rng = seeded("2**24", around)
        each = (2**24 + around) // 4
        systems = [
            [[each + rng.randint(0, 1), each, each - rng.randint(0, 9), each] for _ in range(4)]
            for _ in range(2)
        ]
        assert ours("bs", systems, 200) == theirs("bs", systems, 200)
    between = 2**54 + 2**30 + 1  # by way of a double it is a tie, and goes down; else it goes up
    systems = [
        [[between, 2**54, between - less, 2**55]] * 2
        + [[2**54, 2**54, 2**53 - less * 2**50, 2**54]]
        for less in (0, 2)
    ]
    assert ours("bs", systems, 20) == theirs("bs", systems, 20)


def test_sums_of_131_072_segments_are_exact(monkeypatch):
    """As float32 they would lose small numbers."""
    rows = np.array([[10**6 + n, 10**6, 10**6 - n, 10**6] for n in range(131_072)])
    drawn = np.random.default_rng(12345).choice(len(rows), (5, len(rows)))
    sums = rows[drawn].sum(axis=1).astype(np.float32)
    expected = [metric_of_rows(1)._compute_score_from_stats(row).score for row in sums]
    metric = metric_for(rows)
    found = bootstrap(Stats(rows), metric=metric, samples=5)
    monkeypatch.setattr(resampling, "COUNTED_SEGMENTS", 131_073)
    as_sacrebleu = bootstrap(Stats(rows), metric=metric, samples=5)
    assert found.mean == np.sort(expected).mean() != as_sacrebleu.mean


def test_seeds(monkeypatch):
    """sacreBLEU takes the seed 0 for none in paired tests, except for the baseline."""
    systems = random_systems(seeded("seed 0"), segments=100)
    monkeypatch.setenv("SACREBLEU_SEED", "0")
    found = ours("bs", systems, 50)
    assert found[0] == theirs("bs", systems, 50)[0]
    assert found == ours("bs", systems, 50)
    stats = Stats(systems[0])
    options = {"metric": metric_for(systems[0]), "samples": 20}
    assert bootstrap(stats, seed=None, **options) != bootstrap(stats, seed=None, **options)
    assert bootstrap(stats, seed=None, **options).seed is None
    # Only the command and fastbleu.sacrebleu read the variable.
    monkeypatch.setenv("SACREBLEU_SEED", "None")
    assert seed_of_environment() is None
    assert bootstrap(stats, **options) == bootstrap(stats, seed=np.int32(12345), **options)
    monkeypatch.setenv("SACREBLEU_SEED", "twelve")
    raises(ValueError, "environment variable SACREBLEU_SEED is 'twelve'", seed_of_environment)
    monkeypatch.setenv("SACREBLEU_SEED", "-3")
    raises(ValueError, "SACREBLEU_SEED is -3, but must be at least 0", seed_of_environment)
    monkeypatch.delenv("SACREBLEU_SEED")
    assert seed_of_environment() == 12345 == bootstrap(stats, **options).seed


# Exact numbers


def plain_sum(rows):
    return [sum(column) for column in zip(*rows, strict=True)]


def exact_score(row, weights):
    """The score of a row by sacreBLEU's dialect with weights, which sacreBLEU does not have."""
    return score(SACREBLEU, Stats([row]), weights=weights).value


def unequal_weights(rows):
    return [*range(1, len(rows[0]) // 2 - 1), 0.5]


def bounds(scores, confidence):
    """The first and last after floor(samples * (1 - confidence) / 2) are left out at each end."""
    left_out = math.floor(Fraction(len(scores)) * (1 - Fraction(str(confidence))) / 2)
    ordered = sorted(scores)
    return ordered[left_out], ordered[::-1][left_out]


def exact_p_value(score, baseline, system):
    """The share of all exchanges of segments that differ in score at least as much."""
    distances = []
    for heads in product((False, True), repeat=len(system)):
        coins = list(zip(baseline, system, heads, strict=True))
        one = plain_sum([b if is_head else a for a, b, is_head in coins])
        other = plain_sum([a if is_head else b for a, b, is_head in coins])
        distances.append(abs(score(one) - score(other)))
    least = distances[0] * (1 - 1e-9)
    return sum(distance >= least for distance in distances) / len(distances)


def with_few_differing(rng, differing, segments=50):
    """Rows of two systems that differ in some of the segments."""
    [rows] = random_systems(rng, 1, segments=segments)
    order = rng.sample(range(segments), differing)
    others = {n: random_rows(rng, 1, len(rows[0]) // 2 - 1, 20)[0] for n in order}
    other = [others.get(number, row) for number, row in enumerate(rows)]
    return rows, other, sorted(n for n in order if other[n] != rows[n])


@pytest.mark.parametrize("method", ["bootstrap", "approximate_randomization"])
@pytest.mark.parametrize("differing", [0, 1, 2, 4, 6, 9, 12])
def test_p_values_of_few_differing_segments_are_exact(method, differing):
    rng = seeded("exact", method, differing)
    for scoring in ({}, rng.choice(SMOOTHING[1:])):
        rows, other, order = with_few_differing(rng, differing)
        theirs = metric_of_rows(len(rows[0]) // 2 - 1, **scoring)
        rest = plain_sum([row for n, row in enumerate(rows) if n not in order])

        def score(row, rest=rest, theirs=theirs):
            return theirs._compute_score_from_stats(plain_sum([rest, row or rest])).score

        options = {"metric": metric_for(rows, **scoring), "samples": 20, "trials": 20}
        found = compare({"a": Stats(rows), "b": Stats(other)}, method=method, **options)["b"]
        parts = [[side[n] for n in order] for side in (rows, other)]
        assert found.p_value == exact_p_value(score, *parts) >= min(1, 2 / 2 ** len(order))
        assert (found.differing, found.trials) == (len(order), 2 ** len(order))
        assert (0 < found.differing <= 5) == ("too few for a test" in str(found))
        assert found.differing > 5 or not found.is_significant


@pytest.mark.parametrize("method", ["bootstrap", "approximate_randomization"])
@pytest.mark.parametrize("differing", [1, 4, 5, 6, 7])
def test_chance_alone_is_marked_in_5_percent_at_most(method, differing):
    """All ways to exchange segments are equally likely if systems differ by chance alone."""
    rows, other, order = with_few_differing(seeded("chance", method, differing), differing)
    options = {"method": method, "metric": metric_for(rows), "samples": 20, "trials": 20}
    marked = 0
    for heads in product((False, True), repeat=len(order)):
        one, two = list(rows), list(other)
        for number, is_head in zip(order, heads, strict=True):
            if is_head:
                one[number], two[number] = two[number], one[number]
        marked += compare({"a": Stats(one), "b": Stats(two)}, **options)["b"].is_significant
    assert marked <= 0.05 * 2 ** len(order)
    assert len(order) > 5 or not marked


def test_intervals_of_few_segments_are_said_to_be_too_narrow():
    rows = random_rows(seeded("few"), 20, 4)
    message = "95 % intervals of fewer than 20 segments are too narrow"
    few = Stats(rows[:19])
    for test in (lambda: bootstrap(few, samples=5), lambda: draw(few, few[::-1], samples=5)):
        with pytest.warns(InputWarning, match=message):
            test()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        bootstrap(Stats(rows), samples=5)
        shuffle(few, few[::-1], samples=0)


@pytest.mark.parametrize("case", range(5))
def test_bootstrap_is_exact(case):
    rng = seeded("exact bootstrap", case)
    longest = (60, 5000, 10**7, 10**14, 10**14)[case]
    baseline, system = random_systems(rng, 2, longest, segments=rng.choice((2, 3, 50)))
    weights, confidence = unequal_weights(system), rng.choice((0.5, 0.9, 0.95, 0.999))
    samples, seed = rng.choice((1, 40, 200)), rng.randint(0, 99)
    drawn = np.random.default_rng(seed).choice(len(system), (samples, len(system))).tolist()
    scores, baseline_scores = (
        [exact_score(plain_sum([rows[i] for i in sample]), weights) for sample in drawn]
        for rows in (system, baseline)
    )
    score, baseline_score = (exact_score(plain_sum(rows), weights) for rows in (system, baseline))

    options = {"samples": samples, "confidence": confidence, "seed": seed}
    options["metric"] = metric_for(system, weights=weights)
    found = bootstrap(Stats(system), **options)
    assert (found.score, found.mean) == (score, np.sort(scores).mean())
    assert (found.low, found.high) == bounds(scores, confidence)
    assert found.half_width == 0.5 * (found.high - found.low)

    compared = draw(Stats(baseline), Stats(system), **options)
    assert compared.interval == found
    assert compared.baseline_interval == bootstrap(Stats(baseline), **options)
    above = [one - other for one, other in zip(scores, baseline_scores, strict=True)]
    difference = compared.difference_interval
    assert compared.difference == difference.score == score - baseline_score
    assert (difference.low, difference.high) == bounds(above, confidence)
    assert difference.mean == np.sort(above).mean()
    assert compared.wins == sum((d > 0) + (d == 0) / 2 for d in above) / samples
    shuffled = shuffle(Stats(baseline), Stats(system), trials=10, **options)
    for name in ("interval", "baseline_interval", "difference_interval", "wins"):
        assert getattr(shuffled, name) == getattr(compared, name)
    distances = np.abs(above)
    beyond = int((distances - distances.mean() > abs(score - baseline_score)).sum())
    expected = (beyond + 1) / (samples + 1)
    if len(system) <= 12:
        expected = exact_p_value(lambda row: exact_score(row, weights), baseline, system)
    assert compared.p_value == expected


def test_sums_reach_to_the_end_of_int64():
    most = (2**63 - 1) // 3
    rows, unigrams = Stats([[most, most, most - 1, most]] * 3), fastbleu.BLEU(max_ngram_order=1)
    assert bootstrap(rows, metric=unigrams, samples=5).score == pytest.approx(100)
    columns = resampling.Columns([rows], repeated=True)
    sums = columns.add_drawn(np.array([[0, 0, 2], [1, 2, 0]]))
    assert sums.tolist() == [[[3 * most, 3 * most, 3 * most - 3, 3 * most]] * 2]
    more = Stats([[most + 1, 1, 1, 1], [0, 1, 1, 1], [0, 1, 1, 1]])
    for call in (
        lambda: bootstrap(more, metric=unigrams),
        lambda: draw(more, more, metric=unigrams),
        lambda: shuffle(rows, rows, metric=unigrams),
    ):
        raises(OverflowError, "does not fit into int64", call)


@pytest.mark.parametrize(
    ("name", "options"), [("multi-bleu", {}), ("e2e", {}), ("nltk", {"smooth_method": "floor"})]
)
def test_samples_are_scored_as_their_texts(name, options):
    """Also if totals are negative, as those of e2e are in segments shorter than an order."""
    rng = seeded("samples", name)
    metric = fastbleu.BLEU(name, tokenize=False, **options)
    texts = [rng.choices("ab", k=rng.randint(1, 9)) for _ in range(60)]
    one, other, references = texts[:20], texts[20:40], [[text] for text in texts[40:]]

    def distance(drawn):
        """How far two systems are apart: numbers of their segments among both systems'."""
        both, twice = one + other, references * 2
        rows = [[side[i] for i in numbers] for numbers in drawn for side in (both, twice)]
        return abs(metric.score(*rows[:2]).value - metric.score(*rows[2:]).value)

    indices = np.random.default_rng(12345).choice(20, (50, 20))
    scores = [metric.score(*([x[i] for i in row] for x in (one, references))) for row in indices]
    found = bootstrap(one, references, metric=metric, samples=50)
    assert found.score == metric.score(one, references).value
    assert (found.low, found.high) == bounds([score.value for score in scores], 0.95)
    coins = np.random.default_rng(12345).integers(2, size=(50, 20), dtype=bool)
    places, systems = np.arange(20), {"a": one, "b": other}
    trials = [distance([places + 20 * heads, places + 20 * ~heads]) for heads in coins]
    larger = sum(trial > distance([places, places + 20]) for trial in trials)
    compared = compare(systems, references, metric=metric, trials=50, samples=0)["b"]
    assert (compared.p_value, compared.trials, compared.seed) == ((larger + 1) / 51, 50, 12345)
    assert (compared.interval, compared.wins) == (None, None)


# Laws


def test_systems_that_no_sample_tells_apart_have_the_p_value_1():
    unigrams = fastbleu.BLEU(max_ngram_order=1, smooth_method="none")
    found = draw(Stats.zeros(5, 1), Stats([[5, 5, 0, 4]] * 5), metric=unigrams)
    assert (found.p_value, found.difference, found.wins) == (1, 0, 0.5)


def test_more_systems_change_nothing():
    systems = list(map(Stats, random_systems(seeded("more systems"), 5, segments=70)))
    metric = fastbleu.BLEU(max_ngram_order=systems[0].max_ngram_order)
    for method in ("bootstrap", "approximate_randomization"):
        options = {"method": method, "metric": metric, "seed": 3}
        names = ["a", 7, "b", ("c", 1), None]
        together = compare(dict(zip(names, systems, strict=True)), **options)
        single = [compare({0: systems[0], 1: system}, **options)[1] for system in systems[1:]]
        assert together == dict(zip(names[1:], adjusted(single), strict=True))
        assert together.baseline == "a"


# Blocks


# What is done for larger corpora, and for a numpy with other random booleans.
WAYS = {
    "int64": {"LARGEST_TABLE": 0},
    "small blocks": dict.fromkeys(("INDICES", "COINS"), 150)
    | {"LARGEST_TABLE": 0, "FEWEST_TRIALS": 1, "MOST_TRIALS": 3},
    "coins of numpy": {"coins_are_bits": lambda: False},
    "counted": {"COUNTED_SEGMENTS": 1, "WORDS": 74, "DEVIATIONS": 1},
    "counted, int64": {"COUNTED_SEGMENTS": 1, "LARGEST_TABLE": 0, "COUNTED_SAMPLES": 3},
    "indices of numpy": {"COUNTED_SEGMENTS": 1, "draws_are_words": lambda: False},
}


@pytest.mark.parametrize("way", WAYS)
def test_ways_and_blocks_change_nothing(monkeypatch, way):
    # Else a new numpy wants a look, and the slow way is taken.
    assert resampling.coins_are_bits()
    assert resampling.draws_are_words()

    def tests(systems):
        metric = fastbleu.BLEU(max_ngram_order=systems[0].max_ngram_order)
        options = {"metric": metric, "samples": 100}
        by_number = dict(enumerate(systems))
        yield compare(by_number, method="bootstrap", **options)
        yield compare(by_number, trials=50, **options)

    for segments in (2, 31, 32, 33, 64, 101):
        systems = [*map(Stats, random_systems(seeded("blocks", segments), segments=segments))]
        expected = list(tests(systems))
        with monkeypatch.context() as patch:
            for name, value in WAYS[way].items():
                patch.setattr(resampling, name, value)
            assert list(tests(systems)) == expected


@pytest.mark.parametrize("deviations", [10, 0, -1000])
def test_draws_are_those_of_numpy(monkeypatch, deviations):
    """Also where a sample does not begin in the range in which it is expected."""
    monkeypatch.setattr(resampling, "COUNTED_SEGMENTS", 1)
    monkeypatch.setattr(resampling, "DEVIATIONS", deviations)
    for segments, samples in ((1, 2), (3, 40), (1000, 9), (5000, 17), (600_000, 3)):
        monkeypatch.setattr(resampling, "WORDS", 1 << 8 if segments < 10_000 else 1 << 17)
        rows = np.random.default_rng(segments).integers(2000, size=(segments, 10), dtype=np.uint16)
        columns = resampling.Columns([rows], repeated=True)
        indices = np.random.default_rng(7).choice(segments, (samples, segments))
        wanted = [rows[some].sum(axis=0) for some in indices]
        for threads in (1, 3):
            drawn = resampling.draw_sums(np.random.default_rng(7), columns, samples, threads)
            assert (np.concatenate([sums for sums, _ in drawn], axis=1)[0] == wanted).all()


# What a caller may get wrong, and what it costs

GOOD = Stats([[5, 5, 4, 5], [6, 6, 3, 6]])
NEGATIVE = Stats([[5, 5, 4, 5], [6, 6, 3, 6], [1, 1, -1, 1]])
IMPOSSIBLE = Stats([[5, 5, 4, 4], [5, 5, 6, 4]])
TWICE = Stats.concatenate([GOOD, GOOD])
OTHER = Stats.zeros(2, 3)
UNIGRAMS = {"metric": fastbleu.BLEU(max_ngram_order=1)}


@pytest.mark.parametrize(
    ("stats", "options", "error", "message"),
    [
        (Stats.zeros(0), {}, ValueError, "the Stats have max_ngram_order=4, the metric has 1"),
        (Stats.zeros(0, 1), {}, ValueError, "0 rows, but at least 2"),
        (GOOD.sum(), {}, ValueError, "hypotheses has 1 row, .*not their sum"),
        ([[5, 5, 4, 5]], {}, TypeError, "references is None, and hypotheses is a list; only"),
        (GOOD, {"references": ["a", "b"]}, TypeError, "leave out references"),
        (NEGATIVE, {}, ValueError, "row 2 of the Stats has a negative number"),
        (GOOD, {"samples": 0}, ValueError, "samples is 0, but must be at least 1"),
        (GOOD, {"samples": 1.5}, TypeError, "samples is 1.5, expected an integer"),
        (GOOD, {"seed": "none"}, TypeError, "seed is 'none', expected .*None for a new one"),
        (GOOD, {"seed": True}, TypeError, "seed is True, expected an integer"),
        (GOOD, {"seed": -1}, ValueError, "seed is -1, but must be at least 0"),
        (GOOD, {"confidence": 95}, ValueError, "confidence is 95, but must"),
        (IMPOSSIBLE, {}, ValueError, "row 1 of the Stats has more matches than n-grams"),
    ],
)
def test_errors_of_intervals(stats, options, error, message):
    raises(error, message, bootstrap, stats, **UNIGRAMS | options)


COUNTED = fastbleu.BLEU(tokenize=False).count([["a"]] * 2, [[["a"]]] * 2)


@pytest.mark.parametrize(
    ("test", "sides", "options", "message"),
    [
        (draw, (GOOD, TWICE), UNIGRAMS, r"\['b'\] has 4 rows, systems\['a'\]"),
        (shuffle, (GOOD, OTHER), UNIGRAMS, r"\['b'\]: the Stats have max_ngram_order=3"),
        (shuffle, (COUNTED,) * 2, {"metric": "nltk"}, r"\['a'\]: .* tokenizer given, the metric"),
        (compare, ({},), {}, "systems has 0 entries"),
        (shuffle, (GOOD, GOOD), {"trials": 0}, "trials is 0, but must be at least 1"),
        (shuffle, (GOOD, GOOD), {"samples": -1}, "samples is -1, but must be at"),
        (draw, (GOOD, GOOD), {"samples": 0}, "samples is 0, but must be at least 1"),
    ],
)
def test_errors_of_comparisons(test, sides, options, message):
    raises(ValueError, message, test, *sides, **options)


def test_progress_goes_to_standard_error(capfd):
    for progress, shown in ((False, ""), (True, "samples")):
        bootstrap(GOOD, samples=10, progress=progress, **UNIGRAMS)
        out, err = capfd.readouterr()
        assert (out, shown in err, not err) == ("", True, not progress)
    shuffle(GOOD, GOOD, trials=10, progress=True, **UNIGRAMS)
    assert "trials" in capfd.readouterr().err


@pytest.mark.long
def test_memory_is_bounded_for_a_million_segments():
    rng = np.random.default_rng(1)
    rows = rng.integers(0, 40, size=(1_000_000, 10))
    rows[:, 6:] += rows[:, 2:6]  # n-grams: no fewer than match
    one, other = Stats(rows), Stats(rows[::-1])
    del rows
    peaks = {}
    for samples in (24, 36):
        for name, test in {
            "bootstrap": lambda n: bootstrap(one, samples=n),
            "paired": lambda n: draw(one, other, samples=n),
            "shuffled": lambda n: shuffle(one, other, trials=20 * n),
        }.items():
            tracemalloc.start()
            test(samples)
            peaks[name, samples] = tracemalloc.get_traced_memory()[1]
            tracemalloc.stop()
    # The rows themselves have 80 MB for each system. Their one table of uint16 has 32 or 48 MB,
    # counts of draws 24 MB or indices 8 for each sample.
    assert max(peaks.values()) < 128 * 2**20
    for name in ("bootstrap", "paired", "shuffled"):
        assert peaks[name, 36] < 1.05 * peaks[name, 24] + 2**20
