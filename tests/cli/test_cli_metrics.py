"""With several metrics the command prints what the command `sacrebleu` prints, too."""

import json

import pytest
from commands import R1, R2, THEIR_VERSION, VERSION, A, B, output, run_sacrebleu, same

METRICS = ["chrf", "ter", "chrf bleu", "ter bleu chrf"]
OPTIONS = [
    "",
    "-f text",
    "-f text -sh -w 3",
    "-b",
    "-b -f text",
    "-f text -cw 2 -cc 4 --chrf-beta 3 --chrf-lowercase -lc",
    "--chrf-whitespace --chrf-eps-smoothing -f text",
    "--ter-case-sensitive --ter-asian-support --ter-no-punct --ter-normalized -f text",
    "-ci -cin 30",
    "-ci -cin 30 -f text -w 5 -cw 2",
]


@pytest.mark.parametrize("options", OPTIONS)
@pytest.mark.parametrize("metrics", METRICS)
def test_one_system(metrics, options):
    for references in ([R1], [R1, R2]):
        arguments = *references, "-i", A, "-m", *metrics.split(), *options.split()
        if metrics != "ter bleu chrf":
            assert same(*arguments)[0] == 0
            continue
        # TER's version is shorter here than that of the others, to which its line is aligned.
        theirs = [line.strip() for line in run_sacrebleu(*arguments)[1].splitlines()]
        ours = output(*arguments).replace(VERSION, THEIR_VERSION).splitlines()
        assert [line.strip() for line in ours] == theirs


@pytest.mark.parametrize("form", ["text", "latex", "json"])
@pytest.mark.parametrize("options", ["", "-cw 2 -w 4", "-pbs -pbsn 40 -w 12", "-par -parn 60"])
@pytest.mark.parametrize("metrics", METRICS)
def test_several_systems(metrics, options, form):
    arguments = R1, R2, "-i", A, B, "-m", *metrics.split(), *options.split(), "-f", form
    if form == "json" and "-pbs" in options:
        # sacreBLEU cannot write its float32.
        assert run_sacrebleu(*arguments)[0] == 1
        text, width = run_sacrebleu(*arguments[:-1], "text")[1], 12 if "-w" in options else 1
        for system in json.loads(output(*arguments)):
            for name in {*system} - {"system"}:
                mean, half_width = (system[name][key] for key in ("mean", "ci"))
                assert f"({mean:.{width}f} ± {half_width:.{width}f})" in text
        return
    assert same(*arguments)[0] == 0


@pytest.mark.parametrize("options", ["", "-b", "-sh -w 4"])
@pytest.mark.parametrize("metric", ["chrf", "ter"])
def test_single_segments(metric, options):
    assert same(R1, R2, "-i", A, "-m", metric, "-sl", *options.split(), "-f", "text")[0] == 0


def test_threads_and_chunks(tmp_path):
    files = []
    for path in (R1, A):
        files.append(tmp_path / path.name)
        files[-1].write_bytes(path.read_bytes() * 1000)
    arguments = files[0], "-i", files[1], "-m", "chrf", "bleu", "-cw", "2", "-w", "9"
    assert output(*arguments) == output(*arguments, "--threads", "3")
    assert output(*arguments) == output(*arguments, "-ci", "-cin", "0")
