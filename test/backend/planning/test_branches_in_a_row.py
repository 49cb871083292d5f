"""Lists that both sides of branch after branch let grow: their memory is found without following every path."""

from __future__ import annotations

from typing import Any

import numpy as np

import weft
from support.roads import names_of


def program(branches: int) -> Any:
    """A branch in which a new list grows on both sides of others, of which each path is a way to the list's memory."""
    lines = ["import numpy as np", "def f(x, c):", "  l = [x[0]]", "  if c[0] > 0:", "    l = [x[1]]"]
    for i in range(branches):
        lines += [f"    if x[{i % 4}] > 0:", "      l.append(x[0])"]
        lines += ["    else:", f"      l.append({i}.0)", "      l.append(x[2])"]
    return names_of("\n".join([*lines, "  return len(l), np.array(l)"]))["f"]


def test_paths_are_not_followed_one_by_one() -> None:
    function = program(40)  # a million of millions of paths
    compiled = weft.function(function)
    for x in (np.array([1.0, -1, 2, -3]), np.array([-1.0, 2, -3, 4])):
        for c in (np.ones(1), np.zeros(1)):
            (length, array), (expected_length, expected) = compiled(x, c), function(x, c)
            assert length == expected_length
            np.testing.assert_array_equal(array, expected)
