"""Runs one target under atheris: `python -m trust.fuzz_driver TARGET [libFuzzer's options]`.

In a build with coverage and AddressSanitizer (see fuzzing.py), whose environment this needs.
"""

import importlib
import os
import shlex
import sys
import warnings

import atheris


def main() -> None:
    name, *options = sys.argv[1:]
    warnings.simplefilter("ignore")
    # Tells which modules of Python are to guide the fuzzer, without loading any of the package.
    instrumented = os.environ.get("FASTBLEU_FUZZ_INSTRUMENTED", "").split()
    if instrumented:
        with atheris.instrument_imports(include=instrumented):
            for module in instrumented:
                importlib.import_module(module)
    target = importlib.import_module(f"trust.fuzz_{name}")
    # By this and its options libFuzzer starts itself again, in a shell, to merge a corpus.
    command = [sys.executable, "-m", "trust.fuzz_driver", name]
    atheris.Setup([shlex.join(command), *options], target.run)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
