"""Dialects: the rules by which one implementation turns rows of counts into a score."""

from ..runtime.import_lock import import_locked, lazy
from .names import DIALECTS, names

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..inputs import arguments as _arguments
    from . import recipe_table as _recipes
    from .base import Dialect
    from .nltk import NLTK, NltkDialect
    from .sacrebleu import SACREBLEU, SacrebleuDialect
    from .score import Score
else:
    _arguments = lazy("fastbleu.inputs.arguments")
    _recipes = lazy("fastbleu.dialects.recipe_table")

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
    found = None if isinstance(name, str) and name in DIALECTS else _other_name(name)
    name = name if found is None else found.name
    for option in own_options:
        if option not in _OWN_OPTIONS:
            _arguments.refuse_name(option, _OWN_OPTIONS)
        if name != _OWN_OPTIONS[option]:
            raise (found or get(name))._refusal(option, "its original has nothing of the kind")
    if found is not None and name not in DIALECTS:
        return found
    instance = _OF_REFERENCE_LENGTHS.get((name, str(reference_length))) or _INSTANCES[name]
    dialect: Dialect = globals().get(instance) or __getattr__(instance)
    return type(dialect)(**own_options) if own_options else dialect


def _other_name(name: object) -> "Dialect":
    """The dialect of another spelling, or of a name and its version, as "nltk@3.10"; a recipe."""
    stem, _, version = name.partition("@") if isinstance(name, str) else ("", "", "")
    if known := _arguments.known_name(stem, DIALECTS):
        dialect = get(known)
        if not version or f"-{version}." in f"-{dialect.version}.":
            return dialect
        raise ValueError(
            f"{_arguments.shown(name)} is unknown: {known} is known as {dialect.version}"
        )
    if (recipe := _recipes.find(stem, version)) is not None:
        return recipe
    raise ValueError(
        _arguments.unknown_name(
            "dialect", name, DIALECTS, ", or of fastbleu.recipes.names()", _recipes.NAMES
        )
    )


def __getattr__(name: str):  # type: ignore[no-untyped-def]
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_locked(f"{__name__}.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
