"""`fastbleu.count`: the rows of what a user passes in."""

from __future__ import annotations

from ..inputs.arguments import check_lowercase, check_positive
from ..inputs.read import read
from ..tokenizers.loaded import get as get_tokenizer
from .counter import Counter
from .stats import Stats

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..inputs.types import Hypotheses, References
    from ..tokenizers.loaded import TokenFunction, Tokenizer
    from ..tokenizers.table import TokenizerName


def count(
    hypotheses: Hypotheses,
    references: References,
    max_order: int = 4,
    threads: int = 1,
    *,
    tokenize: TokenizerName | TokenFunction | Tokenizer | None = None,
    lowercase: bool = False,
) -> Stats:
    """Count the n-gram matches of every segment.

    Parameters
    ----------
    hypotheses : sequence of S token sequences, or of S str
        Tokens are any hashable objects; equal tokens match. With `tokenize` a hypothesis is a str.
        Token ids may be an array or a tensor of integers, as for `fastbleu.BLEU.score`.
    references : sequence of S sequences of token sequences, or of S str or sequences of str
        ``references[i][k]`` is the k-th reference of ``hypotheses[i]``; at least one per segment,
        their number may vary. With `tokenize` a str is a single reference.
    max_order : int, default 4
        The longest n-grams to count.
    threads : int, default 1
        Threads that tokenize and count text and ids; lists of tokens take one, which holds the GIL
        while it reads. They do not change the result.
    tokenize : str or callable, optional
        Splits text into tokens: a name of `fastbleu.tokenizers.names` or a function of a str
        that returns a list of str. None: the input is lists of tokens.
    lowercase : bool, default False
        Lowercase the text first.

    Returns
    -------
    Stats
        S rows.

    Raises
    ------
    ValueError
        `references` and `hypotheses` differ in length, the layout is ``references[k][segment]``, a
        segment has no reference, the tokenizer is unknown, a number is below 1, or `lowercase` goes
        with lists of tokens.
    TypeError
        A str is where a list of tokens is expected or the reverse, or a token is not hashable.
    ImportError, FileNotFoundError, RuntimeError
        A library or model that the tokenizer needs is missing.
    OverflowError
        A segment is too long for 32-bit positions.

    Warns
    -----
    InputWarning
        The references look transposed although the lengths agree, text seems to be passed as
        tokens or the reverse, or the id -100, which pads labels, was counted.

    Examples
    --------
    >>> count([["a", "b", "c"]], [[["a", "b"], ["c", "d", "e", "f"]]], max_order=2)
    Stats([[3, 2, 3, 1, 3, 2]], max_order=2)
    >>> count(["Not tokenised."], ["Not tokenized."], max_order=1, tokenize="13a")
    Stats([[3, 3, 2, 3]], max_order=1)
    """
    tokenizer = None if tokenize is None else get_tokenizer(tokenize)
    lowercase = check_lowercase(lowercase, tokenizer is not None)
    max_order = check_positive("max_order", max_order)
    counter = Counter(tokenizer, lowercase, max_order, check_positive("threads", threads))
    return counter.count(read(hypotheses, references, counter)).stats
