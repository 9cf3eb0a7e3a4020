"""BLEU inside other frameworks: one module per host, imported on demand.

Each needs its host, which ``pip install 'pyfastbleu[host]'`` brings: `torchmetrics`, `torcheval`,
`ignite`, `transformers`, `evaluate`, `keras`. Nothing else of the package imports these modules.
"""
