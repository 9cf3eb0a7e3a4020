"""`fastbleu.BLEU`: the metric of a corpus, of a stream of batches and of several processes."""
