"""Compiled arrays whose sizes are known only while the program runs: growth, results in heap blocks, out of memory."""

from __future__ import annotations

import gc
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from support.linalg_programs import compile_text
from weft.backend.cpu.execution.executable import RuntimeFailure

TESTS = Path(__file__).parents[2]

APPEND = """
func.func @f(%x: tensor<?xf64>, %n: tensor<i64>, %limit: tensor<i64>) -> tensor<?xf64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %k = tensor.extract %n[] : tensor<i64>
  %bound = arith.index_cast %k : i64 to index
  %most = tensor.extract %limit[] : tensor<i64>
  %r = scf.for %i = %c0 to %bound step %c1 iter_args(%y = %x) -> (tensor<?xf64>) {
    %m = tensor.dim %y, %c0 : tensor<?xf64>
    %m1 = arith.addi %m, %c1 : index
    %e = tensor.empty(%m1) : tensor<?xf64>
    %a = tensor.insert_slice %y into %e[0] [%m] [1] : tensor<?xf64> into tensor<?xf64>
    %ii = arith.index_cast %i : index to i64
    %v = arith.sitofp %ii : i64 to f64
    %b = tensor.insert %v into %a[%m] : tensor<?xf64>
    %high = arith.cmpi eq, %ii, %most : i64
    %byte = arith.extui %high : i1 to i8
    %flag = tensor.from_elements %byte : tensor<i8>
    %now = tensor.from_elements %ii : tensor<i64>
    "weft.raise_if"(%flag, %now) {error = "ValueError", message = "at {0}"} : (tensor<i8>, tensor<i64>) -> ()
    scf.yield %b : tensor<?xf64>
  }
  return %r : tensor<?xf64>
}
"""

FILLED = """
func.func @f(%n: tensor<i64>) -> tensor<?x3xf32> {
  %i = tensor.extract %n[] : tensor<i64>
  %size = arith.index_cast %i : i64 to index
  %one = arith.constant 1.0 : f32
  %e = tensor.empty(%size) : tensor<?x3xf32>
  %r = linalg.fill ins(%one : f32) outs(%e : tensor<?x3xf32>) -> tensor<?x3xf32>
  return %r : tensor<?x3xf32>
}
"""


@pytest.fixture(scope="module")
def append():
    return compile_text(APPEND)


@pytest.fixture(scope="module")
def filled():
    return compile_text(FILLED)


@pytest.mark.parametrize("count", [0, 1, 2, 700, 5000])
def test_append(append, count):
    x = np.arange(3.0)
    (result,) = append(x, np.array(count), np.array(-1))
    np.testing.assert_array_equal(result, np.concatenate([x, np.arange(count)]))
    assert not np.shares_memory(result, x)


def test_result_whose_size_depends_on_data(filled):
    for size in (0, 1, 7, 100_000):
        (result,) = filled(np.array(size))
        assert result.shape == (size, 3)
        assert (result == 1).all()
        assert result.flags.writeable
        assert result.flags.c_contiguous


def test_results_have_memory_of_their_own(filled):
    first, second = filled(np.array(100_000))[0], filled(np.array(100_000))[0]
    first[:] = 5
    assert (second == 1).all()
    assert (filled(np.array(100_000))[0] == 1).all()


def test_view_keeps_the_memory_of_a_result(append):
    view = append(np.arange(3.0), np.array(5000), np.array(-1))[0][100:200]
    gc.collect()
    filler = [np.full(5000, 7.0) for _ in range(10)]
    np.testing.assert_array_equal(view, np.arange(97, 197))
    assert len(filler) == 10


def test_error_while_an_array_grows(append):
    for _ in range(3):
        with pytest.raises(RuntimeFailure, match="at 4000"):
            append(np.arange(3.0), np.array(5000), np.array(4000))
    assert append(np.arange(3.0), np.array(50), np.array(-1))[0].shape == (53,)


@pytest.mark.parametrize("size", [2**62, 2**61 + 1, 2**60 // 3, -1])
def test_too_much_memory(filled, size):
    with pytest.raises(RuntimeFailure) as caught:
        filled(np.array(size))
    assert caught.value.error == "MemoryError"
    assert caught.value.message.startswith("the arrays of f need a block of")
    assert filled(np.array(2))[0].shape == (2, 3)


def test_memory_is_freed():
    """Neither results nor the blocks of an executable stay, and errors leave nothing behind."""
    if sys.platform != "linux":
        pytest.skip("reads /proc")
    program = f"""
import gc, numpy as np, weft
from support.linalg_programs import compile_text
def resident():
    return int(open("/proc/self/statm").read().split()[1]) * 4096
filled, append = compile_text({FILLED!r}), compile_text({APPEND!r})
def work():
    filled(np.array(2_000_000))
    try:
        append(np.zeros(1_000_000), np.array(3), np.array(2))
    except Exception:
        pass
for _ in range(3): work()
before = resident()
for _ in range(100): work()
after = resident()
assert after < before + 40e6, (before, after)
del filled, append, work
gc.collect()
weft.release_memory()
assert resident() < before - 10e6, (before, resident())
"""
    subprocess.run([sys.executable, "-c", program], check=True, timeout=120, cwd=TESTS)
