"""All public ways to a score, as functions of a metric and a corpus: one list for all tests.

`test_entry_points.py` compares what each gives with `BLEU.score`; the trust gate calls them with
damaged and hostile corpora, on many threads, and without memory. A public name that does not occur
here fails a test.
"""

from __future__ import annotations

import atexit
import functools
import io
import itertools
import json
import math
import os
import pickle
import re
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import redirect_stderr, redirect_stdout
from copy import copy
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

import numpy as np
from metrics import count, from_state

import fastbleu
from fastbleu import BLEU, Stats, cli, dialects, matrix, sacrebleu, significance, tables
from fastbleu.core.scoring.base import SEVERAL_REFERENCES
from fastbleu.core.scoring.scorer import Scorer


class Library:
    """A module that is imported when something of it is used."""

    def __init__(self, name: str) -> None:
        self.module = name

    def __getattr__(self, name: str) -> Any:
        return getattr(import_module(self.module), name)


os.environ.setdefault("KERAS_BACKEND", "torch")  # the one of the environment with all hosts
pa, pd, pl, duckdb, dd = map(Library, ("pyarrow", "pandas", "polars", "duckdb", "dask.dataframe"))


def integration(name: str) -> Any:
    return import_module(f"fastbleu.integrations.{name}")


@dataclass(eq=False, frozen=True)
class Corpus:
    """Segments; `references[segment][k]`."""

    hypotheses: Any
    references: Any

    def __len__(self) -> int:
        return len(self.hypotheses)

    def __iter__(self) -> Iterator[Any]:
        return iter((self.hypotheses, self.references))

    def __getitem__(self, rows: slice) -> Corpus:
        return Corpus(self.hypotheses[rows], self.references[rows])

    @property
    def halves(self) -> list[Corpus]:
        half = len(self) // 2
        return [part for part in (self[:half], self[half:]) if len(part)]

    @cached_property
    def groups(self) -> dict[str | None, Corpus]:
        """The parts that the column "key" makes, and the whole by None."""
        return {None: self} | {f"group {k}": self[k::3] for k in range(min(3, len(self)))}

    @property
    def streams(self) -> list[list[str | None]]:
        """References as sacreBLEU has them, with None where there are fewer than of others."""
        return [list(texts) for texts in itertools.zip_longest(*self.references)]

    @property
    def of_iterators(self) -> Corpus:
        """References that can be read once."""
        return Corpus(self.hypotheses, [iter(texts) for texts in self.references])

    @property
    def of_firsts(self) -> Corpus:
        """A few segments with their first references."""
        return Corpus(self.hypotheses[:20], [texts[:1] for texts in self.references[:20]])

    @cached_property
    def varies(self) -> bool:
        return len(set(map(len, self.references))) != 1

    @cached_property
    def names(self) -> list[str]:
        """The columns of references, or the one with lists of them if their number varies."""
        return ["refs"] if self.varies else [f"ref{k}" for k in range(len(self.references[0]))]

    @cached_property
    def table(self) -> Any:
        """A table of pyarrow."""
        text = pa.string()
        columns = {"key": pa.array([f"group {row % 3}" for row in range(len(self))])}
        columns["mt"] = pa.array(self.hypotheses, text)
        if self.varies:
            columns["refs"] = pa.array(list(map(list, self.references)), pa.list_(text))
        else:
            columns |= {n: pa.array(s, text) for n, s in zip(self.names, self.streams, strict=True)}
        return pa.table(columns)

    @property
    def days(self) -> list[Any]:
        """The table in two parts."""
        half = len(self) // 2
        return [part for part in (self.table[:half], self.table[half:]) if len(part)]

    @cached_property
    def ids(self) -> tuple[Any, Any]:
        """The first words of hypotheses and first references as ids, padded with 0."""
        numbers: dict[str, int] = {}
        sides = self.hypotheses, [texts[0] for texts in self.references]
        ids = [np.zeros((len(self), 40), int) for _ in sides]
        for array, texts in zip(ids, sides, strict=True):
            for row, text in zip(array, texts, strict=True):
                words = text.split()[:39]
                row[: len(words)] = [numbers.setdefault(w, len(numbers) + 1) for w in words]
        return ids[0], ids[1]


@dataclass(frozen=True)
class Entry:
    """A way to a score: `call` is a function of a metric and a corpus.

    `gives` says what it returns: "corpus", the score as a `Score`, a number, or a row of a table;
    "groups", those of `Corpus.groups`, with None for no score; "sentences", those of
    `BLEU.sentence_scores`; "pair", something and what it must be equal to; "", no score at all.
    It `needs` libraries, may be for `only` some dialects, and be called by one thread `alone`.
    """

    label: str
    gives: str
    call: Callable[[BLEU, Corpus], Any]
    needs: list[str]
    only: list[str]
    alone: bool

    @property
    def installed(self) -> bool:
        return all(map(find_spec, self.needs))


ENTRIES: list[Entry] = []
# What reads tables, and frames of pandas.
TABLES, OF_PANDAS = "narwhals pyarrow", "narwhals pandas pyarrow"


def entry(
    gives: str = "corpus", needs: str = "", only: str = "", alone: bool = False, label: str = ""
) -> Callable[[Any], Any]:
    """Add a function to `ENTRIES`."""

    def add(call: Any) -> Any:
        name = label or call.__name__
        ENTRIES.append(Entry(name, gives, call, needs.split(), only.split(), alone))
        return call

    return add


# Helpers.


def made(metric: BLEU, *parts: Corpus, **changes: Any) -> BLEU:
    """A metric with the same arguments but for `changes`, to which these parts were added."""
    new = BLEU(**metric.get_params() | changes)
    for part in parts:
        new.update(*part)
    return new


def of_ids(metric: BLEU) -> BLEU:
    return made(metric, tokenize=False, lowercase=False, ignore_ids=(0,))


def by_name(metric: BLEU) -> BLEU | str:
    """The name of a dialect in place of a metric without options."""
    return metric.dialect if metric == BLEU(metric.dialect) else metric


def are_same(*values: Any) -> bool:
    """Whether values are equal; NaN is equal to itself."""
    return len(set(map(repr, values))) == 1


def is_auto(metric: BLEU) -> bool:
    """Whether the first reference of a segment chooses its tokenizer."""
    return metric._counter.choose is not None


def counts(score: Any) -> dict[str, Any]:
    """What a score has besides its signature."""
    return {"bleu": score.value, "hyp_len": score.hyp_len, "ref_len": score.ref_len}


def of_stats(metric: BLEU, stats: Stats) -> float:
    dialect = metric._scorer.dialect
    scorer = Scorer(dialect, stats.max_ngram_order)
    value = scorer.value(scorer.sums_of(stats))
    if len(stats) > 1:
        options = {"max_ngram_order": stats.max_ngram_order, **dialect.own_options}
        plain = BLEU(metric.dialect, **options)
        interval = significance.bootstrap(Stats(stats), metric=plain, samples=2)
        assert are_same(value, interval.score)
    return value


def of_counts(metric: BLEU, table: list[dict[str, Any]]) -> float:
    """The score of a table's columns with counts."""
    names = [name for name in table[0] if re.match("(hyp|ref)_len|(matches|totals)_", name)]
    return of_stats(metric, Stats([[row[name] for name in names] for row in table]))


def rows(table: Any) -> list[dict[str, Any]]:
    """The rows of a table of any library, or of parts of it."""
    if isinstance(table, dict):
        return [dict(zip(table, row, strict=True)) for row in zip(*table.values(), strict=True)]
    if hasattr(table, "to_dict") and not hasattr(table, "to_dicts"):
        records = table.to_dict("records")  # with NaN for a brevity penalty that is None
        return [row | {"bp": None} if repr(row.get("bp")) == "nan" else row for row in records]
    for method in ("toArrow", "collect", "compute"):
        if callable(getattr(table, method, None)):
            return rows(getattr(table, method)())
    for method in ("to_pylist", "to_dicts", "take_all"):
        if hasattr(table, method):
            return getattr(table, method)()
    return [row for part in table for row in rows(part)]


def by_key(*found: Any) -> dict[str | None, Any]:
    """The rows of tables by their keys; None for what has none."""
    return {row.pop("key", None): row for table in found for row in rows(table)}


def bleus(table: Any) -> list[float | None]:
    return [row["bleu"] for row in rows(table)]


@functools.cache
def scratch() -> Path:
    """A directory of this process, gone when it ends."""
    directory = tempfile.mkdtemp(prefix="fastbleu-entries-")
    atexit.register(shutil.rmtree, directory, ignore_errors=True)
    return Path(directory)


@functools.cache
def file_of(corpus: Corpus, kind: str) -> str:
    """A file of the table."""
    if kind == "csv" and corpus.varies:
        raise ValueError("a file of CSV has no lists of references")
    path = scratch() / f"{id(corpus)}.{kind}"
    write = {"parquet": "write_table", "feather": "write_feather", "csv": "write_csv"}
    if kind == "jsonl":
        path.write_text("".join(f"{json.dumps(row)}\n" for row in corpus.table.to_pylist()))
    else:
        getattr(import_module(f"pyarrow.{kind}"), write[kind])(corpus.table, path)
    return str(path)


@functools.cache
def files_of_lines(corpus: Corpus) -> list[str]:
    """Files of hypotheses, and of each stream of references."""
    paths = []
    for number, texts in enumerate([corpus.hypotheses, *corpus.streams]):
        paths.append(scratch() / f"{id(corpus)}.{number}")
        paths[-1].write_text("".join(f"{text}\n" for text in texts), encoding="utf-8")
    return list(map(str, paths))


# The metric.


@entry()
def score(metric: BLEU, corpus: Corpus) -> Any:
    return metric.score(*corpus)


@entry()
def iterators(metric: BLEU, corpus: Corpus) -> Any:
    return metric.score(*corpus.of_iterators)


@entry()
def threads(metric: BLEU, corpus: Corpus) -> Any:
    return made(metric, threads=2).score(*corpus)


@entry()
def batches(metric: BLEU, corpus: Corpus) -> Any:
    return made(metric, *(part for half in corpus.halves for part in half.halves)).compute()


@entry()
def merge(metric: BLEU, corpus: Corpus) -> Any:
    merged = made(metric)
    for half in corpus.halves:
        merged.merge(made(metric, half))
    return merged.compute()


@entry()
def states(metric: BLEU, corpus: Corpus) -> Any:
    row = sum(made(metric, half).state for half in corpus.halves)
    return counts(from_state(row, **metric.get_params()).compute())


@entry(alone=True)
def ranks(metric: BLEU, corpus: Corpus) -> Any:
    """A stand-in for torch.distributed: the metric that is reduced last has what all have sent."""
    sent: list[Any] = []

    def all_gather_object(gathered: list[Any], value: object, group: object) -> None:
        sent.insert(0, pickle.loads(pickle.dumps(value)))
        gathered[:] = sent

    torch = sys.modules.get("torch", SimpleNamespace(distributed=SimpleNamespace()))
    world = {"get_world_size": lambda _: 2, "all_gather_object": all_gather_object}
    world |= dict.fromkeys(("is_available", "is_initialized"), lambda: True)
    parts = [made(metric, half) for half in reversed(corpus.halves)]
    with patch.dict(sys.modules, torch=torch), patch.dict(vars(torch.distributed), world):
        reduced = [part.all_reduce() for part in parts]
    return reduced[-1].compute()


@entry()
def pickled(metric: BLEU, corpus: Corpus) -> Any:
    return pickle.loads(pickle.dumps(made(metric, *corpus.halves))).compute()


@entry("sentences")
def segments(metric: BLEU, corpus: Corpus) -> Any:
    kept = made(metric, *corpus.halves, keep_stats=True)
    return kept.sentence_scores(kept.stats)


@entry("sentences")
def sentences_of_counts(metric: BLEU, corpus: Corpus) -> Any:
    return metric.sentence_scores(metric.count(*corpus))


@entry()
def corpus_of_counts(metric: BLEU, corpus: Corpus) -> Any:
    added = made(metric)
    added.update(pickle.loads(pickle.dumps(Stats.concatenate([metric.count(*corpus)]))))
    assert are_same(added.compute(), metric.score(metric.count(*corpus)))
    return added.compute()


@entry("sentences")
def sentence_scores(metric: BLEU, corpus: Corpus) -> Any:
    return made(metric, threads=2).sentence_scores(*corpus)


@entry()
def statistics(metric: BLEU, corpus: Corpus) -> Any:
    return of_stats(metric, metric.count(*corpus))


@entry()
def tokens(metric: BLEU, corpus: Corpus) -> Any:
    if is_auto(metric):
        raise ValueError("a hypothesis alone does not tell its tokenizer")

    def split(text: str) -> list[str]:
        text = text.lower() if metric.lowercase else text
        return fastbleu.tokenizers.tokenize(text, metric.tokenize)

    references = [list(map(split, texts)) for texts in corpus.references]
    other = made(metric, tokenize=False, lowercase=False)
    return other.score(list(map(split, corpus.hypotheses)), references).value


@entry("pair")
def words(metric: BLEU, corpus: Corpus) -> Any:
    """A perfect hypothesis; refused where the tokens of a dialect are lines or sentences."""
    text = "the cat sat on the mat today ."
    other = made(metric, tokenize=False, lowercase=False)
    found = other.score([text.split()], [[text.split()]]).value
    return found > 0, metric.score([text], [[text]]).value > 0


@entry("pair")
def prefix_scores(metric: BLEU, corpus: Corpus) -> Any:
    metric = of_ids(metric)
    return metric.prefix_scores(*corpus.ids)[:, -1], metric.sentence_scores(*corpus.ids)


@entry(needs="pyarrow")
def columns(metric: BLEU, corpus: Corpus) -> Any:
    references = [corpus.table[name] for name in corpus.names]
    return metric.score(corpus.table["mt"], references[0] if corpus.varies else references)


@entry("sentences", needs="pyarrow")
def sentences_of_columns(metric: BLEU, corpus: Corpus) -> Any:
    lists = pa.array(list(map(list, corpus.references)), pa.large_list(pa.large_string()))
    return metric.sentence_scores(corpus.table["mt"], lists)


# Many against many, and rewards: sentences.


@entry("pair")
def pairs(metric: BLEU, corpus: Corpus) -> Any:
    few = corpus.of_firsts
    sides = few.hypotheses, [texts[0] for texts in few.references]
    blocks = [scores for _, scores in matrix.pairwise_chunked(*sides, rows=2, metric=metric)]
    scores = matrix.pairwise(*sides, metric=metric)
    assert np.array_equal(np.concatenate(blocks), scores, equal_nan=True)
    return scores.diagonal(), metric.sentence_scores(*few)


@entry("pair")
def single_pairs(metric: BLEU, corpus: Corpus) -> Any:
    few, found = corpus.of_firsts, []
    for text, references in zip(*few, strict=True):
        found.append(matrix.mbr([text], references, metric=metric).utilities[0])
        assert are_same(found[-1], matrix.nearest([text], references, metric=metric)[0][0, 0])
    return np.array(found), metric.sentence_scores(*few)


@entry("pair")
def best_of_pool(metric: BLEU, corpus: Corpus) -> Any:
    pool = corpus.hypotheses[:8]
    scores = np.array([metric.sentence_scores(pool, [[text]] * len(pool)) for text in pool]).T
    found = matrix.mbr(pool, return_matrix=True, metric=metric)
    assert found.utilities[found.best] == np.nanmax(found.utilities)
    later = np.triu_indices(len(pool), 1)
    duplicates, places = matrix.duplicates(pool, min_score=0, metric=metric)
    known = ~np.isnan(scores[later])
    assert np.array_equal(places, np.transpose(later)[known])
    return [*found.matrix.flat, *duplicates], [*scores.flat, *scores[later][known]]


@entry("pair")
def self_bleu(metric: BLEU, corpus: Corpus) -> Any:
    pool = corpus.hypotheses[: 8 if metric._scorer.supports(SEVERAL_REFERENCES) else 2]
    others = [pool[:number] + pool[number + 1 :] for number in range(len(pool))]
    order = metric.max_ngram_order
    found = matrix.self_bleu(pool, orders=[order], metric=metric)
    pairs = matrix.self_bleu(pool, orders=[order], against="earlier", metric=metric)
    for number, scores in enumerate(pairs.scores[1:, 0], 1):
        earlier = [[text] for text in pool[:number]]
        each = metric.sentence_scores([pool[number]] * number, earlier)
        assert np.isclose(scores, each.mean(), equal_nan=True)
    return found.scores[:, 0], metric.sentence_scores(pool, others)


@entry("pair")
def reference_index(metric: BLEU, corpus: Corpus) -> Any:
    references, few = corpus.references[-1], corpus.hypotheses[:20]
    index = matrix.ReferenceIndex(references, metric=metric)
    same = few, [references] * len(few)
    found = [*index.sentence_scores(few), index.score(few).value]
    assert are_same(found[-1], of_stats(metric, index.count(few)))
    return np.array(found), np.array([*metric.sentence_scores(*same), metric.score(*same).value])


@entry("pair")
def reward(metric: BLEU, corpus: Corpus) -> Any:
    arguments = metric.get_params()
    del arguments["effective_order"]
    made_reward = integration("rewards").BLEUReward(metric=BLEU(**arguments))
    found = made_reward(completions=corpus.hypotheses, references=corpus.references)
    assert are_same(found[-1], made_reward.compute_score("", *(side[-1] for side in corpus)))
    assert are_same(found, made_reward.compute_scores([""] * len(found), *corpus))
    # Some dialects refuse an empty text, whose reward is 0.
    texts = [text or "0 0 0 0" for text in corpus.hypotheses]
    scores = made_reward.metric.sentence_scores(texts, corpus.references)
    rewards = (scores / metric._scorer.dialect.scale).clip(0, 1)
    return np.array(found), np.where(list(map(bool, corpus.hypotheses)), rewards, 0)


# Comparisons, reports and explanations.


@entry()
def compare(metric: BLEU, corpus: Corpus) -> Any:
    systems = {"a": corpus.hypotheses, "b": corpus.hypotheses}
    options = {"method": "bootstrap", "samples": 2, "metric": metric}
    [found] = significance.compare(systems, corpus.references, **options).values()
    assert are_same(found.score, found.baseline_score)
    assert found.interval is None or are_same(found.score, found.interval.score)
    return found.score


@entry(needs="jinja2")
def report(metric: BLEU, corpus: Corpus) -> Any:
    systems = {"a": corpus.hypotheses, "b": [*corpus.hypotheses[:-1], corpus.hypotheses[0]]}
    options = {"metric": metric, "samples": 10, "dialects": False}
    found = fastbleu.report(systems, corpus.references, **options)
    assert all([found.html(), found.markdown(), str(found)])
    return found.scores["a"]


@entry("pair")
def explain(metric: BLEU, corpus: Corpus) -> Any:
    other = BLEU(tokenize="none", lowercase=True)
    found = fastbleu.explain(*corpus.of_iterators, metric, other)
    assert all(map(str, (found, fastbleu.explain(*corpus, other, metric))))
    sides = (found.a, found.b), (metric.score(*corpus), other.score(*corpus))
    return [[counts(score) | {"signature": score.signature} for score in side] for side in sides]


@functools.cache
def overview_of(corpus: Corpus) -> Any:
    found = dialects.overview(*corpus)
    assert str(found)
    return found


@entry(only=" ".join(dialects.names()))
def overview(metric: BLEU, corpus: Corpus) -> Any:
    found = overview_of(corpus)
    if metric.dialect in found.failures:
        raise ValueError(found.failures[metric.dialect])
    return found.scores[metric.dialect]


@entry("pair", only=" ".join(dialects.names()))
def identify(metric: BLEU, corpus: Corpus) -> Any:
    number = metric.score(*corpus).value
    found = fastbleu.identify(*corpus, f"{number:.12f}").matches
    # Settings that give nearly the same are one match.
    return any(math.isclose(match.value, number, abs_tol=1e-12) for match in found), True


# Tables.

SOURCES: dict[str, tuple[str, Any]] = {
    "pyarrow": ("", lambda corpus: corpus.table),
    "a dict": ("", lambda corpus: corpus.table.to_pydict()),
    "pandas": ("pandas", lambda corpus: corpus.table.to_pandas()),
    "polars": ("polars", lambda corpus: pl.DataFrame(corpus.table)),
    "a lazy frame": ("polars", lambda corpus: pl.LazyFrame(corpus.table)),
    "DuckDB": ("duckdb", lambda corpus: duckdb.from_arrow(corpus.table)),
    "parts": ("", lambda corpus: iter(corpus.days)),
    "parquet": ("", lambda corpus: file_of(corpus, "parquet")),
    "feather": ("", lambda corpus: file_of(corpus, "feather")),
    "jsonl": ("", lambda corpus: file_of(corpus, "jsonl")),
    "csv": ("", lambda corpus: file_of(corpus, "csv")),
}


def add_tables(source: str, needs: str, table_of: Callable[[Corpus], Any]) -> None:
    # An empty cell of CSV is an empty text or a missing one.
    options = {"missing": "empty" if source == "csv" else "error"}
    needs = f"{TABLES} {needs}"

    @entry("groups", label=f"tables.score of {source}", needs=needs)
    def groups(metric: BLEU, corpus: Corpus) -> Any:
        def found(by: Any) -> Any:
            arguments = table_of(corpus), "mt", corpus.names
            return tables.score(*arguments, by=by, metric=metric, **options)

        return by_key(found(None), found("key"))

    label = f"tables.sentence_scores of {source}"

    @entry("sentences", label=label, needs=needs)
    def sentences(metric: BLEU, corpus: Corpus) -> Any:
        arguments = table_of(corpus), "mt", corpus.names
        return bleus(tables.sentence_scores(*arguments, metric=metric, **options))


for name, source in SOURCES.items():
    add_tables(name, *source)


@entry("groups", needs=TABLES, alone=True)
def stored_sums(metric: BLEU, corpus: Corpus) -> Any:
    """Sums of two days in files."""
    paths = [str(scratch() / f"sums{number}.parquet") for number, _ in enumerate(corpus.days)]
    for path, day in zip(paths, corpus.days, strict=True):
        found = tables.sums(day, "mt", corpus.names, by="key", metric=metric)
        import_module("pyarrow.parquet").write_table(found, path)
    return by_key(*(tables.score_sums(tables.add_sums(*paths, by=by)) for by in ([], "key")))


@entry("groups", needs=TABLES)
def confidence(metric: BLEU, corpus: Corpus) -> Any:
    options = {"confidence": 0.9, "samples": 2, "metric": metric}
    arguments = corpus.table, "mt", corpus.names
    return by_key(*(tables.score(*arguments, by=by, **options) for by in ([], "key")))


@entry("sentences", needs=TABLES)
def streamed_parts(metric: BLEU, corpus: Corpus) -> Any:
    parts = tables.sentence_scores(iter([corpus.table]), "mt", corpus.names, metric=metric)
    assert isinstance(parts, tables.TableParts)
    return bleus(parts.to_reader().read_all())


@entry(needs=TABLES)
def table_counts(metric: BLEU, corpus: Corpus) -> Any:
    found = tables.count(file_of(corpus, "parquet"), "mt", corpus.names, metric=metric)
    return of_counts(metric, rows(found))


@entry(needs=TABLES)
def report_of_columns(metric: BLEU, corpus: Corpus) -> Any:
    options = {"metric": metric, "samples": 0, "dialects": False}
    return tables.report(corpus.table, "mt", corpus.names, **options).scores["mt"]


# Queries and engines.


def of_pandas(corpus: Corpus) -> Any:
    integration("pandas")
    return corpus.table.to_pandas().bleu


@entry(needs=OF_PANDAS)
def pandas_corpus(metric: BLEU, corpus: Corpus) -> Any:
    return of_pandas(corpus).corpus("mt", corpus.names, metric=by_name(metric))


@entry("sentences", needs=OF_PANDAS)
def pandas_sentences(metric: BLEU, corpus: Corpus) -> Any:
    return of_pandas(corpus).sentence("mt", corpus.names, metric=metric)


def of_polars(corpus: Corpus, way: str, metric: BLEU) -> Any:
    """A lazy frame, and an expression of it."""
    integration("polars")
    expression = getattr(pl.col("mt").bleu, way)(*corpus.names, metric=metric)
    return pl.LazyFrame(corpus.table), expression.alias("bleu")


@entry("groups", needs="polars pyarrow")
def polars_groups(metric: BLEU, corpus: Corpus) -> Any:
    frame, bleu = of_polars(corpus, "corpus", metric)
    return by_key(frame.select(bleu), frame.group_by("key").agg(bleu))


@entry("sentences", needs="polars pyarrow")
def polars_sentences(metric: BLEU, corpus: Corpus) -> Any:
    frame, bleu = of_polars(corpus, "sentence", metric)
    return bleus(frame.select(bleu))


@entry("groups", needs=f"{TABLES} polars")
def polars_sums(metric: BLEU, corpus: Corpus) -> Any:
    frame, bleu = of_polars(corpus, "sums", metric)
    least, most = pl.col("fewest_references").min(), pl.col("most_references").max()
    others = pl.exclude("key", "fewest_references", "most_references").sum()
    counted = tables.sums(corpus.table, "mt", corpus.names, metric=metric)["counted"][0].as_py()
    unnested = frame.select("key", bleu).unnest("bleu").with_columns(all=1)
    sums = [unnested.group_by(key).agg(others, least, most) for key in ("all", "key")]
    return by_key(*(tables.score_sums(s.with_columns(counted=pl.lit(counted))) for s in sums))


@functools.cache
def registered(metric: BLEU, references: int | None) -> str:
    """Functions of pyarrow's registry: a name can be registered once in a process."""
    name = f"bleu{registered.cache_info().misses}"
    integration("arrow").register(metric=metric, num_references=references, name=name)
    return name


@entry("groups", needs="pyarrow")
def arrow_groups(metric: BLEU, corpus: Corpus) -> Any:
    name = registered(metric, None if corpus.varies else len(corpus.names))
    texts, function = ["mt", *corpus.names], f"{name}_corpus"
    whole = pa.compute.call_function(function, [corpus.table[text] for text in texts]).as_py()
    found = corpus.table.group_by("key").aggregate([(texts, function)])
    [scores] = [column.to_pylist() for column in found.columns if column.type == pa.float64()]
    return {None: whole} | dict(zip(found["key"].to_pylist(), scores, strict=True))


@entry("sentences", needs="pyarrow")
def arrow_sentences(metric: BLEU, corpus: Corpus) -> Any:
    name = registered(metric, None if corpus.varies else len(corpus.names))
    texts = [corpus.table[name] for name in ("mt", *corpus.names)]
    return pa.compute.call_function(f"{name}_sentence", texts).to_pylist()


@functools.cache
def connection(corpus: Corpus) -> Any:
    opened = duckdb.connect()
    opened.execute("SET threads = 1")
    return opened.register("outputs", corpus.table)


def query(metric: BLEU, corpus: Corpus, selected: str, by: str = "") -> Any:
    """The result of a query; TEXTS are the columns of texts."""
    references = None if corpus.varies else len(corpus.names)
    integration("duckdb").register(connection(corpus), metric=metric, num_references=references)
    texts = ", ".join(["mt", *corpus.names])
    sql = f"SELECT {selected} FROM outputs".replace("TEXTS", texts)
    if by:
        sql = f"{sql} GROUP BY {by}".replace("SELECT ", f"SELECT {by}, ")
    return connection(corpus).sql(sql).arrow().read_all()


@entry("groups", needs=f"{TABLES} duckdb", alone=True)
def duckdb_groups(metric: BLEU, corpus: Corpus) -> Any:
    bleu, sums = "bleu_corpus(TEXTS) AS bleu", "unnest(bleu_sums(TEXTS))"
    found = by_key(*(query(metric, corpus, bleu, by) for by in ("", "key")))
    stored = by_key(*(tables.score_sums(query(metric, corpus, sums, by)) for by in ("", "key")))
    assert all(repr(found[key]["bleu"]) == repr(stored[key]["bleu"]) for key in found)
    return stored


@entry("sentences", needs=f"{TABLES} duckdb", alone=True)
def duckdb_sentences(metric: BLEU, corpus: Corpus) -> Any:
    return bleus(query(metric, corpus, "bleu_sentence(TEXTS) AS bleu"))


def of_dask(corpus: Corpus) -> Any:
    # With Arrow's types: Dask makes texts of lists of Python.
    return dd.from_pandas(corpus.table.to_pandas(types_mapper=pd.ArrowDtype), npartitions=2)


@functools.cache
def spark_session() -> Any:
    os.environ["PYSPARK_PYTHON"] = sys.executable
    builder = import_module("pyspark.sql").SparkSession.builder.master("local[2]")
    for name in ("bindAddress", "host"):
        builder = builder.config(f"spark.driver.{name}", "127.0.0.1")
    session = builder.config("spark.ui.enabled", "false").config("spark.sql.shuffle.partitions", 2)
    session = session.getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    return session


@functools.cache
def of_spark(corpus: Corpus) -> Any:
    return spark_session().createDataFrame(corpus.table).repartition(2).cache()


@functools.cache
def of_ray(corpus: Corpus) -> Any:
    ray, data = import_module("ray"), import_module("ray.data")
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, ignore_reinit_error=True)
    data.DataContext.get_current().enable_progress_bars = False
    return data.from_arrow(corpus.table).repartition(2).materialize()


def add_engine(engine: str, library: str, table_of: Callable[[Corpus], Any]) -> None:
    needs = f"{OF_PANDAS} {library}"

    @entry("groups", label=f"{engine}.score", needs=needs, alone=True)
    def groups(metric: BLEU, corpus: Corpus) -> Any:
        functions, table = integration(engine), table_of(corpus)
        sums = rows(functions.sums(table, "mt", corpus.names, metric=metric))
        found = functions.score(table, "mt", corpus.names, by="key", metric=by_name(metric))
        return by_key(tables.score_sums(pa.Table.from_pylist(sums)), found)

    label = f"{engine}.sentence_scores"

    @entry("sentences", label=label, needs=needs, alone=True)
    def sentences(metric: BLEU, corpus: Corpus) -> Any:
        arguments = table_of(corpus), "mt", corpus.names
        found = rows(integration(engine).sentence_scores(*arguments, metric=metric))
        scores = {(row["key"], row["mt"]): row["bleu"] for row in found}  # in any order
        keys = zip(corpus.table["key"].to_pylist(), corpus.hypotheses, strict=True)
        return [scores[key] for key in keys]

    @entry(label=f"{engine}.count", needs=needs, alone=True)
    def counted(metric: BLEU, corpus: Corpus) -> Any:
        found = integration(engine).count(table_of(corpus), "mt", corpus.names, metric=metric)
        return of_counts(metric, rows(found))


add_engine("dask", "dask", of_dask)
add_engine("spark", "pyspark", of_spark)
add_engine("ray", "ray", of_ray)


@entry("groups", needs=f"{OF_PANDAS} pyspark", alone=True)
def spark_sql(metric: BLEU, corpus: Corpus) -> Any:
    integration("spark").register(spark_session(), metric=metric)
    of_spark(corpus).createOrReplaceTempView("outputs")
    bleu = f"bleu_corpus({', '.join(['mt', *corpus.names])}) AS bleu"
    sql = f"SELECT {bleu} FROM outputs", f"SELECT key, {bleu} FROM outputs GROUP BY key"
    return by_key(*map(spark_session().sql, sql))


# The command.


def command(*arguments: str) -> Any:
    """What the command prints as JSON; its complaint as a ValueError."""
    out, error = io.TextIOWrapper(io.BytesIO(), encoding="utf-8"), io.StringIO()
    with redirect_stdout(out), redirect_stderr(error):
        status = cli.main([*arguments, "-q"])
    if status:
        said = error.getvalue()
        raise (MemoryError if "there is not enough memory" in said else ValueError)(said)
    out.flush()
    return json.loads(out.buffer.getvalue())


def options_of(metric: BLEU) -> list[str]:
    return ["--dialect", metric.dialect, *["-tok", "auto"] * is_auto(metric)]


def arguments_of_lines(corpus: Corpus) -> list[str]:
    if corpus.varies:
        raise ValueError("files of lines have the same number of references for each segment")
    if any(text.endswith("\r") for texts in (corpus.hypotheses, *corpus.streams) for text in texts):
        raise ValueError("a carriage return at the end of a line is part of the line end")
    hypotheses, *references = files_of_lines(corpus)
    return [*references, "-i", hypotheses]


def arguments_of_table(corpus: Corpus, kind: str) -> list[str]:
    path = file_of(corpus, kind)
    return [*(f"{path}::{name}" for name in corpus.names), "-i", f"{path}::mt"]


def add_command(kind: str, needs: str, arguments_of: Callable[[Corpus], list[str]]) -> None:
    @entry(alone=True, needs=needs, label=f"command of {kind}")
    def scored(metric: BLEU, corpus: Corpus) -> Any:
        options = *options_of(metric), "-w", "400"  # digits of the smallest numbers
        return command(*arguments_of(corpus), *options)["score"]

    @entry("pair", alone=True, needs=needs, label=f"command --explain of {kind}")
    def explained(metric: BLEU, corpus: Corpus) -> Any:
        names = metric.dialect, "sacrebleu"
        found = command(*arguments_of(corpus), "--explain", *names, "-f", "json")
        values = [fastbleu.BLEU(name).score(*corpus).value for name in names]
        return [found["a"]["value"], found["b"]["value"]], values

    # Of what takes its time, those for which whitespace at the ends counts.
    only = "llamafactory-metric multeval sacrebleu"
    if kind == "lines":
        only += f" {' '.join(dialects.names())}"

    @entry("pair", alone=True, needs=needs, only=only, label=f"command --identify of {kind}")
    def identified(metric: BLEU, corpus: Corpus) -> Any:
        if is_auto(metric):
            raise ValueError("the settings that are tried do not include an automatic choice")
        number = metric.score(*corpus).value
        options = "--identify", f"{number:.12f}", "-f", "json"
        found = command(*arguments_of(corpus), *options)["matches"]
        return any(math.isclose(m["value"], number, abs_tol=1e-12) for m in found), True


add_command("lines", "", arguments_of_lines)
add_command("jsonl", TABLES, lambda corpus: arguments_of_table(corpus, "jsonl"))
add_command("parquet", TABLES, lambda corpus: arguments_of_table(corpus, "parquet"))


@entry("groups", needs=TABLES, alone=True)
def command_by_key(metric: BLEU, corpus: Corpus) -> Any:
    options = "--by", "key", *options_of(metric)
    found = by_key(pa.Table.from_pylist(command(*arguments_of_table(corpus, "parquet"), *options)))
    return found | {None: metric.score(*corpus).value}


# Drop-ins, adaptors and patched libraries.


def in_nltk_order(corpus: Corpus) -> tuple[Any, Any]:
    split = [[text.split() for text in texts] for texts in corpus.references]
    return split, [text.split() for text in corpus.hypotheses]


@entry(only="nltk")
def nltk_corpus(metric: BLEU, corpus: Corpus) -> Any:
    return float(fastbleu.corpus_bleu(*in_nltk_order(corpus)))  # nltk's may be an int


@entry("sentences", only="nltk")
def nltk_sentences(metric: BLEU, corpus: Corpus) -> Any:
    return list(map(fastbleu.sentence_bleu, *in_nltk_order(corpus)))


@entry(only="sacrebleu")
def sacrebleu_corpus(metric: BLEU, corpus: Corpus) -> Any:
    found = sacrebleu.BLEU(references=corpus.streams).corpus_score(corpus.hypotheses, None)
    parts = found.counts, found.totals, found.sys_len, found.ref_len
    assert found.score == sacrebleu.BLEU.compute_bleu(*parts, smooth_method="exp").score
    return sacrebleu.corpus_bleu(corpus.hypotheses, corpus.streams).score


@entry("pair", only="sacrebleu")
def sacrebleu_raw(metric: BLEU, corpus: Corpus) -> Any:
    raw = BLEU(tokenize="none", smooth_method="floor", effective_order=True)
    found = sacrebleu.raw_corpus_bleu(corpus.hypotheses, corpus.streams)
    return found.score, raw.score(*corpus).value


@entry("pair", only="sacrebleu")
def sacrebleu_sentences(metric: BLEU, corpus: Corpus) -> Any:
    found = [score.score for score in map(sacrebleu.sentence_bleu, *corpus)]
    return np.array(found), made(metric, effective_order=True).sentence_scores(*corpus)


@entry(needs="nltk sacrebleu", only="nltk sacrebleu", alone=True)
def patched(metric: BLEU, corpus: Corpus) -> Any:
    with fastbleu.patch(metric.dialect):
        if metric.dialect == "nltk":
            original = import_module("nltk.translate.bleu_score")
            return float(original.corpus_bleu(*in_nltk_order(corpus)))
        return import_module("sacrebleu").corpus_bleu(corpus.hypotheses, corpus.streams).score


@entry(only="evaluate sacrebleu")
def evaluate(metric: BLEU, corpus: Corpus) -> Any:
    loaded = integration("evaluate").load({"evaluate": "bleu"}.get(metric.dialect, "sacrebleu"))
    for half in corpus.halves:
        loaded.add_batch(predictions=half.hypotheses, references=half.references)
    try:
        found = loaded.compute()
    except ZeroDivisionError as error:  # the hub's error
        raise ValueError(str(error)) from error
    return found.get("score", found.get("bleu"))


@entry("pair")
def trainer(metric: BLEU, corpus: Corpus) -> Any:
    metric = of_ids(metric)
    computed = integration("transformers").compute_metrics(metric=metric)
    return computed(corpus.ids)["bleu"], metric.score(*corpus.ids).value


@entry(only="coco")
def coco(metric: BLEU, corpus: Corpus) -> Any:
    integration("coco").PTBTokenizer().tokenize({7: [{"caption": "A man."}]})
    hypotheses = {number: [text] for number, text in enumerate(corpus.hypotheses)}
    references = dict(enumerate(corpus.references))
    return integration("coco").Bleu(4).compute_score(references, hypotheses, verbose=0)[0][3]


@entry("pair", needs="torchmetrics")
def torchmetrics(metric: BLEU, corpus: Corpus) -> Any:
    adaptor = integration("torchmetrics").BLEUScore(metric=metric)
    for half in corpus.halves:
        adaptor.forward(*half)
    return adaptor.compute().item(), metric.score(*corpus).value / metric._scorer.dialect.scale


# TorchEval's class computes in float64, its function, whose number the dialect has, in float32.
@entry("pair", needs="torcheval", only=" ".join({*dialects.names()} - {"torcheval"}))
def torcheval(metric: BLEU, corpus: Corpus) -> Any:
    adaptor = integration("torcheval").BLEUScore(metric=metric)
    found = adaptor.update(*corpus).compute().item()
    return found, metric.score(*corpus).value / metric._scorer.dialect.scale


@entry("pair", needs="torcheval", only="sacrebleu")
def torcheval_words(metric: BLEU, corpus: Corpus) -> Any:
    found = integration("torcheval").BLEUScore(n_gram=4).update(*corpus).compute().item()
    return found, made(metric, tokenize="none", smooth_method="none").score(*corpus).value / 100


@entry(needs="ignite")
def ignite(metric: BLEU, corpus: Corpus) -> Any:
    adaptor = integration("ignite").BLEU(metric=metric)
    for half in corpus.halves:
        adaptor.update(tuple(half))
    try:
        return adaptor.compute()
    except import_module("ignite.exceptions").NotComputableError as error:  # without tokens
        raise ValueError(str(error)) from error


@entry(needs="torch keras")
def keras(metric: BLEU, corpus: Corpus) -> Any:
    kind = integration("keras").BLEU
    adaptor = kind.from_config(kind(metric=metric).get_config())
    for half in corpus.halves:
        adaptor.update_state(half.references, half.hypotheses)
    return counts(adaptor.score())


# What is public and no score: the same each time.


@entry("")
def stats(metric: BLEU, corpus: Corpus) -> Any:
    found = count(*corpus, tokenize=metric.tokenize, max_ngram_order=metric.max_ngram_order)
    both = Stats.concatenate([found, Stats.zeros(len(found))])
    assert found + found == sum([found, found]) == pickle.loads(pickle.dumps(found + found))
    parts = both.hyp_lens, both.ref_lens, both.matches, both.totals, both[0], both[::2], repr(both)
    return both.sum(), parts, list(found)


@entry("")
def scores(metric: BLEU, corpus: Corpus) -> Any:
    found = metric.score(*corpus)
    assert found == pickle.loads(pickle.dumps(found))
    texts = found.format(3), f"{found:.2f} {found!r}", metric.signature, repr(metric)
    return texts, found.to_dict(), hash(found), metric.ignore_ids, metric.stop_ids, metric.skip_ids


@entry("", only="fairseq codebleu-weighted")
def own_options(metric: BLEU, corpus: Corpus) -> Any:
    metric.reset()
    found = getattr(metric, "hashed" if metric.dialect == "fairseq" else "keywords")
    return found, made(metric) == metric


@entry("")
def pools(metric: BLEU, corpus: Corpus) -> Any:
    pool = corpus.hypotheses
    pairs = matrix.NearestIndex(pool, metric=metric)
    index = matrix.ReferenceIndex(pool, metric=metric)
    sampled = matrix.self_bleu(pool, orders=(1, 3), sample_size=1, metric=metric)
    return [
        (pairs.nearest(pool, k=2), matrix.duplicates(pool, min_score=50, metric=metric)),
        (pairs.signature, repr(pairs), len(pairs)),
        (index.ngrams, index.nbytes, index.signature, copy(index).ngrams, repr(index), len(index)),
        list(matrix.pairwise_chunked(pool, pool, rows=1, metric=metric)),
        matrix.mbr(pool, return_matrix=True, metric=metric).to_dict(),
        (matrix.self_bleu(pool, metric=metric), sampled.to_dict()),
        matrix.pairwise(pool, pool, metric=metric),
    ]


@entry("")
def tokenizers(metric: BLEU, corpus: Corpus) -> Any:
    found: list[Any] = []
    for name in ("none", "13a", "intl", "zh", "char"):
        its = fastbleu.tokenizers.get(name)
        assert its == pickle.loads(pickle.dumps(its))
        found += [fastbleu.tokenizers.tokenize(text, name) for text in corpus.hypotheses]
        found += [its.argument, its.splits_at_spaces, repr(its)]
    return found


@entry("")
def dialect(metric: BLEU, corpus: Corpus) -> Any:
    names = dialects.names(), dialects.names(recipes=True)
    return names, str(dialects.describe(metric.dialect)), dialects.describe().to_dict()


@entry("")
def resampling(metric: BLEU, corpus: Corpus) -> Any:
    stats, systems = metric.count(*corpus), {"a": corpus.hypotheses, "b": corpus.hypotheses}
    options = {"metric": metric, "samples": 9}
    interval = significance.bootstrap(stats, **options)
    assert interval == significance.bootstrap(*corpus, **options)
    single = significance.compare({0: stats, 1: stats}, method="bootstrap", **options)[1]
    several = significance.compare(systems, corpus.references, trials=9, metric=metric)
    shuffled = significance.compare({0: stats, 1: stats}, trials=9, **options)[1]
    texts = str(interval), str(single), str(several), interval.to_dict(), single.to_dict()
    return texts, several.to_dict(), single.difference, shuffled.is_significant


@entry("", only="nltk")
def nltk_functions(metric: BLEU, corpus: Corpus) -> Any:
    [references, *_], [hypothesis, *_] = in_nltk_order(corpus)
    sides = {"references": references, "hypothesis": hypothesis, "hyp_len": len(hypothesis)}
    precisions = [fastbleu.modified_precision(references, hypothesis, n) for n in (1, 2, 3)]
    smoothing = fastbleu.SmoothingFunction()
    methods = [getattr(smoothing, f"method{number}") for number in range(8)]
    length = fastbleu.closest_ref_length(references, len(hypothesis))
    return [
        [method(list(precisions), **sides) for method in methods],
        (length, fastbleu.brevity_penalty(length, len(hypothesis))),
        fastbleu.nltk.Counter(fastbleu.nltk.ngrams(hypothesis, 2)),
    ]


@entry("", only="sacrebleu")
def sacrebleu_objects(metric: BLEU, corpus: Corpus) -> Any:
    other = sacrebleu.BLEU()
    found = other.corpus_score(corpus.hypotheses, corpus.streams, n_bootstrap=2)
    signature = other.get_signature()
    signature.update("test", "wmt22")
    found.estimate_ci([found] * 9)
    texts = found.format(signature="nrefs:1", is_json=True), signature.format(short=True)
    sentence = other.sentence_score(corpus.hypotheses[0], corpus.references[0])
    return texts, found.prec_str, found.ratio, sentence.score, repr(other.tokenizer)


@entry("", needs="pyarrow", alone=True)
def adaptors(metric: BLEU, corpus: Corpus) -> Any:
    path, loaded = scratch() / "captions.json", integration("evaluate").load("bleu")
    listed = [{"image_id": n, "caption": text} for n, text in enumerate(corpus.hypotheses)]
    path.write_text(json.dumps(listed), encoding="utf-8")
    loaded.add(prediction=corpus.hypotheses[0], reference=corpus.references[0])
    integration("transformers").compute_metrics().reset()
    fastbleu.unpatch()
    return loaded.compute(), len(loaded), integration("coco").read(path, path)
