"""Sorting a row of integer keys digit by digit, from the lowest to the highest (Knuth, TAOCP 5.2.5).

The numbers of keys with every value of every digit are counted when the keys are loaded. A pass over a digit then puts
each key behind those with smaller digits, in the other half of the scratch memory; equal digits keep their order, so
that the whole sort is stable. A digit that is the same in all keys needs no pass.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...dialect.mlir import Value, dialect, ir
from ...dialect.records import dataclass
from ...dialect.types import TensorType
from ..index_arithmetic import Extent
from .conversion import Conversion
from .loops import extract, for_loop, insert
from .scalars import ScalarBuilder

arith = dialect("arith")

_INDEX = np.dtype(np.int64)

SHORTEST = {8: 64, 16: 100, 32: 200, 64: 900}
"""From how many keys on this is faster than merging, by the width of keys: every pass goes over all buckets."""

LONG = 1 << 16
"""From how many keys on fewer passes over the keys pay for more buckets."""


@dataclass(frozen=True)
class RadixSort:
    """Sorts a row of keys, and of payloads that travel with them, in scratch tensors of two halves each."""

    c: Conversion
    key_dtype: np.dtype[Any]
    descending: bool
    length: Extent

    @property
    def bits(self) -> int:
        """The size of a digit."""
        is_long = isinstance(self.length, int) and self.length >= LONG
        return 11 if is_long and self.key_dtype.itemsize >= 4 else 8

    @property
    def buckets(self) -> int:
        """How many values a digit has."""
        return 1 << self.bits

    @property
    def digits(self) -> int:
        """How many digits a key has."""
        return -(-8 * self.key_dtype.itemsize // self.bits)

    def counts(self, rank: int) -> Value:
        """A tensor, of a rank, for the number of keys in every bucket of every digit."""
        shape = (self.digits, *[1] * (rank - 2), self.buckets)
        return self.c.empty(TensorType(shape, _INDEX), list(shape))

    def clear(self, counts: Value) -> Value:
        """The counts before the first key."""
        zero = self.c.constant(0, _INDEX)

        def clear_digit(digit: Value, carried: list[Value]) -> Sequence[Value]:
            def clear_bucket(bucket: Value, inner: list[Value]) -> Sequence[Value]:
                return [insert(zero, inner[0], scratch_place(self.c, inner[0], digit, bucket))]

            return for_loop(self.c, 0, self.buckets, carried, clear_bucket)

        return for_loop(self.c, 0, self.digits, [counts], clear_digit)[0]

    def encode(self, key: Value) -> Value:
        """The key with its bits turned so that unsigned comparison gives the order; twice gives the key again."""
        limits = np.iinfo(self.key_dtype)
        turned = int(limits.max) if self.descending else 0
        if limits.min < 0:
            turned = int(limits.max) if self.descending else int(limits.min)
        return ScalarBuilder(self.c, self.key_dtype).differ(key, self.c.constant(turned, self.key_dtype))

    def count(self, key: Value, counts: Value) -> Value:
        """The counts with one encoded key more."""
        for number in range(self.digits):
            digit = self.c.index(number)
            place = scratch_place(self.c, counts, digit, self._bucket(key, digit))
            counts = insert(self._plus(extract(counts, place), 1), counts, place)
        return counts

    def sort(self, rows: list[Value], counts: Value) -> tuple[list[Value], Value, Value]:
        """Sort what lies in the first halves; returns the rows, the counts and the half in which the result is."""

        def by_digit(digit: Value, carried: list[Value]) -> Sequence[Value]:
            *rows, counts, half = carried
            first = extract(rows[0], scratch_place(self.c, rows[0], half, self.c.index(0)))
            alike = extract(counts, scratch_place(self.c, counts, digit, self._bucket(first, digit)))
            length = self.c.index(self.length)
            total = arith.IndexCastOp(counts.type.element_type, length).result
            is_sorted = arith.CmpIOp(arith.CmpIPredicate.eq, alike, total).result
            other = arith.SubIOp(self.c.index(1), half).result
            counts = self._places(digit, counts)
            passed = arith.SelectOp(is_sorted, self.c.index(0), length).result
            *rows, counts = self._distribute(digit, half, other, passed, [*rows, counts])
            return [*rows, counts, arith.SelectOp(is_sorted, half, other).result]

        state = [*rows, counts, self.c.index(0)]
        *rows, counts, half = for_loop(self.c, 0, self.digits, state, by_digit)
        return rows, counts, half

    def _places(self, digit: Value, counts: Value) -> Value:
        """Instead of how many keys are in a bucket, where the first one goes."""

        def step(bucket: Value, carried: list[Value]) -> Sequence[Value]:
            counts, place = carried
            entry = scratch_place(self.c, counts, digit, bucket)
            size = extract(counts, entry)
            return [insert(place, counts, entry), arith.AddIOp(place, size).result]

        return for_loop(self.c, 0, self.buckets, [counts, self.c.constant(0, _INDEX)], step)[0]

    def _distribute(
        self, digit: Value, half: Value, other: Value, length: Value, carried: list[Value]
    ) -> list[Value]:
        """Put every key, with its payload, at the next place of its bucket in the other half."""

        def step(position: Value, carried: list[Value]) -> Sequence[Value]:
            *rows, counts = carried
            scalars = [extract(row, scratch_place(self.c, row, half, position)) for row in rows]
            bucket = scratch_place(self.c, counts, digit, self._bucket(scalars[0], digit))
            place = extract(counts, bucket)
            target = arith.IndexCastOp(ir.IndexType.get(), place).result
            moved = [
                insert(scalar, row, scratch_place(self.c, row, other, target))
                for scalar, row in zip(scalars, rows, strict=True)
            ]
            return [*moved, insert(self._plus(place, 1), counts, bucket)]

        return for_loop(self.c, 0, length, carried, step)

    def _bucket(self, key: Value, digit: Value) -> Value:
        """A digit of an encoded key as an index."""
        b = ScalarBuilder(self.c, self.key_dtype)
        if self.key_dtype.itemsize > 1:
            bits = arith.IndexCastOp(b.type, arith.MulIOp(digit, self.c.index(self.bits)).result).result
            key = b.both(arith.ShRUIOp(key, bits).result, b.constant(self.buckets - 1))
        return arith.IndexCastUIOp(ir.IndexType.get(), key).result

    def _plus(self, count: Value, number: int) -> Value:
        return arith.AddIOp(count, self.c.constant(number, _INDEX)).result


def scratch_place(c: Conversion, scratch: Value, half: Value, position: Value) -> list[Value]:
    """The indices of a position in one half of a scratch tensor, whose axes between these have extent 1."""
    between = ir.RankedTensorType(scratch.type).rank - 2
    return [half, *[c.index(0)] * between, position]
