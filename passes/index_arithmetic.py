"""Arithmetic on extents: folded where they are static, index ops where they are known only at run time."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import TypeAlias

from ..dialect.mlir import Attribute, Block, Value, dialect, ir

arith = dialect("arith")

Extent: TypeAlias = "int | Value"
"""An extent of a shape: an int where it is static, an `index` value where it is not."""

LARGEST = 2**63 - 1
"""The largest number of type index, for sizes that are too large."""

_LESS_THAN = arith.CmpIPredicate.slt
_EQUAL = arith.CmpIPredicate.eq
_NOT_EQUAL = arith.CmpIPredicate.ne


@lru_cache(maxsize=1024)
def _index_attribute(number: int) -> Attribute:
    return ir.IntegerAttr.get(ir.IndexType.get(), number)


class IndexArithmetic:
    """Builds index arithmetic at the current insertion point; ints stay ints."""

    def value(self, extent: Extent) -> Value:
        """The extent as an `index` value: the constant of an int, or the value itself."""
        if isinstance(extent, int):
            value = _index_attribute(extent)
            return ir.Operation.create("arith.constant", [value.type], attributes={"value": value}).results[0]
        return extent

    def _binary(self, name: str, x: Extent, y: Extent) -> Value:
        left, right = self.value(x), self.value(y)
        return ir.Operation.create(name, [left.type], [left, right]).results[0]

    def add(self, x: Extent, y: Extent) -> Extent:
        """The sum."""
        if isinstance(x, int) and isinstance(y, int):
            return x + y
        if isinstance(y, int) and y == 0:
            return x
        if isinstance(x, int) and x == 0:
            return y
        return self._binary("arith.addi", x, y)

    def subtract(self, x: Extent, y: Extent) -> Extent:
        """The difference."""
        if isinstance(x, int) and isinstance(y, int):
            return x - y
        if isinstance(y, int) and y == 0:
            return x
        return self._binary("arith.subi", x, y)

    def multiply(self, x: Extent, y: Extent) -> Extent:
        """The product."""
        if isinstance(x, int) and isinstance(y, int):
            return x * y
        if isinstance(y, int) and y == 1:
            return x
        if isinstance(x, int) and x == 1:
            return y
        return self._binary("arith.muli", x, y)

    def minimum(self, x: Extent, y: Extent) -> Extent:
        """The smaller one."""
        if isinstance(x, int) and isinstance(y, int):
            return min(x, y)
        return self._binary("arith.minsi", x, y)

    def maximum(self, x: Extent, y: Extent) -> Extent:
        """The larger one."""
        if isinstance(x, int) and isinstance(y, int):
            return max(x, y)
        return self._binary("arith.maxsi", x, y)

    def steps(self, distance: Extent, step: int) -> Extent:
        """How many steps of a positive length a distance takes: rounded up, 0 for a negative one."""
        if isinstance(distance, int):
            return max(0, -(-distance // step))
        reached = self.maximum(distance, 0)
        if step == 1:
            return reached
        return self._binary("arith.divui", self.add(reached, step - 1), step)

    def modulo(self, x: Extent, period: Extent) -> Extent:
        """The remainder with the sign of a positive period."""
        if isinstance(x, int) and isinstance(period, int):
            return x % period
        remainder = self._binary("arith.remsi", x, period)
        if isinstance(x, int) and x >= 0:
            return remainder
        return self.where_negative(remainder, self.add(remainder, period), remainder)

    def round_up(self, extent: Extent, multiple: int) -> Extent:
        """The smallest multiple of a power of two that is at least the extent."""
        if isinstance(extent, int):
            return -(-extent // multiple) * multiple
        return self._binary("arith.andi", self.add(extent, multiple - 1), -multiple)

    def where_negative(self, x: Extent, then: Extent, otherwise: Extent) -> Extent:
        """One of two extents by the sign of a third."""
        if isinstance(x, int):
            return then if x < 0 else otherwise
        return self._select(_LESS_THAN, x, then, otherwise)

    def where_zero(self, x: Extent, then: Extent, otherwise: Extent) -> Extent:
        """One of two extents by whether a third is zero."""
        if isinstance(x, int):
            return then if x == 0 else otherwise
        return self._select(_EQUAL, x, then, otherwise)

    def _select(self, predicate: object, x: Value, then: Extent, otherwise: Extent) -> Value:
        holds = arith.CmpIOp(predicate, x, self.value(0)).result
        return arith.SelectOp(holds, self.value(then), self.value(otherwise)).result

    def product(self, extents: Iterable[Extent]) -> Extent:
        """The product of all, 1 of none."""
        result: Extent = 1
        for extent in extents:
            result = self.multiply(result, extent)
        return result

    def saturating_product(self, extents: Sequence[Extent]) -> Extent:
        """The product of all, or the largest number if that is too large."""
        static = self.product([extent for extent in extents if isinstance(extent, int)])
        assert isinstance(static, int)
        result: Extent = min(static, LARGEST)
        for extent in extents:
            if not isinstance(extent, int):
                is_one = isinstance(result, int) and result == 1
                result = extent if is_one else saturating_product(self.value(result), extent)
        return result


class SharedConstants(IndexArithmetic):
    """Index arithmetic whose constants are made once, at the top of the function."""

    def __init__(self) -> None:
        self._constants: dict[int, Value] = {}

    def value(self, extent: Extent) -> Value:
        """The extent as an `index` value."""
        if not isinstance(extent, int):
            return extent
        found = self._constants.get(extent)
        if found is None:
            with ir.InsertionPoint.at_block_begin(_entry_block()):
                found = self._constants[extent] = super().value(extent)
        return found


def saturating_product(left: Value, right: Value) -> Value:
    """left * right, or the largest number: the upper half of the product must repeat the sign of the lower one."""
    index, i64 = ir.IndexType.get(), ir.IntegerType.get_signless(64)
    # Upstream's canonicalize makes invalid ops of a product of indices with 1; not so of one of i64.
    low, high = arith.mulsi_extended(arith.index_cast(i64, left), arith.index_cast(i64, right))
    sign = arith.shrsi(low, arith.constant(i64, 63))
    wraps = arith.cmpi(_NOT_EQUAL, high, sign)
    return arith.select(wraps, arith.constant(index, LARGEST), arith.index_cast(index, low))


def saturating_sum(left: Value, right: Value) -> Value:
    """left + right, or the largest number; extents are not negative, so only upwards can it wrap."""
    index = ir.IndexType.get()
    total = arith.addi(left, right)
    is_smaller = arith.cmpi(_LESS_THAN, total, left)
    wraps = arith.andi(is_smaller, arith.cmpi(_LESS_THAN, arith.constant(index, 0), right))
    return arith.select(wraps, arith.constant(index, LARGEST), total)


def _entry_block() -> Block:
    """The first block of the function around the insertion point."""
    operation = ir.InsertionPoint.current.block.owner.operation
    while operation.name != "func.func":
        operation = operation.parent.operation
    return operation.regions[0].blocks[0]
