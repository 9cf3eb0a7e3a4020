"""Reports in a real Chromium. Every page that a test opens must be quiet and ask for nothing.

They need Playwright, a chromium and axe-core: `make test-report` brings them.
"""

import os
import shutil
from pathlib import Path

import pytest
from report_samples import make_report

sync_api = pytest.importorskip("playwright.sync_api", reason="needs playwright: make test-report")

CHROMIUM = os.environ.get("CHROMIUM") or shutil.which("chromium")
AXE = Path(__file__).resolve().parents[3] / "build/axe/node_modules/axe-core/axe.min.js"
OPTIONS = [
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
]


@pytest.fixture(scope="session")
def browser():
    if not CHROMIUM:
        pytest.fail("there is no chromium; make test-report installs it")
    with sync_api.sync_playwright() as playwright:
        # Playwright gives each start a new folder for the user's data.
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=OPTIONS, headless=True)
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def report_file(tmp_path_factory):
    """The file of a report: of a case by name, made once, or of a report."""
    folder, made = tmp_path_factory.mktemp("reports"), {}

    def path_of(report):
        key = report if isinstance(report, str) else id(report)
        if key not in made:
            made[key] = folder / f"{len(made)}.html", report
            (make_report(report) if isinstance(report, str) else report).save(made[key][0])
        return made[key][0]

    return path_of


@pytest.fixture
def show(browser, report_file):
    """Opens a report; in the end no page may have complained or asked for anything."""
    pages, problems = [], []

    def show(report, fragment="", **options):
        path = report_file(report)
        context = browser.new_context(accept_downloads=True, **options)
        page = context.new_page()
        page.set_default_timeout(20_000)
        page.on("console", lambda message: problems.append(f"console: {message.text}"))
        page.on("pageerror", lambda error: problems.append(f"error: {error}"))

        def asked(request):
            own = request.url.split("#")[0] == path.as_uri()
            if not own and not request.url.startswith("blob:"):
                problems.append(f"request: {request.url}")

        page.on("request", asked)
        page.goto(f"{path.as_uri()}{fragment}")
        page.wait_for_selector("html[data-ready=yes]")
        pages.append(context)
        return page

    yield show
    for context in pages:
        context.close()
    assert problems == []


# Of what passes, which is most of a page, nothing is described.
VIOLATIONS = """
axe.run({resultTypes: ["violations"]}).then(
  found => found.violations.map(it => [it.id, it.nodes[0].html.slice(0, 200)]))
"""


@pytest.fixture
def axe():
    """The findings of axe-core on a page."""
    if not AXE.exists():
        pytest.fail("there is no axe-core; make test-report installs it")

    def findings(page):
        page.evaluate(AXE.read_text(encoding="utf-8"))
        return page.evaluate(VIOLATIONS)

    return findings
