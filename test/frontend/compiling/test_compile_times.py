"""What `ConcreteFunction.compile_times` tells: the phases of a compilation, in order, with those inside of them."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import weft
from weft.passes.timing import CompileTimes, phase

PHASES = [
    "trace",
    "weft-optimize",
    "weft-to-linalg",
    "linalg-to-kernels",
    "kernels-to-buffers",
    "buffers-to-loops",
    "loops-to-llvm",
    "llvm-assembly",
    "llvm-optimise",
    "llvm-codegen",
    "link",
]


@weft.function
def powers(x: Any, n: Any) -> Any:
    for _ in range(n):
        x = x * x
    return x


@pytest.mark.processor
def test_phases() -> None:
    times = powers.get_concrete_function(np.ones(3), np.int64(2)).compile_times
    assert [name for name in times if name in PHASES] == PHASES
    assert all(seconds > 0 for seconds in times.values())
    assert times.total == sum(times.values())
    passes = times.within("weft-optimize")
    assert "weft-inline" not in passes  # there is nothing to inline
    assert {"symbol-dce", "promote-refs", "weft-fold", "optimize-control-flow", "cse"} < set(passes)
    assert {"while-to-for", "hoist-checks"} < set(passes.within("optimize-control-flow"))
    assert passes.total <= times["weft-optimize"]
    assert {"choose-inlining", "branch-at-exits", "link-functions"} < set(times.within("loops-to-llvm"))
    assert {"translate", "rewrite-literals", "add-entries"} < set(times.within("llvm-assembly"))
    assert not times.within("link")


def test_each_compilation_counts_its_own() -> None:
    first = powers.get_concrete_function(np.ones(3), np.int64(2)).compile_times
    before = dict(first)
    second = powers.get_concrete_function(np.ones(4), np.int64(2)).compile_times
    assert dict(first) == before
    assert second is not first
    powers(np.ones(3), np.int64(2))
    assert dict(first) == before


def test_printing() -> None:
    times = powers.get_concrete_function(np.ones(3), np.int64(2)).compile_times
    lines = str(times).splitlines()
    assert re.fullmatch(r"trace +\d+\.\d\d ms", lines[0])
    assert re.fullmatch(r"weft-optimize +\d+\.\d\d ms", lines[1])
    assert re.fullmatch(r"  symbol-dce +\d+\.\d\d ms", lines[2])
    assert re.fullmatch(r"total +\d+\.\d\d ms", lines[-1])
    assert re.fullmatch(r"<CompileTimes \d+\.\d ms in \d+ phases>", repr(times))


def test_phases_of_one_name_are_one() -> None:
    times = CompileTimes()
    with times.recording():
        for _ in range(3):
            with phase("pass"), phase("part"):
                pass
    assert list(times) == ["pass"]
    assert list(times.within("pass")) == ["part"]
    assert len(times) == 1


def test_failures_are_noted_too() -> None:
    times = CompileTimes()
    with pytest.raises(ZeroDivisionError), times.recording(), phase("first"), phase("inner"):
        raise ZeroDivisionError
    with times.recording(), phase("second"):
        pass
    assert [(depth, name) for depth, name, _ in times.rows()] == [(0, "first"), (1, "inner"), (0, "second")]


def test_nothing_is_noted_unless_asked_for() -> None:
    times = CompileTimes()
    with phase("unheard"):
        pass
    with times.recording():
        pass
    assert dict(times) == {}
    with pytest.raises(KeyError):
        times.within("unheard")
