"""Pooling of images of all kinds against the eager reference."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import weft
from weft.backend.target import named, why_not_here

SHAPES = [(2, 9, 11, 32), (1, 7, 8, 3), (1, 6, 6, 17), (1, 9, 9, 1), (1, 6, 6, 130), (0, 6, 6, 4)]


def image(shape: tuple[int, ...], dtype: str) -> np.ndarray[Any, Any]:
    generator = np.random.default_rng(0)
    pixels = generator.integers(-9, 9, shape).astype(dtype)
    if np.dtype(dtype).kind == "f" and pixels.size:
        pixels[0, 2, 3, 0], pixels[0, 4, 4, -1], pixels[0, 0, 0, 0] = np.nan, np.inf, -np.inf
    return pixels


KINDS = [
    ("float32", "native"),
    ("float32", "x86-64-v3"),
    ("float64", "native"),
    ("int8", "native"),
    ("float16", "native"),
]
CASES = [
    (shape, *kind)
    for number, kind in enumerate(KINDS)
    for place, shape in enumerate(SHAPES)
    if number == 0 or (number + place) % 2
]
"""All shapes for one dtype and machine, and every other shape for each of the others."""


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("shape", "dtype", "target"), CASES)
def test_pooling(shape: tuple[int, ...], dtype: str, target: str) -> None:
    if why_not_here(named(target)):
        pytest.skip("code for another machine")
    pixels = image(shape, dtype)
    pools = [weft.max_pool, weft.avg_pool] if np.dtype(dtype).kind == "f" else [weft.max_pool]

    def program(x: Any) -> list[Any]:
        return [
            pool(x, window, strides=strides, padding=padding)
            for pool in pools
            for window, strides, padding in [(2, None, "valid"), (3, 1, "same"), ((2, 3), (1, 2), "valid")]
        ]

    for got, expected in zip(weft.function(program, target=target)(pixels), program(pixels), strict=True):
        np.testing.assert_allclose(got, expected, rtol=1e-2 if dtype == "float16" else 1e-6)


def test_pooling_of_any_size() -> None:
    spec = weft.TensorSpec((None, None, None, None), "float32")
    pooled = weft.function(lambda x: weft.max_pool(x, 3, strides=2), input_signature=[spec])
    for shape in SHAPES:
        pixels = image(shape, "float32")
        np.testing.assert_array_equal(pooled(pixels), weft.max_pool(pixels, 3, strides=2))


def test_what_differs_from_pixel_to_pixel_is_no_filter() -> None:
    x = np.random.default_rng(0).uniform(-4, 4, (5, 3, 4)).astype(np.float32)
    result = weft.function(lambda x: np.var(x, axis=1, keepdims=True))(x)
    np.testing.assert_allclose(result, np.var(x, axis=1, keepdims=True), rtol=1e-5)
