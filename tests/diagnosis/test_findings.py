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
    many = TEXTS * 10
    short = [text[: len(text) // 2] for text in many]
    assert "swapped" not in found(many, short)
    assert "swapped" not in found(short[: len(TEXTS)])  # too few to tell
    finding = found(short, many)["swapped"]
    expected = BLEU().score(many, short).value - BLEU().score(short, many).value
    assert finding.points == pytest.approx(expected)


def test_copied_sources():
    sources = ["something else"] * 10
    sources[4] = TEXTS[4]
    finding = found(OTHERS, sources=sources)["source copied"]
    assert finding.segments == (4,)


def test_tokens():
    tokens = [text.split() for text in TEXTS]
    assert set(found([*tokens[:3], [], *tokens[4:]], [[its] for its in tokens])) == {"empty"}


def test_a_script_without_spaces():
    text = "我今天早上喝了一杯很热的咖啡， 然后去了公司见朋友。 他说这本书非常有意思， 我也想看看。"
    texts = [text, text[3:], text[5:]]
    others = [text.replace("很热的", "").replace("非常", "很") for text in texts]
    explained = explain(others, texts, "sacrebleu", "sacrebleu")
    (finding,) = (one for one in explained.findings if one.name == "script")
    gained = BLEU("zh").score(others, texts).value - BLEU().score(others, texts).value
    assert finding.points == pytest.approx(gained)
    assert "the effect is that of zh" in finding.message
    explained = explain(others, texts, BLEU("zh"), BLEU("zh"))
    assert all(one.name != "script" for one in explained.findings)


@pytest.mark.parametrize(
    ("name", "spoil", "one", "two"),
    [
        ("empty", lambda text: "", "1 hypothesis has no", "2 hypotheses have no"),
        ("tokenized", lambda text: "x .", "1 hypothesis ends in", "2 hypotheses end in"),
        ("line ends", "{}\n".format, "1 of the hypotheses ends", "2 of the hypotheses end"),
        ("entities", "{} &#39;".format, "1 of the hypotheses has", "2 of the hypotheses have"),
        ("source copied", None, "1 reference is a copy of its", "2 references are copies of their"),
    ],
)
def test_one_is_singular(name, spoil, one, two):
    references = TEXTS[:5]
    for count, expected in enumerate((one, two), 1):
        hypotheses, sources = list(references), None
        if spoil is None:
            sources = references[:count] + ["x"] * (5 - count)
        else:
            hypotheses[:count] = [spoil(text) for text in references[:count]]
        assert found(hypotheses, references, sources=sources)[name].message.startswith(expected)
