"""Counting what a user passes in: text, lists of tokens or token ids, checked first."""

from __future__ import annotations

from ..inputs._ids import IdRows, plain_rows
from ..inputs.arguments import check_lowercase, check_positive
from ..inputs.column_pairs import Columns, arrays_of, columns_of
from ..inputs.ids import are_ids, id_rows
from ..inputs.mistakes import (
    MIN_SEQUENCES_TO_WARN,
    layout_is_open,
    warn_of_id_padding,
    warn_of_label_padding,
    warn_of_layout,
    warn_of_padded_lists,
    warn_of_words,
    warn_where_all_are_empty,
)
from ..inputs.segments import check_layout, is_collection, list_or_tuple, listed_segments
from ..runtime.progress import ProgressBar
from ..tokenizers.table import Tokenizer, get_tokenizer
from ._batch import Counted, count_batch
from .batch import CountOptions
from .stats import Stats

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..inputs.types import Hypotheses, References
    from ..tokenizers.table import TokenFunction, TokenizerName

# The layout is examined if there are at most this many references; real segments have fewer.
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
        their number may vary. With `tokenize` a str is a single reference.
    max_order : int, default 4
        The longest n-grams to count.
    threads : int, default 1
        Counting releases the GIL, and so does tokenizing text. Reading lists of tokens holds it;
        several threads that count a list hold it for about a millisecond at a time. Does not change
        the result.
    tokenize : str or callable, optional
        Splits text into tokens: a name of `fastbleu.tokenizers.TOKENIZERS` or a function of a str
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
    options = CountOptions(tokenizer, lowercase, max_order, check_positive("threads", threads))
    return count_input(hypotheses, references, options).stats


def count_input(
    hypotheses: Any,
    references: Any,
    options: CountOptions,
    masks: tuple[Any, Any] = (None, None),
    *,
    keep_rows: bool = True,
    progress: bool = False,
) -> Counted:
    """Check a batch, count it (as `count_batch`), and warn of likely mistakes."""
    is_text = options.tokenizer is not None
    masked = masks[0] is not None or masks[1] is not None
    by_rules = options.id_rules is not None
    rows = None if is_text or masked else plain_rows(hypotheses, references, by_rules)
    if rows is None:
        columns = None
        if not type(hypotheses) is type(references) is list:
            columns = columns_of(hypotheses, references, is_text, options.reads_utf8)
        if columns is not None:
            if not masked and (is_text or not columns.is_mixed):
                return count_columns(columns, options, keep_rows, progress)
            hypotheses, references = columns.lists()
        if masked or by_rules or (not is_text and are_ids(hypotheses, references)):
            if is_text:
                raise TypeError("a mask needs token ids; for these pass tokenize=None")
            rows = id_rows(hypotheses, references, *masks)
    if rows is not None:
        hypotheses, references = rows
        counted = _count_checked(hypotheses, references, options, keep_rows, progress)
        _warn_of_ids(hypotheses, references, counted, options)
        if counted.label_padding:
            warn_of_label_padding()
        return counted
    plain = type(hypotheses) is type(references) is list and len(hypotheses) == len(references)
    if not plain:
        check_layout(hypotheses, references)
    # A str is all of a segment's references, and no word of one.
    if not (plain and is_text and str in map(type, references[:1])):
        warn_of_words(hypotheses, references, is_text)
    if not (is_text or options.padding_was_checked):
        options.padding_was_checked = len(hypotheses) >= MIN_SEQUENCES_TO_WARN
        warn_of_padded_lists("hypotheses", hypotheses)
    if not plain:
        arrays = arrays_of(hypotheses, references) if options.reads_utf8 else None
        hypotheses, references = arrays or listed_segments(hypotheses, references)
    counted = _count_checked(hypotheses, references, options, keep_rows, progress)
    # A slice: another thread may have emptied the list.
    if (
        1 < counted.segments <= _LARGEST_SQUARE
        and str not in map(type, references[:1])
        and layout_is_open(*options.layout_votes)
    ):
        _examine_layout(hypotheses, references, options)
    return counted


def _count_checked(
    hypotheses: Any, references: Any, options: CountOptions, keep_rows: bool, progress: bool
) -> Counted:
    if not progress:
        return count_batch(hypotheses, references, options, keep_rows=keep_rows)
    with ProgressBar(True, len(hypotheses), " segments") as bar:
        return count_batch(hypotheses, references, options, keep_rows=keep_rows, bar=bar)


def count_columns(
    columns: Columns, options: CountOptions, keep_rows: bool, progress: bool
) -> Counted:
    """Count columns block by block, so that memory does not grow with them."""
    total = Counted(0 if keep_rows else 1, options.max_order)
    with ProgressBar(progress, None, " segments") as bar:
        for hypotheses, references, before in columns.blocks(options.threads):
            how: dict[str, Any] = {"keep_rows": keep_rows, "before": before}
            counted = count_batch(
                hypotheses, references, options, bar=bar if progress else None, **how
            )
            if type(hypotheses) is IdRows and not before:
                _warn_of_ids(hypotheses, references, counted, options)
            total.add(counted, keep_rows)
    if total.label_padding and options.tokenizer is None:
        warn_of_label_padding()
    return total


def _warn_of_ids(
    hypotheses: IdRows, references: IdRows, counted: Counted, options: CountOptions
) -> None:
    """Warn where all rows seem to be empty, or to end in padding that counts."""
    if counted.segments < MIN_SEQUENCES_TO_WARN:
        return
    rows, width = counted.rows, 2 + 2 * options.max_order
    # The first row nearly always decides.
    if not (rows[0] and rows[1]) and not (any(rows[0::width]) and any(rows[1::width])):
        warn_where_all_are_empty(hypotheses, references, rows, width)
    if not (options.padding_was_checked or counted.label_padding):
        # Only the first batch, because later ones will be similar.
        options.padding_was_checked = True
        warn_of_id_padding(hypotheses, references, options.id_rules)


def _examine_layout(hypotheses: Any, references: Any, options: CountOptions) -> None:
    """Warn once if references, as many as segments, turn out to be transposed.

    For each segment, one reference by this layout is compared with one by the other layout: which
    has more in common with the hypothesis? Sets of references would tell less, because those of
    several segments together contain most words of any hypothesis.
    """
    size = len(hypotheses)
    if not any(is_collection(part) and len(part) == size for part in references[:1]):
        return
    if references[0] is references[-1]:  # one set of references for all segments
        return
    # Copies: a token's own code, or another thread, may change them at any time.
    hypotheses = hypotheses[:size]
    if any(isinstance(part, str) for part in references[:size]):
        return
    parts = [list(list_or_tuple(part)) for part in references[:size]]
    if {len(parts), *map(len, parts)} != {size}:
        return
    others = [(segment + size // 2) % size for segment in range(size)]
    given = [[parts[segment][other]] for segment, other in enumerate(others)]
    turned = [[parts[other][segment]] for segment, other in enumerate(others)]
    similarities = [_similarities(count_batch(hypotheses, its, options)) for its in (given, turned)]
    pairs = list(zip(*similarities, strict=True))
    in_favor, against = options.layout_votes
    in_favor += sum(this > 2 * other for this, other in pairs)
    against += sum(other > 2 * this for this, other in pairs)
    options.layout_votes = in_favor, against
    warn_of_layout(in_favor, against)


def _similarities(counted: Counted) -> list[float]:
    """Common n-grams of each hypothesis and its only reference, relative to both lengths."""
    rows, width = counted.rows, 2 + 2 * counted.max_order
    return [
        sum(rows[start + 2 : start + 1 + width // 2]) / max(1, rows[start] + rows[start + 1])
        for start in range(0, len(rows), width)
    ]
