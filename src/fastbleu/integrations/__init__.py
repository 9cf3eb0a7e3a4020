"""BLEU inside other frameworks: one module per host, imported on demand.

`torchmetrics`, `torcheval`, `ignite`, `keras`, `mbrs`, `spark` and `ray` import their host, which
``pip install '.[host]'`` in a checkout installs; `transformers` and `evaluate` do not. Nothing else
of the package imports these modules.
"""
