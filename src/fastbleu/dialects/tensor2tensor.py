"""tensor2tensor's t2t-bleu."""

from __future__ import annotations

from array import array
from math import exp

from .plain import Row, SummedDialect, doubling_logarithms

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .scorer import Scorer


class Tensor2TensorDialect(SummedDialect):
    """``bleu_wrapper`` of tensor2tensor (t2t-bleu), with one reference, 0-1.

    exp(sum of log p / max_order) * BP, rounded to float32. Where an order has no match p is
    1 / (k * totals), k doubling from 2 with each such order; an order without n-grams adds nothing
    to the sum. BP is 1 if the ratio of lengths is at least 1 or the reference has no tokens, else
    exp(1 - 1 / ratio).

    Text is lowercased (``lowercase=False`` is its ``case_sensitive``) and split as in mteval's
    international tokenization, but numbers are only decimal digits, the backslash is not
    punctuation, and entities stay. Unicode is that of the running Python.

    References
    ----------
    tensorflow/tensor2tensor bafdc1b6, tensor2tensor/utils/bleu_hook.py.
    """

    name = "tensor2tensor"
    version = "tensor2tensor"
    tokenizer = "tensor2tensor"
    tokenizers = {"tensor2tensor": "tensor2tensor"}
    lowercase = True
    single_reference = True
    smoothings = {"exp": None}
    options = {"smoothing": "exp"}

    def printed(self, value: float) -> str:
        return f"{100 * value:.2f}"

    def brevity_penalty(self, hyp_len: int, ref_len: int) -> float:
        if not ref_len or hyp_len >= ref_len:
            return 1.0
        return exp(1 - 1.0 / (hyp_len / ref_len)) if hyp_len else 0.0

    def _score(self, row: Row, scorer: Scorer) -> float:
        hyp_len, ref_len, matches, totals = row
        logarithms = doubling_logarithms(matches, totals)
        if not logarithms:
            return 0.0
        mean = exp(sum(logarithms) / len(totals))
        return array("f", [mean * self.brevity_penalty(hyp_len, ref_len)])[0]


TENSOR2TENSOR = Tensor2TensorDialect()
