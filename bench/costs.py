"""What a long input costs in time and memory, and what it costs to start."""

import os
import statistics
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import text
import tokens
import workloads
from cases import ENOUGH, FEW, Case, Part, Side

ONE_PART = 20_000
# Four tokens that match: a warning would load Python's own modules for showing source lines.
ONE_SENTENCE = "import fastbleu; fastbleu.sentence_bleu([list('abcd')], list('abcd'))"
ONE_TEXT = "from fastbleu.sacrebleu import sentence_bleu; sentence_bleu('a, b c', ['a, b c'])"


def of_few(score: Side, is_text: bool, hypotheses, references):
    """Score the first of the segments, which are repeated: the score is that of all."""
    references = [one[:ONE_PART] for one in references] if is_text else references[:ONE_PART]
    call = score(hypotheses[:ONE_PART], references)
    return lambda: Part(range(ONE_PART), call())


def long_case(name: str, title: str, fresh: Any, score: Side, is_text: bool) -> Case:
    return Case(
        f"costs-{name}",
        title,
        1_000_000,
        lambda segments: workloads.latin(ONE_PART).take(max(ONE_PART, segments)),
        fresh,
        ours=score,
        others={"20,000 segments": partial(of_few, score, is_text)},
        per="segment",
        tells_memory=True,
    )


def write_lines(folder: Path, segments: int) -> None:
    corpus = workloads.latin(segments)
    for name, lines in (("ref", corpus.references[0]), ("hyp", corpus.hypotheses)):
        (folder / name).write_text("\n".join(lines) + "\n", encoding="utf-8")


@dataclass(frozen=True)
class Started:
    """Two programs from start to end, the other's and ours, by CPU time.

    `programs` gives the arguments for Python of both; `write` writes their files, of so many
    segments, into a folder; `result_of` what they printed must be equal. `needs` is the other's
    library.
    """

    name: str
    title: str
    programs: dict[str, list[str]]
    write: Callable[[Path, int], None] = lambda *_: None
    segments: int = 1
    needs: str = "fastbleu"
    result_of: Callable[[str], Any] = str
    tells_difference: bool = False

    def check(self) -> str:
        """Run both on few segments; return how their results differ."""
        return self._run(0, min(FEW, self.segments))[1]

    def measure(self, repeat: int) -> dict:
        seconds, wrong = self._run(3 * repeat, self.segments)
        times = {name: statistics.median(all_) * 1e3 for name, all_ in seconds.items()}
        other, ours = self.programs
        return {
            "size": f"{self.segments:,}",
            "unit": "ms",
            "ours": {"time": times[ours]},
            "others": {other: {"time": times[other]}},
            "wrong": wrong,
            "gain": f"+{times[ours] - times[other]:.3g} ms" if self.tells_difference else None,
        }

    def _run(self, rounds: int, segments: int) -> tuple[dict[str, list[float]], str]:
        """Run both once, then in rounds that are timed; return times, and how results differ."""
        import_module(self.needs)
        seconds: dict[str, list[float]] = {program: [] for program in self.programs}
        results = {}
        with TemporaryDirectory() as folder:
            self.write(Path(folder), segments)
            for round_ in range(rounds + 1):
                for program, arguments in self.programs.items():
                    if round_ > 3 and sum(seconds[program]) > ENOUGH:
                        continue
                    placed = [argument.replace("FOLDER", folder) for argument in arguments]
                    taken, printed = run_python(*placed)
                    results[program] = self.result_of(printed)
                    if round_:
                        seconds[program].append(taken)
        other, ours = self.programs
        wrong = "" if results[other] == results[ours] else f"the results are {results}"
        return seconds, wrong


def run_python(*arguments: str) -> tuple[float, str]:
    """Run ``python ARGUMENTS``; return its CPU time with that of its children, and its output."""
    import resource

    def used() -> float:
        children = resource.getrusage(resource.RUSAGE_CHILDREN)
        return children.ru_utime + children.ru_stime

    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    command, before = [sys.executable, *arguments], used()
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)} failed:\n{done.stderr}")
    return used() - before, done.stdout


def import_case(name: str, code: str) -> Started:
    """An import and one call, which must do without numpy."""
    tell = "; import sys; print('numpy' in sys.modules)"
    programs = {"bare interpreter": ["-c", "pass" + tell], "fastbleu": ["-c", code + tell]}
    title = f"import and one `sentence_bleu` of {name}"
    return Started(f"costs-import-{name}", title, programs, tells_difference=True)


def command_case(name: str, title: str, *options: str) -> Started:
    """The command on one system."""
    programs = {module: ["-m", module, *FILES, *options] for module in ("sacrebleu", "fastbleu")}
    return Started(name, title, programs, write_lines, segments=2_000, needs="sacrebleu")


BOTH = ("-m", "bleu", "chrf", "--chrf-word-order", "2")
FILES = ["FOLDER/ref", "-i", "FOLDER/hyp", "-b", "-w", "14"]
TEXT, TOKENS = text.corpus_bleu("fastbleu.sacrebleu"), tokens.corpus_bleu("fastbleu.nltk")
CASES = (
    long_case("text", "`sacrebleu.corpus_bleu`", workloads.text, TEXT, True),
    long_case("tokens", "`nltk.corpus_bleu`", workloads.split_fresh, TOKENS, False),
    command_case("costs-command", "the command, one system"),
    command_case("costs-command-chrf", "the command, BLEU and chrF++", *BOTH),
    import_case("text", ONE_TEXT),
    import_case("tokens", ONE_SENTENCE),
)
