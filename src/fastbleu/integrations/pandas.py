"""BLEU as an accessor of pandas' frames: `frame.bleu`.

    import fastbleu.integrations.pandas

    frame["bleu"] = frame.bleu.sentence("mt", "ref")
    frame.bleu.score("mt", ["ref"], by="system")

Importing this module registers the accessor.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ..runtime.extras import HostImports
from ..tables.functions import score, statistics, sums, with_scores
from ..tables.rows import RowCounter, check_columns

with HostImports("pandas", "pandas"):
    import pandas

if TYPE_CHECKING:
    from typing import Unpack

    from ..tables.rows import RowOptions


@pandas.api.extensions.register_dataframe_accessor("bleu")
class BLEUAccessor:
    """The functions of `fastbleu.tables`, of this frame."""

    def __init__(self, frame: pandas.DataFrame) -> None:
        self._frame = frame

    def sentence(
        self, hypothesis: str, references: str | Sequence[str], **options: Unpack[RowOptions]
    ) -> pandas.Series[float]:
        """The BLEU of each row, with the frame's index; as `fastbleu.tables.sentence_scores`."""
        row_counter = RowCounter(hypothesis, references, **options)
        names = list(dict.fromkeys(row_counter.columns))
        check_columns(list(map(str, self._frame.columns)), names)
        new = "bleu" if "bleu" not in names else "_fastbleu_score"
        return with_scores(self._frame[names], row_counter, new)[new].rename("bleu")

    def corpus(
        self, hypothesis: str, references: str | Sequence[str], **options: Unpack[RowOptions]
    ) -> float:
        """The corpus BLEU of all rows."""
        return float(score(self._frame, hypothesis, references, **options)["bleu"][0])

    def score(
        self,
        hypothesis: str,
        references: str | Sequence[str],
        by: str | Sequence[str] = (),
        **options: Any,
    ) -> pandas.DataFrame:
        """BLEU of each group: see `fastbleu.tables.score`."""
        return score(self._frame, hypothesis, references, by, **options)

    def sums(
        self,
        hypothesis: str,
        references: str | Sequence[str],
        by: str | Sequence[str] = (),
        **options: Any,
    ) -> pandas.DataFrame:
        """The counts of each group: see `fastbleu.tables.sums`."""
        return sums(self._frame, hypothesis, references, by, **options)

    def statistics(
        self, hypothesis: str, references: str | Sequence[str], **options: Any
    ) -> pandas.DataFrame:
        """The frame with the counts of each row: see `fastbleu.tables.statistics`."""
        return statistics(self._frame, hypothesis, references, **options)
