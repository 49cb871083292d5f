"""Dates and durations in compiled code beside NumPy's: values, dtypes, NaT, errors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import weft
from support.same_results import assert_same, check

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")  # NumPy's, of NaT

D = np.array(["2020-01-01", "2020-02-29", "NaT", "2021-12-31"], "M8[D]")
S = np.array(["1969-12-31T23:59:59", "NaT", "2000-02-29T12:00", "1582-10-15"], "M8[s]")
H = np.array([1, -2, "NaT", 40], "m8[h]")
MS = np.array([0, 86_400_000, -1, 5], "m8[ms]")
Y = np.array([1, 0, -3, 2], "m8[Y]")
MANY = [D, S, H, MS, Y, np.array([3, -1, 0, 2]), np.array([1.5, np.nan, -2.0, 1e3])]


UFUNCS = [
    *(
        np.add,
        np.subtract,
        np.multiply,
        np.divide,
        np.floor_divide,
        np.remainder,
        np.divmod,
        np.equal,
        np.not_equal,
    ),
    *(np.less, np.greater_equal, np.maximum, np.minimum, np.fmax, np.fmin),
]


@pytest.mark.parametrize("left", range(len(MANY)))
def test_arithmetic_is_numpys_for_every_pair(left: int) -> None:
    """All ufuncs that NumPy has for two dtypes in one function; those that it has not raise as in NumPy."""
    for right in MANY:
        if MANY[left].dtype.kind not in "mM" and right.dtype.kind not in "mM":
            continue
        allowed, refused = [], []
        for ufunc in UFUNCS:
            try:
                ufunc(MANY[left], right)
                allowed.append(ufunc)
            except TypeError:
                refused.append(ufunc)
        if allowed:
            check(lambda x, y, allowed=allowed: [ufunc(x, y) for ufunc in allowed], MANY[left], right)
        for ufunc in refused[:1]:
            with pytest.raises(TypeError):
                weft.function(lambda x, y, ufunc=ufunc: ufunc(x, y))(MANY[left], right)


@pytest.mark.parametrize("kind", ["M8", "m8"])
def test_casts_between_units(kind: str) -> None:
    units = ["Y", "M", "W", "D", "h", "s", "ms", "ns", "2h"]
    ticks = np.array([-(2**63), -400, -13, -1, 0, 1, 12, 59, 1000])
    for unit in units:
        x = ticks.view(f"{kind}[{unit}]")
        wanted = [f"{kind}[{u}]" for u in units if kind == "M8" or (u in "YM") == (unit in "YM")]
        check(lambda x, wanted=wanted: [x.astype(dtype) for dtype in wanted], x)


FUNCTIONS: dict[str, Callable[[Any], Any]] = {
    "order": lambda a: (
        np.sort(a),
        np.argsort(a, kind="stable"),
        a.max(),
        np.min(a),
        np.argmax(a),
        a.argmin(),
    ),
    "sets": lambda a: np.unique(a, return_counts=True, return_inverse=True),
    "steps": lambda a: (np.diff(a), np.ptp(a), a - a[0], np.isnat(a), np.isfinite(a)),
    "moves": lambda a: (
        np.roll(a, 1),
        np.tile(a, 2),
        a[::-1],
        a.reshape(2, 2).T,
        np.take(a, [0, 2]),
        np.stack([a, a]),
    ),
    "joins": lambda a: np.concatenate([a, a[:2].astype("M8[h]" if a.dtype.kind == "M" else "m8[s]")]),
    "choices": lambda a: (
        np.where(np.isnat(a), a[0], a),
        np.clip(a, a[1], a[0]),
        a[a > a[1]],
        np.full_like(a, a[1]),
    ),
    "searches": lambda a: np.searchsorted(np.sort(a), a),
    "numbers": lambda a: (
        a.astype("int64"),
        a.view("i8"),
        a.astype(np.float64) if a.dtype.kind == "m" else 0,
    ),
    "made": lambda a: (np.zeros(2, a.dtype), np.zeros_like(a), np.array([a[1], a[0]]), np.full(2, a[3])),
    "asked": lambda a: (a.shape, a.ndim, a.size, len(a), a.dtype, np.any(a == a[0]), (a == a).all()),
}


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("array", [D, H], ids=["dates", "durations"])
def test_functions(name: str, array: Any) -> None:
    check(FUNCTIONS[name], array)


def test_sums_of_durations() -> None:
    check(
        lambda t: (t.sum(), t[:2].mean(), np.cumsum(t), np.abs(t), -t, t * 2.5, t // np.timedelta64(2, "h")),
        H,
    )
    check(lambda t: (t / np.timedelta64(1, "D"), t % np.timedelta64(7, "h"), t.reshape(2, 2).sum(axis=1)), H)


def latest(days: Any, shifts: Any) -> Any:
    """Branches and loops that carry dates."""
    last = days[0]
    for i in range(len(shifts)):
        if days[i] > last:
            last = days[i]
        last = last + shifts[i].astype("m8[D]")
    return last


def first_after(day: Any, end: Any) -> Any:
    """A loop that the dates decide."""
    number = 0
    while day < end:
        day = day + np.timedelta64(1, "D")
        number += 1
    return day, number


def stored(days: Any) -> Any:
    """Writes to the argument."""
    days[0] = "2000-01-01"
    days[1:3] = days[3]
    days += np.timedelta64(1, "D")
    out = np.zeros(4, "M8[D]")
    for i in range(4):
        out[i] = days[i] - i
    return days, out, f"{days[0]} {days}"


def test_control_flow_and_writes() -> None:
    check(latest, D, H)
    check(first_after, np.datetime64("2020-01-01"), np.datetime64("2020-03-01"))
    check(stored, D)
    check(lambda a, b: a + b, np.datetime64("2020-01-01"), np.timedelta64(36, "h"))


def collected(days: Any, count: Any) -> Any:
    """A list that grows."""
    out = []
    for i in range(count):
        if days[i] > days[0]:
            out.append(days[i] + np.timedelta64(1, "D"))
    return out, len(out), days[3] in days


def test_lists_of_dates_grow() -> None:
    check(collected, D, np.int64(4))


def test_layouts_and_sizes() -> None:
    follow = weft.function(lambda d: (d + 1, d.T, d[::-1]))
    for array in (D, D.astype(">M8[D]"), np.repeat(D, 2)[::2], D[:0], D[:1], D[1:], D[:2].reshape(2, 1)):
        assert_same(follow(array), follow.python_function(array))
    assert follow(D)[1].base is D or np.shares_memory(follow(D)[1], D)


HOLIDAY = np.datetime64("2020-02-29")
CALENDAR = np.array(["2000-01-01"], "M8[D]")


class Clock:
    """Dates as state."""

    def __init__(self) -> None:
        self.now = np.datetime64("2020-01-01")
        self.seen = np.zeros(2, "M8[D]")


def test_constants_and_state() -> None:
    check(lambda d: (d >= HOLIDAY, d - CALENDAR, d > np.datetime64("2020-01-15")), D)
    since = weft.function(lambda d: d - CALENDAR)
    first = since(D)
    CALENDAR[0] += 1
    try:
        assert_same(since(D), D - CALENDAR)
        assert not np.array_equal(since(D), first)
    finally:
        CALENDAR[0] -= 1

    def tick(clock: Any, step: Any) -> Any:
        clock.now = clock.now + step
        return clock.now, clock.seen[0]

    ours, theirs, compiled = Clock(), Clock(), weft.function(tick)
    for hours in (24, 48):
        step = np.timedelta64(hours // 24, "D")
        assert_same(compiled(ours, step), tick(theirs, step))
        assert_same(ours.now, theirs.now)


def test_what_is_not_compiled_is_called_or_refused() -> None:
    with pytest.warns(weft.FallbackWarning, match="is_busday"):
        assert_same(weft.function(lambda d: np.is_busday(d[:2]))(D), np.is_busday(D[:2]))
    with pytest.warns(weft.FallbackWarning, match="datetime_as_string"):
        assert_same(weft.function(lambda d: np.datetime_as_string(d))(D), np.datetime_as_string(D))
    with pytest.raises(weft.UnsupportedError, match=r"np\.arange of dates is not supported"):
        weft.function(lambda d: np.arange(d[0], d[1]))(D)
    with pytest.raises(weft.WeftTypeError, match="Cannot cast NumPy timedelta to datetime"):
        weft.function(stores_durations)(D.copy(), H)
    with pytest.warns(weft.FallbackWarning, match="astype"):  # years are so many days as they are on average
        assert_same(weft.function(lambda t: t.astype("m8[D]"))(Y), Y.astype("m8[D]"))
    clock = Clock()
    clock.seen = clock.seen.astype(">M8[D]")
    with pytest.raises(weft.UnsupportedError, match=r"writes to a NumPy array of dtype >M8\[D\]"):
        weft.function(tick_in_place)(clock)
    with pytest.raises(TypeError, match="value of traced dates"):
        weft.function(lambda d: float(d[0]))(D)


def tick_in_place(clock: Any) -> None:
    """A write to an array that is no argument, and lies in memory as compiled code has none."""
    clock.seen[0] = clock.now


@pytest.mark.parametrize(
    "read",
    [
        lambda d: d - np.datetime64("now"),
        lambda d: d > np.datetime64("Today", "D"),
        lambda d: d.__setitem__(0, "now"),
        lambda d: d - np.array(["now"], "M8[s]"),
    ],
)
def test_the_clock_is_not_read_while_tracing(read: Callable[[Any], Any]) -> None:
    with pytest.raises(weft.UnsupportedError, match="would be the time at which the function is traced"):
        weft.function(read)(D.copy())


def by_class(d: Any) -> Any:
    """Branches by what a value is."""
    if isinstance(d, np.ndarray):
        return d + 1, type(d[0]) is np.datetime64
    return d, isinstance(d, np.generic)


def test_classes_and_comparisons_with_other_values() -> None:
    check(by_class, D)
    check(by_class, D[0])
    check(lambda d: (d == None, d != None, d[0] == None, d[0] == "2020-01-01", d[0] != 1), D)  # noqa: E711


def stores_durations(days: Any, durations: Any) -> None:
    """A mistake."""
    days[0] = durations[0]


@pytest.mark.processor  # learned sizes
def test_loops_over_many_dates_are_recorded_once() -> None:
    def count(days: Any, start: Any) -> Any:
        number, seen = 0, start
        for i, day in enumerate(days):
            if day > seen:
                seen = day
                number += i
        for day, other in zip(days, days[::-1]):  # noqa: B905
            if day == other:
                number += 1
        return number, seen, len(days)

    days = np.arange(np.datetime64("2020-01-01"), np.datetime64("2022-01-01"))
    compiled = weft.function(count)
    for size in (700, 701, 702, 703):
        assert_same(compiled(days[:size], days[3]), count(days[:size], days[3]))
    assert compiled.cache_info().currsize <= 3
    assert compiled.get_concrete_function(days, days[3]).as_text("weft").count("\n") < 200


def test_places_that_may_be_none_and_lists_of_places() -> None:
    def picked(days: Any, numbers: Any) -> Any:
        last, places = None, []
        for i in range(len(numbers)):
            if numbers[i] > 1:
                last = i
                places.append(i)
        return days[:last], days[last], days[places], days[range(2)]

    numbers = np.array([2, 0, 3])
    assert_same(weft.function(picked)(D, numbers), picked(D, numbers))
