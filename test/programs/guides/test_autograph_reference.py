"""The reference of AutoGraph: control flow, functions, errors, limitations; most of these limitations are none here."""

from __future__ import annotations

import dataclasses
import warnings

import numpy as np
import pytest

import weft

I64 = np.int64


class TestControlFlow:
    def test_both_paths_are_traced(self, capsys):
        @weft.function
        def f(x):
            weft.trace_print("before if")
            if x:
                weft.trace_print("true branch")
            else:
                weft.trace_print("false branch")
            weft.trace_print("after if")

        f(np.bool_(True))
        assert capsys.readouterr().out.split("\n")[:-1] == [
            "before if",
            "true branch",
            "false branch",
            "after if",
        ]
        f(True)  # of Python: a constant
        assert capsys.readouterr().out.split("\n")[:-1] == ["before if", "true branch", "after if"]

    def test_compound_symbols(self):
        class A:
            b = 0

        @weft.function
        def f(a, x):
            a.b = x
            if a.b < 0:
                a.b = -a.b
            return a.b

        a = A()
        assert (f(a, I64(-3)), a.b) == (3, 3)

    def test_loops_over_arrays_and_ranges(self, capsys):
        @weft.function
        def f(x):
            for i in x:
                print("iteration:", i)
            for i in weft.range(2):
                print("range:", i)
            for i in [1, 2]:
                print("list:", i)

        f(np.array(((1, 2), (3, 4))))
        assert capsys.readouterr().out.splitlines() == [
            *("iteration: [1 2]", "iteration: [3 4]", "range: 0", "range: 1", "list: 1", "list: 2")
        ]

    def test_loops_over_data_sets(self, capsys):
        @weft.function
        def f(pipeline):
            for i in pipeline:
                print("iteration:", i)
                if i >= 1:
                    break

        f(weft.data.Dataset.range(3))
        assert capsys.readouterr().out == "iteration: 0\niteration: 1\n"

    def test_break_in_a_loop_of_python(self):
        """In a guide an error: a loop of Python's that an array ends."""

        @weft.function
        def while_true(x):
            while True:
                if np.equal(x, 0):
                    break
                x -= 1
            return x

        @weft.function
        def in_range(x):
            found = 0
            for i in range(3):
                if i > x:
                    break
                found = i
            return found

        assert while_true(I64(5)) == 0
        assert in_range(I64(1)) == 1

    def test_return_of_one_path(self):
        """In a guide an error: "a value must also be returned from the else branch"."""

        @weft.function
        def f(x):
            if x > 0.5:
                return 1

        assert (f(np.float64(1)), f(np.float64(0))) == (1, None)

    def test_return_in_a_loop(self):
        @weft.function
        def f(i):
            while i < 10:
                if i > 3:
                    return i * 2
                i += 1
            return -1

        assert [f(I64(i)) for i in (0, 7, 10)] == [8, 14, -1]


class TestLimitations:
    def test_values_that_are_none_or_undefined(self):
        @weft.function
        def nothing(x):
            if x > 0.5:
                y = x * 2
            else:
                y = None
            return y

        @weft.function
        def undefined(x):
            while x > 0.5:
                y = x
                x = x - 1
            return y

        assert (nothing(np.float64(1)), nothing(np.float64(0))) == (2.0, None)
        assert undefined(np.float64(2)) == 1.0
        with pytest.raises(UnboundLocalError, match="'y'"):
            undefined(np.float64(0))

    def test_changes_in_functions_and_methods(self):
        @dataclasses.dataclass
        class State:
            y: int = 0

            def change(self):
                self.y += 1

        @weft.function
        def f(x, state):
            total = 0

            def change():
                nonlocal total
                total += x

            while x > 0:
                change()
                state.change()
                x = x - 1
            return total

        state = State()
        assert f(I64(4), state) == 10
        assert state.y == 4

    def test_tensor_arrays_without_assignment(self):
        @weft.function
        def f(x):
            ta = weft.TensorArray(np.int64, size=0, dynamic_size=True)

            def change(ta):
                ta.write(ta.size(), x)

            while x > 0:
                change(ta)
                x = x - 1
            return ta.stack()

        np.testing.assert_array_equal(f(I64(3)), [3, 2, 1])

    def test_variables_of_closures(self, capsys):
        @weft.function
        def f(n):
            a = 0
            show = lambda: print(a)  # noqa: E731  (a guide's shows 0)
            for i in range(n):
                a = i
            show()

        f(I64(3))
        assert capsys.readouterr().out == "2\n"

    def test_lists_that_grow(self):
        @weft.function
        def f(n):
            items = []
            for i in range(n):
                items.append(i + 1)
            return items

        assert f(I64(4)) == [1, 2, 3, 4]

    def test_keys_that_are_no_constants(self):
        @weft.function
        def f(x):
            d = {"a": x}
            for i in range(10):
                for key in d:
                    d[key] += i
            return d

        assert f(I64(3)) == {"a": 48}

    def test_static_shapes_behind_a_test(self):
        def f(x):
            return x[4] if x.shape[0] > 4 else -1

        assert weft.function(f)(np.arange(3)) == -1
        sized = weft.function(f, input_signature=[weft.TensorSpec([None], "int64")])
        assert (sized(np.arange(3)), sized(np.arange(6))) == (-1, 4)

    def test_dtypes_of_paths(self):
        """In a guide an error: paths that leave another dtype."""

        @weft.function
        def f(x):
            y = np.int32(1)
            if x > 0:
                y = np.float32(1)
            return y

        for x, kind in ((1.0, np.float32), (-1.0, np.int32)):
            assert type(f(np.float64(x))) is kind

    def test_shapes_of_iterations(self):
        @weft.function
        def f(n):
            x = np.ones(1)
            for _ in range(n):
                x = np.concatenate([x, x])
            return x

        assert [len(f(I64(n))) for n in (0, 1, 5)] == [1, 2, 32]

    def test_lambdas_of_equal_signatures(self):
        outer = weft.function(lambda x: (lambda x: x + 1)(x * 2))
        assert outer(I64(3)) == 7


class TestErrors:
    def test_the_line_of_a_mistake(self):
        @weft.function
        def f(x):
            return x.reshape(5)

        with pytest.raises(ValueError, match="reshape") as caught:
            f(np.zeros(3))
        assert "return x.reshape(5)" in "\n".join(getattr(caught.value, "__notes__", [str(caught.value)]))

    def test_assertions_at_run_time(self):
        @weft.function
        def my_function(x):
            assert x > 1.0, "example error"

        my_function(np.float64(2))
        with pytest.raises(AssertionError, match="example error"):
            my_function(np.float64(0))

    def test_exceptions_of_a_class_of_ones_own(self):
        """A guide's would be a StagingError."""

        class Custom(Exception):
            def __init__(self, code, text):
                super().__init__(f"{text} ({code})")
                self.code = code

        @weft.function
        def f(x):
            if x < 0:
                raise Custom(3, "negative")
            return x

        with pytest.raises(Custom, match=r"negative \(3\)") as caught:
            f(np.float64(-1))
        assert caught.value.code == 3

    def test_without_autograph(self):
        @weft.function(autograph=False)
        def f(x):
            return x if x > 0 else -x

        with pytest.raises(TypeError, match=r"the truth of an array .* needs the value of a traced array"):
            f(np.float64(1))

    def test_generators_are_converted(self):
        """In a guide a warning."""

        def example_generator(n):
            i = 0
            while i < n:
                yield i
                i += 1

        @weft.function
        def f(n):
            total = 0
            for i in example_generator(n):
                total += i
            return total

        assert f(I64(5)) == 10

    def test_large_unrolled_loops_are_announced(self):
        @weft.function
        def f(x):
            for i in weft.unroll(range(40)):
                x = np.sin(x) * i
            return x

        with weft.settings.scope(unrolled_ops_warning=50), warnings.catch_warnings():
            warnings.simplefilter("error")
            with pytest.raises(weft.UnrollingWarning, match="the loop in f is unrolled"):
                f(np.float64(1))


class TestFunctions:
    def test_nested_functions_and_what_they_return(self):
        @weft.function
        def f(x, n):
            def power(k):
                result = x
                for _ in range(k):
                    result = result * x
                return result

            return power(n) + power(1)

        assert f(np.float64(2), I64(3)) == 20.0

    def test_intro(self):
        def f(x):
            if x > 0:
                return x
            return -x

        assert weft.autograph.convert(f)(3) == f(3) == 3
        assert weft.function(f)(np.array(-3)) == 3
