"""Input that is probably a mistake: warned of by `score`, by tables and by the command.

What a warning advises is taken literally, and is not refused.
"""

import json
import re
import warnings

import numpy
import pytest
import sacrebleu
import wmt22

from fastbleu import BLEU, InputWarning, dialects, recipes, report, tables
from fastbleu.cli.command import main
from fastbleu.significance import compare

HYPOTHESES = ["the cat sat on the mat", "it rained all night", "dogs bark at me", "a b"]
# Blank references of the first two segments stand for missing ones; the last has no other.
REFERENCES = [
    ["the cat sat on a mat here today", "", "  ", "the cat sat on mat"],
    ["", "it rained the whole night long", "", ""],
    ["a dog barked at me", "dogs bark", "dogs barked at me", "a dog barks"],
    ["", "", " ", ""],
]
DROPPED = [[text for text in some if text.strip()] or [""] for some in REFERENCES]
BLANK = 'blank references, .*length 0: 5 of .*missing="ragged"'
CHINESE = ["我今天早上喝了一杯很热的咖啡，然后去了公司。", "他说这本书非常有意思。"] * 6
JAPANESE = ["今朝は熱いコーヒーを一杯飲んでから会社に行きました。"] * 12


def messages(function, *arguments, **options):
    """The result, and the messages of all warnings."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = function(*arguments, **options)
    assert all(warning.category is InputWarning for warning in caught)
    return result, [str(warning.message) for warning in caught]


def lines_file(folder, name, lines):
    path = folder / name
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return str(path)


def command(capsys, *arguments):
    """What the command prints, and the messages of its warnings."""
    assert main([*arguments]) == 0
    out, err = capsys.readouterr()
    return out, [line.removeprefix("fastbleu: warning: ") for line in err.splitlines()]


# ---- blank references


def test_blank_references_count_as_in_sacrebleu_and_are_warned_of_once():
    score, (message,) = messages(BLEU().score, HYPOTHESES, REFERENCES)
    streams = list(zip(*REFERENCES, strict=True))
    assert score.value == sacrebleu.corpus_bleu(HYPOTHESES, streams).score
    assert re.search(BLANK, message)
    metric = BLEU()
    for part in (slice(1), slice(1, 4)):
        metric.update(HYPOTHESES[part], REFERENCES[part])
    total, found = messages(metric.compute)
    assert (total, found) == (score, [message])
    assert re.search(BLANK, messages(BLEU().sentence_scores, HYPOTHESES, REFERENCES)[1][0])
    assert messages(BLEU(threads=2).score, HYPOTHESES * 999, REFERENCES * 999)[1] == [
        message.replace(" 5 ", " 4,995 ")
    ]


def tokens_of(references):
    return [[text.split() for text in some] for some in references]


def ids_of(references):
    return [[[len(word) for word in text.split()] for text in some] for some in references]


def columns_of(references):
    pyarrow = pytest.importorskip("pyarrow")
    return [pyarrow.array([text or None for text in k]) for k in zip(*references, strict=True)]


@pytest.mark.parametrize(
    ("hypotheses_as", "references_as", "dropped_as", "options"),
    [
        (list, list, list, {}),
        (list, lambda some: [[t or None for t in each] for each in some], list, {}),
        (list, tuple, list, {"dialect": "multi-bleu"}),
        (lambda some: [t.split() for t in some], tokens_of, tokens_of, {"tokenize": None}),
        (lambda some: ids_of([some])[0], ids_of, ids_of, {"tokenize": None}),
        (lambda some: columns_of([[t] for t in some])[0], columns_of, None, {}),
        (list, lambda some: pytest.importorskip("pyarrow").array(some), list, {}),
    ],
)
def test_references_without_the_blank_ones(hypotheses_as, references_as, dropped_as, options):
    hypotheses, metric = hypotheses_as(HYPOTHESES), BLEU(**options)
    dropped = metric.score(
        hypotheses_as(HYPOTHESES) if dropped_as else HYPOTHESES, (dropped_as or list)(DROPPED)
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = metric.score(hypotheses, references_as(REFERENCES), missing="ragged")
    assert found == dropped
    assert "nrefs:var" in found.signature
    metric.update(hypotheses, references_as(REFERENCES), missing="ragged")
    assert metric.compute() == dropped


def test_real_references_without_the_blank_ones_are_those_of_sacrebleu():
    whole = wmt22.lines_of_systems("en-de")["en-de.Online-B"]
    hypotheses = [text[: len(text) // 3] for text in whole]  # nearer to 0 than to a reference
    first, second = wmt22.lines_of_references("en-de")
    blank = [text if n % 3 else "" for n, text in enumerate(second)]
    pairs = list(zip(first, blank, strict=True))
    score, (message,) = messages(BLEU().score, hypotheses, pairs)
    assert score.value == sacrebleu.corpus_bleu(hypotheses, [first, blank]).score
    assert f"length 0: {blank.count('') - second.count(''):,} of" in message
    ragged = sacrebleu.corpus_bleu(hypotheses, [first, [text or None for text in blank]]).score
    assert BLEU().score(hypotheses, pairs, missing="ragged").value == ragged != score.value


@pytest.mark.parametrize(
    ("tokenize", "hypothesis", "references"),
    [("13a", "a b", [1, ""]), (None, ["a"], [1, 2]), (None, ["a"], [["a"], numpy.array(3)])],
)
def test_what_is_no_reference_is_named_among_blank_ones(tokenize, hypothesis, references):
    with pytest.raises(TypeError, match=r"segment 0: references\[\d\]"):
        BLEU(tokenize).score([hypothesis], [references], missing="ragged")


def test_only_references_may_be_missing():
    for hypotheses in (["a", None], pytest.importorskip("pyarrow").array(["a", None])):
        with pytest.raises(TypeError, match="segment 1: the hypothesis is missing"):
            BLEU().score(hypotheses, [["a", "b"], ["c", ""]], missing="ragged")
    with pytest.raises(ValueError, match="segment 1: no references"):
        BLEU().score(["a", "b"], [["a"], []], missing="ragged")


@pytest.mark.parametrize("suffix", ["txt", "csv", "tsv"])
@pytest.mark.parametrize("options", [(), ("-tok", "char"), ("--dialect", "multi-bleu")])
def test_the_command_leaves_blank_references_out(tmp_path, capsys, suffix, options):
    if suffix == "txt":
        columns = list(zip(*REFERENCES, strict=True))
        files = [lines_file(tmp_path, f"{k}.txt", lines) for k, lines in enumerate(columns)]
        files += ["-i", lines_file(tmp_path, "mt.txt", HYPOTHESES)]
    else:
        pytest.importorskip("narwhals")
        separator = {"csv": ",", "tsv": "\t"}[suffix]
        rows = [
            ["mt", "r0", "r1", "r2", "r3"],
            *([h, *r] for h, r in zip(HYPOTHESES, REFERENCES, strict=True)),
        ]
        path = lines_file(tmp_path, f"t.{suffix}", [separator.join(row) for row in rows])
        files = [*(f"{path}::r{k}" for k in range(4)), "-i", f"{path}::mt"]
    named = {"-tok": "tokenize", "--dialect": "dialect"}
    metric = BLEU(**{named[name]: value for name, value in [options] if name} if options else {})
    out, notes = command(capsys, *files, *options, "--missing", "ragged", "-b", "-w", "9")
    assert notes == []
    assert out == f"{metric.score(HYPOTHESES, DROPPED).value:.9f}\n"
    described = command(capsys, *files, *options, "--missing", "ragged", "-f", "json")[0]
    assert "nrefs:var" in json.loads(described)["signature"]
    expected = f"{messages(metric.score, HYPOTHESES, REFERENCES)[0].value:.9f}\n"
    if suffix == "txt":
        out, (note,) = command(capsys, *files, *options, "-b", "-w", "9")
        assert out == expected
        assert re.search("length 0: 5 of .* leave them out by --missing ragged$", note)
    else:  # where an empty cell is an error
        assert command(capsys, *files, *options, "--missing", "empty", "-b", "-w", "9") == (
            expected,
            [],
        )
    listed = command(capsys, *files, "-sl", "-b", "--missing", "ragged", "-w", "9")
    each = BLEU().sentence_scores(HYPOTHESES, DROPPED)
    assert listed == ("".join(f"{score:.9f}\n" for score in each), [])


def test_blank_references_of_lists_in_files(tmp_path, capsys):
    rows = zip(HYPOTHESES, REFERENCES, strict=True)
    lines = [json.dumps({"mt": h, "refs": [*r, None]}) for h, r in rows]
    path = lines_file(tmp_path, "t.jsonl", lines)
    files = [f"{path}::refs", "-i", f"{path}::mt", "--missing", "ragged", "-b", "-w", "9"]
    expected = BLEU().score(HYPOTHESES, DROPPED).value
    assert command(capsys, *files) == (f"{expected:.9f}\n", [])

    one = [references[0] for references in REFERENCES]
    texts = [lines_file(tmp_path, name, lines) for name, lines in (("r", one), ("h", HYPOTHESES))]
    files = [texts[0], "-i", texts[1], "--missing", "ragged", "-b", "-w", "9"]
    expected = BLEU().score(HYPOTHESES, [[text] for text in one]).value
    assert command(capsys, *map(str, files)) == (f"{expected:.9f}\n", [])


def test_tables_leave_blank_references_out():
    table = {"mt": HYPOTHESES, "all": REFERENCES, "by": ["a", "a", "b", "b"]}
    table |= {str(k): list(texts) for k, texts in enumerate(zip(*REFERENCES, strict=True))}
    for references in ("all", list("0123")):
        scores = tables.score(table, "mt", references, by="by", missing="ragged")
        for group, rows in enumerate((slice(2), slice(2, 4))):
            expected = BLEU().score(HYPOTHESES[rows], DROPPED[rows])
            assert scores["bleu"][group] == expected.value
            assert scores["signature"][group] == expected.signature
        _, found = messages(tables.score, table, "mt", references)
        assert [bool(re.search(BLANK, message)) for message in found] == [True]
    missing = table | {"0": [None, *table["0"][1:]]}
    with pytest.raises(TypeError, match=r"row 0: column '0' .* missing=\"ragged\" to leave out"):
        tables.score(missing, "mt", list("0123"))
    tables.score(missing, "mt", list("0123"), missing="ragged")


# ---- sides that do not belong together


def sides(kind):
    """Real hypotheses and references, one of which is wrong, and what is said of it."""
    german = wmt22.one_reference("en-de.Online-B")
    if kind == "scripts":
        chinese = wmt22.one_reference("en-zh.Online-A")[1]
        return german[0], chinese[: len(german[0])], {"tokenize": "zh"}, "are LATIN, .* CJK"
    if kind == "equal":
        return german[1], german[1], {}, "all [0-9,]+ hypotheses are equal to references"
    missing = german[1][1:] if kind == "missing line" else ["one too many", *german[1]]
    return german[0], [*missing, ""][: len(german[0])], {}, "the segment before or after theirs"


@pytest.mark.parametrize("kind", ["scripts", "equal", "missing line", "one too many"])
def test_sides_that_do_not_belong_together(kind, tmp_path, capsys):
    hypotheses, references, options, words = sides(kind)
    for metric in (
        BLEU(**options),
        BLEU(**options, dialect="evaluate") if not options else None,
    ):
        if metric is not None:
            found = messages(metric.score, hypotheses, references)[1]
            assert [bool(re.search(words, message)) for message in found] == [True], found
    files = lines_file(tmp_path, "r", references), "-i", lines_file(tmp_path, "h", hypotheses)
    tokenizer = ("-tok", options["tokenize"]) if options else ()
    assert [bool(re.search(words, n)) for n in command(capsys, *files, *tokenizer)[1]] == [True]


@pytest.mark.parametrize("system", wmt22.SYSTEMS or ["en-de.Online-B"])
def test_nothing_is_wrong_with_real_systems(system, tmp_path, capsys):
    hypotheses, references = wmt22.one_reference(system)
    target = system.partition(".")[0].partition("-")[2]
    name = {"zh": "zh", "ja": "char"}.get(target, "13a")
    assert messages(BLEU(name).score, hypotheses, references)[1] == []
    files = lines_file(tmp_path, "r", references), "-i", lines_file(tmp_path, "h", hypotheses)
    assert command(capsys, *files, "-tok", name)[1] == []


def test_few_segments_may_be_equal_or_unrelated():
    texts = [f"{n} is the number of this text" for n in range(19)]
    assert messages(BLEU().score, texts, texts)[1] == []
    unrelated = [f"the cat sat on mat number {n}" for n in range(40)]
    others = [f"in all of these years {n} it has rained" for n in range(40)]
    assert messages(BLEU().score, unrelated, others)[1] == []


# ---- advice


DIALECTS = [*dialects.names(), *recipes.names()]
INPUTS = {
    "tokenized": ["the cat sat on the mat .", "it rained , all night ."] * 60,
    "blank": (HYPOTHESES, REFERENCES),
    "short": ["a b", "c"] * 4,
    "Chinese": CHINESE,
    "Japanese": JAPANESE,
}


def metric_or_skip(**options):
    try:
        return BLEU(**options)
    except (ImportError, FileNotFoundError) as error:
        pytest.skip(str(error))


def score_or_none(function, *arguments, **options):
    """The score, and warnings; None where an original has none of such texts."""
    try:
        return messages(function, *arguments, **options)
    except (ValueError, ImportError):
        return None, []


@pytest.mark.parametrize("kind", INPUTS)
@pytest.mark.parametrize("name", DIALECTS)
def test_advice_can_be_followed(name, kind):
    made = INPUTS[kind]
    hypotheses, references = made if isinstance(made, tuple) else (made, made)
    if kind == "tokenized":
        references = [text.replace("mat", "rug") for text in references]
    metric = metric_or_skip(dialect=name)
    score, found = score_or_none(metric.score, hypotheses, references)
    for message in found:
        for tokenizer in re.findall(r'BLEU\(tokenize="([\w-]+)"\)', message):
            try:
                other = BLEU(tokenize=tokenizer)
            except ImportError:  # of a library that is not installed, and how to install it
                continue
            assert not any(
                'ends in " ."' in further or "without spaces" in further
                for further in messages(other.score, hypotheses, references)[1]
            )
        for choice in re.findall(r'missing="([\w-]+)"', message):
            again, further = messages(metric.score, hypotheses, references, missing=choice)
            assert score is not None
            assert message not in further, again
        if "effective_order=True" in message:
            BLEU(dialect=name, effective_order=True).score(hypotheses, references)
    if kind == "tokenized":
        is_warned = any('end in " ."' in message for message in found)
        of_tokens = metric.tokenizer.name == "none" or metric.scorer.dialect.of_tokenized_text
        assert is_warned <= (not of_tokens)


TAKES_TOKENIZED = (
    *("multi-bleu", "codexglue-summary", "moses-mert", "moses-sentence-bleu", "multeval"),
    *("joshua-closest", "joshua-decoder", "phrasal", "phrasal-smooth", "marian-words"),
    *("codesum-codenn", "multiwoz-evaluate", "nltk", "fairseq", "tf-nmt"),
)


@pytest.mark.parametrize("name", TAKES_TOKENIZED)
def test_tokenized_text_is_no_mistake_where_the_original_takes_it(name, tmp_path, capsys):
    texts = INPUTS["tokenized"]
    references = [text.replace("mat", "rug") for text in texts]
    assert score_or_none(BLEU(dialect=name).score, texts, references)[1] == []
    files = lines_file(tmp_path, "r", references), "-i", lines_file(tmp_path, "h", texts)
    assert command(capsys, *files, "--dialect", name)[1] == []


@pytest.mark.parametrize("kind", INPUTS)
@pytest.mark.parametrize("name", ["sacrebleu", "evaluate", "mteval-v13a", "lm-eval", "nltk"])
def test_the_commands_advice_can_be_followed(name, kind, tmp_path, capsys):
    made = INPUTS[kind]
    hypotheses, references = made if isinstance(made, tuple) else (made, [[t] for t in made])
    columns = list(zip(*references, strict=True))
    files = [lines_file(tmp_path, str(k), lines) for k, lines in enumerate(columns)]
    files += ["-i", lines_file(tmp_path, "h", hypotheses), "--dialect", name]
    notes = command(capsys, *files)[1]
    for note in notes:
        assert not re.search(r'\w="|=True|BLEU\(', note)
        advised = re.findall(
            r"(--dialect sacrebleu )?-tok ([\w-]+)|--missing (\w+)|(--force)", note
        )
        for other, tokenizer, missing, force in advised:
            option = ["-tok", tokenizer] if tokenizer else ["--missing", missing]
            option = ["--force"] if force else [*other.split(), *option]
            if tokenizer != "ja-mecab":  # which says how to install it
                assert note not in command(capsys, *files, *option)[1]


def test_explanations_of_the_command_advise_its_options(tmp_path, capsys):
    texts = INPUTS["tokenized"]
    references = lines_file(tmp_path, "r", [text.replace("mat", "rug") for text in texts])
    files = references, "-i", lines_file(tmp_path, "h", texts)
    for options in ((), ("-f", "json")):
        out, notes = command(capsys, *files, "--explain", *options)
        assert "use --dialect sacrebleu -tok none" in out
        assert [note.partition(":")[0] for note in notes] == ['120 hypotheses end in " ."']
    assert command(capsys, *files, "--explain", "--force")[1] == []


def test_japanese_is_advised_what_sacrebleu_has(tmp_path, capsys):
    message = messages(BLEU().score, JAPANESE, JAPANESE)[1][0]
    assert message.endswith('use BLEU(tokenize="ja-mecab")')
    path = lines_file(tmp_path, "ja", JAPANESE)
    assert command(capsys, path, "-i", path)[1][0].endswith("use -tok ja-mecab")
    mixed = [CHINESE[0], "The cat sat on the mat."] * 3
    path = lines_file(tmp_path, "mixed", mixed)
    out, _ = command(capsys, path, "-i", path, "-tok", "auto", "-f", "text")
    assert "tok:auto+13a+zh" in out
    assert BLEU("auto").score(mixed, mixed).signature in out


@pytest.mark.parametrize(
    ("name", "value"), [("tokenize", "zh"), ("lowercase", True), ("dialect", "nltk")]
)
def test_options_of_the_metric_are_named_before_anything_is_scored(name, value):
    option = {name: value}
    words = re.escape(f"pass metric=fastbleu.BLEU({name}={value!r})")
    broken = {"a": [5], "b": [5]}  # which scoring would refuse
    for call in (
        lambda: compare(broken, ["x"], **option),
        lambda: report(broken, ["x"], **option),
        lambda: tables.score({"mt": [5], "ref": [5]}, "mt", "ref", **option),
    ):
        if (name, call.__code__.co_names[0]) != ("tokenize", "tables"):  # which has this
            with pytest.raises(TypeError, match=words):
                call()
    with pytest.raises(TypeError, match=r"report has no parameter 'colour'$"):
        report(broken, ["x"], colour=1)
