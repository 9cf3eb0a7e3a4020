"""chrF: pairs of texts as ids of their characters or words, and scores of counts, as in sacreBLEU.

Packing. A pair is a hypothesis with one reference: chrF does not clip counts over references, but takes the
reference with the best score. PairPacker packs each pair as a segment of ids (kernel/text/text_units.h),
which SegmentCounter counts.

Rows. A row has [hypothesis n-grams, reference n-grams, matches] for each order, characters before words; an
order without n-grams in the reference has none in the hypothesis either. Rows are int64, and add up.

Scores. Every step is the IEEE operation that Python or numpy performs in sacreBLEU's `_compute_f_score`.
float32 steps are done in double and rounded, which gives the same float32.

Ownership. PairPacker owns its arrays and tables. Thread-safety. One packer per thread, and packing holds the
GIL; PairScorer may be shared: see KeptMemory. All else are pure functions.
"""

cimport cython
from cpython.array cimport array, clone
from cpython.exc cimport PyErr_CheckSignals
from cpython.mem cimport PyMem_RawCalloc, PyMem_RawFree
from libc.stdint cimport INT32_MAX, UINT8_MAX, int32_t, int64_t, uint8_t, uint16_t
from libc.string cimport memcpy

from fastbleu._core cimport SegmentCounter, numbers
from fastbleu.core.counting._packed cimport CHUNK_IDS, CHUNK_SEGMENTS, PackedSegments
from fastbleu.core.counting._text_side cimport lower, small_letters_of_python
from fastbleu.core.kernel.sequences cimport (
    is_list_or_tuple, is_object_array, item_at, item_of, items_in, prefetch_texts, size_of, unchanging)
from fastbleu.core.kernel.hashing cimport interner, interner_begin, interner_free
from fastbleu.core.runtime._process cimport Buffer, KeptMemory, buffer_of, grow, process_seed
from fastbleu.core.tokenizers._compiled cimport (
    PyUnicode_Check, PyUnicode_CheckExact, PyUnicode_DATA, PyUnicode_GET_LENGTH, PyUnicode_KIND, compact)

from array import array as _array


cdef extern from "kernel/text/text_units.h":
    ctypedef struct character_ids:
        int64_t *numbers
        int64_t first
        int32_t count
    ctypedef struct text_reader:
        const void *characters
        int width
        const uint16_t *small
        bint adds
        size_t size, at, count
        size_t *spaces
        size_t space_count
    bint lowers_one_by_one(const uint16_t *text, size_t size) noexcept nogil
    void leave_out_spaces(character_ids *table) noexcept nogil
    void pack_characters(text_reader *text, character_ids *table, size_t stop, int32_t *ids) noexcept nogil
    size_t pack_words(const text_reader *text, interner *words, size_t first, size_t last, const uint8_t *ids,
                      size_t id_size, int32_t *out) noexcept nogil


cdef enum:
    FEW_CODE_POINTS = 0x10000
    CODE_POINTS = 0x110000
    LEAST_WORDS = 64                 # of which ids are written at a time
    AROUND = 16                      # bytes before and after ids of characters that may be read
    KEPT_CHARACTERS = 1 << 18        # memory for longer texts is not kept
    MOST_SCORERS = 8
    MAX_SCORED_ORDER = 64            # PairScorer takes no higher orders and no longer pairs:
    MAX_SCORED_CHARACTERS = 1 << 16
    POLL_ROWS = 1 << 16

cdef double EPSILON = 1e-16
cdef array _ROWS = _array("q")
cdef array _DOUBLES = _array("d")


# Final, so that __dealloc__ needs no table of methods: it has none yet if __cinit__ of the base fails.
@cython.final
cdef class PairPacker(PackedSegments):
    """Packs pairs of texts as ids of their characters, or of their words.

    Parameters
    ----------
    checks : TextChecks
    lowercase : bool
    of_words : bool
    keeps_space : bool
        Whether white space is a character.
    """

    cdef object checks
    cdef bint of_words
    cdef const uint16_t *small_letters   # NULL: text is not lowercased
    cdef character_ids characters
    cdef Py_ssize_t code_points      # that the characters' table has room for
    cdef interner words
    # Of a pair whose words are packed, in one block: white space, ids of characters, and these in bytes.
    cdef size_t *spaces
    cdef int32_t *read_ids
    cdef uint8_t *narrow_ids
    cdef Py_ssize_t capacity

    def __cinit__(self, checks, bint lowercase, bint of_words, bint keeps_space):
        self.checks = checks
        self.small_letters = small_letters_of_python() if lowercase else NULL
        self.of_words = of_words
        self.words.seed = process_seed()
        self.characters.first = 1
        self.reserve_characters(FEW_CODE_POINTS)
        if not keeps_space:
            leave_out_spaces(&self.characters)

    def __dealloc__(self):
        PyMem_RawFree(self.characters.numbers)
        self.free_words()

    cdef int reserve_characters(self, Py_ssize_t code_points) except -1:
        """Make room for more code points."""
        cdef int64_t *wider = <int64_t *> PyMem_RawCalloc(code_points, sizeof(int64_t))
        if wider == NULL:
            raise MemoryError(f"no memory for a table of {code_points} characters")
        if self.code_points:
            memcpy(wider, self.characters.numbers, self.code_points * sizeof(int64_t))
        PyMem_RawFree(self.characters.numbers)
        self.characters.numbers, self.code_points = wider, code_points
        return 0

    cdef void free_words(self) noexcept nogil:
        interner_free(&self.words)
        PyMem_RawFree(self.spaces)
        self.spaces, self.capacity = NULL, 0

    cpdef reset(self):
        """Forget the last pairs; keep the memory, except that of a long text."""
        PackedSegments.reset(self)
        if self.capacity > KEPT_CHARACTERS:
            self.free_words()

    cpdef Py_ssize_t fill(self, hypotheses, references, Py_ssize_t start, Py_ssize_t before) except -1:
        """See PackedSegments; takes lists, tuples or arrays of objects, with one reference per hypothesis."""
        cdef Py_ssize_t segment = start
        self.clear()
        PyErr_CheckSignals()
        for side in (hypotheses, references):
            if not (is_list_or_tuple(side) or is_object_array(side)):
                raise TypeError("expected two lists, tuples or arrays of objects")
        # The lists may change while user code runs, so their sizes are asked for every time.
        while (segment < min(items_in(hypotheses), items_in(references))
                and self.segment_count < CHUNK_SEGMENTS and self.id_count < CHUNK_IDS):
            prefetch_texts(hypotheses, references, segment)
            hypothesis, reference = item_of(hypotheses, segment), item_of(references, segment)
            if not PyUnicode_Check(hypothesis):
                self.checks.line(hypothesis, before + segment, None)
            if not PyUnicode_Check(reference):
                self.checks.line(reference, before + segment, 0)
            self.add(compact(hypothesis), compact(reference))
            segment += 1
        return self.segment_count

    cdef int add(self, object hypothesis, object reference) except -1:
        """Pack a pair of compact str."""
        cdef int64_t *lengths = self.reserve_lengths(2)
        cdef text_reader left, right
        self.reserve_segment()
        hypothesis = self.open_text(&left, hypothesis, True)
        reference = self.open_text(&right, reference, False)
        # Not when the pair ends: an interruption may have ended the one before.
        self.characters.first += self.characters.count
        self.characters.count = 0
        if self.code_points == FEW_CODE_POINTS and max(left.width, right.width) > 2:
            self.reserve_characters(CODE_POINTS)
        if self.of_words:
            self.add_words(&left, &right, lengths)
        else:
            lengths[0] = self.add_characters(&left)
            lengths[1] = self.add_characters(&right)
        self.note_references(self.segment_count, 1)
        self.note_ids(self.segment_count, 0, self.words.count if self.of_words else self.characters.count)
        self.length_count += 2
        self.segment_count += 1
        return 0

    cdef object open_text(self, text_reader *text, object characters, bint adds):
        """Begin to read a compact str; return the object that is read."""
        text.small = self.small_letters
        if text.small != NULL and not is_lowered_by_table(characters):
            characters, text.small = compact(lower(characters)), NULL
        text.characters, text.width = PyUnicode_DATA(characters), PyUnicode_KIND(characters)
        text.size = PyUnicode_GET_LENGTH(characters)
        if text.size >= INT32_MAX:
            raise OverflowError(f"a text of {text.size} characters is too long; at most {INT32_MAX - 1}")
        text.adds, text.spaces = adds, NULL
        text.at = text.count = text.space_count = 0
        return characters

    cdef Py_ssize_t add_characters(self, text_reader *text) except -1:
        """Pack the characters of a text; return their number."""
        self.read_text(text, self.reserve_ids(text.size + 1))
        self.id_count += text.count
        return text.count

    cdef int read_text(self, text_reader *text, int32_t *ids) except -1:
        """Write the ids of a text's characters, with room for one more."""
        while text.at < text.size:
            pack_characters(text, &self.characters, self.next_stop(text.at, text.size, 1), ids)
        return 0

    cdef int add_words(self, text_reader *hypothesis, text_reader *reference, int64_t *lengths) except -1:
        """Pack the words of a pair of texts."""
        cdef Py_ssize_t size = hypothesis.size + reference.size + 2 + 2 * AROUND, i
        cdef const uint8_t *ids
        cdef size_t id_size = 1
        if size > self.capacity:
            self.spaces = <size_t *> grow(
                self.spaces, &self.capacity, size, sizeof(size_t) + sizeof(int32_t) + 1)
            self.read_ids = <int32_t *> (self.spaces + self.capacity)
            self.narrow_ids = <uint8_t *> (self.read_ids + self.capacity)
        hypothesis.spaces = self.spaces
        reference.spaces = self.spaces + hypothesis.size + 1
        self.read_text(hypothesis, self.read_ids + AROUND)
        self.read_text(reference, self.read_ids + AROUND + hypothesis.count)
        if self.characters.count <= UINT8_MAX:
            for i in range(<Py_ssize_t> (hypothesis.count + reference.count)):
                self.narrow_ids[AROUND + i] = <uint8_t> self.read_ids[AROUND + i]
            ids = self.narrow_ids + AROUND
        else:
            ids = <const uint8_t *> (self.read_ids + AROUND)
            id_size = sizeof(int32_t)
        if interner_begin(&self.words, 0) < 0:
            raise MemoryError("no memory for a table of words")
        lengths[0] = self.add_some_words(hypothesis, ids, id_size)
        lengths[1] = self.add_some_words(reference, ids + hypothesis.count * id_size, id_size)
        return 0

    cdef Py_ssize_t add_some_words(self, text_reader *text, const uint8_t *ids, size_t id_size) except -1:
        """Pack the words of a text that was read; return their number."""
        cdef Py_ssize_t before = self.id_count, number = 0, stop
        cdef int32_t *out
        while number <= <Py_ssize_t> text.space_count:
            stop = min(number + LEAST_WORDS, <Py_ssize_t> text.space_count + 1)
            self.worked(stop - number)
            out = self.reserve_ids(2 * LEAST_WORDS)
            self.make_room(&self.words, 2 * LEAST_WORDS)
            self.id_count += pack_words(text, &self.words, number, stop, ids, id_size, out)
            number = stop
        return self.id_count - before


cdef inline bint is_lowered_by_table(object text) noexcept:
    """Whether the table of small letters lowers a text as str.lower() does; long ones are left to Python."""
    return PyUnicode_KIND(text) == 1 or (
        PyUnicode_KIND(text) == 2 and PyUnicode_GET_LENGTH(text) <= KEPT_CHARACTERS
        and lowers_one_by_one(<const uint16_t *> PyUnicode_DATA(text), PyUnicode_GET_LENGTH(text)))


cdef struct number:
    double value
    bint is_single                   # a float32, as numpy has it; otherwise Python's int or float

cdef struct f_rule:
    double factor                    # beta ** 2
    double factor_plus_1             # added as int if beta is one
    bint eps_smoothing


cdef inline number plain(double value) noexcept nogil:
    cdef number made
    made.value, made.is_single = value, False
    return made


cdef inline double operand(number a, bint is_single) noexcept nogil:
    return <double> <float> a.value if is_single else a.value


cdef inline number result(double value, bint is_single) noexcept nogil:
    cdef number made
    made.value, made.is_single = <double> <float> value if is_single else value, is_single
    return made


# Python's numbers adapt to float32, as in numpy 2.

cdef inline number plus(number a, number b) noexcept nogil:
    cdef bint is_single = a.is_single or b.is_single
    return result(operand(a, is_single) + operand(b, is_single), is_single)


cdef inline number times(number a, number b) noexcept nogil:
    cdef bint is_single = a.is_single or b.is_single
    return result(operand(a, is_single) * operand(b, is_single), is_single)


cdef inline number over(number a, number b) noexcept nogil:
    cdef bint is_single = a.is_single or b.is_single
    return result(operand(a, is_single) / operand(b, is_single), is_single)


cdef inline number count_at(const int64_t *row, const float *singles, Py_ssize_t column) noexcept nogil:
    if singles == NULL:
        return plain(<double> row[column])
    return result(singles[column], True)


cdef number f_score(const f_rule *rule, Py_ssize_t order, const int64_t *row,
                    const float *singles) noexcept nogil:
    """The score of a row of int64 or, if not NULL, of float32: `_compute_f_score`."""
    cdef number eps = plain(EPSILON), score = plain(0.0), precisions = plain(0.0), recalls = plain(0.0)
    cdef number factor = plain(rule.factor), factor_plus_1 = plain(rule.factor_plus_1)
    cdef number hypothesis, reference, matches, precision, recall, below
    cdef Py_ssize_t n, effective = 0
    for n in range(order):
        hypothesis = count_at(row, singles, 3 * n)
        reference = count_at(row, singles, 3 * n + 1)
        matches = count_at(row, singles, 3 * n + 2)
        precision = over(matches, hypothesis) if hypothesis.value > 0 else eps
        recall = over(matches, reference) if reference.value > 0 else eps
        if rule.eps_smoothing:
            below = plus(times(factor, precision), recall)
            score = plus(score, over(times(times(factor_plus_1, precision), recall), below)
                         if below.value > 0 else eps)
        elif hypothesis.value > 0 and reference.value > 0:
            precisions = plus(precisions, precision)
            recalls = plus(recalls, recall)
            effective += 1
    if rule.eps_smoothing:
        return over(times(plain(100), score), plain(order))
    if effective:
        precisions = over(precisions, plain(effective))
        recalls = over(recalls, plain(effective))
    if plus(precisions, recalls).value == 0:
        return plain(0.0)
    score = times(times(factor_plus_1, precisions), recalls)
    return times(plain(100), over(score, plus(times(factor, precisions), recalls)))


cdef f_rule rule_of(tuple rule) except *:
    """The rule of (beta, eps_smoothing)."""
    cdef f_rule made
    beta, made.eps_smoothing = rule
    factor = beta ** 2
    made.factor, made.factor_plus_1 = factor, 1 + factor
    return made


cdef void put_row(const int64_t *counted, Py_ssize_t order, int64_t *row) noexcept nogil:
    """Turn SegmentCounter's row of a pair, [lengths, matches.., totals..], into one of this module."""
    cdef Py_ssize_t n
    for n in range(order):
        row[3 * n + 1] = max(counted[1] - n, 0)
        row[3 * n] = counted[2 + order + n] if counted[1] > n else 0
        row[3 * n + 2] = counted[2 + n]


def best_rows(array of_characters, Py_ssize_t char_order, array of_words, Py_ssize_t word_order,
              array ends, Py_ssize_t segments, tuple rule not None):
    """The row of each segment: that of its pair with the highest score, the first of equal ones.

    Parameters
    ----------
    of_characters, of_words : array of int64
        SegmentCounter's rows of all pairs; not used if the order is 0.
    ends : array of int64 or None
        Where the pairs of each segment end; None: each has one.
    rule : (beta, eps_smoothing)
    """
    cdef f_rule scoring = rule_of(rule)
    cdef Py_ssize_t order = char_order + word_order, pair = 0, segment, end, width = 3 * order
    cdef array rows = clone(_ROWS, segments * width, False), tried = clone(_ROWS, width, False)
    cdef const int64_t *characters = numbers(of_characters)
    cdef const int64_t *words = numbers(of_words)
    cdef int64_t *row = numbers(rows)
    cdef int64_t *into
    cdef double best, score
    for segment in range(segments):
        if segment % POLL_ROWS == POLL_ROWS - 1:
            PyErr_CheckSignals()
        end = segment + 1 if ends is None else numbers(ends)[segment]
        into = row if end - pair == 1 else numbers(tried)
        best = -1.0
        while pair < end:
            put_row(characters + pair * (2 + 2 * char_order), char_order, into)
            put_row(words + pair * (2 + 2 * word_order), word_order, into + 3 * char_order)
            if into != row:
                score = f_score(&scoring, order, into, NULL).value
                if score > best:
                    best = score
                    memcpy(row, into, width * sizeof(int64_t))
            pair += 1
        row += width
    return rows


def score_rows(rows, Py_ssize_t order, tuple rule not None):
    """The scores of rows of int64 or float32, and whether any has Python's type in float32 arithmetic."""
    cdef f_rule scoring = rule_of(rule)
    cdef Buffer buffer = buffer_of(rows, "qf")
    cdef Py_ssize_t width = 3 * order, row, count
    cdef array scores
    cdef number score
    cdef bint any_plain = False
    cdef const int64_t *integers = NULL
    cdef const float *singles = NULL
    if width == 0:
        raise ValueError("there are no orders to score")
    count = buffer.view.len // buffer.view.itemsize // width
    scores = clone(_DOUBLES, count, False)
    for row in range(count):
        if row % POLL_ROWS == POLL_ROWS - 1:
            PyErr_CheckSignals()
        if buffer.kind == c"f":
            singles = <const float *> buffer.view.buf + row * width
        else:
            integers = <const int64_t *> buffer.view.buf + row * width
        score = f_score(&scoring, order, integers, singles)
        any_plain |= not score.is_single
        scores.data.as_doubles[row] = score.value
    return scores, any_plain


cdef class PairScorer(KeptMemory):
    """Scores one segment at a time, straight from its text; keeps its memory between calls.

    Threads may share it: calls that arrive while a segment is being scored take the general path.
    """

    cdef PairPacker characters, words
    cdef SegmentCounter of_characters, of_words

    def __cinit__(self, int char_order, int word_order, bint lowercase, bint whitespace):
        if char_order:
            self.characters = PairPacker(None, lowercase, False, whitespace)
            self.of_characters = SegmentCounter(char_order)
        if word_order:
            self.words = PairPacker(None, lowercase, True, False)
            self.of_words = SegmentCounter(word_order)

    cpdef score(self, hypothesis, references, tuple rule):
        """The score of a segment; None if it needs the general path.

        That is for types other than str, for high orders, and for long texts, during which other threads
        should have the GIL. References that are None are ignored.
        """
        cdef f_rule scoring = rule_of(rule)
        cdef Py_ssize_t k
        cdef double best = -1.0
        if not (PyUnicode_CheckExact(hypothesis) and is_list_or_tuple(references)):
            return None
        references = unchanging(references)
        for k in range(size_of(references)):
            reference = item_at(references, k)
            if reference is not None and not (
                    PyUnicode_CheckExact(reference) and PyUnicode_GET_LENGTH(hypothesis)
                    + PyUnicode_GET_LENGTH(reference) <= MAX_SCORED_CHARACTERS):
                return None
        if not self.try_acquire():
            return None
        try:
            for k in range(size_of(references)):
                reference = item_at(references, k)
                if reference is not None:
                    best = max(best, self.score_pair(compact(hypothesis), compact(reference), &scoring))
        finally:
            self.release_memory()
        return None if best == -1.0 else best

    cdef double score_pair(self, object hypothesis, object reference, const f_rule *rule) except? -1.0:
        cdef int64_t counted[2 + 2 * MAX_SCORED_ORDER]
        cdef int64_t row[6 * MAX_SCORED_ORDER]
        cdef Py_ssize_t order = 0
        if self.characters is not None:
            order = count_pair(self.characters, self.of_characters, hypothesis, reference, counted, row)
        if self.words is not None:
            order += count_pair(
                self.words, self.of_words, hypothesis, reference, counted, row + 3 * order)
        return f_score(rule, order, row, NULL).value


cdef Py_ssize_t count_pair(PairPacker packer, SegmentCounter counter, object hypothesis, object reference,
                           int64_t *counted, int64_t *row) except -1:
    """Write the row of a pair; return the number of its orders."""
    packer.clear()
    packer.add(hypothesis, reference)
    counter.count_only(packer, counted)
    put_row(counted, counter.max_order, row)
    return counter.max_order


# Scorers of single segments; few are kept, because each holds memory.
cdef dict scorers = {}


def score_segment(hypothesis, references, char_order, word_order, bint lowercase, bint whitespace,
                  tuple rule not None):
    """The score of a segment; None if it needs the general path: see PairScorer."""
    key = char_order, word_order, lowercase, whitespace
    scorer = scorers.get(key)
    if scorer is None:
        if max(char_order, word_order) > MAX_SCORED_ORDER or not char_order + word_order:
            return None
        if len(scorers) >= MOST_SCORERS:
            scorers.clear()
        scorer = scorers[key] = PairScorer(char_order, word_order, lowercase, whitespace)
    return (<PairScorer> scorer).score(hypothesis, references, rule)
