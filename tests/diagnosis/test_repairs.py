"""Every repair in the table of likely mistakes: it makes the clean corpus of a planted one."""

import html
import json
import random
import unicodedata
import warnings

import pytest
from generators import messages, quietly

from fastbleu import BLEU, explain
from fastbleu.diagnosis.repairs import REPAIRS

NOUNS = [
    *[
        "Müller",
        "château",
        "mother",
        "Bäcker",
        "river",
        "Señor",
        "café",
        "town",
        "number-one",
        "letter",
    ],
    "garden",
]
VERBS = [
    *["found", "lost", "didn't", "saw", "brought", "called", "answered", "wouldn't", "followed"],
    "painted",
]
ENDINGS = ["in 1,250 days.", "– it said “no”!", "(at 5.3 km), too.", "as usual?", "at 10:30."]


def sentences(seed, count=60):
    drawn = random.Random(seed)
    return [
        f"{drawn.choice(NOUNS).capitalize()} and a {drawn.choice(NOUNS)} {drawn.choice(VERBS)} the "
        f"{drawn.choice(NOUNS)}, {drawn.choice(ENDINGS)}"
        for _ in range(count)
    ]


REFERENCES = sentences(1)
CLEAN = [text.replace(" and a", " or the") for text in REFERENCES]


def in_pieces(end, start):
    """Cuts words in two, with marks at the end of the first part and at the start of the second."""
    return lambda text: " ".join(
        f"{word[:3]}{end} {start}{word[3:]}" if len(word) > 4 and word.isalpha() else word
        for word in text.split()
    )


def spaced(text):
    for mark in ".,!?()“”":
        text = text.replace(mark, f" {mark} ")
    return " ".join(text.replace("n't", " n't").split())


def misread(text):
    return text.encode().decode("latin-1")


# A name, what plants it, and whether the text can be restored.
PLANTED = [
    ("encoding", misread, True),
    ("encoding twice", lambda text: misread(misread(text)), True),
    ("entities", lambda text: html.escape(text).replace("é", "&eacute;"), True),
    ("escapes", lambda text: json.dumps(text)[1:-1], True),
    ("lists", lambda text: json.dumps([text], ensure_ascii=False), True),
    ("lists", lambda text: str(text.split(" ")), True),
    ("quoted", '"{}"'.format, True),
    ("quoted", "„{}“".format, True),
    ("quoted", "'{}'".format, True),
    ("log columns", "H-3\t-0.25\t{}".format, True),
    ("log columns", "3 ||| {} ||| LM= -1.5 ||| -2.25".format, True),
    ("log columns", "17\t{}".format, True),
    ("subwords", in_pieces("@@", ""), True),
    ("subwords", in_pieces("", "##"), True),
    ("subwords", in_pieces("\uffed", ""), True),
    (
        "subwords",
        lambda text: " ".join(f"\u2581{w[:2]} {w[2:]}".strip() for w in text.split()),
        True,
    ),
    ("subwords", lambda text: "\u0120" + text.replace(" ", " \u0120"), True),
    ("characters", " ".join, True),
    ("characters", "\n".join, True),
    ("tags", "<s> {} </s>".format, True),
    ("tags", "[CLS] {} [SEP]".format, True),
    ("tags", "{} <pad> <pad>".format, True),
    ("tags", "<|im_start|> {}<|im_end|>".format, True),
    ("tags", "[INST] {} [/INST]".format, True),
    ("tags", '<seg id="1">{}</seg>'.format, True),
    ("tokenization", spaced, False),
    ("repeated", "{0} {0}".format, True),
    ("zero-width", lambda text: text.replace(" ", " \u200b"), True),
    ("zero-width", "\ufeff{}".format, True),
    ("normalization", lambda text: unicodedata.normalize("NFD", text), True),
    (
        "full-width",
        lambda text: "".join(chr(ord(c) + 0xFEE0) if "!" <= c <= "~" else c for c in text),
        True,
    ),
    ("quotes", lambda text: text.replace("“", '"').replace("”", '"'), False),
    ("dashes", lambda text: text.replace("–", "-"), False),
    ("case", str.lower, False),
    ("capitals", str.upper, False),
    ("case", str.title, False),
    ("accents", lambda text: text.translate(str.maketrans("üâäñé", "uaane")), False),
    ("marks", lambda text: text.replace(".", "।").replace(",", "،"), True),
    ("punctuation", lambda text: "".join(c for c in text if c.isalnum() or c == " "), False),
    ("numbers", lambda text: text.replace("1,250", "1.250"), False),
    ("constant text", ">>deu<< {}".format, True),
    ("constant text", "startseq {}".format, True),
    ("constant text", "de_DE {}".format, True),
    ("constant text", "{}_eos".format, True),
    ("constant text", "Translation: {}".format, True),
    ("constant text", "**{}**".format, True),
    ("constant text", "Here is the German translation: {}".format, True),
    ("words reversed", lambda text: " ".join(reversed(text.split())), True),
]


def found(hypotheses, references, metric="sacrebleu"):
    return explain(hypotheses, references, metric, metric).findings


def test_every_repair_is_planted():
    without_effect = {"line ends"}
    assert {*REPAIRS} - without_effect <= {name for name, _, _ in PLANTED}


def test_a_suffix_of_a_few_texts():
    suffix = "\n\nNote: I kept the informal register."
    hypotheses = [text + suffix * (n % 6 == 0) for n, text in enumerate(CLEAN)]
    [finding] = found(hypotheses, REFERENCES)
    assert repr(suffix) in finding.message
    words = [text.replace("as usual?", "again.") for text in CLEAN]  # which 1 of 5 ends in
    assert "constant text" not in {it.name for it in found(words, REFERENCES)}


def test_nothing_is_said_of_clean_text():
    assert found(CLEAN, REFERENCES) == []


UNNOTICED = {"quotes", "dashes", "accents", "punctuation", "numbers", "words reversed"}
RESTORED = [case for case in PLANTED if case[2]]


@pytest.mark.parametrize("side", ["hypotheses", "references"])
@pytest.mark.parametrize(
    ("name", "plant", "is_restored"),
    PLANTED,
    ids=[f"{n} {name}" for n, (name, *_) in enumerate(PLANTED)],
)
def test_the_planted_corpus_becomes_the_clean_one(name, plant, is_restored, side):
    hypotheses, references = CLEAN, REFERENCES
    if side == "hypotheses":
        hypotheses = [*map(plant, hypotheses)]
    else:
        references = [*map(plant, references)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        clean = BLEU().score(CLEAN, REFERENCES).value
        planted = BLEU().score(hypotheses, references).value
        findings = found(hypotheses, references)
    if clean - planted < 0.1:  # 13a does not see it
        assert findings == []
        return
    finding = findings[0]
    assert finding.name == name
    assert f"of the {side}" in finding.message or not is_restored or name == "words reversed"
    if is_restored:
        assert finding.points == pytest.approx(clean - planted)
        assert findings == [finding]
        assert {*finding.segments} == {n for n, text in enumerate(CLEAN) if plant(text) != text}
    else:
        gain = clean - planted
        assert finding.points is None or abs(finding.points - gain) < 0.25 * gain + 0.5


@pytest.mark.parametrize(
    ("name", "plant", "is_restored"),
    RESTORED,
    ids=[f"{n} {name}" for n, (name, *_) in enumerate(RESTORED)],
)
def test_a_repair_restores_the_text(name, plant, is_restored):
    if name != "constant text":  # what both sides have is part of the texts
        both = ([*map(plant, side)] for side in (CLEAN, REFERENCES))
        assert name not in {finding.name for finding in found(*both)}
    if name in REPAIRS and name != "full-width":  # which may be of Chinese text
        assert [REPAIRS[name].rewrite(plant(text)) for text in CLEAN] == CLEAN


@pytest.mark.parametrize(
    ("name", "plant", "is_restored"),
    PLANTED,
    ids=[f"{n} {name}" for n, (name, *_) in enumerate(PLANTED)],
)
def test_a_warning_says_what_explain_says(name, plant, is_restored):
    """But differences of spelling are not looked for in texts that match well."""
    hypotheses, references = [*map(plant, CLEAN)] * 9, REFERENCES * 9
    found_by_explain = quietly(found, hypotheses[:64], references[:64])
    warned = messages(BLEU().score, hypotheses, references)[1]
    expected = [f"in the first 64 segments, {it.message}" for it in found_by_explain[:1]]
    assert warned == expected or (warned == [] and name in UNNOTICED)
