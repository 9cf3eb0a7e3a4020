"""Comparing five systems, from rows that both sides already have.

sacreBLEU counts n-grams anew in each of its tests. Here it does not: its metric is handed the rows,
so that what is compared is drawing, adding up and scoring.
"""

from functools import cache, partial
from typing import Any

from cases import Case
from workloads import Corpus, Work, latin

SYSTEMS = 5


def systems_of(corpus: Corpus) -> Work:
    """Return rows of the hypotheses, and of four versions of them without their last words."""
    return [[list(row) for row in rows] for rows in count(len(corpus))], []


@cache
def count(segments: int) -> list[list[list[int]]]:
    from sacrebleu import BLEU

    corpus = latin(segments)
    metric = BLEU(references=corpus.references)
    systems = [[line.rsplit(" ", k)[0] for line in corpus.hypotheses] for k in range(SYSTEMS)]
    return [metric._extract_corpus_statistics(lines, None) for lines in systems]


def sacrebleu_metric() -> Any:
    from sacrebleu import BLEU

    class OfRows(BLEU):
        def _extract_corpus_statistics(self, hypotheses: Any, references: Any) -> Any:
            return hypotheses

    metric = OfRows()
    metric.num_refs = 1  # for the signature
    return metric


def sacrebleu_paired(test: str, systems, _):
    """sacreBLEU's paired test, "bs" or "ar", with its default number of samples."""
    from sacrebleu.significance import PairedTest

    metric, named = sacrebleu_metric(), [(str(i), rows) for i, rows in enumerate(systems)]

    def call():
        _, results = PairedTest(named, {"BLEU": metric}, None, test)()
        return [(r.score, r.p_value, r.mean, r.ci) for r in results["BLEU"]]

    return call


def fastbleu_paired(method: str, systems, _):
    from fastbleu import Stats
    from fastbleu.significance import compare

    by_number = dict(enumerate(map(Stats, systems)))
    samples = 1000 if method == "bootstrap" else 0

    def call():
        found = list(compare(by_number, method=method, samples=samples).values())
        first = found[0].baseline_score, None, *mean_and_width(found[0].baseline_interval)
        rest = [(c.score, c.p_value, *mean_and_width(c.interval)) for c in found]
        return [first, *rest]

    return call


def sacrebleu_interval(systems, _):
    """What sacreBLEU does for the interval of one system after counting."""
    from sacrebleu.significance import _bootstrap_resample, estimate_ci

    metric, rows = sacrebleu_metric(), systems[0]

    def call():
        score = metric._aggregate_and_compute(rows)
        samples = [sample.score for sample in _bootstrap_resample(rows, metric, 1000)[1]]
        return [score.score, *estimate_ci(samples)]

    return call


def fastbleu_interval(systems, _):
    from fastbleu import Stats
    from fastbleu.significance import bootstrap

    stats = Stats(systems[0])

    def call():
        found = bootstrap(stats)
        return [found.score, found.mean, found.half_width]

    return call


def mean_and_width(interval: Any) -> tuple[float | None, float | None]:
    return (None, None) if interval is None else (interval.mean, interval.half_width)


def case(name: str, title: str, ours: Any, original: Any) -> Case:
    return Case(
        f"significance-{name}",
        title,
        2_000,
        latin,
        systems_of,
        ours=ours,
        others={"sacreBLEU": original},
        length="characters",
    )


CASES = (
    case(
        "bs",
        "paired bootstrap, 1,000 samples, 5 systems",
        partial(fastbleu_paired, "bootstrap"),
        partial(sacrebleu_paired, "bs"),
    ),
    case(
        "ar",
        "approximate randomization, 10,000 trials, 5 systems",
        partial(fastbleu_paired, "approximate_randomization"),
        partial(sacrebleu_paired, "ar"),
    ),
    case(
        "interval",
        "confidence interval, 1,000 samples, one system",
        fastbleu_interval,
        sacrebleu_interval,
    ),
)
