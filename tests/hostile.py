"""Hostile tokens and sequences, and the entries to fastbleu that have to live with them."""

import os

import pytest

import fastbleu

REFERENCES = [["a", "b", "c"], ["a", "c"]]


def sentence(hypothesis, references):
    return fastbleu.sentence_bleu(references, hypothesis)


def corpus(hypothesis, references):
    return fastbleu.corpus_bleu([REFERENCES, references], [["a"], hypothesis])


def rows(hypothesis, references):
    return fastbleu.count([["a"], hypothesis], [REFERENCES, references])


def rows_in_threads(hypothesis, references):
    return fastbleu.count([["a"], hypothesis] * 3, [REFERENCES, references] * 3, threads=2)


def precision(hypothesis, references):
    return fastbleu.modified_precision(references, hypothesis, 1)


ENTRIES = [sentence, corpus, rows, rows_in_threads, precision]
each_entry = pytest.mark.parametrize("entry", ENTRIES)


def clean(function, *arguments):
    """The result or the exception of a call that may end either way."""
    try:
        return function(*arguments)
    except SystemError:
        raise
    except Exception as error:
        return error


class Planned(BaseException):
    """Raised by tokens; no `except Exception` may swallow it."""


class Token:
    """A token of hash 1 that runs `action` when it is hashed or compared."""

    def __init__(self, on_hash=None, on_equal=None, equal=False):
        self.on_hash, self.on_equal, self.equal = on_hash, on_equal, equal

    def __hash__(self):
        if self.on_hash:
            self.on_hash()
        return 1

    def __eq__(self, other):
        if self.on_equal:
            self.on_equal()
        return self.equal


def raising(error):
    def action():
        raise error

    return action


class Lying:
    """A sequence whose length and elements are what it is told."""

    def __init__(self, length, elements):
        self.length, self.elements = length, elements

    def __len__(self):
        return self.length() if callable(self.length) else self.length

    def __iter__(self):
        return self.elements() if callable(self.elements) else iter(self.elements)


def resident_kilobytes():
    with open("/proc/self/statm", encoding="ascii") as statm:
        return int(statm.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") // 1024
