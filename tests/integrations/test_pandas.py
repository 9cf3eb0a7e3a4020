"""Columns of pandas' data frames, with missing values."""

import numpy as np
import pytest
from hosts import host

from fastbleu import BLEU, InputWarning

pandas = host("pandas")

HYPOTHESES = ["The cat sat on the mat.", "It rained all night long.", "A dog ran off."]
REFERENCES = ["The cat sat on a mat.", "It rained all night.", "A dog ran away."]


@pytest.mark.parametrize("dtype", ["object", "string", "str"])
@pytest.mark.parametrize("value", [None, np.nan, pandas.NA, pandas.NaT])
def test_missing_values_in_columns(dtype, value):
    frame = pandas.DataFrame({"hypothesis": HYPOTHESES, "reference": REFERENCES}, dtype=object)
    frame.loc[1, "hypothesis"] = value
    if dtype != "object" and value is not pandas.NaT:
        frame = frame.astype(dtype)
    columns = frame["hypothesis"], frame["reference"]
    metric = BLEU(effective_order=True)
    if isinstance(columns[0][1], str):  # pandas 2 made a text of it
        return
    with pytest.raises(
        TypeError, match=r"segment 1: the hypothesis is missing \((None|NaN|<NA>|NaT)\)"
    ):
        metric.score(*columns)
    with pytest.warns(InputWarning, match="left out 1 of 3 segments"):
        scores = metric.sentence_scores(*columns, missing="skip")
    expected = metric.sentence_scores(HYPOTHESES[::2], REFERENCES[::2])
    np.testing.assert_equal(scores, [expected[0], np.nan, expected[1]])
    filled = [HYPOTHESES[0], "", HYPOTHESES[2]]
    assert metric.score(*columns, missing="empty") == metric.score(filled, REFERENCES)
