"""Write src/fastbleu/originals/ptb_tables.bin: the automaton of the tokenizer "ptb".

The rules of ptb_rules.py become a nondeterministic automaton, this a deterministic one, and states
and characters that do the same become one. Run it after a change of the rules:

    python tools/generate_ptb_tables.py            # writes the tables
    python tools/generate_ptb_tables.py --check    # compares, writes nothing; exit status 1

It needs numpy. src/fastbleu/originals/_ptb.pyx says how the tables are read.
"""

from __future__ import annotations

import argparse
import sys
import zlib
from pathlib import Path
from re import _constants as kinds  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any

import numpy as np
from ptb_rules import RULES

TABLES = Path(__file__).resolve().parent.parent / "src/fastbleu/originals/ptb_tables.bin"
END = 0x10000  # the unit after the last of a text
UNITS = END + 1
ROW = 128  # the length of a row of successors
IGNORE_CASE = 2


class Nondeterministic:
    """Numbered states; each has free moves, and moves on the units of a set."""

    def __init__(self) -> None:
        self.free: list[list[int]] = []
        self.moves: list[list[tuple[int, int]]] = []  # number of the set, next state
        self.rule_of: dict[int, int] = {}
        self.sets: dict[bytes, int] = {}
        self.start = self.new_state()
        for number, (pattern, *_) in enumerate(RULES):
            first = self.new_state()
            self.free[self.start].append(first)
            self.rule_of[self.add(parser.parse(pattern), first, 0)] = number

    def new_state(self) -> int:
        self.free.append([])
        self.moves.append([])
        return len(self.free) - 1

    def add(self, sequence: Any, at: int, flags: int) -> int:
        """Add the states of a parsed expression after `at`; returns the last one."""
        for kind, value in sequence:
            if kind is kinds.SUBPATTERN:
                _, more, less, inner = value
                at = self.add(inner, at, (flags | more) & ~less)
            elif kind is kinds.BRANCH:
                last = self.new_state()
                for branch in value[1]:
                    self.free[self.add(branch, self.after(at), flags)].append(last)
                at = last
            elif kind is kinds.MAX_REPEAT:
                at = self.add_repeated(value, at, flags)
            else:
                number = self.sets.setdefault(unit_set(kind, value, flags), len(self.sets))
                last = self.new_state()
                self.moves[at].append((number, last))
                at = last
        return at

    def add_repeated(self, repeated: Any, at: int, flags: int) -> int:
        least, most, inner = repeated
        for _ in range(least):
            at = self.add(inner, at, flags)
        if most == kinds.MAXREPEAT:
            at = self.after(at)
            self.free[self.add(inner, at, flags)].append(at)
            return self.after(at)
        last = self.after(at)
        for _ in range(most - least):
            at = self.add(inner, at, flags)
            self.free[at].append(last)
        return last

    def after(self, at: int) -> int:
        """A new state that can be reached from `at` without a unit."""
        state = self.new_state()
        self.free[at].append(state)
        return state

    def closure(self, states: Any) -> frozenset[int]:
        """The states that are reached without a unit and that matter."""
        seen, todo = set(states), list(states)
        while todo:
            new = [state for state in self.free[todo.pop()] if state not in seen]
            seen.update(new)
            todo += new
        return frozenset(s for s in seen if self.moves[s] or s in self.rule_of)


def unit_set(kind: Any, value: Any, flags: int) -> bytes:
    """The units that a single element of an expression matches: a byte for each."""
    units = np.zeros(UNITS, bool)
    if kind is kinds.AT and value is kinds.AT_END:
        units[END] = True
        return units.tobytes()
    parts = value if kind is kinds.IN else [(kind, value)]
    for part, bounds in parts:
        if part is kinds.NEGATE:
            continue
        first, last = (bounds, bounds) if part is not kinds.RANGE else bounds
        units[first : last + 1] = True
    if flags & IGNORE_CASE:
        both = units[65:91] | units[97:123]
        units[65:91] = units[97:123] = both
    if parts[0][0] in (kinds.NEGATE, kinds.NOT_LITERAL):
        units = ~units
        units[END] = False
    return units.tobytes()


def classes_of(sets: list[bytes]) -> np.ndarray:
    """A class for each unit, shape (UNITS,): units of a class are in the same sets."""
    members = np.packbits(np.frombuffer(b"".join(sets), np.uint8).reshape(-1, UNITS), axis=0)
    return np.unique(members, axis=1, return_inverse=True)[1].ravel()


def determinize(machine: Nondeterministic, unit_classes: np.ndarray) -> tuple[Any, Any]:
    """Successors, shape (states, classes), 0 for none, and the rule of each state, -1 for none."""
    _, examples = np.unique(unit_classes, return_index=True)
    classes_in = [np.frombuffer(units, bool)[examples].nonzero()[0] for units in machine.sets]
    start = machine.closure([machine.start])
    numbers, todo = {frozenset(): 0, start: 1}, [start]
    rows, rules = [[0] * len(examples)], [-1]
    for states in todo:  # which grows meanwhile
        targets: list[set[int]] = [set() for _ in examples]
        for state in states:
            for number, target in machine.moves[state]:
                for unit_class in classes_in[number]:
                    targets[unit_class].add(target)
        found = [machine.closure(target) for target in targets]
        todo += [target for target in dict.fromkeys(found) if target not in numbers]
        rows.append([numbers.setdefault(target, len(numbers)) for target in found])
        accepted = [machine.rule_of[state] for state in states if state in machine.rule_of]
        rules.append(min(accepted, default=-1))
    return np.array(rows), np.array(rules)


def minimize(rows: np.ndarray, actions: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The same with equivalent states as one: dead state first, then the start."""
    _, parts = np.unique(actions, return_inverse=True)
    while True:
        _, finer = np.unique(np.column_stack([parts, parts[rows]]), axis=0, return_inverse=True)
        finer = finer.ravel()
        if finer.max() == parts.max():
            break
        parts = finer
    _, examples = np.unique(parts, return_index=True)
    order = np.argsort(examples)  # the dead state and the start are the first
    place = np.argsort(order)
    kept = examples[order]
    return place[parts][rows[kept]], actions[kept]


def tables() -> bytes:
    machine = Nondeterministic()
    unit_classes = classes_of(list(machine.sets))
    rows, rules = determinize(machine, unit_classes)
    distinct = list(dict.fromkeys(tuple(rule[1:]) for rule in RULES))
    action_of = [distinct.index(tuple(rule[1:])) + 1 for rule in RULES]
    rows, accepts = minimize(rows, np.array([*action_of, 0])[rules])
    columns, merged = np.unique(rows, axis=1, return_inverse=True)
    actions = b"".join(
        bytes([kind, ending, count, len(text)]) + text.encode("ascii").ljust(8, b"\0")
        for kind, text, ending, count in distinct
    )
    print(f"{len(rows)} states, {columns.shape[1]} classes, {len(RULES)} rules")
    padded = np.pad(columns, ((0, 0), (0, ROW - columns.shape[1])))
    made = np.array([len(rows), len(distinct)], "<u2").tobytes()
    made += actions + accepts.astype(np.uint8).tobytes()
    made += merged.ravel()[unit_classes].astype(np.uint8).tobytes()
    return made + padded.astype("<u2").tobytes()


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--check", action="store_true", help="compare, write nothing")
    made = tables()
    if options.parse_args().check:
        sys.exit(made != zlib.decompress(TABLES.read_bytes()))
    TABLES.write_bytes(zlib.compress(made, 9))


if __name__ == "__main__":
    main()
