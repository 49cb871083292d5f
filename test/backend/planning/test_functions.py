"""Compiled functions that call each other and themselves: values, errors, memory, depth."""

from __future__ import annotations

import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

from support.linalg_programs import compile_text
from weft.backend.cpu.execution.executable import RuntimeFailure

TESTS = Path(__file__).parents[2]

FIBONACCI = """
func.func @f(%n: tensor<i64>) -> tensor<i64> {
  %two = arith.constant 2 : i64
  %one = arith.constant 1 : i64
  %k = tensor.extract %n[] : tensor<i64>
  %small = arith.cmpi slt, %k, %two : i64
  %r = scf.if %small -> (tensor<i64>) {
    scf.yield %n : tensor<i64>
  } else {
    %k1 = arith.subi %k, %one : i64
    %k2 = arith.subi %k, %two : i64
    %n1 = tensor.from_elements %k1 : tensor<i64>
    %n2 = tensor.from_elements %k2 : tensor<i64>
    %a = func.call @f(%n1) : (tensor<i64>) -> tensor<i64>
    %b = func.call @f(%n2) : (tensor<i64>) -> tensor<i64>
    %x = tensor.extract %a[] : tensor<i64>
    %y = tensor.extract %b[] : tensor<i64>
    %s = arith.addi %x, %y : i64
    %t = tensor.from_elements %s : tensor<i64>
    scf.yield %t : tensor<i64>
  }
  return %r : tensor<i64>
}
"""

# f(x, n) = x if n <= 0 else f(concatenate([x, [n]]), n - 1), through a second function; raises at n == 7 from x[0] on.
GROW = """
func.func @f(%x: tensor<?xf64>, %n: tensor<i64>, %bad: tensor<i64>) -> tensor<?xf64> {
  %zero = arith.constant 0 : i64
  %k = tensor.extract %n[] : tensor<i64>
  %done = arith.cmpi sle, %k, %zero : i64
  %r = scf.if %done -> (tensor<?xf64>) {
    scf.yield %x : tensor<?xf64>
  } else {
    %t = func.call @longer(%x, %n, %bad) : (tensor<?xf64>, tensor<i64>, tensor<i64>) -> tensor<?xf64>
    scf.yield %t : tensor<?xf64>
  }
  return %r : tensor<?xf64>
}
func.func private @longer(%x: tensor<?xf64>, %n: tensor<i64>, %bad: tensor<i64>) -> tensor<?xf64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1 : i64
  %k = tensor.extract %n[] : tensor<i64>
  %b = tensor.extract %bad[] : tensor<i64>
  %wrong = arith.cmpi eq, %k, %b : i64
  %byte = arith.extui %wrong : i1 to i8
  %flag = tensor.from_elements %byte : tensor<i8>
  "weft.raise_if"(%flag, %n) {error = "ValueError", message = "bad {0}"} : (tensor<i8>, tensor<i64>) -> ()
  %m = tensor.dim %x, %c0 : tensor<?xf64>
  %m1 = arith.addi %m, %c1 : index
  %e = tensor.empty(%m1) : tensor<?xf64>
  %a = tensor.insert_slice %x into %e[0] [%m] [1] : tensor<?xf64> into tensor<?xf64>
  %v = arith.sitofp %k : i64 to f64
  %y = tensor.insert %v into %a[%m] : tensor<?xf64>
  %k1 = arith.subi %k, %one : i64
  %n1 = tensor.from_elements %k1 : tensor<i64>
  %t = func.call @f(%y, %n1, %bad) : (tensor<?xf64>, tensor<i64>, tensor<i64>) -> tensor<?xf64>
  return %t : tensor<?xf64>
}
"""

# Writes u[0] = n before it calls g, which fails for n > 5; then u[1] = g(n).
EFFECTS = """
func.func @f(%u: memref<2xi64>, %n: tensor<i64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %k = tensor.extract %n[] : tensor<i64>
  %before = bufferization.to_tensor %u restrict writable : memref<2xi64> to tensor<2xi64>
  %first = tensor.insert %k into %before[%c0] : tensor<2xi64>
  bufferization.materialize_in_destination %first in restrict writable %u : (tensor<2xi64>, memref<2xi64>) -> ()
  %r = func.call @g(%first, %n) : (tensor<2xi64>, tensor<i64>) -> tensor<2xi64>
  bufferization.materialize_in_destination %r in restrict writable %u : (tensor<2xi64>, memref<2xi64>) -> ()
  return
}
func.func @g(%x: tensor<2xi64>, %n: tensor<i64>) -> tensor<2xi64> {
  %c1 = arith.constant 1 : index
  %five = arith.constant 5 : i64
  %k = tensor.extract %n[] : tensor<i64>
  %seven = arith.constant 7 : i64
  %y = tensor.insert %seven into %x[%c1] : tensor<2xi64>
  %wrong = arith.cmpi sgt, %k, %five : i64
  %byte = arith.extui %wrong : i1 to i8
  %flag = tensor.from_elements %byte : tensor<i8>
  "weft.raise_if"(%flag, %n) {error = "IndexError", message = "got {0}"} : (tensor<i8>, tensor<i64>) -> ()
  return %y : tensor<2xi64>
}
"""

# f(x, n) = x if n == 0 else f(x + x, n - 1) + x, with a workspace in every call.
MATRIX = """
#id = affine_map<(i, j) -> (i, j)>
func.func @f(%x: tensor<8x8xf64>, %n: tensor<i64>) -> tensor<8x8xf64> {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %k = tensor.extract %n[] : tensor<i64>
  %done = arith.cmpi sle, %k, %zero : i64
  %r = scf.if %done -> (tensor<8x8xf64>) {
    scf.yield %x : tensor<8x8xf64>
  } else {
    %e = tensor.empty() : tensor<8x8xf64>
    %twice = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
        ins(%x : tensor<8x8xf64>) outs(%e : tensor<8x8xf64>) {
    ^bb0(%a: f64, %out: f64):
      %s = arith.addf %a, %a : f64
      linalg.yield %s : f64
    } -> tensor<8x8xf64>
    %k1 = arith.subi %k, %one : i64
    %n1 = tensor.from_elements %k1 : tensor<i64>
    %t = func.call @f(%twice, %n1) : (tensor<8x8xf64>, tensor<i64>) -> tensor<8x8xf64>
    %sum = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
        ins(%t, %twice : tensor<8x8xf64>, tensor<8x8xf64>) outs(%e : tensor<8x8xf64>) {
    ^bb0(%a: f64, %b: f64, %out: f64):
      %s = arith.addf %a, %b : f64
      linalg.yield %s : f64
    } -> tensor<8x8xf64>
    scf.yield %sum : tensor<8x8xf64>
  }
  return %r : tensor<8x8xf64>
}
"""


def test_recursion():
    fibonacci = compile_text(FIBONACCI)
    assert [int(fibonacci(np.array(n))[0]) for n in range(12)] == [0, 1, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89]


@pytest.mark.parametrize("n", [0, 1, 5, 300])
def test_mutual_recursion_with_results_of_any_size(n):
    (result,) = compile_text(GROW)(np.arange(3.0), np.array(n), np.array(-1))
    np.testing.assert_array_equal(result, np.concatenate([np.arange(3.0), np.arange(n, 0, -1)]))


def test_workspace_of_every_call_is_its_own():
    def model(x, n):
        return x if n <= 0 else model(x + x, n - 1) + (x + x)

    x = np.arange(64.0).reshape(8, 8)
    executable = compile_text(MATRIX)
    for n in (0, 1, 4):
        np.testing.assert_array_equal(executable(x, np.array(n))[0], model(x, n))


def test_error_in_a_called_function():
    executable = compile_text(GROW)
    for _ in range(3):
        with pytest.raises(RuntimeFailure, match="ValueError: bad 7"):
            executable(np.arange(3.0), np.array(200), np.array(7))
    assert executable(np.arange(3.0), np.array(10), np.array(-1))[0].shape == (13,)


def test_what_was_written_before_a_failing_call_stays():
    executable = compile_text(EFFECTS)
    u = np.zeros(2, np.int64)
    executable(u, np.array(3))
    np.testing.assert_array_equal(u, [3, 7])
    u[:] = 0
    with pytest.raises(RuntimeFailure, match="got 9"):
        executable(u, np.array(9))
    np.testing.assert_array_equal(u, [9, 0])


def test_recursion_that_is_too_deep():
    executable = compile_text(GROW)
    with pytest.raises(RuntimeFailure) as caught:
        executable(np.arange(3.0), np.array(10**6), np.array(-1))
    assert (caught.value.error, caught.value.message) == (
        "RecursionError",
        "maximum recursion depth exceeded",
    )
    assert executable(np.arange(3.0), np.array(10), np.array(-1))[0].shape == (13,)


def test_recursion_that_the_stack_is_too_small_for():
    """In a process of its own: without the check it would end."""
    program = f"""
import sys, threading, numpy as np
from support.linalg_programs import compile_text
from weft.backend.cpu.execution.executable import RuntimeFailure
sys.setrecursionlimit(10**9)
f = compile_text({MATRIX!r})
failed = []
def work():
    try:
        f(np.ones((8, 8)), np.array(10**8))
    except RuntimeFailure as error:
        failed.append(error.error)
work()
for size in (0, 256 * 1024):
    threading.stack_size(size)
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
assert failed == ["RecursionError"] * 3, failed
"""
    subprocess.run([sys.executable, "-c", program], check=True, timeout=120, cwd=TESTS)


def test_recursion_in_threads():
    executable = compile_text(GROW)
    wrong: list[int] = []

    def work(n: int) -> None:
        for _ in range(50):
            if executable(np.arange(3.0), np.array(n), np.array(-1))[0].shape != (3 + n,):
                wrong.append(n)

    threads = [threading.Thread(target=work, args=(n,)) for n in (1, 20, 100)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_memory_of_calls_is_freed():
    if sys.platform != "linux":
        pytest.skip("reads /proc")
    program = f"""
import numpy as np
from support.linalg_programs import compile_text
def resident():
    return int(open("/proc/self/statm").read().split()[1]) * 4096
f = compile_text({GROW!r})
def work():
    f(np.zeros(20000), np.array(100), np.array(-1))
    try:
        f(np.zeros(20000), np.array(100), np.array(50))
    except Exception:
        pass
for _ in range(5): work()
before = resident()
for _ in range(60): work()
assert resident() < before + 30e6, (before, resident())
"""
    subprocess.run([sys.executable, "-c", program], check=True, timeout=120, cwd=TESTS)
