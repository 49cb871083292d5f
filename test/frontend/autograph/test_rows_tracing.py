"""What a trace depends on: attributes, globals and closures that change, instances, nested functions, leaks."""

from __future__ import annotations

import gc
import weakref

import numpy as np
import pytest

import weft
from support.behaviour_harness import same

F64, I64 = np.float64, np.int64
SCALE = 1
OFFSET = np.array([1.0, 2.0])


class Box:
    """An object with attributes."""

    def __init__(self, **attributes):
        self.__dict__.update(attributes)


def scaled(x):
    """A helper that reads a global."""
    if x.sum() > 0:
        return x * SCALE
    return x


class TestGuards:
    def test_a_changed_attribute_of_an_argument_is_seen(self):
        @weft.function
        def f(o, x):
            return x * o.scale

        o = Box(scale=1)
        assert f(o, F64(3)) == 3
        o.scale = 2
        assert f(o, F64(3)) == 6
        assert f(o, F64(4)) == 8
        assert f.trace_count == 2

    def test_a_changed_attribute_of_an_attribute_is_seen(self):
        @weft.function
        def f(o, x):
            return x * o.inner.scale if x > 0 else x

        o = Box(inner=Box(scale=1))
        assert f(o, F64(3)) == 3
        o.inner.scale = 2
        assert f(o, F64(3)) == 6
        o.inner = Box(scale=5)
        assert f(o, F64(3)) == 15

    def test_a_changed_global_is_seen(self, monkeypatch):
        @weft.function
        def f(x):
            return x * SCALE

        assert f(F64(3)) == 3
        monkeypatch.setitem(globals(), "SCALE", 2)
        assert f(F64(3)) == 6
        assert f(F64(4)) == 8
        assert f.trace_count == 2

    def test_a_changed_global_of_a_helper_is_seen(self, monkeypatch):
        @weft.function
        def f(x):
            return scaled(x)

        assert f(np.ones(1)) == 1
        monkeypatch.setitem(globals(), "SCALE", 7)
        assert f(np.ones(1)) == 7

    def test_a_changed_closure_is_seen(self):
        scale = 1

        @weft.function
        def f(x):
            return x * scale

        assert f(F64(3)) == 3
        scale = 2
        assert f(F64(3)) == 6
        assert f.trace_count == 2

    def test_a_helper_that_is_replaced_is_seen(self, monkeypatch):
        @weft.function
        def f(x):
            return scaled(x)

        assert f(np.ones(1)) == 1
        monkeypatch.setitem(globals(), "scaled", lambda x: x - 5)
        assert f(np.ones(1)) == -4

    def test_an_array_under_a_global_name_may_be_replaced(self, monkeypatch):
        @weft.function
        def f(x):
            return x + OFFSET

        np.testing.assert_array_equal(f(np.zeros(2)), [1, 2])
        monkeypatch.setitem(globals(), "OFFSET", np.array([5.0, 6.0]))
        np.testing.assert_array_equal(f(np.zeros(2)), [5, 6])
        OFFSET[0] = 9
        np.testing.assert_array_equal(f(np.zeros(2)), [9, 6])

    def test_what_does_not_change_does_not_trace_again(self):
        o = Box(scale=2, other=1)

        @weft.function
        def f(x):
            return x * o.scale + SCALE

        for _ in range(3):
            f(F64(1))
        o.other = 5
        f(F64(1))
        assert f.trace_count == 1


class TestInstances:
    def test_each_instance_has_its_own_trace(self):
        class Model:
            def __init__(self, w):
                self.w = w

            @weft.function
            def predict(self, x):
                return self.w * x if x > 0 else -x

        one, two = Model(2.0), Model(3.0)
        for _ in range(2):
            assert (one.predict(F64(1)), two.predict(F64(1))) == (2, 3)
        assert Model.predict.trace_count == 2

    def test_an_instance_is_not_kept_alive(self):
        class Model:
            @weft.function
            def predict(self, x):
                if x > 0:
                    return x * 2
                return x

        model = Model()
        model.predict(F64(1))
        alive = weakref.ref(model)
        del model
        gc.collect()
        assert alive() is None


class TestNestedFunctions:
    def test_a_decorated_function_inside_another(self):
        @weft.function
        def inner(x):
            if x > 0:
                return x * 2
            return x - 1

        def outer(x, n):
            for _ in range(n):
                x = inner(x)
            return x

        compiled = weft.function(outer)
        for x, n in [(1, 3), (-1, 2), (5, 0)]:
            with weft.eager():
                expected = outer(F64(x), I64(n))
            assert compiled(F64(x), I64(n)) == expected
        assert inner(F64(4)) == 8
        assert (compiled.trace_count, inner.trace_count) == (1, 1)

    def test_recursion_on_a_run_time_value_is_a_call(self):
        def factorial(n):
            if n <= 1:
                return 1
            return n * factorial(n - 1)

        f = same(factorial, *[np.int32(n) for n in (0, 1, 5)], joined=True)
        assert "call @" in f.get_concrete_function(np.int32(5)).as_text("weft")


class TestLeaks:
    def test_a_value_that_leaves_the_trace_says_where_it_was_made(self):
        leaked = []

        @weft.function
        def f(x):
            y = x + 1  # made here
            leaked.extend([y])
            return x

        f(np.ones(2))
        values = [v for v in leaked if not isinstance(v, np.ndarray)]
        for value in values:
            with pytest.raises(weft.LeakedArrayError, match=r"made at .*test_rows_tracing\.py:\d+:\d+"):
                value + 1

    def test_a_value_that_leaves_a_branch_by_an_object(self):
        def f(o, x):
            if x > 0:
                o.last = x * 2
            return x

        same(f, (Box(last=None), F64(1)), (Box(last=F64(5)), F64(-1)), traces=None)
