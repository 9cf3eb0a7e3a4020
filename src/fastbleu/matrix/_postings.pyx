"""Nearest references: the features of a hypothesis in, the references that score best with it out.

Postings list the references that have a feature (_ngrams.pyx). The lists of a hypothesis' features add up to
its matches with every reference. References with a bigram of the hypothesis are scored first. Apart from the
brevity penalty, the scores of all others depend only on the number of matching unigrams: if none of these
scores is high enough, the others are skipped. In a dialect that is not separable, all references are scored.

The matches of a reference are the fields of a number, the first order lowest; in a dialect that is not
separable, the reference length is another field. For hypotheses of one length this number stands for the row:
as in _pairs.pyx, a row is numbered when it is first met, scored once by the dialect, and then looked up.

Cost. 4 bytes for each n-gram of the references, 8 for each different one, and its number; 40 bytes per
reference and thread. Thread-safety. Postings never change; each thread has its own NearestSearch.
Searching releases the GIL.
"""

from cpython.array cimport array, clone
from cpython.mem cimport PyMem_RawFree, PyMem_RawMalloc
from libc.math cimport exp
from libc.stdint cimport INT32_MAX, int32_t, int64_t, uint64_t
from libc.stdlib cimport qsort
from libc.string cimport memset

from fastbleu.matrix._ngrams cimport (
    Features, Ngrams, number_index, number_index_add, number_index_clear, number_index_free,
    number_index_reserve, number_index_trim)
from fastbleu.core.runtime._process cimport Interruptible, process_seed

# If there are more rows, they are forgotten: see _pairs.pyx.
cdef Py_ssize_t KEPT_ROWS = 1 << 20

cdef array _DOUBLES = array("d")
cdef array _INT32 = array("i")
cdef array _INT64 = array("q")


cdef inline int32_t *ints(array items) noexcept nogil:
    return <int32_t *> items.data.as_voidptr


cdef inline int64_t *longs(array items) noexcept nogil:
    return <int64_t *> items.data.as_voidptr


cdef class Postings(Interruptible):
    """For each feature the references that have it, in ascending order."""

    cdef readonly Ngrams ngrams
    cdef Py_ssize_t count, longest   # references, and the length of the longest
    cdef array lengths               # by reference
    cdef array offsets               # by order: where its features begin in `starts`
    cdef array starts                # by feature: where its references begin; then the end of the last
    cdef array references

    def __cinit__(self, Ngrams ngrams not None, sentences):
        cdef Features features = Features(ngrams, sentences)
        cdef Py_ssize_t i
        cdef int n
        self.ngrams = ngrams
        self.count = features.sentences.count
        self.longest = features.sentences.longest
        if self.count >= INT32_MAX:
            raise OverflowError(f"at most {INT32_MAX - 1} references")
        self.offsets = clone(_INT64, ngrams.max_order + 1, True)
        for n in range(ngrams.max_order):
            number_index_trim(&ngrams.orders[n])
            longs(self.offsets)[n + 1] = longs(self.offsets)[n] + ngrams.orders[n].count
        self.lengths = clone(_INT32, self.count, False)
        self.references = clone(_INT32, features.stride * features.orders, False)
        self.starts = clone(_INT64, longs(self.offsets)[ngrams.max_order] + 2, True)
        with nogil:
            # First starts[f + 2] counts the references of f; then starts[f + 1] is where the next one goes.
            self.visit(features, False)
            for i in range(longs(self.offsets)[ngrams.max_order]):
                longs(self.starts)[i + 2] += longs(self.starts)[i + 1]
            self.visit(features, True)

    def __len__(self):
        return self.count

    cdef int visit(self, Features features, bint fill) except -1 nogil:
        """Count the references of each feature, or write them."""
        cdef const int64_t *starts = features.sentences.starts
        cdef const int32_t *of_order
        cdef int64_t *place
        cdef Py_ssize_t r, i, length
        cdef int n
        for r in range(self.count):
            length = starts[r + 1] - starts[r]
            ints(self.lengths)[r] = <int32_t> length
            for n in range(<int> min(<Py_ssize_t> features.orders, length)):
                self.worked(8 * length)
                of_order = features.features + n * features.stride + starts[r]
                for i in range(length - n):
                    place = longs(self.starts) + longs(self.offsets)[n] + of_order[i] + (1 if fill else 2)
                    if fill:
                        ints(self.references)[place[0]] = <int32_t> r
                    place[0] += 1
        return 0


cdef struct Found:
    double score
    int32_t reference


cdef inline bint is_better(const Found *one, const Found *other) noexcept nogil:
    return one.score > other.score or (one.score == other.score and one.reference < other.reference)


cdef int compare(const void *one, const void *other) noexcept nogil:
    return -1 if is_better(<const Found *> one, <const Found *> other) else 1


cdef class NearestSearch(Interruptible):
    """Searches for one hypothesis at a time, fastest if consecutive lengths are equal; one per thread.

    It finds the `most` best references that score at least `min_score`. `score` takes rows, an array of
    int64, and returns the bytes of their scores, float64. If `separable`, rows have hyp_len as ref_len.
    """

    cdef Postings postings
    cdef object score
    cdef int max_order, bits         # bits of a field
    cdef bint separable
    cdef array matches               # by reference
    cdef number_index rows           # of the hypothesis' length
    cdef array values                # by row: its score, without brevity penalty if separable
    cdef array chosen, chosen_rows   # the references that are scored first
    cdef Py_ssize_t length, chosen_count, unigram_count
    cdef Py_ssize_t first            # reference that is considered
    cdef Found *found                # the best, and up to as many that may be
    cdef Found last                  # what is added must be better
    cdef Py_ssize_t found_count, most
    cdef double min_score

    def __cinit__(self, Postings postings not None, score, int max_order, bint separable,
                  Py_ssize_t most, double min_score):
        self.postings = postings
        self.score = score
        self.max_order = max_order
        self.separable = separable
        self.most = max(1, min(most, postings.count))
        self.min_score = min_score
        self.bits = 1
        while postings.longest >> self.bits:
            self.bits += 1
        if (postings.ngrams.max_order + (not separable)) * self.bits > 63:
            raise ValueError(
                f"a reference has {postings.longest} tokens, too many to look up their n-grams with "
                f"max_ngram_order={max_order}; pass a lower one, or take the best of pairwise_chunked")
        self.matches = clone(_INT64, postings.count, False)
        self.chosen = clone(_INT32, postings.count, False)
        self.chosen_rows = clone(_INT32, postings.count, False)
        self.values = array("d")
        self.rows.seed = process_seed()
        self.found = <Found *> PyMem_RawMalloc(2 * self.most * sizeof(Found))
        if self.found == NULL:
            raise MemoryError(f"no memory for {most} references")

    def __dealloc__(self):
        number_index_free(&self.rows)
        PyMem_RawFree(self.found)

    def best(self, Features hypotheses not None, Py_ssize_t h, Py_ssize_t first):
        """Find the best references for hypothesis number `h`, from number `first` on.

        Returns their scores and their numbers: the best first, and for equal scores the lower number.
        """
        cdef Py_ssize_t width = 2 + 2 * <Py_ssize_t> self.max_order, known, i
        cdef Py_ssize_t length = hypotheses.sentences.starts[h + 1] - hypotheses.sentences.starts[h]
        cdef array rows, scores, references
        self.first = first
        if length != self.length or self.rows.count > KEPT_ROWS:
            number_index_clear(&self.rows)
            del self.values[:]
            self.length = length
        known = len(self.values)
        self.unigram_count = 1 + min(length, self.postings.longest) if self.separable else 0
        if number_index_reserve(&self.rows, self.postings.count + self.unigram_count) < 0:
            raise MemoryError(f"no memory for the counts of {self.postings.count} more pairs")
        with nogil:
            self.add_matches(hypotheses, h)
            self.find_rows()
        if self.rows.count > known:
            rows = clone(_INT64, (self.rows.count - known) * width, True)
            for i in range(known, self.rows.count):
                self.write_row(self.rows.numbers[i], longs(rows) + (i - known) * width)
            self.values.frombytes(self.score(rows))
            if len(self.values) != self.rows.count:
                raise ValueError(f"`score` must return one score for each of {self.rows.count - known} rows")
        self.found_count = 0
        self.last.score, self.last.reference = self.min_score, INT32_MAX
        with nogil:
            self.choose()
        scores = clone(_DOUBLES, self.found_count, False)
        references = clone(_INT64, self.found_count, False)
        for i in range(self.found_count):
            scores.data.as_doubles[i] = self.found[i].score
            longs(references)[i] = self.found[i].reference
        return scores, references

    cdef int add_matches(self, Features hypotheses, Py_ssize_t h) except -1 nogil:
        """Count the matches of a hypothesis with each reference."""
        cdef const int32_t *features = hypotheses.features + hypotheses.sentences.starts[h]
        cdef const int32_t *references = ints(self.postings.references)
        cdef const int64_t *starts
        cdef int64_t *matches = longs(self.matches)
        cdef Py_ssize_t i, j
        cdef int n, orders = min(self.postings.ngrams.max_order, hypotheses.orders)
        self.worked(self.postings.count)
        if self.postings.count:
            memset(matches, 0, self.postings.count * sizeof(int64_t))
        for n in range(<int> min(<Py_ssize_t> orders, self.length)):
            self.worked(self.length)
            for i in range(self.length - n):
                if features[i] >= 0:
                    starts = longs(self.postings.starts) + longs(self.postings.offsets)[n] + features[i]
                    self.worked(starts[1] - starts[0])
                    for j in range(starts[0], starts[1]):
                        matches[references[j]] += <int64_t> 1 << n * self.bits
            features += hypotheses.stride
        return 0

    cdef void find_rows(self) noexcept nogil:
        """Number the rows of the pairs that are scored first, and of each number of matching unigrams."""
        cdef const int64_t *matches = longs(self.matches)
        cdef Py_ssize_t r
        self.chosen_count = 0
        for r in range(self.first, self.postings.count):
            if not self.separable or matches[r] >> self.bits:
                ints(self.chosen)[self.chosen_count] = <int32_t> r
                ints(self.chosen_rows)[self.chosen_count] = self.row_of(matches[r], r)
                self.chosen_count += 1
        for r in range(self.unigram_count):
            self.row_of(r, 0)

    cdef inline int32_t row_of(self, uint64_t matches, Py_ssize_t reference) noexcept nogil:
        """The row's number, which is new if the row was not met before."""
        if not self.separable:
            matches |= <uint64_t> ints(self.postings.lengths)[reference] << (
                self.bits * self.postings.ngrams.max_order)
        return number_index_add(&self.rows, matches)

    cdef void write_row(self, uint64_t fields, int64_t *row) noexcept:
        """Write a row in the layout of Stats."""
        cdef uint64_t field = (<uint64_t> 1 << self.bits) - 1
        cdef int n
        for n in range(self.postings.ngrams.max_order):
            row[2 + n] = fields & field
            fields >>= self.bits
        row[0] = self.length
        row[1] = self.length if self.separable else fields
        for n in range(<int> min(<Py_ssize_t> self.max_order, self.length)):
            row[2 + self.max_order + n] = self.length - n

    cdef int choose(self) except -1 nogil:
        """Find the best pairs."""
        cdef const int64_t *matches = longs(self.matches)
        cdef bint others = False
        cdef Py_ssize_t r
        self.worked(self.chosen_count)
        for r in range(self.chosen_count):
            self.offer(ints(self.chosen)[r], ints(self.chosen_rows)[r])
        for r in range(self.unigram_count):
            others |= self.values.data.as_doubles[self.row_of(r, 0)] >= self.last.score
        if others:
            self.worked(self.postings.count)
            for r in range(self.first, self.postings.count):
                if not matches[r] >> self.bits:
                    self.offer(<int32_t> r, self.row_of(matches[r], r))
        self.keep_best()
        return 0

    cdef inline void offer(self, int32_t reference, int32_t row) noexcept nogil:
        """Keep a pair if it may be among the best."""
        cdef int32_t ref_len = ints(self.postings.lengths)[reference]
        cdef Found pair
        pair.reference, pair.score = reference, self.values.data.as_doubles[row]
        if pair.score < self.last.score:
            return
        if self.separable and ref_len > self.length > 0:         # as in _pairs.pyx
            pair.score = exp(1.0 - <double> ref_len / <double> self.length) * pair.score
        if is_better(&pair, &self.last):
            self.found[self.found_count] = pair
            self.found_count += 1
            if self.found_count == 2 * self.most:
                self.keep_best()

    cdef void keep_best(self) noexcept nogil:
        """Sort the pairs that were found, and drop those that are not among the best."""
        qsort(self.found, self.found_count, sizeof(Found), compare)
        if self.found_count >= self.most:
            self.found_count = self.most
            self.last = self.found[self.most - 1]
