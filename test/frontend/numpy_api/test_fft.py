"""Fourier transforms in compiled code beside NumPy's, of known and of run-time lengths."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import weft

from .test_factorizations import assert_like, message_of, numbers

fft = np.fft


def program(x: Any, rows: Any) -> list[Any]:
    """Every transform, cropped and filled, along different axes and in every norm."""
    both = [
        fft.fft(x),
        fft.fft(rows, axis=0),
        fft.ifft(rows, 6, norm="ortho"),
        fft.fft(rows, 3, norm="forward"),
        fft.irfft(rows),
        fft.irfft(rows, 7, norm="forward"),
        fft.irfft(rows, 4, 0),
        fft.hfft(x),
        fft.fft2(rows),
        fft.ifftn(rows, (4, 2), axes=(0, 1), norm="ortho"),
        fft.irfftn(rows),
        fft.ifft2(rows),
        fft.irfft2(rows),
        fft.fftn(rows, axes=(1,)),
        fft.fftshift(rows),
        fft.ifftshift(rows, 0),
        fft.fftfreq(rows.shape[1], 0.1) + rows,
        fft.rfftfreq(len(x)),
    ]
    if not np.iscomplexobj(x):
        both += [
            fft.rfft(rows),
            fft.rfft(rows, 6),
            fft.rfft(rows, 7, 0),
            fft.ihfft(x),
            fft.rfftn(rows),
            fft.rfft2(rows, norm="ortho"),
        ]
    return both


@pytest.mark.parametrize("dtype", ["float32", "float16", "complex128", "int64"])
def test_results_are_numpys(dtype: str) -> None:
    given = [numbers(dtype, 8), numbers(dtype, 3, 5)]
    expected = program(*given)
    places = {"float16": 1e-2}.get(dtype)
    got = weft.function(program)(*given)
    if places is None:
        assert_like(got, expected)
    else:
        for one, other in zip(got, expected, strict=True):
            assert (one.dtype, one.shape) == (other.dtype, other.shape)
            np.testing.assert_allclose(one, other, rtol=places, atol=places)


def test_results_of_run_time_extents_are_numpys() -> None:
    def transforms(x: Any, rows: Any) -> list[Any]:
        return [
            fft.fft(x, norm="ortho"),
            fft.fft(rows, 4, axis=0),
            fft.rfft(rows),
            fft.irfft(rows),
            fft.ifftn(rows, norm="forward"),
            fft.fftshift(rows),
            fft.fftfreq(rows.shape[1], 0.1),
        ]

    given = [numbers("float32", 8), numbers("float64", 3, 5)]
    open_ended = [weft.TensorSpec((None,) * array.ndim, array.dtype) for array in given]
    assert_like(weft.function(transforms, input_signature=open_ended)(*given), transforms(*given))


def test_lengths_that_are_data() -> None:
    compiled = weft.function(lambda x, n: [fft.fft(x, n), fft.rfft(x, n)])
    for n in (3, 8, 13):
        assert_like(
            compiled(np.arange(8.0), np.int64(n)), [fft.fft(np.arange(8.0), n), fft.rfft(np.arange(8.0), n)]
        )
    with pytest.raises(ValueError, match=r"Invalid number of FFT data points \(0\) specified"):
        compiled(np.arange(8.0), np.int64(0))
    with (
        weft.settings.scope(fallback=False),
        pytest.raises(weft.UnsupportedError, match="needs to know while tracing whether n is odd"),
    ):
        weft.function(lambda x, n: fft.irfft(x, n))(np.arange(8.0), np.int64(4))


MISTAKES: list[Callable[..., Any]] = [
    lambda x: fft.fft(x, 0),
    lambda x: fft.irfft(x, 0),
    lambda x: fft.fft(x, norm="x"),
    lambda x: fft.ifft(x, norm="x"),
    lambda x: fft.fft(x[:0]),
    lambda x: fft.irfft(x[:1]),
    lambda x: fft.fftn(x, (3,), (0, 0)),
    lambda x: fft.fftfreq(1.5) * x,
]


@pytest.mark.parametrize("mistake", MISTAKES)
def test_errors_are_numpys(mistake: Callable[..., Any]) -> None:
    given = np.arange(6.0)
    kind, message = message_of(mistake, given)
    found, said = message_of(weft.function(mistake), given)
    assert found is kind
    assert said.replace('"backward", "ortho"', '"backward","ortho"') == message.replace(
        '"backward", "ortho"', '"backward","ortho"'
    )


def test_what_cannot_be_transformed_is_said() -> None:
    with pytest.raises(TypeError, match="rfft transforms real numbers, not complex ones: use fft"):
        weft.function(lambda x: fft.rfft(x))(np.ones(4, complex))
    with pytest.raises(IndexError):
        weft.function(lambda x: fft.fft(x, axis=3))(np.ones(4))


def test_out_and_strides() -> None:
    def into(x: Any, out: Any) -> Any:
        return fft.fft(x[::-2], out=out)

    out = np.zeros(4, complex)
    returned = weft.function(into)(np.arange(8.0), out)
    assert returned is out
    np.testing.assert_allclose(out, fft.fft(np.arange(8.0)[::-2]))
