"""What a user asks of a system that is worse than another, and the clicks to the answer."""

import pytest
from report_samples import wmt22_systems

import fastbleu

pytestmark = pytest.mark.filterwarnings("ignore::fastbleu.InputWarning")

BAD = "news-76"
REFUSAL = (
    "Ich kann dazu leider nichts sagen, weil mir der Zusammenhang fehlt, und bitte um Verständnis "
    "dafür, dass ich hier und heute keine Übersetzung anbieten darf."
)
DOCUMENT = 25  # segments


def test_what_is_wrong_with_the_system_that_refuses_to_translate_a_document(show):
    systems, references = wmt22_systems("en-de")
    documents = [f"news-{number // DOCUMENT}" for number in range(len(references))]
    base = next(iter(systems.values()))
    pairs = zip(base, documents, strict=True)
    refusing = [REFUSAL if document == BAD else text for text, document in pairs]
    given = {"Base": base, "Refusing": refusing}
    report = fastbleu.report(given, references, documents=documents, dialects=False)
    page = show(report, viewport={"width": 1280, "height": 900})

    # No click: the sentence at the top, and the segments and the documents that explain most.
    assert page.locator("#verdict").bounding_box()["y"] < 300
    ends = f"equal in 2,012. Without document {BAD} it would be 0.00 worse."
    assert page.inner_text("#verdict").endswith(ends)
    assert REFUSAL.startswith(page.inner_text("#grid-body .row .text.b >> nth=0")[:40])
    first, *others = page.locator("#by-document tbody tr").all()
    assert first.locator("th").inner_text() == BAD
    assert all(row.locator("td").nth(4).inner_text() == "+0.00" for row in others[:3])

    # One click: the document's segments.
    page.click("#verdict a")
    assert page.inner_text("#chosen button") == f"document {BAD} ×"
    assert page.inner_text("#count") == f"{DOCUMENT} of 2,037 segments"
    page.click("#grid-body .row >> nth=0")
    assert f"document: {BAD}" in page.inner_text("#segment")
    assert REFUSAL in page.inner_text("#segment .column.b .text")

    # One click: what it makes up; no phrase is cut.
    page.click("#phrases summary")
    made_up = page.locator("#phrase-tables table:has(caption:has-text('Refusing says'))")
    assert made_up.locator("td >> nth=0").inner_text() == str(DOCUMENT)
    cut = "all => all.filter(its => its.scrollWidth > its.clientWidth).length"
    assert page.eval_on_selector_all("#phrase-tables .scroll", cut) == 0
