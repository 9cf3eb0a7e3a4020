from typing import Any

from ..inputs.checks import TokenChecks
from ._packed import PackedSegments
from .counter import PreparedLines

class TokenPacker(PackedSegments):
    def __new__(
        cls, checks: TokenChecks | None, prepared: PreparedLines | None = None
    ) -> TokenPacker: ...
    @property
    def last_hypothesis(self) -> Any: ...
    @property
    def last_references(self) -> Any: ...
