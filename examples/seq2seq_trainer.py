"""BLEU after every epoch of Hugging Face's Seq2SeqTrainer.

    python examples/seq2seq_trainer.py

The model is a small BART and the tokenizer one of whole words, both made here: nothing is
downloaded. The language is made up: the translation of a word is the word read backwards.
"""

import argparse
import random
import tempfile

import torch
from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import (
    BartConfig,
    BartForConditionalGeneration,
    DataCollatorForSeq2Seq,
    PreTrainedTokenizerFast,
    Seq2SeqTrainer,
    Seq2SeqTrainingArguments,
    set_seed,
)

from fastbleu import BLEU
from fastbleu.integrations.transformers import compute_metrics

LENGTH = 12
WORDS = [first + second for first in ("ba", "de", "fi", "go") for second in ("lam", "net", "sir")]


def make_sentence(rng):
    """A sentence and its translation."""
    words = rng.sample(WORDS, rng.randint(4, 7))
    return " ".join(words), " ".join(word[::-1] for word in words)


def make_tokenizer(texts):
    """A tokenizer that knows each word of the texts."""
    words = sorted({word for text in texts for word in text.split()})
    vocabulary = {word: number for number, word in enumerate(["<pad>", "</s>", "<unk>", *words])}
    backend = Tokenizer(models.WordLevel(vocabulary, unk_token="<unk>"))
    backend.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    special = {"pad_token": "<pad>", "eos_token": "</s>", "unk_token": "<unk>"}
    return PreTrainedTokenizerFast(tokenizer_object=backend, **special)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--epochs", type=int, default=6)
    parser.add_argument("--training", type=int, default=1500, help="sentences to train on")
    parser.add_argument("--validation", type=int, default=200, help="sentences to score")
    arguments = parser.parse_args()

    set_seed(1)
    torch.set_num_threads(1)
    rng = random.Random(1)
    pairs = [make_sentence(rng) for _ in range(arguments.training + arguments.validation)]
    tokenizer = make_tokenizer([text for pair in pairs for text in pair])

    def ids(text):
        return [*tokenizer(text)["input_ids"], tokenizer.eos_token_id]

    examples = [{"input_ids": ids(source), "labels": ids(target)} for source, target in pairs]
    model = BartForConditionalGeneration(
        BartConfig(
            vocab_size=len(tokenizer),
            max_position_embeddings=LENGTH,
            d_model=64,
            encoder_layers=1,
            decoder_layers=1,
            encoder_attention_heads=4,
            decoder_attention_heads=4,
            encoder_ffn_dim=128,
            decoder_ffn_dim=128,
            dropout=0.0,
            pad_token_id=tokenizer.pad_token_id,
            bos_token_id=tokenizer.eos_token_id,
            eos_token_id=tokenizer.eos_token_id,
            decoder_start_token_id=tokenizer.eos_token_id,
            forced_eos_token_id=None,
            scale_embedding=True,
            init_std=0.1,
        )
    )
    metric = BLEU(tokenize="none")  # of this tokenizer words are tokens
    with tempfile.TemporaryDirectory() as folder:
        trainer = Seq2SeqTrainer(
            model=model,
            args=Seq2SeqTrainingArguments(
                output_dir=folder,
                num_train_epochs=arguments.epochs,
                learning_rate=2e-3,
                per_device_train_batch_size=25,
                per_device_eval_batch_size=100,
                eval_strategy="epoch",
                predict_with_generate=True,
                generation_max_length=LENGTH,
                batch_eval_metrics=True,  # keeps counts between batches, and no predictions
                save_strategy="epoch",
                save_total_limit=1,
                load_best_model_at_end=True,
                metric_for_best_model="bleu",
                report_to=[],
                disable_tqdm=True,
                use_cpu=True,
            ),
            train_dataset=examples[: arguments.training],
            eval_dataset=examples[arguments.training :],
            data_collator=DataCollatorForSeq2Seq(tokenizer, model=model),
            # `rows` is needed on several processes.
            compute_metrics=compute_metrics(tokenizer, metric=metric, rows=arguments.validation),
        )
        trainer.train()
    for entry in trainer.state.log_history:
        if "eval_bleu" in entry:
            print(f"epoch {entry['epoch']:.0f}: BLEU {entry['eval_bleu']:.2f}")


if __name__ == "__main__":
    main()
