"""Tokenizers by name: sacreBLEU's, and your own functions.

from fastbleu.tokenizers import get_tokenizer, tokenize
"""

from .table import TOKENIZERS as TOKENIZERS
from .table import Tokenizer as Tokenizer
from .table import get_tokenizer as get_tokenizer
from .table import tokenize as tokenize

__all__ = ["TOKENIZERS", "Tokenizer", "get_tokenizer", "tokenize"]
