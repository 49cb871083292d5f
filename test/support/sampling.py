"""Which cases of a parametrised test always run, where it is marked as sampled; the others are left to the soak."""

from __future__ import annotations

import zlib
from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping

import pytest


def left_to_soak(items: Iterable[pytest.Item]) -> list[pytest.Item]:
    """Those of the tests marked as sampled that are in no sample."""
    left: list[pytest.Item] = []
    grids: defaultdict[str, list[pytest.Item]] = defaultdict(list)
    for item in items:
        sampled = item.get_closest_marker("sampled")
        if sampled is None:
            continue
        if not sampled.args:
            grids[item.nodeid.partition("[")[0]].append(item)
        elif _number(item.nodeid) % sampled.args[0]:
            left.append(item)
    for grid in grids.values():
        chosen = covering({item.nodeid: _values(item) for item in grid})
        left += [item for item in grid if item.nodeid not in chosen]
    return left


def covering(cases: Mapping[str, Iterable[Hashable]]) -> set[str]:
    """Names of few cases that have every value of all cases; always the same, in whichever order they come.

    Of those that have most values that no other has, it is one by the number of its name, so that values meet others
    from one row of a grid to the next.
    """
    rest = {name: set(cases[name]) for name in sorted(cases, key=_number)}
    chosen = set()
    while rest:
        name = max(rest, key=lambda name: len(rest[name]))
        covered = rest.pop(name)
        chosen.add(name)
        rest = {name: new for name, values in rest.items() if (new := values - covered)}
    return chosen


def _values(item: pytest.Item) -> list[Hashable]:
    """What each `parametrize` gives a case; values need not be hashable, but each is one object in all cases."""
    parameters: dict[str, object] = item.callspec.params if hasattr(item, "callspec") else {}
    values: list[Hashable] = []
    for mark in item.iter_markers("parametrize"):
        names = mark.args[0].split(",") if isinstance(mark.args[0], str) else mark.args[0]
        names = tuple(name.strip() for name in names)
        values.append((names, *(id(parameters[name]) for name in names)))
    return values


def _number(name: str) -> int:
    """A number by name, so that the same cases run everywhere, and others only where tests are named anew."""
    return zlib.crc32(name.encode())


__all__ = ["covering", "left_to_soak"]
