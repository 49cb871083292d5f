"""Discrete Fourier transforms along the last axis, by the loops of NumPy's pocketfft; results are scaled."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ..emitter import Emitter, Tensor
from ..errors import WeftValueError
from ..op import Attributes, Bool, Case, Operand
from .ufunc_loops import LoopOp

_LOOPS = "numpy.fft._pocketfft_umath."
_SHAPES = ((4,), (5,), (2, 3), (0, 4), (1,))
_PRECISIONS = (np.dtype(np.float64), np.dtype(np.float32))


class Transform(LoopOp, family="fourier"):
    """Base of the transforms."""

    x: Operand
    scale: Operand
    fails = False
    linear = ("x", "scale")
    multilinear = True

    @classmethod
    def require_sizes(cls, sizes: dict[str, Any]) -> None:
        """There is something to transform, into something."""
        if any(extent is not None and extent < 1 for extent in sizes.values()):
            raise WeftValueError(f"{cls.mlir_name()}: Invalid number of FFT data points (0) specified.")

    @classmethod
    def transpose_scale(cls, b: Emitter, g: Tensor, x: Tensor, scale: Tensor, **attributes: Any) -> Tensor:
        """The real product of the cotangent and the transform that is not scaled."""
        plain = b.one(cls.name, x, b.number(1, scale.dtype), **attributes)
        product = b.conj(plain) * g
        real = b.real(product) if product.is_complex else product
        found: Tensor = b.sum(real, axes=tuple(range(g.rank)), keepdims=False)
        return found


class ComplexTransform(Transform):
    """Base of the transforms of complex numbers."""

    @classmethod
    def operand_dtypes(cls) -> Iterator[tuple[np.dtype[Any], ...]]:
        """Complex numbers and a real scale."""
        return iter([(np.result_type(part, np.complex64), part) for part in _PRECISIONS])


class Fft(ComplexTransform, name="fft"):
    """The transform of complex numbers, forward or inverse."""

    inverse: Bool
    cases = tuple(Case((shape, ()), {"inverse": inverse}) for shape in _SHAPES for inverse in (False, True))

    @classmethod
    def function_of(cls, attributes: Attributes) -> str:
        """That of the direction."""
        return _LOOPS + ("ifft" if attributes["inverse"] else "fft")

    @staticmethod
    def transpose_x(b: Emitter, g: Tensor, x: Tensor, scale: Tensor, inverse: bool) -> Tensor:
        """The transform in the other direction."""
        found: Tensor = b.fft(g, scale, inverse=not inverse)
        return found

    @classmethod
    def new_sizes(cls, math: Any, sizes: dict[str, Any], attributes: Attributes) -> dict[str, Any]:
        """As many."""
        given, made = ("m", "n") if attributes["inverse"] else ("n", "m")
        return {made: sizes[given]}


def _is_single(b: Emitter, half: Tensor, odd: bool) -> Tensor:
    """Which elements of the first half of a transform stand for one frequency, and not for two of opposite signs."""
    places = b.positions(half, half.rank - 1)
    is_first = places.equals(0)
    if odd:
        return is_first
    last = b.as_scalar(b.extent(half, half.rank - 1)) - 1
    return is_first | places.equals(last)


class Rfft(Transform, name="rfft"):
    """The first half of the transform of real numbers, of which there is an odd number or an even one."""

    odd: Bool
    defined_for = _PRECISIONS
    cases = tuple(Case((shape, ()), {"odd": shape[-1] % 2 == 1}) for shape in _SHAPES)

    @classmethod
    def function_of(cls, attributes: Attributes) -> str:
        """That of the length."""
        return _LOOPS + ("rfft_n_odd" if attributes["odd"] else "rfft_n_even")

    @staticmethod
    def transpose_x(b: Emitter, g: Tensor, x: Tensor, scale: Tensor, odd: bool) -> Tensor:
        """The inverse, which takes what lies inside of the half twice."""
        halved = b.select(_is_single(b, g, odd), g, g * 0.5)
        found: Tensor = b.irfft(halved, scale, odd=odd)
        return found

    @classmethod
    def new_sizes(cls, math: Any, sizes: dict[str, Any], attributes: Attributes) -> dict[str, Any]:
        """Half of the length, and one."""
        return {"m": math.steps(math.add(sizes["n"], 1), 2)}


class Irfft(ComplexTransform, name="irfft"):
    """The real numbers, an odd number or an even one, whose transform has the operand as its first half."""

    odd: Bool
    function = _LOOPS + "irfft"
    cases = tuple(
        Case((shape, ()), {"odd": odd}) for shape in _SHAPES for odd in (False, True) if shape[-1] > 1 or odd
    )

    @staticmethod
    def transpose_x(b: Emitter, g: Tensor, x: Tensor, scale: Tensor, odd: bool) -> Tensor:
        """The transform, of which what lies inside of the half counts twice."""
        half = b.rfft(g, scale, odd=odd)
        found: Tensor = b.select(_is_single(b, half, odd), half, half * 2)
        return found

    @classmethod
    def new_sizes(cls, math: Any, sizes: dict[str, Any], attributes: Attributes) -> dict[str, Any]:
        """Twice as many but two, or one."""
        twice = math.multiply(sizes["m"], 2)
        return {"n": math.add(twice, -1 if attributes["odd"] else -2)}
