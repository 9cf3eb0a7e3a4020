"""`compute_metrics` in the trainers of transformers, with models and tokenizers made here.

Expected scores are computed from `trainer.predict` as in the examples of transformers, with
sacreBLEU.
"""

import inspect
import itertools
import json
import os
import sys
from functools import partial
from pathlib import Path

import numpy as np
import pytest
import sacrebleu
from generators import raises, seeded
from hosts import host
from processes import TRAINS, python

from fastbleu import BLEU, InputWarning
from fastbleu.integrations.transformers import compute_metrics

torch = host("torch")
transformers = host("transformers")
host("accelerate")

import seq2seq_ranks  # noqa: E402
from seq2seq_ranks import EOS, LENGTH, PAD, collate, make_model, make_rows  # noqa: E402
from texts import word_tokenizer  # noqa: E402

BOS = 3
of_ids = partial(BLEU, tokenize=False)
WORDS = [
    *"abcdefghij",
    *("The", "cat", "sat", "on", "mat", ".", ",", "!", "(", ")", "3.5", "é", "世界"),
]
VOCABULARY = ["<pad>", "</s>", "<unk>", "<s>", *WORDS]


@pytest.fixture(scope="module", autouse=True)
def one_thread():
    """Use one thread: so small a model would only wait for others."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(scope="module")
def tokenizer():
    special = {"pad_token": "<pad>", "eos_token": "</s>", "unk_token": "<unk>", "bos_token": "<s>"}
    return word_tokenizer(VOCABULARY, "<unk>", **special)


@pytest.fixture(scope="module")
def model():
    """T5, whose decoder starts with the padding id."""
    model = make_model(len(VOCABULARY))
    model.generation_config.max_length = LENGTH
    return model


@pytest.fixture(scope="module")
def dataset(model):
    """Sources, and as labels the model's outputs with a few words changed."""
    return make_rows(model, 13, len(VOCABULARY))


@pytest.fixture
def trainer(model, dataset, tokenizer, tmp_path, monkeypatch):
    """A function that makes a trainer; only the trainer may leave files."""
    monkeypatch.chdir(tmp_path)

    def make(metrics, kind=transformers.Seq2SeqTrainer, arguments=(), **options):
        usual = {"per_device_eval_batch_size": 4, "report_to": [], "use_cpu": True}
        arguments = {**usual, "disable_tqdm": True, **dict(arguments)}
        kinds = transformers.TrainingArguments, transformers.Seq2SeqTrainingArguments
        made = kinds[issubclass(kind, transformers.Seq2SeqTrainer)](str(tmp_path), **arguments)
        options |= {"compute_metrics": metrics, "processing_class": tokenizer}
        return kind(model, made, collate, eval_dataset=dataset, **options)

    yield make
    assert not [path for path in tmp_path.rglob("*") if path.is_file()]


GENERATE = {"predict_with_generate": True, "generation_max_length": LENGTH}
WAYS = {
    "whole": GENERATE,
    "batches of five": {**GENERATE, "batch_eval_metrics": True, "per_device_eval_batch_size": 5},
    "lists": {**GENERATE, "eval_do_concat_batches": False},
}


def texts(tokenizer, ids):
    """As in the examples of transformers."""
    ids = np.where(ids != -100, ids, tokenizer.pad_token_id)
    return [text.strip() for text in tokenizer.batch_decode(ids, skip_special_tokens=True)]


def bleu_of(metrics):
    return {name: metrics[f"eval_{name}"] for name in ("bleu", "brevity_penalty", "gen_len")}


def predicted(trainer):
    predicting = trainer(None, arguments=GENERATE)
    output = predicting.predict(predicting.eval_dataset)
    return output.predictions, output.label_ids


def test_text_is_scored_as_in_the_examples(trainer, tokenizer):
    predictions, labels = predicted(trainer)
    expected = sacrebleu.corpus_bleu(texts(tokenizer, predictions), [texts(tokenizer, labels)])
    assert 5 < expected.score < 99
    rows = np.where(predictions == -100, PAD, predictions)
    gen_len = float(np.mean([np.count_nonzero(row != PAD) for row in rows]))
    expected = {"bleu": expected.score, "brevity_penalty": expected.bp, "gen_len": gen_len}
    for way, arguments in WAYS.items():
        evaluating = trainer(compute_metrics(tokenizer), arguments=arguments)
        for _ in range(2):  # nothing is left from the first evaluation
            found = bleu_of(evaluating.evaluate())
            assert found == expected, way
            assert {type(value) for value in found.values()} == {float}


def test_ids_are_scored_as_they_are(trainer):
    predictions, labels = predicted(trainer)
    hypotheses, references = (
        [[number for number in row if number not in (-100, PAD, EOS, BOS)] for row in side.tolist()]
        for side in (predictions, labels)
    )
    expected = BLEU(tokenize=False, smooth_method="none").score(
        hypotheses, [[row] for row in references]
    )
    gen_len = float((~np.isin(predictions, [-100, PAD])).sum() / len(predictions))
    for arguments in WAYS.values():
        metric = of_ids(ignore_ids=(PAD,), skip_ids=(EOS, BOS), smooth_method="none")
        score_ids = compute_metrics(metric=metric)
        found = bleu_of(trainer(score_ids, arguments=arguments).evaluate())
        assert found["bleu"] == expected.value > 0
        assert (found["brevity_penalty"], found["gen_len"]) == (expected.bp, gen_len)


def test_a_plain_trainer(trainer, tokenizer):
    """It passes logits, which are refused, or what a function selects from them."""

    def choose(logits, labels):
        return torch.where(labels == -100, -100, logits[0].argmax(-1)), logits[1]

    plain = {"kind": transformers.Trainer, "arguments": {"batch_eval_metrics": True}}
    message = r"float32, expected ids; .*predict_with_generate=True"
    raises(TypeError, message, trainer(compute_metrics(tokenizer), **plain).evaluate)
    plain["preprocess_logits_for_metrics"] = choose
    evaluating = trainer(compute_metrics(tokenizer), **plain)
    predictions, labels, _ = trainer(None, **plain).predict(evaluating.eval_dataset)
    pairs = texts(tokenizer, predictions[0]), texts(tokenizer, labels)
    assert evaluating.evaluate()["eval_bleu"] == sacrebleu.corpus_bleu(pairs[0], [pairs[1]]).score


def test_texts_can_be_changed_and_scored_by_other_functions(trainer, tokenizer):
    """The first function is called for each batch, the other once, with the same texts."""
    calls, extra_calls = [], []

    def first_words(hypotheses, references):
        calls.append(len(hypotheses))
        sides = [[" ".join(text.split()[:6]) for text in side] for side in (hypotheses, references)]
        return sides[0], [[text] for text in sides[1]]

    def extra(hypotheses, references):
        extra_calls.append((hypotheses, references))
        return {"count": len(hypotheses)}

    changed = first_words(*(texts(tokenizer, ids) for ids in predicted(trainer)))
    expected = len(changed[0]), BLEU().score(*changed).value
    for arguments in WAYS.values():
        metrics = compute_metrics(tokenizer, postprocess=first_words, extra=extra)
        evaluating = trainer(metrics, arguments=arguments)
        for _ in range(2):
            calls.clear()
            extra_calls.clear()
            found = evaluating.evaluate()
            assert sum(calls) == len(changed[0])
            assert extra_calls == [changed]
            assert (found["eval_count"], found["eval_bleu"]) == expected


@pytest.mark.parametrize("kept", [False, True])
def test_an_evaluation_after_an_interrupted_one(trainer, tokenizer, kept):
    """Nothing that was counted before the interruption is in the next score."""
    arguments = WAYS["batches of five"]
    expected = bleu_of(trainer(compute_metrics(tokenizer), arguments=arguments).evaluate())
    evaluating = trainer(compute_metrics(tokenizer), arguments=arguments)
    if kept:  # one loader for all evaluations, as with dataloader_persistent_workers
        loader = evaluating.get_eval_dataloader()
        evaluating.get_eval_dataloader = lambda _: loader
    steps = []

    class Interrupt(transformers.TrainerCallback):
        def on_prediction_step(self, *arguments, **options):
            steps.append(None)
            if len(steps) in (3, 5):  # the third batch, then the second
                raise KeyboardInterrupt("of the user")

    evaluating.add_callback(Interrupt)
    raises(KeyboardInterrupt, "of the user", evaluating.evaluate)
    with pytest.warns(InputWarning, match="10 rows of an evaluation that was interrupted"):
        raises(KeyboardInterrupt, "of the user", evaluating.evaluate)
    with pytest.warns(InputWarning, match="5 rows of an evaluation that was interrupted"):
        assert bleu_of(evaluating.evaluate()) == expected
    assert bleu_of(evaluating.evaluate()) == expected


TORCHRUN = ["-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2"]


def evaluated(folder, *command):
    """What the evaluations of seq2seq_ranks.py return in each process."""
    environment = {"OMP_NUM_THREADS": "1"}
    if sys.platform == "linux":
        environment["GLOO_SOCKET_IFNAME"] = os.environ.get("GLOO_SOCKET_IFNAME", "lo")
    folder.mkdir()
    script = Path(seq2seq_ranks.__file__)
    python(*command, script, folder, noisy=True, seconds=TRAINS, **environment)
    return [json.loads(file.read_text()) for file in sorted(folder.glob("*.json"))]


@pytest.mark.long
def test_two_processes_score_each_row_once(tmp_path):
    """201 rows are 13 batches of 8 in each of two processes: 7 rows are scored twice."""
    (alone,) = evaluated(tmp_path / "alone")
    ranks = evaluated(tmp_path / "two", *TORCHRUN)
    assert len(ranks) == 2
    assert ranks[0] == ranks[1]
    for way in ("whole", "batches", "lists"):
        assert 5 < alone[way][0][0] < 99
        assert alone[f"{way}, unknown"] == ranks[0][way] == alone[way] == [alone[way][0]]
        score, warning = ranks[0][f"{way}, unknown"]
        assert score != alone[way][0]
        assert warning.startswith("208 rows of 2 processes were scored")
        assert "pass rows=len(eval_dataset)" in warning
    assert ranks[0]["3 rows"] == alone["3 rows"] == [alone["3 rows"][0]]


# Without a trainer.

LABELS = np.array([[5, 6, 7, 8, EOS, -100], [9, 10, 11, 12, 13, EOS]])
PREDICTIONS = np.array([[PAD, 5, 6, 7, 8, EOS, PAD, -100], [PAD, 9, 10, 11, 12, 14, EOS, -100]])


def test_all_forms_of_a_batch(tokenizer):
    halves = [slice(1), slice(1, 2)]
    forms = [
        transformers.EvalPrediction(PREDICTIONS, LABELS, inputs=LABELS, losses=np.zeros(2)),
        (PREDICTIONS, LABELS, LABELS),
        ((PREDICTIONS, np.zeros((2, 3))), LABELS),
        ([PREDICTIONS[half] for half in halves], [LABELS[half] for half in halves]),
        ([(PREDICTIONS[half], None) for half in halves], [LABELS[half] for half in halves]),
        (torch.tensor(PREDICTIONS, dtype=torch.int32), torch.tensor(LABELS)),
        (np.asfortranarray(PREDICTIONS), np.asfortranarray(LABELS)),
        (np.repeat(PREDICTIONS, 2, axis=1)[:, ::2], LABELS[::-1][::-1]),
    ]
    for metrics in (
        compute_metrics(tokenizer),
        compute_metrics(metric=of_ids(ignore_ids=(PAD,), skip_ids=(EOS,))),
    ):
        expected = metrics((PREDICTIONS, LABELS))
        assert expected["gen_len"] == 5.5
        for form in forms:
            assert metrics(form) == expected
    metrics = compute_metrics(metric=of_ids(ignore_ids=(PAD,), stop_ids=EOS))
    assert metrics((PREDICTIONS, LABELS)) == expected

    class Unpadded:
        pad_token_id = None
        batch_decode = staticmethod(tokenizer.batch_decode)

    found = compute_metrics(Unpadded())((PREDICTIONS, LABELS))  # only -100 is padding
    assert (found["bleu"], found["gen_len"]) == (expected["bleu"], 7)


@pytest.mark.filterwarnings("ignore:no hypothesis has 4 tokens")
def test_splits_into_batches_change_nothing(tokenizer):
    rng = seeded("splits")
    numbers = np.random.default_rng(rng.getrandbits(32))
    metric = of_ids(ignore_ids=(PAD,), stop_ids=EOS)
    metrics = [compute_metrics(tokenizer), compute_metrics(metric=metric)]
    for _ in range(100):
        rows, length = rng.randint(1, 12), rng.randint(1, 9)
        labels = numbers.integers(4, 8, (rows, length))
        predictions = np.where(numbers.random((rows, length)) < 0.2, EOS, labels)
        predictions[:, 0] = 5
        labels[numbers.random((rows, length)) < 0.2] = -100
        cuts = sorted([0, rows, *(rng.randint(0, rows) for _ in range(3))])
        for metric in metrics:
            parts = [(predictions[a:b], labels[a:b]) for a, b in itertools.pairwise(cuts)]
            expected = metric((predictions, labels))
            for part in parts[:-1]:
                assert metric(part, compute_result=False) == {}
            tensors = tuple(map(torch.tensor, parts[-1]))
            assert metric(tensors, compute_result=True) == expected


def test_an_interrupted_evaluation(tokenizer):
    metrics = compute_metrics(tokenizer)
    expected = metrics((PREDICTIONS, LABELS))
    words = "has the id -101; only -100 may be negative"
    wrong = PREDICTIONS - 1, LABELS
    for begin_anew in (
        lambda: raises(ValueError, words, metrics, wrong, compute_result=False),
        metrics.reset,
        lambda: metrics((PREDICTIONS, LABELS)),
    ):
        metrics((LABELS[:1], LABELS[:1]), compute_result=np.False_)
        begin_anew()
        assert metrics((PREDICTIONS, LABELS), compute_result=True) == expected
    raises(ValueError, "nothing", metrics, (PREDICTIONS[:0], LABELS[:0]))


def test_bad_batches(tokenizer):
    for error, message, predictions, labels in (
        (TypeError, r"predictions has the shape \(2, 6, 5\).*argmax", np.zeros((2, 6, 5)), LABELS),
        (TypeError, "label_ids .* float64, expected ids", PREDICTIONS, LABELS / 2),
        (TypeError, "predictions .* bool, expected one array of", PREDICTIONS > 0, LABELS),
        (TypeError, r"torch\.bfloat16, expected ids", torch.zeros(2, 6).bfloat16(), LABELS),
        (ValueError, r"predictions has the shape \(8,\)", PREDICTIONS[0], LABELS),
        (ValueError, r"label_ids has the shape \(1, 2, 6\)", PREDICTIONS, LABELS[None]),
        (ValueError, "2 .*1|1 .*2", PREDICTIONS, LABELS[:1]),
        (
            ValueError,
            "predictions has the id -105; only -100 may be negative",
            PREDICTIONS - 5,
            LABELS,
        ),
        (ValueError, "zip", [PREDICTIONS], [LABELS, LABELS]),
    ):
        for metrics in (compute_metrics(tokenizer), compute_metrics()):
            raises(error, message, metrics, (predictions, labels))
    sparse = torch.tensor([[1, 2]]).to_sparse()
    message = "predictions is a Tensor that cannot be read"
    raises(TypeError, message, compute_metrics(), (sparse, sparse))


def test_functions_that_fail(tokenizer):
    def fail(hypotheses, references):
        raise RuntimeError("no model")

    for name in ("postprocess", "extra"):
        metrics = compute_metrics(tokenizer, **{name: fail})
        raises(RuntimeError, "no model", metrics, (PREDICTIONS, LABELS))
        words = f"{name} needs text: pass the tokenizer"
        raises(ValueError, words, compute_metrics, **{name: fail})
        words = f"{name} is a str, expected a function"
        raises(TypeError, words, compute_metrics, tokenizer, **{name: "strip"})
    for error, words, functions in (
        (TypeError, "returned a list, expected a tuple", {"postprocess": lambda texts, _: texts}),
        (ValueError, "extra returns 'gen_len'", {"extra": lambda *texts: {"gen_len": 1.0}}),
    ):
        raises(error, words, compute_metrics(tokenizer, **functions), (PREDICTIONS, LABELS))


def in_batches(metrics, predictions, labels, size):
    """The result of an evaluation in batches."""
    for first in range(0, len(labels), size):
        batch = predictions[first : first + size], labels[first : first + size]
        result = metrics(batch, compute_result=first + size >= len(labels))
    return result


@pytest.mark.parametrize("size", [4, 24])
def test_repeated_rows(tokenizer, size):
    """Only the first rows may follow the last one; otherwise it is another data set."""
    numbers = np.random.default_rng(3)
    labels = numbers.integers(4, 9, (22, 6))
    predictions = np.where(numbers.random(labels.shape) < 0.2, 9, labels)
    labels[:, -1] = -100  # batches are padded to different lengths
    expected = compute_metrics(tokenizer)((predictions, labels))
    filled = [np.concatenate([rows, rows[: -len(rows) % size]]) for rows in (predictions, labels)]
    filled[1] = np.pad(filled[1], ((0, 0), (0, 2)), constant_values=-100)
    known = compute_metrics(tokenizer, rows=22)
    assert in_batches(known, *filled, size) == known(tuple(filled)) == expected
    assert in_batches(compute_metrics(tokenizer), *filled, size) != expected
    for rows, message in ((21, "more rows than 21"), (8, "more rows than 8"), (25, "24 rows")):
        other = compute_metrics(tokenizer, rows=rows)
        words = f"had {message}, but .* was given rows={rows}; for"
        raises(ValueError, words, in_batches, other, *filled, size)
        raises(ValueError, message, other, tuple(filled))
    # If there are fewer rows than processes, all are repeated until each process has a batch.
    known = compute_metrics(tokenizer, rows=2)
    repeated = np.tile(PREDICTIONS, (4, 1)), np.tile(LABELS, (4, 1))
    assert known(repeated) == compute_metrics(tokenizer)((PREDICTIONS, LABELS))
    raises(ValueError, "2 .*1|1 .*2", known, (PREDICTIONS, LABELS[:1]))


def test_parameters_are_checked_and_passed_to_bleu(tokenizer):
    for error, words, parameters in (
        (ValueError, "tokenize='13a', which needs text: pass the tokenizer", {"metric": BLEU()}),
        (ValueError, "tokenize='none', which needs text", {"metric": "torchmetrics"}),
        (ValueError, "tokenize=False is for ids", {"tokenizer": tokenizer, "metric": of_ids()}),
        (TypeError, "tokenizer is a str without batch_decode", {"tokenizer": "13a"}),
        (TypeError, "the class BLEU, expected a BLEU", {"metric": BLEU}),
        (TypeError, "rows is a list, expected its length: pass len", {"rows": [1]}),
        (ValueError, "rows is 0, but must be at least 1", {"rows": 0}),
    ):
        raises(error, words, compute_metrics, **parameters)
    pairs = texts(tokenizer, PREDICTIONS), texts(tokenizer, LABELS)
    for options in (
        {"tokenize": "char", "smooth_method": "floor", "max_ngram_order": 6},
        {"dialect": "nltk"},
    ):
        metric = BLEU(**options)
        metric.update(["a b"], ["a b"])
        before = metric.state.tolist()
        metrics = compute_metrics(tokenizer, metric=metric)
        for _ in range(2):
            assert metrics((PREDICTIONS, LABELS))["bleu"] == metric.score(*pairs).value
        assert metric.state.tolist() == before
    parameters = inspect.signature(metrics).parameters  # tell a trainer that it may pass batches
    assert list(parameters) == ["prediction", "compute_result"]
