"""The table of dialects: their names, which are also a type, and their modules."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal
else:

    class Literal:
        """Literal[names] is the tuple of the names; importing `typing` takes milliseconds."""

        def __class_getitem__(cls, names):
            return names


# The table of dialects: "a-name" is A_NAME of the module a_name, or of the one in _MODULES.
# fmt: off
DialectName = Literal[
    "sacrebleu", "nltk", "multi-bleu", "multi-bleu-detok", "mteval-v13a", "mteval-v14", "tf-nmt",
    "evaluate", "tensor2tensor", "coco", "fairseq", "codexglue-summary", "codebleu-ngram",
    "codebleu-weighted", "e2e", "torchmetrics", "torcheval", "matlab",
]
# fmt: on


def names() -> tuple[str, ...]:
    """The names of the dialects that `fastbleu.BLEU` takes."""
    return DialectName  # type: ignore[return-value]


_MODULES = {
    "multi-bleu-detok": "multi_bleu",
    "mteval-v13a": "mteval",
    "mteval-v14": "mteval",
    "tf-nmt": "nmt",
    "evaluate": "nmt",
    "codexglue-summary": "codexglue",
    "codebleu-ngram": "codebleu",
    "codebleu-weighted": "codebleu",
}
DIALECTS = {name: _MODULES.get(name, name.replace("-", "_")) for name in names()}
