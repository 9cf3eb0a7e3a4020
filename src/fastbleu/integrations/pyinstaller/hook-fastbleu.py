"""What PyInstaller does not see: what compiled modules import, names loaded late, data files."""

from PyInstaller.utils.hooks import collect_data_files, collect_submodules

_HOSTS = "fastbleu.integrations."
# A program that uses a host imports its module, and torch, itself; `patch` imports by name.
hiddenimports = collect_submodules("fastbleu", filter=lambda name: not name.startswith(_HOSTS))
excludedimports = ["torch"]
# The data files listed in pyproject.toml, without types, and without sources in case the package is
# used in place.
datas = collect_data_files("fastbleu", excludes=["**/*.p[xy]*", "py.typed", "**/*.[ch]"])
