"""The command prints what the command `sacrebleu` prints, byte for byte except for the version."""

import contextlib
import json
import os
import re

import pytest
from commands import (
    R1,
    R2,
    THEIR_VERSION,
    VERSION,
    A,
    B,
    output,
    run,
    run_forked,
    run_sacrebleu,
    same,
    start,
)
from report_samples import wmt22_systems

import fastbleu
from fastbleu import significance

ONE = [
    *("", "-f text", "-f latex", "--format json --width 4", "-f text -w 0", "-b -w 12 -f text"),
    *("-sh -f text", "--short --lowercase --tok intl", "-lc -f text", "-tok char -f text"),
    *("-tok none --force -q", "--tokenize zh", "-l en-zh -f text", "-l en-zh -tok 13a -w 101"),
    *("-l en-de-x -nc -j 4", "-s floor -sv 0.01", "-s floor -f text -sh", "-s add-k", "-s none"),
    *("-s add-k -sv 2.5 -f text", "--smooth-method exp --smooth-value 3 -w 1000 -b -m bleu"),
    *("-s floor -sv nan", "-s add-k -sv inf -f text", "-s floor -sv 1e400 -b"),
    *("-s exp -sv nan -f text", "--confidence", "-ci -cin 33 -f text -b", "-ci -f text -sh -lc"),
    *("-ci -cin 1", "-ci -cin 0 -f text"),
    # Sentences.
    *("-sl", "-sl -b", "-sl -sh -w 3", "-sl -f text", "-sl -f latex -sh", "-sl -s floor -b -w 6"),
    *("-sl -s add-k -sv 0.5", "-sl -s none"),
    # Abbreviated.
    *("--tok intl", "--lang en-zh", "--se -f text", "--langu en-zh"),
]
SEVERAL = [
    *("", "-f text", "-f latex -sh", "-f text -sh -w 3 -s floor", "-f text -w 0", "-f text -w 17"),
    *("-pbs", "-pbs -f latex -sh", "-par -parn 300 -f text", "-par -parn 300 -f text -sh -w 3"),
    *("-f text --paired-bs --no-color", "-par -parn 50 -s add-k -sv 0.7"),
]


CASES = [*(("B", options) for options in ONE), *(("A B", options) for options in SEVERAL)]


@pytest.mark.parametrize(("systems", "options"), CASES)
def test_the_output_is_that_of_sacrebleu(systems, options):
    files = [{"A": A, "B": B}[name] for name in systems.split()]
    assert same(R1, R2, "-i", *files, *options.split())[0] == 0


@pytest.mark.parametrize(
    ("options", "environment"),
    [
        ("-ci -s add-k -f text -w 3", {"SACREBLEU_SEED": "007"}),
        ("-f json", {"SACREBLEU_FORMAT": "TEXT"}),
        ("-f text", {"SACREBLEU_FORMAT": "prose"}),
        ("", {"SACREBLEU_FORMAT": "text", "NO_COLOR": "1"}),
    ],
)
def test_environment(options, environment):
    assert same(R1, "-i", A, *options.split(), env=environment)[0] == 0
    if "SACREBLEU_SEED" in environment:
        words = ["-pbs", "-pbsn", "50", "-s", "add-k"]
        assert same(R1, "-i", A, B, *words, env=environment)[0] == 0


def test_the_order_is_in_the_signature():
    """sacreBLEU's command does not have this option, nor its signature this field."""
    text = output(R1, "-i", A, "--max-ngram-order", "2", "-f", "text")
    assert text.startswith("BLEU|nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|order:2|version:")
    assert text.split(" = ")[1].split()[1] == "95.6/89.4"
    assert "|order:6|v:" in output(R1, "-i", A, "--max-ngram-order", "6", "-f", "text", "-sh")
    record = json.loads(output(R1, "-i", A, "--max-ngram-order", "2"))
    assert (record["order"], record["version"]) == ("2", VERSION)


@pytest.mark.parametrize("options", ["-pbs", "-par -parn 30"])
def test_paired_tests_of_one_segment(tmp_path, options):
    for name, text in (("r", "a b c d e f"), ("h", "a b c d x"), ("other", "a b c d e")):
        (tmp_path / name).write_text(f"{text}\n")
    files = tmp_path / "r", "-i", tmp_path / "h", tmp_path / "other"
    assert same(*files, *options.split())[0] == 0


def test_zero_samples_mean_the_default_number():
    text = output(R1, "-i", A, B, "-pbs", "-pbsn", "0", "-f", "text")
    assert "test with 1000 resampling trials" in text
    theirs = run_sacrebleu(R1, "-i", A, B, "-pbs", "-pbsn", "0", "-f", "text")[1]
    assert theirs.splitlines()[:6] == text.splitlines()[:6]
    assert "|bs:1000|" in theirs


def test_the_baseline_may_be_listed_twice():
    assert same(R1, "-i", A, B, A, "-par", "-parn", "20", "-f", "text")[0] == 0
    assert same(R1, "-i", A, A, "-par")[0] == 1
    assert same(R1, "-i", A, B, B, "-par")[0] == 1
    assert same(R1, "-i", A, A)[0] == 1


@pytest.mark.long
def test_names_are_printed_unchanged(tmp_path):
    systems = [tmp_path / name for name in ("1", "система_β.txt", "Baseline: x & y", "$%.txt")]
    for system in systems:
        system.write_bytes(B.read_bytes())
    for form in ("text", "latex", "json"):
        assert same(R1, "-i", *systems, "-f", form)[0] == 0
    assert same(R1, "-i", "1", "2", cwd=tmp_path)[0] == 1  # no file is called 2
    (tmp_path / "2").write_bytes(A.read_bytes())
    assert same(R1, "-i", "1", "2", "-f", "text", cwd=tmp_path)[0] == 0


@pytest.mark.long
def test_standard_input():
    one, other = A.read_bytes(), B.read_bytes()
    for options in ("", "-f text", "-sl -b", "-ci -cin 20 -b"):
        assert same(R1, R2, *options.split(), stdin=one)[0] == 0
    for text in (one.replace(b"\n", b"\r\n"), one.replace(b"\n", b"\r"), one[:-1]):
        assert same(R1, stdin=text)[0] == 0
    rows = zip(one.splitlines(), other.splitlines(), strict=True)
    table = b"".join(b"%b\t%b\n" % row for row in rows)
    for options in ("", "-f text", "-pbs -f text -pbsn 50", "-par -parn 20"):
        assert same(R1, *options.split(), stdin=table)[0] == 0
    assert same(R1, "-sl", stdin=table)[0] == 1
    assert same(R1, "-pbs", stdin=one)[0] == 1
    for line in (b"a\tb\n", b"\t\ta\n"):
        assert same(R1, stdin=b"".join(one.splitlines(True)[:39]) + line)[0] == 17
    assert same(R1, stdin=b"a\tb\n" + b"x\n" * 39)[0] == 17
    assert same(R1, stdin=b"a\t\t\n" + b"x\n" * 39)[0] == 0


def test_references_in_one_file(tmp_path):
    columns = [path.read_text().splitlines() for path in (R1, R2, A)]
    rows = ["\t".join(row) + "\n" for row in zip(*columns, strict=True)]
    table = tmp_path / "references.tsv"
    table.write_text("".join(rows))
    for count in ("1", "2", "3"):  # with 2 the last tab belongs to the second
        assert same(table, "-i", B, "--num-refs", count)[0] == 0
    assert same(table, "-i", B, "-nr", "4")[0] == 17
    assert same(table, table, "-i", B, "-nr", "3")[0] == 1
    table.write_text("".join([*rows[:-1], "only one\t \n"]))
    assert same(table, "-i", B, "-nr", "2")[0] == 17


@pytest.mark.parametrize(
    ("encoding", "letters"),
    [("utf-16", "é\u2028"), ("utf-8-sig", "\u2028"), ("latin-1", "é\x85"), ("shift_jis", "表示")],
)
def test_encodings(tmp_path, encoding, letters):
    text = f"{letters} a b c d\ne f g h {letters}\n"
    (tmp_path / "r").write_bytes(text.encode(encoding))
    (tmp_path / "h").write_bytes(text.replace(" d", "").encode(encoding))
    for options in ([], ["-sl"]):
        assert same(tmp_path / "r", "-i", tmp_path / "h", "-e", encoding, *options)[0] == 0
    if encoding != "utf-16":
        text_in = (tmp_path / "h").read_bytes()
        assert same(tmp_path / "r", "--encoding", encoding, stdin=text_in)[0] == 0


def test_dash_is_standard_input():
    expected = output("-i", A, "-f", "json", R1)  # options may stand anywhere
    assert output(R1, "-i", "-", stdin=A.read_bytes()) == expected
    assert output("-", "-i", A, stdin=R1.read_bytes()) == expected
    assert same(R1, "-pbs", stdin=A.read_bytes())[0] == 1
    with A.open("rb") as stream:
        assert start(R1, stdin=stream).communicate(timeout=60)[0].decode() == expected


REFUSED = {
    1: [
        *("-i A", "R R -i A -nr 2", "R -i A -sl -ci", "R -i A -pbs", "--citation"),
        *("R -i missing", "R -i A -t wmt14", "-i A -t wmt14", "-i A -t wmt1 -l en-de"),
        "--echo src",
    ],
    2: ["R -i A B -pbs -par", "R -i A -tok unknown", "R -i A --unknown"],
    # Lines of unequal fields come before other refusals.
    17: ["ragged -nr 2 -i A -pbs", "ragged -nr 2 -i A B -sl", "lines -sl"],
}


@pytest.mark.parametrize(
    ("status", "words"), [(status, words) for status in REFUSED for words in REFUSED[status]]
)
def test_refusals(tmp_path, status, words):
    ragged = b"a b\tc d\ne f\n"
    files = {"R": R1.read_bytes(), "A": A.read_bytes(), "B": B.read_bytes(), "ragged": ragged}
    for name, content in {**files, "lines": b"a\nb\n"}.items():
        (tmp_path / name).write_bytes(content)
    code, out, err = run(*words.split(), cwd=tmp_path, stdin=ragged)
    assert (code, out) == (status, "")
    assert run_sacrebleu(*words.split(), cwd=tmp_path, stdin=ragged)[:2] == (status, "")
    assert err.splitlines()[-1].startswith("fastbleu: error: ")
    assert ("field" in err) == (status == 17)


def on_a_terminal(command, *words, **environment):
    """What a command prints on a terminal: a few lines, which fit in the terminal's buffer."""
    main, terminal = os.openpty()
    status = run_forked(command, *words, terminal=os.ttyname(terminal), env=environment)[0]
    os.close(terminal)
    assert status == 0
    text = b""
    with contextlib.suppress(OSError):  # the end
        while data := os.read(main, 1 << 16):
            text += data
    os.close(main)
    return text.decode().replace(VERSION, THEIR_VERSION)


@pytest.mark.skipif(os.name != "posix", reason="needs a pseudo-terminal")
@pytest.mark.parametrize(
    ("options", "colored"),
    [
        (["-ci", "-cin", "20", "-f", "text"], True),
        (["-f", "json"], False),
        ([B, "-f", "json"], False),
        ([B, "-f", "text", "-nc"], False),
        ([B, "-f", "text", "-pbs", "-pbsn", "30"], True),
        ([B, "-f", "latex", "-pbs", "-pbsn", "30"], True),
        (["same", "-f", "latex", "-par", "-parn", "30"], True),
    ],
)
def test_colors_on_a_terminal(tmp_path, options, colored):
    same_text = tmp_path / "same.txt"
    same_text.write_bytes(A.read_bytes().replace(b"a", b"e", 1))
    words = [R1, "-i", A, *(same_text if word == "same" else word for word in options)]
    ours = on_a_terminal("fastbleu", *words)
    assert ours == on_a_terminal("sacrebleu", *words)
    assert ours.endswith("\033[0m") == ("-nc" not in words)
    assert ("\033[" in ours.removesuffix("\033[0m")) == colored
    assert "\033[" not in on_a_terminal("fastbleu", *words, NO_COLOR="1")
    assert "\033[" not in run(*words)[1]


def test_version_and_help():
    from fastbleu import __version__

    assert output("--version") == f"fastbleu {__version__}\n"
    text = output("--help")
    theirs = run_sacrebleu("--help")[1]
    options = set(re.findall(r"(?<=[\s,\[])--?[a-z][a-z-]*", theirs))
    assert len(options) > 60
    left_out = ("-d", "--detail")
    assert not [word for word in options if word not in text and not word.startswith(left_out)]


@pytest.mark.skipif(os.name != "posix", reason="needs a pseudo-terminal")
@pytest.mark.parametrize("dialect", ["sacrebleu", "nltk"])
@pytest.mark.parametrize(
    ("test", "options"),
    [
        ("-pbs", {"method": "bootstrap", "samples": 50}),
        ("-par", {"method": "approximate_randomization", "trials": 50, "samples": 0}),
    ],
)
def test_a_paired_test_prints_on_a_terminal_what_compare_prints(tmp_path, test, options, dialect):
    """In a pipe or with -f it is sacreBLEU's text."""
    same_text = tmp_path / "same.txt"
    same_text.write_bytes(A.read_bytes())
    files = [A, B, same_text]
    texts = {str(path): path.read_text("utf-8").splitlines() for path in files}
    references = R1.read_text("utf-8").splitlines()
    metric = fastbleu.BLEU(dialect)
    compared = significance.compare(texts, references, metric=metric, **options)
    arguments = [R1, "-i", *files, test, f"{test}n", 50, "--dialect", dialect]
    arguments += ["--width", 2 if dialect == "sacrebleu" else 4]
    for columns in (80, 50):
        text = on_a_terminal("fastbleu", *arguments, COLUMNS=str(columns))
        table, signature = text.replace("\r\n", "\n").rsplit("\n\n", 1)
        assert table == compared._text(columns)
        assert max(map(len, table.splitlines())) <= columns
        assert ("tok:13a" if dialect == "sacrebleu" else "nltk") in signature


TABLE = """\
system        BLEU  1-grams  2-grams  3-grams  4-grams     BP  hyp/ref
------------  ----  -------  -------  -------  -------  -----  -------
system-a.txt  85.6     95.6     89.4     83.0     75.8  1.000  341/340
system-b.txt  15.5     65.5     30.1      9.4      3.1  1.000  342/340

nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:2.6.0
"""


@pytest.mark.skipif(os.name != "posix", reason="needs a pseudo-terminal")
def test_a_terminal_shows_tables(monkeypatch):
    monkeypatch.chdir(A.parent)
    words = [R1.name, "-i", A.name, B.name]

    def shown(*more, **environment):
        text = on_a_terminal("fastbleu", *words, *more, COLUMNS="80", **environment)
        return text.replace("\r\n", "\n").removesuffix("\033[0m")

    assert shown() == TABLE
    [first, _, row, _, *_, nltk] = shown("--dialect", "nltk").splitlines()
    assert (first.split()[1], row.split()[:3]) == ("BLEU", ["system-a.txt", "0.8383", "94.4"])
    assert nltk == "nrefs:1|case:mixed|tok:none|dialect:nltk-3.10.4|order:4|smooth:none"
    both = shown("-m", "bleu", "chrf").splitlines()
    assert both[0].split() == ["system", "BLEU", "chrF2"]
    assert both[4].startswith("BLEU: nrefs:1") or both[5].startswith("BLEU: nrefs:1")
    verdict, _, table = shown("-pbs", "-pbsn", "99").partition("\n\n")
    assert verdict == "system-b.txt is worse than system-a.txt (significant: p < 0.0101)"
    assert table.count("system-b.txt") == 1
    assert "chrF2: nrefs" in shown("-pbs", "-pbsn", "99", "-m", "bleu", "chrf")
    # What was asked for, and scripts' output, is sacreBLEU's.
    for more in (["-f", "json"], ["-f", "text", "-nc"], ["-b"]):
        assert shown(*more) == run(*words, *more)[1].replace(VERSION, THEIR_VERSION)
    assert shown(SACREBLEU_FORMAT="json").startswith("[\n")
    words = [R1.name, "-i", A.name]
    head, _, row, *_ = shown("-ci", "-cin", "30").splitlines()
    assert head.startswith("system        BLEU  BLEU ± 95 %")
    assert re.match(r"system-a.txt  85.6 +\d\d.\d ± \d.\d", row)


@pytest.mark.wmt22
def test_a_mark_that_compare_does_not_give_is_named_on_standard_error(tmp_path):
    systems, references = wmt22_systems("en-de", 100)
    texts = {name: systems[name] for name in ("JDExploreAcademy", "Online-Y")}
    sides = dict(zip("rs", zip(*references, strict=True), strict=True))
    for name, lines in {**sides, **texts}.items():
        (tmp_path / name).write_text("\n".join(lines), "utf-8")
    status, out, err = run(*sides, "-i", *texts, "-pbs", "-f", "text", cwd=tmp_path)
    assert (status, "(p = 0.0330)*" in out) == (0, True)
    assert "Online-Y: not significant: p = 0.0330, but 0 inside the interval" in err
    compared = significance.compare(texts, references, method="bootstrap")["Online-Y"]
    assert (round(compared.p_value, 4), compared.is_significant) == (0.033, False)


@pytest.mark.parametrize("form", ["text", "json", "latex"])
@pytest.mark.parametrize("test", ["-pbs", "-par"])
def test_in_a_pipe_few_differing_segments_are_named_on_standard_error(tmp_path, test, form):
    lines, other = (path.read_text("utf-8").splitlines(keepends=True) for path in (A, B))
    few = tmp_path / "few"
    few.write_text("".join([*other[:4], *lines[4:]]), "utf-8")
    words = [R1, "-i", A, few, B, test, f"{test}n", "99", "-f", form]
    assert same(*words)[0] == 0
    err = run(*words)[2]
    assert err.count("warning: ") == 1
    assert "few: 4 segments differ: too few for a test\n" in err


@pytest.mark.skipif(os.name != "posix", reason="needs a pseudo-terminal")
def test_tables_fit_into_the_terminal_and_have_colors_there_only():
    arguments = [R1, "-i", A, "--explain", "nltk", "sacrebleu"]
    plain = output(*arguments).replace(VERSION, THEIR_VERSION)
    assert "\033" not in plain
    assert max(map(len, plain.splitlines())) > 80
    # Each row is one line.
    assert re.search(
        "^smoothing  .*no effect  85.6048  none of nltk  exp of sacrebleu$", plain, re.M
    )
    for how, width, colored in (([], 80, True), (["--no-color"], 200, False)):
        text = on_a_terminal("fastbleu", *arguments, *how, COLUMNS=str(width))
        text = text.replace("\r\n", "\n")
        assert ("\033[36mFrom a" in text) == colored
        text = re.sub(r"\033\[\d*m", "", text)
        assert max(map(len, text.splitlines())) <= width
        assert sorted(re.findall("[a-z0-9.]+", text)) == sorted(re.findall("[a-z0-9.]+", plain))
