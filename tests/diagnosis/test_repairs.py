"""Every repair in the table of likely mistakes: it makes the clean corpus of a planted one."""

import html
import json
import random
import unicodedata

import pytest
from generators import messages, quietly

from fastbleu import BLEU, explain
from fastbleu.diagnosis.repairs import REPAIRS

NOUNS = ["Müller", "château", "mother", "Bäcker", "river", "Señor", "café", "town", "number-one"]
NOUNS += ["letter", "garden"]
VERBS = ["found", "lost", "didn't", "saw", "brought", "called", "answered", "wouldn't", "followed"]
VERBS += ["painted"]
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


def spelled(text):
    return " ".join(f"\u2581{word[:2]} {word[2:]}".strip() for word in text.split())


def widened(text):
    return "".join(chr(ord(c) + 0xFEE0) if "!" <= c <= "~" else c for c in text)


# A name, and what plants it; the text can be restored.
RESTORED = [
    ("encoding", misread),
    ("encoding twice", lambda text: misread(misread(text))),
    ("entities", lambda text: html.escape(text).replace("é", "&eacute;")),
    ("escapes", lambda text: json.dumps(text)[1:-1]),
    ("lists", lambda text: json.dumps([text], ensure_ascii=False)),
    ("lists", lambda text: str(text.split(" "))),
    ("quoted", '"{}"'.format),
    ("quoted", "„{}“".format),
    ("quoted", "'{}'".format),
    ("log columns", "H-3\t-0.25\t{}".format),
    ("log columns", "3 ||| {} ||| LM= -1.5 ||| -2.25".format),
    ("log columns", "17\t{}".format),
    ("subwords", in_pieces("@@", "")),
    ("subwords", in_pieces("", "##")),
    ("subwords", in_pieces("\uffed", "")),
    ("subwords", spelled),
    ("subwords", lambda text: "\u0120" + text.replace(" ", " \u0120")),
    ("characters", " ".join),
    ("characters", "\n".join),
    ("tags", "<s> {} </s>".format),
    ("tags", "[CLS] {} [SEP]".format),
    ("tags", "{} <pad> <pad>".format),
    ("tags", "<|im_start|> {}<|im_end|>".format),
    ("tags", "[INST] {} [/INST]".format),
    ("tags", '<seg id="1">{}</seg>'.format),
    ("repeated", "{0} {0}".format),
    ("zero-width", lambda text: text.replace(" ", " \u200b")),
    ("zero-width", "\ufeff{}".format),
    ("normalization", lambda text: unicodedata.normalize("NFD", text)),
    ("full-width", widened),
    ("marks", lambda text: text.replace(".", "।").replace(",", "،")),
    ("constant text", ">>deu<< {}".format),
    ("constant text", "startseq {}".format),
    ("constant text", "de_DE {}".format),
    ("constant text", "{}_eos".format),
    ("constant text", "Translation: {}".format),
    ("constant text", "**{}**".format),
    ("constant text", "Here is the German translation: {}".format),
    ("words reversed", lambda text: " ".join(reversed(text.split()))),
]
LOST = [
    ("tokenization", spaced),
    ("quotes", lambda text: text.replace("“", '"').replace("”", '"')),
    ("dashes", lambda text: text.replace("–", "-")),
    ("case", str.lower),
    ("capitals", str.upper),
    ("case", str.title),
    ("accents", lambda text: text.translate(str.maketrans("üâäñé", "uaane"))),
    ("punctuation", lambda text: "".join(c for c in text if c.isalnum() or c == " ")),
    ("numbers", lambda text: text.replace("1,250", "1.250")),
]
PLANTED = RESTORED + LOST


def of_each(planted):
    """Run a test with each of these mistakes."""
    names = [f"{number} {name}" for number, (name, _) in enumerate(planted)]
    return pytest.mark.parametrize(("name", "plant"), planted, ids=names)


def found(hypotheses, references):
    return explain(hypotheses, references, "sacrebleu", "sacrebleu").findings


def test_every_repair_is_planted():
    without_effect = {"line ends"}
    assert {*REPAIRS} - without_effect <= {name for name, _ in PLANTED}


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


@pytest.mark.parametrize("side", ["hypotheses", "references"])
@of_each(PLANTED)
@pytest.mark.filterwarnings("ignore")
def test_the_planted_corpus_becomes_the_clean_one(name, plant, side):
    sides, is_restored = {"hypotheses": CLEAN, "references": REFERENCES}, (name, plant) in RESTORED
    clean = BLEU().score(*sides.values()).value
    sides[side] = [*map(plant, sides[side])]
    planted, findings = BLEU().score(*sides.values()).value, found(*sides.values())
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


@of_each(RESTORED)
def test_a_repair_restores_the_text(name, plant):
    if name != "constant text":  # what both sides have is part of the texts
        both = ([*map(plant, side)] for side in (CLEAN, REFERENCES))
        assert name not in {finding.name for finding in found(*both)}
    if name in REPAIRS and name != "full-width":  # which may be of Chinese text
        assert [REPAIRS[name].rewrite(plant(text)) for text in CLEAN] == CLEAN


@of_each(PLANTED)
def test_a_warning_says_what_explain_says(name, plant):
    """But differences of spelling are not looked for in texts that match well."""
    hypotheses, references = [*map(plant, CLEAN)] * 9, REFERENCES * 9
    found_by_explain = quietly(found, hypotheses[:64], references[:64])
    warned = messages(BLEU().score, hypotheses, references)[1]
    expected = [f"in the first 64 segments, {it.message}" for it in found_by_explain[:1]]
    assert warned == expected or (warned == [] and name in UNNOTICED)
