"""BLEU as a metric for Keras 3: in `compile`, `evaluate` and custom loops, on any backend.

>>> import fastbleu
>>> metric = BLEU(metric=fastbleu.BLEU(tokenize=False, ignore_ids=(0,)))
>>> metric.update_state(y_true=[[5, 6, 7, 8, 9, 0]], y_pred=[[5, 6, 7, 8, 9, 9]])
>>> round(metric.score().value, 2)
75.98
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy

from ..core.inputs.arguments import a_type, number_of
from ..core.inputs.errors import InputError, InputTypeError
from ..core.metric.argument import counter_of, scorer_of, sums_of_batch
from ..core.metric.bleu import BLEU as NativeBLEU
from ..core.runtime.extras import not_compiled
from ._host_metric import host_imports, host_metric

with host_imports("keras", "keras"):
    import keras

    # Whether Keras runs a metric on tensors without values: it does so once even if run_eagerly.
    from keras.src.backend.common.symbolic_scope import in_symbolic_scope

if TYPE_CHECKING:
    from ..core.inputs.types import Hypotheses, Numbers, References
    from ..core.metric.argument import Metric as MetricArgument
    from ..core.scoring.score import Score


@keras.saving.register_keras_serializable(package="fastbleu")
class BLEU(keras.metrics.Metric):
    """`fastbleu.BLEU` of all batches since `reset_state`.

    Its scores are those of `fastbleu.BLEU`: sacreBLEU's on 0-100 by default.
    Counting n-grams is not a tensor operation, so with jax and TensorFlow a model needs
    ``model.compile(..., run_eagerly=True)``; torch.compile runs it outside of compiled code.

    Parameters
    ----------
    name : str, default "bleu"
    dtype : str, optional
        The type of `result`, not of the counts: by default float64 if the backend has it.
    from_logits : bool, default False
        Whether `y_pred` has logits or probabilities of all ids of the vocabulary, ``(batch, length,
        vocabulary)``; the most probable id is used. This scores a model that sees the true
        beginning of each sentence (teacher forcing), not a translation.
    metric : fastbleu.BLEU or str, optional
        A BLEU, or the name of a dialect; by default ``fastbleu.BLEU()``. For ids pass one with
        ``tokenize=False`` and, depending on the data, `ignore_ids`, `stop_ids`, `skip_ids`.

    Raises
    ------
    TypeError, ValueError
        `metric` is not a metric, keeps segments, or its dialect does not score sums.

    Notes
    -----
    The state is an int64 variable, `fastbleu.BLEU.state`; if the backend uses 32 bits, as jax
    does without ``jax_enable_x64``, the same numbers as pairs of int32. Both are exact.
    """

    def __init__(
        self,
        name: str = "bleu",
        dtype: str | None = None,
        *,
        from_logits: bool = False,
        metric: MetricArgument | None = None,
    ) -> None:
        if not isinstance(name, str):
            raise TypeError(f"name is {a_type(name)}, expected a str; pass a metric as metric=")
        if dtype is None and _backend_has("float64"):
            dtype = "float64"
        super().__init__(dtype=dtype, name=name)
        self._bleu = host_metric(metric)
        self.from_logits = bool(from_logits)
        self._stored_as = "int64" if _backend_has("int64") else "int32"
        shape = self._bleu.state.view(self._stored_as).shape
        self._counts = self.add_variable(shape, "zeros", dtype=self._stored_as, name="counts")

    @not_compiled
    def update_state(
        self, y_true: References, y_pred: Hypotheses, sample_weight: Numbers | None = None
    ) -> None:
        """Add a batch; if that raises, nothing is added.

        Parameters
        ----------
        y_true : tensor, array or list
            References as for `fastbleu.BLEU.update`: for ids ``(batch, length)`` or ``(batch,
            refs, length)``, for text a list of str or of lists of str, or such an array.
        y_pred : tensor, array or list
            Hypotheses: for ids ``(batch, length)``, with `from_logits` ``(batch, length,
            vocabulary)``; for text a list of str.
        sample_weight : tensor or array of 0 and 1, optional
            Shape ``(batch,)``: which segments count. Shape ``(batch, length)``, if `y_true` and
            `y_pred` have it too: which ids count, in both.

        Raises
        ------
        RuntimeError
            The tensors have no values, because the step is being compiled.
        TypeError, ValueError, OverflowError
            As for `fastbleu.BLEU.update`, or an argument is not as described above.
        """
        if in_symbolic_scope():
            return
        if self.from_logits:
            y_pred = _most_probable(y_pred)
        references, hypotheses = _values("y_true", y_true), _values("y_pred", y_pred)
        if isinstance(hypotheses, numpy.ndarray) and hypotheses.dtype.kind == "f":
            fix = "from_logits=True"
            if counter_of(self._bleu).is_text:
                fix += " and, because ids are not text, tokenize=False"
            raise InputTypeError(
                f"y_pred has dtype {hypotheses.dtype} and shape {hypotheses.shape}, expected ids; "
                f"for logits or probabilities make the metric with {fix}"
            )
        mask = None
        if sample_weight is not None:
            weights = _zeros_and_ones(_values("sample_weight", sample_weight))
            if weights.ndim == 2 and weights.shape[1] != 1:
                _check_same_shape(weights, y_true=references, y_pred=hypotheses)
                mask = weights
            else:
                rows = _rows(weights, len(hypotheses))
                if not len(rows):
                    return
                hypotheses, references = _take(hypotheses, rows), _take(references, rows)
        before = scorer_of(self._bleu).restore(self._state().tolist())
        total = before + sums_of_batch(self._bleu, hypotheses, references, mask, mask)
        self._counts.assign(numpy.array(total.row).view(self._stored_as))

    @not_compiled
    def result(self) -> Any:
        """BLEU of all batches as a scalar tensor, on the dialect's scale; 0 without batches."""
        known = not in_symbolic_scope() and self._state().any()
        value = self.score().value if known else 0.0
        return keras.ops.convert_to_tensor(value, dtype=self.dtype)

    def score(self) -> Score:
        """Like `result`, but returns a `fastbleu.Score`; ValueError without batches."""
        state, scorer = self._state(), scorer_of(self._bleu)
        return scorer.score(scorer.restore(state)) if state.any() else self._bleu.compute()

    def get_config(self) -> dict[str, Any]:
        """The configuration for `from_config`, without the state."""
        arguments = self._bleu.get_params()
        if arguments["tokenize"]:
            tokenize = arguments["tokenize"].argument
            if callable(tokenize):
                tokenize = keras.saving.serialize_keras_object(tokenize)
            arguments["tokenize"] = tokenize
        return {**super().get_config(), "from_logits": self.from_logits, "metric": arguments}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> BLEU:
        """A new metric from the result of `get_config`."""
        arguments = dict(config["metric"])
        if isinstance(arguments["tokenize"], dict):
            tokenize = keras.saving.deserialize_keras_object(arguments["tokenize"])
            arguments["tokenize"] = tokenize
        return cls(**{**config, "metric": NativeBLEU(**arguments)})

    def _state(self) -> Any:
        counts = _values("the state", self._counts.value)
        return numpy.ascontiguousarray(counts).view(numpy.int64)


def _backend_has(dtype: str) -> bool:
    """Whether the backend keeps 64-bit numbers without loss."""
    try:
        kept = keras.ops.convert_to_tensor(numpy.zeros(1, dtype)).dtype
    except TypeError:  # as on Apple's GPUs for float64
        return False
    return str(keras.backend.standardize_dtype(kept)) == dtype


def _most_probable(y_pred: Any) -> Any:
    """Ids, (batch, length), from logits."""
    shape = numpy.shape(y_pred) if isinstance(y_pred, (list, tuple)) else y_pred.shape
    if len(shape) != 3:
        raise InputError(
            f"with from_logits=True y_pred is (batch, length, vocabulary), got {tuple(shape)}; "
            "for ids from_logits=False"
        )
    return keras.ops.argmax(y_pred, axis=-1)


def _values(name: str, tensor: Any) -> Any:
    """A tensor of any backend as an array; lists stay lists, and arrays of text become lists."""
    if isinstance(tensor, (list, tuple)):
        return tensor
    try:
        array = keras.ops.convert_to_numpy(tensor)
    except (AttributeError, NotImplementedError, TypeError) as error:
        raise RuntimeError(
            f"{name} has no values yet, because Keras is compiling the step, and BLEU cannot be "
            "compiled: pass run_eagerly=True to model.compile, or update the metric outside the "
            "compiled function"
        ) from error
    if array.dtype.kind not in "OSTU":
        return array
    if not array.ndim:  # a single text, or None, which fastbleu.BLEU refuses
        return array.item()
    strings = numpy.frompyfunc(lambda s: s.decode() if isinstance(s, bytes) else s, 1, 1)
    return strings(array.astype(object)).tolist()


def _zeros_and_ones(weights: Any) -> Any:
    weights = numpy.asarray(weights)
    wrong = weights[(weights != 0) & (weights != 1)]
    if wrong.size:
        raise InputError(
            f"sample_weight has {wrong[0]}, but BLEU counts a segment once or not at all: pass "
            "only 0 and 1"
        )
    return weights != 0


def _rows(weights: Any, segments: int) -> Any:
    """The numbers of the segments that count."""
    if weights.ndim == 0:
        weights = numpy.repeat(weights, segments)
    if weights.size != segments or weights.ndim > 2:
        raise InputError(
            f"sample_weight has shape {weights.shape} for "
            f"{number_of(segments, 'hypothesis', 'hypotheses')}; expected ({segments},), or the "
            "shape of y_true and y_pred to choose ids"
        )
    return numpy.flatnonzero(weights)


def _check_same_shape(weights: Any, **others: Any) -> None:
    for name, value in others.items():
        shape = numpy.shape(value) if isinstance(value, numpy.ndarray) else "no shape (a list)"
        if shape != weights.shape:
            raise InputError(
                f"sample_weight of shape {weights.shape} chooses ids of y_true and y_pred alike, "
                f"but {name} has {shape}; a weight for each segment has shape ({len(weights)},)"
            )


def _take(sequences: Any, rows: Any) -> Any:
    if isinstance(sequences, numpy.ndarray):
        return sequences[rows]
    return [sequences[row] for row in rows]
