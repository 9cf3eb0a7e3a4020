from collections.abc import Sequence

def single_precision_score(
    hyp_len: float, ref_len: float, matches: Sequence[float], totals: Sequence[float]
) -> float: ...
