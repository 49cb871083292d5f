"""`weft.while_loop` and `weft.fori_loop`: carries of all structures, in plain Python and compiled."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pytest

import weft

X = np.arange(6.0).reshape(2, 3)


class Pair(NamedTuple):
    """A carry that is a tuple with names."""

    a: Any
    b: Any


@dataclass
class State:
    """A carry that is a dataclass."""

    x: Any
    steps: Any


def test_examples_of_the_documentation_of_jax() -> None:
    total = weft.function(lambda n, x: weft.fori_loop(0, n, lambda i, c: c + i * x, np.zeros(2)))
    np.testing.assert_array_equal(total(np.int64(40), np.ones(2)), [780.0, 780.0])
    np.testing.assert_array_equal(total(np.int64(0), np.ones(2)), [0.0, 0.0])
    # jax.lax.while_loop: a carry that is a pair of a counter and an array.
    double = weft.function(
        lambda n: weft.while_loop(lambda c: c[0] < n, lambda c: (c[0] + 1, c[1] * 2), (0, np.float32(1)))
    )
    count, power = double(np.int64(10))
    assert (count, power, power.dtype) == (10, 1024.0, np.float32)
    # A Python number may become another one, as JAX's weak types do.
    halves = weft.function(lambda n: weft.fori_loop(0, n, lambda i, c: c + i * 0.5, 0))
    assert halves(np.int64(20)) == 95.0


@pytest.mark.parametrize(
    ("begin", "body"),
    [
        ({"x": X, "n": 0, "none": None}, lambda c: {"n": c["n"] + 1, "none": None, "x": c["x"] * 0.5}),
        ([X, [1, 2.5]], lambda c: [c[0] + c[1][0], [c[1][0] + 1, c[1][1]]]),
        (Pair(X, np.float32(1)), lambda c: Pair(c.a - 1, c.b + 1)),
        (State(X, 0), lambda c: State(c.x + c.steps, c.steps + 1)),
        ((X, X[0]), lambda c: (c[0] + c[1], c[0][0])),
        ((), lambda c: ()),
        (X.astype(np.float32), lambda c: (c * np.float64(2)).astype("float32")),
        (np.float32(1), lambda c: 2.0),
    ],
)
def test_carries_are_structures_that_keep_their_types(begin: Any, body: Any) -> None:
    def run(n: Any, begin: Any) -> Any:
        return weft.fori_loop(0, n, lambda i, c: body(c), begin)

    for count in (0, 3, 40):
        expected, found = run(count, begin), weft.function(run)(np.int64(count), begin)
        assert type(found) is type(expected)
        if isinstance(expected, State):
            expected, found = vars(expected), vars(found)
        np.testing.assert_equal(found, expected)


class Other(NamedTuple):
    """Another class than `Pair`."""

    a: Any
    b: Any


ONES = np.ones(3, np.float32)


@pytest.mark.parametrize(
    ("begin", "body", "says"),
    [
        (
            (1, ONES),
            lambda c: (1, c[1].astype("f8")),
            "makes float64 of shape (3,) of init[1], which is float32",
        ),
        ((1, ONES), lambda c: (1, c[1].astype("f8")), "convert it there with astype('float32')"),
        (ONES, lambda c: c[None], "makes float32 of shape (1,3) of init, which is float32 of shape (3,)"),
        (ONES, lambda c: c[:2], "makes float32 of shape (2,) of init"),
        (ONES, lambda c: (c,), "makes a tuple of 1 of init, which is float32"),
        (ONES, lambda c: None, "makes None of init"),
        (None, lambda c: ONES, "of init, which is None"),
        ({"a": 1, "b": ONES}, lambda c: {"a": 1}, "makes a dict of 1 of init, which is a dict of 2"),
        ({"a": [1, 2]}, lambda c: {"a": [1]}, "makes a list of 1 of init['a'], which is a list of 2"),
        (Pair(1, 2), lambda c: Other(1, 2), "makes an Other of 2 of init, which is a Pair of 2"),
        (State(ONES, 1), lambda c: State(1, 1), "makes an int of init.x, which is float32"),
        (1, lambda c: ONES, "makes float32 of shape (3,) of init, which is an int"),
        (np.int32(1), lambda c: 0.5, "makes a float of init, which is int32"),
    ],
)
def test_carries_that_change_are_named_with_both_types(begin: Any, body: Any, says: str) -> None:
    def run(n: Any) -> Any:
        return weft.fori_loop(0, n, lambda i, c: body(c), begin)

    for call in (run, weft.function(run)):
        with pytest.raises(TypeError, match=re.escape(says)):
            call(np.int64(20))


def test_extents_of_carries_are_compared_when_the_program_runs() -> None:
    @weft.function
    def kept(x: Any, n: Any) -> Any:
        return weft.fori_loop(0, n, lambda i, c: c[c > -1.0] - 1.0, x)

    assert kept(np.array([5.0, 6.0]), np.int64(2)).tolist() == [3.0, 4.0]
    with pytest.raises(
        TypeError, match=r"changes the extent of axis 0 of init from 2 to 1, but it has to keep"
    ):
        kept(np.array([0.5, 6.0]), np.int64(3))


def test_loops_write_to_variables_and_closures_in_code_that_is_not_converted() -> None:
    v = weft.Variable(np.zeros(2))
    seen = {"last": 0.0}

    @weft.do_not_convert
    def train(n: Any, x: Any) -> Any:
        def body(c: Any) -> Any:
            v.assign_add(x)
            seen["last"] = c[1]
            return c[0] + 1, weft.cond(c[0] > 1, lambda: c[1] * 2, lambda: c[1])

        return weft.while_loop(lambda c: c[0] < n, body, (0, 1.0))

    assert weft.function(train)(np.int64(4), np.ones(2)) == (4, 4.0)
    np.testing.assert_array_equal(v.value, [4.0, 4.0])
    assert seen["last"] == 2.0
    assert train(4, np.ones(2)) == (4, 4.0)
    np.testing.assert_array_equal(v.value, [8.0, 8.0])


def test_loops_have_gradients() -> None:
    def power(x: Any, n: Any) -> Any:
        up = weft.fori_loop(0, n, lambda i, c: c * x, np.ones(2))
        return np.sum(weft.while_loop(lambda c: c[0] < n, lambda c: (c[0] + 1, c[1] + up), (0, up))[1])

    x, n = np.array([1.5, -0.5]), 20
    expected = (n + 1) * n * x ** (n - 1)
    np.testing.assert_allclose(weft.function(weft.grad(power))(x, np.int64(n)), expected)
    np.testing.assert_allclose(weft.grad(power)(x, n), expected)


def test_prints_of_a_body_come_in_order(capsys: pytest.CaptureFixture[str]) -> None:
    def body(i: Any, c: Any) -> Any:
        print("step", i, c)
        return c + i

    weft.function(lambda n: weft.fori_loop(0, n, body, 0))(np.int64(3))
    assert capsys.readouterr().out == "step 0 0\nstep 1 0\nstep 2 1\n"


def test_bounds_are_integers_and_conditions_are_one_truth() -> None:
    with pytest.raises(TypeError, match="integer"):
        weft.function(lambda n: weft.fori_loop(0, n, lambda i, c: c, 0))(2.5)
    with pytest.raises(ValueError, match="ambiguous"):
        weft.function(lambda x: weft.while_loop(lambda c: c > 0, lambda c: c - 1, x))(np.ones(3))
