"""The tokens of Stanford's PTBTokenizer: a longest-match lexer over tables that are made beforehand.

Tables. tools/generate_ptb_tables.py compiles the rules of tools/ptb_rules.py into a deterministic automaton
(ptb_tables.bin): a class for each UTF-16 unit and for the end of the text, a row of successors for each
state, and for each state the action of the rule that accepts there. State 0 is dead, state 1 the start. They
are read when this module is imported and never change, so any thread may use them.

Time. A token ends where the last accepting state was, so that what was read beyond is read again. In a long
run without white space that would make the time quadratic; `failures` remembers states that led to no token.
"""

from cpython.array cimport array
from cpython.exc cimport PyErr_CheckSignals
from cpython.pycapsule cimport PyCapsule_New
from libc.stdint cimport uint8_t, uint16_t
from libc.stdlib cimport calloc, free
from libc.string cimport memset

from fastbleu.core.inputs._utf8_rows cimport utf8_line
from fastbleu.core.tokenizers._compiled cimport (
    PyUnicode_DATA, PyUnicode_FromKindAndData, PyUnicode_GET_LENGTH, PyUnicode_IS_ASCII, PyUnicode_KIND,
    compact, decoded, line_copy, no_memory, put_line, reserve_copy)

cdef extern from "Python.h":
    bint Py_UNICODE_ISSPACE(Py_UCS4 c) nogil

import sys
from array import array as _array
from os.path import dirname, join
from zlib import decompress

from fastbleu.core.inputs.arguments import a_type

cdef enum:
    END = 0x10000               # the unit after the last
    START = 1
    ALONE = -1                  # no other lines follow
    ACTION_SIZE = 12            # bytes of an action: kind, ending, count, size of text, text
    STEP = 64                   # units between two checkpoints of failures
    WAYS = 4                    # states that are remembered for a checkpoint
    SHORT = 2048                # texts up to this length need no failures
    MORE = 64                   # room for tokens besides 6 characters for each of the text: none becomes more
    ROW_BITS = 7                # a row has room for 128 classes
    SIGNALS = 1 << 16           # matches between two checks for signals

# What a token is, and where it ends: after `count` units, `count` units before the end of the match, or
# before the white space in it; AT_PERIOD reads the full stop of the token again, as a token of its own.
cdef enum:
    SKIP, LINE, COPY, TEXT, QUOTE, ENTITY
cdef enum:
    WHOLE, FIRST, BUT_LAST, AT_SPACE, AT_PERIOD

ctypedef struct automaton:
    const uint8_t *class_of
    const uint8_t *accepts
    const uint8_t *actions
    const uint16_t *successors

ctypedef struct failures:
    uint16_t *states            # WAYS for each checkpoint, 0 where there is none
    uint16_t *trail             # the state of the current match at each checkpoint

ctypedef struct written:
    void *chars
    Py_ssize_t size

cdef str UTF_16 = "utf-16-le" if sys.byteorder == "little" else "utf-16-be"
cdef automaton tables
cdef object owners              # what the pointers of `tables` point into


cdef int load_tables() except -1:
    global owners
    cdef array numbers = _array("H"), successors = _array("H")
    cdef bytes data
    cdef int states, actions
    cdef Py_ssize_t at
    with open(join(dirname(__file__), "ptb_tables.bin"), "rb") as file:
        data = decompress(file.read())
    numbers.frombytes(data[:4])
    states, actions = [
        number if sys.byteorder == "little" else number >> 8 | (number & 0xFF) << 8 for number in numbers]
    at = 4 + actions * ACTION_SIZE + states + END + 1
    successors.frombytes(data[at:])
    if sys.byteorder == "big":
        successors.byteswap()
    tables.actions = <const uint8_t *> <const char *> data + 4
    tables.accepts = tables.actions + actions * ACTION_SIZE
    tables.class_of = tables.accepts + states
    tables.successors = successors.data.as_ushorts
    owners = data, successors
    return 0


load_tables()


cdef inline Py_ssize_t char_at(int kind, const void *chars, Py_ssize_t i) noexcept nogil:
    return (<const uint8_t *> chars)[i] if kind == 1 else (<const uint16_t *> chars)[i]


cdef inline void set_char(int kind, void *chars, Py_ssize_t i, Py_ssize_t c) noexcept nogil:
    if kind == 1:
        (<uint8_t *> chars)[i] = <uint8_t> c
    else:
        (<uint16_t *> chars)[i] = <uint16_t> c


cdef inline void put(int kind, written *out, Py_ssize_t c) noexcept nogil:
    set_char(kind, out.chars, out.size, c)
    out.size += 1


cdef inline Py_ssize_t unit_at(int kind, const void *chars, Py_ssize_t length, bint joined,
                               Py_ssize_t i) noexcept nogil:
    """A single line ends with a newline."""
    cdef Py_ssize_t c
    if i < length:
        c = char_at(kind, chars, i)
        return c if c != 10 or joined else 32
    return 10 if i == length and not joined else END


cdef inline bint has_failed(const failures *failed, Py_ssize_t i, int state) noexcept nogil:
    cdef int way
    failed.trail[i // STEP] = state
    for way in range(WAYS):
        if failed.states[i // STEP * WAYS + way] == state:
            return True
    return False


cdef void remember(failures *failed, Py_ssize_t first, Py_ssize_t last) noexcept nogil:
    """Note that no match that passes the checkpoints after `first` in these states is longer."""
    cdef Py_ssize_t point = first // STEP + 1
    cdef uint16_t *states
    while point <= last // STEP:
        states = failed.states + point * WAYS
        if states[0] != failed.trail[point]:
            states[3], states[2], states[1] = states[2], states[1], states[0]
            states[0] = failed.trail[point]
        point += 1


cdef inline Py_ssize_t match(int kind, const void *chars, Py_ssize_t length, bint joined, Py_ssize_t i,
                             failures *failed, int *action) noexcept nogil:
    """The end of the longest match from `i` on, which may include the end of the text as a unit."""
    cdef Py_ssize_t last = length + 1 if joined else length + 2
    cdef Py_ssize_t end = i + 1
    cdef int state = START
    action[0] = 0
    while i < last:
        state = tables.successors[
            (state << ROW_BITS) + tables.class_of[unit_at(kind, chars, length, joined, i)]]
        if state == 0:
            break
        i += 1
        if tables.accepts[state]:
            end = i
            action[0] = tables.accepts[state]
        if failed.states != NULL and i % STEP == 0 and has_failed(failed, i, state):
            break
    if failed.states != NULL and i // STEP > end // STEP:
        remember(failed, end, i)
    return end


cdef inline bint is_punctuation(int kind, const written *out, Py_ssize_t start) noexcept nogil:
    """Whether pycocoevalcap removes the token that was written last."""
    cdef Py_ssize_t size = out.size - start, first = char_at(kind, out.chars, start), i
    if size == 1:
        return first in (39, 96, 46, 63, 33, 44, 58, 45, 59)        # ' ` . ? ! , : - ;
    if not ((size == 2 and first in (39, 96, 45)) or (size == 3 and first == 46)):
        return False
    for i in range(1, size):
        if char_at(kind, out.chars, start + i) != first:
            return False
    return True


cdef inline void write_token(int kind, const void *chars, Py_ssize_t i, Py_ssize_t end, int what,
                             written *out) noexcept nogil:
    cdef Py_ssize_t start = out.size, c
    cdef const char *text
    while i < end:
        c = char_at(kind, chars, i)
        i += 1
        if 65 <= c <= 90:
            c += 32
        elif what == QUOTE and (c == 40 or c == 41):
            text = b"-lrb-" if c == 40 else b"-rrb-"
            for c in range(5):
                put(kind, out, text[c])
            continue
        elif c == 32:
            c = 0xA0
        elif c == 0xAD:
            continue
        elif what == QUOTE:
            if c in (0x93, 0x201C, 0xAB, 0x94, 0x201D, 0xBB):
                c = 96 if c in (0x93, 0x201C, 0xAB) else 39
                put(kind, out, c)
            elif c in (0x91, 0x2018, 0x201B, 0x2039):
                c = 96
            elif c in (0x92, 0x2019, 0x203A):
                c = 39
            elif c == 38:                   # &apos;
                c, i = 39, i + 5
        elif what == ENTITY and c == 38 and i + 3 < end and char_at(kind, chars, i + 3) == 59:
            i += 4
        put(kind, out, c)
    if out.size == start and what == COPY:
        put(kind, out, 45)                  # only soft hyphens


cdef inline Py_ssize_t write_plain_word(
        int kind, const void *chars, Py_ssize_t length, bint joined, Py_ssize_t i, bint all_tokens,
        bint apart, written *out) noexcept nogil:
    """Write a word of ASCII letters and the mark after it, for which no automaton is needed.

    Returns the place after them, or `i` if white space or the end do not follow, or if the word might be
    "cannot", "gonna", "gotta", "lemme", "gimme" or "wanna", which are two tokens.
    """
    cdef void *to = out.chars
    cdef Py_ssize_t start = out.size + apart, shift = start - i, end = i, after = i, c
    set_char(kind, to, out.size, 32)
    while end < length and end < i + STEP:
        c = char_at(kind, chars, end) | 32
        if <size_t> (c - 97) >= 26:
            break
        set_char(kind, to, end + shift, c)
        end += 1
    if 5 <= end - i <= 6 and char_at(kind, to, start + 2) == char_at(kind, to, start + 3) and (
            char_at(kind, to, start) in (99, 103, 108, 119)):
        return i
    c = unit_at(kind, chars, length, joined, end)
    after = end
    if not all_tokens and c in (33, 44, 58, 59, 63):       # ! , : ; ?
        after += 1
        c = unit_at(kind, chars, length, joined, after)
    if end == i or c not in (32, 10, END):
        return i
    out.size = end + shift
    return after


cdef int write_tokens(int kind, const void *chars, Py_ssize_t length, bint all_tokens, Py_ssize_t stop,
                      failures *failed, written *out) except -1 nogil:
    """Write the tokens up to `stop`, or of a single line if this is ALONE."""
    cdef bint joined = stop != ALONE
    cdef Py_ssize_t i = 0, end, start, limit = stop if joined else length + 1, matches = 0
    cdef int action, what, ending, count, k
    cdef const uint8_t *entry
    cdef bint begins_line = True
    while i < limit:
        matches += 1
        if matches % SIGNALS == 0:
            with gil:
                PyErr_CheckSignals()
        start = i
        # A host's name may begin with \xa0, but not if this belongs to white space.
        while kind == 1 and i < length and (
                char_at(1, chars, i) == 32 or char_at(1, chars, i) == 0xA0 and i > start):
            i += 1
        if i >= limit:
            break
        end = write_plain_word(kind, chars, length, joined, i, all_tokens, not begins_line, out)
        if end > i:
            i = end
            begins_line = False
            continue
        end = match(kind, chars, length, joined, i, failed, &action)
        if action == 0:                     # every unit has a rule but the end
            i = end
            continue
        entry = tables.actions + (action - 1) * ACTION_SIZE
        what, ending, count = entry[0], entry[1], entry[2]
        start = i
        if ending == FIRST:
            i += count
        elif ending == WHOLE or count > 0:
            i = end - count
        else:
            while i < end - 1 and i < length and not Py_UNICODE_ISSPACE(char_at(kind, chars, i)):
                i += 1
        if what == SKIP:
            continue
        if what == LINE:
            if joined:
                put(kind, out, 10)
                begins_line = True
            continue
        end = out.size
        if not begins_line:
            put(kind, out, 32)
        if what == TEXT:
            for k in range(entry[3]):
                put(kind, out, entry[4 + k])
        else:
            write_token(kind, chars, start, min(i, length), what, out)
        if not all_tokens and is_punctuation(kind, out, end + (not begins_line)):
            out.size = end
        else:
            begins_line = False
        if ending == AT_PERIOD:
            i -= 1
    return 0


cdef inline bint is_plain(utf8_line text) noexcept nogil:
    """Whether a text is short and of ASCII, so that `write_plain` can write its tokens."""
    cdef uint8_t seen = 0
    cdef size_t i
    if text.size > SHORT:
        return False
    for i in range(text.size):
        seen |= text.bytes[i]
    return seen < 0x80


cdef inline int write_plain(
        utf8_line text, bint all_tokens, Py_ssize_t stop, written *out, void *chars) except -1 nogil:
    """Write tokens to `chars`, where there is room for 6 * text.size + MORE."""
    cdef failures failed
    memset(&failed, 0, sizeof(failed))
    out.chars, out.size = chars, 0
    return write_tokens(1, text.bytes, text.size, all_tokens, stop, &failed, out)


# A function of its own, because a function with a Python object among its variables takes the GIL.
cdef int write_in_python(utf8_line *line, line_copy *copy) except -1 with gil:
    return put_line(compact(write(decoded(line[0]))), line, copy)


cdef int write_line(utf8_line *line, line_copy *copy) except -1 nogil:
    """Replace a line by what `write` gives, with tabs for \xa0: a `write_function`."""
    cdef written out
    cdef Py_ssize_t i
    if not is_plain(line[0]):
        return write_in_python(line, copy)
    if reserve_copy(copy, 6 * line.size + MORE) < 0:
        no_memory(line.size)
    write_plain(line[0], False, ALONE, &out, copy.bytes)
    for i in range(out.size):
        if copy.bytes[i] == 0xA0:
            copy.bytes[i] = 9
    line.bytes, line.size = copy.bytes, out.size
    return 0


line_writer = PyCapsule_New(<void *> write_line, "fastbleu.line_writer", NULL)


def split(text, bint all_tokens=False):
    """The tokens of a line, a list of str.

    Without `all_tokens`, only those that pycocoevalcap counts: a token that contains a space is several.
    """
    found = write(text, all_tokens)
    return [token for token in found.split(" ") if token] if all_tokens else found.split()


def write(text, bint all_tokens=False, Py_ssize_t stop=ALONE):
    """The tokens of a line, lowercased, with spaces between them; \\xa0 stands for a space in a token.

    Parameters
    ----------
    text : str
        One line; a newline in it counts as a space. Other line ends only separate tokens.
    all_tokens : bool
        Whether to write also the punctuation that pycocoevalcap removes.
    stop : int
        If given, the text is a file, whose lines up to this character are written as lines: what begins
        the next one may change the end of a line.
    """
    cdef written out
    cdef failures failed
    cdef utf8_line line
    cdef uint8_t chars[6 * SHORT + MORE]
    cdef bytes encoded = None
    cdef const void *units
    cdef int kind
    cdef Py_ssize_t length
    if not isinstance(text, str):
        raise TypeError(f"expected a str to tokenize, not {a_type(text)}")
    text = compact(text)
    kind, length, units = PyUnicode_KIND(text), PyUnicode_GET_LENGTH(text), PyUnicode_DATA(text)
    if PyUnicode_IS_ASCII(text) and length <= SHORT:
        line.bytes, line.size = <const uint8_t *> units, length
        write_plain(line, all_tokens, stop, &out, chars)
        return PyUnicode_FromKindAndData(1, chars, out.size)
    if kind == 4:
        encoded = text.encode(UTF_16, "surrogatepass")
        kind, length, units = 2, len(encoded) // 2, <const char *> encoded
        if stop > 0:
            stop = len(text[:stop].encode(UTF_16, "surrogatepass")) // 2
    memset(&failed, 0, sizeof(failed))
    out.chars, out.size = calloc(length + MORE, 6 * kind), 0    # fails if the product overflows
    try:
        if length > SHORT:
            failed.states = <uint16_t *> calloc((length // STEP + 2) * WAYS, sizeof(uint16_t))
            failed.trail = <uint16_t *> calloc(length // STEP + 2, sizeof(uint16_t))
        if out.chars == NULL or length > SHORT and (failed.states == NULL or failed.trail == NULL):
            raise MemoryError(f"no memory for the tokens of a text of {length} characters")
        if kind == 1:
            write_tokens(1, units, length, all_tokens, stop, &failed, &out)
        else:
            write_tokens(2, units, length, all_tokens, stop, &failed, &out)
        tokens = PyUnicode_FromKindAndData(kind, out.chars, out.size)
    finally:
        free(out.chars)
        free(failed.states)
        free(failed.trail)
    if encoded is not None:
        tokens = tokens.encode(UTF_16, "surrogatepass").decode(UTF_16, "surrogatepass")
    return tokens if PyUnicode_IS_ASCII(tokens) else tokens.lower()
