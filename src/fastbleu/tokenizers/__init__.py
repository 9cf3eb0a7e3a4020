"""Tokenizers by name: sacreBLEU's, and your own functions.

from fastbleu.tokenizers import get_tokenizer, tokenize
"""

from .table import TOKENIZERS, Tokenizer, get_tokenizer, tokenize

__all__ = ["TOKENIZERS", "Tokenizer", "get_tokenizer", "tokenize"]
