"""What `fastbleu.sacrebleu` returns: `BLEUScore` and `BLEUSignature`, as in sacreBLEU 2.6.0."""

from __future__ import annotations

import os
from math import isnan

from ..core.counting.stats import Stats
from ..core.inputs.arguments import shown
from ..core.runtime.caching import cached_property
from ..core.runtime.import_lock import lazy
from ..core.scoring._sacrebleu import LazyScore
from ..core.scoring.sacrebleu import SACREBLEU

TYPE_CHECKING = False
if TYPE_CHECKING:
    import json
    import statistics
    from collections.abc import Iterable
    from typing import Any

    from ..significance import experiment
else:
    json = lazy("json")
    statistics = lazy("statistics")
    experiment = lazy("fastbleu.significance.experiment")

VERSION = SACREBLEU.version
CONFIDENCE = 0.95  # of all sacreBLEU's intervals
_SEED_VARIABLE = "SACREBLEU_SEED"


class BLEUScore(LazyScore):
    """A BLEU score and what it was computed from.

    Parameters
    ----------
    score : float
        In 0-100.
    counts, totals : list of int (float where add-k has added one), length max_ngram_order
        Clipped n-gram matches and n-grams of the hypotheses.
    precisions : list of float, length max_ngram_order
        In 0-100, smoothed.
    bp : float
        The brevity penalty, 0-1.
    sys_len, ref_len : int
        Lengths of the hypotheses and of the closest references, in tokens.

    Attributes
    ----------
    name : str
        "BLEU".
    ratio : float
        sys_len / ref_len; the integer 0 if ref_len is 0.
    prec_str : str
        The precisions with one digit, separated by slashes.
    """

    name: str
    score: float
    counts: list[float]
    totals: list[float]
    precisions: list[float]
    bp: float
    sys_len: int
    ref_len: int
    _mean: float
    _ci: float

    def __init__(
        self,
        score: float,
        counts: list[float],
        totals: list[float],
        precisions: list[float],
        bp: float,
        sys_len: int,
        ref_len: int,
    ) -> None:
        self._assign(score, counts, totals, precisions, bp, sys_len, ref_len)

    # Formatting the texts takes longer than scoring, and most scores are never printed.
    @cached_property
    def prec_str(self) -> str:
        return "/".join([f"{p:.1f}" for p in self.precisions])

    @cached_property
    def ratio(self) -> float:
        return self.sys_len / self.ref_len if self.ref_len else 0

    @cached_property
    def _verbose(self) -> str:
        return (
            f"{self.prec_str} (BP = {self.bp:.3f} ratio = {self.ratio:.3f} "
            f"hyp_len = {self.sys_len:d} ref_len = {self.ref_len:d})"
        )

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

    def _take_interval(self, scores: list[float]) -> None:
        ordered = sorted(scores)
        left_out = len(ordered) // 40
        self._ci = 0.5 * (ordered[len(ordered) - left_out - 1] - ordered[left_out])
        self._mean = statistics.mean(ordered)

    def __repr__(self) -> str:
        return self.format()


def estimate_from_rows(
    score: BLEUScore,
    stats: Stats,
    samples: int,
    smoothing: str,
    value: float | None,
    effective_order: bool,
    seed: int | None,
) -> None:
    """Set the score's confidence interval from bootstrap samples."""
    scoring = experiment.SacrebleuScoring(stats.max_ngram_order, smoothing, value, effective_order)
    rows = [SACREBLEU.adapt(stats)]
    drawn = experiment.Experiment(rows, scoring, CONFIDENCE, seed).draw(samples)
    scores = drawn[0].tolist()
    if not any(map(isnan, scores)):
        score._take_interval(scores)


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


class BLEUSignature:
    """A text that names everything that a score depends on.

    Parameters
    ----------
    args : dict
        The attributes of a `BLEU` object; ValueError if it has not seen references yet.

    Attributes
    ----------
    info : dict
        The fields; those that are None are left out of the text.
    """

    def __init__(self, args: dict[str, Any]) -> None:
        self._abbr = {
            "version": "v",
            "nrefs": "#",
            "test": "t",
            "lang": "l",
            "subset": "S",
            "origlang": "o",
            "bs": "bs",
            "ar": "ar",
            "seed": "rs",
            "case": "c",
            "eff": "e",
            "tok": "tok",
            "smooth": "s",
        }
        if "num_refs" not in args:
            raise ValueError(
                "the signature names the number of references, which is not known yet: "
                "score something first, or pass references= to BLEU"
            )
        smoothing = args["smooth_method"]
        value = SACREBLEU.smoothings[smoothing]
        if value is not None:
            if args["smooth_value"] is not None:
                value = args["smooth_value"]
            smoothing += f"[{value:.2f}]"
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
            "eff": "yes" if args["effective_order"] else "no",
            "tok": args["tokenizer_signature"],
            "smooth": smoothing,
        }

    def format(self, short: bool = False) -> str:
        """The fields, separated by ``|``, the version last; `short` abbreviates their names."""
        fields = []
        for name in [*[name for name in self.info if name != "version"], "version"]:
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
