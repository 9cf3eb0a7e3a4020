"""From what users pass in to sentences over one vocabulary: the checks, and who reads what."""

from __future__ import annotations

from ..inputs.ids import sentence_rows
from ..inputs.mistakes import (
    MIN_SEQUENCES_TO_WARN,
    look_like_tokens,
    warn_of_empty_rows,
    warn_of_label_padding,
    warn_of_padded_lists,
    warn_of_run,
    warn_of_sources,
    warn_of_tuples,
    warn_of_words,
)
from ..inputs.sentences import (
    SentenceTextChecks,
    SentenceTokenChecks,
    SplitTextChecks,
    are_rows,
    check_sizes,
    is_batch,
    listed_sentences,
)
from ..inputs.warnings import warn_tokenized
from ..runtime.threads import Pool
from ..tokenizers.table import SPLIT_AT_SPACES
from ._sentences import IdReader, Sentences, TextReader, read_lists
from ._vocabulary import Vocabulary

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..dialects.parameters import Parameters

    Saved = tuple[Any, Any, Any]


class SentenceReader:
    """Reads sentences over one vocabulary, of which every token keeps its number.

    One per thread: `sharing` makes others over the same vocabulary, which may be read with
    `known_only` at once, as long as none adds to it.

    Parameters
    ----------
    parameters : Parameters
        Those of a metric; of these only what says how sentences become tokens.

    Attributes
    ----------
    sentences : int
        How many were read with `counted`.
    short : int
        How many of these have tokens, but fewer than the metric's `max_order`.
    tokenized_periods : int
        How many of these are texts that end in " .", which text that was never tokenised hardly
        does.
    label_padding : bool
        Whether the token id -100, which pads labels, was read as a token.

    Raises
    ------
    ValueError
        The parameters lower text but are for tokens.
    """

    def __init__(self, parameters: Parameters) -> None:
        self._tokenizer = parameters.tokenizer
        self._lowercase = parameters.lowercase
        self._id_rules = parameters.id_rules
        self._vocabulary = Vocabulary()
        self._pool = Pool(parameters.threads)
        self._knows_padding = False
        # By name of the argument, which may be read in parts: whether all rows so far are empty.
        self._only_empty: dict[str, bool] = {}
        self._max_order = parameters.max_order
        self.sentences = self.short = self.tokenized_periods = 0
        self.label_padding = False

    @classmethod
    def restore(cls, parameters: Parameters, saved: Saved) -> SentenceReader:
        """A reader with the vocabulary that another had; ValueError where `saved` is damaged.

        Parameters
        ----------
        parameters : Parameters
            Those of the reader that was saved.
        saved : (buffer of uint8, buffer of int64, buffer of uint8)
            What `saved_vocabulary` has returned.
        """
        reader = cls(parameters)
        reader._vocabulary = Vocabulary.restored(*saved)
        return reader

    def sharing(self) -> SentenceReader:
        """Another reader over the same vocabulary, which notes by itself what it has read."""
        reader: SentenceReader = SentenceReader.__new__(SentenceReader)
        vars(reader).update(vars(self), label_padding=False)
        reader.sentences = reader.short = reader.tokenized_periods = 0
        return reader

    def saved_vocabulary(self) -> Saved:
        """What `restore` needs: `Vocabulary.saved`; ValueError where a token cannot be saved."""
        return self._vocabulary.saved()

    @property
    def nbytes(self) -> int:
        """Memory of the vocabulary in bytes."""
        return self._vocabulary.nbytes

    def forget(self) -> None:
        """Let the next read start a new vocabulary."""
        self._vocabulary.forget()

    def read_pair(
        self,
        hypotheses: Any,
        references: Any,
        masks: tuple[Any, Any] = (None, None),
        names: tuple[str, ...] = ("hypotheses", "references"),
    ) -> tuple[Sentences, Sentences]:
        """Both sides of a matrix over a new vocabulary; the hypotheses are counted.

        Parameters and errors as those of `read`.
        """
        self.forget()
        return (
            self.read(hypotheses, names[0], masks[0], counted=True),
            self.read(references, names[1], masks[1]),
        )

    def read(
        self,
        sentences: Any,
        name: str,
        mask: Any = None,
        known_only: bool = False,
        before: int = 0,
        counted: bool = False,
    ) -> Sentences:
        """Read sentences.

        Parameters
        ----------
        sentences : list of S str, or of S sequences of tokens, or array of ids, shape (S, length)
            Text if there is a tokenizer. Sequences of token ids may be arrays, too.
        name : str
            That of the argument, for messages.
        mask : optional
            Of token ids, of their shape; 0 where an id does not count.
        known_only : bool, default False
            Tokens that the vocabulary lacks are not added to it, and get the id -1.
        before : int, default 0
            Number of sentences of the argument before these, for messages.
        counted : bool, default False
            Add them to what the attributes count: for hypotheses.

        Raises
        ------
        TypeError, ValueError
            This is no list of sentences, or a sentence is none; the message says which.
        OverflowError
            There are more tokens than ids.
        RuntimeError
            The vocabulary is being read into at this moment.
        """
        tokenizer, periods = self._tokenizer, 0
        if tokenizer is None and (mask is not None or self._id_rules or are_rows(sentences)):
            made = self._read_rows(sentences, name, mask, known_only, before)
        else:
            if mask is not None:
                raise TypeError("a mask needs token ids; for these pass tokenize=None")
            made, periods = self._read_listed(sentences, name, known_only, before)
        if counted:
            self.sentences += len(made)
            self.short += made.shorter_than(self._max_order)
            self.tokenized_periods += periods
        return made

    def warn_of_input(self) -> None:
        """Warn, once all is read, of what was hardly meant."""
        if self._tokenizer is not None and self._tokenizer.name != "none":
            warn_tokenized(self.tokenized_periods, 'tokenize="none"')
        if self.label_padding:
            warn_of_label_padding()
        for name, only_empty in self._only_empty.items():
            if only_empty:
                warn_of_empty_rows(f"every one of {name} is", "a mask")

    def _read_listed(
        self, sentences: Any, name: str, known_only: bool, before: int
    ) -> tuple[Sentences, int]:
        """Read texts or lists of tokens; and how many texts end in " ."."""
        tokenizer, periods = self._tokenizer, 0
        listed = listed_sentences(name, sentences)
        count = len(sentences)
        if tokenizer is None:
            if not before:
                warn_of_words(listed, listed, False)
                warn_of_tuples(name, listed)
                warn_of_padded_lists(name, listed)
            token_checks = SentenceTokenChecks(name, before)
            made = read_lists(self._vocabulary, token_checks, listed, known_only)
        elif tokenizer.function is not None:
            checks = SplitTextChecks(name, before, tokenizer.function, self._lowercase)
            checks.check_texts(listed)
            made = read_lists(self._vocabulary, checks, listed, known_only)
            # The function may have put something else into the list.
            periods = sum(isinstance(text, str) and text.endswith(" .") for text in listed)
        else:
            reader = self._pool.acquire(self._text_reader)
            made = reader.read_texts(
                self._vocabulary, SentenceTextChecks(name, before), listed, known_only
            )
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
        reader = self._pool.acquire(self._id_reader)
        made: Sentences = reader.read_rows(self._vocabulary, rows, known_only)
        self.label_padding |= reader.label_padding
        self._pool.release(reader)
        if len(rows) >= MIN_SEQUENCES_TO_WARN:
            if rows.size:
                self._only_empty[name] = self._only_empty.get(name, True) and not made.longest
            if not self._knows_padding:
                self._knows_padding = True
                padding = self._id_rules.uncounted(rows)
                if padding is not None:
                    warn_of_run(name, padding)
        return made

    def _text_reader(self) -> TextReader:
        assert self._tokenizer is not None
        return TextReader(None, str(self._tokenizer.compiled), self._lowercase)

    def _id_reader(self) -> IdReader:
        rules = self._id_rules
        return IdReader(rules.ignore_ids, rules.skip_ids, rules.stop_ids)


def batches_of(
    hypotheses: Any,
    references: Any,
    parameters: Parameters,
    names: tuple[str, str] = ("hypotheses", "references"),
) -> list[tuple[Any, Any]] | None:
    """The sources of a batch.

    Parameters
    ----------
    hypotheses, references : list of B lists of sentences, or of sentences
        Lists of tokens are nested once more than text; a tuple there is a token. Of token ids also
        arrays of the shape (B, H, length). `references` may be None.
    parameters : Parameters
        Whether there is a tokenizer.
    names : (str, str)
        Those of the arguments, for messages.

    Returns
    -------
    list of (hypotheses, references) or None
        By source; None: there is one source, and no batch.

    Raises
    ------
    ValueError
        One side is a batch and the other is none, or they have not as many sources, or the sources
        not as many sentences.

    Warns
    -----
    InputWarning
        Lists of tokens seem to stand in the place of sources of text.
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
    # Where sentences are split at white space, those of real text have some.
    splits = tokenizer is not None and tokenizer.compiled in SPLIT_AT_SPACES
    suspicious = splits and look_like_tokens(hypotheses)
    advice = "; if these are lists of tokens pass tokenize=None" if suspicious else ""
    if references is not None and len(references) != sources:
        raise ValueError(
            f"{names[0]} has {sources} sources, {names[1]} has {len(references)}; "
            f"{names[1]}[b] are paired with {names[0]}[b]{advice}"
        )
    check_sizes(names[0], hypotheses, advice)
    if suspicious:
        warn_of_sources(names[0])
    if references is None:
        return [(source, None) for source in hypotheses]
    check_sizes(names[1], references, advice)
    return list(zip(hypotheses, references, strict=True))
