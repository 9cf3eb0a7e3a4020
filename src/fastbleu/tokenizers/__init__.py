"""Tokenizers by name: sacreBLEU's, those of other libraries, and your own functions.

from fastbleu.tokenizers import tokenize
"""

from .tokenizer import Tokenizer, get, names, tokenize

__all__ = ["Tokenizer", "get", "names", "tokenize"]
