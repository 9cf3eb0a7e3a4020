"""All that `BLEU()`, nltk's and sacreBLEU's numbers need; imports nothing else of the package."""
