"""BLEU in PyTorch-Ignite: in engines, and its state in checkpoints."""

from generators import SEED, raises
from hosts import host
from texts import OF_IDS, id_batches, score_of

torch = host("torch")
ignite = host("ignite")

from ignite.engine import Engine, Events  # noqa: E402
from ignite.metrics.metric import BatchWise  # noqa: E402

import fastbleu  # noqa: E402
from fastbleu.integrations.ignite import BLEU  # noqa: E402

BATCHES = [tuple(map(torch.from_numpy, batch)) for batch in id_batches(SEED)]


def filled(batches=BATCHES, **options):
    metric = BLEU(metric=fastbleu.BLEU(**OF_IDS, **options))
    for batch in batches:
        metric.update(batch)
    return metric


def test_in_an_engine():
    for output, transform in (
        (lambda pair: pair, None),
        (lambda pair: {"y_pred": pair[0], "y": pair[1]}, None),
        (lambda pair: {"ids": pair[0], "gold": pair[1]}, lambda out: (out["ids"], out["gold"])),
    ):
        transforms = {"output_transform": transform} if transform else {}
        metric = BLEU(metric=fastbleu.BLEU(**OF_IDS), **transforms)
        evaluator = Engine(lambda engine, pair, output=output: output(pair))
        metric.attach(evaluator, "bleu")
        (metric / 100).attach(evaluator, "share")
        for _ in range(2):  # every run starts from nothing
            metrics = evaluator.run(BATCHES).metrics
            assert metrics == {"bleu": score_of(BATCHES), "share": score_of(BATCHES) / 100}


def test_in_an_engine_batch_by_batch():
    seen = []
    evaluator = Engine(lambda engine, pair: pair)
    BLEU(metric=fastbleu.BLEU(**OF_IDS)).attach(evaluator, "bleu", usage=BatchWise())
    evaluator.add_event_handler(
        Events.ITERATION_COMPLETED, lambda engine: seen.append(engine.state.metrics["bleu"])
    )
    evaluator.run(BATCHES)
    assert seen == [score_of([batch]) for batch in BATCHES]


def test_a_ragged_list_in_an_engine_is_one_batch():
    """ignite would unroll it into single tensors."""
    rows = [torch.arange(length) % 4 for length in (5, 9, 7, 6, 8, 7)]
    evaluator = Engine(lambda engine, pair: pair)
    BLEU(metric=fastbleu.BLEU(tokenize=False)).attach(evaluator, "bleu")
    for references in (rows[3:], [[one, rows[0]] for one in rows[3:]]):
        metrics = evaluator.run([(rows[:3], references)]).metrics
        assert metrics["bleu"] == fastbleu.BLEU(tokenize=False).score(rows[:3], references).value


def test_saved_and_restored(tmp_path):
    torch.save(filled(BATCHES[:1]).state_dict(), tmp_path / "metric.pt")
    restored = BLEU(metric=fastbleu.BLEU(**OF_IDS))
    restored.load_state_dict(torch.load(tmp_path / "metric.pt", weights_only=True))
    for batch in BATCHES[1:]:
        restored.update(batch)
    score = restored.score()
    assert restored.compute() == score.value == score_of(BATCHES)
    assert "tok:ids" in score.signature
    state = filled(max_ngram_order=2).state_dict()
    raises(ValueError, "another max_ngram_order", restored.load_state_dict, state)
