"""What a recording takes back leaves nothing behind that is used: handles of erased ops raise when they are."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import weft
from support.erased_handles import ErasedHandleError, checked_handles
from weft.dialect.mlir import ir
from weft.dialect.register import context
from weft.passes.managers import module_pipeline, run_passes


@pytest.fixture(autouse=True)
def checked(request: pytest.FixtureRequest) -> Iterator[None]:
    """Check handles in every test of this file, once."""
    if request.config.getoption("--check-handles"):
        yield
        return
    with checked_handles():
        yield


TEXT = """
func.func @f(%x: i64, %c: i1) -> i64 {
  %y = arith.addi %x, %x : i64
  %r = scf.if %c -> i64 {
    %z = arith.muli %x, %x : i64
    scf.yield %z : i64
  } else {
    scf.yield %x : i64
  }
  return %x : i64
}
"""


def named(module: Any, name: str) -> Any:
    found: list[Any] = []
    module.operation.walk(lambda one: (found.append(one), ir.WalkResult.ADVANCE)[1])
    return next(one for one in found if one.name == name)


USES: list[Callable[[Any], Any]] = [
    lambda op: op.name,
    lambda op: list(op.operands),
    lambda op: op.results[0],
    lambda op: op.erase(),
    lambda op: ir.InsertionPoint.after(op),
]
USES_OF_VALUES: list[Callable[[Any], Any]] = [
    lambda value: value.type,
    lambda value: value.owner,
    lambda value: list(value.uses),
    lambda value: {value: 1},
    lambda value: ir.Operation.create("arith.negf", operands=[value], results=[ir.F64Type.get()]),
]


@pytest.mark.parametrize("erased", ["arith.addi", "scf.if", "a pass"])
def test_uses_of_what_was_erased_raise(erased: str) -> None:
    with context(), ir.Location.unknown():
        module = ir.Module.parse(TEXT)
        op = named(module, "arith.muli" if erased == "scf.if" else "arith.addi")
        value, kept = op.results[0], named(module, "func.func")
        assert value.type == op.results[0].type
        if erased == "a pass":
            run_passes(module, module_pipeline(["canonicalize"]))
        else:
            named(module, erased).erase()
            assert kept.name == "func.func"
        for use in USES:
            with pytest.raises(ErasedHandleError, match="of an erased op: arith"):
                use(op)
        for use in USES_OF_VALUES:
            with pytest.raises(ErasedHandleError, match="of an erased op: arith"):
                use(value)
        assert module.operation.verify()


def test_what_is_still_used_is_not_erased() -> None:
    with context(), ir.Location.unknown():
        module = ir.Module.parse(TEXT.replace("return %x", "return %y"))
        with pytest.raises(
            ErasedHandleError, match=r"arith.addi is erased, whose results \['func.return'\] use"
        ):
            named(module, "arith.addi").erase()


def updates(a: Any) -> Any:
    v = a * 2
    v[0] -= 2
    v[1] -= 2
    i, total = 0, 0
    while i < len(a):
        total = total + v[i] * 0.5  # an int at first: the loop is recorded again
        v[1:] = v[1:] + v[:-1] * 0.0
        i = i + 1
    return v, total


def growth(a: Any) -> Any:
    v = a * 2
    v[0] -= 2
    found: list[Any] = []
    i = 0
    while i < v.shape[0]:
        try:
            if v[i] > 0:
                found.append(v[i] + v[v.shape[0] - 1 - i])  # grows: the branch is recorded again
        except IndexError:
            found.append(0.0)
        v[v > 3] -= 1
        i = i + 1
    return v, found


def sorts(a: Any) -> Any:
    return np.sort(a), np.argsort(a * 2)  # what stores a sorted array is erased when that is written


FIRST = np.array([1.0, 2.0, 3.0, 4.0])


def rows(a: Any) -> Any:
    first, *_ = np.stack([FIRST, a])
    row, trips = first, 0
    while 3 <= row.any() < 0:  # the test is recorded to see whether it is an array, and then again
        trips += 1
    return row + FIRST, np.array(trips)


@pytest.mark.parametrize("program", [updates, growth, sorts, rows])
def test_what_is_recorded_again_uses_nothing_of_before(program: Any) -> None:
    a = np.arange(4.0)
    compiled = weft.function(program).get_concrete_function(weft.TensorSpec([None], "float64"))
    for found, wanted in zip(compiled(a), program(a), strict=True):
        np.testing.assert_array_equal(found, wanted)
