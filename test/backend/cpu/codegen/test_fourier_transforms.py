"""Fourier transforms of powers of two, which are generated code, beside NumPy's pocketfft and exact ones."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

import weft
from weft.backend.target import named, why_not_here

fft = np.fft
MOST = 19
"""Transforms in a stack: several groups of every width of vectors, and part of one."""
CASES = [
    ("c16", "native", (2, 2048)),
    ("c8", "native", (16, 128)),
    ("c8", "x86-64-v2", (64,)),
    *(
        pytest.param(dtype, target, [2**power for power in range(1, 13)], marks=pytest.mark.soak)
        for dtype in ("c16", "c8")
        for target in ("native", "x86-64-v2", "x86-64-v3")
    ),
]
"""Lengths in registers, and such that fall into stages of all kinds."""


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


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("dtype", "target", "lengths"), CASES)
def test_errors_are_no_larger_than_numpys(dtype: str, target: str, lengths: Sequence[int]) -> None:
    """In norms in which NumPy computes those of single precision in it."""
    if why_not_here(named(target)):
        pytest.skip("another machine")
    resolution = np.finfo(dtype).eps / 4
    for length in lengths:
        signature = [weft.TensorSpec((None, length), dtype)]
        compiled = weft.function(transforms, input_signature=signature, target=target)
        x = stack(dtype, MOST, length)
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
        fft.ifft(fft.fft(x * 2) * x),
        fft.fft(x[:, :1]),
        fft.ifft(np.tile(x[:, ::-1], 4)),
        fft.irfft(np.tile(x, 4)[:, :17]),
        fft.fft(fft.fft(x, 64)),
    )


def test_axes_and_layouts() -> None:
    x = stack("c16", 4, 8)
    for given in (x, np.asfortranarray(x), np.repeat(x, 2, axis=0)[::2]):
        for got, expected in zip(in_places(given), in_places.python_function(given), strict=True):
            assert (got.dtype, got.shape) == (expected.dtype, expected.shape)
            assert expected.size == 0 or error(got, expected) < 1e-15


short, long = (weft.function(transforms) for _ in range(2))


@pytest.mark.sampled(3)
@pytest.mark.parametrize("odd", [np.nan, np.inf, -np.inf, complex(1, np.nan), complex(np.inf, 1)])
def test_what_comes_of_infinities_is_numpys(odd: complex) -> None:
    """And of NaN; the transforms beside them have none of it."""
    for compiled, x in ((short, stack("c16", 7, 8)), (long, stack("c16", 7, 64))):
        x[2, 3] = x[5, 0] = odd
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
