"""`compute_metrics` in the trainers of transformers, with models and tokenizers made here.

What is expected is computed from `trainer.predict` the way the examples of transformers do it, with
sacreBLEU.
"""

import inspect
import itertools
import json
import math
import os
import sys
from pathlib import Path

import numpy as np
import oracle
import pytest
import sacrebleu
from commands import TRAINS, python
from generators import raises, seeded
from hosts import host

from fastbleu import BLEU, InputWarning
from fastbleu.integrations.transformers import compute_metrics

torch = host("torch")
transformers = host("transformers")
tokenizers = host("tokenizers")
host("accelerate")

PAD, EOS, UNK, BOS = range(4)
WORDS = [
    *(*"abcdefghij", "The", "cat", "sat", "on", "mat", ".", ",", "!", "(", ")", "3.5", "é", "世界"),
]
VOCABULARY = ["<pad>", "</s>", "<unk>", "<s>", *WORDS]
LENGTH = 10


@pytest.fixture(scope="module", autouse=True)
def one_thread():
    """So small a model only waits for other threads."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(scope="module")
def tokenizer():
    model = tokenizers.models.WordLevel(
        {word: number for number, word in enumerate(VOCABULARY)}, unk_token="<unk>"
    )
    backend = tokenizers.Tokenizer(model)
    backend.pre_tokenizer = tokenizers.pre_tokenizers.WhitespaceSplit()
    return transformers.PreTrainedTokenizerFast(
        tokenizer_object=backend,
        pad_token="<pad>",
        eos_token="</s>",
        unk_token="<unk>",
        bos_token="<s>",
    )


IDS = {"vocab_size": len(VOCABULARY), "pad_token_id": PAD, "eos_token_id": EOS, "d_model": 16}
# T5's decoder starts with the padding id, BART's with the id that ends a text.
T5 = {"d_kv": 8, "d_ff": 16, "num_layers": 1, "num_heads": 2, "decoder_start_token_id": PAD}
BART = {f"{part}_layers": 1 for part in ("encoder", "decoder")}
BART |= {f"{part}_attention_heads": 2 for part in ("encoder", "decoder")}
BART |= {f"{part}_ffn_dim": 16 for part in ("encoder", "decoder")}
BART |= {"max_position_embeddings": 64, "bos_token_id": BOS}
BART |= {"decoder_start_token_id": EOS, "forced_eos_token_id": EOS}
MODELS = {
    "t5": (7, "T5", T5),
    "bart": (3, "Bart", BART),
}


@pytest.fixture(scope="module", params=MODELS)
def model(request):
    """A model whose outputs vary: its weights are drawn wider than usual."""
    seed, name, options = MODELS[request.param]
    torch.manual_seed(seed)
    config = getattr(transformers, f"{name}Config")(**IDS, **options)
    model = getattr(transformers, f"{name}ForConditionalGeneration")(config).eval()
    generator = torch.Generator().manual_seed(11)
    with torch.no_grad():
        for parameter in model.parameters():
            if parameter.dim() > 1:
                parameter.copy_(torch.randn(parameter.shape, generator=generator))
    model.generation_config.max_length = LENGTH
    return model


@pytest.fixture(scope="module")
def dataset(model):
    """Sources, and as labels what the model makes of them with a few words changed."""
    rng, examples = seeded("sources"), []
    for _ in range(13):
        source = [rng.randrange(4, len(VOCABULARY)) for _ in range(rng.randint(2, 9))] + [EOS]
        made = model.generate(torch.tensor([source]), max_length=LENGTH, do_sample=False)[
            0
        ].tolist()
        labels = [number for number in made if number not in (PAD, EOS, BOS)]
        for _ in range(rng.randint(0, 2)):
            labels.insert(rng.randint(0, len(labels)), rng.randrange(4, len(VOCABULARY)))
        examples.append({"input_ids": source, "labels": [*labels, EOS]})
    return examples


@pytest.fixture
def trainer(model, dataset, tokenizer, tmp_path, monkeypatch):
    """A function that makes a trainer; nothing but it may leave files."""
    monkeypatch.chdir(tmp_path)

    def make(metrics, kind=transformers.Seq2SeqTrainer, arguments=(), **options):
        arguments = {
            "output_dir": str(tmp_path / "out"),
            "per_device_eval_batch_size": 4,
            "report_to": [],
            "use_cpu": True,
            "disable_tqdm": True,
            **dict(arguments),
        }
        kinds = transformers.TrainingArguments, transformers.Seq2SeqTrainingArguments
        made = kinds[issubclass(kind, transformers.Seq2SeqTrainer)](**arguments)
        return kind(
            model=model,
            args=made,
            eval_dataset=dataset,
            data_collator=transformers.DataCollatorForSeq2Seq(tokenizer, model=model),
            processing_class=tokenizer,
            compute_metrics=metrics,
            **options,
        )

    yield make
    assert not [path for path in tmp_path.rglob("*") if path.is_file()]


GENERATE = {"predict_with_generate": True, "generation_max_length": LENGTH}
WAYS = {
    "whole": GENERATE,
    "batches": {**GENERATE, "batch_eval_metrics": True},
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


def test_text_is_scored_as_the_examples_do(trainer, tokenizer):
    predictions, labels = predicted(trainer)
    expected = sacrebleu.corpus_bleu(texts(tokenizer, predictions), [texts(tokenizer, labels)])
    assert 5 < expected.score < 99
    lengths = [
        np.count_nonzero(row != PAD) for row in np.where(predictions == -100, PAD, predictions)
    ]
    expected = {
        "bleu": expected.score,
        "brevity_penalty": expected.bp,
        "gen_len": float(np.mean(lengths)),
    }
    for way, arguments in WAYS.items():
        evaluating = trainer(compute_metrics(tokenizer), arguments=arguments)
        for _ in range(2):  # nothing is left from the first evaluation
            found = bleu_of(evaluating.evaluate())
            assert found == expected, way
            assert {type(value) for value in found.values()} == {float}


def test_ids_are_scored_as_they_are(trainer):
    predictions, labels = predicted(trainer)
    special = {-100, PAD, EOS, BOS}
    rows = [
        oracle.row(
            [number for number in prediction if number not in special],
            [[number for number in label if number not in special]],
        )
        for prediction, label in zip(predictions.tolist(), labels.tolist(), strict=True)
    ]
    hyp_len, ref_len, *counts = (sum(column) for column in zip(*rows, strict=True))
    precisions = [100 * m / t for m, t in zip(counts[:4], counts[4:], strict=True)]
    penalty = min(1.0, math.exp(1 - ref_len / hyp_len))
    expected = penalty * math.exp(sum(math.log(p) for p in precisions) / 4)
    gen_len = float((~np.isin(predictions, [-100, PAD])).sum() / len(predictions))
    for arguments in WAYS.values():
        score_ids = compute_metrics(ignore_ids=(PAD,), skip_ids=(EOS, BOS), smoothing="none")
        found = bleu_of(trainer(score_ids, arguments=arguments).evaluate())
        assert found == {"bleu": found["bleu"], "brevity_penalty": penalty, "gen_len": gen_len}
        assert math.isclose(found["bleu"], expected, rel_tol=1e-14)


def test_options_are_those_of_bleu(trainer, tokenizer):
    predictions, labels = predicted(trainer)
    options = {"tokenize": "char", "lowercase": True, "smoothing": "floor", "max_order": 6}
    expected = BLEU(**options).score(texts(tokenizer, predictions), texts(tokenizer, labels))
    for arguments in WAYS.values():
        evaluating = trainer(compute_metrics(tokenizer, **options), arguments=arguments)
        assert bleu_of(evaluating.evaluate())["bleu"] == expected.value
    metrics = compute_metrics(tokenizer, dialect="nltk", smoothing="none")
    assert 0 < metrics((predictions, labels))["bleu"] < 1


def test_a_plain_trainer(trainer, tokenizer):
    """Logits are chosen from by the trainer; where the labels have no id nothing is predicted."""

    def choose(logits, labels):
        return torch.where(labels == -100, -100, logits[0].argmax(-1)), logits[1]

    for way in ({}, {"batch_eval_metrics": True}):
        evaluating = trainer(
            compute_metrics(tokenizer),
            kind=transformers.Trainer,
            arguments=way,
            preprocess_logits_for_metrics=choose,
        )
        output = trainer(
            None, kind=transformers.Trainer, preprocess_logits_for_metrics=choose
        ).predict(evaluating.eval_dataset)
        predictions, labels = output.predictions[0], output.label_ids
        expected = sacrebleu.corpus_bleu(texts(tokenizer, predictions), [texts(tokenizer, labels)])
        found = evaluating.evaluate()
        assert found["eval_bleu"] == expected.score
        generated = ~np.isin(predictions, [-100, PAD])
        assert found["eval_gen_len"] == generated.sum() / len(predictions)


@pytest.mark.parametrize(
    "way", [{}, {"batch_eval_metrics": True}, {"eval_do_concat_batches": False}]
)
def test_logits_are_refused(trainer, tokenizer, way):
    for metrics in (compute_metrics(tokenizer), compute_metrics()):
        evaluating = trainer(metrics, kind=transformers.Trainer, arguments=way)
        with pytest.raises(TypeError, match=r"float32, expected ids; .*predict_with_generate=True"):
            evaluating.evaluate()


TORCHRUN = ["-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2"]


def evaluated(folder, *command):
    """What the evaluations of seq2seq_ranks.py return in each process."""
    environment = {"OMP_NUM_THREADS": "1"}
    if sys.platform == "linux":
        environment["GLOO_SOCKET_IFNAME"] = os.environ.get("GLOO_SOCKET_IFNAME", "lo")
    folder.mkdir()
    script = Path(__file__).with_name("seq2seq_ranks.py")
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


def test_the_forms_that_a_batch_has(tokenizer):
    metrics = compute_metrics(tokenizer)
    expected = metrics(transformers.EvalPrediction(PREDICTIONS, LABELS))
    assert expected["gen_len"] == 5.5
    inputs = transformers.EvalPrediction(PREDICTIONS, LABELS, inputs=LABELS, losses=np.zeros(2))
    tensors = (
        torch.tensor(PREDICTIONS, dtype=torch.int32),
        torch.tensor(LABELS).requires_grad_(False),
    )
    fortran = np.asfortranarray(PREDICTIONS), np.asfortranarray(LABELS)
    for batch in (
        inputs,
        (PREDICTIONS, LABELS),
        (PREDICTIONS, LABELS, LABELS),
        ((PREDICTIONS, np.zeros((2, 3))), LABELS),
        ([PREDICTIONS[:1], PREDICTIONS[1:]], [LABELS[:1], LABELS[1:]]),
        ([(PREDICTIONS[:1], None), (PREDICTIONS[1:], None)], [LABELS[:1], LABELS[1:]]),
        tensors,
        fortran,
        (np.repeat(PREDICTIONS, 2, axis=1)[:, ::2], LABELS[::-1][::-1]),
    ):
        assert metrics(batch) == expected
    with_ids = compute_metrics(ignore_ids=(PAD,), skip_ids=(EOS,))
    expected = with_ids((PREDICTIONS, LABELS))
    for batch in (inputs, tensors, fortran):
        assert with_ids(batch) == expected
    stopped = compute_metrics(ignore_ids=iter([PAD]), stop_id=EOS)
    assert stopped((PREDICTIONS, LABELS)) == expected


def test_ignored_ids_that_are_not_several():
    for ignored, fix in ((0, r"pass \(0,\)"), (None, "leave it out"), ("</s>", "look up its id")):
        with pytest.raises(TypeError, match=f"ignore_ids is .*, expected several integers; {fix}"):
            compute_metrics(ignore_ids=ignored)
    sparse = torch.tensor([[1, 2]]).to_sparse()
    with pytest.raises(TypeError, match="predictions is a Tensor that cannot be read"):
        compute_metrics()((sparse, sparse))


def test_batches_without_padding_token(tokenizer):
    """Of a tokenizer that has none, only -100 is no id."""

    class Unpadded:
        pad_token_id = None
        batch_decode = staticmethod(tokenizer.batch_decode)

    found = compute_metrics(Unpadded())((PREDICTIONS, LABELS))
    assert found["gen_len"] == 7
    assert found["bleu"] == compute_metrics(tokenizer)((PREDICTIONS, LABELS))["bleu"]


@pytest.mark.filterwarnings("ignore:no hypothesis has 4 tokens")
def test_splits_into_batches_change_nothing(tokenizer):
    rng = seeded("splits")
    numbers = np.random.default_rng(rng.getrandbits(32))
    metrics = [compute_metrics(tokenizer), compute_metrics(ignore_ids=(PAD,), stop_id=EOS)]
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


def test_an_evaluation_that_breaks_off(tokenizer):
    metrics = compute_metrics(tokenizer)
    expected = metrics((PREDICTIONS, LABELS))
    metrics((LABELS[:1], LABELS[:1]), compute_result=np.False_)
    with pytest.raises(ValueError, match="has the id -101; only -100 is no id"):
        metrics((PREDICTIONS - 1, LABELS), compute_result=False)
    assert metrics((PREDICTIONS, LABELS), compute_result=True) == expected
    metrics((LABELS[:1], LABELS[:1]), compute_result=np.False_)
    metrics.reset()
    assert metrics((PREDICTIONS, LABELS), compute_result=True) == expected
    metrics((LABELS[:1], LABELS[:1]), compute_result=np.False_)
    assert metrics((PREDICTIONS, LABELS)) == expected
    raises(ValueError, "nothing", metrics, (PREDICTIONS[:0], LABELS[:0]))


def test_a_trainer_sees_that_batches_are_taken():
    parameters = inspect.signature(compute_metrics()).parameters
    assert list(parameters) == ["prediction", "compute_result"]


def test_predictions_that_start_with_the_stop():
    started = np.array([[EOS, 5, 6, 7, 8, EOS], [EOS, 9, 10, 11, 12, 13]] * 2)
    labels = np.concatenate([LABELS, LABELS])
    with pytest.warns(InputWarning, match="every hypothesis is empty after it is cut at stop_id"):
        assert compute_metrics(stop_id=EOS)((started, labels))["bleu"] == 0
    assert compute_metrics(skip_ids=(EOS,))((started, labels))["bleu"] == pytest.approx(100)


@pytest.mark.parametrize(
    ("error", "message", "batch"),
    [
        (
            TypeError,
            r"predictions has the shape \(2, 6, 5\).*argmax",
            (np.zeros((2, 6, 5)), LABELS),
        ),
        (TypeError, r"predictions .* float16, expected ids", (PREDICTIONS.astype("f2"), LABELS)),
        (TypeError, "label_ids .* float64, expected ids", (PREDICTIONS, LABELS / 2)),
        (TypeError, "predictions .* bool, expected one array of", (PREDICTIONS > 0, LABELS)),
        (ValueError, r"predictions has the shape \(8,\)", (PREDICTIONS[0], LABELS)),
        (ValueError, r"label_ids has the shape \(1, 2, 6\)", (PREDICTIONS, LABELS[None])),
        (ValueError, r"label_ids has the shape \(2, 2, 6\)", (PREDICTIONS, (LABELS, LABELS))),
        (ValueError, "2 .*1|1 .*2", (PREDICTIONS, LABELS[:1])),
        (ValueError, "predictions has the id -105; only -100 is no id", (PREDICTIONS - 5, LABELS)),
        (ValueError, "zip", ([PREDICTIONS], [LABELS, LABELS])),
    ],
)
@pytest.mark.parametrize("with_tokenizer", [True, False])
def test_bad_batches(tokenizer, with_tokenizer, error, message, batch):
    metrics = compute_metrics(tokenizer) if with_tokenizer else compute_metrics()
    raises(error, message, metrics, batch)


def test_logits_of_any_precision():
    for dtype in (torch.bfloat16, torch.float16):
        with pytest.raises(TypeError, match=r"torch\.\w*float16, expected ids"):
            compute_metrics()((torch.zeros(2, 6, 5, dtype=dtype), LABELS), compute_result=False)


def strip_all(hypotheses, references):
    """As in the examples of transformers: several references, in a list for each hypothesis."""
    return [text.strip() for text in hypotheses], [[text.strip()] for text in references]


def test_postprocess(trainer, tokenizer):
    """Both sides are changed by one function; in batches it is called for each."""
    calls = []

    def first_words(hypotheses, references):
        assert {type(text) for text in (*hypotheses, *references)} == {str}
        calls.append(len(hypotheses))
        pairs = (hypotheses, references)
        return tuple([" ".join(text.split()[:6]) for text in texts] for texts in pairs)

    predictions, labels = predicted(trainer)
    pairs = texts(tokenizer, predictions), texts(tokenizer, labels)
    expected = sacrebleu.corpus_bleu(*[[x] if n else x for n, x in enumerate(first_words(*pairs))])
    assert expected.score != sacrebleu.corpus_bleu(pairs[0], [pairs[1]]).score
    for arguments in WAYS.values():
        calls.clear()
        evaluating = trainer(
            compute_metrics(tokenizer, postprocess=first_words), arguments=arguments
        )
        assert bleu_of(evaluating.evaluate())["bleu"] == expected.score
        assert sum(calls) == len(predictions)
    plain = compute_metrics(tokenizer)((predictions, labels))
    assert compute_metrics(tokenizer, postprocess=strip_all)((predictions, labels)) == plain


def test_extra_scores(trainer, tokenizer):
    """They are computed once, of the texts that BLEU is computed of."""
    calls = []

    def chrf(hypotheses, references):
        calls.append((hypotheses, references))
        streams = list(zip(*references, strict=True))
        return {"chrf": sacrebleu.corpus_chrf(hypotheses, streams).score, "count": len(hypotheses)}

    predictions, labels = predicted(trainer)
    pairs = texts(tokenizer, predictions), texts(tokenizer, labels)
    expected = sacrebleu.corpus_chrf(pairs[0], [pairs[1]]).score
    for arguments in WAYS.values():
        metrics = compute_metrics(tokenizer, postprocess=strip_all, extra=chrf)
        evaluating = trainer(metrics, arguments=arguments)
        for _ in range(2):
            calls.clear()
            found = evaluating.evaluate()
            assert calls == [(pairs[0], [[text] for text in pairs[1]])]
            assert (found["eval_chrf"], found["eval_count"]) == (expected, len(predictions))
            assert found["eval_bleu"] == sacrebleu.corpus_bleu(pairs[0], [pairs[1]]).score


def test_functions_that_fail(tokenizer):
    def fail(hypotheses, references):
        raise RuntimeError("no model")

    for name in ("postprocess", "extra"):
        metrics = compute_metrics(tokenizer, **{name: fail})
        raises(RuntimeError, "no model", metrics, (PREDICTIONS, LABELS))
        raises(RuntimeError, "no model", metrics, (PREDICTIONS, LABELS))
        raises(
            ValueError, f"{name} needs text: pass the tokenizer", compute_metrics, **{name: fail}
        )
        with pytest.raises(TypeError, match=f"{name} is a str, expected a function"):
            compute_metrics(tokenizer, **{name: "strip"})
    metrics = compute_metrics(tokenizer, postprocess=lambda hypotheses, references: hypotheses)
    with pytest.raises(TypeError, match="postprocess returned a list, expected a tuple"):
        metrics((PREDICTIONS, LABELS))
    metrics = compute_metrics(tokenizer, extra=lambda *texts: {"gen_len": 1.0})
    raises(ValueError, "extra returns 'gen_len'", metrics, (PREDICTIONS, LABELS))


def in_batches(metrics, predictions, labels, size):
    """The result of an evaluation in batches."""
    for first in range(0, len(labels), size):
        batch = predictions[first : first + size], labels[first : first + size]
        result = metrics(batch, compute_result=first + size >= len(labels))
    return result


@pytest.mark.parametrize("size", [4, 6, 24])
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
    for _ in range(2):
        assert in_batches(known, *filled, size) == expected
        assert known(tuple(filled)) == expected
    assert len(filled[0]) == 24
    assert in_batches(compute_metrics(tokenizer), *filled, size) != expected
    for rows, message in ((21, "more rows than 21"), (8, "more rows than 8"), (25, "24 rows")):
        other = compute_metrics(tokenizer, rows=rows)
        with pytest.raises(ValueError, match=f"had {message}, but .* was given rows={rows}; for"):
            in_batches(other, *filled, size)
        raises(ValueError, message, other, tuple(filled))


def test_fewer_rows_than_processes(tokenizer):
    """The rows are repeated until each process has a batch."""
    known = compute_metrics(tokenizer, rows=2)
    repeated = np.tile(PREDICTIONS, (4, 1)), np.tile(LABELS, (4, 1))
    assert known(repeated) == compute_metrics(tokenizer)((PREDICTIONS, LABELS))


def test_rows_that_are_not_a_number(tokenizer):
    raises(TypeError, r"rows is a list, expected its length: pass len", compute_metrics, rows=[1])
    raises(TypeError, "rows is 2.5, expected an integer", compute_metrics, rows=2.5)
    raises(ValueError, "rows is 0, but must be at least 1", compute_metrics, rows=0)
    metrics = compute_metrics(tokenizer, rows=2)
    raises(ValueError, "2 .*1|1 .*2", metrics, (PREDICTIONS, LABELS[:1]))


def test_bad_parameters(tokenizer):
    with pytest.raises(ValueError, match="tokenize='13a' needs text: pass the tokenizer"):
        compute_metrics(tokenize="13a")
    raises(ValueError, "tokenize=None is for ids", compute_metrics, tokenizer, tokenize=None)
    raises(ValueError, "tokenize=None", compute_metrics, tokenizer, stop_id=EOS)
    raises(TypeError, "tokenizer is a str without batch_decode", compute_metrics, "13a")
    raises(ValueError, "smoothing 'x' is unknown", compute_metrics, smoothing="x")
    with pytest.raises(TypeError, match="no parameter 'tokeniser'; did you mean 'tokenize'"):
        compute_metrics(tokeniser=tokenizer)
