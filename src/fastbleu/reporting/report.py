"""`fastbleu.report`: a report that shows where systems are good or bad."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from html import escape
from shutil import copymode
from typing import TYPE_CHECKING, Any, Literal

from ..core.inputs.arguments import a_type, check_choice, check_integer, number_of
from ..core.inputs.errors import InputError, InputTypeError
from ..core.metric.argument import as_metric
from ..plots.text import Table, Tables
from ..significance.resampling import check_seed
from .document import make_document, make_markdown, overview_tables, verdict_of
from .overview import Overview, make_overview
from .report_input import Segments

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import BinaryIO

    from ..core.inputs.types import Hypotheses, References
    from ..core.metric.argument import Metric
    from ..core.scoring.score import Score

    FilePath = str | bytes | os.PathLike[Any]

_FRAME_HEIGHT = 600  # of the page in a notebook, in pixels
_MOST_NAMES = 4  # in a heading
_SUFFIXES = "", ".html", ".htm", ".md"
# Windows would change line ends without it.
_BINARY = getattr(os, "O_BINARY", 0)


class Report(Tables):
    """A report on systems, returned by `fastbleu.report`. It prints as tables, in notebooks too.

    Attributes
    ----------
    scores : dict of str to Score
        The score of each system.
    """

    __module__ = "fastbleu"

    def __init__(self, overview: Overview, title: str) -> None:
        self._overview, self._title = overview, title
        scores = [system.score for system in overview.systems]
        self.scores: dict[str, Score] = dict(zip(overview.segments.names, scores, strict=True))

    def html(self) -> str:
        """The report as a self-contained HTML page.

        Raises
        ------
        ImportError
            Jinja2 is not installed.
        """
        return make_document(self._overview, self._title)

    def markdown(self, examples: int = 5) -> str:
        """The overview as Markdown, with `examples` of the worst and of the best segments.

        With several systems, these are the segments in which B loses and gains most compared with
        A. A is the first of two systems, or of three or more the second best, and B the best.
        """
        return make_markdown(self._overview, self._title, examples)

    def save(self, path: FilePath, format: Literal["html", "md"] | None = None) -> None:
        """Write the report to a file; after an error an existing file is unchanged.

        Parameters
        ----------
        path : path
        format : {"html", "md"}, optional
            By default, Markdown for names that end in ``.md``, and HTML for ``.html``, ``.htm``
            and names without a suffix.

        Raises
        ------
        ValueError
            The name ends in another suffix, and there is no `format`.
        OSError
            The file cannot be written.
        """
        if format is None:
            suffix = os.path.splitext(os.fsdecode(path))[1].lower()
            if suffix not in _SUFFIXES:
                expected = "expected .html or .md; or pass format"
                raise ValueError(f"path ends in {suffix}, {expected}")
            format = "md" if suffix == ".md" else "html"
        check_choice("format", format, ("html", "md"))
        text = self.markdown() if format == "md" else self.html()
        with _replacing(path) as file:
            file.write(text.encode("utf-8", "replace"))

    def show(self) -> Any:
        """The page in a frame, for a notebook.

        Raises
        ------
        ImportError
            IPython or Jinja2 is not installed.
        """
        from IPython.display import HTML

        shape = f'width="100%" height="{_FRAME_HEIGHT}" style="border: 1px solid; resize: vertical"'
        frame = f'<iframe {shape} srcdoc="{escape(self.html())}">'
        # In a div, because IPython warns about bare frames, which usually have an address.
        return HTML(f"<div>{frame}</iframe></div>")

    def _tables(self) -> list[Table]:
        return overview_tables(self._overview)

    def _sentences(self) -> list[str]:
        return verdict_of(self._overview)

    def __repr__(self) -> str:
        scores = ", ".join([f"{name}: {score.value:.4g}" for name, score in self.scores.items()])
        return f"<Report on {number_of(len(self._overview.segments), 'segment')}, {scores}>"


def report(
    systems: Mapping[str, Hypotheses],
    references: References,
    *,
    sources: Sequence[str] | None = None,
    ids: Sequence[object] | None = None,
    documents: Sequence[object] | None = None,
    groups: Sequence[object] | None = None,
    metric: Metric | None = None,
    title: str | None = None,
    samples: int = 1000,
    seed: int | None = 12345,
    dialects: bool | None = None,
    progress: bool = False,
) -> Report:
    """A report that shows where systems are good or bad, and how they differ.

    For the columns of a table, use `fastbleu.tables.report`.

    Parameters
    ----------
    systems : mapping of hypotheses by name
        S str each, or S lists of tokens for ``metric=BLEU(tokenize=False)``.
    references : sequence of S str or of S sequences of str
        As for `fastbleu.BLEU.score`.
    sources, ids, documents, groups : sequence of S values, optional
        The source texts; the names of the segments; the document and the group, such as a
        domain, of each segment.
    metric : BLEU or str, optional
        The BLEU to compute, or the name of a dialect; by default ``fastbleu.BLEU()``.
    title : str, optional
        The heading; by default it names the systems.
    samples : int, default 1000
        Bootstrap samples for intervals; 0 for no intervals and no tests. The tests are those of
        `fastbleu.significance.compare`, corrected for all pairs.
    seed : int or None, default 12345
        An integer from 0; None for a new one each time.
    dialects : bool, optional
        Whether to add the scores by every dialect. By default, only if there are at most 20,000
        hypotheses.
    progress : bool, default False
        Show progress bars of the intervals and tests on standard error.

    Returns
    -------
    Report
        With ``save(path)``, ``html()``, ``markdown()`` and ``show()`` for notebooks.

    Raises
    ------
    TypeError, ValueError
        As for `fastbleu.BLEU.score`; the message names the system. Or an argument has the
        wrong type or length.

    Examples
    --------
    >>> found = report(
    ...     {"a": ["The cat sat on a mat."], "b": ["A cat sat."]},
    ...     ["The cat sat on the mat."],
    ...     dialects=False,
    ... )
    >>> round(found.scores["a"].value, 2)
    48.89
    >>> found.markdown().splitlines()[0]
    '# a, b'
    """
    metric = as_metric(metric)
    samples = check_integer("samples", samples, 0)
    seed = check_seed(seed)
    if not isinstance(systems, Mapping):
        expected = "expected hypotheses by name: {'new': hypotheses}"
        raise InputTypeError(f"systems is {a_type(systems)}, {expected}")
    if not systems:
        raise InputError("systems is empty: there is nothing to report on")
    if references is None:
        raise InputTypeError("references is missing: pass one str, or a list of str, per segment")
    labels = {"sources": sources, "ids": ids, "documents": documents, "groups": groups}
    segments = Segments(systems, references, metric, **labels)
    names = segments.shown_names
    heading = title or (", ".join(names) if len(names) <= _MOST_NAMES else f"{len(names)} systems")
    return Report(make_overview(segments, samples, seed, dialects, progress), heading)


def target_of(path: FilePath) -> str:
    """The file that is written for a path, which may be a link; OSErrors say why it cannot be."""
    target = os.path.realpath(os.fsdecode(path))
    folder = os.path.dirname(target)
    if os.path.isdir(target):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    if not os.path.isdir(folder):
        raise FileNotFoundError(errno.ENOENT, "its directory does not exist: create it first")
    if os.path.exists(target) and not os.path.isfile(target):
        # A device or a pipe would be replaced by the file.
        raise OSError(errno.EINVAL, "it is not a regular file")
    if not os.access(folder, os.W_OK):
        raise PermissionError(errno.EACCES, f"no permission to write in {folder}")
    return target


@contextmanager
def _replacing(path: FilePath) -> Iterator[BinaryIO]:
    """Open a file for writing that replaces `path` once it is complete and closed.

    Until then, and after any error, `path` stays unchanged. It keeps its permissions. OSErrors name
    `path`.
    """
    try:
        target = target_of(path)
        temporary = os.path.join(os.path.dirname(target), f".{os.urandom(8).hex()}.fastbleu")
        try:
            descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _BINARY, 0o666)
            with os.fdopen(descriptor, "wb") as file:
                with suppress(FileNotFoundError):
                    copymode(target, temporary)
                yield file
                file.flush()
                os.fsync(file.fileno())
            os.replace(temporary, target)
        except BaseException:
            with suppress(OSError):
                os.unlink(temporary)
            raise
    except OSError as error:
        if error.errno is None:
            raise
        # The error may name the temporary file, which the caller does not know.
        raise OSError(error.errno, error.strerror, os.fsdecode(path)) from error
