"""Counts at the end of int64: refused where a sum would leave it, and scored right up to there."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from trust.part import Outcome

MOST = 2**63 - 1


def refuses(outcome: Outcome, what: str, action: Callable[[], object]) -> None:
    """A case: OverflowError and nothing else."""
    try:
        found = action()
    except OverflowError:
        outcome.check(True, "")
    except Exception as error:
        outcome.check(False, f"{what}: {type(error).__name__}: {error}")
    else:
        outcome.check(False, f"{what} gave {str(found)[:200]}")


def gives(outcome: Outcome, what: str, action: Callable[[], object], expected: object) -> None:
    """A case: this very result."""
    try:
        found = action()
    except Exception as error:
        outcome.check(False, f"{what}: {type(error).__name__}: {error}")
    else:
        right = f"not {str(expected)[:200]}"
        outcome.check(found == expected, f"{what} gave {str(found)[:200]}, {right}")


def counts_at_the_end_of_int64(outcome: Outcome) -> None:
    from fastbleu import BLEU, Stats
    from fastbleu import sacrebleu as ours
    from fastbleu.dialects import NLTK, SACREBLEU
    from fastbleu.significance import bootstrap, paired_approximate_randomization, paired_bootstrap

    full, one = Stats([[MOST] * 10]), Stats([[1] * 10])
    low = Stats([[-MOST] * 10])
    several = Stats([[1] * 10, [MOST] * 10])
    for number in (2**63, 2**64 - 1, 2**64, 10**30):
        refuses(outcome, f"Stats of {number}", lambda n=number: Stats([[n] * 10]))
        refuses(outcome, f"a state of {number}", lambda n=number: BLEU.from_state([n] * 10))
    refuses(outcome, "Stats of uint64", lambda: Stats(np.full((1, 10), 2**63, np.uint64)))
    refuses(outcome, "a state of uint64", lambda: BLEU.from_state(np.full(10, 2**63, np.uint64)))
    refuses(outcome, "Stats + Stats", lambda: full + one)
    refuses(outcome, "Stats + Stats below 0", lambda: low + low)
    refuses(outcome, "sum([Stats])", lambda: sum([full, one]))
    refuses(outcome, "Stats.sum", several.sum)
    refuses(outcome, "Stats.concatenate.sum", lambda: Stats.concatenate([full, one]).sum())
    gives(outcome, "the largest sum", lambda: (full + Stats.zeros(1)).sum() == full, True)
    for dialect in ("sacrebleu", "nltk"):
        metric = BLEU(dialect=dialect, keep_segments=True)
        metric._add(BLEU.from_state([MOST] * 10, dialect=dialect)._totals)
        other = BLEU(dialect=dialect, keep_segments=True)
        other.update(["a b c d e"], [["a b c d e"]])
        for what, action in (
            ("update", lambda m=metric: m.update(["a b c d e"], [["a b c d e"]])),
            ("merge", lambda m=metric, o=other: m.merge(o)),
            ("merge the other way", lambda m=metric, o=other: o.merge(m)),
        ):
            refuses(outcome, f"{dialect}: {what}", action)
            gives(outcome, f"{dialect}: the state after {what}", metric.state.tolist, [MOST] * 10)
        gives(outcome, "the other state", lambda o=other: o.state[:2].tolist(), [5, 5])
        rules = NLTK if dialect == "nltk" else SACREBLEU
        refuses(outcome, f"{dialect}: a bootstrap", lambda r=rules: bootstrap(several, dialect=r))
        for test in (paired_bootstrap, paired_approximate_randomization):
            what = f"{dialect}: {test.__name__}"
            refuses(outcome, what, lambda t=test, r=rules: t(several, [several], dialect=r))
    rows = np.full((2, 10), 2**62, np.int64)
    refuses(outcome, "two halves", Stats(rows).sum)
    metric = ours.BLEU()
    refuses(outcome, "rows of the metric", lambda: metric._aggregate_and_compute(Stats(rows)))
    scores_at_the_end_of_int64(outcome)
    ids = np.broadcast_to(np.int8(1), (1, 2**31))
    few = np.ones((1, 3), np.int8)
    for sides in ((ids, few), (few, ids), (few, ids[:, None])):
        refuses(outcome, "2**31 ids", lambda s=sides: BLEU(None).statistics(*s))
    refuses(outcome, "2**31 ids, pairwise", lambda: BLEU(None).pairwise(ids, few))


def scores_at_the_end_of_int64(outcome: Outcome) -> None:
    """The largest states have the scores that numbers without a limit give."""
    import oracle
    import sacrebleu

    from fastbleu import BLEU

    states = [
        [MOST] * 10,
        [MOST, MOST, MOST - 1, MOST - 2, MOST - 3, 0, *[MOST] * 4],
        [MOST, 1, *[MOST] * 8],
        [1, MOST, *[MOST] * 8],
        [2**53 + 1, 2**53 + 2, 2**53 + 1, 2**53, 2**52 + 1, 3, *[2**53 + 1] * 4],
    ]
    for state in states:
        for smoothing in ("none", "floor", "add-k", "exp"):
            options: dict[str, Any] = {"effective_order": True}
            expected = sacrebleu.BLEU.compute_bleu(
                state[2:6], state[6:], *state[:2], smooth_method=smoothing, **options
            )
            metric = BLEU.from_state(state, smoothing=smoothing, **options)
            gives(
                outcome, f"{state} {smoothing}", lambda m=metric: m.compute().value, expected.score
            )
        for method, smoothing in enumerate(("none", "floor", "add-k", "exp", "method4")):
            metric = BLEU.from_state(state, dialect="nltk", smoothing=smoothing)
            expected = float(oracle.nltk_score([state], (0.25,) * 4, method))
            gives(
                outcome, f"{state} nltk {smoothing}", lambda m=metric: m.compute().value, expected
            )


def scored(outcome: Outcome, state: list[int], metric: Any, expected: float) -> None:
    gives(outcome, f"{state} {metric.signature}", lambda: metric.compute().value, expected)
