"""Functions of elements that do not lie side by side: values are those of elements that do, to the bit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import weft


def of_columns(p: Any) -> Any:
    return np.exp(p[:, 0]) * p[:, 2] + p[:, 1], np.tanh(p[::2, 1]), np.exp(p[::-1, 2])


def of_pairs(p: Any) -> Any:
    x = p[:, 0:1]
    return np.exp((x.T - x) / 8), np.exp(p.T)[1:, ::2] + 1, np.where(p[::2, ::2] > 0, np.exp(p[::2, ::2]), -1)


def sums(p: Any) -> Any:
    x = np.exp(p[:, 0] / 8)
    return (
        x.sum(),
        np.exp(p[::2, 1] / 8).sum(),
        (np.exp(-(p[:, 0] ** 2)) * p[:, 2]).sum(),
        np.tanh(p[:, ::2]).sum(1),
    )


@pytest.mark.sampled
@pytest.mark.parametrize("dtype", ["float64", "float32", "int32"])
@pytest.mark.parametrize("function", [of_columns, of_pairs, sums])
def test_values(function: Any, dtype: str) -> None:
    compiled = weft.function(function, input_signature=[weft.TensorSpec((None, 3), dtype)])
    for count in (0, 1, 7, 8, 9, 33):
        p = (np.random.default_rng(count).normal(size=(count, 3)) * 3).astype(dtype)
        for got, wanted in zip(compiled(p), function(p), strict=True):
            precision = 1e-12 if wanted.dtype == np.float64 else 3e-6
            np.testing.assert_allclose(got, wanted, rtol=precision, atol=precision)


def test_extremes_keep_nan() -> None:
    p = np.random.default_rng(0).normal(size=(101, 3))
    p[97, 1] = np.nan
    greatest = weft.function(lambda p: (np.tanh(p[:, 0]).max(), np.tanh(p[:, 1]).min()))
    np.testing.assert_allclose(greatest(p), (np.tanh(p[:, 0]).max(), np.nan), rtol=1e-13)


@pytest.mark.parametrize("count", [5, 16, 100])
def test_bits(count: int) -> None:
    p = np.random.default_rng(count).normal(size=(count, 3))
    compiled = weft.function(lambda x: np.exp(x))
    np.testing.assert_array_equal(weft.function(lambda p: np.exp(p[:, 1]))(p), compiled(p[:, 1].copy()))


def test_what_is_written_where_it_is_read() -> None:
    def program(x: Any) -> Any:
        x[:] = np.exp(x.T)
        x[:, 0] = np.exp(x[:, 1] / 8)
        x[1] = np.exp(x[1, ::-1] / 8)

    given = np.random.default_rng(0).normal(size=(40, 40))
    wanted = given.copy()
    weft.function(program)(given)
    program(wanted)
    np.testing.assert_allclose(given, wanted, rtol=1e-13)
