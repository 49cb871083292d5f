"""Offsets in the workspace: live ranges never overlap, and freed memory is used again."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from weft.backend.cpu.planning.arena import StaticArena


@given(st.lists(st.tuples(st.booleans(), st.integers(1, 20), st.integers(0, 1000)), max_size=60))
def test_live_ranges_are_disjoint(steps):
    arena = StaticArena()
    live: list[tuple[int, int]] = []
    for release, units, choice in steps:
        if release and live:
            offset, size = live.pop(choice % len(live))
            arena.release(offset, size)
        else:
            size = 64 * units
            offset = arena.allocate(size)
            assert offset % 64 == 0
            assert offset + size <= arena.size
            assert all(offset + size <= other or other + length <= offset for other, length in live)
            live.append((offset, size))


def test_neighbours_are_joined():
    arena = StaticArena()
    ranges = [(arena.allocate(64), 64) for _ in range(4)]
    for offset, size in ranges[1:] + ranges[:1]:
        arena.release(offset, size)
    assert arena.allocate(256) == 0
    assert arena.size == 256


def test_a_free_end_grows():
    arena = StaticArena()
    arena.release(arena.allocate(64), 64)
    assert arena.allocate(128) == 0
    assert arena.size == 128
