"""Divisions by constants that each wait for the one before: by two multiplications, with the same quotients.

    for j in range(1, n): a[j] = (a[j] + a[j - 1]) / 9

Such a loop takes the latency of its division, 13 cycles, for each element; a multiplication and a fused one take 8.
They give the quotient to the last bit for divisors that are checked when the program is compiled, and for dividends
that are neither huge nor tiny, which a branch makes sure of: others, infinities, NaN and zeros are divided as ever. On
a Zen 3 core seven Gauss-Seidel sweeps over 200x200 cells take 1.07 ms instead of 1.60.

Where divisions do not wait for each other the machine starts one every few cycles, in vectors, and they are left alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ....dialect.mlir import Module, Operation, Value, ir
from ....dialect.records import dataclass
from ....passes.base import Pass, Statistics
from ....passes.rewriting import defined_functions, operations_in, operations_of
from ... import target
from ...functions.number import Number, all_of, rarely
from ...nests.emit import create, either, scalar
from ...nests.independence import base
from .vectors.split_division import split_divisor

if TYPE_CHECKING:
    from ...functions.split_reciprocal import SplitReciprocal


@dataclass(frozen=True)
class ShortenDivisions(Pass):
    """Multiply instead of dividing by a constant where an iteration of a loop waits for the division of the last."""

    def run(self, module: Module, statistics: Statistics) -> None:
        """Look at the divisions of scalars in the bodies of loops."""
        if not target.current().fused_multiply_add:
            return
        for view in defined_functions(module):
            found = [op for op in operations_of(view.operation) if _is_candidate(op)]
            for division in found:
                parts = split_divisor(division)
                if parts is not None and _is_chained(division):
                    _replace(division, parts)
                    statistics["divisions shortened"] += 1


def _is_candidate(operation: Operation) -> bool:
    if operation.name != "arith.divf" or operation.parent.name != "scf.for":
        return False
    return isinstance(operation.results[0].type, ir.F32Type | ir.F64Type)


def _is_chained(division: Operation) -> bool:
    """Whether what is divided depends on what the division gave in an earlier iteration.

    By a value that the loop carries, or by memory: an element is read that an iteration does not write itself, of an
    array that the loop writes.
    """
    operations = operations_in(division.block)
    needed = _needed(division.operands[0], operations)
    made = _made_of(division.results[0], operations)
    last = operations[-1]
    carried = list(division.block.arguments)[1:]
    if any(a in needed and b in made for a, b in zip(carried, last.operands, strict=True)):
        return True
    stores = [op for op in operations if op.name == "memref.store" and op.operands[0] in made]
    loads = [op for op in operations if op.name == "memref.load" and op.results[0] in needed]
    return any(_meet(load, store) for load in loads for store in stores)


def _meet(load: Operation, store: Operation) -> bool:
    """Whether a load is of the array of a store, at another place."""
    read, written = load.operands[0], store.operands[1]
    if base(read) != base(written):
        return False
    return read != written or list(load.operands)[1:] != list(store.operands)[2:]


def _needed(value: Value, operations: list[Operation]) -> set[Value]:
    """What a value is computed of in an iteration."""
    found = {value}
    for operation in reversed(operations):
        if not found.isdisjoint(operation.results):
            found.update(operation.operands)
    return found


def _made_of(value: Value, operations: list[Operation]) -> set[Value]:
    """What is computed of a value in an iteration."""
    found = {value}
    for operation in operations:
        if not found.isdisjoint(operation.operands):
            found.update(operation.results)
    return found


def _replace(division: Operation, parts: SplitReciprocal) -> None:
    with ir.InsertionPoint(division), division.location:
        x = Number(division.operands[0])
        size = abs(x)
        usual = all_of(size.compare(">=", parts.least), size.compare("<=", parts.largest))
        i1 = ir.IntegerType.get_signless(1)
        yes = scalar(i1, 1)
        unusual = rarely(create("arith.xori", [i1], [usual, yes]))  # else LLVM would compute both
        found = either(
            unusual,
            x.type,
            lambda: (x / Number(division.operands[1])).value,
            lambda: x.times_plus(x.constant(parts.high), x * parts.low).value,
        )
    division.results[0].replace_all_uses_with(found)
    division.erase()
