"""On the WMT22 files fastbleu and nltk give the same floats, line by line and as a whole."""

import numpy as np
import oracle
import pytest
import wmt22
from generators import PRISTINE, outcome, seeded

import fastbleu

METHODS = [None, "method1", "method2", "method3", "method4", "method5", "method7"]


def token_lists(path):
    return [line.split() for line in wmt22.read_lines(path)]


def reference_sets(pair):
    """Every set of references: each by itself, and all together where there are several."""
    singles = {name: token_lists(path) for name, path in wmt22.reference_files(pair).items()}
    for name, lines in singles.items():
        yield name, [[line] for line in lines]
    if len(singles) > 1:
        yield "+".join(singles), [list(lines) for lines in zip(*singles.values(), strict=True)]


def test_the_data_is_there():
    if not wmt22.SYSTEMS:
        wmt22.missing()
    assert all(wmt22.reference_files(system.split(".")[0]) for system in wmt22.SYSTEMS)


@pytest.mark.parametrize("system", wmt22.SYSTEMS)
def test_system(system):
    pair = system.split(".")[0]
    hypotheses = token_lists(wmt22.system_file(system))
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
