"""The work of compiling grows as the program does, counted in calls of Python functions and runs of MLIR's passes.

`bench/compile_time.py` measures the same in seconds, machine code included.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import weft
from support.compile_work import work_of
from support.quick_code import forget_code
from weft.backend.cpu.machine import llvm
from weft.frontend.tracing import may_alias
from weft.passes import managers

X = np.linspace(-1, 1, 8)


def chain(count: int) -> Any:
    def run(x: Any) -> Any:
        for i in weft.unroll(range(count)):
            x = np.abs(x * 1.5 - i)
        return x

    return run, (X,)


def results(count: int) -> Any:
    def run(x: Any) -> Any:
        return [x + i for i in weft.unroll(range(count))]

    return run, (X,)


def layers(count: int) -> Any:
    def run(x: Any, weights: Any) -> Any:
        for weight in weights:
            x = np.maximum(x @ weight, 0)
        return x

    return run, (X, [np.ones((8, 8)) for _ in range(count)])


def writes(count: int) -> Any:
    def run(x: Any) -> Any:
        x = x.copy()
        for i in weft.unroll(range(count)):
            x[i % 7] += 1.0
        return x

    return run, (X,)


def branches(count: int) -> Any:
    def run(x: Any) -> Any:
        for i in weft.unroll(range(count)):
            x = x + 1.0 if x[i % 8] > i else x * 0.5
        return x

    return run, (X,)


def loops(count: int) -> Any:
    def run(x: Any, n: Any) -> Any:
        for i in weft.unroll(range(count)):
            for j in range(n):
                x = x * 0.5 + j + i
        return x

    return run, (X, np.int64(3))


def nested_branches(depth: int) -> Any:
    def inside(x: Any, depth: int) -> Any:
        if depth and x[depth % 8] > depth:
            x = inside(x * 0.5, depth - 1)
        else:
            x = x + 1.0
        return x

    def run(x: Any) -> Any:
        return inside(x, depth)

    return run, (X,)


PROGRAMS = (chain, results, layers, writes, branches, loops)


@pytest.mark.parametrize("program", PROGRAMS)
def test_work_grows_with_the_program(program: Callable[[int], Any]) -> None:
    """Twice the operations are twice the calls, but for what a compilation does once."""
    small, medium, large = work_of(program, 12, 24, 48)
    assert medium - small > 12 * 20  # tracing is among what is counted
    assert large - medium < 2.4 * (medium - small)


def test_work_grows_with_the_depth() -> None:
    """Branches twice as deep are twice the calls: what is around a branch is not looked at for each op in it."""
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(10_000)  # some thirty frames for a branch inside of another
    try:
        small, medium, large = work_of(nested_branches, 8, 16, 32)
    finally:
        sys.setrecursionlimit(limit)
    assert medium - small > 8 * 100
    assert large - medium < 2.25 * (medium - small)


def test_arrays_have_few_sources(monkeypatch: pytest.MonkeyPatch) -> None:
    """What an array may be after many branches is a chain, of which each part knows the next ones only."""
    connected: list[int] = []

    def note(storage: Any, join: Any, by_path: Any, *others: Any) -> None:
        paths = tuple(by_path)
        connected.append(len(paths))
        may_alias.connect(storage, join, paths, *others)

    monkeypatch.setattr("weft.frontend.autograph.operators.values.aliases.connect", note)

    def run(x: Any) -> Any:
        x = x.copy()
        for i in weft.unroll(range(60)):
            if x[i % 8] > i:
                x = x + 1.0
        x[0] = 7.0  # looks at all that x may be, once
        return x

    np.testing.assert_array_equal(weft.function(run)(X), run(X))
    assert connected == [2] * 60


def test_passes_run_as_often_whatever_the_size(monkeypatch: pytest.MonkeyPatch) -> None:
    runs: list[str] = []
    run_passes = managers.run_passes

    def note(module: Any, pipeline: str) -> None:
        runs.append(pipeline)
        run_passes(module, pipeline)

    monkeypatch.setattr("weft.passes.pipeline.run_passes", note)
    counts = []
    forget_code()
    for count in (10, 80):
        runs.clear()
        function, arguments = layers(count)
        weft.function(function).get_concrete_function(*arguments)
        counts.append(len(runs))
    assert counts[0] == counts[1] > 3


@pytest.mark.processor
def test_equal_layers_are_compiled_once() -> None:
    sizes = []
    for count in (10, 80):
        function, arguments = layers(count)
        text = weft.function(function).get_concrete_function(*arguments).as_text("llvm")
        sizes.append(text.count("\ndefine internal void @kernel_"))
    assert sizes[0] == sizes[1]


@pytest.mark.processor
@pytest.mark.optimised
def test_loops_around_long_loops_stay_loops() -> None:
    """Machine code for rows that are long is no longer than for rows of any length."""

    def rows(x: Any) -> Any:
        return np.repeat(x[:, None], 256, axis=1)

    sizes = []
    for count in (40, 16):  # LLVM may write out 16 rounds
        x = np.ones(count, np.complex128)
        text = weft.function(rows).get_concrete_function(x).as_text("asm")
        sizes.append(text.count("\n"))
    assert sizes[1] < 1.5 * sizes[0]


@pytest.mark.optimised
@pytest.mark.parametrize("blocks", [llvm.MAX_BLOCKS - 10, llvm.MAX_BLOCKS + 10])
def test_functions_of_many_blocks_are_simplified_too(blocks: int) -> None:
    lines = ["define i64 @f(i64 %x) {", "  %p = alloca i64", "  store i64 %x, ptr %p", "  br label %b0"]
    for number in range(blocks):
        lines += [
            f"b{number}:",
            f"  %v{number} = load i64, ptr %p",
            f"  %c{number} = icmp eq i64 %v{number}, {number}",
            f"  br i1 %c{number}, label %end, label %b{number + 1}",
        ]
    lines += [f"b{blocks}:", "  br label %end", "end:", "  %r = load i64, ptr %p", "  ret i64 %r", "}"]
    text = str(llvm.optimise("\n".join(lines), llvm.ScalarLoops(others={"f"})))
    assert "alloca" not in text
    assert "ret i64 %x" in text
