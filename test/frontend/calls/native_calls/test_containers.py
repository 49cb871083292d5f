"""Containers that compiled functions read are compared by native code: never less strictly than by Python."""

from __future__ import annotations

import collections
import copy
import ctypes
import enum
import functools
import gc
import random
import sys
import threading
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import weft
from support.native_calls import native_calls, ones, runs_natively, same
from weft.backend.cpu.dispatch.library import library
from weft.backend.cpu.dispatch.objects import is_supported
from weft.frontend.calls.native_containers import NotPictured, picture_of
from weft.frontend.guards.contents import fingerprint

pytestmark = pytest.mark.skipif(not is_supported(), reason="calls go through Python here")

Point = collections.namedtuple("Point", ["x", "y"])


class Colour(enum.Enum):
    RED = 1
    BLUE = 2


class Plain:
    """An object that is compared by identity."""


class Angry:
    """An object that nobody may compare."""

    def __eq__(self, other: object) -> bool:
        raise RuntimeError("compared")

    __hash__ = object.__hash__


def fits(value: Any, skip: frozenset[tuple[Any, ...]] = frozenset()) -> Callable[[Any], bool]:
    """What tells whether native code takes a container for this one, as it is now."""
    words, kept = picture_of(value, skip)
    memory = (ctypes.c_int64 * len(words))(*words)
    # A function of Python's own kind: it keeps the interpreter's lock.
    compare = ctypes.PYFUNCTYPE(ctypes.c_int64, ctypes.py_object, ctypes.c_void_p)(library().fits_picture)

    def now(other: Any, kept: Any = kept) -> bool:
        answer = compare(other, ctypes.addressof(memory))
        assert answer in (0, 1)
        return bool(answer)

    return now


ARRAY = np.ones(3)
OBJECT = Plain()

# Each with what it is not the same as.
VALUES: list[tuple[Any, list[Any]]] = [
    (1, [2, 1.0, True, "1", np.int64(1), None]),
    (10**30, [10**30 + 1, 1e30]),
    (1.5, [1.25, 1, np.float64(1.5), 1.5 + 0j]),
    (0.0, [-0.0, 0, False]),
    (float("nan"), [0.0, -float("inf")]),
    (1 + 2j, [1 - 2j, 1 + 0j, 1.0]),
    ("text", ["texts", b"text", ""]),
    (b"text", ["text", b"other"]),
    (True, [False, 1, None]),
    (None, [False, 0, ()]),
    (np.float32(1.5), [np.float32(2.5), np.float64(1.5), 1.5]),
    (np.dtype("f4"), [np.dtype("f8"), np.dtype(">f4"), "f4"]),
    (np.float32, [np.float64, float]),
    (Colour.RED, [Colour.BLUE, 1]),
    (ARRAY, [ARRAY.copy(), ARRAY[:]]),
    (OBJECT, [Plain(), Angry(), None]),
    (slice(1, 2), [slice(1, 3), slice(None)]),
    (range(3), [range(4), [0, 1, 2]]),
    ((1, 2), [(1, 3), [1, 2], (1, 2, 3), Point(1, 2), (1, 2.0)]),
    (Point(1, "a"), [Point(2, "a"), (1, "a")]),
    ([1, "a"], [[1, "b"], ["a", 1], [1], (1, "a")]),
    ({"a": 1, 2: "b"}, [{2: "b", "a": 1}, {"a": 1}, {"a": 2, 2: "b"}, {"a": 1, 3: "b"}]),
    ({(1, "a"): 1}, [{(1, "b"): 1}, {(1, "a"): 2}]),
    ({"a", "b"}, [{"a"}, {"a", "c"}, frozenset({"a", "b"}), {"a", "b", "c"}, ["a", "b"]]),
    (frozenset({1}), [frozenset({2}), {1}, frozenset({True}), frozenset()]),
    ([], [(), [[]], {}]),
    ((), [[], ((),)]),
    ({}, [set(), [], {"a": 1}]),
]


@pytest.mark.parametrize(("value", "others"), VALUES, ids=lambda value: type(value).__name__)
def test_one_value(value: Any, others: list[Any]):
    around: list[Callable[[Any], Any]] = [
        lambda entry: [entry],
        lambda entry: (0, entry),
        lambda entry: {"key": entry, "other": 2},
        lambda entry: [[1.0, {"deep": (entry,)}], 3],
    ]
    for wrap in around:
        is_same = fits(wrap(value))
        assert is_same(wrap(value))
        for other in others:
            assert not is_same(wrap(other))
            assert fingerprint(wrap(other)) != fingerprint(wrap(value)) or type(other) is Angry


def test_equal_values_of_other_identity():
    value = [
        int("1000"),
        float("1.5"),
        "".join(["te", "xt"]),
        {"".join(["k", "ey"]): (int("2000"), b"x" * 3)},
    ]
    is_same = fits(value)
    assert is_same(
        [int("1000"), float("1.5"), "".join(["te", "xt"]), {"".join(["k", "ey"]): (int("2000"), b"x" * 3)}]
    )
    nan = [float("nan")]
    assert fits(nan)([float("nan")])


def test_paths_that_are_left_out():
    is_same = fits([1, [2, 3], {"a": 4}], frozenset({(1, 0), (2, "a")}))
    assert is_same([1, [7, 3], {"a": "b"}])
    assert not is_same([1, [7, 4], {"a": "b"}])
    assert not is_same([1, [7, 3], {"b": 4}])
    assert not is_same([1, [7, 3, 0], {"a": 4}])


def test_objects_are_compared_by_identity_and_not_kept():
    one = Plain()
    held = [one, (one, 2)]
    is_same = fits(held)
    assert is_same([one, (one, 2)])
    reference = weakref.ref(one)
    del one, held
    gc.collect()
    assert reference() is None
    assert not is_same([None, (None, 2)])
    assert not is_same([Plain(), (Plain(), 2)])


@pytest.mark.parametrize(
    "value",
    [
        {Plain(): 1},
        {Angry(): 1},
        [{Plain()}],
        [weakref.ref(OBJECT)],
        collections.OrderedDict(a=1),
        [functools.partial(max, 1)],
        [slice(ARRAY, None)],
        functools.reduce(lambda inner, _: [inner], range(200), 1),
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_python_compares(value: Any):
    with pytest.raises(NotPictured):
        picture_of(value)


def test_a_list_that_holds_itself():
    value: list[Any] = [1]
    value.append(value)
    with pytest.raises(NotPictured):
        picture_of(value)


def random_value(chance: random.Random, depth: int) -> Any:
    kinds = [list, tuple, dict, set] if depth else []
    kind = chance.choice([*kinds, int, float, str, bool, None])
    if kind is None:
        return chance.choice([None, ARRAY, OBJECT, Colour.RED, np.float32(chance.randrange(2))])
    if kind is set:
        return {chance.randrange(4) for _ in range(chance.randrange(3))}
    if kind in (list, tuple):
        return kind(random_value(chance, depth - 1) for _ in range(chance.randrange(4)))
    if kind is dict:
        return {chance.choice("abc"): random_value(chance, depth - 1) for _ in range(chance.randrange(4))}
    return kind(chance.randrange(3))


def changed(chance: random.Random, value: Any) -> Any:
    """A container with one thing in it that may be another."""
    if isinstance(value, (list, tuple)) and value:
        entries = list(value)
        place = chance.randrange(len(entries))
        entries[place] = changed(chance, entries[place])
        return type(value)(entries)
    if isinstance(value, dict) and value:
        entries = dict(value)
        place = chance.choice(list(entries))
        entries[place] = changed(chance, entries[place])
        return entries
    return random_value(chance, 1)


def test_random_containers_fit_only_where_fingerprints_are_equal():
    chance = random.Random(0)
    equal = unequal = 0
    for _ in range(3000):
        value = [random_value(chance, 3), random_value(chance, 2)]
        is_same, known = fits(value), fingerprint(value)
        for other in (value, copy.copy(value), changed(chance, value), [random_value(chance, 2), value[1]]):
            if fingerprint(other) == known:
                equal += 1
            else:
                unequal += 1
                assert not is_same(other), (value, other)
        assert is_same(value)
        assert is_same(copy.copy(value))
    assert min(equal, unequal) > 1000


def reader(table: Any) -> Any:
    namespace: dict[str, Any] = {"TABLE": table, "np": np}
    exec("def f(x):\n    return x * TABLE['rows'][1][0] + TABLE['scale']", namespace)
    return weft.function(namespace["f"], autograph=False)


def test_changes_at_every_depth_compile_again():
    table: dict[str, Any] = {
        "rows": [[float(i), (i, "a")] for i in range(600)],
        "scale": 2,
        "names": {"a": {"b": 3}},
    }
    f = reader(table)
    x = ones(2)
    assert runs_natively(f, x)
    changes: list[Callable[[], Any]] = [
        lambda: table["rows"][1].__setitem__(0, 7.0),
        lambda: table["rows"][1].__setitem__(0, 7),
        lambda: table.__setitem__("rows", [[5.0, (0, "a")], [8.0, (0, "a")]]),
        lambda: table.__setitem__("scale", 3.0),
    ]
    for change in changes:
        change()
        same(f(x), (x * table["rows"][1][0] + table["scale"]).astype(x.dtype))
    assert f.trace_count > 1
    assert runs_natively(f, x)


def test_large_tables_run_without_python():
    f = reader({"rows": [[float(i), i] for i in range(2000)], "scale": 2})
    assert runs_natively(f, ones(2))


def test_references_are_given_back():
    row = [1.0, OBJECT, "text" * 3]
    table = {"rows": [row, row], "scale": int("123456"), "set": {"one", "two"}}
    f = reader(table)
    x = ones(2)
    for _ in range(4):
        f(x)
    watched = [
        table,
        table["rows"],
        row,
        row[2],
        OBJECT,
        table["scale"],
        table["set"],
        next(iter(table["set"])),
    ]
    before = list(map(sys.getrefcount, watched))
    calls = native_calls(f)
    for _ in range(1000):
        f(x)
    assert native_calls(f) == calls + 1000
    assert list(map(sys.getrefcount, watched)) == before


def test_a_table_that_threads_change():
    table = {"rows": [[0.0], [1.0]], "scale": 0}
    f = reader(table)
    x = ones(2)
    results: set[float] = set()
    stop = threading.Event()

    def change() -> None:
        while not stop.is_set():
            table["rows"] = [[0.0], [1.0 + (table["rows"][1][0] == 1.0)]]

    f(x)
    table["rows"] = [[0.0], [2.0]]
    f(x)
    thread = threading.Thread(target=change)
    thread.start()
    try:
        for _ in range(2000):
            results.add(float(f(x)[0]))
    finally:
        stop.set()
        thread.join()
    assert results <= {1.0, 2.0}
    same(f(x), x * np.float32(table["rows"][1][0]))


def test_comparisons_that_raise_are_not_run():
    table = {"rows": [[1.0], [2.0]], "scale": 1, "angry": Angry()}
    f = reader(table)
    x = ones(2)
    assert runs_natively(f, x)
    table["angry"] = Angry()
    same(f(x), x * 2 + 1)


class Marked(Point):
    """A named tuple whose objects have attributes, too."""

    def __init__(self, x: Any, y: Any) -> None:
        self.mark = x


def test_named_tuples_keep_their_attributes():
    def f(x: Any, given: Any) -> Any:
        made = Marked(x, 2)
        if x[0] > 0:
            made = Marked(x * 2, 2)
        made.more = x * 2
        return made, given, given.mark + 1

    def told(result: Any) -> str:
        made, given, mark = result
        return repr([type(made), made, vars(made), type(given), given, vars(given), mark])

    function, x, given = weft.function(f), ones(2), Marked(1.0, ones(2))
    for mark in (1.0, 1.0, 3.0):
        given.mark = mark
        assert told(function(x, given)) == told(f(x, given))
    given.more = ones(3)
    assert told(function(x, given)) == told(f(x, given))
