"""Mark loop nests that differ in their bodies alone, so that `cse` need not compare each with all others.

What `cse` puts ops into a hash table by is their operands, types and attributes, but not their regions. A thousand
nests that read the same arrays would all be in one place of the table.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable

from ...dialect.mlir import Module, Operation, Value, ir
from ...dialect.records import dataclass
from ..base import Pass, Statistics
from ..rewriting import operations_in, operations_of

MARK = "weft.body"


@dataclass(frozen=True)
class MarkDistinctBodies(Pass):
    """Number the bodies of `linalg.generic` ops of which many have the same operands; equal bodies have one number."""

    most: int = 16
    """So many nests with the same operands are left as they are: to compare them takes no time."""

    remove: bool = False
    """Take the numbers away again."""

    def run(self, module: Module, statistics: Statistics) -> None:
        """Look at all loop nests, wherever they are."""
        if self.remove and MARK not in module.operation.attributes:
            return
        generics = [op for op in operations_of(module.operation) if op.name == "linalg.generic"]
        if self.remove:
            del module.operation.attributes[MARK]
            for op in generics:
                if MARK in op.attributes:
                    del op.attributes[MARK]
            return
        alike: dict[Hashable, list[Operation]] = defaultdict(list)
        for op in generics if len(generics) > self.most else ():
            alike[tuple(map(_from_outside, op.operands))].append(op)
        integer = ir.IntegerType.get_signless(64)
        for group in alike.values():
            if len(group) <= self.most:
                continue
            module.operation.attributes[MARK] = ir.UnitAttr.get()
            numbers: dict[Hashable, int] = {}
            for op in group:
                number = numbers.setdefault(_body(op), len(numbers))
                op.attributes[MARK] = ir.IntegerAttr.get(integer, number)
            statistics["bodies numbered"] += len(numbers)


def _body(generic: Operation) -> Hashable:
    """What a body computes: equal for equal bodies; constants from outside count by what they are."""
    block = generic.regions[0].blocks[0]
    known: dict[Value, Hashable] = {argument: number for number, argument in enumerate(block.arguments)}
    parts: list[Hashable] = []
    for op in operations_in(block):
        operands = tuple(known[v] if v in known else _from_outside(v) for v in op.operands)
        parts.append((op.name, tuple(op.attributes.items()), operands))
        for result in op.results:
            known[result] = len(known)
            parts.append(result.type)
    return tuple(parts)


def _from_outside(value: Value) -> Hashable:
    """What a value is after `cse`: constants, and uninitialised tensors of one type, are equal."""
    found: Hashable = value
    if not isinstance(value.owner, ir.Block):
        op = value.owner.operation
        if op.name == "arith.constant":
            found = op.attributes["value"]
        elif op.name == "tensor.empty" and not len(op.operands):
            found = (op.name, value.type)
    return found
