"""Likely mistakes in the input that explain a surprising score, each with its effect in points."""

from __future__ import annotations

import html
import re
import unicodedata

from ..inputs.mistakes import fitting_tokenizer, lacks_spaces, sample_of
from ..metric.bleu import BLEU
from .corpus import Corpus

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Literal

    import numpy
    from numpy.typing import NDArray

    Texts = list[str]

# A difference in the share of capitals that does not occur by chance.
_CASE_DIFFERENCE = 0.02
# The largest offset of lines, and the smallest shift: points per segment, and segments.
_LARGEST_SHIFT = 10
_SHIFT_POINTS, _SHIFT_SEGMENTS = 10.0, 5
# The least number of segments: a few hypotheses are often shorter than their references.
_SWAPPED_SEGMENTS = 100
# A share of hypotheses that end in " .", like tokenized text.
_TOKENIZED_SHARE = 0.1

_QUOTES = str.maketrans("‘’‚‛“”„‟«»‹›–—―‐‑−", "''''\"\"\"\"\"\"''------")
_QUOTE = re.compile(f"[{''.join(map(chr, _QUOTES))}]")
_ENTITY = re.compile(r"&(?:#\d{2,7}|#x[\da-fA-F]{2,6}|[a-zA-Z]{2,8});")
_UPPER = re.compile(r"[A-ZÀ-ÖØ-ÞА-ЯЁΑ-Ω]")
_LINE_END = re.compile(r"[\r\n]+\Z")


class Finding:
    """One likely mistake.

    Attributes
    ----------
    name : str
        "tokenized", "script", "case", "quotes", "entities", "normalization", "line ends", "empty",
        "shifted", "swapped" or "source copied".
    message : str
        What was found, and where.
    points : float
        By how many points, on 0-100, the score would rise without it.
    segments : tuple of int
        The affected segments, counted from 0; for a shift the first one.
    """

    def __init__(self, name: str, message: str, points: float, segments: Sequence[int]) -> None:
        self.name = name
        self.message = message
        self.points = points
        self.segments = tuple(segments)

    def to_dict(self) -> dict[str, object]:
        """The attributes by their names."""
        return dict(vars(self))

    def __repr__(self) -> str:
        return f"<Finding {self.name}, {self.points:+.2f} points: {self.message}>"


def find(corpus: Corpus, sources: Sequence[str] | None = None) -> list[Finding]:
    """The likely mistakes of a corpus, the one with the largest effect first."""
    checks = [_empty, _shifted, _swapped]
    if corpus.is_text:
        checks += [_tokenized, _script, _case, _quotes, _entities, _normalization, _line_ends]
    found = [finding for check in checks for finding in check(corpus)]
    if sources is not None:
        found += _source_copied(corpus, sources)
    return sorted(found, key=lambda finding: -abs(finding.points))


def _rewritten(
    corpus: Corpus, name: str, what: str, rewrite: Callable[[str], str]
) -> Iterator[Finding]:
    """A finding if rewriting the texts of one side, or of both, which have `what`, matters."""
    changed = [corpus.changed(rewrite, side) for side in ("hypotheses", "references")]
    if changed[0] or changed[1]:
        points = corpus.rewritten(rewrite).points() - corpus.points()
        if points:
            sides = zip(changed, ("hypotheses", "references"), strict=True)
            where = " and ".join([f"{len(some)} of the {side}" for some, side in sides if some])
            verb = "has" if sum(map(len, changed)) == 1 else "have"
            segments = sorted({*changed[0], *changed[1]})
            yield Finding(name, f"{where} {verb} {what}", points, segments)


def _counted(count: int, one: str, many: str) -> str:
    """The number and what it counts, which is `one` or `many`."""
    return f"{count} {one if count == 1 else many}"


def _tokenized(corpus: Corpus) -> Iterator[Finding]:
    ends = [text.rstrip().endswith(" .") for text in corpus.hypotheses]
    tokenizer = corpus.metric.tokenizer
    if sum(ends) > _TOKENIZED_SHARE * len(ends) and tokenizer and tokenizer.name != "none":
        split = BLEU("none", corpus.metric.lowercase)
        points = corpus.scored_by(split).points() - corpus.points()
        yield Finding(
            "tokenized",
            f"{_counted(sum(ends), 'hypothesis ends', 'hypotheses end')} in ' .', like tokenized "
            "text: pass the text before tokenization, or tokenize='none' if the references are "
            "tokenized, too",
            points,
            [number for number, is_end in enumerate(ends) if is_end],
        )


def _script(corpus: Corpus) -> Iterator[Finding]:
    tokenizer = corpus.metric.tokenizer
    if tokenizer and tokenizer.splits_at_spaces and lack_spaces(corpus.hypotheses):
        is_han = any("\u4e00" <= character <= "\u9fff" for character in corpus.hypotheses[0])
        fitting: Literal["zh", "char"] = "zh" if is_han else "char"
        points = corpus.scored_by(BLEU(fitting, corpus.metric.lowercase)).points()
        yield Finding(
            "script",
            "the text is in a script without spaces between words, but "
            f"{tokenizer.name} splits it at spaces: use the tokenizer {UNSPACED_TOKENIZERS}; "
            f"the effect is that of {fitting}",
            points - corpus.points(),
            range(len(corpus)),
        )


def _case(corpus: Corpus) -> Iterator[Finding]:
    if corpus.metric.lowercase:
        return
    shares = []
    for texts in (corpus.hypotheses, [text for some in corpus.references for text in some]):
        letters = sum(map(len, texts))
        shares.append(sum(len(_UPPER.findall(text)) for text in texts) / letters if letters else 0)
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


def _quotes(corpus: Corpus) -> Iterator[Finding]:
    """Typographic quotes and dashes that only one side has."""

    def rewrite(text: str) -> str:
        return text.translate(_QUOTES) if _QUOTE.search(text) else text

    sides = [bool(corpus.changed(rewrite, side)) for side in ("hypotheses", "references")]
    if sides[0] != sides[1]:
        message = "typographic quotes or dashes, the other side has none"
        yield from _rewritten(corpus, "quotes", message, rewrite)


def _entities(corpus: Corpus) -> Iterator[Finding]:
    message = "HTML entities, such as &#39;"
    return _rewritten(
        corpus, "entities", message, lambda t: html.unescape(t) if _ENTITY.search(t) else t
    )


def _normalization(corpus: Corpus) -> Iterator[Finding]:
    message = "full-width forms, ligatures or decomposed accents (normalize both by NFKC)"
    return _rewritten(
        corpus, "normalization", message, lambda text: unicodedata.normalize("NFKC", text)
    )


def _line_ends(corpus: Corpus) -> Iterator[Finding]:
    def rewrite(text: str) -> str:
        return _LINE_END.sub("", text)

    message = "in a line feed or carriage return (read files by splitlines())"
    for side in ("hypotheses", "references"):
        if changed := corpus.changed(rewrite, side):
            points = corpus.rewritten(rewrite).points() - corpus.points()
            where = _counted(len(changed), f"of the {side} ends", f"of the {side} end")
            yield Finding("line ends", f"{where} {message}", points, changed)


def _empty(corpus: Corpus) -> Iterator[Finding]:
    lengths = corpus.lengths()
    sides = ("hypothesis has", "hypotheses have"), ("reference has", "references have")
    for column, side in enumerate(sides):
        empty = [number for number, row in enumerate(lengths) if not row[column]]
        if 0 < len(empty) < len(lengths):
            kept = [number for number, row in enumerate(lengths) if row[column]]
            points = corpus.part(kept, kept).points() - corpus.points()
            shown = ", ".join(map(str, empty[:5])) + (", ..." if len(empty) > 5 else "")
            segments = "segment" if len(empty) == 1 else "segments"
            message = f"{_counted(len(empty), *side)} no tokens ({segments} {shown})"
            yield Finding("empty", message, points, empty)


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
        if length >= _SHIFT_SEGMENTS and gain / length >= _SHIFT_POINTS:
            best = max(best, (gain, offset, first + start))
    gain, offset, start = best
    if gain:
        kept = [*range(start), *range(start, min(count, count - offset))]
        fitting = [*range(start), *(number + offset for number in kept[start:])]
        points = corpus.part(kept, fitting).points() - corpus.points()
        yield Finding(
            "shifted",
            f"from segment {start} on hypothesis i fits reference i{offset:+d}: "
            f"{'a hypothesis' if offset > 0 else 'a reference'} is missing there, or there is one "
            "too many on the other side",
            points,
            [start],
        )


def _best_suffix(gains: NDArray[numpy.float64]) -> tuple[int, float]:
    """The start of the shortest suffix with the largest sum, and the sum."""
    sums = gains[::-1].cumsum()
    last = int(sums.argmax())
    return len(gains) - 1 - last, float(sums[last])


def _swapped(corpus: Corpus) -> Iterator[Finding]:
    if len(corpus) < _SWAPPED_SEGMENTS or any(len(some) != 1 for some in corpus.references):
        return
    points = corpus.swapped().points() - corpus.points()
    if points > 1:
        message = "the score is higher if hypotheses and references are swapped"
        yield Finding("swapped", message, points, ())


def _source_copied(corpus: Corpus, sources: Sequence[str]) -> list[Finding]:
    if len(sources) != len(corpus):
        raise ValueError(f"there are {len(sources)} sources, but {len(corpus)} hypotheses")
    copied = [
        number
        for number, (source, some) in enumerate(zip(sources, corpus.references, strict=True))
        if source in some
    ]
    if not 0 < len(copied) < len(corpus):
        return []
    kept = sorted({*range(len(corpus))} - {*copied})
    points = corpus.part(kept, kept).points() - corpus.points()
    copies = "reference is a copy of its source", "references are copies of their source"
    message = _counted(len(copied), *copies)
    return [Finding("source copied", message, points, copied)]
