"""`weft.empty`: memory for what is written later."""

from __future__ import annotations

from typing import Any

import numpy as np

from support.interpreter import interpret
from support.linalg_programs import compile_module
from support.programs import build, op_names, transform
from weft.dialect.types import TensorType

FLOATS = TensorType((3,), np.dtype(np.float64))


def filled(b: Any, *rows: Any) -> Any:
    """Each row written into memory of its own, of known and of run-time extents."""
    some = b("empty", shape=(2, 3), dtype=FLOATS.dtype)
    whole = {"stop": (2, 3), "step": (1, 1)}
    for place, row in enumerate(rows):
        line = b("expand_dims", row, axes=(0,))
        some = b("slice_update", some, line, start=(place, 0), stop=(place + 1, 3), step=(1, 1))
    other = b("empty", b.constant(np.int64(2)), shape=(-1, 3), dtype=FLOATS.dtype)
    return some, b("slice_update", other, b("negative", some), start=(0, 0), **whole)


def test_what_is_written_is_read() -> None:
    module = build([FLOATS, FLOATS], filled)
    rows = [np.arange(3.0), np.ones(3)]
    for got, expected in zip(interpret(module, "main", rows), (np.array(rows), -np.array(rows)), strict=True):
        np.testing.assert_array_equal(got, expected)
    transform(module, "weft-optimize,weft-to-linalg")
    results = compile_module(module, "main")(*rows)
    np.testing.assert_array_equal(results[0], rows)
    np.testing.assert_array_equal(results[1], -np.array(rows))


def test_what_is_not_written_shows_in_the_reference() -> None:
    for dtype, unwritten in (
        (np.float32, np.nan),
        (np.complex64, np.nan),
        (np.int8, -128),
        (np.bool_, False),
    ):
        module = build([], lambda b, dtype=dtype: b("empty", shape=(2,), dtype=np.dtype(dtype)))
        np.testing.assert_array_equal(interpret(module, "main", [])[0], np.full(2, unwritten, dtype))


def test_memory_is_neither_folded_nor_shared() -> None:
    module = build([], lambda b: [b("empty", shape=(2,), dtype=FLOATS.dtype) for _ in range(2)])
    transform(module, "weft-optimize")
    assert op_names(module) == ["empty", "empty"]
    module = build([], lambda b: b("empty", shape=(2,), dtype=FLOATS.dtype) and None)
    transform(module, "weft-optimize")
    assert op_names(module) == []
