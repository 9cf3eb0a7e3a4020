"""Completion of the command's options and files in a shell, by the package shtab."""

from __future__ import annotations

import argparse
from typing import NoReturn

from ..runtime.extras import install_command
from .files import InputError


def print_completion(parser: argparse.ArgumentParser, shell: str) -> NoReturn:
    """Print the script for a shell, and exit."""
    try:
        import shtab
    except ImportError as error:
        problem = f"shell completion needs shtab: {install_command('completion')}"
        raise InputError(problem) from error
    for action in parser._actions:
        if action.metavar in ("REF", "HYP"):
            action.complete = shtab.FILE  # type: ignore[attr-defined]
    print(shtab.complete(parser, shell))
    parser.exit()
