"""The names of dialects and of recipes, and the dialect that has a name."""

from __future__ import annotations

from ..runtime.import_lock import import_locked, lazy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal, TypeAlias

    from ..inputs import arguments
    from ..tokenizers import table as tokenizer_table
    from . import recipes as recipe_table
    from .base import Dialect

    # fmt: off
    DialectName: TypeAlias = Literal[
        "sacrebleu", "nltk", "multi-bleu", "multi-bleu-detok", "mteval-v13a", "mteval-v14",
        "tf-nmt", "evaluate", "tensor2tensor", "coco", "fairseq", "codexglue-summary",
        "codebleu-ngram", "codebleu-weighted", "e2e", "torchmetrics", "torcheval", "matlab",
    ]
    # The recipes (recipes.py), and names with a version that their users ask for.
    RecipeName: TypeAlias = Literal[
        "llamafactory-metric", "llamafactory-eval_bleu_rouge", "ms-swift", "lighteval-bleu_1",
        "helm-bleu_1", "deepeval-bleu1", "evalscope-bleu-1", "parlai-bleu-1", "deepeval-bleu2",
        "evalscope-bleu-2", "parlai-bleu-2", "deepeval-bleu3", "evalscope-bleu-3",
        "parlai-bleu-3", "lighteval-bleu_4", "helm-bleu_4", "deepeval-bleu4",
        "evalscope-bleu-4", "parlai-bleu-4", "helm-self_bleu", "helm-self_bleu-of-references",
        "opik-sentence", "opik-sentence-method0", "opik-corpus", "azure", "mlflow",
        "mlflow-p90", "trulens", "lm-eval-careqa", "lm-eval", "lm-eval-one-reference",
        "opencompass", "lighteval-bleu", "opencompass-references", "lm-eval-truthfulqa",
        "ragas", "ragas-legacy", "opencompass-pmmeval-flores-English",
        "opencompass-pmmeval-flores-Japanese", "opencompass-pmmeval-flores-Chinese",
        "promptfoo-0.123.1", "promptfoo-0.121.14", "ignite-no_smooth-macro",
        "ignite-no_smooth-micro", "ignite-smooth1-macro", "ignite-smooth1-micro",
        "ignite-nltk_smooth2-macro", "ignite-nltk_smooth2-micro", "ignite-smooth2-macro",
        "ignite-smooth2-micro", "tensorbleu-exp", "tensorbleu-none", "tensorbleu-floor",
        "tensorbleu-add-k", "metrax", "nemo-speechlm2", "nemo-speechlm2-normalize=False",
        "torchmetrics-sacre_bleu", "torchmetrics-sacre_bleu-smooth",
        "torchmetrics-sacre_bleu-lowercase", "torchmetrics-sacre_bleu-intl",
        "torchmetrics-sacre_bleu-char", "torchmetrics-sacre_bleu-zh",
        "torchmetrics-sacre_bleu-none", "crystalbleu", "crystalbleu-ignoring-5",
        "crystalbleu-ignoring-20", "multiwoz-nlp", "multiwoz-evaluate", "nematus",
        "codesum-codenn", "codesum-codebert", "codesum-rencos", "codesum-google-smooth",
        "codesum-nltk", "codesum-nltk-smooth2", "codesum-nltk-smooth4",
        "codesum-rencos-average", "codesum-google-smooth-average", "codesum-nltk-average",
        "codesum-nltk-smooth2-average", "codesum-nltk-smooth4-average", "moses-mert",
        "moses-sentence-bleu", "moses-mert-reflen:shortest",
        "moses-sentence-bleu-reflen:shortest", "moses-mert-reflen:average",
        "moses-sentence-bleu-reflen:average", "joshua-closest", "joshua-shortest",
        "joshua-decoder", "get_ende_bleu", "multeval", "phrasal", "phrasal-smooth",
        "phrasal-local", "marian", "marian-words", "allennlp", "paddlenlp", "torchtext",
        "keras-hub", "keras-hub-smooth", "llamafactory", "lighteval-bleu1", "helm-bleu1",
        "evalscope-bleu1", "evalscope-bleu2", "evalscope-bleu3", "lighteval-bleu4", "helm-bleu4",
        "evalscope-bleu4", "parlai", "opik", "flores", "promptfoo", "tensorbleu", "nemo",
        "multiwoz", "moses-sentence", "joshua", "compound-split", "nltk@3.10",
        "torcheval@0.0.7", "promptfoo@0.121",
    ]
    # fmt: on

else:
    arguments = lazy("fastbleu.inputs.arguments")
    recipe_table = lazy("fastbleu.dialects.recipes")
    tokenizer_table = lazy("fastbleu.tokenizers.table")

# The modules of the dialects: "a-name" is A_NAME there.
DIALECTS = {
    "sacrebleu": "sacrebleu",
    "nltk": "nltk",
    "multi-bleu": "formulas",
    "multi-bleu-detok": "formulas",
    "mteval-v13a": "formulas",
    "mteval-v14": "formulas",
    "tf-nmt": "formulas",
    "evaluate": "formulas",
    "tensor2tensor": "formulas",
    "coco": "formulas",
    "fairseq": "fairseq",
    "codexglue-summary": "formulas",
    "codebleu-ngram": "codebleu",
    "codebleu-weighted": "codebleu",
    "e2e": "formulas",
    "torchmetrics": "float32",
    "torcheval": "float32",
    "matlab": "formulas",
}
# Options of `fastbleu.BLEU` that one dialect has: see `Dialect.own_options`.
_OWN_OPTIONS = ("hashed", "keywords")
_loaded: dict[str, Dialect] = {}


def names(recipes: bool = False) -> tuple[str, ...]:
    """The values of ``dialect``, wherever this package takes one.

    Parameters
    ----------
    recipes : bool, default False
        Name the recipes, too, after the dialects: the BLEU of evaluation tools, which call a
        dialect on tokens of their own, or average what it returns. Several names may be of one.

    Notes
    -----
    Case, hyphens and underscores of a name do not matter. It may be followed by "@" and the
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
    return (*DIALECTS, *recipe_table.NAMES)


def get(name: str, reference_length: object = None, **own_options: object) -> Dialect:
    """The dialect or recipe of a name, with options that only it has.

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
    """A dialect or recipe by any spelling, maybe with a version, as in "nltk@3.10"."""
    stem, _, version = name.partition("@") if isinstance(name, str) else ("", "", "")
    if dialect_name := arguments.known_name(stem, DIALECTS):
        module = import_locked(f"{__package__}.{DIALECTS[dialect_name]}")
        dialect: Dialect = getattr(module, dialect_name.upper().replace("-", "_"))
        _loaded[dialect_name] = dialect
        if not version or f"-{version}." in f"-{dialect.version}.":
            return dialect
        raise ValueError(
            f"{arguments.shown(name)} is unknown: {dialect_name} is known as {dialect.version}"
        )
    if (recipe := recipe_table.find(stem, version)) is not None:
        if name in recipe_table.NAMES:
            _loaded[stem] = recipe
        return recipe
    if not isinstance(name, str):
        raise TypeError(
            f"dialect is {arguments.shown(name)}, expected a name; all other arguments of "
            "fastbleu.BLEU are passed by keyword, as in tokenize=..."
        )
    if arguments.known_name(name, tokenizer_table.TOKENIZERS):
        raise ValueError(
            f"{arguments.shown(name)} is a tokenizer and no dialect: pass "
            f"fastbleu.BLEU(tokenize={arguments.shown(name)})"
        )
    more = ", or of fastbleu.dialects.names(recipes=True)"
    raise ValueError(arguments.unknown_name("dialect", name, DIALECTS, more, recipe_table.NAMES))
