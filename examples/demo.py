"""Score the sample of this folder from Python: a corpus, one segment, and the counts behind it."""

from pathlib import Path

from fastbleu import SmoothingFunction, corpus_bleu, count, sentence_bleu

folder = Path(__file__).parent


def read(name):
    """Token lists of a file, one per line."""
    return [line.split() for line in (folder / name).read_text(encoding="utf-8").splitlines()]


references = list(zip(read("reference.1.txt"), read("reference.2.txt"), strict=True))
smoothing = SmoothingFunction().method1
for system in ("system-a.txt", "system-b.txt"):
    hypotheses = read(system)
    corpus = corpus_bleu(references, hypotheses)
    first = sentence_bleu(references[0], hypotheses[0], smoothing_function=smoothing)
    print(f"{system}: corpus_bleu {corpus:.4f}, sentence_bleu of line 1 {first:.4f}")
    print(f"  counts: {count(hypotheses, references).sum()}")
