"""What goes wrong inside of weft while it compiles is an error of weft's that names the step and the user's line."""

from __future__ import annotations

import traceback
from typing import Any

import numpy as np
import pytest

import weft
from weft.backend.planning.buffers import PlanBuffers, _Planner
from weft.dialect.errors import InternalError
from weft.dialect.mlir import Module, Operation
from weft.passes.base import Statistics
from weft.passes.lowering.convert_weft_to_linalg import ConvertWeftToLinalg


def sines(x: Any, n: Any) -> Any:
    y = x * 2
    for _ in range(n):
        y = np.sin(y)
    return y


LOOP_LINE = sines.__code__.co_firstlineno + 2


def failure(function: Any) -> BaseException:
    with pytest.raises(weft.WeftError) as caught:
        weft.function(function)(np.arange(4.0), np.int64(3))
    return caught.value


def last_line(error: BaseException) -> int | None:
    return traceback.extract_tb(error.__traceback__)[-1].lineno


def test_an_exception_in_a_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    rewrite = _Planner._rewrite

    def broken(self: _Planner, op: Operation) -> None:
        if op.name == "scf.for":
            op.nothing  # noqa: B018
        rewrite(self, op)

    monkeypatch.setattr(_Planner, "_rewrite", broken)
    error = failure(sines)
    assert isinstance(error, InternalError)
    attribute = "AttributeError: 'Operation' object has no attribute 'nothing'"
    assert f"{attribute} in the step plan-buffers of compiling sines" in str(error)
    assert "for _ in range(n):" in str(error)
    assert "loc(" not in str(error)
    assert last_line(error) == LOOP_LINE
    assert isinstance(error.__cause__, AttributeError)


def test_an_exception_where_no_op_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    def run(self: ConvertWeftToLinalg, module: Module, statistics: Statistics) -> None:
        raise KeyError

    monkeypatch.setattr(ConvertWeftToLinalg, "run", run)
    error = failure(sines)
    assert isinstance(error, InternalError)
    assert str(error).startswith(
        "KeyError in the step convert-weft-to-linalg of compiling sines; this is a mistake"
    )
    assert "def sines(x" in str(error)


def test_an_internal_error_at_an_op(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(self: _Planner, op: Operation) -> None:
        raise InternalError(f"{op.name} is not planned", at=str(op.location))

    monkeypatch.setattr(_Planner, "_rewrite", refuse)
    error = failure(sines)
    assert isinstance(error, InternalError)
    assert "is not planned\n" in str(error)
    assert "^" in str(error)
    assert "loc(" not in str(error)


def test_memory_that_ran_out_is_no_mistake(monkeypatch: pytest.MonkeyPatch) -> None:
    def run(self: PlanBuffers, module: Module, statistics: Statistics) -> None:
        raise MemoryError

    monkeypatch.setattr(PlanBuffers, "run", run)
    with pytest.raises(MemoryError):
        weft.function(sines)(np.arange(4.0), np.int64(3))
