"""Shapes, products, control flow and libraries, against StableHLO's own interpreter, or NumPy."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import weft
from support.stablehlo import (
    agrees,
    complexes,
    evaluated,
    f32,
    gives,
    i32,
    interpreted,
    listed,
    module_of,
    normal,
    require_equal,
    translation,
)
from weft.frontend.stablehlo.rules.table import RULES

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


@pytest.mark.parametrize(
    "element", ["1.5 f32", "2 ui8", "-1.0 bf16", "(1.0, -2.0) complex<f32>", "true i1", "0xFF800000 f32"]
)
def test_equal_elements(element: str) -> None:
    value, _, kind = element.rpartition(" ")
    text = f"""
    func.func @main() -> tensor<5x8xKIND> {{
      %y = stablehlo.constant dense<{value}> : tensor<5x8xKIND>
      return %y : tensor<5x8xKIND>
    }}""".replace("KIND", kind)
    require_equal(interpreted(text, []), evaluated(text, []))
    assert "weft.broadcast_to" in str(translation(text))


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


def test_loops_that_count_are_known_to() -> None:
    text = str(translation(_LOOP))
    assert "scf.for" in text
    assert "scf.while" not in text
    for change in (
        ("LT, %i", "LE, %i"),
        ("add %i, %one", "add %i, %i"),
        ("compare LT, %i, %n", "compare LT, %n, %i"),
    ):
        other = _LOOP.replace(*change)
        assert other != _LOOP
        assert "scf.while" in str(translation(other))


_CARRIED_STOP = """
func.func @main(%x: tensor<i8>, %n: tensor<i8>) -> (tensor<i8>, tensor<i8>, tensor<i32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %r:3 = stablehlo.while(%i = %x, %m = %n, %s = %zero) : tensor<i8>, tensor<i8>, tensor<i32> cond {
    %p = stablehlo.compare LT, %i, %m : (tensor<i8>, tensor<i8>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i8>
    %w = stablehlo.convert %i : (tensor<i8>) -> tensor<i32>
    %t = stablehlo.add %s, %w : tensor<i32>
    %j = stablehlo.add %one, %i : tensor<i8>
    stablehlo.return %j, %m, %t : tensor<i8>, tensor<i8>, tensor<i32>
  }
  return %r#0, %r#1, %r#2 : tensor<i8>, tensor<i8>, tensor<i32>
}
"""


@pytest.mark.parametrize(("start", "stop"), [(-3, 4), (120, 127), (5, 5), (7, -7), (-128, -120)])
def test_loops_to_a_bound_that_is_carried(start: int, stop: int) -> None:
    arrays = [np.array(start, "i1"), np.array(stop, "i1")]
    assert "scf.for" in str(translation(_CARRIED_STOP))
    require_equal(interpreted(_CARRIED_STOP, arrays), evaluated(_CARRIED_STOP, arrays))


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
