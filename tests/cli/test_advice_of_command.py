"""What the command's errors and warnings advise is typed, and works."""

import gzip
import json
import re
import shlex

import pytest
from advice import cases, untyped
from commands import run

pyarrow = pytest.importorskip("pyarrow")
parquet = pytest.importorskip("pyarrow.parquet")
pytest.importorskip("narwhals")

H = ["the cat sat here", "it rained all night, and « stopped »"]
R = ["the cat sat there", "it rained all the night, and « stopped »"]
SUBTITLES = "\n".join(f"{i}\n00:0{i}:00,000 --> 00:0{i}:01,000\n{{}}\n" for i in (1, 2))
SGM = '<refset refid="{}"><doc docid="d"><seg id="1">{}</seg><seg id="2">{}</seg></doc></refset>'
ROWS = [*zip(H, R, ["de", "fr"], ["7", "8"], strict=True)]
TABLE = [["mt", "ref", "lang", "id"], *ROWS]
FILES = {
    "ref": R,
    "mt": H,
    "t.tsv": ["\t".join(row) for row in TABLE],
    "bare.tsv": ["\t".join(row) for row in ROWS],
    "semicolon.tsv": [";".join(row) for row in TABLE],
    "quote.tsv": ["\t".join(row) for row in [*TABLE, ['"an', "an", "en", "9"]]],
    "t.csv": [",".join(f'"{cell}"' for cell in row) for row in TABLE],
    "t.jsonl": [json.dumps({"mt": h, "all": {"ref": r}, "n": 1}) for h, r, *_ in ROWS],
    "t.json": [json.dumps([{"mt": h, "ref": r} for h, r, *_ in ROWS])],
    "t.data": [json.dumps({"mt": h, "ref": r}) for h, r, *_ in ROWS],
    "holes.jsonl": [
        json.dumps({"mt": h, "ref": r}) for h, r in [(H[0], R[0]), (None, "a"), (H[1], R[1])]
    ],
    "filled-ref": [R[0], "a", R[1]],
    "filled-mt": [H[0], "", H[1]],
    "keyed-ref": [f"id-{i}\t{text}" for i, text in enumerate(R * 10)],
    "keyed-mt": [f"id-{i}\t{text}" for i, text in [*enumerate(H * 10)][::-1]],
    "ref.srt": [SUBTITLES.format(*R)],
    "mt.srt": [SUBTITLES.format(*H)],
    "ref.sgm": [SGM.format("a", *R)],
    "mt.sgm": [SGM.format("b", *H)],
    "many-ref": R * 10,
    "many-mt": H * 10,
    "short": ["cat", "dog"],
    "plain": ["the cat sat there"],
    "tokenized": ["it ended ."] * 200,
    "chinese": ["今天天气很好我们去公园散步吧", "我们去公园散步今天天气很好"] * 10,
    "two.sgm": ["<mteval>", SGM.format("a", *R), SGM.format("b", *H), "</mteval>"],
}
BYTES = {
    "latin-1": "\n".join(R).encode("latin-1"),
    "utf-16": "\n".join(R).encode("utf-16"),
    "utf-16-le": "\n".join(R).encode("utf-16-le"),
    "bom": b"\xef\xbb\xbf" + "\n".join(R).encode(),
    "mt.vtt": ("WEBVTT\n\n" + SUBTITLES.format(*H)).encode(),
    "packed.7z": b"7z\xbc\xaf\x27\x1c",
}

ADVICE = r"""
t.tsv -i mt
    (::)COLUMN follows its name
    t.tsv{0}ref -i mt
t.tsv:: -i mt
    choose a column with (::)NAME after the file name
    t.tsv{0}ref -i mt
t.parquet:: -i mt
    choose a column with (::)NAME after the file name
    t.parquet{0}ref -i mt
t.parquet::n -i mt
    choose a column of (texts)
    t.parquet::ref -i mt
t.tsv::2 -i mt
    choose (::ref);
    t.tsv{0} -i mt
t.csv::reff -i mt
    choose (ref), or a number if line 1 is a segment
    t.csv::{0} -i mt
bare.tsv::ref -i mt
    or a (number) if line 1 is a segment
    bare.tsv::2 -i mt
semicolon.tsv::2 -i mt
    or add (--delimiter) if no tab separates them
    semicolon.tsv::ref -i mt {0} ;
quote.tsv::ref -i quote.tsv::mt --quoted
    correct it, or add (--no-quoted)
    quote.tsv::ref -i quote.tsv::mt {0}
    quote.tsv::ref -i quote.tsv::mt
t.jsonl -i mt
    choose a text with (::)KEY after the name
    t.jsonl{0}mt -i mt
    mt -i mt
t.jsonl::all -i mt
    choose a part of it, such as (::.*)
    t.jsonl{0} -i mt
holes.jsonl::ref -i holes.jsonl::mt
    or (--missing empty) to take an empty text
    holes.jsonl::ref -i holes.jsonl::mt {0}
    filled-ref -i filled-mt
t.json -i mt
    for other JSON name a key, as in (.*::)KEY
    {0}ref -i mt
t.data::ref -i mt
    for others add (--read-as)
    t.data::ref -i mt {0} jsonl
two.sgm -i mt
    choose one of (::ref:a),
    two.sgm{0} -i mt
latin-1 -i latin-1
    name the (--encoding) of all files, such as (.*)
    latin-1 -i latin-1 {0} {1}
    ref -i ref
latin-1 -i mt
    iconv -f (LATIN1)
    latin-1 -i latin-1 --encoding {0}
    ref -i ref
latin-1 -i latin-1 --encoding ascii
    applies to all files: (convert those) in other encodings
    plain -i plain --encoding ascii
    plain -i plain
utf-16 -i utf-16
    use (--encoding utf-16) if all files are
    utf-16 -i utf-16 {0}
    ref -i ref
utf-16-le -i utf-16-le --encoding utf-16
    name the (--encoding) of all files, such as (.*)
    utf-16-le -i utf-16-le {0} {1}
    ref -i ref
bom -i mt
    (--encoding utf-8-sig) drops it
    bom -i mt {0}
keyed-ref -i keyed-mt
    (--keyed) matches lines by them
    keyed-ref -i keyed-mt {0}
    many-ref -i many-mt
t.tsv::ref -i keyed-mt --keyed
    as in (--keyed-by id)
    t.tsv::ref -i t.tsv::mt {0}
ref.srt -i mt.srt
    add (--keyed) to match
    ref.srt -i mt.srt {0}
ref.srt::text -i mt.srt
    without ::SELECTOR, add (--keyed)
    ref.srt -i mt.srt {0}
mt.vtt -i mt.srt
    convert them to SRT, and add (--keyed)
    ref.srt -i mt.srt {0}
packed.7z -i mt
    convert it, or use (.gz),
    ref{0} -i mt
. -i mt
    name a (file) in it
    ref -i mt
ref -i mt --by lang
    as in FILE.parquet(::ref -i )FILE.parquet(::mt --by lang);
    t.parquet{0}t.parquet{1}
    t.csv::ref -i t.csv::mt --by lang
ref -i mt --by docid
    as in REF.sgm( -i )HYP.sgm( --by docid)
    ref.sgm{0}mt.sgm{1} -f text
    ref.sgm -i mt.sgm --by docid -f text
ref -i mt --tokenizers de=zh
    add (--by)
    t.csv::ref -i t.csv::mt {0} lang --language lang --tokenizers de=zh,fr=zh
    t.csv::ref -i t.csv::mt --by lang -tok zh
t.csv::ref -i t.csv::mt --by lang --language lang --tokenizers zh
    as in zh(=)zh(,)ja
    t.csv::ref -i t.csv::mt --by lang --language lang --tokenizers de{0}zh{1}fr{0}zh
    t.csv::ref -i t.csv::mt --by lang -tok zh
ref -i mt --language en-de
    as in (-l en-de)
    ref -i mt {0}
ref -i mt -f csv
    needs (--by)
    t.csv::ref -i t.csv::mt {0} lang -f csv
    t.parquet::ref -i t.parquet::mt --by lang -f csv
ref -i mt -f tsv
    need (-sl)
    ref -i mt -f tsv {0}
    t.csv::ref -i t.csv::mt -f tsv -sl
ref -i mt -sl --sort score -f text
    need (-f tsv) or
    ref -i mt -sl --sort score {0}
    t.csv::ref -i t.csv::mt -f tsv -sl --sort score
ref -i mt ref -sl
    add (-f tsv)
    ref -i mt ref -sl {0}
    t.csv::ref -i mt ref -sl -f tsv
ref -i mt -m bleu chrf -sl
    name one after (-m)
    ref -i mt {0} bleu -sl
    ref -i mt -sl
ref -i mt --sources ref
    needs (--html) or
    ref -i mt --sources ref {0} page.html
    ref -i mt --html page.html
ref -i mt --html ref
    name another (file)
    ref -i mt --html page.html
    t.tsv::ref -i mt --html page.html
ref -i mt --paired-bs
    name all of them after (-i)
    many-ref {0} many-mt many-ref --paired-bs
    many-ref -i many-mt many-ref --paired-bs
-i mt ref
    mean: fastbleu (.*)
    {0}
-i mt
    give (their files) first
    ref -i mt
ref -i mt --origlang en
    name it with (-t)
    --list {0} wmt17 --origlang en
    --list -t wmt17
--citation
    name it with (-t)
    --citation {0} wmt17
    -t wmt17 --citation
ref -i mt -tok international
    add (--dialect .*)
    ref -i mt -tok international {0} -b
    ref -i mt --dialect mteval-v14 -tok international -b
ref ref -i mt --dialect tensor2tensor
    (name) the file of one to score with
    ref -i mt --dialect tensor2tensor
    t.tsv::ref -i mt --dialect tensor2tensor
ref -i mt -s tiny
    or name the (--dialect) that has it
    ref -i mt -s tiny {0} coco -b
    ref -i mt --dialect coco -b
ref -i mt -tok 13a -l en-zh
    use (zh) or
    ref -i mt -l en-zh -tok {0}
    ref -i mt -tok zh
short -i mt -s floor --smooth-value -1
    choose a value of at least (0)
    short -i mt -s floor --smooth-value {0} -b
    short -i mt -s none -b
tokenized -i tokenized
    or add (--force)
    tokenized -i tokenized {0}
    tokenized -i tokenized --force -w 1
chinese -i chinese --dialect mteval-v13a
    use (--dialect sacrebleu -tok zh)
    chinese -i chinese {0}
    chinese -i chinese -l en-zh
ref -i mt --sentence-levels
    did you mean (--.*)\?
    ref -i mt {0}
    ref -i mt -sl
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("files")
    for name, lines in FILES.items():
        (folder / name).write_text("".join(f"{line}\n" for line in lines), "utf-8")
    for name, content in BYTES.items():
        (folder / name).write_bytes(content)
    columns = {"mt": H, "ref": R, "lang": ["de", "fr"], "n": [1, 2]}
    parquet.write_table(pyarrow.table(columns), folder / "t.parquet")
    (folder / "ref.gz").write_bytes(gzip.compress((folder / "ref").read_bytes()))
    return folder


def typed(command, folder):
    """What a command prints, and what it says."""
    return run(*shlex.split(command), cwd=folder)[1:]


@pytest.mark.filterwarnings("always")
@pytest.mark.parametrize("case", cases(ADVICE), ids=lambda case: case[0])
def test_advice_is_typed(case, folder):
    command, pattern, then, *like = case
    said = typed(command, folder)[1]
    found = re.search(pattern, said)
    assert found, said
    out, err = typed(then.format(*found.groups()), folder)
    assert not re.search(f"fastbleu: error|{pattern}", err), err
    assert (out, err) == typed(*like or ["ref -i mt"], folder)


# What needs little memory, a pipe, or Python.
UNTYPED = (
    "score fewer segments",
    ": a pipe can be read only once",
    " does not support --confidence",
)


@pytest.mark.filterwarnings("always")
def test_all_advice_is_typed(folder):
    said = "".join(typed(command, folder)[1] for command, *_ in cases(ADVICE))
    assert untyped(said, ["cli", "files"], UNTYPED) == []
    assert not re.search(r'\w="|=True|BLEU\(', said)  # as of the library
