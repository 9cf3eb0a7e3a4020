"""sacreBLEU's own tokenizers, as the yardstick: without its caches of lines.

The caches hold 65,536 lines each, cost more than they save on random text, and would keep what a
test has patched.
"""

from functools import partial

import sacrebleu
from sacrebleu.tokenizers import (
    tokenizer_13a,
    tokenizer_char,
    tokenizer_intl,
    tokenizer_none,
    tokenizer_re,
    tokenizer_zh,
)

VERSION = "2.6.0"


def uncached(tokenizer):
    """The tokenizer's __call__ without lru_cache, bound to it."""
    call = type(tokenizer).__call__
    return partial(getattr(call, "__wrapped__", call), tokenizer)


def with_uncached_rules(tokenizer):
    """The same for 13a and zh, which hand the line on to the regular expressions."""
    tokenizer._post_tokenizer = uncached(tokenizer_re.TokenizerRegexp())
    return uncached(tokenizer)


LINES = {
    "none": uncached(tokenizer_none.NoneTokenizer()),
    "13a": with_uncached_rules(tokenizer_13a.Tokenizer13a()),
    "zh": with_uncached_rules(tokenizer_zh.TokenizerZh()),
    "intl": uncached(tokenizer_intl.TokenizerV14International()),
    "char": uncached(tokenizer_char.TokenizerChar()),
}


def tokens(text, name):
    """What sacreBLEU counts for the text of a segment."""
    assert sacrebleu.__version__ == VERSION
    return LINES[name](text.rstrip()).split()
