"""The input of a report: the checked hypotheses of all systems, side by side."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from math import isnan
from typing import TYPE_CHECKING, Any

import numpy

from ..core.counting._counted import Counted
from ..core.counting.counter import rereadable
from ..core.counting.stats import Stats
from ..core.inputs._batch import Batch
from ..core.inputs._id_rows import IdRows
from ..core.inputs.arguments import a_type, number_of, shown
from ..core.inputs.errors import InputError, InputTypeError, restated
from ..core.metric.argument import counter_of, scorer_of
from ..core.metric.bleu import BLEU
from ..core.runtime.caching import cached_property
from ..core.scoring.base import COUNT
from ..diagnosis.corpus import Corpus
from ..significance.procedures import leave_one_out

if TYPE_CHECKING:
    from numpy.typing import NDArray

_ENTITIES = {"quot": '"', "amp": "&", "lt": "<", "gt": ">"}
_ENTITY = re.compile(f"&({'|'.join(_ENTITIES)});")
# Minimum characters of a common beginning that is cut from names, and of a name that is left.
_LONG_BEGINNING, _SHORTEST_NAME = 10, 3


class Segments:
    """The segments of a report, checked and counted."""

    def __init__(
        self,
        systems: Mapping[Any, Any],
        references: Any,
        metric: BLEU,
        *,
        sources: Any = None,
        ids: Any = None,
        documents: Any = None,
        groups: Any = None,
    ) -> None:
        self.metric = metric  # scores the systems
        self.counter, self.scorer = counter_of(metric), scorer_of(metric)
        # Of each system, its name, its hypotheses (str, or lists of tokens), and their rows.
        self.names: list[str] = []
        self.hypotheses: list[list[Any]] = []
        self.counted: list[Counted] = []
        self.scorer.require(COUNT)
        for name, hypotheses in systems.items():
            try:
                batch = rereadable(self.counter, self.counter.read(hypotheses, references))
                _refuse_arrays(batch.hypotheses)
                # Copies, because user code that runs later may change the lists.
                listed, listed_references = list(batch.hypotheses), list(batch.references)
                batch = Batch(listed, listed_references, warns=True)
                counted = self.counter.count(batch)
                self.scorer.check_references(counted.nrefs)
                if not counted.segments:
                    raise InputError("hypotheses is empty: there are no segments to show")
            except (TypeError, ValueError) as error:
                raise restated(error, f"systems[{shown(name)}]: {error}") from error
            self.names.append(str(name))
            self.hypotheses.append(listed)
            self.counted.append(counted)
        if len(set(self.names)) != len(self.names):
            raise ValueError(f"two systems have the same name: {', '.join(self.names)}")
        self.references = [
            [texts] if isinstance(texts, str) else list(texts) for texts in listed_references
        ]
        self.sources, self.ids = self._label("sources", sources), self._label("ids", ids)
        self.documents = self._label("documents", documents)
        self.groups = self._label("groups", groups)

    def __len__(self) -> int:
        return len(self.references)

    @cached_property
    def scores(self) -> list[NDArray[numpy.float64]]:
        """The segments' scores, by system."""
        return [self.scorer.sentence_scores(counted, warns=False) for counted in self.counted]

    @cached_property
    def parts(self) -> list[NDArray[numpy.float64]] | None:
        """By how much each system's score would be lower without each segment; None if unknown."""
        try:
            parts = [leave_one_out(counted.stats, self.metric) for counted in self.counted]
        except (ValueError, OverflowError):
            return None
        return [*map(numpy.nan_to_num, parts)]

    @cached_property
    def corpora(self) -> list[Corpus]:
        """The corpus of each system, for diagnosis; references are read once for all."""
        first, *others = self.hypotheses
        corpus = Corpus(first, self.references, self.metric)
        return [corpus, *[corpus.with_segments(listed, self.references) for listed in others]]

    @property
    def shown_names(self) -> list[str]:
        """The names without a long beginning that they share."""
        return [name[len(self.common_beginning) :] for name in self.names]

    @cached_property
    def common_beginning(self) -> str:
        """What is cut from all names: up to a mark such as a dot, or nothing if it is short."""
        # What the first and the last name in alphabetical order share, all share.
        first, last = min(self.names), max(self.names)
        shortest = min(map(len, self.names))
        cut = first if len(self.names) > 1 else ""
        while cut and not (
            last.startswith(cut) and not cut[-1].isalnum() and shortest - len(cut) >= _SHORTEST_NAME
        ):
            cut = cut[:-1]
        return cut if len(cut) >= _LONG_BEGINNING else ""

    @property
    def digits(self) -> int:
        """How many decimals of a score are shown."""
        return 2 if self.scorer.scale == 100 else 4

    def score_rows(self, counted: Counted, rows: NDArray[Any]) -> float | None:
        """The score of some rows; None if the dialect cannot score them."""
        if counted.extra is not None:  # for a dialect that counts tokens itself
            return None
        scorer = self.scorer
        try:
            value = scorer.value(scorer.sums_of(Stats(rows, scorer.max_ngram_order)))
        except ValueError:
            return None
        return None if isnan(value) else value

    def texts(self, segments: Sequence[Any]) -> list[str]:
        """Hypotheses or references as they are shown: tokens are joined by spaces."""
        if not self.counter.is_text:
            return [" ".join(map(str, tokens)) for tokens in segments]
        return [self.decoded(text) for text in segments]

    def decoded(self, text: str) -> str:
        """A text with its entities, as in SGML, decoded if the tokenizer decodes them."""
        tokenizer = self.counter.tokenizer
        if tokenizer is None or not _ENTITY.search(text):
            return text
        decoded = _ENTITY.sub(lambda entity: _ENTITIES[entity[1]], text)
        lowercase = self.metric.lowercase
        same = tokenizer.tokens(decoded, lowercase) == tokenizer.tokens(text, lowercase)
        return decoded if same else text

    def _label(self, name: str, values: Any) -> list[str] | None:
        """Check an argument that is None, or has one value per segment."""
        if values is None:
            return None
        if isinstance(values, str):
            raise InputTypeError(f"{name} is a str, expected one value per segment")
        listed = list(values)
        if len(listed) != len(self):
            raise InputError(
                f"{name} has {number_of(len(listed), 'value')} for "
                f"{number_of(len(self), 'segment')}; pass one for each"
            )
        for number, value in enumerate(listed if name == "sources" else ()):
            if type(value) is not str:
                raise InputTypeError(f"sources[{number}] is {a_type(value)}, expected a str")
        return [str(value) for value in listed]


def _refuse_arrays(hypotheses: Any) -> None:
    first = hypotheses if type(hypotheses) is IdRows else next(iter(hypotheses), "")
    if not isinstance(first, (str, list, tuple)):
        what = "an array" if first is hypotheses else a_type(first)
        raise InputTypeError(
            f"segment 0 is {what}; a report shows text or lists of tokens: decode token ids "
            "first, or pass hypotheses.tolist() and [[ids] for ids in references.tolist()]"
        )
