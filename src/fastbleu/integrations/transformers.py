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

from ..inputs.arrays import in_main_memory, shape_of
from ..inputs.ids import IdRules
from ..metric.bleu import BLEU

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    import numpy
    from numpy.typing import NDArray

    Ids = NDArray[numpy.integer[Any]]

# transformers' value for "no id": labels without a loss, and padding of shorter rows.
PADDING = -100


class ComputeMetrics:
    """The result of `compute_metrics`: a callable that keeps counts between batches, but no ids.

    The trainer passes the predictions of all processes to each, so nothing is reduced here.
    """

    def __init__(self, tokenizer: Any, metric: BLEU, padding: tuple[int, ...]) -> None:
        self._tokenizer = tokenizer
        self._metric = metric
        self._padding = padding
        self.reset()

    def reset(self) -> None:
        """Forget the batches of an interrupted evaluation."""
        self._metric.reset()
        self._rows = self._generated = 0

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
            bleu: float on the dialect's scale (0-100 for sacreBLEU's); brevity_penalty: float, 0-1;
            gen_len: float, the mean number of generated ids without padding. Empty if more batches
            follow.

        Raises
        ------
        TypeError, ValueError
            The predictions are not integers, the shapes are not those above or do not agree, or
            there is a negative id. The batches of this evaluation are then forgotten.
        """
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
                return {}
            score = self._metric.compute()
            generated = self._generated / self._rows
        except BaseException:
            self.reset()
            raise
        self.reset()
        return {"bleu": score.value, "brevity_penalty": score.bp, "gen_len": generated}

    def _add(self, predictions: Any, labels: Any) -> None:
        import numpy

        if isinstance(predictions, tuple):
            predictions = predictions[0]
        hypotheses, references = _ids(predictions, "predictions"), _ids(labels, "label_ids")
        if self._tokenizer is None:
            self._metric.update(hypotheses, references)
        else:
            self._metric.update(self._texts(hypotheses), self._texts(references))
        self._generated += int(numpy.isin(hypotheses, self._padding, invert=True).sum())
        self._rows += len(hypotheses)

    def _texts(self, ids: Ids) -> list[str]:
        """Each row as text, without what skip_special_tokens leaves out."""
        rows = [row[row != PADDING].tolist() for row in ids]
        # From zero rows the tokenizers of transformers 5 create one text.
        return self._tokenizer.batch_decode(rows, skip_special_tokens=True) if rows else []


def compute_metrics(tokenizer: Any = None, **options: Any) -> ComputeMetrics:
    """Create a function for the parameter `compute_metrics` of a trainer.

    Parameters
    ----------
    tokenizer : object with batch_decode(rows, skip_special_tokens=True), optional
        A tokenizer of transformers. None: BLEU of the ids.
    **options
        Parameters of `fastbleu.BLEU`, with its errors. For ids `tokenize` is None, and -100 is
        always one of `ignore_ids`, which should also include the padding id; special ids count
        as tokens unless they are in `skip_ids`. Pass the end-of-sequence id as `stop_id` only if no
        row starts with it; BART's decoder, for example, does.

    Returns
    -------
    ComputeMetrics
        Also for ``batch_eval_metrics=True``. After an interrupted evaluation call its `reset`.

    Notes
    -----
    The predictions must be ids: from a `Seq2SeqTrainer` with ``predict_with_generate=True``, or
    from any trainer with a `preprocess_logits_for_metrics` that returns ``logits.argmax(-1)``, or
    ``logits[0].argmax(-1)`` if the model returns a tuple (this is the BLEU of a model that sees the
    labels, which means less). A causal model's ids are then one ahead of its labels: cut both.

    Examples
    --------
    >>> import numpy
    >>> score_ids = compute_metrics(ignore_ids=(0,), skip_ids=(1, 2))
    >>> labels = numpy.array([[5, 6, 7, 8, 2, -100]])
    >>> score_ids((numpy.array([[1, 5, 6, 7, 8, 2, 0]]), labels))
    {'bleu': 100.00000000000004, 'brevity_penalty': 1.0, 'gen_len': 6.0}
    """
    if tokenizer is None:
        if options.setdefault("tokenize", None) is not None:
            raise ValueError(
                f"tokenize={options['tokenize']!r} needs text: pass the tokenizer that decodes ids"
            )
        ignored = IdRules(options.get("ignore_ids", ())).ignore_ids
        options["ignore_ids"] = padding = (PADDING, *ignored)
        return ComputeMetrics(None, BLEU(**options), padding)
    if hasattr(tokenizer, "label_ids"):
        raise TypeError(
            "compute_metrics was given predictions: pass to the trainer what its call returns, "
            "compute_metrics=compute_metrics(tokenizer)"
        )
    if not callable(getattr(tokenizer, "batch_decode", None)):
        raise TypeError(
            f"tokenizer is a {type(tokenizer).__name__} without batch_decode, expected one of "
            "transformers; options are passed by name"
        )
    if "tokenize" in options and options["tokenize"] is None:
        raise ValueError("tokenize=None is for ids: leave out the tokenizer that decodes them")
    pad = getattr(tokenizer, "pad_token_id", None)
    return ComputeMetrics(tokenizer, BLEU(**options), (PADDING,) if pad is None else (PADDING, pad))


def _ids(ids: Any, name: str) -> Ids:
    """Ids of a batch as an array of two dimensions."""
    import numpy

    tensor = hasattr(ids, "is_floating_point")
    array = ids if tensor else numpy.asarray(ids)
    shape = f"{name} has the shape {shape_of(array)} and the type {array.dtype}"
    if "float" in str(array.dtype):
        raise TypeError(
            f"{shape}, expected ids; if these are logits, have ids generated with "
            "predict_with_generate=True, or choose them with preprocess_logits_for_metrics="
            "lambda logits, labels: (logits[0] if isinstance(logits, tuple) else logits).argmax(-1)"
        )
    if tensor:  # may be on a GPU
        array = in_main_memory(ids, name)
    if array.dtype.kind not in "iu":
        fix = "; of text fastbleu.BLEU().score is BLEU" if array.dtype.kind in "UO" else ""
        raise TypeError(f"{shape}, expected one array of integers{fix}")
    if array.ndim != 2:
        raise ValueError(f"{shape}, expected ids of the shape (rows, length)")
    if array.size and ((array < 0) & (array != PADDING)).any():
        raise ValueError(f"{name} has the id {array[array != PADDING].min()}; only -100 is no id")
    return array
