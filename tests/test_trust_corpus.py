"""The kept corpora of the fuzzers."""

import sys

from generators import raises
from trust import fuzzing


def test_a_merge_of_nothing_leaves_the_corpus_as_it_was(tmp_path, monkeypatch):
    target = fuzzing.TARGETS[0]
    kept = tmp_path / "corpus" / target.module
    kept.mkdir(parents=True)
    (kept / "input").write_bytes(b"found by an earlier run")
    monkeypatch.setattr(fuzzing, "CORPUS", tmp_path / "corpus")
    # As libFuzzer that cannot start itself again: it merges nothing, and says that all is well.
    monkeypatch.setattr(fuzzing, "command", lambda *_: [sys.executable, "-c", ""])
    raises(SystemExit, "nothing was merged", fuzzing.keep, target)
    assert (kept / "input").read_bytes() == b"found by an earlier run"
