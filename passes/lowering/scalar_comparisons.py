"""Scalar comparisons and logic, which have one form for all kinds of dtypes."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ...dialect.mlir import Value
from ...dialect.op import Op
from ...dialect.ops import comparison
from .scalars import BOOL, ScalarBuilder, emits

_RELATIONS: dict[type[Op], str] = {
    comparison.Equal: "eq",
    comparison.NotEqual: "ne",
    comparison.Less: "lt",
    comparison.LessEqual: "le",
    comparison.Greater: "gt",
    comparison.GreaterEqual: "ge",
}


def _comparison(op_class: type[Op], relation: str) -> None:
    @emits(op_class, "biuf")
    def compare_reals(b: ScalarBuilder, x: Value, y: Value) -> Value:
        return b.compare(relation, x, y)

    @emits(op_class, "c")
    def compare_complex(b: ScalarBuilder, x: Value, y: Value) -> Value:
        return complex_relation(b, relation, x, y)


for _op_class, _relation in _RELATIONS.items():
    _comparison(_op_class, _relation)

_MIRRORED = {"eq": "eq", "ne": "ne", "lt": "gt", "le": "ge", "gt": "lt", "ge": "le"}


def compare_mixed_signs(b: ScalarBuilder, op_class: type[Op], x: Value, y: Value) -> Value:
    """Compare an int64 with a uint64 or the other way round; the builder has the first operand's dtype."""
    relation = _RELATIONS[op_class]
    if b.kind == "u":
        x, y, relation = y, x, _MIRRORED[relation]
    below = b.of(np.dtype(np.int64)).compare("lt", x, b.constant(0))
    compared = b.of(np.dtype(np.uint64)).compare(relation, x, y)
    return b.select(below, b.of(BOOL).constant(relation in ("lt", "le", "ne")), compared)


def complex_parts(b: ScalarBuilder, x: Value) -> tuple[ScalarBuilder, Value, Value]:
    """A builder for the parts of a complex scalar, and the parts."""
    part = b.of(np.dtype(f"float{b.width // 2}"))
    return part, b.op("complex.re", x, result=part.type), b.op("complex.im", x, result=part.type)


def complex_relation(b: ScalarBuilder, relation: str, x: Value, y: Value) -> Value:
    """NumPy's order of complex numbers: by real, then by imaginary part; a NaN is unrelated to everything."""
    p, x_real, x_imag = complex_parts(b, x)
    _, y_real, y_imag = complex_parts(b, y)
    if relation in ("eq", "ne"):
        combine = b.both if relation == "eq" else b.either
        return combine(p.compare(relation, x_real, y_real), p.compare(relation, x_imag, y_imag))
    strict = "lt" if relation in ("lt", "le") else "gt"
    parts_are_numbers = b.both(p.compare("eq", x_imag, x_imag), p.compare("eq", y_imag, y_imag))
    by_real = b.both(p.compare(strict, x_real, y_real), parts_are_numbers)
    by_imag = b.both(p.compare("eq", x_real, y_real), p.compare(relation, x_imag, y_imag))
    return b.either(by_real, by_imag)


# Logic


def is_nonzero(b: ScalarBuilder, x: Value) -> Value:
    """The truth of a scalar, as an i1; NaN is true."""
    if b.kind == "b":
        return x
    if b.kind == "c":
        part, real, imag = complex_parts(b, x)
        return b.either(is_nonzero(part, real), is_nonzero(part, imag))
    return b.compare("ne", x, b.constant(0))


def _logical(op_class: type[Op], combine: Callable[[ScalarBuilder, Value, Value], Value]) -> None:
    @emits(op_class, "biufc")
    def emit_logical(b: ScalarBuilder, x: Value, y: Value) -> Value:
        return combine(b, is_nonzero(b, x), is_nonzero(b, y))


_logical(comparison.LogicalAnd, ScalarBuilder.both)
_logical(comparison.LogicalOr, ScalarBuilder.either)
_logical(comparison.LogicalXor, ScalarBuilder.differ)


@emits(comparison.LogicalNot, "biufc")
def logical_not(b: ScalarBuilder, x: Value) -> Value:
    """Whether the scalar is zero."""
    return b.complement(is_nonzero(b, x))
