"""Check sentences and read them over one vocabulary: one set, or sources of pairs."""

from __future__ import annotations

from functools import cache, partial
from itertools import islice
from math import inf

from ..core.counting._packed import Signs
from ..core.inputs import mistakes
from ..core.inputs.arguments import a_type, is_array, list_or_tuple, number_of, shape_of
from ..core.inputs.checks import TextChecks, TokenChecks, check_segments
from ..core.inputs.columns import is_column, listed_column
from ..core.inputs.errors import InputError, InputTypeError, mask_of, warn_input
from ..core.inputs.ids import NO_IDS, checked_rows
from ..core.inputs.looks import are_words, hold_no_phrase, is_written_without_spaces
from ..core.metric.argument import as_metric, counter_of, scorer_of
from ..core.metric.bleu import BLEU
from ..core.runtime._process import Pool
from ..core.runtime.terminal import ProgressBar
from ..core.scoring.base import MATRIX
from ._sentences import IdReader, Sentences, TextReader, read_lists
from ._vocabulary import Vocabulary

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterator, Sequence
    from typing import Any, NoReturn

    from ..core.inputs.types import Hypotheses, Listed, Mask, SentenceStream, Sources
    from ..core.metric.argument import Metric
    from ..core.tokenizers.tokenizer import Tokenizer

_SHAPE = "(sentences, length)"  # of sentences of ids
# Sentences read at a time: few enough that their tokens take little memory.
_BLOCK = 1 << 13


@cache
def _default_metric() -> BLEU:
    # Cached, because making it takes a third of the time of a call with a few sentences.
    return BLEU()


class _OfSentences:
    """Checks of sentences of the argument `name`, of which `before` were checked earlier."""

    def __init__(self, name: str, before: int = 0) -> None:
        self.name, self.before = name, before

    def place(self, segment: int, reference: int | None) -> str:
        """How messages name a sentence."""
        return f"{self.name}[{self.before + segment}]"


class _TokenChecks(_OfSentences, TokenChecks):
    def refuse_unhashable(
        self, error: TypeError, token: object, segment: int, reference: int | None, position: int
    ) -> None:
        if type(token) is list:
            problem = f"[{position}] is a list, expected a token: {self.name} must be one flat list"
            where = self.place(segment, reference)
            raise InputTypeError.at(where, f"{problem} of lists of tokens") from error
        super().refuse_unhashable(error, token, segment, reference, position)


class _TextChecks(_OfSentences, TextChecks):
    def line(self, text: Any, segment: int, reference: int | None) -> NoReturn:
        if type(text) in (list, tuple):
            fix = f"{self.name} must be one flat list of str; lists of tokens need a metric with "
            problem = f" is {a_type(text)}, expected a str: {fix}tokenize=False"
            raise InputTypeError.at(self.place(segment, reference), problem)
        super().line(text, segment, reference)


class _SplitTextChecks(_TokenChecks):
    """Checks of texts that the function `split` splits into tokens."""

    def __init__(self, name: str, before: int, split: Callable[[str], list[str]]) -> None:
        super().__init__(name, before)
        self.texts, self._split = _TextChecks(name, before), split

    def tokens(self, sequence: object, segment: int, reference: int | None) -> list[str]:
        """The tokens of a text."""
        if not isinstance(sequence, str):
            self.texts.line(sequence, segment, reference)
        return list(self._split(sequence))


class SentenceReader:
    """Reads sentences over one vocabulary, in which every token keeps its number.

    The vocabulary begins with `tokens`, numbered in order; "auto" has already `chosen`.
    Each thread needs its own reader: `sharing` makes another one over the same vocabulary. Readers
    may read with `known_only` at the same time, as long as none adds to the vocabulary.
    """

    def __init__(
        self,
        metric: Metric | None,
        tokens: Sequence[Hashable] = (),
        chosen: Tokenizer | None = None,
    ) -> None:
        bleu = _default_metric() if metric is None else as_metric(metric)
        scorer_of(bleu).require(MATRIX)
        self.counter, self.scorer = counter_of(bleu), scorer_of(bleu).of_sentences
        # The metric's; for "auto", the one that the references have chosen.
        self.tokenizer = chosen or self.counter.tokenizer
        # How many references, from the first on, choose that; they must choose the same.
        self.choosing = inf
        # What "auto" has chosen for all sources, as in `Counted`.
        self.tokenizers = frozenset({None, chosen.signature}) if chosen else None
        self.max_ngram_order = self.counter.max_ngram_order
        self.vocabulary = Vocabulary()
        if tokens:
            read_lists(self.vocabulary, _TokenChecks("tokens"), [tokens])
        self._pool = Pool(self.counter.threads)
        self._knows_padding = False
        # By name of an argument: whether all its rows read so far are empty.
        self._only_empty: dict[str, bool] = {}
        # How many sentences were read with `counted`, and how many of these have tokens, but fewer
        # than `max_ngram_order`.
        self.sentences = self.short = 0
        self.signs = Signs()

    def sharing(self) -> SentenceReader:
        """Another reader over the same vocabulary, with counts of its own."""
        reader: SentenceReader = SentenceReader.__new__(SentenceReader)
        vars(reader).update(vars(self), sentences=0, short=0, signs=Signs())
        return reader

    @property
    def signature(self) -> str:
        """The scorer's, with the tokenizers that "auto" has chosen."""
        return self.scorer.signature(tokenizers=self.tokenizers)

    def read_pair(
        self,
        hypotheses: Hypotheses,
        references: Hypotheses,
        masks: tuple[Mask | None, Mask | None] = (None, None),
        place: str = "",
        alone: bool = False,
    ) -> tuple[Sentences, Sentences]:
        """Both sides of a matrix over a new vocabulary; if `alone`, both are the hypotheses."""
        self.vocabulary.forget()
        self.tokenizer = self.counter.tokenizer
        columns = None if alone else self.read(references, f"references{place}", masks[1])
        rows = self.read(hypotheses, f"hypotheses{place}", masks[0], counted=True, chooses=alone)
        return rows, rows if columns is None else columns

    def read(
        self,
        sentences: Hypotheses,
        name: str,
        mask: Mask | None = None,
        known_only: bool = False,
        before: int = 0,
        counted: bool = False,
        chooses: bool = True,
    ) -> Sentences:
        """Read S str, S sequences of tokens, or an array of ids of the shape (S, length).

        Messages use the argument's `name` and `before`, how many of its sentences were read before.
        With `known_only`, tokens that the vocabulary lacks get the id -1. With `counted`, for
        hypotheses, the sentences are counted in the attributes. If the tokenizer is "auto", the
        sentences choose it, unless `chooses` is False or they are read with `known_only`.
        """
        listed: Any = sentences
        if type(listed) not in (list, tuple):
            listed = listed_column(listed, name)
        counter, periods = self.counter, 0
        tokenizer = self.tokenizer
        if tokenizer is None and (mask is not None or counter.id_filter or _are_rows(listed)):
            made = self._read_rows(listed, name, mask, known_only, before)
        elif mask is not None:
            raise TypeError("a mask needs token ids, which need a metric with tokenize=False")
        else:
            column = listed
            if type(listed) not in (list, tuple):
                listed = _listed_sentences(name, listed)
            count = len(column)
            if chooses and not known_only and counter.choose is not None:
                self._choose_by(listed, name, before)
                tokenizer = self.tokenizer
            if tokenizer is None:
                made = self._read_tokens(listed, name, known_only, before)
            elif tokenizer.compiled is None:
                made = self._read_split(listed, name, known_only, before)
                # The function may have changed the list.
                periods = sum(isinstance(text, str) and text.endswith(" .") for text in listed)
            else:
                checks, compiled = _TextChecks(name, before), str(tokenizer.compiled)
                reader = self._pool.acquire(TextReader, None, compiled, counter.lowercase)
                made = reader.read_texts(self.vocabulary, checks, listed, known_only)
                periods = reader.signs.tokenized_periods
                self._pool.release(reader)
            if len(made) != count:
                raise InputError(
                    f"{number_of(count, 'sentence')} of {name} became {len(made)} while they "
                    f"were read: it is a {type(column).__name__}; pass a list that nothing else "
                    "changes"
                )
        if counted:
            self.sentences += len(made)
            self.short += made.shorter_than(self.max_ngram_order)
            self.signs.tokenized_periods += periods
        return made

    def read_blocks(
        self,
        sentences: SentenceStream,
        name: str,
        mask: Mask | None = None,
        progress: bool = False,
        **flags: bool,
    ) -> Iterator[tuple[Sentences, ProgressBar]]:
        """Read sentences, also from an iterator, block by block; yields each with a progress bar.

        `flags` are `known_only` and `counted` of `read`.
        """
        total = len(sentences) if isinstance(sentences, (list, tuple)) else None
        before = 0
        with ProgressBar(progress, total, f" {name}") as bar:
            for block in _blocks_of(sentences, mask is not None):
                made = self.read(block, name, mask, before=before, **flags)
                before += len(made)
                yield made, bar

    def warn_of_input(self) -> None:
        """Warn of likely mistakes; call this when everything has been read."""
        self.scorer.warn_of_tokenized(self.signs.tokenized_periods, self.sentences)
        if self.signs.label_padding:
            mistakes.warn_of("label padding")
        for name, only_empty in self._only_empty.items():
            if only_empty:
                mistakes.warn_of("no ids", what=f"every one of {name} is", mask="a mask")
        if self.short:
            self.scorer.warn_of_short(self.short, self.sentences, self.max_ngram_order)

    def _choose_by(self, texts: Listed, name: str, before: int) -> None:
        """Let references choose the tokenizer; texts that are none are refused later."""
        choose: Any = self.counter.choose
        for number, text in enumerate(texts, before):
            if number >= self.choosing or not isinstance(text, str):
                return
            chosen = choose(text)
            if not number:
                self.tokenizer, self._pool = chosen, Pool(self.counter.threads)
                self.tokenizers = (self.tokenizers or frozenset({None})) | {chosen.signature}
            elif self.tokenizer != chosen:
                first = str(self.tokenizer and self.tokenizer.name)
                raise InputError(
                    f'tokenize="auto" chooses {first} for {name}[0] and {chosen.name} for '
                    f"{name}[{number}], but here one tokenizer reads all: pass a metric with "
                    f'tokenize="{first}" or tokenize="{chosen.name}"'
                )

    def _read_tokens(self, listed: Listed, name: str, known_only: bool, before: int) -> Sentences:
        if not before:
            mistakes.warn_of_words(listed, listed, False)
            _warn_of_tuples(name, listed)
            mistakes.warn_of_padded_lists(name, listed)
        return read_lists(self.vocabulary, _TokenChecks(name, before), listed, known_only)

    def _read_split(self, listed: Listed, name: str, known_only: bool, before: int) -> Sentences:
        tokenizer: Any = self.tokenizer
        lowercase, is_reference = self.counter.lowercase, name.startswith("reference")
        split = partial(tokenizer.tokens, lowercase=lowercase, is_reference=is_reference)
        checks = _SplitTextChecks(name, before, split)
        # Checked here, because lists of tokens would be read as they are.
        for number, text in enumerate(listed):
            if not isinstance(text, str):
                checks.texts.line(text, number, None)
        return read_lists(self.vocabulary, checks, listed, known_only)

    def _read_rows(
        self, sentences: Any, name: str, mask: Mask | None, known_only: bool, before: int
    ) -> Sentences:
        rows = checked_rows(
            name, sentences, mask, lambda n: f"{name}[{before + n}]", [_SHAPE], "sentence"
        )
        ids = self.counter.id_filter or NO_IDS
        reader = self._pool.acquire(IdReader, ids.ignore_ids, ids.skip_ids, ids.stop_ids)
        made: Sentences = reader.read_rows(self.vocabulary, rows, known_only)
        self.signs.label_padding |= reader.signs.label_padding
        self._pool.release(reader)
        are_many = len(rows) >= mistakes.MIN_SEQUENCES_TO_WARN
        if are_many and rows.size:
            self._only_empty[name] = self._only_empty.get(name, True) and not made.longest
        if not self._knows_padding:
            self._knows_padding = are_many
            mistakes.warn_of_padding(name, rows, ids)
        return made


def _listed_sentences(name: str, sentences: object) -> Any:
    """Return sentences as a list or tuple, or raise TypeError."""
    if type(sentences) in (list, tuple):
        return sentences
    if isinstance(sentences, str):
        raise InputTypeError(
            f"{name} is a str, expected a list of sentences; for a single one pass [{name}]"
        )
    if shape_of(sentences) == ():
        raise InputTypeError(f"{name} has no dimension, expected a list of sentences")
    check_segments(name, sentences, "sentence")
    return list_or_tuple(sentences)


def _are_rows(sentences: Any) -> bool:
    """Whether sentences given without a tokenizer are arrays of token ids, not lists of tokens."""
    if type(sentences) in (list, tuple):
        return any(map(is_array, sentences[:1]))
    return is_array(sentences) or shape_of(sentences) == ()


def _blocks_of(sentences: SentenceStream, masked: bool) -> Iterator[Any]:
    """Yield sentences in consecutive blocks; an iterator is read block by block."""
    listed: Any = sentences
    if not masked and type(listed) in (list, tuple):
        for first in range(0, len(listed), _BLOCK):
            yield listed[first : first + _BLOCK]
    elif is_column(sentences):
        yield sentences
    elif not masked and hasattr(sentences, "__iter__") and not hasattr(sentences, "__len__"):
        rest = iter(listed)
        while block := list(islice(rest, _BLOCK)):
            yield block
    else:
        yield sentences


def read_sources(
    reader: SentenceReader,
    sides: tuple[Sources, Sources],
    masks: tuple[Mask | None, Mask | None],
    ragged: bool = False,
) -> tuple[list[tuple[Sentences, Sentences]], tuple[int, ...]]:
    """Read the sentences of all sources, and warn once of likely mistakes.

    Returns both sides of each source, each source over its own vocabulary, and the shape of the
    scores: (hypotheses, references), or for a batch (sources, hypotheses, references). If `ragged`,
    sources may have different sizes, and the shape has the maximum of each.

    Everything is read before scoring, so that errors in the last source are reported at once;
    this takes less memory than the sentences themselves.
    """
    first = listed_column(sides[0], "hypotheses")
    second = first if sides[0] is sides[1] else listed_column(sides[1], "references")
    alone = first is second and masks[0] is masks[1]
    batch = batch_of(first, second, reader.counter.tokenizer, ragged)
    if batch is None:
        rows, columns = reader.read_pair(first, second, masks, alone=alone)
        reader.warn_of_input()
        return [(rows, columns)], (len(rows), len(columns))
    sources = [
        reader.read_pair(*pair, masks_of_pair, f"[{number}]", alone)
        for number, (pair, masks_of_pair) in enumerate(
            zip(batch, _masks_of(masks, len(batch)), strict=True)
        )
    ]
    reader.warn_of_input()
    shapes = [(len(rows), len(columns)) for rows, columns in sources]
    shape = tuple(map(max, zip(*shapes, strict=True))) if shapes else (0, 0)
    if shapes.count(shape) < len(shapes) and not ragged:
        raise InputError(
            "hypotheses or references changed while it was read: pass lists that nothing else "
            "changes"
        )
    return sources, (len(sources), *shape)


def batch_of(
    hypotheses: Sources,
    references: Sources,
    tokenizer: Tokenizer | None,
    ragged: bool = False,
) -> list[tuple[Any, Any]] | None:
    """(hypotheses, references) of each source of a batch; None if there is only one source.

    Lists of tokens are nested once more than text; a tuple in them is a token. Token ids may also
    be arrays of shape (B, H, length). If `ragged`, sources may have different sizes.
    """
    is_text = tokenizer is not None
    sources: Any = hypotheses
    other_sources: Any = references
    nested = is_batch(hypotheses, is_text)
    references_nested = is_batch(references, is_text)
    if not nested and not references_nested:
        return None
    if nested is False or references_nested is False:
        names = ["hypotheses", "references"]
        batched, flat = names if nested else names[::-1]
        kind = "str" if is_text else "lists of tokens"
        raise InputError(
            f"{batched} is a batch, with a list of sentences for each source, but {flat} holds "
            f"{kind}: for one source pass two flat lists of {kind}, because each hypothesis is "
            "paired with each reference; for several sources nest both"
        )
    count = len(sources)
    # Real text for a tokenizer that splits at whitespace contains some.
    splits = tokenizer is not None and tokenizer.splits_at_spaces
    suspicious = splits and _look_like_tokens(sources)
    advice = (
        "; if these are lists of tokens pass a metric with tokenize=False" if suspicious else ""
    )
    if len(other_sources) != count:
        raise InputError(
            f"hypotheses has {number_of(count, 'source')}, references has {len(other_sources)}; "
            f"references[b] are paired with hypotheses[b]{advice}"
        )
    _check_sizes("hypotheses", sources, advice, ragged)
    if suspicious:
        warn_input(
            "hypotheses looks like lists of tokens, and each was read as a source with one "
            "sentence per token; pass a metric with tokenize=False"
        )
    _check_sizes("references", other_sources, advice, ragged)
    return list(zip(sources, other_sources, strict=True))


def _warn_of_tuples(name: str, sentences: Any) -> None:
    """Warn if the first sentences are tuples of tuples of ids, each read as one token."""
    if sentences and all(
        type(sentence) is tuple and sentence and all(map(_is_tuple_of_numbers, sentence))
        for sentence in sentences[:3]
    ):
        mistakes.warn_of("tuples", name=name)


def _is_tuple_of_numbers(token: Any) -> bool:
    return (
        type(token) is tuple
        and len(token) > 0
        and all(hasattr(part, "__index__") for part in token)
    )


def _look_like_tokens(sources: Any) -> bool:
    """Whether the first sources of text look like lists of tokens."""
    first = sources[:3] if type(sources) in (list, tuple) else ()
    return any(map(are_words, first)) and all(
        type(source) in (list, tuple)
        and hold_no_phrase(source)
        and not any(map(is_written_without_spaces, source))
        for source in first
    )


def is_batch(value: Any, is_text: bool) -> bool | None:
    """Whether sentences belong to several sources; None if this is unknown."""
    if type(value) not in (list, tuple):
        shape = () if hasattr(value, "columns") else shape_of(value) or ()
        return len(shape) == (2 if is_text else 3)
    for entry in value:
        if type(entry) not in (list, tuple):
            dimensions = 0 if isinstance(entry, str) else len(shape_of(entry) or ())
            return dimensions > (0 if is_text else 1)
        if is_text or any(type(token) is list or bool(shape_of(token)) for token in entry):
            return True
        if entry:
            return False
    return None


def _check_sizes(name: str, sources: Any, advice: str, ragged: bool = False) -> None:
    """Raise an error unless all sources are lists, and unless `ragged` of the same length."""
    size = None
    for number, source in enumerate(sources):
        where = f"{name}[{number}]"
        if isinstance(source, (str, bytes)) or not hasattr(source, "__len__"):
            raise InputTypeError(
                f"{where} is {a_type(source)}, expected the list of sentences of a "
                f"source, like {name}[0]"
            )
        size = len(source) if size is None else size
        if len(source) != size and not ragged:
            raise InputError(
                f"{where} has {number_of(len(source), 'sentence')}, {name}[0] has {size}; all "
                "sources of a batch must have the same number, so score these in separate calls"
                f"{advice}"
            )


def _masks_of(masks: tuple[Any, Any], sources: int) -> list[tuple[Any, Any]]:
    """Return (mask of hypotheses, mask of references) for each source of a batch."""
    for name, mask in zip(("hypotheses", "references"), masks, strict=True):
        check_entries(mask_of(name), mask, number_of(sources, "source"), sources)
    return list(zip(*([None] * sources if mask is None else mask for mask in masks), strict=True))


def check_entries(name: object, values: Any, expected: str, count: int) -> None:
    """Raise ValueError unless a list that is given has `count` entries."""
    if values is not None and (not hasattr(values, "__len__") or len(values) != count):
        have = "no entries"
        if hasattr(values, "__len__"):
            have = number_of(len(values), "entry", "entries")
        raise InputError(f"{name} has {have} for {expected}")
