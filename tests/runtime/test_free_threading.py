"""Regression tests of failures between threads without the GIL, run on any Python."""

from __future__ import annotations

import sysconfig
from unittest.mock import patch

import pytest
from commands import python
from plain import plain
from threads import again_and_again, at_once

import fastbleu
import fastbleu.nltk
import fastbleu.sacrebleu
from fastbleu import matrix
from fastbleu._core import SegmentCounter, zero_rows
from fastbleu.counting._token_packer import TokenPacker
from fastbleu.inputs import mistakes
from fastbleu.inputs.checks import TokenChecks
from fastbleu.runtime.threads import pop_until_empty

THREADS = 8


def test_a_shared_iterator_gave_one_item_to_several_threads() -> None:
    left, taken = [*range(20_000)], [[] for _ in range(THREADS)]
    at_once(lambda number: taken[number].extend(pop_until_empty(left)))
    assert sorted(item for items in taken for item in items) == [*range(20_000)]


def test_kept_memory_had_several_users_at_once() -> None:
    sentences = [[f"{n % (k + 2)}" for n in range(40)] for k in range(THREADS)]
    references = [sentences[-1], sentences[0]]
    pairs = (0.5, 0.5)
    nltk = [fastbleu.nltk.sentence_bleu(references, one, pairs) for one in sentences]
    texts, metric = (
        [" ".join(sentence) for sentence in sentences],
        fastbleu.sacrebleu.BLEU(effective_order=True),
    )
    sacrebleu = [metric.sentence_score(text, [texts[0]]).score for text in texts]

    def score(number: int) -> None:
        for _ in range(300):
            made = fastbleu.nltk.sentence_bleu(references, sentences[number], pairs)
            assert made == nltk[number]
            made = metric.sentence_score(texts[number], [texts[0]]).score
            assert made == sacrebleu[number]

    at_once(score)


def test_counts_were_lost_where_threads_add_to_one_sum() -> None:
    sentence, times, total = ["a", "b", "c", "d", "e"], 2000, zero_rows(1, 4)

    def count(_: int) -> None:
        packer, counter = TokenPacker(TokenChecks()), SegmentCounter(4)
        packer.fill([sentence], [[sentence]], 0)
        for _ in range(times):
            counter.count_sum(packer, total)

    at_once(count)
    assert total.tolist() == [THREADS * times * n for n in (5, 5, 5, 4, 3, 2, 5, 4, 3, 2)]


@pytest.mark.long
def test_threads_shared_an_iterator_of_what_is_left_to_score() -> None:
    texts = [f"the cat {n % 7} sat on {n % 5} mats" for n in range(700)]
    sources = [texts[n : n + 5] for n in range(0, 700, 5)]
    for call in (
        lambda threads: matrix.pairwise(texts, texts[:600], threads=threads).tolist(),
        lambda threads: matrix.mbr(sources, threads=threads),
        lambda threads: matrix.ReferenceIndex(texts, threads=threads).score(texts * 20),
    ):
        assert plain(call(THREADS)) == plain(call(1))


FIRST_USE = """
import sys
from threads import at_once
sys.setswitchinterval(1e-6)
import fastbleu
found = []
def work(_):
    found.append([fastbleu.tokenize("a,b 1.5 \u4e2d", name) for name in ("intl", "zh", "13a")])
at_once(work)
assert len(found) == 8 and all(one == found[0] for one in found), found
"""


def test_tables_of_a_tokenizer_were_read_while_they_were_built() -> None:
    python("-c", FIRST_USE)


def test_lists_became_empty_after_a_look_at_whether_they_are() -> None:
    class Emptied(list):  # stands for a list that another thread empties
        def __bool__(self) -> bool:
            return True

    with patch.object(mistakes, "type", lambda value: list, create=True):
        mistakes.warn_of_words(Emptied(), Emptied(), True)
        mistakes.warn_of_words(Emptied(), Emptied(), False)


def test_arguments_of_sacrebleu_became_empty_after_a_look_at_whether_they_are() -> None:
    class Emptied(list):
        def __len__(self) -> int:
            return 1

    with pytest.raises(IndexError, match="references is empty: there is nothing to score"):
        fastbleu.sacrebleu.corpus_bleu(["a"], Emptied())


def test_lists_were_read_while_another_thread_freed_their_items() -> None:
    hypothesis, reference = ([f"token number {n}" for n in range(2000)] for _ in range(2))
    hypotheses, references = [hypothesis] * 4, [[reference]] * 4
    expected = fastbleu.count(hypotheses, references).sum()

    def change() -> None:
        for some in (hypothesis, reference):
            some[:] = ["".join([*token]) for token in some]

    def work(_: int) -> None:
        for _ in range(30):
            assert (fastbleu.count(hypotheses, references).sum()) == expected
            fastbleu.sentence_bleu(references[0], hypothesis)

    with again_and_again(change):
        at_once(work, 2)


HAS_GIL = not sysconfig.get_config_var("Py_GIL_DISABLED")


@pytest.mark.skipif(HAS_GIL, reason="this Python has the GIL")
def test_importing_turned_the_gil_on() -> None:
    code = "import sys, fastbleu, fastbleu.sacrebleu; sys.exit(sys._is_gil_enabled())"
    python("-W", "error", "-c", code)
