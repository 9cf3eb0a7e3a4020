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
    """The dialect or recipe of a name; TypeError or ValueError if none has these options."""
    found = None if name in DIALECTS else _recipe_or_version(name)
    name = name if found is None else found.name
    for option in own_options:
        if option not in _OWN_OPTIONS:
            with import_lock:
                from ..inputs.arguments import refuse_name

            refuse_name(option, _OWN_OPTIONS)
        if name != _OWN_OPTIONS[option]:
            raise (found or get(name))._refusal(option, "its original has nothing of the kind")
    if name not in DIALECTS:
        assert found is not None
        return found
    instance = _OF_REFERENCE_LENGTHS.get((name, str(reference_length))) or _INSTANCES[name]
    dialect: Dialect = globals().get(instance) or __getattr__(instance)
    return type(dialect)(**own_options) if own_options else dialect


def _recipe_or_version(name: str) -> "Dialect":
    """The recipe of a name, or the dialect of a name and its version, as "nltk@3.10"."""
    stem, _, version = name.partition("@") if isinstance(name, str) else (name, "", "")
    if version and stem in DIALECTS:
        dialect = get(stem)
        if f"-{version}." in f"-{dialect.version}.":
            return dialect
        raise ValueError(f"{name!r} is unknown: {stem} is known as {dialect.version}")
    with import_lock:
        from .recipe_table import find

    if (recipe := find(name) if isinstance(name, str) else None) is not None:
        return recipe
    known = ", ".join(DIALECTS)
    raise ValueError(
        f"dialect {name!r} is unknown; choose one of {known}, or of fastbleu.recipes.names()"
    )


def __getattr__(name: str):  # type: ignore[no-untyped-def]
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_locked(f"{__name__}.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
