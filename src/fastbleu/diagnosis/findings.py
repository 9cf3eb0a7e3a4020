"""Likely mistakes in a corpus, each with its effect in points, which is that of its repair.

Repairs of texts are in repairs.py; here are those of pairs and of whole sides.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from functools import partial
from itertools import chain
from math import nan
from typing import NamedTuple

import numpy

from ..core.inputs.arguments import names_shown, number_of
from ..core.inputs.errors import InputError, advised
from ..core.inputs.looks import (
    fitting_tokenizer,
    is_written_without_spaces,
    lacks_spaces,
    sample_of,
)
from ..core.inputs.mistakes import MISTAKES
from ..core.metric.bleu import BLEU
from .affixes import constant_text, framed_by
from .corpus import Corpus
from .order import reordered
from .repairs import DIFFERENT_CASE, REPAIRS, Repair
from .search import (
    LEAST_KEPT,
    LEAST_POINTS,
    TIMES,
    Finding,
    Search,
    on_one_side,
    segments_with,
    sides_have,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

# Of texts of this many bytes, 3.2 % at most equal their reference in 36 outputs of WMT22,
# but for references that are corrected outputs.
_LONG_TEXT, _EQUAL_SHARE = 60, 0.1
# A repair of spelling or order must add more points than others; and none is named that adds less
# than this share of what a larger one adds.
_LEAST_POINTS_OF_SPELLING, _LEAST_POINTS_OF_ORDER, _LEAST_SHARE = 0.1, 0.5, 0.05
# What both sides with capitals gain at least if case is ignored.
_LEAST_POINTS_OF_CASE, _TIMES_OF_CASE = 1.0, 1.15
# A text of more characters, whose words have more on average, lacks spaces.
_LEAST_UNSPACED, _LONGEST_WORDS = 40, 25
# Fewer segments may lack letters of their alphabet.
_LEAST_CORPUS = 100
# The letters needed to tell the script of a text, and the share of them that may be foreign.
_LEAST_LETTERS, _FOREIGN = 20, 0.05
# Segments with fewer tokens may be equal or short by chance.
_LEAST_TOKENS = 10
# Relative to the reference; and of the whole corpus.
_SHORT, _SHORT_CORPUS, _LONG_CORPUS = 0.5, 0.8, 1.4

_NAN = re.compile(r"\s*(nan|NaN|None|null|NULL|<NA>)\s*")
_UNKNOWN = re.compile(r"<unk>|<UNK>|\[UNK\]|⁇")
_LOST = re.compile(r"\ufffd|[^\W\d_]\?[^\W\d_]|\?\?\w|\w\?\?|\?{4}")
_IDEOGRAPH = re.compile("[\u3400-\u9fff\uac00-\ud7a3]")
_SIDES = "hypotheses", "references"


def find(corpus: Corpus, sources: Sequence[str] | None = None) -> list[Finding]:
    """The likely mistakes of a corpus, the one with the largest effect first.

    Each check sees what the repairs of those before have left, so that a mistake has one name.
    """
    if sources is not None and len(sources) != len(corpus):
        raise InputError(
            f"sources has {number_of(len(sources), 'entry', 'entries')}, hypotheses has "
            f"{len(corpus)}; pass the source of each"
        )
    search = Search(corpus, sources)
    is_text = corpus.counter.is_text
    for check, is_of_tokens in (
        (_blank, True),
        (_ids, False),
        (_missing, False),
        (_empty, True),
        (_tokenizer, False),
        (_copied, False),
        (_same_text, False),
        (_equal, False),
        (_framed, False),
        (check_order, True),
        (_lost, False),
        (_spellings, False),
        (_unspaced, False),
        (_scripts, False),
        (_foreign, False),
        (_short, True),
    ):
        if is_text or is_of_tokens:
            check(search)
        if not len(search.rest):
            break
    return sorted(search.found, key=lambda it: -it._weight)


def _blank(search: Search) -> None:
    lengths = search.corpus.lengths()
    for column, side in enumerate(_SIDES):
        if len(lengths) and not lengths[:, column].any():
            message = MISTAKES["blank"].format(segments=len(lengths), side=side)
            search.add("blank", message, nan, search.numbers)
            search.rest = search.rest.part([])
            return


def _empty(search: Search) -> None:
    lengths = search.rest.lengths()
    sides = ("hypothesis has", "hypotheses have"), ("reference has", "references have")
    for column, side in enumerate(sides):
        if empty := [number for number, row in enumerate(lengths) if not row[column]]:
            segments = f"segment{'s' * (len(empty) != 1)}"
            where = names_shown([search.numbers[number] for number in empty])
            message = f"{number_of(len(empty), *side)} no tokens ({segments} {where})"
            if search.leave_out("empty", message, empty):
                lengths = search.rest.lengths()


def _missing(search: Search) -> None:
    """Texts that are the name of a missing value."""
    missing = segments_with(search.rest, _NAN.fullmatch)
    if any(missing):
        message = f"{sides_have(*missing)} no text but the name of a missing value, such as nan"
        search.leave_out("nan", message, sorted({*missing[0], *missing[1]}))


def _ids(search: Search) -> None:
    """Ids instead of text on one side."""
    counts = [*map(len, segments_with(search.rest, _are_numbers))]
    for side, count, other in zip(_SIDES, counts, counts[::-1], strict=True):
        if count > 0.9 * len(search.rest) and TIMES * other < count:
            message = f"{count} of the {side} are numbers, such as ids of tokens: decode them"
            search.add("ids", message, nan, range(len(search.rest)))
            search.rest = search.rest.part([])
            return


def _are_numbers(text: str) -> bool:
    words = text.split()
    return bool(words) and all(map(str.isdigit, words))


def _unspaced(search: Search) -> None:
    """Words without spaces between them on one side."""
    if having := on_one_side(search.rest, _lacks_spaces):
        message = f"{sides_have(*having)} hardly any spaces: separate words by spaces"
        search.leave_out("spaces", message, having[0] or having[1], is_lost=True)


def _lacks_spaces(text: str) -> bool:
    is_joined = len(text) > max(_LEAST_UNSPACED, _LONGEST_WORDS * len(text.split()))
    return is_joined and not is_written_without_spaces(text)


def _tokenizer(search: Search) -> None:
    """A tokenizer that does not fit the text."""
    corpus, tokenizer = search.rest, search.rest.counter.tokenizer
    samples = sample_of(corpus.hypotheses), sample_of(corpus.references)
    if not tokenizer or corpus.scorer.dialect.of_tokenized_text:
        return
    if tokenizer.splits_at_spaces and all(map(lacks_spaces, samples)):
        fitting: str = fitting_tokenizer(samples[1])
        why = "in a script without spaces between words, but {0} splits it at spaces"
    elif tokenizer.name == "zh" and fitting_tokenizer(samples[1]) == "ja-mecab":
        fitting, why = "ja-mecab", "Japanese, of which {0} splits only Chinese characters"
    elif tokenizer.name == "none" and _is_untokenized(corpus):
        fitting, why = "13a", "not tokenized, and {0} leaves punctuation at words"
    else:
        return
    try:
        fitted = corpus.scored_by(BLEU(tokenize=fitting, lowercase=corpus.metric.lowercase))
        points = fitted.points() - corpus.points()
    except ImportError:
        fitted, points = corpus, nan
    message = f"the text is {why.format(tokenizer.name)}: use {advised('tokenize', fitting)}"
    search.add("script", message, points, range(len(corpus)))
    search.rest = fitted


def _is_untokenized(corpus: Corpus) -> bool:
    """Whether most texts of both sides have punctuation at their last word."""
    counts = map(len, segments_with(corpus, re.compile(r"\w[.!?]\s*$").search))
    return min(counts) > len(corpus) / 2


def _copied(search: Search) -> None:
    """Hypotheses or references that are copies of their source."""
    if search.sources is None:
        return
    sources = [search.sources[number] for number in search.numbers]
    rows = list(zip(sources, search.rest.hypotheses, search.rest.references, strict=True))
    is_long = [len(source.split()) > 3 or len(source) > 20 for source in sources]
    equal = [n for n, (source, text, texts) in enumerate(rows) if source == text not in texts]
    of_references = [n for n, (source, text, texts) in enumerate(rows) if source in texts != [text]]
    # Short ones may be names, if not most are copies.
    of_hypotheses, of_references = (
        copies if 2 * len(copies) > len(rows) else [n for n in copies if is_long[n]]
        for copies in (equal, of_references)
    )
    for side, copied in (
        (("hypothesis is a copy of its", "hypotheses are copies of their"), of_hypotheses),
        (("reference is a copy of its", "references are copies of their"), of_references),
    ):
        if copied and search.leave_out(
            "source copied", f"{number_of(len(copied), *side)} source", copied
        ):
            return


def _same_text(search: Search) -> None:
    """A hypothesis for many different references."""
    rest = search.rest
    [(text, count)] = Counter(rest.hypotheses).most_common(1)
    segments = [number for number, other in enumerate(rest.hypotheses) if other == text]
    different = {rest.references[number][0] for number in segments}
    if text.strip() and count >= search.least(least=3) and 2 * len(different) > count:
        message = (
            f"{count} hypotheses are identical, {text[:40]!r}, but their references differ: it is "
            "repeated, or an error message"
        )
        search.leave_out("same text", message, segments)


def _equal(search: Search) -> None:
    """Long hypotheses that equal a reference more often than those of real systems do."""
    rest = search.rest
    long = [
        n
        for n, text in enumerate(rest.hypotheses)
        if len(text.encode("utf-8", "surrogatepass")) >= _LONG_TEXT
    ]
    equal = [n for n in long if rest.hypotheses[n] in rest.references[n]]
    if len(equal) >= max(20, _EQUAL_SHARE * len(long)):
        message = (
            f"{len(equal)} of {len(long)} long hypotheses equal a reference, which raises the "
            "score: are they copies?"
        )
        search.add("equal", message, nan, equal, 0)


def _framed(search: Search) -> None:
    """Words that all texts of both sides begin or end with, which raises the score."""
    corpus = search.rest
    if message := framed_by(corpus.hypotheses, [*chain.from_iterable(corpus.references)]):
        search.add("constant text", message, nan, range(len(corpus)))


def check_order(search: Search) -> None:
    """Hypotheses that fit the references of other segments."""
    order = reordered(search.rest, search.numbers)
    points = order.corpus.points() - search.rest.points() if order else 0
    if order and points >= _LEAST_POINTS_OF_ORDER:
        known = nan if order.is_partial else points
        search.add(order.name, order.message, known, order.segments, points)
        kept = [] if order.is_partial else order.kept  # pairs that are unknown look mistaken
        search.rest = order.corpus.part(kept) if order.is_partial else order.corpus
        search.numbers = [search.numbers[n] for n in kept]


class _Repaired(NamedTuple):
    """A corpus with repaired texts, what was repaired, and where."""

    corpus: Corpus
    message: str
    segments: Sequence[int]
    rewrite: Callable[[str], str] | None = None
    is_spelling: bool = False
    is_lost: bool = False


def _spellings(search: Search) -> None:
    """What `REPAIRS` repair, text that begins or ends many lines, and reversed words."""
    checks: dict[str, Callable[[Corpus], _Repaired | None]] = {
        name: partial(_repaired, repair=repair) for name, repair in REPAIRS.items()
    }
    checks |= {f"constant text {side}": partial(_constant, side=side) for side in (0, 1)}
    checks["words reversed"] = _reversed
    checks["case 0"] = _cased  # where both sides have capitals
    largest = 0.0
    while True:
        results = {name: check(search.rest) for name, check in checks.items()}
        repairs = {name: repaired for name, repaired in results.items() if repaired}
        before = search.rest.points()
        gains = {name: repairs[name].corpus.points() - before for name in repairs}
        most = max(gains.values(), default=nan)
        # The first of those that explain about the same.
        name = next((name for name, gain in gains.items() if gain >= 0.95 * most), "")
        if not name:
            return
        repaired, gain = repairs[name], gains[name]
        least = _LEAST_POINTS_OF_SPELLING if repaired.is_spelling else LEAST_POINTS
        if gain < max(least, _LEAST_SHARE * largest):
            return
        largest = max(largest, gain)
        points = nan if repaired.is_lost else gain
        search.has_lost |= repaired.is_lost
        affected, rewrite = repaired.segments, repaired.rewrite
        search.add(name.rstrip(" 01"), repaired.message, points, affected, gain, rewrite)
        search.rest = repaired.corpus
        checks = {other: checks[other] for other in repairs if other != name}


def _repaired(corpus: Corpus, repair: Repair) -> _Repaired | None:
    """The corpus with repaired texts; None if one side does not have it more often."""
    if repair.styles and not any(_differ_throughout(corpus, *both) for both in repair.styles):
        return None
    if repair.marks and not any(mark in corpus.all_text for mark in repair.marks):
        return None
    having = on_one_side(corpus, repair.has, repair.is_spelling)
    if having is None:
        return None
    other = ", where the other side has none" if repair.is_spelling else ""
    message = f"{sides_have(*having)} {repair.words}{other}: {repair.advice}"
    segments = having[0] or having[1]
    repaired = corpus.rewritten(repair.rewrite, segments)
    if repair.is_lost and not _SHORT_CORPUS < _length_ratio(repaired) < 1 / _SHORT_CORPUS:
        return None  # with the rest of truncated text
    return _Repaired(
        repaired, message, segments, repair.rewrite, repair.is_spelling, repair.is_lost
    )


def _length_ratio(corpus: Corpus) -> float:
    hyp_len, ref_len = map(int, corpus.lengths().sum(0))
    return hyp_len / max(1, ref_len)


def _differ_throughout(corpus: Corpus, style: str, other: str) -> bool:
    """Whether each side has another style, and hardly ever that of the other side."""
    counts = [map(len, segments_with(corpus, re.compile(it).search)) for it in (style, other)]
    hypotheses, references = zip(*counts, strict=True)
    are_pure = all(10 * min(it) <= max(it) > 0 for it in (hypotheses, references))
    return are_pure and (hypotheses[0] > hypotheses[1]) != (references[0] > references[1])


def _reversed(corpus: Corpus) -> _Repaired | None:
    stats = numpy.asarray(corpus.counted().stats).sum(0)
    if len(stats) < 6 or stats[2] < 2 * stats[3]:
        return None
    hypotheses = [" ".join(reversed(text.split())) for text in corpus.hypotheses]
    message = "the words of one side are in reverse order: reverse them"
    repaired = corpus.with_segments(hypotheses, corpus.references)
    return _Repaired(repaired, message, range(len(corpus)))


def _cased(corpus: Corpus) -> _Repaired | None:
    """Texts that equal many more references if case is ignored, such as titles."""
    lowered = corpus.rewritten(str.lower, range(len(corpus)))
    before = corpus.points()
    if not lowered.points() > max(before + _LEAST_POINTS_OF_CASE, _TIMES_OF_CASE * before):
        return None
    return _Repaired(lowered, DIFFERENT_CASE, range(len(corpus)), str.lower, True)


def _constant(corpus: Corpus, side: int) -> _Repaired | None:
    """What many lines of one side begin or end with, and hardly any of the other side."""
    sides = corpus.hypotheses, [texts[0] for texts in corpus.references]
    constant = constant_text(sides[side], sides[1 - side])
    if constant is None:
        return None
    what, rewrite = constant
    changed = [number for number, text in enumerate(sides[side]) if rewrite(text) != text]
    message = f"of the {_SIDES[side]} {what}, like a tag, prompt, number or id: remove it"
    return _Repaired(corpus.rewritten(rewrite, changed), message, changed, rewrite, True)


def _scripts(search: Search) -> None:
    """Hypotheses in other letters than their references."""
    rest = search.rest
    pairs = zip(rest.hypotheses, rest.references, strict=True)
    scripts = [_scripts_of(text, texts[0]) for text, texts in pairs]
    differing = {n: names for n, names in enumerate(scripts) if names and names[0] != names[1]}
    if len(differing) >= search.least(least=3):
        [((own, other), _)] = Counter(differing.values()).most_common(1)
        message = (
            f"{len(differing)} of the hypotheses are in {own} letters, their references in "
            f"{other}: are they in another language, or is one a copy of the source?"
        )
        are_all = len(differing) > 0.9 * (len(rest) - scripts.count(None))
        search.leave_out("language", message, range(len(rest)) if are_all else [*differing])


def _scripts_of(*texts: str) -> tuple[str, str] | None:
    """The scripts of two texts, "" and "" if they share letters; None if they have too few."""
    known = [{*filter(str.isalpha, text.lower())} for text in texts]
    if 2 * len(known[0] & known[1]) > min(map(len, known)):
        return "", ""
    # In the script that they have if they are read in the right encoding.
    for mistake in ("escapes", "encoding", "full-width"):
        texts = tuple(map(REPAIRS[mistake].rewrite, texts))
    name = unicodedata.name
    scripts = [[name(c, "").partition(" ")[0] for c in s[:200] if c.isalpha()] for s in texts]
    if min(map(len, scripts)) < _LEAST_LETTERS:
        return None
    first, second = (max(set(letters), key=letters.count) for letters in scripts)
    shares = scripts[1].count(first) / len(scripts[1]), scripts[0].count(second) / len(scripts[0])
    return (first, second) if min(shares) < _FOREIGN else ("", "")


def _foreign(search: Search) -> None:
    """Texts with letters that the other side does not have at all."""
    if search.has_lost or len(search.rest) < _LEAST_CORPUS:
        return
    firsts = [" ".join(texts) for texts in search.rest.references]
    sides = search.rest.hypotheses, firsts
    for number, side in enumerate(_SIDES):
        known = {*chain.from_iterable(map(str.lower, sides[1 - number]))}
        # Hardly any of the thousands of ideographs and syllables are in a small corpus, and some
        # small corpora lack letters of their own alphabet.
        known |= {c for c in map(chr, range(128)) if "e" in known}
        letters = [
            [c for c in text.lower() if c.isalpha() and c not in known and not _IDEOGRAPH.match(c)]
            for text in sides[number]
        ]
        segments = [n for n, foreign in enumerate(letters) if len(foreign) > 1]
        if len(segments) < search.least(least=3):
            continue
        common = [c for c, _ in Counter(chain.from_iterable(letters)).most_common(5)]
        message = (
            f"{len(segments)} of the {side} have letters that the other side lacks, such as "
            f"{' '.join(common)}: are they in another language, or were letters replaced?"
        )
        if search.leave_out("language", message, segments):
            return


def _lost(search: Search) -> None:
    """What the text no longer has: its effect is unknown."""
    for name, pattern, what in (
        ("lost characters", _LOST, "? or U+FFFD for letters: they were lost in the wrong encoding"),
        ("unknown words", _UNKNOWN, "marks for unknown words, such as <unk>: replace them"),
    ):
        having = on_one_side(search.rest, pattern.search)
        if having:
            segments = having[0] or having[1]
            kept = search.others(segments)
            gain = max(0, search.rest.part(kept).points() - search.rest.points()) if kept else None
            search.add(name, f"{sides_have(*having)} {what}", nan, segments, gain)
            search.has_lost = True
            if len(segments) >= (1 - LEAST_KEPT) * len(search.rest):
                search.rest = search.rest.part([])
                return


def _short(search: Search) -> None:
    """Hypotheses that are much shorter or longer than their references."""
    lengths = search.rest.lengths()
    hyp_len, ref_len = map(int, lengths.sum(0))
    rows = [(n, *row) for n, row in enumerate(lengths.tolist()) if row[1] >= _LEAST_TOKENS]
    segments = [n for n, length, expected in rows if length < _SHORT * expected]
    long = [n for n, length, expected in rows if length > expected / _SHORT]
    if len(lengths) >= _LEAST_TOKENS and hyp_len < _SHORT_CORPUS * ref_len:
        points = search.rest.points()
        penalty = search.rest.scorer.brevity_penalty(hyp_len, ref_len)
        costs = points / penalty - points if penalty else nan
        message = (
            f"the hypotheses are short, {hyp_len / ref_len:.0%} of the references' length, which "
            "costs points by the brevity penalty: were they truncated?"
        )
        search.add("short", message, costs, segments, is_exact=False)
    elif len(lengths) >= _LEAST_TOKENS and hyp_len > _LONG_CORPUS * ref_len:
        message = (
            f"the references are short: hypotheses have {hyp_len / ref_len:.0%} of their length. "
            "Were references truncated, or do hypotheses repeat something?"
        )
        search.add("long", message, nan, [], search.rest.points() * (hyp_len / ref_len - 1))
    else:
        for name, affected, what in (
            ("short", segments, "shorter than half of their references: were they truncated?"),
            ("long", long, "longer than twice their references: do they repeat something?"),
        ):
            if len(affected) >= search.least(0.03, 3):
                message = f"{len(affected)} of the hypotheses are {what}"
                search.leave_out(name, message, affected, is_lost=True)
                return
