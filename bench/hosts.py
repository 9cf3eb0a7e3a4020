"""Evaluation tools, unedited, with and without `fastbleu.patch`: equal results, and their time.

    .venv-integrations/bin/python bench/hosts.py            # prints the table
    .venv-integrations/bin/python bench/hosts.py --write    # and puts its rows into the guide

The files of tools are downloaded from PyPI into build/hosts, one by one and without what they
require: what a file imports and is not installed is a stub, but what computes is the tool's own.
`--hub DIR` names a folder with the hub's scripts `bleu` and `sacrebleu` for evaluate and MLflow.
Times are CPU seconds: of the calls of BLEU in the tool, and of its whole function.
"""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import io
import os
import re
import subprocess
import sys
import tarfile
import warnings
import zipfile
from contextlib import ExitStack, contextmanager, redirect_stdout
from importlib.machinery import ModuleSpec
from importlib.metadata import version
from pathlib import Path
from time import process_time
from types import ModuleType

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "build" / "hosts"
GUIDE = ROOT / "docs" / "guides" / "patching.md"
sys.path += [str(ROOT / "tests")]

os.environ.setdefault("DISABLE_MULTIPROC", "1")  # lm-eval resamples in this process
os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ.setdefault("HF_HOME", str(FOLDER / "hub"))

SEGMENTS = 200


class _Permissive(type):
    """A class whose unknown attributes are such classes, too."""

    def __getattr__(cls, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return _Stub


class _Stub(metaclass=_Permissive):
    """Stands for what a file imports and BLEU does not need; keeps named arguments."""

    def __init__(self, *arguments, **named):
        vars(self).update(named)

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return _Stub

    def __call__(self, *arguments, **named):
        return _Stub()


class _StubModule(ModuleType):
    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return _Stub


class _Finder:
    """Finds the real files of tools; all else that no other finder finds is a stub."""

    def __init__(self):
        self.files = {}

    def find_spec(self, name, path=None, target=None):
        if name in self.files:
            return importlib.util.spec_from_file_location(name, self.files[name])
        # Python asks for optional modules of its own and of installed packages.
        if not any(name.split(".")[0] == known for known in self.stubbed):
            return None
        return ModuleSpec(name, self, is_package=True)

    stubbed = frozenset()

    def create_module(self, spec):
        return _StubModule(spec.name)

    def exec_module(self, module):
        pass


finder = _Finder()


def unpacked(requirement):
    """The folder with the files of a package of PyPI, and its version; "name" or "name==1.0"."""
    package = requirement.partition("==")[0]
    folder = FOLDER / package
    if not folder.exists():
        command = [sys.executable, "-m", "pip", "--disable-pip-version-check", "download", "-q"]
        command += ["--no-deps", "--no-build-isolation", "-d", str(FOLDER / "files"), requirement]
        subprocess.run(command, check=True, stderr=subprocess.DEVNULL)
        archive = archive_of(package)
        if archive.suffix == ".whl":
            zipfile.ZipFile(archive).extractall(folder)
        else:
            with tarfile.open(archive) as files:
                files.extractall(folder, filter="data")
    return folder, archive_of(package).name.split("-")[1].removesuffix(".tar.gz")


def archive_of(package):
    """The file of a package that was downloaded."""
    pattern = re.compile(re.sub("[-_]", "[-_]", package) + r"-\d", re.IGNORECASE)
    return next(one for one in (FOLDER / "files").iterdir() if pattern.match(one.name))


def load(package, module, *real, stubs=()):
    """A module of a tool, and the version; `real` names others of its files that compute."""
    folder, number = unpacked(package)
    top = module.partition(".")[0]
    finder.stubbed |= {top, *stubs}
    for name in (module, *real):
        path = folder.joinpath(*name.split(".")).with_suffix(".py")
        finder.files[name] = str(path)
    return importlib.import_module(module), number


@contextmanager
def timed(*places):
    """Sums up the time of functions, given as (module or class, name); yields a list of one sum."""
    from fastbleu.integrations.patching import _holders

    spent, depth = [0.0], [0]

    def wrap(function):
        def call(*arguments, **named):
            depth[0] += 1
            start = process_time()
            try:
                return function(*arguments, **named)
            finally:
                depth[0] -= 1
                if not depth[0]:
                    spent[0] += process_time() - start

        return call

    changes = [(owner, name, wrap(getattr(owner, name))) for owner, name in places]
    pairs = [(getattr(owner, name), made) for owner, name, made in changes]
    held = [place for place in _holders(pairs) if (place[0], place[1]) not in places]
    changes += held
    before = [(owner, name, vars(owner).get(name)) for owner, name, _ in changes]
    for owner, name, value in changes:
        setattr(owner, name, value)
    try:
        yield spent
    finally:
        for owner, name, value in before:
            if value is None:
                delattr(owner, name)  # a method that the class inherits
            else:
                setattr(owner, name, value)


def nltk_places():
    from nltk.translate import bleu_score

    return [(bleu_score, "sentence_bleu"), (bleu_score, "corpus_bleu")]


def sacrebleu_places():
    import sacrebleu

    return [(sacrebleu, "corpus_bleu"), (sacrebleu.BLEU, "corpus_score")]


# What follows: for each tool its name and version, a function of hypotheses and references (a list
# of them for each hypothesis), and the places of BLEU in it, none if it does nothing else.


def lm_eval():
    metrics, number = load("lm-eval", "lm_eval.api.metrics", "lm_eval.api.registry")
    error = metrics.stderr_for_metric(metrics.bleu, 100)

    def run(hypotheses, references):
        items = list(zip(references, hypotheses, strict=True))
        with redirect_stdout(io.StringIO()):
            return metrics.bleu(items), error(items)

    return f"lm-eval {number}", "`bleu`, 100 resamples", run, sacrebleu_places()


class Tokenizer:
    """Gives the texts that it was made with, whatever is decoded."""

    pad_token_id = 0

    def __init__(self, *texts):
        self.texts = list(texts)

    def batch_decode(self, ids, skip_special_tokens):
        self.texts.append(self.texts.pop(0))
        return self.texts[-1]


def llamafactory():
    import numpy

    paths("jieba", "rouge-chinese", "rouge", "six")
    metric, number = load("llamafactory", "llamafactory.train.sft.metric")
    metric.numpify = numpy.asarray

    class Predictions:
        predictions = label_ids = numpy.ones((1, 1))

    def run(hypotheses, references):
        tokenizer = Tokenizer(hypotheses, [several[0] for several in references])
        return metric.ComputeSimilarity(tokenizer)(Predictions)["bleu-4"]

    return f"LLaMA-Factory {number}", "`ComputeSimilarity`", run, nltk_places()


def swift():
    paths("jieba", "rouge-chinese", "rouge", "six")
    metric, number = load("ms-swift", "swift.metrics.nlg", "swift.metrics.utils")

    def run(hypotheses, references):
        return metric.compute_rouge_bleu(hypotheses, [several[0] for several in references])[
            "bleu-4"
        ]

    return f"ms-swift {number}", "`compute_rouge_bleu`", run, nltk_places()


def lighteval(corpus=False):
    import nltk

    names = "lighteval.metrics.metrics_sample", "lighteval.metrics.metrics_corpus"
    own = names[corpus], "lighteval.utils.utils"
    module, number = load("lighteval", *own, stubs=("sklearn", "pytablewriter"))
    nltk.download = lambda *_: None

    class Doc:
        def __init__(self, golds, hypothesis=""):
            self.golds, self.preds, self.final_text = golds, hypothesis, [hypothesis]

        def get_golds(self):
            return self.golds

    def sentences(hypotheses, references):
        metric = module.BLEU(4)
        docs = map(Doc, references, hypotheses)
        return [metric.compute(doc, doc) for doc in docs]

    def whole(hypotheses, references):
        metric = module.CorpusLevelTranslationMetric("bleu")
        return metric.compute_corpus(list(map(Doc, references, hypotheses)))

    if corpus:
        return f"lighteval {number}", "`bleu` of a corpus", whole, sacrebleu_places()
    return f"lighteval {number}", "`bleu_4`", sentences, nltk_places()


def helm():
    stubs = ("rouge_score",)
    name = "helm.benchmark.metrics.evaluate_reference_metrics"
    module, number = load("crfm-helm", name, stubs=stubs)

    def run(hypotheses, references):
        pairs = zip(hypotheses, references, strict=True)
        return [max(module.bleu_4(gold, text) for gold in golds) for text, golds in pairs]

    return f"HELM {number}", "`bleu_4`", run, nltk_places()


def deepeval():
    module, number = load("deepeval", "deepeval.scorer.scorer")

    def run(hypotheses, references):
        score = module.Scorer.sentence_bleu_score
        pairs = zip(references, hypotheses, strict=True)
        return [score(golds, text, "bleu4") for golds, text in pairs]

    return f"DeepEval {number}", "`sentence_bleu_score`", run, nltk_places()


def evalscope():
    paths("jieba")
    module, number = load("evalscope", "evalscope.metrics.utils.functions", stubs=("editdistance",))

    def run(hypotheses, references):
        pairs = zip(hypotheses, references, strict=True)
        return [module.bleu_ngram_one_sample(text, golds[0]) for text, golds in pairs]

    return f"EvalScope {number}", "`bleu_ngram_one_sample`", run, nltk_places()


def opik(corpus=False):
    module, number = load("opik", "opik.evaluation.metrics.heuristics.bleu", stubs=("_opik",))

    def sentences(hypotheses, references):
        metric = module.SentenceBLEU()
        return [
            metric.score(text, golds).value
            for text, golds in zip(hypotheses, references, strict=True)
        ]

    def whole(hypotheses, references):
        return module.CorpusBLEU().score(hypotheses, references).value

    if corpus:
        return f"Opik {number}", "`CorpusBLEU`", whole, nltk_places()
    return f"Opik {number}", "`SentenceBLEU`", sentences, nltk_places()


def from_hub(name):
    """A metric of evaluate by its script."""
    import evaluate

    if not options.hub and name == "sacrebleu":
        folder = Path(importlib.util.find_spec("opencompass").submodule_search_locations[0])
        script = folder / "openicl" / "icl_evaluator" / "hf_metrics" / "sacrebleu.py"
        own = FOLDER / "scripts" / "sacrebleu"
        own.mkdir(parents=True, exist_ok=True)
        (own / "sacrebleu.py").write_bytes(script.read_bytes())
        return evaluate.load(str(own))
    if not options.hub:
        raise ImportError("needs the hub's script: --hub DIR")
    return evaluate.load(str(Path(options.hub) / name))


def hub_metric(name):
    metric = from_hub(name)

    def run(hypotheses, references):
        return metric.compute(predictions=hypotheses, references=references)

    return f"evaluate {version('evaluate')}", f"`{name}`", run, []


def mlflow():
    name = "mlflow.metrics.metric_definitions"
    module, number = load("mlflow", name, "mlflow.metrics.base")
    metric = from_hub("bleu")
    module._cached_evaluate_load = lambda name: metric

    def run(hypotheses, references):
        value = module._bleu_eval_fn(hypotheses, [several[0] for several in references])
        return value.scores, value.aggregate_results

    return f"MLflow {number}", "`bleu`", run, []


def torchmetrics(name):
    import torchmetrics.text

    metric = getattr(torchmetrics.text, name)()

    def run(hypotheses, references):
        metric.reset()
        for start in range(0, len(hypotheses), 32):
            metric.update(hypotheses[start : start + 32], references[start : start + 32])
        return metric.compute().item()

    return f"torchmetrics {version('torchmetrics')}", f"`{name}`", run, []


def ignite(average):
    from ignite.metrics import Bleu

    metric = Bleu(smooth="smooth1", average=average)
    batches = []

    def run(hypotheses, references):
        if not batches:  # ignite takes tokens
            tokens = [text.split() for text in hypotheses]
            several = [[one.split() for one in some] for some in references]
            starts = range(0, len(tokens), 32)
            batches.extend((tokens[i : i + 32], several[i : i + 32]) for i in starts)
        metric.reset()
        for batch in batches:
            metric.update(batch)
        return metric.compute()

    return f"ignite {version('pytorch-ignite')}", f"`Bleu`, {average}", run, []


def mbrs(aggregated=False):
    from mbrs.decoders import DecoderAggregateMBR, DecoderMBR
    from mbrs.metrics import MetricBLEU

    kind = DecoderAggregateMBR if aggregated else DecoderMBR
    decoder = kind(kind.Config(), MetricBLEU(MetricBLEU.Config(num_workers=1)))

    def run(hypotheses, references):
        texts = hypotheses[:64]
        best = decoder.decode(texts, texts, nbest=3)
        return best.idx, best.sentence, best.score

    return f"mbrs {version('mbrs')}", f"`{kind.__name__}`, 64 texts", run, []


def simuleval():
    name = "simuleval.evaluator.scorers.quality_scorer"
    module, number = load("simuleval", name)

    class Instance:
        def __init__(self, prediction, reference):
            self.prediction, self.reference = prediction, reference

    def run(hypotheses, references):
        pairs = zip(hypotheses, references, strict=True)
        instances = {i: Instance(text, golds[0]) for i, (text, golds) in enumerate(pairs)}
        return module.SacreBLEUScorer()(instances)

    return f"SimulEval {number}", "`SacreBLEUScorer`", run, sacrebleu_places()


ROWS = [
    *((lm_eval,), (llamafactory,), (swift,), (lighteval,), (lighteval, True), (helm,)),
    *((deepeval,), (evalscope,), (opik,), (opik, True), (mlflow,), (hub_metric, "bleu")),
    *((hub_metric, "sacrebleu"), (torchmetrics, "BLEUScore"), (torchmetrics, "SacreBLEUScore")),
    *((ignite, "macro"), (ignite, "micro"), (mbrs,), (mbrs, True), (simuleval,)),
]


def paths(*packages):
    """Put small packages of pure Python on the path."""
    for package in packages:
        folder, _ = unpacked(package)
        inner = list(folder.glob("*/setup.py"))
        place = str(inner[0].parent if inner else folder)
        if place not in sys.path:
            sys.path.append(place)


def texts():
    """Hypotheses of WMT22, or of examples/, and two references each."""
    import wmt22

    if wmt22.SYSTEMS:
        systems = wmt22.lines_of_systems("en-de")
        hypotheses = list(next(iter(systems.values())))[:SEGMENTS]
        streams = [list(lines)[:SEGMENTS] for lines in wmt22.lines_of_references("en-de")]
    else:
        read = (ROOT / "examples" / "system-a.txt").read_text(encoding="utf-8").splitlines()
        hypotheses = (read * SEGMENTS)[:SEGMENTS]
        both = [(ROOT / "examples" / f"reference.{k}.txt").read_text("utf-8") for k in (1, 2)]
        streams = [(one.splitlines() * SEGMENTS)[:SEGMENTS] for one in both]
    return hypotheses, [list(several) for several in zip(*streams, strict=True)]


def measured(run, places, pair, repeats):
    """The result, and the least seconds of BLEU and of the whole."""
    best, whole = float("inf"), float("inf")
    for _ in range(repeats):
        with ExitStack() as stack:
            spent = stack.enter_context(timed(*places)) if places else None
            start = process_time()
            result = run(*pair)
            seconds = process_time() - start
        whole = min(whole, seconds)
        best = min(best, spent[0] if spent else seconds)
    return result, best, whole


def row(measured_tool, pair):
    import fastbleu

    tool, what, run, places = measured_tool
    expected, slow, slow_whole = measured(run, places, pair, 2)
    with fastbleu.patch():
        result, fast, fast_whole = measured(run, places, pair, 5)
    again = run(*pair)
    equal = repr(result) == repr(expected) == repr(again)
    ratio, whole = slow / fast, slow_whole / fast_whole
    return f"| {tool} | {what} | {ratio:,.0f} | {whole:,.1f} | {'yes' if equal else 'NO'} |"


def main():
    sys.meta_path.append(finder)
    tokenizer_data, _ = unpacked("llama-index-core")  # it holds punkt_tab
    data = tokenizer_data / "llama_index" / "core" / "_static" / "nltk_cache"
    os.environ["NLTK_DATA"] = str(data)
    pair, rows = texts(), []
    for make, *arguments in ROWS:
        if options.only not in (None, make.__name__):
            continue
        try:
            rows.append(row(make(*arguments), pair))
        except (ImportError, AttributeError) as error:
            print(f"left out: {error!r}", file=sys.stderr)
        else:
            print(rows[-1], flush=True)
    if options.write:
        write(rows)


def write(rows):
    """Replace the rows of the guide's table by those of the same tool and function."""

    def key(line):
        tool, what = line.split("|")[1:3]
        return tool.split()[0], what.strip()

    new = {key(line): line for line in rows}
    lines = GUIDE.read_text(encoding="utf-8").split("\n")
    start = next(i for i, line in enumerate(lines) if line.startswith("| tool |")) + 2
    end = next(i for i in range(start, len(lines)) if not lines[i].startswith("|"))
    table = {key(line): line for line in lines[start:end]} | new
    lines[start:end] = table.values()
    GUIDE.write_text("\n".join(lines), encoding="utf-8")


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--hub", help="a folder with the hub's scripts, bleu/ and sacrebleu/")
    parser.add_argument("--write", action="store_true", help="put the rows into the guide")
    parser.add_argument("--only", help="the function here that makes the row")
    options = parser.parse_args()
    main()
