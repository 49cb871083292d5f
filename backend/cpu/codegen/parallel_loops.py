"""Sharing loops among threads: the iterations of a loop become a function of a range of them.

A loop that is marked as parallel and long enough becomes

    func.func @kernel_3.loop_0(%begin: index, %end: index, ...)     // runs the iterations begin <= i < end

and a call of `@kernel_3.loop_0.parallel(%iterations, %grain, ...)`, which the lowering to LLVM defines (see
shared_loops.py): it has the pool of threads call the function for pieces of at least `grain` iterations. Where the
length of the loop is known only at run time, that decides between the two. The numbers that an iteration computes are
the same in any piece; so the result does not depend on the number of threads.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import ClassVar

from ....dialect.mlir import Block, Module, Operation, Value, ir
from ....dialect.records import dataclass
from ....passes.base import Pass, Statistics
from ..planning.names import parallel_name
from .captures import Captures, make_function, rename
from .emit import PARALLEL, create
from .loop_costs import Cost, Term, cost_of, cost_of_iteration, trips
from .loop_nest import nested

GRAIN = 100_000
"""Steps (see loop_costs.py) that are worth the attention of a thread: some 12 microseconds. Handing work over takes one
microsecond while the others are waiting for it, and ten to twenty when they have to be woken."""

EVEN = 8
"""Loops of fewer iterations cannot be shared evenly; loops in them are shared instead where those are long enough."""


@dataclass(frozen=True)
class SplitParallelLoops(Pass):
    """Make functions of a range of iterations from long parallel loops."""

    name: ClassVar[str] = "split-parallel-loops"
    summary: ClassVar[str] = "make functions of a range of iterations from long parallel loops"

    def run(self, module: Module, statistics: Statistics) -> None:
        for view in list(module.body.operations):
            if view.operation.name == "func.func" and view.regions[0].blocks:
                statistics["loops split"] += len(split_parallel_loops(view.operation))


def split_parallel_loops(function: Operation) -> list[Operation]:
    """Make functions from the loops of a function that are worth it; returns them, in order."""
    made: list[Operation] = []
    for loop, cost in _worthwhile(function.regions[0].blocks[0]):
        part = _Part(loop, f"{function.attributes['sym_name'].value}.loop_{len(made)}")
        if part.is_possible():
            with loop.location:
                made.append(part.make(function))
                part.replace_loop(cost)
    return made


def _worthwhile(block: Block) -> Iterator[tuple[Operation, Cost]]:
    """The loops to share, with the cost of one iteration each; none is inside another."""
    for op in [view.operation for view in block.operations]:
        if op.name == "scf.for" and PARALLEL in op.attributes and not op.results:
            cost, count = cost_of_iteration(op), trips(op)
            is_static = cost.is_static and not count.values
            if is_static and cost.steps * count.number < 2 * GRAIN:
                continue
            if not (is_static and count.number < EVEN and _inner_loops_do(op, cost)):
                if not is_static or count.number >= 2:
                    yield op, cost
                continue
        for region in op.regions:
            for inner in region:
                yield from _worthwhile(inner)


def _inner_loops_do(loop: Operation, cost: Cost) -> bool:
    """Whether nearly all work of an iteration is in parallel loops that are long enough to be shared each time."""
    shared = 0.0
    for op in (view.operation for view in loop.regions[0].blocks[0].operations):
        if op.name == "scf.for" and PARALLEL in op.attributes:
            inner, count = cost_of(op), trips(op)
            long = inner.steps >= 8 * GRAIN
            if long and (count.number >= EVEN or _inner_loops_do(op, cost_of_iteration(op))):
                shared += inner.steps
    return shared >= 0.9 * cost.steps


class _Part:
    """A loop on its way into a function of its own."""

    def __init__(self, loop: Operation, name: str) -> None:
        self.loop, self.name = loop, name
        self._body = loop.regions[0].blocks[0]
        self._operations = [view.operation for view in nested(loop)]
        inside = {result for op in self._operations for result in op.results}
        inside |= {a for op in [loop, *self._operations] for r in op.regions for b in r for a in b.arguments}
        start, _, step = list(loop.operands)[:3]
        used = (start, step, *(operand for op in self._operations for operand in op.operands))
        self._captures = Captures(value for value in used if value not in inside)

    def is_possible(self) -> bool:
        """Whether the loop can be moved: memory must be known to be apart."""
        return self._captures.are_apart()

    def make(self, function: Operation) -> Operation:
        """The function; the body of the loop moves there."""
        index = ir.IndexType.get()
        types = [index, index, *self._captures.types]
        with ir.InsertionPoint(function):
            made = make_function(self.name, types)
            make_function(parallel_name(self.name), types, has_body=False)
        entry = made.regions[0].blocks[0]
        begin, end, *arguments = entry.arguments
        with ir.InsertionPoint(entry):
            known = self._captures.enter(arguments)
            start, _, step = (known.get(value, value) for value in list(self.loop.operands)[:3])
            bounds = [
                create("arith.addi", [index], [create("arith.muli", [index], [i, step]), start])
                for i in (begin, end)
            ]
            range_loop = ir.Operation.create("scf.for", [], [*bounds, step], regions=1)
            for name in self.loop.attributes:
                if name != PARALLEL:
                    range_loop.attributes[name] = self.loop.attributes[name]
            create("func.return", [], [])
        self._body.append_to(range_loop.regions[0])
        for op in self._operations:
            rename(op, known)
        return made

    def replace_loop(self, cost: Cost) -> None:
        """Put calls where the loop was."""
        with ir.InsertionPoint(self.loop):
            count = self._count()
            operands = list(self._captures.passed)
            static = trips(self.loop)
            grain = _index(_grain(cost)) if cost.is_static else _grain_value(cost)
            if cost.is_static and not static.values:
                self._call(parallel_name(self.name), [count, grain, *operands])
            else:
                enough = create("arith.muli", [grain.type], [grain, _index(2)])
                calls = ((parallel_name(self.name), [count, grain]), (self.name, [_index(0), count]))
                branch = ir.Operation.create("scf.if", [], [_at_least(count, enough)], regions=2)
                for region, (name, leading) in zip(branch.regions, calls, strict=True):
                    with ir.InsertionPoint(region.blocks.append()):
                        self._call(name, [*leading, *operands])
                        create("scf.yield", [], [])
        self.loop.erase()

    def _call(self, name: str, operands: Sequence[Value]) -> None:
        create("func.call", [], operands, {"callee": ir.FlatSymbolRefAttr.get(name)})

    def _count(self) -> Value:
        """The number of iterations."""
        static: Term = trips(self.loop)
        start, stop, step = list(self.loop.operands)[:3]
        if not static.values and _are_constants(start, stop, step):
            return _index(int(static.number))
        index = start.type
        length = create("arith.subi", [index], [stop, start])
        positive = create("arith.maxsi", [index], [length, _index(0)])
        above = create("arith.addi", [index], [positive, create("arith.subi", [index], [step, _index(1)])])
        return create("arith.divui", [index], [above, step])


def _grain(cost: Cost) -> int:
    return max(1, math.ceil(GRAIN / max(1.0, cost.steps)))


def _grain_value(cost: Cost) -> Value:
    type = ir.IndexType.get()
    quotient = create("arith.divui", [type], [_index(GRAIN), cost.value()])
    return create("arith.addi", [type], [quotient, _index(1)])


def _at_least(left: Value, right: Value) -> Value:
    i64 = ir.IntegerType.get_signless(64)
    attributes = {"predicate": ir.IntegerAttr.get(i64, 5)}  # sge
    return create("arith.cmpi", [ir.IntegerType.get_signless(1)], [left, right], attributes)


def _are_constants(*values: Value) -> bool:
    owners = [value.owner for value in values]
    return all(not isinstance(o, ir.Block) and o.operation.name == "arith.constant" for o in owners)


def _index(number: int) -> Value:
    type = ir.IndexType.get()
    return create("arith.constant", [type], [], {"value": ir.IntegerAttr.get(type, number)})


__all__ = ["SplitParallelLoops", "split_parallel_loops"]
