"""What looking for stages of stencils costs: each op is looked at as often in a long program as in a short one."""

from __future__ import annotations

from collections import Counter

import pytest

from weft.backend.cpu.codegen.stages import join_stages
from weft.dialect.mlir import Operation, ir
from weft.dialect.register import context


def chain(length: int) -> str:
    """Differences of neighbours, each of the one before; all but the last are read at two places."""
    type = "tensor<64x64xf64>"
    slices = "tensor<63x64xf64>"
    lines = [f"func.func @f(%x0: {type}, %e: {type}, %s: {slices}) -> {slices} {{"]
    for i in range(length):
        lines += [
            f"%x{i + 1} = linalg.generic {{indexing_maps = [#id, #id], iterator_types = ['parallel', 'parallel']}}"
            f" ins(%x{i} : {type}) outs(%e : {type}) {{\n^bb0(%a: f64, %o: f64):\n%0 = arith.addf %a, %a : f64\n"
            f"linalg.yield %0 : f64\n}} -> {type}",
            f"%d{i} = tensor.extract_slice %x{i + 1}[1, 0] [63, 64] [1, 1] : {type} to {slices}",
        ]
    lines += [f"return %d{length - 1} : {slices}", "}"]
    return "#id = affine_map<(i, j) -> (i, j)>\n" + "\n".join(lines).replace("'", '"')


def test_ops_are_looked_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    is_stage, asked = join_stages._is_stage, Counter[int]()

    def counted(operation: Operation) -> bool:
        asked[length] += 1
        return is_stage(operation)

    monkeypatch.setattr(join_stages, "_is_stage", counted)
    for length in (20, 40, 80):
        with context(), ir.Location.unknown():
            join_stages.JoinStages().run(ir.Module.parse(chain(length)), Counter())
    assert asked[80] - asked[40] == 2 * (asked[40] - asked[20])
