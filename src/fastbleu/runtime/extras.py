"""How to install what an optional feature needs."""

from __future__ import annotations

# Until a release is published; a release changes this line.
_COMMAND = "pip install '.[{}]' in a checkout of fastbleu"


def install_command(extra: str) -> str:
    """Return the command that installs an extra of the package, for a message."""
    return _COMMAND.format(extra)


class HostImports:
    """A context for an adaptor's imports: the error for a missing host says how to install it."""

    def __init__(self, adaptor: str, *hosts: str, extra: str = "") -> None:
        self.adaptor, self.hosts, self.extra = adaptor, hosts, extra or adaptor

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: BaseException | None, traceback: object) -> None:
        if isinstance(error, ModuleNotFoundError) and error.name in self.hosts:
            raise ModuleNotFoundError(
                f"fastbleu.integrations.{self.adaptor} needs {error.name}, which is not installed; "
                f"install the extra: {install_command(self.extra)}",
                name=error.name,
            ) from None
