"""BLEU as an accessor of pandas data frames: `frame.bleu`.

    import fastbleu.integrations.pandas

    frame["bleu"] = frame.bleu.sentence("mt", "ref")
    frame.bleu.corpus("mt", ["ref"])

Importing this module registers the accessor. For scores by group see `fastbleu.tables.score`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..tables.functions import appended, score
from ..tables.rows import RowCounter, check_columns
from ._host_metric import host_imports

with host_imports("pandas", "pandas"):
    import pandas

if TYPE_CHECKING:
    from ..core.inputs.types import MissingChoice
    from ..core.metric.argument import Metric


@pandas.api.extensions.register_dataframe_accessor("bleu")
class BLEUAccessor:
    """BLEU of this frame; arguments are those of `fastbleu.tables.score`."""

    def __init__(self, frame: pandas.DataFrame) -> None:
        self._frame = frame

    def sentence(
        self,
        hypotheses: str,
        references: str | Sequence[str],
        *,
        metric: Metric | None = None,
        language: str | None = None,
        tokenizers: Mapping[Any, Any] | None = None,
        missing: MissingChoice = "error",
    ) -> pandas.Series[float]:
        """The BLEU of each row, like `fastbleu.tables.sentence_scores`, with the frame's index."""
        row_counter = RowCounter(hypotheses, references, metric, language, tokenizers, missing)
        names = list(dict.fromkeys(row_counter.columns))
        check_columns(list(map(str, self._frame.columns)), names)
        new = "bleu" if "bleu" not in names else "_fastbleu_score"
        return appended(self._frame[names], row_counter, new)[new].rename("bleu")

    def corpus(
        self,
        hypotheses: str,
        references: str | Sequence[str],
        *,
        metric: Metric | None = None,
        missing: MissingChoice = "error",
    ) -> float:
        """The corpus BLEU of all rows."""
        scores = score(self._frame, hypotheses, references, metric=metric, missing=missing)
        return float(scores["bleu"][0])
