"""Expected matches: n-grams of candidates against what many references hold of them on average.

The expected count of an n-gram is the mean of its counts in the references, weighted; its matches in a
candidate are clipped at that, and add up to fractions. One pass over the references and one over the
candidates for each order, so that time and memory grow with the number of n-grams, not of pairs.

Sums are added up from the first reference to the last, and from a candidate's first n-gram to its last, so
that they are the same wherever they are made. With equal weights an n-gram that all references have
equally often has exactly this expected count.

Ownership. All memory is that of the call. Thread-safety. Nothing that is passed in is changed, so that any
number of threads may call at once while nobody adds to the n-grams; the GIL is released while counting.
"""

from cpython.array cimport array, clone
from cpython.mem cimport PyMem_RawCalloc, PyMem_RawFree
from libc.math cimport exp, log
from libc.stdint cimport int32_t, int64_t

from fastbleu._ngrams cimport Features, Ngrams, Scratch, ngram_of, number_index

cdef array _DOUBLES = array("d")

cdef struct Ngram:
    # What is known of an n-gram.
    double expected            # its expected count
    int32_t seen               # in the sentence at hand, 0 between sentences


cdef int note_references(const number_index *known, Features references, int n, const double *weights,
                         bint logarithms, Ngram *ngrams, Scratch scratch) except -1 nogil:
    """Add up the weighted counts of the n-grams of order n (from 0 on) of all references."""
    cdef const int64_t *starts = references.sentences.starts
    cdef const int32_t *features = references.features + n * references.stride
    cdef Py_ssize_t r, i
    cdef double weight
    cdef Ngram *ngram
    for r in range(references.sentences.count):
        weight = exp(weights[r]) if logarithms else weights[r]
        scratch.worked(starts[r + 1] - starts[r])
        for i in range(starts[r], starts[r + 1] - n):
            ngrams[ngram_of(known, features[i])].seen += 1
        for i in range(starts[r], starts[r + 1] - n):
            ngram = &ngrams[ngram_of(known, features[i])]
            if ngram.seen == 1:
                ngram.expected += weight
            elif ngram.seen > 1:
                ngram.expected += exp(log(ngram.seen) + weights[r]) if logarithms else (
                    weight * ngram.seen)
            ngram.seen = 0
    return 0


cdef int clip_candidates(const number_index *known, Features candidates, int n, Ngram *ngrams,
                         double *rows, Py_ssize_t width, Scratch scratch) except -1 nogil:
    """Add up what of each candidate's n-grams of order n is expected: into rows[c * width]."""
    cdef const int64_t *starts = candidates.sentences.starts
    cdef const int32_t *features = candidates.features + n * candidates.stride
    cdef Py_ssize_t c, i
    cdef Ngram *ngram
    for c in range(candidates.sentences.count):
        scratch.worked(starts[c + 1] - starts[c])
        for i in range(starts[c], starts[c + 1] - n):
            ngrams[ngram_of(known, features[i])].seen += 1
        for i in range(starts[c], starts[c + 1] - n):
            ngram = &ngrams[ngram_of(known, features[i])]
            if ngram.seen:
                rows[c * width] += min(<double> ngram.seen, ngram.expected)
                ngram.seen = 0
    return 0


def expected_rows(Ngrams ngrams not None, Features candidates not None, Features references not None,
                  const double[::1] weights not None, bint logarithms=False):
    """Rows of each candidate against the expected counts of the references.

    Parameters
    ----------
    ngrams : Ngrams
        In which all n-grams of both sides are numbered.
    candidates : Features, C sentences
    references : Features, R sentences
        The same object as `candidates` where they are their own references.
    weights : array of float64, shape (R,)
        At least 0 and not all 0; they need not add up to 1.
    logarithms : bool, default False
        `weights` are logarithms instead, of weights that add up to 1, and a count is weighted by
        adding to its logarithm; the last bits of a sum depend on that.

    Returns
    -------
    array of float64, shape (C * (2 + 2 * max_order),)
        [hyp_len, expected ref_len, expected matches..., totals...] of each candidate, in tokens and
        n-grams.
    """
    cdef Py_ssize_t count = candidates.sentences.count, width = 2 + 2 * <Py_ssize_t> ngrams.max_order
    cdef const int64_t *starts
    cdef const number_index *known
    cdef Ngram *table
    cdef Scratch scratch = Scratch()
    cdef array rows
    cdef double *row
    cdef double total = 0.0, ref_len = 0.0
    cdef Py_ssize_t c, r, i, length
    cdef int n
    if weights.shape[0] != references.sentences.count:
        raise ValueError(
            f"there are {weights.shape[0]} weights for {references.sentences.count} references")
    rows = clone(_DOUBLES, count * width, True)
    row = rows.data.as_doubles
    starts = references.sentences.starts
    for r in range(references.sentences.count):
        length = starts[r + 1] - starts[r]
        if not logarithms:
            total += weights[r]
            ref_len += weights[r] * length
        elif length:
            ref_len += exp(log(length) + weights[r])
    if logarithms:
        total = 1.0
    starts = candidates.sentences.starts
    for c in range(count):
        length = starts[c + 1] - starts[c]
        row[c * width] = length
        row[c * width + 1] = ref_len / total
        for n in range(min(<Py_ssize_t> ngrams.max_order, length)):
            row[c * width + 2 + ngrams.max_order + n] = length - n
    for n in range(min(candidates.orders, references.orders)):
        known = &ngrams.orders[n]
        table = <Ngram *> PyMem_RawCalloc(known.count + 1, sizeof(Ngram))
        if table == NULL:
            raise MemoryError(f"no memory for {known.count} n-grams")
        try:
            with nogil:
                note_references(
                    known, references, n, &weights[0] if weights.shape[0] else NULL, logarithms, table,
                    scratch)
                for i in range(known.count):
                    table[i].expected /= total
                clip_candidates(known, candidates, n, table, row + 2 + n, width, scratch)
        finally:
            PyMem_RawFree(table)
    return rows
