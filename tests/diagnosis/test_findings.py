"""Likely mistakes in the input, each planted and found, with its effect on the score."""

import pytest

from fastbleu import BLEU, explain

TEXTS = [
    "The first of these is 5.3 m long.",
    'It\'s said that "no one" came to see it.',
    "Où est la forêt - près d'ici?",
    "Tom & Jerry ran away, and so did I.",
    "There are several of them in the garden.",
    "What a strange thing to say about Berlin.",
    "He asked whether the train had left Paris already.",
    "Nobody knew, though, which of the 12 gates was open.",
    "A short one here.",
    "In March the river rose by two metres.",
]
OTHERS = [text.replace("of", "off").replace("the", "this") for text in TEXTS]


def found(hypotheses, references=TEXTS, **how):
    explanation = explain(hypotheses, references, "sacrebleu", "sacrebleu", **how)
    return {finding.name: finding for finding in explanation.findings}


def test_nothing_is_found_where_nothing_is_wrong():
    assert found(OTHERS) == {}


@pytest.mark.parametrize(
    ("name", "spoil"),
    [
        ("case", str.lower),
        ("quotes", lambda text: text.replace("'", "\u2019").replace('"', "\u201c")),
        ("entities", lambda text: text.replace("&", "&amp;amp;").replace("'", "&#39;")),
        ("normalization", lambda text: text.replace("\u00ea", "e\u0302").replace("1", "\uff11")),
    ],
)
def test_what_one_side_has(name, spoil):
    wrong = [spoil(text) for text in TEXTS]
    finding = found(wrong)[name]
    right, now = (BLEU().score(texts, TEXTS).value for texts in (TEXTS, wrong))
    assert finding.points > 0
    if name not in ("case", "quotes"):  # of which both sides are rewritten
        assert finding.points == pytest.approx(right - now)
    differing = {n for n, pair in enumerate(zip(TEXTS, wrong, strict=True)) if pair[0] != pair[1]}
    assert set(finding.segments) <= differing or name == "case"


def test_line_ends_are_named_even_where_they_cost_nothing():
    assert found([f"{text}\r\n" for text in TEXTS])["line ends"].points == 0


def test_tokenized_text():
    finding = found([text.replace(".", " .").replace(",", " ,") for text in TEXTS])["tokenized"]
    assert "like tokenized text" in finding.message


def test_empty_segments():
    finding = found([*TEXTS[:3], "", *TEXTS[4:]])["empty"]
    assert finding.segments == (3,)
    assert finding.points > 0


@pytest.mark.parametrize(
    ("hypotheses", "offset", "start"),
    [
        ([*TEXTS[:2], *TEXTS[3:], "at the end"], "i+1", 2),
        ([*TEXTS[:4], "one too many", *TEXTS[4:-1]], "i-1", 5),
    ],
)
def test_shifted_lines(hypotheses, offset, start):
    finding = found(hypotheses)["shifted"]
    assert finding.segments == (start,)
    assert f"from segment {start} on hypothesis i fits reference {offset}" in finding.message
    assert finding.points > 40


def test_swapped_sides():
    short = [text[: len(text) // 2] for text in TEXTS]
    assert "swapped" not in found(TEXTS, short)
    finding = found(short)["swapped"]
    expected = BLEU().score(TEXTS, short).value - BLEU().score(short, TEXTS).value
    assert finding.points == pytest.approx(expected)


def test_copied_sources():
    sources = ["something else"] * 10
    sources[4] = TEXTS[4]
    finding = found(OTHERS, sources=sources)["source copied"]
    assert finding.segments == (4,)


def test_tokens():
    tokens = [text.split() for text in TEXTS]
    assert set(found([*tokens[:3], [], *tokens[4:]], [[its] for its in tokens])) == {"empty"}
