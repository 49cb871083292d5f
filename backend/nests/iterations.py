"""Loops whose iterations need nothing of each other: what each writes, no other one touches."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field

from ...dialect.mlir import Operation, Value, ir
from ...dialect.records import dataclass
from ...passes.rewriting import constant_integer, is_defined_inside, operations_of
from ..planning.names import EXIT
from .independence import base

_ACCESSES = {"memref.load": 0, "memref.store": 1}
"""The operations that touch memory, and which of their operands is the memref; indices follow."""
_HARMLESS = (
    "arith.",
    "math.",
    "complex.",
    "index.",
    "scf.",
    "affine.apply",
    "memref.dim",
    "memref.get_global",
)
_BELOW = 6
"""The predicate of `arith.cmpi ult`."""
_LOCAL = ("memref.alloc", "memref.alloca", "memref.dealloc")


@dataclass
class Linear:
    """A sum: a multiple of the position of a loop, multiples of values from outside of it, and a number."""

    factor: int = 0
    terms: dict[Value, int] = field(default_factory=dict)
    number: int = 0

    def plus(self, other: Linear, times: int = 1) -> Linear:
        """This and a multiple of another."""
        terms = dict(self.terms)
        for value, count in other.terms.items():
            terms[value] = terms.get(value, 0) + times * count
        terms = {value: count for value, count in terms.items() if count}
        return Linear(self.factor + times * other.factor, terms, self.number + times * other.number)


def are_independent(loop: Operation, record: Value | None = None) -> bool:
    """Whether the iterations of an `scf.for` may run in any order, or at the same time.

    For each memory that is written there has to be an axis that all accesses go along with the loop, in the same way.
    With the `record` of errors of a kernel, iterations may also raise: that the first does is left to the caller.
    """
    if loop.name != "scf.for" or loop.results:
        return False
    accesses: dict[Value, list[tuple[Value, list[Linear | None]]]] = {}
    written: set[Value] = set()
    for op in operations_of(loop):
        if op.name in _ACCESSES:
            memref, *indices = list(op.operands)[_ACCESSES[op.name] :]
            memory = base(memref)
            if _is_local(memory, loop) or (record is not None and memory == record):
                continue
            accesses.setdefault(memory, []).append((memref, [linear(index, loop) for index in indices]))
            if op.name == "memref.store":
                written.add(memory)
        elif record is not None and _is_exit(op):
            continue
        elif not op.name.startswith(_HARMLESS) and op.name not in _LOCAL:
            return False
    return all(_meets_only_itself(accesses[memory]) for memory in written)


def _is_exit(op: Operation) -> bool:
    return op.name == "func.call" and bool(op.attributes["callee"].value == EXIT)


def _is_local(memory: Value, loop: Operation) -> bool:
    """Whether memory belongs to an iteration."""
    return not isinstance(memory.owner, ir.Block) and is_defined_inside(memory, loop)


def _meets_only_itself(accesses: list[tuple[Value, list[Linear | None]]]) -> bool:
    """Whether accesses go by one view, and along an axis of it at a place of the iteration's own."""
    memref, indices = accesses[0]
    if any(other != memref for other, _ in accesses):
        return False
    places = [indices for _, indices in accesses]
    return any(_is_own(axis, places) for axis in range(len(indices)))


def _is_own(axis: int, accesses: list[list[Linear | None]]) -> bool:
    """Whether all accesses are at the same place along an axis, which is another one in each iteration."""
    first, *others = [access[axis] for access in accesses]
    return first is not None and first.factor != 0 and all(other == first for other in others)


def linear(value: Value, loop: Operation) -> Linear | None:
    """A number as a sum in the position of a loop; None where it is another function of what the loop computes."""
    if value == loop.regions[0].blocks[0].arguments[0]:
        return Linear(1)
    number = constant_integer(value)
    if number is not None:
        return Linear(number=number)
    if not is_defined_inside(value, loop):
        return Linear(terms={value: 1})
    if isinstance(value.owner, ir.Block):
        return None
    op = value.owner.operation
    if op.name == "arith.index_cast" and _is_word(op.operands[0].type) and _is_word(value.type):
        return linear(op.operands[0], loop)
    if op.name == "arith.select" and _is_clamp(op):
        return linear(op.operands[1], loop)
    if op.name in ("arith.addi", "arith.subi", "arith.muli"):
        left, right = (linear(operand, loop) for operand in op.operands)
        return None if left is None or right is None else _combined(op.name, left, right)
    return None


def _combined(name: str, left: Linear, right: Linear) -> Linear | None:
    if name != "arith.muli":
        return left.plus(right, 1 if name == "arith.addi" else -1)
    for factor, other in ((left, right), (right, left)):
        if not factor.factor and not factor.terms:
            return Linear().plus(other, factor.number)
    return None


def _is_clamp(select: Operation) -> bool:
    """Whether an index is taken as it is unless it is out of bounds, which a check before has excluded.

    Only clamps compare indices without sign: what programs compare are integers.
    """
    condition, index, otherwise = select.operands
    compare = None if isinstance(condition.owner, ir.Block) else condition.owner.operation
    return (
        isinstance(index.type, ir.IndexType)
        and constant_integer(otherwise) == 0
        and compare is not None
        and compare.name == "arith.cmpi"
        and compare.attributes["predicate"].value == _BELOW
        and compare.operands[0] == index
    )


def _is_word(type: ir.Type) -> bool:
    """Whether a type holds all indices."""
    return isinstance(type, ir.IndexType) or str(type) == "i64"


def perfect_nest(loop: Operation, record: Value | None = None) -> Iterator[Operation]:
    """A loop with independent iterations, and those that are all that is in it, as long as theirs are, too."""
    yield loop
    while True:
        *ops, _ = [op.operation for op in loop.regions[0].blocks[0].operations]
        inner = [op for op in ops if op.name == "scf.for"]
        others = [op for op in ops if op.name != "scf.for"]
        if len(inner) != 1 or not all(op.name.startswith("arith.") for op in others):
            return
        (following,) = inner
        if any(is_defined_inside(bound, loop) for bound in list(following.operands)[:3]):
            return
        if constant_integer(following.operands[2]) is None or not are_independent(following, record):
            return
        loop = following
        yield loop
