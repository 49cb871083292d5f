"""Stores at one place that both ways of a branch end with become one store, of a choice between two numbers.

    scf.if %more { memref.store %x, %y[%i] } else { memref.store %zero, %y[%i] }
    becomes
    %kept = arith.select %more, %x, %zero
    memref.store %kept, %y[%i]

So does Python's `max` look, whose ways go on apart. Loops that hand a number on are known by what they store, and
threads that take different ways wait for each other.
"""

from __future__ import annotations

from ....dialect.mlir import Module, Operation, Value, ir
from ....dialect.records import dataclass
from ....passes.base import Pass, Statistics
from ....passes.rewriting import is_defined_inside, operations_in, operations_of, terminator
from ...nests.emit import create
from ...planning.boundaries import kernel_functions

_STORE = "memref.store"


@dataclass(frozen=True)
class JoinStores(Pass):
    """Store once, behind a branch, what both of its ways store at one place in the end."""

    def run(self, module: Module, statistics: Statistics) -> None:
        for kernel in kernel_functions(module).values():
            for op in reversed(operations_of(kernel)):  # branches inside of others first
                if op.name == "scf.if" and (stores := _last_stores(op)) is not None:
                    _join(op, *stores)
                    statistics["stores joined"] += 1


def _last_stores(branch: Operation) -> tuple[Operation, Operation] | None:
    """The stores at one place with which the ways of a branch end."""
    if not list(branch.regions[1].blocks):
        return None
    ways = [operations_in(region.blocks[0])[:-1] for region in branch.regions]
    if not all(ways) or any(way[-1].name != _STORE for way in ways):
        return None
    first, second = (way[-1] for way in ways)
    places = list(first.operands)[1:]
    if places != list(second.operands)[1:] or any(is_defined_inside(value, branch) for value in places):
        return None
    return first, second


def _join(branch: Operation, first: Operation, second: Operation) -> None:
    values, places = [store.operands[0] for store in (first, second)], list(first.operands)[1:]
    segments = dict(first.attributes)
    first.erase()
    second.erase()
    ends = [terminator(region.blocks[0]) for region in branch.regions]
    yielded = [[*end.operands, value] for end, value in zip(ends, values, strict=True)]
    is_empty = all(len(operations_in(region.blocks[0])) == 1 for region in branch.regions)
    with ir.InsertionPoint(branch), branch.location:
        results = _chosen(branch, yielded) if is_empty else _branch(branch, yielded)
        create(_STORE, [], [results[-1], *places], segments)
    for old, new in zip(branch.results, results, strict=False):
        old.replace_all_uses_with(new)
    branch.erase()


def _chosen(branch: Operation, yielded: list[list[Value]]) -> list[Value]:
    """What a branch gives whose ways do nothing else."""
    condition = branch.operands[0]
    return [
        create("arith.select", [one.type], [condition, one, other])
        for one, other in zip(*yielded, strict=True)
    ]


def _branch(branch: Operation, yielded: list[list[Value]]) -> list[Value]:
    """The branch, which gives one more number."""
    types = [value.type for value in yielded[0]]
    made = ir.Operation.create("scf.if", types, [branch.operands[0]], regions=2)
    for old, new, values in zip(branch.regions, made.regions, yielded, strict=True):
        block = new.blocks.append()
        *ops, _ = operations_in(old.blocks[0])
        with ir.InsertionPoint(block):
            end = ir.Operation.create("scf.yield", [], values)
        for op in ops:
            op.move_before(end)
    return list(made.results)
