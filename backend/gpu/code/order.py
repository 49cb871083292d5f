"""Which of two keys comes first: NaN behind all numbers; complex numbers by their real parts, then the others."""

from __future__ import annotations

from ....dialect.mlir import Value, ir
from ...nests.emit import create, scalar
from .control import compare


def comes_before(x: Value, y: Value) -> Value:
    """Whether a key comes before another one; of equal ones, none does."""
    if isinstance(x.type, ir.IntegerType):
        return compare("slt", x, y)
    if isinstance(x.type, ir.ComplexType):
        return _complex_comes_before(x, y)
    return _and(compare("ult", x, y), compare("oeq", x, x))


def _complex_comes_before(x: Value, y: Value) -> Value:
    """In groups: no NaN, imaginary part NaN, real part NaN, both. In a group, parts that are not NaN decide."""
    (xr, xi), (yr, yi) = _parts(x), _parts(y)
    x_group, y_group = _group(xr, xi), _group(yr, yi)
    no = scalar(ir.IntegerType.get_signless(1), 0)
    not_behind = compare("eq", compare("olt", yr, xr), no)
    by_parts = _or(compare("olt", xr, yr), _and(not_behind, compare("olt", xi, yi)))
    return _or(compare("ult", x_group, y_group), _and(compare("eq", x_group, y_group), by_parts))


def _parts(x: Value) -> list[Value]:
    return [create(name, [x.type.element_type], [x]) for name in ("complex.re", "complex.im")]


def _group(real: Value, imaginary: Value) -> Value:
    i8 = ir.IntegerType.get_signless(8)
    one = scalar(i8, 1)
    high, low = (create("arith.extui", [i8], [compare("uno", part, part)]) for part in (real, imaginary))
    return create("arith.ori", [i8], [create("arith.shli", [i8], [high, one]), low])


def _and(x: Value, y: Value) -> Value:
    return create("arith.andi", [x.type], [x, y])


def _or(x: Value, y: Value) -> Value:
    return create("arith.ori", [x.type], [x, y])
