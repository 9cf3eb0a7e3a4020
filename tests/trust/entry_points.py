"""EVERY public entry point, as code: a call that succeeds, and calls that must fail.

A block of `SOURCE` begins with the name as a user writes it; after a colon comes which way to call
it, where there are several. After a bar and on indented lines comes Python: statements are the
setup; the first expression is the call, the same each time; all others are calls that raise.
"(alone)" marks what threads must not call at once on what one setup made. A block whose name has
braces, as "Stats.{matches,totals}", is one for each of the words, which takes the place of WORD.
All blocks see the names of this module. `tests/test_trust_entries.py` fails for a public name that
has no block.
"""

from __future__ import annotations

import ast
import atexit
import importlib.util
import inspect
import io
import json
import re
import shutil
import tempfile
import textwrap
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import redirect_stderr, redirect_stdout, suppress
from dataclasses import dataclass, fields, is_dataclass
from functools import cache, partial
from itertools import chain
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

import numpy as np
from arrow_producer import Column, Stream, id_array, list_array, text_array
from states import metric_with

import fastbleu
import fastbleu.integrations.evaluate
import fastbleu.integrations.transformers
from fastbleu import BLEU, cli, matrix, sacrebleu
from fastbleu.nltk import Fraction

TEXTS = ["The cat sat on the mat.", "A dog, a cat & a mat!", "Ein kleiner Satz über Hügel."]
TEXT_REFERENCES = [
    ["The cat sat on a mat.", "On the mat sat the cat."],
    ["A dog, a cat and a mat!"],
    ["Ein kleiner Satz über die Hügel.", "Ein Satz."],
]
STREAMS = [[references[0] for references in TEXT_REFERENCES], [*TEXTS[:2], None]]
TABLE = {"mt": TEXTS, "ref": STREAMS[0], "other": TEXTS[::-1], "lang": ["en", None, "de"]}
TABLE["refs"] = TEXT_REFERENCES
NAMED = {"predictions": TEXTS, "references": TEXT_REFERENCES}
HYPOTHESIS = ["the", "cat", "sat", "on", "the", "mat", "of", "a token of more than fifteen"]
REFERENCES = [
    ["the", "cat", "sat", "on", "the", "mat"],
    ["a", "cat", "sat", "on", "a", "mat", "of", "a token of more than fifteen"],
]
HYPOTHESES = [HYPOTHESIS, ["a", "b", "c", "d", "e"], [1, 2, 3, "4", b"5"]]
LIST_OF_REFERENCES = [REFERENCES, [["a", "b", "c", "d", "x"]], [[1, 2, 3, "4"], [b"5"]]]
SENTENCES = [sentence for references in LIST_OF_REFERENCES for sentence in references]
IDS = np.array([[5, 6, 7, 8, 2, 0], [5, 9, 7, 8, 3, 2]])
REFERENCE_IDS = np.array([[[5, 6, 7, 8, 9, 2]], [[5, 9, 7, 8, 2, 0]]])
MASK = np.array([[1, 1, 1, 1, 0, 0], [1, 1, 1, 1, 1, 0]], bool)
ROWS = [[5, 6, 4, 3, 5, 4], [7, 7, 5, 2, 7, 6], [3, 4, 3, 1, 3, 2]]
UNHASHABLE = ["the", ["cat"]]
UNREADABLE = [["a"], ["b", ["c"]]]
LARGEST = 2**63 - 1


class Raising:
    """A token whose hash raises."""

    def __hash__(self) -> int:
        raise KeyError("no hash")


SOURCE = """
fastbleu.count | count(HYPOTHESES, LIST_OF_REFERENCES)
    count([HYPOTHESIS], []); count([HYPOTHESIS], [[]]); count([UNHASHABLE], [REFERENCES])
    count([HYPOTHESIS], [[UNHASHABLE]]); count(["text"], [["text"]])
    count([HYPOTHESIS], [REFERENCES], 0)
    count(HYPOTHESES, list(zip(*[REFERENCES] * 3, strict=True)))
    count([HYPOTHESIS, [Raising()]], [REFERENCES] * 2)
fastbleu.count: threads | count(HYPOTHESES * 4, LIST_OF_REFERENCES * 4, threads=2)
    count([*HYPOTHESES, UNHASHABLE], [*LIST_OF_REFERENCES, REFERENCES], threads=2)
fastbleu.count: text | count(TEXTS, TEXT_REFERENCES, tokenize="intl", lowercase=True)
    count(TEXTS, TEXT_REFERENCES, tokenize="14a")
    count([*TEXTS, 7], [*TEXT_REFERENCES, ["a"]], tokenize="13a")
fastbleu.count: a tokenizer of the user's | count(TEXTS, TEXT_REFERENCES, tokenize=str.split)
    count(TEXTS, TEXT_REFERENCES, tokenize=str.upper)
    count(TEXTS, TEXT_REFERENCES, tokenize=lambda text: 1 / 0)
fastbleu.count: ids | count(IDS, REFERENCE_IDS)
    count(IDS / 2, REFERENCE_IDS); count(IDS, REFERENCE_IDS[:1])
fastbleu.count: columns | it = text_column(TEXTS); count(it, it, tokenize="13a")
    count(it, text_column([*TEXTS[:2], b"\\xff"]), tokenize="intl", lowercase=True)
    count(it, text_column([*TEXTS[:2], None]), tokenize="13a"); count(it, it)
    count(it, text_column(TEXTS[:2]), tokenize="13a"); count(id_column(), it, tokenize="13a")
fastbleu.count: arrays of strings | it = string_array(TEXTS); count(it, it, tokenize="13a")
    count(it, string_array([*TEXTS[:2], None]), tokenize="13a"); count(it, it)
    count(it, string_array(TEXTS[:2]), tokenize="13a")
fastbleu.count: arrays of objects
    it = np.array(TEXTS * 700, object); count(it, it, tokenize="13a")
    count(it, np.array([*TEXTS * 699, "a", "b", None], object), tokenize="13a")
    count(it, it[1:], tokenize="13a")
fastbleu.count: columns of ids | it = id_column(); count(it, it, max_order=2)
    count(it, it, tokenize="13a"); count(it, text_column(TEXTS))
fastbleu.count: streams of columns
    count(text_stream(TEXTS), text_stream(TEXTS[::-1]), tokenize="13a", threads=2)
    count(text_stream(TEXTS), text_stream(TEXTS[:2]), tokenize="13a")
    count(text_stream(TEXTS, 5), text_stream(TEXTS), tokenize="13a")
fastbleu.explain | explain(TEXTS, TEXT_REFERENCES, "nltk", "sacrebleu")
    explain(TEXTS, TEXT_REFERENCES, "nltk"); explain([7], ["a"], "nltk", "sacrebleu")
fastbleu.identify | identify(31.2, HYPOTHESES, LIST_OF_REFERENCES)
    identify("many", TEXTS, TEXT_REFERENCES); identify(31.2, [7], ["a"])
fastbleu.report | it = {"a": TEXTS, "b": TEXTS[::-1]}
    report(it, TEXT_REFERENCES, samples=9, dialects=False).markdown()
    report(TEXTS, TEXT_REFERENCES); report(it, TEXT_REFERENCES[:1]); report(it)
    report({"a": [7]}, ["a"]); report(it, TEXT_REFERENCES, sources=TEXTS[:1])
fastbleu.tokenize | [tokenize(text, "13a") for text in TEXTS]
    tokenize(7, "13a"); tokenize("a", "14a"); tokenize("a", str.upper)
fastbleu.tokenize: {none,zh,intl,char} | tokenize(TEXTS[1] * 9, "WORD")
fastbleu.tokenizers.get_tokenizer | get_tokenizer("13a")
    get_tokenizer("14a"); get_tokenizer(7); get_tokenizer("13a", "model")
    get_tokenizer("spm", "/no/such/model")
fastbleu.tokenizers.Tokenizer | Tokenizer("13a", "13a")
fastbleu.tokenizers.Tokenizer.{argument,splits_at_spaces}
    it = get_tokenizer("13a"); it.WORD
fastbleu.tokenizers.Tokenizer.__eq__ | it = get_tokenizer("13a"); it == it, it == 7
fastbleu.tokenizers.Tokenizer.{__hash__,__repr__} | it = get_tokenizer("13a")
    it.WORD() == it.WORD()
fastbleu.tokenizers.Tokenizer.__reduce__ | it = get_tokenizer("13a"); pickle.loads(pickle.dumps(it))
fastbleu.tokenizers.Tokenizer.{__setattr__,__delattr__} | it = get_tokenizer("13a")
    None; it.WORD("name")
fastbleu.InputWarning | InputWarning("a message")
fastbleu.Stats | Stats(ROWS, 2)
    Stats(ROWS, 3); Stats([[0.5] * 6]); Stats([[2**63] * 6]); Stats([1, 2, 3]); Stats([])
fastbleu.Stats.zeros | Stats.zeros(3); Stats.zeros(-1); Stats.zeros(2**60)
fastbleu.Stats.concatenate | it = Stats(ROWS); Stats.concatenate([it, it])
    Stats.concatenate([]); Stats.concatenate([it, 7]); Stats.concatenate([it, Stats.zeros(1)])
fastbleu.Stats.sum | it = Stats(ROWS); it.sum(); Stats([[LARGEST] * 4] * 2).sum()
fastbleu.Stats.{hyp_lens,ref_lens,matches,totals} | it = Stats(ROWS); it.WORD
fastbleu.Stats.{__len__,__repr__} | it = Stats(ROWS); it.WORD()
fastbleu.Stats.__getitem__ | it = Stats(ROWS); it[1], it[::-1], it[:2]; it[3]; it["x"]; it[2**70]
fastbleu.Stats.__iter__ | it = Stats(ROWS); list(it)
fastbleu.Stats.__add__ | it = Stats(ROWS); it + it
    it + it[0]; it + 1; Stats([[LARGEST] * 4]) + Stats([[LARGEST] * 4])
fastbleu.Stats.__radd__ | it = Stats(ROWS); sum([it, it]); 1 + it
fastbleu.Stats.__eq__ | it = Stats(ROWS); it == it, it == it[0], it == 7
fastbleu.Stats.{__reduce__,__setstate__} | it = Stats(ROWS); pickle.loads(pickle.dumps(it))
fastbleu.Stats.__array__ | it = Stats(ROWS); np.asarray(it), np.array(it), np.asarray(it, float)
    it.__array__(float, copy=False)
fastbleu.Score | Score(0.5, (0.5,), 1.0, 2, 2, (1,), (2,), "signature"); Score(0.5)
fastbleu.Score.__eq__ | it = BLEU().score(TEXTS, TEXT_REFERENCES); it == it, it == 7
fastbleu.Score.{__hash__,__repr__,__float__,__str__}
    it = BLEU().score(TEXTS, TEXT_REFERENCES); it.WORD()
fastbleu.Score.__reduce__ | it = BLEU().score(TEXTS, TEXT_REFERENCES)
    pickle.loads(pickle.dumps(it))
fastbleu.Score.__replace__ | it = BLEU().score(TEXTS, TEXT_REFERENCES); it.__replace__(bp=0.5)
    it.__replace__(no=0.5)
fastbleu.Score.{__setattr__,__delattr__} | it = BLEU().score(TEXTS, TEXT_REFERENCES); str(it)
    it.WORD("bp")
fastbleu.Score.__format__ | it = BLEU().score(TEXTS, TEXT_REFERENCES); f"{it:.2f} {it}"; f"{it:.2z}"
fastbleu.Score.format | it = BLEU().score(TEXTS, TEXT_REFERENCES); it.format(width=3); it.format(-1)
fastbleu.Score.plot | it = BLEU().score(TEXTS, TEXT_REFERENCES); callable(it.plot)
    it.plot(ax=7)
fastbleu.Score.to_dict | it = BLEU().score(TEXTS, TEXT_REFERENCES); it.to_dict()
fastbleu.Score.{__lt__,__le__,__gt__,__ge__,__round__}
    it = BLEU().score(TEXTS, TEXT_REFERENCES); str(it); it.WORD(2); max(it, it)
fastbleu.dialects.{NltkDialect,SacrebleuDialect} | WORD().version
fastbleu.dialects.Dialect | issubclass(NltkDialect, Dialect); Dialect()
fastbleu.dialects.Dialect.adapt | it = Stats(ROWS); Dialect.adapt(NLTK, it)
fastbleu.dialects.Dialect.score | it = Stats(ROWS); Dialect.score(SACREBLEU, it.sum())
    Dialect.score(SACREBLEU, it)
fastbleu.dialects.Dialect.sentence_scores | it = Stats(ROWS); Dialect.sentence_scores(SACREBLEU, it)
    Dialect.sentence_scores(SACREBLEU, it, smoothing="method1")
fastbleu.dialects.Dialect.expected_scores | rows = np.array(ROWS, float)
    Dialect.expected_scores(SACREBLEU, rows, 2).tolist(); Dialect.expected_scores(NLTK, rows, 2)
fastbleu.dialects.Dialect.signature | Dialect.signature(NLTK, 4, nrefs=2)
    Dialect.signature(NLTK, 4, (1,))
fastbleu.dialects.Dialect.require | Dialect.require(NLTK, "weights")
    Dialect.require(NLTK, "aggregate=True")
fastbleu.dialects.Dialect.supports | Dialect.supports(NLTK, "weights")
fastbleu.dialects.{NltkDialect,SacrebleuDialect}.supports | WORD().supports("matrix")
fastbleu.dialects.Dialect.printed | Dialect.printed(SACREBLEU, 12.345)
fastbleu.dialects.Dialect.line | Dialect.line(SACREBLEU, SACREBLEU.score(Stats(ROWS).sum()))
fastbleu.dialects.{NltkDialect,SacrebleuDialect}.printed | WORD().printed(12.345)
fastbleu.dialects.{NltkDialect,SacrebleuDialect}.line
    WORD().line(BLEU().score(TEXTS, TEXT_REFERENCES))
fastbleu.dialects.{NltkDialect,SacrebleuDialect}.brevity_penalty | WORD().brevity_penalty(3, 4)
fastbleu.dialects.Dialect.brevity_penalty | Dialect.brevity_penalty(SACREBLEU, 3, 4)
fastbleu.dialects.NltkDialect.expected_scores | NLTK.name; NLTK.expected_scores(np.zeros((1, 6)), 2)
fastbleu.dialects.NltkDialect.require | NLTK.require("weights"); NLTK.require("smoothing='method5'")
fastbleu.dialects.SacrebleuDialect.require | SACREBLEU.require("aggregate=True")
fastbleu.dialects.names | dialects.names()
fastbleu.dialects.get | dialects.get("nltk").version; dialects.get("bleu")
fastbleu.dialects.{NltkDialect,SacrebleuDialect}.adapt | it = Stats(ROWS); WORD().adapt(it)
fastbleu.dialects.NltkDialect.score | it = NLTK.adapt(count(HYPOTHESES, LIST_OF_REFERENCES))
    NLTK.score(it.sum(), smoothing="method4")
    NLTK.score(it); NLTK.score(it.sum(), (1,)); NLTK.score(it.sum(), smoothing="method7")
    NLTK.score(Stats.zeros(1))
fastbleu.dialects.NltkDialect.sentence_scores
    it = NLTK.adapt(count(HYPOTHESES, LIST_OF_REFERENCES))
    NLTK.sentence_scores(it, smoothing="floor", smoothing_value=0.2)
    NLTK.sentence_scores(it, smoothing="none", smoothing_value=1)
    NLTK.sentence_scores(it, (0.5, 0.5))
fastbleu.dialects.NltkDialect.signature | NLTK.signature(2, (0.5, 0.5), nrefs=-1, lowercase=True)
fastbleu.dialects.SacrebleuDialect.score | it = Stats(ROWS)
    SACREBLEU.score(it.sum(), weights=(0.25, 0.75))
    SACREBLEU.score(it); SACREBLEU.score(it.sum(), weights=(0.25,))
    SACREBLEU.score(it.sum(), smoothing="method1")
fastbleu.dialects.SacrebleuDialect.sentence_scores | it = Stats(ROWS)
    SACREBLEU.sentence_scores(it, smoothing="add-k").tolist()
    SACREBLEU.sentence_scores(it, smoothing="add-k", smoothing_value=-1)
    SACREBLEU.sentence_scores(it, weights=(-1, 1))
fastbleu.dialects.SacrebleuDialect.expected_scores | rows = np.array(ROWS, float)
    SACREBLEU.expected_scores(rows, 2).tolist(); SACREBLEU.expected_scores(rows, 2, weights=(1,))
fastbleu.dialects.SacrebleuDialect.signature
    SACREBLEU.signature(2, nrefs=1, lowercase=False, tokenizer="13a")
fastbleu.BLEU.as_arguments | BLEU(max_order=2).as_arguments()["max_order"]
fastbleu.BLEU.sums | it = BLEU(max_order=2); it.sums(TEXTS, TEXT_REFERENCES)
    it.sums(TEXTS, TEXT_REFERENCES[:1])
fastbleu.BLEU | BLEU(lowercase=True, max_order=3, weights=(0.5, 0.25, 0.25))
    BLEU(tokenize="14a"); BLEU(max_order=0); BLEU(weights=(1,))
    BLEU(smoothing="exp", smoothing_value=1); BLEU(ignore_ids=(0,)); BLEU(dialect="moses")
fastbleu.BLEU.score | it = text_metric(); it.score(TEXTS, TEXT_REFERENCES)
    it.score([], []); it.score(TEXTS, TEXT_REFERENCES[:1])
    it.score([*TEXTS[:2], None], TEXT_REFERENCES)
    it.score(TEXTS, [*TEXT_REFERENCES[:2], [None]]); it.score(TEXTS[0], TEXT_REFERENCES[0])
fastbleu.BLEU.score: tokens | it = BLEU(tokenize=None); it.score(HYPOTHESES, LIST_OF_REFERENCES)
    it.score([UNHASHABLE], [REFERENCES]); it.score(["text"], [["text"]])
fastbleu.BLEU.score: ids | it = BLEU(tokenize=None, ignore_ids=(0,), stop_id=2)
    it.score(IDS, REFERENCE_IDS, hypothesis_mask=MASK)
    it.score(IDS, REFERENCE_IDS, hypothesis_mask=MASK[:1])
    it.score(IDS.astype(float), REFERENCE_IDS); it.score([[2**63]], [[[1]]])
fastbleu.BLEU.sentence_scores | it = text_metric()
    it.sentence_scores(TEXTS, TEXT_REFERENCES); it.sentence_scores(TEXTS, TEXT_REFERENCES[:1])
fastbleu.BLEU.prefix_scores | it = BLEU(tokenize=None, ignore_ids=(0,), stop_id=2)
    it.prefix_scores(IDS, REFERENCE_IDS, hypothesis_mask=MASK)
    it.prefix_scores(IDS, REFERENCE_IDS, delta="no"); it.prefix_scores(IDS, REFERENCE_IDS[0])
    it.prefix_scores(IDS, IDS, hypothesis_mask=MASK[:1]); BLEU().prefix_scores(TEXTS, TEXTS)
fastbleu.BLEU.prefix_scores: tokens | it = BLEU(tokenize=None)
    it.prefix_scores(HYPOTHESES, LIST_OF_REFERENCES, delta=True)
    it.prefix_scores([UNHASHABLE], [REFERENCES]); it.prefix_scores(["text"], [["text"]])
fastbleu.BLEU.statistics | it = text_metric()
    it.statistics(TEXTS, TEXT_REFERENCES); it.statistics(TEXTS, [*TEXT_REFERENCES[:2], []])
fastbleu.BLEU.update | it, full = streaming(); it.update(TEXTS, TEXT_REFERENCES)
    it.update(TEXTS, TEXT_REFERENCES[:1]); it.update([*TEXTS[:2], b"x"], TEXT_REFERENCES)
    full.update(TEXTS, TEXT_REFERENCES)
fastbleu.BLEU.update: tokenizers of segments | it = BLEU()
    it.update(TEXTS, TEXT_REFERENCES, tokenize=["zh", None, "char"])
    it.update(TEXTS, TEXT_REFERENCES, tokenize=["zh", "13a"])
    BLEU(None).update([], [], tokenize="zh")
    it.update([*TEXTS[:2], None], TEXT_REFERENCES, tokenize=["zh", None, "13a"])
fastbleu.BLEU.update: ids | it = BLEU(tokenize=None, ignore_ids=(0,), stop_id=2)
    it.update(IDS, REFERENCE_IDS); it.update(IDS, REFERENCE_IDS[0])
fastbleu.BLEU.{compute,segment_scores} | it = text_metric(); it.WORD(); BLEU().WORD()
fastbleu.BLEU.{reset,__repr__} | it = text_metric(); it.WORD()
fastbleu.BLEU.merge | it, full = streaming(); it.merge(it) if it.state[0] < 2**61 else it.reset()
    it.merge(7); it.merge(BLEU()); full.merge(full)
fastbleu.BLEU.all_reduce | it = text_metric(); it.all_reduce().state
fastbleu.BLEU.{state,signature} | it = text_metric(); it.WORD
fastbleu.BLEU.{ignore_ids,stop_id,skip_ids} | it = text_metric(); it.WORD
fastbleu.BLEU.hashed | BLEU(dialect="fairseq").hashed; BLEU().hashed
fastbleu.BLEU.keywords | BLEU(dialect="codebleu-weighted").keywords; BLEU().keywords
fastbleu.BLEU.from_state | state = text_metric().state; BLEU.from_state(state).compute()
    BLEU.from_state(state[:-1]); BLEU.from_state(state - 2**40); BLEU.from_state(state / 3)
    BLEU.from_state(state, keep_segments=True)
fastbleu.BLEU.segments | it = text_metric(); it.segments; BLEU().segments
fastbleu.BLEU.__eq__ | it = text_metric(); it == it, it == BLEU(), it == 7
fastbleu.BLEU.__hash__ | it = text_metric(); hash(it) == hash(it)
fastbleu.BLEU.{__reduce__,__setstate__} | it = text_metric(); pickle.loads(pickle.dumps(it)) == it
fastbleu.BLEU.__setattr__ | it = text_metric(); None; setattr(it, "max_order", 3)
fastbleu.BLEU.__delattr__ | it = text_metric(); None; delattr(it, "max_order")
fastbleu.BLEU.pairwise | it = BLEU(effective_order=True); it.pairwise(TEXTS, TEXTS[::-1])
    it.pairwise(TEXTS, [*TEXTS, 7]); it.pairwise(TEXTS[0], TEXTS)
    it.pairwise(TEXTS, TEXTS, out=np.empty((2, 3))); it.pairwise(TEXTS, TEXTS, dtype=int)
fastbleu.BLEU.pairwise: ids
    it = BLEU(tokenize=None, ignore_ids=(0,), stop_id=2, effective_order=True)
    it.pairwise(IDS, IDS, hypothesis_mask=MASK, dtype="float32")
    it.pairwise(IDS, IDS, hypothesis_mask=MASK[:, :2]); it.pairwise([IDS], IDS)
fastbleu.BLEU.iter_blocks | it = BLEU(effective_order=True)
    blocks(it.iter_blocks(TEXTS, TEXTS, rows=2))
    blocks(it.iter_blocks(TEXTS, TEXTS, rows=0)); blocks(it.iter_blocks([*TEXTS, None], TEXTS))
fastbleu.BLEU.iter_blocks: broken off
    it = BLEU(effective_order=True); broken_off(it.iter_blocks(TEXTS, TEXTS, rows=1))
fastbleu.BLEU.mbr | it = BLEU(effective_order=True); it.mbr([*TEXTS, TEXTS[0]], matrix=True)
    it.mbr([]); it.mbr(TEXTS, weights=[1]); it.mbr(TEXTS, weights=[0, 0, 0])
    it.mbr(TEXTS, [*TEXTS, b"x"]); it.mbr(TEXTS, aggregate=True, matrix=True)
fastbleu.BLEU.mbr: aggregate | it = BLEU(effective_order=True)
    it.mbr(TEXTS, TEXTS[:2], log_probabilities=[-1, -2], aggregate=True)
    it.mbr(TEXTS, TEXTS[:2], log_probabilities=[-1, float("nan")], aggregate=True)
fastbleu.BLEU.mbr: batches | it = BLEU(effective_order=True)
    it.mbr([TEXTS, TEXTS[::-1]], [TEXTS[:2], TEXTS[1:]], [[1, 2], [3, 4]])
    it.mbr([TEXTS, []])
fastbleu.BLEU.mbr: sources of different sizes | it = BLEU(effective_order=True)
    it.mbr([TEXTS, TEXTS[:2]], weights=[[1, 2, 3], [4, 5]])
    it.mbr([TEXTS, TEXTS[:2]], weights=[[1, 2, 3]]); it.mbr([TEXTS, [*TEXTS, 7]])
fastbleu.BLEU.self_bleu | it = BLEU(effective_order=True); it.self_bleu(TEXTS * 2, (1, 3), sample=3)
    it.self_bleu(TEXTS[:1]); it.self_bleu(TEXTS, (0,)); it.self_bleu(TEXTS, sample=9)
    it.self_bleu([*TEXTS, None])
fastbleu.BLEU.reference_index | it = BLEU(effective_order=True)
    it.reference_index(TEXTS).ngrams; it.reference_index([]); it.reference_index([*TEXTS, 7])
fastbleu.matrix.pairwise | pairwise(SENTENCES, HYPOTHESES, tokenize=None)
    pairwise(SENTENCES, UNREADABLE, tokenize=None); pairwise(SENTENCES, HYPOTHESES)
    pairwise(SENTENCES, [["a", Raising()]], tokenize=None)
fastbleu.matrix.iter_blocks | blocks(iter_blocks(SENTENCES, HYPOTHESES, rows=1, tokenize=None))
    iter_blocks(SENTENCES, HYPOTHESES, rows=-1, tokenize=None)
fastbleu.matrix.mbr | mbr(SENTENCES, tokenize=None); mbr(UNREADABLE, tokenize=None)
    mbr(SENTENCES, aggregate=True, dialect="nltk", tokenize=None)
fastbleu.matrix.self_bleu
    self_bleu(SENTENCES); self_bleu(UNREADABLE); self_bleu(SENTENCES, (2, 2))
fastbleu.matrix.self_bleu: groups | self_bleu([SENTENCES, SENTENCES[:2]])
    self_bleu([SENTENCES, SENTENCES[:1]]); self_bleu([TEXTS, TEXTS[0]], tokenize="13a")
fastbleu.matrix.nearest | nearest(SENTENCES, HYPOTHESES, 2, tokenize=None)
    nearest(SENTENCES, UNREADABLE, tokenize=None); nearest(TEXTS, TEXTS, 0)
    nearest(TEXTS, iter([*TEXTS, 7])); nearest(TEXTS, TEXTS, min_score="x")
fastbleu.matrix.duplicates | duplicates([*TEXTS, TEXTS[0]], 50)
    duplicates(UNREADABLE, 50, tokenize=None); duplicates(TEXTS, None); duplicates(5, 50)
fastbleu.matrix.PairIndex | PairIndex(iter(SENTENCES), tokenize=None)
    PairIndex(UNREADABLE, tokenize=None); PairIndex(TEXTS, metric=BLEU(), max_order=3)
fastbleu.matrix.PairIndex.nearest | it = PairIndex(TEXTS, threads=2); it.nearest(TEXTS * 20, 2)
    it.nearest(TEXTS, 0); it.nearest([*TEXTS, None]); it.nearest(TEXTS[0])
fastbleu.matrix.PairIndex.__len__ | it = PairIndex(TEXTS); it.__len__()
fastbleu.matrix.MBRResult | MBRResult(1, np.zeros(2))
fastbleu.matrix.SelfBLEU | SelfBLEU({}, np.zeros((1, 0)), (), np.zeros(1))
fastbleu.matrix.SelfBLEU.__repr__ | it = self_bleu(SENTENCES); repr(it)
fastbleu.matrix.ReferenceIndex | len(ReferenceIndex(iter(SENTENCES), tokenize=None))
    ReferenceIndex([]); ReferenceIndex(UNREADABLE, tokenize=None)
    ReferenceIndex(TEXTS, metric=BLEU(), max_order=3); ReferenceIndex(iter([*TEXTS, 7]))
fastbleu.matrix.ReferenceIndex.score
    it = index(); it.score(TEXTS); it.score([]); it.score([*TEXTS, None])
fastbleu.matrix.ReferenceIndex.sentence_scores
    it = index(); it.sentence_scores(TEXTS); it.sentence_scores(TEXTS[0])
fastbleu.matrix.ReferenceIndex.statistics
    it = index(); it.statistics(TEXTS); it.statistics([*TEXTS, b"x"])
fastbleu.matrix.ReferenceIndex.{ngrams,nbytes,signature} | it = index(); it.WORD
fastbleu.matrix.ReferenceIndex.{__len__,__repr__} | it = index(); it.WORD()
fastbleu.matrix.ReferenceIndex.__reduce__ | it = index(); pickle.loads(pickle.dumps(it)).ngrams
fastbleu.matrix.ReferenceIndex.__setattr__ | it = index(); None; setattr(it, "ngrams", 1)
fastbleu.matrix.ReferenceIndex.__delattr__ | it = index(); None; delattr(it, "_ngrams")
fastbleu.sentence_bleu | sentence_bleu(REFERENCES, HYPOTHESIS)
    sentence_bleu([], HYPOTHESIS); sentence_bleu(REFERENCES, UNHASHABLE)
    sentence_bleu([UNHASHABLE], HYPOTHESIS); sentence_bleu(REFERENCES, HYPOTHESIS, (None,))
    sentence_bleu(REFERENCES, HYPOTHESIS, smoothing_function=lambda *a, **k: 1 / 0)
    sentence_bleu(None, HYPOTHESIS); sentence_bleu([[Raising()]], HYPOTHESIS)
fastbleu.sentence_bleu: several weights, tokens of all kinds
    kinds, weights = [1, 2.0, (3, "x"), b"y"], [(1,), (0.5, 0.5)]
    smoothing = SmoothingFunction().method1
    sentence_bleu([kinds], [1.0, 2, (3, "x"), b"y", "z"], weights, smoothing)
    sentence_bleu([[1, (2, [])]], [1, 2.0], [(1,), (0.5, 0.5)])
fastbleu.corpus_bleu | corpus_bleu(LIST_OF_REFERENCES, HYPOTHESES)
    corpus_bleu(LIST_OF_REFERENCES[:1], HYPOTHESES); corpus_bleu([], [])
    corpus_bleu([REFERENCES, []], [HYPOTHESIS, HYPOTHESIS])
    corpus_bleu([[UNHASHABLE]], [HYPOTHESIS])
fastbleu.modified_precision | modified_precision(REFERENCES, HYPOTHESIS, 2)
    modified_precision(REFERENCES, UNHASHABLE, 1); modified_precision([], HYPOTHESIS, 1)
    modified_precision(REFERENCES, HYPOTHESIS, -1); modified_precision(REFERENCES, HYPOTHESIS, 1.5)
fastbleu.closest_ref_length
    closest_ref_length(REFERENCES, 7); closest_ref_length([], 7); closest_ref_length([1], 7)
fastbleu.brevity_penalty | brevity_penalty(8, 7); brevity_penalty(8, None)
fastbleu.SmoothingFunction | SmoothingFunction(0.2, 4, 3).k; SmoothingFunction(beta=1)
fastbleu.SmoothingFunction.method0
    SmoothingFunction().method0([Fraction(1, 2)]); SmoothingFunction().method0([1.5])
fastbleu.nltk.Fraction | Fraction(2, 4); Fraction(1, 0)
fastbleu.nltk.Fraction.{numerator,denominator} | it = Fraction(2, 4); it.WORD
fastbleu.SmoothingFunction.{method1,method2,method3,method4,method5,method6,method7}
    smoothed("WORD"); SmoothingFunction().WORD(["x", "x"])
fastbleu.nltk.Fraction.__reduce__ | it = Fraction(2, 4); pickle.loads(pickle.dumps(it))
fastbleu.patch (alone) | patched(fastbleu); fastbleu.patch("nltkk")
fastbleu.unpatch (alone) | fastbleu.unpatch()
fastbleu.{nltk,sacrebleu}.patch (alone) | patched(fastbleu.WORD)
fastbleu.{nltk,sacrebleu}.unpatch (alone) | fastbleu.WORD.unpatch()
fastbleu.sacrebleu.corpus_bleu | sacrebleu.corpus_bleu(TEXTS, STREAMS)
    sacrebleu.corpus_bleu([], []); sacrebleu.corpus_bleu(TEXTS, [])
    sacrebleu.corpus_bleu([7], [["a"]]); sacrebleu.corpus_bleu(["a"], [[None]])
    sacrebleu.corpus_bleu(TEXTS, STREAMS, "method1")
fastbleu.sacrebleu.raw_corpus_bleu
    sacrebleu.raw_corpus_bleu(TEXTS, STREAMS); sacrebleu.raw_corpus_bleu(TEXTS, [7])
fastbleu.sacrebleu.sentence_bleu | sacrebleu.sentence_bleu(TEXTS[0], TEXT_REFERENCES[0])
    sacrebleu.sentence_bleu(7, TEXT_REFERENCES[0]); sacrebleu.sentence_bleu(TEXTS[0], [None])
    sacrebleu.sentence_bleu("a b", ["a c"], "floor", "x")
    sacrebleu.sentence_bleu(TEXTS[0], TEXTS, tokenize="14a")
fastbleu.sacrebleu.BLEU | sacrebleu.BLEU(references=STREAMS)
    sacrebleu.BLEU(tokenize="14a"); sacrebleu.BLEU(smooth_method="x")
    sacrebleu.BLEU(max_ngram_order=0); sacrebleu.BLEU(references=7)
fastbleu.sacrebleu.BLEU.corpus_score | it = sacrebleu.BLEU(references=STREAMS)
    it.corpus_score(TEXTS, None, n_bootstrap=5)
    sacrebleu.BLEU().corpus_score(TEXTS, None); it.corpus_score([7], None)
fastbleu.sacrebleu.BLEU.sentence_score | it = sacrebleu.BLEU(effective_order=True)
    it.sentence_score(TEXTS[0], TEXTS)
    it.sentence_score(TEXTS[0], [7]); it.sentence_score(TEXTS[0], [])
fastbleu.sacrebleu.BLEU.get_signature
    it = scored(); it.get_signature(); sacrebleu.BLEU().get_signature()
fastbleu.sacrebleu.BLEU.compute_bleu | compute = sacrebleu.BLEU.compute_bleu
    compute([5, 4], [6, 5], 6, 7, max_ngram_order=2)
    compute([5, 4], [6, 5], 6, 7); compute([5, 4], [6, 5], 6, 7, "x")
    compute(["5", 4], [6, 5], 6, 7, max_ngram_order=2)
fastbleu.sacrebleu.BLEUScore | sacrebleu.BLEUScore(50.0, [3, 1], [4, 3], [75.0, 33.3], 1.0, 4, 4)
    sacrebleu.BLEUScore(50.0)
fastbleu.sacrebleu.BLEUScore.{prec_str,ratio} | sacrebleu.corpus_bleu(TEXTS, STREAMS).WORD
fastbleu.sacrebleu.BLEUScore.format | it = sacrebleu.corpus_bleu(TEXTS, STREAMS)
    it.format(signature="nrefs:1", is_json=True); it.format(signature="nrefs", is_json=True)
fastbleu.sacrebleu.BLEUScore.estimate_ci
    it = sacrebleu.corpus_bleu(TEXTS, STREAMS); it.estimate_ci([it] * 50); it.estimate_ci([])
fastbleu.sacrebleu.BLEUScore.__repr__ | it = sacrebleu.corpus_bleu(TEXTS, STREAMS); repr(it)
fastbleu.sacrebleu.BLEUSignature
    it = scored(); sacrebleu.BLEUSignature(vars(it)); sacrebleu.BLEUSignature({})
fastbleu.sacrebleu.BLEUSignature.format | it = scored().get_signature(); it.format(short=True)
fastbleu.sacrebleu.BLEUSignature.update | it = scored().get_signature(); it.update("test", "wmt22")
fastbleu.sacrebleu.BLEUSignature.__repr__ | it = scored().get_signature(); repr(it)
fastbleu.significance.bootstrap | it = Stats(ROWS); bootstrap(it, samples=9)
    bootstrap(it[:1], samples=9); bootstrap(it, samples=0)
    bootstrap(it, samples=9, confidence=2); bootstrap(Stats([[2**62] * 4] * 3), samples=9)
    bootstrap(it, samples=9, smoothing="x")
fastbleu.significance.paired_bootstrap | it = Stats(ROWS)
    paired_bootstrap(it, {"same": it}, samples=9)
    paired_bootstrap(it, it[:2], samples=9); paired_bootstrap(it, [7], samples=9)
    paired_bootstrap(it, Stats.zeros(3), samples=9)
fastbleu.significance.paired_approximate_randomization | it = Stats(ROWS)
    paired_approximate_randomization(it, [it], trials=9, samples=9)
    paired_approximate_randomization(it, [it[0]], trials=9)
    paired_approximate_randomization(it, [it], trials=0)
fastbleu.significance.compare | it = {"a": TEXTS, "b": TEXTS[::-1]}
    compare(it, TEXT_REFERENCES, samples=9)
    compare(it, TEXT_REFERENCES[1:]); compare(TEXTS, TEXT_REFERENCES); compare({}, TEXT_REFERENCES)
    compare(it, TEXT_REFERENCES, method="t"); compare(it, TEXT_REFERENCES, metric="chrf")
    compare(it, TEXT_REFERENCES, smoothing="exp"); compare({**it, "c": [1, 2, 3]}, TEXT_REFERENCES)
fastbleu.significance.Comparisons | Comparisons({})
fastbleu.significance.Comparisons.{to_dict,__str__}
    it = compare({"a": TEXTS, "b": TEXTS[::-1]}, TEXT_REFERENCES, samples=9); it.WORD()
fastbleu.significance.Interval.{to_dict,__str__} | bootstrap(Stats(ROWS), samples=9).WORD()
fastbleu.significance.Comparison.{to_dict,__str__}
    it = paired_bootstrap(Stats(ROWS), Stats(ROWS), samples=9); it.WORD()
fastbleu.significance.Interval | Interval(*range(7))
fastbleu.significance.Interval.half_width
    it = paired_bootstrap(Stats(ROWS), Stats(ROWS), samples=9); it.interval.half_width
fastbleu.significance.Comparison | Comparison(*range(12))
fastbleu.significance.Comparison.{difference,is_significant}
    it = paired_bootstrap(Stats(ROWS), Stats(ROWS), samples=9); it.WORD
fastbleu.tables.score | how = {"by": "lang", "confidence": 0.9, "samples": 9}
    tables.score(TABLE, "mt", ["ref", "other"], **how)
    tables.score(TABLE, "mt", "no"); tables.score({**TABLE, "mt": TEXTS[:2]}, "mt", "ref")
    tables.score({**TABLE, "mt": [*TEXTS[:2], None]}, "mt", "ref"); tables.score(7, "mt", "ref")
    tables.score({**TABLE, "mt": [*TEXTS[:2], 7]}, "mt", "ref")
    tables.score([[TABLE]], "mt", "ref")
    tables.score({**TABLE, "lang": [[], [], []]}, "mt", "ref", by="lang")
fastbleu.tables.score: a stream | tables.score((TABLE for _ in range(3)), "mt", "refs")
    tables.score(iter([TABLE, {"mt": ["a"]}]), "mt", "ref"); tables.score(iter([7]), "mt", "ref")
    tables.score("no.parquet", "mt", "ref"); tables.score(iter([]), "mt", "ref")
fastbleu.tables.score: a tokenizer for each language
    names = {"language": "lang", "tokenize": {"de": "intl", None: "char"}}
    tables.score(TABLE, "mt", "ref", by="lang", **names)
    tables.score(TABLE, "mt", "ref", **names)
    tables.score(TABLE, "mt", "ref", by="lang", language="lang", tokenize={"de": "intl"})
fastbleu.tables.sums | tables.sums(TABLE, "mt", ["ref"], by="lang")
    tables.sums(TABLE, "mt", "no"); tables.sums(TABLE, "mt", "ref", by="segments")
    tables.sums(TABLE, "mt", "ref", metric=BLEU(dialect="codexglue-summary"))
fastbleu.tables.combine | it = tables.sums(TABLE, "mt", ["ref"], by="lang"); tables.combine(it, it)
    tables.combine(); tables.combine(it, TABLE); tables.combine(it, by="no")
    tables.combine(it, tables.sums(TABLE, "mt", ["ref"]))
    tables.combine({**it, "hyp_len": [0.5] * 3})
    tables.combine(it, tables.sums(TABLE, "mt", "ref", by="lang", metric=BLEU(lowercase=True)))
fastbleu.tables.scores | it = tables.sums(TABLE, "mt", ["ref"], by="lang"); tables.scores(it)
    tables.scores(TABLE); tables.scores({**it, "counted": ["x"] * 3}); tables.scores(it, metric=7)
    tables.scores({**it, "matches_1": [99] * 3}); tables.scores(it, metric=BLEU(lowercase=True))
fastbleu.tables.sentence_scores | tables.sentence_scores(TABLE, "mt", ["ref"], missing="skip")
    tables.sentence_scores(TABLE, "mt", ["ref"], name="lang")
    tables.sentence_scores(TABLE, "mt", "other", metric=7)
fastbleu.tables.statistics | tables.statistics(TABLE, "mt", "refs")
    tables.statistics(TABLE, "mt", []); tables.statistics({**TABLE, "hyp_len": TEXTS}, "mt", "ref")
fastbleu.tables.read_coco (alone) | captions, damaged = coco_files()
    tables.read_coco(captions, captions)
    tables.read_coco(captions, damaged); tables.read_coco("no.json", captions)
fastbleu.cli.main (alone) | reference, system, damaged = text_files()
    command(reference, "-i", system, "-b")
    command(reference, "-i", damaged); command(reference, "-i", system + ".no")
    command(reference, "-i", os.devnull)
fastbleu.cli.main: segment by segment (alone) | reference, system, damaged = text_files()
    command(reference, "-i", system, "-sl", "-f", "text")
    command(reference, "-i", system, "-sl", "-ci")
fastbleu.cli.main: a test of significance (alone) | reference, system, damaged = text_files()
    command(reference, "-i", system, reference, "-pbs", "-pbsn", "9", "-f", "text")
fastbleu.recipes.names | fastbleu.recipes.names()
fastbleu.recipes.describe | fastbleu.recipes.describe("llamafactory").rules
    fastbleu.recipes.describe("nltk"); fastbleu.recipes.describe("no tool")
    fastbleu.recipes.describe(7)
fastbleu.recipes.Description | it = fastbleu.recipes; it.Description([{"recipe": "a"}]).rules
    it.Description()
fastbleu.recipes.Description.__str__ | str(fastbleu.recipes.describe())
fastbleu.recipes.Description.to_dict | fastbleu.recipes.describe("opik").to_dict()
fastbleu.rewards.BLEUReward | BLEUReward("answer", "<a>(.*)</a>", lowercase=True).metric
    BLEUReward("prompts"); BLEUReward(extract=7); BLEUReward(dialect="moses")
fastbleu.rewards.BLEUReward.__call__ | it = BLEUReward(); it(TEXTS, references=TEXT_REFERENCES)
    it(TEXTS, answer=TEXTS); it(TEXTS, references=TEXTS); it(7, references=TEXT_REFERENCES)
    it(TEXTS, references=TEXT_REFERENCES[:1]); it([*TEXTS[:2], b"x"], references=TEXT_REFERENCES)
fastbleu.rewards.BLEUReward.__call__: messages | it = BLEUReward(extract="(.*)[.]")
    it([[{"content": text}] for text in TEXTS], references=TEXT_REFERENCES)
    it([{"content": text} for text in TEXTS], references=TEXT_REFERENCES)
fastbleu.rewards.BLEUReward.compute_score | it = BLEUReward()
    it.compute_score("", TEXTS[0], TEXT_REFERENCES[0]); it.compute_score("", 7, TEXTS[0])
fastbleu.rewards.BLEUReward.reward_func | it = BLEUReward(); it is not None
    it.reward_func(TEXTS, TEXTS[::-1], TEXTS); it.reward_func(TEXTS, TEXTS[:1], TEXTS)
fastbleu.integrations.evaluate.load
    evaluate.load("bleu").compute(**NAMED, tokenizer=str.split, smooth=True)
    evaluate.load("chrf"); evaluate.load("bleu", num_process=2)
    evaluate.load("bleu").compute(**NAMED, tokenizer=lambda text: 1 / 0)
fastbleu.integrations.transformers.compute_metrics | transformers.compute_metrics() is not None
    transformers.compute_metrics(tokenize="13a"); transformers.compute_metrics(7)
    transformers.compute_metrics(rows=0); transformers.compute_metrics(rows=[1], extra=len)
fastbleu.integrations.transformers.ComputeMetrics
    transformers.ComputeMetrics(None, BLEU(tokenize=None), ()) is not None
fastbleu.integrations.transformers.ComputeMetrics.reset
    it = transformers.compute_metrics(ignore_ids=(0,)); it.reset()
fastbleu.integrations.transformers.ComputeMetrics.__call__ (alone)
    it = transformers.compute_metrics(ignore_ids=(0,)); it((IDS, IDS))
    it((IDS / 2, IDS)); it((IDS, IDS[:1])); it((IDS, -IDS)); it(7)
fastbleu.integrations.evaluate.{Bleu,Sacrebleu} | evaluate.WORD().name
fastbleu.integrations.evaluate.{Bleu,Sacrebleu}.add (alone) | it = evaluate.WORD()
    emptied(it).add(prediction=TEXTS[0], reference=TEXTS[0]), it.compute()
    it.add(prediction=TEXTS[0]); it.add(prediction=7, reference=TEXTS)
fastbleu.integrations.evaluate.{Bleu,Sacrebleu}.add_batch (alone) | it = evaluate.WORD()
    emptied(it).add_batch(**NAMED), len(it), it.compute() and None
    it.add_batch(predictions=TEXTS, references=TEXTS[:1])
    it.add_batch(predictions=TEXTS, references=[*TEXTS[:2], []])
fastbleu.integrations.evaluate.{Bleu,Sacrebleu}.compute (alone) | it = evaluate.WORD()
    it.compute(**NAMED); it.compute(); it.compute(predictions=TEXTS)
fastbleu.integrations.evaluate.{Bleu,Sacrebleu}.__len__ | it = evaluate.WORD(); len(it)
"""


def text_metric() -> BLEU:
    metric = BLEU(keep_segments=True)
    metric.update(TEXTS, TEXT_REFERENCES)
    return metric


def streaming() -> tuple[BLEU, BLEU]:
    """A metric, and one that is full."""
    return BLEU(max_order=2), metric_with([LARGEST] * 2 + [LARGEST // 2] * 4, max_order=2)


def text_column(texts: list[Any]) -> Column:
    return Column(text_array(texts))


def string_array(texts: list[Any]) -> Any:
    """An array of StringDType; of objects by a numpy without it."""
    kind = getattr(getattr(np, "dtypes", None), "StringDType", None)
    return np.array(texts, object if kind is None else kind(na_object=None))


def id_column() -> Column:
    return Column(list_array([[1, 2, 3], [4]], id_array([1, 2, 3, 4])))


def text_stream(texts: list[Any], *failure: int) -> Stream:
    return Stream(text_array([]), [text_array(texts[:1]), text_array(texts[1:], "u", 2), *failure])


def blocks(pairs: Iterator[Any]) -> list[Any]:
    return [scores for _, scores in pairs]


def broken_off(pairs: Any) -> None:
    next(pairs)
    pairs.close()


def index() -> matrix.ReferenceIndex:
    return matrix.ReferenceIndex(TEXTS, effective_order=True)


def smoothed(method: str) -> Any:
    precisions = [Fraction(1, 2), Fraction(1, 3), Fraction(2, 4), Fraction(0, 1)]
    arguments = {"references": REFERENCES, "hypothesis": HYPOTHESIS, "hyp_len": 8}
    return getattr(fastbleu.SmoothingFunction(), method)(precisions, **arguments)


def patched(module: Any) -> None:
    with module.patch():
        pass


def scored() -> sacrebleu.BLEU:
    metric = sacrebleu.BLEU()
    metric.corpus_score(TEXTS, STREAMS)
    return metric


def emptied(metric: Any) -> Any:
    """A metric without the segments that a call has left which failed before it took them."""
    if len(metric):
        metric.compute()
    return metric


def text_files() -> list[str]:
    """Two files of text, and one that is not UTF-8."""
    paths = [str(scratch() / name) for name in ("reference.txt", "system.txt", "damaged.txt")]
    for path, lines in zip(paths, (STREAMS[0], TEXTS, None), strict=True):
        content = "\n".join(lines).encode() + b"\n" if lines else b"\xff\xfe\x00"
        Path(path).write_bytes(content)
    return paths


def coco_files() -> list[str]:
    """A file of captions of each image, and one that is damaged."""
    captions = [{"image_id": image, "caption": text} for image, text in enumerate(TEXTS)]
    paths = [str(scratch() / name) for name in ("captions.json", "damaged.json")]
    for path, content in zip(paths, (json.dumps(captions), "[{]"), strict=True):
        Path(path).write_text(content, encoding="utf-8")
    return paths


def command(*arguments: str) -> str:
    """What the command prints; OSError where it fails."""
    out = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
    with redirect_stdout(out), redirect_stderr(out):
        status = cli.main(list(arguments))
        out.flush()
        said = out.buffer.getvalue().decode()
    if status:
        raise OSError(status, said)
    return said


@cache
def scratch() -> Path:
    """A directory of this process, gone when it ends."""
    directory = tempfile.mkdtemp(prefix="fastbleu-trust-")
    atexit.register(shutil.rmtree, directory, ignore_errors=True)
    return Path(directory)


def plain(result: object) -> object:
    """A result as something that `==` compares bit for bit, and that can be printed."""
    if isinstance(result, np.ndarray):
        return "array", result.dtype.str, result.shape, result.tobytes()
    if isinstance(result, float):
        return result.hex()
    if isinstance(result, fastbleu.Stats):
        return "Stats", result.max_order, np.asarray(result).tolist()
    if is_dataclass(result) and not isinstance(result, type):
        values = {field.name: getattr(result, field.name) for field in fields(result)}
        return type(result).__name__, plain(values)
    if isinstance(result, (list, tuple)):
        return type(result).__name__, [plain(part) for part in result]
    if isinstance(result, Mapping):
        return [(plain(key), plain(value)) for key, value in result.items()]
    if isinstance(result, sacrebleu.BLEUScore):
        return plain(vars(result))
    return re.sub(r" at 0x[0-9a-f]+", "", repr(result))


State = dict[str, Any]
IMPORTS = """
import os, pickle
from fastbleu.nltk import *
from fastbleu.significance import *
from fastbleu.matrix import *
from fastbleu.tokenizers import *
from fastbleu.dialects import *
from fastbleu import *
from fastbleu import dialects, tables
from fastbleu.integrations import evaluate, transformers
from fastbleu.rewards import BLEUReward
"""


@dataclass(frozen=True)
class Entry:
    """One way to call a public name: `call` and `errors` take what `setup` returned."""

    name: str
    setup: Callable[[], State]
    call: Callable[[State], object]
    errors: tuple[Callable[[State], object], ...]
    threads: bool

    @property
    def public_name(self) -> str:
        return self.name.partition(":")[0]

    def calls(self) -> Iterator[tuple[str, Callable[[State], object]]]:
        """The call and the errors, by name."""
        yield self.name, self.call
        for number, error in enumerate(self.errors):
            yield f"{self.name}, error {number}", error


def repeated(block: str) -> list[str]:
    """The block for each of the words between the braces of its name, if there are any."""
    head, words, tail = re.fullmatch(r"([^|\n{]*)(?:\{(\S*?)\})?((?s:.*))", block).groups()  # type: ignore[union-attr]
    if words is None:
        return [block]
    return [f"{head}{word}{tail.replace('WORD', word)}" for word in words.split(",")]


def blocks_of(source: str) -> Iterator[tuple[str, CodeType, int]]:
    """The header of each block, its setup, which makes CALLS too, and how many calls these are."""
    for block in chain.from_iterable(map(repeated, re.split(r"\n(?=\S)", source.strip()))):
        header, first, rest = re.fullmatch(r"(.*?)(?: \| (.*))?(?:\n((?s:.*)))?", block).groups("")
        parsed = ast.parse(f"{first}\n{textwrap.dedent(rest)}")
        code = [part for part in parsed.body if not isinstance(part, ast.Expr)]
        calls = [ast.unparse(part) for part in parsed.body if isinstance(part, ast.Expr)]
        code += ast.parse(f"CALLS = [{', '.join(f'lambda: {call}' for call in calls)}]").body
        yield header, compile(ast.Module(code, []), header, "exec"), len(calls)


def entries(source: str) -> Iterator[Entry]:
    for header, setup, count in blocks_of(source):
        name, alone = re.subn(r" \(alone\)$", "", header)
        call, *errors = [partial(call_of, number) for number in range(count)]
        yield Entry(name, partial(prepared, setup), call, tuple(errors), not alone)


def prepared(setup: CodeType) -> State:
    """The names that a block sees after its setup, and CALLS."""
    state = dict(globals())
    exec(IMPORTS, state)
    exec(setup, state)
    return state


def call_of(number: int, state: State) -> object:
    return state["CALLS"][number]()


# Where users find names: nearest first, as a name is called by the first place that has it. Other
# integrations need their hosts: the tests of these have them.
MODULES = [
    *("fastbleu", "fastbleu.nltk", "fastbleu.sacrebleu", "fastbleu.sacrebleu.metrics"),
    *("fastbleu.significance", "fastbleu.matrix", "fastbleu.tokenizers", "fastbleu.dialects"),
    *("fastbleu.tables", "fastbleu.cli", "fastbleu.rewards", "fastbleu.recipes"),
    *("fastbleu.integrations.evaluate", "fastbleu.integrations.transformers"),
]
PACKAGE = str(Path(fastbleu.__file__).parent)


def public_names() -> Iterator[str]:
    """Every public function and class, and of a class its methods and properties.

    Methods that Python calls by itself are those that the package writes: not what a dataclass is
    given, nor what is inherited from elsewhere.
    """
    seen: list[object] = []
    for module in map(importlib.import_module, MODULES):
        for name in _names_of(module):
            value = getattr(module, name)
            if not callable(value) or any(value is other for other in seen):
                continue
            seen.append(value)
            yield f"{module.__name__}.{name}"
            if inspect.isclass(value):
                yield from (f"{module.__name__}.{name}.{member}" for member in _members_of(value))


def _names_of(module: ModuleType) -> list[str]:
    """A module's public names: those it lists, or those it defines."""
    if hasattr(module, "__all__"):
        return list(module.__all__)
    # Packages define nothing themselves.
    homes = (module.__name__,)
    if not any(getattr(value, "__module__", None) in homes for value in vars(module).values()):
        homes = ("fastbleu.",)
    return [
        name
        for name, value in sorted(vars(module).items())
        if not name.startswith("_") and str(getattr(value, "__module__", None)).startswith(homes)
    ]


def _members_of(kind: type) -> Iterator[str]:
    for name in dir(kind):
        value = inspect.getattr_static(kind, name)
        special = name.startswith("__") and name not in ("__init__", "__new__")
        if name.startswith("_") and not special:
            continue
        function = getattr(value, "fget", None) or getattr(value, "func", None)
        function = function or getattr(value, "__func__", value)
        code = getattr(function, "__code__", None)
        if code is not None and code.co_filename.startswith(PACKAGE):
            yield name


ALL_ENTRIES = list(entries(SOURCE))
# What cannot be called where pyarrow is not installed.
_LEFT_OUT = ("fastbleu.tables.",) if importlib.util.find_spec("pyarrow") is None else ()
ENTRIES = [entry for entry in ALL_ENTRIES if not entry.name.startswith(_LEFT_OUT)]


def call_all(times: int) -> None:
    """Make every call and every error so often, and print how many that were."""
    warnings.simplefilter("ignore")
    made = 0
    for entry in ENTRIES:
        state = entry.setup()
        for _ in range(times):
            for _, call in entry.calls():
                made += 1
                with suppress(Exception):
                    call(state)
    print(made)
