"""The compiled tokenizers: their names, reading a line with one of them, and its tokens as str.

kernel/text/line_reader.h splits a line into tokens; if it finds something that mteval rewrites first, the
rewritten line (kernel/text/rewrite.h) is read from its start.

Ownership. A reader borrows the line and the buffers; the tables of a tokenizer are built once and then only
read, by any thread.
"""

import cython
from cpython.array cimport array, resize_smart
from cpython.exc cimport PyErr_CheckSignals
from libc.stdint cimport int64_t
from libc.string cimport memcpy, memset

from fastbleu.runtime._process cimport poll, simd_in_use

from array import array as _array

from fastbleu.inputs.arguments import a_type


cdef extern from "kernel/text/line_tokens.h":
    ctypedef enum tokenizer_id:
        TOKENIZERS
    ctypedef struct compiled_tokenizer:
        const char *name
    const compiled_tokenizer COMPILED_TOKENIZERS[<int> TOKENIZERS]
    ctypedef struct token_content:
        const unsigned char *bytes
        size_t size
    ctypedef struct token_span:
        size_t start
        size_t end
        int char_width
    enum:
        BLOCK_TOKENS
    int build_tables(tokenizer_tables *tables, tokenizer_id tokenizer, bint utf8) noexcept
    int next_tokens(line_reader *line, token_span *spans) noexcept nogil
    token_content content_of(const line_reader *line, token_span span) noexcept nogil
    ctypedef struct rewriting:
        pass
    const size_t REWRITE_PART
    int begin_rewriting(rewriting *line, text_line text, line_buffers *buffers) noexcept nogil
    bint rewrite_more(rewriting *line, text_line *text, const char_table *table) noexcept nogil


# The names of the tokenizers here, in the order of tokenizer_id (kernel/text/char_classes.h).
COMPILED = tuple([COMPILED_TOKENIZERS[number].name.decode() for number in range(<int> TOKENIZERS)])

cdef enum:
    SPLIT_BLOCKS = 1 << 10       # blocks of characters between two checks for signals

cdef tokenizer_tables all_tables[<int> TOKENIZERS][2]       # for characters, and for bytes of UTF-8
cdef bint tables_built[<int> TOKENIZERS][2]
cdef object tables_lock_owner = object()


cdef const tokenizer_tables *tables_of(str tokenizer, bint utf8=False) except NULL:
    """The tables of a compiled tokenizer, built on first use; with `utf8` for bytes of UTF-8."""
    cdef int number
    if tokenizer not in COMPILED:
        raise ValueError(
            f"{tokenizer!r} is not a compiled tokenizer; choose one of {', '.join(COMPILED)}")
    number = COMPILED.index(tokenizer)
    with cython.critical_section(tables_lock_owner):
        if not tables_built[number][utf8]:
            if build_tables(&all_tables[number][utf8], <tokenizer_id> number, utf8) < 0:
                raise MemoryError(f"no memory for the tables of the tokenizer {tokenizer!r}")
            tables_built[number][utf8] = True
    return &all_tables[number][utf8]


cdef int no_memory(size_t length) except -1 nogil:
    with gil:
        raise MemoryError(f"no memory for a line of {length} characters")


cdef int put_line(str text, text_line *line, line_buffers *buffers) except -1:
    """Put the characters of a str into the buffers, and make them the line."""
    line[0] = line_of(text)
    if reserve_lowered(buffers, line.length, line.char_width) < 0:
        no_memory(line.length)
    memcpy(buffers.lowered, line.chars, line.length * line.char_width)
    line.chars = buffers.lowered
    return 0


cdef int begin_rewritten(line_reader *reader, text_line text, line_buffers *buffers,
                         const bint *cancelled) except -1 nogil:
    """Start again with the rewritten line."""
    cdef rewriting line
    cdef bint is_long = text.length > REWRITE_PART
    if begin_rewriting(&line, text, buffers) < 0:
        no_memory(text.length)
    while rewrite_more(&line, &text, &reader.tables.classes):
        if is_long:
            poll(cancelled)
    return begin_line(reader, reader.tables, reader.classify, text, buffers)


cdef object checked(object text):
    """A str in a form that `line_of` takes."""
    if not PyUnicode_Check(text):
        raise TypeError(f"expected a str to tokenize, not {a_type(text)}")
    return compact(text)


def split(text, str tokenizer not None):
    """The tokens of a line, a list of str, by one of the COMPILED tokenizers."""
    cdef const tokenizer_tables *tables = tables_of(tokenizer)
    cdef line_buffers buffers
    cdef line_reader reader
    cdef token_span spans[BLOCK_TOKENS]
    cdef text_line line
    cdef list tokens = []
    cdef int count, i, blocks = 0
    cdef bint cancelled = False
    text = checked(text)
    line = line_of(text)
    memset(&buffers, 0, sizeof(buffers))      # line_buffers() would not clear it
    try:
        begin_line(&reader, tables, classifier_for(simd_in_use()), line, &buffers)
        while not line_ended(&reader):
            count = next_tokens(&reader, spans)
            blocks = (blocks + 1) % SPLIT_BLOCKS
            if blocks == 0:
                PyErr_CheckSignals()
            if count < 0:
                begin_rewritten(&reader, line, &buffers, &cancelled)
                tokens.clear()
            for i in range(count):
                tokens.append(PyUnicode_FromKindAndData(
                    spans[i].char_width, content_of(&reader, spans[i]).bytes, spans[i].end - spans[i].start))
    finally:
        free_buffers(&buffers)
    return tokens


def token_bounds(list texts not None, str tokenizer not None):
    """The bounds of the tokens of many lines, by one of the COMPILED tokenizers.

    Returns (bounds, counts), arrays of int64: first and last character + 1 of each token of all lines, and
    the number of tokens of each line; -1 for a line that is rewritten before it is cut, which has no bounds.
    """
    cdef const tokenizer_tables *tables = tables_of(tokenizer)
    cdef line_buffers buffers
    cdef line_reader reader
    cdef token_span spans[BLOCK_TOKENS]
    cdef array bounds = _array("q"), counts = _array("q")
    cdef Py_ssize_t used = 0, before, blocks = 0
    cdef int count, i
    memset(&buffers, 0, sizeof(buffers))
    try:
        for text in texts:
            text = checked(text)
            before = used
            begin_line(&reader, tables, classifier_for(simd_in_use()), line_of(text), &buffers)
            while not line_ended(&reader):
                count = next_tokens(&reader, spans)
                blocks = (blocks + 1) % SPLIT_BLOCKS
                if blocks == 0:
                    PyErr_CheckSignals()
                if count < 0:
                    used = before - 2
                    break
                resize_smart(bounds, used + 2 * count)
                for i in range(count):
                    bounds.data.as_longlongs[used] = <int64_t> spans[i].start
                    bounds.data.as_longlongs[used + 1] = <int64_t> spans[i].end
                    used += 2
            counts.append((used - before) // 2)
            used = max(used, before)
    finally:
        free_buffers(&buffers)
    resize_smart(bounds, used)
    return bounds, counts
