"""Patched TorchMetrics, TorchEval and ignite give their own states and results, without counting.

A second patch, of the host's own counting, shows who counted: it raises.
"""

import sys

import pytest
from generators import outcome, seeded
from hosts import host
from namespaces import changed, names
from texts import PREDS, SPACES, TARGET, WRONG_TEXTS, random_texts

torch = host("torch")
torchmetrics = host("torchmetrics")
host("torcheval.metrics")
ignite = host("ignite")

import ignite.metrics.nlp.bleu as ignite_bleu  # noqa: E402
import torchmetrics.functional.text as functional  # noqa: E402
import torchmetrics.functional.text.bleu as torchmetrics_bleu  # noqa: E402
from ignite.metrics import Bleu  # noqa: E402
from torcheval.metrics import BLEUScore as TorchEvalBLEU  # noqa: E402
from torcheval.metrics.functional import bleu_score as torcheval_score  # noqa: E402
from torcheval.metrics.functional.text import bleu as torcheval_bleu  # noqa: E402
from torchmetrics.text import BLEUScore, SacreBLEUScore  # noqa: E402

import fastbleu  # noqa: E402
from fastbleu.integrations import patches  # noqa: E402

SMOOTHINGS = ("no_smooth", "smooth1", "nltk_smooth2", "smooth2")


def corpora():
    rng = seeded("patched torch hosts")
    words = ["a", "b", "c", "A", "Σ", "it's", "3.5", "x-1", "&quot;", ",", "<skipped>", "中文"]
    words.append("-\n")

    def text():
        return "".join(rng.choice(words) + rng.choice(SPACES) for _ in range(rng.randrange(30)))

    yield PREDS, TARGET
    for _ in range(8):
        hypotheses = [text() for _ in range(20)]
        references = [[text(), rng.choice([one, text()])] for one in hypotheses]
        yield hypotheses, references
    yield from WRONG_TEXTS


def values(state):
    return (state.dtype, state.tolist()) if isinstance(state, torch.Tensor) else state


def torchmetrics_results():
    for hypotheses, references in corpora():
        for kind in (BLEUScore, SacreBLEUScore):
            settings = [{"tokenize": name} for name in ("none", "13a", "zh", "intl", "char")]
            for setting in [{}] if kind is BLEUScore else settings:
                for more in ({}, {"n_gram": 2, "smooth": True}, {"lowercase": True}):
                    if kind is BLEUScore and "lowercase" in more:
                        continue
                    metric = kind(**setting, **more)
                    yield outcome(metric.update, hypotheses, references)
                    yield outcome(metric.update, PREDS, TARGET)
                    yield {name: values(getattr(metric, name)) for name in metric._defaults}
                    yield values(metric.compute())
        yield str(outcome(functional.bleu_score, hypotheses, references, smooth=True))
        yield str(outcome(functional.sacre_bleu_score, hypotheses, references, lowercase=True))


def torcheval_results():
    for hypotheses, references in corpora():
        for order in range(1, 6):
            metric = TorchEvalBLEU(n_gram=order) if order < 5 else None
            if metric is not None:
                yield type(outcome(metric.update, hypotheses, references))
                yield [values(state) for state in metric.state_dict().values()]
            yield str(outcome(torcheval_score, hypotheses, references, order))


def ignite_results():
    for hypotheses, references in corpora():
        for split in (str.split, list, tuple, lambda text: list(map(ord, text)), str):
            try:
                tokens = [split(text) for text in hypotheses]
                several = [[split(text) for text in texts] for texts in references]
            except TypeError:
                tokens, several = hypotheses, references
            for smooth in SMOOTHINGS:
                for average in ("macro", "micro"):
                    metric = Bleu(3, smooth, average=average)
                    yield str(outcome(metric.update, (tokens, several)))
                    names = metric._state_dict_all_req_keys
                    yield {name: values(getattr(metric, name)) for name in names}
                    yield str(outcome(metric.compute))


@random_texts
@pytest.mark.parametrize("results", [torchmetrics_results, torcheval_results, ignite_results])
def test_results_and_states_are_those_of_the_original(results):
    expected = list(results())
    with fastbleu.patch():
        assert list(results()) == expected


def test_the_hosts_do_not_count(monkeypatch):
    def fail(*_):
        raise AssertionError("counted by the host")

    with fastbleu.patch():
        monkeypatch.setattr(torchmetrics_bleu, "_count_ngram", fail)
        monkeypatch.setattr(torcheval_bleu, "_get_ngrams", fail)
        monkeypatch.setattr(ignite_bleu, "modified_precision", fail)
        BLEUScore()(PREDS, TARGET)
        SacreBLEUScore()(PREDS, TARGET)
        functional.sacre_bleu_score(PREDS, TARGET)
        torcheval_score(PREDS, TARGET)
        words = [text.split() for text in PREDS], [[t.split() for t in row] for row in TARGET]
        for average in ("macro", "micro"):
            Bleu(average=average).update(words)


@pytest.mark.parametrize("kind", ["float16", "float32", "float64"])
def test_sums_beyond_the_integers_of_a_dtype_are_the_hosts_own(kind):
    def states():
        metric = BLEUScore().set_dtype(getattr(torch, kind))
        largest = 2 / torch.finfo(metric.preds_len.dtype).eps
        for name in metric._defaults:
            setattr(metric, name, getattr(metric, name) + (largest - 5))
        for _ in range(3):
            metric.update(PREDS, TARGET)
        return [values(getattr(metric, name)) for name in metric._defaults]

    expected = states()
    with fastbleu.patch("torchmetrics"):
        assert states() == expected


def test_a_torchmetrics_of_its_own_tokenizer_is_counted_by_it():
    class Words(SacreBLEUScore):
        def __init__(self):
            super().__init__()
            self.tokenizer = lambda line: line.replace("a", " ").split()

    def score():
        metric = Words()
        metric.update(PREDS, TARGET)
        return values(metric.compute())

    expected = score()
    with fastbleu.patch():
        assert score() == expected


CLASSES = Bleu, BLEUScore, SacreBLEUScore, TorchEvalBLEU


def places_of(library):
    """What `patch` replaces in a library that is imported."""
    known = patches.HOSTS[library]
    return known.places(sys.modules[known.module])


def test_everything_is_as_it_was_twice_in_a_row():
    before = names(*CLASSES)
    for _ in range(2):
        fastbleu.patch()
        assert changed(before, names(*CLASSES))
        fastbleu.unpatch()
        assert not changed(before, names(*CLASSES))


@pytest.mark.parametrize("library", ["torchmetrics", "torcheval", "ignite"])
def test_an_error_in_a_library_undoes_those_before(library, monkeypatch):
    before = names(*CLASSES)
    with monkeypatch.context() as context:
        context.setattr(patches.HOSTS[library], "places", lambda module: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            fastbleu.patch()
    assert not changed(before, names(*CLASSES))


@pytest.mark.parametrize("library", ["torchmetrics", "torcheval", "ignite"])
def test_an_error_between_two_places_undoes_the_first(library, monkeypatch):
    """The last place of the library refuses what is put there."""
    before = names(*CLASSES)
    *_, (owner, name, fast) = places_of(library)

    class Refusing:
        @property
        def refused(self):
            return None

    with monkeypatch.context() as context:
        places = [*places_of(library), (Refusing(), "refused", fast)]
        context.setattr(patches.HOSTS[library], "places", lambda module: places)
        with pytest.raises(AttributeError):
            fastbleu.patch(library)
    assert not changed(before, names(*CLASSES))
    assert getattr(owner, name) is not fast
