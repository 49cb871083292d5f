"""Fourier transforms of powers of two, which are generated code, beside NumPy's pocketfft and exact ones."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import weft

fft = np.fft
MOST = 19
"""Transforms in a stack: several groups of every width of vectors, and part of one."""
LENGTHS = (2, 4, 8, 16)


def stack(dtype: str, *shape: int) -> Any:
    """Random numbers."""
    generator = np.random.default_rng(shape[-1])
    numbers = generator.normal(size=(2, *shape))
    return (numbers[0] + 1j * numbers[1] if dtype[0] == "c" else numbers[0]).astype(dtype)


def transforms(x: Any) -> tuple[Any, ...]:
    """All that there is code for."""
    return (
        fft.fft(x, norm="forward"),
        fft.ifft(x),
        fft.rfft(x.real, norm="ortho"),
        fft.irfft(x[..., : x.shape[-1] // 2 + 1]),
    )


def exact(x: Any) -> tuple[Any, ...]:
    """The same in extended precision, where the machine has it."""
    return transforms(x.astype(np.clongdouble))


def error(got: Any, expected: Any) -> float:
    """By the sum of squares."""
    return float(np.sqrt(np.sum(np.abs(got - expected) ** 2) / np.sum(np.abs(expected) ** 2)))


@pytest.mark.parametrize("length", LENGTHS)
@pytest.mark.parametrize("dtype", ["c16", "c8"])
def test_errors_are_no_larger_than_numpys(dtype: str, length: int) -> None:
    """In norms in which NumPy computes those of single precision in it."""
    compiled = weft.function(transforms, input_signature=[weft.TensorSpec((None, length), dtype)])
    x = stack(dtype, MOST, length)
    resolution = np.finfo(dtype).eps / 4
    whole = compiled(x)
    for got, numpys, expected in zip(whole, transforms(x), exact(x), strict=True):
        assert (got.dtype, got.shape) == (numpys.dtype, numpys.shape)
        assert error(got, expected) < 2 * max(error(numpys, expected), resolution)
    for count in (0, 1, 4, 5):
        for got, expected in zip(compiled(x[:count]), whole, strict=True):
            np.testing.assert_array_equal(got, expected[:count])


@weft.function
def in_places(x: Any) -> Any:
    """Along other axes, cropped and filled, one alone, and of what lies with gaps."""
    return (
        fft.fft(x, axis=0),
        fft.fft(x, 4, axis=-1),
        fft.ifft(x, 16),
        fft.rfft(x.real, 4),
        fft.irfft(x, 8, axis=0),
        fft.fft(x[0, ::-1]),
        fft.hfft(x[0], 8),
        fft.fft2(x),
        fft.rfftn(x.real),
        fft.fft(x[:, ::2]),
        fft.fft(x[:0]),
    )


def test_axes_and_layouts() -> None:
    x = stack("c16", 4, 8)
    for given in (x, np.asfortranarray(x), np.repeat(x, 2, axis=0)[::2]):
        for got, expected in zip(in_places(given), in_places.python_function(given), strict=True):
            assert (got.dtype, got.shape) == (expected.dtype, expected.shape)
            np.testing.assert_allclose(got, expected, rtol=1e-13, atol=1e-14)


@pytest.mark.parametrize("odd", [np.nan, np.inf, -np.inf, complex(1, np.nan), complex(np.inf, 1)])
def test_what_comes_of_infinities_is_numpys(odd: complex) -> None:
    """And of NaN; the transforms beside them have none of it."""
    x = stack("c16", 7, 8)
    x[2, 3] = x[5, 0] = odd
    compiled = weft.function(transforms)
    with np.errstate(all="ignore"):
        for got, expected in zip(compiled(x), transforms(x), strict=True):
            finite = np.isfinite(expected)
            np.testing.assert_array_equal(np.isfinite(got), finite)
            np.testing.assert_array_equal(got[~finite], expected[~finite])
            np.testing.assert_allclose(got[finite], expected[finite], rtol=1e-13, atol=1e-14)


def test_derivatives() -> None:
    """The gradient of a sum of squares of a transform is a multiple of what was transformed."""
    x = stack("f8", 3, 8)
    found = weft.grad(lambda x: (np.abs(fft.fft(x)) ** 2).sum())(x)
    np.testing.assert_allclose(found, 16 * x, rtol=1e-13)
