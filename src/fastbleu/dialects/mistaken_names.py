"""Names that are no parameters of `fastbleu.BLEU`."""

from __future__ import annotations

from ..inputs.arguments import closest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import NoReturn

# What other libraries call a parameter.
_NAMES_ELSEWHERE = {
    **dict.fromkeys(("max_ngram_order", "n_gram", "ngram"), "max_order"),
    **dict.fromkeys(("n_jobs", "num_workers"), "threads"),
    **dict.fromkeys(("pad_id", "pad_token_id"), "ignore_ids"),
    **dict.fromkeys(("smooth", "smooth_method", "smoothing_function"), "smoothing"),
    **dict.fromkeys(("tokenizer", "trg_lang"), "tokenize"),
    "eos_token_id": "stop_id",
    "smooth_value": "smoothing_value",
}


def refuse_name(unknown: str, names: Iterable[str]) -> NoReturn:
    """Raise the error for a name, and say which of the parameters' `names` is meant."""
    known = ["tokenize", "hashed", "keywords", *(name for name in names if name != "tokenizer")]
    meant = _NAMES_ELSEWHERE.get(unknown) or closest(unknown, known)
    hint = f"; did you mean {meant!r}?" if meant else ""
    raise TypeError(f"fastbleu.BLEU has no parameter {unknown!r}{hint}")
