"""Functions that nobody means to write, and people do: what they return, keep, change and ask for."""

from __future__ import annotations

import collections

import numpy as np
import pytest

import weft
from support.differential import check

X = np.arange(6.0).reshape(2, 3)


class TestResults:
    @pytest.mark.parametrize(
        "function",
        [
            lambda x: None,
            lambda x: 5,
            lambda x: [None, "text", b"b", 2**100, 1.5, ..., slice(1, 2), range(3), x.shape, x.dtype, len],
            lambda x: (np.arange(3), np.ones(1000), np.float32(3), np.zeros((0, 2))),
            lambda x: [[[[[(x + 1, {"a": [x]})]]]]],
            lambda x: (x, x[0], x.T, x[:, ::-1], x),
            lambda x: {"b": x + 1, "a": x, 1: x * 2, None: 3},
            lambda x: collections.OrderedDict(b=x + 1, a=x),
            lambda x: [x + i for i in range(100)],
        ],
    )
    def test_what_is_returned_comes_back(self, function):
        check(function, X)

    def test_dicts_keep_their_order(self):
        assert list(weft.function(lambda x: {"b": x + 1, "a": x})(X)) == ["b", "a"]

    def test_one_array_returned_twice_is_one_array(self):
        def twice(x):
            y = x + 1
            return y, [y], y[0], np.ones(2), np.zeros(2)

        first, (second,), row, ones, zeros = weft.function(twice)(X)
        assert first is second
        np.testing.assert_array_equal(row, X[0] + 1)
        np.testing.assert_array_equal((ones, zeros), ([1, 1], [0, 0]))

    def test_an_array_from_outside_is_returned_as_it_is_now(self):
        for table in (np.arange(3.0), np.arange(1000.0)):
            f = weft.function(lambda x: [x, TABLE[0]])
            TABLE[:] = [table]
            f(X)
            table[0] = 7
            assert f(X)[1][0] == 7

    @pytest.mark.parametrize(
        "function",
        [
            lambda x: (value for value in [x + 1]),
            lambda x: map(np.sin, [x]),
            lambda x: [iter([1])],
            lambda x: collections.defaultdict(list, a=x + 1),
            lambda x: collections.deque([x + 1]),
            lambda x: lambda: x + 1,
            lambda x: Holder(x + 1),
        ],
    )
    def test_what_cannot_be_taken_apart_is_refused(self, function):
        with pytest.raises(NotImplementedError, match=r"the result holds a .*; return "):
            weft.function(function)(X)

    def test_generators_and_coroutines_are_refused_when_they_are_decorated(self):
        def generator(x):
            yield x

        async def coroutine(x):
            return x

        for function in (generator, coroutine):
            with pytest.raises(TypeError, match="generators and coroutines run piece by piece"):
                weft.function(function)


TABLE: list[np.ndarray] = []


class Holder:
    def __init__(self, value):
        self.value = value


class TestArraysFromOutside:
    def test_a_small_one_changed_while_tracing_is_read_each_time(self):
        def f(x):
            buffer = np.zeros(3)
            first = x + buffer
            buffer[0] = 5
            return first, x + buffer, x * buffer

        compiled = check(f, np.ones(3))
        compiled(np.ones(3)), compiled(np.ones(3))
        assert compiled.trace_count == 1

    def test_a_large_one_changed_while_tracing_is_refused(self):
        def f(x):
            buffer = np.zeros(3000)
            first = x + buffer
            buffer[0] = 5
            return first + buffer

        with pytest.raises(
            NotImplementedError, match=r"f uses a NumPy array \(f64\[3000\]\).*changes it in Python"
        ):
            weft.function(f)(np.ones(3000))

    @pytest.mark.filterwarnings("ignore:the matrix subclass")
    @pytest.mark.parametrize("make", [np.matrix, np.ma.array])
    def test_arrays_with_rules_of_their_own_are_refused(self, make):
        array = make([[1.0, 2], [3, 4]])
        with pytest.raises(
            TypeError, match=r"argument 'm' is a numpy\.\S+, a kind of numpy.ndarray with rules"
        ):
            weft.function(lambda m: m * 2)(array)
        with pytest.raises(TypeError, match="an array that the function uses is a numpy"):
            weft.function(lambda x: np.multiply(x, array))(np.ones(array.shape))

    def test_attributes_of_memory_say_that_there_is_none(self):
        for name in ("strides", "flags", "ctypes", "base", "data"):
            with pytest.raises(AttributeError, match=f"{name} of an array is not available in compiled code"):
                weft.function(lambda x, name=name: getattr(x, name))(X)
        with pytest.raises(AttributeError, match="no attribute 'foo'"):
            weft.function(lambda x: x.foo)(X)
        assert weft.function(lambda x: hasattr(x, "strides"))(X) is False
