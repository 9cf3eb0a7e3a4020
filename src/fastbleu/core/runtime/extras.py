"""Optional libraries: how to install them, and methods that torch.compile leaves out."""

from __future__ import annotations

import functools
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeVar

    Method = TypeVar("Method", bound=Callable[..., Any])

# Until there is a release: `tools/release.sh by-name` changes this line.
_COMMAND = "pip install '.[{}]' in a checkout of fastbleu"


def install_command(extra: str) -> str:
    """Return the command that installs an extra of the package, for a message."""
    return _COMMAND.format(extra)


_NOT_TRACED = (
    "n-grams are not counted by tensor operations; call the metric outside of code that is "
    "compiled with fullgraph=True"
)


def not_compiled(method: Method) -> Method:
    """Exclude a method, and everything that it calls, from torch.compile.

    This is `torch.compiler.disable` without importing torch._dynamo, which takes seconds and is not
    needed before something is compiled. Dynamo recognizes the method by the two attributes.
    """
    disabled: Any = None

    @functools.wraps(method)
    def call(*args: Any, **kwargs: Any) -> Any:
        nonlocal disabled
        if disabled is None:
            dynamo = sys.modules.get("torch._dynamo")
            if dynamo is None:
                return method(*args, **kwargs)
            disabled = dynamo.disable(method)
        return disabled(*args, **kwargs)

    call.__dict__.update(_torchdynamo_disable=True, _torchdynamo_disable_msg=_NOT_TRACED)
    return call  # type: ignore[return-value]
