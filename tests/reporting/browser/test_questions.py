"""What a user asks of two and of twelve systems: the answer, and the clicks that it takes."""

import random
import re
from functools import cache

import pytest
from report_samples import case, wmt22_systems

import fastbleu

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

    The last system refuses to translate a document, the one before leaves out every tenth word.
    """
    systems, references = wmt22_systems("en-de")
    documents = [f"news-{number // DOCUMENT}" for number in range(len(references))]
    real, chance = list(systems.values()), random.Random(1)

    def mixed():
        return [chance.choice(texts) for texts in zip(*real, strict=True)]

    def shorter(texts):
        return [" ".join(w for w in text.split() if chance.random() > 0.1) for text in texts]

    refusing = [
        REFUSAL if document == BAD else text
        for text, document in zip(real[0], documents, strict=True)
    ]
    chosen = {"Base": real[0]}
    if count > 2:
        chosen |= {f"Mixed-{number}": mixed() for number in range(count - 3)}
        chosen["Short"] = shorter(real[0])
    chosen["Refusing"] = refusing
    return fastbleu.report(chosen, references, documents=documents, dialects=False)


@pytest.mark.parametrize("count", [2, 12])
def test_what_is_wrong_with_the_system_that_refuses(show, count):
    page = show(of_systems(count), viewport={"width": 1280, "height": 900})
    if count > 2:
        names = list(of_systems(count).scores)
        page.click(f"#matrix [data-a='0'][data-b='{names.index('Refusing')}']")

    # Is it better, is that sure, where does it fail? No click: the sentence at the top.
    assert page.locator("#verdict").bounding_box()["y"] < 300
    p_values = r"p < 0\.000\d(?:, adjusted < 0\.00\d+)?"  # adjusted: where several are compared
    verdict = page.inner_text("#verdict")
    found = re.fullmatch(
        rf"Refusing is 0\.\d\d worse than Base \(95 %: 0\.\d\d to \d\.\d\d; {p_values}\): "
        rf"n-grams (-.*), length (.*); worst in document {BAD}; "
        r"(.*) % of the segments make half of it\.",
        verdict,
    )
    assert found, verdict
    ngrams, length, share = map(float, found.groups())
    assert abs(ngrams) > 10 * abs(length)  # it is not length
    assert share <= 100 * DOCUMENT / 2037

    # What does it make up? No click: the tables of phrases.
    page.wait_for_selector("#ngram-tables caption:has-text('Refusing says')")
    tables = page.eval_on_selector_all(
        "#ngram-tables table",
        """all => Object.fromEntries(all.map(t => [t.caption.textContent,
            Object.fromEntries([...t.tBodies[0].rows].map(r => [r.cells[0].textContent,
                                                                +r.cells[1].textContent]))]))""",
    )
    assert any(caption.startswith("Missed by all systems") for caption in tables)
    assert tables["Refusing says, in no reference"]["dazu leider"] == DOCUMENT
    cut = "all => all.filter(its => its.scrollWidth > its.clientWidth).length"
    assert page.eval_on_selector_all("#ngram-tables .scroll", cut) == 0

    # Is one document bad? One choice: those that make most of the difference come first.
    page.select_option("#bucket-kind", "document")
    first, *others = page.locator("#bucket-table tbody tr").all()
    assert first.locator("th").inner_text() == BAD
    assert float(first.locator("td").last.inner_text()) < -30
    assert all(row.locator("td").last.inner_text() == "+0.00" for row in others[:3])

    # Which segments differ most? One choice: the order by |B - A|.
    page.select_option("#sort", "gap")
    page.click("#grid-body .row >> nth=0")
    assert f"document: {BAD}" in page.inner_text("#segment")
    assert REFUSAL in page.inner_text("#segment .column.b .text")


def test_is_it_length(show):
    """One click: the verdict on the system that leaves out words."""
    names = list(of_systems(12).scores)
    page = show(of_systems(12))
    page.click(f"#matrix [data-a='0'][data-b='{names.index('Short')}']")
    ngrams, length = re.search(
        r"n-grams (-.*), length (-[\d.]+);", page.inner_text("#verdict")
    ).groups()
    assert float(length) < -2
    assert float(ngrams) < 0


def test_is_it_the_tokenizer(show):
    """No click, and one to get there: a likely mistake, with its points."""
    given = case("en-zh") | {"metric": None}
    page = show(fastbleu.report(**given))
    headings = page.eval_on_selector_all("main h2", "all => all.map(its => its.textContent)")
    assert headings.index("Where") < headings.index("Likely mistakes")  # charts come first
    page.click("nav >> text=Likely mistakes")
    [row] = page.locator("#findings tr", has_text="without spaces").all()
    system, _, points, text = row.locator("th, td").all_inner_texts()
    assert system == "all systems"
    assert all(float(its) > 10 for its in points.split(" to "))
    assert '"zh"' in text
