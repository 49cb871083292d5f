"""Derivatives in plain Python: tapes, `weft.vjp`, and all functions where nothing is compiled."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import weft
from support.differences import differences

X = np.array([0.5, 1.5, -2.0, 3.0])


def views(x: Any) -> Any:
    """Views, writes through them, masks, sorting, selections by elements."""
    u = weft.zeros(4)
    u[0] = x[1] * x[2]
    u[1:] = np.sort(x)[:3]
    u.T[2:] *= x[:2]
    np.multiply(u, 2.0, out=u)
    chosen = u[x > 0.7]
    return np.sum(u * u) + np.prod(chosen) + x[np.argmax(x)] + u.reshape(2, 2)[1].sum()


def branches(x: Any) -> Any:
    """Control flow by elements, which Python decides."""
    s, items = 0.0, []
    for i in range(12):
        if x[i % 4] > 0.6:
            s = np.tanh(s + x[i % 4])
            items.append(s)
        if s > 0.999:
            break
    return np.stack(items).mean() + s


def contractions(x: Any) -> Any:
    """Products, complex numbers, running sums, extremes."""
    m = np.outer(x, np.cos(x))
    spectrum = np.abs(np.sum(x * np.exp(1j * x))) ** 2
    return (
        np.max(m @ x)
        + np.mean(np.cumsum(m, axis=1))
        + spectrum
        + np.where(x > 0, np.sqrt(np.abs(x)), 0).sum()
    )


PROGRAMS = [views, branches, contractions]


@pytest.mark.parametrize("program", PROGRAMS)
def test_gradients_agree_with_differences(program: Callable[..., Any]) -> None:
    with weft.GradientTape() as tape:
        x = tape.watch(X)
        y = program(x)
    found = tape.gradient(y, x)
    assert type(found) is np.ndarray
    np.testing.assert_allclose(found, differences(program, (X,), 0), rtol=1e-6, atol=1e-7)
    value, pullback = weft.vjp(program, X)
    assert isinstance(value, np.float64)
    np.testing.assert_allclose(pullback(2.0)[0], 2 * found)


def test_all_functions_work_where_nothing_is_compiled() -> None:
    def by_parts(x: Any) -> Any:
        return np.sin(x) * np.sum(x**2)

    long = np.append(X, np.arange(16.0))
    with weft.eager():
        value, gradient = weft.value_and_grad(views)(X)
        second = weft.hessian(contractions)(X)
        direct, tangent = weft.jvp(by_parts, (X,), (np.ones(4),))
        columns, rows = weft.jacobian(by_parts)(X), weft.jacobian(by_parts)(long)
        assert weft.grad(weft.grad(lambda x: x**3))(2.0) == 12.0
        steps = [1e-6 * move for move in np.eye(4)]
        for row, step in zip(second, steps, strict=True):
            ahead, behind = (weft.grad(contractions)(X + sign * step) for sign in (1, -1))
            np.testing.assert_allclose(row, (ahead - behind) / 2e-6, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(value, views(X))
    np.testing.assert_allclose(gradient, differences(views, (X,), 0), rtol=1e-6, atol=1e-7)
    for x, found in ((X, columns), (long, rows)):
        expected = np.diag(np.cos(x) * np.sum(x**2)) + np.outer(np.sin(x), 2 * x)
        np.testing.assert_allclose(found, expected, atol=1e-12)
    np.testing.assert_allclose(direct, by_parts(X))
    np.testing.assert_allclose(tangent, columns @ np.ones(4))


def test_rules_of_all_kinds() -> None:
    """One op after the other, as methods and functions of NumPy."""
    point = 1.1 * X + 0.07  # where nothing has a kink
    functions: list[Callable[[Any], Any]] = [
        np.exp, np.arctan, np.square, np.abs, np.flip, np.cumprod, np.diff, np.argsort, np.floor, np.ptp,
        lambda x: np.pad(x, 1), lambda x: np.roll(x, 1), lambda x: x.clip(0, 2), lambda x: np.maximum(x, 1.5),
        lambda x: x.std(), lambda x: np.linalg.norm(x), lambda x: np.take(x, [0, 0, 3]), lambda x: np.tile(x, 2),
        lambda x: np.concatenate([x, x]), lambda x: np.convolve(x, [1.0, 2.0]), lambda x: np.median(x),
    ]  # fmt: skip
    for number, function in enumerate(functions):
        with weft.GradientTape() as tape:
            x = tape.watch(point)
            y = function(x) * 1.0
            total = np.sum(y * np.cos(np.arange(y.size)))
        found = tape.gradient(total, x, unconnected_gradients="zero")

        def value(x: Any, function: Any = function) -> Any:
            y = function(x) * 1.0
            return np.sum(y * np.cos(np.arange(y.size)))

        np.testing.assert_allclose(
            found, differences(value, (point,), 0), rtol=1e-6, atol=1e-8, err_msg=f"function {number}"
        )


def test_tapes_nest_and_forget() -> None:
    with weft.GradientTape() as outer:
        x = outer.watch(X)
        with weft.GradientTape() as inner:
            same = inner.watch(X)
            y = np.sum(same**3)
        first = inner.gradient(y, same)
        z = np.sum(first * first)
    np.testing.assert_allclose(outer.gradient(z, x), 36 * X**3)
    np.testing.assert_allclose(outer.jacobian(first, X), np.diag(6 * X))
    assert inner.gradient(np.sum(x * 2), same) is None  # computed behind the block
    assert float(z) == z
    assert not (z + 1)._value().is_active


def test_what_is_written_is_written_to_the_array() -> None:
    weights = np.zeros(2)
    for _ in range(3):
        with weft.GradientTape() as tape:
            w = tape.watch(weights)
            loss = np.sum((w - 1) ** 2)
        w -= 0.1 * tape.gradient(loss, w)
    np.testing.assert_allclose(weights, 1 - 0.8**3)

    def writes(x: Any) -> Any:
        x[0] = x[1] * 2
        return np.sum(x**2), x

    given = X.copy()
    with weft.eager():
        gradient, returned = weft.grad(writes, has_aux=True)(given)
    assert returned is given
    assert given[0] == 3.0
    np.testing.assert_allclose(gradient, [0, 15, -4, 6])


def test_numbers_look_as_they_are(capsys: Any) -> None:
    with weft.GradientTape() as tape:
        x, n = tape.watch({"a": X, "n": 2.0}).values()
        print(x[1], n * 3, f"{x[3]:.2f}", repr(x[:2]), x[1] > 1)
    assert capsys.readouterr().out == "1.5 6.0 3.00 array([0.5, 1.5]) True\n"


class Box:
    """An object with arrays."""

    def __init__(self, tape: Any) -> None:
        self.w, self.parts = tape.watch(X), [tape.watch(np.ones(2))]


def test_objects_with_watched_arrays() -> None:
    with weft.GradientTape() as tape:
        box = Box(tape)
        y = np.sum(box.w) * np.sum(box.parts[0])
    found = tape.gradient(y, box)
    np.testing.assert_array_equal(found["w"], 2 * np.ones(4))
    np.testing.assert_array_equal(found["parts[0]"], 3 * np.ones(2))


class Learner:
    """Variables, of which tapes know without being told."""

    def __init__(self) -> None:
        self.w, self.b = weft.Variable(np.ones(3)), weft.Variable(0.5)

    def step(self, x: Any) -> Any:
        with weft.GradientTape() as tape:
            loss = np.sum(self.w * x) ** 2 + self.b * 1.0
        by_w, by_b = tape.gradient(loss, [self.w, self.b])
        by_self = tape.gradient(loss, self)
        self.w.assign_sub(0.01 * by_w)
        self.b.assign_sub(by_b)
        return by_self


def test_variables_are_seen() -> None:
    plain, compiled = Learner(), Learner()
    step = weft.function(compiled.step)
    for total in (3.0, 2.82):
        for by in (plain.step(np.ones(3)), step(np.ones(3))):
            np.testing.assert_allclose(by["w"], np.full(3, 2 * total))
            np.testing.assert_array_equal(by["b"], 1.0)
    np.testing.assert_allclose(plain.w.value, compiled.w.value)
    np.testing.assert_allclose(plain.b.value, -1.5)
    np.testing.assert_allclose(weft.grad(lambda v: np.sum(v**2))(weft.Variable([1.0, 2.0])), [2, 4])


def test_views_are_differentiated_behind_the_block() -> None:
    w = weft.Variable(np.arange(9.0).reshape(3, 3))

    def by(part: Any) -> Any:
        with weft.GradientTape() as tape:
            h = np.ones((2, 3)) @ w
            y = (h * h)[part]
        return tape.gradient(y, [w, h]), tape.jacobian(y, w)

    for part in (0, (slice(None), 1), (..., slice(2)), (1, 2)):
        (by_w, by_h), rows = by(part)
        (wanted_w, wanted_h), wanted_rows = weft.function(lambda part=part: by(part))()
        np.testing.assert_allclose(by_w, wanted_w)
        np.testing.assert_allclose(by_h, wanted_h)
        np.testing.assert_allclose(rows, wanted_rows)
        assert np.any(by_w)


def test_arrays_that_are_not_watched_are_numpys_to_python() -> None:
    v = weft.Variable(np.ones(4))
    with weft.GradientTape() as tape:
        made = weft.arange(4)
        size = made[2]
        assert weft.zeros((size, 3)).shape == (2, 3)
        assert weft.eye(size).tolist() == [[1, 0], [0, 1]]
        assert weft.linspace(0, 1, size + 1).tolist() == [0, 0.5, 1]
        assert made.reshape(size, -1).shape == np.broadcast_to(made[:2], (size, size)).shape == (2, 2)
        with pytest.raises(ValueError, match="negative dimensions"):
            weft.zeros(size - 3)
        assert np.bincount(made).tolist() == [1, 1, 1, 1]
        given = np.zeros(4)
        given += made
        given[1:] = made[1:] * 2
        np.add(given, made, out=given)
        assert given.tolist() == [0, 3, 6, 9]
        total = np.sum(v * given)
        with pytest.raises(weft.UnsupportedError, match="written in place"):
            given += v.value * 2
    assert tape.gradient(total, v).tolist() == [0, 3, 6, 9]


def lost(tape: Any, x: Any, how: str) -> Any:
    if how == "float":
        return float(x[0]) * 2
    if how == "written":
        np.zeros(4)[:] = x
    if how == "in place":
        u = np.zeros(4)
        u += x
    if how == "host":
        host = weft.py_call(lambda v: v.sum(), x, result=weft.TensorSpec((), "float64"))
        return tape.gradient(host, x)
    doubled = x * 2
    doubled += 1  # its value before that is gone
    return tape.gradient(np.sum(x), {"unseen": np.ones(4), "computed": doubled}[how])


@pytest.mark.parametrize(
    ("how", "error", "message"),
    [
        ("float", weft.UnsupportedError, r"float\(\) takes the elements .* weft.stop_gradient"),
        ("written", weft.UnsupportedError, "a conversion to a NumPy array takes the elements"),
        ("in place", weft.UnsupportedError, "what is written in place .* is a NumPy array"),
        ("host", weft.DifferentiationError, "what Python computes has no derivative"),
        ("unseen", ValueError, r"in plain Python it sees what is watched, so write x = tape.watch\(x\)"),
        ("computed", ValueError, "does not watch it"),
    ],
)
def test_no_gradient_is_lost_silently(how: str, error: type[Exception], message: str) -> None:
    with weft.GradientTape() as tape:
        x = tape.watch(X)
        with pytest.raises(error, match=message):
            lost(tape, x, how)
        assert float(weft.stop_gradient(x[0])) == 0.5


def test_random_programs_agree_with_compiled_code() -> None:
    """Chains of unary and binary functions, drawn by a seed; the gradient of their sum."""
    generator = np.random.default_rng(7)
    unary = [
        np.tanh,
        np.sin,
        lambda v: v[::-1],
        lambda v: np.cumsum(v) * 0.3,
        lambda v: np.where(v > 0, v, 0.1 * v),
    ]
    binary = [np.add, np.multiply, np.hypot, lambda a, b: np.concatenate([a[:2], b[2:]])]
    choices = [
        (generator.integers(3), generator.integers(9), *generator.integers(9, size=2)) for _ in range(25)
    ]

    def program(x: Any) -> Any:
        values = [x, x * 0.5 + 0.1]
        for is_unary, which, first, second in choices:
            a, b = values[first % len(values)], values[second % len(values)]
            values.append(unary[which % 5](a) if is_unary else binary[which % 4](a, b))
        return np.sum(list(itertools.accumulate(values, np.add))[-1])

    _, pullback = weft.vjp(program, X)
    np.testing.assert_allclose(pullback(1.0)[0], weft.grad(program)(X), rtol=1e-10)


def test_an_array_that_was_watched_and_not_used_is_an_error() -> None:
    for unconnected in ("none", "zero"):
        with weft.GradientTape() as tape:
            tape.watch(X)
            y = np.sum(X * X)
        with pytest.raises(ValueError, match=r"write x = tape.watch\(x\) and use that"):
            tape.gradient(y, X, unconnected_gradients=unconnected)
        with weft.GradientTape() as tape:
            x, _ = tape.watch([X + 1, X])
            y = np.sum(x * X)
        with pytest.raises(ValueError, match=r"write x\[1\] = tape.watch\(x\[1\]\) and use that"):
            tape.gradient(y, [x, X])
    with weft.GradientTape() as tape:
        used, unused = tape.watch(X), tape.watch(X + 1)
        y = np.sum(used * used)
    np.testing.assert_array_equal(tape.gradient(y, X), 2 * X)
    assert tape.gradient(y, unused) is None


def test_by_variables_that_a_block_has_not_read() -> None:
    w, unused = weft.Variable([1.0, 2.0]), weft.Variable([3.0])

    def f(x: Any, unconnected: str) -> Any:
        with weft.GradientTape() as tape:
            y = w * x
        unused.assign_add(1)
        by = {"w": w, "rest": (unused, weft.Variable([0.0, 0.0]))}
        return (
            tape.gradient(y, by, unconnected_gradients=unconnected),
            tape.jacobian(y, unused, unconnected_gradients=unconnected),
        )

    def named(x: Any) -> Any:
        with weft.GradientTape(watch_accessed_variables=False) as tape:
            y = w * x
        return tape.gradient(y, [w])

    for call in (f, weft.function(f)):
        gradient, jacobian = call(2.0, "none")
        assert gradient["w"].tolist() == [2, 2]
        assert gradient["rest"] == (None, None)
        assert jacobian is None
        gradient, jacobian = call(2.0, "zero")
        assert [g.tolist() for g in gradient["rest"]] == [[0], [0, 0]]
        assert jacobian.tolist() == [[0], [0]]
    assert named(2.0) == weft.function(named)(2.0) == [None]
