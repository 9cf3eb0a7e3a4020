"""BLEU inside other frameworks: one module per host, imported on demand.

`torchmetrics`, `torcheval`, `ignite`, `keras` and `mbrs` import their host, which
``pip install 'pyfastbleu[host]'`` brings; `transformers` and `evaluate` import nothing of theirs.
Nothing else of the package imports these modules.
"""
