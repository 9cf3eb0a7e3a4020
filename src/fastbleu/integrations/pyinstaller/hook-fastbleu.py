"""What PyInstaller does not see: what compiled modules import, names loaded late, the report."""

from PyInstaller.utils.hooks import collect_data_files, collect_submodules

# A program that uses a host imports its module, and torch, itself.
hiddenimports = collect_submodules(
    "fastbleu", filter=lambda name: not name.startswith("fastbleu.integrations.")
)
excludedimports = ["torch"]
datas = collect_data_files("fastbleu", includes=["reporting/page/*"])
