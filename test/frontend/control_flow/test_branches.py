"""`weft.cond` and `weft.switch`: eagerly, compiled, in code that is not converted, with state and gradients."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import weft

X = np.array([1.0, -2.0, 3.0])


def chosen(x: Any, k: Any) -> Any:
    """Structures, operands, nested branches."""
    a, parts = weft.cond(
        k > 0,
        lambda v, s: (v * s, {"n": v.sum(), "p": (v[0], 1)}),
        lambda v, s: (v - s, {"n": v.max(), "p": (v[1], 2)}),
        x,
        2.0,
    )
    b = weft.switch(k, [lambda v: v, lambda v: -v, lambda v: weft.cond(v[0] > 0, np.sin, np.cos, v)], x + 0.5)
    return a, parts, b


@pytest.mark.parametrize("convert", [True, False])
def test_one_branch_runs_as_in_plain_python(convert: bool) -> None:
    compiled = weft.function(chosen if convert else weft.do_not_convert(lambda x, k: chosen(x, k)))
    for k in (-3, 0, 1, 2, 9):
        expected, found = chosen(X, np.int64(k)), compiled(X, np.int64(k))
        np.testing.assert_allclose(found[0], expected[0])
        np.testing.assert_allclose(found[2], expected[2])
        assert found[1] == expected[1]
        assert type(found[1]["p"][1]) is int


def test_examples_of_the_documentation_of_jax() -> None:
    # jax.lax.cond: the gradient of an absolute value is that of the branch that is taken.
    def magnitude(x: Any) -> Any:
        return weft.cond(x < 0.0, lambda: -x, lambda: x)

    assert [weft.function(weft.grad(magnitude))(v) for v in (-2.0, 3.0)] == [-1.0, 1.0]
    # jax.lax.switch: indices are clamped to the branches.
    add: list[Any] = [lambda x, n=n: x + n for n in (10, 20, 30)]
    pick = weft.function(lambda i, x: weft.switch(i, add, x))
    assert [int(pick(np.int32(i), 1)) for i in (-7, 0, 1, 2, 7)] == [11, 11, 21, 31, 31]
    assert [weft.switch(i, add, 1) for i in (-7, 0, 1, 2, 7)] == [11, 11, 21, 31, 31]


def test_a_condition_that_python_knows_is_decided_while_tracing() -> None:
    text = weft.function(lambda x: weft.cond(True, lambda: x + 1, lambda: 1 / 0))
    np.testing.assert_array_equal(text(X), X + 1)
    assert "scf.if" not in text.get_concrete_function(X).as_text("weft")
    assert weft.cond(np.array([True]), lambda: 1, lambda: 2) == 1


def test_branches_write_to_variables_arrays_and_closures() -> None:
    v = weft.Variable(np.zeros(2))
    counts = {"n": 0}

    def left(a: Any) -> Any:
        v.assign_add(np.ones(2))
        a[0] = 7.0
        return a.sum()

    def right(a: Any) -> Any:
        counts["n"] += 1
        return -a.sum()

    f = weft.function(lambda k, a: weft.cond(k > 0, left, right, a))
    a = np.ones(3)
    assert f(np.int64(1), a) == 9.0
    assert a[0] == 7.0
    assert f(np.int64(0), a) == -9.0
    np.testing.assert_array_equal(v.value, [1.0, 1.0])
    assert counts["n"] == 1


def test_gradients_are_those_of_the_branch_that_is_taken() -> None:
    powers: list[Any] = [lambda v, n=n: np.sum(v**n) for n in (1, 2, 3, 4)]
    slope = weft.grad(lambda x, i: weft.switch(i, powers, x))
    compiled = weft.function(slope)
    for i in range(4):
        np.testing.assert_allclose(compiled(X, np.int64(i)), (i + 1) * X**i)
        np.testing.assert_allclose(slope(X, i), (i + 1) * X**i)


@pytest.mark.parametrize(
    ("index", "branches", "error", "says"),
    [
        (0, [], ValueError, "at least one branch"),
        (1.0, [abs], TypeError, "is an integer, not float64"),
        (True, [abs], TypeError, "is an integer, not bool"),
        (np.array([1]), [abs], TypeError, "is an integer, not int64 with axes"),
    ],
)
def test_an_index_is_an_integer_and_there_is_a_branch(
    index: Any, branches: list[Any], error: type[Exception], says: str
) -> None:
    with pytest.raises(error, match=says):
        weft.switch(index, branches, 1)
    with pytest.raises(error, match=says):
        weft.function(lambda i, x: weft.switch(i, branches, x))(np.asarray(index)[()], X)


def test_branches_of_two_ranks() -> None:
    chosen = weft.function(lambda x: weft.cond(x[0] > 0, lambda: x, lambda: x[None]))
    for x in (X, X + 10):
        np.testing.assert_array_equal(chosen(x), x if x[0] > 0 else x[None], strict=True)
