"""Sizes that are known when a function is called, as terms: equal ones are told by how they are computed."""

from __future__ import annotations

from typing import TypeAlias

from ...dialect.mlir import Operation, Value, ir
from .shapes import Extent, IndexBuilder

Term: TypeAlias = "int | tuple[object, ...]"
"""A number, or an operation with terms as operands."""

_NOT_EQUAL = 1  # arith.CmpIPredicate.ne

TYPICAL_EXTENT = 100
"""What is assumed of a size, where arrays of unknown sizes are compared."""


class Terms:
    """The sizes of one planned function: index arithmetic on numbers and on the sizes of its arguments."""

    def __init__(self, builder: IndexBuilder) -> None:
        self._builder = builder
        self._terms: dict[Value, Term] = {}
        self._guesses: dict[Term, int] = {}
        self._emitted: dict[Term, Value] = {}
        self._alike: dict[Term, Term] = {}

    def of(self, extent: Extent) -> Term:
        """The term of an extent."""
        if isinstance(extent, int):
            return extent
        known = self._terms.get(extent)
        if known is None:
            known = self._terms[extent] = self._read(extent)
        return known

    def _read(self, value: Value) -> Term:
        if isinstance(value.owner, ir.Block):
            return ("argument", value)
        op = value.owner.operation
        if op.name == "arith.constant" and isinstance(value.type, ir.IndexType):
            return int(op.attributes["value"].value)
        if op.name == "memref.dim":
            return (op.name, op.operands[0], self.of(op.operands[1]))
        told = [str(value.type), *(f"{name}={op.attributes[name]}" for name in op.attributes)]
        return (op.name, ",".join(told), *(self.of(operand) for operand in op.operands))

    def expect(self, condition: Value) -> None:
        """Note the sizes that are equal if a condition does not hold, which is an error."""
        self._terms.clear()  # of ops that may have been erased since
        if isinstance(condition.owner, ir.Block):
            return
        op = condition.owner.operation
        if op.name in ("arith.extui", "arith.ori"):
            for operand in op.operands:
                self.expect(operand)
        elif op.name == "arith.cmpi" and op.attributes["predicate"].value == _NOT_EQUAL:
            left, right = map(self._counted, op.operands)
            if left is not None and right is not None and self._first(left) != self._first(right):
                self._alike[self._first(left)] = self._first(right)

    def _counted(self, number: Value) -> Term | None:
        """The size that a number is."""
        if isinstance(number.owner, ir.Block):
            return None
        op = number.owner.operation
        source = op.operands[0] if op.name == "arith.index_cast" else number
        if isinstance(source.owner, ir.Block) or source.owner.operation.name != "memref.dim":
            return None
        return self.of(source)

    def _first(self, term: Term) -> Term:
        """One of the terms that are expected to be equal, the same for all of them."""
        while term in self._alike:
            term = self._alike[term]
        return term

    def kind(self, extent: Extent) -> Term:
        """A term that is equal for extents that are expected to be equal, and for most others is not.

        An error that is raised while the function runs may tell that they are not: by then they are in use.
        """
        return self._kind(self.of(extent))

    def _kind(self, term: Term) -> Term:
        if isinstance(term, int) or term[0] in ("memref.dim", "argument"):
            return self._first(term)
        name, attributes, *operands = term
        kinds = [self._kind(operand) for operand in operands if isinstance(operand, int | tuple)]
        if name in ("arith.muli", "arith.addi"):
            kinds.sort(key=hash)
        return (name, attributes, *kinds)

    def guess(self, extent: Extent) -> int:
        """About how large an extent is, if all sizes of arguments are the same."""
        term = self.of(extent)
        if isinstance(term, int):
            return term
        if term not in self._guesses:
            self._guesses[term] = self._guess(extent)
        return self._guesses[term]

    def _guess(self, value: Value) -> int:
        op: Operation = value.owner.operation
        if op.name == "memref.dim":
            return TYPICAL_EXTENT
        numbers = [self.guess(operand) for operand in op.operands if operand.type == value.type]
        if op.name == "arith.addi":
            return sum(numbers)
        if op.name == "arith.muli":
            return numbers[0] * numbers[1]
        if op.name in ("arith.floordivsi", "arith.ceildivsi", "arith.divsi", "arith.divui"):
            return numbers[0] // max(1, numbers[1])
        return numbers[0] if numbers else TYPICAL_EXTENT  # rounded, or one of several that are alike

    def emit(self, extent: Extent) -> Value:
        """An extent, computed at the insertion point, which is the same each time."""
        if isinstance(extent, int):
            return self._builder.value(extent)
        term = self.of(extent)
        if isinstance(term, int):
            return self._builder.value(term)
        if term not in self._emitted:
            op = extent.owner.operation
            operands = list(op.operands)
            if op.name != "memref.dim":
                operands = [self.emit(operand) for operand in operands]
            else:
                operands[1] = self.emit(operands[1])
            copy = op.clone()
            for index, operand in enumerate(operands):
                copy.operands[index] = operand
            self._emitted[term] = copy.results[0]
        return self._emitted[term]


__all__ = ["Term", "Terms"]
