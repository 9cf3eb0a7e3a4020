"""The tokenizer "ptb" gives the tokens of Stanford's PTBTokenizer as pycocoevalcap runs it.

Recorded output is compared; the program itself where Java and pycocoevalcap are.
DIFFERENCES.md lists by kind what differs in random texts.
"""

import importlib.util
import os
import random
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import wmt22
from generators import SEED, SEGMENTS, raises
from metrics import count
from ptb_texts import KINDS, java_lines
from recordings import recorded

import fastbleu
from fastbleu.originals import _ptb
from fastbleu.reporting.contents import match_positions
from fastbleu.tokenizers import tokenize

PUNCTUATION = {"''", "'", "``", "`", ".", "?", "!", ",", ":", "-", "--", "...", ";"}
FOLLOWING = {"end": "", "next a": "\na cat", "next A": "\nA cat", "next 1": "\n1 cat"}


def test_recorded_texts():
    """Alone, at the end of a file, and with other lines after them."""
    for case in recorded("ptb.jsonl.gz"):
        if "lines" in case:
            continue
        text, tokens = case["text"], case["tokens"]
        assert tokenize(text, "ptb-all") == tokens, text
        kept = " ".join(token for token in tokens if token not in PUNCTUATION)
        assert _ptb.write(text) == kept
        assert tokenize(text, "ptb") == kept.split()
        for key, following in FOLLOWING.items():
            file = text.replace("\n", " ") + following
            lines = _ptb.write(file, True, len(file)).split("\n")
            assert lines[0].split(" ") == (case.get(key, tokens) or [""]), (key, text)


def test_a_text_of_several_lines_for_java():
    """pycocoevalcap gives its rest to the next captions; here all tokens stay with the text."""
    cases = [case for case in recorded("ptb.jsonl.gz") if "lines" in case]
    assert cases
    for case in cases:
        found = tokenize(case["text"], "ptb-all")
        assert found[: len(case["tokens"])] == case["tokens"]
        lines = re.split("[\r\v\f\u2028\u2029]", case["text"])
        assert found == [token for line in lines for token in tokenize(line, "ptb-all")]


@pytest.fixture(scope="module")
def coco_folder():
    """Where pycocoevalcap is, which has Stanford's program."""
    found = importlib.util.find_spec("pycocoevalcap")
    if found is None or shutil.which("java") is None:
        if os.environ.get("FASTBLEU_REQUIRE_HOSTS", "0") not in ("", "0"):
            pytest.fail("needs Java and pycocoevalcap")
        pytest.skip("needs Java and pycocoevalcap")
    return found.submodule_search_locations[0]


def differing(folder, texts, tmp_path):
    theirs = java_lines(folder, texts, tmp_path)
    file = "\n".join(texts)
    ours = _ptb.write(file, True, len(file)).split("\n")
    assert len(theirs) == len(texts)
    pairs = zip(texts, theirs, ours, strict=False)
    return [(text, a, b) for text, a, b in pairs if a.rstrip(" ") != b]


@pytest.mark.parametrize("kind", KINDS)
def test_random_texts_are_split_as_by_java(kind, coco_folder, tmp_path):
    rng = random.Random(f"{SEED} {kind}")
    count = min(SEGMENTS, 100_000) // len(KINDS)
    found = differing(coco_folder, [KINDS[kind](rng) for _ in range(count)], tmp_path)
    allowed = 0 if kind == "captions" else count // 10_000
    assert len(found) <= allowed, found[:10]


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("it&apos;s it\x92s", "it 's it 's"),
        ("don&apos;t", "do n't"),
        ("O&apos;Brien&apos;s &apos;em &apos;", "o&apos;brien 's &apos;em '"),
        ("\x91\x91a\x92\x92 \x93\x94", "`` a '' ``''"),
        (r"\*\*\*\*", r"\*\*\* \*"),
        ("cannot'dogs gonna'xo y'see y'all", "cannot ` dogs gon na ` xo y ` see y' all"),
        ("a-U.S.-cat the-B.C..; a-b-c/d a-b-c-d/e", "a-u.s.-cat the-b.c.. ; a-b-c/d a-b-c-d / e"),
        ("d'20 O'5 x-d'20 n‘T don‘t", "d'20 o ' 5 x-d'20 n`t do n`t"),
        ("Anti--x pro-. pro-a somethin' F#", "anti- - x pro- . pro-a somethin' f#"),
        ("nat'l’ Cap’n ev'ry O'O '10s '20s", "nat'l ' cap’n ev'ry o'o ' 10s '20s"),
        ("&lt;x@y.com&gt; &lt;b Ph.D.I'm", "&lt;x@y.com&gt; < b ph.d.i 'm"),
        ("<!a(b)> (555)123-45678 :(", "<!a(b)> -lrb-555-rrb-123-45678 :-lrb-"),
        ("a \xa0www.x.org", "a www.x.org"),
        ("a \xa0 \xa0x.com", "a x.com"),
        ("a\xa0www.x.org", "a\xa0www.x.org"),
        ("\xa0x.com", "\xa0x.com"),
        ("a\ud800b", "a b"),
        ("😀 \u200b", ""),
    ],
)
def test_rare_texts_are_split_as_java_printed_them(text, tokens):
    """Also beside a character that makes the string wider."""
    assert tokenize(text, "ptb-all") == [token for token in tokens.split(" ") if token]
    wide = [*tokens.split(" "), "\u4e2d"]
    assert tokenize(text + " \u4e2d", "ptb-all") == [token for token in wide if token]


def test_a_tag_ends_with_its_caption():
    """For Java the two lines have a tag with spaces, "<a\xa0href="x", and "y">"."""
    assert tokenize('a <a href="x', "ptb-all") == ["a", "<", "a", "href", "=", "``", "x"]
    file = 'a <a href="x\ny"> cat'
    assert _ptb.write(file, True, len(file)) == "a < a href = `` x\ny '' > cat"


@pytest.mark.wmt22
def test_english_is_split_as_by_java(coco_folder, tmp_path):
    """All English of WMT22; fewer than 1 in 10,000 lines may differ."""
    texts = [line for path in sorted(wmt22.WMT22.glob("*/*-en.*")) for line in lines_of(path)]
    found = differing(coco_folder, texts, tmp_path)
    assert len(found) * 10_000 < len(texts), found


def lines_of(path):
    return path.read_text(encoding="utf-8").split("\n")[:-1]


def test_words_before_a_space_and_before_a_comma_are_equal():
    """A word with a space after it is written without the automaton."""
    words = ["cat", "gonna", "cannot", "Cannoty", "can", "wanna", "LEMME", "Gimme", "got"]
    for word in (*words, "x" * 200):
        assert tokenize(f"{word} x", "ptb") == [*tokenize(f"{word},", "ptb"), "x"]


@pytest.mark.filterwarnings("ignore:.* as tokenized text does")
@pytest.mark.parametrize("kind", KINDS)
def test_counted_text_has_these_tokens(kind):
    """The ways from a text to tokens, to a line of them and to counts are equal."""
    rng = random.Random(f"{SEED} {kind}")
    texts = [KINDS[kind](rng) * rng.choice([1, 1, 1, 1, 5]) for _ in range(3000)]
    texts[:4] = ["(" * 2048, '"{' * 900 + "a", "a.a " * 600, "&apos;s \x1c a\x1fb"]
    for text in texts:
        line = _ptb.write(text)
        assert _ptb.split(text) == line.split(), text
        assert _ptb.split(text, True) == [t for t in _ptb.write(text, True).split(" ") if t], text
    tokens = [tokenize(text, "ptb") for text in texts]
    sides = [
        (some[::3], list(zip(some[1::3], some[2::3], strict=True))) for some in (texts, tokens)
    ]
    expected = count(*sides[1])
    for threads in (1, 2):
        assert count(*sides[0], tokenize="ptb", threads=threads) == expected
        metric = fastbleu.BLEU(tokenize="ptb", lowercase=True, threads=threads)
        assert metric.count(*sides[0]) == expected
    assert match_positions(metric._counter, *sides[0])[1] == expected


@pytest.mark.parametrize(
    "piece", ["a", "a.", "a,", "1-", "<a ", "&amp;", "x@", "(", "'", "é.", "😀", "http://"]
)
def test_time_is_linear(piece):
    """Also where a token could be as long as the text: quadratic time would be many minutes."""
    assert _ptb.write(piece * (1_000_000 // len(piece)) + " cat").endswith("cat")


@pytest.mark.long
def test_the_tables_are_those_of_the_rules():
    script = Path(__file__).resolve().parents[2] / "tools" / "generate_ptb_tables.py"
    subprocess.run([sys.executable, str(script), "--check"], check=True)


def test_nothing_is_written_from_beyond_where_it_stops():
    for text in ("a b c", "a  b c", "a.\tb c", "é b c"):
        for other in ("", "\xff", "\u4e2d", "\U0001f600"):
            assert _ptb.write(text + other, stop=text.index("b")) == text.split()[0]


def test_bytes_are_refused():
    raises(TypeError, "expected a str to tokenize, not", _ptb.write, b"a cat")


def test_it_is_lowercased_after_it_is_split():
    """Case decides where sentences end, and "ignore case" changes nothing."""
    hypotheses, references = ["Smith Inc. The cat."], [["smith inc. . the CAT"]]
    scores = [
        fastbleu.BLEU("coco", tokenize="ptb", lowercase=lowercase).score(hypotheses, references)
        for lowercase in (False, True)
    ]
    assert scores[0].cumulative == scores[1].cumulative
    assert round(scores[0].value, 6) == 1
    assert "|tok:ptb|" in scores[0].signature
