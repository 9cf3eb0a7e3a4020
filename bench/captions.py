"""BLEU of image captions against pycocoevalcap, which needs Java.

40,504 images, as many as in COCO's validation set, with a caption and 5 references each, made from
the English of WMT22 (COCO's own may not be carried). Each side is a new process that reads them as
JSON, tokenizes and scores them; the command uses two threads.
"""

import json
import random
from pathlib import Path

from costs import Started
from workloads import load_corpus

SCORE = """
import contextlib, json, sys
with open(sys.argv[1], encoding="utf-8") as file:
    sides = [{int(image): texts for image, texts in side.items()} for side in json.load(file)]
with contextlib.redirect_stdout(sys.stderr):
    gts, res = (PTBTokenizer(%s).tokenize(side) for side in sides)
    scores = Bleu(4).compute_score(gts, res, 0)[0]
print(json.dumps(scores))
"""
OURS = "from fastbleu.integrations.coco import Bleu, PTBTokenizer" + SCORE % "compatible=True"
THEIRS = (
    "from pycocoevalcap.bleu.bleu import Bleu\n"
    "from pycocoevalcap.tokenizer.ptbtokenizer import PTBTokenizer" + SCORE % ""
)


def write_captions(folder: Path, images: int) -> None:
    """Captions of 8 to 14 words: pieces of English lines, the references similar to each other."""
    corpus, rng = load_corpus("English"), random.Random(34)
    lines = corpus.hypotheses + corpus.references[0]
    sides = {"references": {}, "captions": {}}
    for image in range(images):
        words = rng.choice(lines).split() or ["nothing"]
        first = rng.randrange(max(1, len(words) - 14))
        for side, count in zip(sides.values(), (5, 1), strict=True):
            starts = [max(0, first - rng.randint(0, 2)) for _ in range(count)]
            pieces = [words[start : start + rng.randint(8, 14)] for start in starts]
            side[image] = [{"caption": " ".join(piece)} for piece in pieces]
    (folder / "both.json").write_text(json.dumps(list(sides.values())), encoding="utf-8")
    for name, side in sides.items():
        listed = [{"image_id": image, **each} for image, some in side.items() for each in some]
        (folder / f"{name}.json").write_text(json.dumps(listed), encoding="utf-8")


def scores_of(printed: str) -> list[float]:
    scores = json.loads(printed)
    return scores["cumulative"] if isinstance(scores, dict) else scores


def case(name: str, title: str, ours: list[str]) -> Started:
    programs = {"pycocoevalcap": ["-c", THEIRS, "FOLDER/both.json"], "fastbleu": ours}
    options = {"segments": 40_504, "needs": "pycocoevalcap", "result_of": scores_of}
    return Started(f"captions-{name}", title, programs, write_captions, **options)


COMMAND = ["FOLDER/references.json", "-i", "FOLDER/captions.json", "--dialect", "coco", "-q"]
CASES = (
    case("python", "captions in Python", ["-c", OURS, "FOLDER/both.json"]),
    case("command", "the command", ["-m", "fastbleu", *COMMAND, "--threads", "2"]),
)
