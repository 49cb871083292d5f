"""Random programs of all ops, with arguments split at random: what ranks compute against the reference interpreter.

`WEFT_TEST_SEEDS=1000:50` runs the programs of the seeds 1000 to 1049, as `make soak` does.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

import weft
from support.interpreter import interpret
from support.outcomes import Outcome, interpreted, is_near, seeds
from support.programs import NAME, same_bits, transform
from support.random_programs import Program, random_program
from support.random_regions import random_regions
from weft.dialect.errors import WeftError
from weft.dialect.mlir import Module, ir
from weft.dialect.op import OPS
from weft.dialect.register import context
from weft.frontend.distributed.programs import grid_of
from weft.passes.partition.layouts import Layout, Split, axes_of
from weft.passes.partition.partition import Partitioned, partition_function
from weft.passes.partition.rules import indexing
from weft.passes.rewriting import holds

COLLECTIVES = frozenset(op.mlir_name() for op in OPS.values() if op.family == "distributed")
MESHES: tuple[dict[str, int], ...] = (
    {"d": 1},
    {"d": 2},
    {"d": 3},
    {"d": 5},
    {"a": 2, "b": 2},
    {"a": 3, "b": 2},
)


def random_layout(random: np.random.Generator, shape: Sequence[int], axes: dict[str, int]) -> Layout:
    """Some axes split in blocks of any lengths."""
    layout: list[Split | None] = [None] * len(shape)
    names = list(axes)
    for dim in random.permutation(len(shape)):
        if names and random.random() < 0.7:
            name = names.pop(int(random.integers(len(names))))
            inner = np.sort(random.integers(0, shape[dim] + 1, axes[name] - 1))
            if random.random() < 0.7:
                inner = np.arange(1, axes[name]) * shape[dim] // axes[name]
            layout[dim] = Split(name, (0, *map(int, inner), int(shape[dim])))
    return tuple(layout)


def block(x: Any, layout: Layout, mesh: Any, rank: int) -> Any:
    region = weft.distributed.ShardedArray([], np.shape(x), layout, mesh).region(rank)
    return np.array(x[(*(slice(along.start, along.stop) for along in region), ...)])


def partitioned(
    module: Module, layouts: Sequence[Layout], mesh: Any, rank: int
) -> tuple[Module, Partitioned]:
    """The program of a rank."""
    with context(), ir.Location.unknown():
        own = ir.Module.parse(module.operation.get_asm())
        functions = [view.operation for view in own.body.operations if view.operation.name == "func.func"]
        function = next(f for f in functions if f.attributes["sym_name"].value == NAME)
        made = partition_function(function, layouts, grid_of(mesh, rank))
        transform(own, "overlap-messages{least=1}")
        assert own.operation.verify()
    return own, made


def run(module: Module, program: Program, layouts: Sequence[Layout], mesh: Any) -> list[Outcome]:
    """What each rank sees."""
    ranks = [partitioned(module, layouts, mesh, rank) for rank in mesh.ranks]

    def call(rank: int) -> Outcome:
        arrays = [block(x, layout, mesh, rank) for x, layout in zip(program.inputs(), layouts, strict=True)]
        try:
            return Outcome(interpret(ranks[rank][0], NAME, arrays), "", arrays)
        except WeftError:
            raise
        except ValueError as error:
            return Outcome([], str(error), arrays)

    return [*mesh.run(call, lambda rank: (rank,)), ranks[0][1]]


def check(program: Program, module: Module, random: np.random.Generator) -> None:
    expected = interpreted(program.module(), program)
    axes = MESHES[int(random.integers(len(MESHES)))]
    mesh = weft.distributed.Mesh.simulated(**axes)
    layouts = [random_layout(random, np.shape(x), axes) for x in program.arguments]
    if holds(module.operation, COLLECTIVES):
        with pytest.raises(
            weft.PartitionError, match=r"of weft\.distributed, but is written as for one machine"
        ):
            run(module, program, layouts, mesh)
        return
    *outcomes, made = run(module, program, layouts, mesh)

    def text(rank: int) -> str:
        return f"rank {rank} of {mesh}, {layouts}\n{module}\ncalled with {program.arguments}"

    for rank, got in enumerate(outcomes):
        assert got.error == expected.error, text(rank)
        if not expected.error:
            parts = zip(got.results, expected.results, made.results, program.inexact, strict=True)
            for number, (mine, whole, layout, inexact) in enumerate(parts):
                theirs = block(whole, layout, mesh, rank)
                same = is_near(mine, theirs) if inexact else same_bits(mine, theirs)
                assert same, f"result {number} is\n{mine}\nand not\n{theirs}\n{text(rank)}"
        for mine, whole, layout in zip(got.arguments, expected.arguments, layouts, strict=True):
            assert same_bits(mine, block(whole, layout, mesh, rank)), text(rank)


@pytest.mark.parametrize("seed", seeds(10))
def test_ranks_compute_what_programs_do(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    if seed % 2:  # arrays are short: ranks ask each other for elements as they do for those of long ones
        monkeypatch.setattr(indexing, "GATHERED", 0)
    program = random_program(seed)
    check(program, program.module(), np.random.default_rng(seed))


@pytest.mark.parametrize("seed", seeds(4))
def test_ranks_run_branches_and_loops(seed: int) -> None:
    program = random_regions(seed)
    module = program.module()
    transform(module, "weft-inline,symbol-dce,promote-refs")
    check(program, module, np.random.default_rng(seed))


def test_splits_are_of_all_kinds() -> None:
    random = np.random.default_rng(0)
    layouts = [random_layout(random, (4, 5), {"a": 2, "b": 2}) for _ in range(40)]
    assert {len(axes_of(layout)) for layout in layouts} == {0, 1, 2}
