"""Sizes that are known when a function is called, as terms: equal ones are told by how they are computed."""

from __future__ import annotations

from collections.abc import Hashable

from ...dialect.mlir import Value, ir
from ...dialect.sizes import Computed, Size, computed, floordiv, replaced, symbol
from ...passes.index_arithmetic import Extent, IndexArithmetic
from ...passes.rewriting import copy_with
from .shapes import Axis, Shapes, sole_symbol

_NOT_EQUAL = 1  # arith.CmpIPredicate.ne
_DIVISIONS = ("arith.divsi", "arith.divui")

TYPICAL_EXTENT = 100
"""What is assumed of a size, where arrays of unknown sizes are compared."""


class Terms:
    """The sizes of one planned function: index arithmetic on numbers and on the sizes of its arguments."""

    def __init__(self, builder: IndexArithmetic) -> None:
        self._builder = builder
        self._shapes = Shapes()
        self._emitted: dict[Size, Value] = {}
        self._alike: dict[Axis, Axis] = {}

    def of(self, extent: Extent) -> Size:
        """The term of an extent."""
        return extent if isinstance(extent, int) else self._shapes.read(extent)

    def expect(self, condition: Value) -> None:
        """Note the sizes that are equal if a condition does not hold, which is an error."""
        self._shapes = Shapes()  # ops may have been erased since
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

    def _counted(self, number: Value) -> Axis | None:
        """The axis whose size a number is."""
        if isinstance(number.owner, ir.Block):
            return None
        op = number.owner.operation
        axis = sole_symbol(self.of(op.operands[0] if op.name == "arith.index_cast" else number))
        return axis if isinstance(axis, Axis) else None

    def _first(self, axis: Axis) -> Axis:
        """One of the axes whose sizes are expected to be equal, the same for all of them."""
        while axis in self._alike:
            axis = self._alike[axis]
        return axis

    def kind(self, extent: Extent) -> Size:
        """A term that is equal for extents that are expected to be equal, and for most others is not.

        An error that is raised while the function runs may tell that they are not: by then they are in use.
        """
        return replaced(self.of(extent), self._kind)

    def _kind(self, name: Hashable) -> Size:
        if isinstance(name, Computed):
            return computed(name.function, *(replaced(operand, self._kind) for operand in name.operands))
        return symbol(self._first(name) if isinstance(name, Axis) else name)

    def guess(self, extent: Extent) -> int:
        """About how large an extent is, if all sizes of arguments are the same."""
        return self._guessed(self.of(extent))

    def _guess(self, name: Hashable) -> Size:
        if not isinstance(name, Computed):
            return TYPICAL_EXTENT
        operands = [self._guessed(operand) for operand in name.operands]
        function = name.function
        if isinstance(function, tuple) and function[0] in _DIVISIONS:
            return floordiv(operands[0], max(1, operands[1]))
        guess = computed(function, *operands) if callable(function) else None
        if isinstance(guess, int):
            return guess
        return max(operands, default=TYPICAL_EXTENT)  # rounded, or one of several that are alike

    def _guessed(self, term: Size) -> int:
        guess = replaced(term, self._guess)
        assert isinstance(guess, int)
        return guess

    def emit(self, extent: Extent) -> Value:
        """An extent, computed at the insertion point, which is the same each time."""
        term = self.of(extent)
        if isinstance(term, int):
            return self._builder.value(term)
        assert isinstance(extent, ir.Value)
        if term not in self._emitted:
            op = extent.owner.operation
            operands = [
                operand if isinstance(operand.type, ir.MemRefType) else self.emit(operand)
                for operand in op.operands
            ]
            self._emitted[term] = copy_with(op, operands).results[0]
        return self._emitted[term]
