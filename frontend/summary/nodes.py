"""The ops of a program as nodes of a graph, as viewers draw it: scopes for functions, lines, and regions in them."""

from __future__ import annotations

import ast
import bisect
import itertools
import linecache
import os
import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any

from ...dialect.mlir import Block, Location, Operation, Value, ir
from ...dialect.ops.creation import Constant
from ...dialect.records import NamedTuple

LONGEST = 200
"""Of attributes so many characters are kept, of lines of Python in names of scopes a third."""

CONSTANT = "Const"
"""What viewers call constants."""

_CONSTANTS = (Constant.mlir_name(), "arith.constant")
"""What is drawn small, beside the ops that use it."""

_REGIONS = {"scf.if": ("then", "else"), "scf.while": ("condition", "body")}
"""What regions of an op are called, where there are several."""


class Frame(NamedTuple):
    """A line in a function of the program."""

    function: str
    line: str


class Node(NamedTuple):
    """An op, an argument or a result."""

    name: str
    """With the scopes that it is in, `function/line/name`; no other node has it."""
    kind: str
    inputs: tuple[tuple[str, int], ...]
    """The nodes that operands come from, and which of their results they are."""
    types: tuple[Any, ...]
    """Those of its results."""
    attributes: dict[str, str]


class Nodes:
    """Collects nodes: each has a name that tells its scopes, and knows by names where its operands come from."""

    def __init__(self) -> None:
        self.found: list[Node] = []
        self._outputs: dict[Value, tuple[str, int]] = {}
        self._used: set[str] = set()

    def add_function(self, function: Operation, names: Sequence[str]) -> None:
        """Add the ops of a function, its arguments and its results."""
        block = function.regions[0].blocks[0]
        for number, argument in enumerate(block.arguments):
            name = names[number] if number < len(names) else f"argument_{number}"
            self._add(_plain(name), "Argument", [], [argument])
        self._add_block(block, "", ())

    def _add_block(self, block: Block, scope: str, around: tuple[str, ...]) -> None:
        """Add the ops of a block inside of a scope, which is for ops of some lines itself."""
        for view in block.operations:
            op = view.operation
            steps = tuple(step for frame in frames_of(op.location) for step in frame) or around
            shared = _shared(steps, around)
            inner = "".join(f"{step}/" for step in steps[shared:])
            kind = op.name
            if kind == "func.return":
                for number, value in enumerate(op.operands):
                    self._add(f"{scope}result_{number}", "Result", [value], [])
                continue
            drawn = CONSTANT if kind in _CONSTANTS else kind
            node = self._add(f"{scope}{inner}{kind.rpartition('.')[2]}", drawn, op.operands, op.results)
            for attribute in op.attributes:
                node.attributes[attribute] = str(op.attributes[attribute])[:LONGEST]
            for number, region in enumerate(op.regions):
                called = _REGIONS.get(kind, ())
                title = (
                    called[number] if number < len(called) else "body" if number == 0 else f"region_{number}"
                )
                for inside in region.blocks:
                    here = f"{node.name}/{title}/"
                    self._add_arguments(op, inside, here)
                    self._add_block(inside, here, steps)

    def _add_arguments(self, op: Operation, block: Block, scope: str) -> None:
        """Add the arguments of a region: those that a loop carries begin as its last operands."""
        first = len(block.arguments) - (
            len(op.operands) - (3 if op.name == "scf.for" else 0)
            if op.name in ("scf.for", "scf.while")
            else 0
        )
        for number, argument in enumerate(block.arguments):
            is_carried = op.name in ("scf.for", "scf.while") and number >= first >= 0
            begins = [op.operands[number - len(block.arguments)]] if is_carried else []
            self._add(f"{scope}{'carried' if is_carried else 'index'}", "Argument", begins, [argument])

    def _add(self, name: str, kind: str, operands: Sequence[Value], results: Sequence[Value]) -> Node:
        names = (f"{name}_{number}" if number else name for number in itertools.count())
        inputs = tuple(self._outputs[value] for value in operands if value in self._outputs)
        types = tuple(value.type for value in results)
        node = Node(next(one for one in names if one not in self._used), kind, inputs, types, {})
        self._used.add(node.name)
        self.found.append(node)
        for place, value in enumerate(results):
            self._outputs[value] = node.name, place
        return node


def frames_of(location: Location) -> list[Frame]:
    """The lines that an op comes from, the outermost function first; of several places the first that is known."""
    return [_frame(file, line) for file, line in _chain(location)]


def _chain(location: Location) -> list[tuple[str, int]]:
    if isinstance(location, ir.FileLineColLoc):
        known = location.start_line and location.filename not in ("", "-", "<unknown>")
        return [(location.filename, location.start_line)] if known else []
    if isinstance(location, ir.CallSiteLoc):
        return [*_chain(location.caller), *_chain(location.callee)]
    if isinstance(location, ir.FusedLoc):
        return next(filter(None, map(_chain, location.locations)), [])
    if isinstance(location, ir.NameLoc):
        return _chain(location.child_loc)
    return []


def _shared(steps: Sequence[str], others: Sequence[str]) -> int:
    """How many of the outermost scopes are the same."""
    pairs = zip(steps, others, strict=False)
    return sum(1 for _ in itertools.takewhile(lambda pair: pair[0] == pair[1], pairs))


def _frame(file: str, line: int) -> Frame:
    text = _plain(linecache.getline(file, line).strip())[: LONGEST // 3].strip("_")
    return Frame(_function_around(file, line), f"L{line}_{text}" if text else f"L{line}")


def _plain(text: str) -> str:
    """A text with the characters that names of scopes may have."""
    return re.sub(r"[^A-Za-z0-9.-]+", "_", text).lstrip("_-.") or "_"


def _function_around(file: str, line: int) -> str:
    """The name of the innermost function around a line, or that of its file."""
    starts, functions = _functions_of(file)
    for place in range(bisect.bisect_right(starts, line) - 1, -1, -1):
        name, last = functions[place]
        if line <= last:
            return name
    return _plain(os.path.splitext(os.path.basename(file))[0])


@cache
def _functions_of(file: str) -> tuple[list[int], list[tuple[str, int]]]:
    """The functions of a file, by their first lines."""
    try:
        tree = ast.parse("".join(linecache.getlines(file)))
    except (SyntaxError, ValueError):  # a cell of a notebook, with commands in it
        return [], []
    found = sorted(_functions_in(tree))
    return [first for first, _, _ in found], [(name, last) for _, name, last in found]


def _functions_in(tree: ast.AST, outer: str = "") -> Iterator[tuple[int, str, int]]:
    for node in ast.iter_child_nodes(tree):
        name = outer
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            name = f"{outer}.{node.name}" if outer else node.name
            first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
            if not isinstance(node, ast.ClassDef):
                yield first, name, node.end_lineno or first
        yield from _functions_in(node, name)
