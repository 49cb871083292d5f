"""Casts between all dtypes give what NumPy gives, also for what does not fit."""

from __future__ import annotations

import platform
from typing import Any

import numpy as np
import pytest

import weft
from support.op_values import OPS, Use, assert_as_reference, edge_values
from weft.dialect.dtypes import ALL_DTYPES, bfloat16, kind

_OUT_OF_RANGE = [
    *(np.nan, np.inf, -np.inf, -0.5, -1.5, 127.9, 128.0, -128.9, 200.7, 300.0, -300.0, 70000.0, -70000.0),
    *(2.0**31, 2.0**31 - 0.5, -(2.0**31), -(2.0**31) - 0.5, -(2.0**31) - 1, 3e9, 2.0**32 + 5, 2.0**40 + 7),
    *(2.0**63, -(2.0**63), 1e19, 2.0**64, 1e30, -1e30),
]
# Halfway between neighbours of float16 and bfloat16, and a little beyond: rounding twice is wrong for these.
_HALFWAY = [
    *(
        1 + 2.0**-11,
        1 + 2.0**-11 + 2.0**-30,
        1 + 3 * 2.0**-11,
        1 + 2.0**-8 + 2.0**-40,
        65504.0,
        65519.999999,
        65520.0,
    ),
    *(2.0**-25, 2.0**-25 * (1 + 2.0**-52), -(2.0**-25) * (1 + 2.0**-52), 6.1e-5, 1e-40, 1e-45, 5e-324, 1e300),
]


def sources(dtype: np.dtype[Any]) -> np.ndarray[Any, Any]:
    """Values of a dtype that are hard to cast."""
    floats = np.array(_OUT_OF_RANGE + _HALFWAY)
    with np.errstate(all="ignore"):
        if kind(dtype) == "f":
            return floats.astype(dtype)
        if kind(dtype) == "c":
            return (floats + 1j * floats[::-1]).astype(dtype)
    return edge_values(dtype)


@pytest.mark.skipif(platform.machine() not in ("x86_64", "AMD64"), reason="NumPy follows the processor here")
@pytest.mark.parametrize("dtype", ALL_DTYPES, ids=lambda dtype: dtype.name)
def test_all_casts_from(dtype: np.dtype[Any]) -> None:
    assert_as_reference([(OPS["cast"], [sources(dtype)], {"dtype": target}) for target in ALL_DTYPES])


def test_float64_is_rounded_once_to_float16() -> None:
    values = np.random.default_rng(0).standard_normal(4096) * 2.0 ** np.arange(-30, 2).repeat(128)
    assert_as_reference(
        [(OPS["cast"], [values], {"dtype": np.dtype(target)}) for target in (np.float16, bfloat16)]
    )


def test_halves_that_are_computed_are_tested() -> None:
    """What is narrowed and then tested in one kernel is tested as float32."""
    x = np.array([0.0, -0.0, 1e-50, 2.0, np.nan])
    for half in (np.dtype(np.float16), bfloat16):
        got = weft.function(lambda x, half=half: x.astype(half).astype(bool))(x)
        np.testing.assert_array_equal(got, x.astype(half).astype(bool))


def test_bitcasts() -> None:
    floats = np.array([1.0, -0.0, np.inf], np.float32)
    uses: list[Use] = [(OPS["bitcast"], [floats], {"dtype": np.dtype(np.int32)})]
    uses += [(OPS["bitcast"], [np.array([0, 0x3F80, 0xFF80], np.uint16)], {"dtype": bfloat16})]
    uses += [(OPS["bitcast"], [np.array([True, False])], {"dtype": np.dtype(np.uint8)})]
    assert_as_reference(uses)


def test_ranges() -> None:
    uses: list[Use] = []
    for dtype in ALL_DTYPES[1:]:
        start, step = np.array(3, dtype), np.array(2, dtype)
        uses += [(OPS["arange"], [start, step], {"shape": (count,)}) for count in (0, 1, 300)]
    for dtype in ALL_DTYPES[9:]:
        start, step = np.array(0.1, dtype), np.array(-0.3, dtype)
        uses += [(OPS["arange"], [start, step], {"shape": (77,)})]
    assert_as_reference(uses)


def test_selections() -> None:
    uses: list[Use] = []
    for dtype in ALL_DTYPES:
        values = edge_values(dtype)
        for chosen in (values, values[:2].reshape(1, 2), values[1], values[:0]):
            condition = np.arange(chosen.size).reshape(chosen.shape) % 2 == 0
            uses.append((OPS["select"], [condition, chosen, values[0]], {}))
            uses.append((OPS["select"], [np.array(False), values[-1], chosen], {}))
    assert_as_reference(uses)


def test_integers_are_rounded_once_to_bfloat16() -> None:
    values = [2**24 + 2**16 + 1, 2**24 + 2**16, 2**31 - 1, 2**30 + 2**22 + 1, -(2**24) - 2**16 - 1, 7]
    for dtype in (np.int32, np.int64):
        x = np.array(values, dtype)
        got = weft.function(lambda x: x.astype(bfloat16))(x)
        exact = [float(v) for v in got]
        spacing = [2.0 ** (int(np.log2(abs(v))) - 7) for v in values]
        assert all(abs(e - v) <= s / 2 for e, v, s in zip(exact, values, spacing, strict=True))
        assert exact[0] > values[1]
