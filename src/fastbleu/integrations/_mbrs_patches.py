"""Replacements for methods of mbrs' `MetricBLEU`: those of `fastbleu.integrations.mbrs`."""

from __future__ import annotations

from dataclasses import astuple
from functools import lru_cache

from ..inputs.warnings import without_input_warnings
from ..runtime.import_lock import lazy
from ..sacrebleu.patching import OwnTokenizers

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType
    from typing import Any

    from . import mbrs
else:
    mbrs = lazy("fastbleu.integrations.mbrs")

REPLACED = "scores", "pairwise_scores", "expected_scores_reference_aggregation"
# What an object's own sacreBLEU has of its configuration.
_SETTINGS = "lowercase", "smooth_method", "smooth_value", "max_ngram_order", "effective_order"


def replacements(bleu: ModuleType) -> dict[str, Callable[..., Any]]:
    """What replaces methods of mbrs' `MetricBLEU`; `bleu` is sacrebleu.metrics.bleu."""
    tokenizers = OwnTokenizers(bleu)

    def is_as_configured(scorer: Any, config: Any) -> bool:
        default = bleu.BLEU._TOKENIZER_MAP.get(config.trg_lang, bleu.BLEU.TOKENIZER_DEFAULT)
        return (
            type(scorer) is bleu.BLEU
            and tokenizers.name_of(type(scorer.tokenizer)) == (config.tokenize or default)
            and all(getattr(scorer, name) == getattr(config, name) for name in _SETTINGS)
        )

    def fast_method(name: str) -> Callable[..., Any]:
        @without_input_warnings
        def method(metric: Any, *arguments: Any, **named: Any) -> Any:
            config: Any = metric.cfg
            kind: Any = type(config)
            if not is_as_configured(metric.scorer, config):
                return NotImplemented
            return getattr(_fast_metric(kind, astuple(config)), name)(*arguments, **named)

        return method

    return {name: fast_method(name) for name in REPLACED}


@lru_cache(maxsize=64)
def _fast_metric(kind: Any, fields: tuple[Any, ...]) -> Any:
    return mbrs.MetricBLEU(kind(*fields))
