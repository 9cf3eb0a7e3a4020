"""What a user does with the page: sort, filter, search, go by keyboard, print, take along."""

import csv
import io
import itertools
import re
import unicodedata

import pytest
from report_samples import ATTACKS, case, wmt22_systems

import fastbleu

pytestmark = pytest.mark.filterwarnings("ignore::fastbleu.InputWarning")


# The first two systems, in the order of the file.
IN_ORDER = "#a=0&b=1&sort=segment&descending=no"


def numbers_of_rows(page):
    """The numbers of the segments in the table's first rows."""
    body = "#grid-body .row"
    return page.eval_on_selector_all(body, "rows => rows.map(r => +r.dataset.segment)")


def shown(page):
    return page.inner_text("#count")


def count_of(page):
    return int(re.match(r"[\d,]+", shown(page))[0].replace(",", ""))


def scores_of(given):
    metric = given.get("metric") or fastbleu.BLEU()
    metric = fastbleu.BLEU(tokenize=metric.tokenize, effective_order=True)
    references = given["references"]
    return [metric.sentence_scores(its, references).tolist() for its in given["systems"].values()]


def test_rows_show_the_scores_by_which_they_are_sorted(show):
    page, scores = show("en-de", IN_ORDER), scores_of(case("en-de"))
    count = len(scores[0])
    rows = page.eval_on_selector_all(
        "#grid-body .row", "rows => rows.map(r => [...r.children].map(c => c.textContent))"
    )
    for number, (shown, share, *cells) in enumerate(rows):
        its = [system[number] for system in scores]
        printed = [f"{score:.2f}" for score in its]
        expected = [*printed[:2], f"{its[1] - its[0]:+.2f}"]
        assert (shown, cells[:3], cells[5:]) == (str(number), expected, printed[2:])
        assert re.fullmatch(r"[+-]\d+\.\d\d %", share)
    page.select_option("#sort", "0")
    found, expected = numbers_of_rows(page), sorted(range(count), key=scores[0].__getitem__)
    assert found == expected[: len(found)]
    page.click("#grid-head button:has-text('B − A')")
    page.click("#grid-head button:has-text('B − A')")
    assert page.get_attribute("#grid-head [aria-sort=descending]", "aria-colindex")
    best = sorted(range(count), key=lambda s: (scores[0][s] - scores[1][s], s))
    assert numbers_of_rows(page) == best[: len(numbers_of_rows(page))]
    page.select_option("#sort", "gap")
    assert page.is_checked("#descending")
    gaps = [abs(a - b) for a, b in zip(*scores[:2], strict=True)]
    found, expected = numbers_of_rows(page), sorted(range(count), key=lambda s: (-gaps[s], s))
    assert found == expected[: len(found)]


@pytest.fixture(scope="module")
def eight_systems():
    """Of three qualities: three systems alike, then four, then one."""
    systems, references = wmt22_systems("en-de", 300)
    best = next(iter(systems.values()))

    def version(number, every):
        return [
            " ".join(word for at, word in enumerate(text.split(), s + 3 * number) if at % every)
            for s, text in enumerate(best)
        ]

    every = [4, 40, 15, 40, 15, 15, 40, 15]
    named = {f"s{k}": version(k, its) for k, its in enumerate(every)}
    sources = [texts[0] for texts in references]
    return fastbleu.report(named, references, sources=sources, dialects=False)


def test_the_leaderboard_from_which_a_and_b_are_chosen(show, eight_systems):
    page, scores = show(eight_systems), eight_systems.scores
    names = "all => all.map(its => its.innerText.split(/\\s/)[0])"
    rows = page.eval_on_selector_all("#systems tbody th", names)
    assert rows == sorted(scores, key=lambda name: scores[name].value, reverse=True)
    assert page.eval_on_selector_all("#systems tr.cut th", names) == [rows[2], rows[6]]
    ranks = page.eval_on_selector_all(
        "#systems tbody td:nth-child(5)", "a => a.map(c => c.innerText)"
    )
    assert ranks == ["1-3"] * 3 + ["4-7"] * 4 + ["8"]
    assert page.locator("#systems .bar line.range").count() == 8
    page.click("#systems thead button:has-text('BP')")
    penalties = [scores[name].bp for name in page.eval_on_selector_all("#systems tbody th", names)]
    assert penalties == sorted(penalties, reverse=True)
    assert page.get_attribute("#systems thead [aria-sort=descending]", "aria-sort")

    page.click("#matrix tbody tr:nth-child(2) td:nth-child(7) button")
    b, a = page.inner_text("#system-b option:checked"), page.inner_text("#system-a option:checked")
    order = page.eval_on_selector_all(
        "#matrix tbody th", "all => all.map(its => its.innerText.split(' ')[1])"
    )
    assert (b, a) == (order[1], order[6])
    assert page.inner_text("#verdict").startswith(f"{b} is ")
    heads = "#grid-head [role=columnheader]"
    shown = page.eval_on_selector_all(heads, "all => all.map(its => its.textContent)")
    assert shown[1:5] == ["share ▼", "A", "B", "B − A"]
    assert shown[5] == f"source, {a}, {b}"
    # The answer is where the click was.
    cell, answer = (
        page.locator(its).bounding_box() for its in ("#matrix [aria-pressed=true]", "#answer")
    )
    assert page.inner_text("#answer") == page.inner_text("#verdict")
    assert 0 < answer["y"] - cell["y"] < 400
    page.click("#systems [aria-label='s0 as A']")
    assert page.inner_text("#system-a option:checked") == "s0"
    pressed = page.locator("#matrix [aria-pressed=true]").inner_text()
    assert pressed == f"{scores[b].value - scores['s0'].value:+.2f}"
    assert page.locator("#matrix .significant").count() == 3 * 4 + 3 + 4


def test_searching(show):
    given, page = case("en-de"), show("en-de", IN_ORDER)
    systems = list(given["systems"].values())
    texts = [[*its, *own] for its, *own in zip(given["references"], *systems, strict=True)]

    def expected(test):
        return [s for s, its in enumerate(texts) if any(map(test, its))]

    for query in ("der", "STRASSE", "über", "zzzz", "."):
        page.fill("#query", query)
        found = expected(lambda text, query=query: query.lower() in text.lower())
        assert count_of(page) == len(found)
        assert numbers_of_rows(page) == found[: len(numbers_of_rows(page))]
    page.check("#regex")
    page.fill("#query", r"\d{4}|^Wir\b")
    assert count_of(page) == len(expected(re.compile(r"[0-9]{4}|^[Ww][Ii][Rr]\b").search))
    page.fill("#query", "(")
    assert "regular expression" in page.inner_text("#problem")
    page.fill("#query", r"\d{4}")
    assert page.inner_text("#problem") == ""
    page.select_option("#scope", "1")
    assert count_of(page) == sum(bool(re.search(r"[0-9]{4}", text)) for text in systems[1])


def test_filters_come_together(show):
    given, page, scores = case("en-de"), show("en-de", IN_ORDER), scores_of(case("en-de"))
    bar = page.locator("#charts svg[role=group]").first.locator("[role=button]").first
    label = bar.get_attribute("aria-label")
    bar.click()
    low, high = map(float, re.search(r"([\d.]+) to ([\d.]+):", label).groups())
    inside = [s for s, score in enumerate(scores[0]) if low <= score < high]
    assert count_of(page) == len(inside) == int(re.search(r": ([\d,]+) segment", label)[1])
    page.fill("#query", "e")
    page.click("#by-document tbody tr:first-child button")
    document = page.inner_text("#by-document tbody tr:first-child th")
    kept = [s for s in inside if given["documents"][s] == document]
    assert count_of(page) == len(kept)
    assert page.locator("#chosen button").count() == 2
    page.click("#chosen button >> nth=0")
    assert count_of(page) == given["documents"].count(document)
    page.keyboard.press("Escape")
    assert count_of(page) == len(given["documents"])


def test_every_chart_selects_what_it_says(show):
    page = show("en-zh")
    for number in range(page.locator("#charts svg[role=group]").count()):
        marks = page.locator("#charts svg[role=group]").nth(number).locator("[role=button]")
        assert marks.count() > 5
        for at in (0, marks.count() // 2, marks.count() - 1):
            mark = marks.nth(at)
            label = mark.get_attribute("aria-label")
            mark.dispatch_event("click")
            assert count_of(page) > 0
            if said := re.search(r": ([\d,]+) segment", label):
                assert count_of(page) == int(said[1].replace(",", ""))
            page.click("#chosen button")


def test_flags(show):
    sources = ["a source of five words", "two", "three", "four", "five", "six"]
    hypotheses = [sources[0], "", "x " * 40, "short", "one two three four " * 3, "ordinary"]
    references = ["a b c d e", "b", "c d", "a rather long reference of ten words", "d", "e"]
    report = fastbleu.report({"only": hypotheses}, references, sources=sources, samples=0)
    page, found = show(report), {}
    for option in page.locator("#flag option").all()[1:]:
        page.select_option("#flag", option.get_attribute("value"))
        found[option.inner_text().partition(" (")[0]] = numbers_of_rows(page)
    # Which hypotheses have which flag is tested in test_report.py.
    assert found == {
        "empty": [1],
        "copy of the source": [0],
        "far too long": [2, 4],
        "far too short": [3],
        "repeated n-grams": [2, 4],
    }


@pytest.mark.parametrize("width", [390, 1280])
def test_deep_links_arrive(show, width):
    for fragment, place in (
        ("#query=Haus", "#segments"),
        ("#bucket=1.3", "#segments"),
        ("#segment=1234&sort=segment&descending=no", "#segment"),
    ):
        page = show("en-de", fragment, viewport={"width": width, "height": 800})
        page.wait_for_timeout(300)
        assert -1 <= page.locator(place).bounding_box()["y"] < 100
    assert page.inner_text("#segment-heading") == "Segment 1234"
    assert page.get_attribute("#grid-body .current", "data-segment") == "1234"
    page.click("text=Next")
    assert page.evaluate("location.hash") == "#segment=1235&sort=segment&descending=no"
    page.click("#segment >> text=Close")
    assert page.evaluate("location.hash") == "#sort=segment&descending=no"
    assert not page.is_visible("#segment")


def test_other_addresses_are_the_usual_state(show):
    for fragment in ("#segment=99999999", "#<img>&a=9&b=-1", "#bucket=7.7&sort=zz&scope=9"):
        page = show("right-to-left", fragment)
        assert not page.is_visible("#segment")
        assert shown(page) == "6 segments"
        assert page.input_value("#sort") == "share"
        assert (page.input_value("#system-a"), page.input_value("#system-b")) == ("0", "1")


def test_keyboard(show):
    page = show("en-de", IN_ORDER)
    page.keyboard.press("/")
    page.keyboard.type("haus")
    assert count_of(page) < 2037
    page.keyboard.press("Escape")
    assert count_of(page) == 2037
    page.focus("#grid")
    for key, expected in [("ArrowDown", 1), ("ArrowDown", 2), ("ArrowUp", 1), ("End", 2036)]:
        page.keyboard.press(key)
        active = page.get_attribute("#grid", "aria-activedescendant")
        assert page.get_attribute(f"#{active}", "data-segment") == str(expected)
    page.keyboard.press("Enter")
    assert page.inner_text("#segment-heading") == "Segment 2036"
    assert page.evaluate("document.activeElement.id") == "segment"
    page.keyboard.press("Escape")
    assert page.evaluate("document.activeElement.id") == "grid"
    mark = page.locator("#charts [role=button][tabindex='0']").first
    mark.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    assert 0 < count_of(page) < 2037
    assert page.locator("#chosen button").count() == 1


def test_the_docked_segment(show):
    page = show("en-zh", viewport={"width": 1400, "height": 500})
    page.select_option("#sort", "gap")
    order = numbers_of_rows(page)
    page.click("#grid-body .row >> nth=0")
    grid, dock = (page.locator(its).bounding_box() for its in ("#grid", "#segment"))
    assert grid["x"] + grid["width"] <= dock["x"]
    assert abs(grid["y"] - dock["y"]) < 1
    columns = page.locator("#segment .columns .column")
    left, right = (columns.nth(at).bounding_box() for at in (0, 1))
    assert left["x"] + left["width"] <= right["x"]
    page.focus("#segment-next")
    scrolled = page.evaluate("(document.querySelector('#segment').scrollTop = 30, scrollY)")
    places = "[scrollY, document.querySelector('#segment').scrollTop]"
    for key, at in (("ArrowRight", 1), ("ArrowRight", 2), ("ArrowLeft", 1), ("Enter", 2)):
        page.keyboard.press(key)
        assert page.inner_text("#segment-heading") == f"Segment {order[at]}"
        assert page.evaluate("document.activeElement.id") == "segment-next"
        assert page.evaluate(places) == [scrolled, 30]
    page.focus("#grid")
    page.keyboard.press("ArrowDown")
    assert page.inner_text("#segment-heading") == f"Segment {order[3]}"
    assert page.locator("#grid-body .current").get_attribute("data-segment") == str(order[3])


def test_rows_show_both_outputs_and_what_differs(show):
    same = " ".join(f"same{number}" for number in range(30))
    systems = {
        "one": [f"{same} a red cat sat on the mat", "alike", "x"],
        "other": [f"{same} a cat slept on the mat there", "alike", "y"],
    }
    references = [f"{same} the red cat slept on the mat", "alike", "y z"]
    page = show(fastbleu.report(systems, references, samples=0), "#sort=segment&descending=no")
    lines = page.eval_on_selector_all(
        "#grid-body .text:not(.hits)",
        """all => all.map(line => [line.classList[1], line.textContent,
            [...line.querySelectorAll('.own')].map(t => `${t.textContent} ${t.dataset.order}`)])""",
    )
    start = "… same27 same28 same29"
    assert lines[:4] == [
        ["a", f"{start} a red cat sat on the mat", ["red 2", "sat 0"]],
        ["b", f"{start} a cat slept on the mat there", ["slept 4", "there 0"]],
        ["a", "alike", []],
        ["b", "alike", []],
    ]


def test_the_order_is_by_the_share_of_the_difference(show):
    page = show("en-de")
    shares = page.eval_on_selector_all(
        "#grid-body .row", "all => all.map(row => parseFloat(row.children[1].textContent))"
    )
    assert shares == sorted(shares, reverse=True)
    assert shares[0] > 0
    assert "20 segments that count most explain" in page.inner_text("#explained")
    count = len(case("en-de")["references"])
    first = numbers_of_rows(page)[:10]
    # The same segments explain it the other way round.
    a, b = page.input_value("#system-a"), page.input_value("#system-b")
    page.evaluate(f"location.hash = 'a={b}&b={a}'")
    page.wait_for_function(f"document.querySelector('#system-a').value === '{b}'")
    assert numbers_of_rows(page)[:10] == first
    page.select_option("#sort", "share")
    page.uncheck("#descending")
    assert count_of(page) == count
    against = page.inner_text("#grid-body .row >> nth=0 >> .n >> nth=1")
    assert against.startswith("-")


def test_what_only_one_system_says_is_framed(show):
    systems = {
        "one": ["the red cat sat on the mat"],
        "other": ["the cat slept on the mat there"],
        "third": ["a cat"],
    }
    report = fastbleu.report(systems, ["the red cat slept on the mat"], samples=0)
    page = show(report, "#segment=0&a=0&b=1")
    tokens = page.eval_on_selector_all(
        "#segment .tok.own",
        "all => all.map(t => [t.textContent, getComputedStyle(t).outlineStyle])",
    )
    # Solid where a reference has it.
    assert [token for token, _ in tokens] == ["red", "sat", "slept", "there"]
    assert [style for _, style in tokens] == ["solid", "dashed", "solid", "dashed"]
    assert page.locator("#segment-others .tok").count() == 2


def test_hits_are_marked_where_they_are(show):
    page = show("en-de", viewport={"width": 1400, "height": 800})
    marked = "[...CSS.highlights.get('hit')].map(String)"
    page.fill("#query", "in der")
    assert {its.lower() for its in page.evaluate(marked)} == {"in der"}
    # In rows whose first text does not hold the words, the text that does is shown.
    texts = page.eval_on_selector_all("#grid-body .hits", "all => all.map(t => t.textContent)")
    assert all("in der" in its.lower() for its in texts)
    assert any(its.startswith(("reference: ", *case("en-de")["systems"])) for its in texts)
    page.click("#grid-body .row >> nth=3")
    # Across two tokens.
    inside = "[...CSS.highlights.get('hit')].filter(r => r.startContainer.parentElement"
    assert page.evaluate(f"{inside}.closest('.tok')).map(String)")
    page.fill("#query", "")
    assert page.evaluate("CSS.highlights.has('hit')") is False


def test_the_whole_state_is_in_the_address(show):
    page = show("en-de", viewport={"width": 1400, "height": 800})
    a = page.input_value("#system-a")
    page.select_option("#system-a", "2")
    page.select_option("#sort", "length")
    page.fill("#query", "der & die")
    page.fill("#query", "der")
    page.click("#by-document tbody tr:nth-child(3) button")
    page.fill("#query", "")
    page.locator("#charts svg[role=group]").first.locator("[role=button]").nth(4).click()
    page.click("#chosen button >> nth=1")
    page.fill("#query", "der")
    page.click("#grid-body .row >> nth=2")
    looks = """() => ['#count', '#chosen', '#verdict', '#segment-heading', '#grid-head']
        .map(its => document.querySelector(its).textContent)
        .concat(['#query', '#sort'].map(its => document.querySelector(its).value))"""
    there, address = page.evaluate(looks), page.evaluate("location.hash")
    again = show("en-de", address, viewport={"width": 1400, "height": 800})
    assert again.evaluate(looks) == there
    # Back takes back the last choices, one at a time.
    page.go_back()
    assert not page.is_visible("#segment")
    assert page.input_value("#query") == "der"
    page.go_back()
    assert page.locator("#chosen button").count() == 2
    for _ in range(8):
        if page.evaluate("location.hash") == "":
            break
        page.go_back()
    assert shown(page) == "2,037 segments"
    assert page.input_value("#system-a") == a
    assert page.input_value("#sort") == "share"


def test_a_phrase_in_the_address(show):
    page = show("en-de")
    page.click("#phrases summary")
    page.select_option("#words", "1")
    page.wait_for_selector("#phrase-tables table")
    page.click("#phrase-tables figure:nth-child(3) tbody button >> nth=0")
    again = show("en-de", page.evaluate("location.hash"))
    again.wait_for_selector("#chosen button")
    assert shown(again) == shown(page) != "2,037 segments"


def test_copying(show):
    page = show("en-zh", "#segment=3")
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])

    def copied(selector):
        page.click(selector)
        page.wait_for_selector(":text('Copied')")
        return page.evaluate("navigator.clipboard.readText()")

    assert copied("#copy-link") == page.url
    given = case("en-zh")
    text = copied("#segment-copy")
    lines = [its[3] for its in given["systems"].values()]
    assert all(line in text for line in [*given["references"][3], *lines])
    rows = copied("#overview .take >> nth=0 >> button >> nth=0").splitlines()
    table = [row.split("\t") for row in rows]
    assert {row[0] for row in table[1:]} == set(given["systems"])
    assert len({len(row) for row in table}) == 1
    latex = copied("#overview .take >> nth=0 >> button >> nth=1")
    assert latex.startswith("% Signature: nrefs")
    assert latex.count(r"\\") == len(table)
    # The line between groups that the comment promises.
    groups = page.locator("#systems tr.cut").count()
    assert groups > 0
    assert latex.count(r"\midrule") == 1 + groups
    name = table[1][0].replace("_", r"\_")
    assert f"\n{name} & {table[1][1]} & " in latex
    assert r" \% & " in latex


def test_scrolling_shows_no_blank_rows(show):
    page = show("en-de")
    for top in (100, 5000, 56000, 30000, 0):
        page.evaluate(f"document.querySelector('#grid').scrollTop = {top}")
        page.evaluate(
            "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"
        )
        assert page.evaluate(
            """() => {
              const grid = document.querySelector('#grid').getBoundingClientRect();
              for (let y = grid.top + 40; y < grid.bottom - 20; y += 40) {
                const all = [...document.querySelectorAll('#grid-body .row')];
                const rows = all.map(r => r.getBoundingClientRect());
                if (!rows.some(r => r.top <= y && r.bottom >= y)) return false;
              }
              return true;
            }"""
        )
    assert page.locator("#grid-body .row").count() < 100
    assert page.get_attribute("#grid", "aria-rowcount") == "2038"


def test_export(show):
    given, page = case("en-zh"), show("en-zh")
    page.fill("#query", "的")
    with page.expect_download() as download:
        page.click("#export-csv")
    text = download.value.path().read_bytes().decode("utf-8-sig")
    assert download.value.path().read_bytes().startswith("\ufeff".encode())  # for Excel
    head, *rows = csv.reader(io.StringIO(text, newline=""))
    assert len(rows) == count_of(page)
    systems = list(given["systems"])
    scores = scores_of(given)
    for row in (dict(zip(head, cells, strict=True)) for cells in rows):
        s = int(row["segment"])
        for name, its in zip(systems, scores, strict=True):
            assert float(row[f"score {name}"]) == its[s]
            assert row[name].removeprefix("'") == given["systems"][name][s]


def test_formulas_are_no_formulas_in_a_spreadsheet(show):
    page = show(fastbleu.report({"a": ["=1+1", "@x"]}, ["+1", "-1"], samples=0))
    with page.expect_download() as download:
        page.click("#export-csv")
    assert '"=' not in download.value.path().read_text()


@pytest.mark.parametrize("name", ["en-zh", "right-to-left", "hostile"])
def test_print(show, name):
    # As wide as A4 without its margins.
    page = show(name, "#segment=0", viewport={"width": 718, "height": 1000})
    page.emulate_media(media="print")
    for selector in ("nav", "#filters", "#answer", "#export-csv", "#segment header button"):
        assert not page.is_visible(selector)
    for visible in ("#systems", "#compare", "#charts svg >> nth=1", "#segment"):
        assert page.is_visible(visible)
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    rows = page.locator("#grid-body .row")
    assert rows.count() == min(20, len(case(name)["references"]))
    # Collapsed tables are open on paper, and only there.
    assert page.locator("details:not([open], #phrases)").count() == 0
    tops = page.eval_on_selector_all("#grid-body .row", "all => all.map(r => r.offsetTop)")
    assert tops == sorted(set(tops))
    assert page.evaluate("document.documentElement.scrollWidth") == 718
    cut = "all => all.filter(its => its.scrollWidth > its.clientWidth + 1).length"
    assert page.eval_on_selector_all("#grid, .scroll, .row > *, .text", cut) == 0
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert page.locator("#all-pairs:not([open])").count() == 1


def test_printed_text(show):
    """The text of the PDF: what buttons say, whole texts, and how many segments are on paper."""
    pypdf = pytest.importorskip("pypdf", reason="needs pypdf: make test-report")
    words = [f"word{number}" for number in range(40)]
    systems, references = wmt22_systems("en-de", 500)
    systems |= {f"system {k}": systems["Online-B"] for k in range(9)}
    documents = [f"document {number // 100}" for number in range(len(references))]
    sources = [" ".join(words)] * len(references)
    report = fastbleu.report(systems, references, sources=sources, documents=documents)
    page = show(report, viewport={"width": 718, "height": 1000})
    page.click("#phrases summary")
    page.wait_for_selector("#phrase-tables table")
    ngram = page.inner_text("#phrase-tables tbody button >> nth=0")

    def printed():
        pages = pypdf.PdfReader(io.BytesIO(page.pdf(format="A4"))).pages
        return " ".join(" ".join(page.extract_text() for page in pages).split())

    text = printed()
    for expected in ("20 of 500 segments", "document 4", f"{ngram} ", "B − A", *words):
        assert expected in text
    assert text.count(words[-1]) == 20
    # The whole outputs of the segments that explain most.
    first = numbers_of_rows(page)[:10]
    assert len(first) == 10
    names = (page.inner_text(f"#system-{its} option:checked") for its in "ab")
    squeezed = unicodedata.normalize("NFKC", "".join(text.split()))  # without ligatures
    for name in names:
        outputs = ["".join(systems[name][s].split()) for s in first]
        assert [output for output in outputs if output not in squeezed] == []
    assert shown(page) == "500 segments"
    page.emulate_media(media="print")
    assert page.evaluate("document.documentElement.scrollWidth") == 718
    # Of twelve systems A and B, which have no share of no difference: #, A, B, B - A, texts.
    # Numbers are on one line.
    assert page.locator("#grid-head .row > :visible").count() == 5
    heights = page.eval_on_selector_all("#grid-body .n", "all => all.map(its => its.clientHeight)")
    assert max(heights) < 20
    rows = [
        page.eval_on_selector_all(
            f"#by-document {part} tr:first-child > *",
            "all => all.map(its => Math.round(its.getBoundingClientRect().right))",
        )
        for part in ("thead", "tbody")
    ]
    assert rows[0] == rows[1]
    page.emulate_media(media="null")
    page.click("#by-document tbody tr:first-child button")
    assert "20 of 100 of 500 segments" in printed()
    assert not re.search(r"document \d ×", printed())


# The page of en-zh has all parts; those of other languages have the same.
@pytest.mark.parametrize("name", ["en-zh", "right-to-left", "hostile"])
def test_accessibility(show, axe, name):
    page = show(name, "#segment=2")
    page.eval_on_selector_all("details", "all => all.forEach(its => { its.open = true; })")
    page.wait_for_selector("#phrase-tables table")
    assert axe(page) == []
    page.emulate_media(color_scheme="dark")
    assert axe(page) == []
    page.set_viewport_size({"width": 390, "height": 800})
    assert axe(page) == []
    page.emulate_media(color_scheme="light")
    assert axe(page) == []
    page.emulate_media(media="print")
    assert axe(page) == []


def colors(page, selector, name):
    """Red, green and blue of an element's color, 0-255."""
    color = page.eval_on_selector(selector, f"its => getComputedStyle(its).{name}")
    return [int(its) for its in re.findall(r"\d+", color)[:3]]


def test_a_and_b_differ_in_grey_in_light_and_dark_mode(show):
    page, paper = show("en-de", color_scheme="light"), []
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        paper.append(sum(colors(page, "body", "backgroundColor")))
        luminance = []
        for its in "ab":
            channels = [c / 255 for c in colors(page, f"#charts svg rect.{its}", "fill")]
            linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
            luminance.append(0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2])
        assert (max(luminance) + 0.05) / (min(luminance) + 0.05) >= 1.6
    assert paper[0] > 700
    assert paper[1] < 150
    legends = page.eval_on_selector_all("#charts svg", "all => all.map(s => s.textContent)")
    assert legends
    assert all("■" in text for text in legends)


def test_nothing_is_covered_on_a_telephone(show):
    page = show("en-de", viewport={"width": 390, "height": 800}, has_touch=True)
    page.click("#where summary")
    page.evaluate("document.querySelector('#charts').scrollIntoView()")
    covered = """() => [...document.querySelectorAll('h2, th, label, figcaption')].filter(its => {
      const box = its.getBoundingClientRect();
      if (box.bottom <= 0 || box.top < 0 || box.bottom > innerHeight || !box.width) return false;
      const top = document.elementFromPoint(box.left + 2, box.top + box.height / 2);
      return top && !its.contains(top) && !top.contains(its);
    }).length"""
    assert page.evaluate(covered) == 0


def test_a_telephone_shows_the_verdict_the_systems_and_the_segments(show):
    page = show("en-de", viewport={"width": 390, "height": 800}, has_touch=True)
    for selector in ("#verdict", "#systems", "#grid", "#by-document"):
        assert page.is_visible(selector)
    for selector in ("#charts", "#matrix", "#pairs", "#phrase-tables", "#systems .detail >> nth=0"):
        assert not page.is_visible(selector)
    box = "its => [its.scrollWidth, its.clientWidth]"
    for selector in ("#overview .scroll >> nth=0", "#grid", "#buckets .scroll >> nth=0"):
        width, shown_width = page.locator(selector).evaluate(box)
        assert width == shown_width
    # Of each row the first lines of both outputs; the numbers on one line above them.
    boxes = """row => ['.n', '.text.hits', '.text.a', '.text.b'].map(
      its => row.querySelector(its).getBoundingClientRect()).map(b => [b.top, b.bottom, b.right])"""
    row = page.locator("#grid-body .row >> nth=1")
    bounds, row_box = row.evaluate(boxes), row.bounding_box()
    assert all(above[1] <= below[0] + 1 for above, below in itertools.pairwise(bounds))
    assert bounds[-1][1] <= row_box["y"] + row_box["height"]
    assert max(right for _, _, right in bounds) <= 390
    page.click("#grid-body .row >> nth=1")
    assert page.is_visible("#segment")


def test_likely_mistakes_and_long_ids_fit_on_a_telephone(show):
    references = [f"the cat's number {number} sat on the mat" for number in range(40)]
    escaped = [text.replace("'", "&#39;") for text in references]
    systems = {"Transformer-Big": escaped, "other": [text[4:] for text in escaped]}
    ids = [f"newstest2022.en-de.document-{number}:segment-{number}" for number in range(40)]
    report = fastbleu.report(systems, references, ids=ids, samples=0, dialects=False)
    page = show(report, viewport={"width": 390, "height": 800}, has_touch=True)
    for part in (page.locator(".scroll:has(#findings)"), page.locator("#grid")):
        assert part.evaluate("its => its.scrollWidth <= its.clientWidth")
    assert page.locator("#findings td").last.bounding_box()["width"] > 300
    # Names are not split.
    lines = """its => {
      const all = document.createRange();
      all.selectNodeContents(its.firstChild);
      return all.getClientRects().length;
    }"""
    assert page.locator("#systems th[title=Transformer-Big]").evaluate(lines) == 1
    row = page.locator("#grid-body .row >> nth=0")
    assert ids[int(row.get_attribute("data-segment"))] in row.inner_text()
    next_row = page.locator("#grid-body .row >> nth=1").bounding_box()
    bottom = row.locator(".text").last.bounding_box()
    assert bottom["y"] + bottom["height"] <= next_row["y"]


def test_no_width_and_no_name_makes_the_page_scroll_sideways(show):
    systems = {letter * 150: ["a text"] for letter in "abc"}
    long_names = fastbleu.report(systems, ["a text"], samples=0)
    for report, fragment, widths in (
        ("en-zh", "#segment=3", (320, 700)),
        (long_names, "#segment=0", (390, 1280)),
    ):
        for width in widths:
            page = show(report, fragment, viewport={"width": width, "height": 700})
            assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_the_theme_can_be_switched(show):
    page = show("right-to-left", color_scheme="light")
    lightness = []
    for _ in range(3):
        lightness.append(sum(colors(page, "body", "backgroundColor")))
        page.click("#theme")
    assert lightness[0] == lightness[2] > 700 > 150 > lightness[1]


def test_without_scripts_there_is_an_overview(browser, report_file):
    with browser.new_context(java_script_enabled=False) as context:
        page = context.new_page()
        page.goto(report_file("en-de").as_uri())
        assert page.is_visible("#verdict")
        assert page.is_visible("#systems")
        assert "scripts cannot run" in page.inner_text("#unscripted")
        for selector in ("#segments", "#where", "#ngrams", "#compare"):
            assert not page.is_visible(selector)
    with browser.new_context() as context:  # a frame in a page that forbids scripts
        page = context.new_page()
        text = report_file("en-de").read_text(encoding="utf-8")
        policy = "script-src 'none'"
        page.set_content(f'<meta http-equiv="Content-Security-Policy" content="{policy}"><p>page')
        page.evaluate(
            "text => { const f = document.createElement('iframe'); f.srcdoc = text; "
            "document.body.append(f); }",
            text,
        )
        frame = page.wait_for_selector("iframe").content_frame()
        frame.wait_for_selector("#unscripted")
        assert frame.is_visible("#systems")
        assert not frame.is_visible("#grid")


def test_directions(show):
    page = show("right-to-left", "#segment=2")
    for selector, direction in (("#segment dd > .text", "rtl"), ("body", "ltr")):
        style = "its => getComputedStyle(its).direction"
        assert page.eval_on_selector(selector, style) == direction


def test_hostile_texts_are_texts(show):
    page = show("hostile")
    for s, text in enumerate(ATTACKS):
        page.evaluate(f"location.hash = 'segment={s}'")
        page.wait_for_function(
            f"document.querySelector('#segment-heading')?.innerText.startsWith('Segment {s} ')"
        )
        if text.isprintable() and text.isascii():
            assert text in page.evaluate("document.querySelector('#segment').textContent")
    assert page.evaluate("window.attacked") is None
    tags = "body img, #segment script, #segment style, #segment b, #grid b"
    assert page.locator(tags).count() == 0
    assert page.locator("script").count() == 1
    assert page.evaluate("document.title").startswith(ATTACKS[1])
    assert page.locator("#segment .tok[data-order]").count() > 20_000 - 10  # the last text
