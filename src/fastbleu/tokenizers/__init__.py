"""Tokenizers by name: sacreBLEU's, and your own functions.

from fastbleu.tokenizers import get_tokenizer, tokenize
"""

from .loaded import Tokenizer, get_tokenizer, tokenize
from .table import TOKENIZERS

__all__ = ["TOKENIZERS", "Tokenizer", "get_tokenizer", "tokenize"]
