"""PyInstaller's hook for programs that use fastbleu; pyproject.toml names it as an entry point."""

from pathlib import Path


def _hook_directories() -> list[str]:
    return [str(Path(__file__).parent)]
