"""`fastbleu.identify`: the settings whose score prints as a number."""

import json

import pytest
import wmt22
from generators import raises

from fastbleu import BLEU, dialects, identify
from fastbleu.diagnosis import identification
from fastbleu.diagnosis import settings as settings_module
from fastbleu.diagnosis.corpus import Corpus
from fastbleu.dialects.recipe_table import LINES

HYPOTHESES = ["The cat sat on the mat.", 'He said: "it\'s 5.3 m"', "No, never", "A dog ran away"]
REFERENCES = [
    ["A cat sat on the mat.", "The cat was on a mat."],
    ['He said "it is 5.3 m" .', "he said 5.3 m"],
    ["no , never", "Yes"],
    ["A dog and a cat ran", "a dog ran away , a cat , too"],
]


def settings(number, hypotheses=HYPOTHESES, references=REFERENCES):
    return [match.setting for match in identify(number, hypotheses, references).matches]


@pytest.mark.parametrize(
    ("expected", "options"),
    [
        ("dialect='sacrebleu'", {}),
        ("dialect='sacrebleu', lowercase=True", {"lowercase": True}),
        ("dialect='sacrebleu', smoothing='add-k'", {"smoothing": "add-k"}),
        (
            "dialect='sacrebleu', tokenize='intl', lowercase=True",
            {"tokenize": "intl", "lowercase": True},
        ),
        ("dialect='sacrebleu', tokenize='char'", {"tokenize": "char"}),
    ],
)
@pytest.mark.parametrize("scale", [1, 100])
def test_a_setting_is_found_by_its_number(expected, options, scale):
    value = BLEU(**options).score(HYPOTHESES, REFERENCES).value / scale
    assert expected in settings(f"{value:.8f}")


def test_one_reference_alone_and_means_of_sentences():
    alone = BLEU().score(HYPOTHESES, [some[1] for some in REFERENCES]).value
    assert settings(alone)[0] == "dialect='sacrebleu'; reference 1 alone"
    mean = BLEU(effective_order=True).sentence_scores(HYPOTHESES, REFERENCES).mean()
    expected = "dialect='sacrebleu', effective_order=True; mean of sentences"
    assert expected in settings(f"{mean:.9f}")


@pytest.mark.parametrize("dialect", ["codexglue-summary", "nltk"])
def test_an_empty_pair_at_the_end(dialect):
    """What a script scores that splits a file at its newlines."""
    hypotheses, references = [*HYPOTHESES, ""], [*[some[:1] for some in REFERENCES], [""]]
    longer = BLEU(dialect=dialect).score(hypotheses, references).value
    assert longer != BLEU(dialect=dialect).score(hypotheses[:-1], references[:-1]).value
    found = settings(repr(longer), hypotheses[:-1], references[:-1])
    assert f"dialect={dialect!r}; one more empty pair at the end" in " or ".join(found)


def test_what_is_told():
    found = identify("31.20", HYPOTHESES, REFERENCES)
    assert found.number == "31.20"
    assert len(found.nearest) == 5
    distances = [abs(match.distance) for match in found.nearest]
    assert distances == sorted(distances)
    assert found.by_chance < found.tried
    assert f"{found.tried} settings were tried" in str(found)
    assert found._repr_html_().startswith("<table>")
    json.dumps(found.to_dict())


@pytest.mark.parametrize("number", ["none", -1, 101, "nan"])
def test_numbers_that_are_no_scores(number):
    raises(ValueError, r"is not a (number|BLEU score)", identify, number, HYPOTHESES, REFERENCES)


@pytest.mark.parametrize("name", dialects.names())
def test_each_dialect_is_found_on_real_data(name):
    hypotheses, references = (part[:200] for part in wmt22.one_reference("en-de.Online-B"))
    try:
        score = BLEU(dialect=name).score(hypotheses, references)
    except ImportError as error:
        pytest.skip(str(error))
    printed = score.printed or f"{score.value:.4f}"
    assert f"dialect={name!r}" in settings(printed, hypotheses, references)[:5]


def test_recipes_that_differ_in_the_last_digits_are_one_match():
    hypotheses, references = ["the cat sat on the red mat"], ["the cat sat on a red mat today"]
    hypotheses[0] += " and it slept"
    values = [
        BLEU(dialect=name).score(hypotheses, references).value
        for name in ("metrax", "ignite-no_smooth-micro")
    ]
    assert 0 < abs(values[0] - values[1]) < 1e-7
    found = settings(f"{values[0]:.4f}", hypotheses, references)
    assert any("'metrax'" in one and "'ignite-no_smooth-micro'" in one for one in found)


def test_many_settings_that_print_the_number_are_grouped_by_what_differs():
    found = identify(100, ["a b c d e f"] * 3, [["a b c d e f"]] * 3)
    assert len(found.matches) > 300
    text = str(found)
    assert len(text.splitlines()) < 90
    assert max(map(len, text.splitlines())) <= 80
    joined = " ".join(text.rpartition("\n\n")[0].split())
    assert "dialect='multi-bleu', lowercase=True; mean of sentences" in joined
    line = joined.partition("dialect='matlab': ")[2].partition(" yes ")[0]
    number, _, differences = line.partition(" ")
    assert int(number) >= 36  # more with tokenizers of libraries
    assert differences.startswith(
        "more, which differ from it in lowercase, max_order, tokenize, mean of sentences"
    )


@pytest.mark.parametrize("number", ["1_0", "１２", "²"])
def test_numbers_that_only_python_reads(number):
    raises(ValueError, "is not a number; pass", identify, number, HYPOTHESES, REFERENCES)


def test_no_segments():
    raises(ValueError, "there are no segments to score", identify, 1, [], [])


# Systems of 20 pairs or so; the test of each recipe takes seconds for each.
CORPORA = [
    pytest.param(system, marks=[pytest.mark.long] * (number % 5 > 0))
    for number, system in enumerate(wmt22.SYSTEMS[:: max(1, len(wmt22.SYSTEMS) // 20)][:20])
]


@pytest.mark.parametrize("system", CORPORA)
def test_recipes_are_found_by_what_they_print(system):
    """The first five matches have every recipe's name, by all digits and by those it prints."""
    hypotheses, references = wmt22.one_reference(system)
    corpus = Corpus.read(hypotheses[:200], references[:200], BLEU())
    scores = settings_module.score_settings(corpus)
    tried = {scored.setting.corpus.metric.dialect for scored in scores}
    assert len(tried & set(LINES)) > 70
    for setting, value, *_ in scores:
        name = setting.corpus.metric.dialect
        if name in LINES:
            shown = setting.corpus.metric.scorer.dialect.printed(value) or f"{value:.4f}"
            for text in (repr(value), shown):
                printed, digits = identification._read_number(text)
                found = identification._identification(printed, digits, scores)
                assert any(f"dialect={name!r}" in one.setting for one in found.matches[:5]), name


def test_slow_settings_are_left_out_only_if_they_are_far():
    """Of a large corpus, matches and nearest others are those of all settings scored in full."""
    hypotheses, references = (part[:600] for part in wmt22.one_reference("en-de.Online-B"))
    corpus = Corpus.read(hypotheses, references, BLEU())
    in_full = settings_module.score_settings(corpus)
    for number in ("12.3", "38.4", "0.6512", "0.21"):
        scores = settings_module.score_settings(corpus, float(number))
        assert len(scores) == len(in_full)
        assert number != "12.3" or any(scored.is_estimate for scored in scores)
        found, expected = (
            identification._identification(*identification._read_number(number), its)
            for its in (scores, in_full)
        )
        for ours, theirs in ((found.matches, expected.matches), (found.nearest, expected.nearest)):
            assert {one.setting for one in ours} == {one.setting for one in theirs}


def test_recipes_with_the_same_score_are_one_match():
    hypotheses, references = ["the cat sat on the mat"], ["the cat is on the mat"]
    first, *_ = identify("78.392", hypotheses, references).matches
    either = "dialect='llamafactory-metric' or dialect='llamafactory-eval_bleu_rouge'"
    assert first.setting == either


def test_numbers_with_an_exponent_keep_their_digits():
    hypotheses, references = ["the cat sat on the mat"], ["a cat is on a mat"]
    value = BLEU(dialect="crystalbleu").score(hypotheses, references).value
    assert 0 < value < 1e-70
    found = identify(repr(value), hypotheses, references)
    assert any("'crystalbleu'" in match.setting for match in found.matches[:5])
