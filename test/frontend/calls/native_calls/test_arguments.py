"""What arguments native code takes, and what it leaves to Python."""

from __future__ import annotations

import collections
import dataclasses
import datetime
import decimal
import enum
import fractions
import functools
import re
import types
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import weft
from support.native_calls import F32, Pair, Point, native_calls, ones, runs_natively, same
from weft.backend.cpu.dispatch.objects import is_supported

pytestmark = pytest.mark.skipif(not is_supported(), reason="calls go through Python here")


class Colour(enum.Enum):
    RED = 2
    BLUE = 3


@dataclasses.dataclass
class Slotted:
    __slots__ = ("left",)
    left: Any


@dataclasses.dataclass(frozen=True)
class Frozen:
    left: Any


@dataclasses.dataclass
class Computed:
    left: Any

    @property
    def half(self) -> Any:
        return self.left / 2

    def __getattribute__(self, name: str) -> Any:
        return object.__getattribute__(self, name)


class Number(int):
    """An integer of a class of its own."""


class Text(str):
    """A string of a class of its own."""


def unusual_values() -> list[Any]:
    """Objects that few functions get."""
    return [
        collections.OrderedDict(), collections.OrderedDict(a=1, b=ones(2)), Slotted(ones(2)), Frozen(3), Computed(2.0),
        Number(5), Text("t"), fractions.Fraction(1, 3), decimal.Decimal("1.5"), datetime.date(2020, 1, 1), object(),
        functools.partial(len), np, lambda: 1, np.random.default_rng(0), bytearray(b"b"), {1, 2},
        Number, enum.IntEnum("Small", "ONE").ONE, collections.deque([1]), collections.Counter("ab"), re.compile("a"),
        collections.defaultdict(int), types.SimpleNamespace(a=1), float.fromhex("0x1p-1074"), NotImplemented,
    ]  # fmt: skip


class TestArguments:
    @pytest.mark.parametrize(
        "dtype", ["?", "b", "B", "h", "H", "i", "I", "l", "L", "q", "Q", "e", "f", "d", "F", "D"]
    )
    def test_every_dtype_as_array_and_scalar(self, dtype: str):
        f = weft.function(lambda x, y: (x, weft.where(x, y, y)))
        array = np.array([0, 1, 2], dtype)
        assert runs_natively(f, array, array.copy())
        assert runs_natively(f, array, array[1])
        assert runs_natively(f, array[1], array[2])
        assert runs_natively(f, array[1], np.array(array[1]))
        assert f.trace_count == 4

    def test_bfloat16(self):
        import ml_dtypes

        f = weft.function(lambda x, y: x + y)
        x = np.arange(3).astype(ml_dtypes.bfloat16)
        assert runs_natively(f, x, x[2])
        assert runs_natively(weft.function(lambda x: np.sum(x)), x)

    @pytest.mark.parametrize(
        "value",
        [
            0, 1, -1, 1 << 40, 10**30, True, False, None, 0.0, -0.0, 1.5, float("inf"), float("nan"), 2j, "s", "ß" * 9,
            b"bytes", slice(1, None), range(3), Colour.RED, np.dtype("f4"), np.float32, int, len, (1, 2.0), [None],
            {"a": 1}, frozenset([1]), Point(1, 2), ..., Pair(1, "x"),
        ],
        ids=repr,
    )  # fmt: skip
    def test_constants(self, value: Any):
        f = weft.function(lambda x, c: (x + 1, c))
        assert runs_natively(f, ones(2), value)
        assert f.trace_count == 1

    @pytest.mark.parametrize("value", unusual_values(), ids=lambda value: type(value).__name__)
    def test_unusual_constants(self, value: Any):
        f = weft.function(lambda x, c: (x + 1, c))
        for _ in range(5):
            result = f(ones(2), value)
            assert result[1] is value or type(result[1]) is type(value)
        assert f.trace_count == 1
        assert native_calls(f) > 0 or isinstance(value, (collections.OrderedDict, Slotted, Computed))

    def test_numbers_are_told_apart(self):
        f = weft.function(lambda x, n: (x + 1, repr(n)))
        numbers = [1, 1.0, True, 0, 0.0, -0.0, False, 1 + 0j, complex(1, -0.0), 0j, "1", b"1", None]
        for number in numbers:
            assert runs_natively(f, ones(1), number)
        for number in numbers:
            before = native_calls(f)
            assert f(ones(1), number)[1] == repr(number)
            assert native_calls(f) == before + 1
        assert f.trace_count == 11  # two for all numbers of a type

    @pytest.mark.parametrize(
        "make",
        [
            lambda x: [x, x + 1],
            lambda x: (x, [x + 1, (x + 2,)]),
            lambda x: {"b": x, "a": [x + 1], 3: x + 2},
            lambda x: Point(x, {"k": x + 1}),
            lambda x: Pair(x, Pair(x + 1, 3)),
            lambda x: [],
            lambda x: {},
            lambda x: [x] * 3,
            lambda x: [x + i for i in range(40)],
        ],
    )
    def test_trees(self, make: Callable[[Any], Any]):
        def f(tree: Any, y: Any) -> Any:
            return tree, y + 1

        compiled = weft.function(f)
        for _ in range(2):
            assert runs_natively(compiled, make(ones(3)), ones(2))
        assert compiled.trace_count == 1

    def test_other_containers_are_other_signatures(self):
        f = weft.function(lambda t: t["a"] - t["b"] if isinstance(t, dict) else t[0] - t[1])
        a, b = ones(2), ones(2) * 3
        trees = [
            [a, b],
            (a, b),
            Point(a, b),
            {"a": a, "b": b},
            [b, a],
            [a, b, a + 1],
            [a, a],
            {"a": a, "b": b, "c": a},
        ]
        for _ in range(3):
            for tree in trees:
                first, second = (tree["a"], tree["b"]) if isinstance(tree, dict) else tree[:2]
                same(f(tree), first - second)
        assert f.trace_count == 7
        same(f({"b": b, "a": a}), a - b)
        assert f.trace_count == 8, "the order of a dict can be seen"

    def test_attributes_that_come_and_go(self):
        f = weft.function(lambda p: p.left * 2 + getattr(p, "more", 0))
        pair = Pair(ones(2), None)
        assert runs_natively(f, pair)
        pair.more = 5
        same(f(pair), ones(2) * 7)
        del pair.more
        same(f(pair), ones(2) * 2)
        assert f.trace_count == 2

    def test_keywords_defaults_and_further_arguments(self):
        @weft.function
        def f(a, /, b, c=3, *rest, d, e=5):
            return a * b + c * d + e + sum(rest)

        x, y = ones(2), ones(2) * 4
        assert runs_natively(f, x, y, d=2)
        assert runs_natively(f, x, b=y, d=2)
        assert runs_natively(f, x, d=2, b=y, c=3)
        assert f.trace_count == 1
        assert runs_natively(f, x, y, 3, x + 1, x + 2, d=2, e=6)
        assert runs_natively(f, x, y, 3, x + 1, d=2, e=6)
        assert f.trace_count == 3
        for wrong in [
            ((), {}),
            ((x,), {"d": 2}),
            ((x, y), {"d": 2, "b": y}),
            ((x, y), {"d": 2, "z": 1}),
            ((x, y), {}),
        ]:
            with pytest.raises(TypeError):
                f(*wrong[0], **wrong[1])
        with pytest.raises(TypeError):
            f(a=x, b=y, d=2)

    def test_names_that_are_not_interned(self):
        f = weft.function(lambda some_name: some_name + 1)
        assert runs_natively(f, some_name=ones(1))
        name = "".join(["some", "_", "name"])
        same(f(**{name: ones(1)}), ones(1) + 1)

    def test_further_keywords(self):
        f = weft.function(lambda x, /, *, z=1, **more: (x * z + sum(more.values()), more))
        assert runs_natively(f, ones(1))
        assert runs_natively(f, ones(1), y=2)
        assert runs_natively(f, ones(1), y=2, z=3, x=ones(1) * 5)
        assert runs_natively(f, ones(1), x=ones(1) * 5, z=3, y=2)
        assert runs_natively(f, ones(1), **{"".join(["y", "y"]): [ones(1)][0]})
        assert f.trace_count == 5
        for _ in range(3):
            same(f(ones(1), y=2), (ones(1) + 2, {"y": 2}))
            same(f(ones(1), q=2), (ones(1) + 2, {"q": 2}))
        with pytest.raises(TypeError):
            f(x=ones(1))

    def test_further_arguments_and_keywords_are_told_apart(self):
        f = weft.function(lambda x, *rest, **more: (x + 1, len(rest), list(more)))
        for _ in range(3):
            same(f(ones(1), "y", ones(1) * 2), (ones(1) + 1, 2, []))
            same(f(ones(1), y=ones(1) * 2), (ones(1) + 1, 0, ["y"]))

    def test_many_arguments(self):
        names = [f"a{i}" for i in range(200)]
        namespace: dict[str, Any] = {}
        exec(f"def f({', '.join(names)}): return {' + '.join(names)}", namespace)
        f = weft.function(namespace["f"], autograph=False)
        arrays = [ones(2) * i for i in range(200)]
        assert runs_natively(f, *arrays)
        assert runs_natively(f, **dict(zip(names, arrays, strict=True)))
        same(f(*arrays), sum(arrays, np.zeros(2, F32)))

    def test_more_values_than_fit_go_the_long_way(self):
        f = weft.function(lambda xs, c: xs[0] + xs[-1])
        arrays = [ones(1) for _ in range(3)]
        assert not runs_natively(f, arrays, list(map(str, range(5000))))

    def test_no_arguments(self):
        assert runs_natively(weft.function(lambda: weft.arange(3)))
