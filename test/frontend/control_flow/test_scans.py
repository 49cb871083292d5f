"""`weft.scan` and `weft.map`: rows of structures, lengths of all kinds, gradients, errors."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import weft

RNG = np.random.default_rng(5)
ROWS = RNG.integers(-8, 9, (40, 3)).astype(np.float64)


def step(carry: Any, x: Any) -> Any:
    """A carry and results of several shapes, exact in floating point."""
    carry = {"h": carry["h"] * 0.5 + x["a"], "n": carry["n"] + 1}
    return carry, (carry["h"].sum(), {"both": carry["h"][:2], "n": carry["n"], "none": None, "b": x["b"] * 2})


def run(a: Any, b: Any, **options: Any) -> Any:
    """A scan over two arrays."""
    return weft.scan(step, {"h": np.zeros(3), "n": 0}, {"a": a, "b": b}, **options)


def by_loop(a: Any, b: Any, reverse: bool = False) -> Any:
    """What it has to give: a loop over lists."""
    carry, results = {"h": np.zeros(3), "n": 0}, []
    order = list(range(len(a)))[:: -1 if reverse else 1]
    for i in order:
        carry, y = step(carry, {"a": a[i], "b": b[i]})
        results.append(y)
    results = results[:: -1 if reverse else 1]
    parts = {
        name: None if name == "none" else np.array([y[1][name] for y in results])
        for name in ("both", "n", "none", "b")
    }
    return carry, (np.array([y[0] for y in results]), parts)


@pytest.mark.sampled
@pytest.mark.parametrize("unroll", [1, 7, True])
@pytest.mark.parametrize("reverse", [False, True])
def test_scans_stack_what_each_row_gives(unroll: Any, reverse: bool) -> None:
    b = np.arange(40, dtype=np.float32)
    expected = by_loop(ROWS, b, reverse)
    np.testing.assert_equal(run(ROWS, b, reverse=reverse, unroll=unroll), expected)
    found = weft.function(lambda a, b: run(a, b, reverse=reverse, unroll=unroll))(ROWS, b)
    np.testing.assert_equal(found, expected)
    assert found[1][1]["b"].dtype == np.float32


def test_rows_of_run_time_number_and_none_at_all() -> None:
    signature = [weft.TensorSpec((None, None), "float64"), weft.TensorSpec((None,), "float32")]
    compiled = weft.function(
        lambda a, b: weft.scan(
            lambda c, x: (c + x[0], (c, x[0] * x[1], x[0][::-1])), np.zeros(a.shape[1]), (a, b), unroll=4
        ),
        input_signature=signature,
    )
    for count in (0, 1, 3, 4, 9):
        a, b = ROWS[:count], np.ones(count, np.float32)
        total, (before, products, heads) = compiled(a, b)
        np.testing.assert_array_equal(total, a.sum(0))
        np.testing.assert_array_equal(before, np.cumsum(a, 0) - a)
        np.testing.assert_array_equal(products, a)
        np.testing.assert_array_equal(heads, a[:, ::-1])


def test_no_rows_give_results_of_their_types() -> None:
    for found in (run(ROWS[:0], np.zeros(0, np.int8)), weft.function(run)(ROWS[:0], np.zeros(0, np.int8))):
        assert found[0]["n"] == 0
        sums, parts = found[1]
        assert (sums.shape, parts["both"].shape, parts["both"].dtype) == ((0,), (0, 2), np.float64)
        assert (parts["n"].dtype, parts["b"].dtype, parts["none"]) == (np.int64, np.int8, None)
    assert weft.map(lambda x: x[None] * 2j, ROWS[:0]).shape == (0, 1, 3)


def test_examples_of_the_documentation_of_jax() -> None:
    # jax.lax.scan: a cumulative sum that keeps what was before.
    for scan in (weft.scan, weft.function(weft.scan)):
        total, before = scan(lambda c, x: (c + x, c), 0, np.arange(1, 5))
        assert (int(total), before.tolist()) == (10, [0, 1, 3, 6])
    # length without xs: xs is None, and so is x.
    fibonacci = weft.function(lambda n: weft.scan(lambda c, _: ((c[1], c[0] + c[1]), c[0]), (0, 1), None, n))
    assert fibonacci(np.int64(10))[1].tolist() == [0, 1, 1, 2, 3, 5, 8, 13, 21, 34]
    assert fibonacci(10)[1].tolist() == [0, 1, 1, 2, 3, 5, 8, 13, 21, 34]
    # jax.lax.map
    squares = weft.function(lambda xs: weft.map(lambda x: x * x, xs))
    assert squares(np.arange(4)).tolist() == [0, 1, 4, 9]


def test_scans_in_scans_and_effects_of_their_functions() -> None:
    v = weft.Variable(np.zeros(3))

    def inner(c: Any, x: Any) -> Any:
        v.assign_add(x)
        return weft.scan(lambda d, e: (d + e, d * e), c, x)

    compiled = weft.function(lambda a: weft.scan(inner, 0.0, a))
    expected = weft.scan(inner, 0.0, ROWS)
    np.testing.assert_array_equal(v.value, ROWS.sum(0))
    np.testing.assert_equal(compiled(ROWS), expected)
    np.testing.assert_array_equal(v.value, 2 * ROWS.sum(0))


def test_rows_of_arrays_that_are_constants_of_the_function() -> None:
    def scanned(c: Any) -> Any:
        return weft.scan(lambda c, x: (c + x, c * x), c, ROWS)

    for found, expected in zip(weft.function(scanned)(np.ones(3)), scanned(np.ones(3)), strict=True):
        np.testing.assert_array_equal(found, expected)
    np.testing.assert_array_equal(weft.function(lambda c: weft.map(lambda x: x * c, ROWS))(2.0), ROWS * 2)


def test_scans_have_gradients() -> None:
    def loss(w: Any, xs: Any) -> Any:
        def cell(h: Any, x: Any) -> Any:
            h = np.tanh(h @ w + x)
            return h, h.sum()

        h, sums = weft.scan(cell, np.zeros(3), xs, reverse=True)
        return np.sum(sums * np.arange(len(sums))) + h[0]

    w, xs = RNG.standard_normal((3, 3)) / 3, ROWS[:20] / 8
    step = 1e-6
    expected = np.zeros((3, 3))
    for place in np.ndindex(3, 3):
        move = np.zeros((3, 3))
        move[place] = step
        expected[place] = (loss(w + move, xs) - loss(w - move, xs)) / (2 * step)
    np.testing.assert_allclose(weft.function(weft.grad(loss))(w, xs), expected, rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(weft.grad(loss)(w, xs), expected, rtol=1e-6, atol=1e-6)


BAD: list[tuple[Any, type[Exception], str]] = [
    (lambda x: weft.scan(lambda c, r: (c, r), 0, None), ValueError, "pass length"),
    (lambda x: weft.scan(lambda c, r: (c, r), 0, 3.0), ValueError, "xs is a number"),
    (lambda x: weft.scan(lambda c, r: (c, r), 0, (x, x[0])), ValueError, r"xs\[1\] has 3 rows, but xs\[0\] has 40"),
    (lambda x: weft.scan(lambda c, r: (c, r), 0, x, 7), ValueError, "xs has 40 rows, but length is 7"),
    (lambda x: weft.scan(lambda c, r: c, 0, x), TypeError, "returns a pair of the next carry and what is stacked"),
    (lambda x: weft.scan(lambda c, r: (r, r), 0, x), TypeError, "makes float64 of shape .3,. of init"),
    (lambda x: weft.scan(lambda c, r: (c, r), 0, x, unroll=-2), ValueError, "and not -2"),
]  # fmt: skip


@pytest.mark.parametrize("number", range(len(BAD)))
def test_what_is_wrong_with_a_scan_is_said(number: int) -> None:
    call, error, says = BAD[number]
    for run in (call, weft.function(call)):
        with pytest.raises(error, match=says):
            run(ROWS)


def test_results_are_arrays_of_extents_that_are_known_before() -> None:
    with pytest.raises(TypeError, match="stacks arrays and numbers, but y is a str"):
        weft.function(lambda x: weft.map(lambda r: "text", x))(ROWS)
    with pytest.raises(NotImplementedError, match="how long axis 0 is only f knows"):
        weft.function(lambda x: weft.map(lambda r: r[r > 0], x))(ROWS)
    signature = [weft.TensorSpec((None,), "float64"), weft.TensorSpec((None,), "float64")]
    added = weft.function(lambda a, b: weft.map(lambda r: r[0] + r[1], (a, b)), input_signature=signature)
    assert added(np.ones(3), np.ones(3)).tolist() == [2.0, 2.0, 2.0]
    with pytest.raises(ValueError, match=r"xs\[1\] has 2 rows, but xs\[0\] has 3"):
        added(np.ones(3), np.ones(2))
