"""Tables in native code: what is put in is found again, whatever the keys are."""

from __future__ import annotations

import numpy as np
import pytest

from weft.dialect.ops.tables import TableFind, TableIndex, folded, mixed, probes

KEYS = {
    "small": np.arange(100),
    "negative": -np.arange(1, 100),
    "multiples": np.arange(100) << 40,
    "bits of floats": np.arange(100.0).view(np.int64),
    "extremes": np.array([0, -1, 2**63 - 1, -(2**63)]),
}


@pytest.mark.parametrize("name", KEYS)
def test_every_key_is_found_at_its_place(name: str) -> None:
    keys = KEYS[name]
    slots = TableIndex.evaluate(np.full(256, -1, np.int32), keys, np.int64(len(keys)), width=1)
    assert sorted(slots[slots >= 0]) == list(range(len(keys)))
    for place, key in enumerate(keys):
        assert slots[TableFind.evaluate(slots, keys, (key,))] == place
    assert slots[TableFind.evaluate(slots, keys, (np.int64(12345),))] == -1


@pytest.mark.parametrize("name", KEYS)
def test_keys_are_spread(name: str) -> None:
    slots = [mixed(folded([key])) % 1024 for key in KEYS[name]]
    assert len(set(slots)) > 0.9 * len(slots)


def test_neighbours_lie_side_by_side() -> None:
    assert [next(probes([key], 64)) for key in range(40, 60)] == list(range(40, 60))
    first = next(probes([7, 0], 64))
    assert [next(probes([7, key], 64)) for key in range(20)] == [(first + key) % 64 for key in range(20)]


def test_every_slot_is_looked_at() -> None:
    assert set(probes([12345, -1], 64)) == set(range(64))


def test_keys_that_share_their_first_slot_are_found_soon() -> None:
    keys = np.arange(100) << 20
    slots = TableIndex.evaluate(np.full(256, -1, np.int32), keys, np.int64(100), width=1)
    looks = [
        next(n for n, slot in enumerate(probes([key], 256), 1) if slots[slot] == place)
        for place, key in enumerate(keys)
    ]
    assert sum(looks) < 3 * len(looks)


def test_what_is_not_there_is_soon_known_where_keys_lie_side_by_side() -> None:
    keys = np.arange(100)
    slots = TableIndex.evaluate(np.full(256, -1, np.int32), keys, np.int64(100), width=1)
    looks = [
        next(n for n, slot in enumerate(probes([key], 256), 1) if slots[slot] < 0)
        for key in range(10_000, 10_200)
    ]
    assert sum(looks) < 3 * len(looks)


def test_pairs_are_told_apart_by_both_words() -> None:
    pairs = np.array([[i, j] for i in range(10) for j in range(10)])
    slots = TableIndex.evaluate(np.full(256, -1, np.int32), pairs.reshape(-1), np.int64(100), width=2)
    for place, pair in enumerate(pairs):
        assert slots[TableFind.evaluate(slots, pairs.reshape(-1), tuple(pair))] == place
    assert len({mixed(folded(pair)) % 1024 for pair in pairs}) > 80
