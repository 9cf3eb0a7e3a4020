"""The libraries that `fastbleu.patch` knows: where their BLEU is, which code, what replaces it."""

from __future__ import annotations

import sys
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from types import ModuleType
    from typing import Any


class Place(NamedTuple):
    """What replaces a function of a library: arguments of `runtime.patching.Replacement`."""

    owner: Any
    name: str
    fast: Callable[..., Any]
    classes: Iterable[type] = ()
    copied: bool = False


class Host:
    """A library: the module that is patched once it is imported, and the known versions of a file.

    `known` maps the first digits of the SHA-256 of a source file, `checked` or the module's own, to
    the versions that have it; `places` gives the replacements for a module, whose code also `uses`
    other packages.
    """

    def __init__(
        self,
        module: str,
        known: dict[str, str],
        places: Callable[[ModuleType], list[Place]],
        checked: str = "",
        uses: tuple[str, ...] = (),
    ) -> None:
        self.module = module
        self.library = module.partition(".")[0]
        self.packages = (self.library, *uses)
        self.known = known
        self.places = places
        self._checked = checked

    def matches(self, name: str) -> bool:
        """Whether this is the module to patch."""
        return name == self.module

    def problem(self, module: ModuleType) -> str:
        """Why a module cannot be patched, "" if it can."""
        checked = sys.modules[self._checked] if self._checked else module
        origin = getattr(checked, "__file__", None)
        try:
            code = Path(str(origin)).read_bytes().replace(b"\r\n", b"\n")
        except OSError:
            return f"the source code of {checked.__name__} cannot be read"
        if sha256(code).hexdigest()[:12] in self.known:
            return ""
        known = ", ".join(dict.fromkeys(self.known.values()))
        return f"the code of {checked.__name__} is not that of a known version ({known})"


class _EvaluateScripts(Host):
    """The modules that evaluate makes of the scripts of metrics."""

    def matches(self, name: str) -> bool:
        """Whether this is the module of a script, whatever it computes."""
        return name.startswith("evaluate_modules.")

    def problem(self, module: ModuleType) -> str:
        """Why the module of a script cannot be patched, "" if it can or computes no BLEU."""
        from . import _evaluate_patches

        if not _evaluate_patches.metrics(module):
            return ""
        return super().problem(module) or _evaluate_patches.problem(module)


def _evaluate(module: ModuleType) -> list[Place]:
    from ._evaluate_patches import metrics, replacements

    return [
        # Each metric copies its methods when it is made.
        Place(metric, name, fast, classes, name == "compute")
        for metric in metrics(module)
        for name, fast, classes in replacements(metric)
    ]


def _mbrs(module: ModuleType) -> list[Place]:
    from ._mbrs_patches import replacements

    metric, made = module.MetricBLEU, replacements(sys.modules["sacrebleu.metrics.bleu"])
    return [Place(metric, name, fast, [module.BLEU]) for name, fast in made.items()]


def _nltk(module: ModuleType) -> list[Place]:
    from ..nltk.patching import Replacements

    made, smoothing = Replacements(module), [module.SmoothingFunction]
    names = "corpus_bleu", "modified_precision", "sentence_bleu"
    return [Place(module, name, getattr(made, name), smoothing) for name in names]


def _sacrebleu(module: ModuleType) -> list[Place]:
    from ..sacrebleu.patching import Replacements

    bleu = sys.modules["sacrebleu.metrics.bleu"]
    made = Replacements(bleu)
    methods = [Place(bleu.BLEU, name, fast) for name, fast in made.methods.items()]
    return [*methods, Place(module, "sentence_bleu", made.sentence_bleu)]


def _torchmetrics(module: ModuleType) -> list[Place]:
    from ._torch_patches import torchmetrics_update

    counting = sys.modules["torchmetrics.functional.text.bleu"]
    tokenizer = module._SacreBLEUTokenizer
    fast = torchmetrics_update(counting, tokenizer)
    return [Place(counting, "_bleu_score_update", fast, [tokenizer])]


def _torcheval(module: ModuleType) -> list[Place]:
    from ._torch_patches import torcheval_update

    return [Place(module, "_bleu_score_update", torcheval_update)]


def _ignite(module: ModuleType) -> list[Place]:
    from ._torch_patches import ignite_counter, ignite_update

    update = Place(module.Bleu, "update", ignite_update, [module._Smoother])
    return [Place(module.Bleu, "_n_gram_counter", ignite_counter), update]


def _coco(module: ModuleType) -> list[Place]:
    from .coco import patched_compute_score, patched_tokenize

    if module.__name__.endswith(".bleu"):
        return [Place(module.Bleu, "compute_score", patched_compute_score)]
    return [Place(module.PTBTokenizer, "tokenize", patched_tokenize)]


class _CocoHost(Host):
    """pycocoevalcap, whose tokenizer is a module of its own."""

    def matches(self, name: str) -> bool:
        return name in (self.module, "pycocoevalcap.tokenizer.ptbtokenizer")


HOSTS = {
    "nltk": Host(
        "nltk.translate.bleu_score",
        {"02e7d7370fc6": "3.10.4", "8f9c3258a9af": "3.10.0-3.10.3", "d25c06a63b9e": "3.9.2"},
        _nltk,
    ),
    "sacrebleu": Host(
        "sacrebleu.compat",
        {"8d227ba4470d": "2.6.0", "a5ebd446d162": "2.5.1", "4ea19dc440ee": "2.4.3"},
        _sacrebleu,
        "sacrebleu.metrics.bleu",
    ),
    # The file of its tokenizers, which imports that of its counting.
    "torchmetrics": Host(
        "torchmetrics.functional.text.sacre_bleu",
        {"8c604571d28f": "1.7.4-1.9.0", "7249dadeef6c": "1.6.3"},
        _torchmetrics,
    ),
    "torcheval": Host(
        "torcheval.metrics.functional.text.bleu", {"3a537fba6868": "0.0.7"}, _torcheval
    ),
    "ignite": Host(
        "ignite.metrics.nlp.bleu",
        {"90cdf07076dc": "0.5.4-0.5.5", "372419dc2401": "0.5.3", "3bcf1dd3eea0": "0.5.2"},
        _ignite,
    ),
    "coco": _CocoHost(
        "pycocoevalcap.bleu.bleu", {"05b74a92b32e": "1.2", "ded90551127b": "1.2"}, _coco
    ),
    "evaluate": _EvaluateScripts(
        "evaluate",
        {"bccb0b3ac91d": "0.4.5-0.4.6", "0356b0c877a4": "0.4.2-0.4.4", "55ad85ad2267": "0.4.1"},
        _evaluate,
        "evaluate.module",
        ("evaluate_modules",),
    ),
    "mbrs": Host(
        "mbrs.metrics.bleu",
        {"b3b7da96a6dd": "0.1.7-0.1.8", "889b475dccdf": "0.1.6"},
        _mbrs,
        uses=("sacrebleu",),
    ),
}
