"""Evaluation tools, unedited, with and without `fastbleu.patch`: rows of docs/guides/patching.md.

A tool that is not installed is downloaded from PyPI (tools/packages.py). Without network, HUB names
a folder with the scripts `bleu` and `sacrebleu` of the hub for evaluate, MLflow. Times are CPU
seconds: of the calls of BLEU in the tool, and of its whole function.
"""

import importlib
import io
import os
import sys
import warnings
from contextlib import ExitStack, contextmanager, nullcontext, redirect_stdout
from functools import partial
from importlib.metadata import distributions, version
from importlib.util import find_spec
from pathlib import Path
from pkgutil import resolve_name
from time import process_time
from types import SimpleNamespace
from unittest import mock

from cases import FEW
from workloads import in_script

sys.path.append(str(Path(__file__).resolve().parents[1] / "tools"))

from packages import FOLDER, load, nltk_data, unpacked

SEGMENTS = 200

os.environ.setdefault("DISABLE_MULTIPROC", "1")  # lm-eval resamples in this process
os.environ.setdefault("HF_HOME", str(FOLDER / "hub"))


#: Of tools that are downloaded: other files of them that compute, pure Python that they compute
#: with, and packages that BLEU does not need.
REAL = ["lm_eval.api.registry", "lighteval.utils.utils", "mlflow.metrics.base"]
REAL += ["swift.metrics.utils"]
ROUGE = ("jieba", "rouge-chinese", "rouge", "six")
NEEDS = {"llamafactory": ROUGE, "ms-swift": ROUGE, "evalscope": ("jieba",)}
STUBS = {"sklearn", "pytablewriter", "rouge_score", "editdistance", "_opik"}

METRICS = "lighteval.metrics.metrics"
OPIK = "opik.evaluation.metrics.heuristics.bleu"
EVALSCOPE = "evalscope.metrics.utils.functions"
SIMULEVAL = "simuleval.evaluator.scorers.quality_scorer"
INSTALLED = ("evaluate", "torchmetrics", "pytorch-ignite", "mbrs")
#: The function of BLEU in a tool that does other work, too.
NLTK = "nltk.translate.bleu_score.sentence_bleu"
SACREBLEU = "sacrebleu.corpus_bleu"
SACREBLEU_METRIC = "sacrebleu.BLEU.corpus_score"


TOOLS = []


def tool(name, package, module, function, inner=None, **options):
    """Add a tool: ``make(module, hypotheses, references, **options)`` returns the call to time.

    There is a list of references for each hypothesis.
    """

    def add(make):
        TOOLS.append((name, package, module, function, inner, partial(make, **options)))
        return make

    return add


def for_each(score):
    """Call ``score(module, hypothesis, references)`` for each segment."""

    def make(module, hypotheses, references):
        pairs = list(zip(hypotheses, references, strict=True))
        return lambda: [score(module, text, golds) for text, golds in pairs]

    return make


def first_of(references):
    return [golds[0] for golds in references]


@tool("lm-eval", "lm-eval", "lm_eval.api.metrics", "`bleu`, 100 resamples", SACREBLEU)
def lm_eval(metrics, hypotheses, references):
    items = list(zip(references, hypotheses, strict=True))
    error = metrics.stderr_for_metric(metrics.bleu, 100)

    def call():
        with redirect_stdout(io.StringIO()):
            return metrics.bleu(items), error(items)

    return call


@tool("LLaMA-Factory", "llamafactory", "llamafactory.train.sft.metric", "`ComputeSimilarity`", NLTK)
def llamafactory(metric, hypotheses, references):
    import numpy

    metric.numpify = numpy.asarray
    # Its tokenizer gives both sides, whatever is decoded.
    predictions = SimpleNamespace(predictions=numpy.ones((1, 1)), label_ids=numpy.ones((1, 1)))

    def call():
        sides = iter([hypotheses, first_of(references)])
        tokenizer = SimpleNamespace(pad_token_id=0, batch_decode=lambda *_, **__: next(sides))
        return metric.ComputeSimilarity(tokenizer)(predictions)["bleu-4"]

    return call


@tool("ms-swift", "ms-swift", "swift.metrics.nlg", "`compute_rouge_bleu`", NLTK)
def swift(metric, hypotheses, references):
    return lambda: metric.compute_rouge_bleu(hypotheses, first_of(references))["bleu-4"]


def document(golds, text):
    """What lighteval calls a document."""
    return SimpleNamespace(golds=golds, preds=text, final_text=[text], get_golds=lambda: golds)


@tool("lighteval", "lighteval", METRICS + "_sample", "`bleu_4`", NLTK)
def lighteval(module, hypotheses, references):
    import nltk

    nltk.download = lambda *_: None
    metric, docs = module.BLEU(4), list(map(document, references, hypotheses))
    return lambda: [metric.compute(doc, doc) for doc in docs]


@tool("lighteval", "lighteval", METRICS + "_corpus", "`bleu` of a corpus", SACREBLEU_METRIC)
def lighteval_corpus(module, hypotheses, references):
    docs = list(map(document, references, hypotheses))
    return lambda: module.CorpusLevelTranslationMetric("bleu").compute_corpus(docs)


@tool("HELM", "crfm-helm", "helm.benchmark.metrics.evaluate_reference_metrics", "`bleu_4`", NLTK)
@for_each
def helm(module, text, golds):
    return max(module.bleu_4(gold, text) for gold in golds)


@tool("DeepEval", "deepeval", "deepeval.scorer.scorer", "`sentence_bleu_score`", NLTK)
@for_each
def deepeval(module, text, golds):
    return module.Scorer.sentence_bleu_score(golds, text, "bleu4")


@tool("EvalScope", "evalscope", EVALSCOPE, "`bleu_ngram_one_sample`", NLTK)
@for_each
def evalscope(module, text, golds):
    return module.bleu_ngram_one_sample(text, golds[0])


@tool("Opik", "opik", OPIK, "`SentenceBLEU`", NLTK)
@for_each
def opik(module, text, golds):
    return module.SentenceBLEU().score(text, golds).value


@tool("Opik", "opik", OPIK, "`CorpusBLEU`", f"{OPIK}.nltk_bleu_score.corpus_bleu")
def opik_corpus(module, hypotheses, references):
    # In nltk itself another function in this place would make patched ones slow.
    module.nltk_bleu_score = SimpleNamespace(**vars(module.nltk_bleu_score))
    return lambda: module.CorpusBLEU().score(hypotheses, references).value


@tool("MLflow", "mlflow", "mlflow.metrics.metric_definitions", "`bleu`")
def mlflow(module, hypotheses, references):
    metric = from_hub("bleu")
    module._cached_evaluate_load = lambda name: metric

    def call():
        value = module._bleu_eval_fn(hypotheses, first_of(references))
        return value.scores, value.aggregate_results

    return call


@tool("evaluate", "evaluate", "evaluate", "`bleu`", of="bleu")
@tool("evaluate", "evaluate", "evaluate", "`sacrebleu`", of="sacrebleu")
def evaluate(module, hypotheses, references, of):
    metric = from_hub(of)
    return lambda: metric.compute(predictions=hypotheses, references=references)


def from_hub(name):
    """A metric of evaluate by its script."""
    from evaluate import load

    return load(str(Path(os.environ.get("HUB", ""), name)))


@tool("torchmetrics", "torchmetrics", "torchmetrics.text", "`BLEUScore`", of="BLEUScore")
@tool("torchmetrics", "torchmetrics", "torchmetrics.text", "`SacreBLEUScore`", of="SacreBLEUScore")
def torchmetrics(module, hypotheses, references, of):
    metric = getattr(module, of)()
    parts = [slice(start, start + 32) for start in range(0, len(hypotheses), 32)]

    def call():
        metric.reset()
        for part in parts:
            metric.update(hypotheses[part], references[part])
        return metric.compute().item()

    return call


@tool("ignite", "pytorch-ignite", "ignite.metrics", "`Bleu`, macro", of="macro")
@tool("ignite", "pytorch-ignite", "ignite.metrics", "`Bleu`, micro", of="micro")
def ignite(module, hypotheses, references, of):
    metric = module.Bleu(smooth="smooth1", average=of)
    tokens = [text.split() for text in hypotheses]
    several = [[gold.split() for gold in golds] for golds in references]
    parts = [slice(start, start + 32) for start in range(0, len(tokens), 32)]

    def call():
        metric.reset()
        for part in parts:
            metric.update((tokens[part], several[part]))
        return metric.compute()

    return call


@tool("SimulEval", "simuleval", SIMULEVAL, "`SacreBLEUScorer`", SACREBLEU_METRIC)
def simuleval(module, hypotheses, references):
    pairs = zip(hypotheses, first_of(references), strict=True)
    instances = [SimpleNamespace(prediction=text, reference=gold) for text, gold in pairs]
    return lambda: module.SacreBLEUScorer()(dict(enumerate(instances)))


@tool("mbrs", "mbrs", "mbrs.decoders", "`DecoderMBR`, 64 texts", of="DecoderMBR")
@tool("mbrs", "mbrs", "mbrs.decoders", "`DecoderAggregateMBR`, 64 texts", of="DecoderAggregateMBR")
def mbrs(decoders, hypotheses, references, of):
    from mbrs.metrics import MetricBLEU

    kind = getattr(decoders, of)
    decoder = kind(kind.Config(), MetricBLEU(MetricBLEU.Config(num_workers=1)))
    texts = hypotheses[:64]

    def call():
        best = decoder.decode(texts, texts, nbest=3)
        return best.idx, best.sentence, best.score

    return call


def texts(segments=SEGMENTS):
    """Hypotheses, and two references for each."""
    corpus = in_script("German, two references", segments)
    return corpus.hypotheses, [list(golds) for golds in zip(*corpus.references, strict=True)]


@contextmanager
def timed(name):
    """Sum up the time of a function, wherever it was imported to, in a list of one number."""
    spent, function = [0.0], resolve_name(name)

    def call(*arguments, **named):
        start = process_time()
        try:
            return function(*arguments, **named)
        finally:
            spent[0] += process_time() - start

    holders = [
        (module, key)
        for module in list(sys.modules.values())
        for key, value in list(getattr(module, "__dict__", {}).items())
        if value is function and module.__name__ != function.__module__
    ]
    with ExitStack() as stack:
        stack.enter_context(mock.patch(name, call))
        for module, key in holders:
            stack.enter_context(mock.patch.object(module, key, call))
        yield spent


def measured(call, inner, repeats):
    """The result, and the least seconds of BLEU and of the whole."""
    best, whole = float("inf"), float("inf")
    for _ in range(repeats):
        with timed(inner) if inner else nullcontext() as spent:
            start = process_time()
            result = call()
            seconds = process_time() - start
        whole = min(whole, seconds)
        best = min(best, spent[0] if inner else seconds)
    return result, best, whole


def loaded(package, name):
    """A module of a tool, and the tool's version."""
    if package in INSTALLED:
        return importlib.import_module(name), version(package)
    sys.path += [str(unpacked(other)) for other in NEEDS.get(package, ())]
    folder, top = unpacked(package), name.partition(".")[0]
    real = [other for other in REAL if other.startswith(f"{top}.")]
    return load(folder, name, *real, stubs=STUBS), next(distributions(path=[str(folder)])).version


def row_of(name, package, module, function, inner, make):
    """Measure a tool; return its row of the guide's table."""
    import fastbleu

    module, number = loaded(package, module)
    call = make(module, *texts())
    expected, slow, slow_whole = measured(call, inner, 2)
    with fastbleu.patch():
        result, fast, fast_whole = measured(call, inner, 5)
    equal = "yes" if repr(result) == repr(expected) == repr(call()) else "NO"
    ratios = f"{slow / fast:,.0f} | {slow_whole / fast_whole:,.1f}"
    return f"| {name} {number} | {function} | {ratios} | {equal} |"


def report(only):
    """Print the rows of the tools, or of those whose package begins with `only`."""
    warnings.simplefilter("ignore")
    os.environ["NLTK_DATA"] = nltk_data()
    for name, package, *rest in TOOLS:
        if package.startswith(only):
            try:
                print(row_of(name, package, *rest), flush=True)
            except Exception as error:
                print(f"left out: {name}: {error!r}", file=sys.stderr)


def check():
    """Print whether results of few segments stay equal, of tools that are installed."""
    import fastbleu

    all_equal = True
    for name, package, module, function, _, make in TOOLS:
        needs_hub = package == "evaluate" and "HUB" not in os.environ
        if package not in INSTALLED or needs_hub or find_spec(module.partition(".")[0]) is None:
            print(f"{name} is left out: it is not installed")
            continue
        call = make(importlib.import_module(module), *texts(FEW))
        expected = call()
        with fastbleu.patch():
            result = call()
        is_equal = repr(result) == repr(expected) == repr(call())
        print(f"{name}, {function}: {'equal' if is_equal else f'{result} for {expected}'}")
        all_equal &= is_equal
    return all_equal
