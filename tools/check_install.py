"""Check an installed fastbleu: its command and its numbers. Needs nothing but the package.

python tools/check_install.py    # with the Python of the environment where fastbleu is installed
"""

import subprocess
import sys
import sysconfig
from pathlib import Path

import fastbleu

EXAMPLES = Path(__file__).resolve().parent.parent / "examples"
COMMAND = Path(sysconfig.get_path("scripts"), "fastbleu")
FILES = ["reference.1.txt", "reference.2.txt", "-i", "system-a.txt", "-b", "-w", "4"]
HYPOTHESES = ["The cat sat on the mat.", "It rained all night."]
REFERENCES = [["The cat sat on a mat."], ["It rained all night.", "It was raining all night."]]


def output(*command):
    """What a command prints, run among the examples."""
    done = subprocess.run(command, cwd=EXAMPLES, capture_output=True, text=True, encoding="utf-8")
    if done.returncode:
        sys.exit(f"{command} ended with status {done.returncode}:\n{done.stdout}{done.stderr}")
    return done.stdout.strip()


for found, expected in (
    (output(COMMAND, "--version"), f"fastbleu {fastbleu.__version__}"),
    (output(COMMAND, *FILES), "88.5909"),
    (output(sys.executable, "-m", "fastbleu", *FILES), "88.5909"),
    (fastbleu.BLEU().score(HYPOTHESES, REFERENCES).value, 69.18912876154525),
    (fastbleu.sentence_bleu([[*"abcde"]], [*"abcd"]), 0.7788007830714049),
    (fastbleu.matrix.self_bleu(["a b", "a b"], orders=(2,)).values[2], 1.0),
):
    if found != expected:
        sys.exit(f"{fastbleu.__file__}: {found!r} instead of {expected!r}")
output(sys.executable, "demo.py")
print(f"fastbleu {fastbleu.__version__} in {Path(fastbleu.__file__).parent} works")
