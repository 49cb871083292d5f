"""Ops on whole tensors, translated, against StableHLO's own interpreter, or NumPy where that has them not."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import weft
from support.stablehlo import combiner, evaluated, interpreted, module_of, region, require_equal, translation
from weft.frontend.stablehlo.rules.table import RULES

_draw = np.random.default_rng(0)


def normal(*shape: int) -> Any:
    """Numbers of float32."""
    return _draw.standard_normal(shape).astype(np.float32)


def below(stop: int, *shape: int) -> Any:
    """Integers of int32."""
    return _draw.integers(0, stop, shape).astype(np.int32)


def complexes(*shape: int) -> Any:
    """Numbers of complex64."""
    return (normal(*shape) + 1j * normal(*shape)).astype(np.complex64)


def i32(value: int) -> Any:
    """A scalar."""
    return np.array(value, np.int32)


def f32(value: float) -> Any:
    """A scalar."""
    return np.array(value, np.float32)


def listed(*numbers: int) -> str:
    """An attribute of integers."""
    return f"array<i64: {', '.join(map(str, numbers))}>" if numbers else "array<i64>"


def agrees(op: str, arrays: list[Any], *results: str, tolerance: float = 1e-5, **parts: str) -> None:
    """Require that an op gives what StableHLO's interpreter gives."""
    text = module_of(op, arrays, *results, **parts)
    require_equal(interpreted(text, arrays), evaluated(text, arrays), tolerance)


def gives(op: str, arrays: list[Any], wanted: list[Any], *results: str, **parts: str) -> None:
    """Require that an op gives something: StableHLO's interpreter, which has it not, would end the process."""
    text = module_of(op, arrays, *results, **parts)
    require_equal(interpreted(text, arrays), [np.asarray(each) for each in wanted], 1e-4)


# Shapes


def test_new_places_of_axes() -> None:
    agrees(
        "broadcast_in_dim", [normal(3, 1)], "2x4x3xf32", attributes=f"broadcast_dimensions = {listed(2, 1)}"
    )
    agrees("transpose", [normal(3, 2, 4)], "4x3x2xf32", attributes=f"permutation = {listed(2, 0, 1)}")
    agrees("reverse", [normal(3, 2, 4)], "3x2x4xf32", attributes=f"dimensions = {listed(2, 0)}")
    agrees("reshape", [normal(3, 2, 4)], "4x6xf32")
    x = normal(4)
    sizes = f"broadcast_sizes = {listed(2, 3)}"
    gives("broadcast", [x], [np.broadcast_to(x, (2, 3, 4))], "2x3x4xf32", attributes=sizes)


@pytest.mark.parametrize("kind", ["i32", "ui8", "f32", "complex<f64>"])
def test_iota(kind: str) -> None:
    agrees("iota", [], f"2x4x3x{kind}", attributes="iota_dimension = 1 : i64")


def test_joined_and_cut() -> None:
    agrees(
        "concatenate", [normal(3, 2), normal(3, 1), normal(3, 4)], "3x7xf32", attributes="dimension = 1 : i64"
    )
    bounds = f"start_indices = {listed(1, 0)}, limit_indices = {listed(6, 4)}, strides = {listed(2, 3)}"
    agrees("slice", [normal(7, 5)], "3x2xf32", attributes=bounds)
    agrees("optimization_barrier", [normal(4), normal(2)], "4xf32", "2xf32")


@pytest.mark.parametrize(
    ("low", "high", "inside"),
    [
        ((0, 1), (2, 3), (0, 0)),
        ((1, 0), (0, -1), (2, 1)),
        ((-2, 1), (-1, 0), (1, 0)),
        ((0, 0), (-4, 0), (1, 3)),
    ],
)
def test_padding(low: tuple[int, ...], high: tuple[int, ...], inside: tuple[int, ...]) -> None:
    shape = [
        extent + before + behind + (extent - 1) * gap
        for extent, before, behind, gap in zip((3, 2), low, high, inside, strict=True)
    ]
    attributes = (
        f"edge_padding_low = {listed(*low)}, edge_padding_high = {listed(*high)}, "
        f"interior_padding = {listed(*inside)}"
    )
    agrees("pad", [normal(3, 2), normal()], f"{shape[0]}x{shape[1]}xf32", attributes=attributes)


def test_shapes_that_are_computed() -> None:
    x = normal(3, 2)
    gives("dynamic_reshape", [x, np.array([2, 3], "int32")], [x.reshape(2, 3)], "?x3xf32")
    axes = f"broadcast_dimensions = {listed(1, 2)}"
    y = normal(3, 1)
    spread = np.broadcast_to(y, (2, 3, 4))
    gives(
        "dynamic_broadcast_in_dim", [y, np.array([2, 3, 4], "int32")], [spread], "2x?x?xf32", attributes=axes
    )
    numbers = np.broadcast_to(np.arange(3, dtype=np.float32), (2, 3))
    along = "iota_dimension = 1 : i64"
    gives("dynamic_iota", [np.array([2, 3], "int64")], [numbers], "?x?xf32", attributes=along)
    agrees("get_dimension_size", [normal(7, 2)], "i32", attributes="dimension = 1 : i64")
    gives("set_dimension_size", [x, i32(2)], [x[:2]], "?x2xf32", attributes="dimension = 0 : i64")


_UNKNOWN = """
func.func @main(%x: tensor<?x3xf32>) -> tensor<?x?xf32> {
  %n = "stablehlo.get_dimension_size"(%x) {dimension = 0 : i64} : (tensor<?x3xf32>) -> tensor<i32>
  %three = stablehlo.constant dense<3> : tensor<1xi32>
  %m = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
  %twice = stablehlo.add %m, %m : tensor<1xi32>
  %shape = stablehlo.concatenate %m, %three, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %zero = stablehlo.constant dense<0.5> : tensor<f32>
  %spread = "stablehlo.dynamic_broadcast_in_dim"(%zero, %shape) {broadcast_dimensions = array<i64>}
    : (tensor<f32>, tensor<2xi32>) -> tensor<?x3xf32>
  %y = stablehlo.add %x, %spread : tensor<?x3xf32>
  %size = stablehlo.concatenate %three, %m, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %z = stablehlo.dynamic_reshape %y, %size : (tensor<?x3xf32>, tensor<2xi32>) -> tensor<?x?xf32>
  return %z : tensor<?x?xf32>
}
"""


def test_shapes_of_extents_stay_extents() -> None:
    x = normal(4, 3)
    require_equal(interpreted(_UNKNOWN, [x]), [(x + np.float32(0.5)).reshape(3, 4)])
    text = str(translation(_UNKNOWN))
    assert "tensor<3x?xf32>" in text  # of which the first is known
    function = weft.from_stablehlo(_UNKNOWN)
    np.testing.assert_array_equal(function(x), (x + np.float32(0.5)).reshape(3, 4))
    concrete = function.get_concrete_function(weft.TensorSpec((4, 3), "float32"))
    assert concrete.result_types == "f32[3,4]"


def test_padding_by_sizes_in_tensors() -> None:
    text = """
    func.func @main(%x: tensor<3xf32>, %v: tensor<f32>) -> tensor<?xf32> {
      %one = stablehlo.constant dense<1> : tensor<1xi32>
      %y = stablehlo.dynamic_pad %x, %v, %one, %one, %one
        : (tensor<3xf32>, tensor<f32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<?xf32>
      return %y : tensor<?xf32>
    }"""
    x = np.array([1, 2, 3], "f4")
    require_equal(interpreted(text, [x, f32(9)]), [np.array([9, 1, 9, 2, 9, 3, 9], "f4")])


# Products


@pytest.mark.parametrize(
    ("shapes", "batches", "contracted", "result"),
    [
        (((2, 3, 4), (2, 4, 5)), ((0,), (0,)), ((2,), (1,)), "2x3x5"),
        (((3, 2, 4), (4, 3, 5)), ((0,), (1,)), ((2,), (0,)), "3x2x5"),
        (((3, 4), (5, 3)), ((), ()), ((0,), (1,)), "4x5"),
        (((3,), (4,)), ((), ()), ((), ()), "3x4"),
    ],
)
def test_dot_general(shapes: Any, batches: Any, contracted: Any, result: str) -> None:
    dims = ", ".join(
        f"{side}_{what}_dimensions = {list(axes[place])}"
        for what, axes in (("batching", batches), ("contracting", contracted))
        for place, side in enumerate(("lhs", "rhs"))
        if axes[place]
    )
    x, y = normal(*shapes[0]), normal(*shapes[1])
    attributes = f"dot_dimension_numbers = #stablehlo.dot<{dims}>"
    agrees("dot_general", [x, y], f"{result}xf32", attributes=attributes)
    agrees("dot_general", [x.astype("i4"), y.astype("i4")], f"{result}xi32", attributes=attributes)


def test_products_of_narrow_numbers() -> None:
    x, y = np.full((2, 3), 100, np.int8), np.full((3, 2), 100, np.int8)
    dims = "lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]"
    attributes = f"dot_dimension_numbers = #stablehlo.dot<{dims}>"
    wanted = np.full((2, 2), 30000, np.int32)
    gives("dot_general", [x, y], [wanted], "2x2xi32", attributes=attributes)


def test_older_products() -> None:
    x, y = normal(4, 3), normal(3, 2)
    gives("dot", [x, y], [x @ y], "4x2xf32")
    gives("einsum", [x, y], [x @ y], "4x2xf32", attributes='einsum_config = "ij,jk->ik"')


_IMAGES = "[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]"


@pytest.mark.parametrize(
    ("image", "filters", "dims", "result", "options"),
    [
        ((2, 5, 6, 3), (2, 3, 3, 4), _IMAGES, "2x4x4x4", {}),
        (
            (2, 5, 6, 3),
            (2, 3, 3, 4),
            _IMAGES,
            "2x5x3x4",
            {"window_strides": (1, 2), "padding": ((0, 1), (1, 1))},
        ),
        (
            (2, 3, 5, 6),
            (4, 3, 2, 3),
            "[b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1]",
            "2x4x3x4",
            {"rhs_dilation": (2, 1)},
        ),
        ((2, 5, 6, 4), (2, 3, 2, 6), _IMAGES, "2x4x4x6", {"feature_group_count": 2}),
        ((4, 5, 6, 3), (2, 3, 3, 4), _IMAGES, "2x4x4x4", {"batch_group_count": 2}),
        (
            (2, 3, 4, 3),
            (2, 3, 3, 4),
            _IMAGES,
            "2x6x8x4",
            {"lhs_dilation": (2, 2), "padding": ((1, 1), (1, 2)), "window_reversal": "true, true"},
        ),
        ((2, 5, 6, 3), (2, 3, 3, 4), _IMAGES, "2x3x4x4", {"padding": ((-1, 0), (0, 0))}),
        ((2, 7, 3), (3, 3, 4), "[b, 0, f]x[0, i, o]->[b, 0, f]", "2x3x4", {"window_strides": (2,)}),
        (
            (2, 4, 5, 3, 2),
            (2, 2, 2, 2, 3),
            "[b, 0, 1, 2, f]x[0, 1, 2, i, o]->[b, 0, 1, 2, f]",
            "2x4x4x2x3",
            {"padding": ((1, 0), (0, 0), (0, 0))},
        ),
        (
            (2, 4, 5, 3, 2),
            (2, 2, 2, 1, 4),
            "[b, 0, 1, 2, f]x[0, 1, 2, i, o]->[b, 0, 1, 2, f]",
            "2x3x4x2x4",
            {"feature_group_count": 2},
        ),
        ((2, 3), (3, 4), "[b, f]x[i, o]->[b, f]", "2x4", {}),
    ],
)
def test_convolutions(image: Any, filters: Any, dims: str, result: str, options: dict[str, Any]) -> None:
    parts = [f"dimension_numbers = #stablehlo.conv<{dims}>"]
    counts = {"feature_group_count": 1, "batch_group_count": 1} | options
    for name, value in counts.items():
        if isinstance(value, int):
            parts.append(f"{name} = {value} : i64")
        elif isinstance(value, str):
            parts.append(f"{name} = array<i1: {value}>")
        elif name == "padding":
            parts.append(f"{name} = dense<{[list(sides) for sides in value]}> : tensor<{len(value)}x2xi64>")
        else:
            parts.append(f"{name} = {listed(*value)}")
    arrays = [normal(*image), normal(*filters)]
    agrees("convolution", arrays, f"{result}xf32", tolerance=1e-4, attributes=", ".join(parts))


# Reductions


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


# Control flow


@pytest.mark.parametrize("index", [-1, 0, 1, 2, 9])
def test_cases(index: int) -> None:
    branches = ", ".join(
        f'{{ %a = stablehlo.constant dense<{value}> : tensor<i32> "stablehlo.return"(%a) : (tensor<i32>) -> () }}'
        for value in (10, 20, 30)
    )
    agrees("case", [i32(index)], "i32", regions=branches)


_LOOP = """
func.func @main(%x: tensor<3xf32>, %n: tensor<i32>) -> (tensor<3xf32>, tensor<i32>) {
  %c = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %r:2 = stablehlo.while(%i = %c, %v = %x) : tensor<i32>, tensor<3xf32> cond {
    %p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %m = func.call @twice(%v) : (tensor<3xf32>) -> tensor<3xf32>
    %s = stablehlo.reduce(%m init: %zero) applies stablehlo.add across dimensions = [0]
      : (tensor<3xf32>, tensor<f32>) -> tensor<f32>
    %big = stablehlo.compare GT, %s, %ten : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %w = "stablehlo.if"(%big) ({ "stablehlo.return"(%v) : (tensor<3xf32>) -> () },
      { "stablehlo.return"(%m) : (tensor<3xf32>) -> () }) : (tensor<i1>) -> tensor<3xf32>
    %j = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %j, %w : tensor<i32>, tensor<3xf32>
  }
  return %r#1, %r#0 : tensor<3xf32>, tensor<i32>
}
func.func private @twice(%x: tensor<3xf32>) -> tensor<3xf32> {
  %y = "stablehlo.composite"(%x) {name = "my.twice", decomposition = @twice_again, version = 1 : i32}
    : (tensor<3xf32>) -> tensor<3xf32>
  return %y : tensor<3xf32>
}
func.func private @twice_again(%x: tensor<3xf32>) -> tensor<3xf32> {
  %y = stablehlo.add %x, %x : tensor<3xf32>
  return %y : tensor<3xf32>
}
""".replace(
    "  %one =",
    """  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %ten = stablehlo.constant dense<10.0> : tensor<f32>
  %one =""",
)


@pytest.mark.parametrize("count", [0, 1, 5])
def test_loops_branches_and_calls(count: int) -> None:
    arrays = [np.array([0.5, 1, 0.25], "f4"), i32(count)]
    require_equal(interpreted(_LOOP, arrays), evaluated(_LOOP, arrays))


def test_loops_have_gradients() -> None:
    function = weft.from_stablehlo(_LOOP)
    x = np.array([0.5, 1, 0.25], "f4")
    gradient = weft.grad(lambda x: function(x, i32(5))[0].sum())(x)
    np.testing.assert_array_equal(gradient, np.full(3, 4, "f4"))  # the third doubling would be too large


def test_functions_of_exporters() -> None:
    x = np.array([0.5, -0.25], np.float32)
    attributes = 'call_target_name = "mhlo.asin"'
    gives("custom_call", [x], [np.arcsin(x)], "2xf32", attributes=attributes)
    gives("custom_call", [x], [x], "2xf32", attributes='call_target_name = "Sharding"')


# Libraries


@pytest.mark.parametrize("length", [4, 5])
def test_fourier(length: int) -> None:
    z, x = complexes(3, length), normal(3, length)
    half = length // 2 + 1

    def form(kind: str, *lengths: int) -> str:
        return f"fft_type = #stablehlo<fft_type {kind}>, fft_length = {listed(*lengths)}"

    whole, part = f"3x{length}xcomplex<f32>", f"3x{half}xcomplex<f32>"
    single = np.complex64
    gives("fft", [z], [np.fft.fft(z).astype(single)], whole, attributes=form("FFT", length))
    gives("fft", [z], [np.fft.ifft(z).astype(single)], whole, attributes=form("IFFT", length))
    gives("fft", [x], [np.fft.rfft(x).astype(single)], part, attributes=form("RFFT", length))
    gives("fft", [z], [np.fft.fft2(z).astype(single)], whole, attributes=form("FFT", 3, length))
    gives("fft", [x], [np.fft.rfft2(x).astype(single)], part, attributes=form("RFFT", 3, length))
    y = np.fft.rfft2(x).astype(single)
    gives("fft", [y], [x], f"3x{length}xf32", attributes=form("IRFFT", 3, length))


def test_factorizations() -> None:
    x = normal(2, 3, 3)
    x = x @ x.transpose(0, 2, 1) + np.eye(3, dtype="f4")
    factor = np.linalg.cholesky(x)
    gives("cholesky", [x], [factor], "2x3x3xf32", attributes="lower = true")
    gives("cholesky", [x], [factor.transpose(0, 2, 1)], "2x3x3xf32", attributes="lower = false")
    bad = -x
    gives("cholesky", [bad], [np.full_like(bad, np.nan)], "2x3x3xf32", attributes="lower = true")

    def how(left: bool, lower: bool, unit: bool, transposed: str) -> str:
        flags = {"left_side": left, "lower": lower, "unit_diagonal": unit}
        words = [f"{name} = {str(value).lower()}" for name, value in flags.items()]
        return ", ".join([*words, f"transpose_a = #stablehlo<transpose {transposed}>"])

    y = normal(2, 3, 4)
    solved = np.linalg.solve(np.tril(x), y)
    attributes = how(True, True, False, "NO_TRANSPOSE")
    gives("triangular_solve", [x, y], [solved], "2x3x4xf32", attributes=attributes)
    unit = np.triu(x, 1) + np.eye(3, dtype="f4")
    z = normal(2, 4, 3)
    solved = np.linalg.solve(unit, z.transpose(0, 2, 1)).transpose(0, 2, 1)  # of X @ unit^T = z
    attributes = how(False, False, True, "TRANSPOSE")
    gives("triangular_solve", [x, z], [solved], "2x4x3xf32", attributes=attributes)


def test_normalisation() -> None:
    x, scale, offset, g = normal(2, 3, 4), normal(4), normal(4), normal(2, 3, 4)
    mean, variance = x.mean((0, 1)), x.var((0, 1))
    wanted = (x - mean) / np.sqrt(variance + 1e-3) * scale + offset
    attributes = "epsilon = 1.0e-3 : f32, feature_index = 2 : i64"
    gives(
        "batch_norm_inference",
        [x, scale, offset, mean, variance],
        [wanted],
        "2x3x4xf32",
        attributes=attributes,
    )
    results = ("2x3x4xf32", "4xf32", "4xf32")
    gives(
        "batch_norm_training", [x, scale, offset], [wanted, mean, variance], *results, attributes=attributes
    )
    training = weft.from_stablehlo(
        module_of("batch_norm_training", [x, scale, offset], *results, attributes=attributes)
    )
    wanted = weft.grad(lambda x, s, o: (training(x, s, o)[0] * g).sum(), argnums=(0, 1, 2))(x, scale, offset)
    gives("batch_norm_grad", [x, scale, mean, variance, g], list(wanted), *results, attributes=attributes)


def test_every_rule_is_tested() -> None:
    tests = Path(__file__).parent.glob("test_rules*.py")
    text = "".join(path.read_text(encoding="utf-8") for path in tests)
    missing = [name for name in RULES if f'"{name}"' not in text and f"stablehlo.{name}" not in text]
    assert missing == []
