"""Places that are computed, and sorting, against StableHLO's own interpreter, or NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from support.stablehlo import (
    agrees,
    below,
    combiner,
    gives,
    i32,
    interpreted,
    listed,
    module_of,
    normal,
    region,
    require_equal,
    translation,
)

# Places


@pytest.mark.parametrize("place", [(0, 0), (5, -3), (-2, 9), (2, 1)])
def test_slices_at_places(place: tuple[int, int]) -> None:
    at = [i32(place[0]), i32(place[1])]
    agrees("dynamic_slice", [normal(5, 4), *at], "2x3xf32", attributes=f"slice_sizes = {listed(2, 3)}")
    agrees("dynamic_update_slice", [normal(5, 4), normal(2, 3), *at], "5x4xf32")


def test_slices_at_unsigned_places() -> None:
    """StableHLO's interpreter takes the largest number for -1 here."""
    x, at = normal(5), np.array(2**64 - 1, np.uint64)
    gives("dynamic_slice", [x, at], [x[3:]], "2xf32", attributes=f"slice_sizes = {listed(2)}")


def test_slices_whose_sizes_are_computed() -> None:
    x = normal(7)
    text = """
    func.func @main(%x: tensor<7xf32>, %start: tensor<1xi32>, %stop: tensor<1xi32>) -> tensor<?xf32> {
      %two = stablehlo.constant dense<2> : tensor<1xi32>
      %y = "stablehlo.real_dynamic_slice"(%x, %start, %stop, %two)
        : (tensor<7xf32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<?xf32>
      return %y : tensor<?xf32>
    }"""
    require_equal(interpreted(text, [x, np.array([1], "i4"), np.array([6], "i4")]), [x[1:6:2]])


GATHERS = [
    ("offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1",
     (5, 3), [[4], [0], [9], [-1]], (1, 3), "4x3"),
    ("offset_dims = [0, 1], start_index_map = [1, 0], index_vector_dim = 0", (5, 4), [2, 9], (2, 3), "2x3"),
    ("offset_dims = [0], collapsed_slice_dims = [1], start_index_map = [1], index_vector_dim = 2",
     (5, 4), [[0, 3], [2, 2]], (5, 1), "5x2x2"),
    ("offset_dims = [2], collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], "
     "start_index_map = [1], index_vector_dim = 2", (2, 4, 3), [[[0], [3], [2]], [[1], [1], [9]]], (1, 1, 3), "2x3x3"),
    ("offset_dims = [1, 2], start_index_map = [0, 1], index_vector_dim = 1", (5, 4), [[0, 0], [3, 3]], (2, 2), "2x2x2"),
    ("collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 1",
     (5, 4), [[0, 1], [3, 3], [4, 2]], (1, 1), "3"),
    ("offset_dims = [0], collapsed_slice_dims = [1], start_index_map = [0], index_vector_dim = 1",
     (5, 4), [[0], [3], [4]], (2, 1), "2x3"),
]  # fmt: skip


@pytest.mark.parametrize("case", GATHERS)
def test_gathers(case: Any) -> None:
    dims, shape, indices, sizes, result = case
    attributes = f"dimension_numbers = #stablehlo.gather<{dims}>, slice_sizes = {listed(*sizes)}"
    for dtype in (np.int32, np.int64):
        agrees("gather", [normal(*shape), np.array(indices, dtype)], f"{result}xf32", attributes=attributes)


def test_gathers_of_sizes_in_a_tensor() -> None:
    dims, shape, indices, sizes, _ = GATHERS[0]
    x, places = normal(*shape), np.array(indices, np.int32)
    attributes = f"dimension_numbers = #stablehlo.gather<{dims}>"
    wanted = x[np.clip(places[:, 0], 0, 4)]
    given = [x, places, np.array(sizes, np.int32)]
    gives("dynamic_gather", given, [wanted], "?x3xf32", attributes=attributes)


def test_selected_rows() -> None:
    x = normal(4, 3)
    attributes = "dim = 0 : i64, batch_dims = 0 : i64"
    gives("torch_index_select", [x, np.array([2, 0], "i4")], [x[[2, 0]]], "2x3xf32", attributes=attributes)


SCATTERS = [
    ("update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1",
     (5, 3), [[4], [0], [9], [-1], [0]], (5, 3)),
    ("update_window_dims = [0, 1], scatter_dims_to_operand_dims = [1, 0], index_vector_dim = 0",
     (5, 4), [2, 1], (2, 2)),
    ("update_window_dims = [0, 1], scatter_dims_to_operand_dims = [1, 0], index_vector_dim = 0",
     (5, 4), [3, 4], (2, 2)),
    ("update_window_dims = [0], inserted_window_dims = [1], scatter_dims_to_operand_dims = [1], index_vector_dim = 2",
     (5, 4), [[0, 3], [2, 1]], (5, 2, 2)),
    ("update_window_dims = [2], inserted_window_dims = [1], input_batching_dims = [0], "
     "scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1], index_vector_dim = 2",
     (2, 4, 3), [[[0], [3], [2]], [[1], [2], [9]]], (2, 3, 3)),
    ("update_window_dims = [1, 2], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 1",
     (5, 4), [[0, 0], [3, 3]], (2, 2, 2)),
    ("inserted_window_dims = [0, 1], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 1",
     (5, 4), [[0, 1], [3, 3], [4, 7]], (3,)),
]  # fmt: skip

_SET = (
    region("%y = stablehlo.add %x1, %x1 : tensor<f32>", "f32", "f32", result="f32")
    .replace("%y = stablehlo.add %x1, %x1 : tensor<f32>", "")
    .replace("(%y)", "(%x1)")
)


@pytest.mark.parametrize("case", SCATTERS)
@pytest.mark.parametrize("op", ["set", "add", "multiply", "maximum"])
def test_scatters(case: Any, op: str) -> None:
    dims, shape, indices, updates = case
    attributes = f"scatter_dimension_numbers = #stablehlo.scatter<{dims}>"
    body = _SET if op == "set" else combiner(op)
    result = "x".join(map(str, shape)) + "xf32"
    arrays = [normal(*shape), np.array(indices, np.int32), normal(*updates)]
    agrees("scatter", arrays, result, attributes=attributes, regions=body)


def test_scatters_to_different_places() -> None:
    attributes = f"scatter_dimension_numbers = #stablehlo.scatter<{SCATTERS[0][0]}>, unique_indices = true"
    arrays = [normal(5, 3), np.array([[4], [0], [9]], np.int32), normal(3, 3)]
    agrees("scatter", arrays, "5x3xf32", attributes=attributes, regions=combiner("multiply"))


# Sorting


def comparator(direction: str, kind: str = "f32", form: str = "FLOAT") -> str:
    """A region that compares two scalars."""
    return region(
        f"%y = stablehlo.compare {direction}, %x0, %x1, {form} : (tensor<{kind}>, tensor<{kind}>) -> tensor<i1>",
        kind, kind, result="i1",
    )  # fmt: skip


_TWO_KEYS = """{{ ^bb0(%a: tensor<i32>, %b: tensor<i32>, %c: tensor<f32>, %d: tensor<f32>):
  {first}
  %1 = stablehlo.compare EQ, %a, %b, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
  %2 = stablehlo.compare GT, %c, %d, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %3 = stablehlo.and %1, %2 : tensor<i1>
  %4 = stablehlo.or %0, %3 : tensor<i1>
  "stablehlo.return"(%4) : (tensor<i1>) -> () }}"""

_LESS = "%0 = stablehlo.compare LT, %a, %b, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>"
_LESS_OF_NEGATIVES = """%k = stablehlo.negate %a : tensor<i32> %l = stablehlo.negate %b : tensor<i32>
  %0 = stablehlo.compare LT, %k, %l, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>"""


def test_sorting() -> None:
    last, first = ("dimension = 1 : i64, is_stable = true", "dimension = 0 : i64, is_stable = true")
    agrees("sort", [normal(4, 5)], "4x5xf32", attributes=last, regions=comparator("LT"))
    agrees("sort", [normal(4, 5)], "4x5xf32", attributes=first, regions=comparator("GT"))


@pytest.mark.parametrize("first", [_LESS, _LESS_OF_NEGATIVES])
def test_sorting_by_several_keys(first: str) -> None:
    arrays = [below(3, 2, 9), normal(2, 9)]
    attributes = "dimension = 1 : i64, is_stable = true"
    agrees("sort", arrays, "2x9xi32", "2x9xf32", attributes=attributes, regions=_TWO_KEYS.format(first=first))


def test_known_comparators_need_no_pairs() -> None:
    text = module_of(
        "sort", [below(3, 9), normal(9)], "9xi32", "9xf32", attributes="dimension = 0 : i64",
        regions=_TWO_KEYS.format(first=_LESS),
    )  # fmt: skip
    assert "tensor<9x9x" not in str(translation(text))
    assert "tensor<9x9x" in str(translation(text.replace(_LESS, _LESS_OF_NEGATIVES)))
