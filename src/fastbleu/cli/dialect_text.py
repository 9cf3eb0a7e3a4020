"""``fastbleu --dialect``: the result by the rules of implementations other than sacreBLEU."""

from __future__ import annotations

import json
from collections.abc import Sequence

from ..counting._counted import Counted, Sums
from ..dialects.base import UPDATE
from ..runtime.terminal import CONTROLS
from .files import InputError
from .sacrebleu_text import BASELINE, comparisons_text, terminal_width

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..dialects.score import Score
    from ..metric.bleu import BLEU
    from ..significance import Comparisons
    from .options import Options


def metric_of(options: Options) -> BLEU:
    """The metric that the options describe; those not given are the defaults of the dialect."""
    from ..metric.bleu import BLEU

    arguments: dict[str, Any] = {
        "lowercase": options.lowercase,
        "max_ngram_order": options.max_ngram_order,
        "smooth_method": options.smooth_method,
        "smooth_value": options.smooth_value,
        "reference_length": options.reference_length,
        "threads": options.threads,
        "dialect": options.dialect,
    }
    if options.prints_as_sacrebleu:
        arguments |= {
            "tokenize": options.tokenizer,
            "effective_order": options.sentence_level or None,
        }
    elif options.tokenize is not None:
        arguments["tokenize"] = options.tokenize
    try:
        return BLEU(**arguments)
    except (ValueError, ImportError, OSError, RuntimeError) as error:
        where = "" if options.prints_as_sacrebleu else f"--dialect {options.dialect}: "
        raise InputError(f"{where}{error}") from error


class DialectText:
    """Counts and prints by a dialect's rules; see `sacrebleu_text.SacrebleuText`."""

    def __init__(self, options: Options, references: int) -> None:
        if options.confidence or options.table or options.output_format == "latex":
            raise InputError(
                f"--dialect {options.dialect} does not support --confidence, -f latex, and tables "
                "of single segments: use fastbleu.BLEU and fastbleu.significance"
            )
        self._options = options
        self._metric = metric = metric_of(options)
        self.counter, self._scorer = metric._counter, metric._scorer
        self.place = f"--dialect {options.dialect}: "
        self.adds_batches = self._scorer.dialect.supports(UPDATE)
        self.keep_rows = self._scorer.keep_rows
        self.sums = self._scorer.sums

    def segment_lines(self, counted: Counted) -> list[str]:
        """The printed score of each segment."""
        scores = self._scorer.sentence_scores(counted, warns=False).tolist()
        return [self._digits(score, self._scorer.dialect.printed(score)) for score in scores]

    def result(self, names: Sequence[str], totals: list[Sums]) -> str:
        """The text of the result."""
        options = self._options
        scores = [self._scorer.score(total) for total in totals]
        if options.score_only:
            return "".join([f"{self._digits(s.value, s.printed)}\n" for s in scores])
        comparisons = self._compare(names, totals) if options.test else None
        if options.output_format == "json":
            records = [*map(self._record, names, scores)]
            if comparisons:
                for record, comparison in zip(records[1:], comparisons.values(), strict=True):
                    record["p_value"] = comparison.p_value
                    record["adjusted_p_value"] = comparison.adjusted_p_value
            return json.dumps(records[0] if len(records) == 1 else records, indent=1) + "\n"
        if comparisons:
            signature = scores[0].signature
            return comparisons_text(comparisons, options.width, terminal_width(), signature)
        if len(scores) == 1:
            return f"{self._scorer.dialect.line(scores[0]) or scores[0]}\n"
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
        """The paired test of all systems with the first one."""
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
