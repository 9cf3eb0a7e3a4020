"""`Report.show` in JupyterLab and in nbconvert's HTML: a frame without an address."""

import json
import os
import re
import subprocess
import sys
import time

import pytest
from report_samples import make_report

pytest.importorskip("jupyterlab", reason="needs JupyterLab: make test-report")
nbconvert, nbformat = map(pytest.importorskip, ("nbconvert", "nbformat"))

pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture(scope="module")
def notebook(tmp_path_factory):
    """The file of a notebook that shows a report."""
    output = nbformat.v4.new_output("display_data", {"text/html": make_report("en-zh").show().data})
    cell = nbformat.v4.new_code_cell("report.show()", outputs=[output])
    path = tmp_path_factory.mktemp("notebook") / "report.ipynb"
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3"}}
    nbformat.write(nbformat.v4.new_notebook(cells=[cell], metadata=kernel), path)
    return path


@pytest.fixture(scope="module")
def converted(notebook):
    """The address of the notebook's page by nbconvert."""
    path = notebook.with_suffix(".html")
    path.write_text(nbconvert.HTMLExporter().from_filename(notebook)[0], encoding="utf-8")
    return path.as_uri()


@pytest.fixture(scope="module")
def in_jupyterlab(notebook):
    """The notebook's address in a running JupyterLab."""
    folder = notebook.parent
    kinds = "CONFIG", "DATA", "RUNTIME"
    environment = os.environ | {f"JUPYTER_{kind}_DIR": str(folder / kind) for kind in kinds}
    # JupyterLab removes frames from notebooks that are not trusted.
    python = [sys.executable, "-m"]
    subprocess.run([*python, "jupyter", "trust", notebook], env=environment, check=True)
    options = "--no-browser", "--allow-root", "--port=0", "--IdentityProvider.token="
    with (folder / "log").open("w") as log:
        server = subprocess.Popen(
            [*python, "jupyterlab", *options], cwd=folder, env=environment, stderr=log
        )
        try:
            end = time.monotonic() + 60
            while not (found := [*(folder / "RUNTIME").glob("jpserver-*.json")]):
                assert server.poll() is None, (folder / "log").read_text()
                assert time.monotonic() < end, (folder / "log").read_text()
                time.sleep(0.1)
            yield f"{json.loads(found[0].read_text())['url']}lab/tree/{notebook.name}"
        finally:
            server.terminate()
            server.wait(30)


@pytest.mark.parametrize("host", ["converted", "in_jupyterlab"])
def test_nothing_leaves_the_frame(browser, request, host):
    address = request.getfixturevalue(host)
    with browser.new_context(viewport={"width": 1200, "height": 900}) as context:
        page = context.new_page()
        page.set_default_timeout(30_000)
        # nbconvert's pages ask for scripts of MathJax.
        page.route(re.compile("https?://(?!localhost)"), lambda its: its.abort())
        page.goto(address)
        frame = page.wait_for_selector("iframe[srcdoc]").content_frame()
        frame.wait_for_selector("html[data-ready=yes]")
        address, problems = page.url, []
        page.on("pageerror", lambda error: problems.append(error.message))
        for link in frame.locator("nav a, a.skip").all():
            target = link.get_attribute("href")
            link.evaluate("link => link.click()")
            top = frame.locator(target).evaluate("its => its.getBoundingClientRect().top")
            end = frame.evaluate("scrollY + innerHeight >= document.body.scrollHeight - 1")
            assert -1 <= top < 200 or end
            assert frame.evaluate("document.activeElement.id") == target[1:]
        rows = frame.locator("#grid-body .row")
        first, second = (rows.nth(at).get_attribute("data-segment") for at in (2, 3))
        rows.nth(2).click()
        assert frame.inner_text("#segment-heading") == f"Segment {first}"
        assert frame.locator("#segment header a").count() == 0
        frame.click("#segment >> text=Next")
        assert frame.inner_text("#segment-heading") == f"Segment {second}"
        frame.click("#segment >> text=Close")
        assert not frame.is_visible("#segment")
        assert (frame.url, page.url, problems) == ("about:srcdoc", address, [])


@pytest.mark.parametrize("color", ["rgb(17, 17, 17)", "white"])
def test_the_page_is_as_dark_as_the_page_around_it(browser, color):
    with browser.new_context(color_scheme="light") as context:
        page = context.new_page()
        page.set_content(f"<body style='background: {color}'>{make_report('en-zh').show().data}")
        frame = page.wait_for_selector("iframe[srcdoc]").content_frame()
        frame.wait_for_selector("html[data-ready=yes]")
        background = frame.evaluate("getComputedStyle(document.body).backgroundColor")
        red = int(re.search(r"\d+", background)[0])
        assert (red > 200) == (color == "white")
