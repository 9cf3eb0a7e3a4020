"""BLEU, bit for bit as the reference implementations compute it, at the speed of the hardware."""

from .runtime.interpreters import refuse_sub_interpreters as _refuse_sub_interpreters

__version__ = "0.1.0"

_refuse_sub_interpreters()

# Where each public name lives; the module is loaded when the name is first used.
_HOMES = {
    "BLEU": "metric.bleu",
    "InputWarning": "inputs.warnings",
    "Score": "dialects.score",
    "SmoothingFunction": "nltk",
    "Stats": "counting.stats",
    "brevity_penalty": "nltk",
    "closest_ref_length": "nltk",
    "corpus_bleu": "nltk",
    "count": "counting.input",
    "modified_precision": "nltk",
    "sentence_bleu": "nltk",
    "tokenize": "tokenizers",
}
_MODULES = (
    "dialects",
    "integrations",
    "matrix",
    "nltk",
    "sacrebleu",
    "significance",
    "tokenizers",
)
__all__ = sorted(["__version__", *_HOMES])


def __getattr__(name):  # type: ignore[no-untyped-def]
    from importlib import import_module

    if name in _MODULES:
        return import_module(f"{__name__}.{name}")
    if name in _HOMES:
        value = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
        globals()[name] = value
        return value
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__():  # type: ignore[no-untyped-def]
    return sorted([*__all__, *_MODULES])
