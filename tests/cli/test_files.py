"""fastbleu.cli.readers: what a line is, lock step, and the one-line errors."""

import gzip
import io
import json
import os
import re
import subprocess
import sys
import tarfile
import threading
import time
import zlib
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import pytest
from generators import raises, seeded
from packing import PACKERS, archive, zipped
from read_files import error_of, read, write

from fastbleu import BLEU
from fastbleu.cli.alignment import in_step
from fastbleu.cli.command import main
from fastbleu.cli.readers import ByteSource, ChainReader, InputError, LineReader, TextLines

pytestmark = pytest.mark.pythons


@contextmanager
def opened(*paths):
    with ExitStack() as stack:
        yield [LineReader(TextLines(ByteSource(str(path), stack))) for path in paths]


# The last ones end a line only in str.splitlines.
PIECES = ["a", "\n", "\r", "\r\n", " ", "\t", "\xa0", "\ufeff", "\0", *"\x0b\x0c\x1c\x1e\x85\u2028"]


def test_lines_end_where_sacrebleu_ends_them(tmp_path):
    rng = seeded("lines")
    for _ in range(200):
        path = write(tmp_path / "a.txt", "".join(rng.choices(PIECES, k=rng.randint(0, 9))))
        with open(path, encoding="utf-8", newline="\n") as stream:
            lines = [line.rstrip() for line in stream]
        for chunk in (1, 2, 4096):
            assert read(path, chunk=chunk) == [lines], path.read_bytes()


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-32", "cp1251", "shift_jis", "utf-7"])
def test_lines_longer_than_a_block_in_any_encoding(tmp_path, encoding):
    lines = ["з" * 70_000, "", "x", "ж" * 40_000 + "y"]
    path = write(tmp_path / "a.txt", "\n".join(lines).encode(encoding))
    for chunk in (1, 4096):
        assert read(path, chunk=chunk, encoding=encoding) == [lines]
    assert read(path, encoding=encoding, num_refs=None) == [lines]


def test_unequal_lengths(tmp_path):
    short = write(tmp_path / "short.txt", "a\nb\nc")
    long = write(tmp_path / "long.txt.gz", gzip.compress(b"a\nb\nc\nd\ne\n", mtime=0))
    for names in ((short, long), (long, short), (short, short, long), (long, short, long)):
        message = error_of(*names)
        assert message.startswith(f"{short} has 3 lines, {long} has 5 lines: ")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_longer_pipe_is_not_waited_for(tmp_path):
    short, pipe = write(tmp_path / "short.txt", "a\n" * 3), tmp_path / "pipe"
    os.mkfifo(pipe)
    descriptor = os.open(pipe, os.O_RDWR)
    os.write(descriptor, (b"a" * 999 + b"\n") * 8)  # enough to recognize a format
    end = threading.Timer(20, os.close, [descriptor])
    end.start()
    message = error_of(short, pipe, chunks=[4])
    assert message.startswith(f"{short} ends after line 3, {pipe} goes")
    end.cancel()
    os.close(descriptor)


def test_bad_bytes_of_other_encodings(tmp_path):
    path = write(tmp_path / "a.txt", "a\nб".encode("utf-16") + b"\0")
    message = error_of(path, encoding="utf-16")
    assert message.startswith(f"{path}: line 2 is not valid utf-16 ")
    assert message.endswith("--encoding applies to all files: convert those in other encodings")
    path.write_bytes(b"a\nbc\xff\n")
    assert "line 2 is not valid ascii (byte 3" in error_of(path, encoding="ascii")


def test_files_that_cannot_be_opened(tmp_path):
    good = write(tmp_path / "good.txt", "a\n")
    missing = tmp_path / "missing.txt"
    assert error_of(good, missing).startswith(f"{missing}: no such file or directory; check")
    assert error_of(tmp_path).startswith(f"{tmp_path}: ")
    assert "null" in error_of("a\0b.txt")
    if hasattr(os, "geteuid") and os.geteuid():
        good.chmod(0)
        assert error_of(good).startswith(f"{good}: permission denied")


LONG = "".join(f"line {i * i}\n" for i in range(20_000)).encode()
NOT_LATER = {"encoding": "latin-1", "chunks": [4096]}


def test_damaged_gzip(tmp_path):
    data = gzip.compress(LONG)
    middle, path = len(data) // 2, tmp_path / "a.gz"
    cut = error_of(write(path, data[:middle]), **NOT_LATER)
    line = re.match(f"{path}: after line (\\d+): .*ends too early", cut)
    assert line is not None
    assert 512 < int(line[1]) < 60_000
    write(path, data[:middle] + bytes(64) + data[middle + 64 :])
    assert "gzip -t" in error_of(path, **NOT_LATER)
    assert "crc" in error_of(write(path, data[:-8] + bytes(4) + data[-4:]), **NOT_LATER)


@pytest.mark.parametrize("named", [True, False], ids=["by its name", "by its first bytes"])
@pytest.mark.parametrize("suffix", PACKERS)
def test_packed_files_are_unpacked(tmp_path, suffix, named):
    data = PACKERS[suffix]("naïve\ncafé\n".encode("latin-1") * 9000)
    path = write(tmp_path / f"a{suffix.upper() if named else '.txt'}", data)
    with opened(path) as [reader]:
        assert reader.source.size == len(data)
    assert read(path, encoding="latin-1") == [["naïve", "café"] * 9000]
    assert "line 1 is not valid UTF-8 (byte 3 of the line is 0xef)" in error_of(path)


@pytest.mark.parametrize("suffix", PACKERS)
def test_damaged_packed_files(tmp_path, suffix):
    data = PACKERS[suffix](LONG)
    cut = error_of(write(tmp_path / f"cut{suffix}", data[: len(data) // 2]), **NOT_LATER)
    assert "the compressed data ends too early; test it" in cut or "data is damaged (" in cut
    none = error_of(write(tmp_path / f"none{suffix}", b"a\nb\n" * 999), **NOT_LATER)
    assert "the compressed data is damaged (" in none or "ends too early" in none


# A size that no file has, sizes that are no numbers, and a map that is not in the file.
PAX_HEADERS = [
    {"size": "9" * 30},
    {"GNU.sparse.map": "0,five", "GNU.sparse.size": "12"},
    {"GNU.sparse.map": "0,5", "GNU.sparse.size": "twelve"},
    {"GNU.sparse.major": "1", "GNU.sparse.minor": "0", "GNU.sparse.realsize": "12"},
]


@pytest.mark.parametrize("header", PAX_HEADERS, ids=" ".join)
def test_a_tar_file_with_damaged_pax_headers(tmp_path, header):
    path = tmp_path / "a.tar"
    with tarfile.open(path, "w", format=tarfile.PAX_FORMAT) as file:
        member = tarfile.TarInfo("a")
        member.size, member.pax_headers = len(LONG), header
        file.addfile(member, io.BytesIO(LONG))
    assert error_of(path).startswith(f"{path}: the archive is damaged (")


REFUSED = {
    "7-Zip": b"7z\xbc\xaf'\x1c\0\4",
    "RAR": b"Rar!\x1a\7\1\0",
    "lz4": b'\4"M\x18d@',
    "lzip": b"LZIP\1\x0c",
    ".Z": b"\x1f\x9d\x90a",
    "zlib": zlib.compress(b"a\n"),
    "Parquet": b"PAR1\x15\4",
    "Arrow": b"ARROW1\0\0",
    "Brotli": b"\x0b\2\x80a\nb\n\3",
}


@pytest.mark.parametrize("kind", REFUSED)
def test_other_archives_are_not_text_in_any_encoding(tmp_path, kind):
    path = write(tmp_path / ("a.br" if kind == "Brotli" else "a.txt"), REFUSED[kind])
    for encoding in ("utf-8", "latin-1", "cp437", "utf-16"):
        message = error_of(path, encoding=encoding)
        assert message.startswith(f"{path}: this is {kind}, not text: convert it, or use .gz, .tgz")


def test_texts_that_look_like_archives_are_read(tmp_path):
    for name, text in {"a.br": "demat\tdeoc'h", "a.txt": "PAR1 and BZh9 are genes, PK too"}.items():
        assert read(write(tmp_path / name, text)) == [[text]]


def test_archives_of_several_files_and_of_themselves(tmp_path):
    members = ("a.txt", b"a\n"), ("b.txt", b"b\n")
    for name, data in (("a.zip", zipped(*members)), ("a.tar", archive(*members))):
        message = error_of(write(tmp_path / name, data))
        assert message.endswith(f"{name}: the archive has 2 files, expected one: unpack it")
    packed = gzip.compress(b"a\n")
    assert read(write(tmp_path / "two.gz", packed + gzip.compress(b"b\n"))) == [["a", "b"]]
    assert read(write(tmp_path / "twice.gz", gzip.compress(packed))) == [["a"]]
    for _ in range(3):
        packed = gzip.compress(packed)
    assert "this is packed several times: unpack it" in error_of(write(tmp_path / "a.gz", packed))


def test_zstd_needs_a_library(tmp_path, monkeypatch):
    path = write(tmp_path / "a.zst", b"\x28\xb5\x2f\xfd\0")
    for name in ("compression", "compression.zstd", "pyarrow"):
        monkeypatch.setitem(sys.modules, name, None)
    assert re.search("unpacking needs pyarrow: pip install .*parquet", error_of(path))


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
@pytest.mark.parametrize(
    ("suffix", "first", "problem"),
    [
        (".gz", 9, None),
        (".gz", 1, "packed data comes in tiny pieces: save it as a file"),
        (".zip", 9, "an archive cannot be read from a pipe: save it as a file"),
        (".tar.gz", 9, "an archive cannot be read from a pipe: save it as a file"),
    ],
)
def test_packed_data_from_a_pipe(tmp_path, suffix, first, problem):
    pipe, data = tmp_path / "pipe", PACKERS[suffix](b"a\nb\n")
    os.mkfifo(pipe)

    def feed():
        with pipe.open("wb", buffering=0) as stream, suppress(BrokenPipeError):
            stream.write(data[:first])
            time.sleep(0.5)
            stream.write(data[first:])

    writer = threading.Thread(target=feed)
    writer.start()
    if problem is None:
        assert read(pipe) == [["a", "b"]]
    else:
        assert problem in error_of(pipe, encoding="latin-1", chunks=[9])
    writer.join()


@pytest.mark.skipif(not os.path.exists("/dev/zero"), reason="needs /dev/zero")
def test_endless_files_are_refused(tmp_path, monkeypatch):
    (tmp_path / "a.txt").symlink_to("/dev/zero")
    with open("/dev/zero") as zero, open(os.devnull) as nothing:
        for name in ("/dev/zero", tmp_path / "a.txt", "-"):
            monkeypatch.setattr(sys, "stdin", zero)
            assert error_of(name).endswith("a device, such as /dev/zero, may never end")
        monkeypatch.setattr(sys, "stdin", nothing)
        assert read("-") == read(os.devnull) == [[]]
    monkeypatch.setattr(sys, "stdin", None)
    assert error_of("-").startswith("standard input is closed: name a file")


def test_lines_with_different_numbers_of_fields(tmp_path):
    path = write(tmp_path / "a.tsv", "a\tb\n" * 700 + "c\t \n" + "d\te\tf\n")
    message = error_of(path, num_refs=2, status=17)
    assert message.startswith(f"{path}: line 701 has 1 field separated by tabs, --num-refs is 2")
    message = error_of(path, num_refs=None, status=17)
    assert message.startswith(f"{path}: line 701 has 1 field separated by tabs, line 1 has 2")
    wrong = write(tmp_path / "wrong.tsv", b"a\n\xff\tb\n")
    assert "line 2 is not valid UTF-8" in error_of(wrong, num_refs=None)
    empty = write(tmp_path / "empty.tsv", "")
    assert read(empty, num_refs=None) == [[]]
    assert read(empty, num_refs=3) == [[], [], []]


@pytest.mark.parametrize("chunk", [1, 3, 4096])
def test_files_one_after_the_other(tmp_path, chunk):
    paths = [write(tmp_path / str(n), f"{n}\n" * n) for n in (2, 0, 3)]
    whole = write(tmp_path / "whole", "2\n2\n3\n3\n3\n")
    with opened(*paths) as parts, opened(whole) as [reader]:
        chain = ChainReader(parts)
        assert all(ours == expected for ours, expected in in_step([chain, reader], chunk))
        assert reader.source.position == reader.source.size
    write(whole, "2\n2\n3\n3\n")
    with opened(*paths) as parts, opened(whole) as [reader]:
        files = in_step([ChainReader(parts), reader], chunk)
        raises(InputError, r"4 lines, .* \+ .* has 5 lines", list, files)


MT = ["the cat sat on the mat", "it rained all night | long", "nobody came back here"] * 4
REF = ["the cat sat on a mat", "it rained all night", "nobody came back"] * 4
SHUFFLED = [7, 11, 0, 5, 1, 10, 9, 2, 3, 8, 6, 4]
LOG = [
    f"S-{i}\tsource\nT-{i}\t{REF[i]}\nH-{i}\t-0.{i}1\t{MT[i]}\nD-{i}\t-0.{i}\t{MT[i]}\nP-{i}\t-0.5\n"
    for i in SHUFFLED
]
OUTPUTS = {
    "log": "2020-01-01 | INFO | fairseq_cli.generate | loading\n" + "".join(LOG),
    "grepped": "".join(f"H-{i}\t-1.5e-05\t{MT[i]}\n" for i in SHUFFLED),
    "n-best": "".join(
        f"{i} ||| {text} ||| LM0= -12.3 ||| -{k}\n"
        for i, best in enumerate(MT)
        for k, text in enumerate([best, "worse"])
    ),
    "segments": "".join(f'<seg id="{i}"> {text} </seg>\n' for i, text in enumerate(MT)),
}


@pytest.mark.skipif(os.name != "posix", reason="the advice is for a shell")
@pytest.mark.parametrize("name", OUTPUTS)
def test_toolkit_outputs_are_refused(name, tmp_path, capsys, monkeypatch):
    """The advice in the message leads to the score of the texts."""
    monkeypatch.chdir(tmp_path)
    Path("out").write_text(OUTPUTS[name])
    Path("ref").write_text("".join(f"{text}\n" for text in REF))
    for words in (["ref", "-i", "out"], ["out", "-i", "ref"], ["ref", "-i", "ref", "out"]):
        assert main(words) == 1
        message = capsys.readouterr().err
        assert message.startswith("fastbleu: error: out is ")
    advice = re.findall(r" with ((?:grep|awk|sed).*?)(?: \(or| and references|$)", message.strip())
    for words, target in zip(advice, ["mt", "ref"][: 1 + (name == "log")], strict=False):
        words = words.replace("FILE", "out")
        done = subprocess.run(words, shell=True, capture_output=True, check=True)
        Path(target).write_bytes(done.stdout)
    assert main(["ref", "-i", "mt", "-b", "-w", "17"]) == 0
    assert float(capsys.readouterr().out) == BLEU().score(MT, REF).value


def test_texts_that_resemble_toolkit_outputs_are_read(tmp_path):
    path = tmp_path / "a"
    lines = ["H-1 is a bomb", "0 ||| x", "<seg> is a tag", "<b>bold</b>", "T-\t1", "<doc> begins"]
    for line in [*lines, "H-0\t"]:
        path.write_text(f"{line}\nanother\n")
        assert read(path) == [[line.rstrip(), "another"]]


def test_captions_and_markup_with_another_suffix_must_be_renamed(tmp_path):
    path, captions = tmp_path / "a.txt", [{"image_id": 1, "caption": "a cat"}]
    for content in (captions, {"info": {}, "annotations": captions}):
        assert "is COCO captions: rename it" in error_of(write(path, json.dumps(content)))
    assert read(write(path, "[image_id]\n")) == [["[image_id]"]]
    for text in ('<?xml version="1.0"?>', '\ufeff<refset setid="x">', '\n<DOC docid="d">'):
        assert error_of(write(path, f"{text}\n")).startswith(f"{path} is XML or SGML: rename it")
