"""How to install what an optional feature needs."""

from __future__ import annotations

# Until a release is published; a release changes this line.
_COMMAND = "pip install '.[{}]' in a checkout of fastbleu"


def install_command(extra: str) -> str:
    """Return the command that installs an extra of the package, for a message."""
    return _COMMAND.format(extra)
