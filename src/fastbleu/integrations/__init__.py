"""BLEU for other frameworks: one module per framework, imported on demand.

`torchmetrics`, `torcheval`, `ignite`, `keras`, `mbrs`, `spark` and `ray` import their framework,
which ``pip install '.[NAME]'`` in a checkout installs; `transformers` and `evaluate` do not. The
rest of the package does not import these modules.
"""
