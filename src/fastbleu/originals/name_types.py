"""The names that `BLEU` takes, as types; made by tools/generate_tables.py."""

from typing import Literal, TypeAlias

# fmt: off
DialectName: TypeAlias = Literal[
    "sacrebleu", "nltk", "multi-bleu", "multi-bleu-detok", "mteval-v13a", "mteval-v14", "tf-nmt",
    "evaluate", "tensor2tensor", "coco", "fairseq", "codexglue-summary", "codebleu-ngram",
    "codebleu-weighted", "e2e", "torchmetrics", "torcheval", "matlab"
]
# fmt: off
RecipeName: TypeAlias = Literal[
    "llamafactory-metric", "llamafactory-eval_bleu_rouge", "ms-swift", "lighteval-bleu_1",
    "helm-bleu_1", "deepeval-bleu1", "evalscope-bleu-1", "parlai-bleu-1", "deepeval-bleu2",
    "evalscope-bleu-2", "parlai-bleu-2", "deepeval-bleu3", "evalscope-bleu-3", "parlai-bleu-3",
    "lighteval-bleu_4", "helm-bleu_4", "deepeval-bleu4", "evalscope-bleu-4", "parlai-bleu-4",
    "helm-self_bleu", "helm-self_bleu-of-references", "opik-sentence", "opik-sentence-method0",
    "opik-corpus", "azure", "mlflow", "mlflow-p90", "trulens", "lm-eval-careqa", "lm-eval",
    "lm-eval-one-reference", "opencompass", "lighteval-bleu", "opencompass-references",
    "lm-eval-truthfulqa", "ragas", "ragas-legacy", "opencompass-pmmeval-flores-English",
    "opencompass-pmmeval-flores-Japanese", "opencompass-pmmeval-flores-Chinese",
    "promptfoo-0.123.1", "promptfoo-0.121.14", "ignite-no_smooth-macro", "ignite-no_smooth-micro",
    "ignite-smooth1-macro", "ignite-smooth1-micro", "ignite-nltk_smooth2-macro",
    "ignite-nltk_smooth2-micro", "ignite-smooth2-macro", "ignite-smooth2-micro", "tensorbleu-exp",
    "tensorbleu-none", "tensorbleu-floor", "tensorbleu-add-k", "metrax", "nemo-speechlm2",
    "nemo-speechlm2-normalize=False", "torchmetrics-sacre_bleu", "torchmetrics-sacre_bleu-smooth",
    "torchmetrics-sacre_bleu-lowercase", "torchmetrics-sacre_bleu-intl",
    "torchmetrics-sacre_bleu-char", "torchmetrics-sacre_bleu-zh", "torchmetrics-sacre_bleu-none",
    "crystalbleu", "crystalbleu-ignoring-5", "crystalbleu-ignoring-20", "multiwoz-nlp",
    "multiwoz-evaluate", "nematus", "codesum-codenn", "codesum-codebert", "codesum-rencos",
    "codesum-google-smooth", "codesum-nltk", "codesum-nltk-smooth2", "codesum-nltk-smooth4",
    "codesum-rencos-average", "codesum-google-smooth-average", "codesum-nltk-average",
    "codesum-nltk-smooth2-average", "codesum-nltk-smooth4-average", "moses-mert",
    "moses-sentence-bleu", "moses-mert-reflen:shortest", "moses-sentence-bleu-reflen:shortest",
    "moses-mert-reflen:average", "moses-sentence-bleu-reflen:average", "joshua-closest",
    "joshua-shortest", "joshua-decoder", "get_ende_bleu", "multeval", "phrasal", "phrasal-smooth",
    "phrasal-local", "marian", "marian-words", "allennlp", "paddlenlp", "torchtext", "keras-hub",
    "keras-hub-smooth", "llamafactory", "lighteval-bleu1", "helm-bleu1", "evalscope-bleu1",
    "evalscope-bleu2", "evalscope-bleu3", "lighteval-bleu4", "helm-bleu4", "evalscope-bleu4",
    "parlai", "opik", "flores", "promptfoo", "tensorbleu", "nemo", "multiwoz", "moses-sentence",
    "joshua", "compound-split", "nltk@3.10", "torcheval@0.0.7", "promptfoo@0.121"
]
# fmt: off
SmoothingName: TypeAlias = Literal[
    "none", "floor", "add-k", "exp", "method4", "add-1", "tiny"
]
# fmt: off
TokenizerName: TypeAlias = Literal[
    "none", "zh", "13a", "intl", "char", "ja-mecab", "ko-mecab", "spm", "flores101", "flores200",
    "spBLEU-1K", "auto", "ptb", "jieba", "pythainlp", "laonlp", "khmercut", "burmesenlp", "ptb-all",
    "multi-bleu", "multi-bleu-detok", "mteval", "international", "mteval-international",
    "international-e", "mteval-international-e", "evaluate", "tensor2tensor", "codexglue-summary",
    "e2e"
]
# fmt: on
