"""Gradients through what ranks do together are those of the whole function, on any number of ranks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import weft

ranks = weft.distributed
COUNTS = (1, 2, 3, 5)
ROWS = 90
X = np.random.default_rng(0).normal(size=(ROWS, 4))
W = np.random.default_rng(1).normal(size=4)


def run(function: Callable[..., Any], count: int, *shared: Any) -> list[Any]:
    """What each rank finds that has a block of X, and what all have."""
    return ranks.Mesh.simulated(count).run(function, lambda rank: (*shared, np.split(X, count)[rank]))


def test_by_what_all_have() -> None:
    def loss(parameters: Any, x: Any) -> Any:
        predicted = np.tanh(x @ parameters["w"] + parameters["b"])
        return ranks.all_reduce(np.sum(predicted**2)) / ranks.all_reduce(len(x)) + np.sum(
            parameters["w"] ** 2
        )

    @weft.function
    def found(parameters: Any, x: Any) -> Any:
        return weft.value_and_grad(loss)(ranks.replicated(parameters), x)

    @weft.function
    def whole(parameters: Any, x: Any) -> Any:
        def of_all(p: Any) -> Any:
            return np.sum(np.tanh(x @ p["w"] + p["b"]) ** 2) / len(x) + np.sum(p["w"] ** 2)

        return weft.value_and_grad(of_all)(parameters)

    given = {"w": W, "b": np.float64(0.5)}
    value, gradient = whole(given, X)
    for count in COUNTS:
        for value_there, gradient_there in run(found, count, given):
            np.testing.assert_allclose(value_there, value, rtol=1e-13)
            np.testing.assert_allclose(gradient_there["w"], gradient["w"], rtol=1e-12)
            np.testing.assert_allclose(gradient_there["b"], gradient["b"], rtol=1e-12)


def test_by_what_each_rank_has() -> None:
    @weft.function
    def found(x: Any) -> Any:
        return weft.grad(lambda x: np.sum(np.sin(ranks.all_reduce(np.sum(ranks.local(x) ** 2, axis=0)))))(x)

    expected = weft.grad(lambda x: np.sum(np.sin(np.sum(x**2, axis=0))))(X)
    for count in COUNTS:
        np.testing.assert_allclose(np.concatenate(run(found, count)), expected, rtol=1e-11)


@pytest.mark.parametrize(
    ("moved", "same"),
    [
        (lambda x: ranks.all_gather(x), lambda x, count: np.concatenate([x] * count)),
        (
            lambda x: ranks.reduce_scatter(ranks.all_gather(x)),
            lambda x, count: count * x,
        ),
        (lambda x: ranks.all_to_all(ranks.all_to_all(x)), lambda x, count: x),
        (
            lambda x: ranks.send_receive(ranks.send_receive(x, 1, wrap=True), -1, wrap=True),
            lambda x, count: x,
        ),
        (
            lambda x: ranks.send_receive(x),
            lambda x, count: np.concatenate([np.zeros_like(x[: ROWS // count]), x[: ROWS - ROWS // count]]),
        ),
        (lambda x: ranks.broadcast(x, root=0), lambda x, count: np.concatenate([x[: ROWS // count]] * count)),
    ],
    ids=["all_gather", "reduce_scatter", "all_to_all", "around", "send_receive", "broadcast"],
)
def test_rules(moved: Any, same: Any) -> None:
    """The whole function is that of all rows; what all ranks have counts once for each rank, as each sums it."""

    @weft.function
    def found(w: Any, x: Any) -> Any:
        def loss(w: Any, x: Any) -> Any:
            return ranks.all_reduce(np.sum(np.sin(moved(ranks.local(x) * w))))

        return weft.grad(loss, argnums=(0, 1))(ranks.replicated(w), x)

    def whole(w: Any, x: Any) -> Any:
        return np.sum(np.sin(same(x * w, 3)))

    by_w, by_x = weft.grad(whole, argnums=(0, 1))(W, X)
    results = run(found, 3, W)
    for rank_by_w, _ in results:
        np.testing.assert_allclose(rank_by_w, by_w, rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(np.concatenate([x for _, x in results]), by_x, rtol=1e-10, atol=1e-12)


def test_forwards() -> None:
    @weft.function
    def found(w: Any, x: Any) -> Any:
        return weft.jvp(lambda w: ranks.all_reduce(np.sum(np.sin(x * w))), (w,), (np.ones(4),))

    value, tangent = weft.jvp(lambda w: np.sum(np.sin(X * w)), (W,), (np.ones(4),))
    for count in COUNTS:
        for value_there, tangent_there in run(found, count, W):
            np.testing.assert_allclose(value_there, value, rtol=1e-12)
            np.testing.assert_allclose(tangent_there, tangent, rtol=1e-12)


@pytest.mark.parametrize(
    "derivative",
    [
        lambda f: weft.jacobian(lambda w: f(w) * w),
        weft.hessian,
        lambda f: weft.grad(weft.checkpoint(f)),
        lambda f: weft.grad(lambda w: np.sum(weft.grad(f)(w) ** 2)),
        lambda f: lambda w: weft.vmap(weft.grad(f))(np.stack([w, 2 * w])),
    ],
    ids=["jacobian", "hessian", "checkpoint", "twice", "vmap"],
)
def test_ways_to_ask(derivative: Any) -> None:
    @weft.function
    def found(w: Any, x: Any) -> Any:
        return derivative(lambda w: ranks.all_reduce(np.sum(np.sin(x * w))))(ranks.replicated(w))

    expected = derivative(lambda w: np.sum(np.sin(X * w)))(W)
    for there in run(found, 3, W):
        np.testing.assert_allclose(there, expected, rtol=1e-10, atol=1e-12)


def test_one_message_for_each_parameter_in_loops() -> None:
    """Parameters that a loop uses many times, and training in a loop whose steps are data."""

    @weft.function
    def train(w: Any, steps: Any, x: Any) -> Any:
        w = ranks.replicated(w)

        def loss(w: Any, x: Any) -> Any:
            y = x
            for _ in range(3):
                y = np.tanh(y * w)
            return ranks.all_reduce(np.sum(y**2))

        for _ in range(steps):
            w = w - 0.01 * weft.grad(loss)(w, x)
        return w

    (alone,) = run(train, 1, W, np.int64(20))
    for count in (2, 5):
        for there in run(train, count, W, np.int64(20)):
            np.testing.assert_allclose(there, alone, rtol=1e-12)
    text = train.get_concrete_function(W, np.int64(20), X[:18]).as_text("optimized")
    assert text.count('"weft.all_reduce"') == 2  # the loss's, and one for the gradient


@pytest.mark.parametrize(
    ("function", "error", "message"),
    [
        (
            lambda x: weft.grad(lambda x: ranks.all_reduce(np.sum(x)))(x),
            weft.DifferentiationError,
            r"goes through all_reduce \(.*test_gradients.py:\d+\), and it is not known whether",
        ),
        (
            lambda x: ranks.all_reduce(weft.grad(lambda x: np.sum(x * x))(ranks.replicated(x))),
            weft.DifferentiationError,
            r"summed over the ranks already.*\n.*test_gradients.py",
        ),
        (
            lambda x: ranks.all_reduce(x) if x[0] > 0 else x,
            weft.DivergenceError,
            r"all_reduce of all ranks is in a branch \(line \d+\) that depends on what ranks may have different",
        ),
    ],
)
def test_what_is_refused(function: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        ranks.Mesh.simulated(2).run(weft.function(function), [(np.ones(4),)] * 2)


OF_RANKS = np.array([[1.5, 0.0, 2.0, 0.0, -1.0], [1.5, 3.0, 0.0, 0.0, 0.5], [-2.0, 4.0, 5.0, 7.0, -1.0]])
"""With the same numbers on several ranks, and no, one and two zeros at a place."""


@pytest.mark.parametrize("op", ["max", "min", "prod"])
def test_gradients_of_other_reductions_are_those_of_the_whole(op: str) -> None:
    def of_rank(x: Any) -> tuple[Any, Any]:
        def loss(x: Any) -> Any:
            return np.sum(ranks.all_reduce(np.tanh(x), op) * np.arange(1, 6))

        x = ranks.local(x)
        return weft.grad(loss)(x), weft.jvp(loss, (x,), (np.ones(5),))[1]

    def of_all(x: Any) -> Any:
        return np.sum(getattr(np, op)(np.tanh(x), axis=0) * np.arange(1, 6))

    found = ranks.Mesh.simulated(3).run(weft.function(of_rank), [(x,) for x in OF_RANKS])
    wanted = weft.grad(of_all)(OF_RANKS)
    np.testing.assert_allclose([gradient for gradient, _ in found], wanted, rtol=1e-12)
    np.testing.assert_allclose([tangent for _, tangent in found], wanted.sum(), rtol=1e-12)


@pytest.mark.parametrize("op", ["sum", "max", "min", "prod"])
def test_gradients_of_scattered_reductions_are_those_of_the_whole(op: str) -> None:
    parts = np.hstack([OF_RANKS, [[2.0], [0.0], [0.5]]])
    weights = np.arange(1.0, 7.0).reshape(3, 2)

    def of_rank(x: Any, own: Any) -> tuple[Any, Any]:
        def loss(x: Any) -> Any:
            return ranks.all_reduce(np.sum(ranks.reduce_scatter(np.tanh(x), op) * ranks.local(own)))

        x = ranks.local(x)
        return weft.grad(loss)(x), weft.jvp(loss, (x,), (np.ones(6),))[1]

    def of_all(x: Any) -> Any:
        return np.sum(getattr(np, op)(np.tanh(x), axis=0) * weights.ravel())

    found = ranks.Mesh.simulated(3).run(weft.function(of_rank), list(zip(parts, weights, strict=True)))
    wanted = weft.grad(of_all)(parts)
    np.testing.assert_allclose([gradient for gradient, _ in found], wanted, rtol=1e-12)
    np.testing.assert_allclose([tangent for _, tangent in found], wanted.sum(), rtol=1e-12)


def test_eager_gradients_are_refused() -> None:
    weft.run_functions_eagerly(True)
    try:
        with pytest.raises(
            weft.UnsupportedError, match=r"derivatives through all_reduce, .* put weft.function around"
        ):
            weft.grad(lambda x: ranks.all_reduce(np.sum(x)))(np.ones(3))
    finally:
        weft.run_functions_eagerly(False)
