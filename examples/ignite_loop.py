"""BLEU of validation ids in a training loop of PyTorch-Ignite.

    python examples/ignite_loop.py

The metric is attached to the evaluator like any other; in several processes its counts are summed.
The language is made up, and so easy that a model of two layers learns it: each word has one
translation.
"""

import argparse

import torch
from ignite.engine import Engine, Events
from torch import nn

import fastbleu
from fastbleu.integrations.ignite import BLEU

PAD, EOS = 0, 1
WORDS = 32  # ids from 2 on
TRANSLATIONS = torch.cat((torch.tensor([PAD, EOS]), torch.arange(2, WORDS).flip(0)))


def make_batches(sentences, size):
    """Batches of sources and their translations: ids of shape (size, 9), padded after EOS."""
    place, batches = torch.arange(9), []
    for _ in range(sentences // size):
        words, length = torch.randint(2, WORDS, (size, 9)), torch.randint(4, 9, (size, 1))
        source = torch.where(place < length, words, torch.where(place == length, EOS, PAD))
        batches.append((source, TRANSLATIONS[source]))
    return batches


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--epochs", type=int, default=6)
    parser.add_argument("--training", type=int, default=1500, help="sentences to train on")
    parser.add_argument("--validation", type=int, default=200, help="sentences to score")
    arguments = parser.parse_args()

    torch.manual_seed(1)
    torch.set_num_threads(1)
    training, validation = (
        make_batches(sentences, 25) for sentences in (arguments.training, arguments.validation)
    )
    model = nn.Sequential(nn.Embedding(WORDS, 16), nn.Linear(16, WORDS))
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)

    def train_step(engine, batch):
        source, target = batch
        optimizer.zero_grad()
        logits = model(source).flatten(0, 1)
        loss = nn.functional.cross_entropy(logits, target.flatten(), ignore_index=PAD)
        loss.backward()
        optimizer.step()
        return loss.item()

    def translate(engine, batch):
        source, target = batch
        return model(source).argmax(-1), target  # (y_pred, y)

    trainer, evaluator = Engine(train_step), Engine(translate)
    metric = fastbleu.BLEU(tokenize=False, ignore_ids=(PAD,), stop_ids=EOS)
    BLEU(metric=metric).attach(evaluator, "bleu")

    @trainer.on(Events.EPOCH_COMPLETED)
    def evaluate():
        bleu = evaluator.run(validation).metrics["bleu"]
        print(f"epoch {trainer.state.epoch}: BLEU {bleu:.2f}", flush=True)

    trainer.run(training, max_epochs=arguments.epochs)


if __name__ == "__main__":
    main()
