"""`weft.vmap` gives what a loop over rows gives: ops of all families, control flow, derivatives, in-place updates."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import weft

RNG = np.random.default_rng(7)
X = RNG.standard_normal((5, 4))
M = RNG.standard_normal((5, 4, 4))
PLACES = RNG.integers(-4, 4, (5, 3))
S = RNG.standard_normal(5)
K = np.array([0, 3, 1, 5, 2])


def by_rows(f: Callable[..., Any], args: tuple[Any, ...], in_axes: tuple[Any, ...]) -> Any:
    """What NumPy gives row by row, as tuples of stacked results."""
    count = next(np.shape(arg)[axis] for arg, axis in zip(args, in_axes, strict=True) if axis is not None)
    found = []
    for number in range(count):
        rows = [
            arg if axis is None else np.take(arg, number, axis)
            for arg, axis in zip(args, in_axes, strict=True)
        ]
        y = f(*rows)
        found.append(y if isinstance(y, tuple) else (y,))
    return tuple(np.stack(column) for column in zip(*found, strict=True))


def check(f: Callable[..., Any], *args: Any, in_axes: Any = 0, unknown: bool = True) -> None:
    """Compare with rows, for known sizes and for unknown ones."""
    axes = in_axes if isinstance(in_axes, tuple) else (in_axes,) * len(args)
    expected = by_rows(f, args, axes)
    over_rows = weft.vmap(f, in_axes)
    specs = [weft.TensorSpec((None,) * np.ndim(arg), np.asarray(arg).dtype) for arg in args]
    compiled = [over_rows, weft.function(lambda *args: over_rows(*args))]
    for call in compiled[: 1 + unknown]:
        run = call if call is over_rows else call.get_concrete_function(*specs)
        found = run(*args)
        found = found if isinstance(found, tuple) else (found,)
        for got, wanted in zip(found, expected, strict=True):
            assert (got.dtype, got.shape) == (wanted.dtype, wanted.shape)
            np.testing.assert_allclose(
                got, wanted, rtol=1e-6 if got.dtype == np.float32 else 1e-11, atol=1e-12
            )


def reduced(x: Any) -> Any:
    return x.sum(), x.mean(), x.std(), x.max(), x.argmax(), (x > 0).any(), np.median(x)


def arranged(x: Any, m: Any) -> Any:
    return (
        np.sort(x),
        np.argsort(x)[::-1],
        np.cumsum(x),
        np.roll(x, 1),
        np.pad(x, (1, 2)),
        np.concatenate([x, x[:2], np.ones(2)]),
        m.T,
        m.reshape(2, 8),
        np.tril(m),
        np.diag(x),
        np.diag(m),
        np.stack([x, m[0]], axis=1),
        np.broadcast_to(x, (3, 4)) * 1.0,
        np.repeat(x, 2),
        np.arange(3),
    )


def multiplied(m: Any, x: Any, w: Any) -> Any:
    return m @ x, x @ m, m @ w, w @ m.T, np.outer(x, x), np.einsum("ij,j->i", m, x), np.dot(x, x), m @ m


def solved(m: Any, x: Any) -> Any:
    return np.linalg.solve(m, x), np.linalg.inv(m), np.linalg.det(m), np.fft.fft(x).real, np.linalg.norm(x)


def placed(x: Any, i: Any, k: Any, table: Any) -> Any:
    y = x.copy()
    y[i] = 7.0
    y[1:3] += x[:2]
    return x[i], x[k % 4], table[i], table[k % 5, 1:], y, np.searchsorted(table[0], x), np.where(x > 0, x, k)


@pytest.mark.slow
def test_ops_of_all_families_on_rows() -> None:
    check(reduced, X)
    check(arranged, X, M)
    check(multiplied, M, X, M[0], in_axes=(0, 0, None))
    check(solved, M, X)
    check(placed, X, PLACES, K, np.sort(X), in_axes=(0, 0, 0, None))
    check(reduced, X.astype(np.float32))
    check(lambda k, b: (k // 2 * 7 % 5, b & (k > 1), k << 1), K, K > 2)


def test_axes_of_arguments_and_results() -> None:
    check(lambda x, m: x + m, X.T, M[0], in_axes=(1, None))
    check(lambda s, m: m * s, S, M[0], in_axes=(0, None))
    check(lambda m: m[0] - m.sum(0), M, in_axes=-1)
    moved = weft.vmap(lambda m: (m * 2, m[0]), in_axes=1, out_axes=(2, -1))
    found = moved(M)
    np.testing.assert_array_equal(found[0], np.moveaxis(M * 2, 1, 2))
    np.testing.assert_array_equal(found[1], M[0].T)
    shared = weft.vmap(lambda x: (x, 3.0), out_axes=(0, None))(X)[1]
    assert (shared, np.shape(shared)) == (3.0, ())
    np.testing.assert_array_equal(weft.vmap(lambda: np.arange(3), axis_size=2)(), [[0, 1, 2]] * 2)


def test_structures_and_keywords() -> None:
    def f(p: Any, q: Any, *, scale: Any) -> Any:
        return {"a": p["w"] * q * scale, "b": [p["b"], None]}

    over_rows = weft.vmap(f, in_axes=({"w": 0, "b": None}, 1), out_axes={"a": 1, "b": 0})
    found = over_rows({"w": X, "b": np.ones(2)}, X.T, scale=S)
    np.testing.assert_allclose(found["a"], (X * X * S[:, None]).T)
    np.testing.assert_array_equal(found["b"][0], np.ones((5, 2)))
    assert found["b"][1] is None
    np.testing.assert_array_equal(weft.vmap(lambda x, by=2: x * by)(X, by=3), X * 3)


# Control flow


def chosen(x: Any, k: Any) -> Any:
    if x[0] > 0:
        y = x * 2
    elif k > 2:
        y = x - 1
    else:
        y = x[::-1] + x[k]
    return y


def until(s: Any) -> Any:
    count = 0
    while abs(s) < 10:
        s = s * 1.7 + 0.1 * np.sign(s)
        count += 1
    return s, count


def collatz(k: Any) -> Any:
    steps = 0
    while k > 1:
        k = k // 2 if k % 2 == 0 else 3 * k + 1
        steps += 1
    return steps


def counted(x: Any, k: Any) -> Any:
    total, steps = 0.0, 0
    for i in range(k):
        total = total + x[i % 4] * i
        steps += 1
    return total, steps


def together(x: Any) -> Any:
    state = np.zeros(4)
    for i in range(40):
        state = state * 0.5 + x * i
    return state


def nested(x: Any) -> Any:
    best = x[0]
    for i in range(20):
        if x[i % 4] > best:
            best = x[i % 4]
            for j in range(30):
                if j > x[i % 4] * 3:
                    break
                best += 0.1
    return best


@pytest.mark.parametrize(
    ("f", "args"),
    [
        (chosen, (X, K % 4)),
        (until, (S + 0.1 * np.sign(S),)),
        (collatz, (K + 1,)),
        (counted, (X, K)),
        (together, (X,)),
        (nested, (X,)),
    ],
)
def test_control_flow_on_values_of_rows(f: Any, args: Any) -> None:
    check(f, *args)


def test_what_rows_do_not_run_does_not_fail() -> None:
    def safe(x: Any, i: Any) -> Any:
        if i < 4:
            if x[i] < 0:
                raise ValueError("negative")
            return x[i]
        return 0.0

    over_rows = weft.vmap(safe)
    x = np.abs(X)
    np.testing.assert_array_equal(over_rows(x, np.array([0, 9, 3, 4, 1])), [x[0, 0], 0, x[2, 3], 0, x[4, 1]])
    with pytest.raises(ValueError, match="negative"):
        over_rows(np.where(X[2, 3] == X, -1.0, x), np.array([0, 9, 3, 4, 1]))
    with pytest.raises(IndexError, match="index -5 is out of bounds for axis 0 with size 4"):
        over_rows(x, np.array([0, 9, -5, 4, 1]))
    checked = weft.vmap(lambda x, i: x[i])
    with pytest.raises(IndexError, match="index 4 is out of bounds"):
        checked(X, np.array([0, 1, 2, 3, 4]))


def test_what_fails_in_one_row_is_caught_there() -> None:
    def inverse(m: Any) -> Any:
        try:
            return np.linalg.inv(m)
        except np.linalg.LinAlgError:
            return np.zeros_like(m)

    def item(x: Any, i: Any) -> Any:
        try:
            return x[i]
        except IndexError:
            return -1.0

    m = M.copy()
    m[2] = 0.0
    found = weft.vmap(inverse)(m)
    np.testing.assert_array_equal(found[2], np.zeros((4, 4)))
    np.testing.assert_allclose(found[:2], np.linalg.inv(m[:2]))
    i = np.array([0, 7, 3, -4, -5])
    np.testing.assert_array_equal(weft.vmap(item)(X, i), [X[0, 0], -1, X[2, 3], X[3, 0], -1])
    with pytest.raises(np.linalg.LinAlgError, match="Singular"):
        weft.vmap(np.linalg.inv)(m)


# Derivatives


def curve(x: Any) -> Any:
    return np.sum(np.tanh(x) ** 2) if x[0] > 0 else np.sum(np.sqrt(np.abs(x)))


def test_derivatives_in_rows() -> None:
    check(weft.grad(curve), X)
    check(weft.grad(lambda m, x: np.sum(np.tanh(m @ x)), 1), M, X)
    check(lambda x: weft.grad(lambda w: np.sum(np.tanh(w * x)))(np.ones(4)), X)
    check(weft.hessian(lambda x: np.sum(x**3 * x[0])), X)
    check(weft.jacobian(lambda x: x[::-1] * x), X)
    check(lambda x: weft.jvp(np.sin, (x,), (x,))[1], X)


def test_gradients_of_rows_together() -> None:
    def loss(w: Any, x: Any) -> Any:
        return np.sum(weft.vmap(lambda row: curve(row * w))(x))

    w = RNG.uniform(0.5, 1.5, 4)
    expected = sum(weft.grad(lambda w, row=row: curve(row * w))(w) for row in X)
    np.testing.assert_allclose(weft.grad(loss)(w, X), expected)
    np.testing.assert_allclose(weft.function(weft.grad(loss))(w, X), expected)


def test_sides_that_rows_do_not_take_have_no_part_in_gradients() -> None:
    over_rows = weft.vmap(lambda s: np.sqrt(s) if s > 0 else s * 3)
    found = weft.grad(lambda s: np.sum(over_rows(s)))(np.array([4.0, -1.0, 0.0]))
    np.testing.assert_array_equal(found, [0.25, 3.0, 3.0])


def test_gradients_of_ones_own() -> None:
    @weft.custom_gradient
    def clipped(x: Any) -> Any:
        return x, lambda g: np.clip(g, -1, 1)

    inside = weft.vmap(weft.grad(lambda x: np.sum(clipped(x) ** 2)))
    np.testing.assert_allclose(inside(X), np.clip(2 * X, -1, 1))
    around = weft.grad(lambda w: np.sum(weft.vmap(lambda row: np.sum(clipped(w * row) ** 2))(X)))
    np.testing.assert_allclose(around(np.ones(4)), np.sum(np.clip(2 * X, -1, 1) * X, 0))


def test_rows_in_rows() -> None:
    check(lambda m: weft.vmap(np.sum)(m), M)
    check(lambda m, x: weft.vmap(np.dot, (0, None))(m, x), M, X)
    check(lambda x: weft.vmap(lambda a: weft.vmap(lambda b: a * b if a > b else a - b)(x))(x), X)
    check(lambda m: weft.vmap(lambda r: r.sum(), in_axes=1, out_axes=0)(m), M)


# Sizes and states


def test_sizes_that_rows_share_and_that_they_do_not() -> None:
    check(lambda x, k: x[k % 2 : k % 2 + 2] * 2, X, K)
    positive = weft.vmap(lambda x: x[x > 0])
    found = positive(np.array([[1.0, -2.0, 3.0], [4.0, 5.0, -6.0]]))
    np.testing.assert_array_equal(found, [[1.0, 3.0], [4.0, 5.0]])
    with pytest.raises(ValueError, match="has the size 2 in row 0, but 3 in row 1"):
        positive(np.array([[1.0, -2.0, 3.0], [4.0, 5.0, 6.0]]))


def test_no_rows_give_results_of_their_types() -> None:
    def f(x: Any) -> Any:
        return x.sum() if x[0] > 0 else x[1], x[:2].astype(np.float32), x > 0

    over_rows = weft.vmap(f)
    spec = weft.TensorSpec((None, 4), "float64")
    for call in (over_rows, weft.function(over_rows, input_signature=[spec])):
        one, two, three = call(X[:0])
        assert (one.shape, two.shape, three.shape) == ((0,), (0, 2), (0, 4))
        assert (one.dtype, two.dtype, three.dtype) == (np.float64, np.float32, np.bool_)
    with weft.eager():
        assert over_rows(X[:0])[1].shape == (0, 2)


def test_a_function_writes_to_its_rows() -> None:
    def centred(x: Any) -> Any:
        x -= x.mean()
        return x[0]

    for call in (weft.vmap(centred, 1), weft.function(lambda x: weft.vmap(centred, 1)(x))):
        x = X.T.copy()
        first = call(x)
        np.testing.assert_allclose(x, (X - X.mean(1, keepdims=True)).T)
        np.testing.assert_allclose(first, x[0])
    with weft.eager():
        x = X.T.copy()
        weft.vmap(centred, 1)(x)
        np.testing.assert_allclose(x, (X - X.mean(1, keepdims=True)).T)


def test_rows_are_printed_one_after_the_other(capsys: pytest.CaptureFixture[str]) -> None:
    def shown(x: Any) -> Any:
        print("first", x[0])
        return x

    weft.vmap(shown)(np.array([[1.5], [2.5]]))
    assert capsys.readouterr().out == "first 1.5\nfirst 2.5\n"


def test_plain_python_under_a_tape() -> None:
    v = weft.Variable(X)
    with weft.GradientTape() as tape:
        y = np.sum(weft.vmap(lambda row: row[0] ** 2)(v.value))
    expected = np.zeros_like(X)
    expected[:, 0] = 2 * X[:, 0]
    np.testing.assert_allclose(tape.gradient(y, v), expected)
