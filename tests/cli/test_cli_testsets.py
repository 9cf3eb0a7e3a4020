"""Test sets through the real sacreBLEU, from a cache folder that is filled beforehand."""

import pytest
from commands import EXAMPLES, A, B, error, output, run, run_sacrebleu, same
from test_formats import DATASET

LINES = {
    name: (EXAMPLES / f"{name}.txt").read_text(encoding="utf-8").splitlines()
    for name in ("reference.1", "reference.2", "system-b")
}
SGM = ["-t", "wmt14", "-l", "de-en"]
XML = ["-t", "wmt22", "-l", "de-en"]


def lines_of(texts):
    return "".join(f"{text}\n" for text in texts)


# As sacreBLEU reads it: it drops the text after a comment, and needs all domains.
XML_FILE = DATASET.replace("<!-- a comment -->", "").replace('id="d2"', 'id="d2" domain="news"')


@pytest.fixture(scope="module", autouse=True)
def cache(tmp_path_factory):
    folder = tmp_path_factory.mktemp("sacrebleu")
    languages = ["de" if document % 2 else "en" for document in range(4)]
    files = {
        # wmt14 as sacreBLEU keeps it; from the raw file only the languages are read again.
        "wmt14/raw/test/newstest2014-deen-src.de.sgm": "".join(
            f'<doc docid="d" origlang="{language}">\n' + '<seg id="1">\n' * 10
            for language in languages
        ),
        "wmt14/wmt14.de-en.src": lines_of(LINES["system-b"]),
        "wmt14/wmt14.de-en.ref": lines_of(LINES["reference.1"]),
        "wmt14/wmt14.de-en.docid": "d\n" * 40,
        "wmt14/wmt14.de-en.genre": "news\n" * 40,
        "wmt14/wmt14.de-en.origlang": "".join(f"{language}\n" * 10 for language in languages),
        "wmt22/raw/wmt22.v1.1.tar.gz": "not unpacked again",
        "wmt22/raw/wmt22-news-systems-1.1/xml/wmttest2022.de-en.all.xml": XML_FILE,
        # wmt18 with the text of only one language pair
        **{f"wmt18/wmt18.en-de.{field}": "x\n" for field in ("src", "docid", "genre", "origlang")},
        "wmt18/wmt18.en-de.ref": lines_of(LINES["reference.2"]),
    }
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SACREBLEU", str(folder))
        patch.setenv("PYTHONHASHSEED", "0")  # it decides sacreBLEU's order of XML's fields
        # Two commands that run at the same time must not find it half finished.
        run_sacrebleu("--download", "wmt22", "-l", "de-en")
        yield folder


@pytest.mark.parametrize(
    "words",
    [
        [*SGM, "-i", A],
        [*SGM, "-i", A, "-ol", "de", "-f", "text"],
        [*SGM, "-i", A, B, "--origlang", "non-de", "-f", "text"],
        [*SGM, "-i", A, B, "-pbs", "-pbsn", "20", "-lc", "-f", "latex"],
        ["-t", "wmt18", "-l", "en-de", "-i", A],
        ["--list"],
        ["--list", *SGM],
        ["--list", *XML],
        ["--echo", "src", *SGM],
        ["--echo", "ref", "docid", "origlang", *SGM],
        ["--echo", "all", *SGM, "-ol", "de"],
        ["--echo", "src", "ref:A", "S", *XML],
        ["--echo", "ref", *XML, "--subset", "news", "-ol", "de"],
        ["--download", "wmt22", "-l", "de-en"],
    ],
)
def test_the_same_as_sacrebleu(words):
    assert same(*words)[0] == 0


def test_standard_input_and_several_sets(tmp_path):
    one, two = A.read_bytes(), ["-t", "wmt14,wmt14", "-l", "de-en"]
    assert same(*SGM, stdin=one)[0] == 0
    assert same(*two, "-ol", "de", stdin=one * 2)[0] == 0
    assert same(*two, stdin=one)[0] == 1
    system = tmp_path / "S"
    system.write_text(output("--echo", "S", *XML))
    for options in (["-ol", "de"], ["--subset", "news", "-f", "text"]):
        assert same(*XML, "-i", system, *options)[0] == 0


def test_more_lines_than_the_test_set_has():
    lines = A.read_bytes() + b"one more\n"
    assert run_sacrebleu(*SGM, "-ol", "de", stdin=lines)[0] == 0
    assert "has 41 lines" in error(*SGM, "-ol", "de", stdin=lines, status=1)


def test_the_encoding_is_only_for_the_users_files(tmp_path):
    text = "".join(f"{line.replace('e', 'é', 1)}\n" for line in LINES["reference.2"])
    same_text, latin = tmp_path / "utf-8", tmp_path / "latin-1"
    same_text.write_text(text, encoding="utf-8")
    latin.write_bytes(text.encode("latin-1", "replace"))
    same_text.write_bytes(latin.read_bytes().decode("latin-1").encode())
    words = ["-t", "wmt18", "-l", "en-de", "-b", "-w", "9", "--force", "-i"]
    assert output(*words, latin, "-e", "latin-1") == output(*words, same_text)


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (["-t", "wmt41", "-l", "de-en", "-i", A], "'wmt41' is unknown to sacreBLEU: did you"),
        (["-t", "wmt14", "-l", "de-fi", "-i", A], "no language pair de-fi; it has cs-en"),
        ([*SGM, "-ol", "xx", "-i", A], "no segment of test set wmt14 matches --origlang xx"),
        ([*SGM, "--subset", "x", "-i", A], "sacreBLEU failed: Exception: No subset annotation"),
        ([*XML, "--subset", "(", "-i", A], "--subset is not a regular expression"),
        (["--list", "-t", "wmt41"], "'wmt41' is unknown"),
        (["--download", "wmt41"], "'wmt41' is unknown"),
        (["--echo", "src", "-t", "wmt14"], "--echo needs a test set (-t) and a language pair (-l)"),
        (["--citation", "-t", "wmt22"], "sacreBLEU does not say how to cite wmt22"),
    ],
)
def test_unavailable_test_sets(words, problem):
    assert problem in error(*words, "-q")


def test_citations_and_fields():
    assert output("--citation", "-t", "wmt14").startswith("@InProceedings{bojar")
    status, out, err = run("--echo", "hyp", *SGM)
    assert (status, out, "hyp" in err, "Traceback" in err) == (1, "", True, False)


def test_without_network(tmp_path):
    """If sacreBLEU cannot download, one line says so."""
    nowhere = {"SACREBLEU": str(tmp_path), "https_proxy": "http://127.0.0.1:9"}
    status, out, err = run(*SGM, "-i", A, env=nowhere)
    assert (status, out) == (1, "")
    assert err.splitlines()[-1].startswith("fastbleu: error: test set wmt14: sacreBLEU failed: ")
    assert "sacreBLEU: Downloading " in err


def test_without_sacrebleu(tmp_path):
    (tmp_path / "sacrebleu.py").write_text("raise ImportError('there is none')")
    message = error(*SGM, "-i", A, env={"PYTHONPATH": str(tmp_path)})
    assert message.endswith("pip install '.[testsets]' in a checkout of fastbleu")
