"""The originals whose results are recorded, each as it is called: see tools/record.py.

A function returns, by variant, calls with hypotheses and references: `corpus` for their score,
`sentences` for a list with that of each segment. PyPI's packages are downloaded, and files of them
are loaded alone (tools/packages.py). All were run on Python 3.11.
"""

from __future__ import annotations

import asyncio
import functools
import json
import operator
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, NamedTuple

from packages import Stub, load, nltk_data, unpacked, unpacked_of_npm

Call = Callable[[list[str], list[list[str]]], Any]
Variants = dict[str, dict[str, Call]]


class Original(NamedTuple):
    make: Callable[[], Variants]
    of_dialects: bool


ORIGINALS: dict[str, Original] = {}


def original(name: str, dialect: bool = False) -> Any:
    """Register a function: of a dialect, or of a recipe."""

    def add(make: Callable[[], Variants]) -> Callable[[], Variants]:
        ORIGINALS[name] = Original(make, dialect)
        return make

    return add


def split(texts: list[str]) -> list[list[str]]:
    return [text.split() for text in texts]


def split_all(references: list[list[str]]) -> list[list[list[str]]]:
    return [split(golds) for golds in references]


def firsts(references: list[list[str]]) -> list[str]:
    return [golds[0] for golds in references]


def outcome(score: Callable[..., Any], *arguments: Any) -> Any:
    try:
        return score(*arguments)
    except Exception as error:
        return {"error": f"{type(error).__name__}: {error}"}


def each(score: Callable[[str, list[str]], Any]) -> Call:
    """A list with the score of each segment, or its error."""
    return lambda texts, golds: [outcome(score, *pair) for pair in zip(texts, golds, strict=True)]


def total(scores: list[float]) -> float:
    """The sum from left to right, which sum() is not from Python 3.12 on."""
    return functools.reduce(operator.add, scores, 0)


def mean(scores: list[float]) -> float:
    return total(scores) / len(scores)


def averaged(score: Callable[[str, list[str]], Any], average: Any = mean) -> dict[str, Call]:
    """The calls of an original that scores segments."""
    return {
        "sentences": each(score),
        "corpus": lambda texts, golds: average(list(map(score, texts, golds))),
    }


def both(score: Call) -> dict[str, Call]:
    """The calls of an original that scores a segment as a corpus of one."""
    return {"corpus": score, "sentences": each(lambda text, golds: score([text], [golds]))}


@original("nltk", dialect=True)
def nltk() -> Variants:
    from nltk.translate.bleu_score import corpus_bleu

    return {"nltk": {"corpus": lambda texts, golds: corpus_bleu(split_all(golds), split(texts))}}


@original("sacrebleu", dialect=True)
def sacrebleu() -> Variants:
    from sacrebleu import corpus_bleu

    def score(texts: list[str], golds: list[list[str]]) -> float:
        return corpus_bleu(texts, list(zip(*golds, strict=True))).score

    return {"sacrebleu": {"corpus": score}}


@original("torchmetrics", dialect=True)
def torchmetrics() -> Variants:
    from torchmetrics.functional.text import bleu_score

    return {
        "torchmetrics": {"corpus": bleu_score},
        "torchmetrics smooth": {"corpus": lambda *texts: bleu_score(*texts, smooth=True)},
    }


@original("torcheval", dialect=True)
def torcheval() -> Variants:
    from torcheval.metrics.functional import bleu_score

    return {"torcheval 0.0.7": {"corpus": bleu_score}}


@original("torchtext", dialect=True)
def torchtext() -> Variants:
    names = "torchtext.data.metrics", "torchtext.data.utils"
    bleu_score = load(unpacked("torchtext==0.18.0"), *names).bleu_score
    return {
        "torchtext": {"corpus": lambda texts, golds: bleu_score(split(texts), split_all(golds))}
    }


@original("bleuscore", dialect=True)
def bleuscore() -> Variants:
    sys.path.append(str(unpacked("bleuscore==0.2.0")))
    from bleuscore import compute

    def score(texts: list[str], golds: list[list[str]], smooth: bool = False) -> float:
        return compute(references=golds, predictions=texts, smooth=smooth)["bleu"]

    return {
        "bleuscore": {"corpus": score},
        "bleuscore smooth": {"corpus": functools.partial(score, smooth=True)},
    }


@original("pycocoevalcap", dialect=True)
def pycocoevalcap() -> Variants:
    sys.path.append(str(unpacked("pycocoevalcap==1.2")))
    from pycocoevalcap.bleu.bleu import Bleu
    from pycocoevalcap.bleu.bleu_scorer import BleuScorer

    def scores(texts: list[str], golds: list[list[str]], which: int) -> list[Any]:
        results = {number: [text] for number, text in enumerate(texts)}
        return Bleu(4).compute_score(dict(enumerate(golds)), results, verbose=0)[which]

    def by_length(option: str, which: int) -> Call:
        def score(texts: list[str], golds: list[list[str]]) -> list[Any]:
            scorer = BleuScorer(n=4)
            for pair in zip(texts, golds, strict=True):
                scorer += pair
            return scorer.compute_score(option=option)[which]

        return score

    corpus, sentences = (functools.partial(scores, which=which) for which in (0, 1))
    return {
        "coco": {"corpus": corpus, "sentences": sentences},
        "coco shortest": {
            "corpus": by_length("shortest", 0),
            "sentences": by_length("shortest", 1),
        },
        "coco average": {"corpus": by_length("average", 0)},
    }


@original("pycocoevalcap-ptb")
def pycocoevalcap_ptb() -> Variants:
    """Java splits the references of a corpus, and its hypotheses, as the lines of one file."""
    sys.path.append(str(unpacked("pycocoevalcap==1.2")))
    from pycocoevalcap.bleu.bleu import Bleu
    from pycocoevalcap.tokenizer.ptbtokenizer import PTBTokenizer

    @functools.cache
    def tokens(texts: tuple[tuple[str, ...], ...]) -> dict[int, list[str]]:
        captions = [[{"caption": text} for text in several] for several in texts]
        return PTBTokenizer().tokenize(dict(enumerate(captions)))

    def scores(texts: list[str], golds: list[list[str]], which: int) -> list[Any]:
        results = tokens(tuple((text,) for text in texts))
        return Bleu(4).compute_score(tokens(tuple(map(tuple, golds))), results, verbose=0)[which]

    corpus, sentences = (functools.partial(scores, which=which) for which in (0, 1))
    return {"coco ptb": {"corpus": corpus, "sentences": sentences}}


@original("codebleu", dialect=True)
def codebleu() -> Variants:
    folder = unpacked("codebleu==0.7.0")
    names = "codebleu.weighted_ngram_match", "codebleu.utils", "codebleu.bleu"
    weighted, plain = load(folder, *names), load(folder, "codebleu.bleu")
    keywords = (folder / "codebleu" / "keywords" / "python.txt").read_text("utf-8").split()

    def weigh(tokens: list[str]) -> list[Any]:
        return [tokens, {token: 1 if token in keywords else 0.2 for token in tokens}]

    def of_keywords(texts: list[str], golds: list[list[str]]) -> float:
        weights = [[weigh(tokens) for tokens in several] for several in split_all(golds)]
        return weighted.corpus_bleu(weights, split(texts))

    def score(texts: list[str], golds: list[list[str]]) -> float:
        return plain.corpus_bleu(split_all(golds), split(texts))

    return {
        "codebleu-ngram": {"corpus": score},
        "codebleu-weighted python 0.7.0": {"corpus": of_keywords},
    }


@original("tensor2tensor", dialect=True)
def tensor2tensor() -> Variants:
    names = "tensor2tensor.utils.bleu_hook", "tensor2tensor.data_generators.text_encoder"
    hook = load(unpacked("tensor2tensor==1.15.7"), *names, stubs=("tensorflow",))
    # It opens files, whose names are their texts here.
    hook.tf = Stub(gfile=Stub(Open=lambda text, mode: Stub(read=lambda: text)))

    def of_files(texts: list[str], golds: list[list[str]], **options: bool) -> float:
        return hook.bleu_wrapper("\n".join(firsts(golds)), "\n".join(texts), **options)

    def of_tokens(texts: list[str], golds: list[list[str]], **options: bool) -> float:
        return hook.compute_bleu(split(firsts(golds)), split(texts), **options)

    return {
        "t2t": {"corpus": of_files},
        "t2t case_sensitive": {"corpus": functools.partial(of_files, case_sensitive=True)},
        "t2t compute_bleu": {"corpus": of_tokens},
        "t2t compute_bleu use_bp=False": {"corpus": functools.partial(of_tokens, use_bp=False)},
    }


@original("fairseq", dialect=True)
def fairseq() -> Variants:
    """Its C code is that of the wheel for Python 3.8: fairseq, too, loads it by ctypes."""
    options = "--python-version=3.8", "--only-binary=:all:", "--platform=manylinux1_x86_64"
    folder = unpacked("fairseq==0.12.2", *options)
    bleu = load(folder, "fairseq.scoring.bleu")
    dictionary = load(folder, "fairseq.data.dictionary", "fairseq.tokenizer")
    [library] = folder.glob("fairseq/libbleu*.so")
    sys.modules["fairseq"].libbleu = SimpleNamespace(__file__=str(library))

    def scored(texts: list[str], golds: list[list[str]], **options: bool) -> Any:
        words, scorer = dictionary.Dictionary(), bleu.Scorer(bleu.BleuConfig())
        scorer.reset(**options)
        for text, gold in zip(texts, firsts(golds), strict=True):
            ids = words.encode_line(text)
            scorer.add(words.encode_line(gold), ids)
        return scorer

    return {
        "fairseq": {
            "corpus": lambda *texts: scored(*texts).score(),
            "lines": lambda *texts: scored(*texts).result_string(),
        },
        "fairseq one_init": {
            "sentences": each(lambda text, golds: scored([text], [golds], one_init=True).score())
        },
    }


def as_ids(tokens: list[list[str]], ids: dict[str, int], least: int = 0) -> list[list[int]]:
    """Numbers of tokens from 1 on, padded with 0 to one width."""
    width = max([least, *map(len, tokens)])
    numbers = [[ids.setdefault(token, len(ids) + 1) for token in its] for its in tokens]
    return [its + [0] * (width - len(its)) for its in numbers]


@original("allennlp", dialect=True)
def allennlp() -> Variants:
    import torch

    names = "training.metrics.bleu", "training.metrics.metric", "training.util", "nn.util"
    modules = [f"allennlp.{name}" for name in names]
    module = load(unpacked("allennlp==2.10.1"), *modules, stubs=("spacy",))
    module.is_distributed = sys.modules["allennlp.nn.util"].is_distributed = lambda: False

    def score(texts: list[str], golds: list[list[str]]) -> float:
        ids: dict[str, int] = {}
        bleu = module.BLEU(exclude_indices={0})
        bleu(*(torch.tensor(as_ids(split(its), ids)) for its in (texts, firsts(golds))))
        return bleu.get_metric()["BLEU"]

    return {"allennlp": {"corpus": score}}


@original("compare-mt", dialect=True)
def compare_mt() -> Variants:
    names = "compare_mt.scorers", "compare_mt.ngram_utils"
    scorer = load(unpacked("compare-mt==0.2.10"), *names).BleuScorer()

    def score(texts: list[str], golds: list[list[str]]) -> float:
        return scorer.score_corpus(split(firsts(golds)), split(texts))[0]

    return {"compare-mt": {"corpus": score}}


@original("paddlenlp", dialect=True)
def paddlenlp() -> Variants:
    module = load(unpacked("paddlenlp==2.8.1"), "paddlenlp.metrics.bleu", stubs=("paddle",))

    def score(texts: list[str], golds: list[list[str]]) -> float:
        bleu = module.BLEU()
        for text, several in zip(split(texts), split_all(golds), strict=True):
            bleu.add_inst(text, several)
        return bleu.score()

    return {"paddlenlp": {"corpus": score}}


@original("torchmetrics-sacre-bleu")
def torchmetrics_sacre_bleu() -> Variants:
    from torchmetrics.functional.text import sacre_bleu_score

    options = {
        "": {},
        " lowercase": {"lowercase": True},
        " smooth": {"smooth": True},
        **{f" {name}": {"tokenize": name} for name in ("intl", "char", "zh", "none")},
    }
    name = "torchmetrics sacre_bleu"
    return {
        name + variant: both(functools.partial(sacre_bleu_score, **its))
        for variant, its in options.items()
    }


@original("ignite")
def ignite() -> Variants:
    from ignite.metrics import Bleu

    def score(texts: list[str], golds: list[list[str]], smooth: str, average: str) -> float:
        bleu = Bleu(4, smooth, average=average)
        bleu.update((split(texts), split_all(golds)))
        return bleu.compute()

    return {
        f"ignite {smooth} {average}": both(functools.partial(score, smooth=smooth, average=average))
        for smooth in ("no_smooth", "smooth1", "smooth2", "nltk_smooth2")
        for average in ("macro", "micro")
    }


@original("lm-eval")
def lm_eval() -> Variants:
    names = "lm_eval.api.metrics", "lm_eval.api.registry"
    folder = unpacked("lm-eval==0.4.13")
    bleu = load(folder, *names).bleu
    truthfulqa = load(folder, "lm_eval.tasks.truthfulqa.utils", stubs=("rouge_score",)).bleu
    return {
        "lm-eval": both(lambda texts, golds: bleu(list(zip(golds, texts, strict=True)))),
        "lm-eval one reference": both(
            lambda texts, golds: bleu(list(zip(firsts(golds), texts, strict=True)))
        ),
        "lm-eval truthfulqa": {
            "sentences": each(lambda text, golds: [truthfulqa([[gold]], [text]) for gold in golds])
        },
    }


@original("llamafactory")
def llamafactory() -> Variants:
    import numpy

    sys.path += [str(unpacked(name)) for name in ("rouge-chinese", "six")]
    module = load(unpacked("llamafactory==0.9.5"), "llamafactory.train.sft.metric")
    module.numpify = numpy.asarray

    def score(text: str, golds: list[str]) -> float:
        sides = iter([[text], golds[:1]])
        tokenizer = Stub(pad_token_id=0, batch_decode=lambda *_, **__: next(sides))
        ids = Stub(predictions=numpy.ones((1, 1)), label_ids=numpy.ones((1, 1)))
        return module.ComputeSimilarity(tokenizer)(ids)["bleu-4"]

    return {"llamafactory metric": averaged(score, numpy.mean)}


@original("ms-swift")
def swift() -> Variants:
    sys.path += [str(unpacked(name)) for name in ("rouge", "six")]
    names = "swift.metrics.nlg", "swift.metrics.utils"
    score = load(unpacked("ms-swift==4.5.1"), *names).compute_rouge_bleu
    return {"ms-swift": both(lambda texts, golds: score(texts, firsts(golds))["bleu-4"])}


def with_nltk_data() -> None:
    """Data of word_tokenize, which tools download when they are called."""
    import nltk

    nltk.data.path.append(nltk_data())
    nltk.download = lambda *_: None


@original("lighteval")
def lighteval() -> Variants:
    import numpy

    with_nltk_data()
    folder, metrics = unpacked("lighteval==0.13.0"), "lighteval.metrics.metrics_"
    sample = load(folder, metrics + "sample", "lighteval.utils.utils", stubs=("pytablewriter",))
    corpus = load(folder, metrics + "corpus", stubs=("sklearn",)).CorpusLevelTranslationMetric(
        "bleu"
    )

    def document(text: str, golds: list[str]) -> Stub:
        return Stub(golds=golds, preds=text, final_text=[text], get_golds=lambda: golds)

    def score(text: str, golds: list[str], n: int) -> float:
        return sample.BLEU(n).compute(*[document(text, golds)] * 2)

    return {
        f"lighteval bleu_{n}": averaged(functools.partial(score, n=n), numpy.mean) for n in (1, 4)
    } | {"lighteval bleu": both(lambda *texts: corpus.compute_corpus(list(map(document, *texts))))}


@original("helm")
def helm() -> Variants:
    with_nltk_data()
    folder, metrics = unpacked("crfm-helm==0.5.16"), "helm.benchmark.metrics."
    module = load(folder, metrics + "evaluate_reference_metrics", stubs=("rouge_score",))
    self_bleu = load(folder, metrics + "disinformation_metrics")._self_bleu

    def score(text: str, golds: list[str], name: str) -> float:
        return max(getattr(module, name)(gold, text) for gold in golds)

    def of_texts(texts: list[str]) -> float:
        return self_bleu([SimpleNamespace(text=text) for text in texts])

    return {
        f"helm {name}": averaged(functools.partial(score, name=name))
        for name in ("bleu_1", "bleu_4")
    } | {
        "helm self_bleu": {"corpus": lambda texts, _: of_texts(texts)},
        "helm self_bleu of references": {"sentences": each(lambda _, golds: of_texts(golds))},
    }


@original("deepeval")
def deepeval() -> Variants:
    with_nltk_data()
    score = load(unpacked("deepeval==4.3.1"), "deepeval.scorer.scorer").Scorer.sentence_bleu_score
    return {
        f"deepeval bleu{n}": averaged(lambda text, golds, n=n: score(golds, text, f"bleu{n}"))
        for n in range(1, 5)
    }


@original("evalscope")
def evalscope() -> Variants:
    with_nltk_data()
    name, stubs = "evalscope.metrics.utils.functions", ("editdistance",)
    score = load(unpacked("evalscope==1.14.1"), name, stubs=stubs).bleu_ngram_one_sample
    return {
        f"evalscope bleu-{n}": averaged(lambda text, golds, n=n: score(text, golds[0])[f"bleu-{n}"])
        for n in range(1, 5)
    }


@original("opik")
def opik() -> Variants:
    name = "opik.evaluation.metrics.heuristics.bleu"
    module = load(unpacked("opik==2.2.122"), name, "opik.exceptions")

    def sentence(text: str, golds: list[str], **options: str) -> float:
        return module.SentenceBLEU(**options).score(text, golds).value

    return {
        "opik sentence": averaged(sentence),
        "opik sentence method0": averaged(functools.partial(sentence, smoothing_method="method0")),
        "opik corpus": both(lambda *texts: module.CorpusBLEU().score(*texts).value),
    }


@original("azure-ai-evaluation")
def azure() -> Variants:
    with_nltk_data()
    import nltk
    from sacremoses.corpus import Perluniprops

    # NISTTokenizer's classes of characters are data of nltk, which sacremoses has, too.
    nltk.corpus.perluniprops = Perluniprops()
    folder = unpacked("azure-ai-evaluation==1.18.10")
    names = "_evaluators._bleu._bleu", "_common.utils", "_constants"
    module = load(folder, *(f"azure.ai.evaluation.{name}" for name in names))
    evaluator = module.BleuScoreEvaluator()

    def score(text: str, golds: list[str]) -> float:
        texts = {"response": text, "ground_truth": golds[0]}
        return asyncio.run(evaluator._do_eval(texts))["bleu_score"]

    return {"azure": averaged(score)}


@original("ragas")
def ragas() -> Variants:
    import numpy

    folder = unpacked("ragas==0.4.3")
    new = load(folder, "ragas.metrics.collections._bleu_score").BleuScore()
    old = load(folder, "ragas.metrics._bleu_score", stubs=("langchain_core",)).BleuScore()

    def score(text: str, golds: list[str]) -> float:
        return asyncio.run(new.ascore(golds[0], text)).value

    def legacy(text: str, golds: list[str]) -> float:
        return asyncio.run(old._single_turn_ascore(Stub(reference=golds[0], response=text), None))

    return {
        "ragas": averaged(score, numpy.nanmean),
        "ragas legacy": averaged(legacy, numpy.nanmean),
    }


@original("opencompass")
def opencompass() -> Variants:
    folder = unpacked("opencompass==0.5.4")
    hf = load(folder, "opencompass.openicl.icl_evaluator.hf_metrics.sacrebleu").Sacrebleu
    flores = load(folder, "opencompass.datasets.PMMEval.flores").PMMEvalFloresEvaluator

    def score(texts: list[str], golds: list[Any]) -> float:
        return hf._compute(None, texts, golds)["score"]

    def of_lines(texts: list[str], golds: list[list[str]], language: str) -> float:
        return flores().score([(text, language) for text in texts], firsts(golds))["BLEU"]

    return {
        "opencompass": both(lambda texts, golds: score(texts, firsts(golds))),
        "opencompass references": both(score),
    } | {
        f"opencompass pmmeval-flores {language}": both(
            functools.partial(of_lines, language=language)
        )
        for language in ("English", "Japanese", "Chinese")
    }


@original("rxlm")
def rxlm() -> Variants:
    import torch

    module = load(unpacked("rxlm==0.3.80"), "rxlm.metrics.tensorbleu")

    def score(function: Any, texts: list[str], golds: list[list[str]], method: str) -> Any:
        ids: dict[str, int] = {}
        flat = as_ids([text.split() for its in golds for text in its], ids, 4)
        shaped = torch.tensor(flat).view(len(golds), len(golds[0]), -1)
        return function(torch.tensor(as_ids(split(texts), ids, 4)), shaped, smoothing_method=method)

    def corpus(texts: list[str], golds: list[list[str]], method: str) -> float:
        return score(module.tensor_corpus_bleu, texts, golds, method).item()

    def sentences(texts: list[str], golds: list[list[str]], method: str) -> list[float]:
        return score(module.tensor_sentence_bleu, texts, golds, method).tolist()

    return {
        f"tensorbleu {method}": {
            "corpus": functools.partial(corpus, method=method),
            "sentences": functools.partial(sentences, method=method),
        }
        for method in ("exp", "none", "floor", "add-k")
    }


@original("metrax")
def metrax() -> Variants:
    names = "metrax.nlp_metrics", "metrax.base"
    bleu = load(unpacked("google-metrax==0.2.4"), *names, stubs=("clu", "flax")).BLEU
    return {"metrax": both(lambda *texts: bleu.from_model_output(*texts).compute())}


@original("nemo-toolkit")
def nemo() -> Variants:
    name = "nemo.collections.speechlm2.parts.metrics.bleu"
    module = load(unpacked("nemo-toolkit==3.0.0"), name)

    def score(texts: list[str], golds: list[list[str]], normalize: bool) -> float:
        bleu = module.BLEU(normalize, verbose=False)
        bleu.update("all", firsts(golds), texts)
        return bleu.compute()["txt_bleu"]

    return {
        "nemo speechlm2": both(functools.partial(score, normalize=True)),
        "nemo speechlm2 normalize=False": both(functools.partial(score, normalize=False)),
    }


@original("crystalbleu")
def crystalbleu() -> Variants:
    module = load(unpacked("crystalbleu==0.2"), "crystalbleu")

    def most_common(golds: list[list[str]], number: int) -> dict[Any, int]:
        tokens = [token for its in golds for text in its for token in text.split()]
        grams = [tuple(tokens[i : i + n]) for n in range(1, 5) for i in range(len(tokens) - n + 1)]
        return dict(Counter(grams).most_common(number))

    def corpus(texts: list[str], golds: list[list[str]], number: int) -> float:
        ignoring = most_common(golds, number) if number else None
        return module.corpus_bleu(split_all(golds), split(texts), ignoring=ignoring)

    def sentences(texts: list[str], golds: list[list[str]], number: int) -> list[float]:
        ignoring = most_common(golds, number) if number else None
        return [
            module.sentence_bleu(several, text, ignoring=ignoring)
            for text, several in zip(split(texts), split_all(golds), strict=True)
        ]

    return {
        f"crystalbleu{name}": {
            "corpus": functools.partial(corpus, number=number),
            "sentences": functools.partial(sentences, number=number),
        }
        for name, number in (("", 0), (" ignoring 5", 5), (" ignoring 20", 20))
    }


@original("parlai")
def parlai() -> Variants:
    compute = load(unpacked("parlai==1.7.2"), "parlai.core.metrics").BleuMetric.compute
    return {
        f"parlai bleu-{k}": averaged(lambda text, golds, k=k: compute(text, golds, k)._numer)
        for k in range(1, 5)
    }


@original("promptfoo")
def promptfoo() -> Variants:
    """Two parts of a bundle, as its comments mark them, run by node."""
    run = """const invariant = () => {};
        const score = ([text, golds]) => {
          try {
            const texts = {outputString: text, renderedValue: golds};
            return handleBleuScore({assertion: {}, inverse: false, ...texts}).score;
          } catch (error) { return {error: `${error.name}: ${error.message}`}; }
        };
        const pairs = JSON.parse(require("fs").readFileSync(0, "utf8"));
        console.log(JSON.stringify(pairs.map(score)));"""

    def scores(texts: list[str], golds: list[list[str]], version: str) -> Any:
        bundle = unpacked_of_npm(f"promptfoo@{version}") / "dist" / "src" / "index.js"
        marks = r"//#region src/assertions/(?:bleu|ngrams)\.ts\n(.*?)//#endregion"
        script = "".join(re.findall(marks, bundle.read_text("utf-8"), re.DOTALL))
        data = json.dumps(list(zip(texts, golds, strict=True))).encode()
        done = subprocess.run(["node", "-e", script + run], input=data, capture_output=True)
        return json.loads(done.stdout, parse_int=float)

    return {
        f"promptfoo {version}": {"sentences": functools.partial(scores, version=version)}
        for version in ("0.121.14", "0.123.1")
    }
