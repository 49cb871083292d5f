"""Elementary functions and shifts on a device, in the emulator: the bits of the processor that launches its kernels."""

from __future__ import annotations

import platform
from collections.abc import Callable
from typing import Any
from unittest import mock

import numpy as np
import pytest

import weft
from weft.backend.gpu.devices.open_devices import OpenDevice

Array = np.ndarray[Any, Any]

PROCESSORS = ["native", *(["x86-64-v3"] if platform.machine() == "x86_64" else [])]
"""With AVX-512, functions look up tables, and so do those of devices; others do not."""


def _exponents(x: Any) -> Any:
    return np.exp(x), np.exp2(x), np.expm1(x), np.sinh(x), np.cosh(x), np.tanh(x), weft.erf(x), weft.erfc(x)


def _logarithms(x: Any) -> Any:
    inverses = np.arcsinh(x), np.arccosh(x), np.arctanh(x)
    return np.log(x), np.log2(x), np.log10(x), np.log1p(x), *inverses, np.cbrt(x), np.sqrt(x), 1 / x


def _angles(x: Any) -> Any:
    return np.sin(x), np.cos(x), np.tan(x), np.arcsin(x), np.arccos(x), np.arctan(x)


def _pairs(x: Any, y: Any) -> Any:
    return x**y, np.abs(x) ** y, np.arctan2(x, y), np.hypot(x, y), np.logaddexp(x, y), np.fmod(x, y)


def _complex(x: Any, y: Any) -> Any:
    z = x + 1j * y
    return (
        np.exp(z),
        np.log(z),
        np.log1p(z),
        np.sqrt(z),
        np.sin(z),
        np.tanh(z),
        np.arcsin(z),
        np.arctanh(z),
        z**z,
        z / y,
    )


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "exponents": _exponents,
    "logarithms": _logarithms,
    "angles": _angles,
    "pairs": _pairs,
    "complex": _complex,
}


def _of_all_exponents(dtype: type[np.floating[Any]], seed: int) -> Array:
    """Numbers of each sign and exponent, NaN, infinities and zeros, and many in the range of most functions."""
    generator, size = np.random.default_rng(seed), np.dtype(dtype).itemsize
    mantissa = np.finfo(dtype).nmant
    heads = np.arange(2 ** (8 * size - mantissa), dtype=f"u{size}") << np.array(mantissa, f"u{size}")
    tails = generator.integers(0, 2**mantissa, (3, heads.size), f"u{size}")
    tails[0] = 0
    tails[1] = 2**mantissa - 1
    with np.errstate(all="ignore"):
        near = generator.standard_normal(6000) * np.repeat([1e-2, 1, 100], 2000)
        all_of_them = np.concatenate([(heads | tails).view(dtype).ravel(), near.astype(dtype)])
    return generator.permutation(all_of_them)


def _number(x: Any, y: Any) -> Any:
    """The argument of the complex functions; its real part is NaN where the imaginary one is infinite."""
    with np.errstate(invalid="ignore"):
        return x + 1j * y


@pytest.mark.parametrize("processor", PROCESSORS)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.sampled(2)
def test_the_bits_of_the_processor_for_all_exponents(
    name: str, dtype: type[np.floating[Any]], processor: str
) -> None:
    function = FUNCTIONS[name]
    arguments = [_of_all_exponents(dtype, seed) for seed in range(function.__code__.co_argcount)]
    here = weft.function(function, target=processor)(*arguments)
    with (
        weft.settings.scope(cuda="emulator"),
        mock.patch.object(OpenDevice, "target", f"sm_90a:{processor}"),
    ):
        there = weft.function(function, device="cuda")(*arguments)
    bits = f"u{np.dtype(dtype).itemsize}"
    for one, other in zip(there, here, strict=True):
        numbers, expected = one.view(dtype), other.view(dtype)
        same = (numbers.view(bits) == expected.view(bits)) | (np.isnan(numbers) & np.isnan(expected))
        if np.iscomplexobj(one):  # zeros may have the sign of a NaN, which is another one on a GPU
            same |= (numbers == 0) & (expected == 0) & np.repeat(np.isnan(_number(*arguments)), 2)
        assert same.all()


@pytest.mark.sampled(3)
@pytest.mark.parametrize("dtype", [*np.typecodes["AllInteger"]])
def test_shifts_by_any_number(dtype: str) -> None:
    """Amounts beyond the width, of which the low bits are less."""
    limits = np.iinfo(dtype)
    bits = [0, 1, limits.bits - 1, limits.bits, limits.bits + 1, 2**31, 2**32, 2**32 + 1, 2**63 - 1, 2**63]
    by = np.array([*bits, limits.min, limits.min + 1, limits.max], object) % (limits.max + 1)
    by = np.concatenate([by.astype(dtype), np.array([limits.min, limits.min + 1, limits.max], dtype)])
    x = np.array([[1], [limits.min], [limits.max], [5]], dtype)

    def shifts(x: Any, by: Any) -> Any:
        return x << by, x >> by

    with weft.settings.scope(cuda="emulator"):
        found = weft.function(shifts, device="cuda")(x, by)
    for one, other in zip(found, shifts(x, by), strict=True):
        np.testing.assert_array_equal(one, other)
