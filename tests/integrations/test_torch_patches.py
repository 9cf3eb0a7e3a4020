"""Patched TorchMetrics, TorchEval and ignite give their own states and results."""

import pytest
from generators import outcome, seeded
from hosts import host
from texts import PREDS, SPACES, TARGET, WRONG_TEXTS, random_texts

torch = host("torch")
torchmetrics = host("torchmetrics")
host("torcheval.metrics")
ignite = host("ignite")

import torchmetrics.functional.text as functional  # noqa: E402
from ignite.metrics import Bleu  # noqa: E402
from torcheval.metrics import BLEUScore as TorchEvalBLEU  # noqa: E402
from torcheval.metrics.functional import bleu_score as torcheval_score  # noqa: E402
from torchmetrics.text import BLEUScore, SacreBLEUScore  # noqa: E402

import fastbleu  # noqa: E402

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
    yield PREDS, [row[0] for row in TARGET]  # flat: TorchMetrics takes each character


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
