"""Saving the contents of a `ReferenceIndex`, and restoring an index from them.

Tables of n-grams are stored as they are in memory, with the seed that their slots depend on.
Tokens, which are far fewer, are stored by content, and numbered again when they are loaded.
"""

from __future__ import annotations

from array import array

from ..dialects.parameters import Parameters
from ..inputs.arguments import check_positive
from ..tokenizers.table import Tokenizer, get_tokenizer
from ._references import Lengths, ReferenceSet, StoredNgrams
from .index_file import damaged, read_file, refuse, write_file
from .reader import SentenceReader

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..runtime.files import FilePath

# Parameters that are stored elsewhere in the file, or depend on the machine.
_NOT_STORED = ("tokenize", "threads", "keep_segments")


def save_index(
    path: FilePath,
    parameters: Parameters,
    reader: SentenceReader,
    references: ReferenceSet,
    counts: tuple[int, int],
) -> None:
    """Write a file; `counts` are the numbers of references and of n-grams."""
    units, sizes, contents = reader.saved_vocabulary()
    sections: dict[str, Any] = {"lengths": references.lengths.table}
    sections |= {"units": units, "sizes": sizes, "contents": contents}
    tables = []
    for order, (count, seed, numbers, slots) in enumerate(references.stored_tables(), 1):
        tables.append((count, *seed))
        sections |= {f"numbers {order}": numbers, f"slots {order}": slots}
    arguments = parameters.as_arguments().items()
    tokenizer = parameters.tokenizer
    header = {
        "parameters": {name: value for name, value in arguments if name not in _NOT_STORED},
        "tokenizer": tokenizer and (_name_of(tokenizer), tokenizer.signature),
        "counts": counts,
        "tables": tables,
    }
    write_file(path, header, sections)


def load_index(
    path: FilePath, tokenize: Any, threads: int
) -> tuple[Parameters, SentenceReader, ReferenceSet, tuple[int, int]]:
    """Load the arguments of `save_index`; documented in index.py."""
    threads = check_positive("threads", threads)
    header, sections = read_file(path)
    with damaged(path):
        name, signature = header["tokenizer"] or (None, None)
    tokenizer = _find_tokenizer(path, tokenize, name, signature)
    with damaged(path):
        parameters = Parameters(tokenizer, threads=threads, **header["parameters"])
        tables = []
        for order, (count, *seed) in enumerate(header["tables"], 1):
            numbers, slots = sections[f"numbers {order}"], sections[f"slots {order}"]
            tables.append((count, seed, numbers.cast("Q"), slots.cast("I")))
        ngrams = StoredNgrams(parameters.max_order)
        ngrams.attach(tables)
        lengths = Lengths(parameters.reference_length, array("q", sections["lengths"].tobytes()))
        saved = sections["units"], sections["sizes"].cast("q"), sections["contents"]
        reader = SentenceReader.restore(parameters, saved)
        references, different = header["counts"]
    return parameters, reader, ReferenceSet(ngrams, lengths), (references, different)


def _name_of(tokenizer: Tokenizer) -> str | None:
    """The name by which another process can find the same tokenizer, if there is one."""
    source = tokenizer._source
    return source if isinstance(source, str) and tokenizer._model is None else None


def _find_tokenizer(
    path: FilePath, tokenize: Any, name: str | None, signature: str | None
) -> Tokenizer | None:
    """The tokenizer that an index was made with."""
    if signature is None:
        if tokenize is not None:
            refuse(path, f"is an index of tokens, not of text: leave out tokenize={tokenize!r}")
        return None
    if tokenize is None:
        if name is None:
            refuse(
                path,
                f"was made with the tokenizer {signature}, which no file contains: pass it, as in "
                "ReferenceIndex.load(path, tokenize=...)",
            )
        tokenize = name
    tokenizer = get_tokenizer(tokenize)
    if tokenizer.signature != signature:
        refuse(
            path,
            f"was made with the tokenizer {signature}, not with {tokenizer.signature}: pass that "
            "one, or save the index anew",
        )
    return tokenizer
