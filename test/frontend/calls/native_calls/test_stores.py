"""What compiled functions change besides arrays is stored by native code, as Python would."""

from __future__ import annotations

import dataclasses
import gc
import sys
import types
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import weft
from support.native_calls import native_calls, same
from weft.backend.cpu.dispatch.objects import is_supported

pytestmark = pytest.mark.skipif(not is_supported(), reason="calls go through Python here")


@dataclasses.dataclass
class Counter:
    count: int
    mean: float


def swap(numbers: Any) -> Any:
    numbers[0], numbers[-1] = numbers[-1], numbers[0]
    return numbers[1]


def insertion(numbers: Any) -> Any:
    for i in range(1, len(numbers)):
        for j in range(i, 0, -1):
            if numbers[j] < numbers[j - 1]:
                numbers[j], numbers[j - 1] = numbers[j - 1], numbers[j]


def grid(rows: Any) -> Any:
    for i in range(1, 3):
        for j in range(2):
            rows[i][j] += min(rows[i - 1][j], rows[i][0])
    return rows[-1][-1]


def total(values: Any) -> Any:
    values["total"] = values["a"] + values["b"]
    values["a"] = values["a"] / 2
    return values["total"] > 3


def appended(numbers: Any) -> Any:
    numbers.append(numbers[0] * 2)


def reversed_in_place(numbers: Any) -> Any:
    numbers.reverse()
    numbers.pop()


def mean(counter: Any, x: Any) -> Any:
    counter.mean = (counter.mean * counter.count + x) / (counter.count + 1)
    counter.count += 1


def arrays(arrays: Any) -> Any:
    arrays[1] = arrays[0] + arrays[1]
    return arrays[1]


CASES: list[tuple[Callable[..., Any], Callable[[int], tuple[Any, ...]]]] = [
    (swap, lambda call: ([3 + call, 4 - call, 5 * call],)),
    (swap, lambda call: ([3.5 + call, -0.0 * call, 5.25 * call],)),
    (swap, lambda call: ([1j + call, 4 - 2j * call, 5j * call],)),
    (swap, lambda call: ([np.float32(call), np.float32(2), np.float32(3)],)),
    (insertion, lambda call: ([(7 * i + 3 * call) % 11 for i in range(5)],)),
    (grid, lambda call: ([[3 + call, 1], [2, 5 - call], [call, 7]],)),
    (total, lambda call: ({"a": 2.0 + call, "b": 1.5 * call},)),
    (appended, lambda call: ([3 + call, 1 - call],)),
    (reversed_in_place, lambda call: ([3 + call, 1 - call, 7],)),
    (mean, lambda call: (Counter(3 + call, 1.5), np.float64(call))),
    (arrays, lambda call: ([np.ones(2), np.full(2, call + 1.0)],)),
]


@pytest.mark.parametrize(("function", "arguments"), CASES)
def test_arguments(function: Callable[..., Any], arguments: Callable[[int], tuple[Any, ...]]):
    f = weft.function(function)
    for call in range(12):
        given, expected = arguments(call), arguments(call)
        before = native_calls(f)
        result = f(*given)
        same(result, function(*expected))
        for one, other in zip(given, expected, strict=True):
            same(one, other)
    assert native_calls(f) == before + 1


def test_a_list_that_is_given_twice_is_refused():
    def both(one: Any, other: Any) -> None:
        one[0] += other[0]

    f = weft.function(both)
    for call in range(10):
        f([call, 1], [call + 1, 2])
    numbers = [1, 2]
    with pytest.raises(weft.UnsupportedError, match="hold one list twice"):
        f(numbers, numbers)
    assert numbers == [1, 2]
    f([1, 2], [3, 4])


COUNT = 0


def changing() -> tuple[Callable[[Any], Any], Callable[[], Any]]:
    """A function that changes state of several kinds, and what that is."""
    seen = 0.0
    state = types.SimpleNamespace(count=0, best=0.0, table={"sum": 0.0}, history=[0.0, 0.0])

    def f(x: Any) -> Any:
        global COUNT
        nonlocal seen
        COUNT += 1
        state.count += 1
        state.best = x[0] + state.best
        state.table["sum"] = state.table["sum"] + x[1]
        state.history[1] = state.history[0] + x[0]
        seen = seen + x[0]
        return x * 2

    return f, lambda: (seen, vars(state), COUNT)


def test_state_outside():
    global COUNT
    plain, expected = changing()
    f, found = changing()
    compiled = weft.function(f)
    for call in range(40):
        x = np.array([call + 0.5, 2.0])
        before = native_calls(compiled)
        same(compiled(x), plain(x))
        COUNT -= 1
        same(found(), expected())
    assert native_calls(compiled) == before + 1


def test_references_are_given_back():
    f = weft.function(swap)
    for call in range(8):
        f([call + 0.5, 1.0, 2.0 * call])
    numbers = [0.5, 1.0, 2.5]
    calls = native_calls(f)
    before = sys.getrefcount(numbers), sys.getrefcount(numbers[1])
    for _ in range(1000):
        f(numbers)
    assert native_calls(f) == calls + 1000
    assert (sys.getrefcount(numbers), sys.getrefcount(numbers[1])) == before
    assert [sys.getrefcount(each) for each in (numbers[0], numbers[2])] <= [4, 4]


def test_what_is_replaced_goes_away():
    f = weft.function(arrays)
    for call in range(8):
        f([np.ones(2), np.full(2, float(call))])
    old = np.ones(2)
    reference = weakref.ref(old)
    given = [np.ones(2), old]
    del old
    calls = native_calls(f)
    result = f(given)
    assert native_calls(f) == calls + 1
    gc.collect()
    assert reference() is None
    assert given[1] is result


def test_stores_that_raise():
    class Strict:
        __slots__ = ("values",)

        def __init__(self) -> None:
            self.values = {"a": 1.0}

    holder = Strict()

    def f(x: Any) -> Any:
        holder.values["a"] = holder.values["a"] + x[0]
        return x

    compiled = weft.function(f)
    for _ in range(10):
        compiled(np.ones(2))
    assert holder.values == {"a": 11.0}
    holder.values = types.MappingProxyType({"a": 1.0})  # type: ignore[assignment]
    with pytest.raises(TypeError):
        compiled(np.ones(2))
