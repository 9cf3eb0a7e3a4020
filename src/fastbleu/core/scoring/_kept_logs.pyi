from ..counting._prefixes import RowScorer

class KeptScorer(RowScorer):
    def __new__(cls, max_order: int, effective_order: bool) -> KeptScorer: ...
