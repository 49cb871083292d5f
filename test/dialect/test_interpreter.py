"""The reference interpreter: cells, errors, calls, and what it refuses."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from support.interpreter import interpret
from support.programs import NAME, build
from weft.dialect.errors import InternalError, WeftTypeError, WeftValueError
from weft.dialect.mlir import Module, ir
from weft.dialect.op import OPS
from weft.dialect.register import context
from weft.dialect.types import RefType, TensorType

FLOATS = TensorType((None,), np.dtype(np.float32))
INT = TensorType((), np.dtype(np.int64))
BOOL = TensorType((), np.dtype(np.bool_))


def parse(text: str) -> Module:
    with context():
        return ir.Module.parse(text)


def test_results_are_those_of_numpy() -> None:
    module = build([FLOATS, FLOATS], lambda b, x, y: [b("add", x, y), b("sum", x, axes=(0,), keepdims=False)])
    x, y = np.float32([1, 2, 3]), np.float32([0.5])
    total, summed = interpret(module, NAME, [x, y])
    np.testing.assert_array_equal(total, x + y)
    assert summed == 6
    assert summed.shape == ()


def test_argument_cells_are_written_in_place_and_reads_are_snapshots() -> None:
    def body(b, ref):
        before = b("read_ref", ref)
        b("write_ref", ref, b("slice", before, start=(2**63 - 1,), stop=(-(2**63),), step=(-1,)))
        after = b("read_ref", ref)
        b("write_ref", ref, b("multiply", after, np.float32(2)))
        return [before, after]

    x = np.arange(6, dtype=np.float32)[::2]
    before, after = interpret(build([RefType(FLOATS)], body), NAME, [x])
    assert before.tolist() == [0, 2, 4]
    assert after.tolist() == [4, 2, 0]
    assert x.tolist() == [8, 4, 0]


def test_local_cells() -> None:
    def body(b, x):
        cell = b("alloc_ref", x)
        b("write_ref", cell, b("negative", b("read_ref", cell)))
        return b("read_ref", cell)

    x = np.float32([1, 2])
    assert interpret(build([FLOATS], body), NAME, [x])[0].tolist() == [-1, -2]
    assert x.tolist() == [1, 2]


def test_errors_keep_what_was_written_before_them() -> None:
    def body(b, ref, fails, value):
        b("write_ref", ref, value)
        b("raise_if", fails, value, error="IndexError", message="index {0} is out of bounds")
        b("write_ref", ref, b("add", value, value))

    module = build([RefType(INT), BOOL, INT], body)
    cell = np.zeros((), np.int64)
    with pytest.raises(IndexError, match="index 7 is out of bounds"):
        interpret(module, NAME, [cell, np.True_, np.int64(7)])
    assert cell == 7
    assert interpret(module, NAME, [cell, np.False_, np.int64(7)]) == []
    assert cell == 14


def test_what_is_out_of_bounds_is_not_written() -> None:
    """As in compiled code: a table is written where it has a place."""
    indices, grid, updates = (
        TensorType((None,) * n, np.dtype(t)) for n, t in ((1, "i8"), (2, "f8"), (2, "f8"))
    )
    places = TensorType((None, None), np.dtype(np.int64))

    def body(b, x, i, update, j):
        at = {"axes": (1,), "position": 1}
        scattered = [b("scatter", x, update, i, **at, mode=mode) for mode in ("set", "add")]
        return [*scattered, b("put_along_axis", x, j, update, axis=1), b("gather", x, i, **at)]

    x, i = np.arange(6.0).reshape(2, 3), np.array([10**12, -3, 3, -(10**12)])
    update, j = np.arange(8.0).reshape(2, 4) + 10, np.array([[-4, 2, 0, 9], [3, 3, 3, -1]])
    replaced, added, put, read = interpret(
        build([grid, indices, updates, places], body), NAME, [x, i, update, j]
    )
    assert replaced.tolist() == [[11, 1, 2], [15, 4, 5]]
    assert added.tolist() == [[11, 1, 2], [18, 4, 5]]
    assert put.tolist() == [[12, 1, 11], [3, 4, 17]]
    assert np.isin(read, x).all()


def test_calls_pass_cells_and_values() -> None:
    module = parse("""
      func.func private @store(%ref: !weft.ref<tensor<i64>>, %x: tensor<i64>) -> tensor<i64> {
        "weft.write_ref"(%ref, %x) : (!weft.ref<tensor<i64>>, tensor<i64>) -> ()
        %0 = "weft.negative"(%x) : (tensor<i64>) -> tensor<i64>
        return %0 : tensor<i64>
      }
      func.func @main(%ref: !weft.ref<tensor<i64>>, %x: tensor<i64>) -> tensor<i64> {
        %cell = "weft.alloc_ref"(%x) : (tensor<i64>) -> !weft.ref<tensor<i64>>
        %0 = call @store(%ref, %x) : (!weft.ref<tensor<i64>>, tensor<i64>) -> tensor<i64>
        %1 = call @store(%cell, %0) : (!weft.ref<tensor<i64>>, tensor<i64>) -> tensor<i64>
        %2 = "weft.read_ref"(%cell) : (!weft.ref<tensor<i64>>) -> tensor<i64>
        return %2 : tensor<i64>
      }""")
    cell = np.zeros((), np.int64)
    assert interpret(module, "main", [cell, np.int64(5)]) == [-5]
    assert cell == 5


def test_what_it_refuses() -> None:
    module = build([FLOATS], lambda b, x: x)
    with pytest.raises(WeftValueError, match="there is no function other; there are: main"):
        interpret(module, "other", [])
    with pytest.raises(WeftValueError, match="main takes 1 arguments, not 0"):
        interpret(module, NAME, [])
    with pytest.raises(WeftValueError, match=r"an argument of type f32\[\?\] cannot be f64\[3\]"):
        interpret(module, NAME, [np.zeros(3)])
    with pytest.raises(WeftValueError, match=r"an argument of type f32\[\?\] cannot be f32\[3,1\]"):
        interpret(module, NAME, [np.zeros((3, 1), np.float32)])
    with pytest.raises(WeftTypeError, match=r"the interpreter cannot run tensor.empty"):
        interpret(parse("func.func @f() { %0 = tensor.empty() : tensor<2xi32> \n return }"), "f", [])
    calls = parse("func.func private @g() \n func.func @f() { call @g() : () -> () \n return }")
    with pytest.raises(WeftTypeError, match="the interpreter cannot call g, which has no body"):
        interpret(calls, "f", [])


def test_a_wrong_rule_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    module = build([FLOATS], lambda b, x: b("negative", x))
    monkeypatch.setattr(OPS["negative"], "evaluate", lambda x: np.float64(1))
    with pytest.raises(InternalError, match=r"weft.negative computed f64\[\] where its type is f32\[\?\]"):
        interpret(module, NAME, [np.float32([1])])


LOOPS = """
  func.func @main(%ref: !weft.ref<tensor<i64>>, %n: tensor<i64>, %stop: tensor<i64>) -> (tensor<i64>, tensor<?xi64>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %e = tensor.extract %n[] : tensor<i64>
    %upper = arith.index_cast %e : i64 to index
    %single = tensor.from_elements %e : tensor<1xi64>
    %start = tensor.cast %single : tensor<1xi64> to tensor<?xi64>
    %grown:2 = scf.for %i = %c0 to %upper step %c1 iter_args(%sum = %n, %xs = %start) -> (tensor<i64>, tensor<?xi64>) {
      %j = arith.index_cast %i : index to i64
      %k = tensor.from_elements %j : tensor<i64>
      "weft.write_ref"(%ref, %k) : (!weft.ref<tensor<i64>>, tensor<i64>) -> ()
      %is_stop = "weft.equal"(%k, %stop) : (tensor<i64>, tensor<i64>) -> tensor<i1>
      "weft.raise_if"(%is_stop, %k) {error = "ValueError", message = "stopped at {0}"} : (tensor<i1>, tensor<i64>) -> ()
      %t = "weft.add"(%sum, %k) : (tensor<i64>, tensor<i64>) -> tensor<i64>
      %ys = "weft.concat"(%xs, %xs) {axis = 0 : i64} : (tensor<?xi64>, tensor<?xi64>) -> tensor<?xi64>
      scf.yield %t, %ys : tensor<i64>, tensor<?xi64>
    }
    %halved = scf.while (%a = %grown#0) : (tensor<i64>) -> tensor<i64> {
      %two = "weft.constant"() {value = dense<2> : tensor<i64>} : () -> tensor<i64>
      %big = "weft.greater"(%a, %two) : (tensor<i64>, tensor<i64>) -> tensor<i1>
      %b = tensor.extract %big[] : tensor<i1>
      scf.condition(%b) %a : tensor<i64>
    } do {
    ^bb0(%a: tensor<i64>):
      %two = "weft.constant"() {value = dense<2> : tensor<i64>} : () -> tensor<i64>
      %h = "weft.floor_divide"(%a, %two) : (tensor<i64>, tensor<i64>) -> tensor<i64>
      scf.yield %h : tensor<i64>
    }
    return %halved, %grown#1 : tensor<i64>, tensor<?xi64>
  }"""


def test_loops_carry_values_that_may_change_their_size() -> None:
    cell = np.full((), 9)
    halved, grown = interpret(parse(LOOPS), "main", [cell, np.int64(3), np.int64(9)])
    assert halved == 1  # 3 + 0 + 1 + 2 is 6, then 3, then 1
    assert grown.tolist() == [3] * 8
    assert cell == 2


def test_errors_in_loops_keep_what_was_written_before_them() -> None:
    cell = np.zeros((), np.int64)
    with pytest.raises(ValueError, match="stopped at 1"):
        interpret(parse(LOOPS), "main", [cell, np.int64(3), np.int64(1)])
    assert cell == 1


def test_loops_without_iterations() -> None:
    cell = np.full((), 9)
    halved, grown = interpret(parse(LOOPS), "main", [cell, np.int64(0), np.int64(0)])
    assert (halved, grown.tolist(), cell) == (0, [0], 9)


def test_branches_and_recursion() -> None:
    module = parse("""
      func.func private @factorial(%n: tensor<i64>) -> tensor<i64> {
        %e = tensor.extract %n[] : tensor<i64>
        %one = arith.constant 1 : i64
        %small = arith.cmpi sle, %e, %one : i64
        %r = scf.if %small -> (tensor<i64>) {
          %s = tensor.from_elements %one : tensor<i64>
          scf.yield %s : tensor<i64>
        } else {
          %d = arith.subi %e, %one : i64
          %m = tensor.from_elements %d : tensor<i64>
          %f = func.call @factorial(%m) : (tensor<i64>) -> tensor<i64>
          %p = "weft.multiply"(%n, %f) : (tensor<i64>, tensor<i64>) -> tensor<i64>
          scf.yield %p : tensor<i64>
        }
        return %r : tensor<i64>
      }
      func.func @main(%n: tensor<i64>) -> tensor<i64> {
        %r = call @factorial(%n) : (tensor<i64>) -> tensor<i64>
        return %r : tensor<i64>
      }""")
    assert interpret(module, "main", [np.int64(5)]) == [120]


@pytest.mark.parametrize(
    ("operation", "x", "y", "expected"),
    [
        ("arith.addi", 2**63 - 1, 1, -(2**63)),
        ("arith.subi", -(2**63), 1, 2**63 - 1),
        ("arith.muli", 3, -4, -12),
        ("arith.ceildivsi", 7, 2, 4),
        ("arith.ceildivsi", -7, 2, -3),
        ("arith.divsi", -7, 2, -3),
        ("arith.divsi", -1, 2, 0),
        ("arith.divsi", -6, 2, -3),
        ("arith.divsi", 7, 2, 3),
        ("arith.maxsi", 3, -4, 3),
        ("arith.minsi", 3, -4, -4),
        ("arith.andi", 6, 3, 2),
        ("arith.ori", 6, 3, 7),
        ("arith.xori", 6, 3, 5),
        ("arith.cmpi slt,", -1, 0, True),
        ("arith.cmpi ult,", -1, 0, False),
        ("arith.cmpi ne,", 1, 1, False),
    ],
)
def test_scalars(operation: str, x: int, y: int, expected: Any) -> None:
    result = "i1" if "cmpi" in operation else "i64"
    module = parse(f"""func.func @f(%x: tensor<i64>, %y: tensor<i64>) -> tensor<{result}> {{
      %a = tensor.extract %x[] : tensor<i64>
      %b = tensor.extract %y[] : tensor<i64>
      %c = {operation} %a, %b : i64
      %r = tensor.from_elements %c : tensor<{result}>
      return %r : tensor<{result}>
    }}""")
    assert interpret(module, "f", [np.int64(x), np.int64(y)]) == [expected]


def test_a_wrong_cast_is_found() -> None:
    module = parse("""func.func @f(%x: tensor<?xi64>) -> tensor<3xi64> {
      %y = tensor.cast %x : tensor<?xi64> to tensor<3xi64>
      return %y : tensor<3xi64>
    }""")
    assert interpret(module, "f", [np.arange(3)])[0].tolist() == [0, 1, 2]
    with pytest.raises(InternalError, match=r"tensor.cast computed i64\[2\] where its type is i64\[3\]"):
        interpret(module, "f", [np.arange(2)])


def test_a_step_that_is_not_positive_is_refused() -> None:
    module = parse("""func.func @f(%x: tensor<i64>) {
      %e = tensor.extract %x[] : tensor<i64>
      %s = arith.index_cast %e : i64 to index
      scf.for %i = %s to %s step %s {
      }
      return
    }""")
    with pytest.raises(InternalError, match=r"the step of scf.for is 0"):
        interpret(module, "f", [np.int64(0)])
