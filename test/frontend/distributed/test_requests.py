"""Places that are split, of arrays that are split: ranks ask each other for elements, and send what is written."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import weft
from weft.passes.partition.rules import indexing

ranks, P = weft.distributed, weft.distributed.P
RNG = np.random.default_rng(3)
X, ROWS, PLACES = RNG.normal(size=17), RNG.normal(size=(17, 3)), RNG.integers(-17, 17, size=13)
COLUMNS, GIVEN = RNG.integers(0, 3, size=13), RNG.normal(size=(13, 3))


@pytest.fixture(autouse=True)
def _short_arrays_are_like_long_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(indexing, "GATHERED", 0)


def program(x: Any, rows: Any, places: Any, columns: Any, given: Any) -> Any:
    replaced, added, turned = rows.copy(), x.copy(), rows.T.copy()
    replaced[places] = given  # of several for one place the last one stays
    np.add.at(added, places, given[:, 0])
    turned[:, places] = given.T
    anew = np.zeros(17, bool)
    anew[places] = given[:, 1] > 0
    return (
        x[places],
        rows[places],
        rows[places, columns] + 1j,
        x[np.abs(np.stack([places, columns], axis=1))],
        rows.T[:, places],
        replaced,
        added,
        turned,
        anew,
        weft.grad(lambda x: np.sum(x[places] ** 2))(x),
    )


def test_ranks_ask_each_other() -> None:
    mesh = ranks.Mesh.simulated(3)
    arrays = (X, ROWS, PLACES, COLUMNS, GIVEN)
    bounds = {17: [0, 9], 13: [6, 6]}  # ranks without anything
    split = [ranks.from_local(np.split(array, bounds[len(array)]), P("d"), mesh) for array in arrays]
    function = ranks.partition(program)
    with warnings.catch_warnings():
        warnings.simplefilter("error", weft.GatherWarning)
        found = function(*split)
    for mine, wanted in zip(found, program(*arrays), strict=True):
        whole = mine.gather() if isinstance(mine, ranks.ShardedArray) else mine
        np.testing.assert_allclose(whole, wanted, rtol=1e-13)
        assert whole.dtype == wanted.dtype
    kinds = [message.kind for message in function._last.ranks[0].messages]
    assert kinds.count("all_to_all") == 18


def test_places_outside_are_numpys_error() -> None:
    mesh = ranks.Mesh.simulated(2)
    read = ranks.partition(lambda x, places: x[places], mesh, (P("d"), P("d")))
    with pytest.raises(IndexError, match="index 17 is out of bounds for axis 0 with size 17"):
        read(X, np.array([3, 17, 40]))


def test_places_along_another_axis_are_gathered_at_the_line() -> None:
    mesh = ranks.Mesh.simulated(2)
    read = ranks.partition(lambda rows, places: rows[:, places], mesh, (P("d"), P("d")))
    with pytest.warns(weft.GatherWarning, match="read at places that are split as well") as record:
        found = read(ROWS, COLUMNS)
    assert record[0].filename == __file__
    np.testing.assert_array_equal(found.gather(), ROWS[:, COLUMNS])
