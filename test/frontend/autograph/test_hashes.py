"""`hash` of numbers that the program knows: the number that Python has."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import weft


@weft.function
def hashes(i: Any, j: Any) -> Any:
    return hash(i), hash((i,)), hash((i, j)), hash(((i, True), (), (j, -1, 2**40))), hash((int(i), 3)) % 64


LIMITS = [0, 1, -1, -2, 2**61 - 2, 2**61 - 1, 2**61, -(2**61), -(2**61) + 1, 2**63 - 1, -(2**63)]


@pytest.mark.parametrize("i", LIMITS)
def test_hashes_of_ints_are_those_of_python(i: int) -> None:
    for j in (5, -(2**62)):
        found = hashes(np.int64(i), np.int64(j))
        assert found == hashes.__wrapped__(np.int64(i), np.int64(j))
        assert {type(number) for number in found} == {int}


def test_hashes_of_small_types() -> None:
    for i, j in ((np.int8(-1), np.uint8(200)), (np.uint32(2**32 - 1), np.int16(-300))):
        assert hashes(i, j) == hashes.__wrapped__(i, j)


@weft.function
def hash_of_a_pair(x: Any) -> Any:
    return hash((x, 1))


def test_hashes_of_floats_are_refused() -> None:
    with pytest.raises(weft.UnsupportedError, match="hashed, which needs its value"):
        hash_of_a_pair(np.float64(0.5))


def test_arrays_have_no_hashes() -> None:
    for function in (hash_of_a_pair, weft.function(hash)):
        with pytest.raises(TypeError, match="unhashable type"):
            function(np.array(5))
