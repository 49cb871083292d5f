"""The reference interpreter: cells, errors, calls, and what it refuses."""

from __future__ import annotations

import numpy as np
import pytest

from support.programs import NAME, build
from weft.dialect.errors import InternalError, WeftTypeError, WeftValueError
from weft.dialect.interpreter import interpret
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
