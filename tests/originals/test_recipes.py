"""Recipes: what evaluation tools return, recorded, and what their names and references do."""

import csv
import importlib.util
import math
import pickle
import re
import shutil
import subprocess
import warnings
from itertools import combinations, filterfalse
from operator import attrgetter

import numpy
import pytest
from generators import raises, seeded
from processes import ROOT, python
from recordings import DIALECTS, FOLDER, TOOLS, recorded_tools
from recordings import recorded as recorded_cases
from test_recorded import outcome, plain, sentence_outcomes

from fastbleu import BLEU, dialects
from fastbleu.core.scoring.names import get
from fastbleu.originals import recipe_arithmetic
from fastbleu.tokenizers import Tokenizer, tokenize

FLORES = "opencompass-pmmeval-flores-English"
pytestmark = [
    pytest.mark.filterwarnings("ignore::fastbleu.InputWarning"),
    pytest.mark.xdist_group("recipes"),
]
# A caption tokenizer, of the dialect "coco".
NO_RECIPE = {"coco ptb"}
LIBRARIES = {
    "word_tokenize": ("nltk", "punkt"),
    "evalscope": ("nltk", "punkt", "jieba"),
    "azure": ("nltk", "punkt", "sacremoses"),
    "jieba": ("jieba",),
    "whisper": ("whisper_normalizer",),
}
OF_TORCH = "torch", "tensorbleu"
RECIPES = dialects.names(recipes=True)[len(dialects.names()) :]
# JavaScript has its own exp and log.
OF_JAVASCRIPT = "promptfoo"


def missing_libraries(name):
    """What a recipe imports and is not there."""
    needed = *LIBRARIES.get(get(name).tokenizer, ()), *("torch",) * name.startswith(OF_TORCH)
    return [library for library in needed if not importlib.util.find_spec(library)]


def metric_of(name):
    if missing := missing_libraries(name):
        pytest.skip(f"{name} needs {', '.join(missing)}")
    return BLEU(dialect=name)


def recorded(value, variant):
    """A recorded value in the form of `outcome`."""
    if isinstance(value, list):
        value = max(value) if variant == "lm-eval truthfulqa" else value[-1]
    return "nan" if isinstance(value, float) and math.isnan(value) else plain(value)


def is_same(value, expected, variant):
    """Whether values are equal, or of JavaScript's at most two steps apart."""
    if not variant.startswith(OF_JAVASCRIPT) or isinstance(expected, str):
        return value == expected
    return isinstance(value, float) and abs(value - expected) <= 2 * math.ulp(expected)


def variants():
    *_, case = recorded_tools()[0]
    return [name for name in case["corpus"] | case["sentences"] if name not in NO_RECIPE]


@pytest.mark.parametrize("variant", variants())
def test_recorded_tools(variant):
    """Every corpus and sentence, bit for bit; those of JavaScript up to the last digit."""
    metric = metric_of(variant.replace(" ", "-"))
    for hypotheses, references, case in recorded_tools():
        if variant in case["corpus"]:
            found = outcome(lambda h=hypotheses, r=references: metric.score(h, r).value)
            expected = recorded(case["corpus"][variant], variant)
            assert is_same(recorded(found, ""), expected, variant), case["id"]
        if variant not in case["sentences"]:
            continue
        values = case["sentences"][variant]
        if variant.startswith("codesum rencos"):
            values = values[-1]
        expected = [recorded(value, variant) for value in values]
        found = sentence_outcomes(metric, hypotheses, references, "error" in expected)
        assert len(found) == len(expected)
        for value, wanted in zip(found, expected, strict=True):
            assert is_same(recorded(value, ""), wanted, variant), case["id"]


def test_every_recorded_variant_has_its_origin():
    with open(FOLDER / "origins.tsv", encoding="utf-8") as lines:
        rows = list(csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE))
    cases = [case for name in (*DIALECTS.values(), TOOLS) for case in recorded_cases(name)]
    parts = [case[part] for case in cases for part in ("corpus", "sentences")]
    named = [variant for row in rows for variant in row["variants"].split("; ")]
    variants = {variant for part in parts for variant in part}
    assert {*named} ^ variants == set(), "in only one of the recordings and origins.tsv"
    assert len({*named}) == len(named)
    script = (ROOT / "tools" / "originals.py").read_text("utf-8")
    scripts = {row["record.py"] for row in rows if row["record.py"]}
    assert scripts == set(re.findall(r'^@original\("([^"]+)"', script, re.MULTILINE))


def test_every_name_makes_a_metric_which_leaves_missing_segments_out():
    for name in filterfalse(missing_libraries, RECIPES):
        metric = BLEU(dialect=name)
        assert metric.dialect in RECIPES
        assert f"dialect:{get(name).version}" in metric.signature
        assert pickle.loads(pickle.dumps(metric)) == metric
        assert get(name).name in str(dialects.describe(name))
        assert metric.sentence_scores([], []).tolist() == []
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            [left_out] = metric.sentence_scores([None], ["a text"], missing="skip")
        assert math.isnan(left_out), name


def test_only_the_first_reference_counts_where_a_tool_takes_one():
    hypotheses, references = ["the cat sat"], ["a dog sat", "the cat sat"]
    for name in ("lighteval-bleu", "llamafactory", "ms-swift", "ragas"):
        metric = metric_of(name)
        of_first = metric.score(hypotheses, references[:1])
        for kind in (list, tuple, numpy.array):
            assert metric.score(hypotheses, kind([kind(references)])) == of_first
        raises(TypeError, "the reference is missing", metric.score, hypotheses, [None])
    score, ids = BLEU("ms-swift", tokenize=False).score, numpy.arange(5)[None]
    raises(TypeError, "takes text or lists of tokens, not arrays of token", score, ids, ids)
    # lm-eval takes the first ones where not all segments have as many.
    for given, first in ((references[:1], "a dog sat"), ("the cat", "the cat")):
        score = BLEU("lm-eval").score(hypotheses * 2, [references, given])
        assert score.value == BLEU().score(hypotheses * 2, ["a dog sat", first]).value


def test_a_reference_is_never_farther_than_999_for_multiwoz():
    """The search of the closest length begins with 1000."""
    score = BLEU("multiwoz-evaluate").score(["a"] * 50, ["a"] * 49 + ["b" * 3000])
    precisions = 49 / (50 + 1e-7) + 1e-7, *[1e-7] * 3
    logarithm = math.fsum(0.25 * math.log(p) for p in precisions)
    assert score.value == math.exp(1 - (49 + 1000) / 50) * math.exp(logarithm)


def test_tensorbleu_divides_in_float32():
    torch = pytest.importorskip("torch")
    metric = BLEU("tensorbleu-floor")
    for length in (73, 100, 7057):  # of the long one, 1e-12 more would be seen
        hypothesis = [f"word{n}" for n in range(length)]
        totals = torch.tensor([length - n for n in range(4)])
        precisions = torch.where(torch.arange(4) < 1, 1.0, 0.1) / totals
        expected = torch.exp(torch.sum(0.25 * torch.log(precisions)))
        reference = " ".join([hypothesis[0], *"x" * (length - 1)])
        assert metric.score([" ".join(hypothesis)], [reference]).value == float(expected)


def test_float32_does_not_depend_on_the_version_of_numpy():
    """numpy 1 made a double of a float32 and Python's number."""
    for c in range(1, 60):
        for r in range(c + 1, 80):
            ratio = numpy.float32(c) / numpy.float32(r)
            bp = math.exp(numpy.float32(1) - numpy.float32(1) / ratio)
            score = recipe_arithmetic.keras_hub(0, c, r, [1] * 4, [1] * 4)
            assert score == float(numpy.float32(bp))


def test_a_missing_library_is_named():
    code = "import sys; sys.modules['jieba'] = None; import fastbleu\n"
    code += "try: fastbleu.BLEU(dialect='ms-swift')\nexcept ImportError as error: print(error)"
    assert re.search(r"needs jieba.*\[recipes\]", python("-c", code))


def test_words_of_nltk_are_those_of_its_installed_release():
    from nltk.tokenize import NLTKWordTokenizer

    metric = metric_of("lighteval-bleu_1")
    assert NLTKWordTokenizer().tokenize("'can't") == ["'", "ca", "n't"]  # 3.9: ["'ca", "n't"]
    assert metric.score(["'can't"], [["' ca n't"]]).value == 1.0


def test_a_tokenizer_that_is_called_once_stays_the_given_one():
    """Also one with a model, for copies; and other metrics call it for each text."""
    calls = []
    given = Tokenizer("spm", split=lambda text: calls.append(text) or text.split(), model="own")
    metric = BLEU("fairseq", tokenize=given)
    assert metric.tokenize is given
    assert metric.get_params()["tokenize"] is given
    metric.score(["a b c d"] * 2, ["a b c d"] * 2)
    assert len(calls) == 1
    for _ in range(2):
        BLEU(tokenize=metric.tokenize).score(["a b c d"], ["a b c d"])
    assert len(calls) == 5


def test_paddlenlp_has_no_score_for_empty_hypotheses():
    """Which are not recorded."""
    scores = BLEU("paddlenlp").sentence_scores
    raises(ValueError, "segment 0", scores, [""], ["a"])
    assert scores(["a"], [""])[0] == pytest.approx(0, abs=1e-70)


def test_the_best_run_of_lines_is_found_among_all():
    """Against the definition: every run is scored, and the first best one counts, in words."""
    generator = seeded("runs of lines")
    parts = ["a", "b", "1", ".", "-", "&quot;", "<skipped>", "\u4e2d", "\u3042", "5.", "\u2028x"]
    counts = attrgetter("hyp_len", "ref_len", "bp", "matches", "totals", "precisions")
    sacrebleu = BLEU(effective_order=True)
    for _ in range(300):
        lines = ["".join(generator.choices([*parts, " "], k=6)) for _ in range(5)]
        reference = "".join(generator.choices([*parts, " "], k=9))
        listed = [line.strip() for line in lines if line.strip()]
        runs = [" ".join(listed[i:j]) for i, j in combinations(range(len(listed) + 1), 2)] or [""]
        twice = [" ".join(tokenize(" ".join(text.split()))) for text in [*runs, reference]]
        scores = sacrebleu.sentence_scores(twice[:-1], twice[-1:] * len(runs)).tolist()
        best = BLEU(smooth_method="none").score([twice[scores.index(max(scores))]], twice[-1:])
        found = BLEU(dialect=FLORES).score(["\n".join(lines)], [reference])
        assert found.value == round(best.value, 2)
        assert counts(found) == counts(best)


def test_the_time_for_runs_of_lines_does_not_grow_with_their_number_squared():
    text = "\n".join(f"line {number} of the text" for number in range(300))
    assert BLEU(dialect=FLORES).score([text], ["line 7 of the text"]).value == 100.0


@pytest.mark.skipif(not shutil.which("perl"), reason="there is no perl")
def test_compounds_are_split_as_by_perl():
    numbers = seeded("compounds")
    signs = "ab-ä--\xa0\x85\x1c\u2028\u3000 \t\x0b"
    texts = ["".join(numbers.choices(signs, k=12)) for _ in range(5000)]
    script = r"s{(\S)-(\S)}{$1 ##AT##-##AT## $2}g"
    lines = "\n".join([*texts, ""]).encode()
    done = subprocess.run(["perl", "-ple", script], input=lines, stdout=subprocess.PIPE, check=True)
    cut = done.stdout.decode().split("\n")[:-1]
    assert sum("##AT##" in text for text in cut) > 1000
    others = numbers.sample(range(len(texts)), len(texts))
    split, joined = BLEU("get_ende_bleu"), BLEU("multi-bleu")
    # multi-bleu's reference length of 9999, from so many tokens on
    near, far = ((["a b c d " * 5000], ["a b c d " * 7499 + end]) for end in ("a b", "a b c"))
    assert split.score(*near).value == joined.score(*near).value < 99
    assert split.score(*far).value == joined.score(*far).value == 100
    for n, other in enumerate(others):
        counted = split.count([texts[n]], [texts[other]])
        assert counted == joined.count([cut[n]], [cut[other]]), texts[n]
