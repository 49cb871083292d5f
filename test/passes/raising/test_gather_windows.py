"""Loops over windows of images, which are computed as convolutions and poolings."""

from __future__ import annotations

from typing import Any

import numpy as np

import weft


def convolutions(x: Any, y: Any, k: Any, m: Any) -> Any:
    """Of several layouts, with strides, borders, and other values around."""
    plain = np.empty((2, 7, 9, 4), x.dtype)
    for i in range(7):
        for j in range(9):
            plain[:, i, j, :] = np.sum(
                x[:, i : i + 3, j : j + 2, :, np.newaxis] * k[np.newaxis], axis=(1, 2, 3)
            )
    bordered = np.ones((9, 10), x.dtype)
    for i in range(1, 8):
        for j in range(1, 9):
            bordered[i, j] = np.sum(m * y[i - 1 : i + 2, j - 1 : j + 2])
    apart = np.empty((2, 4, 4, 5), x.dtype)
    for i in range(4):
        for j in range(5):
            apart[:, :, i, j] = np.einsum(
                "nhwc,hwcf->nf", x[:, 2 * i + 1 : 2 * i + 3, 2 * j : 2 * j + 2, :], k[:2]
            )
    row = np.zeros(25, x.dtype)
    for i in range(18):
        row[i + 5] = np.dot(y.reshape(90)[3 * i : 3 * i + 7], m.reshape(9)[:7])
    few = np.zeros((2, 2, 3, 4), x.dtype)
    for i in range(2):  # written out while tracing
        for j in range(3):
            few[:, i, j] = np.tensordot(x[:, i : i + 3, j + 1 : j + 3, :], k, 3)
    return plain, bordered, apart, row, few


def poolings(x: Any, y: Any) -> Any:
    """Largest elements and means."""
    largest = np.empty((2, 4, 5, 3), x.dtype)
    for i in range(4):
        for j in range(5):
            largest[:, i, j, :] = np.max(x[:, 2 * i : 2 * i + 2, 2 * j : 2 * j + 2, :], axis=(1, 2))
    of_rows = np.empty((9, 8), x.dtype)
    for j in range(8):
        of_rows[:, j] = y[:, j : j + 3].max(axis=1)
    means = np.zeros((5, 6))
    for i in range(1, 4):
        for j in range(5):
            means[i, j] = (y[2 * i : 2 * i + 3, 2 * j : 2 * j + 2] * 1.0)[::1].mean()
    few = np.zeros((2, 2), x.dtype)
    for i in range(2):
        for j in range(2):
            few[i, j] = np.max(y[4 * i : 4 * i + 3, 5 * j : 5 * j + 4])
    return largest, of_rows, means, few


def others(x: Any, y: Any, m: Any) -> Any:
    """Loops that are something else: windows that leave the image, of what the loop writes, in other orders."""
    leaving = np.zeros(18, x.dtype)
    for j in range(18):
        leaving[j] = np.sum(y[:, j : j + 3])
    sweeping = y.copy()
    for i in range(1, 8):
        for j in range(1, 9):
            sweeping[i, j] = np.sum(sweeping[i - 1 : i + 2, j - 1 : j + 2] * m) / 16
    backwards = np.zeros(18, x.dtype)
    for i in range(18):
        backwards[17 - i] = np.max(y[3, 0:10][i // 2 : i // 2 + 1])
    scaled = np.zeros(18, x.dtype)
    for i in range(18):
        scaled[i] = np.sum(x.reshape(18, 30)[:, i : i + 3] * (x[0, 0, 0] + i))
    return leaving, sweeping, backwards, scaled


def exchanged(y: Any) -> Any:
    """Every other window is for another array."""
    odd, even = np.zeros(70, y.dtype), np.ones(70, y.dtype)
    for i in range(70):
        even[i] = np.max(y.reshape(90)[i : i + 3])
        odd, even = even, odd
    first, second = np.zeros((7, 70), y.dtype), np.ones((7, 70), y.dtype)
    for i in range(7):
        for j in range(70):
            second[i, j] = np.sum(y.reshape(90)[j : j + 3] * y[i, :3])
        first, second = second, first
    return odd, even, first, second


def arrays(dtype: str) -> list[np.ndarray[Any, Any]]:
    generator = np.random.default_rng(0)
    shapes = [(2, 9, 10, 3), (9, 10), (3, 2, 3, 4), (3, 3)]
    return [generator.integers(-9, 9, shape).astype(dtype) for shape in shapes]


def test_convolutions() -> None:
    values = arrays("float32")
    compiled = weft.function(convolutions)
    text = compiled.get_concrete_function(*values).as_text("optimized")
    assert text.count("weft.conv") == 5
    assert "scf.for" not in text
    for expected, got in zip(convolutions(*values), compiled(*values), strict=True):
        np.testing.assert_array_equal(got, expected)


def test_poolings() -> None:
    x, y, *_ = arrays("float64")
    compiled = weft.function(poolings)
    text = compiled.get_concrete_function(x, y).as_text("optimized")
    assert (text.count("weft.window_max"), text.count("weft.window_mean")) == (3, 1)
    assert "scf.for" not in text
    y[4, 4] = np.nan
    for expected, got in zip(poolings(x, y), compiled(x, y), strict=True):
        np.testing.assert_allclose(got, expected, rtol=1e-14)


def test_others() -> None:
    x, y, _, m = arrays("float64")
    compiled = weft.function(others)
    text = compiled.get_concrete_function(x, y, m).as_text("optimized")
    assert "weft.conv" not in text
    assert "window_" not in text
    for expected, got in zip(others(x, y, m), compiled(x, y, m), strict=True):
        np.testing.assert_allclose(got, expected, rtol=1e-12)


def test_arrays_that_are_exchanged() -> None:
    _, y, *_ = arrays("float64")
    compiled = weft.function(exchanged)
    assert "window_max" not in compiled.get_concrete_function(y).as_text("optimized")
    for expected, got in zip(exchanged(y), compiled(y), strict=True):
        np.testing.assert_array_equal(got, expected)


def test_gradient() -> None:
    x, _, k, _ = arrays("float64")

    def loss(k: Any) -> Any:
        total = np.zeros((2, 7, 9, 4))
        for i in range(7):
            for j in range(9):
                total[:, i, j] = np.tensordot(x[:, i : i + 3, j : j + 2, :], k, 3)
        return np.sum(total * 0.5)

    expected = np.stack(
        [[x[:, i : i + 7, j : j + 9].sum(axis=(0, 1, 2)) for j in range(2)] for i in range(3)]
    )
    np.testing.assert_allclose(
        weft.grad(loss)(k), np.repeat(expected[..., None], 4, axis=3) * 0.5, rtol=1e-12
    )
