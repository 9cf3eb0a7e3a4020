"""Objects whose own code raises, lies, changes what is being read, or calls the library again."""

from __future__ import annotations

import gc
import random
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

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
MOST_ACTIONS = 30

# CPython 3.10 clears a MemoryError while the collector still sees it: a collection in a destructor
# of what its traceback holds frees it a second time.
COLLECTS = sys.version_info >= (3, 11)


class Planned(BaseException):
    """What no `except Exception` may swallow."""


ERRORS: list[type[BaseException]] = [
    *(Planned, ValueError, TypeError, KeyError, IndexError, AttributeError, OverflowError),
    *(MemoryError, RecursionError, StopIteration, KeyboardInterrupt, SystemExit),
]


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
        elif what < 0.65 and COLLECTS:
            gc.collect(self.rng.randrange(3))
        elif what < 0.85 and self.again and self.depth < 2:
            self.call_again(may_raise)
        elif what < 0.9:
            time.sleep(0)

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
        made: list[Callable[[], Any]] = [
            lambda: Text(self, text),
            lambda: Number(self, number),
            lambda: Index(self, number),
        ]
        if kind == "token":
            made += [lambda: Token(self), lambda: (Token(self), 1), lambda: Real(self, number)] * 2
        if kind == "text":
            made += [lambda: Text(self, f"{text} {text}, {text}.")] * 6
        if kind == "id":
            made += [lambda: Number(self, number), lambda: Index(self, number)] * 2
        return self.rng.choice(made)()

    def container(self, values: list[Any]) -> Any:
        """A hostile sequence of these values."""
        self.lists.append(values)
        made: list[Callable[[], Any]] = [
            lambda: List(self, values),
            lambda: Sequence(self, values),
            lambda: ByIndex(self, values),
            lambda: self.iterator(values),
            lambda: Array(self, values),
            lambda: tuple(values),
            lambda: values,
        ]
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


class Token(Hostile):
    """A token of few different hashes that says anything of what it equals."""

    def __init__(self, world: World) -> None:
        self.world = world

    def __hash__(self) -> Any:
        self.world.act()
        return self.world.rng.choice([1, 1, 1, 2, -1, 2**70, None])

    def __eq__(self, other: object) -> Any:
        self.world.act()
        array = np.array([True, False])  # neither true nor false
        said = [True, False, NotImplemented, None, 17, array, Truth(self.world)]
        return self.world.rng.choice(said)


class Truth(Hostile):
    def __init__(self, world: World) -> None:
        self.world = world

    def __bool__(self) -> bool:
        self.world.act()
        return self.world.rng.random() < 0.5


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

    methods = {name: acting(name, base) for name in names}
    # Always there, as a world's list may be what it is changed by.
    return type(
        f"Hostile{base.__name__.title()}",
        (Hostile, base),
        {"__new__": __new__, "__init__": __init__, **methods},
    )


Text = hostile(str, "__hash__", "__eq__", "__len__", "__iter__", "__getitem__", "__contains__",
               "lower", "split", "encode", "strip", "rstrip", "endswith", "__str__")  # fmt: skip
Number = hostile(int, "__hash__", "__eq__", "__index__", "__int__", "__float__", "__lt__")
Real = hostile(float, "__hash__", "__eq__", "__float__", "__mul__", "__lt__", "is_integer")
List = hostile(list, "__len__", "__iter__", "__getitem__", "__contains__")


class Index(Hostile):
    """A number by `__index__` and `__float__` alone."""

    def __init__(self, world: World, number: int) -> None:
        self.world, self.number = world, number

    def __index__(self) -> Any:
        self.world.act()
        return self.number if self.world.rng.random() < 0.9 else 2**70

    def __float__(self) -> Any:
        self.world.act()
        return float(self.number) if self.world.rng.random() < 0.9 else None


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
        self.world.act()
        return self.world.rng.choice([(len(self.values),), (1, 2), (2, 3, 4), (), None])

    @property
    def dtype(self) -> Any:
        self.world.act()
        return np.dtype(self.world.rng.choice(["int64", "int8", "float32", "object"]))

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        self.world.act()
        made = np.arange(self.world.rng.choice([0, 1, 4, 20]))
        self.world.arrays.append(made)
        return made.reshape(self.world.rng.choice([(-1,), (1, -1), (1, 1, -1)]))

    def numpy(self) -> Any:
        return self.__array__()

    def tolist(self) -> Any:
        self.world.act()
        return self.world.rng.choice([self.values, None, list(self.values), "abc"])

    def __buffer__(self, flags: int) -> memoryview:  # since Python 3.12
        self.world.act()
        return memoryview(bytearray(self.world.rng.choice([0, 8, 64])))
