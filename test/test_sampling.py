"""A sample of a grid has each of its values, and each case that is not in it is left to the soak."""

from __future__ import annotations

from itertools import product

import pytest

from support.sampling import covering, left_to_soak

pytest_plugins = ["pytester"]


def test_a_sample_has_every_value_and_few_cases() -> None:
    grid = {f"{op}-{dtype}-{rank}": (op, dtype, rank) for op, dtype, rank in product("abcdef", "ijk", "12")}
    chosen = covering(grid)
    assert {value for name in chosen for value in grid[name]} == set("abcdefijk12")
    assert len(chosen) == 6
    assert covering(dict(reversed(grid.items()))) == chosen
    assert len({grid[name][1:] for name in chosen}) > 2, "values of one row meet the same ones in all others"


def test_what_a_grid_lacks_is_covered_by_others() -> None:
    triangle = {
        f"{row}{column}": (("row", row), ("column", column)) for row in range(4) for column in range(row + 1)
    }
    chosen = covering(triangle)
    assert {value for name in chosen for value in triangle[name]} == {
        v for vs in triangle.values() for v in vs
    }


def test_cases_without_values_are_one() -> None:
    assert len(covering({"a": (), "b": ()})) == 1


_FILE = """
import pytest

@pytest.mark.sampled
@pytest.mark.parametrize("op", ["a", "b", "c", "d"])
@pytest.mark.parametrize(("dtype", "size"), [("i", []), ("j", [])])
def test_grid(op, dtype, size): ...

@pytest.mark.sampled(3)
@pytest.mark.parametrize("number", range(60))
def test_list(number): ...
"""


def test_the_others_are_left_to_the_soak(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(_FILE)
    pytester.makeini("[pytest]\nmarkers = sampled")
    items, _ = pytester.inline_genitems()
    left = [item.nodeid.partition("::")[2].partition("[")[0] for item in left_to_soak(items)]
    assert left.count("test_grid") == 8 - 4
    assert 30 < left.count("test_list") < 50
    assert left_to_soak(items[:1]) == [], "a test that is asked for by its name runs"
