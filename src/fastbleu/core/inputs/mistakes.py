"""Likely mistakes that need no search: what is said of each, and how it is seen.

`MISTAKES` has what the core says. `MistakeWatch` looks for those of batches that a `Counter`
counts; other functions here, and a `Scorer`, for those of arguments and of sums. Mistakes that must
be searched for are in fastbleu/diagnosis, which also has their names and their effects in points.
"""

from __future__ import annotations

from ..runtime.import_lock import provider
from ._batch import Batch
from ._id_rows import IdRows
from ._utf8_rows import Utf8Rows
from .arguments import is_collection, list_or_tuple, shown
from .errors import advised, warn_input
from .looks import (
    are_words,
    first_entries,
    fitting_tokenizer,
    is_phrase,
    is_written_without_spaces,
    lacks_spaces,
    sample_of,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from .ids import IdFilter

# With this many hypotheses that end in " .", text looks tokenized, as in sacreBLEU.
TOKENIZED_PERIODS = 100
# Unless they are less than one of so many: a large table has some by chance.
_TOKENIZED_SHARE = 100
# With fewer sequences of ids, one side may be empty by chance, and most may end in a run of one id
# by chance, unless it has four ids or more that occur nowhere else.
MIN_SEQUENCES_TO_WARN = 4
# The number of lists that are examined for padding.
_LISTS_CHECKED = 8
_LABEL_PADDING = -100
# After so many segments a sample of texts is looked at; or at once, in so many segments or more, if
# they match less than one of so many bigrams.
SEGMENTS_BEFORE_LOOK, _FEW_SEGMENTS, _POOR = 512, 20, 5
# The most batches with few matches that are examined; how many of the last segments tell whether
# lines are shifted; and how many equal texts cannot be chance.
_UNRELATED_EXAMINED, SHIFT_SAMPLE, _EQUAL_SEGMENTS = 8, 32, 20
# The layout is examined if there are at most this many references; real segments have fewer.
LARGEST_SQUARE = 32
# Segments that decide about the layout of references. 2 in 1,000 segments of WMT22 vote for the
# wrong one; if hypotheses are unrelated to their references, the votes are split evenly.
_VOTES = 12
_VOTES_PER_DISSENT = 4
# What is said of a mistake, and what repairs it; the fields are facts. See `warn_of`.
MISTAKES = {
    # Arguments.
    "words": (
        "references holds single words; if they are the tokens of one reference, pass its text"
    ),
    "unsplit text": (
        "every hypothesis is one token that contains whitespace; split it into tokens, or pass the "
        'text itself with tokenize="13a"'
    ),
    "unsplit text for nltk": (
        "every {side} is one token that contains whitespace; split it into tokens, as in "
        "sentence_bleu([reference.split()], hypothesis.split())"
    ),
    "tuples": (
        "{name} holds tuples of tuples of numbers, each read as one token; if they are sentences "
        "of ids, pass lists instead of tuples"
    ),
    "layout": (
        "there are as many references as segments, read as references[segment][k]; read as "
        "references[k][segment], those of {against} segments match better and those of {in_favor} "
        "worse; if that is their layout, pass list(zip(*references))"
    ),
    # Texts.
    "printed lists": (
        "references hold lists that were printed as text, such as {shown}: each is scored as one "
        "reference, with brackets and quotes; convert them back to lists, by json.loads or "
        "ast.literal_eval"
    ),
    "script": (
        "the text is in a script without spaces between words, and the tokenizer {tokenizer!r} "
        "{why}; use {fix}"
    ),
    "tokenized": (
        '{periods} hypotheses end in " .", as tokenized text does, which changes their score; '
        "pass plain text{fix}"
    ),
    "blank references": (
        "blank references, which count as texts of length 0: {references:,}, in segments that have "
        "others; if they stand for missing references, leave them out{fix}"
    ),
    # Ids.
    "label padding": (
        "the id -100, which pads labels, was counted as a token; pass ignore_ids=(-100,)"
    ),
    "padding": (
        "most rows of {what} {verb} a run of the id {padding}, which was counted; if it is "
        "padding, pass ignore_ids=({padding},)"
    ),
    "no ids": (
        "{what} empty after it is cut at stop_ids and ignored ids are removed; if sequences begin "
        "with stop_ids, pass ids[:, 1:] or skip_ids=; if padding is on the left, pass {mask}"
    ),
    # Counts.
    "blank": "all {segments:,} {side} are blank: they have no tokens",
    "equal": "all {segments:,} hypotheses equal their references: is a side given twice?",
    "short": (
        "{short} of {hypotheses} hypotheses have fewer than {tokens} tokens and score 0 because of "
        "effective_order=False; without it they are scored by the orders they have{fix}"
    ),
    "no long hypothesis": (
        "no hypothesis has {tokens}, so the score is 0: is each entry of hypotheses a whole "
        "segment, not a word?{fix}"
    ),
}
_STARTS_OF_LISTS = "['", '["', "('", '("', "{'", '{"', "[{", "[["


def warn_of(mistake: str, **facts: object) -> None:
    """Warn of one of the `MISTAKES`."""
    warn_input(MISTAKES[mistake].format(**facts))


class MistakeWatch:
    """Examines the batches of a `Counter`, as `Counted`, and warns about each likely mistake once.

    It examines the first batches, because later ones will be similar, and those that look unusual:
    see `Counter.was_examined`.
    """

    # Batches with few matches, and batches of few lists, that will still be examined.
    to_examine, few_to_examine = _UNRELATED_EXAMINED, _LISTS_CHECKED
    # Segments in favor of the layout of references, and against it.
    layout_votes = 0, 0
    # Whether hypotheses that end in " ." have another mistake.
    expects_periods = False
    # Whether a sample will be looked at if segments match poorly.
    looks_if_poor = True

    def examine(self, counter: Any, batch: Batch, counted: Any) -> None:
        """Warn about all likely mistakes: of `examine_texts`, padding, transposed references."""
        kind = type(batch.hypotheses)
        if kind is IdRows:
            self._examine_ids(counter, batch, counted)
            return
        is_text, segments = counter.is_text, counted.segments
        are_due = not counter.was_examined or counter.is_due or counted.signs.tokenized_periods
        # Single pairs may differ in all words by chance.
        if (is_text and are_due) or (
            segments >= MIN_SEQUENCES_TO_WARN and counted.look_unrelated(SHIFT_SAMPLE)
        ):
            self.examine_texts(counter, batch, counted)
        if kind is Utf8Rows:
            return
        if not (is_text or counter.was_examined):
            self.few_to_examine -= 1
            were_enough = segments >= MIN_SEQUENCES_TO_WARN or self.few_to_examine <= 0
            is_warned = warn_of_padded_lists("hypotheses", batch.hypotheses)
            counter.was_examined = is_warned or were_enough
        if 1 < segments <= LARGEST_SQUARE:
            self._examine_layout(counter, batch.hypotheses, batch.references)

    def examine_texts(self, counter: Any, batch: Batch, counted: Any) -> None:
        """Warn about mistakes in texts: of the first ones, and of those that look unusual."""
        hypotheses, references = batch.hypotheses, batch.references
        is_warned = is_poor = False
        if not len(hypotheses):
            return
        if counter.tokenizer is not None:
            if not counter.was_examined:
                counter.was_examined = True
                is_warned = warn_of_printed_lists(hypotheses, references) or warn_of_unspaced(
                    counter.tokenizer, hypotheses, references
                )
            is_poor = (
                self.looks_if_poor
                and counted.segments >= _FEW_SEGMENTS
                and (
                    counted.signs.tokenized_periods >= min(TOKENIZED_PERIODS, counted.segments / 4)
                    or counted.look_unrelated(SHIFT_SAMPLE, _POOR)
                )
            )
        are_unrelated = counted.look_unrelated(SHIFT_SAMPLE)
        if not is_warned and self.to_examine and (are_unrelated or is_poor or counter.is_due):
            self.to_examine -= 1
            samples = provider("likely mistakes")
            is_warned = samples is not None and samples.warn_of_order(counter, batch, are_unrelated)
        if not is_warned and (is_poor or counter.is_due):
            counter.is_due = False
            self.looks_if_poor = self.looks_if_poor and not is_poor
            samples = provider("likely mistakes")
            is_warned = samples is not None and samples.warn_of_sample(counter, batch, is_poor)
            self.expects_periods = self.expects_periods or is_warned
        if self.expects_periods:
            counted.signs.tokenized_periods = 0
        if is_warned:
            self.to_examine, self.looks_if_poor = 0, False

    def _examine_ids(self, counter: Any, batch: Batch, counted: Any) -> None:
        """Warn if all rows of a side are empty, or if rows seem to end in padding that counts."""
        if not counted.segments:
            return
        sides = ("hypothesis", batch.hypotheses), ("reference", batch.references)
        rows, few = counted.rows, counted.segments < MIN_SEQUENCES_TO_WARN
        # The first row nearly always decides.
        if not (rows[0] and rows[1]) and not (few and (rows[0] or rows[1])):
            for column, (name, ids) in enumerate(sides):
                if not any(rows[column :: 2 + 2 * counter.max_ngram_order]) and ids.size:
                    warn_of("no ids", what=f"every {name} is", mask=f"{name}_mask=")
        if counted.signs.label_padding:
            warn_of("label padding")
        elif not counter.was_examined:
            counter.was_examined = True
            for name, ids in sides:
                if warn_of_padding(f"{name} ids", ids, counter.id_filter):
                    return

    def _examine_layout(self, counter: Any, hypotheses: Any, references: Any) -> None:
        """Warn if references seem transposed; each segment has as many as there are segments.

        For each segment, one reference by this layout is compared with one by the other layout:
        which has more in common with the hypothesis? Sets of references would tell less, because
        those of several segments together contain most words of any hypothesis.
        """
        in_favor, against = self.layout_votes
        if in_favor >= _VOTES or _decide_against(in_favor, against):
            return
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
        straight = [[parts[segment][other]] for segment, other in enumerate(others)]
        turned = [[parts[other][segment]] for segment, other in enumerate(others)]
        more_in_favor, more_against = _votes(counter, hypotheses, straight, turned)
        self.layout_votes = in_favor, against = in_favor + more_in_favor, against + more_against
        if _decide_against(in_favor, against):
            warn_of("layout", in_favor=in_favor, against=against)


def _votes(
    counter: Any, hypotheses: Any, references: Any, other_references: Any
) -> tuple[int, int]:
    """How many hypotheses are more similar to `references`, and to `other_references`."""
    similarities = [
        _similarities(counter.count(Batch(hypotheses, side)).rows, counter.max_ngram_order)
        for side in (references, other_references)
    ]
    pairs = list(zip(*similarities, strict=True))
    in_favor = sum([this > 2 * other for this, other in pairs])
    return in_favor, sum([other > 2 * this for this, other in pairs])


def _similarities(rows: Sequence[int], max_ngram_order: int) -> list[float]:
    """Common n-grams of each hypothesis and its only reference, relative to both lengths."""
    return [
        sum(rows[start + 2 : start + 2 + max_ngram_order]) / max(1, rows[start] + rows[start + 1])
        for start in range(0, len(rows), 2 + 2 * max_ngram_order)
    ]


def _decide_against(in_favor: int, against: int) -> bool:
    return against >= _VOTES + _VOTES_PER_DISSENT * in_favor


def look_tokenized(periods: int, segments: int | None) -> bool:
    """Whether so many hypotheses that end in " ." show that the text is tokenized."""
    return periods >= max(TOKENIZED_PERIODS, (segments or 0) / _TOKENIZED_SHARE)


def warn_tokenized(periods: int, segments: int | None = None, otherwise: str = "") -> None:
    """Warn if hypotheses that are about to be tokenized seem to be tokenized already."""
    if look_tokenized(periods, segments):
        fix = otherwise and f", or {otherwise} if this is intended"
        warn_of("tokenized", periods=periods, fix=fix)


def warn_of_blank(references: int) -> None:
    """Warn about blank references of segments that have others; `references` is their number."""
    if references:
        warn_of("blank references", references=references, fix=advised("ragged"))


def warn_of_unspaced(tokenizer: Any, hypotheses: Any, references: Any) -> bool:
    """Warn if the tokenizer does not split a script without spaces between words."""
    sample = sample_of(hypotheses)
    if sample.isascii() or not (lacks_spaces(sample) and lacks_spaces(sample_of(references))):
        return False
    fitting = fitting_tokenizer(sample)
    if tokenizer.splits_at_spaces:
        why = "splits it at spaces, so that a token is a whole clause"
    elif tokenizer.name == "zh" and fitting == "ja-mecab":
        why = "splits only Chinese characters"
    else:
        return False
    warn_of("script", tokenizer=tokenizer.name, why=why, fix=advised("tokenize", fitting))
    return True


def warn_of_padding(what: str, rows: Any, id_filter: IdFilter | None) -> bool:
    """Warn if an id that is counted seems to be padding, on the right or on the left."""
    known = id_filter.ignore_ids + id_filter.skip_ids + id_filter.stop_ids if id_filter else ()
    sides = ("end in", False), ("begin with", True)
    # What follows a stop id is not counted.
    for verb, start in sides[1:] if id_filter and id_filter.stop_ids else sides:
        padding = rows.run_at(start)
        if padding is not None and padding not in known:
            warn_of("padding", what=what, verb=verb, padding=padding)
            return True
    return False


def warn_of_padded_lists(what: str, sequences: Any) -> bool:
    """Warn if the first lists of ids seem to be padded; return whether they do."""
    if type(sequences) not in (list, tuple):
        return False
    first = [part for part in sequences[:_LISTS_CHECKED] if type(part) in (list, tuple)]
    # Copies: another thread may empty the lists.
    few = len(first) < MIN_SEQUENCES_TO_WARN
    for verb, step in ("end in", 1), ("begin with", -1):
        parts = [part[::step][0 if few else -2 :] for part in first]
        ends = [end for end in parts if end and type(end[-1]) is int]
        if any(end[-1] == _LABEL_PADDING for end in ends):
            warn_of("label padding")
            return True
        if (few or len(ends) >= MIN_SEQUENCES_TO_WARN) and len(set(map(len, first))) == 1:
            runs = [end[-1] for end in ends if _ends_in_run(end, few)]
            if runs and 2 * runs.count(runs[0]) > len(ends):
                warn_of("padding", what=what, verb=verb, padding=runs[0])
                return True
    return False


def _ends_in_run(ids: Sequence[Any], is_one_of_few: bool) -> bool:
    """Whether ids end in a run, as in _id_rows.pyx."""
    if {*map(type, ids)} != {int}:  # other types may define == as they like
        return False
    run = ids[ids.index(ids[-1]) :]
    is_long = 4 <= len(run) < len(ids) if is_one_of_few else len(run) > 1
    return is_long and run.count(run[0]) == len(run)


def warn_of_words(hypotheses: Any, references: Any, is_text: bool) -> None:
    """Warn if the first segments seem to hold words instead of texts, or texts instead of words."""
    if type(hypotheses) not in (list, tuple) or type(references) not in (list, tuple):
        return
    if is_text and str in map(type, references[:1]):  # as nearly always
        return
    looks_wrong = _text_and_words if is_text else _unsplit_text
    # Slices, because another thread may empty the lists at any time.
    if not any(map(looks_wrong, hypotheses[:1], references[:1])):
        return
    if all(map(looks_wrong, hypotheses[:3], references[:3])):
        warn_of("words" if is_text else "unsplit text")


def warn_of_unsplit_text(list_of_references: Any, hypotheses: Any) -> None:
    """Warn if the first segments in nltk's arguments are texts, each given as one token."""
    if not {type(hypotheses), type(list_of_references)} <= {list, tuple}:
        return
    if not {*map(type, list_of_references[:3])} <= {list, tuple}:
        return
    references = first_entries(list_of_references, 3)
    for name, lists in ("hypothesis", hypotheses[:3]), ("reference", references):
        if lists and all(_unsplit_text(tokens, None) for tokens in lists):
            warn_of("unsplit text for nltk", side=name)
            return


def warn_of_printed_lists(hypotheses: Any, references: Any) -> bool:
    """Warn if the first references are lists as JSON or Python prints them, unlike hypotheses."""
    texts = []
    for reference in first_entries(references, 3):
        if isinstance(reference, str):
            text = str.strip(reference)  # a subclass may override strip()
            if not text.startswith(_STARTS_OF_LISTS) or text[-1] not in "])}":
                return False
            texts.append(text)
    if not texts or str(next(iter(hypotheses), "")).startswith(_STARTS_OF_LISTS):
        return False
    warn_of("printed lists", shown=shown(texts[0]))
    return True


def _text_and_words(hypothesis: Any, references: Any) -> bool:
    if not (are_words(references) and is_phrase(hypothesis)):
        return False
    return not any(map(is_written_without_spaces, references))


def _unsplit_text(hypothesis: Any, references: Any) -> bool:
    if type(hypothesis) not in (list, tuple) or len(hypothesis) != 1:
        return False
    return any(map(is_phrase, hypothesis[:1]))


def hint_at_sacrebleu(list_of_references: Any, hypotheses: Any) -> str:
    """A hint for arguments of nltk's corpus_bleu that seem to be in sacreBLEU's order, or ""."""
    if type(list_of_references) not in (list, tuple) or type(hypotheses) not in (list, tuple):
        return ""
    segments, streams = len(list_of_references), hypotheses
    if any(type(stream) not in (list, tuple) or len(stream) != segments for stream in streams):
        return ""
    if any(type(entry) is str for entry in list_of_references[:1]):
        fix = "fastbleu.sacrebleu.corpus_bleu(hypotheses, references)"
    elif any(type(entry) in (list, tuple) for stream in streams for entry in stream[:1]):
        fix = "corpus_bleu(list(zip(*references)), hypotheses)"
    else:
        return ""
    return f"(they look like sacreBLEU's arguments, hypotheses and references: call {fix})"


def warn_of_equal(row: Sequence[int], segments: int | None) -> None:
    """Warn if the sums of a corpus show that sides are equal, or that one is blank."""
    if not segments or segments < _EQUAL_SEGMENTS:
        return
    if bool(row[0]) != bool(row[1]):
        side = "references" if row[0] else "hypotheses"
        warn_of("blank", segments=segments, side=side)
    middle = len(row) // 2 + 1
    if row[0] == row[1] and row[2:middle] == row[middle:] and row[-1] > 0:
        warn_of("equal", segments=segments)
