"""Raw text, most of it against sacreBLEU: ``references[k][segment]``."""

from functools import partial
from importlib import import_module
from typing import Any

import workloads
from cases import Case, Side, differing

ORIGINAL = "sacreBLEU"


def by_segment(references: list[list[str]]) -> list[list[str]]:
    return [list(of_segment) for of_segment in zip(*references, strict=True)]


def corpus_bleu(module: str, **options: Any) -> Side:
    def side(hypotheses, references):
        score = import_module(module).corpus_bleu
        return lambda: score(hypotheses, references, **options).score

    return side


def corpus_chrf(module: str, **options: Any) -> Side:
    def side(hypotheses, references):
        score = import_module(module).corpus_chrf
        return lambda: score(hypotheses, references, **options).score

    return side


def chrf_score(module: str, **options: Any) -> Side:
    def side(hypotheses, references):
        metric = import_module(module).CHRF(**options)
        return lambda: metric.corpus_score(hypotheses, references).score

    return side


def fastchrf(hypotheses, references):
    """All segments in one call."""
    from fastchrf import pairwise_chrf

    pairs = [[text] for text in hypotheses], [[text] for text in references[0]]
    return lambda: [score for [[score]] in pairwise_chrf(*pairs)]


def sentence_chrf(module: str, **options: Any) -> Side:
    def side(hypotheses, references):
        metric = import_module(module).CHRF(**options)
        pairs = [(text, [*several]) for text, *several in zip(hypotheses, *references, strict=True)]
        return lambda: [metric.sentence_score(*pair).score for pair in pairs]

    return side


def with_kept_references(module: str) -> Side:
    """The object has read the references before."""

    def side(hypotheses, references):
        score = import_module(module).BLEU(references=references).corpus_score
        return lambda: score(hypotheses, None).score

    return side


def sentence_bleu(module: str, name: str = "sentence_bleu") -> Side:
    """Score each segment by itself, by the function or by a method of one object."""

    def side(hypotheses, references):
        library = import_module(module)
        score = library.sentence_bleu
        if name == "sentence_score":
            score = library.BLEU(effective_order=True).sentence_score
        pairs = list(zip(hypotheses, by_segment(references), strict=True))
        return lambda: [score(hypothesis, several).score for hypothesis, several in pairs]

    return side


sentence_score = partial(sentence_bleu, name="sentence_score")


def native_sentence_scores(hypotheses, references):
    from fastbleu import BLEU

    scores, several = BLEU(effective_order=True).sentence_scores, by_segment(references)
    return lambda: scores(hypotheses, several).tolist()


def native_score(threads: int, hypotheses, references):
    from fastbleu import BLEU

    score = BLEU(threads=threads).score
    return lambda: score(hypotheses, references[0]).value


def bleuscore(hypotheses, references):
    """Its dialect is sacreBLEU's where there is one reference and every order has a match."""
    from bleuscore import compute

    several = by_segment(references)
    return lambda: 100 * compute(references=several, predictions=hypotheses)["bleu"]


def case(name: str, title: str, make: Any, others: Any = (), **options: Any) -> Case:
    """Return a case of `make` with sacreBLEU's module and with ours."""
    defaults = {"segments": 20_000, "corpus": workloads.latin, "length": "characters"}
    return Case(
        f"text-{name}",
        title,
        fresh=workloads.text,
        ours=make("fastbleu.sacrebleu"),
        others={ORIGINAL: make("sacrebleu"), **dict(others)},
        **{**defaults, **options},
    )


def in_script(script: str, tokenize: str, segments: int) -> Case:
    return case(
        script.lower().replace(", ", "-").replace(" ", "-"),
        f"`corpus_bleu`, {script}, {tokenize}",
        partial(corpus_bleu, tokenize=tokenize),
        segments=segments,
        corpus=partial(workloads.in_script, script),
    )


SENTENCES = {"segments": 400, "corpus": workloads.of_25_tokens, "per": "call", "length": "tokens"}
MOJO = "sacrebleu-mojo"

CASES = (
    case("13a", "`corpus_bleu`, 13a", corpus_bleu, {MOJO: corpus_bleu("sacrebleu_mojo")}),
    Case(
        "text-all-cores",
        "`corpus_bleu`, 13a",
        20_000,
        workloads.latin,
        workloads.text,
        ours=corpus_bleu("fastbleu.sacrebleu"),
        others={"bleuscore (Rust, all cores)": bleuscore},
        compare=partial(differing, exact=False),
        has_threads=True,
        length="characters",
    ),
    case("reused", "`corpus_score`, the references read before", with_kept_references),
    in_script("Latin, two references", "13a", 16_000),
    in_script("Cyrillic", "13a", 8_000),
    in_script("Chinese", "zh", 6_000),
    in_script("Japanese", "char", 6_000),
    case("intl", "`corpus_bleu`, intl", partial(corpus_bleu, tokenize="intl")),
    case("none", "`corpus_bleu`, none", partial(corpus_bleu, tokenize="none")),
    case("lowercase", "`corpus_bleu`, 13a, lowercase", partial(corpus_bleu, lowercase=True)),
    case("chrf", "`corpus_chrf`", corpus_chrf, segments=1_000),
    case(
        "chrf-words",
        "`corpus_chrf`, chrF++",
        partial(corpus_chrf, word_order=2),
        {MOJO: corpus_chrf("sacrebleu_mojo", word_order=2)},
        segments=1_000,
    ),
    case(
        "chrf-lowercase",
        "`corpus_score` of `CHRF`, lowercase",
        partial(chrf_score, lowercase=True),
        segments=1_000,
    ),
    case(
        "chrf-sentence",
        "`sentence_score` of one `CHRF`",
        sentence_chrf,
        {"fastchrf (Rust)": fastchrf},
        **SENTENCES,
    ),
    case("sentence", "`sentence_bleu`", sentence_bleu, **SENTENCES),
    case("sentence-score", "`sentence_score` of one `BLEU`", sentence_score, **SENTENCES),
    Case(
        "text-sentence-scores",
        "`fastbleu.BLEU().sentence_scores`, all in one call",
        ours=native_sentence_scores,
        others={ORIGINAL: sentence_score("sacrebleu")},
        fresh=workloads.text,
        **{**SENTENCES, "segments": 2_000},
    ),
    Case(
        "text-threads",
        "`fastbleu.BLEU().score`, 2 threads",
        20_000,
        workloads.latin,
        workloads.text,
        ours=partial(native_score, 2),
        others={"1 thread": partial(native_score, 1)},
        has_threads=True,
        length="characters",
    ),
)
