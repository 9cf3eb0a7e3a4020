"""Stored sums: the counts of groups as a table, to keep, add up and score later.

A row has the keys of its group, the columns of `reductions_of`, and `counted`: a JSON text that
describes the metric that counted it. This layout is a promise: later versions read the tables of
earlier ones, and RULES is raised when the counts for the same options change.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..core.counting.stats import row_of_state
from ..core.inputs.arguments import shown
from ..core.inputs.errors import InputError, warn_input
from ..core.metric.argument import as_metric, counter_of, scorer_of
from ..core.metric.bleu import BLEU
from ..core.scoring.base import STATE, SUMS, UPDATE
from .frames import ROW, counts_in, frame_of, joined, keys_of, take, with_columns
from .groups import (
    COUNTS,
    FEWEST,
    MOST,
    SEGMENTS,
    GroupScorer,
    GroupTotals,
    columns_of,
    reductions_of,
    scored,
    sums_of,
    totals_in,
)
from .rows import check_columns, check_new_columns
from .sources import Source

if TYPE_CHECKING:
    from narwhals import DataFrame as Frame

    from ..core.metric.argument import Metric
    from .groups import Groups, Totals
    from .rows import RowCounter

COUNTED = "counted"
# The version of the rules that turn text into counts.
RULES = 1
# Parameters of a metric that do not affect counts.
_OF_SCORES = ("weights", "smooth_method", "smooth_value", "effective_order")
_ALWAYS = ("tokenize", "lowercase", "max_ngram_order", "reference_length", "smooth_method")
# The prefix of tokenizers that are the user's functions.
_FUNCTION = "function "
_OF_A_PROCESS = ("threads", "keep_stats")


def described(metric: BLEU, language: str | None = None) -> str:
    """The text of the column `counted`; `language` is the column that chooses tokenizers.

    Parameters not in `_ALWAYS` are left out if they have their defaults, so that a later version
    with more parameters writes the same text.
    """
    dialect = metric.dialect
    own: dict[str, Any] = dict(scorer_of(metric).dialect.own_options)
    parameters: dict[str, Any] = {"rules": RULES, "dialect": dialect}
    if language is not None:
        parameters["language"] = language
    arguments = metric.get_params()
    defaults = BLEU(dialect=dialect, **own).get_params()
    if tokenizer := arguments["tokenize"]:
        argument = tokenizer.argument
        is_name = isinstance(argument, str)
        arguments["tokenize"] = argument if is_name else f"{_FUNCTION}{tokenizer.signature}"
    if not arguments["effective_order"]:  # for a corpus, None means False
        del arguments["effective_order"]
    for name in (*_ALWAYS, *own):
        parameters[name] = arguments.pop(name)
    for name, value in arguments.items():
        if name not in (*_OF_A_PROCESS, "dialect") and value != defaults[name]:
            is_set = isinstance(value, (set, frozenset))
            parameters[name] = sorted(value) if is_set else value
    return json.dumps(parameters)


def sums_scorer(row_counter: RowCounter, by: str | Sequence[str] | None) -> GroupScorer:
    """The `GroupScorer` for sums; ValueError if the dialect has none, or a key is "counted"."""
    groups = GroupScorer(row_counter, by)
    check_new_columns(groups.by, [COUNTED])
    scorer_of(row_counter.metric).require(UPDATE, SUMS)
    return groups


def stored(groups: GroupScorer, total: Groups) -> Frame:
    """Totals as a table of sums."""
    keys, totals, _ = total
    metrics, language = groups.metrics_of(keys), groups.row_counter.language
    texts = {metric: described(metric, language) for metric in dict.fromkeys(metrics)}
    reductions = columns_of(totals)
    columns = reductions | {COUNTED: [texts[metric] for metric in metrics]}
    sums = with_columns(keys, columns).select(*groups.by, *columns)
    return _with_metadata(sums, groups.by)


def _with_metadata(sums: Frame, by: Sequence[str]) -> Frame:
    """Sums with a description in the table's metadata, if the library supports it."""
    texts = dict.fromkeys(sums[COUNTED].to_list())
    about = {"by": list(by), COUNTED: [json.loads(text) for text in texts]}
    table = sums.to_native()
    if hasattr(table, "replace_schema_metadata"):
        metadata = (table.schema.metadata or {}) | {b"fastbleu.sums": json.dumps(about).encode()}
        return frame_of(table.replace_schema_metadata(metadata))
    if hasattr(table, "attrs"):
        table.attrs["fastbleu.sums"] = about
    return sums


class SumsReader:
    """Reads tables of sums, and refuses those that were counted with other options.

    If the tokenizer depends on the language, rows of the same language must agree.
    """

    def __init__(self) -> None:
        self.by: list[str] | None = None
        self.language: str | None = None
        self._texts: dict[Any, str] = {}  # of the column `counted`, by language
        self._rows = 0  # read so far

    def read(self, source: Source) -> Iterator[tuple[Frame, Totals]]:
        """The keys of a source's rows, with `counted`, and their counts."""
        for frame in source.chunks() if source.frame is None else [source.frame]:
            check_columns(frame.columns, [SEGMENTS, FEWEST, MOST, COUNTED])
            segments = counts_in(frame, [SEGMENTS])[:, 0]
            if not segments.all():  # SQL keeps groups whose segments were all left out
                frame = take(frame, np.flatnonzero(segments))
            orders = [n for n in frame.columns if n.startswith("totals_") and n[7:].isdecimal()]
            reductions = reductions_of(max(len(orders), 1))
            check_columns(frame.columns, list(reductions))
            by = [name for name in frame.columns if name not in (*reductions, COUNTED, ROW)]
            self.by = by if self.by is None else self.by
            if sorted(by) != sorted(self.by):
                raise InputError(
                    f"one table has sums by {self.by}, another by {by}: pass tables with the same "
                    "keys, or select these columns"
                )
            frame = self._checked(frame)
            totals = totals_in(frame, max(len(orders), 1), self._rows)
            self._rows += len(frame)
            yield keys_of(frame, [*self.by, COUNTED]), totals

    def _checked(self, frame: Frame) -> Frame:
        """The frame with equal texts for equal options: databases reformat JSON."""
        texts = frame[COUNTED].to_list()
        if self.language is None and texts:
            self.language = _parsed(texts[0]).get("language")
            check_columns(frame.columns, [] if self.language is None else [self.language])
        languages = [None] * len(texts)
        if self.language is not None:
            languages = frame[self.language].to_list()
        for language, text in dict.fromkeys(zip(languages, texts, strict=True)):
            known = self._texts.setdefault(language, text)
            there, here = _parsed(known), _parsed(text)
            for name in {**there, **here}:
                if there.get(name) != here.get(name):
                    both = f"{there.get(name)!r} in some and {here.get(name)!r} in others"
                    problem = "sums counted with different options cannot be added"
                    raise InputError(f"{problem}: {name} is {both}")
        known_texts = [self._texts[language] for language in languages]
        return frame if known_texts == texts else with_columns(frame, {COUNTED: known_texts})


def _parsed(text: Any) -> dict[str, Any]:
    try:
        parameters: dict[str, Any] = json.loads(text)
        rules = parameters["rules"]
    except (TypeError, ValueError, LookupError):
        raise InputError(
            f"column {COUNTED!r} has {shown(text)}, which does not describe the metric that "
            "counted it; in SQL also group by this column, or take its any_value"
        ) from None
    if rules != RULES:
        raise ValueError(f"the sums were counted by rules {rules}, this version has rules {RULES}")
    return parameters


def metric_of(parameters: Mapping[str, Any], metric: BLEU | None = None) -> BLEU:
    """The metric that `counted` describes, with the scoring options of `metric` if given."""
    arguments = dict(parameters)
    del arguments["rules"]
    tokenize = str(arguments["tokenize"])
    is_function = tokenize.startswith(_FUNCTION)
    if metric is not None:
        wanted = _parsed(described(metric))
        # The metric has no tokenizers by language, but a function can only come from it.
        if "language" in parameters and not is_function:
            wanted["tokenize"] = arguments["tokenize"]
        for name in {**arguments, **wanted}:
            here, there = parameters.get(name), wanted.get(name)
            if name not in (*_OF_SCORES, "language") and here != there:
                raise ValueError(
                    f"the sums were counted with other options: {name} is {shown(here)} in the "
                    f"sums and {shown(there)} in the metric"
                )
        chosen = metric.get_params()
        own = {} if is_function else {"tokenize": arguments["tokenize"]}
        return BLEU(**chosen | own)
    if is_function:
        raise ValueError(
            f"the sums were counted with the {tokenize}: pass metric=fastbleu.BLEU(tokenize=...) "
            "with this function"
        )
    arguments.pop("language", None)
    return BLEU(**arguments)


def combined(tables: Iterable[Any], by: Sequence[str] | None = None) -> tuple[Source, Frame]:
    """The source of the first table, and the sums of all tables."""
    reader = SumsReader()
    first: Source | None = None
    keys: list[str] = []
    added: GroupTotals | None = None
    is_mixed = False
    for table in tables:
        source = Source(table)
        first = first or source
        for frame, totals in reader.read(source):
            keys = list(reader.by or () if by is None else by)
            check_columns(reader.by or (), keys)
            is_mixed |= bool((totals[FEWEST] != totals[MOST]).any())
            added = added or GroupTotals([*keys, COUNTED])
            added.add(frame.select(*keys, COUNTED), totals)
    total = None if added is None else added.result()
    if first is None or total is None:
        raise InputError("there are no sums: pass at least one table")
    if reader.language is not None and reader.language not in keys:
        raise ValueError(
            f"the tokenizer depends on {shown(reader.language)}: add it to by, so that sums of "
            "different tokenizers stay separate"
        )
    columns = columns_of(total[1])
    mixed = np.flatnonzero(columns[FEWEST] != columns[MOST])
    if len(mixed) and not is_mixed:
        numbers = " and with ".join(str(columns[name][mixed[0]]) for name in (FEWEST, MOST))
        warn_input(
            f"rows with {numbers} references per segment are added up, but more references raise "
            "BLEU: count all with the same ones, or keep a column in by that tells them apart"
        )
    sums = with_columns(total[0], columns).select(*keys, *columns, COUNTED)
    return first, _with_metadata(sums, keys)


def scores_of(table: Any, metric: Metric | None) -> Any:
    """The scores of a table of sums."""
    chosen = None if metric is None else as_metric(metric)
    reader, source = SumsReader(), Source(table)
    parts = list(reader.read(source))
    if not any(len(frame) for frame, _ in parts):
        raise InputError("there are no sums to score: the table has no rows")
    keys = joined([frame for frame, _ in parts])
    totals = np.concatenate([totals for _, totals in parts])
    texts = keys[COUNTED].to_list()
    by_text = {text: metric_of(_parsed(text), chosen) for text in dict.fromkeys(texts)}
    metrics = [by_text[text] for text in texts]
    if scorer_of(metrics[0]).supports(STATE):
        for row, (counts, row_metric) in enumerate(zip(totals[COUNTS], metrics, strict=True)):
            try:
                row_of_state(counts, row_metric.max_ngram_order, counter_of(row_metric).least_total)
            except ValueError as error:
                raise InputError(f"row {row} of the sums: {error}", segment=row) from error
    return source.to_native(scored(keys, reader.by or [], metrics, sums_of(metrics, totals), {}))
