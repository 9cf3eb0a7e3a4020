"""BLEU of validation ids in a training loop of PyTorch-Ignite.

    python examples/ignite_loop.py

The metric is attached to the evaluator like any other; in several processes its counts are summed.
The model and the made-up language are those of train_seq2seq.py.
"""

import argparse

import torch
from ignite.engine import Engine, Events
from train_seq2seq import EOS, PAD, Translator, make_data, make_easy_sentence

from fastbleu.integrations.ignite import BLEU


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--epochs", type=int, default=6)
    parser.add_argument("--training", type=int, default=1500, help="sentences to train on")
    parser.add_argument("--validation", type=int, default=200, help="sentences to score")
    arguments = parser.parse_args()

    torch.manual_seed(1)
    torch.set_num_threads(1)
    sizes = arguments.training, arguments.validation
    training, validation, words = make_data(1, *sizes, 25, make=make_easy_sentence)
    model = Translator(*words, 64)
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)

    def train_step(engine, batch):
        model.train()
        optimizer.zero_grad()
        loss = model(*batch)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        return loss.item()

    def translate(engine, batch):
        model.eval()
        source, target = batch
        return model.translate(source), target  # (y_pred, y)

    trainer, evaluator = Engine(train_step), Engine(translate)
    BLEU(tokenize=None, ignore_ids=(PAD,), stop_id=EOS).attach(evaluator, "bleu")

    @trainer.on(Events.EPOCH_COMPLETED)
    def evaluate():
        bleu = evaluator.run(validation).metrics["bleu"]
        print(f"epoch {trainer.state.epoch}: BLEU {bleu:.2f}", flush=True)

    trainer.run(training, max_epochs=arguments.epochs)


if __name__ == "__main__":
    main()
