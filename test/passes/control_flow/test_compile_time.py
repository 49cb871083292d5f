"""Programs with hundreds of branches take the passes on scf seconds at most: nothing compares each with each."""

from __future__ import annotations

import time

import pytest

from support.programs import transform
from weft.dialect.mlir import Module, ir
from weft.dialect.register import context

SECONDS = 10
"""Ten times what the slowest takes on a slow machine; comparing each with each took minutes."""


def consecutive(count: int) -> str:
    """Branches on conditions of their own, one after the other."""
    lines = []
    for n in range(count):
        lines += [
            f'%k{n} = "weft.constant"() {{value = dense<{n}.5> : tensor<f64>}} : () -> tensor<f64>',
            f'%c{n} = "weft.greater"(%s{n}, %k{n}) : (tensor<f64>, tensor<f64>) -> tensor<i1>',
            f"%b{n} = tensor.extract %c{n}[] : tensor<i1>",
            f"%s{n + 1} = scf.if %b{n} -> (tensor<f64>) {{",
            f'  %e{n} = "weft.sin"(%s{n}) : (tensor<f64>) -> tensor<f64>',
            f"  scf.yield %e{n} : tensor<f64>",
            "} else {",
            f'  %d{n} = "weft.exp"(%s{n}) : (tensor<f64>) -> tensor<f64>',
            f"  scf.yield %d{n} : tensor<f64>",
            "}",
        ]
    return "\n".join([*lines, f"return %s{count} : tensor<f64>"])


def one_condition(count: int) -> str:
    """Branches on one condition, which become one branch."""
    text = consecutive(count)
    for n in range(1, count):
        text = text.replace(f"scf.if %b{n} ", "scf.if %b0 ")
    return text


def nested(count: int) -> str:
    """A chain of elif, each on the same number."""
    opened, closed = [], []
    for n in range(count):
        opened += [
            f'%k{n} = "weft.constant"() {{value = dense<{n}> : tensor<i64>}} : () -> tensor<i64>',
            f'%c{n} = "weft.equal"(%n, %k{n}) : (tensor<i64>, tensor<i64>) -> tensor<i1>',
            f"%b{n} = tensor.extract %c{n}[] : tensor<i1>",
            f"%r{n} = scf.if %b{n} -> (tensor<f64>) {{",
            f'  %e{n} = "weft.sin"(%s0) : (tensor<f64>) -> tensor<f64>',
            f"  scf.yield %e{n} : tensor<f64>",
            "} else {",
        ]
    for n in reversed(range(1, count)):
        closed += ["}", f"scf.yield %r{n} : tensor<f64>"]
    return "\n".join([*opened, "scf.yield %s0 : tensor<f64>", *closed, "}", "return %r0 : tensor<f64>"])


def carried(count: int) -> str:
    """Branches that hand on an array of a size that they do not change, and a question for its size."""
    lines = ["%b = tensor.extract %c[] : tensor<i1>"]
    for n in range(count):
        lines += [
            f"%x{n + 1} = scf.if %b -> (tensor<?xf64>) {{",
            f'  %e{n} = "weft.sin"(%x{n}) : (tensor<?xf64>) -> tensor<?xf64>',
            f"  scf.yield %e{n} : tensor<?xf64>",
            "} else {",
            f"  scf.yield %x{n} : tensor<?xf64>",
            "}",
        ]
    last = f'%n = "weft.dim"(%x{count}) {{axis = 0}} : (tensor<?xf64>) -> tensor<i64>'
    return "\n".join([*lines, last, "return %n : tensor<i64>"])


def parse(text: str) -> Module:
    with context(), ir.Location.unknown():
        return ir.Module.parse(
            f"func.func @main(%s0: tensor<f64>, %n: tensor<i64>) -> tensor<f64> {{\n{text}\n}}"
        )


@pytest.mark.parametrize(
    ("text", "left"),
    [
        pytest.param(consecutive(400), 400, id="consecutive"),
        pytest.param(one_condition(400), 1, id="one_condition"),
        pytest.param(nested(150), 149, id="nested"),  # the innermost one is a select
    ],
)
def test_many_branches_take_seconds(text: str, left: int) -> None:
    module = parse(text)
    begun = time.process_time()
    transform(module, "optimize-control-flow")
    assert time.process_time() - begun < SECONDS
    assert str(module).count("scf.if") == left


def test_sizes_are_followed_through_more_branches_than_python_has_calls() -> None:
    with context(), ir.Location.unknown():
        head = "func.func @main(%x0: tensor<?xf64>, %c: tensor<i1>) -> tensor<i64>"
        module = ir.Module.parse(f"{head} {{\n{carried(1500)}\n}}")
    transform(module, "forward-extents")
    assert '"weft.dim"(%arg0)' in str(module)
