"""BLEU as the `compute_metrics` of Hugging Face's `Trainer` and `Seq2SeqTrainer`.

With a tokenizer the ids are decoded, and BLEU is that of the text:

    Seq2SeqTrainer(
        model,
        Seq2SeqTrainingArguments(predict_with_generate=True, batch_eval_metrics=True),
        compute_metrics=compute_metrics(tokenizer),
        ...
    )

Without one it is BLEU of the ids. This needs no decoding and helps to choose a checkpoint, but it
depends on the vocabulary and does not replace BLEU of text in a paper.
"""

from __future__ import annotations

import sys
import weakref

from ..core.inputs.arguments import a_type, check_integer, number_of, shape_of
from ..core.inputs.errors import InputError, InputTypeError, warn_input
from ..core.inputs.ids import in_main_memory
from ..core.metric.argument import as_metric
from ..core.metric.bleu import BLEU

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any, Protocol

    import numpy
    from numpy.typing import NDArray

    from ..core.metric.argument import Metric

    Ids = NDArray[numpy.integer[Any]]
    Postprocess = Callable[[list[str], list[str]], tuple[list[str], list[Any]]]
    Extra = Callable[[list[str], list[Any]], Mapping[str, float]]

    class BatchDecoder(Protocol):
        """A tokenizer of transformers."""

        def batch_decode(
            self, rows: list[list[int]], *, skip_special_tokens: bool
        ) -> list[str]: ...


# transformers' value for "no id": labels without a loss, and padding of shorter rows.
PADDING = -100


class ComputeMetrics:
    """The result of `compute_metrics`: a callable that keeps counts between batches.

    The only ids it keeps are, if `rows` is given, the labels of the first batch; texts are kept for
    `extra`. The trainer passes the predictions of all processes to each, so nothing is reduced
    here. On several processes `Seq2SeqTrainer` passes some rows twice, which `rows` leaves out.
    """

    def __init__(
        self,
        tokenizer: Any,
        metric: BLEU,
        padding: tuple[int, ...],
        rows: int | None = None,
        postprocess: Postprocess | None = None,
        extra: Extra | None = None,
    ) -> None:
        self._tokenizer = tokenizer
        self._metric = metric
        self._padding = padding
        self._expected = rows
        self._postprocess = postprocess
        self._extra = extra
        self.reset()

    def reset(self) -> None:
        """Forget the batches of an interrupted evaluation."""
        self._metric.reset()
        self._evaluation: Any = None
        self._rows = self._generated = 0
        self._first_labels: Any = None
        self._hypotheses: list[str] = []
        self._references: list[Any] = []

    def __call__(self, prediction: Any, compute_result: bool | None = None) -> dict[str, float]:
        """Score a whole evaluation, or add one batch of it.

        Parameters
        ----------
        prediction : transformers.EvalPrediction, or tuple
            Predictions and labels: arrays or tensors of int, shape (rows, length), where -100
            means no id. For a tuple of predictions the first is used; in a list each entry is
            a batch (``eval_do_concat_batches=False``).
        compute_result : bool, optional
            False: more batches follow. True: this is the last batch. None: this is the whole
            evaluation.

        Returns
        -------
        dict
            bleu: float on the dialect's scale (0-100 for sacreBLEU's); brevity_penalty: float, 0-1,
            not for a mean of sentence scores; gen_len: float, the mean number of generated ids
            without padding; and what `extra` returns. Empty if more batches follow.

        Raises
        ------
        TypeError, ValueError
            The predictions are not integers, the shapes are not those above or do not agree,
            there is a negative id, or the data set does not have `rows` rows. The batches of this
            evaluation are then forgotten.
        """
        evaluation = _evaluation()
        if self._evaluation and evaluation and self._evaluation != evaluation:
            rows = number_of(self._rows, "row")
            self.reset()
            warn_input(f"left out {rows} of an evaluation that was interrupted")
        if compute_result is None:
            self.reset()
        try:
            if hasattr(prediction, "label_ids"):
                predictions, labels = prediction.predictions, prediction.label_ids
            else:
                predictions, labels, *_ = prediction
            if isinstance(predictions, list):
                for batch in zip(predictions, labels, strict=True):
                    self._add(*batch)
            else:
                self._add(predictions, labels)
            if compute_result is not None and not compute_result:
                self._evaluation = evaluation
                return {}
            self._check_rows()
            score = self._metric.compute()
            result: dict[str, Any] = {"bleu": score.value}
            if score.bp is not None:
                result["brevity_penalty"] = score.bp
            result["gen_len"] = self._generated / self._rows
            if self._extra is not None:
                others = dict(self._extra(self._hypotheses, self._references))
                if both := result.keys() & others:
                    raise ValueError(f"extra returns {min(both)!r}, a name that BLEU itself uses")
                result |= others
        except BaseException:
            self.reset()
            raise
        self.reset()
        return result

    def _add(self, predictions: Any, labels: Any) -> None:
        import numpy

        if isinstance(predictions, tuple):
            predictions = predictions[0]
        hypotheses, references = _ids(predictions, "predictions"), _ids(labels, "label_ids")
        if self._expected is not None:
            repeated = self._count_repeated(references, self._expected)
            hypotheses = hypotheses[: len(hypotheses) - repeated]
            references = references[: len(references) - repeated]
        if self._tokenizer is None:
            self._metric.update(hypotheses, references)
        else:
            self._add_texts(self._texts(hypotheses), self._texts(references))
        self._generated += int(numpy.isin(hypotheses, self._padding, invert=True).sum())
        self._rows += len(hypotheses)

    def _add_texts(self, hypotheses: list[str], references: list[Any]) -> None:
        if self._postprocess is not None:
            processed = self._postprocess(hypotheses, references)
            if not isinstance(processed, tuple) or len(processed) != 2:
                raise TypeError(
                    f"postprocess returned {a_type(processed)}, expected a tuple "
                    "(hypotheses, references)"
                )
            hypotheses, references = processed
        self._metric.update(hypotheses, references)
        if self._extra is not None:
            self._hypotheses += hypotheses
            self._references += references

    def _count_repeated(self, labels: Ids, expected: int) -> int:
        """The number of rows at the end of a batch that exceed the expected number.

        Seq2SeqTrainer fills the last batch with the first rows: other rows show that the data set
        is not the one that `rows` was given for.
        """
        if not self._rows:
            self._first_labels = labels[:expected]
        repeated = max(self._rows + len(labels) - expected, 0)
        for number in range(repeated):
            row = labels[len(labels) - repeated + number]
            first = self._first_labels[number % len(self._first_labels)]
            if row[row != PADDING].tolist() != first[first != PADDING].tolist():
                raise self._other_rows(f"more rows than {expected}")
        return repeated

    def _check_rows(self) -> None:
        """Raise ValueError if rows are missing; warn if some may have been scored twice."""
        if self._expected is not None:
            if self._rows < self._expected:
                raise self._other_rows(number_of(self._rows, "row"))
            return
        distributed = sys.modules.get("torch.distributed")
        if distributed is None or not distributed.is_available():
            return
        processes = distributed.get_world_size() if distributed.is_initialized() else 1
        # If rows are repeated, all processes have the same number.
        if processes > 1 and self._rows % processes == 0:
            warn_input(
                f"{self._rows} rows of {processes} processes were scored; Seq2SeqTrainer repeats "
                "rows to fill the last batch: pass rows=len(eval_dataset) to leave these out"
            )

    def _other_rows(self, rows: str) -> ValueError:
        return InputError(
            f"the evaluation had {rows}, but compute_metrics was given rows={self._expected}; for "
            "another data set, set trainer.compute_metrics = compute_metrics(..., rows=its length)"
        )

    def _texts(self, ids: Ids) -> list[str]:
        """Each row as text, without special tokens."""
        rows = [row[row != PADDING].tolist() for row in ids]
        # From zero rows the tokenizers of transformers 5 create one text.
        return self._tokenizer.batch_decode(rows, skip_special_tokens=True) if rows else []


def compute_metrics(
    tokenizer: BatchDecoder | None = None,
    *,
    metric: Metric | None = None,
    rows: int | None = None,
    postprocess: Postprocess | None = None,
    extra: Extra | None = None,
) -> ComputeMetrics:
    """Create a function for the parameter `compute_metrics` of a trainer.

    Parameters
    ----------
    tokenizer : object with batch_decode(rows, skip_special_tokens=True), optional
        A tokenizer of transformers. None: BLEU of the ids.
    metric : fastbleu.BLEU or str, optional
        A BLEU, or the name of a dialect; by default ``fastbleu.BLEU()``, for ids with
        ``tokenize=False``. For ids -100 is always one of its `ignore_ids`, which should also
        include the padding id; special ids count as tokens unless they are in `skip_ids`. Pass the
        end-of-sequence id as `stop_ids` only if no row starts with it; BART's decoder, for example,
        does.
    rows : int, optional
        The length of the evaluation data set, ``len(eval_dataset)``. Required for a correct score
        of a `Seq2SeqTrainer` on several processes, which repeats the first rows to give all
        processes full batches: the repeated rows are not scored.
    postprocess : callable, optional
        A function (hypotheses, references) that returns both, changed, such as `postprocess_text`
        in the examples of transformers. Its arguments are lists of str, of one batch if the trainer
        passes batches; each reference that it returns may also be a list of str.
    extra : callable, optional
        A function (hypotheses, references) that returns a dict of further scores, which are added
        to the result. Its arguments are all texts of the evaluation, after `postprocess`; they
        are kept until then.

    Returns
    -------
    ComputeMetrics
        Also for ``batch_eval_metrics=True``: the batches of an evaluation that was interrupted are
        left out of the next one, with a warning. If no trainer calls it, call its `reset`.

    Notes
    -----
    The predictions must be ids: from a `Seq2SeqTrainer` with ``predict_with_generate=True``, or
    from any trainer with a `preprocess_logits_for_metrics` that returns ``logits.argmax(-1)``, or
    ``logits[0].argmax(-1)`` if the model returns a tuple (this is the BLEU of a model that sees the
    labels, which means less). A causal model's ids are then one ahead of its labels: trim both.

    Examples
    --------
    >>> import fastbleu, numpy
    >>> metric = fastbleu.BLEU(tokenize=False, ignore_ids=(0,), skip_ids=(1, 2))
    >>> score_ids = compute_metrics(metric=metric)
    >>> labels = numpy.array([[5, 6, 7, 8, 2, -100]])
    >>> score_ids((numpy.array([[1, 5, 6, 7, 8, 2, 0]]), labels))
    {'bleu': 100.00000000000004, 'brevity_penalty': 1.0, 'gen_len': 6.0}
    """
    if rows is not None:
        if hasattr(rows, "__len__"):
            raise TypeError(f"rows is {a_type(rows)}, expected its length: pass len(...)")
        check_integer("rows", rows, 1)
    for name, function in (("postprocess", postprocess), ("extra", extra)):
        if function is not None and not callable(function):
            kind = a_type(function)
            raise TypeError(f"{name} is {kind}, expected a function (hypotheses, references)")
        if function is not None and tokenizer is None:
            raise ValueError(f"{name} needs text: pass the tokenizer that decodes ids")
    if tokenizer is None:
        bleu = BLEU(tokenize=False) if metric is None else as_metric(metric)
        if bleu.tokenize:
            raise ValueError(
                f"the metric has tokenize={bleu.tokenize.name!r}, which needs text: pass the "
                "tokenizer that decodes ids, or a metric with tokenize=False"
            )
        padding = (PADDING, *bleu.ignore_ids)
        # A separate metric, because batches are added to it.
        bleu = BLEU(**bleu.get_params() | {"ignore_ids": padding})
        return ComputeMetrics(None, bleu, padding, rows)
    if hasattr(tokenizer, "label_ids"):
        raise TypeError(
            "compute_metrics was given predictions: pass the result of a call to the trainer, "
            "compute_metrics=compute_metrics(tokenizer)"
        )
    if not callable(getattr(tokenizer, "batch_decode", None)):
        raise TypeError(
            f"tokenizer is {a_type(tokenizer)} without batch_decode, expected one of "
            "transformers; a metric is passed by name, metric="
        )
    bleu = BLEU(**as_metric(metric).get_params())
    if not bleu.tokenize:
        raise ValueError("tokenize=False is for ids: leave out the tokenizer that decodes them")
    pad = getattr(tokenizer, "pad_token_id", None)
    padding = (PADDING,) if pad is None else (PADDING, pad)
    return ComputeMetrics(tokenizer, bleu, padding, rows, postprocess, extra)


def _evaluation() -> object:
    """What differs between evaluations: accelerate's data loader, and how many are open.

    The trainer calls the function alike in all evaluations; one that is interrupted leaves its data
    loader open.
    """
    accelerate = sys.modules.get("accelerate")
    if accelerate is None:
        return None
    loaders = accelerate.state.GradientState().dataloader_references
    return None if loaders[-1] is None else (len(loaders), weakref.ref(loaders[-1]))


def _ids(ids: Any, name: str) -> Ids:
    """Ids of a batch as an array of two dimensions."""
    import numpy

    tensor = hasattr(ids, "is_floating_point")
    array = ids if tensor else numpy.asarray(ids)
    shape = f"{name} has the shape {shape_of(array)} and the type {array.dtype}"
    if "float" in str(array.dtype):
        raise InputTypeError(
            f"{shape}, expected ids; if these are logits, have ids generated with "
            "predict_with_generate=True, or choose them with preprocess_logits_for_metrics="
            "lambda logits, labels: (logits[0] if isinstance(logits, tuple) else logits).argmax(-1)"
        )
    if tensor:  # may be on a GPU
        array = in_main_memory(ids, name)
    if array.dtype.kind not in "iu":
        fix = "; for text use fastbleu.BLEU().score" if array.dtype.kind in "UO" else ""
        raise InputTypeError(f"{shape}, expected one array of integers{fix}")
    if array.ndim != 2:
        raise InputError(f"{shape}, expected ids of the shape (rows, length)")
    if array.size and ((array < 0) & (array != PADDING)).any():
        raise InputError(
            f"{name} has the id {array[array != PADDING].min()}; only -100 may be negative"
        )
    return array
