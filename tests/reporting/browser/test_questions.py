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


def visible_text(cell):
    return cell.is_visible() and cell.inner_text()


@pytest.mark.parametrize("count", [2, 12])
def test_what_is_wrong_with_the_system_that_refuses(show, count):
    page = show(of_systems(count), viewport={"width": 1280, "height": 900})
    if count > 2:
        choose(page, "Base", "Refusing")

    # Is it better, is that sure, in which document? No click: the sentence at the top.
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

    # Where? No click: the segments that explain most come first, with both outputs.
    assert re.match("The 20 segments .* explain \\d+ %", page.inner_text("#explained"))
    assert REFUSAL.startswith(page.inner_text("#grid-body .row .text.b >> nth=0")[:40])
    # Which documents, which lengths, by how much? No click: tables with intervals.
    first, *others = page.locator("#by-document tbody tr").all()
    assert first.locator("th").inner_text() == BAD
    assert float(first.locator("td").nth(4).inner_text()) < -30
    high = float(first.locator("td").last.inner_text().partition(" to ")[2])
    assert high < -20
    assert all(row.locator("td").nth(4).inner_text() == "+0.00" for row in others[:3])
    assert all(map(visible_text, page.locator("#by-reference-length tbody td:last-child").all()))
    # Are there mistakes in the data, and what was computed? No click.
    assert re.search("Likely mistakes|No mistake was found", page.inner_text("#overview"))
    assert page.inner_text("#systems caption").startswith("Signature: nrefs:2|case:mixed|")

    # The document's segments: one click.
    page.click("#verdict a")
    assert page.inner_text("#chosen button") == f"document {BAD} ×"
    first = int(BAD.partition("-")[2]) * DOCUMENT
    shown = page.eval_on_selector_all("#grid-body .row", "all => all.map(r => +r.dataset.segment)")
    assert {*shown} <= {*range(first, first + DOCUMENT)}
    assert page.inner_text("#count") == f"{DOCUMENT} of 2,037 segments"
    page.click("#grid-body .row >> nth=0")
    assert f"document: {BAD}" in page.inner_text("#segment")
    assert REFUSAL in page.inner_text("#segment .column.b .text")

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
