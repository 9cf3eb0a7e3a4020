"""sacreBLEU's score of one segment, from its text to the BLEUScore in one call.

Thread-safety. Threads may share a reader: see SegmentReader.
"""

cimport cython
from libc.stdint cimport int64_t

from fastbleu.core.counting._text_packer cimport SegmentReader
from fastbleu.core.scoring._sacrebleu cimport score_object

from fastbleu.core.scoring._sacrebleu import SMOOTH_DEFAULTS as _SMOOTH_DEFAULTS

cdef object BLEU = None      # metrics/bleu.py tells these by `use`
cdef type BLEUScore = None


cdef enum:
    MAX_SCORED_ORDER = 64      # above it rows are arrays

# Readers of single segments; few are kept, because each holds memory.
MOST_READERS = 32
cdef dict readers = {}
_readers = readers
cdef dict smoothings = _SMOOTH_DEFAULTS


def use(metric, type score):
    """Tell this module the metric for all input that it does not score itself, and its result."""
    global BLEU, BLEUScore
    BLEU, BLEUScore = metric, score


cdef object score_segment(SegmentReader reader, object hypothesis, object references, object smoothing,
                          object value, bint effective_order, type kind):
    cdef int64_t row[2 + 2 * MAX_SCORED_ORDER]
    if reader.counter.max_order > MAX_SCORED_ORDER or not reader.read(hypothesis, references, row):
        return None
    return score_object(kind, row, reader.counter.max_order, smoothing, value, effective_order)


cdef inline object reader_key(object tokenizer, bint lowercase, object max_order):
    """The key of a kept reader: usually the name, because building and hashing a tuple is slow."""
    return tokenizer if max_order == 4 and not lowercase else (tokenizer, lowercase, max_order)


def score_text(tokenizer, bint lowercase, max_order, tuple options not None, hypothesis, references,
               type kind not None):
    """The BLEUScore of a segment; None if it needs the general path: see SegmentReader.

    `options` are (smoothing method, its value, effective_order); `kind` is the class of the result.
    """
    smoothing, value, effective_order = options
    key = reader_key(tokenizer, lowercase, max_order)
    reader = readers.get(key)
    if reader is None:
        if len(readers) >= MOST_READERS:
            readers.clear()
        reader = readers[key] = SegmentReader(tokenizer, lowercase, max_order)
    return score_segment(reader, hypothesis, references, smoothing, value, effective_order, kind)


def score_known(dict compiled not None, name, lowercase, order, tuple options not None, hypothesis,
                references, type kind not None):
    """score_text for unchecked input; None if sacreBLEU's own code must score it or raise the error.

    `compiled`: tokenizers by name. Without effective order also None, as sacreBLEU logs advice first.
    """
    if type(name) is not str or type(order) is not int or type(references) not in (list, tuple):
        return None
    try:
        tokenizer = compiled.get(name)
        if tokenizer is None or options[0] not in smoothings or not options[2]:
            return None
        return score_text(tokenizer, lowercase, order, options, hypothesis, references, kind)
    except Exception:
        return None


@cython.annotation_typing(False)
@cython.binding(True)
@cython.embedsignature(False)
def sentence_bleu(
    hypothesis: str,
    references: Sequence[str | None],
    smooth_method: str = "exp",
    smooth_value: float | None = None,
    lowercase: bool = False,
    tokenize: Any = "13a",
    use_effective_order: bool = True,
) -> BLEUScore:
    """BLEU of one segment; parameters as for `BLEU` and `BLEU.sentence_score`.

    References
    ----------
    sacreBLEU 2.6.0, `sacrebleu.sentence_bleu`.

    Examples
    --------
    >>> sentence_bleu("The dog bit a man.", ["The dog bit the man."]).format(score_only=True)
    '37.99'
    """
    score = None
    if use_effective_order and type(tokenize) is str and smooth_method in smoothings:
        # Like BLEU(...).sentence_score(...), without creating the object, which would double the time.
        reader = readers.get(reader_key(tokenize, lowercase, 4))
        if reader is not None:
            score = score_segment(
                reader, hypothesis, references, smooth_method, smooth_value, True, BLEUScore)
    if score is None:
        metric = BLEU(lowercase, False, tokenize, smooth_method, smooth_value,
                      effective_order=use_effective_order)
        score = metric.sentence_score(hypothesis, references)
    return score
