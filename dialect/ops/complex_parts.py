"""Complex numbers from and to their parts."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..emitter import Emitter, Tensor
from ..errors import WeftTypeError
from ..op import Array, Case, Cost, Elementwise, Operand, TensorType, require_kind, same_dtype
from ..types import broadcast_shapes

_COMPLEX_OF: dict[np.dtype[Any], np.dtype[Any]] = {
    np.dtype(np.float32): np.dtype(np.complex64),
    np.dtype(np.float64): np.dtype(np.complex128),
}


def part_dtype(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """The dtype of the real and the imaginary part of a complex dtype.

    >>> part_dtype(np.dtype("complex64"))
    dtype('float32')
    """
    return np.dtype(np.float32 if dtype == np.complex64 else np.float64)


class Complex(Elementwise, name="complex", family="complex_parts", cost=Cost.CHEAP):
    """Complex numbers from float32 or float64 real and imaginary parts, which broadcast."""

    real: Operand
    imaginary: Operand
    defined_for = tuple(_COMPLEX_OF)
    cases = (Case(((3, 4), (3, 4))), Case(((3, 1), (4,))), Case(((), ())), Case(((0, 3), (3,))))
    linear = ("real", "imaginary")

    @staticmethod
    def transpose_real(b: Emitter, g: Tensor, real: Tensor, imaginary: Tensor) -> Tensor:
        """The real part."""
        found: Tensor = b.real(g)
        return found

    @staticmethod
    def transpose_imaginary(b: Emitter, g: Tensor, real: Tensor, imaginary: Tensor) -> Tensor:
        """The imaginary part."""
        found: Tensor = b.imag(g)
        return found

    @staticmethod
    def infer(real: TensorType, imaginary: TensorType) -> TensorType:
        dtype = _COMPLEX_OF.get(same_dtype("weft.complex", real, imaginary))
        if dtype is None:
            raise WeftTypeError(f"weft.complex takes float32 or float64 parts, not {real}")
        return TensorType(broadcast_shapes([real.shape, imaginary.shape]), dtype)

    @staticmethod
    def evaluate(real: Array, imaginary: Array) -> Array:
        result: Array = np.empty(np.broadcast_shapes(real.shape, imaginary.shape), _COMPLEX_OF[real.dtype])
        result.real, result.imag = real, imaginary
        return result


class Real(Elementwise, name="real", family="complex_parts", cost=Cost.CHEAP):
    """Real part of complex numbers."""

    x: Operand
    dtypes = "c"
    cases = (Case(((3, 4),)), Case(((),)), Case(((0, 2),)))
    linear = ("x",)

    @staticmethod
    def transpose(b: Emitter, g: Tensor, x: Tensor) -> Tensor:
        """The cotangent as real part."""
        found: Tensor = b.complex(g, 0)
        return found

    @staticmethod
    def infer(x: TensorType) -> TensorType:
        require_kind("weft.real", x, "c")
        return x.with_dtype(part_dtype(x.dtype))

    @staticmethod
    def evaluate(x: Array) -> Array:
        return np.asarray(x.real)


class Imag(Elementwise, name="imag", family="complex_parts", cost=Cost.CHEAP):
    """Imaginary part of complex numbers."""

    x: Operand
    dtypes = "c"
    cases = (Case(((3, 4),)), Case(((),)), Case(((0, 2),)))
    linear = ("x",)

    @staticmethod
    def transpose(b: Emitter, g: Tensor, x: Tensor) -> Tensor:
        """The cotangent as imaginary part."""
        found: Tensor = b.complex(0, g)
        return found

    @staticmethod
    def infer(x: TensorType) -> TensorType:
        require_kind("weft.imag", x, "c")
        return x.with_dtype(part_dtype(x.dtype))

    @staticmethod
    def evaluate(x: Array) -> Array:
        return np.asarray(x.imag)
