"""Dialects: the rules by which one implementation turns rows of counts into a score."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .base import Dialect
    from .nltk import NLTK, NltkDialect
    from .sacrebleu import SACREBLEU, SacrebleuDialect
    from .score import Score

# By the name of a dialect: the module that defines it, its one instance, and its class.
_DIALECTS = {
    "sacrebleu": ("sacrebleu", "SACREBLEU", "SacrebleuDialect"),
    "nltk": ("nltk", "NLTK", "NltkDialect"),
    "torchmetrics": ("torchmetrics", "TORCHMETRICS", "TorchMetricsDialect"),
    "torcheval": ("torcheval", "TORCHEVAL", "TorchEvalDialect"),
    "tf-nmt": ("nmt", "NMT", "NmtDialect"),
    "evaluate": ("nmt", "EVALUATE", "EvaluateDialect"),
}
_HOMES = {"Dialect": "base", "Score": "score"}
_HOMES |= {name: module for module, *names in _DIALECTS.values() for name in names}
__all__ = [
    "NLTK",
    "SACREBLEU",
    "Dialect",
    "NltkDialect",
    "SacrebleuDialect",
    "Score",
    "get",
    "names",
]


def names() -> tuple[str, ...]:
    """The names of the dialects that `fastbleu.BLEU` and `fastbleu.significance` take."""
    return "sacrebleu", "nltk"


def get(name: str) -> "Dialect":
    """The dialect of a name; ValueError if there is none."""
    if name not in _DIALECTS:
        raise ValueError(f"dialect {name!r} is unknown; choose one of {', '.join(_DIALECTS)}")
    instance = _DIALECTS[name][1]
    dialect: Dialect = globals().get(instance) or __getattr__(instance)
    return dialect


def __getattr__(name: str):  # type: ignore[no-untyped-def]
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    value = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
