"""The metrics `bleu`, `sacrebleu` and `chrf` of Hugging Face's `evaluate`, in memory.

`load` replaces `evaluate.load` for them: no hub, no network, no cache and no lock files;
`evaluate` itself need not be installed. Arguments and results, with their types, are those of the
hub's metrics; error messages differ.

>>> bleu = load("bleu")
>>> bleu.add(prediction="the cat sat on it", reference=["the cat sat on it", "a cat sat"])
>>> bleu.add_batch(predictions=["it sat"], references=["it sat down"])
>>> bleu.compute(smooth=True)["length_ratio"]
1.1666666666666667
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial

from ..core.inputs._batch import Batch
from ..core.inputs.arguments import a_type, check_flag, check_positive, number_of, shown
from ..core.inputs.errors import InputError, InputTypeError
from ..core.inputs.mistakes import warn_tokenized
from ..core.metric.argument import counter_of
from ..core.metric.bleu import BLEU
from ..core.scoring._sacrebleu import details
from ..core.scoring.sacrebleu import SACREBLEU
from ..core.scoring.score import NoScoreError
from ..originals.formulas import EVALUATE
from ..sacrebleu.metrics.chrf import CHRF
from ..sacrebleu.metrics.chrf import counter_of as counter_of_chrf

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Literal


class _InMemory:
    """Collects segments until `compute`. Not thread-safe."""

    name: str

    def __init__(self) -> None:
        # One list, so that no failure adds a prediction without its reference.
        self._waiting: list[tuple[str, str | list[str]]] = []

    def add(
        self,
        *,
        prediction: str | None = None,
        reference: str | Sequence[str] | None = None,
        predictions: str | None = None,
        references: str | Sequence[str] | None = None,
    ) -> None:
        """Add one segment: a prediction and its reference or list of references, by either name."""
        prediction = predictions if prediction is None else prediction
        reference = references if reference is None else reference
        self.add_batch(predictions=[prediction], references=[reference])  # type: ignore[list-item]

    def add_batch(
        self,
        *,
        predictions: Sequence[str] | None = None,
        references: Sequence[str | Sequence[str]] | None = None,
    ) -> None:
        """Add segments; if that raises, nothing is added.

        ``references[i]`` is the reference, or the list of references, of ``predictions[i]``.
        TypeError or ValueError if a text is not a str, a prediction has no reference, or the two
        differ in length.
        """
        hypotheses = _listed(predictions, "predictions")
        all_references = _listed(references, "references")
        if len(hypotheses) != len(all_references):
            raise InputError(
                f"predictions has {number_of(len(hypotheses), 'segment')}, references has "
                f"{len(all_references)}; references[i] belongs to predictions[i]"
            )
        added: list[tuple[str, str | list[str]]] = []
        pairs = zip(hypotheses, all_references, strict=True)
        for number, (hypothesis, texts) in enumerate(pairs, len(self)):
            _check_text(hypothesis, f"prediction {number}")
            if not isinstance(texts, str):
                texts = _listed(texts, f"reference of prediction {number}", "a str or several")
                for k, text in enumerate(texts):
                    _check_text(text, f"reference {k} of prediction {number}")
                if not texts:
                    raise InputError(f"prediction {number} has no reference")
            added.append((hypothesis, texts))
        self._waiting += added

    def __len__(self) -> int:
        """The number of segments added since the last `compute`."""
        return len(self._waiting)

    def _feature_names(self) -> list[str]:
        """The names of the inputs, which `evaluate.combine` requires besides `name`."""
        return ["predictions", "references"]

    def _take(self, predictions: Any, references: Any) -> tuple[list[str], list[str | list[str]]]:
        """Remove and return all segments, including those passed now."""
        if predictions is not None or references is not None:
            self.add_batch(predictions=predictions, references=references)
        if not self._waiting:
            raise InputError("there is nothing to score: call add or add_batch before compute")
        taken, self._waiting = self._waiting, []
        return [hypothesis for hypothesis, _ in taken], [texts for _, texts in taken]


class Bleu(_InMemory):
    """The hub's `bleu` for evaluate 0.4.6: `compute_bleu` of tensorflow/nmt, on 0-1."""

    name = "bleu"

    def compute(
        self,
        *,
        predictions: Sequence[str] | None = None,
        references: Sequence[str | Sequence[str]] | None = None,
        tokenizer: Callable[[str], Sequence[Any]] | None = None,
        max_order: int = 4,
        smooth: bool = False,
    ) -> dict[str, Any]:
        """BLEU of all segments added since the last call, and of those given here.

        The length of the SHORTEST reference counts, and the score is 0 if an order has no match: do
        not compare it with sacreBLEU's.

        Parameters
        ----------
        predictions, references : optional
            As for `add_batch`.
        tokenizer : callable (str -> list of tokens), optional
            Default: 13a; unlike sacreBLEU's it keeps whitespace at the end of a text.
        max_order : int, default 4
            The longest n-grams.
        smooth : bool, default False
            Add 1 to the matches and totals of all orders.

        Returns
        -------
        dict
            bleu, brevity_penalty: float, 0-1; precisions: list of float, shape (max_order,), 0-1,
            smoothed; length_ratio: float; translation_length, reference_length: int, in tokens.

        Raises
        ------
        TypeError, ValueError
            As for `add_batch`, or nothing was added, or an option is wrong. If `tokenizer` does not
            return a list of tokens, the segments are lost.
        ZeroDivisionError
            The predictions or the references have no tokens at all.
        """
        if tokenizer is not None and not callable(tokenizer):
            raise TypeError(
                f"tokenizer is {a_type(tokenizer)}, expected a function that takes a str "
                "and returns a list of tokens"
            )
        max_order = check_positive("max_order", max_order)
        smooth = check_flag("smooth", smooth)
        tokenize: Literal[False] | None = None if tokenizer is None else False
        metric = BLEU("evaluate", tokenize=tokenize, max_ngram_order=max_order)
        hypotheses, listed = self._take(predictions, references)
        if tokenizer is not None:
            split = partial(_tokens, tokenizer)
            hypotheses = [split(hypothesis) for hypothesis in hypotheses]
            several = ([texts] if isinstance(texts, str) else texts for texts in listed)
            listed = [[split(text) for text in texts] for texts in several]
        metric.update(hypotheses, listed)
        hyp_len, ref_len, *counts = metric.state.tolist()
        row = hyp_len, ref_len, counts[:max_order], counts[max_order:]
        try:
            bleu, precisions, bp = EVALUATE.details(row, smooth)
        except NoScoreError as error:  # the hub's code divides by a length
            raise ZeroDivisionError(*error.args) from None
        return {
            "bleu": bleu,
            "precisions": precisions,
            "brevity_penalty": bp,
            "length_ratio": hyp_len / ref_len,
            "translation_length": hyp_len,
            "reference_length": ref_len,
        }


class Sacrebleu(_InMemory):
    """The hub's `sacrebleu` for evaluate 0.4.6: sacreBLEU 2.6.0's corpus score, on 0-100."""

    name = "sacrebleu"

    def compute(
        self,
        *,
        predictions: Sequence[str] | None = None,
        references: Sequence[str | Sequence[str]] | None = None,
        smooth_method: str = "exp",
        smooth_value: float | None = None,
        force: bool = False,
        lowercase: bool = False,
        tokenize: str | Callable[[str], list[str]] | None = None,
        use_effective_order: bool = False,
    ) -> dict[str, Any]:
        """BLEU of all segments added since the last call, and of those given here.

        Parameters
        ----------
        predictions, references : optional
            As for `add_batch`; the number of references may vary.
        smooth_method, smooth_value, lowercase, tokenize, use_effective_order
            As `smooth_method`, `smooth_value`, `lowercase`, `tokenize` and `effective_order` of
            `fastbleu.BLEU`.
        force : bool, default False
            Do not warn about predictions that look tokenized already.

        Returns
        -------
        dict
            score: float, 0-100; counts, totals: list, shape (4,), n-grams; precisions: list of
            float, shape (4,), 0-100, smoothed; bp: float, 0-1; sys_len, ref_len: int, in tokens.

        Raises
        ------
        TypeError, ValueError, ImportError, FileNotFoundError, RuntimeError
            As for `add_batch` and `fastbleu.BLEU`, or nothing was added.
        """
        if SACREBLEU.smoothings.get(smooth_method, 0.0) is None:
            smooth_value = None  # sacreBLEU ignores a value that has no effect
        metric = BLEU(
            tokenize=tokenize or "13a",
            lowercase=lowercase,
            smooth_method=smooth_method,
            smooth_value=smooth_value,
        )
        counter = counter_of(metric)
        batch = counter.read(*self._take(predictions, references))
        counted = counter.count(batch, keep_rows=False)
        if not force:
            warn_tokenized(counted.signs.tokenized_periods, otherwise="force=True")
        row = counted.rows
        score, precisions, bp, counts, totals = details(
            row, counter.max_ngram_order, smooth_method, smooth_value, use_effective_order
        )
        return {
            "score": score,
            "counts": counts,
            "totals": totals,
            "precisions": precisions,
            "bp": bp,
            "sys_len": row[0],
            "ref_len": row[1],
        }


class Chrf(_InMemory):
    """The hub's `chrf` for evaluate 0.4.6: sacreBLEU 2.6.0's corpus score, on 0-100."""

    name = "chr_f"

    def compute(
        self,
        *,
        predictions: Sequence[str] | None = None,
        references: Sequence[str | Sequence[str]] | None = None,
        char_order: int = 6,
        word_order: int = 0,
        beta: float = 2,
        lowercase: bool = False,
        whitespace: bool = False,
        eps_smoothing: bool = False,
    ) -> dict[str, Any]:
        """chrF of all segments added since the last call, and of those given here.

        Parameters
        ----------
        predictions, references : optional
            As for `add_batch`; the number of references may vary.
        char_order, word_order, beta, lowercase, whitespace, eps_smoothing
            As for `fastbleu.sacrebleu.CHRF`.

        Returns
        -------
        dict
            score: float, 0-100; char_order, word_order: int; beta.

        Raises
        ------
        TypeError, ValueError
            As for `add_batch` and `fastbleu.sacrebleu.CHRF`, or nothing was added.
        """
        options = beta, lowercase, whitespace, eps_smoothing
        counter = counter_of_chrf(CHRF(char_order, word_order, *options))
        counted = counter.count(Batch(*self._take(predictions, references)))
        score = counter.score(counted.sums().row)
        orders = {"char_order": char_order, "word_order": word_order}
        return {"score": score, **orders, "beta": beta}


def load(
    path: str,
    config_name: object = None,
    module_type: object = None,
    process_id: int = 0,
    num_process: int = 1,
    cache_dir: object = None,
    experiment_id: object = None,
    keep_in_memory: bool = False,
    download_config: object = None,
    download_mode: object = None,
    revision: object = None,
) -> Bleu | Sacrebleu | Chrf:
    """Create "bleu", "sacrebleu" or "chrf"; ValueError for others and for several processes.

    The other parameters are those of `evaluate.load`, and have no effect.
    """
    metrics: dict[str, Any] = {"bleu": Bleu, "sacrebleu": Sacrebleu, "chrf": Chrf}
    if path not in metrics:
        raise ValueError(f"metric {shown(path)} is unknown: there are {', '.join(metrics)}")
    if num_process != 1:
        raise ValueError(
            f"num_process is {num_process}, but the segments stay in this process: gather them "
            "first, or sum up counts with fastbleu.BLEU and its all_reduce()"
        )
    metric: Bleu | Sacrebleu | Chrf = metrics[path]()
    return metric


def _listed(values: Any, name: str, expected: str = "a list of segments") -> list[Any]:
    if isinstance(values, (str, bytes, dict, set)) or not isinstance(values, Iterable):
        raise InputTypeError(f"{name} is {a_type(values)}, expected {expected}")
    return list(values)


def _check_text(text: Any, where: str) -> None:
    if not isinstance(text, str):
        fix = ": join its tokens" if isinstance(text, (list, tuple)) else ""
        raise InputTypeError(f"{where} is {a_type(text)}, expected a str{fix}")


def _tokens(tokenizer: Callable[[str], Any], text: str) -> Any:
    """The user's tokens of a text, with a message for the most common mistake."""
    tokens = tokenizer(text)
    if isinstance(tokens, (str, bytes)):
        raise TypeError(
            f"tokenizer returned {a_type(tokens)}, expected a list of tokens; split the "
            "text, or pass tokenizer=list if its characters are the tokens"
        )
    return tokens
