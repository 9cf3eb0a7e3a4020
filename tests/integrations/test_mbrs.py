"""The metric for mbrs inside mbrs' own decoders, and against its own MetricBLEU, bit for bit.

mbrs needs older releases than other hosts, so it has its own environment: see the Makefile.
"""

import dataclasses
import inspect
import json
import math
import pickle
from itertools import product

import numpy as np
import pytest
from adaptors import check_imports
from generators import raises, result, seeded
from hosts import host
from processes import TRAINS, python

torch = host("torch")
metrics = host("mbrs.metrics")
decoders = host("mbrs.decoders")
selectors = host("mbrs.selectors")
decode = host("mbrs.cli.decode")

import fastbleu  # noqa: E402
import fastbleu.integrations.mbrs  # noqa: E402
from fastbleu.integrations.mbrs import MetricBLEU  # noqa: E402
from fastbleu.matrix import mbr  # noqa: E402

# mbrs starts processes; torch has threads by then.
pytestmark = pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning")

WORDS = ["the", "cat", "sat", "on", "a", "mat.", "and", "it's", "10-20", "The", "猫", "&amp;", "é"]

CONFIGS = {
    "defaults": {},
    "four orders": {"effective_order": False},
    "order 6": {"max_ngram_order": 6, "tokenize": "intl", "lowercase": True},
    "for Chinese": {"trg_lang": "zh"},
    "Japanese": {"tokenize": "ja-mecab"},
    "no smoothing": {"smooth_method": "none", "force": True},
    "a value that is not used": {"smooth_value": 0.5},
    "floor 0.5": {"smooth_method": "floor", "smooth_value": 0.5},
    "add-k 0.5": {"smooth_method": "add-k", "smooth_value": 0.5, "effective_order": False},
}


def texts(rng, count, longest=12):
    made = [" ".join(rng.choices(WORDS, k=rng.randint(0, longest))) for _ in range(count)]
    for _ in range(count // 4):
        made[rng.randrange(count)] = made[rng.randrange(count)]
    return made


def both(**config):
    """mbrs' own metric with two processes, and ours with two threads."""
    config = {"num_workers": 2, **config}
    own, ours = (kind(kind.Config(**config)) for kind in (metrics.MetricBLEU, MetricBLEU))
    return own, ours


def same(ours, own):
    """Whether two tensors are identical."""
    found = [(one.dtype, one.shape, one.device) for one in (ours, own)]
    return found[0] == found[1] and torch.equal(ours, own)


def plain_pairs(metric, hypotheses, references):
    """mbrs' scores of all pairs without its processes, which take longer to start than to score."""
    return metrics.Metric.pairwise_scores(metric, hypotheses, references)


@pytest.mark.filterwarnings("ignore:without effective_order=True")
@pytest.mark.parametrize("config", CONFIGS.values(), ids=CONFIGS)
def test_tensors_are_those_of_mbrs(config):
    own, ours = both(**config)
    rng = seeded("mbrs", config)
    for size in (1, 7, 20):
        hypotheses, references = texts(rng, size), texts(rng, rng.randint(1, 20), 20)
        scores = ours.pairwise_scores(hypotheses, references, "source")
        assert same(scores, plain_pairs(own, hypotheses, references))
        assert own.score(hypotheses[0], references[0]) == ours.score(hypotheses[0], references[0])
        pairs = list(product(hypotheses, references))
        one_each = ours.scores(*map(list, zip(*pairs, strict=True)), ["source"] * len(pairs))
        assert same(one_each, scores.flatten())
        lists = [[text for _, text in pairs], [text for text, _ in pairs]]
        corpus = [hypothesis for hypothesis, _ in pairs], lists
        assert own.corpus_score(*corpus) == ours.corpus_score(*corpus)
        logs = torch.randn(len(references), generator=torch.Generator().manual_seed(size)) * 3
        for lprobs in (None, logs, logs.double() - 100):
            arguments = hypotheses, references, "source", lprobs
            aggregated = ours.expected_scores_reference_aggregation(*arguments)
            assert same(aggregated, own.expected_scores_reference_aggregation(*arguments))
    for name in ("scores", "pairwise_scores"):
        found = getattr(ours, name)(hypotheses[:9], references[:1] * 9)
        assert same(found, getattr(own, name)(hypotheses[:9], references[:1] * 9))
    expected = own.expected_scores(hypotheses, references, reference_lprobs=logs)
    assert same(ours.expected_scores(hypotheses, references, reference_lprobs=logs), expected)


def test_another_default_dtype_and_references_without_weight():
    own, ours = both()
    hypotheses, references = ["a b c", "b c d", ""], ["a b c", "b c", "d", "", "a b c"]
    aggregated = [one.expected_scores_reference_aggregation for one in (own, ours)]
    for lprobs in ([0, -math.inf, -math.inf, 0, -1], [-math.inf] * 3 + [0, -math.inf]):
        arguments = hypotheses, references, None, torch.tensor(lprobs)
        assert same(aggregated[1](*arguments), aggregated[0](*arguments))
    torch.set_default_dtype(torch.float64)
    try:
        pairs = ours.pairwise_scores(hypotheses, references)
        assert same(pairs, plain_pairs(own, hypotheses, references))
        assert same(aggregated[1](hypotheses, references), aggregated[0](hypotheses, references))
        assert ours.scores(hypotheses[:2], references[:2]).dtype == torch.float64
    finally:
        torch.set_default_dtype(torch.float32)


def outputs(decoder, hypotheses, references, **options):
    return dataclasses.asdict(decoder.decode(hypotheses, references, "source", **options))


@pytest.mark.parametrize("name", ["mbr", "aggregate_mbr", "pruning_mbr", "probabilistic_mbr"])
def test_decoders_of_mbrs(name):
    rng = seeded("mbrs decoder", name)
    kind = decoders.get_decoder(name)
    options = {"sampling_scheduler": [4, 8, 12]} if name == "pruning_mbr" else {}
    own, ours = (kind(kind.Config(**options), metric) for metric in both())
    logs = torch.tensor([rng.uniform(-9, 0) for _ in range(12)])
    for nbest, lprobs in ((1, None), (3, logs)):
        arguments = texts(rng, 16), texts(rng, 12)
        given = {"nbest": nbest, "reference_lprobs": lprobs}
        found = outputs(ours, *arguments, **given)
        assert found == outputs(own, *arguments, **given)
        assert len(found["idx"]) == nbest


def test_a_selector_of_mbrs():
    hypotheses, found = texts(seeded("mbrs selector"), 12), []
    for metric, name in zip(both(), (metrics.Metrics.bleu, "fastbleu"), strict=True):
        config = selectors.SelectorDiverse.Config(diversity_metric=name)
        decoder = decoders.DecoderMBR(
            decoders.DecoderMBR.Config(), metric, selectors.SelectorDiverse(config)
        )
        found.append(outputs(decoder, hypotheses, hypotheses, nbest=4))
    assert found[0] == found[1]


def test_it_is_a_metric_of_mbrs():
    assert metrics.get_metric("fastbleu") is MetricBLEU
    assert metrics.get_metric("bleu") is metrics.MetricBLEU
    assert issubclass(MetricBLEU, metrics.MetricBLEU)
    assert MetricBLEU.Config is metrics.MetricBLEU.Config
    for name in ("scores", "pairwise_scores", "expected_scores_reference_aggregation"):
        own, ours = (
            [(p.name, p.kind, p.default) for p in inspect.signature(method).parameters.values()]
            for method in (getattr(metrics.MetricBLEU, name), getattr(MetricBLEU, name))
        )
        assert own == ours
    metric = pickle.loads(pickle.dumps(MetricBLEU(MetricBLEU.Config(lowercase=True))))
    assert metric.pairwise_scores(["A b"], ["a B"]).item() == 100


def test_nothing_to_score_and_errors():
    metric = MetricBLEU(MetricBLEU.Config())
    aggregated = metric.expected_scores_reference_aggregation
    assert same(metric.scores([], []), torch.zeros(0))
    assert same(metric.pairwise_scores([], ["a"]), torch.zeros(0, 1))
    assert same(metric.pairwise_scores(["a", "b"], []), torch.zeros(2, 0))
    assert same(aggregated([], ["a"]), torch.zeros(0))
    raises(ValueError, "references is empty", aggregated, ["a"], [])
    raises(ValueError, "2", metric.scores, ["a", "b"], ["a"])
    for method in (metric.pairwise_scores, aggregated):
        raises(TypeError, r"hypotheses\[1\]", method, ["a", None], ["a"])
        raises(TypeError, "references is a str", method, ["a"], "a")
    for lprobs, message in (
        ([0.0, 0.0], "2 reference_lprobs for 1"),
        ([math.nan], "nan"),
        ([-math.inf], "only -inf"),
    ):
        given = {"reference_lprobs": torch.tensor(lprobs)}
        raises(ValueError, message, aggregated, ["a"], ["a"], **given)
    with pytest.raises(AssertionError):
        MetricBLEU(MetricBLEU.Config(smooth_method="linear"))
    with pytest.raises(KeyError):
        MetricBLEU(MetricBLEU.Config(tokenize="14a"))


def test_tokenized_sentences_cause_no_warning():
    metric = MetricBLEU(MetricBLEU.Config())
    hypotheses = [f"It is {number} ." for number in range(200)]
    metric.scores(hypotheses, hypotheses)
    metric.pairwise_scores(hypotheses, hypotheses)


def test_the_commands_of_mbrs(tmp_path, capsys):
    """mbrs' own metric decodes here, ours in a process that loads it as a plug-in."""
    rng = seeded("mbrs command")
    lines = [text or "." for text in texts(rng, 5 * 8)]
    (tmp_path / "hypotheses.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    (tmp_path / "my_plugins").mkdir()
    (tmp_path / "my_plugins" / "__init__.py").write_text("import fastbleu.integrations.mbrs\n")
    options = [str(tmp_path / "hypotheses.txt"), "-n", "8", "--format", "json", "--quiet"]
    options += ["--metric.num_workers", "2", "--metric.lowercase", "true", "--nbest", "2"]
    own = [*options, "--metric", "bleu"]
    decode.main(decode.get_argparser(own).parse_args(own))
    expected = capsys.readouterr().out.splitlines()
    options += ["--metric", "fastbleu", "--plugin_dir", tmp_path / "my_plugins"]
    options, environment = ["mbrs.cli.decode", *options], {"PYTHONUTF8": "1"}
    lines = python("-m", *options, noisy=True, seconds=TRAINS, **environment).splitlines()
    found = [json.loads(line) for line in lines]
    assert found == [json.loads(line) for line in expected]
    assert len(found) == 10


def test_the_import_loads_only_mbrs_without_warnings():
    check_imports(["mbrs.metrics"], ["fastbleu.integrations.mbrs"])


def test_weights_in_tensors():
    hypotheses, references, weights = ["a b", "a b c"], ["a b c", "a b", "c d"], [0.25, 0.5, 1.0]
    expected = mbr(hypotheses, references, reference_weights=weights).utilities.tolist()
    for dtype in (torch.float64, torch.bfloat16):
        tensor = torch.tensor(weights, dtype=dtype, requires_grad=True)
        for same_weights in (tensor, list(tensor)):
            found = mbr(hypotheses, references, reference_weights=same_weights)
            assert found.utilities.tolist() == expected
        for logs in (tensor.log(), list(tensor.log())):
            found = mbr(hypotheses, references, reference_lprobs=logs)
            assert np.allclose(found.utilities, expected, rtol=0.01)
    for rows in (torch.tensor([weights] * 2), [torch.tensor(weights)] * 2):
        batch = mbr([hypotheses] * 2, [references] * 2, reference_weights=rows)
        assert batch.utilities.tolist() == [expected] * 2


@pytest.mark.parametrize("config", ["defaults", "for Chinese", "add-k 0.5"])
def test_patched_mbrs_gives_the_same_results(config):
    rng = seeded(f"patched mbrs {config}")
    theirs = metrics.MetricBLEU
    metric = theirs(theirs.Config(num_workers=1, **CONFIGS[config]))
    hypotheses, references = texts(rng, 8), texts(rng, 6)
    weights = torch.tensor([rng.random() for _ in references])
    aggregated = metric.expected_scores_reference_aggregation
    calls = [
        (metric.scores, hypotheses[: len(references)], references),
        (metric.pairwise_scores, hypotheses, references),
        (aggregated, hypotheses, references),
        (aggregated, hypotheses, references, None, weights),
        (aggregated, hypotheses, []),
        (metric.pairwise_scores, ["a", 5], ["a"]),
    ]

    def results():
        found = [result(*call) for call in calls]
        return [one.tolist() if isinstance(one, torch.Tensor) else one for one in found]

    expected, before = results(), dict(vars(theirs))
    with fastbleu.patch("mbrs") as patched:
        assert "MetricBLEU.pairwise_scores" in str(patched)
        assert results() == expected
    assert dict(vars(theirs)) == before


def test_patched_mbrs_leaves_subclasses_with_their_own_rules(monkeypatch):
    class Own(metrics.MetricBLEU):
        @staticmethod
        def _compute_bleu(**_):
            return 7.0

    with fastbleu.patch("mbrs"):
        metric = Own(Own.Config(num_workers=1))
        assert metric.expected_scores_reference_aggregation(["a"], ["b"]).tolist() == [7.0]
        plain = metrics.MetricBLEU(metrics.MetricBLEU.Config(num_workers=1))
        monkeypatch.setattr("concurrent.futures.ProcessPoolExecutor", None)
        assert plain.pairwise_scores(["a b"], ["a b"]).shape == (1, 1)
