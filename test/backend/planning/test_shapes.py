"""What sizes are in terms of others, along chains that are longer than Python's stack."""

from __future__ import annotations

import pytest

from weft.backend.planning.shapes import Shapes
from weft.dialect.mlir import ir
from weft.dialect.register import context
from weft.dialect.sizes import symbols
from weft.passes.rewriting import operations_of

LENGTH = 1500

KINDS = {
    "sums": "%{0} = arith.addi %{1}, %one : index",
    "choices": "%{0} = arith.maxsi %{1}, %one : index",
    "arrays": "%d{0} = tensor.dim %{1}, %zero : tensor<?xf64>  %s{0} = arith.addi %d{0}, %one : index  "
    "%{0} = tensor.empty(%s{0}) : tensor<?xf64>",
    "branches": "%{0} = scf.if %c -> (tensor<?xf64>) {{ scf.yield %{1} : tensor<?xf64> }} "
    "else {{ scf.yield %{1} : tensor<?xf64> }}",
}


@pytest.mark.parametrize("kind", KINDS)
def test_long_chains(kind: str) -> None:
    type = "index" if kind in ("sums", "choices") else "tensor<?xf64>"
    lines = [KINDS[kind].format(f"v{i + 1}", f"v{i}") for i in range(LENGTH)]
    constants = "%zero = arith.constant 0 : index  %one = arith.constant 1 : index"
    text = f"func.func @f(%v0: {type}, %c: i1) {{ {constants}\n" + "\n".join(lines) + "\nreturn }"
    with context(), ir.Location.unknown():
        module = ir.Module.parse(text.replace("%vd", "%d"))
        argument = module.body.operations[0].regions[0].blocks[0].arguments[0]
        results = [op.results[0] for op in operations_of(module.operation) if op.results]
        value = [result for result in results if str(result.type) == type][-1]
        shapes = Shapes()
        size = shapes.read(value) if type == "index" else shapes.in_full(shapes.of(value)[0])
        start = shapes.read(argument) if type == "index" else shapes.of(argument)[0]
        expected = {"sums": start + LENGTH, "arrays": start + LENGTH, "branches": start}.get(kind, size)
        assert size == expected
        assert set(symbols(size)) == set(symbols(start))
        assert shapes.read(value) == size if type == "index" else shapes.of(value)


def test_an_exception_leaves_it_usable() -> None:
    with context(), ir.Location.unknown():
        module = ir.Module.parse(
            "func.func @f(%a: index) -> index { %b = arith.addi %a, %a : index\n return %b : index }"
        )
        op = next(op for op in operations_of(module.operation) if op.name == "arith.addi")
        shapes = Shapes()
        with pytest.raises(AttributeError):
            shapes.read(None)
        assert shapes.read(op.results[0]) == shapes.read(op.operands[0]) * 2
