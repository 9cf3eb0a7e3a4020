"""A search for likely mistakes: what it has found, and the corpus that repairs have left."""

from __future__ import annotations

from math import ceil, isnan, nan

from .corpus import Corpus

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

# A repair that adds fewer points is not named.
LEAST_POINTS = 0.02
# If leaving out segments leaves at most this share, that tells nothing.
LEAST_KEPT = 0.25
# A difference in spelling is a mistake if it is in this share of the segments, and this many times
# as often on one side as on the other.
SHARE, TIMES = 0.02, 4


class Finding:
    """One likely mistake.

    Attributes
    ----------
    name : str
        A name in `fastbleu.diagnosis.repairs.REPAIRS`, such as "case", "quotes" or "subwords", or
        "empty", "blank", "nan", "script", "shifted", "exchanged", "shuffled", "constant text",
        "short", "long", "same text", "equal", "language", "lost characters", "unknown words",
        "ids", "spaces", "words reversed" or "source copied".
    message : str
        What was found and where, and what to do.
    points : float or None
        By how many points, on 0-100, the score would rise without it; None if that is unknown.
    segments : tuple of int
        The affected segments, counted from 0; for a shift only the first one.
    """

    def __init__(
        self,
        name: str,
        message: str,
        points: float,
        segments: Sequence[int],
        weight: float | None = None,
        rewrite: Callable[[str], str] | None = None,
        is_exact: bool = True,
    ) -> None:
        self.name = name
        self.message = message
        self.points = None if isnan(points) else points
        self.segments = tuple(segments)
        # What a comparison with other systems may use: NaN if points are an estimate.
        self._exact_points = points if is_exact else nan
        # The repair of the texts of its segments.
        self._rewrite = rewrite
        # What decides about the order: the least effect that is known.
        weight = points if weight is None else weight
        self._weight = 0.0 if isnan(weight) else abs(weight)

    def to_dict(self) -> dict[str, object]:
        """The attributes by name, for `json.dumps`."""
        return {name: value for name, value in vars(self).items() if not name.startswith("_")}

    @property
    def _effect(self) -> str:
        return "unknown" if self.points is None else f"{self.points:+.2f}"

    def __repr__(self) -> str:
        points = "" if self.points is None else " points"
        return f"<Finding {self.name}, {self._effect}{points}: {self.message}>"


class Search:
    """The findings so far, and the corpus that their repairs have left."""

    def __init__(self, corpus: Corpus, sources: Sequence[str] | None, first: int = 0) -> None:
        self.corpus = self.rest = corpus  # the whole one, and the repaired one
        self.sources = sources
        # The segments of the rest.
        self.numbers = list(range(first, first + len(corpus)))
        self.found: list[Finding] = []
        # Whether some letters or words are lost, so that what is left looks like other mistakes.
        self.has_lost = False

    def add(
        self,
        name: str,
        message: str,
        points: float,
        segments: Sequence[int],
        weight: float | None = None,
        rewrite: Callable[[str], str] | None = None,
        is_exact: bool = True,
    ) -> None:
        """Add a finding about segments of the rest.

        `weight` decides about its place; what concerns nearly all segments may cost all points.
        """
        if weight is None and isnan(points) and len(segments) >= (1 - LEAST_KEPT) * len(self.rest):
            weight = 100.0
        numbers = [self.numbers[segment] for segment in segments]
        self.found.append(Finding(name, message, points, numbers, weight, rewrite, is_exact))

    def leave_out(
        self, name: str, message: str, segments: Sequence[int], is_lost: bool = False
    ) -> bool:
        """Add a finding about segments if the score rises without them.

        If their texts are lost (`is_lost`), the effect is unknown.
        """
        kept = self.others(segments)
        if len(kept) <= LEAST_KEPT * len(self.rest):  # nearly all
            self.add(name, message, nan, segments)
            kept = []
        else:
            points = self.rest.part(kept).points() - self.rest.points()
            if not points >= LEAST_POINTS:
                return False
            self.add(name, message, nan if is_lost else points, segments, points)
        self.rest, self.numbers = self.rest.part(kept), [self.numbers[n] for n in kept]
        return True

    def others(self, segments: Sequence[int]) -> list[int]:
        """The segments of the rest that are not among these."""
        return sorted({*range(len(self.rest))} - {*segments})

    def least(self, share: float = SHARE, least: int = 2) -> int:
        """The number of segments that are no chance."""
        return max(least, ceil(share * len(self.rest)))


def sides_have(hypotheses: Sequence[int], references: Sequence[int]) -> str:
    """The numbers of segments, as "2 of the hypotheses and 1 of the references have"."""
    sides = ("hypotheses", hypotheses), ("references", references)
    where = " and ".join([f"{len(changed)} of the {side}" for side, changed in sides if changed])
    return f"{where} {'has' if len(hypotheses) + len(references) == 1 else 'have'}"


def segments_with(corpus: Corpus, is_seen: Callable[[str], object]) -> tuple[list[int], list[int]]:
    """The segments whose hypotheses, and whose references, have something."""
    return (
        [number for number, text in enumerate(corpus.hypotheses) if is_seen(text)],
        [number for number, texts in enumerate(corpus.references) if any(map(is_seen, texts))],
    )


def on_one_side(
    corpus: Corpus, is_seen: Callable[[str], object], is_spelling: bool = True
) -> tuple[list[int], list[int]] | None:
    """The segments of each side that have what the other side lacks; None if that may be chance."""
    hypotheses, references = segments_with(corpus, is_seen)
    sides = only = sorted({*hypotheses} - {*references}), sorted({*references} - {*hypotheses})
    small, large = sorted(map(len, only))
    if is_spelling:
        is_chance = large <= 10 * small and large - small <= 3 * (large + small) ** 0.5
        if is_chance or large < min(len(corpus), max(2, SHARE * len(corpus))):
            return None
    elif large <= TIMES * small:
        return None
    else:
        sides = hypotheses, references  # where both have it, both are repaired
    return (sides[0], []) if large == len(only[0]) else ([], sides[1])
