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
    got = run_staged(weft.conv2d, IMAGE, FILTERS, dynamic=dynamic)
    np.testing.assert_allclose(got, expected)
    np.testing.assert_allclose(weft.conv2d(IMAGE, FILTERS), expected)


def test_strides_dilations_and_padding() -> None:
    same = weft.conv2d(IMAGE, FILTERS, padding="same")
    assert same.shape == (2, 7, 6, 4)
    assert weft.conv2d(IMAGE, FILTERS, strides=2, padding="same").shape == (2, 4, 3, 4)
    np.testing.assert_allclose(weft.conv2d(IMAGE, FILTERS, padding=((1, 1), (0, 1))), same)
    assert weft.conv2d(IMAGE, FILTERS, strides=(2, 1), dilations=(2, 1), padding=1).shape == (2, 3, 7, 4)


def test_pooling() -> None:
    expected = windows(IMAGE, (2, 2))[:, ::2, ::2]
    np.testing.assert_array_equal(weft.max_pool2d(IMAGE, 2), expected.max((4, 5)))
    np.testing.assert_allclose(weft.avg_pool2d(IMAGE, (2, 2)), expected.mean((4, 5)))
    np.testing.assert_array_equal(
        run_staged(lambda x: weft.max_pool2d(x, 2), IMAGE, dynamic=True), expected.max((4, 5))
    )
    assert weft.max_pool2d(IMAGE, 3, strides=1, padding="same").shape == IMAGE.shape


@pytest.mark.parametrize("dynamic", [False, True], ids=["known", "run-time"])
def test_what_does_not_fit(dynamic: bool) -> None:
    with pytest.raises(ValueError, match=r"3 channels, (the )?filters"):
        run_staged(weft.conv2d, IMAGE, FILTERS[:, :, :2], dynamic=dynamic)
    with pytest.raises(ValueError, match="a window of 3 does not fit axis 1"):
        run_staged(weft.conv2d, IMAGE[:, :2], FILTERS, dynamic=dynamic)
    with pytest.raises(ValueError, match="a window of 8 does not fit axis 1"):
        run_staged(lambda x: weft.max_pool2d(x, (8, 1)), IMAGE, dynamic=dynamic)


def test_wrong_arguments() -> None:
    with pytest.raises(ValueError, match="padding is 'valid', 'same' or numbers, not 'full'"):
        weft.conv2d(IMAGE, FILTERS, padding="full")
    with pytest.raises(ValueError, match="strides is a number or a pair of numbers"):
        weft.conv2d(IMAGE, FILTERS, strides=(1, 2, 3))
    with pytest.raises(ValueError, match="rank 4"):
        weft.max_pool2d(np.ones((3, 3)), 2)
