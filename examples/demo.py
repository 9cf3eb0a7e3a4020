"""Score the sample of this folder from Python: the native metric, sacreBLEU's API, nltk's."""

from pathlib import Path

import fastbleu
from fastbleu import nltk, sacrebleu, significance

folder = Path(__file__).parent


def read(name):
    """The lines of a file, one segment per line."""
    return (folder / name).read_text(encoding="utf-8").removesuffix("\n").split("\n")


streams = [read("reference.1.txt"), read("reference.2.txt")]
references = list(zip(*streams, strict=True))  # references[segment][k]
systems = {name: read(f"{name}.txt") for name in ("system-a", "system-b")}

metric = fastbleu.BLEU()
for name, hypotheses in systems.items():
    print(f"{name}: {metric.score(hypotheses, references).value:.2f}")
    # The same number through sacreBLEU's API, whose references are references[k][segment]:
    print(f"  sacreBLEU's API: {sacrebleu.corpus_bleu(hypotheses, streams)}")
    # nltk's BLEU of the same tokens:
    tokens = [fastbleu.tokenizers.tokenize(line) for line in hypotheses]
    token_references = [
        [fastbleu.tokenizers.tokenize(line) for line in lines] for lines in references
    ]
    print(f"  nltk's corpus_bleu, 0-1: {nltk.corpus_bleu(token_references, tokens):.4f}")

worse_first = dict(reversed(systems.items()))
test = significance.compare(worse_first, references, method="bootstrap")["system-a"]
print(f"The difference is {test.difference:.2f} BLEU, p = {test.p_value:.4f} (paired bootstrap)")
print("Tokens that are counted:", fastbleu.tokenizers.tokenize("It's 5-10% (1,000.5)."))
