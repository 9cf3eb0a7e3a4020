"""Checks of the command's options, and values derived from them."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator, Sequence
from typing import NoReturn

from ..dialects import names
from ..dialects._sacrebleu import SMOOTH_DEFAULTS
from ..inputs.arguments import closest, shown
from ..runtime.extras import install_command
from ..tokenizers.table import BY_LANGUAGE, WITHOUT_MODEL
from .coco_files import is_coco_file
from .files import STDIN, InputError
from .options import FORMATS, OF_GROUPS, ONLY_DIALECTS, REPORT_LABELS, SUMMARY, make_parser

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


def parse(argv: Sequence[str] | None) -> argparse.Namespace:
    """Return the checked options; InputError where they contradict each other.

    They have also `systems` (the names after -i), `tokenizer` (the name to use), `language` (the
    target's), `test` ("bs", "ar" or None), `samples` of that test, `table` ("tsv", "json" or None:
    how single segments are listed), `progress`, `filtered` (only some segments count), `delegated`
    (sacreBLEU prints about test sets), `diagnosed` (--explain or --identify), `reported` (--html
    or --md), `lists_texts` (something needs the texts themselves) and `prints_as_sacrebleu` (by
    default; other dialects print as their originals).
    """
    parser = make_parser()
    terminal = sys.stdin is None or sys.stdin.isatty()
    words = [*map(parser.spelled, sys.argv[1:] if argv is None else argv)]
    if not words:
        parser.exit(2, SUMMARY)
    options, unknown = parser.parse_known_args(words)
    if unknown:
        hint = ""
        if any(word.startswith(_ELSEWHERE) for word in unknown):
            hint = ": only the command sacrebleu has this"
        elif not unknown[0].startswith("-"):
            hint = ": all REF files come first, and all HYP files after -i"
        elif meant := closest(unknown[0], parser._option_string_actions):
            hint = f": did you mean {meant}?"
        parser.error(f"unrecognized arguments: {' '.join(unknown)}{hint}")
    if options.print_completion:
        _print_completion(parser, options.print_completion)
    options.reported = options.html is not None or options.md is not None
    options.labels = [name for name in REPORT_LABELS if getattr(options, name) is not None]
    if options.labels and not options.reported:
        parser.error(f"--{options.labels[0]} is shown in a report: it needs --html or --md")
    if options.open and options.html is None:
        parser.error("--open opens the page that --html writes")
    if options.by is not None:
        _check_groups(options, parser)
    elif options.by_language:
        parser.error("--by-language is for groups of the rows of tables: it needs --by")
    elif options.format in OF_GROUPS:
        parser.error(f"-f {options.format} is a table of groups: it needs --by")
    options.diagnosed = options.explain is not None or options.identify is not None
    if options.diagnosed:
        options.format = options.format or "text"
        if options.explain is not None and len(options.explain) not in (0, 2):
            parser.error("--explain takes two dialects, or none for a table of all")
    options.prints_as_sacrebleu = options.dialect == parser.get_default("dialect")
    if options.prints_as_sacrebleu:
        _fill_in(options, parser)
    for name, (low, high) in _LIMITS.items():
        value = getattr(options, name)
        if value is not None and not low <= value <= high:
            unlimited = low == 1 and high == sys.maxsize
            limits = f"at least {low}" if unlimited else f"from {low} to {high}"
            parser.error(f"argument --{name.replace('_', '-')}: must be {limits}, not {value}")
    options.table = None
    ordered = options.sort or options.worst
    if options.sentence_level:
        options.table = options.format or ("tsv" if ordered else None)
        if options.table in ("text", "latex"):
            options.table = None
            if ordered:
                parser.error("--sort and --worst need -f tsv or -f json")
    elif options.format == "tsv" or ordered:
        parser.error("-f tsv, --sort and --worst list single segments: they need -sl")
    from_environment = os.environ.get("SACREBLEU_FORMAT", "").lower()
    if from_environment in FORMATS and options.by is None:
        options.format = from_environment
    options.format = options.format or "json"
    options.language = options.langpair.split("-")[1] if options.langpair is not None else ""
    if options.dialect == "coco" and any(map(is_coco_file, options.references)):
        options.tokenize = options.tokenize or "ptb"  # COCO's captions are not tokenized yet
    options.tokenizer = options.tokenize or BY_LANGUAGE.get(options.language, "13a")
    options.test = "bs" if options.paired_bs else "ar" if options.paired_ar else None
    if options.test:
        asked = options.paired_bs_n if options.paired_bs else options.paired_ar_n
        options.samples = asked if asked > 0 else _DEFAULT_SAMPLES[options.test]
    options.progress = not options.quiet and sys.stderr is not None and sys.stderr.isatty()
    in_table = options.table and not options.score_only
    options.lists_texts = bool(options.reported or options.diagnosed or in_table)
    options.filtered = options.origlang is not None or options.subset is not None
    options.delegated = bool(options.list or options.echo or options.citation or options.download)
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


def _fill_in(options: argparse.Namespace, parser: argparse.ArgumentParser) -> None:
    """Set sacreBLEU's defaults, and refuse options that it does not have."""
    for name, values in ONLY_DIALECTS.items():
        if (value := getattr(options, name)) in values:
            parser.error(f"sacreBLEU does not have {shown(value)}: name the --dialect that has it")
    if options.reference_length not in (None, "closest"):
        parser.error("--reference-length: sacreBLEU takes the closest; see --dialect")
    for name, value in _DEFAULTS.items():
        if getattr(options, name) is None:
            setattr(options, name, value)


def _check_groups(options: argparse.Namespace, parser: argparse.ArgumentParser) -> None:
    """Refuse options that --by does not support."""
    tests = "paired_bs", "paired_ar", "identify", "explain"
    others = "sentence_level", "score_only", "short", "width", "html", "md", "test_set"
    for name in (*tests, *others):
        if getattr(options, name) not in (None, False):
            parser.error(f"--by has no --{name.replace('_', '-')}")
    if options.format == "tsv":
        parser.error("the formats of --by are json, text, csv, latex, markdown and parquet")


def _check(options: argparse.Namespace) -> None:
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
    options.systems = names = list(dict.fromkeys(options.input or []))
    # The baseline of a test is often listed again among all systems.
    for name in names[1:] if options.test else names:
        if options.input.count(name) > 1:
            raise InputError(f"{name} is given twice after -i; every system needs its own name")


def check_number(options: argparse.Namespace, systems: int) -> None:
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


def warnings(options: argparse.Namespace) -> Iterator[str]:
    """Yield warnings about the options."""
    wanted = BY_LANGUAGE.get(options.language)
    if wanted and options.tokenize in WITHOUT_MODEL and options.tokenize != wanted:
        fix = f"use {wanted} or a SentencePiece tokenizer, such as flores200"
        yield f"-tok {options.tokenize} does not suit -l {options.langpair}: {fix}"
    method = options.smooth_method
    if options.smooth_value is not None and SMOOTH_DEFAULTS.get(method, 1) is None:
        yield f"--smooth-value has no effect with --smooth-method {options.smooth_method}"
    if options.test_set is not None and options.tokenize == "none":
        yield "with -tok none the score cannot be compared with published ones"
