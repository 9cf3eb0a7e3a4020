"""Results that sacreBLEU's command does not have.

Scores of other dialects, tables of single segments, reports, why two BLEU scores differ, and which
settings give a number.
"""

from __future__ import annotations

import json
import os
import sys
import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from heapq import nsmallest
from itertools import islice

from ..core.counting._counted import Counted, Sums
from ..core.inputs.errors import InputWarning
from ..core.metric.argument import counter_of, scorer_of
from ..core.runtime.import_lock import lazy
from ..core.runtime.terminal import CONTROLS, JSON_CONTROLS, ProgressBar
from ..core.scoring.base import UPDATE
from ..core.scoring.score import shown_score
from .alignment import present
from .formats import select
from .imports import import_undisturbed
from .readers import STDIN, InputError
from .sacrebleu_text import (
    BASELINE,
    RESET,
    SacrebleuText,
    comparisons_text,
    details,
    scores_text,
    terminal_width,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    import tempfile
    from typing import Any

    from ..core.metric.bleu import BLEU
    from ..core.scoring.score import Score
    from ..significance import Comparisons
    from .parser import Options
else:
    tempfile = lazy("tempfile")  # takes 3 ms to import

_BLOCK_LINES = 1 << 12
_SPOOL_BYTES = 1 << 24  # scores kept in memory before they move to a temporary file
# In a table these characters would start a new cell or line.
_ONE_CELL = CONTROLS | str.maketrans("\t\n\r", "   ")


def metric_of(options: Options) -> BLEU:
    """Return the metric for the options; the dialect has the defaults."""
    from ..core.metric.bleu import BLEU

    names = "dialect", "lowercase", "max_ngram_order", "smooth_method", "smooth_value"
    arguments = {name: getattr(options, name) for name in (*names, "reference_length", "threads")}
    if options.prints_as_sacrebleu:
        arguments["tokenize"] = options.tokenizer
        arguments["effective_order"] = options.sentence_level or None
    elif options.tokenize is not None:
        arguments["tokenize"] = options.tokenize
    try:
        return BLEU(**arguments)
    except (ValueError, ImportError, OSError, RuntimeError) as error:
        raise InputError(f"{options.where}{error}") from error


class DialectText:
    """Counts and prints by a dialect's rules; see `SacrebleuText`."""

    def __init__(self, options: Options) -> None:
        if options.confidence or options.table or options.output_format == "latex":
            raise InputError(
                f"--dialect {options.dialect} does not support --confidence, -f latex, or tables "
                "of single segments: use fastbleu.BLEU and fastbleu.significance"
            )
        self._options = options
        self._metric = metric = metric_of(options)
        self.counter, self._scorer = counter_of(metric), scorer_of(metric)
        self.metrics = [self]
        self.adds_batches = self._scorer.supports(UPDATE)
        self.keep_rows = self._scorer.keep_rows
        self.sums = self._scorer.sums

    def segment_lines(self, counted: Counted) -> list[str]:
        """The printed score of each segment."""
        scores = self._scorer.sentence_scores(counted, warns=False).tolist()
        return [self._digits(score, self._scorer.printed(score)) for score in scores]

    def result(self, names: Sequence[str], totals: list[list[Sums]]) -> str:
        """The text of the scores; see `SacrebleuText.result`."""
        options, [by_system] = self._options, totals
        scores = [self._scorer.score(total) for total in by_system]
        if options.score_only:
            return "".join([f"{self._digits(s.value, s.printed)}\n" for s in scores])
        comparisons = self._compare(names, by_system) if options.test else None
        if options.output_format == "json":
            records = [*map(self._record, names, scores)]
            if comparisons:
                for record, comparison in zip(records[1:], comparisons.values(), strict=True):
                    record["p_value"] = comparison.p_value
                    record["adjusted_p_value"] = comparison.adjusted_p_value
            return json.dumps(records[0] if len(records) == 1 else records, indent=1) + "\n"
        if comparisons:
            signature = scores[0].signature
            return comparisons_text(comparisons, options.width, signature)
        if options.output_format == "table":
            table = [
                {
                    "system": name,
                    "BLEU": self._digits(s.value, shown_score(s)),
                    **details([100 * p for p in s.precisions], s.bp, s.hyp_len, s.ref_len),
                }
                for name, s in zip(names, scores, strict=True)
            ]
            return scores_text(table, [scores[0].signature])
        if len(scores) == 1:
            return f"{self._scorer.line(scores[0]) or scores[0]}\n"
        rows = [
            f"{name.translate(CONTROLS)}\t{self._digits(score.value, score.printed)}"
            for name, score in zip(names, scores, strict=True)
        ]
        return "\n".join([*rows, scores[0].signature, ""])

    def _digits(self, value: float, printed: str | None) -> str:
        """A score with the requested decimals, or as the original prints it."""
        if self._options.width is not None:
            return f"{value:.{self._options.width}f}"
        return printed or repr(value)

    def _record(self, name: str, score: Score) -> dict[str, object]:
        """The JSON object of a system."""
        width = self._options.width
        return {
            "name": name,
            "score": score.value if width is None else round(score.value, width),
            **{field: getattr(score, field) for field in score.__match_args__[1:]},
        }

    def _compare(self, names: Sequence[str], totals: list[Sums]) -> Comparisons[str]:
        """Test all systems against the first one."""
        from ..significance import compare

        options, count = self._options, self._options.samples
        names = [names[0].removeprefix(BASELINE), *names[1:]]
        return compare(
            {name: total.rows() for name, total in zip(names, totals, strict=True)},
            method="bootstrap" if options.test == "bs" else "approximate_randomization",
            metric=self._metric,
            samples=count if options.test == "bs" else 0,
            trials=count,
            seed=options.random_seed,
            progress=options.progress,
        )


class SegmentList:
    """The printed lines of single segments, kept in a spool.

    `numbers` are the numbers of the scored segments, from 0.
    """

    def __init__(
        self,
        options: Options,
        printer: DialectText | SacrebleuText,
        names: Sequence[str],
        references: int,
        numbers: Iterable[int],
        opened: ExitStack,
    ) -> None:
        self._options = options
        self._printer = printer
        self._numbers = iter(numbers)
        spool = tempfile.SpooledTemporaryFile(_SPOOL_BYTES)
        self._spool = opened.enter_context(spool)
        self._order: list[tuple[float, int]] = []  # a segment's score and the offset of its line
        suffixes = [""] if len(names) == 1 else [f" {name}" for name in names]
        self._keys = ["segment", *(f"score{suffix}" for suffix in suffixes)]
        if not options.score_only:
            self._keys += [f"hypothesis{suffix}" for suffix in suffixes]
            self._keys += [
                "reference" + f" {n}" * (references > 1) for n in range(1, references + 1)
            ]

    def add(
        self, references: list[list[str]], hypotheses: list[list[str]], counted: list[Any]
    ) -> None:
        """Add a chunk: text columns of references and systems, and the counts of each system."""
        options, printer, table = self._options, self._printer, self._options.table
        if not table:
            for of_system in counted:
                lines = printer.segment_lines(of_system)
                self._spool.write("".join([f"{line}\n" for line in lines]).encode())
            return
        assert isinstance(printer, SacrebleuText)  # dialects refuse tables
        scores = list(map(printer.metrics[0].segments, counted))
        texts = [] if options.score_only else [*hypotheses, *references]
        for *columns, number in zip(*scores, *texts, self._numbers, strict=False):
            values = [score.score for score in columns[: len(counted)]]
            numbers = [f"{value:.{options.width}f}" for value in values]
            cells = columns[len(counted) :]
            self._order.append((sum(values), self._spool.tell()))
            if table == "json":
                record = zip(self._keys, [number + 1, *map(float, numbers), *cells], strict=True)
                line = json.dumps(dict(record), ensure_ascii=False).translate(JSON_CONTROLS)
            else:
                shown = [json.dumps(c, ensure_ascii=False) if type(c) is list else c for c in cells]
                shown = [(cell or "").translate(_ONE_CELL) for cell in shown]
                line = "\t".join([str(number + 1), *numbers, *shown])
            self._spool.write(f"{line}\n".encode(errors="backslashreplace"))

    def printed(self) -> Iterator[str]:
        """Yield the text to print, in pieces."""
        table = self._options.table
        heading = "\t".join(key.translate(_ONE_CELL) for key in self._keys) + "\n"
        start = {"json": "[\n", "tsv": heading}.get(table, "")
        lines = self._lines()
        while block := b"".join(islice(lines, _BLOCK_LINES))[:-1].decode():
            yield start + (block.replace("\n", ",\n") if table == "json" else block)
            start = ",\n" if table == "json" else "\n"
        yield "\n]\n" if table == "json" else "\n"

    def _lines(self) -> Iterator[bytes]:
        options, order = self._options, self._order
        if not (options.sort or options.worst):
            self._spool.seek(0)
            yield from self._spool
            return
        order = nsmallest(options.worst or len(order), order)
        if options.sort == "segment":
            order.sort(key=lambda entry: entry[1])
        for _, start in order:
            self._spool.seek(start)
            yield self._spool.readline()


def check_reports(options: Options) -> None:
    """Refuse reports that cannot be written or would replace inputs, each other or the result."""
    names = [*options.references, *(options.input or [STDIN])]
    names += options.labels.values()
    # Paths and descriptors, by what they are in messages.
    taken: dict[str, Any] = {n: 0 if n == STDIN else select(n, options.read_as)[0] for n in names}
    taken["the result"] = 1
    target_of = import_undisturbed("fastbleu.reporting.report").target_of
    for option, path in options.reports.items():
        try:
            target = target_of(path)
        except (OSError, ValueError) as error:
            raise _unwritable(path, error) from error
        for name, other in taken.items():
            are_files = os.path.exists(other) and os.path.exists(target)
            if other == target or (are_files and os.path.samefile(other, target)):
                raise InputError(f"{option} {path} would overwrite {name}: name another file")
        taken[option] = target


def _unwritable(path: str, error: Exception) -> InputError:
    reason = getattr(error, "strerror", None) or error
    return InputError(f"{path}: the report cannot be written: {reason}")


def write_reports(
    options: Options, names: list[str], references: int, columns: list[list[Any]]
) -> list[list[Any]]:
    """Write the requested files; return the columns without sources and labels, for scoring."""
    names = list(options.systems) or names
    systems_end = references + len(names)
    labels = dict(zip(options.labels, columns[systems_end:], strict=True))
    texts = list(map(present, zip(*columns[:references], strict=True)))
    systems = dict(zip(_short(names), columns[references:systems_end], strict=True))
    report = import_undisturbed("fastbleu.reporting.report").report
    option, path = next(iter(options.reports.items()))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", InputWarning)
            metric, seed = metric_of(options), options.random_seed
            shows = {"metric": metric, "seed": seed, "progress": options.progress}
            made = report(systems, texts, **labels, **shows)
            for option, path in options.reports.items():
                made.save(path, option.removeprefix("--"))
    except OSError as error:
        raise _unwritable(path, error) from error
    except (ValueError, ImportError) as error:
        raise InputError(f"{option}: {error}") from error
    if not options.quiet:
        for path in options.reports.values():
            size = f"{len(systems)} system{'s' * (len(systems) > 1)}, {len(texts):,} segments"
            print(f"fastbleu: wrote {path} ({size})", file=sys.stderr)
    if options.open:
        import webbrowser

        webbrowser.open(f"file://{os.path.abspath(str(options.html))}")
    return columns[:systems_end]


def _short(names: list[str]) -> list[str]:
    """Drop folders and suffixes from file names, if the short names differ."""
    short = [os.path.basename(name).partition(".txt")[0] for name in names]
    return short if len(set(short)) == len(names) and all(short) else names


def diagnose(options: Options, references: int, columns: list[list[Any]]) -> str:
    """Return the requested tables as text, or as JSON with ``-f json``."""
    option = "--explain" if options.identify is None else "--identify"
    texts = list(map(present, zip(*columns[:references], strict=True)))
    hypotheses = columns[references]
    try:
        if options.identify is not None:
            identification = import_undisturbed("fastbleu.diagnosis.identification")
            wanted = options.identify
            answer = identification.identify(hypotheses, texts, wanted, progress=options.progress)
        else:
            explanation = import_undisturbed("fastbleu.diagnosis.explanation")
            how = f"comparing {' and '.join(options.explain) or 'all dialects'}, {len(texts):,} "
            style = {"desc": f"{how}segments ...", "bar_format": "{desc}", "leave": False}
            with ProgressBar(options.progress, None, "", **style):
                if options.explain:
                    answer = explanation.explain(hypotheses, texts, *options.explain)
                else:
                    answer = explanation.overview(hypotheses, texts)
    except (ValueError, ImportError) as error:
        raise InputError(f"{option}: {error}") from error
    if options.output_format == "json":
        return f"{json.dumps(answer.to_dict(), indent=1)}\n"
    # Tables are fitted to a terminal; elsewhere each row is one line, for scripts.
    width = terminal_width()
    text = answer._text(width)
    return f"{_colored(text) if width is not None and options.uses_colors else text}\n"


def _colored(text: str) -> str:
    """Color the titles of tables, and the settings that give a number."""
    lines = text.split("\n")
    for number, line in enumerate(lines):
        is_title = number == 0 or lines[number - 1 : number + 2 : 2] == ["", ""]
        color = "36" if is_title else "32" if line.startswith("yes ") else None
        if color and line:
            lines[number] = f"\033[{color}m{line}{RESET}"
    return "\n".join(lines)
