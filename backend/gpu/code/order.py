"""Which of two keys comes first: NaN behind all numbers; complex numbers by their real parts, then the others."""

from __future__ import annotations

from ....dialect.mlir import Value, ir
from ...nests.emit import create
from .control import compare

_BELOW, _ULT, _OEQ, _UNO = 4, 11, 1, 14
"""Predicates of `arith.cmpf`: ordered and unordered less, equal, and of a NaN."""


def comes_before(x: Value, y: Value) -> Value:
    """Whether a key comes before another one; of equal ones, none does."""
    if isinstance(x.type, ir.IntegerType):
        return compare("slt", x, y)
    if isinstance(x.type, ir.ComplexType):
        return _complex_comes_before(x, y)
    return _and(_compare(_ULT, x, y), _compare(_OEQ, x, x))


def _complex_comes_before(x: Value, y: Value) -> Value:
    """In groups: no NaN, imaginary part NaN, real part NaN, both. In a group, parts that are not NaN decide."""
    (xr, xi), (yr, yi) = _parts(x), _parts(y)
    x_group, y_group = _group(xr, xi), _group(yr, yi)
    no = create("arith.constant", [ir.IntegerType.get_signless(1)], [], {"value": ir.BoolAttr.get(False)})
    not_behind = compare("eq", _compare(_BELOW, yr, xr), no)
    by_parts = _or(_compare(_BELOW, xr, yr), _and(not_behind, _compare(_BELOW, xi, yi)))
    return _or(compare("ult", x_group, y_group), _and(compare("eq", x_group, y_group), by_parts))


def _parts(x: Value) -> list[Value]:
    return [create(name, [x.type.element_type], [x]) for name in ("complex.re", "complex.im")]


def _group(real: Value, imaginary: Value) -> Value:
    i8 = ir.IntegerType.get_signless(8)
    one = create("arith.constant", [i8], [], {"value": ir.IntegerAttr.get(i8, 1)})
    high, low = (create("arith.extui", [i8], [_compare(_UNO, part, part)]) for part in (real, imaginary))
    return create("arith.ori", [i8], [create("arith.shli", [i8], [high, one]), low])


def _compare(predicate: int, x: Value, y: Value) -> Value:
    i64 = ir.IntegerType.get_signless(64)
    attributes = {"predicate": ir.IntegerAttr.get(i64, predicate)}
    return create("arith.cmpf", [ir.IntegerType.get_signless(1)], [x, y], attributes)


def _and(x: Value, y: Value) -> Value:
    return create("arith.andi", [x.type], [x, y])


def _or(x: Value, y: Value) -> Value:
    return create("arith.ori", [x.type], [x, y])
