"""`Counter`: counts the n-gram matches of batches."""

from __future__ import annotations

from itertools import groupby, pairwise

from ..._core import SegmentCounter
from ..inputs._batch import Batch
from ..inputs._id_rows import IdRows
from ..inputs.checks import TextChecks, TokenChecks
from ..inputs.errors import AmongGiven
from ..inputs.ids import NO_IDS, IdFilter
from ..inputs.mistakes import SEGMENTS_BEFORE_LOOK, MistakeWatch, warn_of
from ..runtime.terminal import ProgressBar
from ._counted import Counted, CounterBase, Worker, count_segments
from ._id_packer import IdPacker
from ._prefixes import count_prefixes
from ._text_packer import TextPacker
from ._token_packer import TokenPacker

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import Any

    from ..tokenizers.tokenizer import Tokenizer
    from ._packed import Signs

_TOKEN_CHECKS, _TEXT_CHECKS = TokenChecks(), TextChecks()
_CHUNK_SEGMENTS = 512


class Counter(CounterBase):
    """Counts batches. Takes checked arguments; keeps its workers' memory between calls.

    Parameters
    ----------
    tokenizer : Tokenizer or None
        None: the input is lists of tokens, or rows of ids.
    lowercase, max_ngram_order, threads, reference_length
        As for `fastbleu.BLEU`.
    id_filter : IdFilter, optional
        The token ids that count.
    skip_none : bool, default False
        Whether to leave out references that are None.
    least_total : int, default 0
        Smaller totals are raised to this when rows are summed.
    checks : TokenChecks, optional
        Checks of lists of tokens.
    """

    takes_columns = True  # whether `count` takes columns as they are
    dialect: Any = None  # for the counters that a dialect has of its own

    def __init__(
        self,
        tokenizer: Tokenizer | None,
        lowercase: bool = False,
        max_ngram_order: int = 4,
        threads: int = 1,
        *,
        reference_length: str = "closest",
        id_filter: IdFilter | None = None,
        skip_none: bool = False,
        least_total: int = 0,
        checks: TokenChecks | None = _TOKEN_CHECKS,
    ) -> None:
        self.threads = threads
        self.lowercase = lowercase
        self.max_ngram_order = max_ngram_order
        self.reference_length = reference_length
        self.id_filter = id_filter or None
        self.skip_none = skip_none
        self.least_total = least_total
        self.checks = checks
        self.tokenizer = tokenizer
        self.is_text = tokenizer is not None
        self.reads_utf8 = self.takes_columns and bool(tokenizer and tokenizer.compiled)
        self.watch = MistakeWatch()
        self.unlooked = 0 if tokenizer is None else SEGMENTS_BEFORE_LOOK
        self.split = None if tokenizer is None else tokenizer.split
        # For "auto": the function from a text to its tokenizer.
        self.choose = None if tokenizer is None else tokenizer.choose
        self._others: dict[Tokenizer, Counter] = {}

    def with_tokenizer(self, tokenizer: Tokenizer) -> Counter:
        """This counter, or one for text that differs only in the tokenizer."""
        if tokenizer == self.tokenizer:
            return self
        counter = self._others.get(tokenizer)
        if counter is None:
            counter = Counter(
                tokenizer,
                self.lowercase,
                self.max_ngram_order,
                self.threads,
                reference_length=self.reference_length,
                skip_none=self.skip_none,
                least_total=self.least_total,
            )
            if not callable(tokenizer.argument):  # each batch may have other functions
                self._others[tokenizer] = counter
        return counter

    def _count_blocks(self, batch: Batch, keep_rows: bool, progress: bool) -> Counted:
        """Count block by block, so that memory use does not depend on a column's length."""
        total = Counted(0, self.max_ngram_order, keep_rows)
        with ProgressBar(progress, batch.segments, " segments") as bar:
            for block in batch.blocks(self.threads):
                if self.choose is not None:
                    block = rereadable(self, block)
                    counters = map(self._counter_for, block.references)
                    with AmongGiven(block.present, block.before):
                        counted = count_runs(self, block, counters, keep_rows, bar)
                    if counted.tokenizers:  # which "auto" has chosen
                        counted.tokenizers |= {None}
                    total.add(counted)
                    continue
                with AmongGiven(block.present, block.before):
                    counted = count_segments(self, block, keep_rows, bar if progress else None)
                if block.warns:
                    self.watch.examine(self, block, counted)
                elif batch.warns and type(block.hypotheses) is not IdRows:
                    self.watch.examine_texts(self, block, counted)
                elif batch.warns and counted.signs.label_padding and not total.signs.label_padding:
                    warn_of("label padding")
                total.add(counted)
        return total

    def count_prefixes(self, batch: Batch, *arguments: Any) -> Counted:
        """Count a batch of tokens or ids and its prefixes: see _prefixes.pyx."""
        counted = count_prefixes(self, batch.hypotheses, batch.references, *arguments)
        self.watch.examine(self, batch, counted)
        return counted

    def parts(self, batch: Batch, choosing: Any = None) -> Iterator[tuple[Counter, Batch]]:
        """Parts of a batch of lists, each with its counter: this one, or one for its script."""
        if self.choose is None:
            return iter([(self, batch)])
        return runs(batch, map(self._counter_for, choosing or batch.references))

    def _counter_for(self, references: Any) -> Counter:
        """The counter of a segment, with the tokenizer for the script of its first reference."""
        assert self.choose is not None
        texts = [references] if isinstance(references, str) else references
        first = next((text for text in texts if isinstance(text, str)), "")
        return self.with_tokenizer(self.choose(first))

    def new_worker(self, kind: type) -> Worker:
        """A worker for another thread and hypotheses of this type."""
        packer: Any
        tokenizer, lowercase, skip_none = self.tokenizer, self.lowercase, self.skip_none
        if kind is IdRows:
            ids = self.id_filter or NO_IDS
            packer = IdPacker(ids.ignore_ids, ids.skip_ids, ids.stop_ids)
        elif tokenizer is None:
            packer = TokenPacker(self.checks)
        elif tokenizer.packer is not None:
            packer = tokenizer.packer(_TEXT_CHECKS, lowercase)
        elif (rewrite := tokenizer.rewrite) is not None:
            lines = None
            if tokenizer.line_writer is None:
                lines = PreparedLines(rewrite, lowercase, skip_none)
            packer = TextPacker(
                _TEXT_CHECKS,
                str(tokenizer.rewritten_for),
                missing=skip_none,
                prepared=lines,
                line_writer=tokenizer.line_writer,
            )
        elif (split := self.split) is not None:
            lines = PreparedLines(
                lambda texts, *_: [split(text.lower() if lowercase else text) for text in texts],
                lowercase,
                skip_none,
            )
            packer = TokenPacker(self.checks, lines)
        else:
            packer = TextPacker(_TEXT_CHECKS, str(tokenizer.compiled), lowercase, skip_none)
        # A mean length is not an integer: its dialect computes it from the tokens.
        choice = "closest" if self.reference_length == "average" else self.reference_length
        return Worker(packer, SegmentCounter(self.max_ngram_order, choice, self.least_total))


def runs(batch: Batch, counters: Iterable[Counter]) -> Iterator[tuple[Counter, Batch]]:
    """Parts of a batch of lists, in its order, each with a counter for all of its segments.

    `counters` has one for each segment; consecutive segments with the same one are a part.
    """
    first = 0
    for counter, run in groupby(counters):
        last = first + len(list(run))
        sides = batch.hypotheses[first:last], batch.references[first:last]
        yield counter, Batch(*sides, batch.before + first, None, batch.warns)
        first = last


def count_runs(
    own: Counter, batch: Batch, counters: Iterable[Counter], keep_rows: bool, bar: ProgressBar
) -> Counted:
    """Count the parts from `runs` for the counter `own`; see `Counted.tokenizers`."""
    total = Counted(0, own.max_ngram_order, keep_rows)
    used: set[str | None] = set()
    for counter, part in runs(batch, counters):
        counted = counter.count(part, keep_rows=keep_rows)
        tokenizer = counter.tokenizer
        assert tokenizer is not None
        if not tokenizer.needs_plain_text:
            counted.signs.tokenized_periods = 0
        total.add(counted)
        bar.update(counted.segments)
        signature = None if counter is own else tokenizer.signature
        used |= {signature if name is None else name for name in counted.tokenizers or [None]}
    if used - {None}:
        total.tokenizers = frozenset(used)
    return total


class PreparedLines:
    """Text that Python functions rewrite or split before it is packed, chunk by chunk.

    Parameters
    ----------
    prepare : callable
        Takes a list of str, `lowercase`, and whether they are references; returns the packer's
        input.
    missing : bool
        Whether to ignore references that are None.
    """

    def __init__(
        self, prepare: Callable[[list[str], bool, bool], list[Any]], lowercase: bool, missing: bool
    ) -> None:
        self._prepare = prepare
        self._lowercase = lowercase
        self._missing = missing
        self.reset()

    def reset(self) -> None:
        """Forget the last chunk."""
        self._hypotheses: list[Any] = []
        self._references: list[list[Any]] = []
        self._first = 0

    def chunk_at(
        self, start: int, hypotheses: Any, references: Any, before: int, signs: Signs
    ) -> tuple[list[Any], list[list[Any]], int]:
        """Prepared hypotheses and references, and the position of segment `start` in them.

        Segments that did not fit into the packer's last chunk are already prepared.
        """
        if not self._first <= start < self._first + len(self._hypotheses):
            # Copies, because the function or another thread may change the lists.
            self._first, end = start, start + _CHUNK_SEGMENTS
            lines, listed = hypotheses[start:end], references[start:end]
            texts: list[Any] = []
            ends = [0]  # the end of each segment's references in `texts`
            for of_segment in listed:
                if type(of_segment) is str:
                    texts.append(of_segment)
                elif type(of_segment) in (list, tuple):
                    texts += of_segment
                ends.append(len(texts))
            if {*map(type, lines), *map(type, texts)} != {str} or len({*ends}) < len(ends):
                texts, ends = [], [0]
                pairs = zip(lines, listed, strict=False)
                for segment, pair in enumerate(pairs, before + start):
                    texts += self._texts(*pair, segment)
                    ends.append(len(texts))
            lines = lines[: len(ends) - 1]
            signs.tokenized_periods += sum([line.endswith(" .") for line in lines])
            self._hypotheses = self._prepare(lines, self._lowercase, False)
            prepared = self._prepare(texts, self._lowercase, True)
            self._references = [prepared[first:last] for first, last in pairwise(ends)]
        return self._hypotheses, self._references, start - self._first

    def _texts(self, hypothesis: Any, references: Any, segment: int) -> list[str]:
        """The references of a segment; an error if these or the hypothesis are not text."""
        if not isinstance(hypothesis, str):
            _TEXT_CHECKS.line(hypothesis, segment, None)
        references = [references] if isinstance(references, str) else references
        if type(references) not in (list, tuple):
            references = _TEXT_CHECKS.references(references, segment)
        texts = []
        for k, text in enumerate(references):
            if isinstance(text, str):
                texts.append(text)
            elif text is not None or not self._missing:
                _TEXT_CHECKS.line(text, segment, k)
        if not texts:
            _TEXT_CHECKS.refuse_no_references(segment)
        return texts


def rereadable(counter: Counter, batch: Batch) -> Batch:
    """The batch with lists in place of iterators, which could be read only once."""
    hypotheses, references = batch.lists()
    if type(hypotheses) is IdRows:
        return Batch(hypotheses, references, batch.before, batch.present, batch.warns)
    is_text = counter.is_text
    checks: Any = _TEXT_CHECKS if is_text else counter.checks
    with AmongGiven(batch.present, batch.before):
        references = [
            texts
            if type(texts) in (list, tuple) or (is_text and isinstance(texts, str))
            else checks.references(texts, segment)
            for segment, texts in enumerate(references, batch.before)
        ]
        if not is_text:
            numbered = range(batch.before, batch.before + len(hypotheses))
            hypotheses = [
                tokens if type(tokens) in (list, tuple) else checks.tokens(tokens, segment, None)
                for segment, tokens in zip(numbered, hypotheses, strict=True)
            ]
            references = [*map(checks.token_lists, references, numbered)]
    return Batch(hypotheses, references, batch.before, batch.present, batch.warns)
