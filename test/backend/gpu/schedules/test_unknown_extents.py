"""Points of arrays of unknown extents: where they lie is found by multiplications, as the host has prepared them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import weft
from support.device_code import device_code
from support.ptx import run

_MATRIX, _ROW = weft.TensorSpec((None, None), "float32"), weft.TensorSpec((None,), "float32")
_BOX = weft.TensorSpec((None, None, None), "float32")


def _numbers(*shape: int) -> Any:
    return np.random.default_rng(sum(shape)).random(shape, np.float32)


def _inverse(extent: int) -> int:
    shift = (extent - 1).bit_length()
    return (1 << 31 + shift) // extent + 1 | shift << 32


@pytest.mark.parametrize(
    ("function", "specs", "shapes"),
    [
        (
            lambda x, row: x + row,
            (_MATRIX, _ROW),
            [
                ((m, n), (n,))
                for m, n in [(0, 3), (3, 0), (1, 1), (5, 1), (33, 8), (17, 65), (300, 3), (2, 1027)]
            ],
        ),
        (
            lambda x, y: x - y.transpose(1, 2, 0),
            (_BOX, _BOX),
            [((a, b, c), (c, a, b)) for a, b, c in [(1, 1, 1), (2, 3, 4), (8, 5, 12), (3, 64, 7), (0, 2, 2)]],
        ),
    ],
    ids=["rows", "turned boxes"],
)
def test_all_shapes(function: Callable[..., Any], specs: Any, shapes: Any) -> None:
    with weft.settings.scope(cuda="emulator"):
        compiled = weft.function(function, input_signature=specs, device="cuda")
        for each in shapes:
            arrays = [_numbers(*shape) for shape in each]
            np.testing.assert_array_equal(np.asarray(compiled(*arrays)), function(*arrays))


@pytest.mark.parametrize("is_small", [True, False], ids=["multiplied", "divided"])
def test_what_the_host_gives(is_small: bool) -> None:
    """By an inverse, or by dividing, where the host has found that there are too many points for it."""
    (kernel,) = device_code(lambda x, row: x * row, _MATRIX, _ROW, target="sm_80").kernels
    assert kernel.ptx.count("mul.hi.u32") == 2
    for rows, columns in ((7, 12), (5, 9)):
        x, row = _numbers(rows, columns), _numbers(columns)
        words = [_inverse(max(columns // 4, 1)), _inverse(columns)] if is_small else [0, 0]
        *_, found = run(kernel.ptx, [x, row, np.zeros_like(x), *words, rows, columns], block=256)
        np.testing.assert_array_equal(found, x * row)


def test_inverses_are_exact() -> None:
    top = (1 << 31) - 1
    rng = np.random.default_rng(0)
    extents = [1, 2, 3, 7, 641, 65537, (1 << 30) + 1, top, *rng.integers(1, top, 500).tolist()]
    for extent in extents:
        shift, factor = divmod(_inverse(extent), 1 << 32)
        for number in (0, 1, extent - 1, extent, top, top // extent * extent, top // extent * extent - 1):
            assert 2 * number * factor >> 32 >> shift == number // extent
