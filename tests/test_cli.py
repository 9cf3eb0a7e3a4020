"""The command line as users run it: numbers as nltk's, output, errors, pipes."""

from __future__ import annotations

import gzip
import io
import json
import os
import re
import signal
import subprocess
import sys
import time
import warnings
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from nltk.translate import bleu_score

from fastbleu import cli

ROOT = Path(__file__).resolve().parent.parent
DATA = Path(os.environ.get("FASTBLEU_DATA", ROOT.parent / "shared" / "data"))
EXAMPLES = ROOT / "examples"
POSIX = os.name == "posix"

REFERENCES = [
    "the cat sat on the mat\na b c d e f\nпоезд опоздал на час\n\none two three four five\n",
    "there was a cat on the mat\na b c d\nпоезд опоздал\nx y\none two three\n",
]
SYSTEMS = [
    "the cat was on the mat\na b c d e\nпоезд опоздал на час\n\none three four five six\n",
    "The cat sat on THE mat\nf e d c b a\nкорабль опоздал\nx\none\n",
]
SMOOTHING = {
    "none": None,
    "floor": bleu_score.SmoothingFunction().method1,
    "add-k": bleu_score.SmoothingFunction().method2,
    "exp": bleu_score.SmoothingFunction().method3,
    "method4": bleu_score.SmoothingFunction().method4,
}


def start(*arguments: Path | str, **options: Any) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "fastbleu", *map(str, arguments)]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    return subprocess.Popen(command, **{**pipes, **options})


def run(*arguments: Path | str, stdin: bytes = b"", **options: Any) -> tuple[int, str, str]:
    """Exit status, standard output and standard error of ``fastbleu ARGUMENTS``."""
    process = start(*arguments, **options)
    out, err = process.communicate(stdin, timeout=300)
    return process.returncode, (out or b"").decode(), err.decode()


def output(*arguments: Path | str, **options: Any) -> str:
    status, out, err = run(*arguments, **options)
    assert (status, err) == (0, "")
    return out


def error(*arguments: Path | str, **options: Any) -> str:
    """The one line of a run that fails; nothing else is printed."""
    status, out, err = run(*arguments, **options)
    assert (status, out) == (2, "")
    assert err.startswith("fastbleu: error: ")
    assert err.count("\n") == 1
    assert err.endswith("\n")
    return err[len("fastbleu: error: ") : -1]


def usage_error(*arguments: Path | str, **options: Any) -> str:
    status, out, err = run(*arguments, **options)
    assert (status, out) == (2, "")
    usage, message = err.splitlines()
    assert usage == "usage: fastbleu REF [REF ...] -i HYP [HYP ...] [options]"
    return message


@pytest.fixture
def texts(tmp_path: Path) -> list[Path]:
    """Two references and two systems."""
    names = ["ref.1.txt", "ref.2.txt", "one.txt", "two.txt"]
    for name, text in zip(names, REFERENCES + SYSTEMS, strict=True):
        (tmp_path / name).write_bytes(text.encode())
    return [tmp_path / name for name in names]


def tokens(*parts: str, lowercase: bool = False) -> list[list[list[str]]]:
    texts = [part.lower() if lowercase else part for part in parts]
    return [[line.split() for line in text.split("\n")[:-1]] for text in texts]


def nltk_corpus(references: list[str], system: str, **rules: Any) -> float:
    lowercase = rules.pop("lowercase", False)
    *columns, hypotheses = tokens(*references, system, lowercase=lowercase)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return 100.0 * bleu_score.corpus_bleu(list(zip(*columns, strict=True)), hypotheses, **rules)


def nltk_sentences(references: list[str], system: str, **rules: Any) -> list[float]:
    *columns, hypotheses = tokens(*references, system)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return [
            100.0 * bleu_score.sentence_bleu(refs, hypothesis, **rules)
            for *refs, hypothesis in zip(*columns, hypotheses, strict=True)
        ]


# ---- numbers --------------------------------------------------------------------------------

RULES = [
    ([], {}),
    (["--max-order", "2"], {"weights": (0.5, 0.5)}),
    (["--max-order", "6"], {"weights": (1 / 6,) * 6}),
    (["--weights", "0.5,0.3,0.2"], {"weights": (0.5, 0.3, 0.2)}),
    (["--weights", "1/3,1/3,1/3,0"], {"weights": (1 / 3, 1 / 3, 1 / 3, 0)}),
    (["--weights", "0,1"], {"weights": (0, 1)}),
]


@pytest.mark.parametrize(
    ("smoothing", "arguments", "rules"),
    [
        *((smoothing, *RULES[0]) for smoothing in SMOOTHING),
        *(("none", *rules) for rules in RULES[1:]),
        *(("method4", *rules) for rules in RULES[2:4]),
    ],
)
def test_scores_equal_nltk(
    texts: list[Path], smoothing: str, arguments: list[str], rules: dict[str, Any]
) -> None:
    rules = {**rules, "smoothing_function": SMOOTHING[smoothing]}
    arguments = [*texts[:2], "-i", *texts[2:], "-f", "json", "-s", smoothing, *arguments]
    corpus = json.loads(output(*arguments))
    assert [record["score"] for record in corpus] == [
        nltk_corpus(REFERENCES, system, **rules) for system in SYSTEMS
    ]
    lines = [json.loads(line) for line in output(*arguments, "-sl").splitlines()]
    for path, system in zip(texts[2:], SYSTEMS, strict=True):
        scores = [line["score"] for line in lines if line["system"] == str(path)]
        assert scores == nltk_sentences(REFERENCES, system, **rules)


@pytest.mark.parametrize(
    ("name", "value", "method"),
    [
        ("floor", 0.01, bleu_score.SmoothingFunction(epsilon=0.01).method1),
        ("method4", 3.5, bleu_score.SmoothingFunction(k=3.5).method4),
    ],
)
def test_smoothing_value(texts: list[Path], name: str, value: float, method: Any) -> None:
    out = output(texts[0], "-i", texts[3], "-f", "json", "-s", name, "-sv", str(value))
    expected = nltk_corpus(REFERENCES[:1], SYSTEMS[1], smoothing_function=method)
    assert json.loads(out)["score"] == expected
    assert (
        expected != json.loads(output(texts[0], "-i", texts[3], "-f", "json", "-s", name))["score"]
    )


def test_lowercase(texts: list[Path]) -> None:
    record = json.loads(output(*texts[:2], "-i", texts[3], "-lc", "--max-order", "1", "-f", "json"))
    assert record["score"] == nltk_corpus(REFERENCES, SYSTEMS[1], lowercase=True, weights=(1,))
    assert "case:lc" in record["signature"]


def test_threads_change_nothing(texts: list[Path]) -> None:
    arguments = [*texts[:2], "-i", *texts[2:], "-f", "json"]
    assert output(*arguments, "--threads", "3") == output(*arguments)


def test_more_lines_than_a_chunk(tmp_path: Path) -> None:
    references = "".join(f"a b c {i % 7} {i}\n" for i in range(9_001))
    system = "".join(f"a b c {i % 5} {i}\n" for i in range(9_001))
    (tmp_path / "r").write_text(references)
    (tmp_path / "h.gz").write_bytes(gzip.compress(system.encode()))
    arguments = [tmp_path / "r", "-i", tmp_path / "h.gz"]
    record = json.loads(output(*arguments, "-f", "json"))
    assert record["segments"] == 9_001
    assert record["score"] == nltk_corpus([references], system)
    scores = output(*arguments, "-sl", "-w", "6").splitlines()
    assert scores == [f"{score:.6f}" for score in nltk_sentences([references], system)]


PAIRS = ["cs-en", "de-en", "en-de", "en-ja", "en-ru", "en-zh", "liv-en", "sah-ru", "uk-cs"]


@pytest.mark.parametrize("pair", PAIRS)
def test_real_data(pair: str) -> None:
    references = sorted((DATA / "wmt22" / "references").glob(f"{pair}.*.txt"))
    systems = sorted((DATA / "wmt22" / "systems").glob(f"{pair}.*.txt"))
    if not (references and systems):
        message = f"no real data for {pair} in {DATA} (FASTBLEU_DATA)"
        if os.environ.get("FASTBLEU_REQUIRE_DATA") == "1":
            pytest.fail(message)
        pytest.skip(message)
    records = json.loads(output(*references, "-i", *systems, "-f", "json"))
    texts = [path.read_bytes().decode() for path in references]
    first = systems[0].read_bytes().decode()
    assert [record["system"] for record in records] == [str(path) for path in systems]
    assert [record["segments"] for record in records] == [first.count("\n")] * len(systems)
    assert records[0]["score"] == nltk_corpus(texts, first)


# ---- output ---------------------------------------------------------------------------------


def test_one_system_as_text(texts: list[Path]) -> None:
    record = json.loads(output(*texts[:2], "-i", texts[2], "-f", "json"))
    precisions = "/".join(f"{precision:.1f}" for precision in record["precisions"])
    assert output(*texts[:2], "-i", texts[2]) == (
        f"BLEU|{record['signature']} = {record['score']:.2f} {precisions} "
        f"(BP = {record['bp']:.3f} ratio = {record['ratio']:.3f} "
        f"hyp_len = {record['hyp_len']} ref_len = {record['ref_len']})\n"
    )
    assert f" = {record['score']:.5f} " in output(*texts[:2], "-i", texts[2], "--width", "5")


def test_json_holds_everything(texts: list[Path]) -> None:
    record = json.loads(output(*texts[:2], "-i", texts[2], "-f", "json"))
    assert record["name"] == "BLEU"
    assert record["system"] == str(texts[2])
    assert record["signature"].startswith("nrefs:2|case:mixed|tok:none|")
    assert (record["segments"], record["hyp_len"], record["ref_len"]) == (5, 20, 19)
    assert (record["ratio"], record["bp"]) == (20 / 19, 1.0)
    segments = list(zip(*tokens(*REFERENCES, SYSTEMS[0]), strict=True))
    for order, matches, total in zip(
        (1, 2, 3, 4), record["matches"], record["totals"], strict=True
    ):
        parts = [bleu_score.modified_precision(refs, hyp, order) for *refs, hyp in segments]
        assert matches == sum(part.numerator for part in parts)
        assert total == sum(part.denominator for part in parts)  # at least 1 for each segment
    assert record["precisions"] == [
        pytest.approx(100 * matches / total)
        for matches, total in zip(record["matches"], record["totals"], strict=True)
    ]


def test_several_systems_as_table(texts: list[Path]) -> None:
    records = json.loads(output(*texts[:2], "-i", *texts[2:], "-f", "json"))
    header, *rows, signature = output(*texts[:2], "-i", *texts[2:]).splitlines()
    assert " ".join(header.split()) == "system BLEU precisions BP ratio hyp_len ref_len"
    assert signature == f"BLEU|{records[0]['signature']}"
    assert len({len(line) for line in (header, *rows)}) == 1
    for record, row in zip(records, rows, strict=True):
        name, score, precisions, bp, ratio, hyp_len, ref_len = row.split()
        assert name == record["system"]
        assert score == f"{record['score']:.2f}"
        assert precisions.count("/") == 3
        assert bp == f"{record['bp']:.3f}"
        assert ratio == f"{record['ratio']:.3f}"
        assert (int(hyp_len), int(ref_len)) == (record["hyp_len"], record["ref_len"])


def test_sentence_level(texts: list[Path]) -> None:
    expected = [nltk_sentences(REFERENCES[:1], system) for system in SYSTEMS]
    lines = output(texts[0], "-i", texts[2], "-sl").splitlines()
    assert lines == [f"{score:.2f}" for score in expected[0]]
    header, *rows = output(texts[0], "-i", *texts[2:], "-sl", "-w", "4").splitlines()
    assert header == f"{texts[2]}\t{texts[3]}"
    assert rows == [f"{a:.4f}\t{b:.4f}" for a, b in zip(*expected, strict=True)]
    records = [
        json.loads(line)
        for line in output(texts[0], "-i", texts[2], "-sl", "-f", "json").splitlines()
    ]
    assert [list(record) for record in records] == [["system", "line", "score"]] * 5
    assert [record["line"] for record in records] == [1, 2, 3, 4, 5]


def test_empty_segments_and_no_match_at_all(tmp_path: Path) -> None:
    (tmp_path / "r").write_bytes(b"\n\n")
    (tmp_path / "h").write_bytes(b"\n\n")
    (tmp_path / "x").write_bytes(b"x\ny\n")
    for hypothesis, reference in (("h", "r"), ("h", "x"), ("x", "r")):
        arguments = [tmp_path / reference, "-i", tmp_path / hypothesis]
        assert " = 0.00 0.0/0.0/0.0/0.0 (" in output(*arguments)
        assert output(*arguments, "-sl") == "0.00\n0.00\n"
        assert json.loads(output(*arguments, "-f", "json"))["score"] == 0


def test_a_missing_order_prints_as_zero_but_keeps_its_digits(tmp_path: Path) -> None:
    (tmp_path / "r").write_bytes(b"a b c d\n")
    (tmp_path / "h").write_bytes(b"a c b d\n")
    assert " = 0.00 " in output(tmp_path / "r", "-i", tmp_path / "h")
    score = json.loads(output(tmp_path / "r", "-i", tmp_path / "h", "-f", "json"))["score"]
    assert 0 < score < 1e-70
    assert score == nltk_corpus(["a b c d\n"], "a c b d\n")


def test_the_sample(tmp_path: Path) -> None:
    references = sorted(EXAMPLES.glob("reference.*.txt"))
    systems = sorted(EXAMPLES.glob("system-*.txt"))
    better, worse = json.loads(output(*references, "-i", *systems, "-f", "json"))
    assert better["segments"] == worse["segments"] == 40
    assert better["score"] > worse["score"] > 0


def test_version_and_help() -> None:
    assert re.fullmatch(r"fastbleu \d+\.\d+\S*\n", output("--version"))
    text = output("--help")
    for option in ("--smoothing", "--weights", "--max-order", "--sentence-level", "--lowercase"):
        assert option in text
    assert "  fastbleu reference.1.txt" in text


# ---- where text comes from ------------------------------------------------------------------


def test_gz_standard_input_and_line_ends_are_the_same_text(texts: list[Path]) -> None:
    reference, system = texts[0], texts[2]
    expected = output(reference, "-i", system)
    data = system.read_bytes()
    packed = system.with_name("packed.gz")
    packed.write_bytes(gzip.compress(data))
    windows = system.with_name("windows.txt")
    windows.write_bytes(b"\xef\xbb\xbf" + data.replace(b"\n", b"\r\n"))
    cut = system.with_name("cut.txt")
    cut.write_bytes(data.removesuffix(b"\n"))
    assert output(reference, "-i", packed) == expected
    assert output(reference, "-i", windows) == expected
    assert output(reference, "-i", cut) == expected
    assert output(reference, "-i", "-", stdin=data) == expected
    assert output(reference, stdin=data) == expected
    assert output("-", "-i", system, stdin=reference.read_bytes()) == expected
    with system.open("rb") as stream:
        out, _ = start(reference, stdin=stream).communicate(timeout=60)
    assert out.decode() == expected


def test_only_newlines_separate_segments(tmp_path: Path) -> None:
    (tmp_path / "r").write_text("a\u2028b c\x85d\x0be\x0cf\nx y z w\n", encoding="utf-8")
    record = json.loads(output(tmp_path / "r", "-i", tmp_path / "r", "-f", "json"))
    assert (record["segments"], record["hyp_len"], record["score"]) == (2, 10, 100.0)


def test_options_may_stand_anywhere(texts: list[Path]) -> None:
    expected = output(texts[0], "-i", texts[2], "-s", "exp", "-lc")
    assert output("-s", "exp", texts[0], "-lc", "-i", texts[2]) == expected
    assert output("-lc", "-i", texts[2], "-s", "exp", texts[0]) == expected


# ---- errors ---------------------------------------------------------------------------------


def test_missing_file_and_directory(texts: list[Path], tmp_path: Path) -> None:
    assert "missing.txt" in error(texts[0], "-i", texts[2], tmp_path / "missing.txt")
    assert str(tmp_path) in error(tmp_path, "-i", texts[2])


def test_unequal_lengths(texts: list[Path]) -> None:
    short = texts[2].with_name("short.txt")
    short.write_bytes(b"a\nb\n")
    message = f"{short} has 2 lines, {texts[0]} has 5 lines: "
    assert error(texts[0], "-i", short).startswith(message)
    assert error(texts[0], "-i", texts[2], short, "-sl").startswith(message)
    long = SYSTEMS[0].encode() * 2
    assert error(texts[0], stdin=long).startswith(f"{texts[0]} has 5 lines, standard input has 10")


@pytest.mark.parametrize("form", [[], ["-sl"], ["-f", "json"], ["-sl", "-f", "json"]])
def test_nothing_is_printed_before_all_is_read(tmp_path: Path, form: list[str]) -> None:
    (tmp_path / "r").write_bytes(b"a b c d\n" * 20_000)
    (tmp_path / "h").write_bytes(b"a b c d\n" * 19_998 + b"caf\xe9\n" + b"\n")
    message = error(tmp_path / "r", "-i", tmp_path / "h", *form)
    assert message.startswith(f"{tmp_path / 'h'}: line 19999 is not valid UTF-8")
    (tmp_path / "h.gz").write_bytes(gzip.compress(b"a b c d\n" * 20_000)[:-9])
    assert "h.gz: after line " in error(tmp_path / "r", "-i", tmp_path / "h.gz", *form)


def test_no_segments(tmp_path: Path) -> None:
    (tmp_path / "r").write_bytes(b"")
    message = error(tmp_path / "r", "-i", tmp_path / "r")
    assert message.startswith("no segment to score: ")


def test_standard_input_only_once(texts: list[Path]) -> None:
    assert "standard input (-) is asked for more than once" in error("-", "-i", "-")
    assert "no -i was given" in error("-")
    assert "no -i was given" in error(texts[0])


@pytest.mark.skipif(sys.platform != "linux", reason="needs file names of any bytes")
def test_names_that_are_no_text(texts: list[Path]) -> None:
    odd = texts[0].with_name("a\nb\udcff.txt")
    assert r"a\nb\udcff.txt" in error(odd, "-i", texts[2])
    odd.write_bytes(texts[2].read_bytes())
    cyrillic = texts[0].with_name("система.txt")
    cyrillic.write_bytes(texts[2].read_bytes())
    for encoding in ("utf-8", "ascii"):
        environment = {**os.environ, "PYTHONIOENCODING": encoding}
        arguments = [texts[0], "-i", odd, cyrillic]
        assert len(output(*arguments, env=environment).splitlines()) == 4
        assert len(output(*arguments, "-sl", env=environment).splitlines()) == 6
        records = json.loads(output(*arguments, "-f", "json", env=environment))
        assert [record["system"] for record in records] == [str(odd), str(cyrillic)]


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ([], "required: REF"),
        (["-i", "h"], "required: REF"),
        (["r", "-i"], "--input: expected at least one argument"),
        (["r", "-i", "h", "--weights", ""], "--weights"),
        (["r", "-i", "h", "--weights", "nan"], "--weights"),
        (["r", "-i", "h", "--weights", "inf,0"], "--weights"),
        (["r", "-i", "h", "--weights", "0.5,,0.5"], "--weights"),
        (["r", "-i", "h", "--weights", "1/0"], "--weights"),
        (["r", "-i", "h", "--weights", "1.5,-0.5"], "--weights"),
        (["r", "-i", "h", "--weights", "4"], "or use --max-order"),
        (["r", "-i", "h", "--weights", "0.5,0.5", "--max-order", "2"], "not allowed with"),
        (["r", "-i", "h", "--max-order", "0"], "no whole number from 1"),
        (["r", "-i", "h", "--max-order", "2.5"], "no whole number from 1"),
        (["r", "-i", "h", "--threads", "0"], "no whole number from 1"),
        (["r", "-i", "h", "--width", "-1"], "--width"),
        (["r", "-i", "h", "--smoothing", "kneser-ney"], "invalid choice"),
        (["r", "-i", "h", "-s", "floor", "-sv", "nan"], "-sv"),
        (["r", "-i", "h", "-s", "floor", "-sv", "0"], "-sv"),
        (["r", "-i", "h", "-s", "exp", "-sv", "1"], "takes no --smoothing-value"),
        (["r", "-i", "h", "-s", "add-k", "-sv", "1"], "takes no --smoothing-value"),
        (["r", "-i", "h", "--format", "xml"], "invalid choice"),
        (["r", "-i", "h", "--sentence"], "unrecognized arguments"),
    ],
)
def test_arguments_that_make_no_sense(arguments: list[str], problem: str) -> None:
    assert problem in usage_error(*arguments)


@pytest.mark.skipif(not POSIX, reason="needs a pseudo-terminal")
def test_hypotheses_are_not_awaited_from_a_terminal(texts: list[Path]) -> None:
    main, terminal = os.openpty()
    try:
        process = start(texts[0], stdin=terminal)
        out, err = process.communicate(timeout=60)
    finally:
        os.close(main)
        os.close(terminal)
    assert (process.returncode, out) == (2, b"")
    assert b"no hypotheses: name their files after -i" in err


# ---- pipes, signals, terminals --------------------------------------------------------------


@pytest.mark.skipif(not POSIX, reason="needs POSIX pipes")
def test_a_closed_pipe_is_quiet(tmp_path: Path) -> None:
    (tmp_path / "r").write_bytes(b"a b c d\n" * 50_000)
    process = start(tmp_path / "r", "-i", tmp_path / "r", "-sl")
    assert process.stdout is not None
    assert process.stderr is not None
    assert process.stdout.readline() == b"100.00\n"
    process.stdout.close()
    assert process.stderr.read() == b""
    process.stderr.close()
    assert process.stdin is not None
    process.stdin.close()
    assert process.wait(60) == 141


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_disk_is_an_error(texts: list[Path]) -> None:
    with open("/dev/full", "wb") as full:
        status, _, err = run(texts[0], "-i", texts[2], stdout=full)
    assert status == 2
    assert err == "fastbleu: error: cannot write the result: No space left on device\n"


@pytest.mark.skipif(not POSIX, reason="needs POSIX signals")
@pytest.mark.parametrize("form", [[], ["-sl"]])
def test_interrupt(texts: list[Path], form: list[str]) -> None:
    pipe = texts[0].with_name("pipe")
    os.mkfifo(pipe)
    process = start(texts[0], "-i", pipe, *form)
    with pipe.open("wb") as stream:  # opens when the other side does, so that it is at work now
        stream.write(b"a\n")
        stream.flush()
        for _ in range(10):  # a signal just before read() blocks is noticed with the next one
            time.sleep(0.3)
            process.send_signal(signal.SIGINT)
            with suppress(subprocess.TimeoutExpired):
                process.wait(3)
                break
        else:
            process.kill()
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out, err) == (130, b"", b"")


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize("packed", [False, True])
def test_progress_bar_on_a_terminal(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    packed: bool,
) -> None:
    data = b"a b c d\n" * 9_000
    path = tmp_path / ("r.gz" if packed else "r")
    path.write_bytes(gzip.compress(data) if packed else data)
    arguments = [str(path), "-i", str(path)]

    def shown(*options: str) -> str:
        terminal = Terminal()
        monkeypatch.setattr(sys, "stderr", terminal)
        assert cli.main([*arguments, *options]) == 0
        assert " = 100.00 " in capsys.readouterr().out
        return terminal.getvalue()

    assert shown() == ""  # short work shows none
    monkeypatch.setattr(cli, "_PROGRESS_DELAY", 0)
    assert "%" in shown()
    assert shown("--quiet") == ""


def test_a_pipe_loads_no_progress_bar(texts: list[Path]) -> None:
    code = "import sys; from fastbleu.cli import main; main(sys.argv[1:]); "
    code += "print('tqdm' in sys.modules)"
    arguments = [str(texts[0]), "-i", str(texts[2])]
    out = subprocess.run(
        [sys.executable, "-c", code, *arguments], capture_output=True, check=True, text=True
    ).stdout
    assert out.endswith("\nFalse\n")


@pytest.mark.skipif(not hasattr(os, "wait4"), reason="needs the memory use of a process")
@pytest.mark.parametrize("form", [[], ["-sl"]])
def test_memory_does_not_grow_with_the_file(tmp_path: Path, form: list[str]) -> None:
    def peak(lines: int) -> int:
        (tmp_path / "r").write_bytes(b"the cat sat on the mat\n" * lines)
        (tmp_path / "h").write_bytes(b"the cat sat on a mat\n" * lines)
        with open(os.devnull, "wb") as nowhere:
            process = start(tmp_path / "r", "-i", tmp_path / "h", *form, stdout=nowhere)
            _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        process.communicate()
        assert process.returncode == 0
        return int(usage.ru_maxrss) * (1 if sys.platform == "darwin" else 1024)

    assert peak(400_000) - peak(20_000) < 16 << 20
