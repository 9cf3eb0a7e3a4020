"""The trust gate's registry of entry points is complete, and works."""

from __future__ import annotations

import re
import warnings

import pytest
from trust.entry_points import ALL_ENTRIES, ENTRIES, plain, public_names

each_entry = pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.name)


def test_every_public_name_is_an_entry_point():
    named = {entry.public_name for entry in ALL_ENTRIES}
    public = set(public_names())
    assert len(public) > 100
    assert public - named == set(), "public, but not in the registry"
    assert named - public == set(), "in the registry, but not public"
    assert len({entry.name for entry in ALL_ENTRIES}) == len(ALL_ENTRIES)


def failed(call, state):
    """The type and text of the exception of a call, without the names of temporary files."""
    try:
        call(state)
    except SystemError:
        raise
    except Exception as error:
        return type(error), re.sub(r"\.[0-9a-f]{16}\.", "", str(error))
    raise AssertionError("the call succeeded")


@each_entry
def test_calls_and_errors_are_the_same_each_time(entry):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        state = entry.setup()
        first = plain(entry.call(state))
        for error in entry.errors:
            assert failed(error, state) == failed(error, state)
            assert plain(entry.call(state)) == first
