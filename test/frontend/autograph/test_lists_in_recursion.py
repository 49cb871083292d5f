"""Functions that call themselves and change what they take."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import weft


def sift(heap: Any, index: Any, size: Any) -> None:
    largest, left = index, 2 * index + 1
    if left < size and heap[left] > heap[largest]:
        largest = left
    if largest != index:
        heap[largest], heap[index] = heap[index], heap[largest]
        sift(heap, largest, size)


def sifted(heap: Any) -> Any:
    for size in range(len(heap) - 1, 0, -1):
        heap[0] = heap[size]
        sift(heap, 0, size)
    return heap


NUMBERS = [243, 606, 557, 133, 378, 937, 618, 485, 640, 594, 67, 620, 13, 930, 857, 480, 265, 564, 239, 196]


@pytest.mark.parametrize("size", [5, 16, 20, 30])
def test_lists_that_recursion_changes_are_changed(size: int) -> None:
    numbers = NUMBERS[:size] + [7 * i % 31 for i in range(size - len(NUMBERS))]
    given, expected = list(numbers), list(numbers)
    assert weft.function(sifted)(given) == sifted(expected)
    assert given == expected


def test_arrays_that_recursion_changes_are_changed() -> None:
    given, expected = np.array(NUMBERS), np.array(NUMBERS)
    np.testing.assert_array_equal(weft.function(sifted)(given), sifted(expected))
    np.testing.assert_array_equal(given, expected)
