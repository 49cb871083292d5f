"""Compiled linalg-stage programs on NumPy arrays: results, effects, errors, threads and memory."""

from __future__ import annotations

import gc
import subprocess
import sys
import threading

import numpy as np
import pytest

from support.linalg_programs import compile_text, elementwise, matmul_chain, power, stage_text
from weft.backend.cpu.codegen.vectors.width import vector_bytes
from weft.backend.cpu.execution.executable import RuntimeFailure
from weft.backend.cpu.stages import STAGES
from weft.dialect.errors import InternalError, UnsupportedError, WeftValueError

NEGATE = "%r = arith.negf %a : f32"
DOUBLE = "%r = arith.addf %a, %a : f32"

WRITE_AND_RAISE = """
#id = affine_map<(i) -> (i)>
func.func @f(%m: memref<4xf64>, %i: tensor<i64>) {
  %x = bufferization.to_tensor %m restrict writable : memref<4xf64> to tensor<4xf64>
  %e = tensor.empty() : tensor<4xf64>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%x : tensor<4xf64>) outs(%e : tensor<4xf64>) {
  ^bb0(%a: f64, %out: f64):
    %r = arith.addf %a, %a : f64
    linalg.yield %r : f64
  } -> tensor<4xf64>
  bufferization.materialize_in_destination %y in restrict writable %m : (tensor<4xf64>, memref<4xf64>) -> ()
  %four = arith.constant 4 : i64
  %size = tensor.from_elements %four : tensor<i64>
  %index = tensor.extract %i[] : tensor<i64>
  %outside = arith.cmpi uge, %index, %four : i64
  %byte = arith.extui %outside : i1 to i8
  %flag = tensor.from_elements %byte : tensor<i8>
  "weft.raise_if"(%flag, %i, %size) {error = "IndexError", message = "index {0} of {1}"}
      : (tensor<i8>, tensor<i64>, tensor<i64>) -> ()
  %z = bufferization.to_tensor %m restrict writable : memref<4xf64> to tensor<4xf64>
  %w = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%z : tensor<4xf64>) outs(%e : tensor<4xf64>) {
  ^bb0(%a: f64, %out: f64):
    %r = arith.mulf %a, %a : f64
    linalg.yield %r : f64
  } -> tensor<4xf64>
  bufferization.materialize_in_destination %w in restrict writable %m : (tensor<4xf64>, memref<4xf64>) -> ()
  return
}
"""


@pytest.fixture
def matrices() -> tuple[np.ndarray, np.ndarray]:
    generator = np.random.default_rng(0)
    return tuple(generator.integers(-9, 9, (10, 10)).astype(np.int32) for _ in range(2))


def test_equal_ops_are_compiled_once(matrices):
    a, b = matrices
    executable = compile_text(matmul_chain(30))
    assert stage_text(matmul_chain(30), "kernels").count("func.func private") == 1
    np.testing.assert_array_equal(executable(a, b)[0], power(a, b, 30))


def test_workspace_is_reused():
    assert compile_text(matmul_chain(30)).plan.workspace == 2 * 448
    assert compile_text(matmul_chain(2)).plan.workspace == 448
    assert compile_text(matmul_chain(1)).plan.workspace == 0


def test_results_are_new_arrays(matrices):
    executable = compile_text(matmul_chain(2))
    first, second = executable(*matrices)[0], executable(*matrices)[0]
    assert not np.shares_memory(first, second)


@pytest.mark.parametrize("size", [0, 1, 3, 16, 1000])
def test_dynamic_size(size):
    executable = compile_text(elementwise("?", "f32", NEGATE, dims="%n"))
    x = np.arange(size, dtype=np.float32)
    np.testing.assert_array_equal(executable(x)[0], -x)


def test_static_size_zero():
    assert compile_text(elementwise("0", "f32", NEGATE))(np.empty(0, np.float32))[0].shape == (0,)


def test_rank_0():
    executable = compile_text("func.func @f(%x: tensor<f64>) -> tensor<f64> { return %x : tensor<f64> }")
    (result,) = executable(np.array(2.5))
    assert result.shape == ()
    assert result == 2.5


def test_result_that_is_an_argument_is_copied_and_may_appear_twice():
    executable = compile_text(
        "func.func @f(%x: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>) {"
        " return %x, %x : tensor<3xf32>, tensor<3xf32> }"
    )
    x = np.arange(3, dtype=np.float32)
    first, second = executable(x)
    np.testing.assert_array_equal(first, x)
    np.testing.assert_array_equal(second, x)
    assert not np.shares_memory(first, second)
    assert not np.shares_memory(first, x)


def test_result_dtypes_of_the_caller():
    text = "func.func @f(%x: tensor<2xi8>) -> (tensor<2xi8>) { return %x : tensor<2xi8> }"
    assert compile_text(text, result_dtypes=[np.bool_])(np.array([True, False]))[0].dtype == np.bool_
    assert compile_text(text)(np.zeros(2, np.int8))[0].dtype == np.int8


def test_written_argument_changes_without_error():
    m = np.arange(4.0)
    compile_text(WRITE_AND_RAISE)(m, np.array(3))
    np.testing.assert_array_equal(m, (2 * np.arange(4.0)) ** 2)


def test_effects_before_an_error_are_kept_and_none_after_it_happen():
    executable = compile_text(WRITE_AND_RAISE)
    m = np.arange(4.0)
    with pytest.raises(RuntimeFailure) as caught:
        executable(m, np.array(7))
    np.testing.assert_array_equal(m, 2 * np.arange(4.0))
    assert (caught.value.error, caught.value.message) == ("IndexError", "index 7 of 4")
    assert caught.value.location == 'loc("-":19:3)'
    executable(m, np.array(0))  # and the next call is fine


def test_calls_from_threads_do_not_share_memory(matrices):
    a, b = matrices
    executable = compile_text(matmul_chain(10))
    expected = [power(a + i, b, 10) for i in range(4)]
    wrong: list[int] = []

    def work(i: int) -> None:
        for _ in range(200):
            if not np.array_equal(executable(a + np.int32(i), b)[0], expected[i]):
                wrong.append(i)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_machine_code_is_freed():
    """Executable memory is mapped in whole pages, so the number of mappings tells."""

    def mappings() -> int:
        with open("/proc/self/maps", encoding="ascii") as maps:
            return sum("r-xp" in line for line in maps)

    if sys.platform != "linux":
        pytest.skip("reads /proc")
    kept = compile_text(elementwise("5", "f32", NEGATE))
    gc.collect()
    before = mappings()
    for _ in range(30):
        compile_text(elementwise("5", "f32", DOUBLE))
    gc.collect()
    assert mappings() <= before + 2
    assert kept(np.ones(5, np.float32))[0][0] == -1


def test_unknown_function_is_refused():
    text = elementwise("4", "f32", "%r = func.call @system(%a) : (f32) -> f32")
    with pytest.raises(InternalError, match="unknown function system"):
        compile_text(text + "\nfunc.func private @system(f32) -> f32")


def test_op_that_cannot_be_translated_is_named():
    """In a process of its own: a missing check would end it."""
    program = (
        "from weft.dialect.register import context\n"
        "from weft.dialect.mlir import ir\n"
        "from weft.backend.llvm_compatibility.translation import translate\n"
        "with context():\n"
        "    module = ir.Module.parse('llvm.func @f(%x: f32) -> f32 {\\n"
        "      %y = math.cbrt %x : f32\\n llvm.return %y : f32 }')\n"
        "    translate(module)\n"
    )
    run = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False
    )
    assert run.returncode == 1
    assert "math.cbrt is left after the lowering to LLVM" in run.stderr


def test_text_of_every_stage():
    text = elementwise("8", "f32", NEGATE)
    found = {stage: stage_text(text, stage) for stage in STAGES}
    assert "linalg.generic" in found["linalg"]
    assert "call @kernel_0" in found["kernels"]
    assert "memref<8xf32>" in found["buffers"]
    assert "llvm.func" in found["llvm-dialect"]
    entry = next(line for line in found["llvm"].splitlines() if line.startswith('define void @"f_entry"'))
    assert f'"prefer-vector-width"="{8 * vector_bytes()}"' in entry  # kernels may be inlined there
    assert "f_entry" in found["asm"]
    with pytest.raises(WeftValueError, match="is not a stage"):
        stage_text(text, "nonsense")


def test_check_refuses_what_the_function_cannot_take():
    executable = compile_text(elementwise("?", "f32", NEGATE, dims="%n"))
    executable.check(np.ones(4, np.float32))
    for arrays in [(), (np.ones((2, 2), np.float32),), (np.ones(8, np.float32)[::2],)]:
        with pytest.raises(WeftValueError):
            executable.check(*arrays)


@pytest.mark.parametrize(
    ("shape", "keeps"), [("4", True), ("100x100", True), ("40000", False), ("200x200", False), ("?", False)]
)
def test_calls_on_large_arrays_release_the_interpreter_lock(shape, keeps):
    tensor = f"tensor<{shape}xf32>"
    executable = compile_text(f"func.func @f(%x: {tensor}) -> {tensor} {{ return %x : {tensor} }}", "f")
    python_api = 4  # what ctypes marks functions with that keep the lock
    assert bool(executable._entry._flags_ & python_api) is keeps


@pytest.mark.parametrize("name", ["sin", "cpow", "free", "kernel_0", "weft_exit"])
def test_names_that_compiled_code_calls_are_refused(name):
    with pytest.raises(UnsupportedError, match=f"a function cannot be called {name}, which is the name of"):
        compile_text(elementwise("4", "f32", NEGATE).replace("@f(", f"@{name}("), name)
