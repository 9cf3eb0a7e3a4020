"""On the WMT22 files fastbleu and nltk give the same floats, line by line and as a whole.

The files lie under FASTBLEU_DATA (default: ../shared/data beside the project); without
them the tests skip, unless FASTBLEU_REQUIRE_DATA=1 makes that a failure.
"""

import os
from pathlib import Path

import numpy as np
import oracle
import pytest
from generators import PRISTINE, outcome, seeded

import fastbleu

PROJECT = Path(__file__).resolve().parent.parent
DATA = Path(os.environ.get("FASTBLEU_DATA") or PROJECT / ".." / "shared" / "data")
WMT22 = DATA / "wmt22"
SYSTEMS = sorted(path.name.removesuffix(".txt") for path in (WMT22 / "systems").glob("*.txt"))
METHODS = [None, "method1", "method2", "method3", "method4", "method5", "method7"]


def reference_names(pair):
    paths = sorted((WMT22 / "references").glob(f"{pair}.*.txt"))
    return [path.name.removesuffix(".txt").removeprefix(f"{pair}.") for path in paths]


def token_lists(path):
    with open(path, encoding="utf-8", newline="\n") as lines:
        return [line.rstrip("\n").split() for line in lines]


def reference_sets(pair):
    """Every set of references: each by itself, and all together where there are several."""
    names = reference_names(pair)
    singles = {name: token_lists(WMT22 / "references" / f"{pair}.{name}.txt") for name in names}
    for name, lines in singles.items():
        yield name, [[line] for line in lines]
    if len(names) > 1:
        yield "+".join(names), [list(lines) for lines in zip(*singles.values(), strict=True)]


def test_the_data_is_there():
    if not SYSTEMS:
        message = f"no WMT22 files under {DATA}; set FASTBLEU_DATA"
        if os.environ.get("FASTBLEU_REQUIRE_DATA") == "1":
            pytest.fail(message)
        pytest.skip(message)
    assert all(reference_names(system.split(".")[0]) for system in SYSTEMS)


@pytest.mark.parametrize("system", SYSTEMS)
def test_system(system):
    pair = system.split(".")[0]
    hypotheses = token_lists(WMT22 / "systems" / f"{system}.txt")
    rng = seeded("real data", system)
    for names, list_of_references in reference_sets(pair):
        where = f"{system} with {names}"
        assert len(hypotheses) == len(list_of_references), where
        expected = outcome(PRISTINE.corpus_bleu, list_of_references, hypotheses)
        assert outcome(fastbleu.corpus_bleu, list_of_references, hypotheses) == expected, where
        stats = fastbleu.count(hypotheses, list_of_references, threads=2)
        for line in rng.sample(range(len(hypotheses)), 150):
            segment = list_of_references[line], hypotheses[line]
            assert np.asarray(stats)[line].tolist() == oracle.row(segment[1], segment[0]), where
            assert_same_sentence(f"{where}, line {line + 1}", segment, rng.choice(METHODS))


def assert_same_sentence(where, segment, method):
    ours, theirs = (
        outcome(
            side.sentence_bleu,
            *segment,
            smoothing_function=method and getattr(side.SmoothingFunction(), method),
        )
        for side in (fastbleu, PRISTINE)
    )
    assert ours == theirs, f"{where}, {method}"
