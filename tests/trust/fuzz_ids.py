"""Any batch of ids that id_batches.py makes, from bytes in the place of random numbers."""

import functools
import random
from typing import Any

import numpy as np
import oracle
from id_batches import random_arguments

from fastbleu import BLEU
from trust.fuzz_input import Input, equal

metric = functools.lru_cache(500)(functools.partial(BLEU, tokenize=False))


class Chosen(random.Random):
    """A random generator whose choices are bytes of an input."""

    def __init__(self, given: Input) -> None:
        super().__init__(0)
        self.given = given

    def getrandbits(self, bits: int) -> int:
        size = -(-bits // 8)
        number = int.from_bytes(self.given.bytes(size).ljust(size, b"\0"), "little")
        return number & ((1 << bits) - 1)

    def random(self) -> float:
        return self.given.byte() / 256


def run(data: bytes) -> None:
    given = Input(data)
    order = 1 + given.below(5)
    batch, sides, masks = random_arguments(Chosen(given))
    options: dict[str, Any] = {"max_ngram_order": order, **batch.options}
    found = np.asarray(metric(**options).count(*sides, **masks)).tolist()
    rows = [oracle.row(h, its, order) for h, its in zip(*batch.segments(), strict=True)]
    equal(found, rows, options, sides, masks)
