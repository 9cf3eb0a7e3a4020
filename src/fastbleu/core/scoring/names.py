"""The names of dialects and recipes, and how a name finds its dialect."""

from __future__ import annotations

from ..runtime.import_lock import import_locked, lazy, provider

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable
    from typing import TypedDict

    from ..inputs import arguments, errors
    from ..tokenizers import tokenizer as tokenizer_table
    from .base import Dialect

    class OwnOptions(TypedDict, total=False):
        """Options of `fastbleu.BLEU` that only one dialect has: see `Dialect.own_options`."""

        hashed: bool
        keywords: str | Iterable[str]
else:
    arguments = lazy("fastbleu.core.inputs.arguments")
    errors = lazy("fastbleu.core.inputs.errors")
    tokenizer_table = lazy("fastbleu.core.tokenizers.tokenizer")

_originals = provider("originals")
# The modules of the dialects: "a-name" is A_NAME there.
DIALECTS = {
    "sacrebleu": "fastbleu.core.scoring.sacrebleu",
    "nltk": "fastbleu.core.scoring.nltk",
    **(_originals.DIALECTS if _originals else {}),
}
_recipe_names: Callable[[], Collection[str]] = _originals.recipe_names if _originals else tuple
_OWN_OPTIONS = ("hashed", "keywords")  # those of OwnOptions
_loaded: dict[str, Dialect] = {}


def names(recipes: bool = False) -> tuple[str, ...]:
    """The names that ``dialect`` may have.

    Parameters
    ----------
    recipes : bool, default False
        Add the recipes, after the dialects: the BLEU of evaluation tools, which call a dialect on
        their own tokens or average its scores. A recipe may have several names.

    Notes
    -----
    Case, hyphens and underscores do not matter. A name may be followed by "@" and the
    version of the original: "nltk@3.10", "promptfoo@0.121".

    Examples
    --------
    >>> names()[:3]
    ('sacrebleu', 'nltk', 'multi-bleu')
    >>> "llamafactory" in names(recipes=True)
    True
    """
    if not recipes:
        return tuple(DIALECTS)
    return (*DIALECTS, *_recipe_names())


def get(name: str, reference_length: object = None, **own_options: object) -> Dialect:
    """The dialect or recipe with this name, and with options that only it has.

    Raises
    ------
    TypeError, ValueError
        The name or an option is unknown, or the dialect does not have the option.
    """
    dialect = _loaded.get(name) if isinstance(name, str) else None
    if dialect is None:
        dialect = _load(name)
    for option in own_options:
        if option not in _OWN_OPTIONS:
            arguments.refuse_name(option, _OWN_OPTIONS)
    if reference_length is None and not own_options:
        return dialect
    return dialect.variant(reference_length, **own_options)


def _load(name: object) -> Dialect:
    """The dialect or recipe of a name in any spelling, maybe with a version: "nltk@3.10"."""
    stem, _, version = name.partition("@") if isinstance(name, str) else ("", "", "")
    if dialect_name := arguments.known_name(stem, DIALECTS):
        module = import_locked(DIALECTS[dialect_name])
        dialect: Dialect = getattr(module, dialect_name.upper().replace("-", "_"))
        _loaded[dialect_name] = dialect
        if not version or f"-{version}." in f"-{dialect.version}.":
            return dialect
        raise ValueError(
            f"{arguments.shown(name)} is unknown: {dialect_name} has the version {dialect.version}"
        )
    recipe: Dialect | None = _originals.find_recipe(stem, version) if _originals else None
    if recipe is not None:
        if name in _recipe_names():
            _loaded[stem] = recipe
        return recipe
    if not isinstance(name, str):
        arguments.refuse_texts(f"dialect is {arguments.shown(name)}, expected a name; ")
    if arguments.known_name(name, tokenizer_table.TOKENIZERS):
        raise ValueError(
            f"{arguments.shown(name)} is a tokenizer, not a dialect: pass "
            f"{errors.advised('tokenize', name)}"
        )
    more = ", or of fastbleu.dialects.names(recipes=True)"
    raise ValueError(arguments.unknown_name("dialect", name, DIALECTS, more, _recipe_names()))
