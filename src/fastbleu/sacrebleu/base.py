"""What sacreBLEU's metrics have in common: texts, intervals, kept references (2.6.0)."""

from __future__ import annotations

import os
from itertools import chain
from math import isnan

from ..core.inputs._batch import Batch
from ..core.inputs.arguments import shown
from ..core.runtime.extras import install_command
from ..core.runtime.import_lock import import_locked, lazy
from ..core.scoring.sacrebleu import SACREBLEU
from .streams import check_sentence, count_references, count_streams, segment_major

TYPE_CHECKING = False
if TYPE_CHECKING:
    import json
    from collections.abc import Iterable, Sequence
    from typing import Any, ClassVar

    from ..significance import experiment
else:
    experiment = lazy("fastbleu.significance.experiment")
    json = lazy("json")

VERSION = SACREBLEU.version
CONFIDENCE = 0.95  # of all intervals
_SEED_VARIABLE = "SACREBLEU_SEED"

# What is handed over from an installed sacreBLEU, and its modules.
ORIGINALS = {
    **dict.fromkeys(("TER", "TERScore", "TERSignature"), "sacrebleu.metrics.ter"),
    **dict.fromkeys(("corpus_ter", "sentence_ter"), "sacrebleu.compat"),
    **dict.fromkeys(("extract_char_ngrams", "extract_word_ngrams"), "sacrebleu.metrics.helpers"),
    **dict.fromkeys(("SACREBLEU_DIR", "download_test_set", "smart_open"), "sacrebleu.utils"),
    **dict.fromkeys(("get_available_testsets", "get_langpairs_for_testset"), "sacrebleu.utils"),
    **dict.fromkeys(("get_reference_files", "get_source_file"), "sacrebleu.utils"),
    "DATASETS": "sacrebleu.dataset",
}

# Abbreviations of the fields of signatures.
_SHORT = {
    "version": "v",
    "nrefs": "#",
    "test": "t",
    "lang": "l",
    "subset": "S",
    "origlang": "o",
    "seed": "rs",
    "case": "c",
    "eff": "e",
    "smooth": "s",
    "space": "s",
    **{name: name for name in ("bs", "ar", "tok", "nc", "nw")},
}


def original(name: str) -> Any:
    """One of `ORIGINALS`; ImportError if sacreBLEU is not installed."""
    return getattr(installed(ORIGINALS[name], name), name)


def installed(module: str, name: str) -> Any:
    """A module of an installed sacreBLEU, from which `name` is taken."""
    try:
        return import_locked(module)
    except ImportError as error:
        raise ImportError(
            f"{name} is sacreBLEU's own, which cannot be imported ({error}); install the extra: "
            f"{install_command('testsets')}",
            name=error.name,
        ) from error


class Score:
    """The text and the confidence interval of a score."""

    name: str
    score: float
    _mean: float
    _ci: float
    _verbose: Any = ""  # what follows the score

    def format(
        self, width: int = 2, score_only: bool = False, signature: str = "", is_json: bool = False
    ) -> str:
        """The score as text.

        Parameters
        ----------
        width : int, default 2
            Digits after the decimal point.
        score_only : bool, default False
            Only the score and its confidence interval; takes precedence over `is_json`.
        signature : str, default ""
            Added after the name; for JSON also split into its fields.
        is_json : bool, default False
            Return a JSON object; this needs the signature.

        Raises
        ------
        ValueError
            JSON is requested and the signature is not a list of ``key:value`` fields.

        Examples
        --------
        >>> from fastbleu.sacrebleu import BLEUScore
        >>> score = BLEUScore(50.0, [3, 1], [4, 3], [75.0, 33.333], 1.0, 4, 4)
        >>> score.format(width=1, signature="nrefs:1")
        'BLEU|nrefs:1 = 50.0 75.0/33.3 (BP = 1.000 ratio = 1.000 hyp_len = 4 ref_len = 4)'
        """
        number = f"{self.score:.{width}f}"
        fields: dict[str, Any] = {"name": self.name, "score": float(number), "signature": signature}
        text = number
        if self._mean > 0:
            mean, ci = f"{self._mean:.{width}f}", f"{self._ci:.{width}f}"
            fields["confidence_mean"] = float(mean)
            fields["confidence_var"] = float(ci)
            fields["confidence"] = f"μ = {mean} ± {ci}"
            text = f"{number} ({fields['confidence']})"
        if score_only:
            return text
        if is_json:
            return self._json(fields, signature)
        name = f"{self.name}|{signature}" if signature else self.name
        return f"{name} = {text} {self._verbose}" if self._verbose else f"{name} = {text}"

    def _json(self, fields: dict[str, Any], signature: str) -> str:
        if self._verbose:
            fields["verbose_score"] = self._verbose
        for field in signature.split("|"):
            parts = field.split(":")
            if len(parts) != 2:
                raise ValueError(
                    f"the signature has the field {shown(field)}, but JSON needs fields of the "
                    "form key:value; pass signature=str(metric.get_signature())"
                )
            fields[parts[0]] = parts[1]
        return json.dumps(fields, indent=1, ensure_ascii=False)

    def estimate_ci(self, scores: Iterable[Any]) -> None:
        """Set the mean and 95 % confidence interval from the attribute `score` of each sample."""
        self._take_interval([score.score for score in scores])

    def _take_interval(self, scores: Sequence[Any]) -> None:
        ordered = sorted(scores)
        left_out = len(ordered) // 40
        self._ci = 0.5 * (ordered[len(ordered) - left_out - 1] - ordered[left_out])
        self._mean = import_locked("statistics").mean(ordered)

    def __repr__(self) -> str:
        return self.format()


class Signature:
    """A text that names everything that a score depends on.

    Parameters
    ----------
    args : dict
        The attributes of a metric; ValueError if it has not seen references yet.

    Attributes
    ----------
    info : dict
        The fields; those that are None are left out of the text.
    """

    def __init__(self, args: dict[str, Any]) -> None:
        self._abbr = dict(_SHORT)
        if "num_refs" not in args:
            raise ValueError(
                "the signature names the number of references, which is not known yet: "
                "score something first, or pass references= to the metric"
            )
        self.info = {
            "version": VERSION,
            "nrefs": "var" if args["num_refs"] == -1 else args["num_refs"],
            "bs": args.get("n_bootstrap"),
            "ar": None,
            "seed": args.get("seed"),
            "test": args.get("test_set"),
            "lang": args.get("langpair"),
            "origlang": args.get("origlang"),
            "subset": args.get("subset"),
            "case": "lc" if args["lowercase"] else "mixed",
        }

    def format(self, short: bool = False) -> str:
        """The fields, separated by ``|``, the version last; `short` abbreviates their names."""
        fields = []
        for name in sorted(self.info, key="version".__eq__):  # stable: only the version moves
            value = self.info[name]
            if isinstance(value, bool):
                value = "yes" if value else "no"
            if value is not None:
                fields.append(f"{self._abbr[name] if short else name}:{value}")
        return "|".join(fields)

    def update(self, key: str, value: object) -> None:
        """Set a field, or add one."""
        self.info[key] = value

    def __repr__(self) -> str:
        return self.format()


def estimate(
    score: Score, rows: Any, scoring: experiment.DialectScoring, samples: int, seed: int | None
) -> None:
    """Set a score's confidence interval from bootstrap samples of adapted rows, or of a table."""
    [scores] = experiment.Experiment([rows], scoring, CONFIDENCE, seed).draw(samples)
    if not any(map(isnan, scores)):
        # The mean of float32 is one, too.
        score._take_interval(list(scores) if scores.dtype == "f" else scores.tolist())


def seed_text() -> str:
    """The environment variable SACREBLEU_SEED, or sacreBLEU's default seed."""
    return os.environ.get(_SEED_VARIABLE, "12345")


def seed_of_environment() -> int | None:
    """The seed in `seed_text`; errors as for `read_seed`."""
    return read_seed(seed_text(), f"the environment variable {_SEED_VARIABLE}")


def read_seed(text: str, name: str) -> int | None:
    """Parse a seed; "none" gives None, a different seed each time.

    Raises ValueError unless it is "none" or an integer of at least 0.
    """
    if text.lower() == "none":
        return None
    try:
        seed = int(text)
    except ValueError:
        raise ValueError(
            f"{name} is {shown(text)}, expected an integer of at least 0, or 'none' for a "
            "different seed each time"
        ) from None
    if seed < 0:
        raise ValueError(f"{name} is {seed}, but must be at least 0")
    return seed


class Metric:
    """A metric; refuses subclasses that override `_NOT_CALLED`, sacreBLEU's inner methods."""

    _NOT_CALLED: ClassVar[frozenset[str]] = frozenset(
        {
            *("_aggregate_and_compute", "_cache_references", "_check_corpus_score_args"),
            *("_check_sentence_score_args", "_compute_score_from_stats", "_preprocess_segment"),
            *("_compute_segment_statistics", "_extract_corpus_statistics"),
            "_extract_reference_info",
        }
    )
    _SIGNATURE_TYPE: ClassVar[type[Signature]] = Signature
    num_refs: int

    def __init__(self, references: Sequence[Sequence[str | None]] | None) -> None:
        self.n_bootstrap: int | None = None
        self.seed: str | None = None
        self._ref_cache: list[Any] | None = None
        if references is not None:
            self._ref_cache = segment_major(references)
            self.num_refs = count_references(self._ref_cache)

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        own = [base for base in cls.__mro__ if "_NOT_CALLED" in vars(base)]
        if cls in own:
            return
        others = [vars(base) for base in cls.__mro__ if base not in own[0].__mro__]
        overridden = sorted(cls._NOT_CALLED.intersection(chain(*others)))
        if overridden:
            name = own[0].__name__
            raise TypeError(
                f"{cls.__name__} overrides {', '.join(overridden)}, which fastbleu.sacrebleu."
                f"{name} does not call; derive it from sacrebleu.{name}, and call "
                "fastbleu.patch() for speed"
            )

    def get_signature(self) -> Signature:
        """The signature of the last score; ValueError if there is none yet."""
        return self._SIGNATURE_TYPE(self.__dict__)

    def _count_streams(
        self, hypotheses: Any, references: Any, counter: Any, keep_rows: bool = True
    ) -> Any:
        """Count a corpus with a Counter or a ChrfCounter; returns what its `count` does."""
        counted = count_streams(hypotheses, references, self._ref_cache, counter, keep_rows)
        if references:
            self.num_refs = counted.nrefs
        return counted

    def _count_sentence(self, hypothesis: Any, references: Any, counter: Any) -> Any:
        """Count a single segment."""
        check_sentence(hypothesis, references)
        counted = counter.count(Batch([hypothesis], [tuple(references)]))
        self.num_refs = counted.nrefs
        return counted

    def _estimate(self, score: Score, rows: Any, scoring: Any, samples: int) -> None:
        """Set a score's confidence interval; the signature has the number of samples and seed."""
        self.n_bootstrap = samples
        estimate(score, rows, scoring, samples, seed_of_environment())
        self.seed = seed_text().lower()

    def _aggregate_and_compute(self, stats: Any) -> Any:
        """The score of all rows together."""
        if len(stats) == 1:
            return self._compute_score_from_stats(stats[0])
        return self._compute_score_from_stats([sum(row) for row in zip(*stats, strict=True)])

    def _compute_score_from_stats(self, stats: Any) -> Any:
        """The score of one row, a list or array of numbers."""
        raise NotImplementedError
