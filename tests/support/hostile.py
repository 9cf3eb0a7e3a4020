"""Hostile objects: their code raises, lies, changes what is read, or calls the library again.

Some do what a test tells them (`Token`, `Lying`); others act at random, as their `World` decides.
"""

from __future__ import annotations

import gc
import os
import random
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
import pytest
from metrics import count

import fastbleu

# Entries that must survive hostile tokens and sequences.
REFERENCES = [["a", "b", "c"], ["a", "c"]]


def sentence(hypothesis, references):
    return fastbleu.sentence_bleu(references, hypothesis)


def corpus(hypothesis, references):
    return fastbleu.corpus_bleu([REFERENCES, references], [["a"], hypothesis])


def rows(hypothesis, references):
    return count([["a"], hypothesis], [REFERENCES, references])


def rows_in_threads(hypothesis, references):
    return count([["a"], hypothesis] * 3, [REFERENCES, references] * 3, threads=2)


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


def resident_kilobytes():
    with open("/proc/self/statm", encoding="ascii") as statm:
        return int(statm.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") // 1024


# Objects that do what they are told.


class Planned(BaseException):
    """Raised by hostile code; no `except Exception` may swallow it."""


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


# Objects that act at random.

CHANGES: list[Callable[[list[Any], World], object]] = [
    lambda some, _: some.clear(),
    lambda some, _: some.pop(),
    lambda some, _: some.reverse(),
    lambda some, _: some.extend(["new"] * 500),
    lambda some, _: some.insert(0, [1]),
    lambda some, _: some.append(some[0]),
    lambda some, world: some.__setitem__(world.rng.randrange(len(some)), None),
    lambda some, world: some.__setitem__(world.rng.randrange(len(some)), "z" * 40),
    lambda some, world: some.__setitem__(slice(None), [world.leaf("token")]),
    lambda some, world: some.__delitem__(slice(world.rng.randrange(len(some)), None)),
]
LENGTHS = [0, 1, 3, 100, -1, 10**5, 2**62, sys.maxsize, sys.maxsize + 1, None, "3"]
ERRORS: list[type[BaseException]] = [
    *(Planned, ValueError, TypeError, KeyError, IndexError, AttributeError, OverflowError),
    *(MemoryError, RecursionError, StopIteration, KeyboardInterrupt, SystemExit),
]
MOST_ACTIONS = 30


class World:
    """What one trial's hostile objects share: what they may change, and what they do.

    All that is done depends on `rng`, and on nothing else.
    """

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.poison = rng.choice([0.0, 0.02, 0.1, 0.4])  # how likely each object is a hostile one
        self.lists: list[list[Any]] = []  # what hostile code changes, and so the arrays
        self.arrays: list[Any] = []
        self.again: list[Callable[[], object]] = []  # calls of the library that it makes
        self.raised: list[BaseException] = []  # what it has raised
        self.left = rng.randint(0, MOST_ACTIONS)
        self.depth = 0
        self.destructive = rng.random() < 0.3

    def act(self, may_raise: bool = True) -> None:
        """What hostile code does, as long as there is something left to do."""
        if self.left <= 0:
            return
        self.left -= 1
        what = self.rng.random()
        if what < 0.1 and may_raise:
            self.raised.append(self.rng.choice(ERRORS)("planned"))
            raise self.raised[-1]
        if what < 0.45 and self.lists:
            self.change(self.rng.choice(self.lists))
        elif what < 0.55 and self.arrays:
            self.change_array(self.rng.choice(self.arrays))
        elif what < 0.65:
            gc.collect(self.rng.randrange(3))
        elif what < 0.85 and self.again and self.depth < 2:
            self.call_again(may_raise)
        elif what < 0.9:
            time.sleep(0)

    def act_and_choose(self, *answers: Any) -> Any:
        self.act()
        return self.rng.choice(answers)

    def change(self, some: list[Any]) -> None:
        if some and len(some) < 20_000:
            self.rng.choice(CHANGES)(some, self)

    def change_array(self, array: Any) -> None:
        if self.rng.random() < 0.7:
            array.flat[:] = self.rng.choice([-100, 0, 1, 7])
        else:
            # numpy does this even while others read the array.
            shapes = [(array.size,), (1, array.size), (array.size, 1), (1, 1, array.size)]
            array.resize(self.rng.choice(shapes), refcheck=False)

    def call_again(self, may_raise: bool) -> None:
        self.depth += 1
        try:
            self.rng.choice(self.again)()
        except SystemError:
            raise
        except BaseException:
            if may_raise and self.rng.random() < 0.1:
                raise
        finally:
            self.depth -= 1

    def leaf(self, kind: str) -> Any:
        """A hostile token, text or id."""
        number, text = self.rng.randint(0, 9), self.rng.choice("abc") * self.rng.randint(1, 20)
        numbers = [partial(HostileInt, self, number), partial(Index, self, number)]
        made: list[Callable[[], Any]] = [partial(HostileStr, self, text), *numbers]
        if kind == "token":
            tuples = lambda: (RandomToken(self), 1)  # noqa: E731
            made += [partial(RandomToken, self), tuples, partial(HostileFloat, self, number)] * 2
        if kind == "text":
            made += [partial(HostileStr, self, f"{text} {text}, {text}.")] * 6
        if kind == "id":
            made += numbers * 2
        return self.rng.choice(made)()

    def container(self, values: list[Any]) -> Any:
        """A hostile sequence of these values."""
        self.lists.append(values)
        kinds = [HostileList, Sequence, ByIndex, Array]
        made: list[Callable[[], Any]] = [partial(kind, self, values) for kind in kinds]
        made += [lambda: self.iterator(values), lambda: tuple(values), lambda: values]
        return self.rng.choice(made)()

    def iterator(self, values: list[Any]) -> Iterator[Any]:
        for value in values:
            self.act()
            yield value


class Hostile:
    """With a destructor that acts now and then, and never raises: that is only printed."""

    world: World

    def __del__(self) -> None:
        if self.world.destructive:
            self.world.act(may_raise=False)


class RandomToken(Hostile):
    """A token of few different hashes that says anything of what it equals."""

    def __init__(self, world: World) -> None:
        self.world = world

    def __hash__(self) -> Any:
        return self.world.act_and_choose(1, 1, 1, 2, -1, 2**70, None)

    def __eq__(self, other: object) -> Any:
        neither = np.array([True, False])  # neither true nor false
        truth = Truth(self.world)
        return self.world.act_and_choose(True, False, NotImplemented, None, 17, neither, truth)


class Truth(Hostile):
    def __init__(self, world: World) -> None:
        self.world = world

    def __bool__(self) -> bool:
        return self.world.act_and_choose(True, False)


def acting(name: str, base: type) -> Callable[..., Any]:
    """A method that acts, and then does what the base's does, or for once returns anything."""

    def method(self: Any, *arguments: Any, **keywords: Any) -> Any:
        self.world.act()
        if self.world.rng.random() < 0.02:
            return self.world.rng.choice([None, -1, 2**70, "x", [], NotImplemented])
        return getattr(base, name)(self, *arguments, **keywords)

    return method


def hostile(base: type, *names: str) -> type:
    """A subclass of a built-in type whose methods act."""

    def __new__(kind: type, world: World, *arguments: Any) -> Any:
        made = base.__new__(kind, *arguments)
        made.world = world
        return made

    def __init__(self: Any, world: World, *arguments: Any) -> None:
        if base is list:
            list.__init__(self, *arguments)
            world.lists.append(self)

    # Always there, as a world's list may be what it is changed by.
    methods = {name: acting(name, base) for name in names}
    methods |= {"__new__": __new__, "__init__": __init__}
    return type(f"Hostile{base.__name__.title()}", (Hostile, base), methods)


HostileStr = hostile(
    str,
    *("__hash__", "__eq__", "__len__", "__iter__", "__getitem__", "__contains__", "__str__"),
    *("lower", "split", "encode", "strip", "rstrip", "endswith"),
)
HostileInt = hostile(int, "__hash__", "__eq__", "__index__", "__int__", "__float__", "__lt__")
HostileFloat = hostile(float, "__hash__", "__eq__", "__float__", "__mul__", "__lt__", "is_integer")
HostileList = hostile(list, "__len__", "__iter__", "__getitem__", "__contains__")


class Index(Hostile):
    """A number by `__index__` and `__float__` alone."""

    def __init__(self, world: World, number: int) -> None:
        self.world, self.number = world, number

    def __index__(self) -> Any:
        return self.world.act_and_choose(*[self.number] * 9, 2**70)

    def __float__(self) -> Any:
        return self.world.act_and_choose(*[float(self.number)] * 9, None)


class ByIndex(Hostile):
    """A sequence that is read by the number of its elements."""

    def __init__(self, world: World, values: list[Any]) -> None:
        self.world, self.values = world, values

    def __len__(self) -> Any:
        self.world.act()
        return len(self.values) if self.world.rng.random() < 0.8 else self.world.rng.choice(LENGTHS)

    def __getitem__(self, index: Any) -> Any:
        self.world.act()
        return self.values[index]


class Sequence(ByIndex):
    """A sequence that lies about its length."""

    def __iter__(self) -> Iterator[Any]:
        self.world.act()
        return self.world.iterator(self.values)


class Array(Sequence):
    """What looks like an array or a tensor, but hands out what it wants."""

    def __init__(self, world: World, values: list[Any]) -> None:
        super().__init__(world, values)
        self.cpu = self.detach = self.double = lambda: self

    @property
    def shape(self) -> Any:
        return self.world.act_and_choose((len(self.values),), (1, 2), (2, 3, 4), (), None)

    @property
    def dtype(self) -> Any:
        return np.dtype(self.world.act_and_choose("int64", "int8", "float32", "object"))

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        made = np.arange(self.world.act_and_choose(0, 1, 4, 20))
        self.world.arrays.append(made)
        return made.reshape(self.world.rng.choice([(-1,), (1, -1), (1, 1, -1)]))

    def numpy(self) -> Any:
        return self.__array__()

    def tolist(self) -> Any:
        return self.world.act_and_choose(self.values, None, list(self.values), "abc")

    def __buffer__(self, flags: int) -> memoryview:  # since Python 3.12
        return memoryview(bytearray(self.world.act_and_choose(0, 8, 64)))
