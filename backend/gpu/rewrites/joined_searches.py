"""Searches of one thread, as for the first index that is out of bounds, as reductions of which each thread has a share.

    %found = linalg.generic ins(%sign) {                    %least = linalg.generic ins(%indices) {
      scf.if %may_be {                                        minsi of the numbers of places, by linalg.index
        scf.for %i ... iter_args(%so_far) {          ->     } -> tensor<i64>
          %element = tensor.extract %indices[%i]            %found = linalg.generic ins(%sign) {
          minsi %so_far, ...                                  scf.if %may_be { %least[] }

The processor rarely does what the condition guards, and a device would wait for one thread, or for the processor. What
is read for the condition is read at the same time, so that the search costs a device next to nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ....dialect.made_ops import filled
from ....dialect.mlir import Module, Operation, Value, dialect, ir
from ....dialect.records import dataclass
from ....passes.base import Pass, Statistics
from ....passes.lowering.conversion import Conversion, linalg_index
from ....passes.rewriting import (
    constant_integer,
    is_defined_inside,
    is_unused,
    operations_in,
    operations_of,
    terminator,
)
from ...planning.shapes import Shapes

_COMBINE = ("arith.minsi", "arith.maxsi", "arith.ori", "arith.andi", "arith.addi")
"""What gives the same in any order."""
_FAULTS = ("arith.divsi", "arith.divui", "arith.remsi", "arith.remui", "arith.ceildivsi", "arith.floordivsi")
"""What must not be done where it was not asked for."""


@dataclass(frozen=True)
class JoinSearches(Pass):
    """Let threads share a search, as for an index that is out of bounds."""

    def run(self, module: Module, statistics: Statistics) -> None:
        loops = [op for op in operations_of(module.operation) if op.name == "scf.for"]
        for loop, nest in [(loop, _nest_around(loop)) for loop in loops]:
            found = None if nest is None else _match(loop, nest)
            if found is not None:
                _replace(found)
                statistics["searches joined"] += 1


@dataclass
class _Search:
    """A loop, or several in each other, that makes one integer of elements."""

    loops: list[Operation]
    nest: Operation
    """The nest without loops of its own in which they are."""
    combine: Operation
    element: Value
    """What an iteration gives to it."""
    reads: list[Operation]
    """Its reads of elements at the places of the loops, of arrays that are as large as the loops are long."""

    @property
    def places(self) -> list[Value]:
        """The numbers of an iteration."""
        return [loop.regions[0].blocks[0].arguments[0] for loop in self.loops]


def _match(outermost: Operation, nest: Operation) -> _Search | None:
    if len(outermost.results) != 1 or not isinstance(outermost.results[0].type, ir.IntegerType):
        return None
    loops = list(_loops(outermost))
    block = loops[-1].regions[0].blocks[0]
    so_far, (given,) = block.arguments[1], terminator(block).operands
    combine = None if isinstance(given.owner, ir.Block) else given.owner.operation
    if combine is None or combine.name not in _COMBINE or combine.block != block:
        return None
    others = [value for value in combine.operands if value != so_far]
    if len(others) != 1 or sum(1 for _ in so_far.uses) != 1:
        return None
    if is_defined_inside(outermost.operands[3], nest):
        return None
    search = _Search(loops, nest, combine, others[0], [])
    return (
        search if all(_may_be_done(op, search) for op in operations_in(block)[:-1]) and search.reads else None
    )


def _nest_around(loop: Operation) -> Operation | None:
    """The nest without loops that has a loop behind conditions only."""
    op = loop.parent.operation
    while op.name == "scf.if":
        op = op.parent.operation
    is_of_numbers = op.name == "linalg.generic" and not len(op.attributes["iterator_types"])
    return op if is_of_numbers else None


def _loops(outermost: Operation) -> Iterator[Operation]:
    """A loop, and those in it that are all that it does."""
    yield outermost
    block = outermost.regions[0].blocks[0]
    inner, *more = operations_in(block)
    is_all = inner.name == "scf.for" and len(more) == 1 and list(inner.results) == list(more[0].operands)
    if is_all and inner.operands[3] == block.arguments[1]:
        yield from _loops(inner)


def _may_be_done(op: Operation, search: _Search) -> bool:
    """Whether an operation may be done for each iteration whatever the conditions say; notes reads of elements."""
    if op.name != "tensor.extract":
        is_number = op.name.startswith("arith.") and op.name not in _FAULTS and not op.regions
        return is_number and all(_can_be_made(value, search) for value in op.operands)
    array, *indices = op.operands
    if is_defined_inside(array, search.nest) or [i for i in indices if i in search.places] != search.places:
        return False
    shapes = Shapes()
    for index, extent in zip(indices, map(shapes.in_full, shapes.of(array)), strict=True):
        known = constant_integer(index)
        if index in search.places:
            first, last, step = list(search.loops[search.places.index(index)].operands)[:3]
            if (constant_integer(first), constant_integer(step)) != (0, 1) or shapes.read(last) != extent:
                return False
        elif known is None or not isinstance(extent, int) or not 0 <= known < extent:
            return False
    search.reads.append(op)
    return True


def _can_be_made(value: Value, search: _Search) -> bool:
    """Whether a number is known outside of the nest, or made of such by arithmetic."""
    if not is_defined_inside(value, search.nest) or value in search.places:
        return True
    owner = value.owner
    if isinstance(owner, ir.Block):
        return bool(owner.owner == search.nest or value == search.loops[-1].regions[0].blocks[0].arguments[1])
    op = owner.operation
    if is_defined_inside(value, search.loops[0]):
        return True  # looked at by itself
    is_number = op.name.startswith("arith.") and op.name not in _FAULTS
    return is_number and all(_can_be_made(operand, search) for operand in op.operands)


def _replace(search: _Search) -> None:
    """Make the reduction in front of the nest, and give the nest what it makes."""
    loop = search.loops[0]
    with ir.InsertionPoint(search.nest), loop.location:
        number = dialect("tensor").extract(_reduction(search), [])
    loop.results[0].replace_all_uses_with(number)
    branch, block = loop.parent.operation, loop.block
    loop.erase()
    for op in reversed(operations_in(block)[:-1]):
        if is_unused(op):
            op.erase()
    while branch.name == "scf.if" and all(len(operations_in(r.blocks[0])) == 1 for r in branch.regions):
        branch = _chosen(branch)


def _chosen(branch: Operation) -> Operation:
    """Choose between numbers that are known by then; what was around the branch."""
    around = branch.parent.operation
    taken, other = (terminator(region.blocks[0]).operands for region in branch.regions)
    with ir.InsertionPoint(branch), branch.location:
        for result, one, two in zip(branch.results, taken, other, strict=True):
            result.replace_all_uses_with(dialect("arith").select(branch.operands[0], one, two))
    branch.erase()
    return around


def _reduction(search: _Search) -> Value:
    """The number that a search makes, in a tensor."""
    rank = len(search.loops)
    kind = search.combine.results[0].type
    numbers = list(dict.fromkeys(_numbers_of_nest(search)))
    arguments = list(search.nest.regions[0].blocks[0].arguments)
    inputs = [read.operands[0] for read in search.reads]
    inputs += [search.nest.operands[arguments.index(number)] for number in numbers]

    def combined(*given: Value) -> list[Value]:
        values = dict(zip([*(read.results[0] for read in search.reads), *numbers], given[:-1], strict=True))
        values |= {place: linalg_index(axis) for axis, place in enumerate(search.places)}
        element = _made(search.element, search.nest, values)
        made = ir.Operation.create(search.combine.name, results=[kind], operands=[given[-1], element])
        return [made.results[0]]

    everywhere = ir.AffineMap.get(rank, 0, [])
    maps = [_map(read, search.places) for read in search.reads] + [everywhere] * (len(numbers) + 1)
    conversion = Conversion(None)
    start = filled(search.loops[0].operands[3], dialect("tensor").empty([], kind))
    (made,) = conversion.generic(inputs, [start], maps, ["reduction"] * rank, combined)
    return made


def _map(read: Operation, places: Sequence[Value]) -> Any:
    """Where an iteration reads, which is at its place, and at some number along other axes."""
    expressions = [
        ir.AffineExpr.get_dim(places.index(index))
        if index in places
        else ir.AffineExpr.get_constant(constant_integer(index))
        for index in list(read.operands)[1:]
    ]
    return ir.AffineMap.get(len(places), 0, expressions)


def _numbers_of_nest(search: _Search) -> Iterator[Value]:
    """The numbers that a search takes of those of its nest."""
    pending, seen = [search.element], set[Value]()
    while pending:
        value = pending.pop()
        if value in seen or not is_defined_inside(value, search.nest):
            continue
        seen.add(value)
        if not isinstance(value.owner, ir.Block):
            pending += value.owner.operation.operands
        elif value.owner.owner == search.nest:
            yield value


def _made(value: Value, nest: Operation, values: dict[Value, Value]) -> Value:
    """A number again, at the insertion point, of the numbers that there are."""
    if value not in values and is_defined_inside(value, nest):
        op = value.owner.operation
        operands = [_made(operand, nest, values) for operand in op.operands]
        copy = op.clone().operation
        for number, operand in enumerate(operands):
            copy.operands[number] = operand
        values.update(zip(op.results, copy.results, strict=True))
    return values.get(value, value)
