"""The scores that were published for WMT22 come out to the last digit."""

import csv

import pytest
import sacrebleu
from wmt22 import WMT22, read_lines, reference_files, system_file

from fastbleu.sacrebleu import corpus_bleu

TABLE = WMT22 / "published_bleu.tsv"
pytestmark = pytest.mark.wmt22
TOKENIZERS = {"en-zh": "zh", "en-ja": "char"}


ROWS = list(csv.DictReader(read_lines(TABLE), delimiter="\t")) if TABLE.exists() else []


def lines_of(row):
    """Hypotheses and streams of references."""
    files = reference_files(row["pair"])
    names = files if row["references"] == "all" else [row["references"]]
    hypotheses = read_lines(system_file(f"{row['pair']}.{row['system']}"))
    return hypotheses, [read_lines(files[name]) for name in names]


def score_here(row, corpus, tokenize):
    """The published score, as the running Python has it.

    From Python 3.12 on sum() adds floats more precisely, so that sacreBLEU's last bit may differ.
    """
    published_score = float(row["bleu"])
    if sum([1.0, 1e100, 1.0, -1e100]) == 0.0:
        return published_score
    score = sacrebleu.corpus_bleu(*corpus, tokenize=tokenize).score
    assert score == pytest.approx(published_score, rel=1e-15)
    return score


@pytest.mark.parametrize("pair", sorted({row["pair"] for row in ROWS}) or ["en-de"])
def test_published_scores(pair):
    assert len(ROWS) == 60
    tokenize = TOKENIZERS.get(pair, "13a")
    for row in ROWS:
        if row["pair"] != pair:
            continue
        hypotheses, references = lines_of(row)
        expected = score_here(row, (hypotheses, references), tokenize)
        assert corpus_bleu(hypotheses, references, tokenize=tokenize).score == expected, row
