"""`identify` and `explain` on the outputs of WMT22's systems."""

from math import fsum

import pytest
import wmt22

from fastbleu import BLEU, dialects
from fastbleu.diagnosis.corpus import Corpus
from fastbleu.diagnosis.identification import _identification, _read_number
from fastbleu.diagnosis.settings import score_settings
from fastbleu.dialects.recipe_table import LINES

pytestmark = pytest.mark.filterwarnings("ignore::fastbleu.InputWarning")
SYSTEMS = [
    pytest.param(name, marks=[] if name == "en-de.Online-B" else pytest.mark.long)
    for name in wmt22.SYSTEMS
]
DEFAULTS = {f"dialect={name!r}" for name in (*dialects.names(), *LINES)}


def corpora(system):
    """By dialect the corpus that it scores; without those that need what is not installed."""
    corpus = Corpus.read(*wmt22.one_reference(system), BLEU())
    found = {name: corpus.scored_by(BLEU(dialect=name)) for name in dialects.names()}
    return {name: its for name, its in found.items() if is_scored(its)}


def is_scored(corpus):
    try:
        corpus.score()
    except ImportError:  # PyTorch's arithmetic
        return False
    return True


@pytest.mark.parametrize("system", SYSTEMS)
def test_each_dialect_is_found_by_its_printed_score(system):
    by_dialect = corpora(system)
    scores = score_settings(by_dialect["sacrebleu"])
    for name, corpus in by_dialect.items():
        score = corpus.score()
        printed = score.printed or f"{score.value:.4f}"
        if not float(printed):
            continue  # too many print it
        matches = _identification(*_read_number(printed), scores).matches
        settings = [match.setting for match in matches]
        place = settings.index(f"dialect={name!r}")
        # Six dialects may print the same, and a match may be of several recipes.
        before = {one for setting in settings[:place] for one in setting.split(" or ")}
        assert place < 5 or before <= DEFAULTS, (name, printed, settings)


@pytest.mark.parametrize("of_text", [True, False])
@pytest.mark.parametrize("system", SYSTEMS)
def test_each_setting_has_the_score_that_its_arguments_give(system, of_text):
    """What settings share changes none of their scores."""
    hypotheses = wmt22.read_lines(wmt22.system_file(system))[:60]
    streams = wmt22.lines_of_references(system.partition(".")[0])
    references = [list(its) for its in zip(*streams, strict=True)][:60]
    if not of_text:
        hypotheses = [text.split() for text in hypotheses]
        references = [[text.split() for text in some] for some in references]
    scores = score_settings(Corpus.read(hypotheses, references, BLEU() if of_text else BLEU(None)))
    for (corpus, is_mean, _, description), value, *_ in scores:
        metric = BLEU(**corpus.metric.as_arguments())
        if is_mean:
            sentences = metric.sentence_scores(corpus.hypotheses, corpus.references)
            assert value == fsum(sentences) / len(sentences), description
        else:
            score = metric.score(corpus.hypotheses, corpus.references)
            assert value == score.value, description
    assert len(scores) >= (500 if of_text else 100)
    of_one = [its.description for its, *_ in scores if "'tensor2tensor'" in its.description]
    assert of_one
    assert all("reference 0" in its or "reference 1" in its for its in of_one)
