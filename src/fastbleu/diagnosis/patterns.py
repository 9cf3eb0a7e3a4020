"""Regular expressions that are compiled when they are first used."""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    Pattern = re.compile
    from typing import Any
else:

    class Pattern:
        """A regular expression, compiled when first used: most texts need few of these."""

        def __init__(self, *arguments: Any) -> None:
            self._arguments = arguments

        def __getattr__(self, name: str) -> Any:
            method = getattr(re.compile(*self._arguments), name)
            setattr(self, name, method)  # the next use does not come here
            return method
