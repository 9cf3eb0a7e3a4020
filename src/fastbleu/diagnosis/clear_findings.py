"""Warnings about findings in a few texts: those that are no chance."""

from __future__ import annotations

from math import inf

from ..core.inputs.errors import warn_input
from ..core.metric.bleu import BLEU
from .corpus import Corpus
from .findings import check_order, find
from .repairs import REPAIRS
from .search import Search

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .search import Finding

# What is no chance: the points and the share of the score that a mistake costs, and its segments.
# Most repairs are of what is never right, so that less is no chance.
_OF_ERRORS, _OF_OTHERS = (0.5, 0.02, 3), (1.0, 0.1, 3)
_LEAST_EFFECTS = {
    **dict.fromkeys(("constant text", "lost characters", "unknown words"), _OF_ERRORS),
    "shifted": (1.0, 0.1, 1),
    "shuffled": (10.0, 1.0, 30),
    "words reversed": (10.0, 1.0, 3),
    **dict.fromkeys(("short", "long"), (10.0, 0.8, 0)),  # as the first outputs in training
    **dict.fromkeys(("blank", "empty"), (inf, 1.0, 0)),  # which is said when all is counted
}
# Other differences of fewer pairs are chance.
_LEAST_PAIRS = 20


def warn_of_mistake(counter: Any, hypotheses: list[str], references: list[list[str]]) -> bool:
    """Warn about a mistake in these texts, the first ones; return whether there is one."""
    corpus = _corpus(counter, hypotheses, references)
    return _warn_of(find(corpus), corpus, f"in the first {len(corpus)} segments, ")


def warn_of_order(
    counter: Any, hypotheses: list[str], references: list[list[str]], first: int
) -> bool:
    """Warn if hypotheses, which are numbered from `first`, fit the references of other segments."""
    corpus = _corpus(counter, hypotheses, references)
    search = Search(corpus, None, first)
    check_order(search)
    return _warn_of(search.found, corpus)


def _corpus(counter: Any, hypotheses: list[str], references: list[list[str]]) -> Corpus:
    """The corpus as the counter reads it, with sacreBLEU's score."""
    metric = BLEU(
        tokenize=counter.tokenizer or "none",
        lowercase=counter.lowercase,
        max_ngram_order=counter.max_ngram_order,
    )
    return Corpus(hypotheses, references, metric)


def _warn_of(findings: list[Finding], corpus: Corpus, where: str = "") -> bool:
    """Warn about the first finding that is no chance; return whether there is one."""
    for finding in findings:
        repair = REPAIRS.get(finding.name)
        is_error = repair is not None and not repair.is_spelling
        usual = _OF_ERRORS if is_error else _OF_OTHERS
        points, share, segments = _LEAST_EFFECTS.get(finding.name, usual)
        if (
            finding._weight >= max(points, share * corpus.points())
            and len(finding.segments) >= min(len(corpus), segments)
            and (is_error or len(corpus) >= _LEAST_PAIRS)
        ):
            warn_input(where + finding.message)
            return True
    return False
