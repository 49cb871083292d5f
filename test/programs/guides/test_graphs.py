"""Introduction to graphs and tf.function."""

from __future__ import annotations

import numpy as np
import pytest

import weft

F32, I32 = np.float32, np.int32


class TestGraphs:
    def test_a_function_that_uses_a_graph(self):
        def a_regular_function(x, y, b):
            x = x @ y
            x = x + b
            return x

        a_function_that_uses_a_graph = weft.function(a_regular_function)
        x1, y1, b1 = np.array([[1.0, 2.0]]), np.array([[2.0], [3.0]]), np.array(4.0)
        assert a_function_that_uses_a_graph(x1, y1, b1) == a_regular_function(x1, y1, b1) == 12

    def test_inner_functions(self):
        def inner_function(x, y, b):
            x = x @ y
            x = x + b
            return x

        @weft.function
        def outer_function(x):
            y = np.array([[2.0], [3.0]])
            b = np.array(4.0)
            return inner_function(x, y, b)

        np.testing.assert_array_equal(outer_function(np.array([[1.0, 2.0]])), [[12.0]])

    def test_python_becomes_a_graph(self):
        def simple_relu(x):
            if np.greater(x, 0):
                return x
            else:
                return 0

        relu = weft.function(simple_relu)
        assert (relu(I32(1)), relu(I32(-1))) == (1, 0)
        code = weft.autograph.to_code(simple_relu)
        assert "weft_.if_(" in code
        assert "# line " in code
        assert "scf.if" in relu.get_concrete_function(I32(1)).as_text("weft")

    def test_one_function_many_graphs(self):
        @weft.function
        def my_relu(x):
            return np.maximum(F32(0.0), x)

        assert my_relu(F32(5.5)) == 5.5
        np.testing.assert_array_equal(my_relu([1, -1]), [1, 0])
        np.testing.assert_array_equal(my_relu(np.array([3.0, -3.0], F32)), [3, 0])
        count = my_relu.trace_count
        assert my_relu(F32(-2.5)) == 0
        np.testing.assert_array_equal(my_relu(np.array([-1.0, 1.0], F32)), [0, 1])
        assert my_relu.trace_count == count == 3
        signatures = my_relu.pretty_printed_concrete_signatures().split("\n\n")
        assert signatures[0] == "my_relu(x: f32[])\n  returns f32[]"
        assert signatures[2] == "my_relu(x: f32[2])\n  returns f32[2]"


class TestGraphsAndEager:
    def test_run_functions_eagerly(self, capsys):
        @weft.function
        def get_mse(y_true, y_pred):
            print("Calculating MSE!")
            sq_diff = np.power(y_true - y_pred, 2)
            return np.mean(sq_diff)

        y_true, y_pred = np.array([1, 2, 3, 4, 5]), np.array([2, 2, 5, 4, 1])
        compiled = get_mse(y_true, y_pred)
        weft.run_functions_eagerly(True)
        try:
            assert get_mse(y_true, y_pred) == compiled == 4.2
        finally:
            weft.run_functions_eagerly(False)
        for _ in range(3):
            get_mse(y_true, y_pred)
        # A guide's graph prints once, while it is traced: here `print` is part of the function.
        assert capsys.readouterr().out == "Calculating MSE!\n" * 5
        assert get_mse.trace_count == 1

    def test_errors_of_what_is_not_used(self):
        """A guide's graph leaves them out; here compiled code raises as plain Python does."""

        def unused_return(x):
            np.take(x, [1])
            return x

        for run in (unused_return, weft.function(unused_return)):
            with pytest.raises(IndexError):
                run(np.array([0.0]))

    def test_power(self):
        def power(x, y):
            result = np.eye(10, dtype=np.int32)
            for _ in range(y):
                result = x @ result
            return result

        x = np.random.default_rng(0).integers(-1, 2, (10, 10), dtype=np.int32)
        np.testing.assert_array_equal(weft.function(power)(x, 100), power(x, 100))

    def test_when_is_it_tracing(self, capsys):
        @weft.function
        def a_function_with_a_side_effect(x):
            weft.trace_print("Tracing!")
            return x * x + 2

        assert a_function_with_a_side_effect(np.int64(2)) == 6
        assert a_function_with_a_side_effect(np.int64(3)) == 11
        assert capsys.readouterr().out == "Tracing!\n"
        assert [a_function_with_a_side_effect(n) for n in (2, 3, 4, 5)] == [6, 11, 18, 27]
        # A guide's function traces for each number of Python's: here the second one makes it data.
        assert capsys.readouterr().out == "Tracing!\n" * 2
