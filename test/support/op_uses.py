"""Uses of ops as their classes list them: every op, on every combination of dtypes, in every case."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from support.op_values import distance
from support.programs import same_bits
from weft.dialect.dtypes import kind
from weft.dialect.op import Case, FieldKind, Op
from weft.dialect.ops import load_families
from weft.dialect.types import TensorType

load_families()

WITHOUT_CASES = {
    *(
        "constant",
        "empty",
        "gradient",
        "tangent",
        "pairs",
        "cotangent",
        "custom",
        "lane",
        "lanes",
        "alloc_ref",
        "read_ref",
        "write_ref",
        "raise_if",
        "rank_barrier",
        "start_send_receive",
        "finish_send_receive",
        "require_same",
    ),
    *(
        "random_floats",
        "random_integers",
        "random_permutation",
        "random_choice",
        "fill_random",
        "call_loop",
        "call_library",
        "call_ufunc",
    ),
}
"""What has tests of its own: the constant has no operands, some have effects, some the state of a generator."""

PLACES = {"f": 4.0, "c": 16.0}
"""How many units in the last place elementary functions may be off, by the kind of the result."""

SUMMING = ("reductions", "scans", "contraction", "windows")
"""Families whose sums may be added up in another order than NumPy's."""


@dataclass(frozen=True)
class Use:
    """An op on operands of certain dtypes in one of its cases."""

    op: type[Op]
    case: Case
    dtypes: tuple[np.dtype[Any], ...]
    """One per operand."""

    @property
    def types(self) -> list[TensorType]:
        return [TensorType(shape, dtype) for shape, dtype in zip(self.case.shapes, self.dtypes, strict=True)]

    @property
    def dynamic_types(self) -> list[TensorType]:
        """The types with extents that are known only at run time, but for those of 1."""
        return [t.with_shape([n if n == 1 else None for n in t.shape]) for t in self.types]

    def operands(self) -> list[Any]:
        """Values within the bounds of the case, the same in every run."""
        generator = np.random.default_rng(zlib.crc32(repr(self).encode()))
        return [self._values(generator, t) for t in self.types]

    def _values(self, generator: np.random.Generator, operand: TensorType) -> Any:
        shape = [extent for extent in operand.shape if extent is not None]
        low, high = self.case.low, self.case.high
        if kind(operand.dtype) == "b":
            return generator.integers(0, 2, shape).astype(bool)
        if kind(operand.dtype) in "iu":
            limits = np.iinfo(operand.dtype)
            lowest = limits.min if low is None else max(int(low), limits.min)
            highest = limits.max if high is None else min(int(high) - 1, limits.max)
            return generator.integers(lowest, highest, shape, operand.dtype, endpoint=True)
        bounds = (-4.0 if low is None else low, 4.0 if high is None else high)
        parts = [generator.uniform(*bounds, shape) for _ in range(2)]
        return np.asarray(parts[0] + 1j * parts[1] if kind(operand.dtype) == "c" else parts[0]).astype(
            operand.dtype
        )

    def __str__(self) -> str:
        return f"weft.{self.op.name}({', '.join(map(str, self.types))}) {self.case.attributes}"


def uses_of(op: type[Op]) -> Iterator[Use]:
    """The op on every combination of dtypes in every case."""
    fields = op.operand_fields()
    for dtypes in op.operand_dtypes():
        for case in op.cases:
            several = len(case.shapes) - (len(fields) - 1)
            counts = [several if field.kind is FieldKind.OPERANDS else 1 for field in fields]
            flat = [dtype for dtype, count in zip(dtypes, counts, strict=False) for _ in range(count)]
            yield Use(op, case, tuple(flat))


def representative_uses(op: type[Op]) -> Iterator[Use]:
    """Each case with float32, and each combination of dtypes in one case, which is another for the next one."""
    uses = list(uses_of(op))
    cases = len(op.cases)
    for number, use in enumerate(uses):
        turn = (number - number // cases) % cases == 0
        if turn or np.dtype(np.float32) in use.dtypes or "dtype" in use.case.attributes:
            yield use


FACTORED = {"cholesky", "eigh", "eigvalsh", "lstsq", "qr_basis", "qr_factors", "svd", "svdvals"}
GENERATED = {"solve", "inv", "det", "slogdet", "fft", "rfft", "irfft", *FACTORED}
"""What a library computes for the reference, and generated code for small matrices and short transforms."""
OF_VECTORS = {"eigh", "svd"}
"""What gives vectors of length 1, which may be multiplied by any number of size 1."""


def _are_vectors(array: Any) -> bool:
    """Whether the rows, or the columns, of matrices have length 1."""
    lengths = [np.linalg.norm(array, axis=axis) for axis in range(-2, 0)] if array.ndim > 1 else []
    return any(bool(np.allclose(found, 1)) for found in lengths)


def is_close(op: type[Op], got: Any, expected: Any) -> bool:
    """Whether a result is the reference's: exactly, or up to the rounding that the op's family may differ in."""
    if op.name in GENERATED and kind(got.dtype) in "fc":
        resolution = 1024 * float(np.finfo(got.real.dtype).eps)
        if op.name in OF_VECTORS and _are_vectors(expected):
            got, expected = abs(got), abs(expected)
        return bool(np.allclose(got, expected, rtol=resolution, atol=resolution, equal_nan=True))
    if kind(got.dtype) not in "fc" or op.family not in ("elementwise", "special", "complex_parts", *SUMMING):
        return same_bits(got, expected)
    # The logarithm of a sum is a sum, too, of numbers that may cancel.
    if op.family not in SUMMING and not op.name.startswith("logaddexp"):
        return bool((distance(got, expected) <= PLACES[kind(got.dtype)]).all())
    finite = np.isfinite(expected)
    scale = np.abs(expected[finite]).astype(np.float64).max(initial=1.0)
    part = got.real.dtype
    resolution = float(np.finfo(part).eps) if part.kind == "f" else 2.0**-7
    with np.errstate(invalid="ignore"):
        near = np.abs(got - expected).astype(np.float64) <= 16 * resolution * scale
    return bool(np.all(near | (got == expected) | ((got != got) & (expected != expected))))
