"""fastbleu.cli.formats and .markup: TSV, JSON Lines, XML, SGML, and what is wrong in them."""

import gzip
import json
import os
import re
import sys
import threading

import pytest
from read_files import error_of, read, text_of, write
from sacrebleu.dataset.fake_sgml import FakeSGMLDataset
from sacrebleu.dataset.wmt_xml import WMTXMLDataset

from fastbleu.cli import readers
from fastbleu.cli.readers import REFERENCE, SYSTEM

pytestmark = pytest.mark.pythons
ROLES = REFERENCE, SYSTEM

TABLE = 'src\tmt\tref\n1\t"a\tx\n2\t \tb" \r\n3\tc  d\te\n'
RECORDS = [
    {"mt": "a b", "refs": ["x", "y"], "out": {"de": "ü \u2028", "deep": {"er": "1"}}, "a.b": "dot"},
    {"out": {"deep": {"er": "2 "}, "de": "line\nbreak"}, "refs": ["", "z"], "mt": "", "a.b": "."},
]
OBJECTS = "\r\n".join(map(json.dumps, RECORDS))
# The name of a file, its content, a selector, and the texts that are read.
READ = [
    # Without a selector a file is plain text, whatever its name.
    *((name, "x\ty\n", "", ["x\ty"]) for name in ("a.tsv", "a.xml.txt", "a.tsv::2", "::")),
    ("b::c.tsv", "x\ty\n", "2", ["y"]),
    # Tab-separated values.
    *((name, TABLE, "mt", ['"a', "", "c  d"]) for name in ("a.tsv", "a.TSV", "a.tsv.gz")),
    # Line 1 is a segment for a column chosen by number, unless it looks like names.
    ("a.tsv", "Hello\tHallo\nthe end\tEnde\nyes\tja\n", "2", ["Hallo", "Ende", "ja"]),
    ("a.tsv", "0\tHi\n1\tHi there\n", "2", ["Hi", "Hi there"]),
    ("a.tsv", "a b\tc\nd e\tf\n", "2", ["c", "f"]),
    ("a.tsv", "a\ta\nb c\td e\n", "2", ["a", "d e"]),
    ("a.tsv", "ref\n", "1", ["ref"]),
    ("a.tsv", "\ufeff" + TABLE, "src", ["1", "2", "3"]),
    ("a.tsv", "", "1", []),
    ("a.tsv", "a", "a", []),
    # JSON Lines.
    *((name, OBJECTS, "mt", ["a b", ""]) for name in ("a.jsonl", "a.ndjson", "a.jsonl.gz")),
    ("a.jsonl", OBJECTS, "refs", [["x", "y"], ["", "z"]]),
    ("a.jsonl", OBJECTS, "refs.1", ["y", "z"]),
    ("a.jsonl", OBJECTS, "out.deep.er", ["1", "2"]),
    ("a.jsonl", OBJECTS, "a.b", ["dot", "."]),
    ("a.jsonl", '\ufeff{"a": "x"}\n', "a", ["x"]),
    ("a.jsonl", '{"a::b": "x", "b": "y"}\n', "a::b", ["x"]),
    ("a.jsonl", r'{"a": "x\ud800 \u0000 \ud83d\ude00"}', "a", ["x\ud800 \0 \U0001f600"]),
    # A list of objects.
    ("a.json", "\ufeff" + json.dumps(RECORDS, indent=1), "mt", ["a b", ""]),
    *((name, json.dumps(RECORDS), "refs.0", ["x", ""]) for name in ("a.jsonl", "a.json.gz")),
]


@pytest.mark.parametrize(("name", "content", "selector", "expected"), READ)
def test_texts_are_read(tmp_path, name, content, selector, expected):
    path = write(tmp_path / name, content, packed=name.endswith("gz"))
    assert text_of(f"{path}::{selector}" if selector else path) == expected


# The name of a file, its content, a selector, and the message after the name.
REFUSED = [
    ("a.txt", "x\n", "2", "::2: no such file; a ::SELECTOR can follow.*for others add --read-as"),
    ("a.tsv", TABLE, "hyp", ": no column is named 'hyp' in line 1; choose one of 'src', 'mt', "),
    ("a.tsv", TABLE, "0", ": line 1 has no column 0, only 3 columns: count from 1$"),
    ("a.tsv", TABLE, "-1", ".*no column is named '-1'"),
    (
        "a.tsv",
        "a\ta\n1\t2\n",
        "a",
        ": several columns are named 'a' in line 1; rename them",
    ),
    *(
        ("a.tsv", f"{TABLE}{row}\n", "mt", f": line 5: {columns}, but line 1")
        for row, columns in (("4\tf", "2 columns"), ("4\tf\tg\th", "4 columns"), ("", "1 column"))
    ),
    *(
        ("a.tsv", f"{line}\n1\tHi there\n2\tHi\n", "2", f".*choose ::{name}; if .* cut -f 2$")
        for line, name in (("id\tmt", "mt"), ("Segment id\tmachine output", "machine output"))
    ),
    ("a.tsv", TABLE, "3", ".*line 1 seems to hold the names of columns: choose ::ref; if it is a"),
    ("a.tsv", "mt,ref\na,b\n", "2", ".*no column 2, only 1 column: count from 1, or add --del"),
    ("a.tsv", "mt,ref\na,b,c\n", "mt", ".*does a text contain ',' or a line break"),
    *(
        ("a.jsonl", f'{{"a": "x"}}\n{line}\n', "a", f": line 2: .*{problem}")
        for line, problem in (
            ("", "from character 1 on this is not JSON, one object per line .*: Expecting value$"),
            ("[" * 200_000, "this is not JSON, one object per line"),
            ('["x"]', "expected an object, found a list of 1"),
            ('{"b": "x", "c": 1}', "no key 'a' in an object with the keys 'b', 'c'$"),
            ('{"a": NaN}', "column 'a' has no value"),
            ('{"a": 1.5}', "'a' is a number, but must be a string"),
            ('{"a": []}', "'a' is an empty list, but must be a string or a non-empty list"),
            ('{"a": [["x"], "y"]}', "'a' holds a list of 1, but must be a string or a non-empty"),
            ('{"a": ["x", null]}', "column 'a' has no value"),
            ('{"a": {"de": 1}}', "choose a part of it, such as ::a.de"),
        )
    ),
    ("a.jsonl", OBJECTS, "out.fr", ".*no key 'fr' in out, which is an object with .* 'de', 'deep'"),
    ("a.jsonl", OBJECTS, "refs.2", ".*no key '2' in refs, which is a list of 2"),
    ("a.jsonl", OBJECTS, "", ".*choose a text with ::KEY after the name; this is an object with"),
    ("a.json", json.dumps(RECORDS), "out.fr", ": object 1: no key 'fr'"),
    ("a.jsonl", json.dumps(RECORDS)[:-3], "mt", ".*not JSON, one object per line or a list of ob"),
    ("a.json", json.dumps(RECORDS, indent=1)[:-3], "mt", ": line 29: from character 2 on this is"),
]


@pytest.mark.parametrize(("name", "content", "selector", "problem"), REFUSED)
def test_tables_without_the_text_are_refused(tmp_path, name, content, selector, problem):
    path = write(tmp_path / name, content)
    assert re.match(re.escape(str(path)) + problem, error_of(f"{path}::{selector}"))


@pytest.mark.parametrize("number", [2, 513, 700])
def test_the_wrong_line_is_named(tmp_path, number):
    for name, good, bad, selectors in (
        ("a.tsv", "mt\tb", "x", ("mt", "1")),
        ("a.jsonl", '{"mt": "a"}', "{}", ("mt",)),
    ):
        lines = [good] * (number - 1) + [bad] + [good] * 900
        path = write(tmp_path / name, "\n".join(lines) + "\n")
        for selector in selectors:
            assert error_of(f"{path}::{selector}").startswith(f"{path}: line {number}: ")


def test_fields_and_selectors_of_several_files(tmp_path):
    table = write(tmp_path / "a.tsv", "x\ty\nc\td\n")
    assert read(table, num_refs=2) == [["x", "c"], ["y", "d"]]
    assert read(f"{table}::1", f"{table}::2", chunk=1) == [["x", "c"], ["y", "d"]]
    assert "--num-refs" in error_of(f"{table}::2", num_refs=2)
    assert error_of(f"{tmp_path}/b.tsv::2").startswith(f"{tmp_path}/b.tsv: no such file")
    plain, hint = write(tmp_path / "a.txt", "x\n"), "a.tsv is read as plain text unless ::COLUMN"
    assert hint in error_of(plain, table)
    assert "as plain text" not in error_of(plain, f"{table}::1")
    reason = f"; line 1 of {table} is a segment for a column chosen by number"
    assert reason in error_of(f"{table}::x", f"{table}::2")


def test_a_message_is_one_line_that_a_terminal_can_show(tmp_path):
    assert r"no\nfile\x1b[31m.txt" in error_of(f"{tmp_path}/no\nfile\x1b[31m.txt::x")
    text = '<refset refid="r"><doc docid="a\nb\x1b"><seg id="1">x'
    assert error_of(write(tmp_path / "a.sgm", text)).isprintable()


@pytest.mark.parametrize("mark", [",", ";", "|", ":"])
def test_the_delimiter_is_the_one_that_gives_line_1_the_column(tmp_path, mark):
    rows = ["mt", "ref"], [f'"a{mark} b"', "x\ty"], ["c", '"say ""d"""']
    path = write(tmp_path / "a.tsv", "".join(f"{mark.join(row)}\n" for row in rows))
    for options in ({}, {"delimiter": mark}, {"delimiter": mark, "quoted": True}):
        assert text_of(f"{path}::mt", **options) == [f"a{mark} b", "c"]
        assert text_of(f"{path}::ref", **options) == ["x\ty", 'say "d"']
    assert "choose ::ref;" in error_of(f"{path}::2", delimiter=mark)


def test_a_format_can_be_named(tmp_path):
    table = write(tmp_path / "a.txt", TABLE)
    assert text_of(f"{table}::mt", read_as="tsv") == ['"a', "", "c  d"]
    objects = write(tmp_path / "a.json", '{"mt": "x"}\n{"mt": "y"}\n')
    assert text_of(f"{objects}::mt", read_as="jsonl") == ["x", "y"]
    assert text_of(table, read_as="jsonl") == text_of(table)  # has no selector
    assert text_of(f"{write(tmp_path / 'a', DATASET)}::A", read_as="xml")[0] == "one & only"


def test_a_hypothesis_is_one_string(tmp_path):
    path = write(tmp_path / "a.jsonl", '{"a": ["x", "y"]}\n')
    message = error_of(f"{path}::a", role=SYSTEM)
    assert message.endswith("a list of 2, but must be a string; choose a part of it, such as ::a.0")
    assert text_of(f"{path}::a.1", role=SYSTEM) == ["y"]


# ---- XML ------------------------------------------------------------------------------------

DATASET = """\
<?xml version="1.0" encoding="utf-8"?>
<dataset id="test2022.de-en">
 <collection id="general">
  <doc id="d1" origlang="de" domain="news">
   <src><p><seg id="2">zwei</seg> <seg id="10">zehn</seg> <seg id="1">eins</seg></p></src>
   <ref translator="A"><p>
    <seg id="1">one &amp; only</seg>
    <seg id="2"> two
     times </seg> <seg id="10"></seg></p>
   </ref>
   <ref translator="B"><p><seg id="1">1</seg><seg id="2">2</seg><seg id="10"/></p></ref>
   <hyp system="S"><seg id="1">uno</seg><seg id="2">due</seg><seg id="10">dieci</seg></hyp>
   <hyp system="T 2"><seg id="1">t1</seg><seg id="2">t2</seg><seg id="10">t10</seg></hyp>
  </doc>
  <doc id="skipped" origlang="en" testsuite="x"><src><seg id="1">x</seg></src></doc>
  <doc id="no reference" origlang="en"><src><seg id="1">x</seg></src></doc>
 </collection>
 <doc id="d2" origlang="en">
  <src><seg id="1">a</seg></src>
  <ref translator="B"><seg id="1">2b</seg></ref>
  <ref translator="A"><seg id="1">&#252;<!-- a comment --> &lt;b&gt;</seg></ref>
  <hyp system="T 2"><seg id="1">2t</seg></hyp> <hyp system="S"><seg id="1">2s</seg></hyp>
 </doc>
</dataset>
"""


def test_wmt_xml_is_read_as_sacrebleu_reads_it(tmp_path):
    text = DATASET.replace("<!-- a comment -->", "")  # where sacreBLEU drops the rest of the text
    path = write(tmp_path / "a.xml", text)
    fields = WMTXMLDataset._unwrap_wmt21_or_later(str(path))
    selectors = {"src": "src", "ref:A": "ref:A", "ref:B": "B", "S": "hyp:S", "T 2": "T 2"}
    for field, selector in selectors.items():
        theirs = [WMTXMLDataset._clean(line) for line in fields[field]]
        assert text_of(f"{path}::{selector}") == theirs


NIST = """\
<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE mteval SYSTEM "ftp://example.org/mteval-xml-v1.3.dtd">
<mteval>
<refset setid="t" srclang="Arabic" trglang="English" refid="reference01">
<doc docid="d1" genre="nw"><p>
<seg id="1">first one.</seg><seg id="2">a &lt; b</seg>
</p></doc>
<doc docid="d2" genre="nw"><hl><seg id="1">title</seg></hl></doc>
</refset>
<refset setid="t" srclang="Arabic" trglang="English" refid="reference02">
<doc docid="d1" genre="nw"><p><seg id="1">1</seg><seg id="2">2</seg></p></doc>
<doc docid="d2" genre="nw"><hl><seg id="1">3</seg></hl></doc>
</refset>
<tstset setid="t" srclang="Arabic" trglang="English" sysid="system_1">
<doc docid="d1" genre="nw"><p><seg id="1">s1</seg><seg id="2">s2</seg></p></doc>
<doc docid="d2" genre="nw"><hl><seg id="1">s3</seg></hl></doc>
</tstset>
</mteval>
"""


def test_segments_that_do_not_belong_together(tmp_path):
    path = write(tmp_path / "a.xml", NIST)
    for text, lacking in [
        (NIST.replace('<seg id="2">s2</seg>', ""), "segment 2 of document d1, which is on line 6"),
        (NIST.replace("d1", "d3"), "segment 1 of document d1, which is on line 6"),
    ]:
        other = write(tmp_path / "b.xml", text)
        message = error_of(f"{path}::reference01", f"{other}::system_1")
        assert message == f"{other} has no {lacking} of {path}"
    more = write(tmp_path / "d.xml", NIST.replace("s2</seg>", 's2</seg><seg id="3">more</seg>'))
    message = error_of(f"{path}::reference01", f"{more}::system_1")
    assert message.startswith(f"{path} has no segment 3 of document d1, which is on line 1")
    plain = write(tmp_path / "p.txt", "1\n2\n")
    message = error_of(f"{path}::reference01", plain)
    assert message.startswith(f"{plain} has 2 lines, {path} has 3 segments: ")


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ('<seg id="10">zehn</seg>', "", "document d1 has a segment 10 of ref:A, but not of src"),
        ('"A"><seg id="1">&#252;', '"C"><seg id="1">&#252;', "document d2 has no ref:A"),
        ('<seg id="1">one &amp; only</seg>', "", "document d1 has no segment 1 of ref:A"),
        ('<seg id="1">one', '<seg id="2">one', "line 8: a second segment 2 of document d1"),
        ('<seg id="1">one', "<seg>one", "line 7: a <seg> without id in document d1"),
        ('translator="B"', 'translator="A"', "a second ref:A of document d1"),
        ('<doc id="d2"', "<doc", "a <doc> without docid or id"),
        ("one &amp; only", "one & only", "this is not well-formed XML"),
        ("</dataset>", "", "this is not well-formed XML"),
        ('<seg id="2">zwei</seg>', '<seg id="2">zw<seg id="3">x</seg></seg>', "has no </seg>"),
    ],
)
def test_damaged_xml(tmp_path, old, new, problem):
    assert old in DATASET
    path = write(tmp_path / "a.xml", DATASET.replace(old, new, 1))
    message = error_of(f"{path}::A")
    assert message.startswith(f"{path}: line ")
    assert problem in message


def test_segments_are_matched_by_id(tmp_path):
    """Documents and segments in another order, and 01 for 1."""
    path = write(tmp_path / "a.xml", NIST)
    system = NIST.partition("<tstset")[2]
    documents = re.findall(r"<doc .*?</doc>", system, re.DOTALL)
    first, second = re.findall(r"<seg.*?</seg>", documents[0])
    turned = documents[0].replace(first + second, second.replace('"2"', '"02"') + first)
    text = f'<tstset sysid="s">{documents[1]}{turned}</tstset>'
    other = write(tmp_path / "b.sgm", text)
    assert text_of(other, role=SYSTEM) == ["s3", "s2", "s1"]
    columns = read(f"{path}::reference01", f"{path}::reference02", other, chunk=1)
    assert columns == [["first one.", "a < b", "title"], ["1", "2", "3"], ["s1", "s2", "s3"]]
    assert read(other, f"{path}::reference02", chunk=2) == [["s3", "s2", "s1"], ["3", "2", "1"]]


BOMB = """\
<?xml version="1.0"?>
<!DOCTYPE lolz [
<!ENTITY lol "lol">
<!ENTITY lol2 "&lol;&lol;&lol;&lol;&lol;&lol;&lol;&lol;&lol;&lol;">
]>
<refset><doc docid="d"><seg id="1">&lol2;</seg></doc></refset>
"""
THIEF = BOMB.replace('"lol"', 'SYSTEM "file:///etc/passwd"')


def test_xml_needs_defusedxml(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "defusedxml", None)
    path = write(tmp_path / "a.xml", DATASET)
    assert error_of(f"{path}::A").endswith("pip install '.[xml]' in a checkout of fastbleu")


def test_markup_from_a_pipe(tmp_path):
    assert error_of(tmp_path / "none.xml").startswith(f"{tmp_path}/none.xml: no such file")
    if hasattr(os, "mkfifo"):
        pipe = tmp_path / "pipe.xml"
        os.mkfifo(pipe)
        writer = threading.Thread(target=pipe.write_text, args=(DATASET,))
        writer.start()
        assert read(f"{pipe}::A") == [["one & only", "two times", "ü <b>"]]
        writer.join()


@pytest.mark.parametrize(
    ("declared", "codec", "letters"),
    [
        ("iso-8859-1", "latin-1", "ö"),
        ("utf-16", "utf-16", "é"),
        # The parser itself cannot read these.
        ("Big5", "big5", "中文"),
        ("Shift_JIS", "shift_jis", "表ソ"),
        ("windows-1251", "cp1251", "да"),
        ("UTF-7", "utf-7", "é"),
    ],
)
def test_encodings_that_xml_declares(tmp_path, declared, codec, letters):
    text = DATASET.replace("utf-8", declared).replace("one", letters).replace("&#252;", "u")
    path = write(tmp_path / "a.xml", text.encode(codec))
    assert text_of(f"{path}::A") == [f"{letters} & only", "two times", "u <b>"]
    if codec == "big5":
        path = write(tmp_path / "b.xml", text.encode(codec).replace(b"uno", b"\xff"))
        message = error_of(f"{path}::A")
        assert "line 12 is not valid big5 (byte 32 of the line is 0xff)" in message
        assert message.endswith("declares this encoding: correct the declaration or the text")


@pytest.mark.parametrize("declared", ["UTF-9", "undefined", "rot13", "zip", "idna"])
def test_encodings_that_python_cannot_decode(tmp_path, declared):
    data = DATASET.replace("utf-8", declared).replace("one", "é").encode()
    message = error_of(f"{write(tmp_path / 'a.xml', data)}::A")
    assert "cannot decode" in message or "line 1 cannot be decoded" in message


# ---- SGML -----------------------------------------------------------------------------------

SGML = """\
<refset setid="newstest2014" srclang="any" trglang="de">
<doc sysid="ref" docid="1012" genre="news" origlang="de">
<p>
<seg id="1">Fish & chips, 1 < 2 &amp; &quot;x&quot; </seg>
<seg id="2">  two
lines</seg>
</p>
</doc>
<DOC docid=1013 sysid=ref genre='news'>
<hl>
<seg id=1>unquoted > here</seg>
</hl>
</DOC>
</refset>
"""


TRANSLATED = ["one & only", "two times", "ü <b>"]
SAME_NAME = DATASET.replace('"S"', '"A"')
SOME_TRANSLATORS = '<ref translator="B"><p>.*</ref>|<ref translator="A"><seg.*</ref>'
ONE_FOR_EACH = re.sub(SOME_TRANSLATORS, "", DATASET)
ONE_REFERENCE = """\
<dataset><doc id="d"><src><seg id="1">x</seg></src><ref><seg id="1">y</seg></ref>
<hyp system="s"><seg id="1">z</seg></hyp></doc></dataset>
"""
ALONE = '<doc id="d" sysid="s"><seg id="1">x</seg></doc>'
NEWS = ["Fish & chips, 1 < 2 &amp; &quot;x&quot;", "two lines", "unquoted > here"]
TWO_SYSTEMS = SGML + SGML.replace("sysid=ref", "sysid=other").replace('"ref"', '"other"')
# The name of a file, its content, what chooses a text for a role, and the texts that are read.
MARKUP = [
    *((name, DATASET, "::A", REFERENCE, TRANSLATED) for name in ("a.xml", "a.xml.gz", "A.XML")),
    ("a.xml", DATASET, "::B", REFERENCE, ["1", "2", "2b"]),
    ("a.xml", SAME_NAME, "::A", REFERENCE, TRANSLATED),
    ("a.xml", SAME_NAME, "::A", SYSTEM, ["uno", "due", "2s"]),
    ("a.xml", SAME_NAME, "::ref:A", SYSTEM, TRANSLATED),
    ("a.xml", SAME_NAME, "::hyp:A", REFERENCE, ["uno", "due", "2s"]),
    ("a.xml", ONE_FOR_EACH, "", REFERENCE, ["one & only", "two times", "2b"]),
    *(("a.xml", ONE_REFERENCE, chosen, REFERENCE, ["y"]) for chosen in ("", "::")),
    *(("a.xml", ONE_REFERENCE, chosen, SYSTEM, ["z"]) for chosen in ("", "::")),
    ("a.xml", NIST, "::reference01", REFERENCE, ["first one.", "a < b", "title"]),
    ("a.xml", NIST, "::reference02", REFERENCE, ["1", "2", "3"]),
    *((name, NIST, "", SYSTEM, ["s1", "s2", "s3"]) for name in ("a.xml", "a.sgm")),
    *(("a.sgm", ALONE, chosen, role, ["x"]) for chosen in ("", "::s") for role in ROLES),
    *(("a.sgml", f"\ufeff{SGML}", "", role, NEWS) for role in ROLES),
    *(("a.SGM.gz", SGML, chosen, REFERENCE, NEWS) for chosen in ("", "::ref")),
    ("a.sgm", TWO_SYSTEMS, "::other", REFERENCE, NEWS),
]


@pytest.mark.parametrize(("name", "content", "chosen", "role", "expected"), MARKUP)
def test_texts_of_markup(tmp_path, name, content, chosen, role, expected):
    path = write(tmp_path / name, content, packed=name.endswith("gz"))
    assert text_of(f"{path}{chosen}", role=role) == expected


# The name of a file, its content, what chooses a text, and a part of the message.
REFUSED_MARKUP = [
    ("a.xml", "<html><p>x</p></html>", "", "no <refset>, <tstset> or <dataset>"),
    ("a.sgm", '<seg id="1">x</seg>', "", "line 1: a <seg> outside the documents of a source"),
    (
        "a.xml",
        DATASET,
        "",
        "choose one of ::ref:A, ::ref:B, ::src, ::hyp:S, ::hyp:T 2",
    ),
    ("a.xml", DATASET, "::C", "nothing in it is named 'C'; choose one of ::ref:A"),
    ("a.xml", ONE_FOR_EACH, "::A", "document d2 has no ref:A, but ref:B"),
    ("a.sgm", TWO_SYSTEMS, "", "choose one of ::ref:ref, ::ref:other"),
    ("a.sgm", SGML * 2, "", "a second ref:ref of document 1012"),
    *(
        (name, content, "", "entities, which may be an attack")
        for name in ("a.xml", "a.sgm")
        for text in (BOMB, THIEF)
        for content in (text, text.partition("\n")[2])
    ),
]


@pytest.mark.parametrize(("name", "content", "chosen", "problem"), REFUSED_MARKUP)
def test_markup_without_the_text_is_refused(tmp_path, name, content, chosen, problem):
    assert problem in error_of(f"{write(tmp_path / name, content)}{chosen}")


def test_sgml_is_read_as_sacrebleu_reads_it(tmp_path):
    text = SGML.replace("  two\nlines", "  two   lines").replace("id=1>", 'id="1">')
    path = write(tmp_path / "a.sgm", text)
    dataset = FakeSGMLDataset("test", [], langpairs={})
    dataset._convert_format(str(path), str(tmp_path / "theirs"))
    assert text_of(path) == (tmp_path / "theirs").read_text().splitlines()


def test_long_sgml_cut_anywhere(tmp_path):
    segments = [f"text {'<' * (n % 3)} of &gt; segment\n{n}" for n in range(3000)]
    lines = [f'<seg\n id="{n}">{text}</seg>\n' for n, text in enumerate(segments)]
    document = f'<tstset>\n<doc docid="d" sysid="s">\n{"".join(lines)}</doc>\n</tstset>\n'
    path = write(tmp_path / "a.sgm", document)
    assert text_of(path, role=SYSTEM) == [" ".join(text.split()) for text in segments]
    cut = write(tmp_path / "b.sgm", document[: document.index('id="2999"')])
    assert "the file ends inside document d" in error_of(cut)
    open_ = write(tmp_path / "c.sgm", document.replace("2990</seg>", "2990"))
    assert "line 8976: segment 2990 of document d has no </seg>" in error_of(open_)


# In quadratic time these would take hours or minutes.
LONG_TAGS = {
    "a word": "x" * 10**6,
    "words": "x " * 10**5,
    "spaces": "x" + " " * 10**6,
    "names without values": "x =" * 10**5,
    "quotation marks": "x='\"" * 10**5,
    "open values": "x='y " * 10**5,
}


@pytest.mark.parametrize("kind", LONG_TAGS)
def test_a_long_sgml_tag_takes_linear_time(tmp_path, kind):
    text = f'<tstset {LONG_TAGS[kind]}><doc docid="d" sysid="s"><seg id="1">a</seg></doc></tstset>'
    assert read(write(tmp_path / "a.sgm", text), role=SYSTEM) == [["a"]]


def test_xml_is_recognized_by_its_declaration_in_pieces_of_any_size(tmp_path, monkeypatch):
    text = b'<?xml version="1.0"?><dataset id="x"><doc id="d"><hyp system="s"><seg id="1">a &amp; b'
    text += b"</seg></hyp></doc></dataset>"
    members = b"".join(gzip.compress(text[i : i + 1]) for i in range(len(text)))
    paths = [write(tmp_path / "a.sgm.gz", members), write(tmp_path / "b.sgm", text)]
    assert [text_of(path, role=SYSTEM) for path in paths] == [["a & b"]] * 2
    monkeypatch.setattr(readers, "_BLOCK_BYTES", 1)
    assert [text_of(path, role=SYSTEM) for path in paths] == [["a & b"]] * 2


def test_sgml_has_the_given_encoding(tmp_path):
    path = write(tmp_path / "a.sgm", SGML.replace("Fish", "Füsch").encode("latin-1"))
    assert "is not valid UTF-8" in error_of(path)
    assert text_of(path, encoding="latin-1")[0].startswith("Füsch")
