"""`fastbleu.identify`: the settings whose score prints as a number."""

import json
import re
import sys
from math import fsum

import pytest
import wmt22
from generators import raises, rounds, seeded

from fastbleu import BLEU, dialects, identify
from fastbleu.diagnosis.corpus import Corpus
from fastbleu.diagnosis.settings import score_settings
from fastbleu.originals.recipes import LINES

HYPOTHESES = ["The cat sat on the mat.", 'He said: "it\'s 5.3 m"', "No, never", "A dog ran away"]
REFERENCES = [
    ["A cat sat on the mat.", "The cat was on a mat."],
    ['He said "it is 5.3 m" .', "he said 5.3 m"],
    ["no , never", "Yes"],
    ["A dog and a cat ran", "a dog ran away , a cat , too"],
]


def settings(number, hypotheses=HYPOTHESES, references=REFERENCES):
    return [match.setting for match in identify(hypotheses, references, number).matches]


def test_a_setting_is_found_by_its_number():
    shorter = [{"max_ngram_order": order} for order in (1, 2, 3)]
    intl = {"tokenize": "intl", "lowercase": True}
    for options in ({}, *shorter, {"smooth_method": "add-k"}, intl):
        expected = ", ".join(f"{k}={v!r}" for k, v in {"dialect": "sacrebleu", **options}.items())
        value = BLEU(**options).score(HYPOTHESES, REFERENCES).value
        assert expected in settings(f"{value:.8f}")
    assert expected in settings(f"{value / 100:.8f}")


def test_one_reference_alone_and_means_of_sentences():
    alone = BLEU().score(HYPOTHESES, [some[1] for some in REFERENCES]).value
    assert settings(alone)[0] == "dialect='sacrebleu'; reference 1 alone"
    mean = BLEU(effective_order=True).sentence_scores(HYPOTHESES, REFERENCES).mean()
    expected = "dialect='sacrebleu', effective_order=True; mean of sentences"
    assert expected in settings(f"{mean:.9f}")


def test_an_empty_pair_at_the_end():
    """What a script scores that splits a file at its newlines."""
    hypotheses, references = [*HYPOTHESES, ""], [*[some[:1] for some in REFERENCES], [""]]
    for dialect in ("codexglue-summary", "nltk"):
        longer = BLEU(dialect=dialect).score(hypotheses, references).value
        assert longer != BLEU(dialect=dialect).score(hypotheses[:-1], references[:-1]).value
        found = settings(repr(longer), hypotheses[:-1], references[:-1])
        assert f"dialect={dialect!r}; one more empty pair at the end" in " or ".join(found)


def test_text_that_moses_has_tokenized(monkeypatch):
    sacremoses = pytest.importorskip("sacremoses")
    moses = sacremoses.MosesTokenizer("en")
    sides = (
        ["Don't stop (here): it's 3.5%!", "The U.S. team's well-known, isn't it?"],
        ["Do not stop (here): it's 3.5%!", "The U.S. team is well-known, isn't it?"],
    )
    texts = ([moses.tokenize(text, return_str=True) for text in side] for side in sides)
    value = BLEU("multi-bleu").score(*texts).value
    assert value != BLEU("multi-bleu").score(*sides).value
    found = identify(*sides, f"{value:.2f}")
    expected = "dialect='multi-bleu'; text already tokenized by Moses' tokenizer"
    assert expected in [match.setting for match in found.matches]
    assert not found.untried
    monkeypatch.setitem(sys.modules, "sacremoses", None)
    untried = " ".join(str(identify(*sides, f"{value:.2f}")).split())
    assert "Moses' tokenizer was not tried: it needs sacremoses" in untried


def test_dialects_come_before_recipes_with_the_same_number():
    value = BLEU("nltk").score(HYPOTHESES, REFERENCES).value
    found = identify(HYPOTHESES, REFERENCES, f"{value:.3f}").matches
    unchanged = [match.setting for match in found if match.setting.count("=") == 1]
    are_dialects = [name.split("'")[1] in dialects.names() for name in unchanged]
    assert are_dialects[:2] == [True, True]
    assert are_dialects == sorted(are_dialects, reverse=True)


def test_what_is_told():
    found = identify(HYPOTHESES, REFERENCES, "31.20")
    assert found.number == "31.20"
    assert len(found.nearest) == 5
    distances = [abs(match.distance) for match in found.nearest]
    assert distances == sorted(distances)
    assert found.by_chance < found.tried
    assert f"{found.tried} settings were tried" in str(found)
    assert found._repr_html_().startswith("<table>")
    json.dumps(found.to_dict())


def test_wrong_arguments():
    for number in ("none", -1, 101, "nan", "1_0", "１２", "²"):
        words = r"is not a (number|BLEU score)"
        raises(ValueError, words, identify, HYPOTHESES, REFERENCES, number)
    raises(ValueError, "there are no segments to score", identify, [], [], 1)


def test_recipes_that_differ_in_the_last_digits_are_one_match():
    corpus = ["the cat sat on the red mat and it slept"], ["the cat sat on a red mat today"]
    names = "metrax", "ignite-no_smooth-micro"
    value, other = (BLEU(name).score(*corpus).value for name in names)
    assert 0 < abs(value - other) < 1e-7
    expected = {f"dialect={name!r}" for name in names}
    assert any(expected <= {*match.split(" or ")} for match in settings(f"{value:.4f}", *corpus))


def test_many_settings_that_print_the_number_are_grouped_by_what_differs():
    found = identify(["a b c d e f"] * 3, [["a b c d e f"]] * 3, 100)
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
        "more, which differ from it in lowercase, max_ngram_order, tokenize, mean of sentences"
    )


def test_scores_on_the_scale_of_the_number_come_first():
    text = "the cat sat on the red mat and it slept"
    found = settings("0.9048", [text], [f"{text} today"])
    assert found.index("dialect='nltk'") < found.index("dialect='sacrebleu'")


def test_numbers_with_an_exponent_keep_their_digits():
    corpus = ["the cat sat on the mat"], ["a cat is on a mat"]
    value = BLEU("crystalbleu").score(*corpus).value
    assert 0 < value < 1e-70
    assert any("'crystalbleu'" in setting for setting in settings(repr(value), *corpus)[:5])


# WMT22

LONG = [system for system in wmt22.FIRST if not system.startswith("en-de.")]
SYSTEMS = ["en-de.Online-B", *(pytest.param(system, marks=pytest.mark.long) for system in LONG)]


@pytest.mark.wmt22
@pytest.mark.filterwarnings("ignore::fastbleu.InputWarning")
@pytest.mark.parametrize("system", SYSTEMS)
def test_dialects_and_recipes_are_found_by_what_they_print(system):
    hypotheses, references = (part[:40] for part in wmt22.one_reference(system))
    drawn = seeded("names", system).sample([*dialects.names(), *LINES], rounds(15))
    for name in ("sacrebleu", "nltk", *drawn):
        try:
            metric = BLEU(dialect=name)
            score = metric.score(hypotheses, references)
        except (ImportError, ValueError):  # a library is missing, or the original dies
            continue
        for shown in {score.printed or f"{score.value:.4f}", repr(score.value)}:
            if float(shown):  # else too many print it
                found = settings(shown, hypotheses, references)
                is_named = [f"dialect={name!r}" in setting for setting in found]
                # Before it are only others without options.
                before = ",".join(found[: is_named.index(True)])
                assert not re.search("; |, ", before), (name, shown, before)


@pytest.mark.wmt22
@pytest.mark.filterwarnings("ignore::fastbleu.InputWarning")
@pytest.mark.parametrize("system", SYSTEMS)
def test_each_setting_has_the_score_that_its_arguments_give(system):
    """What settings share changes none of their scores."""
    hypotheses, reference = wmt22.one_reference(system)
    references = list(zip(reference[:30], hypotheses[1:], strict=False))
    texts = hypotheses[:30], references
    tokens = [text.split() for text in texts[0]], [[t.split() for t in its] for its in references]
    for sides, metric in ((texts, BLEU()), (tokens, BLEU(tokenize=False))):
        scores = score_settings(Corpus.read(*sides, metric))
        for setting, value, *_ in scores:
            corpus, description = setting.corpus, setting.description
            metric = BLEU(**corpus.metric.get_params())
            if setting.is_mean:
                sentences = metric.sentence_scores(corpus.hypotheses, corpus.references)
                assert value == fsum(sentences) / len(sentences), description
            else:
                score = metric.score(corpus.hypotheses, corpus.references)
                assert value == score.value, description
        of_one = [its.description for its, *_ in scores if "'tensor2tensor'" in its.description]
        assert of_one
        assert all("reference 0" in its or "reference 1" in its for its in of_one)


@pytest.mark.wmt22
def test_slow_settings_are_left_out_only_if_they_are_far():
    """Of a large corpus, matches and nearest others are those of all settings scored in full."""
    pairs = zip(*wmt22.one_reference("en-de.Online-B"), strict=True)
    short = [pair for pair in pairs if len(pair[1]) < 90][:600]
    hypotheses, references = map(list, zip(*short, strict=True))
    in_full = score_settings(Corpus.read(hypotheses, references, BLEU()))
    drawn = [f"{s.shown(50):.2f}" for s in seeded("numbers").sample(in_full, 2)]
    for printed in ("12.3", "0.6512", "0.6", *drawn):
        found, number = identify(hypotheses, references, printed), float(printed)
        assert found.tried == len(in_full)
        digits = len(printed.partition(".")[2])
        values = [scored.shown(number) for scored in in_full]
        equal = [f"{value:.{digits}f}" == printed for value in values]
        assert sum(len(match.setting.split(" or ")) for match in found.matches) == sum(equal)
        near = [abs(v - number) for v, its in zip(values, equal, strict=True) if not its]
        assert [abs(match.distance) for match in found.nearest] == sorted(near)[:5]
