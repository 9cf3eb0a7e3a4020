"""Public names keep to docs/reference/conventions.md: parameters, their kinds, their defaults.

A parameter means the same wherever it occurs, so it has one default; what is not data is passed by
keyword; a new name or parameter has to be added here.
"""

import ast
import importlib
import inspect
import re
from pathlib import Path

import pytest

import fastbleu

NAMES = {
    "": [
        *("BLEU", "Explanation", "Identification", "InputError", "InputWarning", "Patched"),
        *("Report", "Score", "SmoothingFunction", "Stats", "__version__", "brevity_penalty"),
        *("closest_ref_length", "corpus_bleu", "explain", "identify", "modified_precision"),
        *("patch", "report", "sentence_bleu", "unpatch"),
    ],
    "dialects": ["Description", "Overview", "describe", "names", "overview"],
    "matrix": [
        *("MBRResult", "NearestIndex", "ReferenceIndex", "SelfBLEUResult", "duplicates", "mbr"),
        *("nearest", "pairwise", "pairwise_chunked", "self_bleu"),
    ],
    "integrations.rewards": ["BLEUReward"],
    "plots": [
        *("plot_comparisons", "plot_differences", "plot_matrix", "plot_precisions"),
    ],
    "significance": ["Comparison", "Comparisons", "Interval", "bootstrap", "compare"],
    "tables": [
        *("TableParts", "add_sums", "count", "report", "score", "score_sums", "sentence_scores"),
        "sums",
    ],
    "tokenizers": ["Tokenizer", "get", "names", "tokenize"],
    "types": [
        *("DialectName", "Hypotheses", "Mask", "MissingChoice", "RecipeName", "ReferenceLength"),
        *("References", "SmoothingName", "TokenizerName"),
    ],
}
# nltk's, sacreBLEU's and the hosts' names keep to their originals.
ORIGINALS = {
    *("SmoothingFunction", "brevity_penalty", "closest_ref_length", "corpus_bleu"),
    *("modified_precision", "sentence_bleu"),
}
# What only the package makes, and what trainers call with arguments of theirs.
RESULTS = {
    *("BLEUReward", "Comparison", "Comparisons", "Description", "Explanation", "Identification"),
    *("InputError", "InputWarning", "Interval", "MBRResult", "Overview", "Patched", "Report"),
    *("Score", "SelfBLEUResult", "TableParts", "__version__"),
}
# What may be passed by position: data, and the one argument of some methods.
POSITIONAL = {
    *("table", "systems", "hypotheses", "references", "sentences", "sums", "rows", "parts"),
    *("scores", "comparisons", "baseline", "number", "a", "b", "text", "tokenize", "name"),
    *("model", "dialect", "libraries", "recipes", "group", "other", "segments"),
    "max_ngram_order",
}
# Keywords that mean the same wherever they occur, and their default.
DEFAULTS = {
    **dict.fromkeys(("hypothesis_mask", "reference_mask", "sentence_mask"), None),
    **dict.fromkeys(("metric", "join", "tokenizers", "language", "by"), None),
    **dict.fromkeys(("ids", "sources", "documents", "groups", "title", "dialects"), None),
    "missing": "error",
    "progress": False,
    "seed": 12345,
    "samples": 1000,
    "trials": 10000,
    "k": 5,
    "dtype": None,
    "threads": 1,
}
# Words of messages about data.
DATA = re.compile(
    r"\b(captions?|columns?|completions?|files?|hypothes[ei]s|ids|masks?|predictions?|references?"
    r"|rows?|sample|segments?|sentences?|sources?|streams?|tables?|texts?)\b"
)
# Functions whose plain errors have such words, but are about arguments or counts.
ABOUT_ARGUMENTS = {
    "core/counting/stats.py": {
        *("__add__", "__array__", "__setstate__", "concatenate", "joined", "zeros"),
    },
    "core/inputs/arguments.py": {"check_lowercase", "refuse_texts"},
    "core/inputs/read.py": {"read_checked"},
    "core/metric/bleu.py": {
        *("__init__", "__setstate__", "_counted_before", "_sums_of_state", "prefix_scores"),
        *("_check_metric", "stats", "update"),
    },
    "core/metric/segment_tokenizers.py": {"_segment_counters"},
    "core/scoring/scorer.py": {"counted_before"},
    "integrations/_columns.py": {"called", "naming_columns"},
    "integrations/_host_metric.py": {"host_metric"},
    "integrations/evaluate.py": {"_tokens", "load"},
    "integrations/polars.py": {"_columns"},
    "integrations/rewards.py": {"__init__", "reward_func"},
    "integrations/torchmetrics.py": {"_the_same"},
    "integrations/transformers.py": {"_add_texts", "compute_metrics"},
    "matrix/all_pairs.py": {"pairwise_chunked"},
    "matrix/decoding.py": {"mbr"},
    "matrix/diversity.py": {"_against_others"},
    "matrix/reader.py": {"read"},
    "plots/pictures.py": {"plot_differences"},
    "sacrebleu/base.py": {"__init__"},
    "sacrebleu/metrics/bleu.py": {"tokenizer"},
    "sacrebleu/streams.py": {"check_option"},
    "tables/functions.py": {"report"},
    "tables/groups.py": {"__init__"},
    "tables/rows.py": {"__init__", "_name", "check_languages", "check_new_columns"},
    "tables/sources.py": {"__init__"},
}


def plain_errors():
    """Functions that make a ValueError or TypeError, with the texts in its message."""
    package = Path(fastbleu.__file__).parent
    for path in sorted(package.rglob("*.py")):
        name = path.relative_to(package).as_posix()
        functions = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        for function in functions if not name.startswith(("cli/", "patching/")) else ():
            for node in ast.walk(function) if isinstance(function, ast.FunctionDef) else ():
                if isinstance(node, ast.Call) and ast.unparse(node.func) in (
                    "TypeError",
                    "ValueError",
                ):
                    values = (getattr(part, "value", "") for part in ast.walk(node))
                    texts = " ".join(value for value in values if isinstance(value, str))
                    yield name, function.name, texts


def public(module):
    return importlib.import_module(f"fastbleu.{module}" if module else "fastbleu")


def parameters():
    """Each public function and method that users call: its name, itself, and a parameter."""
    for module, names in NAMES.items():
        for name in {*names} - ORIGINALS - RESULTS if module != "types" else ():
            value, label = getattr(public(module), name), f"{module}.{name}".strip(".")
            functions = {label: value}
            for method in vars(value) if inspect.isclass(value) else ():
                function = getattr(value, method)
                if not method.startswith("_") and inspect.isroutine(function):
                    functions[f"{label}.{method}"] = function
            for place, function in functions.items():
                for parameter in inspect.signature(function).parameters.values():
                    if parameter.name != "self":
                        yield place, function, parameter


@pytest.mark.parametrize("module", NAMES)
def test_public_names_are_these(module):
    assert sorted(public(module).__all__) == NAMES[module]


def test_what_is_no_data_is_passed_by_keyword():
    for place, _, parameter in parameters():
        by_keyword = parameter.kind in (parameter.KEYWORD_ONLY, parameter.VAR_KEYWORD)
        if not by_keyword and place != "tokenizers.Tokenizer.tokens":
            is_known = parameter.name in POSITIONAL or place == "BLEU"
            assert is_known, f"{place} takes {parameter.name} by position"


def test_a_parameter_has_one_default():
    for place, _, parameter in parameters():
        if parameter.name in DEFAULTS:
            assert parameter.default == DEFAULTS[parameter.name], f"{parameter.name} of {place}"


def test_docstrings_name_each_parameter():
    """Except where they refer to those of `score`."""
    refers = "BLEU.", "Stats.", "tables.", "matrix.ReferenceIndex.", "matrix.NearestIndex."
    for place, function, parameter in parameters():
        if not place.startswith((*refers, "tokenizers.Tokenizer")):
            assert parameter.name in function.__doc__, f"{place} does not explain {parameter.name}"


def test_only_bleu_has_the_options_of_a_bleu():
    options = {parameter.name for place, _, parameter in parameters() if place == "BLEU"}
    for place, _, parameter in parameters():
        if place != "BLEU" and not place.startswith(("tokenizers.", "Stats")):
            assert parameter.name not in options, f"{place} has {parameter.name}"
            assert parameter.kind is not parameter.VAR_KEYWORD, f"{place} has hidden options"


def test_errors_about_data_are_input_errors():
    """Plain errors are about arguments; the command has a class of its own."""
    found = {(file, function) for file, function, texts in plain_errors() if DATA.search(texts)}
    listed = {(file, function) for file, names in ABOUT_ARGUMENTS.items() for function in names}
    assert found == listed
