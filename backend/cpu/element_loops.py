"""Loops over single elements: LLVM may make vector code of them, and only it knows whether it did.

What schedules write as vectors is noted there. For whoever records notes, the other loops are looked up before they
become branches, and what LLVM has made of their functions tells the rest.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from ...dialect.mlir import Block, Module, Operation, ir
from ...dialect.records import NamedTuple
from ...passes.notes import NOWHERE, Note, Place, note, place_of, recorded
from ...passes.rewriting import blocks_of, defined_functions, operations_of
from ..nests.iterations import are_independent, clamps_in
from ..planning.names import EXIT, POLL
from .lowering.steps import trips_of

LOOPS = ("scf.for", "scf.while")
_OF_ARRAYS = ("is copied", "is filled")
"""How notes begin that are not about what a loop of the program does itself."""
_VECTOR_BODY = "vector.body"
"""How LLVM calls the blocks of loops that it makes vector code of."""
_STORE_OF_A_VECTOR = "  store <"


class ElementLoop(NamedTuple):
    """An innermost loop without vector code."""

    place: Place
    points: frozenset[tuple[int, int]]
    """The lines and columns of what it writes, or of what is in it where it computes a number."""
    why: str
    """Why it may have to run one iteration after another."""
    is_copy: bool
    """Whether it only moves elements, as those of an array that iterations of a loop around it hand on."""


def element_loops(module: Module) -> list[ElementLoop]:
    """The innermost loops of a module of structured loops that read or write single elements."""
    return [
        ElementLoop(place_of(loop.location), _points_in(loop), _why_in_order(loop), _is_copy(loop))
        for view in defined_functions(module)
        for block in view.operation.regions[0]
        for loop in _innermost(block)
    ]


def note_element_loops(loops: Iterable[ElementLoop], optimised: Any) -> None:
    """Note what became of loops over elements in an optimised module of LLVM, which has the lines of the program."""
    if not loops:
        return
    vectorised = _points_of_vectors(str(optimised))
    notes = recorded()
    told = {
        found.place for found in notes if found.kind == "vector" and not found.reason.startswith(_OF_ARRAYS)
    }
    for loop in dict.fromkeys(loops):
        is_scalar = any(n.place == loop.place and n.kind == "scalar" for n in notes)
        if loop.points & vectorised and (is_scalar or loop.place not in told):
            _retract(notes, loop.place)
            said = "is copied in vectors, by LLVM" if loop.is_copy else "is made vector code by LLVM"
            note("vector", loop.place, said)
        elif loop.place not in told and not is_scalar:
            said = "is copied one element at a time" if loop.is_copy else "runs one iteration after another"
            note("scalar", loop.place, f"{said}: {loop.why}")


def _points_of_vectors(text: str) -> set[tuple[int, int]]:
    """The lines and columns of the instructions of loops that LLVM made vector code of.

    A loop of few iterations is unrolled afterwards, so that nothing but its stores tells.
    """
    points = {number: (int(line), int(column)) for number, line, column in _DEBUG_LOCATION.findall(text)}
    found: set[tuple[int, int]] = set()
    is_vector = False
    for line in text.splitlines():
        if line[:1] not in (" ", ""):
            is_vector = _VECTOR_BODY in line.partition(":")[0]
        elif is_vector or line.startswith(_STORE_OF_A_VECTOR):
            used = _DEBUG_USE.search(line)
            if used is not None and used[1] in points:
                found.add(points[used[1]])
    return found


_DEBUG_LOCATION = re.compile(r"^!(\d+) = (?:distinct )?!DILocation\(line: (\d+), column: (\d+)", re.MULTILINE)
_DEBUG_USE = re.compile(r"!dbg !(\d+)")


def _points_in(loop: Operation) -> frozenset[tuple[int, int]]:
    """The lines and columns of what a loop stores, or else of all operations in it.

    Others than stores may be vector code without the loop: LLVM takes out of it what does not depend on its order.
    """
    inside = [op for op in operations_of(loop) if op.name == "memref.store"]
    if not inside:
        inside = [view.operation for region in loop.regions for block in region for view in block.operations]
    places = (place_of(op.location) for op in inside)
    return frozenset((place.line, place.column) for place in places if place.line)


def _is_copy(loop: Operation) -> bool:
    names = [op.name for op in operations_of(loop)]
    return names.count("memref.store") == 1 and set(names) <= _MOVES


def _retract(notes: list[Note], place: Place) -> None:
    """Take back that an expression runs one element at a time."""
    notes[:] = [found for found in notes if not (found.kind == "scalar" and found.place == place)]


def _innermost(block: Block) -> Iterator[Operation]:
    for view in block.operations:
        op = view.operation
        inside = [loop for region in op.regions for inner in region for loop in _innermost(inner)]
        yield from inside
        if op.name in LOOPS and not inside and place_of(op.location) != NOWHERE and _is_on_elements(op):
            yield op


def _is_on_elements(loop: Operation) -> bool:
    """Whether a loop has neither vector code in it nor calls, and more than what vectors leave of a round number."""
    names = set(_names(loop))
    calls = any(name.startswith("call of ") and name not in _CHECKS for name in names)
    if calls or any(name.startswith("vector.") for name in names) or names.isdisjoint(_WORK):
        return False
    return loop.name != "scf.for" or trips_of(loop) > 0


_CHECKS = (f"call of {EXIT}", f"call of {POLL}")
"""Calls that hardly ever do anything."""

_MOVES = frozenset(
    {"memref.load", "memref.store", "memref.subview", "memref.cast", "arith.constant", "scf.for", "scf.yield"}
)
"""The operations of loops that copy."""

_WORK = frozenset({"memref.load", "memref.store", "arith.addf", "arith.mulf", "arith.subf", "arith.divf"})


def _names(op: Operation) -> Iterator[str]:
    for block in blocks_of(op):
        for view in block.operations:
            inner = view.operation
            is_call = inner.name == "func.call"
            yield f"call of {inner.attributes['callee'].value}" if is_call else inner.name
            yield from _names(inner)


def _why_in_order(loop: Operation) -> str:
    names = list(_names(loop))
    if names.count(_CHECKS[0]) > names.count(_CHECKS[1]):  # which may be left, too: by a signal
        return "each may raise an error, which ends the call"
    if loop.name == "scf.while":
        return "only what it computes tells when it ends"
    if any(isinstance(value.type, (ir.FloatType, ir.IntegerType)) for value in loop.results):
        return "each needs what the one before has computed"
    if are_independent(loop):
        return (
            "each looks whether its indices are in bounds"
            if clamps_in(loop)
            else "LLVM found no vectors for it"
        )
    return "each may read what the one before has written"
