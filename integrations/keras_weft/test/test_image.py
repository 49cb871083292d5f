"""`keras.ops.image`: the same values compiled as in plain Python, and gradients."""

from __future__ import annotations

from typing import Any

import keras
import numpy as np
import pytest
import scipy.ndimage  # type: ignore[import-untyped]
from compared import Row, compare, compare_gradients, rows
from keras import ops

FIRST = "channels_first"
SQUARE = np.array([[0, 0], [0, 4], [4, 0], [4, 4]], np.float32)
MOVED = np.array([[0.5, 0], [0, 4.5], [4, 0.2], [3.6, 4]], np.float32)
TURN = np.array([0.8, -0.3, 1.0, 0.2, 0.9, -0.5, 0.0, 0.0], np.float32)


def image_rows(dtype: Any = np.float32) -> dict[str, Row]:
    array = rows()
    images = np.abs(array(2, 5, 6, 3)).astype(dtype)
    places = np.linspace(-4, 9, 21).astype(np.float32)
    both = np.stack([places, places[::-1] * 0.7])
    table: dict[str, Row] = {
        "grey": (ops.image.rgb_to_grayscale, images),
        "grey, first": (lambda x: ops.image.rgb_to_grayscale(x, FIRST), images.transpose(0, 3, 1, 2)),
        "affine": (lambda x, t: ops.image.affine_transform(x, t), images, np.stack([TURN, TURN * 0.5])),
        "affine of one": (
            lambda x, t: ops.image.affine_transform(x, t, "nearest", "reflect"),
            images[0],
            TURN,
        ),
        "perspective": (ops.image.perspective_transform, images, SQUARE, MOVED),
        "perspective, first": (
            lambda x, a, b: ops.image.perspective_transform(x, a, b, "nearest", 1, FIRST),
            *(images.transpose(0, 3, 1, 2), np.stack([SQUARE, MOVED]), np.stack([MOVED, SQUARE])),
        ),
        "blur": (lambda x: ops.image.gaussian_blur(x, (3, 5), (1.0, 0.7)), images),
        "blur, first": (lambda x: ops.image.gaussian_blur(x, 2 * (4,), data_format=FIRST), images[0]),
        "elastic": (lambda x: ops.image.elastic_transform(x, 2.0, 0.5, seed=3), images),
        "edges": (ops.image.sobel_edges, images),
        "scale": (
            lambda x, s, t: ops.image.scale_and_translate(x, (2, 4, 9, 3), s, t, (1, 2), "cubic"),
            *(images, np.array([0.7, 1.5], np.float32), np.array([0.3, -1], np.float32)),
        ),
    }
    for method in ("bilinear", "nearest", "bicubic", "lanczos3"):
        table[method] = (lambda x, m=method: ops.image.resize(x, (7, 4), m, antialias=m == "bicubic"), images)
    table["cropped"] = (lambda x: ops.image.resize(x, (3, 9), crop_to_aspect_ratio=True), images)
    table["padded"] = (
        lambda x: ops.image.resize(x, (9, 4), pad_to_aspect_ratio=True, fill_value=2.0, data_format=FIRST),
        images.transpose(0, 3, 1, 2),
    )
    for mode in ("constant", "nearest", "wrap", "mirror", "reflect"):
        table["places " + mode] = (
            lambda x, p, m=mode: ops.image.map_coordinates(x, p, 1, m, 2.0),
            *(images[0, :, :, 0], both),
        )
    return table


def test_images() -> None:
    compare(image_rows(), 1e-5)


def test_colours() -> None:
    colours = np.random.default_rng(1).random((2, 4, 5, 3), np.float32)
    colours[0, 0] = 0.5  # grey
    colours[0, 1] = 0  # black
    table: dict[str, Row] = {
        "hsv": (ops.image.rgb_to_hsv, colours),
        "rgb": (ops.image.hsv_to_rgb, colours),
        "rgb, first": (lambda x: ops.image.hsv_to_rgb(x, FIRST), colours.transpose(0, 3, 1, 2)),
    }
    compare(table)
    there = ops.image.hsv_to_rgb(ops.image.rgb_to_hsv(colours))
    np.testing.assert_allclose(there, colours, atol=1e-6)


def test_images_of_bytes_are_rounded() -> None:
    images = np.random.default_rng(2).integers(0, 256, (2, 5, 6, 3), np.uint8)
    table: dict[str, Row] = {
        "resize": (lambda x: ops.image.resize(x, (8, 7), "bicubic"), images),
        "affine": (ops.image.affine_transform, images, TURN[None].repeat(2, 0)),
        "blur": (ops.image.gaussian_blur, images),
        "grey": (ops.image.rgb_to_grayscale, images),
    }
    compare(table)
    assert all(row[0](*row[1:]).dtype == np.uint8 for row in table.values())


@pytest.mark.parametrize("mode", ["nearest", "mirror", "reflect", "wrap"])
@pytest.mark.parametrize("order", [0, 1])
def test_places_beyond_the_ends(mode: str, order: int) -> None:
    array = rows(3)
    x, places = array(4, 5), array(2, 30) * 6
    found = ops.image.map_coordinates(x, places, order, mode)
    expected = scipy.ndimage.map_coordinates(
        x, places, order=order, mode="grid-wrap" if mode == "wrap" else mode
    )
    np.testing.assert_allclose(found, expected, atol=1e-5)


def test_gradients() -> None:
    array = rows(4)
    images = array(2, 4, 5, 3, dtype=np.float64)
    turns = np.stack([TURN, TURN * 0.5])
    compare_gradients(
        {
            "resize": (lambda x: ops.image.resize(x, (7, 4), "bicubic"), images),
            "blur": (ops.image.gaussian_blur, images),
            "affine": (lambda x: ops.image.affine_transform(x, turns), images),
            "places": (
                lambda x: ops.image.map_coordinates(x, np.array([[0.3, 1.6], [2.2, 3.7]]), 1),
                images[0, :, :, 0],
            ),
        },
        step=0.1,  # all are linear, and computed in float32
        tolerance=1e-4,
    )


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda x: ops.image.resize(x, (2, 2), "closest"), "`interpolation`"),
        (lambda x: ops.image.resize(x, (2, 2), fill_mode="wrap"), "`fill_mode`"),
        (lambda x: keras.src.backend.image.resize(x, (2, 2, 2)), "two elements"),
        (
            lambda x: keras.src.backend.image.resize(
                x, (2, 2), crop_to_aspect_ratio=True, pad_to_aspect_ratio=True
            ),
            "Only one of",
        ),
        (lambda x: ops.image.resize(x[0, 0], (2, 2)), "rank"),
        (lambda x: ops.image.affine_transform(x, TURN, "cubic"), "`interpolation`"),
        (lambda x: keras.src.backend.image.affine_transform(x, TURN, fill_mode="far"), "`fill_mode`"),
        (lambda x: ops.image.affine_transform(x, TURN[None, None]), "transform rank"),
        (lambda x: ops.image.perspective_transform(x, SQUARE[:3], MOVED), "start_points shape"),
        (lambda x: keras.src.backend.image.perspective_transform(x, SQUARE, MOVED[None]), "the same shape"),
        (lambda x: ops.image.map_coordinates(x, np.ones((2, 3)), 1), "First dim"),
        (lambda x: ops.image.map_coordinates(x, np.ones(4), 1), "coordinates rank"),
        (lambda x: keras.src.backend.image.map_coordinates(x, np.ones((4, 3)), 2), "`order`"),
        (lambda x: ops.image.rgb_to_hsv(x.astype(int)), "expected float dtype"),
        (lambda x: ops.image.rgb_to_grayscale(x[..., :2]), "channel size"),
        (
            lambda x: keras.src.backend.image.scale_and_translate(
                x, x.shape, np.ones(1), np.ones(1), (1,), "best"
            ),
            "`method`",
        ),
    ],
)
def test_bad_input(call: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call(np.ones((1, 4, 4, 3), np.float32))
