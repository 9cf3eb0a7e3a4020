"""Print the requirements of extras of the package: `pip install $(python tools/extras.py test)`.

`pip install --editable '.[test]'` would compile the package again for each extra.
"""

import re
import sys
from importlib.metadata import requires

FORM = re.compile(r"""([^;\s]+)\s*;\s*extra == (['"])([\w-]+)\2""")


def required(extras):
    """The requirements of these extras.

    Raises
    ------
    SystemExit
        If the package has no extra of a name.
    """
    found = {}
    for requirement in requires("pyfastbleu"):
        if match := FORM.fullmatch(requirement):
            found.setdefault(match[3], []).append(match[1])
    absent = sorted(set(extras) - set(found))
    if absent:
        raise SystemExit(f"no extra is called {', '.join(absent)}; there are {', '.join(found)}")
    return [requirement for extra in extras for requirement in found[extra]]


if __name__ == "__main__":
    print(*required(sys.argv[1:]))
