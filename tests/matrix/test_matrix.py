"""The names of fastbleu.matrix, and that its functions are the methods of a metric."""

import inspect
import pkgutil
import sys
from pathlib import Path

import pytest

import fastbleu
from fastbleu import matrix


@pytest.mark.parametrize("name", ["pairwise", "iter_blocks", "mbr", "self_bleu"])
def test_functions_are_the_methods(name):
    """The same positional parameters; help() tells what each parameter of the function is."""
    function, method = getattr(matrix, name), getattr(fastbleu.BLEU, name)
    *of_function, last = inspect.signature(function).parameters.values()
    _, *of_method, options = inspect.signature(method).parameters.values()
    assert last.kind is options.kind is last.VAR_KEYWORD
    positional = [it.replace(annotation="") for it in of_function if it.kind is not it.KEYWORD_ONLY]
    assert [parameter.replace(annotation="") for parameter in of_method] == positional
    with pytest.raises(TypeError, match="metric is given, and max_order too; the metric has all"):
        getattr(fastbleu.BLEU(), name)(["a"], ["a"], max_order=2)
    lines = inspect.cleandoc(function.__doc__).splitlines()
    documented = ", ".join(line for line in lines if line and not line.startswith(" "))
    for parameter in (*of_function, last):
        assert parameter.name in documented
    for title in ("Parameters", "Examples", "Yields" if name == "iter_blocks" else "Returns"):
        assert lines.count(title) == 1
        assert lines[lines.index(title) + 1] == "-" * len(title)


def test_names_stay_functions():
    """A module of a function's name would take its place in the package, once it is loaded."""
    for _ in range(2):
        assert matrix.pairwise(["a"], ["a"]).shape == (1, 1)
        assert matrix.mbr(["a", "b"]).best == 0
        assert matrix.self_bleu([["a"], ["a"]]).orders == (2, 3, 4, 5)
    modules = {module.name for module in pkgutil.iter_modules(matrix.__path__)}
    assert not modules & set(matrix.__all__)


def test_names():
    assert fastbleu.matrix is matrix
    assert "matrix" in dir(fastbleu)
    assert set(matrix.__all__) <= set(dir(matrix))
    for_type_checkers = set(Path(matrix.__file__).read_text(encoding="utf-8").split())
    assert set(matrix.__all__) <= for_type_checkers
    for name in matrix.__all__:
        assert getattr(matrix, name).__doc__
    with pytest.raises(AttributeError, match="nothing_of_the_kind"):
        matrix.nothing_of_the_kind  # noqa: B018


def test_few_files_are_on_the_way_of_a_call():
    """A call without options makes no metric; those who read the code read few files."""
    texts = ["the cat sat on the mat", "a cat sat on a mat"]
    calls = []

    def note(frame, event, _):
        if event == "call" and "fastbleu" in frame.f_code.co_filename:
            calls.append(frame.f_code.co_filename)

    matrix.pairwise(texts, texts)
    sys.setprofile(note)
    try:
        matrix.pairwise(texts, texts)
    finally:
        sys.setprofile(None)
    ours = [name for name in calls if name.startswith(str(Path(fastbleu.__file__).parent))]
    assert 0 < len(ours) <= 35
    assert len(set(ours)) <= 9
