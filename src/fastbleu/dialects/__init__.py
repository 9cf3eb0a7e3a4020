"""Dialects: the rules by which one implementation turns rows of counts into a score.

from fastbleu.dialects import SACREBLEU, Score
"""

# Where each name is defined; the module is loaded when the name is first used.
_HOMES = {
    "NLTK": "nltk",
    "NltkDialect": "nltk",
    "SACREBLEU": "sacrebleu",
    "SacrebleuDialect": "sacrebleu",
    "Score": "score",
}
# By the name of a dialect: the name of its one instance.
_INSTANCES = {"sacrebleu": "SACREBLEU", "nltk": "NLTK"}
__all__ = sorted([*_HOMES, "get", "names"])


def names() -> tuple[str, ...]:
    """The names of all dialects."""
    return tuple(_INSTANCES)


def get(name: str):  # type: ignore[no-untyped-def]
    """The dialect of a name; ValueError where there is none."""
    if name not in _INSTANCES:
        raise ValueError(f"dialect {name!r} is unknown; choose one of {', '.join(_INSTANCES)}")
    return __getattr__(_INSTANCES[name])


def __getattr__(name: str):  # type: ignore[no-untyped-def]
    from importlib import import_module

    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
