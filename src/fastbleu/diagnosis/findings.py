"""Likely mistakes in the input that explain a surprising score, each with its effect in points."""

from __future__ import annotations

import html
import re
import unicodedata
from contextlib import suppress
from functools import partial
from itertools import chain
from math import isnan

from ..core.inputs.arguments import names_shown, number_of
from ..core.inputs.errors import advised
from ..core.inputs.mistakes import fitting_tokenizer, lacks_spaces, sample_of
from ..core.metric.bleu import BLEU
from .corpus import Corpus

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Literal

    import numpy
    from numpy.typing import NDArray

# The smallest difference in the share of capitals that is not due to chance.
_CASE_DIFFERENCE = 0.02
# The largest offset tried. A shift is reported if at least this many segments, and this share of
# the shifted ones, gain at least this many points.
_LARGEST_SHIFT = 10
_SHIFT_POINTS, _SHIFT_SEGMENTS, _SHIFTED_SHARE = 10.0, 5, 0.4
# Fewer segments are not checked: a few hypotheses are often shorter than their references.
_SWAPPED_SEGMENTS = 100
# A side has few texts with quotes if they are at most this share of those on the other side.
_FEW = 0.05
# Text looks tokenized if more than this share of the hypotheses end in " .".
_TOKENIZED_SHARE = 0.1

_QUOTES = str.maketrans("‘’‚‛“”„‟«»‹›–—―‐‑−", "''''\"\"\"\"\"\"''------")
_QUOTE = re.compile(f"[{''.join(map(chr, _QUOTES))}]")
_ENTITY = re.compile(r"&(?:#\d{2,7}|#x[\da-fA-F]{2,6}|[a-zA-Z]{2,8});")
_UPPER = re.compile(r"[A-ZÀ-ÖØ-ÞА-ЯЁΑ-Ω]")
_NAN = re.compile(r"\s*(nan|NaN|None|null|NULL|<NA>)\s*")
_LIST = re.compile(r"""\s*\[\s*(['"]).*['"],?\s*\]\s*""", re.DOTALL)
_ITEM = re.compile(r"""'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)\"""")
_TAG = re.compile(
    r"<\|[^<>|]{1,30}\|>|\[/?(?:INST|PAD|CLS|SEP)\]"
    r"|</?(?!unk>)[A-Za-z][\w:-]*(?:\s+[\w:-]+=[^<>]*)?\s*/?>"
)
_LOG = re.compile(r"^(?:[HDTSP]-\d+\t)?(?:-?\d[\d.e+-]*\t)?(?:\d+ \|\|\| )?| \|\|\| .*")
_JOINT = re.compile(r"@@(?: |$)| ?\uffed ?| ##(?=\w)")
# Joiners belong to words in Arabic and Indian scripts. Searching for the set first is fast.
_INVISIBLE = re.compile("[\u200b-\u200f\u2060\ufeff\xad](?:(?<=[^\u200c\u200d])|(?<=[\0-\u058f].))")
_NOT_ASCII = re.compile(r"[^\0-\x7f]{2,}|\ufffd")


def _joined(text: str) -> str:
    """Join the subwords of BPE, WordPiece, SentencePiece and OpenNMT."""
    for start in ("\u2581", "\u0120"):  # marks the start of a word
        if start in text:
            text = text.replace(" ", "").replace(start, " ").strip()
    has_joint = "@@" in text or "\uffed" in text or " ##" in text
    return _JOINT.sub("", text) if has_joint else text


def _without_columns(text: str) -> str:
    """The text in a line of a log."""
    return _LOG.sub("", text) if "\t" in text or " ||| " in text else text


def _listed(text: str) -> str:
    """Join the strings of a printed list."""
    if not _LIST.fullmatch(text):
        return text
    return re.sub(r"\\(.)", r"\1", " ".join(map("".join, _ITEM.findall(text))))


def _western(character: str) -> bytes:
    """The character's byte in latin-1, or in cp1252 if latin-1 lacks it."""
    return character.encode("latin-1" if character < "\u0100" else "cp1252")


def _read_again(match: re.Match[str]) -> str:
    """Decode UTF-8 that was read in another encoding; otherwise only remove U+FFFD."""
    for encode in (_western, partial(str.encode, encoding="cp1251")):
        with suppress(UnicodeError):
            text = b"".join(map(encode, match[0])).decode()
            if len(text) > 1 or text < "\u0180" or "\u2000" <= text < "\u2100":  # not by chance
                return text
    return match[0].replace("\ufffd", "")


def _decoded(text: str) -> str:
    """Repair a text that was read in the wrong encoding."""
    return text if text.isascii() else _NOT_ASCII.sub(_read_again, text)


# Normal in texts, so reported only if the score changes.
_OF_SPELLING = "quotes", "entities", "normalization"
# Leftovers of tools in a text: a description, and the function that removes them.
_LEFTOVERS: dict[str, tuple[str, Callable[[str], str]]] = {
    "quotes": (
        "typographic quotes or dashes; the other side has few or none",
        partial(_QUOTE.sub, lambda match: match[0].translate(_QUOTES)),
    ),
    "entities": (
        "HTML entities, such as &#39;",
        partial(_ENTITY.sub, lambda match: html.unescape(match[0])),
    ),
    "normalization": (
        "full-width forms, ligatures or decomposed accents (normalize both by NFKC)",
        partial(unicodedata.normalize, "NFKC"),
    ),
    "subwords": ("subwords with marks such as @@ (join them)", _joined),
    "tags": ("tags or special tokens, such as </s>", partial(_TAG.sub, "")),
    "lists": ("printed lists, such as ['the', 'cat']", _listed),
    "log columns": ("columns of a log, such as H-0 (keep only the text)", _without_columns),
    "encoding": (
        "text that was read in the wrong encoding, such as Ã© for é",
        _decoded,
    ),
    "line ends": (
        "a line feed or carriage return at the end (read files by splitlines())",
        lambda text: text.rstrip("\r\n"),
    ),
    "zero-width": ("invisible characters, such as U+200B", partial(_INVISIBLE.sub, "")),
}


class Finding:
    """One likely mistake.

    Attributes
    ----------
    name : str
        "tokenized", "script", "case", "quotes", "entities", "normalization", "subwords", "tags",
        "lists", "log columns", "encoding", "line ends", "zero-width", "nan", "empty", "shifted",
        "swapped" or "source copied".
    message : str
        What was found, and where.
    points : float
        By how many points, on 0-100, the score would rise without it; NaN if none would be left.
    segments : tuple of int
        The affected segments, counted from 0; for a shift only the first one.
    """

    def __init__(self, name: str, message: str, points: float, segments: Sequence[int]) -> None:
        self.name = name
        self.message = message
        self.points = points
        self.segments = tuple(segments)

    def to_dict(self) -> dict[str, object]:
        """The attributes by name, for `json.dumps`: points are None where no score is left."""
        return {**vars(self), "points": None if isnan(self.points) else self.points}

    @property
    def _effect(self) -> str:
        return "no score" if isnan(self.points) else f"{self.points:+.2f}"

    def __repr__(self) -> str:
        points = "" if isnan(self.points) else " points"
        return f"<Finding {self.name}, {self._effect}{points}: {self.message}>"


def find(corpus: Corpus, sources: Sequence[str] | None = None) -> list[Finding]:
    """The likely mistakes of a corpus, the one with the largest effect first."""
    checks = [_empty, _shifted, _swapped]
    if corpus.counter.is_text:
        checks += [_tokenized, _script, _case, _leftovers, _nan]
    findings = [finding for check in checks for finding in check(corpus)]
    if sources is not None:
        findings += _source_copied(corpus, sources)
    # Last those after whose repair there is no score.
    return sorted(findings, key=lambda finding: (isnan(finding.points), -abs(finding.points)))


def rewrite_of(name: str) -> Callable[[str], str] | None:
    """The function that removes a finding from a text; None if there is none."""
    return str.lower if name == "case" else _LEFTOVERS.get(name, ("", None))[1]


def _sides(corpus: Corpus, rewrite: Callable[[str], str]) -> tuple[str, list[int], bool]:
    """The changed texts, as "2 of the references have"; their segments; whether both have many."""
    sides = [(side, corpus.changed(rewrite, side)) for side in ("hypotheses", "references")]
    where = " and ".join([f"{len(changed)} of the {side}" for side, changed in sides if changed])
    segments = [segment for _, changed in sides for segment in changed]
    verb = "has" if len(segments) == 1 else "have"
    counts = [len(changed) for _, changed in sides]
    return f"{where} {verb}", sorted({*segments}), min(counts) > _FEW * max(counts)


def _without(corpus: Corpus, name: str, message: str, segments: Sequence[int]) -> Iterator[Finding]:
    """A finding with the effect of leaving out its segments; none if these are all."""
    if kept := sorted({*range(len(corpus))} - {*segments}):
        points = corpus.part(kept, kept).points() - corpus.points()
        yield Finding(name, message, points, segments)


def _tokenized(corpus: Corpus) -> Iterator[Finding]:
    ends = [n for n, text in enumerate(corpus.hypotheses) if text.rstrip().endswith(" .")]
    if corpus.scorer.warns_of_tokenized and len(ends) > _TOKENIZED_SHARE * len(corpus):
        split = BLEU(tokenize="none", lowercase=corpus.metric.lowercase)
        points = corpus.scored_by(split).points() - corpus.points()
        yield Finding(
            "tokenized",
            f"{number_of(len(ends), 'hypothesis ends', 'hypotheses end')} in ' .', like tokenized "
            "text: pass the text before tokenization, or, if the references are tokenized too, use "
            f"{advised('tokenize', 'none')}",
            points,
            ends,
        )


def _script(corpus: Corpus) -> Iterator[Finding]:
    tokenizer, sample = corpus.counter.tokenizer, sample_of(corpus.hypotheses)
    if tokenizer and tokenizer.splits_at_spaces and lacks_spaces(sample):
        fitting = fitting_tokenizer(sample)
        tried: Literal["zh", "char"] = "zh" if fitting == "zh" else "char"
        points = corpus.scored_by(BLEU(tokenize=tried, lowercase=corpus.metric.lowercase)).points()
        yield Finding(
            "script",
            "the text is in a script without spaces between words, but "
            f"{tokenizer.name} splits it at spaces: use {advised('tokenize', fitting)}; the effect "
            f"is that of {tried}",
            points - corpus.points(),
            range(len(corpus)),
        )


def _case(corpus: Corpus) -> Iterator[Finding]:
    if corpus.metric.lowercase:
        return
    shares = []
    for texts in (corpus.hypotheses, chain.from_iterable(corpus.references)):
        text = "".join(texts)
        shares.append(len(_UPPER.findall(text)) / len(text) if text else 0)
    if abs(shares[0] - shares[1]) < _CASE_DIFFERENCE or (min(shares) > 0 and max(shares) < 0.2):
        return
    points = corpus.rewritten(str.lower).points() - corpus.points()
    if points:
        yield Finding(
            "case",
            f"{shares[0]:.1%} of the hypotheses' characters are capitals, {shares[1]:.1%} of the "
            "references': one side was lowercased, or not truecased",
            points,
            corpus.changed(str.lower, "references" if shares[0] < shares[1] else "hypotheses"),
        )


def _leftovers(corpus: Corpus) -> Iterator[Finding]:
    for name, (what, rewrite) in _LEFTOVERS.items():
        where, segments, on_both_sides = _sides(corpus, rewrite)
        if not segments or (name == "quotes" and on_both_sides):
            continue
        points = corpus.rewritten(rewrite).points() - corpus.points()
        if points or name not in _OF_SPELLING:
            yield Finding(name, f"{where} {what}", points, segments)


def _empty(corpus: Corpus) -> Iterator[Finding]:
    lengths = corpus.lengths()
    sides = ("hypothesis has", "hypotheses have"), ("reference has", "references have")
    for column, side in enumerate(sides):
        if empty := [number for number, row in enumerate(lengths) if not row[column]]:
            segments = f"segment{'s' * (len(empty) != 1)}"
            message = f"{number_of(len(empty), *side)} no tokens ({segments} {names_shown(empty)})"
            yield from _without(corpus, "empty", message, empty)


def _nan(corpus: Corpus) -> Iterator[Finding]:
    where, segments, _ = _sides(corpus, _without_missing)
    if segments:
        message = f"{where} no text but the name of a missing value, such as nan"
        yield from _without(corpus, "nan", message, segments)


def _without_missing(text: str) -> str:
    return "" if _NAN.fullmatch(text) else text


def _shifted(corpus: Corpus) -> Iterator[Finding]:
    """The constant offset of the references that fits best, from some segment to the end."""
    count = len(corpus)
    if count < _SHIFT_SEGMENTS:
        return
    straight = corpus.similarities(0)
    best = 0.0, 0, 0
    for offset in range(-_LARGEST_SHIFT, _LARGEST_SHIFT + 1):
        if not offset or count - abs(offset) < _SHIFT_SEGMENTS:
            continue
        first, gains = max(0, -offset), corpus.similarities(offset)
        gains = gains - straight[first : first + len(gains)]
        start, gain = _best_suffix(gains)
        length = len(gains) - start
        # Not the mean: in shuffled hypotheses some segments fit by chance.
        fitting = (gains[start:] >= _SHIFT_POINTS).sum()
        if fitting >= max(_SHIFT_SEGMENTS, _SHIFTED_SHARE * length):
            best = max(best, (gain, offset, first + start))
    gain, offset, start = best
    if gain:
        kept = [*range(start), *range(start, min(count, count - offset))]
        fitting = [*range(start), *(number + offset for number in kept[start:])]
        points = corpus.part(kept, fitting).points() - corpus.points()
        yield Finding(
            "shifted",
            f"from segment {start} on hypothesis i fits reference i{offset:+d}: "
            f"{'a hypothesis' if offset > 0 else 'a reference'} is missing there, or the other "
            "side has one too many",
            points,
            [start],
        )


def _best_suffix(gains: NDArray[numpy.float64]) -> tuple[int, float]:
    """The start of the shortest suffix with the largest sum, and the sum."""
    sums = gains[::-1].cumsum()
    last = int(sums.argmax())
    return len(gains) - 1 - last, float(sums[last])


def _swapped(corpus: Corpus) -> Iterator[Finding]:
    if len(corpus) < _SWAPPED_SEGMENTS or any(len(texts) != 1 for texts in corpus.references):
        return
    firsts = [texts[0] for texts in corpus.references]
    swapped = corpus.with_segments(firsts, [[hypothesis] for hypothesis in corpus.hypotheses])
    points = swapped.points() - corpus.points()
    if points > 1:
        message = "the score is higher if hypotheses and references are swapped"
        yield Finding("swapped", message, points, ())


def _source_copied(corpus: Corpus, sources: Sequence[str]) -> Iterator[Finding]:
    if len(sources) != len(corpus):
        raise ValueError(
            f"sources has {number_of(len(sources), 'entry', 'entries')}, hypotheses has "
            f"{len(corpus)}; pass the source of each"
        )
    pairs = enumerate(zip(sources, corpus.references, strict=True))
    if copied := [number for number, (source, texts) in pairs if source in texts]:
        copies = "reference is a copy of its source", "references are copies of their source"
        yield from _without(corpus, "source copied", number_of(len(copied), *copies), copied)
