"""The options of the command line, checked, and what follows from them."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator, Sequence
from functools import cached_property

from ..dialects._sacrebleu import SMOOTH_DEFAULTS
from ..dialects.names import names
from ..inputs.arguments import shown
from ..runtime.extras import install_command
from ..sacrebleu.bleu_score import read_seed, seed_of_environment, seed_text
from ..tokenizers.tokenizer import BY_LANGUAGE, WITHOUT_MODEL
from .files import STDIN, InputError
from .formats import is_coco_file
from .parser import FORMATS, OF_GROUPS, ONLY_DIALECTS, SUMMARY, make_parser

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, NoReturn

REPORT_LABELS = ("sources", "documents", "groups", "ids")  # files of a report only
_DEFAULT_SAMPLES = {"bs": 1000, "ar": 10_000}
_LIMITS = {
    "num_refs": (1, sys.maxsize),
    "max_ngram_order": (1, 100),
    "threads": (1, 256),
    "width": (0, 1000),
    "worst": (1, sys.maxsize),
    **dict.fromkeys(("confidence_n", "paired_bs_n", "paired_ar_n"), (-sys.maxsize, sys.maxsize)),
}
# sacreBLEU's defaults, and its options that do not exist here.
_DEFAULTS = {"lowercase": False, "smooth_method": "exp", "max_ngram_order": 4, "width": 1}
_ELSEWHERE = ("-d", "--detail", "--chrf", "--ter", "-cc", "-cw")
_ONLY_SEGMENTS = "-f tsv, --sort and --worst list single segments: they need -sl"


# Not a dataclass, because importing `dataclasses` would take a tenth of what the command takes.
class Options(argparse.Namespace):
    """The options of the command line, and what follows from them."""

    references: Sequence[str]
    input: Sequence[str] | None = None
    num_refs: int = 1
    encoding: str = "utf-8"
    print_completion: str | None = None
    test_set: str | None = None
    langpair: str | None = None
    origlang: str | None = None
    subset: str | None = None
    echo: Sequence[str] | None = None
    list: bool = False
    citation: bool = False
    download: str | None = None
    dialect: str = "sacrebleu"
    tokenize: str | None = None
    # None is what the dialect does; of sacreBLEU `parse_options` fills them in.
    lowercase: Any = None
    smooth_method: Any = None
    max_ngram_order: Any = None
    width: Any = None
    smooth_value: float | None = None
    reference_length: str | None = None
    sentence_level: bool = False
    explain: Sequence[str] | None = None
    identify: str | None = None
    force: bool = False
    threads: int = 1
    confidence: bool = False
    paired_bs: bool = False
    paired_ar: bool = False
    confidence_n: int = 1000
    paired_bs_n: int = 0
    paired_ar_n: int = 0
    seed: str | None = None
    format: str | None = None  # as given; see `output_format`
    by: str | None = None
    language: str | None = None
    tokenizers: str | None = None
    missing: str | None = None
    quoted: bool | None = None
    delimiter: str | None = None
    read_as: str | None = None
    score_only: bool = False
    short: bool = False
    sort: str | None = None
    worst: int | None = None
    html: str | None = None
    md: str | None = None
    sources: str | None = None
    documents: str | None = None
    groups: str | None = None
    ids: str | None = None
    open: bool = False
    no_color: bool = False
    quiet: bool = False

    @cached_property
    def systems(self) -> Sequence[str]:
        """The names after -i, each once."""
        return [*dict.fromkeys(self.input or [])]

    @cached_property
    def target_language(self) -> str:
        """Of the language pair; "" without one."""
        return self.langpair.split("-")[1] if self.langpair is not None else ""

    @cached_property
    def tokenizer(self) -> str:
        """The name to use where the dialect has none."""
        return self.tokenize or BY_LANGUAGE.get(self.target_language, "13a")

    @cached_property
    def prints_as_sacrebleu(self) -> bool:
        """By default; other dialects print as their originals."""
        return self.dialect == Options.dialect

    @cached_property
    def test(self) -> str:
        """The paired test: "bs", "ar" or ""."""
        return "bs" if self.paired_bs else "ar" if self.paired_ar else ""

    @cached_property
    def samples(self) -> int:
        """Samples or trials of the paired test."""
        asked = self.paired_bs_n if self.paired_bs else self.paired_ar_n
        return asked if asked > 0 else _DEFAULT_SAMPLES[self.test or "bs"]

    @cached_property
    def random_seed(self) -> int | None:
        """The seed of random draws; None: another each time."""
        try:
            return read_seed(self.seed, "--seed") if self.seed else seed_of_environment()
        except ValueError as error:
            raise InputError(str(error)) from error

    @cached_property
    def signature_seed(self) -> str:
        """The seed as sacreBLEU's signature has it."""
        return (self.seed or seed_text()).lower()

    @cached_property
    def reported(self) -> bool:
        """Whether --html or --md is there."""
        return self.html is not None or self.md is not None

    @cached_property
    def labels(self) -> Sequence[str]:
        """The options that name files of a report."""
        return [name for name in REPORT_LABELS if getattr(self, name) is not None]

    @cached_property
    def diagnosed(self) -> bool:
        """Whether --explain or --identify is there."""
        return self.explain is not None or self.identify is not None

    @cached_property
    def output_format(self) -> str:
        """The format of the result; see `table` for that of single segments."""
        of_environment = os.environ.get("SACREBLEU_FORMAT", "").lower()
        if of_environment in FORMATS and self.by is None:
            return of_environment
        return self.format or ("text" if self.diagnosed else "json")

    @cached_property
    def table(self) -> str:
        """How single segments are listed: "tsv", "json" or ""."""
        if not self.sentence_level or self.diagnosed:
            return ""
        listed = self.format or ("tsv" if self.sort or self.worst else "")
        return "" if listed in ("text", "latex") else listed

    @cached_property
    def lists_texts(self) -> bool:
        """Whether something needs the texts themselves."""
        return self.reported or self.diagnosed or bool(self.table and not self.score_only)

    @cached_property
    def filtered(self) -> bool:
        """Whether only some segments of a test set count."""
        return self.origlang is not None or self.subset is not None

    @cached_property
    def delegated(self) -> bool:
        """Whether sacreBLEU prints about test sets."""
        return bool(self.list or self.echo or self.citation or self.download)

    @property
    def progress(self) -> bool:
        """Whether a progress bar may be shown."""
        return not self.quiet and sys.stderr is not None and sys.stderr.isatty()


def parse_options(argv: Sequence[str] | None) -> Options:
    """Return the checked options; InputError where they contradict each other."""
    parser = make_parser()
    terminal = sys.stdin is None or sys.stdin.isatty()
    words = parser.spelled(sys.argv[1:] if argv is None else argv)
    if not words:
        parser.exit(2, SUMMARY)
    options, unknown = parser.parse_known_args(words, Options())
    if unknown:
        hint = ""
        if any(word.startswith(_ELSEWHERE) for word in unknown):
            hint = ": only the command sacrebleu has this"
        elif not unknown[0].startswith("-"):
            hint = ": all REF files come first, and all HYP files after -i"
        elif meant := parser.closest(unknown[0]):
            hint = f": did you mean {meant}?"
        parser.error(f"unrecognized arguments: {' '.join(unknown)}{hint}")
    if options.print_completion:
        _print_completion(parser, options.print_completion)
    if options.labels and not options.reported:
        parser.error(f"--{options.labels[0]} is shown in a report: it needs --html or --md")
    if options.open and options.html is None:
        parser.error("--open opens the page that --html writes")
    _check_groups(options, parser)
    if options.explain is not None and len(options.explain) not in (0, 2):
        parser.error("--explain takes two dialects, or none for a table of all")
    if options.prints_as_sacrebleu:
        _fill_in(options, parser)
    for name, (low, high) in _LIMITS.items():
        value = getattr(options, name)
        if value is not None and not low <= value <= high:
            unlimited = low == 1 and high == sys.maxsize
            limits = f"at least {low}" if unlimited else f"from {low} to {high}"
            parser.error(f"argument --{name.replace('_', '-')}: must be {limits}, not {value}")
    if options.sort or options.worst:
        if not options.sentence_level:
            parser.error(_ONLY_SEGMENTS)
        if not options.table:
            parser.error("--sort and --worst need -f tsv or -f json")
    elif options.format == "tsv" and not options.sentence_level:
        parser.error(_ONLY_SEGMENTS)
    if options.dialect == "coco" and any(map(is_coco_file, options.references)):
        options.tokenize = options.tokenize or "ptb"  # COCO's captions are not tokenized yet
    if not options.delegated:
        _check(options)
        if options.input is None and terminal:
            parser.error("no hypotheses: name their files after -i, or pipe them in")
    return options


def _print_completion(parser: argparse.ArgumentParser, shell: str) -> NoReturn:
    """Print the script for a shell, and exit."""
    try:
        import shtab
    except ImportError as error:
        problem = f"shell completion needs shtab: {install_command('completion')}"
        raise InputError(problem) from error
    for action in parser._actions:
        if action.metavar in ("REF", "HYP"):
            action.complete = shtab.FILE  # type: ignore[attr-defined]
        elif action.dest in ("dialect", "explain"):
            action.choices = names()
    print(shtab.complete(parser, shell))
    parser.exit()


def _fill_in(options: Options, parser: argparse.ArgumentParser) -> None:
    """Set sacreBLEU's defaults, and refuse options that it does not have."""
    for name, values in ONLY_DIALECTS.items():
        if (value := getattr(options, name)) in values:
            parser.error(f"sacreBLEU does not have {shown(value)}: name the --dialect that has it")
    if options.reference_length not in (None, "closest"):
        parser.error("--reference-length: sacreBLEU takes the closest; see --dialect")
    for name, value in _DEFAULTS.items():
        if getattr(options, name) is None:
            setattr(options, name, value)


def _check_groups(options: Options, parser: argparse.ArgumentParser) -> None:
    """Refuse options that --by does not support, and without it those that need it."""
    if options.by is None:
        if options.language is not None and options.tokenizers is None:
            parser.error("--language is a column, for --tokenizers; a pair is -l, as in -l en-de")
        if options.language is not None or options.tokenizers is not None:
            parser.error("--language and --tokenizers are for groups of rows of tables: add --by")
        if options.format in OF_GROUPS:
            parser.error(f"-f {options.format} is a table of groups: it needs --by")
        return
    if (options.language is None) != (options.tokenizers is None):
        parser.error("--language and --tokenizers go together: a column, and its tokenizers")
    tests = "paired_bs", "paired_ar", "identify", "explain"
    others = "sentence_level", "score_only", "short", "width", "html", "md", "test_set"
    for name in (*tests, *others):
        if getattr(options, name) not in (None, False):
            parser.error(f"--by has no --{name.replace('_', '-')}")
    if options.format == "tsv":
        parser.error("the formats of --by are json, text, csv, latex, markdown and parquet")


def _check(options: Options) -> None:
    """Refuse combinations of options that cannot be scored, before any file is opened."""
    if options.num_refs != 1 and (options.test_set is not None or len(options.references) > 1):
        raise InputError(
            "--num-refs splits the lines of one reference file; it cannot be used with several "
            "reference files or with a test set (-t)"
        )
    if options.test_set is None:
        if not options.references:
            message = "no references: give their files first, or choose a test set with -t and -l"
            if options.input and len(options.input) > 1:
                *systems, last = options.input
                message += f". Did you mean: fastbleu {last} -i {' '.join(systems)}"
            raise InputError(message)
        if options.filtered:
            raise InputError("--origlang and --subset select segments of a test set: -t names it")
    elif options.references:
        raise InputError("there are both reference files and a test set (-t): drop one of them")
    elif options.langpair is None:
        raise InputError(f"test set {options.test_set} needs a language pair, such as -l en-de")
    if [*options.references, *(options.input or [STDIN])].count(STDIN) > 1:
        hint = " (without -i the hypotheses are read from it)" if options.input is None else ""
        problem = f"standard input (-) is named more than once{hint}, but can be read only once"
        raise InputError(f"{problem}: save it to a file first")
    # The baseline of a test is often listed again among all systems.
    for name in options.systems[1:] if options.test else options.systems:
        if (options.input or []).count(name) > 1:
            raise InputError(f"{name} is given twice after -i; every system needs its own name")


def check_systems(options: Options, systems: int) -> None:
    """Refuse options that do not fit the number of systems."""
    if options.sentence_level:
        if systems > 1 and not options.table:
            problem = f"-sl prints the scores of one system, but there are {systems}"
            raise InputError(f"{problem}: add -f tsv or -f json to list them side by side")
        if options.confidence or options.test:
            raise InputError("-sl scores single segments, for which there are no statistical tests")
    if options.test and systems == 1:
        problem = f"--paired-{options.test} compares different systems, but there is only one"
        raise InputError(f"{problem}: name all of them after -i")
    if options.confidence and systems > 1:
        problem = f"--confidence is for one system, but there are {systems}"
        raise InputError(f"{problem}: use --paired-bs")


def option_warnings(options: Options) -> Iterator[str]:
    """Yield warnings about the options."""
    wanted = BY_LANGUAGE.get(options.target_language)
    if wanted and options.tokenize in WITHOUT_MODEL and options.tokenize != wanted:
        fix = f"use {wanted} or a SentencePiece tokenizer, such as flores200"
        yield f"-tok {options.tokenize} does not suit -l {options.langpair}: {fix}"
    method = options.smooth_method
    if options.smooth_value is not None and SMOOTH_DEFAULTS.get(method, 1) is None:
        yield f"--smooth-value has no effect with --smooth-method {method}"
    if options.test_set is not None and options.tokenize == "none":
        yield "with -tok none the score cannot be compared with published ones"
