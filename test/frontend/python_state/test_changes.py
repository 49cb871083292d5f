"""What is changed in staged code is changed as in Python: every kind of change in every construct and place."""

from __future__ import annotations

import array
import collections
import types
from collections import OrderedDict
from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np
import pytest

import weft
from weft.dialect.errors import ConcreteValueError, UnsupportedError
from weft.frontend.autograph.operators import OPERATORS

EVENTS: list[Any] = []
TABLE: dict[str, Any] = {"a": 1}


class Registry:
    """Holds what is changed."""

    shared: ClassVar[list[Any]] = []

    def __init__(self) -> None:
        self.items: list[Any] = ["p", "q"]
        self.table = {"a": 1, "b": 2}
        self.members = {"a"}
        self.mark: Any = 1
        self.scale = 2

    def __setitem__(self, key: str, value: Any) -> None:
        self.items.append(key + value)

    def __mul__(self, other: Any) -> Any:
        return self.scale * other + len(self.items)

    def state(self) -> dict[str, Any]:
        return {
            **vars(self),
            "order": list(self.table),
            "events": [*EVENTS],
            "globals": {**TABLE},
            "s": [*self.shared],
        }


def same_effects(function: Callable[..., Any], *values: Any) -> None:
    """Call a function on numbers, eagerly and compiled; results, exceptions and the state after each call agree."""
    found = []
    for called in (function, weft.function(function)):
        EVENTS.clear()
        Registry.shared.clear()
        TABLE.clear()
        TABLE["a"] = 1
        registry, seen = Registry(), []
        for value in values:
            try:
                result = repr(called(np.int64(value), registry))
            except Exception as error:
                result = f"{type(error).__name__.removeprefix('Weft')}: {str(error).splitlines()[0]}"
            seen.append((result, repr(registry.state())))
        found.append(seen)
    assert found[1] == found[0]


def in_branch(x, r):
    if x > 1:
        EVENTS.append("big")
        r.items.insert(0, None)
        r.items.append(len)
        r.shared.append("s")
        r.table["a"] = 7
        TABLE["a"] = 5
    return x


def in_loop(x, r):
    for _ in range(int(x)):
        EVENTS.append("turn")
        r.items[:] = ["w"]
        r.items.append("v")
        r["k"] = "u"
        EVENTS.append("turn")
    return x


def in_while(x, r):
    i = 0
    while i < x:
        r.items += ["z", "y"]
        r.items.sort()
        r.items.remove("p" if i == 0 else "y")
        i += 1
    return x


def in_handler(x, r):
    try:
        if x > 1:
            EVENTS.append("try")
            raise ValueError("v")
    except ValueError:
        r.items.append("caught")
        r.items.pop(0)
    finally:
        EVENTS.append("end")
    return x


def in_helper(x, r):
    def note(text):
        EVENTS.append(text)
        r.mark = None

    if x > 1:
        note("helper")
    return x


def before_a_raise(x, r):
    r.items.append("s")
    r.items.insert(0, x)
    r.table["k"] = 42
    r.members.add("m")
    EVENTS.append(x)
    if x > 1:
        r.mark = None
        raise ValueError("v")
    return x


def before_a_failure(x, r):
    r.items.append(x)
    r.table["k"] = 42
    del r.mark
    return x + np.zeros(3)[7]


def reordered(x, r):
    r.table["a"] = r.table.pop("a")
    r.items.append(list(r.table))
    r.mark = None
    return x


def by_operator(x, r):
    r.scale += 1
    return r * x


def returned_before_finally(x, r):
    log = []
    try:
        if x > 1:
            return log, x
    finally:
        log.append("end")
        r.items.append("end")
    return log, -x


@pytest.mark.parametrize(
    "function",
    [
        in_branch,
        in_loop,
        in_while,
        in_handler,
        in_helper,
        before_a_raise,
        before_a_failure,
        reordered,
        by_operator,
        returned_before_finally,
    ],
)
def test_effects(function: Callable[..., Any]) -> None:
    same_effects(function, 0, 3, 2)


def test_items_of_constants_can_be_looked_for_counted_and_sorted() -> None:
    def f(n):
        found = []
        for i in range(int(n)):
            found.append("big" if i > 2 else "small")
        found.sort()
        return found, "big" in found, found.count("small"), found[1:3]

    for n in (2, 5):
        assert weft.function(f)(np.int64(n)) == f(n)


def test_a_failed_trace_restores_everything() -> None:
    registry, order = Registry(), OrderedDict(a=1, b=2)

    @weft.function
    def f(x):
        registry.mark = x
        order.move_to_end("a")
        del registry.table["a"]
        registry.items.clear()
        return bytes(x)

    before = repr(registry.state())
    with pytest.raises(ConcreteValueError):
        f(np.arange(3))
    assert (repr(registry.state()), list(order)) == (before, ["a", "b"])


def buffer(x):
    made = bytearray(b"a")
    if x > 1:
        made += b"b"
    return made


def class_attribute(x):
    Registry.limit = 3
    return x


def test_what_a_trace_deletes_was_there_before() -> None:
    registry = Registry()

    @weft.function
    def f(x):
        registry.limit = 1.0
        y = x * registry.limit
        del registry.limit
        return y if "limit" not in vars(registry) and not hasattr(registry, "limit") else x * 9

    for _ in range(3):
        registry.limit = 2.0
        np.testing.assert_array_equal(f(np.ones(2)), [1, 1])
        assert "limit" not in vars(registry)
    assert f.trace_count == 1


MODULE = types.ModuleType("some_module")


def module_attribute(x):
    if x > 1:
        del MODULE.limit
    return x


def order_of_keys(x):
    table = {"a": 1, "b": 2}
    if x > 1:
        table["a"] = table.pop("a")
    return table


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (buffer, "made is a bytearray, and changed where compiled code"),
        (class_attribute, "the attribute 'limit' of the class 'Registry' is changed"),
        (module_attribute, "the attribute 'limit' of the module 'some_module' is changed"),
        (order_of_keys, "the order of the keys of table depends on a run-time condition"),
    ],
)
def test_what_cannot_be_changed_is_refused(function: Callable[..., Any], message: str) -> None:
    with pytest.raises(UnsupportedError, match=message):
        weft.function(function)(np.int64(3))


SHARED, NESTED = [1.0, 2.0], [[1.0], [2.0]]


def appends_to_the_argument(a, x):
    a.append(x)
    return len(SHARED)


def appends_to_the_global(a, x):
    SHARED.append(x)
    return len(a)


def writes_into_the_argument(a, x):
    a[0] = x
    return NESTED[0][0]


@pytest.mark.parametrize(
    ("program", "argument"),
    [
        (appends_to_the_argument, SHARED),
        (appends_to_the_global, SHARED),
        (writes_into_the_argument, NESTED[0]),
    ],
)
def test_an_argument_that_is_also_found_elsewhere_is_not_changed(program, argument):
    function, before = weft.function(program), list(argument)
    for _ in range(2):
        with pytest.raises(weft.UnsupportedError, match=r"also found in global (SHARED|NESTED)"):
            function(argument, np.float64(1))
    assert argument == before


def test_an_argument_that_is_only_read_may_be_found_elsewhere():
    calls = []

    def program(a, x):
        calls.append(x)
        return sum(a) + sum(SHARED)

    assert weft.function(program)(SHARED, np.float64(1)) == 6.0


class Environment:
    """What code that runs as it is keeps while it is traced."""

    def __init__(self):
        self.entries = {}


def test_an_object_that_the_trace_makes_is_no_state():
    def repeated(n, body, s):
        for _ in range(n):
            s = body(s)
        return s

    @weft.do_not_convert
    def staged(x, n):
        environment = Environment()
        environment.entries["k"] = x

        @weft.do_not_convert
        def body(s):
            return s + environment.entries["k"]

        y = OPERATORS.call(repeated, n, body, x)
        environment.entries["y"] = y
        return y

    function = weft.function(staged)
    for _ in range(3):
        np.testing.assert_array_equal(function(np.ones(2), np.int64(3)), [4.0, 4.0])
    assert function.trace_count == 1


def remembers(n, memo={}):  # noqa: B006
    if n not in memo:
        memo[n] = n * 2
    return memo[n]


def test_a_default_that_the_function_changes_is_named():
    with pytest.raises(weft.UnsupportedError, match="changes a dict that is the default of a parameter"):
        weft.function(remembers)(np.int64(3))


def own_buffers(x: Any) -> Any:
    sieve = bytearray(b"\1") * 4
    sieve[1:3] = bytearray(2)
    sieve += b"\2"
    numbers = array.array("i", [1, 2]) + array.array("i", [3])
    numbers *= 2
    recent = collections.deque([1]) + collections.deque([2])
    return x + sum(sieve), list(sieve), list(numbers), list(recent), sieve == bytearray(b"\1\0\0\1\2")


def test_what_operators_make_of_own_buffers_is_own() -> None:
    assert weft.function(own_buffers)(1.0) == own_buffers(1.0)


BUFFER = bytearray(b"ab")


def append_to_buffer() -> Any:
    global BUFFER
    BUFFER += b"c"
    return BUFFER


@pytest.mark.parametrize(
    "look",
    [
        lambda: BUFFER == b"ab",
        lambda: BUFFER != b"ab",
        lambda: BUFFER * 2,
        append_to_buffer,
    ],
)
def test_operators_look_at_no_buffers_from_outside(look: Callable[[], Any]) -> None:
    with pytest.raises(UnsupportedError, match="from outside of the compiled function"):
        weft.function(lambda x: (x, look()))(1.0)
    assert bytes(BUFFER) == b"ab"
