"""Compares systems, and saves pictures of the comparison."""

import sys
from pathlib import Path

from matplotlib import pyplot

import fastbleu
from fastbleu.plots import plot_comparisons, plot_differences, plot_matrix, plot_precisions


def main(folder: Path) -> None:
    references = ["The cat sat on the mat.", "It rained all night.", "We stayed at home today."]
    systems = {
        "baseline": ["A cat sat on the mat.", "It rained all day.", "We stayed at home today."],
        "new": ["The cat sat on the mat.", "It rained all day.", "We were at home today."],
    }
    metric = fastbleu.BLEU()
    scores = {name: metric.score(texts, references) for name, texts in systems.items()}
    sentences = {name: metric.sentence_scores(texts, references) for name, texts in systems.items()}
    comparisons = fastbleu.significance.compare(systems, references, trials=100, samples=100)
    matrix = fastbleu.matrix.pairwise(references, references)
    _, axes = pyplot.subplots(2, 2)
    plot_precisions(scores, ax=axes[0, 0])
    plot_comparisons(comparisons, ax=axes[0, 1])
    plot_differences(sentences["new"], sentences["baseline"], ax=axes[1, 0])
    plot_matrix(matrix, ax=axes[1, 1]).set_title("similarity")
    pyplot.savefig(folder / "all.png")
    plot_precisions(scores["new"])
    pyplot.savefig(folder / "precisions.png")
    best = max(scores, key=lambda name: scores[name].value)
    print(f"{best}: {scores[best]:.1f}")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
