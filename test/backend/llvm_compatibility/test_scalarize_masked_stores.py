"""What remains of a row can be one number: it alone is written, also where vectors are made narrower on the way."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import weft
from weft.backend.cpu.machine import llvm
from weft.backend.llvm_compatibility.scalarize_masked_stores import scalarize_masked_stores

MODULE = """\
define void @f(<4 x i32> %v, ptr %p) {{
  %n = trunc <4 x i32> %v to <4 x i8>
  call void @llvm.masked.store.v4i8.p0(<4 x i8> %n, ptr align 4 %p, <4 x i1> <{mask}>), !tbaa !0
  ret void
}}

declare void @llvm.masked.store.v4i8.p0(<4 x i8>, ptr, <4 x i1>)
!0 = !{{}}
"""


@pytest.mark.parametrize("lane", range(4))
def test_one_lane_is_stored_by_itself(lane: int) -> None:
    mask = ", ".join(f"i1 {'true' if i == lane else 'false'}" for i in range(4))
    text = scalarize_masked_stores(MODULE.format(mask=mask))
    assert "call void @llvm.masked.store" not in text
    assert f"extractelement <4 x i8> %n, i64 {lane}" in text
    assert f"store i8 %lane.0, ptr %lane.0.at, align {1 if lane else 4}" in text
    assert llvm.optimise(text, llvm.ScalarLoops())


@pytest.mark.parametrize(
    "mask", ["i1 true, i1 true, i1 false, i1 false", "i1 false, i1 false, i1 false, i1 false"]
)
def test_other_masks_stay(mask: str) -> None:
    text = MODULE.format(mask=mask)
    assert scalarize_masked_stores(text) == text


@pytest.mark.sampled
@pytest.mark.parametrize("narrow", [np.int8, np.int16, np.int32])
@pytest.mark.parametrize("columns", [3, 5, 9, 17, 33, 65])
def test_narrower_rows(columns: int, narrow: Any) -> None:
    """Rows of one more number than vectors hold: what follows a row in memory is the next one."""
    x = np.arange(5 * columns).reshape(5, columns)
    b = np.arange(columns)
    expected = (x * b + b).astype(narrow)
    for wide in (np.int16, np.int32, np.int64):
        result = weft.function(lambda x, b: (x * b + b).astype(narrow))(x.astype(wide), b.astype(wide))
        np.testing.assert_array_equal(result, expected.astype(narrow))


@pytest.mark.sampled
@pytest.mark.parametrize("shape", [(8, 7, 33), (33, 77, 129), (5, 16, 65), (3, 40, 257)])
@pytest.mark.parametrize("dtype", [np.int8, np.uint8])
def test_products_of_bytes(dtype: Any, shape: tuple[int, int, int]) -> None:
    """They are added up in words of 16 bits."""
    rows, depth, columns = shape
    a = (np.arange(rows * depth) % 11).reshape(rows, depth).astype(dtype)
    b = (np.arange(columns * depth) % 13).reshape(columns, depth).astype(dtype)
    np.testing.assert_array_equal(weft.function(lambda a, b: a @ b.T)(a, b), a @ b.T)
    np.testing.assert_array_equal(weft.function(lambda a, b: a @ b)(a, b.T.copy()), a @ b.T)
