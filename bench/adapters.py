"""What an adapter is: one library and one way of calling it.

An adapter imports its library and returns what is timed, ``run(hypotheses, references)``, or a
`Prepared` run. It raises `ImportError` or `NotAvailable` where the library is not there.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

Run = Callable[..., object]


class NotAvailable(Exception):
    """A library, compiler or amount of memory that a case needs is missing here."""


@dataclass(frozen=True)
class Prepared:
    """A run with something before it that is not timed.

    Parameters
    ----------
    prepare
        Hypotheses and references -> what `run` gets: another layout, or the same after something
        was forgotten that a new text would not find remembered.
    run
        What is timed.
    """

    prepare: Callable[[list, list], tuple]
    run: Run


Adapter = Callable[[], Run | Prepared]
