"""Ctrl-C, sent by another process, stops every long call within 0.2 s and changes nothing.

The measured time ends when the caller continues; it includes freeing memory, and excludes the time
that other processes took (watch.py). What was late is looked at again: a fault stays. The long form
also runs every call with a signal every 5 ms, and measures the longest processor time without a
handled signal, so that every phase of a call is covered. The command line ends with status 130 and
prints nothing.
"""

import os
import random
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest
from processes import end

from trust.children import SEED, environment
from trust.long_calls import CALLS, Child
from trust.watch import POLL, Watch

pytestmark = pytest.mark.skipif(os.name == "nt", reason="Windows sends no SIGINT to one process")

# The seconds within which a call that was interrupted has to end, and how often it is looked at.
LIMIT, LOOKS = 0.2, 3
REPETITIONS = 20
# For so long the long form looks at a call for the longest time without a look for signals.
GAP_SECONDS = 10.0
# The seconds after opening its files within which a run of the command is interrupted.
COMMAND_SPAN = 0.4


def check_latency(interrupt):
    """Whether it ends soon after an interruption, at one of some looks."""
    latencies = []
    while len(latencies) < LOOKS:
        latencies.append(interrupt())
        if latencies[-1] < LIMIT:
            return
    pytest.fail(f"it went on for {min(latencies):.3f} s")


@pytest.mark.parametrize("name", CALLS)
def test_calls_of_python(long, name):
    parts, chance = (REPETITIONS if long else 1), random.Random(f"{SEED} {name}")
    with Child(name) as child:
        for part in range(parts):  # of the span, to leave no phase out
            delay = CALLS[name].span * (part + chance.random()) / parts
            check_latency(lambda delay=delay: child.interrupted(delay))
        if long:
            gap = float(child.tell(f"gap {GAP_SECONDS}"))
            assert gap < LIMIT, f"it heard nothing for {gap:.3f} s"


LINE = " ".join(f"word{n % 700}" for n in range(30)) + "\n"
SEGMENTS = "".join(f"<seg id='{n}'>{LINE}</seg>" for n in range(50_000))
TEXTS = {
    "text": LINE * 600_000,
    "short": LINE * 5_000,
    "other": LINE.replace("9", "8") * 5_000,
    "line": LINE.replace("\n", " ") * 200_000,
    "table.jsonl": f'{{"mt": "{LINE.strip()}"}}\n' * 600_000,
    "markup.sgm": f"<tstset sysid='s'><doc docid='d'>{SEGMENTS}</doc></tstset>",
}
COMMANDS = [
    *("text -i text", "text -i text -sl", "text -i text --threads 2"),
    *("short -i short -ci -cin 1000000", "short -i short other -pbs -pbsn 1000000"),
    *("line -i line -lc", "text -i table.jsonl::mt", "markup.sgm -i markup.sgm"),
]


@pytest.fixture(scope="module")
def directory(tmp_path_factory):
    found = tmp_path_factory.mktemp("texts")
    for name, text in TEXTS.items():
        (found / name).write_text(text)
    yield found
    for name in TEXTS:
        (found / name).unlink()


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="needs /proc")
@pytest.mark.parametrize("arguments", COMMANDS)
def test_the_command_line(long, arguments, directory):
    chance = random.Random(f"{SEED} {arguments}")
    for _ in range(REPETITIONS if long else 1):
        delay = COMMAND_SPAN * chance.random()
        check_latency(lambda delay=delay: interrupted_command(arguments, directory, delay))


def interrupted_command(arguments, directory, delay):
    """How long a run took to end that was interrupted; it prints nothing."""
    process = subprocess.Popen(
        [sys.executable, "-m", "fastbleu", *arguments.split()],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env=environment(),
        cwd=directory,
        start_new_session=True,
    )
    try:
        stop = time.monotonic() + 60
        while not is_open(process.pid, directory):
            assert time.monotonic() < stop, "it opens no file"
            assert process.poll() is None, process.communicate()
            time.sleep(POLL)
        time.sleep(delay)
        assert process.poll() is None, "it was over before"
        watch = Watch(process.pid)
        while process.poll() is None and time.monotonic() < watch.sent + 60:
            watch.look()
            time.sleep(POLL)
        latency = watch.latency(time.monotonic())
        assert (process.poll(), process.communicate(timeout=60)[0]) == (130, b"")
        return latency
    finally:
        end(process)


def is_open(pid, directory):
    """Whether a process has opened a file of this directory, so that it is at work.

    The directory itself is opened by the imports, which look for modules in it.
    """
    for descriptor in Path(f"/proc/{pid}/fd").glob("*"):
        with suppress(OSError):
            if os.readlink(descriptor).startswith(f"{directory}/"):
                return True
    return False
