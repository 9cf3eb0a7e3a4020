"""Reading files as the command does, for the tests of readers and formats."""

import gzip
from contextlib import ExitStack

import pytest

from fastbleu.cli.alignment import align_segments, in_step
from fastbleu.cli.formats import open_input
from fastbleu.cli.options import make_parser
from fastbleu.cli.parser import Options
from fastbleu.cli.readers import REFERENCE, ByteSource, InputError, LineReader, TextLines

DEFAULTS = vars(make_parser().parse_args([]))


def opened_file(name, role, options, opened):
    """A reader of the file; without a number of references it is read like standard input."""
    if options.num_refs is None:
        return LineReader(TextLines(ByteSource(name, opened, options.encoding)), None)
    return open_input(name, role, options, opened)


def read(*names, role=REFERENCE, chunk=4096, **options):
    """The text columns of the files."""
    with ExitStack() as opened:
        inputs = [
            opened_file(str(name), role, Options(**DEFAULTS | options), opened) for name in names
        ]
        if any(reader.unit == "segment" for reader in inputs):
            align_segments(inputs)
        columns = [[] for _ in range(sum(its.width for its in inputs))]
        for lines in in_step(inputs, chunk):
            assert len({len(part) for part in lines}) == 1
            assert 0 < len(lines[0]) <= chunk
            for column, part in zip(columns, lines, strict=True):
                column += part
    return columns


def text_of(name, **options):
    """The only column of a file, whatever the size of chunks."""
    (column,) = read(name, **options)
    assert read(name, chunk=1, **options) == read(name, chunk=2, **options) == [column]
    return column


def error_of(*names, status=1, chunks=(1, 3, 4096), **opts):
    """The one-line error for the files, whatever the size of chunks."""
    messages = set()
    for chunk in chunks:
        with pytest.raises(InputError) as caught:
            read(*names, chunk=chunk, **opts)
        assert caught.value.status == status
        messages.add(str(caught.value))
    (message,) = messages
    assert "\n" not in message
    return message


def write(path, data, *, packed=False):
    data = data.encode() if isinstance(data, str) else data
    path.write_bytes(gzip.compress(data) if packed else data)
    return path
