"""Results as something that `==` compares bit for bit, and that can be printed."""

import re
from collections.abc import Mapping
from dataclasses import fields, is_dataclass

import numpy as np

import fastbleu
from fastbleu import sacrebleu


def plain(result: object) -> object:
    if isinstance(result, np.ndarray):
        return "array", result.dtype.str, result.shape, result.tobytes()
    if isinstance(result, float):
        return result.hex()
    if isinstance(result, fastbleu.Stats):
        return "Stats", result.max_ngram_order, np.asarray(result).tolist()
    if is_dataclass(result) and not isinstance(result, type):
        values = {field.name: getattr(result, field.name) for field in fields(result)}
        return type(result).__name__, plain(values)
    if isinstance(result, (list, tuple)):
        return type(result).__name__, [plain(part) for part in result]
    if isinstance(result, Mapping):
        return [(plain(key), plain(value)) for key, value in result.items()]
    if isinstance(result, sacrebleu.BLEUScore):
        return plain(vars(result))
    return re.sub(r" at 0x[0-9a-f]+", "", repr(result))
