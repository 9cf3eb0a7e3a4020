"""Evaluations of a Seq2SeqTrainer, in one process or in several that torchrun starts.

Run by test_transformers.py with a folder, where each rank writes what its evaluations return.
"""

import json
import sys
import warnings
from pathlib import Path

import torch
from torch.nn.utils.rnn import pad_sequence
from transformers import (
    Seq2SeqTrainer,
    Seq2SeqTrainingArguments,
    T5Config,
    T5ForConditionalGeneration,
)

from fastbleu import BLEU
from fastbleu.integrations.transformers import compute_metrics

PAD, EOS, WORDS, ROWS, LENGTH = 0, 1, 24, 201, 10
WAYS = {
    "whole": {},
    "batches": {"batch_eval_metrics": True},
    "lists": {"eval_do_concat_batches": False},
}


def make_model(words=WORDS):
    """A model whose outputs vary, because its weights vary more than usual."""
    ids = {"vocab_size": words, "pad_token_id": PAD, "eos_token_id": EOS}
    size = {"d_model": 16, "d_kv": 8, "d_ff": 16, "num_layers": 1, "num_heads": 2}
    model = T5ForConditionalGeneration(T5Config(**ids, **size, decoder_start_token_id=PAD)).eval()
    generator = torch.Generator().manual_seed(11)
    with torch.no_grad():
        for parameter in model.parameters():
            if parameter.dim() > 1:
                parameter.copy_(torch.randn(parameter.shape, generator=generator))
    return model


def make_rows(model, count=ROWS, words=WORDS):
    """Sources of different lengths; labels are what the model generates with some ids changed."""
    generator = torch.Generator().manual_seed(5)
    rows = []
    for number in range(count):
        source = torch.randint(4, words, (2 + number % 7,), generator=generator)
        labels = model.generate(source[None], max_length=LENGTH, do_sample=False)[0, 1:]
        changed = torch.rand(labels.shape, generator=generator) < 0.3
        rows.append({"input_ids": source, "labels": labels.masked_fill(changed, 4 + number % 18)})
    return rows


def collate(rows):
    ids = pad_sequence([row["input_ids"] for row in rows], True, PAD)
    labels = pad_sequence([row["labels"] for row in rows], True, -100)
    return {"input_ids": ids, "attention_mask": (ids != PAD).long(), "labels": labels}


def main():
    torch.set_num_threads(1)
    folder, model, found = Path(sys.argv[1]), make_model(), {}
    rows = make_rows(model)

    def evaluate(name, data, arguments, **options):
        usual = {"per_device_eval_batch_size": 8, "predict_with_generate": True}
        usual |= {"generation_max_length": LENGTH, "report_to": [], "use_cpu": True}
        arguments = {**usual, "disable_tqdm": True, **arguments}
        metric = BLEU(tokenize=False, ignore_ids=(PAD,), skip_ids=(EOS,))
        metrics = compute_metrics(metric=metric, **options)
        made = Seq2SeqTrainingArguments(str(folder / "out"), **arguments)
        trainer = Seq2SeqTrainer(model, made, collate, compute_metrics=metrics)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            result = trainer.evaluate(data)
        said = [str(one.message) for one in caught if "rows=" in str(one.message)]
        found[name] = [[result["eval_bleu"], result["eval_gen_len"]], *said]

    for way, arguments in WAYS.items():
        evaluate(way, rows, arguments, rows=ROWS)
        evaluate(f"{way}, unknown", rows, arguments)
    evaluate("3 rows", rows[:3], {}, rows=3)
    rank = torch.distributed.get_rank() if torch.distributed.is_initialized() else 0
    (folder / f"{rank}.json").write_text(json.dumps(found))
    if torch.distributed.is_initialized():
        torch.distributed.destroy_process_group()


if __name__ == "__main__":
    main()
