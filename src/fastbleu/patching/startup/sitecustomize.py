"""Imported by a program under `fastbleu.run`, and by every Python that it starts, to patch them.

`fastbleu.run` puts this folder first on PYTHONPATH; nothing else is imported from it. A
`sitecustomize` of the environment runs first, as it would without this one.
"""

import os
import sys
from importlib.machinery import PathFinder
from importlib.util import module_from_spec


def _run_the_other() -> None:
    here = os.path.dirname(os.path.abspath(__file__))
    sys.path[:] = [path for path in sys.path if os.path.abspath(path) != here]
    spec = PathFinder.find_spec("sitecustomize", sys.path)
    if spec is not None and spec.loader is not None:
        sys.modules["sitecustomize"] = module = module_from_spec(spec)
        spec.loader.exec_module(module)


try:
    _run_the_other()
finally:
    if os.environ.get("FASTBLEU_PATCH", "0") not in ("", "0"):
        try:
            import fastbleu  # noqa: F401 - importing it calls `patch`
        except ModuleNotFoundError as error:
            if error.name != "fastbleu":  # which another Python may lack
                raise
