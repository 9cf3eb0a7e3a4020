"""Time of BLEU of image captions: fastbleu against pycocoevalcap with Java, from start to end.

    python bench/captions.py [IMAGES]

40,504 images, as many as in COCO's validation set, with a caption and 5 references each, made from
the English of WMT22 (COCO's own may not be carried). Each side is a new process that reads the
captions as JSON, tokenizes and scores them; fastbleu's command reads COCO's files with msgspec
(extra `captions`), scores captions line by line, and counts on two threads. Also the time per
caption of the tokenizers alone, on 5,000 captions: Java's without the start of its virtual machine.
Needs pycocoevalcap and Java.
"""

from __future__ import annotations

import json
import random
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

PROJECT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(PROJECT / "tests"))

SCORE = """
import json, sys
with open(sys.argv[1], encoding="utf-8") as file:
    sides = [{int(image): texts for image, texts in side.items()} for side in json.load(file)]
gts, res = (PTBTokenizer(%s).tokenize(side) for side in sides)
print(json.dumps(Bleu(4).compute_score(gts, res, 0)[0]))
"""
OURS = "from fastbleu.integrations.coco import Bleu, PTBTokenizer" + SCORE % "compatible=True"
THEIRS = (
    "from pycocoevalcap.bleu.bleu import Bleu\n"
    "from pycocoevalcap.tokenizer.ptbtokenizer import PTBTokenizer" + SCORE % ""
)


def made(images: int) -> list[dict[int, list[dict[str, str]]]]:
    """Captions of 8 to 14 words: pieces of English lines, the references similar to each other."""
    from wmt22 import WMT22

    paths = sorted(WMT22.glob("*/*-en.*"))
    lines = [line for path in paths for line in path.read_text(encoding="utf-8").split("\n")]
    rng = random.Random(34)
    sides: list[dict[int, list[dict[str, str]]]] = [{}, {}]
    for image in range(images):
        words = rng.choice(lines).split() or ["nothing"]
        first = rng.randrange(max(1, len(words) - 14))
        for side, count in zip(sides, (5, 1), strict=True):
            side[image] = [
                {
                    "caption": " ".join(
                        words[max(0, first - rng.randint(0, 2)) :][: rng.randint(8, 14)]
                    )
                }
                for _ in range(count)
            ]
    return sides


def timed(*arguments: str) -> tuple[float, float, list[float]]:
    """Wall time and processor time of Python, Java's included, and the scores."""
    begin, before = time.perf_counter(), children_seconds()
    done = subprocess.run([sys.executable, *arguments], capture_output=True, check=True)
    wall, printed = time.perf_counter() - begin, json.loads(done.stdout)
    scores = printed["cumulative"] if isinstance(printed, dict) else printed
    return wall, children_seconds() - before, scores


def command_on(sides: list[dict[int, list[dict[str, str]]]], folder: Path) -> list[str]:
    """The command for COCO's files of the captions."""
    names = [str(folder / name) for name in ("annotations.json", "results.json")]
    for side, name in zip(sides, names, strict=True):
        listed = [{"image_id": key, **one} for key, entries in side.items() for one in entries]
        Path(name).write_text(json.dumps(listed), encoding="utf-8")
    return ["-m", "fastbleu", names[0], "-i", names[1], "--dialect", "coco", "-q", "--threads", "2"]


def children_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def java_seconds(texts: list[str]) -> float:
    """Processor time of Java for a file of captions."""
    from ptb_texts import java_lines
    from pycocoevalcap.tokenizer import ptbtokenizer

    folder = Path(ptbtokenizer.__file__).parent.parent
    before = children_seconds()
    with tempfile.TemporaryDirectory() as place:
        java_lines(str(folder), texts, Path(place))
    return children_seconds() - before


def main() -> None:
    from fastbleu import tokenize
    from fastbleu.integrations.coco import PTBTokenizer

    images = int(sys.argv[1]) if len(sys.argv) > 1 else 40_504
    sides = made(images)
    with (
        tempfile.TemporaryDirectory() as folder,
        open(Path(folder, "captions.json"), "w", encoding="utf-8") as file,
    ):
        json.dump(sides, file)
        file.flush()
        *theirs, their_scores = timed("-c", THEIRS, file.name)
        command = command_on(sides, Path(file.name).parent)
        for what, arguments in (("Python", ["-c", OURS, file.name]), ("command", command)):
            *ours, our_scores = min(timed(*arguments) for _ in range(5))
            print(f"{images} images, {what}: equal numbers: {our_scores == their_scores}")
            for kind, their, our in zip(("wall", "processor"), theirs, ours, strict=True):
                print(
                    f"{kind} time: pycocoevalcap {their:.2f} s, fastbleu {our:.2f} s: "
                    f"{their / our:.1f} times"
                )
    texts = [entry["caption"] for entries in sides[0].values() for entry in entries][:5000]
    java = min(java_seconds(texts) - java_seconds(texts[:1]) for _ in range(3)) / len(texts)
    calls = {
        "PTBTokenizer().tokenize": lambda: PTBTokenizer().tokenize(
            dict.fromkeys([0], sides_of(texts))
        ),
        'tokenize(text, "ptb")': lambda: [tokenize(text, "ptb") for text in texts],
    }
    for name, call in calls.items():
        times = []
        for _ in range(5):
            begin = time.process_time()
            call()
            times.append(time.process_time() - begin)
        each = min(times) / len(texts)
        print(
            f"{name}: {each * 1e6:.2f} us per caption, Java {java * 1e6:.2f}: "
            f"{java / each:.0f} times"
        )


def sides_of(texts: list[str]) -> list[dict[str, str]]:
    return [{"caption": text} for text in texts]


if __name__ == "__main__":
    main()
