"""The number of iterations that while-to-for computes is right up to the ends of i64."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import numpy as np
import pytest

from support.interpreter import interpret
from support.programs import transform
from weft.dialect.mlir import Module, ir
from weft.dialect.register import context

FUNCTION = """
func.func @main(%start: tensor<i64>, %n: tensor<i64>) -> (tensor<i64>, tensor<i64>) {{
  %step = "weft.constant"() {{value = dense<{step}> : tensor<i64>}} : () -> tensor<i64>
  %one = "weft.constant"() {{value = dense<1> : tensor<i64>}} : () -> tensor<i64>
  %zero = "weft.constant"() {{value = dense<0> : tensor<i64>}} : () -> tensor<i64>
  %r:2 = scf.while (%i = %start, %t = %zero) : (tensor<i64>, tensor<i64>) -> (tensor<i64>, tensor<i64>) {{
    %c = "weft.{comparison}"(%i, %n) : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %b = tensor.extract %c[] : tensor<i1>
    scf.condition(%b) %i, %t : tensor<i64>, tensor<i64>
  }} do {{
  ^bb0(%i: tensor<i64>, %t: tensor<i64>):
    %i1 = "weft.add"(%i, %step) : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %t1 = "weft.add"(%t, %one) : (tensor<i64>, tensor<i64>) -> tensor<i64>
    scf.yield %i1, %t1 : tensor<i64>, tensor<i64>
  }}
  return %r#0, %r#1 : tensor<i64>, tensor<i64>
}}
"""
LOWEST, HIGHEST = -(2**63), 2**63 - 1
NUMBERS = [0, 1, -1, 2, 5, -7, 8, HIGHEST, HIGHEST - 1, HIGHEST - 9, LOWEST, LOWEST + 1, LOWEST + 9]
COMPARISONS: dict[str, Callable[[int, int], bool]] = {
    "less": lambda i, n: i < n,
    "less_equal": lambda i, n: i <= n,
    "greater": lambda i, n: i > n,
    "greater_equal": lambda i, n: i >= n,
    "not_equal": lambda i, n: i != n,
}
FEW = 20


def module(comparison: str, step: int, pipeline: str) -> Module:
    with context(), ir.Location.unknown():
        made = ir.Module.parse(FUNCTION.format(comparison=comparison, step=step))
    transform(made, pipeline)
    return made


def counted(comparison: str, start: int, n: int, step: int) -> tuple[int, int] | None:
    """What Python's integers give; None for loops that run long."""
    i, trips = start, 0
    while COMPARISONS[comparison](i, n):
        i, trips = i + step, trips + 1
        if trips > FEW:
            return None
    return i, trips


@pytest.mark.sampled
@pytest.mark.parametrize("step", [1, -1, 2, -3])
@pytest.mark.parametrize("comparison", COMPARISONS)
def test_counts_are_those_of_python(comparison: str, step: int) -> None:
    tested = 0
    made = module(comparison, step, "while-to-for")
    counts = "scf.for" in str(made)
    assert counts == (step in (1, -1) if comparison == "not_equal" else (step > 0) == ("less" in comparison))
    for start, n in itertools.product(NUMBERS, NUMBERS) if counts else ():
        expected = counted(comparison, start, n, step)
        if expected is None or not LOWEST <= expected[0] <= HIGHEST:
            continue
        got = interpret(made, "main", [np.asarray(start), np.asarray(n)])
        assert tuple(int(value) for value in got) == expected, (start, n)
        tested += 1
    assert not counts or tested >= 40


@pytest.mark.parametrize(("comparison", "step"), [("less", 1), ("less_equal", 2), ("not_equal", -1)])
def test_known_starts_need_less(comparison: str, step: int) -> None:
    text = FUNCTION.format(comparison=comparison, step=step).replace("%i = %start", "%i = %zero")
    with context(), ir.Location.unknown():
        made = ir.Module.parse(text)
    transform(made, "while-to-for")
    for n in NUMBERS:
        expected = counted(comparison, 0, n, step)
        if expected is not None:
            got = interpret(made, "main", [np.asarray(0), np.asarray(n)])
            assert tuple(int(value) for value in got) == expected, n
