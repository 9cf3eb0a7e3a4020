"""Calls that take long, as code: what they need, and the call. `words` are 700 different words."""

SEGMENTS = """
hypotheses = [(words * 3)[n:n + 300] for n in range(1000)] * 1000
references = [[words * 2] * 4] * 1_000_000
"""
LONG = """
long = words * 7_500
other = [words * 7_499 + words[::-1]] * 2
"""
REFERENCES = "many = [words[:60]] * 3_000_000"
OBJECTS = "objects = [1.5] + words * 15_000"
LINES = 'lines = [" ".join(words[:60])] * 3_000_000'
LONG_LINE = 'line = " ".join(words * 100_000)'
ROWS = """
import numpy
from fastbleu.significance import bootstrap, paired_approximate_randomization
stats = fastbleu.Stats(numpy.full((1000, 10), 30))
# This loads what draws, and extension modules lose a Ctrl-C that comes while they are loaded.
bootstrap(stats, samples=2), paired_approximate_randomization(stats, [stats] * 2, trials=2)
"""
MANY_ROWS = ROWS.replace("1000", "1_000_000")
LISTS = """
import random
from fastbleu.matrix import ReferenceIndex, self_bleu
lists = [random.choices(words, k=60) for _ in range(3000)] * 300
index = ReferenceIndex(lists[:3000], tokenize=None, threads=2)
"""
BOOTSTRAP = "bootstrap(stats, samples=10**7)"
SHUFFLING = "paired_approximate_randomization(stats, [stats] * 2, trials=10**7)"
POOL = """
from fastbleu.matrix import iter_blocks, mbr, pairwise
pool = [" ".join((words * 2)[n % 311 : n % 311 + 60]) + f" {n}" for n in range(20_000)]
"""
BLOCKS = "for _ in iter_blocks(pool, pool{}): pass"
LONG_POOL = LONG + "from fastbleu.matrix import pairwise"
CALLS = {
    "count": (SEGMENTS, "fastbleu.count(hypotheses, references)"),
    "count in two threads": (SEGMENTS, "fastbleu.count(hypotheses, references, threads=2)"),
    "corpus_bleu": (SEGMENTS, "fastbleu.corpus_bleu(references, hypotheses)"),
    "a long segment": (LONG, "fastbleu.count([long] * 4, [other] * 4, 8)"),
    "a long sentence_bleu": (LONG, "fastbleu.sentence_bleu(other * 4, long)"),
    "a long modified_precision": (LONG, "fastbleu.modified_precision(other * 4, long, 4)"),
    "a million references": (REFERENCES, "fastbleu.sentence_bleu(many, words[:60])"),
    "raw text": (LINES, "fastbleu.count(lines, lines, tokenize='13a')"),
    "raw text in two threads": (LINES, "fastbleu.BLEU(threads=2).score(lines, lines)"),
    "a long line": (LONG_LINE, "fastbleu.count([line] * 2, [line] * 2, tokenize='13a')"),
    "tokens of a long line": (LONG_LINE, "fastbleu.tokenize(line)"),
    "tokens of other kinds": (OBJECTS, "fastbleu.count([objects] * 2, [[objects]] * 2)"),
    "self-BLEU": (LISTS, "self_bleu(lists, range(1, 9))"),
    "self-BLEU of a long sentence": (LISTS, "self_bleu([words * 5_000] * 3, range(1, 20))"),
    "an index": (LISTS, "ReferenceIndex(lists * 3, tokenize=None, max_order=8)"),
    "queries of an index": (LISTS, "index.score(lists * 20)"),
    "bootstrap": (ROWS, BOOTSTRAP),
    "bootstrap of many rows": (MANY_ROWS, BOOTSTRAP),
    "shuffling": (ROWS, SHUFFLING),
    "shuffling of many rows": (MANY_ROWS, SHUFFLING),
    "all pairs": (POOL, BLOCKS.format("")),
    "all pairs in two threads": (POOL, BLOCKS.format(", threads=2")),
    "MBR decoding": (POOL, "mbr(pool)"),
    "pairs of long sentences": (
        LONG_POOL,
        "pairwise([long] * 3, other, tokenize=None, max_order=8)",
    ),
}
