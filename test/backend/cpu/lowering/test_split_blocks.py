"""Blocks with many branches and loops are split before these become jumps, and compute what they did."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest

import weft
from weft.backend.cpu.lowering.split_blocks import MOST_BRANCHES, SplitBlocks
from weft.dialect.mlir import ir
from weft.dialect.register import context
from weft.passes.managers import run_passes

COUNT = 3 * MOST_BRANCHES + 5


def blocks_of(operation: Any) -> list[list[str]]:
    """The names of the ops of all blocks in an op."""
    found = []
    for region in operation.regions:
        for block in region:
            operations = [view.operation for view in block.operations]
            found.append([inner.name for inner in operations])
            for inner in operations:
                found += blocks_of(inner)
    return found


def lowered(inside: str) -> tuple[list[list[str]], Any]:
    """The blocks of a function before its branches and loops become jumps, and the module after that."""
    text = f"""
    func.func @f(%c: i1, %n: index, %m: memref<index>) {{
      %zero = arith.constant 0 : index
      {inside}
      return
    }}"""
    with context(), ir.Location.unknown():
        module = ir.Module.parse(text)
        SplitBlocks().run(module, Counter())
        module.operation.verify()
        blocks = blocks_of(module.body.operations[0].operation)
        run_passes(module, "builtin.module(convert-scf-to-cf)")
        module.operation.verify()
    return blocks, module


BRANCH = "scf.if %c { memref.store %n, %m[] : memref<index> }\n"
PLACES = {
    "function": "{}",
    "loop": "scf.for %i = %zero to %n step %n {{ {} }}",
    "loop that carries": "%r = scf.for %i = %zero to %n step %n iter_args(%v = %n) -> (index) "
    "{{ {} scf.yield %v : index }}",
    "branch": "scf.if %c {{ {} }}",
    "test": "scf.while (%v = %n) : (index) -> index {{ {} scf.condition(%c) %v : index }} "
    "do {{ ^bb0(%w: index): scf.yield %w : index }}",
    "loop in a loop": "scf.for %i = %zero to %n step %n {{ scf.for %j = %i to %n step %n {{ {} }} }}",
}


@pytest.mark.parametrize("place", PLACES)
def test_blocks_of_many_branches_are_cut(place: str) -> None:
    blocks, module = lowered(PLACES[place].format(BRANCH * COUNT))
    assert max(block.count("scf.if") for block in blocks) == MOST_BRANCHES
    assert sum(block.count("memref.store") for block in blocks) == COUNT
    assert "scf." not in str(module)


@pytest.mark.parametrize("place", PLACES)
def test_blocks_of_few_branches_stay(place: str) -> None:
    blocks, module = lowered(PLACES[place].format(BRANCH * (MOST_BRANCHES - 1)))
    assert not any("cf.br" in block for block in blocks)
    assert "scf." not in str(module)


def test_vector_code_stays() -> None:
    vectors = "%v = vector.broadcast %n : index to vector<4xindex>\n"
    inside = "".join(vectors.replace("%v", f"%v{number}") for number in range(100)) + BRANCH * COUNT
    blocks, _ = lowered(inside)
    assert max(block.count("scf.if") for block in blocks) == COUNT


def test_many_loops_compute_what_they_say() -> None:
    def inner_loops(x: Any, n: Any) -> Any:
        for _ in range(n):
            for i in weft.unroll(range(MOST_BRANCHES + 5)):
                for _ in range(n):
                    x = x * 0.5 + i
                if x[0] > i:
                    x = x - 1
        return x

    def loops(x: Any, n: Any) -> Any:
        for i in weft.unroll(range(MOST_BRANCHES + 5)):
            for j in range(n):
                x = x * 0.5 + i + j
        return x

    for function in (inner_loops, loops):
        x, compiled = np.linspace(-1, 1, 9), weft.function(function)
        for trips in (0, 1, 3):
            np.testing.assert_array_equal(compiled(x, np.int64(trips)), function(x, trips))
