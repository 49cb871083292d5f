"""Compiled convolutions against NumPy: strides, dilations, borders, dtypes, small and large images."""

from __future__ import annotations

import random
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest

import weft
from weft.backend.cpu.codegen.contractions import plan
from weft.backend.target import compiling_as_if

LARGE = {"first_level_cache": 256, "second_level_cache": 1 << 14}
"""With these, images and filters of a few kilobytes are treated as large ones are."""


def reference(
    image: Any,
    filters: Any,
    strides: tuple[int, int],
    dilations: tuple[int, int],
    border: int,
) -> Any:
    """The definition, one place of the window after the other."""
    wide = np.float64 if image.dtype.kind == "f" else image.dtype
    x = np.pad(image.astype(wide), ((0, 0), (border, border), (border, border), (0, 0)))
    height, width, _, count = filters.shape
    rows = (x.shape[1] - (height - 1) * dilations[0] - 1) // strides[0] + 1
    columns = (x.shape[2] - (width - 1) * dilations[1] - 1) // strides[1] + 1
    result = np.zeros((x.shape[0], rows, columns, count), wide)
    for i in range(height):
        for j in range(width):
            y, z = i * dilations[0], j * dilations[1]
            part = x[:, y : y + rows * strides[0] : strides[0], z : z + columns * strides[1] : strides[1]]
            result += np.einsum("nhwc,cf->nhwf", part, filters[i, j].astype(wide))
    return result


def numbers(shape: tuple[int, ...], dtype: str, seed: int) -> np.ndarray[Any, Any]:
    generator = np.random.default_rng(seed)
    if dtype.startswith("int"):
        return generator.integers(-3, 4, shape).astype(dtype)
    return generator.standard_normal(shape).astype(dtype)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("seed", range(24))
def test_convolutions(seed: int) -> None:
    choose = random.Random(seed)
    dtype = choose.choice(["float32", "float64", "float32", "int32", "float16"])
    channels, count = choose.choice([1, 2, 5, 16]), choose.choice([1, 3, 17, 33, 40, 100])
    window = choose.randint(1, 4), choose.randint(1, 4)
    strides = choose.choice([(1, 1), (1, 1), (2, 1), (2, 2), (1, 3)])
    dilations = choose.choice([(1, 1), (1, 1), (2, 1), (1, 2)])
    border = choose.choice([0, 0, 1, 2])
    image = numbers(
        (choose.randint(1, 2), choose.randint(8, 30), choose.randint(8, 30), channels), dtype, seed
    )
    filters = numbers((*window, channels, count), dtype, seed + 1)
    expected = reference(image, filters, strides, dilations, border)

    def convolution(x: Any, k: Any) -> Any:
        return weft.conv(x, k, strides=strides, dilations=dilations, padding=border)

    tolerance = {"float32": 1e-5, "float64": 1e-12, "float16": 1e-2}.get(dtype, 0)
    for caches in ({}, LARGE):
        few = {"PACKED": 1, "FEW_TILES": 0} if caches else {}
        with patch.dict(vars(plan), few), compiling_as_if(**caches):
            got = weft.function(convolution)(image, filters)
        assert got.dtype == image.dtype
        np.testing.assert_allclose(got, expected, rtol=tolerance, atol=tolerance * 20)


@pytest.mark.sampled
@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "int16", "int64", "bool", "complex64"])
@pytest.mark.parametrize(
    ("groups", "own", "made"), [(7, 1, 1), (40, 1, 1), (3, 1, 2), (2, 5, 9), (4, 16, 20)]
)
def test_groups(groups: int, own: int, made: int, dtype: str) -> None:
    image = numbers((2, 9, 12, groups * own), "float64", 0).round(2).astype(dtype)
    filters = numbers((3, 2, own, groups * made), "float64", 1).round(2).astype(dtype)
    options: dict[str, Any] = {"strides": (1, 2), "dilations": (2, 1), "padding": 1}
    expected = np.concatenate(
        [
            weft.conv(part, some, **options)
            for part, some in zip(
                np.split(image, groups, axis=3), np.split(filters, groups, axis=3), strict=True
            )
        ],
        axis=3,
    )

    def convolution(x: Any, k: Any) -> Any:
        return weft.conv(x, k, groups=groups, **options)

    tolerance = {"f": 1e-5, "F": 1e-5, "d": 1e-12, "e": 1e-2}.get(image.dtype.char, 0)
    for got in (convolution(image, filters), weft.function(convolution)(image, filters)):
        assert got.dtype == expected.dtype
        np.testing.assert_allclose(got, expected, rtol=tolerance, atol=tolerance * 20)


def test_groups_between_elementwise_operations() -> None:
    image, filters = numbers((1, 9, 12, 24), "float32", 0), numbers((3, 3, 1, 24), "float32", 1)

    def layer(x: Any, k: Any, b: Any) -> Any:
        return np.maximum(weft.conv(np.tanh(x), k * 2, padding="same", groups=24) + b, 0)

    bias = numbers((24,), "float32", 2)
    np.testing.assert_allclose(
        weft.function(layer)(image, filters, bias), layer(image, filters, bias), rtol=1e-5, atol=1e-5
    )


def test_groups_of_images_of_any_size() -> None:
    specs = [weft.TensorSpec((None, None, None, 6), "float32"), weft.TensorSpec((3, 3, 1, 6), "float32")]
    function = weft.function(lambda x, k: weft.conv(x, k, groups=6), input_signature=specs)
    filters = numbers((3, 3, 1, 6), "float32", 1)
    for shape in ((1, 3, 3, 6), (2, 20, 11, 6)):
        image = numbers(shape, "float32", 0)
        expected = weft.conv(image, filters, groups=6)
        np.testing.assert_allclose(function(image, filters), expected, rtol=1e-5, atol=1e-5)


def test_groups_that_do_not_fit() -> None:
    image, filters = numbers((1, 6, 7, 6), "float32", 0), numbers((3, 3, 2, 9), "float32", 1)
    with pytest.raises(ValueError, match="does not make 2 groups of equal size"):
        weft.conv(image, filters, groups=2)
    with pytest.raises(ValueError, match="does not make 0 groups"):
        weft.conv(image, filters, groups=0)
    with pytest.raises(ValueError, match="has 6 channels, 9 groups of a kernel"):
        weft.conv(image, filters, groups=9)
    specs = [weft.TensorSpec((1, 6, 7, None), "float32"), weft.TensorSpec((3, 3, 2, 9), "float32")]
    with pytest.raises(ValueError, match="groups need the numbers of channels"):
        weft.function(lambda x, k: weft.conv(x, k, groups=3), input_signature=specs).get_concrete_function()


def test_what_is_not_finite() -> None:
    image, filters = numbers((1, 6, 7, 3), "float32", 0), numbers((3, 3, 3, 20), "float32", 1)
    image[0, 2, 3, 1], image[0, 5, 6, 2] = np.nan, np.inf
    got = weft.function(weft.conv)(image, filters)
    with np.errstate(invalid="ignore"):
        expected = reference(image, filters, (1, 1), (1, 1), 0)
    np.testing.assert_allclose(got, expected, rtol=1e-5, atol=1e-5)
    assert np.isnan(got).any()
