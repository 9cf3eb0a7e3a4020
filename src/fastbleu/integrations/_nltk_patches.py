"""Replacements for functions of nltk.translate.bleu_score."""

from __future__ import annotations

import dis
from types import ModuleType
from typing import Any

from ..inputs.checks import NltkTokenChecks
from ..inputs.errors import without_input_warnings
from ..nltk._sentence_bleu import NltkMethods, corpus_score, modified_precision
from ..nltk.functions import count_corpus, weight_vectors
from ..runtime.patching import PatchTarget


def targets(module: ModuleType) -> list[PatchTarget]:
    """What to replace in nltk.translate.bleu_score."""
    replacements, used = _Replacements(module), [module.SmoothingFunction]
    names = "corpus_bleu", "modified_precision", "sentence_bleu"
    return [PatchTarget(module, name, getattr(replacements, name), used) for name in names]


class _Checks(NltkTokenChecks):
    """Refuses an iterator of references, which nltk could not read again."""

    def references(self, references: Any, segment: int) -> list[Any]:
        if hasattr(references, "__next__"):
            raise TypeError("references can be read only once")
        return super().references(references, segment)


class _Replacements:
    """The replacements for the module nltk.translate.bleu_score.

    They return NotImplemented if nltk's own code must run: for a smoothing function of the
    caller's, for sequences other than lists and tuples, or to raise nltk's errors.
    """

    def __init__(self, module: ModuleType) -> None:
        self._module = module
        # Warning filters see the line of nltk that would have warned.
        code = module.SmoothingFunction.method0.__code__
        steps = (step.offset for step in dis.get_instructions(code) if step.argval == "warn")
        at = next(steps, 0)
        [line] = [line for start, stop, line in code.co_lines() if start <= at < stop]
        shown = vars(module).setdefault("__warningregistry__", {})
        origin = code.co_filename, line, module.__name__, shown
        self._methods = NltkMethods(module.SmoothingFunction, *origin)
        self.sentence_bleu = self._methods.sentence_bleu

    @without_input_warnings
    def corpus_bleu(self, list_of_references: Any, hypotheses: Any, *options: Any) -> Any:
        weights, smoothing_function, auto_reweigh = options
        if auto_reweigh or len(list_of_references) != len(hypotheses):
            return NotImplemented
        if len(hypotheses) == 1 and type(hypotheses) is type(list_of_references) is list:
            return self.sentence_bleu(list_of_references[0], hypotheses[0], *options)
        max_ngram_order = max(map(len, weight_vectors(weights)))  # type: ignore[no-untyped-call]
        sums, _ = count_corpus(  # type: ignore[no-untyped-call]
            list_of_references, hypotheses, max_ngram_order, _Checks()
        )
        if max_ngram_order == 0 or sums[2 + max_ngram_order] == 0:
            return NotImplemented
        score = corpus_score(sums, weights, smoothing_function, self._methods)
        return NotImplemented if score is None else score

    def modified_precision(self, references: Any, hypothesis: Any, n: Any) -> Any:
        if type(n) is not int or n < 1 or type(references) not in (list, tuple):
            return NotImplemented
        if not {type(hypothesis), *map(type, references)} <= {list, tuple}:
            return NotImplemented
        fraction = modified_precision(references, hypothesis, n)
        counts = fraction.numerator, fraction.denominator
        return self._module.Fraction(*counts, _normalize=False)
