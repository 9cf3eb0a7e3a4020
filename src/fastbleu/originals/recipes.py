"""Recipes: dialects for the BLEU of evaluation tools, one table line each.

A tool usually calls another BLEU on its own tokens and averages the scores. So a recipe is the
arithmetic of another dialect, or a formula, with a tokenizer, a choice of references, and a way to
combine sentence scores (recipe_arithmetic.py).
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from itertools import product
from math import nan

from ..core.counting._counted import Counted, Sums
from ..core.counting.counter import Counter
from ..core.counting.stats import AdaptedRows
from ..core.inputs.arguments import known_name
from ..core.scoring.base import (
    PARTS,
    SIGNIFICANCE,
    STATE,
    SUMS,
    TOKENS,
    Dialect,
    Feature,
    ScoreOptions,
)
from ..core.scoring.names import get
from ..core.scoring.nltk import NLTK
from ..core.scoring.sacrebleu import SACREBLEU
from ..core.scoring.score import NoScoreError
from ..core.scoring.scorer import Scorer
from . import recipe_arithmetic as own
from ._single_precision import single_precision_score
from .counters import CountingDialect, FewerReferences, TokenListCounter
from .formulas import OF_SENTENCES, FormulaDialect, Row, codexglue_sentence, no_rows, split_rows
from .recipe_arithmetic import Formula, mean, nan_mean, numpy_mean, running_mean

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..core.counting.stats import Stats
    from .counters import Segment

_OF_TOKENS = no_rows("its score depends on tokens, not only on rows")
_OF_CORPUS = no_rows(PARTS.reason) | {PARTS: PARTS.reason}
_OF_SENTENCES: dict[Feature | str, str] = dict.fromkeys((SUMS, STATE, SIGNIFICANCE), OF_SENTENCES)
# Tokenizers whose tokens are not words.
_OF_TEXTS = "lines", "sentences", "turn", "whole"
_WHOLE_TEXTS = "it splits texts into whole sentences, lines or turns, not into words"
# Tokenizers for text that is already tokenized, besides "none".
_TOKENIZED = "codesum", "joshua", "joshua-decoder", "moses", "multeval", "parlai", "phrasal", "turn"
# What a recipe takes from its base.
_OF_BASE = (
    *("scale", "tokenizer", "cases", "reference_lengths", "max_ngram_order", "minimum_total"),
    "smoothings",
)


class OwnArithmetic(FormulaDialect):
    """The base of a recipe that calls no other BLEU: a function of a row, 0-1."""

    smoothings = {"own": None}
    options = {"smooth_method": "own"}

    def __init__(self, formula: Formula) -> None:
        self.formula = formula

    def _score(self, row: Row, options: ScoreOptions) -> float:
        return self.formula(*row)


class Recipe(CountingDialect):
    """The BLEU of an evaluation tool."""

    about: str  # what to know about the score
    short: Sequence[str]  # further names
    number: str  # the commit or version
    base: Dialect  # has the arithmetic, options and brevity penalty
    changed: Mapping[str, object]  # options that differ from the base's
    # The score if the "reference" or the "hypothesis" has no tokens; None: an error.
    of_empty: Mapping[str, float | None] = {}
    # Applied to the score of a sentence, and to that of a corpus scored by its sums.
    finish: Callable[[float], float] | None = None
    # The score of a corpus from sentence scores and adapted rows; None: from sums.
    corpus: Callable[[Sequence[float], AdaptedRows], float] | None = None
    # The score of each sentence, or (False) only that of the corpus, if they do not come from rows.
    token_scores: Callable[[list[Segment], bool], Sequence[float]] | None = None
    has_bp: bool  # whether a corpus has a brevity penalty; a mean of scores has none
    of_corpus = False  # the counts of a segment depend on all segments
    is_quadratic = False  # its time is quadratic in the number of segments

    def __init__(self, names: str, source: str, base: str | Formula, **fields: Any) -> None:
        self.base = rules = get(base) if isinstance(base, str) else OwnArithmetic(base)
        self.changed = {name: fields.pop(name) for name in rules.options if name in fields}
        vars(self).update({name: getattr(rules, name) for name in _OF_BASE})
        vars(self).update({"has_bp": fields.get("corpus") is None} | fields)
        self.name, *self.short = names.split()
        self.source = source
        repository, *others = source.split()
        self.number = repository.partition("@")[2] or others[0]
        self.version = f"{self.name.removesuffix(f'-{self.number}')}@{self.number}"
        options = {**rules.options, **self.changed}
        if "effective_order" in options:
            options["effective_order"] = False
        self.keeps_tokens = self.token_scores is not None
        if not self.keeps_tokens and self.count_tokens is None:
            self.counter = Counter if self.references == "all" else FewerReferences
        if self.keeps_tokens:  # effective_order needs rows
            options.pop("effective_order", None)
        self.options = options
        self.tokenizers = {self.tokenizer: self.tokenizer}
        self.cases, self.reference_lengths = self.cases[:1], self.reference_lengths[:1]
        self.orders = (self.max_ngram_order,)
        self.of_tokenized_text = rules.of_tokenized_text or self.tokenizer in _TOKENIZED
        if self.of_corpus:
            self.unsupported = _OF_CORPUS
        elif self.counter is TokenListCounter:
            self.unsupported = _OF_TOKENS
        elif self.corpus is not None:
            self.unsupported = _OF_SENTENCES
        if self.corpus is not None:
            self.aggregation = "mean"
        elif not self.unsupported:
            self.aggregation = "sum"
        if self.tokenizer in _OF_TEXTS:
            self.unsupported = {**self.unsupported, TOKENS: _WHOLE_TEXTS}

    @property
    def arithmetic(self) -> Dialect:
        return self if isinstance(self.base, OwnArithmetic) else self.base

    def brevity_penalty(self, hyp_len: int, ref_len: int) -> float:
        """The base's; 0 where the base raises an error, because the recipe may have a score."""
        with suppress(ValueError, ZeroDivisionError):
            return self.base.brevity_penalty(hyp_len, ref_len)
        return 0.0

    def _signature_fields(self, fields: dict[str, Any], options: ScoreOptions) -> dict[str, Any]:
        return fields | {"order": None} | self.base._further_fields()

    def _finished(self, scores: Sequence[float]) -> array[float]:
        """Scores of the base, scaled and rounded as in the recipe."""
        if self.scale != self.base.scale:
            scores = [score * self.scale / self.base.scale for score in scores]
        return array("d", map(self.finish, scores) if self.finish else scores)

    def _score_of_empty(self, hyp_len: int, ref_len: int) -> float | None:
        """The score from `of_empty` if a side has no tokens; None if it must be computed."""
        for side, length in (("reference", ref_len), ("hypothesis", hyp_len)):
            if not length and side in self.of_empty:
                if (score := self.of_empty[side]) is None:
                    raise NoScoreError(f"a {side} has no tokens, which the original refuses")
                return score
        return None

    def adapt(self, stats: Stats) -> AdaptedRows:
        """Rows as the base counts them, such as with multi-bleu's reference length of 9999."""
        return self.base.adapt(stats)

    def _scores(self, adapted: AdaptedRows, options: ScoreOptions) -> array[float]:
        stated: list[float | None] = []
        if self.of_empty:
            stated = [self._score_of_empty(*row[:2]) for row in split_rows(adapted)]
        if stated.count(None) == len(stated):
            return self._finished(self.base._scores(adapted, options))
        scores = array("d")
        for score, row in zip(stated, adapted, strict=True):
            scores.extend(self._scores(row, options) if score is None else [score])
        return scores

    def _segment_scores(self, counted: Counted, options: ScoreOptions) -> Iterable[float]:
        if self.token_scores is not None:
            return self.token_scores(counted.extra or [], True)
        return super()._segment_scores(counted, options)

    def _corpus_score(self, sums: Sums, options: ScoreOptions) -> dict[str, Any]:
        if self.token_scores is not None:
            scores = self.token_scores(sums.extra or [], self.corpus is not None)
            value = scores[0] if self.corpus is None else self.corpus(scores, sums.adapted())
        elif self.corpus is not None:
            rows = self.adapt(sums.rows())
            value = self.corpus(self._scores(rows, options), rows)
        elif self.of_empty:
            return super()._corpus_score(sums, options)
        else:
            attributes = self.base._corpus_score(sums, options)
            return attributes | {"value": self._finished([attributes["value"]])[0]}
        return {"value": value} if self.has_bp else {"value": value, "bp": None}


# The table.

LINES: dict[str, Recipe] = {}
of_corpus: Callable[[Sequence[float], AdaptedRows], float] | None


def add(names: str, source: str, base: Any, about: str = "", **fields: Any) -> None:
    """Add a line; `names` are separated by spaces, and the first is its key."""
    line = Recipe(names, source, base, about=about, **fields)
    LINES[line.name] = line


# Shared by several lines.
FIRST: dict[str, Any] = {"references": "first"}
NOTHING = {"hypothesis": 0.0, "reference": 0.0}
FOUR: dict[str, Any] = {"_printed": "%.4f"}
LM_EVAL = "EleutherAI/lm-evaluation-harness@4e7e0d47f "
LIGHTEVAL = "huggingface/lighteval@3fd15266 metrics/metrics_"
COMPASS = "open-compass/opencompass@a5acc4bb "
HELM = "stanford-crfm/helm@63754d05d "
BLEU = ", by huggingface/evaluate@a7dd338 bleu"
CODESUM = "DeepSoftwareAnalytics/CodeSumEvaluation@6cd87bb metrics/bleu"
OF_ONE = "BP times the precision of that order alone"
ALONE = "unsmoothed, each row alone"

# fmt: off
for name, file, of_corpus in (
    ("metric llamafactory", "src/llamafactory/train/sft/metric.py", numpy_mean),
    ("eval_bleu_rouge", "scripts/eval_bleu_rouge.py", mean),
):
    add(f"llamafactory-{name}", f"hiyouga/LLaMA-Factory@ff6d4d12e {file}", "nltk", "BLEU of "
        "CHARACTERS, spaces included, rounded to 4 decimals before the mean", scale=100.0,
        tokenizer="characters", smooth_method="exp", finish=partial(round, ndigits=4),
        corpus=of_corpus, **FIRST)
add("ms-swift", "modelscope/ms-swift@3602360a5 swift/metrics/nlg.py", "nltk", "jieba's words; "
    "pairs with an empty side are left out of the mean", tokenizer="jieba", smooth_method="exp",
    scale=100.0, finish=partial(round, ndigits=6), of_empty=NOTHING, corpus=own.mean_of_pairs,
    **FIRST)
for n in range(1, 5):
    weights = tuple(float(order == n) for order in range(1, 5))
    words: dict[str, Any] = {"tokenizer": "word_tokenize", "weights": weights}
    if n in (1, 4):
        add(f"lighteval-bleu_{n} lighteval-bleu{n}", f"{LIGHTEVAL}sample.py", "nltk", OF_ONE,
            corpus=numpy_mean, **words, **FOUR)
        add(f"helm-bleu_{n} helm-bleu{n}", f"{HELM}evaluate_reference_metrics.py", "nltk",
            f"{OF_ONE}, the largest of any reference", corpus=mean,
            count_tokens=partial(own.best_reference, Scorer(NLTK, 4, weights)), **words)
    add(f"deepeval-bleu{n}", "confident-ai/deepeval@a2e0d4cfd scorer/scorer.py", "nltk", OF_ONE,
        corpus=mean, **words)
    add(f"evalscope-bleu-{n} evalscope-bleu{n}", "modelscope/evalscope@fde259d2 "
        "metrics/utils/functions.py", "nltk", f"{OF_ONE}; jieba's words for Chinese",
        tokenizer="evalscope", weights=weights, corpus=mean, **FIRST, **FOUR)
    add(f"parlai-bleu-{n}" + " parlai" * (n == 4), "facebookresearch/ParlAI@a29567f7c "
        "core/metrics.py", "nltk", "without punctuation and articles", tokenizer="parlai",
        max_ngram_order=n, smooth_method="floor", smooth_value=1e-12, corpus=mean)
add("helm-self_bleu", f"{HELM}disinformation_metrics.py", "sacrebleu", "the mean score of each "
    "hypothesis with the others as its references", tokenizer="whole", token_scores=own.self_bleu,
    is_quadratic=True, has_bp=False)
add("helm-self_bleu-of-references", f"{HELM}disinformation_metrics.py", "sacrebleu", "the same for "
    "each segment's references", tokenizer="whole", token_scores=own.self_bleu_of_references,
    corpus=mean)
for name, smoothing, of_corpus in (
    ("sentence opik", "floor", mean), ("sentence-method0", "none", mean), ("corpus", "floor", None),
):
    add(f"opik-{name}", "opik 2.2.122 heuristics/bleu.py", "nltk", "weights for as many orders as "
        "the longest output has", cases=(True,), smooth_method=smoothing, corpus=of_corpus,
        token_scores=partial(own.opik, smoothing))
add("azure", "azure-ai-evaluation 1.18.10 _bleu.py", "nltk", "the tokenizer is chosen for each "
    "text: it differs between texts with and without é", tokenizer="azure", smooth_method="method4",
    corpus=mean, **FIRST)
for name, of_corpus in (("", numpy_mean), ("-p90", own.percentile_90)):
    add(f"mlflow{name}", f"mlflow 3.18.0 metrics/metric_definitions.py{BLEU}", "evaluate", ALONE,
        of_empty=NOTHING, corpus=of_corpus, **FIRST)
add("trulens", f"truera/trulens@97f531aee feedback/groundtruth.py{BLEU}", "evaluate", ALONE,
    of_empty={"hypothesis": None, "reference": nan}, corpus=mean, **FIRST)
add("lm-eval-careqa", f"{LM_EVAL}tasks/careqa/utils_open.py{BLEU}", "evaluate", f"{ALONE}; 0 "
    "becomes 0.00001", finish=lambda score: score or 1e-05, of_empty=dict.fromkeys(NOTHING, nan),
    corpus=nan_mean, **FIRST, **FOUR)
add("lm-eval", f"{LM_EVAL}api/metrics.py", "sacrebleu", "all segments are cut to the smallest "
    "number of references", references="fewest", of_corpus=True, **FOUR)
for name, source, printed in (
    ("lm-eval-one-reference", f"{LM_EVAL}api/metrics.py", "%.4f"),
    ("opencompass", f"{COMPASS}icl_evaluator/hf_metrics/sacrebleu.py", "%.2f"),
    ("lighteval-bleu", f"{LIGHTEVAL}corpus.py", "%.4f"),
):
    add(name, source, "sacrebleu", "sacreBLEU with the first reference", _printed=printed, **FIRST)
add("opencompass-references", f"{COMPASS}icl_evaluator/hf_metrics/sacrebleu.py", "sacrebleu",
    "sacreBLEU", _printed="%.2f")
add("lm-eval-truthfulqa", f"{LM_EVAL}tasks/truthfulqa/utils.py", "sacrebleu", "the largest score "
    "with a single reference", tokenizer="intl", corpus=mean,
    count_tokens=partial(own.best_reference, Scorer(SACREBLEU, 4)), **FOUR)
for name, file in (("", "collections/_bleu_score.py"), ("-legacy", "_bleu_score.py")):
    add(f"ragas{name}", f"explodinggradients/ragas@3e28e9de metrics/{file}", "sacrebleu",
        "the FIRST sentence of a response; the sentences of the reference are alternatives",
        tokenizer="sentences", scale=1.0, count_tokens=own.ragas, corpus=nan_mean, **FIRST, **FOUR)
for name in ("English flores", "Japanese", "Chinese"):
    add(f"opencompass-pmmeval-flores-{name}", f"{COMPASS}datasets/PMMEval/flores.py", "sacrebleu",
        "the best run of neighboring lines, 13a twice, rounded", tokenizer="lines",
        smooth_method="none", finish=partial(round, ndigits=2), _printed="%.2f",
        count_tokens=partial(own.flores, name.split()[0]), **FIRST)
for version, early in (("0.123.1 promptfoo", False), ("0.121.14", True)):
    add(f"promptfoo-{version}", f"promptfoo {version.split()[0]} assertions/bleu.ts",
        partial(own.promptfoo, early),
        "matches of each order with its best reference" + "; short outputs are rewarded" * early,
        tokenizer="promptfoo", corpus=mean, count_tokens=partial(own.promptfoo_rows, early),
        of_empty={"hypothesis": None if early else 0.0})
for smoothing, macro in product(("no_smooth", "smooth1", "nltk_smooth2", "smooth2"), (True, False)):
    add(f"ignite-{smoothing}-{'macro' if macro else 'micro'}", "pytorch/ignite@de08e799c "
        "metrics/nlp/bleu.py", partial(own.ignite, smoothing, macro),
        "the mean of sentences" * macro, corpus=running_mean if macro else None)
for smoothing in ("exp tensorbleu", "none", "floor", "add-k"):
    method = smoothing.split()[0]
    add(f"tensorbleu-{smoothing}", "RxAI-dev/rxlm@bed8777 metrics/tensorbleu.py",
        partial(own.tensorbleu, method), "a corpus uses the orders that all hypotheses are "
        "long enough for", reference_lengths=("first",),
        token_scores=partial(own.tensorbleu_scores, method))
add("metrax", "google/metrax@1f11510 nlp_metrics.py", partial(own.keras_hub, 0),
    reference_lengths=("shortest",), of_empty=NOTHING)
for name, tokenizer in (("2 nemo", "whisper"), ("2-normalize=False", "13a")):
    add(f"nemo-speechlm{name}", "NVIDIA/NeMo@8cfedd7203 speechlm2/parts/metrics/bleu.py",
        "sacrebleu", "normalized by Whisper's rules" * (tokenizer == "whisper"),
        tokenizer=tokenizer, finish=own.to_float32, **FIRST)
for name, tokenizer in (
    ("", "13a"), ("-smooth", "13a"), ("-lowercase", "13a-lowered"),
    *((f"-{tokenizer}", tokenizer) for tokenizer in ("intl", "char", "zh", "none")),
):
    add(f"torchmetrics-sacre_bleu{name}", "torchmetrics 1.9.0 sacre_bleu_score", "torchmetrics",
        "without sacreBLEU's smoothing; the first of equally close references", tokenizer=tokenizer,
        **{"smooth_method": "add-k"} if name == "-smooth" else {})
add("crystalbleu", "crystalbleu 0.2", "nltk")
for n in (5, 20):
    add(f"crystalbleu-ignoring-{n}", "crystalbleu 0.2", "nltk", f"without the {n} most common "
        "n-grams of the references", count_tokens=partial(own.crystalbleu, n), of_corpus=True)
add("multiwoz-nlp multiwoz", "budzianowski/multiwoz@fe0c8e6 utils/nlp.py", own.multiwoz, "marks "
    "around a hypothesis and its first reference", reference_lengths=("first",),
    count_tokens=partial(own.multiwoz_rows, True))
add("multiwoz-evaluate", "budzianowski/multiwoz@fe0c8e6 evaluate.py", own.multiwoz, "a hypothesis "
    "is ONE token, a reference its characters", tokenizer="turn", reference_lengths=("first",),
    of_empty={"hypothesis": None},
    count_tokens=partial(own.multiwoz_rows, False))
add("nematus", "EdinburghNLP/nematus@49d0508 metrics/sentence_bleu.py", own.nematus, corpus=mean,
    **FIRST)
for name, of_empty in (("codenn", {"hypothesis": None}), ("codebert", {})):
    add(f"codesum-{name}", CODESUM, codexglue_sentence, "the mean of sentences", scale=100.0,
        tokenizer="codesum", of_empty=of_empty, corpus=own.codexglue_corpus, **FIRST)
for name, of_corpus in (("", None), ("-average", mean)):
    about = "the mean of sentences" if of_corpus else ""
    add(f"codesum-rencos{name}", CODESUM, "coco", about, corpus=of_corpus)
    add(f"codesum-google-smooth{name}", CODESUM, "tf-nmt", about, smooth_method="add-1",
        corpus=of_corpus, of_empty=NOTHING, **FIRST)
    for method, smoothing in (("", "none"), ("-smooth2", "add-k"), ("-smooth4", "method4")):
        unsmoothed = method == "-smooth4" and not of_corpus
        add(f"codesum-nltk{method}{name}", CODESUM, "nltk",
            about or "a corpus without smoothing" * unsmoothed, smooth_method=smoothing,
            corpus=own.unsmoothed_score if unsmoothed else of_corpus, has_bp=not of_corpus, **FIRST)
for length, (name, added) in product(
    ("closest", "shortest", "average"), (("mert", 0), ("sentence-bleu moses-sentence", 1))
):
    add(f"moses-{name}" if length == "closest" else f"moses-{name.split()[0]}-reflen:{length}",
        "moses-smt/mosesdecoder@34452895f mert", partial(single_precision_score, added),
        "1 added to all orders" * added, tokenizer="moses", corpus=mean if added else None,
        reference_lengths=("shortest" if length == "shortest" else "closest",),
        count_tokens=own.average_length if length == "average" else None)
for name in ("closest joshua", "shortest"):
    add(f"joshua-{name}", "apache/joshua@716cc81a metrics/BLEU.java", own.joshua,
        tokenizer="joshua", reference_lengths=(name.split()[0],))
add("joshua-decoder", "apache/joshua@716cc81a decoder/BLEU.java", own.joshua, "the mean length of "
    "references", tokenizer="joshua-decoder", token_scores=own.joshua_decoder, corpus=mean)
add("get_ende_bleu compound-split", "tensorflow/tensor2tensor@315647cdb utils/get_ende_bleu.sh",
    "multi-bleu", "text that Moses' tokenizer has split, with compounds split at hyphens",
    tokenizer="compound-split", _printed="%.2f")
add("multeval", "jhclark/multeval@bd93ed1 jbleu/JBLEU.java", own.multeval, tokenizer="multeval",
    scale=100.0, _printed="%.1f")
PHRASAL = "stanfordnlp/phrasal@be69585b mt/metrics/BLEUMetric.java"
for name, about, of_corpus in (
    ("", "unsmoothed, except for a single segment", own.phrasal_score),
    ("-smooth", "the mean of sentences", own.phrasal_mean),
):
    add(f"phrasal{name}", PHRASAL, partial(own.phrasal, 1), about, tokenizer="phrasal",
        reference_lengths=("first",), of_empty={"hypothesis": 0.0}, corpus=of_corpus,
        has_bp=not name)
add("phrasal-local", PHRASAL, partial(own.phrasal, 1), "the mean of sentences", corpus=mean,
    tokenizer="joshua-decoder", reference_lengths=("first",), of_empty={"hypothesis": nan})
for name, tokenizer in (("", "marian"), ("-words", "moses")):
    add(f"marian{name}", "marian-nmt/marian-dev@c9f287db training/validator.h",
        partial(single_precision_score, 0), tokenizer=tokenizer, scale=100.0,
        finish=own.to_float32, **FIRST)
add("allennlp", "allenai/allennlp@80fb606 training/metrics/bleu.py", own.allennlp,
    of_empty={"hypothesis": 0.0}, **FIRST)
add("paddlenlp", "paddlenlp 2.8.1 metrics/bleu.py", own.paddlenlp, of_empty={"hypothesis": None})
add("torchtext", "pytorch/text@a5e6106 data/metrics.py", own.torchtext,
    reference_lengths=("first",))
for name, added in (("", 0), ("-smooth", 1)):
    add(f"keras-hub{name}", "keras-hub 0.32.0 metrics/bleu.py", partial(own.keras_hub, added),
        tokenizer="keras-hub", reference_lengths=("shortest",))
# fmt: on

# Recipes by all their names.
NAMES = LINES | {name: line for line in LINES.values() for name in line.short}


def find(stem: str, version: str) -> Recipe | None:
    """The recipe with this name and version ("": any); None if there is none."""
    line = NAMES.get(known_name(stem, NAMES) or "")
    if not version:
        return line
    lines = [line] if line else []
    lines += [line for line in LINES.values() if known_name(f"{stem}-{line.number}", [line.name])]
    # A version includes its patches: 0.121 finds 0.121.14.
    return next((line for line in lines if f"{line.number}.".startswith(f"{version}.")), None)
