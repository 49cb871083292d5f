"""The order in which elements are sorted: ascending or descending, NaN behind all numbers in ascending order."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...dialect.dtypes import kind
from ...dialect.mlir import Value, dialect
from ...dialect.ops.complex_parts import part_dtype
from ...dialect.records import dataclass
from ...dialect.types import TensorType
from .accumulators import computing_dtype, convert_scalar, parts
from .conversion import Conversion, scalar_type
from .scalars import ScalarBuilder

arith = dialect("arith")


@dataclass(frozen=True)
class SortOrder:
    """The keys by which real numbers of a dtype are sorted: signed integers of 32 or 64 bits in ascending order."""

    c: Conversion
    dtype: np.dtype[Any]
    descending: bool

    def key_type(self, type: TensorType) -> TensorType:
        """The type of the keys of a tensor."""
        return type.with_dtype(self._key_dtype)

    def keys(self, x: Value, type: TensorType, *, equal: bool = False) -> Value:
        """The keys of a tensor.

        With `equal`, zeros of either sign have the same key, and so have all NaN: keys then do not tell them apart.
        Else the negative zero comes first.
        """
        if self._is_key:
            return x
        return self.c.map_elements([x], [type], [self.key_type(type)], lambda x: self._key(x, equal))[0]

    def elements(self, keys: Value, type: TensorType) -> Value:
        """The elements that the keys of a tensor stand for."""
        if self._is_key:
            return keys
        return self.c.map_elements([keys], [self.key_type(type)], [type], self._element)[0]

    @property
    def _key_dtype(self) -> np.dtype[Any]:
        return np.dtype(np.int64 if self.dtype.itemsize == 8 else np.int32)

    @property
    def _is_key(self) -> bool:
        """Whether elements are their own keys."""
        return not self.descending and self.dtype in (np.int32, np.int64)

    def _key(self, x: Value, equal: bool) -> Value:
        bits = self._turned(self._bits_in_order(x, equal) if kind(self.dtype) == "f" else x)
        return (
            self._bits.op("arith.extui", bits, result=scalar_type(self._key_dtype))
            if self._is_narrow
            else bits
        )

    def _element(self, key: Value) -> Value:
        b = self._bits
        bits = self._turned(b.op("arith.trunci", key, result=b.type) if self._is_narrow else key)
        return b.bitcast(self._invert_negative(bits), self.dtype) if kind(self.dtype) == "f" else bits

    @property
    def _is_narrow(self) -> bool:
        """Whether keys are wider than elements; there are no negative ones then, and their upper bits are equal."""
        return self.dtype.itemsize < 4

    @property
    def _bits(self) -> ScalarBuilder:
        """A builder for the bits of an element."""
        return ScalarBuilder(
            self.c, self.dtype if kind(self.dtype) == "b" else np.dtype(f"i{self.dtype.itemsize}")
        )

    def _turned(self, bits: Value) -> Value:
        """The bits of an integer in the order of keys; twice gives the same again."""
        b = self._bits
        other_sign = kind(self.dtype) in "if" if self._is_narrow else kind(self.dtype) == "u"
        turned = (-1 if self.descending else 0) ^ (-1 << (b.width - 1) if other_sign else 0)
        return b.differ(bits, b.constant(turned)) if turned else bits

    def _bits_in_order(self, x: Value, equal: bool) -> Value:
        """The bits of a float, ordered as integers once those behind a minus sign are inverted.

        All NaN become positive, which puts them behind infinity.
        """
        b = self._bits
        bits = b.bitcast(x, b.dtype)
        limits = np.iinfo(b.dtype)
        if equal:
            negative_zero = b.compare("eq", bits, b.constant(int(limits.min)))
            bits = b.select(negative_zero, b.constant(0), bits)
        magnitude = b.both(bits, b.constant(int(limits.max)))
        is_nan = b.compare("gt", magnitude, b.constant(_infinity_bits(self.dtype)))
        nan = b.constant(int(limits.max)) if equal else magnitude
        return b.select(is_nan, nan, self._invert_negative(bits))

    def _invert_negative(self, bits: Value) -> Value:
        """Invert all bits but the sign of negative integers; twice gives the same again."""
        b = self._bits
        sign = b.op("arith.shrsi", bits, b.constant(b.width - 1))
        return b.differ(bits, b.both(sign, b.constant(int(np.iinfo(b.dtype).max))))


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
