"""What a tape is asked by: variables that are trained or not, values inside of the block, items of a batch."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import weft

X = np.array([2.0, 3.0])


def same(got: Any, expected: Any) -> None:
    """Compare gradients, None among them."""
    if isinstance(expected, (list, tuple)):
        assert len(got) == len(expected)
        for one, other in zip(got, expected, strict=True):
            same(one, other)
    elif expected is None:
        assert got is None
    else:
        np.testing.assert_allclose(got, expected, rtol=1e-12)


def both(program: Callable[..., Any], expected: Any, *arguments: Any) -> None:
    """Run a program in plain Python and compiled."""
    same(program(*arguments), expected)
    same(weft.function(program)(*arguments), expected)


class TestVariables:
    def test_those_that_are_not_trained_are_constants(self) -> None:
        w, fixed, unread = weft.Variable(3.0), weft.Variable(2.0, trainable=False), weft.Variable(1.0)

        def program() -> Any:
            with weft.GradientTape() as tape:
                y = w**2 * fixed
            return tape.gradient(y, [w, fixed, unread]), tape.gradient(y, [fixed, unread], None, "zero")

        both(program, ([12.0, None, None], [0.0, 0.0]))

    def test_watched_ones_are_not(self) -> None:
        w, fixed = weft.Variable(3.0), weft.Variable(2.0, trainable=False)

        def program() -> Any:
            with weft.GradientTape(watch_accessed_variables=False) as tape:
                tape.watch(fixed)
                y = w**2 * fixed
            return tape.gradient(y, [w, fixed])

        both(program, [None, 9.0])

    def test_a_variable_that_is_no_longer_trained(self) -> None:
        w = weft.Variable([1.0, 2.0], name="w")

        @weft.function
        def gradient(x: Any) -> Any:
            with weft.GradientTape() as tape:
                y = np.sum(w * x)
            return tape.gradient(y, w)

        same(gradient(X), X)
        for is_trained in (False, True):
            w.trainable = is_trained
            for _ in range(3):
                same(gradient(X), X if is_trained else None)
        assert gradient.trace_count == 2

    def test_which_were_read(self) -> None:
        w, b, c = (weft.Variable(1.0, name=name, trainable=name != "b") for name in "wbc")

        def names() -> Any:
            with weft.GradientTape() as outer:
                y = c * 2
                with weft.GradientTape() as tape:
                    y = w * y + b
            found = [[v.name for v in one.watched_variables()] for one in (outer, tape)]
            return [sorted(each) for each in found], y

        for run in (names, weft.function(names)):
            assert run()[0] == [["c", "w"], ["w"]]

    def test_a_variable_as_the_result(self) -> None:
        w, v = weft.Variable(2.0), weft.Variable(5.0)

        def program() -> Any:
            with weft.GradientTape() as tape:
                y = w
            return tape.gradient(y, [w, v])

        both(program, [1.0, None])


class TestInside:
    def test_values_between(self) -> None:
        def program(x: Any) -> Any:
            with weft.GradientTape() as tape:
                x = tape.watch(x)
                y = np.sin(x)
                h = y
                for _ in range(3):
                    h = h * y
                z = h + y[0]
                first = tape.gradient(z, y)
                last = z * y
            return first, tape.gradient(last, [y, z, x]), tape.gradient(y, y)

        s, c = np.sin(X), np.cos(X)
        by_y = 4 * s**3 + np.array([2.0, 0.0])
        by_last = 5 * s**4 + s[0] + np.array([s[0] + s[1], 0.0])
        both(program, (by_y, [by_last, s, by_last * c], [1.0, 1.0]), X)

    def test_of_gradients(self) -> None:
        def program(x: Any) -> Any:
            with weft.GradientTape() as outer:
                with weft.GradientTape() as tape:
                    x = tape.watch(outer.watch(x))
                    y = x**2
                    z = y**3
                g = tape.gradient(z, y)
            return g, outer.gradient(g, x), outer.gradient(g, y)

        both(program, (3 * X**4, 12 * X**3, 6 * X**2), X)

    def test_in_one_program_with_what_is_not_connected(self) -> None:
        def program(x: Any) -> Any:
            with weft.GradientTape() as tape:
                x = tape.watch(x)
                y, u = x * 2, x * 3
                z = np.sum(y)
            return tape.gradient(z, [y, u])

        both(program, [[1.0, 1.0], None], X)


class TestBatches:
    def test_items_by_items(self) -> None:
        x, w = np.arange(12.0).reshape(2, 3, 2), np.array([[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0]])

        def program(x: Any) -> Any:
            with weft.GradientTape() as tape:
                x = tape.watch(x)
                y = np.tanh(x @ w)
            whole, items = tape.jacobian(y, x), tape.batch_jacobian(y, x)
            return np.stack([whole[i, :, :, i] for i in range(2)]) - items, items.shape

        both(program, (np.zeros((2, 3, 4, 3, 2)), (2, 3, 4, 3, 2)), x)

    def test_of_unknown_size(self) -> None:
        @weft.function(input_signature=[weft.TensorSpec([None, 2])])
        def squares(x: Any) -> Any:
            with weft.GradientTape() as tape:
                y = x**2
            return tape.batch_jacobian(y, x)

        for size in (1, 2, 5):
            x = np.arange(2.0 * size).reshape(size, 2)
            same(squares(x), np.stack([np.diag(2 * row) for row in x]))

    @pytest.mark.parametrize(
        ("y", "x", "message"),
        [
            (lambda x: np.sum(x), X, r"y is f64\[\] and x is f64\[2\]; use jacobian"),
            (lambda x: np.concatenate([x, x]), X, "as many items, but y has 4 and x 2"),
        ],
    )
    def test_misuse(self, y: Any, x: Any, message: str) -> None:
        def program(x: Any) -> Any:
            with weft.GradientTape() as tape:
                x = tape.watch(x)
                result = y(x)
            return tape.batch_jacobian(result, x)

        for run in (program, weft.function(program)):
            with pytest.raises(ValueError, match=message):
                run(x)
