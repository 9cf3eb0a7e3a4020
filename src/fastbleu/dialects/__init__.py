"""Dialects: the rules by which one implementation turns rows of counts into a score."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .base import Dialect
    from .nltk import NLTK, NltkDialect
    from .sacrebleu import SACREBLEU, SacrebleuDialect
    from .score import Score
# The module that defines each dialect, by name; the instance of "tf-nmt" is called TF_NMT.
_DIALECTS = {
    "sacrebleu": "sacrebleu",
    "nltk": "nltk",
    "multi-bleu": "multi_bleu",
    "multi-bleu-detok": "multi_bleu",
    "mteval-v13a": "mteval",
    "mteval-v14": "mteval",
    "tf-nmt": "nmt",
    "evaluate": "nmt",
    "tensor2tensor": "tensor2tensor",
    "coco": "coco",
    "fairseq": "fairseq",
    "codexglue-summary": "codexglue",
    "codebleu-ngram": "codebleu",
    "codebleu-weighted": "codebleu",
    "e2e": "e2e",
    "torchmetrics": "torchmetrics",
    "torcheval": "torcheval",
    "matlab": "matlab",
}
_INSTANCES = {name: name.upper().replace("-", "_") for name in _DIALECTS}
_HOMES = {"Dialect": "base", "Score": "score"}
_HOMES |= {"NltkDialect": "nltk", "SacrebleuDialect": "sacrebleu"}
_HOMES |= {_INSTANCES[name]: module for name, module in _DIALECTS.items()}
__all__ = ["NLTK", "SACREBLEU", "Dialect", "NltkDialect", "SacrebleuDialect", "Score"]
__all__ += ["get", "names"]


def names() -> tuple[str, ...]:
    """The names of the dialects that `fastbleu.BLEU` takes."""
    return tuple(_DIALECTS)


def get(name: str) -> "Dialect":
    """The dialect of a name; ValueError if there is none."""
    if name not in _DIALECTS:
        raise ValueError(f"dialect {name!r} is unknown; choose one of {', '.join(_DIALECTS)}")
    dialect: Dialect = globals().get(_INSTANCES[name]) or __getattr__(_INSTANCES[name])
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
