"""BLEU of validation ids in a Lightning module, on one process or several.

    python examples/lightning_module.py
    python examples/lightning_module.py --devices 2

The metric is one of TorchMetrics: `self.log` computes it at the end of an epoch, over all
processes, and resets it. The language is made up, and so easy that a model of two layers learns it:
each word has one translation.
"""

import argparse

import lightning
import torch
from torch import nn
from torch.utils.data import DataLoader

from fastbleu import BLEU
from fastbleu.integrations.torchmetrics import BLEUScore

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


class TranslationModule(lightning.LightningModule):
    def __init__(self, training, validation):
        super().__init__()
        self.training_batches, self.validation_batches = training, validation
        self.model = nn.Sequential(nn.Embedding(WORDS, 16), nn.Linear(16, WORDS))
        self.bleu = BLEUScore(metric=BLEU(tokenize=False, ignore_ids=(PAD,), stop_ids=EOS))

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr=5e-3)

    def training_step(self, batch, number):
        source, target = batch
        logits = self.model(source).flatten(0, 1)
        return nn.functional.cross_entropy(logits, target.flatten(), ignore_index=PAD)

    def validation_step(self, batch, number):
        source, target = batch
        self.bleu.update(self.model(source).argmax(-1), target)
        self.log("bleu", self.bleu)

    def on_validation_epoch_end(self):
        if self.trainer.is_global_zero and not self.trainer.sanity_checking:
            print(f"epoch {self.current_epoch}: BLEU {float(self.bleu.compute()):.4f}", flush=True)

    # Lightning's own sampler would repeat segments to make shares equal; each must be counted once.
    def mine(self, batches):
        return batches[self.trainer.global_rank :: self.trainer.world_size]

    def train_dataloader(self):
        whole = len(self.training_batches) // self.trainer.world_size * self.trainer.world_size
        return DataLoader(self.mine(self.training_batches[:whole]), batch_size=None, shuffle=True)

    def val_dataloader(self):
        return DataLoader(self.mine(self.validation_batches), batch_size=None)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--epochs", type=int, default=6)
    parser.add_argument("--devices", type=int, default=1, help="processes")
    parser.add_argument("--training", type=int, default=1500, help="sentences to train on")
    parser.add_argument("--validation", type=int, default=200, help="sentences to score")
    arguments = parser.parse_args()

    lightning.seed_everything(1, verbose=False)
    torch.set_num_threads(1)
    training, validation = (
        make_batches(sentences, 25) for sentences in (arguments.training, arguments.validation)
    )
    trainer = lightning.Trainer(
        max_epochs=arguments.epochs,
        devices=arguments.devices,
        accelerator="cpu",
        strategy="ddp" if arguments.devices > 1 else "auto",
        use_distributed_sampler=False,
        num_sanity_val_steps=0,
        gradient_clip_val=1.0,
        logger=False,
        enable_checkpointing=False,
        enable_progress_bar=False,
        enable_model_summary=False,
    )
    trainer.fit(TranslationModule(training, validation))
    if trainer.is_global_zero:
        print(f"logged: {float(trainer.callback_metrics['bleu']):.4f}")


if __name__ == "__main__":
    main()
