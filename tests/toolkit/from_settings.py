"""Scores files as a file of settings says."""

import json
import sys
from pathlib import Path

import fastbleu
from fastbleu.types import Hypotheses, MissingChoice, References


def metric_of(settings: dict[str, str]) -> fastbleu.BLEU:
    tokenizer, smoothing = settings["tokenizer"], settings.get("smoothing")
    return fastbleu.BLEU(
        settings["metric"],
        tokenize=tokenizer,
        smooth_method=smoothing,
        reference_length=settings.get("reference_length"),
    )


def score_of(
    name: str, hypotheses: Hypotheses, references: References, missing: MissingChoice = "error"
) -> float:
    similar = fastbleu.matrix.pairwise(hypotheses, hypotheses, metric=name)
    assert similar.shape[0] == similar.shape[1]
    return float(fastbleu.BLEU(name).score(hypotheses, references, missing=missing))


def main(path: Path) -> None:
    settings: dict[str, str] = json.loads(path.read_text(encoding="utf-8"))
    hypotheses = Path(settings["hypotheses"]).read_text(encoding="utf-8").splitlines()
    references = Path(settings["references"]).read_text(encoding="utf-8").splitlines()
    score = metric_of(settings).score(hypotheses, references)
    other = score_of(settings["metric"], hypotheses, references)
    print(json.dumps({"bleu": score.value, "other": other, "signature": score.signature}))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
