"""What a condition chooses of split arrays stays with the ranks, and long arrays are sorted by pairs of them."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import weft
from weft.passes.partition.rules.sorting import rounds

ranks, P = weft.distributed, weft.distributed.P
RNG = np.random.default_rng(5)
DATA = (RNG.normal(size=23), RNG.normal(size=23), RNG.normal(size=(23, 3)), RNG.integers(-9, 9, size=23))


def whole(value: Any) -> Any:
    return value.gather() if isinstance(value, ranks.ShardedArray) else np.asarray(value)


def compare(f: Any, arguments: tuple[Any, ...], count: int, gathered: str = "error") -> Any:
    """The kinds and bytes of what is sent; fails where results are not NumPy's, or a whole array is gathered."""
    function = ranks.partition(f, ranks.Mesh.simulated(count), (P("d"),) * len(arguments))
    with warnings.catch_warnings():
        warnings.simplefilter(gathered, weft.GatherWarning)
        found = function(*arguments)
        for result, wanted in zip(found, f(*arguments), strict=True):
            np.testing.assert_allclose(whole(result), wanted, rtol=1e-12)
            assert whole(result).dtype == np.asarray(wanted).dtype
    return function, found


def chosen(x: Any, y: Any, rows: Any, k: Any) -> Any:
    mask = x > 0.5
    return (
        x[mask] * y[mask] - 1,
        rows[mask],
        x[1:][np.diff(x) > 0],
        rows[rows > 0],
        np.nonzero(mask)[0],
        x[mask].sum() + x[mask].mean(),
        x[mask].max() - y[mask].min(),
        rows[mask].sum(axis=0),
        rows[mask].mean(axis=0),
        rows[mask].sum(axis=1),
        rows[mask].std(axis=0),
        rows[mask].var(ddof=1),
        np.any(y[mask] > 1),
        k[mask].prod(),
        len(x[mask]),
        mask.sum(),
    )


@pytest.mark.parametrize(("rows", "warns"), [(20_000, True), (2_000, False)])
def test_what_is_chosen_of_long_arrays_is_gathered_with_a_warning(rows: int, warns: bool) -> None:
    """Its cumulative sum is of no blocks; short arrays are gathered without a word."""
    x = np.arange(float(rows))
    function = ranks.partition(lambda x: np.cumsum(x[x > rows - 9]), ranks.Mesh.simulated(2), P("d"))
    with warnings.catch_warnings(record=True) as record:
        warnings.simplefilter("always", weft.GatherWarning)
        np.testing.assert_array_equal(whole(function(x)), np.cumsum(x[x > rows - 9]))
    told = [str(each.message) for each in record if each.category is weft.GatherWarning]
    assert len(told) == warns
    assert all("at most all of it, is asked for as a whole: 160,000 bytes" in text for text in told)


def test_what_is_chosen_stays_with_the_ranks() -> None:
    function, found = compare(chosen, DATA, 3)
    assert [type(result) for result in found[:2]] == [ranks.ShardedArray] * 2
    assert not {line.kind for line in function._last.ranks[0].messages} & {"all_to_all"}
    x, *others = DATA
    for other in (
        np.where(x > 1, x, -1.0),
        np.sort(x),
        np.full(23, 2.0),
    ):  # ranks that have chosen nothing, or all
        results = function(other, *others)
        for result, wanted in zip(results, chosen(other, *others), strict=True):
            np.testing.assert_allclose(whole(result), wanted, rtol=1e-12)


def test_nothing_chosen_is_numpys_error() -> None:
    function = ranks.partition(lambda x: (x[x > 0].sum(), x[x > 0].max()), ranks.Mesh.simulated(2), P("d"))
    assert function(np.arange(5.0))[1] == 4
    with pytest.raises(
        ValueError, match="zero-size array to reduction operation maximum which has no identity"
    ):
        function(np.zeros(5))


def test_what_needs_all_gets_what_was_chosen() -> None:
    def program(x: Any, y: Any, rows: Any, k: Any) -> Any:
        some = x[x > 0]
        return (
            np.cumsum(some),
            np.median(some),
            np.sort(some),
            some + y[y > y.mean()][:1],
            x[np.nonzero(k)[0] - 1],
        )

    function, _ = compare(program, DATA, 3)
    sent = [message.kind for message in function._last.ranks[0].messages]
    assert "all_gather" in sent


def test_loops_go_on_with_what_was_chosen() -> None:
    def program(x: Any) -> Any:
        total = x[0]
        for _ in range(4):
            total = total / 2 + x[x > total].sum()
        return (total,)

    compare(program, DATA[:1], 3)


def test_long_arrays_are_sorted_by_pairs_of_ranks() -> None:
    x, k = (
        np.random.default_rng(0).normal(size=10_001),
        np.random.default_rng(1).integers(-50, 50, size=10_001),
    )
    x[::1000] = np.nan

    def program(x: Any, k: Any) -> Any:
        values, counts = np.unique(k, return_counts=True)
        middle = np.median(k)
        return np.sort(x), -np.sort(-k), values, counts, middle, np.unique(k * 1j + k)

    with pytest.warns(
        weft.GatherWarning, match="at most all of it, is asked for"
    ):  # how many there are of each
        function, _ = compare(program, (x, k), 3, "always")
    assert "all_gather" not in {message.kind for message in function._last.ranks[0].messages[:6]}


def test_places_of_long_arrays_are_sorted_with_their_elements() -> None:
    k = np.random.default_rng(1).integers(-50, 50, size=(9_001, 1))

    def program(k: Any) -> Any:
        return np.argsort(k, axis=0, kind="stable"), weft.argsort(k, axis=0, descending=True, stable=True)

    function, _ = compare(program, (k,), 3)
    assert {message.kind for message in function._last.ranks[0].messages} == {"send_receive"}


@pytest.mark.parametrize("count", [1, 2, 3, 5, 6, 8, 11])
def test_the_network_sorts(count: int) -> None:
    """What sorts all zeros and ones sorts everything."""
    for number in range(2**count):
        values = [number >> place & 1 for place in range(count)]
        for distance, lower in rounds(count):
            assert lower.isdisjoint(place + distance for place in lower)
            for place in lower:
                pair = sorted((values[place], values[place + distance]))
                values[place], values[place + distance] = pair
        assert values == sorted(values)
