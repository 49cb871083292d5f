"""Programs that call Python: what the functions get, what becomes of what they return, and how calls end early."""

from __future__ import annotations

import gc
import threading
import weakref
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from support.interpreter import interpret
from support.linalg_programs import compile_module
from weft.backend.cpu.execution.executable import Executable, RuntimeFailure
from weft.backend.cpu.lowering import host_calls
from weft.dialect.attributes import type_to_mlir
from weft.dialect.callbacks import Callback
from weft.dialect.dtypes import ALL_DTYPES
from weft.dialect.errors import WeftTypeError, WeftValueError
from weft.dialect.mlir import ir
from weft.dialect.register import context
from weft.dialect.types import TensorType
from weft.passes.pipeline import run_pipeline
from weft.passes.pipelines import PIPELINES

LOOP = """
func.func private @host.0(tensor<?xf64>, tensor<i64>) -> tensor<f64>
func.func private @host.1(tensor<f64>)
func.func @main(%ref: !weft.ref<tensor<?xf64>>, %n: tensor<i64>) -> tensor<f64> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %limit = "weft.constant"() {value = dense<20.0> : tensor<f64>} : () -> tensor<f64>
  %start = "weft.constant"() {value = dense<0.0> : tensor<f64>} : () -> tensor<f64>
  %count = tensor.extract %n[] : tensor<i64>
  %trips = arith.index_cast %count : i64 to index
  %r = scf.for %k = %zero to %trips step %one iter_args(%last = %start) -> (tensor<f64>) {
    %x = "weft.read_ref"(%ref) : (!weft.ref<tensor<?xf64>>) -> tensor<?xf64>
    %y = "weft.add"(%x, %x) : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
    "weft.write_ref"(%ref, %y) : (!weft.ref<tensor<?xf64>>, tensor<?xf64>) -> ()
    %i = arith.index_cast %k : index to i64
    %t = tensor.from_elements %i : tensor<i64>
    %s = func.call @host.0(%y, %t) : (tensor<?xf64>, tensor<i64>) -> tensor<f64>
    %c = "weft.greater"(%s, %limit) : (tensor<f64>, tensor<f64>) -> tensor<i1>
    %b = tensor.extract %c[] : tensor<i1>
    scf.if %b {
      func.call @host.1(%s) : (tensor<f64>) -> ()
    }
    %z = "weft.add"(%last, %s) : (tensor<f64>, tensor<f64>) -> tensor<f64>
    scf.yield %z : tensor<f64>
  }
  return %r : tensor<f64>
}
"""
"""Doubles an array of the caller's in a loop, and calls Python with it each time; once more when a sum is large."""


def compiled(text: str, callbacks: Sequence[Callback], dtypes: Sequence[Any] | None = None) -> Executable:
    """Compile the function `main` of a program of the weft dialect."""
    with context(), ir.Location.unknown():
        module = ir.Module.parse(text)
        for name in ("weft-optimize", "weft-to-linalg"):
            run_pipeline(module, PIPELINES[name], verify=True)
        return compile_module(module, "main", callbacks=callbacks, result_dtypes=dtypes)


def identity(operand: TensorType, result: TensorType) -> str:
    """A program that returns what Python makes of its argument."""
    with context():
        given, made = type_to_mlir(operand), type_to_mlir(result)
    return f"""
    func.func private @host.0({given}) -> {made}
    func.func @main(%x: {given}) -> {made} {{
      %r = func.call @host.0(%x) : ({given}) -> {made}
      return %r : {made}
    }}"""


@pytest.mark.sampled
@pytest.mark.parametrize("dtype", ALL_DTYPES, ids=str)
@pytest.mark.parametrize("shape", [(), (0,), (2, 3)], ids=str)
def test_python_gets_and_gives_arrays_of_every_dtype(dtype: np.dtype[Any], shape: tuple[int, ...]) -> None:
    given = np.ones(shape, dtype)
    seen = []

    def function(x: Any) -> list[Any]:
        seen.append(x)
        return [x + x]

    program = identity(TensorType(shape, dtype), TensorType(shape, dtype))
    (result,) = compiled(program, [function], [dtype])(given)
    assert seen[0].dtype == dtype == result.dtype
    assert seen[0].shape == shape == result.shape
    np.testing.assert_array_equal(seen[0], given)
    np.testing.assert_array_equal(result, given + given)
    with context():
        (expected,) = interpret(ir.Module.parse(program), "main", [given], [function])
    np.testing.assert_array_equal(result, expected)


@pytest.mark.parametrize("shape", [(0, 3), (1, 3), (4, 3)])
def test_python_gets_extents_that_the_type_does_not_tell(shape: tuple[int, ...]) -> None:
    program = identity(TensorType((None, 3), np.dtype(np.float32)), TensorType((2,), np.dtype(np.int64)))
    given = np.arange(np.prod(shape), dtype=np.float32).reshape(shape)
    seen = []
    executable = compiled(program, [lambda x: seen.append(x) or [np.array(x.shape)]])
    assert executable(given)[0].tolist() == list(shape)
    np.testing.assert_array_equal(seen[0], given)


@pytest.mark.parametrize("most", [None, 8])
def test_the_arrays_are_copies_that_cannot_be_written(
    most: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Those with more bytes than an int counts, too."""
    if most is not None:
        monkeypatch.setattr(host_calls, "MOST_AT_ONCE", most)
    program = identity(TensorType((2,), np.dtype(np.float64)), TensorType((), np.dtype(np.float64)))
    seen = []
    executable = compiled(program, [lambda x: seen.append(x) or [x.sum()]])
    given = np.ones(2)
    executable(given)
    assert not np.shares_memory(seen[0], given)
    with pytest.raises(ValueError, match="read-only"):
        seen[0][0] = 1
    executable(given * 3)
    assert seen[0].tolist() == [1, 1]


def test_calls_in_loops_see_what_was_written_before() -> None:
    runs = []
    for run in (
        lambda callbacks, *arrays: compiled(LOOP, callbacks)(*arrays),
        lambda callbacks, *arrays: interpret_loop(callbacks, *arrays),
    ):
        array, log = np.ones(3), []

        def note(x: Any, k: Any, array: Any = array, log: Any = log) -> list[Any]:
            assert array.tolist() == x.tolist()
            log.append((x.tolist(), int(k)))
            return [x.sum()]

        (total,) = run([note, lambda s, log=log: log.append(float(s))], array, np.array(4))
        runs.append((log, float(total), array.tolist()))
    assert runs[0] == runs[1]
    assert runs[0][0][-2:] == [([16, 16, 16], 3), 48]
    assert runs[0][1] == 6 + 12 + 24 + 48


def interpret_loop(callbacks: Sequence[Callback], *arrays: Any) -> list[Any]:
    with context():
        return interpret(ir.Module.parse(LOOP), "main", arrays, callbacks)


def test_an_exception_ends_the_call_after_what_was_written_before() -> None:
    error = KeyError("enough")
    calls = []

    def stop(total: Any) -> None:
        raise error

    executable = compiled(LOOP, [lambda x, k: calls.append(int(k)) or [x.sum()], stop])
    for count in (9, 2, 9):
        array = np.ones(3)
        calls.clear()
        if count == 2:
            assert executable(array, np.array(count))[0] == 18
            continue
        with pytest.raises(RuntimeFailure) as caught:
            executable(array, np.array(count))
        assert caught.value.exception is error
        assert calls == [0, 1, 2]
        assert array.tolist() == [8, 8, 8]


@pytest.mark.parametrize("kind", [SystemExit, KeyboardInterrupt, GeneratorExit])
def test_exceptions_of_every_kind_come_through(kind: type[BaseException]) -> None:
    error = kind()

    def leave(x: Any, k: Any) -> None:
        raise error

    with pytest.raises(RuntimeFailure) as caught:
        compiled(LOOP, [leave, leave])(np.ones(2), np.array(1))
    assert caught.value.exception is error


@pytest.mark.parametrize(
    ("returned", "message"),
    [
        (None, "function returned 0 arrays, but 1 are declared"),
        ([1.0, 2.0], "function returned 2 arrays, but 1 are declared"),
        ([np.ones(3)], r"what function returned is f64\[3\], but f64\[2\] is declared"),
        ([np.ones(2, np.float32)], r"what function returned is f32\[2\], but f64\[2\] is declared"),
        ([np.ones((1, 2))], r"what function returned is f64\[1,2\], but f64\[2\] is declared"),
        (["text"], "dtype"),
    ],
)
def test_results_that_are_not_as_declared_are_refused(returned: Any, message: str) -> None:
    operand = TensorType((2,), np.dtype(np.float64))

    def function(x: Any) -> Any:
        return returned

    with pytest.raises(RuntimeFailure) as caught:
        compiled(identity(operand, operand), [function])(np.ones(2))
    assert isinstance(caught.value.exception, WeftTypeError)
    with pytest.raises(WeftTypeError, match=message):
        raise caught.value.exception


def test_strided_results_are_copied_as_they_look() -> None:
    operand = TensorType((2, 3), np.dtype(np.float64))
    big = np.arange(24.0).reshape(4, 6)
    (result,) = compiled(identity(operand, operand), [lambda x: [big[::2, ::-2]]])(np.ones((2, 3)))
    np.testing.assert_array_equal(result, big[::2, ::-2])


def test_a_program_needs_its_table() -> None:
    operand = TensorType((), np.dtype(np.float64))
    program = identity(operand, operand)
    with pytest.raises(RuntimeFailure, match="not in the table"):
        compiled(program, [])(np.array(1.0))
    with context(), pytest.raises(WeftValueError, match="number 0, but the table has 0"):
        interpret(ir.Module.parse(program), "main", [np.array(1.0)])


def test_a_function_may_call_the_program_again() -> None:
    operand = TensorType((), np.dtype(np.int64))

    def factorial(n: Any) -> list[Any]:
        return [np.array(1)] if n == 0 else [n * executable(np.array(n - 1))[0]]

    executable = compiled(identity(operand, operand), [factorial])
    assert executable(np.array(10))[0] == 3628800


def test_threads_have_calls_of_their_own() -> None:
    size = 1 << 16  # large enough to run without the interpreter lock
    operand = TensorType((size,), np.dtype(np.float64))
    barrier = threading.Barrier(4, timeout=30)

    def add_name(x: Any) -> list[Any]:
        barrier.wait()
        return [x + int(threading.current_thread().name)]

    executable = compiled(identity(operand, operand), [add_name])
    results: dict[int, Any] = {}

    def work(number: int) -> None:
        results[number] = [executable(np.full(size, 10.0))[0][-1] for _ in range(5)]

    threads = [threading.Thread(target=work, args=(number,), name=str(number)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == {number: [10.0 + number] * 5 for number in range(4)}


def test_the_table_lives_as_long_as_the_program() -> None:
    operand = TensorType((), np.dtype(np.int64))

    def function(x: Any) -> list[Any]:
        return [x]

    alive = weakref.ref(function)
    executable = compiled(identity(operand, operand), [function])
    del function
    gc.collect()
    assert executable(np.array(3))[0] == 3
    del executable
    gc.collect()
    assert alive() is None
