"""MBR decoding of a test set: for each source, choose the system output that agrees best with all.

The outputs of WMT22's systems for a source are its candidates, and are compared with each other.
The real references are used only for the final scores. Expect a gain over each system if there are
three or more of similar quality.

    python examples/mbr.py --pair de-en ../shared/data/wmt22

The folder (default: wmt22 in that of the environment variable FASTBLEU_DATA) holds
systems/<pair>.<system>.txt and references/<pair>.<name>.txt, one segment per line.
"""

import argparse
import os
import sys
import time
from pathlib import Path

import fastbleu

# Languages without spaces between words. sacreBLEU's own for Japanese, "ja-mecab", needs a library.
TOKENIZERS = {"zh": "zh", "ja": "char"}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", nargs="?", type=Path, help="default: $FASTBLEU_DATA/wmt22")
    parser.add_argument("--pair", default="en-de", help="of languages (default: %(default)s)")
    parser.add_argument("--tokenize", help="default: by the target language")
    parser.add_argument(
        "--aggregate", action="store_true", help="decode in linear time, by expected counts"
    )
    parser.add_argument("--threads", type=int, default=1)
    arguments = parser.parse_args()

    folder = arguments.folder
    if folder is None:
        if "FASTBLEU_DATA" not in os.environ:
            parser.error("name the folder with the data, or set FASTBLEU_DATA")
        folder = Path(os.environ["FASTBLEU_DATA"], "wmt22")
    systems = read_segments(folder / "systems", arguments.pair)
    references = read_segments(folder / "references", arguments.pair)
    if len(systems) < 2:
        sys.exit(f"there is only one system for {arguments.pair}, and so nothing to choose")
    if len({len(lines) for lines in (*systems.values(), *references.values())}) > 1:
        counts = {name: len(lines) for name, lines in (systems | references).items()}
        sys.exit(f"files of {arguments.pair} have different numbers of lines: {counts}")

    tokenize = arguments.tokenize or TOKENIZERS.get(arguments.pair[-2:], "13a")
    try:
        metric = fastbleu.BLEU(tokenize=tokenize, threads=arguments.threads)
    except (ValueError, ImportError, OSError) as error:
        parser.error(str(error))
    candidates = list(map(list, zip(*systems.values(), strict=True)))
    truth = list(zip(*references.values(), strict=True))

    start = time.perf_counter()
    best = fastbleu.matrix.mbr(candidates, aggregate=arguments.aggregate, metric=metric).best
    seconds = time.perf_counter() - start

    names = list(systems)
    choice = [lines[number] for lines, number in zip(candidates, best, strict=True)]
    score = metric.score(choice, truth)
    print(f"{arguments.pair}: {len(choice)} sources, {len(systems)} systems")
    print(f"MBR choice, made in {seconds * 1e3:.0f} ms: BLEU {score.value:.2f}")
    for number, name in enumerate(names):
        value = metric.score(systems[name], truth).value
        share = sum(chosen == number for chosen in best) / len(choice)
        print(f"{name}: BLEU {value:.2f}, gain {score.value - value:+.2f}, chosen {share:.1%}")
    print(score.signature)


def read_segments(folder, pair):
    """The lines of each file <pair>.<name>.txt of a folder, by name."""
    paths = sorted(folder.glob(f"{pair}.*.txt"))
    if not paths:
        found = sorted({path.name.partition(".")[0] for path in folder.glob("*.*.txt")})
        sys.exit(f"there is no {pair}.*.txt in {folder}; pairs there: {', '.join(found) or 'none'}")
    lines = {}
    for path in paths:
        with open(path, encoding="utf-8", newline="\n") as file:
            lines[path.stem.removeprefix(f"{pair}.")] = [line.rstrip("\n") for line in file]
    return lines


if __name__ == "__main__":
    main()
