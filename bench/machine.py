"""The machine and the versions that a result was measured with."""

from __future__ import annotations

import contextlib
import importlib
import importlib.metadata
import os
import platform
from pathlib import Path

from cases import SUBJECT

DISTRIBUTIONS = (
    "nltk",
    "sacrebleu",
    "bleuscore",
    "fast-bleu",
    "torchmetrics",
    "numpy",
    "pyfastbleu",
)


def describe_machine() -> dict:
    """Describe processor, system and Python, without names or paths."""
    processor = platform.processor() or platform.machine()
    with contextlib.suppress(OSError, StopIteration):
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        processor = next(line.split(":")[1].strip() for line in lines if "model name" in line)
    return {
        "processor": processor,
        "cores": os.cpu_count(),
        "architecture": platform.machine(),
        "system": platform.system(),
        "python": f"{platform.python_implementation()} {platform.python_version()}",
    }


def find_versions() -> dict[str, str]:
    """Return the versions of the libraries that are installed."""
    versions = {}
    for distribution in DISTRIBUTIONS:
        try:
            versions[distribution] = importlib.metadata.version(distribution)
        except importlib.metadata.PackageNotFoundError:
            continue
    if "pyfastbleu" not in versions:  # on the path, but not installed
        with contextlib.suppress(ImportError, AttributeError):
            versions["pyfastbleu"] = importlib.import_module(SUBJECT).__version__
    return versions
