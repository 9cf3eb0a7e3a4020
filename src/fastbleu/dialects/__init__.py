"""Dialects: the rules by which one implementation turns rows of counts into a score."""

from ..runtime.import_lock import import_lock, import_locked
from .names import DIALECTS, names

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .base import Dialect
    from .nltk import NLTK, NltkDialect
    from .sacrebleu import SACREBLEU, SacrebleuDialect
    from .score import Score

_INSTANCES = {name: name.upper().replace("-", "_") for name in DIALECTS}
_HOMES = {"Dialect": "base", "Score": "score"}
_HOMES |= {"NltkDialect": "nltk", "SacrebleuDialect": "sacrebleu"}
# What is counted in another way for a reference length is another dialect, of the same name.
_OF_REFERENCE_LENGTHS = {("coco", "average"): "COCO_AVERAGE"}
# Options of `fastbleu.BLEU` that one dialect has.
_OWN_OPTIONS = {"hashed": "fairseq", "keywords": "codebleu-weighted"}
_HOMES |= {instance: name for (name, _), instance in _OF_REFERENCE_LENGTHS.items()}
_HOMES |= {_INSTANCES[name]: module for name, module in DIALECTS.items()}
__all__ = ["NLTK", "SACREBLEU", "Dialect", "NltkDialect", "SacrebleuDialect", "Score"]
__all__ += ["get", "names"]


def get(name: str, reference_length: str | None = None, **own_options: object) -> "Dialect":
    """The dialect of a name; TypeError or ValueError if there is none with these options."""
    if name not in DIALECTS:
        raise ValueError(f"dialect {name!r} is unknown; choose one of {', '.join(DIALECTS)}")
    for option in own_options:
        if option not in _OWN_OPTIONS:
            with import_lock:
                from ..inputs.arguments import refuse_name

            refuse_name(option, _OWN_OPTIONS)
        if name != _OWN_OPTIONS[option]:
            raise get(name)._refusal(option, "its original has nothing of the kind")
    instance = _OF_REFERENCE_LENGTHS.get((name, str(reference_length))) or _INSTANCES[name]
    dialect: Dialect = globals().get(instance) or __getattr__(instance)
    return type(dialect)(**own_options) if own_options else dialect


def __getattr__(name: str):  # type: ignore[no-untyped-def]
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_locked(f"{__name__}.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
