"""Counting a corpus that a user has passed in: text, lists of tokens or token ids."""

from __future__ import annotations

from ..inputs.arguments import check_flag
from ..inputs.ids import IdRules, are_ids, id_rows
from ..inputs.mistakes import (
    LEAST_TO_SUSPECT,
    warn_of_empty_rows,
    warn_of_label_padding,
    warn_of_padded_lists,
    warn_of_run,
    warn_of_words,
)
from ..inputs.segments import check_layout, list_or_tuple
from ..inputs.warnings import warn_input
from ..tokenizers.table import Tokenizer, get_tokenizer
from .stats import Stats
from .workers import Counted, CountOptions, count_packed, count_segments, threads_with_work

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..inputs._ids import IdRows
    from ..inputs.types import Hypotheses, References
    from ..tokenizers.table import TokenFunction, TokenizerName

# Square references are read both ways up to this size, which is more than anybody has by accident.
_LARGEST_SQUARE = 32


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
        not necessarily as many for each. With `tokenize` a str stands for one reference.
    max_order : int, default 4
        The longest n-grams to count.
    threads : int, default 1
        Counting releases the GIL, and so does tokenising text; reading lists of tokens holds it.
        Changes no result.
    tokenize : str or callable, optional
        Makes tokens out of text: a name of `fastbleu.tokenizers.TOKENIZERS` or a function of a str
        that returns a list of str. None: the input is lists of tokens already.
    lowercase : bool, default False
        Lower the text first.

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
        A str stands where a list of tokens is expected or the reverse, or a token is not hashable;
        the message names the segment and the position.
    ImportError, FileNotFoundError, RuntimeError
        What the tokenizer needs is not installed.
    OverflowError
        A segment is too long for 32-bit positions.

    Warns
    -----
    InputWarning
        The references look transposed although the lengths agree, there seems to be text in the
        place of tokens or the reverse, or the id -100, which pads labels, was counted.

    Examples
    --------
    >>> count([["a", "b", "c"]], [[["a", "b"], ["c", "d", "e", "f"]]], max_order=2)
    Stats([[3, 2, 3, 1, 3, 2]], max_order=2)
    >>> count(["Not tokenised."], ["Not tokenized."], max_order=1, tokenize="13a")
    Stats([[3, 3, 2, 3]], max_order=1)
    """
    tokenizer = None if tokenize is None else get_tokenizer(tokenize)
    return Counting(tokenizer, lowercase, max_order, threads).count(hypotheses, references).stats


class Counting:
    """Counts what users pass in, and checks it first; keeps its memory for the next time.

    Parameters
    ----------
    tokenizer, lowercase, max_order, threads, reference_length
        As for `CountOptions`.
    id_rules : IdRules, optional
        Which token ids count, where the input is none of text.
    """

    def __init__(
        self,
        tokenizer: Tokenizer | None,
        lowercase: bool = False,
        max_order: int = 4,
        threads: int = 1,
        reference_length: str = "closest",
        id_rules: IdRules | None = None,
    ) -> None:
        lowercase = check_flag("lowercase", lowercase)
        if tokenizer is None and lowercase:
            raise ValueError("lowercase=True needs text; lists of tokens are compared as they are")
        self._options = CountOptions(
            tokenizer, lowercase, max_order, threads, reference_length=reference_length
        )
        self._id_rules = id_rules or IdRules()
        self._knows_padding = False
        self._id_options = CountOptions(
            None,
            max_order=max_order,
            threads=threads,
            reference_length=reference_length,
            ids=self._id_rules,
        )

    def count(
        self,
        hypotheses: Any,
        references: Any,
        floor: bool | None = None,
        masks: tuple[Any, Any] = (None, None),
    ) -> Counted:
        """Count a corpus; errors and warnings as those of the function `count`.

        `floor` is that of `count_segments`, `masks` are those of `id_rows`.
        """
        is_text = self._options.tokenizer is not None
        if masks[0] is not None or masks[1] is not None or self._id_rules:
            if is_text:
                raise TypeError("a mask needs token ids; for these pass tokenize=None")
            return self._count_ids(id_rows(hypotheses, references, *masks), floor)
        if not is_text and are_ids(hypotheses, references):
            return self._count_ids(id_rows(hypotheses, references), floor)
        check_layout(hypotheses, references)
        warn_of_words(hypotheses, references, is_text)
        if not (is_text or self._knows_padding):
            self._knows_padding = len(hypotheses) >= LEAST_TO_SUSPECT
            warn_of_padded_lists("hypotheses", hypotheses)
        counted = count_segments(hypotheses, references, self._options, floor)
        if 1 < len(hypotheses) <= _LARGEST_SQUARE:
            _warn_if_transposed(counted.stats, hypotheses, references, self._options)
        return counted

    def _count_ids(self, corpus: tuple[IdRows, IdRows], floor: bool | None) -> Counted:
        counted = count_packed(*corpus, self._id_options, threads_with_work(*corpus), floor)
        if len(corpus[0]) >= LEAST_TO_SUSPECT:
            self._warn_of_ids(corpus, counted.stats)
            if not (self._knows_padding or counted.label_padding):
                self._warn_of_padding(corpus)
        if counted.label_padding:
            warn_of_label_padding()
        return counted

    def _warn_of_ids(self, corpus: tuple[IdRows, IdRows], stats: Stats) -> None:
        """Warn where nothing is left of all hypotheses or references."""
        width = 2 + 2 * self._id_options.max_order
        for place, name in enumerate(("hypothesis", "reference")):
            if not any(stats._rows[place::width]) and corpus[place].size:
                warn_of_empty_rows(f"every {name} is", f"{name}_mask=")

    def _warn_of_padding(self, corpus: tuple[IdRows, IdRows]) -> None:
        """Warn where what seems to be padding counts; of a first batch, as all will be like it."""
        self._knows_padding = True
        for name, rows in zip(("hypothesis", "reference"), corpus, strict=True):
            padding = self._id_rules.uncounted(rows)
            if padding is not None:
                warn_of_run(f"{name} ids", padding)
                return


def _warn_if_transposed(
    stats: Stats, hypotheses: Any, references: Any, options: CountOptions
) -> None:
    """Warn where there are as many references as segments and they match better if turned.

    Either reading has the right references on its diagonal, so that little gives it away.
    """
    size = len(hypotheses)
    # By now: a token's own code, or another thread, may change them at any time.
    references = list_or_tuple(references)[:]
    if not size or len(references) != size:
        return
    first = references[0]
    if type(first) in (str, list, tuple) and (isinstance(first, str) or len(first) != size):
        return
    if any(isinstance(part, str) or len(list_or_tuple(part)) != size for part in references):
        return
    turned = list(zip(*references, strict=True))
    other = count_segments(hypotheses, turned, options).stats
    if other.matches.sum() > stats.matches.sum():
        warn_input(
            f"there are {size} segments with {size} references each, read as "
            "references[segment][k], but read as references[k][segment] they match better; "
            "if that is their layout pass list(zip(*references))"
        )
