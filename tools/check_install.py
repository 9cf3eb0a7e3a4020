"""Check an installed fastbleu: its command and its numbers. Needs nothing but the package.

python tools/check_install.py    # with the Python of the environment where fastbleu is installed
"""

import subprocess
import sys
import sysconfig
from pathlib import Path

import fastbleu

EXAMPLES = Path(__file__).resolve().parent.parent / "examples"
FILES = ["reference.1.txt", "reference.2.txt", "-i", "system-a.txt", "-b", "-w", "4"]


def output(*command):
    """What a command prints, run among the examples."""
    done = subprocess.run(command, cwd=EXAMPLES, capture_output=True, text=True, encoding="utf-8")
    if done.returncode:
        sys.exit(f"{command} ended with status {done.returncode}:\n{done.stdout}{done.stderr}")
    return done.stdout


def main():
    script = Path(sysconfig.get_path("scripts"), "fastbleu")
    found = {
        "fastbleu --version": output(script, "--version").strip(),
        "the command": output(script, *FILES).strip(),
        "python -m fastbleu": output(sys.executable, "-m", "fastbleu", *FILES).strip(),
        "BLEU": fastbleu.BLEU()
        .score(
            ["The cat sat on the mat.", "It rained all night."],
            [["The cat sat on a mat."], ["It rained all night.", "It was raining all night."]],
        )
        .value,
        "nltk's": fastbleu.sentence_bleu([["a", "b", "c", "d", "e"]], ["a", "b", "c", "d"]),
        "self-BLEU": fastbleu.matrix.self_bleu([["a", "b"], ["a", "b"]], orders=(2,)).values[2],
    }
    wanted = {
        "fastbleu --version": f"fastbleu {fastbleu.__version__}",
        "the command": "88.5909",
        "python -m fastbleu": "88.5909",
        "BLEU": 69.18912876154525,
        "nltk's": 0.7788007830714049,
        "self-BLEU": 1.0,
    }
    wrong = {name: value for name, value in found.items() if value != wanted[name]}
    if wrong:
        sys.exit(f"{fastbleu.__file__}: {wrong} instead of {[wanted[name] for name in wrong]}")
    output(sys.executable, "demo.py")
    print(f"fastbleu {fastbleu.__version__} in {Path(fastbleu.__file__).parent} works")


if __name__ == "__main__":
    main()
