"""Conditions of single threads, or of all that take the same way."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from ....dialect.mlir import Operation, Value, ir
from ...nests.emit import create

_PREDICATES = ("eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge")


def compare(predicate: str, left: Value, right: Value) -> Value:
    """A comparison of integers."""
    i64 = ir.IntegerType.get_signless(64)
    attributes = {"predicate": ir.IntegerAttr.get(i64, _PREDICATES.index(predicate))}
    return create("arith.cmpi", [ir.IntegerType.get_signless(1)], [left, right], attributes)


@contextmanager
def only_if(condition: Value) -> Iterator[Operation]:
    """Write what happens if a condition holds; yields the `scf.if`, whose other way is still empty."""
    branch = ir.Operation.create("scf.if", [], [condition], regions=2)
    with ir.InsertionPoint(branch.regions[0].blocks.append()):
        yield branch
        create("scf.yield", [], [])


@contextmanager
def otherwise(branch: Operation) -> Iterator[None]:
    """Write what happens if the condition of an `only_if` does not hold."""
    with ir.InsertionPoint(branch.regions[1].blocks.append()):
        yield
        create("scf.yield", [], [])
