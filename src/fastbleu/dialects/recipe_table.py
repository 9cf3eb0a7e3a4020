"""The table of recipes: what evaluation tools compute, a line each. See `Line` in recipe.py."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, partial
from itertools import product
from math import isnan, nan

import numpy

from ..counting.stats import Stats
from . import recipe_rows as rows
from . import recipe_tokens as tokens
from .codexglue import CODEXGLUE_SUMMARY
from .nltk import NLTK
from .recipe import Line, Recipe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .plain import Row

# From the scores of sentences, and their rows, to that of a corpus.


def mean(scores: Sequence[float], its: Sequence[Row]) -> float:
    return sum(scores) / len(scores)


def running_mean(scores: Sequence[float], its: Sequence[Row]) -> float:
    """The mean of tools that add up themselves."""
    return rows.running_sum(scores) / len(scores)


def numpy_mean(scores: Sequence[float], its: Sequence[Row]) -> float:
    return float(numpy.mean(scores))


def percentile_90(scores: Sequence[float], its: Sequence[Row]) -> float:
    return float(numpy.percentile(scores, 90))


def nan_mean(scores: Sequence[float], its: Sequence[Row]) -> float:
    known = [score for score in scores if not isnan(score)]
    return numpy_mean(known, its) if known else nan


def mean_of_pairs(scores: Sequence[float], its: Sequence[Row]) -> float:
    """ms-swift's, of scores before they are rounded; pairs with an empty side are left out."""
    pairs = [[c, r, *m, *t] for c, r, m, t in its if c and r]
    found = NLTK.sentence_scores(Stats(pairs, 4), None, "exp") if pairs else [0.0]
    return round(sum(found) / len(found) * 100, 6)


def mean_of_codesum(scores: Sequence[float], its: Sequence[Row]) -> float:
    """The sum times 100 before it is divided."""
    raw = [CODEXGLUE_SUMMARY._sentence(*row) for row in its]
    return rows.running_sum(raw) * 100.0 / len(raw)


def mean_unless_empty(scores: Sequence[float], its: Sequence[Row]) -> float:
    """Phrasal's mean, which an empty hypothesis makes 0."""
    return running_mean(scores, its) if all(c for c, *_ in its) else 0.0


def phrasal_corpus(scores: Sequence[float], its: Sequence[Row]) -> float:
    """Phrasal's score of the sums; a corpus of one segment is smoothed."""
    return scores[0] if len(its) == 1 else rows.phrasal(0, *rows.summed(its))


def unsmoothed(scores: Sequence[float], its: Sequence[Row]) -> float:
    """nltk's corpus score, whatever sentences are smoothed by."""
    c, r, matches, totals = rows.summed(its)
    return NLTK.score(Stats([[c, r, *matches, *totals]], 4)).value


LINES: dict[str, Line] = {}


def add(names: str, source: str, base: Any, about: str = "", **fields: Any) -> None:
    """Add a line under the first of its names, which are separated by spaces."""
    name, *short = names.split()
    LINES[name] = Line(source, base, about, short=tuple(short), **fields)


# What several lines have.
LLAMA = {
    "tokenizer": "characters",
    "options": {"smoothing": "exp"},
    "finish": partial(round, ndigits=4),
}
FIRST: dict[str, Any] = {"references": "first"}
NOTHING = {"hypothesis": 0.0, "reference": 0.0}
SUMMED: dict[str, Any] = {"scale": 100.0, "tokenizer": "13a"}
EVALUATE: dict[str, Any] = {"tokenizer": "evaluate", "reference_length": "shortest", **FIRST}
LM_EVAL = "EleutherAI/lm-evaluation-harness@4e7e0d47f "
COMPASS = "open-compass/opencompass@a5acc4bb icl_evaluator/hf_metrics/sacrebleu.py"
HELM = "stanford-crfm/helm@63754d05d "
BLEU = ", by huggingface/evaluate@a7dd338 bleu"
CODESUM = "DeepSoftwareAnalytics/CodeSumEvaluation@6cd87bb metrics/bleu"

# fmt: off
for name, file, average in (
    ("metric llamafactory", "src/llamafactory/train/sft/metric.py", numpy_mean),
    ("eval_bleu_rouge", "scripts/eval_bleu_rouge.py", mean),
):
    add(f"llamafactory-{name}", f"hiyouga/LLaMA-Factory@ff6d4d12e {file}", "nltk",
        "BLEU of CHARACTERS, spaces included, rounded to 4 decimals before the mean",
        scale=100.0, mean=average, **LLAMA, **FIRST)
add("ms-swift", "modelscope/ms-swift@3602360a5 swift/metrics/nlg.py", "nltk",
    "jieba's words; pairs with an empty side are left out of the mean", tokenizer="jieba",
    options={"smoothing": "exp"}, scale=100.0, finish=partial(round, ndigits=6),
    of_empty=NOTHING, mean=mean_of_pairs, **FIRST)
of_one = "BP times the precision of that order alone"
for n in range(1, 5):
    of_order = {"weights": tuple(float(order == n) for order in range(1, 5))}
    words: dict[str, Any] = {"tokenizer": "word_tokenize", "options": of_order}
    if n in (1, 4):
        add(f"lighteval-bleu_{n} lighteval-bleu{n}", "huggingface/lighteval@3fd15266 "
            "metrics/metrics_sample.py", "nltk", of_one, mean=numpy_mean, printed="%.4f", **words)
        add(f"helm-bleu_{n} helm-bleu{n}", HELM + "evaluate_reference_metrics.py", "nltk",
            f"{of_one}, the largest of any reference", mean=mean,
            rows=partial(tokens.best_reference, "nltk", of_order), **words)
    add(f"deepeval-bleu{n}", "confident-ai/deepeval@a2e0d4cfd scorer/scorer.py", "nltk", of_one,
        mean=mean, **words)
    add(f"evalscope-bleu-{n} evalscope-bleu{n}", "modelscope/evalscope@fde259d2 "
        "metrics/utils/functions.py", "nltk", f"{of_one}; of Chinese jieba's words", mean=mean,
        tokenizer="evalscope", options=of_order, printed="%.4f", **FIRST)
    add(f"parlai-bleu-{n}" + " parlai" * (n == 4), "facebookresearch/ParlAI@a29567f7c "
        "core/metrics.py", "nltk", "without punctuation and articles", tokenizer="parlai",
        max_order=n, options={"smoothing": "floor", "smoothing_value": 1e-12}, mean=mean)
add("helm-self_bleu", HELM + "disinformation_metrics.py", "sacrebleu",
    "the mean score of each hypothesis with the others as its references", tokenizer="whole",
    scale=100.0, tokens=tokens.self_bleu, quadratic=True)
add("helm-self_bleu-of-references", HELM + "disinformation_metrics.py", "sacrebleu",
    "the same of each segment's references", tokenizer="whole", scale=100.0,
    tokens=tokens.self_bleu_of_references, mean=mean)
for name, smoothing, per_sample in (
    ("sentence opik", "floor", mean), ("sentence-method0", "none", mean), ("corpus", "floor", None),
):
    add(f"opik-{name}", "opik 2.2.122 heuristics/bleu.py", "nltk",
        "weights for as many orders as the longest output has", lowercase=True,
        options={"smoothing": smoothing}, tokens=partial(tokens.opik, smoothing), mean=per_sample)
add("azure", "azure-ai-evaluation 1.18.10 _bleu.py", "nltk",
    "the tokenizer is chosen for each text: texts with and without é differ in theirs",
    tokenizer="azure", options={"smoothing": "method4"}, mean=mean, **FIRST)
ALONE = "unsmoothed, of each row alone"
add("mlflow", "mlflow 3.18.0 metrics/metric_definitions.py" + BLEU, "evaluate", ALONE,
    of_empty=NOTHING, mean=numpy_mean, **EVALUATE)
LINES["mlflow-p90"] = LINES["mlflow"]._replace(mean=percentile_90)
add("trulens", "truera/trulens@97f531aee feedback/groundtruth.py" + BLEU, "evaluate", ALONE,
    of_empty={"hypothesis": None, "reference": nan}, mean=mean, **EVALUATE)
add("lm-eval-careqa", LM_EVAL + "tasks/careqa/utils_open.py" + BLEU, "evaluate",
    f"{ALONE}; 0 becomes 0.00001", finish=lambda score: score or 1e-05,
    of_empty={"hypothesis": nan, "reference": nan}, mean=nan_mean, printed="%.4f", **EVALUATE)
add("lm-eval", LM_EVAL + "api/metrics.py", "sacrebleu",
    "all segments are cut to the smallest number of references", references="fewest",
    printed="%.4f", **SUMMED)
for name, source, printed in (
    ("lm-eval-one-reference", LM_EVAL + "api/metrics.py", "%.4f"), ("opencompass", COMPASS, "%.2f"),
    ("lighteval-bleu", "huggingface/lighteval@3fd15266 metrics/metrics_corpus.py", "%.4f"),
):
    add(name, source, "sacrebleu", "sacreBLEU with the first reference", printed=printed, **SUMMED,
        **FIRST)
add("opencompass-references", COMPASS, "sacrebleu", "sacreBLEU", printed="%.2f", **SUMMED)
add("lm-eval-truthfulqa", LM_EVAL + "tasks/truthfulqa/utils.py", "sacrebleu",
    "the largest score with a single reference", tokenizer="intl", scale=100.0,
    rows=partial(tokens.best_reference, "sacrebleu", {}), mean=mean, printed="%.4f")
for name, file in (("", "collections/_bleu_score.py"), ("-legacy", "_bleu_score.py")):
    add(f"ragas{name}", f"explodinggradients/ragas@3e28e9de metrics/{file}", "sacrebleu",
        "the FIRST sentence of a response; the sentences of the reference are alternatives",
        tokenizer="sentences", rows=tokens.ragas, mean=nan_mean, printed="%.4f",
        **FIRST)
for name in ("English flores", "Japanese", "Chinese"):
    add(f"opencompass-pmmeval-flores-{name}", "open-compass/opencompass@a5acc4bb datasets/PMMEval/"
        "flores.py", "sacrebleu", "the best run of neighboring lines, 13a twice, rounded",
        tokenizer="lines", scale=100.0, options={"smoothing": "none"},
        finish=partial(round, ndigits=2), rows=partial(tokens.flores, name.split()[0]),
        printed="%.2f", **FIRST)
for version, early in (("0.123.1 promptfoo", False), ("0.121.14", True)):
    add(f"promptfoo-{version}", f"promptfoo {version.split()[0]} assertions/bleu.ts",
        partial(rows.promptfoo, early), "matches of each order with its best reference"
        + "; short outputs are rewarded" * early, tokenizer="promptfoo",
        rows=partial(tokens.promptfoo, early), of_empty={"hypothesis": None if early else 0.0},
        mean=mean)
for smoothing, macro in product(("no_smooth", "smooth1", "nltk_smooth2", "smooth2"), (True, False)):
    add(f"ignite-{smoothing}-{'macro' if macro else 'micro'}", "pytorch/ignite@de08e799c "
        "metrics/nlp/bleu.py", partial(rows.ignite, smoothing, macro),
        "the mean of sentences" * macro, mean=running_mean if macro else None)
for smoothing in ("exp", "none", "floor", "add-k"):
    add(f"tensorbleu-{smoothing}" + " tensorbleu" * (smoothing == "exp"), "RxAI-dev/rxlm@bed8777 "
        "metrics/tensorbleu.py", partial(rows.tensorbleu, smoothing), "of a corpus the orders that "
        "all hypotheses are long enough for", reference_length="first",
        tokens=partial(tokens.tensorbleu, smoothing))
add("metrax", "google/metrax@1f11510 nlp_metrics.py", partial(rows.keras_hub, 0),
    reference_length="shortest", of_empty=NOTHING)
for name, tokenizer in (("2 nemo", "whisper"), ("2-normalize=False", "13a")):
    add(f"nemo-speechlm{name}", "NVIDIA/NeMo@8cfedd7203 speechlm2/parts/metrics/bleu.py",
        "sacrebleu", "normalized by Whisper's rules" * (tokenizer == "whisper"), scale=100.0,
        tokenizer=tokenizer, finish=rows.to_float32, **FIRST)
for name, tokenizer in (
    ("", "13a"), ("-smooth", "13a"), ("-lowercase", "13a-lowered"),
    *((f"-{its}", its) for its in ("intl", "char", "zh", "none")),
):
    add(f"torchmetrics-sacre_bleu{name}", "torchmetrics 1.9.0 sacre_bleu_score", "torchmetrics",
        "without sacreBLEU's smoothing; the first of equally close references",
        tokenizer=tokenizer, reference_length="first",
        options={"smoothing": "add-k"} if name == "-smooth" else {})
add("crystalbleu", "crystalbleu 0.2", "nltk")
for n in (5, 20):
    add(f"crystalbleu-ignoring-{n}", "crystalbleu 0.2", "nltk",
        f"without the {n} most common n-grams of the references",
        rows=partial(tokens.crystalbleu, n))
add("multiwoz-nlp multiwoz", "budzianowski/multiwoz@fe0c8e6 utils/nlp.py", rows.multiwoz,
    "marks around a hypothesis and its first reference", reference_length="first",
    rows=partial(tokens.multiwoz, True))
add("multiwoz-evaluate", "budzianowski/multiwoz@fe0c8e6 evaluate.py", rows.multiwoz,
    "a hypothesis is ONE token, a reference its characters", tokenizer="turn",
    reference_length="first", of_empty={"hypothesis": None},
    rows=partial(tokens.multiwoz, False))
add("nematus", "EdinburghNLP/nematus@49d0508 metrics/sentence_bleu.py", rows.nematus, mean=mean,
    **FIRST)
for name, of_empty in (("codenn", {"hypothesis": None}), ("codebert", {})):
    add(f"codesum-{name}", CODESUM, CODEXGLUE_SUMMARY._sentence, "the mean of sentences",
        tokenizer="codesum", scale=100.0, of_empty=of_empty, mean=mean_of_codesum, **FIRST)
for name, if_any in (("", None), ("-average", mean)):
    about = "the mean of sentences" if if_any else ""
    add(f"codesum-rencos{name}", CODESUM, "coco", about, mean=if_any)
    add(f"codesum-google-smooth{name}", CODESUM, "tf-nmt", about, mean=if_any,
        options={"smoothing": "add-1"}, of_empty=NOTHING, reference_length="shortest", **FIRST)
    for method, smoothing in (("", "none"), ("-smooth2", "add-k"), ("-smooth4", "method4")):
        add(f"codesum-nltk{method}{name}", CODESUM, "nltk", about or "a corpus without smoothing"
            * (smoothing == "method4"), options={"smoothing": smoothing},
            mean=if_any or (unsmoothed if smoothing == "method4" else None), **FIRST)
for length, (name, added) in product(
    ("closest", "shortest", "average"), (("mert", 0), ("sentence-bleu moses-sentence", 1))
):
    add(f"moses-{name}" if length == "closest" else f"moses-{name.split()[0]}-reflen:{length}",
        "moses-smt/mosesdecoder@34452895f mert", partial(rows.moses, added),
        "1 added to all orders" * added, tokenizer="moses", mean=mean if added else None,
        reference_length="shortest" if length == "shortest" else "closest",
        rows=tokens.average_length if length == "average" else None)
for length in ("closest", "shortest"):
    add(f"joshua-{length}" + " joshua" * (length == "closest"), "apache/joshua@716cc81a metrics/"
        "BLEU.java", rows.joshua, tokenizer="joshua", reference_length=length)
add("joshua-decoder", "apache/joshua@716cc81a decoder/BLEU.java", rows.joshua,
    "the mean length of references", tokenizer="joshua-decoder", tokens=tokens.joshua_decoder,
    mean=mean)
add("multeval", "jhclark/multeval@bd93ed1 jbleu/JBLEU.java", rows.multeval, tokenizer="multeval",
    scale=100.0, printed="%.1f")
for name, whole in (("", phrasal_corpus), ("-smooth", mean_unless_empty), ("-local", mean)):
    add(f"phrasal{name}", "stanfordnlp/phrasal@be69585b mt/metrics/BLEUMetric.java",
        partial(rows.phrasal, 1), "the mean of sentences" if name else "unsmoothed, "
        "except for a single segment", reference_length="first", mean=whole,
        of_empty={"hypothesis": nan if name == "-local" else 0.0},
        tokenizer="joshua-decoder" if name == "-local" else "phrasal")
for name, tokenizer in (("", "marian"), ("-words", "moses")):
    add(f"marian{name}", "marian-nmt/marian-dev@c9f287db training/validator.h",
        partial(rows.moses, 0), tokenizer=tokenizer, scale=100.0, finish=rows.to_float32, **FIRST)
add("allennlp", "allenai/allennlp@80fb606 training/metrics/bleu.py", rows.allennlp,
    of_empty={"hypothesis": 0.0}, **FIRST)
add("paddlenlp", "paddlenlp 2.8.1 metrics/bleu.py", rows.paddlenlp, of_empty={"hypothesis": None})
add("torchtext", "pytorch/text@a5e6106 data/metrics.py", rows.torchtext, reference_length="first")
for name, added in (("", 0), ("-smooth", 1)):
    add(f"keras-hub{name}", "keras-hub 0.32.0 metrics/bleu.py", partial(rows.keras_hub, added),
        tokenizer="keras-hub", reference_length="shortest")
# fmt: on

# All names of recipes, and those in the table.
NAMES = {name: name for name in LINES} | {
    name: own for own, line in LINES.items() for name in line.short
}


def find(name: str) -> Recipe | None:
    """The recipe of a name, which may end in "@" and a version; None if there is none."""
    stem, _, version = name.partition("@")
    own = NAMES.get(stem)
    if version:
        versions = {own: LINES[own]} if own else {}
        versions |= {its: line for its, line in LINES.items() if its == f"{stem}-{line.version}"}
        fitting = [its for its, line in versions.items() if line.has_version(version)]
        own = fitting[0] if fitting else None
    return None if own is None else _recipe(own)


@cache
def _recipe(name: str) -> Recipe:
    return Recipe(name, LINES[name])
