"""How to count a batch: the options of `count_batch` (_batch.pyx)."""

from __future__ import annotations

from .._core import SegmentCounter
from ..inputs._ids import IdRows
from ..inputs._utf8 import Utf8Rows
from ..inputs.ids import IdRules
from ..inputs.segments import TextChecks, TokenChecks
from ..runtime._process import Pool
from ._batch import Worker
from ._ids import IdPacker
from ._text import TextPacker
from ._tokens import TokenPacker
from ._utf8 import Utf8Packer
from .splitting import PreparedPacker, SplittingPacker

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..tokenizers.table import Tokenizer

    Segment = tuple[list[Any], list[list[Any]]]

_TOKEN_CHECKS = TokenChecks()


class CountOptions:
    """How to count: arguments that were checked. Keeps the memory of its workers between calls.

    Without a tokenizer the input is lists of tokens, or rows of ids, of which `id_rules` says which
    count. `missing`: a reference may be None. `raise_totals`: a total counts at least 1 in sums.
    """

    def __init__(
        self,
        tokenizer: Tokenizer | None,
        lowercase: bool = False,
        max_order: int = 4,
        threads: int = 1,
        *,
        reference_length: str = "closest",
        id_rules: IdRules | None = None,
        missing: bool = False,
        raise_totals: bool = False,
        checks: TokenChecks | None = None,
    ) -> None:
        self.tokenizer = tokenizer
        # Whether text can be counted as UTF-8: by a compiled tokenizer, without Python strings.
        self.reads_utf8 = tokenizer is not None and tokenizer.function is None
        self.lowercase = lowercase
        self.max_order = max_order
        self.threads = threads
        self.reference_length = reference_length
        self.id_rules = id_rules or None
        self.missing = missing
        self.raise_totals = raise_totals
        self.checks = _TOKEN_CHECKS if checks is None else checks
        self.padding_was_checked = False
        # Segments in favor of the layout of references, and against it: see `warn_of_layout`.
        self.layout_votes = 0, 0
        # Workers that are not in use, by the kind of input.
        self.idle = {kind: Pool(threads) for kind in (list, IdRows, Utf8Rows)}

    def new_worker(self, kind: type) -> Worker:
        """What one more thread counts lists of segments, IdRows or Utf8Rows with."""
        counter = SegmentCounter(self.max_order, self.reference_length)
        return Worker(self._packer(kind), counter)

    def _packer(self, kind: type) -> Any:
        if kind is IdRows:
            rules = self.id_rules or IdRules()
            return IdPacker(rules.ignore_ids, rules.skip_ids, rules.stop_ids)
        if self.tokenizer is None:
            return TokenPacker(self.checks)
        function, how = self.tokenizer.function, (self.lowercase, self.missing)
        if self.tokenizer.prepared is not None:
            return PreparedPacker(*self.tokenizer.prepared, *how)
        if function is not None:
            return SplittingPacker(self.checks, function, *how)
        packer = Utf8Packer if kind is Utf8Rows else TextPacker
        return packer(TextChecks(), str(self.tokenizer.compiled), *how)
