"""Tokenizers: those of sacreBLEU and of other libraries, by name, and your own functions.

from fastbleu.tokenizers import tokenize
"""

from .core.tokenizers.tokenizer import Tokenizer, get, names, tokenize

__all__ = ["Tokenizer", "get", "names", "tokenize"]
