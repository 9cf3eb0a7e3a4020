"""Long segments and strings, many references, high orders: the counts of the oracle."""

from __future__ import annotations

import os
import tempfile
from array import array
from typing import Any

import numpy as np
from trust.part import SEED, Outcome
from trust.sizes_limits import gives, refuses

TOKENS = 5_000_000
REFERENCES = 100_000
HIGHEST_ORDER = 64


def long_row(hyp_len: int, ref_len: int, max_order: int = 4) -> list[int]:
    """The row of a sentence whose only reference is its beginning."""
    totals = [hyp_len - n for n in range(max_order)]
    return [hyp_len, ref_len, *(ref_len - n for n in range(max_order)), *totals]


def long_segment(outcome: Outcome) -> None:
    import fastbleu
    from fastbleu import BLEU, count, matrix

    words = [f"w{number}" for number in range(1000)]
    hypothesis = words * (TOKENS // 1000)
    reference = hypothesis[:-7]
    row = [long_row(TOKENS, TOKENS - 7)]
    exact = BLEU(None, dialect="nltk").statistics([hypothesis], [[reference]])
    gives(outcome, "BLEU.statistics", lambda: exact.__array__().tolist(), row)
    score = fastbleu.dialects.NLTK.score(exact).value

    texts = " ".join(hypothesis), " ".join(reference)
    for name in ("none", "13a", "zh", "intl"):
        found = count([texts[0]], [[texts[1]]], tokenize=name)
        gives(outcome, f"text, {name}", found.__array__().tolist, row)
    letters = [text[:TOKENS].replace(" ", "x") for text in texts]
    found = count([letters[0]], [[letters[0][:-7]]], tokenize="char")
    gives(outcome, "text, char", found.__array__().tolist, row)
    found = count([f"{texts[0]} я"], [[f"{texts[0]} \U0001f600"]], tokenize="13a")
    expected = [[TOKENS + 1, TOKENS + 1, *row[0][6:], *(total + 1 for total in row[0][6:])]]
    gives(outcome, "text of other widths", found.__array__().tolist, expected)
    del texts, letters, found

    ids = np.arange(TOKENS) % 1000
    for dtype in (np.int64, np.int16):
        typed = ids.astype(dtype)[None]
        found = BLEU(None).statistics(typed, typed[:, :-7])
        gives(outcome, f"ids, {dtype.__name__}", found.__array__().tolist, row)
    gives(outcome, "sentence_bleu", lambda: fastbleu.sentence_bleu([reference], hypothesis), score)
    gives(outcome, "corpus_bleu", lambda: fastbleu.corpus_bleu([[reference]], [hypothesis]), score)
    metric = BLEU(None, dialect="nltk")
    metric.update([hypothesis], [[reference]])
    gives(outcome, "update and compute", lambda: metric.compute().value, score)

    options: dict[str, Any] = {"tokenize": None, "dialect": "nltk", "smoothing": "none"}
    found = matrix.pairwise([hypothesis], [reference], **options)
    gives(outcome, "pairwise", found.tolist, [[score]])
    expected = fastbleu.sentence_bleu([hypothesis], reference)
    found = matrix.self_bleu([hypothesis, reference], (4,)).scores
    gives(outcome, "self_bleu", found.tolist, [[score], [expected]])


def long_segment_in_an_index(outcome: Outcome) -> None:
    from fastbleu.matrix import ReferenceIndex, mbr

    words = [f"w{number}" for number in range(1000)]
    hypothesis = words * (TOKENS // 1000)
    reference = hypothesis[:-7]
    index = ReferenceIndex([reference], tokenize=None)
    row = long_row(TOKENS, TOKENS - 7)
    gives(outcome, "ReferenceIndex", index.statistics([hypothesis]).__array__().tolist, [row])
    del index
    best = mbr([["w1"], hypothesis, reference], tokenize=None).best
    outcome.check(best in (1, 2), f"mbr chose {best}")


def many_references(outcome: Outcome) -> None:
    import oracle
    from generators import seeded

    import fastbleu
    from fastbleu import BLEU, count
    from fastbleu.matrix import ReferenceIndex

    rng = seeded("many references")
    hypothesis = rng.choices("abcd", k=9)
    references = [rng.choices("abcdefgh", k=rng.randrange(12)) for _ in range(REFERENCES)]
    row = oracle.row(hypothesis, references)
    gives(outcome, "count", count([hypothesis], [references]).__array__().tolist, [row])
    texts = " ".join(hypothesis), list(map(" ".join, references))
    found = count([texts[0]], [texts[1]], tokenize="13a")
    gives(outcome, "text", found.__array__().tolist, [row])
    number = {letter: index for index, letter in enumerate("abcdefgh")}
    ids = [[number[letter] for letter in reference] for reference in references]
    table = np.array([[*its, *[-1] * (12 - len(its))] for its in ids], np.int8)
    metric = BLEU(None, ignore_ids=(-1,))
    its_ids = np.array([[number[letter] for letter in hypothesis]])
    # A row of nothing but padding is no reference, but an empty one was.
    padded = oracle.row(hypothesis, [its for its in references if its])
    gives(outcome, "ids", metric.statistics(its_ids, table[None]).__array__().tolist, [padded])
    expected = float(oracle.nltk_score([row], (0.25,) * 4))
    found = float(fastbleu.sentence_bleu(references, hypothesis))
    outcome.check(abs(found - expected) < 1e-12, f"sentence_bleu gave {found}, not {expected}")
    index = ReferenceIndex(references, tokenize=None)
    gives(outcome, "ReferenceIndex", index.statistics([hypothesis]).__array__().tolist, [row])
    gives(outcome, "its references", lambda: len(index), REFERENCES)


def orders(outcome: Outcome) -> None:
    """Each max_order up to 64, by every way to count."""
    from generators import seeded

    for order in range(1, HIGHEST_ORDER + 1):
        rng = seeded("orders", order)
        for length in (order - 1, order, order + 1, 3 * order):
            where = f"max_order {order}, {length} tokens, {SEED}={os.environ.get(SEED)}"
            hypothesis = rng.choices("ab" if length % 2 else "abc", k=length)
            cut = rng.randint(0, length)
            references = [hypothesis[cut:] + hypothesis[:cut], [*hypothesis[1:], "b", "a"]]
            one_order(outcome, order, hypothesis, references, where)


def one_order(
    outcome: Outcome, order: int, hypothesis: list[str], references: list[list[str]], where: str
) -> None:
    import oracle
    from generators import PRISTINE

    import fastbleu
    from fastbleu import BLEU, Stats, count
    from fastbleu.matrix import ReferenceIndex, self_bleu

    row = oracle.row(hypothesis, references, order)
    found = count([hypothesis], [references], max_order=order)
    gives(outcome, where, found.__array__().tolist, [row])
    texts = [" ".join(hypothesis)], [list(map(" ".join, references))]
    found = count(*texts, max_order=order, tokenize="13a")
    gives(outcome, f"text, {where}", found.__array__().tolist, [row])
    ids = [np.array(list(map(ord, its)), np.int32) for its in (hypothesis, *references)]
    found = BLEU(None, max_order=order).statistics(ids[:1], [ids[1:]])
    gives(outcome, f"ids, {where}", found.__array__().tolist, [row])
    found = ReferenceIndex(references, tokenize=None, max_order=order).statistics([hypothesis])
    gives(outcome, f"index, {where}", found.__array__().tolist, [row])
    metric = BLEU(None, dialect="nltk", smoothing="exp", max_order=order)
    rows = Stats([oracle.row(hypothesis, [reference], order) for reference in references])
    expected = metric._scores(rows).tolist()
    gives(
        outcome, f"pairwise, {where}", metric.pairwise([hypothesis], references).tolist, [expected]
    )
    expected = BLEU(None, dialect="nltk", smoothing="floor", max_order=order)._scores(Stats([row]))
    found = self_bleu([hypothesis, *references], (order,)).scores[0]
    gives(outcome, f"self_bleu, {where}", found.tolist, expected.tolist())
    arguments = references, hypothesis, (1 / order,) * order
    expected = float(PRISTINE.sentence_bleu(*arguments))
    found = float(fastbleu.sentence_bleu(*arguments))
    gives(outcome, f"sentence_bleu, {where}", lambda: found, expected)


def many_lengths(outcome: Outcome) -> None:
    """An index of 70,000 different lengths, which its file is given: nobody has so long a text."""
    import oracle

    from fastbleu.matrix import ReferenceIndex, index_file

    lengths = [3 * number + 1 for number in range(70_000)]
    table = array("q", [value for i, length in enumerate(lengths) for value in (length, 1, i)])
    with tempfile.TemporaryDirectory() as place:
        path = os.path.join(place, "index")
        for rule in ("closest", "first", "shortest"):
            options: dict[str, Any] = {"tokenize": None, "reference_length": rule, "max_order": 2}
            ReferenceIndex([["a", "b"]], **options).save(path)
            header, sections = index_file.read_file(path)
            index_file.write_file(path, header, {**sections, "lengths": table})
            index = ReferenceIndex.load(path)
            for length in (
                0,
                1,
                2,
                3,
                7,
                65_535,
                65_536,
                65_537,
                209_997,
                209_998,
                209_999,
                230_000,
            ):
                expected = oracle.closest_length(length, lengths)
                if rule != "closest":
                    near = min(abs(length - other) for other in lengths)
                    same = [other for other in lengths if abs(length - other) == near]
                    expected = same[0] if rule == "first" else lengths[0]
                found = index.statistics([["a"] * length]).ref_lens.tolist()
                outcome.check(
                    found == [expected], f"{rule}, {length} tokens: {found}, not {expected}"
                )


def as_many_lengths(outcome: Outcome) -> None:
    """The same of real references: 2**16 + 10 lengths, 2.1 billion tokens."""
    from fastbleu.matrix import ReferenceIndex

    count = 2**16 + 10
    references = (np.zeros(length, np.int8) for length in range(count))
    index = ReferenceIndex(references, tokenize=None, max_order=1)
    for length in (0, 65_535, 65_536, count - 1, count + 5):
        row = index.statistics(np.zeros((1, length), np.int8))._rows.tolist()
        most = min(length, count - 1)
        outcome.check(row == [length, most, most, length], f"{length} tokens: {row}")


def long_strings(outcome: Outcome) -> None:
    """Strings of more than 2**31 characters, in one byte each and in two."""
    from fastbleu import count, tokenize

    size = 2**31 + 10
    for letter in ("a", "я"):
        text = letter * size
        for name in ("none", "13a", "zh", "intl"):
            found = count([text], [[text]], tokenize=name)
            what = f"{letter} * {size}, {name}"
            gives(outcome, what, found._rows.tolist, [1, 1, 1, 0, 0, 0, 1, 0, 0, 0])
        found = count([text], [[text[:-1]]], tokenize="none")
        gives(outcome, "one character less", found._rows[2:3].tolist, [0])
        refuses(
            outcome, "characters as tokens", lambda t=text: count([t], [["a"]], tokenize="char")
        )
        gives(outcome, "tokenize", lambda t=text: list(map(len, tokenize(t, "none"))), [size])
    del text
    text = ("a" * 1023 + " ") * (2**21 + 1)  # tokens on both sides of 2**31
    found = count([text], [[text]], tokenize="13a")
    total = 2**21 + 1
    gives(
        outcome,
        "many words",
        found._rows.tolist,
        [total, total, *2 * [total - n for n in range(4)]],
    )
    text = "a &lt; b " + "c" * size + " &amp; d."  # has to be written anew
    found = count([text], [["a < b & d ."]], tokenize="13a")
    gives(outcome, "entities", found._rows[:4].tolist, [7, 6, 6, 4])
