"""Reductions and windows, against StableHLO's own interpreter, or NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from support.stablehlo import (
    agrees,
    below,
    combiner,
    f32,
    i32,
    interpreted,
    listed,
    normal,
    region,
    require_equal,
)


@pytest.mark.parametrize("op", ["add", "multiply", "maximum", "minimum"])
def test_reductions(op: str) -> None:
    over = f"dimensions = {listed(0, 2)}"
    agrees("reduce", [normal(3, 4, 2), normal()], "4xf32", attributes=over, regions=combiner(op))
    first = f"dimensions = {listed(0)}"
    agrees("reduce", [normal(0, 4), normal()], "4xf32", attributes=first, regions=combiner(op))
    agrees(
        "reduce", [normal(3), normal()], "3xf32", attributes="dimensions = array<i64>", regions=combiner(op)
    )


@pytest.mark.parametrize("op", ["and", "or", "xor", "add", "maximum"])
def test_reductions_of_integers(op: str) -> None:
    over = f"dimensions = {listed(1)}"
    agrees("reduce", [below(99, 3, 5), i32(7)], "3xi32", attributes=over, regions=combiner(op, "i32"))


@pytest.mark.parametrize("op", ["and", "or", "xor", "add", "multiply", "maximum", "minimum"])
def test_reductions_of_booleans(op: str) -> None:
    x, initial = below(2, 3, 5).astype(bool), np.array(op in ("and", "multiply", "minimum"))
    over = f"dimensions = {listed(1)}"
    agrees("reduce", [x, initial], "3xi1", attributes=over, regions=combiner(op, "i1"))


_ARGMAX = """{ ^bb0(%x0: tensor<f32>, %x1: tensor<i32>, %y0: tensor<f32>, %y1: tensor<i32>):
  %g = stablehlo.compare GE, %x0, %y0 : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %v = stablehlo.select %g, %x0, %y0 : tensor<i1>, tensor<f32>
  %i = stablehlo.select %g, %x1, %y1 : tensor<i1>, tensor<i32>
  "stablehlo.return"(%v, %i) : (tensor<f32>, tensor<i32>) -> () }"""


def test_reductions_by_any_function() -> None:
    places = np.tile(np.arange(5, dtype=np.int32)[:, None], (1, 3))
    arrays = [normal(5, 3), places, f32(-np.inf), i32(0)]
    over = f"dimensions = {listed(0)}"
    agrees("reduce", arrays, "3xf32", "3xi32", attributes=over, regions=_ARGMAX)
    body = """%m = stablehlo.multiply %x0, %x1 : tensor<f32> %p = stablehlo.add %x0, %x1 : tensor<f32>
      %y = stablehlo.add %m, %p : tensor<f32>"""
    whole = region(body, "f32", "f32", result="f32")
    agrees("reduce", [normal(7), f32(0)], "f32", attributes=over, regions=whole)


def test_a_reduction_of_an_axis_that_may_be_empty() -> None:
    text = f"""
    func.func @main(%x: tensor<?x3xf32>, %i: tensor<f32>) -> tensor<3xf32> {{
      %y = "stablehlo.reduce"(%x, %i) ({combiner("maximum")}) {{dimensions = array<i64: 0>}}
        : (tensor<?x3xf32>, tensor<f32>) -> tensor<3xf32>
      return %y : tensor<3xf32>
    }}"""
    for count in (0, 4):
        x = normal(count, 3)
        require_equal(interpreted(text, [x, f32(-9)]), [np.max(x, axis=0, initial=-9).astype("f4")])


def window(extents: Any, strides: Any = None, padding: Any = None, base: Any = None, gaps: Any = None) -> str:
    """The attributes of windows."""
    parts = [f"window_dimensions = {listed(*extents)}"]
    named = (("window_strides", strides), ("base_dilations", base), ("window_dilations", gaps))
    parts += [f"{name} = {listed(*value)}" for name, value in named if value]
    if padding:
        parts.append(f"padding = dense<{padding}> : tensor<{len(padding)}x2xi64>")
    return ", ".join(parts)


@pytest.mark.parametrize("op", ["add", "multiply", "maximum", "minimum"])
def test_windows(op: str) -> None:
    start = {"add": 0.0, "multiply": 1.0, "maximum": -np.inf, "minimum": np.inf}[op]
    body = combiner(op)
    agrees(
        "reduce_window",
        [normal(6, 5), f32(start)],
        "3x4xf32",
        attributes=window((2, 2), (2, 1)),
        regions=body,
    )
    padded = window((2, 3), (2, 1), [[1, 2], [0, 1]])
    agrees("reduce_window", [normal(6, 5), f32(start)], "4x4xf32", attributes=padded, regions=body)
    running = window((6,), padding=[[5, 0]])
    agrees("reduce_window", [normal(6), f32(start)], "6xf32", attributes=running, regions=body)
    backwards = window((6,), padding=[[0, 5]])
    agrees("reduce_window", [normal(6), f32(start)], "6xf32", attributes=backwards, regions=body)


def test_windows_with_gaps() -> None:
    attributes = window((2, 2), (1, 1), [[0, 0], [0, 1]], (2, 1), (1, 2))
    agrees(
        "reduce_window", [normal(4, 3), f32(0.5)], "6x2xf32", attributes=attributes, regions=combiner("add")
    )


def test_windows_by_any_function() -> None:
    attributes = window((3, 2), (2, 1))
    arrays = [normal(7, 4), below(9, 7, 4), f32(-np.inf), i32(0)]
    agrees("reduce_window", arrays, "3x3xf32", "3x3xi32", attributes=attributes, regions=_ARGMAX)


_LARGER = region(
    "%y = stablehlo.compare GE, %x0, %x1 : (tensor<f32>, tensor<f32>) -> tensor<i1>",
    "f32",
    "f32",
    result="i1",
)


def test_gradients_of_pooling() -> None:
    regions = f"{_LARGER}, {combiner('add')}"
    zero = f32(0)
    agrees(
        "select_and_scatter", [normal(4, 5), normal(2, 2), zero], "4x5xf32", attributes=window((2, 2), (2, 3)),
        regions=regions,
    )  # fmt: skip
    overlapping = window((3, 2), (1, 2), [[0, 1], [0, 1]])
    agrees(
        "select_and_scatter",
        [normal(4, 5), normal(3, 3), zero],
        "4x5xf32",
        attributes=overlapping,
        regions=regions,
    )


def test_map() -> None:
    attributes = f"dimensions = {listed(0, 1)}"
    agrees(
        "map", [normal(3, 2), normal(3, 2)], "3x2xf32", attributes=attributes, regions=combiner("multiply")
    )
