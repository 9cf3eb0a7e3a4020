"""``fastbleu --dialect``: scores by the rules of implementations other than sacreBLEU."""

from __future__ import annotations

import json
import warnings
from argparse import Namespace
from collections.abc import Iterable, Sequence
from typing import Any

from ..counting._batch import Totals
from ..dialects.parameters import Parameters
from ..dialects.score import Score
from ..inputs.warnings import InputWarning
from .files import InputError


def parameters_of(options: Namespace) -> Parameters:
    """The parameters of the dialect; options that were not given are its original's defaults."""
    given: dict[str, Any] = {
        "lowercase": options.lowercase,
        "max_order": options.max_ngram_order,
        "smoothing": options.smooth_method,
        "smoothing_value": options.smooth_value,
        "reference_length": options.reference_length,
    }
    if options.tokenize is not None:
        given["tokenize"] = options.tokenize
    if options.confidence or options.table or options.format == "latex":
        raise InputError(
            f"--dialect {options.dialect} has no --confidence, no -f latex, and of single segments "
            "no tables: fastbleu.BLEU and fastbleu.significance have all of these"
        )
    try:
        return Parameters(threads=options.threads, dialect=options.dialect, **given)
    except (ValueError, ImportError, OSError, RuntimeError) as error:
        raise InputError(f"--dialect {options.dialect}: {error}") from error


def metric_of(options: Namespace) -> Any:
    """The metric that the options describe."""
    from ..metric.bleu import BLEU

    if options.dialect != "sacrebleu":
        return BLEU(**parameters_of(options).as_arguments())
    return BLEU(
        options.tokenizer,
        options.lowercase,
        options.max_ngram_order,
        None,
        options.smooth_method,
        options.smooth_value,
        options.sentence_level,
        options.threads,
    )


def score_systems(
    options: Namespace,
    parameters: Parameters,
    names: Sequence[str],
    references: int,
    chunks: Iterable[list[list[str]]],
) -> tuple[str, list[str]]:
    """The text of the result, and warnings; each chunk has the references' columns first."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", InputWarning)
        try:
            text = _text(options, parameters, names, references, chunks)
        except (ValueError, ZeroDivisionError, ImportError) as error:
            raise InputError(f"--dialect {options.dialect}: {error}") from error
    found = dict.fromkeys(str(warning.message) for warning in caught)
    return text, [] if options.force else list(found)


def _text(
    options: Namespace,
    parameters: Parameters,
    names: Sequence[str],
    references: int,
    chunks: Iterable[list[list[str]]],
) -> str:
    rules, counting = parameters.rules, parameters.count_options()
    if "update" in rules.unsupported:
        columns = [[line for part in parts for line in part] for parts in zip(*chunks, strict=True)]
        chunks = [columns] if columns else []
    keep = bool(options.test) or rules.mean_of_sentences
    totals = [Totals.zero(parameters.max_order) for _ in names]
    tokens: list[Any] = [None] * len(names)
    lines: list[str] = []
    for chunk in chunks:
        its = list(zip(*chunk[:references], strict=True))
        for system, hypotheses in enumerate(chunk[references:]):
            how = (None, None), counting, "", keep or options.sentence_level
            counted = parameters.count(hypotheses, its, *how)
            if options.sentence_level:
                scores = parameters.sentence_scores_counted(counted).tolist()
                lines += [_digits(options, score, rules.printed(score)) for score in scores]
            tokens[system] = counted.tokens
            row = rules.adapt(counted.stats).sum()._rows if keep else counted.rows
            if not options.sentence_level:
                totals[system] = totals[system].plus(Totals.of(counted, row, keep))
    if options.sentence_level:
        return "".join([f"{line}\n" for line in lines])
    if not totals[0].segments:
        raise InputError("no segment to score: the files have no lines")
    found = []
    for total, read in zip(totals, tokens, strict=True):
        counts = total.rows() if rules.mean_of_sentences else total.sum()
        found.append(parameters.score(counts, total.nrefs, total.tokenized_periods, read))
    p_values = _p_values(options, parameters, totals) if options.test else [None] * len(found)
    systems = list(zip(names, found, p_values, strict=True))
    if options.score_only:
        return "".join([f"{_digits(options, s.value, s.printed)}\n" for s in found])
    if options.format == "json":
        records = [_record(options, *system) for system in systems]
        return json.dumps(records[0] if len(records) == 1 else records, indent=1) + "\n"
    if len(systems) == 1:
        return f"{rules.line(found[0]) or found[0]}\n"
    rows = [
        f"{name}\t{_digits(options, score.value, score.printed)}"
        + ("" if p_value is None else f"\tp = {p_value:.4f}")
        for name, score, p_value in systems
    ]
    return "\n".join([*rows, found[0].signature, ""])


def _digits(options: Namespace, value: float, printed: str | None) -> str:
    """A score with the requested decimals, or as the original prints it."""
    if options.width is not None:
        return f"{value:.{options.width}f}"
    return printed or repr(value)


def _record(
    options: Namespace, name: str, score: Score, p_value: float | None
) -> dict[str, object]:
    """The JSON object of a system."""
    record: dict[str, object] = {
        "name": name,
        "score": score.value if options.width is None else round(score.value, options.width),
        **{field: getattr(score, field) for field in score.__match_args__[1:]},
    }
    if p_value is not None:
        record["p_value"] = p_value
    return record


def _p_values(
    options: Namespace, parameters: Parameters, totals: list[Totals]
) -> list[float | None]:
    """The p-value of each system compared with the first, which has none."""
    how: dict[str, Any] = {"dialect": parameters.rules}
    for name in ("smoothing", "smoothing_value"):
        if name in parameters.rules.options:
            how[name] = getattr(parameters, name)
    return [None, *(comparison.p_value for comparison in paired_test(options, totals, **how))]


def paired_test(options: Namespace, totals: list[Totals], **how: Any) -> list[Any]:
    """The comparison of each further system with the first one."""
    from ..significance import paired_approximate_randomization, paired_bootstrap

    baseline, *others = [total.rows() for total in totals]
    how["progress"] = options.progress
    if options.test == "bs":
        return paired_bootstrap(baseline, others, samples=options.samples, **how)
    return paired_approximate_randomization(baseline, others, trials=options.samples, **how)
