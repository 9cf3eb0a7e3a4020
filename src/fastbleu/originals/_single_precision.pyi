from collections.abc import Sequence

def single_precision_score(
    added: float, hyp_len: float, ref_len: float, matches: Sequence[float], totals: Sequence[float]
) -> float: ...
