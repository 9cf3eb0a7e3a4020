"""Significance: five systems, from rows that both sides already have.

sacreBLEU counts n-grams anew in each of its tests. Here it does not: its metric is handed the rows,
so that what is compared is drawing, adding up and scoring.
"""

from __future__ import annotations

from functools import cache, partial
from typing import Any

from cases import SUBJECT, Adapter, Case, Goal, Prepared
from workloads import Corpus, Work, latin

ORIGINAL = "sacreBLEU"
SYSTEMS = 5

Found = list[float | None]


def systems_of(corpus: Corpus) -> Work:
    """Return rows of the hypotheses, and of four versions of them with words left out."""
    return [[list(row) for row in rows] for rows in _count(tuple(corpus.hypotheses))], []


@cache
def _count(hypotheses: tuple[str, ...]) -> list[list[list[int]]]:
    from sacrebleu import BLEU

    metric = BLEU(references=latin(len(hypotheses)).references)
    systems = []
    for system in range(SYSTEMS):
        every = 60 - 4 * system
        kept = [
            " ".join(
                word
                for place, word in enumerate(line.split(), number)
                if not system or place % every
            )
            for number, line in enumerate(hypotheses)
        ]
        systems.append(metric._extract_corpus_statistics(kept, None))
    return systems


def _sacrebleu_metric() -> Any:
    from sacrebleu import BLEU

    class OfRows(BLEU):
        def _extract_corpus_statistics(self, hypotheses: Any, references: Any) -> Any:
            return hypotheses

    metric = OfRows()
    metric.num_refs = 1  # for the signature
    return metric


def paired_of_sacrebleu(test: str) -> Prepared:
    """Return sacreBLEU's paired test, "bs" or "ar", with its default number of samples."""
    from sacrebleu.significance import PairedTest

    metric = _sacrebleu_metric()

    def run(named: list[tuple[str, list]]) -> Found:
        _, results = PairedTest(named, {"BLEU": metric}, None, test)()
        return _flat([(r.score, r.p_value, r.mean, r.ci) for r in results["BLEU"]])

    return Prepared(run, lambda systems, _: ([(str(i), s) for i, s in enumerate(systems)],))


def paired_of_fastbleu(name: str) -> Prepared:
    """Return the same of fastbleu."""
    from fastbleu import significance

    paired = getattr(significance, name)

    def run(baseline: Any, systems: list[Any]) -> Found:
        found = paired(baseline, systems)
        first = found[0].baseline_score, None, *_mean_and_width(found[0].baseline_interval)
        others = [(c.score, c.p_value, *_mean_and_width(c.interval)) for c in found]
        return _flat([first, *others])

    return Prepared(run, _as_stats)


def interval_of_sacrebleu() -> Prepared:
    """Return what sacreBLEU does for the interval of one system after counting."""
    from sacrebleu.significance import _bootstrap_resample, estimate_ci

    metric = _sacrebleu_metric()

    def run(rows: list[list[int]]) -> Found:
        score = metric._aggregate_and_compute(rows)
        samples = [sample.score for sample in _bootstrap_resample(rows, metric, 1000)[1]]
        return _flat([(score.score, *estimate_ci(samples))])

    return Prepared(run, lambda systems, _: (systems[0],))


def interval_of_fastbleu() -> Prepared:
    """Return the same of fastbleu."""
    from fastbleu.significance import bootstrap

    def run(stats: Any, _: list[Any]) -> Found:
        found = bootstrap(stats)
        return [found.score, found.mean, found.half_width]

    return Prepared(run, _as_stats)


def _as_stats(systems: list, _: list) -> tuple:
    from fastbleu import Stats

    baseline, *others = map(Stats, systems)
    return baseline, others


def _mean_and_width(interval: Any) -> tuple[float | None, float | None]:
    return (None, None) if interval is None else (interval.mean, interval.half_width)


def _flat(results: list[tuple]) -> Found:
    """Return plain floats in one list: numpy's float64 is one, too."""
    return [None if value is None else float(value) for result in results for value in result]


def _case(name: str, title: str, adapters: dict[str, Adapter], **options: Any) -> Case:
    return Case(
        f"significance-{name}",
        title,
        segments=2_000,
        select=latin,
        fresh=systems_of,
        adapters=adapters,
        peer=ORIGINAL,
        truth=ORIGINAL,
        measured_in="characters",
        section="significance",
        rounds=5,
        **options,
    )


CASES: tuple[Case, ...] = (
    *(
        _case(
            test,
            f"{title}, 5 systems, rows given",
            {
                ORIGINAL: partial(paired_of_sacrebleu, test),
                SUBJECT: partial(paired_of_fastbleu, name),
            },
            goals=(Goal("ratio", 30, 100),),
        )
        for test, name, title in (
            ("bs", "paired_bootstrap", "paired bootstrap, 1,000 samples"),
            (
                "ar",
                "paired_approximate_randomization",
                "approximate randomization, 10,000 trials",
            ),
        )
    ),
    _case(
        "interval",
        "confidence interval, 1,000 samples, one system, rows given",
        {ORIGINAL: interval_of_sacrebleu, SUBJECT: interval_of_fastbleu},
    ),
)
