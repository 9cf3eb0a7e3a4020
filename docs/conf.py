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
autodoc_typehints = "signature"
autodoc_member_order = "bysource"
autodoc_default_options = {"members": True}
napoleon_numpy_docstring = True
napoleon_google_docstring = False
napoleon_use_rtype = False
napoleon_use_ivar = True

# Annotations say BLEU where several modules have a class of that name.
suppress_warnings = ["ref.python"]

html_theme = "furo"
html_title = f"fastbleu {release}"
html_copy_source = False
html_show_sphinx = False

linkcheck_timeout = 20

# Pages that are files of the repository's root: their links lead to pages, or to the repository.
ROOT = Path(__file__).resolve().parent.parent
REPOSITORY = "https://github.com/pyfastbleu/fastbleu/blob/main"
PAGES = {
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
    "DIFFERENCES.md": "differences.md",
    "RELEASING.md": "releasing.md",
    "SECURITY.md": "promises.md",
}
INCLUDED = re.compile(r"^```{include} \.\./(\w+\.md)\n```$", re.MULTILINE)
LINK = re.compile(r"\]\((?!\w+:|#)([^)]+)\)")


def read_root_file(app, docname, source):
    """Put a file of the root in place of its `{include}`."""

    def content(found):
        path = ROOT / found[1]
        app.env.note_dependency(path)
        return LINK.sub(
            lambda link: f"]({PAGES.get(link[1], f'{REPOSITORY}/{link[1]}')})",
            path.read_text(encoding="utf-8"),
        )

    source[0] = INCLUDED.sub(content, source[0])


def setup(app):
    app.connect("source-read", read_root_file)
