"""The table of recipes: what evaluation tools compute, a line each. See `Recipe` in recipe.py."""

from __future__ import annotations

from functools import partial
from itertools import product, starmap
from math import isnan, nan
from typing import Any

import numpy

from ..inputs.arguments import known_name
from . import recipe_rows as rows
from . import recipe_tokens as tokens
from ._single_precision import single_precision_score
from .codexglue import CODEXGLUE_SUMMARY
from .nltk import NLTK
from .plain import plain_rows
from .recipe import Recipe
from .scorer import Scorer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..counting.stats import AdaptedRows

LINES: dict[str, Recipe] = {}


def add(names: str, source: str, base: Any, about: str = "", **fields: Any) -> None:
    """Add a line under the first of its names, which are separated by spaces."""
    line = Recipe(names, source, base, about=about, **fields)
    LINES[line.name] = line


def mean(scores: Sequence[float]) -> float:
    return sum(scores) / len(scores)


def unsmoothed_score(rows: AdaptedRows) -> float:
    """nltk's of a corpus."""
    return Scorer(NLTK, 4).scores_of_sums(rows.sum())[0]


def running_mean(scores: Sequence[float]) -> float:
    return rows.running_sum(scores) / len(scores)


def nan_mean(scores: Sequence[float]) -> float:
    known = [score for score in scores if not isnan(score)]
    return float(numpy.mean(known)) if known else nan


# What several lines have.
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
ALONE = "unsmoothed, of each row alone"

average: Any
# fmt: off
for name, file, average in (
    ("metric llamafactory", "src/llamafactory/train/sft/metric.py", numpy.mean),
    ("eval_bleu_rouge", "scripts/eval_bleu_rouge.py", mean),
):
    add(f"llamafactory-{name}", f"hiyouga/LLaMA-Factory@ff6d4d12e {file}", "nltk", "BLEU of "
        "CHARACTERS, spaces included, rounded to 4 decimals before the mean", scale=100.0,
        tokenizer="characters", smoothing="exp", finish=partial(round, ndigits=4), mean=average,
        **FIRST)
add("ms-swift", "modelscope/ms-swift@3602360a5 swift/metrics/nlg.py", "nltk", "jieba's words; "
    "pairs with an empty side are left out of the mean", tokenizer="jieba", smoothing="exp",
    scale=100.0, finish=partial(round, ndigits=6), of_empty=NOTHING, corpus=rows.mean_of_pairs,
    **FIRST)
for n in range(1, 5):
    weights = tuple(float(order == n) for order in range(1, 5))
    words: dict[str, Any] = {"tokenizer": "word_tokenize", "weights": weights}
    if n in (1, 4):
        add(f"lighteval-bleu_{n} lighteval-bleu{n}", f"{LIGHTEVAL}sample.py", "nltk", OF_ONE,
            mean=numpy.mean, **words, **FOUR)
        add(f"helm-bleu_{n} helm-bleu{n}", f"{HELM}evaluate_reference_metrics.py", "nltk",
            f"{OF_ONE}, the largest of any reference", mean=mean,
            rows=partial(tokens.best, "nltk", {"weights": weights}, tokens.pairs), **words)
    add(f"deepeval-bleu{n}", "confident-ai/deepeval@a2e0d4cfd scorer/scorer.py", "nltk", OF_ONE,
        mean=mean, **words)
    add(f"evalscope-bleu-{n} evalscope-bleu{n}", "modelscope/evalscope@fde259d2 "
        "metrics/utils/functions.py", "nltk", f"{OF_ONE}; of Chinese jieba's words",
        tokenizer="evalscope", weights=weights, mean=mean, **FIRST, **FOUR)
    add(f"parlai-bleu-{n}" + " parlai" * (n == 4), "facebookresearch/ParlAI@a29567f7c "
        "core/metrics.py", "nltk", "without punctuation and articles", tokenizer="parlai",
        max_order=n, smoothing="floor", smoothing_value=1e-12, mean=mean)
add("helm-self_bleu", f"{HELM}disinformation_metrics.py", "sacrebleu", "the mean score of each "
    "hypothesis with the others as its references", tokenizer="whole", tokens=tokens.self_bleu,
    quadratic=True)
add("helm-self_bleu-of-references", f"{HELM}disinformation_metrics.py", "sacrebleu", "the same of "
    "each segment's references", tokenizer="whole", tokens=tokens.self_bleu_of_references,
    mean=mean)
for name, smoothing, average in (
    ("sentence opik", "floor", mean), ("sentence-method0", "none", mean), ("corpus", "floor", None),
):
    add(f"opik-{name}", "opik 2.2.122 heuristics/bleu.py", "nltk", "weights for as many orders as "
        "the longest output has", lowercase=True, smoothing=smoothing, mean=average,
        tokens=partial(tokens.opik, smoothing))
add("azure", "azure-ai-evaluation 1.18.10 _bleu.py", "nltk", "the tokenizer is chosen for each "
    "text: texts with and without é differ in theirs", tokenizer="azure", smoothing="method4",
    mean=mean, **FIRST)
for name, average in (("", numpy.mean), ("-p90", partial(numpy.percentile, q=90))):
    add(f"mlflow{name}", f"mlflow 3.18.0 metrics/metric_definitions.py{BLEU}", "evaluate", ALONE,
        of_empty=NOTHING, mean=average, **FIRST)
add("trulens", f"truera/trulens@97f531aee feedback/groundtruth.py{BLEU}", "evaluate", ALONE,
    of_empty={"hypothesis": None, "reference": nan}, mean=mean, **FIRST)
add("lm-eval-careqa", f"{LM_EVAL}tasks/careqa/utils_open.py{BLEU}", "evaluate", f"{ALONE}; 0 "
    "becomes 0.00001", finish=lambda score: score or 1e-05, of_empty=dict.fromkeys(NOTHING, nan),
    mean=nan_mean, **FIRST, **FOUR)
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
    "with a single reference", tokenizer="intl", mean=mean,
    rows=partial(tokens.best, "sacrebleu", {}, tokens.pairs), **FOUR)
for name, file in (("", "collections/_bleu_score.py"), ("-legacy", "_bleu_score.py")):
    add(f"ragas{name}", f"explodinggradients/ragas@3e28e9de metrics/{file}", "sacrebleu",
        "the FIRST sentence of a response; the sentences of the reference are alternatives",
        tokenizer="sentences", scale=1.0, rows=tokens.ragas, mean=nan_mean, **FIRST, **FOUR)
for name in ("English flores", "Japanese", "Chinese"):
    add(f"opencompass-pmmeval-flores-{name}", f"{COMPASS}datasets/PMMEval/flores.py", "sacrebleu",
        "the best run of neighboring lines, 13a twice, rounded", tokenizer="lines",
        smoothing="none", finish=partial(round, ndigits=2), _printed="%.2f",
        rows=partial(tokens.flores, name.split()[0]), **FIRST)
for version, early in (("0.123.1 promptfoo", False), ("0.121.14", True)):
    add(f"promptfoo-{version}", f"promptfoo {version.split()[0]} assertions/bleu.ts",
        partial(rows.promptfoo, early),
        "matches of each order with its best reference" + "; short outputs are rewarded" * early,
        tokenizer="promptfoo", mean=mean, rows=partial(tokens.promptfoo, early),
        of_empty={"hypothesis": None if early else 0.0})
for smoothing, macro in product(("no_smooth", "smooth1", "nltk_smooth2", "smooth2"), (True, False)):
    add(f"ignite-{smoothing}-{'macro' if macro else 'micro'}", "pytorch/ignite@de08e799c "
        "metrics/nlp/bleu.py", partial(rows.ignite, smoothing, macro),
        "the mean of sentences" * macro, mean=running_mean if macro else None)
for smoothing in ("exp tensorbleu", "none", "floor", "add-k"):
    method = smoothing.split()[0]
    add(f"tensorbleu-{smoothing}", "RxAI-dev/rxlm@bed8777 metrics/tensorbleu.py",
        partial(rows.tensorbleu, method), "of a corpus the orders that all hypotheses are long "
        "enough for", reference_length="first", tokens=partial(tokens.tensorbleu, method))
add("metrax", "google/metrax@1f11510 nlp_metrics.py", partial(rows.keras_hub, 0),
    reference_length="shortest", of_empty=NOTHING)
for name, tokenizer in (("2 nemo", "whisper"), ("2-normalize=False", "13a")):
    add(f"nemo-speechlm{name}", "NVIDIA/NeMo@8cfedd7203 speechlm2/parts/metrics/bleu.py",
        "sacrebleu", "normalized by Whisper's rules" * (tokenizer == "whisper"),
        tokenizer=tokenizer, finish=rows.to_float32, **FIRST)
for name, tokenizer in (
    ("", "13a"), ("-smooth", "13a"), ("-lowercase", "13a-lowered"),
    *((f"-{its}", its) for its in ("intl", "char", "zh", "none")),
):
    add(f"torchmetrics-sacre_bleu{name}", "torchmetrics 1.9.0 sacre_bleu_score", "torchmetrics",
        "without sacreBLEU's smoothing; the first of equally close references", tokenizer=tokenizer,
        **{"smoothing": "add-k"} if name == "-smooth" else {})
add("crystalbleu", "crystalbleu 0.2", "nltk")
for n in (5, 20):
    add(f"crystalbleu-ignoring-{n}", "crystalbleu 0.2", "nltk", f"without the {n} most common "
        "n-grams of the references", rows=partial(tokens.crystalbleu, n), of_corpus=True)
add("multiwoz-nlp multiwoz", "budzianowski/multiwoz@fe0c8e6 utils/nlp.py", rows.multiwoz, "marks "
    "around a hypothesis and its first reference", reference_length="first",
    rows=partial(tokens.multiwoz, True))
add("multiwoz-evaluate", "budzianowski/multiwoz@fe0c8e6 evaluate.py", rows.multiwoz, "a hypothesis "
    "is ONE token, a reference its characters", tokenizer="turn", reference_length="first",
    of_empty={"hypothesis": None}, rows=partial(tokens.multiwoz, False))
add("nematus", "EdinburghNLP/nematus@49d0508 metrics/sentence_bleu.py", rows.nematus, mean=mean,
    **FIRST)
of_codesum = CODEXGLUE_SUMMARY._sentence
for name, of_empty in (("codenn", {"hypothesis": None}), ("codebert", {})):
    add(f"codesum-{name}", CODESUM, of_codesum, "the mean of sentences", scale=100.0,
        tokenizer="codesum", of_empty=of_empty,
        corpus=lambda its: rows.running_sum(starmap(of_codesum, plain_rows(its))) * 100 / len(its),
        **FIRST)
for name, average in (("", None), ("-average", mean)):
    about = "the mean of sentences" if average else ""
    add(f"codesum-rencos{name}", CODESUM, "coco", about, mean=average)
    add(f"codesum-google-smooth{name}", CODESUM, "tf-nmt", about, smoothing="add-1", mean=average,
        of_empty=NOTHING, **FIRST)
    for method, smoothing in (("", "none"), ("-smooth2", "add-k"), ("-smooth4", "method4")):
        unsmoothed = method == "-smooth4" and not average
        add(f"codesum-nltk{method}{name}", CODESUM, "nltk",
            about or "a corpus without smoothing" * unsmoothed, smoothing=smoothing, mean=average,
            corpus=unsmoothed_score if unsmoothed else None, **FIRST)
for length, (name, added) in product(
    ("closest", "shortest", "average"), (("mert", 0), ("sentence-bleu moses-sentence", 1))
):
    add(f"moses-{name}" if length == "closest" else f"moses-{name.split()[0]}-reflen:{length}",
        "moses-smt/mosesdecoder@34452895f mert", partial(single_precision_score, added),
        "1 added to all orders" * added, tokenizer="moses", mean=mean if added else None,
        reference_length="shortest" if length == "shortest" else "closest",
        rows=tokens.average_length if length == "average" else None)
for name in ("closest joshua", "shortest"):
    add(f"joshua-{name}", "apache/joshua@716cc81a metrics/BLEU.java", rows.joshua,
        tokenizer="joshua", reference_length=name.split()[0])
add("joshua-decoder", "apache/joshua@716cc81a decoder/BLEU.java", rows.joshua, "the mean length of "
    "references", tokenizer="joshua-decoder", tokens=tokens.joshua_decoder, mean=mean)
add("get_ende_bleu compound-split", "tensorflow/tensor2tensor@315647cdb utils/get_ende_bleu.sh",
    "multi-bleu", "text that Moses' tokenizer has split, with compounds split at hyphens",
    tokenizer="compound-split", _printed="%.2f")
add("multeval", "jhclark/multeval@bd93ed1 jbleu/JBLEU.java", rows.multeval, tokenizer="multeval",
    scale=100.0, _printed="%.1f")
PHRASAL = "stanfordnlp/phrasal@be69585b mt/metrics/BLEUMetric.java"
for name, about, whole in (
    ("", "unsmoothed, except for a single segment",
     lambda its: rows.phrasal(len(its) == 1, *next(plain_rows(its.sum())))),
    ("-smooth", "the mean of sentences", rows.phrasal_mean),
):
    add(f"phrasal{name}", PHRASAL, partial(rows.phrasal, 1), about, tokenizer="phrasal",
        reference_length="first", of_empty={"hypothesis": 0.0}, corpus=whole)
add("phrasal-local", PHRASAL, partial(rows.phrasal, 1), "the mean of sentences", mean=mean,
    tokenizer="joshua-decoder", reference_length="first", of_empty={"hypothesis": nan})
for name, tokenizer in (("", "marian"), ("-words", "moses")):
    add(f"marian{name}", "marian-nmt/marian-dev@c9f287db training/validator.h",
        partial(single_precision_score, 0), tokenizer=tokenizer, scale=100.0,
        finish=rows.to_float32, **FIRST)
add("allennlp", "allenai/allennlp@80fb606 training/metrics/bleu.py", rows.allennlp,
    of_empty={"hypothesis": 0.0}, **FIRST)
add("paddlenlp", "paddlenlp 2.8.1 metrics/bleu.py", rows.paddlenlp, of_empty={"hypothesis": None})
add("torchtext", "pytorch/text@a5e6106 data/metrics.py", rows.torchtext, reference_length="first")
for name, added in (("", 0), ("-smooth", 1)):
    add(f"keras-hub{name}", "keras-hub 0.32.0 metrics/bleu.py", partial(rows.keras_hub, added),
        tokenizer="keras-hub", reference_length="shortest")
# fmt: on

# All names of recipes.
NAMES = LINES | {name: line for line in LINES.values() for name in line.short}


def find(stem: str, version: str) -> Recipe | None:
    """The recipe of a name and, unless it is "", a version; None if there is none."""
    line = NAMES.get(known_name(stem, NAMES) or "")
    if not version:
        return line
    lines = [line] if line else []
    lines += [one for one in LINES.values() if known_name(f"{stem}-{one.number}", [one.name])]
    # A version is also that of its patches: 0.121 of 0.121.14.
    return next((one for one in lines if f"{one.number}.".startswith(f"{version}.")), None)
