"""Check the recipe of conda-forge by rattler-build: that it renders, and has all dependencies.

python packaging/check.py    with a Python that has py-rattler-build
"""

import sys
import tomllib
from pathlib import Path

from rattler_build import Stage0Recipe, VariantConfig

RECIPE = Path(__file__).parent / "conda-forge" / "recipe.yaml"
PYPROJECT = RECIPE.parents[2] / "pyproject.toml"
PINNED = {"c_compiler": ["gcc"], "c_stdlib": ["sysroot"], "python": ["3.11.*", "3.13.*"]}

rendered = Stage0Recipe.from_file(RECIPE).render(VariantConfig(PINNED))
text = RECIPE.read_text(encoding="utf-8")
project = tomllib.loads(PYPROJECT.read_text(encoding="utf-8"))["project"]
needed = [f"- {name.replace('>=', ' >=')}\n" for name in project["dependencies"]]
missing = [line for line in needed if line not in text]
if missing or not rendered:
    sys.exit(f"{RECIPE} lacks {missing} of pyproject.toml, or gives no package")
print(f"{RECIPE.name}: renders {len(rendered)} packages")
