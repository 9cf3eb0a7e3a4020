"""One source or a batch of them: reading their sentences, and threads that share the work."""

from __future__ import annotations

from ..inputs.sentences import masks_of
from ..runtime.threads import drain, run_on_threads
from .pair_scorer import TILE_PAIRS
from .reader import SentenceReader, batches_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from ..metric.scorer import Scorer
    from ._sentences import Sentences

    Pair = tuple[Any, Any]


def read_sources(
    scorer: Scorer, sides: Pair, masks: Pair, names: tuple[str, str]
) -> tuple[list[tuple[Sentences, Sentences]], tuple[int, ...]]:
    """Read all sentences of all sources, and warn once of what was hardly meant.

    That they are all read before any is scored costs less memory than they have themselves, and
    what is wrong with the last one is told at once.

    Parameters
    ----------
    scorer : Scorer
    sides : (hypotheses, references)
        As `batches_of` takes them; what is on both sides is read once.
    masks : pair of mask or None
        Of both sides.
    names : (str, str)
        Those of the arguments, for messages.

    Returns
    -------
    list of (Sentences, Sentences)
        By source; each source over a vocabulary of its own.
    tuple of int
        The shape of the scores: (hypotheses, references), and the sources before them if there is a
        batch.
    """
    alone = sides[0] is sides[1] and masks[0] is masks[1]
    batches = batches_of(sides[0], None if alone else sides[1], scorer, names)
    reader = SentenceReader(scorer)

    def read(hypotheses: Any, references: Any, masks: Pair, place: str = "") -> Any:
        if not alone:
            where = names[0] + place, names[1] + place
            return reader.read_pair(hypotheses, references, masks, where)
        reader.forget()
        return (reader.read(hypotheses, names[0] + place, masks[0], counted=True),) * 2

    if batches is None:
        sources = [read(*sides, masks)]
    else:
        of_sources = enumerate(zip(batches, masks_of(names, masks, len(batches)), strict=True))
        sources = [read(*pair, its_masks, f"[{b}]") for b, (pair, its_masks) in of_sources]
    reader.warn_of_input()
    scorer._warn_of_short(reader.short, reader.sentences)
    shapes = [(len(ours), len(theirs)) for ours, theirs in sources] or [(0, 0)]
    if shapes.count(shapes[0]) < len(shapes):
        raise ValueError(
            f"{names[0]} or {names[1]} changed while it was read: pass lists that nothing else "
            "changes"
        )
    return sources, shapes[0] if batches is None else (len(sources), *shapes[0])


def on_sources(
    threads: int,
    shape: tuple[int, ...],
    make: Callable[[int], Any],
    work: Callable[[Any, int], None],
) -> None:
    """Call ``work(worker, number)`` for each source.

    Threads share a source that is large enough for all of them. Of smaller ones each thread takes
    one after the other.

    Parameters
    ----------
    threads : int
        The most there may be.
    shape : tuple of int, shape (3,)
        Sources, and what each has of hypotheses and references.
    make : callable (int) -> worker
        Makes what one thread works with; it has an attribute `cancelled`, and may use so many
        threads itself.
    work : callable (worker, int)
    """
    sources, rows, columns = shape
    if sources == 1 or rows * columns >= threads * TILE_PAIRS:
        workers = [make(threads)]
    else:
        workers = [make(1) for _ in range(min(threads, sources))]
    untaken = [*range(sources)][::-1]

    def take_turns(worker: Any) -> None:
        for source in drain(untaken):
            if worker.cancelled:
                break
            work(worker, source)

    run_on_threads(take_turns, workers)
