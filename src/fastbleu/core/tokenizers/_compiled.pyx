"""The compiled tokenizers: their names, reading a line with one of them, and its tokens as str.

A str becomes UTF-8 first (kernel/text/transcode.h). kernel/text/line_reader.h splits a line into tokens; if
it finds something that mteval rewrites first, the rewritten line (kernel/text/rewrite.h) is read from its
start.

Ownership. A reader borrows the line; the tables of a tokenizer are built once and then only read, by any
thread.
"""

import cython
from cpython.array cimport array, resize_smart
from cpython.exc cimport PyErr_CheckSignals
from libc.stdint cimport uint8_t
from libc.string cimport memcpy, memset

from fastbleu.core.runtime._process cimport poll, simd_in_use, simd_level

from array import array as _array

from fastbleu.core.inputs.arguments import a_type


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
    enum:
        BLOCK_TOKENS
    int build_tables(tokenizer_tables *tables, tokenizer_id tokenizer) noexcept
    int next_tokens(line_reader *line, token_span *spans) noexcept nogil
    token_content content_of(const line_reader *line, token_span span) noexcept nogil
    ctypedef struct rewriting:
        size_t size
    const size_t REWRITE_PART
    rewriting begin_rewriting(utf8_line line, uint8_t *copy) noexcept nogil
    bint rewrite_more(rewriting *line, const char_table *table) noexcept nogil

cdef extern from "kernel/text/utf8.h":
    bint is_continuation(uint8_t byte) noexcept nogil

cdef extern from "kernel/text/transcode.h":
    ctypedef uint8_t *(*transcoder)(const void *chars, int char_width, size_t length, bint tabs,
                                    uint8_t *out) noexcept nogil
    void list_utf8_tables() noexcept
    transcoder transcoder_for(simd_level level) noexcept nogil


# The names of the tokenizers here, in the order of tokenizer_id (kernel/text/char_classes.h).
COMPILED = tuple([COMPILED_TOKENIZERS[number].name.decode() for number in range(<int> TOKENIZERS)])

cdef enum:
    SPLIT_BLOCKS = 1 << 10       # blocks of characters between two checks for signals
    PART_CHARS = 1 << 20         # characters of a str that become UTF-8 between two checks

cdef tokenizer_tables all_tables[<int> TOKENIZERS]
cdef bint tables_built[<int> TOKENIZERS]
cdef object tables_lock_owner = object()

list_utf8_tables()


cdef const tokenizer_tables *tables_of(str tokenizer) except NULL:
    """The tables of a compiled tokenizer, built on first use."""
    cdef int number
    if tokenizer not in COMPILED:
        raise ValueError(
            f"{tokenizer!r} is not a compiled tokenizer; choose one of {', '.join(COMPILED)}")
    number = COMPILED.index(tokenizer)
    with cython.critical_section(tables_lock_owner):
        if not tables_built[number]:
            if build_tables(&all_tables[number], <tokenizer_id> number) < 0:
                raise MemoryError(f"no memory for the tables of the tokenizer {tokenizer!r}")
            tables_built[number] = True
    return &all_tables[number]


cdef int no_memory(size_t size) except -1 nogil:
    with gil:
        raise MemoryError(f"no memory for a line of {size} bytes")


cdef uint8_t *put_characters_of(object text, bint tabs, uint8_t *out) except NULL:
    """Write a compact str as UTF-8 to `out`, where there is `room_of` it; returns the end.

    With `tabs`, white space beyond ASCII becomes tabs.
    """
    cdef transcoder transcode = transcoder_for(simd_in_use())
    cdef int char_width = PyUnicode_KIND(text)
    cdef const uint8_t *chars = <const uint8_t *> PyUnicode_DATA(text)
    cdef Py_ssize_t length = PyUnicode_GET_LENGTH(text), at = 0, part
    while at < length:
        part = min(length - at, PART_CHARS)
        if PyUnicode_IS_ASCII(text):
            memcpy(out, chars + at, part)
            out += part
        else:
            out = transcode(chars + at * char_width, char_width, part, tabs, out)
        at += part
        if at < length:
            PyErr_CheckSignals()
    return out


cdef int put_line(object text, utf8_line *line, line_copy *copy) except -1:
    """Put a compact str into the copy, with tabs for white space beyond ASCII, and make it the line."""
    if reserve_copy(copy, room_of(text)) < 0:
        no_memory(room_of(text))
    line.size = put_characters_of(text, True, copy.bytes) - copy.bytes
    line.bytes = copy.bytes
    return 0


cdef int begin_rewritten(line_reader *reader, utf8_line line, line_copy *copy,
                         const bint *cancelled) except -1 nogil:
    """Start again with the rewritten line, which is in the copy."""
    cdef rewriting rewritten
    cdef bint is_long = line.size > REWRITE_PART
    if line.bytes != copy.bytes and reserve_copy(copy, line.size) < 0:
        no_memory(line.size)
    rewritten = begin_rewriting(line, copy.bytes)
    while rewrite_more(&rewritten, &reader.tables.classes):
        if is_long:
            poll(cancelled)
    line.bytes, line.size = copy.bytes, rewritten.size
    open_line(reader, reader.tables, reader.classify, line)
    reader.rewritten = True
    return 0


cdef object checked(object text):
    """A str in a form that `line_of` takes."""
    if not PyUnicode_Check(text):
        raise TypeError(f"expected a str to tokenize, not {a_type(text)}")
    return compact(text)


def split(text, str tokenizer not None):
    """The tokens of a line, a list of str, by one of the COMPILED tokenizers."""
    cdef const tokenizer_tables *tables = tables_of(tokenizer)
    cdef line_copy copy
    cdef line_reader reader
    cdef token_span spans[BLOCK_TOKENS]
    cdef utf8_line line, token
    cdef list tokens = []
    cdef int count, i, blocks = 0
    cdef bint cancelled = False
    text = checked(text)
    memset(&copy, 0, sizeof(copy))      # line_copy() would not clear it
    try:
        put_line(text, &line, &copy)
        open_line(&reader, tables, classifier_for(simd_in_use()), line)
        while not line_ended(&reader):
            count = next_tokens(&reader, spans)
            blocks = (blocks + 1) % SPLIT_BLOCKS
            if blocks == 0:
                PyErr_CheckSignals()
            if count < 0:
                begin_rewritten(&reader, line, &copy, &cancelled)
                tokens.clear()
            for i in range(count):
                token.bytes = content_of(&reader, spans[i]).bytes
                token.size = spans[i].end - spans[i].start
                tokens.append(decoded(token))
    finally:
        free_copy(&copy)
    return tokens


def token_bounds(list texts not None, str tokenizer not None):
    """The bounds of the tokens of many lines, by one of the COMPILED tokenizers.

    Returns (bounds, counts), arrays of int64: first and last character + 1 of each token of all lines, and
    the number of tokens of each line; -1 for a line that is rewritten before it is cut, which has no bounds.
    """
    cdef const tokenizer_tables *tables = tables_of(tokenizer)
    cdef line_copy copy
    cdef line_reader reader
    cdef token_span spans[BLOCK_TOKENS]
    cdef utf8_line line
    cdef array bounds = _array("q"), counts = _array("q")
    cdef Py_ssize_t used = 0, before, blocks = 0
    cdef size_t at, characters
    cdef int count, i
    memset(&copy, 0, sizeof(copy))
    try:
        for text in texts:
            text = checked(text)
            before = used
            put_line(text, &line, &copy)
            open_line(&reader, tables, classifier_for(simd_in_use()), line)
            at = characters = 0
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
                    characters += count_characters(line.bytes + at, spans[i].start - at)
                    bounds.data.as_longlongs[used] = characters
                    characters += count_characters(line.bytes + spans[i].start, spans[i].end - spans[i].start)
                    bounds.data.as_longlongs[used + 1] = characters
                    at = spans[i].end
                    used += 2
            counts.append((used - before) // 2)
            used = max(used, before)
    finally:
        free_copy(&copy)
    resize_smart(bounds, used)
    return bounds, counts


cdef size_t count_characters(const uint8_t *bytes, size_t size) noexcept nogil:
    """The number of characters in `size` bytes of UTF-8."""
    cdef size_t count = 0, i
    for i in range(size):
        count += not is_continuation(bytes[i])
    return count
