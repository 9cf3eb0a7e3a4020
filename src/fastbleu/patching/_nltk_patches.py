"""Replacements for functions of nltk.translate.bleu_score."""

from __future__ import annotations

import dis
from types import ModuleType
from typing import Any

from ..core.counting.counter import Counter
from ..core.inputs._batch import Batch
from ..nltk._sentence_bleu import NltkMethods, corpus_score, modified_precision
from ..nltk.functions import weight_vectors
from ._internals import is_nested
from .replacing import PatchTarget


def targets(module: ModuleType) -> list[PatchTarget]:
    """What to replace in nltk.translate.bleu_score."""
    replacements, used = _Replacements(module), [(module, "SmoothingFunction")]
    names = "corpus_bleu", "modified_precision", "sentence_bleu"
    return [PatchTarget(module, name, getattr(replacements, name), used) for name in names]


class _Replacements:
    """The replacements for the module nltk.translate.bleu_score.

    nltk's own code runs for smoothing functions of the caller's, for tokens that are not str, bytes
    or int, for sequences that are not lists or tuples, and to raise nltk's errors.
    """

    def __init__(self, module: ModuleType) -> None:
        self._module = module
        # Warning filters see the line of nltk that would have warned.
        code = module.SmoothingFunction.method0.__code__
        steps = (step.offset for step in dis.get_instructions(code) if step.argval == "warn")
        at = next(steps, 0)
        [line] = [line for start, stop, line in code.co_lines() if start <= at < stop]
        kind, namespace = module.SmoothingFunction, vars(module)
        self._methods = NltkMethods(kind, code.co_filename, line, namespace)
        self.sentence_bleu = self._methods.sentence_bleu

    def corpus_bleu(self, list_of_references: Any, hypotheses: Any, *options: Any) -> Any:
        weights, smoothing_function, auto_reweigh = options
        if auto_reweigh or not {type(list_of_references), type(hypotheses)} <= {list, tuple}:
            return NotImplemented
        if not len(list_of_references) == len(hypotheses) > 0:
            return NotImplemented
        if len(hypotheses) == 1:
            return self.sentence_bleu(list_of_references[0], hypotheses[0], *options)
        order = max(map(len, weight_vectors(weights)))  # type: ignore[no-untyped-call]
        counter = Counter(None, max_ngram_order=order, least_total=1, checks=None)
        counted = counter.count(Batch(hypotheses, list_of_references), keep_rows=False)
        score = corpus_score(counted.rows, weights, smoothing_function, self._methods)
        return NotImplemented if score is None else score

    def modified_precision(self, references: Any, hypothesis: Any, n: Any) -> Any:
        if type(n) is not int or n < 1:
            return NotImplemented
        if not (is_nested(hypothesis, 1) and is_nested(references, 2)):
            return NotImplemented
        fraction = modified_precision(references, hypothesis, n)
        counts = fraction.numerator, fraction.denominator
        return self._module.Fraction(*counts, _normalize=False)
