"""Arithmetic on extents: folded where they are static, index ops where they are known only at run time."""

from __future__ import annotations

from collections.abc import Sequence

from ...dialect.mlir import Value, dialect
from ...dialect.records import dataclass
from .conversion import Conversion, Extent

arith = dialect("arith")

_LESS_THAN = arith.CmpIPredicate.slt
_EQUAL = arith.CmpIPredicate.eq


@dataclass(frozen=True)
class ExtentMath:
    """Builds index arithmetic at the current insertion point; ints stay ints."""

    c: Conversion

    def add(self, x: Extent, y: Extent) -> Extent:
        """The sum."""
        if isinstance(x, int) and isinstance(y, int):
            return x + y
        if isinstance(y, int) and y == 0:
            return x
        if isinstance(x, int) and x == 0:
            return y
        return arith.AddIOp(self.c.index(x), self.c.index(y)).result

    def subtract(self, x: Extent, y: Extent) -> Extent:
        """The difference."""
        if isinstance(x, int) and isinstance(y, int):
            return x - y
        if isinstance(y, int) and y == 0:
            return x
        return arith.SubIOp(self.c.index(x), self.c.index(y)).result

    def multiply(self, x: Extent, y: Extent) -> Extent:
        """The product."""
        if isinstance(x, int) and isinstance(y, int):
            return x * y
        if isinstance(y, int) and y == 1:
            return x
        if isinstance(x, int) and x == 1:
            return y
        return arith.MulIOp(self.c.index(x), self.c.index(y)).result

    def smaller(self, x: Extent, y: Extent) -> Extent:
        """The minimum."""
        if isinstance(x, int) and isinstance(y, int):
            return min(x, y)
        return arith.MinSIOp(self.c.index(x), self.c.index(y)).result

    def larger(self, x: Extent, y: Extent) -> Extent:
        """The maximum."""
        if isinstance(x, int) and isinstance(y, int):
            return max(x, y)
        return arith.MaxSIOp(self.c.index(x), self.c.index(y)).result

    def steps(self, distance: Extent, step: int) -> Extent:
        """How many steps of a positive length a distance takes: rounded up, 0 for a negative one."""
        if isinstance(distance, int):
            return max(0, -(-distance // step))
        reached = self.larger(distance, 0)
        if step == 1:
            return reached
        return arith.DivUIOp(self.c.index(self.add(reached, step - 1)), self.c.index(step)).result

    def modulo(self, x: Extent, period: Extent) -> Extent:
        """The remainder with the sign of a positive period."""
        if isinstance(x, int) and isinstance(period, int):
            return x % period
        remainder = arith.RemSIOp(self.c.index(x), self.c.index(period)).result
        if isinstance(x, int) and x >= 0:
            return remainder
        return self.where_negative(remainder, self.add(remainder, period), remainder)

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
        holds = arith.CmpIOp(predicate, x, self.c.index(0)).result
        return arith.SelectOp(holds, self.c.index(then), self.c.index(otherwise)).result

    def product(self, extents: Sequence[Extent]) -> Extent:
        """The product of all."""
        result: Extent = 1
        for extent in extents:
            result = self.multiply(result, extent)
        return result
