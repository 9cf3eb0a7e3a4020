"""Coverage-guided fuzzing under AddressSanitizer: every result is compared with the slow way's."""

import os

import pytest

from trust import fuzzing

RUNS, LONG_RUNS = 200_000, 1_000_000


@pytest.fixture(scope="session")
def fuzzing_build() -> None:
    if reason := fuzzing.missing():
        pytest.skip(reason)
    fuzzing.prepare()


@pytest.mark.parametrize("target", fuzzing.TARGETS, ids=lambda target: target.name)
def test_targets(long, target, fuzzing_build):
    runs = int(os.environ.get("FASTBLEU_FUZZ_RUNS", LONG_RUNS if long else RUNS))
    failure = fuzzing.fuzz(target, int(runs * target.share))
    assert not failure, failure
