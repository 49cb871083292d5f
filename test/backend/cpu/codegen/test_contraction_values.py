"""Contractions in all layouts, types and sizes against NumPy."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest

import weft
from support.contraction_cases import body
from support.kernel_code import KernelText
from support.outcomes import seeds
from weft.backend import target
from weft.backend.cpu.codegen.contractions import streamed_product

CASES = 30
_EMIT = streamed_product.StreamedProduct.emit


def gram(x: Any) -> Any:
    return x.T @ x


@pytest.mark.parametrize(
    ("columns", "dtype", "tolerance"), [(33, "float64", 1e-14), (50, "float32", 1e-6), (40, "int32", 0)]
)
def test_tables_of_any_length_times_themselves(columns: int, dtype: str, tolerance: float) -> None:
    compiled = weft.function(gram, input_signature=[weft.TensorSpec((None, columns), dtype)])
    generator = np.random.default_rng(columns)
    for rows in (0, 1, 671, 672, 673, 3001):
        x = (generator.standard_normal((rows, columns)) * 9).astype(dtype)
        expected = gram(x)
        np.testing.assert_allclose(compiled(x), expected, rtol=0, atol=tolerance * np.abs(expected).max())


def test_a_long_table_times_another_one_with_what_follows() -> None:
    def covariance(x: Any, y: Any) -> Any:
        return (x - x.mean(axis=0)).T @ y / len(x) + 1.0

    generator = np.random.default_rng(2)
    x, y = generator.standard_normal((9001, 70)), generator.standard_normal((9001, 37))
    np.testing.assert_allclose(weft.function(covariance)(x, y), covariance(x, y), rtol=0, atol=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("first", seeds(CASES)[::CASES])
def test_random_contractions(first: int) -> None:
    command = [sys.executable, "-m", "support.contraction_cases", str(first), str(first + CASES)]
    tests = Path(__file__).resolve().parents[3]
    run = subprocess.run(command, cwd=tests, capture_output=True, text=True, timeout=120, check=False)
    assert run.returncode == 0, run.stdout + run.stderr


def product(m: int, n: int, k: int, maps: tuple[str, str], dtype: str = "float32") -> KernelText:
    sizes = {"i": m, "j": n, "k": k}
    kernel = KernelText()
    inputs = [kernel.argument([sizes[letter] for letter in letters], dtype) for letters in maps]
    code = body(dtype, dtype, (inputs[0].element,) * 2)
    zero = "0" if "complex" in dtype else "0.0"
    kernel.result(kernel.generic(inputs, [*maps, "ij"], code, (m, n), dtype, zero))
    return kernel


@pytest.mark.sampled
@pytest.mark.parametrize("maps", [("ik", "kj"), ("ki", "kj"), ("ik", "jk"), ("ki", "jk")])
@pytest.mark.parametrize("shape", [(200, 129, 300), (130, 512, 520), (1, 700, 300), (3, 600, 257)])
def test_large_products(shape: tuple[int, int, int], maps: tuple[str, str]) -> None:
    generator = np.random.default_rng(0)
    sizes = dict(zip("ijk", shape, strict=True))
    x, y = (
        generator.standard_normal([sizes[letter] for letter in letters]).astype(np.float32)
        for letters in maps
    )
    result = np.empty(shape[:2], np.float32)
    product(*shape, maps).compile()(x, y, result)
    expected = np.einsum(f"{maps[0]},{maps[1]}->ij", x.astype(np.float64), y.astype(np.float64))
    np.testing.assert_allclose(result, expected, rtol=0, atol=1e-4)


def test_sums_go_on_from_what_is_there() -> None:
    kernel = KernelText()
    x, y, z = (kernel.argument(shape, "float32") for shape in [(5, 7), (7, 9), (5, 9)])
    doubled = "%s = arith.addf %x0, %x0 : f32\nlinalg.yield %s : f32"
    start = kernel.generic([z], ["ij", "ij"], doubled, (5, 9), "float32")
    kernel.lines.append(
        f"%p = linalg.matmul ins({x.name}, {y.name} : tensor<5x7xf32>, tensor<7x9xf32>)"
        f" outs({start.name} : tensor<5x9xf32>) -> tensor<5x9xf32>"
    )
    start.name = "%p"
    kernel.result(start)
    arrays = [
        np.arange(np.prod(shape), dtype=np.float32).reshape(shape) for shape in [(5, 7), (7, 9), (5, 9)]
    ]
    result = np.empty((5, 9), np.float32)
    kernel.compile()(*arrays, result)
    np.testing.assert_array_equal(result, arrays[0] @ arrays[1] + 2 * arrays[2])


@pytest.mark.parametrize("stride", [1, 2])
@pytest.mark.parametrize("shape", [(1, 9, 11, 3, 3, 3, 5), (2, 8, 40, 16, 2, 3, 33)])
def test_convolution(shape: tuple[int, ...], stride: int) -> None:
    batch, height, width, channels, rows, columns, filters = shape
    out = (batch, (height - rows) // stride + 1, (width - columns) // stride + 1, filters)
    text = f"""
    func.func @kernel(%a0: memref<{batch}x{height}x{width}x{channels}xf32>,
        %a1: memref<{rows}x{columns}x{channels}x{filters}xf32>, %a2: memref<{"x".join(map(str, out))}xf32>) {{
      %zero = arith.constant 0.0 : f32
      linalg.fill ins(%zero : f32) outs(%a2 : memref<{"x".join(map(str, out))}xf32>)
      linalg.conv_2d_nhwc_hwcf {{strides = dense<{stride}> : tensor<2xi64>}}
        ins(%a0, %a1 : memref<{batch}x{height}x{width}x{channels}xf32>,
            memref<{rows}x{columns}x{channels}x{filters}xf32>)
        outs(%a2 : memref<{"x".join(map(str, out))}xf32>)
      return
    }}"""
    from support.kernel_code import compile_kernel

    generator = np.random.default_rng(0)
    image = generator.standard_normal(shape[:4]).astype(np.float32)
    kernel = generator.standard_normal((rows, columns, channels, filters)).astype(np.float32)
    result: np.ndarray[Any, Any] = np.empty(out, np.float32)
    compile_kernel(text)(image, kernel, result)
    expected = np.zeros(out)
    for row in range(rows):
        for column in range(columns):
            window = image[
                :, row : row + stride * out[1] : stride, column : column + stride * out[2] : stride
            ]
            expected += window[:, : out[1], : out[2]] @ kernel[row, column].astype(np.float64)
    np.testing.assert_allclose(result, expected, rtol=1e-5, atol=1e-4)


@pytest.mark.sampled
@pytest.mark.parametrize("maps", [("ik", "kj"), ("ki", "kj"), ("ik", "jk")])
@pytest.mark.parametrize("shape", [(700, 70, 1100), (513, 33, 2050)])
def test_products_in_blocks(shape: tuple[int, int, int], maps: tuple[str, str]) -> None:
    """The left operand does not fit the cache: blocks of rows, and of products whose sums are added in memory."""
    generator = np.random.default_rng(0)
    sizes = dict(zip("ijk", shape, strict=True))
    x, y = (
        generator.integers(-9, 9, [sizes[letter] for letter in letters]).astype(np.float32)
        for letters in maps
    )
    result = np.empty(shape[:2], np.float32)
    product(*shape, maps).compile()(x, y, result)
    np.testing.assert_array_equal(result, np.einsum(f"{maps[0]},{maps[1]}->ij", x, y, optimize=True))


@pytest.mark.sampled
@pytest.mark.parametrize("value", [np.inf, -np.inf, np.nan])
@pytest.mark.parametrize("dtype", ["float32", "complex64"])
def test_special_values_stay_in_their_row(value: float, dtype: str) -> None:
    x, y = np.ones((37, 50), dtype), np.ones((50, 45), dtype)
    x[11, 7] = value
    result = np.empty((37, 45), dtype)
    product(37, 45, 50, ("ik", "kj"), dtype).compile()(x, y, result)
    rest = np.delete(result, 11, axis=0)
    np.testing.assert_array_equal(rest, 50)
    with np.errstate(invalid="ignore"):
        np.testing.assert_array_equal(result[11].real, np.full(45, value + 49))


@pytest.mark.sampled
@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
@pytest.mark.parametrize("extent", [0, 1, 5, 64, 1001])
def test_products_of_complex_vectors(dtype: str, extent: int) -> None:
    generator = np.random.default_rng(0)
    parts = generator.standard_normal((2, 2, extent))
    x, y = (parts[0] + 1j * parts[1]).astype(dtype)
    rows = np.stack([x, y, x + y])
    for function in (np.dot, np.vdot, lambda a, b: np.einsum("i,i->", a, b)):
        np.testing.assert_allclose(weft.function(function)(x, y), function(x, y), rtol=1e-4, atol=1e-4)
    for function in (lambda m, v: m @ v, lambda m, v: m @ v[:, None], lambda m, v: v @ m.T):
        np.testing.assert_allclose(weft.function(function)(rows, y), function(rows, y), rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize(
    ("maps", "shape", "dtype"),
    [
        (("ik", "kj"), (4, 200, 65), "float64"),
        (("ik", "kj"), (8, 603, 130), "float32"),
        (("ki", "kj"), (9, 256, 64), "int16"),
        (("ik", "kj"), (41, 200, 130), "float32"),
        (("bik", "bkj"), (5, 301, 70), "float32"),
    ],
)
def test_some_rows_times_a_large_matrix(
    maps: tuple[str, str], shape: tuple[int, int, int], dtype: str
) -> None:
    sizes = dict(zip("ikjb", (*shape, 2), strict=True))
    generator = np.random.default_rng(0)
    x, y = (
        generator.standard_normal([sizes[letter] for letter in letters]).astype(dtype)
        if "float" in dtype
        else generator.integers(-99, 99, [sizes[letter] for letter in letters]).astype(dtype)
        for letters in maps
    )
    out = "bij" if "b" in maps[0] else "ij"
    kernel = KernelText()
    inputs = [kernel.argument(each.shape, dtype) for each in (x, y)]
    code = body(dtype, dtype, (inputs[0].element,) * 2)
    extents = [sizes[letter] for letter in out]
    zero = "0.0" if "float" in dtype else "0"
    kernel.result(kernel.generic(inputs, [*maps, out], code, extents, dtype, zero))
    results = [np.full(extents, 7, dtype) for _ in range(2)]
    kernel.compile()(x, y, results[0])
    with (
        target.compiling_as_if(second_level_cache=16 << 10),
        patch.object(streamed_product, "LONG_ROW", 64),
        patch.object(streamed_product.StreamedProduct, "emit", autospec=True, side_effect=_EMIT) as emit,
    ):
        kernel.compile()(x, y, results[1])
    assert emit.call_count == 1
    np.testing.assert_array_equal(*results)  # in the same order, whatever the blocks are
    expected = np.einsum(f"{','.join(maps)}->{out}", x.astype("f8"), y.astype("f8"))
    if "float" in dtype:
        np.testing.assert_allclose(results[1], expected, rtol=0, atol=1e-3)
    else:
        np.testing.assert_array_equal(results[1], expected.astype("i8").astype(dtype))


def test_some_rows_times_parts_of_a_matrix() -> None:
    def products(x: Any, y: Any) -> Any:
        return x @ y[:-1, 3:600], np.maximum(x[:, ::-1] @ y[1:, :-1] + 1, 0), x[:0] @ y[1:]

    generator = np.random.default_rng(0)
    x, y = (generator.standard_normal(shape).astype(np.float32) for shape in [(6, 900), (901, 701)])
    with (
        target.compiling_as_if(second_level_cache=64 << 10),
        patch.object(streamed_product.StreamedProduct, "emit", autospec=True, side_effect=_EMIT) as emit,
    ):
        compiled = weft.function(products)
        results = compiled(x, y)
        sizes = weft.function(products, input_signature=[weft.TensorSpec((None, None), "float32")] * 2)(x, y)
    assert emit.call_count == 2
    for got, same, expected in zip(results, sizes, products(x, y), strict=True):
        np.testing.assert_allclose(got, expected, rtol=0, atol=1e-3)
        np.testing.assert_allclose(same, expected, rtol=0, atol=1e-3)


@pytest.mark.parametrize("shape", [(5, 1), (1, 5), (3, 1, 2)])
def test_sums_of_products_with_one_number(shape: tuple[int, ...]) -> None:
    def sums(x: Any, s: Any) -> Any:
        return np.sum(x * s, axis=0), np.sum(s * x, axis=-1), np.sum(x[:1] * x, axis=0)

    x = np.arange(1.0, 1 + np.prod(shape)).reshape(shape)
    for value, wanted in zip(weft.function(sums)(x, np.float64(0.5)), sums(x, 0.5), strict=True):
        np.testing.assert_array_equal(value, wanted)


def _row_plus_product(c: Any) -> None:
    for i in range(c.shape[0]):
        c[i] += c @ c[i]


def _column_plus_product(c: Any) -> None:
    for i in range(c.shape[0]):
        c[:, i] -= c[i] @ c


def _rows_times_all(c: Any) -> None:
    c[2:6] += c[2:6] @ c


def _sums_of_products(c: Any) -> None:
    for i in range(c.shape[0]):
        c[i] += (c * c[i]).sum(axis=1)


@pytest.mark.sampled
@pytest.mark.parametrize("extent", [7, 16, 40])
@pytest.mark.parametrize("f", [_row_plus_product, _column_plus_product, _rows_times_all, _sums_of_products])
def test_what_is_added_to_parts_of_a_factor(f: Any, extent: int) -> None:
    """Other rows of the product read what the first ones replace."""
    c = np.random.default_rng(4).standard_normal((extent, extent)) / extent
    expected = c.copy()
    f(expected)
    weft.function(f)(c)
    np.testing.assert_allclose(c, expected, rtol=1e-10)
