"""Which arrays native code takes, what it returns, and what it writes."""

from __future__ import annotations

import collections
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import weft
from support.native_calls import F32, Pair, Point, native_calls, ones, runs_natively, same
from weft.backend.cpu.dispatch.objects import is_supported

pytestmark = pytest.mark.skipif(not is_supported(), reason="calls go through Python here")


class TestArrays:
    def test_dtypes_ranks_and_shapes_that_differ(self):
        f = weft.function(lambda x: x + x)
        arrays = [
            ones(),
            ones(1),
            ones(2),
            ones(1, 2),
            ones(2, 1),
            np.ones(2),
            np.ones(2, np.int64),
            ones(0),
            ones(0, 3),
        ]
        arrays.append(np.ones((1,) * 30, F32))
        for _ in range(3):
            for array in arrays:
                same(f(array), array + array)
        assert f.trace_count == len(arrays)
        assert native_calls(f) == len(arrays)

    def test_views_of_arguments_that_are_not_the_first(self):
        compiled = weft.function(lambda x, y: (y[1:], x + 1, y.T))
        x, y = np.zeros(2), np.arange(3.0)
        for _ in range(3):
            tail, _, turned = compiled(x, y)
            assert tail.base is y
            assert turned.base is y
            np.testing.assert_array_equal(tail, [1.0, 2.0])

    def test_layouts_that_machine_code_does_not_take(self):
        f = weft.function(lambda x, y: x * 2 + y)
        base = np.arange(24, dtype=F32).reshape(4, 6)
        buffer = np.zeros(4 * 6 * 4 + 1, np.uint8)
        unaligned = buffer[1:].view(F32).reshape(4, 6)
        unaligned[...] = base
        swapped = base.astype(">f4")
        wide = np.arange(48, dtype=F32).reshape(8, 6)
        other = [base.T.copy().T, wide[::2], base[::-1], unaligned, swapped, np.broadcast_to(F32(3), (4, 6))]
        for _ in range(5):
            for x in other:
                for y in (base, base + 1, np.asfortranarray(base)):
                    same(f(x, y), np.asarray(x, F32) * 2 + y)
        assert f.trace_count == 1
        before = native_calls(f)
        same(f(base, base + 1), base * 3 + 1)
        same(f(wide[::2], base), wide[::2] * 2 + base)
        assert native_calls(f) > before

    def test_read_only_arrays(self):
        x = ones(3)
        x.flags.writeable = False
        assert runs_natively(weft.function(lambda x: x + 1), x)

    def test_subclasses_and_objects_with_arrays(self):
        class Own(np.ndarray):
            pass

        class Holder:
            def __array__(self, dtype=None, copy=None):
                return ones(2)

        f = weft.function(lambda x: x + 1)
        assert runs_natively(f, ones(2))
        for _ in range(4):
            with pytest.raises(TypeError, match="rules of its own"):
                f(ones(2).view(Own))
            with pytest.raises(TypeError, match="rules of its own"):
                f(np.ma.masked_array(ones(2)))
            same(f(Holder()), ones(2) + 1)
        assert not runs_natively(f, np.rec.array(ones(2)).view(np.recarray))

    def test_equal_types_of_other_identity(self):
        f = weft.function(lambda x: x + 1)
        assert runs_natively(f, ones(2))
        other = pickle.loads(pickle.dumps(np.dtype(F32, metadata={"unit": "m"})))
        before = native_calls(f)
        f(np.ones(2, other))
        assert native_calls(f) == before + 1
        assert f.trace_count == 1

    def test_same_array_twice(self):
        f = weft.function(lambda a, b: (a + b, a is b))
        x, y = ones(2), ones(2) * 2
        assert runs_natively(f, x, y)
        assert runs_natively(f, x, x)
        same(f(y, x), (y + x, False))
        same(f(y, y), (y + y, True))
        assert f.trace_count == 2
        many = weft.function(lambda xs: (xs[0] + xs[-1], xs[3] is xs[-1]))
        arrays = [ones(2) * i for i in range(30)]
        assert runs_natively(many, arrays)
        arrays[-1] = arrays[3]
        assert runs_natively(many, arrays)
        assert many(arrays)[1] is True

    def test_numbers_of_an_input_signature(self):
        spec = weft.TensorSpec([], "int64")
        vector = weft.TensorSpec([None], "int64")
        x = np.arange(5)
        for one, other in ((np.int64(3), np.int64(1)), (3, 1), (np.array(3), 1)):
            f = weft.function(lambda x, i, j: x[i] + x[j], input_signature=[vector, spec, spec])
            assert runs_natively(f, x, one, other)
            assert runs_natively(f, x, other, other) or type(one) is not type(other)
        with pytest.raises(weft.WeftTypeError):
            f(x, 3.5, 1)
        with pytest.raises(weft.WeftTypeError, match="must be"):
            f(x, 2**70, 1)
        sums = weft.function(lambda x: x.sum(), input_signature=[vector])
        assert runs_natively(sums, [1, 2])
        with pytest.raises(weft.WeftTypeError, match="must be"):
            sums([1, 2.5])
        given_back = weft.function(lambda x, i: (x, i), input_signature=[weft.TensorSpec([], "float64")] * 2)
        same(given_back(1.5, 2.5), given_back(1.5, 2.5))
        same(given_back(1.5, 2.5)[1], np.array(2.5))
        for mixed in (1, 1.5, np.float64(1), np.array(1.0), True):
            expected = given_back(0.5, mixed)
            same(given_back(0.5, mixed), expected)

    def test_extents_of_an_input_signature(self):
        spec = weft.TensorSpec([None, None], "float32")
        f = weft.function(lambda x, y: x + y, input_signature=[spec, spec])
        for _ in range(4):
            for shape in [(2, 3), (4, 5), (1, 3), (0, 3), (1, 1), (300, 200)]:
                x = np.random.default_rng(0).random(shape, F32)
                same(f(x, x * 2), x + x * 2)
        assert f.trace_count == 3
        assert native_calls(f) >= 12
        with pytest.raises(ValueError, match="could not be broadcast"):
            f(ones(2, 3), ones(2, 4))
        with pytest.raises(TypeError, match="'y' must be"):
            f(ones(2, 3), np.ones((2, 3)))
        same(f([[1.0, 2.0]], ones(1, 2)), F32([[2, 3]]))
        same(f([[1.0, 2.0]], ones(1, 2)), F32([[2, 3]]))


class TestResults:
    @pytest.mark.parametrize(
        "function",
        [
            lambda x: x + 1,
            lambda x: (x + 1, [x + 2, {"k": x + 3, "c": "text"}], None, 5),
            lambda x: np.sum(x),
            lambda x: (np.sum(x), np.sum(x).reshape(()), x[0], np.max(x) > 0),
            lambda x: x,
            lambda x: (x[1:], x.T, x),
            lambda x: Point(x + 1, x),
            lambda x: Pair(np.mean(x), x + 1),
            lambda x: collections.OrderedDict(b=x + 1, a=x),
            lambda x: (x.shape[0], len(x), x.size * 2),
            lambda x: None,
            lambda x: (y := x + 1, y),
            lambda x: (x > 0).any(),
            lambda x: [i for i in x if i > 0],
        ],
    )
    def test_as_by_the_long_way(self, function: Callable[..., Any]):
        assert runs_natively(weft.function(function), F32([3, 1, 2]))

    def test_sizes_that_arguments_decide(self):
        f = weft.function(
            lambda x: (x.shape[0], x.shape[0] > 3, x.shape[0] / 2, x + 1),
            input_signature=[weft.TensorSpec([None], "float32")],
        )
        for _ in range(3):
            for length in (2, 5):
                same(f(ones(length)), (length, length > 3, length / 2, ones(length) + 1))
        assert native_calls(f) >= 3

    def test_large_results(self):
        f = weft.function(lambda x: x + 1)
        x = ones(1 << 18)
        assert runs_natively(f, x)
        kept = [f(x) for _ in range(4)]
        assert all(np.all(result == 2) and result.flags.owndata for result in kept)

    def test_results_are_new_each_time(self):
        f = weft.function(lambda x: ([x + 1], {"a": 1}))
        x = ones(2)
        results = [f(x) for _ in range(4)]
        assert len({id(result[0]) for result in results}) == len({id(result[1]) for result in results}) == 4


class TestWrites:
    def test_arguments_that_are_written(self):
        def f(x: Any, y: Any) -> None:
            x += y

        compiled = weft.function(f)
        x = ones(3)
        assert all(compiled(x, ones(3)) is None for _ in range(4))
        same(x, ones(3) * 5)
        assert native_calls(compiled) == 2

    def test_what_cannot_be_written(self):
        def f(x: Any, y: Any) -> Any:
            x += y
            return x

        compiled = weft.function(f)
        memory = np.zeros(8, F32)
        for _ in range(3):
            compiled(memory[:4], ones(4))
        locked = ones(4)
        locked.flags.writeable = False
        with pytest.raises(ValueError, match="read-only"):
            compiled(locked, ones(4))
        with pytest.raises(ValueError, match="overlap in memory"):
            compiled(memory[:4], memory[2:6])
        before = native_calls(compiled)
        same(compiled(memory[:4], memory[4:]), F32([3, 3, 3, 3]))
        assert native_calls(compiled) == before + 1
        same(compiled(memory[::2], ones(4)), F32([4, 4, 1, 1]))
        same(memory, F32([4, 3, 4, 3, 1, 0, 1, 0]))

    def test_arrays_from_outside_that_arguments_overlap(self):
        outside = ones(300)

        def f(x: Any) -> None:
            x += outside

        compiled = weft.function(f)
        x = ones(300)
        for _ in range(3):
            compiled(x)
        assert native_calls(compiled) == 1
        same(x, ones(300) * 4)
        with pytest.raises(ValueError, match="overlap in memory"):
            compiled(outside[:])
        expected = outside * 2
        compiled(outside)
        same(outside, expected)

    def test_python_state_that_is_written(self):
        class Counter:
            def __init__(self) -> None:
                self.total = ones(2)
                self.seen: list[Any] = []

            @weft.function
            def add(self, x: Any) -> Any:
                self.total = self.total + x
                self.seen.append(x)
                return self.total

        counter = Counter()
        for turn in range(5):
            same(counter.add(ones(2)), ones(2) * (turn + 2))
        assert len(counter.seen) == 5
        assert Counter.add.trace_count <= 2

    def test_many_arrays_that_are_written(self):
        def f(weights: Any, steps: Any) -> None:
            for weight, step in zip(weights, steps, strict=True):
                weight -= step

        compiled = weft.function(f)
        memory = np.zeros(400, F32)
        weights = [memory[4 * i : 4 * i + 4] for i in np.random.default_rng(0).permutation(40)]
        steps = [ones(4) * i for i in range(40)]
        for _ in range(3):
            compiled(weights, steps)
        assert native_calls(compiled) == 1
        for weight, step in zip(weights, steps, strict=True):
            same(weight, -3 * step)
        steps[7] = memory[300:304]
        compiled(weights, [*steps[:8], steps[7][:4], *steps[9:]])  # what is read may overlap
        for overlapping in (memory[2:6], memory[158:162], memory[0:4]):
            with pytest.raises(ValueError, match="overlap in memory"):
                compiled(weights, [*steps[:20], overlapping, *steps[21:]])
            with pytest.raises(ValueError, match="overlap in memory"):
                compiled([*weights[:20], overlapping, *weights[21:]], steps)
        before = native_calls(compiled)
        compiled(weights, steps)
        assert native_calls(compiled) == before + 1

    def test_empty_arrays_that_are_written(self):
        def f(x: Any, y: Any) -> None:
            x += y

        compiled = weft.function(f, input_signature=[weft.TensorSpec([None], "float32")] * 2)
        memory = np.zeros(8, F32)
        for _ in range(3):
            compiled(memory[2:2], memory[:0])
            compiled(memory[:4], memory[4:])
        with pytest.raises(ValueError, match="overlap in memory"):
            compiled(memory[:4], memory[3:7])
        assert native_calls(compiled) >= 2


class TestResultsOfRunTimeSize:
    def test_among_others(self):
        f = weft.function(lambda x: (x.sum(), x[x > 1], x + 1, [np.nonzero(x > 100)[0], x[x > 2]]))
        for x in (np.arange(8.0), np.arange(8.0) * 50, np.zeros(8)):
            assert runs_natively(f, x)
            same(f(x), (x.sum(), x[x > 1], x + 1, [np.nonzero(x > 100)[0], x[x > 2]]))

    def test_arrays_are_the_callers_own(self):
        f = weft.function(lambda x: x[x > 0])
        for size in (8, 1000, 100_000):  # copied, a block of the C library's, a block of the pool
            x = np.ones(size)
            results = [f(x) for _ in range(5)]
            results[0][:] = 7
            assert all(result.flags.owndata and result.base is None for result in results)
            assert all((result == 1).all() and result.shape == (size,) for result in results[1:])
            assert not np.shares_memory(results[3], results[4])

    def test_after_an_error(self):
        @weft.function
        def f(x, i):
            found = x[x > 1]
            return found, found[i]

        x = np.arange(4.0)
        assert runs_natively(f, x, np.int64(1))
        with pytest.raises(IndexError, match="out of bounds"):
            f(x, np.int64(2))
        same(f(x, np.int64(0)), (np.array([2.0, 3.0]), np.float64(2)))


class TestViewsOfArguments:
    def test_are_numpys(self):
        def views(x):
            return x[::-1], x.T, x.ravel(), x[1:, ::2], x[1], x[..., None], x.real, x[3:], x[1, 2, ...]

        f, x = weft.function(views), np.arange(12.0).reshape(3, 4)
        assert runs_natively(f, x)
        for view, expected in zip(f(x), views(x), strict=True):
            same(view, expected)
            assert view.base is expected.base
            assert view.ctypes.data == expected.ctypes.data or not view.size
            for flag in ("C_CONTIGUOUS", "F_CONTIGUOUS", "OWNDATA", "WRITEABLE", "ALIGNED"):
                assert view.flags[flag] == expected.flags[flag], flag

    def test_of_arrays_that_may_not_be_written_and_of_views(self):
        f, whole = weft.function(lambda x: x[1:]), np.arange(9.0)
        part, fixed = whole[3:], np.arange(6.0)
        fixed.flags.writeable = False
        for _ in range(3):
            assert f(part).base is whole
            assert not f(fixed).flags.writeable
            f(part)[0] = 5
        assert whole[4] == 5
        assert native_calls(f) >= 4

    def test_that_other_arrays_lie_in_another_way(self):
        f, x = weft.function(lambda x: x[::-1]), np.arange(12.0)
        for array in (x[:6], x[::2], x[:6], x[::2], x[::2]):
            same(f(array), array[::-1])
            assert f(array).strides == array[::-1].strides
        g, matrix = weft.function(np.diagonal), np.arange(9.0).reshape(3, 3)
        assert runs_natively(g, matrix)
        assert not g(matrix).flags.writeable
