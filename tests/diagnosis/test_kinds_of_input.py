"""`explain` and `identify` read what `BLEU.score` reads: columns, arrays, streams, ids."""

import re

import numpy as np
import pytest
from generators import raises
from hosts import host

from fastbleu import BLEU, dialects, explain, identify

TEXTS = ["The cat sat on the mat.", 'He said: "it\'s 5.3 m"', "No, never again", "A dog ran away"]
OTHERS = ["A cat sat on the mat.", 'He said "it is 5.3 m" .', "no , never again", "A dog ran home"]
MORE = ["The cat was on a mat.", "he said 5.3 m", "Yes", "a dog ran away , a cat , too"]
BOTH = list(map(list, zip(OTHERS, MORE, strict=True)))
IDS = np.array([[5, 6, 7, 8, 9, 2], [4, 3, 7, 5, 5, 2], [1, 1, 5, 6, 2, 0]])
OTHER_IDS = np.array([[5, 6, 7, 8, 5, 2], [4, 3, 7, 5, 2, 0], [1, 5, 5, 6, 7, 2]])
SEVERAL_IDS = np.stack([OTHER_IDS, OTHER_IDS[::-1]], axis=1)
TOKENS, TOKENS_OF_BOTH = [text.split() for text in TEXTS], [[r.split() for r in s] for s in BOTH]


def arrow(values):
    return host("pyarrow").chunked_array([values[:1], values[1:]])


def stream(values):
    """A column that can be read once."""
    table = host("pyarrow").table({"text": arrow(values)})
    return host("pyarrow").RecordBatchReader.from_batches(table.schema, table.to_batches())


# Each makes hypotheses and references anew, because a stream can be read only once.
KINDS = {
    "arrays of objects": lambda: (np.array(TEXTS * 3, object), np.array(OTHERS * 3)),
    "Arrow, lists of references": lambda: (arrow(TEXTS), arrow(BOTH)),
    "a stream and columns": lambda: (stream(TEXTS), [stream(OTHERS), stream(MORE)]),
    "a stream of tokens": lambda: (stream(TOKENS), TOKENS_OF_BOTH),
    "ids": lambda: (IDS, OTHER_IDS),
    "ids, several references": lambda: (IDS, SEVERAL_IDS),
    "lists of arrays of ids": lambda: (list(IDS), [list(rows) for rows in SEVERAL_IDS]),
    "tensors": lambda: (host("torch").tensor(IDS), host("torch").tensor(SEVERAL_IDS)),
}


def is_text(kind):
    return not ("ids" in kind or "tokens" in kind or kind == "tensors")


@pytest.mark.filterwarnings("ignore::fastbleu.InputWarning")
@pytest.mark.parametrize("kind", KINDS)
def test_kinds_of_input(kind):
    make, options = KINDS[kind], {} if is_text(kind) else {"tokenize": False}
    metrics = {name: BLEU(dialect=name, **options) for name in ("nltk", "multi-bleu")}
    scores = {name: metric.score(*make()) for name, metric in metrics.items()}
    for ends in (("nltk", "multi-bleu"), tuple(metrics.values())):
        explanation = explain(*make(), *ends)
        assert (explanation.a, explanation.b) == tuple(scores.values())
    overview = dialects.overview(*make())
    assert scores.items() <= overview.scores.items()
    found = identify(*make(), repr(scores["nltk"].value)).matches
    expected = "dialect='nltk'" if is_text(kind) else "dialect='nltk', tokenize=False"
    assert expected in [match.setting for match in found]
    if kind in ("ids", "tensors"):  # arrays, which dialects that look at tokens refuse
        assert "codebleu-weighted" in overview.failures
        metric = BLEU("codebleu-weighted", tokenize=False)
        for refuse in (metric.score, lambda *texts: explain(*texts, "nltk", metric)):
            raises(TypeError, "takes text or lists of tokens, not arrays", refuse, *make())


def test_which_ids_count_is_a_rule():
    a, b = BLEU(tokenize=False, ignore_ids=(0,), stop_ids=2), BLEU(tokenize=False)
    for sides in ((IDS, SEVERAL_IDS), (IDS.tolist(), OTHER_IDS)):
        explanation = explain(*sides, a, b)
        assert (explanation.a, explanation.b) == (a.score(*sides), b.score(*sides))
        assert [step.rule for step in explanation.steps if step.points] == ["tokenizer"]
        assert explanation.steps[0].a == "ids(stop=2;ignore=0)"


def test_errors_are_those_of_score():
    for wrong in (
        *((None, None), (TEXTS, None), (TEXTS, OTHERS[:3]), (TEXTS, [*OTHERS[:3], []])),
        *((TEXTS, [*OTHERS[:3], None]), ((text for text in TEXTS), OTHERS)),
        *((IDS, OTHER_IDS[:2]), (IDS, OTHER_IDS / 2)),
    ):
        metric = BLEU(tokenize=False) if wrong[0] is IDS else BLEU()
        with pytest.raises((TypeError, ValueError)) as expected:
            metric.score(*wrong)
        words = f"^{re.escape(str(expected.value))}$"
        for call in (
            (dialects.overview, *wrong),
            (explain, *wrong, metric, metric),
            (identify, *wrong, 1),
        ):
            raises(type(expected.value), words, *call)
