"""Run each `pip install` of README.md and docs/ in an environment and a checkout of its own.

python tools/test_installs.py            # all of them; PyTorch is the release in TORCH
python tools/test_installs.py tables     # those whose extra has this name
"""

import os
import re
import shlex
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

PROJECT = Path(__file__).resolve().parent.parent
PAGES = [PROJECT / "README.md", *sorted((PROJECT / "docs").rglob("*.md"))]
# What an extra is for; all others are names of integrations.
USES = {
    "ja": "fastbleu.tokenize('今天', 'ja-mecab')",
    "parquet": "import pyarrow; fastbleu.tables.score({'a': ['b'], 'c': ['b']}, 'a', ['c'])",
    "tables": "fastbleu.tables.score",
}


def commands():
    """Each command once, and the name of its last extra."""
    found = {}
    for page in PAGES:
        for block in re.findall(r"```sh\n(.*?)```", page.read_text("utf-8"), re.DOTALL):
            for line in block.splitlines():
                command = shlex.split(line, comments=True)
                if command[:2] == ["pip", "install"]:
                    extra = re.search(r"(\w+)\]$", command[-1])
                    found[tuple(command)] = extra[1] if extra else ""
    return found


def run(*command, **options):
    subprocess.run(command, check=True, **options)


def main():
    wanted = sys.argv[1:]
    for command, extra in commands().items():
        if wanted and extra not in wanted:
            continue
        print("$", *command, flush=True)
        with tempfile.TemporaryDirectory() as folder:
            python = Path(folder, "env", "bin", "python")
            checkout = Path(folder, "checkout")
            checkout.mkdir()
            venv.create(python.parent.parent, with_pip=True)
            archive = subprocess.run(
                ["git", "archive", "HEAD"], cwd=PROJECT, check=True, capture_output=True
            ).stdout
            run("tar", "-x", "-C", checkout, input=archive)
            pinned = Path(folder, "constraints.txt")
            pinned.write_text(os.environ.get("TORCH", "torch==2.13.0") + "\n")
            quiet = [python, "-m", *command[:2], "-q", "--disable-pip-version-check", *command[2:]]
            run(*quiet, cwd=checkout, env={**os.environ, "PIP_CONSTRAINT": str(pinned)})
            run(python, checkout / "tools" / "check_install.py", cwd=folder)
            use = USES.get(extra, f"import fastbleu.integrations.{extra}" if extra else "")
            run(python, "-c", f"import fastbleu\n{use}", cwd=folder)
    print("each command of installation works")


if __name__ == "__main__":
    main()
