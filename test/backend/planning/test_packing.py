"""Offsets in the workspace: what is alive at the same time never overlaps, and freed memory is used again."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from weft.backend.planning.packing import (
    FOREVER,
    Range,
    StaticArena,
    _largest_first,
    group,
    most_alive,
    pack,
    share,
)

RANGES = st.lists(
    st.builds(
        lambda units, start, length: Range(64 * units, start, start + length),
        st.integers(0, 300),
        st.integers(0, 50),
        st.one_of(st.integers(1, 20), st.just(FOREVER)),
    ),
    max_size=40,
)


@settings(deadline=None)
@given(RANGES)
def test_what_is_alive_together_never_overlaps(ranges):
    for offsets, size in (pack(ranges), _largest_first(ranges)):
        assert len(offsets) == len(ranges)
        assert size >= most_alive(ranges)
        for index, (offset, r) in enumerate(zip(offsets, ranges, strict=True)):
            assert offset % 64 == 0
            assert 0 <= offset <= offset + r.size <= max(size, offset)
            for other, s in zip(offsets[:index], ranges[:index], strict=True):
                if r.overlaps(s):
                    assert offset + r.size <= other or other + s.size <= offset or not r.size * s.size


@settings(deadline=None)
@given(RANGES)
def test_the_most_that_is_alive_is_counted(ranges):
    times = {r.start for r in ranges}
    expected = max(
        (sum(r.size for r in ranges if r.start <= time < r.end) for time in times),
        default=0,
    )
    assert most_alive(ranges) == expected


@settings(deadline=None)
@given(RANGES, st.lists(st.tuples(st.integers(0, 300), st.integers(0, 80)), max_size=5))
def test_memory_that_is_there_holds_one_range_at_a_time(ranges, until):
    holders = [Range(64 * units, 0, end) for units, end in until]
    held = share(ranges, holders)
    for number, holder in enumerate(holders):
        inside = [r for r, where in zip(ranges, held, strict=True) if where == number]
        assert all(r.size <= holder.size and r.end <= holder.end for r in inside)
        assert not any(r.overlaps(s) for i, r in enumerate(inside) for s in inside[:i])


def test_holes_that_matter_are_closed():
    # The first two leave holes of 8 KiB each, in which the third has no room.
    size = 8192
    ranges = [Range(size, 0, 2), Range(size, 0, 9), Range(size, 0, 2), Range(2 * size, 2, 9)]
    assert most_alive(ranges) == 3 * size
    assert pack(ranges)[1] == 3 * size


def test_the_largest_is_held_where_two_want_to_be():
    held = share([Range(4096, 0, 5), Range(8192, 1, 4)], [Range(10_000, 0, 7)])
    assert held == [None, 0]


def test_small_ranges_are_not_held():
    assert share([Range(4032, 0, 5), Range(4096, 5, 6)], [Range(10_000, 0, 7)]) == [None, 0]


@settings(deadline=None)
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


@settings(deadline=None)
@given(RANGES, st.data())
def test_what_shares_a_place_is_never_alive_together(ranges, data):
    kinds = data.draw(st.lists(st.integers(0, 3), min_size=len(ranges), max_size=len(ranges)))
    groups = group(ranges, kinds)
    assert sorted(index for members in groups for index in members) == list(range(len(ranges)))
    for members in groups:
        for number, index in enumerate(members):
            assert not any(ranges[index].overlaps(ranges[other]) for other in members[:number])


def test_equal_sizes_take_no_more_places_than_are_needed_at_once():
    ranges = [Range(64, start, start + 2) for start in range(20)]
    assert len(group(ranges, ["a"] * 20)) == 2


def test_what_is_of_one_kind_goes_together():
    ranges = [Range(64, 0, 1), Range(64, 0, 1), Range(64, 1, 2), Range(64, 1, 2)]
    assert group(ranges, ["a", "b", "b", "a"]) == [[0, 3], [1, 2]]
