"""The module `utils` of an installed sacreBLEU: its test sets and files."""

import sys

from .base import installed

sys.modules[__name__] = installed("sacrebleu.utils", "utils")
