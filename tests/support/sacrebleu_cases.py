"""Random corpora for sacreBLEU's API, all its options, and what a caller sees of a score."""

import generators
from generators import typed, words

SMOOTHINGS = [
    *(("exp", value) for value in (None, 0.7)),
    *(("floor", value) for value in (None, 0.5, 0, 3)),
    *(("add-k", value) for value in (None, 2, 0.25, 1.0, 0)),
    *(("none", value) for value in (None, 0.7)),
]
ORDERS = [4, 4, 4, 1, 2, 3, 5, 7]
TOKENIZERS = ["none", "13a", "zh", "intl", "char"]

WORDS = [
    *words("the cat sat on mat The Cat MAT. 3,000 5-10% (a) b's &quot;x&quot; &amp; < - . ,"),
    *words('über ÉTÉ straße ΣΑΣ мир Мир. 世界 你好， 、。 😀 <skipped> $9.99 — " a..b 1.5.'),
    "\u00a0",
    "\u2028",
]


def line(rng):
    """A short text; sometimes empty or white space."""
    length = rng.choice((0, 1, 2, 3, 4, 5, 6, 8, 12, 30))
    return rng.choice((" ", " ", "  ")).join(rng.choices(WORDS, k=length)) + rng.choice(
        ("", "", " ", "\n", ".", " .", "-\n")
    )


def edited(rng, text):
    """A text that shares most words with another."""
    return " ".join(generators.edited(rng, text.split(" "), WORDS))


def corpus(rng, segments=None, missing=True):
    """Hypotheses and stream-major references; no segment without any reference."""
    segments = segments or rng.choice((1, 1, 2, 3, 8))
    hypotheses = [line(rng) for _ in range(segments)]
    streams = [
        [edited(rng, text) if rng.random() < 0.8 else line(rng) for text in hypotheses]
        for _ in range(rng.choice((1, 1, 2, 3, 4)))
    ]
    if missing and len(streams) > 1:
        for stream in streams[1:]:
            for segment in range(segments):
                if rng.random() < 0.3:
                    stream[segment] = None
        rng.shuffle(streams)
    return hypotheses, streams


def options(rng):
    """Arguments of BLEU."""
    smooth_method, smooth_value = rng.choice(SMOOTHINGS)
    return {
        "lowercase": rng.random() < 0.3,
        "tokenize": rng.choice(TOKENIZERS),
        "smooth_method": smooth_method,
        "smooth_value": smooth_value,
        "max_ngram_order": rng.choice(ORDERS),
        "effective_order": rng.random() < 0.5,
    }


ATTRIBUTES = [
    *("name", "score", "counts", "totals", "precisions", "bp", "sys_len", "ref_len", "prec_str"),
    *("ratio", "_verbose", "_mean", "_ci"),
]


def seen(score, signature=""):
    """All that a caller can see of a BLEUScore, with types."""
    texts = [str(score), repr(score)]
    for width in (0, 2, 4, 14):
        for score_only in (False, True):
            texts.append(score.format(width, score_only, signature))
        if signature:
            texts.append(score.format(width, False, signature, True))
    return [typed(getattr(score, name)) for name in ATTRIBUTES], texts


def without_version(signature):
    """A signature, long or short, up to its version; that must come last."""
    text, _, version = str(signature).rpartition("|")
    assert version.startswith(("version:", "v:")), signature
    return text


def signatures(metric):
    """The long and the short signature of a metric, without versions."""
    signature = metric.get_signature()
    return without_version(signature), without_version(signature.format(short=True))
