from array import array

def score_rows(
    rows: array[int], weights: list[float] | tuple[float, ...], smoothing: str, value: float | None
) -> array[float]: ...
