"""Sorting networks and the control of sorting, run in Python on lists."""

from __future__ import annotations

import itertools
import random

import pytest

from weft.backend.cpu.sorting import control
from weft.backend.cpu.sorting.networks import merge_exchange


@pytest.mark.parametrize("count", [1, 2, 4, 8, 16])
def test_a_network_that_sorts_zeros_and_ones_sorts_everything(count: int) -> None:
    comparisons = list(merge_exchange(count))
    for bits in itertools.product((0, 1), repeat=count):
        keys = list(bits)
        for low, high in comparisons:
            keys[low], keys[high] = min(keys[low], keys[high]), max(keys[low], keys[high])
        assert keys == sorted(bits)
    assert len(comparisons) == {1: 0, 2: 1, 4: 5, 8: 19, 16: 63}[count]


@pytest.mark.parametrize("length", [0, 1, 2, 3, 7, 64, 101])
def test_heapsort(monkeypatch: pytest.MonkeyPatch, length: int) -> None:
    keys = [random.Random(length).randrange(20) for _ in range(length)]
    expected = sorted(keys)

    def swap(_: int, left: int, right: int, apart: int) -> None:
        keys[left], keys[right] = keys[right], keys[left]

    monkeypatch.setattr(control, "swap", swap)
    monkeypatch.setattr(control, "is_before", lambda _, left, right, apart: keys[left] < keys[right])
    control.heap_sort(0, length, 0)
    assert keys == expected


def test_bad_pivots_end_in_heapsort(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every pivot is the second smallest key: quicksort would take n partitions of n keys."""
    calls: list[int] = []
    monkeypatch.setattr(control, "stack", lambda words: 0)
    monkeypatch.setattr(control, "word", lambda address: 0)
    monkeypatch.setattr(control, "lanes", lambda: 1)
    monkeypatch.setattr(control, "registers", lambda: 1)
    monkeypatch.setattr(control, "choose_pivot", lambda keys, length, apart, payload: 0)
    monkeypatch.setattr(control, "partition", lambda keys, length, apart, pivot, payload: 1)
    monkeypatch.setattr(control, "sort_block", lambda keys, length, apart: 0)
    monkeypatch.setattr(control, "advance", lambda keys, count: keys + count)
    monkeypatch.setattr(control, "heap_sort", lambda keys, length, apart: calls.append(length))
    depth = control.allowed_depth(1 << 20)
    control.sort_range(0, 1 << 20, 0, depth)
    assert depth == 46
    assert calls == [(1 << 20) - depth]
    control.weft_select(0, 1 << 20, 1 << 19)
    assert calls == [(1 << 20) - depth] * 2
