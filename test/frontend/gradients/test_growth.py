"""Programs that work element by element, and their gradients, do work in proportion to their length.

What is counted are the bytes that a call reads and writes, not its time.
"""

from __future__ import annotations

import re
from typing import Any
from unittest import mock

import numpy as np
import pytest

import weft
from support.interpreted import text_of
from support.interpreter import interpret
from weft.dialect.mlir import ir
from weft.dialect.op import Op
from weft.dialect.ops.creation import Empty
from weft.dialect.ops.slicing import DynamicSlice, Slice, Update
from weft.dialect.register import context


def elements(x: Any) -> Any:
    """Reads and writes of elements: swaps, slices of a table that is filled, elements that are read behind writes."""
    p, u, s = np.zeros_like(x), x.copy(), 0.0
    for i in range(1, len(x)):
        old = p[i]
        p[i] = x[i] * np.sum(p[i - 1 : i]) + x[i - 1]
        p[i - 1], p[i] = p[i] * 0.5, p[i - 1]
        s = s * 0.5 + p[i - 1] * old
        before = u.copy()
        u[i] = np.sin(s)
        s = s + before[i - 1] * before[i]
    return s + np.sum(p * p)


def growing(x: Any) -> Any:
    """A list that grows, and slices at places that move."""
    out, p, s = [], x.copy(), 0.0
    for i in range(1, len(x)):
        out.append(np.sin(x[i]))
        s = s * 0.5 + np.sum(p[max(i - 2, 0) : i])
        p[i] = s
    return s + np.sum(np.stack(out) ** 2)


def moved(x: Any) -> Any:
    return weft.jvp(elements, (x,), (x,))[1]


@pytest.mark.processor  # what is counted are its kernels
@pytest.mark.parametrize(
    "function", [elements, weft.grad(elements), moved], ids=["forward", "reverse", "tangents"]
)
def test_twice_the_length_is_twice_the_work(function: Any) -> None:
    concrete = weft.function(function).get_concrete_function(weft.TensorSpec((None,), "float64"))
    costs = [concrete.cost_analysis(np.ones(n)) for n in (1000, 2000)]
    found = [cost.bytes_read + cost.bytes_written for cost in costs]
    assert found[0] >= 8 * 1000
    assert found[1] < 2.2 * found[0]


def bytes_computed(text: str, x: Any) -> int:
    """What ops of a program compute in a run: of updates, what they write; of slices, which are views, nothing."""
    total = 0
    compute = Op.compute.__func__  # type: ignore[attr-defined]

    def counted(cls: Any, operands: Any, attributes: Any) -> Any:
        nonlocal total
        found = compute(cls, operands, attributes)
        if issubclass(cls, Update):
            total += operands[1].nbytes
        elif not issubclass(cls, (Slice, DynamicSlice, Empty)):
            total += sum(array.nbytes for array in found)
        return found

    with context(), mock.patch.object(Op, "compute", classmethod(counted)):
        interpret(ir.Module.parse(text), symbol_of(text), [x], [])
    return total


def symbol_of(text: str) -> str:
    """The function that is called from outside."""
    found = re.search(r'func.func @("[^"]*"|\w+)', text)
    assert found is not None
    return found[1].strip('"')


@pytest.mark.parametrize("function", [growing, weft.grad(growing)], ids=["forward", "reverse"])
def test_what_grows_does_twice_the_work(function: Any) -> None:
    text = text_of(weft.function(function), weft.TensorSpec((None,), "float64"), stage="optimized")
    found = [bytes_computed(text, np.ones(n)) for n in (64, 128)]
    assert found[1] < 2.2 * found[0]
