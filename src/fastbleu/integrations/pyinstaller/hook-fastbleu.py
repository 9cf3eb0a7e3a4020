"""What PyInstaller does not see: what compiled modules import, names loaded late, data files."""

from PyInstaller.utils.hooks import collect_data_files, collect_submodules

# A program that uses a host imports its module, and torch, itself.
hiddenimports = collect_submodules(
    "fastbleu", filter=lambda name: not name.startswith("fastbleu.integrations.")
)
excludedimports = ["torch"]
# All that setuptools installs by its list in pyproject.toml, but types, and sources where the
# package is not installed but used in place.
datas = collect_data_files("fastbleu", excludes=["**/*.p[xy]*", "py.typed", "**/*.[ch]"])
