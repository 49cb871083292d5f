"""Programs in Triton, as its tutorials write them: a softmax with a row for each program, and a product in tiles."""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Callable, Mapping
from typing import Any

_IS_THERE = importlib.util.find_spec("triton") is not None
triton: Any = importlib.import_module("triton") if _IS_THERE else None
tl: Any = importlib.import_module("triton.language") if _IS_THERE else None


def _softmax_row(source, target, columns, WIDTH: tl.constexpr):  # type: ignore[no-untyped-def]
    row = tl.program_id(0).to(tl.int64)
    places = tl.arange(0, WIDTH)
    x = tl.load(source + row * columns + places, mask=places < columns, other=-float("inf"))
    e = tl.exp(x - tl.max(x, 0))
    tl.store(target + row * columns + places, e / tl.sum(e, 0), mask=places < columns)


def _product_tile(  # type: ignore[no-untyped-def]
    a,
    b,
    c,
    rows,
    columns,
    depth,
    ROWS: tl.constexpr,
    COLUMNS: tl.constexpr,
    DEPTH: tl.constexpr,
    GROUP: tl.constexpr,
):
    number = tl.program_id(0)
    down, across = tl.cdiv(rows, ROWS), tl.cdiv(columns, COLUMNS)
    first = number // (GROUP * across) * GROUP
    height = min(down - first, GROUP)
    i = (first + number % (GROUP * across) % height) * ROWS + tl.arange(0, ROWS)
    j = number % (GROUP * across) // height * COLUMNS + tl.arange(0, COLUMNS)
    k = tl.arange(0, DEPTH)
    left, right = a + i[:, None] * depth + k[None, :], b + k[:, None] * columns + j[None, :]
    total = tl.zeros((ROWS, COLUMNS), dtype=tl.float32)
    for _ in range(0, depth, DEPTH):
        total = tl.dot(tl.load(left), tl.load(right), total)
        left += DEPTH
        right += DEPTH * columns
    tl.store(c + i[:, None] * columns + j[None, :], total.to(c.dtype.element_ty))


def _softmax(torch: Any, a: Any) -> Any:
    rows, columns = a[0].shape
    result = torch.empty_like(a[0])
    width = triton.next_power_of_2(columns)
    KERNELS["softmax"][(rows,)](a[0], result, columns, WIDTH=width, num_warps=4 if width <= 2048 else 16)
    return result


def _product(torch: Any, a: Any) -> Any:
    (rows, depth), columns = a[0].shape, a[1].shape[1]
    result = torch.empty((rows, columns), dtype=a[0].dtype, device=a[0].device)
    grid = (triton.cdiv(rows, 128) * triton.cdiv(columns, 256),)
    sizes = {"ROWS": 128, "COLUMNS": 256, "DEPTH": 64, "GROUP": 8}
    KERNELS["product"][grid](*a, result, rows, columns, depth, **sizes, num_warps=8, num_stages=3)
    return result


KERNELS: Mapping[str, Any] = (
    {"softmax": triton.jit(_softmax_row), "product": triton.jit(_product_tile)} if _IS_THERE else {}
)
"""None where Triton is not installed."""

PROGRAMS: Mapping[str, Callable[[Any, Any], Any]] = {
    "softmax": _softmax,
    "softmax_long": _softmax,
    "product_f16": _product,
    "product_f16_4096": _product,
    "product_bf16": _product,
}
"""Of torch's arrays."""

__all__ = ["KERNELS", "PROGRAMS"]
