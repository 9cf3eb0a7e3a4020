"""`fastbleu.BLEU`: the metric for a corpus, a stream of batches, or several processes."""
