"""weft.TensorArray: the same eagerly and compiled, in loops and branches, errors included."""

from __future__ import annotations

import numpy as np
import pytest

import weft
from support.behaviour_harness import refused, same

F64, I64 = np.float64, np.int64
COUNTS = [I64(n) for n in (0, 1, 3, 20)]


class TestOperations:
    def test_write_stack_and_size(self):
        def f(x):
            ta = weft.TensorArray("float64", size=3)
            for i in range(3):
                ta = ta.write(i, x * i)
            return ta.stack(), ta.size()

        same(f, F64(2), F64(3))

    def test_read_unwritten_and_gather(self):
        def f(x, i):
            ta = weft.TensorArray("float64", size=4, element_shape=(2,), clear_after_read=False)
            ta.write(0, x)
            ta.write(2, x * 2)
            return ta.read(i), ta.read(i), ta.gather([0, 2, 1]), ta.gather(np.array([i, 0]))

        same(f, *[(np.array([1.0, 2.0]), I64(i)) for i in (0, 1, 2)])

    def test_unstack_scatter_split_and_concat(self):
        def f(x):
            one = weft.TensorArray(np.float64, size=4).unstack(x)
            two = weft.TensorArray(np.float64, size=6).scatter([5, 0, 3, 1], x)
            three = weft.TensorArray(np.float64, dynamic_size=True).split(x, [2, 2])
            return one.stack(), two.stack(), three.stack(), one.concat(), three.concat(), three.size()

        same(f, np.arange(12.0).reshape(4, 3))

    def test_scalars_and_python_numbers(self):
        def f(x):
            ta = weft.TensorArray(np.int32, size=2)
            ta.write(0, 7)
            ta.write(1, x)
            return ta.read(1), ta.stack()

        same(f, np.int32(5))

    def test_a_size_that_is_known_at_run_time(self):
        def f(x, n):
            ta = weft.TensorArray(np.float64, size=n, element_shape=())
            for i in range(n):
                ta.write(n - 1 - i, x * i)
            return ta.stack()

        same(f, *[(F64(2), n) for n in COUNTS])

    def test_outside_of_compiled_functions(self):
        ta = weft.TensorArray("float32", size=2)
        assert repr(ta) == "TensorArray(float32, size=2, element_shape=None)"
        assert ta.write(0, np.float32(1)) is ta
        np.testing.assert_array_equal(ta.stack(), np.array([1, 0], np.float32))


class TestControlFlow:
    def test_growing_in_a_staged_loop(self):
        def f(x, n):
            ta = weft.TensorArray(x.dtype, size=0, dynamic_size=True, element_shape=x.shape)
            for i in range(n):
                ta = ta.write(i, x * i)
            return ta.stack(), ta.size()

        same(f, *[(np.arange(3.0), n) for n in COUNTS], joined=True)

    def test_appending(self):
        def f(x, n):
            ta = weft.TensorArray(x.dtype, size=1, dynamic_size=True)
            for i in range(n):
                if i % 2:
                    ta.append(x + i)
                else:
                    ta.append(x * i)
            return ta.size(), ta.append(x * 2), ta.stack()

        same(f, *[(np.arange(2.0), n) for n in COUNTS])
        with pytest.raises(
            IndexError, match="tried to write to index 1, but its size is 1 and it is not dynamic"
        ):
            weft.TensorArray(np.float64, size=1).append(1.0)

    def test_the_shape_is_found_in_the_loop(self):
        def f(x, n):
            ta = weft.TensorArray(x.dtype, dynamic_size=True)
            k = 0
            while k < n:
                ta.write(k, x + k)
                if k % 2 == 0:
                    ta.write(k + 1, x - k)
                else:
                    ta.write(k + 1, x * k)
                k += 2
            ta.write(n + 1, x)
            return ta.stack()

        same(f, *[(np.arange(3.0), n) for n in COUNTS])

    def test_in_a_branch(self):
        def f(x):
            ta = weft.TensorArray(np.float64, size=2)
            if x > 0:
                ta.write(0, x)
            else:
                ta.write(1, x * 2)
            return ta.stack()

        same(f, F64(1), F64(-1))

    @pytest.mark.parametrize("count", [3, 12, 20])
    def test_the_shape_is_found_in_a_branch_of_a_loop_of_any_length(self, count):
        """Short loops are unrolled, long ones are not, and in between both is tried."""

        def f(x):
            ta = weft.TensorArray(np.int32, size=x.shape[0])
            pairs = weft.TensorArray(np.int32, size=0, dynamic_size=True)
            for i in range(x.shape[0]):
                if x[i] > 0:
                    ta = ta.write(i, x[i] ** 2)
                    pairs = pairs.write(i, np.stack([x[i], x[i]]))
                else:
                    ta = ta.write(i, x[i])
                    pairs = pairs.write(i, np.stack([x[i], x[0]]))
            return ta.stack(), pairs.stack()

        same(f, np.arange(count, dtype=np.int32) - count // 2)

    def test_reading_what_was_written_before(self):
        def f(n):
            ta = weft.TensorArray(np.int64, size=0, dynamic_size=True, clear_after_read=False)
            ta.write(0, 0).write(1, 1)
            for i in range(2, n):
                ta.write(i, ta.read(i - 1) + ta.read(i - 2))
            return ta.stack()

        same(f, *COUNTS)

    def test_in_containers_and_attributes(self):
        class State:
            def __init__(self, n):
                self.logs = {"a": weft.TensorArray(np.float64, n, element_shape=()), "n": n}

        def f(x, n):
            state = State(4)
            pair = [state.logs["a"], weft.TensorArray(np.float64, 4)]
            for i in range(n):
                state.logs["a"].write(i, x + i)
                pair[1].write(i, x - i)
            return pair[0].stack(), state.logs["n"]

        same(f, *[(F64(2), I64(n)) for n in (0, 1, 3)])

    def test_as_a_result(self):
        def f(x, n):
            ta = weft.TensorArray(np.float64, size=3, clear_after_read=False)
            ta.write(0, x)
            for i in range(n):
                ta.write(i + 1, x + i)
            return {"log": ta}

        compiled = same(f, *[(F64(2), I64(n)) for n in (0, 1, 2)])
        made = compiled(F64(1), I64(1))["log"]
        assert made.write(2, 5.0).read(2) == 5


class TestErrors:
    @pytest.mark.parametrize("dynamic", [False, True])
    def test_indices(self, dynamic):
        def put(i):
            ta = weft.TensorArray(np.float64, size=2, dynamic_size=dynamic)
            ta.write(i, 1.0)
            return ta.stack()

        def get(i):
            ta = weft.TensorArray(np.float64, size=2, dynamic_size=dynamic, element_shape=())
            return ta.read(i)

        def some(i):
            ta = weft.TensorArray(np.float64, size=2, dynamic_size=dynamic, element_shape=())
            return ta.gather(np.array([i, 0]))

        for function in (put, get, some):
            same(function, *[I64(i) for i in (0, 1, 2, 7, -1)])

    def test_writing_twice(self):
        def f(i):
            ta = weft.TensorArray(np.float64, size=3)
            ta.write(0, 1.0)
            ta.write(i, 2.0)
            return ta.stack()

        same(f, I64(0), I64(1))

    def test_reading_twice(self):
        def f(i):
            ta = weft.TensorArray(np.float64, size=3)
            ta.write(0, 1.0)
            first = ta.read(0)
            return first + ta.read(i)

        same(f, I64(0), I64(1))

    def test_in_loops(self):
        def f(n):
            ta = weft.TensorArray(np.float64, size=3)
            for i in range(n):
                ta.write(i, 1.0)
            for i in range(n):
                ta.write(i // 2 + 2, 1.0)
            return ta.stack()

        same(f, *[I64(n) for n in (0, 1, 2, 3, 4)])

    def test_what_is_known_while_tracing(self):
        def dtype(x):
            return weft.TensorArray(np.int64, 2).write(0, x).stack()

        def shape(x):
            return weft.TensorArray(np.float64, 2, element_shape=(2,)).write(0, x).stack()

        def unknown(x):
            return weft.TensorArray(np.float64, 2).stack() + x

        def lengths(x):
            return weft.TensorArray(np.float64, 2).split(np.arange(3.0), [1, 2]).stack()

        def total(x):
            return weft.TensorArray(np.float64, 2).split(np.arange(3.0), [1, 1]).stack()

        def flat(x):
            return weft.TensorArray(np.float64, 1).write(0, x).concat()

        cases = {
            dtype: "an entry is float64, but its dtype is int64",
            shape: r"an entry has the shape \(\), but its element_shape is \(2,\)",
            unknown: "stack needs to know the shape of the entries",
            lengths: r"split needs equal lengths, not \[1, 2\]",
            total: r"the lengths \[1, 1\] of split do not add up to 3",
            flat: "concat needs entries with an axis",
        }
        for function, message in cases.items():
            for run in (function, weft.function(function)):
                with pytest.raises((TypeError, ValueError), match=message):
                    run(F64(1))
        with pytest.raises(
            ValueError, match=r"the extents of element_shape are whole numbers .* not \[None, 3\]"
        ):
            weft.TensorArray(np.float64, 1, element_shape=[None, 3])
        with pytest.raises(ValueError, match="the size is -1"):
            weft.TensorArray(np.float64, -1)

    def test_from_outside(self):
        outside = weft.TensorArray(np.float64, 3)

        def f(x):
            outside.write(0, x)
            return x

        refused(f, F64(1), match="a TensorArray is used where it was not made")

    def test_entries_whose_size_is_unknown(self):
        def f(x, n):
            return weft.TensorArray(np.float64, 3).write(0, x[:n]).stack()

        refused(f, np.arange(3.0), I64(2), match="the shape of an entry must be known")
