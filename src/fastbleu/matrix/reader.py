"""Check the sentences of users and read them with one vocabulary."""

from __future__ import annotations

from ..dialects.parameters import Parameters
from ..inputs import mistakes
from ..inputs.columns import listed_column
from ..inputs.ids import sentence_rows
from ..inputs.sentences import (
    SentenceTextChecks,
    SentenceTokenChecks,
    SplitTextChecks,
    are_rows,
    check_sizes,
    is_batch,
    listed_sentences,
    masks_of,
)
from ..runtime._process import Pool
from ..tokenizers.libraries import splitting
from ..tokenizers.table import SPLIT_AT_SPACES
from ._sentences import IdReader, Sentences, TextReader, read_lists
from ._vocabulary import Vocabulary

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Pair = tuple[Any, Any]
    Saved = tuple[Any, Any, Any]


def parameters_of(
    metric: Any, arguments: dict[str, Any], effective_order: bool = True
) -> Parameters:
    """The parameters of the metric, or without a metric those of the arguments.

    `effective_order` is the default of sacreBLEU's option of this name: with it single sentences
    do not score 0 for being short.
    """
    if metric is None:
        if effective_order and arguments.get("dialect", "sacrebleu") == "sacrebleu":
            arguments = {"effective_order": True} | arguments
        return Parameters(**arguments)
    parameters = getattr(metric, "_parameters", None)
    if not isinstance(parameters, Parameters):
        kind = type(metric)
        name = f"{kind.__module__}.{kind.__qualname__}".removeprefix("builtins.")
        raise TypeError(f"metric is a {name}, expected a fastbleu.BLEU")
    if arguments:
        raise TypeError(
            f"metric is given, and {', '.join(arguments)} too; the metric has all parameters"
        )
    return parameters


class SentenceReader:
    """Reads sentences over one vocabulary, in which every token keeps its number.

    One per thread: `sharing` makes others over the same vocabulary, which may read with
    `known_only` at the same time, as long as none adds to it.

    Attributes
    ----------
    sentences : int
        Sentences read with `counted`; the next two are numbers of these.
    short : int
        Have tokens, but fewer than the metric's `max_order`.
    tokenized_periods : int
        Texts that end in " .", which untokenized text rarely does.
    label_padding : bool
        Whether the token id -100, which pads labels, was read as a token.
    """

    def __init__(self, parameters: Parameters) -> None:
        parameters.rules.require("matrix")
        self._parameters = parameters
        self._vocabulary = Vocabulary()
        self._pool = Pool(parameters.threads)
        self._knows_padding = False
        # Whether all rows so far are empty, by the name of the argument, which may be read in
        # parts.
        self._only_empty: dict[str, bool] = {}
        self.sentences = self.short = self.tokenized_periods = 0
        self.label_padding = False

    @classmethod
    def restore(cls, parameters: Parameters, saved: Saved) -> SentenceReader:
        """A reader with the vocabulary that `saved_vocabulary` returned; ValueError if damaged."""
        reader = cls(parameters)
        reader._vocabulary = Vocabulary.restored(*saved)
        return reader

    def sharing(self) -> SentenceReader:
        """Another reader over the same vocabulary, with counts of its own."""
        reader: SentenceReader = SentenceReader.__new__(SentenceReader)
        vars(reader).update(vars(self), label_padding=False)
        reader.sentences = reader.short = reader.tokenized_periods = 0
        return reader

    def saved_vocabulary(self) -> Saved:
        """What `restore` needs; ValueError if a token cannot be saved."""
        return self._vocabulary.saved()

    @property
    def nbytes(self) -> int:
        """Memory of the vocabulary in bytes."""
        return self._vocabulary.nbytes

    def forget(self) -> None:
        """Let the next read start a new vocabulary."""
        self._vocabulary.forget()

    def read_pair(self, hypotheses: Any, references: Any) -> tuple[Sentences, Sentences]:
        """Both sides of a matrix over a new vocabulary; the hypotheses are counted."""
        self.forget()
        ours = self.read(hypotheses, "hypotheses", counted=True)
        return ours, self.read(references, "references")

    def read(
        self,
        sentences: Any,
        name: str,
        mask: Any = None,
        known_only: bool = False,
        before: int = 0,
        counted: bool = False,
    ) -> Sentences:
        """Read S str, S sequences of tokens, or an array of ids of the shape (S, length).

        Messages use `name`, the argument, and `before`, how many of its sentences were read before.
        With `known_only` tokens that the vocabulary lacks get the id -1. `counted` adds the
        sentences to the attributes: for hypotheses.
        """
        if type(sentences) not in (list, tuple):
            sentences = listed_column(sentences, name)
        text = self._parameters.tokenizer is not None
        if not text and (mask is not None or self._parameters.id_rules or are_rows(sentences)):
            made, periods = self._read_rows(sentences, name, mask, known_only, before), 0
        elif mask is not None:
            raise TypeError("a mask needs token ids; for these pass tokenize=None")
        else:
            made, periods = self._read_listed(sentences, name, known_only, before)
        if counted:
            self.sentences += len(made)
            self.short += made.shorter_than(self._parameters.max_order)
            self.tokenized_periods += periods
        return made

    def warn_of_input(self) -> None:
        """Warn, once everything is read, of likely mistakes."""
        if self.tokenized_periods:
            self._parameters.warn_of_tokenized(self.tokenized_periods)
        if self.label_padding:
            mistakes.warn_of_label_padding()
        for name, only_empty in self._only_empty.items():
            if only_empty:
                mistakes.warn_of_empty_rows(f"every one of {name} is", "a mask")

    def _read_listed(
        self, sentences: Any, name: str, known_only: bool, before: int
    ) -> tuple[Sentences, int]:
        """Read texts or lists of tokens; and how many texts end in " ."."""
        tokenizer, lowercase, periods = self._parameters.tokenizer, self._parameters.lowercase, 0
        listed = listed_sentences(name, sentences)
        count = len(sentences)
        if tokenizer is None:
            if not before:
                mistakes.warn_of_words(listed, listed, False)
                mistakes.warn_of_tuples(name, listed)
                mistakes.warn_of_padded_lists(name, listed)
            of_tokens = SentenceTokenChecks(name, before)
            made = read_lists(self._vocabulary, of_tokens, listed, known_only)
        elif tokenizer.function is not None:
            split = tokenizer.function
            if tokenizer.prepared is not None:
                split = splitting(tokenizer.prepared, lowercase, name.startswith("reference"))
                lowercase = False
            checks = SplitTextChecks(name, before, split, lowercase)
            checks.check_texts(listed)
            made = read_lists(self._vocabulary, checks, listed, known_only)
            # The function may have put something else into the list.
            periods = sum(isinstance(text, str) and text.endswith(" .") for text in listed)
        else:
            of_text, compiled = SentenceTextChecks(name, before), str(tokenizer.compiled)
            reader = self._pool.acquire(TextReader, None, compiled, lowercase)
            made = reader.read_texts(self._vocabulary, of_text, listed, known_only)
            periods = reader.tokenized_periods
            self._pool.release(reader)
        if len(made) != count:
            raise ValueError(
                f"{count} sentences of {name} became {len(made)} while they were read: it is a "
                f"{type(sentences).__name__}; pass a list that nothing else changes"
            )
        return made, periods

    def _read_rows(
        self, sentences: Any, name: str, mask: Any, known_only: bool, before: int
    ) -> Sentences:
        rows = sentence_rows(name, sentences, mask, before)
        rules = self._parameters.id_rules
        of_rules = rules.ignore_ids, rules.skip_ids, rules.stop_ids
        reader = self._pool.acquire(IdReader, *of_rules)
        made: Sentences = reader.read_rows(self._vocabulary, rows, known_only)
        self.label_padding |= reader.label_padding
        self._pool.release(reader)
        if len(rows) >= mistakes.MIN_SEQUENCES_TO_WARN:
            if rows.size:
                self._only_empty[name] = self._only_empty.get(name, True) and not made.longest
            if not self._knows_padding:
                self._knows_padding = True
                padding = rules.uncounted(rows)
                if padding is not None:
                    mistakes.warn_of_run(name, padding)
        return made


def batches_of(
    hypotheses: Any,
    references: Any,
    parameters: Parameters,
    names: tuple[str, str] = ("hypotheses", "references"),
) -> list[Pair] | None:
    """(hypotheses, references) of each source of a batch; None if there is one source.

    Lists of tokens are nested once more than text; a tuple there is a token. Token ids may also be
    arrays of the shape (B, H, length). `references` may be None.
    """
    tokenizer = parameters.tokenizer
    is_text = tokenizer is not None
    ours = is_batch(hypotheses, is_text)
    theirs = None if references is None else is_batch(references, is_text)
    if not ours and not theirs:
        return None
    if ours is False or theirs is False:
        nested, flat = names if ours else names[::-1]
        kind = "str" if is_text else "lists of tokens"
        raise ValueError(
            f"{nested} is a batch, with a list of sentences for each source, but {flat} holds "
            f"{kind}: for one source pass two flat lists of {kind}, as each hypothesis is paired "
            "with each reference; for several sources nest both"
        )
    sources = len(hypotheses)
    # If sentences are split at whitespace, real text contains some.
    splits = tokenizer is not None and tokenizer.compiled in SPLIT_AT_SPACES
    suspicious = splits and mistakes.look_like_tokens(hypotheses)
    advice = "; if these are lists of tokens pass tokenize=None" if suspicious else ""
    if references is not None and len(references) != sources:
        raise ValueError(
            f"{names[0]} has {sources} sources, {names[1]} has {len(references)}; "
            f"{names[1]}[b] are paired with {names[0]}[b]{advice}"
        )
    check_sizes(names[0], hypotheses, advice)
    if suspicious:
        mistakes.warn_of_sources(names[0])
    if references is None:
        return [(source, None) for source in hypotheses]
    check_sizes(names[1], references, advice)
    return list(zip(hypotheses, references, strict=True))


def read_sources(
    parameters: Parameters, sides: Pair, masks: Pair, names: tuple[str, str]
) -> tuple[list[tuple[Sentences, Sentences]], tuple[int, ...]]:
    """Read the sentences of all sources, and warn once of likely mistakes.

    Returns both sides by source, each source over a vocabulary of its own, and the shape of the
    scores: (hypotheses, references), after the number of sources if there is a batch.

    Everything is read before scoring, so that errors in the last source are reported at once;
    this takes less memory than the sentences themselves.
    """
    alone = sides[0] is sides[1] and masks[0] is masks[1]
    first = listed_column(sides[0], names[0])
    sides = first, first if sides[0] is sides[1] else listed_column(sides[1], names[1])
    batches = batches_of(sides[0], None if alone else sides[1], parameters, names)
    reader = SentenceReader(parameters)
    pairs, masks_by_source = [sides], [masks]
    if batches is not None:
        pairs, masks_by_source = batches, masks_of(names, masks, len(batches))
    sources, shapes = [], []
    for b, (pair, its_masks) in enumerate(zip(pairs, masks_by_source, strict=True)):
        place = "" if batches is None else f"[{b}]"
        if b:
            reader.forget()
        ours = theirs = reader.read(pair[0], names[0] + place, its_masks[0], counted=True)
        if not alone:
            theirs = reader.read(pair[1], names[1] + place, its_masks[1])
        sources.append((ours, theirs))
        shapes.append((len(ours), len(theirs)))
    reader.warn_of_input()
    if reader.short:
        parameters.warn_of_short(reader.short, reader.sentences)
    shape = shapes[0] if shapes else (0, 0)
    if shapes.count(shape) < len(shapes):
        raise ValueError(
            f"{names[0]} or {names[1]} changed while it was read: pass lists that nothing else "
            "changes"
        )
    return sources, shape if batches is None else (len(sources), *shape)
