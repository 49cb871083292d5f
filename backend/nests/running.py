"""Recognise running sums and their kin: loops that combine every element with the result before it.

for i: for j: out[i, j] = x[i, j] if j == 0 else join(out[i, j - 1], x[i, j])
"""

from __future__ import annotations

from ...dialect.mlir import Operation, Value, ir
from ...dialect.op import FUNCTIONS
from ...dialect.records import dataclass
from ...passes.rewriting import constant_integer, is_defined_inside, operations_in
from .independence import base
from .reductions import KINDS

_JOINS = {*KINDS, "complex.add", "complex.mul"}
_CONVERSIONS = ("arith.extf", "arith.truncf")
"""What halves are added up by, besides."""
_PURE = ("arith.", "complex.", "index.", *FUNCTIONS)


@dataclass
class RunningLoop:
    """Loops in each other, the innermost of which makes an element of what is combined."""

    loops: list[Operation]
    """Outermost first; all begin at 0 and go in steps of 1."""
    axis: int
    """The number of the loop along which elements are combined."""
    element: list[Operation]
    """What computes an element."""
    value: Value
    """The element."""
    before: Value
    """What is read of the result before it."""
    join: list[Operation]
    """What combines both, last the result."""
    store: Operation

    @property
    def positions(self) -> list[Value]:
        """The positions of the loops."""
        return [loop.regions[0].blocks[0].arguments[0] for loop in self.loops]

    @property
    def is_contiguous(self) -> bool:
        """Whether the elements that are combined lie side by side."""
        last = list(self.store.operands)[-1]
        return bool(last == self.positions[self.axis])


def match_running(loop: Operation) -> RunningLoop | None:
    """See loops as the combination of all elements along one of them, or say that they are none."""
    loops = _loops(loop)
    if loops is None:
        return None
    *ops, _ = operations_in(loops[-1].regions[0].blocks[0])
    stores = [op for op in ops if op.name == "memref.store"]
    branches = [op for op in ops if op.name == "scf.if"]
    if len(stores) != 1 or len(branches) != 1 or ops[-1] != stores[0]:
        return None
    (store,), (branch,) = stores, branches
    positions = [each.regions[0].blocks[0].arguments[0] for each in loops]
    value, target, *places = store.operands
    if list(branch.results) != [value] or set(places) != set(positions) or len(places) != len(positions):
        return None
    axis = _axis_that_begins(branch, positions)
    if axis is None:
        return None
    first, rest = (operations_in(region.blocks[0]) for region in branch.regions)
    if len(first) != 1 or is_defined_inside(first[0].operands[0], branch):
        return None
    element = [op for op in ops if op not in (store, branch)]
    found = RunningLoop(loops, axis, element, first[0].operands[0], value, [], store)
    return found if _joins(rest, found) and _reads_others(element, target, places) else None


def _loops(loop: Operation) -> list[Operation] | None:
    """Loops of which each is all that the one around it does."""
    found: list[Operation] = []
    while True:
        start, _, step = list(loop.operands)[:3]
        if loop.results or constant_integer(start) != 0 or constant_integer(step) != 1:
            return None
        if any(is_defined_inside(bound, outer) for outer in found for bound in list(loop.operands)[:3]):
            return None
        found.append(loop)
        *ops, _ = operations_in(loop.regions[0].blocks[0])
        if len(ops) != 1 or ops[0].name != "scf.for":
            return None if any(op.name == "scf.for" for op in ops) else found
        loop = ops[0]


def _axis_that_begins(branch: Operation, positions: list[Value]) -> int | None:
    """The loop that a branch asks whether it begins."""
    condition = branch.operands[0]
    if isinstance(condition.owner, ir.Block) or condition.owner.operation.name != "arith.cmpi":
        return None
    compare = condition.owner.operation
    left, right = compare.operands
    is_start = compare.attributes["predicate"].value == 0 and constant_integer(right) == 0
    return positions.index(left) if is_start and left in positions else None


def _joins(ops: list[Operation], found: RunningLoop) -> bool:
    """Whether operations read the result before an element, combine both, and do nothing else."""
    *ops, end = ops
    loads = [op for op in ops if op.name == "memref.load"]
    if len(loads) != 1 or loads[0].operands[0] != found.store.operands[1]:
        return False
    place, step = found.positions[found.axis], None
    for own, other in zip(list(loads[0].operands)[1:], list(found.store.operands)[2:], strict=True):
        if other == place:
            step = _one_before(own, place)
        elif own != other:
            return False
    found.before = loads[0].results[0]
    found.join = [op for op in ops if op not in (loads[0], step)]
    names = [op.name for op in found.join]
    combiners = [op for op in found.join if op.name in _JOINS]
    is_known = len(combiners) == 1 and all(name in (*_JOINS, *_CONVERSIONS) for name in names)
    if step is None or not is_known or not found.join or end.operands[0] != found.join[-1].results[0]:
        return False
    return {_unconverted(operand, found.join) for operand in combiners[0].operands} == {
        found.before,
        found.value,
    }


def _unconverted(value: Value, join: list[Operation]) -> Value:
    """What a number was before it was made wider to be combined."""
    while not isinstance(value.owner, ir.Block) and value.owner.operation in join:
        if value.owner.operation.name != "arith.extf":
            break
        value = value.owner.operation.operands[0]
    return value


def _one_before(value: Value, place: Value) -> Operation | None:
    """The operation that computes the place before one."""
    if isinstance(value.owner, ir.Block):
        return None
    op = value.owner.operation
    number = {"arith.subi": 1, "arith.addi": -1}.get(op.name)
    is_before = number is not None and op.operands[0] == place and constant_integer(op.operands[1]) == number
    return op if is_before else None


def _reads_others(ops: list[Operation], target: Value, places: list[Value]) -> bool:
    """Whether elements are computed of other memory than the results, or of what is in their place."""
    for op in ops:
        if op.name == "memref.load":
            memref, *indices = op.operands
            if base(memref) == base(target) and (memref != target or indices != places):
                return False
        elif op.regions or not op.name.startswith(_PURE):
            return False
    return True
