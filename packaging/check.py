"""Check the recipe of conda-forge by rattler-build: that it parses and renders, for two Pythons.

python packaging/check.py    with a Python that has py-rattler-build
"""

import sys
from pathlib import Path

from rattler_build import Stage0Recipe, VariantConfig

RECIPE = Path(__file__).parent / "conda-forge" / "recipe.yaml"
PYPROJECT = RECIPE.parents[2] / "pyproject.toml"


def main():
    recipe = Stage0Recipe.from_file(RECIPE)
    pinned = {"c_compiler": ["gcc"], "c_stdlib": ["sysroot"], "python": ["3.11.*", "3.13.*"]}
    rendered = recipe.render(VariantConfig(pinned))
    text = PYPROJECT.read_text(encoding="utf-8")
    version = text.split('\nversion = "')[1].split('"')[0]
    said = RECIPE.read_text(encoding="utf-8")
    missing = [f'version: "{version}"'] if f'version: "{version}"' not in said else []
    for name in text.split("\ndependencies = [")[1].split("]")[0].replace('"', "").split(", "):
        wanted = f"- {name.replace('>=', ' >=')}\n"
        missing += [] if wanted in said else [wanted.strip()]
    if missing or not rendered:
        sys.exit(f"{RECIPE} lacks {missing} of pyproject.toml, or gives no package")
    print(f"{RECIPE.name}: renders {len(rendered)} packages of version {version}")


if __name__ == "__main__":
    main()
