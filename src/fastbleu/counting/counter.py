"""`Counter`: counts the n-gram matches of batches."""

from __future__ import annotations

from .._core import SegmentCounter
from ..inputs import mistakes
from ..inputs._id_rows import IdRows
from ..inputs._utf8_rows import Utf8Rows
from ..inputs.arrays import list_or_tuple
from ..inputs.batch import Batch
from ..inputs.checks import TextChecks, TokenChecks, is_collection
from ..inputs.ids import NO_IDS, IdFilter
from ..inputs.places import Place
from ..runtime._process import Pool
from ..runtime.progress import ProgressBar
from ._counted import Counted, Worker, count_prefixes, count_segments
from ._id_packer import IdPacker
from ._text_packer import TextPacker
from ._token_packer import TokenPacker
from .prepared_lines import PreparedLines
from .row_counters import count_runs, runs
from .stats import Stats

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Any

    from ..tokenizers.loaded import Tokenizer

_TOKEN_CHECKS = TokenChecks()
# The layout is examined if there are at most this many references; real segments have fewer.
_LARGEST_SQUARE = 32


class Counter:
    """Counts batches. Its arguments were checked; it keeps the memory of its workers between calls.

    Parameters
    ----------
    tokenizer : Tokenizer or None
        None: the input is lists of tokens, or rows of ids.
    lowercase, max_order, threads, reference_length
        As for `fastbleu.BLEU`.
    id_filter : IdFilter, optional
        Which ids count.
    skip_none : bool, default False
        Whether references that are None are left out.
    least_total : int, default 0
        Where rows are added up, a smaller total counts as this.
    checks : TokenChecks, optional
        Of lists of tokens.
    """

    def __init__(
        self,
        tokenizer: Tokenizer | None,
        lowercase: bool = False,
        max_order: int = 4,
        threads: int = 1,
        *,
        reference_length: str = "closest",
        id_filter: IdFilter | None = None,
        skip_none: bool = False,
        least_total: int = 0,
        checks: TokenChecks = _TOKEN_CHECKS,
    ) -> None:
        self.lowercase = lowercase
        self.max_order = max_order
        self.threads = threads
        self.reference_length = reference_length
        self.id_filter = id_filter or None
        self.skip_none = skip_none
        self.least_total = least_total
        self.checks = checks
        self.padding_was_checked = False
        self.tokenizer = tokenizer
        self.is_text = tokenizer is not None
        self.texts_were_checked = tokenizer is None
        self.to_examine = mistakes.UNRELATED_EXAMINED
        self.split = None if tokenizer is None else tokenizer.function
        # Of "auto" (tokenizers/words.py), and of "ptb" (_ptb.pyx).
        self.by_script = getattr(self.split, "tokenizer_of", None)
        prepare, _ = (tokenizer and tokenizer.prepared) or (None, "")
        self.line_writer = getattr(prepare, "line_writer", None)
        # Segments in favor of the layout of references, and against it: see `warn_of_layout`.
        self.layout_votes = 0, 0
        # Workers that are not in use, by the type of hypotheses: lists stand for tuples and arrays.
        self.idle = {list: Pool(threads), IdRows: Pool(threads), Utf8Rows: Pool(threads)}
        self._others: dict[Tokenizer, Counter] = {}

    def with_tokenizer(self, tokenizer: Tokenizer) -> Counter:
        """This counter, or one for text that differs only in the tokenizer."""
        if tokenizer == self.tokenizer:
            return self
        found = self._others.get(tokenizer)
        if found is None:
            found = Counter(
                tokenizer,
                self.lowercase,
                self.max_order,
                self.threads,
                reference_length=self.reference_length,
                skip_none=self.skip_none,
                least_total=self.least_total,
            )
            if not callable(tokenizer.argument):  # each batch may have other functions
                self._others[tokenizer] = found
        return found

    @property
    def reads_utf8(self) -> bool:
        """Whether text can be counted as UTF-8: by a compiled tokenizer, without Python strings."""
        return self.tokenizer is not None and self.tokenizer.function is None

    def count(
        self,
        batch: Batch,
        *,
        keep_rows: bool = True,
        progress: bool = False,
        meanwhile: Callable[[], None] | None = None,
    ) -> Counted:
        """Count a batch.

        Parameters
        ----------
        keep_rows : bool, default True
            Whether each segment has a row; else there is one row, the sum of all, and memory does
            not grow with the batch.
        progress : bool, default False
            Show a progress bar.
        meanwhile : callable, optional
            Is called once while other threads count.
        """
        # A ColumnBatch has several blocks.
        if progress or type(batch) is not Batch or self.by_script is not None:
            counted = self._count_blocks(batch, keep_rows, progress)
        else:
            hypotheses, before = batch.hypotheses, batch.before
            counted = count_segments(
                self, hypotheses, batch.references, keep_rows, before, None, meanwhile
            )
            if batch.warns:
                self._warn_of_mistakes(batch, counted)
        if counted.label_padding and batch.warns and not self.is_text:
            mistakes.warn_of_label_padding()
        return counted

    def _count_blocks(self, batch: Batch, keep_rows: bool, progress: bool) -> Counted:
        """Count block by block, so that memory does not grow with a column."""
        total = Counted(0, self.max_order, keep_rows)
        with ProgressBar(progress, batch.segments, " segments") as bar:
            for block in batch.blocks(self.threads):
                sides = block.hypotheses, block.references
                if self.by_script is not None:
                    counters = map(self._counter_for, block.references)
                    counted = count_runs(self, block, counters, keep_rows, bar)
                    if counted.tokenizers:  # after "auto", which chose them
                        counted.tokenizers |= {None}
                    total.add(counted)
                    continue
                shown = bar if progress else None
                counted = count_segments(self, *sides, keep_rows, block.before, shown)
                if block.warns:
                    self._warn_of_mistakes(block, counted)
                elif batch.warns and type(block.hypotheses) is not IdRows:
                    self._warn_of_texts(block, counted)
                total.add(counted)
        return total

    def count_prefixes(self, batch: Batch, *arguments: Any) -> Counted:
        """Count a batch of tokens or ids, and its prefixes: see _counted.pyx."""
        counted = count_prefixes(self, batch.hypotheses, batch.references, *arguments)
        self._warn_of_mistakes(batch, counted)
        if counted.label_padding:
            mistakes.warn_of_label_padding()
        return counted

    def match_positions(
        self, hypotheses: Sequence[Any], references: Sequence[Any]
    ) -> tuple[bytes, Stats]:
        """The matches at every token of every hypothesis, and the rows, which are their sums.

        Parameters
        ----------
        hypotheses, references
            Checked lists of text or of lists of tokens.

        Returns
        -------
        bytes, shape (tokens of all hypotheses,)
            Bit n - 1 is set where the n-gram of order n that starts at the token is a clipped
            match. Orders above the eighth are left out.
        Stats
            S rows, those of `count`.
        """
        found, parts = [], []
        for counter, part in self.parts(Batch(hypotheses, references)):
            worker, first = counter.new_worker(list), 0
            while taken := worker.packer.fill(part.hypotheses, part.references, first, 0):
                positions, rows = worker.counter.match_positions(worker.packer)
                found.append(positions)
                parts.append(Stats._own(rows, self.max_order))
                first += taken
        stats = Stats.concatenate(parts) if parts else Stats.zeros(0, self.max_order)
        return b"".join(found), stats

    def parts(self, batch: Batch) -> Iterator[tuple[Counter, Batch]]:
        """Parts of a batch of lists, each with its counter: all with this one, or by script."""
        if self.by_script is None:
            return iter([(self, batch)])
        return runs(batch, map(self._counter_for, batch.references))

    def _counter_for(self, references: Any) -> Counter:
        """What counts a segment: all of it by the tokenizer of the first reference's script."""
        assert self.by_script is not None
        texts = list_or_tuple(references) if is_collection(references) else [references]
        first = next((text for text in texts if isinstance(text, str)), "")
        return self.with_tokenizer(self.by_script(first))

    def new_worker(self, kind: type) -> Worker:
        """The worker of one more thread, for lists of segments, IdRows or Utf8Rows."""
        packer: Any
        tokenizer, lowercase, skip_none = self.tokenizer, self.lowercase, self.skip_none
        if kind is IdRows:
            ids = self.id_filter or NO_IDS
            packer = IdPacker(ids.ignore_ids, ids.skip_ids, ids.stop_ids)
        elif tokenizer is None:
            packer = TokenPacker(self.checks)
        elif tokenizer.prepared is not None:
            prepare, compiled = tokenizer.prepared
            lines = None
            if self.line_writer is None:
                lines = PreparedLines(lambda text, of: prepare(text, lowercase, of), skip_none)
            packer = TextPacker(
                TextChecks(),
                compiled,
                missing=skip_none,
                prepared=lines,
                line_writer=self.line_writer,
            )
        elif (split := self.split) is not None:
            lines = PreparedLines(
                lambda text, _: split(text.lower() if lowercase else text), skip_none
            )
            packer = TokenPacker(self.checks, lines)
        else:
            packer = TextPacker(TextChecks(), str(tokenizer.compiled), lowercase, skip_none)
        return Worker(packer, SegmentCounter(self.max_order, self.reference_length))

    def _warn_of_mistakes(self, batch: Batch, counted: Counted) -> None:
        """Warn of what `_warn_of_texts` does, of padding, and of transposed references."""
        if type(batch.hypotheses) is IdRows:
            self._warn_of_ids(batch, counted)
            return
        # Single pairs may differ in all words by chance.
        if not self.texts_were_checked or counted.segments >= mistakes.MIN_SEQUENCES_TO_WARN:
            self._warn_of_texts(batch, counted)
        if type(batch.hypotheses) is Utf8Rows:
            return
        if not (self.is_text or self.padding_was_checked):
            self.padding_was_checked = counted.segments >= mistakes.MIN_SEQUENCES_TO_WARN
            mistakes.warn_of_padded_lists("hypotheses", batch.hypotheses)
        # A slice: another thread may have emptied the list.
        if (
            1 < counted.segments <= _LARGEST_SQUARE
            and str not in map(type, batch.references[:1])
            and mistakes.layout_is_open(*self.layout_votes)
        ):
            self._examine_layout(batch.hypotheses, batch.references)

    def _warn_of_texts(self, batch: Batch, counted: Counted) -> None:
        """Warn once of lists that were printed, of text without spaces, and of unrelated sides."""
        sides: Any = batch.hypotheses, batch.references
        if not self.texts_were_checked and self.tokenizer is not None and len(sides[0]):
            self.texts_were_checked = True
            mistakes.warn_of_printed_lists(*sides)
            if self.tokenizer.splits_at_spaces:
                mistakes.warn_of_unspaced(mistakes.sample_of(sides[0]), self.tokenizer.name)
        if not (self.to_examine and mistakes.look_unrelated(counted.rows, 2 + 2 * self.max_order)):
            return
        self.to_examine -= 1
        if self.is_text and mistakes.warn_of_scripts(*map(mistakes.sample_of, sides)):
            self.to_examine = 0
            return
        if type(sides[0]) is Utf8Rows:
            sides = [side.as_lists(Place) for side in sides]
        hypotheses, references = (list(side)[-mistakes.SHIFT_SAMPLE :] for side in sides)
        try:
            votes = [
                self._votes(hypotheses, references, references[n:] + references[:n])
                for n in (1, -1)
            ]
        except (TypeError, ValueError):  # they can be read only once
            return
        if any(mistakes.warn_of_shift(*of_shift) for of_shift in votes):
            self.to_examine = 0

    def _votes(self, hypotheses: Any, given: Any, others: Any) -> tuple[int, int]:
        """How many hypotheses are more similar to the given references, and to the others."""
        similarities = [
            _similarities(self.count(Batch(hypotheses, some))) for some in (given, others)
        ]
        pairs = list(zip(*similarities, strict=True))
        in_favor = sum(this > 2 * other for this, other in pairs)
        return in_favor, sum(other > 2 * this for this, other in pairs)

    def _warn_of_ids(self, batch: Batch, counted: Counted) -> None:
        """Warn where all rows seem to be empty, or to end in padding that counts."""
        if not counted.segments:
            return
        hypotheses, references = batch.hypotheses, batch.references
        rows, width = counted.rows, 2 + 2 * self.max_order
        # The first row nearly always decides.
        needed = all if counted.segments >= mistakes.MIN_SEQUENCES_TO_WARN else any
        if not needed(rows[:2]):
            mistakes.warn_where_all_are_empty(hypotheses, references, rows, width)
        if not (self.padding_was_checked or counted.label_padding):
            # Only the first batch, because later ones will be similar.
            self.padding_was_checked = True
            mistakes.warn_of_id_padding(hypotheses, references, self.id_filter)

    def _examine_layout(self, hypotheses: Any, references: Any) -> None:
        """Warn once if references, as many as segments, turn out to be transposed.

        For each segment, one reference by this layout is compared with one by the other layout:
        which has more in common with the hypothesis? Sets of references would tell less, because
        those of several segments together contain most words of any hypothesis.
        """
        size = len(hypotheses)
        # Slices and copies: a token's own code, or another thread, may change the lists any time.
        [first] = references[:1] or [()]
        [last] = references[-1:] or [()]
        if not is_collection(first) or len(first) != size:
            return
        if first is last:  # one set of references for all segments
            return
        hypotheses = hypotheses[:size]
        if any(isinstance(part, str) for part in references[:size]):
            return
        parts = [list(list_or_tuple(part)) for part in references[:size]]
        if {len(parts), *map(len, parts)} != {size}:
            return
        others = [(segment + size // 2) % size for segment in range(size)]
        given = [[parts[segment][other]] for segment, other in enumerate(others)]
        turned = [[parts[other][segment]] for segment, other in enumerate(others)]
        votes = zip(self.layout_votes, self._votes(hypotheses, given, turned), strict=True)
        in_favor, against = map(sum, votes)
        self.layout_votes = in_favor, against
        mistakes.warn_of_layout(in_favor, against)


def _similarities(counted: Counted) -> list[float]:
    """Common n-grams of each hypothesis and its only reference, relative to both lengths."""
    rows, width = counted.rows, 2 + 2 * counted.max_order
    return [
        sum(rows[start + 2 : start + 1 + width // 2]) / max(1, rows[start] + rows[start + 1])
        for start in range(0, len(rows), width)
    ]
