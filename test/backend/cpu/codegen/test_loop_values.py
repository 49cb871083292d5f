"""Loops over elementwise ops, reductions and rows: values, NaN, tails, dynamic sizes, temporaries, transposition."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

from support.kernel_code import MLIR_TYPES, KernelText, compile_kernel

Array = np.ndarray[Any, Any]

WIDENED_SUM = "%w = arith.extf %x0 : f32 to f64\n%s = arith.addf %acc, %w : f64\nlinalg.yield %s : f64"
ROUNDED_SUM = WIDENED_SUM.replace("%acc, %w", "%acc, %w {weft.rounded}")


def combine(op: str, element: str) -> str:
    return f"%s = arith.{op} %acc, %x0 : {element}\nlinalg.yield %s : {element}"


@pytest.mark.sampled
@pytest.mark.parametrize("dynamic", [False, True])
@pytest.mark.parametrize("shape", [(1, 1), (3, 0), (5, 3), (7, 16), (33, 100), (2, 3000)])
@pytest.mark.parametrize("maps", [("ij", "i"), ("ij", "j"), ("ij", "")])
@pytest.mark.parametrize(("body", "precision"), [(WIDENED_SUM, 1e-13), (ROUNDED_SUM, 1e-6)])
def test_sums_of_f32_in_f64(
    maps: tuple[str, str], shape: tuple[int, int], dynamic: bool, body: str, precision: float
) -> None:
    kernel = KernelText(dynamic)
    out = tuple(dict(zip("ij", shape, strict=True))[letter] for letter in maps[1])
    x = np.random.default_rng(0).standard_normal(shape).astype(np.float32)
    kernel.result(kernel.generic([kernel.argument(shape, "float32")], maps, body, out, "float64", "0.0"))
    result = np.empty(out, np.float64)
    kernel.compile()(x, result)
    axis = {"i": 1, "j": 0, "": None}[maps[1]]
    scale = np.abs(x).sum(axis=axis, dtype=np.float64)
    np.testing.assert_array_less(abs(result - x.sum(axis=axis, dtype=np.float64)), precision * scale + 1e-300)


@pytest.mark.sampled
@pytest.mark.parametrize("size", [1, 5, 16, 100, 1000])
@pytest.mark.parametrize("place", [None, 0, -1])
@pytest.mark.parametrize(("op", "initial"), [("maximumf", "0xFF800000"), ("minimumf", "0x7F800000")])
def test_extremes_keep_nan(op: str, initial: str, place: int | None, size: int) -> None:
    kernel = KernelText()
    value = kernel.generic(
        [kernel.argument((size,), "float32")], ["i", ""], combine(op, "f32"), (), "float32", initial
    )
    kernel.result(value)
    x = np.random.default_rng(0).standard_normal(size).astype(np.float32)
    if place is not None:
        x[place] = np.nan
    result = np.empty((), np.float32)
    kernel.compile()(x, result)
    np.testing.assert_array_equal(result, (np.max if op == "maximumf" else np.min)(x))


@pytest.mark.parametrize(
    ("op", "dtype", "initial", "reference"),
    [
        ("addi", "int64", "0", np.add),
        ("muli", "int32", "1", np.multiply),
        ("maxsi", "int8", "-128", np.maximum),
        ("minsi", "int16", "32767", np.minimum),
        ("andi", "int8", "-1", np.bitwise_and),
        ("ori", "int32", "0", np.bitwise_or),
        ("xori", "int64", "0", np.bitwise_xor),
        ("mulf", "float64", "1.0", np.multiply),
    ],
)
def test_other_reductions(op: str, dtype: str, initial: str, reference: np.ufunc) -> None:
    kernel = KernelText()
    x = np.random.default_rng(0).integers(-100, 100, (9, 45)).astype(dtype)
    if dtype == "float64":
        x = 1 + x / 1000
    body = combine(op, MLIR_TYPES[dtype])
    kernel.result(kernel.generic([kernel.argument(x.shape, dtype)], ["ij", "i"], body, (9,), dtype, initial))
    result = np.empty(9, dtype)
    kernel.compile()(x, result)
    expected = reference.reduce(x, axis=1, dtype=dtype)
    np.testing.assert_allclose(result, expected, rtol=1e-12 if dtype == "float64" else 0)


def test_integer_division_never_sees_lanes_beyond_the_end() -> None:
    kernel = KernelText()
    x, y = kernel.argument((5,), "int32"), kernel.argument((5,), "int32")
    body = "%q = arith.divsi %x0, %x1 : i32\nlinalg.yield %q : i32"
    kernel.result(kernel.generic([x, y], ["i", "i", "i"], body, (5,), "int32"))
    result = np.empty(5, np.int32)
    kernel.compile()(np.arange(5, dtype=np.int32) * 10, np.array([1, 2, 3, 4, 5], np.int32), result)
    np.testing.assert_array_equal(result, [0, 5, 6, 7, 8])


def softmax(shape: tuple[int, int], dynamic: bool) -> KernelText:
    kernel = KernelText(dynamic)
    x, rows = kernel.argument(shape, "float32"), shape[:1]
    top = kernel.generic([x], ["ij", "i"], combine("maximumf", "f32"), rows, "float32", "0xFF800000")
    body = "%d = arith.subf %x0, %x1 : f32\n%e = math.exp %d : f32\nlinalg.yield %e : f32"
    powers = kernel.generic([x, top], ["ij", "i", "ij"], body, shape, "float32")
    total = kernel.generic([powers], ["ij", "i"], WIDENED_SUM, rows, "float64", "0.0")
    body = "%t = arith.truncf %x1 : f64 to f32\n%q = arith.divf %x0, %t : f32\nlinalg.yield %q : f32"
    kernel.result(kernel.generic([powers, total], ["ij", "i", "ij"], body, shape, "float32"))
    return kernel


@pytest.mark.parametrize("dynamic", [False, True])
@pytest.mark.parametrize("shape", [(1, 1), (3, 5), (40, 37), (16, 1024), (0, 4)])
def test_softmax_over_rows(shape: tuple[int, int], dynamic: bool) -> None:
    x = np.random.default_rng(0).standard_normal(shape).astype(np.float32)
    result = np.empty_like(x)
    softmax(shape, dynamic).compile()(x, result)
    powers = np.exp(x.astype(np.float64) - x.max(axis=1, keepdims=True))
    np.testing.assert_allclose(result, powers / powers.sum(axis=1, keepdims=True), rtol=1e-6)


@pytest.mark.sampled
@pytest.mark.parametrize("shape", [(16, 16), (17, 40), (3, 100), (100, 200), (64, 15)])
@pytest.mark.parametrize("dtype", ["float32", "float64", "int8", "complex64", "bfloat16"])
def test_transposition(shape: tuple[int, int], dtype: str) -> None:
    kernel = KernelText()
    x = np.arange(np.prod(shape)).reshape(shape)
    x = x.astype(ml_dtypes.bfloat16 if dtype == "bfloat16" else dtype)
    element = MLIR_TYPES[dtype]
    value = kernel.generic(
        [kernel.argument(shape, dtype)], ["ji", "ij"], f"linalg.yield %x0 : {element}", shape[::-1], dtype
    )
    kernel.result(value)
    result = np.empty(shape[::-1], x.dtype)
    kernel.compile()(x, result)
    np.testing.assert_array_equal(result, x.T)


def test_chain_of_nests_with_two_results() -> None:
    kernel = KernelText()
    x = kernel.argument((6, 7, 8), "float32")
    double = "%s = arith.addf %x0, %x0 : f32\nlinalg.yield %s : f32"
    add = "%s = arith.addf %x0, %x1 : f32\nlinalg.yield %s : f32"
    first = kernel.generic([x], ["abc", "abc"], double, x.shape, "float32")
    total = kernel.generic([first], ["abc", "ab"], combine("addf", "f32"), (6, 7), "float32", "0.0")
    last = kernel.generic([first, total], ["abc", "ab", "abc"], add, x.shape, "float32")
    kernel.result(total)
    kernel.result(last)
    array = np.arange(6 * 7 * 8, dtype=np.float32).reshape(6, 7, 8)
    totals, result = np.empty((6, 7), np.float32), np.empty_like(array)
    kernel.compile()(array, totals, result)
    np.testing.assert_array_equal(totals, 2 * array.sum(axis=-1))
    np.testing.assert_array_equal(result, 2 * array + 2 * array.sum(axis=-1, keepdims=True))


def test_positions_in_the_body() -> None:
    kernel = KernelText()
    body = (
        "%i = linalg.index 0 : index\n%j = linalg.index 1 : index\n%t = arith.constant 100 : index\n"
        "%p = arith.muli %i, %t : index\n%q = arith.addi %p, %j : index\n"
        "%r = arith.index_cast %q : index to i64\n%s = arith.addi %r, %x0 : i64\nlinalg.yield %s : i64"
    )
    x = kernel.argument((4, 21), "int64")
    kernel.result(kernel.generic([x], ["ij", "ij"], body, (4, 21), "int64"))
    array = np.arange(84, dtype=np.int64).reshape(4, 21)
    result = np.empty_like(array)
    kernel.compile()(array, result)
    np.testing.assert_array_equal(result, array + 100 * np.arange(4)[:, None] + np.arange(21))


def test_reductions_keep_elementwise_arithmetic_exact() -> None:
    """A fused multiply-add would make x * x - x * x differ from zero."""
    kernel = KernelText()
    body = "%p = arith.mulf %x0, %x0 : f32\n%d = arith.subf %x1, %p : f32\nlinalg.yield %d : f32"
    x, y = kernel.argument((100,), "float32"), kernel.argument((100,), "float32")
    kernel.result(kernel.generic([x, y], ["i", "i", "i"], body, (100,), "float32"))
    array = np.random.default_rng(0).standard_normal(100).astype(np.float32)
    result = np.empty_like(array)
    kernel.compile()(array, array * array, result)
    assert not result.any()


def test_update_in_place_over_rows_and_copies() -> None:
    compiled = compile_kernel("""
    func.func @kernel(%m: memref<6x8xf32>, %n: memref<6x8xf32>) {
      %x = bufferization.to_tensor %m restrict writable : memref<6x8xf32> to tensor<6x8xf32>
      %left = tensor.extract_slice %x[0, 0] [6, 4] [1, 1] : tensor<6x8xf32> to tensor<6x4xf32>
      %right = tensor.extract_slice %x[0, 4] [6, 4] [1, 1] : tensor<6x8xf32> to tensor<6x4xf32>
      %a = tensor.insert_slice %right into %x[0, 0] [6, 4] [1, 1] : tensor<6x4xf32> into tensor<6x8xf32>
      %b = tensor.insert_slice %left into %a[0, 4] [6, 4] [1, 1] : tensor<6x4xf32> into tensor<6x8xf32>
      bufferization.materialize_in_destination %b in restrict writable %n : (tensor<6x8xf32>, memref<6x8xf32>) -> ()
      return
    }""")
    x = np.arange(48, dtype=np.float32).reshape(6, 8)
    result = np.empty_like(x)
    compiled(x.copy(), result)
    np.testing.assert_array_equal(result, np.roll(x, 4, axis=1))


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
def test_complex_numbers_pass_through(dtype: str) -> None:
    kernel = KernelText()
    element = MLIR_TYPES[dtype]
    x, y = kernel.argument((3, 19), dtype), kernel.argument((3, 19), dtype)
    body = f"%s = complex.mul %x0, %x1 : {element}\n%t = complex.add %s, %x0 : {element}\nlinalg.yield %t : {element}"
    kernel.result(kernel.generic([x, y], ["ij", "ij", "ij"], body, (3, 19), dtype))
    generator = np.random.default_rng(0)
    a, b = (
        (generator.standard_normal((3, 19)) + 1j * generator.standard_normal((3, 19))).astype(dtype)
        for _ in range(2)
    )
    result = np.empty_like(a)
    kernel.compile()(a, b, result)
    np.testing.assert_allclose(result, a * b + a, rtol=1e-5 if dtype == "complex64" else 1e-12)
