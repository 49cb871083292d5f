"""Costs and memory of compiled functions: counts as by hand, honest about what is not known."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest

import weft

F32 = np.float32


def concrete(function, *specs):
    return weft.function(function).get_concrete_function(*specs)


def spec(*shape, dtype="float32"):
    return weft.TensorSpec(shape, dtype)


@pytest.mark.parametrize("dtype", ["float32", "float64", "int64", "complex64"])
def test_matmul_counts_a_multiplication_and_an_addition_each(dtype):
    m, k, n = 7, 11, 5
    cost = concrete(lambda a, b: a @ b, spec(m, k, dtype=dtype), spec(k, n, dtype=dtype)).cost_analysis()
    width = np.dtype(dtype).itemsize
    # Of complex numbers four multiplications and four additions, with two each for the sum.
    assert cost.flops == m * k * n * (8 if dtype == "complex64" else 2)
    assert cost.transcendentals == 0
    assert cost.bytes_read == width * (m * k + k * n)
    assert cost.bytes_written == width * m * n
    assert cost.unknown == ()
    assert cost.intensity == cost.flops / (cost.bytes_read + cost.bytes_written)


@pytest.mark.parametrize(("m", "k", "n"), [(1, 9, 4), (4, 9, 1), (1, 9, 1), (0, 3, 4)])
def test_matmul_of_odd_shapes(m, k, n):
    assert concrete(lambda a, b: a @ b, spec(m, k), spec(k, n)).cost_analysis().flops == 2 * m * k * n


def test_batched_matmul():
    cost = concrete(lambda a, b: a @ b, spec(6, 7, 8), spec(6, 8, 9)).cost_analysis()
    assert cost.flops == 2 * 6 * 7 * 8 * 9


def test_elementwise_chain():
    def chain(x, a):
        return np.tanh(x * a + 1) * np.exp(-x * x)

    cost = concrete(chain, spec(1000), spec()).cost_analysis()
    assert cost.flops == 5 * 1000  # two products, a sum, a negation or a product by it, the last product
    assert cost.transcendentals == 2 * 1000
    assert cost.bytes_read == 4 * 1000 + 4
    assert cost.bytes_written == 4 * 1000
    assert [kernel.calls for kernel in cost.kernels] == [1]


def test_reductions_and_softmax():
    def softmax(x):
        e = np.exp(x - np.max(x, axis=1, keepdims=True))
        return e / np.sum(e, axis=1, keepdims=True)

    cost = concrete(softmax, spec(30, 40)).cost_analysis()
    assert cost.flops == 4 * 30 * 40  # comparison, subtraction, addition, division
    assert cost.transcendentals == 30 * 40
    assert cost.bytes_read == cost.bytes_written == 4 * 30 * 40


def test_convolution_by_slices_and_contraction():
    height, width, inner, outer = 10, 12, 3, 5

    def convolve(x, w):
        total = np.zeros((height - 2, width - 2, outer), F32)
        for i in range(3):
            for j in range(3):
                total = total + x[i : i + height - 2, j : j + width - 2] @ w[i, j]
        return total

    cost = concrete(convolve, spec(height, width, inner), spec(3, 3, inner, outer)).cost_analysis()
    points = (height - 2) * (width - 2) * outer
    assert cost.flops >= 2 * points * 9 * inner
    assert cost.flops <= 2 * points * 9 * inner + 9 * points


def test_slices_are_counted_as_long_as_they_are():
    cost = concrete(lambda x: x[10:20] + 1, spec(1000)).cost_analysis()
    assert (cost.flops, cost.bytes_read, cost.bytes_written) == (10, 40, 40)

    def write(x):
        x[5:10] = 3

    cost = concrete(write, spec(1000)).cost_analysis()
    assert (cost.flops, cost.bytes_read, cost.bytes_written) == (0, 0, 20)


def repeated(x, n):
    for _ in range(n):
        x = np.tanh(x @ x)
    return x


def test_loops_count_as_often_as_they_run():
    function = weft.function(repeated).get_concrete_function(spec(8, 8), spec(dtype="int64"))
    once = function.cost_analysis()
    assert str(once.transcendentals) == "64*max(0, n)"
    assert once.unknown == ()
    cost = function.cost_analysis(np.zeros((8, 8), F32), np.int64(25))
    assert cost.transcendentals == 25 * 64
    assert sum(kernel.flops for kernel in cost.kernels if kernel.calls == 25) == 25 * 2 * 8**3
    assert cost.unknown == ()


def test_loops_of_known_length():
    def scan(x):
        state = np.zeros(100, F32)
        out = np.zeros((50, 100), F32)
        for i in range(50):
            state = np.tanh(state + x[i])
            out[i] = state
        return out

    cost = concrete(scan, spec(50, 100)).cost_analysis()
    assert (cost.flops, cost.transcendentals) == (5000, 5000)
    assert cost.bytes_written == 4 * (100 + 5000 + 5000)  # zeros, states, rows
    assert cost.unknown == ()


def test_branches_count_on_both_sides():
    def branch(x, flag):
        return np.exp(x) if flag else np.sin(x) + 1

    function = concrete(branch, spec(100), spec(dtype="bool"))
    cost = function.cost_analysis()
    assert cost.transcendentals == 200
    assert "which side of the branch runs" in cost.unknown[0]
    assert all(kernel.is_known for kernel in cost.kernels)


def test_kernels_with_loops_of_unknown_length_are_told_apart():
    def summed(x):
        total = 0.0
        while total < 1:
            total += x[0]
        return np.exp(x) + total

    kernels = concrete(summed, spec(100)).cost_analysis().kernels
    assert [kernel.is_known for kernel in kernels if "between" not in kernel.name] == [False, True]


def test_formulas_of_windows_are_short():
    def blurred(x):
        t = x.copy()
        for _ in range(10):
            t[1:-1] += 0.1 * (t[2:] - 2 * t[1:-1] + t[:-2])
        return t

    function = concrete(blurred, spec(None))
    cost = function.cost_analysis()
    assert str(cost.flops) == "50*max(0, x.shape[0] - 2)"
    assert str(cost.bytes_written) == "76*max(0, x.shape[0] - 2)"
    kept = [found.sentence for found in function.explain().decisions if found.kind == "memory"]
    assert [text.partition("needed: ")[2] for text in kept] == ["max(0, x.shape[0] - 2) elements of f32"]


def test_dynamic_sizes_are_taken_from_examples():
    @weft.function(
        input_signature=[weft.TensorSpec([None, None], "float32"), weft.TensorSpec([None, 4], "float32")]
    )
    def product(x, y):
        return x @ y + 1

    function = product.get_concrete_function()
    assert function.cost_analysis().unknown == ()
    cost = function.cost_analysis(np.zeros((6, 10), F32), np.zeros((10, 4), F32))
    assert cost.unknown == ()
    assert cost.flops == 2 * 6 * 10 * 4 + 6 * 4
    assert cost.bytes_written == 4 * 6 * 4
    memory = function.memory_analysis()
    assert memory.argument_bytes is None
    assert memory.peak_bytes is None
    assert "known at run time" in str(memory)


def softmax(x):
    e = np.exp(x - np.max(x, axis=1, keepdims=True))
    return e / np.sum(e, axis=1, keepdims=True)


def element_by_element(x):
    result = np.zeros_like(x)
    for i in range(len(x)):
        result[i] = 2 * x[i] + 1
    return result


@pytest.mark.parametrize(
    ("function", "arrays"),
    [
        (softmax, [np.ones((5, 7), F32)]),
        (lambda x, y: x @ y + 1, [np.ones((5, 7), F32), np.ones((7, 3), F32)]),
        (lambda x: x[::2] * 2 + x[1::2].sum(), [np.ones(9, F32)]),
        (lambda x: np.tanh(x[:3]) + np.concatenate([x, x]).sum(), [np.ones(9, F32)]),
        (lambda x: x.reshape(-1) + 1, [np.ones((5, 7), F32)]),
        (lambda x: np.pad(x, 2).sum() + len(x), [np.ones(9, F32)]),
        (repeated, [np.ones((6, 6), F32), np.int64(4)]),
        (repeated, [np.ones((6, 6), F32), np.int64(-4)]),
        (element_by_element, [np.ones(9, F32)]),
    ],
)
def test_formulas_give_what_examples_give(function, arrays):
    specs = [weft.TensorSpec((None,) * array.ndim, array.dtype) for array in arrays]
    compiled = concrete(function, *specs)
    names = dict(zip(("x", "y") if function is not repeated else ("x", "n"), arrays, strict=False))
    formulas, counts = compiled.cost_analysis(), compiled.cost_analysis(*arrays)
    assert counts.unknown == ()
    assert formulas.unknown == () or function is repeated
    for name in ("flops", "transcendentals", "bytes_read", "bytes_written"):
        assert eval(str(getattr(formulas, name)), {}, names) == getattr(counts, name), name
    if function is softmax:
        assert str(formulas.flops) == "4*x.shape[0]*x.shape[1]"
        assert formulas.intensity == 0.625
        assert "0.625 operations a byte, of large arrays" in str(formulas)


def test_examples_must_fit():
    function = concrete(lambda x: x + 1, spec(4))
    with pytest.raises(
        weft.WeftValueError, match=r"an example has the shape \(5,\), the function was compiled for f32\[4\]"
    ):
        function.cost_analysis(np.zeros(5, F32))


def test_functions_that_call_each_other():
    @weft.function
    def total(n, x):
        if n == 0:
            return x
        return total(n - 1, x + 1)

    cost = total.get_concrete_function(spec(dtype="int64"), spec(10)).cost_analysis()
    assert any("calls itself" in reason for reason in cost.unknown)


def test_costs_are_printed():
    text = str(concrete(lambda a, b: np.exp(a @ b), spec(10, 10), spec(10, 10)).cost_analysis())
    header, kernel, *others = text.splitlines()
    assert header.split("  ")[0].strip() == "kernel"
    assert kernel.split()[:6] == ["kernel_0", "1", "2,000", "100", "800", "400"]
    assert "test_analysis.py:" in kernel
    assert ["all", "1", "2,000", "100", "800", "400"] in [line.split() for line in others]
    assert "1.75 operations a byte" in others


def test_memory_of_a_chain():
    function = concrete(lambda a, b: a @ b @ b @ b, spec(40, 40), spec(40, 40))
    memory = function.memory_analysis()
    assert memory.argument_bytes == 2 * 6400
    assert memory.result_bytes == memory.workspace_bytes == 6400
    assert memory.peak_bytes == 4 * 6400
    assert (memory.heap_blocks, memory.copies) == (0, 0)
    first, second = memory.buffers
    assert (first.where, second.where) == ("result 0", "workspace")
    assert first.start < second.start < first.end < second.end
    assert first.line.split(":")[0].endswith("test_analysis.py")
    assert "result 0" in str(memory)
    assert "peak bytes: 25,600" in str(memory)


def test_results_of_unknown_size_are_heap_blocks():
    memory = concrete(lambda n: np.arange(n) * 2, spec(dtype="int64")).memory_analysis()
    assert memory.heap_blocks == 1
    assert memory.result_bytes is None
    assert memory.results == (None,)


def test_integers_and_scalars_without_arrays():
    function = concrete(lambda x: x * 2 + 1, spec(dtype="float64"))
    assert function.cost_analysis().flops == 2
    assert function.memory_analysis().workspace_bytes == 0


def test_functions_from_the_disk_cache_tell_the_same(tmp_path):
    source = """if True:
        import weft
        from weft.frontend.disk_cache.code_settings import statistics
        from cached import product
        concrete = product.get_concrete_function(weft.TensorSpec((8, 8), "float32"))
        print(concrete.cost_analysis().flops, concrete.memory_analysis().peak_bytes, statistics["found"])
    """
    (tmp_path / "cached.py").write_text(
        "import weft\n@weft.function\ndef product(x):\n    return x @ x @ x\n"
    )
    environment = os.environ | {"WEFT_CACHE": "1", "WEFT_CACHE_DIR": str(tmp_path / "cache")}
    printed = [
        subprocess.run(
            [sys.executable, "-c", source],
            capture_output=True,
            text=True,
            check=True,
            timeout=100,
            cwd=tmp_path,
            env=environment,
        ).stdout.split()
        for _ in range(2)
    ]
    assert printed == [["2048", "768", "0"], ["2048", "768", "1"]]
