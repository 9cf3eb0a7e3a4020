"""Count a batch whose segments have their own tokenizers: `tokenizers=` of `BLEU.score`."""

from __future__ import annotations

from collections.abc import Hashable
from itertools import compress

from ..counting.counter import count_runs
from ..inputs._batch import Batch
from ..inputs.arguments import a_type, list_or_tuple, number_of
from ..inputs.checks import check_segments
from ..inputs.errors import AmongGiven, InputError, InputTypeError, Place
from ..inputs.missing import is_missing
from ..runtime.terminal import ProgressBar
from ..scoring.base import SEGMENT_TOKENIZERS
from ..tokenizers.tokenizer import Tokenizer, load_tokenizer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, TypeAlias

    from ..counting._counted import Counted
    from ..counting.counter import Counter
    from ..scoring.base import Dialect
    from ..tokenizers.tokenizer import TokenFunction

    # The tokenizer of each segment of a batch, or one for all.
    OneTokenizer: TypeAlias = str | TokenFunction | Tokenizer
    SegmentTokenizers: TypeAlias = OneTokenizer | Sequence[OneTokenizer | None]


def count_with_tokenizers(
    counter: Counter,
    dialect: Dialect,
    batch: Batch,
    tokenizers: SegmentTokenizers,
    keep_rows: bool,
    progress: bool,
) -> Counted:
    """Count each segment with its tokenizer and the other options of a metric's counter."""
    hypotheses, references = map(list_or_tuple, batch.lists())
    present = batch.present or [True] * len(hypotheses)
    counters = _segment_counters(counter, dialect, tokenizers, present)
    listed = Batch(hypotheses, references, batch.before, None, batch.warns)
    progress_bar = ProgressBar(progress, listed.segments, " segments")
    with AmongGiven(batch.present, batch.before), progress_bar as bar:
        return count_runs(counter, listed, counters, keep_rows, bar)


def _segment_counters(
    counter: Counter, dialect: Dialect, tokenizers: Any, present: list[bool]
) -> list[Counter]:
    """The counter of each present segment; `tokenizers` has an entry for every segment."""
    if counter.tokenizer is None:
        raise ValueError("tokenizers= is for text, but this metric takes tokens (tokenize=False)")
    dialect.require(SEGMENT_TOKENIZERS)
    is_single = isinstance(tokenizers, (str, Tokenizer)) or callable(tokenizers)
    if is_single:
        tokenizers = [tokenizers] * len(present)
    check_segments("tokenizers", tokenizers)
    choices = tokenizers.to_pylist() if hasattr(tokenizers, "to_pylist") else list(tokenizers)
    if len(choices) != len(present):
        raise InputError(
            f"tokenizers has {number_of(len(choices), 'entry', 'entries')}, hypotheses has "
            f"{len(present)}; pass a tokenizer for each segment, or one for all"
        )
    counters: dict[Any, Counter] = {}
    for segment, choice in enumerate(choices):
        try:
            if choice not in counters:
                own = is_missing(choice)
                chosen = counter.tokenizer if own else dialect.own_tokenizer(choice)
                counters[choice] = counter.with_tokenizer(load_tokenizer(chosen))
        except (TypeError, ValueError) as error:
            if is_single:
                raise
            message = error if isinstance(choice, Hashable) else f"tokenizers is {a_type(choice)}"
            kind = InputTypeError if isinstance(error, TypeError) else InputError
            raise kind.at(Place(segment), str(message)) from error
    return [counters[choice] for choice in compress(choices, present)]
