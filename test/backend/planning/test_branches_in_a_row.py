"""Lists that both sides of branch after branch let grow: their memory is found without following every path."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import weft
from support.roads import names_of
from weft.backend.planning.shapes import Shapes

pytestmark = pytest.mark.slow


def program(branches: int) -> Any:
    """A branch in which a new list grows on both sides of others, of which each path is a way to the list's memory."""
    lines = ["import numpy as np", "def f(x, c):", "  l = [x[0]]", "  if c[0] > 0:", "    l = [x[1]]"]
    for i in range(branches):
        lines += [f"    if x[{i % 4}] > 0:", "      l.append(x[0])"]
        lines += ["    else:", f"      l.append({i}.0)", "      l.append(x[2])"]
    return names_of("\n".join([*lines, "  return len(l), np.array(l)"]))["f"]


def test_paths_are_not_followed_one_by_one() -> None:
    function = program(24)  # millions of paths
    compiled = weft.function(function)
    for x in (np.array([1.0, -1, 2, -3]), np.array([-1.0, 2, -3, 4])):
        for c in (np.ones(1), np.zeros(1)):
            (length, array), (expected_length, expected) = compiled(x, c), function(x, c)
            assert length == expected_length
            np.testing.assert_array_equal(array, expected)


def appends(count: int) -> Any:
    """Branches behind each other, each of which lets one list grow."""
    lines = ["def f(x):", "  out = []"]
    for i in range(count):
        lines += [f"  if x[{i % 4}] > {i}:", f"    out.append(x[{i % 4}] * {i})"]
    return names_of("\n".join([*lines, "  return out"]))["f"]


def test_sizes_are_found_once_along_a_chain(monkeypatch: pytest.MonkeyPatch) -> None:
    derive, count = Shapes._derive, 0

    def counted(shapes: Shapes, value: Any) -> Any:
        nonlocal count
        count += 1
        return derive(shapes, value)

    monkeypatch.setattr(Shapes, "_derive", counted)
    x, counts = np.array([1.0, 9, 20, 3]), []
    for length in (8, 16, 32):
        count, function = 0, appends(length)
        assert weft.function(function)(x) == function(x)
        counts.append(count)
    assert counts[2] - counts[1] < 2.1 * (counts[1] - counts[0]), counts
