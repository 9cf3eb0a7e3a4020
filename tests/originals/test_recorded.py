"""Recorded results of the originals: scores and sentence scores bit for bit, printed lines.

WMT22's are compared where its texts are.
"""

import gzip
import importlib
import warnings
from functools import cache
from math import isnan

import pytest
import wmt22
from processes import ROOT
from recordings import DIALECTS, FOLDER, TOOLS, read_cases, recorded, recorded_value

from fastbleu import BLEU
from fastbleu.core.metric.argument import scorer_of
from fastbleu.tokenizers import tokenize

pytestmark = pytest.mark.filterwarnings("ignore::fastbleu.InputWarning")
WMT22 = wmt22.WMT22.parent / "dialects" / "wmt22.jsonl.gz"
# By variant: the parameters of BLEU, and what the recorded scores are multiplied by.
MTEVAL = {
    "": {},
    " -c": {"lowercase": False},
    " --international-tokenization": {"tokenize": "international"},
    " --international-tokenization -c": {"tokenize": "international", "lowercase": False},
    " --international-tokenization -e": {"tokenize": "international-e"},
    " --brevity-penalty shortest": {"reference_length": "shortest"},
    " --no-smoothing": {"smooth_method": "none"},
}
ADD_1 = {"smooth_method": "add-1"}
VARIANTS = {
    **{f"mteval-v13a{how}": {"dialect": "mteval-v13a"} | its for how, its in MTEVAL.items()},
    "mteval-v14 --international-tokenization": {
        "dialect": "mteval-v14",
        "tokenize": "international",
    },
    **{
        f"{name}{case}": {"dialect": name, "lowercase": bool(case)}
        for name in ("multi-bleu", "multi-bleu-detok")
        for case in ("", " -lc")
    },
    "nmt": {"dialect": "tf-nmt"},
    "nmt smooth": {"dialect": "tf-nmt"} | ADD_1,
    "hf": {"dialect": "evaluate"},
    "hf smooth": {"dialect": "evaluate"} | ADD_1,
    "t2t": {"dialect": "tensor2tensor"},
    "t2t case_sensitive": {"dialect": "tensor2tensor", "lowercase": False},
    "t2t compute_bleu": {"dialect": "tensor2tensor", "tokenize": False},
    "coco shortest": {"dialect": "coco", "reference_length": "shortest"},
    "coco average": {"dialect": "coco", "reference_length": "average"},
    "fairseq one_init": {"dialect": "fairseq", "smooth_method": "add-k"},
    "codebleu-weighted java": {"dialect": "codebleu-weighted", "keywords": "java"},
    "codebleu-weighted python": {"dialect": "codebleu-weighted", "keywords": "python"},
    "codebleu-weighted python 0.7.0": {"dialect": "codebleu-weighted", "keywords": "python-0.7.0"},
    "e2e case_sensitive": {"dialect": "e2e", "lowercase": False},
    "e2e smoothing=1": {"dialect": "e2e", "smooth_method": "add-k"},
    "torchmetrics smooth": {"dialect": "torchmetrics", "smooth_method": "add-k"},
    "torcheval 0.0.7": {"dialect": "torcheval"},
    "keras-hub smooth": {"dialect": "keras-hub-smooth"},
}
# Recorded, but of no dialect here: other scripts, options and versions of the same.
WITHOUT_NAME = {
    *("compare-mt", "bleuscore", "bleuscore smooth", "codexglue", "nmt evaluate", "torcheval main"),
    "t2t compute_bleu use_bp=False",
}
SINGLE_REFERENCE = ("t2t", "fairseq")


def cases(name):
    return wmt22_cases() if name == WMT22.name else recorded(name)


@cache
def wmt22_cases():
    return read_cases(WMT22)


@cache
def lines_of(pair, name, tokenized):
    """A system's or reference's lines; joined 13a tokens."""
    path = wmt22.reference_files(pair).get(name) or wmt22.system_file(f"{pair}.{name}")
    lines = wmt22.read_lines(path)
    return [" ".join(tokenize(line)) for line in lines] if tokenized else lines


def corpus_of(case, variant):
    """Hypotheses and references as the original of a variant got them."""
    if "pair" not in case:
        hypotheses, references = case["hypotheses"], case["references"]
    else:
        of = [case["system"], *case["references"]]
        hypotheses, *streams = [lines_of(case["pair"], name, " @13a" in variant) for name in of]
        references = list(zip(*streams, strict=True))
    if variant.startswith(SINGLE_REFERENCE):
        references = [its[:1] for its in references]
    if "compute_bleu" in variant:
        hypotheses = [text.split() for text in hypotheses]
        references = [[text.split() for text in its] for its in references]
    return hypotheses, references


def outcome(call):
    """What a call returns, or "error"."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return call()
    except (ValueError, ZeroDivisionError):
        return "error"


def sentence_outcomes(metric, hypotheses, references, one_fails):
    """The score of each segment; alone, if one fails, which all together must do, too."""
    together = outcome(lambda: metric.sentence_scores(hypotheses, references).tolist())
    if not one_fails:
        return together
    assert together == "error"
    pairs = zip(hypotheses, references, strict=True)
    return [outcome(lambda h=h, r=r: metric.sentence_scores([h], [r])[0]) for h, r in pairs]


def plain(value):
    if isinstance(value, float) and isnan(value):
        return "nan"
    return "error" if isinstance(value, dict) else value


def parameters_of(variant):
    """Those of the dialect of this name, if there is nothing else to say."""
    name = variant.removesuffix(" @13a")
    return VARIANTS.get(name, {"dialect": name})


def metric_of(variant, name=""):
    parameters = parameters_of(variant)
    if name.startswith("fuzz") and parameters["dialect"] == "mteval-v13a":
        # Recorded as documents of one corpus, for which v13a has the scores of v14.
        parameters = parameters | {"dialect": "mteval-v14"}
    if parameters["dialect"].startswith("torch"):  # torchtext too
        pytest.importorskip("torch")
    return BLEU(**parameters)


def variants_of(part):
    """(file, variant) of all that was recorded and has a dialect; WMT22's take long."""
    found = []
    for name in [*DIALECTS.values(), *([WMT22.name] if WMT22.exists() else [])]:
        variants = dict.fromkeys(variant for case in cases(name) for variant in case[part])
        marks = [pytest.mark.long, pytest.mark.wmt22] if name == WMT22.name else []
        found += [pytest.param(name, its, marks=marks) for its in variants if is_known(its)]
    return found


def is_known(variant):
    return variant.removesuffix(" @13a") not in WITHOUT_NAME


@pytest.mark.parametrize(("name", "variant"), variants_of("corpus"))
def test_corpora(name, variant):
    """Scores, and the lines that programs print."""
    metric = metric_of(variant, name)
    for case in cases(name):
        if variant not in case["corpus"]:
            continue
        expected = plain(recorded_value(case, "corpus", variant))
        corpus = corpus_of(case, variant)
        score = outcome(lambda corpus=corpus: metric.score(*corpus))
        if score == "error":
            assert expected == "error", case["id"]
            continue
        value = list(score.cumulative) if isinstance(expected, list) else score.value
        assert plain(value) == expected, case["id"]
        if line := case["lines"].get(variant):
            assert scorer_of(metric).line(score) == line, case["id"]
            assert f"= {score.printed}, " in line, case["id"]


@pytest.mark.parametrize(("name", "variant"), variants_of("sentences"))
def test_sentences(name, variant):
    metric = metric_of(variant)
    for case in cases(name):
        if variant not in case["sentences"]:
            continue
        expected = recorded_value(case, "sentences", variant)
        hypotheses, references = (part[:100] for part in corpus_of(case, variant))
        if isinstance(expected[0], list) and variant.startswith("coco"):
            pairs = zip(hypotheses, references, strict=True)
            seen = zip(*[metric.score([h], [r]).cumulative for h, r in pairs], strict=True)
            assert [list(scores) for scores in seen] == expected, case["id"]
            continue
        expected = [plain(value) for value in expected]
        if variant.startswith("codexglue-summary"):
            expected = [value * 100.0 for value in expected]  # recorded on 0-1
        found = sentence_outcomes(metric, hypotheses, references, "error" in expected)
        assert list(map(plain, found)) == expected, case["id"]


@pytest.mark.parametrize("name", [DIALECTS["edge"], TOOLS])
def test_a_changed_case_changes_its_line_alone(name, tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "tools")
    record = importlib.import_module("record")
    path = tmp_path / name
    path.write_bytes((FOLDER / name).read_bytes())
    cases = read_cases(path)
    cases[3]["corpus"]["nltk"] = 0.5
    record.write(path, cases)
    assert repr(read_cases(path)) == repr(cases)
    if name.endswith(".gz"):
        assert path.read_bytes()[:10] == (FOLDER / name).read_bytes()[:10]
    pairs = zip(read_lines(FOLDER / name), read_lines(path), strict=True)
    assert [number for number, (old, new) in enumerate(pairs) if old != new] == [3]


def read_lines(path):
    data = path.read_bytes()
    return (gzip.decompress(data) if path.suffix == ".gz" else data).splitlines()
