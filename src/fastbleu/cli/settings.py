"""`Options`: the options that were given, and the settings derived from them."""

from __future__ import annotations

import argparse
import os
import sys

from ..core.tokenizers.tokenizer import BY_LANGUAGE
from ..sacrebleu.base import read_seed, seed_of_environment
from .readers import InputError

FORMATS = ("json", "text", "latex")
_REPORT_LABELS = ("sources", "documents", "groups", "ids")  # files of a report only


class Options(argparse.Namespace):
    """The options, as `make_parser` declares them, and the settings derived from them."""

    def complete(self) -> None:
        """Set the settings that follow from the options."""
        # The names after -i, each once.
        self.systems: list[str] = [*dict.fromkeys(self.input or [])]
        self.target_language = self.langpair.split("-")[1] if self.langpair is not None else ""
        # For sacreBLEU; other dialects have their own default, and print as their originals.
        self.tokenizer = self.tokenize or BY_LANGUAGE.get(self.target_language, "13a")
        self.prints_as_sacrebleu = self.dialect == "sacrebleu"
        # The prefix of messages about the options of another dialect.
        self.where = "" if self.prints_as_sacrebleu else f"--dialect {self.dialect}: "
        # Samples or trials of the paired test.
        is_bootstrap = self.test == "bs"
        requested = self.paired_bs_n if is_bootstrap else self.paired_ar_n
        self.samples = requested if requested > 0 else 1000 if is_bootstrap else 10_000
        # The files of a report's labels, by name; --by has its keys here.
        given = {name: getattr(self, name) for name in _REPORT_LABELS}
        self.labels = {name: file for name, file in given.items() if file is not None}
        self.reported = self.html is not None or self.md is not None
        self.diagnosed = self.explain is not None or self.identify is not None
        # The format of the result, "table" for people; see `table` for single segments.
        self.output_format = self.format or ("text" if self.diagnosed else "json")
        on_terminal = sys.stdout is not None and sys.stdout.isatty()
        of_sacrebleu = self.test and "ter" in self.metrics
        in_lines = self.sentence_level or self.score_only or self.by is not None
        if on_terminal and not (self.format or self.diagnosed or in_lines or of_sacrebleu):
            self.output_format = "table"
        of_environment = os.environ.get("SACREBLEU_FORMAT", "").lower()
        if of_environment in FORMATS and self.by is None:
            self.output_format = of_environment
        # How single segments are listed, "tsv", "json" or "", and whether with their texts.
        listed = self.format or ("tsv" if self.sort or self.worst else "")
        is_table = self.sentence_level and not self.diagnosed and listed not in ("text", "latex")
        self.table = listed if is_table else ""
        self.lists_texts = bool(self.table and not self.score_only)
        # Whether all segments must be known before any is scored.
        self.at_once = self.reported or self.diagnosed or self.documents is not None
        # Whether whitespace at the end of a segment is dropped before it is counted.
        self.strips = self.prints_as_sacrebleu and not (self.reported or self.diagnosed)
        # Whether only some segments of a test set are scored, or none.
        self.filtered = self.origlang is not None or self.subset is not None
        self.delegated = bool(self.list or self.echo or self.citation or self.download)
        self.progress = not self.quiet and sys.stderr is not None and sys.stderr.isatty()
        self.uses_colors = not (self.no_color or os.environ.get("NO_COLOR"))

    @property
    def random_seed(self) -> int | None:
        """The seed of random draws; None for a different one each time."""
        try:
            return read_seed(self.seed, "--seed") if self.seed else seed_of_environment()
        except ValueError as error:
            raise InputError(str(error)) from error

    def check_systems(self, systems: int) -> None:
        """Refuse options that do not fit the number of systems."""
        if self.sentence_level:
            if systems > 1 and not self.table:
                problem = f"-sl prints the scores of one system, but there are {systems}"
                raise InputError(f"{problem}: add -f tsv or -f json to list them side by side")
            if self.confidence or self.test:
                problem = "-sl scores single segments, for which there are no statistical tests"
                raise InputError(problem)
        if self.test and systems == 1:
            problem = f"--paired-{self.test} compares different systems, but there is only one"
            raise InputError(f"{problem}: name all of them after -i")
        if self.diagnosed and systems > 1:
            option = "--explain" if self.identify is None else "--identify"
            raise InputError(f"{option} is for one system, but there are {systems}")
