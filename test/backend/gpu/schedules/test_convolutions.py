"""Convolutions of halves by warpgroups, whose boxes of rows lie where windows do, in the emulator."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import weft
from support.device_code import device_code
from weft.backend.gpu.machine.assembler import find_assembler

Array = np.ndarray[Any, Any]
Shape = tuple[int, ...]

CASES: dict[str, tuple[Shape, Shape, dict[str, Any]]] = {
    # The shapes of images and filters, and how windows lie.
    "one box of rows of several images": ((2, 14, 14, 64), (3, 3, 64, 64), {"padding": "same"}),
    "edges, channels that end in a step": ((3, 9, 11, 72), (3, 3, 72, 80), {}),
    "strides": ((2, 17, 15, 64), (3, 3, 64, 64), {"padding": "same", "strides": 2}),
    "strides and dilations": ((2, 17, 25, 64), (3, 3, 64, 64), {"strides": (1, 3), "dilations": 2}),
    "groups": ((2, 12, 12, 128), (3, 3, 64, 128), {"padding": "same", "groups": 2}),
    "one dimension": ((2, 100, 64), (5, 64, 64), {"padding": "same"}),
    "three dimensions": ((1, 5, 6, 7, 64), (3, 3, 3, 64, 64), {"padding": "same"}),
    "of single pixels": ((2, 14, 14, 64), (1, 1, 64, 64), {}),
}


def _numbers(*shape: int) -> Array:
    """Numbers whose sums of products are exact in halves, or nearly."""
    return np.random.default_rng(sum(shape)).integers(-1, 2, shape).astype(np.float16)


def _checked(function: Any, *given: Array, spec: Any = None) -> str:
    """The schedules of a function whose results are those of the processor."""
    how = {} if spec is None else {"input_signature": spec}
    with weft.settings.scope(cuda="emulator"):
        compiled = weft.function(function, device="cuda", **how)
        found = compiled(*given)
        text = str(compiled.get_concrete_function(*given).as_text("gpu"))
    np.testing.assert_array_equal(found, function(*given))
    return text


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", CASES)
def test_results_are_those_of_the_processor(name: str) -> None:
    images, filters, how = CASES[name]
    text = _checked(lambda x, w: weft.conv(x, w, **how), _numbers(*images), _numbers(*filters))
    assert "warpgroups: halves are added up in f32" in text


def test_what_follows_is_computed_with_it() -> None:
    x, w = _numbers(2, 8, 8, 64), _numbers(3, 3, 64, 64)
    text = _checked(lambda x, w: np.maximum(weft.conv(x, w, padding="same"), 0) + x, x, w)
    assert text.count("warpgroups: halves") == 1


@pytest.mark.parametrize("extents", [(None, 14, 14, 64), (None, None, None, 64)])
def test_unknown_extents(extents: Any) -> None:
    spec = [weft.TensorSpec(extents, np.float16), weft.TensorSpec((3, 3, 64, 64), np.float16)]
    _checked(
        lambda x, w: weft.conv(x, w, padding="same"),
        _numbers(2, 14, 14, 64),
        _numbers(3, 3, 64, 64),
        spec=spec,
    )


def test_rows_of_several_dimensions() -> None:
    text = _checked(lambda x, w: x @ w, _numbers(7, 20, 64), _numbers(64, 64))
    assert "warpgroups" in text


def test_few_channels_are_multiplied_by_warps() -> None:
    code = device_code(lambda x, w: weft.conv(x, w), _numbers(2, 14, 14, 16), _numbers(3, 3, 16, 64))
    assert not any("wgmma" in kernel.ptx for kernel in code.kernels)


@pytest.mark.skipif(find_assembler() is None, reason="ptxas is not here")
def test_the_assembler_takes_them() -> None:
    specs = [weft.TensorSpec(shape, np.float16) for shape in ((32, 56, 56, 64), (3, 3, 64, 64))]
    code = device_code(lambda x, w: weft.conv(x, w, padding="same", strides=2), *specs)
    assert "128 by 64 by 64" in str(code.schedules)
    for resources in code.assembled().values():
        assert resources.spilled == 0


SMALL: dict[str, tuple[Shape, Shape, Any, str]] = {
    # Images whose rows fill no tile, and how they are multiplied.
    "float32": ((3, 7, 7, 12), (3, 3, 12, 20), np.float32, "products: tiles"),
    "float32, many": ((9, 14, 14, 16), (3, 3, 16, 64), np.float32, "products: tiles"),
    "float64": ((3, 7, 7, 12), (3, 3, 12, 20), np.float64, "tensor cores f64"),
    "halves": ((3, 7, 7, 16), (3, 3, 16, 24), np.float16, "tensor cores: halves"),
    "halves that are not aligned": ((3, 7, 7, 5), (3, 3, 5, 24), np.float16, "tensor cores: halves"),
    "bytes": ((3, 7, 7, 16), (3, 3, 16, 24), np.int8, "products: tiles"),
}


@pytest.mark.parametrize("name", SMALL)
def test_images_of_few_rows_share_tiles(name: str) -> None:
    images, filters, dtype, schedule = SMALL[name]
    given = _numbers(*images).astype(dtype), _numbers(*filters).astype(dtype)
    text = _checked(lambda x, w: np.maximum(weft.conv(x, w, padding="same"), 0) + x[..., :1], *given)
    assert schedule in text


def test_fewer_blocks_are_launched() -> None:
    """49 rows of 8 images are 13 boxes of 32, or so, and not 56 of which each has 7 rows."""
    specs = [weft.TensorSpec(shape, np.float32) for shape in ((8, 7, 7, 16), (3, 3, 16, 32))]
    text = device_code(lambda x, w: weft.conv(x, w, padding="same"), *specs).text
    (blocks,) = (int(n) for n in re.findall(r"@kernel_1 blocks in \(%c(\d+), %c1, %c1\)", text))
    assert blocks < 30
