"""What errors about tables advise is typed, and works."""

import json

import pytest
from advice import cases, follow, heard, untyped
from hosts import host

import fastbleu

host("narwhals")
pyarrow, pandas, dataset = host("pyarrow"), host("pandas"), host("pyarrow.dataset")
tables, BLEU = fastbleu.tables, fastbleu.BLEU
H, R = ["the cat sat here", "it rained all night é"], ["the cat sat there", "it rained a lot"]
T = {"mt": H, "ref": R, "lang": ["de", "fr"]}
ROWS = [dict(zip(T, row, strict=True)) for row in zip(*T.values(), strict=True)]
CSV = "".join(
    f"{line}\n" for line in ["mt,ref,lang", *map(",".join, zip(*T.values(), strict=True))]
)
JSON = "".join(f"{json.dumps(row)}\n" for row in ROWS).encode()
FILES = {
    "latin-1.csv": CSV.encode("latin-1"),
    "utf-16.csv": CSV.encode("utf-16"),
    "marks.csv": b'mt,ref\nthe cat sat here,the cat sat there\n"it rained,it rained\n',
    "sheet.xlsx": b"",
    "mixed.jsonl": b'{"mt": "a", "ref": "b"}\n{"mt": 1, "ref": "b"}\n',
    "t.jsonl": JSON,
    "t.data": JSON,
    "folders/lang=de/t.csv": CSV.replace("lang", "language").encode(),
}
NULLS = {"mt": [*H, None], "ref": [*R, "c"]}
NESTED = pyarrow.table({**T, "info": [{"lang": "de"}, {"lang": "fr"}]})
OF_LANGUAGES = tables.sums(T, "mt", "ref", by="lang", language="lang", tokenizers={None: "zh"})
SUMS = tables.sums(T, "mt", "ref", by="lang")


def split(text):
    return text.split()


def score(table, hypotheses="mt", references="ref", **options):
    return pyarrow.table(tables.score(table, hypotheses, references, **options))["bleu"].to_pylist()


def score_sums(*parts, **options):
    sums = tables.add_sums(*parts, **options)
    return pyarrow.table(tables.score_sums(sums))["bleu"].to_pylist()


ADVICE = r"""
score(T, references=[])
    expected the (name) of at least one column
    score(T, references="ref")
tables.report(T, {"a": "mt"}, [])
    (name) the columns of the references
    tables.report(T, {{"a": "mt"}}, ["ref"]).markdown()
    tables.report(T, {{"a": "mt"}}, "ref").markdown()
score("latin-1.csv")
    ^latin-1.csv: row 1: .* as in (encoding=.*)
    score("latin-1.csv", {0})
score("utf-16.csv")
    ^utf-16.csv: line 1 .* as in (encoding=.*)
    score("utf-16.csv", {0})
score("marks.csv")
    or pass (quoted=False) if
    score("marks.csv", {0})
    score({{"mt": [H[0], '"it rained'], "ref": [R[0], "it rained"]}})
score("t.data")
    name the format, as in (format=.*)
    score("t.data", {0})
score("folders", by="lang")
    pass pyarrow.(dataset.dataset\()path(.*)
    score({0}"folders"{1}, by="lang")
score("sheet.xlsx")
    pass (pandas.read_excel)\('sheet.xlsx'
    {0}.__name__ and score(pandas.DataFrame(T))
score("mixed.jsonl")
    (write) it as one type in all lines
    score("t.jsonl")
BLEU().score(pandas.DataFrame(T), R)
    pass a column, as hypotheses(.*)
    [BLEU().score(pandas.DataFrame(T){0}, R).value]
score(NESTED, by="info")
    a field of a struct as in "translation(.)de"
    score(NESTED, by="info{0}lang")
    score(T, by="lang")
score([NESTED], metric="lm-eval")
    pass a table that is in (memory)
    score(NESTED, metric="lm-eval")
score(T, by=["lang", "lang"])
    (once)
    score(T, by=["lang"])
    score(T, by="lang")
score(T, language="lang", tokenizers={None: "zh"})
    pass (by=.*)
    score(T, language="lang", tokenizers={{None: "zh"}}, {0})
    score(T, by="lang", metric=BLEU(tokenize="zh"))
score(T, language="lang")
    as in (.*); for one tokenizer pass (metric=fastbleu.BLEU\(tokenize=)
    score(T, by="lang", {0}) == score(T, by="lang", {1}"13a")) and score(T)
score(T, by="lang", language="lang", tokenizers={"de": "zh"})
    add one for (None)
    score(T, by="lang", language="lang", tokenizers={{"de": "13a", {0}: "13a"}})
    score(T, by="lang")
score([pyarrow.table(T), pandas.DataFrame(T)])
    (one) library
    score([pandas.DataFrame(T), pandas.DataFrame(T)])
    score([pyarrow.table(T), pyarrow.table(T)])
score(ROWS)
    pass (pyarrow.*\()dicts
    score({0}ROWS))
score(NULLS)
    pass (missing="skip") to leave such rows out
    heard('score(NULLS, {0})', globals())
    "left out 1 row, because a value is missing; the first is row 2"
score(NULLS)
    or (missing="empty") to take an empty text
    score(NULLS, {0})
    score({{"mt": [*H, ""], "ref": [*R, "c"]}})
tables.score_sums(tables.sums(T, "mt", "ref", metric=BLEU(tokenize=split)))
    pass (metric=fastbleu.BLEU\(tokenize=)
    tables.score_sums(tables.sums(T, "mt", "ref", metric=BLEU(tokenize=split)), {0}split))["bleu"]
    score(T, metric=BLEU(tokenize=split))
tables.add_sums([])
    pass at least (one) table
    score_sums([tables.sums(T, "mt", "ref")])
tables.add_sums([SUMS, tables.sums(T, "mt", "ref")])
    pass tables with the (same) keys
    score_sums([SUMS, SUMS], by=[])
    score([T, T])
tables.add_sums([OF_LANGUAGES], by=[])
    (add) it to by
    score_sums([OF_LANGUAGES], by=["lang"])
    score(T, by="lang", metric=BLEU(tokenize="zh"))
"""


@pytest.fixture(autouse=True, scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("files")
    (folder / "folders/lang=de").mkdir(parents=True)
    for name, content in FILES.items():
        (folder / name).write_bytes(content)
    with pytest.MonkeyPatch.context() as patched:
        patched.chdir(folder)
        yield


@pytest.mark.parametrize("case", cases(ADVICE), ids=lambda case: case[0])
def test_advice_is_typed(case):
    follow(case, globals(), "score(T)")


def test_all_advice_is_typed():
    said = [heard(call, globals()) for call, *_ in cases(ADVICE)]
    assert untyped("".join(said), ["tables"]) == []
