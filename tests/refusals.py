"""A wrong corpus is refused by every method of a metric, which stays as it was."""

import pytest

METHODS = ("score", "count", "sentence_scores", "update")


def refused(metric, error, words, hypotheses, references, **masks):
    """Every method raises the error, with one message, which has these words."""
    before, messages = metric.state.tolist(), set()
    for method in METHODS:
        with pytest.raises(error, match=words) as caught:
            getattr(metric, method)(hypotheses, references, **masks)
        messages.add(str(caught.value))
    assert len(messages) == 1, "every method says the same"
    assert metric.state.tolist() == before
