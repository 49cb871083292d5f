"""Cotangents as far as they are known, while ops are walked backwards.

What reads parts of an array (`x[i]`, `x[1:-1]`) gives cotangents of parts, which go into one accumulator at their
places. It is known which regions of it hold anything but zeros yet: the first contribution to a region is written.
What loops accumulate for numbers of 16 bits has 32.
"""

from __future__ import annotations

from dataclasses import field

import numpy as np

from ...dialect.derivatives import Cotangent, Part
from ...dialect.dtypes import is_half
from ...dialect.emitter import Tensor
from ...dialect.mlir import Value
from ...dialect.op_emitter import OpEmitter
from ...dialect.records import dataclass

FLOAT32 = np.dtype(np.float32)

Region = tuple[range, ...]


def are_disjoint(first: Region, second: Region) -> bool:
    """Whether regions have no element in common."""
    return any(a.stop <= b.start or b.stop <= a.start for a, b in zip(first, second, strict=True))


@dataclass
class Adjoints:
    """The cotangents of values, by the values."""

    values: dict[Value, Value] = field(default_factory=dict)
    regions: dict[Value, list[Region]] = field(default_factory=dict)
    """For accumulators of which only regions were written: these. The rest is zero."""

    def __contains__(self, value: Value) -> bool:
        return value in self.values

    def take(self, value: Value) -> Value | None:
        """The cotangent of a value, which is needed no longer."""
        self.regions.pop(value, None)
        return self.values.pop(value, None)

    def total(self, b: OpEmitter, value: Value) -> Value:
        """The cotangent of a value, zeros where nothing depends on it; it is needed no longer."""
        found = self.take(value)
        return b.zeros_like(b.value(value)).handle if found is None else found

    def add(self, b: OpEmitter, value: Value, cotangent: Cotangent) -> None:
        """Count in a cotangent."""
        known = self.values.get(value)
        if isinstance(cotangent, Part):
            self._add_part(b, value, known, cotangent)
        else:
            self.regions.pop(value, None)
            self.values[value] = (cotangent if known is None else _sum(b, known, cotangent)).handle

    def _add_part(self, b: OpEmitter, value: Value, known: Value | None, part: Part) -> None:
        if known is not None and b.value(known).dtype != part.value.dtype:  # the part is of fewer bits
            dense = (part.write or part.add)(b.zeros_like(b.value(value)))
            self.regions.pop(value, None)
            self.values[value] = _sum(b, known, dense).handle
            return
        whole: Tensor = b.zeros_like(b.value(value)) if known is None else b.value(known)
        written: list[Region] | None = [] if known is None else self.regions.get(value)
        region = part.region
        is_known = region is not None and written is not None
        is_zero = known is None or (
            is_known and all(are_disjoint(region or (), other) for other in written or ())
        )
        add = part.write if is_zero and part.write is not None else part.add
        self.values[value] = add(whole).handle
        if is_zero and region is not None:
            self.regions[value] = [*(written or ()), region]
        else:
            self.regions.pop(value, None)


def _sum(b: OpEmitter, known: Value, more: Tensor) -> Tensor:
    total = b.value(known)
    return total + b.converted(more, total.dtype)


def widened(b: OpEmitter, start: Value) -> Value:
    """What a loop adds to: numbers of 16 bits with 32, since each addition rounds."""
    value = b.value(start)
    wide: Value = b.converted(value, FLOAT32).handle if is_half(value.dtype) else start
    return wide


def rounded(b: OpEmitter, end: Value, like: Value) -> Value:
    """What a loop has added up, with as many bits as before."""
    found: Value = b.converted(b.value(end), b.value(like).dtype).handle
    return found
