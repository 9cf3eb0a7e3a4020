"""Likely mistakes in the input, each planted and found, with its effect on the score."""

import json
import random
from itertools import permutations

import pytest
import wmt22

from fastbleu import BLEU, InputWarning, explain

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


def found(hypotheses, references=TEXTS, metric="sacrebleu", **how):
    explanation = explain(hypotheses, references, metric, metric, **how)
    return {finding.name: finding for finding in explanation.findings}


def test_nothing_is_found_where_nothing_is_wrong():
    assert found(OTHERS) == found([f"{text}\r\n" for text in OTHERS]) == {}


def test_case_of_a_few_hypotheses():
    references = TEXTS * 10
    hypotheses = [text.lower() if n % 20 == 0 else text for n, text in enumerate(references)]
    finding = found(hypotheses, references)["case"]
    assert finding.segments == (0, 20, 40, 60, 80)
    assert finding.points == pytest.approx(100 - BLEU().score(hypotheses, references).value)
    assert finding.message.startswith("5 of the references have capitals")


def test_text_in_a_wrong_encoding():
    for text, encoding in (
        ("She said \u201cno one\u201d came\u2014not even him\u2026 \u2013 today", "cp1252"),
        ("Příliš žluťoučký kůň úpěl", "latin-1"),
        ("Сегодня утром мы пошли на работу", "cp1251"),
    ):
        texts = [f"{text} {n} {other}" for n, other in enumerate(OTHERS)]
        # As browsers read them.
        misread = [
            "".join(bytes([b]).decode(encoding, "ignore") or chr(b) for b in text.encode())
            for text in texts
        ]
        finding = found(misread, texts)["encoding"]
        assert finding.points == pytest.approx(100 - BLEU().score(misread, texts).value)


def test_what_is_part_of_a_text_is_not_taken_for_a_leftover():
    texts = [
        "if a < b and c > d: <unk> \u201eSpaß\u201c",
        "CAFÉ\u00bb, caf\u00e9\u2026\u00bb [sic]",
    ]
    texts += ["\u06a9\u062a\u0627\u0628\u200c\u0647\u0627", "nobody was nan", "AT&T, 5 | 6"]
    texts += ['["quoted"', "12 monkeys", "me@@home", "ﬁrst of all"]
    changed = [text.replace("a", "e").replace("ﬁ", "fi") for text in texts]
    assert [*found(changed, texts)] == ["normalization"]
    assert "write ligatures as letters" in found(changed, texts)["normalization"].message


def test_the_name_of_a_missing_value():
    kept = [n for n in range(10) if n != 4]
    right = BLEU().score([OTHERS[n] for n in kept], [TEXTS[n] for n in kept]).value
    for missing in ("nan", "NaN", "None", "<NA>"):
        wrong = [*OTHERS[:4], missing, *OTHERS[5:]]
        finding = found(wrong)["nan"]
        assert finding.points == pytest.approx(right - BLEU().score(wrong, TEXTS).value)
        assert finding.segments == (4,)
    message = found(wrong, [*TEXTS[:7], missing, *TEXTS[8:]])["nan"].message
    assert "1 of the hypotheses and 1 of the references have no text but" in message


def test_shifted_lines():
    for hypotheses, offset, start, fitting in (
        ([*TEXTS[:2], *TEXTS[3:], "at the end"], "i+1", 2, [*TEXTS[:2], *TEXTS[3:]]),
        ([*TEXTS[:4], "one too many", *TEXTS[4:-1]], "i-1", 5, [*TEXTS[:5], *TEXTS[4:-1]]),
    ):
        finding = found(hypotheses)["shifted"]
        assert finding.segments == (start,)
        assert f"from segment {start} on hypothesis i fits reference {offset}" in finding.message
        aligned = BLEU().score(hypotheses[: len(fitting)], fitting).value
        assert finding.points == pytest.approx(aligned - BLEU().score(hypotheses, TEXTS).value)


@pytest.mark.wmt22
def test_the_last_lines_are_shifted():
    hypotheses, references = wmt22.one_reference("en-de.Online-B")
    hypotheses, references = hypotheses[:600], references[:600]
    hypotheses[588:] = [*hypotheses[589:], hypotheses[-1]]
    assert found(hypotheses, references)["shifted"].segments == (588,)


@pytest.mark.wmt22
def test_shuffled_lines_are_warned_of_and_no_cause_is_sought_in_wrong_pairs():
    hypotheses, references = wmt22.one_reference("en-de.Online-B")
    for shuffled in (random.Random(5).sample(hypotheses, len(hypotheses)), sorted(hypotheses)):
        with pytest.warns(InputWarning, match="[0-9]+ hypotheses fit the reference of another"):
            assert {*found(shuffled, references)} == {"shuffled"}


def test_words_that_frame_all_texts_of_both_sides():
    hypotheses, references = (
        [f"{n} {text}" for n, text in enumerate(it * 60)] for it in (OTHERS, TEXTS)
    )
    for form, words in (
        ("startseq {} endseq", "'startseq' and 'endseq'"),
        ("{} _eos", "'_eos'"),
        ("Translation: {}", "'Translation:'"),
    ):
        framed = [[form.format(text) for text in side] for side in (hypotheses, references)]
        with pytest.warns(InputWarning, match=f"begin or end with {words}"):
            finding = found(*framed)["constant text"]
        assert finding.points is None
    for form in ("{}!", "The {}", "The number {} is in the morning"):  # usual, or a template
        framed = [[form.format(text) for text in side] for side in (hypotheses, references)]
        assert "constant text" not in found(*framed)


@pytest.mark.wmt22
@pytest.mark.filterwarnings("ignore")
def test_shuffled_hypotheses_are_not_shifted():
    hypotheses, references = wmt22.one_reference("en-de.Online-B")
    drawn = random.Random(50)
    for size in (8, 12, 20, 40) * 3:
        first = drawn.randrange(len(hypotheses) - size)
        part = slice(first, first + size)
        shuffled = drawn.sample(hypotheses[part], size)
        assert "shifted" not in found(shuffled, references[part])


def test_short_text_is_short():
    short = [text[: len(text) // 2] for text in TEXTS]
    finding = found(short)["short"]
    assert "truncated" in finding.message
    score = BLEU().score(short, TEXTS)
    assert finding.points == pytest.approx(score.value / score.bp - score.value)
    assert {"short", "swapped"} & {*found(TEXTS, short)} == set()


def test_reversed_words_are_found_though_repeated_ones_match():
    texts = ["no no no no no no to him today again", "ha ha ha ha ha ha said one of them"]
    assert {*found([" ".join(text.split()[::-1]) for text in texts], texts)} == {"words reversed"}


def test_lines_that_are_all_alike_are_no_suffix():
    lines = [
        f"The number {n} bus to the old town leaves from platform {n * 7 % 13} in the morning."
        for n in range(100)
    ]
    shorter = [" ".join(text.split()[:8]).replace("old", "new") for text in lines]
    [finding] = found(shorter, lines).values()
    assert finding.name == "short"
    assert finding.points > 40  # the brevity penalty
    prompt = "Translate the following sentence from English into German, and write nothing else: "
    prompted = [prompt + text for text in TEXTS * 3]
    finding = found(prompted, TEXTS * 3)["constant text"]
    assert finding.points == pytest.approx(100 - BLEU().score(prompted, TEXTS * 3).value)


PAIRS_OF_STYLES = [("quotes", "“{}” he said", '"{}" he said'), ("dashes", "{} – so", "{} - so")]


@pytest.mark.parametrize(("name", "style", "other"), PAIRS_OF_STYLES)
def test_a_style_is_named_if_each_side_has_its_own_throughout(name, style, other):
    texts = [f"{text} {n}" for n, text in enumerate(OTHERS * 4)]
    typographic, plain = ([form.format(text) for text in texts] for form in (style, other))
    mixed = typographic[:20] + plain[20:]
    for sides in permutations((typographic, plain, mixed), 2):
        finding = found(*sides).get(name)
        assert (finding is None) == (mixed in sides)
        if finding:
            assert finding.points == pytest.approx(100 - BLEU().score(*sides).value)


def test_what_references_legitimately_have():
    japanese = [
        "委員会は２０２１年に報告書を公表した。",
        "会議は３回開かれましたが、結論は出ませんでした。",
    ]
    references = [f"{text}第{n}章" for n, text in enumerate(japanese * 20)]
    narrow = str.maketrans("０１２３", "0123")
    hypotheses = [text.replace("は", "が").translate(narrow) for text in references]
    hypotheses[:5] = [text.replace("。", ".").replace("、", ",") for text in hypotheses[:5]]
    # Five hypotheses have ASCII's marks in Japanese; full-width forms of references are usual.
    [finding] = found(hypotheses, references, BLEU(tokenize="char")).values()
    assert finding.message.startswith("5 of the hypotheses have punctuation of another script")
    java = ["List<String> names = new ArrayList<>();", "Map<String, List<T>> m;", "return 0;"] * 5
    assert "tags" not in found([text.replace("<String>", "") for text in java], java)


def test_tokens():
    tokens = [text.split() for text in TEXTS]
    assert set(found([*tokens[:3], [], *tokens[4:]], [[its] for its in tokens])) == {"empty"}


def test_a_script_without_spaces():
    text = "我今天早上喝了一杯很热的咖啡， 然后去了公司见朋友。 他说这本书非常有意思， 我也想看看。"
    texts, fitting = [text, text[3:], text[5:]], BLEU(tokenize="zh")
    others = [text.replace("很热的", "").replace("非常", "很") for text in texts]
    finding = found(others, texts)["script"]
    gained = fitting.score(others, texts).value - BLEU().score(others, texts).value
    assert finding.points == pytest.approx(gained)
    assert 'use BLEU(tokenize="zh")' in finding.message
    assert "script" not in found(others, texts, fitting)


def test_one_is_singular():
    references = TEXTS[:5]
    for name, spoil, one, two in (
        ("empty", lambda text: "", "1 hypothesis has no", "2 hypotheses have no"),
        ("entities", "{} &#39;".format, "1 of the hypotheses has", "2 of the hypotheses have"),
        ("source copied", str, "1 reference is a copy of its", "2 references are copies of their"),
    ):
        for count, expected in enumerate((one, two), 1):
            own = ["quite another text"] * count if spoil is str else references
            hypotheses = [*map(spoil, own[:count]), *references[count:]]
            sources = [*references[:count], *"x" * (5 - count)] if spoil is str else None
            finding = found(hypotheses, references, sources=sources)[name]
            assert finding.message.startswith(expected)
            assert finding.segments == tuple(range(count))


def test_points_are_none_where_the_effect_is_unknown():
    explanation = explain(["a b", "\ufffd c"] * 2, ["a b", "d c"] * 2, "sacrebleu", "sacrebleu")
    [told] = explanation.to_dict()["findings"]
    assert (told["name"], told["points"]) == ("lost characters", None)
    assert "unknown" in str(explanation)
    assert "nan" not in str(explanation) + repr(explanation.findings) + json.dumps(told)
    # What one text of four has without the others tells nothing.
    assert found(["", "", "", TEXTS[3]], TEXTS[:4])["empty"].points is None


CYRILLIC = "абдефгхиклмнопрстув"
LOST = {
    "spaces": (lambda text: text.replace(" ", ""), "have hardly any spaces: separate words"),
    "long": (lambda text: text + " as I said" * 12, "are longer than twice their references"),
    "language": (
        lambda text: text.lower().translate(str.maketrans("abdefghiklmnoprstuw", CYRILLIC)),
        "are in CYRILLIC letters, their references in LATIN",
    ),
}


@pytest.mark.parametrize("name", LOST)
def test_what_no_function_repairs(name):
    references = [f"{text} It is number {n} of them." for n, text in enumerate(TEXTS * 10)]
    spoil, words = LOST[name]
    hypotheses = [spoil(text) if n % 10 == 3 else text for n, text in enumerate(references)]
    finding = found(hypotheses, references)[name]
    assert finding.segments == tuple(range(3, 100, 10))
    assert words in finding.message
    lost = 100 - BLEU().score(hypotheses, references).value  # without them
    assert finding.points == (pytest.approx(lost) if name == "language" else None)
