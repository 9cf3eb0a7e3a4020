"""The tokenizers of an installed sacreBLEU, each in a module as there.

from fastbleu.sacrebleu.tokenizers.tokenizer_13a import Tokenizer13a
"""

from ...core.runtime.import_lock import import_locked
from ..base import installed

# The files are imported as modules of this package, so that sacreBLEU's own stay as they are.
__path__ = list(installed("sacrebleu.tokenizers", "tokenizers").__path__)

BaseTokenizer = import_locked(f"{__name__}.tokenizer_base").BaseTokenizer
