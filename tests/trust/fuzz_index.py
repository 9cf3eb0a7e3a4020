"""Any bytes as the file of a ReferenceIndex: a ValueError, or an index that reads within bounds.

An input says whether its checksum and sizes are corrected first; without that, few inputs would get
past the header. The corpus contains valid files, which the fuzzer then damages.
"""

from __future__ import annotations

import os
import struct
import warnings
from zlib import crc32

import numpy as np

from fastbleu.matrix import ReferenceIndex, index_file
from trust.fuzz_input import Input, directory

TEXTS = ["the cat sat on a mat", "", "a a a a a a b", "Überfluss 世界 x"]
TOKENS = [["the", "cat", "a", "b", "a"], [1, 2, 1, 2, -1, 2**63], [b"a", "a", ()], []]
IDS = np.array([[1, 2, 1, 2, 3, 0], [5, 5, 5, -100, 2**62, 9]])
LACKING = ("pip install", "model", "sacrebleu")
_prefix = index_file._PREFIX


def repaired(content: bytes) -> bytes:
    """The file with the sizes and the checksum that its prefix should have."""
    start = content[: _prefix.size].ljust(_prefix.size, b"\0")
    magic, _, _, header_size, _, _ = _prefix.unpack(
        index_file._MAGIC + start[len(index_file._MAGIC) :]
    )
    header_size = min(header_size, max(0, len(content) - _prefix.size))
    fields = (magic, index_file._BYTE_ORDER, index_file.VERSION, header_size, len(content))
    fixed = _prefix.pack(*fields, 0)[: index_file._SIGNED]
    header = content[_prefix.size : _prefix.size + header_size]
    return fixed + struct.pack("=I4x", crc32(header, crc32(fixed))) + content[_prefix.size :]


def run(data: bytes) -> None:
    given = Input(data)
    mode, content = given.byte(), given.rest()
    if mode & 1 and len(content) >= _prefix.size:
        content = repaired(content)
    # A new file each time: that of the last one is still mapped.
    path = os.path.join(directory(), "index")
    if os.path.exists(path):
        os.unlink(path)
    with open(path, "wb") as file:
        file.write(content)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            index = ReferenceIndex.load(path, threads=1 + (mode >> 1) % 2)
        except (ValueError, ImportError, FileNotFoundError) as error:
            # The last two are those of a tokenizer's library or model that is not there.
            if isinstance(error, ValueError) or any(name in str(error) for name in LACKING):
                return
            raise
        answer(index, path)


def answer(index: ReferenceIndex, path: str) -> None:
    """Whatever the numbers of a damaged file are, its answers have their form."""
    if index._parameters.tokenizer:
        kinds = [TEXTS]
    else:  # where ids are left out, only ids can be tokens
        kinds = [IDS] if index._parameters.id_rules else [TOKENS, IDS]
    hypotheses = kinds[0]
    for given in kinds:
        rows = index.statistics(given)
        assert len(rows) == len(given)
        assert (rows.matches >= 0).all()
        assert (rows.matches <= rows.totals).all(), rows
        assert (rows.ref_lens >= 0).all()
        scores = index.sentence_scores(given)
        assert scores.shape == (len(given),)
    index.score(hypotheses)
    assert repr(index)
    assert index.nbytes > 0
    try:
        index.save(path + ".again")
    except ValueError:
        return
    again = ReferenceIndex.load(path + ".again")
    assert again.statistics(hypotheses) == index.statistics(hypotheses)
