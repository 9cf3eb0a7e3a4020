"""Read the sources of a matrix: pairs of hypotheses and references, or a batch of these."""

from __future__ import annotations

from ..inputs.arrays import shape_of
from ..inputs.columns import listed_column
from ..inputs.sentences import check_sizes, masks_of
from ..inputs.text_traits import look_like_tokens
from ..inputs.warnings import warn_input
from ..tokenizers.table import SPLIT_AT_SPACES
from .reader import SentenceMetric, SentenceReader

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..inputs.types import Mask, Sources
    from ..tokenizers.loaded import Tokenizer
    from ._sentences import Sentences

_NAMES = "hypotheses", "references"


def read_sources(
    metric: SentenceMetric,
    sides: tuple[Sources, Sources],
    masks: tuple[Mask | None, Mask | None],
    ragged: bool = False,
) -> tuple[list[tuple[Sentences, Sentences]], tuple[int, ...]]:
    """Read the sentences of all sources, and warn once of likely mistakes.

    Returns both sides by source, each source over a vocabulary of its own, and the shape of the
    scores: (hypotheses, references), after the number of sources if there is a batch of them. If
    `ragged` sources may have different sizes; the shape is then that of the largest.

    Everything is read before scoring, so that errors in the last source are reported at once;
    this takes less memory than the sentences themselves.
    """
    alone = sides[0] is sides[1] and masks[0] is masks[1]
    first: Any
    second: Any
    first, second = sides
    if type(first) not in (list, tuple) or type(second) not in (list, tuple):
        same, first = first is second, listed_column(first, "hypotheses")
        second = first if same else listed_column(second, "references")
    other = None if alone else second
    batch = batch_of(first, other, metric._counter.tokenizer, ragged)
    reader = SentenceReader(metric)
    pairs: list[Any] = [(first, second)] if batch is None else batch
    masks_by_source = [masks]
    if batch is not None:
        masks_by_source = masks_of(masks, len(batch))
    sources, shapes = [], []
    for number, (pair, masks_of_pair) in enumerate(zip(pairs, masks_by_source, strict=True)):
        place = "" if batch is None else f"[{number}]"
        if number:
            reader.vocabulary.forget()
        hypotheses = references = reader.read(
            pair[0], f"hypotheses{place}", masks_of_pair[0], counted=True
        )
        if not alone:
            references = reader.read(pair[1], f"references{place}", masks_of_pair[1])
        sources.append((hypotheses, references))
        shapes.append((len(hypotheses), len(references)))
    reader.warn_of_input()
    if reader.short:
        metric._scorer.warn_of_short(reader.short, reader.sentences)
    shape = tuple(map(max, zip(*shapes, strict=True))) if shapes else (0, 0)
    if shapes.count(shape) < len(shapes) and not ragged:
        raise ValueError(
            "hypotheses or references changed while it was read: pass lists that nothing else "
            "changes"
        )
    return sources, shape if batch is None else (len(sources), *shape)


def batch_of(
    hypotheses: Sources,
    references: Sources | None,
    tokenizer: Tokenizer | None,
    ragged: bool = False,
) -> list[tuple[Any, Any]] | None:
    """(hypotheses, references) of each source of a batch; None if there is one source.

    Lists of tokens are nested once more than text; a tuple there is a token. Token ids may also be
    arrays of the shape (B, H, length). `references` may be None. If `ragged` sources may have
    different numbers of sentences.
    """
    is_text = tokenizer is not None
    sources: Any = hypotheses
    other_sources: Any = references
    nested = is_batch(hypotheses, is_text)
    references_nested = None if references is None else is_batch(references, is_text)
    if not nested and not references_nested:
        return None
    if nested is False or references_nested is False:
        batched, flat = _NAMES if nested else _NAMES[::-1]
        kind = "str" if is_text else "lists of tokens"
        raise ValueError(
            f"{batched} is a batch, with a list of sentences for each source, but {flat} holds "
            f"{kind}: for one source pass two flat lists of {kind}, as each hypothesis is paired "
            "with each reference; for several sources nest both"
        )
    count = len(sources)
    # If sentences are split at whitespace, real text contains some.
    splits = tokenizer is not None and tokenizer.compiled in SPLIT_AT_SPACES
    suspicious = splits and look_like_tokens(sources)
    advice = (
        "; if these are lists of tokens pass a metric with tokenize=False" if suspicious else ""
    )
    if references is not None and len(other_sources) != count:
        raise ValueError(
            f"hypotheses has {count} sources, references has {len(other_sources)}; "
            f"references[b] are paired with hypotheses[b]{advice}"
        )
    check_sizes("hypotheses", sources, advice, ragged)
    if suspicious:
        warn_input(
            "hypotheses looks like lists of tokens, and each was read as a source with one "
            "sentence per token; pass a metric with tokenize=False"
        )
    if references is None:
        return [(source, None) for source in sources]
    check_sizes("references", other_sources, advice, ragged)
    return list(zip(sources, other_sources, strict=True))


def is_batch(value: Any, is_text: bool) -> bool | None:
    """Whether sentences belong to several sources; None if that is unknown."""
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
