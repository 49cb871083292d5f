"""Convolution and pooling: padding by name or number, and what does not fit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import weft
from support.staged import run_staged

IMAGE = np.random.default_rng(3).normal(size=(2, 7, 6, 3))
FILTERS = np.random.default_rng(4).normal(size=(3, 2, 3, 4))


def windows(image: Any, size: tuple[int, int]) -> Any:
    """The windows of an image in the last two axes."""
    return np.lib.stride_tricks.sliding_window_view(image, size, axis=(1, 2))


@pytest.mark.parametrize("dynamic", [False, True], ids=["known", "run-time"])
def test_convolution(dynamic: bool) -> None:
    expected = np.einsum("nhwcij,ijcf->nhwf", windows(IMAGE, (3, 2)), FILTERS)
    got = run_staged(weft.conv, IMAGE, FILTERS, dynamic=dynamic)
    np.testing.assert_allclose(got, expected)
    np.testing.assert_allclose(weft.conv(IMAGE, FILTERS), expected)


def test_strides_dilations_and_padding() -> None:
    same = weft.conv(IMAGE, FILTERS, padding="same")
    assert same.shape == (2, 7, 6, 4)
    assert weft.conv(IMAGE, FILTERS, strides=2, padding="same").shape == (2, 4, 3, 4)
    np.testing.assert_allclose(weft.conv(IMAGE, FILTERS, padding=((1, 1), (0, 1))), same)
    assert weft.conv(IMAGE, FILTERS, strides=(2, 1), dilations=(2, 1), padding=1).shape == (2, 3, 7, 4)


def test_pooling() -> None:
    expected = windows(IMAGE, (2, 2))[:, ::2, ::2]
    np.testing.assert_array_equal(weft.max_pool(IMAGE, 2), expected.max((4, 5)))
    np.testing.assert_allclose(weft.avg_pool(IMAGE, (2, 2)), expected.mean((4, 5)))
    np.testing.assert_array_equal(
        run_staged(lambda x: weft.max_pool(x, 2), IMAGE, dynamic=True), expected.max((4, 5))
    )
    assert weft.max_pool(IMAGE, 3, strides=1, padding="same").shape == IMAGE.shape


@pytest.mark.parametrize("dynamic", [False, True], ids=["known", "run-time"])
def test_what_does_not_fit(dynamic: bool) -> None:
    with pytest.raises(ValueError, match=r"3 channels, (the|a) kernel"):
        run_staged(weft.conv, IMAGE, FILTERS[:, :, :2], dynamic=dynamic)
    with pytest.raises(ValueError, match="a window of 3 does not fit axis 1"):
        run_staged(weft.conv, IMAGE[:, :2], FILTERS, dynamic=dynamic)
    with pytest.raises(ValueError, match="a window of 8 does not fit axis 1"):
        run_staged(lambda x: weft.max_pool(x, (8, 1)), IMAGE, dynamic=dynamic)


def test_wrong_arguments() -> None:
    with pytest.raises(ValueError, match="padding is 'valid', 'same' or numbers, not 'full'"):
        weft.conv(IMAGE, FILTERS, padding="full")
    with pytest.raises(ValueError, match="strides is a number or 2 numbers, one for each axis"):
        weft.conv(IMAGE, FILTERS, strides=(1, 2, 3))
    with pytest.raises(
        ValueError, match=r"weft.max_pool takes an array \(batch, ..., channels\), not f64\[3\]"
    ):
        weft.max_pool(np.ones(3), 2)
    with pytest.raises(ValueError, match="padding is 'valid', 'same', a number, or 2 numbers or pairs"):
        weft.conv(IMAGE, FILTERS, padding=(1, 2, 3))
    with pytest.raises(ValueError, match="the padding of an axis is a number or 2 numbers"):
        weft.conv(IMAGE, FILTERS, padding=((1, 2, 3), 0))
    with pytest.raises(ValueError, match=r"input_dilations takes numbers of at least 1, not \(1, 0\)"):
        weft.conv(IMAGE, FILTERS, input_dilations=(1, 0))
    with pytest.raises(ValueError, match="window takes numbers of at least 1, not 0"):
        weft.avg_pool(IMAGE, 0)
    with pytest.raises(ValueError, match=r"weft\.max_pool: a window of 8 does not fit axis 2 of extent 6"):
        weft.function(lambda x: weft.max_pool(x, (2, 8)))(IMAGE)
    with pytest.raises(ValueError, match="one of 'max', 'min', 'sum', 'mean', not 'median'"):
        weft.reduce_window(IMAGE, "median", 2)
    with pytest.raises(ValueError, match="window is a number or 4 numbers"):
        weft.reduce_window(IMAGE, "max", (2, 2))
    with pytest.raises(ValueError, match=r"kernel \(..., channels of a group, results\) with as many axes"):
        weft.conv(IMAGE, FILTERS[0])
    with pytest.raises(ValueError, match=r"kernel \(..., results of a group, channels\) with as many axes"):
        weft.conv_transpose(IMAGE, FILTERS[0])
    with pytest.raises(ValueError, match="4 channels do not make 3 groups"):
        weft.conv_transpose(np.ones((1, 5, 4)), np.ones((2, 1, 4)), groups=3)


def test_lines_and_volumes() -> None:
    line, kernel = np.random.default_rng(5).normal(size=(2, 9, 3)), FILTERS[0]
    seen = np.lib.stride_tricks.sliding_window_view(line, 2, axis=1)
    np.testing.assert_allclose(
        weft.function(weft.conv)(line, kernel), np.einsum("nlci,icf->nlf", seen, kernel)
    )
    volume, kernel = np.random.default_rng(6).normal(size=(1, 4, 5, 6, 2)), FILTERS.reshape(3, 2, 1, 2, 6)
    seen = np.lib.stride_tricks.sliding_window_view(volume, (3, 2, 1), axis=(1, 2, 3))
    expected = np.einsum("nxyzcijk,ijkcf->nxyzf", seen, kernel)
    np.testing.assert_allclose(weft.function(weft.conv)(volume, kernel), expected)
    assert weft.max_pool(volume, 2).shape == (1, 2, 2, 3, 2)
    assert weft.avg_pool(line, 3, strides=2, padding="same").shape == (2, 5, 3)


@pytest.mark.sampled
@pytest.mark.parametrize("padding", ["valid", "same", 1, ((2, 0), (0, 1))])
@pytest.mark.parametrize("groups", [1, 2])
def test_transposed_convolutions_are_transposes(padding: Any, groups: int) -> None:
    """<conv(y), x> = <y, conv_transpose(x)>."""
    generator = np.random.default_rng(7)
    y, kernel = generator.normal(size=(2, 8, 9, 4)), generator.normal(size=(3, 4, 4 // groups, 6))
    strides, dilations = (2, 3), (1, 2)

    def forth(y: Any) -> Any:
        return weft.conv(y, kernel, strides=strides, padding=padding, dilations=dilations, groups=groups)

    def back(x: Any) -> Any:
        return weft.conv_transpose(
            x,
            kernel,
            strides=strides,
            padding=padding,
            dilations=dilations,
            groups=groups,
            output_padding=more,
        )

    more: Any = 0
    x = generator.normal(size=forth(y).shape)
    if not isinstance(padding, str):  # what the last place of the window left over
        more = tuple(n - m for n, m in zip(y.shape[1:3], back(x).shape[1:3], strict=True))
    got = weft.function(back)(x)
    np.testing.assert_allclose(got, back(x))
    if padding == "same":
        assert got.shape == (2, *(n * s for n, s in zip(x.shape[1:3], strides, strict=True)), 4)
        return
    inside = got[:, : y.shape[1], : y.shape[2]]  # behind, "valid" has zeros
    y[:, got.shape[1] :] = 0
    assert np.isclose(np.vdot(forth(y), x), np.vdot(y[:, : got.shape[1], : got.shape[2]], inside))


@pytest.mark.parametrize("reduction", ["max", "min", "sum", "mean"])
def test_reductions_of_windows(reduction: str) -> None:
    x = np.random.default_rng(8).normal(size=(5, 7))
    seen = np.lib.stride_tricks.sliding_window_view(x, (2, 5))[:, ::2, :, ::2]
    expected = getattr(np, reduction)(seen, axis=(2, 3))
    for dynamic in (False, True):
        got = run_staged(
            lambda x: weft.reduce_window(x, reduction, (2, 3), strides=(1, 2), dilations=(1, 2)),
            x,
            dynamic=dynamic,
        )
        np.testing.assert_allclose(got, expected)
    padded = weft.reduce_window(x[0], reduction, 3, padding="same")
    np.testing.assert_allclose(
        padded[[0, -1]], [getattr(np, reduction)(x[0, :2]), getattr(np, reduction)(x[0, -2:])]
    )


def test_the_first_of_equal_elements_has_the_gradient() -> None:
    x = np.array([[1.0, 2, 2, 0], [2, 2, 0, 0]])

    def total(x: Any) -> Any:
        return np.sum(weft.reduce_window(x, "max", 2, strides=2) * np.array([3.0, 5]))

    expected = [[0, 3, 5, 0], [0, 0, 0, 0]]
    np.testing.assert_array_equal(weft.grad(total)(x), expected)
    np.testing.assert_array_equal(weft.function(weft.grad(total))(x), expected)


@pytest.mark.parametrize("stride", [1, 2])
def test_gradients_where_sizes_are_known_at_run_time(stride: int) -> None:
    generator = np.random.default_rng(9)
    x, kernel = generator.normal(size=(2, 7, 6, 2)), generator.normal(size=(3, 2, 2, 3))

    def total(x: Any, kernel: Any) -> Any:
        maps = weft.conv(x, kernel, strides=stride, padding=1)
        return np.sum(weft.max_pool(maps, 2, strides=1) ** 2) + np.sum(weft.avg_pool(maps, 2, padding=1) ** 3)

    expected = weft.grad(total, argnums=(0, 1))(x, kernel)
    specs = [weft.TensorSpec((None, None, None, 2), "float64"), weft.TensorSpec(kernel.shape, "float64")]
    compiled = weft.function(weft.grad(total, argnums=(0, 1)), input_signature=specs)
    for got, wanted in zip(compiled(x, kernel), expected, strict=True):
        np.testing.assert_allclose(got, wanted, rtol=1e-10, atol=1e-12)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("size", [1, 2, 3, 6, 7])
def test_same_size_divided_by_strides_where_sizes_are_known_at_run_time(size: int) -> None:
    x, kernel = np.random.default_rng(10).normal(size=(2, size, 5, 2)), FILTERS[:, :, :2]
    pools = [weft.max_pool, weft.avg_pool]

    def program(x: Any, kernel: Any) -> list[Any]:
        pooled = [pool(x, (4, 3), strides=(3, 2), padding="same") for pool in pools]
        return [weft.conv(x, kernel, strides=(2, 3), padding="same", dilations=(2, 1)), *pooled]

    specs = [weft.TensorSpec((None, None, None, 2), "float64"), weft.TensorSpec(kernel.shape, "float64")]
    compiled = weft.function(program, input_signature=specs)
    for got, expected in zip(compiled(x, kernel), program(x, kernel), strict=True):
        np.testing.assert_allclose(got, expected, atol=1e-12)
    with pytest.raises(ValueError, match="'same' with input_dilations needs the extents"):
        weft.function(
            lambda x, k: weft.conv(x, k, padding="same", input_dilations=2), input_signature=specs
        ).get_concrete_function()


def test_channels_first_and_arrays_with_gaps() -> None:
    image = np.moveaxis(IMAGE, -1, 1).copy()
    expected = np.moveaxis(weft.conv(IMAGE, FILTERS), -1, 1)
    got = weft.function(lambda x, k: np.moveaxis(weft.conv(np.moveaxis(x, 1, -1), k), -1, 1))(image, FILTERS)
    np.testing.assert_allclose(got, expected)
    parts = IMAGE[:, ::-1, ::2], FILTERS[::-1, :, :, ::2]
    np.testing.assert_allclose(
        weft.function(weft.conv)(*parts), weft.conv(*(np.ascontiguousarray(part) for part in parts))
    )
