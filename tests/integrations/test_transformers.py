"""`compute_metrics` in the trainers of transformers, with models and tokenizers made here.

What is expected is computed from `trainer.predict` the way the examples of transformers do it, with
sacreBLEU.
"""

import inspect
import itertools
import math

import numpy as np
import oracle
import pytest
import sacrebleu
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


def t5():
    """T5's decoder starts with the padding id."""
    torch.manual_seed(7)
    config = transformers.T5Config(
        vocab_size=len(VOCABULARY),
        d_model=16,
        d_kv=8,
        d_ff=16,
        num_layers=1,
        num_heads=2,
        pad_token_id=PAD,
        eos_token_id=EOS,
        decoder_start_token_id=PAD,
    )
    return transformers.T5ForConditionalGeneration(config)


def bart():
    """BART's decoder starts with the id that ends a text."""
    torch.manual_seed(3)
    config = transformers.BartConfig(
        vocab_size=len(VOCABULARY),
        d_model=16,
        encoder_layers=1,
        decoder_layers=1,
        encoder_attention_heads=2,
        decoder_attention_heads=2,
        encoder_ffn_dim=16,
        decoder_ffn_dim=16,
        max_position_embeddings=64,
        pad_token_id=PAD,
        eos_token_id=EOS,
        bos_token_id=BOS,
        decoder_start_token_id=EOS,
        forced_eos_token_id=EOS,
    )
    return transformers.BartForConditionalGeneration(config)


MODELS = {"t5": t5, "bart": bart}


@pytest.fixture(scope="module", params=MODELS)
def model(request):
    """A model whose outputs vary: its weights are drawn wider than usual."""
    model = MODELS[request.param]().eval()
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


def test_training_chooses_by_bleu(trainer, tokenizer, dataset):
    """An evaluation after each epoch, in batches, with weights that change in between."""
    training = trainer(
        compute_metrics(tokenizer),
        arguments={
            **WAYS["batches"],
            "eval_strategy": "epoch",
            "save_strategy": "no",
            "num_train_epochs": 2,
            "learning_rate": 0.002,
        },
    )
    before = {name: value.clone() for name, value in training.model.state_dict().items()}
    training.train_dataset = dataset[:8]
    try:
        training.train()
        scores = [
            entry["eval_bleu"] for entry in training.state.log_history if "eval_bleu" in entry
        ]
        assert len(scores) == 2
        assert scores[1] == training.evaluate()["eval_bleu"]
    finally:
        training.model.load_state_dict(before)
        training.model.eval()


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


def test_bad_parameters(tokenizer):
    with pytest.raises(ValueError, match="tokenize='13a' needs text: pass the tokenizer"):
        compute_metrics(tokenize="13a")
    raises(ValueError, "tokenize=None is for ids", compute_metrics, tokenizer, tokenize=None)
    raises(ValueError, "tokenize=None", compute_metrics, tokenizer, stop_id=EOS)
    raises(TypeError, "tokenizer is a str without batch_decode", compute_metrics, "13a")
    raises(ValueError, "smoothing 'x' is unknown", compute_metrics, smoothing="x")
    with pytest.raises(TypeError, match="no parameter 'tokeniser'; did you mean 'tokenize'"):
        compute_metrics(tokeniser=tokenizer)
