"""What a user asks of two and of twelve systems: the answer, and the clicks that it takes."""

import random
import re
from functools import cache

import pytest
from report_samples import wmt22_systems

import fastbleu
from fastbleu.tokenizers import tokenize as split

pytestmark = pytest.mark.filterwarnings("ignore::fastbleu.InputWarning")

BAD = "news-76"
REFUSAL = (
    "Ich kann dazu leider nichts sagen, weil mir der Zusammenhang fehlt, und bitte um Verständnis "
    "dafür, dass ich hier und heute keine Übersetzung anbieten darf."
)
DOCUMENT = 25  # segments


@cache
def of_systems(count):
    """A report on WMT22's systems and others that are made of them.

    The last system refuses to translate a document.
    """
    systems, references = wmt22_systems("en-de")
    documents = [f"news-{number // DOCUMENT}" for number in range(len(references))]
    real, chance = list(systems.values()), random.Random(1)

    def mixed():
        return [chance.choice(texts) for texts in zip(*real, strict=True)]

    refusing = [
        REFUSAL if document == BAD else text
        for text, document in zip(real[0], documents, strict=True)
    ]
    chosen = {"Base": real[0]}
    if count > 2:
        chosen |= {f"Mixed-{number}": mixed() for number in range(count - 2)}
    chosen["Refusing"] = refusing
    return fastbleu.report(chosen, references, documents=documents, dialects=False)


def choose(page, a, b):
    """Compare two systems."""
    page.click(f"#systems [aria-label='{a} as A']")
    page.click(f"#systems [aria-label='{b} as B']")


@pytest.mark.parametrize("count", [2, 12])
def test_what_is_wrong_with_the_system_that_refuses(show, count):
    page = show(of_systems(count), viewport={"width": 1280, "height": 900})
    if count > 2:
        choose(page, "Base", "Refusing")

    # Is it better, is that sure, where does it fail? No click: the sentence at the top.
    assert page.locator("#verdict").bounding_box()["y"] < 300
    p_values = r"p < 0\.0+\d(?:, adjusted [<=] 0\.0\d+)?"  # adjusted: where several are compared
    verdict = page.inner_text("#verdict")
    found = re.fullmatch(
        rf"Refusing is 0\.\d\d worse than Base \(95 %: 0\.\d\d to \d\.\d\d; {p_values}\)\. "
        rf"Of the difference: n-grams (-.*), length (.*)\. Better in 0 segments, worse in "
        rf"{DOCUMENT}, equal in 2,012\. Without document {BAD} it would be 0\.00 worse\.",
        verdict,
    )
    assert found, verdict
    ngrams, length = map(float, found.groups())
    assert abs(ngrams) > 10 * abs(length)  # it is not length

    # Which segments differ most? No click: the order by |B - A|. And one: the document's.
    page.click("#verdict a")
    page.click("#grid-body .row >> nth=0")
    assert f"document: {BAD}" in page.inner_text("#segment")
    assert REFUSAL in page.inner_text("#segment .column.b .text")

    # Is one document bad? One choice: those that make most of the difference come first.
    page.select_option("#bucket-kind", "document")
    first, *others = page.locator("#bucket-table tbody tr").all()
    assert first.locator("th").inner_text() == BAD
    assert float(first.locator("td").last.inner_text()) < -30
    assert all(row.locator("td").last.inner_text() == "+0.00" for row in others[:3])

    # What does it make up? One click: the tables of phrases.
    page.click("#phrases summary")
    page.wait_for_selector("#phrase-tables caption:has-text('Refusing says')")
    tables = page.eval_on_selector_all(
        "#phrase-tables table",
        """all => Object.fromEntries(all.map(t => [t.caption.textContent,
            Object.fromEntries([...t.tBodies[0].rows].map(r => [r.cells[0].textContent,
                                                                +r.cells[1].textContent]))]))""",
    )
    assert any(caption.startswith("Missed by all systems") for caption in tables)
    made_up = tables["Refusing says, in no reference"]
    assert made_up["dazu leider"] == DOCUMENT
    refusal = split(REFUSAL, "13a")
    assert next(iter(made_up)) in {" ".join(refusal[i : i + 2]) for i in range(len(refusal) - 1)}
    cut = "all => all.filter(its => its.scrollWidth > its.clientWidth).length"
    assert page.eval_on_selector_all("#phrase-tables .scroll", cut) == 0


# For each set of systems the first sentences and the first row of the list, without a click,
# against sacreBLEU's own scores and its own approximate randomization.

PLAIN = str.maketrans(dict.fromkeys("„“”", '"') | dict.fromkeys("‚‘’", "'") | {"–": "-"})


def made_systems(pair, count, segments=None):
    """WMT22's systems of a pair, and others that mix and shorten them."""
    systems, references = wmt22_systems(pair, segments)
    real, chance = list(systems.values()), random.Random(2)
    for number in range(count - len(systems)):
        shortened = 0.04 * number
        systems[f"Mixed-{number}"] = [
            text[: -len(text) // 4] if chance.random() < shortened else text
            for text in (chance.choice(texts) for texts in zip(*real, strict=True))
        ]
    return systems, references


def plain_quotes():
    """Two systems, of which one has no typographic quotes, as Online-W of WMT22."""
    systems, references = wmt22_systems("en-de")
    plain = [text.translate(PLAIN) for text in systems["Online-Y"]]
    return {"Online-B": systems["Online-B"], "Plain": plain}, references


SETS = {
    "two": (plain_quotes, "13a"),
    "twelve by 13a": (lambda: made_systems("en-zh", 12, 1000), "13a"),
    "twelve by zh": (lambda: made_systems("en-zh", 12, 1000), "zh"),
    "four": (lambda: made_systems("en-de", 4, 1000), "13a"),
}


def sacrebleu_says(systems, references, tokenize):
    """Scores by name, and whether the first two or the best two systems differ significantly."""
    sacrebleu = pytest.importorskip("sacrebleu")
    significance = pytest.importorskip("sacrebleu.significance")
    columns = [list(texts) for texts in zip(*references, strict=True)]
    metric = sacrebleu.BLEU(tokenize=tokenize, references=columns)
    scores = {name: metric.corpus_score(own, None).score for name, own in systems.items()}
    best, second, *_ = sorted(scores, key=lambda name: -scores[name])
    named = [(name, systems[name]) for name in (second, best)]
    test = significance.PairedTest(named, {"BLEU": metric}, None, test_type="ar", n_samples=1000)
    return scores, test()[1]["BLEU"][1].p_value


@pytest.mark.parametrize("name", SETS)
def test_the_first_thing_read_is_the_right_answer(show, name):
    make, tokenize = SETS[name]
    systems, references = make()
    report = fastbleu.report(
        systems, references, metric=fastbleu.BLEU(tokenize=tokenize), dialects=True
    )
    page = show(report, viewport={"width": 1280, "height": 900})
    scores, p_value = sacrebleu_says(systems, references, tokenize)
    order = sorted(scores, key=lambda system: -scores[system])
    headline = page.inner_text("#headline") if len(systems) > 2 else ""
    verdict, warnings = page.inner_text("#verdict"), page.locator(".warning").all_inner_texts()

    # Which system is better, and is that sure?
    difference = scores[order[0]] - scores[order[1]]
    best, other = (order[1], order[0]) if len(systems) == 2 else order[:2]
    word = "worse" if len(systems) == 2 else "better"
    assert verdict.startswith(f"{best} is {difference:.2f} {word} than {other} (")
    pairs = len(systems) * (len(systems) - 1) // 2  # of 1,000 trials: not where it is close
    if p_value > 0.06 or pairs * p_value < 0.04:
        assert ("may be chance" in verdict) == (p_value > 0.06)

    # Why? Is something wrong with the data?
    if name == "two":
        alike = [[text.translate(PLAIN) for text in texts] for texts in references]
        both = {system: [text.translate(PLAIN) for text in own] for system, own in systems.items()}
        right, _ = sacrebleu_says(both, alike, tokenize)
        cause = float(re.search(r"About (\S+) of it is quotation marks", verdict)[1])
        assert abs(difference - cause - abs(right["Online-B"] - right["Plain"])) < 0.1
    assert bool(warnings) == (name == "twelve by 13a")
    if warnings:
        right, _ = sacrebleu_says(systems, references, "zh")
        first, second, *_ = sorted(right.values(), reverse=True)
        leader = max(right, key=right.get)
        assert re.search(f"{leader} would (still )?lead by {first - second:.2f}", warnings[0])
        assert "Ranks are left out" in headline

    # How do several systems rank?
    if len(systems) > 2 and not warnings:
        said = f"{order[0]} has the highest score of {len(systems)} systems, "
        assert headline.startswith(f"{said}{scores[order[0]]:.2f}; ")
    assert ("Rank" in page.inner_text("#systems thead")) == (not warnings)
    names = "all => all.map(its => its.title)"
    assert page.eval_on_selector_all("#systems tbody th", names) == order

    # Which segments?
    sentences = fastbleu.BLEU(tokenize=tokenize).sentence_scores
    a, b = (sentences(systems[system], references) for system in (other, best))
    gaps = abs(a - b)
    first = int(page.get_attribute("#grid-body .row >> nth=0", "data-segment"))
    assert gaps[first] == max(gaps)
    assert f"Better in {(b > a).sum():,} segments, worse in {(b < a).sum():,}" in verdict

    # Does the choice of BLEU change the order?
    summary = page.inner_text("#dialects summary")
    nltk = [fastbleu.BLEU("nltk").score(systems[system], references).value for system in order]
    changed = nltk != sorted(nltk, reverse=True)
    if changed:
        assert "another order by" in summary
