"""Builds the documentation: `make docs`."""

import re
import sys
from pathlib import Path
from unittest.mock import MagicMock

from fastbleu import __version__

project = "fastbleu"
author = "The fastbleu authors"
copyright = "the fastbleu authors"
version = release = __version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx_copybutton",
]
exclude_patterns = ["_build", "conf.py"]
source_suffix = {".md": "markdown"}

default_role = "py:obj"  # a name in a docstring is a link if the reference has it

myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 3
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True


class Host(MagicMock):
    """Stands for a host, which would need gigabytes: bases are `object`, decorators do nothing."""

    Metric = MetricBLEU = object

    @staticmethod
    def register(*_, **__):
        return lambda decorated: decorated

    register_keras_serializable = register

    @staticmethod
    def sync_all_reduce(*_, **__):
        return lambda decorated: decorated

    @staticmethod
    def reinit__is_reduced(decorated):
        return decorated


HOSTS = """keras keras.src.backend.common.symbolic_scope mbrs.metrics torch torchmetrics
torcheval.metrics ignite.exceptions ignite.metrics.metric"""
for name in HOSTS.split():
    for end in (place.end() for place in re.finditer(r"\w+(?=\.|$)", name)):
        sys.modules.setdefault(name[:end], Host())
autodoc_typehints = "none"  # the docstrings have the types
autodoc_member_order = "bysource"
autodoc_default_options = {"members": True}
napoleon_numpy_docstring = True
napoleon_google_docstring = False
napoleon_use_rtype = False
napoleon_use_ivar = True

# Annotations say BLEU where several modules have a class of that name.
suppress_warnings = ["ref.python"]

html_theme = "furo"
html_theme_options = {
    "source_repository": "https://github.com/pyfastbleu/fastbleu/",
    "source_branch": "main",
    "source_directory": "docs/",
}
html_title = f"fastbleu {release}"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sphinx = False

linkcheck_timeout = 20

# GitHub shows the pages as they are, so that these are not in them: the navigation of the site, and
# links to pages that hold a file of the repository's root.
CONTENTS = {
    "index": {
        "Start": "quickstart guides/coming-from faq",
        "Tasks": """guides/command guides/training guides/rl-rewards guides/matrix
            guides/significance report guides/plots guides/paper guides/tables guides/engines
            guides/patching""",
        "Background": "why-numbers-differ how-it-works differences promises support",
        "Reference": "reference/index changelog contributing architecture core releasing",
    },
    "reference/index": {
        "": """conventions metric dialects diagnosis matrix significance tables report nltk
            sacrebleu integrations tokenizers""",
    },
}
DOCS = Path(__file__).resolve().parent
ROOT = DOCS.parent
REPOSITORY = "https://github.com/pyfastbleu/fastbleu/blob/main"
PAGES = {
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
    "DIFFERENCES.md": "differences.md",
    "RELEASING.md": "releasing.md",
    "SECURITY.md": "promises.md",
    "SUPPORT.md": "support.md",
}
INCLUDED = re.compile(r"^```{include} \.\./(\w+\.md)\n```$", re.MULTILINE)
LINK = re.compile(r"\]\((?!\w+:|#)([^)#]+)")


def read_page(app, docname, source):
    """Add what GitHub does not show; let links lead to pages of the site, or to the repository."""
    folder = (DOCS / docname).parent

    def content(found):
        nonlocal folder
        folder = ROOT
        app.env.note_dependency(ROOT / found[1])
        return (ROOT / found[1]).read_text(encoding="utf-8")

    def link(found):
        path = (folder / found[1]).resolve().relative_to(ROOT).as_posix()
        if path in PAGES:
            return f"](/{PAGES[path]}"
        if path.startswith("docs/"):
            return f"](/{path.removeprefix('docs/')}"
        return f"]({REPOSITORY}/{path}"

    text = LINK.sub(link, INCLUDED.sub(content, source[0]))
    for caption, pages in CONTENTS.get(docname, {}).items():
        options = [":hidden:", *([f":caption: {caption}"] if caption else [])]
        text += "\n".join(["", "```{toctree}", *options, "", *pages.split(), "```", ""])
    source[0] = text


def setup(app):
    app.connect("source-read", read_page)
