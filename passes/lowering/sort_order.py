"""The order in which elements are sorted: ascending or descending, NaN behind all numbers in ascending order.

Real numbers are sorted by integer keys, which one instruction compares, complex numbers as they are.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...dialect.dtypes import kind
from ...dialect.mlir import Value, dialect
from ...dialect.records import dataclass
from .accumulators import computing_dtype, convert_scalar, part_dtype, parts
from .conversion import Conversion, storage_element
from .scalars import ScalarBuilder

arith = dialect("arith")


@dataclass(frozen=True)
class SortOrder:
    """The keys by which elements of a dtype are sorted, and their order."""

    c: Conversion
    dtype: np.dtype[Any]
    descending: bool

    @property
    def key_dtype(self) -> np.dtype[Any]:
        """The dtype of keys: a signed integer for floats, bytes for booleans, else the dtype itself."""
        if kind(self.dtype) == "f":
            return np.dtype(f"int{self.dtype.itemsize * 8}")
        return np.dtype(np.uint8) if kind(self.dtype) == "b" else self.dtype

    def sentinel(self) -> Value:
        """A key that no other stands behind."""
        if kind(self.dtype) == "c":
            return self.c.constant(
                complex(-np.inf, -np.inf) if self.descending else complex(np.nan, np.nan), self.dtype
            )
        limits = np.iinfo(self.key_dtype)
        return self.c.constant(int(limits.min if self.descending else limits.max), self.key_dtype)

    def encode(self, x: Value, *, equal: bool) -> Value:
        """The key of an element in memory.

        The bits of floats are ordered as integers once those behind a minus sign are inverted. All NaN become
        positive, which puts them behind infinity. With `equal`, zeros of either sign have the same key, and so have all
        NaN: keys then do not tell them apart. Else the negative zero comes first.
        """
        if kind(self.dtype) != "f":
            return x
        b = ScalarBuilder(self.c, self.key_dtype)
        bits = b.op("arith.bitcast", x, result=b.type)
        limits = np.iinfo(self.key_dtype)
        if equal:
            negative_zero = b.compare("eq", bits, b.constant(int(limits.min)))
            bits = b.select(negative_zero, b.constant(0), bits)
        magnitude = b.both(bits, b.constant(int(limits.max)))
        is_nan = b.compare("gt", magnitude, b.constant(_infinity_bits(self.dtype)))
        nan = b.constant(int(limits.max)) if equal else magnitude
        return b.select(is_nan, nan, self._invert_negative(bits))

    def decode(self, key: Value) -> Value:
        """The element that a key stands for, as it is in memory."""
        if kind(self.dtype) != "f":
            return key
        bits = self._invert_negative(key)
        return self.c.operation("arith.bitcast", [bits], [storage_element(self.dtype)])

    def _invert_negative(self, bits: Value) -> Value:
        """Invert all bits but the sign of negative integers; twice gives the same again."""
        b = ScalarBuilder(self.c, self.key_dtype)
        sign = b.op("arith.shrsi", bits, b.constant(b.width - 1))
        return b.differ(bits, b.both(sign, b.constant(int(np.iinfo(self.key_dtype).max))))

    def before(self, x: Value, y: Value) -> Value:
        """Whether one key stands before another, as an i1."""
        first, second = (y, x) if self.descending else (x, y)
        return sorts_before(self.c, self.key_dtype, first, second)


def _infinity_bits(dtype: np.dtype[Any]) -> int:
    unsigned = np.dtype(f"uint{dtype.itemsize * 8}")
    return int(np.asarray(np.inf).astype(dtype).view(unsigned))


def sorts_before(c: Conversion, dtype: np.dtype[Any], x: Value, y: Value) -> Value:
    """Whether one scalar in memory stands before another in ascending order, where NaN is last."""
    if kind(dtype) == "c":
        return _complex_sorts_before(c, dtype, x, y)
    if kind(dtype) != "f":
        order = ScalarBuilder(c, np.dtype(np.uint8) if kind(dtype) == "b" else dtype)
        return order.compare("lt", x, y)
    computing = computing_dtype(dtype)
    x, y = (convert_scalar(c, scalar, dtype, computing) for scalar in (x, y))
    real = ScalarBuilder(c, computing)
    return real.both(arith.CmpFOp(arith.CmpFPredicate.ULT, x, y).result, real.compare("eq", x, x))


def _complex_sorts_before(c: Conversion, dtype: np.dtype[Any], x: Value, y: Value) -> Value:
    """By real part, then by imaginary part, in groups: no NaN; imaginary part NaN; real part NaN; both NaN.

    Within a group the parts that are not NaN decide.
    """
    real = ScalarBuilder(c, part_dtype(dtype))
    pairs = list(zip(parts(c, x, dtype), parts(c, y, dtype), strict=True))
    group = ScalarBuilder(c, np.dtype(np.int8))
    groups = []
    for side in (0, 1):
        real_nan, imaginary_nan = (real.compare("ne", pair[side], pair[side]) for pair in pairs)
        weights = [
            group.select(is_nan, group.constant(weight), group.constant(0))
            for is_nan, weight in ((real_nan, 2), (imaginary_nan, 1))
        ]
        groups.append(group.op("arith.addi", *weights))
    (real_x, real_y), (imaginary_x, imaginary_y) = pairs
    # An ordered comparison with NaN is false: in a group whose real parts are NaN, they count as equal.
    real_differs = real.either(real.compare("lt", real_x, real_y), real.compare("gt", real_x, real_y))
    by_parts = real.select(
        real_differs,
        real.compare("lt", real_x, real_y),
        real.compare("lt", imaginary_x, imaginary_y),
    )
    same_group = group.compare("eq", *groups)
    return real.select(same_group, by_parts, group.compare("lt", *groups))
