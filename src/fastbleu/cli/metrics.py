"""The metrics of the command in sacreBLEU's mode: how each counts, scores and tests systems."""

from __future__ import annotations

import os
from array import array
from collections import namedtuple
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import zip_longest

from ..chrf.counter import ChrfCounted, ChrfCounter
from ..core.counting._counted import Sums, joint_nrefs
from ..core.counting.counter import Counter
from ..core.inputs.arguments import number_of
from ..core.inputs.errors import warn_input
from ..core.inputs.mistakes import look_tokenized
from ..core.runtime.import_lock import lazy
from ..core.scoring._sacrebleu import score_of_row
from ..core.scoring.sacrebleu import SACREBLEU
from ..core.tokenizers.tokenizer import get as get_tokenizer
from ..sacrebleu.base import CONFIDENCE, estimate, original, seed_text
from ..sacrebleu.metrics.bleu import BLEUScore, BLEUSignature
from ..sacrebleu.metrics.chrf import CHRFScore, CHRFSignature
from ..sacrebleu.streams import count_references
from .imports import import_undisturbed
from .readers import InputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from ..chrf import samples
    from ..core.inputs._batch import Batch
    from ..sacrebleu.base import Score
    from ..significance import experiment
    from .parser import Options
else:
    # `command` has imported numpy, which these load.
    experiment = lazy("fastbleu.significance.experiment")
    samples = lazy("fastbleu.chrf.samples")

LARGEST_MARKED = 0.05  # of p-values, by sacreBLEU
# A system's score, 0-100, and the result of a paired test; the baseline has no `p_value`. The
# interval has the attributes `mean` and `half_width`.
System = namedtuple("System", "name score p_value interval", defaults=(None, None))
_HalfWidth = namedtuple("_HalfWidth", "mean half_width")


class Metric:
    """A metric; `counter` counts batches, and `sums` adds up what it counted.

    `score` gives the score of such a total, and `segments` the scores of what was counted. An
    `Experiment` gets the kept `rows` of a total, and the `scoring` of random samples.
    """

    name: str
    counter: Any
    info: Any  # the signature
    sums: Callable[[Any, bool], Any]
    score: Callable[[Any], Any]
    segments: Callable[[Any], list[Any]]
    rows: Callable[[Any], Any]
    scoring: Callable[[], Any]

    def __init__(self, options: Options) -> None:
        self.options = options

    def signature(self, short: bool) -> str:
        """The text of the signature, `short` or long."""
        return str(self.info.format(short))

    def describe(self, names: Sequence[str], totals: Sequence[Any]) -> None:
        """Put what the sums say into the signature, and warn of it."""
        self.info.update("nrefs", "var" if totals[0].nrefs == -1 else totals[0].nrefs)

    def estimate(self, score: Score, total: Any) -> None:
        """Set the confidence interval of a score."""
        options = self.options
        arguments = self.rows(total), self.scoring(), options.confidence_n, options.random_seed
        estimate(score, *arguments)
        self.note_test((options.seed or seed_text()).lower(), options.confidence_n)

    def system(self, name: str, total: Any) -> System:
        """A system's score, with an interval if that is requested."""
        score, interval = self.score(total), None
        if self.options.confidence and self.options.confidence_n > 1:
            self.estimate(score, total)
            interval = _HalfWidth(score._mean, score._ci)
        return System(name, score.score, None, interval)

    def note_test(self, seed: str, count: int, test: str = "bs") -> None:
        """Add a test's seed and number of samples to the signature."""
        self.info.update(test, count)
        self.info.update("seed", seed)

    def compare(self, totals: Sequence[Any]) -> tuple[list[Any], list[float]]:
        """The Comparison of each system with the first one, and sacreBLEU's p-values."""
        options = self.options
        systems = experiment.Experiment(
            [self.rows(total) for total in totals],
            self.scoring(),
            CONFIDENCE,
            options.random_seed,
            progress=options.progress,
        )
        self.note_test(str(systems.seed).lower(), options.samples, options.test)
        if options.test == "bs":
            results = systems.bootstrap(options.samples)
        else:
            results = systems.randomize(options.samples, samples=0)
        return results, systems.sacrebleu_p_values

    def test(self, names: Sequence[str], totals: Sequence[Any]) -> list[System]:
        """The systems with the results of a paired test; warns where its marks mislead."""
        results, p_values = self.compare(totals)
        first = results[0]
        systems = [System(names[0], first.baseline_score, None, first.baseline_interval)]
        for name, result, p_value in zip(names[1:], results, p_values, strict=True):
            systems.append(System(name, result.score, p_value, result.interval))
            if result._too_few or result.is_significant != (p_value <= LARGEST_MARKED):
                of_metric = f", {self.name}" if len(self.options.metrics) > 1 else ""
                warn_input(f"{name}{of_metric}: {result._verdict}")
        return systems


class Bleu(Metric):
    name = "BLEU"
    sums = staticmethod(Sums.from_counts)

    def __init__(self, options: Options, references: int) -> None:
        super().__init__(options)
        try:
            tokenizer = get_tokenizer(options.tokenizer)
        except (ImportError, OSError, RuntimeError, ValueError) as error:
            raise InputError(f"-tok {options.tokenizer}: {error}") from error
        order = options.max_ngram_order
        self.counter = Counter(tokenizer, options.lowercase, order, options.threads)
        self.info = BLEUSignature(
            {
                "num_refs": references,
                "smooth_method": options.smooth_method,
                "smooth_value": options.smooth_value,
                "lowercase": options.lowercase,
                "effective_order": options.sentence_level,
                "tokenizer_signature": tokenizer.signature,
            }
        )
        smoothing = options.smooth_method, options.smooth_value
        self._scoring = order, *smoothing, options.sentence_level

    def signature(self, short: bool) -> str:
        text = super().signature(short)
        if self.options.max_ngram_order == 4:
            return text
        # sacreBLEU's signature has no field for the order, because its command has no option for
        # it.
        fields, separator, version = text.rpartition("|")
        return f"{fields}{separator}order:{self.options.max_ngram_order}{separator}{version}"

    def _score_row(self, row: array[int]) -> BLEUScore:
        try:
            score: BLEUScore = score_of_row(BLEUScore, row, *self._scoring)
        except ValueError as error:  # the logarithm of a precision below 0
            raise InputError(
                f"--smooth-value {self.options.smooth_value:g} with --smooth-method "
                f"{self.options.smooth_method} makes a precision negative, which has no "
                "logarithm: choose a value of at least 0"
            ) from error
        return score

    def score(self, total: Any) -> BLEUScore:
        return self._score_row(total.row)

    def segments(self, counted: Any) -> list[BLEUScore]:
        rows, width = counted.rows, 2 + 2 * counted.max_order
        return [self._score_row(rows[i : i + width]) for i in range(0, len(rows), width)]

    def describe(self, names: Sequence[str], totals: Sequence[Any]) -> None:
        for name, total in zip(names, totals, strict=True):
            periods = total.signs.tokenized_periods
            if look_tokenized(periods, total.segments):
                warn_input(
                    f"{name}: {periods} lines end in ' .', as tokenized text does; "
                    "scores of such text are not comparable: detokenize it, or add --force"
                )
            if total.row[0] and not total.row[-1] and self.score(total).score == 0:
                tokens = number_of(self.options.max_ngram_order, "token")
                problem = f"no hypothesis has {tokens}, so the score is 0"
                warn_input(f"{name}: {problem}: is each line a whole segment, not a word?")
        super().describe(names, totals)
        tokenizers = sorted(filter(None, totals[0].tokenizers or ()))
        self.info.update("tok", "+".join([str(self.info.info["tok"]), *tokenizers]))

    def rows(self, total: Any) -> Any:
        return SACREBLEU.adapt(total.rows())

    def scoring(self) -> Any:
        return experiment.SacrebleuScoring(*self._scoring)


class Chrf(Metric):
    sums = staticmethod(ChrfCounted.sums)

    def __init__(self, options: Options, references: int) -> None:
        super().__init__(options)
        self._orders = options.chrf_char_order, options.chrf_word_order
        names = "lowercase", "eps_smoothing", "char_order", "word_order", "whitespace"
        arguments = {name: getattr(options, f"chrf_{name}") for name in names}
        self.info = CHRFSignature({"num_refs": references, **arguments})
        rule = options.chrf_beta, options.chrf_eps_smoothing
        texts = options.chrf_lowercase, options.chrf_whitespace
        self.counter = ChrfCounter(*self._orders, rule, *texts, options.threads)
        self.name = self._made(0.0).name

    def _made(self, value: float) -> CHRFScore:
        return CHRFScore(value, *self._orders, self.options.chrf_beta)

    def score(self, total: Any) -> CHRFScore:
        return self._made(self.counter.score(total.row))

    def segments(self, counted: Any) -> list[CHRFScore]:
        return [self._made(value) for value in self.counter.scores(counted)]

    def rows(self, total: Any) -> Any:
        return samples.tables([total.rows()], self.counter.order)[0]

    def scoring(self) -> Any:
        return samples.ChrfScoring(self.counter.order, self.counter.rule)

    def test(self, names: Sequence[str], totals: Sequence[Any]) -> list[System]:
        return [
            system._replace(interval=known and _HalfWidth(known.mean, samples.half_width(known)))
            for system in super().test(names, totals)
            for known in [system.interval]
        ]


class TerSums:
    """The rows of segments; they are floats, so that the order of additions matters."""

    def __init__(self, rows: list[list[float]], nrefs: int) -> None:
        self.kept, self.nrefs = rows, nrefs

    def __add__(self, other: TerSums) -> TerSums:
        return TerSums(self.kept + other.kept, joint_nrefs(self.nrefs, other.nrefs))


class Ter(Metric):
    """An installed sacreBLEU's TER."""

    name = "TER"

    def __init__(self, options: Options, references: int) -> None:
        super().__init__(options)
        try:
            kind: Any = original("TER")
        except ImportError as error:
            raise InputError(f"-m ter: {error}") from error
        options_of_ter = "normalized", "no_punct", "asian_support", "case_sensitive"
        self._metric = kind(*[getattr(options, f"ter_{name}") for name in options_of_ter])
        self._metric.num_refs = references
        self.info = self._metric.get_signature()
        self.counter = self

    def count(self, batch: Batch, keep_rows: bool = True, meanwhile: Any = None) -> TerSums:
        """Count a batch."""
        hypotheses, references = batch.lists()
        listed = [(t,) if isinstance(t, str) else tuple(t) for t in references]
        streams = [list(stream) for stream in zip_longest(*listed)]
        rows = self._metric._extract_corpus_statistics(list(hypotheses), streams)
        return TerSums(rows, count_references(listed))

    @staticmethod
    def sums(counted: TerSums, keep_rows: bool) -> TerSums:
        return counted

    def score(self, total: TerSums) -> Any:
        return self._metric._aggregate_and_compute(total.kept)

    def segments(self, counted: TerSums) -> list[Any]:
        return [self._metric._compute_score_from_stats(row) for row in counted.kept]

    def estimate(self, score: Any, total: TerSums) -> None:
        with _seeded(self.options) as significance:
            arguments = total.kept, self._metric, self.options.confidence_n
            seed, scores = significance._bootstrap_resample(*arguments)
        score.estimate_ci(scores)
        self.note_test(seed, self.options.confidence_n)

    def test(self, names: Sequence[str], totals: Sequence[Any]) -> list[System]:
        options = self.options
        self._metric._extract_corpus_statistics = lambda rows, _: rows
        systems = [(name, total.kept) for name, total in zip(names, totals, strict=True)]
        with _seeded(options) as significance:
            arguments = systems, {"TER": self._metric}, None, options.test, options.samples
            signatures, scores = significance.PairedTest(*arguments)()
        self.note_test(signatures["TER"].info["seed"], options.samples, options.test)
        return [
            System(name, r.score, r.p_value, r.mean and _HalfWidth(float(r.mean), float(r.ci)))
            for (name, _), r in zip(systems, scores["TER"], strict=True)
        ]


@contextmanager
def _seeded(options: Options) -> Iterator[Any]:
    """sacreBLEU's significance tests with the command's seed, which they read from a variable."""
    before = os.environ.get("SACREBLEU_SEED")
    os.environ["SACREBLEU_SEED"] = options.seed or seed_text()
    try:
        yield import_undisturbed("sacrebleu.significance")
    finally:
        del os.environ["SACREBLEU_SEED"]
        if before is not None:
            os.environ["SACREBLEU_SEED"] = before


METRICS: dict[str, Callable[[Options, int], Metric]] = {"bleu": Bleu, "chrf": Chrf, "ter": Ter}
