"""One number through every entry point: what `BLEU.score` says, or a refusal that says why."""

import functools
import inspect
import os
import re
import warnings
from collections.abc import Iterator
from contextlib import suppress
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import entry_points
import numpy as np
import pytest
from entry_points import ENTRIES, Corpus, Entry
from test_conventions import RESULTS

import fastbleu
from fastbleu import BLEU
from fastbleu.core.scoring.base import UPDATE
from fastbleu.core.scoring.names import get

NAMES = fastbleu.dialects.names(recipes=True)
# Where the first reference of each segment chooses the tokenizer.
AUTO = [
    f"{name} by script"
    for name in fastbleu.dialects.names()
    if get(name).tokenizers is None and (name != "coco" or find_spec("jieba"))
]


@functools.cache
def metric_of(name: str) -> BLEU:
    dialect = name.removesuffix(" by script")
    return BLEU(dialect, tokenize="auto") if name in AUTO else BLEU(dialect)


TEXTS = [
    ("The cat sat on the mat, today.", "The cat sat on a mat today.", "On the mat sat a cat."),
    (
        "He didn't say &quot;no&quot; to 3.5 dogs!",
        "He did not say “no” to 3.5 dogs.",
        "No, he said.",
    ),
    ("a dog ran off into the big wood", "a dog ran off into the wood", "the dog went into a wood"),
    ("Ein kleiner Satz über die Hügel .", "Ein kleiner Satz über Hügel .", "Ein Satz."),
    ("Too short.", "It is too short.", "This is far too short, it is."),
    ("return x + self . y [ 0 ] ;", "return x + self . z [ 1 ] ;", "x = self . y [ 0 ]"),
    ("the the the cat cat cat sat sat", "the cat sat the cat sat the cat", "the cat cat"),
]
HYPOTHESES = [texts[0] for texts in TEXTS]
ONE = [[texts[1]] for texts in TEXTS]
# The last segment has the fewest, which a part of the corpus does not have.
RAGGED = [[*texts[1:], texts[0]][: 2 + row % 2] for row, texts in enumerate(TEXTS)][:-1] + ONE[-1:]
SHORT_FORM = {
    "short": Corpus(HYPOTHESES, ONE),
    "several": Corpus(HYPOTHESES, [list(texts[1:]) for texts in TEXTS]),
    "ragged": Corpus(HYPOTHESES, RAGGED),
    "one": Corpus(HYPOTHESES[:1], ONE[:1]),
    "empty sides": Corpus(
        ["", *HYPOTHESES[1:]], [["a reference of an empty text"], [""], *ONE[2:]]
    ),
    # Some dialects give NaN for the first segment, and others for the whole.
    "empty pair": Corpus(["", *HYPOTHESES[1:]], [[""], *ONE[1:]]),
    "empty pairs": Corpus(["", ""], [[""], [""]]),
    "empty": Corpus(["", "", ""], [["a text"], ["another text"], ["nothing for it"]]),
    # Totals of some orders are negative in e2e, though they have matches.
    "tokens": Corpus(
        [HYPOTHESES[2], *"abcdefgh" * 2], [ONE[2], *[[token] for token in "abcdefgg" * 2]]
    ),
    # By more than 9,999 tokens, which neither half is.
    "shorter": Corpus(HYPOTHESES[:4], [["a on the 5 , " * 510]] * 4),
    "white space": Corpus(
        [f"  {HYPOTHESES[0]}   ", f"{HYPOTHESES[1]}\t", *HYPOTHESES[2:]],
        [[f"{ONE[0][0]} "], [f"\t{ONE[1][0]}\t \t"], [f" {ONE[2][0]}\ta\rb"], *ONE[3:]],
    ),
    "line ends": Corpus(
        [f"{HYPOTHESES[0]} \r", f"{HYPOTHESES[1]}\r\r", *HYPOTHESES[2:]],
        [[f"{ONE[0][0]}\r"], *ONE[1:]],
    ),
}
WORDS = " ".join(" ".join(texts) for texts in TEXTS).split()
CUT = [" ".join(WORDS[row % 50 : row % 50 + 32]) for row in range(1400)]
CHINESE = (
    "他在2019年买了一部红色的手机。",
    "他2019年买过一部红手机。",
    "今天天气很好，我们去公园玩。",
)
SCRIPTS = [
    # As the issue of a user had it: the hypothesis alone is in Latin letters.
    ("他在2019年买了iPhone 11。", "他在2019年买了一部iPhone 11。"),
    ("今a", "a b c 今a"),
    (CHINESE[0], "He bought a red phone in 2019."),
    ("He bought a red phone in 2019.", CHINESE[1]),
    ("今天，我们去公园玩吧。", CHINESE[2]),
    ("", CHINESE[0]),
    (CHINESE[1], "2019"),
    ("a man rides a red bicycle", "a man is riding a bicycle"),
]
if find_spec("MeCab"):
    SCRIPTS += [
        ("今日は天気がいいので、公園へ行く。", "今日はいい天気なので公園に行きました。"),
        (CHINESE[2], "はい。"),
    ]
BY_SCRIPT = {
    "scripts": Corpus([a for a, _ in SCRIPTS], [[b] for _, b in SCRIPTS]),
    "first references": Corpus(
        [a for a, _ in SCRIPTS],
        [[b, CHINESE[0], a][: 2 + n % 2] for n, (a, b) in enumerate(SCRIPTS)],
    ),
    "Chinese": Corpus(
        [*CHINESE[1:], "今a", "a 手机 b"], [[text, CHINESE[1]] for text in [*CHINESE, CHINESE[0]]]
    ),
    "Latin": Corpus(["今a b", *HYPOTHESES], [["a b c 今a"], *ONE]),
    "pool": Corpus([*CHINESE, "今天很好。"], [[text] for text in [*CHINESE, CHINESE[0]]]),
}
LONG = [" ".join((WORDS * 9)[row : row + 700]) for row in range(4)]
LONG_FORM = {
    "cut": Corpus([text.rpartition(" ")[0][:130] for text in CUT], [[text] for text in CUT]),
    "long": Corpus(LONG, [[text[:3000] + " and more of it"] for text in LONG]),
    "repeated": Corpus(["word " * 70_000, *HYPOTHESES], [["word " * 66_000], *ONE]),
}
# What no message says that is meant for a reader.
RAW = (
    "unpack|out of range|division|has no attribute|subscript|NoneType|not supported between"
    "|unsupported operand|positional argument|unexpected keyword"
)


class Outcome(NamedTuple):
    """What a call gave, or the text of its exception, and whether that says why."""

    result: Any = None
    error: str = ""
    refused: bool = False


def outcome(call: Any, *arguments: Any) -> Outcome:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return Outcome(call(*arguments))
        except Exception as error:
            text = str(error)
            # Engines have exceptions of their own, with the text of ours.
            ours = re.search(r"\b(?:Value|Type|NoScore|Input|InputType)Error: (.+)", text)
            said = text if isinstance(error, (ValueError, TypeError)) else ours and ours[1]
            refused = bool(said and len(said) > 20 and not re.search(RAW, said))
            return Outcome(None, f"{type(error).__name__}: {text}", refused)


FIELDS = re.compile("bleu|bp|(hyp|ref)_len|precision_.|signature")


def plain(result: Any) -> dict[str, Any]:
    """The fields of a score, a row or a number; NaN for no score."""
    if isinstance(result, fastbleu.Score):
        fields = {name: getattr(result, name) for name in ("bp", "hyp_len", "ref_len", "signature")}
        fields |= {f"precision_{n}": each for n, each in enumerate(result.precisions, 1)}
        return {"bleu": result.value, **fields}
    if not isinstance(result, dict):
        result = {"bleu": result}
    if result["bleu"] is None:  # pandas has NaN for it
        return {"bleu": float("nan")}
    return {name: value for name, value in result.items() if FIELDS.fullmatch(name)}


def same(found: Any, expected: Outcome, of_sums: bool = False) -> bool:
    """Whether all that was found is what is expected.

    Sums do not tell what "auto" has chosen; their signatures have only "tok:auto".
    """
    found, other = plain(found), plain(expected.result)
    if of_sums and "signature" in other:
        other["signature"] = re.sub(r"(?<=tok:auto)([^|+]*)\+[^|]*", r"\1", other["signature"])
    if expected.error:
        return repr(found["bleu"]) == "nan"
    return all(repr(value) == repr(other[name]) for name, value in found.items() if value != "")


@functools.cache
def expected_of(name: str, corpus: Corpus, gives: str) -> Any:
    """An outcome; of "groups" those of each."""
    metric = metric_of(name)
    if gives == "groups":
        return {key: expected_of(name, part, "corpus") for key, part in corpus.groups.items()}
    return outcome(metric.sentence_scores if gives == "sentences" else metric.score, *corpus)


def difference(entry: Entry, name: str, corpus: Corpus) -> str:
    """What is wrong with a dialect's score by an entry; "" if nothing is."""
    result, error, refused = outcome(entry.call, metric_of(name), corpus)
    if error:
        return "" if refused or "torch is not installed" in error else f"raises {error[:300]}"
    if entry.gives == "pair":
        found, other = (one.tolist() if isinstance(one, np.ndarray) else one for one in result)
        return "" if repr(found) == repr(other) else f"{found} for {other}"
    expected = expected_of(name, corpus, entry.gives)
    if entry.gives == "groups":
        of_sums = metric_of(name)._scorer.supports(UPDATE)
        for key, other in expected.items():
            if not same(result.get(key), other, of_sums):
                return f"{key}: {plain(result.get(key))} for {other.error or plain(other.result)}"
        return ""
    if expected.error:
        return f"{result} for {expected.error}"
    if entry.gives == "sentences":
        scores = np.asarray(result, float).tolist()  # None is NaN
        rows = enumerate(zip(scores, expected.result.tolist(), strict=True))
        wrong = [f"sentence {n}: {a} for {b}" for n, (a, b) in rows if repr(a) != repr(b)]
        return f"{len(wrong)} of {len(corpus)}: {wrong[0]}" if wrong else ""
    return "" if same(result, expected) else f"{plain(result)} for {plain(expected.result)}"


def check(names: Any, corpora: dict[str, Corpus], entries: list[Entry]) -> None:
    wrong = []
    for entry in entries:
        for name in names:
            for label, corpus in corpora.items():
                if not entry.gives or name not in (entry.only or names):
                    continue
                if found := difference(entry, name, corpus):
                    wrong.append(f"{entry.label}, {name}, {label}: {found}")
    assert not wrong, "\n".join(wrong)


# Each combination of these takes a second.
ENGINES = [entry for entry in ENTRIES if {"pyspark", "ray"} & set(entry.needs)]
IN_PROCESS = [entry for entry in ENTRIES if entry.installed and entry not in ENGINES]
OF_PANDAS = {"nltk", *entry_points.OF_PANDAS.split()}
# With what `make test` installs; and of that what takes no more than a few milliseconds.
SHORT = [e for e in IN_PROCESS if set(e.needs) <= {"jinja2", "nltk", *OF_PANDAS}]
EXPLAINED = [e for e in SHORT if e.label in ("report", "explain", "overview", "compare")]
SLOW = "report|identify|command --identify|command --explain of parquet|overview|confidence"
SLOW += "|pandas|tables.* of (?!pyarrow)"
ON_HOSTS = IN_PROCESS if "FASTBLEU_REQUIRE_HOSTS" in os.environ else SHORT


def fast(entries: list[Entry]) -> list[Entry]:
    return [entry for entry in entries if not re.match(SLOW, entry.label)]


# Of each project one recipe; test_all_combinations has all.
PROJECTS = {name.partition("-")[0]: name for name in NAMES[len(fastbleu.dialects.names()) :]}
SOME_SCRIPTS = ["scripts", "first references"]
SOME_OF_ALL = [*fastbleu.dialects.names(), *PROJECTS.values()]


@pytest.mark.pythons
@pytest.mark.parametrize("name", SOME_OF_ALL)
def test_each_dialect(name):
    check([name], {"ragged": SHORT_FORM["ragged"]}, fast(SHORT))


@pytest.mark.parametrize("name", AUTO)
def test_each_script(name):
    if name == "sacrebleu by script":
        check([name], BY_SCRIPT, ON_HOSTS)
    else:
        check([name], {label: BY_SCRIPT[label] for label in SOME_SCRIPTS}, fast(ON_HOSTS))


@pytest.mark.parametrize("label", SHORT_FORM)
@pytest.mark.parametrize("name", ["sacrebleu", "multi-bleu", "lm-eval"])
def test_each_entry_point(name, label):
    if label == "shorter":  # which multi-bleu alone looks at
        is_whole = name == "multi-bleu"
    else:
        is_whole = name == "sacrebleu" or label == "ragged"
    check([name], {label: SHORT_FORM[label]}, ON_HOSTS if is_whole else fast(ON_HOSTS))


@pytest.mark.parametrize("label", ["tokens", "empty"])
def test_reports_and_explanations_of_all_dialects(label):
    assert len(EXPLAINED) == 4
    check(SOME_OF_ALL, {label: SHORT_FORM[label]}, EXPLAINED)


# Those that support all operations: a refusal is no difference, and would hide one.
WHOLE = "sacrebleu nltk multi-bleu multi-bleu-detok mteval-v13a mteval-v14 tf-nmt evaluate coco"
WHOLE += " tensor2tensor codebleu-ngram torchmetrics matlab"
# Other readers of what "identify" and tables of pyarrow read.
OTHER_READERS = "command --identify|tables.* of (?!pyarrow)|pandas"


@pytest.mark.parametrize("name", WHOLE.split())
def test_nothing_refuses_a_dialect_that_supports_all(name):
    if name == "torchmetrics":
        pytest.importorskip("torch")
    metric, corpus = metric_of(name), SHORT_FORM["short"]
    entries = [e for e in SHORT if name in (e.only or name)]
    if name != "sacrebleu":
        entries = [e for e in entries if e.gives and not re.match(OTHER_READERS, e.label)]
    errors = {entry.label: outcome(entry.call, metric, corpus).error for entry in entries}
    assert {label: error for label, error in errors.items() if error} == {}


@pytest.mark.long
@pytest.mark.parametrize("entry", IN_PROCESS, ids=lambda entry: entry.label)
def test_all_combinations(entry):
    check([*NAMES, *AUTO], SHORT_FORM | LONG_FORM, [entry])
    check(AUTO, BY_SCRIPT, [entry])


@pytest.mark.long
@pytest.mark.parametrize("entry", ENGINES, ids=lambda entry: entry.label)
def test_engines(entry):
    if not entry.installed:
        pytest.skip(f"needs {' '.join(entry.needs)}")
    check([*NAMES, *AUTO], {"empty sides": SHORT_FORM["empty sides"]}, [entry])
    check(["sacrebleu", "multi-bleu", "lm-eval"], SHORT_FORM, [entry])
    check(AUTO, {"scripts": BY_SCRIPT["scripts"]}, [entry])


# Where users find names: nearest first, as a name is called by the first place that has it.
ROOMS = ("nltk", "sacrebleu", "significance", "matrix", "tokenizers", "dialects", "tables", "cli")
PACKAGE = Path(fastbleu.__file__).parent
NO_HOSTS = ("_", "patching")
# Classes of what functions return or take: these need no call of their own.
UNCALLED = {"BLEUScore", "BLEUSignature", "Fraction", "SmoothingFunction", "Stats", "Tokenizer"}
UNCALLED |= RESULTS - {"BLEUReward"}
# Classes that functions, pandas or polars make, and what only hosts call.
MADE = {"BLEUAccessor", "BLEUExpressions", "ComputeMetrics", "Sacrebleu", "SacreBLEUScore"}
MADE |= {"reward_func", "plot", "merge_state"}
# Another metric, which test_chrf.py compares.
MADE |= {"CHRF", "CHRFScore", "CHRFSignature", "corpus_chrf", "sentence_chrf", "Chrf"}


def public_modules() -> list[Any]:
    """Modules where users find names, of integrations those whose hosts are installed."""
    hosts = [path.stem for path in sorted(PACKAGE.glob("integrations/*.py"))]
    names = [f"integrations.{name}" for name in hosts if not name.startswith(NO_HOSTS)]
    found = [fastbleu]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name in [*ROOMS, *names]:
            with suppress(ImportError):
                found.append(import_module(f"fastbleu.{name}"))
    return found


def public_names() -> Iterator[str]:
    """Every public function and class, and of a class its methods and properties."""
    seen: list[Any] = []
    for module in public_modules():
        where, members = module.__name__, vars(module)
        own = [name for name in members if getattr(members[name], "__module__", "") == where]
        listed = getattr(module, "__all__", [name for name in own or ["main"] if name[0] != "_"])
        for name in listed:
            value = getattr(module, name)
            if not callable(value) or any(value is other for other in seen) or name in UNCALLED:
                continue
            seen.append(value)
            yield f"{where}.{name}"
            if inspect.isclass(value):
                methods = [member for member in dir(value) if is_of_the_package(value, member)]
                yield from (f"{where}.{name}.{method}" for method in methods)


def is_of_the_package(kind: type, member: str) -> bool:
    value = inspect.getattr_static(kind, member)
    function = getattr(value, "fget", None) or getattr(value, "func", None)
    code = getattr(function or getattr(value, "__func__", value), "__code__", None)
    where = getattr(code, "co_filename", "")
    return not member.startswith("_") and where.startswith(str(PACKAGE))


@pytest.mark.pythons
def test_every_public_name_has_an_entry():
    public = list(public_names())
    assert len(public) > 50
    source = Path(entry_points.__file__).read_text(encoding="utf-8")
    words = MADE | set(re.findall(r"\w+", source))
    assert [name for name in public if not words >= set(name.split("."))] == []
